//! The driver's library, and the calls that the engine makes.
//!
//! The library is found at run time, so that a build needs no CUDA. Its functions are called in this file only.
//! Every object holds the context that it belongs to, and is destroyed once. A context is made current for the calling
//! thread before each use. After a kernel that did not end, or an error that the driver keeps reporting, the context is
//! lost: nothing of it is used or destroyed any more.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ir::Span;
use ir::exec::{Failure, Launch, Trap};
use libloading::Library;

use super::JitLevel;
use crate::engines::drivers_can_be_loaded;

/// What a call returns: 0, or the number of an error.
type Status = c_int;
type Handle = *mut c_void;

const OUT_OF_MEMORY: Status = 2;
const NOT_READY: Status = 600;
pub(super) const UNSUPPORTED_PTX: Status = 222;

/// The attributes of a device.
const MAJOR: c_int = 75;
const MINOR: c_int = 76;
const PROCESSORS: c_int = 16;

/// The options of a compilation.
const INFO_LOG: c_uint = 3;
const INFO_LOG_BYTES: c_uint = 4;
const ERROR_LOG: c_uint = 5;
const ERROR_LOG_BYTES: c_uint = 6;
const OPTIMIZATION_LEVEL: c_uint = 7;

/// How long a kernel with bounded fuel may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the host asks without sleeping, and how long it then sleeps.
const BUSY: Duration = Duration::from_micros(200);
const TICK: Duration = Duration::from_micros(50);

macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($arg:ty),*);)*) => {
        /// The functions of the library.
        struct Functions {
            $($name: unsafe extern "system" fn($($arg),*) -> Status,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Functions, String> {
                Ok(Functions {
                    $($name: {
                        // SAFETY: the types are those of the driver's documentation, and the library stays open as
                        // long as the process runs.
                        let symbol = unsafe { library.get($symbol) };
                        *symbol.map_err(|it| it.to_string())?
                    },)*
                })
            }
        }
    };
}

functions! {
    init = b"cuInit\0": fn(c_uint);
    driver_version = b"cuDriverGetVersion\0": fn(*mut c_int);
    device_count = b"cuDeviceGetCount\0": fn(*mut c_int);
    device_get = b"cuDeviceGet\0": fn(*mut c_int, c_int);
    device_name = b"cuDeviceGetName\0": fn(*mut c_char, c_int, c_int);
    device_attribute = b"cuDeviceGetAttribute\0": fn(*mut c_int, c_int, c_int);
    context_retain = b"cuDevicePrimaryCtxRetain\0": fn(*mut Handle, c_int);
    context_release = b"cuDevicePrimaryCtxRelease_v2\0": fn(c_int);
    context_set = b"cuCtxSetCurrent\0": fn(Handle);
    memory_alloc = b"cuMemAlloc_v2\0": fn(*mut u64, usize);
    memory_free = b"cuMemFree_v2\0": fn(u64);
    to_device = b"cuMemcpyHtoD_v2\0": fn(u64, *const c_void, usize);
    to_host = b"cuMemcpyDtoH_v2\0": fn(*mut c_void, u64, usize);
    on_device = b"cuMemcpyDtoD_v2\0": fn(u64, u64, usize);
    clear = b"cuMemsetD8_v2\0": fn(u64, u8, usize);
    module_load = b"cuModuleLoadDataEx\0": fn(*mut Handle, *const c_void, c_uint, *const c_uint, *const Handle);
    module_unload = b"cuModuleUnload\0": fn(Handle);
    module_function = b"cuModuleGetFunction\0": fn(*mut Handle, Handle, *const c_char);
    module_global = b"cuModuleGetGlobal_v2\0": fn(*mut u64, *mut usize, Handle, *const c_char);
    launch = b"cuLaunchKernel\0": fn(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *const *const c_void, *const *const c_void);
    event_create = b"cuEventCreate\0": fn(*mut Handle, c_uint);
    event_record = b"cuEventRecord\0": fn(Handle, Handle);
    event_query = b"cuEventQuery\0": fn(Handle);
    event_time = b"cuEventElapsedTime\0": fn(*mut f32, Handle, Handle);
    event_destroy = b"cuEventDestroy_v2\0": fn(Handle);
    error_name = b"cuGetErrorName\0": fn(Status, *mut *const c_char);
}

/// The library, ready for use.
pub(super) struct Driver {
    functions: Functions,
    /// The highest version of CUDA that the driver supports, such as 13000.
    pub(super) version: i32,
    _library: Library,
}

/// The properties of a device.
#[derive(Clone, Debug)]
pub(super) struct Properties {
    pub(super) index: usize,
    pub(super) name: String,
    /// The compute capability, such as 90.
    pub(super) sm: u32,
    pub(super) processors: u32,
}

impl Driver {
    /// Loads the library once for the process. `Err` says what is missing.
    pub(super) fn get() -> Result<&'static Driver, String> {
        static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
        DRIVER.get_or_init(Driver::load).as_ref().map_err(String::clone)
    }

    fn load() -> Result<Driver, String> {
        drivers_can_be_loaded()?;
        let names =
            if cfg!(windows) { ["nvcuda.dll", "nvcuda"] } else { ["libcuda.so.1", "libcuda.so"] };
        let open = |name: &str| {
            // SAFETY: the library is NVIDIA's driver, whose initialisers may run.
            unsafe { Library::new(name) }
        };
        let library = open(names[0]).or_else(|_| open(names[1]));
        let library =
            library.map_err(|_| format!("the driver's library `{}` is not installed", names[0]))?;
        let functions = Functions::of(&library)?;
        let mut driver = Driver { functions, version: 0, _library: library };
        // SAFETY: the first call of all.
        let status = unsafe { (driver.functions.init)(0) };
        driver.check(status).map_err(|it| format!("the driver reports {it}"))?;
        let mut version = 0;
        // SAFETY: the pointer is that of a local variable.
        let status = unsafe { (driver.functions.driver_version)(&raw mut version) };
        driver.check(status).map_err(|it| format!("the driver reports {it}"))?;
        driver.version = version;
        Ok(driver)
    }

    fn check(&self, status: Status) -> Result<(), CallError> {
        match status {
            0 => Ok(()),
            status => Err(CallError { status, name: self.name_of(status) }),
        }
    }

    fn name_of(&self, status: Status) -> String {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the driver returns a constant string, or null for a number that it does not know.
        unsafe {
            if (self.functions.error_name)(status, &raw mut name) != 0 || name.is_null() {
                return format!("error {status}");
            }
            CStr::from_ptr(name).to_string_lossy().into_owned()
        }
    }

    /// All devices.
    pub(super) fn devices(&self) -> Result<Vec<Properties>, CallError> {
        let mut count = 0;
        // SAFETY: the pointers are those of local variables with room for what is written.
        unsafe {
            self.check((self.functions.device_count)(&raw mut count))?;
            let mut all = Vec::new();
            for index in 0..count {
                let (mut device, mut name) = (0, [0 as c_char; 256]);
                self.check((self.functions.device_get)(&raw mut device, index))?;
                self.check((self.functions.device_name)(name.as_mut_ptr(), 255, device))?;
                let attribute = |which: c_int| {
                    let mut value = 0;
                    let get = self.functions.device_attribute;
                    self.check(get(&raw mut value, which, device)).map(|()| value as u32)
                };
                let name = CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned();
                let sm = attribute(MAJOR)? * 10 + attribute(MINOR)?;
                let processors = attribute(PROCESSORS)?;
                all.push(Properties { index: index as usize, name, sm, processors });
            }
            Ok(all)
        }
    }
}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallError {
    pub(super) status: Status,
    name: String,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// An open device.
pub(super) struct Context {
    driver: &'static Driver,
    pub(super) device: Properties,
    handle: Handle,
    lost: AtomicBool,
    /// Held while a kernel runs: one at a time.
    queue: Mutex<()>,
}

// SAFETY: the driver's functions may be called by any thread after the context has been made current there, which
// `current` does.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn new(driver: &'static Driver, device: Properties) -> Result<Context, CallError> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local variable.
        let status =
            unsafe { (driver.functions.context_retain)(&raw mut handle, device.index as c_int) };
        driver.check(status)?;
        let lost = AtomicBool::new(false);
        Ok(Context { driver, device, handle, lost, queue: Mutex::default() })
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    pub(super) fn version(&self) -> i32 {
        self.driver.version
    }

    /// Calls the driver with the context current.
    fn call(&self, bytes: usize, call: impl FnOnce(&Functions) -> Status) -> Result<(), Failure> {
        if self.is_lost() {
            let why = "an earlier dispatch lost it".to_owned();
            return Err(Failure::Trap(Trap::DeviceLost { why }));
        }
        let functions = &self.driver.functions;
        // SAFETY: the context is alive.
        let status = unsafe { (functions.context_set)(self.handle) };
        let result = self.driver.check(status).and_then(|()| self.driver.check(call(functions)));
        result.map_err(|error| self.failed(&error, bytes))
    }

    fn failed(&self, error: &CallError, bytes: usize) -> Failure {
        Failure::Trap(match error.status {
            OUT_OF_MEMORY => Trap::OutOfMemory { bytes: bytes as u64 },
            _ => {
                self.lose();
                Trap::DeviceLost { why: format!("the driver reports {error}") }
            }
        })
    }

    /// Assembles a kernel, with the optimisations of `level`. The inner error is the driver's, with its log.
    pub(super) fn kernel(
        self: &Arc<Context>,
        text: &str,
        entry: &str,
        level: JitLevel,
    ) -> Result<Result<Kernel, Refused>, Failure> {
        let nul = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.push(0);
            bytes
        };
        let (text, entry) = (nul(text), nul(entry));
        let (mut info, mut log) = (vec![0u8; 4096], vec![0u8; 16384]);
        let options = [INFO_LOG, INFO_LOG_BYTES, ERROR_LOG, ERROR_LOG_BYTES, OPTIMIZATION_LEVEL];
        let values: [Handle; 5] = [
            info.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(info.len()),
            log.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(log.len()),
            std::ptr::without_provenance_mut(level.number() as usize),
        ];
        let (mut module, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut refused = None;
        self.call(0, |functions| {
            // SAFETY: the text ends with a zero, and is ours or `Vouched`; the options have the sizes of the buffers
            // beside them.
            let status = unsafe {
                (functions.module_load)(
                    &raw mut module,
                    text.as_ptr().cast(),
                    options.len() as c_uint,
                    options.as_ptr(),
                    values.as_ptr(),
                )
            };
            if status != 0 {
                let end = log.iter().position(|it| *it == 0).unwrap_or(log.len());
                let log = String::from_utf8_lossy(&log[..end]).trim().to_owned();
                refused = Some(Refused { status, name: self.driver.name_of(status), log });
            }
            0
        })?;
        if let Some(refused) = refused {
            return Ok(Err(refused));
        }
        self.call(0, |functions| {
            // SAFETY: the module is loaded, and the name ends with a zero.
            unsafe { (functions.module_function)(&raw mut function, module, entry.as_ptr().cast()) }
        })?;
        Ok(Ok(Kernel { context: self.clone(), module, function }))
    }

    /// Zeroed memory for that many bytes.
    pub(super) fn allocate(self: &Arc<Context>, bytes: usize) -> Result<Allocation, Failure> {
        let size = bytes.max(1).next_multiple_of(16);
        let mut address = 0;
        self.call(size, |functions| {
            // SAFETY: the pointer is that of a local variable.
            unsafe { (functions.memory_alloc)(&raw mut address, size) }
        })?;
        let allocation = Allocation { context: self.clone(), address, size };
        self.call(size, |functions| {
            // SAFETY: the memory has that size.
            unsafe { (functions.clear)(address, 0, size) }
        })?;
        Ok(allocation)
    }

    /// Runs a kernel, and waits for its end. Returns its time by the device's clock.
    pub(super) fn run(
        &self,
        kernel: &Kernel,
        launch: &Launch,
        groups: [u32; 3],
        threads: [u32; 3],
        params: &[Vec<u8>],
    ) -> Result<Duration, Failure> {
        if groups.contains(&0) {
            return Ok(Duration::ZERO);
        }
        let _queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let events = [self.event()?, self.event()?];
        let params: Vec<*const c_void> = params.iter().map(|it| it.as_ptr().cast()).collect();
        let none = std::ptr::null_mut();
        let record = |event: &Event<'_>| {
            let handle = event.handle;
            // SAFETY: the event is alive, and the null stream always exists.
            self.call(0, |functions| unsafe { (functions.event_record)(handle, none) })
        };
        record(&events[0])?;
        self.call(0, |functions| {
            // SAFETY: the kernel takes parameters of these sizes, which the driver copies; every address in them is
            // that of an allocation that the caller keeps, or is not accessed because its size is 0. Another compiler's
            // kernel is `Vouched`: the caller of `Device::create_foreign_pipeline` has promised that it accesses
            // nothing else.
            unsafe {
                (functions.launch)(
                    kernel.function,
                    groups[0],
                    groups[1],
                    groups[2],
                    threads[0],
                    threads[1],
                    threads[2],
                    0,
                    none,
                    params.as_ptr(),
                    std::ptr::null(),
                )
            }
        })?;
        record(&events[1])?;
        self.wait(&events[1], launch)?;
        let mut milliseconds = 0.0;
        self.call(0, |functions| {
            // SAFETY: both events have been recorded, and have happened.
            unsafe {
                (functions.event_time)(&raw mut milliseconds, events[0].handle, events[1].handle)
            }
        })?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
    }

    /// Waits for an event, until the run is cancelled or has taken too long: then the context is lost.
    fn wait(&self, event: &Event<'_>, launch: &Launch) -> Result<(), Failure> {
        #[expect(
            clippy::disallowed_methods,
            reason = "there is no other way to detect a hanging device"
        )]
        let start = Instant::now();
        loop {
            let mut status = 0;
            self.call(0, |functions| {
                // SAFETY: the event is alive.
                status = unsafe { (functions.event_query)(event.handle) };
                if status == NOT_READY { 0 } else { status }
            })?;
            if status == 0 {
                return Ok(());
            }
            if launch.cancel.as_ref().is_some_and(|it| it.load(Ordering::Relaxed)) {
                self.lose();
                return Err(Failure::Trap(Trap::Cancelled { span: Span::NONE }));
            }
            let elapsed = start.elapsed();
            if launch.fuel.is_some() && elapsed > PATIENCE {
                self.lose();
                let seconds = PATIENCE.as_secs();
                let why = format!(
                    "the dispatch does not end within {seconds} s, and cannot be interrupted"
                );
                return Err(Failure::Trap(Trap::DeviceLost { why }));
            }
            if elapsed > BUSY {
                std::thread::sleep(TICK);
            } else {
                std::thread::yield_now();
            }
        }
    }

    fn event(&self) -> Result<Event<'_>, Failure> {
        let mut handle = std::ptr::null_mut();
        self.call(0, |functions| {
            // SAFETY: the pointer is that of a local variable.
            unsafe { (functions.event_create)(&raw mut handle, 0) }
        })?;
        Ok(Event { context: self, handle })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.is_lost() {
            // SAFETY: allocations and kernels hold the context, so nothing of it is left. A failure leaves a context
            // to the end of the process.
            let _ = unsafe { (self.driver.functions.context_release)(self.device.index as c_int) };
        }
    }
}

/// A kernel that the driver refuses.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) status: Status,
    pub(super) name: String,
    /// The assembler's words.
    pub(super) log: String,
}

/// A compiled kernel.
pub(super) struct Kernel {
    pub(super) context: Arc<Context>,
    module: Handle,
    function: Handle,
}

// SAFETY: the handles are used with the context current, by any thread.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Copies bytes into a variable of the module, as many as it holds.
    pub(super) fn set_global(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let mut name = name.as_bytes().to_vec();
        name.push(0);
        let (mut address, mut size) = (0, 0);
        self.context.call(0, |functions| {
            // SAFETY: the module is loaded, the name ends with a zero, and the pointers are those of local variables.
            unsafe {
                let symbol = name.as_ptr().cast();
                (functions.module_global)(&raw mut address, &raw mut size, self.module, symbol)
            }
        })?;
        let count = bytes.len().min(size);
        self.context.call(0, |functions| {
            // SAFETY: both sides have that many bytes.
            unsafe { (functions.to_device)(address, bytes.as_ptr().cast(), count) }
        })
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let module = self.module;
        // SAFETY: no kernel runs, since a run waits for its end. A lost context is left alone.
        let _ = self.context.call(0, |functions| unsafe { (functions.module_unload)(module) });
    }
}

struct Event<'a> {
    context: &'a Context,
    handle: Handle,
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        let handle = self.handle;
        // SAFETY: the event has happened, or the context is lost and left alone.
        let _ = self.context.call(0, |functions| unsafe { (functions.event_destroy)(handle) });
    }
}

/// Memory on the device.
pub(super) struct Allocation {
    pub(super) context: Arc<Context>,
    pub(super) address: u64,
    pub(super) size: usize,
}

impl Allocation {
    /// Copies bytes to the device, as many as fit.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let count = bytes.len().min(self.size);
        if count == 0 {
            return Ok(());
        }
        self.context.call(count, |functions| {
            // SAFETY: both have that many bytes.
            unsafe { (functions.to_device)(self.address, bytes.as_ptr().cast(), count) }
        })
    }

    /// Copies bytes from the device.
    pub(super) fn read(&self, bytes: &mut [u8]) -> Result<(), Failure> {
        let count = bytes.len().min(self.size);
        if count == 0 {
            return Ok(());
        }
        self.context.call(count, |functions| {
            // SAFETY: both have that many bytes.
            unsafe { (functions.to_host)(bytes.as_mut_ptr().cast(), self.address, count) }
        })
    }

    /// Copies everything from another allocation, as far as it fits.
    pub(super) fn copy_from(&self, other: &Allocation) -> Result<(), Failure> {
        let count = self.size.min(other.size);
        self.context.call(count, |functions| {
            // SAFETY: both have that many bytes, and are different allocations of one context.
            unsafe { (functions.on_device)(self.address, other.address, count) }
        })
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let address = self.address;
        // SAFETY: no kernel runs, since a run waits for its end. A lost context is left alone.
        let _ = self.context.call(0, |functions| unsafe { (functions.memory_free)(address) });
    }
}
