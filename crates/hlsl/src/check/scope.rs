//! Scopes: the symbol tables and the lookup of names in them.
//!
//! Types and values have separate tables, since the parser has already decided which of the two a name denotes.
//! Scopes are never removed: structs and templates refer to the scopes that they were declared in.

use std::cell::Cell;
use std::collections::BTreeSet;

use diag::{Span, similarity};

use crate::ast::Name;
use crate::hash::QuickMap;
use crate::hir::{FunctionId, GlobalId, LocalId, ResourceId};
use crate::types::{StructId, TypeId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ScopeId(u32);

/// The construct that a scope belongs to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScopeKind {
    /// The file or a namespace, with its qualified name.
    Namespace(String),
    /// An enumeration, with its qualified name.
    Enum(String),
    Struct(StructId),
    /// The parameters of a template.
    Template,
    /// A function with its parameters, or a block.
    Block,
}

/// What a name in the table of types denotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TypeEntity {
    Type(TypeId),
    /// An enumeration: its type, and the scope of its enumerators.
    Enum(TypeId, ScopeId),
    Namespace(ScopeId),
    StructTemplate(usize),
    AliasTemplate(usize),
}

/// What a name in the table of values denotes.
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
    /// A variable template.
    Template(usize),
    /// A declaration that was reported.
    Broken,
}

/// A variable or parameter of a function. Its id is only valid in that function, but its name is also visible in the
/// methods of structs declared inside the function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Local {
    /// The function that declares it.
    pub(super) owner: FunctionId,
    pub(super) id: LocalId,
    pub(super) ty: TypeId,
    /// The value of a constant scalar, which nested functions may use too.
    pub(super) value: Option<u64>,
}

/// The kind of declaration expected for an undeclared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Type,
    /// Anything with a value, including functions.
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

/// A function or a function template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Function(FunctionId),
    Template(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Declared<T> {
    pub(super) entity: T,
    pub(super) span: Span,
    /// The point of its first declaration.
    at: Moment,
}

/// A point in the order of declarations and scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(u32);

#[derive(Debug)]
struct Scope {
    parent: Option<ScopeId>,
    kind: ScopeKind,
    /// The point where it begins.
    at: Moment,
    types: QuickMap<Name, Declared<TypeEntity>>,
    values: QuickMap<Name, Declared<ValueEntity>>,
    /// Scopes whose names are visible here too: bases, `using namespace`.
    others: Vec<ScopeId>,
}

#[derive(Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    current: ScopeId,
    now: Moment,
    /// The work of lookups through `others`, in scopes visited.
    steps: Cell<u64>,
}

/// The most scopes that a lookup visits through `others`.
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

    /// Starts the members of a struct, which see everything declared around it so far.
    pub(super) fn begins(&mut self, scope: ScopeId) {
        let now = self.tick();
        self.at_mut(scope).at = now;
    }

    pub(super) fn current(&self) -> ScopeId {
        self.current
    }

    /// Makes a scope the current one and returns the previous one.
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

    /// Whether any value is declared directly in this scope.
    pub(super) fn has_values(&self, scope: ScopeId) -> bool {
        !self.at(scope).values.is_empty()
    }

    /// The declaration of a type directly in this scope.
    pub(super) fn own_type(&self, scope: ScopeId, name: &str) -> Option<&Declared<TypeEntity>> {
        self.at(scope).types.get(name)
    }

    /// The declaration of a value directly in this scope.
    pub(super) fn own_value(&self, scope: ScopeId, name: &str) -> Option<&Declared<ValueEntity>> {
        self.at(scope).values.get(name)
    }

    /// A scope and the scopes visible from it (transitive closure), nearest first.
    fn visible_scopes(&self, scope: ScopeId) -> Vec<ScopeId> {
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

    /// The work of lookups since the previous call.
    pub(super) fn take_steps(&self) -> u64 {
        self.steps.take()
    }

    /// The number of names visible from a scope.
    pub(super) fn visible(&self, from: ScopeId) -> usize {
        let count = |id| self.at(id).types.len() + self.at(id).values.len();
        self.outwards(from)
            .map(|(id, _)| self.visible_scopes(id).into_iter().map(count).sum::<usize>())
            .sum()
    }

    /// Qualified lookup of a type: in a scope and those visible from it.
    pub(super) fn type_in(&self, scope: ScopeId, name: &str) -> Option<&Declared<TypeEntity>> {
        if self.at(scope).others.is_empty() {
            return self.own_type(scope, name);
        }
        self.visible_scopes(scope).into_iter().find_map(|it| self.own_type(it, name))
    }

    /// Qualified lookup of a value: in a scope and those visible from it, with the functions of all of them merged.
    pub(super) fn value_in(&self, scope: ScopeId, name: &str) -> Option<Declared<ValueEntity>> {
        if self.at(scope).others.is_empty() {
            return self.own_value(scope, name).cloned();
        }
        // A method hides the methods of the base; functions of several namespaces are overloads of each other.
        let hides = matches!(self.at(scope).kind, ScopeKind::Struct(_));
        let mut found: Option<Declared<ValueEntity>> = None;
        for scope in self.visible_scopes(scope) {
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

    /// A scope and its ancestors, innermost first, each with the point before which a name in it must be declared.
    ///
    /// Bodies of methods are checked after the function that encloses their struct; as in C++, they see the function's
    /// declarations before the struct, and everything in the file.
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

    /// Unqualified lookup of a type from a scope.
    pub(super) fn find_type(&self, from: ScopeId, name: &str) -> Option<&Declared<TypeEntity>> {
        self.outwards(from)
            .find_map(|(id, until)| self.type_in(id, name).filter(|it| it.at < until))
    }

    /// Unqualified lookup of a value from a scope, with the scope through which it was found.
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

    /// The qualifier of names declared in a scope: `A::B::`, or nothing.
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

    /// The visible name most similar to an undeclared one.
    pub(super) fn nearest(
        &self,
        from: ScopeId,
        name: &str,
        wanted: Wanted,
    ) -> Option<(String, Span)> {
        let mut best: Option<(usize, &Name, Span)> = None;
        let mut scope = Some(from);
        while let Some(id) = scope {
            for id in self.visible_scopes(id) {
                let here = self.at(id);
                let names: Vec<(&Name, Span)> = match wanted {
                    Wanted::Type => here.types.iter().map(|(name, it)| (name, it.span)).collect(),
                    _ => {
                        let fits = here.values.iter().filter(|(_, it)| wanted.fits(&it.entity));
                        fits.map(|(name, it)| (name, it.span)).collect()
                    }
                };
                for (candidate, span) in names {
                    // Names made up by the compiler are never suggested.
                    let written = Some(candidate).filter(|it| !it.starts_with('<'));
                    let Some(distance) = written.and_then(|it| similarity(name, it)) else {
                        continue;
                    };
                    // Maps are unordered: ties are broken by the text, for determinism.
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
