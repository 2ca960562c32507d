//! Control flow that does not observe lanes, as ordinary branches.
//!
//! The active lanes enter the outermost such construct, and all of them reach its end: nothing in it waits for other
//! threads of the wave, so a thread reaches it if its own loops end. Nothing depends on when threads meet again, since
//! the construct contains nothing that observes them, and the next `.sync` brings all 32 together.
//!
//! A lane that leaves for a collective construct records that, gives up its place in the active set, and branches to
//! the same end.

use ir::{Inst, Op, Region, Value};

use crate::CannotEmit;
use crate::control::{Act, Construct, Way};
use crate::emit::Emitter;
use crate::text::{Class, Label, Operand, Reg, put};

/// The outermost natural construct.
#[derive(Clone, Copy)]
pub(crate) struct Natural {
    end: Label,
    /// The lanes that reach its end in the ordinary way; `None` if all do.
    stays: Option<Reg>,
}

/// The test at the end of a loop's body.
struct TailTest {
    cond: Value,
    /// Whether lanes for which the condition holds stay in the loop.
    stays: bool,
    exit: Inst,
}

impl Emitter<'_> {
    /// Emits a construct that does not observe lanes, from code that may.
    pub(crate) fn enter_natural(&mut self, inst: Inst) -> Result<(), CannotEmit> {
        let contents = self.constructs.of_inst(inst);
        let (escapes, returns) = (contents.escapes(), contents.returns);
        let touched = contents.touched.clone();
        self.order_construct(&touched);
        let before = self.act;
        let end = self.text.label("end");
        let mut stays = None;
        if escapes {
            let reg = self.text.reg(Class::Predicate);
            let act = self.act_reg();
            put!(self, "mov.pred {reg}, {act}");
            stays = Some(reg);
        }
        if let Act::Some(act) = before {
            self.line_text(format_args!("\t@!{act} bra {end};"));
        }
        self.natural = Some(Natural { end, stays });
        self.act = Act::All;
        self.natural_construct(inst)?;
        self.natural = None;
        self.mark(end);
        self.act = stays.map_or(before, Act::Some);
        if returns {
            self.end_if_all_returned();
        }
        Ok(())
    }

    /// Emits a construct as branches.
    pub(crate) fn natural_construct(&mut self, inst: Inst) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let results = &ir.inst(inst).results;
        let end = self.text.label("join");
        match &ir.inst(inst).op {
            Op::If { cond, then, else_ } => {
                let cond = self.get(*cond);
                let cond = self.predicate(cond);
                let is_empty = |region: Region| ir.region(region).insts.len() == 1;
                let lone = is_empty(*else_) && results.is_empty() && self.yields(*else_);
                let other = if lone { end } else { self.text.label("else") };
                self.line_text(format_args!("\t@!{cond} bra {other};"));
                let reached = self.natural_region(*then, results)?;
                if !lone {
                    if reached {
                        self.line_text(format_args!("\tbra {end};"));
                    }
                    self.mark(other);
                    self.natural_region(*else_, results)?;
                }
            }
            Op::Loop { body, inits } => {
                let params = &ir.region(*body).params;
                for param in params {
                    self.define(*param);
                }
                self.assign(params, inits, Act::All);
                let head = self.text.label("loop");
                self.mark(head);
                self.open.push(Construct { inst, way: Way::Branch(end) });
                match self.tail_test(inst, *body) {
                    Some(test) => self.natural_rounds(inst, *body, &test, head)?,
                    None => {
                        if self.natural_region(*body, params)? {
                            self.line_text(format_args!("\tbra {head};"));
                        }
                    }
                }
                self.open.pop();
            }
            Op::Block { body } => {
                self.open.push(Construct { inst, way: Way::Branch(end) });
                self.natural_region(*body, results)?;
                self.open.pop();
            }
            Op::Switch { selector, cases, inits } => {
                let ty = ir.ty(*selector);
                let selector = self.get_reg(*selector);
                self.open.push(Construct { inst, way: Way::Branch(end) });
                let entries: Vec<[Label; 2]> = cases
                    .iter()
                    .map(|_| [self.text.label("case"), self.text.label("fall")])
                    .collect();
                for case in cases {
                    for param in &ir.region(case.body).params {
                        self.define(*param);
                    }
                }
                for (case, [entry, _]) in cases.iter().zip(&entries) {
                    for label in &case.labels {
                        let equal = self.equals(ty, selector, *label);
                        self.line_text(format_args!("\t@{equal} bra {entry};"));
                    }
                }
                match cases.iter().position(|it| it.default) {
                    Some(default) => {
                        let [entry, _] = entries[default];
                        self.line_text(format_args!("\tbra {entry};"));
                    }
                    None => {
                        self.assign(results, inits, Act::All);
                        self.line_text(format_args!("\tbra {end};"));
                    }
                }
                for (number, case) in cases.iter().enumerate() {
                    let [entry, fall] = entries[number];
                    self.mark(entry);
                    self.assign(&ir.region(case.body).params, inits, Act::All);
                    self.mark(fall);
                    let next = cases.get(number + 1);
                    let targets = next.map_or(results, |it| &ir.region(it.body).params);
                    if self.natural_region(case.body, targets)? {
                        let to = entries.get(number + 1).map_or(end, |it| it[1]);
                        self.line_text(format_args!("\tbra {to};"));
                    }
                }
                self.open.pop();
            }
            _ => unreachable!("only these instructions have regions"),
        }
        self.mark(end);
        Ok(())
    }

    /// The test with which a loop ends, if its iterations end with one.
    fn tail_test(&self, inst: Inst, body: Region) -> Option<TailTest> {
        let ir = self.ir;
        let [.., test, last] = ir.region(body).insts[..] else { return None };
        if !matches!(ir.inst(last).op, Op::Yield(_)) {
            return None;
        }
        let Op::If { cond, then, else_ } = &ir.inst(test).op else { return None };
        let exit = |region: Region| match ir.region(region).insts[..] {
            [exit] if matches!(ir.inst(exit).op, Op::Exit { to, .. } if to == inst) => Some(exit),
            _ => None,
        };
        let (exit, stays) = match (exit(*then), exit(*else_)) {
            (Some(exit), None) if ir.only_yields(*else_).is_some() => (exit, false),
            (None, Some(exit)) if ir.only_yields(*then).is_some() => (exit, true),
            _ => return None,
        };
        let results = &ir.inst(test).results;
        results.is_empty().then_some(TailTest { cond: *cond, stays, exit })
    }

    /// Emits the body of a loop that ends with a test, as one branch back to the head. The assembler would take an exit
    /// and a branch for two nested constructs, and end both in each iteration.
    fn natural_rounds(
        &mut self,
        inst: Inst,
        body: Region,
        test: &TailTest,
        head: Label,
    ) -> Result<(), CannotEmit> {
        let ir = self.ir;
        let region = ir.region(body);
        let insts = &region.insts[..region.insts.len() - 2];
        for inst in insts {
            self.inst(*inst)?;
        }
        let (Op::Exit { args, .. }, Some(next)) =
            (&ir.inst(test.exit).op, ir::flow::yielded(ir, body))
        else {
            unreachable!("`tail_test` has found an exit and a yield")
        };
        // Also for lanes that stay: nothing in the loop reads the results.
        self.sunk(args)?;
        self.assign(&ir.inst(inst).results, args, Act::All);
        let cond = self.get(test.cond);
        let cond = self.predicate(cond);
        let again = self.text.reg(Class::Predicate);
        match test.stays {
            true => put!(self, "mov.pred {again}, {cond}"),
            false => put!(self, "not.pred {again}, {cond}"),
        }
        self.assign(&region.params, next, Act::All);
        self.line_text(format_args!("\t@{again} bra {head};"));
        Ok(())
    }

    fn yields(&self, region: Region) -> bool {
        let last = self.ir.region(region).insts.last();
        last.is_some_and(|it| matches!(self.ir.inst(*it).op, Op::Yield(_)))
    }

    /// Emits a region, and assigns what it yields. Returns whether lanes can reach its end.
    fn natural_region(&mut self, region: Region, results: &[Value]) -> Result<bool, CannotEmit> {
        let ir = self.ir;
        for inst in &ir.region(region).insts {
            match &ir.inst(*inst).op {
                Op::Yield(values) => {
                    self.assign(results, values, Act::All);
                    return Ok(true);
                }
                Op::Exit { to, args } => {
                    self.sunk(args)?;
                    self.assign(&ir.inst(*to).results, args, Act::All);
                    match self.way(*to) {
                        Some(Way::Branch(end)) => self.line_text(format_args!("\tbra {end};")),
                        Some(Way::Flag(out)) => {
                            put!(self, "mov.pred {out}, 1");
                            self.leave();
                        }
                        Some(Way::Together(_)) | None => {
                            unreachable!("lanes leave together by votes only")
                        }
                    }
                    return Ok(false);
                }
                Op::Return => {
                    if let Some(live) = self.live {
                        put!(self, "mov.pred {live}, 0");
                    }
                    self.leave();
                    return Ok(false);
                }
                _ => self.inst(*inst)?,
            }
        }
        unreachable!("the verifier has checked that a region ends in a terminator")
    }

    /// Gives up the lane's place in the active set.
    fn leave(&mut self) {
        let Some(Natural { end, stays }) = self.natural else {
            unreachable!("branches are inside a natural construct")
        };
        if let Some(stays) = stays {
            let no = Operand::Bits(ops::Ty::Bool, 0);
            self.move_to(Operand::Reg(stays), no, None);
        }
        self.line_text(format_args!("\tbra {end};"));
    }
}
