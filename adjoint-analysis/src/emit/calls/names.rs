//! What sweeps give names: the handles of callees, and types that depend on the caller.
//!
//! Such a type stands wherever a callee is told or asked something, and the next one is made of it. Written
//! out each time, they would grow with the square of the number of calls.
//!
//! Where nothing stands between a function and its sweeps, they are the associated types of a trait that all
//! contexts have, `__Names`, declared around both sweeps. By the bounds of the sweeps, and of the types
//! themselves, rustc knows of such a type that it is a bit or a context, and looks into it once and no more;
//! an alias would be written out wherever it stands.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};

use super::links::Which;
use super::missing_callee::Name;
use super::queries::Told;
use crate::emit::piece::{Piece, code};
use crate::emit::{Emit, private};
use crate::ir::Callee;

/// What the sweeps have named.
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
    /// What rustc has to know of it.
    fn bound(self) -> Piece {
        let p = private();
        match self {
            Type::Site(_) => code!(#p::Called),
            _ => code!(#p::Bit),
        }
    }

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
}

/// What is declared of all this.
pub struct Names {
    /// The items.
    pub declared: Piece,
    /// The bound of the callers' contexts.
    pub bound: Piece,
}

impl Names {
    /// There are none.
    pub fn none() -> Names {
        let p = private();
        Names {
            declared: Piece::empty(),
            bound: code!(#p::Context),
        }
    }
}

impl Emit<'_> {
    /// The type for the caller at hand.
    pub fn of_caller(&self, ty: Type) -> Piece {
        let name = ty.name();
        match self.names_by_trait {
            true => code!(<__Caller as __Names>::#name),
            false => code!(#name<__Caller>),
        }
    }

    /// The name of a callee's handle in the sweeps, unless there are too many.
    pub fn handle_name(&self, callee: &Callee) -> Option<Ident> {
        let n = self.asked.number(callee)?;
        self.named.borrow_mut().callees.insert(n);
        Some(self.callee_name(n))
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
        self.of_caller(ty)
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
    pub fn declared_names(&self) -> Names {
        let named = self.named.borrow();
        let mut names = Names::none();
        let mut declared = self.declared_callees(&named);
        if !named.types.is_empty() {
            declared.add(match self.names_by_trait {
                true => trait_of_names(&named.types),
                false => aliases(&named.types),
            });
            if self.names_by_trait {
                names.bound = code!(__Names);
            }
        }
        if !named.answers.is_empty() {
            declared.add(needs_of(&named.answers, &names.bound));
        }
        names.declared = declared;
        names
    }

    fn declared_callees(&self, named: &Named) -> Piece {
        let p = private();
        let mut declared = Piece::empty();
        for n in &named.callees {
            let (path, name) = (
                &self.callee_path(self.asked.callees[*n]),
                self.callee_name(*n),
            );
            declared.add(code!(use #path as #name;));
        }
        if !named.callees.is_empty() {
            declared.add(code!(use #p::fallback::linked::*;));
        }
        declared.then(self.declared_fallbacks(named.callees.iter().copied()))
    }

    /// The name of the n-th callee that is asked.
    fn callee_name(&self, n: usize) -> Ident {
        let is_unseen = self.unseen.callees.contains_key(&Name::Handle(n));
        let name = match is_unseen {
            true => format!("__numbered_{n}"),
            false => format!("__linked_{n}"),
        };
        Ident::new(&name, Span::call_site())
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

fn aliases(types: &BTreeMap<Type, Piece>) -> Piece {
    let aliases = types.iter().map(|(ty, content)| {
        let name = ty.name();
        code!(type #name<__Caller> = #content;)
    });
    aliases.collect()
}

/// Each type has the trait as a bound of its own: where it names others, rustc doesn't look into these.
fn trait_of_names(types: &BTreeMap<Type, Piece>) -> Piece {
    let p = private();
    let declared = types.keys().map(|ty| {
        let (name, bound) = (ty.name(), ty.bound());
        code!(type #name: #bound where Self: __Names;)
    });
    let defined = types.iter().map(|(ty, content)| {
        let name = ty.name();
        code!(type #name = #content where Self: __Names;)
    });
    let (declared, defined): (Piece, Piece) = (declared.collect(), defined.collect());
    code! {
        trait __Names: #p::Context { #declared }
        impl<__Caller: #p::Context> __Names for __Caller { #defined }
    }
}

/// What the caller wants, with the answers of callees.
fn needs_of(answers: &BTreeMap<(Which, u64), Piece>, bound: &Piece) -> Piece {
    let (p, needs) = (private(), needs_name());
    let answers = answers.iter();
    let answers: Piece = answers
        .map(|((which, bit), ty)| refined(*which, *bit, ty))
        .collect();
    code! {
        const fn #needs<__Caller: #bound>() -> #p::Needs {
            #p::needs::<__Caller>() #answers
        }
    }
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

fn needs_name() -> Ident {
    Ident::new("__needs", Span::call_site())
}
