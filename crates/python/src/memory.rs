//! Memory of Python objects: found by whichever protocol the object has, and lent to a buffer in place.
//!
//! The owner is kept beside the table that uses the memory, and not in the buffer: giving it back needs the
//! interpreter's lock, which is not held while a shader runs.
//! Python has no rules about who may write while others read. A run that shares memory with another thread races with
//! it, as two NumPy functions do.

use std::ptr::NonNull;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyMemoryView, PyTuple};
use wavelane::texture::Shape;
use wavelane::{Borrowed, Buffer, BufferError, Layout, Texture};

use crate::dtype;
use crate::foreign::{self, Chunk, Exported};

/// The memory of an argument, with whatever keeps it alive.
pub(crate) struct Memory {
    start: NonNull<u8>,
    len: usize,
    read_only: bool,
    element: Layout,
    shape: Vec<usize>,
    _owner: Owner,
}

/// Keeps memory alive, and where it is.
#[allow(dead_code, reason = "its purpose is to be dropped last")]
enum Owner {
    Export(PyUntypedBuffer),
    Capsules(Vec<Py<PyAny>>),
    Chunk(Chunk),
}

// SAFETY: the address is only used through `Borrowed`; Python code that shares the memory with other threads has to
// prevent races.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// The memory of an object; `None` if it has none. The error is what kind of memory it is that cannot be used.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Result<Option<Memory>, String>> {
        // Some exporters, such as `ctypes`, give no strides; a `memoryview` computes them.
        let export = PyUntypedBuffer::get(object)
            .or_else(|_| PyUntypedBuffer::get(PyMemoryView::from(object)?.as_any()));
        if let Ok(export) = export {
            return Ok(Memory::of_export(export).map(Some));
        }
        match Memory::of_protocol(object) {
            // What an exporter says about its own values, such as that it has no way to export dates.
            Err(error) if error.is_instance_of::<PyException>(object.py()) => {
                Ok(Err(format!("an object that exports no memory: {}", error.value(object.py()))))
            }
            found => found,
        }
    }

    /// The memory of an object that exports it in capsules.
    fn of_protocol(object: &Bound<'_, PyAny>) -> PyResult<Result<Option<Memory>, String>> {
        if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?;
            let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            let (schema, array) =
                (schema.cast_into::<PyCapsule>()?, array.cast_into::<PyCapsule>()?);
            let exported = foreign::arrow(&schema, &array);
            let owner =
                Owner::Capsules(vec![schema.into_any().unbind(), array.into_any().unbind()]);
            return Ok(exported.map(|it| Some(Memory::exported(it, owner))));
        }
        if object.hasattr("__dlpack__")? {
            return Memory::of_dlpack(object);
        }
        if object.hasattr("__arrow_c_stream__")? {
            let stream = object.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
            let chunk = foreign::only_chunk(&stream);
            return Ok(chunk.map(|(it, chunk)| Some(Memory::exported(it, Owner::Chunk(chunk)))));
        }
        Ok(Ok(None))
    }

    fn of_dlpack(object: &Bound<'_, PyAny>) -> PyResult<Result<Option<Memory>, String>> {
        let (device, _): (i32, i32) = object.call_method0("__dlpack_device__")?.extract()?;
        if device != foreign::HOST {
            let name = foreign::device_name(device);
            return Ok(Err(format!("memory of {name}; copy it to the host first")));
        }
        let keywords = PyDict::new(object.py());
        keywords.set_item("max_version", (1, 0))?;
        let capsule =
            match object.call_method("__dlpack__", PyTuple::empty(object.py()), Some(&keywords)) {
                Ok(capsule) => capsule,
                // Exporters before version 1.0 take no such argument.
                Err(error)
                    if error.is_instance_of::<pyo3::exceptions::PyTypeError>(object.py()) =>
                {
                    object.call_method0("__dlpack__")?
                }
                Err(error) => return Err(error),
            };
        let capsule = capsule.cast_into::<PyCapsule>()?;
        let exported = foreign::dlpack(&capsule);
        let owner = Owner::Capsules(vec![capsule.into_any().unbind()]);
        Ok(exported.map(|it| Some(Memory::exported(it, owner))))
    }

    fn of_export(export: PyUntypedBuffer) -> Result<Memory, String> {
        if !export.is_c_contiguous() {
            return Err("an array that is not contiguous; use `np.ascontiguousarray`".to_owned());
        }
        let format = export.format().to_string_lossy().into_owned();
        let element = dtype::parse(&format, export.item_size())?;
        let start = export.buf_ptr().cast();
        let (len, read_only) = (export.len_bytes(), export.readonly());
        let shape = export.shape().to_vec();
        let exported = Exported { start, len, read_only, element, shape };
        Ok(Memory::exported(exported, Owner::Export(export)))
    }

    fn exported(exported: Exported, owner: Owner) -> Memory {
        let Exported { start, len, read_only, element, shape } = exported;
        // An empty array may have any address, also none.
        let (start, len) =
            NonNull::new(start).map_or((NonNull::dangling(), 0), |start| (start, len));
        Memory { start, len, read_only, element, shape, _owner: owner }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// The type of its elements.
    pub(crate) fn element(&self) -> &Layout {
        &self.element
    }

    /// The elements on each axis, the outermost first.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(crate) fn is_aligned(&self, size: usize) -> bool {
        self.len == 0 || self.start.as_ptr().addr().is_multiple_of(size)
    }

    pub(crate) fn overlaps(&self, other: &Memory) -> bool {
        let range = |it: &Memory| (it.start.as_ptr().addr(), it.start.as_ptr().addr() + it.len);
        let ((a, a_end), (b, b_end)) = (range(self), range(other));
        a < b_end && b < a_end && self.len > 0 && other.len > 0
    }

    /// A buffer in this memory. The caller drops the buffer before the memory.
    pub(crate) fn buffer(&self, is_written: bool) -> Buffer {
        let memory = self.lent();
        if is_written { Buffer::lend(memory) } else { Buffer::lend_read_only(memory) }
    }

    /// A texture in this memory, which the caller drops first too.
    pub(crate) fn texture(&self, shape: Shape, is_written: bool) -> Result<Texture, BufferError> {
        let memory = self.lent();
        if is_written {
            Texture::lend(shape, memory)
        } else {
            Texture::lend_read_only(shape, memory)
        }
    }

    fn lent(&self) -> Borrowed {
        // SAFETY: the owner beside the address keeps the memory, and outlives what the caller makes of it; the exporter
        // allows writing where the shader may write, and arguments that overlap there are refused.
        unsafe { Borrowed::new(self.start.as_ptr(), self.len) }
    }
}
