//! Functions and templates: heads, parameters, bodies.

use diag::{Diagnostic, Span, code};

use super::decl::Context;
use super::expr::binary_op;
use super::scope::{Builtin, Meaning, Space};
use super::{Parse, Parser, Reported};
use crate::ast::{
    Attribute, BinaryOp, Function, FunctionName, Item, ItemKind, Modifiers, Operator, Param, Path,
    StepOp, TemplateArg, TemplateHead, TemplateParam, TemplateParamKind, Type, UnaryOp,
};
use crate::token::{Keyword, Punct, Symbol, TokenKind};

/// What precedes the parameters.
struct Named {
    owner: Option<Path>,
    name: FunctionName,
    specializes: Option<Vec<TemplateArg>>,
    /// The names that the owner makes visible.
    space: Option<Space>,
    symbol: Option<Symbol>,
}

impl Parser<'_> {
    /// A function, from its name on.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a declaration that were read before its name"
    )]
    pub(super) fn function(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        template: Option<TemplateHead>,
        modifiers: Modifiers,
        result: Type,
        context: Context,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        if context == Context::Local {
            let span = self.peek().span;
            let message = "a function cannot be declared inside a function";
            let report = Diagnostic::new(&code::SYNTAX, span, message)
                .note("if a variable is meant, initialise it with `=`");
            // Where a block is never closed, that is the mistake, and this only a symptom.
            self.inner_functions.push(report);
            return Err(Reported);
        }
        let named = self.function_name()?;
        self.function_rest(start, attributes, template, modifiers, result, named, context, items)
    }

    /// `operator T()`
    pub(super) fn conversion(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        template: Option<TemplateHead>,
        modifiers: Modifiers,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        let span = self.bump().span;
        let result = self.ty()?;
        let name = FunctionName::Conversion(span.to(self.prev()));
        let named = Named { owner: None, name, specializes: None, space: None, symbol: None };
        self.function_rest(
            start,
            attributes,
            template,
            modifiers,
            result,
            named,
            Context::Struct,
            items,
        )
    }

    fn function_name(&mut self) -> Parse<Named> {
        if self.is_kw(Keyword::Operator) {
            let (operator, span) = self.operator()?;
            let name = FunctionName::Operator(operator, span);
            return Ok(Named { owner: None, name, specializes: None, space: None, symbol: None });
        }
        let mut path: Option<Path> = None;
        let mut space = None;
        // Everything up to the last `::` is the owner.
        if self.path_has_owner() {
            let start = self.peek().span;
            let mut scope = Vec::new();
            let mut inner = None;
            loop {
                let symbol = self.peek().symbol;
                let meaning = match inner {
                    None => self.scopes.find(symbol),
                    Some(space) => self.scopes.find_in(space, symbol),
                };
                let ident = self.ident("the name of a function")?;
                let args = if self.is(Punct::Less) { Some(self.template_args()?) } else { None };
                inner = match meaning {
                    Some(Meaning::Type { space, .. }) => space,
                    Some(Meaning::Namespace(space)) => Some(space),
                    Some(Meaning::Value | Meaning::ValueTemplate) | None => None,
                };
                scope.push(crate::ast::Segment { ident, args });
                self.expect(Punct::ColonColon, "this name")?;
                if !self.path_has_owner() {
                    break;
                }
            }
            space = inner;
            let span = start.to(self.prev());
            if let Some(last) = scope.pop() {
                path = Some(Path { global: false, library: false, scope, last, span });
            }
        }
        if self.is_kw(Keyword::Operator) {
            let (operator, span) = self.operator()?;
            let name = FunctionName::Operator(operator, span);
            return Ok(Named { owner: path, name, specializes: None, space, symbol: None });
        }
        let symbol = self.peek().symbol;
        let ident = self.ident("the name of a function")?;
        let specializes = if self.is(Punct::Less) { Some(self.template_args()?) } else { None };
        Ok(Named {
            owner: path,
            name: FunctionName::Plain(ident),
            specializes,
            space,
            symbol: Some(symbol),
        })
    }

    /// Whether the name here is followed by `::`.
    fn path_has_owner(&self) -> bool {
        if !self.is_name(self.peek()) {
            return false;
        }
        match self.nth(1).is(Punct::Less) {
            true => self
                .arguments_ahead(self.pos + 1)
                .is_some_and(|end| self.at(end).is(Punct::ColonColon)),
            false => self.nth(1).is(Punct::ColonColon),
        }
    }

    /// `operator+`, without the parameters.
    fn operator(&mut self) -> Parse<(Operator, Span)> {
        let start = self.bump().span;
        let token = self.peek();
        let TokenKind::Punct(punct) = token.kind else { return self.unexpected("an operator") };
        let operator = match punct {
            Punct::LParen | Punct::LBracket => {
                self.bump();
                let (close, operator) = match punct {
                    Punct::LParen => (Punct::RParen, Operator::Call),
                    _ => (Punct::RBracket, Operator::Index),
                };
                self.close(close, token.span)?;
                return Ok((operator, start.to(self.prev())));
            }
            Punct::Assign => Operator::Set,
            Punct::Comma => Operator::Comma,
            Punct::Not => Operator::Unary(UnaryOp::Not),
            Punct::Tilde => Operator::Unary(UnaryOp::BitNot),
            Punct::PlusPlus => Operator::Step(StepOp::Increment),
            Punct::MinusMinus => Operator::Step(StepOp::Decrement),
            Punct::PlusAssign => Operator::Assign(BinaryOp::Add),
            Punct::MinusAssign => Operator::Assign(BinaryOp::Sub),
            Punct::StarAssign => Operator::Assign(BinaryOp::Mul),
            Punct::SlashAssign => Operator::Assign(BinaryOp::Div),
            Punct::PercentAssign => Operator::Assign(BinaryOp::Rem),
            Punct::AndAssign => Operator::Assign(BinaryOp::BitAnd),
            Punct::OrAssign => Operator::Assign(BinaryOp::BitOr),
            Punct::CaretAssign => Operator::Assign(BinaryOp::BitXor),
            Punct::ShlAssign => Operator::Assign(BinaryOp::Shl),
            Punct::ShrAssign => Operator::Assign(BinaryOp::Shr),
            _ => match binary_op(punct) {
                Some(op) => Operator::Binary(op),
                None => return self.unexpected("an operator that can be overloaded"),
            },
        };
        self.bump();
        Ok((operator, start.to(token.span)))
    }

    /// Parameters, annotations and body.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a function that were read before its parameters"
    )]
    fn function_rest(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        template: Option<TemplateHead>,
        modifiers: Modifiers,
        result: Type,
        named: Named,
        context: Context,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        let Named { owner, name, specializes, space, symbol } = named;
        if let (Some(symbol), None) = (symbol, &owner) {
            self.declare_function(symbol, template.is_some(), context);
        }
        // The owner's names are visible in the parameters and the body, the parameters' in the body.
        let depth = self.scopes.depth();
        if let Some(space) = space {
            self.scopes.push(space);
        }
        let own = self.scopes.fresh();
        self.scopes.push(own);
        let params = self.params()?;
        let is_const = self.eat_kw(Keyword::Const);
        // `int f()[2]` returns an array.
        let result = self.array_of(result)?;
        let head = start.to(self.prev());
        let annotations = self.annotations()?;
        let (body, end) = if self.is(Punct::LBrace) {
            (Some(self.block()?), Ok(()))
        } else {
            if !self.is(Punct::Semi) && !self.peek().flags.has(crate::token::Flags::LINE_START) {
                let what = "`{` or `;` after the head of a function";
                return self.unexpected(what);
            }
            // Whichever of the two is missing, the statements that follow belong to the function.
            if !self.is(Punct::Semi) {
                self.headless = true;
                let place = self.prev().end();
                let message = "expected `{` or `;` after the head of a function";
                self.sink.push(Diagnostic::new(&code::SYNTAX, place, message));
                (None, Ok(()))
            } else {
                (None, self.semi("the head of a function that has no body"))
            }
        };
        self.scopes.truncate(depth);
        let function = Function {
            template,
            owner_template: None,
            modifiers,
            result,
            owner,
            name,
            specializes,
            params,
            is_const,
            annotations,
            body,
            head,
        };
        let kind = ItemKind::Function(Box::new(function));
        items.push(Item { attributes, kind, span: start.to(self.prev()) });
        end
    }

    fn declare_function(&mut self, symbol: Symbol, template: bool, context: Context) {
        if !template {
            self.scopes.declare_value(symbol, self.names);
            return;
        }
        self.declare_outside(symbol, true, Meaning::ValueTemplate);
        if context == Context::Struct && self.scopes.builtin(symbol, self.names) == Builtin::Nothing
        {
            self.scopes.note_method_template(symbol);
        }
    }

    fn params(&mut self) -> Parse<Vec<Param>> {
        let open = self.peek().span;
        self.expect(Punct::LParen, "the name of the function")?;
        let mut params = Vec::new();
        if self.is_kw(Keyword::Void) && self.nth(1).is(Punct::RParen) {
            self.bump();
        }
        if !self.is(Punct::RParen) {
            loop {
                if self.is(Punct::Ellipsis) {
                    return self.syntax(self.peek().span, "HLSL has no variadic functions");
                }
                params.push(self.param()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.close(Punct::RParen, open)?;
        Ok(params)
    }

    fn param(&mut self) -> Parse<Param> {
        let start = self.peek().span;
        let attributes = self.attributes()?;
        let mut modifiers = Modifiers::default();
        self.modifiers(&mut modifiers);
        let ty = self.bare_type()?;
        self.modifiers(&mut modifiers);
        let symbol = self.peek().symbol;
        let unnamed = matches!(
            self.peek().kind,
            TokenKind::Punct(
                Punct::Comma | Punct::RParen | Punct::Colon | Punct::Assign | Punct::LBracket
            )
        );
        let name = if unnamed { None } else { Some(self.ident("the name of a parameter")?) };
        if name.is_some() {
            self.scopes.declare_value(symbol, self.names);
        }
        let dims = self.dims()?;
        let mut annotations = self.annotations()?;
        let default = if self.eat(Punct::Assign) { Some(self.initializer()?) } else { None };
        // Some programs put the default before the semantic.
        annotations.extend(self.annotations()?);
        Ok(Param {
            attributes,
            modifiers,
            ty,
            name,
            dims,
            annotations,
            default,
            span: start.to(self.prev()),
        })
    }

    // Templates.

    /// `template<…>` and the declaration that follows.
    pub(super) fn template(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        context: Context,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        if context == Context::Local || context == Context::Buffer {
            return self.syntax(self.peek().span, "a template cannot be declared here");
        }
        let own = self.scopes.fresh();
        self.scopes.push(own);
        let depth = self.scopes.depth();
        let result = self.templated(start, attributes, context, items);
        self.scopes.truncate(depth - 1);
        result
    }

    fn templated(
        &mut self,
        start: Span,
        mut attributes: Vec<Attribute>,
        context: Context,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        let head = self.template_head()?;
        if self.is_kw(Keyword::Template) {
            return self.member_template(start, attributes, head, items);
        }
        if self.is(Punct::LBracket) {
            attributes.extend(self.attributes()?);
        }
        if self.is_kw(Keyword::Using) {
            return self.template_alias(start, attributes, head, items);
        }
        self.typed(start, attributes, Some(head), context, items)
    }

    /// `template<typename T> template<typename U> U S<T>::f(T t) { … }`, from the second `template` on.
    fn member_template(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        outer: TemplateHead,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        let span = self.peek().span;
        let head = self.template_head()?;
        let before = items.len();
        let result = self.typed(start, attributes, Some(head), Context::File, items);
        match items.get_mut(before).map(|it| &mut it.kind) {
            Some(ItemKind::Function(function)) if function.owner.is_some() => {
                function.owner_template = Some(outer);
                result
            }
            _ => {
                items.truncate(before);
                let message = "only methods defined outside their struct template have two heads";
                self.syntax(span, message)
            }
        }
    }

    fn template_head(&mut self) -> Parse<TemplateHead> {
        let start = self.bump().span;
        let open = self.peek().span;
        self.expect(Punct::Less, "`template`")?;
        let around = std::mem::replace(&mut self.no_greater, true);
        let mut params = Vec::new();
        if !self.is(Punct::Greater) {
            loop {
                params.push(self.template_param()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.no_greater = around;
        self.close_angle(open)?;
        Ok(TemplateHead { params, span: start.to(self.prev()) })
    }

    fn template_param(&mut self) -> Parse<TemplateParam> {
        let start = self.peek().span;
        // `typename T` declares a type; `typename T::x N` a value of a type in T.
        let names_type = (self.is_kw(Keyword::Typename) || self.is_kw(Keyword::Class))
            && !(self.is_name(self.nth(1)) && self.nth(2).is(Punct::ColonColon));
        if names_type {
            self.bump();
            if self.is(Punct::Ellipsis) {
                return self.syntax(self.peek().span, "HLSL has no parameter packs");
            }
            let symbol = self.peek().symbol;
            let name = if self.is_name(self.peek()) { Some(self.ident("a name")?) } else { None };
            if name.is_some() {
                let current = self.scopes.current();
                self.scopes.declare(
                    current,
                    symbol,
                    Meaning::Type { template: false, space: None },
                );
            }
            let default = if self.eat(Punct::Assign) { Some(self.ty()?) } else { None };
            let kind = TemplateParamKind::Type { default };
            return Ok(TemplateParam { name, kind, span: start.to(self.prev()) });
        }
        let ty = self.ty()?;
        let symbol = self.peek().symbol;
        let name = if self.is_name(self.peek()) { Some(self.ident("a name")?) } else { None };
        if name.is_some() {
            self.scopes.declare_value(symbol, self.names);
        }
        let default = if self.eat(Punct::Assign) { Some(self.conditional()?) } else { None };
        let kind = TemplateParamKind::Value { ty, default };
        Ok(TemplateParam { name, kind, span: start.to(self.prev()) })
    }
}
