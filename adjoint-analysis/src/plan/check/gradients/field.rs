//! Integers modulo the prime 2⁶¹ − 1.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};

const PRIME: u64 = (1 << 61) - 1;

/// A residue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Element(u64);

impl Element {
    /// 1.
    pub const ONE: Element = Element(1);

    /// A random element, the same for equal things.
    pub fn of(thing: impl Hash) -> Element {
        let mut hasher = DefaultHasher::new();
        thing.hash(&mut hasher);
        Element(hasher.finish() % PRIME)
    }

    /// The integer that it is, if that is small.
    pub fn small_integer(self) -> Option<i64> {
        const SMALL: u64 = 1 << 20;
        match self.0 {
            n if n < SMALL => Some(n as i64),
            n if PRIME - n < SMALL => Some(-((PRIME - n) as i64)),
            _ => None,
        }
    }

    /// The value of a literal: an integer, or a random element.
    pub fn literal(text: &str) -> Element {
        let number = text.replace('_', "").parse::<f64>();
        match number {
            Ok(n) if n.fract() == 0.0 && (0.0..1e15).contains(&n) => Element(n as u64),
            Ok(n) => Element::of(n.to_bits()),
            Err(_) => Element::of(text),
        }
    }
}

impl Add for Element {
    type Output = Element;

    fn add(self, other: Element) -> Element {
        Element((self.0 + other.0) % PRIME)
    }
}

impl Neg for Element {
    type Output = Element;

    fn neg(self) -> Element {
        Element((PRIME - self.0) % PRIME)
    }
}

impl Sub for Element {
    type Output = Element;

    fn sub(self, other: Element) -> Element {
        self + -other
    }
}

impl Mul for Element {
    type Output = Element;

    fn mul(self, other: Element) -> Element {
        let product = u128::from(self.0) * u128::from(other.0);
        Element((product % u128::from(PRIME)) as u64)
    }
}
