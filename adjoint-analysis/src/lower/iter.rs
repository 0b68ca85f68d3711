//! Iterators as random-access producers: a length, and the item of each position.
//!
//! `for` and the consumers become counted loops over the positions; what has no positions is code
//! around such a loop ([`super::stream`]). Nothing of an iterator is left in the IR.

use std::rc::Rc;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::closure::Callable;
use super::raw::{LabelId, Raw};
use super::reference::is_list;
use super::stream::is_stream;
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
    "rchunks",
    "rchunks_mut",
    "windows",
];

/// Methods after which an iterator goes on behind the item that they found.
const ADVANCING: &[&str] = &[
    "next",
    "next_back",
    "nth",
    "nth_back",
    "peek",
    "by_ref",
    "all",
    "any",
    "find",
    "find_map",
    "position",
    "try_fold",
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
    /// `rchunks(n)` and `rchunks_mut(n)`
    ChunksFromEnd {
        of: Place,
        size: Expr,
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
    /// The items from a position that `next` moves, which a variable holds.
    Cursor(Rc<Producer>, Place),
    /// All items again and again.
    Cycle(Rc<Producer>),
    /// One value again and again.
    Repeat(Box<Value>),
    /// One value.
    Once(Box<Value>),
    /// Nothing.
    Empty,
    /// The items for which the function says yes.
    Filter(Rc<Producer>, Callable),
    /// What the function makes of items, where it makes something.
    FilterMap(Rc<Producer>, Callable),
    /// The items of what the function makes of items, or of the items; whether these are reversed.
    FlatMap(Rc<Producer>, Option<Callable>, bool),
    /// The items of both.
    Chain(Rc<Producer>, Rc<Producer>),
    /// The items before the first for which the function says no.
    TakeWhile(Rc<Producer>, Callable),
    /// The items from the first for which the function says no.
    SkipWhile(Rc<Producer>, Callable),
    /// What the function makes of items, until it makes nothing.
    MapWhile(Rc<Producer>, Callable),
    /// What the function makes of a state and the items, until it makes nothing.
    Scan(Rc<Producer>, Box<Value>, Callable),
    /// The items, which a function sees on their way.
    Inspect(Rc<Producer>, Callable),
    /// An item, and each time what the function makes of the last one.
    Successors(Box<Value>, Callable),
    /// What the function makes, until it makes nothing.
    FromFn(Callable),
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
            Value::Expr(e, ty) if self.shallow(&ty).element().is_some() => {
                let value = self.table(Value::Expr(e, ty), span);
                if let Value::View(p, _) = value {
                    return Some(Rc::new(Producer::Elements(p, None)));
                }
                let (e, ty) = self.read(value, span);
                let place = self.temp(span, "items", e, ty);
                Some(Rc::new(Producer::Elements(place, None)))
            }
            Value::Expr(Expr::Code(..), _) => match self.table(value, span) {
                Value::View(p, _) => {
                    let element = self.fresh();
                    self.infer.index(&p.ty, &element);
                    Some(Rc::new(Producer::Elements(p, Some(false))))
                }
                other => {
                    self.refuse_use(&other, span, Reason::Iterator("this value".into()));
                    None
                }
            },
            Value::View(p, mutable) if self.may_be_sequence(&p) => {
                let element = self.fresh();
                self.infer.index(&p.ty, &element);
                let p = self.settle(p, span);
                Some(Rc::new(Producer::Elements(p, Some(mutable))))
            }
            Value::Place(p) if self.may_be_sequence(&p) => {
                let element = self.fresh();
                self.infer.index(&p.ty, &element);
                let p = self.settle(p, span);
                Some(Rc::new(Producer::Elements(p, None)))
            }
            other => {
                self.refuse_use(&other, span, Reason::Iterator("this value".into()));
                None
            }
        }
    }

    /// Whether the place is of a type that is not known yet, but no number.
    fn may_be_sequence(&self, place: &Place) -> bool {
        matches!(self.shallow(&place.ty), Ty::Infer(_)) && !self.infer.is_number(&place.ty)
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
            let named = matches!(super::expr::strip_parens(&m.receiver), syn::Expr::Path(_));
            if let (Producer::Cursor(p, at), "next" | "peek") = (&**p, name) {
                return Some(self.next_item(p, at, name == "next", span));
            }
            if named && ADVANCING.contains(&name) {
                let what = format!("an iterator with a name that `{name}` advances");
                return Some(self.refuse(span, Reason::Iterator(what)));
            }
            return Some(self.adapter(name, p.clone(), m, span));
        }
        if let (Value::Tuple(parts), "iter" | "iter_mut" | "into_iter") = (receiver, name)
            && is_list(parts)
        {
            return self.producer(receiver.clone(), span).map(Value::Iter);
        }
        if !matches!(name, "map") && !SOURCES.contains(&name) {
            return None;
        }
        let place = self.iterated(name, receiver, span)?;
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
            "rchunks" | "rchunks_mut" => Producer::ChunksFromEnd {
                of: place,
                size: size(self)?,
                mutable,
            },
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

    /// The place of the sequence whose items are asked for.
    fn iterated(&mut self, name: &str, receiver: &Value, span: Span) -> Option<Place> {
        let table = self.table(receiver.clone(), span);
        let place = match table {
            Value::Place(place) | Value::View(place, _) => place,
            Value::Expr(e, ty) if self.shallow(&ty).element().is_some() => {
                self.temp(span, "items", e, ty)
            }
            _ => return None,
        };
        let place = self.unboxed(&place);
        match self.shallow(&place.ty) {
            ty if ty.element().is_some() => Some(place),
            // Only sequences have items that can be had by reference.
            Ty::Infer(_) if name != "map" && !self.infer.is_number(&place.ty) => {
                let element = self.fresh();
                self.infer.index(&place.ty, &element);
                Some(place)
            }
            Ty::Named(of) if name != "map" && !self.env.receivers.contains_key(name) => {
                self.demand("sequence", &of, span);
                let element = self.infer.declared_elsewhere();
                Some(Place {
                    ty: Ty::Slice(Box::new(element)),
                    ..place
                })
            }
            _ => None,
        }
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
            ("iter" | "into_iter" | "fuse" | "peekable", None) => return Value::Iter(p),
            ("clone", None) => match &*p {
                Producer::Cursor(p, at) => {
                    let at = self.temp(span, "at", Expr::Read(at.clone()), Ty::USIZE);
                    Producer::Skip(p.clone(), Expr::Read(at))
                }
                _ => return Value::Iter(p),
            },
            ("skip" | "step_by" | "count", _) if !is_stream(&p) && self.has_effects(&p) => {
                return self.refuse(
                    span,
                    Reason::Iterator(format!("a closure that writes, through `{name}`")),
                );
            }
            ("zip", Some(other)) => {
                let other = self.expr(other);
                return self.zipped(p, other, span);
            }
            ("enumerate", None) => Producer::Enumerate(p),
            ("copied" | "cloned", None) => Producer::Copied(p),
            ("rev", None) => self.reversed(&p),
            ("step_by", Some(n)) => {
                let n = self.bound(n);
                stepped(&p, n)
            }
            ("skip", Some(n)) => Producer::Skip(p, self.bound(n)),
            ("take", Some(n)) => Producer::Take(p, self.bound(n)),
            ("cycle", None) if !is_stream(&p) => Producer::Cycle(p),
            ("flatten", None) => Producer::FlatMap(p, None, false),
            ("chain", Some(other)) => {
                let other = self.expr(other);
                let Some(other) = self.producer(other, span) else {
                    return Value::Never;
                };
                Producer::Chain(p, other)
            }
            ("scan", Some(init)) if m.args.len() == 2 => {
                let init = self.expr(init);
                let init = self.pin(init, span);
                let Some(f) = self.callable(&m.args[1]) else {
                    return Value::Never;
                };
                Producer::Scan(p, Box::new(init), f)
            }
            ("remainder", None) => return self.remainder(&p, span),
            ("contains", Some(x)) => {
                if let Producer::Range(bounds) = &*p {
                    return self.contains(bounds, x, span);
                }
                return self.refuse(span, Reason::Method(name.into()));
            }
            ("sum" | "product" | "fold", _) | (_, None) => return self.consumer(name, p, m, span),
            (_, Some(f)) => match self.through(name, &p, f) {
                Some(adapted) => adapted,
                None => return self.consumer(name, p, m, span),
            },
        };
        Value::Iter(Rc::new(adapted))
    }

    /// The adapters whose argument is a function.
    fn through(&mut self, name: &str, p: &Rc<Producer>, f: &syn::Expr) -> Option<Producer> {
        let make = match name {
            "map" => Producer::Map,
            "filter" => Producer::Filter,
            "filter_map" => Producer::FilterMap,
            "flat_map" => |p, f| Producer::FlatMap(p, Some(f), false),
            "take_while" => Producer::TakeWhile,
            "skip_while" => Producer::SkipWhile,
            "map_while" => Producer::MapWhile,
            "inspect" => Producer::Inspect,
            _ => return None,
        };
        // A callee that was refused stands for nothing.
        let f = self.callable(f);
        Some(f.map_or(Producer::Empty, |f| make(p.clone(), f)))
    }

    /// `a.zip(b)`
    pub fn zipped(&mut self, p: Rc<Producer>, other: Value, span: Span) -> Value {
        let Some(other) = self.producer(other, span) else {
            return Value::Never;
        };
        let both = is_stream(&p) && is_stream(&other);
        if both || self.has_effects(&p) || self.has_effects(&other) {
            let what = match both {
                true => "two iterators without positions in pairs",
                false => "a closure that writes, through `zip`",
            };
            return self.refuse(span, Reason::Iterator(what.into()));
        }
        Value::Iter(Rc::new(Producer::Zip(p, other)))
    }

    /// `chunks_exact(n).remainder()`: what is behind the last whole chunk.
    fn remainder(&mut self, p: &Producer, span: Span) -> Value {
        let Producer::Chunks {
            of,
            size,
            exact: true,
            mutable,
        } = p
        else {
            return self.refuse(span, Reason::Method("remainder".into()));
        };
        let whole = binary(BinOp::Div, Expr::Len(of.clone()), size.clone());
        let lo = self.fix(binary(BinOp::Mul, whole, size.clone()), Ty::USIZE, span);
        Value::View(self.slice(of, Some(lo), None, span), *mutable)
    }

    /// `(lo..hi).contains(&x)`
    fn contains(&mut self, b: &Bounds, x: &syn::Expr, span: Span) -> Value {
        let x = self.expr(x);
        let (x, ty) = self.read(x, span);
        self.unify(&ty, &b.ty);
        let upper = if b.inclusive { BinOp::Le } else { BinOp::Lt };
        let above = binary(BinOp::Ge, x.clone(), b.lo.clone());
        let test = match &b.hi {
            Some(hi) => binary(BinOp::And, above, binary(upper, x, hi.clone())),
            None => above,
        };
        Value::Expr(test, Ty::Bool)
    }

    /// A range, last number first.
    pub fn reversed_range(&mut self, p: &Rc<Producer>, b: &Bounds) -> Producer {
        if !matches!(b.rev, Rev::No) || b.hi.is_none() {
            return Producer::Rev(p.clone());
        }
        let rev = if b.step.is_some() {
            Rev::AfterStep
        } else {
            Rev::BeforeStep
        };
        Producer::Range(Bounds { rev, ..b.clone() })
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
                None => endless(),
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
            Producer::ChunksFromEnd { of, size, .. } => {
                let all = vec![Expr::Len(of.clone()), size.clone()];
                Expr::Discrete("div_ceil".into(), all, Ty::USIZE)
            }
            Producer::Windows { of, size } => {
                let more = binary(BinOp::Add, Expr::Len(of.clone()), usize_lit(1));
                saturating_sub(more, size.clone())
            }
            Producer::Zip(a, b) => {
                let (a, b) = match (is_unbounded(a), is_unbounded(b)) {
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
            Producer::Take(p, n) if is_unbounded(p) => n.clone(),
            Producer::Take(p, n) => {
                let len = self.length(p);
                Expr::Discrete("min".into(), vec![len, n.clone()], Ty::USIZE)
            }
            Producer::StepBy(p, n) => {
                let len = self.length(p);
                Expr::Discrete("div_ceil".into(), vec![len, n.clone()], Ty::USIZE)
            }
            Producer::Cursor(p, at) => saturating_sub(self.length(p), Expr::Read(at.clone())),
            Producer::Cycle(p) => {
                let all = vec![self.length(p), endless()];
                Expr::Discrete("saturating_mul".into(), all, Ty::USIZE)
            }
            Producer::Repeat(_) => endless(),
            Producer::Once(_) => usize_lit(1),
            // What has no positions is run over by `drive`.
            _ => usize_lit(0),
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
            Producer::ChunksFromEnd { of, size, mutable } => {
                let behind = binary(BinOp::Mul, k, size.clone());
                let hi = binary(BinOp::Sub, Expr::Len(of.clone()), behind);
                let hi = self.fix(hi, Ty::USIZE, span);
                let lo = self.fix(saturating_sub(hi.clone(), size.clone()), Ty::USIZE, span);
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
            Producer::Copied(p) => Lower::copied(self.item(p, k, span)),
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
            Producer::Cursor(p, from) => {
                let at = binary(BinOp::Add, k, Expr::Read(from.clone()));
                let at = self.fix(at, Ty::USIZE, span);
                self.item(p, at, span)
            }
            Producer::Cycle(p) => {
                let len = self.length(p);
                let at = self.fix(binary(BinOp::Rem, k, len), Ty::USIZE, span);
                self.item(p, at, span)
            }
            Producer::Repeat(value) | Producer::Once(value) => (**value).clone(),
            // What has no positions is run over by `drive`.
            _ => Value::Never,
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
            ("count" | "len", []) if !is_stream(&p) => Value::Expr(self.length(&p), Ty::USIZE),
            ("fold", [init, f]) => {
                let init = self.expr(init);
                match self.callable(f) {
                    Some(f) => self.fold(&p, init, &f, span),
                    None => Value::Never,
                }
            }
            ("collect", []) => self.collect(&p, m, span),
            ("for_each", [f]) => {
                let Some(f) = self.callable(f) else {
                    return Value::Never;
                };
                self.over(&p, span, &mut |l, item, _| {
                    l.apply(&f, vec![item], span);
                });
                Value::Unit
            }
            _ => self.selection(name, &p, &args, span),
        }
    }

    pub fn turbofish(&mut self, m: &syn::ExprMethodCall) -> Ty {
        let ty = m.turbofish.as_ref().and_then(|t| match t.args.first() {
            Some(syn::GenericArgument::Type(ty)) => Some(self.named_type(ty)),
            _ => None,
        });
        match ty {
            Some(Ty::Unknown) | None => self.fresh(),
            Some(ty) => ty,
        }
    }

    /// A loop over the items; the body is given the label of its end.
    pub fn over(
        &mut self,
        p: &Producer,
        span: Span,
        body: &mut dyn FnMut(&mut Self, Value, LabelId),
    ) {
        let end = self.fresh_label();
        self.drive(p, end, span, &mut |l, item| body(l, item, end));
    }

    /// `sum` and `product`. The empty sum of reals is −0.0, as in std.
    fn accumulate(&mut self, p: &Producer, op: BinOp, ty: Ty, span: Span) -> Value {
        let text = match op {
            BinOp::Add => "-0.0",
            _ => "1.0",
        };
        let acc = self.temp(span, "acc", Expr::Lit(text.into(), ty.clone()), ty.clone());
        self.over(p, span, &mut |l, item, _| {
            let (e, found) = l.read(item, span);
            l.unify(&ty, &found);
            l.update(op, acc.clone(), e, span);
        });
        Value::Place(acc)
    }

    /// `collect` into a `Vec`, which is what it is taken for unless a turbofish or an annotation says
    /// otherwise.
    fn collect(&mut self, p: &Rc<Producer>, m: &syn::ExprMethodCall, span: Span) -> Value {
        let target = match (&m.turbofish, self.expected.take()) {
            (Some(_), _) => self.turbofish(m),
            (None, Some(ty)) => self.shallow(&ty),
            (None, None) => self.fresh(),
        };
        let element = self.fresh();
        let ty = Ty::Vec(Box::new(element.clone()));
        match &target {
            Ty::Vec(_) | Ty::Infer(_) | Ty::Unknown => self.unify(&ty, &target),
            Ty::Boxed(slice) => self.unify(slice, &Ty::Slice(Box::new(element.clone()))),
            _ => {
                let what = "a `collect` into anything but a `Vec`";
                return self.refuse(span, Reason::Expression(what.into()));
            }
        }
        if is_stream(p) && self.has_effects(p) {
            let what =
                "a closure that writes, through `collect` behind an adapter that leaves items out";
            return self.refuse(span, Reason::Iterator(what.into()));
        }
        let n = match is_stream(p) {
            true => {
                let n = self.count_items(p, span);
                self.read(n, span).0
            }
            false => self.length(p),
        };
        let n = self.fix(n, Ty::USIZE, span);
        let blank = Expr::Lit("0.0".into(), element);
        let all = Expr::Repeat(Box::new(blank), Box::new(n), ty.clone());
        let all = self.temp(span, "all", all, ty);
        let counted = Producer::Enumerate(p.clone());
        self.over(&counted, span, &mut |l, pair, _| {
            let mut pair = l.components(pair, 2, span).into_iter();
            if let (Some(k), Some(item)) = (pair.next(), pair.next()) {
                let (k, _) = l.read(k, span);
                let target = l.element(&all, k, span);
                l.store(Value::Place(target), item, span);
            }
        });
        Value::Place(all)
    }

    /// `unzip` into two `Vec`s.
    pub fn unzip(&mut self, p: &Rc<Producer>, span: Span) -> Value {
        if is_stream(p) {
            let what = "`unzip` behind an adapter that leaves items out";
            return self.refuse(span, Reason::Iterator(what.into()));
        }
        let n = self.length(p);
        let n = self.fix(n, Ty::USIZE, span);
        let halves = [(); 2].map(|()| {
            let element = self.fresh();
            let ty = Ty::Vec(Box::new(element.clone()));
            let blank = Expr::Lit("0.0".into(), element);
            let all = Expr::Repeat(Box::new(blank), Box::new(n.clone()), ty.clone());
            self.temp(span, "half", all, ty)
        });
        self.each(n, span, |l, k| {
            let pair = l.item(p, k.clone(), span);
            for (half, part) in halves.iter().zip(l.components(pair, 2, span)) {
                let target = l.element(half, k.clone(), span);
                l.store(Value::Place(target), part, span);
            }
        });
        Value::Tuple(halves.into_iter().map(Value::Place).collect())
    }

    /// Whether items are made by a closure that writes what it captures: such an iterator is the same
    /// as its items only if each of them is asked for, in order.
    pub fn has_effects(&self, p: &Producer) -> bool {
        match p {
            Producer::Range(_)
            | Producer::Elements(..)
            | Producer::Listed(_)
            | Producer::Chunks { .. }
            | Producer::ChunksFromEnd { .. }
            | Producer::Windows { .. }
            | Producer::Repeat(_)
            | Producer::Once(_)
            | Producer::Empty => false,
            Producer::Map(p, f)
            | Producer::Filter(p, f)
            | Producer::FilterMap(p, f)
            | Producer::TakeWhile(p, f)
            | Producer::SkipWhile(p, f)
            | Producer::MapWhile(p, f)
            | Producer::FlatMap(p, Some(f), _) => f.writes() || self.has_effects(p),
            Producer::Inspect(..) | Producer::FromFn(_) => true,
            Producer::Successors(_, f) => f.writes(),
            Producer::Zip(a, b) | Producer::Chain(a, b) => {
                self.has_effects(a) || self.has_effects(b)
            }
            Producer::FlatMap(p, None, _)
            | Producer::Scan(p, ..)
            | Producer::Cycle(p)
            | Producer::Cursor(p, _)
            | Producer::Enumerate(p)
            | Producer::Copied(p)
            | Producer::Rev(p)
            | Producer::Skip(p, _)
            | Producer::Take(p, _)
            | Producer::StepBy(p, _) => self.has_effects(p),
        }
    }

    fn fold(&mut self, p: &Producer, init: Value, f: &Callable, span: Span) -> Value {
        let acc = self.stored(init, span);
        self.over(p, span, &mut |l, item, _| {
            let value = l.apply(f, vec![acc.clone(), item], span);
            if !matches!(value, Value::Never) {
                l.store(acc.clone(), value, span);
            }
        });
        acc
    }

    /// The value in variables of its own.
    pub fn stored(&mut self, value: Value, span: Span) -> Value {
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

    /// `std::array::from_fn(f)`, of the extent that is wanted.
    pub fn array_from_fn(&mut self, f: &syn::Expr, span: Span) -> Value {
        let wanted = self.expected.take();
        let wanted = wanted.map_or(Ty::Unknown, |ty| self.shallow(&ty));
        let Ty::Array(_, extent) = &wanted else {
            let what = "an array whose extent is not written here";
            return self.refuse(span, Reason::Expression(what.into()));
        };
        let Some(f) = self.callable(f) else {
            return Value::Never;
        };
        let var = self.new_var("array", wanted.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        let extent = Expr::Len(Place::var(
            var,
            Ty::Array(Box::new(Ty::USIZE), extent.clone()),
        ));
        let out = Place::var(var, wanted.clone());
        self.each(extent, span, |l, k| {
            let value = l.apply(&f, vec![Value::Expr(k.clone(), Ty::USIZE)], span);
            let target = l.element(&out, k, span);
            l.store(Value::Place(target), value, span);
        });
        Value::Place(out)
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

/// An operator between two expressions.
pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
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

/// Whether the producer has no end.
pub fn is_unbounded(p: &Producer) -> bool {
    match p {
        Producer::Range(b) => b.hi.is_none(),
        Producer::Repeat(_) => true,
        Producer::Map(p, _)
        | Producer::Enumerate(p)
        | Producer::Copied(p)
        | Producer::Cursor(p, _)
        | Producer::Skip(p, _)
        | Producer::StepBy(p, _) => is_unbounded(p),
        Producer::Zip(a, b) => is_unbounded(a) && is_unbounded(b),
        _ => false,
    }
}

/// More positions than there can be.
fn endless() -> Expr {
    Expr::Lit(usize::MAX.to_string(), Ty::USIZE)
}
