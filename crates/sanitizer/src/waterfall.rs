//! Waterfall loops that do not end: in each iteration the first lane's value is read, the lanes with the same value do
//! their work and should leave. What can be wrong is the comparison, or the way out.
//!
//! Only the last iteration is examined: the loop has returned to an earlier state, so all later iterations are like it.

use interp::observe::At;
use ir::{Inst, Op, Value};
use ops::wave::Lanes;
use ops::{Compare, LaneMask, Ty};

use crate::facts::Facts;
use crate::finding::Site;

/// The last time that a wave read its first active lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstRead {
    inst: Inst,
    active: LaneMask,
    bits: u64,
}

impl FirstRead {
    pub(crate) fn new(at: At, args: &[Lanes<'_>]) -> Option<FirstRead> {
        let lane = at.active.first()?;
        Some(FirstRead { inst: at.inst, active: at.active, bits: args.first()?.get(lane) })
    }
}

/// Why lanes do not leave a loop.
#[derive(Debug, Default)]
pub(crate) struct Why {
    pub(crate) sites: Vec<Site>,
    pub(crate) notes: Vec<String>,
    pub(crate) helps: Vec<String>,
}

/// Why the lanes of `at` do not leave their loop, if it goes from first lane to first lane or has no way out.
pub(crate) fn explain(facts: &Facts<'_>, at: At, read: Option<FirstRead>) -> Why {
    let mut why = Why::default();
    let has_exit = has_exit(facts, at.inst);
    let read = read.filter(|it| facts.encloses(at.inst, it.inst));
    if !has_exit {
        why.notes.push("nothing in the loop leaves it".to_owned());
    }
    let Some(read) = read else {
        if !has_exit {
            why.helps.push(LEAVE.to_owned());
        }
        return why;
    };
    let (shown, operand) = match &facts.module.inst(read.inst).op {
        Op::Wave { args, .. } => (shown(facts.module.ty(args[0]), read.bits), args[0]),
        _ => return why,
    };
    let first = read.active.first().unwrap_or(0);
    let span = facts.module.inst(read.inst).span;
    let text =
        format!("in each iteration, lane {first} is the first lane here, and its value is {shown}");
    why.sites.push(Site { span, inst: Some(read.inst), text });
    let Some((compare, other)) = comparison(facts, at.inst, read.inst) else {
        if !has_exit {
            why.helps.push(LEAVE.to_owned());
        }
        return why;
    };
    let site =
        |text: String| Site { span: facts.module.inst(compare).span, inst: Some(compare), text };
    let is_nan = shown == "NaN";
    if is_nan && other == operand {
        why.sites.push(site(
            "NaN == NaN is false, so that no lane has the value of the first".to_owned(),
        ));
        why.helps.push(
            "compare the bits: `asuint(a) == asuint(b)` is true for equal NaN values".to_owned(),
        );
    } else if other != operand {
        let name = |value| {
            let variable = facts.module.variables.iter().find(|it| it.values.contains(&value));
            variable.map(|it| format!("`{}`", it.name))
        };
        let (read, compared) = (name(operand), name(other));
        let text = match (&read, &compared) {
            (Some(read), Some(compared)) => {
                format!("the first lane's {read} is compared with {compared} here")
            }
            _ => "the first lane's value is compared with a value other than the one that is read"
                .to_owned(),
        };
        why.sites.push(site(format!("{text}, and no remaining lane has {shown}")));
        why.helps.push(format!(
            "compare what `WaveReadLaneFirst` returns with its own argument{}",
            read.map_or_else(String::new, |it| format!(", {it}"))
        ));
    } else {
        why.sites.push(site(format!(
            "this is true for lane {first} in each iteration, and lane {first} stays"
        )));
        why.helps.push(LEAVE.to_owned());
    }
    why
}

const LEAVE: &str = "let the lanes that are done leave the loop by `break`: those that `continue`, or only remember that they are done, are still in it";

/// Whether some instruction leads out of a loop.
fn has_exit(facts: &Facts<'_>, around: Inst) -> bool {
    let inside = (0..facts.module.insts.len() as u32).map(Inst);
    inside.filter(|it| facts.encloses(around, *it)).any(|it| match &facts.module.inst(it).op {
        Op::Exit { to, .. } => facts.encloses(*to, around),
        Op::Return => true,
        _ => false,
    })
}

/// The first equality in a loop between what a wave read from its first lane and something else.
fn comparison(facts: &Facts<'_>, around: Inst, read: Inst) -> Option<(Inst, Value)> {
    let is_read = |value: Value| facts.module.made_by(value) == Some(read);
    let all = (0..facts.module.insts.len() as u32).map(Inst);
    let inside = all.filter(|it| facts.encloses(around, *it));
    let mut found = inside.filter_map(|inst| match facts.module.inst(inst).op {
        Op::Compare(Compare::Eq | Compare::Ne, a, b) if is_read(a) => Some((inst, b)),
        Op::Compare(Compare::Eq | Compare::Ne, a, b) if is_read(b) => Some((inst, a)),
        _ => None,
    });
    found.next()
}

fn shown(ty: Ty, bits: u64) -> String {
    match ty {
        Ty::F32 => float(f64::from(f32::from_bits(bits as u32))),
        Ty::F64 => float(f64::from_bits(bits)),
        Ty::Bool => (bits != 0).to_string(),
        Ty::I32 => (bits as u32).to_string(),
        _ => bits.to_string(),
    }
}

fn float(value: f64) -> String {
    if value.is_nan() { "NaN".to_owned() } else { value.to_string() }
}
