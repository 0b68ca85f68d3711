//! Boxed trait objects in all places: results, options, arrays, tuples, fields, casts, closures.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod misc {
    use adjoint::Differentiable;
    pub trait Shape {
        fn area(&self) -> f64;
        fn grow(&mut self, by: f64);
        fn overlap(&self, other: &dyn Shape) -> f64 {
            self.area() * other.area()
        }
    }
    #[derive(Clone, Differentiable)]
    pub struct Square {
        a: f64,
    }
    #[derive(Clone, Differentiable)]
    pub struct Disc {
        r: f64,
    }
    impl Shape for Square {
        fn area(&self) -> f64 {
            self.a * self.a
        }
        fn grow(&mut self, by: f64) {
            self.a += by;
        }
    }
    impl Shape for Disc {
        fn area(&self) -> f64 {
            3.0 * self.r * self.r
        }
        fn grow(&mut self, by: f64) {
            self.r *= by;
        }
        fn overlap(&self, other: &dyn Shape) -> f64 {
            self.r * other.area()
        }
    }
    fn parse(kind: &str, v: f64) -> Result<Box<dyn Shape>, String> {
        match kind {
            "square" => Ok(Box::new(Square { a: v })),
            "disc" => Ok(Box::new(Disc { r: v })),
            other => Err(format!("no {other}")),
        }
    }
    fn maybe(v: f64) -> Option<Box<dyn Shape>> {
        if v > 0.0 {
            Some(Box::new(Square { a: v }))
        } else {
            None
        }
    }
    pub fn parsed(v: &[f64]) -> f64 {
        let mut all: Vec<Box<dyn Shape>> = Vec::new();
        for (i, v) in v.iter().enumerate() {
            let kind = if i % 2 == 0 { "square" } else { "disc" };
            match parse(kind, *v) {
                Ok(s) => all.push(s),
                Err(_) => continue,
            }
        }
        if let Some(s) = maybe(v[0] - v[1]) {
            all.push(s);
        }
        if let Some(s) = maybe(v[1] - v[0]) {
            all.insert(0, s);
        }
        let total: f64 = all.iter().map(|s| s.area()).sum();
        all[1].grow(total);
        all.swap(0, 1);
        if let Some(last) = all.last_mut() {
            last.grow(2.0);
        }
        let old = std::mem::replace(&mut all[0], Box::new(Disc { r: total }));
        all[2] = Box::new(Square { a: v[2] * v[2] });
        let first = all.remove(0);
        let best = all
            .iter()
            .map(|s| s.area())
            .fold(f64::NEG_INFINITY, f64::max);
        let pairs: f64 = all
            .iter()
            .zip(all.iter().skip(1))
            .map(|(a, b)| a.overlap(b.as_ref()) + a.overlap(&**b))
            .sum();
        total + old.area() * 0.5 + first.area().sin() + best + 0.01 * pairs
    }
    pub fn cast(v: &[f64], flag: bool) -> f64 {
        let mut s: Box<dyn Shape> = Box::new(Square { a: v[0] });
        if flag {
            s = Box::new(Disc { r: v[1] });
        }
        s.grow(v[2]);
        let all: Vec<Box<dyn Shape>> = v
            .iter()
            .map(|&a| Box::new(Square { a }) as Box<dyn Shape>)
            .collect();
        let more = v
            .iter()
            .enumerate()
            .map(|(i, &a)| -> Box<dyn Shape> {
                if i == 1 {
                    Box::new(Disc { r: a })
                } else {
                    Box::new(Square { a })
                }
            })
            .collect::<Vec<_>>();
        let two: [Box<dyn Shape>; 2] = [Box::new(Disc { r: v[0] }), Box::new(Square { a: v[2] })];
        let pair: (Box<dyn Shape>, f64) = (Box::new(Disc { r: v[0] }), v[1]);
        let t: f64 = two.iter().map(|s| s.area()).sum();
        s.area()
            + all.into_iter().map(|s| s.area()).sum::<f64>()
                * more.iter().rev().map(|s| s.area()).sum::<f64>()
            + t * pair.0.area() * pair.1
    }
    pub struct Scene {
        shapes: Vec<Box<dyn Shape>>,
        weights: Vec<f64>,
        top: Option<Box<dyn Shape>>,
    }
    impl Scene {
        fn total(&self) -> f64 {
            let base: f64 = self
                .shapes
                .iter()
                .zip(&self.weights)
                .map(|(s, w)| w * s.area())
                .sum();
            match &self.top {
                Some(t) => base + t.area(),
                None => base,
            }
        }
        fn biggest(&self) -> &dyn Shape {
            let mut at = 0;
            for i in 1..self.shapes.len() {
                if self.shapes[i].area() > self.shapes[at].area() {
                    at = i;
                }
            }
            &*self.shapes[at]
        }
    }
    pub fn scened(v: &[f64]) -> f64 {
        let scene = Scene {
            shapes: vec![Box::new(Square { a: v[0] }), Box::new(Disc { r: v[1] })],
            weights: v.to_vec(),
            top: Some(Box::new(Disc { r: v[2] })),
        };
        scene.total() * scene.biggest().area()
    }
    pub fn scene2(v: &[f64]) -> f64 {
        let mut scene = Scene {
            shapes: vec![Box::new(Square { a: v[0] }), Box::new(Disc { r: v[1] })],
            weights: v.to_vec(),
            top: None,
        };
        let a = scene.total();
        scene.top = Some(Box::new(Square { a }));
        if let Some(t) = &mut scene.top {
            t.grow(v[1]);
        }
        let b = scene.total();
        let t = scene.top.take();
        b + t.map_or(0.0, |s| s.area() * 0.1) + scene.total()
    }
}
use misc::*;

#[test]
fn shapes() {
    check!(parsed(&[0.3, 0.7, 1.1]) -> f64);
    check!(parsed(&[0.8, 0.7, 1.1, 0.2]) -> f64);
    check!(cast(&[0.8, 0.7, 1.1], const true) -> f64);
    check!(cast(&[0.8, 0.7, 1.1], const false) -> f64);
    check!(scened(&[0.8, 0.7, 1.1]) -> f64);
    check!(scene2(&[0.8, 0.7, 1.1]) -> f64);
}
