//! Opaque code, such as `println!("{}", fit.weight)`, over tuples and structs whose parts are lowered separately.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};

use super::code::is_assemblable;
use crate::lower::Lower;
use crate::lower::tokens::is_variable_name;
use crate::lower::value::{Binding, Scope, Value};
use crate::refuse::Reason;

impl Lower {
    /// The tokens with such parts replaced by new names, whose bindings are added to `names`.
    pub fn replace_parts(&mut self, tokens: TokenStream, names: &mut Scope) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = Vec::with_capacity(tokens.len());
        let mut i = 0;
        while i < tokens.len() {
            let token = match &tokens[i] {
                TokenTree::Group(g) => {
                    let mut inner =
                        Group::new(g.delimiter(), self.replace_parts(g.stream(), names));
                    inner.set_span(g.span());
                    TokenTree::Group(inner)
                }
                TokenTree::Ident(ident) if is_variable_name(&tokens, i) => {
                    match self.split_value(ident) {
                        Some(value) => {
                            let (name, part, read) =
                                resolve_part(&tokens[i + 1..], format!("__{ident}"), value);
                            i += read;
                            self.bind_part(name, part, ident.span(), names)
                        }
                        None => tokens[i].clone(),
                    }
                }
                token => token.clone(),
            };
            out.push(token);
            i += 1;
        }
        out.into_iter().collect()
    }

    /// The value of the name, if it can't be assembled from its parts.
    fn split_value(&self, name: &Ident) -> Option<Value> {
        match self.lookup(&name.to_string())? {
            Binding::Value(
                value @ (Value::RefStruct(..) | Value::RefToAggregate(..) | Value::Tuple(_)),
            ) => {
                let value = value.clone().strip_ref();
                (!is_assemblable(&value)).then_some(value)
            }
            _ => None,
        }
    }

    fn bind_part(&mut self, name: String, part: Value, span: Span, names: &mut Scope) -> TokenTree {
        if !matches!(part, Value::Place(_) | Value::PlaceRef(..)) {
            let what = "a tuple or struct that holds references, as a whole,";
            self.refuse(span, Reason::Reference(what.into()));
        }
        names.insert(name.clone(), Binding::Value(part));
        TokenTree::Ident(Ident::new(&name, span))
    }
}

/// The part that the tokens `.field` after a value denote, a name for it, and the number of those tokens.
fn resolve_part(tokens: &[TokenTree], name: String, value: Value) -> (String, Value, usize) {
    let field = match tokens {
        [TokenTree::Punct(dot), field, ..] if dot.as_char() == '.' => field.to_string(),
        _ => return (name, value, 0),
    };
    let part = match &value {
        Value::RefStruct(of, parts) => of.part(parts, &field),
        Value::Tuple(parts) => field
            .parse()
            .ok()
            .and_then(|i: usize| parts.get(i).cloned()),
        _ => None,
    };
    match part {
        Some(part) => {
            let (name, part, read) = resolve_part(&tokens[2..], format!("{name}_{field}"), part);
            (name, part, read + 2)
        }
        None => (name, value, 0),
    }
}
