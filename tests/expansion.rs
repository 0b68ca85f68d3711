//! The work of the macro grows no faster than the functions that it is given.

#[path = "common/shapes.rs"]
mod shapes;

use adjoint_analysis::expand::expand;
use proc_macro2::TokenStream;
use shapes::{SHAPES, Shape};

/// Allocations and tokens of the expansion, per line: what can be counted, whatever the machine does. (The
/// checker of plans is in it.)
fn per_line(shape: &Shape, lines: usize) -> [f64; 2] {
    let item: TokenStream = shape.function("f", lines).parse().expect("tokens");
    let mut expanded = TokenStream::new();
    let info = allocation_counter::measure(|| expanded = expand(TokenStream::new(), item));
    [info.count_total as usize, tokens(expanded)].map(|n| n as f64 / lines as f64)
}

fn tokens(stream: TokenStream) -> usize {
    let size = |token| match token {
        proc_macro2::TokenTree::Group(group) => 1 + tokens(group.stream()),
        _ => 1,
    };
    stream.into_iter().map(size).sum()
}

/// The most allocations and tokens for a line of straight code, loops and branches in turn, and for one with a call or
/// two of functions that are not visible.
const MOST: [(&str, [f64; 2]); 2] = [("mixed", [2600.0, 375.0]), ("calls", [2100.0, 525.0])];

#[test]
fn a_line_takes_little() {
    for (name, most) in MOST {
        let shape = SHAPES.iter().find(|shape| shape.name == name);
        for lines in [30, 100] {
            let taken = per_line(shape.expect("a shape"), lines);
            for (taken, most) in taken.into_iter().zip(most) {
                assert!(taken < most, "{name}: {taken} per line");
            }
        }
    }
}

#[test]
fn the_expansion_is_linear_in_the_length_of_the_function() {
    for shape in SHAPES {
        let (short, long) = (per_line(shape, 100), per_line(shape, 800));
        println!("{}: {short:?} {long:?}", shape.name);
        for (short, long) in short.into_iter().zip(long) {
            assert!(
                long < 2.0 * short,
                "{}: {short} and {long} per line",
                shape.name
            );
        }
    }
}
