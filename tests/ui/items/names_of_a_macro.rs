use adjoint::adjoint;

fn scale(x: f64) -> f64 {
    2.0 * x
}

macro_rules! kernel {
    ($name:ident($($p:ident),*) = $e:expr) => {
        #[adjoint]
        fn $name($($p: f64),*) -> f64 {
            scale($e)
        }
    };
}

kernel!(of_scale(x, scale) = x * scale);

fn main() {}
