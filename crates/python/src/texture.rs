//! Textures: what an array is as one, by itself or with the words of a `wavelane.Texture`.

use pyo3::prelude::*;
use wavelane::Element;
use wavelane::internal::texel;
use wavelane::texture::{Dim, Format, Shape};

use crate::error::argument;

/// An array as a texture: `Texture(array, format="RGBA8_UNORM")`. The texels are in the array, which is not copied.
///
/// Without `size` the axes of the array are layers or slices, rows, columns and channels. With `size`, the width,
/// height and depth, the array holds all texels, layer by layer and within a layer level by level.
#[pyclass(frozen, get_all, module = "wavelane")]
pub(crate) struct Texture {
    data: Py<PyAny>,
    /// A format of Direct3D; the shader's own without it.
    format: Option<String>,
    size: Option<Vec<u32>>,
    layers: Option<u32>,
    mips: u32,
    samples: u32,
}

#[pymethods]
impl Texture {
    #[new]
    #[pyo3(signature = (data, *, format = None, size = None, layers = None, mips = 1, samples = 1))]
    fn new(
        data: Py<PyAny>,
        format: Option<String>,
        size: Option<Vec<u32>>,
        layers: Option<u32>,
        mips: u32,
        samples: u32,
    ) -> PyResult<Texture> {
        if let Some(name) = &format
            && Format::parse(name).is_none()
        {
            return Err(argument(format!(
                "`format`: `{name}` is not a texture format; expected one such as `RGBA8_UNORM` or `R32_FLOAT`"
            )));
        }
        if size.as_ref().is_some_and(|it| it.is_empty() || it.len() > 3) {
            return Err(argument("`size`: a texture has one to three axes: width, height, depth"));
        }
        if size.is_none() && (mips != 1 || samples != 1 || layers.is_some()) {
            return Err(argument("`mips`, `samples` and `layers` need `size`"));
        }
        Ok(Texture { data, format, size, layers, mips, samples })
    }

    fn __repr__(&self) -> String {
        format!("<wavelane.Texture {}>", self.format.as_deref().unwrap_or("of the shader's format"))
    }
}

/// The array of a texture, and what is said about it.
pub(crate) struct Texels<'py> {
    texture: Bound<'py, Texture>,
    data: Bound<'py, PyAny>,
}

impl<'py> Texels<'py> {
    /// `None` if the value is an array by itself.
    pub(crate) fn of(value: &Bound<'py, PyAny>) -> PyResult<Option<Texels<'py>>> {
        let Ok(texture) = value.cast::<Texture>() else { return Ok(None) };
        let data = texture.get().data.bind(value.py()).clone();
        Ok(Some(Texels { texture: texture.clone(), data }))
    }

    pub(crate) fn data(&self) -> &Bound<'py, PyAny> {
        &self.data
    }
}

/// The shape of a texture of that dimension and element, in an array with these axes.
pub(crate) fn shape(
    dim: Dim,
    element: &Element,
    texels: Option<&Texels<'_>>,
    axes: &[usize],
) -> Result<Shape, String> {
    let own = || texel::own_format(element);
    let Some(texture) = texels.map(|it| it.texture.get()) else {
        return texel::shape_of_array(own(), dim, axes);
    };
    let format = texture.format.as_deref().and_then(Format::parse).unwrap_or_else(own);
    let Some(size) = &texture.size else { return texel::shape_of_array(format, dim, axes) };
    let axis = |at: usize| size.get(at).copied().unwrap_or(1);
    let usual = if dim == Dim::Cube { 6 } else { 1 };
    Ok(Shape {
        layers: texture.layers.unwrap_or(usual),
        levels: texture.mips,
        samples: texture.samples,
        ..Shape::new(format, axis(0), axis(1), axis(2))
    })
}
