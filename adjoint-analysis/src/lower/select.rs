//! Consumers of iterators that look for items: the first, the best, those that pass a test.

use std::rc::Rc;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::choice::{Choice, Family, lit};
use super::closure::Callable;
use super::iter::{Producer, binary, is_unbounded};
use super::raw::{LabelId, Raw};
use super::stream::is_stream;
use super::value::{Value, usize_lit};
use super::{Lower, Origin, StmtKind, Ty};
use crate::ir::{BinOp, Expr, Place};
use crate::refuse::Reason;

/// Variables for a value that is found inside a loop, declared before it.
#[derive(Default)]
struct Kept {
    declarations: Vec<Raw>,
    /// The value in its variables, and the value that came first.
    dest: Option<(Value, Value)>,
}

/// How a later item is held against the best one.
enum Order {
    /// By a function of both.
    By(Callable),
    /// By a function of each.
    Key(Callable),
    /// By their own order.
    Own,
}

impl Lower {
    /// The consumers that stop at an item or keep one.
    pub fn selection(
        &mut self,
        name: &str,
        p: &Rc<Producer>,
        args: &[&syn::Expr],
        span: Span,
    ) -> Value {
        let function = match args {
            [f] if name != "nth" => match self.callable(f) {
                Some(f) => Some(f),
                None => return Value::Never,
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
            ("find_map", Some(f), _) => {
                let mapped = Producer::FilterMap(p.clone(), f);
                self.first_item(&mapped, span)
            }
            ("last", None, []) => self.last_item(p, span),
            ("unzip", None, []) => self.unzip(p, span),
            ("nth", None, [n]) => {
                let n = self.bound(n);
                self.first_item(&Producer::Skip(p.clone(), n), span)
            }
            ("next", None, []) => self.first_item(p, span),
            ("max_by" | "min_by", Some(f), _) => self.best(p, &Order::By(f), largest, span),
            ("max_by_key" | "min_by_key", Some(f), _) => {
                self.best(p, &Order::Key(f), largest, span)
            }
            ("max" | "min", None, []) => self.best(p, &Order::Own, largest, span),
            ("reduce", Some(f), _) => self.reduce(p, &f, span),
            ("try_fold", None, [init, f]) => {
                let init = self.expr(init);
                match self.callable(f) {
                    Some(f) => self.try_fold(p, init, &f, span),
                    None => Value::Never,
                }
            }
            _ => self.refuse(
                span,
                Reason::Iterator(format!("an iterator through `{name}`")),
            ),
        }
    }

    /// A variable that later code changes.
    fn variable(&mut self, name: &str, start: Expr, ty: Ty, span: Span) -> Place {
        let var = self.let_var(span, name, start, ty, Origin::Local);
        self.func.place(var)
    }

    /// `Some(yes)` where the tag holds.
    fn some_if(&self, tag: Expr, yes: Value) -> Value {
        Value::Choice(Box::new(Choice {
            family: Family::Option,
            tag,
            yes,
            no: Value::Unit,
            by_ref: None,
        }))
    }

    /// `all` and `any`: the loop ends at the first item that decides.
    fn quantifier(&mut self, p: &Producer, f: &Callable, any: bool, span: Span) -> Value {
        let found = self.variable("found", lit(!any), Ty::Bool, span);
        self.over(p, span, &mut |l, item, end| {
            let test = l.predicate(f, &item, span);
            let decided = |l: &mut Self| {
                l.emit(span, StmtKind::Assign(found.clone(), lit(any)));
                l.out.push(Raw::Exit(end));
            };
            match any {
                true => l.under(test, span, decided, |_| {}),
                false => l.under(test, span, |_| {}, decided),
            }
        });
        Value::Place(found)
    }

    /// The number of items of a stream.
    pub fn count_items(&mut self, p: &Producer, span: Span) -> Value {
        let count = self.variable("count", usize_lit(0), Ty::USIZE, span);
        self.over(p, span, &mut |l, _, _| {
            let next = binary(BinOp::Add, Expr::Read(count.clone()), usize_lit(1));
            l.emit(span, StmtKind::Assign(count.clone(), next));
        });
        Value::Place(count)
    }

    /// The position of the first item that passes.
    fn position(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        let (found, at) = self.first_position(p, f, span);
        self.some_if(Expr::Read(found), Value::Place(at))
    }

    fn first_position(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> (Place, Place) {
        let found = self.variable("found", lit(false), Ty::Bool, span);
        let at = self.variable("position", usize_lit(0), Ty::USIZE, span);
        let counted = Producer::Enumerate(p.clone());
        self.over(&counted, span, &mut |l, pair, end| {
            let mut pair = l.components(pair, 2, span).into_iter();
            let (Some(k), Some(item)) = (pair.next(), pair.next()) else {
                return;
            };
            let test = l.predicate(f, &item, span);
            let here = |l: &mut Self| {
                l.store(Value::Place(at.clone()), k, span);
                l.emit(span, StmtKind::Assign(found.clone(), lit(true)));
                l.out.push(Raw::Exit(end));
            };
            l.under(test, span, here, |_| {});
        });
        (found, at)
    }

    /// The first item that passes: by its position, if it can be had again, else kept.
    fn find(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        if !is_plain(p) {
            return self.first_item(&Producer::Filter(p.clone(), f.clone()), span);
        }
        let (found, at) = self.first_position(p, f, span);
        let item = self.item(p, Expr::Read(at), span);
        self.some_if(Expr::Read(found), item)
    }

    fn first_item(&mut self, p: &Producer, span: Span) -> Value {
        if is_plain(p) {
            let n = self.length(p);
            let n = self.fix(n, Ty::USIZE, span);
            let some = self.flag(binary(BinOp::Gt, n, usize_lit(0)), span);
            let item = self.item(p, usize_lit(0), span);
            return self.some_if(some, item);
        }
        let found = self.variable("found", lit(false), Ty::Bool, span);
        let mut kept = Kept::default();
        self.keeping(&mut kept, |l, kept| {
            l.over(p, span, &mut |l, item, end| {
                l.keep(kept, item, span);
                l.emit(span, StmtKind::Assign(found.clone(), lit(true)));
                l.out.push(Raw::Exit(end));
            });
        });
        let item = self.kept(kept);
        self.some_if(Expr::Read(found), item)
    }

    fn last_item(&mut self, p: &Rc<Producer>, span: Span) -> Value {
        if !is_stream(p) && !self.has_effects(p) {
            let n = self.length(p);
            let n = self.fix(n, Ty::USIZE, span);
            let some = self.flag(binary(BinOp::Gt, n.clone(), usize_lit(0)), span);
            let sub = vec![n, usize_lit(1)];
            let last = Expr::Discrete("saturating_sub".into(), sub, Ty::USIZE);
            let skipped = Producer::Skip(p.clone(), self.fix(last, Ty::USIZE, span));
            return match is_plain(p) {
                true => {
                    let item = self.item(&skipped, usize_lit(0), span);
                    self.some_if(some, item)
                }
                false => self.first_item(&skipped, span),
            };
        }
        let found = self.variable("found", lit(false), Ty::Bool, span);
        let mut kept = Kept::default();
        self.keeping(&mut kept, |l, kept| {
            l.over(p, span, &mut |l, item, _| {
                l.keep(kept, item, span);
                l.emit(span, StmtKind::Assign(found.clone(), lit(true)));
            });
        });
        let item = self.kept(kept);
        self.some_if(Expr::Read(found), item)
    }

    /// An iterator that is bound to a name which is `mut`: `next` moves its position.
    pub fn cursor(&mut self, p: Rc<Producer>, span: Span) -> Rc<Producer> {
        if is_stream(&p) || self.has_effects(&p) || matches!(&*p, Producer::Cursor(..)) {
            return p;
        }
        let at = self.variable("position", usize_lit(0), Ty::USIZE, span);
        Rc::new(Producer::Cursor(p, at))
    }

    /// `it.next()`, `it.peek()`
    pub fn next_item(&mut self, p: &Producer, at: &Place, moves: bool, span: Span) -> Value {
        let here = self.temp(span, "at", Expr::Read(at.clone()), Ty::USIZE);
        let some = match is_unbounded(p) {
            true => lit(true),
            false => {
                let len = self.length(p);
                self.flag(binary(BinOp::Lt, Expr::Read(here.clone()), len), span)
            }
        };
        if moves {
            let next = binary(BinOp::Add, Expr::Read(here.clone()), usize_lit(1));
            let step = |l: &mut Self| l.emit(span, StmtKind::Assign(at.clone(), next));
            self.under(some.clone(), span, step, |_| {});
        }
        let mut item = Value::Unit;
        // What finds the item may fail where there is none.
        let (raws, ()) = self.in_block(|l| item = l.item(p, Expr::Read(here), span));
        if Lower::is_pure(&raws) {
            self.out.extend(raws);
        } else {
            let what = "an iterator through `next` behind a closure with statements";
            return self.refuse(span, Reason::Iterator(what.into()));
        }
        self.some_if(some, item)
    }

    // The best of all.

    /// `max_by` and the like. Of equal items, the largest is the last and the smallest the first.
    fn best(&mut self, p: &Rc<Producer>, order: &Order, largest: bool, span: Span) -> Value {
        if !is_plain(p) {
            return self.accumulated(p, span, &mut |l, best, item| {
                let test = l.replaces(order, best, &item, largest, span);
                l.under(test, span, |l| l.store(best.clone(), item, span), |_| {});
            });
        }
        let n = self.length(p);
        let n = self.fix(n, Ty::USIZE, span);
        let some = self.flag(binary(BinOp::Gt, n, usize_lit(0)), span);
        let at = self.variable("best", usize_lit(0), Ty::USIZE, span);
        let others = Producer::Skip(Rc::new(Producer::Enumerate(p.clone())), usize_lit(1));
        self.over(&others, span, &mut |l, pair, _| {
            let mut pair = l.components(pair, 2, span).into_iter();
            let (Some(k), Some(item)) = (pair.next(), pair.next()) else {
                return;
            };
            let best = l.item(p, Expr::Read(at.clone()), span);
            let test = l.replaces(order, &best, &item, largest, span);
            let here = |l: &mut Self| l.store(Value::Place(at.clone()), k, span);
            l.under(test, span, here, |_| {});
        });
        let item = self.item(p, Expr::Read(at), span);
        self.some_if(some, item)
    }

    /// Whether the item takes the place of the best one so far.
    fn replaces(
        &mut self,
        order: &Order,
        best: &Value,
        item: &Value,
        largest: bool,
        span: Span,
    ) -> Expr {
        let (best, item) = (best.clone(), item.clone());
        let order = match order {
            Order::By(f) => self.apply(f, vec![best, item], span),
            Order::Key(f) => {
                let best = self.apply(f, vec![best], span);
                let best = self.held(best, span);
                let item = self.apply(f, vec![item], span);
                self.compare("cmp", best, item, span)
            }
            Order::Own => self.compare("cmp", best, item, span),
        };
        let (order, _) = self.read(order, span);
        let test = if largest { "is_le" } else { "is_gt" };
        Expr::Discrete(test.into(), vec![order], Ty::Bool)
    }

    fn reduce(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        self.accumulated(p, span, &mut |l, acc, item| {
            let value = l.apply(f, vec![acc.clone(), item], span);
            l.store(acc.clone(), value, span);
        })
    }

    /// The first item in a variable, which `step` changes with each of the others.
    fn accumulated(
        &mut self,
        p: &Rc<Producer>,
        span: Span,
        step: &mut dyn FnMut(&mut Self, &Value, Value),
    ) -> Value {
        let mut kept = Kept::default();
        if is_stream(p) || self.has_effects(p) {
            let found = self.variable("found", lit(false), Ty::Bool, span);
            self.keeping(&mut kept, |l, kept| {
                l.over(p, span, &mut |l, item, _| {
                    let item = l.held(item, span);
                    if l.refuses(&item, span) {
                        return;
                    }
                    l.declare(kept, &item, span);
                    let dest = kept.dest.as_ref().map(|(d, _)| d.clone());
                    let dest = dest.unwrap_or(Value::Unit);
                    let first = |l: &mut Self| {
                        l.store(dest.clone(), Lower::copied(item.clone()), span);
                        l.emit(span, StmtKind::Assign(found.clone(), lit(true)));
                    };
                    let other = |l: &mut Self| step(l, &dest, item.clone());
                    l.under(Expr::Read(found.clone()), span, other, first);
                });
            });
            let item = self.kept(kept);
            return self.some_if(Expr::Read(found), item);
        }
        let n = self.length(p);
        let n = self.fix(n, Ty::USIZE, span);
        let some = self.flag(binary(BinOp::Gt, n, usize_lit(0)), span);
        self.keeping(&mut kept, |l, kept| {
            let run = |l: &mut Self| {
                let first = l.item(p, usize_lit(0), span);
                l.keep(kept, first, span);
                let dest = kept.dest.as_ref().map(|(d, _)| d.clone());
                let dest = dest.unwrap_or(Value::Unit);
                let others = Producer::Skip(p.clone(), usize_lit(1));
                l.over(&others, span, &mut |l, item, _| {
                    let item = l.held(item, span);
                    step(l, &dest, item);
                });
            };
            l.under(some.clone(), span, run, |_| {});
        });
        let item = self.kept(kept);
        self.some_if(some, item)
    }

    /// `try_fold`: a fold that a `None` or an `Err` ends.
    fn try_fold(&mut self, p: &Producer, init: Value, f: &Callable, span: Span) -> Value {
        let acc = self.stored(init, span);
        let whole = self.variable("whole", lit(true), Ty::Bool, span);
        let mut kept = Kept::default();
        let mut family = None;
        self.keeping(&mut kept, |l, kept| {
            l.over(p, span, &mut |l, item, end: LabelId| {
                let value = l.apply(f, vec![acc.clone(), item], span);
                let Some(of) = l.family_of(&value) else {
                    let what = "`try_fold` over a type that is not known here";
                    l.refuse_use(&value, span, Reason::Expression(what.into()));
                    return;
                };
                family = Some(of);
                let c = l.choice(value, of, span);
                let leave = |l: &mut Self| {
                    if !matches!(c.no, Value::Unit | Value::Absent(_)) {
                        l.keep(kept, c.no, span);
                    }
                    l.emit(span, StmtKind::Assign(whole.clone(), lit(false)));
                    l.out.push(Raw::Exit(end));
                };
                let tag = l.flag(c.tag, span);
                l.under(tag, span, |l| l.store(acc.clone(), c.yes, span), leave);
            });
        });
        let no = match family {
            Some(Family::Option) | None => Value::Unit,
            _ => self.kept(kept),
        };
        Value::Choice(Box::new(Choice {
            family: family.unwrap_or(Family::Option),
            tag: Expr::Read(whole),
            yes: acc,
            no,
            by_ref: None,
        }))
    }

    // Values that outlive the loop that finds them.

    /// Runs `f`, with the declarations that it asks for in front.
    fn keeping(&mut self, kept: &mut Kept, f: impl FnOnce(&mut Self, &mut Kept)) {
        let (raws, ()) = self.in_block(|l| f(l, kept));
        self.out.append(&mut kept.declarations);
        self.out.extend(raws);
    }

    fn declare(&mut self, kept: &mut Kept, item: &Value, span: Span) {
        if kept.dest.is_none() {
            let outer = std::mem::take(&mut self.out);
            let dest = self.blank("item", item, span);
            kept.declarations = std::mem::replace(&mut self.out, outer);
            kept.dest = Some((dest, item.clone()));
        }
    }

    fn keep(&mut self, kept: &mut Kept, item: Value, span: Span) {
        if self.refuses(&item, span) {
            return;
        }
        self.declare(kept, &item, span);
        if let Some((dest, _)) = &kept.dest {
            self.store(dest.clone(), Lower::copied(item), span);
        }
    }

    /// A slice can't be kept by value.
    fn refuses(&mut self, item: &Value, span: Span) -> bool {
        match item {
            Value::Tuple(parts) => parts.iter().any(|v| self.refuses(v, span)),
            Value::View(p, mutable) if *mutable || matches!(self.shallow(&p.ty), Ty::Slice(_)) => {
                let what = "a reference to an item that is found at run time";
                self.refuse(span, Reason::Reference(what.into()));
                true
            }
            _ => false,
        }
    }

    fn kept(&mut self, kept: Kept) -> Value {
        match kept.dest {
            Some((dest, like)) => like_item(dest, &like),
            None => Value::Absent(self.fresh()),
        }
    }

    /// `iter::repeat(x)` and its like; `None` for other functions.
    pub fn iterator_function(&mut self, name: &str, args: &[Value], span: Span) -> Option<Value> {
        let producer = match (name, args) {
            ("repeat", [value]) => Producer::Repeat(Box::new(self.held(value.clone(), span))),
            ("repeat_n", [value, n]) => {
                let value = self.held(value.clone(), span);
                let (n, ty) = self.read(n.clone(), span);
                self.unify(&ty, &Ty::USIZE);
                let n = self.fix(n, Ty::USIZE, span);
                Producer::Take(Rc::new(Producer::Repeat(Box::new(value))), n)
            }
            ("once", [value]) => Producer::Once(Box::new(self.held(value.clone(), span))),
            ("empty", []) => Producer::Empty,
            ("zip", [a, b]) => {
                let a = self.producer(a.clone(), span)?;
                return Some(self.zipped(a, b.clone(), span));
            }
            ("successors", [first, Value::Closure(f)]) => {
                let f = Callable::Closure(f.clone());
                Producer::Successors(Box::new(first.clone()), f)
            }
            ("from_fn", [Value::Closure(f)]) => Producer::FromFn(Callable::Closure(f.clone())),
            _ => return None,
        };
        Some(Value::Iter(Rc::new(producer)))
    }

    /// A comparison in method or path form; `partial_cmp` is an `Option`.
    pub fn order(&mut self, name: &str, a: Value, b: Value, span: Span) -> Value {
        if name != "partial_cmp" {
            return self.compare(name, a, b, span);
        }
        let (a, b) = (
            self.pin(Lower::copied(a), span),
            self.pin(Lower::copied(b), span),
        );
        let order = self.compare(name, a, b, span);
        let (order, _) = self.read(order, span);
        let tag = Expr::Discrete("is_some".into(), vec![order.clone()], Ty::Bool);
        let (equal, _) = self.capture(quote::quote!(::core::cmp::Ordering::Equal));
        let equal = Expr::Code(equal, Vec::new(), ordering());
        let yes = Expr::Discrete("unwrap_or".into(), vec![order, equal], ordering());
        self.some_if(tag, Value::Expr(yes, ordering()))
    }

    /// `a.partial_cmp(&b).unwrap()` and the like, where `end` is what follows the comparison.
    pub fn total_order(
        &mut self,
        a: Value,
        b: Value,
        end: &syn::ExprMethodCall,
        span: Span,
    ) -> Value {
        let order = self.compare("partial_cmp", a, b, span);
        let (order, _) = self.read(order, span);
        let mut all = vec![order];
        for arg in &end.args {
            let value = self.expr(arg);
            all.push(self.read(value, arg.span()).0);
        }
        let end = end.method.to_string();
        Value::Expr(Expr::Discrete(end, all, ordering()), ordering())
    }

    /// `a.cmp(&b)`, `a.total_cmp(&b)`
    pub fn compare(&mut self, name: &str, a: Value, b: Value, span: Span) -> Value {
        let ((a, ty), (b, other)) = (self.read(a, span), self.read(b, span));
        self.unify(&ty, &other);
        Value::Expr(
            Expr::Discrete(name.into(), vec![a, b], ordering()),
            ordering(),
        )
    }
}

/// `std::cmp::Ordering`
pub fn ordering() -> Ty {
    Ty::Discrete("::core::cmp::Ordering".into())
}

/// The kept value as what was found: a reference, where it was one.
fn like_item(dest: Value, like: &Value) -> Value {
    match (dest, like) {
        (Value::Place(p), Value::View(..)) => Value::View(p, false),
        (Value::Tuple(parts), Value::Tuple(likes)) => {
            let parts = parts.into_iter().zip(likes);
            Value::Tuple(parts.map(|(p, like)| like_item(p, like)).collect())
        }
        (dest, _) => dest,
    }
}

/// Whether the item of a position can be had again at no cost: no function makes it.
fn is_plain(p: &Producer) -> bool {
    match p {
        Producer::Range(_)
        | Producer::Elements(..)
        | Producer::Chunks { .. }
        | Producer::ChunksFromEnd { .. }
        | Producer::Windows { .. } => true,
        Producer::Enumerate(p)
        | Producer::Copied(p)
        | Producer::Rev(p)
        | Producer::Skip(p, _)
        | Producer::Take(p, _)
        | Producer::StepBy(p, _)
        | Producer::Cursor(p, _)
        | Producer::Cycle(p) => is_plain(p),
        Producer::Zip(a, b) => is_plain(a) && is_plain(b),
        _ => false,
    }
}
