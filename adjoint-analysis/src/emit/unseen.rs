//! What calls run into of which nothing is seen but the name: a method of a number, or, for the sake of the message,
//! a method or a function of a type that has no sweeps.

use std::collections::BTreeSet;

use proc_macro2::Span;

use super::interface::{by_value_sweep, method_sweep};
use super::numbers;
use super::piece::{Piece, code};
use super::{ident, private};
use crate::ir::{Arg, Call, StmtKind};
use crate::lower::Environment;
use crate::plan::Plan;

const SWEEPS: [&str; 3] = ["forward", "reverse", "result_load"];
const RESULTS: [&str; 3] = ["result_zero", "result_save", "result_accumulate"];

/// What is called with a derivative and not seen.
#[derive(Default)]
struct Unseen {
    of_numbers: Vec<numbers::Method>,
    methods: Vec<String>,
    /// All methods, and how many arguments their forward sweeps take.
    forward: Vec<(String, usize)>,
    /// Functions of types, and whether their first argument is given by value.
    functions: Vec<(String, bool)>,
}

impl Unseen {
    fn of(plan: &Plan, env: &Environment) -> Unseen {
        let mut unseen = Unseen::default();
        plan.func.body.walk(&mut |stmt| {
            if let StmtKind::Call(call) = &stmt.kind
                && plan.calls.contains_key(&stmt.id)
            {
                unseen.add(call, env);
            }
        });
        unseen
    }

    fn add(&mut self, call: &Call, env: &Environment) {
        let callee = &call.callee;
        match callee.name.strip_prefix('.') {
            Some(name) => {
                match numbers::Method::of(name, call) {
                    Some(method) => add(&mut self.of_numbers, method),
                    None if env.seen.has_method(name) => return,
                    None => add(&mut self.methods, name.to_string()),
                }
                let (context, tape) = (1, 1);
                let others = call.args.len().saturating_sub(1);
                add(
                    &mut self.forward,
                    (name.to_string(), context + tape + others),
                );
            }
            None => {
                let function = callee.of_type().filter(|_| callee.operator().is_none());
                if let Some((owner, name)) = function
                    && env.seen.method(env.own_name(&owner), &name).is_none()
                {
                    let by_value = matches!(call.args.first(), Some(Arg::Value(_)));
                    add(&mut self.functions, (name, by_value));
                }
            }
        }
    }

    /// What is done with the results.
    fn results(&self) -> impl Iterator<Item = Piece> {
        let functions = self.functions.iter().map(|(name, _)| name);
        let names: BTreeSet<&String> = self.methods.iter().chain(functions).collect();
        names.into_iter().flat_map(|name| {
            let [zero, save, accumulate] = &RESULTS.map(|which| named(name, which));
            [
                code!(fn #zero<A, R>(_: A) -> R { loop {} }),
                code!(fn #save<A, B>(_: A, _: B) {}),
                code!(fn #accumulate<A, B>(_: A, _: B) {}),
            ]
        })
    }
}

fn add<T: PartialEq>(all: &mut Vec<T>, new: T) {
    if !all.contains(&new) {
        all.push(new);
    }
}

/// Traits with the sweeps of all that is called and not seen: numbers have the one with theirs, no type has the
/// others: rustc says so where it finds nothing in the type itself, in the words of the bound. What is done with
/// results, all types have, so that this stays the only error. The user's types have forward sweeps that can't be
/// called, lest rustc goes on to what they deref to: `a.f(x)` may be a method of the type without an adjoint.
pub fn traits(plan: &Plan, env: &Environment, is_generic: bool) -> Piece {
    let unseen = Unseen::of(plan, env);
    let p = private();
    let methods = unseen.methods.iter().flat_map(|name| {
        let sweeps = SWEEPS.map(|which| named(name, which));
        sweeps.map(|sweep| code!(fn #sweep(&self) {}))
    });
    let functions = unseen.functions.iter().flat_map(|(name, by_value)| {
        let sweeps = SWEEPS.map(|which| match by_value {
            true => named(name, by_value_sweep(which)),
            false => named(name, which),
        });
        sweeps.map(|sweep| code!(fn #sweep() {}))
    });
    numbers::trait_of(&unseen.of_numbers, is_generic)
        .then(trait_of("__Unseen", methods, code!(#p::AnnotatedMethod +)))
        .then(trait_of(
            "__UnseenFunctions",
            functions,
            code!(#p::Annotated +),
        ))
        .then(trait_of(
            "__UnseenResults",
            unseen.results(),
            Piece::empty(),
        ))
        .then(trait_of(
            "__OfItself",
            unseen.forward.iter().map(|(name, taken)| own(name, *taken)),
            code!(#p::UserType +),
        ))
}

/// A forward sweep that is found after those of the type, however they take it.
fn own(method: &str, taken: usize) -> Piece {
    let (p, sweep) = (private(), named(method, "forward"));
    let types = (0..taken).map(|k| Piece::name(&format!("A{k}")));
    let params = types.clone().map(|ty| code!(_: #ty));
    code! {
        fn #sweep<R, #(#types,)*>(&mut self, #(#params,)*) -> R where Self: #p::OwnMethod { loop {} }
    }
}

fn named(function: &str, which: &str) -> Piece {
    method_sweep(&ident(function, Span::call_site()), which).into()
}

/// A trait of these functions, which the types have that have the other.
fn trait_of(name: &str, functions: impl Iterator<Item = Piece>, other: Piece) -> Piece {
    let functions = functions.fold(Piece::empty(), Piece::then);
    if functions.is_empty() {
        return functions;
    }
    let name = &Piece::name(name);
    code! {
        #[allow(dead_code)]
        trait #name { #functions }
        impl<T: #other ?Sized> #name for T {}
    }
}
