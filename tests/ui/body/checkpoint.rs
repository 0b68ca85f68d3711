use adjoint::adjoint;
use rand::Rng;

#[adjoint]
fn random(x: f64, n: usize, rng: &mut impl Rng) -> f64 {
    let mut s = x;
    #[checkpoint(snapshots = 3)]
    for _ in 0..n {
        s = (s * rng.random::<f64>()).sin();
    }
    s
}

#[adjoint]
fn local(x: f64, n: usize) -> f64 {
    let mut rng = rand::rng();
    let mut s = x;
    #[checkpoint(snapshots = 3)]
    for _ in 0..n {
        let r: f64 = rng.random();
        s = (s * r).sin();
    }
    s
}

#[adjoint]
fn computed(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(snapshots = n / 2)]
    for _ in 0..n {
        s = s.sin();
    }
    s
}

#[adjoint]
fn misspelt(x: f64, n: usize) -> f64 {
    let mut s = x;
    #[checkpoint(snapshot = 2)]
    for _ in 0..n {
        s = s.sin();
    }
    s
}

#[adjoint]
fn several(x: f64) -> f64 {
    #[checkpoint(snapshots = 2)]
    let s = x.sin();
    s
}

#[adjoint]
fn stream(x: &[f64]) -> f64 {
    let mut s = 1.0;
    #[checkpoint(snapshots = 2)]
    for v in x.iter().filter(|v| **v > 0.0) {
        s = (s * v).sin();
    }
    s
}

#[adjoint]
fn inside(x: f64) -> f64 {
    let y = if x > 0.0 {
        1.0 + #[checkpoint] x.sin()
    } else {
        x
    };
    y
}

fn main() {}
