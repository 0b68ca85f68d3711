//! Uses of values in a body that only structs allow: their types can't be aliases of floats.

use std::collections::BTreeSet;

use syn::visit::Visit;

use crate::ir::{Expr, Place, base_name};
use crate::lower::expr::strip_parens;
use crate::lower::inline::closure_arguments::closure_bindings;
use crate::lower::std_lib::method::is_number_method;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};

/// The values that have fields, or methods that no number has, and the types that are constructed or destructured as
/// structs.
#[derive(Default, Clone, Debug)]
pub struct StructUsage {
    names: BTreeSet<String>,
    types: BTreeSet<String>,
}

impl StructUsage {
    /// The struct uses in the body.
    pub fn in_body(body: &syn::Block) -> StructUsage {
        let mut shapes = StructUsage::default();
        shapes.visit_block(body);
        shapes
    }

    /// Whether the value of the expression is used as a struct.
    pub fn has_expr(&self, e: &syn::Expr) -> bool {
        usage_key(e).is_some_and(|name| self.names.contains(&name))
    }

    /// Whether the value of this name is used as a struct.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether values of the type of this name are constructed or destructured as structs.
    pub fn has_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// Adds the uses in another body.
    pub fn extend(&mut self, other: StructUsage) {
        self.names.extend(other.names);
        self.types.extend(other.types);
    }

    /// Notes that the value of this name is of this type.
    pub fn note_type_of(&mut self, name: &str, ty: &str) {
        if self.has_name(name) {
            self.types.insert(ty.to_string());
        }
    }

    /// Adds the uses in a closure, whose parameters may shadow outer names.
    pub fn enter_closure(&mut self, closure: &syn::ExprClosure) {
        let mut inner = StructUsage::default();
        inner.visit_expr(&closure.body);
        self.remove_params(closure);
        self.extend(inner);
    }

    /// Removes the names of a closure's parameters.
    fn remove_params(&mut self, closure: &syn::ExprClosure) {
        let (params, _) = closure_bindings(closure);
        let of = |name: &str| name.trim_end_matches("[]").to_string();
        self.names.retain(|name| !params.contains(&of(name)));
    }

    fn note_type(&mut self, path: &syn::Path) {
        let last = path.segments.last().map(|s| s.ident.to_string());
        self.types.extend(last);
    }
}

impl<'ast> Visit<'ast> for StructUsage {
    fn visit_expr_field(&mut self, f: &'ast syn::ExprField) {
        if let syn::Member::Named(_) = f.member {
            self.names.extend(usage_key(&f.base));
        }
        syn::visit::visit_expr_field(self, f);
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if !is_number_method(&m.method.to_string()) {
            self.names.extend(usage_key(&m.receiver));
        }
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_expr_closure(&mut self, c: &'ast syn::ExprClosure) {
        let mut inner = StructUsage::default();
        inner.visit_expr(&c.body);
        inner.remove_params(c);
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
            match is_constructor_name(&p.path) {
                true => {
                    self.types.insert(owner_name(&p.path));
                }
                false if begins_upper(&p.path) => self.note_type(&p.path),
                false => {}
            }
        }
        syn::visit::visit_expr_call(self, c);
    }
}

impl Lower {
    /// Notes that the result of a number method on a struct is a struct, as that on a number is a number. Only `abs`
    /// gives a number.
    pub fn note_struct_result(&mut self, method: &str, result: &Value) {
        if let (Value::Place(p), true, false) = (result, is_number_method(method), method == "abs")
        {
            self.user_types.struct_vars.insert(p.root);
        }
    }

    /// Whether the receiver of a method is known by its uses to be a struct.
    pub fn is_struct(&self, value: &Value, e: &syn::Expr) -> bool {
        let noted = matches!(value, Value::Place(p) | Value::PlaceRef(p, _) | Value::Expr(Expr::Read(p), _)
            if self.is_noted_struct(p));
        noted || self.looks_like_struct(e)
    }

    /// Whether the place is a variable that is known to hold a struct.
    pub fn is_noted_struct(&self, place: &Place) -> bool {
        place.is_whole() && self.user_types.struct_vars.contains(&place.root)
    }

    /// Whether the expression is used as a struct elsewhere, or constructs one.
    pub fn looks_like_struct(&self, e: &syn::Expr) -> bool {
        match strip_parens(e) {
            // An element of a matrix is no struct.
            syn::Expr::Index(i) if self.is_opaque_place(&i.expr) => false,
            syn::Expr::Call(c) => self.may_return_struct(c),
            syn::Expr::Path(p) if is_associated_item(&p.path) => {
                !self.has_number_items(&owner_name(&p.path))
            }
            syn::Expr::Struct(_) => true,
            e => self.user_types.struct_usage.has_expr(e),
        }
    }

    /// Whether the call is to an associated function that may return a struct: `Complex::polar(r, t)`.
    pub fn may_return_struct(&self, c: &syn::ExprCall) -> bool {
        let syn::Expr::Path(p) = strip_parens(&c.func) else {
            return false;
        };
        is_associated_item(&p.path)
            && !self.has_number_items(&owner_name(&p.path))
            && match self.path_result_type(p) {
                Some(result) => matches!(result, Ty::Named(_)),
                None => !self.takes_struct(c),
            }
    }

    /// Whether the associated items of this type or trait are numbers: `T::HALF`, `One::one()`.
    fn has_number_items(&self, owner: &str) -> bool {
        let of_numbers = [
            "Bounded",
            "Float",
            "FloatConst",
            "FromPrimitive",
            "NumCast",
            "One",
            "Zero",
        ];
        of_numbers.contains(&owner) || self.float_type(owner).is_some()
    }

    /// Whether the path is a function that by convention constructs its type: `Ring::new`.
    pub fn is_constructor(&self, path: &syn::Path) -> bool {
        let owner = owner_name(path);
        is_constructor_name(path)
            && self.float_type(&owner).is_none()
            && !self.env.aliases.contains_key(&owner)
    }

    /// Whether a named type can't be an alias of a float: it has arguments, or its values are constructed or used as
    /// structs.
    pub fn is_struct_name(&self, name: &str) -> bool {
        // The output of an operator, `<A as Mul<B>>::Output`, may be a number.
        !name.starts_with('<')
            && (name.contains('<') || self.user_types.struct_usage.has_type(base_name(name)))
    }

    /// Whether the call passes a value of a struct type, by reference or by value, as a method does: then it need not
    /// construct the type.
    fn takes_struct(&self, c: &syn::ExprCall) -> bool {
        let Some(first) = c.args.first().map(strip_parens) else {
            return false;
        };
        let source = match first {
            syn::Expr::MethodCall(m) if m.method == "clone" => strip_parens(&m.receiver),
            first => first,
        };
        matches!(first, syn::Expr::Reference(_) | syn::Expr::Struct(_))
            || matches!(self.place_expr_type(source), Some(Ty::Named(_)))
    }
}

fn begins_upper(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    last.is_some_and(|name| name.starts_with(char::is_uppercase))
}

/// The type that the item at the path belongs to.
pub fn owner_name(path: &syn::Path) -> String {
    let owner = path.segments.iter().rev().nth(1);
    owner.map(|s| s.ident.to_string()).unwrap_or_default()
}

/// Whether the path is an associated item of a type: `Vec3::new`, `Vec3::ZERO`.
pub fn is_associated_item(path: &syn::Path) -> bool {
    owner_name(path).starts_with(char::is_uppercase)
}

/// Whether the path is a function that by its name constructs its type. Functions of floats with such names are
/// excluded.
pub fn is_constructor_name(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    let name = last.unwrap_or_default();
    let of_floats = [
        "from_bits",
        "from_be_bytes",
        "from_le_bytes",
        "from_ne_bytes",
    ];
    let makes = name == "new" || name.starts_with("with_") || name.starts_with("from_");
    makes && !of_floats.contains(&name.as_str()) && is_associated_item(path)
}

/// The key of the value that an expression is part of: a variable, a field of any value, or an element of either. A
/// subslice has the key of its list.
fn usage_key(e: &syn::Expr) -> Option<String> {
    match strip_parens(e) {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        syn::Expr::Field(f) => match &f.member {
            syn::Member::Named(name) => Some(format!(".{name}")),
            syn::Member::Unnamed(_) => None,
        },
        syn::Expr::Index(i) if matches!(strip_parens(&i.index), syn::Expr::Range(_)) => {
            usage_key(&i.expr)
        }
        syn::Expr::Index(i) => usage_key(&i.expr).map(|of| format!("{of}[]")),
        syn::Expr::Reference(r) => usage_key(&r.expr),
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => usage_key(&u.expr),
        _ => None,
    }
}
