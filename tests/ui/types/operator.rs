use std::ops::{Add, Mul};

use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Differentiable)]
struct Money {
    amount: f64,
}

impl Add for Money {
    type Output = Money;
    fn add(self, other: Money) -> Money {
        Money { amount: self.amount + other.amount }
    }
}

impl Mul<f64> for Money {
    type Output = Money;
    fn mul(self, k: f64) -> Money {
        Money { amount: self.amount * k }
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Account {
    balance: Money,
}

#[adjoint]
fn total(a: Money, b: Money) -> Money {
    a + b
}

#[adjoint]
fn grown(account: &Account, rate: f64) -> f64 {
    let grown = account.balance * rate;
    let added = account.balance.amount + rate;
    grown.amount * added
}

fn main() {
    let (mut a_adj, zero) = (Money { amount: 0.0 }, Money { amount: 0.0 });
    total_adjoint(zero, &mut a_adj, zero, &mut Money { amount: 0.0 }, zero);
    let account = Account { balance: zero };
    grown_adjoint(&account, &mut Account { balance: zero }, 1.0, &mut 0.0, 1.0);
}
