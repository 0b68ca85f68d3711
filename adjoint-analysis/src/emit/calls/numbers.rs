//! Sweeps of number methods on receivers that lowering takes for structs, e.g. the result of `Normal::cdf(x)` in
//! `Normal::cdf(x).ln()`. Only rustc knows that they are numbers; the sweep is resolved through the type.

use proc_macro2::Span;

use super::of_bounds::has_no_path;
use crate::emit::interface::method_sweep;
use crate::emit::piece::{Piece, code};
use crate::emit::types::parse;
use crate::emit::{ident, private};
use crate::ir::{Call, Intrinsic};
use crate::rules::{self, Partial, Use, is_choice_name};

const OPERANDS: [&str; 3] = ["x", "y", "z"];

/// A method name of numbers, which may instead be a user's method.
#[derive(Clone, Copy, PartialEq)]
pub enum Method {
    /// An intrinsic, with its derivative rule.
    Intrinsic(Intrinsic),
    /// `sin_cos`.
    SinCos,
}

impl Method {
    /// The number method with this name and number of arguments.
    pub fn of(name: &str, call: &Call) -> Option<Method> {
        let intrinsic = || Intrinsic::from_name(name).filter(|op| op.arity() == call.args.len());
        match (name, call.args.len()) {
            ("sin_cos", 1) => Some(Method::SinCos),
            _ => intrinsic().map(Method::Intrinsic),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Intrinsic(op) => op.name(),
            Method::SinCos => "sin_cos",
        }
    }

    fn sweeps(self) -> Piece {
        match self {
            Method::Intrinsic(op) => of_intrinsic(op).then(results(op.name())),
            Method::SinCos => of_sin_cos(),
        }
    }
}

/// A trait with these sweeps, implemented by all numbers. A type's own method takes precedence.
pub fn trait_of(methods: &[Method], is_generic: bool) -> Piece {
    if methods.is_empty() {
        return Piece::empty();
    }
    let p = private();
    let mut sweeps = Piece::empty();
    methods
        .iter()
        .for_each(|method| sweeps.add(method.sweeps()));
    let number = match is_generic {
        true => code!(#p::Real),
        false => code!(#p::AnnotatedNumber),
    };
    code! {
        trait __Numbers: #p::Real { #sweeps }
        impl<T: #number> __Numbers for T {}
    }
}

fn of_intrinsic(op: Intrinsic) -> Piece {
    let p = private();
    let others = OPERANDS[1..op.arity()].iter().map(|name| Piece::name(name));
    let ty = match op {
        Intrinsic::Powi => &code!(i32),
        _ => &code!(Self),
    };
    let types = others.clone().map(|_| ty);
    let params = others.map(|name| code!(#name: #ty));
    let params = &params.fold(Piece::empty(), |all, param| code!(#all, #param));
    let path = match has_no_path(op) {
        true => code!(#p::intrinsic::),
        false => code!(#p::num_traits::Float::),
    };
    let value = &path
        .then(parse(op.name()))
        .call(OPERANDS[..op.arity()].iter().map(|name| Piece::name(name)));
    let mut increments = rules::intrinsic(op).iter().map(|partial| {
        let increment = increment(*partial);
        increment.unwrap_or_else(|| code!(#p::num_traits::Zero::zero()))
    });
    let own = increments.next();
    let [forward, reverse] = &names_of(op.name());
    code! {
        #[inline]
        fn #forward<C: #p::Context>(&self, _: C, _: &mut #p::Tape #params) -> Self {
            let x = *self;
            #value
        }
        #[inline]
        fn #reverse<C: #p::Context>(
            &self, _: C, _: &mut #p::Tape, x_adj: &mut Self #params, seed: Self
        ) -> (#(#types,)*) {
            let x = *self;
            let r = #value;
            *x_adj = *x_adj + #own;
            (#(#increments,)*)
        }
    }
}

/// The functions on the result of a number method, for callers that know the receiver's type by name.
fn results(method: &str) -> Piece {
    let p = private();
    let method = ident(method, Span::call_site());
    let which = ["zero", "save", "load", "accumulate"];
    let [zero, save, load, add] =
        &which.map(|which| method_sweep(&method, &format!("result_{which}")));
    code! {
        #[inline]
        fn #zero(_: &Self) -> Self {
            #p::num_traits::Zero::zero()
        }
        #[inline]
        fn #save(value: &Self, tape: &mut #p::Tape) {
            tape.push_real(*value);
        }
        #[inline]
        fn #load(tape: &mut #p::Tape) -> Self {
            tape.pop_real()
        }
        #[inline]
        fn #add(value: &mut Self, increment: &Self) {
            *value = *value + *increment;
        }
    }
}

fn of_sin_cos() -> Piece {
    let p = private();
    let [forward, reverse] = &names_of("sin_cos");
    code! {
        #[inline]
        fn #forward<C: #p::Context>(&self, _: C, _: &mut #p::Tape) -> (Self, Self) {
            #p::num_traits::Float::sin_cos(*self)
        }
        #[inline]
        fn #reverse<C: #p::Context>(
            &self, _: C, _: &mut #p::Tape, x_adj: &mut Self, seed: (Self, Self)
        ) {
            let of_sin = #p::partial::scale(seed.0, #p::partial::sin(*self));
            *x_adj = *x_adj + of_sin + #p::partial::scale(seed.1, #p::partial::cos(*self));
        }
    }
}

fn names_of(method: &str) -> [Piece; 2] {
    let method = ident(method, Span::call_site());
    ["forward", "reverse"].map(|which| method_sweep(&method, which).into())
}

/// The increment of an operand with this partial; `None` if it is zero.
fn increment(partial: Partial) -> Option<Piece> {
    let p = private();
    let passes = |partial: &Partial| *partial != Partial::Zero;
    let factors = partial.factors();
    factors.iter().all(passes).then(|| {
        factors.iter().fold(Piece::name("seed"), |seed, factor| {
            let (scale, factor) = match factor {
                Partial::Zero | Partial::One | Partial::Product(_) => return seed,
                Partial::MinusOne => return code!(-#seed),
                Partial::Operand(i) => ("scale", used(Use::Operand(*i))),
                Partial::Result => ("scale", used(Use::Result)),
                Partial::Function(name, uses) => {
                    let function = code!(#p::partial::).then(parse(name));
                    let scale = match is_choice_name(name) {
                        true => "choose",
                        false => "scale",
                    };
                    (scale, function.call(uses.iter().map(|of| used(*of))))
                }
            };
            let scale = code!(#p::partial::).then(Piece::name(scale));
            scale.call([seed, factor].into_iter())
        })
    })
}

fn used(of: Use) -> Piece {
    Piece::name(match of {
        Use::Operand(i) => OPERANDS[i],
        Use::Result => "r",
    })
}
