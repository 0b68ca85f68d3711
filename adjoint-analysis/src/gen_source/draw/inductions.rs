//! Loops that carry integers through, of any type and at the limits of their types, as index code has them.
//!
//! No sum overflows: what has no wrapping form moves by no more than [`MARGIN`] in the whole loop, or starts small.

use super::types::{Held, Ty};
use super::writer::Writer;

/// The types of the integers.
const TYPES: [&str; 9] = [
    "usize", "usize", "i32", "i32", "u8", "i8", "u16", "i64", "u32",
];

/// By how much literal steps change a variable at most.
const MARGIN: usize = 20;

impl Writer<'_> {
    /// A loop over a start of the integers, in one of the forms.
    pub(in crate::gen_source) fn induction_loop(&mut self) {
        match self.rng.below(5) {
            0 => self.stepped_and_mixed(),
            1 => self.chained(),
            2 => self.counted_by_any(),
            3 => self.tallied(),
            _ => self.carried_through_triangle(),
        }
    }

    /// A variable of the type, away from the limits by the margin at least, often by no more.
    fn induction(&mut self, ty: &str) -> String {
        let name = self.name("v");
        let start = match self.rng.below(4) {
            0 => format!("{ty}::MAX - {MARGIN}"),
            1 => format!("{ty}::MIN + {MARGIN}"),
            _ => (MARGIN + self.rng.below(9)).to_string(),
        };
        self.line(format!("let mut {name}: {ty} = {start};"));
        name
    }

    /// Literal steps of one variable, perhaps under a condition, and of another one any operation in wrapping form.
    fn stepped_and_mixed(&mut self) {
        let ty = *self.rng.pick(&TYPES);
        let (v, w) = (self.induction(ty), self.induction(ty));
        let n = self.rng.between(1, 5);
        self.in_loop(&format!("for _ in 0..{n} "), |wr| {
            wr.use_of(&v);
            let (sign, by) = (*wr.rng.pick(&["+", "-"]), wr.rng.between(1, 2));
            let step = format!("{v} {sign}= {by};");
            match wr.rng.chance(30) {
                true => {
                    let condition = wr.condition(0);
                    wr.block(&format!("if {condition} "), |w| w.line(&step));
                }
                false => wr.line(step),
            }
            let mixed = wr.mixed(&w, &v, ty);
            wr.line(format!("{w} = {mixed};"));
            wr.use_of(&w);
            wr.some_statements(2);
            if wr.rng.chance(40) {
                wr.line(format!("{v} += 2;"));
                wr.use_of(&v);
            }
        });
    }

    /// A new value of `w`, which may be any.
    fn mixed(&mut self, w: &str, v: &str, ty: &str) -> String {
        let (few, odd) = (self.rng.between(1, 7), 2 * self.rng.between(1, 9) + 1);
        let through = *self.rng.pick(&TYPES);
        match self.rng.below(16) {
            0 => format!("{w}.wrapping_add({v})"),
            1 => format!("{v}.wrapping_sub({w})"),
            2 => format!("{w}.wrapping_neg()"),
            3 => format!("!{w}"),
            4 => format!("{w} ^ {v}"),
            5 => format!("{w} ^ {few}"),
            6 => format!("{w}.rotate_left({few})"),
            7 => format!("{w}.rotate_right({few}).wrapping_add({few})"),
            8 => format!("{w}.swap_bytes()"),
            9 => format!("{w}.reverse_bits()"),
            10 => format!("{w}.wrapping_mul({odd})"),
            11 => format!("{w}.wrapping_mul({few})"),
            12 => format!("{w} / 2"),
            13 => format!("{w} % {odd}"),
            14 => format!("{w}.{}({v})", self.rng.pick(&["min", "max"])),
            _ => format!("({w} as {through}).wrapping_sub({few}) as {ty}"),
        }
    }

    /// `let k = i - j; let m = k + 3 + l; i = k + 2 * l;`, from small values in few iterations.
    fn chained(&mut self) {
        let ty = *self.rng.pick(&["usize", "i32", "i64", "isize"]);
        let names: Vec<String> = (0..3).map(|_| self.name("i")).collect();
        for name in &names {
            let start = self.rng.below(9);
            self.line(format!("let mut {name}: {ty} = {start};"));
        }
        // Each of up to five sums makes three of one, at most.
        let most = if ty == "i32" { 3 } else { 5 };
        let n = self.rng.between(1, most);
        self.in_loop(&format!("for _ in 0..{n} "), |w| {
            let mut all = names.clone();
            for _ in 0..w.rng.between(0, 2) {
                let (k, sum) = (w.name("k"), w.linear(&all, ty));
                w.line(format!("let {k} = {sum};"));
                all.push(k);
            }
            for _ in 0..w.rng.between(1, 3) {
                let (to, sum) = (w.rng.pick(&names).clone(), w.linear(&all, ty));
                w.line(format!("{to} = {sum};"));
                w.use_of(&to);
            }
            w.some_statements(2);
        });
    }

    fn linear(&mut self, names: &[String], ty: &str) -> String {
        let (a, b) = (self.rng.pick(names).clone(), self.rng.pick(names).clone());
        let few = self.rng.between(1, 4);
        let sign = if ty == "usize" { "+" } else { "-" };
        match self.rng.below(5) {
            0 => format!("{a} {sign} {b}"),
            1 => format!("{a} + {few} {sign} {b}"),
            2 => format!("{a} + 2 * {b}"),
            3 => format!("{few} {sign} {a}"),
            _ => format!("{a} + {few}"),
        }
    }

    /// Steps of the elements of an array, at literal positions and others, and sums of two of them.
    fn tallied(&mut self) {
        let (ty, t, i) = (*self.rng.pick(&TYPES), self.name("t"), self.name("i"));
        let starts: Vec<String> = (0..3)
            .map(|_| match self.rng.below(3) {
                0 => format!("{ty}::MAX - {MARGIN}"),
                _ => (MARGIN + self.rng.below(9)).to_string(),
            })
            .collect();
        self.line(format!("let mut {t}: [{ty}; 3] = [{}];", starts.join(", ")));
        let n = self.rng.between(1, 5);
        self.in_loop(&format!("for {i} in 0..{n}usize "), |w| {
            for _ in 0..w.rng.between(1, 3) {
                let [at, other] = [0, 1].map(|_| match w.rng.below(4) {
                    0 => format!("{i} % 3"),
                    1 => format!("{t}[{}] as usize % 3", w.rng.below(3)),
                    _ => w.rng.below(3).to_string(),
                });
                w.use_of(&format!("{t}[{at}]"));
                let (name, by) = (*w.rng.pick(&["add", "sub"]), w.rng.between(1, 2));
                let step = match w.rng.below(5) {
                    0 => format!("{t}[{at}] = {t}[{at}].wrapping_add({t}[{other}]);"),
                    1 => format!("{t}[{at}] = {t}[{other}].wrapping_sub({t}[{at}]);"),
                    2 => format!("{t}[{at}] = {t}[{at}].rotate_left({by}) ^ {t}[{other}];"),
                    _ => format!("{t}[{at}] = {t}[{at}].wrapping_{name}({by});"),
                };
                w.line(step);
            }
            w.some_statements(2);
        });
    }

    /// A `while` with a counter of any type, in either direction, that may end at a limit of the type. How often it ran
    /// is the trip count of another loop.
    fn counted_by_any(&mut self) {
        let ty = *self.rng.pick(&TYPES);
        let (k, c) = (self.name("k"), self.name("c"));
        let (by, trips) = (self.rng.between(1, 3), self.rng.below(6));
        let far = by * trips;
        let up = self.rng.chance(60);
        let (start, bound) = match (up, self.rng.chance(50)) {
            (true, true) => (format!("{ty}::MAX - {far}"), format!("{ty}::MAX")),
            (true, false) => ("0".to_string(), far.to_string()),
            (false, true) => (format!("{ty}::MIN + {far}"), format!("{ty}::MIN")),
            (false, false) => ((far + 1).to_string(), "1".to_string()),
        };
        let op = match (self.rng.chance(30), up) {
            (true, _) => "!=",
            (false, true) => "<",
            (false, false) => ">",
        };
        let counted = *self
            .rng
            .pick(&["usize", "usize", "usize", "i64", "u64", "i32", "u8"]);
        let (first, each) = match self.rng.chance(50) {
            true => (0, 1),
            false => (self.rng.below(4), self.rng.between(1, 5)),
        };
        self.line(format!(
            "let (mut {k}, mut {c}): ({ty}, {counted}) = ({start}, {first});"
        ));
        // A real may end it, too.
        let also = match self.some(|v| v.ty == Ty::Real) {
            Some(real) if self.rng.chance(30) => format!(" && {} < 1.2", real.value()),
            _ => String::new(),
        };
        self.block(&format!("while {k} {op} {bound}{also} "), |w| {
            // `continue` would go on without the step.
            let loops = std::mem::take(&mut w.loops);
            w.use_of(&k);
            w.use_of(&c);
            w.some_statements(2);
            w.loops = loops;
            let sign = if up { "+" } else { "-" };
            w.stepped(&k, sign, by);
            w.stepped(&c, "+", each);
        });
        if self.rng.chance(50) {
            self.in_loop(&format!("for _ in 0..{c} "), |w| {
                w.line(format!("{k} = {k}.wrapping_add(1);"));
                w.use_of(&k);
            });
        }
    }

    /// `k += 3`, perhaps in two steps.
    fn stepped(&mut self, k: &str, sign: &str, by: usize) {
        let first = self.rng.below(by + 1);
        let rest = by - first;
        match self.rng.below(4) {
            0 => {
                let t = self.name("t");
                self.line(format!("let {t} = {k} {sign} {first};"));
                self.line(format!("{k} = {t} {sign} {rest};"));
            }
            1 => {
                self.line(format!("{k} {sign}= {first};"));
                self.line(format!("{k} {sign}= {rest};"));
            }
            _ => self.line(format!("{k} {sign}= {by};")),
        }
    }

    /// `at += 1` in the inner loop of a triangle and `row += i` in the outer one; perhaps an offset that each row sets
    /// anew.
    fn carried_through_triangle(&mut self) {
        let [ty, row_ty] = [0, 1].map(|_| *self.rng.pick(&TYPES));
        let (at, row) = (self.induction(ty), self.induction(row_ty));
        let (i, j, n) = (self.name("i"), self.name("j"), self.rng.between(1, 4));
        let until = *self.rng.pick(&["", "="]);
        self.in_loop(&format!("for {i} in 0..{n}usize "), |w| {
            if w.rng.chance(30) {
                w.line(format!("{at} = {MARGIN};"));
            }
            w.in_loop(&format!("for {j} in 0..{until}{i} "), |w| {
                w.know(&j, Ty::Int, Held::Owned, false);
                w.use_of(&at);
                w.use_of(&format!("({row} as usize).wrapping_add({j})"));
                w.some_statements(1);
                let (sign, by) = (*w.rng.pick(&["+", "+", "-"]), w.rng.between(1, 2));
                w.line(format!("{at} {sign}= {by};"));
            });
            match row_ty {
                "usize" => w.line(format!("{row} += {i};")),
                _ => w.line(format!("{row} += {i} as {row_ty};")),
            }
        });
    }

    /// Multiplies a real by the element of a sequence that the integer selects.
    fn use_of(&mut self, integer: &str) {
        let (Some(list), Some(to)) = (
            self.some(|v| v.ty.is_reals()),
            self.some_written(|v| v.ty == Ty::Real),
        ) else {
            return;
        };
        let (list, to) = (list.name, to.value());
        if to.starts_with(&list) {
            return;
        }
        let index = format!("{integer} as usize % {list}.len()");
        let value = match self.rng.below(3) {
            0 => format!("{to} *= 0.5 + 0.5 * {list}[{index}];"),
            1 => format!("{to} += 0.2 * {list}[{index}] * {list}[{index}];"),
            _ => format!("{to} = 0.5 * {to} - 0.3 * {list}[{index}] * {to};"),
        };
        self.block(&format!("if !{list}.is_empty() "), |w| w.line(value));
    }
}
