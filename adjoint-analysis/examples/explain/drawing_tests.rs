//! Each statement is readable, and the picture is as large as what is in it.

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse_in;
use adjoint_analysis::expand::find::functions;
use adjoint_analysis::report::cfg::{Graph, Vertex, graphs};
use adjoint_analysis::report::dependencies::dependency_graphs;

use super::*;
use crate::picture::MARGIN;

/// The one function in `text`.
fn analysed(text: &str) -> Analysed {
    let file = syn::parse_file(text).expect("a function");
    let found = functions(&file).remove(0);
    let options = found.options.expect("options");
    analyse_in(&found.item, &options, &found.env).expect("no refusals")
}

/// Its control-flow graphs.
fn graphs_of(text: &str) -> Vec<Graph> {
    let graphs = graphs(&analysed(text));
    vec![
        graphs.primal,
        graphs.reversal.forward,
        graphs.reversal.reverse,
    ]
}

/// A block of many statements in a loop, and one statement that is longer than a line.
fn long_function() -> String {
    let steps: String = (0..40).map(|k| format!("y = (y * {k}.5).sin();")).collect();
    let sum = ["x.sin() * y.cos()"; 12].join(" + ");
    format!(
        "#[adjoint] fn f(x: f64, n: usize) -> f64 {{
             let mut y = x;
             for _ in 0..n {{ if y < 1.0 {{ {steps} }} y *= x; }}
             let unreadable = {sum};
             y * unreadable
         }}"
    )
}

/// The numbers in the attributes `names` of each `element`.
fn numbers<const N: usize>(svg: &str, element: &str, names: [&str; N]) -> Vec<[f64; N]> {
    let start = format!("<{element} ");
    let elements = svg.lines().filter(|l| l.starts_with(&start));
    let number = |line: &str, name: &str| -> f64 {
        let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("attribute");
        let (value, _) = rest.split_once('"').expect("a quote");
        value.parse().expect("a number")
    };
    elements
        .map(|line| names.map(|name| number(line, name)))
        .collect()
}

/// The lines of text, in their order.
fn texts(svg: &str) -> Vec<String> {
    let lines = svg.lines().filter(|l| l.starts_with("<text "));
    let content = lines.map(|l| {
        let inner = l.split_once('>').expect("an element").1;
        inner.trim_end_matches("</text>").to_string()
    });
    content
        .map(|t| t.replace("&lt;", "<").replace("&gt;", ">"))
        .map(|t| t.replace("&amp;", "&"))
        .collect()
}

#[test]
fn every_statement_is_written_out() {
    for graph in graphs_of(&long_function()) {
        let texts = texts(&svg(&graph.diagram()));
        let drawn = texts
            .join(" ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        for line in graph.vertices.iter().flat_map(Vertex::lines) {
            assert!(drawn.contains(&line), "{line} is not in\n{drawn}");
        }
        assert!(!drawn.contains('…') && !drawn.contains("..."), "{drawn}");
        assert!(
            texts
                .iter()
                .all(|t| t.trim_end().chars().count() <= LONGEST)
        );
    }
}

#[test]
fn the_picture_ends_where_its_content_does() {
    for graph in graphs_of(&long_function()) {
        let svg = svg(&graph.diagram());
        let boxes = numbers(&svg, "rect", ["x", "y", "width", "height"]);
        // The first one is the paper.
        let ([x, y, width, height], boxes) = (boxes[0], &boxes[1..]);
        assert_eq!(numbers(&svg, "svg", ["width", "height"]), [[width, height]]);
        assert_eq!(boxes.len(), graph.vertices.len());
        let low =
            |values: &dyn Fn(&[f64; 4]) -> f64| boxes.iter().map(values).fold(f64::MAX, f64::min);
        let high =
            |values: &dyn Fn(&[f64; 4]) -> f64| boxes.iter().map(values).fold(f64::MIN, f64::max);
        // No arrow goes above the first box or below the last one.
        assert!((low(&|b| b[1]) - MARGIN - y).abs() < 0.3);
        assert!((high(&|b| b[1] + b[3]) + MARGIN - y - height).abs() < 0.3);
        // Arrows go around boxes at the sides.
        assert!(low(&|b| b[0]) - MARGIN >= x - 0.3);
        assert!(high(&|b| b[0] + b[2]) + MARGIN <= x + width + 0.3);
    }
}

#[test]
fn code_stays_within_its_box() {
    for graph in graphs_of(&long_function()) {
        let svg = svg(&graph.diagram());
        let boxes = numbers(&svg, "rect", ["x", "y", "width", "height"]);
        let places = numbers(&svg, "text", ["x", "y"]);
        let texts = texts(&svg);
        let lines: usize = graph.vertices.iter().map(|v| v.lines().len()).sum();
        assert!(texts.len() > lines, "the long line is wrapped");
        let labels = graph
            .edges
            .iter()
            .filter(|e| e.label.or(e.arm_label).is_some());
        let outside = places.iter().zip(&texts).filter(|([x, y], text)| {
            let right = x + text_size(text).x;
            let within =
                |b: &&[f64; 4]| b[0] < *x && right < b[0] + b[2] && b[1] < *y && *y < b[1] + b[3];
            boxes[1..].iter().find(within).is_none()
        });
        assert_eq!(outside.count(), labels.count(), "labels of arrows alone");
    }
}

#[test]
fn lines_are_broken_between_words() {
    let long = ["0123456789"; 8].join(" ");
    let lines = wrapped(&long);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].trim_end().chars().count(), 65);
    assert_eq!(lines[1], format!("{INDENT}{}", ["0123456789"; 2].join(" ")));
    let word = "x".repeat(100);
    assert_eq!(wrapped(&word), std::slice::from_ref(&word));
    assert_eq!(wrapped("y = x"), ["y = x"]);
}

/// `[INV]` Figure 9(c): the nodes, the tokens in their order, and the edges that can be inverted.
#[test]
fn the_dependency_graph_of_figure_8() {
    let figure_8 = "#[adjoint] fn f(a: &mut [f64], p: &[f64], n: usize, o: usize) {
        let (mut l, mut i, mut j) = (0, o, o);
        while l < n {
            let k = i - j; let m = k + 3 + l; i = k + 2 * l; a[i] = a[j] * p[k] * a[m];
            j = j + m + 4; i = i + j + 1; a[j] = a[i] * p[k] * a[m]; l = l + 1;
        }
    }";
    let graphs = dependency_graphs(&analysed(figure_8));
    let graph = graphs.iter().find(|g| g.number == 1).expect("the loop's");
    let svg = svg(&graph.diagram());
    let texts = texts(&svg);
    let has = |text: &&str| texts.iter().any(|t| t.starts_with(*text));
    let tokens = ["1:i", "2:i", "3:i", "4:f", "5:i", "6:i"];
    let nodes = [
        "i at the start",
        "j at the start",
        "l at the start",
        "let k = i - j",
        "let m = k + 3 + l",
        "i = k + 2 * l",
        "j = j + m + 4",
        "i = i + j + 1",
        "l = l + 1",
    ];
    let missing: Vec<_> = tokens.iter().chain(&nodes).filter(|t| !has(t)).collect();
    assert!(missing.is_empty(), "{missing:?} of {texts:?}");
    let tokens = texts.iter().filter(|t| t[1..].starts_with(':'));
    assert_eq!(tokens.count(), 6, "{texts:?}");
    let blue = svg.lines().filter(|l| l.contains(r##"fill="#add8e6ff""##));
    assert_eq!(blue.count(), 3, "i, j and l are known");
    let paths = |width| {
        numbers(&svg, "path", ["stroke-width"])
            .iter()
            .filter(|w| **w == [width])
            .count()
    };
    // All but `2 * l`.
    assert_eq!((paths(THICK as f64), paths(THIN as f64)), (10, 1));
}
