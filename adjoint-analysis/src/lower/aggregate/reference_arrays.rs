//! Arrays of references, split into one reference for each element.

use proc_macro2::Span;
use syn::spanned::Spanned;

use crate::ir::{BinOp, Expr};
use crate::lower::value::Value;
use crate::lower::{Lower, StmtKind, Ty};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// Methods that reorder or replace the references of an array.
const REARRANGING: &[&str] = &[
    "clone_from_slice",
    "copy_from_slice",
    "copy_within",
    "fill",
    "fill_with",
    "rotate_left",
    "rotate_right",
    "select_nth_unstable",
    "select_nth_unstable_by",
    "select_nth_unstable_by_key",
    "sort",
    "sort_by",
    "sort_by_cached_key",
    "sort_by_key",
    "sort_unstable",
    "sort_unstable_by",
    "sort_unstable_by_key",
    "swap_with_slice",
];

impl Lower {
    /// Indexes an array of references.
    pub fn index_ref_array(&mut self, parts: &[Value], index: Expr, span: Span) -> Value {
        if let Some(part) = literal_index(&index).and_then(|k| parts.get(k)) {
            return part.clone();
        }
        let index = self.checked_index(index, parts.len(), span);
        self.select_ref(parts, index, span)
    }

    /// `list[i] = &x`, where `i` may be known only at run time.
    pub fn assign_ref_element(&mut self, element: &syn::ExprIndex, value: &Value) -> bool {
        let list = self.named_value(&element.expr).map(Value::strip_ref);
        let Some(Value::Tuple(parts)) =
            list.filter(|l| matches!(l, Value::Tuple(p) if is_ref_array(p)))
        else {
            return false;
        };
        let span = element.span();
        let value = self.copy_to_temp(value.clone(), span);
        let index = self.eval_usize(&element.index);
        if let Some(part) = literal_index(&index).and_then(|k| parts.get(k)) {
            self.store(part.clone(), value, span);
            return true;
        }
        let at = self.checked_index(index, parts.len(), span);
        for (k, part) in parts.into_iter().enumerate() {
            let number = Expr::Lit(k.to_string(), Ty::USIZE);
            let test = Expr::Binary(BinOp::Eq, Box::new(at.clone()), Box::new(number));
            let value = value.clone();
            self.emit_if(test, span, |l| l.store(part, value, span), |_| {});
        }
        true
    }

    /// Checks an index into an array of `n` references, so that one out of bounds panics; returns the frozen index.
    fn checked_index(&mut self, index: Expr, n: usize, span: Span) -> Expr {
        let index = self.stable_operand(index, Ty::USIZE, span);
        let at = self.temp(span, "at", index.clone(), Ty::USIZE);
        let code = self.add_code(
            quote::quote!(let () = [(); #n][__place_0]),
            vec![CaptureMode::Value],
        );
        self.emit(span, StmtKind::Passive(code, vec![at]));
        index
    }

    /// Selects the reference at an index that is in bounds, by a chain of branches.
    pub fn select_ref(&mut self, parts: &[Value], index: Expr, span: Span) -> Value {
        let Some((first, rest)) = parts.split_first() else {
            return Value::Diverges;
        };
        if rest.is_empty() {
            return first.clone();
        }
        let test = Expr::Binary(
            BinOp::Eq,
            Box::new(index.clone()),
            Box::new(Expr::Lit("0".into(), Ty::USIZE)),
        );
        let one = Box::new(Expr::Lit("1".into(), Ty::USIZE));
        let next = Expr::Binary(BinOp::Sub, Box::new(index), one);
        let outer = std::mem::replace(&mut self.keep_reference, true);
        let then = (Vec::new(), first.clone());
        let els = self.in_block(|l| l.select_ref(rest, next, span));
        let chosen = self.emit_branch(span, test, then, els);
        self.keep_reference = outer;
        chosen
    }

    /// Methods of an array of references: `list.swap(0, 1)`, `list.reverse()`, `list.len()`.
    pub fn ref_array_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let span = m.method.span();
        let Value::Tuple(parts) = receiver else {
            return None;
        };
        if !is_ref_array(parts) {
            return None;
        }
        match (name, m.args.len()) {
            ("len", 0) => {
                let n = Expr::Lit(parts.len().to_string(), Ty::USIZE);
                Some(Value::Expr(n, Ty::USIZE))
            }
            ("reverse", 0) => {
                for (first, last) in (0..parts.len() / 2).map(|k| (k, parts.len() - 1 - k)) {
                    if let (Value::PlaceRef(a, _), Value::PlaceRef(b, _)) =
                        (&parts[first], &parts[last])
                    {
                        self.swap_references(a, b, span);
                    }
                }
                Some(Value::Unit)
            }
            (name, _) if REARRANGING.contains(&name) => {
                let what = format!("`{name}` of an array of references");
                Some(self.refuse(span, Reason::Reference(what)))
            }
            ("swap", 2) => {
                let at = self.operands(m.args.iter());
                let mut places = at.into_iter().map(|v| {
                    let (e, _) = self.read(v, span);
                    match parts.get(literal_index(&e)?)? {
                        Value::PlaceRef(place, _) => Some(place.clone()),
                        _ => None,
                    }
                });
                match (places.next().flatten(), places.next().flatten()) {
                    (Some(a), Some(b)) => self.swap_references(&a, &b, span),
                    _ => {
                        let what = "an element, chosen at run time, of an array of references";
                        self.refuse(span, Reason::Reference(what.into()));
                    }
                }
                Some(Value::Unit)
            }
            _ => None,
        }
    }
}

/// Whether the parts are those of an array of references.
pub fn is_ref_array(parts: &[Value]) -> bool {
    !parts.is_empty() && parts.iter().all(|p| matches!(p, Value::PlaceRef(..)))
}

fn literal_index(index: &Expr) -> Option<usize> {
    match index {
        Expr::Lit(text, _) => text.parse().ok(),
        _ => None,
    }
}
