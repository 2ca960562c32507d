//! A vertex shader made for the inputs of a pixel shader: `--draw` and unit tests have no other.

use std::fmt::Write;

use wavelane::internal::StageElement;
use wavelane::{Compilation, HostScalar, NoIncludes, Options, Shader, Stage};

/// The value written to a semantic, as a `float4`.
pub struct Value {
    pub semantic: &'static str,
    fullscreen: &'static str,
    mesh: &'static str,
}

impl Value {
    /// The expression for the vertices of a mesh, or those of a full-screen triangle.
    pub fn of(&self, is_mesh: bool) -> &'static str {
        if is_mesh { self.mesh } else { self.fullscreen }
    }
}

/// The semantics that have a value.
pub const KNOWN: [Value; 5] = [
    Value { semantic: "TEXCOORD", fullscreen: "float4(uv, 0, 1)", mesh: "float4(uv, 0, 1)" },
    Value { semantic: "UV", fullscreen: "float4(uv, 0, 1)", mesh: "float4(uv, 0, 1)" },
    Value { semantic: "POSITION", fullscreen: "position", mesh: "float4(at, 1)" },
    Value { semantic: "NORMAL", fullscreen: "float4(0, 0, 1, 0)", mesh: "float4(normal, 0)" },
    Value {
        semantic: "COLOR",
        fullscreen: "float4(uv, 0, 1)",
        mesh: "float4(normal * 0.5 + 0.5, 1)",
    },
];

/// Values that can be made up for any other semantic.
pub const MADE_UP: Value =
    Value { semantic: "", fullscreen: "float4(uv, 0, 1)", mesh: "float4(uv, at.x, 1)" };

/// How the positions of a mesh are moved into view.
pub struct Fit {
    pub scale: [f32; 3],
    pub offset: [f32; 3],
}

/// The text of a vertex shader that writes these inputs, or the first one that has no value; `other` has values for
/// semantics in capitals that are not [`KNOWN`]. Without a mesh it draws a triangle that covers the target.
pub fn text<'a>(
    inputs: &'a [StageElement],
    mesh: Option<&Fit>,
    other: &dyn Fn(&str) -> Option<String>,
) -> Result<String, &'a StageElement> {
    let mut text = "struct Out {\n    float4 position : SV_Position;\n".to_owned();
    let mut body = String::new();
    for (index, element) in inputs.iter().filter(|it| it.system.is_none()).enumerate() {
        let name = element.semantic.to_ascii_uppercase();
        let known = KNOWN.iter().find(|it| it.semantic == name);
        let known = known.map(|it| it.of(mesh.is_some()).to_owned());
        let value = known.or_else(|| other(&name)).ok_or(element)?;
        let ty = type_of(element);
        let lanes = &"xyzw"[..usize::from(element.components)];
        let _ = writeln!(text, "    {ty} e{index} : {}{};", element.semantic, element.index);
        let _ = writeln!(
            body,
            "    o.e{index} = ({})({value}).{lanes};",
            ty.trim_start_matches("nointerpolation ")
        );
    }
    text.push_str("};\n");
    match mesh {
        None => text.push_str(
            "Out main(uint id : SV_VertexID) {\n    \
             float2 uv = float2(id == 1 ? 2 : 0, id == 2 ? 2 : 0);\n    \
             float4 position = float4(uv * float2(2, -2) + float2(-1, 1), 0, 1);\n",
        ),
        Some(Fit { scale, offset }) => {
            let vector = |it: &[f32; 3]| format!("float3({:?}, {:?}, {:?})", it[0], it[1], it[2]);
            let _ = writeln!(
                text,
                "Out main(float3 at : POSITION, float2 uv : TEXCOORD, float3 normal : NORMAL) {{\n    \
                 float4 position = float4(at * {} + {}, 1);",
                vector(scale),
                vector(offset)
            );
        }
    }
    text.push_str("    Out o;\n    o.position = position;\n");
    text.push_str(&body);
    text.push_str("    return o;\n}\n");
    Ok(text)
}

/// Compiles a text that was made for a pixel shader with these options; an error is a bug in the text.
pub fn compiled(name: &str, text: &str, options: &Options) -> Result<(Shader, Options), String> {
    let options = Options {
        stage: Stage::Vertex,
        entry: "main".to_owned(),
        shader_model: options.shader_model,
        enable_16bit: options.enable_16bit,
        ..Options::default()
    };
    let compiled = Shader::compile(name, text, &options, &mut NoIncludes)
        .map_err(|bug| bug.message.clone())?;
    match compiled {
        Compilation { shader: Some(shader), .. } => Ok((shader, options)),
        _ => Err(format!("the vertex shader that was made is wrong:\n{text}")),
    }
}

fn type_of(element: &StageElement) -> String {
    let (flat, scalar) = match element.scalar {
        HostScalar::F16 => ("", "half"),
        HostScalar::F32 => ("", "float"),
        HostScalar::F64 => ("nointerpolation ", "double"),
        HostScalar::Bool => ("nointerpolation ", "bool"),
        HostScalar::I16 => ("nointerpolation ", "int16_t"),
        HostScalar::U16 => ("nointerpolation ", "uint16_t"),
        HostScalar::I32 => ("nointerpolation ", "int"),
        HostScalar::U32 => ("nointerpolation ", "uint"),
        HostScalar::I64 => ("nointerpolation ", "int64_t"),
        HostScalar::U64 => ("nointerpolation ", "uint64_t"),
    };
    match element.components {
        1 => format!("{flat}{scalar}"),
        more => format!("{flat}{scalar}{more}"),
    }
}
