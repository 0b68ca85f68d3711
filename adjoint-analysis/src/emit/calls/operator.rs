//! The sweeps of an operator on user types, as the hidden trait for how its operands are passed.

use proc_macro2::{Delimiter, Ident, Span};
use quote::quote;

use super::handle::{Sweeps, reverse_increments, sweeps};
use super::is_shared_ref;
use crate::emit::interface::{Interface, float_bound};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::{annotation, parse, type_tokens};
use crate::emit::{Emit, allowed_lints, private, tape};
use crate::ir::{Arg, Call, Expr, FloatTy, IntTy, Mode, Origin, Ty, TypeWitness, VarId};

/// The header of an operator's `impl`.
#[derive(Clone)]
pub struct OperatorHeader {
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
pub fn operator_impl(
    interface: &Interface<'_>,
    header: &OperatorHeader,
    content: &Sweeps,
) -> TokenBuf {
    let (p, lints) = (private(), allowed_lints());
    let name = |which: &str| Ident::new(which, Span::call_site());
    let nothing = TokenBuf::empty();
    let methods = sweeps(interface, content, &nothing, &nothing, &name);
    let passed = interface.params.iter().map(|param| match param.mode {
        Mode::Owned => "Value",
        Mode::Shared => "Shared",
        Mode::Mut => "Mut",
    });
    let shape = Ident::new(&passed.collect::<String>(), Span::call_site());
    let OperatorHeader {
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
pub fn sweep_call(
    call: &Call,
    path: &syn::ExprPath,
    sweep: &str,
    at: Option<Span>,
    args: TokenBuf,
) -> TokenBuf {
    let segments = &path.path.segments;
    let Some(operator) = segments.iter().rev().nth(1).map(|s| &s.ident) else {
        return TokenBuf::empty();
    };
    let operator = code!(#operator);
    trait_call(call, operator, sweep, at, args)
}

/// Calls a function of an operator's hidden trait. The block makes rustc report errors at `at` and not at an argument.
fn trait_call(
    call: &Call,
    operator: TokenBuf,
    function: &str,
    at: Option<Span>,
    args: TokenBuf,
) -> TokenBuf {
    let p = private();
    let [shape, function] = [&operand_trait(call), function].map(TokenBuf::name);
    let right = (call.args.len() > 1).then(|| code!(, _));
    let path = code!(#p::operators::#shape::<#p::operators::#operator #right>::#function);
    let args = args.delimited(Delimiter::Parenthesis);
    match at {
        Some(at) => {
            let block = path
                .with_span(at)
                .delimited(Delimiter::Brace)
                .with_delimiter_span(at);
            let function = block
                .delimited(Delimiter::Parenthesis)
                .with_delimiter_span(at);
            function.then(args.with_delimiter_span(at))
        }
        None => path.then(args),
    }
}

/// The borrow operator with which the argument is passed.
fn borrow_operator(arg: &Arg) -> TokenBuf {
    match arg {
        Arg::Value(_) => TokenBuf::empty(),
        Arg::Shared(p) if is_shared_ref(&p.ty) => TokenBuf::empty(),
        Arg::Shared(_) => code!(&),
        Arg::Mut(_) => code!(&mut),
    }
}

/// A dummy argument of the witness's type. A place is dereferenced, because a box may be passed to a parameter that
/// refers to its content: inference must not take the type from the parameter.
fn dummy_argument(arg: &Arg, witness: &TokenBuf) -> TokenBuf {
    let (p, by) = (private(), borrow_operator(arg));
    match by.is_empty() {
        true => code!(#p::operators::no_value(#witness)),
        false => code!(#by *#p::operators::no_place(#witness)),
    }
}

/// The hidden trait for how the operands are passed.
fn operand_trait(call: &Call) -> String {
    let passed = call.args.iter().map(|arg| match arg {
        Arg::Value(_) => "Value",
        Arg::Shared(_) => "Shared",
        Arg::Mut(_) => "Mut",
    });
    passed.collect()
}

impl Emit<'_> {
    /// Loads a variable whose type only rustc knows, by a type witness.
    pub fn load_with_witness(&self, v: VarId) -> Option<TokenBuf> {
        let func = &self.plan.func;
        let witness = match &func.var(v).ty {
            Ty::Unknown => func.type_witness(v),
            ty @ Ty::Tuple(_) if type_tokens(ty).is_none() => func.type_witness(v),
            ty if func.is_incomplete(ty) => func.type_witness(v).filter(fixes_type_args),
            Ty::Named(_) => func
                .type_witness(v)
                .filter(|witness| matches!(witness, TypeWitness::Struct(..))),
            _ => None,
        };
        let witness = witness?;
        let (p, witness, tape) = (private(), self.witness_expr(witness)?, tape());
        let load = self.at_declaration(v, code!(<() as #p::Carried<#p::Diff, _>>::load));
        Some(code!(#load(#witness, #tape)))
    }

    /// `: T`, if the type is known. The generic arguments of a struct are inferred from its literal.
    pub fn annotation(&self, v: VarId) -> TokenBuf {
        let func = &self.plan.func;
        let of = match func.var(v).origin {
            Origin::Adjoint(of) => of,
            _ => v,
        };
        match &func.var(v).ty {
            ty if func.is_incomplete(ty) => {
                // Other values are loaded from the tape by the type's name.
                match func.type_witness(of) {
                    Some(witness) if !fixes_type_args(&witness) => annotation(ty),
                    _ => TokenBuf::empty(),
                }
            }
            Ty::Named(_) if matches!(func.type_witness(of), Some(TypeWitness::Struct(..))) => {
                TokenBuf::empty()
            }
            ty => match annotation(ty) {
                unsaid if unsaid.is_empty() && func.ret == Some(v) => {
                    TokenBuf::clone(&self.result_annotation)
                }
                note => note,
            },
        }
    }

    /// The initial value of a variable in the reverse sweep, typed by a witness if only rustc knows the content of the
    /// container or `Option`, which it can't infer early enough from later uses.
    pub fn typed(&self, v: VarId, value: impl Into<TokenBuf>) -> TokenBuf {
        let ty = &self.plan.func.var(v).ty;
        let is_list = |ty: &Ty| matches!(ty, Ty::Vec(_) | Ty::Array(..) | Ty::Slice(_));
        let holds = matches!(ty, Ty::Option(t) if is_list(t) || **t == Ty::Unknown);
        let open = || has_inferred_elements(ty) || self.plan.func.is_incomplete(ty);
        match (is_list(ty) || holds) && (type_tokens(ty).is_none() || open()) {
            true => self.with_witness(v, value),
            false => value.into(),
        }
    }

    /// A value restored from the tape, typed by a witness if it is a number whose type rustc infers only after an
    /// operator.
    pub fn typed_restored(&self, v: VarId, value: impl Into<TokenBuf>) -> TokenBuf {
        match self.plan.func.var(v).ty {
            Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => self.with_witness(v, value),
            _ => self.typed(v, value),
        }
    }

    /// The loaded result of a call, whose generic arguments are inferred from a witness call.
    pub fn typed_result(&self, v: VarId, loaded: TokenBuf) -> TokenBuf {
        let witness = match self.plan.func.type_witness(v) {
            Some(witness @ TypeWitness::Call(..)) => self.witness_expr(witness),
            Some(witness @ TypeWitness::Method(..)) if self.is_external_result(v) => {
                self.witness_expr(witness)
            }
            _ => None,
        };
        match witness {
            Some(witness) => {
                let p = private();
                code!(#p::operators::typed(#witness, #loaded))
            }
            None => loaded,
        }
    }

    fn with_witness(&self, v: VarId, value: impl Into<TokenBuf>) -> TokenBuf {
        match self
            .plan
            .func
            .type_witness(v)
            .and_then(|witness| self.witness_expr(witness))
        {
            Some(witness) => {
                let p = private();
                let value = value.into();
                code!(#p::operators::typed(#witness, #value))
            }
            None => value.into(),
        }
    }

    /// An expression of type `PhantomData<T>` for the witness's type `T`.
    fn witness_expr(&self, witness: TypeWitness<'_>) -> Option<TokenBuf> {
        let p = private();
        Some(match witness {
            TypeWitness::Ty(ty) => {
                let ty = type_tokens(&ty)?;
                code!(::core::marker::PhantomData::<#ty>)
            }
            TypeWitness::Value(Expr::Read(place)) if !place.is_unsized(&self.plan.func) => {
                let value = self.borrow(&place, false);
                code!(#p::operators::of_value(|| ::core::clone::Clone::clone(#value)))
            }
            TypeWitness::Value(e) => {
                let value = self.expr(&e);
                code!(#p::operators::of_value(|| #value))
            }
            TypeWitness::Code(id, types) => {
                let code = self.typed_user_code(id, &types)?;
                code!(#p::operators::of_value(|| #code))
            }
            TypeWitness::Result(v) => {
                let tape = &tape();
                // The function of a callee without an adjoint is used only if there is no other witness.
                let load = match self.is_primal_result(v) {
                    true => self.result_op(v, "result_load", code!(#tape)),
                    false => self.callee_result_op(v, "result_load", code!(#tape)),
                }?;
                code!(#p::operators::of_load(|#tape| #load))
            }
            TypeWitness::Call(call, args) => self.call_witness_expr(call, args)?,
            TypeWitness::Struct(path, fields) => {
                let fields = fields.into_iter().map(|(name, witness)| {
                    let (name, of_list) =
                        (parse(&name), matches!(witness, TypeWitness::CopiedSlice(_)));
                    let witness = self.witness_expr(witness)?;
                    Some(match of_list {
                        true => code!(#name: #p::operators::no_list(#witness)),
                        false => code!(#name: #p::operators::no_value(#witness)),
                    })
                });
                let (path, fields) = (parse(&path), fields.collect::<Option<Vec<_>>>()?);
                code!(#p::operators::of_value(|| #path { #(#fields),* }))
            }
            TypeWitness::Elements(ty, element) => {
                let element = self.witness_expr(*element)?;
                match ty {
                    Ty::Array(_, extent) => {
                        let extent = parse(&extent);
                        code!(#p::operators::of_array::<_, { #extent }>(#element))
                    }
                    _ => code!(#p::operators::of_vec(#element)),
                }
            }
            TypeWitness::CopiedSlice(element) => self.witness_expr(*element)?,
            TypeWitness::Element(list, index) => {
                let (list, index) = (self.witness_expr(*list)?, self.expr(&index));
                code!(#p::operators::of_element(#list, || #index))
            }
            TypeWitness::Item(list) => {
                let list = self.witness_expr(*list)?;
                code!(#p::operators::of_item(#list))
            }
            TypeWitness::Projection(whole, place) => {
                let (whole, root) = (self.witness_expr(*whole)?, self.name(place.root));
                let part = self.borrow(&place, false);
                code! {
                    #p::operators::of_method(#whole, |#root| ::core::clone::Clone::clone(#part))
                }
            }
            TypeWitness::Method(call, receiver, args) => {
                let (receiver, method) = (self.witness_expr(*receiver)?, self.path(call));
                let args = call.args[1..].iter().zip(args).map(|(arg, witness)| {
                    match witness.and_then(|witness| self.witness_expr(witness)) {
                        Some(witness) => dummy_argument(arg, &witness),
                        None => code!(loop {}),
                    }
                });
                code! {
                    #p::operators::of_method(#receiver, |mut receiver| receiver.#method(#(#args),*))
                }
            }
            TypeWitness::Operator(call, operands) => {
                let operator = parse(call.callee.operator()?);
                let at = call.result.and_then(|v| self.decl_spans.get(&v).copied());
                let operands = operands.into_iter().map(|o| self.witness_expr(o));
                let operands = operands.collect::<Option<Vec<_>>>()?;
                trait_call(call, operator, "output", at, TokenBuf::list(operands))
            }
        })
    }

    /// The same for the result of a call, inferred from its arguments.
    fn call_witness_expr(&self, call: &Call, args: Vec<TypeWitness<'_>>) -> Option<TokenBuf> {
        let p = private();
        let path = &self.path(call);
        let args = call.args.iter().zip(args);
        let args = args.map(|(arg, witness)| match (arg, witness) {
            (_, TypeWitness::Value(Expr::Read(place)))
                if place.is_unsized(&self.plan.func) || is_impl_fn(&place.ty) =>
            {
                let referent = match &place.ty {
                    Ty::Slice(element) => type_tokens(element).map(|element| code!([#element])),
                    ty => type_tokens(ty),
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
            (Arg::Value(Expr::Code(_, _, Ty::Discrete(_))), TypeWitness::Code(id, types)) => {
                self.typed_user_code(id, &types)
            }
            (Arg::Value(e @ Expr::Code(_, _, Ty::Discrete(_))), _) => Some(self.expr(e)),
            (arg, witness) => {
                let witness = self.witness_expr(witness)?;
                Some(dummy_argument(arg, &witness))
            }
        });
        let args = args.collect::<Option<Vec<_>>>()?;
        Some(code!(#p::operators::of_value(|| #path(#(#args),*))))
    }
}

/// Whether the type is an `impl Fn`, which need not be `Clone`; a reference to it serves as well.
fn is_impl_fn(ty: &Ty) -> bool {
    matches!(ty, Ty::Discrete(name) if name.starts_with("impl "))
}

/// Whether the elements are numbers whose type only rustc infers.
fn has_inferred_elements(ty: &Ty) -> bool {
    match ty {
        Ty::Float(float) => *float == FloatTy::Infer,
        Ty::Int(int) => *int == IntTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Slice(t) => has_inferred_elements(t),
        _ => false,
    }
}

/// Whether the witness determines the generic arguments of a struct too. The type of user code, or of a call without
/// arguments such as `Default::default()`, may itself be inferred from its context.
fn fixes_type_args(witness: &TypeWitness<'_>) -> bool {
    match witness {
        TypeWitness::Ty(_) | TypeWitness::Code(..) => false,
        TypeWitness::Call(_, args) => !args.is_empty(),
        _ => true,
    }
}
