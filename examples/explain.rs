//! Explains what `#[adjoint]` does with the functions of a file: for each annotated function the
//! adjoint report, the listing with the sets of the analyses, and both sweeps as code.
//!
//! ```text
//! cargo run --release --example explain -- FILE.rs [--fn NAME] [--svg DIR] [--dot DIR]
//! ```
//!
//! With `--dot` or `--svg`, the control-flow graph of each function, the augmented forward graph and
//! the reversed graph ([CFR] Figure 2) are written to the folder, as DOT text or drawn.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adjoint_analysis::expand::{Analysed, analyse};
use adjoint_analysis::options::Options;
use adjoint_analysis::report::{self, cfg};
use proc_macro2::{Span, TokenStream};
use syn::visit::Visit;

const USAGE: &str = "usage: explain FILE.rs [--fn NAME] [--svg DIR] [--dot DIR]";

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
    let text = fs::read_to_string(&arguments.file).map_err(|e| format!("can't read {path}: {e}"))?;
    let file = syn::parse_file(&text).map_err(|e| located(&arguments.file, e.span(), &e.to_string()))?;
    let mut functions = Functions::default();
    functions.visit_file(&file);
    if let Some(name) = &arguments.function {
        if functions.found.iter().all(|f| f.item.sig.ident != name) {
            return Err(functions.none_of(&arguments.file, name).into());
        }
        functions.found.retain(|f| f.item.sig.ident == name);
    }
    if functions.found.is_empty() {
        return Err(format!("no function in {path} has the attribute `#[adjoint]`").into());
    }
    for function in &functions.found {
        function.explain(&arguments)?;
    }
    Ok(())
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
            let mut value = || list.next().ok_or(format!("{argument} needs a value\n{USAGE}"));
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

/// A function with the arguments of its attribute.
struct Function {
    arguments: TokenStream,
    item: syn::ItemFn,
}

/// The functions of a file, at any depth.
#[derive(Default)]
struct Functions {
    found: Vec<Function>,
    /// The names of those without the attribute.
    others: Vec<String>,
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let attribute = item.attrs.iter().find(|a| is_adjoint(a));
        match attribute {
            Some(attribute) => {
                let arguments = match &attribute.meta {
                    syn::Meta::List(list) => list.tokens.clone(),
                    _ => TokenStream::new(),
                };
                self.found.push(Function { arguments, item: item.clone() });
            }
            None => self.others.push(item.sig.ident.to_string()),
        }
        syn::visit::visit_item_fn(self, item);
    }
}

fn is_adjoint(attribute: &syn::Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|s| s.ident == "adjoint")
}

impl Functions {
    fn none_of(&self, file: &Path, name: &str) -> String {
        let file = file.display();
        if self.others.iter().any(|other| other == name) {
            return format!("`{name}` in {file} has no attribute `#[adjoint]`");
        }
        let names: Vec<String> = self.found.iter().map(|f| f.item.sig.ident.to_string()).collect();
        format!("there is no function `{name}` in {file}; annotated are: {}", names.join(", "))
    }
}

impl Function {
    fn explain(&self, arguments: &Arguments) -> Result<()> {
        let analysed = self.analysed(&arguments.file)?;
        println!("{}\n", report::markdown(&analysed));
        println!("{}", report::listing(&analysed));
        if arguments.dot.is_some() || arguments.svg.is_some() {
            self.draw(&analysed, arguments)?;
        }
        Ok(())
    }

    fn analysed(&self, file: &Path) -> Result<Analysed> {
        let located_all = |list: Vec<(Span, String)>| {
            let lines: Vec<String> = list.iter().map(|(s, text)| located(file, *s, text)).collect();
            lines.join("\n")
        };
        let options = Options::parse(self.arguments.clone()).map_err(|errors| {
            let list = errors.flatten().into_iter().map(|e| (e.span(), e.to_string()));
            located_all(list.collect())
        })?;
        let analysed = analyse(&self.item, &options).map_err(|refusals| {
            let list = refusals.iter().map(|r| (r.span, r.to_error().to_string()));
            located_all(list.collect())
        })?;
        Ok(analysed)
    }

    fn draw(&self, analysed: &Analysed, arguments: &Arguments) -> Result<()> {
        let name = self.item.sig.ident.to_string();
        let graphs = cfg::graphs(analysed);
        let reversal = &graphs.reversal;
        let all = [
            ("cfg", &graphs.primal),
            ("forward", &reversal.forward),
            ("reverse", &reversal.reverse),
        ];
        for (which, graph) in all {
            let title = format!("{name}.{which}");
            let dot = cfg::dot(&title, graph);
            if let Some(folder) = &arguments.dot {
                write(folder, &format!("{title}.dot"), &dot)?;
            }
            if let Some(folder) = &arguments.svg {
                write(folder, &format!("{title}.svg"), &svg(&dot)?)?;
            }
        }
        Ok(())
    }
}

/// `FILE:LINE:COLUMN: message`
fn located(file: &Path, span: Span, message: &str) -> String {
    let start = span.start();
    format!("{}:{}:{}: {message}", file.display(), start.line, start.column + 1)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, text))
        .map_err(|e| format!("can't write {}: {e}", path.display()).into())
}

/// The drawing of a graph.
fn svg(dot: &str) -> Result<String> {
    let graph = layout::gv::DotParser::new(dot).process()?;
    let mut builder = layout::gv::GraphBuilder::new();
    builder.visit_graph(&graph);
    let mut drawing = layout::backends::svg::SVGWriter::new();
    builder.get().do_it(false, false, false, &mut drawing);
    Ok(drawing.finalize())
}
