//! Textures and samplers.

use std::ffi::{c_char, c_void};

use wavelane::texture::{Format, Shape};
use wavelane::{Borrowed, BufferError, Sampler, Texture};

use crate::error::{Failed, WlStatus, enter};
use crate::handles::{self, WlTable, check, text};

/// The size and format of a texture. `format` is a name of Direct3D such as "RGBA8_UNORM". Unused axes, `layers`,
/// `levels` and `samples` are 1, and a cube has six layers.
#[repr(C)]
pub struct WlTexture {
    pub format: *const c_char,
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    pub layers: u32,
    pub levels: u32,
    pub samples: u32,
}

/// # Safety
/// `texture` is null or has a format that is a string.
unsafe fn shape(texture: *const WlTexture) -> Result<Shape, Failed> {
    // SAFETY: the caller's contract.
    let Some(texture) = (unsafe { texture.as_ref() }) else {
        return Err(Failed::input("the size of the texture is null"));
    };
    // SAFETY: the caller's contract.
    let name = unsafe { text(texture.format, "the format") }?;
    let format = Format::parse(name)
        .ok_or_else(|| Failed::input(format!("`{name}` is not a texture format")))?;
    let WlTexture { width, height, depth, layers, levels, samples, .. } = *texture;
    Ok(Shape { format, width, height, depth, layers, levels, samples })
}

/// Binds `size` bytes of the caller's to the texture `name`, in place, under the rules of `wl_bind`: all texels, layer
/// by layer, within a layer level by level, within a level row by row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_bind_texture(
    table: *mut WlTable,
    name: *const c_char,
    texture: *const WlTexture,
    memory: *mut c_void,
    size: usize,
) -> WlStatus {
    // SAFETY: the header requires a handle, a string, a texture, and memory that stays.
    unsafe { lend(table, name, texture, memory, size, Texture::lend) }
}

/// The same for memory that is only read; refused where the shader may write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_bind_texture_read_only(
    table: *mut WlTable,
    name: *const c_char,
    texture: *const WlTexture,
    memory: *const c_void,
    size: usize,
) -> WlStatus {
    // SAFETY: the header requires a handle, a string, a texture, and memory that stays; it is lent for reading.
    unsafe { lend(table, name, texture, memory.cast_mut(), size, Texture::lend_read_only) }
}

/// # Safety
/// The table is a handle, the name a string, the texture null or one whose format is a string, and the memory stays as
/// the header says.
unsafe fn lend(
    table: *mut WlTable,
    name: *const c_char,
    texture: *const WlTexture,
    memory: *mut c_void,
    size: usize,
    lent: impl FnOnce(Shape, Borrowed) -> Result<Texture, BufferError>,
) -> WlStatus {
    enter(|| {
        // SAFETY: the caller's contract.
        let (table, name, shape) =
            unsafe { (handles::table(table)?, text(name, "the name")?, shape(texture)?) };
        check(memory, size)?;
        // SAFETY: the caller's contract.
        let memory = unsafe { Borrowed::new(memory.cast(), size) };
        let texture = lent(shape, memory).map_err(Failed::input)?;
        table.bind(name, texture).map_err(Failed::input)
    })
}

/// Binds a sampler to the resource `name`; its state is words as on the command line, such as "linear wrap" or "nearest
/// clamp".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_bind_sampler(
    table: *mut WlTable,
    name: *const c_char,
    state: *const c_char,
) -> WlStatus {
    enter(|| {
        // SAFETY: the header requires a handle and strings.
        let (table, name, state) = unsafe {
            (handles::table(table)?, text(name, "the name")?, text(state, "the sampler")?)
        };
        table.bind(name, Sampler::parse(state).map_err(Failed::input)?).map_err(Failed::input)
    })
}
