//! Default values, for variables that have no value yet.

use super::{Expr, Ty};

/// A default value of the type, if it has one.
pub fn default_value(ty: &Ty) -> Option<Expr> {
    let lit = |text: &str| Some(Expr::Lit(text.to_string(), ty.clone()));
    match ty {
        Ty::Float(_) => lit("0.0"),
        Ty::Int(_) => lit("0"),
        Ty::Bool => lit("false"),
        Ty::Tuple(tys) => {
            let parts = tys.iter().map(default_value).collect::<Option<Vec<_>>>()?;
            Some(Expr::Aggregate(parts, ty.clone()))
        }
        Ty::Array(element, n) => {
            let n = Expr::Lit(n.clone(), Ty::USIZE);
            Some(Expr::Repeat(
                Box::new(default_value(element)?),
                Box::new(n),
                ty.clone(),
            ))
        }
        Ty::Option(_) => Some(Expr::Variant("None".into(), Vec::new(), ty.clone())),
        Ty::Result(t, e) => {
            let (name, value) = match default_value(t) {
                Some(value) => ("Ok", value),
                None => ("Err", default_value(e)?),
            };
            Some(Expr::Variant(
                name.into(),
                vec![("0".into(), value)],
                ty.clone(),
            ))
        }
        Ty::Vec(_) => Some(Expr::Aggregate(Vec::new(), ty.clone())),
        Ty::Discrete(name) => default_text(name),
        _ => None,
    }
}

/// An empty string, if the type is a string.
fn default_text(ty: &str) -> Option<Expr> {
    let text = Expr::Lit("\"\"".into(), Ty::Discrete("&str".into()));
    match ty.rsplit(':').next().map(str::trim) {
        Some("String") => {
            let ty = Ty::Discrete(ty.to_string());
            Some(Expr::Discrete("to_string".into(), vec![text], ty))
        }
        Some("str" | "&str" | "&'static str" | "& 'static str") => Some(text),
        _ => None,
    }
}
