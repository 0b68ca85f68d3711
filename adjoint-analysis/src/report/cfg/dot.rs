//! Output of graphs in Graphviz DOT.

use std::fmt::Write;

use super::{Graph, VertexKind};

/// The graph as DOT text.
pub fn dot(name: &str, graph: &Graph) -> String {
    let mut text = format!("digraph \"{name}\" {{\n");
    for (at, vertex) in graph.vertices.iter().enumerate() {
        let (shape, fill) = (shape(vertex.kind), graph.colour(vertex));
        let label = escaped(&vertex.lines().join("\n"));
        let _ = writeln!(
            text,
            "  v{at} [label=\"{label}\" shape={shape} style=filled fillcolor={fill}];"
        );
    }
    for edge in &graph.edges {
        let label = match edge.label.or(edge.arm_label) {
            Some(label) => format!(" [label=\"{label}\"]"),
            None => String::new(),
        };
        let _ = writeln!(text, "  v{} -> v{}{label};", edge.from, edge.to);
    }
    text + "}\n"
}

fn shape(kind: VertexKind) -> &'static str {
    match kind {
        VertexKind::BasicBlock => "box",
        _ => "ellipse",
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
