//! The sweeps of an operator on user types, as the hidden trait for how its operands are passed.

use proc_macro2::{Delimiter, Ident, Span};
use quote::quote;

use super::handle::{Sweeps, reverse_increments, sweeps};
use super::is_reference;
use crate::emit::interface::{Interface, float_bound};
use crate::emit::piece::{Piece, code};
use crate::emit::types::{annotation, parse, tokens};
use crate::emit::{Emit, allowed_lints, private, tape};
use crate::ir::{Arg, Call, Expr, FloatTy, IntTy, Mode, Origin, Told, Ty, VarId};

/// The header of an operator's `impl`.
#[derive(Clone)]
pub struct Header {
    /// Its generics.
    pub generics: syn::Generics,
    /// The type parameters that get the bound `Real`.
    pub float_params: Vec<String>,
    /// The operator's trait in `core::ops`.
    pub operator: Ident,
    /// The type of the left operand, without a reference.
    pub left: syn::Type,
    /// The type of the right operand, if there is one, without a reference.
    pub right: Option<syn::Type>,
}

/// The hidden `impl` with the sweeps.
pub fn home(interface: &Interface<'_>, header: &Header, content: &Sweeps) -> Piece {
    let (p, lints) = (private(), allowed_lints());
    let name = |which: &str| Ident::new(which, Span::call_site());
    let nothing = Piece::empty();
    let methods = sweeps(interface, content, &nothing, &nothing, &name);
    let passed = interface.params.iter().map(|param| match param.mode {
        Mode::Owned => "Value",
        Mode::Shared => "Shared",
        Mode::Mut => "Mut",
    });
    let shape = Ident::new(&passed.collect::<String>(), Span::call_site());
    let Header {
        operator,
        left,
        right,
        ..
    } = header;
    let right = right.as_ref().map(|ty| quote!(, #ty));
    let mut generics = header.generics.clone();
    for name in &header.float_params {
        let bound = float_bound(name, true);
        generics.make_where_clause().predicates.push(bound);
    }
    let (parameters, _, clause) = generics.split_for_impl();
    let output = match &interface.item.sig.output {
        syn::ReturnType::Type(_, ty) => quote!(#ty),
        syn::ReturnType::Default => quote!(()),
    };
    let increments = reverse_increments(interface);
    quote! {
        #[doc(hidden)]
        #lints
        impl #parameters #p::operators::#shape<#p::operators::#operator #right> for #left #clause {
            type Output = #output;
            type Increments = (#(#increments,)*);
            #methods
        }
    }
    .into()
}

/// Calls a sweep of an operator, which is resolved by the operands' types and how they are passed. Errors are reported
/// at the operator.
pub fn sweep(
    call: &Call,
    path: &syn::ExprPath,
    sweep: &str,
    at: Option<Span>,
    args: Piece,
) -> Piece {
    let segments = &path.path.segments;
    let Some(operator) = segments.iter().rev().nth(1).map(|s| &s.ident) else {
        return Piece::empty();
    };
    let operator = code!(#operator);
    called(call, operator, sweep, at, args)
}

/// Calls a function of an operator's hidden trait. The block makes rustc report errors at `at` and not at an argument.
fn called(call: &Call, operator: Piece, function: &str, at: Option<Span>, args: Piece) -> Piece {
    let p = private();
    let [shape, function] = [&shape_of(call), function].map(Piece::name);
    let right = (call.args.len() > 1).then(|| code!(, _));
    let path = code!(#p::operators::#shape::<#p::operators::#operator #right>::#function);
    let args = args.within(Delimiter::Parenthesis);
    match at {
        Some(at) => {
            let block = path.at_user(at).within(Delimiter::Brace).delimited_at(at);
            let function = block.within(Delimiter::Parenthesis).delimited_at(at);
            function.then(args.delimited_at(at))
        }
        None => path.then(args),
    }
}

/// The borrow operator with which the argument is passed.
fn passed(arg: &Arg) -> Piece {
    match arg {
        Arg::Value(_) => Piece::empty(),
        Arg::Shared(p) if is_reference(&p.ty) => Piece::empty(),
        Arg::Shared(_) => code!(&),
        Arg::Mut(_) => code!(&mut),
    }
}

/// A dummy argument of the witness's type. A place is dereferenced, because a box may be passed to a parameter that
/// refers to its content: inference must not take the type from the parameter.
fn no_argument(arg: &Arg, told: &Piece) -> Piece {
    let (p, by) = (private(), passed(arg));
    match by.is_empty() {
        true => code!(#p::operators::no_value(#told)),
        false => code!(#by *#p::operators::no_place(#told)),
    }
}

/// The hidden trait for how the operands are passed.
fn shape_of(call: &Call) -> String {
    let passed = call.args.iter().map(|arg| match arg {
        Arg::Value(_) => "Value",
        Arg::Shared(_) => "Shared",
        Arg::Mut(_) => "Mut",
    });
    passed.collect()
}

impl Emit<'_> {
    /// Loads a variable whose type only rustc knows, by a type witness.
    pub fn load_told(&self, v: VarId) -> Option<Piece> {
        let func = &self.plan.func;
        let told = match &func.var(v).ty {
            Ty::Unknown => func.told(v),
            ty @ Ty::Tuple(_) if tokens(ty).is_none() => func.told(v),
            ty if func.is_incomplete(ty) => func.told(v).filter(tells_arguments),
            Ty::Named(_) => func.told(v).filter(|told| matches!(told, Told::Struct(..))),
            _ => None,
        };
        let told = told?;
        let (p, told, tape) = (private(), self.told(told)?, tape());
        let load = self.carried(v, code!(<() as #p::Carried<#p::Diff, _>>::load));
        Some(code!(#load(#told, #tape)))
    }

    /// `: T`, if the type is known. The generic arguments of a struct are inferred from its literal.
    pub fn annotation(&self, v: VarId) -> Piece {
        let func = &self.plan.func;
        let of = match func.var(v).origin {
            Origin::Adjoint(of) => of,
            _ => v,
        };
        match &func.var(v).ty {
            ty if func.is_incomplete(ty) => {
                // Other values are loaded from the tape by the type's name.
                match func.told(of) {
                    Some(told) if !tells_arguments(&told) => annotation(ty),
                    _ => Piece::empty(),
                }
            }
            Ty::Named(_) if matches!(func.told(of), Some(Told::Struct(..))) => Piece::empty(),
            ty => match annotation(ty) {
                unsaid if unsaid.is_empty() && func.ret == Some(v) => Piece::clone(&self.output),
                note => note,
            },
        }
    }

    /// The initial value of a variable in the reverse sweep, typed by a witness if only rustc knows the content of the
    /// container or `Option`, which it can't infer early enough from later uses.
    pub fn typed(&self, v: VarId, value: impl Into<Piece>) -> Piece {
        let ty = &self.plan.func.var(v).ty;
        let is_list = |ty: &Ty| matches!(ty, Ty::Vec(_) | Ty::Array(..) | Ty::Slice(_));
        let holds = matches!(ty, Ty::Option(t) if is_list(t) || **t == Ty::Unknown);
        let open = || is_open(ty) || self.plan.func.is_incomplete(ty);
        match (is_list(ty) || holds) && (tokens(ty).is_none() || open()) {
            true => self.as_told(v, value),
            false => value.into(),
        }
    }

    /// A value restored from the tape, typed by a witness if it is a number whose type rustc infers only after an
    /// operator.
    pub fn typed_restored(&self, v: VarId, value: impl Into<Piece>) -> Piece {
        match self.plan.func.var(v).ty {
            Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => self.as_told(v, value),
            _ => self.typed(v, value),
        }
    }

    /// The loaded result of a call, whose generic arguments are inferred from a witness call.
    pub fn typed_result(&self, v: VarId, loaded: Piece) -> Piece {
        let told = match self.plan.func.told(v) {
            Some(told @ Told::Call(..)) => self.told(told),
            Some(told @ Told::Method(..)) if self.is_of_unseen(v) => self.told(told),
            _ => None,
        };
        match told {
            Some(told) => {
                let p = private();
                code!(#p::operators::typed(#told, #loaded))
            }
            None => loaded,
        }
    }

    fn as_told(&self, v: VarId, value: impl Into<Piece>) -> Piece {
        match self.plan.func.told(v).and_then(|told| self.told(told)) {
            Some(told) => {
                let p = private();
                let value = value.into();
                code!(#p::operators::typed(#told, #value))
            }
            None => value.into(),
        }
    }

    /// An expression of type `PhantomData<T>` for the witness's type `T`.
    fn told(&self, told: Told<'_>) -> Option<Piece> {
        let p = private();
        Some(match told {
            Told::Ty(ty) => {
                let ty = tokens(&ty)?;
                code!(::core::marker::PhantomData::<#ty>)
            }
            Told::Value(Expr::Read(place)) if !place.is_unsized(&self.plan.func) => {
                let value = self.borrow(&place, false);
                code!(#p::operators::of_value(|| ::core::clone::Clone::clone(#value)))
            }
            Told::Value(e) => {
                let value = self.expr(&e);
                code!(#p::operators::of_value(|| #value))
            }
            Told::Code(id, types) => {
                let code = self.code_of_type(id, &types)?;
                code!(#p::operators::of_value(|| #code))
            }
            Told::Result(v) => {
                let tape = &tape();
                // The function of a callee without an adjoint is used only if there is no other witness.
                let load = match self.is_plain(v) {
                    true => self.on_result(v, "result_load", code!(#tape)),
                    false => self.by_callee(v, "result_load", code!(#tape)),
                }?;
                code!(#p::operators::of_load(|#tape| #load))
            }
            Told::Call(call, args) => self.told_by_call(call, args)?,
            Told::Struct(path, fields) => {
                let fields = fields.into_iter().map(|(name, told)| {
                    let (name, of_list) = (parse(&name), matches!(told, Told::Copied(_)));
                    let told = self.told(told)?;
                    Some(match of_list {
                        true => code!(#name: #p::operators::no_list(#told)),
                        false => code!(#name: #p::operators::no_value(#told)),
                    })
                });
                let (path, fields) = (parse(&path), fields.collect::<Option<Vec<_>>>()?);
                code!(#p::operators::of_value(|| #path { #(#fields),* }))
            }
            Told::Elements(ty, element) => {
                let element = self.told(*element)?;
                match ty {
                    Ty::Array(_, extent) => {
                        let extent = parse(&extent);
                        code!(#p::operators::of_array::<_, { #extent }>(#element))
                    }
                    _ => code!(#p::operators::of_vec(#element)),
                }
            }
            Told::Copied(element) => self.told(*element)?,
            Told::Element(list, index) => {
                let (list, index) = (self.told(*list)?, self.expr(&index));
                code!(#p::operators::of_element(#list, || #index))
            }
            Told::Item(list) => {
                let list = self.told(*list)?;
                code!(#p::operators::of_item(#list))
            }
            Told::Part(whole, place) => {
                let (whole, root) = (self.told(*whole)?, self.name(place.root));
                let part = self.borrow(&place, false);
                code! {
                    #p::operators::of_method(#whole, |#root| ::core::clone::Clone::clone(#part))
                }
            }
            Told::Method(call, receiver, args) => {
                let (receiver, method) = (self.told(*receiver)?, self.path(call));
                let args = call.args[1..].iter().zip(args).map(|(arg, told)| {
                    match told.and_then(|told| self.told(told)) {
                        Some(told) => no_argument(arg, &told),
                        None => code!(loop {}),
                    }
                });
                code! {
                    #p::operators::of_method(#receiver, |mut receiver| receiver.#method(#(#args),*))
                }
            }
            Told::Operator(call, operands) => {
                let operator = parse(call.callee.operator()?);
                let at = call.result.and_then(|v| self.declared.get(&v).copied());
                let operands = operands.into_iter().map(|o| self.told(o));
                let operands = operands.collect::<Option<Vec<_>>>()?;
                called(call, operator, "output", at, Piece::list(operands))
            }
        })
    }

    /// The same for the result of a call, inferred from its arguments.
    fn told_by_call(&self, call: &Call, args: Vec<Told<'_>>) -> Option<Piece> {
        let p = private();
        let path = &self.path(call);
        let args = call.args.iter().zip(args);
        let args = args.map(|(arg, told)| match (arg, told) {
            (_, Told::Value(Expr::Read(place)))
                if place.is_unsized(&self.plan.func) || is_lent_function(&place.ty) =>
            {
                let referent = match &place.ty {
                    Ty::Slice(element) => tokens(element).map(|element| code!([#element])),
                    ty => tokens(ty),
                };
                Some(match (arg, referent) {
                    // Calls may nest here, so a borrow of the place could conflict.
                    (Arg::Mut(_), Some(ty)) => code!({
                        let unread: &mut #ty = #p::operators::no_value(::core::marker::PhantomData);
                        unread
                    }),
                    _ => self.borrow(&place, matches!(arg, Arg::Mut(_))),
                })
            }
            // The types of a closure's parameters are inferred from the call.
            (Arg::Value(Expr::Code(_, _, Ty::Discrete(_))), Told::Code(id, types)) => {
                self.code_of_type(id, &types)
            }
            (Arg::Value(e @ Expr::Code(_, _, Ty::Discrete(_))), _) => Some(self.expr(e)),
            (arg, told) => {
                let told = self.told(told)?;
                Some(no_argument(arg, &told))
            }
        });
        let args = args.collect::<Option<Vec<_>>>()?;
        Some(code!(#p::operators::of_value(|| #path(#(#args),*))))
    }
}

/// Whether the type is an `impl Fn`, which need not be `Clone`; a reference to it serves as well.
fn is_lent_function(ty: &Ty) -> bool {
    matches!(ty, Ty::Discrete(name) if name.starts_with("impl "))
}

/// Whether the elements are numbers whose type only rustc infers.
fn is_open(ty: &Ty) -> bool {
    match ty {
        Ty::Float(float) => *float == FloatTy::Infer,
        Ty::Int(int) => *int == IntTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Slice(t) => is_open(t),
        _ => false,
    }
}

/// Whether the witness determines the generic arguments of a struct too. The type of user code, or of a call without
/// arguments such as `Default::default()`, may itself be inferred from its context.
fn tells_arguments(told: &Told<'_>) -> bool {
    match told {
        Told::Ty(_) | Told::Code(..) => false,
        Told::Call(_, args) => !args.is_empty(),
        _ => true,
    }
}
