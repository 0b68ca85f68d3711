//! `VecDeque`s in fields, parameters and results: delay lines, windows and queues.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod filt {
    use adjoint::Differentiable;
    use std::collections::VecDeque;
    #[derive(Clone, Debug, Default, Differentiable)]
    pub struct Fir {
        taps: Vec<f64>,
        line: VecDeque<f64>,
    }
    impl Fir {
        pub fn new(taps: Vec<f64>) -> Self {
            let line = VecDeque::from(vec![0.0; taps.len()]);
            Fir { taps, line }
        }
        pub fn step(&mut self, x: f64) -> f64 {
            self.line.pop_back();
            self.line.push_front(x);
            self.taps.iter().zip(&self.line).map(|(t, v)| t * v).sum()
        }
    }
    pub fn filtered(taps: &[f64], x: &[f64]) -> f64 {
        let mut f = Fir::new(taps.to_vec());
        x.iter().map(|&v| f.step(v).sin()).sum()
    }
    #[derive(Clone)]
    pub struct Average {
        window: VecDeque<f64>,
        size: usize,
        sum: f64,
    }
    impl Average {
        fn with_size(size: usize) -> Average {
            Average {
                window: VecDeque::with_capacity(size),
                size,
                sum: 0.0,
            }
        }
        fn push(&mut self, v: f64) -> Option<f64> {
            self.window.push_back(v);
            self.sum += v;
            if self.window.len() > self.size {
                if let Some(old) = self.window.pop_front() {
                    self.sum -= old;
                }
            }
            if self.window.len() == self.size {
                Some(self.sum / self.size as f64)
            } else {
                None
            }
        }
        fn spread(&self) -> f64 {
            match (self.window.front(), self.window.back()) {
                (Some(a), Some(b)) => b - a,
                _ => 0.0,
            }
        }
    }
    pub fn averaged(x: &[f64], n: usize) -> f64 {
        let mut a = Average::with_size(n);
        let mut s = 0.0;
        for v in x {
            if let Some(m) = a.push(*v) {
                s += m * m;
            }
            s += a.spread() * 0.1;
        }
        s + a
            .window
            .iter()
            .enumerate()
            .map(|(i, v)| i as f64 * v)
            .sum::<f64>()
    }
    fn relax(queue: &mut VecDeque<(usize, f64)>, k: f64) -> f64 {
        let mut total = 0.0;
        while let Some((level, v)) = queue.pop_front() {
            total += v * k;
            if level < 2 {
                queue.push_back((level + 1, v * 0.5));
                if v > 0.33 {
                    queue.push_front((2, v * v));
                }
            }
        }
        total
    }
    pub fn queued(x: &[f64], k: f64) -> f64 {
        let mut q: VecDeque<(usize, f64)> = x.iter().map(|&v| (0, v)).collect();
        let t = relax(&mut q, k);
        let mut local = VecDeque::new();
        local.push_back(t);
        local.push_back(k);
        local.rotate_left(1);
        local[0] * local.iter().sum::<f64>()
    }
    pub fn plain(x: &[f64]) -> f64 {
        let mut v = x.to_vec();
        let first = v.remove(0);
        first * v.iter().sum::<f64>()
    }
}
use filt::*;

#[test]
fn lines_windows_and_queues() {
    let x = [1.0, 0.4, 0.7, -0.8, 0.3, 0.45];
    check!(filtered(&[0.3, -0.7, 1.1], &x) -> f64);
    check!(averaged(&x, const 3) -> f64);
    check!(queued(&x, 0.7) -> f64);
    check!(plain(&x) -> f64);
}
