//! Checks of how an access finds its memory: the alignment of byte addresses, indices into arrays of resources beyond
//! their end, and those that differ between lanes without `NonUniformResourceIndex`.

use interp::observe::{AccessEvent, At, Space};
use ir::{Address, Binding, Inst, Module, Op, Value};
use ops::{Binary, LaneMask};

use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, third_person};
use crate::hash::HashSet;

/// The accesses whose index into an array of resources is marked with `NonUniformResourceIndex`.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marked: HashSet<Inst>,
}

impl Marks {
    pub(crate) fn new(facts: &Facts<'_>) -> Marks {
        let module = facts.module;
        let indexed: Vec<(Inst, Value)> = (0..module.insts.len() as u32)
            .map(Inst)
            .flat_map(|it| elements(&module.inst(it).op).map(move |index| (it, index)))
            .collect();
        if indexed.is_empty() || module.non_uniform.is_empty() {
            return Marks::default();
        }
        let is_inside = |mark: diag::Span, inst: Inst| {
            let span = module.inst(inst).span;
            span.lo <= mark.lo && mark.hi <= span.hi
        };
        // A mark on a variable holds wherever the variable is used; one in an access only there.
        let is_for = |(value, span): &(Value, diag::Span), inst: Inst, index: Value| {
            let inside = indexed.iter().filter(|it| it.1 == *value && is_inside(*span, it.0));
            let mut inside = inside.map(|it| it.0).peekable();
            let fits = inside.peek().is_none() || inside.any(|it| it == inst);
            fits && depends_on(facts, index, *value)
        };
        let marked = indexed
            .iter()
            .filter(|(inst, index)| module.non_uniform.iter().any(|it| is_for(it, *inst, *index)))
            .map(|it| it.0);
        Marks { marked: marked.collect() }
    }
}

/// The indices into arrays of resources.
fn elements(op: &Op) -> impl Iterator<Item = Value> {
    op.places().filter_map(|it| it.element)
}

/// The resource with that storage which an operation names. In a descriptor heap, or where it has an alias, it is one
/// of several.
pub(crate) fn named(module: &Module, op: &Op, storage: Binding) -> Binding {
    let of_texture = match op {
        Op::Texture(it) => [Some(it.texture), it.map],
        _ => [None; 2],
    };
    let mut found = of_texture.into_iter().flatten().map(|it| it.binding);
    let found = found.find(|it| module.storage(*it) == storage);
    found.or_else(|| binding(op)).unwrap_or(storage)
}

/// The resource that an operation accesses.
fn binding(op: &Op) -> Option<Binding> {
    match op.effects().memory()?.0 {
        ir::facts::Space::Resource(place) | ir::facts::Space::Counter(place) => Some(place.binding),
        ir::facts::Space::Shared(_) | ir::facts::Space::Private(_) | ir::facts::Space::Queries => {
            None
        }
    }
}

/// Whether a value equals a second one, or is computed from it.
fn depends_on(facts: &Facts<'_>, value: Value, on: Value) -> bool {
    let mut seen = HashSet::from_iter([value]);
    let mut open = vec![value];
    while let Some(it) = open.pop() {
        if it == on {
            return true;
        }
        let is_read = |inst: Inst| facts.module.inst(inst).op.effects().memory().is_some();
        if let Some(inst) = facts.module.made_by(it)
            && is_read(inst)
        {
            continue;
        }
        open.extend(facts.sources(it).into_iter().filter(|it| seen.insert(*it)));
    }
    false
}

/// An index into an array of resources that is beyond its end, or differs between lanes.
pub(crate) fn descriptor(
    facts: &Facts<'_>,
    marks: &Marks,
    (width, counts): (u32, &[u32]),
    (at, lanes): (At, LaneMask),
    (storage, elements): (Binding, &[u32]),
) -> Option<Finding> {
    let first = elements[lanes.first()? as usize];
    let op = &facts.module.inst(at.inst).op;
    let resource = facts.module.resource(named(facts.module, op, storage));
    let name = &resource.name;
    let finding = |kind, message, text, note: String, help: String, lanes: LaneMask| Finding {
        kind,
        message,
        site: Site { span: at.span, inst: Some(at.inst), text },
        related: vec![Site { span: resource.span, inst: None, text: "declared here".to_owned() }],
        notes: vec![note],
        helps: vec![help],
        stacks: Vec::new(),
        group: at.group,
        wave: at.wave,
        lanes,
        width,
    };
    let count = counts.get(storage.index()).copied().unwrap_or(u32::MAX);
    let beyond: LaneMask = lanes.iter().filter(|it| elements[*it as usize] >= count).collect();
    if let Some(lane) = beyond.first() {
        let index = elements[lane as usize];
        let plural = if count == 1 { "" } else { "s" };
        return Some(finding(
            Kind::DescriptorOutOfRange,
            format!("`{name}` is indexed beyond its end"),
            format!("{} use{} an index beyond the end", Named(beyond), third_person(beyond)),
            format!("lane {lane} uses the index {index}, and {count} element{plural} are bound"),
            match count {
                0 => format!("bind the elements of `{name}`"),
                _ => format!("use an index below {count}, or bind more elements"),
            },
            beyond,
        ));
    }
    if marks.marked.contains(&at.inst) || lanes.iter().all(|it| elements[it as usize] == first) {
        return None;
    }
    let other = lanes.iter().find(|it| elements[*it as usize] != first)?;
    Some(finding(
        Kind::NonUniformResourceIndex,
        format!("lanes of a wave access different elements of `{name}`"),
        format!("{} use{} different indices", Named(lanes), third_person(lanes)),
        format!(
            "lane {} uses the index {first}, lane {other} the index {}",
            lanes.first().unwrap_or(0),
            elements[other as usize]
        ),
        format!("write `{name}[NonUniformResourceIndex(…)]`"),
        lanes,
    ))
}

/// Whether an address is a product or a shifted value already, possibly with something added.
fn is_scaled(facts: &Facts<'_>, op: &Op) -> bool {
    let mut open: Vec<Value> = op.address_and_values().0.iter().copied().collect();
    while let Some(value) = open.pop() {
        let made = facts.module.made_by(value).map(|it| &facts.module.inst(it).op);
        match made {
            Some(Op::Binary(Binary::Mul | Binary::Shl, ..)) => return true,
            Some(Op::Binary(Binary::Add | Binary::Or | Binary::Sub, a, b)) => open.extend([*a, *b]),
            _ => {}
        }
    }
    false
}

/// An address in a byte address buffer that is not a multiple of the size of the scalars.
pub(crate) fn alignment(
    facts: &Facts<'_>,
    width: u32,
    event: &AccessEvent<'_>,
    stores: bool,
) -> Option<Finding> {
    let Space::Buffer(..) = event.space else { return None };
    let at = event.at;
    let size = byte_access(facts.module, at.inst)?;
    // Sizes of scalars are powers of two, and few accesses are off: one test for all lanes, active or not.
    let is_off = |lane: &u32| event.addresses[*lane as usize] & (size - 1) != 0;
    if event.addresses.iter().fold(0, |all, it| all | it) & (size - 1) == 0 {
        return None;
    }
    let lanes = at.active & !event.address_poison;
    let off: LaneMask = lanes.iter().filter(is_off).collect();
    let lane = off.first()?;
    let op = &facts.module.inst(at.inst).op;
    let resource = facts.module.resource(binding(op)?);
    let name = &resource.name;
    let verb = if stores { "write" } else { "read" };
    Some(Finding {
        kind: Kind::MisalignedAddress,
        message: format!("`{name}` is accessed at an address that is not a multiple of {size}"),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{} {verb}{} at such an address", Named(off), third_person(off)),
        },
        related: vec![Site { span: resource.span, inst: None, text: "declared here".to_owned() }],
        notes: vec![format!(
            "lane {lane} {verb}s {} bytes from byte {}, in scalars of {size} bytes",
            event.size, event.addresses[lane as usize]
        )],
        helps: vec![match is_scaled(facts, op) {
            true => format!(
                "make every offset and stride in an address a multiple of {size}, with padding where needed"
            ),
            false => format!("addresses count bytes: multiply the index by {size}"),
        }],
        stacks: Vec::new(),
        group: at.group,
        wave: at.wave,
        lanes: off,
        width,
    })
}

/// The size of the scalars of an access by byte address.
fn byte_access(module: &Module, inst: Inst) -> Option<u64> {
    let data = module.inst(inst);
    let of = |value: Option<&Value>| value.map(|it| u64::from(module.ty(*it).bytes()));
    match &data.op {
        Op::Load { at: Address::Byte(_), .. } => of(data.results.first()),
        Op::Store { at: Address::Byte(_), values, .. } => of(values.first()),
        Op::Atomic { at: Address::Byte(_), args, .. } => of(args.first()),
        _ => None,
    }
}
