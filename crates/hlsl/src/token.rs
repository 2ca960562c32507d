//! Tokens and interned names.
//!
//! A token is small and `Copy`: its spelling is an index into [`Names`], which holds each spelling once.
//! Preprocessor and parser share the type; only [`crate::lex`] and macro expansion make tokens.

use std::ops::Range;
use std::sync::LazyLock;

use diag::Span;

/// An interned spelling in [`Names`]. Keywords come first, so that a range check recognises them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

/// The kind of a token; the spelling of all but punctuation is the token's symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Identifiers and keywords.
    Ident,
    /// Everything that starts like a number; its value is parsed later.
    Number,
    /// With its quotes.
    Char,
    /// With its quotes.
    String,
    Punct(Punct),
    /// A character that starts no token, such as `@`.
    Stray,
    /// An unterminated `"…` or `'…`.
    UnclosedString,
    UnclosedChar,
    /// An unterminated `/*`.
    UnclosedComment,
    Eof,
}

/// Properties of a token besides its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Preceded by white space or a comment.
    pub const SPACE: Flags = Flags(1);
    /// First on its line.
    pub const LINE_START: Flags = Flags(2);
    /// A macro name that its own expansion produced: never expanded again.
    pub const PAINTED: Flags = Flags(4);
    /// The matrix order that pragmas and options set here is `row_major`.
    pub const ROW_MAJOR: Flags = Flags(8);

    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub fn with(self, flag: Flags) -> Flags {
        Flags(self.0 | flag.0)
    }

    pub fn without(self, flag: Flags) -> Flags {
        Flags(self.0 & !flag.0)
    }

    /// This token's flags, with the surroundings (white space, line start) of another.
    pub fn placed_as(self, other: Flags) -> Flags {
        let place = Flags::SPACE.0 | Flags::LINE_START.0;
        Flags(self.0 & !place | other.0 & place)
    }
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub flags: Flags,
    pub symbol: Symbol,
    pub span: Span,
}

impl Token {
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind == TokenKind::Ident && self.symbol.0 == keyword as u32
    }

    pub fn keyword(&self) -> Option<Keyword> {
        if self.kind == TokenKind::Ident { self.symbol.keyword() } else { None }
    }
}

/// The preprocessor's output: tokens, the last of them `Eof`, and their names.
#[derive(Debug)]
pub struct Tokens {
    pub list: Vec<Token>,
    pub names: Names,
}

/// Every spelling once, in one string.
#[derive(Clone, Debug)]
pub struct Names {
    text: String,
    ranges: Vec<Range<u32>>,
    /// Open addressing; 0 is free, else the symbol plus 1. The length is a power of two.
    slots: Vec<u32>,
}

impl Names {
    /// The keywords at their indices, and the empty spelling right after them.
    pub fn new() -> Names {
        static FIRST: LazyLock<Names> = LazyLock::new(|| {
            let mut names = Names { text: String::new(), ranges: Vec::new(), slots: vec![0; 1024] };
            for keyword in Keyword::ALL {
                let symbol = names.intern(keyword.word());
                debug_assert_eq!(symbol.0, *keyword as u32);
            }
            names.intern("");
            names
        });
        FIRST.clone()
    }

    /// The empty spelling, which punctuation tokens have.
    pub const EMPTY: Symbol = Symbol(Keyword::ALL.len() as u32);

    /// The spelling of a token.
    pub fn spelling(&self, token: &Token) -> &str {
        match token.kind {
            TokenKind::Punct(punct) => punct.text(),
            TokenKind::Ident
            | TokenKind::Number
            | TokenKind::Char
            | TokenKind::String
            | TokenKind::Stray
            | TokenKind::UnclosedString
            | TokenKind::UnclosedChar
            | TokenKind::UnclosedComment
            | TokenKind::Eof => self.text(token.symbol),
        }
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        let range = &self.ranges[symbol.0 as usize];
        &self.text[range.start as usize..range.end as usize]
    }

    /// The number of spellings: all symbols are below it.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The spelling as an identifier, if it is one already.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        match self.slots[self.slot(text)] {
            0 => None,
            taken => Some(Symbol(taken - 1)),
        }
    }

    pub fn intern(&mut self, text: &str) -> Symbol {
        let slot = self.slot(text);
        if let Some(symbol) = self.slots[slot].checked_sub(1) {
            return Symbol(symbol);
        }
        let start = self.text.len() as u32;
        self.text.push_str(text);
        self.ranges.push(start..self.text.len() as u32);
        let taken = self.ranges.len() as u32;
        self.slots[slot] = taken;
        if self.ranges.len() * 2 > self.slots.len() {
            self.grow();
        }
        Symbol(taken - 1)
    }

    /// The slot that holds this text, or the free one where it belongs.
    fn slot(&self, text: &str) -> usize {
        let wrap = self.slots.len() - 1;
        let mut slot = hash(text) as usize & wrap;
        loop {
            match self.slots[slot] {
                0 => return slot,
                taken if self.text(Symbol(taken - 1)) == text => return slot,
                _ => slot = (slot + 1) & wrap,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        let wrap = self.slots.len() - 1;
        for index in 0..self.ranges.len() as u32 {
            let mut slot = hash(self.text(Symbol(index))) as usize & wrap;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & wrap;
            }
            self.slots[slot] = index + 1;
        }
    }
}

impl Default for Names {
    fn default() -> Names {
        Names::new()
    }
}

/// A fast hash of short texts, eight bytes at a time; every byte affects the low bits of the result.
fn hash(text: &str) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let rest = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain([rest]);
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(MIX);
    let hash = words.fold(text.len() as u64, mix);
    // Multiplication carries upwards only: names that differ in their last digits would cluster.
    (hash ^ hash >> 32).wrapping_mul(MIX) >> 32
}

macro_rules! puncts {
    ($($name:ident $text:literal)*) => {
        /// A punctuator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Punct { $(#[doc = concat!("`", $text, "`")] $name),* }

        impl Punct {
            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
        }
    };
}

puncts! {
    LBrace "{" RBrace "}" LParen "(" RParen ")" LBracket "[" RBracket "]"
    Semi ";" Comma "," Colon ":" ColonColon "::" Dot "." Ellipsis "..." Question "?" Arrow "->"
    Plus "+" Minus "-" Star "*" Slash "/" Percent "%" And "&" Or "|" Caret "^" Tilde "~" Not "!"
    Assign "=" Less "<" Greater ">"
    PlusAssign "+=" MinusAssign "-=" StarAssign "*=" SlashAssign "/=" PercentAssign "%="
    AndAssign "&=" OrAssign "|=" CaretAssign "^=" ShlAssign "<<=" ShrAssign ">>="
    Shl "<<" Shr ">>" Equal "==" NotEqual "!=" LessEqual "<=" GreaterEqual ">="
    AndAnd "&&" OrOr "||" PlusPlus "++" MinusMinus "--"
    Hash "#" HashHash "##"
}

macro_rules! keywords {
    ($($name:ident $text:literal)*) => {
        /// A word that the grammar gives a meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Keyword { $(#[doc = concat!("`", $text, "`")] $name),* }

        impl Keyword {
            pub const ALL: &'static [Keyword] = &[$(Keyword::$name),*];

            pub fn word(self) -> &'static str {
                match self { $(Keyword::$name => $text),* }
            }
        }
    };
}

// The order matters: statements and declarations, then modifiers, then words that are reserved but unused,
// then contextual keywords. See the methods below.
keywords! {
    If "if" Else "else" For "for" While "while" Do "do" Switch "switch" Case "case" Default "default"
    Break "break" Continue "continue" Discard "discard" Return "return"
    Struct "struct" Class "class" Interface "interface" Enum "enum" Namespace "namespace"
    Typedef "typedef" Using "using" Template "template" Typename "typename" CBuffer "cbuffer" TBuffer "tbuffer"
    StaticAssert "static_assert" StaticAssertC "_Static_assert"
    Operator "operator" SizeOf "sizeof" This "this" True "true" False "false"
    Void "void" Unsigned "unsigned" Signed "signed" Auto "auto"
    Const "const" Static "static" Extern "extern" Volatile "volatile" Inline "inline" Export "export"
    GroupShared "groupshared" Uniform "uniform" Precise "precise"
    GloballyCoherent "globallycoherent" ReorderCoherent "reordercoherent"
    RowMajor "row_major" ColumnMajor "column_major" Snorm "snorm" Unorm "unorm"
    NoInterpolation "nointerpolation" In "in" Out "out" InOut "inout"
    Asm "asm" Catch "catch" ConstCast "const_cast" Delete "delete" DynamicCast "dynamic_cast" Explicit "explicit"
    Friend "friend" Goto "goto" Mutable "mutable" New "new" Private "private" Protected "protected"
    Public "public" ReinterpretCast "reinterpret_cast" StaticCast "static_cast" Throw "throw" Try "try"
    Union "union" Virtual "virtual"
    Shared "shared" Linear "linear" Centroid "centroid" NoPerspective "noperspective" Sample "sample"
    Point "point" Line "line" Triangle "triangle" LineAdj "lineadj" TriangleAdj "triangleadj"
    Vertices "vertices" Indices "indices" Primitives "primitives" Payload "payload"
}

impl Keyword {
    /// Reserved for C++, unused in HLSL.
    pub fn is_unused(self) -> bool {
        (Keyword::Asm..=Keyword::Virtual).contains(&self)
    }

    /// A modifier in front of a type, and an ordinary name anywhere else.
    pub fn is_contextual(self) -> bool {
        self >= Keyword::Shared
    }
}

impl Symbol {
    pub fn keyword(self) -> Option<Keyword> {
        Keyword::ALL.get(self.0 as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_held_once_and_keywords_come_first() {
        let mut names = Names::new();
        assert_eq!(names.intern("discard").keyword(), Some(Keyword::Discard));
        assert_eq!(names.text(Names::EMPTY), "");
        let many: Vec<Symbol> = (0..5000).map(|i| names.intern(&format!("name{i}"))).collect();
        for (i, symbol) in many.iter().enumerate() {
            assert_eq!(names.intern(&format!("name{i}")), *symbol);
            assert_eq!(names.text(*symbol), format!("name{i}"));
            assert_eq!(symbol.keyword(), None);
        }
        assert_eq!(names.find("name4999"), Some(many[4999]));
        assert_eq!(names.find("name5000"), None);
    }

    #[test]
    fn a_token_stays_small() {
        assert!(size_of::<Token>() <= 20);
    }
}
