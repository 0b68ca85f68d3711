//! The signature of a function, taken apart as the generated functions need it.

pub mod generic;
pub mod nested_items;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::calls::operator::Header;
use super::piece::{Piece, code};
use super::{private, tape};
use crate::ir::{Func, Mode, Ty, VarId};
use crate::lower::items::generics::is_function_parameter;
use crate::lower::signature::holds_references;
use crate::lower::types::ungrouped;
use crate::roles::is_called;

/// A parameter as the generated functions need it.
#[derive(Clone)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// How it is declared: `x: &[f64]`, `&mut self`.
    pub declared: Piece,
    /// What it refers to, where it is a reference.
    pub referent: Piece,
    /// How it is passed.
    pub mode: Mode,
    /// Its type in the IR.
    pub ty: Ty,
    /// Whether the generated functions take its adjoint.
    pub adjoint: bool,
    /// Whether it is the receiver of a method.
    pub is_self: bool,
    /// Whether it is a value with references in it, which have no adjoint.
    pub lends: bool,
    /// Whether it is a function by value, which is lent as a reference: that can be called as well.
    pub is_function: bool,
}

/// Where the sweeps live, for other annotated functions to find them.
#[derive(Clone)]
pub enum Home {
    /// An enum of the function's name, in the type namespace.
    Handle(Ident),
    /// Hidden functions beside the method, in the same `impl`.
    Impl,
    /// A hidden trait of the operands.
    Operator(Box<Header>),
}

/// The signature, taken apart.
#[derive(Clone)]
pub struct Interface<'a> {
    /// The user's function.
    pub item: &'a syn::ItemFn,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The names in `wrt`.
    pub wrt: Vec<Ident>,
    /// The type it returns.
    pub ret: Ty,
    /// The type it returns, where that carries floats.
    pub seed: Option<Ty>,
    /// Whether the return value is a dependent.
    pub ret_is_dependent: bool,
    /// The type parameters that get the bound `Real`.
    pub float_params: Vec<String>,
    /// The type parameters that stand for types of the user's and get the bound `Differentiable`.
    pub carried_params: Vec<String>,
    /// Those that the user need not say are `Clone`, though the sweeps copy values of them.
    pub copied_params: Vec<String>,
    /// Those of floats that are, or may be, parameters of structs as well.
    pub in_structs: Vec<String>,
    /// The trait that the method is of.
    pub of_trait: Option<String>,
    /// Where the sweeps live.
    pub home: Home,
    /// The items in the function's body, which both sweeps need.
    pub inner_items: Piece,
    /// What calls of which nothing is seen run into.
    pub unseen: Piece,
    /// What `wrt` and `of` leave out, as [`left_out`](crate::passes::activity::left_out::left_out) finds it.
    pub left_out: Vec<(u64, u64)>,
    /// A sentence on what the adjoint is.
    pub summary: String,
    /// The report, where somebody may read it.
    pub report: String,
}

impl Interface<'_> {
    /// The generics' where clause of the generated functions, with the bounds on top of the user's.
    pub fn where_clause(&self) -> TokenStream {
        let mut generics = self.item.sig.generics.clone();
        let clause = generics.make_where_clause();
        for name in &self.float_params {
            let bound = float_bound(name, self.in_structs.contains(name));
            clause.predicates.push(bound);
        }
        let carried = (&self.carried_params, quote!(::adjoint::Carrier));
        let copied = (&self.copied_params, quote!(::core::clone::Clone));
        for (names, bound) in [carried, copied] {
            let names = names.iter().map(|name| Ident::new(name, Span::call_site()));
            let bounds = names.map(|name| syn::parse_quote!(#name: #bound));
            clause
                .predicates
                .extend::<Vec<syn::WherePredicate>>(bounds.collect());
        }
        match clause.predicates.is_empty() {
            true => TokenStream::new(),
            false => quote!(#clause),
        }
    }

    /// The generics that the returned type names, with those of their bounds that name no others: what
    /// can be inferred from a returned value alone.
    pub fn result_generics(&self, returned: &syn::Type) -> (TokenStream, TokenStream) {
        let named = |tokens: TokenStream, name: &str| idents(tokens).any(|i| i == name);
        let param_name = |p: &syn::GenericParam| match p {
            syn::GenericParam::Type(t) => t.ident.to_string(),
            syn::GenericParam::Const(c) => c.ident.to_string(),
            syn::GenericParam::Lifetime(l) => l.lifetime.ident.to_string(),
        };
        let params = &self.item.sig.generics.params;
        let (kept, dropped): (Vec<_>, Vec<_>) = params
            .iter()
            .partition(|p| named(quote!(#returned), &param_name(p)));
        let dropped: Vec<String> = dropped.into_iter().map(param_name).collect();
        let stays = |tokens: TokenStream| !idents(tokens).any(|i| dropped.contains(&i));
        let kept = kept.into_iter().cloned().map(|mut p| {
            if let syn::GenericParam::Type(t) = &mut p {
                t.bounds = std::mem::take(&mut t.bounds)
                    .into_iter()
                    .filter(|b| stays(quote!(#b)))
                    .collect();
            }
            p
        });
        let kept: Vec<syn::GenericParam> = kept.collect();
        let clause = syn::parse2::<syn::WhereClause>(self.where_clause());
        let predicates = clause.into_iter().flat_map(|c| c.predicates);
        let predicates: Vec<_> = predicates.filter(|p| stays(quote!(#p))).collect();
        (quote!(#(#kept),*), quote!(where #(#predicates),*))
    }

    /// The parameters with adjoints, in the order of `wrt`.
    pub fn gradients(&self) -> Vec<&Param> {
        let mut params: Vec<&Param> = self.params.iter().filter(|p| p.adjoint).collect();
        params.sort_by_key(|p| self.wrt.iter().position(|name| *name == p.name));
        params
    }

    /// A function that users call, as the body of another one names it.
    pub fn call(&self, function: &Ident) -> Piece {
        let turbofish = self.turbofish();
        match &self.home {
            _ if self.params.iter().any(|p| p.is_self) => code!(self.#function #turbofish),
            Home::Impl => code!(Self::#function #turbofish),
            Home::Handle(_) | Home::Operator(_) => code!(#function #turbofish),
        }
    }

    /// Whether it returns what says that it failed, and leaves the adjoints as they are then.
    pub fn can_fail(&self) -> bool {
        match self.ret {
            Ty::Option(_) => self.seed.is_some(),
            Ty::Result(..) => true,
            _ => false,
        }
    }

    /// The path of the user's function, by which the sweeps call it.
    pub fn function(&self) -> Piece {
        let (function, turbofish) = (&self.item.sig.ident, &self.turbofish());
        match &self.home {
            Home::Handle(_) => code!(#function #turbofish),
            Home::Impl => code!(Self::#function #turbofish),
            Home::Operator(header) => {
                let operator = &header.operator;
                code!(::core::ops::#operator::#function)
            }
        }
    }

    /// The path of a sweep.
    pub fn sweep(&self, which: &str) -> Piece {
        match &self.home {
            Home::Handle(handle) => {
                let which = Ident::new(which, Span::call_site());
                code!(#handle::#which)
            }
            Home::Impl | Home::Operator(_) => {
                let name = self.sibling(which);
                code!(Self::#name)
            }
        }
    }

    /// The name of a hidden sibling in the same `impl`.
    pub fn sibling(&self, which: &str) -> Ident {
        let method = &self.item.sig.ident;
        match self.first() {
            Some(first) if first.by_value() => method_sweep(method, by_value_sweep(which)),
            _ => method_sweep(method, which),
        }
    }

    /// The parameter that comes before the context and the tape in a sweep. A type's functions may all be
    /// called as `Type::function(..)`, so they have the first where a receiver has to be.
    pub fn first(&self) -> Option<&Param> {
        match self.home {
            Home::Impl => self.params.first(),
            Home::Handle(_) | Home::Operator(_) => None,
        }
    }

    /// Whether the parameter comes before the context and the tape.
    pub fn is_first(&self, param: &Param) -> bool {
        self.first().is_some_and(|first| first.name == param.name)
    }

    /// The parameters, or the arguments, of a forward sweep.
    pub fn sweep_list(&self, context: Piece, tape: Piece, each: impl Fn(&Param) -> Piece) -> Piece {
        let (first, others): (Vec<&Param>, Vec<&Param>) =
            self.params.iter().partition(|p| self.is_first(p));
        let first: Piece = first.into_iter().map(&each).collect();
        let others: Piece = others.into_iter().map(&each).collect();
        code!(#first #context, #tape, #others)
    }

    /// `::<T, N>` for a call of a sibling with the same generics.
    pub fn turbofish(&self) -> Piece {
        let names = generic_names(&self.item.sig);
        match names.is_empty() {
            true => Piece::empty(),
            false => code!(::<#(#names),*>),
        }
    }

    /// The same for a sweep, which has its context as one type parameter more.
    pub fn sweep_turbofish(&self) -> Piece {
        let names = generic_names(&self.item.sig);
        let functions = self.item.sig.generics.type_params();
        let functions: Vec<&Ident> = functions
            .filter(|param| is_function_parameter(&self.item.sig.generics, param))
            .map(|param| &param.ident)
            .collect();
        // Functions are lent, so they are of another type.
        let names = names
            .into_iter()
            .map(|name| match functions.contains(&name) {
                true => code!(_),
                false => name.clone().into(),
            });
        match names.len() {
            0 => Piece::empty(),
            _ => code!(::<#(#names,)* _>),
        }
    }

    /// Whether callers that want nothing of the result may have no seed: its type may have no default.
    pub fn seed_is_optional(&self) -> bool {
        !matches!(self.home, Home::Operator(_)) && !self.ret.has_default()
    }

    /// The type of the seed as the public functions take it.
    pub fn public_seed(&self) -> Option<TokenStream> {
        let ty = self.seed.as_ref().filter(|_| self.ret_is_dependent)?;
        let syn::ReturnType::Type(_, written) = &self.item.sig.output else {
            return None;
        };
        Some(match ty {
            Ty::Vec(_) => {
                let element = vec_element(written);
                quote!(&[#element])
            }
            Ty::Boxed(slice) if matches!(**slice, Ty::Slice(_)) => {
                quote!(&<#written as ::core::ops::Deref>::Target)
            }
            _ => quote!(#written),
        })
    }
}

/// The bound that a type parameter gets. To a struct of the user's that is generic in it, the derived
/// `Differentiable` asks for more.
pub fn float_bound(name: &str, in_struct: bool) -> syn::WherePredicate {
    let name = Ident::new(name, Span::call_site());
    match in_struct {
        true => syn::parse_quote!(#name: ::adjoint::Real + ::adjoint::Carrier),
        false => syn::parse_quote!(#name: ::adjoint::Real),
    }
}

/// The hidden sibling of a method that is one of its sweeps.
pub fn method_sweep(method: &Ident, which: &str) -> Ident {
    format_ident!("__{}_{}", method, which, span = method.span())
}

/// What a sweep is called that has its first parameter by value. A method that takes `self` so has the
/// other ones as well, behind a reference: who calls a method can't tell how it takes `self`.
pub fn by_value_sweep(which: &str) -> &str {
    match which {
        "forward" => "own_forward",
        "reverse" => "own_reverse",
        which => which,
    }
}

/// The adjoint parameter of a parameter.
pub fn adjoint_name(name: &Ident) -> Ident {
    format_ident!("{}_adj", name, span = name.span())
}

/// `f_adjoint`
pub fn adjoint_function_name(sig: &syn::Signature) -> Ident {
    format_ident!("{}_adjoint", sig.ident, span = sig.ident.span())
}

/// `T` of `Vec<T>`. What an alias of one stands for, its index tells.
fn vec_element(ty: &syn::Type) -> TokenStream {
    if let syn::Type::Path(p) = ungrouped(ty)
        && let Some(last) = p.path.segments.last()
        && last.ident == "Vec"
        && let syn::PathArguments::AngleBracketed(args) = &last.arguments
    {
        let args = &args.args;
        return quote!(#args);
    }
    quote!(<#ty as ::core::ops::Index<usize>>::Output)
}

/// The identifiers in the tokens.
fn idents(tokens: TokenStream) -> impl Iterator<Item = String> {
    tokens.into_iter().flat_map(|t| match t {
        TokenTree::Ident(ident) => vec![ident.to_string()],
        TokenTree::Group(g) => idents(g.stream()).collect(),
        _ => Vec::new(),
    })
}

fn generic_names(sig: &syn::Signature) -> Vec<&Ident> {
    let params = sig.generics.params.iter();
    let names = params.filter_map(|param| match param {
        syn::GenericParam::Type(t) => Some(&t.ident),
        syn::GenericParam::Const(c) => Some(&c.ident),
        syn::GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// The parameters of the user's function; those in `with_adjoint` have an adjoint parameter.
pub fn params(item: &syn::ItemFn, func: &Func, with_adjoint: &[VarId]) -> Vec<Param> {
    item.sig
        .inputs
        .iter()
        .zip(&func.params)
        .filter_map(|(arg, v)| {
            let var = func.var(*v);
            let adjoint = with_adjoint.contains(v) && var.ty.carries_floats();
            let (name, referent) = named(arg)?;
            Some(Param {
                name,
                declared: declared(arg).into(),
                referent: referent.into(),
                mode: var.mode,
                ty: var.ty.clone(),
                adjoint,
                is_self: matches!(arg, syn::FnArg::Receiver(_)),
                lends: var.mode == Mode::Owned
                    && matches!(arg, syn::FnArg::Typed(t) if holds_references(&t.ty)),
                is_function: matches!(arg, syn::FnArg::Typed(t)
                    if var.mode == Mode::Owned
                        && !matches!(ungrouped(&t.ty), syn::Type::FnPtr(_))
                        && is_called(&t.ty, &item.sig.generics)),
            })
        })
        .collect()
}

/// The name of a parameter, and the type of what it refers to.
pub fn named(arg: &syn::FnArg) -> Option<(Ident, TokenStream)> {
    match arg {
        syn::FnArg::Receiver(r) => Some((Ident::new("self", r.self_token.span), quote!(Self))),
        syn::FnArg::Typed(t) => {
            let syn::Pat::Ident(p) = &*t.pat else {
                return None;
            };
            let referent = match ungrouped(&t.ty) {
                syn::Type::Reference(r) => {
                    let elem = &r.elem;
                    quote!(#elem)
                }
                ty => quote!(#ty),
            };
            Some((p.ident.clone(), referent))
        }
    }
}

/// The declaration of a parameter without `mut` and attributes.
pub fn declared(arg: &syn::FnArg) -> TokenStream {
    match arg {
        syn::FnArg::Receiver(r) => match r.kind {
            syn::ReceiverKind::Value => quote!(self),
            _ => quote!(#r),
        },
        syn::FnArg::Typed(t) => {
            let ty = ungrouped(&t.ty);
            match &*t.pat {
                syn::Pat::Ident(p) => {
                    let name = &p.ident;
                    quote!(#name: #ty)
                }
                pat => quote!(#pat: #ty),
            }
        }
    }
}

/// `tape: &mut Tape`
pub fn tape_parameter() -> Piece {
    let (tape, p) = (tape(), private());
    code!(#tape: &mut #p::Tape)
}
