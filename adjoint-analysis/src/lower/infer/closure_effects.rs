//! Effects of a closure on anything but its own variables, determined syntactically.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::Visit;

use crate::lower::expr::{compound_op, strip_parens};
use crate::lower::std_lib::method::{changes_list, is_std_method};
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Ty};

/// The effects that a closure may have besides writes to its own variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClosureEffects {
    /// It writes a captured variable, or has an effect that can't be determined.
    pub captured: bool,
    /// It writes the referent of a parameter, if the caller passes that as `&mut`.
    pub through_params: bool,
    /// Like `captured`, but without assignments through a parameter: `*state = ..`.
    pub outside_params: bool,
    /// It calls a function that may have hidden state, which no variable shows.
    pub hidden_state: bool,
}

/// Whether the function at the path may have hidden state, as a random number generator has: it is neither std's nor a
/// constructor.
pub fn may_have_hidden_state(path: &syn::Path) -> bool {
    let mut names = path.segments.iter().map(|s| s.ident.to_string());
    let (first, last) = (names.next().unwrap_or_default(), names.next_back());
    let of_std = ["std", "core", "alloc", "f32", "f64", "Float", "Vec", "Box"].contains(&&*first);
    let is_type = last.unwrap_or(first).starts_with(char::is_uppercase);
    !of_std && !is_type
}

impl Lower {
    /// The effects that a closure created here may have.
    pub fn closure_effects(&self, closure: &syn::ExprClosure) -> ClosureEffects {
        let mut find = EffectVisitor {
            lower: self,
            names: ClosureNames::of(closure),
            writes: ClosureEffects::default(),
            changed: BTreeSet::new(),
            syntactic_only: false,
        };
        find.visit_expr(&closure.body);
        find.writes
    }

    /// The names of the variables that the expression may change, wholly or in part. With `at_sight`, changes that only
    /// a callee's signature would show are left out.
    pub fn changed_by(&self, e: &syn::Expr, at_sight: bool) -> BTreeSet<String> {
        let mut find = EffectVisitor {
            lower: self,
            names: ClosureNames::default(),
            writes: ClosureEffects::default(),
            changed: BTreeSet::new(),
            syntactic_only: at_sight,
        };
        find.names.visit_expr(e);
        find.visit_expr(e);
        find.changed
    }

    /// Whether code that captures the variable can change its value or its referent.
    fn is_changeable(&self, name: &str) -> bool {
        match self.lookup(name) {
            Some(Binding::Var(v)) => !self.immutable_vars.contains(v),
            Some(Binding::Value(Value::PlaceRef(_, mutable))) => *mutable,
            Some(Binding::Value(Value::Closure(_))) | None => false,
            Some(Binding::Value(_)) => true,
        }
    }

    /// Whether the name is a `&mut` reference, which is reborrowed implicitly.
    fn is_mut_ref(&self, name: &str) -> bool {
        matches!(
            self.lookup(name),
            Some(Binding::Value(Value::PlaceRef(_, true)))
        )
    }
}

struct EffectVisitor<'a> {
    lower: &'a Lower,
    names: ClosureNames,
    writes: ClosureEffects,
    /// The names of the changed variables.
    changed: BTreeSet<String>,
    /// Whether only syntactic changes count, not what a callee might do.
    syntactic_only: bool,
}

impl EffectVisitor<'_> {
    /// Records an assignment. One to the closure's own `mut` variable is no effect.
    fn record_assignment(&mut self, to: &syn::Expr) {
        let own =
            |name: String| self.names.mutable.contains(&name) && self.lower.lookup(&name).is_none();
        let captured = !variable(to).is_some_and(own);
        let led = |name: String| {
            self.names
                .referents(&name)
                .is_subset(&self.names.parameters)
        };
        let by_parameter = root(to).is_some_and(led);
        self.writes.captured |= captured;
        self.writes.outside_params |= captured && !by_parameter;
        self.changed.extend(root(to));
    }

    fn record_receiver(&mut self, receiver: &syn::Expr, method: &str) {
        let reads = match self.syntactic_only {
            true => !changes_list(method),
            false => self.lower.reads_receiver(receiver, method),
        };
        if let (false, Some(name)) = (reads, root(receiver)) {
            self.record_change(&name, Lower::is_changeable);
        }
    }

    /// Whether any method may change hidden state of the receiver, as its type is a user type or unknown.
    fn may_change_hidden_state(&self, receiver: &syn::Expr) -> bool {
        let outer = root(receiver).is_some_and(|name| self.lower.lookup(&name).is_some());
        outer
            && match self.lower.place_expr_type(receiver) {
                Some(ty @ (Ty::Infer(_) | Ty::Unknown)) => !self.lower.infer.is_number(&ty),
                ty => matches!(ty, None | Some(Ty::Named(_))),
            }
    }

    fn record_arguments<'a>(&mut self, args: impl IntoIterator<Item = &'a syn::Expr>) {
        if self.syntactic_only {
            return;
        }
        for name in args.into_iter().filter_map(variable) {
            self.record_change(&name, Lower::is_mut_ref);
            self.add_closure_effects(name);
        }
    }

    /// Adds the effects of the closure of this name, as it is called.
    fn add_closure_effects(&mut self, name: String) {
        if let Some(Binding::Value(Value::Closure(inner))) = self.lower.lookup(&name) {
            self.writes.captured |= inner.effects.captured;
            self.writes.outside_params |= inner.effects.captured;
            self.writes.hidden_state |= inner.effects.hidden_state;
            self.changed.extend(inner.effects.captured.then_some(name));
        }
    }

    /// Records a change of all referents of the name for which `allowed` holds.
    fn record_change(&mut self, name: &str, allowed: impl Fn(&Lower, &str) -> bool) {
        for of in self.names.referents(name) {
            let changes = allowed(self.lower, &of);
            self.changed.extend(changes.then(|| of.clone()));
            self.writes.captured |= changes;
            self.writes.outside_params |= changes;
            self.writes.through_params |= self.names.parameters.contains(&of);
        }
    }
}

impl<'ast> Visit<'ast> for EffectVisitor<'_> {
    fn visit_expr_assign(&mut self, a: &'ast syn::ExprAssign) {
        self.record_assignment(&a.left);
        syn::visit::visit_expr_assign(self, a);
    }

    fn visit_expr_binary(&mut self, b: &'ast syn::ExprBinary) {
        if compound_op(&b.op).is_some() {
            self.record_assignment(&b.left);
        }
        syn::visit::visit_expr_binary(self, b);
    }

    fn visit_expr_reference(&mut self, r: &'ast syn::ExprReference) {
        self.writes.captured |= r.mutability.is_some();
        self.writes.outside_params |= r.mutability.is_some();
        self.changed
            .extend(r.mutability.and_then(|_| root(&r.expr)));
        syn::visit::visit_expr_reference(self, r);
    }

    fn visit_expr_macro(&mut self, _: &'ast syn::ExprMacro) {
        self.writes.captured = true;
        self.writes.outside_params = true;
    }

    // Output and panics are effects that no variable shows.
    fn visit_stmt_macro(&mut self, _: &'ast syn::StmtMacro) {
        self.writes.hidden_state = true;
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        let method = m.method.to_string();
        self.record_receiver(&m.receiver, &method);
        self.writes.hidden_state |=
            !is_std_method(&method) || self.may_change_hidden_state(&m.receiver);
        self.record_arguments(&m.args);
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        let name = variable(&c.func);
        // A visible closure has the effects of its body; a function passed in may do anything.
        let bound = name.as_ref().and_then(|name| self.lower.lookup(name));
        self.writes.hidden_state |= match (bound, strip_parens(&c.func)) {
            (Some(Binding::Value(Value::Closure(_))), _) => false,
            (None, syn::Expr::Path(p)) => may_have_hidden_state(&p.path),
            _ => true,
        };
        name.into_iter()
            .for_each(|name| self.add_closure_effects(name));
        self.record_arguments(&c.args);
        syn::visit::visit_expr_call(self, c);
    }
}

/// The variables that a closure declares.
#[derive(Default)]
struct ClosureNames {
    parameters: BTreeSet<String>,
    /// Those declared `mut`.
    mutable: BTreeSet<String>,
    /// The variables from which patterns bind each name: it may refer to parts of these.
    sources: BTreeMap<String, BTreeSet<String>>,
}

impl ClosureNames {
    fn of(closure: &syn::ExprClosure) -> Self {
        let mut names = ClosureNames::default();
        for input in &closure.inputs {
            let bound = names.pattern_names(input);
            names.parameters.extend(bound);
        }
        names.visit_expr(&closure.body);
        names
    }

    /// The variables that the name may refer to, including itself.
    fn referents(&self, name: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::from([name.to_string()]);
        let mut open = vec![name.to_string()];
        while let Some(name) = open.pop() {
            let sources = self.sources.get(&name).into_iter().flatten();
            open.extend(sources.filter(|s| all.insert((*s).clone())).cloned());
        }
        all
    }

    /// The names that a pattern binds.
    fn pattern_names(&mut self, pattern: &syn::Pat) -> BTreeSet<String> {
        let mut bound = PatternNames::default();
        bound.visit_pat(pattern);
        self.mutable.extend(bound.mutable);
        bound.all
    }

    fn bind_pattern(&mut self, pattern: &syn::Pat, out_of: &syn::Expr) {
        let names = self.pattern_names(pattern);
        if let Some(source) = root(out_of) {
            for name in names {
                self.sources.entry(name).or_default().insert(source.clone());
            }
        }
    }
}

impl<'ast> Visit<'ast> for ClosureNames {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        match &local.init {
            Some(init) => self.bind_pattern(&local.pat, &init.expr),
            None => drop(self.pattern_names(&local.pat)),
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        self.bind_pattern(&e.pat, &e.expr);
        syn::visit::visit_expr_let(self, e);
    }

    fn visit_expr_match(&mut self, m: &'ast syn::ExprMatch) {
        for arm in &m.arms {
            self.bind_pattern(&arm.pat, &m.expr);
        }
        syn::visit::visit_expr_match(self, m);
    }

    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        self.bind_pattern(&f.pat, &f.expr);
        syn::visit::visit_expr_for_loop(self, f);
    }
}

#[derive(Default)]
struct PatternNames {
    all: BTreeSet<String>,
    mutable: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for PatternNames {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = pattern.ident.to_string();
        if pattern.mutability.is_some() {
            self.mutable.insert(name.clone());
        }
        self.all.insert(name);
        syn::visit::visit_pat_ident(self, pattern);
    }
}

/// The name of the variable, if the expression is one.
fn variable(e: &syn::Expr) -> Option<String> {
    match strip_parens(e) {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// The variable in which the place expression is rooted.
fn root(e: &syn::Expr) -> Option<String> {
    match strip_parens(e) {
        syn::Expr::Field(f) => root(&f.base),
        syn::Expr::Index(i) => root(&i.expr),
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => root(&u.expr),
        e => variable(e),
    }
}
