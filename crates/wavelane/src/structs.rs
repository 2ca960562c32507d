//! Structures of the host that are structures of shaders too.

/// Declares a structure whose values can be elements of structured buffers ([`Plain`](crate::Plain)) and constants
/// ([`Constant`](crate::Constant)). Its members are numbers, arrays, tuples, and structures that are declared like
/// this; a `u32` that is 0 or 1 represents a `bool` of the shader.
///
/// ```
/// use wavelane::{Buffer, NoIncludes, Options, ResourceTable, Shader};
///
/// wavelane::shader_struct! {
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     struct Light { place: [f32; 3], power: f32 }
/// }
/// wavelane::shader_struct! {
///     struct Scene { count: u32, sun: Light }
/// }
///
/// let text = "struct Light { float3 place; float power; };
///     cbuffer Scene { uint Count; Light Sun; };
///     RWStructuredBuffer<Light> Lights;
///     [numthreads(1, 1, 1)] void main() { Lights[Count] = Sun; }";
/// let shader = Shader::compile("lights.hlsl", text, &Options::default(), &mut NoIncludes)?.shader()?;
/// let mut table = ResourceTable::new(&shader);
/// let sun = Light { place: [0.0, 1.0, 2.0], power: 3.0 };
/// table.bind("Lights", Buffer::from_slice(&[sun; 2]))?;
/// table.set("Scene", Scene { count: 1, sun })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! shader_struct {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$of_member:meta])* $shown:vis $member:ident : $ty:ty),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $($(#[$of_member])* $shown $member: $ty),+
        }

        impl $crate::Plain for $name {
            const ALIGNMENT: usize = {
                let mut largest = 1;
                $(if <$ty as $crate::Plain>::ALIGNMENT > largest {
                    largest = <$ty as $crate::Plain>::ALIGNMENT;
                })+
                largest
            };
            const SIZE: usize = {
                let mut end = 0usize;
                $(end = end.next_multiple_of(<$ty as $crate::Plain>::ALIGNMENT)
                    + <$ty as $crate::Plain>::SIZE;)+
                end.next_multiple_of(<Self as $crate::Plain>::ALIGNMENT)
            };

            fn scalars(at: usize, all: &mut Vec<(usize, $crate::Scalar)>) {
                let mut end = 0usize;
                $(
                    end = end.next_multiple_of(<$ty as $crate::Plain>::ALIGNMENT);
                    <$ty as $crate::Plain>::scalars(at + end, all);
                    end += <$ty as $crate::Plain>::SIZE;
                )+
                let _ = end;
            }

            fn store(&self, bytes: &mut [u8]) {
                let mut end = 0usize;
                $(
                    end = end.next_multiple_of(<$ty as $crate::Plain>::ALIGNMENT);
                    $crate::Plain::store(&self.$member, &mut bytes[end..]);
                    end += <$ty as $crate::Plain>::SIZE;
                )+
                let _ = end;
            }

            fn load(bytes: &[u8]) -> Self {
                let mut end = 0usize;
                $(
                    end = end.next_multiple_of(<$ty as $crate::Plain>::ALIGNMENT);
                    let $member = <$ty as $crate::Plain>::load(&bytes[end..]);
                    end += <$ty as $crate::Plain>::SIZE;
                )+
                let _ = end;
                Self { $($member),+ }
            }
        }

        impl $crate::Constant for $name {
            fn numbers(&self, all: &mut Vec<$crate::Number>) {
                $($crate::Constant::numbers(&self.$member, all);)+
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{Constant, Number, Plain, plain};

    crate::shader_struct! {
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Inner {
            half: u16,
            double: f64,
        }
    }

    crate::shader_struct! {
        /// Generic over nothing, with members of every kind.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) struct Outer {
            byte: u8,
            /// A documented member.
            inner: [Inner; 2],
            pub(crate) pair: (u16, f32),
        }
    }

    #[test]
    fn members_lie_as_those_of_tuples_do() {
        type Tuple = (u8, [(u16, f64); 2], (u16, f32));
        assert_eq!(plain::layout::<Outer>(), plain::layout::<Tuple>());
        assert_eq!((Outer::SIZE, Outer::ALIGNMENT), (Tuple::SIZE, Tuple::ALIGNMENT));
        let inner = |half, double| Inner { half, double };
        let value = Outer { byte: 1, inner: [inner(2, 3.0), inner(4, 5.0)], pair: (6, 7.0) };
        let tuple: Tuple = (1, [(2, 3.0), (4, 5.0)], (6, 7.0));
        let bytes = plain::to_bytes(&[value]);
        assert_eq!(bytes, plain::to_bytes(&[tuple]));
        assert_eq!(plain::from_bytes::<Outer>(&bytes), [value]);
    }

    #[test]
    fn numbers_are_those_of_the_members_in_order() {
        let value = Inner { half: 2, double: 3.0 };
        let mut all = Vec::new();
        value.numbers(&mut all);
        assert_eq!(all, [Number::Integer(2), Number::Float(3.0)]);
    }
}
