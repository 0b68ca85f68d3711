use std::error::Error;

use adjoint::adjoint;

#[adjoint]
fn first(x: &[f64]) -> Result<f64, Box<dyn Error>> {
    if x.is_empty() {
        return Err("nothing to square".into());
    }
    Ok(x[0] * x[0])
}

#[adjoint]
fn of_many(x: &[f64]) -> Result<Vec<f64>, Box<dyn Error + Send + Sync>> {
    Ok(x.to_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut x_adj = [0.0];
    first_adjoint(&[1.0], &mut x_adj, Ok(1.0))?;
    Ok(())
}
