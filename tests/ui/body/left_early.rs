use adjoint::{Differentiable, adjoint};

#[derive(Differentiable, Clone)]
struct State {
    u: f64,
}

#[adjoint]
fn moved(state: &State, by: f64) -> State {
    let mut state = state.clone();
    state.u += by;
    state
}

#[adjoint]
fn first_positive(state: &State, x: &[f64]) -> State {
    for v in x {
        if *v > 0.0 {
            return moved(state, *v);
        }
    }
    moved(state, 0.0)
}

fn main() {
    let (state, mut state_adj) = (State { u: 1.0 }, State { u: 0.0 });
    first_positive_adjoint(&state, &mut state_adj, &[1.0], &mut [0.0], State { u: 1.0 });
}
