//! Parsing of expressions and places.

use super::{Parsed, Parser, ty};
use crate::ir::{BinOp, CodeId, Expr, Intrinsic, Place, Proj, Ty, UnOp};
use crate::rules::{self, Partial};
use crate::text::syntax;

/// An entry on the operator stack, which waits for its right operand.
enum Pending {
    Parenthesis,
    Prefix(UnOp),
    Left(Expr, BinOp),
}

impl Parser<'_> {
    /// Parses an expression. Operators and parentheses are on an explicit stack, so that deep expressions don't need a
    /// deep thread stack.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let mut pending = Vec::new();
        loop {
            self.prefixes(&mut pending);
            let mut value = self.atom()?;
            loop {
                value = self.operand(value, &mut pending)?;
                if let Some(op) = operator(self.lex.peek()) {
                    self.lex.bump();
                    let left = reduce(value, &mut pending, syntax::precedence(op));
                    pending.push(Pending::Left(left, op));
                    break;
                }
                value = reduce(value, &mut pending, 0);
                if pending.pop().is_none() {
                    return Ok(value);
                }
                self.lex.expect(")")?;
            }
        }
    }

    /// Parses the prefixes of an atom.
    fn prefixes(&mut self, pending: &mut Vec<Pending>) {
        loop {
            pending.push(match self.lex.peek() {
                "(" => Pending::Parenthesis,
                "-" => Pending::Prefix(UnOp::Neg),
                "!" => Pending::Prefix(UnOp::Not),
                _ => return,
            });
            self.lex.bump();
        }
    }

    /// Applies the prefix operators before a value and the casts after it.
    fn operand(&mut self, mut value: Expr, pending: &mut Vec<Pending>) -> Parsed<Expr> {
        while let Some(Pending::Prefix(op)) = pending.last() {
            value = Expr::Unary(*op, Box::new(value));
            pending.pop();
        }
        while self.lex.eat("as") {
            value = Expr::Cast(Box::new(value), self.ty()?);
        }
        Ok(value)
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let token = self.lex.peek();
        let after = &self.lex.rest()[token.len()..];
        match token {
            "true" | "false" => {
                self.lex.bump();
                Ok(Expr::Lit(token.to_string(), Ty::Bool))
            }
            "\"" => {
                let text = self.lex.quoted('"')?;
                self.typed_literal(text)
            }
            "[" => self.aggregate(),
            "$" => {
                let (id, reads) = self.code()?;
                Ok(Expr::Code(id, reads, self.result_ty()?))
            }
            "partial" | "pure" | "variant" if after.starts_with("::") => self.application(token),
            _ if token.starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            _ if after.starts_with('(') => self.named_application(token),
            _ => Ok(Expr::Read(self.place()?)),
        }
    }

    fn number(&mut self) -> Parsed<Expr> {
        let rest = self.lex.rest();
        let (text, after) = rest.split_at(syntax::number_len(rest));
        let suffix = &after[..syntax::ident_len(after)];
        self.lex.advance(text.len() + suffix.len());
        match ty::scalar(suffix) {
            Some(ty) => Ok(Expr::Lit(text.to_string(), ty)),
            None => self.typed_literal(text.to_string()),
        }
    }

    fn typed_literal(&mut self, text: String) -> Parsed<Expr> {
        if !self.lex.eat_raw(":") {
            return self
                .lex
                .expected("the type of the literal, as in `2.0f64` or `2.0:T`");
        }
        Ok(Expr::Lit(text, self.ty()?))
    }

    /// `[a, b]:{type}`, `[value; count]:{type}`
    fn aggregate(&mut self) -> Parsed<Expr> {
        self.lex.bump();
        if self.lex.eat("]") {
            return Ok(Expr::Aggregate(Vec::new(), self.result_ty()?));
        }
        let first = self.expr()?;
        if self.lex.eat(";") {
            let count = self.expr()?;
            self.lex.expect("]")?;
            return Ok(Expr::Repeat(
                Box::new(first),
                Box::new(count),
                self.result_ty()?,
            ));
        }
        let mut items = vec![first];
        if self.lex.eat(",") {
            items.extend(self.list("]", |p| p.expr())?);
        } else {
            self.lex.expect("]")?;
        }
        Ok(Expr::Aggregate(items, self.result_ty()?))
    }

    /// `$3(x, y)`
    pub(super) fn code(&mut self) -> Parsed<(CodeId, Vec<Place>)> {
        let id = self.lex.code_id()?;
        self.lex.expect("(")?;
        Ok((id, self.list(")", |p| p.place())?))
    }

    fn args(&mut self) -> Parsed<Vec<Expr>> {
        self.lex.expect("(")?;
        self.list(")", |p| p.expr())
    }

    /// `partial::name(..)`, `pure::name(..):{type}`, `variant::Path(field: e):{type}`
    fn application(&mut self, kind: &str) -> Parsed<Expr> {
        self.lex.bump();
        self.lex.expect("::")?;
        let before = self.lex.clone();
        let name = self.lex.path()?;
        if kind == "variant" {
            self.lex.expect("(")?;
            let fields = self.list(")", |p| {
                let field = p.lex.field()?;
                p.lex.expect(":")?;
                Ok((field, p.expr()?))
            })?;
            return Ok(Expr::Variant(name, fields, self.result_ty()?));
        }
        if kind == "pure" {
            return Ok(Expr::Discrete(name, self.args()?, self.result_ty()?));
        }
        match partial_name(&name) {
            Some(name) => Ok(Expr::Partial(name, self.args()?)),
            None => before.error(format!("no rule names a partial `{name}`")),
        }
    }

    /// `len(place)`, `zeros(place)`, `is(place, Path)`, `scale(a, b)`, `select(c, a, b):{type}`, `sin(x)`
    fn named_application(&mut self, name: &str) -> Parsed<Expr> {
        if name == "zeros" || name == "is" {
            self.lex.bump();
            self.lex.expect("(")?;
            let place = self.place()?;
            let made = match name {
                "zeros" => Expr::ZeroLike(place),
                _ => {
                    self.lex.expect(",")?;
                    Expr::Is(place, self.lex.path()?)
                }
            };
            self.lex.expect(")")?;
            return Ok(made);
        }
        if name == "len" {
            self.lex.bump();
            self.lex.expect("(")?;
            let place = self.place()?;
            self.lex.expect(")")?;
            return Ok(Expr::Len(place));
        }
        if name == "scale" {
            self.lex.bump();
            self.lex.expect("(")?;
            let seed = self.expr()?;
            self.lex.expect(",")?;
            let partial = self.expr()?;
            self.lex.expect(")")?;
            return Ok(Expr::Scale(Box::new(seed), Box::new(partial)));
        }
        if name == "preaccumulated" {
            self.lex.bump();
            self.lex.expect("(")?;
            let value = self.expr()?;
            let mut gradient = Vec::new();
            while self.lex.eat(";") {
                let input = self.expr()?;
                self.lex.expect(":")?;
                gradient.push([input, self.expr()?]);
            }
            self.lex.expect(")")?;
            return Ok(Expr::Preaccumulated(Box::new(value), gradient));
        }
        if name == "select" {
            let before = self.lex.clone();
            self.lex.bump();
            let Ok(parts) = <[Expr; 3]>::try_from(self.args()?) else {
                return before.error("`select` takes a condition and two values".into());
            };
            return Ok(Expr::Select(Box::new(parts), self.result_ty()?));
        }
        let Some(op) = Intrinsic::from_name(name) else {
            return self
                .lex
                .error(format!("there is no function of reals `{name}`"));
        };
        self.lex.bump();
        Ok(Expr::Intrinsic(op, self.args()?))
    }

    /// Parses a place. Its type is the annotated one, or else that of the root's declaration, which is unknown below a
    /// field of a named type.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let mut place = Place::var(self.var()?, Ty::Unknown);
        loop {
            let step = match self.lex.peek() {
                "[" => self.index_or_range()?,
                "." => self.dot_projection()?,
                "@" => {
                    self.lex.bump();
                    let path = self.lex.path()?;
                    self.lex.expect(".")?;
                    Proj::Variant(path, self.lex.field()?)
                }
                _ => break,
            };
            place.proj.push(step);
        }
        place.ty = match self.annotation()? {
            Some(ty) => ty,
            None => place.declared_ty(&self.func),
        };
        Ok(place)
    }

    /// `.name`, `.0`, `.*`, `.head(mid)`, `.tail(mid)`, `.chunk(i; N)`, `.single()`, `.items()`
    fn dot_projection(&mut self) -> Parsed<Proj> {
        self.lex.bump();
        if self.lex.eat("*") {
            return Ok(Proj::Deref);
        }
        let half: Option<fn(Box<_>) -> Proj> = match self.lex.peek() {
            "head" => Some(Proj::Head),
            "tail" => Some(Proj::Tail),
            _ => None,
        };
        let field = self.lex.field()?;
        match half {
            Some(half) if self.lex.eat("(") => {
                let mid = self.expr()?;
                self.lex.expect(")")?;
                Ok(half(Box::new(mid)))
            }
            None if matches!(&*field, "items" | "single") && self.lex.eat("(") => {
                self.lex.expect(")")?;
                Ok(match &*field {
                    "items" => Proj::Items,
                    _ => Proj::Single,
                })
            }
            None if field == "chunk" && self.lex.eat("(") => {
                let at = self.expr()?;
                self.lex.expect(";")?;
                let extent = self.extent()?;
                self.lex.expect(")")?;
                Ok(Proj::Chunk(Box::new(at), extent))
            }
            _ => Ok(Proj::Field(field)),
        }
    }

    /// `[i]`, `[lo..hi]`, `[lo..]`, `[..hi]`, `[..]`
    fn index_or_range(&mut self) -> Parsed<Proj> {
        self.lex.bump();
        let lo = match self.lex.peek() {
            ".." => None,
            _ => Some(Box::new(self.expr()?)),
        };
        if self.lex.eat("..") {
            let hi = match self.lex.peek() {
                "]" => None,
                _ => Some(Box::new(self.expr()?)),
            };
            self.lex.expect("]")?;
            return Ok(Proj::Range(lo, hi));
        }
        self.lex.expect("]")?;
        Ok(match lo {
            Some(index) => Proj::Index(index),
            None => Proj::Range(None, None),
        })
    }
}

/// Applies the pending operators of at least this precedence to a value.
fn reduce(mut value: Expr, pending: &mut Vec<Pending>, least: u8) -> Expr {
    while let Some(Pending::Left(_, op)) = pending.last() {
        if syntax::precedence(*op) < least {
            break;
        }
        if let Some(Pending::Left(left, op)) = pending.pop() {
            value = Expr::Binary(op, Box::new(left), Box::new(value));
        }
    }
    value
}

/// The operator of this token.
fn operator(token: &str) -> Option<BinOp> {
    BinOp::ALL.into_iter().find(|op| op.symbol() == token)
}

/// The name of a function in `adjoint_runtime::partial`, as the rules name it.
fn partial_name(name: &str) -> Option<&'static str> {
    let intrinsics = Intrinsic::ALL.iter().flat_map(|&op| rules::intrinsic(op));
    let operators = BinOp::ALL.into_iter().filter_map(rules::binary).flatten();
    intrinsics
        .chain(operators)
        .flat_map(Partial::factors)
        .find_map(|partial| match *partial {
            Partial::Function(known, _) if known == name => Some(known),
            _ => None,
        })
}
