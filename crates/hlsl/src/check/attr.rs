//! Attributes: a table of their arguments and of the stages that they apply to; `[numthreads]` and `[WaveSize]`.

use diag::{Diagnostic, Span, code, most_similar};
use ir::WaveSize;
use ops::intrinsics::{ShaderModel, Stage, Stages};

use super::{Checker, entry};
use crate::ast::{self, Attribute};
use crate::types::Types;

/// An attribute of functions.
struct Known {
    name: &'static str,
    args: &'static [Expected],
    /// The number of required arguments.
    least: usize,
    /// The stages whose entry points it applies to.
    stages: Stages,
    /// The first shader model that has it, if not all do.
    since: Option<ShaderModel>,
}

/// What an attribute expects as an argument.
#[derive(Clone, Copy)]
enum Expected {
    /// Within these bounds, both included.
    Integer(i64, i64),
    Number(f32, f32),
    Word(&'static [&'static str]),
    Text,
    /// Checked where it is used.
    Anything,
}

const fn known(name: &'static str, stages: Stages, args: &'static [Expected]) -> Known {
    Known { name, args, least: args.len(), stages, since: None }
}

/// The last argument is optional.
const fn shorter(known: Known) -> Known {
    Known { least: known.least - 1, ..known }
}

const fn since(model: ShaderModel, known: Known) -> Known {
    Known { since: Some(model), ..known }
}

const ANY: Stages = Stages::ALL;
const PATCHES: Stages = Stages::of(&[Stage::Hull, Stage::Domain]);
const HULL: Stages = Stages::of(&[Stage::Hull]);
const GEOMETRY: Stages = Stages::of(&[Stage::Geometry]);
const NODE: Stages = Stages::of(&[Stage::Node]);
const GRID: Expected = Expected::Integer(0, 65535);
const INDEX: Expected = Expected::Integer(0, u32::MAX as i64);

/// The stage names that `[shader("…")]` accepts.
pub(super) const SHADERS: &[&str] = &[
    "vertex",
    "hull",
    "domain",
    "geometry",
    "pixel",
    "compute",
    "amplification",
    "mesh",
    "raygeneration",
    "intersection",
    "anyhit",
    "closesthit",
    "miss",
    "callable",
    "node",
];

/// One row for each attribute of functions.
const OF_FUNCTIONS: &[Known] = &[
    known(
        "numthreads",
        Stages::GROUPS,
        &[Expected::Anything, Expected::Anything, Expected::Anything],
    ),
    Known {
        least: 1,
        ..known(
            "WaveSize",
            Stages::GROUPS,
            &[Expected::Anything, Expected::Anything, Expected::Anything],
        )
    },
    since(
        ShaderModel::V6_10,
        known(GROUP_SHARED_LIMIT, Stages::GROUPS, &[Expected::Integer(0, i32::MAX as i64)]),
    ),
    known("shader", ANY, &[Expected::Word(SHADERS)]),
    known("RootSignature", ANY, &[Expected::Text]),
    since(ShaderModel::V6_7, known("WaveOpsIncludeHelperLanes", Stages::of(&[Stage::Pixel]), &[])),
    known("noinline", ANY, &[]),
    known("earlydepthstencil", Stages::of(&[Stage::Pixel]), &[]),
    // Permits what these engines never do, so it changes nothing.
    known("allowearlypixelculling", Stages::of(&[Stage::Pixel]), &[]),
    known("maxvertexcount", GEOMETRY, &[Expected::Integer(1, 1024)]),
    known("instance", GEOMETRY, &[Expected::Integer(1, 32)]),
    known("domain", PATCHES, &[Expected::Word(&["tri", "quad", "isoline"])]),
    known(
        "partitioning",
        HULL,
        &[Expected::Word(&["integer", "fractional_even", "fractional_odd", "pow2"])],
    ),
    known(
        "outputtopology",
        Stages::of(&[Stage::Hull, Stage::Mesh]),
        &[Expected::Word(&["point", "line", "triangle", "triangle_cw", "triangle_ccw"])],
    ),
    known("outputcontrolpoints", HULL, &[Expected::Integer(0, 32)]),
    known("patchconstantfunc", HULL, &[Expected::Text]),
    known("maxtessfactor", HULL, &[Expected::Number(1.0, 64.0)]),
    Known {
        least: 1,
        ..known("clipplanes", Stages::of(&[Stage::Vertex]), &[Expected::Anything; 6])
    },
    known("NodeLaunch", NODE, &[Expected::Word(&["broadcasting", "coalescing", "thread"])]),
    known("NodeIsProgramEntry", NODE, &[]),
    shorter(known("NodeID", NODE, &[Expected::Text, INDEX])),
    known("NodeDispatchGrid", NODE, &[GRID, GRID, GRID]),
    known("NodeMaxDispatchGrid", NODE, &[GRID, GRID, GRID]),
    known("NodeMaxRecursionDepth", NODE, &[Expected::Integer(0, 32)]),
    known("NodeLocalRootArgumentsTableIndex", NODE, &[INDEX]),
    shorter(known("NodeShareInputOf", NODE, &[Expected::Text, INDEX])),
    Known { least: 0, ..known("experimental", ANY, &[Expected::Anything, Expected::Anything]) },
];

/// One row for each attribute of parameters.
const OF_PARAMETERS: &[Known] = &[
    known("MaxRecords", NODE, &[INDEX]),
    known("MaxRecordsSharedWith", NODE, &[Expected::Anything]),
    shorter(known("NodeID", NODE, &[Expected::Text, INDEX])),
    known("AllowSparseNodes", NODE, &[]),
    known("UnboundedSparseNodes", NODE, &[]),
    known("NodeArraySize", NODE, &[INDEX]),
];

/// The attribute that sets how much groupshared memory an entry point may use.
const GROUP_SHARED_LIMIT: &str = "GroupSharedLimit";

/// One row for each attribute of statements, with the statements that it is for.
const OF_STATEMENTS: &[(&str, &[Target])] = &[
    ("unroll", &[Target::Loop]),
    ("loop", &[Target::Loop]),
    ("fastopt", &[Target::Loop]),
    ("allow_uav_condition", &[Target::Loop]),
    ("branch", &[Target::If, Target::Switch]),
    ("flatten", &[Target::If, Target::Switch]),
    ("call", &[Target::Switch]),
    ("forcecase", &[Target::Switch]),
];

/// Attributes of structs.
const OF_STRUCTS: &[&str] = &["raypayload", "NodeTrackRWInputSharing"];

/// Attributes that are proposed for HLSL, and what to write instead.
const PROPOSED: &[(&str, &str)] = &[
    ("NumWaves", "`[numthreads(x, y, z)]` and `[WaveSize(n)]` set the number of waves"),
    ("AllowEarlyPixelCulling", "`[earlydepthstencil]` tests depth and stencil first"),
    ("math_mode", "`precise` keeps the arithmetic of a variable as it is written"),
];

/// What an attribute precedes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Variable,
    Field,
    Struct,
    /// An enum, a namespace, a constant buffer, another name of a type.
    Declaration,
    Loop,
    If,
    Switch,
    /// Any other statement.
    Statement,
}

impl Target {
    fn words(self) -> &'static str {
        match self {
            Target::Variable => "a variable",
            Target::Field => "a member of a struct",
            Target::Struct => "a struct",
            Target::Declaration => "this declaration",
            Target::Loop => "a loop",
            Target::If => "an `if`",
            Target::Switch => "a `switch`",
            Target::Statement => "this statement",
        }
    }
}

/// The bytes of groupshared memory that a group has by default, and in a mesh shader.
const MOST_GROUPSHARED: u64 = 32 * 1024;
const MOST_IN_MESH: u64 = 28 * 1024;
const MOST_THREADS: i64 = 1024;
const MOST_THREADS_IN_Z: i64 = 64;

fn counted(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

pub(crate) fn is(attribute: &Attribute, name: &str) -> bool {
    attribute.scope.is_none() && attribute.name.name.eq_ignore_ascii_case(name)
}

/// Warns about an unknown attribute of a function.
pub(super) fn report_unknown(checker: &mut Checker, attribute: &Attribute) {
    let known: Vec<&str> = OF_FUNCTIONS.iter().map(|it| it.name).collect();
    unknown(checker, attribute, &known);
}

/// Warns about attributes before something that they do not apply to, other than a function.
pub(super) fn report_misplaced(checker: &mut Checker, attributes: &[Attribute], place: Target) {
    for attribute in attributes {
        let fits = match place {
            Target::Struct => OF_STRUCTS.iter().any(|it| is(attribute, it)),
            _ => OF_STATEMENTS.iter().any(|it| is(attribute, it.0) && it.1.contains(&place)),
        };
        if attribute.scope.is_some() || fits {
            continue;
        }
        let meant = OF_STATEMENTS.iter().find(|it| is(attribute, it.0));
        let is_of = |rows: &[Known]| rows.iter().any(|it| is(attribute, it.name));
        let belongs = match meant.map(|it| it.1) {
            Some([Target::Loop]) => "a loop",
            Some([Target::Switch]) => "a `switch`",
            Some(_) => "an `if` or a `switch`",
            None if is_of(OF_FUNCTIONS) => "a function",
            None if is_of(OF_PARAMETERS) => "a parameter of a node",
            None if OF_STRUCTS.iter().any(|it| is(attribute, it)) => "a struct",
            None => {
                let known: Vec<&str> = match place {
                    Target::Struct => OF_STRUCTS.to_vec(),
                    _ => {
                        let fitting = OF_STATEMENTS.iter().filter(|it| it.1.contains(&place));
                        fitting.map(|it| it.0).collect()
                    }
                };
                unknown(checker, attribute, &known);
                continue;
            }
        };
        let name = &attribute.name;
        let message = format!("the attribute `{}` has no effect on {}", name.name, place.words());
        let report = Diagnostic::new(&code::UNKNOWN_ATTRIBUTE, name.span, message);
        checker.report(report.help(format!("it belongs before {belongs}")));
    }
}

fn unknown(checker: &mut Checker, attribute: &Attribute, known: &[&'static str]) {
    let is_ours = attribute.scope.as_ref().is_none_or(|it| it.name == *"hlsl");
    if !is_ours || known.iter().any(|it| is(attribute, it)) {
        return;
    }
    let name = &attribute.name;
    let message = format!("the attribute `{}` has no effect here", name.name);
    let mut report = Diagnostic::new(&code::UNKNOWN_ATTRIBUTE, name.span, message);
    let proposed = PROPOSED.iter().find(|it| it.0.eq_ignore_ascii_case(&name.name));
    if let Some((proposed, instead)) = proposed {
        report = report.note(format!("`{proposed}` is only proposed for HLSL")).help(*instead);
    } else if let Some(near) = most_similar(&name.name, known.iter().copied()) {
        report = report.fix(format!("a similar name is `{near}`"), name.span, near);
    }
    checker.report(report);
}

/// The attribute of that name; the last one counts.
pub(super) fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().rfind(|it| is(it, name))
}

/// The text of a string argument.
pub(super) fn text(attribute: &Attribute, index: usize) -> Option<&str> {
    match &attribute.args.get(index)?.kind {
        ast::ExprKind::String(text) => Some(text),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// Checks the attributes of the entry point: their arguments, and whether they apply to its stage.
    pub(super) fn entry_attributes(&mut self, attributes: &'a [Attribute]) -> bool {
        let mut fine = true;
        for attribute in attributes {
            let found = OF_FUNCTIONS.iter().find(|it| is(attribute, it.name));
            fine &= found.is_none_or(|known| self.known_attribute(attribute, known));
        }
        fine & self.one_group_shared_limit(attributes)
    }

    /// Checks `[GroupSharedLimit]` of an entry point in a library; the other attributes depend on the pipeline.
    pub(super) fn library_attributes(&mut self, attributes: &'a [Attribute]) {
        let stage = entry::shader_word(attributes).and_then(entry::stage_of_word);
        let profile = self.stage;
        self.stage = stage.unwrap_or(profile);
        let known = OF_FUNCTIONS.iter().find(|it| it.name == GROUP_SHARED_LIMIT);
        for attribute in attributes.iter().filter(|it| is(it, GROUP_SHARED_LIMIT)) {
            if let Some(known) = known {
                self.known_attribute(attribute, known);
            }
        }
        self.one_group_shared_limit(attributes);
        self.stage = profile;
    }

    /// Whether there is at most one `[GroupSharedLimit]`; reports a second one.
    fn one_group_shared_limit(&mut self, attributes: &'a [Attribute]) -> bool {
        let mut limits = attributes.iter().filter(|it| is(it, GROUP_SHARED_LIMIT));
        let (Some(first), Some(second)) = (limits.next(), limits.next()) else { return true };
        let message = format!("an entry point has only one `{GROUP_SHARED_LIMIT}`");
        let report = Diagnostic::new(&code::BAD_ATTRIBUTE, second.span, message);
        self.report(report.also(first.span, "the first one"));
        false
    }

    pub(super) fn parameter_attributes(&mut self, attributes: &'a [Attribute]) -> bool {
        let mut fine = true;
        for attribute in attributes {
            match OF_PARAMETERS.iter().find(|it| is(attribute, it.name)) {
                Some(known) => fine &= self.known_attribute(attribute, known),
                None => {
                    let known: Vec<&str> = OF_PARAMETERS.iter().map(|it| it.name).collect();
                    unknown(self, attribute, &known);
                }
            }
        }
        fine
    }

    fn known_attribute(&mut self, attribute: &'a Attribute, known: &'static Known) -> bool {
        let stage = self.stage;
        if !known.stages.contains(stage) {
            let message =
                format!("`{}` does not apply to a {} shader", known.name, entry::stage_word(stage));
            self.error(&code::UNKNOWN_ATTRIBUTE, attribute.span, message);
            return true;
        }
        let (given, most) = (attribute.args.len(), known.args.len());
        // The sizes of groups and waves are checked and reported separately.
        if known.args.iter().all(|it| matches!(it, Expected::Anything)) && most == 3 {
            return true;
        }
        if !(known.least..=most).contains(&given) {
            let plural = if most == 1 { "" } else { "s" };
            let wanted = match (known.least, most) {
                (_, 0) => "no arguments".to_owned(),
                (least, most) if least == most => format!("{most} argument{plural}"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            let were = if given == 1 { "was" } else { "were" };
            let message = format!("`{}` takes {wanted}, but {given} {were} given", known.name);
            self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
            return false;
        }
        if let Some(since) = known.since.filter(|it| self.shader_model() < *it) {
            self.needs_shader_model(attribute.span, known.name, since);
            return false;
        }
        let mut fine = true;
        for (arg, wanted) in attribute.args.iter().zip(known.args) {
            fine &= self.attribute_arg(attribute, known.name, arg, *wanted);
        }
        fine
    }

    fn attribute_arg(
        &mut self,
        attribute: &'a Attribute,
        name: &str,
        arg: &'a ast::Expr,
        wanted: Expected,
    ) -> bool {
        let given = match &arg.kind {
            ast::ExprKind::String(text) => Some(text.clone()),
            _ => None,
        };
        match (wanted, given) {
            (Expected::Anything, _) | (Expected::Text, Some(_)) => true,
            (Expected::Integer(least, most), _) => {
                let Some(value) = self.attribute_value(arg, attribute) else { return false };
                let is_split = name == GROUP_SHARED_LIMIT && value % 4 != 0;
                let message = match (least..=most).contains(&value) {
                    true if is_split => format!("`{name}` must be a multiple of 4, not {value}"),
                    true => return true,
                    false => format!("`{name}` must be from {least} to {most}, not {value}"),
                };
                self.error(&code::BAD_ATTRIBUTE, arg.span, message);
                false
            }
            (Expected::Number(least, most), _) => {
                let value = self.value(arg);
                let value = self.coerce(value, Types::FLOAT);
                let Some([bits]) = self.constant(&value).as_deref().map(|it| [it[0]]) else {
                    if value.ty != Types::ERROR {
                        let message = format!("the argument of `{name}` must be a constant");
                        self.error(&code::NOT_CONSTANT, arg.span, message);
                    }
                    return false;
                };
                let value = f32::from_bits(bits as u32);
                if (least..=most).contains(&value) {
                    return true;
                }
                let message = format!("`{name}` must be from {least} to {most}, not {value}");
                self.error(&code::BAD_ATTRIBUTE, arg.span, message);
                false
            }
            (Expected::Word(words), Some(given)) if words.contains(&&*given) => true,
            (Expected::Word(words), given) => {
                let list: Vec<String> = words.iter().map(|it| format!("`\"{it}\"`")).collect();
                let (last, first) = list
                    .split_last()
                    .unwrap_or_else(|| unreachable!("a row lists at least one word"));
                let list = format!("{} or {last}", first.join(", "));
                let message = match &given {
                    Some(given) => format!("`{name}` cannot be `\"{given}\"`"),
                    None => format!("`{name}` takes a quoted word"),
                };
                let mut report = Diagnostic::new(&code::BAD_ATTRIBUTE, arg.span, message);
                let near = given.and_then(|it| most_similar(&it, words.iter().copied()));
                report = match near {
                    Some(near) => {
                        let near = format!("\"{near}\"");
                        report.fix(format!("a similar word is `{near}`"), arg.span, near)
                    }
                    None => report.help(format!("use {list}")),
                };
                self.report(report);
                false
            }
            (Expected::Text, None) => {
                let message = format!("`{name}` takes a string in quotes");
                self.error(&code::BAD_ATTRIBUTE, arg.span, message);
                false
            }
        }
    }

    /// The bytes of groupshared memory that an entry point may use, and the attribute that says so.
    pub(super) fn group_shared_limit(
        &mut self,
        attributes: &'a [Attribute],
    ) -> (u64, Option<Span>) {
        let stage = entry::shader_word(attributes).and_then(entry::stage_of_word);
        let default = match stage.unwrap_or(self.stage) {
            Stage::Mesh => MOST_IN_MESH,
            _ => MOST_GROUPSHARED,
        };
        let written = find(attributes, GROUP_SHARED_LIMIT).and_then(|attribute| {
            let value = self.attribute_value(attribute.args.first()?, attribute)?;
            Some((u64::try_from(value).ok()?, Some(attribute.span)))
        });
        written.unwrap_or((default, None))
    }

    /// The first argument of an attribute that has been checked, if it is there.
    pub(super) fn attribute_number(
        &mut self,
        attributes: &'a [Attribute],
        name: &str,
    ) -> Option<u32> {
        let attribute = find(attributes, name)?;
        let value = self.attribute_value(attribute.args.first()?, attribute)?;
        u32::try_from(value).ok()
    }

    /// The value of an attribute's argument; `None` after a report.
    fn attribute_value(&mut self, arg: &'a ast::Expr, attribute: &Attribute) -> Option<i64> {
        let (value, checked) =
            self.constant_integer(arg, &format!("an argument of `{}`", attribute.name.name))?;
        (checked.ty != Types::ERROR).then_some(value)
    }

    /// `[numthreads(x, y, z)]` of the entry point.
    pub(super) fn numthreads(&mut self, attribute: &'a Attribute) -> Option<[u32; 3]> {
        if attribute.args.len() != 3 {
            let message = format!("`numthreads` takes 3 arguments, not {}", attribute.args.len());
            self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
            return None;
        }
        let mut size = [0; 3];
        let mut product: i64 = 1;
        for (i, arg) in attribute.args.iter().enumerate() {
            let value = self.attribute_value(arg, attribute)?;
            let most = if i == 2 { MOST_THREADS_IN_Z } else { MOST_THREADS };
            if !(1..=most).contains(&value) {
                let axis = ["x", "y", "z"][i];
                let message = format!("a group has 1 to {most} threads in {axis}, not {value}");
                self.error(&code::BAD_ATTRIBUTE, arg.span, message);
                return None;
            }
            size[i] = value as u32;
            product *= value;
        }
        if product > MOST_THREADS {
            let message = format!("a group has at most {MOST_THREADS} threads, not {product}");
            self.error(&code::BAD_ATTRIBUTE, attribute.span, message);
            return None;
        }
        Some(size)
    }

    /// All `[WaveSize]` of the entry point.
    pub(super) fn wave_size(&mut self, attributes: &'a [Attribute]) -> Option<WaveSize> {
        let mut found: Option<(WaveSize, Span)> = None;
        for attribute in attributes.iter().filter(|it| is(it, "WaveSize")) {
            let size = self.one_wave_size(attribute)?;
            match found {
                Some((before, span)) if before != size => {
                    let report = Diagnostic::new(
                        &code::BAD_WAVE_SIZE,
                        attribute.span,
                        "two `WaveSize` attributes contradict each other",
                    );
                    self.report(report.also(span, "the first one"));
                    return None;
                }
                Some(_) => {}
                None => found = Some((size, attribute.span)),
            }
        }
        Some(found.map_or_else(WaveSize::default, |it| it.0))
    }

    /// Warns where the waves that `[WaveSize]` requires can never be full.
    pub(super) fn partial_waves(
        &mut self,
        attributes: &'a [Attribute],
        size: WaveSize,
        group_size: [u32; 3],
    ) {
        let threads: u32 = group_size.iter().product();
        let Some(attribute) = attributes.iter().find(|it| is(it, "WaveSize")) else { return };
        // In a range, the smallest waves are the easiest to fill.
        let left = threads % size.min.max(1);
        // A group of one thread is scalar code, which does not care about waves.
        if left == 0 || threads == 1 {
            return;
        }
        let lanes = counted(size.min - left, "lane");
        let mut report = Diagnostic::new(
            &code::PARTIAL_WAVE,
            attribute.span,
            format!("{lanes} of the last wave of a group are never active"),
        )
        .note(format!("a group has {threads} threads, in waves of {} lanes", size.min));
        if let Some(threads) = attributes.iter().find(|it| is(it, "numthreads")) {
            report = report.also(threads.span, "the group");
        }
        self.report(report.help("make the number of threads a multiple of the wave size"));
    }

    fn one_wave_size(&mut self, attribute: &'a Attribute) -> Option<WaveSize> {
        let span = attribute.span;
        let args = &attribute.args;
        if args.is_empty() || args.len() > 3 {
            let message = format!("`WaveSize` takes 1 to 3 arguments, not {}", args.len());
            self.error(&code::BAD_WAVE_SIZE, span, message);
            return None;
        }
        if self.shader_model() < ShaderModel::V6_6 {
            self.needs_shader_model(span, "WaveSize", ShaderModel::V6_6);
            return None;
        }
        if args.len() > 1 && self.shader_model() < ShaderModel::V6_8 {
            self.needs_shader_model(span, "WaveSize with several arguments", ShaderModel::V6_8);
            return None;
        }
        let mut values = Vec::new();
        for arg in args {
            let value = self.attribute_value(arg, attribute)?;
            if !(4..=128).contains(&value) || value & (value - 1) != 0 {
                let message = format!("a wave has 4, 8, 16, 32, 64 or 128 lanes, not {value}");
                self.error(&code::BAD_WAVE_SIZE, arg.span, message);
                return None;
            }
            values.push((value as u32, arg.span));
        }
        let (min, _) = values[0];
        let Some((max, max_span)) = values.get(1).copied() else {
            return Some(WaveSize { min, max: 0, preferred: 0 });
        };
        if min >= max {
            let message = match min == max {
                true => {
                    format!("the range of wave sizes from {min} to {max} contains only one size")
                }
                false => format!("the minimum wave size {min} is larger than the maximum {max}"),
            };
            let report = Diagnostic::new(&code::BAD_WAVE_SIZE, max_span, message);
            let remedy = match min == max {
                true => report.help(format!("write `[WaveSize({min})]`")),
                false => report.help("write the minimum first"),
            };
            self.report(remedy);
            return None;
        }
        let preferred = values.get(2).copied();
        if let Some((preferred, span)) = preferred
            && !(min..=max).contains(&preferred)
        {
            let message =
                format!("the preferred wave size must be from {min} to {max}, not {preferred}");
            self.error(&code::BAD_WAVE_SIZE, span, message);
            return None;
        }
        Some(WaveSize { min, max, preferred: preferred.map_or(0, |it| it.0) })
    }
}
