//! The domain of values that expressions lower to.

use std::collections::BTreeMap;
use std::rc::Rc;

use proc_macro2::Span;
use quote::quote;

use super::Lower;
use super::aggregate::reference_struct::RefStruct;
use super::aggregate::split_enum::SplitEnum;
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
    PlaceRef(Place, bool),
    /// A tuple, split into its components.
    Tuple(Vec<Value>),
    /// A struct that holds references, split into its fields.
    RefStruct(Rc<RefStruct>, Vec<Value>),
    /// A reference to a split tuple or struct, or to a reassignable reference; the flag is true for `&mut`.
    RefToAggregate(Box<Value>, bool),
    /// An `Option` or `Result`, split into tag and payloads.
    SplitEnum(Box<SplitEnum>),
    /// The payload of a variant that the value is known not to be: it has a type, but no value.
    Uninit(Ty),
    /// A closure.
    Closure(Rc<Closure>),
    /// An iterator.
    Iter(Rc<Producer>),
    /// `()`
    Unit,
    /// The expression diverges.
    Diverges,
}

impl Value {
    /// The variables that the value depends on: roots of places, and variables in indices.
    pub fn roots(&self) -> Vec<VarId> {
        match self {
            Value::Expr(e, _) => e.reads(),
            Value::Place(p) | Value::PlaceRef(p, _) => Expr::Read(p.clone()).reads(),
            Value::Tuple(parts) | Value::RefStruct(_, parts) => {
                parts.iter().flat_map(Value::roots).collect()
            }
            Value::RefToAggregate(of, _) => of.roots(),
            Value::SplitEnum(c) => {
                let held = [&c.payload, &c.err_payload]
                    .into_iter()
                    .flat_map(Value::roots);
                c.tag.reads().into_iter().chain(held).collect()
            }
            Value::Uninit(_)
            | Value::Closure(_)
            | Value::Iter(_)
            | Value::Unit
            | Value::Diverges => Vec::new(),
        }
    }
}

impl Value {
    /// Maps `f` over the parts of a tuple or struct; other values stay.
    pub fn map_parts(self, f: impl FnMut(Value) -> Value) -> Value {
        match self {
            Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(f).collect()),
            Value::RefStruct(of, parts) => Value::RefStruct(of, parts.into_iter().map(f).collect()),
            other => other,
        }
    }

    /// Names of the parts of a tuple or struct.
    pub fn part_names(&self) -> Vec<String> {
        match self {
            Value::Tuple(parts) => (0..parts.len()).map(|i| i.to_string()).collect(),
            Value::RefStruct(of, _) => of.fields.iter().map(|f| f.name.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// Marks the variables of split structs in the value as owned by a binding, so that they are not taken over again.
    pub fn not_unique(self) -> Value {
        match self {
            Value::RefStruct(of, parts) => {
                let parts = parts.into_iter().map(Value::not_unique).collect();
                Value::RefStruct(of.not_unique(), parts)
            }
            Value::Tuple(_) => self.map_parts(Value::not_unique),
            Value::SplitEnum(c) => {
                let (yes, no) = (c.payload.not_unique(), c.err_payload.not_unique());
                Value::SplitEnum(Box::new(SplitEnum {
                    payload: yes,
                    err_payload: no,
                    ..*c
                }))
            }
            Value::RefToAggregate(of, mutable) => {
                Value::RefToAggregate(Box::new(of.not_unique()), mutable)
            }
            other => other,
        }
    }

    /// Auto-deref: turns `&&T` into `&T` where `&T` is expected.
    pub fn auto_deref(self) -> Value {
        match self {
            Value::RefToAggregate(of, _) if matches!(*of, Value::PlaceRef(..)) => *of,
            other => other,
        }
    }

    /// The referent of a reference to a tuple, struct or reference; other values stay.
    pub fn strip_ref(self) -> Value {
        match self {
            Value::RefToAggregate(of, _) => *of,
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
            Value::Place(p) | Value::PlaceRef(p, _) => self.shallow(&p.ty),
            Value::Tuple(vs) => Ty::Tuple(vs.iter().map(|v| self.value_ty(v)).collect()),
            Value::RefStruct(of, _) => of.ty.clone(),
            Value::RefToAggregate(of, _) => self.value_ty(of),
            Value::SplitEnum(c) => self.split_enum_ty(c),
            Value::Uninit(ty) => self.shallow(ty),
            Value::Unit => Ty::Unit,
            Value::Diverges => self.fresh_ty(),
            Value::Closure(_) | Value::Iter(_) => Ty::Discrete("impl FnMut".into()),
        }
    }

    /// Converts the value to an expression: a place is read, a tuple becomes an aggregate.
    pub fn read(&mut self, value: Value, span: Span) -> (Expr, Ty) {
        match value {
            Value::Expr(e, ty) => (e, ty),
            Value::Place(p) | Value::PlaceRef(p, _) => {
                self.note_read(&p);
                let ty = p.ty.clone();
                (Expr::Read(p), ty)
            }
            Value::Tuple(values) => {
                let (parts, tys): (Vec<_>, Vec<_>) = values
                    .into_iter()
                    .map(|v| {
                        let v = self.refuse_mut_ref(v, span);
                        self.read(v, span)
                    })
                    .unzip();
                let ty = Ty::Tuple(tys);
                (Expr::Aggregate(parts, ty.clone()), ty)
            }
            Value::RefToAggregate(of, _) if matches!(*of, Value::PlaceRef(..)) => {
                self.read(*of, span)
            }
            Value::RefStruct(..) | Value::RefToAggregate(_, true) => {
                let what = match value {
                    Value::RefStruct(..) => "a struct that holds references, as a whole,",
                    _ => "a `&mut` reference to a tuple or struct whose parts stand apart",
                };
                let refused = self.refuse(span, Reason::Reference(what.into()));
                self.read(refused, span)
            }
            Value::RefToAggregate(of, false) => self.read(*of, span),
            Value::SplitEnum(c) => self.rebuild_enum(*c, span),
            Value::Uninit(ty) => {
                let var = self.new_var("absent", ty.clone(), Origin::Temp);
                self.emit(span, StmtKind::Let(var, None));
                (Expr::Read(self.draft.func.place(var)), ty)
            }
            Value::Unit => (Expr::Aggregate(Vec::new(), Ty::Unit), Ty::Unit),
            Value::Diverges => {
                let ty = self.fresh_ty();
                (Expr::Lit("0.0".into(), ty.clone()), ty)
            }
            Value::Closure(_) => {
                self.draft.refusals.push(span, Reason::Closure);
                (Expr::Lit("0.0".into(), Ty::F64), Ty::F64)
            }
            Value::Iter(items) => {
                if let Some(range) = self.range_argument(&items, span) {
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
    pub fn refuse_mut_ref(&mut self, value: Value, span: Span) -> Value {
        match holds_mut_ref(&value) {
            true => {
                let what = "a `&mut` reference held in a list or another value";
                self.refuse(span, Reason::Reference(what.into()))
            }
            false => value,
        }
    }

    /// The value of `Default::default()` for the type.
    pub fn default_value_of(&mut self, ty: &Ty) -> Value {
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
            Value::Place(p) | Value::PlaceRef(p, _) => {
                self.note_read(&p);
                p
            }
            Value::RefToAggregate(of, _) if matches!(*of, Value::PlaceRef(..)) => {
                self.place_of(*of, span)
            }
            other => {
                let (e, ty) = self.read(other, span);
                self.temp(span, "t", e, ty)
            }
        }
    }

    /// Copies the value so that later writes don't change it: places are read into temporaries.
    pub fn copy_to_temp(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) => {
                let ty = p.ty.clone();
                Value::Place(self.temp(span, "t", Expr::Read(p), ty))
            }
            Value::Expr(e, ty) if is_literal(&e) => Value::Expr(e, ty),
            Value::Expr(e, ty) => Value::Place(self.temp(span, "t", e, ty)),
            Value::Tuple(_) => value.map_parts(|v| self.copy_to_temp(v, span)),
            Value::RefStruct(of, parts) => self.copy_ref_struct(of, parts, span),
            Value::PlaceRef(p, mutable) => Value::PlaceRef(self.freeze_place(p, span), mutable),
            Value::SplitEnum(c) => {
                Value::SplitEnum(Box::new(self.owned_split_enum("t", *c, false, span)))
            }
            other => other,
        }
    }

    /// Freezes the place of a base or receiver, which may be written: what is indexed, or whose method is called, is
    /// not copied.
    pub fn freeze_receiver(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) if !self.shallow(&p.ty).is_scalar() && !self.infer.is_number(&p.ty) => {
                Value::Place(self.freeze_place(p, span))
            }
            // Its fields are variables, or references that may be reassigned themselves.
            Value::RefStruct(..) => value,
            value => self.copy_to_temp(value, span),
        }
    }

    /// Freezes the place: its indices, bounds and the references it is reached through are evaluated now. A reference
    /// keeps referring to the place it was taken of.
    pub fn freeze_place(&mut self, place: Place, span: Span) -> Place {
        let place = self.snapshot_ref(place, span);
        self.freeze_indices(place, span)
    }

    /// Freezes the indices and bounds of the place: they are evaluated now.
    pub fn freeze_indices(&mut self, mut place: Place, span: Span) -> Place {
        for e in place.operands_mut() {
            let taken = std::mem::replace(e, Expr::Lit(String::new(), Ty::Unit));
            let ty = index_type(&taken);
            *e = self.stable_operand(taken, ty, span);
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
fn holds_mut_ref(value: &Value) -> bool {
    match value {
        Value::PlaceRef(_, mutable) | Value::RefToAggregate(_, mutable) => *mutable,
        Value::Tuple(parts) | Value::RefStruct(_, parts) => parts.iter().any(holds_mut_ref),
        Value::SplitEnum(c) => holds_mut_ref(&c.payload) || holds_mut_ref(&c.err_payload),
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
