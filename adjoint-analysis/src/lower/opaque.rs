//! Opaque constants: values that depend on no independent, of types that are not looked into here.
//!
//! Such a value comes from a parameter that `wrt` leaves out or from a call, and may be of any type: a matrix of another
//! crate, an iterator, a distribution. An expression that looks into one and reads nothing but constants is evaluated as
//! written, as a whole, into a variable, of which rustc infers the type. A real found so is recorded where an adjoint
//! needs it, so that the reverse sweep never asks for the opaque value itself.

pub mod code;
mod items;
pub(super) mod lookup;
mod pattern;
mod statics;
pub(super) mod text_chains;
pub(super) mod texts;
pub(super) mod token_fields;
mod used;

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;

use self::lookup::is_by_reference;
use super::expr::{compound, operator, strip_parens};
use super::infer::closure_effects::may_have_state;
use super::inline::closure_arguments::Names;
use super::std_lib::method::{calculates, is_std_method};
use super::tokens::words;
use super::value::{Binding, Scope, Value};
use super::{Lower, Mode, Origin, Place, Ty, VarId, span};
use crate::ir::{CodeId, Expr, Stmt, StmtKind, base_name};
use crate::mir::code::By;
use crate::mir::code::tokens_at;

pub use items::takes_items;
pub use used::{advanced, looked_into};

/// Methods of maps and sets that are lowered one by one ([`self::lookup`]).
const OF_MAPS: &[&str] = &[
    "contains",
    "contains_key",
    "get",
    "into_iter",
    "is_empty",
    "iter",
    "keys",
    "len",
    "values",
];

/// Owners of functions of std's whose results are looked into here.
const OF_STD: &[&str] = &[
    "Box",
    "Default",
    "HashMap",
    "BTreeMap",
    "HashSet",
    "BTreeSet",
    "Option",
    "Result",
    "String",
    "Vec",
    "VecDeque",
    "array",
    "bool",
    "f32",
    "f64",
    "iter",
    "mem",
    "num",
    "num_traits",
    "FromPrimitive",
    "NumCast",
];

/// What is known of opaque constants.
#[derive(Default)]
pub struct Opaque {
    /// The variables that hold one.
    pub vars: HashSet<VarId>,
    /// The names that the body looks into in a way that types of std's have not, or only some of them.
    pub looked_into: BTreeSet<String>,
    /// The names of iterators whose items are taken one by one.
    pub advanced: BTreeSet<String>,
    /// Variables declared with a value that reads nothing but constants.
    constants: HashSet<VarId>,
    /// Those of them that are copies of a part of an opaque constant.
    left_out: HashSet<VarId>,
    /// The code that is evaluated as written.
    pub code: BTreeSet<CodeId>,
    /// Code that may give a reference to a number where the number is meant, and whether it names a place.
    numbers: HashMap<CodeId, bool>,
    /// Whether what the expression at hand borrows is needed after the statement, as by the items of an iterator.
    pub lasts: bool,
    /// How many items the lists hold that iterators were collected in.
    pub lengths: HashMap<VarId, Place>,
}

/// Whether the expression does nothing but find a value.
struct FindsOnly {
    holds: bool,
    /// Whether it calls a function or a method that may have a state.
    calls: bool,
    names: Vec<String>,
}

impl<'ast> Visit<'ast> for FindsOnly {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        self.holds &= match e {
            syn::Expr::Reference(r) => r.mutability.is_none(),
            syn::Expr::Binary(b) => compound(&b.op).is_none(),
            syn::Expr::Array(_)
            | syn::Expr::Block(_)
            | syn::Expr::Call(_)
            | syn::Expr::Cast(_)
            | syn::Expr::Closure(_)
            | syn::Expr::Field(_)
            | syn::Expr::Group(_)
            | syn::Expr::If(_)
            | syn::Expr::Index(_)
            | syn::Expr::Lit(_)
            | syn::Expr::Macro(_)
            | syn::Expr::Match(_)
            | syn::Expr::MethodCall(_)
            | syn::Expr::Paren(_)
            | syn::Expr::Path(_)
            | syn::Expr::Range(_)
            | syn::Expr::Repeat(_)
            | syn::Expr::Tuple(_)
            | syn::Expr::Unary(_) => true,
            _ => false,
        };
        syn::visit::visit_expr(self, e);
    }

    fn visit_expr_path(&mut self, p: &'ast syn::ExprPath) {
        self.names
            .extend(p.path.get_ident().map(ToString::to_string));
    }

    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        self.calls |= match strip_parens(&c.func) {
            syn::Expr::Path(p) => may_have_state(&p.path),
            _ => true,
        };
        syn::visit::visit_expr_call(self, c);
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        self.calls |= !is_std_method(&m.method.to_string());
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        words(&mac.tokens, &mut self.names);
    }
}

fn finds(e: &syn::Expr) -> FindsOnly {
    let mut only = FindsOnly {
        holds: true,
        calls: false,
        names: Vec::new(),
    };
    only.visit_expr(e);
    only
}

/// Whether the expression names a place rather than makes a value.
fn is_place(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Path(_) | syn::Expr::Index(_) | syn::Expr::Field(_) => true,
        syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}

impl Lower {
    /// The value of an expression that looks into opaque constants and reads nothing else.
    pub fn opaque(&mut self, e: &syn::Expr, expected: Option<&Ty>) -> Option<Value> {
        let lasts = std::mem::take(&mut self.opaque.lasts);
        let looks = matches!(
            e,
            syn::Expr::Binary(_)
                | syn::Expr::Call(_)
                | syn::Expr::Cast(_)
                | syn::Expr::Field(_)
                | syn::Expr::Index(_)
                | syn::Expr::MethodCall(_)
                | syn::Expr::Reference(_)
                | syn::Expr::Unary(_)
        );
        let is_written = self.is_written
            && matches!(
                e,
                syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Unary(_)
            );
        if !(looks && !is_written && self.looks_into(e, false) && self.reads_constants(e)) {
            return None;
        }
        Some(match lasts {
            true => self.found_in_steps(e),
            false => self.found_opaque(e, expected),
        })
    }

    /// What a chain of methods finds, with each receiver in a variable, so that it lasts.
    fn found_in_steps(&mut self, e: &syn::Expr) -> Value {
        let syn::Expr::MethodCall(m) = strip_parens(e) else {
            return self.found_opaque(e, None);
        };
        if !matches!(strip_parens(&m.receiver), syn::Expr::MethodCall(_))
            || !self.looks_into(&m.receiver, false)
        {
            return self.found_opaque(e, None);
        }
        let receiver = self.found_in_steps(&m.receiver);
        self.scopes.push(Scope::new());
        let name = syn::Ident::new("__receiver", m.method.span());
        self.bind("__receiver", Binding::Value(receiver));
        let mut step = m.clone();
        *step.receiver = syn::parse_quote!(#name);
        let found = self.found_opaque(&syn::Expr::MethodCall(step), None);
        self.scopes.pop();
        found
    }

    /// The expression, where what it borrows is needed after the statement.
    pub fn lasting(&mut self, e: &syn::Expr) -> Value {
        self.opaque.lasts = true;
        let value = self.expr(e);
        self.opaque.lasts = false;
        value
    }

    /// The same of what is bound to a name or handed on as it is, which may begin at a call.
    pub fn opaque_result(&mut self, e: &syn::Expr) -> Option<Value> {
        let is_one = self.looks_into(e, true) && self.reads_constants(e);
        is_one.then(|| self.found_opaque(e, None))
    }

    /// Whether a method, an index or an operator in the expression is one of an opaque constant.
    fn looks_into(&self, e: &syn::Expr, calls: bool) -> bool {
        let inner = |e: &syn::Expr| self.looks_into(e, false);
        match strip_parens(e) {
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let seen = self.env.seen.has_method(&name) || self.env.of_std_types.contains(&name);
                let of_number = calculates(&name);
                // Without an end, its items can't be listed.
                let has_end = name != "cycle";
                !seen
                    && has_end
                    && (!of_number && self.is_opaque_static(&m.receiver, &name)
                        || self.looks_into(&m.receiver, calls && !of_number)
                        || m.args.iter().any(inner)
                        || !of_number && self.is_opaque_place(&m.receiver) && !self.is_of_map(m))
            }
            syn::Expr::Index(i) => {
                inner(&i.expr) || inner(&i.index) || self.is_opaque_local(&i.expr)
            }
            syn::Expr::Field(f) => inner(&f.base) || self.is_opaque_local(&f.base),
            syn::Expr::Unary(u) => inner(&u.expr) || self.is_opaque_local(&u.expr),
            syn::Expr::Reference(r) => inner(&r.expr) || self.is_static_place(&r.expr),
            syn::Expr::Cast(c) => inner(&c.expr) || self.is_opaque_local(&c.expr),
            syn::Expr::Binary(b) if operator(&b.op).is_some() => {
                let operand = |e: &syn::Expr| {
                    self.looks_into(e, false)
                        || self.is_opaque_local(e)
                        || self.is_opaque_place(e) && self.is_looked_into(e)
                };
                operand(&b.left) || operand(&b.right)
            }
            syn::Expr::Call(c) => calls && self.is_opaque_call(c) || self.is_conversion(c),
            _ => false,
        }
    }

    /// Whether the call makes a float of an opaque constant: `f64::from(n)`.
    fn is_conversion(&self, c: &syn::ExprCall) -> bool {
        let syn::Expr::Path(p) = strip_parens(&c.func) else {
            return false;
        };
        let mut names = p.path.segments.iter().map(|s| s.ident.to_string());
        let names = (names.next(), names.next(), names.next());
        let of_float = matches!(&names, (Some(of), Some(from), None)
            if ["f32", "f64"].contains(&&**of) && from == "from");
        of_float && c.args.first().is_some_and(|arg| self.is_opaque_local(arg))
    }

    /// Whether the call is of a function of which nothing is seen.
    fn is_opaque_call(&self, c: &syn::ExprCall) -> bool {
        let syn::Expr::Path(p) = strip_parens(&c.func) else {
            return false;
        };
        let p = &*self.imported(p);
        let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
        let (last, owner) = (names.next().unwrap_or_default(), names.next());
        let owner = owner.unwrap_or_default();
        let is_seen = self.env.seen.function(&last).is_some()
            || self.template_at(p).is_some()
            || self.lookup(&last).is_some()
            || self.env.fields.keys().any(|(of, _)| *of == owner);
        let converts = last == "from" || self.env.float_params.contains(&owner);
        may_have_state(&p.path)
            && !(is_seen || converts)
            && !OF_STD.contains(&&*owner)
            && p.qself.is_none()
    }

    /// Whether the method is one of a map that is lowered by itself: of a parameter that takes no part.
    fn is_of_map(&self, m: &syn::ExprMethodCall) -> bool {
        if self.is_opaque_local(&m.receiver) {
            return false;
        }
        let is_lowered = OF_MAPS.iter().any(|name| m.method == name);
        let by_key = m.args.first().is_some_and(is_by_reference);
        match self.opaque_type(&m.receiver) {
            Some(Ty::Named(of)) => is_lowered && self.is_map_of_std(&of),
            _ => is_lowered && by_key,
        }
    }

    /// Whether the type is a map or a set of std's.
    fn is_map_of_std(&self, of: &str) -> bool {
        let name = base_name(of);
        let is_map = ["BTreeMap", "BTreeSet", "HashMap", "HashSet"].contains(&name);
        is_map && !self.env.has_type(name)
    }

    /// A map or a set that is made of constants, of the type that it is declared with.
    pub fn opaque_map(&mut self, local: &syn::Local, declared: Option<&Ty>) -> Option<Value> {
        let (syn::Pat::Type(t), Some(Ty::Named(of))) = (&local.pat, declared) else {
            return None;
        };
        let (ty, init) = (&t.ty, &local.init.as_ref()?.expr);
        let keeps = matches!(&*t.pat, syn::Pat::Ident(p) if p.mutability.is_none());
        if !keeps || !self.is_map_of_std(of) || !self.reads_constants(init) {
            return None;
        }
        let typed = syn::parse_quote!({ let __map: #ty = #init; __map });
        Some(self.found_opaque(&typed, None))
    }

    /// Whether the place holds an opaque constant.
    pub fn is_opaque_place(&self, e: &syn::Expr) -> bool {
        let is_open = match self.opaque_type(e) {
            Some(ty @ (Ty::Infer(_) | Ty::Unknown)) => !self.infer.is_number(&ty),
            Some(Ty::Named(of)) => !self.is_number_name(&of),
            _ => false,
        };
        is_open
            && self
                .root_of(e)
                .is_some_and(|root| self.is_left_out_root(root) || self.opaque.vars.contains(&root))
    }

    /// The same of a variable of the function's, or of a part of one.
    fn is_opaque_local(&self, e: &syn::Expr) -> bool {
        self.is_opaque_place(e)
            && self
                .root_of(e)
                .is_some_and(|root| self.opaque.vars.contains(&root))
    }

    /// Whether the body looks into the variable that the place is in.
    fn is_looked_into(&self, e: &syn::Expr) -> bool {
        let root = self.root_of(e);
        root.is_some_and(|root| {
            self.opaque
                .looked_into
                .contains(&self.draft.func.var(root).name)
        })
    }

    /// The variable that the place is in.
    fn root_of(&self, e: &syn::Expr) -> Option<VarId> {
        match strip_parens(e) {
            syn::Expr::Path(p) => match self.lookup(&p.path.get_ident()?.to_string())? {
                Binding::Var(v) => Some(*v),
                Binding::Value(Value::Place(p) | Value::View(p, false)) => Some(p.root),
                Binding::Value(_) => None,
            },
            syn::Expr::Field(f) => self.root_of(&f.base),
            syn::Expr::Index(i) => self.root_of(&i.expr),
            syn::Expr::Reference(r) if r.mutability.is_none() => self.root_of(&r.expr),
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => self.root_of(&u.expr),
            _ => None,
        }
    }

    /// The type of a place as far as it is known.
    fn opaque_type(&self, e: &syn::Expr) -> Option<Ty> {
        let ty = match strip_parens(e) {
            syn::Expr::Path(_) => self.type_at_sight(e)?,
            syn::Expr::Field(f) => match (self.opaque_type(&f.base)?, &f.member) {
                (Ty::Tuple(parts), syn::Member::Unnamed(i)) => {
                    parts.get(i.index as usize).cloned()?
                }
                (Ty::Named(of), syn::Member::Named(name)) => self
                    .env
                    .field(&of, &name.to_string())
                    .unwrap_or(Ty::Unknown),
                _ => Ty::Unknown,
            },
            syn::Expr::Index(i) => match self.opaque_type(&i.expr)?.element() {
                Some(element) => element.clone(),
                None => Ty::Unknown,
            },
            syn::Expr::Reference(r) => self.opaque_type(&r.expr)?,
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => {
                self.opaque_type(&u.expr)?
            }
            _ => return None,
        };
        match self.shallow(&ty) {
            Ty::Boxed(inner) => Some(self.shallow(&inner)),
            ty => Some(ty),
        }
    }

    /// Whether the variable is a parameter that takes no part and that nothing changes.
    pub fn is_left_out_root(&self, root: VarId) -> bool {
        let var = self.draft.func.var(root);
        let is_param = var.origin == Origin::Param && var.mode != Mode::Mut;
        is_param && self.env.left_out.contains(&var.name)
    }

    /// Whether the expression changes nothing and reads nothing but constants.
    fn reads_constants(&self, e: &syn::Expr) -> bool {
        let mut bound = Names::default();
        bound.visit_expr(e);
        let only = finds(e);
        only.holds
            && bound.0.iter().all(|name| self.lookup(name).is_none())
            && only.names.iter().all(|name| self.is_constant_binding(name))
    }

    fn is_constant_binding(&self, name: &str) -> bool {
        match self.lookup(name) {
            None => true,
            Some(Binding::Var(v)) => self.is_constant_place(&self.draft.func.place(*v)),
            Some(Binding::Value(Value::Place(p) | Value::View(p, false))) => {
                self.is_constant_place(p)
            }
            Some(Binding::Value(_)) => false,
        }
    }

    fn is_constant_place(&self, place: &Place) -> bool {
        let ty = self.shallow(&place.ty);
        !ty.carries_floats()
            || self.infer.is_int(&ty)
            || self.is_left_out_root(place.root)
            || self.opaque.vars.contains(&place.root)
            || self.is_constant(place.root)
    }

    /// Whether no derivative goes through the place, whatever is done with it.
    pub fn is_constant_part(&self, place: &Place) -> bool {
        !self.infer.known(&place.ty).carries_floats() || self.is_left_out_root(place.root)
    }

    /// Whether the variable was declared with a constant, and is not declared `mut`.
    fn is_constant(&self, v: VarId) -> bool {
        let is_temporary = self.draft.func.var(v).origin == Origin::Temp;
        self.opaque.constants.contains(&v) && (is_temporary || self.immutable.contains(&v))
    }

    /// Notes that the variable is declared with this value.
    pub fn note_constant(&mut self, v: VarId, value: &Expr) {
        if self.is_constant_value(value) {
            self.opaque.constants.insert(v);
        }
        if let Expr::Read(place) = value
            && (self.is_left_out_root(place.root) || self.opaque.vars.contains(&place.root))
        {
            self.opaque.left_out.insert(v);
        }
    }

    /// Notes that what the statement writes is no constant, whatever it was declared with.
    pub fn note_change(&mut self, stmt: &Stmt) {
        if !matches!(stmt.kind, StmtKind::Let(..)) {
            for place in stmt.written() {
                self.opaque.constants.remove(&place.root);
            }
        }
    }

    /// Whether the value reads nothing but constants.
    pub fn is_constant_value(&self, value: &Expr) -> bool {
        let mut reads = value.reads().into_iter();
        reads.all(|v| self.is_constant_place(&self.draft.func.place(v)))
    }

    /// Notes a name for a constant of a type that is not seen, which the body looks into.
    pub fn note_opaque(&mut self, name: &str, v: VarId) {
        let ty = self.shallow(&self.draft.func.var(v).ty);
        let is_open = match &ty {
            Ty::Infer(_) | Ty::Unknown => !self.infer.is_number(&ty),
            Ty::Named(of) => !self.is_number_name(of),
            _ => false,
        };
        let from_left_out = self.opaque.left_out.contains(&v);
        if is_open && from_left_out && self.opaque.looked_into.contains(name) {
            self.opaque.vars.insert(v);
        }
    }

    /// What the expression finds, in a variable.
    fn found_opaque(&mut self, e: &syn::Expr, expected: Option<&Ty>) -> Value {
        // What is said of the expression at hand is of no use to it, nor to the next one.
        self.take_wanted();
        (self.told, self.expected, self.is_statement) = (None, None, false);
        let span = span::of(e);
        let ty = match (strip_parens(e), expected) {
            (syn::Expr::Binary(b), _)
                if operator(&b.op).is_some_and(crate::ir::BinOp::is_comparison) =>
            {
                Ty::Bool
            }
            (syn::Expr::Cast(c), _) if !matches!(*c.ty, syn::Type::Infer(_)) => {
                self.written_type(&c.ty)
            }
            (_, Some(ty)) if ty.is_scalar() => ty.clone(),
            _ => self.infer.declared_elsewhere(),
        };
        let (code, mut places) = self.capture(e.to_token_stream());
        self.opaque.code.insert(code);
        let only = finds(e);
        if only.calls || only.names.iter().any(|name| self.lookup(name).is_none()) {
            // Code that reads this variable is not evaluated again.
            places.push(self.state_of_functions(span));
            self.draft.code[code.index()].by.push(By::Borrow);
        }
        if !ty.is_scalar() {
            self.opaque.numbers.insert(code, is_place(e));
        }
        let found = Expr::Code(code, places, ty.clone());
        let found = self.temp(span, "found", found, ty);
        self.opaque.vars.insert(found.root);
        Value::Place(found)
    }

    /// A variable that stands for what functions may have as a state of their own.
    fn state_of_functions(&mut self, span: proc_macro2::Span) -> Place {
        let nothing = Expr::Aggregate(Vec::new(), Ty::Unit);
        self.temp(span, "state", nothing, Ty::Unit)
    }

    /// Code that may give a reference, with its type: a number is read through references, and a place is copied.
    pub fn settle_opaque(&mut self, code: CodeId, ty: &Ty) {
        let Some(is_place) = self.opaque.numbers.remove(&code) else {
            return;
        };
        let tokens = std::mem::take(&mut self.draft.code[code.index()].tokens);
        self.draft.code[code.index()].tokens = match (ty, is_place) {
            (Ty::Float(_) | Ty::Int(_), _) if ty.is_known() => {
                let of = tokens_at(&ty.to_string(), proc_macro2::Span::call_site());
                quote!(::adjoint::__private::number::<#of, _>(&(#tokens)))
            }
            (_, true) => quote!(::core::clone::Clone::clone(&(#tokens))),
            _ => tokens,
        };
    }

    /// Code over a place, the first of the placeholders, in a variable.
    fn code_over(
        &mut self,
        name: &str,
        place: Place,
        by: By,
        tokens: TokenStream,
        span: proc_macro2::Span,
    ) -> Place {
        let code = self.add_code(tokens, vec![by]);
        let ty = self.infer.declared_elsewhere();
        self.opaque.numbers.insert(code, false);
        let found = Expr::Code(code, vec![place], ty.clone());
        self.temp(span, name, found, ty)
    }
}
