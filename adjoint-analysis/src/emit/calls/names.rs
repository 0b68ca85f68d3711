//! Names that the sweeps declare: the callees' handles, and types that depend on the caller.
//!
//! Such a type occurs in each call and query of a callee, and in the type of the next one. Written out, they would grow
//! with the square of the number of calls.
//!
//! If the sweeps can have declarations around them, the types are associated types of a trait that all contexts
//! implement, `__Names`. Its bounds tell rustc that each type is a bit or a context, so that rustc expands it only
//! once; an alias would be expanded at each use.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};

use super::links::Which;
use super::missing_callee::Name;
use super::queries::Told;
use crate::emit::piece::{Piece, code};
use crate::emit::{Emit, private};
use crate::ir::Callee;

/// The names that the sweeps use, as collected so far.
#[derive(Default)]
pub struct Named {
    /// The callees with a name, by their numbers in the list of callees.
    callees: BTreeSet<usize>,
    types: BTreeMap<Type, Piece>,
    /// The sites of calls, by number.
    told: Vec<Told>,
    /// The answers that tests depend on, as types.
    answers: BTreeMap<(Which, u64), Piece>,
}

/// A type that gets a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// Whether a callee's output is varied or its argument useful, by the bit of the answer.
    Port(Which, u64),
    /// Whether one of several bits is set.
    Any(Which, u64),
    /// The site of a call, by number.
    Site(usize),
    /// A fact about a callee, by its number in the plan.
    Fact(usize),
}

impl Type {
    /// The bound of the associated type.
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

/// The declarations of the names.
pub struct Names {
    /// The items.
    pub declared: Piece,
    /// The bound of the caller's context.
    pub bound: Piece,
}

impl Names {
    /// No declarations.
    pub fn none() -> Names {
        let p = private();
        Names {
            declared: Piece::empty(),
            bound: code!(#p::Context),
        }
    }
}

impl Emit<'_> {
    /// The named type for the current caller.
    pub fn of_caller(&self, ty: Type) -> Piece {
        let name = ty.name();
        match self.names_by_trait {
            true => code!(<__Caller as __Names>::#name),
            false => code!(#name<__Caller>),
        }
    }

    /// The name of a callee's handle in the sweeps; `None` if there are too many.
    pub fn handle_name(&self, callee: &Callee) -> Option<Ident> {
        let n = self.asked.number(callee)?;
        self.named.borrow_mut().callees.insert(n);
        Some(self.callee_name(n))
    }

    /// The name of the type `content`; a type that doesn't depend on the caller is written out.
    pub fn named_type(&self, ty: Type, content: impl FnOnce() -> Piece) -> Piece {
        let known = self.named.borrow().types.contains_key(&ty);
        if !known {
            // `content` may itself declare names.
            let content = content();
            if !tells_of_caller(content.clone().into()) {
                return content;
            }
            self.named.borrow_mut().types.insert(ty, content);
        }
        self.of_caller(ty)
    }

    /// The largest subset of these bits that has a name.
    pub fn named_part(&self, mask: u64, which: Which) -> Option<u64> {
        let named = self.named.borrow();
        let parts = named.types.keys().filter_map(|ty| match ty {
            Type::Any(w, part) if *w == which && part & !mask == 0 => Some(*part),
            _ => None,
        });
        parts.max_by_key(|part| part.count_ones())
    }

    /// The caller's needs, with these answers of callees.
    pub fn needs_with(&self, answers: Vec<((Which, u64), Piece)>) -> Piece {
        let p = private();
        if answers.is_empty() {
            return code!(#p::needs::<__Caller>());
        }
        self.named.borrow_mut().answers.extend(answers);
        let needs = needs_name();
        code!(#needs::<__Caller>())
    }

    /// Declares all names.
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

    /// The name of the n-th callee.
    fn callee_name(&self, n: usize) -> Ident {
        let is_unseen = self.unseen.callees.contains_key(&Name::Handle(n));
        let name = match is_unseen {
            true => format!("__numbered_{n}"),
            false => format!("__linked_{n}"),
        };
        Ident::new(&name, Span::call_site())
    }

    /// The number of a site.
    pub fn number_of(&self, told: Told) -> usize {
        let all = &mut self.named.borrow_mut().told;
        all.iter().position(|t| *t == told).unwrap_or_else(|| {
            all.push(told);
            all.len() - 1
        })
    }
}

/// Whether the type mentions the caller: rustc rejects an alias with an unused parameter.
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

/// A trait with the types. Each one has the trait as a bound of its own, so that rustc doesn't expand the types in it.
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

/// The function that returns the caller's needs, with the answers of callees.
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
