//! The kernels of the façade's tests, as the macro lowers them, against dual numbers: the plan of each
//! one that the interpreter can run is judged as a random program is. What the analyses save of the tape
//! is in `docs/generated/tape.md`.

mod common;

use adjoint_analysis::expand::find::{AnnotatedFn, functions};
use adjoint_analysis::gen_program::oracle::check;
use adjoint_analysis::gen_program::{Program, random::Random};
use std::collections::BTreeMap;
use std::fmt::Write as _;

use adjoint_analysis::interp::{Module, PlanOutcome, Value, run, run_plan};
use adjoint_analysis::ir::{Caller, Func, IntTy, Mode, Ty};
use adjoint_analysis::lower::lower;
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::build::Config;
use adjoint_analysis::plan::fusion::LONGEST_STRIP;
use adjoint_analysis::plan::preaccumulation::Preaccumulation;
use adjoint_analysis::testing::plan_module;
use expect_test::expect_file;

/// The annotated functions of a file that lower by themselves, but for those that share a name: a call
/// in the module would not say which one is meant.
fn lowered(file: &syn::File) -> Module {
    let found = functions(file);
    let name = |f: &AnnotatedFn| f.item.sig.ident.to_string();
    let alone = |f: &&AnnotatedFn| found.iter().filter(|g| name(g) == name(f)).count() == 1;
    Module::new(found.iter().filter(alone).filter_map(|f| {
        let lowered = lower(&f.item.sig, &f.item.block, &f.env).ok()?;
        Some(lowered.func)
    }))
}

/// An argument of the type: reals near one, sequences of six, small integers.
fn argument(ty: &Ty, rng: &mut Random) -> Option<Value<f64>> {
    let many = |n: usize, t: &Ty, rng: &mut Random| {
        let items = (0..n)
            .map(|_| argument(t, rng))
            .collect::<Option<Vec<_>>>()?;
        Some(Value::List(items))
    };
    match ty {
        Ty::Float(_) => Some(Value::real(rng.real(0.4, 1.6))),
        Ty::Int(IntTy::Usize) => Some(Value::usize(3)),
        Ty::Bool => Some(Value::Bool(rng.chance(50))),
        Ty::Array(t, n) => many(n.parse().ok()?, t, rng),
        Ty::Slice(t) | Ty::Vec(t) => many(6, t, rng),
        _ => None,
    }
}

/// A program that calls the function, if it runs on arguments made up for it.
fn program(module: &Module, func: &Func, seed: u64) -> Option<Program> {
    // A type that only rustc knows is nothing to an interpreter.
    if func.vars.iter().any(|v| matches!(v.ty, Ty::Unknown)) {
        return None;
    }
    let mut rng = Random::new(seed);
    let types = func.params.iter().map(|p| func.var(*p).ty.clone());
    let inputs = types
        .map(|ty| argument(&ty, &mut rng))
        .collect::<Option<Vec<_>>>()?;
    let outcome = run(module, &func.name, inputs.clone()).ok()?;
    let results = outcome.ret.iter().chain(&outcome.muts);
    // Made-up arguments may lie outside of a kernel's domain.
    let finite = results.flat_map(|v| v.flatten()).all(f64::is_finite);
    finite.then(|| Program {
        module: module.clone(),
        entry: func.name.clone(),
        inputs,
    })
}

#[test]
fn plans_of_real_kernels_have_the_derivatives_of_dual_numbers() {
    let mut judged = 0;
    for (name, file) in common::test_files() {
        let module = lowered(&file);
        let plans = plan_module(&module, Config::default());
        for (k, func) in module.funcs.values().enumerate() {
            let Some(program) = program(&module, func, k as u64) else {
                continue;
            };
            if let Err(fault) = check(&program, &plans, k as u64) {
                panic!("{} in {}: {fault}\n{func}", func.name, name);
            }
            judged += 1;
        }
    }
    assert!(judged >= 80, "{judged} kernels");
}

/// Without the analyses that make a tape smaller.
const WITHOUT: Config = Config {
    activity: false,
    tbr: false,
    recomputation: false,
    inversion: false,
    simplification: true,
    motion: true,
    distribution: true,
    flattening: false,
    preaccumulation: Preaccumulation::Off,
    fusion: Some(LONGEST_STRIP),
};

/// The analyses, one switched on after the other.
const STEPS: [Config; 7] = {
    let activity = Config {
        activity: true,
        ..WITHOUT
    };
    let tbr = Config {
        tbr: true,
        ..activity
    };
    let recomputation = Config {
        recomputation: true,
        ..tbr
    };
    let inversion = Config {
        inversion: true,
        ..recomputation
    };
    let flattening = Config {
        flattening: true,
        ..inversion
    };
    let preaccumulation = Config {
        preaccumulation: Preaccumulation::WherePaying,
        ..flattening
    };
    [
        WITHOUT,
        activity,
        tbr,
        recomputation,
        inversion,
        flattening,
        preaccumulation,
    ]
};

/// The bytes of a real.
const ONE_REAL: usize = 8;

const HEAD: &str = "\
# What the analyses save

The bytes that the forward sweep of each kernel in `tests/` writes on the tape: with all analyses off,
with activity analysis, with to-be-recorded analysis too, with recomputation too, with inversion too, and with preaccumulation too. The inputs are made
up (sequences of six reals, integers of 3); a flag counts as an eighth of a byte, a label as two flags,
rounded up in the sum. A kernel is left out that the interpreter cannot run on them. A test makes this
page, and sees that the gradients are the same and that no analysis writes more than is written without
it. Recomputation may, by one real at most: where a callee computes a value again from its argument, the
caller records that, also for a way through the callee on which it is not read. Inversion may, too: it stores what a
variable holds in the end, where without it each iteration stores it, of which there may be none.

```text
UPDATE_EXPECT=1 cargo test -p adjoint-analysis --features testing --test kernels
```
";

#[test]
fn no_analysis_makes_a_tape_larger_or_changes_a_gradient() {
    let mut page = HEAD.to_string();
    for (name, file) in common::test_files() {
        let module = lowered(&file);
        let plans = STEPS.map(|config| plan_module(&module, config));
        let mut rows = String::new();
        for (k, func) in module.funcs.values().enumerate() {
            let Some(program) = program(&module, func, k as u64) else {
                continue;
            };
            let runs = plans.each_ref().map(|plans| outermost(&program, plans));
            for (run, config) in runs.iter().zip(STEPS).skip(1) {
                same_gradients(&runs[0], run, &format!("{} with {config:?}", func.name));
            }
            let bytes = runs.each_ref().map(bytes);
            let [
                off,
                activity,
                tbr,
                recomputation,
                inversion,
                flattening,
                preaccumulation,
            ] = bytes;
            assert!(
                off >= activity && activity >= tbr,
                "{}: {bytes:?}",
                func.name
            );
            assert!(recomputation <= tbr + ONE_REAL, "{}: {bytes:?}", func.name);
            assert!(
                inversion <= recomputation + 2 * ONE_REAL,
                "{}: {bytes:?}",
                func.name
            );
            assert!(flattening <= inversion, "{}: {bytes:?}", func.name);
            assert!(preaccumulation <= flattening, "{}: {bytes:?}", func.name);
            writeln!(
                rows,
                "| `{}` | {off} | {activity} | {tbr} | {recomputation} | {inversion} | {flattening} | {preaccumulation} |",
                func.name
            )
            .expect("a string");
        }
        if !rows.is_empty() {
            write!(
                page,
                "\n## tests/{name}\n\n| kernel | off | activity | TBR | recomputation | inversion | flattening | preaccumulation |\n\
                 | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n{rows}"
            )
            .expect("a string");
        }
    }
    expect_file!["../../docs/generated/tape.md"].assert_eq(&page);
}

/// The sweeps of an outermost call with all seeds one, in the shapes of what comes out.
fn outermost(program: &Program, plans: &BTreeMap<String, Plan>) -> PlanOutcome {
    let func = &program.module.funcs[&program.entry];
    let primal = run(&program.module, &program.entry, program.inputs.clone());
    let primal = primal.expect("a program that runs");
    let ones = |v: &Value<f64>| v.map_reals(&mut |_| 1.0);
    let mut muts = primal.muts.iter();
    let params = func.params.iter().zip(&program.inputs);
    let seeds = params.map(|(p, input)| match func.var(*p).mode {
        Mode::Mut => muts.next().map(ones),
        _ => Some(ones(input)),
    });
    run_plan(
        plans,
        &program.entry,
        program.inputs.clone(),
        seeds.collect(),
        primal.ret.as_ref().map(ones),
        Caller::OUTERMOST,
    )
    .expect("sweeps that run")
}

fn bytes(run: &PlanOutcome) -> usize {
    let eighths = run.pushed.iter().map(|(stack, count)| match &stack[..] {
        "flag" | "bool" => *count,
        "label" => 2 * count,
        "u8" | "i8" => 8 * count,
        "f32" | "u32" | "i32" | "char" => 32 * count,
        _ => 64 * count,
    });
    eighths.sum::<usize>().div_ceil(8)
}

fn same_gradients(a: &PlanOutcome, b: &PlanOutcome, what: &str) {
    let reals = |run: &PlanOutcome| -> Vec<f64> {
        let given = run.adjoints.iter().flatten();
        given.flat_map(|v| v.flatten()).collect()
    };
    let (a, b) = (reals(a), reals(b));
    assert_eq!(a.len(), b.len(), "{what}");
    for (x, y) in a.iter().zip(&b) {
        let near = (x - y).abs() <= 1e-12 * x.abs().max(1.0);
        assert!(near || x.to_bits() == y.to_bits(), "{what}: {x} and {y}");
    }
}
