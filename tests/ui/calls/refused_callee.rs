use adjoint::adjoint;

macro_rules! squared {
    ($x:expr) => {
        $x * $x
    };
}

#[adjoint]
fn inner<const N: usize>(x: &[f64; N], k: f64, n: usize) -> f64 {
    squared!(x[n]) * k
}

#[adjoint]
fn write(x: &mut [f64], names: &[usize]) {
    x[0] = squared!(x[names.len()]);
}

#[adjoint]
fn outer(x: &[f64; 3], y: &mut [f64]) -> f64 {
    write(y, &[1]);
    let value = inner(x, y[0], 1);
    value.sin() + inner::<3>(x, value, 2)
}

fn main() {
    outer_adjoint(&[1.0; 3], &mut [0.0; 3], &mut [2.0], &mut [0.0], 1.0);
}
