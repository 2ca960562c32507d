//! Splits a descriptor heap: every view of it becomes a separate unbounded resource array.
//!
//! A slot of a heap holds one resource, which suits some of the shader's views and not others. Where indices are
//! computed, it is unknown which slot needs which kind of resource, so a host that makes up contents cannot fill them.
//! After the split, each index leads to a resource of the declared type, whichever view uses it. The only difference is
//! that two views never alias.

use std::sync::Arc;

use ir::{Register, RegisterClass};

use crate::Shader;

/// The shader with the views of that heap split. They are named after the heap and their types, such as
/// `ResourceDescriptorHeap.Texture2D`; further ones of a type have a number, from 2 on.
pub fn apart(shader: &Shader, heap: RegisterClass) -> Shader {
    let mut module = (*shader.module).clone();
    let spaces = module.resources.iter().map(|it| it.register.space).max();
    let mut space = spaces.map_or(0, |it| it.saturating_add(1));
    let mut names: Vec<String> = Vec::new();
    for resource in &mut module.resources {
        if !heap.is_heap() || resource.register.class != heap {
            continue;
        }
        let view = resource.kind.view();
        let base = format!("{}.{}", resource.name, view.name);
        let numbered = (2..).map(|number| format!("{base}.{number}"));
        let mut each = std::iter::once(base.clone()).chain(numbered);
        let name = each.find(|it| !names.contains(it)).unwrap_or(base);
        // Unbounded arrays take all registers of a space.
        resource.register = Register { class: view.class, index: 0, space };
        space = space.saturating_add(1);
        names.push(name.clone());
        resource.name = name;
    }
    Shader { module: Arc::new(module), ..shader.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoIncludes, Options};

    #[test]
    fn views_become_separate_named_arrays() {
        let text = "StructuredBuffer<uint> Which;
             [numthreads(1, 1, 1)] void main(uint t : SV_GroupIndex) {
                 Texture2D<float> A = ResourceDescriptorHeap[Which[0]];
                 Texture2D<float2> B = ResourceDescriptorHeap[Which[1]];
                 RWStructuredBuffer<float> Out = ResourceDescriptorHeap[Which[2]];
                 SamplerState S = SamplerDescriptorHeap[Which[3]];
                 Out[t] = A.SampleLevel(S, 0, 0) + B.Load(0).y; }";
        let compiled = Shader::compile("a.hlsl", text, &Options::default(), &mut NoIncludes);
        let shader = compiled.unwrap().shader().unwrap();
        let apart = apart(&shader, RegisterClass::ResourceHeap);
        assert!(ir::verify::verify(&apart.module).is_ok());
        let used = apart.resources().iter().filter(|it| it.used && it.name.contains("Heap"));
        let names: Vec<(&str, bool)> =
            used.map(|it| (it.name.as_str(), it.register.class.is_heap())).collect();
        let expected = [
            ("ResourceDescriptorHeap.Texture2D", false),
            ("ResourceDescriptorHeap.Texture2D.2", false),
            ("ResourceDescriptorHeap.RWStructuredBuffer", false),
            ("SamplerDescriptorHeap", true),
        ];
        for it in expected {
            assert!(names.contains(&it), "{it:?} of {names:?}");
        }
        assert_eq!(names.len(), expected.len(), "{names:?}");
    }
}
