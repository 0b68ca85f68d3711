//! An Asian option and its Greeks by Monte Carlo, with pathwise derivatives.
//!
//! ```text
//! cargo run --release --example monte_carlo
//! ```

use adjoint::{Differentiable, adjoint, check};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rand_distr::StandardNormal;

/// What the price is differentiated by.
#[derive(Differentiable, Clone, Debug)]
struct Market {
    spot: f64,
    rate: f64,
    volatility: f64,
}

const MARKET: Market = Market {
    spot: 100.0,
    rate: 0.03,
    volatility: 0.2,
};

/// A call on the mean of the prices at `times` dates in one year.
#[adjoint(wrt(market))]
fn price(market: &Market, strike: f64, times: usize, paths: usize, rng: &mut StdRng) -> f64 {
    let step = 1.0 / times as f64;
    let drift = (market.rate - 0.5 * market.volatility * market.volatility) * step;
    let spread = market.volatility * step.sqrt();
    let mut sum = 0.0;
    for _ in 0..paths {
        let mut spot = market.spot;
        let mut mean = 0.0;
        for _ in 0..times {
            let z: f64 = rng.sample(StandardNormal);
            spot *= (drift + spread * z).exp();
            mean += step * spot;
        }
        sum += (mean - strike).max(0.0);
    }
    (-market.rate).exp() * sum / paths as f64
}

fn main() {
    let (times, strike, paths) = (12, 100.0, 100_000);
    let rng = || StdRng::seed_from_u64(1);
    let (value, greeks) = price_value_and_gradient(&MARKET, strike, times, paths, &mut rng());
    println!("price {value:.4}");
    println!("delta {:.4}", greeks.spot);
    println!("rho   {:.4}", greeks.rate);
    println!("vega  {:.4}", greeks.volatility);
    let differences = check::gradient(
        |market| price(market, strike, times, paths, &mut rng()),
        |market| price_value_and_gradient(market, strike, times, paths, &mut rng()),
        &MARKET,
    );
    println!(
        "from differences with the same draws, relatively: {:.1e}",
        differences.relative_error
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_that_of_common_random_numbers() {
        // Deep in the money, no path is near the kink.
        let rng = || StdRng::seed_from_u64(2);
        check::gradient(
            |market| price(market, 20.0, 6, 100, &mut rng()),
            |market| price_value_and_gradient(market, 20.0, 6, 100, &mut rng()),
            &MARKET,
        )
        .assert_within(1e-8);
    }

    #[test]
    fn one_date_gives_the_european_option() {
        // Black and Scholes' price, delta, rho and vega; the tolerances are some four standard errors.
        let rng = &mut StdRng::seed_from_u64(3);
        let (value, greeks) = price_value_and_gradient(&MARKET, 100.0, 1, 100_000, rng);
        let close = |found: f64, expected: f64, tolerance: f64| {
            assert!((found - expected).abs() < tolerance, "{found}, {expected}");
        };
        close(value, 9.413, 0.18);
        close(greeks.spot, 0.5987, 0.008);
        close(greeks.rate, 50.46, 0.7);
        close(greeks.volatility, 38.67, 1.0);
    }

    #[test]
    fn a_market_without_volatility_has_a_closed_form() {
        let still = Market {
            volatility: 0.0,
            rate: 0.0,
            ..MARKET
        };
        let rng = &mut StdRng::seed_from_u64(4);
        let (value, greeks) = price_value_and_gradient(&still, 90.0, 4, 2, rng);
        assert_eq!(value, 10.0);
        assert_eq!(greeks.spot, 1.0);
        // The mean over the dates grows by (1/4 + 2/4 + 3/4 + 1)/4 of the rate, and the price is discounted.
        assert!((greeks.rate - (62.5 - 10.0)).abs() < 1e-12);
    }
}
