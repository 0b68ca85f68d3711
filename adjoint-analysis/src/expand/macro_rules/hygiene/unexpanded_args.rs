//! Names in the arguments of macros that are not expanded.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::visit_mut::VisitMut;

use super::super::mark::{Mark, map_captures, split_mark, unmarked, unmarked_tokens, with_content};
use super::{NameKind, NameResolver, identifiers};

/// Tokens that introduce declarations.
const DECLARING: &[&str] = &["let", "for", "fn", "match", "macro_rules", "|", "=>"];

impl NameResolver<'_> {
    pub(super) fn resolve_macro_args(&mut self, mac: &mut syn::Macro) {
        self.visit_path_mut(&mut mac.path);
        let mut all = Vec::new();
        identifiers(&mac.tokens, &mut all);
        let Some(mark) = all.iter().find_map(|word| split_mark(word).1) else {
            return;
        };
        let tokens = std::mem::take(&mut mac.tokens);
        let name = mac.path.segments.last().map(|s| s.ident.to_string());
        let name = name.unwrap_or_default();
        let asked = match &name[..] {
            "matches" => parse_matches.parse2(tokens.clone()).ok(),
            _ => None,
        };
        mac.tokens = match (asked, syn::parse2(quote!([#tokens]))) {
            (Some(asked), _) => self.resolve_matches(asked),
            (None, Ok(syn::Expr::Array(mut listed))) => {
                self.resolve_args(&mut listed, name != "vec");
                listed.elems.to_token_stream()
            }
            (None, Ok(syn::Expr::Repeat(mut repeated))) => {
                self.visit_expr_mut(&mut repeated.expr);
                self.visit_expr_mut(&mut repeated.len);
                let (e, n) = (&repeated.expr, &repeated.len);
                quote!(#e; #n)
            }
            _ => self.resolve_unknown(tokens, mark),
        };
    }

    /// `matches!`: the names of its pattern are in scope in its guard.
    fn resolve_matches(&mut self, asked: MatchesArgs) -> TokenStream {
        let MatchesArgs {
            mut value,
            mut pattern,
            mut guard,
        } = asked;
        self.in_scope(|scopes| {
            scopes.visit_expr_mut(&mut value);
            scopes.declare_pattern(&mut pattern, true);
            if let Some(guard) = &mut guard {
                scopes.visit_expr_mut(guard);
            }
        });
        let guard = guard.map(|guard| quote!(if #guard));
        quote!(#value, #pattern #guard)
    }

    /// Resolves arguments; format strings among them may capture variables.
    fn resolve_args(&mut self, listed: &mut syn::ExprArray, takes_names: bool) {
        let given = listed.elems.iter().filter_map(named_arg);
        let given: Vec<_> = given.map(|name| unmarked(name).to_string()).collect();
        for e in &mut listed.elems {
            match e {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) if takes_names => {
                    let made = map_captures(&text.token(), |name| match split_mark(name).0 {
                        text if given.contains(&text) => text,
                        _ => self.resolve_text(NameKind::Variable, name),
                    });
                    *e = syn::Expr::Lit(syn::ExprLit {
                        attrs: Vec::new(),
                        lit: syn::Lit::new(made),
                    });
                }
                syn::Expr::Assign(of) if takes_names && assigned_name(of).is_some() => {
                    of.left =
                        syn::Expr::Verbatim(unmarked_tokens(of.left.to_token_stream())).into();
                    self.visit_expr_mut(&mut of.right);
                }
                e => self.visit_expr_mut(e),
            }
        }
    }

    /// Resolves tokens of unknown syntax.
    fn resolve_unknown(&mut self, tokens: TokenStream, of: Mark) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let sign = |k: usize, sign: char| matches!(all.get(k), Some(TokenTree::Punct(p)) if p.as_char() == sign);
        let mut out = TokenStream::new();
        for (k, token) in all.iter().enumerate() {
            let is_member = k > 0 && sign(k - 1, '.') && !(k > 1 && sign(k - 2, '.'));
            let made: TokenTree = match token {
                TokenTree::Group(group) => {
                    with_content(group, self.resolve_unknown(group.stream(), of)).into()
                }
                TokenTree::Ident(name) if split_mark(&name.to_string()).1.is_some() => {
                    let mut made = unmarked(name);
                    if !is_member && !sign(k + 1, '!') {
                        made = name.clone();
                        self.resolve_ident(NameKind::Variable, &mut made);
                    }
                    made.into()
                }
                TokenTree::Literal(literal) => {
                    map_captures(literal, |name| self.resolve_text(NameKind::Variable, name)).into()
                }
                token => {
                    if begins_declaration(&all, k) {
                        self.clashes.push(Some(of));
                    }
                    token.clone()
                }
            };
            out.extend([made]);
        }
        out
    }
}

/// Whether a declaration begins at this token.
fn begins_declaration(all: &[TokenTree], k: usize) -> bool {
    let text = all[k].to_string();
    let joint = all.get(k + 1).map(|next| format!("{text}{next}"));
    let is_known = |text: &str| DECLARING.contains(&text);
    is_known(&text) || joint.is_some_and(|joint| is_known(&joint))
}

/// The arguments of `matches!`.
struct MatchesArgs {
    value: syn::Expr,
    pattern: syn::Pat,
    guard: Option<syn::Expr>,
}

fn parse_matches(input: ParseStream<'_>) -> syn::Result<MatchesArgs> {
    let value = input.parse()?;
    input.parse::<syn::Token![,]>()?;
    let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
    let guard = input.parse::<Option<syn::Token![if]>>()?;
    let guard = guard.map(|_| input.parse()).transpose()?;
    input.parse::<Option<syn::Token![,]>>()?;
    Ok(MatchesArgs {
        value,
        pattern,
        guard,
    })
}

/// The name of a named argument, `width` in `width = 3`.
fn named_arg(e: &syn::Expr) -> Option<&proc_macro2::Ident> {
    match e {
        syn::Expr::Assign(of) => assigned_name(of),
        _ => None,
    }
}

fn assigned_name(of: &syn::ExprAssign) -> Option<&proc_macro2::Ident> {
    match &*of.left {
        syn::Expr::Path(left) => left.path.get_ident(),
        _ => None,
    }
}
