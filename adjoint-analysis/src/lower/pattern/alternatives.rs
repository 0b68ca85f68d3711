//! Expansion of or-patterns before a guard. For `A | B if guard`, Rust tries the guard with each alternative that
//! matches, so each becomes an arm of its own if more than one can match.

use super::super::types::text;
use super::variant::pattern_path;

/// The maximum number of alternatives that one arm is expanded into.
const MAX_ALTERNATIVES: usize = 24;

/// The alternatives of the pattern, with nested ones expanded, if more than one can match a value, else the pattern
/// itself; `None` if there are too many.
pub fn alternatives(pat: &syn::Pat) -> Option<Vec<syn::Pat>> {
    let all = expand_or(pat)?;
    let overlap = |k: usize| all[..k].iter().any(|earlier| !disjoint(earlier, &all[k]));
    match (1..all.len()).any(overlap) {
        true => Some(all),
        false => Some(vec![pat.clone()]),
    }
}

/// Expands every `|` in the pattern: one pattern for each combination of choices.
fn expand_or(pat: &syn::Pat) -> Option<Vec<syn::Pat>> {
    if let syn::Pat::Or(or) = pat {
        let all: Option<Vec<Vec<syn::Pat>>> = or.cases.iter().map(expand_or).collect();
        return all
            .map(|all| all.concat())
            .filter(|all| all.len() <= MAX_ALTERNATIVES);
    }
    let mut whole = pat.clone();
    let count = subpatterns(&mut whole).len();
    let mut all = vec![whole];
    for k in 0..count {
        let choices = expand_or(subpatterns(&mut all[0].clone())[k])?;
        let with = |whole: &syn::Pat| {
            let choices = choices.iter();
            let put = choices.map(|choice| {
                let mut whole = whole.clone();
                *subpatterns(&mut whole)[k] = choice.clone();
                whole
            });
            put.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
        if all.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    Some(all)
}

/// The direct subpatterns.
fn subpatterns(pat: &mut syn::Pat) -> Vec<&mut syn::Pat> {
    match pat {
        syn::Pat::Tuple(t) => t.elems.iter_mut().collect(),
        syn::Pat::TupleStruct(t) => t.elems.iter_mut().collect(),
        syn::Pat::Slice(s) => s.elems.iter_mut().collect(),
        syn::Pat::Struct(s) => s.fields.iter_mut().map(|f| &mut *f.pat).collect(),
        syn::Pat::Reference(r) => vec![&mut r.pat],
        syn::Pat::Paren(p) => vec![&mut p.pat],
        syn::Pat::Type(t) => vec![&mut t.pat],
        syn::Pat::Ident(p) => p.subpat.iter_mut().map(|(_, pat)| &mut **pat).collect(),
        _ => Vec::new(),
    }
}

/// Whether no value can match both patterns, as far as their syntax shows.
fn disjoint(a: &syn::Pat, b: &syn::Pat) -> bool {
    match (strip_binding(a), strip_binding(b)) {
        (syn::Pat::Reference(a), syn::Pat::Reference(b)) => disjoint(&a.pat, &b.pat),
        (syn::Pat::Lit(a), syn::Pat::Lit(b)) => literals_differ(&a.lit, &b.lit),
        (syn::Pat::Tuple(a), syn::Pat::Tuple(b)) => any_disjoint(a.elems.iter(), b.elems.iter()),
        (a, b) => match (variant_name(a), variant_name(b)) {
            (Some(of_a), Some(of_b)) if of_a != of_b => true,
            (Some(_), Some(_)) => match (a, b) {
                (syn::Pat::TupleStruct(a), syn::Pat::TupleStruct(b)) => {
                    any_disjoint(a.elems.iter(), b.elems.iter())
                }
                _ => false,
            },
            _ => false,
        },
    }
}

/// Strips parentheses and bindings: `5` of `n @ (5)`.
fn strip_binding(pat: &syn::Pat) -> &syn::Pat {
    match pat {
        syn::Pat::Paren(p) => strip_binding(&p.pat),
        syn::Pat::Ident(p) => p.subpat.as_ref().map_or(pat, |(_, pat)| strip_binding(pat)),
        pat => pat,
    }
}

/// Whether two subpatterns at the same position are disjoint. After a `..`, positions are unknown.
fn any_disjoint<'p>(
    a: impl Iterator<Item = &'p syn::Pat>,
    b: impl Iterator<Item = &'p syn::Pat>,
) -> bool {
    let is_rest = |pat: &syn::Pat| matches!(pat, syn::Pat::Rest(_));
    let pairs = a.zip(b).take_while(|(a, b)| !is_rest(a) && !is_rest(b));
    pairs.into_iter().any(|(a, b)| disjoint(a, b))
}

/// Whether the literals differ in value, as far as their text shows.
fn literals_differ(a: &syn::Lit, b: &syn::Lit) -> bool {
    match (a, b) {
        (syn::Lit::Int(a), syn::Lit::Int(b)) => a.base10_digits() != b.base10_digits(),
        (syn::Lit::Bool(a), syn::Lit::Bool(b)) => a.value != b.value,
        (syn::Lit::Char(a), syn::Lit::Char(b)) => a.value() != b.value(),
        (syn::Lit::Str(a), syn::Lit::Str(b)) => a.value() != b.value(),
        _ => false,
    }
}

/// The name of the variant that the pattern matches.
fn variant_name(pat: &syn::Pat) -> Option<String> {
    let path = match pat {
        syn::Pat::Path(p) => text(&p.path).replace(' ', ""),
        syn::Pat::Ident(p) if p.ident == "None" => "None".into(),
        pat => pattern_path(pat)?,
    };
    let (owner, last) = match path.rsplit_once("::") {
        Some((owner, last)) => (owner, last),
        None => ("", &*path),
    };
    // An all-capitals name may be a constant, and a single segment may be an alias of a struct: either may equal
    // another name.
    let is_constant = matches!(pat, syn::Pat::Path(_)) && !last.contains(char::is_lowercase);
    let is_variant = !owner.is_empty() || matches!(last, "Some" | "None" | "Ok" | "Err");
    (is_variant && !is_constant).then(|| last.to_string())
}
