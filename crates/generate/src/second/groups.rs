//! The groups of mesh and amplification shaders in the second evaluator: what they receive, and what they leave.

use super::values::{Vals, integer};
use super::{Observed, Run, Seen, Val};
use crate::{Array, Groups, Kind, MOST_CHILDREN, Meshlets, Program};

/// A group that starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// In the grid that was dispatched.
    pub place: [u32; 2],
    /// The number of the group that dispatched it; 0 without an amplification shader.
    pub parent: u32,
    /// The words of the payload.
    pub payload: Vec<u32>,
}

/// What a group left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Of vertices and primitives, or of children in x and y.
    pub counts: [u32; 2],
    /// The bits of the outputs, `fields[field][component][element]`; 0 where nothing was written.
    pub fields: Vec<Vec<Vec<u32>>>,
}

/// A group that runs. Other shaders have one group without outputs.
#[derive(Default)]
pub(super) struct Running {
    pub(super) number: u32,
    payload: Vec<u32>,
    left: Left,
}

/// The groups that a draw starts.
pub fn started(program: &Meshlets) -> Vec<Started> {
    let [columns, rows] = program.grid;
    let places = (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y]));
    places.map(|place| Started { place, ..Started::default() }).collect()
}

/// The final contents of the logs of a draw's shaders, in the order of the draw, and what happened on the way.
pub fn meshlets(program: &Meshlets, width: u32) -> (Vec<Vec<u32>>, Observed) {
    let (mut logs, seen) = (Vec::new(), &mut Seen::default());
    let mut started = started(program);
    for shader in program.shaders() {
        let (log, left) = run(shader, width, &started, seen);
        logs.push(log);
        started = all_children(&left);
    }
    (logs, std::mem::take(&mut seen.observed))
}

/// Runs groups one after the other; returns the final contents of the log, and what each group left.
pub fn groups(program: &Program, width: u32, started: &[Started]) -> (Vec<u32>, Vec<Left>) {
    run(program, width, started, &mut Seen::default())
}

fn run(
    program: &Program,
    width: u32,
    started: &[Started],
    seen: &mut Seen,
) -> (Vec<u32>, Vec<Left>) {
    let mut log = vec![0; program.words()];
    let mut all = Vec::new();
    for it in started {
        let fields = program.groups().map_or(&[][..], |it| &it.fields);
        let length = |array| program.groups().map_or(0, |it| it.len(array)) as usize;
        let empty = fields.iter().map(|it| vec![vec![0; length(it.array)]; it.ty.n]).collect();
        let mut group = Running {
            number: Groups::number(it.parent, it.place),
            payload: it.payload.clone(),
            left: Left { counts: [0; 2], fields: empty },
        };
        Run { program, width, group: &mut group, log: &mut log, seen }.group();
        all.push(group.left);
    }
    (log, all)
}

/// The groups of a mesh shader that those of an amplification shader start.
pub fn all_children(left: &[Left]) -> Vec<Started> {
    (0..).zip(left).flat_map(|(number, it)| children(number, it)).collect()
}

/// The children of a group of an amplification shader, in order; it has that number.
fn children(number: u32, left: &Left) -> Vec<Started> {
    let [width, height] = left.counts;
    let places = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
    let payload = left.fields.first().and_then(|it| it.first()).cloned().unwrap_or_default();
    places.map(|place| Started { place, parent: number, payload: payload.clone() }).collect()
}

impl Running {
    /// Takes the counts that a shader asked for.
    pub(super) fn count(&mut self, program: &Program, [one, two]: [u32; 2]) {
        let mesh = program.groups().and_then(|it| it.mesh.as_ref());
        let [width, height] = MOST_CHILDREN;
        self.left.counts = match mesh {
            Some(mesh) => {
                let vertices = mesh.least_vertices + one % mesh.vertex_counts();
                [vertices, two % (mesh.most_primitives + 1)]
            }
            None => [1 + one % width, two % (height + 1)],
        };
    }

    /// A word of the payload.
    pub(super) fn received(&self, index: i128) -> Val {
        let words = self.payload.len() as i128;
        Val::Int(i128::from(self.payload[(index % words) as usize]))
    }

    /// A lane writes an element of an output, or one component of it.
    pub(super) fn output(
        &mut self,
        program: &Program,
        field: usize,
        component: Option<usize>,
        at: i128,
        value: &Vals,
    ) {
        let Some(groups) = program.groups() else { return };
        let it = groups.fields[field];
        let count = Groups::count(it.array).map_or(groups.payload, |it| self.left.counts[it]);
        if at >= i128::from(count) {
            return;
        }
        let vertices = i128::from(self.left.counts[0].max(1));
        for (i, scalar) in value.iter().enumerate() {
            let scalar = match it.array {
                Array::Indices => Val::Int(integer(*scalar) % vertices),
                Array::Vertices | Array::Primitives | Array::Payload => *scalar,
            };
            let component = component.unwrap_or(i);
            self.left.fields[field][component][at as usize] = bits(it.ty.kind, scalar);
        }
    }
}

/// The bits of a scalar of an output.
fn bits(kind: Kind, value: Val) -> u32 {
    match (kind, value) {
        (_, Val::Bool(value)) => u32::from(value),
        (Kind::F16, Val::Float(value)) => half(value),
        (_, Val::Float(value)) => (value as f32).to_bits(),
        (Kind::U16 | Kind::I16, Val::Int(value)) => value as u32 & 0xffff,
        (_, Val::Int(value)) => value as u32,
    }
}

/// The bits of an integer below 16 as a float of 16 bits: a sign, five bits of exponent with a bias of 15, ten of
/// mantissa.
fn half(value: f64) -> u32 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let whole = value.abs() as u32;
    match whole.checked_ilog2() {
        None => sign,
        Some(exponent) => sign | (exponent + 15) << 10 | (whole << (10 - exponent)) & 0x3ff,
    }
}
