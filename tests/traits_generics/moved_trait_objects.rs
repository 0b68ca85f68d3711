//! Trait objects that change their state and their type, are swapped, moved out and moved elsewhere.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod m {
    use std::fmt::Debug;
    pub trait Named {
        fn scale(&self) -> f64 {
            2.0
        }
        fn id(&self) -> usize;
    }
    pub trait Shape: Named + Debug + Send {
        fn area(&self) -> f64;
        fn step(&mut self, x: f64) -> f64;
        fn consume(&self) -> f64;
        fn add_to(&self, other: &mut dyn Shape) {
            other.step(self.area());
        }
        fn scaled(&self) -> f64 {
            self.scale() * self.area()
        }
    }
    pub trait Cost {
        fn cost(&self, k: f64) -> f64;
    }
    #[derive(Debug, Clone, adjoint::Differentiable)]
    pub struct Square {
        a: f64,
        hits: usize,
    }
    #[derive(Debug, Clone, adjoint::Differentiable)]
    pub enum Round {
        Disc { r: f64 },
        Ring(f64, f64),
        Point,
    }
    impl Named for Square {
        fn id(&self) -> usize {
            self.hits
        }
    }
    impl Named for Round {
        fn scale(&self) -> f64 {
            0.5
        }
        fn id(&self) -> usize {
            match self {
                Round::Point => 0,
                _ => 3,
            }
        }
    }
    impl Shape for Square {
        fn area(&self) -> f64 {
            self.a * self.a
        }
        fn step(&mut self, x: f64) -> f64 {
            self.hits += 1;
            self.a = self.a * 0.5 + x;
            self.a * self.hits as f64
        }
        fn consume(&self) -> f64 {
            self.a * 3.0
        }
    }
    impl Shape for Round {
        fn area(&self) -> f64 {
            match self {
                Round::Disc { r } => 3.0 * r * r,
                Round::Ring(a, b) => a * a - b * b,
                Round::Point => 0.0,
            }
        }
        fn step(&mut self, x: f64) -> f64 {
            let next = match self {
                Round::Disc { r } => {
                    *r += x;
                    if *r > 1.0 {
                        Round::Ring(*r, x)
                    } else {
                        return *r;
                    }
                }
                Round::Ring(a, b) => {
                    std::mem::swap(a, b);
                    Round::Ring(*a, *b * 0.9)
                }
                Round::Point => Round::Disc { r: x },
            };
            *self = next;
            self.area()
        }
        fn consume(&self) -> f64 {
            match *self {
                Round::Disc { r } => r,
                Round::Ring(a, b) => a * b,
                Round::Point => 1.0,
            }
        }
        fn scaled(&self) -> f64 {
            9.0 * self.area()
        }
    }
    impl Cost for Square {
        fn cost(&self, k: f64) -> f64 {
            self.a.powf(k)
        }
    }
    impl Cost for Round {
        fn cost(&self, k: f64) -> f64 {
            Shape::area(self) * k
        }
    }

    type Any = Box<dyn Shape + Send>;
    enum Item {
        Shape(Box<dyn Shape>),
        Pair(Any, Any),
        Nothing,
    }
    struct Bag {
        items: Vec<Any>,
        name: &'static str,
    }

    fn make(i: usize, v: f64) -> Box<dyn Shape + Send> {
        if i % 3 == 0 {
            return Box::new(Square { a: v, hits: 0 });
        }
        match i % 3 {
            1 => Box::new(Round::Disc { r: v }),
            _ => Box::new(Round::Point),
        }
    }
    fn poke(b: &mut Box<dyn Shape>, x: f64) {
        b.step(x);
    }
    fn poke_any(b: &mut dyn Shape, x: f64) -> f64 {
        b.step(x) * b.scale()
    }
    fn replace(b: &mut Box<dyn Shape>, v: f64) {
        if b.area() > v {
            *b = Box::new(Round::Ring(v, 0.1));
        }
    }
    fn checked(i: usize, v: f64) -> Result<Box<dyn Shape>, f64> {
        if v < 0.0 {
            Err(v)
        } else {
            Ok(Box::new(Square { a: v, hits: i }))
        }
    }
    fn tried(v: &[f64]) -> Result<f64, f64> {
        let a = checked(1, v[0])?;
        let b = checked(2, v[1])?;
        Ok(a.area() * b.scaled() + b.id() as f64)
    }

    pub fn stepped(v: &[f64], n: usize) -> f64 {
        let mut all: Vec<Box<dyn Shape + Send>> =
            v.iter().enumerate().map(|(i, &x)| make(i, x)).collect();
        let mut s = 0.0;
        for k in 0..n {
            for (i, b) in all.iter_mut().enumerate() {
                s += b.step(0.3 * s + 0.1 * (i + k) as f64);
                if s > 50.0 {
                    break;
                }
            }
            all.rotate_left(1);
            if k == 1 {
                let last = all.pop().unwrap();
                s += last.consume();
            }
            if k == 2 {
                let (l, r) = all.split_at_mut(1);
                l[0].add_to(&mut *r[0]);
            }
        }
        s + all
            .iter()
            .map(|b| b.scaled() + b.scale() * b.id() as f64)
            .sum::<f64>()
    }
    pub fn pokes(v: &[f64]) -> f64 {
        let mut b: Box<dyn Shape> = Box::new(Round::Disc { r: v[0] });
        poke(&mut b, v[1]);
        let t = poke_any(b.as_mut(), v[2]) + poke_any(&mut *b, v[0]);
        replace(&mut b, v[1]);
        let make = |k: f64| -> Box<dyn Shape> {
            Box::new(Square {
                a: k * v[2],
                hits: 1,
            })
        };
        let mut c = make(t);
        std::mem::swap(&mut b, &mut c);
        b.area() * c.area() + t
    }
    pub fn items(v: &[f64]) -> f64 {
        let mut queue = vec![
            Item::Shape(Box::new(Square { a: v[0], hits: 0 })),
            Item::Pair(make(0, v[1]), make(1, v[2])),
            Item::Nothing,
        ];
        let mut s = 1.0;
        while let Some(item) = queue.pop() {
            s += match item {
                Item::Shape(b) => b.area() * s,
                Item::Pair(a, b) => {
                    if a.area() < b.area() {
                        queue.push(Item::Shape(a));
                    } else {
                        queue.push(Item::Shape(b));
                    }
                    s * s
                }
                Item::Nothing => 0.25 * v[0],
            };
        }
        s
    }
    pub fn bag(v: &[f64]) -> f64 {
        let mut bag = Bag {
            items: Vec::new(),
            name: "bag",
        };
        bag.items.extend(v.iter().map(|x| make(1, *x)));
        bag.items.push(make(3, v[0] * v[1]));
        bag.items
            .sort_by(|a, b| b.area().partial_cmp(&a.area()).unwrap());
        let top = bag
            .items
            .iter()
            .find(|s| s.area() < 2.0)
            .map_or(1.0, |s| s.scaled());
        let big = bag
            .items
            .iter()
            .max_by(|a, b| a.area().total_cmp(&b.area()))
            .unwrap();
        let weighted: f64 = bag
            .items
            .iter()
            .enumerate()
            .map(|(i, s)| (i + 1) as f64 * s.area())
            .sum();
        top * big.area() + weighted + bag.name.len() as f64
    }
    pub fn costs(v: &[f64], k: f64) -> f64 {
        let all: Vec<Box<dyn Cost>> = vec![
            Box::new(Square { a: v[0], hits: 0 }),
            Box::new(Round::Disc { r: v[1] }),
        ];
        let more: Vec<Box<dyn Shape>> = vec![
            Box::new(Square { a: v[0], hits: 0 }),
            Box::new(Round::Disc { r: v[1] }),
        ];
        let own = Box::new(Square { a: v[2], hits: 5 });
        all.iter()
            .zip(&more)
            .map(|(c, s)| c.cost(k) * s.area())
            .sum::<f64>()
            + own.area()
            + own.cost(k)
    }
    pub fn tries(v: &[f64]) -> f64 {
        match tried(v) {
            Ok(x) => x,
            Err(e) => e * 2.0,
        }
    }
    pub fn none(v: &[f64], n: usize) -> f64 {
        let mut slot: Option<Box<dyn Shape>> = None;
        let mut s = v[0];
        for i in 0..n {
            match slot.as_mut() {
                Some(b) => s += b.step(s),
                None => slot = Some(make(i, v[i % 3])),
            }
            if i == 2 {
                slot = None;
            }
            if i == 4 {
                if let Some(b) = slot.take() {
                    s *= b.area();
                    slot.replace(Box::new(Round::Point));
                }
            }
        }
        s + slot.as_ref().map(|b| b.area()).unwrap_or(0.5)
    }
}
use m::*;

#[test]
fn all() {
    let v = [0.35, 0.7, 1.1];
    for n in 0..6 {
        check!(stepped(&v, const n) -> f64);
        check!(none(&v, const n) -> f64);
    }
    check!(stepped(&[0.8, 0.2, 0.9, 0.4, 0.6], const 4) -> f64);
    check!(pokes(&v) -> f64);
    check!(pokes(&[0.9, 0.05, 0.2]) -> f64);
    check!(items(&v) -> f64);
    check!(items(&[1.3, 0.2, 0.8]) -> f64);
    check!(bag(&v) -> f64);
    check!(costs(&v, 1.7) -> f64);
    check!(tries(&v) -> f64);
    check!(tries(&[0.3, -0.7]) -> f64);
}
