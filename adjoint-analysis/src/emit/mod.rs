//! From the plan to tokens: one match arm for each node of the plan, no decision.
//!
//! `public` writes the functions that users call, `handle` what other annotated functions call;
//! `sweep` the statements, `expr` expressions and places, `calls` calls.

pub mod calls;
pub mod interface;
pub(crate) mod piece;
pub mod public;
mod sweep;
mod types;

use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote};

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::calls::missing_callee::Unseen;
use self::calls::names::Named;
use self::calls::of_bounds::OfBounds;
use self::calls::queries::Asked;
use self::sweep::located::Located;
use crate::ir::{Block, Call, Demand, FloatTy, Mode, Origin, Place, StmtId, StmtKind, Ty, VarId};
use crate::lower::{Environment, Lowered};
use crate::mir::code::Code;
use crate::plan::Plan;
use piece::{Piece, code};
use sweep::frames::{Slots, slots};

/// The state of printing one plan.
pub struct Emit<'a> {
    plan: &'a Plan,
    code: &'a [Code],
    /// The names of the variables.
    names: Rc<Vec<Ident>>,
    /// Places that a split has taken apart: while it lasts, they are reached by the names of its parts.
    rebased: Vec<(Place, Ident)>,
    /// The records of each loop that has a frame.
    frames: Rc<BTreeMap<StmtId, Slots>>,
    /// The number of the iteration of the loop at hand.
    trip: Ident,
    /// Which sweep is printed.
    in_reverse: bool,
    /// The call that each variable is the result of.
    results: Rc<BTreeMap<VarId, &'a Call>>,
    /// The results of calls that carry no derivative: their callees need not be annotated.
    plain: Rc<BTreeSet<VarId>>,
    /// Where the variables are declared whose types only rustc knows.
    declared: Rc<BTreeMap<VarId, Span>>,
    /// Where the user wrote what is printed.
    located: Located,
    /// For whom the code at hand is: what is demanded by all of these needs no test.
    /// The second one holds whatever callees answer.
    around: [Demand; 2],
    /// The tests of demands that the sweep makes, each of which stands once at its start.
    tests: Rc<RefCell<BTreeMap<Demand, Ident>>>,
    /// What callees are asked.
    asked: Rc<Asked<'a>>,
    /// The callees that are not seen.
    unseen: Rc<Unseen>,
    /// For whom calls are reversed, where their contexts say the same as the demands of their reversals.
    reversed: Rc<BTreeMap<StmtId, Demand>>,
    /// What the sweeps have given names.
    named: Rc<RefCell<Named>>,
    /// Whether these names are those of a trait, declared around the sweeps.
    names_by_trait: bool,
    /// The types of floats by whose name the sweep at hand calls `scale`; nothing outside sweeps.
    scales: Option<Rc<RefCell<BTreeSet<&'static str>>>>,
    /// The methods that may be others than std's.
    of_bounds: OfBounds,
    /// The adjoint of the result, where callers may have none: a [`Seed`](Interface::seed_is_optional).
    optional_seed: Option<VarId>,
    /// The type of the result, as the user writes it.
    output: Rc<Piece>,
    /// Whether `__primal!(ID);` stands before the statements that come from a primal statement.
    marks: bool,
}

/// The results of calls that the forward sweep makes as the user does.
fn plain(plan: &Plan) -> BTreeSet<VarId> {
    let mut plain = BTreeSet::new();
    plan.forward.walk(&mut |s| {
        if let StmtKind::Call(call) = &s.kind {
            plain.extend(call.result);
        }
    });
    plain
}

/// The names of what is called in the forward sweep.
fn called(plan: &Plan) -> BTreeSet<&str> {
    let mut called = BTreeSet::new();
    plan.forward.walk(&mut |s| {
        if let StmtKind::Call(call) | StmtKind::Forward(call) = &s.kind {
            called.insert(call.callee.name.as_str());
        }
    });
    called
}

impl<'a> Emit<'a> {
    /// Prepares to print a plan. `code` is the user's code that it refers to.
    pub fn new(plan: &'a Plan, code: &'a [Code]) -> Emit<'a> {
        let called = called(plan);
        let name = |var: &crate::ir::Var| {
            // What we make up can't be seen by the user's code, nor shadow what it names. Neither can a local
            // that is named after a function: its scope begins before the calls, in the reverse sweep.
            match var.origin {
                Origin::Temp | Origin::Label | Origin::Adjoint(_) | Origin::Ret => {
                    ident(&var.name, Span::mixed_site())
                }
                Origin::Param => ident(&var.name, Span::call_site()),
                // Loops and the tape have names of ours as well, which may be that of the function: `next`, `tape`.
                _ if called.contains(var.name.as_str()) => {
                    ident(&format!("{}_value", var.name), Span::mixed_site())
                }
                _ => ident(&var.name, Span::call_site()),
            }
        };
        let names = Rc::new(plan.func.vars.iter().map(name).collect());
        Emit {
            plan,
            code,
            names,
            rebased: Vec::new(),
            frames: Rc::new(slots(plan)),
            trip: sweep::frames::trip(),
            in_reverse: false,
            results: Rc::new(plan.func.results()),
            plain: Rc::new(plain(plan)),
            declared: Rc::default(),
            located: Located::default(),
            around: [Demand::NEVER; 2],
            tests: Rc::default(),
            asked: Rc::new(Asked::of(plan)),
            unseen: Rc::default(),
            reversed: Rc::new(self::calls::conditional::reversed(plan)),
            named: Rc::default(),
            names_by_trait: false,
            scales: None,
            of_bounds: OfBounds::default(),
            optional_seed: None,
            output: Rc::default(),
            marks: false,
        }
    }

    /// For people: marks where statements come from.
    pub fn with_marks(self) -> Emit<'a> {
        Emit {
            marks: true,
            ..self
        }
    }

    /// Parameters are named by the tokens of the signature: where a `macro_rules!` made the function,
    /// these are not visible to names of ours.
    pub fn name_parameters<'n>(&mut self, names: impl Iterator<Item = &'n Ident>) {
        let own = Rc::make_mut(&mut self.names);
        for (v, name) in self.plan.func.params.iter().zip(names) {
            own[v.index()] = name.clone();
        }
    }

    /// Lets rustc show where the variables are declared whose types it may find wanting.
    fn locate(&mut self, lowered: &Lowered) {
        let mut declared = BTreeMap::new();
        lowered.func.body.walk(&mut |stmt| {
            let unknown = |v: &VarId| matches!(lowered.func.var(*v).ty, Ty::Unknown | Ty::Named(_));
            let span = lowered.spans[stmt.id.index()];
            declared.extend(stmt.declared().filter(unknown).map(|v| (v, span)));
        });
        self.declared = Rc::new(declared);
        self.located = Located::of(&lowered.spans);
    }

    /// The path of what is done with a whole variable and its adjoint. What its type lacks, rustc shows where it is declared.
    fn shape_of(&self, v: VarId, function: &str) -> Piece {
        let (p, ty) = (private(), &self.plan.func.var(v).ty);
        let (marker, function) = (types::marker(ty), Piece::name(function));
        match ty {
            // People read it by its name.
            Ty::Unknown | Ty::Named(_) if !self.marks => {
                self.carried(v, code!(<() as #p::Carried<#marker, _>>::#function))
            }
            _ => code!(#p::Shape::<#marker>::#function),
        }
    }

    /// The path, shown where the variable is declared.
    fn carried(&self, v: VarId, path: Piece) -> Piece {
        let of = match self.plan.func.var(v).origin {
            Origin::Adjoint(of) => of,
            _ => v,
        };
        let at = match self.plan.func.var(of).origin {
            Origin::Param => Some(self.name(of).span()),
            _ => self.declared.get(&of).copied(),
        };
        match at {
            Some(at) => path.at_user(at),
            None => path,
        }
    }

    /// What is done with the variable, shown where it is declared, if its type may be found wanting.
    fn shown(&self, v: VarId, code: Piece) -> Piece {
        match self.declared.get(&v) {
            Some(at) => code.located_at(*at),
            None => code,
        }
    }

    /// The statements of the forward sweep.
    pub fn forward(&mut self) -> Piece {
        self.sweep(false, &self.plan.forward)
    }

    /// The statements of the reverse sweep.
    pub fn reverse(&mut self) -> Piece {
        self.sweep(true, &self.plan.reverse)
    }

    fn sweep(&mut self, in_reverse: bool, body: &Block) -> Piece {
        self.in_reverse = in_reverse;
        self.tests = Rc::default();
        if self.marks {
            self.named = Rc::default();
        }
        // People read it by its path.
        self.scales = (!self.marks).then(Rc::default);
        let body = self.block(body);
        let (scales, tests) = (self.declared_scales(), self.declared_tests());
        self.scales = None;
        let methods = self.of_bounds.declared();
        // People read each sweep by itself; rustc has the names once.
        let names = match self.marks {
            true => self.declared_names().declared,
            false => Piece::empty(),
        };
        names.then(methods).then(scales).then(tests).then(body)
    }

    /// `scale` for each type as a local name: a path in front of each product would cost rustc and the
    /// macro more than the product.
    fn declared_scales(&self) -> Piece {
        let types = self.scales.iter().flat_map(|s| s.take());
        let declared = types.map(|ty| {
            let (p, name, ty) = (private(), scale_name(ty), Piece::name(ty));
            code!(let #name = #p::partial::scale::<#ty>;)
        });
        declared.collect()
    }

    /// The function that multiplies a seed of this type by a partial.
    fn scale(&self, seed: &Ty) -> Piece {
        if let (Some(scales), Ty::Float(FloatTy::F32 | FloatTy::F64)) = (&self.scales, seed) {
            let ty = if *seed == Ty::Float(FloatTy::F32) {
                "f32"
            } else {
                "f64"
            };
            scales.borrow_mut().insert(ty);
            return scale_name(ty).into();
        }
        let p = private();
        code!(#p::partial::scale)
    }

    fn name(&self, v: VarId) -> &Ident {
        &self.names[v.index()]
    }

    /// Whether the variable is a reference in the generated code.
    fn is_reference(&self, v: VarId) -> bool {
        let var = self.plan.func.var(v);
        match var.origin {
            _ if self.optional_seed == Some(v) => true,
            Origin::Param => var.mode != Mode::Owned,
            // The adjoint of a reference parameter, unless it is work space of our own.
            Origin::Adjoint(of) => var.mode != Mode::Owned && self.plan.interface.contains(&of),
            _ => false,
        }
    }
}

/// The path of what generated code may use, `::adjoint::__private`. To quote it costs no stream of its
/// own, and it stands everywhere.
#[derive(Clone, Copy)]
struct Private;

impl Private {
    const SEGMENTS: [&'static str; 2] = ["adjoint", "__private"];
}

impl ToTokens for Private {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for segment in Private::SEGMENTS {
            tokens.append(Punct::new(':', Spacing::Joint));
            tokens.append(Punct::new(':', Spacing::Alone));
            tokens.append(Ident::new(segment, Span::call_site()));
        }
    }
}

/// A name that may be, or be made of, a raw identifier.
pub fn ident(name: &str, span: Span) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) if syn::parse_str::<Ident>(raw).is_err() => Ident::new_raw(raw, span),
        Some(plain) => Ident::new(plain, span),
        None => Ident::new(name, span),
    }
}

fn private() -> Private {
    Private
}

fn scale_name(ty: &str) -> Ident {
    Ident::new(&format!("__scale_{ty}"), Span::mixed_site())
}

/// The tape's name in generated code.
fn tape() -> Ident {
    Ident::new("tape", Span::mixed_site())
}

/// Everything that is emitted beside the user's function.
pub fn items(
    mut interface: interface::Interface<'_>,
    env: &Environment,
    lowered: &Lowered,
    plan: &Plan,
) -> TokenStream {
    let mut emit = Emit::new(plan, &lowered.code);
    emit.name_parameters(interface.params.iter().map(|p| &p.name));
    emit.locate(lowered);
    emit.of_bounds = OfBounds::of(env, lowered);
    emit.find_unseen(env);
    interface.unseen = emit.declared_siblings(!env.float_params.is_empty());
    let interface = &interface;
    let called = emit.unseen.is_decided_by_callers();
    let public = public::functions(interface, called, &|| public::joint(interface, plan));
    let gradients = self::public::value_and_gradient::functions(interface);
    let sweeps = self::calls::handle::planned(interface, plan, &mut emit);
    let home = self::calls::handle::home(interface, &sweeps);
    quote!(#public #gradients #home)
}

/// The lints that generated functions may trip, which are about code that people write.
pub fn allowed_lints() -> Piece {
    code! {
        #[allow(
            // Parameters are doubled, and the sweeps printed statement by statement, in one shape.
            clippy::all,
            // So are values that not every caller uses; items in the body stand in both sweeps.
            unused,
            deprecated,
            non_snake_case,
            // Rustc says so of the function itself, and here of ways that are never taken.
            arithmetic_overflow,
            unconditional_panic
        )]
    }
}
