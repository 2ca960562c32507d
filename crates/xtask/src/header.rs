//! The header of the C interface, made from the functions and types of `crates/capi`, comments included.

use std::fmt::Write;

use syn::{
    Expr, Fields, FnArg, GenericArgument, Item, Lit, Meta, Pat, PathArguments, PointerMutability,
    ReturnType, Type, Visibility,
};

/// The files, in the order of the header.
const FILES: [&str; 5] = ["error.rs", "handles.rs", "compile.rs", "texture.rs", "run.rs"];

/// The text of `crates/capi/include/wavelane.h`.
pub(crate) fn text() -> String {
    let mut text = String::from(
        "/* wavelane: HLSL wave intrinsics, exact, at any wave width.\n \
         *\n \
         * Generated from `crates/capi/src` by `cargo xtask docs`; do not edit. */\n\n\
         #ifndef WAVELANE_H\n#define WAVELANE_H\n\n\
         #include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {\n#endif\n",
    );
    let mut items = Vec::new();
    for file in FILES {
        let path = crate::root().join("crates/capi/src").join(file);
        let source = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        items.extend(
            syn::parse_file(&source).unwrap_or_else(|error| panic!("{file}: {error}")).items,
        );
    }
    // A type precedes the functions that use it.
    for item in &items {
        match item {
            Item::Enum(it) if is_public(&it.vis) => declare_enum(&mut text, it),
            Item::Struct(it) if is_public(&it.vis) => declare_struct(&mut text, it),
            Item::Type(it) if is_public(&it.vis) => declare_callback(&mut text, it),
            _ => {}
        }
    }
    for item in &items {
        if let Item::Fn(it) = item
            && is_public(&it.vis)
            && it.sig.abi.is_some()
        {
            declare_function(&mut text, it);
        }
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_of_c(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|it| it.path().is_ident("repr"))
}

/// The comment of an item, in C.
fn comment(text: &mut String, indent: &str, attributes: &[syn::Attribute]) {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|it| match &it.meta {
            Meta::NameValue(it) if it.path.is_ident("doc") => match &it.value {
                Expr::Lit(it) => match &it.lit {
                    Lit::Str(it) => Some(it.value().trim().to_owned()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
        .collect();
    if let Some((last, first)) = lines.split_last() {
        let joined: String = first.iter().map(|it| format!("{it}\n{indent} * ")).collect();
        let _ = writeln!(text, "{indent}/* {joined}{last} */");
    }
}

fn declare_enum(text: &mut String, item: &syn::ItemEnum) {
    text.push('\n');
    comment(text, "", &item.attrs);
    let _ = writeln!(text, "typedef enum {} {{", item.ident);
    for variant in &item.variants {
        comment(text, "    ", &variant.attrs);
        match &variant.discriminant {
            Some((_, Expr::Lit(value))) => match &value.lit {
                Lit::Int(number) => {
                    let _ = writeln!(text, "    {} = {number},", variant.ident);
                }
                _ => panic!("`{}` has a number", variant.ident),
            },
            _ => panic!("`{}` has a number", variant.ident),
        }
    }
    let _ = writeln!(text, "}} {};", item.ident);
}

fn declare_struct(text: &mut String, item: &syn::ItemStruct) {
    text.push('\n');
    comment(text, "", &item.attrs);
    let name = &item.ident;
    if !is_of_c(&item.attrs) {
        let _ = writeln!(text, "typedef struct {name} {name};");
        return;
    }
    let _ = writeln!(text, "typedef struct {name} {{");
    let Fields::Named(fields) = &item.fields else { panic!("`{name}` has named fields") };
    for field in &fields.named {
        let Some(name) = &field.ident else { panic!("a field has a name") };
        let _ = writeln!(text, "    {};", declared(&field.ty, &name.to_string()));
    }
    let _ = writeln!(text, "}} {name};");
}

/// The type of a function of the caller's, which may be null: `Option<unsafe extern "C" fn(…) -> …>`.
fn declare_callback(text: &mut String, item: &syn::ItemType) {
    text.push('\n');
    comment(text, "", &item.attrs);
    let name = &item.ident;
    let Type::Path(path) = &*item.ty else { panic!("`{name}` is an `Option`") };
    let function = path.path.segments.last().and_then(|it| match &it.arguments {
        PathArguments::AngleBracketed(it) => it.args.first(),
        _ => None,
    });
    let Some(GenericArgument::Type(Type::FnPtr(function))) = function else {
        panic!("`{name}` is an `Option` of a function")
    };
    let parameters: Vec<String> = function
        .inputs
        .iter()
        .map(|it| match &it.name {
            Some((parameter, _)) => declared(&it.ty, &parameter.to_string()),
            None => panic!("a parameter of `{name}` has a name"),
        })
        .collect();
    let head = match &function.output {
        ReturnType::Default => format!("void (*{name})"),
        ReturnType::Type(_, ty) => declared(ty, &format!("(*{name})")),
    };
    let _ = writeln!(text, "typedef {head}({});", parameters.join(", "));
}

fn declare_function(text: &mut String, item: &syn::ItemFn) {
    text.push('\n');
    comment(text, "", &item.attrs);
    let parameters: Vec<String> = item
        .sig
        .inputs
        .iter()
        .map(|it| match it {
            FnArg::Typed(it) => match &*it.pat {
                Pat::Ident(name) => declared(&it.ty, &name.ident.to_string()),
                _ => panic!("a parameter of `{}` has a name", item.sig.ident),
            },
            FnArg::Receiver(_) => panic!("`{}` is not a method", item.sig.ident),
        })
        .collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let head = match &item.sig.output {
        ReturnType::Default => format!("void {}", item.sig.ident),
        ReturnType::Type(_, ty) => declared(ty, &item.sig.ident.to_string()),
    };
    let _ = writeln!(text, "{head}({parameters});");
}

/// A declaration: of `*const c_char` and `name`, `const char *name`.
fn declared(ty: &Type, name: &str) -> String {
    match ty {
        Type::Ptr(pointer) => {
            let inner = declared(&pointer.elem, &format!("*{name}"));
            match pointer.mutability {
                // The only pointers to pointers are those to places for results.
                PointerMutability::Const(_) => format!("const {inner}"),
                PointerMutability::Mut(_) => inner,
            }
        }
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { panic!("a type has a name") };
            let word = last.ident.to_string();
            let spelled = match word.as_str() {
                "c_char" => "char",
                "c_void" => "void",
                "usize" => "size_t",
                "u32" => "uint32_t",
                "u64" => "uint64_t",
                "i64" => "int64_t",
                "f64" => "double",
                own if own.starts_with("Wl") => own,
                other => panic!("`{other}` has no name in C"),
            };
            format!("{spelled} {name}")
        }
        _ => panic!("a type of the interface is a name or a pointer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_those_of_c() {
        for (rust, c) in [
            ("*const c_char", "const char *it"),
            ("*mut *mut WlShader", "WlShader **it"),
            ("usize", "size_t it"),
            ("*mut c_void", "void *it"),
        ] {
            assert_eq!(declared(&syn::parse_str(rust).unwrap(), "it"), c);
        }
    }

    /// Every function that C can call is in the header.
    #[test]
    fn no_function_is_left_out() {
        let header = text();
        for path in crate::sources::files(&crate::root().join("crates/capi/src"), "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            for rest in source.split("extern \"C\" fn ").skip(1) {
                let name = rest.split('(').next().unwrap();
                assert!(header.contains(&format!("{name}(")), "{name} of {}", path.display());
            }
        }
    }
}
