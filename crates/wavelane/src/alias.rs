//! Aliases: one buffer under two names of a shader.
//!
//! An alias is a property of the shader, not of a table: see [`ir::alias`].

use std::sync::Arc;

use ir::Resource;
use ir::alias::AliasError;

use crate::Shader;

impl Shader {
    /// The shader as one that finds the memory of one buffer under both names: what is bound to `of` is bound to `name`
    /// as well. The types of the two may differ, as those of two views of one buffer; nothing can be bound to `name`
    /// itself.
    ///
    /// ```
    /// use wavelane::{Adapter, Buffer, Device, Dispatch, NoIncludes, Options, ResourceTable, Shader};
    ///
    /// let text = "StructuredBuffer<uint> In; RWByteAddressBuffer Out;
    ///     [numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) { Out.Store(4 * i, 2 * In[i]); }";
    /// let shader = Shader::compile("double.hlsl", text, &Options::default(), &mut NoIncludes)?.shader().unwrap();
    /// let shader = shader.with_alias("In", "Out")?;
    /// let mut table = ResourceTable::new(&shader);
    /// let buffer = Buffer::from_slice(&[1u32, 2, 3, 4]);
    /// table.bind("Out", &buffer)?;
    /// let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader)?;
    /// pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table)?;
    /// assert_eq!(buffer.read::<u32>()?, [2, 4, 6, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_alias(&self, name: &str, of: &str) -> Result<Shader, AliasError> {
        let mut module = (*self.module).clone();
        module.alias(name, of)?;
        Ok(Shader { module: Arc::new(module), ..self.clone() })
    }

    /// The pairs of names that share memory, in the order of declaration: the alias, and the resource that has the
    /// memory.
    pub fn aliases(&self) -> impl Iterator<Item = (&Resource, &Resource)> {
        let resources = self.resources();
        resources.iter().filter_map(|it| Some((it, &resources[it.alias_of?.index()])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BindProblem, Buffer, NoIncludes, Options, ResourceTable};

    fn shader() -> Shader {
        let text = "struct S { uint a, b; };
             RWStructuredBuffer<uint> A, B, C, D[2], E; StructuredBuffer<S> F; RWTexture1D<uint> T;
             cbuffer K { uint k; };
             [numthreads(1, 1, 1)] void main() {
                 A[0] = B[0] + C[0] + D[1][0] + F[0].b + k; E.IncrementCounter(); T[0] = 0; }";
        let compiled = Shader::compile("a.hlsl", text, &Options::default(), &mut NoIncludes);
        compiled.unwrap().shader().unwrap()
    }

    #[test]
    fn what_cannot_share_memory_is_refused_with_the_reason() {
        let of = |pairs: &[(&str, &str)]| {
            let mut shader = Ok(shader());
            for (name, of) in pairs {
                shader = shader.and_then(|it| it.with_alias(name, of));
            }
            shader.map(|_| ()).map_err(|it| it.to_string())
        };
        assert_eq!(of(&[("A", "B"), ("C", "B"), ("F", "B")]), Ok(()));
        for (pairs, error) in [
            (&[("A", "A")][..], "`A` cannot be an alias of itself"),
            (&[("A", "B"), ("A", "C")], "`A` is an alias of `B` already"),
            (
                &[("A", "B"), ("C", "A")],
                "`C` would take part in a chain of aliases; name `B` in each of them",
            ),
            (
                &[("A", "B"), ("B", "C")],
                "`B` would take part in a chain of aliases; name `C` in each of them",
            ),
            (&[("A", "D")], "`D` is an array of resources; only single buffers share memory"),
            (&[("T", "A")], "`T` is a `RWTexture1D`; only buffers share memory"),
            (&[("Z", "A")], "the shader uses no buffer `Z`"),
        ] {
            assert_eq!(of(pairs), Err(error.to_owned()), "{pairs:?}");
        }
        for (name, word) in [("K", "constant buffer"), ("E", "hidden counter")] {
            assert!(of(&[("A", name)]).unwrap_err().contains(word), "{name}");
        }
    }

    #[test]
    fn both_names_are_one_buffer_that_suits_each_of_them() {
        let shader = shader().with_alias("F", "A").unwrap();
        let pairs: Vec<_> =
            shader.aliases().map(|(a, b)| (a.name.as_str(), b.name.as_str())).collect();
        assert_eq!(pairs, [("F", "A")]);
        let mut table = ResourceTable::new(&shader);
        let error = table.bind("F", Buffer::from_bytes([0; 8])).unwrap_err();
        assert_eq!(error.problem, BindProblem::IsAlias { of: "A".to_owned() });
        let error = table.bind("A", Buffer::from_bytes([0; 12])).unwrap_err();
        assert_eq!(error.to_string(), "12 bytes is not a multiple of the 8-byte stride of `F`");
        let missing = |table: &ResourceTable| {
            table.unbound().iter().any(|it| it.name == "A" || it.name == "F")
        };
        assert!(missing(&table));
        table.bind("A", Buffer::from_slice(&[1u32, 2])).unwrap();
        assert!(!missing(&table));
        assert_eq!(table.buffer("F").unwrap().read::<u32>().unwrap(), [1, 2]);
    }
}
