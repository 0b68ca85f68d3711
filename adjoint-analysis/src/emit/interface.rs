//! The parts of a function's signature that the generated functions need.

pub mod generic;
pub mod nested_items;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::calls::operator::OperatorHeader;
use super::token_buf::{TokenBuf, code};
use super::{private, tape};
use crate::ir::{Func, Mode, Ty, VarId};
use crate::lower::items::generics::is_fn_param;
use crate::lower::signature::holds_references;
use crate::lower::types::ungrouped;
use crate::roles::is_called_function;

/// A parameter as the generated functions need it.
#[derive(Clone)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// Its declaration, e.g. `x: &[f64]` or `&mut self`.
    pub declared: TokenBuf,
    /// Its type without a reference.
    pub referent: TokenBuf,
    /// How it is passed.
    pub mode: Mode,
    /// Its type in the IR.
    pub ty: Ty,
    /// Whether the generated functions take its adjoint.
    pub adjoint: bool,
    /// Whether it is the receiver of a method.
    pub is_self: bool,
    /// Whether it is passed by value and contains references, which have no adjoint.
    pub has_references: bool,
    /// Whether it is a function by value; the sweeps take a reference to it, which can be called as well.
    pub is_function: bool,
}

/// Where the sweeps are defined, so that other annotated functions find them.
#[derive(Clone)]
pub enum SweepLocation {
    /// An enum of the function's name, in the type namespace.
    Handle(Ident),
    /// Hidden siblings of the method, in the same `impl`.
    Impl,
    /// An `impl` of a hidden operator trait.
    Operator(Box<OperatorHeader>),
}

/// A function's signature in parts.
#[derive(Clone)]
pub struct Interface<'a> {
    /// The user's function.
    pub item: &'a syn::ItemFn,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The names in `wrt`.
    pub wrt: Vec<Ident>,
    /// The names in `of`.
    pub of: Option<Vec<Ident>>,
    /// Whether there is an `f_jacobian`.
    pub jacobian: bool,
    /// Whether there is an `f_pullback`.
    pub pullback: bool,
    /// The type it returns.
    pub ret: Ty,
    /// The type it returns, where that carries floats.
    pub seed: Option<Ty>,
    /// Whether the return value is a dependent.
    pub ret_is_dependent: bool,
    /// The type parameters that get the bound `Real`.
    pub float_params: Vec<String>,
    /// Type parameters for user types, which get the bound `Carrier`.
    pub carrier_params: Vec<String>,
    /// Type parameters that get the bound `Clone` because the sweeps copy their values.
    pub clone_params: Vec<String>,
    /// Float parameters that are, or may be, arguments of generic structs too.
    pub struct_params: Vec<String>,
    /// The trait of the method, if it is from a trait's `impl`.
    pub impl_trait: Option<String>,
    /// Where the sweeps are defined.
    pub location: SweepLocation,
    /// The items of the function's body, which both sweeps need.
    pub inner_items: TokenBuf,
    /// The fallback sweeps of external callees.
    pub fallbacks: TokenBuf,
    /// The derivatives that `wrt` and `of` exclude
    /// ([`excluded_derivatives`](crate::passes::activity::excluded::excluded_derivatives)).
    pub excluded: Vec<(u64, u64)>,
    /// The first sentence of the adjoint's documentation.
    pub summary: String,
    /// The report, if it is part of the documentation.
    pub report: String,
}

impl Interface<'_> {
    /// The where clause of the generated functions: the user's and the additional bounds.
    pub fn where_clause(&self) -> TokenStream {
        let mut generics = self.item.sig.generics.clone();
        let clause = generics.make_where_clause();
        for name in &self.float_params {
            let bound = float_bound(name, self.struct_params.contains(name));
            clause.predicates.push(bound);
        }
        let carried = (&self.carrier_params, quote!(::adjoint::Carrier));
        let copied = (&self.clone_params, quote!(::core::clone::Clone));
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

    /// The generics that the return type mentions, with those bounds that mention no others, so that they can be
    /// inferred from a returned value.
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
    pub fn gradient_params(&self) -> Vec<&Param> {
        let mut params: Vec<&Param> = self.params.iter().filter(|p| p.adjoint).collect();
        params.sort_by_key(|p| self.wrt.iter().position(|name| *name == p.name));
        params
    }

    /// A call of a public function of this interface, without the arguments.
    pub fn public_call(&self, function: &Ident) -> TokenBuf {
        let turbofish = self.turbofish();
        match &self.location {
            _ if self.params.iter().any(|p| p.is_self) => code!(self.#function #turbofish),
            SweepLocation::Impl => code!(Self::#function #turbofish),
            SweepLocation::Handle(_) | SweepLocation::Operator(_) => code!(#function #turbofish),
        }
    }

    /// Whether the function can return a failure, which leaves the adjoints unchanged.
    pub fn can_fail(&self) -> bool {
        match self.ret {
            Ty::Option(_) => self.seed.is_some(),
            Ty::Result(..) => true,
            _ => false,
        }
    }

    /// The path by which the sweeps call the user's function.
    pub fn function_path(&self) -> TokenBuf {
        let (function, turbofish) = (&self.item.sig.ident, &self.turbofish());
        match &self.location {
            SweepLocation::Handle(_) => code!(#function #turbofish),
            SweepLocation::Impl => code!(Self::#function #turbofish),
            SweepLocation::Operator(header) => {
                let operator = &header.operator;
                code!(::core::ops::#operator::#function)
            }
        }
    }

    /// The path of a sweep.
    pub fn sweep_path(&self, which: &str) -> TokenBuf {
        match &self.location {
            SweepLocation::Handle(handle) => {
                let which = Ident::new(which, Span::call_site());
                code!(#handle::#which)
            }
            SweepLocation::Impl | SweepLocation::Operator(_) => {
                let name = self.sibling_name(which);
                code!(Self::#name)
            }
        }
    }

    /// The name of a sweep as a sibling in the same `impl`.
    pub fn sibling_name(&self, which: &str) -> Ident {
        let method = &self.item.sig.ident;
        match self.leading_param() {
            Some(first) if first.by_value() => method_sweep(method, by_value_sweep(which)),
            _ => method_sweep(method, which),
        }
    }

    /// The parameter of a sweep that precedes the context and the tape. For functions of types it is the first one,
    /// because any of them may be called as a method.
    pub fn leading_param(&self) -> Option<&Param> {
        match self.location {
            SweepLocation::Impl => self.params.first(),
            SweepLocation::Handle(_) | SweepLocation::Operator(_) => None,
        }
    }

    /// Whether the parameter precedes the context and the tape.
    pub fn is_leading(&self, param: &Param) -> bool {
        self.leading_param()
            .is_some_and(|first| first.name == param.name)
    }

    /// The parameter list, or the argument list, of a forward sweep.
    pub fn sweep_list(
        &self,
        context: TokenBuf,
        tape: TokenBuf,
        each: impl Fn(&Param) -> TokenBuf,
    ) -> TokenBuf {
        let (first, others): (Vec<&Param>, Vec<&Param>) =
            self.params.iter().partition(|p| self.is_leading(p));
        let first: TokenBuf = first.into_iter().map(&each).collect();
        let others: TokenBuf = others.into_iter().map(&each).collect();
        code!(#first #context, #tape, #others)
    }

    /// `::<T, N>` for a call of a sibling with the same generics.
    pub fn turbofish(&self) -> TokenBuf {
        let names = generic_names(&self.item.sig);
        match names.is_empty() {
            true => TokenBuf::empty(),
            false => code!(::<#(#names),*>),
        }
    }

    /// The same for a sweep, which has its context as an additional type parameter.
    pub fn sweep_turbofish(&self) -> TokenBuf {
        let names = generic_names(&self.item.sig);
        let functions = self.item.sig.generics.type_params();
        let functions: Vec<&Ident> = functions
            .filter(|param| is_fn_param(&self.item.sig.generics, param))
            .map(|param| &param.ident)
            .collect();
        // A reference to a function has another type, which is inferred.
        let names = names
            .into_iter()
            .map(|name| match functions.contains(&name) {
                true => code!(_),
                false => name.clone().into(),
            });
        match names.len() {
            0 => TokenBuf::empty(),
            _ => code!(::<#(#names,)* _>),
        }
    }

    /// Whether the seed is optional, because its type may have no default value.
    pub fn seed_is_optional(&self) -> bool {
        !matches!(self.location, SweepLocation::Operator(_)) && !self.ret.has_default()
    }

    /// The seed's type in the public functions.
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

/// The bound of a float parameter. The derived `Differentiable` of a generic user struct also needs `Carrier`.
pub fn float_bound(name: &str, in_struct: bool) -> syn::WherePredicate {
    let name = Ident::new(name, Span::call_site());
    match in_struct {
        true => syn::parse_quote!(#name: ::adjoint::Real + ::adjoint::Carrier),
        false => syn::parse_quote!(#name: ::adjoint::Real),
    }
}

/// The name of a method's sweep, a hidden sibling.
pub fn method_sweep(method: &Ident, which: &str) -> Ident {
    format_ident!("__{}_{}", method, which, span = method.span())
}

/// The name of a sweep that takes its first parameter by value. A method with `self` by value also has the plain
/// sweeps, with `self` by reference, because a call doesn't show how a method takes `self`.
pub fn by_value_sweep(which: &str) -> &str {
    match which {
        "forward" => "own_forward",
        "reverse" => "own_reverse",
        which => which,
    }
}

/// The name of a parameter's adjoint parameter.
pub fn adjoint_name(name: &Ident) -> Ident {
    format_ident!("{}_adj", name, span = name.span())
}

/// `f_adjoint`
pub fn adjoint_function_name(sig: &syn::Signature) -> Ident {
    format_ident!("{}_adjoint", sig.ident, span = sig.ident.span())
}

/// `T` of `Vec<T>`; of an alias, the type of its elements.
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

/// The parameters of the user's function; those in `with_adjoint` also have an adjoint parameter.
pub fn params(item: &syn::ItemFn, func: &Func, with_adjoint: &[VarId]) -> Vec<Param> {
    item.sig
        .inputs
        .iter()
        .zip(&func.params)
        .filter_map(|(arg, v)| {
            let var = func.var(*v);
            let adjoint = with_adjoint.contains(v) && var.ty.carries_floats();
            let (name, referent) = name_and_referent(arg)?;
            Some(Param {
                name,
                declared: parameter_decl(arg).into(),
                referent: referent.into(),
                mode: var.mode,
                ty: var.ty.clone(),
                adjoint,
                is_self: matches!(arg, syn::FnArg::Receiver(_)),
                has_references: var.mode == Mode::Owned
                    && matches!(arg, syn::FnArg::Typed(t) if holds_references(&t.ty)),
                is_function: matches!(arg, syn::FnArg::Typed(t)
                    if var.mode == Mode::Owned
                        && !matches!(ungrouped(&t.ty), syn::Type::FnPtr(_))
                        && is_called_function(&t.ty, &item.sig.generics)),
            })
        })
        .collect()
}

/// A parameter's name and its type without a reference.
pub fn name_and_referent(arg: &syn::FnArg) -> Option<(Ident, TokenStream)> {
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
pub fn parameter_decl(arg: &syn::FnArg) -> TokenStream {
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
pub fn tape_parameter() -> TokenBuf {
    let (tape, p) = (tape(), private());
    code!(#tape: &mut #p::Tape)
}
