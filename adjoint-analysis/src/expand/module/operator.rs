//! `#[adjoint] impl Add for Vec3`: the adjoint of an operator, selected by the types of its operands.
//!
//! The method becomes a function of its operands, with `self` renamed; its sweeps are the methods of a hidden trait
//! ([`crate::emit::calls::operator`]).

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

use super::own_options;
use super::self_paths::replace_self;
use crate::compile::companion_items::companion_items_at;
use crate::emit::calls::operator::OperatorHeader;
use crate::emit::interface::SweepLocation;
use crate::expand::cfg::conditions::items_under;
use crate::ir::Mode;
use crate::lower::Environment;
use crate::lower::expr::operator::{OperatorImpl, operator_impl};
use crate::lower::items::generics;
use crate::lower::signature::receiver_mode;
use crate::lower::types::{text, ungrouped};
use crate::options::Options;
use crate::refuse::{Reason, Refusal};
use crate::roles::floats::carries_floats;

/// An operator method as a function, with its environment.
pub struct OperatorFn {
    /// The function.
    pub item: syn::ItemFn,
    /// The arguments of the attribute.
    pub options: Result<Options, darling::Error>,
    /// The environment of the function.
    pub env: Environment,
    /// The header of the hidden `impl` with its sweeps.
    pub header: OperatorHeader,
}

/// The companion items of an operator `impl`.
pub fn companion_items(item: &syn::ItemImpl, options: &Options, env: &Environment) -> TokenStream {
    let beside = match operator_fn(item, options, env) {
        None => {
            let (span, reason) = (item.span(), Reason::TraitImpl);
            Refusal { span, reason }.to_error().to_compile_error()
        }
        Some(OperatorFn {
            options: Err(error),
            ..
        }) => error.write_errors(),
        Some(OperatorFn { item, env, .. }) if !carries_floats(&item.sig, &env) => {
            TokenStream::new()
        }
        Some(OperatorFn {
            item,
            options: Ok(options),
            env,
            header,
        }) => {
            let home = SweepLocation::Operator(Box::new(header));
            companion_items_at(home, &item, &options, &env)
        }
    };
    items_under(&item.attrs, beside)
}

/// The method of the operator as a function of its operands.
pub fn operator_fn(
    item: &syn::ItemImpl,
    options: &Options,
    env: &Environment,
) -> Option<OperatorFn> {
    let of = operator_impl(item)?;
    let method = item.items.iter().find_map(|i| match i {
        syn::ImplItem::Fn(f) if f.sig.ident == of.method => Some(f.clone()),
        _ => None,
    });
    let mut method = method?;
    let options = own_options(&mut method.attrs, options);
    let env = generics::in_impl(&item.generics, env);
    let env = Environment {
        self_ty: Some(text(referent(&item.self_ty))),
        ..env
    };
    let header = OperatorHeader {
        generics: item.generics.clone(),
        float_params: env.float_params.clone(),
        operator: Ident::new(&of.name, Span::call_site()),
        left: referent(&item.self_ty).clone(),
        right: of.right.as_ref().map(|ty| referent(ty).clone()),
    };
    let item = build_fn(item, &of, &method)?;
    Some(OperatorFn {
        item,
        options,
        env,
        header,
    })
}

fn build_fn(
    item: &syn::ItemImpl,
    of: &OperatorImpl,
    method: &syn::ImplItemFn,
) -> Option<syn::ItemFn> {
    let span = method.sig.ident.span();
    let left_name = Ident::new("__self", span);
    let left = without_lifetime(&item.self_ty);
    let left = match of.output {
        Some(_) => quote!(#left_name: #left),
        None => quote!(#left_name: &mut #left),
    };
    let by_value = |r: &&syn::Receiver| receiver_mode(r) == Mode::Owned;
    let left_mutable = method.sig.receiver().filter(by_value);
    let left_mutable = left_mutable.and_then(|r| r.mutability);
    let right = match (of.right.as_ref(), method.sig.inputs.iter().nth(1)) {
        (Some(ty), Some(syn::FnArg::Typed(arg))) => {
            let (pattern, ty) = (&arg.pat, without_lifetime(ty));
            quote!(, #pattern: #ty)
        }
        _ => TokenStream::new(),
    };
    let output = of.output.as_ref().map(|ty| quote!(-> #ty));
    let replace = SelfSubstitution {
        own: &item.self_ty,
        output: of.output.as_ref(),
        left: &left_name,
    };
    let body = replace.apply(method.block.to_token_stream());
    let (name, attrs) = (&method.sig.ident, &method.attrs);
    let tokens = quote!(#(#attrs)* fn #name(#left_mutable #left #right) #output #body);
    syn::parse2(tokens).ok()
}

/// The referent of a reference type; any other type as it is.
fn referent(ty: &syn::Type) -> &syn::Type {
    match ungrouped(ty) {
        syn::Type::Reference(r) => &r.elem,
        ty => ty,
    }
}

/// The type; a reference loses its lifetime.
fn without_lifetime(ty: &syn::Type) -> TokenStream {
    match ungrouped(ty) {
        syn::Type::Reference(r) => {
            let elem = &r.elem;
            quote!(&#elem)
        }
        ty => quote!(#ty),
    }
}

/// Replaces `self` and `Self` in the body.
struct SelfSubstitution<'a> {
    own: &'a syn::Type,
    output: Option<&'a syn::Type>,
    left: &'a Ident,
}

impl SelfSubstitution<'_> {
    fn apply(&self, tokens: TokenStream) -> TokenStream {
        replace_self(tokens, &|word, name| {
            if word == "self" {
                let left = Ident::new(&self.left.to_string(), word.span());
                return Some((quote!(#left), false));
            }
            let output = name.is_some_and(|name| name.to_string() == "Output");
            Some(match self.output.filter(|_| output) {
                Some(ty) => {
                    let ty = with_turbofish(ty);
                    (quote!(#ty), true)
                }
                None => (self.own_type(word), false),
            })
        })
    }

    /// `Self` stays unless it is a reference type: the hidden `impl` is for the referent.
    fn own_type(&self, ident: &Ident) -> TokenStream {
        match ungrouped(self.own) {
            syn::Type::Reference(_) => {
                let own = self.own;
                quote!(#own)
            }
            _ => quote!(#ident),
        }
    }
}

/// The type in a form that is valid in expressions too: `Complex::<T>`.
fn with_turbofish(ty: &syn::Type) -> syn::Type {
    let mut ty = ty.clone();
    if let syn::Type::Path(p) = &mut ty {
        for segment in &mut p.path.segments {
            if let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments {
                args.colon2_token.get_or_insert_default();
            }
        }
    }
    ty
}
