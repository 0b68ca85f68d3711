//! Sweeps of number methods on receivers that lowering takes for structs, e.g. the result of `Normal::cdf(x)` in
//! `Normal::cdf(x).ln()`. Only rustc knows that they are numbers; the sweep is resolved through the type.

use proc_macro2::Span;

use super::bound_methods::lacks_num_traits;
use crate::emit::interface::method_sweep;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::parse;
use crate::emit::{ident, private};
use crate::ir::{Call, Intrinsic};
use crate::rules::{self, Partial, Use, is_choice_name};

const OPERANDS: [&str; 3] = ["x", "y", "z"];

/// A method name of numbers, which may instead be a user's method.
#[derive(Clone, Copy, PartialEq)]
pub enum NumberMethod {
    /// An intrinsic, with its derivative rule.
    Intrinsic(Intrinsic),
    /// `sin_cos`.
    SinCos,
}

impl NumberMethod {
    /// The number method with this name and number of arguments.
    pub fn of(name: &str, call: &Call) -> Option<NumberMethod> {
        let intrinsic = || Intrinsic::from_name(name).filter(|op| op.arity() == call.args.len());
        match (name, call.args.len()) {
            ("sin_cos", 1) => Some(NumberMethod::SinCos),
            _ => intrinsic().map(NumberMethod::Intrinsic),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            NumberMethod::Intrinsic(op) => op.name(),
            NumberMethod::SinCos => "sin_cos",
        }
    }

    fn sweeps(self) -> TokenBuf {
        match self {
            NumberMethod::Intrinsic(op) => intrinsic_sweeps(op).then(number_result_fns(op.name())),
            NumberMethod::SinCos => sin_cos_sweeps(),
        }
    }
}

/// A trait with these sweeps, implemented by all numbers. A type's own method takes precedence.
pub fn number_trait(methods: &[NumberMethod], is_generic: bool) -> TokenBuf {
    if methods.is_empty() {
        return TokenBuf::empty();
    }
    let p = private();
    let mut sweeps = TokenBuf::empty();
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

fn intrinsic_sweeps(op: Intrinsic) -> TokenBuf {
    let p = private();
    let others = OPERANDS[1..op.arity()]
        .iter()
        .map(|name| TokenBuf::name(name));
    let ty = match op {
        Intrinsic::Powi => &code!(i32),
        _ => &code!(Self),
    };
    let types = others.clone().map(|_| ty);
    let params = others.map(|name| code!(#name: #ty));
    let params = &params.fold(TokenBuf::empty(), |all, param| code!(#all, #param));
    let path = match lacks_num_traits(op) {
        true => code!(#p::intrinsic::),
        false => code!(#p::num_traits::Float::),
    };
    let value = &path.then(parse(op.name())).call(
        OPERANDS[..op.arity()]
            .iter()
            .map(|name| TokenBuf::name(name)),
    );
    let mut increments = rules::intrinsic(op).iter().map(|partial| {
        let increment = increment(*partial);
        increment.unwrap_or_else(|| code!(#p::num_traits::Zero::zero()))
    });
    let own = increments.next();
    let [forward, reverse] = &sweep_names(op.name());
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
fn number_result_fns(method: &str) -> TokenBuf {
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

fn sin_cos_sweeps() -> TokenBuf {
    let p = private();
    let [forward, reverse] = &sweep_names("sin_cos");
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

fn sweep_names(method: &str) -> [TokenBuf; 2] {
    let method = ident(method, Span::call_site());
    ["forward", "reverse"].map(|which| method_sweep(&method, which).into())
}

/// The increment of an operand with this partial; `None` if it is zero.
fn increment(partial: Partial) -> Option<TokenBuf> {
    let p = private();
    let passes = |partial: &Partial| *partial != Partial::Zero;
    let factors = partial.factors();
    factors.iter().all(passes).then(|| {
        factors.iter().fold(TokenBuf::name("seed"), |seed, factor| {
            let (scale, factor) = match factor {
                Partial::Zero | Partial::One | Partial::Product(_) => return seed,
                Partial::MinusOne => return code!(-#seed),
                Partial::Operand(i) => ("scale", used_value(Use::Operand(*i))),
                Partial::Result => ("scale", used_value(Use::Result)),
                Partial::Function(name, uses) => {
                    let function = code!(#p::partial::).then(parse(name));
                    let scale = match is_choice_name(name) {
                        true => "choose",
                        false => "scale",
                    };
                    (scale, function.call(uses.iter().map(|of| used_value(*of))))
                }
            };
            let scale = code!(#p::partial::).then(TokenBuf::name(scale));
            scale.call([seed, factor].into_iter())
        })
    })
}

fn used_value(of: Use) -> TokenBuf {
    TokenBuf::name(match of {
        Use::Operand(i) => OPERANDS[i],
        Use::Result => "r",
    })
}
