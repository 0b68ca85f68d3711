//! Indices that come back by inversion: values of adjoints, and how many integers the tape holds.
#![allow(
    clippy::assign_op_pattern,
    clippy::explicit_counter_loop,
    clippy::manual_is_multiple_of,
    clippy::needless_range_loop,
    clippy::useless_vec,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::{Tape, adjoint};
use common::{Random, check};

/// `[INV]` Figure 2.
#[adjoint]
fn leaps(a: &mut [f64], n: usize) {
    let mut j = 1;
    while j < n {
        let k = j + 1;
        j = k + 2;
        a[j] = a[k] * a[j];
    }
}

/// `[INV]` Figure 7: `j` is overwritten once more.
#[adjoint]
fn leaps_and_steps(a: &mut [f64], n: usize) {
    let mut j = 1;
    while j < n {
        let k = j + 1;
        j = k + 2;
        a[j] = a[k] * a[j];
        j += 1;
        a[k] = 2.0 * a[j] * a[k];
    }
}

/// `[INV]` Figure 4: no triangular system, so that one of the two is stored.
#[adjoint(without(fusion))]
fn tangled(x: &[f64], n: usize) -> f64 {
    let (mut k, mut l) = (1usize, 1usize);
    let mut s = 1.0;
    for _ in 0..n {
        let j = k + l;
        k = j + 3;
        l = j + 2;
        s *= x[k % x.len()] + x[l % x.len()] * s;
    }
    s
}

/// `[INV]` Figure 8.
#[adjoint]
fn accesses(a: &mut [f64], p: &[f64], n: usize, o: usize) {
    let mut l = 0usize;
    let mut i = o;
    let mut j = o;
    while l < n {
        let k = i - j;
        let m = k + 3 + l;
        i = k + 2 * l;
        a[i] = a[j] * p[k] * a[m];
        j = j + m + 4;
        i = i + j + 1;
        a[j] = a[i] * p[k] * a[m];
        l += 1;
    }
}

/// The same with line 5 as in Figure 9(d), which can't be inverted.
#[adjoint]
fn clipped_accesses(a: &mut [f64], p: &[f64], n: usize, o: usize) {
    let mut l = 0usize;
    let mut i = o;
    let mut j = o;
    while l < n {
        let k = i - j;
        let m = k + 3 + l;
        i = k.max(2 * l);
        a[i] = a[j] * p[k] * a[m];
        j = j + m + 4;
        i = i + j + 1;
        a[j] = a[i] * p[k] * a[m];
        l += 1;
    }
}

#[adjoint]
fn packed_triangle(x: &[f64], l: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    let mut at = 0;
    for i in 0..n {
        let mut row = x[i];
        for j in 0..i {
            row += l[at] * x[j] * row;
            at += 1;
        }
        sum += row * row;
    }
    sum
}

#[adjoint]
fn running_offset(x: &[f64], l: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    let mut row = 0;
    for i in 0..n {
        let mut part = x[i];
        for j in 0..i {
            part *= 1.0 + l[row + j] * x[j];
        }
        row += i;
        sum += part * part;
    }
    sum
}

/// Counters at the limits of their types, whose inverses would overflow if they did not wrap.
#[adjoint(without(fusion))]
fn at_the_limits(x: &[f64]) -> f64 {
    let n = x.len();
    let mut up: u8 = 250;
    let mut down: i32 = i32::MIN + 6;
    let mut mixed: i8 = -3;
    let mut bits: u16 = 0xfff0;
    let mut s = 1.0;
    for i in 0..5u8 {
        s *= x[up as usize % n] + x[(down - i32::MIN) as usize % n] * s;
        s += x[(mixed as i32 + 128) as usize % n] * x[bits as usize % n];
        up += 1;
        down -= 1;
        mixed = 4 - mixed;
        bits ^= 0x0f0f + u16::from(i);
    }
    s
}

/// Operations that lose no bits, each on values all over its type.
#[adjoint(without(fusion))]
fn scrambled(x: &[f64], n: usize) -> f64 {
    let len = x.len();
    let mut turned: u8 = 0b1001_0110;
    let mut tripled: i32 = 7;
    let mut hashed = n.wrapping_mul(31);
    let mut bytes: u64 = 0x0123_4567_89ab_cdef;
    let mut bits: i16 = -12_345;
    let mut s = 1.0;
    for i in 0..n {
        s *= x[turned as usize % len] + x[tripled as usize % len] * s;
        s -= x[hashed % len] * x[(bytes % 7) as usize % len] + x[bits as usize % len];
        turned = !turned.rotate_left(3) ^ i as u8;
        tripled = tripled.wrapping_mul(-3).wrapping_sub(i as i32);
        hashed = (hashed ^ i).wrapping_mul(0x0100_0193).rotate_right(5);
        bytes = bytes.swap_bytes().wrapping_add(hashed as u64);
        bits = bits.reverse_bits().wrapping_neg();
        s = s.sin();
    }
    s
}

/// An index that is computed from a narrow integer at the limit of its type, which then loses bits.
#[adjoint]
fn widened(x: &[f64], n: usize) -> f64 {
    let len = x.len();
    let (mut narrow, mut signed): (u8, i16) = (u8::MAX, i16::MIN);
    let mut s = 1.0;
    for _ in 0..n {
        let at = narrow as usize * 6 + 1;
        let far = ((signed as i64) << 4) - 3;
        s += x[at % len] * x[far.rem_euclid(4) as usize] * s;
        s *= x[narrow as usize % len] + x[signed as usize % len];
        narrow = narrow / 3 + 100;
        signed = signed.max(-7) / 2 - 5;
        s = s.cos();
    }
    s
}

/// The step depends on the data, but its branch comes back.
#[adjoint(without(fusion))]
fn stepped_by_signs(x: &[f64], w: &[f64]) -> f64 {
    let mut at = 0;
    let mut s = 0.0;
    for v in x {
        s += w[at] * v * v;
        if *v > 0.0 {
            at += 1;
        }
    }
    s
}

/// Loops that a real ends, and counters that take odd steps from a start that is at hand: these give the trip counts.
#[adjoint]
fn until_small(x: &[f64], first: usize) -> f64 {
    let (mut s, mut at, mut down) = (1.0, first, u64::MAX);
    while s > 0.05 {
        let next = at + 1;
        s *= 0.7 * x[next % x.len()] * x[(down % 7) as usize % x.len()];
        at = next + 2;
        down -= 5;
    }
    let mut at = first;
    loop {
        s += x[at % x.len()] * x[at % x.len()];
        at += 7;
        if s > 3.0 {
            break;
        }
    }
    s * x[at % x.len()]
}

/// An even step and a narrow counter don't.
#[adjoint(without(fusion))]
fn until_large(x: &[f64], first: usize) -> f64 {
    let (mut s, mut at, mut few) = (1.0, first, 0u8);
    while s < 9.0 {
        s += x[at % x.len()] * x[few as usize % x.len()];
        at += 2;
        few += 1;
    }
    s * x[at % x.len()]
}

/// Integers in fields, in elements, and behind references of callers.
#[adjoint]
mod parts {
    #[derive(Clone, Debug, PartialEq, adjoint::Differentiable)]
    pub struct Walk {
        at: usize,
        step: usize,
        weight: f64,
    }

    impl Walk {
        fn next(&mut self, x: &[f64]) -> f64 {
            let value = x[self.at % x.len()] * self.weight;
            self.at += self.step;
            self.weight *= 0.9;
            value
        }
    }

    /// Fields of a local, which change by literals and by each other, and now and then the whole.
    pub fn fields(x: &[f64], n: usize) -> f64 {
        let mut walk = Walk {
            at: 1,
            step: 2,
            weight: 1.0,
        };
        let mut s = 1.0;
        for i in 0..n {
            s *= x[walk.at % x.len()] * walk.weight + s;
            walk.at += walk.step;
            s += x[walk.at % x.len()] * s;
            walk.step = 9 - walk.step;
            walk.at = walk.at - 1 + i;
            if i == 3 {
                walk = Walk {
                    at: i,
                    step: 1,
                    weight: 0.5,
                };
            }
        }
        s * x[walk.step]
    }

    pub fn by_method(x: &[f64], weight: f64, n: usize) -> f64 {
        let mut walk = Walk {
            at: n,
            step: 3,
            weight,
        };
        let mut s = 1.0;
        for _ in 0..n {
            s *= walk.next(x) + 0.5 * s;
        }
        s + walk.next(x)
    }

    /// Elements at literal and at other positions; `at[at[0] % 3]` stands elsewhere behind its own overwrite, and
    /// `at[i % 3]` may be `at[1]`.
    pub fn elements(x: &[f64], n: usize) -> f64 {
        let mut at = [1usize, 2, 0];
        let mut count = vec![0usize; 4];
        let mut s = 1.0;
        for i in 0..n {
            s *= x[at[0] % x.len()] * x[at[1] % x.len()] + s;
            at[0] += 1;
            at[1] += 2 * at[0];
            let k = (i * i) % 4;
            s *= x[count[k]] + 0.1 * x[at[2] % x.len()];
            count[k] += 1;
            s += x[count[k]] * s;
            at[at[0] % 3] += 1;
            at[i % 3] = at[i % 3] + at[1];
            at[2] = 50 - at[2] % 40;
            if i % 3 == 1 {
                at.swap(0, 1);
            }
        }
        s
    }

    fn next(x: &[f64], at: &mut usize) -> f64 {
        let value = x[*at % x.len()];
        *at += 1;
        value * x[*at % x.len()]
    }

    fn far(x: &[f64], at: &mut usize, by: usize) -> f64 {
        let mut s = 0.0;
        while *at % by != 0 {
            s += next(x, at) * (1.0 + s);
        }
        *at = *at * 3;
        s + x[*at % x.len()]
    }

    /// Integers that callees step on; each is also overwritten between the calls.
    pub fn lent(x: &[f64], n: usize) -> f64 {
        let (mut at, mut other) = (1usize, 3usize);
        let mut s = 1.0;
        for i in 0..n {
            s *= next(x, &mut at) + next(x, &mut other) * s;
            s += far(x, &mut at, 4) * s;
            at = at / 2 + i;
            if i % 2 == 0 {
                other = i;
            }
        }
        s * x[at % x.len()]
    }

    /// A tally that the caller lends, and a place in it.
    pub fn lent_by_callers(x: &[f64], tally: &mut [usize], at: &mut usize) -> f64 {
        let mut s = 1.0;
        for k in 0..tally.len() {
            s *= x[tally[k] % x.len()] + x[*at % x.len()] * s;
            *at += 1 + tally[k];
            tally[k] = 7 - tally[k];
            tally[*at % 2] += 1;
            s *= x[tally[k] % x.len()];
        }
        s
    }
}

fn values(n: usize) -> Vec<f64> {
    Random::new(5).vector(n, 0.6, 1.4)
}

#[test]
fn derivatives_through_inverted_indices() {
    let (a, p) = (values(40), values(40));
    check!(leaps(&mut a.clone(), const 12));
    check!(leaps_and_steps(&mut a.clone(), const 12));
    check!(tangled(&p, const 7) -> f64);
    check!(accesses(&mut values(200), &values(200), const 4, const 1));
    check!(clipped_accesses(&mut values(200), &values(200), const 4, const 1));
    check!(packed_triangle(&values(6), &values(15), const 6) -> f64);
    check!(running_offset(&values(6), &values(15), const 6) -> f64);
    check!(at_the_limits(&values(7)) -> f64);
    check!(scrambled(&values(7), const 6) -> f64);
    check!(widened(&values(7), const 5) -> f64);
    let x = vec![0.5, -0.7, 1.1, 0.3, -0.2];
    check!(stepped_by_signs(&x, &values(5)) -> f64);
    for first in 0..4 {
        check!(until_small(&values(7), const first) -> f64);
        check!(until_large(&values(7), const first) -> f64);
    }
}

/// The integers on the tape of a gradient; trip counts are among the control values.
fn integers(gradient: impl FnOnce(&mut Tape) -> f64) -> usize {
    let mut tape = Tape::new();
    gradient(&mut tape);
    let stats = tape.stats();
    stats.integers.entries
}

/// A gradient of a function that changes `a`: the tape, `a`, its adjoint, and that of `p`.
type InPlace<'f> = dyn Fn(&mut Tape, &mut [f64], &mut [f64], &mut [f64]) + 'f;

#[test]
fn few_integers_are_stored() {
    let p = values(200);
    let in_place = |f: &InPlace<'_>| {
        let (mut a, mut a_adj, mut p_adj) = (values(200), vec![1.0; 200], vec![0.0; 200]);
        integers(|tape| {
            f(tape, &mut a, &mut a_adj, &mut p_adj);
            0.0
        })
    };
    // The last `j` follows from `n`.
    assert_eq!(in_place(&|t, a, da, _| leaps_adjoint_with(t, a, da, 12)), 0);
    assert_eq!(
        in_place(&|t, a, da, _| leaps_and_steps_adjoint_with(t, a, da, 12)),
        0
    );
    // The last `i` and `j`, and with a maximum four times `k`.
    assert_eq!(
        in_place(&|t, a, da, dp| accesses_adjoint_with(t, a, da, &p, dp, 4, 1)),
        2
    );
    assert_eq!(
        in_place(&|t, a, da, dp| clipped_accesses_adjoint_with(t, a, da, &p, dp, 4, 1)),
        6
    );
    let (x, w) = (values(6), values(15));
    let (mut dx, mut dw) = (vec![0.0; 6], vec![0.0; 15]);
    // The last offset follows from `n`.
    assert_eq!(
        integers(|t| packed_triangle_adjoint_with(t, &x, &mut dx, &w, &mut dw, 6, 1.0)),
        0
    );
    assert_eq!(
        integers(|t| running_offset_adjoint_with(t, &x, &mut dx, &w, &mut dw, 6, 1.0)),
        0
    );
    assert_eq!(
        integers(|t| stepped_by_signs_adjoint_with(t, &x, &mut dx, &w, &mut dw, 1.0)),
        1
    );
    // One of two at each of seven steps, and the last of both.
    assert_eq!(
        integers(|t| tangled_adjoint_with(t, &x, &mut dx, 7, 1.0)),
        9
    );
    // The last of each integer.
    assert_eq!(
        integers(|t| scrambled_adjoint_with(t, &x, &mut dx, 6, 1.0)),
        5
    );
    // `mixed` and `bits`: the others follow from the trips.
    assert_eq!(
        integers(|t| at_the_limits_adjoint_with(t, &x, &mut dx, 1.0)),
        2
    );
}

/// The control values on the tape of a gradient.
fn control_values(gradient: impl FnOnce(&mut Tape) -> f64) -> usize {
    let mut tape = Tape::new();
    gradient(&mut tape);
    tape.stats().control.entries
}

#[test]
fn counters_give_trip_counts() {
    let p = values(200);
    let (mut a, mut a_adj) = (values(200), vec![1.0; 200]);
    let leaps = control_values(|t| {
        leaps_adjoint_with(t, &mut a, &mut a_adj, 12);
        leaps_and_steps_adjoint_with(t, &mut a, &mut a_adj, 12);
        0.0
    });
    assert_eq!(leaps, 0);
    let mut p_adj = vec![0.0; 200];
    assert_eq!(
        control_values(|t| until_small_adjoint_with(t, &p, &mut p_adj, 2, 1.0)),
        0
    );
    assert_eq!(
        control_values(|t| until_large_adjoint_with(t, &p, &mut p_adj, 2, 1.0)),
        1
    );
}

#[test]
fn derivatives_through_fields_elements_and_references() {
    let x = values(9);
    for n in 0..7 {
        check!(parts::fields(&x, const n) -> f64);
        check!(parts::by_method(&x, 0.8, const n) -> f64);
        check!(parts::elements(&x, const n) -> f64);
        check!(parts::lent(&x, const n) -> f64);
    }
    check!(parts::lent_by_callers(&x, const &mut [1, 5, 2], const &mut 3) -> f64);
}

#[test]
fn fields_elements_and_references_store_few_integers() {
    let x = values(9);
    let mut dx = vec![0.0; 9];
    // Nothing in each iteration.
    let by_method = |n: usize| {
        let (x, mut dx, mut dw) = (&x, vec![0.0; 9], 0.0);
        integers(|t| parts::by_method_adjoint_with(t, x, &mut dx, 0.8, &mut dw, n, 1.0))
    };
    assert_eq!(by_method(6), by_method(1));
    let (mut tally, mut at) = ([1, 5, 2], 3);
    assert_eq!(
        integers(|t| parts::lent_by_callers_adjoint_with(t, &x, &mut dx, &mut tally, &mut at, 1.0)),
        0
    );
}

/// An alternating sum whose sign is a constant, and a flow whose direction is reversed, element by element as well.
#[adjoint]
fn alternating(x: &[f64], n: usize) -> f64 {
    let mut sign = 1.0;
    let mut flow = x[0];
    let mut pair = [x[1], x[0] * x[1]];
    let mut sum = 0.0;
    for i in 0..n {
        sum += sign * x[i % x.len()] * flow * pair[i % 2];
        sign = -sign;
        flow = -flow;
        pair[i % 2] = -pair[i % 2];
    }
    sum * flow
}

#[test]
fn changes_of_signs_undo_themselves() {
    let x = values(4);
    for n in 0..6 {
        check!(alternating(&x, const n) -> f64);
    }
    let mut dx = vec![0.0; 4];
    let mut tape = Tape::new();
    let mut reals = |n: usize| {
        alternating_adjoint_with(&mut tape, &x, &mut dx, n, 1.0);
        tape.stats().reals.entries
    };
    assert_eq!(reals(20), reals(5));
}
