//! From a VALUE to the bytes of a buffer, as the resource declares them.

use ir::exec::{Buffer, ElementFormat, FormatScalar, What};
use ir::{AddressKind, Contents, Element, HostScalar, Norm, Resource, ResourceKind};

use crate::value::{Content, Value, counted};
use crate::{Layout, MOST_BYTES, Scalar, number};

/// The buffer for a resource from a value, and for raw buffers the type in which to print it.
pub fn contents(resource: &Resource, value: Value) -> Result<(Buffer, Option<Scalar>), String> {
    let kind = &resource.kind;
    let view = kind.view();
    let (layout, format, shown) = match (view.contents, view.element, value.scalar) {
        (Contents::Buffer, _, given) if view.address == AddressKind::Byte => {
            (Layout::uniform(given.unwrap_or(Scalar::U32), 1), None, given)
        }
        (Contents::Buffer, Some(element), Some(given)) => {
            let scalar = format(&element, given)?;
            let format = ElementFormat { scalar, components: element.components };
            (Layout::of(kind, Some(format)), Some(format), None)
        }
        (Contents::Buffer | Contents::Constants, _, Some(given)) => {
            (Layout::uniform(given, 1), None, None)
        }
        (
            Contents::Texture | Contents::Sampler | Contents::Scene | Contents::Feedback,
            _,
            Some(_),
        ) => unreachable!("what is not a buffer is bound elsewhere"),
        (_, _, None) => (Layout::of(kind, None), None, None),
    };
    let least = view.size as usize;
    let mut bytes = match value.content {
        Content::Bytes(bytes) => bytes,
        _ => fill(&resource.name, kind, &layout, &value)?,
    };
    bytes.resize(bytes.len().max(least), 0);
    Ok((Buffer { bytes: bytes.into(), what: What::Memory { format, counter: 0 } }, shown))
}

fn fill(
    name: &str,
    kind: &ResourceKind,
    layout: &Layout,
    value: &Value,
) -> Result<Vec<u8>, String> {
    let each = layout.scalars.len();
    let count = match (value.count, value.given()) {
        // With a type in the value the brackets count scalars, otherwise elements of the declaration.
        (Some(count), _) if value.scalar.is_some() => count,
        (Some(count), _) => count.checked_mul(each).ok_or("it is too large")?,
        (None, Some(given)) => given,
        (None, None) if matches!(kind, ResourceKind::Constant { .. }) => each,
        (None, None) => {
            return Err(format!(
                "its size is not known; give the number of elements, as in `{name}=[64]:…`"
            ));
        }
    };
    if count % each != 0 {
        return Err(format!(
            "{} do not fill whole elements of {each} scalars",
            counted(count, "value")
        ));
    }
    let size = (count / each).checked_mul(layout.stride).filter(|it| *it <= MOST_BYTES);
    let size = size.ok_or_else(|| format!("it is too large; the limit is {MOST_BYTES} bytes"))?;
    let mut bytes = vec![0; size];
    value.for_each_scalar(
        count,
        |i| layout.scalars[i % each].1,
        |i, bits| {
            let (offset, scalar) = layout.scalars[i % each];
            number::write(bits, scalar, &mut bytes[i / each * layout.stride + offset..]);
        },
    )?;
    Ok(bytes)
}

/// The format of a typed buffer with that type in memory.
fn format(element: &Element, given: Scalar) -> Result<FormatScalar, String> {
    let is_float = matches!(element.scalar, HostScalar::F16 | HostScalar::F32 | HostScalar::F64);
    let format = match (is_float, element.norm, given) {
        (true, _, Scalar::F16) => FormatScalar::Float16,
        (true, _, Scalar::F32) => FormatScalar::Float32,
        (true, _, Scalar::F64) => FormatScalar::Float64,
        (true, Norm::Unorm, Scalar::U8) => FormatScalar::Unorm8,
        (true, Norm::Unorm, Scalar::U16) => FormatScalar::Unorm16,
        (true, Norm::Snorm, Scalar::I8) => FormatScalar::Snorm8,
        (true, Norm::Snorm, Scalar::I16) => FormatScalar::Snorm16,
        (false, _, Scalar::I8) => FormatScalar::Int8,
        (false, _, Scalar::I16) => FormatScalar::Int16,
        (false, _, Scalar::I32) => FormatScalar::Int32,
        (false, _, Scalar::I64) => FormatScalar::Int64,
        (false, _, Scalar::U8) => FormatScalar::Uint8,
        (false, _, Scalar::U16) => FormatScalar::Uint16,
        (false, _, Scalar::Bool | Scalar::U32) => FormatScalar::Uint32,
        (false, _, Scalar::U64) => FormatScalar::Uint64,
        (true, _, _) => {
            return Err(format!(
                "a typed buffer of floats has no format of {}; declared as `unorm` it takes u8 and u16, as `snorm` i8 and i16",
                given.name()
            ));
        }
        (false, _, _) => {
            return Err(format!("a typed buffer of integers has no format of {}", given.name()));
        }
    };
    Ok(format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;
    use ir::Member;

    fn structured(members: Vec<Member>, stride: u32) -> Resource {
        let kind = ResourceKind::Structured { writable: true, stride, members, counter: false };
        resource(kind)
    }

    fn resource(kind: ResourceKind) -> Resource {
        let register = ir::Register { class: ir::RegisterClass::Unordered, index: 0, space: 0 };
        Resource {
            name: "Data".to_owned(),
            kind,
            count: Some(1),
            register,
            chosen: Default::default(),
            globally_coherent: false,
            alias_of: None,
            used: true,
            span: ir::Span::NONE,
        }
    }

    fn member(name: &str, offset: u32, scalar: HostScalar, components: u32) -> Member {
        let name = name.to_owned();
        Member {
            name,
            offset,
            scalar,
            components,
            vectors: 1,
            vector_stride: 0,
            row_major: false,
            dims: Vec::new(),
        }
    }

    fn bytes(resource: &Resource, text: &str) -> Result<Vec<u8>, String> {
        let value = value::parse(text, &mut |_| Ok(vec![1, 2, 3, 4]))?;
        contents(resource, value).map(|(buffer, _)| buffer.bytes.to_vec())
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    #[test]
    fn the_declaration_determines_types_and_sizes() {
        let floats = structured(vec![member("", 0, HostScalar::F32, 1)], 4);
        assert_eq!(bytes(&floats, "1,2"), Ok(words(&[0x3f80_0000, 0x4000_0000])));
        assert_eq!(bytes(&floats, "[2]:fill(1)"), Ok(words(&[0x3f80_0000; 2])));
        assert_eq!(bytes(&floats, "u32:1"), Ok(words(&[1])));
        assert_eq!(bytes(&floats, "@x.bin"), Ok(vec![1, 2, 3, 4]));
        let message = bytes(&floats, ":fill(1)").unwrap_err();
        assert!(message.contains("`Data=[64]:…`"), "{message}");
        assert!(bytes(&floats, "[999999999]").unwrap_err().contains("too large"));
    }

    #[test]
    fn structures_take_flat_lists_by_their_members() {
        let members =
            vec![member("p", 0, HostScalar::F32, 2), member("id", 12, HostScalar::U32, 1)];
        let structures = structured(members, 16);
        let expected = words(&[0x3f80_0000, 0x4000_0000, 0, 3, 0, 0, 0, 4]);
        assert_eq!(bytes(&structures, "1,2,3,0,0,4"), Ok(expected));
        assert_eq!(bytes(&structures, "[2]").map(|it| it.len()), Ok(32));
        assert!(bytes(&structures, "1,2").unwrap_err().contains("do not fill whole elements"));
        assert!(bytes(&structures, "1,2,3.5").unwrap_err().contains("`3.5` is not a valid u32"));
    }

    #[test]
    fn raw_buffers_take_every_type_and_typed_buffers_formats() {
        let raw = resource(ResourceKind::Raw { writable: true });
        assert_eq!(bytes(&raw, "1"), Ok(words(&[1])));
        assert_eq!(bytes(&raw, "u8:1,2,3,4"), Ok(vec![1, 2, 3, 4]));
        let element = Element { scalar: HostScalar::F32, components: 4, norm: Norm::Unorm };
        let typed = resource(ResourceKind::Typed { writable: false, element });
        let value = value::parse("u8:0,255,0,255", &mut |_| Err(String::new())).unwrap();
        let (buffer, _) = contents(&typed, value).unwrap();
        assert_eq!(
            buffer.what.format(),
            Some(ElementFormat { scalar: FormatScalar::Unorm8, components: 4 })
        );
        assert!(bytes(&typed, "u32:0,0,0,0").unwrap_err().contains("no format of u32"));
    }
}
