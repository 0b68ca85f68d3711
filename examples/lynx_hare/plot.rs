//! The picture: observations as points, the fitted model as curves.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::data::Observations;
use crate::fit::STEPS_PER_YEAR;
use crate::model::rk4;

const HARE: RGBColor = RGBColor(38, 110, 176);
const LYNX: RGBColor = RGBColor(207, 74, 44);
const TEXT: RGBColor = RGBColor(60, 60, 60);
const GRID: RGBColor = RGBColor(226, 226, 226);

/// Width and height, in pixels.
const SIZE: (u32, u32) = (900, 540);

/// The drawing's units in a pixel. Coordinates are rounded to units, which must not show in curves.
const FINE: u32 = 10;

/// Height of the title and of the legend, in pixels.
const HEADER: u32 = 76;

/// What is left of the vertical axis, in pixels.
const LEFT: u32 = 76;

/// Points of a fitted curve in a year.
const POINTS_PER_YEAR: usize = 20;

/// Writes the picture to `path`, as SVG.
pub fn draw(
    path: &Path,
    observations: &Observations,
    parameters: &[f64],
) -> Result<(), Box<dyn Error>> {
    let svg = render(observations, parameters)?;
    std::fs::write(path, svg)?;
    Ok(())
}

/// The picture's text.
pub fn render(observations: &Observations, parameters: &[f64]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    let units = (SIZE.0 * FINE, SIZE.1 * FINE);
    {
        let area = SVGBackend::with_string(&mut svg, units).into_drawing_area();
        area.fill(&WHITE)?;
        let (header, below) = area.split_vertically(HEADER * FINE);
        draw_header(&header)?;
        draw_chart(&below, observations, parameters)?;
        area.present()?;
    }
    let size = |(width, height): (u32, u32)| format!("width=\"{width}\" height=\"{height}\"");
    Ok(svg.replacen(&size(units), &size(SIZE), 1))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Pixels in units of the drawing.
fn px(pixels: u32) -> i32 {
    (pixels * FINE) as i32
}

fn font(pixels: u32) -> TextStyle<'static> {
    ("sans-serif", px(pixels)).into_font().color(&TEXT)
}

/// The title, and what the points and curves are.
fn draw_header(area: &Area<'_>) -> Result<(), Box<dyn Error>> {
    let title = "Lynx and hare: observations and the Lotka–Volterra fit";
    area.draw(&Text::new(title, (px(LEFT), px(20)), font(22)))?;
    let mut left = LEFT;
    for (name, colour) in [("hare", HARE), ("lynx", LYNX)] {
        let middle = px(60);
        for disc in dot((px(left + 5), middle), colour) {
            area.draw(&disc)?;
        }
        area.draw(&legend_text(format!("{name}, observed"), left + 16, middle))?;
        let line = [(px(left + 130), middle), (px(left + 154), middle)];
        area.draw(&PathElement::new(line, colour.stroke_width(2 * FINE)))?;
        area.draw(&legend_text(format!("{name}, fitted"), left + 162, middle))?;
        left += 270;
    }
    Ok(())
}

fn legend_text(text: String, left: u32, middle: i32) -> Text<'static, (i32, i32), String> {
    let style = font(15).pos(Pos::new(HPos::Left, VPos::Center));
    Text::new(text, (px(left), middle), style)
}

/// An observation: a disc on a larger white one, which sets it off from the curves.
fn dot<C: Clone>(at: C, colour: RGBColor) -> [Circle<C, i32>; 2] {
    [
        Circle::new(at.clone(), px(6), WHITE.filled()),
        Circle::new(at, px(5), colour.filled()),
    ]
}

fn draw_chart(
    area: &Area<'_>,
    observations: &Observations,
    parameters: &[f64],
) -> Result<(), Box<dyn Error>> {
    let Observations { years, hare, lynx } = observations;
    let (first, last) = (years[0], years[years.len() - 1]);
    let curve = trajectory(first, last, parameters);
    let in_curve = curve.iter().flat_map(|&(_, y)| y);
    let all = hare.iter().chain(lynx).copied().chain(in_curve);
    let (border, top) = (0.02 * (last - first), 1.08 * all.fold(0.0, f64::max));
    let mut chart = ChartBuilder::on(area)
        .margin_right(px(24))
        .margin_bottom(px(8))
        .x_label_area_size(px(48))
        .margin_left(px(12))
        .y_label_area_size(px(LEFT - 12))
        .build_cartesian_2d(first - border..last + border, 0.0..top)?;
    chart
        .configure_mesh()
        .x_desc("year")
        .y_desc("pelts (thousands)")
        .x_labels(11)
        .y_labels(8)
        .x_label_formatter(&label)
        .y_label_formatter(&label)
        .label_style(font(14))
        .axis_desc_style(font(15))
        .axis_style(TEXT.stroke_width(FINE))
        .set_all_tick_mark_size(px(5))
        .disable_x_mesh()
        .bold_line_style(GRID.stroke_width(FINE))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (species, colour) in [HARE, LYNX].into_iter().enumerate() {
        let line = curve.iter().map(|(t, y)| (*t, y[species]));
        chart.draw_series(LineSeries::new(line, colour.stroke_width(2 * FINE)))?;
    }
    for (seen, colour) in [(hare, HARE), (lynx, LYNX)] {
        let points = years.iter().zip(seen);
        chart.draw_series(points.flat_map(|(&t, &y)| dot((t, y), colour)))?;
    }
    Ok(())
}

/// A number at an axis, without the noise of its last digits.
fn label(value: &f64) -> String {
    ((value * 1e6).round() / 1e6).to_string()
}

/// The model's populations from `first` to `last`.
fn trajectory(first: f64, last: f64, parameters: &[f64]) -> Vec<(f64, [f64; 2])> {
    let points = ((last - first) * POINTS_PER_YEAR as f64).ceil() as usize;
    let between = (last - first) / points as f64;
    let steps = STEPS_PER_YEAR.div_ceil(POINTS_PER_YEAR);
    let mut y = [parameters[4], parameters[5]];
    let mut curve = vec![(first, y)];
    for point in 1..=points {
        rk4(&mut y, parameters, between / steps as f64, steps);
        curve.push((first + point as f64 * between, y));
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_points_curves_labels_and_a_legend() {
        let observations = Observations {
            years: vec![1900.0, 1901.0, 1902.0],
            hare: vec![30.0, 47.2, 70.2],
            lynx: vec![4.0, 6.1, 9.8],
        };
        let svg = render(&observations, &[0.55, 0.028, 0.80, 0.024, 30.0, 4.0]).unwrap();
        for text in [
            "year",
            "pelts (thousands)",
            "hare, observed",
            "lynx, fitted",
            "1901",
            "20",
        ] {
            assert!(svg.contains(&format!("\n{text}\n")), "no `{text}` in {svg}");
        }
        assert_eq!(
            svg.matches("<circle").count(),
            2 * 2 * (3 + 1),
            "points and one in the legend, each with its rim"
        );
        assert!(svg.starts_with("<svg width=\"900\" height=\"540\" viewBox=\"0 0 9000 5400\""));
    }
}
