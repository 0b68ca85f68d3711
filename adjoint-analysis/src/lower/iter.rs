//! Iterators as random-access producers: a length, and the item of each position.
//!
//! `for` and the consumers become counted loops over the positions. Nothing of an iterator is left
//! in the IR.

use std::rc::Rc;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::closure::Callable;
use super::raw::{LabelId, Raw};
use super::reference::is_list;
use super::value::{Value, usize_lit};
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::stmt::Rev;
use crate::ir::{BinOp, Expr, LoopHead, Place, Range, VarId};
use crate::refuse::Reason;

/// Methods that make an iterator of a sequence.
const SOURCES: &[&str] = &[
    "iter",
    "iter_mut",
    "into_iter",
    "chunks",
    "chunks_mut",
    "chunks_exact",
    "chunks_exact_mut",
    "windows",
];

/// Where the items of an iterator come from.
#[derive(Clone, Debug)]
pub enum Producer {
    /// A range of integers; no upper bound for `lo..`.
    Range(Bounds),
    /// The elements of a sequence, by reference (and whether by `&mut`) or by value.
    Elements(Place, Option<bool>),
    /// `chunks_exact(n)`, `chunks(n)` and their `_mut` forms.
    Chunks {
        of: Place,
        size: Expr,
        exact: bool,
        mutable: bool,
    },
    /// `windows(n)`
    Windows { of: Place, size: Expr },
    /// References that stand in an array.
    Listed(Vec<Value>),
    /// Items in pairs.
    Zip(Rc<Producer>, Rc<Producer>),
    /// Items with their positions.
    Enumerate(Rc<Producer>),
    /// Items through a function.
    Map(Rc<Producer>, Callable),
    /// Items by value.
    Copied(Rc<Producer>),
    /// Last first.
    Rev(Rc<Producer>),
    /// All but the first ones.
    Skip(Rc<Producer>, Expr),
    /// The first ones.
    Take(Rc<Producer>, Expr),
    /// Each n-th.
    StepBy(Rc<Producer>, Expr),
}

/// A range as it stands in the source.
#[derive(Clone, Debug)]
pub struct Bounds {
    lo: Expr,
    hi: Option<Expr>,
    inclusive: bool,
    step: Option<Expr>,
    rev: Rev,
    ty: Ty,
}

impl Lower {
    /// `lo..hi`, `lo..=hi`, `lo..`
    pub fn range_value(&mut self, r: &syn::ExprRange) -> Value {
        let span = r.span();
        let mut ends = self
            .operands(r.start.as_deref().into_iter().chain(r.end.as_deref()))
            .into_iter();
        let lo = match (&r.start, &r.end) {
            (Some(_), _) => ends.next().unwrap_or(Value::Never),
            // `..hi` is a part of a sequence, never iterated over.
            (None, Some(_)) => Value::Expr(usize_lit(0), Ty::USIZE),
            (None, None) => {
                return self.refuse(span, Reason::Iterator("a range without a start".into()));
            }
        };
        if matches!(lo, Value::Never) {
            return Value::Never;
        }
        let (lo, ty) = self.read(lo, span);
        let hi = ends.next().map(|hi| {
            let (hi, hi_ty) = self.read(hi, span);
            self.unify(&ty, &hi_ty);
            hi
        });
        let lo = self.fix(lo, ty.clone(), span);
        let hi = hi.map(|hi| self.fix(hi, ty.clone(), span));
        let inclusive = matches!(r.limits, syn::RangeLimits::Closed(_));
        let bounds = Bounds {
            lo,
            hi,
            inclusive,
            step: None,
            rev: Rev::No,
            ty,
        };
        Value::Iter(Rc::new(Producer::Range(bounds)))
    }

    /// The bounds of a range that stands for a part of a sequence.
    pub fn range_bounds(&mut self, range: &Value, of: &Place, span: Span) -> Option<(Expr, Expr)> {
        let Value::Iter(producer) = range else {
            self.refuse_use(range, span, Reason::Iterator("this value".into()));
            return None;
        };
        let Producer::Range(b) = &**producer else {
            return None;
        };
        self.unify(&b.ty, &Ty::USIZE);
        let hi = match (&b.hi, b.inclusive) {
            (None, _) => Expr::Len(of.clone()),
            (Some(hi), false) => hi.clone(),
            (Some(hi), true) => binary(BinOp::Add, hi.clone(), usize_lit(1)),
        };
        Some((b.lo.clone(), self.fix(hi, Ty::USIZE, span)))
    }

    /// The iterator that a value is, as `for` takes it.
    pub fn producer(&mut self, value: Value, span: Span) -> Option<Rc<Producer>> {
        match value {
            Value::Iter(p) => Some(p),
            Value::View(p, mutable) if self.sequence(&p) => {
                let p = self.unboxed(&p);
                let p = self.settle(p, span);
                Some(Rc::new(Producer::Elements(p, Some(mutable))))
            }
            Value::Never => None,
            Value::Tuple(parts) if is_list(&parts) => {
                let parts = parts.into_iter().map(|p| self.pin(p, span)).collect();
                Some(Rc::new(Producer::Listed(parts)))
            }
            Value::Place(p) if self.sequence(&p) => {
                let p = self.unboxed(&p);
                let p = self.settle(p, span);
                let p = match self.shallow(&p.ty) {
                    // What the loop changes of the array, the iterator does not see.
                    Ty::Array(..) if !self.is_fixed(&p) => {
                        let ty = p.ty.clone();
                        self.temp(span, "items", Expr::Read(p), ty)
                    }
                    _ => p,
                };
                Some(Rc::new(Producer::Elements(p, None)))
            }
            Value::Expr(e, ty) if ty.element().is_some() => {
                let place = self.temp(span, "items", e, ty);
                Some(Rc::new(Producer::Elements(place, None)))
            }
            other => {
                self.refuse_use(&other, span, Reason::Iterator("this value".into()));
                None
            }
        }
    }

    fn sequence(&self, place: &Place) -> bool {
        let place = self.unboxed(place);
        self.shallow(&place.ty).element().is_some()
    }

    /// Iterator adapters and consumers; `None` if the method is none.
    pub fn iterator_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let span = m.method.span();
        if let Value::Iter(p) = receiver {
            return Some(self.adapter(name, p.clone(), m, span));
        }
        if let (Value::Tuple(parts), "iter" | "iter_mut" | "into_iter") = (receiver, name)
            && is_list(parts)
        {
            return self.producer(receiver.clone(), span).map(Value::Iter);
        }
        let (Value::Place(place) | Value::View(place, _)) = receiver else {
            return None;
        };
        let place = self.unboxed(place);
        self.shallow(&place.ty).element()?;
        if !matches!(name, "map") && !SOURCES.contains(&name) {
            return None;
        }
        let place = self.settle(place, span);
        let size = |l: &mut Self| m.args.first().map(|e| l.bound(e));
        let mutable = name.ends_with("_mut");
        let producer = match name {
            "iter" | "iter_mut" => Producer::Elements(place, Some(mutable)),
            "into_iter" => {
                return self.producer(receiver.clone(), span).map(Value::Iter);
            }
            "chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut" => {
                let size = size(self)?;
                Producer::Chunks {
                    of: place,
                    size,
                    exact: name.contains("exact"),
                    mutable,
                }
            }
            "windows" => Producer::Windows {
                of: place,
                size: size(self)?,
            },
            "map" if matches!(self.shallow(&place.ty), Ty::Array(..)) => {
                return Some(self.array_map(&place, m, span));
            }
            _ => return None,
        };
        Some(Value::Iter(Rc::new(producer)))
    }

    fn adapter(
        &mut self,
        name: &str,
        p: Rc<Producer>,
        m: &syn::ExprMethodCall,
        span: Span,
    ) -> Value {
        let arg = m.args.first();
        let adapted = match (name, arg) {
            ("iter" | "into_iter", None) => return Value::Iter(p),
            ("skip" | "step_by" | "count", _) if self.has_effects(&p) => {
                return self.refuse(
                    span,
                    Reason::Iterator(format!("a closure that writes, through `{name}`")),
                );
            }
            ("zip", Some(other)) => {
                let other = self.expr(other);
                let Some(other) = self.producer(other, span) else {
                    return Value::Never;
                };
                if self.has_effects(&p) || self.has_effects(&other) {
                    let what = "a closure that writes, through `zip`";
                    return self.refuse(span, Reason::Iterator(what.into()));
                }
                Producer::Zip(p, other)
            }
            ("enumerate", None) => Producer::Enumerate(p),
            ("copied" | "cloned", None) => Producer::Copied(p),
            ("map", Some(f)) => {
                let Some(f) = self.callable(f) else {
                    return Value::Never;
                };
                Producer::Map(p, f)
            }
            ("rev", None) => self.reversed(&p),
            ("step_by", Some(n)) => {
                let n = self.bound(n);
                stepped(&p, n)
            }
            ("skip", Some(n)) => Producer::Skip(p, self.bound(n)),
            ("take", Some(n)) => Producer::Take(p, self.bound(n)),
            _ => return self.consumer(name, p, m, span),
        };
        Value::Iter(Rc::new(adapted))
    }

    fn reversed(&mut self, p: &Rc<Producer>) -> Producer {
        match &**p {
            Producer::Range(b) if matches!(b.rev, Rev::No) && b.hi.is_some() => {
                let rev = if b.step.is_some() {
                    Rev::AfterStep
                } else {
                    Rev::BeforeStep
                };
                Producer::Range(Bounds { rev, ..b.clone() })
            }
            _ => Producer::Rev(p.clone()),
        }
    }

    // Positions.

    /// The loop over a producer: its index variable, its range, and whether the index is the item.
    pub fn counted(&mut self, p: &Producer, name: &str, span: Span) -> (VarId, Range, bool) {
        if let Producer::Range(Bounds {
            lo,
            hi: Some(hi),
            inclusive,
            step,
            rev,
            ty,
        }) = p
        {
            let var = self.new_var(name, ty.clone(), Origin::Index);
            let range = Range {
                lo: lo.clone(),
                hi: hi.clone(),
                inclusive: *inclusive,
                step: step.clone(),
                rev: *rev,
                ty: ty.clone(),
            };
            return (var, range, true);
        }
        let n = self.length(p);
        let n = self.fix(n, Ty::USIZE, span);
        let var = self.new_var("k", Ty::USIZE, Origin::Index);
        (var, upto(n), false)
    }

    /// How many items there are.
    pub fn length(&mut self, p: &Producer) -> Expr {
        match p {
            Producer::Range(b) => match &b.hi {
                Some(hi) => range_len(b, hi),
                None => Expr::Lit(usize::MAX.to_string(), Ty::USIZE),
            },
            Producer::Elements(place, _) => Expr::Len(place.clone()),
            Producer::Listed(parts) => usize_lit(parts.len()),
            Producer::Chunks {
                of, size, exact, ..
            } => {
                let len = Expr::Len(of.clone());
                match exact {
                    true => binary(BinOp::Div, len, size.clone()),
                    false => Expr::Discrete("div_ceil".into(), vec![len, size.clone()], Ty::USIZE),
                }
            }
            Producer::Windows { of, size } => {
                let more = binary(BinOp::Add, Expr::Len(of.clone()), usize_lit(1));
                saturating_sub(more, size.clone())
            }
            Producer::Zip(a, b) => {
                let (a, b) = match (unbounded(a), unbounded(b)) {
                    (true, _) => return self.length(b),
                    (_, true) => return self.length(a),
                    _ => (self.length(a), self.length(b)),
                };
                Expr::Discrete("min".into(), vec![a, b], Ty::USIZE)
            }
            Producer::Enumerate(p)
            | Producer::Map(p, _)
            | Producer::Copied(p)
            | Producer::Rev(p) => self.length(p),
            Producer::Skip(p, n) => saturating_sub(self.length(p), n.clone()),
            Producer::Take(p, n) if unbounded(p) => n.clone(),
            Producer::Take(p, n) => {
                let len = self.length(p);
                Expr::Discrete("min".into(), vec![len, n.clone()], Ty::USIZE)
            }
            Producer::StepBy(p, n) => {
                let len = self.length(p);
                Expr::Discrete("div_ceil".into(), vec![len, n.clone()], Ty::USIZE)
            }
        }
    }

    /// The item at a position.
    pub fn item(&mut self, p: &Producer, k: Expr, span: Span) -> Value {
        match p {
            Producer::Range(b) => {
                let value = self.range_item(b, k);
                Value::Expr(value, b.ty.clone())
            }
            Producer::Elements(place, by_ref) => {
                let element = self.element(place, k, span);
                match by_ref {
                    Some(mutable) => Value::View(element, *mutable),
                    None => Value::Place(element),
                }
            }
            Producer::Chunks {
                of,
                size,
                exact,
                mutable,
            } => {
                let lo = binary(BinOp::Mul, k, size.clone());
                let lo = self.fix(lo, Ty::USIZE, span);
                let hi = binary(BinOp::Add, lo.clone(), size.clone());
                let hi = match exact {
                    true => hi,
                    false => {
                        Expr::Discrete("min".into(), vec![hi, Expr::Len(of.clone())], Ty::USIZE)
                    }
                };
                let hi = self.fix(hi, Ty::USIZE, span);
                Value::View(self.slice(of, Some(lo), Some(hi), span), *mutable)
            }
            Producer::Windows { of, size } => {
                let hi = binary(BinOp::Add, k.clone(), size.clone());
                let hi = self.fix(hi, Ty::USIZE, span);
                Value::View(self.slice(of, Some(k), Some(hi), span), false)
            }
            Producer::Listed(parts) => self.choose(parts, k, span),
            Producer::Zip(a, b) => {
                Value::Tuple(vec![self.item(a, k.clone(), span), self.item(b, k, span)])
            }
            Producer::Enumerate(p) => {
                let item = self.item(p, k.clone(), span);
                Value::Tuple(vec![Value::Expr(k, Ty::USIZE), item])
            }
            Producer::Map(p, f) => {
                let item = self.item(p, k, span);
                self.apply(f, vec![item], span)
            }
            Producer::Copied(p) => match self.item(p, k, span) {
                Value::View(p, _) => Value::Place(p),
                other => other,
            },
            Producer::Rev(p) => {
                let len = self.length(p);
                let last = binary(BinOp::Sub, len, usize_lit(1));
                let at = self.fix(binary(BinOp::Sub, last, k), Ty::USIZE, span);
                self.item(p, at, span)
            }
            Producer::Skip(p, n) => {
                let at = self.fix(binary(BinOp::Add, k, n.clone()), Ty::USIZE, span);
                self.item(p, at, span)
            }
            Producer::Take(p, _) => self.item(p, k, span),
            Producer::StepBy(p, n) => {
                let at = self.fix(binary(BinOp::Mul, k, n.clone()), Ty::USIZE, span);
                self.item(p, at, span)
            }
        }
    }

    fn range_item(&mut self, b: &Bounds, k: Expr) -> Expr {
        let cast = |e: Expr, ty: &Ty| match ty {
            ty if *ty == Ty::USIZE => e,
            ty => Expr::Cast(Box::new(e), ty.clone()),
        };
        let offset = match &b.step {
            Some(step) => binary(BinOp::Mul, k, step.clone()),
            None => k,
        };
        let offset = cast(offset, &b.ty);
        match (b.rev, &b.hi) {
            (Rev::No, _) | (_, None) => binary(BinOp::Add, b.lo.clone(), offset),
            (Rev::BeforeStep, Some(hi)) => {
                let one = Expr::Lit("1".into(), b.ty.clone());
                let first = if b.inclusive {
                    hi.clone()
                } else {
                    binary(BinOp::Sub, hi.clone(), one)
                };
                binary(BinOp::Sub, first, offset)
            }
            (Rev::AfterStep, Some(hi)) => {
                let n = range_len(b, hi);
                let last = binary(BinOp::Sub, n, usize_lit(1));
                let step = b.step.clone().unwrap_or_else(|| usize_lit(1));
                let last = binary(
                    BinOp::Add,
                    b.lo.clone(),
                    cast(binary(BinOp::Mul, last, step), &b.ty),
                );
                binary(BinOp::Sub, last, offset)
            }
        }
    }

    /// A counted loop over `0..n` around what `body` writes.
    pub fn each(&mut self, n: Expr, span: Span, body: impl FnOnce(&mut Self, Expr)) {
        let var = self.new_var("k", Ty::USIZE, Origin::Index);
        let (raws, ()) = self.in_block(|l| {
            let k = Expr::Read(l.func.place(var));
            body(l, k);
        });
        let (id, end) = (self.stmt_id(span), self.fresh_label());
        self.out
            .push(Raw::Loop(id, LoopHead::Counted(var, upto(n)), end, raws));
    }

    // Consumers.

    fn consumer(
        &mut self,
        name: &str,
        p: Rc<Producer>,
        m: &syn::ExprMethodCall,
        span: Span,
    ) -> Value {
        let args: Vec<&syn::Expr> = m.args.iter().collect();
        match (name, args.as_slice()) {
            ("sum", []) => {
                let ty = self.turbofish(m);
                self.accumulate(&p, BinOp::Add, ty, span)
            }
            ("product", []) => {
                let ty = self.turbofish(m);
                self.accumulate(&p, BinOp::Mul, ty, span)
            }
            ("count" | "len", []) => Value::Expr(self.length(&p), Ty::USIZE),
            ("fold", [init, f]) => {
                let init = self.expr(init);
                match self.callable(f) {
                    Some(f) => self.fold(&p, init, &f, span),
                    None => Value::Never,
                }
            }
            ("all", [f]) => self.quantifier(&p, f, false, span),
            ("any", [f]) => self.quantifier(&p, f, true, span),
            ("collect", []) => self.collect(&p, m, span),
            ("for_each", [f]) => {
                let Some(f) = self.callable(f) else {
                    return Value::Never;
                };
                self.over(&p, span, |l, item| {
                    l.apply(&f, vec![item], span);
                });
                Value::Unit
            }
            _ => self.refuse(
                span,
                Reason::Iterator(format!("an iterator through `{name}`")),
            ),
        }
    }

    fn turbofish(&mut self, m: &syn::ExprMethodCall) -> Ty {
        let ty = m.turbofish.as_ref().and_then(|t| match t.args.first() {
            Some(syn::GenericArgument::Type(ty)) => Some(self.named_type(ty)),
            _ => None,
        });
        match ty {
            Some(Ty::Unknown) | None => self.fresh(),
            Some(ty) => ty,
        }
    }

    /// A loop over the items.
    pub fn over(&mut self, p: &Producer, span: Span, body: impl FnOnce(&mut Self, Value)) {
        let (var, range, direct) = self.counted(p, "k", span);
        let end = self.fresh_label();
        self.ends.push(end);
        let (raws, ()) = self.in_block(|l| {
            let index = Expr::Read(l.func.place(var));
            let item = match direct {
                true => Value::Place(l.func.place(var)),
                false => l.item(p, index, span),
            };
            body(l, item);
        });
        self.ends.pop();
        let id = self.stmt_id(span);
        self.out
            .push(Raw::Loop(id, LoopHead::Counted(var, range), end, raws));
    }

    /// The end of the consumer's loop being written.
    fn current_end(&self) -> LabelId {
        self.ends.last().copied().unwrap_or(self.function_label)
    }

    /// `sum` and `product`. The empty sum of reals is −0.0, as in std.
    fn accumulate(&mut self, p: &Producer, op: BinOp, ty: Ty, span: Span) -> Value {
        let text = match op {
            BinOp::Add => "-0.0",
            _ => "1.0",
        };
        let acc = self.temp(span, "acc", Expr::Lit(text.into(), ty.clone()), ty.clone());
        self.over(p, span, |l, item| {
            let (e, found) = l.read(item, span);
            l.unify(&ty, &found);
            l.update(op, acc.clone(), e, span);
        });
        Value::Place(acc)
    }

    /// `all` and `any`: the loop ends at the first item that decides.
    fn quantifier(&mut self, p: &Producer, f: &syn::Expr, any: bool, span: Span) -> Value {
        let Some(f) = self.callable(f) else {
            return Value::Never;
        };
        let truth = |b: bool| Expr::Lit(b.to_string(), Ty::Bool);
        let found = self.temp(span, "found", truth(!any), Ty::Bool);
        self.over(p, span, |l, item| {
            let test = l.apply(&f, vec![item], span);
            let (test, ty) = l.read(test, span);
            l.unify(&ty, &Ty::Bool);
            let (mut decided, ()) = l.in_block(|l| {
                l.emit(span, StmtKind::Assign(found.clone(), truth(any)));
            });
            decided.push(Raw::Exit(l.current_end()));
            let id = l.stmt_id(span);
            let (then, els) = if any {
                (decided, Vec::new())
            } else {
                (Vec::new(), decided)
            };
            l.out.push(Raw::If(id, test, then, els));
        });
        Value::Place(found)
    }

    /// `collect` into a `Vec`, by turbofish or by the annotation of the `let`.
    fn collect(&mut self, p: &Producer, m: &syn::ExprMethodCall, span: Span) -> Value {
        let element = self.fresh();
        let ty = Ty::Vec(Box::new(element.clone()));
        let target = match &m.turbofish {
            Some(_) => self.turbofish(m),
            None => self.expected.take().unwrap_or(Ty::Unknown),
        };
        if !matches!(target, Ty::Vec(_)) {
            let what =
                "a `collect` into anything but a `Vec` named by `collect::<Vec<_>>()` or the `let`";
            return self.refuse(span, Reason::Expression(what.into()));
        }
        self.unify(&ty, &target);
        let n = self.length(p);
        let n = self.fix(n, Ty::USIZE, span);
        let blank = Expr::Lit("0.0".into(), element);
        let all = self.temp(
            span,
            "all",
            Expr::Repeat(Box::new(blank), Box::new(n.clone()), ty.clone()),
            ty,
        );
        self.each(n, span, |l, k| {
            let item = l.item(p, k.clone(), span);
            let target = l.element(&all, k, span);
            l.store(Value::Place(target), item, span);
        });
        Value::Place(all)
    }

    /// Whether items are made by a closure that writes what it captures: such an iterator is the same
    /// as its items only if each of them is asked for, in order.
    pub fn has_effects(&self, p: &Producer) -> bool {
        match p {
            Producer::Range(_)
            | Producer::Elements(..)
            | Producer::Listed(_)
            | Producer::Chunks { .. }
            | Producer::Windows { .. } => false,
            Producer::Map(p, f) => f.writes() || self.has_effects(p),
            Producer::Zip(a, b) => self.has_effects(a) || self.has_effects(b),
            Producer::Enumerate(p)
            | Producer::Copied(p)
            | Producer::Rev(p)
            | Producer::Skip(p, _)
            | Producer::Take(p, _)
            | Producer::StepBy(p, _) => self.has_effects(p),
        }
    }

    fn fold(&mut self, p: &Producer, init: Value, f: &Callable, span: Span) -> Value {
        let acc = self.stored(init, span);
        self.over(p, span, |l, item| {
            let value = l.apply(f, vec![acc.clone(), item], span);
            if !matches!(value, Value::Never) {
                l.store(acc.clone(), value, span);
            }
        });
        acc
    }

    /// The value in variables of its own.
    fn stored(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Tuple(parts) => {
                Value::Tuple(parts.into_iter().map(|p| self.stored(p, span)).collect())
            }
            value => {
                let (e, ty) = self.read(value, span);
                Value::Place(self.temp(span, "acc", e, ty))
            }
        }
    }

    /// `[..].map(f)`
    fn array_map(&mut self, place: &Place, m: &syn::ExprMethodCall, span: Span) -> Value {
        let Some(f) = m.args.first().and_then(|f| self.callable(f)) else {
            return Value::Never;
        };
        let Ty::Array(_, extent) = self.shallow(&place.ty) else {
            return Value::Never;
        };
        let element = self.fresh();
        let ty = Ty::Array(Box::new(element.clone()), extent);
        let var = self.new_var("mapped", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        let out = Place::var(var, ty);
        self.each(Expr::Len(place.clone()), span, |l, k| {
            let item = l.element(place, k.clone(), span);
            let value = l.apply(&f, vec![Value::Place(item)], span);
            let target = l.element(&out, k, span);
            l.store(Value::Place(target), value, span);
        });
        Value::Place(out)
    }
}

fn stepped(p: &Rc<Producer>, n: Expr) -> Producer {
    match &**p {
        Producer::Range(b) if b.step.is_none() && b.hi.is_some() => Producer::Range(Bounds {
            step: Some(n),
            ..b.clone()
        }),
        _ => Producer::StepBy(p.clone(), n),
    }
}

/// `0..n`
fn upto(n: Expr) -> Range {
    Range {
        lo: usize_lit(0),
        hi: n,
        inclusive: false,
        step: None,
        rev: Rev::No,
        ty: Ty::USIZE,
    }
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

fn saturating_sub(a: Expr, b: Expr) -> Expr {
    Expr::Discrete("saturating_sub".into(), vec![a, b], Ty::USIZE)
}

/// The number of values of a range, for the positions of a zipped or enumerated one.
fn range_len(b: &Bounds, hi: &Expr) -> Expr {
    let step = b.step.clone().unwrap_or_else(|| usize_lit(1));
    let inclusive = Expr::Lit(b.inclusive.to_string(), Ty::Bool);
    Expr::Discrete(
        "__trips".into(),
        vec![b.lo.clone(), hi.clone(), inclusive, step],
        Ty::USIZE,
    )
}

fn unbounded(p: &Producer) -> bool {
    match p {
        Producer::Range(b) => b.hi.is_none(),
        Producer::Map(p, _)
        | Producer::Enumerate(p)
        | Producer::Skip(p, _)
        | Producer::StepBy(p, _) => unbounded(p),
        Producer::Zip(a, b) => unbounded(a) && unbounded(b),
        _ => false,
    }
}
