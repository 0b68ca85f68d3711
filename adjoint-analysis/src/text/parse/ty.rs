//! Parsing of types.

use super::{Parsed, Parser};
use crate::ir::{FloatTy, IntTy, Ty};
use crate::text::syntax;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Ty> {
        match self.lex.peek() {
            "(" => self.tuple_ty(),
            "[" => self.sequence_ty(),
            "_" => {
                self.lex.bump();
                Ok(Ty::Unknown)
            }
            word => self.path_ty(word),
        }
    }

    /// `:{type}`, if it comes next.
    pub(super) fn annotation(&mut self) -> Parsed<Option<Ty>> {
        if !self.lex.eat_raw(":{") {
            return Ok(None);
        }
        let ty = self.ty()?;
        self.lex.expect("}")?;
        Ok(Some(ty))
    }

    /// `:{type}`, which must come next.
    pub(super) fn result_ty(&mut self) -> Parsed<Ty> {
        match self.annotation()? {
            Some(ty) => Ok(ty),
            None => self.lex.expected("a type, such as `:{f64}`"),
        }
    }

    /// `()`, `(,)`, `(a,)`, `(a, b)`
    fn tuple_ty(&mut self) -> Parsed<Ty> {
        self.lex.bump();
        if self.lex.eat(")") {
            return Ok(Ty::Unit);
        }
        if self.lex.eat(",") {
            self.lex.expect(")")?;
            return Ok(Ty::Tuple(Vec::new()));
        }
        Ok(Ty::Tuple(self.list(")", |p| p.ty())?))
    }

    /// `[a]`, `[a; N]`
    fn sequence_ty(&mut self) -> Parsed<Ty> {
        self.lex.bump();
        let element = Box::new(self.ty()?);
        if self.lex.eat("]") {
            return Ok(Ty::Slice(element));
        }
        self.lex.expect(";")?;
        let extent = self.extent()?;
        self.lex.expect("]")?;
        Ok(Ty::Array(element, extent))
    }

    /// The extent of an array, up to its closing bracket.
    pub(super) fn extent(&mut self) -> Parsed<String> {
        if self.lex.peek() == "\"" {
            return self.lex.quoted('"');
        }
        let rest = self.lex.rest();
        let bytes = syntax::extent_len(rest);
        self.lex.advance(bytes);
        Ok(rest[..bytes].to_string())
    }

    fn path_ty(&mut self, word: &str) -> Parsed<Ty> {
        let after = &self.lex.rest()[word.len()..];
        if after.trim_start().starts_with('"') {
            let kind: fn(String) -> Ty = match word {
                "discrete" => Ty::Discrete,
                "named" => Ty::Named,
                "real" => |name| Ty::Float(FloatTy::Param(name)),
                _ => return self.lex.expected("`discrete`, `named` or `real`"),
            };
            self.lex.bump();
            return Ok(kind(self.lex.quoted('"')?));
        }
        if after.starts_with('<') {
            let around: Option<fn(Box<Ty>) -> Ty> = match word {
                "Vec" => Some(Ty::Vec),
                "Box" => Some(Ty::Boxed),
                "Option" => Some(Ty::Option),
                _ => None,
            };
            if word == "Result" {
                self.lex.bump();
                self.lex.eat_raw("<");
                let ok = Box::new(self.ty()?);
                self.lex.expect(",")?;
                let err = Box::new(self.ty()?);
                if !self.lex.eat_raw(">") {
                    return self.lex.expected("`>`");
                }
                return Ok(Ty::Result(ok, err));
            }
            if let Some(around) = around {
                self.lex.bump();
                self.lex.eat_raw("<");
                let inner = self.ty()?;
                if !self.lex.eat_raw(">") {
                    return self.lex.expected("`>`");
                }
                return Ok(around(Box::new(inner)));
            }
        }
        if let Some(ty) = scalar(word).filter(|_| !after.starts_with("::")) {
            self.lex.bump();
            return Ok(ty);
        }
        if syntax::ident_len(self.lex.rest()) == 0 {
            return self.lex.expected("a type");
        }
        let path = self.lex.path()?;
        Ok(match self.floats.contains(&path) {
            true => Ty::Float(FloatTy::Param(path)),
            false => Ty::Named(path),
        })
    }
}

/// The scalar type of this name, if there is one.
pub(super) fn scalar(name: &str) -> Option<Ty> {
    match name {
        "f32" => Some(Ty::Float(FloatTy::F32)),
        "f64" => Some(Ty::F64),
        "bool" => Some(Ty::Bool),
        name => IntTy::from_name(name).map(Ty::Int),
    }
}
