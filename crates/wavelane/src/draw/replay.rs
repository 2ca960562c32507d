//! Packing as a device recorded it: our quads in its waves, so that wave operations can be compared with the device's.
//!
//! All quads of the draw are rasterized first, each into a wave of its own. A recorded wave takes the quads that its
//! lanes name; lanes that recorded nothing are helper lanes. A device may have clipped a triangle that we draw whole,
//! so that two of its quads are parts of one of ours: then each gets the lanes that it recorded.
//! Outputs are merged in our order, after all waves have run: that of primitives.

use std::collections::BTreeMap;

use ir::Slot;
use ir::exec::{Evaluated, Feed, WaveInputs, WaveOutputs};
use ir::packing::{Seat, Seats};
use ir::stage::EvalPlace;
use ops::LaneMask;
use raster::{At, MergeState, Targets, Wave};

use super::pixels::outputs;
use crate::graphics::Link;

/// Which pixel each lane of each wave of a draw was: recorded by one engine ([`super::Draw::record`]), replayed on
/// another one ([`super::Draw::replay`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The lanes of a wave.
    pub(crate) width: u32,
    pub(crate) seats: Seats,
}

impl Recording {
    /// The lanes of a wave.
    pub fn wave_size(&self) -> u32 {
        self.width
    }

    /// The pixels of each wave by lane; `None` for helper lanes, and lanes that do not exist.
    pub fn waves(&self) -> impl Iterator<Item = Vec<Option<[u32; 2]>>> + '_ {
        let pixel = |it: &Option<Seat>| it.map(|it| [it.x, it.y]);
        self.seats.iter().map(move |wave| wave.iter().map(pixel).collect())
    }
}

/// A quad of the draw.
pub(super) struct Drawn {
    pub(super) instance: u32,
    pub(super) wave: Wave,
}

/// A quad's place in a recorded wave.
struct QuadSlot {
    /// Its number in a wave, and that of the quad among those drawn.
    at: usize,
    quad: usize,
    /// The lanes that the device recorded.
    live: u8,
}

/// Outputs that wait to be merged.
struct Waiting {
    quad: usize,
    live: u8,
    rows: Vec<[u32; 4]>,
}

pub(super) struct Replay<'a> {
    link: &'a Link,
    quads: Vec<Drawn>,
    waves: Vec<Vec<QuadSlot>>,
    next: usize,
    samples: u32,
    vertices: u32,
    waiting: Vec<Waiting>,
}

/// What identifies a quad.
type Key = (u32, u32, u32, u32, u32, u32);

impl<'a> Replay<'a> {
    /// Finds the quads of a recording. `culls`: whether the device may have dropped pixels that fail depth or stencil
    /// tests.
    pub(super) fn new(
        link: &'a Link,
        quads: Vec<Drawn>,
        recording: &Recording,
        layers: u32,
        culls: bool,
        (samples, vertices): (u32, u32),
    ) -> Result<Replay<'a>, String> {
        let mut by_key: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        let mut left = Vec::new();
        for (number, drawn) in quads.iter().enumerate() {
            let Some(quad) = drawn.wave.quads().next() else { continue };
            let key = (
                quad.x as u32,
                quad.y as u32,
                quad.layer,
                quad.sample.unwrap_or(0).into(),
                drawn.wave.primitive_id(0),
                drawn.instance,
            );
            by_key.entry(key).or_default().push(number);
            let live = (0..4).fold(0, |all, lane| all | u8::from(quad.covered[lane] != 0) << lane);
            left.push(live);
        }
        let mut waves = Vec::new();
        for seats in &recording.seats {
            let mut places = Vec::new();
            for (at, lanes) in seats.chunks(4).enumerate() {
                let Some(seat) = lanes.iter().flatten().next() else { continue };
                let layer = if seat.layer < layers { seat.layer } else { 0 };
                let key =
                    (seat.x & !1, seat.y & !1, layer, seat.sample, seat.primitive, seat.instance);
                let mut live = 0;
                for (lane, seat) in lanes.iter().enumerate() {
                    let Some(seat) = seat else { continue };
                    let [x, y] = [key.0 + lane as u32 % 2, key.1 + lane as u32 / 2];
                    if [seat.x, seat.y] != [x, y] {
                        return Err(format!(
                            "lane {} of a wave is the pixel ({}, {}), not ({x}, {y}): quads are packed in another way",
                            4 * at + lane,
                            seat.x,
                            seat.y
                        ));
                    }
                    live |= 1 << lane;
                }
                let candidates = by_key.get(&key).map_or(&[][..], Vec::as_slice);
                let Some(quad) = candidates.iter().copied().find(|it| left[*it] & live == live)
                else {
                    return Err(format!(
                        "primitive {} of instance {} covers other pixels of the quad at ({}, {}) on the device",
                        key.4, key.5, key.0, key.1
                    ));
                };
                left[quad] &= !live;
                places.push(QuadSlot { at, quad, live });
            }
            waves.push(places);
        }
        if let Some(quad) = left.iter().position(|it| *it != 0)
            && !culls
        {
            let wave = &quads[quad].wave;
            let [x, y] = wave.pixel(left[quad].trailing_zeros());
            return Err(format!(
                "primitive {} covers the pixel ({x}, {y}), but not on the device",
                wave.primitive_id(0)
            ));
        }
        let waiting = Vec::new();
        Ok(Replay { link, quads, waves, next: 0, samples, vertices, waiting })
    }

    /// Merges what has been written, in the order of primitives.
    pub(super) fn merge(mut self, state: &MergeState, targets: &mut Targets<'_>) {
        self.waiting.sort_by_key(|it| it.quad);
        for it in &self.waiting {
            let row = |slot: u32| &it.rows[slot as usize][..];
            let outputs = outputs(self.link, row);
            let live = LaneMask(u128::from(it.live));
            state.merge(&self.quads[it.quad].wave, live, &outputs, targets);
        }
    }

    /// The quad of a lane of the running wave, and its lane there.
    fn seat(&self, lane: u32) -> (&Wave, u32) {
        let places = &self.waves[self.next - 1];
        let found = places.iter().find(|it| it.at == lane as usize / 4);
        let Some(place) = found else { unreachable!("only lanes of quads run") };
        (&self.quads[place.quad].wave, lane % 4)
    }
}

impl Feed for Replay<'_> {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(places) = self.waves.get(self.next) else { return false };
        self.next += 1;
        let (mut lanes, mut live) = (0u128, 0u128);
        for place in places {
            lanes |= 15 << (4 * place.at);
            live |= u128::from(place.live) << (4 * place.at);
        }
        wave.lanes = LaneMask(lanes);
        wave.helpers = LaneMask(lanes & !live);
        let inputs = &self.link.inputs;
        for slot in &self.link.read {
            let row = wave.rows.row_mut(*slot);
            for place in places {
                let mut bits = [0; 4];
                self.quads[place.quad].wave.row(inputs, slot.index(), &mut bits);
                row[4 * place.at..4 * place.at + 4].copy_from_slice(&bits.map(u64::from));
            }
        }
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        let slots = wave.written.len() as u32;
        for place in &self.waves[self.next - 1] {
            let first = 4 * place.at;
            let live = (wave.live.0 >> first) as u8 & place.live;
            let row = |slot: u32| {
                let row = &wave.rows.row(Slot(slot))[first..first + 4];
                [row[0], row[1], row[2], row[3]].map(|it| it as u32)
            };
            let rows = (0..slots).map(row).collect();
            self.waiting.push(Waiting { quad: place.quad, live, rows });
        }
    }

    fn evaluate(&mut self, slot: Slot, lane: u32, place: EvalPlace<u32>) -> Evaluated {
        let (at, poisoned) = match place {
            EvalPlace::Centroid => (At::Centroid, false),
            EvalPlace::Sample(index) => (At::Sample(index), index >= self.samples),
            EvalPlace::Snapped(x, y) => (At::Snapped([x as i32, y as i32]), false),
        };
        let (wave, lane) = self.seat(lane);
        let bits = wave.evaluate(&self.link.inputs, slot.index(), lane, at);
        Evaluated { bits: bits.into(), poisoned }
    }

    fn at_vertex(&mut self, slot: Slot, lane: u32, vertex: u32) -> Evaluated {
        let (wave, lane) = self.seat(lane);
        let bits = wave.at_vertex(&self.link.inputs, slot.index(), lane, vertex);
        Evaluated { bits: bits.into(), poisoned: vertex >= self.vertices }
    }
}
