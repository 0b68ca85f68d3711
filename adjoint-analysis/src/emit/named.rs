//! What a sweep gives a name at its start: the handles of callees, and types that depend on the caller.
//!
//! Such a type stands wherever a callee is told or asked something, and the next one is made of it. Written
//! out each time, they would grow with the square of the number of calls.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};

use super::asked::Told;
use super::links::Which;
use super::piece::{Piece, code};
use super::{Emit, private};
use crate::ir::Callee;

/// What the sweep at hand has named.
#[derive(Default)]
pub struct Named {
    /// By their numbers in the list of callees.
    callees: BTreeSet<usize>,
    types: BTreeMap<Type, Piece>,
    /// What calls tell their callees, by number.
    told: Vec<Told>,
    /// The answers that tests ask for, as types.
    answers: BTreeMap<(Which, u64), Piece>,
}

/// A type with a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// Whether a callee's output is varied, or its argument useful, by the bit that stands for the answer.
    Port(Which, u64),
    /// Whether one of several bits is set.
    Any(Which, u64),
    /// What calls tell their callees, by number.
    Site(usize),
    /// A fact about a callee, by its number in the plan.
    Fact(usize),
}

impl Type {
    fn name(self) -> Ident {
        let name = match self {
            Type::Port(Which::Varied, bit) => format!("__Varied{}", bit.trailing_zeros()),
            Type::Port(Which::Useful, bit) => format!("__Useful{}", bit.trailing_zeros()),
            Type::Any(Which::Varied, mask) => format!("__AnyVaried{mask:X}"),
            Type::Any(Which::Useful, mask) => format!("__AnyUseful{mask:X}"),
            Type::Site(number) => format!("__Site{number}"),
            Type::Fact(number) => format!("__Fact{number}"),
        };
        Ident::new(&name, Span::call_site())
    }

    /// The type for the caller at hand.
    pub fn of_caller(self) -> Piece {
        let name = self.name();
        code!(#name<__Caller>)
    }
}

impl Emit<'_> {
    /// The name of a callee's handle in the sweep, unless there are too many.
    pub fn handle_name(&self, callee: &Callee) -> Option<Ident> {
        let n = self.asked.number(callee)?;
        self.named.borrow_mut().callees.insert(n);
        Some(linked_name(n))
    }

    /// The type by its name; one that is the same for all callers has none.
    pub fn named_type(&self, ty: Type, content: impl FnOnce() -> Piece) -> Piece {
        let known = self.named.borrow().types.contains_key(&ty);
        if !known {
            // It may name others.
            let content = content();
            if !tells_of_caller(content.clone().into()) {
                return content;
            }
            self.named.borrow_mut().types.insert(ty, content);
        }
        ty.of_caller()
    }

    /// The largest part of these bits that has a name.
    pub fn named_part(&self, mask: u64, which: Which) -> Option<u64> {
        let named = self.named.borrow();
        let parts = named.types.keys().filter_map(|ty| match ty {
            Type::Any(w, part) if *w == which && part & !mask == 0 => Some(*part),
            _ => None,
        });
        parts.max_by_key(|part| part.count_ones())
    }

    /// What the caller wants, where these bits stand for answers of callees.
    pub fn needs_with(&self, answers: Vec<((Which, u64), Piece)>) -> Piece {
        let p = private();
        if answers.is_empty() {
            return code!(#p::needs::<__Caller>());
        }
        self.named.borrow_mut().answers.extend(answers);
        let needs = needs_name();
        code!(#needs::<__Caller>())
    }

    /// Declares what has been named.
    pub fn declared_names(&self) -> Piece {
        let p = private();
        let named = self.named.borrow();
        let mut declared = Piece::empty();
        for n in &named.callees {
            let (path, name) = (&self.callee_path(self.asked.callees[*n]), linked_name(*n));
            declared.add(code!(use #path as #name;));
        }
        if !named.callees.is_empty() {
            declared.add(code!(use #p::fallback::linked::*;));
        }
        for (ty, content) in &named.types {
            let name = ty.name();
            declared.add(code!(type #name<__Caller> = #content;));
        }
        if !named.answers.is_empty() {
            let needs = needs_name();
            let answers = named.answers.iter();
            let answers: Piece = answers
                .map(|((which, bit), ty)| refined(*which, *bit, ty))
                .collect();
            declared.add(code! {
                const fn #needs<__Caller: #p::Context>() -> #p::Needs {
                    #p::needs::<__Caller>() #answers
                }
            });
        }
        declared
    }

    /// The number of what is told a callee.
    pub fn number_of(&self, told: Told) -> usize {
        let all = &mut self.named.borrow_mut().told;
        all.iter().position(|t| *t == told).unwrap_or_else(|| {
            all.push(told);
            all.len() - 1
        })
    }
}

/// Whether the type hangs on the caller: rustc takes no parameter that is not used.
fn tells_of_caller(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "__Caller",
        TokenTree::Group(group) => tells_of_caller(group.stream()),
        _ => false,
    })
}

/// `.varied(4, <answer>)`
fn refined(which: Which, bit: u64, answer: &Piece) -> Piece {
    let (p, bit) = (private(), Literal::u64_unsuffixed(bit));
    let method = Piece::name(match which {
        Which::Varied => "varied",
        Which::Useful => "useful",
    });
    code!(.#method(#bit, <#answer as #p::Bit>::VALUE))
}

/// The name of the n-th callee that is asked in a sweep.
fn linked_name(n: usize) -> Ident {
    Ident::new(&format!("__linked_{n}"), Span::call_site())
}

fn needs_name() -> Ident {
    Ident::new("__needs", Span::call_site())
}
