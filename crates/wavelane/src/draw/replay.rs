//! Packing as a device recorded it: our quads in its waves, so that wave operations can be compared with the device's.
//!
//! All quads of the draw are rasterized first, each into a wave of its own. A recorded wave takes the quads that its
//! lanes name; lanes that recorded nothing are helper lanes. A device may have clipped a triangle that we draw whole,
//! so that two of its quads are parts of one of ours: then each gets the lanes that it recorded.
//! Quads of helper lanes run on, as they do there.
//! Outputs are merged in our order, after all waves have run: that of primitives.
//!
//! A pixel is found by what the stages before tell the pixel shader of it. Behind tessellation that is the patch, and
//! behind a geometry or mesh shader only what it writes; if several primitives that share it cover the same lanes, the
//! recording does not say which of them a wave has, and is refused.

use std::collections::BTreeMap;

use ir::Slot;
use ir::exec::{Evaluated, Feed, Unsupported, WaveInputs, WaveOutputs};
use ir::packing::{Seat, Seats, Told};
use ir::stage::EvalPlace;
use ops::LaneMask;
use raster::{At, MergeState, Outputs, Targets, Wave};

use super::DrawError;
use super::bands::Band;
use super::between::{Made, check_words};
use super::departure::{Part, Stages};
use super::pixels::{Portion, put_outputs};
use super::run::Run;
use super::vertices::{Transformed, VertexFeed};
use crate::DispatchError;
use crate::graphics::Link;
use crate::memory::Memory;

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
    /// Finds the quads of a recording. `told`: what it records of each pixel. `culls`: whether the device may have
    /// dropped pixels that fail depth or stencil tests.
    pub(super) fn new(
        link: &'a Link,
        quads: Vec<Drawn>,
        recording: &Recording,
        (told, layers): (Told, u32),
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
                if told.layers { quad.layer } else { 0 },
                quad.sample.unwrap_or(0).into(),
                if told.primitives { drawn.wave.primitive_id(0) } else { 0 },
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
                let mut fitting = candidates.iter().copied().filter(|it| left[*it] & live == live);
                let Some(quad) = fitting.next() else {
                    return Err(format!(
                        "primitive {} of instance {} covers other pixels of the quad at ({}, {}) on the device",
                        key.4, key.5, key.0, key.1
                    ));
                };
                if fitting.next().is_some() {
                    return Err(format!(
                        "several primitives cover the quad at ({}, {}), and no `SV_PrimitiveID` distinguishes them",
                        key.0, key.1
                    ));
                }
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
            let mut outputs = Outputs::default();
            put_outputs(self.link, row, &mut outputs);
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

    fn keeps_quads(&self) -> bool {
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

impl Run<'_> {
    /// Runs the pixel shader's waves as a device packed them.
    pub(super) fn replay(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        recording: &Recording,
        Band { mut pixels, mut targets }: Band<'_>,
    ) -> Result<(), DrawError> {
        let refused = |why: String| {
            let asked = "the replay of a packing".to_owned();
            let missing = Unsupported { asked, missing: why };
            DrawError::Run(DispatchError::Unsupported(missing))
        };
        if recording.width != self.width {
            let why = format!("it was recorded with waves of {} lanes", recording.width);
            return Err(refused(why));
        }
        if self.pipeline.pixel.is_none() {
            return Err(refused("there is no pixel shader".to_owned()));
        }
        let link = &self.pipeline.link;
        let mut fuel = self.draw.fuel;
        let mut quads = Vec::new();
        for (instance, made) in self.made(stages, memory, &mut fuel)? {
            let mut of_draw = Portion {
                link,
                merge: &self.merge,
                transformed: &made.transformed,
                primitives: &mut made.primitives.iter().copied(),
                targets: &mut targets,
                is_last: true,
            };
            quads.extend(pixels.quads(&mut of_draw).map(|wave| Drawn { instance, wave }));
        }
        let tests = self.merge.depth_stencil;
        let culls = !self.merge.early && (tests.depth.is_some() || tests.stencil.is_some());
        let counts = pixels.counts();
        let told = (self.pipeline.desc.told(self.draw.instances), pixels.layers());
        let mut feed = Replay::new(link, quads, recording, told, culls, counts).map_err(refused)?;
        self.stage(stages, memory, (Part::Pixel, &mut fuel), &mut feed)?;
        feed.merge(&self.merge, &mut targets);
        Ok(())
    }

    /// All vertices and primitives that reach the rasterizer, by instance where its number is told.
    fn made(
        &self,
        stages: &mut dyn Stages,
        memory: &mut Memory<'_>,
        fuel: &mut Option<u64>,
    ) -> Result<Vec<(u32, Made)>, DrawError> {
        let (link, between) = (&self.pipeline.link, &self.pipeline.between);
        if between.mesh.is_some() {
            let mut all: Option<Made> = None;
            self.mesh(stages, memory, fuel, &mut |_, _, _, made| match &mut all {
                Some(all) => all.append(made),
                None => {
                    all = Some(made);
                    Ok(())
                }
            })?;
            return Ok(all.map(|it| (0, it)).into_iter().collect());
        }
        let mut transformed = Transformed::new(link.vertex_slots);
        check_words(self.total, link.vertex_slots.into())?;
        let mut next = 0;
        let mut feed = VertexFeed {
            fetched: &self.fetched,
            transformed: &mut transformed,
            next: &mut next,
            end: self.total,
            width: self.width,
            total: self.total,
            lanes: 0,
        };
        self.stage(stages, memory, (Part::Vertex, fuel), &mut feed)?;
        if !between.is_empty() {
            return Ok(vec![(0, self.between(stages, memory, transformed, fuel)?)]);
        }
        let per_instance = self.fetched.assembly.vertices() as usize * transformed.slots;
        let instance = |number: u32| {
            let words = &transformed.words[number as usize * per_instance..][..per_instance];
            let (first, words, slots) = (0, words.to_vec(), transformed.slots);
            let primitives = self.fetched.assembly.primitives().collect();
            (number, Made { transformed: Transformed { first, words, slots }, primitives })
        };
        Ok((0..self.draw.instances).map(instance).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::graphics::GraphicsDesc;
    use crate::texture::{Format, Shape};
    use crate::{
        Adapter, CpuOptions, Device, Draw, NoIncludes, Options, RenderTarget, ResourceTable,
        Shader, ShaderModel, Stage, Texture,
    };

    fn shader(stage: Stage, text: &str) -> Shader {
        let options = Options { stage, shader_model: ShaderModel::V6_6, ..Options::default() };
        let compiled = Shader::compile("draw.hlsl", text, &options, &mut NoIncludes).unwrap();
        compiled.shader().unwrap()
    }

    /// The lower right lane of the first quad is alone in a branch with one of a quad that has ended, if quads end.
    #[test]
    fn quads_of_helper_lanes_run_on() {
        let vertex = shader(
            Stage::Vertex,
            "float4 main(uint i : SV_VertexID) : SV_Position {
                 return float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0, 1);
             }",
        );
        let pixel = shader(
            Stage::Pixel,
            "uint main(float4 at : SV_Position) : SV_Target {
                 uint lane = uint(at.x) / 2 * 4 + uint(at.y) * 2 + uint(at.x) % 2;
                 uint alone = 0;
                 if (lane == 3 || lane / 4 == 1) discard;
                 if (lane == 3 || lane == 7) alone = WaveActiveCountBits(true);
                 return QuadReadAcrossX(alone);
             }",
        );
        let format = Format::parse("R32_UINT").unwrap();
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        desc.targets = vec![Some(format)];
        let seat = |lane: u32| {
            let (x, y) = (lane / 4 * 2 + lane % 2, lane / 2 % 2);
            Some(Seat { x, y, primitive: 0, instance: 0, layer: 0, sample: 0 })
        };
        let recording = Recording { width: 8, seats: vec![(0..8).map(seat).collect()] };
        let cpu = Device::with_cpu(Adapter::reference(), CpuOptions::default()).unwrap();
        for device in [Device::new(Adapter::reference()), cpu] {
            let pipeline = device.create_graphics_pipeline(&desc).unwrap();
            let drawn = |replay: Option<&Recording>| {
                let image = Texture::new(Shape::new(format, 4, 2, 1)).unwrap();
                let mut draw = Draw::new(3);
                draw.targets = vec![Some(RenderTarget::from(&image))];
                draw.wave_size = Some(8);
                draw.replay = replay.cloned().map(Arc::new);
                let tables = [&vertex, &pixel].map(ResourceTable::new);
                pipeline.draw(&draw, &tables[0], Some(&tables[1])).unwrap();
                image.read::<u32>().unwrap()[4]
            };
            assert_eq!([drawn(None), drawn(Some(&recording))], [1, 2]);
        }
    }
}
