//! What programs print: messages, and the instructions that print them.

use ir::print::{MessageData, MessageKind, quoted};
use ir::{Message, Op, Value, Values};
use ops::{Binary, Ty};

use super::{Lower, Lowerer};
use crate::hir::{Arg, Expr, ExprKind};
use crate::library::Print;
use crate::types::{BinaryOp, Scalar, Type};

impl Lowerer<'_> {
    pub(super) fn print(&mut self, print: Print, args: &[Arg], expr: &Expr) -> Lower<Values> {
        let text = args.first().map_or(String::new(), |it| self.text(it));
        let mut operands = Vec::new();
        for arg in args.iter().skip(1) {
            operands.push(self.input(arg)?);
        }
        self.builder.span = expr.span;
        match print {
            Print::Always => self.say(MessageKind::Print, text, operands.concat().into()),
            Print::Break => {
                self.say(MessageKind::Break, "DebugBreak()".to_owned(), Values::new());
            }
            Print::Unless => {
                let format = format!("assertion failed: {}", quoted(&text));
                self.say_unless(&operands.concat(), format, Values::new())?;
            }
            Print::UnlessCompared(op) => {
                let ty = args[1].ty();
                let holds = self.binary(op, ty, &operands[0], &operands[1]);
                let shown = conversion(self.program.types.get(ty));
                let text = quoted(&text);
                let format =
                    format!("assertion failed: {text} with {shown} {} {shown}", spelling(op));
                self.say_unless(&holds, format, operands.concat().into())?;
            }
        }
        Ok(Values::new())
    }

    /// The string of an argument.
    fn text(&self, arg: &Arg) -> String {
        match arg {
            Arg::In(Expr { kind: ExprKind::Const(number), .. }) => {
                self.program.types.text(*number).map_or(String::new(), |it| it.to_string())
            }
            Arg::In(_) | Arg::Out { .. } => String::new(),
        }
    }

    fn say(&mut self, kind: MessageKind, format: String, args: Values) {
        let types = args.iter().map(|it| self.builder.module.ty(*it)).collect();
        let message = self.message(MessageData { kind, format, types });
        self.builder.inst(Op::Print { message, args }, &[]);
    }

    fn say_unless(&mut self, holds: &[Value], format: String, args: Values) -> Lower<()> {
        let mut all = match holds.first() {
            Some(first) => *first,
            None => return Ok(()),
        };
        for more in &holds[1..] {
            all = self.value(Op::Binary(Binary::And, all, *more), Ty::Bool);
        }
        self.if_(
            all,
            |_| Ok(Values::new()),
            |this| {
                this.say(MessageKind::Failure, format, args);
                Ok(Values::new())
            },
        )?;
        Ok(())
    }

    /// The number of a message; inlined calls print the same one.
    fn message(&mut self, data: MessageData) -> Message {
        let next = Message(self.builder.module.messages.len() as u32);
        let number = *self.messages.entry(data.clone()).or_insert(next);
        if number == next {
            self.builder.module.messages.push(data);
        }
        number
    }
}

/// Prints values exactly.
fn conversion(ty: Type) -> String {
    let (scalar, count) = match ty {
        Type::Vector(scalar, n) if n > 1 => (scalar, format!("v{n}")),
        Type::Vector(scalar, _) | Type::Scalar(scalar) => (scalar, String::new()),
        _ => (Scalar::I32, String::new()),
    };
    match crate::check::print_letter(scalar) {
        // As many digits as distinguish all numbers of the type.
        Some("f") if scalar == Scalar::F64 => format!("%.17{count}g"),
        Some("f") => format!("%.9{count}g"),
        letter => format!("%{count}{}", letter.unwrap_or("d")),
    }
}

fn spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        _ => ">=",
    }
}
