//! Errors that carry names, propagated by `?`.

use adjoint::adjoint;

use crate::common::{check, flat};

#[adjoint]
pub mod checks {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub enum Fault {
        Unnamed,
        Low { name: &'static str, value: f64 },
        Odd(&'static str),
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Knob {
        pub name: &'static str,
        pub v: f64,
    }

    pub fn positive(name: &'static str, value: f64) -> Result<(), Fault> {
        if name.is_empty() {
            return Err(Fault::Unnamed);
        }
        if value > 0.0 {
            Ok(())
        } else {
            Err(Fault::Low { name, value })
        }
    }

    pub fn root(name: &'static str, value: f64) -> Result<f64, Fault> {
        if value.is_nan() {
            return Err(Fault::Odd(name));
        }
        positive(name, value)?;
        Ok(value.sqrt())
    }

    fn of_knobs(knobs: &[Knob]) -> Result<f64, Fault> {
        let mut s = 0.0;
        for knob in knobs {
            positive(knob.name, knob.v)?;
            s += knob.v * root(knob.name, knob.v * 2.0)?;
        }
        Ok(s)
    }

    fn of_pairs(pairs: &[(&'static str, f64)]) -> Result<f64, Fault> {
        let mut s = 0.0;
        for &(name, v) in pairs {
            positive(name, v)?;
            s += root(name, v)?;
        }
        for (name, v) in pairs {
            positive(name, *v * s)?;
            s += v * v;
        }
        let first = pairs[0].0;
        root(first, s)
    }

    fn of_table(x: f64) -> Result<f64, Fault> {
        const NAMES: [&str; 2] = ["a", "b"];
        let mut s = x;
        for (k, name) in NAMES.iter().enumerate() {
            positive(name, s + k as f64)?;
            s *= x;
        }
        for name in ["u", "v"] {
            s += root(name, s)?;
        }
        positive(NAMES[1], x)?;
        Ok(s)
    }

    /// The value, or how much is missing.
    pub fn knobs(knobs: &[Knob]) -> f64 {
        match of_knobs(knobs) {
            Ok(s) => s,
            Err(Fault::Low { name, value }) => value * 3.0 + name.len() as f64,
            Err(_) => 0.0,
        }
    }

    /// The same of pairs.
    pub fn pairs(a: f64, b: f64) -> f64 {
        match of_pairs(&[("first", a), ("second", b)]) {
            Ok(s) => s,
            Err(Fault::Low { name, value }) if name == "second" => value * value,
            Err(Fault::Low { value, .. }) => value * 3.0,
            Err(Fault::Odd(name)) => name.len() as f64,
            Err(Fault::Unnamed) => 0.0,
        }
    }

    /// The same of names out of tables.
    pub fn table(x: f64) -> f64 {
        of_table(x).unwrap_or(x * 2.0)
    }
}

/// Texts in fields of a type that is not visible.
#[adjoint]
pub mod elsewhere {
    use super::checks::Knob;

    fn halved(name: &'static str, v: f64) -> Result<f64, f64> {
        if name.len() > 3 {
            return Err(v * v);
        }
        Ok(v * 0.5)
    }

    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub struct Limit(pub f64);

    impl Limit {
        pub fn within(&self, v: f64, name: &str) -> f64 {
            if name == "u" { v.min(self.0) } else { v }
        }
    }

    pub fn of_fields(knobs: &[Knob], limit: f64) -> f64 {
        let limit = Limit(limit);
        let mut s = 1.0;
        for knob in knobs {
            s *= match halved(knob.name, knob.v) {
                Ok(v) => limit.within(v, knob.name),
                Err(v) => v,
            };
        }
        s
    }
}

use checks::Knob;

flat!(Knob { v });

#[test]
fn errors_with_names() {
    let knob = |name, v| Knob { name, v };
    check!(checks::knobs(&vec![]) -> f64);
    for (u, v) in [(0.7, 1.3), (-0.7, 1.3), (0.7, -1.3), (-1.0, -2.0)] {
        check!(checks::knobs(&vec![knob("u", u), knob("v", v)]) -> f64);
        check!(checks::knobs(&vec![knob("u", u), knob("", v)]) -> f64);
        check!(elsewhere::of_fields(&vec![knob("u", u), knob("long", v), knob("v", v)], 0.3) -> f64);
        check!(checks::pairs(u, v) -> f64);
        check!(checks::table(u) -> f64);
    }
}

#[test]
fn errors_have_the_names_that_were_given() {
    let low = |value| checks::Fault::Low { name: "w", value };
    let mut v_adj = 0.0;
    let seed = Err(low(2.0));
    let left = checks::positive_adjoint("w", -1.5, &mut v_adj, seed);
    assert_eq!((left, v_adj), (Err(low(-1.5)), 2.0));
    let root = checks::root_adjoint("w", 4.0, &mut v_adj, Ok(8.0));
    assert_eq!((root, v_adj), (Ok(2.0), 4.0));
}
