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
    pub fn mark_ident(self, name: &Ident) -> Ident {
        let text = name.to_string();
        if syn::parse_str::<Ident>(&text).is_err() {
            return name.clone();
        }
        ident(&self.mark_text(&text), name.span())
    }

    /// The literal with marks on the names that a format string captures.
    pub fn mark_captures(self, literal: &Literal) -> Literal {
        map_captures(literal, |name| self.mark_text(name))
    }

    fn mark_text(self, text: &str) -> String {
        match text.strip_prefix("r#") {
            Some(raw) => format!("{raw}{SEPARATOR}r{}", self.0),
            None => format!("{text}{SEPARATOR}{}", self.0),
        }
    }
}

/// The placeholder name of a macro definition.
pub fn definition_placeholder(number: usize) -> Ident {
    Ident::new(&format!("{DEFINITION}{number}"), Span::call_site())
}

/// The number of the definition that a placeholder stands for.
pub fn definition_number(name: &Ident) -> Option<usize> {
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
pub fn split_mark(text: &str) -> (String, Option<Mark>) {
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
pub fn unmarked(name: &Ident) -> Ident {
    match split_mark(&name.to_string()) {
        (text, Some(_)) => ident(&text, name.span()),
        (_, None) => name.clone(),
    }
}

/// The literal without marks.
pub fn unmarked_literal(literal: &Literal) -> Literal {
    map_captures(literal, |name| split_mark(name).0)
}

/// The tokens without marks.
pub fn unmarked_tokens(tokens: TokenStream) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) => unmarked(&name).into(),
        TokenTree::Literal(literal) => unmarked_literal(&literal).into(),
        TokenTree::Group(of) => with_content(&of, unmarked_tokens(of.stream())).into(),
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
pub fn map_captures(literal: &Literal, mut name: impl FnMut(&str) -> String) -> Literal {
    let text = literal.to_string();
    if !text.starts_with(['"', 'r']) || !text.contains('{') {
        return literal.clone();
    }
    let made = map_captures_in(&text, &mut name);
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
fn map_captures_in(text: &str, name: &mut impl FnMut(&str) -> String) -> String {
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
        out.push_str(&map_name(taken, name));
        for (k, part) in format.split('$').enumerate() {
            let last = format.matches('$').count() == k;
            let start = part.rfind(|c| !is_ident_char(c));
            let (before, width) = part.split_at(start.map_or(0, |at| at + 1));
            out.push_str(before);
            match last {
                true => out.push_str(width),
                false => out.push_str(&(map_name(width, name) + "$")),
            }
        }
        rest = &rest[end..];
    }
    out + rest
}

fn map_name(text: &str, name: &mut impl FnMut(&str) -> String) -> String {
    let is_name =
        text.chars().all(is_ident_char) && !text.starts_with(|c: char| c.is_ascii_digit());
    match is_name && !text.is_empty() {
        true => name(text),
        false => text.to_string(),
    }
}

fn is_ident_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
