//! Accesses: variables, memory, buffers, resources.

use super::*;
use crate::library::{Function as LibraryFunction, Method};
use crate::types::Scalar;

#[test]
fn arrays_indexed_by_lanes_are_memory_and_keep_their_dimensions_apart() {
    let mut shader = Shader::new();
    let row = shader.types.intern(Type::Array { element: Types::UINT, len: 4 });
    let table = shader.types.intern(Type::Array { element: row, len: 3 });
    let a = shader.local("a", table);
    let whole = expr(ExprKind::Local(a), table);
    let first = expr(ExprKind::Index(Box::new(whole), Box::new(get(LANE))), row);
    let second = expr(ExprKind::Index(Box::new(first), Box::new(word(2))), Types::UINT);
    expect(
        &shader.text(vec![set(second, word(9))]),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 9
          v2: i32 = const.i32 2
          v3: i32 = const.i32 4
          v4: i32 = const.i32 3
          v5: i32 = const.i32 2147483648
          v6: i32 = mul v0, v3
          v7: i32 = add v6, v2
          v8: bool = lt.u v0, v4
          v9: i32 = select v8, v7, v5
          private_store p0[v9], v1
          yield
        }
        ",
    );
}

fn index(base: Expr, at: Expr, ty: TypeId) -> Expr {
    expr(ExprKind::Index(Box::new(base), Box::new(at)), ty)
}

fn field(base: Expr, field: u32, ty: TypeId) -> Expr {
    expr(ExprKind::Field(Box::new(base), field), ty)
}

fn swizzle(base: Expr, components: &[u32], ty: TypeId) -> Expr {
    expr(ExprKind::Swizzle(Box::new(base), components.to_vec()), ty)
}

fn named(id: LocalId, ty: TypeId) -> Expr {
    expr(ExprKind::Local(id), ty)
}

fn as_word(value: Expr) -> Expr {
    expr(ExprKind::Convert(Box::new(value)), Types::UINT)
}

#[test]
fn a_member_of_an_element_loads_only_itself() {
    let mut shader = Shader::new();
    let float3 = shader.types.vector(Scalar::F32, 3);
    let light = shader.structure("Light", &[("id", Types::UINT), ("at", float3)]);
    let buffer = shader
        .types
        .intern(Type::Resource(ResourceType::Structured { element: light, access: Access::Read }));
    let lights = shader.resource("lights", buffer, RegisterClass::Shader, Vec::new());
    let at = field(index(lights, get(LANE), light), 1, float3);
    let out = shader.at(get(LANE));
    let float2 = shader.types.vector(Scalar::F32, 2);
    let v = shader.local("v", float2);
    let body = vec![
        stmt(StmtKind::Let(v, Some(swizzle(at, &[2, 1], float2)))),
        set(out, as_word(swizzle(named(v, float2), &[0], Types::FLOAT))),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 8
          v2: i32 = const.i32 0
          v3, v4: f32 = load b1[element v0, byte v1]
          v5: i32 = convert.s.u.i32 v4
          store b0[element v0, byte v2], v5
          yield
        }
        ",
    );
}

#[test]
fn rows_of_a_column_major_matrix_are_gathered() {
    let mut shader = Shader::new();
    let float2 = shader.types.vector(Scalar::F32, 2);
    let matrix = shader.types.intern(Type::Matrix {
        scalar: Scalar::F32,
        rows: 2,
        columns: 2,
        row_major: false,
    });
    let constants = shader.structure("Constants", &[("scale", Types::FLOAT), ("m", matrix)]);
    let buffer = shader.types.intern(Type::Resource(ResourceType::Constant(constants)));
    let constants = shader.resource("constants", buffer, RegisterClass::Constant, Vec::new());
    let row = index(field(constants, 1, matrix), get(LANE), float2);
    let out = shader.at(get(LANE));
    expect(
        &shader.text(vec![set(out, as_word(index(row, word(1), Types::FLOAT)))]),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 268435456
          v2: i32 = const.i32 4
          v3: i32 = const.i32 32
          v4: i32 = const.i32 0
          v5: i32 = min.u v0, v1
          v6: i32 = mul v5, v2
          v7: i32 = add v6, v3
          v8: f32 = load b1[byte v7]
          v9: i32 = convert.s.u.i32 v8
          store b0[element v0, byte v4], v9
          yield
        }
        ",
    );
}

#[test]
fn groupshared_structs_are_split() {
    let mut shader = Shader::new();
    let uint2 = shader.types.vector(Scalar::U32, 2);
    let item = shader.structure("Item", &[("flag", Types::BOOL), ("pair", uint2)]);
    let items = shader.types.intern(Type::Array { element: item, len: 64 });
    shader.globals.push(Global {
        name: "items".into(),
        ty: items,
        kind: GlobalKind::Groupshared,
        span: Span::NONE,
    });
    let item_at = |at| index(expr(ExprKind::Global(GlobalId(0)), items), at, item);
    let pair = |at| field(item_at(at), 1, uint2);
    let target = swizzle(pair(get(LANE)), &[1], Types::UINT);
    let add = expr(
        ExprKind::Library {
            function: LibraryFunction::Interlocked { op: ir::Atomic::Add, returns: false },
            args: vec![
                Arg::Out { place: target, ty: Types::UINT, mode: Mode::Reference },
                Arg::In(word(5)),
            ],
        },
        Types::VOID,
    );
    let flag = field(item_at(word(3)), 0, Types::BOOL);
    let out = shader.at(get(LANE));
    let body = vec![
        stmt(StmtKind::Expr(add)),
        set(flag, expr(ExprKind::Const(1), Types::BOOL)),
        set(out, index(pair(word(9)), get(LANE), Types::UINT)),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 5
          v2: i32 = const.i32 2
          v3: i32 = const.i32 64
          v4: i32 = const.i32 2147483648
          v5: i32 = const.i32 1
          v6: bool = const.bool 1
          v7: i32 = const.i32 3
          v8: i32 = const.i32 18
          v9: i32 = const.i32 0
          v10: i32 = mul v0, v2
          v11: bool = lt.u v0, v3
          v12: i32 = select v11, v10, v4
          v13: i32 = add v12, v5
          shared_atomic.add g1[v13], v1
          shared_store g0[v7], v6
          v14: i32 = add v0, v8
          v15: bool = lt.u v0, v2
          v16: i32 = select v15, v14, v4
          v17: i32 = shared_load g1[v16]
          store b0[element v0, byte v9], v17
          yield
        }
        ",
    );
}

#[test]
fn arguments_are_copied_in_and_out() {
    let mut shader = Shader::new();
    let uint2 = shader.types.vector(Scalar::U32, 2);
    shader.functions.push(Function {
        name: "swap".into(),
        locals: vec![local("a", Types::UINT), local("b", Types::UINT), local("old", Types::UINT)],
        params: vec![Mode::InOut, Mode::Out],
        result: Types::VOID,
        body: vec![
            stmt(StmtKind::Let(LocalId(2), Some(get(LocalId(0))))),
            if_(odd(), vec![stmt(StmtKind::Return(None))], Vec::new()),
            set(get(LocalId(1)), get(LocalId(2))),
            set(get(LocalId(0)), word(7)),
        ],
        span: Span::NONE,
    });
    let v = shader.local("v", uint2);
    let component = |i| swizzle(named(v, uint2), &[i], Types::UINT);
    let out = |place, mode| Arg::Out { place, ty: Types::UINT, mode };
    let args = vec![out(component(1), Mode::InOut), out(component(0), Mode::Out)];
    let result = shader.at(get(LANE));
    let pair = expr(ExprKind::Construct(vec![get(LANE), word(1)]), uint2);
    let body = vec![
        stmt(StmtKind::Let(v, Some(pair))),
        stmt(StmtKind::Expr(expr(ExprKind::Call { function: FunctionId(0), args }, Types::VOID))),
        set(result, binary(BinaryOp::Add, component(0), component(1))),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = undef.i32
          v2: i32 = const.i32 1
          v3: i32 = const.i32 0
          v4: i32 = const.i32 7
          i5: v5, v6: i32 = block do r1 {
            v7: i32 = and v2, v2
            v8: bool = ne v7, v3
            if v8 then r2 {
              exit i5 v2, v1
            } else r3 {
              yield
            }
            yield v4, v2
          }
          v9: i32 = add v6, v5
          store b0[element v0, byte v3], v9
          yield
        }
        ",
    );
}

#[test]
fn a_resource_in_a_variable_is_the_index_into_its_array() {
    let mut shader = Shader::new();
    let raw = shader.types.intern(Type::Resource(ResourceType::Raw { writable: true }));
    let buffers = || expr(ExprKind::Resource(ResourceId(1)), raw);
    let all = shader.resource("buffers", raw, RegisterClass::Unordered, vec![4]);
    let chosen = shader.local("chosen", raw);
    let element = |at| index(Expr { ty: all.ty, ..buffers() }, at, raw);
    let store = expr(
        ExprKind::Method {
            method: Method::RawStore { n: 1 },
            object: Box::new(named(chosen, raw)),
            args: vec![Arg::In(word(8)), Arg::In(get(LANE))],
        },
        Types::VOID,
    );
    let body = vec![
        stmt(StmtKind::Let(chosen, Some(element(word(1))))),
        if_(odd(), vec![set(named(chosen, raw), element(get(LANE)))], Vec::new()),
        stmt(StmtKind::Expr(store)),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 1
          v2: i32 = const.i32 0
          v3: i32 = const.i32 8
          v4: i32 = and v0, v1
          v5: bool = ne v4, v2
          v6: i32 = if v5 then r1 {
            yield v0
          } else r2 {
            yield v1
          }
          store b1(v6)[byte v3], v0
          yield
        }
        ",
    );
}

#[test]
fn a_variable_that_holds_two_resources_is_not_built_yet() {
    let mut shader = Shader::new();
    let raw = shader.types.intern(Type::Resource(ResourceType::Raw { writable: true }));
    let a = shader.resource("a", raw, RegisterClass::Unordered, Vec::new());
    let b = shader.resource("b", raw, RegisterClass::Unordered, Vec::new());
    let chosen = shader.local("chosen", raw);
    let body = vec![
        stmt(StmtKind::Let(chosen, Some(a))),
        if_(odd(), vec![set(named(chosen, raw), b)], Vec::new()),
    ];
    assert_eq!(shader.try_lower(body).unwrap_err(), ["unsupported-feature"]);
}

#[test]
fn bit_fields_share_their_storage() {
    let mut shader = Shader::new();
    let packed = shader
        .structure("Packed", &[("unit", Types::UINT), ("low", Types::UINT), ("high", Types::INT)]);
    let Type::Struct(id) = shader.types.get(packed) else { unreachable!("a struct was made") };
    let bits = |offset, width| Some(crate::types::BitField { unit: 0, offset, width });
    shader.types.structure_mut(id).fields[1].bits = bits(0, 5);
    shader.types.structure_mut(id).fields[2].bits = bits(5, 3);
    let p = shader.local("p", packed);
    let out = shader.at(get(LANE));
    let body = vec![
        stmt(StmtKind::Let(p, Some(expr(ExprKind::Construct(vec![get(LANE)]), packed)))),
        set(field(named(p, packed), 1, Types::UINT), word(3)),
        set(out, as_word(field(named(p, packed), 2, Types::INT))),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 3
          v2: i32 = const.i32 31
          v3: i32 = const.i32 4294967264
          v4: i32 = const.i32 0
          v5: i32 = const.i32 24
          v6: i32 = const.i32 29
          v7: i32 = shl v1, v4
          v8: i32 = and v7, v2
          v9: i32 = and v0, v3
          v10: i32 = or v9, v8
          v11: i32 = shl v10, v5
          v12: i32 = shr.s v11, v6
          store b0[element v0, byte v4], v12
          yield
        }
        ",
    );
}

/// A shader with `RWBuffer<float4> texels`, and an element of that.
fn with_texels() -> (Shader, TypeId, impl Fn(Expr) -> Expr) {
    let mut shader = Shader::new();
    let float4 = shader.types.vector(Scalar::F32, 4);
    let typed = ResourceType::Typed { element: float4, writable: true, norm: ir::Norm::None };
    let typed = shader.types.intern(Type::Resource(typed));
    shader.resource("texels", typed, RegisterClass::Unordered, Vec::new());
    (shader, float4, move |at| index(expr(ExprKind::Resource(ResourceId(1)), typed), at, float4))
}

#[test]
fn texels_are_written_whole() {
    let (shader, float4, texel) = with_texels();
    let wzyx = swizzle(texel(get(LANE)), &[3, 2, 1, 0], float4);
    let body = vec![set(texel(word(0)), wzyx)];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 0
          v2, v3, v4, v5: f32 = load b1[texel v0]
          store b1[texel v1], v5, v4, v3, v2
          yield
        }
        ",
    );
}

#[test]
fn a_component_of_a_texel_is_written_with_the_others() {
    let (shader, _, texel) = with_texels();
    let one = expr(ExprKind::Const(0x3f80_0000), Types::FLOAT);
    let body = vec![set(swizzle(texel(get(LANE)), &[1], Types::FLOAT), one)];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: f32 = const.f32 0x3f800000 // 1.0
          v2, v3, v4, v5: f32 = load b1[texel v0]
          store b1[texel v0], v2, v1, v4, v5
          yield
        }
        ",
    );
}

#[test]
fn a_table_that_lanes_index_is_filled_once() {
    let mut shader = Shader::new();
    let table = shader.types.intern(Type::Array { element: Types::UINT, len: 2 });
    let init = expr(ExprKind::Construct(vec![word(10), word(20)]), table);
    shader.globals.push(Global {
        name: "table".into(),
        ty: table,
        kind: GlobalKind::Static { init: Some(init) },
        span: Span::NONE,
    });
    let out = shader.at(get(LANE));
    let value = index(expr(ExprKind::Global(GlobalId(0)), table), get(LANE), Types::UINT);
    expect(
        &shader.text(vec![set(out, value)]),
        "
        body r0 {
          v0: i32 = const.i32 10
          v1: i32 = const.i32 20
          v2: i32 = const.i32 0
          v3: i32 = const.i32 1
          v4: i32 = builtin.group_index
          private_store p0[v2], v0
          private_store p0[v3], v1
          v5: i32 = private_load p0[v4]
          store b0[element v4, byte v2], v5
          yield
        }
        ",
    );
}

#[test]
fn wave_functions_of_vectors_work_by_component_but_match_takes_all() {
    let mut shader = Shader::new();
    let int2 = shader.types.vector(Scalar::I32, 2);
    let uint4 = shader.types.vector(Scalar::U32, 4);
    let pair = || expr(ExprKind::Construct(vec![get(LANE), word(1)]), int2);
    let wave = |name: &str, output, args, ty| {
        expr(ExprKind::Wave { intrinsic: by_name(name).unwrap().intrinsic, output, args }, ty)
    };
    let least = wave("WaveActiveMin", Output::Value, vec![pair()], int2);
    let equal = wave("WaveMatch", Output::Uint4, vec![pair()], uint4);
    let (out, out2) = (shader.at(get(LANE)), shader.at(word(0)));
    let body = vec![
        set(out, as_word(swizzle(least, &[1], Types::INT))),
        set(out2, swizzle(equal, &[0], Types::UINT)),
    ];
    expect(
        &shader.text(body),
        "
        body r0 {
          v0: i32 = builtin.group_index
          v1: i32 = const.i32 1
          v2: i32 = const.i32 0
          v3: i32 = wave.reduce.min.s v0
          v4: i32 = wave.reduce.min.s v1
          store b0[element v0, byte v2], v4
          v5, v6, v7, v8: i32 = wave.match v0, v1
          store b0[element v2, byte v2], v5
          yield
        }
        ",
    );
}
