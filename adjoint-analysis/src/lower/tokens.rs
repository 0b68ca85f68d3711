//! Identifiers in tokens, and which of them may be variables.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// Collects every identifier in the tokens that may name a variable, those in format strings included.
pub fn identifiers(tokens: &TokenStream, into: &mut Vec<String>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(ident) => into.push(ident.to_string()),
            TokenTree::Group(group) => identifiers(&group.stream(), into),
            TokenTree::Literal(lit) => into.extend(format_names(&lit.to_string())),
            TokenTree::Punct(_) => {}
        }
    }
}

/// The variables that a format string captures in braces.
pub fn format_names(literal: &str) -> Vec<String> {
    if !literal.starts_with(['"', 'r']) {
        return Vec::new();
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for part in literal.split('{').skip(1) {
        let rest = part.trim_start_matches(is_part);
        if rest.starts_with(['}', ':']) {
            found.push(part[..part.len() - rest.len()].to_string());
        }
        // `{x:>width$.precision$}`
        let within = rest.split('}').next().unwrap_or_default();
        let before = within.rsplit_once('$').map_or("", |(before, _)| before);
        for counted in before.split('$') {
            let name = counted.rsplit(|c| !is_part(c)).next();
            found.extend(name.map(str::to_string));
        }
    }
    found.retain(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    found
}

/// Whether the word is a keyword that an expression may follow.
pub fn precedes_expr(word: &str) -> bool {
    [
        "as", "break", "else", "if", "in", "let", "match", "move", "mut", "return", "while",
    ]
    .contains(&word)
}

/// Whether the identifier at `i` can be the name of a variable: not a field, method, path or macro.
pub fn is_variable_name(tokens: &[TokenTree], i: usize) -> bool {
    let punct =
        |j: usize, c: char| matches!(tokens.get(j), Some(TokenTree::Punct(p)) if p.as_char() == c);
    let range_before = i >= 2 && punct(i - 1, '.') && punct(i - 2, '.');
    let field = i >= 1 && punct(i - 1, '.') && !range_before;
    let path_before = i >= 2 && punct(i - 1, ':') && punct(i - 2, ':');
    let path_after = matches!(tokens.get(i + 1),
        Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint);
    let call = matches!(tokens.get(i + 1),
        Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
    let is_macro = punct(i + 1, '!') && matches!(tokens.get(i + 2), Some(TokenTree::Group(_)));
    !(field || path_before || path_after || call || is_macro)
}
