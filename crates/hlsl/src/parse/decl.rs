//! Declarations: of files, namespaces, structs and cbuffers alike.
//!
//! All of them are read by [`Parser::declaration`] into a list of items, because one declaration can make several
//! (`struct S { … } s;` declares a struct and a variable). Functions have a separate file.

use diag::{Diagnostic, Span, code};

use super::scope::{Meaning, Space};
use super::ty::modifier;
use super::{Parse, Parser, Reported};
use crate::ast::{
    Alias, Attribute, BufferBlock, Declarator, Enum, Ident, Initializer, Item, ItemKind, Modifiers,
    Name, Namespace, Path, Segment, StaticAssert, Struct, StructKind, TemplateHead, Type, TypeKind,
    Var, Variant,
};
use crate::token::{Keyword, Punct, Symbol, TokenKind};

/// The context of a declaration: what is allowed in it, and how its words are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    File,
    Struct,
    Buffer,
    Local,
}

/// The help for a statement outside a function.
const BRACES: &str = "an extra `}` above ends the function early, or a `{` is missing";

impl Parser<'_> {
    pub(super) fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            self.items(Context::File, &mut items);
            if self.is_eof() {
                return items;
            }
            // Only a `}` ends the list before the end of the file.
            let span = self.bump().span;
            self.is_torn = true;
            self.sink.push(Diagnostic::new(&code::SYNTAX, span, "unmatched `}`"));
        }
    }

    /// Error recovery: where a function ended too early, or never started, the rest of its body would be reported line
    /// by line. The unmatched `}` that follows reveals this: everything before it is skipped.
    fn skip_rest_of_function(&mut self) {
        let mut open = 0usize;
        for at in self.pos..self.tokens.len() {
            match self.at(at).kind {
                TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Punct(Punct::RBrace) if open == 0 => {
                    self.pos = at + 1;
                    self.half = false;
                    return;
                }
                TokenKind::Punct(Punct::RBrace) => open -= 1,
                _ => {}
            }
        }
    }

    /// Declarations up to a `}` or the end.
    fn items(&mut self, context: Context, items: &mut Vec<Item>) {
        while !self.is_eof() && !self.is(Punct::RBrace) {
            let from = self.pos;
            let (depth, scopes) = (self.depth, self.scopes.depth());
            if let Err(Reported) = self.declaration(context, items) {
                self.depth = depth;
                self.scopes.truncate(scopes);
                self.no_greater = false;
                self.is_torn = true;
                self.recover(from);
                if context == Context::File && self.depth == 0 {
                    self.skip_rest_of_function();
                }
            }
            if self.pos == from && !self.is(Punct::RBrace) {
                // This has been reported, and starts no declaration.
                self.bump();
            }
        }
    }

    /// `{ … }` around declarations.
    fn item_block(&mut self, context: Context) -> Parse<Vec<Item>> {
        let open = self.peek().span;
        self.expect(Punct::LBrace, "this")?;
        let mut items = Vec::new();
        self.nested(|this| {
            this.items(context, &mut items);
            Ok(())
        })?;
        self.close(Punct::RBrace, open)?;
        Ok(items)
    }

    /// One declaration, which may produce several items.
    pub(super) fn declaration(&mut self, context: Context, items: &mut Vec<Item>) -> Parse<()> {
        if matches!(context, Context::File) {
            self.other_language()?;
            self.effect()?;
        }
        if self.peek().kind == TokenKind::Stray && self.text(self.peek()) == "@" {
            return self.import();
        }
        let start = self.peek().span;
        let attributes = self.attributes()?;
        self.declaration_after(start, attributes, context, items)
    }

    /// A declaration whose attributes have been read.
    pub(super) fn declaration_after(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        context: Context,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        let token = self.peek();
        let kind = match token.keyword() {
            Some(Keyword::Namespace) => self.namespace()?,
            Some(Keyword::Typedef) => return self.typedef(start, attributes, items),
            Some(Keyword::Using) => self.using(None)?,
            Some(Keyword::Template) => return self.template(start, attributes, context, items),
            Some(Keyword::CBuffer | Keyword::TBuffer) => self.buffer()?,
            Some(Keyword::StaticAssert | Keyword::StaticAssertC) => self.static_assert()?,
            Some(Keyword::Public | Keyword::Private | Keyword::Protected)
                if self.nth(1).is(Punct::Colon) =>
            {
                let message = "HLSL has no access specifiers: all members are public";
                return self.report(
                    Diagnostic::new(&code::RESERVED_WORD, token.span, message)
                        .help("remove it with its `:`"),
                );
            }
            _ if token.is(Punct::Semi) => {
                self.bump();
                ItemKind::Empty
            }
            _ => return self.typed(start, attributes, None, context, items),
        };
        items.push(Item { attributes, kind, span: start.to(self.prev()) });
        Ok(())
    }

    /// `@import waveOps.h;`
    fn import(&mut self) -> Parse<()> {
        let at = self.bump();
        if self.text(self.peek()) != "import" {
            return self.syntax(at.span, "`@` has no meaning in HLSL");
        }
        while !self.is(Punct::Semi)
            && !self.is_eof()
            && !self.nth(1).flags.has(crate::token::Flags::LINE_START)
        {
            self.bump();
        }
        self.eat(Punct::Semi);
        let span = at.span.to(self.prev());
        self.sink.push(
            Diagnostic::new(&code::IMPORT_STATEMENT, span, "`@import` is not part of HLSL")
                .note("wave intrinsics are built in and need no import")
                .fix("remove the line", span, ""),
        );
        Ok(())
    }

    fn namespace(&mut self) -> Parse<ItemKind> {
        self.bump();
        let symbol = self.peek().symbol;
        let name = self.ident("the name of the namespace")?;
        let current = self.scopes.current();
        let space = match self.scopes.find_in(current, symbol) {
            Some(Meaning::Namespace(space)) => space,
            _ => {
                let space = self.scopes.fresh();
                self.scopes.declare(current, symbol, Meaning::Namespace(space));
                space
            }
        };
        if self.is(Punct::ColonColon) {
            // `namespace A::B { … }` is two; the `::` replaces the second `namespace`.
            return self.nested_namespace(name, space);
        }
        self.scopes.push(space);
        let items = self.item_block(Context::File);
        self.scopes.pop();
        Ok(ItemKind::Namespace(Namespace { name, items: items? }))
    }

    /// The rest of `namespace A::B { … }`, from the `::` on.
    fn nested_namespace(&mut self, name: Ident, space: Space) -> Parse<ItemKind> {
        let start = self.peek().span;
        self.scopes.push(space);
        let inner = self.nested(Self::namespace);
        self.scopes.pop();
        let item = Item { attributes: Vec::new(), kind: inner?, span: start.to(self.prev()) };
        Ok(ItemKind::Namespace(Namespace { name, items: vec![item] }))
    }

    fn using(&mut self, template: Option<TemplateHead>) -> Parse<ItemKind> {
        self.bump();
        let kind = if self.eat_kw(Keyword::Namespace) {
            let (path, meaning) = self.path("the name of a namespace")?;
            if let super::ty::PathMeaning::Namespace(space) = meaning {
                let current = self.scopes.current();
                self.scopes.add_parent(current, space);
            }
            ItemKind::UsingNamespace(path)
        } else if self.nth(1).is(Punct::Assign) {
            let symbol = self.peek().symbol;
            let name = self.ident("the name of the type")?;
            self.bump();
            let is_template = template.is_some();
            let (ty, space) = {
                let mut modifiers = Modifiers::default();
                self.modifiers(&mut modifiers);
                let (mut ty, space) = self.bare_type_in()?;
                self.modifiers(&mut modifiers);
                ty.modifiers = modifiers;
                (ty, space)
            };
            let dims = self.dims()?;
            self.declare_type(symbol, is_template, space);
            ItemKind::Alias(Alias { template, name, ty, dims })
        } else {
            let (path, meaning) = self.path("a name")?;
            let meaning = match meaning {
                super::ty::PathMeaning::Type(space) => {
                    Some(Meaning::Type { template: false, space })
                }
                super::ty::PathMeaning::ValueTemplate => Some(Meaning::ValueTemplate),
                _ => None,
            };
            let symbol = self.names.find(path.last.ident.name.as_str());
            if let (Some(meaning), Some(symbol)) = (meaning, symbol) {
                let current = self.scopes.current();
                self.scopes.declare(current, symbol, meaning);
            }
            ItemKind::Using(path)
        };
        self.semi("this `using`")?;
        Ok(kind)
    }

    fn typedef(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        self.bump();
        let mut modifiers = Modifiers::default();
        let (mut ty, space) = self.specifiers(&mut modifiers, items)?;
        ty.modifiers = modifiers;
        loop {
            let symbol = self.peek().symbol;
            let name = self.ident("the name of the new type")?;
            let dims = self.dims()?;
            self.declare_type(symbol, false, space);
            let alias = Alias { template: None, name, ty: ty.clone(), dims };
            let span = start.to(self.prev());
            items.push(Item { attributes: attributes.clone(), kind: ItemKind::Alias(alias), span });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.semi("this `typedef`")
    }

    /// Declares a name as a type; after a template head, in the scope around the head's.
    pub(super) fn declare_type(&mut self, symbol: Symbol, template: bool, space: Option<Space>) {
        let meaning = Meaning::Type { template, space };
        self.declare_outside(symbol, template, meaning);
    }

    pub(super) fn declare_outside(&mut self, symbol: Symbol, template: bool, meaning: Meaning) {
        let space = if template { self.scopes.outer() } else { self.scopes.current() };
        self.scopes.declare(space, symbol, meaning);
    }

    fn buffer(&mut self) -> Parse<ItemKind> {
        let texture = self.bump().is_keyword(Keyword::TBuffer);
        let name = if self.is(Punct::LBrace) || self.is(Punct::Colon) {
            let span = self.prev();
            self.unnamed(if texture { "tbuffer" } else { "cbuffer" }, span)
        } else {
            self.ident("the name of the buffer")?
        };
        let annotations = self.annotations()?;
        // Its members are names of the enclosing scope, so there is no new scope.
        let members = self.item_block(Context::Buffer)?;
        self.eat(Punct::Semi);
        Ok(ItemKind::Buffer(BufferBlock { texture, name, annotations, members }))
    }

    pub(super) fn static_assert(&mut self) -> Parse<ItemKind> {
        self.bump();
        let open = self.peek().span;
        self.expect(Punct::LParen, "`static_assert`")?;
        let condition = self.bracketed(Self::assignment)?;
        let message = match self.eat(Punct::Comma) {
            true if self.peek().kind == TokenKind::String => Some(self.string()),
            true => return self.unexpected("the text of the assertion"),
            false => None,
        };
        self.close(Punct::RParen, open)?;
        self.semi("this assertion")?;
        Ok(ItemKind::StaticAssert(StaticAssert { condition, message }))
    }

    // Declarations that start with a type.

    /// Modifiers and a type in any order; structs and enums declared inline are appended to the items.
    fn specifiers(
        &mut self,
        modifiers: &mut Modifiers,
        items: &mut Vec<Item>,
    ) -> Parse<(Type, Option<Space>)> {
        self.modifiers(modifiers);
        let token = self.peek();
        let found = match token.keyword() {
            Some(Keyword::Struct | Keyword::Class | Keyword::Interface) if self.defines() => {
                self.inline_struct(None, items)?
            }
            Some(Keyword::Enum) if self.defines_enum() => self.inline_enum(items)?,
            Some(keyword) if keyword.is_unused() => {
                return self.ident("a declaration").and(Err(Reported));
            }
            _ => {
                let (ty, space) = self.bare_type_in()?;
                (ty, space)
            }
        };
        self.modifiers(modifiers);
        Ok(found)
    }

    /// Modifiers and a type that is already declared.
    pub(super) fn modified_type(&mut self) -> Parse<(Modifiers, Type)> {
        let mut modifiers = Modifiers::default();
        self.modifiers(&mut modifiers);
        let ty = self.bare_type()?;
        self.modifiers(&mut modifiers);
        Ok((modifiers, ty))
    }

    /// Whether the `struct` here is followed by a body, a base or a `;`, and not just by the name of a type.
    fn defines(&self) -> bool {
        let mut first = self.pos + 1;
        if self.at(first).is(Punct::LBracket) {
            // `struct [raypayload] Payload { … }`: attributes of one word come here.
            first += 3;
        }
        let named = usize::from(self.is_name(self.at(first)));
        let mut behind = first + named;
        if named == 1 && self.at(behind).is(Punct::Less) {
            // `template<> struct S<int> { … }`
            match self.arguments_ahead(behind) {
                Some(end) => behind = end,
                None => return false,
            }
        }
        let token = self.at(behind);
        token.is(Punct::LBrace) || token.is(Punct::Colon) || token.is(Punct::Semi)
    }

    fn defines_enum(&self) -> bool {
        let class = usize::from(
            self.nth(1).is_keyword(Keyword::Class) || self.nth(1).is_keyword(Keyword::Struct),
        );
        let named = usize::from(self.is_name(self.nth(1 + class)));
        let token = self.nth(1 + class + named);
        class == 1 || token.is(Punct::LBrace) || token.is(Punct::Colon)
    }

    /// A struct in a declaration: it becomes an item, and the declaration names it.
    fn inline_struct(
        &mut self,
        template: Option<TemplateHead>,
        items: &mut Vec<Item>,
    ) -> Parse<(Type, Option<Space>)> {
        let start = self.peek().span;
        let order = self.order();
        let (found, space) = self.nested(|this| this.structure(template))?;
        let name = found.name.clone();
        let span = start.to(self.prev());
        items.push(Item { attributes: Vec::new(), kind: ItemKind::Struct(found), span });
        Ok((named_type(name, order), Some(space)))
    }

    fn inline_enum(&mut self, items: &mut Vec<Item>) -> Parse<(Type, Option<Space>)> {
        let start = self.peek().span;
        let order = self.order();
        let (found, space) = self.enumeration()?;
        let name = found.name.clone();
        items.push(Item {
            attributes: Vec::new(),
            kind: ItemKind::Enum(found),
            span: start.to(self.prev()),
        });
        Ok((named_type(name, order), Some(space)))
    }

    /// A struct, enum, variable or function.
    pub(super) fn typed(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        template: Option<TemplateHead>,
        context: Context,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        self.check_start(context)?;
        self.proposed()?;
        let mut modifiers = Modifiers::default();
        self.modifiers(&mut modifiers);
        let before = items.len();
        if self.is_kw(Keyword::Operator) {
            return self.conversion(start, attributes, template, modifiers, items);
        }
        let is_struct = matches!(
            self.peek().keyword(),
            Some(Keyword::Struct | Keyword::Class | Keyword::Interface)
        );
        let mut template = template;
        let ty = if is_struct && self.defines() {
            self.inline_struct(template.take(), items)?.0
        } else {
            self.specifiers(&mut modifiers, items)?.0
        };
        self.modifiers(&mut modifiers);
        if items.len() == before {
            self.check_behind_type(&ty)?;
        }
        if let Some(item) = items.get_mut(before) {
            // The type was declared inline. If nothing else is declared, this is the end.
            if self.is(Punct::Semi) || self.ends_without_semi(&modifiers) {
                item.attributes = attributes;
                item.span = start.to(self.prev());
                return self.semi("this declaration");
            }
        } else if self.is(Punct::Semi) {
            let message = "this declares nothing: a name is missing after the type";
            let span = ty.span;
            self.bump();
            self.sink.push(Diagnostic::new(&code::SYNTAX, span, message));
            return Ok(());
        }
        self.declarators(start, attributes, template, modifiers, ty, context, items)
    }

    /// Detects `MACRO void f()` and `MACRO [attribute]` where the macro is undefined and so was parsed as a type.
    fn check_behind_type(&mut self, ty: &Type) -> Parse<()> {
        let token = self.peek();
        let TypeKind::Named(path) = &ty.kind else { return Ok(()) };
        let is_type = token.keyword().is_some_and(|it| {
            matches!(
                it,
                Keyword::Void
                    | Keyword::Unsigned
                    | Keyword::Struct
                    | Keyword::CBuffer
                    | Keyword::Template
            )
        });
        let Some(name) = path.as_simple().filter(|_| is_type || token.is(Punct::LBracket)) else {
            return Ok(());
        };
        if let TokenKind::Punct(punct) = token.kind
            && let Punct::LBracket
            | Punct::Assign
            | Punct::Dot
            | Punct::PlusPlus
            | Punct::PlusAssign = punct
        {
            if self.headless {
                return Err(Reported);
            }
            let message = "this statement cannot appear outside a function";
            return self.report(Diagnostic::new(&code::SYNTAX, ty.span, message).help(BRACES));
        }
        let message = format!("`{}` is not a modifier or a type that can appear here", name.name);
        self.report(
            Diagnostic::new(&code::SYNTAX, ty.span, message)
                .also(token.span, format!("because {} follows", self.describe(token)))
                .help(format!("if `{}` is a macro, its definition is missing", name.name)),
        )
    }

    /// After the `}` of a struct, a new line that cannot continue with a name: the `;` is missing.
    fn ends_without_semi(&self, modifiers: &Modifiers) -> bool {
        let token = self.peek();
        modifiers.list.is_empty()
            && self.at(self.pos.wrapping_sub(1)).is(Punct::RBrace)
            && (!self.is_name(token)
                || token.flags.has(crate::token::Flags::LINE_START) && self.is_name(self.nth(1)))
    }

    /// Rejects what cannot start a declaration, with a specific message.
    fn check_start(&mut self, context: Context) -> Parse<()> {
        let token = self.peek();
        let fine = match token.kind {
            TokenKind::Ident => match token.keyword() {
                None | Some(Keyword::Operator) => true,
                Some(
                    Keyword::Struct
                    | Keyword::Class
                    | Keyword::Interface
                    | Keyword::Enum
                    | Keyword::Typename,
                ) => true,
                Some(Keyword::Void | Keyword::Auto | Keyword::Unsigned | Keyword::Signed) => true,
                Some(keyword) if keyword.is_unused() => true,
                Some(keyword) => modifier(keyword).is_some(),
            },
            TokenKind::Punct(Punct::ColonColon) => true,
            _ => false,
        };
        if fine {
            return Ok(());
        }
        match context {
            Context::File if token.kind == TokenKind::Ident => {
                if self.headless {
                    return Err(Reported);
                }
                let message = format!("`{}` cannot appear outside a function", self.text(token));
                self.report(Diagnostic::new(&code::SYNTAX, token.span, message).help(BRACES))
            }
            Context::Struct => self.unexpected("a member or `}`"),
            Context::File | Context::Buffer | Context::Local => self.unexpected("a declaration"),
        }
    }

    /// The names after the type: variables, or a function.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a declaration that were read before its names"
    )]
    fn declarators(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        template: Option<TemplateHead>,
        modifiers: Modifiers,
        ty: Type,
        context: Context,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        if self.is_kw(Keyword::Operator) || self.function_ahead() {
            return self.function(start, attributes, template, modifiers, ty, context, items);
        }
        // Most declarations have one name, and a declarator is large.
        let mut declarators = Vec::with_capacity(1);
        loop {
            declarators.push(self.declarator(context, template.is_some())?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        let span = start.to(self.prev());
        let what = match context {
            Context::Struct | Context::Buffer => "this member",
            Context::File | Context::Local => "this declaration",
        };
        let end = self.semi(what);
        let kind = ItemKind::Var(Var { modifiers, template, ty, declarators });
        items.push(Item { attributes, kind, span });
        end
    }

    /// Whether a name, possibly qualified, is followed by `(`, or by template arguments and `(`.
    fn function_ahead(&mut self) -> bool {
        let mut index = self.pos;
        loop {
            if !self.is_name(self.at(index)) {
                return self.at(index).is_keyword(Keyword::Operator) && index > self.pos;
            }
            index += 1;
            if self.at(index).is(Punct::Less) {
                match self.arguments_ahead(index) {
                    Some(end) => index = end,
                    None => return false,
                }
            }
            if !self.at(index).is(Punct::ColonColon) {
                return self.at(index).is(Punct::LParen);
            }
            index += 1;
        }
    }

    pub(super) fn declarator(&mut self, context: Context, template: bool) -> Parse<Declarator> {
        let start = self.peek().span;
        let mut symbol = self.peek().symbol;
        let mut owner = None;
        let mut specializes = None;
        let name = if self.nth(1).is(Punct::ColonColon)
            || self.nth(1).is(Punct::Less) && context == Context::File
        {
            let (path, _) = self.path("a name")?;
            let name = path.last.ident.clone();
            specializes = path.last.args.clone();
            owner = owner_of(path).map(Box::new);
            symbol = self.names.find(&name.name).unwrap_or(symbol);
            name
        } else if context == Context::Struct
            && self.is(Punct::Colon)
            && self.nth(1).kind != TokenKind::Ident
        {
            // A bit-field without a name is padding.
            Ident { name: Name::new(""), span: start }
        } else {
            self.ident("a name")?
        };
        let is_unnamed = name.name.is_empty();
        match template && owner.is_none() {
            true => self.declare_outside(symbol, true, Meaning::ValueTemplate),
            false if is_unnamed => {}
            false => self.scopes.declare_value(symbol, self.names),
        }
        let dims = self.dims()?;
        let mut bits = None;
        let mut annotations = Vec::new();
        if self.is(Punct::Colon) {
            // A semantic is a word; the width of a bit field starts with anything else.
            if context == Context::Struct && self.nth(1).kind != TokenKind::Ident {
                self.bump();
                bits = Some(Box::new(self.conditional()?));
            }
            annotations = self.annotations()?;
        }
        let init = if self.eat(Punct::Assign) {
            let state = self.text(self.peek()) == "sampler_state" && self.nth(1).is(Punct::LBrace);
            if state {
                self.bump();
                Some(self.state_block()?)
            } else {
                Some(Initializer::Expr(self.initializer()?))
            }
        } else if self.is(Punct::LBrace) && context == Context::File {
            Some(self.state_block()?)
        } else {
            None
        };
        if self.is(Punct::LParen) && context == Context::Local {
            return self.report(
                Diagnostic::new(
                    &code::SYNTAX,
                    self.peek().span,
                    "a variable cannot be initialised with `( )`",
                )
                .help(format!("write `{} = …`", name.name))
                .note("functions cannot be declared inside functions"),
            );
        }
        let span = start.to(self.prev());
        Ok(Declarator { name, owner, specializes, dims, bits, annotations, init, span })
    }

    /// `{ Filter = POINT; … }`
    fn state_block(&mut self) -> Parse<Initializer> {
        let open = self.bump().span;
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.bump();
            match token.kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => depth -= 1,
                TokenKind::Eof => {
                    return self.report(Diagnostic::new(
                        &code::UNCLOSED,
                        open,
                        "this block has no closing `}`",
                    ));
                }
                _ => {}
            }
        }
        Ok(Initializer::StateBlock(open.to(self.prev())))
    }

    // Structs and enums.

    fn structure(&mut self, template: Option<TemplateHead>) -> Parse<(Struct, Space)> {
        let keyword = self.bump();
        let kind = match keyword.keyword() {
            Some(Keyword::Class) => StructKind::Class,
            Some(Keyword::Interface) => StructKind::Interface,
            _ => StructKind::Struct,
        };
        self.attributes()?;
        let symbol = self.peek().symbol;
        let is_named = self.is_name(self.peek());
        let name = match is_named || !(self.is(Punct::LBrace) || self.is(Punct::Colon)) {
            true => self.ident("the name of the struct")?,
            false => self.unnamed("struct", keyword.span),
        };
        let is_template = template.is_some();
        let space = if is_template { self.scopes.outer() } else { self.scopes.current() };
        let known = match self.scopes.find_in(space, symbol) {
            Some(Meaning::Type { space, .. }) if is_named => space,
            _ => None,
        };
        let specializes = if self.is(Punct::Less) { Some(self.template_args()?) } else { None };
        // A specialisation has separate names; a body after `struct S;` adds to the names of the first.
        let space = match (known, &specializes) {
            (Some(space), None) => space,
            _ => self.scopes.fresh(),
        };
        if is_named && specializes.is_none() {
            self.declare_type(symbol, is_template, Some(space));
        }
        let mut bases = Vec::new();
        if self.eat(Punct::Colon) {
            loop {
                if matches!(self.peek().keyword(), Some(Keyword::Public)) {
                    self.bump();
                }
                let (base, inner) = self.bare_type_in()?;
                if let Some(inner) = inner {
                    self.scopes.add_parent(space, inner);
                }
                bases.push(base);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        let members = if self.is(Punct::Semi) && bases.is_empty() {
            None
        } else {
            self.scopes.push(space);
            let members = self.item_block(Context::Struct);
            self.scopes.pop();
            Some(members?)
        };
        Ok((Struct { kind, template, name, specializes, bases, members }, space))
    }

    fn enumeration(&mut self) -> Parse<(Enum, Space)> {
        let keyword = self.bump();
        let scoped = self.eat_kw(Keyword::Class) || self.eat_kw(Keyword::Struct);
        let symbol = self.peek().symbol;
        let is_named = self.is_name(self.peek());
        let name = match is_named || scoped {
            true => self.ident("the name of the enum")?,
            false => self.unnamed("enum", keyword.span),
        };
        let space = self.scopes.fresh();
        if is_named {
            self.declare_type(symbol, false, Some(space));
        }
        let underlying = if self.eat(Punct::Colon) { Some(self.ty()?) } else { None };
        if self.is(Punct::Semi) {
            return Ok((Enum { scoped, name, underlying, variants: None }, space));
        }
        let open = self.peek().span;
        self.expect(Punct::LBrace, "the head of this enum")?;
        let mut variants = Vec::new();
        while !self.is(Punct::RBrace) && !self.is_eof() {
            self.attributes()?;
            let symbol = self.peek().symbol;
            let name = self.ident("the name of an enumerator")?;
            if !scoped {
                self.scopes.declare_value(symbol, self.names);
            }
            let value = if self.eat(Punct::Assign) { Some(self.conditional()?) } else { None };
            variants.push(Variant { name, value });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RBrace, open)?;
        Ok((Enum { scoped, name, underlying, variants: Some(variants) }, space))
    }

    /// The using declaration after a template head.
    pub(super) fn template_alias(
        &mut self,
        start: Span,
        attributes: Vec<Attribute>,
        head: TemplateHead,
        items: &mut Vec<Item>,
    ) -> Parse<()> {
        let kind = self.using(Some(head))?;
        items.push(Item { attributes, kind, span: start.to(self.prev()) });
        Ok(())
    }
}

/// The type that a declaration refers to after declaring it inline.
fn named_type(name: Ident, order: crate::options::MatrixOrder) -> Type {
    let span = name.span;
    let path = Path {
        global: false,
        library: false,
        scope: Vec::new(),
        last: Segment { ident: name, args: None },
        span,
    };
    Type { kind: TypeKind::Named(path), modifiers: Modifiers::default(), order, span }
}

/// The part before the last name of a path.
pub(super) fn owner_of(mut path: Path) -> Option<Path> {
    let last = path.scope.pop()?;
    Some(Path { last, ..path })
}
