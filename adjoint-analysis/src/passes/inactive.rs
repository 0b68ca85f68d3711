//! Functions whose floats the user takes as constants: `#[adjoint(inactive(path))]`.

use crate::ir::{Arg, Call, Func, Ty, base_name};

/// The paths that name them.
#[derive(Clone, Debug, Default)]
pub struct Inactive {
    /// The paths, as text.
    paths: Vec<String>,
    /// The traits that type parameters have, by their names.
    bounds: Vec<(String, String)>,
}

impl Inactive {
    /// The functions at these paths, where type parameters have these traits.
    pub fn new(paths: Vec<String>, bounds: Vec<(String, String)>) -> Inactive {
        Inactive { paths, bounds }
    }

    /// Whether a call is one of such a function. A method goes by the name of the type that it is called on, or by that
    /// of a trait where the type is known by its traits alone.
    pub fn holds(&self, call: &Call, func: &Func) -> bool {
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

    /// Whether the path names the method of the type.
    fn is_of(&self, path: &str, ty: &str, method: &str) -> bool {
        let Some((owner, last)) = path.rsplit_once("::") else {
            return false;
        };
        let owner = base_name(owner);
        let bounds = self.bounds.iter().filter(|(param, _)| param == ty);
        let mut owners = bounds.map(|(_, bound)| bound.as_str()).chain(by_traits(ty));
        last.trim() == method && (base_name(ty) == owner || owners.any(|of| of == owner))
    }
}

/// The traits of `impl A + B` and `dyn A`.
fn by_traits(ty: &str) -> impl Iterator<Item = &str> {
    let traits = ["impl ", "dyn "].iter().find_map(|k| ty.strip_prefix(k));
    traits.into_iter().flat_map(|t| t.split('+')).map(base_name)
}
