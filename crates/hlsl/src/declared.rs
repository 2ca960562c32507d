//! The entry points that a text declares, for callers that are to check or run all of them.
//!
//! An entry point shows itself by its attributes: `[shader("…")]`, `[numthreads]`, or one that only a certain stage
//! has. Vertex and pixel shaders need no attribute and cannot be distinguished from other functions, except for `main`,
//! the default name.

use std::collections::BTreeSet;

use diag::{FileId, Sink, SourceMap, Span};

use crate::ast;
use crate::check::entry::declared_stage;
use crate::compile::read;
use crate::options::{Options, Stage};
use crate::preprocess::Includer;

/// The most entry points that are listed: each costs its caller a compilation.
const MOST: usize = 1024;

/// An entry point of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    /// What its attributes say; `None` for a `main` without any.
    pub stage: Option<Stage>,
    /// The name in the source.
    pub span: Span,
}

/// The entry points of a file, in order, each name once. `None` if the file cannot be parsed: the reasons are in the
/// sink.
pub fn declared(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<Vec<Declared>> {
    sink.cancelled_by(&options.cancel);
    let file = read(main, sources, includer, options, sink)?;
    let mut all: Vec<Declared> = Vec::new();
    for (name, attributes, span) in functions(&file) {
        let mut stage = declared_stage(attributes);
        // Only this call identifies an amplification shader without `[shader]`.
        if stage == Some(Stage::Compute) && sources.text(span).contains("DispatchMesh(") {
            stage = Some(Stage::Amplification);
        }
        if stage.is_none() && name.name.as_str() != "main" {
            continue;
        }
        let word = name.name.as_str();
        // A declaration before the definition, or an overload that is not an entry point.
        if let Some(known) = all.iter_mut().find(|it| it.name == word) {
            known.stage = known.stage.or(stage);
            continue;
        }
        all.push(Declared { name: word.to_owned(), stage, span: name.span });
        if all.len() == MOST {
            break;
        }
    }
    let defined = defined(&file);
    all.retain(|it| defined.contains(it.name.as_str()));
    Some(all)
}

/// The functions of a file that have a body: the attributes may be on a declaration alone.
fn defined(file: &ast::File) -> BTreeSet<&str> {
    let functions = file.items.iter().filter_map(|item| match &item.kind {
        ast::ItemKind::Function(function) if function.body.is_some() => function.name.as_plain(),
        _ => None,
    });
    functions.map(|it| it.name.as_str()).collect()
}

/// The names, attributes and extents of the functions of a file that are not members.
pub(crate) fn functions(
    file: &ast::File,
) -> impl Iterator<Item = (&ast::Ident, &[ast::Attribute], Span)> {
    file.items.iter().filter_map(|item| match &item.kind {
        ast::ItemKind::Function(function) => {
            Some((function.name.as_plain()?, item.attributes.as_slice(), item.span))
        }
        _ => None,
    })
}
