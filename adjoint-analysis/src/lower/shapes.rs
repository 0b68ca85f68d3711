//! What a body does with values that only structs allow: their types may not be aliases of floats then.

use std::collections::BTreeSet;

use syn::visit::Visit;

use super::expr::strip_parens;
use super::handed::declared;
use super::method::is_number_method;

/// The values that have fields, or methods that no number has, and the types that are made as structs are.
#[derive(Default, Clone, Debug)]
pub struct Shapes {
    names: BTreeSet<String>,
    types: BTreeSet<String>,
}

impl Shapes {
    /// What the body tells.
    pub fn of(body: &syn::Block) -> Shapes {
        let mut shapes = Shapes::default();
        shapes.visit_block(body);
        shapes
    }

    /// Whether the value that the expression is, or is held by, is used as a struct.
    pub fn has(&self, e: &syn::Expr) -> bool {
        tail(e).is_some_and(|name| self.names.contains(&name))
    }

    /// Whether the value of this name is used as a struct.
    pub fn holds(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether values of the type of this name are made or taken apart as structs are.
    pub fn makes(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// Takes in what another body tells.
    pub fn extend(&mut self, other: Shapes) {
        self.names.extend(other.names);
        self.types.extend(other.types);
    }

    /// The value of this name is of this type.
    pub fn is_of(&mut self, name: &str, ty: &str) {
        if self.holds(name) {
            self.types.insert(ty.to_string());
        }
    }

    /// What a closure tells of its parameters, whose names may have another meaning outside.
    pub fn enter(&mut self, closure: &syn::ExprClosure) {
        let mut inner = Shapes::default();
        inner.visit_expr(&closure.body);
        self.forget(closure);
        self.extend(inner);
    }

    /// Leaves out what is known of names that are a closure's parameters.
    fn forget(&mut self, closure: &syn::ExprClosure) {
        let (params, _) = declared(closure);
        let of = |name: &str| name.trim_end_matches("[]").to_string();
        self.names.retain(|name| !params.contains(&of(name)));
    }

    fn note_type(&mut self, path: &syn::Path) {
        let last = path.segments.last().map(|s| s.ident.to_string());
        self.types.extend(last);
    }
}

impl<'ast> Visit<'ast> for Shapes {
    fn visit_expr_field(&mut self, f: &'ast syn::ExprField) {
        if let syn::Member::Named(_) = f.member {
            self.names.extend(tail(&f.base));
        }
        syn::visit::visit_expr_field(self, f);
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if !is_number_method(&m.method.to_string()) {
            self.names.extend(tail(&m.receiver));
        }
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_expr_closure(&mut self, c: &'ast syn::ExprClosure) {
        let mut inner = Shapes::default();
        inner.visit_expr(&c.body);
        inner.forget(c);
        self.extend(inner);
    }

    fn visit_expr_struct(&mut self, s: &'ast syn::ExprStruct) {
        self.note_type(&s.path);
        syn::visit::visit_expr_struct(self, s);
    }

    fn visit_pat_struct(&mut self, s: &'ast syn::PatStruct) {
        self.note_type(&s.path);
        syn::visit::visit_pat_struct(self, s);
    }

    fn visit_pat_tuple_struct(&mut self, s: &'ast syn::PatTupleStruct) {
        self.note_type(&s.path);
        syn::visit::visit_pat_tuple_struct(self, s);
    }

    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        if let syn::Expr::Path(p) = &*c.func {
            match names_maker(&p.path) {
                true => {
                    self.types.insert(owner(&p.path));
                }
                false if begins_upper(&p.path) => self.note_type(&p.path),
                false => {}
            }
        }
        syn::visit::visit_expr_call(self, c);
    }
}

fn begins_upper(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    last.is_some_and(|name| name.starts_with(char::is_uppercase))
}

/// The type that something belongs to by its path.
pub fn owner(path: &syn::Path) -> String {
    let owner = path.segments.iter().rev().nth(1);
    owner.map(|s| s.ident.to_string()).unwrap_or_default()
}

/// Whether the path is of something that belongs to a type: `Vec3::new`, `Vec3::ZERO`.
pub fn made_by(path: &syn::Path) -> bool {
    owner(path).starts_with(char::is_uppercase)
}

/// Whether the path is of a function that by its name makes a value of its type. Floats have such functions too.
pub fn names_maker(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    let name = last.unwrap_or_default();
    let of_floats = [
        "from_bits",
        "from_be_bytes",
        "from_le_bytes",
        "from_ne_bytes",
    ];
    let makes = name == "new" || name.starts_with("with_") || name.starts_with("from_");
    makes && !of_floats.contains(&name.as_str()) && made_by(path)
}

/// What a value is held by: a name, a field of any value, an element of either. A part of a list is one as well.
fn tail(e: &syn::Expr) -> Option<String> {
    match strip_parens(e) {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        syn::Expr::Field(f) => match &f.member {
            syn::Member::Named(name) => Some(format!(".{name}")),
            syn::Member::Unnamed(_) => None,
        },
        syn::Expr::Index(i) if matches!(strip_parens(&i.index), syn::Expr::Range(_)) => {
            tail(&i.expr)
        }
        syn::Expr::Index(i) => tail(&i.expr).map(|of| format!("{of}[]")),
        syn::Expr::Reference(r) => tail(&r.expr),
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => tail(&u.expr),
        _ => None,
    }
}
