//! Fallback sweeps of callees that may lack an adjoint.
//!
//! Traits provide them for the fallback type of a handle and for all receiver types. Inherent functions take precedence
//! in rustc's resolution, so the fallback is chosen only if the callee has no adjoint. If all callers need the adjoint,
//! the fallback's tape parameter has a type that no tape has: rustc reports that at the callee's name, with the error
//! message of `adjoint`, and nothing else.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, Span};

use super::external_callee::{ExternalCallee, NeededBy, SeedType, SweepKey};
use super::number_methods;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::type_tokens;
use crate::emit::{Emit, ident, private};

impl Emit<'_> {
    /// The fallback sweeps of the callees with these handles.
    pub fn emit_fallbacks(&self, handles: impl Iterator<Item = usize>) -> TokenBuf {
        let p = private();
        let mut declared = TokenBuf::empty();
        for n in handles {
            let name = SweepKey::Handle(n);
            if let Some(callee) = self.externals.callees.get(&name) {
                declared.add(self.emit_fallback_sweeps(&name, callee));
                let is_known = callee.needed_by == NeededBy::SomeCallers
                    || callee.form.seed != SeedType::Unknown;
                declared.add((!is_known).then(|| fallback_result_fns(&name, callee)));
            }
        }
        match declared.is_empty() {
            true => declared,
            false => code!(use #p::fallback::numbered::*;).then(declared),
        }
    }

    /// The fallback sweeps of methods and associated functions, and the functions on their results.
    pub fn emit_siblings(&self, is_generic: bool) -> TokenBuf {
        let mut declared = number_methods::number_trait(&self.externals.number_methods, is_generic);
        let mut of_results = BTreeMap::new();
        for (name, callee) in &self.externals.callees {
            let SweepKey::Sibling(function, _) = name else {
                continue;
            };
            declared.add(self.emit_fallback_sweeps(name, callee));
            let of_number = |m: &number_methods::NumberMethod| m.name() == function;
            let is_known = self.externals.number_methods.iter().any(of_number);
            if !is_known && callee.needed_by == NeededBy::AllCallers {
                of_results.insert(function, callee);
            }
        }
        for (function, callee) in of_results {
            declared.add(fallback_result_fns(
                &SweepKey::Sibling(function.clone(), false),
                callee,
            ));
        }
        declared
    }

    fn emit_fallback_sweeps(&self, name: &SweepKey, callee: &ExternalCallee) -> TokenBuf {
        match callee.needed_by {
            NeededBy::AllCallers => uncallable_sweeps(name, callee),
            NeededBy::SomeCallers => {
                let sweep = FallbackSweep { name, callee };
                let refused = self.missing_adjoint_error(name, callee);
                sweep.forward(&refused).then(sweep.reverse())
            }
        }
    }

    /// The compile error for callers that need the adjoint.
    fn missing_adjoint_error(&self, name: &SweepKey, callee: &ExternalCallee) -> TokenBuf {
        let p = private();
        let (called, path) = match name {
            SweepKey::Handle(n) => {
                let path = self.callee_path(self.queries.callees[*n]);
                let last = path.path.segments.last();
                let name = last.map_or_else(String::new, |s| s.ident.to_string());
                (name.clone(), name)
            }
            SweepKey::Sibling(name, _) => (name.clone(), format!("Type::{name}")),
        };
        let message = format!(
            "`{called}` is called with values that depend on the independents for a caller of `{}`, and has no adjoint. \
             help: annotate it with `#[adjoint]`, or with `#[adjoint(custom = path)]` if its adjoint is written by \
             hand; if what it gives is to be taken for a constant, name it in the `#[adjoint(inactive({path}))]` of \
             `{0}`",
            self.plan.func.name,
        );
        let message = Literal::string(&message);
        code!(const { #p::needs_no_adjoint::<C>(#message) };).located_at(callee.span)
    }
}

/// Sweeps that can't be called: the type of their tape parameter isn't a tape.
fn uncallable_sweeps(name: &SweepKey, callee: &ExternalCallee) -> TokenBuf {
    let p = private();
    let (of, named) = (
        &trait_name(name, "forward"),
        &explicit_generics(&callee.form.const_generics),
    );
    let tape = &match callee.is_method {
        true => code!(&mut dyn #p::AnnotatedMethod<Self>),
        false => code!(&mut dyn #p::Annotated),
    };
    let count = callee.form.by_value.len();
    let any = |count: usize| -> TokenBuf { (0..count).map(|_| code!(_: impl Sized,)).collect() };
    // A `&mut self` fallback is behind all sweeps of the type itself, however they take the receiver.
    let first = match callee.is_method {
        true => code!(&mut self,),
        false => any(count.min(1)),
    };
    let (front, behind) = match name {
        SweepKey::Handle(_) => (&TokenBuf::empty(), &first),
        SweepKey::Sibling(..) => (&first, &TokenBuf::empty()),
    };
    let others = count.saturating_sub(1);
    let lent = callee.form.by_value.iter().filter(|by_value| !**by_value);
    let (forward, reverse) = (&name.sweep_name("forward"), &name.sweep_name("reverse"));
    let (primal, both) = (any(others), any(others + lent.count() + 1));
    let owner = fallback_impl(name, callee, of, &code!(R));
    code! {
        trait #of<R> {
            fn #forward<#named C>(#front _: C, _: #tape, #behind #primal) -> R { loop {} }
            fn #reverse<#named C>(#front _: C, _: #tape, #behind #both) -> R { loop {} }
        }
        #owner
    }
}

/// The `impl` of a fallback trait for the type on which the callee is looked up.
fn fallback_impl(
    name: &SweepKey,
    callee: &ExternalCallee,
    of: &Ident,
    parameters: &TokenBuf,
) -> TokenBuf {
    let p = private();
    match name {
        SweepKey::Handle(n) => {
            let n = Literal::usize_unsuffixed(*n);
            code!(impl<#parameters> #of<#parameters> for __Numbered<#n> {})
        }
        SweepKey::Sibling(..) => {
            let bound = (!callee.is_non_pointer).then(|| code!(#p::UserType +));
            code!(impl<T: #bound ?Sized, #parameters> #of<#parameters> for T {})
        }
    }
}

/// The fallback sweeps of a callee whose adjoint only some callers need.
struct FallbackSweep<'a> {
    name: &'a SweepKey,
    callee: &'a ExternalCallee,
}

impl FallbackSweep<'_> {
    fn forward(&self, refused: &TokenBuf) -> TokenBuf {
        let others: TokenBuf = self.others().map(parameter).collect();
        let body = code!(#refused loop {});
        self.emit_trait("forward", &[code!(R)], &others, &code!(R), &body)
    }

    fn reverse(&self) -> TokenBuf {
        let (mut others, mut increments) = (TokenBuf::empty(), TokenBuf::empty());
        let mut inferred = Vec::new();
        for (k, by_value) in self.callee.form.by_value.iter().enumerate() {
            others.add((k > 0).then(|| parameter(k)));
            match by_value {
                true => {
                    let ty = argument(k);
                    increments.add(code!(#ty,));
                }
                false => {
                    let adjoint = TokenBuf::name(&format!("B{k}"));
                    inferred.push(adjoint.clone());
                    others.add(code!(_: #adjoint,));
                }
            }
        }
        let seed = self.seed_type();
        others.add(code!(_: #seed));
        let body = code!(loop {});
        self.emit_trait("reverse", &inferred, &others, &code!((#increments)), &body)
    }

    /// The type of the seed.
    fn seed_type(&self) -> TokenBuf {
        let p = private();
        match &self.callee.form.seed {
            SeedType::NoFloats => code!(()),
            SeedType::Float => code!(#p::Unread),
            SeedType::Named(ty) => type_tokens(ty).unwrap_or_else(TokenBuf::empty),
            SeedType::Unknown => code!(#p::Ignored),
        }
    }

    /// Declares and implements the trait of one sweep. Inferred types are parameters of the trait, because the call may
    /// name those of the function.
    fn emit_trait(
        &self,
        which: &str,
        inferred: &[TokenBuf],
        others: &TokenBuf,
        result: &TokenBuf,
        body: &TokenBuf,
    ) -> TokenBuf {
        let (p, sweep) = (private(), &self.name.sweep_name(which));
        let (of, named) = (
            &trait_name(self.name, which),
            explicit_generics(&self.callee.form.const_generics),
        );
        let from = usize::from(self.callee.is_method);
        let types = (from..self.callee.form.by_value.len()).map(argument);
        let parameters = &TokenBuf::list(types.chain(inferred.iter().cloned()));
        let owner = fallback_impl(self.name, self.callee, of, parameters);
        // The compile error depends on the caller context.
        let bound = (which == "forward").then(|| code!(: #p::Context));
        let (front, behind) = match self.name {
            SweepKey::Handle(_) => (None, self.first()),
            SweepKey::Sibling(..) => (self.first(), None),
        };
        code! {
            trait #of<#parameters> {
                fn #sweep<#named C #bound>(
                    #front _: C, _: &mut impl Sized, #behind #others
                ) -> #result {
                    #body
                }
            }
            #owner
        }
    }

    /// The indices of the arguments after the first.
    fn others(&self) -> std::ops::Range<usize> {
        1..self.callee.form.by_value.len()
    }

    /// The first argument.
    fn first(&self) -> Option<TokenBuf> {
        match (self.callee.is_method, self.callee.form.mut_receiver) {
            (true, true) => Some(code!(&mut self,)),
            (true, false) => Some(code!(&self,)),
            (false, _) => (!self.callee.form.by_value.is_empty()).then(|| parameter(0)),
        }
    }
}

fn trait_name(name: &SweepKey, which: &str) -> Ident {
    let of = match name {
        SweepKey::Handle(n) => format!("__{which}_{n}"),
        SweepKey::Sibling(..) => name.sweep_name(which).to_string(),
    };
    ident(&format!("__Fallback{of}"), Span::call_site())
}

/// The generic parameters that the call names explicitly.
fn explicit_generics(are_numbers: &[bool]) -> TokenBuf {
    let named = are_numbers.iter().enumerate().map(|(k, is_number)| {
        let name = TokenBuf::name(&format!("G{k}"));
        match is_number {
            true => code!(const #name: usize,),
            false => code!(#name,),
        }
    });
    named.collect()
}

fn argument(k: usize) -> TokenBuf {
    TokenBuf::name(&format!("A{k}"))
}

fn parameter(k: usize) -> TokenBuf {
    let ty = argument(k);
    code!(_: #ty,)
}

/// The functions that a caller applies to a result of unknown type.
fn fallback_result_fns(name: &SweepKey, callee: &ExternalCallee) -> TokenBuf {
    let p = private();
    let [zero, save, add, load, load_as] = ["zero", "save", "accumulate", "load", "load_as"]
        .map(|which| name.sweep_name(&format!("result_{which}")));
    let (of, named) = (
        &trait_name(name, "result"),
        &explicit_generics(&callee.form.const_generics),
    );
    let never = &code!({ loop {} });
    let owner = match name {
        SweepKey::Handle(_) => fallback_impl(name, callee, of, &code!(V)),
        // They are called on the receiver's type.
        SweepKey::Sibling(..) => code!(impl<T: ?Sized, V> #of<V> for T {}),
    };
    code! {
        trait #of<V> {
            fn #zero(_: &V) -> V #never
            fn #save(_: &V, _: &mut #p::Tape) #never
            fn #add(_: &mut V, _: &V) #never
            fn #load(_: &mut #p::Tape) -> V #never
            fn #load_as<#named>(_: &mut #p::Tape) -> V #never
        }
        #owner
    }
}
