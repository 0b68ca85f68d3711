//! Operators of users' types: calls of what `#[adjoint]` puts beside the `impl` of the operator.
//!
//! Where a type has a name that says nothing, and where only rustc knows the type, the macro can't tell
//! an operator of a number from one of the user's. The adjoint of the call is found through a trait that
//! numbers have too, so a call is always right, and the plain operator is right for numbers, which rustc
//! checks (`operand`). Which of the two is written only decides what is refused and what is
//! fast: a call for types with names, and for values that are used as structs elsewhere in the body.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::Span;
use quote::quote_spanned;

use super::strip_parens;
use crate::ir::{Arg, BinOp, Call, Callee, Expr, FloatTy, base_name};
use crate::lower::infer::struct_usage::Shapes;
use crate::lower::inline::put_in;
use crate::lower::items::generic_arguments::{Found, parameters, tell};
use crate::lower::iter::Producer;
use crate::lower::std_lib::growth;
use crate::lower::std_lib::method::is_number_method;
use crate::lower::types::lower_type;
use crate::lower::value::{Binding, Value};
use crate::lower::{Environment, Lower, Origin, Place, StmtKind, Ty, VarId};

/// An operator of a type of the user's that is seen together with its uses.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The name of the trait.
    name: String,
    /// The parameters of its `impl`.
    params: Vec<String>,
    /// What its operands are, or refer to.
    operands: Vec<syn::Type>,
    /// What it makes; nothing, if it assigns.
    output: Option<syn::Type>,
}

impl Operator {
    /// Whether it is the operator of this name of the type.
    pub fn is(&self, name: &str, of: &str) -> bool {
        let left = self.operands.first().map(crate::lower::types::text);
        self.name == name && left.is_some_and(|left| base_name(&left) == base_name(of))
    }

    /// What the right operand is, or refers to.
    pub fn right(&self) -> Option<&syn::Type> {
        self.operands.get(1)
    }

    /// What it makes of operands of these types, if it takes such.
    fn made_of(
        &self,
        types: &[Ty],
        is_number: &dyn Fn(&Ty) -> bool,
        env: &Environment,
    ) -> Option<Ty> {
        let mut found = Found::new();
        let pairs = || self.operands.iter().zip(types);
        pairs().for_each(|(of, ty)| tell(of, ty, &self.params, &mut found));
        let lowered = |of: &syn::Type| {
            let mut of = of.clone();
            put_in(found.clone(), &mut of);
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

/// The traits of the operators, with their methods.
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

/// What is known of users' types and values in the body.
#[derive(Default)]
pub struct Users {
    /// What is used as structs are.
    pub shapes: Shapes,
    /// Names of types that turned out to be numbers.
    numbers: BTreeSet<String>,
    /// Results of operators, of types that only rustc knows.
    pub results: HashSet<VarId>,
    /// Types of structs and variants, as their constructors tell, whose names only rustc can tell apart.
    pub made: Vec<(Ty, String)>,
    /// Types of constants that belong to types, which may be variants: `Axis::X`.
    pub constants: Vec<Ty>,
    /// Variables that are structs, whatever their methods are named.
    pub structs: HashSet<VarId>,
    /// Whether the operator at hand makes a value that is used as a struct.
    wanted: bool,
}

impl Users {
    /// What the body tells.
    pub fn of(body: &syn::Block) -> Users {
        Users {
            shapes: Shapes::of(body),
            ..Users::default()
        }
    }
}

impl Users {
    /// Takes in what a closure tells of its parameters; what was there before is given back.
    pub fn within(&mut self, closure: &syn::ExprClosure) -> Shapes {
        let outer = self.shapes.clone();
        self.shapes.enter(closure);
        outer
    }

    /// Takes in what another body tells; what was there before is given back.
    pub fn with(&mut self, other: Users) -> Shapes {
        let outer = self.shapes.clone();
        self.shapes.extend(other.shapes);
        outer
    }

    /// The end of what [`Users::with`] or [`Users::within`] began.
    pub fn restore(&mut self, outer: Shapes) {
        self.shapes = outer;
    }

    /// The value of this name is of this type.
    pub fn is_of(&mut self, name: &str, ty: &str) {
        self.shapes.is_of(name, base_name(ty));
    }

    /// Whether the expression is the result of an operator.
    pub fn made(&self, e: &Expr) -> bool {
        matches!(e, Expr::Read(p) if p.is_whole() && self.results.contains(&p.root))
    }
}

impl Lower {
    /// Notes that the value of an operator or a method is of a struct, by its use or its annotation.
    pub fn want_struct(&mut self, e: &syn::Expr) {
        self.users.wanted = match strip_parens(e) {
            syn::Expr::Binary(_) => true,
            syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Neg(_)),
            // The methods of numbers make numbers.
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                is_number_method(&name) && !growth::is_of_lists(&name)
            }
            _ => false,
        };
    }

    /// Whether the names on the left are used as structs.
    pub fn wants_struct(&self, name: &str) -> bool {
        self.users.shapes.holds(name)
    }

    /// What was noted for the operator at hand, which is no longer that of the next.
    pub fn take_wanted(&mut self) -> bool {
        std::mem::take(&mut self.users.wanted)
    }

    /// Whether a sum has an operand of a struct, so that the other one is a struct too.
    pub fn makes_struct(&self, op: BinOp, b: &syn::ExprBinary) -> bool {
        let of_struct = |e: &syn::Expr| match strip_parens(e) {
            syn::Expr::Path(p) => p.path.get_ident().is_some_and(|name| {
                let ty = match self.lookup(&name.to_string()) {
                    Some(Binding::Var(v)) => &self.draft.func.var(*v).ty,
                    Some(Binding::Value(Value::Place(p) | Value::View(p, _))) => &p.ty,
                    _ => return false,
                };
                matches!(self.shallow(ty), Ty::Named(_))
            }),
            _ => false,
        };
        matches!(op, BinOp::Add | BinOp::Sub) && (of_struct(&b.left) || of_struct(&b.right))
    }

    /// The operands of an operator. Where it makes a struct, so do operators in its left operand, and
    /// in both of a sum.
    pub fn wanted_operands(&mut self, b: &syn::ExprBinary, wanting: Option<BinOp>) -> Vec<Value> {
        let of_sum = matches!(wanting, Some(BinOp::Add | BinOp::Sub));
        let mut is_left = true;
        self.operands_by([&*b.left, &*b.right].into_iter(), &mut |l, e| {
            if wanting.is_some() && (is_left || of_sum) {
                l.want_struct(e);
            }
            is_left = false;
            l.expr(e)
        })
    }

    /// Notes that a name of a type stands for a number.
    pub fn is_of_number(&mut self, ty: &Ty, value: &Ty) {
        let value = self.shallow(value);
        if let (Ty::Named(name), true) = (self.shallow(ty), self.infer.is_number(&value)) {
            self.users.numbers.insert(name);
        }
    }

    /// `l op r`, if an operand may be of a type of the user's.
    pub fn user_binary(
        &mut self,
        op: BinOp,
        l: &Value,
        r: &Value,
        wanted: bool,
        span: Span,
    ) -> Option<Value> {
        let name = trait_of(op)?;
        self.may_be_user(&[l, r], wanted)
            .then(|| self.operator_call(name, None, vec![l.clone(), r.clone()], span))
    }

    /// `left op= r`, if an operand may be of a type of the user's.
    pub fn user_assign(
        &mut self,
        op: BinOp,
        left: &Place,
        r: &Value,
        wanted: bool,
        span: Span,
    ) -> bool {
        let Some(name) = trait_of(op) else {
            return false;
        };
        let place = Value::Place(left.clone());
        let user = self.may_be_user(&[&place, r], wanted);
        if user {
            let name = format!("{name}Assign");
            self.operator_call(&name, Some(left.clone()), vec![r.clone()], span);
        }
        user
    }

    /// `-value`, if it may be of a type of the user's.
    pub fn user_negation(&mut self, value: &Value, wanted: bool, span: Span) -> Option<Value> {
        self.may_be_user(&[value], wanted)
            .then(|| self.operator_call("Neg", None, vec![value.clone()], span))
    }

    /// `Add::add(a, b)`, of a type of the user's.
    pub fn operator_function(
        &mut self,
        owner: &str,
        name: &str,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        let (operator, _) = OPERATORS.iter().find(|known| **known == (owner, name))?;
        let operands: Vec<&Value> = args.iter().collect();
        if args.len() != 1 + usize::from(name != "neg") || !self.may_be_user(&operands, false) {
            return None;
        }
        let (left, operands) = match operator.ends_with("Assign") {
            true => (Some(self.place_of(args[0].clone(), span)), &args[1..]),
            false => (None, args),
        };
        Some(self.operator_call(operator, left, operands.to_vec(), span))
    }

    /// `sum` of values of a type of the user's: additions, behind what the sum of nothing is.
    pub fn user_sum(&mut self, p: &Producer, name: &str, span: Span) -> Value {
        let ty = Ty::Named(name.to_string());
        let tokens = crate::mir::code::tokens_at(name, span);
        let nothing = quote_spanned! {span=>
            <#tokens as ::core::iter::Sum<#tokens>>::sum(::core::iter::empty::<#tokens>())
        };
        let nothing = Expr::Code(self.add_code(nothing, Vec::new()), Vec::new(), ty.clone());
        let acc = self.variable("acc", nothing, ty, span);
        self.over(p, span, &mut |l, item, _| {
            let what = match item {
                Value::View(..) => "summed_shared",
                _ => "summed",
            };
            l.demand(what, name, span);
            let sum = l.operator_call("Add", None, vec![Value::Place(acc.clone()), item], span);
            l.store(Value::Place(acc.clone()), sum, span);
        });
        Value::Place(acc)
    }

    /// Whether one of the operands may be of a type of the user's.
    pub fn may_be_user(&mut self, operands: &[&Value], wanted: bool) -> bool {
        let types: Vec<Ty> = operands.iter().map(|v| self.value_ty(v)).collect();
        // A number of things, a position: no adjoint would be asked for.
        if types
            .iter()
            .any(|ty| self.infer.is_int(ty) || *ty == Ty::Bool)
        {
            return false;
        }
        // A constant beside a number is taken for a number.
        let constant = |v: &&Value| matches!(v, Value::Expr(Expr::Code(..), _));
        let with_number = types.iter().any(|ty| self.infer.is_number(ty));
        let wanted = wanted && !(with_number && operands.iter().any(constant));
        let held = |v: &&Value| matches!(v, Value::Expr(..) | Value::Place(_) | Value::View(..));
        operands.iter().all(held)
            && operands
                .iter()
                .zip(&types)
                .any(|(v, ty)| self.is_users(v, ty, wanted))
    }

    /// Whether the type of this name is known to be a number.
    pub fn is_number_name(&self, name: &String) -> bool {
        self.users.numbers.contains(name)
            || self.demands.contains(&("float".to_string(), name.clone()))
    }

    /// Whether the value is what an operator made of which only rustc knows whether it is one of numbers.
    pub fn is_operated(&self, value: &Value) -> bool {
        matches!(value, Value::Place(p) | Value::View(p, _)
            if p.is_whole() && self.users.results.contains(&p.root))
    }

    fn is_users(&self, value: &Value, ty: &Ty, wanted: bool) -> bool {
        match ty {
            Ty::Named(name) => !self.is_number_name(name),
            Ty::Infer(_) if self.is_constructed(ty) || is_literal(value) => true,
            Ty::Unknown | Ty::Infer(_) if !self.infer.is_number(ty) => match value {
                Value::Place(p) | Value::View(p, _) => {
                    wanted || p.is_whole() && self.users.results.contains(&p.root)
                }
                _ => wanted,
            },
            _ => false,
        }
    }

    /// Whether the type is that of a struct literal, whose generics are not known yet, or of what a constructor made.
    pub fn is_constructed(&self, ty: &Ty) -> bool {
        self.constructed_name(ty).is_some() || self.maker(ty).is_some()
    }

    /// The constructor that made what has the type.
    fn maker(&self, ty: &Ty) -> Option<&str> {
        let mut made = self.users.made.iter();
        let (_, name) = made.find(|(t, _)| self.shallow(t) == *ty && matches!(ty, Ty::Infer(_)))?;
        Some(name)
    }

    /// What has operators is a struct: the constructor has its name.
    fn name_made(&mut self, operand: &Value) {
        let ty = self.value_ty(operand);
        if let Some(name) = self.maker(&ty) {
            let named = Ty::Named(name.to_string());
            self.unify(&ty, &named);
        }
    }

    /// The name of a struct whose literal has the type.
    pub fn constructed_name(&self, ty: &Ty) -> Option<&str> {
        let mut made = self.named.iter();
        let (_, name) = made.find(|(t, _)| self.shallow(t) == *ty)?;
        Some(name)
    }

    /// The call of an operator; of one that assigns, with its left operand.
    pub fn operator_call(
        &mut self,
        name: &str,
        left: Option<Place>,
        operands: Vec<Value>,
        span: Span,
    ) -> Value {
        operands.iter().for_each(|v| self.name_made(v));
        let method = OPERATORS.iter().find(|(n, _)| *n == name);
        let (_, method) = method.copied().unwrap_or_default();
        let output = match left {
            Some(_) => None,
            None => Some(self.operator_output(name, &operands)),
        };
        let mut args: Vec<Arg> = left.map(Arg::Mut).into_iter().collect();
        args.extend(operands.into_iter().map(|v| self.argument(v, span)));
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
            self.users.results.insert(var);
        }
        Value::Place(place)
    }

    /// The type that the operator makes: as its `impl` says, where that is seen, else as rustc knows it.
    fn operator_output(&mut self, name: &str, operands: &[Value]) -> Ty {
        let types: Vec<Ty> = operands.iter().map(|v| self.value_ty(v)).collect();
        let is_number = |ty: &Ty| self.infer.is_number(ty);
        let mut of_name = self.env.operators.iter().filter(|o| o.name == name);
        if let Some(made) = of_name.find_map(|o| o.made_of(&types, &is_number, &self.env)) {
            return made;
        }
        let written = |(value, ty): (&Value, &Ty)| {
            let text = match ty {
                Ty::Named(name) => name.clone(),
                Ty::Float(float) if *float != FloatTy::Infer => float.name().to_string(),
                _ => return None,
            };
            Some(match value {
                Value::View(_, false) => format!("& {text}"),
                Value::View(_, true) => format!("& mut {text}"),
                _ => text,
            })
        };
        let named: Vec<Option<String>> = operands.iter().zip(&types).map(written).collect();
        let of = "as :: core :: ops ::";
        match &named[..] {
            [Some(value)] => Ty::Named(format!("< {value} {of} {name} > :: Output")),
            [Some(l), Some(r)] => Ty::Named(format!("< {l} {of} {name} < {r} > > :: Output")),
            // A literal takes the type that rustc finds; to scale a value leaves its type.
            [Some(_), None] if self.infer.is_number(&types[1]) => types[0].clone(),
            [None, Some(_)] if self.infer.is_number(&types[0]) => types[1].clone(),
            _ => self.infer.declared_elsewhere(),
        }
    }
}

/// The operators that an `impl` makes known to what is seen with it.
pub fn known(item: &syn::ItemImpl) -> Option<Operator> {
    let of = operator_of(item)?;
    let mut operands = vec![(*item.self_ty).clone()];
    operands.extend(of.right);
    Some(Operator {
        name: of.name,
        params: parameters(&item.generics),
        operands,
        output: of.output,
    })
}

/// The operator that an `impl` is of.
pub struct OperatorImpl {
    /// The name of the trait.
    pub name: String,
    /// The name of its method.
    pub method: &'static str,
    /// The type of the right operand, where there is one.
    pub right: Option<syn::Type>,
    /// What it makes; nothing, if it assigns.
    pub output: Option<syn::Type>,
}

/// The operator that an `impl` is of, if it is of one.
pub fn operator_of(item: &syn::ItemImpl) -> Option<OperatorImpl> {
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

/// Whether the operator compares.
pub fn compares(op: &syn::BinOp) -> bool {
    super::operator(op).is_some_and(BinOp::is_comparison)
}

/// Whether the value is that of a struct or a variant, as it is written.
pub fn is_literal(value: &Value) -> bool {
    matches!(value, Value::Expr(Expr::Variant(..), _))
}

/// The trait of an arithmetic operator.
pub fn trait_of(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add => "Add",
        BinOp::Sub => "Sub",
        BinOp::Mul => "Mul",
        BinOp::Div => "Div",
        BinOp::Rem => "Rem",
        _ => return None,
    })
}
