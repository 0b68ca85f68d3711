//! Small solvers.

use std::ops::Range;

use adjoint_runtime::checkpoint::CheckpointedLoop;

/// A map on many numbers that is not linear: u ← u + h·sin(u + its neighbour). Its adjoint needs each state.
#[derive(Debug, Clone)]
pub struct Spin {
    steps: usize,
    pub u: Vec<f64>,
    pub u_adj: Vec<f64>,
    tape: Vec<Vec<f64>>,
    /// The step that panics.
    pub panics_in: Option<usize>,
}

const H: f64 = 0.1;

impl Spin {
    pub fn new(steps: usize, n: usize) -> Spin {
        Spin {
            steps,
            u: (0..n).map(|i| 0.7 * i as f64).collect(),
            u_adj: vec![0.0; n],
            tape: Vec::new(),
            panics_in: None,
        }
    }

    fn reverse_step(&mut self) {
        let u = self.tape.pop().expect("each step was recorded");
        for i in (0..u.len()).rev() {
            let next = (i + 1) % u.len();
            let add = H * (u[i] + u[next]).cos() * self.u_adj[i];
            self.u_adj[i] += add;
            self.u_adj[next] += add;
        }
    }
}

impl CheckpointedLoop for Spin {
    type Snapshot = Vec<f64>;

    fn more(&mut self, step: usize) -> bool {
        step < self.steps
    }

    fn advance(&mut self, step: usize) {
        assert_ne!(self.panics_in, Some(step), "the solver fails");
        let before = self.u.clone();
        for i in 0..before.len() {
            self.u[i] += H * (before[i] + before[(i + 1) % before.len()]).sin();
        }
    }

    fn reverse(&mut self, steps: Range<usize>) {
        for step in steps.clone() {
            self.tape.push(self.u.clone());
            self.advance(step);
        }
        if steps.end == self.steps {
            self.u_adj.copy_from_slice(&self.u);
        }
        steps.for_each(|_| self.reverse_step());
    }

    fn save(&self, snapshot: &mut Vec<f64>) {
        snapshot.clone_from(&self.u);
    }

    fn restore(&mut self, snapshot: &Vec<f64>) {
        self.u.copy_from_slice(snapshot);
    }
}
