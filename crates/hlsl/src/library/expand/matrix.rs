//! Products, transposes and determinants. Scalars of a matrix come row by row.

use ir::{Value, Values};

use super::Emit;
use super::vector::sum_of_products;
use crate::types::convert::Shape;

/// Every form of `mul`. Inner lengths agree.
pub(super) fn mul(e: &mut Emit<'_>, a: (Shape, &[Value]), b: (Shape, &[Value])) -> Values {
    let (left, right) = (a.1, b.1);
    match (a.0, b.0) {
        (Shape::Scalar, _) => right.iter().map(|b| e.mul(left[0], *b)).collect(),
        (_, Shape::Scalar) => left.iter().map(|a| e.mul(*a, right[0])).collect(),
        (Shape::Vector(n), Shape::Vector(_)) => product(e, (1, n, left), (1, right)),
        (Shape::Vector(n), Shape::Matrix(_, columns)) => product(e, (1, n, left), (columns, right)),
        (Shape::Matrix(rows, inner), Shape::Vector(_)) => {
            product(e, (rows, inner, left), (1, right))
        }
        (Shape::Matrix(rows, inner), Shape::Matrix(_, columns)) => {
            product(e, (rows, inner, left), (columns, right))
        }
    }
}

/// Row by column: a matrix of `rows` by `inner` with one of `inner` by `columns`.
fn product(
    e: &mut Emit<'_>,
    (rows, inner, a): (u32, u32, &[Value]),
    (columns, b): (u32, &[Value]),
) -> Values {
    let (rows, inner, columns) = (rows as usize, inner as usize, columns as usize);
    let mut result = Values::with_capacity(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let pairs = (0..inner).map(|k| (a[row * inner + k], b[k * columns + column]));
            result.push(sum_of_products(e, pairs));
        }
    }
    result
}

pub(super) fn transpose(shape: Shape, m: &[Value]) -> Values {
    let Shape::Matrix(rows, columns) = shape else { return m.into() };
    let (rows, columns) = (rows as usize, columns as usize);
    (0..columns).flat_map(|column| (0..rows).map(move |row| m[row * columns + column])).collect()
}

/// Of a square matrix of at most 4 by 4.
pub(super) fn determinant(e: &mut Emit<'_>, m: &[Value]) -> Value {
    let n = m.len().isqrt();
    if n == 1 {
        return m[0];
    }
    let mut sum: Option<Value> = None;
    for column in 0..n {
        let minor: Values = (1..n)
            .flat_map(|row| (0..n).filter(|k| *k != column).map(move |k| m[row * n + k]))
            .collect();
        let minor = determinant(e, &minor);
        let term = e.mul(m[column], minor);
        sum = Some(match sum {
            None => term,
            Some(sum) if column % 2 == 1 => e.sub(sum, term),
            Some(sum) => e.add(sum, term),
        });
    }
    sum.unwrap_or_else(|| unreachable!("a matrix has a row"))
}
