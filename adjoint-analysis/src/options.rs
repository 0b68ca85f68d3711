//! The arguments of the attribute.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;

use crate::plan::build::Config;
use crate::plan::fusion::LONGEST_STRIP;
use crate::plan::preaccumulation::Preaccumulation;

/// `#[adjoint(..)]`. Unknown arguments are errors that suggest the known one.
#[derive(Debug, Default, FromMeta)]
#[darling(default)]
struct Arguments {
    wrt: Option<ParamNames>,
    of: Option<ParamNames>,
    without: Option<Without>,
    handle: Option<syn::Ident>,
    custom: Option<FunctionPath>,
    inactive: Option<FunctionPaths>,
    jacobian: bool,
    pullback: bool,
}

/// `custom = path`, with or without quotes.
#[derive(Debug, Clone)]
struct FunctionPath(syn::Path);

impl FromMeta for FunctionPath {
    fn from_expr(expr: &syn::Expr) -> darling::Result<Self> {
        match expr {
            syn::Expr::Path(p) => Ok(FunctionPath(p.path.clone())),
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(s),
                ..
            }) => s.parse().map(FunctionPath).map_err(darling::Error::from),
            other => {
                Err(darling::Error::custom("expected the path of a function").with_span(other))
            }
        }
    }
}

/// `inactive(path, ..)`
#[derive(Debug, Clone, Default)]
struct FunctionPaths(Vec<syn::Path>);

impl FromMeta for FunctionPaths {
    fn from_list(items: &[NestedMeta]) -> darling::Result<Self> {
        let path =
            |item: &NestedMeta| match item {
                NestedMeta::Meta(syn::Meta::Path(p)) => Ok(p.clone()),
                other => Err(darling::Error::custom("expected the path of a function")
                    .with_span(&other.span())),
            };
        items
            .iter()
            .map(path)
            .collect::<darling::Result<Vec<_>>>()
            .map(FunctionPaths)
    }
}

/// A list of parameter names: `wrt(x, k)`.
#[derive(Debug, Default, Clone)]
pub struct ParamNames(pub Vec<syn::Ident>);

/// The names of the arguments, for the message about an unknown one.
const ARGUMENTS: &[&str] = &[
    "wrt", "of", "without", "custom", "inactive", "handle", "jacobian", "pullback",
];

/// Arguments that apply to one function only.
const PER_FUNCTION: &[&str] = &["wrt", "of", "custom", "handle", "jacobian", "pullback"];

/// The arguments of `without`.
const OPTIMISATIONS: &[&str] = &[
    "activity",
    "tbr",
    "inversion",
    "recomputation",
    "simplification",
    "motion",
    "distribution",
    "flattening",
    "preaccumulation",
    "fusion",
];

/// Errors for names that are not known.
fn check_known(items: &[NestedMeta], known: &[&str], message: &str) -> darling::Result<()> {
    let mut errors = darling::Error::accumulator();
    for item in items {
        let NestedMeta::Meta(meta) = item else {
            continue;
        };
        let name = meta
            .path()
            .get_ident()
            .map(|i| i.to_string())
            .unwrap_or_default();
        if !known.contains(&name.as_str()) {
            let near = known.iter().find(|k| is_near(&name, k));
            let near = near
                .map(|k| format!("did you mean `{k}`? "))
                .unwrap_or_default();
            let text = format!(
                "{message} `{name}`\nhelp: {near}there are `{}`",
                known.join("`, `")
            );
            errors.push(darling::Error::custom(text).with_span(meta.path()));
        }
    }
    errors.finish()
}

/// Errors for fields and elements in the lists of parameters, which then are no lists of names.
fn check_whole_params(tokens: TokenStream) -> darling::Result<()> {
    let mut errors = darling::Error::accumulator();
    let mut list = None;
    for token in tokens {
        if let (Some(list), TokenTree::Group(group)) = (&list, &token) {
            let mut inner = group.stream().into_iter().peekable();
            while let Some(token) = inner.next() {
                let enters = match inner.peek() {
                    Some(TokenTree::Punct(p)) => p.as_char() == '.',
                    Some(TokenTree::Group(g)) => g.delimiter() == Delimiter::Bracket,
                    _ => false,
                };
                if let TokenTree::Ident(name) = token.clone()
                    && enters
                {
                    let text = format!(
                        "`{list}` takes whole parameters, not parts of them\nhelp: write `{list}({name})`, or hand the part over as a parameter of its own"
                    );
                    errors.push(darling::Error::custom(text).with_span(&token.span()));
                    break;
                }
            }
        }
        list = match token {
            TokenTree::Ident(name) if name == "wrt" || name == "of" => Some(name),
            _ => None,
        };
    }
    errors.finish()
}

/// Whether a name is a permutation of another, or has one letter more, less or changed.
fn is_near(name: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (name.chars().collect(), known.chars().collect());
    let sorted = |mut letters: Vec<char>| {
        letters.sort_unstable();
        letters
    };
    let common = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let rest = |skip_a: usize, skip_b: usize| a.get(common + skip_a..) == b.get(common + skip_b..);
    sorted(a.clone()) == sorted(b.clone()) || rest(1, 0) || rest(0, 1) || rest(1, 1)
}

impl FromMeta for ParamNames {
    fn from_word() -> darling::Result<Self> {
        Err(darling::Error::custom(
            "expected names in parentheses, as in `wrt(x, y)`",
        ))
    }

    fn from_expr(expr: &syn::Expr) -> darling::Result<Self> {
        ParamNames::from_word().map_err(|e| e.with_span(expr))
    }

    fn from_list(items: &[NestedMeta]) -> darling::Result<Self> {
        let name = |item: &NestedMeta| match item {
            NestedMeta::Meta(syn::Meta::Path(p)) => p
                .get_ident()
                .cloned()
                .ok_or_else(|| darling::Error::custom("expected a parameter's name").with_span(p)),
            other => {
                Err(darling::Error::custom("expected a parameter's name").with_span(&other.span()))
            }
        };
        items
            .iter()
            .map(name)
            .collect::<darling::Result<Vec<_>>>()
            .map(ParamNames)
    }
}

/// `without(..)`: optimisations that are switched off.
#[derive(Debug, Default, Clone, FromMeta)]
#[darling(default)]
struct Without {
    activity: bool,
    tbr: bool,
    inversion: bool,
    recomputation: bool,
    simplification: bool,
    motion: bool,
    distribution: bool,
    flattening: bool,
    preaccumulation: bool,
    fusion: bool,
}

/// The parsed arguments of the attribute.
#[derive(Debug, Default, Clone)]
pub struct Options {
    /// The independents, if they are named.
    pub wrt: Option<Vec<syn::Ident>>,
    /// The dependents, if they are named.
    pub of: Option<Vec<syn::Ident>>,
    /// The optimisations.
    pub config: Config,
    /// Another name for the handle.
    pub handle: Option<syn::Ident>,
    /// The user's own adjoint of an opaque function.
    pub custom: Option<syn::Path>,
    /// Functions whose floats are treated as constants.
    pub inactive: Vec<syn::Path>,
    /// Whether `f_jacobian` is made.
    pub jacobian: bool,
    /// Whether `f_pullback` is made.
    pub pullback: bool,
}

impl Options {
    /// Parses the attribute's arguments.
    pub fn parse(tokens: TokenStream) -> Result<Options, darling::Error> {
        check_whole_params(tokens.clone())?;
        let metas = NestedMeta::parse_meta_list(tokens)?;
        check_known(&metas, ARGUMENTS, "`#[adjoint]` has no argument")?;
        for meta in &metas {
            if let NestedMeta::Meta(syn::Meta::List(list)) = meta
                && list.path.is_ident("without")
            {
                let inner = NestedMeta::parse_meta_list(list.tokens.clone())?;
                check_known(&inner, OPTIMISATIONS, "there is no optimisation")?;
            }
        }
        let arguments = Arguments::from_list(&metas)?;
        let repeated = [
            (arguments.jacobian, "jacobian", "row"),
            (arguments.pullback, "pullback", "seed"),
        ];
        let repeated = repeated.into_iter().find(|(is_wanted, ..)| *is_wanted);
        if let (Some((_, argument, each)), Some(path)) = (repeated, &arguments.custom) {
            let text = format!(
                "`{argument}` needs a reverse sweep that runs again, and a `custom` adjoint has none\nhelp: call the adjoint for each {each}"
            );
            return Err(darling::Error::custom(text).with_span(&path.0));
        }
        let without = arguments.without.unwrap_or_default();
        let config = Config {
            activity: !without.activity,
            tbr: !without.tbr,
            recomputation: !without.recomputation,
            inversion: !without.inversion,
            simplification: !without.simplification,
            motion: !without.motion,
            distribution: !without.distribution,
            flattening: !without.flattening,
            preaccumulation: match without.preaccumulation {
                true => Preaccumulation::Off,
                false => Preaccumulation::WherePaying,
            },
            fusion: (!without.fusion).then_some(LONGEST_STRIP),
        };
        Ok(Options {
            wrt: arguments.wrt.map(|n| n.0),
            of: arguments.of.map(|n| n.0),
            config,
            handle: arguments.handle,
            custom: arguments.custom.map(|p| p.0),
            inactive: arguments.inactive.map(|p| p.0).unwrap_or_default(),
            jacobian: arguments.jacobian,
            pullback: arguments.pullback,
        })
    }

    /// Errors for arguments without a meaning on an item that holds several functions.
    pub fn errors_on_group(tokens: TokenStream) -> Option<TokenStream> {
        let metas = NestedMeta::parse_meta_list(tokens).unwrap_or_default();
        let mut errors = darling::Error::accumulator();
        for meta in &metas {
            if let NestedMeta::Meta(meta) = meta
                && let Some(name) = PER_FUNCTION.iter().find(|name| meta.path().is_ident(name))
            {
                let text = format!(
                    "`{name}` is an argument for one function\nhelp: write it in an `#[adjoint(..)]` of the function itself"
                );
                errors.push(darling::Error::custom(text).with_span(meta.path()));
            }
        }
        errors.finish().err().map(darling::Error::write_errors)
    }

    /// The options that the valid arguments give, for a stub with the intended signature.
    pub fn salvage(tokens: TokenStream) -> Options {
        let metas = NestedMeta::parse_meta_list(tokens).unwrap_or_default();
        let right = |meta: &NestedMeta| Arguments::from_list(std::slice::from_ref(meta)).is_ok();
        let metas: Vec<NestedMeta> = metas.into_iter().filter(right).collect();
        Options::parse(quote::quote!(#(#metas),*)).unwrap_or_default()
    }
}
