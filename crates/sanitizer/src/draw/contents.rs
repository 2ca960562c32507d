//! The results of a draw, and where two draws differ: buffers by their scalars, targets by their texels.

use ir::exec::Buffer;
use ir::{AddressKind, Binding};
use ops::texture::{Encoding, Format, Texel};
use std::array::from_fn;

use super::{Part, Scene};
use crate::floats::{self, FloatRoom};
use crate::place;

/// The contents of everything that a draw writes.
#[derive(Clone, Debug, Default)]
pub struct Left {
    pub contents: Vec<Content>,
}

/// One buffer, texture or target.
#[derive(Clone, Debug)]
pub struct Content {
    pub name: String,
    pub holder: Holder,
    /// Of a resource, the programs that use it.
    pub users: Vec<(Part, Binding)>,
    pub buffer: Buffer,
}

/// What holds contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// An element of a resource of a program.
    Resource(Part, Binding, u32),
    /// A render target: its number, the format of its texels, and width, height, slices and samples.
    Target(u32, Format, [u32; 4]),
    /// A plane of the depth buffer.
    Depth(Format, [u32; 4]),
}

/// How far contents may differ.
#[derive(Clone, Copy, Debug)]
pub(super) enum Room {
    /// Floats by rounding.
    Floats(FloatRoom),
    /// Results of derivatives, which are approximations.
    Quads,
}

/// Floats that depend on derivatives may differ by this share of the larger one, and a little more.
const QUAD_SHARE: f32 = 0.125;
const QUAD_REST: f32 = 1.0 / 64.0;

/// The first place of a content that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) content: usize,
    pub(super) at: Position,
    /// Of a texel, the channels that differ.
    pub(super) channels: [bool; 4],
    /// Both hold the same elements, in another order.
    pub(super) is_permuted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Byte(u64),
    Counter,
    /// The number of a texel, or sample.
    Texel(usize),
}

impl Left {
    /// The first place that differs, except texels of targets that are close enough, and its values in both, in words.
    fn first_far(
        &self,
        other: &Left,
        is_close: impl Fn(Format, &[u8], &[u8]) -> bool,
    ) -> Option<(String, [String; 2])> {
        let mut pairs = self.contents.iter().zip(&other.contents);
        pairs.find_map(|(a, b)| {
            let at = a.first_far(b, &is_close)?;
            let value = |it: &Content| {
                it.value(at).unwrap_or_else(|| match at {
                    Position::Byte(byte) => it.buffer.bytes[byte as usize].to_string(),
                    Position::Counter | Position::Texel(_) => String::new(),
                })
            };
            let place = match at {
                Position::Counter => format!("the counter of `{}`", a.name),
                Position::Byte(byte) => format!("byte {byte} of `{}`", a.name),
                Position::Texel(_) => a.pixel(at),
            };
            Some((place, [value(a), value(b)]))
        })
    }

    /// The first texel of a target or of the depth buffer that differs by more than there is room for, and that is not
    /// close enough otherwise, and its values.
    pub fn first_far_target(
        &self,
        other: &Left,
        room: Option<FloatRoom>,
        is_close: impl Fn(Format, &[u8], &[u8]) -> bool,
    ) -> Option<(String, [String; 2])> {
        let targets = |it: &Left| {
            let is_target = |it: &&Content| !matches!(it.holder, Holder::Resource(..));
            Left { contents: it.contents.iter().filter(is_target).cloned().collect() }
        };
        targets(self).first_far(&targets(other), |format, a, b| {
            is_close(format, a, b)
                || room.is_some_and(|it| !Room::Floats(it).apart(format, a, b).contains(&true))
        })
    }

    /// The first difference in each content.
    pub(super) fn differences<S: Scene>(
        &self,
        other: &Left,
        room: Room,
        scene: &S,
        is_left_out: impl Fn(&str) -> bool,
    ) -> Vec<Difference> {
        let pairs = self.contents.iter().zip(&other.contents).enumerate();
        let compared = pairs.filter(|(_, (a, _))| !is_left_out(&a.name));
        let found = compared.filter_map(|(content, (a, b))| {
            let at = a.first_difference(b, room, scene)?;
            let (channels, is_permuted) = (a.channels(b, room, at), a.is_permuted(b, scene));
            Some(Difference { content, at, channels, is_permuted })
        });
        found.collect()
    }
}

impl Content {
    /// The first place that differs, except texels that are close enough.
    fn first_far(
        &self,
        other: &Content,
        is_close: impl Fn(Format, &[u8], &[u8]) -> bool,
    ) -> Option<Position> {
        let (a, b) = (&self.buffer.bytes, &other.buffer.bytes);
        let found = match self.holder {
            Holder::Target(_, format, _) | Holder::Depth(format, _) => {
                let size = format.bytes();
                let mut texels = a.chunks_exact(size).zip(b.chunks_exact(size));
                let is_far = |(a, b): (&[u8], &[u8])| a != b && !is_close(format, a, b);
                texels.position(is_far).map(Position::Texel)
            }
            Holder::Resource(..) => {
                let byte = a.iter().zip(b).position(|(a, b)| a != b);
                byte.map(|it| Position::Byte(it as u64))
            }
        };
        found.or((self.buffer.what.counter() != other.buffer.what.counter())
            .then_some(Position::Counter))
    }

    /// A pixel in words.
    fn pixel(&self, at: Position) -> String {
        let name = &self.name;
        let Some(([x, y], layer, sample)) = self.texel(at) else { return name.clone() };
        let mut text = format!("pixel ({x}, {y})");
        if let Some(sample) = sample {
            text = format!("sample {sample} of {text}");
        }
        if layer > 0 {
            text.push_str(&format!(" of slice {layer}"));
        }
        format!("{text} of `{name}`")
    }

    fn first_difference<S: Scene>(
        &self,
        other: &Content,
        room: Room,
        scene: &S,
    ) -> Option<Position> {
        if self.buffer.bytes == other.buffer.bytes {
            return (self.buffer.what.counter() != other.buffer.what.counter())
                .then_some(Position::Counter);
        }
        match self.holder {
            Holder::Target(_, format, _) | Holder::Depth(format, _) => {
                let size = format.bytes();
                let (a, b) = (&self.buffer.bytes, &other.buffer.bytes);
                let mut texels = a.chunks_exact(size).zip(b.chunks_exact(size));
                texels
                    .position(|(a, b)| a != b && room.apart(format, a, b).contains(&true))
                    .map(Position::Texel)
            }
            Holder::Resource(part, binding, _) => {
                let module = scene.module(part)?;
                let room = match room {
                    Room::Floats(room) => room,
                    Room::Quads => FloatRoom::Relative(f64::from(QUAD_SHARE)),
                };
                floats::first_difference(module, binding, &self.buffer, &other.buffer, room)
                    .map(Position::Byte)
                    .or((self.buffer.what.counter() != other.buffer.what.counter())
                        .then_some(Position::Counter))
            }
        }
    }

    /// The channels of a texel that differ too far; all, if it is none.
    fn channels(&self, other: &Content, room: Room, at: Position) -> [bool; 4] {
        let (Holder::Target(_, format, _) | Holder::Depth(format, _), Position::Texel(number)) =
            (self.holder, at)
        else {
            return [true; 4];
        };
        let bytes = number * format.bytes()..(number + 1) * format.bytes();
        let held = [self, other].map(|it| it.buffer.bytes.get(bytes.clone()));
        match held {
            [Some(a), Some(b)] => room.apart(format, a, b),
            _ => [true; 4],
        }
    }

    /// Whether a buffer has the same elements in another order.
    fn is_permuted<S: Scene>(&self, other: &Content, scene: &S) -> bool {
        let Holder::Resource(part, binding, _) = self.holder else { return false };
        let Some(module) = scene.module(part) else { return false };
        let view = module.resource(binding).kind.view();
        let size = match view.address {
            AddressKind::Element => view.stride as usize,
            AddressKind::Byte | AddressKind::Texel => 4,
            AddressKind::Texture | AddressKind::None => return false,
        };
        let elements = |it: &Content| {
            let mut all: Vec<Vec<u8>> =
                it.buffer.bytes.chunks(size.max(1)).map(<[u8]>::to_vec).collect();
            all.sort();
            (all, it.buffer.what.counter())
        };
        elements(self) == elements(other)
    }

    /// A place in words.
    pub(super) fn place<S: Scene>(&self, at: Position, scene: &S) -> String {
        let name = &self.name;
        match (at, self.holder) {
            (Position::Texel(_), _) => self.pixel(at),
            (Position::Counter, _) => format!("the counter of `{name}`"),
            (Position::Byte(byte), Holder::Resource(part, binding, _)) => {
                let Some(module) = scene.module(part) else { return format!("`{name}`") };
                let shapes = scene.shapes(part);
                let facts = crate::facts::Facts::new(module).with_shapes(shapes);
                format!("{} of `{name}`", place::of_byte(&facts, binding, byte))
            }
            (Position::Byte(byte), _) => format!("byte {byte} of `{name}`"),
        }
    }

    /// The pixel, slice and sample of a texel.
    pub(super) fn texel(&self, at: Position) -> Option<([u32; 2], u32, Option<u32>)> {
        let (Holder::Target(_, _, size) | Holder::Depth(_, size)) = self.holder else {
            return None;
        };
        let Position::Texel(number) = at else { return None };
        let [width, height, _, samples] = size.map(|it| it.max(1) as usize);
        let (pixel, sample) = (number / samples, number % samples);
        let (row, x) = (pixel / width, pixel % width);
        let sample = (samples > 1).then_some(sample as u32);
        Some(([x as u32, (row % height) as u32], (row / height) as u32, sample))
    }

    /// The value at a place, in words.
    pub(super) fn value(&self, at: Position) -> Option<String> {
        let (Holder::Target(_, format, _) | Holder::Depth(format, _)) = self.holder else {
            return match at {
                Position::Counter => self.buffer.what.counter().map(|it| it.to_string()),
                Position::Byte(_) | Position::Texel(_) => None,
            };
        };
        let Position::Texel(number) = at else { return None };
        let size = format.bytes();
        let bytes = self.buffer.bytes.get(number * size..(number + 1) * size)?;
        let count = format.channels().count();
        let words: Vec<String> = match format.decode(bytes) {
            Texel::Float(it) => it[..count].iter().map(|it| format!("{it:?}")).collect(),
            Texel::Unsigned(it) => it[..count].iter().map(u64::to_string).collect(),
            Texel::Signed(it) => it[..count].iter().map(i64::to_string).collect(),
        };
        Some(match words.as_slice() {
            [only] => only.clone(),
            all => format!("({})", all.join(", ")),
        })
    }
}

impl Room {
    /// The channels of two texels that are too far apart.
    fn apart(self, format: Format, a: &[u8], b: &[u8]) -> [bool; 4] {
        let (a, b) = match (format.decode(a), format.decode(b)) {
            (Texel::Float(a), Texel::Float(b)) => (a, b),
            (Texel::Unsigned(a), Texel::Unsigned(b)) => return from_fn(|it| a[it] != b[it]),
            (Texel::Signed(a), Texel::Signed(b)) => return from_fn(|it| a[it] != b[it]),
            _ => return [true; 4],
        };
        // A float that is stored as an integer may end up on the other side of a step.
        let step = match format {
            Format::Plain { bits, encoding: Encoding::Unorm | Encoding::Snorm, .. } => {
                1.01 / ((1u64 << bits.min(32)) as f32 - 1.0)
            }
            Format::Plain { encoding: Encoding::Srgb, .. } | Format::Bgra8 { .. } => 0.01,
            Format::Rgb10A2 { .. } => 1.01 / 3.0,
            Format::Plain { .. } | Format::Rg11B10Float | Format::Rgb9E5 => 0.0,
        };
        from_fn(|it| {
            let (a, b) = (a[it], b[it]);
            let apart = (a - b).abs();
            let is_close = match self {
                Room::Floats(room) => {
                    room.admits(4, u64::from(a.to_bits()), u64::from(b.to_bits()))
                }
                Room::Quads => {
                    a.is_nan() && b.is_nan()
                        || apart <= QUAD_SHARE * a.abs().max(b.abs()) + QUAD_REST
                }
            };
            !(is_close || a == b || apart <= step)
        })
    }
}
