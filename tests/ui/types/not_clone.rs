use adjoint::{Differentiable, adjoint};

#[derive(Differentiable)]
struct Chain {
    links: Vec<f64>,
}

#[adjoint]
impl Chain {
    fn weight(self, k: f64) -> f64 {
        self.links.into_iter().map(|link| link * k).sum()
    }
}

#[adjoint]
fn scaled(chain: Chain, k: f64) -> f64 {
    chain.links[0] * k
}

fn main() {
    let chain = |link| Chain { links: vec![link] };
    chain(1.0).weight(2.0);
    scaled(chain(1.0), 2.0);
}
