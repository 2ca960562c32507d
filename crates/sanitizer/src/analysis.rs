//! Static analyses of a module, computed once for all of its watched runs.
//!
//! A short dispatch runs faster than its module is analysed, so a sweep, or a caller that examines a pipeline
//! repeatedly, keeps them. A copy shares the results.

use std::sync::Arc;

use ir::Module;

use crate::address::Marks;
use crate::facts::{Facts, Nesting};
use crate::masks::Masks;
use crate::race::Accesses;

#[derive(Clone)]
pub(crate) struct Analysis {
    pub(crate) nesting: Arc<Nesting>,
    pub(crate) marks: Arc<Marks>,
    pub(crate) masks: Arc<Masks>,
    pub(crate) accesses: Arc<Accesses>,
}

impl Analysis {
    pub(crate) fn of(module: &Module) -> Analysis {
        let nesting = Arc::new(Nesting::of(module));
        let facts = Facts::nested(module, Arc::clone(&nesting));
        let (marks, masks) = (Marks::new(&facts), Masks::new(module));
        let accesses = Accesses::new(&facts);
        Analysis {
            nesting,
            marks: Arc::new(marks),
            masks: Arc::new(masks),
            accesses: Arc::new(accesses),
        }
    }

    /// The facts about the module of this analysis.
    pub(crate) fn facts<'a>(&self, module: &'a Module) -> Facts<'a> {
        Facts::nested(module, Arc::clone(&self.nesting))
    }
}
