//! `VecDeque`s in fields and signatures: the sweeps use `Vec`s for them, as lowering does within a function.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Fields, Item};

use crate::lower::Environment;
use crate::lower::types::lower_type;

/// Whether the interface of any item mentions std's `VecDeque`, judged by name.
pub fn has_deques(items: &[Item]) -> bool {
    let is_own = |item: &Item| match item {
        Item::Struct(s) => s.ident == "VecDeque",
        Item::Enum(e) => e.ident == "VecDeque",
        Item::Type(t) => t.ident == "VecDeque",
        _ => false,
    };
    items.iter().any(interface_has_deque) && !items.iter().any(is_own)
}

fn interface_has_deque(item: &Item) -> bool {
    let held = |fields: &Fields| fields.iter().any(|field| names_deque(&field.ty));
    match item {
        Item::Struct(s) => held(&s.fields),
        Item::Enum(e) => e.variants.iter().any(|variant| held(&variant.fields)),
        Item::Type(t) => names_deque(&t.ty),
        Item::Fn(f) => names_deque(&f.sig),
        Item::Impl(i) => i.items.iter().any(|inner| match inner {
            syn::ImplItem::Fn(f) => names_deque(&f.sig),
            _ => false,
        }),
        _ => false,
    }
}

/// Whether the type or the signature mentions a `VecDeque` whose elements may carry floats.
fn names_deque(of: &impl ToTokens) -> bool {
    fn among(tokens: TokenStream) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        tokens.iter().enumerate().any(|(at, token)| match token {
            TokenTree::Group(g) => among(g.stream()),
            TokenTree::Ident(word) => word == "VecDeque" && is_float_deque(&tokens[at..]),
            _ => false,
        })
    }
    among(of.to_token_stream())
}

/// Whether the tokens begin with a `VecDeque` type whose elements may carry floats.
fn is_float_deque(tokens: &[TokenTree]) -> bool {
    let ty = |tokens: syn::parse::ParseStream<'_>| {
        let ty: syn::Type = tokens.parse()?;
        tokens.parse::<TokenStream>().map(|_| ty)
    };
    let parsed = syn::parse::Parser::parse2(ty, tokens.iter().cloned().collect());
    let Ok(syn::Type::Path(deque)) = parsed else {
        return false;
    };
    let arguments = deque.path.segments.last().map(|last| &last.arguments);
    match arguments {
        Some(syn::PathArguments::AngleBracketed(of)) => of.args.iter().any(|of| match of {
            syn::GenericArgument::Type(of) => {
                lower_type(of, &Environment::default()).0.carries_floats()
            }
            _ => false,
        }),
        _ => false,
    }
}

/// Imports the trait that gives `Vec`s the methods of deques in the emitted twins.
pub fn deque_trait_import() -> Item {
    syn::parse_quote! {
        #[allow(unused_imports)]
        use ::adjoint::__private::deque::Deque as _;
    }
}
