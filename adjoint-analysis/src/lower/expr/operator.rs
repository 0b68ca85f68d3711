//! Operators of user types: calls of the adjoint that `#[adjoint]` generates for the operator's `impl`.
//!
//! The macro can't tell a number's operator from a user type's if the type is an opaque name or unknown. A call is
//! always correct, as its adjoint is found through a trait that numbers implement too; the plain operator is correct
//! for numbers only, which rustc checks (`operand`). The choice between them decides what is refused and what is fast:
//! named types, and values used as structs elsewhere in the body, get a call.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::Span;
use quote::quote_spanned;

use super::strip_parens;
use crate::ir::{Arg, BinOp, Call, Callee, Expr, FloatTy, base_name};
use crate::lower::infer::struct_usage::StructUsage;
use crate::lower::inline::substitute_type;
use crate::lower::items::generic_arguments::{GenericArgs, infer_args, value_params};
use crate::lower::iter::Producer;
use crate::lower::std_lib::growth;
use crate::lower::std_lib::method::is_number_method;
use crate::lower::types::lower_type;
use crate::lower::value::{Binding, Value};
use crate::lower::{Environment, Lower, Origin, Place, StmtKind, Ty, VarId};

/// A visible operator `impl` of a user type.
#[derive(Clone, Debug)]
pub struct VisibleOperator {
    /// The name of the operator's trait.
    name: String,
    /// The parameters of its `impl`.
    params: Vec<String>,
    /// The types of the operands, without references.
    operands: Vec<syn::Type>,
    /// The result type; `None` for compound assignments.
    output: Option<syn::Type>,
}

impl VisibleOperator {
    /// Whether this is the operator with this trait name and left operand type.
    pub fn matches(&self, name: &str, of: &str) -> bool {
        let left = self.operands.first().map(crate::lower::types::text);
        self.name == name && left.is_some_and(|left| base_name(&left) == base_name(of))
    }

    /// The type of the right operand, without references.
    pub fn right_operand(&self) -> Option<&syn::Type> {
        self.operands.get(1)
    }

    /// The result type for operands of these types, if the `impl` accepts them.
    fn output_for(
        &self,
        types: &[Ty],
        is_number: &dyn Fn(&Ty) -> bool,
        env: &Environment,
    ) -> Option<Ty> {
        let mut found = GenericArgs::new();
        let pairs = || self.operands.iter().zip(types);
        pairs().for_each(|(of, ty)| infer_args(of, ty, &self.params, &mut found));
        let lowered = |of: &syn::Type| {
            let mut of = of.clone();
            substitute_type(found.clone(), &mut of);
            lower_type(&of, env).0
        };
        let fits = |(of, ty): (&syn::Type, &Ty)| {
            let of = lowered(of);
            of == *ty || of.is_float() && is_number(ty)
        };
        let fits = self.operands.len() == types.len()
            && self.params.iter().all(|param| found.contains_key(param))
            && pairs().all(fits);
        fits.then(|| self.output.as_ref().map(lowered)).flatten()
    }
}

/// The operator traits with their methods.
pub const OPERATORS: &[(&str, &str)] = &[
    ("Add", "add"),
    ("Sub", "sub"),
    ("Mul", "mul"),
    ("Div", "div"),
    ("Rem", "rem"),
    ("Neg", "neg"),
    ("AddAssign", "add_assign"),
    ("SubAssign", "sub_assign"),
    ("MulAssign", "mul_assign"),
    ("DivAssign", "div_assign"),
    ("RemAssign", "rem_assign"),
];

/// Facts about user types and their values in the body.
#[derive(Default)]
pub struct UserTypes {
    /// Values and types that are used as structs.
    pub struct_usage: StructUsage,
    /// Names of types that are aliases of number types.
    number_aliases: BTreeSet<String>,
    /// Operator results whose types only rustc knows.
    pub operator_results: HashSet<VarId>,
    /// Types of constructed structs and variants with the constructor's name, which may be an enum's or a variant's.
    pub constructed: Vec<(Ty, String)>,
    /// Types of associated constants, which may be variants: `Axis::X`.
    pub associated_constants: Vec<Ty>,
    /// Variables that hold structs, whatever methods they have.
    pub struct_vars: HashSet<VarId>,
    /// Whether the operator being lowered makes a value that is used as a struct.
    expects_struct: bool,
}

impl UserTypes {
    /// The struct uses of the body.
    pub fn in_body(body: &syn::Block) -> UserTypes {
        UserTypes {
            struct_usage: StructUsage::in_body(body),
            ..UserTypes::default()
        }
    }
}

impl UserTypes {
    /// Adds the struct uses of a closure's body and returns the previous set.
    pub fn enter_closure(&mut self, closure: &syn::ExprClosure) -> StructUsage {
        let outer = self.struct_usage.clone();
        self.struct_usage.enter_closure(closure);
        outer
    }

    /// Adds the struct uses of an inlined body and returns the previous set.
    pub fn enter_body(&mut self, other: UserTypes) -> StructUsage {
        let outer = self.struct_usage.clone();
        self.struct_usage.extend(other.struct_usage);
        outer
    }

    /// Restores the set that was returned when the body or closure was entered.
    pub fn restore(&mut self, outer: StructUsage) {
        self.struct_usage = outer;
    }

    /// Notes that the variable has a value of this type.
    pub fn note_type_of(&mut self, name: &str, ty: &str) {
        self.struct_usage.note_type_of(name, base_name(ty));
    }

    /// Whether the expression reads the result of an operator.
    pub fn is_operator_result(&self, e: &Expr) -> bool {
        matches!(e, Expr::Read(p) if p.is_whole() && self.operator_results.contains(&p.root))
    }
}

impl Lower {
    /// Notes that the operator or method to be lowered next makes a struct, by its use or annotation.
    pub fn expect_struct(&mut self, e: &syn::Expr) {
        self.user_types.expects_struct = match strip_parens(e) {
            syn::Expr::Binary(_) => true,
            syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Neg(_)),
            // A method that numbers have too would otherwise be assumed to make a number.
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                is_number_method(&name) && !growth::changes_length(&name)
            }
            _ => false,
        };
    }

    /// Whether the variable of this name is used as a struct.
    pub fn is_used_as_struct(&self, name: &str) -> bool {
        self.user_types.struct_usage.has_name(name)
    }

    /// Takes the note that the operator makes a struct, so that nested operators don't see it.
    pub fn take_struct_expectation(&mut self) -> bool {
        std::mem::take(&mut self.user_types.expects_struct)
    }

    /// Whether an operand of a sum is a struct, so that the other one is a struct too.
    pub fn has_struct_operand(&self, op: BinOp, b: &syn::ExprBinary) -> bool {
        let of_struct = |e: &syn::Expr| match strip_parens(e) {
            syn::Expr::Path(p) => p.path.get_ident().is_some_and(|name| {
                let ty = match self.lookup(&name.to_string()) {
                    Some(Binding::Var(v)) => &self.draft.func.var(*v).ty,
                    Some(Binding::Value(Value::Place(p) | Value::PlaceRef(p, _))) => &p.ty,
                    _ => return false,
                };
                matches!(self.shallow(ty), Ty::Named(_))
            }),
            _ => false,
        };
        matches!(op, BinOp::Add | BinOp::Sub) && (of_struct(&b.left) || of_struct(&b.right))
    }

    /// The operands of an operator. If its result is a struct, so is the left operand, and both operands of a sum.
    pub fn binary_operands(&mut self, b: &syn::ExprBinary, wanting: Option<BinOp>) -> Vec<Value> {
        let of_sum = matches!(wanting, Some(BinOp::Add | BinOp::Sub));
        let mut is_left = true;
        self.operands_with([&*b.left, &*b.right].into_iter(), &mut |l, e| {
            if wanting.is_some() && (is_left || of_sum) {
                l.expect_struct(e);
            }
            is_left = false;
            l.expr(e)
        })
    }

    /// Notes that a type name is an alias of a number type.
    pub fn note_number_alias(&mut self, ty: &Ty, value: &Ty) {
        let value = self.shallow(value);
        if let (Ty::Named(name), true) = (self.shallow(ty), self.infer.is_number(&value)) {
            self.user_types.number_aliases.insert(name);
        }
    }

    /// `l op r`, if an operand may be of a user type.
    pub fn user_binary(
        &mut self,
        op: BinOp,
        l: &Value,
        r: &Value,
        wanted: bool,
        span: Span,
    ) -> Option<Value> {
        let name = operator_trait(op)?;
        self.may_be_user_operand(&[l, r], wanted)
            .then(|| self.emit_operator_call(name, None, vec![l.clone(), r.clone()], span))
    }

    /// `left op= r`, if an operand may be of a user type.
    pub fn user_assign(
        &mut self,
        op: BinOp,
        left: &Place,
        r: &Value,
        wanted: bool,
        span: Span,
    ) -> bool {
        let Some(name) = operator_trait(op) else {
            return false;
        };
        let place = Value::Place(left.clone());
        let user = self.may_be_user_operand(&[&place, r], wanted);
        if user {
            let name = format!("{name}Assign");
            self.emit_operator_call(&name, Some(left.clone()), vec![r.clone()], span);
        }
        user
    }

    /// `-value`, if the operand may be of a user type.
    pub fn user_negation(&mut self, value: &Value, wanted: bool, span: Span) -> Option<Value> {
        self.may_be_user_operand(&[value], wanted)
            .then(|| self.emit_operator_call("Neg", None, vec![value.clone()], span))
    }

    /// `Add::add(a, b)`, if an operand may be of a user type.
    pub fn operator_function(
        &mut self,
        owner: &str,
        name: &str,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        let (operator, _) = OPERATORS.iter().find(|known| **known == (owner, name))?;
        let operands: Vec<&Value> = args.iter().collect();
        if args.len() != 1 + usize::from(name != "neg")
            || !self.may_be_user_operand(&operands, false)
        {
            return None;
        }
        let (left, operands) = match operator.ends_with("Assign") {
            true => (Some(self.place_of(args[0].clone(), span)), &args[1..]),
            false => (None, args),
        };
        Some(self.emit_operator_call(operator, left, operands.to_vec(), span))
    }

    /// `sum` over values of a user type: additions to the empty sum.
    pub fn user_sum(&mut self, p: &Producer, name: &str, span: Span) -> Value {
        let ty = Ty::Named(name.to_string());
        let tokens = crate::mir::code::tokens_at(name, span);
        let nothing = quote_spanned! {span=>
            <#tokens as ::core::iter::Sum<#tokens>>::sum(::core::iter::empty::<#tokens>())
        };
        let nothing = Expr::Code(self.add_code(nothing, Vec::new()), Vec::new(), ty.clone());
        let acc = self.mutable_var("acc", nothing, ty, span);
        self.for_each_item(p, span, &mut |l, item, _| {
            let what = match item {
                Value::PlaceRef(..) => "summed_shared",
                _ => "summed",
            };
            l.check_type(what, name, span);
            let sum =
                l.emit_operator_call("Add", None, vec![Value::Place(acc.clone()), item], span);
            l.store(Value::Place(acc.clone()), sum, span);
        });
        Value::Place(acc)
    }

    /// Whether an operand may be of a user type.
    pub fn may_be_user_operand(&mut self, operands: &[&Value], wanted: bool) -> bool {
        let types: Vec<Ty> = operands.iter().map(|v| self.value_ty(v)).collect();
        // An integer operand, such as a count or a position, has no adjoint.
        if types
            .iter()
            .any(|ty| self.infer.is_int(ty) || *ty == Ty::Bool)
        {
            return false;
        }
        // A constant next to a number is assumed to be a number.
        let constant = |v: &&Value| matches!(v, Value::Expr(Expr::Code(..), _));
        let with_number = types.iter().any(|ty| self.infer.is_number(ty));
        let wanted = wanted && !(with_number && operands.iter().any(constant));
        let held =
            |v: &&Value| matches!(v, Value::Expr(..) | Value::Place(_) | Value::PlaceRef(..));
        operands.iter().all(held)
            && operands
                .iter()
                .zip(&types)
                .any(|(v, ty)| self.is_user_operand(v, ty, wanted))
    }

    /// Whether the type name is known to be an alias of a number type.
    pub fn is_number_type_name(&self, name: &String) -> bool {
        self.user_types.number_aliases.contains(name)
            || self
                .emitted_checks
                .contains(&("float".to_string(), name.clone()))
    }

    /// Whether the value is an operator result of which only rustc knows whether it is a number.
    pub fn is_operator_value(&self, value: &Value) -> bool {
        matches!(value, Value::Place(p) | Value::PlaceRef(p, _)
            if p.is_whole() && self.user_types.operator_results.contains(&p.root))
    }

    fn is_user_operand(&self, value: &Value, ty: &Ty, wanted: bool) -> bool {
        match ty {
            Ty::Named(name) => !self.is_number_type_name(name),
            Ty::Infer(_) if self.has_constructor(ty) || is_aggregate_literal(value) => true,
            Ty::Unknown | Ty::Infer(_) if !self.infer.is_number(ty) => match value {
                Value::Place(p) | Value::PlaceRef(p, _) => {
                    wanted || p.is_whole() && self.user_types.operator_results.contains(&p.root)
                }
                _ => wanted,
            },
            _ => false,
        }
    }

    /// Whether the type is that of a struct literal whose generic arguments are still open, or of a constructor call.
    pub fn has_constructor(&self, ty: &Ty) -> bool {
        self.struct_literal_name(ty).is_some() || self.constructor_name(ty).is_some()
    }

    /// The name of the constructor that made the values of this type.
    fn constructor_name(&self, ty: &Ty) -> Option<&str> {
        let mut made = self.user_types.constructed.iter();
        let (_, name) = made.find(|(t, _)| self.shallow(t) == *ty && matches!(ty, Ty::Infer(_)))?;
        Some(name)
    }

    /// Gives an operand its constructor's name as its type: a value with operators is a struct, not a variant.
    fn unify_with_constructor(&mut self, operand: &Value) {
        let ty = self.value_ty(operand);
        if let Some(name) = self.constructor_name(&ty) {
            let named = Ty::Named(name.to_string());
            self.unify(&ty, &named);
        }
    }

    /// The name of the struct literal with this type, whose generic arguments are still open.
    pub fn struct_literal_name(&self, ty: &Ty) -> Option<&str> {
        let mut made = self.constructed_types.iter();
        let (_, name) = made.find(|(t, _)| self.shallow(t) == *ty)?;
        Some(name)
    }

    /// Emits the call of an operator; `left` is the left operand of a compound assignment.
    pub fn emit_operator_call(
        &mut self,
        name: &str,
        left: Option<Place>,
        operands: Vec<Value>,
        span: Span,
    ) -> Value {
        operands.iter().for_each(|v| self.unify_with_constructor(v));
        let method = OPERATORS.iter().find(|(n, _)| *n == name);
        let (_, method) = method.copied().unwrap_or_default();
        let output = match left {
            Some(_) => None,
            None => Some(self.operator_output(name, &operands)),
        };
        let mut args: Vec<Arg> = left.map(Arg::Mut).into_iter().collect();
        args.extend(operands.into_iter().map(|v| self.lower_arg(v, span)));
        let (trait_name, function) = (
            proc_macro2::Ident::new(name, span),
            proc_macro2::Ident::new(method, span),
        );
        let code = quote_spanned!(span=> ::core::ops::#trait_name::#function);
        let callee = Callee {
            name: format!("core::ops::{name}::{method}"),
            path: Some(self.add_code(code, Vec::new())),
        };
        let result = output.map(|ty| self.new_var("value", ty, Origin::Temp));
        let call = Call {
            result,
            callee,
            args,
        };
        self.emit(span, StmtKind::Call(call));
        let Some(var) = result else {
            return Value::Unit;
        };
        let place = self.draft.func.place(var);
        if let Ty::Infer(_) = place.ty {
            self.user_types.operator_results.insert(var);
        }
        Value::Place(place)
    }

    /// The result type of an operator: its visible `impl`'s `Output`, or a projection that rustc resolves.
    fn operator_output(&mut self, name: &str, operands: &[Value]) -> Ty {
        let types: Vec<Ty> = operands.iter().map(|v| self.value_ty(v)).collect();
        let is_number = |ty: &Ty| self.infer.is_number(ty);
        let mut of_name = self.env.operators.iter().filter(|o| o.name == name);
        if let Some(made) = of_name.find_map(|o| o.output_for(&types, &is_number, &self.env)) {
            return made;
        }
        let written = |(value, ty): (&Value, &Ty)| {
            let text = match ty {
                Ty::Named(name) => name.clone(),
                Ty::Float(float) if *float != FloatTy::Infer => float.name().to_string(),
                _ => return None,
            };
            Some(match value {
                Value::PlaceRef(_, false) => format!("& {text}"),
                Value::PlaceRef(_, true) => format!("& mut {text}"),
                _ => text,
            })
        };
        let named: Vec<Option<String>> = operands.iter().zip(&types).map(written).collect();
        let of = "as :: core :: ops ::";
        match &named[..] {
            [Some(value)] => Ty::Named(format!("< {value} {of} {name} > :: Output")),
            [Some(l), Some(r)] => Ty::Named(format!("< {l} {of} {name} < {r} > > :: Output")),
            // The type of a literal is left to rustc; scaling a value preserves its type.
            [Some(_), None] if self.infer.is_number(&types[1]) => types[0].clone(),
            [None, Some(_)] if self.infer.is_number(&types[0]) => types[1].clone(),
            _ => self.infer.fresh_external(),
        }
    }
}

/// The operator that an `impl` declares, for the items that see it.
pub fn visible_operator(item: &syn::ItemImpl) -> Option<VisibleOperator> {
    let of = operator_impl(item)?;
    let mut operands = vec![(*item.self_ty).clone()];
    operands.extend(of.right);
    Some(VisibleOperator {
        name: of.name,
        params: value_params(&item.generics),
        operands,
        output: of.output,
    })
}

/// The parts of an operator's `impl`.
pub struct OperatorImpl {
    /// The name of the operator's trait.
    pub name: String,
    /// The name of its method.
    pub method: &'static str,
    /// The type of the right operand, if there is one.
    pub right: Option<syn::Type>,
    /// The result type; `None` for compound assignments.
    pub output: Option<syn::Type>,
}

/// The parts of an operator's `impl`; `None` for other `impl`s.
pub fn operator_impl(item: &syn::ItemImpl) -> Option<OperatorImpl> {
    let (path, _) = item.trait_.as_ref()?;
    let last = path.segments.last()?;
    let (name, method) = OPERATORS.iter().find(|(name, _)| last.ident == name)?;
    let right = match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|a| match a {
            syn::GenericArgument::Type(ty) => Some(ty.clone()),
            _ => None,
        }),
        _ => None,
    };
    let of_self = |ty: syn::Type| match crate::lower::types::text(&ty) == "Self" {
        true => (*item.self_ty).clone(),
        false => ty,
    };
    let right = (*name != "Neg").then(|| right.map_or((*item.self_ty).clone(), of_self));
    let output = item.items.iter().find_map(|i| match i {
        syn::ImplItem::Type(t) if t.ident == "Output" => Some(of_self(t.ty.clone())),
        _ => None,
    });
    Some(OperatorImpl {
        name: name.to_string(),
        method,
        right,
        output,
    })
}

/// Whether the operator is a comparison.
pub fn is_comparison_op(op: &syn::BinOp) -> bool {
    super::binary_op(op).is_some_and(BinOp::is_comparison)
}

/// Whether the value is a struct or variant literal.
pub fn is_aggregate_literal(value: &Value) -> bool {
    matches!(value, Value::Expr(Expr::Variant(..), _))
}

/// The trait of an arithmetic operator.
pub fn operator_trait(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add => "Add",
        BinOp::Sub => "Sub",
        BinOp::Mul => "Mul",
        BinOp::Div => "Div",
        BinOp::Rem => "Rem",
        _ => return None,
    })
}
