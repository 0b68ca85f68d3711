//! The adjoint report and the annotated listing.

use adjoint_analysis::expand::{Analysed, analyse};
use adjoint_analysis::options::Options;
use adjoint_analysis::report;


/// Analyses a function under `#[adjoint(args)]`.
fn analysed(args: &str, function: &str) -> Analysed {
    let options = Options::parse(args.parse().unwrap()).unwrap();
    analyse(&syn::parse_str(function).unwrap(), &options).unwrap()
}

#[test]
fn try_it() {
    println!("{}", report::markdown(&analysed("", r"fn misfit(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..t.len() {
            let r = p[0] * (-p[1] * t[i]).exp() - y[i];
            sum += r * r;
        }
        sum
    }")));
    println!("{}", report::markdown(&analysed("", r"fn figure_1(x: &mut [f64]) {
        let mut i = 0usize;
        let mut j = 10usize;
        let mut a = 3.14159;
        while j > 0 {
            if i.max(j) > 7 {
                x[i] = j as f64 + x[i].sin();
            } else {
                x[j] = j as f64 * x[j].cos() + a;
            }
            i += 1;
            j -= 1;
            a /= 2.0;
        }
    }")));
    println!("{}", report::markdown(&analysed("", r"fn nested(x: &[f64], n: usize, m: usize, out: &mut Vec<f64>) -> f64 {
        let mut s = 0.0;
        for i in 1..n {
            for j in (0..m).rev() {
                let mut q = x[i] * x[j];
                if q > 0.5 { q = q.sqrt(); s += g(q, &x); }
                if j % 2 == 0 { s = s * q.exp(); }
                if s > 100.0 { break; }
            }
        }
        let old = out.clone();
        out[0] = s * old[1];
        s
    }")));
}
