//! The faces of a cube, as `ops::texture` defines them: which one a direction hits and where, and which texel lies
//! beyond an edge.

use crate::term::Term;
use crate::writer::Writer;

/// The axes of a face, each with its sign: the outward normal, u and v.
const FACES: [[(usize, i64); 3]; 6] = ops::texture::FACES;

impl<'a> Writer<'a> {
    /// The number of the face of the component with the largest magnitude, as a word.
    pub(super) fn face(&'a self, direction: [Term<'a>; 3]) -> Term<'a> {
        let [x, y, z] = direction.map(Term::abs);
        let is_z = x.at_most(z) & y.at_most(z);
        let is_y = x.at_most(y);
        let word = |it: u32| self.word_term(it);
        let face = |axis: usize| {
            let is_negative = direction[axis].less(self.double_term(0.0));
            is_negative.pick(word(2 * axis as u32 + 1), word(2 * axis as u32))
        };
        is_z.pick(face(2), is_y.pick(face(1), face(0)))
    }

    /// The entry of a lane's face.
    fn of_face<const N: usize>(
        &'a self,
        face: Term<'a>,
        of: impl Fn([(usize, i64); 3]) -> [Term<'a>; N],
    ) -> [Term<'a>; N] {
        let mut all = of(FACES[0]);
        for (number, axes) in FACES.iter().enumerate().skip(1) {
            all = face.equals(face.whole(number as i64)).picks(of(*axes), all);
        }
        all
    }

    /// The components along the normal, u and v.
    fn components(&'a self, face: Term<'a>, of: [Term<'a>; 3]) -> [Term<'a>; 3] {
        let sign = |(axis, sign): (usize, i64)| of[axis] * self.double_term(sign as f64);
        self.of_face(face, |axes| axes.map(sign))
    }

    /// Where on a face a direction points, from 0 to 1 on both axes.
    pub(super) fn project(&'a self, face: Term<'a>, direction: [Term<'a>; 3]) -> [Term<'a>; 2] {
        let [major, u, v] = self.components(face, direction);
        let (one, two) = (self.double_term(1.0), self.double_term(2.0));
        [u, v].map(|it| (it / major + one) / two)
    }

    /// The derivatives of [`Writer::project`].
    pub(super) fn project_derivative(
        &'a self,
        face: Term<'a>,
        direction: [Term<'a>; 3],
        by: [Term<'a>; 3],
    ) -> [Term<'a>; 2] {
        let [major, u, v] = self.components(face, direction);
        let [d_major, d_u, d_v] = self.components(face, by);
        let two = self.double_term(2.0);
        let quotient =
            |it: Term<'a>, d: Term<'a>| (d * major - it * d_major) / (major * major) / two;
        [quotient(u, d_u), quotient(v, d_v)]
    }

    /// The face and the texel, all in 64 bits but the face, of one that may lie a step beyond an edge; and whether it
    /// exists, which it does not beyond a corner.
    pub(super) fn texel_of_face(
        &'a self,
        face: Term<'a>,
        [x, y]: [Term<'a>; 2],
        size: Term<'a>,
    ) -> (Term<'a>, Term<'a>, [Term<'a>; 2]) {
        let (zero, one) = (size.whole(0), size.whole(1));
        let last = size - one;
        let inside = |it: Term<'a>| it.below(size);
        let (in_x, in_y) = (inside(x), inside(y));
        let middle = |it: Term<'a>| it + it + one - size;
        let [at_x, at_y] = [x, y].map(|it| middle(it).within(zero - size, size));
        let signed = |value: Term<'a>, sign: i64| if sign < 0 { zero - value } else { value };
        let word = |it: usize| self.word_term(it as u32);
        // On which axis the adjacent face lies, and the coordinates on all three.
        let [axis, a, b, c] = self.of_face(face, |[major, u, v]| {
            let mut at = [zero; 3];
            at[major.0] = signed(last, major.1);
            at[u.0] = signed(at_x, u.1);
            at[v.0] = signed(at_y, v.1);
            [in_x.pick(word(v.0), word(u.0)), at[0], at[1], at[2]]
        });
        let is = |number: i64| axis.equals(axis.whole(number));
        let out = is(0).pick(a, is(1).pick(b, c));
        let next = axis.left(1) + out.less(zero).pick(word(1), word(0));
        let at = [a, b, c];
        let back = |(axis, sign): (usize, i64)| {
            let doubled = signed(at[axis], sign) + last;
            // Rounds toward zero, as the quotient of integers does; what is negative is clamped.
            doubled.max(zero).right_signed(1).min(last)
        };
        let [next_x, next_y] = self.of_face(next, |[_, u, v]| [back(u), back(v)]);
        let is_here = in_x & in_y;
        let exists = in_x | in_y;
        let at = is_here.picks([x, y], [next_x, next_y]);
        (exists, is_here.pick(face, next), at)
    }
}
