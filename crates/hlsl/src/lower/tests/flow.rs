//! Statements, calls and limits.

use super::*;

#[test]
fn a_variable_that_an_arm_assigns_is_a_result_of_the_if() {
    let mut shader = Shader::new();
    let x = shader.local("x", Types::UINT);
    let out = shader.at(get(LANE));
    let body = vec![
        stmt(StmtKind::Let(x, Some(word(7)))),
        if_(odd(), vec![set(get(x), active())], Vec::new()),
        set(out, get(x)),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 7
          v2: i32 = const.i32 1
          v3: i32 = const.i32 0
          v4: bool = const.bool 1
          v5: i32 = and v0, v2
          v6: bool = ne v5, v3
          v7: i32 = if v6 then r1 {
            v8: i32 = wave.count_bits v4
            yield v8
          } else r2 {
            yield v1
          }
          store b0[element v0, byte v3], v7
          yield
        }
        ",
    );
}

#[test]
fn early_returns_reconverge_after_the_call() {
    let mut shader = Shader::new();
    let f =
        shader.function(vec![if_(odd(), vec![return_(word(1))], Vec::new()), return_(active())]);
    let out = shader.at(get(LANE));
    let body = vec![set(out, call(f, vec![get(LANE)]))];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 1
          v2: i32 = const.i32 0
          v3: bool = const.bool 1
          i4: v4: i32 = block do r1 {
            v5: i32 = and v0, v1
            v6: bool = ne v5, v2
            if v6 then r2 {
              exit i4 v1
            } else r3 {
              yield
            }
            v7: i32 = wave.count_bits v3
            exit i4 v7
          }
          store b0[element v0, byte v2], v4
          yield
        }
        ",
    );
}

#[test]
fn continuing_lanes_reconverge_before_the_step() {
    let mut shader = Shader::new();
    let i = shader.local("i", Types::UINT);
    let step = expr(
        ExprKind::Step { place: Box::new(get(i)), increment: true, prefix: true },
        Types::UINT,
    );
    let out = shader.at(get(i));
    let body = vec![
        stmt(StmtKind::Let(i, Some(word(0)))),
        stmt(StmtKind::Loop(Box::new(Loop {
            cond: Some(binary(BinaryOp::Lt, get(i), get(LANE))),
            test_first: true,
            body: vec![if_(odd(), vec![stmt(StmtKind::Continue)], Vec::new()), set(out, active())],
            step: Some(step),
        }))),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 0
          v2: i32 = const.i32 1
          v3: bool = const.bool 1
          i4: loop v1 do r1(v4: i32) {
            v5: bool = lt.u v4, v0
            if v5 then r2 {
              yield
            } else r3 {
              exit i4
            }
            i9: block do r4 {
              v6: i32 = and v0, v2
              v7: bool = ne v6, v1
              if v7 then r5 {
                exit i9
              } else r6 {
                yield
              }
              v8: i32 = wave.count_bits v3
              store b0[element v4, byte v1], v8
              yield
            }
            v9: i32 = add v4, v2
            yield v9
          }
          yield
        }
        ",
    );
}

#[test]
fn cases_fall_through_with_their_assignments() {
    let mut shader = Shader::new();
    let x = shader.local("x", Types::UINT);
    let out = shader.at(get(LANE));
    let group = |labels: Vec<u64>, default, body| CaseGroup { labels, default, body };
    let body = vec![
        stmt(StmtKind::Let(x, Some(word(0)))),
        stmt(StmtKind::Switch(Box::new(Switch {
            selector: get(LANE),
            groups: vec![
                group(vec![0, 1], false, vec![set(get(x), active())]),
                group(vec![2], true, vec![set(get(x), active()), stmt(StmtKind::Break)]),
            ],
        }))),
        set(out, get(x)),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 0
          v2: bool = const.bool 1
          i3: v3: i32 = switch v0 with v1 {
            case 0, 1 r1(v4: i32) {
              v5: i32 = wave.count_bits v2
              yield v5
            }
            case 2, default r2(v6: i32) {
              v7: i32 = wave.count_bits v2
              exit i3 v7
            }
          }
          store b0[element v0, byte v1], v3
          yield
        }
        ",
    );
}

#[test]
fn the_right_side_of_a_short_circuit_runs_where_it_is_needed() {
    let shader = Shader::new();
    let two = binary(BinaryOp::Eq, active(), word(2));
    let both = |short_circuit, rhs| {
        expr(
            ExprKind::Logic { and: true, short_circuit, lhs: Box::new(odd()), rhs: Box::new(rhs) },
            Types::BOOL,
        )
    };
    let out = shader.at(get(LANE));
    let body = vec![if_(both(true, two), vec![set(out, word(1))], Vec::new())];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 1
          v2: i32 = const.i32 0
          v3: bool = const.bool 0
          v4: bool = const.bool 1
          v5: i32 = const.i32 2
          v6: i32 = and v0, v1
          v7: bool = ne v6, v2
          v8: bool = if v7 then r1 {
            v9: i32 = wave.count_bits v4
            v10: bool = eq v9, v5
            yield v10
          } else r2 {
            yield v3
          }
          if v8 then r3 {
            store b0[element v0, byte v2], v1
            yield
          } else r4 {
            yield
          }
          yield
        }
        ",
    );
}

#[test]
fn a_loop_that_nothing_leaves_ends_the_program() {
    let mut shader = Shader::new();
    let x = shader.local("x", Types::UINT);
    let body = vec![
        stmt(StmtKind::Let(x, None)),
        stmt(StmtKind::Loop(Box::new(Loop {
            cond: None,
            test_first: true,
            body: vec![set(get(x), active())],
            step: None,
        }))),
        set(get(x), word(1)),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: bool = const.bool 1
          i1: loop do r1 {
            v1: i32 = wave.count_bits v0
            yield
          }
          return
        }
        ",
    );
}

#[test]
fn a_call_tree_that_doubles_at_each_level_is_rejected() {
    let mut shader = Shader::new();
    let mut last = shader.function(vec![return_(binary(BinaryOp::Add, get(LANE), word(1)))]);
    for _ in 0..30 {
        let twice = binary(BinaryOp::Add, call(last, vec![get(LANE)]), call(last, vec![get(LANE)]));
        last = shader.function(vec![return_(twice)]);
    }
    let out = shader.at(get(LANE));
    let body = vec![set(out, call(last, vec![get(LANE)]))];
    assert_eq!(shader.try_lower(body).unwrap_err(), ["program-too-large"]);
}

#[test]
fn nesting_that_would_exhaust_the_stack_is_rejected() {
    let mut shader = Shader::new();
    let mut last = shader.function(vec![return_(word(1))]);
    for _ in 0..200 {
        let mut nested = call(last, vec![get(LANE)]);
        for _ in 0..200 {
            nested = expr(ExprKind::Unary(UnaryOp::BitNot, Box::new(nested)), Types::UINT);
        }
        last = shader.function(vec![return_(nested)]);
    }
    let out = shader.at(get(LANE));
    let body = vec![set(out, call(last, vec![get(LANE)]))];
    assert_eq!(shader.try_lower(body).unwrap_err(), ["nesting-too-deep"]);
}

/// Every construct that deepens our stack, nested repeatedly, on a stack as small as the smallest that we may be
/// given.
#[test]
fn accepted_nesting_fits_on_a_small_stack() {
    const STACK: usize = 1 << 20;
    let deep = || {
        let mut shader = Shader::new();
        let mut last = shader.function(vec![return_(word(1))]);
        for _ in 0..250 {
            let argument = binary(BinaryOp::Add, word(1), call(last, vec![get(LANE)]));
            let sum = binary(BinaryOp::Mul, word(2), argument);
            let choice = expr(
                ExprKind::Conditional {
                    short_circuit: false,
                    cond: Box::new(odd()),
                    then: Box::new(expr(ExprKind::Convert(Box::new(sum)), Types::UINT)),
                    else_: Box::new(word(4)),
                },
                Types::UINT,
            );
            let element = shader.at(choice);
            let block = stmt(StmtKind::Block(vec![stmt(StmtKind::Block(vec![return_(element)]))]));
            last = shader.function(vec![block]);
        }
        let out = shader.at(get(LANE));
        let body = vec![set(out, call(last, vec![get(LANE)]))];
        assert_eq!(shader.try_lower(body).unwrap_err(), ["nesting-too-deep"]);
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(deep).unwrap();
    thread.join().unwrap();
}

#[test]
fn ifs_in_ifs_fit_on_a_small_stack() {
    let deep = || {
        for (depth, refused) in [(200, false), (300, true)] {
            let shader = Shader::new();
            let out = shader.at(get(LANE));
            let innermost = set(out, word(1));
            let nested = (0..depth).fold(innermost, |inner, _| if_(odd(), vec![inner], Vec::new()));
            let lowered = shader.try_lower(vec![nested]);
            assert_eq!(lowered.is_err(), refused);
        }
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(deep).unwrap().join().unwrap();
}

#[test]
fn a_chain_of_else_ifs_may_be_long() {
    let mut shader = Shader::new();
    let x = shader.local("x", Types::UINT);
    let out = shader.at(get(LANE));
    let is = |i| binary(BinaryOp::Eq, get(LANE), word(i));
    let chain = (0..1000)
        .rev()
        .fold(Vec::new(), |rest, i| vec![if_(is(i), vec![set(get(x), word(i))], rest)]);
    let mut body = vec![stmt(StmtKind::Let(x, Some(word(5))))];
    body.extend(chain);
    body.push(set(out, get(x)));
    assert!(shader.try_lower(body).is_ok());
}
