//! Tapes that go to other threads.

use std::thread;

use adjoint::{Differentiable, Tape, adjoint};

#[derive(Differentiable, Clone, Copy, Debug, PartialEq)]
struct Spring {
    stiffness: f64,
    ends: [usize; 2],
}

#[adjoint]
fn energy(springs: &[Spring], x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for s in springs {
        let mut stretch = x[s.ends[1]] - x[s.ends[0]];
        stretch = stretch * stretch;
        sum += 0.5 * s.stiffness * stretch * stretch;
    }
    sum
}

/// What a solver keeps.
struct Solver {
    tape: Tape,
    springs: Vec<Spring>,
}

impl Solver {
    fn forces(&mut self, x: &[f64]) -> Vec<f64> {
        let (_, (_, gradient)) = energy_value_and_gradient_with(&mut self.tape, &self.springs, x);
        gradient
    }
}

fn solver() -> Solver {
    Solver {
        tape: Tape::new(),
        springs: vec![
            Spring {
                stiffness: 0.5,
                ends: [0, 1],
            },
            Spring {
                stiffness: 2.0,
                ends: [2, 0],
            },
        ],
    }
}

#[test]
fn a_solver_moves_to_a_thread_and_back() {
    let mut solver = solver();
    let here = solver.forces(&[0.0, 1.0, 2.0]);
    assert_eq!(here, [-33.0, 1.0, 32.0]);
    let moved = thread::spawn(move || {
        let there = solver.forces(&[0.0, 1.0, 2.0]);
        (solver, there)
    });
    let (mut solver, there) = moved.join().expect("the thread ends well");
    assert_eq!(there, here);
    assert_eq!(solver.forces(&[0.0, 1.0, 2.0]), here);
}

#[test]
fn threads_have_a_tape_each() {
    let points: Vec<[f64; 3]> = (0..8).map(|k| [0.0, f64::from(k), 1.0]).collect();
    let mut forces = vec![Vec::new(); points.len()];
    thread::scope(|scope| {
        for (points, forces) in points.chunks(2).zip(forces.chunks_mut(2)) {
            scope.spawn(move || {
                let mut solver = solver();
                for (x, force) in points.iter().zip(forces) {
                    *force = solver.forces(x);
                }
            });
        }
    });
    for (x, force) in points.iter().zip(&forces) {
        let cube = x[1].powi(3);
        // From 0.25·(x₁ − x₀)⁴ + (x₀ − x₂)⁴ at x₀ = 0, x₂ = 1.
        assert_eq!(force, &[-cube - 4.0, cube, 4.0]);
    }
}
