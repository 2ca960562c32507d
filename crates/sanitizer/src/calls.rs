//! Inlined calls: the function in which two instructions meet, and the calls by which each is reached from there.
//!
//! A barrier that two functions lack belongs between their calls, in the nearest function that makes both.

use diag::Span;
use ir::notes::ScopeId;
use ir::{Inst, Module};

use crate::finding::Site;

/// The call by which an instruction is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    /// The function that is called.
    pub(crate) function: &'a str,
    pub(crate) span: Span,
}

/// The nearest function that reaches two instructions, at least one of them by a call.
pub(crate) struct Meeting<'a> {
    pub(crate) function: &'a str,
    /// `None` for an instruction of the function itself.
    pub(crate) calls: [Option<Call<'a>>; 2],
}

impl<'a> Meeting<'a> {
    /// `None` if both belong to one execution of one function.
    pub(crate) fn of(module: &'a Module, one: Inst, other: Inst) -> Option<Meeting<'a>> {
        let scopes = &module.notes.scopes;
        let chain = |inst: Inst| {
            let own = module.inst(inst).scope;
            std::iter::successors(Some(own), |it| scopes.get(it.0 as usize)?.caller)
                .collect::<Vec<ScopeId>>()
        };
        let chains = [chain(one), chain(other)];
        let common = *chains[0].iter().find(|it| chains[1].contains(it))?;
        let calls = chains.map(|chain| {
            let below = chain.iter().take_while(|it| **it != common).last()?;
            let scope = scopes.get(below.0 as usize)?;
            Some(Call { function: &scope.function, span: scope.call })
        });
        if calls == [None, None] {
            return None;
        }
        Some(Meeting { function: function_of(module, common), calls })
    }

    /// The calls, for a report that numbers the two instructions.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let site = |(number, call): (usize, &Option<Call<'_>>)| {
            let Call { function, span } = (*call)?;
            let text = format!("({number}) is in this call of `{function}`");
            Some(Site { span, inst: None, text })
        };
        (1..).zip(&self.calls).filter_map(site).collect()
    }

    /// The two places between which the missing barrier belongs; `in_order` if the first instruction comes first in the
    /// text.
    pub(crate) fn between(&self, in_order: bool) -> String {
        let between = match &self.calls {
            [Some(other), Some(one)] if !in_order && one.function != other.function => {
                format!("the calls of `{}` and `{}`", one.function, other.function)
            }
            [Some(call), None] if !in_order => format!("(2) and the call of `{}`", call.function),
            [None, Some(call)] if !in_order => format!("the call of `{}` and (1)", call.function),
            [Some(one), Some(other)] if one.function == other.function => {
                format!("the calls of `{}`", one.function)
            }
            [Some(one), Some(other)] => {
                format!("the calls of `{}` and `{}`", one.function, other.function)
            }
            [Some(call), None] => format!("the call of `{}` and (2)", call.function),
            [None, Some(call)] => format!("(1) and the call of `{}`", call.function),
            [None, None] => "them".to_owned(),
        };
        format!("{between} in `{}`", self.function)
    }
}

/// The name of the function that an instruction is in, if it is not the one that another instruction is in.
pub(crate) fn other_function(module: &Module, inst: Inst, from: Inst) -> Option<&str> {
    let (scope, here) = (module.inst(inst).scope, module.inst(from).scope);
    (scope != here).then(|| function_of(module, scope))
}

fn function_of(module: &Module, scope: ScopeId) -> &str {
    module.notes.scopes.get(scope.0 as usize).map_or(module.name.as_str(), |it| &it.function)
}
