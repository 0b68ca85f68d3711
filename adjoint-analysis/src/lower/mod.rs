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

use self::expr::operator::UserTypes;
use self::infer::unify::{InferenceTable, VarKind};
use self::items::constants::block_items;
use self::value::{Binding, Scope, Value};
use crate::ir::{
    Block, CodeId, Expr, FloatTy, Func, Intrinsic, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty,
    VarId,
};
use crate::mir::code::{CaptureMode, Code};
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
    pub variable_callees: Vec<CodeId>,
    /// Closures that are passed to functions as arguments, with their positions.
    pub closure_args: Vec<(CodeId, Span)>,
    /// Opaque code that is evaluated as written, because it reads constants only.
    pub constant_code: BTreeSet<CodeId>,
    /// Arguments that are `&mut` references passed by their bare names (`f(x)`, not `f(&mut x)`), as pairs of the
    /// call's path and the argument's position: whether the callee writes there is not visible.
    pub bare_mut_args: Vec<(CodeId, usize)>,
    /// Intrinsics that are called as methods, with the types of their receivers: a bound of a type parameter may
    /// declare another method of that name.
    pub intrinsic_methods: Vec<(Intrinsic, Ty)>,
    /// The trait bounds of type parameters that are instantiated with users' types, as pairs of parameter and trait.
    pub param_bounds: Vec<(String, String)>,
}

/// Lowers a function.
pub fn lower(
    sig: &syn::Signature,
    body: &syn::Block,
    env: &Environment,
) -> Result<Lowered, Vec<Refusal>> {
    let mut env = items::generics::in_function(sig, env);
    env.declare_types(block_items(body));
    items::imports::declare_imports(&mut env, block_items(body));
    let imported = block_items(body).filter(|item| matches!(item, syn::Item::Use(_)));
    items::constants::hide_constants(&mut env, &inline::item_names(imported));
    items::constants::declare_constants(&mut env, block_items(body));
    expr::field::declare_field_types(&mut env, block_items(body));
    items::associated_types::declare_associated_types(&mut env, block_items(body));
    aggregate::reference_struct::collect_ref_structs(&mut env, block_items(body));
    inline::declare_inline_fns(&mut env, block_items(body), true);
    let mut lower = Lower::new(env);
    lower.user_types = UserTypes::in_body(body);
    lower.draft.func.name = sig.ident.to_string();
    lower.draft.return_span = sig.output.span();
    lower.nested_item_names = inline::item_names(block_items(body));
    infer::boxed_options::collect_boxed_names(body, &mut lower.unsplit_names);
    iter::collect_reassigned_names(body, &mut lower.reassigned_names);
    lower.double_ended_names = iter::double_ended_names(body);
    lower.opaque.inspected = opaque::inspected_names(body);
    lower.opaque.advanced_iterators = opaque::advanced_iterators(body);
    items::attributes::refuse_attributes(sig, body, &mut lower.draft.refusals);
    lower.declare_signature(sig);
    lower.confirm_orderings(sig, body);
    lower.refuse_param_names(body);
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
    infer: InferenceTable,
    variable_callees: Vec<CodeId>,
    closure_args: Vec<(CodeId, Span)>,
    /// Positions of the current call's arguments that are `&mut` references passed by their bare names.
    pending_bare_mut: Vec<usize>,
    /// The same for all calls, by the code of their paths.
    bare_mut_args: Vec<(CodeId, usize)>,
    intrinsic_methods: Vec<(Intrinsic, Ty)>,
    /// Types of the placeholder values that replace refused expressions.
    refused_types: Vec<Ty>,
    /// Scopes, innermost last.
    scopes: Vec<Scope>,
    /// Statements of the block that is being written.
    out: Vec<LabeledStmt>,
    loops: Vec<LoopContext>,
    label_count: u32,
    /// Target of `return`: the end of the function or of an inlined closure.
    function_label: LabelId,
    /// Result variables of the closures that are being inlined, with the labels of their ends, innermost last.
    inline_returns: Vec<(LabelId, VarId)>,
    /// Expected type of the current expression, from the annotation of its `let`.
    expected_ty: Option<Ty>,
    /// Whether the result of the next method call is an `Option` or a `Result`, as its use shows.
    expected_enum: Option<aggregate::split_enum::EnumKind>,
    /// Expected type of the result of the next closure that is applied.
    closure_output: Option<Ty>,
    expr_depth: usize,
    /// Result types of functions whose declarations are not visible.
    unresolved_results: Vec<Ty>,
    casts: infer::cast_fallback::CastOperands,
    /// Whether the current method call is a statement.
    is_statement: bool,
    /// Whether the current place expression may be written.
    in_mutable_place: bool,
    /// Variables that are not declared `mut`, so that no method changes them.
    immutable_vars: HashSet<VarId>,
    /// Variables bound to payloads of variants by a pattern, whose types only rustc knows.
    untyped_payloads: HashSet<VarId>,
    /// Constants that are iterated over, with their variables, which are declared at the function's start.
    tables: items::constants::TableVars,
    /// Variables that hold constants.
    constant_vars: HashSet<VarId>,
    /// Constants that are passed by value, as tokens: rustc checks each once.
    by_value_constants: HashSet<String>,
    /// Keys of the rustc checks that are already emitted, so that each is emitted once.
    emitted_checks: Vec<(String, String)>,
    /// Code of all rustc checks.
    check_code: HashSet<CodeId>,
    hoisted: Vec<LabeledStmt>,
    /// Code that indexes into a constant.
    table_elements: Vec<CodeId>,
    /// Whether the current pattern's test has succeeded: a capitalised name in it is then a constant.
    pattern_tested: bool,
    /// Names of variables that are one place from the start, never split: an `Option` that is assigned `Some(Box..)` or
    /// moved into a field, and a variable to which a reference is kept.
    unsplit_names: BTreeSet<String>,
    /// Names that may be assigned in the body while an iterator over their old value is live.
    reassigned_names: BTreeSet<String>,
    /// Names of iterators on which `next_back` or its like is called.
    double_ended_names: BTreeSet<String>,
    /// Types of constructed values, with the names of their structs: the fallback where inference finds nothing else.
    constructed_types: Vec<(Ty, String)>,
    /// Places of unknown types with the index types that rustc checks for them, or their lengths: each is checked once.
    index_checks: HashSet<(VarId, String)>,
    /// Variables that `collect` fills, with the ids of the statements that do so.
    collect_targets: Vec<(VarId, Range<usize>)>,
    /// Types of fields whose declarations are not visible, by struct and field, one for each use.
    field_uses: HashMap<(String, String), Vec<Ty>>,
    /// Facts about values of users' types.
    user_types: UserTypes,
    /// Constants of types that lowering does not look into.
    opaque: opaque::OpaqueConstants,
    /// Variables declared without a value and not yet assigned.
    unassigned: Vec<VarId>,
    /// Variables that were read while not yet assigned.
    read_unassigned: HashSet<VarId>,
    /// Whether the current expression's value is kept as a reference rather than copied.
    keep_reference: bool,
    /// Lists whose elements are copies of slices, and variables that hold such copies.
    slice_copies: BTreeSet<VarId>,
    /// Whether a variable of the function is a `VecDeque`.
    has_deques: bool,
    /// Whether `VecDeque::pop_front` is being lowered, by methods of `Vec`.
    in_pop_front: bool,
    /// Names of the functions that are being inlined, innermost last.
    inline_stack: Vec<String>,
    /// Names in inlined functions that refer to items outside of them, with their positions.
    free_names: HashMap<String, Span>,
    /// Names of the items in the body.
    nested_item_names: HashSet<String>,
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
        let mut infer = InferenceTable::default();
        if let ([one], [float]) = (&env.float_params[..], &env.certain_floats[..])
            && one == float
        {
            infer.generic_float = Some(FloatTy::Param(one.clone()));
        }
        Lower {
            draft: Draft::default(),
            env,
            infer,
            variable_callees: Vec::new(),
            closure_args: Vec::new(),
            pending_bare_mut: Vec::new(),
            bare_mut_args: Vec::new(),
            intrinsic_methods: Vec::new(),
            refused_types: Vec::new(),
            scopes: vec![Scope::new()],
            out: Vec::new(),
            loops: Vec::new(),
            label_count: 0,
            function_label: LabelId(0),
            inline_returns: Vec::new(),
            expected_ty: None,
            expected_enum: None,
            closure_output: None,
            expr_depth: 0,
            unresolved_results: Vec::new(),
            casts: infer::cast_fallback::CastOperands::default(),
            is_statement: false,
            in_mutable_place: false,
            immutable_vars: HashSet::new(),
            untyped_payloads: HashSet::new(),
            constant_vars: HashSet::new(),
            tables: HashMap::new(),
            by_value_constants: HashSet::new(),
            emitted_checks: Vec::new(),
            check_code: HashSet::new(),
            hoisted: Vec::new(),
            table_elements: Vec::new(),
            pattern_tested: false,
            unsplit_names: BTreeSet::new(),
            reassigned_names: BTreeSet::new(),
            double_ended_names: BTreeSet::new(),
            constructed_types: Vec::new(),
            index_checks: HashSet::new(),
            collect_targets: Vec::new(),
            field_uses: HashMap::new(),
            user_types: UserTypes::default(),
            opaque: opaque::OpaqueConstants::default(),
            unassigned: Vec::new(),
            read_unassigned: HashSet::new(),
            keep_reference: false,
            slice_copies: BTreeSet::new(),
            has_deques: false,
            in_pop_front: false,
            inline_stack: Vec::new(),
            free_names: HashMap::new(),
            nested_item_names: HashSet::new(),
        }
    }

    // Output.

    fn stmt_id(&mut self, span: Span) -> StmtId {
        self.draft.stmt_id(span)
    }

    fn emit(&mut self, span: Span, kind: StmtKind) {
        let id = self.stmt_id(span);
        let stmt = Stmt { id, kind };
        self.note_written(&stmt);
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
        self.label_count += 1;
        LabelId(self.label_count)
    }

    // Names and variables.

    fn bind(&mut self, name: &str, binding: Binding) {
        let binding = match binding {
            Binding::Value(value) => Binding::Value(value.not_unique()),
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
        let of_user = self.user_types.is_operator_result(&init);
        let var = self.let_var(span, name, init, ty.clone(), Origin::Temp);
        self.user_types
            .operator_results
            .extend(of_user.then_some(var));
        Place::var(var, ty)
    }

    /// Declares a variable that later code changes.
    fn mutable_var(&mut self, name: &str, start: Expr, ty: Ty, span: Span) -> Place {
        let var = self.let_var(span, name, start, ty, Origin::Local);
        self.draft.func.place(var)
    }

    // Types.

    fn fresh_ty(&mut self) -> Ty {
        self.infer.fresh(VarKind::Any)
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
        let ty = self.fresh_ty();
        self.refused_types.push(ty.clone());
        Value::Expr(Expr::Lit("0.0".into(), ty.clone()), ty)
    }

    /// Records a refusal of a use of the value, unless the value was refused itself.
    fn refuse_use(&mut self, of: &Value, span: Span, reason: Reason) {
        if !self.was_refused(of) {
            self.refuse(span, reason);
        }
    }

    fn was_refused(&self, value: &Value) -> bool {
        matches!(value, Value::Expr(_, ty) if self.refused_types.contains(ty))
    }

    fn add_code(&mut self, tokens: TokenStream, by: Vec<CaptureMode>) -> CodeId {
        self.draft.add_code(tokens, by)
    }
}
