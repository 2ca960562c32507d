//! The contents of a buffer for people: members by name, matrices by rows, and numbers in the base that
//! `--print` asks for.

use wavelane::{Layout, Member, Scalar};

use crate::number;
use values::member::{described, type_of};

/// How the numbers of a buffer are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Base {
    #[default]
    Decimal,
    Hexadecimal,
    Binary,
    /// A set of lanes, from lane 0 on: `#` for those in it.
    Mask,
}

impl Base {
    /// `NAME`, or `NAME:BASE`.
    pub(super) fn split(text: &str) -> Result<(&str, Base), String> {
        // Names may contain colons: `Space::Name`.
        let Some((name, word)) = text.rsplit_once(':').filter(|it| !it.0.ends_with(':')) else {
            return Ok((text, Base::Decimal));
        };
        let base = match word {
            "x" => Base::Hexadecimal,
            "b" => Base::Binary,
            "mask" => Base::Mask,
            _ => {
                return Err(format!(
                    "`{word}` is not a base; they are x (hexadecimal), b (binary) and mask (lanes)"
                ));
            }
        };
        Ok((name, base))
    }
}

/// How the elements of a buffer are shown.
pub(super) struct Person<'a> {
    pub(super) layout: &'a Layout,
    pub(super) members: &'a [Member],
    pub(super) base: Base,
    /// The lanes of the widest wave that left these contents.
    pub(super) lanes: u32,
}

impl Person<'_> {
    /// Whether an element is neither a number nor a vector.
    pub(super) fn has_parts(&self) -> bool {
        match self.members {
            [] => false,
            [member] => !member.name.is_empty() || member.vectors > 1 || !member.dims.is_empty(),
            _ => true,
        }
    }

    /// What one element is, such as `float2x3` or `{uint key, float value}`.
    pub(super) fn ty(&self) -> String {
        const MOST: usize = 8;
        if let [member] = self.members
            && member.name.is_empty()
        {
            return type_of(member);
        }
        let mut members: Vec<String> = self.members.iter().take(MOST).map(described).collect();
        if self.members.len() > MOST {
            members.push("…".to_owned());
        }
        format!("{{{}}}", members.join(", "))
    }

    /// The parts of an element: `name = value` for each member.
    pub(super) fn parts(&self, element: &[u8]) -> Vec<String> {
        let part = |member: &Member| {
            let value = self.member(member, element);
            match member.name.as_str() {
                "" => value,
                name => format!("{name} = {value}"),
            }
        };
        self.members.iter().map(part).collect()
    }

    fn member(&self, member: &Member, element: &[u8]) -> String {
        let scalar = Scalar::from(member.scalar);
        // Only the start of a large array is shown.
        const MOST: usize = 256;
        let Some(offsets) = Layout::offsets_of(member, &[]) else { return "…".to_owned() };
        let fitting = offsets.iter().take(MOST);
        let cells: Vec<String> = fitting
            .filter_map(|at| element.get(*at..).filter(|it| it.len() >= scalar.bytes()))
            .map(|bytes| self.number(number::read(bytes, scalar), scalar))
            .collect();
        let (rows, columns) = match member.row_major {
            true => (member.vectors, member.components),
            false => (member.components, member.vectors),
        };
        let is_matrix = member.vectors > 1;
        let each = (rows * columns).max(1) as usize;
        let value = |cells: &[String]| match is_matrix {
            true => {
                let rows: Vec<String> =
                    cells.chunks(columns.max(1) as usize).map(|it| it.join(" ")).collect();
                format!("[{}]", rows.join("; "))
            }
            false => cells.join(" "),
        };
        let is_array = !member.dims.is_empty();
        let mut values: Vec<String> = cells.chunks(each).map(value).collect();
        if is_array && each > 1 && !is_matrix {
            values.iter_mut().for_each(|it| *it = format!("({it})"));
        }
        if offsets.len() > MOST {
            values.push("…".to_owned());
        }
        values.join(", ")
    }

    /// The cells of all elements, in memory order.
    pub(super) fn cells(&self, bytes: &[u8]) -> Vec<String> {
        let all = || scalars(self.layout, bytes);
        if self.base != Base::Mask {
            return all().map(|(bits, scalar)| self.number(bits, scalar)).collect();
        }
        // The numbers of an element are one set.
        let each = self.layout.scalars.len();
        let strips: Vec<String> = all().map(|(bits, scalar)| strip(bits, scalar)).collect();
        let strips: Vec<String> = strips.chunks(each).map(<[String]>::concat).collect();
        let used = strips.iter().filter_map(|it| it.rfind('#')).map(|it| it + 1).max();
        let shown = used.unwrap_or(0).max(self.lanes as usize);
        strips.iter().map(|it| it[..shown.min(it.len())].to_owned()).collect()
    }

    fn number(&self, bits: u64, scalar: Scalar) -> String {
        let size = scalar.bytes();
        match self.base {
            Base::Decimal => number::text(bits, scalar),
            Base::Hexadecimal => format!("0x{bits:0digits$x}", digits = 2 * size),
            Base::Binary => format!("0b{bits:0digits$b}", digits = 8 * size),
            Base::Mask => {
                let strip = strip(bits, scalar);
                let shown = strip.rfind('#').map_or(0, |it| it + 1).max(self.lanes as usize);
                strip[..shown.min(strip.len())].to_owned()
            }
        }
    }
}

/// The bits from the lowest up.
fn strip(bits: u64, scalar: Scalar) -> String {
    (0..8 * scalar.bytes()).map(|bit| if bits >> bit & 1 == 1 { '#' } else { '.' }).collect()
}

/// The scalars of whole elements in memory order.
pub(super) fn scalars<'a>(
    layout: &'a Layout,
    bytes: &'a [u8],
) -> impl Iterator<Item = (u64, Scalar)> + 'a {
    bytes.chunks_exact(layout.stride).flat_map(move |element| {
        layout
            .scalars
            .iter()
            .map(move |(offset, scalar)| (number::read(&element[*offset..], *scalar), *scalar))
    })
}
