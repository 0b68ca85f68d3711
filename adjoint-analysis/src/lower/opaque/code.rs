//! User code that the IR does not analyse, with its variables as placeholders.

use crate::lower::tokens::{format_names, identifiers, is_variable_name, precedes_expr};
use crate::mir::code::{CaptureMode, placeholder};
use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};

use crate::ir::CodeId;
use crate::lower::value::{Binding, Scope, Value};
use crate::lower::{Lower, Place};

impl Lower {
    /// Stores the tokens, with every variable in them replaced by a placeholder.
    pub fn capture(&mut self, tokens: TokenStream) -> (CodeId, Vec<Place>) {
        self.capture_with(tokens, Vec::new(), Vec::new())
    }

    /// Stores tokens whose first placeholders stand for these places.
    pub fn capture_with(
        &mut self,
        tokens: TokenStream,
        places: Vec<Place>,
        by: Vec<CaptureMode>,
    ) -> (CodeId, Vec<Place>) {
        let mut captured = (places, by);
        let tokens = self.capture_tokens(tokens, &mut captured);
        let (places, by) = captured;
        (self.add_code(tokens, by), places)
    }

    /// The tokens with variables replaced by placeholders, which are numbered after the existing ones.
    pub fn capture_tokens(
        &mut self,
        tokens: TokenStream,
        captured: &mut CapturedPlaces,
    ) -> TokenStream {
        let mut whole = self.assemble_values(&tokens);
        let tokens = self.replace_parts(tokens, &mut whole);
        self.scopes.push(whole);
        let (places, by) = std::mem::take(captured);
        let mut capture = CaptureVisitor {
            places,
            by,
            format_args: Vec::new(),
        };
        let tokens = capture.stream(self, tokens);
        self.scopes.pop();
        *captured = (capture.places, capture.by);
        tokens
    }
}

impl Lower {
    /// The tuples, `Option`s and `Result`s that the tokens mention, each assembled in a variable.
    fn assemble_values(&mut self, tokens: &TokenStream) -> Scope {
        let mut names = Vec::new();
        identifiers(tokens, &mut names);
        let mut found = Scope::new();
        for name in names {
            let apart = match self.lookup(&name) {
                Some(Binding::Value(value @ (Value::SplitEnum(_) | Value::Tuple(_)))) => {
                    value.clone()
                }
                Some(Binding::Value(Value::RefToAggregate(of, _))) => (**of).clone(),
                _ => continue,
            };
            if !found.contains_key(&name) && is_assemblable(&apart) {
                let place = self.place_of(apart, Span::call_site());
                found.insert(name, Binding::Var(place.root));
            }
        }
        found
    }
}

/// Whether the value can be assembled from its parts.
pub fn is_assemblable(value: &Value) -> bool {
    match value {
        Value::Tuple(parts) => parts.iter().all(is_assemblable),
        Value::SplitEnum(c) => is_assemblable(&c.payload) && is_assemblable(&c.err_payload),
        Value::RefStruct(..) | Value::RefToAggregate(..) => false,
        Value::PlaceRef(..) | Value::Closure(_) | Value::Iter(_) | Value::Diverges => false,
        _ => true,
    }
}

/// The places that the placeholders of some code stand for, and how it accesses them.
pub type CapturedPlaces = (Vec<Place>, Vec<CaptureMode>);

struct CaptureVisitor {
    places: Vec<Place>,
    by: Vec<CaptureMode>,
    /// Variables captured by a format string in the current group.
    format_args: Vec<(String, usize)>,
}

impl CaptureVisitor {
    fn stream(&mut self, lower: &Lower, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = Vec::with_capacity(tokens.len());
        for (i, token) in tokens.iter().enumerate() {
            let token = match token {
                TokenTree::Group(g) => TokenTree::Group(self.group(lower, g)),
                TokenTree::Ident(ident) if is_variable_name(&tokens, i) => {
                    match self.placeholder_index(lower, &ident.to_string()) {
                        Some(k) => {
                            self.strip_derefs(lower, k, &mut out);
                            TokenTree::Ident(Ident::new(&placeholder(k), ident.span()))
                        }
                        None => token.clone(),
                    }
                }
                TokenTree::Literal(lit) => {
                    self.format_captures(lower, lit);
                    token.clone()
                }
                _ => token.clone(),
            };
            out.push(token);
        }
        out.into_iter().collect()
    }

    fn group(&mut self, lower: &Lower, group: &Group) -> Group {
        let outer = std::mem::take(&mut self.format_args);
        let mut inner = self.stream(lower, group.stream());
        for (name, k) in std::mem::replace(&mut self.format_args, outer) {
            let (name, slot) = (
                Ident::new(&name, group.span()),
                Ident::new(&placeholder(k), group.span()),
            );
            inner = quote::quote!(#inner, #name = #slot);
        }
        let mut new = Group::new(group.delimiter(), inner);
        new.set_span(group.span());
        new
    }

    /// Removes excess dereferences: a number is behind one reference here, however many the user's name has (`**t` is
    /// `*t`).
    fn strip_derefs(&self, lower: &Lower, k: usize, before: &mut Vec<TokenTree>) {
        let ty = lower.shallow(&self.places[k].ty);
        if !ty.is_scalar() && !lower.infer.is_number(&ty) {
            return;
        }
        let is_star =
            |token: &&TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == '*');
        let stars = before.iter().rev().take_while(is_star).count();
        let multiplies = match before.iter().rev().nth(stars) {
            Some(TokenTree::Ident(word)) => !precedes_expr(&word.to_string()),
            Some(TokenTree::Literal(_) | TokenTree::Group(_)) => true,
            _ => false,
        };
        let needed = match self.by[k] {
            CaptureMode::Shared | CaptureMode::Mut => 1,
            _ => 0,
        };
        let derefs = stars.saturating_sub(usize::from(multiplies));
        before.truncate(before.len() - derefs.saturating_sub(needed));
    }

    /// The slot of the variable's place, if the name is a variable.
    fn placeholder_index(&mut self, lower: &Lower, name: &str) -> Option<usize> {
        let (place, by) = match lower.lookup(name)? {
            Binding::Var(v) => (lower.draft.func.place(*v), CaptureMode::Value),
            Binding::Value(Value::PlaceRef(p, true)) => (p.clone(), CaptureMode::Mut),
            Binding::Value(Value::PlaceRef(p, false)) => (p.clone(), CaptureMode::Shared),
            Binding::Value(Value::Place(p)) => (p.clone(), CaptureMode::Value),
            Binding::Value(_) => return None,
        };
        let found = (0..self.places.len()).find(|&k| self.places[k] == place && self.by[k] == by);
        Some(found.unwrap_or_else(|| {
            self.places.push(place);
            self.by.push(by);
            self.places.len() - 1
        }))
    }

    /// Passes each `{name}` of a format string, a variable without a token of its own, as a named argument.
    fn format_captures(&mut self, lower: &Lower, lit: &Literal) {
        for name in format_names(&lit.to_string()) {
            if !self.format_args.iter().any(|(n, _)| *n == name)
                && let Some(k) = self.placeholder_index(lower, &name)
            {
                self.format_args.push((name, k));
            }
        }
    }
}
