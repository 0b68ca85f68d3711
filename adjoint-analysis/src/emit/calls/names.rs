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

use super::external_callee::SweepKey;
use super::links::Direction;
use super::queries::SiteActivity;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, private};
use crate::ir::Callee;

/// The names that the sweeps use, as collected so far.
#[derive(Default)]
pub struct NameTable {
    /// The callees with a name, by their numbers in the list of callees.
    callees: BTreeSet<usize>,
    types: BTreeMap<NamedType, TokenBuf>,
    /// The sites of calls, by number.
    sites: Vec<SiteActivity>,
    /// The answers that tests depend on, as types.
    answers: BTreeMap<(Direction, u64), TokenBuf>,
}

/// A type that gets a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedType {
    /// Whether a callee's output is varied or its argument useful, by the bit of the answer.
    Port(Direction, u64),
    /// Whether one of several bits is set.
    Any(Direction, u64),
    /// The site of a call, by number.
    Site(usize),
    /// A fact about a callee, by its number in the plan.
    Fact(usize),
}

impl NamedType {
    /// The bound of the associated type.
    fn bound(self) -> TokenBuf {
        let p = private();
        match self {
            NamedType::Site(_) => code!(#p::Called),
            _ => code!(#p::Bit),
        }
    }

    fn name(self) -> Ident {
        let name = match self {
            NamedType::Port(Direction::Varied, bit) => format!("__Varied{}", bit.trailing_zeros()),
            NamedType::Port(Direction::Useful, bit) => format!("__Useful{}", bit.trailing_zeros()),
            NamedType::Any(Direction::Varied, mask) => format!("__AnyVaried{mask:X}"),
            NamedType::Any(Direction::Useful, mask) => format!("__AnyUseful{mask:X}"),
            NamedType::Site(number) => format!("__Site{number}"),
            NamedType::Fact(number) => format!("__Fact{number}"),
        };
        Ident::new(&name, Span::call_site())
    }
}

/// The declarations of the names.
pub struct NameDecls {
    /// The items.
    pub declared: TokenBuf,
    /// The bound of the caller's context.
    pub bound: TokenBuf,
}

impl NameDecls {
    /// No declarations.
    pub fn undeclared() -> NameDecls {
        let p = private();
        NameDecls {
            declared: TokenBuf::empty(),
            bound: code!(#p::Context),
        }
    }
}

impl Emit<'_> {
    /// The named type for the current caller.
    pub fn for_caller(&self, ty: NamedType) -> TokenBuf {
        let name = ty.name();
        match self.names_by_trait {
            true => code!(<__Caller as __Names>::#name),
            false => code!(#name<__Caller>),
        }
    }

    /// The name of a callee's handle in the sweeps; `None` if there are too many.
    pub fn handle_name(&self, callee: &Callee) -> Option<Ident> {
        let n = self.queries.callee_number(callee)?;
        self.name_table.borrow_mut().callees.insert(n);
        Some(self.numbered_handle_name(n))
    }

    /// The name of the type `content`; a type that doesn't depend on the caller is written out.
    pub fn named_type(&self, ty: NamedType, content: impl FnOnce() -> TokenBuf) -> TokenBuf {
        let known = self.name_table.borrow().types.contains_key(&ty);
        if !known {
            // `content` may itself declare names.
            let content = content();
            if !mentions_caller(content.clone().into()) {
                return content;
            }
            self.name_table.borrow_mut().types.insert(ty, content);
        }
        self.for_caller(ty)
    }

    /// The largest subset of these bits that has a name.
    pub fn named_subset(&self, mask: u64, which: Direction) -> Option<u64> {
        let named = self.name_table.borrow();
        let parts = named.types.keys().filter_map(|ty| match ty {
            NamedType::Any(w, part) if *w == which && part & !mask == 0 => Some(*part),
            _ => None,
        });
        parts.max_by_key(|part| part.count_ones())
    }

    /// The caller's needs, with these answers of callees.
    pub fn needs_with_answers(&self, answers: Vec<((Direction, u64), TokenBuf)>) -> TokenBuf {
        let p = private();
        if answers.is_empty() {
            return code!(#p::needs::<__Caller>());
        }
        self.name_table.borrow_mut().answers.extend(answers);
        let needs = needs_name();
        code!(#needs::<__Caller>())
    }

    /// Declares all names.
    pub fn emit_names(&self) -> NameDecls {
        let named = self.name_table.borrow();
        let mut names = NameDecls::undeclared();
        let mut declared = self.emit_callees(&named);
        if !named.types.is_empty() {
            declared.add(match self.names_by_trait {
                true => names_trait(&named.types),
                false => aliases(&named.types),
            });
            if self.names_by_trait {
                names.bound = code!(__Names);
            }
        }
        if !named.answers.is_empty() {
            declared.add(needs_function(&named.answers, &names.bound));
        }
        names.declared = declared;
        names
    }

    fn emit_callees(&self, named: &NameTable) -> TokenBuf {
        let p = private();
        let mut declared = TokenBuf::empty();
        for n in &named.callees {
            let (path, name) = (
                &self.callee_path(self.queries.callees[*n]),
                self.numbered_handle_name(*n),
            );
            declared.add(code!(use #path as #name;));
        }
        if !named.callees.is_empty() {
            declared.add(code!(use #p::fallback::linked::*;));
        }
        declared.then(self.emit_fallbacks(named.callees.iter().copied()))
    }

    /// The name of the n-th callee.
    fn numbered_handle_name(&self, n: usize) -> Ident {
        let is_unseen = self.externals.callees.contains_key(&SweepKey::Handle(n));
        let name = match is_unseen {
            true => format!("__numbered_{n}"),
            false => format!("__linked_{n}"),
        };
        Ident::new(&name, Span::call_site())
    }

    /// The number of a site.
    pub fn site_number(&self, told: SiteActivity) -> usize {
        let all = &mut self.name_table.borrow_mut().sites;
        all.iter().position(|t| *t == told).unwrap_or_else(|| {
            all.push(told);
            all.len() - 1
        })
    }
}

/// Whether the type mentions the caller: rustc rejects an alias with an unused parameter.
fn mentions_caller(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "__Caller",
        TokenTree::Group(group) => mentions_caller(group.stream()),
        _ => false,
    })
}

fn aliases(types: &BTreeMap<NamedType, TokenBuf>) -> TokenBuf {
    let aliases = types.iter().map(|(ty, content)| {
        let name = ty.name();
        code!(type #name<__Caller> = #content;)
    });
    aliases.collect()
}

/// A trait with the types. Each one has the trait as a bound of its own, so that rustc doesn't expand the types in it.
fn names_trait(types: &BTreeMap<NamedType, TokenBuf>) -> TokenBuf {
    let p = private();
    let declared = types.keys().map(|ty| {
        let (name, bound) = (ty.name(), ty.bound());
        code!(type #name: #bound where Self: __Names;)
    });
    let defined = types.iter().map(|(ty, content)| {
        let name = ty.name();
        code!(type #name = #content where Self: __Names;)
    });
    let (declared, defined): (TokenBuf, TokenBuf) = (declared.collect(), defined.collect());
    code! {
        trait __Names: #p::Context { #declared }
        impl<__Caller: #p::Context> __Names for __Caller { #defined }
    }
}

/// The function that returns the caller's needs, with the answers of callees.
fn needs_function(answers: &BTreeMap<(Direction, u64), TokenBuf>, bound: &TokenBuf) -> TokenBuf {
    let (p, needs) = (private(), needs_name());
    let answers = answers.iter();
    let answers: TokenBuf = answers
        .map(|((which, bit), ty)| refine_call(*which, *bit, ty))
        .collect();
    code! {
        const fn #needs<__Caller: #bound>() -> #p::Needs {
            #p::needs::<__Caller>() #answers
        }
    }
}

/// `.varied(4, <answer>)`
fn refine_call(which: Direction, bit: u64, answer: &TokenBuf) -> TokenBuf {
    let (p, bit) = (private(), Literal::u64_unsuffixed(bit));
    let method = TokenBuf::name(match which {
        Direction::Varied => "varied",
        Direction::Useful => "useful",
    });
    code!(.#method(#bit, <#answer as #p::Bit>::VALUE))
}

fn needs_name() -> Ident {
    Ident::new("__needs", Span::call_site())
}
