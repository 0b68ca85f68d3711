//! `[INV]` Figure 8 in the loop of Figure 10: forms of the loop, and runs of them.

use adjoint::{Tape, TapeStats, adjoint, check};

/// The loop, with its inner loop in two forms.
macro_rules! figure_10 {
    ($(#[$attribute:meta])* fn $while:ident, fn $for:ident) => {
        $(#[$attribute])*
        #[allow(clippy::assign_op_pattern, reason = "the statements are spelt as in the paper")]
        fn $while(a: &mut [f64], p: &[f64], inner: usize, outer: usize) {
            let mut o = 0;
            while o < outer {
                let mut i = o;
                let mut j = o;
                let mut l = 0;
                while l < inner {
                    let k = i - j;
                    let m = k + 3 + l;
                    i = k + 2 * l;
                    a[i] = a[j] * p[k] * a[m];
                    j = j + m + 4;
                    i = i + j + 1;
                    a[j] = a[i] * p[k] * a[m];
                    l = l + 1;
                }
                o = o + 1;
            }
        }

        $(#[$attribute])*
        #[allow(clippy::assign_op_pattern, reason = "the statements are spelt as in the paper")]
        fn $for(a: &mut [f64], p: &[f64], inner: usize, outer: usize) {
            for o in 0..outer {
                let mut i = o;
                let mut j = o;
                for l in 0..inner {
                    let k = i - j;
                    let m = k + 3 + l;
                    i = k + 2 * l;
                    a[i] = a[j] * p[k] * a[m];
                    j = j + m + 4;
                    i = i + j + 1;
                    a[j] = a[i] * p[k] * a[m];
                }
            }
        }
    };
}

figure_10! {
    #[adjoint]
    fn while_loop, fn for_loop
}

figure_10! {
    #[adjoint(without(inversion))]
    fn while_loop_stored, fn for_loop_stored
}

/// One form of the loop, and its adjoints with and without inversion.
pub struct Form {
    pub name: &'static str,
    pub function: fn(&mut [f64], &[f64], usize, usize),
    pub inverted: Adjoint,
    pub stored: Adjoint,
}

/// An adjoint of the loop on a tape that is kept.
pub type Adjoint = fn(&mut Tape, &mut [f64], &mut [f64], &[f64], &mut [f64], usize, usize);

pub const FORMS: [Form; 2] = [
    Form {
        name: "while",
        function: while_loop,
        inverted: while_loop_adjoint_with,
        stored: while_loop_stored_adjoint_with,
    },
    Form {
        name: "for",
        function: for_loop,
        inverted: for_loop_adjoint_with,
        stored: for_loop_stored_adjoint_with,
    },
];

/// The paper's ilB, and the lengths of its `a` beyond olB and of its `p`.
const INNER: usize = 10;
const BEYOND: usize = 500;
const FACTORS: usize = 82;

/// The arguments of the loop, with their adjoints, and the tape.
pub struct Run {
    outer: usize,
    a: Vec<f64>,
    p: Vec<f64>,
    pub a_adj: Vec<f64>,
    pub p_adj: Vec<f64>,
    tape: Tape,
}

impl Run {
    /// Arguments of size 1, so that no product of many overflows or vanishes.
    pub fn new(outer: usize) -> Run {
        let sign = |k: usize| if k.is_multiple_of(3) { -1.0 } else { 1.0 };
        Run {
            outer,
            a: vec![1.0; outer + BEYOND],
            p: (0..FACTORS).map(sign).collect(),
            a_adj: vec![0.0; outer + BEYOND],
            p_adj: vec![0.0; FACTORS],
            tape: Tape::new(),
        }
    }

    pub fn function(&mut self, form: &Form) {
        self.a.fill(1.0);
        (form.function)(&mut self.a, &self.p, INNER, self.outer);
    }

    /// The gradient of the sum of `a`.
    pub fn adjoint(&mut self, adjoint: Adjoint) -> TapeStats {
        self.a.fill(1.0);
        self.a_adj.fill(1.0);
        self.p_adj.fill(0.0);
        let (a, a_adj, p_adj) = (&mut self.a, &mut self.a_adj, &mut self.p_adj);
        adjoint(&mut self.tape, a, a_adj, &self.p, p_adj, INNER, self.outer);
        self.tape.stats()
    }
}

/// The relative error of products with the Jacobian, where all factors differ.
pub fn dot_product_error(form: &Form) -> f64 {
    let outer = 3;
    let length = outer + BEYOND;
    let function = |inputs: &[f64]| {
        let (a, p) = inputs.split_at(length);
        let mut a = a.to_vec();
        (form.function)(&mut a, p, INNER, outer);
        a
    };
    let product = |inputs: &[f64], seed: &[f64]| {
        let (a, p) = inputs.split_at(length);
        let (mut a, mut a_adj, mut p_adj) = (a.to_vec(), seed.to_vec(), vec![0.0; p.len()]);
        (form.inverted)(
            &mut Tape::new(),
            &mut a,
            &mut a_adj,
            p,
            &mut p_adj,
            INNER,
            outer,
        );
        [a_adj, p_adj].concat()
    };
    let inputs: Vec<f64> = (0..length + FACTORS)
        .map(|k| 1.0 + 0.1 * (7.0 * k as f64).sin())
        .collect();
    check::dot_product(function, product, &inputs).relative_error
}
