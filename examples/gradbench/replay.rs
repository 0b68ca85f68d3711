//! Evaluations with their outputs, as GradBench has them, against those of the tool: see `cases/README.md`.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::session::Session;

#[derive(Deserialize)]
struct Case {
    module: String,
    description: Option<String>,
    input: Value,
    outputs: serde_json::Map<String, Value>,
}

/// The largest relative error of a number.
const TOLERANCE: f64 = 1e-9;

/// Runs all functions of the cases twice, the second time on what the first one leaves in buffers and on the tape.
fn replay(cases: &str) {
    let mut session = Session::default();
    for line in cases.lines() {
        let Case {
            module,
            description,
            mut input,
            outputs,
        } = serde_json::from_str(line).unwrap();
        if let Some(input) = input.as_object_mut() {
            input.insert("min_runs".into(), json!(2));
            input.insert("min_seconds".into(), json!(0.0));
        }
        for (function, expected) in outputs {
            let name = format!("{module}::{function} of {description:?}");
            let response = respond(
                &mut session,
                json!({ "id": 7, "kind": "evaluate", "module": module, "function": function, "input": input }),
            );
            assert_eq!(response["success"], true, "{name}: {}", response["error"]);
            let wrong = differences(&response["output"], &expected);
            assert_eq!(wrong, Vec::<String>::new(), "{name}");
        }
    }
}

fn respond(session: &mut Session, message: Value) -> Value {
    session.respond(serde_json::from_value(message).unwrap())
}

/// Where two values differ, by the path that leads there.
fn differences(found: &Value, expected: &Value) -> Vec<String> {
    let mut pairs = vec![(String::new(), found, expected)];
    let mut differences = Vec::new();
    while let Some((path, found, expected)) = pairs.pop() {
        match (found, expected) {
            (Value::Array(f), Value::Array(e)) if f.len() == e.len() => {
                let items = f.iter().zip(e).enumerate();
                pairs.extend(items.map(|(i, (f, e))| (format!("{path}/{i}"), f, e)));
            }
            (Value::Object(f), Value::Object(e)) if f.keys().eq(e.keys()) => {
                let items = f.iter().zip(e.values());
                pairs.extend(items.map(|((key, f), e)| (format!("{path}/{key}"), f, e)));
            }
            _ => {
                let close = match (found.as_f64(), expected.as_f64()) {
                    (Some(f), Some(e)) => (f - e).abs() <= TOLERANCE * e.abs(),
                    _ => found == expected,
                };
                if !close {
                    differences.push(format!("{path}: {found:.60} for {expected:.60}"));
                }
            }
        }
    }
    differences
}

macro_rules! replays {
    ($($module:ident),*) => {$(
        #[test]
        fn $module() {
            replay(include_str!(concat!("cases/", stringify!($module), ".jsonl")));
        }
    )*};
}

replays!(hello, gmm, ba, lstm, ht, ode, lse, llsq, det);

/// A point on a corner of a triangle is on a vertex.
#[test]
fn vertices_are_corners() {
    let case: Case = serde_json::from_str(include_str!("cases/ht.jsonl")).unwrap();
    let mut triangles = case.input;
    triangles["min_seconds"] = json!(0.0);
    let mut vertices = triangles.clone();
    vertices["us"] = json!([]);
    for us in triangles["us"].as_array_mut().unwrap() {
        *us = json!([1.0, 0.0]);
    }
    let data = &mut vertices["data"];
    let corners = data["model"]["triangles"].clone();
    for at in data["correspondences"].as_array_mut().unwrap() {
        *at = corners[at.as_u64().unwrap() as usize][0].clone();
    }
    let mut outputs = [triangles, vertices].map(|input| {
        ["objective", "jacobian"].map(|function| {
            let message = json!({ "id": 1, "kind": "evaluate", "module": "ht", "function": function, "input": input });
            respond(&mut Session::default(), message)["output"].take()
        })
    });
    // Without the columns of barycentric coordinates.
    for row in outputs[0][1].as_array_mut().unwrap() {
        row.as_array_mut().unwrap().drain(..2);
    }
    let [[errors, jacobian], [expected_errors, expected_jacobian]] = &outputs;
    assert_eq!(errors.as_array().unwrap().len(), 15);
    assert_eq!(differences(errors, expected_errors), Vec::<String>::new());
    assert_eq!(
        differences(jacobian, expected_jacobian),
        Vec::<String>::new()
    );
}

#[test]
fn messages() {
    let mut session = Session::default();
    let mut respond = |message| respond(&mut session, message);
    assert_eq!(
        respond(json!({ "id": 0, "kind": "start", "eval": "gmm", "config": {} })),
        json!({ "id": 0, "tool": "adjoint" })
    );
    for (module, success) in [("gmm", true), ("kmeans", false), ("saddle", false)] {
        assert_eq!(
            respond(json!({ "id": 1, "kind": "define", "module": module })),
            json!({ "id": 1, "success": success })
        );
    }
    assert_eq!(
        respond(json!({ "id": 2, "kind": "analysis", "of": 1, "valid": true })),
        json!({ "id": 2 })
    );
    assert_eq!(
        respond(
            json!({ "id": 3, "kind": "evaluate", "module": "lse", "function": "cost", "input": {} })
        ),
        json!({ "id": 3, "success": false, "error": "there is no function `cost`" })
    );
}

#[test]
fn runs() {
    let timings = |min_runs, min_seconds: f64| {
        let input = json!({ "x": [0.5, 1.5], "min_runs": min_runs, "min_seconds": min_seconds });
        let message = json!({ "id": 2, "kind": "evaluate", "module": "lse", "function": "gradient", "input": input });
        let response = respond(&mut Session::default(), message);
        let mut timings = response["timings"].as_array().unwrap().clone();
        assert_eq!(timings.remove(0)["name"], "prepare");
        assert!(timings.iter().all(|timing| timing["name"] == "evaluate"));
        let nanoseconds = timings.iter().map(|t| t["nanoseconds"].as_u64().unwrap());
        (timings.len(), nanoseconds.sum::<u64>())
    };
    assert_eq!(timings(3, 0.0).0, 3);
    assert!(timings(1, 1e-3).1 >= 1_000_000);
}
