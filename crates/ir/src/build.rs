//! The builder of modules: appends instructions to the region under construction.

use diag::Span;
use ops::Ty;

use crate::notes::ScopeId;
use crate::{
    Case, Inst, InstData, Module, Op, Region, RegionData, Value, ValueData, ValueDef, Values,
};

/// Builds the body of a module, region by region.
///
/// The regions under construction form a stack: constructs push their regions, fill them, and pop them.
pub struct Builder {
    pub module: Module,
    open: Vec<Region>,
    /// What the body begins with, in order.
    early: Vec<Inst>,
    /// The source location of new instructions.
    pub span: Span,
    /// The inlined function that they belong to.
    pub scope: ScopeId,
}

impl Builder {
    /// Starts with the body region open.
    pub fn new(mut module: Module) -> Builder {
        module.regions.push(RegionData::default());
        module.body = Region(module.regions.len() as u32 - 1);
        let body = module.body;
        Builder {
            module,
            open: vec![body],
            early: Vec::new(),
            span: Span::NONE,
            scope: ScopeId::ENTRY,
        }
    }

    pub fn finish(mut self) -> Module {
        debug_assert_eq!(self.open.len(), 1, "a region is still open");
        let body = self.module.body.index();
        self.module.regions[body].insts.splice(..0, self.early);
        self.module
    }

    /// Adds an instruction at the beginning of the body, where it dominates every use. Its operands must be there, too.
    pub fn early(&mut self, op: Op, results: &[Ty]) -> Inst {
        let inst = self.placeless();
        self.module.insts[inst.index()].scope = ScopeId::ENTRY;
        self.fill(inst, op, results);
        self.early.push(inst);
        inst
    }

    /// Appends an instruction with results of the given types.
    pub fn inst(&mut self, op: Op, results: &[Ty]) -> Inst {
        self.inst_with(op, results.iter().copied())
    }

    /// The same where the types are computed.
    pub fn inst_with(&mut self, op: Op, results: impl Iterator<Item = Ty>) -> Inst {
        let inst = self.reserve();
        self.fill_with(inst, op, results);
        inst
    }

    /// Appends an instruction with one result.
    pub fn value(&mut self, op: Op, ty: Ty) -> Value {
        let inst = self.inst(op, &[ty]);
        self.module.insts[inst.index()].results[0]
    }

    pub fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.value(Op::Const { ty, bits }, ty)
    }

    pub fn results(&self, inst: Inst) -> &[Value] {
        &self.module.insts[inst.index()].results
    }

    /// Appends a construct whose operation is not known yet, so that exits inside it can name it.
    pub fn reserve(&mut self) -> Inst {
        let inst = self.placeless();
        self.current().insts.push(inst);
        inst
    }

    /// An instruction that is in no region yet.
    fn placeless(&mut self) -> Inst {
        let inst = Inst(self.module.insts.len() as u32);
        self.module.insts.push(InstData {
            op: Op::Return,
            results: Values::new(),
            span: self.span,
            scope: self.scope,
        });
        inst
    }

    /// Sets the operation and results of a reserved construct.
    pub fn fill(&mut self, inst: Inst, op: Op, results: &[Ty]) {
        self.fill_with(inst, op, results.iter().copied());
    }

    fn fill_with(&mut self, inst: Inst, op: Op, results: impl Iterator<Item = Ty>) {
        let first = self.module.values.len() as u32;
        for (i, ty) in results.enumerate() {
            self.module.values.push(ValueData { ty, def: ValueDef::Result(inst, i as u32) });
        }
        let data = &mut self.module.insts[inst.index()];
        data.op = op;
        data.results = (first..self.module.values.len() as u32).map(Value).collect();
    }

    /// Opens a new region with parameters of the given types; instructions go there until it is closed.
    pub fn open(&mut self, params: &[Ty]) -> (Region, Values) {
        let region = Region(self.module.regions.len() as u32);
        let first = self.module.values.len() as u32;
        for (i, ty) in params.iter().enumerate() {
            self.module.values.push(ValueData { ty: *ty, def: ValueDef::Param(region, i as u32) });
        }
        let params: Values = (0..params.len() as u32).map(|i| Value(first + i)).collect();
        self.module.regions.push(RegionData { params: params.clone(), insts: Vec::new() });
        self.open.push(region);
        (region, params)
    }

    /// Reopens a closed region, to append what was not known before.
    pub fn reopen(&mut self, region: Region) {
        self.open.push(region);
    }

    /// Reserves room for that many more instructions in the open region.
    pub fn expect(&mut self, insts: usize) {
        self.current().insts.reserve(insts);
    }

    pub fn close(&mut self) -> Region {
        self.open
            .pop()
            .unwrap_or_else(|| unreachable!("a region is closed only after it has been opened"))
    }

    /// Whether the open region already has a terminator: what follows in the source is dead.
    pub fn is_terminated(&self) -> bool {
        let region = &self.module.regions[self.open[self.open.len() - 1].index()];
        region.insts.last().is_some_and(|last| self.module.inst(*last).op.is_terminator())
    }

    pub fn terminate(&mut self, op: Op) -> Inst {
        debug_assert!(op.is_terminator());
        self.inst(op, &[])
    }

    /// A case group of a switch.
    pub fn case(labels: Vec<u64>, default: bool, body: Region) -> Case {
        Case { labels, default, body }
    }

    fn current(&mut self) -> &mut RegionData {
        let region = self.open[self.open.len() - 1];
        &mut self.module.regions[region.index()]
    }
}
