//! Formulas over the components of vectors. Sums run from the left.

use ir::{Value, Values, values};
use ops::{Binary, Compare, Sign, Unary};

use super::Emit;

/// Whether all or any are nonzero.
pub(super) fn fold_bools(e: &mut Emit<'_>, op: Binary, x: &[Value]) -> Value {
    let first = e.is_nonzero(x[0]);
    x[1..].iter().fold(first, |so_far, component| {
        let next = e.is_nonzero(*component);
        e.binary(op, so_far, next)
    })
}

pub(super) fn dot(e: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Value {
    sum_of_products(e, a.iter().copied().zip(b.iter().copied()))
}

/// The products of the pairs, added from the left; there is at least one.
pub(super) fn sum_of_products(
    e: &mut Emit<'_>,
    pairs: impl IntoIterator<Item = (Value, Value)>,
) -> Value {
    let mut sum = None;
    for (a, b) in pairs {
        let product = e.mul(a, b);
        sum = Some(match sum {
            Some(sum) => e.add(sum, product),
            None => product,
        });
    }
    sum.unwrap_or_else(|| unreachable!("vectors and matrices have components"))
}

pub(super) fn length(e: &mut Emit<'_>, x: &[Value]) -> Value {
    let square = dot(e, x, x);
    e.unary(Unary::Sqrt, square)
}

pub(super) fn distance(e: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Value {
    let way: Values = a.iter().zip(b).map(|(a, b)| e.sub(*a, *b)).collect();
    length(e, &way)
}

/// Multiplies by the reciprocal square root, as D3D compilers do.
pub(super) fn normalize(e: &mut Emit<'_>, x: &[Value]) -> Values {
    let square = dot(e, x, x);
    let scale = e.unary(Unary::Rsqrt, square);
    x.iter().map(|x| e.mul(*x, scale)).collect()
}

pub(super) fn cross(e: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Values {
    [(1, 2), (2, 0), (0, 1)]
        .into_iter()
        .map(|(i, j)| {
            let (left, right) = (e.mul(a[i], b[j]), e.mul(a[j], b[i]));
            e.sub(left, right)
        })
        .collect()
}

pub(super) fn reflect(e: &mut Emit<'_>, i: &[Value], n: &[Value]) -> Values {
    let dot = dot(e, i, n);
    let two = e.number(dot, 2.0);
    let twice = e.mul(two, dot);
    let along = |e: &mut Emit<'_>, i: Value, n: Value| {
        let part = e.mul(twice, n);
        e.sub(i, part)
    };
    i.iter().zip(n).map(|(i, n)| along(e, *i, *n)).collect()
}

/// With k = 1 - eta² (1 - dot(n, i)²): zero where k is negative, else eta i - (eta dot(n, i) + sqrt(k)) n.
pub(super) fn refract(e: &mut Emit<'_>, i: &[Value], n: &[Value], eta: Value) -> Values {
    let (zero, one) = (e.number(eta, 0.0), e.number(eta, 1.0));
    let dot = dot(e, n, i);
    let dot_squared = e.mul(dot, dot);
    let sine_squared = e.sub(one, dot_squared);
    let eta_squared = e.mul(eta, eta);
    let refracted = e.mul(eta_squared, sine_squared);
    let k = e.sub(one, refracted);
    let reflected = e.compare(Compare::Lt(Sign::Signed), k, zero);
    let cosine = e.unary(Unary::Sqrt, k);
    let entering = e.mul(eta, dot);
    let factor = e.add(entering, cosine);
    let component = |e: &mut Emit<'_>, i: Value, n: Value| {
        let (forward, normal) = (e.mul(eta, i), e.mul(factor, n));
        let direction = e.sub(forward, normal);
        e.select(reflected, zero, direction)
    };
    i.iter().zip(n).map(|(i, n)| component(e, *i, *n)).collect()
}

pub(super) fn face_forward(e: &mut Emit<'_>, n: &[Value], i: &[Value], ng: &[Value]) -> Values {
    let dot = dot(e, i, ng);
    let zero = e.number(dot, 0.0);
    let faces = e.compare(Compare::Lt(Sign::Signed), dot, zero);
    let component = |e: &mut Emit<'_>, n: Value| {
        let back = e.unary(Unary::Neg, n);
        e.select(faces, n, back)
    };
    n.iter().map(|n| component(e, *n)).collect()
}

pub(super) fn dst(e: &mut Emit<'_>, a: &[Value], b: &[Value]) -> Values {
    values![e.number(a[0], 1.0), e.mul(a[1], b[1]), a[2], b[3]]
}

/// Diffuse is l where it is positive; specular is h to the power m where neither is negative.
pub(super) fn lit(e: &mut Emit<'_>, l: Value, h: Value, m: Value) -> Values {
    let (zero, one) = (e.number(l, 0.0), e.number(l, 1.0));
    let diffuse = e.binary(Binary::Max(Sign::Signed), l, zero);
    let (behind, away) = (
        e.compare(Compare::Lt(Sign::Signed), l, zero),
        e.compare(Compare::Lt(Sign::Signed), h, zero),
    );
    let dark = e.binary(Binary::Or, behind, away);
    let power = e.binary(Binary::Pow, h, m);
    let specular = e.select(dark, zero, power);
    values![one, diffuse, specular, one]
}
