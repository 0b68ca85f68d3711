//! Drawings: boxes with text, and arrows between them.

use std::fmt::Write;

/// A drawing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Diagram {
    /// The boxes.
    pub boxes: Vec<TextBox>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}

/// A box.
#[derive(Clone, PartialEq, Debug)]
pub struct TextBox {
    /// Its text.
    pub lines: Vec<String>,
    /// Whether it has round corners.
    pub is_round: bool,
    /// Its colour, by a name that Graphviz and SVG know.
    pub fill: &'static str,
}

/// An arrow between boxes, which are given by their positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrow {
    /// The box that it leaves.
    pub from: usize,
    /// The box that it enters.
    pub to: usize,
    /// Its text.
    pub label: String,
    /// Whether its line is thick.
    pub is_thick: bool,
}

/// The diagram in Graphviz DOT.
pub fn dot(name: &str, diagram: &Diagram) -> String {
    let mut text = format!("digraph \"{name}\" {{\n");
    for (at, node) in diagram.boxes.iter().enumerate() {
        let shape = if node.is_round { "ellipse" } else { "box" };
        let (label, fill) = (escaped(&node.lines.join("\n")), node.fill);
        let _ = writeln!(
            text,
            "  v{at} [label=\"{label}\" shape={shape} style=filled fillcolor={fill}];"
        );
    }
    for arrow in &diagram.arrows {
        let mut look = Vec::new();
        if !arrow.label.is_empty() {
            look.push(format!("label=\"{}\"", escaped(&arrow.label)));
        }
        if arrow.is_thick {
            look.push(String::from("penwidth=3"));
        }
        let look = match look.is_empty() {
            true => String::new(),
            false => format!(" [{}]", look.join(" ")),
        };
        let _ = writeln!(text, "  v{} -> v{}{look};", arrow.from, arrow.to);
    }
    text + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
