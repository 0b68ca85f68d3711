//! Seeds whose shape is not that of the result.

use adjoint::adjoint;

#[adjoint]
fn twice(x: &[f64]) -> Vec<f64> {
    vec![x[0]; 2]
}

#[adjoint]
fn rows(x: &[f64]) -> Vec<Vec<f64>> {
    vec![vec![x[0]; 2], vec![x[1] * x[0]]]
}

#[adjoint]
fn tried(x: &[f64]) -> Result<Vec<f64>, String> {
    match x[0] < 0.0 {
        true => Err("negative".to_string()),
        false => Ok(vec![x[0].sqrt(); 2]),
    }
}

#[test]
#[should_panic(expected = "`ret` has length 2, but `ret_adj` has length 3")]
fn a_list_that_is_too_long() {
    twice_adjoint(&[2.0, 3.0], &mut [0.0; 2], &[1.0; 3]);
}

#[test]
#[should_panic(expected = "`ret[1]` has length 1, but `ret_adj[1]` has length 2")]
fn a_row_that_is_too_long() {
    rows_adjoint(&[2.0, 3.0], &mut [0.0; 2], &[vec![1.0; 2], vec![1.0; 2]]);
}

#[test]
#[should_panic(expected = "has length 2, but `ret_adj")]
fn a_list_in_a_result() {
    let _ = tried_adjoint(&[4.0], &mut [0.0], Ok(vec![1.0; 3]));
}

#[test]
#[should_panic(expected = "`ret` is `Ok`, but `ret_adj` is `Err`")]
fn another_variant() {
    let _ = tried_adjoint(&[4.0], &mut [0.0], Err(String::new()));
}
