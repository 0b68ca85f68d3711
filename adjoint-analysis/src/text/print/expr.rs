//! Printing of expressions and places.

use super::Printer;
use crate::ir::{BinOp, CodeId, Expr, FloatTy, Place, Proj, Ty, UnOp};
use crate::text::syntax::{self, ATOM, UNARY, quoted};

impl Printer<'_> {
    /// Prints an expression, in parentheses if its precedence is below `least`.
    pub(super) fn expr(&mut self, expr: &Expr, least: u8) {
        let parentheses = precedence(expr) < least;
        if parentheses {
            self.push("(");
        }
        match expr {
            Expr::Binary(..) => self.binary(expr),
            Expr::Unary(op, a) => {
                self.push(match op {
                    UnOp::Neg => "-",
                    UnOp::Not => "!",
                });
                self.expr(a, ATOM);
            }
            Expr::Cast(a, ty) => {
                self.expr(a, UNARY);
                self.ty_around(" as ", ty, "");
            }
            Expr::Scale(a, b) => {
                self.push("scale(");
                self.expr(a, 0);
                self.push(", ");
                self.expr(b, 0);
                self.push(")");
            }
            Expr::Intrinsic(op, args) => self.application("", op.name(), args),
            Expr::Preaccumulated(value, gradient) => {
                self.push("preaccumulated(");
                self.expr(value, 0);
                for [input, partial] in gradient {
                    self.push("; ");
                    self.expr(input, 0);
                    self.push(": ");
                    self.expr(partial, 0);
                }
                self.push(")");
            }
            _ => self.atom(expr),
        }
        if parentheses {
            self.push(")");
        }
    }

    /// Prints operators from left to right in a loop, so that a long sum doesn't need a deep stack.
    fn binary(&mut self, expr: &Expr) {
        let mut rest: Vec<(BinOp, &Expr)> = Vec::new();
        let mut left = expr;
        while let Expr::Binary(op, a, b) = left {
            let outer = rest
                .last()
                .map_or(0, |(op, _)| syntax::left_precedence(*op));
            if syntax::precedence(*op) < outer {
                break;
            }
            rest.push((*op, b));
            left = a;
        }
        self.expr(
            left,
            rest.last()
                .map_or(0, |(op, _)| syntax::left_precedence(*op)),
        );
        while let Some((op, right)) = rest.pop() {
            self.push(" ");
            self.push(op.symbol());
            self.push(" ");
            self.expr(right, syntax::precedence(op) + 1);
        }
    }

    fn atom(&mut self, expr: &Expr) {
        match expr {
            Expr::Lit(text, ty) => self.literal(text, ty),
            Expr::Read(place) => self.place(place),
            Expr::Len(place) => {
                self.push("len(");
                self.place(place);
                self.push(")");
            }
            Expr::Partial(name, args) => self.application("partial::", name, args),
            Expr::Discrete(name, args, ty) => {
                self.application("pure::", name, args);
                self.annotation(ty);
            }
            Expr::Select(parts, ty) => {
                self.push("select(");
                self.list(&**parts, |p, e| p.expr(e, 0));
                self.push(")");
                self.annotation(ty);
            }
            Expr::Aggregate(items, ty) => {
                self.push("[");
                self.list(items, |p, e| p.expr(e, 0));
                self.push("]");
                self.annotation(ty);
            }
            Expr::Repeat(value, count, ty) => {
                self.push("[");
                self.expr(value, 0);
                self.push("; ");
                self.expr(count, 0);
                self.push("]");
                self.annotation(ty);
            }
            Expr::Variant(path, fields, ty) => {
                self.push("variant::");
                self.path(path);
                self.push("(");
                self.list(fields, |p, (field, e)| {
                    p.name(field, syntax::is_plain_field(field));
                    p.push(": ");
                    p.expr(e, 0);
                });
                self.push(")");
                self.annotation(ty);
            }
            Expr::Is(place, path) => {
                self.push("is(");
                self.place(place);
                self.push(", ");
                self.path(path);
                self.push(")");
            }
            Expr::ZeroLike(place) => {
                self.push("zeros(");
                self.place(place);
                self.push(")");
            }
            Expr::Code(id, reads, ty) => {
                self.code(*id, reads);
                self.annotation(ty);
            }
            Expr::Binary(..)
            | Expr::Unary(..)
            | Expr::Cast(..)
            | Expr::Scale(..)
            | Expr::Preaccumulated(..)
            | Expr::Intrinsic(..) => self.expr(expr, 0),
        }
    }

    fn application(&mut self, kind: &str, name: &str, args: &[Expr]) {
        self.push(kind);
        self.path(name);
        self.push("(");
        self.list(args, |p, e| p.expr(e, 0));
        self.push(")");
    }

    /// `$3(x, y)`
    pub(super) fn code(&mut self, id: CodeId, reads: &[Place]) {
        self.push(&format!("${}(", id.0));
        self.list(reads, |p, place| p.place(place));
        self.push(")");
    }

    fn literal(&mut self, text: &str, ty: &Ty) {
        let number = syntax::is_number(text);
        let suffix = match ty {
            Ty::Bool if matches!(text, "true" | "false") => return self.push(text),
            Ty::Int(_) | Ty::Float(FloatTy::F32 | FloatTy::F64) if number => ty.to_string(),
            _ => String::new(),
        };
        let with_suffix = format!("{text}{suffix}");
        if !suffix.is_empty() && syntax::number_len(&with_suffix) == text.len() {
            return self.push(&with_suffix);
        }
        match number {
            true => self.push(text),
            false => self.push(&quoted(text, '"')),
        }
        self.push(":");
        self.ty(ty);
    }

    /// Prints a place, with its type if the root's declaration doesn't determine it.
    pub(super) fn place(&mut self, place: &Place) {
        self.var(place.root);
        for step in &place.proj {
            self.projection(step);
        }
        if place.declared_ty(self.func) != place.ty {
            self.annotation(&place.ty);
        }
    }

    fn projection(&mut self, step: &Proj) {
        match step {
            Proj::Field(name) => {
                self.push(".");
                self.name(name, syntax::is_plain_field(name));
            }
            Proj::Index(e) => self.in_brackets("[", e, "]"),
            Proj::Head(e) => self.in_brackets(".head(", e, ")"),
            Proj::Tail(e) => self.in_brackets(".tail(", e, ")"),
            Proj::Chunk(e, extent) => {
                self.in_brackets(".chunk(", e, "; ");
                self.extent(extent);
                self.push(")");
            }
            Proj::Range(lo, hi) => {
                self.push("[");
                if let Some(lo) = lo {
                    self.expr(lo, 0);
                }
                self.push("..");
                if let Some(hi) = hi {
                    self.expr(hi, 0);
                }
                self.push("]");
            }
            Proj::Single => self.push(".single()"),
            Proj::Items => self.push(".items()"),
            Proj::Deref => self.push(".*"),
            Proj::Variant(path, field) => {
                self.push("@");
                self.path(path);
                self.push(".");
                self.name(field, syntax::is_plain_field(field));
            }
        }
    }

    fn in_brackets(&mut self, before: &str, expr: &Expr, after: &str) {
        self.push(before);
        self.expr(expr, 0);
        self.push(after);
    }
}

/// The precedence of an expression. A cast is always in parentheses, since a type may continue with `<`.
fn precedence(expr: &Expr) -> u8 {
    match expr {
        Expr::Binary(op, ..) => syntax::precedence(*op),
        Expr::Unary(..) => UNARY,
        Expr::Cast(..) => 0,
        _ => ATOM,
    }
}
