//! Generates mesh and amplification shaders: their outputs, and the statements that write them.

use ops::intrinsics::Stage;

use super::{Maker, Mode, Random, Statistics, Wanted, bin, call, literal, of_width};
use crate::{
    Array, Bin, Expr, ExprKind, Field, Form, Function, Groups, Kind, MOST_CHILDREN, Mesh, Meshlets,
    Owners, Program, Shader, Stmt, Ty,
};

/// The most threads of a group.
const MOST_THREADS: u32 = 128;
/// The most groups that an amplification shader has.
const MOST_PARENTS: u32 = 2;
/// How many statements precede the one that sets the counts of a mesh shader.
const BEFORE_COUNTS: i32 = 5;
/// The counts of a thread are some values plus constants below this one: the values alone are mostly 0.
const COUNTS_PLUS: u32 = 64;

/// The outputs of the program that is being made.
#[derive(Default)]
pub(super) struct Outputs {
    threads: u32,
    /// The words of the payload that a mesh shader receives.
    received: u32,
    /// With the lengths of their arrays.
    fields: Vec<(Field, u32)>,
    /// Whether outputs can be written here: the counts have been set.
    open: bool,
    /// Whether every element of a compacted output is written, too.
    whole: bool,
}

/// Generates a mesh shader for waves of `width` lanes, and an amplification shader for every other one.
pub fn meshlets(seed: u64, width: u32, statistics: &mut Statistics) -> Meshlets {
    made(seed, of_width(width), false, statistics)
}

/// The same for what is wanted. With `whole`, every element of an output is written: what a draw makes of the others is
/// undefined.
pub(super) fn made(
    seed: u64,
    wanted: Wanted,
    whole: bool,
    statistics: &mut Statistics,
) -> Meshlets {
    // Another sequence than those of the shaders.
    let mut random = Random::new(seed.wrapping_add(1 << 63));
    let amplified = random.chance(2);
    let [width_most, height_most] = MOST_CHILDREN;
    let (payload, parents, grid) = match amplified {
        true => {
            let parents = 1 + random.below(MOST_PARENTS);
            (1 + random.below(8), parents, [parents, 1])
        }
        false => (0, 1, [1 + random.below(width_most), 1 + random.below(height_most)]),
    };
    let amplification = amplified.then(|| {
        let groups = Groups { most: parents, payload, mesh: None, fields: Vec::new() };
        make(seed.wrapping_add(1 << 62), (wanted, whole), statistics, groups)
    });
    let mesh = Mesh {
        corners: 1 + random.below(3),
        least_vertices: u32::from(whole),
        most_vertices: 1 + random.below(48),
        most_primitives: 1 + random.below(32),
    };
    let most = parents * width_most * height_most;
    let groups = Groups { most, payload, mesh: Some(mesh), fields: Vec::new() };
    Meshlets { amplification, mesh: make(seed, (wanted, whole), statistics, groups), grid }
}

fn make(
    seed: u64,
    (wanted, whole_outputs): (Wanted, bool),
    statistics: &mut Statistics,
    mut groups: Groups,
) -> Program {
    let stage = if groups.mesh.is_some() { Stage::Mesh } else { Stage::Amplification };
    let mut maker = Maker::new(seed, wanted, statistics, Mode::of(stage));
    let width = maker.width;
    let whole = maker.random.chance(2);
    let threads = match whole {
        true => width,
        false => 1 + maker.random.below((2 * width).min(MOST_THREADS)),
    };
    (maker.outputs.threads, maker.outputs.whole) = (threads, whole_outputs);
    maker.some_functions();
    groups.fields = match &groups.mesh {
        Some(mesh) => maker.mesh_fields(mesh),
        None => {
            let owners = maker.owners();
            vec![Field { array: Array::Payload, ty: Ty::UINT, owners }]
        }
    };
    maker.outputs.fields = groups.fields.iter().map(|it| (*it, groups.len(it.array))).collect();
    maker.outputs.received = if stage == Stage::Mesh { groups.payload } else { 0 };
    let main = maker.main_of_groups(whole);
    maker.functions.push(main);
    let (places, functions) = (maker.places, maker.functions);
    let shader = Shader::Groups(groups);
    let portable = !wanted.slang;
    Program { seed, places, functions, threads, shader, counts: true, portable }
}

impl Maker<'_> {
    fn owners(&mut self) -> Owners {
        self.random.pick(&[Owners::Ascending, Owners::Descending])
    }

    /// The position, some attributes of vertices and primitives, and the indices.
    fn mesh_fields(&mut self, mesh: &Mesh) -> Vec<Field> {
        let mut fields = Vec::new();
        let position = Ty { kind: Kind::F32, n: 4 };
        fields.push(Field { array: Array::Vertices, ty: position, owners: self.owners() });
        let outputs = [(Array::Vertices, 4), (Array::Primitives, 3)];
        for ((array, most), length) in
            outputs.into_iter().zip([mesh.most_vertices, mesh.most_primitives])
        {
            // A thread for each element.
            let compacts = !self.outputs.whole || length <= self.outputs.threads;
            for _ in 0..self.random.below(most) {
                let kinds = [Kind::U32, Kind::I32, Kind::F32, Kind::U16, Kind::I16, Kind::F16];
                let kind = self.random.pick(&kinds);
                let ty = Ty { kind, n: 1 + self.random.below(4) as usize };
                let owners = match self.random.chance(3) {
                    true if compacts => Owners::Compacted,
                    true | false => self.owners(),
                };
                fields.push(Field { array, ty, owners });
            }
        }
        if self.random.chance(3) {
            fields.push(Field { array: Array::Primitives, ty: Ty::BOOL, owners: self.owners() });
        }
        let ty = Ty { kind: Kind::U32, n: mesh.corners as usize };
        fields.push(Field { array: Array::Indices, ty, owners: self.owners() });
        fields
    }

    fn main_of_groups(&mut self, whole: bool) -> Function {
        self.begin(None, 16);
        self.whole = whole;
        let mut body = self.initialise(0);
        if self.stage == Stage::Mesh {
            let rest = self.budget - BEFORE_COUNTS;
            self.statements(&mut body, rest);
            let counts = self.counts();
            body.push(counts);
        }
        self.outputs.open = true;
        // First everything is written once, so that nothing is undefined.
        for (field, (it, length)) in self.outputs.fields.clone().into_iter().enumerate() {
            if it.owners == Owners::Compacted {
                continue;
            }
            for turn in 0..length.div_ceil(self.outputs.threads) {
                let at = self.own(it.owners, length, turn);
                let value = self.expr(it.ty, 2);
                body.push(Stmt::Output { field, component: None, at, value });
            }
        }
        self.statements(&mut body, 0);
        for (field, (it, _)) in self.outputs.fields.clone().into_iter().enumerate() {
            if it.owners == Owners::Compacted {
                body.extend(self.compaction(field, it.ty));
            }
        }
        for local in 0..self.locals.len() {
            body.push(self.log(Expr { ty: self.locals[local], kind: ExprKind::Local(local) }));
        }
        self.outputs.open = false;
        if self.stage == Stage::Amplification {
            let counts = self.counts();
            body.push(counts);
        }
        Function { form: Form::Plain, locals: std::mem::take(&mut self.locals), body, result: None }
    }

    /// Statements of `main`, until this much of the budget is left.
    fn statements(&mut self, body: &mut Vec<Stmt>, rest: i32) {
        while self.budget > rest {
            if self.random.chance(5) {
                body.extend(self.exchange());
            }
            let next = self.stmt();
            body.push(next);
        }
    }

    /// The counts of one thread, before they are reduced to what the shader declares.
    fn counts(&mut self) -> Stmt {
        let values = [(); 2].map(|()| {
            let value = self.expr(Ty::UINT, 3);
            let plus = literal(Ty::UINT, i64::from(self.random.below(COUNTS_PLUS)));
            bin(Bin::Add, value, plus)
        });
        Stmt::Counts { values, from: self.random.below(self.outputs.threads) }
    }

    /// An element that belongs to the thread: in each turn every thread has another one.
    fn own(&mut self, owners: Owners, length: u32, turn: u32) -> Expr {
        let threads = self.outputs.threads;
        let thread = Expr { ty: Ty::UINT, kind: ExprKind::Thread };
        let at = bin(Bin::Add, thread, literal(Ty::UINT, i64::from(turn * threads)));
        let last = length.div_ceil(threads) * threads - 1;
        match owners {
            Owners::Ascending => at,
            // Wraps around for none: there are as many elements as threads in all turns.
            Owners::Descending => bin(Bin::Sub, literal(Ty::UINT, i64::from(last)), at),
            Owners::Compacted => unreachable!("its elements belong to no thread"),
        }
    }

    /// A write of an output that the threads own, if there may be one here.
    pub(super) fn some_output(&mut self) -> Option<Stmt> {
        if !self.outputs.open || self.result.is_some() || !self.random.chance(4) {
            return None;
        }
        let all = self.outputs.fields.iter().enumerate();
        let owned: Vec<usize> =
            all.filter(|(_, it)| it.0.owners != Owners::Compacted).map(|it| it.0).collect();
        let field = self.random.pick(&owned);
        let (it, length) = self.outputs.fields[field];
        let turn = self.random.below(length.div_ceil(self.outputs.threads));
        let at = self.own(it.owners, length, turn);
        let component = (it.ty.n > 1 && self.random.chance(3))
            .then(|| self.random.below(it.ty.n as u32) as usize);
        let ty = Ty { n: component.map_or(it.ty.n, |_| 1), ..it.ty };
        let value = self.expr(ty, 3);
        Some(Stmt::Output { field, component, at, value })
    }

    /// Some lanes write an output one behind the other, from the number of their wave's first thread on; if all of it
    /// has to be written, the others do so from the last thread downwards.
    fn compaction(&mut self, field: usize, ty: Ty) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let count = self.outputs.whole.then(|| {
            self.locals.push(Ty::UINT);
            let local = self.locals.len() - 1;
            let count = call("WaveActiveCountBits", Ty::UINT, vec![literal(Ty::BOOL, 1)]);
            stmts.push(Stmt::Assign(local, count));
            Expr { ty: Ty::UINT, kind: ExprKind::Local(local) }
        });
        let condition = self.expr(Ty::BOOL, 2);
        let whole = std::mem::replace(&mut self.whole, false);
        let [thread, lane] =
            [ExprKind::Thread, ExprKind::Lane].map(|kind| Expr { ty: Ty::UINT, kind });
        let first = bin(Bin::Sub, thread, lane);
        let before = call("WavePrefixCountBits", Ty::UINT, vec![literal(Ty::BOOL, 1)]);
        let others = count.map(|count| {
            let end = bin(Bin::Add, first.clone(), count);
            let last = bin(Bin::Sub, end, literal(Ty::UINT, 1));
            let (at, value) = (bin(Bin::Sub, last, before.clone()), self.expr(ty, 2));
            Stmt::Output { field, component: None, at, value }
        });
        let at = bin(Bin::Add, first, before);
        let value = self.expr(ty, 2);
        self.whole = whole;
        let output = Stmt::Output { field, component: None, at, value };
        stmts.push(Stmt::If(condition, vec![output], others.into_iter().collect()));
        stmts
    }

    /// A `uint` that only mesh and amplification shaders have, now and then.
    pub(super) fn of_group(&mut self) -> Option<Expr> {
        if !self.stage.is_of_meshlets() || !self.random.chance(3) {
            return None;
        }
        let of = |kind| Some(Expr { ty: Ty::UINT, kind });
        if self.outputs.received == 0 || self.result.is_some() || self.random.chance(3) {
            return of(ExprKind::Group);
        }
        let index = self.random.pick(&[0, 1]);
        let index = match index {
            0 => literal(Ty::UINT, i64::from(self.random.below(self.outputs.received))),
            _ => Expr { ty: Ty::UINT, kind: ExprKind::Thread },
        };
        of(ExprKind::Payload(Box::new(index)))
    }
}
