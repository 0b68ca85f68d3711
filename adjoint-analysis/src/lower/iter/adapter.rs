//! Adapters: iterators over the items of iterators.

use std::rc::Rc;

use proc_macro2::Span;

use super::Producer;
use super::range::step_by;
use super::source::SOURCES;
use crate::ir::construct::binary;
use crate::ir::{BinOp, Expr, Place, Ty};
use crate::lower::Lower;
use crate::lower::expr::field::range_endpoint;
use crate::lower::value::Value;
use crate::refuse::Reason;

impl Lower {
    pub fn adapter(
        &mut self,
        name: &str,
        p: Rc<Producer>,
        m: &syn::ExprMethodCall,
        span: Span,
    ) -> Value {
        let arg = m.args.first();
        let adapted = match (name, arg) {
            ("iter" | "iter_mut" | "into_iter" | "fuse" | "peekable", None) => {
                return Value::Iter(p);
            }
            // The receiver is a flattened slice of arrays.
            ("to_vec", None) => return self.collect(&p, m, span),
            ("clone", None) if p.has_effects() => {
                let what = "a copy of an iterator whose closure has a state";
                return self.refuse(span, Reason::Iterator(what.into()));
            }
            ("clone", None) => match &*p {
                Producer::Cursor(p, at) => {
                    let mut now =
                        |from: &Place| self.temp(span, "at", Expr::Read(from.clone()), Ty::USIZE);
                    let at = Expr::Read(now(at));
                    match &**p {
                        Producer::WithoutBack(p, taken) => Producer::Skip(
                            Rc::new(Producer::WithoutBack(p.clone(), now(taken))),
                            at,
                        ),
                        _ => Producer::Skip(p.clone(), at),
                    }
                }
                _ => return Value::Iter(p),
            },
            ("zip", Some(other)) => {
                let other = self.lower_outliving(other);
                return self.zip(p, other, span);
            }
            ("enumerate", None) => Producer::Enumerate(p),
            ("copied" | "cloned", None) => Producer::Copied(p),
            ("rev", None) => self.reversed(&p, span),
            ("step_by", Some(n)) => {
                let n = self.nonzero_size(n, "assertion failed: step != 0");
                step_by(&p, n)
            }
            ("skip", Some(n)) => Producer::Skip(p, self.eval_usize(n)),
            ("take", Some(n)) => Producer::Take(p, self.eval_usize(n)),
            ("cycle", None) if p.has_effects() => {
                let what = "`cycle` of a closure with a state, of which each round has a copy";
                return self.refuse(span, Reason::Iterator(what.into()));
            }
            ("cycle", None) if !p.is_stream() => Producer::Cycle(p),
            ("flatten", None) => Producer::FlatMap(p, None, false),
            ("chain", Some(other)) => {
                let other = self.lower_outliving(other);
                let Some(other) = self.producer(other, span) else {
                    return Value::Diverges;
                };
                Producer::Chain(p, other)
            }
            (name, Some(_)) if SOURCES.contains(&name) => {
                let what = format!("an iterator through `{name}`");
                return self.refuse(span, Reason::Iterator(what));
            }
            ("scan", Some(init)) if m.args.len() == 2 => {
                let init = self.expr(init);
                let init = self.copy_to_temp(init, span);
                let Some(f) = self.callable(&m.args[1]) else {
                    return Value::Diverges;
                };
                Producer::Scan(p, Box::new(init), f)
            }
            ("remainder" | "into_remainder", None) => return self.remainder(&p, span),
            ("start" | "end", None) => {
                if let Some(end) = range_endpoint(&Value::Iter(Rc::clone(&p)), name) {
                    return end;
                }
                let what = format!("an iterator through `{name}`");
                return self.refuse(span, Reason::Iterator(what));
            }
            ("contains", Some(x)) => {
                if let Producer::Range(bounds) = &*p {
                    return self.contains(bounds, x, span);
                }
                return self.refuse(span, Reason::Method(name.into()));
            }
            ("rfold", _) => {
                let reversed = Rc::new(self.reversed(&p, span));
                return self.consumer("fold", reversed, m, span);
            }
            ("sum" | "product" | "fold", _) | (_, None) => return self.consumer(name, p, m, span),
            (_, Some(f)) => match self.function_adapter(name, &p, f) {
                Some(adapted) => adapted,
                None => return self.consumer(name, p, m, span),
            },
        };
        Value::Iter(Rc::new(adapted))
    }

    /// The adapters that take a function.
    fn function_adapter(
        &mut self,
        name: &str,
        p: &Rc<Producer>,
        f: &syn::Expr,
    ) -> Option<Producer> {
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
        // A refused function makes no items.
        let f = self.callable(f);
        Some(f.map_or(Producer::Empty, |f| make(p.clone(), f)))
    }

    /// `chunks_exact(n).remainder()`: the elements after the last whole chunk.
    fn remainder(&mut self, p: &Producer, span: Span) -> Value {
        if let Producer::Cursor(p, _) | Producer::WithoutBack(p, _) = p {
            return self.remainder(p, span);
        }
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
        let lo = self.stable_operand(binary(BinOp::Mul, whole, size.clone()), Ty::USIZE, span);
        Value::PlaceRef(self.slice(of, Some(lo), None), *mutable)
    }

    /// The producer in reverse order.
    pub fn reversed(&mut self, p: &Rc<Producer>, span: Span) -> Producer {
        if p.has_directional_effects() || p.computes_skipped_reversed() {
            let what =
                "a closure that writes, behind an adapter that leaves items out, from behind";
            self.refuse(span, Reason::Iterator(what.into()));
            return Producer::Empty;
        }
        let rev = |l: &mut Self, p: &Rc<Producer>| Rc::new(l.reversed(p, span));
        match &**p {
            Producer::Range(b) => self.reversed_range(p, b),
            Producer::Filter(q, f) => Producer::Filter(rev(self, q), f.clone()),
            Producer::FilterMap(q, f) => Producer::FilterMap(rev(self, q), f.clone()),
            Producer::Inspect(q, f) => Producer::Inspect(rev(self, q), f.clone()),
            Producer::FlatMap(q, f, reversed) => {
                Producer::FlatMap(rev(self, q), f.clone(), !reversed)
            }
            Producer::Chain(a, b) => Producer::Chain(rev(self, b), rev(self, a)),
            Producer::Map(q, f) if q.is_stream() => Producer::Map(rev(self, q), f.clone()),
            Producer::Copied(q) if q.is_stream() => Producer::Copied(rev(self, q)),
            Producer::Once(_) | Producer::Empty => (**p).clone(),
            _ => Producer::Rev(p.clone()),
        }
    }

    /// The item of `copied()`.
    pub fn copied_item(item: Value) -> Value {
        match item {
            Value::PlaceRef(p, _) => Value::Place(p),
            other => other,
        }
    }
}
