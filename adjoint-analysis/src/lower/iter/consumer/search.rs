//! Consumers that search: quantifiers, positions, the first or last item, items that satisfy a predicate.

use std::rc::Rc;

use proc_macro2::Span;

use super::escaping_item::EscapingItem;
use super::extremum::Order;
use crate::ir::construct::{binary, saturating_sub, usize_lit};
use crate::ir::{BinOp, Expr, Place, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::bool_lit;
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::mir::labeled::LabeledStmt;
use crate::refuse::Reason;

impl Lower {
    /// The consumers that stop at an item or return one.
    pub fn search(
        &mut self,
        name: &str,
        p: &Rc<Producer>,
        args: &[&syn::Expr],
        span: Span,
    ) -> Value {
        let function = match args {
            [f] if !matches!(name, "nth" | "nth_back") => match self.callable(f) {
                Some(f) => Some(f),
                None => return Value::Diverges,
            },
            _ => None,
        };
        let largest = name.starts_with("max");
        match (name, function, args) {
            ("all", Some(f), _) => self.quantifier(p, &f, false, span),
            ("any", Some(f), _) => self.quantifier(p, &f, true, span),
            ("count", None, []) => self.count_items(p, span),
            ("position", Some(f), _) => self.position(p, &f, span),
            ("find", Some(f), _) => self.find(p, &f, span),
            ("rposition", Some(f), _) if !p.is_stream() => self.last_position(p, &f, span),
            ("rfind", Some(f), _) if !p.is_stream() => {
                let reversed = self.reversed(p, span);
                self.find(&Rc::new(reversed), &f, span)
            }
            ("find_map", Some(f), _) => {
                let mapped = Producer::FilterMap(p.clone(), f);
                self.first_item(&mapped, span)
            }
            ("last", None, []) => self.last_item(p, span),
            ("unzip", None, []) => self.unzip(p, span),
            ("partition", Some(f), _) => self.partition(p, &f, span),
            ("nth", None, [n]) => {
                let n = self.eval_usize(n);
                match p.may_have_effects() && !p.is_stream() {
                    true => self.item_after_effects(p, n, span),
                    false => self.first_item(&Producer::Skip(p.clone(), n), span),
                }
            }
            ("next", None, []) => self.first_item(p, span),
            ("next_back", None, []) => {
                let reversed = self.reversed(p, span);
                self.first_item(&reversed, span)
            }
            ("nth_back", None, [n]) => {
                let n = self.eval_usize(n);
                let reversed = Rc::new(self.reversed(p, span));
                self.first_item(&Producer::Skip(reversed, n), span)
            }
            ("max_by" | "min_by", Some(f), _) => {
                self.extremum(p, &Order::Comparison(f), largest, span)
            }
            ("max_by_key" | "min_by_key" | "is_sorted_by_key", Some(f), _)
                if f.has_effects(false) =>
            {
                let what = format!("a closure that writes, in `{name}`");
                self.refuse(span, Reason::Expression(what))
            }
            ("max_by_key" | "min_by_key", Some(f), _) => {
                self.extremum(p, &Order::Key(f), largest, span)
            }
            ("is_sorted" | "is_sorted_by" | "is_sorted_by_key", f, _) if !p.is_stream() => {
                self.sorted(p, name, f.as_ref(), span)
            }
            ("max" | "min", None, []) => self.extremum(p, &Order::Natural, largest, span),
            ("reduce", Some(f), _) => self.reduce(p, &f, span),
            ("try_fold", None, [init, f]) => {
                let wanted = self.expected_try_type();
                let init = self.expr(init);
                match self.callable(f) {
                    Some(f) => self.try_fold(p, init, &f, wanted, span),
                    None => Value::Diverges,
                }
            }
            ("try_for_each", Some(f), _) => {
                let wanted = self.expected_try_type();
                self.try_for_each(p, &f, wanted, span)
            }
            _ => self.refuse(
                span,
                Reason::Iterator(format!("an iterator through `{name}`")),
            ),
        }
    }

    /// `all` and `any`: the loop exits at the first item that decides.
    fn quantifier(&mut self, p: &Producer, f: &Callable, any: bool, span: Span) -> Value {
        let found = self.mutable_var("found", bool_lit(!any), Ty::Bool, span);
        self.for_each_item(p, span, &mut |l, item, end| {
            let test = l.predicate(f, &item, span);
            let decided = |l: &mut Self| {
                l.emit(span, StmtKind::Assign(found.clone(), bool_lit(any)));
                l.out.push(LabeledStmt::Exit(end));
            };
            match any {
                true => l.emit_if(test, span, decided, |_| {}),
                false => l.emit_if(test, span, |_| {}, decided),
            }
        });
        Value::Place(found)
    }

    /// The number of items of a stream.
    pub fn count_items(&mut self, p: &Producer, span: Span) -> Value {
        let count = self.mutable_var("count", usize_lit(0), Ty::USIZE, span);
        self.for_each_item(p, span, &mut |l, _, _| {
            l.step_counter(&count, BinOp::Add, span);
        });
        Value::Place(count)
    }

    /// The position of the first item that satisfies the predicate.
    fn position(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        let (found, at) = self.first_position(p, f, span);
        self.some_if(Expr::Read(found), Value::Place(at))
    }

    /// The position of the last item that satisfies the predicate.
    fn last_position(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        let reversed = Rc::new(self.reversed(p, span));
        let (found, behind) = self.first_position(&reversed, f, span);
        let last = binary(BinOp::Sub, self.length(p), usize_lit(1));
        let at = saturating_sub(last, Expr::Read(behind));
        self.some_if(Expr::Read(found), Value::Expr(at, Ty::USIZE))
    }

    fn first_position(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> (Place, Place) {
        let found = self.mutable_var("found", bool_lit(false), Ty::Bool, span);
        let at = self.mutable_var("position", usize_lit(0), Ty::USIZE, span);
        let counted = Producer::Enumerate(p.clone());
        self.for_each_item(&counted, span, &mut |l, pair, end| {
            let mut pair = l.components(pair, 2, span).into_iter();
            let (Some(k), Some(item)) = (pair.next(), pair.next()) else {
                return;
            };
            let test = l.predicate(f, &item, span);
            let here = |l: &mut Self| {
                l.store(Value::Place(at.clone()), k, span);
                l.emit(span, StmtKind::Assign(found.clone(), bool_lit(true)));
                l.out.push(LabeledStmt::Exit(end));
            };
            l.emit_if(test, span, here, |_| {});
        });
        (found, at)
    }

    /// The first item that satisfies the predicate: by its position if it can be recomputed, else stored.
    fn find(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        if !p.is_recomputable() {
            return self.first_item(&Producer::Filter(p.clone(), f.clone()), span);
        }
        let (found, at) = self.first_position(p, f, span);
        let item = self.maybe_item(p, Expr::Read(at), span);
        self.some_if(Expr::Read(found), item)
    }

    pub fn first_item(&mut self, p: &Producer, span: Span) -> Value {
        if p.is_recomputable() {
            let n = self.length(p);
            let n = self.stable_operand(n, Ty::USIZE, span);
            let some = self.freeze_tag(binary(BinOp::Gt, n, usize_lit(0)), span);
            let item = self.maybe_item(p, usize_lit(0), span);
            return self.some_if(some, item);
        }
        let found = self.mutable_var("found", bool_lit(false), Ty::Bool, span);
        let mut kept = EscapingItem::default();
        self.with_escaping_item(&mut kept, |l, kept| {
            l.for_each_item(p, span, &mut |l, item, end| {
                l.store_escaping(kept, item, span);
                l.emit(span, StmtKind::Assign(found.clone(), bool_lit(true)));
                l.out.push(LabeledStmt::Exit(end));
            });
        });
        let item = self.read_escaping(kept);
        self.some_if(Expr::Read(found), item)
    }

    /// The item at a position, after computing the ones before it for their effects.
    fn item_after_effects(&mut self, p: &Rc<Producer>, n: Expr, span: Span) -> Value {
        let found = self.mutable_var("found", bool_lit(false), Ty::Bool, span);
        let mut kept = EscapingItem::default();
        self.with_escaping_item(&mut kept, |l, kept| {
            let counted = Producer::Enumerate(p.clone());
            l.for_each_item(&counted, span, &mut |l, pair, end| {
                let mut pair = l.components(pair, 2, span).into_iter();
                let (Some(k), Some(item)) = (pair.next(), pair.next()) else {
                    return;
                };
                let item = l.computed_once(item, span);
                let (k, _) = l.read(k, span);
                let here = |l: &mut Self| {
                    l.store_escaping(kept, item, span);
                    l.emit(span, StmtKind::Assign(found.clone(), bool_lit(true)));
                    l.out.push(LabeledStmt::Exit(end));
                };
                l.emit_if(binary(BinOp::Eq, k, n.clone()), span, here, |_| {});
            });
        });
        let item = self.read_escaping(kept);
        self.some_if(Expr::Read(found), item)
    }

    fn last_item(&mut self, p: &Rc<Producer>, span: Span) -> Value {
        if !p.is_stream() && !p.may_have_effects() {
            let n = self.length(p);
            let n = self.stable_operand(n, Ty::USIZE, span);
            let some = self.freeze_tag(binary(BinOp::Gt, n.clone(), usize_lit(0)), span);
            let sub = vec![n, usize_lit(1)];
            let last = Expr::Discrete("saturating_sub".into(), sub, Ty::USIZE);
            let skipped = Producer::Skip(p.clone(), self.stable_operand(last, Ty::USIZE, span));
            return match p.is_recomputable() {
                true => {
                    let item = self.maybe_item(&skipped, usize_lit(0), span);
                    self.some_if(some, item)
                }
                false => self.first_item(&skipped, span),
            };
        }
        let found = self.mutable_var("found", bool_lit(false), Ty::Bool, span);
        let mut kept = EscapingItem::default();
        self.with_escaping_item(&mut kept, |l, kept| {
            l.for_each_item(p, span, &mut |l, item, _| {
                l.store_escaping(kept, item, span);
                l.emit(span, StmtKind::Assign(found.clone(), bool_lit(true)));
            });
        });
        let item = self.read_escaping(kept);
        self.some_if(Expr::Read(found), item)
    }
}
