//! Translates the plan to tokens: one match arm for each node, no decisions.
//!
//! `public` has the functions that users call, `handle` the functions that other annotated functions call; `sweep`
//! emits statements, `expr` expressions and places, `calls` calls.

pub mod calls;
pub mod interface;
pub mod public;
mod sweep;
pub(crate) mod token_buf;
mod types;

use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt, quote};

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::calls::bound_methods::BoundMethods;
use self::calls::external_callee::ExternalCallees;
use self::calls::names::NameTable;
use self::calls::queries::CalleeQueries;
use self::interface::SweepLocation;
use self::sweep::spans::StmtSpans;
use self::token_buf::{TokenBuf, code};
use crate::ir::{
    Block, Call, Demand, Expr, FloatTy, Mode, Origin, Place, StmtId, StmtKind, Ty, VarId,
};
use crate::lower::{Environment, Lowered};
use crate::mir::code::Code;
use crate::passes::flattening::jacobian::DirectJacobian;
use crate::passes::sets::set::VarSet;
use crate::plan::Plan;
use sweep::frames::{Slots, frame_slots};

/// The state of emitting one plan.
pub struct Emit<'a> {
    plan: &'a Plan,
    code: &'a [Code],
    /// The names of the variables.
    names: Rc<Vec<Ident>>,
    /// Places with a reborrowed name: within a split's scope they are accessed by the name of their part.
    reborrows: Vec<(Place, Ident)>,
    /// Places that stand for others in the current iteration of a distributed loop: elements of its views, and lanes.
    elements: Vec<(Place, TokenBuf)>,
    /// The factors that are known to be finite in the current part of a distributed loop, and their names.
    finite_factors: Vec<(Expr, Ident)>,
    /// The records in frames, by loop.
    frame_slots: Rc<BTreeMap<StmtId, Slots>>,
    /// What the names of slots end in: a part of a distributed loop may have slices of them.
    slot_suffix: String,
    /// The variable that counts the iterations of the current loop.
    iteration_var: Ident,
    /// The locals that the current statement reads for the last time.
    moved: Vec<VarId>,
    /// The variables that code behind the current block of the forward sweep names, in one scope with it.
    named_later: Rc<VarSet>,
    /// Whether the reverse sweep is emitted.
    in_reverse: bool,
    /// Whether the sweeps are fused.
    is_fused: bool,
    /// Whether the current code is in a loop of the forward sweep that the tape knows.
    in_known_loop: bool,
    /// For each result of a call, the call.
    result_calls: Rc<BTreeMap<VarId, &'a Call>>,
    /// The results of calls without a derivative; their callees need not be annotated.
    primal_results: Rc<BTreeSet<VarId>>,
    /// The declarations of variables whose types only rustc knows.
    decl_spans: Rc<BTreeMap<VarId, Span>>,
    /// The positions of the user's statements.
    stmt_spans: StmtSpans,
    /// The callers to which the current code is restricted: those with all of these demands, two for each test around. The
    /// second one holds for any answers of callees.
    implied_demands: Rc<[Demand]>,
    /// The tests of the sweep, each declared once at its start.
    tests: Rc<RefCell<BTreeMap<Demand, Ident>>>,
    /// The queries of callees.
    queries: Rc<CalleeQueries<'a>>,
    /// The external callees.
    externals: Rc<ExternalCallees>,
    /// The demands of reversals that are equal to what the callee's context says.
    reversal_demands: Rc<BTreeMap<StmtId, Demand>>,
    /// The names that the sweeps declare.
    name_table: Rc<RefCell<NameTable>>,
    /// Whether these are associated types of a trait, declared around the sweeps.
    names_by_trait: bool,
    /// The functions, `scale` or `masked`, and the float types for which the current sweep has a local name; `None` outside of
    /// sweeps.
    scales: Option<Rc<RefCell<BTreeSet<[&'static str; 2]>>>>,
    /// The elements of locals that parts of distributed loops take from others, by name.
    expanded: Rc<RefCell<BTreeMap<String, (Ident, Ty)>>>,
    /// The sums that come to the current statements from their last run.
    carried: Rc<BTreeSet<VarId>>,
    /// Whether a processor may take several iterations of the current loop at a time.
    is_in_vector_loop: bool,
    /// The methods of bounds that may differ from std's.
    bound_methods: BoundMethods,
    /// The adjoint of the result, if it may be absent: a [`Seed`](Interface::seed_is_optional).
    optional_seed: Option<VarId>,
    /// The type annotation of the result, as the user wrote the type.
    result_annotation: Rc<TokenBuf>,
    /// Whether to write a listing for readers, with `__primal!(ID);` before the statements of each primal statement.
    is_listing: bool,
}

/// The results of calls without a derivative in the forward sweep.
fn primal_results(plan: &Plan) -> BTreeSet<VarId> {
    let mut plain = BTreeSet::new();
    plan.each_forward_stmt(&mut |s| {
        if let StmtKind::Call(call) = &s.kind {
            plain.extend(call.result);
        }
    });
    // A step of a checkpointed loop has both.
    plan.each_forward_stmt(&mut |s| {
        if let StmtKind::Forward(call) = &s.kind {
            call.result.iter().for_each(|v| {
                plain.remove(v);
            });
        }
    });
    plain
}

/// The names of the functions that the forward sweep calls.
fn called_names(plan: &Plan) -> BTreeSet<&str> {
    let mut called = BTreeSet::new();
    plan.each_forward_stmt(&mut |s| {
        if let StmtKind::Call(call) | StmtKind::Forward(call) = &s.kind {
            called.insert(call.callee.name.as_str());
        }
    });
    called
}

impl<'a> Emit<'a> {
    /// The emitter of a plan. `code` is the opaque user code that it refers to.
    pub fn new(plan: &'a Plan, code: &'a [Code]) -> Emit<'a> {
        let called = called_names(plan);
        let name = |var: &crate::ir::Var| {
            // Hygiene keeps generated variables invisible to the user's code. It also applies to a local with the name
            // of a function: in the reverse sweep, its scope begins before the calls.
            match var.origin {
                Origin::Temp | Origin::Label | Origin::Adjoint(_) | Origin::Ret => {
                    ident(&var.name, Span::mixed_site())
                }
                Origin::Param => ident(&var.name, Span::call_site()),
                // Loops and the tape have generated variables too, whose names may be those of a called function:
                // `next`, `tape`.
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
            reborrows: Vec::new(),
            elements: Vec::new(),
            finite_factors: Vec::new(),
            slot_suffix: String::new(),
            frame_slots: Rc::new(frame_slots(plan)),
            iteration_var: sweep::frames::iteration_var(),
            moved: Vec::new(),
            named_later: Rc::default(),
            in_reverse: false,
            is_fused: false,
            in_known_loop: false,
            result_calls: Rc::new(plan.func.call_results()),
            primal_results: Rc::new(primal_results(plan)),
            decl_spans: Rc::default(),
            stmt_spans: StmtSpans::default(),
            implied_demands: Rc::default(),
            tests: Rc::default(),
            queries: Rc::new(CalleeQueries::of(plan)),
            externals: Rc::default(),
            reversal_demands: Rc::new(self::calls::conditional::reversal_demands(plan)),
            name_table: Rc::default(),
            names_by_trait: false,
            scales: None,
            expanded: Rc::default(),
            carried: Rc::default(),
            is_in_vector_loop: false,
            bound_methods: BoundMethods::default(),
            optional_seed: None,
            result_annotation: Rc::default(),
            is_listing: false,
        }
    }

    /// Writes a listing, with marks for the primal statements.
    pub fn into_listing(self) -> Emit<'a> {
        Emit {
            is_listing: true,
            ..self
        }
    }

    /// Names the parameters by the tokens of the signature: in a function from a `macro_rules!`, other tokens don't
    /// resolve to them.
    pub fn name_parameters<'n>(&mut self, names: impl Iterator<Item = &'n Ident>) {
        let own = Rc::make_mut(&mut self.names);
        for (v, name) in self.plan.func.params.iter().zip(names) {
            own[v.index()] = name.clone();
        }
    }

    /// Records the positions of statements, and of declarations of unknown type, for errors of rustc.
    fn set_spans(&mut self, lowered: &Lowered) {
        let mut declared = BTreeMap::new();
        lowered.func.body.walk(&mut |stmt| {
            let unknown = |v: &VarId| matches!(lowered.func.var(*v).ty, Ty::Unknown | Ty::Named(_));
            let span = lowered.spans[stmt.id.index()];
            declared.extend(stmt.declared().filter(unknown).map(|v| (v, span)));
        });
        self.decl_spans = Rc::new(declared);
        self.stmt_spans = StmtSpans::of(&lowered.spans);
    }

    /// The path of a function of `Shape` for a whole variable. Errors about its type are reported at its declaration.
    fn shape_function(&self, v: VarId, function: &str) -> TokenBuf {
        let (p, ty) = (private(), &self.plan.func.var(v).ty);
        let (marker, function) = (types::marker(ty), TokenBuf::name(function));
        match ty {
            // Listings use the short path.
            Ty::Unknown | Ty::Named(_) if !self.is_listing => {
                self.at_declaration(v, code!(<() as #p::Carried<#marker, _>>::#function))
            }
            _ => code!(#p::Shape::<#marker>::#function),
        }
    }

    /// Places the path at the variable's declaration.
    fn at_declaration(&self, v: VarId, path: TokenBuf) -> TokenBuf {
        let of = match self.plan.func.var(v).origin {
            Origin::Adjoint(of) => of,
            _ => v,
        };
        let at = match self.plan.func.var(of).origin {
            Origin::Param => Some(self.name(of).span()),
            _ => self.decl_spans.get(&of).copied(),
        };
        match at {
            Some(at) => path.with_span(at),
            None => path,
        }
    }

    /// Places code at the variable's declaration, if its type is unknown.
    fn code_at_declaration(&self, v: VarId, code: TokenBuf) -> TokenBuf {
        match self.decl_spans.get(&v) {
            Some(at) => code.located_at(*at),
            None => code,
        }
    }

    /// The statements of the forward sweep.
    pub fn forward(&mut self) -> TokenBuf {
        self.sweep(false, &self.plan.forward)
    }

    /// The statements of the reverse sweep.
    pub fn reverse(&mut self) -> TokenBuf {
        self.sweep(true, &self.plan.reverse)
    }

    fn sweep(&mut self, in_reverse: bool, body: &Block) -> TokenBuf {
        self.in_reverse = in_reverse;
        self.with_declarations(|emit| emit.block(body))
    }

    /// Code with what it uses of the declarations at the start of a sweep.
    fn with_declarations(&mut self, code: impl FnOnce(&Emit<'_>) -> TokenBuf) -> TokenBuf {
        self.tests = Rc::default();
        if self.is_listing {
            self.name_table = Rc::default();
        }
        // Listings use the path.
        self.scales = (!self.is_listing).then(Rc::default);
        let body = code(self);
        let (scales, tests) = (self.emit_scales(), self.emit_tests());
        let expanded = self.emit_expanded();
        self.scales = None;
        let methods = self.bound_methods.emit_traits();
        // Listings declare the names in each sweep; generated code declares them once.
        let names = match self.is_listing {
            true => self.emit_names().declared,
            false => TokenBuf::empty(),
        };
        names
            .then(methods)
            .then(scales)
            .then(expanded)
            .then(tests)
            .then(body)
    }

    /// Local names for `scale`, one for each float type: a path in each product would cost rustc and the macro more
    /// than the product.
    fn emit_scales(&self) -> TokenBuf {
        let types = self.scales.iter().flat_map(|s| s.take());
        let declared = types.map(|[function, ty]| {
            let (p, name) = (private(), scale_name(function, ty));
            let [function, ty] = [function, ty].map(TokenBuf::name);
            code!(let #name = #p::partial::#function::<#ty>;)
        });
        declared.collect()
    }

    /// The function that multiplies a seed of this type by a partial.
    fn scale(&self, seed: &Ty) -> TokenBuf {
        let function = match self.is_in_vector_loop {
            true => "masked",
            false => "scale",
        };
        if let (Some(scales), Ty::Float(FloatTy::F32 | FloatTy::F64)) = (&self.scales, seed) {
            let ty = if *seed == Ty::Float(FloatTy::F32) {
                "f32"
            } else {
                "f64"
            };
            scales.borrow_mut().insert([function, ty]);
            return scale_name(function, ty).into();
        }
        let (p, function) = (private(), TokenBuf::name(function));
        code!(#p::partial::#function)
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
            // The adjoint of a reference parameter, unless it is local work space.
            Origin::Adjoint(of) => var.mode != Mode::Owned && self.plan.interface.contains(&of),
            _ => false,
        }
    }
}

/// The path `::adjoint::__private`. It occurs everywhere, so quoting it must not allocate a token stream.
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

/// An identifier; `name` may be raw, or have a raw part.
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

fn scale_name(function: &str, ty: &str) -> Ident {
    Ident::new(&format!("__{function}_{ty}"), Span::mixed_site())
}

/// The tape's name in generated code.
fn tape() -> Ident {
    Ident::new("tape", Span::mixed_site())
}

/// All items generated for the user's function. Nobody calls the adjoint of an operator by its name: its sweeps are not
/// fused.
pub fn items(
    mut interface: interface::Interface<'_>,
    env: &Environment,
    lowered: &Lowered,
    plan: &Plan,
    fused: Option<&Plan>,
    direct: Option<&DirectJacobian>,
) -> TokenStream {
    let mut emit = Emit::new(plan, &lowered.code);
    emit.name_parameters(interface.params.iter().map(|p| &p.name));
    emit.set_spans(lowered);
    emit.bound_methods = BoundMethods::of(env, lowered);
    emit.collect_externals(env);
    interface.fallbacks = emit.emit_siblings(!env.float_params.is_empty());
    let interface = &interface;
    let is_operator = matches!(interface.location, SweepLocation::Operator(_));
    let fused = fused.filter(|_| !is_operator);
    let called = emit.externals.may_reject_callers();
    let public = public::functions(interface, called, &|| match fused {
        Some(fused) => public::fused_body(interface, fused),
        None => public::adjoint_body(interface, plan),
    });
    let attempt = public::attempt::function(interface);
    let gradients = public::value_and_gradient::functions(interface);
    let jacobian = public::jacobian::functions(interface, || {
        let direct =
            direct.map(|of| public::direct_jacobian::attempt(interface, lowered, plan, of));
        public::jacobian::body(interface, plan, direct)
    });
    let pullback = public::pullback::functions(interface, |tape| {
        public::pullback::body(interface, plan, tape)
    });
    let sweeps = self::calls::handle::sweeps_of_plan(interface, plan, fused, &mut emit);
    let home = self::calls::handle::sweep_items(interface, &sweeps);
    quote!(#public #attempt #gradients #jacobian #pullback #home)
}

/// The lints that generated functions may violate.
pub fn allowed_lints() -> TokenBuf {
    code! {
        #[allow(
            // Generated code is repetitive, has twice as many parameters, and is written statement by statement.
            clippy::all,
            // Some values are needed by some callers only; items of the body are in both sweeps.
            unused,
            deprecated,
            non_snake_case,
            // Rustc reports these at the user's function; here they may also be on unreachable paths.
            arithmetic_overflow,
            unconditional_panic
        )]
    }
}
