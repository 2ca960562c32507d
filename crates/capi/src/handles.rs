//! Handles: shaders, pipelines, tables and texts.

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Arc;

use wavelane::{
    Adapter, Borrowed, Buffer, ComputePipeline, CpuOptions, Device, Engine, Number, ResourceTable,
    Shader, SourceMap,
};

use crate::error::{Failed, WlStatus, c_text, enter};

/// A compiled shader.
pub struct WlShader {
    pub(crate) shader: Shader,
    pub(crate) sources: Arc<SourceMap>,
    /// The compiler's warnings.
    pub(crate) warnings: CString,
}

/// A shader on an engine.
pub struct WlPipeline {
    pub(crate) pipeline: ComputePipeline,
    pub(crate) sources: Arc<SourceMap>,
}

/// What is bound to the resources of a shader.
pub struct WlTable {
    pub(crate) table: ResourceTable,
}

/// A text that the library owns.
pub struct WlText {
    text: CString,
}

impl WlText {
    pub(crate) fn new(text: &str) -> WlText {
        WlText { text: c_text(text) }
    }
}

/// A string of C's.
///
/// # Safety
/// It is null, or ends with a zero.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failed> {
    if text.is_null() {
        return Err(Failed::input(format!("{what} is null")));
    }
    // SAFETY: the caller's contract.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Failed::input(format!("{what} is not UTF-8")))
}

/// What a handle points to.
///
/// # Safety
/// It is null, or a handle that has not been freed.
pub(crate) unsafe fn handle<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Failed> {
    // SAFETY: the caller's contract.
    unsafe { handle.as_ref() }.ok_or_else(|| Failed::input(format!("the {what} is null")))
}

/// The same for a table, which changes.
///
/// # Safety
/// As above, and no other thread uses it.
pub(crate) unsafe fn table<'a>(table: *mut WlTable) -> Result<&'a mut ResourceTable, Failed> {
    // SAFETY: the caller's contract.
    let table = unsafe { table.as_mut() }.ok_or_else(|| Failed::input("the table is null"))?;
    Ok(&mut table.table)
}

/// Gives a new handle to the caller.
///
/// # Safety
/// `to` is null, or may be written.
pub(crate) unsafe fn give<T>(to: *mut *mut T, value: T) -> Result<(), Failed> {
    if to.is_null() {
        return Err(Failed::input("the place for the result is null"));
    }
    // SAFETY: the caller's contract.
    unsafe { *to = Box::into_raw(Box::new(value)) };
    Ok(())
}

/// Takes a handle back, and drops it. What the drop panics about stays here.
///
/// # Safety
/// It is null, or a handle that has not been freed.
unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        enter(|| {
            // SAFETY: it came from `give`.
            drop(unsafe { Box::from_raw(handle) });
            Ok(())
        });
    }
}

/// Frees a shader. Pipelines and tables that were made from it stay valid. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_shader_free(shader: *mut WlShader) {
    // SAFETY: the header requires a handle.
    unsafe { free(shader) }
}

/// Prepares a shader for an engine: "interp", "cpu", "vulkan" or "cuda"; null means the fastest that needs no GPU.
/// `threads` is the number of threads of the engine "cpu"; 0 means 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_pipeline(
    shader: *const WlShader,
    engine: *const c_char,
    threads: u32,
    pipeline: *mut *mut WlPipeline,
) -> WlStatus {
    enter(|| {
        // SAFETY: the header requires a handle.
        let shader = unsafe { handle(shader, "shader") }?;
        let engine = match engine.is_null() {
            true => Engine::fastest(),
            false => {
                // SAFETY: the header requires a string.
                let name = unsafe { text(engine, "the engine") }?;
                let found = Engine::ALL.into_iter().find(|it| it.name() == name);
                found.ok_or_else(|| Failed::input(format!("there is no engine `{name}`")))?
            }
        };
        let device = match engine {
            Engine::Cpu => {
                let threads = threads.max(1) as usize;
                if threads > CpuOptions::MOST_THREADS {
                    let most = CpuOptions::MOST_THREADS;
                    return Err(Failed::input(format!(
                        "{threads} threads are too many; the limit is {most}"
                    )));
                }
                let options = CpuOptions { threads, ..CpuOptions::default() };
                Device::with_cpu(Adapter::reference(), options)
            }
            other => Device::with_engine(Adapter::reference(), other),
        };
        let made = device.map_err(Failed::unsupported)?.create_compute_pipeline(&shader.shader);
        let made = WlPipeline {
            pipeline: made.map_err(Failed::unsupported)?,
            sources: shader.sources.clone(),
        };
        // SAFETY: the header requires a place.
        unsafe { give(pipeline, made) }
    })
}

/// Frees a pipeline. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_pipeline_free(pipeline: *mut WlPipeline) {
    // SAFETY: the header requires a handle.
    unsafe { free(pipeline) }
}

/// Makes a table in which nothing is bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_table(shader: *const WlShader, table: *mut *mut WlTable) -> WlStatus {
    enter(|| {
        // SAFETY: the header requires a handle.
        let shader = unsafe { handle(shader, "shader") }?;
        // SAFETY: the header requires a place.
        unsafe { give(table, WlTable { table: ResourceTable::new(&shader.shader) }) }
    })
}

/// Frees a table. The memory that was bound is the caller's again. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_table_free(table: *mut WlTable) {
    // SAFETY: the header requires a handle.
    unsafe { free(table) }
}

/// Binds `size` bytes of the caller's to the buffer `name`, in place. They must stay where they are until something
/// else is bound there or the table is freed, and while a shader runs no other thread may touch them. What is bound
/// must not overlap what else the table has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_bind(
    table: *mut WlTable,
    name: *const c_char,
    memory: *mut c_void,
    size: usize,
) -> WlStatus {
    enter(|| {
        // SAFETY: the header requires a handle and a string.
        let (table, name) = unsafe { (self::table(table)?, text(name, "the name")?) };
        check(memory, size)?;
        // SAFETY: the header requires memory that stays.
        let memory = unsafe { Borrowed::new(memory.cast(), size) };
        table.bind(name, Buffer::lend(memory)).map_err(Failed::input)
    })
}

/// The same for memory that is only read; refused where the shader may write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_bind_read_only(
    table: *mut WlTable,
    name: *const c_char,
    memory: *const c_void,
    size: usize,
) -> WlStatus {
    enter(|| {
        // SAFETY: the header requires a handle and a string.
        let (table, name) = unsafe { (self::table(table)?, text(name, "the name")?) };
        check(memory, size)?;
        // SAFETY: the header requires memory that stays; it is lent for reading.
        let memory = unsafe { Borrowed::new(memory.cast_mut().cast(), size) };
        table.bind(name, Buffer::lend_read_only(memory)).map_err(Failed::input)
    })
}

pub(crate) fn check(memory: *const c_void, size: usize) -> Result<(), Failed> {
    if memory.is_null() && size > 0 {
        return Err(Failed::input(format!("the memory is null, and its size is {size} bytes")));
    }
    match isize::try_from(size) {
        Ok(_) => Ok(()),
        Err(_) => Err(Failed::input(format!("no memory has {size} bytes"))),
    }
}

/// Sets an integer or boolean constant: a member of a constant buffer, by its name. Vectors, matrices, arrays and
/// structures take as many numbers as they have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_set_integers(
    table: *mut WlTable,
    name: *const c_char,
    values: *const i64,
    count: usize,
) -> WlStatus {
    // SAFETY: the header requires this many numbers.
    unsafe { set(table, name, values, count, |it| Number::Integer(it.into())) }
}

/// Sets a constant of floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_set_floats(
    table: *mut WlTable,
    name: *const c_char,
    values: *const f64,
    count: usize,
) -> WlStatus {
    // SAFETY: the header requires this many numbers.
    unsafe { set(table, name, values, count, Number::Float) }
}

/// # Safety
/// The table is a handle, the name a string, and there are `count` values.
unsafe fn set<T: Copy>(
    table: *mut WlTable,
    name: *const c_char,
    values: *const T,
    count: usize,
    number: impl Fn(T) -> Number,
) -> WlStatus {
    enter(|| {
        // SAFETY: the caller's contract.
        let (table, name) = unsafe { (self::table(table)?, text(name, "the name")?) };
        check(values.cast(), count)?;
        let values = match count {
            0 => &[],
            // SAFETY: the caller's contract.
            _ => unsafe { std::slice::from_raw_parts(values, count) },
        };
        let numbers: Vec<Number> = values.iter().map(|it| number(*it)).collect();
        table.set(name, &numbers[..]).map_err(Failed::input)
    })
}

/// The text, which ends with a zero. It is valid until `wl_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_text(text: *const WlText) -> *const c_char {
    // SAFETY: the header requires a handle.
    match unsafe { text.as_ref() } {
        Some(text) => text.text.as_ptr(),
        None => c"".as_ptr(),
    }
}

/// Frees a text. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_text_free(text: *mut WlText) {
    // SAFETY: the header requires a handle.
    unsafe { free(text) }
}
