//! Scopes: which names are declared where, and how they are found.
//!
//! Types and values have tables of their own, as the parser has already decided which of the two a name stands for.
//! Scopes are never removed: structs and templates refer to the ones they were declared in.

use std::cell::Cell;
use std::collections::BTreeSet;

use diag::{Span, similarity};

use crate::ast::Name;
use crate::hash::QuickMap;
use crate::hir::{FunctionId, GlobalId, LocalId, ResourceId};
use crate::types::{StructId, TypeId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ScopeId(u32);

/// What the scope is the inside of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScopeKind {
    /// The file, or a namespace: with its qualified name.
    Namespace(String),
    /// An enumeration, likewise.
    Enum(String),
    Struct(StructId),
    /// The parameters of a template.
    Template,
    /// A function with its parameters, a block.
    Block,
}

/// What a name in the table of types stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TypeEntity {
    Type(TypeId),
    /// An enumeration: its underlying type, and the scope of its names.
    Enum(TypeId, ScopeId),
    Namespace(ScopeId),
    StructTemplate(usize),
    AliasTemplate(usize),
}

/// What a name in the table of values stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueEntity {
    Local(Local),
    Global(GlobalId),
    /// A resource, or an array of them.
    Resource(ResourceId),
    /// A member of a constant buffer, by the index of the field.
    BufferMember(ResourceId, u32),
    /// A field of the struct whose scope this is.
    Field(u32),
    /// An enumerator or a parameter of a template: its type and its bits.
    Constant(TypeId, u64),
    Functions(Vec<Callee>),
    /// A template of variables.
    Template(usize),
    /// Something that was reported where it is declared.
    Broken,
}

/// A variable or parameter of a function. Its index counts in that function alone, and methods of structs that are
/// declared inside the function see its name too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    /// The function whose body it is in.
    pub(super) owner: FunctionId,
    pub(super) id: LocalId,
    pub(super) ty: TypeId,
    /// The value of a constant scalar, which other functions may use too.
    pub(super) value: Option<u64>,
}

/// What a name that is not declared should have stood for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Type,
    /// Anything that has a value, functions among them.
    Value,
    Variable,
    Function,
}

impl Wanted {
    fn fits(self, entity: &ValueEntity) -> bool {
        let is_function = matches!(entity, ValueEntity::Functions(_));
        match self {
            Wanted::Type => false,
            Wanted::Value => true,
            Wanted::Variable => !is_function,
            Wanted::Function => is_function,
        }
    }
}

/// A function, or a template of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Function(FunctionId),
    Template(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Declared<T> {
    pub(super) entity: T,
    pub(super) span: Span,
    /// When it was declared first.
    at: Moment,
}

/// A point in the order of declarations and scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(u32);

#[derive(Debug)]
struct Scope {
    parent: Option<ScopeId>,
    kind: ScopeKind,
    /// When it began.
    at: Moment,
    types: QuickMap<Name, Declared<TypeEntity>>,
    values: QuickMap<Name, Declared<ValueEntity>>,
    /// Other scopes whose names are visible here: bases, `using namespace`.
    others: Vec<ScopeId>,
}

#[derive(Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    current: ScopeId,
    now: Moment,
    /// How many scopes were looked at through others.
    steps: Cell<u64>,
}

/// How many scopes that see each other are searched.
const MOST_OTHERS: usize = 512;

impl Scopes {
    pub(super) const FILE: ScopeId = ScopeId(0);

    pub(super) fn new() -> Scopes {
        let mut scopes =
            Scopes { all: Vec::new(), current: Scopes::FILE, now: Moment(0), steps: Cell::new(0) };
        scopes.make(None, ScopeKind::Namespace(String::new()));
        scopes
    }

    fn make(&mut self, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        let at = self.tick();
        self.all.push(Scope {
            parent,
            kind,
            at,
            types: QuickMap::default(),
            values: QuickMap::default(),
            others: Vec::new(),
        });
        ScopeId(self.all.len() as u32 - 1)
    }

    fn tick(&mut self) -> Moment {
        self.now.0 += 1;
        self.now
    }

    fn at(&self, id: ScopeId) -> &Scope {
        &self.all[id.0 as usize]
    }

    fn at_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.all[id.0 as usize]
    }

    /// A new scope inside another.
    pub(super) fn inside(&mut self, parent: ScopeId, kind: ScopeKind) -> ScopeId {
        self.make(Some(parent), kind)
    }

    /// The members of a struct begin: they see what has been declared around it by now.
    pub(super) fn begins(&mut self, scope: ScopeId) {
        let now = self.tick();
        self.at_mut(scope).at = now;
    }

    pub(super) fn current(&self) -> ScopeId {
        self.current
    }

    /// Makes a scope the current one; gives the one that was.
    pub(super) fn enter(&mut self, scope: ScopeId) -> ScopeId {
        std::mem::replace(&mut self.current, scope)
    }

    pub(super) fn kind(&self, scope: ScopeId) -> &ScopeKind {
        &self.at(scope).kind
    }

    pub(super) fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.at(scope).parent
    }

    /// Makes the names of one scope visible in another.
    pub(super) fn see(&mut self, scope: ScopeId, other: ScopeId) {
        let others = &mut self.at_mut(scope).others;
        if scope != other && !others.contains(&other) {
            others.push(other);
        }
    }

    pub(super) fn declare_type(
        &mut self,
        scope: ScopeId,
        name: Name,
        entity: TypeEntity,
        span: Span,
    ) {
        let now = self.tick();
        let types = &mut self.at_mut(scope).types;
        let at = types.get(&name).map_or(now, |it| it.at);
        types.insert(name, Declared { entity, span, at });
    }

    pub(super) fn declare_value(
        &mut self,
        scope: ScopeId,
        name: Name,
        entity: ValueEntity,
        span: Span,
    ) {
        let now = self.tick();
        let values = &mut self.at_mut(scope).values;
        let at = values.get(&name).map_or(now, |it| it.at);
        values.insert(name, Declared { entity, span, at });
    }

    /// Whether any value is declared in this very scope.
    pub(super) fn has_values(&self, scope: ScopeId) -> bool {
        !self.at(scope).values.is_empty()
    }

    /// The declaration of a type in this very scope.
    pub(super) fn own_type(&self, scope: ScopeId, name: &str) -> Option<&Declared<TypeEntity>> {
        self.at(scope).types.get(name)
    }

    /// The declaration of a value in this very scope.
    pub(super) fn own_value(&self, scope: ScopeId, name: &str) -> Option<&Declared<ValueEntity>> {
        self.at(scope).values.get(name)
    }

    /// A scope with those it sees, nearest first.
    fn reach(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut seen = vec![scope];
        let mut known = BTreeSet::from([scope]);
        let mut next = 0;
        let mut steps = 0;
        while next < seen.len() && seen.len() < MOST_OTHERS {
            let others = &self.at(seen[next]).others;
            steps += 1 + others.len() as u64;
            seen.extend(others.iter().filter(|it| known.insert(**it)));
            next += 1;
        }
        self.steps.set(self.steps.get() + 2 * steps);
        seen
    }

    /// How much work finding names was, since this was asked last.
    pub(super) fn take_steps(&self) -> u64 {
        self.steps.take()
    }

    /// How many names are visible from a scope.
    pub(super) fn visible(&self, from: ScopeId) -> usize {
        let count = |id| self.at(id).types.len() + self.at(id).values.len();
        self.outwards(from)
            .map(|(id, _)| self.reach(id).into_iter().map(count).sum::<usize>())
            .sum()
    }

    /// A type that is declared in a scope or in one it sees.
    pub(super) fn type_in(&self, scope: ScopeId, name: &str) -> Option<&Declared<TypeEntity>> {
        if self.at(scope).others.is_empty() {
            return self.own_type(scope, name);
        }
        self.reach(scope).into_iter().find_map(|it| self.own_type(it, name))
    }

    /// A value that is declared in a scope or in one it sees; functions of all of them together.
    pub(super) fn value_in(&self, scope: ScopeId, name: &str) -> Option<Declared<ValueEntity>> {
        if self.at(scope).others.is_empty() {
            return self.own_value(scope, name).cloned();
        }
        // A method hides those of the base; functions of namespaces are overloads of each other.
        let hides = matches!(self.at(scope).kind, ScopeKind::Struct(_));
        let mut found: Option<Declared<ValueEntity>> = None;
        for scope in self.reach(scope) {
            let Some(declared) = self.own_value(scope, name) else { continue };
            match (&mut found, &declared.entity) {
                (None, _) => found = Some(declared.clone()),
                (
                    Some(Declared { entity: ValueEntity::Functions(all), .. }),
                    ValueEntity::Functions(more),
                ) if !hides => {
                    all.extend(
                        more.iter().copied().filter(|it| !all.contains(it)).collect::<Vec<_>>(),
                    );
                }
                (Some(_), _) => {}
            }
        }
        found
    }

    /// A scope and those around it, innermost first, each with the moment by which a name in it must have been declared.
    ///
    /// Bodies of methods are checked when the function around their struct has ended; they see what had been declared in
    /// the function where the struct begins, as in C++, and of the file everything.
    fn outwards(&self, from: ScopeId) -> impl Iterator<Item = (ScopeId, Moment)> {
        const EVER: Moment = Moment(u32::MAX);
        let mut scope = Some(from);
        let mut until = EVER;
        std::iter::from_fn(move || {
            let id = scope?;
            let here = self.at(id);
            scope = here.parent;
            match here.kind {
                ScopeKind::Struct(_) => {
                    until = until.min(here.at);
                    Some((id, EVER))
                }
                ScopeKind::Block => Some((id, until)),
                ScopeKind::Namespace(_) | ScopeKind::Enum(_) | ScopeKind::Template => {
                    Some((id, EVER))
                }
            }
        })
    }

    /// A type visible from a scope.
    pub(super) fn find_type(&self, from: ScopeId, name: &str) -> Option<&Declared<TypeEntity>> {
        self.outwards(from)
            .find_map(|(id, until)| self.type_in(id, name).filter(|it| it.at < until))
    }

    /// A value visible from a scope, and the scope through which it was found.
    pub(super) fn find_value(
        &self,
        from: ScopeId,
        name: &str,
    ) -> Option<(ScopeId, Declared<ValueEntity>)> {
        self.outwards(from).find_map(|(id, until)| {
            let found = self.value_in(id, name).filter(|it| it.at < until)?;
            Some((id, found))
        })
    }

    /// What to put before a name that is declared in a scope: `A::B::`, or nothing.
    pub(super) fn prefix(
        &self,
        scope: ScopeId,
        struct_name: impl Fn(StructId) -> String,
    ) -> String {
        let mut scope = Some(scope);
        while let Some(id) = scope {
            match &self.at(id).kind {
                ScopeKind::Namespace(name) if name.is_empty() => return String::new(),
                ScopeKind::Namespace(name) | ScopeKind::Enum(name) => return format!("{name}::"),
                ScopeKind::Struct(id) => return format!("{}::", struct_name(*id)),
                ScopeKind::Template => scope = self.at(id).parent,
                ScopeKind::Block => return String::new(),
            }
        }
        String::new()
    }

    /// The visible name most like a name that is not declared.
    pub(super) fn nearest(
        &self,
        from: ScopeId,
        name: &str,
        wanted: Wanted,
    ) -> Option<(String, Span)> {
        let mut best: Option<(usize, &Name, Span)> = None;
        let mut scope = Some(from);
        while let Some(id) = scope {
            for id in self.reach(id) {
                let here = self.at(id);
                let names: Vec<(&Name, Span)> = match wanted {
                    Wanted::Type => here.types.iter().map(|(name, it)| (name, it.span)).collect(),
                    _ => {
                        let fits = here.values.iter().filter(|(_, it)| wanted.fits(&it.entity));
                        fits.map(|(name, it)| (name, it.span)).collect()
                    }
                };
                for (candidate, span) in names {
                    // What the compiler named itself, nobody meant.
                    let written = Some(candidate).filter(|it| !it.starts_with('<'));
                    let Some(distance) = written.and_then(|it| similarity(name, it)) else {
                        continue;
                    };
                    // Maps have no order: of equals, the first by text is taken.
                    let better = match &best {
                        None => true,
                        Some((least, other, _)) => (distance, candidate) < (*least, *other),
                    };
                    if better {
                        best = Some((distance, candidate, span));
                    }
                }
            }
            scope = self.at(id).parent;
        }
        best.map(|(_, name, span)| (name.to_string(), span))
    }
}
