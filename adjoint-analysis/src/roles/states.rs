//! States: `&mut` parameters of types that are not known to carry floats, such as random number generators and writers.
//!
//! A state has no role unless `wrt` or `of` names it. For traits and types with names that only generators and writers
//! have, the name is enough. Any other type may derive `Differentiable`, and its parameter has a role. So may a type
//! that is known by its traits alone (`impl Draw`, `S: Draw`), unless the body shows that the parameter is a state: it
//! is only lent to methods and functions; their other arguments depend on no independent; and the function has another
//! dependent.

use std::borrow::Cow;
use std::collections::BTreeSet;

use syn::visit::Visit;

use super::{named_params, without_adjoint};
use crate::ir::{IntTy, Mode, Ty, base_name};
use crate::lower::Environment;
use crate::lower::items::generics::in_function;
use crate::lower::signature::receiver_mode;
use crate::lower::types::{is_bound, is_fn_type, lower_type, ungrouped};
use crate::options::Options;

/// Traits of types without floats.
const WITHOUT_FLOATS: &[&str] = &["CryptoRng", "Rng", "RngCore", "Write"];

/// Traits of types that hold floats, are called, or are iterated over.
const NOT_STATES: &[&str] = &[
    "Differentiable",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Float",
    "Fn",
    "FnMut",
    "FnOnce",
    "Iterator",
    "Real",
];

/// The options, with `wrt` and `of` filled in if some parameters are states.
pub fn complete_options<'o>(
    item: &syn::ItemFn,
    options: &'o Options,
    env: &Environment,
) -> Cow<'o, Options> {
    let env = in_function(&item.sig, env);
    let sig = &item.sig;
    let states = states(sig, &item.block, options, &env);
    if states.is_empty() {
        return Cow::Borrowed(options);
    }
    let receiver = sig
        .receiver()
        .map(|r| (syn::Ident::from(r.self_token), receiver_mode(r)));
    let carries = |ty: &syn::Type| {
        lower_type(ty, &env).0.carries_floats()
            || without_adjoint(ty, &sig.generics, &env).is_some()
    };
    let others = named_params(sig)
        .filter(|(name, arg)| carries(&arg.ty) && !states.contains(&name.to_string()));
    let others = others.map(|(name, arg)| (name.clone(), lower_type(&arg.ty, &env).1));
    let all: Vec<_> = receiver.into_iter().chain(others).collect();
    let written = all.iter().filter(|(_, mode)| *mode == Mode::Mut);
    let ret = returns_floats(sig, &env).then(|| syn::Ident::new("ret", sig.ident.span()));
    let of = written.map(|(name, _)| name.clone()).chain(ret).collect();
    let wrt = all.iter().map(|(name, _)| name.clone()).collect();
    Cow::Owned(Options {
        wrt: options.wrt.clone().or(Some(wrt)),
        of: options.of.clone().or(Some(of)),
        ..options.clone()
    })
}

fn returns_floats(sig: &syn::Signature, env: &Environment) -> bool {
    matches!(&sig.output, syn::ReturnType::Type(_, ty) if lower_type(ty, env).0.carries_floats())
}

/// The names of the parameters that are states.
pub fn states(
    sig: &syn::Signature,
    body: &syn::Block,
    options: &Options,
    env: &Environment,
) -> Vec<String> {
    let env = &in_function(sig, env);
    let asked = |name: &syn::Ident| {
        let mut lists = options.wrt.iter().chain(&options.of).flatten();
        lists.any(|asked| asked == name)
    };
    let lent = |ty: &syn::Type| match ungrouped(ty) {
        syn::Type::Reference(r) if r.mutability.is_some() => Some((*r.elem).clone()),
        _ => None,
    };
    let candidates = named_params(sig).filter_map(|(name, arg)| {
        let ty = lent(&arg.ty).filter(|ty| !asked(name) && may_be_state(ty, sig, env))?;
        let certain = is_without_floats(&ty, sig);
        (certain || bounds(&ty, sig).is_some()).then(|| (name.to_string(), certain))
    });
    let candidates: Vec<(String, bool)> = candidates.collect();
    if options.custom.is_some() || candidates.is_empty() {
        return Vec::new();
    }
    let is_candidate = |name: &syn::Ident| candidates.iter().any(|(other, _)| name == other);
    let carries = |(name, arg): &(&syn::Ident, &syn::PatType)| {
        !is_candidate(name) && lower_type(&arg.ty, env).0.carries_floats()
    };
    let reals: BTreeSet<String> = named_params(sig)
        .filter(carries)
        .map(|(name, _)| name.to_string())
        .collect();
    let written = named_params(sig)
        .filter(carries)
        .any(|(_, arg)| lent(&arg.ty).is_some())
        || sig
            .receiver()
            .is_some_and(|r| receiver_mode(r) == Mode::Mut);
    if !written && !returns_floats(sig, env) {
        return Vec::new();
    }
    let reals = dependent_names(body, reals);
    let speaks = |(name, certain): &(String, bool)| *certain || is_only_lent(body, name, &reals);
    let speaking = candidates.iter().filter(|c| speaks(c));
    speaking.map(|(name, _)| name.clone()).collect()
}

/// Whether the macro can't tell if the type carries floats.
fn may_be_state(ty: &syn::Type, sig: &syn::Signature, env: &Environment) -> bool {
    let is_seen = |bound: &syn::TypeParamBound| {
        let known = |name: &String| is_bound(bound, name);
        NOT_STATES.iter().any(|name| is_bound(bound, name)) || env.traits.keys().any(known)
    };
    if let Some(bounds) = bounds(ty, sig) {
        return !is_fn_type(ty) && !bounds.iter().any(is_seen);
    }
    match lower_type(ty, env).0 {
        Ty::Named(of) => {
            let name = base_name(&of);
            let has_fields = env
                .fields
                .keys()
                .chain(env.generic_fields.keys())
                .any(|(of, _)| of == name);
            let is_seen = has_fields
                || env.differentiable_types.contains(name)
                || env.reference_structs.contains_key(name)
                || env.user_type_params.contains(&of);
            !is_seen && env.self_ty.as_deref() != Some(&of)
        }
        _ => false,
    }
}

/// The bounds of an `impl Trait`, a `dyn Trait` or a type parameter of the function.
fn bounds(ty: &syn::Type, sig: &syn::Signature) -> Option<Vec<syn::TypeParamBound>> {
    match ungrouped(ty) {
        syn::Type::ImplTrait(t) => Some(t.bounds.iter().cloned().collect()),
        syn::Type::TraitObject(t) => Some(t.bounds.iter().cloned().collect()),
        syn::Type::Path(p) => {
            let param = sig
                .generics
                .type_params()
                .find(|param| p.path.is_ident(&param.ident))?;
            let clause = sig
                .generics
                .where_clause
                .iter()
                .flat_map(|clause| &clause.predicates);
            let more = clause.filter_map(|predicate| match predicate {
                syn::WherePredicate::Type(t) if matches!(ungrouped(&t.bounded_ty), syn::Type::Path(of) if of.path == p.path) => {
                    Some(&t.bounds)
                }
                _ => None,
            });
            Some(param.bounds.iter().chain(more.flatten()).cloned().collect())
        }
        _ => None,
    }
}

/// Whether the name of the type or of one of its traits shows that it carries no floats.
fn is_without_floats(ty: &syn::Type, sig: &syn::Signature) -> bool {
    let says =
        |bound: &syn::TypeParamBound| WITHOUT_FLOATS.iter().any(|name| is_bound(bound, name));
    match (bounds(ty, sig), ungrouped(ty)) {
        (Some(bounds), _) => bounds.iter().any(says),
        (None, syn::Type::Path(p)) => p
            .path
            .segments
            .last()
            .is_some_and(|s| s.ident.to_string().ends_with("Rng")),
        _ => false,
    }
}

/// The names, and those of the variables that depend on them.
fn dependent_names(body: &syn::Block, mut names: BTreeSet<String>) -> BTreeSet<String> {
    let mut flows = Flows(Vec::new());
    flows.visit_block(body);
    loop {
        let before = names.len();
        for (to, from) in &flows.0 {
            if uses_any(from, &names) {
                names.extend(to.iter().cloned());
            }
        }
        if names.len() == before {
            return names;
        }
    }
}

/// The bound or assigned variables, and the expression that flows into them.
struct Flows(Vec<(Vec<String>, syn::Expr)>);

impl Flows {
    fn bind(&mut self, pat: &syn::Pat, from: &syn::Expr) {
        struct Bound(Vec<String>);
        impl<'ast> Visit<'ast> for Bound {
            fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
                self.0.push(p.ident.to_string());
            }
        }
        let mut bound = Bound(Vec::new());
        bound.visit_pat(pat);
        self.0.push((bound.0, from.clone()));
    }
}

impl<'ast> Visit<'ast> for Flows {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.bind(&local.pat, &init.expr);
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, l: &'ast syn::ExprLet) {
        self.bind(&l.pat, &l.expr);
        syn::visit::visit_expr_let(self, l);
    }

    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        self.bind(&f.pat, &f.expr);
        syn::visit::visit_expr_for_loop(self, f);
    }

    fn visit_expr_assign(&mut self, a: &'ast syn::ExprAssign) {
        self.0
            .push((root(&a.left).into_iter().collect(), (*a.right).clone()));
        syn::visit::visit_expr_assign(self, a);
    }

    fn visit_expr_binary(&mut self, b: &'ast syn::ExprBinary) {
        self.0
            .push((root(&b.left).into_iter().collect(), (*b.right).clone()));
        syn::visit::visit_expr_binary(self, b);
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        // Elements that are pushed, and items that a closure takes.
        for arg in &m.args {
            self.0
                .push((root(&m.receiver).into_iter().collect(), arg.clone()));
            if let syn::Expr::Closure(c) = arg {
                c.inputs.iter().for_each(|pat| self.bind(pat, &m.receiver));
            }
        }
        syn::visit::visit_expr_method_call(self, m);
    }
}

/// The root variable of a place.
fn root(e: &syn::Expr) -> Option<String> {
    match e {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        syn::Expr::Field(f) => root(&f.base),
        syn::Expr::Index(i) => root(&i.expr),
        syn::Expr::Paren(p) => root(&p.expr),
        syn::Expr::Unary(u) => root(&u.expr),
        syn::Expr::Reference(r) => root(&r.expr),
        _ => None,
    }
}

/// Whether the expression uses a float of one of the named variables.
fn uses_any(e: &syn::Expr, names: &BTreeSet<String>) -> bool {
    struct Find<'n>(&'n BTreeSet<String>, bool);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_expr(&mut self, e: &'ast syn::Expr) {
            let is_integer = match e {
                syn::Expr::MethodCall(m) => m.method == "len" || m.method == "is_empty",
                syn::Expr::Cast(c) => matches!(ungrouped(&c.ty), syn::Type::Path(p)
                    if p.path.get_ident().is_some_and(|name| IntTy::from_name(&name.to_string()).is_some())),
                _ => false,
            };
            if !is_integer {
                syn::visit::visit_expr(self, e);
            }
        }

        fn visit_expr_path(&mut self, p: &'ast syn::ExprPath) {
            self.1 |= p
                .path
                .get_ident()
                .is_some_and(|name| self.0.contains(&name.to_string()));
        }
    }
    let mut find = Find(names, false);
    find.visit_expr(e);
    find.1
}

/// Whether the named parameter is only lent, to methods and functions that take no float of `reals`.
fn is_only_lent(body: &syn::Block, name: &str, reals: &BTreeSet<String>) -> bool {
    let mut lent = LendVisitor {
        name,
        reals,
        mentions: 0,
        only_lent: true,
    };
    lent.visit_block(body);
    lent.only_lent && lent.mentions > 0
}

struct LendVisitor<'n> {
    name: &'n str,
    reals: &'n BTreeSet<String>,
    mentions: usize,
    only_lent: bool,
}

impl LendVisitor<'_> {
    /// Whether the expression is the name, or a reborrow of it.
    fn is_name(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Path(p) => p.path.is_ident(self.name),
            syn::Expr::Paren(p) => self.is_name(&p.expr),
            syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)) && self.is_name(&u.expr),
            syn::Expr::Reference(r) => self.is_name(&r.expr),
            _ => false,
        }
    }

    fn call<'ast>(&mut self, operands: impl Iterator<Item = &'ast syn::Expr>) {
        let (mut is_lent, mut reals) = (false, false);
        for e in operands {
            match self.is_name(e) {
                true => is_lent = true,
                false => {
                    reals |= uses_any(e, self.reals);
                    self.visit_expr(e);
                }
            }
        }
        self.mentions += usize::from(is_lent);
        self.only_lent &= !(is_lent && reals);
    }
}

impl<'ast> Visit<'ast> for LendVisitor<'_> {
    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        self.call(std::iter::once(&*m.receiver).chain(&m.args));
    }

    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        self.call(c.args.iter());
    }

    fn visit_expr_path(&mut self, p: &'ast syn::ExprPath) {
        self.only_lent &= !p.path.is_ident(self.name);
    }

    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.only_lent &= p.ident != self.name;
    }
}
