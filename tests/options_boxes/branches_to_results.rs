//! Branches that give an `Option` or a `Result` of a type without a default.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Debug, Clone, PartialEq, Differentiable)]
enum Fault {
    Negative(usize),
    Zero,
    Large { by: f64 },
}

#[derive(Debug, Clone, Differentiable)]
struct Vec2 {
    x: f64,
    y: f64,
}

flat!(Vec2 { x, y });

#[adjoint]
fn logarithm(x: f64, i: usize) -> Result<f64, Fault> {
    if x < 0.0 {
        Err(Fault::Negative(i))
    } else if x == 0.0 {
        Err(Fault::Zero)
    } else {
        Ok(x.ln())
    }
}

#[adjoint]
fn by_match(x: f64, i: usize) -> Result<Vec2, Fault> {
    match i {
        0 => Err(Fault::Zero),
        1 if x > 1.0 => Err(Fault::Large { by: x * x - 1.0 }),
        _ => Ok(Vec2 { x: x.sin(), y: x }),
    }
}

#[adjoint]
fn optional(x: f64) -> Option<Vec2> {
    if x < 0.5 {
        None
    } else {
        Some(Vec2 { x, y: x * x })
    }
}

#[adjoint]
fn boxed(x: f64) -> Option<Box<Vec2>> {
    if x < 0.5 {
        None
    } else {
        Some(Box::new(Vec2 { x, y: x.exp() }))
    }
}

#[adjoint]
fn from_option(x: f64) -> Result<f64, Fault> {
    let v = if x > 0.0 { Some(x.ln()) } else { None };
    v.ok_or(Fault::Zero)
}

#[adjoint]
fn one(x: f64, i: usize) -> f64 {
    let log = match logarithm(x, i) {
        Ok(v) => v,
        Err(Fault::Negative(at)) => x * at as f64,
        Err(_) => 3.0 * x,
    };
    let vec = match by_match(x, i) {
        Ok(v) => v.x * v.y,
        Err(Fault::Large { by }) => by * x,
        Err(_) => x,
    };
    let option = if let Some(v) = optional(x) {
        v.x * v.y
    } else {
        x
    };
    let held = if let Some(v) = boxed(x) { v.x * v.y } else { x };
    log * vec + option * held + from_option(x).unwrap_or(x)
}

/// The values never leave the function.
#[adjoint]
fn inside(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for (i, &v) in x.iter().enumerate() {
        let outcome: Result<Vec2, Fault> = if v < 0.0 {
            Err(Fault::Large { by: v * s })
        } else if i == n {
            break;
        } else {
            Ok(Vec2 { x: v * v, y: s })
        };
        let found = if s > 0.3 {
            Some(Vec2 { x: s, y: v })
        } else {
            None
        };
        s += match (&outcome, &found) {
            (Ok(a), Some(b)) => a.x * b.y + a.y,
            (Ok(a), None) => a.x.sin(),
            (Err(Fault::Large { by }), _) => *by,
            (Err(_), _) => 0.0,
        };
    }
    s
}

/// A struct that is set on some ways out of the loop only.
#[adjoint]
fn found_late(x: &[f64]) -> f64 {
    let best;
    let mut i = 0;
    loop {
        if i == x.len() {
            best = Vec2 { x: 1.0, y: x[0] };
            break;
        }
        if x[i] > 0.6 {
            best = Vec2 {
                x: x[i],
                y: x[i].cos(),
            };
            break;
        }
        i += 1;
    }
    best.x * best.y
}

/// The question mark, behind other methods.
#[adjoint]
fn all(x: &[f64]) -> Result<f64, Fault> {
    let mut s = 1.0;
    for (i, &v) in x.iter().enumerate() {
        let log = logarithm(v, i)?;
        let scaled = by_match(log, i + 1)?;
        s *= if scaled.x > 0.2 {
            from_option(scaled.x)?
        } else {
            scaled.y
        };
    }
    Ok(s)
}

#[adjoint]
fn all_or(x: &[f64]) -> f64 {
    match all(x) {
        Ok(v) => v,
        Err(Fault::Negative(i)) => x[i] * x[0],
        Err(Fault::Large { by }) => by,
        Err(Fault::Zero) => 0.0,
    }
}

#[test]
fn outcomes_of_branches() {
    for x in [-0.4, 0.3, 0.8, 1.7] {
        for i in 0..3 {
            check!(one(x, const i) -> f64);
        }
    }
    let x = vec![0.3, 0.9, -0.4, 0.7, 1.2, 0.5];
    for n in 0..7 {
        check!(inside(&x, const n) -> f64);
        check!(found_late(&x[..n.max(1)].to_vec()) -> f64);
        check!(all_or(&x[..n].to_vec()) -> f64);
    }
    check!(all_or(&vec![1.3, 6.0, 2.0]) -> f64);
}

/// What is exchanged for a constant has no influence any more, and the caller's adjoint says so.
#[adjoint]
fn exchanged(y: &mut Option<f64>, k: f64) -> f64 {
    let mut other = Some(2.0);
    std::mem::swap(y, &mut other);
    k
}

#[adjoint]
fn emptied(y: &mut Option<f64>) {
    let mut other = None;
    std::mem::swap(y, &mut other);
}

#[adjoint]
fn replaced(y: &mut Vec<f64>) {
    let mut other = vec![1.0];
    std::mem::swap(y, &mut other);
}

#[adjoint]
fn exchanges(x: f64, k: f64) -> f64 {
    let mut y = Some(x * k);
    let before = y.unwrap_or(0.0);
    let r = exchanged(&mut y, k);
    let between = y.unwrap_or(x);
    emptied(&mut y);
    let mut list = vec![x, between, k];
    let sum: f64 = list.iter().map(|v| v * v).sum();
    replaced(&mut list);
    before * r + between * k + y.unwrap_or(k * x) * list[0] + sum
}

#[test]
fn exchanges_for_constants() {
    let (mut y, mut y_adj, mut k_adj) = (Some(3.0), Some(1.0), 0.0);
    assert_eq!(
        exchanged_adjoint(&mut y, &mut y_adj, 0.5, &mut k_adj, 1.0),
        0.5
    );
    assert_eq!((y, y_adj, k_adj), (Some(2.0), Some(0.0), 1.0));
    let (mut y, mut y_adj) = (vec![3.0, 1.0], vec![5.0]);
    replaced_adjoint(&mut y, &mut y_adj);
    assert_eq!((y, y_adj), (vec![1.0], vec![0.0, 0.0]));
    check!(exchanges(0.7, 1.3) -> f64);
}

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

/// Nothing but the ends of the closure, or what is done with the whole, tells of which type the items are.
#[adjoint]
fn told_by_ends(x: &[f64]) -> Result<f64, Fault> {
    let sum: Result<f64, Fault> = x.iter().try_fold(0.1, |s, v| Ok(s + logarithm(*v, 1)? * s));
    let by_name = x.iter().try_fold(0.3, |s, v| {
        if s > 40.0 {
            return Err(Fault::Large { by: s });
        }
        Ok(s * logarithm(v + s, 2)?)
    })?;
    let optional = x.iter().map(|v| Some(s_of(optional(*v)?))).last();
    Ok(sum? * by_name + optional.flatten().unwrap_or(x[0]))
}

#[adjoint]
fn s_of(v: Vec2) -> f64 {
    v.x * v.y
}

#[adjoint]
fn told_by_the_whole(x: &[f64]) -> Result<f64, Fault> {
    let sum = x.iter().try_fold(0.2, |s, v| scaled(s, *v))?;
    x.iter().try_for_each(|v| tested(*v))?;
    let last: Result<f64, Fault> = x.iter().try_fold(sum, |s, v| scaled(*v, s));
    Ok(last? * sum)
}

#[adjoint]
fn scaled(s: f64, v: f64) -> Result<f64, Fault> {
    Ok(s.cos() + logarithm(v, 3)?)
}

#[adjoint]
fn tested(v: f64) -> Result<(), Fault> {
    if v > 9.0 {
        Err(Fault::Large { by: v - 9.0 })
    } else {
        Ok(())
    }
}

#[adjoint]
fn told(x: &[f64]) -> f64 {
    let whole = match told_by_the_whole(x) {
        Ok(v) => v,
        Err(Fault::Large { by }) => by * by,
        Err(_) => x[0],
    };
    match told_by_ends(x) {
        Ok(v) => v * whole,
        Err(Fault::Large { by }) => by * by * whole,
        Err(_) => x[0] * whole,
    }
}

#[test]
fn closures_and_folds_tell_the_types_of_what_they_try() {
    check!(told(&vec![0.4, 1.3, 2.2]) -> f64);
    check!(told(&vec![0.4, -1.3, 2.2]) -> f64);
    check!(told(&vec![0.4, 0.0, 2.2]) -> f64);
    check!(told(&vec![9.4, 11.0, 42.2]) -> f64);
}

/// What `?` converts without floats in it.
#[adjoint]
mod converted {
    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub enum Inner {
        Singular(usize),
    }

    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub enum Outer {
        Step(Inner),
        Large(f64),
    }

    pub fn root(x: f64) -> Result<f64, Inner> {
        match x > 0.0 {
            true => Ok(x.sqrt()),
            false => Err(Inner::Singular(1)),
        }
    }

    pub fn step(x: f64) -> Result<f64, Outer> {
        let y = root(x).map_err(Outer::Step)?;
        if y > 3.0 {
            return Err(Outer::Large(y));
        }
        Ok(y * x)
    }

    pub fn last_two(x: &[f64]) -> Result<f64, String> {
        let mut stack = x.to_vec();
        let a = stack.pop().ok_or("underflow")?;
        let b = stack.pop().ok_or_else(|| format!("only {}", x.len()))?;
        Ok(a * b)
    }

    pub fn all(x: &[f64]) -> f64 {
        let step = match step(x[0]) {
            Ok(y) => y,
            Err(Outer::Large(y)) => y * y,
            Err(Outer::Step(Inner::Singular(n))) => n as f64 * x[0],
        };
        step * last_two(x).map_or(x[0], |v| v * v)
    }
}

#[test]
fn errors_are_converted() {
    for x in [vec![0.4, 0.9], vec![-0.4, 0.9], vec![0.7], vec![11.0, 0.2]] {
        check!(converted::all(&x) -> f64);
    }
}
