//! Random Rust sources, compiled with and without the attribute, against differences; and the oracle that judges
//! them, against adjoints that are wrong.
//!
//! More of them: `cargo run --release --example random_sources -- FROM TO`.

#[path = "judge/mod.rs"]
mod common;

use std::path::{Path, PathBuf};

use adjoint::adjoint;
use adjoint_analysis::gen_source::run::campaign::campaign;
use adjoint_analysis::gen_source::{Family, Outcome, Project};
use common::{Verdict, check};

/// How many sources are drawn of each family.
const SOURCES: u64 = 12;

#[test]
fn random_sources_are_differentiated_rightly() {
    let project = Project {
        workspace: PathBuf::from(env!("CARGO_MANIFEST_DIR")),
        directory: Path::new(env!("CARGO_TARGET_TMPDIR")).join("random-sources"),
        optimised: false,
    };
    let families = [Family::Chains, Family::Structures];
    let counts = campaign(&project, 0..SOURCES, &families, &mut |source, outcome| {
        if let Outcome::Fault(fault, what) = outcome {
            panic!(
                "{fault:?}: seed {}, {:?}\n{what}\n{}",
                source.seed,
                source.family,
                source.judged()
            );
        }
    });
    let drawn = families.len() * SOURCES as usize;
    assert!(2 * counts.agreeing > drawn, "{counts}");
    assert!(counts.compared > 20 * counts.agreeing, "{counts}");
}

#[adjoint]
fn right(x: f64, y: &mut [f64]) -> f64 {
    y[0] *= x.sin();
    y[0] * x
}

/// The functions of which these are adjoints return `x.sin()`.
macro_rules! wrong {
    ($name:ident, $slope:ident, |$x:ident, $x_adj:ident, $seed:ident| $body:expr) => {
        #[adjoint(custom = $slope)]
        fn $name(x: f64) -> f64 {
            x.sin()
        }

        fn $slope($x: f64, $x_adj: &mut f64, $seed: f64) -> f64 {
            $body
        }
    };
}

wrong!(of_another_slope, another_slope, |x, x_adj, seed| {
    *x_adj += 1.00001 * seed * x.cos();
    x.sin()
});
wrong!(that_overwrites, overwriting, |x, x_adj, seed| {
    *x_adj = seed * x.cos();
    x.sin()
});
wrong!(of_another_value, another_value, |x, x_adj, seed| {
    *x_adj += seed * x.cos();
    x.sin() + 1e-15
});
wrong!(that_panics, panicking, |x, x_adj, seed| {
    *x_adj += seed;
    assert!(x < 0.0, "no slope");
    x
});

#[adjoint]
fn with_a_kink(x: f64, y: f64) -> f64 {
    x.abs() + y
}

#[test]
fn the_oracle_tells_right_from_wrong() {
    assert_eq!(
        check!(right(0.7, &mut [0.3, 0.4]) -> f64),
        Verdict::Agrees(3, 3)
    );
    assert!(matches!(
        check!(of_another_slope(0.7) -> f64),
        Verdict::Gradient(_)
    ));
    assert!(matches!(
        check!(that_overwrites(0.7) -> f64),
        Verdict::Gradient(_)
    ));
    assert!(matches!(
        check!(of_another_value(0.7) -> f64),
        Verdict::Value(_)
    ));
    let panics = Verdict::Panics("no slope".to_string());
    assert_eq!(check!(that_panics(0.7) -> f64), panics);
}

#[test]
fn the_oracle_passes_over_kinks_and_what_has_no_value() {
    assert_eq!(check!(with_a_kink(0.0, 0.5) -> f64), Verdict::Agrees(1, 2));
    assert_eq!(check!(with_a_kink(1e-4, 0.5) -> f64), Verdict::Agrees(1, 2));
    assert!(matches!(
        check!(right(0.7, &mut [0.0; 0]) -> f64),
        Verdict::Nothing(_)
    ));
}
