//! Programs that random tests found: the checker takes their plans for all options, and their gradients are right.

use adjoint_analysis::gen_program::{Program, oracle};
use adjoint_analysis::interp::{Module, Value};
use adjoint_analysis::ir::IntTy;
use adjoint_analysis::testing::{all_configs, plan_module};
use adjoint_analysis::text::parse;

/// Judges a program of functions, the last of which is its entry.
fn judge<const N: usize>(functions: [&str; N], inputs: Vec<Value>) {
    let functions = functions.map(|text| parse::func(text).expect("a function"));
    let program = Program {
        entry: functions[N - 1].name.clone(),
        module: Module::new(functions),
        inputs,
    };
    for config in all_configs() {
        let planner = |module: &Module| plan_module(module, config);
        let judged = oracle::judge(&program, &planner, 1);
        assert!(judged.is_ok(), "{config:?}: {}", judged.unwrap_err());
    }
}

fn reals<const N: usize>(values: [f64; N]) -> Value {
    Value::List(values.map(Value::real).into())
}

/// A step that runs again may lend what no snapshot holds, since the callee does not look at it: it is blank there.
#[test]
fn what_a_callee_does_not_look_at_is_lent_blank() {
    let callee = "fn callee(n, y) -> ret {
        var n: &mut usize;
        var y: &mut Option<f64>;
        var ret: f64;
      }
      {
        #0 n = n + 1usize;
        #1 ret = 2.0f64;
      }";
    let caller = "fn caller(x) -> ret {
        var x: f64;
        var ret: f64;
        var a: usize;
        var lent: Option<f64>;
        var r: f64;
      }
      {
        #0 let a = 0usize;
        #1 let lent = variant::Some(0: x):{Option<f64>};
        #2 ret = x;
        #3 while a < 3usize {
          #4 let r = call callee(&mut a, &mut lent);
          #5 ret = sin(ret * r);
        } checkpoint 2usize
      }";
    judge([callee, caller], vec![Value::real(0.3)]);
}

/// Steps overwrite an integer, before they read it, with the number that it has in front of their loop.
#[test]
fn a_step_writes_what_was_there_before() {
    let function = "fn f1(y) -> ret {
          var y: &mut f64;
          var ret: f64;
          var v: i32;
          var v_2: i32;
          var a: [f64; 2];
          var i: usize;
        }
        {
          #0 ret = 0.5f64;
          #1 let v = 4usize as i32;
          #2 let v_2 = 2i32;
          #3 let a = [0.5f64; 2usize]:{[f64; 2]};
          #4 for i in 0usize..2usize {
            #5 v = pure::wrapping_add(v_2, v_2):{i32};
            #6 y += a[pure::rem_euclid(v, 2i32):{i32} as usize];
          } checkpoint 2usize
        }";
    judge([function], vec![Value::real(-1.0)]);
}

/// An argument is computed from an array without a value where no callee looks at either: the length is in the type.
#[test]
fn the_length_of_an_array_needs_no_value() {
    let callee = "fn f0(y, y_2) {
          var y: &mut [f64];
          var y_2: &mut [f64];
        }
        {
        }";
    let caller = "fn f1(x, depth) -> ret {
          var x: &[f64; 3];
          var depth: usize;
          var ret: (f64, f64);
          var a: [f64; 4];
          var a_2: [f64; 2];
          var a_3: [f64; 3];
          var r: (f64, f64);
        }
        {
          #0 ret = [1.0f64, 1.0f64]:{(f64, f64)};
          #1 let a = [1.0f64; 4usize]:{[f64; 4]};
          #2 let a_2 = [1.0f64; 2usize]:{[f64; 2]};
          #3 call f0(&mut a, &mut a_2);
          #4 if depth > 0usize {
            #5 let a_3 = [1.0f64, 0.0f64, signum(a.tail(0usize)[0usize % len(a.tail(0usize))])]:{[f64; 3]};
            #6 let r = call f1(&a_3, 0usize);
          }
        }";
    judge(
        [callee, caller],
        vec![reals([-0.4, -1.7, 1.7]), Value::Int(IntTy::Usize, 2)],
    );
}

/// What a fused loop overwrites is recorded in front of it.
#[test]
fn a_record_in_front_of_a_fused_loop_stays_there() {
    let function = "fn f0(x, x_2) -> ret {
          var x: &[[f64; 2]; 2];
          var x_2: &[f64];
          var ret: f64;
          var p: (f64, f64);
          var i: i64;
        }
        {
          #0 let p = [1.0f64, 1.0f64]:{(f64, f64)};
          #1 for i in 3i64..=1i64 rev {
            #2 p = [1.0f64, cos(cos(x_2[0usize]))]:{(f64, f64)};
          }
          #3 ret = 1.0f64;
        }";
    judge(
        [function],
        vec![
            Value::List(vec![reals([0.2, 0.5]), reals([0.2, 0.5])]),
            reals([]),
        ],
    );
}

/// A copy of a tuple has its constant fields: a gradient needs no partial by what is computed from these.
#[test]
fn a_constant_field_stays_constant_in_a_copy() {
    let callee = "fn f0(x) -> ret {
          var x: [f64; 3];
          var ret: (f64, f64);
        }
        {
          #0 ret = [x[1usize], 1.0f64]:{(f64, f64)};
          #1 ret.1 += 1.0f64;
        }";
    let caller = "fn f1(x) -> ret {
          var x: &[f64];
          var ret: f64;
          var t: f64;
          var r: (f64, f64);
        }
        {
          #0 let t = 1.0f64;
          #1 if len(x) > 1usize {
            #2 let r = call f0([x[0usize]; 3usize]:{[f64; 3]});
            #3 t += r.1;
          }
          #4 ret = t + 1.0f64 * x[1usize];
        }";
    judge([callee, caller], vec![reals([0.9, -1.2])]);
}
