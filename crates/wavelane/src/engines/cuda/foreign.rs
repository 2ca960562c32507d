//! PTX that another compiler generated from the same shader: the parameters of its kernel, and what they get.
//!
//! Two conventions are known. A kernel of `nvcc` has a parameter of 64 bits for each resource of the shader, in the
//! order of the declarations, which gets its address; parameters of 32 bits get the number of threads of the dispatch.
//! Slang puts the resources in the variable `SLANG_globalParams` instead: for a buffer its address and its number of
//! elements, for a constant buffer its address.
//!
//! Deliberately absent: textures, arrays of resources, and validation, which is the driver's.

use ir::{Module, ResourceKind};

/// A kernel in PTX of another compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForeignKernel {
    pub(super) text: String,
    pub(super) entry: String,
    /// The size of each parameter in bytes.
    pub(super) params: Vec<u32>,
    /// The size of Slang's variable for resources.
    pub(super) globals: Option<u32>,
}

/// The variable of Slang's kernels.
pub(super) const GLOBALS: &str = "SLANG_globalParams";

impl ForeignKernel {
    /// Reads the text of a module: the kernel with that name, or the only one.
    pub(crate) fn parse(text: &str, entry: &str) -> Result<ForeignKernel, String> {
        let mut kernels = Vec::new();
        for (at, _) in text.match_indices(".entry") {
            kernels.push(kernel(&text[at + ".entry".len()..])?);
        }
        let named = kernels.iter().position(|it| it.0 == entry);
        let (name, params) = match (named, kernels.len()) {
            (_, 0) => return Err("it has no kernel".to_owned()),
            (Some(named), _) => kernels.swap_remove(named),
            (None, 1) => kernels.swap_remove(0),
            (None, several) => {
                return Err(format!("it has {several} kernels, and none is named `{entry}`"));
            }
        };
        let globals = match text.find(GLOBALS) {
            None => None,
            Some(at) => {
                let rest = &text[at + GLOBALS.len()..];
                let size = rest.strip_prefix('[').and_then(|it| it.split(']').next());
                let size = size.and_then(|it| it.trim().parse().ok());
                Some(size.ok_or_else(|| format!("the size of `{GLOBALS}` is not a number"))?)
            }
        };
        Ok(ForeignKernel { text: text.to_owned(), entry: name, params, globals })
    }

    /// Checks that the parameters are those of a known convention for the resources of the module.
    pub(crate) fn check(&self, module: &Module) -> Result<(), String> {
        for resource in &module.resources {
            let name = &resource.name;
            if resource.count != Some(1) || resource.register.class.is_heap() {
                return Err(format!("`{name}` is an array of resources, which is not passed"));
            }
            match resource.kind {
                ResourceKind::Texture { .. } | ResourceKind::Sampler { .. } => {
                    return Err(format!("`{name}` is a texture or sampler, which is not passed"));
                }
                ResourceKind::Scene => {
                    return Err(format!("`{name}` is a scene, which is not passed"));
                }
                _ => {}
            }
        }
        let size = |it: &ir::Resource| if is_constant(it) { 8 } else { 16 };
        if let Some(globals) = self.globals {
            let all: u32 = module.resources.iter().map(size).sum();
            let used: u32 = module.resources.iter().filter(|it| it.used).map(size).sum();
            return match globals == all || globals == used {
                true if self.params.is_empty() => Ok(()),
                true => Err("its kernel has parameters besides the global ones".to_owned()),
                false => Err(format!(
                    "its resources take {globals} bytes in `{GLOBALS}`, and those of the shader {all}"
                )),
            };
        }
        let addresses = self.params.iter().filter(|it| **it == 8).count();
        if self.params.iter().any(|it| !matches!(it, 4 | 8)) {
            return Err("a parameter of its kernel is neither an address nor a word".to_owned());
        }
        if addresses != module.resources.len() {
            return Err(format!(
                "its kernel takes {addresses} addresses, and the shader has {} resources",
                module.resources.len()
            ));
        }
        Ok(())
    }

    /// Whether operations between lanes occur, whose active sets are then the hardware's.
    pub(crate) fn sees_lanes(&self) -> bool {
        self.text.contains(".sync.") || self.text.contains("activemask")
    }
}

pub(super) fn is_constant(resource: &ir::Resource) -> bool {
    matches!(resource.kind, ResourceKind::Constant { .. })
}

/// The name and the sizes of the parameters of a kernel, from behind `.entry`.
fn kernel(text: &str) -> Result<(String, Vec<u32>), String> {
    let malformed = || "the parameters of a kernel are not closed".to_owned();
    let end = text.find('{').ok_or_else(malformed)?;
    let head = &text[..end];
    let (name, params) = match head.split_once('(') {
        // No parameters: the name is followed by directives.
        None => (head.split_whitespace().next().unwrap_or(""), ""),
        Some((name, rest)) => (name.trim(), rest.split_once(')').ok_or_else(malformed)?.0),
    };
    let mut sizes = Vec::new();
    for param in params.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let words = || param.split_whitespace();
        let scalar = words().find_map(|word| match word {
            ".u64" | ".s64" | ".b64" | ".f64" => Some(8),
            ".u32" | ".s32" | ".b32" | ".f32" => Some(4),
            ".u16" | ".s16" | ".b16" => Some(2),
            ".u8" | ".s8" | ".b8" => Some(1),
            _ => None,
        });
        let scalar: u32 = scalar.ok_or_else(|| format!("unknown parameter `{param}`"))?;
        let count: u32 = match param.split_once('[') {
            None => 1,
            Some((_, count)) => count
                .trim_end_matches(']')
                .trim()
                .parse()
                .map_err(|_| format!("the size of the parameter `{param}` is not a number"))?,
        };
        sizes.push(scalar.saturating_mul(count));
    }
    Ok((name.to_owned(), sizes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NVCC: &str = ".version 8.3\n.target sm_80\n.visible .entry copy(\n\
        \t.param .u64 copy_param_0,\n\t.param .u64 .ptr .align 1 copy_param_1,\n\
        \t.param .u32 copy_param_2\n)\n.maxntid 256, 1, 1\n{ ret; }";

    #[test]
    fn parameters_are_read_with_their_sizes() {
        let kernel = ForeignKernel::parse(NVCC, "main").unwrap();
        assert_eq!((kernel.entry.as_str(), &kernel.params[..]), ("copy", &[8, 8, 4][..]));
        assert_eq!(kernel.globals, None);
        let slang = ".const .align 8 .b8 SLANG_globalParams[32];\n.visible .entry main()\n{ ret; }";
        let kernel = ForeignKernel::parse(slang, "main").unwrap();
        assert_eq!((kernel.params.len(), kernel.globals), (0, Some(32)));
        assert!(!kernel.sees_lanes());
    }

    #[test]
    fn text_that_is_not_a_kernel_is_refused() {
        let of = |text: &str| ForeignKernel::parse(text, "main").unwrap_err();
        assert_eq!(of(".version 8.3"), "it has no kernel");
        assert!(of(".entry a() {}\n.entry b() {}").contains("none is named `main`"));
        assert!(of(".entry a(.param .u64 x").contains("not closed"));
        assert!(of(".entry a(.param .v4 x) {}").contains("unknown parameter"));
        // With several, the name decides.
        let named = ForeignKernel::parse(".entry a() {}\n.entry main(.param .f32 x) {}", "main");
        assert_eq!(named.unwrap().params, [4]);
    }
}
