//! Random Rust sources full of ways out (labels, early returns, `match`, `let else`, `while let`), as the
//! macro lowers them, against dual numbers.

use adjoint_analysis::gen_program::oracle::check;
use adjoint_analysis::gen_program::{Program, random::Random};
use adjoint_analysis::interp::{Module, Value, run};
use adjoint_analysis::lower::{Environment, lower};
use adjoint_analysis::testing::{all_configs, plan_module};

/// How many sources are drawn.
const SOURCES: u64 = 1_200;

/// Elements of the slices.
const LENGTH: usize = 6;

/// Draws the text of a function.
struct Writer {
    rng: Random,
    text: String,
    /// The labels around, and whether each is that of a loop.
    labels: Vec<(String, bool)>,
    names: usize,
    /// Statements that may still be drawn.
    budget: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn real(&mut self) -> String {
        let all = [
            "(0.7 * s + x[k % 6]).sin()",
            "s * t + 0.3",
            "(t - 0.5 * x[(k + 1) % 6]).cos() * s",
            "x[k % 6] * y[(k + 2) % 6]",
            "0.5 * y[k % 6] - s * s * 0.2",
        ];
        self.rng.pick(&all).to_string()
    }

    fn condition(&mut self) -> String {
        let all = [
            "s > 0.1",
            "k % 3 == 1",
            "t < s",
            "k > 2 && s < 0.5",
            "k == 0 || y[k % 6] > 0.2",
            "!(t > 0.0)",
        ];
        self.rng.pick(&all).to_string()
    }

    fn block(&mut self, depth: usize) {
        let count = self.rng.between(1, 3);
        for _ in 0..count {
            if self.budget > 0 {
                self.budget -= 1;
                self.statement(depth);
            }
        }
    }

    /// A way out of what is around.
    fn exit(&mut self) -> String {
        if self.labels.is_empty() || self.rng.chance(15) {
            return String::from("return s * t;");
        }
        let (label, is_loop) = self.rng.pick(&self.labels).clone();
        match is_loop && self.rng.chance(50) {
            true => format!("continue {label};"),
            false => format!("break {label};"),
        }
    }

    fn statement(&mut self, depth: usize) {
        let choice = self.rng.below(if depth == 0 { 6 } else { 12 });
        match choice {
            0 | 1 => {
                let target = *self.rng.pick(&["s", "t", "y[k % 6]"]);
                let value = self.real();
                self.line(&format!("{target} = {value};"));
            }
            2 => self.line("k = (k * 3 + 1) % 7;"),
            3 | 4 => {
                let condition = self.condition();
                self.line(&format!("if {condition} {{"));
                self.block(0);
                let exit = self.exit();
                self.line(&format!("{exit} }}"));
            }
            5 => {
                let (j, exit) = (self.name("j"), self.exit());
                self.line(&format!(
                    "let Some({j}) = (k > 1).then(|| k - 2) else {{ s = s * 0.5; {exit} }};"
                ));
                self.line(&format!("y[{j} % 6] = s + 0.1 * y[{j} % 6];"));
            }
            6 | 7 => self.branches(depth - 1),
            8 => self.arms(depth - 1),
            9 => {
                let label = self.name("'b");
                self.labels.push((label.clone(), false));
                self.line(&format!("{label}: {{"));
                self.block(depth - 1);
                self.line("}");
                self.labels.pop();
            }
            _ => self.repeat(depth - 1),
        }
    }

    fn branches(&mut self, depth: usize) {
        let condition = self.condition();
        self.line(&format!("if {condition} {{"));
        self.block(depth);
        while self.rng.chance(40) {
            let condition = self.condition();
            self.line(&format!("}} else if {condition} {{"));
            self.block(depth);
        }
        self.line("} else {");
        self.block(depth);
        self.line("}");
    }

    fn arms(&mut self, depth: usize) {
        self.line("match k % 4 {");
        for pattern in ["0 => {", "1 | 2 if s > 0.0 => {", "2..=3 => {", "_ => {"] {
            self.line(pattern);
            self.block(depth);
            if self.rng.chance(25) {
                let exit = self.exit();
                self.line(&exit);
            }
            self.line("}");
        }
        self.line("}");
    }

    fn repeat(&mut self, depth: usize) {
        let (label, c) = (self.name("'l"), self.name("c"));
        let head = match self.rng.below(5) {
            0 => format!("{label}: for {c} in 0..3 {{ k = (k + {c}) % 5;"),
            1 => format!("let mut {c} = 0; {label}: while {c} < 3 {{ {c} += 1;"),
            2 => format!("let mut {c} = 4; {label}: while {c} >= 2 {{ {c} -= 1;"),
            3 => format!(
                "let mut {c} = Some(3usize); {label}: while let Some(at) = {c} \
                 {{ {c} = if at > 0 {{ Some(at - 1) }} else {{ None }}; k = at;"
            ),
            _ => format!("let mut {c} = 0; {label}: loop {{ {c} += 1; if {c} > 3 {{ break; }}"),
        };
        self.line(&head);
        self.labels.push((label, true));
        self.block(depth);
        self.labels.pop();
        self.line("}");
    }
}

fn source(seed: u64) -> String {
    let mut writer = Writer {
        rng: Random::new(seed),
        text: String::new(),
        labels: Vec::new(),
        names: 0,
        budget: 14,
    };
    writer.line("fn f(x: &[f64], y: &mut [f64], n: usize) -> f64 {");
    writer.line("let (mut s, mut t, mut k) = (0.5, 0.25, n);");
    for _ in 0..3 {
        writer.block(3);
    }
    writer.line("s + t * y[0] }");
    writer.text
}

#[test]
fn sources_with_all_ways_out_have_the_derivatives_of_dual_numbers() {
    let configs = all_configs();
    let mut judged = 0;
    for seed in 0..SOURCES {
        let text = source(seed);
        let item: syn::ItemFn = syn::parse_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let lowered = match lower(&item.sig, &item.block, &Environment::default()) {
            Ok(lowered) => lowered,
            Err(refused) => panic!("{:?}\n{text}", refused.first().map(|r| &r.reason)),
        };
        let module = Module::new([lowered.func]);
        let mut rng = Random::new(seed);
        let reals = |rng: &mut Random| {
            let all = (0..LENGTH).map(|_| Value::real(rng.real(-1.0, 1.0)));
            Value::List(all.collect())
        };
        let inputs = vec![
            reals(&mut rng),
            reals(&mut rng),
            Value::usize(seed as usize % 5),
        ];
        let outcome = run(&module, "f", inputs.clone()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let results = outcome.ret.iter().chain(&outcome.muts);
        // A value that overflows has no derivative to compare.
        if !results.flat_map(|v| v.flatten()).all(f64::is_finite) {
            continue;
        }
        let program = Program {
            module,
            entry: String::from("f"),
            inputs,
        };
        let config = configs[seed as usize % configs.len()];
        let plans = plan_module(&program.module, config);
        if let Err(fault) = check(&program, &plans, seed) {
            panic!(
                "seed {seed}: {fault}\n{text}\n{}",
                program.module.funcs["f"]
            );
        }
        judged += 1;
    }
    assert!(judged > SOURCES - SOURCES / 100, "{judged} sources");
}
