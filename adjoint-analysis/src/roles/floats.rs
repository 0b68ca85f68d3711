//! Floats that go into a function and come out of it, as far as its signature shows.

use syn::visit::Visit;

use crate::ir::{Mode, Ty};
use crate::lower::items::generics;
use crate::lower::types::{fn_bound_arity, lower_type, ungrouped};
use crate::lower::{Environment, signature};

/// Whether the function takes floats and returns or writes some, so that there is something to differentiate.
pub fn carries_floats(sig: &syn::Signature, env: &Environment) -> bool {
    let env = generics::in_function(sig, env);
    let params = parameters(sig, &env);
    let real = |(ty, _): &&(Ty, Mode)| ty.carries_floats();
    let returned = match &sig.output {
        syn::ReturnType::Type(_, ty) => lower_type(ty, &env).0.carries_floats(),
        syn::ReturnType::Default => false,
    };
    params.iter().any(|param| real(&param))
        && (returned
            || params
                .iter()
                .filter(real)
                .any(|(_, mode)| *mode == Mode::Mut))
}

/// The type or referent type of each parameter, and how it is passed.
fn parameters(sig: &syn::Signature, env: &Environment) -> Vec<(Ty, Mode)> {
    let of = |arg: &syn::FnArg| match arg {
        syn::FnArg::Receiver(r) => (Ty::Named("Self".into()), signature::receiver_mode(r)),
        syn::FnArg::Typed(t) => lower_type(&t.ty, env),
    };
    sig.inputs.iter().map(of).collect()
}

/// Whether the results of the function certainly hold no floats, as those of a search or a test.
pub fn returns_no_floats(sig: &syn::Signature, env: &Environment) -> bool {
    let env = generics::in_function(sig, env);
    let returned = match &sig.output {
        syn::ReturnType::Type(_, ty) => {
            is_float_free(&lower_type(ty, &env).0) && !holds_reference(ty)
        }
        syn::ReturnType::Default => true,
    };
    let params = parameters(sig, &env);
    let mut written = params.iter().filter(|(_, mode)| *mode == Mode::Mut);
    returned && written.all(|(ty, _)| is_float_free(ty))
}

/// Whether the type holds no floats and the tape can hold its values.
fn is_float_free(ty: &Ty) -> bool {
    match ty {
        Ty::Int(_) | Ty::Bool | Ty::Unit => true,
        Ty::Discrete(name) => {
            matches!(
                name.as_str(),
                "char" | "str" | "String" | "::core::cmp::Ordering"
            )
        }
        Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
            is_float_free(t)
        }
        Ty::Result(t, e) => is_float_free(t) && is_float_free(e),
        Ty::Tuple(ts) => ts.iter().all(is_float_free),
        Ty::Float(_) | Ty::Named(_) | Ty::Unknown | Ty::Infer(_) => false,
    }
}

/// Whether the type is or holds a reference, except to a `'static` text.
fn holds_reference(ty: &syn::Type) -> bool {
    match ungrouped(ty) {
        syn::Type::Reference(r) => {
            let stays = r.lifetime.as_ref().is_some_and(|of| of.ident == "static");
            !stays || !matches!(&*r.elem, syn::Type::Path(p) if p.path.is_ident("str"))
        }
        ty => signature::holds_references(ty),
    }
}

/// Whether the function returns floats and takes none, and its result is certainly `Differentiable`.
pub fn constructs_floats(sig: &syn::Signature, env: &Environment) -> bool {
    fn is_known(ty: &Ty, own: Option<&str>) -> bool {
        match ty {
            Ty::Float(_) => true,
            Ty::Named(name) => name == "Self" || own == Some(name),
            Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) => is_known(t, own),
            Ty::Tuple(ts) => ts.iter().all(|t| is_known(t, own)),
            _ => false,
        }
    }
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return false;
    };
    let inside = generics::in_function(sig, env);
    !takes_floats(sig, env) && is_known(&lower_type(ty, &inside).0, env.self_ty.as_deref())
}

/// Whether the parameters may hold floats.
pub fn takes_floats(sig: &syn::Signature, env: &Environment) -> bool {
    let env = generics::in_function(sig, env);
    sig.inputs.iter().any(|arg| match arg {
        syn::FnArg::Receiver(_) => true,
        syn::FnArg::Typed(t) => may_carry_floats(&t.ty, &env),
    })
}

/// Whether a value of the type may hold floats: a value behind a trait that is not called, or behind a raw pointer, may
/// hold anything.
fn may_carry_floats(ty: &syn::Type, env: &Environment) -> bool {
    struct Hidden(bool);
    impl<'ast> Visit<'ast> for Hidden {
        fn visit_type_impl_trait(&mut self, t: &'ast syn::TypeImplTrait) {
            self.0 |= !t.bounds.iter().any(|b| fn_bound_arity(b).is_some());
        }
        fn visit_type_trait_object(&mut self, t: &'ast syn::TypeTraitObject) {
            self.0 |= !t.bounds.iter().any(|b| fn_bound_arity(b).is_some());
        }
        fn visit_type_ptr(&mut self, _: &'ast syn::TypePtr) {
            self.0 = true;
        }
    }
    let mut hidden = Hidden(false);
    hidden.visit_type(ty);
    hidden.0 || lower_type(ty, env).0.carries_floats()
}
