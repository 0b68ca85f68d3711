//! Results that callers drop, or use on some paths only, of functions that change their arguments.

use adjoint::{Differentiable, adjoint};

use crate::common::check;
use crate::common::types::{Fault, Vec2};

/// Changes what it is lent; what it returns may be left lying.
#[adjoint]
fn scaled_and_told(x: &mut f64, u: f64) -> Option<f64> {
    *x *= u;
    Some(u)
}

#[adjoint]
fn scaled_and_listed(x: &mut f64, u: f64) -> Vec<f64> {
    *x *= u;
    let mut all = vec![u; 2];
    all.push(*x * u);
    all
}

#[adjoint]
fn without_the_results(y: &mut [f64], k: f64) -> f64 {
    scaled_and_told(&mut y[0], k);
    let _left = scaled_and_listed(&mut y[1], k);
    scaled_and_listed(&mut y[0], k.sin());
    y[0] * y[1]
}

#[adjoint]
fn with_the_results(y: &mut [f64], k: f64) -> f64 {
    let told = scaled_and_told(&mut y[0], k);
    let listed = scaled_and_listed(&mut y[1], k);
    told.unwrap_or(0.5) * listed.iter().sum::<f64>() + y[0]
}

#[test]
fn results_that_nobody_takes() {
    check!(without_the_results(&mut [0.7, 1.3], 0.9) -> f64);
    check!(with_the_results(&mut [0.7, 1.3], 0.9) -> f64);
}

/// What has no default is not wanted.
#[adjoint]
fn unit(v: &mut Vec<f64>, k: f64) -> Result<(), String> {
    if k < 0.0 {
        return Err("negative".into());
    }
    v[0] *= k;
    Ok(())
}

#[adjoint]
fn grown(v: &mut Vec<f64>, k: f64) -> Result<f64, Fault> {
    if k < 0.0 {
        v[0] += k;
        return Err(Fault::Large { by: k * v[0] });
    }
    v.push(k * k);
    if v.len() > 4 {
        v.truncate(2);
        return Ok(v[1] * k);
    }
    v[0] *= k;
    Ok(v[0].sin())
}

#[adjoint]
fn point(v: &mut Vec<f64>, k: f64) -> Vec2 {
    v[1] *= k;
    Vec2 {
        x: v[1] * k,
        y: k.sin(),
    }
}

#[adjoint]
fn many(v: &mut [f64], k: f64) -> [f64; 40] {
    v[0] += k * v[1];
    [v[0]; 40]
}

#[adjoint]
fn of_any<T: num_traits::Float>(v: &mut [T], k: T) -> T {
    v[0] = v[0] * k;
    v[0] * v[0]
}

#[adjoint]
fn any_dropped<T: num_traits::Float>(v: &mut [T], k: T) -> T {
    of_any(v, k);
    of_any(&mut v[1..], k * k) + v[0]
}

#[adjoint]
fn dropped(x: &[f64], k: f64) -> Result<f64, Fault> {
    let mut v = x.to_vec();
    let _ = unit(&mut v, k * 0.5);
    unit(&mut v, -k).ok();
    unit(&mut v, k).map_err(|_| Fault::Zero)?;
    let _ = grown(&mut v, k * 0.5);
    grown(&mut v, -k).ok();
    grown(&mut v, k)?;
    point(&mut v, k * 1.1);
    let p = point(&mut v, k);
    if p.y > 100.0 {
        v[0] = 0.0;
    }
    let _ = many(&mut v, k);
    many(&mut v, k * k);
    of_any(&mut v, 1.4);
    Ok(v.iter().sum::<f64>() + many(&mut v, k)[17])
}

#[adjoint]
fn dropped_or(x: &[f64], k: f64) -> f64 {
    dropped(x, k).unwrap_or(k * x[0])
}

#[test]
fn results_that_nobody_wants() {
    for x in [
        vec![0.4, 0.9],
        vec![0.4, 0.9, 1.3],
        vec![0.2, 0.9, 1.3, 0.5],
    ] {
        check!(dropped_or(&x, 0.7) -> f64);
        check!(dropped_or(&x, -0.7) -> f64);
    }
    check!(any_dropped(&mut vec![0.4, 1.3], 0.7) -> f64);
}

/// As methods, and of the type at hand.
#[adjoint]
impl Vec2 {
    fn turned(&mut self, k: f64) -> Vec2 {
        self.x *= k;
        Vec2 {
            x: self.y,
            y: self.x * k,
        }
    }

    fn tested(&mut self, k: f64) -> Result<(), Fault> {
        if self.x > 10.0 {
            return Err(Fault::Zero);
        }
        self.y += k * self.x;
        Ok(())
    }

    fn dropping(&mut self, k: f64) -> f64 {
        self.turned(k);
        let _ = self.tested(k);
        self.tested(self.x).ok();
        let t = self.turned(0.5);
        t.x * self.y
    }
}

#[adjoint]
fn dropping(v: &mut Vec2, k: f64) -> f64 {
    let _ = v.tested(k * k);
    v.turned(k);
    v.dropping(k)
}

#[test]
fn results_of_methods_that_nobody_wants() {
    check!(dropping(&mut Vec2 { x: 0.4, y: 1.2 }, 0.7) -> f64);
}

/// What it calls is of a type that only the callee knows, so that nothing can stand in for it.
#[adjoint]
fn root_or_none(x: f64) -> Result<f64, usize> {
    if x > 0.1 { Ok(x.sqrt()) } else { Err(1) }
}

#[adjoint]
fn roots_together(x: &[f64], k: f64) -> f64 {
    let mut all = vec![];
    for v in x {
        all.push(root_or_none(*v).unwrap_or(k));
    }
    all.iter().sum::<f64>().sin() * k
}

#[adjoint]
fn sine_of_roots(x: &[f64], k: f64) -> f64 {
    roots_together(x, k).sin()
}

#[adjoint]
fn left_lying(y: &mut [f64], k: f64) -> f64 {
    let first = y[0] * y[1].exp();
    y[0] *= first.sin();
    let _left = sine_of_roots(y, k);
    y[1] *= first * k.cos();
    y[0] * y[1]
}

#[test]
fn values_of_results_that_nobody_takes() {
    check!(left_lying(&mut [0.7, 1.3], 0.9) -> f64);
    check!(left_lying(&mut [0.05, 1.3], 0.9) -> f64);
}

#[adjoint]
fn scaled_list(x: &mut f64, u: f64) -> Vec<f64> {
    *x *= u;
    vec![u; 3]
}

#[adjoint]
fn only_seen(y: &mut [f64], k: f64) -> f64 {
    let all = scaled_list(&mut y[0], k);
    let _seen = all.iter().sum::<f64>();
    y[0] * y[1]
}

#[test]
fn results_that_are_seen_and_not_used() {
    check!(only_seen(&mut [0.7, 1.3], 0.9) -> f64);
}

/// A state with a text in it, which is made here.
#[derive(Clone, Debug, Differentiable)]
struct State {
    x: [f64; 2],
    e: f64,
    name: String,
}

#[adjoint]
fn kick(s: &mut State, k: f64) -> (f64, State) {
    let old = s.clone();
    s.x[0] += k * s.x[1];
    s.x[1] -= k * s.x[0].sin();
    s.e += s.x[0] * s.x[1] + s.name.len() as f64;
    (s.e, old)
}

#[adjoint]
fn damped(s: &mut State, k: f64) -> Result<[f64; 2], String> {
    if s.e.is_nan() {
        return Err("not a number".to_string());
    }
    s.e *= k;
    Ok(s.x)
}

#[adjoint]
fn steps(x: &[f64; 2], k: f64, n: usize) -> f64 {
    let mut s = State {
        x: *x,
        e: 0.1,
        name: String::from("pendulum"),
    };
    for i in 0..n {
        kick(&mut s, k);
        if i % 3 == 0 {
            let _ = damped(&mut s, k + 1.0);
        }
        let (e, old) = kick(&mut s, 0.5 * k);
        if i % 2 == 1 {
            s.e += e * old.x[0];
        }
        match damped(&mut s, 0.9) {
            Ok(p) if i == 2 => s.x[1] += 0.1 * p[0],
            Ok(_) => {}
            Err(_) => return 0.0,
        }
    }
    s.e + s.x[0]
}

#[test]
fn states_whose_steps_give_more_than_is_taken() {
    for n in [0, 1, 3, 5] {
        check!(steps(&[0.3, 0.8], 0.4, const n) -> f64);
    }
}
