//! Statements, blocks, loops, calls and records.

use super::{Demand, Expr, Place, Ty, VarId};

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
    /// A piece of the user's code that the IR does not look into; its tokens are in a side table.
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
    /// Which primal statement it is or comes from.
    pub id: StmtId,
    /// What it does.
    pub kind: StmtKind,
}

/// What a statement does; the module [`crate::ir`] says what each means.
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
    /// A call of another annotated function.
    Call(Call),
    /// The user's code, run for its effect; it reads these variables.
    Passive(CodeId, Vec<Place>),
    /// Two ways.
    If(Expr, Block, Block),
    /// A loop.
    Loop(LoopHead, Block),
    /// Leaves the innermost loop; in tail position only.
    Break,

    /// Plans: sets the reals at a place to zero.
    Zero(Place),
    /// Plans: saves the value at a place.
    Record(RecordId, Place),
    /// Plans: gives the value back.
    Restore(RecordId, Place),
    /// Plans: saves a control value (a flag, a trip count).
    RecordWay(RecordId, Expr),
    /// Plans: declares a variable that holds the control value saved.
    RestoreWay(RecordId, VarId),
    /// Plans: what is done for some callers only.
    When(Demand, Block),
    /// Plans: the forward sweep of a call.
    Forward(Call),
    /// Plans: the reverse sweep of a call.
    Reverse {
        /// The callee, with the primal arguments as its reverse sweep takes them.
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
    /// Declared by the statement.
    pub result: Option<VarId>,
    /// Who is called.
    pub callee: Callee,
    /// With what, in the order of the parameters.
    pub args: Vec<Arg>,
}

/// A callee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callee {
    /// The path as text, for people, for the text form and for the interpreter.
    pub name: String,
    /// The path as the user wrote it, where there is source.
    pub path: Option<CodeId>,
}

impl Callee {
    /// The trait of `core::ops` whose method is called by an operator.
    pub fn operator(&self) -> Option<&str> {
        self.name.strip_prefix("core::ops::")?.split("::").next()
    }

    /// Whether it is a method, called with a receiver.
    pub fn is_method(&self) -> bool {
        self.name.starts_with('.')
    }

    /// The path as text, without generic arguments.
    pub fn function(&self) -> String {
        let path = without_arguments(&self.name);
        path.trim_end_matches([' ', ':']).to_string()
    }

    /// Whether both are calls of one function by one path. What `$crate` is, knows only the macro that wrote it.
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
        let [one, another] = [self, other].map(|callee| without_arguments(&callee.name));
        one == another && !one.contains('$')
    }

    /// Whether a handle of its name can be asked about it: not about a method.
    pub fn has_handle(&self) -> bool {
        !self.is_method() && self.of_type().is_none()
    }

    /// The type and the name of a function of a type, whose name is in capitals: `Type::f`, `<Type as Trait>::f`.
    pub fn of_type(&self) -> Option<(String, String)> {
        let path = without_arguments(&self.name);
        let mut names = path.rsplit("::").map(str::trim).filter(|s| !s.is_empty());
        let (name, owner) = (names.next()?, names.next()?);
        let is_type = owner.ends_with('>') || owner.starts_with(char::is_uppercase);
        is_type.then(|| (owner.to_string(), name.to_string()))
    }
}

/// `T :: f` of `T :: < 3 > :: f`; whose function `< T as Tr > :: f` is, is no argument.
fn without_arguments(path: &str) -> String {
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
    /// A reference argument whose adjoint nobody wants, or overlaps another argument's: the callee
    /// gets a zeroed adjoint of the primal's shape, which is then added to the place, if one is named.
    Scratch(Option<Place>),
    /// A by-value argument: a new variable that takes the increment that the callee returns.
    Increment(VarId),
    /// A by-value argument whose increment nobody wants.
    Ignored,
}

/// What drives a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopHead {
    /// A counted loop with its index.
    Counted(VarId, Range),
    /// As long as the condition holds, which is read before each iteration.
    While(Expr),
    /// Until a `break`.
    Forever,
    /// Plans: the iterations of a counted loop, last first.
    Reversed(VarId, Range),
    /// Plans: the first iterations of a counted loop, as many as the second variable says, last first.
    ReversedFrom(VarId, Range, VarId),
    /// Plans: as many times as the variable says.
    Times(VarId),
}

/// A range of integers, as `for` runs over it.
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
    /// Whether `.rev()` applies, and where.
    pub rev: Rev,
    /// The type of the index.
    pub ty: Ty,
}

/// Whether a range runs backwards.
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

    /// Whether it does nothing.
    pub fn is_empty(&self) -> bool {
        self.stmts.is_empty()
    }
}

impl Range {
    /// The expressions evaluated on entry.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = vec![&self.lo, &self.hi];
        all.extend(&self.step);
        all
    }

    /// The expressions evaluated on entry, to change them.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        let mut all = vec![&mut self.lo, &mut self.hi];
        all.extend(&mut self.step);
        all
    }
}
