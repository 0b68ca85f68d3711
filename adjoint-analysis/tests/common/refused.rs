//! The errors in an expansion.

use adjoint_analysis::expand::expand_item;
use proc_macro2::{TokenStream, TokenTree};

/// An error in the expansion.
#[derive(Debug)]
pub struct Refused {
    /// What it says.
    pub text: String,
    /// The source text that it points to.
    pub at: String,
}

/// The errors in the expansion of an item, whose attribute is part of the source where it has
/// arguments. It runs on a stack as rustc has.
pub fn refused(source: &str) -> Vec<Refused> {
    let source = source.to_string();
    let thread = std::thread::Builder::new().stack_size(8 << 20);
    let expanding = thread.spawn(move || expanded(&source)).expect("a thread");
    expanding
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn expanded(source: &str) -> Vec<Refused> {
    let (arguments, item) = match source.strip_prefix("#[adjoint(") {
        Some(rest) => rest.split_once(")]").expect("the end of the attribute"),
        None => ("", source),
    };
    let [arguments, item] = [arguments, item].map(|s| s.parse().expect("tokens"));
    let mut found = Vec::new();
    collect(expand_item(arguments, item), &mut found);
    found
}

/// Looks for `compile_error! { "text" }`.
fn collect(tokens: TokenStream, found: &mut Vec<Refused>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let is_error = i >= 2 && tokens[i - 2].to_string() == "compile_error";
        match syn::parse2::<syn::LitStr>(group.stream()) {
            Ok(text) if is_error => found.push(Refused {
                text: text.value(),
                at: text.span().source_text().unwrap_or_default(),
            }),
            _ => collect(group.stream(), found),
        }
    }
}
