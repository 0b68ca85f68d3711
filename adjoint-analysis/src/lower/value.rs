//! The domain of values that expressions lower to.

use std::collections::BTreeMap;
use std::rc::Rc;

use proc_macro2::Span;
use quote::quote;

use super::Lower;
use super::aggregate::reference_struct::Record;
use super::aggregate::tagged::Choice;
use super::inline::closure::Closure;
use super::iter::Producer;
use super::{Origin, StmtKind};
use crate::ir::default_value::default_value;
use crate::ir::{Expr, Place, Ty, VarId};
use crate::refuse::Reason;

/// The value of an expression during lowering. References, tuples, closures and iterators exist only here; none reaches
/// the IR.
#[derive(Clone, Debug)]
pub enum Value {
    /// An rvalue: a value that is not at a place.
    Expr(Expr, Ty),
    /// An lvalue: a place that can be read, written or borrowed.
    Place(Place),
    /// A reference to a place; the flag is true for `&mut`.
    View(Place, bool),
    /// A tuple, split into its components.
    Tuple(Vec<Value>),
    /// A struct that holds references, split into its fields.
    Record(Rc<Record>, Vec<Value>),
    /// A reference to a split tuple or struct, or to a reassignable reference; the flag is true for `&mut`.
    Lent(Box<Value>, bool),
    /// An `Option` or `Result`, split into tag and payloads.
    Choice(Box<Choice>),
    /// The payload of a variant that the value is known not to be: it has a type, but no value.
    Absent(Ty),
    /// A closure.
    Closure(Rc<Closure>),
    /// An iterator.
    Iter(Rc<Producer>),
    /// `()`
    Unit,
    /// The expression diverges.
    Never,
}

impl Value {
    /// The variables that the value depends on: roots of places, and variables in indices.
    pub fn roots(&self) -> Vec<VarId> {
        match self {
            Value::Expr(e, _) => e.reads(),
            Value::Place(p) | Value::View(p, _) => Expr::Read(p.clone()).reads(),
            Value::Tuple(parts) | Value::Record(_, parts) => {
                parts.iter().flat_map(Value::roots).collect()
            }
            Value::Lent(of, _) => of.roots(),
            Value::Choice(c) => {
                let held = [&c.yes, &c.no].into_iter().flat_map(Value::roots);
                c.tag.reads().into_iter().chain(held).collect()
            }
            Value::Absent(_) | Value::Closure(_) | Value::Iter(_) | Value::Unit | Value::Never => {
                Vec::new()
            }
        }
    }
}

impl Value {
    /// Maps `f` over the parts of a tuple or struct; other values stay.
    pub fn map(self, f: impl FnMut(Value) -> Value) -> Value {
        match self {
            Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(f).collect()),
            Value::Record(of, parts) => Value::Record(of, parts.into_iter().map(f).collect()),
            other => other,
        }
    }

    /// Names of the parts of a tuple or struct.
    pub fn names_of_parts(&self) -> Vec<String> {
        match self {
            Value::Tuple(parts) => (0..parts.len()).map(|i| i.to_string()).collect(),
            Value::Record(of, _) => of.fields.iter().map(|f| f.name.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// Marks the variables of split structs in the value as owned by a binding, so that they are not taken over again.
    pub fn named(self) -> Value {
        match self {
            Value::Record(of, parts) => {
                let parts = parts.into_iter().map(Value::named).collect();
                Value::Record(of.taken(), parts)
            }
            Value::Tuple(_) => self.map(Value::named),
            Value::Choice(c) => {
                let (yes, no) = (c.yes.named(), c.no.named());
                Value::Choice(Box::new(Choice { yes, no, ..*c }))
            }
            Value::Lent(of, mutable) => Value::Lent(Box::new(of.named()), mutable),
            other => other,
        }
    }

    /// Auto-deref: turns `&&T` into `&T` where `&T` is expected.
    pub fn coerced(self) -> Value {
        match self {
            Value::Lent(of, _) if matches!(*of, Value::View(..)) => *of,
            other => other,
        }
    }

    /// The referent of a reference to a tuple, struct or reference; other values stay.
    pub fn seen_through(self) -> Value {
        match self {
            Value::Lent(of, _) => *of,
            other => other,
        }
    }
}

/// Bindings of a scope by name. There are few in each, and most lookups miss: an ordered map takes a third of the time
/// of a hashed one.
pub type Scope = BTreeMap<String, Binding>;

/// A binding: what a name refers to.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A variable of the IR.
    Var(VarId),
    /// Another value: a reference, a closure, an iterator, a tuple of bindings.
    Value(Value),
}

impl Lower {
    /// The type of a value as far as it is known; a reference has the type of its referent.
    pub fn value_ty(&mut self, value: &Value) -> Ty {
        match value {
            Value::Expr(_, ty) => self.shallow(ty),
            Value::Place(p) | Value::View(p, _) => self.shallow(&p.ty),
            Value::Tuple(vs) => Ty::Tuple(vs.iter().map(|v| self.value_ty(v)).collect()),
            Value::Record(of, _) => of.ty.clone(),
            Value::Lent(of, _) => self.value_ty(of),
            Value::Choice(c) => self.choice_ty(c),
            Value::Absent(ty) => self.shallow(ty),
            Value::Unit => Ty::Unit,
            Value::Never => self.fresh(),
            Value::Closure(_) | Value::Iter(_) => Ty::Discrete("impl FnMut".into()),
        }
    }

    /// Converts the value to an expression: a place is read, a tuple becomes an aggregate.
    pub fn read(&mut self, value: Value, span: Span) -> (Expr, Ty) {
        match value {
            Value::Expr(e, ty) => (e, ty),
            Value::Place(p) | Value::View(p, _) => {
                self.note_read(&p);
                let ty = p.ty.clone();
                (Expr::Read(p), ty)
            }
            Value::Tuple(values) => {
                let (parts, tys): (Vec<_>, Vec<_>) = values
                    .into_iter()
                    .map(|v| {
                        let v = self.without_mut(v, span);
                        self.read(v, span)
                    })
                    .unzip();
                let ty = Ty::Tuple(tys);
                (Expr::Aggregate(parts, ty.clone()), ty)
            }
            Value::Lent(of, _) if matches!(*of, Value::View(..)) => self.read(*of, span),
            Value::Record(..) | Value::Lent(_, true) => {
                let what = match value {
                    Value::Record(..) => "a struct that holds references, as a whole,",
                    _ => "a `&mut` reference to a tuple or struct whose parts stand apart",
                };
                let refused = self.refuse(span, Reason::Reference(what.into()));
                self.read(refused, span)
            }
            Value::Lent(of, false) => self.read(*of, span),
            Value::Choice(c) => self.whole(*c, span),
            Value::Absent(ty) => {
                let var = self.new_var("absent", ty.clone(), Origin::Temp);
                self.emit(span, StmtKind::Let(var, None));
                (Expr::Read(self.draft.func.place(var)), ty)
            }
            Value::Unit => (Expr::Aggregate(Vec::new(), Ty::Unit), Ty::Unit),
            Value::Never => {
                let ty = self.fresh();
                (Expr::Lit("0.0".into(), ty.clone()), ty)
            }
            Value::Closure(_) => {
                self.draft.refusals.push(span, Reason::Closure);
                (Expr::Lit("0.0".into(), Ty::F64), Ty::F64)
            }
            Value::Iter(items) => {
                if let Some(range) = self.handed_range(&items, span) {
                    return range;
                }
                self.draft
                    .refusals
                    .push(span, Reason::Expression("an iterator as a value".into()));
                (Expr::Lit("0.0".into(), Ty::F64), Ty::F64)
            }
        }
    }

    /// Checks a value that is stored in a list or another value: refuses it if it holds a `&mut` reference.
    pub fn without_mut(&mut self, value: Value, span: Span) -> Value {
        match lends_mut(&value) {
            true => {
                let what = "a `&mut` reference held in a list or another value";
                self.refuse(span, Reason::Reference(what.into()))
            }
            false => value,
        }
    }

    /// The value of `Default::default()` for the type.
    pub fn by_default(&mut self, ty: &Ty) -> Value {
        let ty = self.shallow(ty);
        let value = default_value(&ty).unwrap_or_else(|| {
            let code = self.add_code(quote!(::core::default::Default::default()), Vec::new());
            Expr::Code(code, Vec::new(), ty.clone())
        });
        Value::Expr(value, ty)
    }

    /// The value as a place; an rvalue is stored in a temporary.
    pub fn place_of(&mut self, value: Value, span: Span) -> Place {
        match value {
            Value::Place(p) | Value::View(p, _) => {
                self.note_read(&p);
                p
            }
            Value::Lent(of, _) if matches!(*of, Value::View(..)) => self.place_of(*of, span),
            other => {
                let (e, ty) = self.read(other, span);
                self.temp(span, "t", e, ty)
            }
        }
    }

    /// Copies the value so that later writes don't change it: places are read into temporaries.
    pub fn pin(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) => {
                let ty = p.ty.clone();
                Value::Place(self.temp(span, "t", Expr::Read(p), ty))
            }
            Value::Expr(e, ty) if is_literal(&e) => Value::Expr(e, ty),
            Value::Expr(e, ty) => Value::Place(self.temp(span, "t", e, ty)),
            Value::Tuple(_) => value.map(|v| self.pin(v, span)),
            Value::Record(of, parts) => self.pin_record(of, parts, span),
            Value::View(p, mutable) => Value::View(self.settle(p, span), mutable),
            Value::Choice(c) => Value::Choice(Box::new(self.own_choice("t", *c, false, span))),
            other => other,
        }
    }

    /// Freezes the place of a base or receiver, which may be written: what is indexed, or whose method is called, is
    /// not copied.
    pub fn stay(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) if !self.shallow(&p.ty).is_scalar() && !self.infer.is_number(&p.ty) => {
                Value::Place(self.settle(p, span))
            }
            // Its fields are variables, or references that may be reassigned themselves.
            Value::Record(..) => value,
            value => self.pin(value, span),
        }
    }

    /// Freezes the place: its indices, bounds and the references it is reached through are evaluated now. A reference
    /// keeps referring to the place it was taken of.
    pub fn settle(&mut self, place: Place, span: Span) -> Place {
        let place = self.anchor(place, span);
        self.settle_operands(place, span)
    }

    /// Freezes the indices and bounds of the place: they are evaluated now.
    pub fn settle_operands(&mut self, mut place: Place, span: Span) -> Place {
        for e in place.operands_mut() {
            let taken = std::mem::replace(e, Expr::Lit(String::new(), Ty::Unit));
            let ty = index_type(&taken);
            *e = self.fix(taken, ty, span);
        }
        place
    }
}

/// The type of an index; users' types may be indexed by aggregates of several numbers.
pub fn index_type(index: &Expr) -> Ty {
    match index {
        Expr::Aggregate(_, ty) => ty.clone(),
        _ => Ty::USIZE,
    }
}

/// Whether the value is or holds a `&mut` reference.
fn lends_mut(value: &Value) -> bool {
    match value {
        Value::View(_, mutable) | Value::Lent(_, mutable) => *mutable,
        Value::Tuple(parts) | Value::Record(_, parts) => parts.iter().any(lends_mut),
        Value::Choice(c) => lends_mut(&c.yes) || lends_mut(&c.no),
        _ => false,
    }
}

/// Whether the expression is a literal, or an aggregate or variant without parts.
fn is_literal(e: &Expr) -> bool {
    match e {
        Expr::Lit(..) => true,
        Expr::Aggregate(parts, _) => parts.is_empty(),
        Expr::Variant(_, fields, _) => fields.is_empty(),
        _ => false,
    }
}
