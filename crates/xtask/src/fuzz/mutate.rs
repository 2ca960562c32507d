//! Mutates texts: bytes, tokens, lines, balanced pieces, and pieces of other texts. Also minimises them.
//!
//! Most mutations keep brackets balanced and replace a token by one of the same kind, so that the result is nearly
//! HLSL: plainly invalid text ends in the parser and does not test the later stages.

use std::sync::LazyLock;

use ops::Random;

use super::judge::word_hash;

/// A random word of a list that is not empty.
fn word<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

const TYPES: &[&str] = &[
    "bool",
    "int",
    "uint",
    "dword",
    "half",
    "float",
    "double",
    "min16float",
    "min16int",
    "min16uint",
    "float16_t",
    "int16_t",
    "uint16_t",
    "int64_t",
    "uint64_t",
    "uint2",
    "uint4",
    "int3",
    "bool4",
    "float2",
    "float3",
    "float4",
    "half3",
    "double2",
    "float4x4",
    "float2x3",
    "int3x1",
    "vector<float, 3>",
    "matrix<int, 2, 2>",
    "RWStructuredBuffer<uint>",
    "StructuredBuffer<float4>",
    "RWByteAddressBuffer",
    "ByteAddressBuffer",
    "Buffer<float4>",
    "RWBuffer<uint>",
    "Texture2D<float4>",
    "RWTexture2D<uint>",
    "SamplerState",
    "ConstantBuffer<S>",
    "AppendStructuredBuffer<uint>",
    "void",
    "auto",
    "string",
    "T",
    "S",
];

const VALUES: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "31",
    "32",
    "64",
    "0u",
    "1u",
    "4294967295u",
    "2147483648",
    "0x80000000",
    "-2147483648",
    "0xffffffffffffffff",
    "18446744073709551616",
    "1e38",
    "1e999",
    "0.0",
    "-0.0",
    "1.5f",
    "2h",
    "1.0L",
    "1.#INF",
    "0b11",
    "017",
    "true",
    "false",
    "'a'",
    "\"text\"",
    "{}",
    "{0}",
    "{1, 2, 3, 4}",
    "(S)0",
    "WIDTH",
    "lane",
];

const WORDS: &[&str] = &[
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "discard",
    "struct",
    "class",
    "interface",
    "enum",
    "enum class",
    "namespace",
    "typedef",
    "using",
    "template",
    "typename",
    "operator",
    "static",
    "const",
    "extern",
    "inline",
    "precise",
    "groupshared",
    "globallycoherent",
    "uniform",
    "volatile",
    "row_major",
    "column_major",
    "in",
    "out",
    "inout",
    "nointerpolation",
    "cbuffer",
    "tbuffer",
    "register",
    "packoffset",
    "this",
    "sizeof",
    "static_assert",
    "numthreads",
    "WaveSize",
    "unroll",
    "loop",
    "branch",
    "flatten",
    "SV_GroupIndex",
    "SV_DispatchThreadID",
    "define",
    "undef",
    "include",
    "ifdef",
    "ifndef",
    "elif",
    "endif",
    "pragma",
    "error",
    "warning",
    "line",
    "defined",
    "once",
    "__VA_ARGS__",
    "__VA_OPT__",
    "__LINE__",
    "__FILE__",
    "__COUNTER__",
    "_Pragma",
    "x",
    "xy",
    "wzyx",
    "_m00_m11",
    "_11",
    "Load",
    "Store",
    "InterlockedAdd",
    "InterlockedCompareExchange",
    "GetDimensions",
    "main",
    "EXPECT",
    "EXPECT_EQ",
    "NAME",
    "OPEN",
    "A",
    "f",
];

const PUNCTUATION: &[&str] = &[
    "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", ".", ":", "::", "?", "=", "==", "!=", "<=",
    ">=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "&&", "||", "<<", ">>", "++", "--",
    "+=", "-=", "*=", "<<=", ">>=", "...", "->", "#", "##", "@", "\\", "\\\n", "\n", "\"", "'",
    "/*", "*/", "//", "\u{e4}", "\0", "[[", "]]",
];

/// Pieces that open something new.
const PIECES: &[&str] = &[
    "\n#if 1\n",
    "\n#if 0\n",
    "\n#ifdef A\n",
    "\n#elif A == 2\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define A 1\n",
    "\n#define A A A\n",
    "\n#define f(x) x\n",
    "\n#define f(x, ...) #x __VA_ARGS__\n",
    "\n#define g(a, b) a ## b\n",
    "\n#define h(...) __VA_OPT__(a) f(__VA_ARGS__)\n",
    "\n#undef A\n",
    "\n#include \"names.h\"\n",
    "\n#include <open.h>\n",
    "\n#include \"fuzz.hlsl\"\n",
    "\n#include \"prelude.hlsli\"\n",
    "\n#pragma pack_matrix(row_major)\n",
    "\n#pragma warning(disable: 3557)\n",
    "\n#line 7 \"x\"\n",
    "\n#line 4294967295\n",
    "\n#error no\n",
    " f(f(1)) ",
    " g(a, b) ",
    "template <typename T> ",
    "template <> ",
    "template <uint N> ",
    " struct S { uint a; float b[2]; uint get() { return a; } }; ",
    " struct S : S { }; ",
    " T f(T a) { return a; } ",
    " uint f(uint a, inout uint b) { return f(a, b); } ",
    " namespace N { ",
    " cbuffer B : register(b0) { uint a; } ",
    " static const uint A = A; ",
    " groupshared uint shared[64]; ",
    "[unroll] ",
    "[numthreads(64, 1, 1)] ",
    "[[vk::binding(0)]] ",
    " if (lane & 1) { ",
    " for (uint i = 0; i < 4; ++i) { ",
    " while (true) ",
    " switch (lane) { case 0: ",
    " ? 1 : ",
    " (uint)",
    " (float3x3)",
    ".xyzw",
    "[lane]",
    "[0]",
    ".x",
    " = ",
    " += ",
    ", ",
    "({",
    "})",
    " operator+(S a, S b) ",
    " enum E { A, B = A + 1, C }; ",
    " typedef uint A[2]; ",
    " using T = uint; ",
    " sizeof(S) ",
    " select(a, b, c) ",
    " static_assert(sizeof(uint) == 4, \"\"); ",
    " uint a : 3; ",
];

/// A bit for the hash of every word that the parser knows. Collisions are harmless.
static KNOWN: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut bits = vec![0; 1 << (KNOWN_BITS - 6)];
    for word in TYPES.iter().chain(WORDS) {
        let bit = word_hash(word) >> (64 - KNOWN_BITS);
        bits[(bit >> 6) as usize] |= 1 << (bit & 63);
    }
    bits
});
const KNOWN_BITS: u32 = 16;

static FUNCTIONS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut all: Vec<&str> = ops::intrinsics::all().map(|it| it.name).collect();
    all.extend(hlsl::library::names());
    all.sort_unstable();
    all.dedup();
    all
});

fn functions() -> &'static [&'static str] {
    &FUNCTIONS
}

/// A number for a word: distinct for words that the parser knows, the same for all others.
pub(super) fn word_number(word: &str) -> u64 {
    let hash = word_hash(word);
    let bit = hash >> (64 - KNOWN_BITS);
    if KNOWN[(bit >> 6) as usize] >> (bit & 63) & 1 == 1 { hash } else { 4 }
}

/// The tokens of a text, including white space: concatenated, they are the text.
pub(super) fn each_token(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = token_length(rest)?;
        let token;
        (token, rest) = rest.split_at(length);
        Some(token)
    })
}

fn tokens(text: &str) -> Vec<&str> {
    let mut all = Vec::with_capacity(text.len() / 2);
    all.extend(each_token(text));
    all
}

/// The length of the first token; `None` at the end.
fn token_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let run = |is: fn(u8) -> bool| bytes.iter().take_while(|it| is(**it)).count();
    Some(match first {
        b'A'..=b'Z' | b'a'..=b'z' | b'_' => run(|it| it.is_ascii_alphanumeric() || it == b'_'),
        b'0'..=b'9' => run(|it| it.is_ascii_alphanumeric() || it == b'.'),
        b' ' | b'\t' => run(|it| it == b' ' || it == b'\t'),
        b'<' | b'>' | b'=' | b'&' | b'|' | b'+' | b'-' | b':' | b'#'
            if bytes.get(1) == Some(&first) =>
        {
            2
        }
        _ => text.chars().next()?.len_utf8(),
    })
}

/// Mutates a text.
pub(super) fn mutate(base: &str, other: &str, random: &mut Random) -> String {
    if random.one_in(12) {
        return bytes(base, random);
    }
    if random.one_in(10) {
        return lines(base, other, random);
    }
    let mut tokens = tokens(base);
    let times = [1, 1, 1, 2, 2, 3, 5, 9][random.below(8)];
    for _ in 0..times {
        change(&mut tokens, other, random);
        if tokens.len() > 20_000 {
            break;
        }
    }
    tokens.concat()
}

/// Flips, removes and adds bytes; invalid UTF-8 is replaced as when a file is read.
fn bytes(base: &str, random: &mut Random) -> String {
    let mut bytes = base.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(5) {
            _ if bytes.is_empty() => bytes.push(random.bits() as u8),
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.bits() as u8,
            2 => bytes.insert(at, random.bits() as u8),
            3 => drop(bytes.remove(at)),
            _ => bytes.truncate(at),
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Removes, repeats and exchanges lines, and takes some from the other text.
fn lines(base: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = base.split_inclusive('\n').collect();
    if lines.is_empty() {
        return other.to_owned();
    }
    for _ in 0..=random.below(3) {
        let (a, b) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(5) {
            _ if lines.is_empty() => {}
            0 => drop(lines.remove(a)),
            1 => lines.insert(a, lines[b]),
            2 => lines.swap(a, b),
            3 => {
                let theirs: Vec<&str> = other.split_inclusive('\n').collect();
                if !theirs.is_empty() {
                    let from = random.below(theirs.len());
                    let to = (from + 1 + random.below(12)).min(theirs.len());
                    lines.splice(a..a, theirs[from..to].iter().copied());
                }
            }
            _ => lines.truncate(a),
        }
    }
    lines.concat()
}

/// One mutation of tokens.
fn change<'a>(tokens: &mut Vec<&'a str>, other: &'a str, random: &mut Random) {
    if tokens.is_empty() {
        tokens.push(word(random, PIECES));
        return;
    }
    let at = random.below(tokens.len());
    match random.below(16) {
        // The same kind of token: usually still HLSL.
        0..=5 => tokens[at] = alike(tokens, at, random),
        6 => {
            let range = balanced(tokens, at, random);
            tokens.drain(range);
        }
        7 => {
            let piece = tokens[balanced(tokens, at, random)].to_vec();
            let to = random.below(tokens.len() + 1);
            tokens.splice(to..to, piece);
        }
        8 => {
            // Replaces one piece by another.
            let piece = tokens[balanced(tokens, at, random)].to_vec();
            let to = random.below(tokens.len());
            let range = balanced(tokens, to, random);
            tokens.splice(range, piece);
        }
        9 => {
            let theirs = self::tokens(other);
            if !theirs.is_empty() {
                let from = random.below(theirs.len());
                let range = balanced(&theirs, from, random);
                tokens.splice(at..at, theirs[range].iter().copied());
            }
        }
        10 => drop(tokens.remove(at)),
        11 => {
            let to = random.below(tokens.len());
            tokens.swap(at, to);
        }
        12 => tokens.insert(at, word(random, PUNCTUATION)),
        13 => tokens.insert(at, word(random, PIECES)),
        14 => {
            let all = [TYPES, VALUES, WORDS, functions()];
            let words = random.pick(&all);
            tokens.insert(at, " ");
            tokens.insert(at, word(random, words));
        }
        _ => {
            // Repetition, for nested constructs.
            let piece = tokens[at..(at + 1 + random.below(4)).min(tokens.len())].to_vec();
            let many = if random.one_in(12) { 300 } else { 20 };
            let times = [2, 3, 8, many][random.below(4)];
            let piece = piece.repeat(times);
            tokens.splice(at..at, piece);
        }
    }
}

/// Another token of the kind of the one at `at`.
fn alike<'a>(tokens: &[&'a str], at: usize, random: &mut Random) -> &'a str {
    let token = tokens[at];
    match token.as_bytes()[0] {
        b'0'..=b'9' => word(random, VALUES),
        b' ' | b'\t' | b'\n' => token,
        b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
            if TYPES.contains(&token) && !random.one_in(4) {
                return word(random, TYPES);
            }
            if functions().binary_search(&token).is_ok() && !random.one_in(4) {
                return word(random, functions());
            }
            // A name that occurs elsewhere in the text.
            for _ in 0..8 {
                let there = tokens[random.below(tokens.len())];
                if there.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_') {
                    return there;
                }
            }
            word(random, WORDS)
        }
        _ => {
            let operators = &PUNCTUATION[13..PUNCTUATION.len() - 14];
            match token {
                "(" | ")" | "{" | "}" | "[" | "]" | ";" | "," if !random.one_in(8) => {
                    match random.one_in(2) {
                        true => ",",
                        false => token,
                    }
                }
                _ => word(random, operators),
            }
        }
    }
}

/// A piece with balanced brackets that starts at `at` or at a bracket soon after it.
fn balanced(tokens: &[&str], at: usize, random: &mut Random) -> std::ops::Range<usize> {
    let ahead = tokens[at..].iter().take(24).position(|it| matches!(*it, "(" | "{" | "["));
    let start = match ahead {
        Some(ahead) if random.one_in(2) => at + ahead,
        _ => at,
    };
    let mut depth = 0usize;
    let wanted = 1 + random.below(12);
    for (index, token) in tokens[start..].iter().enumerate() {
        match *token {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" if depth == 0 => return start..start + index,
            ")" | "}" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && (index + 1 >= wanted || start > at) {
            return start..start + index + 1;
        }
    }
    start..tokens.len()
}

/// Minimises a text: removes everything that is not needed for the failure.
pub(super) fn minimise(text: String, tries: usize, fails: impl Fn(&str) -> bool) -> String {
    let mut pieces: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut left = tries;
    // Lines first, then tokens.
    for round in 0..2 {
        if round == 1 {
            let whole = pieces.concat();
            pieces = tokens(&whole).into_iter().map(str::to_owned).collect();
        }
        let mut size = pieces.len() / 2;
        while size > 0 && left > 0 {
            let mut at = 0;
            while at < pieces.len() && left > 0 {
                left -= 1;
                let end = (at + size).min(pieces.len());
                let without = [&pieces[..at], &pieces[end..]].concat();
                if fails(&without.concat()) {
                    pieces = without;
                } else {
                    at = end;
                }
            }
            size /= 2;
        }
    }
    pieces.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_concatenated_are_the_text() {
        for text in ["a+=1.5f // \u{e4}\n\tb<<2;", "", "#define x \"\\\"\"\r\n"] {
            assert_eq!(tokens(text).concat(), text);
        }
        assert_eq!(tokens("ab <<2"), ["ab", " ", "<<", "2"]);
    }

    #[test]
    fn a_failing_text_is_minimised() {
        let text = "one\ntwo (bad) three\nfour\n".repeat(5);
        let small = minimise(text, 3000, |it| it.matches("bad").count() >= 2);
        assert_eq!(small, "badbad");
    }

    #[test]
    fn pieces_are_balanced() {
        let all = tokens("f(a, {b}) ; c }");
        let mut random = Random::new(1);
        for at in 0..all.len() {
            let piece = &all[balanced(&all, at, &mut random)];
            let count = |what: &str| piece.iter().filter(|it| **it == what).count();
            assert_eq!(count("("), count(")"), "{piece:?}");
            assert_eq!(count("{"), count("}"), "{piece:?}");
        }
    }
}
