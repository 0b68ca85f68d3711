//! What comes of one mutant.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Mutex;

use proc_macro2::{TokenStream, TokenTree};

use super::Mutant;
use super::tree::tokens;
use crate::compile::UNPROVED;
use crate::expand::{expand, expand_item, parse_or_error};

/// What the last panic said, and where.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// What the macro made of a mutant, where it came back at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The tokens are no item.
    NoItem,
    /// Errors.
    Refused,
    /// An adjoint, and no errors.
    Taken,
    /// A plan that the checker does not take: types and borrows of mutants are wrong more often than not.
    Unproved,
    /// A panic, with where it was and what it said.
    Panics(String),
}

impl Verdict {
    /// The verdict in one line.
    pub fn line(&self) -> String {
        match self {
            Verdict::NoItem => "no item".into(),
            Verdict::Refused => "refused".into(),
            Verdict::Taken => "taken".into(),
            Verdict::Unproved => "unproved".into(),
            Verdict::Panics(what) => format!("panic {}", what.replace('\n', " ")),
        }
    }

    /// The verdict that a line shows.
    pub fn of_line(line: &str) -> Option<Verdict> {
        match line {
            "no item" => Some(Verdict::NoItem),
            "refused" => Some(Verdict::Refused),
            "taken" => Some(Verdict::Taken),
            "unproved" => Some(Verdict::Unproved),
            line => line
                .strip_prefix("panic ")
                .map(|what| Verdict::Panics(what.into())),
        }
    }
}

/// Keeps what panics say instead of printing it.
pub fn keep_panics() {
    set_hook(Box::new(|info| {
        if let Ok(mut last) = PANIC.lock() {
            *last = info.to_string();
        }
    }));
}

/// Runs the macro.
pub fn judge(mutant: &Mutant) -> Verdict {
    let (arguments, item) = (tokens(&mutant.arguments), tokens(&mutant.item));
    let expanded = || {
        let made = expand(arguments.clone(), item.clone());
        match has_name(&made, "adjoint_arguments") {
            // The item as it is once rustc has resolved conditions.
            true => expand_item(arguments.clone(), item.clone()),
            false => made,
        }
    };
    match catch_unwind(AssertUnwindSafe(expanded)) {
        Ok(made) if !has_name(&made, "compile_error") => Verdict::Taken,
        Ok(_) if parse_or_error(&item).is_err() => Verdict::NoItem,
        Ok(_) => Verdict::Refused,
        Err(_) => panicked(PANIC.lock().map(|last| last.clone()).unwrap_or_default()),
    }
}

fn panicked(what: String) -> Verdict {
    match what.contains(UNPROVED) {
        true => Verdict::Unproved,
        false => Verdict::Panics(what),
    }
}

fn has_name(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(found) => found == name,
        TokenTree::Group(group) => has_name(&group.stream(), name),
        _ => false,
    })
}
