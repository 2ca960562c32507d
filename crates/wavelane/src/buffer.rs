//! Buffers, textures and samplers, which the host creates, writes and reads.
//!
//! A [`Buffer`] and a [`Texture`] are handles: a copy of the handle is the same buffer, and what a dispatch writes is
//! visible through every handle. The contents are in a cell behind an `Arc` and a lock, which a dispatch holds while it
//! runs, so that a host that reads meanwhile waits for its end. On a GPU the contents stay on the device until they are
//! read.

use std::fmt;
use std::sync::Arc;

use ir::exec::{Bytes, ElementFormat, Failure, Lender, What};
use ops::texture::{Sampler, Shape};

use crate::memory::{Cell, Slot};
use crate::plain;
use crate::{Layout, Plain};

/// A buffer: what structured, typed and byte-address buffers and constant buffers are bound to.
///
/// ```
/// use wavelane::Buffer;
///
/// let squares = Buffer::from_slice(&[1u32, 4, 9]);
/// let same = squares.clone();
/// squares.write(&[16u32, 25, 36])?;
/// assert_eq!(same.read::<u32>()?, [16, 25, 36]);
/// let error = squares.read::<f32>().unwrap_err();
/// assert_eq!(error.to_string(), "the buffer was created from `u32`, not `f32`; read its bytes to reinterpret them");
/// # Ok::<(), wavelane::BufferError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Buffer {
    pub(crate) cell: Arc<Cell>,
}

impl Buffer {
    /// A buffer that holds these values.
    pub fn from_slice<T: Plain>(values: &[T]) -> Buffer {
        Buffer::holding::<T>(plain::to_bytes(values))
    }

    /// A buffer of `len` values, all of them 0.
    pub fn zeroed<T: Plain>(count: usize) -> Buffer {
        Buffer::holding::<T>(vec![0; count * T::SIZE])
    }

    /// A buffer of bytes, which have whatever type the shader declares.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Buffer {
        Buffer::of(bytes.into().into())
    }

    /// A buffer in the host's memory, which is not copied: the engines on the host read and write it in place, and what
    /// a GPU writes is copied there when the host reads the buffer. The owner of the memory is dropped with the last
    /// handle.
    ///
    /// ```
    /// use wavelane::Buffer;
    ///
    /// let memory: Box<[u8]> = Box::new([1, 0, 0, 0, 4, 0, 0, 0]);
    /// let buffer = Buffer::lend(memory);
    /// assert_eq!(buffer.read::<u32>()?, [1, 4]);
    /// # Ok::<(), wavelane::BufferError>(())
    /// ```
    pub fn lend(memory: impl Lender) -> Buffer {
        Buffer::of(Bytes::lent(memory))
    }

    /// The same for memory that must not be written: it can be bound to the resources that no shader writes.
    pub fn lend_read_only(memory: impl AsRef<[u8]> + Send + Sync + 'static) -> Buffer {
        Buffer::of(Bytes::lent_read_only(memory))
    }

    fn of(bytes: Bytes) -> Buffer {
        Buffer { cell: Cell::new(Slot::new(bytes), None) }
    }

    fn holding<T: Plain>(bytes: Vec<u8>) -> Buffer {
        let slot = Slot::new(bytes);
        Buffer { cell: Cell::new(slot, Some(plain::layout::<T>())) }
    }

    /// A copy of the buffer whose texels have that format, for a typed buffer that declares a different one.
    pub fn with_format(self, format: ElementFormat) -> Result<Buffer, BufferError> {
        let mut slot = self.cell.lock().host()?.clone();
        let counter = slot.what.counter().unwrap_or(0);
        slot.what = What::Memory { format: Some(format), counter };
        Ok(Buffer { cell: Cell::new(slot, self.cell.element.clone()) })
    }

    /// The size in bytes.
    #[allow(clippy::len_without_is_empty, reason = "it is a size in bytes")]
    pub fn len(&self) -> usize {
        self.cell.lock().shape().bytes.len()
    }

    /// Reads the values. The type must be the one that the buffer was created from, and its size a multiple of the
    /// type's.
    pub fn read<T: Plain>(&self) -> Result<Vec<T>, BufferError> {
        read(&self.cell, self.cell.element.as_ref())
    }

    /// Reads the bytes.
    pub fn read_bytes(&self) -> Result<Vec<u8>, BufferError> {
        Ok(self.cell.lock().host()?.bytes.to_vec())
    }

    /// Replaces the values with the same number of new ones.
    pub fn write<T: Plain>(&self, values: &[T]) -> Result<(), BufferError> {
        write(&self.cell, self.cell.element.as_ref(), values)
    }

    /// The hidden counter of a structured buffer.
    pub fn counter(&self) -> Result<u32, BufferError> {
        Ok(self.cell.lock().host()?.what.counter().unwrap_or(0))
    }

    /// Sets the hidden counter.
    pub fn set_counter(&self, counter: u32) -> Result<(), BufferError> {
        if let Some(it) = self.cell.lock().host_mut()?.what.counter_mut() {
            *it = counter;
        }
        Ok(())
    }

    /// A new buffer with the same contents.
    pub fn duplicate(&self) -> Result<Buffer, BufferError> {
        Ok(Buffer { cell: self.cell.duplicate()? })
    }
}

/// A texture: texels of a format, with a size, layers, levels and samples.
///
/// ```
/// use wavelane::texture::{Format, Shape};
/// use wavelane::Texture;
///
/// let shape = Shape::new(Format::parse("RG16_UINT").unwrap(), 2, 1, 1);
/// let texture = Texture::from_slice(shape, &[[1u16, 2], [3, 4]])?;
/// assert_eq!(texture.read::<[u16; 2]>()?, [[1, 2], [3, 4]]);
/// # Ok::<(), wavelane::BufferError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Texture {
    pub(crate) cell: Arc<Cell>,
}

impl Texture {
    /// A texture of that shape, whose texels are 0.
    pub fn new(shape: Shape) -> Result<Texture, BufferError> {
        let bytes = shape.bytes().ok_or(BufferError::Shape)?;
        Texture::from_bytes(shape, vec![0; bytes])
    }

    /// A texture of that shape with these values, in the order of the texels: layer by layer, within a layer level by
    /// level, within a level row by row.
    pub fn from_slice<T: Plain>(shape: Shape, values: &[T]) -> Result<Texture, BufferError> {
        check(Some(&Layout::of_texel(shape.format)), &plain::layout::<T>())?;
        Texture::from_bytes(shape, plain::to_bytes(values))
    }

    /// The same from bytes.
    pub fn from_bytes(shape: Shape, bytes: impl Into<Vec<u8>>) -> Result<Texture, BufferError> {
        Texture::of(shape, bytes.into().into())
    }

    /// A texture in the host's memory, which is not copied: see [`Buffer::lend`].
    pub fn lend(shape: Shape, memory: impl Lender) -> Result<Texture, BufferError> {
        Texture::of(shape, Bytes::lent(memory))
    }

    /// The same for memory that must not be written.
    pub fn lend_read_only(
        shape: Shape,
        memory: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Texture, BufferError> {
        Texture::of(shape, Bytes::lent_read_only(memory))
    }

    fn of(shape: Shape, bytes: Bytes) -> Result<Texture, BufferError> {
        let needs = shape.bytes().ok_or(BufferError::Shape)?;
        if bytes.len() != needs {
            return Err(BufferError::Length { bytes: bytes.len(), needs });
        }
        let slot = Slot { bytes, what: What::texture_of(shape) };
        Ok(Texture { cell: Cell::new(slot, Some(Layout::of_texel(shape.format))) })
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        match self.cell.lock().shape().what.texture() {
            Some(shape) => shape,
            None => unreachable!("a texture is created with its shape"),
        }
    }

    /// Reads the values of its texels, in the order of [`Texture::from_slice`].
    pub fn read<T: Plain>(&self) -> Result<Vec<T>, BufferError> {
        read(&self.cell, self.cell.element.as_ref())
    }

    /// Reads the bytes.
    pub fn read_bytes(&self) -> Result<Vec<u8>, BufferError> {
        Ok(self.cell.lock().host()?.bytes.to_vec())
    }

    /// Replaces the values of its texels with the same number of new ones.
    pub fn write<T: Plain>(&self, values: &[T]) -> Result<(), BufferError> {
        write(&self.cell, self.cell.element.as_ref(), values)
    }

    /// A new texture with the same contents.
    pub fn duplicate(&self) -> Result<Texture, BufferError> {
        Ok(Texture { cell: self.cell.duplicate()? })
    }
}

fn read<T: Plain>(cell: &Cell, element: Option<&Layout>) -> Result<Vec<T>, BufferError> {
    check(element, &plain::layout::<T>())?;
    let mut state = cell.lock();
    let bytes = &state.host()?.bytes;
    if !bytes.len().is_multiple_of(T::SIZE.max(1)) {
        return Err(BufferError::Size { bytes: bytes.len(), element: T::SIZE });
    }
    Ok(plain::from_bytes(bytes))
}

fn write<T: Plain>(cell: &Cell, element: Option<&Layout>, values: &[T]) -> Result<(), BufferError> {
    check(element, &plain::layout::<T>())?;
    let mut state = cell.lock();
    let needs = state.shape().bytes.len();
    let bytes = plain::to_bytes(values);
    if bytes.len() != needs {
        return Err(BufferError::Length { bytes: bytes.len(), needs });
    }
    state.host_mut()?.bytes.replace(bytes);
    Ok(())
}

fn check(made_of: Option<&Layout>, asked: &Layout) -> Result<(), BufferError> {
    match made_of {
        Some(made_of) if !plain::tiles(made_of, asked) => {
            Err(BufferError::Type { made_of: made_of.to_string(), asked: asked.to_string() })
        }
        _ => Ok(()),
    }
}

/// Why a buffer or a texture cannot be made, read or written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BufferError {
    /// It holds values of another type.
    Type {
        /// The type that the buffer was created from.
        made_of: String,
        /// The requested type.
        asked: String,
    },
    /// Its size is not a multiple of the type's.
    Size {
        /// The size of the buffer.
        bytes: usize,
        /// The size of the type.
        element: usize,
    },
    /// The contents have the wrong number of bytes.
    Length {
        /// The number that was given.
        bytes: usize,
        /// The number that is needed.
        needs: usize,
    },
    /// No texture has that shape.
    Shape,
    /// The contents are on a device and cannot be read back.
    Device(Failure),
}

impl From<Failure> for BufferError {
    fn from(failure: Failure) -> BufferError {
        BufferError::Device(failure)
    }
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BufferError::Type { made_of, asked } => write!(
                f,
                "the buffer was created from `{made_of}`, not `{asked}`; read its bytes to reinterpret them"
            ),
            BufferError::Size { bytes, element } => {
                write!(f, "{bytes} bytes is not a multiple of the element size, {element} bytes")
            }
            BufferError::Length { bytes, needs } => {
                write!(f, "expected {needs} bytes of contents, got {bytes}")
            }
            BufferError::Shape => {
                write!(
                    f,
                    "no texture has that shape: every size is at least 1, and the last level is 1×1×1 at most"
                )
            }
            BufferError::Device(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for BufferError {}

/// What can be bound to a resource: a [`Buffer`], a [`Texture`], a [`Sampler`] or a
/// [`TopLevel`](crate::rays::TopLevel).
#[derive(Clone, Debug)]
pub struct Bindable {
    pub(crate) cell: Arc<Cell>,
}

impl From<&Buffer> for Bindable {
    fn from(buffer: &Buffer) -> Bindable {
        Bindable { cell: buffer.cell.clone() }
    }
}

impl From<Buffer> for Bindable {
    fn from(buffer: Buffer) -> Bindable {
        Bindable { cell: buffer.cell }
    }
}

impl From<&Texture> for Bindable {
    fn from(texture: &Texture) -> Bindable {
        Bindable { cell: texture.cell.clone() }
    }
}

impl From<Texture> for Bindable {
    fn from(texture: Texture) -> Bindable {
        Bindable { cell: texture.cell }
    }
}

impl From<Sampler> for Bindable {
    fn from(sampler: Sampler) -> Bindable {
        Bindable::from(Slot::from(What::Sampler(sampler)))
    }
}

impl From<&Sampler> for Bindable {
    fn from(sampler: &Sampler) -> Bindable {
        Bindable::from(*sampler)
    }
}

/// For the internal code, which treats everything that is bound alike.
impl From<Slot> for Bindable {
    fn from(slot: Slot) -> Bindable {
        Bindable { cell: Cell::new(slot, None) }
    }
}
