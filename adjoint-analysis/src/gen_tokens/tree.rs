//! Token trees that can be changed.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// A token, or several in brackets.
#[derive(Clone, Debug)]
pub enum Tree {
    /// A name, a literal or a sign.
    Token(TokenTree),
    /// A lifetime or label, whose sign never stands alone.
    Lifetime(Punct, Ident),
    /// Brackets, and what is in them.
    Group(Delimiter, Span, Vec<Tree>),
}

impl Tree {
    /// What is in the brackets.
    pub fn content(&self) -> Option<&[Tree]> {
        match self {
            Tree::Group(_, _, content) => Some(content),
            _ => None,
        }
    }

    /// Whether it is this sign.
    pub fn is_sign(&self, sign: char) -> bool {
        matches!(self, Tree::Token(TokenTree::Punct(p)) if p.as_char() == sign)
    }

    /// Whether both are names, or literals, or signs, or in the same brackets.
    pub fn is_like(&self, other: &Tree) -> bool {
        use TokenTree::{Ident, Literal, Punct};
        match (self, other) {
            (Tree::Group(a, ..), Tree::Group(b, ..)) => a == b,
            (Tree::Lifetime(..), Tree::Lifetime(..)) => true,
            (Tree::Token(a), Tree::Token(b)) => matches!(
                (a, b),
                (Ident(_), Ident(_)) | (Literal(_), Literal(_)) | (Punct(_), Punct(_))
            ),
            _ => false,
        }
    }
}

/// The trees of a stream.
pub fn trees(stream: TokenStream) -> Vec<Tree> {
    let (mut trees, mut rest) = (Vec::new(), stream.into_iter().peekable());
    while let Some(token) = rest.next() {
        trees.push(match (token, rest.peek()) {
            (TokenTree::Punct(sign), Some(TokenTree::Ident(name))) if sign.as_char() == '\'' => {
                let name = name.clone();
                rest.next();
                Tree::Lifetime(sign, name)
            }
            (TokenTree::Group(group), _) => {
                let content = self::trees(group.stream());
                Tree::Group(group.delimiter(), group.span(), content)
            }
            (token, _) => Tree::Token(token),
        });
    }
    trees
}

/// The stream of the trees.
pub fn tokens(trees: &[Tree]) -> TokenStream {
    let mut tokens = Vec::new();
    for (k, tree) in trees.iter().enumerate() {
        match tree {
            Tree::Token(TokenTree::Punct(sign)) => {
                tokens.push(TokenTree::Punct(beside(sign, trees.get(k + 1))));
            }
            Tree::Token(token) => tokens.push(token.clone()),
            Tree::Lifetime(sign, name) => {
                tokens.extend([TokenTree::from(sign.clone()), TokenTree::from(name.clone())]);
            }
            Tree::Group(delimiter, span, content) => {
                let mut made = Group::new(*delimiter, self::tokens(content));
                made.set_span(*span);
                tokens.push(made.into());
            }
        }
    }
    tokens.into_iter().collect()
}

/// The sign as a lexer would give it: only with another sign behind it can the two be one token.
fn beside(sign: &Punct, next: Option<&Tree>) -> Punct {
    match next {
        Some(Tree::Token(TokenTree::Punct(_))) => sign.clone(),
        _ => {
            let mut alone = Punct::new(sign.as_char(), Spacing::Alone);
            alone.set_span(sign.span());
            alone
        }
    }
}

/// How many trees there are, those in brackets too.
pub fn count(trees: &[Tree]) -> usize {
    let inner = |tree: &Tree| tree.content().map_or(0, count);
    trees.iter().map(|tree| 1 + inner(tree)).sum()
}

/// The way to the tree of a number, as the index in each sequence that it lies in. Brackets come before what is in them.
pub fn way_to(trees: &[Tree], mut number: usize) -> Option<Vec<usize>> {
    for (k, tree) in trees.iter().enumerate() {
        if number == 0 {
            return Some(vec![k]);
        }
        number -= 1;
        let content = tree.content().unwrap_or_default();
        let inner = count(content);
        if number < inner {
            let mut way = way_to(content, number)?;
            way.insert(0, k);
            return Some(way);
        }
        number -= inner;
    }
    None
}

/// The sequence in which a way ends.
pub fn sequence<'a>(trees: &'a mut Vec<Tree>, way: &[usize]) -> Option<&'a mut Vec<Tree>> {
    match way {
        [first, rest @ ..] if !rest.is_empty() => match trees.get_mut(*first)? {
            Tree::Group(_, _, content) => sequence(content, rest),
            _ => None,
        },
        _ => Some(trees),
    }
}
