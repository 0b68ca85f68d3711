//! What is not supported, as one closed list.
//!
//! Lowering takes a construct or refuses it with a [`Reason`]; there is nothing in between. The
//! limitations page is made from this list, and each reason has a test of its message.

use proc_macro2::Span;

/// A refusal: why, and at which token.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The token.
    pub span: Span,
    /// Why.
    pub reason: Reason,
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident $(($($arg:ident),*))?: $message:literal, help: $help:literal;)*) => {
        /// Why something is refused. A text field fills the place that its name has in the message.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum Reason { $($(#[$doc])* $name $(($(reasons!(@field $arg)),*))?,)* }

        impl Reason {
            /// One sentence that says what and why.
            pub fn message(&self) -> String {
                match self { $(Reason::$name $(($($arg),*))? => { $($(let _ = $arg;)*)? format!($message) })* }
            }

            /// What to write instead.
            pub fn help(&self) -> String {
                match self { $(Reason::$name $(($($arg),*))? => { $($(let _ = $arg;)*)? format!($help) })* }
            }

            /// Whether this is in the way of an adjoint of its own only, not of being written out where the
            /// function is called.
            pub fn is_of_template(&self) -> bool {
                matches!(
                    self,
                    Reason::FunctionValue(_) | Reason::HandedIn(_) | Reason::Stateful(_)
                )
            }

            /// Every reason: its name, and its message and help with the fields as they are named.
            pub const TABLE: &'static [(&'static str, &'static str, &'static str)] =
                &[$((stringify!($name), $message, $help),)*];
        }
    };
    (@field $arg:ident) => { String };
}

reasons! {
    /// The attribute on something that holds no functions.
    NotAFunction(what): "`#[adjoint]` can't stand on {what}",
        help: "put it on a function, an inline module or an inherent `impl`";
    /// A module in a file of its own.
    FileModule: "the macro does not see what stands in another file",
        help: "write `#[adjoint] mod kernels {{ .. }}`, or put `#[adjoint]` on each function in the file";
    /// An `impl` of a trait.
    TraitImpl: "the methods of this trait can't have adjoints in an inherent `impl` of the type",
        help: "write it for a type of your own that has all parameters of the `impl`, or move the numerical part into a function under `#[adjoint]` and call it from the trait's";
    /// An `impl` of `Index` or `IndexMut` whose body is no plain place.
    Index: "this body can't be seen to refer to the same element each time",
        help: "end it with `&self.field[..]`, or a `match` on the index between such, where the index is made of integers; asserts and `let`s may stand before";
    /// An `impl` of `Sum` whose body is no plain sum.
    Sum: "this body can't be seen to add up the items",
        help: "write `iter.fold(start, |a, b| a + b)`, and put `#[adjoint]` on the `impl` of `Add`";
    /// The attribute on a method itself.
    LoneMethod: "what `Self` is can't be seen from a method alone",
        help: "put `#[adjoint]` on the whole `impl` block";
    /// A function that is not a plain one.
    FunctionKind(kind): "{kind} functions can't be differentiated",
        help: "put the numerical part into a plain `fn` and call that";
    /// A parameter whose pattern would give it a name that means something else.
    ParameterPattern: "the adjoint of this parameter would be named after one of another meaning",
        help: "name the parameter and take it apart in the body with `let`";
    /// A parameter or return type that has no adjoint form.
    Type(ty): "the type `{ty}` has no adjoint form",
        help: "use floats, arrays, slices, `Vec`, `Box`, tuples or `#[derive(Differentiable)]` types; a parameter that is no independent is left out by `wrt`";
    /// A parameter that may be of any type with a trait.
    AnyType(ty): "which type `{ty}` stands for can't be seen from here, and so not what its methods do",
        help: "take the type by its name, or put the trait, its `impl`s, this function and those that call it into one `#[adjoint] mod`: there it is written out where it is called, for each type, and those of objects in boxes derive `Differentiable`; a parameter that is no independent is left out by `wrt`";
    /// The type of an error that can't be copied.
    Error(ty): "an error of the type `{ty}` can't be kept for the reverse sweep",
        help: "return one that is `Clone`: a `String`, or an enum with `#[derive(Clone, Differentiable)]`";
    /// A returned reference.
    Returned(ty): "a returned reference, `{ty}`, has no adjoint",
        help: "return a value (`.to_vec()`, `*x`), or leave the attribute to the `impl` or `mod` around it: functions there that return references are written out where the others call them, unless they call themselves";
    /// A parameter by value that is called and changes what it holds.
    Stateful(ty): "a function of the type `{ty}` can be called by its owner only, and both sweeps take it",
        help: "take a reference, as in `f: &mut impl FnMut(f64) -> f64`, or an `impl Fn`";
    /// A name that generated code would take.
    NameTaken(name): "the generated function has a parameter `{name}` of its own",
        help: "rename this parameter";
    /// `wrt`/`of` names no parameter.
    NoSuchParameter(name, known): "`{name}` is not a parameter of this function",
        help: "`wrt` takes some of {known}; `of` takes `&mut` ones among these, and `ret` for the returned value";
    /// `wrt`/`of` names something that holds no floats.
    NoFloats(name): "`{name}` carries no floats, so there is no derivative with respect to it or of it",
        help: "remove it here: it stays an ordinary parameter";
    /// `of` names a parameter that is only read.
    NotWritten(name): "`{name}` is not written by the function, so it is no dependent",
        help: "name `&mut` parameters, or `ret` for the returned value";
    /// Nothing to differentiate.
    NothingActive: "there is nothing to differentiate, because no independent or no dependent carries floats",
        help: "take floats as parameters, and return floats or write them through `&mut`; a function of integers alone needs no attribute: others call it as it is";
    /// Something under `#[cfg]`.
    Cfg: "the macro sees the code before `#[cfg]` is resolved and can't tell whether this is compiled",
        help: "use `if cfg!(..)`, or move the conditional code into functions of their own under `#[cfg]`";
    /// A `#[checkpoint]` that can't be followed.
    Checkpoint(why): "`#[checkpoint]` can't be followed here: {why}",
        help: "put `#[checkpoint(snapshots = N)]` on a `for`, `while` or `loop`, where N is a literal, a constant or a parameter, and `#[checkpoint]` alone on any statement that is to be reversed jointly";
    /// A macro call that the analysis can't see through.
    UnknownMacro(name): "what the macro `{name}!` expands to is not visible here, so it can't be differentiated",
        help: "write out what it expands to, put its `macro_rules!` into the function or into an annotated module, or move it into a function under `#[adjoint(custom = ..)]`";
    /// A macro call of whose macro more is made than is seen through.
    UnboundedMacro(name): "what the macro `{name}!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens",
        help: "write a loop or a function in the place of the recursion, or move it into a function under `#[adjoint(custom = ..)]`";
    /// A method without a rule.
    Method(name): "there is no derivative rule for the method `{name}`",
        help: "write it with operators and methods that have one, or move it into a function under `#[adjoint(custom = ..)]`";
    /// A method that several types have, of a value of unknown type.
    Receiver(name): "what `{name}` does depends on the type of the value that it is called on, which is not visible here",
        help: "bind the value to a name with its type first, as in `let v: Option<f64> = ..`; aliases of types are visible inside `#[adjoint] mod`";
    /// An expression form.
    Expression(what): "{what} can't be differentiated",
        help: "write it with places, operators, calls of functions by name, `if`, `match` and loops";
    /// `?` that converts an error which may carry floats.
    ErrorType(from, to): "`?` converts the error type `{from}` to `{to}` by `From`, which has no derivative",
        help: "convert it where it stands, as in `step(x).map_err(Fault::Step)?`";
    /// An item where it can't be taken along.
    Statement(what): "{what} can't be taken into the generated functions",
        help: "move it to the outermost block of the function, or out of the function";
    /// A pattern form.
    Pattern(what): "{what} is not supported here",
        help: "bind the value to a name, and take it apart by fields or indices";
    /// A loop over something that is not a range or a sequence.
    Iterator(what): "can't iterate over {what}",
        help: "iterate over a range, slice, array or `Vec`, with adapters such as `zip`, `enumerate`, `rev`, `skip`, `take`, `step_by` and `map`, or index in a `for` over a range";
    /// A value whose type decides how it is differentiated and is not known.
    Untyped(name): "the type of `{name}`, which decides how it is differentiated, is not visible here",
        help: "annotate it, as in `let {name}: f64 = ..`";
    /// A type parameter of which the call doesn't tell what it stands for.
    OpenParameter(name): "what `{name}` stands for, which decides how this is differentiated, is not visible here",
        help: "tell it in the call, as in `f::<f64>(..)`, or bind the arguments to names with their types first";
    /// An array of which nothing tells how long it is.
    Extent: "how long this array is, is not visible here",
        help: "bind it to a name with its type first, as in `let y: [f64; 3] = ..`";
    /// A closure used as a value.
    Closure: "a closure can only be bound to a name and called, or passed to an iterator adapter",
        help: "call it where it stands, or make it a function under `#[adjoint]`";
    /// A real made of the bits of another.
    Bits: "a number made of the bits of one that depends on an independent has a derivative that can't be seen here",
        help: "write it with arithmetic (`powi`, `copysign`, `trunc`), or move it into a function under `#[adjoint(custom = ..)]`";
    /// A `&mut` reference that an inactive function takes by its name.
    LentByName(name): "whether `{name}` changes what it is lent here, through which a derivative goes, is not visible",
        help: "write `&*x` if it only reads it, and `&mut *x` if it puts constants there";
    /// A call of a function that is only known at run time.
    FunctionValue(name): "what `{name}` does is known only at run time, so this call has no derivative",
        help: "call a function under `#[adjoint]` by its name; what is handed in can be called with values that depend on no independent, and what another function gives, if both stand in one `#[adjoint] mod`";
    /// A closure that is handed to a function.
    HandedIn(what): "{what} can't be handed to a function",
        help: "put the function that it is handed to and this one into one `#[adjoint] mod`, or that function into this one: it is then written out where it is called; one that reads only what depends on no independent can be handed to any function";
    /// A function that would have to be written out within itself.
    Recursion(name): "`{name}` calls itself, so it can't be written out where it is called, as functions are that return references or call what is handed to them",
        help: "write the recursion as a loop, or return values and name the functions that it calls";
    /// A name that a type has twice, where the other one may be meant.
    Double(of, name): "`{of}` has two `{name}`, one by a trait, and which of them is meant here is not seen",
        help: "give one of them another name";
    /// A reference whose places can't be listed.
    Reference(what): "{what} can't be followed back by the reverse sweep",
        help: "copy the value into a variable, or choose an index into one array instead of a reference";
    /// A reference that walks through a structure.
    Cursor: "this walk of a reference through a structure can't be followed back by the reverse sweep",
        help: "walk with one reference, with its type as in `let mut cur: &Option<Box<Node>> = ..`, through fields of type `Option<Box<..>>` or `Vec<..>`; or write the walk as a recursion, a function under `#[adjoint]` that calls itself with a reference to the next part";
    /// Assignment to something that is not a place.
    NotAPlace: "this is not a variable, element or field that can be assigned",
        help: "assign to a variable, `a[i]`, `s.field` or `*r`";
}

/// Refusals gathered on the way; several are reported at once.
#[derive(Default, Debug)]
pub struct Refusals {
    list: Vec<Refusal>,
}

impl Refusals {
    /// Adds one.
    pub fn push(&mut self, span: Span, reason: Reason) {
        self.list.push(Refusal { span, reason });
    }

    /// The refusals, or `value` if there are none.
    pub fn finish<T>(self, value: T) -> Result<T, Vec<Refusal>> {
        match self.list.is_empty() {
            true => Ok(value),
            false => Err(self.list),
        }
    }

    /// Adds several.
    pub fn extend(&mut self, more: Vec<Refusal>) {
        self.list.extend(more);
    }

    /// All of them.
    pub fn into_vec(self) -> Vec<Refusal> {
        self.list
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Refusal {
    /// The error that rustc shows: the sentence, then the way out.
    pub fn to_error(&self) -> syn::Error {
        let text = format!("{}\nhelp: {}", self.reason.message(), self.reason.help());
        syn::Error::new(self.span, text)
    }
}
