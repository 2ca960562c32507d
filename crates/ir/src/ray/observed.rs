//! What a program observes of its queries: whether any hit is as good as the closest one.
//!
//! The analysis follows a handle only from its allocation to the instructions that take it directly. Handles that take
//! another way, through variables that lanes assign differently, may name any query.

use super::{Field, RayOp, Which};
use crate::{Inst, Module, Op, Query, Value, ValueDef};

/// The queries of whose committed hit a program observes nothing but whether there is one, by their declaration.
pub fn by_status_alone(module: &Module) -> Vec<bool> {
    let mut alone = vec![true; module.queries.len()];
    for data in &module.insts {
        let Op::Ray(ray) = &data.op else { continue };
        let RayOp::Get(Which::Committed, field) = ray.op else { continue };
        if field == Field::Kind {
            continue;
        }
        match allocated(module, ray.args[0]) {
            Some(query) => alone[query.index()] = false,
            None => alone.fill(false),
        }
    }
    alone
}

/// The declaration of the query that a handle certainly names.
pub fn allocated(module: &Module, handle: Value) -> Option<Query> {
    let ValueDef::Result(Inst(at), _) = module.values[handle.index()].def else { return None };
    match &module.insts[at as usize].op {
        Op::Ray(ray) if ray.op == RayOp::Allocate => ray.query,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// Two queries, of which the first is read as given.
    fn alone(read: &str) -> Vec<bool> {
        let text = format!(
            "entry \"main\": compute 6.5\ngroup_size 1, 1, 1\nq0 \"a\": 0 x 1\nq1 \"b\": 0 x 1\nbody r0 {{\n\
             v0: i32 = const.i32 0\nv1: i32 = ray.allocate q0, v0\nv2: i32 = ray.allocate q1, v0\n\
             v3: i32 = or v1, v0\n{read}\nyield\n}}\n"
        );
        by_status_alone(&text::read(&text).unwrap())
    }

    #[test]
    fn queries_are_distinguished_by_their_allocation() {
        assert_eq!(alone("v4: i32 = ray.get.committed.kind v1"), [true, true]);
        assert_eq!(alone("v4: i32 = ray.get.ray.flags v1"), [true, true]);
        assert_eq!(alone("v4: f32 = ray.get.committed.t v1"), [false, true]);
        assert_eq!(alone("v4: i32 = ray.get.committed.primitive_index v2"), [true, false]);
        // A handle that has gone another way may be that of any query.
        assert_eq!(alone("v4: i32 = ray.get.committed.primitive_index v3"), [false, false]);
    }
}
