//! Statics: places whose values are not copied, and may change behind shared references.

use crate::ir::Ty;
use crate::lower::Lower;
use crate::lower::expr::strip_parens;
use crate::lower::std_lib::method::is_readonly;

impl Lower {
    /// Whether the method is called on a static or a constant that is not visibly a number or a sequence. Methods of
    /// sequences are lowered where the type may be one.
    pub(super) fn is_opaque_static(&self, receiver: &syn::Expr, method: &str) -> bool {
        match self.static_type(receiver) {
            Some(Some(Ty::Named(of))) => !self.is_number_type_name(&of),
            Some(None) => !is_readonly(method) || matches!(method, "len" | "is_empty"),
            _ => false,
        }
    }

    /// Whether the expression is a static of a visible type that is not `Copy`.
    pub(super) fn is_static_place(&self, e: &syn::Expr) -> bool {
        matches!(self.static_type(e), Some(Some(Ty::Named(of))) if !self.env.copy_types.contains(&of))
    }

    /// The type of the constant or static that a name in capitals denotes; `Some(None)` if it is not visible.
    fn static_type(&self, e: &syn::Expr) -> Option<Option<Ty>> {
        let syn::Expr::Path(p) = strip_parens(e) else {
            return None;
        };
        let name = p.path.segments.last()?.ident.to_string();
        let is_bound = p.path.get_ident().is_some() && self.lookup(&name).is_some();
        let is_param = self
            .env
            .const_params
            .iter()
            .any(|(param, _)| *param == name);
        if is_bound || is_param || p.qself.is_some() || name.contains(char::is_lowercase) {
            return None;
        }
        Some(self.visible_constant(p).map(|(ty, _)| ty.clone()))
    }
}
