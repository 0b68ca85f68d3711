//! Random programs: the plan's gradient is that of dual numbers, and the checker is silent.
//!
//! More of them: `cargo run --profile fuzz --example fuzz -- FROM TO`.

use std::ops::Range;

use adjoint_analysis::gen_program::oracle::Planner;
use adjoint_analysis::gen_program::shrink::shrink_failure;
use adjoint_analysis::gen_program::{Bounds, campaign::campaign};
use adjoint_analysis::plan::build::Config;
use adjoint_analysis::plan::preaccumulation::Preaccumulation;
use adjoint_analysis::testing::planners;

/// Large programs for each combination of the optimisations.
const LARGE: u64 = 260;
/// Small ones.
const SMALL: u64 = 1_400;
/// Small ones about integers.
const INDUCTIONS: u64 = 600;
/// Small ones with checkpointed loops that fill lists.
const SNAPSHOTS: u64 = 500;

fn judge(first: u64, config: Config) {
    let planners = planners(config);
    for (n, plan) in planners.iter().enumerate() {
        let share = |count: u64| count / planners.len() as u64;
        let planner = |module: &_| plan(module, config);
        for (bounds, count) in [
            (Bounds::default(), share(LARGE)),
            (Bounds::small(), share(SMALL)),
            (Bounds::of_inductions(), share(INDUCTIONS)),
            (Bounds::of_snapshots(), share(SNAPSHOTS)),
        ] {
            let first = first + n as u64 * count;
            run(first..first + count, &bounds, &planner);
        }
    }
}

fn run(seeds: Range<u64>, bounds: &Bounds, planner: &Planner<'_>) {
    let count = seeds.end - seeds.start;
    let counts = campaign(seeds, bounds, planner, &mut |failure| {
        let small = shrink_failure(&failure, planner);
        let funcs: String = small
            .program
            .module
            .funcs
            .values()
            .map(ToString::to_string)
            .collect();
        panic!("seed {}: {}\n{funcs}", failure.seed, small.fault);
    });
    assert_eq!(
        (counts.programs as u64, counts.trapped, counts.failures),
        (count, 0, 0)
    );
}

macro_rules! campaigns {
    ($($name:ident: $first:literal $activity:literal $tbr:literal $recomputation:literal $inversion:literal $simplification:literal $motion:literal $distribution:literal,)*) => {
        $(
            #[test]
            fn $name() {
                let (activity, tbr, recomputation) = ($activity, $tbr, $recomputation);
                let (inversion, simplification) = ($inversion, $simplification);
                let (motion, distribution) = ($motion, $distribution);
                // Without activity analysis, no function sees another one's body.
                let flattening = activity;
                let preaccumulation = Preaccumulation::Everywhere;
                judge($first, Config { activity, tbr, recomputation, inversion, simplification, motion, distribution, flattening, preaccumulation, fusion: Some(2) });
            }
        )*
    };
}

campaigns! {
    with_everything_off: 1_000_000 false false false false false false false,
    with_activity: 1_010_000 true false false false true false true,
    with_tbr: 1_020_000 false true false false true true false,
    with_activity_and_tbr: 1_030_000 true true false false true true true,
    with_recomputation: 1_040_000 false false true false true true false,
    with_activity_and_recomputation: 1_050_000 true false true false true true true,
    with_tbr_and_recomputation: 1_060_000 false true true false true false true,
    with_all_but_inversion: 1_070_000 true true true false true true true,
    with_tbr_and_inversion: 1_080_000 false true false true true true true,
    with_activity_tbr_and_inversion: 1_090_000 true true false true true true true,
    with_all_but_simplification: 1_110_000 true true true true false true true,
    with_all_but_distribution: 1_120_000 true true true true true true false,
    with_all_but_motion: 1_130_000 true true true true true false true,
    with_everything_on: 1_100_000 true true true true true true true,
}
