//! The tokenizer: a position in the text, with the next token.

use super::{ParseError, Parsed};
use crate::ir::{CodeId, RecordId, StmtId};
use crate::text::syntax;

/// Tokens of more than one character that are not words, longest first.
const MULTI_CHAR_TOKENS: [&str; 13] = [
    "..=", "..", "+=", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "::",
];

/// A text and a position in it, always at the start of a token.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lexer = Lexer { text, at: 0 };
        lexer.advance(0);
        lexer
    }

    /// The remaining text.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Advances by this number of bytes, and over blanks and comments.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("//") {
                break;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The next token; empty at the end of the text.
    pub(super) fn peek(&self) -> &'a str {
        let rest = self.rest();
        let word = syntax::ident_len(rest);
        if word > 0 {
            return &rest[..word];
        }
        let long = MULTI_CHAR_TOKENS
            .into_iter()
            .find(|token| rest.starts_with(token));
        let one = || rest.chars().next().map_or(0, char::len_utf8);
        &rest[..long.map_or_else(one, str::len)]
    }

    /// Skips the next token.
    pub(super) fn bump(&mut self) {
        self.advance(self.peek().len());
    }

    /// Skips the token if it is the next one.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let next = self.peek() == token;
        if next {
            self.bump();
        }
        next
    }

    /// Skips the text if it comes next, even as a part of a token.
    pub(super) fn eat_raw(&mut self, text: &str) -> bool {
        let next = self.rest().starts_with(text);
        if next {
            self.advance(text.len());
        }
        next
    }

    pub(super) fn expect(&mut self, token: &str) -> Parsed<()> {
        match self.eat(token) {
            true => Ok(()),
            false => self.expected(&format!("`{token}`")),
        }
    }

    /// The error that something else is expected at this position.
    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        match self.peek() {
            "" => self.error(format!("expected {what}, found the end of the text")),
            found => self.error(format!("expected {what}, found `{found}`")),
        }
    }

    /// An error at this position.
    pub(super) fn error<T>(&self, message: String) -> Parsed<T> {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Err(Box::new(ParseError {
            line,
            column,
            message,
        }))
    }

    fn take(&mut self, bytes: usize) -> String {
        let taken = self.rest()[..bytes].to_string();
        self.advance(bytes);
        taken
    }

    /// The content of a quoted text.
    pub(super) fn quoted(&mut self, quote: char) -> Parsed<String> {
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.advance(at + 1);
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, c)) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        self.error(format!("expected a closing {quote}"))
    }

    /// A name of this length, or one in backticks.
    fn named(&mut self, bytes: usize, what: &str) -> Parsed<String> {
        match bytes {
            _ if self.peek() == "`" => self.quoted('`'),
            0 => self.expected(what),
            _ => Ok(self.take(bytes)),
        }
    }

    /// The name of a variable.
    pub(super) fn name(&mut self) -> Parsed<String> {
        let word = self.peek();
        let bytes = if syntax::is_plain_var(word) {
            word.len()
        } else {
            0
        };
        self.named(bytes, "the name of a variable")
    }

    /// The name of a function, a type parameter or a variant.
    pub(super) fn path(&mut self) -> Parsed<String> {
        self.named(syntax::path_len(self.rest()), "a path")
    }

    /// The name or number of a field.
    pub(super) fn field(&mut self) -> Parsed<String> {
        let rest = self.rest();
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        self.named(syntax::ident_len(rest).max(digits), "a field")
    }

    /// A whole number without sign.
    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Parsed<N> {
        let rest = self.rest();
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        match rest[..digits].parse() {
            Ok(number) => {
                self.advance(digits);
                Ok(number)
            }
            Err(_) => self.expected("a number"),
        }
    }

    /// `#12`
    pub(super) fn stmt_id(&mut self) -> Parsed<StmtId> {
        self.expect("#")?;
        Ok(StmtId(self.number()?))
    }

    /// `$3`
    pub(super) fn code_id(&mut self) -> Parsed<CodeId> {
        self.expect("$")?;
        Ok(CodeId(self.number()?))
    }

    /// `r0`
    pub(super) fn record(&mut self) -> Parsed<RecordId> {
        let id = self.peek().strip_prefix('r').and_then(|n| n.parse().ok());
        match id {
            Some(id) => {
                self.bump();
                Ok(RecordId(id))
            }
            None => self.expected("a record, such as `r0`"),
        }
    }
}
