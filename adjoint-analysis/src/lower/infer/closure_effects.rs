//! Effects of a closure on anything but its own variables, determined syntactically.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::Visit;

use crate::lower::expr::{compound, strip_parens};
use crate::lower::std_lib::method::{changes_list, is_std_method};
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Ty};

/// The effects that a closure may have besides writes to its own variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Writes {
    /// It writes a captured variable, or has an effect that can't be determined.
    pub captured: bool,
    /// It writes the referent of a parameter, if the caller passes that as `&mut`.
    pub lent: bool,
    /// Like `captured`, but without assignments through a parameter: `*state = ..`.
    pub outside: bool,
    /// It calls a function that may have hidden state, which no variable shows.
    pub calls: bool,
}

/// Whether the function at the path may have hidden state, as a random number generator has: it is neither std's nor a
/// constructor.
pub fn may_have_state(path: &syn::Path) -> bool {
    let mut names = path.segments.iter().map(|s| s.ident.to_string());
    let (first, last) = (names.next().unwrap_or_default(), names.next_back());
    let of_std = ["std", "core", "alloc", "f32", "f64", "Float", "Vec", "Box"].contains(&&*first);
    let is_type = last.unwrap_or(first).starts_with(char::is_uppercase);
    !of_std && !is_type
}

impl Lower {
    /// The effects that a closure created here may have.
    pub fn writes(&self, closure: &syn::ExprClosure) -> Writes {
        let mut find = FindWrites {
            lower: self,
            names: Names::of(closure),
            writes: Writes::default(),
            changed: BTreeSet::new(),
            at_sight: false,
        };
        find.visit_expr(&closure.body);
        find.writes
    }

    /// The names of the variables that the expression may change, wholly or in part. With `at_sight`, changes that only
    /// a callee's signature would show are left out.
    pub fn changed_by(&self, e: &syn::Expr, at_sight: bool) -> BTreeSet<String> {
        let mut find = FindWrites {
            lower: self,
            names: Names::default(),
            writes: Writes::default(),
            changed: BTreeSet::new(),
            at_sight,
        };
        find.names.visit_expr(e);
        find.visit_expr(e);
        find.changed
    }

    /// Whether code that captures the variable can change its value or its referent.
    fn is_changeable(&self, name: &str) -> bool {
        match self.lookup(name) {
            Some(Binding::Var(v)) => !self.immutable.contains(v),
            Some(Binding::Value(Value::View(_, mutable))) => *mutable,
            Some(Binding::Value(Value::Closure(_))) | None => false,
            Some(Binding::Value(_)) => true,
        }
    }

    /// Whether the name is a `&mut` reference, which is reborrowed implicitly.
    fn is_lent(&self, name: &str) -> bool {
        matches!(
            self.lookup(name),
            Some(Binding::Value(Value::View(_, true)))
        )
    }
}

struct FindWrites<'a> {
    lower: &'a Lower,
    names: Names,
    writes: Writes,
    /// The names of the changed variables.
    changed: BTreeSet<String>,
    /// Whether only syntactic changes count, not what a callee might do.
    at_sight: bool,
}

impl FindWrites<'_> {
    /// Records an assignment. One to the closure's own `mut` variable is no effect.
    fn assignment(&mut self, to: &syn::Expr) {
        let own =
            |name: String| self.names.mutable.contains(&name) && self.lower.lookup(&name).is_none();
        let captured = !variable(to).is_some_and(own);
        let led = |name: String| self.names.behind(&name).is_subset(&self.names.parameters);
        let by_parameter = root(to).is_some_and(led);
        self.writes.captured |= captured;
        self.writes.outside |= captured && !by_parameter;
        self.changed.extend(root(to));
    }

    fn receiver(&mut self, receiver: &syn::Expr, method: &str) {
        let reads = match self.at_sight {
            true => !changes_list(method),
            false => self.lower.reads_receiver(receiver, method),
        };
        if let (false, Some(name)) = (reads, root(receiver)) {
            self.change(&name, Lower::is_changeable);
        }
    }

    /// Whether any method may change hidden state of the receiver, as its type is a user type or unknown.
    fn may_keep_state(&self, receiver: &syn::Expr) -> bool {
        let outer = root(receiver).is_some_and(|name| self.lower.lookup(&name).is_some());
        outer
            && match self.lower.type_at_sight(receiver) {
                Some(ty @ (Ty::Infer(_) | Ty::Unknown)) => !self.lower.infer.is_number(&ty),
                ty => matches!(ty, None | Some(Ty::Named(_))),
            }
    }

    fn arguments<'a>(&mut self, args: impl IntoIterator<Item = &'a syn::Expr>) {
        if self.at_sight {
            return;
        }
        for name in args.into_iter().filter_map(variable) {
            self.change(&name, Lower::is_lent);
            self.called(name);
        }
    }

    /// Adds the effects of the closure of this name, as it is called.
    fn called(&mut self, name: String) {
        if let Some(Binding::Value(Value::Closure(inner))) = self.lower.lookup(&name) {
            self.writes.captured |= inner.writes.captured;
            self.writes.outside |= inner.writes.captured;
            self.writes.calls |= inner.writes.calls;
            self.changed.extend(inner.writes.captured.then_some(name));
        }
    }

    /// Records a change of all referents of the name for which `allowed` holds.
    fn change(&mut self, name: &str, allowed: impl Fn(&Lower, &str) -> bool) {
        for of in self.names.behind(name) {
            let changes = allowed(self.lower, &of);
            self.changed.extend(changes.then(|| of.clone()));
            self.writes.captured |= changes;
            self.writes.outside |= changes;
            self.writes.lent |= self.names.parameters.contains(&of);
        }
    }
}

impl<'ast> Visit<'ast> for FindWrites<'_> {
    fn visit_expr_assign(&mut self, a: &'ast syn::ExprAssign) {
        self.assignment(&a.left);
        syn::visit::visit_expr_assign(self, a);
    }

    fn visit_expr_binary(&mut self, b: &'ast syn::ExprBinary) {
        if compound(&b.op).is_some() {
            self.assignment(&b.left);
        }
        syn::visit::visit_expr_binary(self, b);
    }

    fn visit_expr_reference(&mut self, r: &'ast syn::ExprReference) {
        self.writes.captured |= r.mutability.is_some();
        self.writes.outside |= r.mutability.is_some();
        self.changed
            .extend(r.mutability.and_then(|_| root(&r.expr)));
        syn::visit::visit_expr_reference(self, r);
    }

    fn visit_expr_macro(&mut self, _: &'ast syn::ExprMacro) {
        self.writes.captured = true;
        self.writes.outside = true;
    }

    // Output and panics are effects that no variable shows.
    fn visit_stmt_macro(&mut self, _: &'ast syn::StmtMacro) {
        self.writes.calls = true;
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        let method = m.method.to_string();
        self.receiver(&m.receiver, &method);
        self.writes.calls |= !is_std_method(&method) || self.may_keep_state(&m.receiver);
        self.arguments(&m.args);
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        let name = variable(&c.func);
        // A visible closure has the effects of its body; a function passed in may do anything.
        let bound = name.as_ref().and_then(|name| self.lower.lookup(name));
        self.writes.calls |= match (bound, strip_parens(&c.func)) {
            (Some(Binding::Value(Value::Closure(_))), _) => false,
            (None, syn::Expr::Path(p)) => may_have_state(&p.path),
            _ => true,
        };
        name.into_iter().for_each(|name| self.called(name));
        self.arguments(&c.args);
        syn::visit::visit_expr_call(self, c);
    }
}

/// The variables that a closure declares.
#[derive(Default)]
struct Names {
    parameters: BTreeSet<String>,
    /// Those declared `mut`.
    mutable: BTreeSet<String>,
    /// The variables from which patterns bind each name: it may refer to parts of these.
    sources: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    fn of(closure: &syn::ExprClosure) -> Self {
        let mut names = Names::default();
        for input in &closure.inputs {
            let bound = names.bound(input);
            names.parameters.extend(bound);
        }
        names.visit_expr(&closure.body);
        names
    }

    /// The variables that the name may refer to, including itself.
    fn behind(&self, name: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::from([name.to_string()]);
        let mut open = vec![name.to_string()];
        while let Some(name) = open.pop() {
            let sources = self.sources.get(&name).into_iter().flatten();
            open.extend(sources.filter(|s| all.insert((*s).clone())).cloned());
        }
        all
    }

    /// The names that a pattern binds.
    fn bound(&mut self, pattern: &syn::Pat) -> BTreeSet<String> {
        let mut bound = Bound::default();
        bound.visit_pat(pattern);
        self.mutable.extend(bound.mutable);
        bound.all
    }

    fn taken(&mut self, pattern: &syn::Pat, out_of: &syn::Expr) {
        let names = self.bound(pattern);
        if let Some(source) = root(out_of) {
            for name in names {
                self.sources.entry(name).or_default().insert(source.clone());
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        match &local.init {
            Some(init) => self.taken(&local.pat, &init.expr),
            None => drop(self.bound(&local.pat)),
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        self.taken(&e.pat, &e.expr);
        syn::visit::visit_expr_let(self, e);
    }

    fn visit_expr_match(&mut self, m: &'ast syn::ExprMatch) {
        for arm in &m.arms {
            self.taken(&arm.pat, &m.expr);
        }
        syn::visit::visit_expr_match(self, m);
    }

    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        self.taken(&f.pat, &f.expr);
        syn::visit::visit_expr_for_loop(self, f);
    }
}

#[derive(Default)]
struct Bound {
    all: BTreeSet<String>,
    mutable: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Bound {
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
