//! Statements, blocks, loops, calls and records.

use super::{Demand, Expr, Peeled, Place, Ty, VarId};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in a table indexed by this id.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use id;

id! {
    /// A statement of the primal. Statements of a plan carry the id of the primal statement that
    /// they come from.
    StmtId
}
id! {
    /// A pair of a record in the forward and a restore in the reverse sweep.
    RecordId
}
id! {
    /// A piece of the user's code that is opaque to the IR; a side table has its tokens.
    CodeId
}

/// A sequence of statements, and the scope of the variables that they declare.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// The statements, in order.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// The id of the primal statement that it is or comes from.
    pub id: StmtId,
    /// The operation.
    pub kind: StmtKind,
}

/// The operation of a statement; the module [`crate::ir`] defines the meanings.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// Declares a variable, with or without a value.
    Let(VarId, Option<Expr>),
    /// `place = expr`
    Assign(Place, Expr),
    /// `place += expr`, for reals; elementwise for aggregates of reals of the same shape.
    Incr(Place, Expr),
    /// Exchanges the values at two places.
    Swap(Place, Place),
    /// Puts a value into the `Vec` at a place, before the element of this index or at the end.
    Insert(Place, Option<Expr>, Expr),
    /// Takes the element of this index, or the last one, out of the `Vec` at a place; it must be there.
    Remove(Option<VarId>, Place, Option<Expr>),
    /// A call of a differentiable function.
    Call(Call),
    /// The user's code, run for its effect; it reads these variables.
    Passive(CodeId, Vec<Place>),
    /// A branch.
    If(Expr, Block, Block),
    /// A loop.
    Loop(LoopHead, Block),
    /// Leaves the innermost loop; only in tail position.
    Break,

    /// Plans: sets the reals at a place to zero.
    Zero(Place),
    /// Plans: saves the value at a place.
    Record(RecordId, Place),
    /// Plans: restores the value of a record.
    Restore(RecordId, Place),
    /// Plans: saves a control value (flag, label or trip count).
    RecordControl(RecordId, Expr),
    /// Plans: declares a variable with the recorded control value.
    RestoreControl(RecordId, VarId),
    /// Plans: a block for some callers only.
    When(Demand, Block),
    /// Plans: takes a snapshot at the start of an iteration of a checkpointed loop; its records are the block.
    Take(Block),
    /// Plans: at the start of a reversed iteration of a checkpointed loop, restores the snapshot by the first block, and
    /// runs the body again with its records, which is the second one.
    Replay(Block, Block),
    /// Plans: the forward sweep of a call.
    Forward(Call),
    /// Plans: the reverse sweep of a call.
    Reverse {
        /// The callee, with the primal arguments that its reverse sweep takes.
        call: Call,
        /// The adjoint of each argument.
        adjoints: Vec<AdjArg>,
        /// The adjoint of the returned value.
        seed: Option<Expr>,
    },
}

/// A call: the callee, its arguments, and the variable that takes the result.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The variable that the statement declares for the result.
    pub result: Option<VarId>,
    /// The callee.
    pub callee: Callee,
    /// The arguments, in the order of the parameters.
    pub args: Vec<Arg>,
}

/// A callee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callee {
    /// The path as text, for reports, for the text form and for the interpreter.
    pub name: String,
    /// The path as the user wrote it, if there is source.
    pub path: Option<CodeId>,
}

impl Callee {
    /// The trait of `core::ops`, if the call is an operator.
    pub fn operator(&self) -> Option<&str> {
        self.name.strip_prefix("core::ops::")?.split("::").next()
    }

    /// Whether it is a method, called with a receiver.
    pub fn is_method(&self) -> bool {
        self.name.starts_with('.')
    }

    /// The path as text, without generic arguments.
    pub fn function(&self) -> String {
        let path = without_generic_args(&self.name);
        path.trim_end_matches([' ', ':']).to_string()
    }

    /// Whether both paths refer to one function. The meaning of `$crate` depends on the macro that wrote it, so it is
    /// never equal.
    pub fn is_same_function(&self, other: &Callee) -> bool {
        if self == other {
            return true;
        }
        if [self, other]
            .iter()
            .all(|callee| !callee.name.contains('<'))
        {
            return self.name == other.name && !self.name.contains('$');
        }
        let [one, another] = [self, other].map(|callee| without_generic_args(&callee.name));
        one == another && !one.contains('$')
    }

    /// Whether a handle of the function's name can be queried; a method has none.
    pub fn has_handle(&self) -> bool {
        !self.is_method() && self.associated_fn().is_none()
    }

    /// The type and the name of an associated function, recognised by an uppercase type name: `Type::f`,
    /// `<Type as Trait>::f`.
    pub fn associated_fn(&self) -> Option<(String, String)> {
        let path = without_generic_args(&self.name);
        let mut names = path.rsplit("::").map(str::trim).filter(|s| !s.is_empty());
        let (name, owner) = (names.next()?, names.next()?);
        let is_type = owner.ends_with('>') || owner.starts_with(char::is_uppercase);
        is_type.then(|| (owner.to_string(), name.to_string()))
    }
}

/// The path without generic arguments: `T :: f` for `T :: < 3 > :: f`. The qualified type of `< T as Tr > :: f` stays.
fn without_generic_args(path: &str) -> String {
    let mut depth = 0;
    let mut is_type = path.starts_with('<');
    let outside = |c: &char| {
        depth += i32::from(*c == '<');
        let is_outside = depth == 0 || is_type;
        depth -= i32::from(*c == '>');
        is_type &= depth > 0;
        is_outside
    };
    path.chars().filter(outside).collect()
}

/// An argument of a call.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// By value.
    Value(Expr),
    /// `&place`
    Shared(Place),
    /// `&mut place`
    Mut(Place),
}

/// The adjoint that the reverse sweep of a call takes for an argument.
#[derive(Clone, PartialEq, Debug)]
pub enum AdjArg {
    /// The argument carries no floats.
    None,
    /// A reference argument: the adjoint of its place, which the callee increments in place.
    Place(Place),
    /// A reference argument whose adjoint is not needed, or overlaps another argument's: the callee gets a zeroed
    /// adjoint of the primal's shape, which is then added to the place, if there is one.
    Scratch(Option<Place>),
    /// A by-value argument: a new variable that takes the increment that the callee returns.
    Increment(VarId),
    /// A by-value argument whose increment is not needed.
    Ignored,
}

/// The kind of a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopHead {
    /// A counted loop with its index.
    Counted(VarId, Range),
    /// Runs while the condition holds, which is evaluated before each iteration.
    While(Expr),
    /// The same; the variable is the number of the iteration, from 0 on.
    CountedWhile(VarId, Expr),
    /// Runs until a `break`.
    Forever,
    /// Plans: the iterations of a counted loop, last first.
    Reversed(VarId, Range),
    /// Plans: the iterations of a counted loop in any order, which together do what the body does, last iteration
    /// first: each part a loop of its own, one after another, if the indices are separate; else the body.
    Distributed(VarId, Range, Distribution),
    /// Plans: the first iterations of a counted loop, last first; the second variable is their number.
    ReversedFrom(VarId, Range, VarId),
    /// Plans: as many iterations as the variable's value.
    Times(VarId),
}

/// How a loop is distributed.
#[derive(Clone, PartialEq, Debug)]
pub struct Distribution {
    /// What it runs as it is, beside the parts.
    pub peeled: Peeled,
    /// The loops that the other iterations consist of.
    pub parts: Vec<Part>,
    /// What has to hold in front of the loop.
    pub separations: Vec<Separation>,
}

impl Distribution {
    /// The parts that share a loop, or one that has its own, in their order.
    pub fn loops(&self) -> impl Iterator<Item = &[Part]> {
        self.parts.chunk_by(|a, b| {
            let pair = a.alignment.zip(b.alignment);
            pair.is_some_and(|(a, b)| a.of == b.of)
        })
    }
}

/// Two indices of one array in front of a distributed loop, whose elements have to be separate.
#[derive(Clone, PartialEq, Debug)]
pub struct Separation {
    /// The indices.
    pub indices: [Expr; 2],
    /// Whether they grow by one in each iteration, and are as many elements apart as there are iterations; else they are
    /// the same in all iterations, and differ.
    pub are_runs: bool,
}

impl Separation {
    /// Whether both are of the same indices, in whatever order.
    pub fn is_same(&self, other: &Separation) -> bool {
        let [a, b] = &self.indices;
        let indices = [[a, b], [b, a]];
        self.are_runs == other.are_runs && indices.contains(&other.indices.each_ref())
    }
}

/// One of the loops that a distributed loop consists of, or some of the statements of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Whether it shares its loop.
    pub alignment: Option<Alignment>,
    /// The loop is only run where this variable is not zero.
    pub seed: Option<VarId>,
    /// Locals whose values come from an earlier part: they have an element for each iteration.
    pub takes: Vec<VarId>,
    /// Locals whose values at the end of an iteration later parts take.
    pub gives: Vec<VarId>,
    /// The body.
    pub block: Block,
}

impl Part {
    /// The guards around all of the body, from the outermost, and the body inside.
    pub fn guarded(&self) -> (Vec<Demand>, &Block) {
        let (mut guards, mut block) = (Vec::new(), &self.block);
        while let [only] = &block.stmts[..]
            && let StmtKind::When(demand, inner) = &only.kind
        {
            guards.push(*demand);
            block = inner;
        }
        (guards, block)
    }

    /// By how many iterations the part is ahead of others in its loop.
    pub fn ahead(&self) -> usize {
        self.alignment.map_or(0, |alignment| alignment.ahead)
    }
}

/// How a part shares one loop with the parts beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// The number of the loop; the parts with the same one follow one another.
    pub of: usize,
    /// By how many iterations the part is ahead: with its iteration `k + ahead`, the loop runs iteration `k` of a part that
    /// is not ahead.
    pub ahead: usize,
}

/// An integer range that a counted loop iterates over.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    /// The lower bound.
    pub lo: Expr,
    /// The upper bound.
    pub hi: Expr,
    /// `..=` instead of `..`
    pub inclusive: bool,
    /// The argument of `step_by`, a `usize`.
    pub step: Option<Expr>,
    /// Whether and where `.rev()` applies.
    pub rev: Rev,
    /// The type of the index.
    pub ty: Ty,
}

/// The position of `.rev()` in a range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rev {
    /// `lo..hi`, `(lo..hi).step_by(s)`
    No,
    /// `(lo..hi).rev()`, `(lo..hi).rev().step_by(s)`
    BeforeStep,
    /// `(lo..hi).step_by(s).rev()`
    AfterStep,
}

impl Block {
    /// A block of these statements.
    pub fn new(stmts: Vec<Stmt>) -> Block {
        Block { stmts }
    }

    /// Whether it is the body of a reversed checkpointed loop, or of a loop over strips.
    pub fn replays(&self) -> bool {
        let first = self.stmts.first();
        first.is_some_and(|s| matches!(s.kind, StmtKind::Replay(..)))
    }

    /// Whether it has no statements.
    pub fn is_empty(&self) -> bool {
        self.stmts.is_empty()
    }
}

impl Stmt {
    /// Whether it is a loop over the strips of a fused one, which runs each forwards and reverses it.
    pub fn is_over_strips(&self) -> bool {
        matches!(&self.kind, StmtKind::Loop(LoopHead::Counted(..), body) if body.replays())
    }
}

impl Range {
    /// The distance of the bounds, if these are literals.
    pub fn literal_distance(&self) -> Option<i64> {
        let literal = |e: &Expr| match e {
            Expr::Lit(text, _) => text.parse::<i64>().ok(),
            _ => None,
        };
        Some(literal(&self.hi)?.saturating_sub(literal(&self.lo)?))
    }

    /// `0..hi`, of `usize`.
    pub fn up_to(hi: Expr) -> Range {
        Range {
            lo: super::construct::usize_lit(0),
            hi,
            inclusive: false,
            step: None,
            rev: Rev::No,
            ty: Ty::USIZE,
        }
    }

    /// The range without its `rev()`.
    pub fn ascending(&self) -> Range {
        Range {
            rev: Rev::No,
            ..self.clone()
        }
    }

    /// The expressions evaluated on entry.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = vec![&self.lo, &self.hi];
        all.extend(&self.step);
        all
    }

    /// Mutable access to the expressions evaluated on entry.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        let mut all = vec![&mut self.lo, &mut self.hi];
        all.extend(&mut self.step);
        all
    }
}
