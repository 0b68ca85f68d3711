//! Functions of any length and of several shapes, as text: how the work of the macro grows with them.

use std::fmt::Write;

/// A way to write long functions.
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// Lines in front of the blocks.
    start: &'static str,
    /// One block, where `@` is its number and `#` that of the one before.
    block: &'static str,
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "mixed",
        start: "",
        block: "    let a@ = s * k + x[@ % n];
    let b@ = a@.sin() * a@ - k;
    for j in 0..n {
        let t = x[j] * b@ + y[j];
        y[j] = t.tanh() * k;
        s += t * a@;
    }
    if b@ > 0.0 {
        s = s.abs().sqrt() + b@;
    } else {
        s *= a@;
    }
",
    },
    Shape {
        name: "loops",
        start: "",
        block: "    for a in 0..n {
        for b in 0..a {
            for c in b..n {
                for d in 0..2 {
                    y[c] += x[a] * x[b] * s;
                    s += (y[c] * k).sin();
                }
                y[b] *= s;
            }
        }
        s *= x[a];
    }
",
    },
    Shape {
        name: "branches",
        start: "",
        block: "    if s > x[@ % n] {
        if s > k {
            s = s.sin() * x[@ % n];
        } else if s > 2.0 * k {
            s *= s;
        } else {
            y[@ % n] += s.exp();
        }
    } else if k > 1.0 {
        s = (s * k).cos();
    } else {
        s -= x[@ % n] / s;
    }
",
    },
    Shape {
        name: "variables",
        start: "    let v0 = x[0] * s;\n",
        block: "    let v@ = (v# * x[@ % n] + s).sin();
    let w@ = v@ * v# - v0;
    s += w@ * w@ / v@;
",
    },
    Shape {
        name: "calls",
        start: "",
        block: "    let a@ = callee(s, k);
    s += callee(a@ * x[@ % n], s);
    fill(x, y, a@);
",
    },
];

impl Shape {
    /// A function of about this many lines.
    pub fn function(&self, name: &str, lines: usize) -> String {
        let mut text = format!("fn {name}(x: &[f64], y: &mut [f64], k: f64) -> f64 {{\n");
        text.push_str("    let n = x.len();\n    let mut s = k;\n");
        text.push_str(self.start);
        let blocks = (lines - 5) / self.block.lines().count();
        for i in 1..=blocks {
            let block = self.block.replace('@', &i.to_string());
            text.push_str(&block.replace('#', &(i - 1).to_string()));
        }
        for i in text.lines().count()..lines - 2 {
            let _ = writeln!(text, "    s += x[{i} % n] * k;");
        }
        text.push_str("    s\n}\n");
        text
    }
}
