//! Lowering: a Rust function becomes IR.
//!
//! All sugar disappears here: shadowing, references and views, patterns, iterator chains, closures, early exits. What
//! the IR can't express is refused at its token ([`crate::refuse`]); there is no third way. Lowering makes no decision
//! about differentiation.
//!
//! Order of the work: [`signature`] declares the parameters; `stmt`, `expr`, `pattern`, `control`, `std_lib`, `iter`
//! and `inline` walk the body and write labelled statements ([`crate::mir::labeled`]), in which exits are allowed
//! anywhere; `finish` brings exits into tail position, writes the inferred types and checks that they are known where
//! they matter. `finish` also runs the passes of [`crate::mir`]: references that move become integers (`references`,
//! `cursors`), copies of dead values become moves (`moves`), and declarations sink into the one branch that uses them
//! (`sink_declarations`).

pub mod aggregate;
mod control;
pub mod expr;
mod finish;
pub mod infer;
pub mod inline;
pub mod items;
pub(crate) mod iter;
pub mod opaque;
mod pattern;
mod reference;
pub mod signature;
mod span;
pub mod std_lib;
mod stmt;
pub mod tokens;
pub mod types;
mod value;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem::take;
use std::ops::Range;

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;

use self::expr::operator::Users;
use self::infer::unify::{Infer, Kind};
use self::items::constants::items_of;
use self::value::{Binding, Scope, Value};
use crate::ir::{
    Block, CodeId, Expr, FloatTy, Func, Intrinsic, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty,
    VarId,
};
use crate::mir::code::{By, Code};
use crate::mir::draft::Draft;
use crate::mir::labeled::{LabelId, LabeledStmt};
use crate::refuse::{Reason, Refusal};

/// The arguments of a call.
type Arguments = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;

pub use items::environment::Environment;
pub use std_lib::method::is_comparison;

/// A lowered function: its IR, and the facts about its tokens that the IR can't express.
#[derive(Debug)]
pub struct Lowered {
    /// The function.
    pub func: Func,
    /// The source position of each statement.
    pub spans: Vec<Span>,
    /// The user's code that the IR refers to.
    pub code: Vec<Code>,
    /// Callees that are variables holding a function, by the code of their paths.
    pub held: Vec<CodeId>,
    /// Closures that are passed to functions as arguments, with their positions.
    pub handed: Vec<(CodeId, Span)>,
    /// Opaque code that is evaluated as written, because it reads constants only.
    pub opaque: BTreeSet<CodeId>,
    /// Arguments that are `&mut` references passed by their bare names (`f(x)`, not `f(&mut x)`), as pairs of the
    /// call's path and the argument's position: whether the callee writes there is not visible.
    pub unsaid: Vec<(CodeId, usize)>,
    /// Intrinsics that are called as methods, with the types of their receivers: a bound of a type parameter may
    /// declare another method of that name.
    pub by_methods: Vec<(Intrinsic, Ty)>,
    /// The trait bounds of type parameters that are instantiated with users' types, as pairs of parameter and trait.
    pub bounds: Vec<(String, String)>,
}

/// Lowers a function.
pub fn lower(
    sig: &syn::Signature,
    body: &syn::Block,
    env: &Environment,
) -> Result<Lowered, Vec<Refusal>> {
    let mut env = items::generics::in_function(sig, env);
    env.declare_types(items_of(body));
    items::imports::declared(&mut env, items_of(body));
    let imported = items_of(body).filter(|item| matches!(item, syn::Item::Use(_)));
    items::constants::hide(&mut env, &inline::names_of(imported));
    items::constants::declared(&mut env, items_of(body));
    expr::field::declared(&mut env, items_of(body));
    items::associated_types::declared(&mut env, items_of(body));
    aggregate::reference_struct::declared(&mut env, items_of(body));
    inline::declared(&mut env, items_of(body), true);
    let mut lower = Lower::new(env);
    lower.users = Users::of(body);
    lower.draft.func.name = sig.ident.to_string();
    lower.draft.output = sig.output.span();
    lower.inner_names = inline::names_of(items_of(body));
    infer::boxed_options::boxed_names(body, &mut lower.boxed_names);
    iter::refilled_names(body, &mut lower.refilled_names);
    lower.ended_names = iter::ended_names(body);
    lower.opaque.looked_into = opaque::looked_into(body);
    lower.opaque.advanced = opaque::advanced(body);
    items::attributes::refuse_cfg(sig, body, &mut lower.draft.refusals);
    lower.declare_signature(sig);
    lower.confirm_orderings(sig, body);
    lower.refuse_hiding(body);
    let label = lower.fresh_label();
    lower.function_label = label;
    let (raws, value) = lower.in_block(|l| {
        let returned = l.draft.func.ret.map(|r| l.draft.func.var(r).ty.clone());
        l.block_value_as(body, returned.as_ref())
    });
    let (tail, ()) = lower.in_block(|l| l.finish_return(value, body));
    let (hoisted, copies) = (take(&mut lower.hoisted), take(&mut lower.out));
    let raws = hoisted
        .into_iter()
        .chain(copies)
        .chain(raws)
        .chain(tail)
        .collect();
    lower.finish(vec![LabeledStmt::Labeled(label, raws)])
}

/// The state of lowering one function.
struct Lower {
    draft: Draft,
    env: Environment,
    infer: Infer,
    held: Vec<CodeId>,
    handed: Vec<(CodeId, Span)>,
    /// Positions of the current call's arguments that are `&mut` references passed by their bare names.
    by_name: Vec<usize>,
    /// The same for all calls, by the code of their paths.
    unsaid: Vec<(CodeId, usize)>,
    by_methods: Vec<(Intrinsic, Ty)>,
    /// Types of the placeholder values that replace refused expressions.
    refused: Vec<Ty>,
    /// Scopes, innermost last.
    scopes: Vec<Scope>,
    /// Statements of the block that is being written.
    out: Vec<LabeledStmt>,
    loops: Vec<LoopContext>,
    labels: u32,
    /// Target of `return`: the end of the function or of an inlined closure.
    function_label: LabelId,
    /// Result variables of the closures that are being inlined, with the labels of their ends, innermost last.
    closure_returns: Vec<(LabelId, VarId)>,
    /// Expected type of the current expression, from the annotation of its `let`.
    expected: Option<Ty>,
    /// Whether the result of the next method call is an `Option` or a `Result`, as its use shows.
    told: Option<aggregate::tagged::Family>,
    /// Expected type of the result of the next closure that is applied.
    made: Option<Ty>,
    depth: usize,
    /// Result types of functions whose declarations are not visible.
    made_elsewhere: Vec<Ty>,
    casts: infer::cast_fallback::Casts,
    /// Whether the current method call is a statement.
    is_statement: bool,
    /// Whether the current place expression may be written.
    is_written: bool,
    /// Variables that hold results of methods of types without a name.
    method_results: HashSet<VarId>,
    /// Variables that are not declared `mut`, so that no method changes them.
    immutable: HashSet<VarId>,
    /// Variables bound to payloads of variants by a pattern, whose types only rustc knows.
    taken_out: HashSet<VarId>,
    /// Constants that are iterated over, with their variables, which are declared at the function's start.
    tables: items::constants::Tables,
    /// Variables that hold constants.
    constants: HashSet<VarId>,
    /// Constants that are passed by value, as tokens: rustc checks each once.
    handed_on: HashSet<String>,
    /// Keys of the rustc checks that are already emitted, so that each is emitted once.
    demands: Vec<(String, String)>,
    /// Code of all rustc checks.
    checks: HashSet<CodeId>,
    hoisted: Vec<LabeledStmt>,
    /// Code that indexes into a constant.
    elements_of_tables: Vec<CodeId>,
    /// Whether the current pattern's test has succeeded: a capitalised name in it is then a constant.
    tested: bool,
    /// Names of variables that are one place from the start, never split: an `Option` that is assigned `Some(Box..)` or
    /// moved into a field, and a variable to which a reference is kept.
    boxed_names: BTreeSet<String>,
    /// Names that may be assigned in the body while an iterator over their old value is live.
    refilled_names: BTreeSet<String>,
    /// Names of iterators on which `next_back` or its like is called.
    ended_names: BTreeSet<String>,
    /// Types of constructed values, with the names of their structs: the fallback where inference finds nothing else.
    named: Vec<(Ty, String)>,
    /// Places of unknown types with the index types that rustc checks for them, or their lengths: each is checked once.
    indexed: HashSet<(VarId, String)>,
    /// Variables that `collect` fills, with the ids of the statements that do so.
    collected: Vec<(VarId, Range<usize>)>,
    /// Types of fields whose declarations are not visible, by struct and field, one for each use.
    fields_seen: HashMap<(String, String), Vec<Ty>>,
    /// Facts about values of users' types.
    users: Users,
    /// Constants of types that lowering does not look into.
    opaque: opaque::Opaque,
    /// Variables declared without a value and not yet assigned.
    undecided: Vec<VarId>,
    /// Variables that were read while not yet assigned.
    read_undecided: HashSet<VarId>,
    /// Whether the current expression's value is kept as a reference rather than copied.
    by_reference: bool,
    /// Lists whose elements are copies of slices, and variables that hold such copies.
    copied_parts: BTreeSet<VarId>,
    /// Whether a variable of the function is a `VecDeque`.
    has_deques: bool,
    /// Whether `VecDeque::pop_front` is being lowered, by methods of `Vec`.
    within_deque: bool,
    /// Names of the functions that are being inlined, innermost last.
    writing_out: Vec<String>,
    /// Names in inlined functions that refer to items outside of them, with their positions.
    free_names: HashMap<String, Span>,
    /// Names of the items in the body.
    inner_names: HashSet<String>,
}

/// A loop or labelled block that is being lowered.
struct LoopContext {
    name: Option<String>,
    break_label: LabelId,
    /// `None` for a labelled block.
    continue_label: Option<LabelId>,
    /// Receives the value of `break value`.
    result: Option<VarId>,
}

impl Lower {
    fn new(env: Environment) -> Lower {
        let mut infer = Infer::default();
        if let ([one], [float]) = (&env.float_params[..], &env.certain_floats[..])
            && one == float
        {
            infer.generic = Some(FloatTy::Param(one.clone()));
        }
        Lower {
            draft: Draft::default(),
            env,
            infer,
            held: Vec::new(),
            handed: Vec::new(),
            by_name: Vec::new(),
            unsaid: Vec::new(),
            by_methods: Vec::new(),
            refused: Vec::new(),
            scopes: vec![Scope::new()],
            out: Vec::new(),
            loops: Vec::new(),
            labels: 0,
            function_label: LabelId(0),
            closure_returns: Vec::new(),
            expected: None,
            told: None,
            made: None,
            depth: 0,
            made_elsewhere: Vec::new(),
            casts: infer::cast_fallback::Casts::default(),
            is_statement: false,
            is_written: false,
            method_results: HashSet::new(),
            immutable: HashSet::new(),
            taken_out: HashSet::new(),
            constants: HashSet::new(),
            tables: HashMap::new(),
            handed_on: HashSet::new(),
            demands: Vec::new(),
            checks: HashSet::new(),
            hoisted: Vec::new(),
            elements_of_tables: Vec::new(),
            tested: false,
            boxed_names: BTreeSet::new(),
            refilled_names: BTreeSet::new(),
            ended_names: BTreeSet::new(),
            named: Vec::new(),
            indexed: HashSet::new(),
            collected: Vec::new(),
            fields_seen: HashMap::new(),
            users: Users::default(),
            opaque: opaque::Opaque::default(),
            undecided: Vec::new(),
            read_undecided: HashSet::new(),
            by_reference: false,
            copied_parts: BTreeSet::new(),
            has_deques: false,
            within_deque: false,
            writing_out: Vec::new(),
            free_names: HashMap::new(),
            inner_names: HashSet::new(),
        }
    }

    // Output.

    fn stmt_id(&mut self, span: Span) -> StmtId {
        self.draft.stmt_id(span)
    }

    fn emit(&mut self, span: Span, kind: StmtKind) {
        let id = self.stmt_id(span);
        let stmt = Stmt { id, kind };
        self.note_change(&stmt);
        self.out.push(LabeledStmt::Stmt(stmt));
    }

    /// Runs `f` with an empty block and a scope of its own; returns the statements that it wrote.
    fn in_block<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (Vec<LabeledStmt>, T) {
        let outer = std::mem::take(&mut self.out);
        self.scopes.push(Scope::new());
        let value = f(self);
        self.scopes.pop();
        (std::mem::replace(&mut self.out, outer), value)
    }

    fn fresh_label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels)
    }

    // Names and variables.

    fn bind(&mut self, name: &str, binding: Binding) {
        let binding = match binding {
            Binding::Value(value) => Binding::Value(value.named()),
            variable => variable,
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), binding);
        }
    }

    fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }

    fn new_var(&mut self, name: &str, ty: Ty, origin: Origin) -> VarId {
        self.draft.new_var(name, ty, origin)
    }

    /// Declares a variable with a value.
    fn let_var(&mut self, span: Span, name: &str, init: Expr, ty: Ty, origin: Origin) -> VarId {
        let var = self.new_var(name, ty, origin);
        self.note_constant(var, &init);
        self.emit(span, StmtKind::Let(var, Some(init)));
        var
    }

    /// Stores the value in a temporary.
    fn temp(&mut self, span: Span, name: &str, init: Expr, ty: Ty) -> Place {
        let of_user = self.users.made(&init);
        let var = self.let_var(span, name, init, ty.clone(), Origin::Temp);
        self.users.results.extend(of_user.then_some(var));
        Place::var(var, ty)
    }

    /// Declares a variable that later code changes.
    fn variable(&mut self, name: &str, start: Expr, ty: Ty, span: Span) -> Place {
        let var = self.let_var(span, name, start, ty, Origin::Local);
        self.draft.func.place(var)
    }

    // Types.

    fn fresh(&mut self) -> Ty {
        self.infer.fresh(Kind::Any)
    }

    fn unify(&mut self, a: &Ty, b: &Ty) {
        self.infer.unify(a, b);
    }

    fn shallow(&self, ty: &Ty) -> Ty {
        self.infer.shallow(ty)
    }

    // Refusals.

    /// Records a refusal; lowering goes on with a placeholder value, so that several are reported.
    fn refuse(&mut self, span: Span, reason: Reason) -> Value {
        self.draft.refusals.push(span, reason);
        let ty = self.fresh();
        self.refused.push(ty.clone());
        Value::Expr(Expr::Lit("0.0".into(), ty.clone()), ty)
    }

    /// Records a refusal of a use of the value, unless the value was refused itself.
    fn refuse_use(&mut self, of: &Value, span: Span, reason: Reason) {
        if !self.was_refused(of) {
            self.refuse(span, reason);
        }
    }

    fn was_refused(&self, value: &Value) -> bool {
        matches!(value, Value::Expr(_, ty) if self.refused.contains(ty))
    }

    fn add_code(&mut self, tokens: TokenStream, by: Vec<By>) -> CodeId {
        self.draft.add_code(tokens, by)
    }
}
