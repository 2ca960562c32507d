//! Messages about resources without bindings, and about bindings that an entry point does not use.

use std::collections::BTreeSet;

use wavelane::internal::{diag, survey};
use wavelane::{
    Contents, Layout, Member, RegisterClass, Resource, ResourceKind, Scalar, Shader, SourceMap,
    Span,
};

use crate::asked::Binds;
use crate::auto::{Auto, Made};
use crate::flags::WORKER;
use crate::problem::{Problem, quoted};
use crate::terminal;

/// The most resources of which the declaration is shown.
const MOST_SHOWN: usize = 20;
/// The most members that are set one by one in a command line that is proposed.
const MOST_SETS: usize = 12;

/// Bindings without effect: each is reported once.
#[derive(Default)]
pub(crate) struct Unused {
    told: BTreeSet<String>,
    is_silent: bool,
}

impl Unused {
    /// Reports nothing: the bindings are not the user's.
    pub(crate) fn silent() -> Unused {
        Unused { told: BTreeSet::new(), is_silent: true }
    }

    /// Something is bound to a resource that the entry point does not use.
    pub(crate) fn resource(&mut self, resource: &Resource, shader: &Shader, sources: &SourceMap) {
        self.tell(&resource.name, "", resource.span, shader, sources);
    }

    /// A member is set that the entry point does not read.
    pub(crate) fn member(
        &mut self,
        member: &str,
        resource: &Resource,
        shader: &Shader,
        sources: &SourceMap,
    ) {
        // Constants outside any block are declared by themselves.
        let within = match resource.name.starts_with('$') {
            true => String::new(),
            false => format!("in `{}`, ", resource.name),
        };
        self.tell(member, &within, resource.span, shader, sources);
    }

    /// Something is bound to a resource of a kind that no entry point can use yet. Returns whether there is one of that
    /// name.
    pub(crate) fn opaque(&mut self, name: &str, shader: &Shader, sources: &SourceMap) -> bool {
        let mut all = shader.opaque().iter();
        let Some(it) = all.find(|it| it.name == name) else { return false };
        self.tell(name, "", it.span, shader, sources);
        true
    }

    fn tell(
        &mut self,
        name: &str,
        within: &str,
        declared: Span,
        shader: &Shader,
        sources: &SourceMap,
    ) {
        if self.is_silent || !self.told.insert(name.to_owned()) {
            return;
        }
        terminal::note(&format!(
            "`{}` does not use `{name}`{}, so what is given to it has no effect",
            shader.entry(),
            line(declared, within, sources)
        ));
    }
}

/// Something is given to what the stages of a draw declare, and none of them uses.
pub(crate) fn tell_unused_in_draw(name: &str, declared: Span, sources: &SourceMap) {
    let line = line(declared, "", sources);
    terminal::note(&format!(
        "no shader of the draw uses `{name}`{line}, so what is given to it has no effect"
    ));
}

/// ` (lib.hlsl:6)`
fn line(declared: Span, within: &str, sources: &SourceMap) -> String {
    match sources.location(declared) {
        Some(at) => format!(" ({within}{}:{})", at.file, at.line),
        None => String::new(),
    }
}

/// The error for a flag that names a buffer which the entry point does not use.
pub(crate) fn leaves_nothing(resource: &Resource, shader: &Shader, sources: &SourceMap) -> Problem {
    let entry = shader.entry();
    let what = format!(
        "`{entry}` does not use `{}`{}, so that it leaves nothing there",
        resource.name,
        line(resource.span, "", sources)
    );
    Problem::input(what)
}

/// Members of constant buffers that were forgotten are 0, which looks like a wrong result; those that are not read do
/// not matter.
pub(crate) fn tell_about_zeros(resource: &str, set: &[String], shader: &Shader) {
    let Some((index, resource)) = shader.resource(resource) else { return };
    let ResourceKind::Constant { members, .. } = &resource.kind else { return };
    let read = &survey(shader).uses[index].members;
    let rest: Vec<String> = members
        .iter()
        .zip(read)
        .filter(|(it, is_read)| **is_read && !set.contains(&it.name))
        .map(|(it, _)| format!("`{}`", it.name))
        .collect();
    match rest.as_slice() {
        [] => {}
        [one] => terminal::note(&format!("{one} is not set and is 0")),
        several => terminal::note(&format!("{} are not set and are 0", several.join(", "))),
    }
}

/// Whether the code of the entry point may read a member.
pub(crate) fn is_read(shader: &Shader, resource: usize, member: &Member) -> bool {
    let ResourceKind::Constant { members, .. } = &shader.resources()[resource].kind else {
        return true;
    };
    let at = members.iter().position(|it| it.name == member.name);
    at.is_none_or(|at| survey(shader).uses[resource].members[at])
}

/// The resources without bindings, with a command line that binds them.
pub(crate) fn unbound(
    resources: &[&Resource],
    args: &Binds,
    made: Option<&Auto>,
    shader: &Shader,
    sources: &SourceMap,
) -> Problem {
    let names: Vec<String> = resources.iter().map(|it| format!("`{}`", it.name)).collect();
    let what = match names.as_slice() {
        [one] => format!("nothing is bound to {one}, which the shader uses"),
        several => {
            format!("nothing is bound to {}, which `{}` uses", several.join(", "), shader.entry())
        }
    };
    let mut problem = Problem::input(what);
    if let Some(first) = resources.first() {
        problem = problem.at(first.span, "declared here", sources);
    }
    if resources.len() > 1 {
        let mut lines: Vec<String> = resources
            .iter()
            .take(MOST_SHOWN)
            .map(|it| match sources.location(it.span) {
                Some(at) => format!("{}:{}:{}: {}", at.file, at.line, at.column, declared(it)),
                None => declared(it),
            })
            .collect();
        if resources.len() > MOST_SHOWN {
            lines.push(format!("… and {} more", resources.len() - MOST_SHOWN));
        }
        problem = problem.help(format!("they are:\n{}", lines.join("\n")));
    } else if let Some(Resource { kind: ResourceKind::Constant { members, .. }, .. }) =
        resources.first()
    {
        let members: Vec<String> = members.iter().map(values::member::described).collect();
        problem = problem.help(format!("its members: {}", members.join(", ")));
    }
    if let Some(auto) = made.filter(|it| !it.made.is_empty()) {
        let words = args.words.iter().filter(|it| *it != WORKER).map(|it| quoted(it));
        let given = words.collect::<Vec<_>>().join(" ");
        let more: Vec<String> = auto.made.iter().map(for_people).collect();
        problem = problem.help(format!("bind them, as in\nwavelane {given} {}", more.join(" ")));
    }
    problem.help(
        "`--auto` makes up what is missing; `wavelane run FILE --bindings` lists what there is",
    )
}

/// Constants one by one, which can be read and changed.
fn for_people(made: &Made) -> String {
    if made.sets.is_empty() || made.sets.len() > MOST_SETS {
        return made.words();
    }
    let set =
        |(name, value): &(String, String)| format!("--set {}", quoted(&format!("{name}={value}")));
    made.sets.iter().map(set).collect::<Vec<_>>().join(" ")
}

/// A resource as in its declaration, such as `StructuredBuffer<uint> Src`.
pub(crate) fn declared(resource: &Resource) -> String {
    let array = match resource.count {
        Some(1) => String::new(),
        Some(count) => format!("[{count}]"),
        None => "[]".to_owned(),
    };
    let (name, view) = (&resource.name, resource.kind.view());
    // Its views have types, and the heap has none.
    if resource.register.class.is_heap() {
        return format!("{name}{array}");
    }
    let ty = type_name(resource);
    match view.contents {
        Contents::Constants => format!("{ty} {name}{array}, {} bytes", view.size),
        _ => format!("{ty} {name}{array}"),
    }
}

/// The type as in a declaration, such as `StructuredBuffer<uint>`.
pub(crate) fn type_name(resource: &Resource) -> String {
    let (kind, view) = (kind_name(resource), resource.kind.view());
    match element_type(&resource.kind) {
        _ if view.contents == Contents::Constants => kind.to_owned(),
        Some(ty) if ty == "struct" => format!("{kind}<{} bytes>", view.stride),
        Some(ty) => format!("{kind}<{ty}>"),
        None => kind.to_owned(),
    }
}

/// The type as HLSL names it.
pub(crate) fn kind_name(resource: &Resource) -> &'static str {
    match &resource.kind {
        ResourceKind::Sampler { comparison: true } => "SamplerComparisonState",
        ResourceKind::Constant { .. } if resource.register.class == RegisterClass::Shader => {
            "TextureBuffer"
        }
        kind => kind.view().name,
    }
}

/// The type of an element in HLSL; `struct` for several members.
pub(crate) fn element_type(kind: &ResourceKind) -> Option<String> {
    let view = kind.view();
    match (view.element, view.members) {
        (Some(element), _) => {
            let norm = match element.norm {
                wavelane::Norm::None => "",
                wavelane::Norm::Unorm => "unorm ",
                wavelane::Norm::Snorm => "snorm ",
            };
            let scalar = Scalar::from(element.scalar).hlsl_name();
            let count = if element.components == 1 {
                String::new()
            } else {
                element.components.to_string()
            };
            Some(format!("{norm}{scalar}{count}"))
        }
        (None, [member]) if member.name.is_empty() => Some(values::member::type_of(member)),
        (None, _) if view.has_elements() || view.contents == Contents::Constants => {
            Some("struct".to_owned())
        }
        (None, _) => None,
    }
}

/// The error for `--set` of a whole buffer.
pub(crate) fn how_to_bind(resource: &Resource) -> String {
    let name = match resource.count {
        Some(1) => resource.name.clone(),
        _ => format!("{}[0]", resource.name),
    };
    let view = resource.kind.view();
    match view.contents {
        Contents::Constants => {
            let first = view.members.first().map_or("Member", |it| it.name.as_str());
            format!(
                "--set {first}=… for each member, or all bytes at once: --bind '{name}=@constants.bin'"
            )
        }
        Contents::Texture => {
            let (dim, element) = view.texture();
            let format = crate::texture::own_format(&element);
            let sizes = crate::texture::sizes(dim, [64; 3]);
            format!(
                "--bind '{name}={format}[{sizes}]' makes it zeros; contents follow as for buffers"
            )
        }
        Contents::Scene => {
            format!("--bind '{name}=triangles(0 1 0, -1 -1 0, 1 -1 0)' makes it one triangle")
        }
        Contents::Feedback => {
            format!(
                "--bind '{name}=feedback(T, region=8x8)' makes it a cleared map of the texture `T`"
            )
        }
        Contents::Sampler => {
            format!("--bind '{name}=linear wrap' says how textures are filtered")
        }
        Contents::Buffer => {
            let scalar = Layout::of(&resource.kind, None).only().map_or("", Scalar::name);
            format!(
                "--bind '{name}={scalar}[64]' makes it 64 zeros; a list, `{scalar}[64]:iota` or `@file.npy` fill it"
            )
        }
    }
}

/// A problem about an unknown name, with the similar one and the others.
pub(crate) fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Problem {
    let known: Vec<&str> = known.collect();
    let problem = Problem::input(what);
    let problem = match diag::most_similar(name, known.iter().copied()) {
        Some(meant) => problem.help(format!("did you mean `{meant}`?")),
        None => problem,
    };
    if known.is_empty() {
        problem
    } else {
        problem.help(format!("there are: {}", known.join(", ")))
    }
}
