//! Compiling: the text of a shader, macros, and the files that it includes, which the caller reads.

use std::ffi::{c_char, c_void};
use std::slice;
use std::sync::Arc;
use std::thread;

use wavelane::diagnostic::Style;
use wavelane::{Includer, Level, Options, Shader};

use crate::error::{Failed, WlStatus, c_text, enter};
use crate::handles::{WlShader, give, handle, text};

/// A macro for a shader. `value` may be null.
#[repr(C)]
pub struct WlDefine {
    pub name: *const c_char,
    pub value: *const c_char,
}

/// A file that a shader includes: `length` bytes of `text`, and its name in messages, which is also the `from` of the
/// files that it includes itself. The same file has the same name each time; null means the path in the directive.
#[repr(C)]
pub struct WlFile {
    pub name: *const c_char,
    pub text: *const c_char,
    pub length: usize,
}

/// Finds the file that `from` includes as `path`, with `/` for backslashes; `is_system` is 1 for `<path>`, else 0.
/// Returns 0 if there is none, and otherwise fills `*file`, whose texts stay as they are until `wl_compile_with`
/// returns. It is called while that function runs, on another thread, and must not unwind.
pub type WlInclude = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        path: *const c_char,
        from: *const c_char,
        is_system: u32,
        file: *mut WlFile,
    ) -> u32,
>;

/// How a shader is compiled. Zeros mean the defaults: the name "shader.hlsl", the entry point "main", no macros, `half`
/// with 32 bits, and no includes. `enable_16bit` 1 makes `half` and the `min16` types real 16-bit types. `user` is
/// passed to `include`.
#[repr(C)]
pub struct WlOptions {
    pub name: *const c_char,
    pub entry: *const c_char,
    pub defines: *const WlDefine,
    pub define_count: usize,
    pub enable_16bit: u32,
    pub include: WlInclude,
    pub user: *mut c_void,
}

/// Room for shaders that nest as deeply as the front end's limits allow, which the caller's thread may not have.
const STACK: usize = 256 << 20;

/// Compiles `text`, the `length` bytes of a shader. `name` is its name in messages, `entry` the entry point; null means
/// "shader.hlsl" and "main". On success `*shader` is a handle for `wl_shader_free`; on failure `wl_last_error` has the
/// source lines with carets. The text may not `#include` others: see `wl_compile_with`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_compile(
    text: *const c_char,
    length: usize,
    name: *const c_char,
    entry: *const c_char,
    defines: *const WlDefine,
    define_count: usize,
    shader: *mut *mut WlShader,
) -> WlStatus {
    let options = WlOptions {
        name,
        entry,
        defines,
        define_count,
        enable_16bit: 0,
        include: None,
        user: std::ptr::null_mut(),
    };
    // SAFETY: the header requires the same as there.
    enter(|| unsafe { compile(text, length, &options, shader) })
}

/// The same with options; null means the defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_compile_with(
    text: *const c_char,
    length: usize,
    options: *const WlOptions,
    shader: *mut *mut WlShader,
) -> WlStatus {
    let default = WlOptions {
        name: std::ptr::null(),
        entry: std::ptr::null(),
        defines: std::ptr::null(),
        define_count: 0,
        enable_16bit: 0,
        include: None,
        user: std::ptr::null_mut(),
    };
    // SAFETY: the header requires options or null, and the rest as there.
    enter(|| unsafe { compile(text, length, options.as_ref().unwrap_or(&default), shader) })
}

/// The compiler's warnings about a shader, with source lines; empty if there are none. It is valid until the shader is
/// freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_warnings(shader: *const WlShader) -> *const c_char {
    // SAFETY: the header requires a handle.
    match unsafe { handle(shader, "shader") } {
        Ok(shader) => shader.warnings.as_ptr(),
        Err(_) => c"".as_ptr(),
    }
}

/// # Safety
/// The text has `length` bytes, the options are as the header says, and `shader` is a place for the result or null.
unsafe fn compile(
    text: *const c_char,
    length: usize,
    asked: &WlOptions,
    shader: *mut *mut WlShader,
) -> Result<(), Failed> {
    // SAFETY: the caller's contract.
    let (source, name, options) = unsafe {
        (bytes(text, length)?, or(asked.name, "shader.hlsl", "the name")?, options(asked)?)
    };
    let source = std::str::from_utf8(source).map_err(|_| Failed::input("the text is not UTF-8"))?;
    let mut files = Files { include: asked.include, user: asked.user, problem: None };
    let compiled = thread::scope(|scope| {
        let files = &mut files;
        let work = move || Shader::compile(&name, source, &options, files);
        let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        started.map(|it| it.join())
    });
    if let Some(problem) = files.problem {
        return Err(Failed::input(problem));
    }
    let compiled = match compiled {
        Ok(Ok(Ok(compiled))) => compiled,
        Ok(Ok(Err(bug))) => return Err(Failed(WlStatus::WL_BUG, bug.to_string())),
        Ok(Err(payload)) => std::panic::resume_unwind(payload),
        Err(error) => {
            return Err(Failed::unsupported(format!("no thread can be started: {error}")));
        }
    };
    let is_unsupported =
        compiled.shader.is_none() && compiled.diagnostics.iter().all(|it| it.level != Level::Error);
    let warnings = c_text(&compiled.render(Style::Plain));
    let sources = Arc::new(compiled.sources.clone());
    match compiled.shader() {
        // SAFETY: the caller's contract.
        Ok(compiled) => unsafe { give(shader, WlShader { shader: compiled, sources, warnings }) },
        Err(error) if is_unsupported => Err(Failed::unsupported(error)),
        Err(error) => Err(Failed::input(error)),
    }
}

/// # Safety
/// `text` is null or has `length` bytes, which stay.
unsafe fn bytes<'a>(text: *const c_char, length: usize) -> Result<&'a [u8], Failed> {
    if text.is_null() {
        return Err(Failed::input("the text is null"));
    }
    if isize::try_from(length).is_err() {
        return Err(Failed::input(format!("no text has {length} bytes")));
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { slice::from_raw_parts(text.cast(), length) })
}

/// # Safety
/// `given` is null, or ends with a zero.
unsafe fn or(given: *const c_char, default: &str, what: &str) -> Result<String, Failed> {
    if given.is_null() {
        return Ok(default.to_owned());
    }
    // SAFETY: the caller's contract.
    unsafe { text(given, what) }.map(str::to_owned)
}

/// # Safety
/// The strings and macros are as the header says.
unsafe fn options(asked: &WlOptions) -> Result<Options, Failed> {
    if asked.defines.is_null() && asked.define_count > 0 {
        return Err(Failed::input("the list of macros is null"));
    }
    // SAFETY: the caller's contract.
    let (entry, defines) = unsafe {
        let defines = match asked.define_count {
            0 => &[],
            count => slice::from_raw_parts(asked.defines, count),
        };
        (or(asked.entry, "main", "the entry point")?, defines)
    };
    let mut options =
        Options { entry, enable_16bit: asked.enable_16bit != 0, ..Options::default() };
    for define in defines {
        // SAFETY: the caller's contract.
        let (name, value) = unsafe {
            let name = text(define.name, "the name of a macro")?.to_owned();
            (name, or(define.value, "", "the value of a macro")?)
        };
        options.defines.push((name, (!define.value.is_null()).then_some(value)));
    }
    Ok(options)
}

/// Asks the caller for included files.
struct Files {
    include: WlInclude,
    user: *mut c_void,
    /// What was wrong with what the caller gave.
    problem: Option<String>,
}

// SAFETY: the header says that `include` is called on another thread, while the caller's waits.
unsafe impl Send for Files {}

impl Includer for Files {
    fn read(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let include = self.include?;
        let mut file = WlFile { name: std::ptr::null(), text: std::ptr::null(), length: 0 };
        let (asked, from) = (c_text(path), c_text(includer));
        // SAFETY: the header says what the function is; both strings live as long as the call.
        let found = unsafe {
            include(self.user, asked.as_ptr(), from.as_ptr(), system.into(), &raw mut file)
        };
        if found == 0 {
            return None;
        }
        // SAFETY: the header requires texts that stay.
        let read = unsafe {
            bytes(file.text, file.length)
                .and_then(|text| Ok((or(file.name, path, "the name")?, text)))
        };
        let read = read.and_then(|(name, text)| match std::str::from_utf8(text) {
            Ok(text) => Ok((name, Arc::from(text))),
            Err(_) => Err(Failed::input("the text is not UTF-8")),
        });
        let problem = |Failed(_, why)| format!("the file that `include` gives for `{path}`: {why}");
        read.map_err(|it| self.problem = Some(problem(it))).ok()
    }
}
