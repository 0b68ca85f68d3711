//! The observations, and reading them from a CSV file.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use csv::{ErrorKind, Position, ReaderBuilder, StringRecord, Trim};

/// The columns of a file, in order, as its first line names them.
const COLUMNS: [&str; 3] = ["year", "hare", "lynx"];

/// Two numbers a year for six parameters.
const FEWEST: usize = 3;

/// What was observed, one entry per year in each.
#[derive(Debug, Default, PartialEq)]
pub struct Observations {
    /// When, in years; increasing.
    pub years: Vec<f64>,
    /// Pelts of hares, in thousands; positive.
    pub hare: Vec<f64>,
    /// Pelts of lynxes, in thousands; positive.
    pub lynx: Vec<f64>,
}

/// What is wrong with a file, and where.
#[derive(Debug, PartialEq)]
pub struct DataError {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    what: String,
}

impl DataError {
    fn in_file(what: impl fmt::Display) -> DataError {
        DataError {
            file: String::new(),
            line: None,
            column: None,
            what: what.to_string(),
        }
    }

    fn at(line: usize, column: usize, what: String) -> DataError {
        DataError {
            line: Some(line),
            column: Some(column),
            ..DataError::in_file(what)
        }
    }

    fn of(self, file: &str) -> DataError {
        DataError {
            file: file.to_string(),
            ..self
        }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        if let Some(column) = self.column {
            write!(f, "column {column}")?;
            if let Some(name) = COLUMNS.get(column - 1) {
                write!(f, " ({name})")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.what)
    }
}

impl std::error::Error for DataError {}

/// Reads the observations in the file at `path`.
pub fn read_file(path: &Path) -> Result<Observations, DataError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| DataError::in_file(e).of(&name))?;
    read(file, &name)
}

/// Reads observations; `name` is the file's name in an error.
pub fn read(source: impl Read, name: &str) -> Result<Observations, DataError> {
    parse(source).map_err(|e| e.of(name))
}

fn parse(mut source: impl Read) -> Result<Observations, DataError> {
    let mut text = Vec::new();
    source.read_to_end(&mut text).map_err(DataError::in_file)?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text);
    let mut lines = reader.records().map(|record| match record {
        Ok(record) => Ok(Line {
            number: line_number(text, record.position()),
            record,
        }),
        Err(error) => Err(csv_error(text, error)),
    });
    match lines.next() {
        Some(heading) => heading?.check_heading()?,
        None => return Err(DataError::at(1, 1, "the file is empty".to_string())),
    }
    let mut observations = Observations::default();
    for line in lines {
        observations.push(&line?)?;
    }
    match observations.years.len() {
        n if n < FEWEST => Err(DataError::in_file(format!(
            "{n} years of observations, but six parameters need at least {FEWEST}"
        ))),
        _ => Ok(observations),
    }
}

/// The line that a record starts on. The reader's own count leaves out blank lines before it.
fn line_number(text: &[u8], position: Option<&Position>) -> usize {
    let before = position.map_or(0, |p| p.byte() as usize);
    let blank = text[before..]
        .iter()
        .take_while(|&&b| b == b'\n' || b == b'\r')
        .count();
    1 + text[..before + blank]
        .iter()
        .filter(|&&b| b == b'\n')
        .count()
}

fn csv_error(text: &[u8], error: csv::Error) -> DataError {
    match error.kind() {
        ErrorKind::Utf8 { pos, err } => {
            let line = line_number(text, pos.as_ref());
            DataError::at(
                line,
                err.field() + 1,
                "the field is not UTF-8 text".to_string(),
            )
        }
        _ => DataError::in_file(error),
    }
}

impl Observations {
    fn push(&mut self, line: &Line) -> Result<(), DataError> {
        line.check_width()?;
        let year = line.number(0)?;
        if let Some(&before) = self.years.last()
            && year <= before
        {
            return Err(line.error(
                0,
                format!("the years must increase, but {year} follows {before}"),
            ));
        }
        self.years.push(year);
        self.hare.push(line.positive(1)?);
        self.lynx.push(line.positive(2)?);
        Ok(())
    }
}

/// One line of a file.
struct Line {
    number: usize,
    record: StringRecord,
}

impl Line {
    fn error(&self, column: usize, what: String) -> DataError {
        DataError::at(self.number, column + 1, what)
    }

    fn check_width(&self) -> Result<(), DataError> {
        let (found, expected) = (self.record.len(), COLUMNS.len());
        match found == expected {
            true => Ok(()),
            false => {
                let what = format!("{expected} fields are expected, but the line has {found}");
                Err(self.error(found.min(expected), what))
            }
        }
    }

    fn check_heading(&self) -> Result<(), DataError> {
        self.check_width()?;
        for (column, (found, expected)) in self.record.iter().zip(COLUMNS).enumerate() {
            if !found.eq_ignore_ascii_case(expected) {
                let what = format!("the heading `{expected}` is expected, but this is `{found}`");
                return Err(self.error(column, what));
            }
        }
        Ok(())
    }

    fn number(&self, column: usize) -> Result<f64, DataError> {
        let field = &self.record[column];
        match field.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.error(column, format!("`{field}` is not a number"))),
        }
    }

    fn positive(&self, column: usize) -> Result<f64, DataError> {
        let value = self.number(column)?;
        match value > 0.0 {
            true => Ok(value),
            false => Err(self.error(column, format!("{value} is not positive"))),
        }
    }
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
