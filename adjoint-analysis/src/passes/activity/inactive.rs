//! Functions whose floats the user takes as constants: `#[adjoint(inactive(path))]`.

use crate::ir::{Arg, Call, Func, Ty};

/// The paths of the inactive functions.
#[derive(Clone, Debug, Default)]
pub struct Inactive {
    /// The paths, as text.
    paths: Vec<String>,
    /// The traits of type parameters, by the parameters' names.
    bounds: Vec<(String, String)>,
}

impl Inactive {
    /// The functions at these paths, given the traits of type parameters.
    pub fn new(paths: Vec<String>, bounds: Vec<(String, String)>) -> Inactive {
        Inactive { paths, bounds }
    }

    /// Whether the call is of an inactive function. A method is matched by its receiver's type, or by a trait if only
    /// the traits of the type are known.
    pub fn contains(&self, call: &Call, func: &Func) -> bool {
        let name = &call.callee.name;
        let Some(method) = name.strip_prefix('.') else {
            return self.paths.contains(name);
        };
        let receiver = call.args.first().map(|arg| match arg {
            Arg::Value(e) => e.ty(func),
            Arg::Shared(p) | Arg::Mut(p) => p.ty.clone(),
        });
        match receiver {
            Some(Ty::Named(ty) | Ty::Discrete(ty)) => {
                self.paths.iter().any(|path| self.is_of(path, &ty, method))
            }
            _ => false,
        }
    }

    /// The types named in these paths that may be the type `ty` and have the method.
    pub fn owners<'p>(paths: &'p [String], ty: &str, method: &str) -> Vec<&'p str> {
        let all = paths.iter().filter_map(|path| path.rsplit_once("::"));
        let of_method = all.filter(|(owner, last)| last.trim() == method && may_be_one(ty, owner));
        of_method.map(|(owner, _)| owner.trim()).collect()
    }

    /// Whether the path names the method of the type.
    fn is_of(&self, path: &str, ty: &str, method: &str) -> bool {
        let Some((owner, last)) = path.rsplit_once("::") else {
            return false;
        };
        let bounds = self.bounds.iter().filter(|(param, _)| param == ty);
        let mut owners = bounds
            .map(|(_, bound)| bound.as_str())
            .chain(trait_names(ty));
        last.trim() == method && (may_be_one(ty, owner) || owners.any(|of| may_be_one(of, owner)))
    }
}

/// Whether two paths may refer to the same type or trait: the shorter one may begin at an import.
fn may_be_one(a: &str, b: &str) -> bool {
    let segments = |path: &str| -> Vec<String> {
        let plain = path.split('<').next().unwrap_or_default();
        let all = plain.split("::").map(str::trim);
        let named = all.filter(|s| !matches!(*s, "" | "crate" | "self" | "super"));
        named.map(str::to_string).collect()
    };
    let (a, b) = (segments(a), segments(b));
    a.iter().rev().zip(b.iter().rev()).all(|(a, b)| a == b)
}

/// The traits of `impl A + B` and `dyn A`.
fn trait_names(ty: &str) -> impl Iterator<Item = &str> {
    let traits = ["impl ", "dyn "].iter().find_map(|k| ty.strip_prefix(k));
    traits.into_iter().flat_map(|t| t.split('+'))
}
