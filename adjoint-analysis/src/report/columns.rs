//! Text in columns.

/// The rows, with a line between columns. Each column but the last is as wide as its widest cell, up to a limit.
/// `right` says which columns are aligned at their right.
pub fn columns<const N: usize>(rows: &[[String; N]], right: [bool; N]) -> String {
    const MAX_WIDTH: usize = 64;
    let width = |k: usize| {
        let widths = rows.iter().map(|row| row[k].chars().count().min(MAX_WIDTH));
        widths.max().unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let cell = |k: usize| match (right[k], widths[k]) {
            _ if k + 1 == N => row[k].clone(),
            (true, width) => format!("{:>width$}", row[k]),
            (false, width) => format!("{:<width$}", row[k]),
        };
        let line: [String; N] = std::array::from_fn(cell);
        text += line.join(" │ ").trim_end();
        text += "\n";
    }
    text
}
