//! Fallback sweeps of callees that may lack an adjoint.
//!
//! Traits provide them for the fallback type of a handle and for all receiver types. Inherent functions take precedence
//! in rustc's resolution, so the fallback is chosen only if the callee has no adjoint. If all callers need the adjoint,
//! the fallback's tape parameter has a type that no tape has: rustc reports that at the callee's name, with the error
//! message of `adjoint`, and nothing else.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, Span};

use super::missing_callee::{Callee, Name, Needed, Seed};
use super::numbers;
use crate::emit::piece::{Piece, code};
use crate::emit::types::tokens;
use crate::emit::{Emit, ident, private};

impl Emit<'_> {
    /// The fallback sweeps of the callees with these handles.
    pub fn declared_fallbacks(&self, handles: impl Iterator<Item = usize>) -> Piece {
        let p = private();
        let mut declared = Piece::empty();
        for n in handles {
            let name = Name::Handle(n);
            if let Some(callee) = self.unseen.callees.get(&name) {
                declared.add(self.sweeps_of(&name, callee));
                let is_known =
                    callee.needed == Needed::Sometimes || callee.form.seed != Seed::Untold;
                declared.add((!is_known).then(|| results(&name, callee)));
            }
        }
        match declared.is_empty() {
            true => declared,
            false => code!(use #p::fallback::numbered::*;).then(declared),
        }
    }

    /// The fallback sweeps of methods and associated functions, and the functions on their results.
    pub fn declared_siblings(&self, is_generic: bool) -> Piece {
        let mut declared = numbers::trait_of(&self.unseen.of_numbers, is_generic);
        let mut of_results = BTreeMap::new();
        for (name, callee) in &self.unseen.callees {
            let Name::Sibling(function, _) = name else {
                continue;
            };
            declared.add(self.sweeps_of(name, callee));
            let of_number = |m: &numbers::Method| m.name() == function;
            let is_known = self.unseen.of_numbers.iter().any(of_number);
            if !is_known && callee.needed == Needed::Always {
                of_results.insert(function, callee);
            }
        }
        for (function, callee) in of_results {
            declared.add(results(&Name::Sibling(function.clone(), false), callee));
        }
        declared
    }

    fn sweeps_of(&self, name: &Name, callee: &Callee) -> Piece {
        match callee.needed {
            Needed::Always => never(name, callee),
            Needed::Sometimes => {
                let sweep = Sweep { name, callee };
                let refused = self.refused(name, callee);
                sweep.forward(&refused).then(sweep.reverse())
            }
        }
    }

    /// The compile error for callers that need the adjoint.
    fn refused(&self, name: &Name, callee: &Callee) -> Piece {
        let p = private();
        let (called, path) = match name {
            Name::Handle(n) => {
                let path = self.callee_path(self.asked.callees[*n]);
                let last = path.path.segments.last();
                let name = last.map_or_else(String::new, |s| s.ident.to_string());
                (name.clone(), name)
            }
            Name::Sibling(name, _) => (name.clone(), format!("Type::{name}")),
        };
        let message = format!(
            "`{called}` is called with values that depend on the independents for a caller of `{}`, and has no adjoint. \
             help: annotate it with `#[adjoint]`, or with `#[adjoint(custom = path)]` if its adjoint is written by \
             hand; if what it gives is to be taken for a constant, name it in the `#[adjoint(inactive({path}))]` of \
             `{0}`",
            self.plan.func.name,
        );
        let message = Literal::string(&message);
        code!(const { #p::needs_no_adjoint::<C>(#message) };).located_at(callee.at)
    }
}

/// Sweeps that can't be called: the type of their tape parameter isn't a tape.
fn never(name: &Name, callee: &Callee) -> Piece {
    let p = private();
    let (of, named) = (&trait_name(name, "forward"), &named(&callee.form.named));
    let tape = &match callee.is_method {
        true => code!(&mut dyn #p::AnnotatedMethod<Self>),
        false => code!(&mut dyn #p::Annotated),
    };
    let count = callee.form.by_value.len();
    let any = |count: usize| -> Piece { (0..count).map(|_| code!(_: impl Sized,)).collect() };
    // A `&mut self` fallback is behind all sweeps of the type itself, however they take the receiver.
    let first = match callee.is_method {
        true => code!(&mut self,),
        false => any(count.min(1)),
    };
    let (front, behind) = match name {
        Name::Handle(_) => (&Piece::empty(), &first),
        Name::Sibling(..) => (&first, &Piece::empty()),
    };
    let others = count.saturating_sub(1);
    let lent = callee.form.by_value.iter().filter(|by_value| !**by_value);
    let (forward, reverse) = (&name.function("forward"), &name.function("reverse"));
    let (primal, both) = (any(others), any(others + lent.count() + 1));
    let owner = owner(name, callee, of, &code!(R));
    code! {
        trait #of<R> {
            fn #forward<#named C>(#front _: C, _: #tape, #behind #primal) -> R { loop {} }
            fn #reverse<#named C>(#front _: C, _: #tape, #behind #both) -> R { loop {} }
        }
        #owner
    }
}

/// The `impl` of a fallback trait for the type on which the callee is looked up.
fn owner(name: &Name, callee: &Callee, of: &Ident, parameters: &Piece) -> Piece {
    let p = private();
    match name {
        Name::Handle(n) => {
            let n = Literal::usize_unsuffixed(*n);
            code!(impl<#parameters> #of<#parameters> for __Numbered<#n> {})
        }
        Name::Sibling(..) => {
            let bound = (!callee.is_last).then(|| code!(#p::UserType +));
            code!(impl<T: #bound ?Sized, #parameters> #of<#parameters> for T {})
        }
    }
}

/// The fallback sweeps of a callee whose adjoint only some callers need.
struct Sweep<'a> {
    name: &'a Name,
    callee: &'a Callee,
}

impl Sweep<'_> {
    fn forward(&self, refused: &Piece) -> Piece {
        let others: Piece = self.others().map(parameter).collect();
        let body = code!(#refused loop {});
        self.declared("forward", &[code!(R)], &others, &code!(R), &body)
    }

    fn reverse(&self) -> Piece {
        let (mut others, mut increments) = (Piece::empty(), Piece::empty());
        let mut inferred = Vec::new();
        for (k, by_value) in self.callee.form.by_value.iter().enumerate() {
            others.add((k > 0).then(|| parameter(k)));
            match by_value {
                true => {
                    let ty = argument(k);
                    increments.add(code!(#ty,));
                }
                false => {
                    let adjoint = Piece::name(&format!("B{k}"));
                    inferred.push(adjoint.clone());
                    others.add(code!(_: #adjoint,));
                }
            }
        }
        let seed = self.seed();
        others.add(code!(_: #seed));
        let body = code!(loop {});
        self.declared("reverse", &inferred, &others, &code!((#increments)), &body)
    }

    /// The type of the seed.
    fn seed(&self) -> Piece {
        let p = private();
        match &self.callee.form.seed {
            Seed::Nothing => code!(()),
            Seed::Float => code!(#p::Unread),
            Seed::Named(ty) => tokens(ty).unwrap_or_else(Piece::empty),
            Seed::Untold => code!(#p::Ignored),
        }
    }

    /// Declares and implements the trait of one sweep. Inferred types are parameters of the trait, because the call may
    /// name those of the function.
    fn declared(
        &self,
        which: &str,
        inferred: &[Piece],
        others: &Piece,
        result: &Piece,
        body: &Piece,
    ) -> Piece {
        let (p, sweep) = (private(), &self.name.function(which));
        let (of, named) = (
            &trait_name(self.name, which),
            named(&self.callee.form.named),
        );
        let from = usize::from(self.callee.is_method);
        let types = (from..self.callee.form.by_value.len()).map(argument);
        let parameters = &Piece::list(types.chain(inferred.iter().cloned()));
        let owner = owner(self.name, self.callee, of, parameters);
        // The compile error depends on the caller context.
        let bound = (which == "forward").then(|| code!(: #p::Context));
        let (front, behind) = match self.name {
            Name::Handle(_) => (None, self.first()),
            Name::Sibling(..) => (self.first(), None),
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
    fn first(&self) -> Option<Piece> {
        match (self.callee.is_method, self.callee.form.lends_mut) {
            (true, true) => Some(code!(&mut self,)),
            (true, false) => Some(code!(&self,)),
            (false, _) => (!self.callee.form.by_value.is_empty()).then(|| parameter(0)),
        }
    }
}

fn trait_name(name: &Name, which: &str) -> Ident {
    let of = match name {
        Name::Handle(n) => format!("__{which}_{n}"),
        Name::Sibling(..) => name.function(which).to_string(),
    };
    ident(&format!("__Fallback{of}"), Span::call_site())
}

/// The generic parameters that the call names explicitly.
fn named(are_numbers: &[bool]) -> Piece {
    let named = are_numbers.iter().enumerate().map(|(k, is_number)| {
        let name = Piece::name(&format!("G{k}"));
        match is_number {
            true => code!(const #name: usize,),
            false => code!(#name,),
        }
    });
    named.collect()
}

fn argument(k: usize) -> Piece {
    Piece::name(&format!("A{k}"))
}

fn parameter(k: usize) -> Piece {
    let ty = argument(k);
    code!(_: #ty,)
}

/// The functions that a caller applies to a result of unknown type.
fn results(name: &Name, callee: &Callee) -> Piece {
    let p = private();
    let [zero, save, add, load, load_as] = ["zero", "save", "accumulate", "load", "load_as"]
        .map(|which| name.function(&format!("result_{which}")));
    let (of, named) = (&trait_name(name, "result"), &named(&callee.form.named));
    let never = &code!({ loop {} });
    let owner = match name {
        Name::Handle(_) => owner(name, callee, of, &code!(V)),
        // They are called on the receiver's type.
        Name::Sibling(..) => code!(impl<T: ?Sized, V> #of<V> for T {}),
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
