//! What a call tells its callee: nothing is recorded or computed for arguments that are not varied.

#[macro_use]
mod common;

use adjoint::{Differentiable, Tape, adjoint};
use num_traits::Float;

/// The derivative with respect to `b` needs two values of `t`, or one partial, the others none.
#[adjoint]
fn mixed(a: f64, x: f64, b: f64) -> f64 {
    let mut t = b;
    t = t.sin() * t;
    t *= t;
    a * x + t
}

#[adjoint]
fn by_all(a: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += mixed(a[i], x[i], b[i]);
    }
    s
}

#[adjoint(wrt(x))]
fn by_one(a: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += mixed(a[i], x[i], b[i]);
    }
    s
}

/// The same through one call more, whose work space is no argument of the caller's.
#[adjoint]
fn scaled(a: &[f64], x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = mixed(a[i], x[i], a[i]) * a[i].exp();
    }
}

#[adjoint(wrt(x))]
fn through_work_space(a: &[f64], x: &[f64]) -> f64 {
    let mut work = vec![0.0; x.len()];
    scaled(a, x, &mut work);
    let mut s = 0.0;
    for w in &work {
        s += w * w;
    }
    s
}

const A: [f64; 3] = [0.5, -1.5, 0.7];
const X: [f64; 3] = [1.0, 2.0, -0.3];
const B: [f64; 3] = [0.2, 0.9, -1.1];

#[test]
fn only_one_argument_is_varied() {
    let (mut one, mut all) = (Tape::new(), Tape::new());
    let mut x_adj = [0.0; 3];
    by_one_adjoint_with(&mut one, &A, &X, &mut x_adj, &B, 1.0);
    assert_eq!(x_adj, A);
    assert_eq!(one.stats().reals.entries, 0);
    let (mut a_adj, mut x_adj, mut b_adj) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    by_all_adjoint_with(
        &mut all, &A, &mut a_adj, &X, &mut x_adj, &B, &mut b_adj, 1.0,
    );
    assert_eq!((a_adj, x_adj), (X, A));
    // Its partial by `b`, in each call.
    assert_eq!(all.stats().reals.entries, 3);
    check!(by_all(&A.to_vec(), &X.to_vec(), &B.to_vec()) -> f64);
}

#[test]
fn work_space_of_the_callee() {
    let mut x_adj = [0.0; 3];
    let mut tape = Tape::new();
    through_work_space_adjoint_with(&mut tape, &A, &X, &mut x_adj, 1.0);
    for i in 0..3 {
        let (a, h) = (A[i], 1e-6);
        let w = |x: f64| {
            let mut t = a.sin() * a;
            t *= t;
            (a * x + t) * a.exp()
        };
        let slope = (w(X[i] + h).powi(2) - w(X[i] - h).powi(2)) / (2.0 * h);
        assert!((x_adj[i] - slope).abs() < 1e-7 * slope.abs().max(1.0));
    }
}

/// Overwrites work space.
#[adjoint]
fn fill(x: &[f64], work: &mut [f64]) {
    for i in 0..x.len() {
        work[i] = x[i] * x[0];
    }
}

/// Linear: its adjoint reads no value.
#[adjoint]
fn total(work: &[f64], weights: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..work.len() {
        s += weights[i] * work[i];
    }
    s
}

#[adjoint]
fn squares(work: &[f64]) -> f64 {
    let mut s = 0.0;
    for w in work {
        s += w * w;
    }
    s
}

#[adjoint(wrt(x))]
fn of_linear(x: &[f64], weights: &[f64]) -> f64 {
    let mut work = vec![0.0; x.len()];
    let mut s = 0.0;
    for k in 0..4 {
        fill(&x[k..], &mut work[k..]);
        s += total(&work[k..], weights);
    }
    s
}

#[adjoint]
fn of_squares(x: &[f64]) -> f64 {
    let mut work = vec![0.0; x.len()];
    let mut s = 0.0;
    for k in 0..4 {
        fill(&x[k..], &mut work[k..]);
        s += squares(&work[k..]);
    }
    s
}

#[test]
fn work_space_is_recorded_where_the_next_callee_reads_it() {
    let x = vec![0.3, -1.2, 0.8, 2.0, 0.1];
    let weights = vec![1.0, 0.5, -2.0, 0.25, 3.0];
    let (mut linear, mut squared) = (Tape::new(), Tape::new());
    let mut x_adj = vec![0.0; 5];
    of_linear_adjoint_with(&mut linear, &x, &mut x_adj, &weights, 1.0);
    of_squares_adjoint_with(&mut squared, &x, &mut x_adj, 1.0);
    // The work space comes back once, for its length.
    assert_eq!(linear.stats().reals.entries, 5);
    // Each iteration overwrites what the one before has read, and the last one is read at the end.
    assert!(squared.stats().reals.entries >= 5 + 4 + 3);
    check!(of_linear(&x, const &weights) -> f64);
    check!(of_squares(&x) -> f64);
}

mod elsewhere {
    #[adjoint::adjoint]
    pub fn total(work: &[f64]) -> f64 {
        let mut s = 0.0;
        for w in work {
            s += w * w * w;
        }
        s
    }
}

/// Functions that see each other's bodies.
#[adjoint]
mod seen {
    pub fn fill(x: &[f64], work: &mut [f64]) {
        for i in 0..x.len() {
            work[i] = x[i] * x[0];
        }
    }

    /// Linear, through a call.
    pub fn half_total(work: &[f64]) -> f64 {
        0.5 * total(work)
    }

    /// Linear, and recursive.
    pub fn total(work: &[f64]) -> f64 {
        match work.len() {
            0 => 0.0,
            n => work[n - 1] + total(&work[..n - 1]),
        }
    }

    pub fn linear(x: &[f64]) -> f64 {
        let mut work = [0.0; 5];
        let mut s = 0.0;
        for _ in 0..4 {
            fill(x, &mut work);
            s += half_total(&work);
        }
        s
    }

    /// The function called `total` here is another one.
    pub fn shadowed(x: &[f64]) -> f64 {
        use super::elsewhere::total;
        let mut work = [0.0; 5];
        let mut s = 0.0;
        for k in 0..4 {
            fill(&x[k..], &mut work);
            s += total(&work);
        }
        s
    }

    /// Mutual recursion: each sees what the other reads.
    pub fn even(x: f64, n: usize) -> f64 {
        if n == 0 { x } else { odd(x * x, n - 1) }
    }

    pub fn odd(x: f64, n: usize) -> f64 {
        if n == 0 {
            x.sin()
        } else {
            0.5 * even(x + 1.0, n - 1)
        }
    }

    #[derive(adjoint::Differentiable, Clone)]
    pub struct Line {
        pub slope: f64,
        pub offset: f64,
    }

    impl Line {
        pub fn at(&self, x: f64) -> f64 {
            self.slope * x + self.offset
        }

        pub fn twice(&self, x: f64) -> f64 {
            let mut y = self.at(x);
            y = self.at(y);
            Self::square(y)
        }

        fn square(y: f64) -> f64 {
            y * y
        }
    }
}

#[test]
fn bodies_are_seen_in_a_module() {
    let x = vec![0.3, -1.2, 0.8, 2.0, 0.1];
    let mut tape = Tape::new();
    let mut x_adj = vec![0.0; 5];
    seen::linear_adjoint_with(&mut tape, &x, &mut x_adj, 1.0);
    assert_eq!(tape.stats().reals.entries, 0);
    use seen::*;
    check!(linear(&x) -> f64);
    check!(shadowed(&x) -> f64);
    for n in 0..6 {
        check!(even(0.7, const n) -> f64);
        check!(odd(-0.4, const n) -> f64);
    }
    let line = Line {
        slope: 1.5,
        offset: -0.25,
    };
    let mut line_adj = Line {
        slope: 0.0,
        offset: 0.0,
    };
    let mut x_adj = 0.0;
    line.twice_adjoint(&mut line_adj, 2.0, &mut x_adj, 1.0);
    // y = s (s x + o) + o, and y².
    let (s, o, x) = (1.5, -0.25, 2.0);
    let y = s * (s * x + o) + o;
    assert_eq!(x_adj, 2.0 * y * s * s);
    assert_eq!(line_adj.slope, 2.0 * y * (2.0 * s * x + o));
    assert_eq!(line_adj.offset, 2.0 * y * (s + 1.0));
}

/// What is borrowed mutably and lent to a parameter that is shared stays as it is.
#[adjoint]
mod lent {
    pub fn norm2(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v * v;
        }
        s
    }

    pub fn before_and_after(x: &mut [f64]) -> f64 {
        let cur = &mut *x;
        let before = norm2(cur);
        cur[0] *= before;
        before * norm2(cur) + cur[1]
    }
}

#[test]
fn a_shared_parameter_leaves_what_is_lent_to_it() {
    use lent::*;
    check!(before_and_after(&mut vec![0.5, -0.7, 0.2]) -> f64);
}

/// Depends on `k` in a differentiable way, on `x` not.
#[adjoint]
fn weight(x: f64, k: f64) -> f64 {
    let w = k.exp() * k;
    if x > k { w.sin() * w } else { w * w }
}

#[adjoint(wrt(x))]
fn weighted(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for &x in x {
        let w = weight(x, k);
        let t = w.sin() * (w * w).cos();
        s += x + t * w;
    }
    s
}

/// What makes `x` is of no use for a derivative.
#[adjoint]
fn stepped(x: f64, k: f64) -> f64 {
    k + x.floor()
}

#[adjoint]
fn counted(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for &x in x {
        let q = (x * k).sin() * x.exp();
        s += stepped(q * q, k) + k;
    }
    s
}

/// Each part depends on one argument.
#[adjoint]
fn two_parts(x: &[f64], k: &[f64], of_x: &mut [f64], of_k: &mut [f64]) -> f64 {
    for i in 0..x.len() {
        of_x[i] = x[i] * x[i];
        of_k[i] = k[i].exp();
    }
    if x[0] > k[0] { 1.5 } else { 0.5 }
}

#[adjoint(wrt(x))]
fn uses_one_part(x: &[f64], k: &[f64], which: bool) -> f64 {
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    let mut s = 1.0;
    for _ in 0..4 {
        let scale = two_parts(x, k, &mut a, &mut b);
        let part = if which { a[1] } else { b[1] };
        let t = part.sin() * part * scale;
        s += t * t;
    }
    s
}

/// The parts change places: after two steps the first one depends on the second argument.
#[adjoint]
fn taking_turns(x: &[f64], k: &[f64], steps: usize) -> f64 {
    let (mut a, mut b) = (x.to_vec(), k.to_vec());
    let (mut p, mut q) = (vec![0.0; 3], vec![0.0; 3]);
    for _ in 0..steps {
        two_parts(&b, &a, &mut p, &mut q);
        a.copy_from_slice(&p);
        b.copy_from_slice(&q);
    }
    a[0] * b[1]
}

#[test]
fn a_result_that_does_not_depend_on_what_is_varied() {
    let mut tape = Tape::new();
    let mut x_adj = [0.0; 3];
    weighted_adjoint_with(&mut tape, &X, &mut x_adj, 0.4, 1.0);
    assert_eq!(x_adj, [1.0; 3]);
    assert_eq!(tape.stats().reals.entries, 0);
    let (mut x_adj, mut k_adj) = ([0.0; 3], 0.0);
    counted_adjoint(&X, &mut x_adj, 0.4, &mut k_adj, 1.0);
    assert_eq!((x_adj, k_adj), ([0.0; 3], 6.0));
}

#[test]
fn outputs_that_depend_on_different_arguments() {
    let (x, k) = (X.to_vec(), B.to_vec());
    for which in [true, false] {
        let mut x_adj = [0.0; 3];
        uses_one_part_adjoint(&x, &mut x_adj, &k, which, 1.0);
        let scale: f64 = if x[0] > k[0] { 1.5 } else { 0.5 };
        let of = |x: f64| {
            let t = (x * x).sin() * (x * x) * scale;
            4.0 * t * t
        };
        let slope = (of(x[1] + 1e-6) - of(x[1] - 1e-6)) / 2e-6;
        let expected = if which { slope } else { 0.0 };
        assert!(
            (x_adj[1] - expected).abs() < 1e-7 * slope.abs(),
            "{x_adj:?}"
        );
        assert_eq!((x_adj[0], x_adj[2]), (0.0, 0.0));
    }
    for steps in 0..5 {
        check!(taking_turns(&vec![0.3, 0.2, 0.1], &vec![0.4, 0.1, 0.2], const steps) -> f64);
    }
}

#[derive(Clone, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[adjoint]
impl Pair {
    fn product(&self, k: f64) -> f64 {
        let s = self.a.sin();
        s * s * k + self.b
    }

    /// What it calls is told what is wanted of it, and no more.
    fn twice(&self, k: f64) -> f64 {
        self.product(k) * self.product(k * k)
    }
}

#[adjoint]
fn result_left_alone(x: f64, k: f64) -> f64 {
    let pair = Pair { a: x * k, b: x };
    let _first = pair.twice(k);
    pair.twice(0.7)
}

#[adjoint]
fn squared_sum(x: &[f64], k: f64) -> f64 {
    let s = x[0].sin() * k;
    s * s + x[1]
}

#[adjoint]
fn of_squared_sum(x: &[f64], k: f64) -> f64 {
    squared_sum(x, k) * squared_sum(x, k * k)
}

/// What is lent may be changed, for all that is seen here; the result is not used.
#[adjoint]
fn lent_to_a_reader(y: &mut [f64], k: f64) -> f64 {
    let lent = &mut *y;
    let _first = of_squared_sum(lent, k);
    y[0] *= k;
    y[1] * k
}

#[test]
fn what_a_callee_takes_as_shared_is_no_output_of_it() {
    check!(result_left_alone(0.8, 0.6) -> f64);
    check!(lent_to_a_reader(&mut [0.4, 0.9], 0.6) -> f64);
}

/// `y` comes from `z` alone, which nothing varied goes into: still its adjoint has to go.
#[adjoint]
mod overwriting {
    pub fn exchanged(y: &mut f64, depth: usize, z: &mut f64) -> f64 {
        *y = 1.0;
        if depth > 0 {
            let r = exchanged(y, depth - 1, z);
            if r > 4.0 {
                *z += r;
            }
        } else {
            std::mem::swap(z, y);
        }
        1.0
    }

    pub fn with_constant(y: &mut f64, depth: usize) {
        let mut z = 2.0;
        exchanged(y, depth, &mut z);
    }

    pub fn copied(y: &mut [f64; 2], z: &[f64; 2]) {
        *y = [0.0; 2];
        y[1] = z[0] * 3.0;
        y[0] = z[1];
    }

    pub fn copied_from_constant(y: &mut [f64; 2], k: f64, twice: bool) -> f64 {
        let t = y[0] * k;
        *y = [k, 1.0];
        if twice {
            copied(y, &[2.0, 0.5]);
        }
        t
    }
}

#[test]
fn what_a_call_overwrites_loses_its_adjoint() {
    use overwriting::*;
    for depth in 0..3 {
        check!(exchanged(&mut 0.3, const depth, &mut 0.8) -> f64);
        check!(with_constant(&mut 0.3, const depth));
    }
    check!(copied_from_constant(&mut [0.3, 0.8], 0.6, const true) -> f64);
    check!(copied_from_constant(&mut [0.3, 0.8], 0.6, const false) -> f64);
}

#[adjoint]
mod shaped {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, Default, Differentiable)]
    pub struct Twig {
        pub value: f64,
        pub children: Vec<Twig>,
    }

    pub fn grown(x: &[f64], k: f64) -> Twig {
        let mut children = Vec::new();
        for i in 1..x.len() {
            children.push(grown(&x[i..i + 1], k * x[0]));
        }
        Twig {
            value: x[0] * k,
            children,
        }
    }

    /// Depends on nothing of the twig but its shape.
    pub fn by_shape(t: &Twig, k: f64) -> f64 {
        0.5 * k.tanh() + t.children.iter().map(|c| by_shape(c, k.sin())).sum::<f64>()
    }

    pub fn of_shape(x: &[f64], k: f64) -> f64 {
        let t = grown(x, k);
        by_shape(&t, k) * by_shape(&grown(&[0.3, k], x[0]), k)
    }

    pub fn of_value(x: &[f64], k: f64) -> f64 {
        let t = grown(x, k);
        by_shape(&t, k) * t.value
    }

    pub fn in_loop(x: &[f64], k: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            let t = grown(&x[i..], s * k);
            s += by_shape(&t, k) * x[i];
        }
        s
    }
}

#[test]
fn an_argument_of_which_only_the_shape_matters_has_no_adjoint() {
    use shaped::*;
    for n in 1..4 {
        let x = vec![0.3, -0.7, 1.2][..n].to_vec();
        check!(of_shape(&x, 0.6) -> f64);
        check!(of_value(&x, 0.6) -> f64);
        check!(in_loop(&x, 0.6) -> f64);
    }
}

/// In `b` it goes by steps: what is computed from such a result alone is no function of anything.
#[adjoint]
fn in_steps(a: f64, b: f64) -> f64 {
    0.1 * a * a + b.floor()
}

/// More calls than a caller has bits for answers.
#[adjoint]
fn many_calls(x: &[f64], k: f64) -> f64 {
    let mut s = k;
    let mut t = in_steps(2.0, s);
    s += 0.001 * t * t * x[0];
    t = in_steps(3.0, s);
    s += 0.001 * t * t * x[1];
    t = in_steps(s, 4.0);
    s += 0.001 * t * t * x[2];
    t = in_steps(5.0, s);
    s += 0.001 * t * t * x[3];
    t = in_steps(6.0, s);
    s += 0.001 * t * t * x[4];
    t = in_steps(t, s);
    s += 0.001 * t * t * x[5];
    t = in_steps(7.0, s);
    s += 0.001 * t * t * x[6];
    t = in_steps(8.0, s);
    s += 0.001 * t * t * x[7];
    t = in_steps(s, s);
    s += 0.001 * t * t * x[0];
    t = in_steps(9.0, s);
    s += 0.001 * t * t * x[1];
    t = in_steps(1.0, s);
    s += 0.001 * t * t * x[2];
    t = in_steps(x[3], s);
    s += 0.001 * t * t * x[4];
    s * t
}

macro_rules! many_callees {
    ($($name:ident $a:literal)*) => {
        $(
            #[adjoint]
            fn $name(a: f64, b: f64) -> f64 {
                0.1 * a * a * a / $a + b.floor()
            }
        )*

        /// More callees than a sweep has names for.
        #[adjoint]
        fn many_callees(x: &[f64], k: f64) -> f64 {
            let (mut s, mut t) = (k, x[3]);
            s += 0.001 * t * t;
            $(
                t = $name(2.0 + x[2] / $a, s);
                s += 0.001 * t * t * x[0];
                t = $name($a, s);
                s += 0.001 * t * t * x[1];
            )*
            s * t
        }
    };
}

many_callees! {
    callee_1 1.1 callee_2 1.2 callee_3 1.3 callee_4 1.4 callee_5 1.5 callee_6 1.6 callee_7 1.7
    callee_8 1.8 callee_9 1.9 callee_10 2.0 callee_11 2.1 callee_12 2.2 callee_13 2.3 callee_14 2.4
    callee_15 2.5 callee_16 2.6 callee_17 2.7 callee_18 2.8 callee_19 2.9 callee_20 3.0
    callee_21 3.1 callee_22 3.2 callee_23 3.3 callee_24 3.4 callee_25 3.5 callee_26 3.6
    callee_27 3.7 callee_28 3.8 callee_29 3.9 callee_30 4.0 callee_31 4.1 callee_32 4.2
    callee_33 4.3 callee_34 4.4
}

#[adjoint]
mod half_seen {
    use super::in_steps;

    /// No derivative by the first argument, whatever the callees of its caller say.
    fn by_the_second(a: f64, b: f64) -> f64 {
        b * b + a.floor()
    }

    pub fn beside_unseen(x: f64, k: f64) -> f64 {
        let o = in_steps(x, k);
        by_the_second(o, k) * k + by_the_second(in_steps(k, x), o)
    }
}

/// Ways out, overwritten work, and loops that may not run, between many calls.
#[adjoint]
fn left_early(x: &[f64], k: f64, n: usize) -> f64 {
    let mut w = 0.3;
    let mut t = in_steps(k, x[0]);
    for (i, &v) in x.iter().enumerate().take(n) {
        t = in_steps(t, v);
        if t > 5.0 {
            return t * in_steps(v, w);
        }
        w = in_steps(2.0, t) * in_steps(t, w);
        t = in_steps(in_steps(k, t), w) + in_steps(v, 3.0) * t;
        if i == 2 {
            continue;
        }
        let u = in_steps(in_steps(in_steps(x[i], t), w), k);
        t += u * u * 0.1;
    }
    t * w + in_steps(w, t)
}

#[test]
fn both_sweeps_ask_many_callees_the_same() {
    let x = vec![0.013, 0.024, 0.035, 0.046, 0.057, 0.068, 0.079, 0.091];
    check!(many_calls(&x, 0.37) -> f64);
    check!(many_callees(&x, 0.37) -> f64);
    check!(half_seen::beside_unseen(0.37, 0.81) -> f64);
    for n in 0..5 {
        check!(left_early(&x, 0.57, const n) -> f64);
        check!(left_early(&x, 2.57, const n) -> f64);
    }
}

/// Functions without a receiver, whose results are not visible: what is added to may be anything.
struct Scale;

#[adjoint]
impl Scale {
    fn twice(b: f64) -> f64 {
        2.0 * b
    }
}

#[adjoint(custom = stretched_by_hand)]
fn stretched(a: f64, y: &mut [f64]) {
    for v in y {
        *v *= 2.0 * a;
    }
}

fn stretched_by_hand(a: f64, a_adj: &mut f64, y: &mut [f64], y_adj: &mut [f64]) {
    for (v, v_adj) in y.iter_mut().zip(y_adj) {
        *a_adj += 2.0 * *v * *v_adj;
        *v_adj *= 2.0 * a;
        *v *= 2.0 * a;
    }
}

/// A record of the caller's stands below the call, of which nothing is varied.
macro_rules! of_constants {
    ($($name:ident, $around:ident, $entry:ident: |$a:ident, $b:ident| $body:block)*) => { $(
        #[adjoint]
        fn $name($a: f64, $b: f64) -> f64 $body

        #[adjoint]
        fn $around(a: f64, b: f64) -> f64 {
            let mut t = b.sin();
            t = t * t;
            t = t.cos() * t * $name(a, a);
            t * t
        }

        #[adjoint]
        fn $entry(k: f64) -> f64 {
            let r = $around(0.7, k);
            r * k
        }
    )* };
}

of_constants! {
    added, around_added, of_added: |a, b| { let mut t = b; t += Scale::twice(a); t * t }
    taken, around_taken, of_taken: |a, b| { let mut t = [b, a]; t[1] -= Scale::twice(b); t[0] * t[1] }
    divided, around_divided, of_divided: |a, b| { let mut t = (b, a); t.0 /= Scale::twice(a); t.0 * t.1 }
    in_branch, around_branch, of_branch: |a, b| {
        let mut t = b;
        for _ in 0..3 {
            if t < 5.0 {
                t *= 0.3 * Scale::twice(a);
            }
        }
        t * a
    }
    by_hand, around_hand, of_hand: |a, b| { let mut t = [b, a]; stretched(a, &mut t); t[0] * t[1] }
    until_large, around_large, of_large: |a, b| {
        let mut t = b;
        for _ in 0..4 {
            grown(&mut t, a);
            if t > 3.2 {
                break;
            }
        }
        t * a
    }
    of_elements, around_elements, of_all_elements: |a, b| {
        let (mut t, mut s) = ([b, a], 0.0);
        for _ in 0..4 {
            all_grown(&mut t, a);
            if t[1] > 3.2 { s += t[0] } else { s *= t[1] }
        }
        s * a
    }
    of_a_field, around_field, of_one_field: |a, b| {
        let (mut s, mut q) = (Grain { size: b }, 0.0);
        while s.size < 5.0 {
            s.grow(1.0 + a);
            q += s.size;
        }
        q * a
    }
    of_structs, around_structs, of_any_structs: |a, b| {
        let (mut t, mut s) = (b, sized(a));
        for _ in 0..4 {
            t += Scale::twice(a);
            if t > 1.2 {
                break;
            }
            s = sized(a);
        }
        t * s.size
    }
}

#[adjoint]
fn grown(t: &mut f64, a: f64) {
    *t += 2.0 * a * *t;
}

#[adjoint]
fn all_grown(t: &mut [f64], a: f64) {
    for v in t {
        *v += 2.0 * a * *v;
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Grain {
    size: f64,
}

#[adjoint]
impl Grain {
    fn grow(&mut self, k: f64) {
        self.size *= k;
    }
}

#[adjoint]
fn sized(a: f64) -> Grain {
    Grain { size: a.sin() }
}

/// The same where the functions see each other.
#[adjoint]
mod seen_constants {
    fn grown(t: &mut f64, a: f64) {
        *t += 2.0 * a * *t;
    }

    fn sized(a: f64) -> super::Grain {
        super::Grain { size: a.sin() }
    }

    fn until_large(a: f64, b: f64) -> f64 {
        let (mut t, mut s) = (b, sized(a));
        if t > 0.2 {
            s = sized(t);
        }
        grown(&mut t, a);
        t * s.size
    }

    fn around(a: f64, b: f64) -> f64 {
        let mut t = b.sin();
        t = t * t;
        t = t.cos() * t * until_large(a, a);
        t * t
    }

    pub fn entry(k: f64) -> f64 {
        let r = around(0.7, k);
        r * k
    }
}

#[test]
fn what_is_not_reversed_leaves_nothing_on_the_tape() {
    check!(of_added(0.6) -> f64);
    check!(around_added(0.6, 0.3) -> f64);
    check!(of_taken(0.6) -> f64);
    check!(around_taken(0.6, 0.3) -> f64);
    check!(of_divided(0.6) -> f64);
    check!(around_divided(0.6, 0.3) -> f64);
    check!(of_branch(0.6) -> f64);
    check!(around_branch(0.6, 0.3) -> f64);
    check!(of_hand(0.6) -> f64);
    check!(around_hand(0.6, 0.3) -> f64);
    check!(of_large(0.6) -> f64);
    check!(around_large(0.6, 0.3) -> f64);
    check!(until_large(0.6, 0.3) -> f64);
    check!(of_all_elements(0.6) -> f64);
    check!(around_elements(0.6, 0.3) -> f64);
    check!(of_elements(0.6, 0.3) -> f64);
    check!(of_one_field(0.6) -> f64);
    check!(around_field(0.6, 0.3) -> f64);
    check!(of_a_field(0.6, 0.3) -> f64);
    check!(of_any_structs(0.6) -> f64);
    check!(around_structs(0.6, 0.3) -> f64);
    check!(seen_constants::entry(0.6) -> f64);
}

/// Contexts grow out of each other, and there are finitely many.
#[adjoint]
fn into_itself(x: f64, k: f64, n: usize) -> f64 {
    if n == 0 {
        return in_steps(x, k);
    }
    let a = in_steps(x, k) * 0.3;
    let b = into_itself(a, k, n - 1);
    let c = into_itself(k, b.floor(), n - 1);
    in_steps(b, a) + into_itself(b, c, n - 1) * c
}

#[adjoint]
fn even_steps(x: f64, y: f64, n: usize) -> f64 {
    if n == 0 {
        return in_steps(x, y);
    }
    let t = odd_steps(x.sin(), in_steps(y, x), n - 1);
    t * in_steps(t, x) + odd_steps(1.5, y, n - 1)
}

#[adjoint]
fn odd_steps(x: f64, y: f64, n: usize) -> f64 {
    if n == 0 {
        return in_steps(y, x) * 0.3;
    }
    let t = even_steps(in_steps(x, y), y * 0.7, n - 1);
    in_steps(x, t) * even_steps(y, 2.0, n - 1)
}

#[adjoint]
fn of_any_float<T: Float>(x: T, y: T) -> T {
    x * y.floor() + x * x
}

#[adjoint]
fn many_of_any_float<T: Float>(x: &[T], k: T, n: usize) -> T {
    let mut s = k;
    for i in 0..n {
        let t = of_any_float(s, x[i % x.len()]);
        let u = of_any_float(x[i % x.len()], t);
        s = of_any_float(of_any_float(k, u), of_any_float(u, k)) * t;
        if n > 3 {
            s = s + many_of_any_float(x, t, n - 2);
        }
    }
    s
}

#[test]
fn callees_are_asked_by_functions_that_call_themselves() {
    for n in 0..4 {
        check!(into_itself(0.3, 0.7, const n) -> f64);
        check!(even_steps(0.3, 0.7, const n) -> f64);
        check!(odd_steps(1.3, 0.7, const n) -> f64);
    }
    let x = vec![0.31, 1.22, 0.73];
    for n in 0..5 {
        check!(many_of_any_float(&x, 0.7, const n) -> f64);
    }
}

/// What `u` is, its callees know, and the second of them takes it as well.
#[adjoint]
fn by_the_third(p: f64, q: f64, r: &mut f64, s: &mut f64) -> f64 {
    *r += q * *s;
    0.5 * p - q
}

#[adjoint]
fn made_by_what_takes_it(x: f64, k: f64) -> f64 {
    let mut s = k;
    let mut u = 0.2;
    let q = by_the_third(k, 0.7, &mut s, &mut u);
    u += 0.1 * q * q;
    if x > 0.7 {
        u = by_the_third(x, k, &mut u, &mut s);
    }
    s * u
}

#[test]
fn results_are_of_the_type_of_the_callee() {
    check!(made_by_what_takes_it(0.3, 0.6) -> f64);
    check!(made_by_what_takes_it(0.9, 0.6) -> f64);
}
