//! The user's source lines, where the compiler provides them.

use proc_macro2::Span;

/// The text of a function's body with its position.
#[derive(Clone, Debug)]
pub struct Source {
    lines: Vec<String>,
    /// The number of the first line.
    first: usize,
    /// The column at which the first line starts.
    indent: usize,
}

impl Source {
    /// The text under a span of a group; of other spans, stable compilers give only a part.
    pub fn of(span: Span) -> Option<Source> {
        let text = span.source_text()?;
        let start = span.start();
        let lines = text.lines().map(String::from).collect();
        Some(Source {
            lines,
            first: start.line,
            indent: start.column,
        })
    }

    /// The number and the text of the line where a statement starts; `None` where the span points
    /// somewhere else (into another macro).
    pub fn line(&self, span: Span) -> Option<(usize, String)> {
        let start = span.start();
        let row = start.line.checked_sub(self.first)?;
        let line = self.lines.get(row)?;
        let column = start
            .column
            .checked_sub(if row == 0 { self.indent } else { 0 })?;
        let token = span.source_text()?;
        let first = token.lines().next().unwrap_or_default();
        let is_here = !first.is_empty() && rest_of_line(line, column).starts_with(first);
        is_here.then(|| (start.line, tidy(line)))
    }
}

/// The rest of a line after its first characters.
fn rest_of_line(line: &str, characters: usize) -> &str {
    let start = match line.is_ascii() {
        true => characters,
        false => line
            .char_indices()
            .nth(characters)
            .map_or(line.len(), |(at, _)| at),
    };
    line.get(start..).unwrap_or_default()
}

/// The line without indentation, comment, and the braces of the blocks around it.
fn tidy(line: &str) -> String {
    let code = &line[..comment_start(line)];
    let code = code
        .trim()
        .trim_start_matches(['{', '}', ' '])
        .trim_end_matches(['{', ' ']);
    code.trim_end_matches(';').to_string()
}

/// Where `//` starts outside a string.
fn comment_start(line: &str) -> usize {
    if !line.as_bytes().contains(&b'/') {
        return line.len();
    }
    let mut in_string = false;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match c {
            '"' if before != '\\' => in_string = !in_string,
            '/' if before == '/' && !in_string => return at - 1,
            _ => {}
        }
        before = c;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn lines_are_tidied() {
        assert_eq!(tidy("    } else if x > 0 { // or not"), "else if x > 0");
        assert_eq!(tidy("  println!(\"a // b\");"), "println!(\"a // b\")");
        assert_eq!(tidy("for i in 0..n {"), "for i in 0..n");
    }
}
