//! Results whose types only their functions give, destructured, borrowed or collected.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
struct Link {
    value: f64,
    next: Option<Box<Link>>,
}

#[derive(Clone, Differentiable)]
struct Data {
    d: Vec<f64>,
}

#[adjoint]
impl Data {
    fn new(x: f64) -> Self {
        Data { d: vec![x; 3] }
    }

    fn pair(&self, x: f64) -> (f64, f64) {
        (self.d[0] * x, self.d[1])
    }
}

#[adjoint]
fn many(x: f64) -> (f64, Vec<f64>, usize) {
    (x * x, vec![x; 3], 1)
}

fn plain(n: usize) -> (Vec<f64>, usize, f32) {
    (vec![0.3; n], n, 2.0)
}

#[adjoint]
fn parts_left_out(x: f64, n: usize) -> f64 {
    let mut s = x;
    for i in 1..n {
        let (p, v, _) = many(x * i as f64);
        let (_, w, k) = many(2.0);
        let (c, _, f) = plain(i);
        s += p * v[0] * w[k] * x + c[0] * x * f64::from(f);
        let data = Data::new(s);
        let (a, _) = data.pair(x);
        s *= a.cos();
    }
    s
}

#[adjoint]
fn links(x: &[f64]) -> Option<Box<Link>> {
    let mut head: Option<Box<Link>> = None;
    for v in x {
        head = Some(Box::new(Link {
            value: *v,
            next: head,
        }));
    }
    head
}

#[adjoint]
fn first(x: &[f64]) -> Option<f64> {
    x.first().copied()
}

#[adjoint]
fn spent(list: Option<Box<Link>>, k: f64) -> f64 {
    let mut s = k;
    let mut rest = list;
    while let Some(n) = rest {
        s = 0.5 * s + n.value * n.value;
        rest = n.next;
    }
    s
}

#[adjoint]
fn collected(x: &[f64], k: f64) -> f64 {
    let lists: Vec<Option<Box<Link>>> = (0..x.len()).map(|j| links(&x[j..])).collect();
    let options: Vec<Option<f64>> = (0..=x.len()).map(|j| first(&x[j..])).collect();
    let nested: Vec<Vec<Option<f64>>> = vec![vec![first(x); 2], options];
    let of_options: f64 = nested.iter().flatten().map(|v| v.unwrap_or(k) * k).sum();
    of_options * lists.iter().map(|l| spent(l.clone(), k)).sum::<f64>()
}

#[adjoint]
fn halved(x: &mut [f64], y: &Vec<f64>, z: f64) -> Vec<f64> {
    x[0] *= y[0] * z;
    y.iter().map(|v| v * x[0]).collect()
}

#[adjoint]
fn lent(y: &mut [f64], z: f64, u: &Vec<f64>) -> f64 {
    let mut s = z;
    let r = halved(y, u, 0.1);
    if s > 0.3 {
        let q = halved(y, &r, z);
        s = q.last().copied().unwrap_or(0.3);
    }
    s + r[0] * z
}

/// What the forward pass keeps: only the parameters that it is lent to tell what it holds.
#[adjoint]
mod layers {
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable)]
    pub struct Layer {
        pub w: f64,
    }

    impl Layer {
        fn forward(&self, x: &[f64], trace: &mut Vec<(Vec<f64>, f64)>) -> f64 {
            trace.push((x.to_vec(), self.w));
            x[0] * self.w
        }

        pub fn step(&self, x: &[f64]) -> f64 {
            let (mut trace, mut norms) = (Vec::new(), Vec::new());
            let out = self.forward(x, &mut trace);
            norm(x, &mut norms);
            let Some((h, z)) = trace.pop() else {
                unreachable!()
            };
            let [a, b] = norms[0];
            out * a + h[1] * z * b
        }
    }

    fn norm(x: &[f64], norms: &mut Vec<[f64; 2]>) {
        norms.push([x[0] * x[1], x[0]]);
    }

    pub fn run(layer: &Layer, x: &[f64]) -> f64 {
        layer.step(x)
    }
}

use layers::Layer;

flat!(Layer { w });

#[test]
fn lists_are_told_by_what_fills_them() {
    check!(layers::run(&Layer { w: 0.5 }, &[1.2, 2.0]) -> f64);
}

#[test]
fn results_are_taken_apart_in_part() {
    check!(parts_left_out(0.7, const 3) -> f64);
}

#[test]
fn results_are_collected_in_options() {
    check!(collected(&[0.7, -0.3, 1.2], 0.6) -> f64);
    check!(collected(&[], 0.6) -> f64);
}

#[test]
fn results_are_lent_on_some_ways() {
    check!(lent(&mut [0.7, -0.3], 0.6, &vec![0.4, 1.3]) -> f64);
    check!(lent(&mut [0.7, -0.3], 0.2, &vec![0.4, 1.3]) -> f64);
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Hit {
    t: f64,
    shade: f64,
}

#[adjoint]
fn intersect(c: f64, r: f64, o: f64) -> Option<Hit> {
    let disc = r * r - (c - o) * (c - o);
    if disc < 0.0 {
        return None;
    }
    let t = c - disc.sqrt();
    Some(Hit { t, shade: t * r })
}

#[adjoint]
fn nearest(c: &[f64], r: &[f64], o: f64) -> f64 {
    let hits = c.iter().zip(r).filter_map(|(c, r)| intersect(*c, *r, o));
    let hit = hits.min_by(|a, b| a.t.partial_cmp(&b.t).unwrap());
    hit.map_or(o * 0.5, |h| h.shade + h.t * o)
}

#[test]
fn the_best_of_what_is_not_seen() {
    check!(nearest(&vec![3.0, 2.0, 3.2], &vec![0.5, 0.9, 0.5], 2.85) -> f64);
    check!(nearest(&vec![3.0, 2.0, 3.2], &vec![0.5, 0.4, 0.5], 9.9) -> f64);
    check!(nearest(&vec![], &vec![], 9.9) -> f64);
}
