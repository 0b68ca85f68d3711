//! Graphs in the language of Graphviz.

use std::fmt::Write;

use super::{Graph, Kind, Vertex};

/// The most lines of code that a vertex shows.
const MOST_LINES: usize = 8;

/// The graph as DOT text.
pub fn dot(name: &str, graph: &Graph) -> String {
    let original = graph
        .vertices
        .iter()
        .filter(|v| v.kind == Kind::Exit || v.kind == Kind::Entry);
    let last = original.map(|v| v.number.abs()).max().unwrap_or_default();
    let mut text = format!("digraph \"{name}\" {{\n");
    for (at, vertex) in graph.vertices.iter().enumerate() {
        let (shape, fill) = style(vertex, last);
        let label = escaped(&label(vertex));
        let _ = writeln!(
            text,
            "  v{at} [label=\"{label}\" shape={shape} style=filled fillcolor={fill}];"
        );
    }
    for edge in &graph.edges {
        let label = match edge.label.or(edge.mark) {
            Some(label) => format!(" [label=\"{label}\"]"),
            None => String::new(),
        };
        let _ = writeln!(text, "  v{} -> v{}{label};", edge.from, edge.to);
    }
    text + "}\n"
}

/// Blocks are boxes, those put in grey.
fn style(vertex: &Vertex, last: i32) -> (&'static str, &'static str) {
    match vertex.kind {
        Kind::BasicBlock if vertex.number > last => ("box", "lightgray"),
        Kind::BasicBlock => ("box", "white"),
        Kind::Entry | Kind::Exit => ("ellipse", "white"),
        Kind::Loop | Kind::EndLoop | Kind::ForLoop => ("ellipse", "lightblue"),
        Kind::Branch | Kind::EndBranch => ("ellipse", "lightyellow"),
    }
}

fn label(vertex: &Vertex) -> String {
    let mut lines = vec![format!("{} {}", vertex.number, vertex.kind.name())];
    lines.extend(vertex.text.iter().take(MOST_LINES).cloned());
    if vertex.text.len() > MOST_LINES {
        lines.push(String::from("…"));
    }
    lines.join("\n")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
