//! Lines over two logarithmic axes, as an SVG that reads well on light and dark pages. It knows nothing about the data.

use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 44.0;
const COLOURS: [&str; 10] = [
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999999", "#ee8866",
    "#44bb99", "#bbcc33",
];

/// One line for each name; points must be positive.
pub(super) fn lines(x: &str, y: &str, series: &[(String, Vec<(f64, f64)>)]) -> String {
    let points = || series.iter().flat_map(|it| &it.1);
    let across = Axis::new(points().map(|it| it.0), LEFT, WIDTH - RIGHT);
    let up = Axis::new(points().map(|it| it.1), HEIGHT - BOTTOM, TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" fill=\"#888\">\n"
    );
    for tick in across.ticks() {
        let at = across.at(tick);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
            HEIGHT - BOTTOM + 16.0
        );
    }
    for tick in up.ticks() {
        let at = up.at(tick);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{}\" stroke=\"#8884\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{tick}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x}</text>\
         <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{y}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 8.0,
        (TOP + HEIGHT - BOTTOM) / 2.0
    );
    // Each name is at the end of its line, moved where it would cover another.
    let mut names: Vec<(f64, usize)> = Vec::new();
    for (index, (_, points)) in series.iter().enumerate() {
        let Some(last) = points.last() else { continue };
        let path: Vec<String> =
            points.iter().map(|it| format!("{:.1},{:.1}", across.at(it.0), up.at(it.1))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
            path.join(" "),
            COLOURS[index % COLOURS.len()]
        );
        names.push((up.at(last.1), index));
    }
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lowest = f64::NEG_INFINITY;
    for (at, index) in names {
        lowest = at.max(lowest + 14.0);
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" fill=\"{}\">{}</text>",
            WIDTH - RIGHT + 8.0,
            lowest + 4.0,
            COLOURS[index % COLOURS.len()],
            series[index].0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A logarithmic axis between two coordinates.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Axis {
        let (least, most) = values.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), it| {
            (least.min(it), most.max(it))
        });
        Axis { least: least * 0.9, most: most * 1.1, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let part = (value / self.least).ln() / (self.most / self.least).ln();
        self.from + part * (self.to - self.from)
    }

    /// Powers of two if there are few, otherwise powers of ten.
    fn ticks(&self) -> Vec<f64> {
        let of = |base: f64| {
            (-20..=20)
                .map(move |power| base.powi(power))
                .filter(|it| (self.least..self.most).contains(it))
        };
        if of(2.0).count() <= 9 { of(2.0).collect() } else { of(10.0).collect() }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_plot_has_a_line_and_a_name_for_each_series() {
        let series = |name: &str, by: f64| (name.to_owned(), vec![(4.0, by), (128.0, 2.0 * by)]);
        let svg = super::lines("lanes", "ns", &[series("one", 1.0), series("two", 1.1)]);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains(">one</text>") && svg.contains(">two</text>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
