//! SVG that ends where what is drawn ends.

use std::fmt::Write;

use layout::core::color::Color;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point;
use layout::core::style::StyleAttr;

/// Size of the font, in pixels.
pub const FONT: usize = 14;

/// Width of a character, in pixels: monospaced fonts have at most 0.61 of their size.
const CHARACTER: f64 = 0.61 * FONT as f64;

/// Height of a line, in pixels.
const LINE: f64 = 1.25 * FONT as f64;

/// Between what is drawn and the border of the picture, in pixels.
pub const MARGIN: f64 = 10.0;

/// Points of a curve that are looked at for its extent.
const SAMPLES: u32 = 16;

/// Width and height of a text, in pixels.
pub fn text_size(text: &str) -> Point {
    let widest = text.lines().map(|l| l.chars().count()).max();
    let height = text.lines().count() as f64 * LINE;
    Point::new(widest.unwrap_or(0) as f64 * CHARACTER, height)
}

/// What was drawn, and its extent. Writing to its strings does not fail.
pub struct Picture {
    arrows: String,
    boxes: String,
    low: Point,
    high: Point,
}

impl Default for Picture {
    fn default() -> Picture {
        Picture {
            arrows: String::new(),
            boxes: String::new(),
            low: Point::splat(f64::INFINITY),
            high: Point::splat(f64::NEG_INFINITY),
        }
    }
}

impl Picture {
    /// The whole picture. An arrow that crosses a box goes under it, and hides no code.
    pub fn svg(&self) -> String {
        let low = self.low.sub(Point::splat(MARGIN));
        let size = self.high.add(Point::splat(MARGIN)).sub(low);
        let (x, y, w, h) = (low.x, low.y, size.x, size.y);
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{w:.1}" height="{h:.1}" viewBox="{x:.1} {y:.1} {w:.1} {h:.1}">
<defs><marker id="head" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="8" refX="10" refY="4" orient="auto"><path d="M0 0 L10 4 L0 8 Z"/></marker></defs>
<rect x="{x:.1}" y="{y:.1}" width="{w:.1}" height="{h:.1}" fill="white"/>
<g font-family="monospace" font-size="{FONT}" xml:space="preserve">
{}{}</g>
</svg>
"##,
            self.arrows, self.boxes
        )
    }

    fn include(&mut self, point: Point) {
        self.low = Point::new(self.low.x.min(point.x), self.low.y.min(point.y));
        self.high = Point::new(self.high.x.max(point.x), self.high.y.max(point.y));
    }
}

impl RenderBackend for Picture {
    fn draw_rect(
        &mut self,
        at: Point,
        size: Point,
        look: &StyleAttr,
        _: Option<String>,
        _: Option<ClipHandle>,
    ) {
        self.include(at);
        self.include(at.add(size));
        let fill = look.fill_color.unwrap_or_else(Color::transparent);
        let _ = writeln!(
            self.boxes,
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" rx="{}" fill="{}" stroke="{}"/>"#,
            at.x,
            at.y,
            size.x,
            size.y,
            look.rounded,
            fill.to_web_color(),
            look.line_color.to_web_color()
        );
    }

    /// Code is aligned at its left, in the middle of its box.
    fn draw_text(&mut self, middle: Point, text: &str, _: &StyleAttr) {
        let size = text_size(text);
        let corner = middle.sub(size.scale(0.5));
        self.include(corner);
        self.include(corner.add(size));
        for (at, line) in text.lines().enumerate() {
            // Letters stand on a base line, at three quarters of the height.
            let y = corner.y + (at as f64 + 0.75) * LINE;
            let line = escaped(line);
            let _ = writeln!(
                self.boxes,
                r#"<text x="{:.1}" y="{y:.1}">{line}</text>"#,
                corner.x
            );
        }
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        _: bool,
        (to_start, _): (bool, bool),
        look: &StyleAttr,
        _: Option<String>,
        _: &str,
    ) {
        let mut curves = curves(path);
        if to_start {
            curves.reverse();
            curves.iter_mut().for_each(|curve| curve.reverse());
        }
        let mut d = format!("M{:.1} {:.1}", curves[0][0].x, curves[0][0].y);
        for curve in &curves {
            let [_, a, b, end] = curve.map(|p| format!("{:.1} {:.1}", p.x, p.y));
            let _ = write!(d, " C{a}, {b}, {end}");
            (0..=SAMPLES)
                .for_each(|at| self.include(on_curve(curve, f64::from(at) / f64::from(SAMPLES))));
        }
        let (stroke, width) = (look.line_color.to_web_color(), look.line_width);
        let _ = writeln!(
            self.arrows,
            r#"<path d="{d}" fill="none" stroke="{stroke}" stroke-width="{width}" marker-end="url(#head)"/>"#
        );
    }

    // There are boxes, texts and arrows alone.
    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}

/// The cubic curves of a path: an end and its control point, then a control point and an end for each.
/// The first control point of what follows mirrors the last one.
fn curves(path: &[(Point, Point)]) -> Vec<[Point; 4]> {
    let (mut from, mut leaving) = path[0];
    let mut curves = Vec::new();
    for &(arriving, to) in &path[1..] {
        curves.push([from, leaving, arriving, to]);
        (from, leaving) = (to, to.add(to.sub(arriving)));
    }
    curves
}

/// The point of a cubic curve at `t`, by de Casteljau.
fn on_curve(curve: &[Point; 4], t: f64) -> Point {
    let mut points = curve.to_vec();
    while points.len() > 1 {
        let between = |pair: &[Point]| pair[0].scale(1.0 - t).add(pair[1].scale(t));
        points = points.windows(2).map(between).collect();
    }
    points[0]
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
