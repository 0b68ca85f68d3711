//! The intermediate representation (IR) and its meaning.
//!
//! One function is one [`Func`]: typed variables, and a body of structured blocks. The same
//! language, with a few statements more, writes the two sweeps of a reversal plan, so one printer,
//! one parser, one validator and one interpreter serve both.
//!
//! # Grammar (the text form; [`crate::text`] prints it and reads it back)
//!
//! ```text
//! func   := "fn" NAME "(" VAR,* ")" ("->" VAR)? "{" decl* "}" block
//! decl   := "types" NAME,* ";"                        the type parameters that carry floats
//!         | "var" VAR ":" mode? type origin? ";"
//! mode   := "&" | "&mut"
//! origin := "param" | "ret" | "local" | "index" | "temp" | "label" | "adjoint" "of" VAR
//! block  := "{" stmt* "}"
//! stmt   := ("#" NUMBER)? kind
//! kind   := "let" VAR ("=" expr)? ";"                 declares VAR until the end of the block
//!         | place "=" expr ";"
//!         | place "+=" expr ";"                       real scalars; elementwise where place is an aggregate
//!         | "swap" place "," place ";"
//!         | "push" place "," expr ";" | "insert" place "," expr "," expr ";"       place, index, value
//!         | ("let" VAR "=")? ("pop" place | "remove" place "," expr) ";"           place, index
//!         | ("let" VAR "=")? "call" callee "(" arg,* ")" ";"
//!         | "passive" CODE "(" place,* ")" ";"        a side effect that carries no derivative
//!         | "if" expr block ("else" block)?
//!         | loop ("checkpoint" expr ("disk" expr)?)?  reversed from as many snapshots
//!         | "break" ";"
//! loop   := "for" VAR annot? "in" range block         counted loop
//!         | "while" expr block | "loop" block
//! callee := NAME CODE?
//! arg    := expr | "&" place | "&mut" place
//! range  := expr (".." | "..=") expr "rev"? ("step" expr)?      (lo..hi).rev().step_by(s)
//!         | expr (".." | "..=") expr "step" expr? "rev"         (lo..hi).step_by(s).rev()
//! ```
//!
//! Only in plans:
//!
//! ```text
//! kind    := "zero" place ";"                         sets all reals in place to 0
//!          | "record" REC place ";"   | "restore" REC place ";"
//!          | "when" demand block                      for callers among these only
//!          | "record" REC "way" expr ";" | "let" VAR "=" "way" REC ";"
//!          | ("let" VAR "=")? "forward" callee "(" arg,* ")" ";"
//!          | "reverse" callee "(" (arg ":" adjoint),* ")" ("seed" expr)? ";"
//!          | "for" VAR annot? "in" "rev" range block | "times" VAR block
//!          | "take" block | "replay" block block       the snapshot of a checkpointed loop, and a step from it
//! adjoint := "none"                                   the argument carries no floats
//!          | "&mut" place                             incremented in place
//!          | "scratch" place?                         zeroed, then added to place
//!          | "let" VAR                                takes the increment of a by-value argument
//!          | "_"                                      an increment that nobody wants
//! plan    := func "records" "{" record* "}" "adjoints" "{" (VAR ":" VAR ";")* "}"
//!            "restores" VAR,* ";" "interface" VAR,* ";" "calls" "{" site* "}" ("made" "{" (VAR demand ";")* "}")?
//!            "forward" block "reverse" block
//! record  := REC ":" ("value" type | "flag" | "label" | "count")
//!            ("on" "stack" | "in" "frame" "#" NUMBER "slot" NUMBER) "of" "#" NUMBER demand? ";"
//! site    := "#" NUMBER "varied" NUMBER,* "useful" NUMBER,* "restore" demand ";"
//! demand  := "always" | "never" | ("wrt" NUMBER "of" NUMBER)? "restoring"?     see [`demand`]
//! ```
//!
//! Expressions have Rust's operators and precedences:
//!
//! ```text
//! expr   := expr OP expr | ("-" | "!") expr | expr "as" type | "(" expr ")"
//!         | "true" | "false" | NUMBER SUFFIX | (NUMBER | STRING) ":" type      2.0f64, 7usize, 2.0:T
//!         | place
//!         | "len" "(" place ")"
//!         | INTRINSIC "(" expr,* ")"                  sin(x)
//!         | "partial::" NAME "(" expr,* ")"           only in plans
//!         | "scale" "(" expr "," expr ")"             seed, partial; only in plans
//!         | "pure::" NAME "(" expr,* ")" annot        a discrete value: pure::is_nan(x):{bool}
//!         | "[" expr,* "]" annot                      a tuple or array: [a, b]:{(f64, f64)}
//!         | "[" expr ";" expr "]" annot               [0.0f64; n]:{Vec<f64>}
//!         | "variant::" NAME "(" (FIELD ":" expr),* ")" annot    variant::Some(0: x):{Option<f64>}
//!         | "is" "(" place "," NAME ")"               whether the enum is in the variant
//!         | "zeros" "(" place ")"                     0 in the shape of a value; only in plans
//!         | CODE "(" place,* ")" annot
//! place  := VAR step* annot?
//! step   := "." FIELD | "[" expr "]" | "[" expr? ".." expr? "]" | ".head(" expr ")" | ".tail(" expr ")"
//!         | ".chunk(" expr ";" EXTENT ")"             one of the arrays that a slice consists of
//!         | ".single()"                               the array whose only element this is
//!         | ".items()"                                what it lends, of a type that only rustc knows
//!         | ".*"                                      of a Box
//!         | "@" NAME "." FIELD                        of an enum variant: o@Some.0
//! annot  := ":{" type "}"
//! type   := "f64" | "usize" | "bool" | "()" | "_" | "[" type "]" | "[" type ";" EXTENT "]"
//!         | "Vec<" type ">" | "Box<" type ">" | "Option<" type ">" | "Result<" type "," type ">"
//!         | "(" type,* ")"
//!         | NAME                                      of `types`: a real; else a type of the user's
//!         | "discrete" STRING                         carries no floats: discrete "str"
//!         | "named" STRING | "real" STRING            what is not a path, or would mean something else
//! ```
//!
//! `NAME` is a path, generic arguments included; `CODE` is `$3`, `REC` is `r0`. A name that is not
//! of this form, or is a word that begins a statement, stands in backticks. Comments run from `//`
//! to the end of the line.
//!
//! What is left out: a statement without a number gets one more than the largest before it. The
//! annotation of a place stands only where the declaration of its root does not give its type: below
//! a field of a named type, where a place without annotation has an unknown type. The index of a
//! loop gives the type of its range. Parameters, the return variable, indices of counted loops and
//! other variables have the origins `param`, `ret`, `index` and `local` where nothing is written.
//!
//! # Semantics
//!
//! **Variables.** Every variable is declared once in [`Func::vars`] and has a unique [`VarId`];
//! shadowing is resolved before the IR. Parameters and the return variable live for the whole
//! function; the index of a counted loop lives for one iteration and is not assigned; any other
//! variable lives from its `let` to the end of the block that holds the `let`, anew each time the
//! block is executed.
//!
//! **Places.** A [`Place`] is a root variable and a path of projections. There are no reference
//! values: a view (`&x[lo..hi]`, one half of `split_at_mut`, the payload of an `Option`) is the
//! place it stands for, with its bounds held in integer variables. Two places overlap only if they
//! have the same root; distinct roots never alias, because Rust's borrow rules forbid it wherever
//! one of them is written. A parameter passed by reference denotes its referent.
//!
//! **When operands are read.** An [`Expr`] is a pure tree. All the places in it are read, and all
//! the indices in them, when the statement that holds it starts: before anything is written. The
//! indices of the destination are evaluated at the same time. `and`/`or` evaluate their right
//! side only when the left side does not decide. Nothing in an expression writes.
//!
//! **`Vec`s that grow and shrink.** `push` and `insert` put a value into the `Vec` at a place, `pop` and
//! `remove` take one out, which must be there; the other elements keep their values and their order. The
//! place and the index are evaluated when the statement starts. So the two undo each other.
//!
//! **Early exits.** `break` leaves the innermost loop and stands only in *tail position*: it is
//! the last statement of its block, and each `if` between it and the loop body is the last
//! statement of its own block. (Lowering puts what follows a conditional exit into the other arm.)
//! `continue`, `return`, labels and `?` do not exist here: they are tail-nested `if`s, and flags
//! where they cross a loop. So an iteration that breaks ends just as one that does not, and the
//! reversal of control flow needs the arms that were taken and the trip counts, nothing else
//! (`[CFR]` Algorithms 3–5 on Definition 1).
//!
//! **Counted loops.** The bounds are read once, on entry. The index takes the values of Rust's
//! range, in its order.
//!
//! **Calls.** The callee reads its arguments on entry, writes through `&mut` arguments, and returns
//! a value that the `let` takes. The value arguments are read before any effect.
//!
//! **Records.** A record saves a value in the forward sweep and gives it back in the reverse sweep.
//! A [`RecordId`] names the pair. On the stack, `record` pushes and `restore` pops the top, which
//! must be of the same `RecordId`; in a frame, both address the slot of the loop's current
//! iteration.
//!
//! **Adjoint variables** are ordinary real variables whose [`Origin`] is `Adjoint(of)`, and whose
//! type is that of the variable they belong to.

pub mod construct;
pub mod default_value;
pub mod demand;
pub mod expr;
pub mod func;
pub mod integers;
pub mod peeled;
pub mod place;
pub mod stmt;
pub mod total;
pub mod ty;
pub mod type_witness;
pub mod typing;
#[cfg(feature = "testing")]
pub mod validate;
pub mod visit;

pub use self::type_witness::TypeWitness;
pub use demand::{Caller, Demand};
pub use expr::{BinOp, Expr, Intrinsic, UnOp};
pub use func::{Checkpoint, Func, Mode, NameCache, Origin, Var, VarId};
pub use peeled::Peeled;
pub use place::{Place, Proj};
pub use stmt::{
    AdjArg, Alignment, Arg, Block, Call, Callee, CodeId, Distribution, LoopHead, Part, Range,
    RecordId, Rev, Separation, Stmt, StmtId, StmtKind,
};
pub use ty::{FloatTy, IntTy, Ty, base_name};
