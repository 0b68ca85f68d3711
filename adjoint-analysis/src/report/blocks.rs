//! The computational graphs of the runs of assignments, and how their Jacobians would be preaccumulated.

use super::columns::columns;
use super::diagram::{Arrow, Diagram, TextBox};
use super::view::View;
use crate::analysed::Analysed;
use crate::ir::Place;
use crate::passes::flattening::elimination::{Elimination, Side};
use crate::passes::flattening::flatten::{Flattened, flatten};
use crate::passes::flattening::graph::{Graph, Role, Value, Vertex};
use crate::passes::flattening::order::{Accumulated, Order, Step, accumulate, cheapest};
use crate::passes::flattening::runs::runs;

/// The graphs that have an edge, in textual order, each with the cheapest elimination.
pub fn block_graphs(analysed: &Analysed) -> Vec<(Flattened, Accumulated)> {
    let (func, activity) = (&analysed.lowered.func, analysed.activity());
    let all = runs(func, &activity)
        .into_iter()
        .flat_map(|run| flatten(func, run.stmts, &run));
    all.filter(|of| of.graph.edges().next().is_some())
        .map(|of| {
            let accumulated = cheapest(&of.graph);
            (of, accumulated)
        })
        .collect()
}

/// The graphs as text: vertices, splits, the elimination and its cost. A function without assignments of reals has none.
pub fn block_tables(analysed: &Analysed) -> String {
    let view = View::new(analysed);
    let mut text = String::new();
    for (n, (of, accumulated)) in block_graphs(analysed).iter().enumerate() {
        text += &format!("\n{}: {}\n", n + 1, lines(&view, of));
        if let Some((used, assigned)) = &of.split {
            let [used, assigned] = [used, assigned].map(|p| view.place(p));
            text += &format!(
                "A graph of its own: `{used}` may be what the one before assigns, `{assigned}`.\n"
            );
        }
        text += &format!(
            "\n{}\n",
            columns(&vertices(&view, of), [true, true, false, false])
        );
        text += &format!(
            "{}\n",
            columns(&costs(of, accumulated), [false, true, true])
        );
        text += &format!("{}\n", elimination(of, accumulated));
    }
    match text.is_empty() {
        true => text,
        false => format!(
            "Computational graphs of the runs of assignments ([FLAT]), and their elimination ([CFR] §3)\n{text}"
        ),
    }
}

/// `lines 12 to 17`
fn lines(view: &View<'_>, of: &Flattened) -> String {
    let lines = of.statements.iter().filter_map(|(id, _)| view.line(*id));
    let lines: Vec<usize> = lines.map(|(line, _)| *line).collect();
    match (lines.iter().min(), lines.iter().max()) {
        (Some(first), Some(last)) if first == last => format!("line {first}"),
        (Some(first), Some(last)) => format!("lines {first} to {last}"),
        _ => format!("{} statements", of.statements.len()),
    }
}

fn vertices(view: &View<'_>, of: &Flattened) -> Vec<[String; 4]> {
    let header = ["vertex", "of", "value", "role"].map(String::from);
    let row = |v: Vertex| {
        let operands: Vec<String> = of.graph.predecessors(v).into_iter().map(number).collect();
        let names = assigned(view, of, v);
        let role = match of.graph.role(v) {
            Role::Independent => String::from("independent"),
            Role::Intermediate => String::new(),
            Role::Dependent => format!("dependent: {}", names.join(", ")),
        };
        [
            number(v),
            operands.join(" "),
            view.expr(&of.expressions[v]),
            role,
        ]
    };
    std::iter::once(header)
        .chain(of.graph.vertices().map(row))
        .collect()
}

/// The dependents that a vertex is.
fn assigned(view: &View<'_>, of: &Flattened, v: Vertex) -> Vec<String> {
    let here = of.dependents().filter(|(_, vertex)| *vertex == v);
    here.map(|(place, _): (&Place, _)| view.place(place))
        .collect()
}

fn costs(of: &Flattened, best: &Accumulated) -> Vec<[String; 3]> {
    let header = ["order", "multiplications", "additions"].map(String::from);
    let row = |order: &Order| {
        let order = *order;
        let cost = accumulate(&of.graph, order).result.cost;
        let mark = if order == best.order {
            ", the cheapest"
        } else {
            ""
        };
        [
            format!("{}{mark}", order.name()),
            cost.multiplications.to_string(),
            cost.additions.to_string(),
        ]
    };
    let rows = Order::tried(&of.graph).iter().map(row);
    std::iter::once(header).chain(rows).collect()
}

/// The steps of the cheapest elimination, and what is left.
fn elimination(of: &Flattened, accumulated: &Accumulated) -> String {
    let steps: Vec<String> = accumulated.steps.iter().map(step).collect();
    let entries = accumulated.result.graph.edges().count();
    let partials = Elimination::of(of.graph.clone()).graph.edges().count();
    let eliminated = match steps.is_empty() {
        true => String::from("Nothing is eliminated"),
        false => format!("Eliminated: {}", steps.join(" ")),
    };
    format!("{eliminated}; {partials} local partials become {entries} entries of a Jacobian.")
}

/// `3`, `(3,5)f`
fn step(step: &Step) -> String {
    match step {
        Step::Vertex(v) => number(*v),
        Step::Edge(target) => {
            let side = match target.side {
                Side::Front => "f",
                Side::Back => "b",
            };
            let (from, to) = target.edge;
            format!("({},{}){side}", number(from), number(to))
        }
    }
}

/// Vertices are numbered from 1, as in the papers.
fn number(v: Vertex) -> String {
    (v + 1).to_string()
}

/// The drawings of a graph before and after the elimination, as `[CFR]` Figures 3 and 4: independents and dependents
/// are filled, and labels are 1, −1 or `c` with the numbers of the edge.
pub fn drawings(analysed: &Analysed) -> Vec<(String, Diagram)> {
    let view = View::new(analysed);
    let mut all = Vec::new();
    for (n, (of, accumulated)) in block_graphs(analysed).iter().enumerate() {
        let after = &accumulated.result.graph;
        all.push((format!("block.{}", n + 1), diagram(&view, of, &of.graph)));
        all.push((
            format!("block.{}.jacobian", n + 1),
            diagram(&view, of, after),
        ));
    }
    all
}

fn diagram(view: &View<'_>, of: &Flattened, graph: &Graph) -> Diagram {
    let has_edge = |v: &Vertex| graph.edges().any(|((from, to), _)| from == *v || to == *v);
    let shown: Vec<Vertex> = graph.vertices().filter(has_edge).collect();
    let text = |v: &Vertex| {
        let names = assigned(view, of, *v);
        let value = match names.is_empty() {
            true => view.expr(&of.expressions[*v]),
            false => names.join(", "),
        };
        TextBox {
            lines: vec![number(*v), value],
            is_round: graph.role(*v) == Role::Intermediate,
            fill: match graph.role(*v) {
                Role::Independent => "lightblue",
                Role::Intermediate => "white",
                Role::Dependent => "lightyellow",
            },
        }
    };
    let position = |v: Vertex| shown.iter().position(|known| *known == v);
    let arrow = |((from, to), label)| {
        Some(Arrow {
            from: position(from)?,
            to: position(to)?,
            label: match graph.value(label) {
                Value::One => String::from("1"),
                Value::MinusOne => String::from("-1"),
                Value::Any => format!("c({},{})", number(to), number(from)),
            },
            is_thick: false,
        })
    };
    Diagram {
        boxes: shown.iter().map(text).collect(),
        arrows: graph.edges().filter_map(arrow).collect(),
    }
}
