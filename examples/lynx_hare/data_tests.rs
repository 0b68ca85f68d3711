//! Good files give their numbers; each kind of bad file gives an error that says where.

use super::*;

/// What `main` prints for a file with this text.
#[track_caller]
fn error(text: impl AsRef<[u8]>) -> String {
    read(text.as_ref(), "pelts.csv").unwrap_err().to_string()
}

#[test]
fn the_hudson_bay_file() {
    let observations = read(&include_bytes!("hudson_bay.csv")[..], "hudson_bay.csv").unwrap();
    assert_eq!(
        observations.years,
        (1900..=1920).map(f64::from).collect::<Vec<_>>()
    );
    assert_eq!(observations.hare[..4], [30.0, 47.2, 70.2, 77.4]);
    assert_eq!(observations.lynx[18..], [9.7, 10.1, 8.6]);
    assert_eq!((observations.hare.len(), observations.lynx.len()), (21, 21));
}

#[test]
fn blanks_case_and_line_ends_do_not_matter() {
    let text = "\u{feff}Year , HARE,lynx\r\n1900, 1 ,2\r\n\r\n1900.5,3,4\r\n1901,5e0,6";
    let observations = read(text.as_bytes(), "pelts.csv").unwrap();
    assert_eq!(observations.years, [1900.0, 1900.5, 1901.0]);
    assert_eq!(observations.hare, [1.0, 3.0, 5.0]);
    assert_eq!(observations.lynx, [2.0, 4.0, 6.0]);
}

#[test]
fn too_few_fields() {
    assert_eq!(
        error("year,hare,lynx\n1900,1,2\n1901,3\n"),
        "pelts.csv: line 3, column 3 (lynx): 3 fields are expected, but the line has 2"
    );
}

#[test]
fn too_many_fields() {
    assert_eq!(
        error("year,hare,lynx\n1900,1,2,3\n"),
        "pelts.csv: line 2, column 4: 3 fields are expected, but the line has 4"
    );
}

#[test]
fn not_a_number() {
    for field in ["abc", "", "1,5", "NaN", "inf", "1e999"] {
        let quoted = format!("year,hare,lynx\n1900,1,2\n1901,\"{field}\",4\n");
        let message = format!("pelts.csv: line 3, column 2 (hare): `{field}` is not a number");
        assert_eq!(error(quoted), message);
    }
    assert_eq!(
        error("year,hare,lynx\nMCM,1,2\n"),
        "pelts.csv: line 2, column 1 (year): `MCM` is not a number"
    );
}

#[test]
fn not_positive() {
    assert_eq!(
        error("year,hare,lynx\n1900,0,2\n"),
        "pelts.csv: line 2, column 2 (hare): 0 is not positive"
    );
    assert_eq!(
        error("year,hare,lynx\n1900,1,-2.5\n"),
        "pelts.csv: line 2, column 3 (lynx): -2.5 is not positive"
    );
}

#[test]
fn years_that_do_not_increase() {
    assert_eq!(
        error("year,hare,lynx\n1900,1,2\n1900,3,4\n"),
        "pelts.csv: line 3, column 1 (year): the years must increase, but 1900 follows 1900"
    );
}

#[test]
fn the_line_is_counted_over_blank_ones() {
    assert_eq!(
        error("year,hare,lynx\n\n\n1900,x,2\n"),
        "pelts.csv: line 4, column 2 (hare): `x` is not a number"
    );
}

#[test]
fn no_observations() {
    assert_eq!(
        error(""),
        "pelts.csv: line 1, column 1 (year): the file is empty"
    );
    assert_eq!(
        error("year,hare,lynx\n1900,1,2\n1901,3,4\n"),
        "pelts.csv: 2 years of observations, but six parameters need at least 3"
    );
}

#[test]
fn a_missing_heading() {
    assert_eq!(
        error("1900,1,2\n1901,3,4\n1902,5,6\n"),
        "pelts.csv: line 1, column 1 (year): the heading `year` is expected, but this is `1900`"
    );
}

#[test]
fn not_text() {
    assert_eq!(
        error(b"year,hare,lynx\n1900,1,\xff\n"),
        "pelts.csv: line 2, column 3 (lynx): the field is not UTF-8 text"
    );
}

#[test]
fn a_missing_file() {
    let message = read_file(Path::new("no/such/pelts.csv"))
        .unwrap_err()
        .to_string();
    assert!(message.starts_with("no/such/pelts.csv: "), "{message}");
}

#[test]
fn a_folder() {
    let message = read_file(Path::new(env!("CARGO_MANIFEST_DIR")))
        .unwrap_err()
        .to_string();
    assert!(message.starts_with(env!("CARGO_MANIFEST_DIR")), "{message}");
}
