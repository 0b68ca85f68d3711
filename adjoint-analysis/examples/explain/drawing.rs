//! Diagrams as SVG: boxes with code, and arrows.
//!
//! Where the boxes stand, the crate `layout` decides. Their sizes are those of their code, of which all
//! is shown.

use adjoint_analysis::report::diagram::{self, Diagram, TextBox};
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::{Point, Position};
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;

use crate::picture::{FONT, Picture, text_size};

/// The most characters of a line, beyond which it is wrapped.
const LONGEST: usize = 72;

/// What continues a line stands this far to the right.
const INDENT: &str = "    ";

/// Between code and the border of its box, in pixels.
const PADDING: f64 = 8.0;

/// Between boxes, in pixels.
const GAP: Point = Point { x: 40.0, y: 44.0 };

/// Rounding of round corners, in pixels.
const ROUNDED: usize = 14;

/// Width of lines, in pixels.
const THIN: usize = 1;
const THICK: usize = 3;

/// The drawing, as SVG.
pub fn svg(diagram: &Diagram) -> String {
    let mut visual = VisualGraph::new(Orientation::TopToBottom);
    let boxes = diagram.boxes.iter().map(element);
    let boxes: Vec<_> = boxes.map(|b| visual.add_node(b)).collect();
    for each in &diagram.arrows {
        visual.add_edge(arrow(each), boxes[each.from], boxes[each.to]);
    }
    let mut picture = Picture::default();
    visual.do_it(false, false, false, &mut picture);
    picture.svg()
}

fn element(text_box: &TextBox) -> Element {
    let lines: Vec<String> = text_box.lines.iter().flat_map(|l| wrapped(l)).collect();
    let text = lines.join("\n");
    let size = text_size(&text).add(Point::splat(2.0 * PADDING));
    let rounded = if text_box.is_round { ROUNDED } else { 0 };
    let fill = Color::from_name(text_box.fill);
    Element {
        shape: ShapeKind::Box(text),
        pos: Position::new(Point::zero(), size, Point::zero(), GAP),
        look: StyleAttr::new(Color::fast("black"), THIN, fill, rounded, FONT),
        orientation: Orientation::LeftToRight,
        properties: None,
    }
}

fn arrow(arrow: &diagram::Arrow) -> Arrow {
    let width = if arrow.is_thick { THICK } else { THIN };
    let look = StyleAttr::new(Color::fast("black"), width, None, 0, FONT);
    Arrow::new(
        LineEndKind::None,
        LineEndKind::Arrow,
        LineStyleKind::Normal,
        &arrow.label,
        &look,
        &None,
        &None,
    )
}

/// The line, broken at spaces where it is too long. A word is never broken.
fn wrapped(line: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let last = lines.len() - 1;
        let length = (lines[last].chars().count()) + word.trim_end().chars().count();
        if length > LONGEST && !lines[last].trim().is_empty() {
            lines.push(format!("{INDENT}{word}"));
        } else {
            lines[last].push_str(word);
        }
    }
    lines
}

#[cfg(test)]
#[path = "drawing_tests.rs"]
mod tests;
