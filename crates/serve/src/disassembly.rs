//! Disassembly: the instructions of the program as `wavelane emit --ir` prints them, at made-up addresses.
//!
//! Each instruction takes one byte. Those that a client requests before the first and after the last are marked as
//! invalid, as the protocol requires.

use serde_json::{Value, json};

use crate::adapter::{Adapter, Answer, Launcher};

/// The address of the first instruction, far enough from 0 that clients can read before it.
const BASE: i64 = 1 << 16;
/// The most instructions of one answer.
const MOST: i64 = 4096;

/// The address of an instruction by its number in the listing.
pub(crate) fn address(number: i64) -> String {
    format!("{:#x}", BASE + number)
}

/// The number of the instruction at an address.
pub(crate) fn number(address: &str) -> Option<i64> {
    let address = match address.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None => address.parse().ok()?,
    };
    address.checked_sub(BASE)
}

impl<L: Launcher> Adapter<L> {
    pub(crate) fn disassemble(&self, arguments: &Value) -> Result<Answer, String> {
        let reference = arguments["memoryReference"].as_str();
        let reference = reference.ok_or("`memoryReference` is missing")?;
        let session = self.session()?;
        let part = |name: &str| arguments[name].as_i64().unwrap_or(0);
        let first = number(reference)
            .and_then(|it| it.checked_add(part("offset"))?.checked_add(part("instructionOffset")));
        let first = first.filter(|it| (-BASE..=1 << 40).contains(it));
        let first = first.ok_or_else(|| format!("there is no instruction at `{reference}`"))?;
        let count = arguments["instructionCount"].as_i64();
        let count = count.filter(|it| *it >= 0).ok_or("`instructionCount` is missing")?;
        if count > MOST {
            return Err(format!("an answer has at most {MOST} instructions"));
        }
        let inside = |it: i64| it.clamp(0, session.instructions() as i64) as usize;
        let (begin, end) = (inside(first), inside(first + count));
        let mut lines = (begin..).zip(session.listed(begin..end));
        let mut next = lines.next();
        let mut all = Vec::new();
        for number in first..first + count {
            let is_listed = |it: &(usize, _)| it.0 as i64 == number;
            let Some((_, line)) = next.take_if(|it| is_listed(it)) else {
                all.push(json!({
                    "address": address(number), "instruction": "", "presentationHint": "invalid",
                }));
                continue;
            };
            let mut answer = json!({"address": address(number), "instruction": line.text});
            if let Some(region) = line.region {
                answer["symbol"] = json!(region);
            }
            if let Some(place) = session.sources().location(line.span) {
                answer["location"] = self.source_of(session, &place.file);
                (answer["line"], answer["column"]) = (json!(place.line), json!(place.column));
            }
            all.push(answer);
            next = lines.next();
        }
        Ok(Answer::of(json!({"instructions": all})))
    }
}
