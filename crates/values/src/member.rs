//! The MEMBER of `--set`: finds a member of a constant buffer by its path, and writes a value to it.

use ir::{Member, Resource, ResourceKind};

use crate::value::{Value, counted};
use crate::{Layout, Scalar, number};

/// A member, or an element of one.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    pub resource: &'a Resource,
    /// The element of a resource array.
    pub element: u32,
    pub member: &'a Member,
    /// Indices into the member's array.
    pub indices: Vec<u32>,
    /// Whether the entry point reaches the resource.
    pub is_reached: bool,
}

/// Why a path names no member.
#[derive(Clone, Debug)]
pub enum NotFound<'a> {
    /// It is not a path.
    NoPath,
    /// It names a resource that has no members.
    Whole(&'a Resource),
    /// No member has this name; there are members of the others.
    Unknown { name: String, known: Vec<&'a str> },
    /// Several members have this name; these are their full names.
    Ambiguous(Vec<String>),
}

/// Finds a member among the resources that an entry point reaches, and otherwise among the others that the text
/// declares.
pub fn find<'a>(
    path: &str,
    reached: &'a [Resource],
    unreached: &'a [Resource],
) -> Result<Target<'a>, NotFound<'a>> {
    let (name, mut indices) = plain(path).ok_or(NotFound::NoPath)?;
    let full = |resource: &Resource, member: &Member| format!("{}.{}", resource.name, member.name);
    let is_meant = |(resource, member): &(&Resource, &Member)| {
        member.name == name || full(resource, member) == name
    };
    let mut fitting: Vec<(&Resource, &Member)> = members(reached).filter(is_meant).collect();
    let is_reached = !fitting.is_empty();
    if !is_reached {
        fitting = members(unreached).filter(is_meant).collect();
    }
    match fitting.as_slice() {
        [(resource, member)] => {
            let is_array = resource.count != Some(1);
            let by_object = full(resource, member) == name && member.name != name;
            let element =
                if is_array && by_object && !indices.is_empty() { indices.remove(0) } else { 0 };
            Ok(Target { resource, element, member, indices, is_reached })
        }
        [] => Err(match reached.iter().find(|it| it.name == name) {
            Some(resource) => NotFound::Whole(resource),
            None => {
                let all = members(reached).chain(members(unreached));
                NotFound::Unknown { name, known: all.map(|(_, it)| it.name.as_str()).collect() }
            }
        }),
        several => {
            let names = several.iter().map(|(resource, member)| full(resource, member));
            Err(NotFound::Ambiguous(names.collect()))
        }
    }
}

fn members(resources: &[Resource]) -> impl Iterator<Item = (&Resource, &Member)> {
    resources.iter().flat_map(|resource| {
        let members = match &resource.kind {
            ResourceKind::Constant { members, .. } => members.as_slice(),
            _ => &[],
        };
        members.iter().map(move |it| (resource, it))
    })
}

impl Target<'_> {
    /// Writes a value to the bytes of the constant buffer.
    pub fn write(&self, value: &Value, bytes: &mut [u8]) -> Result<(), String> {
        let offsets = Layout::offsets_of(self.member, &self.indices)
            .ok_or_else(|| format!("`{}` is out of range", described(self.member)))?;
        let scalar = Scalar::from(self.member.scalar);
        if value.scalar.is_some_and(|it| it != scalar) {
            return Err(format!("the member is a {}", scalar.name()));
        }
        if let Some(count) = value.count.filter(|it| *it != offsets.len()) {
            let (values, scalars) = (counted(count, "value"), counted(offsets.len(), "scalar"));
            return Err(format!("{values} for {scalars}"));
        }
        let write = |i: usize, bits| {
            let to = bytes.get_mut(offsets[i]..).filter(|it| it.len() >= scalar.bytes());
            if let Some(to) = to {
                number::write(bits, scalar, to);
            }
        };
        value
            .for_each_scalar(offsets.len(), |_| scalar, write)
            .map_err(|what| format!("{what}; `{}`", described(self.member)))
    }
}

/// The type of a member in HLSL, such as `float3x4` or `uint[4]`.
pub fn type_of(member: &Member) -> String {
    let scalar = Scalar::from(member.scalar).hlsl_name();
    let shape = match (member.vectors, member.components) {
        (1, 1) => String::new(),
        (1, components) => components.to_string(),
        (vectors, components) if member.row_major => format!("{vectors}x{components}"),
        (vectors, components) => format!("{components}x{vectors}"),
    };
    let dims: String = member.dims.iter().map(|(count, _)| format!("[{count}]")).collect();
    format!("{scalar}{shape}{dims}")
}

/// A member with its type, such as `float3x4 World` or `uint Weights[4]`.
pub fn described(member: &Member) -> String {
    let ty = type_of(member);
    match ty.split_once('[') {
        Some((ty, dims)) => format!("{ty} {}[{dims}", member.name),
        None => format!("{ty} {}", member.name),
    }
}

/// `Lights[1].Color` is the member `Lights.Color` with the index 1.
fn plain(path: &str) -> Option<(String, Vec<u32>)> {
    let mut name = String::new();
    let mut indices = Vec::new();
    for part in path.split('.') {
        let mut pieces = part.split('[');
        let word = pieces.next().unwrap_or("").trim();
        if word.is_empty() {
            return None;
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(word);
        for index in pieces {
            let index = index.trim().strip_suffix(']').and_then(|it| it.trim().parse().ok());
            indices.push(index?);
        }
    }
    Some((name, indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_members_lose_their_indices() {
        assert_eq!(plain("A[1].B[2][3]"), Some(("A.B".to_owned(), vec![1, 2, 3])));
        for bad in ["", ".", "A.", "A[", "A[x]", "A[1", "[1]"] {
            assert!(plain(bad).is_none(), "{bad}");
        }
    }
}
