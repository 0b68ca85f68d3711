//! Jacobians without sweeps: of random functions, against dual numbers.

use std::fmt::Write;

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse;
use adjoint_analysis::gen_program::random::Random;
use adjoint_analysis::interp::{Dual, Module, Value, run};
use adjoint_analysis::ir::construct::usize_lit;
use adjoint_analysis::ir::{Func, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty};
use adjoint_analysis::options::Options;
use adjoint_analysis::passes::flattening::jacobian::DirectJacobian;

const FUNCTIONS: u64 = 300;
const ROWS: usize = 3;
/// `a: &[f64; 4], b: f64, c: &f64`
const INPUTS: usize = 6;

/// A function of these inputs with three outputs, with small arrays and branches.
struct Source<'r> {
    random: &'r mut Random,
    text: String,
    /// The reals that can be read, those that can be written too.
    scope: Vec<(String, bool)>,
    names: usize,
}

fn source(random: &mut Random) -> String {
    let inputs = ["a[0]", "a[1]", "a[2]", "a[3]", "b", "*c"];
    let mut source = Source {
        random,
        text: String::from("fn f(a: &[f64; 4], b: f64, c: &f64) -> [f64; 3] {\n"),
        scope: inputs.map(|name| (name.to_string(), false)).to_vec(),
        names: 0,
    };
    let count = source.random.between(2, 7);
    source.statements(count, 2);
    let [x, y, z] = [(); 3].map(|()| source.expr(2));
    let _ = writeln!(source.text, "[{x}, {y}, {z}]\n}}");
    source.text
}

impl Source<'_> {
    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            match self.random.below(10) {
                0..=2 => self.declaration(),
                3 => self.array(),
                4..=6 => self.assignment(),
                7 if depth > 0 => self.branch(depth - 1),
                8 if depth > 0 => self.repeat(depth - 1),
                _ => self.declaration(),
            }
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn declaration(&mut self) {
        let (value, name) = (self.expr(3), self.name());
        let _ = writeln!(self.text, "let mut {name} = {value};");
        self.scope.push((name, true));
    }

    fn array(&mut self) {
        let (values, name) = ([(); 2].map(|()| self.expr(2)), self.name());
        let _ = writeln!(
            self.text,
            "let mut {name} = [{}, {}];",
            values[0], values[1]
        );
        self.scope
            .extend([0, 1].map(|k| (format!("{name}[{k}]"), true)));
    }

    fn assignment(&mut self) {
        let writable = self.scope.iter().filter(|(_, writable)| *writable);
        let names: Vec<String> = writable.map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            return self.declaration();
        }
        let (value, op) = (
            self.expr(3),
            *self.random.pick(&["=", "=", "+=", "-=", "*="]),
        );
        let name = self.random.pick(&names);
        let _ = writeln!(self.text, "{name} {op} {value};");
    }

    fn branch(&mut self, depth: usize) {
        let [left, right] = [(); 2].map(|()| self.expr(1));
        let _ = writeln!(self.text, "if {left} < {right} {{");
        let outer = self.scope.len();
        let count = self.random.between(1, 3);
        self.statements(count, depth);
        self.scope.truncate(outer);
        if self.random.chance(60) {
            self.text += "} else {\n";
            let count = self.random.between(1, 3);
            self.statements(count, depth);
            self.scope.truncate(outer);
        }
        self.text += "}\n";
    }

    /// Over the elements of the input, or of an array.
    fn repeat(&mut self, depth: usize) {
        let index = self.name();
        let arrays: Vec<String> = self
            .scope
            .iter()
            .filter_map(|(name, _)| Some(name.strip_suffix("[0]")?.to_string()))
            .collect();
        let array = self.random.pick(&arrays).clone();
        let (count, writable) = if array == "a" { (4, false) } else { (2, true) };
        let range = match self.random.below(4) {
            0 => format!("(0..{count}).rev()"),
            1 => format!("1..{count}"),
            2 => format!("0..{array}.len()"),
            _ => format!("0..={}", count - 1),
        };
        let _ = writeln!(self.text, "for {index} in {range} {{");
        let outer = self.scope.len();
        self.scope.push((format!("{array}[{index}]"), writable));
        self.scope
            .push((format!("{array}[{} - {index}]", count - 1), writable));
        if self.random.chance(30) {
            let _ = writeln!(self.text, "if {index} == 1 {{");
            let inner = self.scope.len();
            self.assignment();
            self.scope.truncate(inner);
            self.text += "}\n";
        }
        let count = self.random.between(1, 2);
        self.statements(count, depth);
        self.scope.truncate(outer);
        self.text += "}\n";
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(15) {
            return match self.random.chance(15) {
                true => String::from("1.5"),
                false => self.random.pick(&self.scope).0.clone(),
            };
        }
        let [x, y] = [(); 2].map(|()| self.expr(depth - 1));
        match self.random.below(14) {
            0..=2 => format!("({x} + {y})"),
            3..=4 => format!("({x} - {y})"),
            5..=7 => format!("({x} * {y})"),
            8 => format!("({x} / (2.0 + {y} * {y}))"),
            9 => format!("({x}).sin()"),
            10 => format!("({x}).tanh()"),
            11 => format!("(1.0 + {x} * {x}).sqrt()"),
            12 => format!("({x}).max({y})"),
            _ => format!("-({x}).floor()"),
        }
    }
}

fn analysed(function: &str) -> Analysed {
    let item = syn::parse_str(function).expect("a function");
    let analysed = analyse(&item, &Options::default());
    analysed.unwrap_or_else(|refusals| panic!("{refusals:?}\n{function}"))
}

/// The function with a list behind its parameters for the entries of the Jacobian.
fn with_entries(of: &DirectJacobian) -> Func {
    let mut func = of.func.clone();
    let list = Ty::Slice(Box::new(Ty::F64));
    let jac = func.add_var("jac", list.clone(), Mode::Mut, Origin::Param);
    func.params.push(jac);
    for entry in &of.entries {
        // `a` has four inputs.
        let column = [0, 4, 5][entry.param] + entry.index;
        let at = usize_lit(entry.row * INPUTS + column);
        let place = Place::var(jac, list.clone()).index(at, Ty::F64);
        let kind = StmtKind::Assign(place, entry.value.clone());
        let id = StmtId(0);
        func.body.stmts.push(Stmt { id, kind });
    }
    func
}

/// One argument for each parameter.
fn arguments<N: Copy>(
    x: &[N],
    real: impl Fn(N) -> Value<N>,
    list: impl Fn(&[N]) -> Value<N>,
) -> Vec<Value<N>> {
    vec![list(&x[..4]), real(x[4]), real(x[5])]
}

fn is_right(text: &str, random: &mut Random) -> bool {
    let analysed = analysed(text);
    let func = &analysed.lowered.func;
    let Some(found) = analysed.direct_jacobian() else {
        return false;
    };
    let x: Vec<f64> = (0..INPUTS).map(|_| random.real(-1.5, 1.5)).collect();
    let mut args = arguments(&x, Value::real, Value::reals);
    args.push(Value::reals(&[0.0; ROWS * INPUTS]));
    let module = Module::new([with_entries(&found)]);
    let outcome =
        run::<f64>(&module, &func.name, args).unwrap_or_else(|trap| panic!("{trap}\n{text}"));
    // Sums of huge values have few digits, and the generated code leaves infinite ones to the sweeps.
    if outcome.peak > 1e6 {
        return true;
    }
    let entries = outcome.muts[0].flatten();
    let primal = Module::new([Func {
        body: func.body.clone(),
        ..func.clone()
    }]);
    for column in 0..INPUTS {
        let at = |k: usize, value: f64| Dual::new(value, f64::from(u8::from(k == column)));
        let x: Vec<Dual> = x.iter().enumerate().map(|(k, x)| at(k, *x)).collect();
        let list = |x: &[Dual]| Value::List(x.iter().map(|x| Value::Real(*x)).collect());
        let args = arguments(&x, Value::Real, list);
        let outputs = run(&primal, &func.name, args)
            .expect("a value")
            .ret
            .expect("a value");
        for (row, output) in outputs.flatten().into_iter().enumerate() {
            let entry = entries[row * INPUTS + column];
            let error = (entry - output.slope).abs();
            assert!(
                error <= 1e-9 * (1.0 + output.slope.abs()),
                "row {row}, column {column}: {entry}, not {}\n{text}",
                output.slope
            );
        }
    }
    true
}

#[test]
fn random_functions_have_the_jacobian_of_dual_numbers() {
    let mut direct = 0;
    for seed in 0..FUNCTIONS {
        let random = &mut Random::new(seed);
        let text = source(random);
        direct += u64::from(is_right(&text, random));
    }
    assert!(direct > FUNCTIONS * 3 / 4, "{direct}");
}
