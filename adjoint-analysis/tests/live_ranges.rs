//! The values that go by way of memory behind an inner loop of the forward sweep.

use adjoint_analysis::expand::expand;

/// The variables whose live ranges are split, in the order of the code, each once.
fn split(function: &str) -> Vec<String> {
    let code = expand(Default::default(), function.parse().unwrap()).to_string();
    let mut found = Vec::new();
    for (at, call) in code.match_indices("by_memory (") {
        let name: String = code[at + call.len()..]
            .chars()
            .take_while(|c| *c != ')')
            .collect();
        let name = name.trim().to_owned();
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[test]
fn a_sum_that_is_needed_behind_a_frame_is_split() {
    let function = "fn f(a: &[f64], q: &mut [f64], n: usize) {
        for j in 0..n {
            let mut dot = 0.0;
            let mut unused = 0.0;
            for i in 0..n {
                dot += a[j * n + i] * q[i];
                unused += a[i];
            }
            for i in 0..n {
                q[i] = (dot * q[i]).sin();
            }
        }
    }";
    assert_eq!(split(function)[0], "dot");
}

#[test]
fn a_sum_from_further_out_is_split() {
    let function = "fn f(x: &[f64], n: usize) -> f64 {
        let (mut sum, mut last) = (0.0, 1.0);
        for j in 0..n {
            last = (last * x[j]).sin();
            for i in 0..n {
                sum += x[i] * last;
            }
        }
        sum
    }";
    assert!(split(function).contains(&String::from("sum")));
}

#[test]
fn without_a_tape_nothing_is_split() {
    let function = "fn f(x: &[f64], n: usize) -> f64 {
        let mut sum = 0.0;
        for j in 0..n {
            let mut row = 0.0;
            for i in 0..n {
                row += x[i + j];
            }
            sum += 2.0 * row;
        }
        sum
    }";
    assert_eq!(split(function), [""; 0]);
}

/// A compiler moves the product behind the growth, next to its use.
#[test]
fn what_is_used_up_before_the_tape_grows_is_split_as_well() {
    let function = "fn f(x: &[f64], n: usize) -> f64 {
        let mut scale = 0.0;
        for i in 0..n {
            scale += x[i];
        }
        let mut sum = 2.0 * scale;
        for i in 0..n {
            let t = x[i].sin().exp();
            sum += t * t;
        }
        sum
    }";
    assert!(split(function).contains(&String::from("scale")));
}

/// The calls of `by_memory`, of this variable.
fn splits_of(variable: &str, function: &str) -> usize {
    let code = expand(Default::default(), function.parse().unwrap()).to_string();
    code.matches(&format!("by_memory ({variable})")).count()
}

/// One sum comes from row to row, by way of where the tape grows, and the other one doesn't.
#[test]
fn a_sum_from_an_earlier_run_of_its_loop_is_split_in_front_as_well() {
    let function = "fn f(x: &[f64], n: usize) -> f64 {
        let mut sum = 0.0;
        let mut state = 1.0;
        for j in 0..n {
            for i in 0..n {
                sum += x[i];
            }
            let mut row = 0.0;
            for i in 0..n {
                row += x[j * n + i];
            }
            for i in 0..n {
                state = (state * row * x[i]).sin();
            }
        }
        sum + state
    }";
    let (sum, row) = (splits_of("sum", function), splits_of("row", function));
    assert!(row > 0 && sum == 2 * row, "{sum} and {row}");
}
