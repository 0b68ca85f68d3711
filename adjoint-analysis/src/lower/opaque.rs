//! Opaque constants: values that depend on no independent, of types that are not analysed.
//!
//! Such a value comes from a parameter that `wrt` excludes or from a call, and may be of any type: a matrix of another
//! crate, an iterator, a distribution. An expression that inspects one and reads nothing but constants is evaluated as
//! written, as a whole, into a variable whose type rustc infers. A real computed this way is recorded where an adjoint
//! needs it, so that the reverse sweep never needs the opaque value itself.

pub mod code;
mod inspected_names;
mod iterators;
pub(super) mod maps;
mod pattern;
mod statics;
pub(super) mod text_chains;
pub(super) mod texts;
pub(super) mod token_fields;

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;

use self::maps::is_reference_key;
use super::expr::{binary_op, compound_op, strip_parens};
use super::infer::closure_effects::may_have_hidden_state;
use super::inline::closure_arguments::BoundNames;
use super::std_lib::method::{is_computation, is_std_method};
use super::tokens::identifiers;
use super::value::{Binding, Scope, Value};
use super::{Lower, Mode, Origin, Place, Ty, VarId, span};
use crate::ir::{CodeId, Expr, Stmt, StmtKind, base_name};
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;

pub use self::inspected_names::{advanced_iterators, inspected_names};
pub use self::iterators::consumes_items;

/// Methods of maps and sets, each of which has a lowering of its own.
const MAP_METHODS: &[&str] = &[
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

/// Owners of std functions whose results are analysed.
const STD_OWNERS: &[&str] = &[
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

/// The opaque constants of a function.
#[derive(Default)]
pub struct OpaqueConstants {
    /// The variables that hold an opaque constant.
    pub vars: HashSet<VarId>,
    /// The names that the body inspects in a way that std types don't allow, or only some of them.
    pub inspected: BTreeSet<String>,
    /// The names of iterators that are advanced by hand, item by item.
    pub advanced_iterators: BTreeSet<String>,
    /// Variables initialised with a value that reads nothing but constants.
    constants: HashSet<VarId>,
    /// Variables that are copies of a part of an excluded parameter or an opaque constant.
    excluded_copies: HashSet<VarId>,
    /// Code that is evaluated as written.
    pub code: BTreeSet<CodeId>,
    /// Code that may yield a reference to a number instead of the number, and whether it is a place expression.
    maybe_references: HashMap<CodeId, bool>,
    /// Whether the borrows of the current expression must outlive the statement, as for the items of an iterator.
    pub outlives_stmt: bool,
    /// The numbers of items in the lists into which iterators were collected.
    pub list_lengths: HashMap<VarId, Place>,
}

/// Determines whether an expression only computes a value, without other effects.
struct PurityVisitor {
    is_pure: bool,
    /// Whether it calls a function or a method that may have hidden state.
    may_have_state: bool,
    names: Vec<String>,
}

impl<'ast> Visit<'ast> for PurityVisitor {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        self.is_pure &= match e {
            syn::Expr::Reference(r) => r.mutability.is_none(),
            syn::Expr::Binary(b) => compound_op(&b.op).is_none(),
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
        self.may_have_state |= match strip_parens(&c.func) {
            syn::Expr::Path(p) => may_have_hidden_state(&p.path),
            _ => true,
        };
        syn::visit::visit_expr_call(self, c);
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        self.may_have_state |= !is_std_method(&m.method.to_string());
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        identifiers(&mac.tokens, &mut self.names);
    }
}

fn check_purity(e: &syn::Expr) -> PurityVisitor {
    let mut only = PurityVisitor {
        is_pure: true,
        may_have_state: false,
        names: Vec::new(),
    };
    only.visit_expr(e);
    only
}

/// Whether the expression is a place expression, and no rvalue.
fn is_place_expr(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Path(_) | syn::Expr::Index(_) | syn::Expr::Field(_) => true,
        syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}

impl Lower {
    /// Lowers an expression that inspects opaque constants and reads nothing else.
    pub fn lower_opaque(&mut self, e: &syn::Expr, expected: Option<&Ty>) -> Option<Value> {
        let lasts = std::mem::take(&mut self.opaque.outlives_stmt);
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
        let is_written = self.in_mutable_place
            && matches!(
                e,
                syn::Expr::Field(_) | syn::Expr::Index(_) | syn::Expr::Unary(_)
            );
        if !(looks && !is_written && self.inspects_opaque(e, false) && self.reads_constants(e)) {
            return None;
        }
        Some(match lasts {
            true => self.eval_in_steps(e),
            false => self.eval_opaque(e, expected),
        })
    }

    /// Evaluates a chain of methods with each receiver in a variable, so that its borrows outlive the statement.
    fn eval_in_steps(&mut self, e: &syn::Expr) -> Value {
        let syn::Expr::MethodCall(m) = strip_parens(e) else {
            return self.eval_opaque(e, None);
        };
        if !matches!(strip_parens(&m.receiver), syn::Expr::MethodCall(_))
            || !self.inspects_opaque(&m.receiver, false)
        {
            return self.eval_opaque(e, None);
        }
        let receiver = self.eval_in_steps(&m.receiver);
        self.scopes.push(Scope::new());
        let name = syn::Ident::new("__receiver", m.method.span());
        self.bind("__receiver", Binding::Value(receiver));
        let mut step = m.clone();
        *step.receiver = syn::parse_quote!(#name);
        let found = self.eval_opaque(&syn::Expr::MethodCall(step), None);
        self.scopes.pop();
        found
    }

    /// Lowers an expression whose borrows must outlive the statement.
    pub fn lower_outliving(&mut self, e: &syn::Expr) -> Value {
        self.opaque.outlives_stmt = true;
        let value = self.expr(e);
        self.opaque.outlives_stmt = false;
        value
    }

    /// Lowers such an expression that is bound to a name or passed on as it is, which may begin with a call.
    pub fn lower_opaque_result(&mut self, e: &syn::Expr) -> Option<Value> {
        let is_one = self.inspects_opaque(e, true) && self.reads_constants(e);
        is_one.then(|| self.eval_opaque(e, None))
    }

    /// Whether a method, an index or an operator in the expression applies to an opaque constant.
    fn inspects_opaque(&self, e: &syn::Expr, calls: bool) -> bool {
        let inner = |e: &syn::Expr| self.inspects_opaque(e, false);
        match strip_parens(e) {
            syn::Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let seen = self.env.signatures.has_method(&name)
                    || self.env.shadowed_std_methods.contains(&name);
                let of_number = is_computation(&name);
                // The items of an endless iterator can't be collected.
                let has_end = name != "cycle";
                !seen
                    && has_end
                    && (!of_number && self.is_opaque_static(&m.receiver, &name)
                        || self.inspects_opaque(&m.receiver, calls && !of_number)
                        || m.args.iter().any(inner)
                        || !of_number
                            && self.is_opaque_place(&m.receiver)
                            && !self.is_map_method(m))
            }
            syn::Expr::Index(i) => {
                inner(&i.expr) || inner(&i.index) || self.is_opaque_local(&i.expr)
            }
            syn::Expr::Field(f) => inner(&f.base) || self.is_opaque_local(&f.base),
            syn::Expr::Unary(u) => inner(&u.expr) || self.is_opaque_local(&u.expr),
            syn::Expr::Reference(r) => inner(&r.expr) || self.is_static_place(&r.expr),
            syn::Expr::Cast(c) => inner(&c.expr) || self.is_opaque_local(&c.expr),
            syn::Expr::Binary(b) if binary_op(&b.op).is_some() => {
                let operand = |e: &syn::Expr| {
                    self.inspects_opaque(e, false)
                        || self.is_opaque_local(e)
                        || self.is_opaque_place(e) && self.is_inspected(e)
                };
                operand(&b.left) || operand(&b.right)
            }
            syn::Expr::Call(c) => calls && self.is_opaque_call(c) || self.is_conversion(c),
            _ => false,
        }
    }

    /// Whether the call converts an opaque constant to a float: `f64::from(n)`.
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

    /// Whether the call is to a function that is not visible.
    fn is_opaque_call(&self, c: &syn::ExprCall) -> bool {
        let syn::Expr::Path(p) = strip_parens(&c.func) else {
            return false;
        };
        let p = &*self.resolve_import(p);
        let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
        let (last, owner) = (names.next().unwrap_or_default(), names.next());
        let owner = owner.unwrap_or_default();
        let is_seen = self.env.signatures.function(&last).is_some()
            || self.inline_fn_at(p).is_some()
            || self.lookup(&last).is_some()
            || self.env.fields.keys().any(|(of, _)| *of == owner);
        let converts = last == "from" || self.env.float_params.contains(&owner);
        may_have_hidden_state(&p.path)
            && !(is_seen || converts)
            && !STD_OWNERS.contains(&&*owner)
            && p.qself.is_none()
    }

    /// Whether the method is one of a map in an excluded parameter, which is lowered individually.
    fn is_map_method(&self, m: &syn::ExprMethodCall) -> bool {
        if self.is_opaque_local(&m.receiver) {
            return false;
        }
        let is_lowered = MAP_METHODS.iter().any(|name| m.method == name);
        let by_key = m.args.first().is_some_and(is_reference_key);
        match self.opaque_place_type(&m.receiver) {
            Some(Ty::Named(of)) => is_lowered && self.is_std_map(&of),
            _ => is_lowered && by_key,
        }
    }

    /// Whether the type is a map or a set of std.
    fn is_std_map(&self, of: &str) -> bool {
        let name = base_name(of);
        let is_map = ["BTreeMap", "BTreeSet", "HashMap", "HashSet"].contains(&name);
        is_map && !self.env.has_type(name)
    }

    /// A map or a set that is initialised with constants, of its declared type.
    pub fn opaque_map(&mut self, local: &syn::Local, declared: Option<&Ty>) -> Option<Value> {
        let (syn::Pat::Type(t), Some(Ty::Named(of))) = (&local.pat, declared) else {
            return None;
        };
        let (ty, init) = (&t.ty, &local.init.as_ref()?.expr);
        let keeps = matches!(&*t.pat, syn::Pat::Ident(p) if p.mutability.is_none());
        if !keeps || !self.is_std_map(of) || !self.reads_constants(init) {
            return None;
        }
        let typed = syn::parse_quote!({ let __map: #ty = #init; __map });
        Some(self.eval_opaque(&typed, None))
    }

    /// Whether the place holds an opaque constant.
    pub fn is_opaque_place(&self, e: &syn::Expr) -> bool {
        let is_open = match self.opaque_place_type(e) {
            Some(ty @ (Ty::Infer(_) | Ty::Unknown)) => !self.infer.is_number(&ty),
            Some(Ty::Named(of)) => !self.is_number_type_name(&of),
            _ => false,
        };
        is_open
            && self.place_root(e).is_some_and(|root| {
                self.is_excluded_param(root) || self.opaque.vars.contains(&root)
            })
    }

    /// The same for a local variable or a part of one.
    fn is_opaque_local(&self, e: &syn::Expr) -> bool {
        self.is_opaque_place(e)
            && self
                .place_root(e)
                .is_some_and(|root| self.opaque.vars.contains(&root))
    }

    /// Whether the body inspects the variable in which the place is rooted.
    fn is_inspected(&self, e: &syn::Expr) -> bool {
        let root = self.place_root(e);
        root.is_some_and(|root| {
            self.opaque
                .inspected
                .contains(&self.draft.func.var(root).name)
        })
    }

    /// The variable in which the place is rooted.
    fn place_root(&self, e: &syn::Expr) -> Option<VarId> {
        match strip_parens(e) {
            syn::Expr::Path(p) => match self.lookup(&p.path.get_ident()?.to_string())? {
                Binding::Var(v) => Some(*v),
                Binding::Value(Value::Place(p) | Value::PlaceRef(p, false)) => Some(p.root),
                Binding::Value(_) => None,
            },
            syn::Expr::Field(f) => self.place_root(&f.base),
            syn::Expr::Index(i) => self.place_root(&i.expr),
            syn::Expr::Reference(r) if r.mutability.is_none() => self.place_root(&r.expr),
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => self.place_root(&u.expr),
            _ => None,
        }
    }

    /// The type of a place as far as it is known.
    fn opaque_place_type(&self, e: &syn::Expr) -> Option<Ty> {
        let ty = match strip_parens(e) {
            syn::Expr::Path(_) => self.place_expr_type(e)?,
            syn::Expr::Field(f) => match (self.opaque_place_type(&f.base)?, &f.member) {
                (Ty::Tuple(parts), syn::Member::Unnamed(i)) => {
                    parts.get(i.index as usize).cloned()?
                }
                (Ty::Named(of), syn::Member::Named(name)) => self
                    .env
                    .visible_field_type(&of, &name.to_string())
                    .unwrap_or(Ty::Unknown),
                _ => Ty::Unknown,
            },
            syn::Expr::Index(i) => match self.opaque_place_type(&i.expr)?.element() {
                Some(element) => element.clone(),
                None => Ty::Unknown,
            },
            syn::Expr::Reference(r) => self.opaque_place_type(&r.expr)?,
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => {
                self.opaque_place_type(&u.expr)?
            }
            _ => return None,
        };
        match self.shallow(&ty) {
            Ty::Boxed(inner) => Some(self.shallow(&inner)),
            ty => Some(ty),
        }
    }

    /// Whether the variable is an excluded parameter, which nothing changes.
    pub fn is_excluded_param(&self, root: VarId) -> bool {
        let var = self.draft.func.var(root);
        let is_param = var.origin == Origin::Param && var.mode != Mode::Mut;
        is_param && self.env.excluded_params.contains(&var.name)
    }

    /// Whether the expression changes nothing and reads nothing but constants.
    fn reads_constants(&self, e: &syn::Expr) -> bool {
        let mut bound = BoundNames::default();
        bound.visit_expr(e);
        let only = check_purity(e);
        only.is_pure
            && bound.0.iter().all(|name| self.lookup(name).is_none())
            && only.names.iter().all(|name| self.is_constant_binding(name))
    }

    fn is_constant_binding(&self, name: &str) -> bool {
        match self.lookup(name) {
            None => true,
            Some(Binding::Var(v)) => self.is_constant_place(&self.draft.func.place(*v)),
            Some(Binding::Value(Value::Place(p) | Value::PlaceRef(p, false))) => {
                self.is_constant_place(p)
            }
            Some(Binding::Value(_)) => false,
        }
    }

    fn is_constant_place(&self, place: &Place) -> bool {
        let ty = self.shallow(&place.ty);
        !ty.carries_floats()
            || self.infer.is_int(&ty)
            || self.is_excluded_param(place.root)
            || self.opaque.vars.contains(&place.root)
            || self.is_constant_var(place.root)
    }

    /// Whether no derivative flows through the place, whatever is done with it.
    pub fn is_constant_part(&self, place: &Place) -> bool {
        !self.infer.resolve_known(&place.ty).carries_floats() || self.is_excluded_param(place.root)
    }

    /// Whether the variable was initialised with a constant, and is not declared `mut`.
    fn is_constant_var(&self, v: VarId) -> bool {
        let is_temporary = self.draft.func.var(v).origin == Origin::Temp;
        self.opaque.constants.contains(&v) && (is_temporary || self.immutable_vars.contains(&v))
    }

    /// Notes that the variable is initialised with this value.
    pub fn note_constant(&mut self, v: VarId, value: &Expr) {
        if self.is_constant_value(value) {
            self.opaque.constants.insert(v);
        }
        if let Expr::Read(place) = value
            && (self.is_excluded_param(place.root) || self.opaque.vars.contains(&place.root))
        {
            self.opaque.excluded_copies.insert(v);
        }
    }

    /// Notes that the variables written by the statement are not constant, whatever they were initialised with.
    pub fn note_written(&mut self, stmt: &Stmt) {
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

    /// Notes a name that is bound to a constant of external type, which the body inspects.
    pub fn note_opaque(&mut self, name: &str, v: VarId) {
        let ty = self.shallow(&self.draft.func.var(v).ty);
        let is_open = match &ty {
            Ty::Infer(_) | Ty::Unknown => !self.infer.is_number(&ty),
            Ty::Named(of) => !self.is_number_type_name(of),
            _ => false,
        };
        let from_left_out = self.opaque.excluded_copies.contains(&v);
        if is_open && from_left_out && self.opaque.inspected.contains(name) {
            self.opaque.vars.insert(v);
        }
    }

    /// Evaluates the expression as written, into a variable.
    fn eval_opaque(&mut self, e: &syn::Expr, expected: Option<&Ty>) -> Value {
        // The expectations of the current expression apply neither to its parts nor to the next expression.
        self.take_struct_expectation();
        (self.expected_enum, self.expected_ty, self.is_statement) = (None, None, false);
        let span = span::of_expr(e);
        let ty = match (strip_parens(e), expected) {
            (syn::Expr::Binary(b), _)
                if binary_op(&b.op).is_some_and(crate::ir::BinOp::is_comparison) =>
            {
                Ty::Bool
            }
            (syn::Expr::Cast(c), _) if !matches!(*c.ty, syn::Type::Infer(_)) => {
                self.declared_type(&c.ty)
            }
            (_, Some(ty)) if ty.is_scalar() => ty.clone(),
            _ => self.infer.fresh_external(),
        };
        let (code, mut places) = self.capture(e.to_token_stream());
        self.opaque.code.insert(code);
        let only = check_purity(e);
        if only.may_have_state || only.names.iter().any(|name| self.lookup(name).is_none()) {
            // Code that reads this variable is not evaluated again.
            places.push(self.new_state_var(span));
            self.draft.code[code.index()]
                .modes
                .push(CaptureMode::Borrow);
        }
        if !ty.is_scalar() {
            self.opaque.maybe_references.insert(code, is_place_expr(e));
        }
        let found = Expr::Code(code, places, ty.clone());
        let found = self.temp(span, "found", found, ty);
        self.opaque.vars.insert(found.root);
        Value::Place(found)
    }

    /// A variable that represents the hidden state of functions.
    fn new_state_var(&mut self, span: proc_macro2::Span) -> Place {
        let nothing = Expr::Aggregate(Vec::new(), Ty::Unit);
        self.temp(span, "state", nothing, Ty::Unit)
    }

    /// Adapts code that may yield a reference to its final type: a number is read through references, and a place is
    /// copied.
    pub fn adapt_opaque_ref(&mut self, code: CodeId, ty: &Ty) {
        let Some(is_place) = self.opaque.maybe_references.remove(&code) else {
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

    /// Evaluates code over a place, the first of the placeholders, into a variable.
    fn eval_over_place(
        &mut self,
        name: &str,
        place: Place,
        by: CaptureMode,
        tokens: TokenStream,
        span: proc_macro2::Span,
    ) -> Place {
        let code = self.add_code(tokens, vec![by]);
        let ty = self.infer.fresh_external();
        self.opaque.maybe_references.insert(code, false);
        let found = Expr::Code(code, vec![place], ty.clone());
        self.temp(span, name, found, ty)
    }
}
