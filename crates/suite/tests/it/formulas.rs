//! Functions that are formulas over several operations are as accurate as their operations allow.
//!
//! Each is compiled and run on 100,000 sets of arguments, and compared with the same formula in f64. The bound is
//! that of numerical analysis: with n roundings in a term, n · 2^-24 times the sum of the magnitudes of all terms.

use interp::NoObserver;
use ir::exec::{Bindings, Buffer, Launch};
use suite::run;

const SETS: usize = 100_032;
const THREADS: u32 = 64;

type V = [f64; 4];

/// The exact components of a result, and for each the sum of the magnitudes of its terms.
type Exact = [(f64, f64); 4];

struct Formula {
    name: &'static str,
    /// A formula over the vectors `a`, `b` and `c` of four floats.
    hlsl: &'static str,
    exact: fn(V, V, V) -> Exact,
    roundings: f64,
}

const NOTHING: (f64, f64) = (0.0, 0.0);

/// One component.
fn only(exact: f64, terms: f64) -> Exact {
    [(exact, terms), NOTHING, NOTHING, NOTHING]
}

fn each(f: impl Fn(usize) -> (f64, f64)) -> Exact {
    std::array::from_fn(f)
}

fn dot(a: V, b: V) -> f64 {
    (0..4).map(|i| a[i] * b[i]).sum()
}

/// The sum of the magnitudes of the products.
fn size(a: V, b: V) -> f64 {
    dot(a.map(f64::abs), b.map(f64::abs))
}

/// The sum of products over permutations, with their signs or all positive.
fn expand(m: &[Vec<f64>], signed: bool) -> f64 {
    let Some(first) = m.first() else { return 1.0 };
    let minor = |k: usize| -> Vec<Vec<f64>> {
        let without = |row: &Vec<f64>| (0..row.len()).filter(|j| *j != k).map(|j| row[j]).collect();
        m[1..].iter().map(without).collect()
    };
    let sign = |k: usize| if signed && k % 2 == 1 { -1.0 } else { 1.0 };
    (0..first.len()).map(|k| sign(k) * first[k] * expand(&minor(k), signed)).sum()
}

fn determinant(n: usize, rows: &[V]) -> Exact {
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row[..n].to_vec()).collect();
    let sizes: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect();
    only(expand(&rows, true), expand(&sizes, false))
}

const FORMULAS: &[Formula] = &[
    Formula {
        name: "dot",
        hlsl: "float4(dot(a, b), 0, 0, 0)",
        exact: |a, b, _| only(dot(a, b), size(a, b)),
        roundings: 4.0,
    },
    Formula {
        name: "length",
        hlsl: "float4(length(a), 0, 0, 0)",
        exact: |a, _, _| only(dot(a, a).sqrt(), dot(a, a).sqrt()),
        roundings: 3.0,
    },
    Formula {
        name: "distance",
        hlsl: "float4(distance(a, b), 0, 0, 0)",
        exact: |a, b, _| {
            let way = std::array::from_fn(|i| a[i] - b[i]);
            only(dot(way, way).sqrt(), dot(way, way).sqrt())
        },
        roundings: 4.0,
    },
    Formula {
        name: "normalize",
        hlsl: "normalize(a)",
        exact: |a, _, _| each(|i| (a[i] / dot(a, a).sqrt(), a[i].abs() / dot(a, a).sqrt())),
        roundings: 4.0,
    },
    Formula {
        name: "cross",
        hlsl: "float4(cross(a.xyz, b.xyz), 0)",
        exact: |a, b, _| {
            each(|i| match i {
                3 => NOTHING,
                _ => {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    (a[j] * b[k] - a[k] * b[j], (a[j] * b[k]).abs() + (a[k] * b[j]).abs())
                }
            })
        },
        roundings: 2.0,
    },
    Formula {
        name: "reflect",
        hlsl: "reflect(a, b)",
        exact: |a, b, _| {
            each(|i| (a[i] - 2.0 * dot(a, b) * b[i], a[i].abs() + 2.0 * size(a, b) * b[i].abs()))
        },
        roundings: 6.0,
    },
    Formula {
        name: "refract",
        hlsl: "refract(a, b, 0.5)",
        exact: |a, b, _| {
            let (along, k) = (dot(a, b), 1.0 - 0.25 * (1.0 - dot(a, b) * dot(a, b)));
            // The root is at least √¾, so it reduces errors.
            let root = 1.0 + 0.25 * (1.0 + size(a, b) * size(a, b));
            each(|i| {
                let exact = 0.5 * a[i] - (0.5 * along + k.sqrt()) * b[i];
                (exact, 0.5 * a[i].abs() + (0.5 * size(a, b) + root) * b[i].abs())
            })
        },
        roundings: 10.0,
    },
    Formula {
        name: "faceforward",
        hlsl: "faceforward(c, a, b)",
        exact: |a, b, c| {
            let (along, sure) = (dot(a, b), size(a, b) * 1e-6);
            each(|i| match along {
                _ if along.abs() < sure => (0.0, 1e9),
                _ if along < 0.0 => (c[i], 0.0),
                _ => (-c[i], 0.0),
            })
        },
        roundings: 0.0,
    },
    Formula {
        name: "lerp",
        hlsl: "lerp(a, b, c)",
        exact: |a, b, c| {
            each(|i| {
                let terms = a[i].abs() + c[i].abs() * (a[i].abs() + b[i].abs());
                (a[i] + c[i] * (b[i] - a[i]), terms)
            })
        },
        roundings: 3.0,
    },
    Formula {
        name: "smoothstep",
        hlsl: "smoothstep(-4.0, 4.0, c)",
        exact: |_, _, c| {
            each(|i| {
                let t = (c[i] + 4.0) / 8.0;
                (t * t * (3.0 - 2.0 * t), 1.0)
            })
        },
        roundings: 6.0,
    },
    Formula {
        name: "mad",
        hlsl: "mad(a, b, c)",
        exact: |a, b, c| each(|i| (a[i] * b[i] + c[i], (a[i] * b[i]).abs() + c[i].abs())),
        roundings: 2.0,
    },
    Formula {
        name: "fma",
        hlsl: "fma(a, b, c)",
        exact: |a, b, c| each(|i| (a[i] * b[i] + c[i], (a[i] * b[i] + c[i]).abs())),
        roundings: 1.0,
    },
    Formula {
        name: "degrees and radians",
        hlsl: "float4(degrees(a.xy), radians(a.zw))",
        exact: |a, _, _| {
            each(|i| {
                let exact = if i < 2 { a[i].to_degrees() } else { a[i].to_radians() };
                (exact, exact.abs())
            })
        },
        roundings: 2.0,
    },
    Formula {
        name: "frac",
        hlsl: "frac(a)",
        exact: |a, _, _| each(|i| (a[i] - a[i].floor(), a[i] - a[i].floor())),
        roundings: 1.0,
    },
    Formula {
        name: "fmod",
        hlsl: "fmod(a, b)",
        exact: |a, b, _| each(|i| (a[i] % b[i], 0.0)),
        roundings: 0.0,
    },
    Formula {
        name: "rcp and division",
        hlsl: "float4(rcp(a.xy), a.zw / b.zw)",
        exact: |a, b, _| {
            each(|i| {
                let exact = if i < 2 { 1.0 / a[i] } else { a[i] / b[i] };
                (exact, exact.abs())
            })
        },
        roundings: 1.0,
    },
    Formula {
        name: "frexp undone by ldexp, and modf undone by a sum",
        hlsl: "float4(there_and_back(a.x), there_and_back(b.y), parts(a.z), parts(b.w))",
        exact: |a, b, _| [(a[0], 0.0), (b[1], 0.0), (a[2], 0.0), (b[3], 0.0)],
        roundings: 0.0,
    },
    Formula {
        name: "sincos",
        hlsl: "both(a.x, b.x)",
        exact: |a, b, _| {
            let values = [a[0].sin(), a[0].cos(), b[0].sin(), b[0].cos()];
            values.map(|it| (it, it.abs()))
        },
        roundings: 1.0,
    },
    Formula {
        name: "lit",
        hlsl: "lit(a.x, b.x, abs(c.x))",
        exact: |a, b, c| {
            let (l, h, m) = (a[0], b[0], c[0].abs());
            let specular = if l < 0.0 || h < 0.0 { 0.0 } else { h.powf(m) };
            [(1.0, 0.0), (l.max(0.0), 0.0), (specular, specular), (1.0, 0.0)]
        },
        roundings: 1.0,
    },
    Formula {
        name: "determinant of 2 by 2",
        hlsl: "float4(determinant(float2x2(a.xy, b.xy)), 0, 0, 0)",
        exact: |a, b, _| determinant(2, &[a, b]),
        roundings: 2.0,
    },
    Formula {
        name: "determinant of 3 by 3",
        hlsl: "float4(determinant(float3x3(a.xyz, b.xyz, c.xyz)), 0, 0, 0)",
        exact: |a, b, c| determinant(3, &[a, b, c]),
        roundings: 5.0,
    },
    Formula {
        name: "determinant of 4 by 4",
        hlsl: "float4(determinant(float4x4(a, b, c, a.yzwx)), 0, 0, 0)",
        exact: |a, b, c| determinant(4, &[a, b, c, [a[1], a[2], a[3], a[0]]]),
        roundings: 9.0,
    },
    Formula {
        name: "mul of a matrix and a column",
        hlsl: "mul(float4x4(a, b, c, a.wzyx), c)",
        exact: |a, b, c| {
            let rows = [a, b, c, [a[3], a[2], a[1], a[0]]];
            each(|i| (dot(rows[i], c), size(rows[i], c)))
        },
        roundings: 4.0,
    },
    Formula {
        name: "mul of a row and a matrix",
        hlsl: "mul(c, float4x4(a, b, c, a.wzyx))",
        exact: |a, b, c| {
            let rows = [a, b, c, [a[3], a[2], a[1], a[0]]];
            each(|i| {
                let column = rows.map(|row| row[i]);
                (dot(c, column), size(c, column))
            })
        },
        roundings: 4.0,
    },
];

const PROGRAM: &str = "
StructuredBuffer<float4> A;
StructuredBuffer<float4> B;
StructuredBuffer<float4> C;
RWStructuredBuffer<float4> R;
float there_and_back(float x) { float e; float m = frexp(x, e); return ldexp(m, e); }
float parts(float x) { float whole; float fraction = modf(x, whole); return whole + fraction; }
float4 both(float x, float y) { float4 r; sincos(x, r.x, r.y); sincos(y, r.z, r.w); return r; }
[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    float4 a = A[i], b = B[i], c = C[i];
    R[i] = FORMULA;
}
";

/// Numbers in -4..4, some of them near zero, which are multiples of the smallest one.
fn arguments(seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(0x915f_77f5).wrapping_add(0x3c6e_f35f);
        state ^ state >> 15
    };
    let mut number = || {
        let size = 4.0 * (next() >> 8) as f32 / (1 << 24) as f32;
        let small = if next() % 8 == 0 { size / 1024.0 } else { size };
        // No zero, because it would be a divisor.
        (small + 1e-6).copysign(if next() % 2 == 0 { 1.0 } else { -1.0 })
    };
    (0..4 * SETS).map(|_| number()).collect()
}

fn run(formula: &Formula, inputs: &[Vec<f32>; 3]) -> Vec<f32> {
    let text = PROGRAM.replace("FORMULA", formula.hlsl);
    let options = run::options(&[]).unwrap();
    let compiled = run::compile_text("formula.hlsl", &text, &options);
    let messages = diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain);
    let module = compiled.module.unwrap_or_else(|| panic!("{}: {messages}", formula.name));
    let buffer = |bytes: Vec<u8>| vec![Buffer { bytes: bytes.into(), ..Buffer::default() }];
    let bytes_of = |name: &str| match "ABC".find(name) {
        Some(i) => inputs[i].iter().flat_map(|it| it.to_le_bytes()).collect(),
        None => vec![0; 16 * SETS],
    };
    let bindings = module.resources.iter().map(|it| buffer(bytes_of(&it.name))).collect();
    let mut bindings = Bindings { bindings };
    let launch = Launch::dispatch([SETS as u32 / THREADS, 1, 1], THREADS);
    interp::run(&module, &launch, &mut bindings, &mut NoObserver)
        .unwrap_or_else(|failure| panic!("{}: {failure:?}", formula.name));
    let result = module.resources.iter().position(|it| it.name == "R").unwrap();
    let words = bindings.bindings[result][0].bytes.chunks_exact(4);
    words.map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
}

#[test]
fn formulas_are_as_accurate_as_their_operations_allow() {
    const UNIT: f64 = 1.0 / 16_777_216.0;
    let inputs = [arguments(1), arguments(2), arguments(3)];
    for formula in FORMULAS {
        let results = run(formula, &inputs);
        for (set, got) in results.chunks_exact(4).enumerate() {
            let [a, b, c] =
                [0, 1, 2].map(|k| std::array::from_fn(|i| f64::from(inputs[k][4 * set + i])));
            for (got, (exact, terms)) in got.iter().zip((formula.exact)(a, b, c)) {
                let error = (f64::from(*got) - exact).abs();
                // The second-order term, and the rounding of f64 itself.
                let bound = formula.roundings * UNIT * terms * (1.0 + 1e-5);
                assert!(
                    error <= bound,
                    "{} of {a:?}, {b:?}, {c:?} is {got}, {error:e} from {exact}: more than {bound:e}",
                    formula.name
                );
            }
        }
    }
}
