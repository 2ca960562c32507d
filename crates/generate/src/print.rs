//! Prints programs as HLSL.

use std::fmt::Write;

use crate::{
    Array, Bin, Cmp, Counter, Expr, ExprKind, Form, Function, Groups, Kind, MOST_CHILDREN, Program,
    Shader, Stmt, Ty,
};

const HEAD: &str = "\
RWStructuredBuffer<uint> Log;
static uint thread;
// Another active lane, or this one if that lane is inactive.
uint peer(uint flip) {
    uint lane = WaveGetLaneIndex(), other = lane ^ flip;
    uint4 active = WaveActiveBallot(true);
    return other < WaveGetLaneCount() && (active[other / 32] >> (other % 32) & 1) ? other : lane;
}
void mix(uint place, uint value) {
    Log[place] = Log[place] * 31 + value;
}
";

/// The widths of waves for which [`Generated::print_checked`](crate::Generated::print_checked) has results.
pub const CHECKED: [u32; 6] = ops::WIDTHS;

/// How a shader is printed.
#[derive(Clone, Copy, Default)]
pub(crate) struct Style {
    /// In a text with all shaders of a draw; a pixel shader gets the numbers of its threads from its pixels, and not
    /// from an input. The number is that of the shader among those that have a log, whose registers differ.
    pub(crate) of_draw: Option<u32>,
    /// Each thread compares a digest of its part of the log with the one in `Expected` for its width, and leaves in
    /// `Wrong` whether they differ. `Expected` holds those of all threads for each of [`CHECKED`], one after the other.
    pub(crate) is_checked: bool,
}

/// A compute shader that checks itself, the counters behind its log too: it compares the log with the part of
/// `Expected` for its width, and counts in `Wrong` for each thread how many places differ. `Expected` holds the log for
/// each of [`CHECKED`], one after the other.
pub(crate) fn compute_checked(program: &Program) -> String {
    let (places, words, counters) = (program.places, program.words(), program.counters());
    let check = format!(
        "    uint section = firstbithigh(WaveGetLaneCount()) - 2;
    uint wrong = 0;
    for (uint place = 0; place < {places}; ++place) {{
        uint at = thread * {places} + place;
        wrong += Log[at] == Expected[section * {words} + at] ? 0 : 1;
    }}
    AllMemoryBarrierWithGroupSync();
    for (uint counter = {counters}; counter < {words}; ++counter) {{
        wrong += Log[counter] == Expected[section * {words} + counter] ? 0 : 1;
    }}
    Wrong[thread] = wrong;
"
    );
    let text = print(program);
    let end = text.rfind('}').unwrap_or(text.len());
    let head = "StructuredBuffer<uint> Expected;\nRWStructuredBuffer<uint> Wrong;\n";
    format!("{head}{}{check}}}\n", &text[..end])
}

/// The function by which a thread checks its part of the log, in stages where no barrier is for all of them.
fn check(program: &Program, number: u32) -> String {
    let (places, slots, slot) = (program.places, program.slots(), slot(program));
    let wrong = 2 * number + 1;
    format!(
        "StructuredBuffer<uint> Expected : register(t{number});
RWStructuredBuffer<uint> Wrong : register(u{wrong});
void check() {{
    uint section = firstbithigh(WaveGetLaneCount()) - 2;
    uint digest = 0;
    for (uint place = 0; place < {places}; ++place) {{
        digest = digest * 31 + Log[{slot} * {places} + place];
    }}
    Wrong[{slot}] = digest == Expected[section * {slots} + {slot}] ? 0 : 1;
}}
"
    )
}

/// The digest of a thread's part of the log, as [`check`] computes it.
pub(crate) fn digest(log: &[u32]) -> u32 {
    log.iter().fold(0, |digest: u32, it| digest.wrapping_mul(31).wrapping_add(*it))
}

/// The part of the log that belongs to a thread.
fn slot(program: &Program) -> String {
    match program.groups() {
        Some(_) => format!("(group * {} + thread)", program.threads),
        None => "thread".to_owned(),
    }
}

/// The whole program. It needs `-enable-16bit-types`, and `--dialect slang` unless it is portable.
pub fn print(program: &Program) -> String {
    shader(program, Style::default())
}

/// A shader in one of its styles.
pub(crate) fn shader(program: &Program, style: Style) -> String {
    let register = style.of_draw.map(|it| format!("Log : register(u{});", 2 * it));
    let mut text = match register {
        Some(log) => HEAD.replacen("Log;", &log, 1),
        None => HEAD.to_owned(),
    };
    let exchanges = |it: &Function| it.body.iter().any(|it| matches!(it, Stmt::Exchange { .. }));
    if program.functions.last().is_some_and(exchanges) {
        let _ = writeln!(text, "groupshared uint given[{}];", program.threads);
    }
    if let Some(groups) = program.groups() {
        print_groups(&mut text, groups);
    }
    if let (true, Some(number)) = (style.is_checked, style.of_draw) {
        text.push_str(&check(program, number));
    }
    let (main, functions) =
        program.functions.split_last().unwrap_or_else(|| unreachable!("a program has a main"));
    for (index, function) in functions.iter().enumerate() {
        let ty = name(function.result.unwrap_or(Ty::UINT));
        let (head, end) = match function.form {
            Form::Plain => (format!("{ty} f{index}({ty} v0) {{"), "}"),
            Form::Template => (format!("template <typename T>\nT f{index}(T v0) {{"), "}"),
            Form::Method => {
                let head = format!("struct F{index} {{\n{ty} run({ty} v0) {{");
                (head, &*format!("}}\n}};\nstatic F{index} f{index};"))
            }
        };
        let _ = writeln!(text, "{head}");
        print_body(&mut text, function, 1, (program, style));
        let _ = writeln!(text, "{end}");
    }
    let threads = format!("[numthreads({}, 1, 1)]", program.threads);
    let head = match &program.shader {
        Shader::Compute => format!("{threads}\nvoid main(uint index : SV_GroupIndex) {{"),
        Shader::Pixel(pixels) => {
            let attribute = if pixels.included { "[WaveOpsIncludeHelperLanes]\n" } else { "" };
            match (style.of_draw.is_some(), pixels.columns) {
                (true, _) => {
                    format!("{attribute}void main(float4 position : SV_Position) {{\n{PIXEL}")
                }
                (false, None) => {
                    format!("{attribute}void main(nointerpolation uint index : INDEX) {{")
                }
                (false, Some(columns)) => format!(
                    "{attribute}void main(float4 at : SV_Position, nointerpolation uint first : INDEX) {{
    uint2 pixel = uint2(at.xy), quad = pixel / 2;
    uint index = first + (quad.y * {columns} + quad.x) * 4 + pixel.y % 2 * 2 + pixel.x % 2;"
                ),
            }
        }
        Shader::Groups(groups) => format!("{threads}{}", main_of_groups(groups)),
    };
    let _ = writeln!(text, "{head}");
    text.push_str("    thread = index;\n");
    if let Some(groups) = program.groups() {
        let [width, height] = MOST_CHILDREN;
        let received = groups.mesh.is_some() && groups.payload > 0;
        let parent = if received { "received.parent" } else { "0" };
        let children = width * height;
        let _ = writeln!(text, "    group = {parent} * {children} + place.y * {width} + place.x;");
        if groups.mesh.is_none() {
            text.push_str("    if (index == 0) payload.parent = group;\n");
        }
    }
    print_body(&mut text, main, 0, (program, style));
    // An amplification shader ends with its children.
    if style.is_checked && program.groups().is_none_or(|it| it.mesh.is_some()) {
        text.push_str("    check();\n");
    }
    text.push_str("}\n");
    text
}

/// The number of the thread at a pixel: the quads lie side by side.
const PIXEL: &str = "    uint2 pixel = uint2(position.xy);
    uint index = pixel.x / 2 * 4 + pixel.y % 2 * 2 + pixel.x % 2;";

/// The types and groupshared memory of a mesh or amplification shader.
fn print_groups(text: &mut String, groups: &Groups) {
    text.push_str("static uint group;\n");
    if groups.payload > 0 {
        let _ =
            writeln!(text, "struct Payload {{ uint parent; uint words[{}]; }};", groups.payload);
    }
    if groups.mesh.is_none() {
        text.push_str("groupshared Payload payload;\ngroupshared uint3 counted;\n");
        return;
    }
    text.push_str("groupshared uint2 counted;\n");
    for (word, array) in [("Vertex", Array::Vertices), ("Primitive", Array::Primitives)] {
        let fields = groups.fields.iter().enumerate().filter(|(_, it)| it.array == array);
        let members: Vec<String> = fields
            .map(|(index, field)| {
                let semantic = match (index, field.ty.kind) {
                    (0, _) => "SV_Position".to_owned(),
                    (_, Kind::Bool) => "SV_CullPrimitive".to_owned(),
                    _ => format!("A{index}"),
                };
                format!("    {} a{index} : {semantic};\n", name(field.ty))
            })
            .collect();
        if !members.is_empty() {
            let _ = writeln!(text, "struct {word} {{\n{}}};", members.concat());
        }
    }
}

/// The attributes and the head of the entry point, after the number of threads.
fn main_of_groups(groups: &Groups) -> String {
    let common = "void main(uint index : SV_GroupIndex, uint3 place : SV_GroupID";
    let Some(mesh) = &groups.mesh else { return format!("\n{common}) {{") };
    let topology = ["point", "line", "triangle"][mesh.corners as usize - 1];
    let payload = if groups.payload > 0 { ", in payload Payload received" } else { "" };
    let primitives = match groups.fields.iter().any(|it| it.array == Array::Primitives) {
        true => format!(", out primitives Primitive prims[{}]", mesh.most_primitives),
        false => String::new(),
    };
    let corners = name(Ty { kind: Kind::U32, n: mesh.corners as usize });
    format!(
        " [outputtopology(\"{topology}\")]\n{common}{payload},\n        out vertices Vertex verts[{}], out indices {corners} \
         corners[{}]{primitives}) {{",
        mesh.most_vertices, mesh.most_primitives
    )
}

fn name(ty: Ty) -> String {
    let word = ty.kind.word();
    if ty.n > 1 { format!("{word}{}", ty.n) } else { word.to_owned() }
}

fn print_body(
    text: &mut String,
    function: &Function,
    given: usize,
    (program, style): (&Program, Style),
) {
    for (local, ty) in function.locals.iter().enumerate().skip(given) {
        let _ = writeln!(text, "    {} v{local} = ({})0;", name(*ty), name(*ty));
    }
    let mut printer = Printer { text, indent: 1, program, style };
    printer.stmts(&function.body);
}

struct Printer<'a> {
    text: &'a mut String,
    indent: usize,
    program: &'a Program,
    style: Style,
}

impl Printer<'_> {
    fn line(&mut self, line: &str) {
        let indent = self.indent * 4;
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn inner(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        self.stmts(stmts);
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(local, value) => self.line(&format!("v{local} = {};", self.expr(value))),
            Stmt::If(condition, then, otherwise) => {
                self.line(&format!("if ({}) {{", self.expr(condition)));
                self.inner(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.inner(otherwise);
                }
                self.line("}");
            }
            Stmt::For { counter, bound, body } => {
                self.line("{");
                self.line(&format!("uint bound = {};", self.expr(bound)));
                self.line(&format!("for (v{counter} = 0; v{counter} < bound; ++v{counter}) {{"));
                self.inner(body);
                self.line("}");
                self.line("}");
            }
            Stmt::DoWhile { counter, body, condition } => {
                self.line(&format!("v{counter} = 0;"));
                self.line("do {");
                self.line(&format!("    ++v{counter};"));
                self.inner(body);
                self.line(&format!("}} while (v{counter} < 4 && {});", self.expr(condition)));
            }
            Stmt::Switch(selector, groups) => {
                self.line(&format!("switch ({}) {{", self.expr(selector)));
                for group in groups {
                    for label in &group.labels {
                        match label {
                            Some(value) => self.line(&format!("case {value}:")),
                            None => self.line("default:"),
                        }
                    }
                    self.inner(&group.body);
                    if group.breaks {
                        self.line("    break;");
                    }
                }
                self.line("}");
            }
            Stmt::Break => self.line("break;"),
            Stmt::Discard => {
                // What the lane stores from now on has no effect.
                if self.style.is_checked {
                    self.line("check();");
                }
                self.line("discard;");
            }
            Stmt::Count(counter, value) => {
                let word = match counter {
                    Counter::Add => "Add",
                    Counter::Or => "Or",
                    Counter::Xor => "Xor",
                    Counter::Max => "Max",
                };
                let at = self.program.counters() + counter.index();
                let value = self.expr(value);
                self.line(&format!("Interlocked{word}(Log[{at}], {value});"));
            }
            Stmt::Exchange { local, value, by } => {
                let value = self.expr(value);
                self.line("GroupMemoryBarrierWithGroupSync();");
                self.line(&format!("given[thread] = {value};"));
                self.line("GroupMemoryBarrierWithGroupSync();");
                let threads = self.program.threads;
                self.line(&format!("v{local} = given[(thread + {by}) % {threads}];"));
            }
            Stmt::Counts { values, from } => self.counts(values, *from),
            Stmt::Output { field, component, at, value } => {
                self.output(*field, *component, at, value);
            }
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(value) => self.line(&format!("return {};", self.expr(value))),
            Stmt::Log { place, value } => {
                self.line("{");
                self.line(&format!("{} value = {};", name(value.ty), self.expr(value)));
                let places = self.program.places;
                let thread = slot(self.program);
                for component in 0..value.ty.n.max(1) {
                    let scalar = if value.ty.n > 1 {
                        format!("value[{component}]")
                    } else {
                        "value".to_owned()
                    };
                    for word in words(value.ty.kind, &scalar) {
                        self.line(&format!("mix({thread} * {places} + {place}, {word});"));
                    }
                }
                self.line("}");
            }
        }
    }

    fn groups(&self) -> &Groups {
        let Some(groups) = self.program.groups() else {
            unreachable!("only mesh and amplification shaders have outputs of groups")
        };
        groups
    }

    fn counts(&mut self, [one, two]: &[Expr; 2], from: u32) {
        let (one, two) = (self.expr(one), self.expr(two));
        let groups = self.groups();
        let is_amplification = groups.mesh.is_none();
        let [width, height] = MOST_CHILDREN;
        let (ty, counts, call) = match &groups.mesh {
            Some(mesh) => {
                let (vertices, primitives) = (mesh.vertex_counts(), mesh.most_primitives + 1);
                let least = match mesh.least_vertices {
                    0 => String::new(),
                    least => format!("{least} + "),
                };
                let counts = format!("{least}{one} % {vertices}, {two} % {primitives}");
                ("uint2", counts, "SetMeshOutputCounts(counted.x, counted.y);")
            }
            None => {
                let counts = format!("1 + {one} % {width}, {two} % {}, 1", height + 1);
                ("uint3", counts, "DispatchMesh(counted.x, counted.y, counted.z, payload);")
            }
        };
        self.line("{");
        // All lanes compute the counts, so that wave operations in them see the whole wave.
        self.line(&format!("{ty} counts = {ty}({counts});"));
        self.line(&format!("if (thread == {from}) counted = counts;"));
        self.line("GroupMemoryBarrierWithGroupSync();");
        if self.style.is_checked && is_amplification {
            self.line("check();");
        }
        self.line(call);
        self.line("}");
    }

    fn output(&mut self, field: usize, component: Option<usize>, at: &Expr, value: &Expr) {
        let (at, ty, value) = (self.expr(at), name(value.ty), self.expr(value));
        let groups = self.groups();
        let it = groups.fields[field];
        let (whole, end) = match it.array {
            Array::Vertices => (format!("verts[at].a{field}"), "counted.x".to_owned()),
            Array::Primitives => (format!("prims[at].a{field}"), "counted.y".to_owned()),
            Array::Indices => ("corners[at]".to_owned(), "counted.y".to_owned()),
            Array::Payload => ("payload.words[at]".to_owned(), groups.payload.to_string()),
        };
        let part = component.map_or(String::new(), |it| format!("[{it}]"));
        // An index names a vertex that there is.
        let within = if it.array == Array::Indices { " % max(counted.x, 1)" } else { "" };
        self.line("{");
        self.line(&format!("uint at = {at};"));
        self.line(&format!("{ty} output = {value};"));
        self.line(&format!("if (at < {end}) {whole}{part} = output{within};"));
        self.line("}");
    }

    fn expr(&self, it: &Expr) -> String {
        let float = it.ty.kind.is_float();
        match &it.kind {
            ExprKind::Literal(values) => {
                let parts: Vec<String> =
                    values.iter().map(|value| literal(it.ty.kind, *value)).collect();
                if it.ty.n > 1 {
                    format!("{}({})", name(it.ty), parts.join(", "))
                } else {
                    format!("({})", parts[0])
                }
            }
            ExprKind::Local(local) => format!("v{local}"),
            ExprKind::Thread => "thread".to_owned(),
            ExprKind::Lane => "WaveGetLaneIndex()".to_owned(),
            ExprKind::Group => "group".to_owned(),
            ExprKind::Payload(index) => {
                format!("received.words[{} % {}]", self.expr(index), self.groups().payload)
            }
            ExprKind::Neg(a) => format!("(-{})", self.expr(a)),
            ExprKind::Not(a) => format!("(!{})", self.expr(a)),
            ExprKind::Bin(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let infix = |sign: &str| match float {
                    // Keeps floats small and exact.
                    true => self.below_16(it.ty, &format!("{a} {sign} {b}")),
                    false => format!("({a} {sign} {b})"),
                };
                match op {
                    Bin::Add => infix("+"),
                    Bin::Sub => infix("-"),
                    Bin::Mul => infix("*"),
                    Bin::And => infix("&"),
                    Bin::Or => infix("|"),
                    Bin::Xor => infix("^"),
                    Bin::Min => format!("min({a}, {b})"),
                    Bin::Max => format!("max({a}, {b})"),
                }
            }
            ExprKind::Shift { left, value, by } => {
                let sign = if *left { "<<" } else { ">>" };
                format!("({} {sign} ({}){by})", self.expr(value), it.ty.kind.word())
            }
            ExprKind::Cmp(op, a, b) => {
                let sign = match op {
                    Cmp::Eq => "==",
                    Cmp::Ne => "!=",
                    Cmp::Lt => "<",
                    Cmp::Ge => ">=",
                };
                format!("({} {sign} {})", self.expr(a), self.expr(b))
            }
            ExprKind::Cast(a) => {
                let inner = self.expr(a);
                match (a.ty.kind, it.ty.kind) {
                    // A negative float cannot be converted to an unsigned integer directly: go through the signed one.
                    (from, to) if from.is_float() && !to.is_float() && to != Kind::Bool => {
                        let signed = Ty { kind: Kind::I32, ..it.ty };
                        format!("(({})({}){inner})", name(it.ty), name(signed))
                    }
                    // A float holds small numbers only.
                    (from, to) if from.is_int() && to.is_float() => {
                        format!("(({})({inner} & ({})15))", name(it.ty), from.word())
                    }
                    _ => format!("(({}){inner})", name(it.ty)),
                }
            }
            ExprKind::Component(a, component) => {
                format!("{}[{component}]", parenthesised(&self.expr(a)))
            }
            ExprKind::Make(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| self.expr(it)).collect();
                format!("{}({})", name(it.ty), parts.join(", "))
            }
            ExprKind::Logic { and, lhs, rhs } => {
                format!(
                    "({} {} {})",
                    self.expr(lhs),
                    if *and { "&&" } else { "||" },
                    self.expr(rhs)
                )
            }
            ExprKind::Conditional(c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Wave { intrinsic, args } => {
                let args: Vec<String> = args.iter().map(|it| self.expr(it)).collect();
                let call = format!("{}({})", intrinsic.name, args.join(", "));
                // Sums over many lanes are reduced below 16.
                match float && intrinsic.name.ends_with("Sum") {
                    true => self.below_16(it.ty, &call),
                    false
                        if float
                            && (intrinsic.name.ends_with("Min")
                                || intrinsic.name.ends_with("Max")) =>
                    {
                        // The identity of a scan is an infinity.
                        format!("clamp({call}, ({0})-15.0, ({0})15.0)", it.ty.kind.word())
                    }
                    false => call,
                }
            }
            ExprKind::Peer(flip) => format!("peer({flip})"),
            ExprKind::Call(function, argument) => {
                let argument = self.expr(argument);
                match self.program.functions[*function].form {
                    Form::Plain => format!("f{function}({argument})"),
                    Form::Template => format!("f{function}<{}>({argument})", name(it.ty)),
                    Form::Method => format!("f{function}.run({argument})"),
                }
            }
            ExprKind::Derivative { down, fine, value } => {
                let name = if *down { "ddy" } else { "ddx" };
                let suffix = if *fine { "fine" } else { "coarse" };
                format!("fmod({name}_{suffix}({}), 16.0)", self.expr(value))
            }
        }
    }

    /// A float expression reduced below 16, which keeps floats small and exact.
    fn below_16(&self, ty: Ty, value: &str) -> String {
        match self.program.portable && ty.kind == Kind::F64 {
            // The numbers are small integers, so that nothing is lost on the way.
            true => {
                let narrow = name(Ty { kind: Kind::F32, ..ty });
                format!("(({})fmod(({narrow})({value}), 16.0))", name(ty))
            }
            false => format!("fmod({value}, ({})16.0)", ty.kind.word()),
        }
    }
}

/// The bits of a scalar, in words.
fn words(kind: Kind, scalar: &str) -> Vec<String> {
    match kind {
        Kind::Bool => vec![format!("{scalar} ? 1 : 0")],
        Kind::U32 | Kind::I32 => vec![format!("(uint){scalar}")],
        Kind::U16 => vec![format!("(uint){scalar}")],
        Kind::I16 => vec![format!("(uint)(int){scalar}")],
        Kind::U64 | Kind::I64 => vec![format!("(uint){scalar}"), format!("(uint)({scalar} >> 32)")],
        // A float holds a small integer; only the sign of zero is additional information.
        Kind::F16 | Kind::F32 | Kind::F64 => vec![format!("asuint((float){scalar})")],
    }
}

fn literal(kind: Kind, value: i64) -> String {
    match kind {
        Kind::Bool => (value & 1 == 1).to_string(),
        Kind::F16 | Kind::F32 | Kind::F64 => format!("({}){value}.0", kind.word()),
        _ => format!("({}){value}", kind.word()),
    }
}

fn parenthesised(text: &str) -> String {
    format!("({text})")
}
