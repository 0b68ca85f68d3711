//! Judges the planner on random programs: `fuzz [FROM] [TO] [small|inductions|snapshots]`.
//!
//! With `small`, programs that a person can read: many more of them in the same time. With `inductions`, small ones about
//! integers that index code carries through loops; with `snapshots`, about checkpointed loops that fill lists.
//!
//! For each seed a program is drawn, planned under one combination of the optimisations (all of them
//! in turn, with functions that see each other's bodies or not), checked and run; its gradient is compared with that of dual numbers.

use adjoint_analysis::gen_program::shrink::shrink_failure;
use adjoint_analysis::gen_program::{Bounds, campaign::campaign};
use adjoint_analysis::testing::{all_configs, planners};

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse::<u64>().ok());
    let (from, to) = (args.next().unwrap_or(0), args.next().unwrap_or(20_000));
    let is_given = |name: &str| std::env::args().any(|a| a == name);
    let bounds = match () {
        () if is_given("inductions") => Bounds::of_inductions(),
        () if is_given("snapshots") => Bounds::of_snapshots(),
        () if is_given("small") => Bounds::small(),
        () => Bounds::default(),
    };
    let ways: Vec<_> = all_configs()
        .into_iter()
        .flat_map(|config| planners(config).into_iter().map(move |plan| (config, plan)))
        .collect();
    let start = std::time::Instant::now();
    let mut failures = 0;
    let width = (to - from).div_ceil(ways.len() as u64);
    for (i, (config, plan)) in ways.iter().enumerate() {
        let lo = (from + width * i as u64).min(to);
        let seeds = lo..(lo + width).min(to);
        let planner = |module: &_| plan(module, *config);
        let counts = campaign(seeds, &bounds, &planner, &mut |failure| {
            failures += 1;
            if failures <= 5 {
                let small = shrink_failure(&failure, &planner);
                println!("seed {} {config:?}\n{}", failure.seed, small.fault);
                for func in small.program.module.funcs.values() {
                    println!("{func}");
                }
                println!("inputs {:?}", small.program.inputs);
            }
        });
        println!("{config:?}: {counts:?}");
    }
    println!(
        "{failures} failures in {:.1} s",
        start.elapsed().as_secs_f64()
    );
    assert_eq!(failures, 0);
}
