//! The argument of a call, with its adjoint.

use super::Flat;

/// How a kernel takes an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// By value or by shared reference: its adjoint accumulates.
    Read,
    /// By `&mut`: its adjoint goes in as the exit value's and comes out as the entry value's.
    InOut,
}

/// An argument and its adjoint.
pub struct Slot<T> {
    /// What the kernel gets.
    pub value: T,
    /// What its adjoint gets.
    pub adjoint: T,
    entry: T,
    role: Role,
}

impl<T: Flat> Slot<T> {
    /// An argument of the template's shape, with the next scalars of `inputs`.
    pub fn new(template: &T, role: Role, inputs: &mut dyn Iterator<Item = f64>) -> Self {
        let entry = template.read(inputs);
        Slot {
            value: entry.clone(),
            adjoint: entry.clone(),
            entry,
            role,
        }
    }

    /// A copy to pass by value.
    pub fn by_value(&self) -> T {
        self.value.clone()
    }

    /// Appends the argument's scalars if they are outputs.
    pub fn outputs(&self, to: &mut Vec<f64>) {
        if self.role == Role::InOut {
            self.value.write(to);
        }
    }

    /// After a call of the primal: sets the adjoint (an in-out one has the shape of the exit value)
    /// and puts the entry value back.
    pub fn seed(
        &mut self,
        seed: &mut dyn Iterator<Item = f64>,
        start: &mut dyn Iterator<Item = f64>,
    ) {
        let start = self.entry.read(start);
        self.adjoint = match self.role {
            Role::Read => start,
            Role::InOut => self.value.read(seed),
        };
        self.value = self.entry.clone();
    }
}

/// The adjoints of the inputs as a call is given them.
pub fn before(roles: &[Role], seed: &[f64], start: &[f64]) -> Vec<f64> {
    let mut seeds = seed.iter();
    let before = roles.iter().zip(start).map(|(role, start)| match role {
        Role::Read => start,
        Role::InOut => seeds.next().expect("an adjoint for each in-out value"),
    });
    before.copied().collect()
}
