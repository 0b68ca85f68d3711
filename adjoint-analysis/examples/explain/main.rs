//! Explains what `#[adjoint]` does with the functions of a file: for each annotated function the
//! adjoint report, tables of how integers and control values come back, the computational graphs of runs of assignments
//! with their elimination, the listing with the sets of the analyses, and both sweeps as code.
//!
//! ```text
//! cargo run --release --example explain -- FILE.rs [--fn NAME] [--svg DIR] [--dot DIR]
//! ```
//!
//! Functions that a `macro_rules!` macro writes are not seen.
//!
//! With `--dot` or `--svg`, the control-flow graph of each function, the augmented forward graph and
//! the reversed graph (`[CFR]` Figure 2) are written to the folder, as DOT text or drawn, and for each block in which
//! integers come back their dependency graph (`[INV]` Figure 9): `f.integers.1.svg` is that of table 1. For each computational
//! graph there are two drawings (`[CFR]` Figures 3 and 4): `f.block.1.svg`, and `f.block.1.jacobian.svg` once it is bipartite.

mod drawing;
mod picture;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse_in;
use adjoint_analysis::expand::find::{AnnotatedFn, functions};
use adjoint_analysis::report::blocks::{self, block_tables};
use adjoint_analysis::report::dependencies::dependency_graphs;
use adjoint_analysis::report::diagram::{Diagram, dot};
use adjoint_analysis::report::{self, cfg};
use proc_macro2::Span;

const USAGE: &str = "\
usage: explain FILE.rs [--fn NAME] [--svg DIR] [--dot DIR]
  --fn NAME  only the function of this name
  --svg DIR  draws control-flow graphs, and dependency graphs of integers, into the folder
  --dot DIR  the same as Graphviz DOT";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let arguments = Arguments::parse(arguments)?;
    let path = arguments.file.display();
    let text =
        fs::read_to_string(&arguments.file).map_err(|e| format!("can't read {path}: {e}"))?;
    let file =
        syn::parse_file(&text).map_err(|e| located(&arguments.file, e.span(), &e.to_string()))?;
    let mut found = functions(&file);
    let name = arguments.function.as_deref();
    let is_asked_for = |f: &AnnotatedFn| name.is_none_or(|name| f.item.sig.ident == name);
    if !found.iter().any(is_asked_for) {
        return Err(none_of(&arguments.file, &found, name).into());
    }
    found.retain(is_asked_for);
    let failed = found.iter().filter_map(|f| explain(f, &arguments).err());
    let failed: Vec<String> = failed.map(|e| e.to_string()).collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("\n").into())
    }
}

/// What the command line asks for.
#[derive(Default)]
struct Arguments {
    file: PathBuf,
    function: Option<String>,
    svg: Option<PathBuf>,
    dot: Option<PathBuf>,
}

impl Arguments {
    fn parse(mut list: impl Iterator<Item = String>) -> Result<Arguments> {
        let mut arguments = Arguments::default();
        while let Some(argument) = list.next() {
            let mut value = || {
                list.next()
                    .ok_or(format!("{argument} needs a value\n{USAGE}"))
            };
            match argument.as_str() {
                "--fn" => arguments.function = Some(value()?),
                "--svg" => arguments.svg = Some(value()?.into()),
                "--dot" => arguments.dot = Some(value()?.into()),
                "-h" | "--help" => return Err(USAGE.into()),
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}\n{USAGE}").into());
                }
                file if arguments.file.as_os_str().is_empty() => arguments.file = file.into(),
                file => return Err(format!("one file at a time, not {file} too\n{USAGE}").into()),
            }
        }
        match arguments.file.as_os_str().is_empty() {
            true => Err(USAGE.into()),
            false => Ok(arguments),
        }
    }
}

/// Why there is nothing to explain.
fn none_of(file: &Path, found: &[AnnotatedFn], name: Option<&str>) -> String {
    let file = file.display();
    let names: Vec<String> = found.iter().map(|f| f.item.sig.ident.to_string()).collect();
    match name {
        _ if names.is_empty() => format!("no function in {file} has the attribute `#[adjoint]`"),
        Some(name) => {
            let names = names.join(", ");
            format!("there is no annotated function `{name}` in {file}; annotated are: {names}")
        }
        None => String::new(),
    }
}

fn explain(function: &AnnotatedFn, arguments: &Arguments) -> Result<()> {
    let options = function.options.as_ref().map_err(|errors| {
        let list = errors.clone().flatten().into_iter();
        all_located(&arguments.file, list.map(|e| (e.span(), e.to_string())))
    })?;
    let name = function.item.sig.ident.to_string();
    if let Some(path) = &options.custom {
        let path = path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect::<Vec<_>>();
        println!(
            "Adjoint of `{name}`: the function `{}`, by `custom`.\n",
            path.join("::")
        );
        return Ok(());
    }
    let analysed = analyse_in(&function.item, options, &function.env).map_err(|refusals| {
        let list = refusals.iter().map(|r| (r.span, r.to_error().to_string()));
        all_located(&arguments.file, list)
    })?;
    println!("{}\n", report::markdown(&analysed));
    let tables = report::recovery_tables(&analysed);
    if !tables.is_empty() {
        println!("{tables}");
    }
    let blocks = block_tables(&analysed);
    if !blocks.is_empty() {
        println!("{blocks}");
    }
    println!("{}", report::listing(&analysed));
    if arguments.dot.is_some() || arguments.svg.is_some() {
        draw(&name, &analysed, arguments)?;
    }
    Ok(())
}

fn draw(name: &str, analysed: &Analysed, arguments: &Arguments) -> Result<()> {
    let graphs = cfg::graphs(analysed);
    let reversal = &graphs.reversal;
    let all = [
        ("cfg", &graphs.primal),
        ("forward", &reversal.forward),
        ("reverse", &reversal.reverse),
    ];
    let mut drawings: Vec<(String, Diagram)> = Vec::new();
    drawings.extend(all.map(|(which, graph)| (which.to_string(), graph.diagram())));
    for graph in dependency_graphs(analysed) {
        drawings.push((format!("integers.{}", graph.number), graph.diagram()));
    }
    drawings.extend(blocks::drawings(analysed));
    for (which, diagram) in drawings {
        let title = format!("{name}.{which}");
        if let Some(folder) = &arguments.dot {
            write(folder, &format!("{title}.dot"), &dot(&title, &diagram))?;
        }
        if let Some(folder) = &arguments.svg {
            write(folder, &format!("{title}.svg"), &drawing::svg(&diagram))?;
        }
    }
    Ok(())
}

/// `FILE:LINE:COLUMN: message`
fn located(file: &Path, span: Span, message: &str) -> String {
    let start = span.start();
    format!(
        "{}:{}:{}: {message}",
        file.display(),
        start.line,
        start.column + 1
    )
}

fn all_located(file: &Path, list: impl Iterator<Item = (Span, String)>) -> String {
    let lines: Vec<String> = list
        .map(|(span, text)| located(file, span, &text))
        .collect();
    lines.join("\n")
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|e| format!("can't write {}: {e}", path.display()).into())
}
