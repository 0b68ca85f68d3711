use adjoint::adjoint;

struct Settings {
    scale: f64,
}

const SETTINGS: Settings = Settings { scale: 2.0 };

#[adjoint(wrt(x, y))]
fn several(x: &[f64], c: bool) -> f64 {
    #[cfg(target_os = "none")]
    let c = !c;
    let mut views = [x, &x[1..]];
    views.swap(0, usize::from(c));
    let view = views[0];
    if c {
        fn scaled(x: f64) -> f64 {
            3.0 * x
        }
        return scaled(view[0]);
    }
    unsafe { *view.as_ptr() }
}

#[adjoint]
fn untyped(x: f64) -> f64 {
    let settings = SETTINGS;
    settings.scale * x
}

fn main() {
    several_adjoint(&[1.0], &mut [0.0], true, 1.0);
    untyped_adjoint(1.0, &mut 0.0, 1.0);
}
