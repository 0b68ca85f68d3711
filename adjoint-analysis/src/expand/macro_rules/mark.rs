//! Hygiene marks on the names that a macro wrote, which distinguish them from equal names of its caller.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};

/// The separator between a name and the number of its mark. No user writes it, and it is ASCII, as rustc warns of
/// uncommon letters.
const SEPARATOR: &str = "__marked__";

/// The prefix of a definition's number.
const DEFINITION: &str = "definition__number__";

/// The number of the expansion in which a macro wrote a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(pub usize);

impl Mark {
    /// The name with the mark; keywords are not marked.
    pub fn put_on(self, name: &Ident) -> Ident {
        let text = name.to_string();
        if syn::parse_str::<Ident>(&text).is_err() {
            return name.clone();
        }
        ident(&self.on(&text), name.span())
    }

    /// The literal with marks on the names that a format string captures.
    pub fn put_on_captures(self, literal: &Literal) -> Literal {
        with_captures(literal, |name| self.on(name))
    }

    fn on(self, text: &str) -> String {
        match text.strip_prefix("r#") {
            Some(raw) => format!("{raw}{SEPARATOR}r{}", self.0),
            None => format!("{text}{SEPARATOR}{}", self.0),
        }
    }
}

/// The placeholder name of a macro definition.
pub fn definition(number: usize) -> Ident {
    Ident::new(&format!("{DEFINITION}{number}"), Span::call_site())
}

/// The number of the definition that a placeholder stands for.
pub fn number_of_definition(name: &Ident) -> Option<usize> {
    name.to_string().strip_prefix(DEFINITION)?.parse().ok()
}

/// An identifier of this text, which may be raw.
pub fn ident(text: &str, span: Span) -> Ident {
    match text.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, span),
        None => Ident::new(text, span),
    }
}

/// Splits a text into the name and its mark.
pub fn split(text: &str) -> (String, Option<Mark>) {
    let marked = text.rsplit_once(SEPARATOR).and_then(|(bare, number)| {
        let (bare, number) = match number.strip_prefix('r') {
            Some(number) => (format!("r#{bare}"), number),
            None => (bare.to_string(), number),
        };
        Some((bare, Mark(number.parse().ok()?)))
    });
    match marked {
        Some((bare, mark)) => (bare, Some(mark)),
        None => (text.to_string(), None),
    }
}

/// The name without its mark.
pub fn bare(name: &Ident) -> Ident {
    match split(&name.to_string()) {
        (text, Some(_)) => ident(&text, name.span()),
        (_, None) => name.clone(),
    }
}

/// The literal without marks.
pub fn bare_literal(literal: &Literal) -> Literal {
    with_captures(literal, |name| split(name).0)
}

/// The tokens without marks.
pub fn bare_tokens(tokens: TokenStream) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) => bare(&name).into(),
        TokenTree::Literal(literal) => bare_literal(&literal).into(),
        TokenTree::Group(of) => with_content(&of, bare_tokens(of.stream())).into(),
        sign => sign,
    });
    each.collect()
}

/// The same group with other content.
pub fn with_content(group: &Group, content: TokenStream) -> Group {
    let mut made = Group::new(group.delimiter(), content);
    made.set_span(group.span());
    made
}

/// A format string with its captured names mapped; any other literal is returned as it is.
pub fn with_captures(literal: &Literal, mut name: impl FnMut(&str) -> String) -> Literal {
    let text = literal.to_string();
    if !text.starts_with(['"', 'r']) || !text.contains('{') {
        return literal.clone();
    }
    let made = captures(&text, &mut name);
    let made: Option<Literal> = (made != text).then(|| made.parse().ok()).flatten();
    made.map_or_else(
        || literal.clone(),
        |mut made| {
            made.set_span(literal.span());
            made
        },
    )
}

/// The text with the captured names mapped: `{x}`, `{x:?}`, `{:width$}`, `{x:.precision$}`.
fn captures(text: &str, name: &mut impl FnMut(&str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..=start]);
        rest = &rest[start + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            out.push('{');
            rest = escaped;
            continue;
        }
        let end = rest.find('}').unwrap_or(rest.len());
        let (taken, format) = rest[..end].split_at(rest[..end].find(':').unwrap_or(end));
        out.push_str(&renamed(taken, name));
        for (k, part) in format.split('$').enumerate() {
            let last = format.matches('$').count() == k;
            let start = part.rfind(|c| !is_of_name(c));
            let (before, width) = part.split_at(start.map_or(0, |at| at + 1));
            out.push_str(before);
            match last {
                true => out.push_str(width),
                false => out.push_str(&(renamed(width, name) + "$")),
            }
        }
        rest = &rest[end..];
    }
    out + rest
}

fn renamed(text: &str, name: &mut impl FnMut(&str) -> String) -> String {
    let is_name = text.chars().all(is_of_name) && !text.starts_with(|c: char| c.is_ascii_digit());
    match is_name && !text.is_empty() {
        true => name(text),
        false => text.to_string(),
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
