//! The fit to the years 1900 to 1920 reaches the published estimates, from more than one start.

use super::*;
use crate::data;

fn hudson_bay() -> Observations {
    data::read(&include_bytes!("hudson_bay.csv")[..], "hudson_bay.csv").unwrap()
}

#[test]
fn the_rates_are_near_the_published_ones() {
    let observations = hudson_bay();
    let fit = fit(&observations, &start(&observations)).unwrap();
    for (fitted, published) in fit.parameters.iter().zip([0.55, 0.028, 0.80, 0.024]) {
        assert!(
            (fitted / published - 1.0).abs() < 0.05,
            "{:?}",
            fit.parameters
        );
    }
    assert!((fit.misfit - 1.009331).abs() < 1e-6, "{}", fit.misfit);
}

#[test]
fn other_starts_lead_to_the_same_minimum() {
    let observations = hudson_bay();
    for rates in [
        [0.5, 0.02, 0.8, 0.04],
        [0.6, 0.03, 0.6, 0.02],
        [0.7, 0.02, 1.0, 0.02],
        [0.4, 0.02, 0.7, 0.02],
        [0.5, 0.05, 0.5, 0.05],
    ] {
        let mut start = start(&observations);
        start[..4].copy_from_slice(&rates);
        let fit = fit(&observations, &start).unwrap();
        assert!(
            (fit.misfit - 1.009331).abs() < 1e-6,
            "{rates:?} leads to {}",
            fit.misfit
        );
    }
}

#[test]
fn a_start_where_the_integration_fails_is_an_error() {
    let observations = hudson_bay();
    let error = fit(&observations, &[1e3, 1.0, 1e3, 1.0, 30.0, 4.0])
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "the model cannot be integrated from the start of the fit"
    );
}
