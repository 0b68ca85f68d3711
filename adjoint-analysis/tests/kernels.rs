//! The kernels of the façade's tests, as the macro lowers them, against dual numbers: the plan of each
//! one that the interpreter can run is judged as a random program is.

mod common;

use adjoint_analysis::expand::find::functions;
use adjoint_analysis::gen_program::oracle::check;
use adjoint_analysis::gen_program::{Program, random::Random};
use adjoint_analysis::interp::{Module, Value, run};
use adjoint_analysis::ir::{Func, IntTy, Ty};
use adjoint_analysis::lower::lower;
use adjoint_analysis::plan::build::Config;
use adjoint_analysis::testing::plan_module;

/// The annotated functions of a file that lower by themselves.
fn lowered(file: &syn::File) -> Module {
    let found = functions(file);
    Module::new(found.iter().filter_map(|f| {
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
