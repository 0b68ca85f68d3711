//! Lowering: a Rust function becomes IR.
//!
//! Sugar disappears here, all of it: shadowing, references and views, patterns, iterator chains,
//! closures, early exits. What the IR can't say is refused at its token ([`crate::refuse`]); there
//! is no third way. Lowering makes no decision about differentiation.
//!
//! Order of the work: [`signature`] declares the parameters; `stmt`, `expr`, `method`, `control`,
//! `iter` and `closure` walk the body and write `raw` statements, in which exits may stand anywhere;
//! `exits` brings these into tail position; `finish` puts in the inferred types and checks that they
//! are known where they matter. In between, `cursor` and `dereference` write integers for references
//! that move, `moves` exchanges for copies of what is dead, and `sunk` declares what one way of a branch
//! alone names there.

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

/// A lowered function: the IR, and what only tokens can say.
#[derive(Debug)]
pub struct Lowered {
    /// The function.
    pub func: Func,
    /// The source position of each statement.
    pub spans: Vec<Span>,
    /// The user's code that the IR refers to.
    pub code: Vec<Code>,
    /// The callees, by their code, that variables hold.
    pub held: Vec<CodeId>,
    /// The closures that are handed to functions, with their positions.
    pub handed: Vec<(CodeId, Span)>,
    /// The code that reads nothing but constants, as lowering has it.
    pub opaque: BTreeSet<CodeId>,
    /// The paths of calls that take `&mut` references by their names, with the positions of these: whether the
    /// callee writes there is not seen.
    pub unsaid: Vec<(CodeId, usize)>,
    /// The methods of reals that are called by their names, with the types of what they are called on: the bounds of a
    /// type parameter may mean others.
    pub by_methods: Vec<(Intrinsic, Ty)>,
    /// The traits of type parameters that stand for types of the user's.
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
    /// The arguments of the call at hand that are `&mut` references by their names.
    by_name: Vec<usize>,
    /// The same of all calls, by the code of their paths.
    unsaid: Vec<(CodeId, usize)>,
    by_methods: Vec<(Intrinsic, Ty)>,
    /// The types of the values that stand for what was refused.
    refused: Vec<Ty>,
    /// Name to binding, innermost scope last.
    scopes: Vec<Scope>,
    /// The statements of the block being written.
    out: Vec<LabeledStmt>,
    loops: Vec<LoopContext>,
    labels: u32,
    /// Where `return` goes: the end of the function or of an inlined closure.
    function_label: LabelId,
    /// The variables that take a returned value of a closure being inlined, innermost last.
    closure_returns: Vec<(LabelId, VarId)>,
    /// The type that the annotation of a `let` demands of the expression at hand.
    expected: Option<Ty>,
    /// Whether what a method gives is an `Option` or a `Result`, as what is done with it tells.
    told: Option<aggregate::tagged::Family>,
    /// The type that the closure applied next has to make.
    made: Option<Ty>,
    depth: usize,
    /// The types of results of functions that are not seen.
    made_elsewhere: Vec<Ty>,
    casts: infer::cast_fallback::Casts,
    /// Whether the method call at hand is a statement.
    is_statement: bool,
    /// Whether the part at hand may be written.
    is_written: bool,
    /// Variables that hold results of methods.
    method_results: HashSet<VarId>,
    /// Variables that are not declared `mut`, so that no method changes them.
    immutable: HashSet<VarId>,
    /// Variables that hold what a pattern took out of a variant, of a type that only rustc knows.
    taken_out: HashSet<VarId>,
    /// Constants that are run over, with their variables, which are declared at the function's start.
    tables: items::constants::Tables,
    /// The variables that hold constants.
    constants: HashSet<VarId>,
    /// Constants that are handed on by value, by their tokens.
    handed_on: HashSet<String>,
    /// What types of the user's have to be, which rustc checks.
    demands: Vec<(String, String)>,
    /// The code of all checks.
    checks: HashSet<CodeId>,
    hoisted: Vec<LabeledStmt>,
    /// Code that is an element of a constant.
    elements_of_tables: Vec<CodeId>,
    /// Whether the pattern being bound has been tested: a name in capitals in it is a constant.
    tested: bool,
    /// Names that the body assigns `Some(Box..)` to: such an `Option` is one value from the start.
    boxed_names: BTreeSet<String>,
    /// Names that the body may assign while an iterator goes on that took what they held.
    refilled_names: BTreeSet<String>,
    /// Names on which `next_back` is called, or its like.
    ended_names: BTreeSet<String>,
    /// Types of constructed values, to be taken where nothing else says the type.
    named: Vec<(Ty, String)>,
    /// Places of types that only rustc knows, of which was demanded that they can be indexed, and by what, or that
    /// they have a length.
    indexed: HashSet<(VarId, String)>,
    /// What `collect` fills.
    collected: Vec<(VarId, Range<usize>)>,
    /// The types of fields that are not visible, by struct and field, at each use.
    fields_seen: HashMap<(String, String), Vec<Ty>>,
    /// What is known of values of users' types.
    users: Users,
    /// Constants of types that are not looked into.
    opaque: opaque::Opaque,
    /// Names declared without a value, for which nothing has been assigned yet.
    undecided: Vec<VarId>,
    /// Those of them that were read before.
    read_undecided: HashSet<VarId>,
    /// Whether the value of an expression is kept as a reference, not copied.
    by_reference: bool,
    /// Lists of copied parts of lists, and such copies.
    copied_parts: BTreeSet<VarId>,
    /// Whether a variable is a `VecDeque`.
    has_deques: bool,
    /// Whether what is lowered takes the first element of one by methods of lists.
    within_deque: bool,
    /// The templates that are being written out, innermost last.
    writing_out: Vec<String>,
    /// Names in what is written out that stand for something outside of it.
    free_names: HashMap<String, Span>,
    /// The names of the items in the body.
    inner_names: HashSet<String>,
}

/// A loop or labelled block that is being lowered.
struct LoopContext {
    name: Option<String>,
    break_label: LabelId,
    /// `None` for a labelled block.
    continue_label: Option<LabelId>,
    /// Takes the value of `break value`.
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

    /// Runs `f` with an empty block and a scope of its own; returns what it wrote.
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

    /// A temporary that holds the value.
    fn temp(&mut self, span: Span, name: &str, init: Expr, ty: Ty) -> Place {
        let of_user = self.users.made(&init);
        let var = self.let_var(span, name, init, ty.clone(), Origin::Temp);
        self.users.results.extend(of_user.then_some(var));
        Place::var(var, ty)
    }

    /// A variable that later code changes.
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

    /// Notes a refusal; lowering goes on with a harmless value, so that several are reported.
    fn refuse(&mut self, span: Span, reason: Reason) -> Value {
        self.draft.refusals.push(span, reason);
        let ty = self.fresh();
        self.refused.push(ty.clone());
        Value::Expr(Expr::Lit("0.0".into(), ty.clone()), ty)
    }

    /// Notes a refusal of something done with the value, unless the value was refused itself.
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
