//! Monomorphisation of inline functions: the argument types determine the generic parameters.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::converted_parameters::{Conversion, remove_conversions};
use super::eligibility::is_trait_type;
use super::extension_traits::is_std_or_blanket;
use super::{CallPath, InlineFn, Owner};
use crate::ir::{Ty, base_name};
use crate::lower::Lower;
use crate::lower::items::generic_arguments::{
    GenericArgs, infer_args, infer_path_args, value_params,
};
use crate::lower::items::generics;
use crate::lower::items::overloads::first_duplicate;
use crate::lower::tokens::identifiers;
use crate::lower::types::{text, ungrouped};
use crate::lower::value::Value;
use crate::refuse::Reason;

impl Lower {
    /// The inline function, monomorphised for these arguments; refused if they don't determine its parameters.
    pub(super) fn monomorphised(
        &mut self,
        template: &InlineFn,
        args: &[Value],
        named: CallPath<'_>,
        span: Span,
    ) -> Option<InlineFn> {
        let at_home = self.is_callers_instance(template, args, named);
        let owner = template.owner.as_ref().filter(|_| !at_home);
        let mut params = value_params(&template.sig.generics);
        params.extend(owner.map(|o| value_params(&o.generics)).unwrap_or_default());
        // A conversion parameter has the type that it is converted to.
        for param in template.sig.generics.type_params() {
            if Conversion::of_param(param, &template.sig.generics).is_some() {
                params.retain(|name| param.ident != name);
            }
        }
        let mut found = GenericArgs::new();
        if let Some(given) = named.generic_args {
            infer_turbofish_args(&template.sig.generics, given, &mut found);
        }
        if let (Some(Owner { ty, .. }), Some(named)) = (owner, named.owner) {
            infer_owner_args(ty, named, &params, &mut found);
        }
        for (input, arg) in template.sig.inputs.iter().zip(args) {
            let ty = self.value_ty(arg);
            let ty = self.infer.resolve(&ty);
            match (input, owner) {
                (syn::FnArg::Receiver(_), Some(owner)) => {
                    infer_args(&owner.ty, &ty, &params, &mut found)
                }
                (syn::FnArg::Receiver(_), None) => {}
                (syn::FnArg::Typed(t), _) => infer_args(&t.ty, &ty, &params, &mut found),
            }
        }
        let body = text(&template.body);
        for param in template.sig.generics.type_params() {
            let name = param.ident.to_string();
            let is_named = body.contains(&format!("{name} ::"));
            if !found.contains_key(&name) && !is_named && is_only_returned(param, &template.sig) {
                found.insert(name, quote!(_));
            }
        }
        let mentioned = body + &text(&template.sig.output);
        let open = |name: &&String| {
            !found.contains_key(*name) && mentioned.split_whitespace().any(|word| word == *name)
        };
        if let Some(name) = params.iter().find(open) {
            self.refuse(span, Reason::OpenParameter(name.clone()));
            return None;
        }
        if self.refuse_ambiguous(template, args, &found, span)
            || self.refuse_non_forwarding(template, span)
        {
            return None;
        }
        let mut put = Substitution {
            params: found,
            self_ty: owner.map(|o| o.ty.clone()),
        };
        let (mut sig, mut body) = (template.sig.clone(), template.body.clone());
        put.visit_signature_mut(&mut sig);
        put.visit_block_mut(&mut body);
        remove_conversions(&template.sig, &mut body);
        let of = template.owner.as_ref().map(|owner| {
            let mut owner = owner.clone();
            if !at_home {
                put.self_ty = None;
                put.visit_type_mut(&mut owner.ty);
            }
            owner
        });
        Some(InlineFn {
            sig,
            body,
            owner: of,
            is_nested: template.is_nested,
            only_in_generic: false,
        })
    }

    /// Refuses argument types that have an ambiguous name, both inherent and by a trait, which the body mentions.
    fn refuse_ambiguous(
        &mut self,
        template: &InlineFn,
        args: &[Value],
        found: &GenericArgs,
        span: Span,
    ) -> bool {
        if self.env.duplicate_items.is_empty() {
            return false;
        }
        let mut names = Vec::new();
        identifiers(&template.body.to_token_stream(), &mut names);
        let mut owners: Vec<String> = found.values().map(ToString::to_string).collect();
        for (input, arg) in template.sig.inputs.iter().zip(args) {
            if let (syn::FnArg::Typed(t), Ty::Named(of)) = (input, self.value_ty(arg))
                && is_trait_type(&t.ty)
            {
                owners.push(of);
            }
        }
        let double = owners
            .iter()
            .find_map(|of| Some((of, first_duplicate(of, &names, &self.env)?)));
        let Some((of, name)) = double else {
            return false;
        };
        let reason = Reason::Double(base_name(of).to_string(), name.clone());
        self.refuse(span, reason);
        true
    }

    /// Refuses an inline function that is generic over a trait which a box implements without forwarding everything.
    fn refuse_non_forwarding(&mut self, template: &InlineFn, span: Span) -> bool {
        if self.env.non_forwarding_traits.is_empty() {
            return false;
        }
        let mut names = Vec::new();
        identifiers(&template.sig.to_token_stream(), &mut names);
        identifiers(
            &template.sig.generics.where_clause.to_token_stream(),
            &mut names,
        );
        if let Some(owner) = &template.owner {
            identifiers(&owner.generics.to_token_stream(), &mut names);
            identifiers(&owner.generics.where_clause.to_token_stream(), &mut names);
        }
        let apart = names
            .into_iter()
            .find(|name| self.env.non_forwarding_traits.contains(name));
        let Some(name) = apart else {
            return false;
        };
        let what = format!(
            "a call through `{name}`, of which boxes or references have an `impl` that does not hand on all of it,"
        );
        self.refuse(span, Reason::Expression(what));
        true
    }

    /// Whether `Self` and the parameters of the `impl` are those of the caller.
    fn is_callers_instance(
        &mut self,
        template: &InlineFn,
        args: &[Value],
        named: CallPath<'_>,
    ) -> bool {
        let Some(Owner { ty, generics }) = &template.owner else {
            return true;
        };
        if is_std_or_blanket(ty, generics) {
            return false;
        }
        // A type name other than `Self` may name another instance.
        let by_type = |of: &syn::PathSegment| of.ident != "Self" && !generics.params.is_empty();
        if template.sig.receiver().is_none() && named.owner.is_some_and(by_type) {
            return false;
        }
        let receiver = template.sig.receiver().and(args.first());
        let same = receiver.is_none_or(|r| match self.value_ty(r) {
            Ty::Named(found) => found == text(ty),
            _ => true,
        });
        same && self.env.self_ty.as_deref() == Some(text(ty).as_str())
    }
}

/// Whether the type parameter is only returned by functions that are passed, and the body calls no methods on it:
/// `f: impl Fn(f64) -> R`. The passed function determines it.
fn is_only_returned(param: &syn::TypeParam, sig: &syn::Signature) -> bool {
    const WITHOUT_METHODS: &[&str] = &["Clone", "Copy", "Debug", "Send", "Sized", "Sync"];
    struct Outputs(Vec<String>);
    impl<'ast> Visit<'ast> for Outputs {
        fn visit_parenthesized_generic_arguments(
            &mut self,
            args: &'ast syn::ParenthesizedGenericArguments,
        ) {
            identifiers(&args.output.to_token_stream(), &mut self.0);
        }
    }
    let calls_nothing = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(t) => {
            let last = t.path.segments.last();
            last.is_some_and(|of| WITHOUT_METHODS.iter().any(|name| of.ident == name))
        }
        _ => true,
    };
    let mut outputs = Outputs(Vec::new());
    outputs.visit_signature(sig);
    let is_output = outputs.0.iter().any(|word| param.ident == word);
    is_output && generics::bounds(&sig.generics, param).all(calls_nothing)
}

/// Applies a substitution to a type.
pub fn substitute_type(found: GenericArgs, ty: &mut syn::Type) {
    Substitution {
        params: found,
        self_ty: None,
    }
    .visit_type_mut(ty);
}

/// Applies a substitution to a method.
pub fn substitute_method(found: GenericArgs, method: &mut syn::ImplItemFn) {
    Substitution {
        params: found,
        self_ty: None,
    }
    .visit_impl_item_fn_mut(method);
}

/// Substitutes `Self` in a signature.
pub fn substitute_self(own: &syn::Type, sig: &mut syn::Signature) {
    let (found, own) = (GenericArgs::new(), Some(own.clone()));
    Substitution {
        params: found,
        self_ty: own,
    }
    .visit_signature_mut(sig);
}

/// A substitution of generic parameters and `Self`.
struct Substitution {
    params: GenericArgs,
    self_ty: Option<syn::Type>,
}

impl Substitution {
    fn replacement(&self, name: &syn::Ident) -> Option<TokenStream> {
        match &self.self_ty {
            Some(own) if name == "Self" => {
                let mut own = own.clone();
                let mut put = Substitution {
                    params: self.params.clone(),
                    self_ty: None,
                };
                put.visit_type_mut(&mut own);
                Some(quote!(#own))
            }
            _ => self.params.get(&name.to_string()).cloned(),
        }
    }

    /// Substitutes the first segment of a path, in the form that expressions need: `Matrix::<f64>`.
    fn substitute_path(&self, path: &mut syn::Path) {
        let Some(first) = path.segments.first() else {
            return;
        };
        let Some(by) = self.replacement(&first.ident) else {
            return;
        };
        let Ok(by) = syn::parse2::<syn::TypePath>(by) else {
            return;
        };
        let rest: Vec<syn::PathSegment> = path.segments.iter().skip(1).cloned().collect();
        *path = by.path;
        if let Some(syn::PathArguments::AngleBracketed(args)) =
            path.segments.last_mut().map(|s| &mut s.arguments)
        {
            args.colon2_token.get_or_insert_with(Default::default);
        }
        path.segments.extend(rest);
    }

    fn substitute_tokens(&self, tokens: TokenStream) -> TokenStream {
        let one = |token: TokenTree| match token {
            TokenTree::Ident(name) => self.replacement(&name).unwrap_or_else(|| quote!(#name)),
            TokenTree::Group(group) => {
                let mut inner =
                    Group::new(group.delimiter(), self.substitute_tokens(group.stream()));
                inner.set_span(group.span());
                quote!(#inner)
            }
            token => quote!(#token),
        };
        tokens.into_iter().map(one).collect()
    }
}

impl VisitMut for Substitution {
    fn visit_generic_argument_mut(&mut self, argument: &mut syn::GenericArgument) {
        // A const argument that is a name parses as a type.
        if let syn::GenericArgument::Type(syn::Type::Path(p)) = argument
            && let Some(name) = p.path.get_ident()
            && let Some(by) = self.replacement(name)
            && let Ok(by) = syn::parse2(by)
        {
            *argument = by;
            return;
        }
        syn::visit_mut::visit_generic_argument_mut(self, argument);
    }

    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Path(p) = ty
            && let Some(name) = p.path.get_ident()
            && let Some(by) = self.replacement(name)
            && let Ok(by) = syn::parse2(by)
        {
            *ty = by;
            return;
        }
        syn::visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::Path(p) = e
            && let Some(name) = p.path.get_ident()
            && let Some(by) = self.params.get(&name.to_string())
            && let Ok(by) = syn::parse2(by.clone())
        {
            *e = by;
            return;
        }
        if let Some(cast) = self.float_from_cast(e) {
            *e = cast;
        }
        syn::visit_mut::visit_expr_mut(self, e);
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        // Segments are visited first: the substituted path contains the caller's names.
        syn::visit_mut::visit_path_mut(self, path);
        self.substitute_path(path);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.substitute_tokens(mac.tokens.clone());
    }
}

impl Substitution {
    /// Replaces `T::from(x).unwrap()` by a cast: `T::from` of a type parameter is not `f64::from`.
    fn float_from_cast(&self, e: &syn::Expr) -> Option<syn::Expr> {
        let syn::Expr::MethodCall(m) = e else {
            return None;
        };
        let syn::Expr::Call(made) = &*m.receiver else {
            return None;
        };
        let syn::Expr::Path(p) = &*made.func else {
            return None;
        };
        let by = self
            .params
            .get(&p.path.segments.first()?.ident.to_string())?;
        let is_float = matches!(by.to_string().as_str(), "f64" | "f32");
        let last = p.path.segments.last()?.ident.to_string();
        let unwraps = m.method == "unwrap" || m.method == "expect";
        match (
            is_float && unwraps && last.starts_with("from"),
            made.args.first(),
        ) {
            (true, Some(x)) => {
                let x = x.to_token_stream();
                Some(syn::parse_quote!(((#x) as #by)))
            }
            _ => None,
        }
    }
}

/// Adds the parameters of the `impl` that a path like `Matrix::<2, 3>` determines.
fn infer_owner_args(
    ty: &syn::Type,
    named: &syn::PathSegment,
    params: &[String],
    found: &mut GenericArgs,
) {
    let syn::Type::Path(own) = ungrouped(ty) else {
        return;
    };
    let named = syn::Path::from(named.clone());
    infer_path_args(&own.path, &named, params, found);
}

/// Adds the parameters that a turbofish like `f::<Gain, 3>` determines.
fn infer_turbofish_args(
    of: &syn::Generics,
    given: &syn::AngleBracketedGenericArguments,
    found: &mut GenericArgs,
) {
    let params = of.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(t) => Some(t.ident.to_string()),
        syn::GenericParam::Const(c) => Some(c.ident.to_string()),
        syn::GenericParam::Lifetime(_) => None,
    });
    let lifetime = |a: &&syn::GenericArgument| matches!(a, syn::GenericArgument::Lifetime(_));
    let args = given.args.iter().filter(|a| !lifetime(a));
    for (param, arg) in params.zip(args) {
        if !matches!(arg, syn::GenericArgument::Type(syn::Type::Infer(_))) {
            found.insert(param, quote!(#arg));
        }
    }
}
