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
                match self { $(Reason::$name $(($($arg),*))? => format!($message),)* }
            }

            /// What to write instead.
            pub fn help(&self) -> String {
                match self { $(Reason::$name $(($($arg),*))? => { $($(let _ = $arg;)*)? format!($help) })* }
            }

            /// Every reason: its name, and its message and help with the fields as they are named.
            pub const TABLE: &'static [(&'static str, &'static str, &'static str)] =
                &[$((stringify!($name), $message, $help),)*];
        }
    };
    (@field $arg:ident) => { String };
}

reasons! {
    /// A statement, arm or parameter under `#[cfg]`.
    Cfg: "the macro runs before `#[cfg]` is resolved, so code under it can't be differentiated reliably",
        help: "move the conditional code into a function of its own under `#[cfg]`, or use `if cfg!(..)`";
    /// A macro call that the analysis can't see through.
    UnknownMacro(name): "the macro `{name}!` is opaque here: what it computes can't be differentiated",
        help: "write out what it expands to, or move it into a function marked `#[adjoint(custom = ..)]`";
    /// A function that is not a plain one.
    FunctionKind(kind): "`{kind}` functions can't be differentiated",
        help: "put the numeric kernel into a plain `fn` and call that";
    /// A parameter whose pattern is not a name.
    ParameterPattern: "a parameter needs a name so that its adjoint can be named after it",
        help: "name the parameter and take it apart in the body with `let`";
    /// A parameter or return type that has no adjoint form.
    Type(ty): "the type `{ty}` has no adjoint form here",
        help: "use a float, an array, a slice, a `Vec`, a tuple or a `#[derive(Differentiable)]` type, or leave the parameter out by `wrt`/`of`";
    /// A method without a rule.
    Method(name): "there is no derivative rule for the method `{name}` on a value that carries floats",
        help: "write it out with supported operations, or move it into a function marked `#[adjoint(custom = ..)]`";
    /// An expression form.
    Expression(what): "{what} can't be differentiated",
        help: "write it with plain places, operators, calls, `if`, `match` and loops";
    /// A statement form or item in the body.
    Statement(what): "{what} can't be differentiated here",
        help: "move it out of the annotated function";
    /// A pattern form.
    Pattern(what): "{what} is not supported as a pattern here",
        help: "bind the value to a name and take it apart with field access or indexing";
    /// A loop over something that is not a range or a slice.
    Iterator(what): "can't iterate over {what}",
        help: "iterate over a range, a slice, an array or a `Vec`, with adapters from the supported list, or index in a `for` over a range";
    /// A value whose type decides how it is differentiated and is not known.
    Untyped(name): "`#[adjoint]` can't tell the type of `{name}`, which decides how it is differentiated",
        help: "annotate it: `let {name}: f64 = ..`";
    /// A closure used as a value.
    Closure: "a closure can only be bound to a name and called, or passed to a supported iterator adapter",
        help: "call it directly, or make it a function with `#[adjoint]`";
    /// A reference that may point to different variables.
    Reference(what): "{what} can't be followed by the reverse sweep",
        help: "index into one array, or copy the value into a variable";
    /// Assignment to something that is not a place.
    NotAPlace: "the left-hand side is not a variable, element or field that can be assigned",
        help: "assign to a variable, `a[i]`, `s.field` or `*r`";
    /// `wrt`/`of` names no parameter.
    NoSuchParameter(name): "`{name}` is not a parameter of this function",
        help: "name a parameter, or `ret` for the returned value";
    /// Nothing to differentiate.
    NothingActive: "no independent or no dependent carries floats, so there is nothing to differentiate",
        help: "take a float parameter and return a float or write one through `&mut`";
    /// A name that generated code would take.
    NameTaken(name): "`{name}` is a name that the generated function needs",
        help: "rename the parameter";
    /// A variable that lives across an exit without a default.
    NoDefault(name): "`{name}` has no value on the path that leaves early, and its type has no default here",
        help: "give it a value where it is declared";
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
