//! Feedback maps: which parts of a texture samples use, as `WriteSamplerFeedback` and its siblings record it.
//!
//! A map belongs to one texture, its pair. It is bound like a buffer; the host reads and writes decoded texels, one
//! byte each. Direct3D's encodings are opaque and differ between devices; `docs/feedback.md` says what is fixed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ir::exec::{Failure, FeedbackMap as Held, What};
use ops::texture::Format;
use ops::texture::feedback::{Map, Refusal};

use crate::memory::{Cell, Slot};
use crate::{Bindable, BufferError, Device, Texture};

pub use ops::texture::feedback::{FeedbackKind, NONE, USED};

/// What a map is created from.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackDesc<'a> {
    /// What it records: that of the declaration in the shader.
    pub kind: FeedbackKind,
    /// The texture whose samples it records.
    pub paired: &'a Texture,
    /// The width and height of a mip region in texels: powers of two, at least 4 and at most half of the texture's.
    pub region: [u32; 2],
}

/// A feedback map.
///
/// ```
/// use wavelane::feedback::{FeedbackDesc, FeedbackMap, FeedbackKind};
/// use wavelane::texture::{Format, Shape};
/// use wavelane::Texture;
///
/// let texture = Texture::new(Shape::new(Format::parse("R8_UNORM").unwrap(), 32, 16, 1))?;
/// let desc = FeedbackDesc { kind: FeedbackKind::MinMip, paired: &texture, region: [8, 8] };
/// let map = FeedbackMap::new(&desc)?;
/// assert_eq!(map.size(0), [4, 2]);
/// assert_eq!(map.decode()?, [0xff; 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FeedbackMap {
    cell: Arc<Cell>,
    map: Map,
}

impl Device {
    /// Creates a cleared map.
    pub fn create_feedback(&self, desc: &FeedbackDesc<'_>) -> Result<FeedbackMap, FeedbackError> {
        FeedbackMap::new(desc)
    }
}

impl FeedbackMap {
    /// A cleared map: no region has been used.
    pub fn new(desc: &FeedbackDesc<'_>) -> Result<FeedbackMap, FeedbackError> {
        let paired = identity(desc.paired)?;
        let map = Map::new(desc.kind, &desc.paired.shape(), desc.region)
            .map_err(FeedbackError::Refused)?;
        let bytes = map.memory().into();
        let slot = Slot { bytes, what: What::Feedback(Held { map, paired }) };
        Ok(FeedbackMap { cell: Cell::new(slot, None), map })
    }

    /// What it records.
    pub fn kind(&self) -> FeedbackKind {
        self.map.kind
    }

    /// The number of levels of the decoded map: 1, or those of the texture.
    pub fn levels(&self) -> u32 {
        self.map.held_levels()
    }

    /// The number of layers of the texture.
    pub fn layers(&self) -> u32 {
        self.map.layers
    }

    /// The width and height of a level of the decoded map: the number of mip regions, the last of which may be cut.
    pub fn size(&self, level: u32) -> [u32; 2] {
        self.map.size(level)
    }

    /// The format of decoded texels.
    pub fn format(&self) -> Format {
        self.map.texture().format
    }

    /// The number of decoded texels.
    pub fn texels(&self) -> usize {
        self.map.texels()
    }

    /// The decoded texels: layer by layer, within a layer level by level, within a level row by row. A level, or 255
    /// for none; or 255 for a region that was used, and 0 for others.
    pub fn decode(&self) -> Result<Vec<u8>, BufferError> {
        Ok(self.map.decode(&self.cell.lock().host()?.bytes))
    }

    /// Replaces all texels, in the order of [`FeedbackMap::decode`]. In a map of used regions every byte but 0 counts
    /// as used.
    pub fn encode(&self, texels: &[u8]) -> Result<(), FeedbackError> {
        let needs = self.map.texels();
        if texels.len() != needs {
            return Err(BufferError::Length { bytes: texels.len(), needs }.into());
        }
        let memory = self.map.encode(texels);
        let mut state = self.cell.lock();
        state.host_mut().map_err(BufferError::from)?.bytes.copy_from_slice(&memory);
        Ok(())
    }

    /// Forgets everything.
    pub fn clear(&self) -> Result<(), FeedbackError> {
        self.encode(&vec![self.map.kind.cleared(); self.map.texels()])
    }
}

/// The identity of a texture, which it gets on the first call.
fn identity(texture: &Texture) -> Result<u64, BufferError> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut state = texture.cell.lock();
    let What::Texture { shape, identity: mut known } = state.shape().what else {
        unreachable!("a texture is created with its shape")
    };
    if known == 0 {
        known = NEXT.fetch_add(1, Ordering::Relaxed);
        state.host_mut()?.what = What::Texture { shape, identity: known };
    }
    Ok(known)
}

impl From<&FeedbackMap> for Bindable {
    fn from(map: &FeedbackMap) -> Bindable {
        Bindable { cell: map.cell.clone() }
    }
}

impl From<FeedbackMap> for Bindable {
    fn from(map: FeedbackMap) -> Bindable {
        Bindable { cell: map.cell }
    }
}

/// Why a map cannot be created or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum FeedbackError {
    /// The texture cannot have such a map.
    Refused(Refusal),
    /// Its memory, or that of its texture.
    Memory(BufferError),
}

impl From<BufferError> for FeedbackError {
    fn from(error: BufferError) -> FeedbackError {
        FeedbackError::Memory(error)
    }
}

impl From<Failure> for FeedbackError {
    fn from(error: Failure) -> FeedbackError {
        FeedbackError::Memory(error.into())
    }
}

impl fmt::Display for FeedbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeedbackError::Refused(why) => why.fmt(f),
            FeedbackError::Memory(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for FeedbackError {}
