//! Fits the Lotka–Volterra equations to the lynx and hare pelts of the Hudson's Bay Company.
//!
//! ```text
//! cargo run --release --example lynx_hare             # the years 1900 to 1920
//! cargo run --release --example lynx_hare -- FILE.csv # other observations: year,hare,lynx
//! ```
//!
//! Prints the fit beside published estimates, checks the gradient and times it, and draws
//! `lynx_hare.svg` in the current folder.

mod data;
mod fit;
mod model;
mod plot;
#[path = "../common/timing.rs"]
mod timing;

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use adjoint::{Tape, TapeStats, check};

use data::Observations;
use fit::STEPS_PER_YEAR;
use model::{misfit, misfit_adjoint, misfit_adjoint_with};

const PICTURE: &str = "lynx_hare.svg";

/// The largest relative error of the gradient that passes the check.
const GRADIENT_TOLERANCE: f64 = 1e-7;

/// The parameters, in the model's order, with published estimates for the rates (B. Carpenter,
/// *Predator-Prey Population Dynamics: the Lotka–Volterra model in Stan*, 2018).
const PARAMETERS: [(&str, Option<f64>); 6] = [
    ("prey growth, per year", Some(0.55)),
    ("predation, per year", Some(0.028)),
    ("predator death, per year", Some(0.80)),
    ("conversion, per year", Some(0.024)),
    ("initial hares, thousands", None),
    ("initial lynxes, thousands", None),
];

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lynx_hare: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let observations = match arguments {
        [] => data::read(&include_bytes!("hudson_bay.csv")[..], "hudson_bay.csv")?,
        [file] => data::read_file(Path::new(file))?,
        _ => return Err("usage: lynx_hare [FILE.csv]".into()),
    };
    let start = fit::start(&observations);
    let fit = fit::fit(&observations, &start)?;
    println!(
        "misfit {:.6} after {} iterations ({})\n",
        fit.misfit, fit.iterations, fit.reason
    );
    print_parameters(&fit.parameters);
    check_gradient(&observations, &start)?;
    print_times(&observations, &fit.parameters);
    plot::draw(Path::new(PICTURE), &observations, &fit.parameters)
        .map_err(|e| format!("{PICTURE}: {e}"))?;
    println!("picture             {PICTURE}");
    Ok(())
}

fn print_parameters(fitted: &[f64]) {
    println!("{:<27}{:>10}{:>11}", "", "fitted", "published");
    for ((name, published), fitted) in PARAMETERS.iter().zip(fitted) {
        let published = published.map_or(String::new(), |value| value.to_string());
        println!("{name:<27}{fitted:>10.4}{published:>11}");
    }
    println!();
}

/// Compares the gradient with finite differences at `p`, where it is not nearly zero.
fn check_gradient(observations: &Observations, p: &[f64]) -> Result<(), String> {
    let Observations { years, hare, lynx } = observations;
    let mut p_adj = vec![0.0; p.len()];
    misfit_adjoint(p, &mut p_adj, years, hare, lynx, STEPS_PER_YEAR, 1.0);
    let function = |p: &[f64]| misfit(p, years, hare, lynx, STEPS_PER_YEAR);
    let error = check::finite_difference(function, p, &p_adj).relative_error;
    println!("gradient check      {error:.1e} (relative, against finite differences)");
    match error < GRADIENT_TOLERANCE {
        true => Ok(()),
        false => Err(format!(
            "the gradient is wrong: {error:.1e} is not below {GRADIENT_TOLERANCE:e}"
        )),
    }
}

/// Times function and gradient, and shows what the gradient's tape held.
fn print_times(observations: &Observations, p: &[f64]) {
    let Observations { years, hare, lynx } = observations;
    let mut tape = Tape::new();
    let mut p_adj = vec![0.0; p.len()];
    let [function, gradient] = timing::interleaved_medians(
        501,
        [
            &mut || {
                black_box(misfit(black_box(p), years, hare, lynx, STEPS_PER_YEAR));
            },
            &mut || {
                let p = black_box(p);
                misfit_adjoint_with(
                    &mut tape,
                    p,
                    &mut p_adj,
                    years,
                    hare,
                    lynx,
                    STEPS_PER_YEAR,
                    1.0,
                );
            },
        ],
    );
    println!("function            {:.1} µs", 1e6 * function);
    println!(
        "gradient            {:.1} µs, {:.2} times the function",
        1e6 * gradient,
        gradient / function
    );
    print_tape(&tape.stats());
}

fn print_tape(stats: &TapeStats) {
    for (kind, pushed) in [
        ("reals", stats.reals),
        ("integers", stats.integers),
        ("control", stats.control),
        ("snapshots", stats.snapshots),
    ] {
        println!(
            "tape, {kind:<14}{} entries, {} bytes",
            pushed.entries, pushed.bytes
        );
    }
    println!(
        "tape, at most       {} bytes held at once",
        stats.peak_bytes
    );
}
