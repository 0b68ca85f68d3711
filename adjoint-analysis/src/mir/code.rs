//! The user's code that is opaque to the IR.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};

/// Tokens in which `__place_K` stands for the K-th place of the IR node that holds them.
#[derive(Clone, Debug)]
pub struct Code {
    /// The tokens.
    pub tokens: TokenStream,
    /// How the user's code refers to the K-th place.
    pub modes: Vec<CaptureMode>,
}

/// Macros that do not return.
pub const DIVERGING: &[&str] = &["panic", "unreachable", "todo", "unimplemented"];

/// How the user's code refers to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureMode {
    /// By a name of the value.
    Value,
    /// By a name of a `&` reference to it.
    Shared,
    /// By a name of a `&mut` reference to it.
    Mut,
    /// As `&place`.
    Borrow,
    /// As `&mut place`.
    MutBorrow,
}

impl Code {
    /// Whether it is a macro call that does not return.
    pub fn diverges(&self) -> bool {
        let mac = syn::parse2::<syn::Macro>(self.tokens.clone());
        mac.is_ok_and(|mac| is_diverging(&mac))
    }

    /// Passes all places by shared reference, so that rustc rejects code that writes.
    pub fn restrict_to_reads(&mut self) {
        self.tokens = deref_values(std::mem::take(&mut self.tokens), &self.modes);
        for by in &mut self.modes {
            *by = match *by {
                CaptureMode::Value => CaptureMode::Borrow,
                CaptureMode::Mut | CaptureMode::MutBorrow => CaptureMode::Shared,
                by => by,
            };
        }
    }
}

/// The tokens with a dereference at each placeholder of a value.
fn deref_values(tokens: TokenStream, by: &[CaptureMode]) -> TokenStream {
    let one = |token: TokenTree| match token {
        TokenTree::Ident(ident) => match placeholder_index(&ident).map(|k| by[k]) {
            Some(CaptureMode::Value) => quote::quote!((*#ident)),
            _ => quote::quote!(#ident),
        },
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), deref_values(group.stream(), by));
            inner.set_span(group.span());
            quote::quote!(#inner)
        }
        token => quote::quote!(#token),
    };
    tokens.into_iter().map(one).collect()
}

/// The placeholder of the K-th place.
pub fn placeholder(k: usize) -> String {
    format!("__place_{k}")
}

/// The number of a placeholder's place.
pub fn placeholder_index(ident: &Ident) -> Option<usize> {
    ident.to_string().strip_prefix("__place_")?.parse().ok()
}

/// The text as tokens, all with one span.
pub fn tokens_at(text: &str, span: Span) -> TokenStream {
    let tokens: TokenStream = text.parse().unwrap_or_default();
    let at = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(at).collect()
}

/// Whether the macro is known to diverge.
pub fn is_diverging(mac: &syn::Macro) -> bool {
    let last = mac.path.segments.last().map(|s| s.ident.to_string());
    last.is_some_and(|name| DIVERGING.contains(&name.as_str()))
}
