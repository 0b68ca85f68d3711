//! Judges `adjoint` on random Rust sources: `random_sources FROM TO [--family chains|structures]`.
//!
//! Each seed draws a kernel with what it needs, in each family. All are compiled by rustc with and without the
//! attribute, run, and compared with differences. What fails is printed with its seed and text, and with
//! `random_sources --reduce SEED --family ..` made as short as lines can be dropped. `--print SEED` shows what is drawn.

use std::path::{Path, PathBuf};

use adjoint_analysis::gen_source::run::campaign::campaign;
use adjoint_analysis::gen_source::run::reduce::reduce;
use adjoint_analysis::gen_source::{Family, Outcome, Project, Source, draw};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| {
        let at = args.iter().position(|a| a == flag)?;
        args.get(at + 1)
    };
    let families = match after("--family").map(String::as_str) {
        Some("chains") => vec![Family::Chains],
        Some("structures") => vec![Family::Structures],
        Some(other) => panic!("no family `{other}`"),
        None => vec![Family::Chains, Family::Structures],
    };
    let number = |text: &String| text.parse::<u64>().expect("a seed");
    if let Some(seed) = after("--print").map(number) {
        for family in families {
            println!("{}", draw(seed, family).judged());
        }
        return;
    }
    if let Some(seed) = after("--reduce").map(number) {
        for family in families {
            let mut seen = |source: &Source| println!("{}", source.judged());
            let short = reduce(&project(), &draw(seed, family), &mut seen);
            let end = if short.is_some() {
                "the shortest"
            } else {
                "no fault"
            };
            println!("seed {seed}, {family:?}: {end}");
        }
        return;
    }
    let mut seeds = args.iter().take(2).map(number);
    let (from, to) = (seeds.next().unwrap_or(0), seeds.next().unwrap_or(100));
    let start = std::time::Instant::now();
    let verbose = args.iter().any(|a| a == "--refused");
    let counts = campaign(&project(), from..to, &families, &mut |source, outcome| {
        let (seed, family) = (source.seed, source.family);
        match outcome {
            Outcome::Fault(fault, what) => {
                println!(
                    "{fault:?}: seed {seed}, {family:?}\n{what}\n{}",
                    source.judged()
                );
            }
            Outcome::RefusedByRustc(what) | Outcome::RefusedByAdjoint(what) if verbose => {
                println!("seed {seed}, {family:?}: {what}");
            }
            _ => {}
        }
    });
    println!("{counts} in {:.0} s", start.elapsed().as_secs_f64());
    assert_eq!(counts.faults, 0, "there are faults");
}

fn project() -> Project {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let workspace = workspace.expect("the workspace's folder").to_path_buf();
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or(Path::new("target").to_path_buf(), PathBuf::from);
    Project {
        directory: workspace.join(target).join("random-sources"),
        workspace,
        optimised: true,
    }
}
