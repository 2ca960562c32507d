//! Whether the pieces of waves can be regrouped at joint constructs.
//!
//! In the canonical order a wave runs from one barrier to the next before another wave runs. Where a joint construct
//! begins, ends or iterates in between, its code consists of several pieces, and a frame runs the first piece of all
//! waves before the second piece of any (loop fission without a barrier). The difference is visible only if one of
//! these pieces writes memory that another one accesses. Only a race can make use of that, but the results of a race
//! are canonical, too.
//!
//! The first iteration of a loop is walked by itself, so that a loop that surely runs has a barrier behind it if it has
//! one inside.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ir::facts::Space;
use ir::{Inst, Module, Op, Place, Region, ResourceKind, Shared, Value};

use super::joint::is_barrier;
use super::owners::{Owners, Way};

/// The most operations to follow from a condition.
const MOST_DEPTH: u32 = 4;

/// Memory that cannot alias. Descriptors may refer to the same bytes, so all resources are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Area {
    Resources,
    Shared(Shared),
}

/// What pieces access.
#[derive(Clone, Default, PartialEq)]
struct Accessed {
    all: BTreeSet<(Area, Way)>,
    written: BTreeSet<(Area, Way)>,
}

impl Accessed {
    fn join(&mut self, other: &Accessed) {
        self.all.extend(&other.all);
        self.written.extend(&other.written);
    }

    fn conflicts(&self, other: &Accessed, owners: Option<&Owners<'_>>) -> bool {
        let meet = |a: &BTreeSet<(Area, Way)>, b: &BTreeSet<(Area, Way)>| {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
            pairs
                .filter(|(a, b)| a.0 == b.0)
                .any(|(a, b)| !owners.is_some_and(|it| it.agree(a.1, b.1)))
        };
        meet(&self.written, &other.all) || meet(&self.all, &other.written)
    }
}

/// Whether every order of pieces between two barriers leaves the same.
pub(super) fn commute(module: &Module, joint: &[bool]) -> bool {
    // Most programs need no owners.
    [None, Some(Owners::new(module))].into_iter().any(|owners| {
        let (exits, first) = (BTreeMap::new(), HashMap::new());
        let mut walk = Walk { module, joint, exits, first, owners, commutes: true };
        walk.region(module.body, Some(Accessed::default()));
        walk.commutes
    })
}

struct Walk<'a> {
    module: &'a Module,
    joint: &'a [bool],
    /// By construct: what has been accessed since a barrier where waves leave it.
    exits: BTreeMap<Inst, Accessed>,
    /// The parameters of loops whose first iteration is walked, where they are constants.
    first: HashMap<Value, u64>,
    /// Of the threads, if they are needed.
    owners: Option<Owners<'a>>,
    commutes: bool,
}

impl Walk<'_> {
    /// Walks a joint region from what earlier pieces have accessed since the last barrier; returns that at its end, if
    /// waves get there.
    fn region(&mut self, region: Region, mut earlier: Option<Accessed>) -> Option<Accessed> {
        let mut piece = Accessed::default();
        for inst in &self.module.region(region).insts {
            if !self.joint[inst.index()] {
                self.access(*inst, None, &mut piece);
                continue;
            }
            if let Some(earlier) = &mut earlier {
                self.commutes &= !earlier.conflicts(&piece, self.owners.as_ref());
                earlier.join(&piece);
            }
            piece = Accessed::default();
            earlier = self.joint(*inst, earlier);
        }
        earlier
    }

    fn joint(&mut self, inst: Inst, earlier: Option<Accessed>) -> Option<Accessed> {
        let earlier = earlier?;
        match &self.module.inst(inst).op {
            op if is_barrier(op) => Some(Accessed::default()),
            Op::Exit { to, .. } => {
                self.exits.entry(*to).or_default().join(&earlier);
                None
            }
            Op::If { cond, then, else_ } => {
                let known = self.constant(*cond, MOST_DEPTH).map(|it| it != 0);
                let mut arm = |region: Region, taken: bool| {
                    let earlier = (known != Some(!taken)).then(|| earlier.clone());
                    earlier.and_then(|it| self.region(region, Some(it)))
                };
                let arms = [arm(*then, true), arm(*else_, false)];
                self.either(inst, arms)
            }
            Op::Block { body } => {
                let end = self.region(*body, Some(earlier));
                self.either(inst, [end, None])
            }
            Op::Loop { body, inits } => {
                let params = self.module.region(*body).params.iter().zip(inits);
                let known: Vec<(Value, u64)> = params
                    .filter_map(|(it, init)| Some((*it, self.constant(*init, MOST_DEPTH)?)))
                    .collect();
                self.first.extend(known.iter().copied());
                let mut begin = self.region(*body, Some(earlier));
                self.first.retain(|it, _| !known.iter().any(|known| known.0 == *it));
                while let Some(end) = self.region(*body, begin.clone()) {
                    let before = begin.clone();
                    begin.get_or_insert_default().join(&end);
                    if begin == before {
                        break;
                    }
                }
                self.either(inst, [None, None])
            }
            _ => Some(earlier),
        }
    }

    /// What has been accessed behind a construct: at the ends of its regions, and where waves leave it.
    fn either(&mut self, inst: Inst, ends: [Option<Accessed>; 2]) -> Option<Accessed> {
        let ways = ends.into_iter().chain([self.exits.remove(&inst)]).flatten();
        ways.reduce(|mut all, way| {
            all.join(&way);
            all
        })
    }

    /// The value of what depends on constants alone, by a few operations.
    fn constant(&self, value: Value, depth: u32) -> Option<u64> {
        self.first.get(&value).copied().or_else(|| {
            let depth = depth.checked_sub(1)?;
            let op = &self.module.inst(self.module.made_by(value)?).op;
            ir::eval::eval(self.module, op, |it| self.constant(it, depth))
        })
    }

    /// Adds what an instruction accesses, in the threads that may run it.
    fn access(&mut self, inst: Inst, threads: Option<&[bool]>, piece: &mut Accessed) {
        let module = self.module;
        let op = &module.inst(inst).op;
        let is_constant = |place: Place| {
            matches!(module.resource(place.binding).kind, ResourceKind::Constant { .. })
        };
        if let Some((space, access)) = op.effects().memory() {
            let area = match space {
                // Nothing writes them.
                Space::Resource(place) if is_constant(place) => None,
                Space::Resource(_) | Space::Counter(_) => Some(Area::Resources),
                Space::Shared(memory) => Some(Area::Shared(memory)),
                Space::Private(_) | Space::Queries => None,
            };
            let owners = self.owners.as_mut();
            let way = owners.map_or(Way::Anywhere, |it| it.way(op, threads));
            piece.all.extend(area.map(|it| (it, way)));
            if access.writes() {
                piece.written.extend(area.map(|it| (it, way)));
            }
        }
        let arms = match (op, &mut self.owners) {
            (Op::If { cond, .. }, Some(owners)) => owners.arms(*cond, threads),
            _ => None,
        };
        for (number, region) in op.regions().into_iter().enumerate() {
            let threads = arms.as_ref().map_or(threads, |it| Some(&it[number][..]));
            for it in &module.region(region).insts {
                self.access(*it, threads, piece);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum by a tree whose barrier is first in the loop; thread 0 reads what it has added up.
    const TREE: &str = "entry \"main\": compute 6.6
        group_size 64, 1, 1
        b0 \"Out\": structured.rw 4 at u0 used {
          \"\": u32 x 1 at 0
        }
        g0 \"sums\": i32 x 64
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 32
          v2: i32 = const.i32 0
          v3: i32 = const.i32 2
          shared_store g0[v0], v0
          i5: loop v1 do r1(v4: i32) {
            v5: bool = gt.u v4, v2
            if v5 then r2 {
              yield
            } else r3 {
              exit i5
            }
            barrier.group.group
            v6: bool = lt.u v0, v4
            if v6 then r4 {
              v7: i32 = add v0, v4
              v8: i32 = shared_load g0[v7]
              v9: i32 = shared_load g0[v0]
              v10: i32 = add v9, v8
              shared_store g0[v0], v10
              yield
            } else r5 {
              yield
            }
            v11: i32 = div.u v4, v3
            yield v11
          }
          v12: bool = eq v0, v2
          if v12 then r6 {
            v13: i32 = shared_load g0[v2]
            store b0[element v2, byte v2], v13
            yield
          } else r7 {
            yield
          }
          yield
        }\n";

    #[track_caller]
    fn commutes(text: &str) -> bool {
        let module = ir::text::read(text).unwrap();
        commute(&module, &super::super::joint::marked(&module))
    }

    #[test]
    fn own_elements_and_loops_that_run_are_not_an_obstacle() {
        assert!(commutes(TREE));
        // Thread 0 reads an element of another thread.
        assert!(!commutes(&TREE.replace("shared_load g0[v2]", "shared_load g0[v3]")));
        // All threads read the element of thread 0.
        assert!(!commutes(&TREE.replace("v12: bool = eq v0, v2", "v12: bool = eq v0, v0")));
        // The buffer is read before the first barrier, and the loop may not run.
        let reads = "v2: i32 = const.i32 0\nv14: i32 = load b0[element v2, byte v2]\n";
        let reads = TREE.replace("v2: i32 = const.i32 0\n", reads).replace("i5", "i6");
        assert!(commutes(&reads));
        assert!(!commutes(&reads.replace("loop v1 do", "loop v14 do")));
    }
}
