//! The C structures of DLPack and of Arrow's C data interface, read from the capsules in which Python objects export
//! them.
//!
//! Both are a few fields each, whose layout their specifications fix for ever. The capsule stays the owner: it is kept
//! for as long as the memory is used, and its own destructor gives the memory back. What comes out of a stream of Arrow
//! is ours, and [`Chunk`] gives it back.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use wavelane::{Layout, Scalar};

/// Memory that a capsule owns.
pub(crate) struct Exported {
    pub(crate) start: *mut u8,
    pub(crate) len: usize,
    pub(crate) read_only: bool,
    pub(crate) element: Layout,
    /// The elements on each axis, the outermost first.
    pub(crate) shape: Vec<usize>,
}

// Spec: DLPack 1.0, `dlpack.h`.
#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    dims: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

#[repr(C)]
struct DlVersioned {
    major: u32,
    minor: u32,
    manager: *mut c_void,
    deleter: *const c_void,
    flags: u64,
    tensor: DlTensor,
}

const READ_ONLY: u64 = 1;
/// `kDLCPU`.
pub(crate) const HOST: i32 = 1;

/// The name of a device of DLPack.
pub(crate) fn device_name(kind: i32) -> String {
    match kind {
        1 => "the host".to_owned(),
        2 => "a CUDA device".to_owned(),
        3 => "pinned memory of CUDA".to_owned(),
        7 => "a Vulkan device".to_owned(),
        8 => "a Metal device".to_owned(),
        10 => "a ROCm device".to_owned(),
        13 => "CUDA's managed memory".to_owned(),
        14 => "a oneAPI device".to_owned(),
        other => format!("the device of DLPack number {other}"),
    }
}

/// The memory of a DLPack capsule.
pub(crate) fn dlpack(capsule: &Bound<'_, PyCapsule>) -> Result<Exported, String> {
    const PLAIN: &CStr = c"dltensor";
    const VERSIONED: &CStr = c"dltensor_versioned";
    let plain = capsule.pointer_checked(Some(PLAIN)).ok();
    let versioned = capsule.pointer_checked(Some(VERSIONED)).ok();
    // SAFETY: a capsule of that name holds this structure, which lives as long as the capsule; the version is checked
    // before fields that another version may move are read.
    let (tensor, read_only) = unsafe {
        match (plain, versioned) {
            (Some(tensor), _) => (tensor.cast::<DlTensor>().as_ref(), false),
            (None, Some(versioned)) => {
                let versioned = versioned.cast::<DlVersioned>().as_ref();
                if versioned.major != 1 {
                    return Err(format!("a DLPack tensor of version {}", versioned.major));
                }
                (&versioned.tensor, versioned.flags & READ_ONLY != 0)
            }
            (None, None) => return Err("a DLPack capsule that has been used before".to_owned()),
        }
    };
    if tensor.device_type != HOST {
        return Err(format!(
            "memory of {}; copy it to the host first",
            device_name(tensor.device_type)
        ));
    }
    let scalar =
        match (tensor.code, tensor.bits, tensor.lanes) {
            (0, 8, 1) => Scalar::I8,
            (0, 16, 1) => Scalar::I16,
            (0, 32, 1) => Scalar::I32,
            (0, 64, 1) => Scalar::I64,
            (1, 8, 1) => Scalar::U8,
            (1, 16, 1) => Scalar::U16,
            (1, 32, 1) => Scalar::U32,
            (1, 64, 1) => Scalar::U64,
            (2, 16, 1) => Scalar::F16,
            (2, 32, 1) => Scalar::F32,
            (2, 64, 1) => Scalar::F64,
            (4, 16, _) => return Err("`bfloat16` numbers".to_owned()),
            (6, ..) => return Err(
                "truth values of one byte (in HLSL a `bool` in memory takes four: use `uint32`)"
                    .to_owned(),
            ),
            (code, bits, _) => return Err(format!("DLPack's type {code} of {bits} bits")),
        };
    let dims = usize::try_from(tensor.dims).map_err(|_| "an invalid tensor")?;
    let mut count = 1usize;
    let mut shape = Vec::new();
    for dim in (0..dims).rev() {
        // SAFETY: `shape` has `dims` elements, and so has `strides` if it is there.
        let (size, stride) = unsafe {
            let stride = (!tensor.strides.is_null()).then(|| *tensor.strides.add(dim));
            (*tensor.shape.add(dim), stride)
        };
        let size = usize::try_from(size).map_err(|_| "an invalid tensor")?;
        // An axis of one element and an empty tensor may have any stride.
        if stride.is_some_and(|it| size > 1 && count > 0 && i64::try_from(count) != Ok(it)) {
            return Err("a tensor that is not contiguous; make a contiguous copy".to_owned());
        }
        count = count.saturating_mul(size);
        shape.insert(0, size);
    }
    let start = tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize);
    let len = count.saturating_mul(scalar.bytes());
    Ok(Exported { start, len, read_only, element: Layout::uniform(scalar, 1), shape })
}

// Spec: the Arrow C data interface.
#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut c_void,
    dictionary: *mut c_void,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *mut c_void,
    dictionary: *mut c_void,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

// Spec: the Arrow C stream interface.
#[repr(C)]
struct ArrowStream {
    get_schema: unsafe extern "C" fn(*mut ArrowStream, *mut ArrowSchema) -> i32,
    get_next: unsafe extern "C" fn(*mut ArrowStream, *mut ArrowArray) -> i32,
    get_last_error: unsafe extern "C" fn(*mut ArrowStream) -> *const c_char,
    release: Option<unsafe extern "C" fn(*mut ArrowStream)>,
    private_data: *mut c_void,
}

/// An array of a stream, which is given back when it is dropped.
pub(crate) struct Chunk(Box<ArrowArray>);

impl Drop for Chunk {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: it has not been released, and nothing else refers to it.
            unsafe { release(&raw mut *self.0) };
        }
    }
}

struct OwnSchema(ArrowSchema);

impl Drop for OwnSchema {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: as above.
            unsafe { release(&raw mut self.0) };
        }
    }
}

/// The values of an Arrow stream that has one chunk besides empty ones, as columns of data frames usually have.
pub(crate) fn only_chunk(capsule: &Bound<'_, PyCapsule>) -> Result<(Exported, Chunk), String> {
    const INVALID: &str = "an invalid stream of Arrow";
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream")).map_err(|_| INVALID)?;
    let stream = stream.cast::<ArrowStream>().as_ptr();
    // SAFETY: a capsule of that name holds this structure, which lives as long as the capsule and has no other user.
    if unsafe { (*stream).release.is_none() } {
        return Err("a stream of Arrow that has been read before".to_owned());
    }
    let failed = || {
        // SAFETY: as above; the text is a string of C or null.
        let text =
            unsafe { ((*stream).get_last_error)(stream).as_ref().map(|it| CStr::from_ptr(it)) };
        text.map_or_else(|| INVALID.to_owned(), |it| it.to_string_lossy().into_owned())
    };
    let mut schema = MaybeUninit::<ArrowSchema>::uninit();
    // SAFETY: as above; the function writes the schema if it returns 0.
    let schema = unsafe {
        match ((*stream).get_schema)(stream, schema.as_mut_ptr()) {
            0 => OwnSchema(schema.assume_init()),
            _ => return Err(failed()),
        }
    };
    let next = || {
        let mut array = MaybeUninit::<ArrowArray>::uninit();
        // SAFETY: as above; the function writes the array if it returns 0.
        match unsafe { ((*stream).get_next)(stream, array.as_mut_ptr()) } {
            // SAFETY: it is written.
            0 => Ok(Chunk(Box::new(unsafe { array.assume_init() }))),
            _ => Err(failed()),
        }
    };
    let mut only = next()?;
    loop {
        // An array that is released ends the stream.
        let other = if only.0.release.is_some() { next()? } else { break };
        if other.0.release.is_none() {
            break;
        }
        if only.0.length > 0 && other.0.length > 0 {
            return Err("an Arrow array in several chunks; combine them first".to_owned());
        }
        if other.0.length > 0 {
            only = other;
        }
    }
    let exported = match only.0.release {
        Some(_) => numbers(&schema.0, &only.0)?,
        None => Exported {
            len: 0,
            shape: vec![0],
            start: std::ptr::null_mut(),
            read_only: true,
            element: Layout::uniform(scalar_of(&schema.0)?, 1),
        },
    };
    Ok((exported, only))
}

/// The values of an Arrow array of numbers.
pub(crate) fn arrow(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> Result<Exported, String> {
    let schema =
        schema.pointer_checked(Some(c"arrow_schema")).map_err(|_| "an invalid Arrow schema")?;
    let array =
        array.pointer_checked(Some(c"arrow_array")).map_err(|_| "an invalid Arrow array")?;
    // SAFETY: capsules of these names hold these structures, which live as long as the capsules.
    let (schema, array) =
        unsafe { (schema.cast::<ArrowSchema>().as_ref(), array.cast::<ArrowArray>().as_ref()) };
    numbers(schema, array)
}

/// The type of the numbers of an Arrow array.
fn scalar_of(schema: &ArrowSchema) -> Result<Scalar, String> {
    if schema.release.is_none() || schema.format.is_null() {
        return Err("an Arrow array that has been released".to_owned());
    }
    if !schema.dictionary.is_null() {
        return Err("an Arrow array that is encoded by a dictionary".to_owned());
    }
    // SAFETY: a format is a string of C.
    let format = unsafe { CStr::from_ptr(schema.format) }.to_bytes();
    Ok(match format {
        b"c" => Scalar::I8,
        b"C" => Scalar::U8,
        b"s" => Scalar::I16,
        b"S" => Scalar::U16,
        b"i" => Scalar::I32,
        b"I" => Scalar::U32,
        b"l" => Scalar::I64,
        b"L" => Scalar::U64,
        b"e" => Scalar::F16,
        b"f" => Scalar::F32,
        b"g" => Scalar::F64,
        b"b" => return Err(
            "truth values of one bit (in HLSL a `bool` in memory takes four bytes: use `uint32`)"
                .to_owned(),
        ),
        b"+s" => return Err("an Arrow table; pass one of its columns".to_owned()),
        [b't', ..] => {
            return Err("an Arrow array of dates or times; cast it to integers".to_owned());
        }
        other => {
            return Err(format!(
                "an Arrow array of the format `{}`, which is not a plain number",
                String::from_utf8_lossy(other)
            ));
        }
    })
}

/// The values of an Arrow array of numbers, which are never written.
fn numbers(schema: &ArrowSchema, array: &ArrowArray) -> Result<Exported, String> {
    let scalar = scalar_of(schema)?;
    if array.release.is_none() {
        return Err("an Arrow array that has been released".to_owned());
    }
    if array.n_buffers != 2 || array.buffers.is_null() {
        return Err("an invalid Arrow array".to_owned());
    }
    // SAFETY: `buffers` has `n_buffers` elements: of an array of numbers the validity bits and the values.
    let (validity, values) = unsafe { (*array.buffers, *array.buffers.add(1)) };
    if array.null_count > 0 || array.null_count < 0 && !validity.is_null() {
        return Err("an Arrow array with nulls; fill them first".to_owned());
    }
    let (Ok(length), Ok(offset)) = (usize::try_from(array.length), usize::try_from(array.offset))
    else {
        return Err("an invalid Arrow array".to_owned());
    };
    let start = values.cast::<u8>().wrapping_add(offset.saturating_mul(scalar.bytes())).cast_mut();
    let len = length.saturating_mul(scalar.bytes());
    let (element, shape) = (Layout::uniform(scalar, 1), vec![length]);
    Ok(Exported { start, len, read_only: true, element, shape })
}
