//! Checkpointed loops whose steps call methods: snapshots hold the fields that these read before they write them.
#![allow(
    clippy::manual_is_multiple_of,
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::{Differentiable, Tape, adjoint};
use common::{check, snapshot_bytes};

#[adjoint]
mod model {
    use super::*;

    #[derive(Clone, Debug, Default, Differentiable)]
    pub struct Grid {
        pub now: Vec<f64>,
        pub next: Vec<f64>,
        pub work: Vec<f64>,
        pub rates: Vec<f64>,
    }

    #[derive(Clone, Debug, Default, Differentiable)]
    pub struct Model {
        pub grid: Grid,
        pub t: f64,
        pub dt: f64,
        pub peak: f64,
        pub log: Vec<f64>,
        pub count: usize,
    }

    impl Grid {
        /// Sets the inside of `next`.
        fn advance(&mut self, dt: f64) {
            for i in 1..self.now.len() - 1 {
                let d = self.now[i - 1] - 2.0 * self.now[i] + self.now[i + 1];
                self.next[i] = self.now[i] + dt * self.rates[i] * d * self.now[i];
            }
        }

        fn exchange(&mut self) {
            std::mem::swap(&mut self.now, &mut self.next);
        }

        /// Sets `work` in steps with an even number alone.
        fn work_at(&mut self, t: usize) {
            if t % 2 == 0 {
                for i in 0..self.now.len() {
                    self.work[i] = self.now[i] * self.now[i];
                }
            }
        }

        /// As many elements as it is told to.
        fn fill(&mut self, n: usize) {
            for i in 0..n {
                self.work[i] = self.now[i] * self.rates[i];
            }
        }

        /// Another allocation, and another length each time.
        fn renew(&mut self) {
            self.work = self.now.iter().map(|x| x * x).collect();
            self.work.push(self.now[0]);
        }

        fn drain(&mut self, k: usize) -> Option<f64> {
            let x = self.now.get(k)?;
            if *x > 5.0 {
                return None;
            }
            self.work[0] = x * self.rates[0];
            Some(self.work[0] * x)
        }

        /// Calls itself.
        fn halve(&mut self, n: usize) {
            if n > 0 {
                self.work[n] = 0.5 * self.now[n] * self.work[n - 1];
                self.halve(n / 2);
            }
        }
    }

    impl Model {
        /// Of the same name as a method of the grid's, with another effect.
        pub fn fill(&mut self, n: usize) {
            self.peak = n as f64;
        }

        fn tick(&mut self) {
            self.t += self.dt * self.grid.now[1];
            self.count += 1;
        }

        fn note(&mut self) {
            self.log.push(self.grid.now[1] * self.t);
        }

        /// A swap of fields, whose edges differ.
        pub fn swaps(&mut self, steps: usize) {
            #[checkpoint(snapshots = 3)]
            for _ in 0..steps {
                self.grid.advance(self.dt);
                self.grid.exchange();
                self.tick();
            }
            self.grid.now[0] *= self.grid.next[1] * self.t;
        }

        pub fn sometimes(&mut self, steps: usize) {
            #[checkpoint(snapshots = 3)]
            for t in 0..steps {
                self.grid.work_at(t);
                for i in 0..self.grid.now.len() {
                    self.grid.now[i] -= self.dt * self.grid.work[i];
                }
            }
        }

        /// A callee's bound is an argument; the caller reads one more element.
        pub fn partly(&mut self, steps: usize) {
            let n = self.grid.now.len();
            #[checkpoint(snapshots = 3)]
            for _ in 0..steps {
                self.grid.fill(n - 1);
                for i in 0..n {
                    self.grid.now[i] += self.dt * self.grid.work[i];
                }
                self.grid.work[n - 1] *= self.grid.now[0];
            }
        }

        /// A bound that changes with the step.
        pub fn growing(&mut self, steps: usize) {
            let n = self.grid.now.len();
            #[checkpoint(snapshots = 3)]
            for t in 0..steps {
                self.grid.fill(1 + t % n);
                for i in 0..n {
                    self.grid.now[i] += self.dt * self.grid.work[i];
                }
            }
        }

        pub fn renewed(&mut self, steps: usize) {
            #[checkpoint(snapshots = 3)]
            for _ in 0..steps {
                self.grid.renew();
                let last = self.grid.work.len() - 1;
                self.grid.now[0] += self.dt * self.grid.work[last] * self.grid.work[1];
            }
        }

        pub fn logged(&mut self, steps: usize) {
            #[checkpoint(snapshots = 3)]
            while self.count < steps {
                self.tick();
                self.note();
                self.grid.now[1] += self.dt * self.log[self.log.len() / 2];
            }
        }

        pub fn drained(&mut self, steps: usize) -> f64 {
            let mut sum = 0.0;
            #[checkpoint(snapshots = 3)]
            for k in 0..steps {
                match self.grid.drain(k % 7) {
                    Some(x) => sum += x * self.grid.work[0],
                    None => self.peak += self.grid.work[0],
                }
                self.grid.now[k % 3] += 0.1 * sum;
            }
            sum * self.peak
        }

        pub fn recursive(&mut self, steps: usize) {
            let n = self.grid.now.len();
            #[checkpoint(snapshots = 3)]
            for t in 0..steps {
                self.grid.halve(t % n);
                self.grid.now[1] += self.grid.work[1];
            }
        }
    }

    fn flux(out: &mut [f64], grid: &Grid, edge: f64) {
        let n = out.len();
        out[0] = edge;
        for i in 1..n {
            out[i] = grid.rates[i] * (grid.now[i] - grid.now[i - 1]) * grid.now[i];
        }
    }

    /// Fields as arguments of their own, and a grid lent whole beside a local array.
    pub fn fluxes(model: &mut Model, steps: usize) {
        let mut out = vec![0.0; model.grid.now.len()];
        #[checkpoint(snapshots = 3)]
        for _ in 0..steps {
            flux(&mut out, &model.grid, model.t);
            model.t += model.dt * out[1];
            for i in 0..out.len() {
                model.grid.now[i] -= model.dt * out[i];
            }
        }
        model.peak = out[0] * out[1];
    }

    fn relax(cell: &mut Grid, dt: f64) {
        for i in 0..cell.now.len() {
            cell.work[i] = cell.now[i] * cell.rates[i];
            cell.now[i] -= dt * cell.work[i];
        }
    }

    /// An element of an array of structs.
    pub fn cells(cells: &mut Vec<Grid>, dt: f64, steps: usize) -> f64 {
        #[checkpoint(snapshots = 3)]
        for t in 0..steps {
            let at = t % cells.len();
            relax(&mut cells[at], dt);
            let x = cells[0].now[0];
            cells[at].now[0] += x * dt;
        }
        cells[0].work[0] * cells[1].now[0]
    }

    /// All that a model holds, weighed.
    fn weighed(model: &Model) -> f64 {
        let mut sum = model.t + 2.0 * model.peak;
        for i in 0..model.grid.now.len() {
            let w = 0.3 + i as f64;
            sum += w * model.grid.now[i] * model.grid.now[i] + model.grid.next[i] / w;
            sum += model.grid.work[i] * model.grid.rates[i];
        }
        for x in &model.log {
            sum += x * x;
        }
        sum
    }

    pub fn run(which: usize, now: &[f64], others: &[f64], dt: f64, steps: usize) -> f64 {
        let mut model = Model {
            grid: Grid {
                now: now.to_vec(),
                next: others.iter().map(|x| 0.5 * x).collect(),
                work: others.iter().map(|x| x * x).collect(),
                rates: others.to_vec(),
            },
            t: 0.3,
            dt,
            peak: dt * dt,
            log: Vec::new(),
            count: 0,
        };
        let drained = match which {
            0 => model.drained(steps),
            _ => 0.0,
        };
        match which {
            1 => model.swaps(steps),
            2 => model.sometimes(steps),
            3 => model.partly(steps),
            4 => model.growing(steps),
            5 => model.renewed(steps),
            6 => model.logged(steps),
            7 => model.recursive(steps),
            8 => fluxes(&mut model, steps),
            _ => {}
        }
        weighed(&model) + drained
    }

    pub fn run_cells(now: &[f64], rates: &[f64], dt: f64, steps: usize) -> f64 {
        let mut all = Vec::new();
        for k in 0..3 {
            all.push(Grid {
                now: now.iter().map(|x| x + k as f64).collect(),
                next: Vec::new(),
                work: rates.to_vec(),
                rates: rates.to_vec(),
            });
        }
        cells(&mut all, dt, steps)
    }
}
use model::*;

fn waves(n: usize, shift: f64) -> Vec<f64> {
    let wave = |i| 0.5 + 0.3 * (0.7 * i as f64 + shift).sin();
    (0..n).map(wave).collect()
}

#[test]
fn derivatives_are_right() {
    for steps in [0, 1, 7, 20] {
        for which in 0..9 {
            check!(run(const which, &waves(6, 0.1), &waves(6, 2.0), 0.2, const steps) -> f64);
        }
        check!(run_cells(&waves(4, 0.1), &waves(4, 2.0), 0.2, const steps) -> f64);
    }
}

/// The bytes that a snapshot of one of the loops takes, with these methods.
fn bytes(run: impl FnOnce(&mut Tape, &mut Model, &mut Model)) -> usize {
    let grid = Grid {
        now: waves(6, 0.1),
        next: waves(6, 1.0),
        work: waves(6, 2.0),
        rates: waves(6, 3.0),
    };
    let mut model = Model {
        grid,
        dt: 0.2,
        ..Model::default()
    };
    let mut adjoint = model.clone();
    let mut tape = Tape::new();
    run(&mut tape, &mut model, &mut adjoint);
    snapshot_bytes(&tape)
}

#[test]
fn what_methods_overwrite_is_in_no_snapshot() {
    let list = 8 * (6 + 1);
    let found = [
        bytes(|tape, m, a| m.swaps_adjoint_with(tape, a, 20)),
        bytes(|tape, m, a| m.sometimes_adjoint_with(tape, a, 20)),
        bytes(|tape, m, a| m.partly_adjoint_with(tape, a, 20)),
        bytes(|tape, m, a| m.growing_adjoint_with(tape, a, 20)),
    ];
    let expected = [
        2 * list + 8 + 8, // `now` and `next`, whose edges stay, `t` and `count`
        2 * list,         // `now` and `work`
        2 * list,         // `now` and `work`, whose last element is read
        2 * list,         // `now` and `work`
    ];
    assert_eq!(found, expected);
}
