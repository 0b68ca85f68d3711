use adjoint::adjoint;
#[derive(Clone, Copy)]
struct Settings {
    scale: f64,
}

const SETTINGS: [Settings; 1] = [Settings { scale: 2.0 }];

fn apply(g: impl Fn(f64) -> f64, x: f64) -> f64 {
    g(x)
}

fn root(x: f64) -> Option<f64> {
    (x > 0.0).then(|| x.sqrt())
}

#[adjoint]
fn receiver(x: f64) -> f64 {
    root(x).map(f64::exp).unwrap()
}

#[adjoint]
fn iterator(x: &[f64]) -> f64 {
    if x.iter().peekable().peek_mut().is_some() { x[0] } else { x[1] }
}

#[adjoint]
fn closure(x: f64) -> f64 {
    let square = |t: f64| t * t;
    apply(square, x)
}

#[adjoint]
fn untyped(x: f64, n: usize) -> f64 {
    let settings;
    if x > 0.0 {
        settings = SETTINGS[n];
    } else {
        settings = SETTINGS[n];
    }
    settings.scale * x
}

#[adjoint]
fn pattern(x: &[f64]) -> f64 {
    match x {
        [first, .., 2.0] => *first,
        _ => x[0],
    }
}

fn main() {
    receiver_adjoint(1.0, &mut 0.0, 1.0);
    iterator_adjoint(&[1.0, 2.0], &mut [0.0; 2], 1.0);
    closure_adjoint(1.0, &mut 0.0, 1.0);
    untyped_adjoint(1.0, &mut 0.0, 0, 1.0);
    pattern_adjoint(&[1.0], &mut [0.0], 1.0);
}
