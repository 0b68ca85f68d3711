use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Stack {
    data: Vec<f64>,
    k: f64,
}

#[adjoint]
impl Stack {
    fn push(&mut self, v: f64) {
        self.data.push(v * self.k);
    }

    fn get(&self, i: usize) -> Option<f64> {
        self.data.get(i).map(|v| v * self.k)
    }
}

#[derive(Clone, Differentiable)]
struct Owner {
    s: Stack,
}

#[adjoint]
impl Owner {
    fn add(&mut self, v: f64) {
        self.s.push(v * v);
    }

    fn at(&self, i: usize) -> f64 {
        self.s.get(i).map_or(0.0, |v| v * 2.0)
    }
}

fn main() {
    let mut o = Owner {
        s: Stack {
            data: Vec::new(),
            k: 1.0,
        },
    };
    o.add(1.0);
    o.at(0);
}
