//! Twins: copies of items with enums in place of boxed trait objects, and with the twins of other items.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Item, Token};

use crate::lower::inline::item_names;
use crate::lower::items::attributes::derives;

/// First segments of paths that may refer to the module's own items.
const LOCAL_PREFIXES: &[&str] = &["self", "super", "crate"];

/// The names that differ in twins.
#[derive(Default)]
pub struct Twins {
    /// The enums of trait objects, by trait.
    pub objects: BTreeMap<String, String>,
    /// The types with a twin.
    pub types: BTreeSet<String>,
    /// The functions with a twin.
    pub functions: BTreeSet<String>,
    /// Whether `VecDeque`s are replaced by `Vec`s.
    pub deques: bool,
    /// Types with a hand-written `Clone`.
    pub custom_clones: BTreeSet<String>,
    /// Methods of traits, and of types without a twin, whose signatures mention a renamed item.
    pub methods: BTreeSet<String>,
}

impl Twins {
    /// Whether the tokens mention any renamed item.
    pub fn mentions_renamed(&self, tokens: TokenStream) -> bool {
        self.rename_in_tokens(tokens, &TokenContext::default()).1
    }

    /// The name of the type in the sweeps.
    pub fn type_twin(&self, name: &str) -> String {
        match self.types.contains(name) {
            true => format!("Swept__{name}"),
            false => name.to_string(),
        }
    }

    /// The twin of an item; results that borrow objects from boxes borrow the enum.
    pub fn item_twin(&self, item: &Item) -> Item {
        let mut twin = self.rename_in_item(item);
        if !matches!(item, Item::Impl(i) if i.trait_.is_some()) {
            BorrowedResults(self).visit_item_mut(&mut twin);
        }
        twin
    }

    /// The item with all names replaced.
    pub fn rename_in_item(&self, item: &Item) -> Item {
        let mut around = TokenContext::default();
        around.visit_item(item);
        let put = |tokens: TokenStream| self.rename_in_tokens(tokens, &around).0;
        let mut changed = item.clone();
        match &mut changed {
            // Variant names are not replaced, as they may equal names of types.
            Item::Enum(e) => {
                for variant in &mut e.variants {
                    variant.fields = rename_in_fields(put, &variant.fields);
                }
            }
            Item::Struct(s) => s.fields = rename_in_fields(put, &s.fields),
            item => {
                if let Ok(renamed) = syn::parse2(put(item.to_token_stream())) {
                    *item = renamed;
                }
            }
        }
        match &mut changed {
            Item::Enum(e) => {
                self.add_derives(&e.ident, &mut e.attrs);
                self.rename_type(&mut e.ident);
            }
            Item::Struct(s) => {
                self.add_derives(&s.ident, &mut s.attrs);
                self.rename_type(&mut s.ident);
            }
            Item::Fn(f) if self.functions.contains(&f.sig.ident.to_string()) => {
                f.sig.ident = function_twin(&f.sig.ident);
                f.vis = syn::Visibility::Inherited;
            }
            _ => {}
        }
        changed
    }

    /// Derives the traits that the sweeps need: they clone the type and accumulate its adjoint.
    fn add_derives(&self, name: &Ident, attributes: &mut Vec<syn::Attribute>) {
        if !derives(attributes, "Clone") && !self.custom_clones.contains(&name.to_string()) {
            attributes.push(syn::parse_quote!(#[derive(Clone)]));
        }
        if !derives(attributes, "Differentiable") {
            attributes.push(syn::parse_quote!(#[derive(::adjoint::Differentiable)]));
        }
    }

    fn rename_type(&self, ident: &mut Ident) {
        *ident = Ident::new(&self.type_twin(&ident.to_string()), ident.span());
    }

    /// The tokens with names replaced, and whether anything changed.
    fn rename_in_tokens(&self, tokens: TokenStream, around: &TokenContext) -> (TokenStream, bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = TokenStream::new();
        let (mut at, mut changed) = (0, false);
        while at < tokens.len() {
            let (before, token) = (&tokens[..at], &tokens[at]);
            let after = &tokens[at + 1..];
            at += 1;
            match token {
                TokenTree::Group(g) => {
                    let (inner, of_inner) = self.rename_in_tokens(g.stream(), around);
                    let mut group = Group::new(g.delimiter(), inner);
                    group.set_span(g.span());
                    changed |= of_inner;
                    out.extend([TokenTree::Group(group)]);
                }
                TokenTree::Ident(word) => {
                    let of_box = (word == "dyn" && (around.is_borrowed || follows_box(before)))
                        .then(|| self.object_enum(after));
                    let (ident, length) = match of_box.flatten() {
                        Some((name, length)) => (Some(Ident::new(&name, word.span())), length),
                        None => (self.renamed_ident(word, before, after, around), 0),
                    };
                    changed |= ident.is_some();
                    at += length;
                    out.extend([TokenTree::Ident(ident.unwrap_or_else(|| word.clone()))]);
                }
                token => out.extend([token.clone()]),
            }
        }
        (out, changed)
    }

    /// The enum for the bounds after `dyn`, and the number of tokens that they take.
    fn object_enum(&self, tokens: &[TokenTree]) -> Option<(String, usize)> {
        let mut depth = 0;
        let length = tokens.iter().position(|token| match token {
            TokenTree::Punct(p) if p.as_char() == '<' => {
                depth += 1;
                false
            }
            TokenTree::Punct(p) if p.as_char() == '>' => {
                depth -= 1;
                depth < 0
            }
            TokenTree::Punct(p) => depth == 0 && p.as_char() == ',',
            _ => false,
        });
        let length = length.unwrap_or(tokens.len());
        let bounds: TokenStream = tokens[..length].iter().cloned().collect();
        let mut traits = bound_traits(bounds).into_iter();
        let object = traits.find_map(|name| self.objects.get(&name).cloned());
        Some((object?, length))
    }

    /// The name that replaces this type, function or method, if it has a twin.
    fn renamed_ident(
        &self,
        word: &Ident,
        before: &[TokenTree],
        after: &[TokenTree],
        around: &TokenContext,
    ) -> Option<Ident> {
        let name = word.to_string();
        let declared = matches!(before.last(), Some(TokenTree::Ident(f)) if f == "fn");
        if is_member(before) || declared {
            return self.methods.contains(&name).then(|| function_twin(word));
        }
        if around.local_names.contains(&name) && !is_item_name(before, word) {
            return None;
        }
        if self.deques && name == "VecDeque" {
            return Some(Ident::new("Vec", word.span()));
        }
        if self.types.contains(&name) {
            return Some(Ident::new(&self.type_twin(&name), word.span()));
        }
        let is_name = self.functions.contains(&name);
        let field = match after {
            [TokenTree::Punct(a), TokenTree::Punct(b), ..] => {
                a.as_char() == ':' && b.as_char() != ':'
            }
            [TokenTree::Punct(a), ..] => a.as_char() == ':',
            _ => false,
        };
        (is_name && !field).then(|| function_twin(word))
    }
}

/// Replaces borrowed trait objects in function results.
struct BorrowedResults<'a>(&'a Twins);

impl VisitMut for BorrowedResults<'_> {
    fn visit_return_type_mut(&mut self, output: &mut syn::ReturnType) {
        let around = TokenContext {
            is_borrowed: true,
            ..TokenContext::default()
        };
        if let Ok(lent) = syn::parse2(self.0.rename_in_tokens(output.to_token_stream(), &around).0)
        {
            *output = lent;
        }
    }
}

pub fn function_twin(name: &Ident) -> Ident {
    let plain = name.to_string();
    let plain = plain.strip_prefix("r#").unwrap_or(&plain);
    format_ident!("__swept_{plain}", span = name.span())
}

fn rename_in_fields(put: impl Fn(TokenStream) -> TokenStream, of: &syn::Fields) -> syn::Fields {
    let changed = put(of.to_token_stream());
    let changed = match of {
        syn::Fields::Named(_) => syn::parse2(changed).map(syn::Fields::Named),
        syn::Fields::Unnamed(_) => syn::parse2(changed).map(syn::Fields::Unnamed),
        syn::Fields::Unit => Ok(syn::Fields::Unit),
    };
    changed.unwrap_or_else(|_| of.clone())
}

/// The traits of `dyn Trait + Send + 'static` that have no arguments and may be the module's own.
pub fn bound_traits(bounds: TokenStream) -> Vec<String> {
    let parse = syn::punctuated::Punctuated::<syn::TypeParamBound, Token![+]>::parse_terminated;
    let bounds = syn::parse::Parser::parse2(parse, bounds).unwrap_or_default();
    let names = bounds.iter().filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(t) => {
            let (first, last) = (t.path.segments.first()?, t.path.segments.last()?);
            let is_here =
                t.path.segments.len() == 1 || LOCAL_PREFIXES.iter().any(|h| first.ident == h);
            (is_here && last.arguments.is_none()).then(|| last.ident.to_string())
        }
        _ => None,
    });
    names.collect()
}

/// Whether the next token is inside a box: `Box<`
pub fn follows_box(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Ident(of), TokenTree::Punct(p)] if of == "Box" && p.as_char() == '<')
}

/// Whether the next token is a field, a method or a segment of another item's path: `.name`, `Type::name`
fn is_member(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Punct(a), TokenTree::Punct(b)]
            if (a.as_char(), b.as_char()) == ('.', '.') =>
        {
            false
        }
        [.., TokenTree::Punct(p)] if p.as_char() == '.' => true,
        [
            ..,
            TokenTree::Ident(of),
            TokenTree::Punct(a),
            TokenTree::Punct(b),
        ] if a.as_char() == ':' && b.as_char() == ':' => {
            !LOCAL_PREFIXES.iter().any(|name| of == name)
        }
        [.., TokenTree::Punct(a), TokenTree::Punct(b)] => a.as_char() == ':' && b.as_char() == ':',
        _ => false,
    }
}

/// Whether a name refers to an item in spite of a local variable of the name: `self::name`, or `let name = name(..)`,
/// where the variable is not yet in scope.
fn is_item_name(before: &[TokenTree], name: &Ident) -> bool {
    match before {
        [.., TokenTree::Punct(a), TokenTree::Punct(b)] => (a.as_char(), b.as_char()) == (':', ':'),
        [
            ..,
            TokenTree::Ident(keyword),
            TokenTree::Ident(bound),
            TokenTree::Punct(p),
        ] => (keyword == "let" || keyword == "mut") && bound == name && p.as_char() == '=',
        _ => false,
    }
}

/// The context of tokens.
#[derive(Default)]
struct TokenContext {
    /// The names of local variables and of nested items.
    local_names: BTreeSet<String>,
    /// Whether objects are borrowed from boxes, so that `&dyn Trait` becomes a reference to the enum too.
    is_borrowed: bool,
}

impl<'ast> Visit<'ast> for TokenContext {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.local_names.insert(pat.ident.to_string());
        syn::visit::visit_pat_ident(self, pat);
    }

    fn visit_stmt(&mut self, stmt: &'ast syn::Stmt) {
        if let syn::Stmt::Item(item) = stmt {
            self.local_names.extend(item_names([item].into_iter()));
        }
        syn::visit::visit_stmt(self, stmt);
    }
}
