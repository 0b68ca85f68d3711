//! The picture: observations as points, the fitted model as curves.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use crate::data::Observations;
use crate::fit::STEPS_PER_YEAR;
use crate::model::rk4;

const HARE: RGBColor = RGBColor(31, 119, 180);
const LYNX: RGBColor = RGBColor(214, 39, 40);

/// Points of a fitted curve in a year.
const POINTS_PER_YEAR: usize = 10;

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
    draw_on(
        &SVGBackend::with_string(&mut svg, (900, 540)).into_drawing_area(),
        observations,
        parameters,
    )?;
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw_on(
    area: &Area<'_>,
    observations: &Observations,
    parameters: &[f64],
) -> Result<(), Box<dyn Error>> {
    let Observations { years, hare, lynx } = observations;
    let curve = trajectory(years[0], years[years.len() - 1], parameters);
    let largest = hare
        .iter()
        .chain(lynx)
        .copied()
        .chain(curve.iter().flat_map(|&(_, y)| y))
        .fold(0.0, f64::max);

    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .caption(
            "Pelts of the Hudson's Bay Company and the Lotka–Volterra fit",
            ("sans-serif", 20),
        )
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(years[0]..years[years.len() - 1], 0.0..1.05 * largest)?;
    chart
        .configure_mesh()
        .x_desc("year")
        .y_desc("pelts (thousands)")
        .x_label_formatter(&|year| format!("{year}"))
        .label_style(("sans-serif", 14))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (name, species, seen, colour) in [("hare", 0, hare, HARE), ("lynx", 1, lynx, LYNX)] {
        let points = years.iter().zip(seen);
        chart
            .draw_series(points.map(|(&t, &y)| Circle::new((t, y), 4, colour.filled())))?
            .label(format!("{name}, observed"))
            .legend(move |(x, y)| Circle::new((x + 10, y), 4, colour.filled()));
        chart
            .draw_series(LineSeries::new(
                curve.iter().map(|(t, y)| (*t, y[species])),
                colour.stroke_width(2),
            ))?
            .label(format!("{name}, fitted"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 14))
        .draw()?;
    area.present()?;
    Ok(())
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
        ] {
            assert!(svg.contains(&format!("\n{text}\n")), "no `{text}` in {svg}");
        }
        assert_eq!(
            svg.matches("<circle").count(),
            2 * (3 + 1),
            "points, and one in the legend"
        );
    }
}
