//! Token buffers: code that isn't yet a token stream.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};

use super::Private;

/// A buffer of tokens. In a macro, each join of token streams is a call of the compiler, so tokens are collected here
/// and become a stream only inside delimiters.
#[derive(Clone, Default)]
pub struct TokenBuf {
    tokens: Vec<TokenTree>,
}

impl TokenBuf {
    /// An empty buffer.
    pub fn empty() -> TokenBuf {
        TokenBuf::default()
    }

    /// An identifier that resolves at the call site.
    pub fn name(name: &str) -> TokenBuf {
        TokenBuf::from(Ident::new(name, Span::call_site()))
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whether it is a single token.
    pub fn is_one_token(&self) -> bool {
        self.tokens.len() == 1
    }

    /// Whether it is a path or a call of one, which needs no parentheses.
    pub fn is_path_or_call(&self) -> bool {
        self.tokens.iter().all(|t| match t {
            TokenTree::Ident(_) => true,
            TokenTree::Punct(p) => matches!(p.as_char(), ':' | '<' | '>'),
            TokenTree::Group(g) => g.delimiter() == Delimiter::Parenthesis,
            TokenTree::Literal(_) => false,
        })
    }

    /// The operator, followed by its operand.
    pub fn prefixed(operator: &str, operand: TokenBuf) -> TokenBuf {
        TokenBuf::empty().then_operator(operator).then(operand)
    }

    /// Appends code.
    pub fn then(mut self, next: impl Interpolate) -> TokenBuf {
        next.put(&mut self);
        self
    }

    /// Appends an operator of one or more characters.
    pub fn then_operator(mut self, operator: &str) -> TokenBuf {
        self.push_operator(operator);
        self
    }

    /// Adds code.
    pub fn add(&mut self, next: impl Interpolate) {
        next.put(self);
    }

    /// Adds a token of `code!`: an operator, an identifier or keyword, or a literal.
    pub fn push_word(&mut self, word: &str) {
        match word.as_bytes()[0] {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.push(Ident::new(word, Span::call_site())),
            b'0'..=b'9' | b'"' => super::types::parse(word).put(self),
            _ => self.push_operator(word),
        }
    }

    fn push_operator(&mut self, operator: &str) {
        let mut signs = operator.as_bytes();
        while let [sign, rest @ ..] = signs {
            let spacing = match rest {
                [] => Spacing::Alone,
                _ => Spacing::Joint,
            };
            self.push(Punct::new(char::from(*sign), spacing));
            signs = rest;
        }
    }

    /// Adds a token.
    pub fn push(&mut self, token: impl Into<TokenTree>) {
        if self.tokens.capacity() == 0 {
            self.tokens.reserve(16);
        }
        self.tokens.push(token.into());
    }

    /// Adds code in delimiters.
    pub fn push_within(&mut self, delimiter: Delimiter, inner: TokenBuf) {
        self.push(Group::new(delimiter, inner.into()));
    }

    /// Encloses the code in delimiters.
    pub fn delimited(self, delimiter: Delimiter) -> TokenBuf {
        TokenTree::from(Group::new(delimiter, self.into())).into()
    }

    /// The items, separated by commas.
    pub fn list(items: impl IntoIterator<Item = impl Interpolate>) -> TokenBuf {
        let mut list = TokenBuf::empty();
        for item in items {
            if !list.is_empty() {
                list.push_operator(",");
            }
            item.put(&mut list);
        }
        list
    }

    /// Sets the span of the outer delimiters to a position in the user's code.
    pub fn with_delimiter_span(mut self, at: Span) -> TokenBuf {
        if let [TokenTree::Group(group)] = &mut self.tokens[..] {
            group.set_span(at);
        }
        self
    }

    /// Sets the spans of all tokens, which must be literals, operators or absolute paths, to a position in the user's
    /// code.
    pub fn with_span(mut self, at: Span) -> TokenBuf {
        self.tokens.iter_mut().for_each(|token| token.set_span(at));
        self
    }

    /// Reports errors in this code at `at`; names resolve as before.
    pub fn located_at(self, at: Span) -> TokenBuf {
        let locate = |token: TokenTree| match token {
            TokenTree::Group(group) => {
                let inner = TokenBuf::from(group.stream()).located_at(at);
                let mut located = Group::new(group.delimiter(), inner.into());
                located.set_span(group.span().located_at(at));
                TokenTree::from(located)
            }
            mut token => {
                token.set_span(token.span().located_at(at));
                token
            }
        };
        TokenBuf {
            tokens: self.tokens.into_iter().map(locate).collect(),
        }
    }

    /// Reports errors in the outer tokens at `at`; the contents of delimiters keep their spans.
    pub fn outer_located_at(mut self, at: Span) -> TokenBuf {
        for token in &mut self.tokens {
            token.set_span(token.span().located_at(at));
        }
        self
    }

    /// Appends an argument list.
    pub fn call(self, args: impl Iterator<Item = TokenBuf>) -> TokenBuf {
        self.then(TokenBuf::list(args).delimited(Delimiter::Parenthesis))
    }
}

/// A value that `code!` can interpolate for `#name`.
pub trait Interpolate {
    /// Appends it to a buffer.
    fn put(self, piece: &mut TokenBuf);
}

impl Interpolate for TokenBuf {
    fn put(mut self, piece: &mut TokenBuf) {
        match piece.tokens.capacity() {
            0 => *piece = self,
            _ => piece.tokens.append(&mut self.tokens),
        }
    }
}

impl Interpolate for &TokenBuf {
    fn put(self, piece: &mut TokenBuf) {
        piece.tokens.extend_from_slice(&self.tokens);
    }
}

impl Interpolate for Ident {
    fn put(self, piece: &mut TokenBuf) {
        piece.push(self);
    }
}

impl Interpolate for &Ident {
    fn put(self, piece: &mut TokenBuf) {
        piece.push(self.clone());
    }
}

impl Interpolate for Literal {
    fn put(self, piece: &mut TokenBuf) {
        piece.push(self);
    }
}

impl Interpolate for u32 {
    fn put(self, piece: &mut TokenBuf) {
        piece.push(Literal::u32_suffixed(self));
    }
}

impl Interpolate for u64 {
    fn put(self, piece: &mut TokenBuf) {
        piece.push(Literal::u64_suffixed(self));
    }
}

impl Interpolate for bool {
    fn put(self, piece: &mut TokenBuf) {
        piece.push_word(if self { "true" } else { "false" });
    }
}

impl Interpolate for TokenStream {
    fn put(self, piece: &mut TokenBuf) {
        piece.tokens.extend(self);
    }
}

impl Interpolate for &TokenStream {
    fn put(self, piece: &mut TokenBuf) {
        self.clone().put(piece);
    }
}

impl Interpolate for &str {
    fn put(self, piece: &mut TokenBuf) {
        piece.push(Literal::string(self));
    }
}

macro_rules! parts_of_syntax {
    ($($ty:ty),*) => {
        $(impl Interpolate for &$ty {
            fn put(self, piece: &mut TokenBuf) {
                self.to_token_stream().put(piece);
            }
        })*
    };
}

parts_of_syntax!(
    syn::AngleBracketedGenericArguments,
    syn::ExprPath,
    syn::ReturnType,
    Box<syn::Type>,
    syn::Visibility,
    syn::punctuated::Punctuated<syn::GenericParam, syn::Token![,]>
);

impl Interpolate for Private {
    fn put(self, piece: &mut TokenBuf) {
        for segment in Private::SEGMENTS {
            piece.push_operator("::");
            piece.push_word(segment);
        }
    }
}

impl<P: Interpolate> Interpolate for Option<P> {
    fn put(self, piece: &mut TokenBuf) {
        if let Some(part) = self {
            part.put(piece);
        }
    }
}

impl<P> Interpolate for &Option<P>
where
    for<'a> &'a P: Interpolate,
{
    fn put(self, piece: &mut TokenBuf) {
        self.as_ref().put(piece);
    }
}

impl From<TokenTree> for TokenBuf {
    fn from(token: TokenTree) -> TokenBuf {
        TokenBuf {
            tokens: vec![token],
        }
    }
}

impl From<Ident> for TokenBuf {
    fn from(name: Ident) -> TokenBuf {
        TokenTree::from(name).into()
    }
}

impl From<Literal> for TokenBuf {
    fn from(literal: Literal) -> TokenBuf {
        TokenTree::from(literal).into()
    }
}

impl From<TokenStream> for TokenBuf {
    fn from(stream: TokenStream) -> TokenBuf {
        TokenBuf {
            tokens: stream.into_iter().collect(),
        }
    }
}

impl From<TokenBuf> for TokenStream {
    fn from(code: TokenBuf) -> TokenStream {
        code.tokens.into_iter().collect()
    }
}

impl FromIterator<TokenBuf> for TokenBuf {
    fn from_iter<I: IntoIterator<Item = TokenBuf>>(pieces: I) -> TokenBuf {
        pieces.into_iter().fold(TokenBuf::empty(), TokenBuf::then)
    }
}

impl IntoIterator for TokenBuf {
    type Item = TokenTree;
    type IntoIter = std::vec::IntoIter<TokenTree>;

    fn into_iter(self) -> Self::IntoIter {
        self.tokens.into_iter()
    }
}

impl ToTokens for TokenBuf {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.tokens);
    }
}

/// Makes a [`TokenBuf`] in the notation of `quote!`: `#name` is a [`Interpolate`], and `#(#name),*`, `#(#name,)*` and
/// `#(, #name)*` are the items of an iterator.
macro_rules! code {
    ($($tokens:tt)*) => {{
        #[allow(unused_mut)]
        let mut piece = $crate::emit::token_buf::TokenBuf::empty();
        $crate::emit::token_buf::put_code!(piece $($tokens)*);
        piece
    }};
}

/// Appends tokens to a buffer, one at a time.
macro_rules! put_code {
    ($piece:ident) => {};
    ($piece:ident # ( # $items:ident ) , * $($rest:tt)*) => {
        $crate::emit::token_buf::Interpolate::put($crate::emit::token_buf::TokenBuf::list($items), &mut $piece);
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
    ($piece:ident # ( # $items:ident , ) * $($rest:tt)*) => {
        for item in $items {
            $crate::emit::token_buf::Interpolate::put(item, &mut $piece);
            $piece.push_word(",");
        }
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
    ($piece:ident # ( , # $items:ident ) * $($rest:tt)*) => {
        for item in $items {
            $piece.push_word(",");
            $crate::emit::token_buf::Interpolate::put(item, &mut $piece);
        }
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
    ($piece:ident # $part:ident $($rest:tt)*) => {
        $crate::emit::token_buf::Interpolate::put($part, &mut $piece);
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
    ($piece:ident ( $($inner:tt)* ) $($rest:tt)*) => {
        $piece.push_within(::proc_macro2::Delimiter::Parenthesis, $crate::emit::token_buf::code!($($inner)*));
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
    ($piece:ident [ $($inner:tt)* ] $($rest:tt)*) => {
        $piece.push_within(::proc_macro2::Delimiter::Bracket, $crate::emit::token_buf::code!($($inner)*));
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
    ($piece:ident { $($inner:tt)* } $($rest:tt)*) => {
        $piece.push_within(::proc_macro2::Delimiter::Brace, $crate::emit::token_buf::code!($($inner)*));
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
    ($piece:ident $word:tt $($rest:tt)*) => {
        $piece.push_word(::core::stringify!($word));
        $crate::emit::token_buf::put_code!($piece $($rest)*);
    };
}

pub(super) use {code, put_code};
