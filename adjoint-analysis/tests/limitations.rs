//! The limitations page says what the refusals say.

use std::fmt::Write;

use adjoint_analysis::refuse::Reason;
use expect_test::expect_file;

const HEAD: &str = "\
# Limitations

What `#[adjoint]` does not take, it refuses when the code is compiled, at the token, with a way out.
Nothing is differentiated wrongly instead, but where what it takes for granted does not hold.

## What is taken for granted

- `Clone`, `to_owned` and `to_vec` of a type of the user's give what it holds, as `#[derive(Clone)]` makes them:
  values that come back in the reverse sweep are such copies.
- A type whose `Differentiable` is written by hand, and that derefs to one with methods, has none of their names without
  an adjoint.
- `Index` and `IndexMut` of a type, both annotated, lead to the same element.
- `vec!`, `matches!`, `panic!` and the other macros of std are those of std, and modules named `iter`, `f64` and `f32` are
  std's.
- Methods of floats, arrays and `Vec`s that are named like std's are std's, not those of a trait that rustc finds first
  (by `&self` on a reference to a float, on a `Vec` by the name of a slice's). In an annotated module, this is checked
  against the traits that stand in it.
- A constant in a pattern begins with a capital, as rustc's naming rules have it.
- A function or method that is called within a closure has no state of its own (random numbers out of a
  `thread_local`, a `Cell`), where std leaves it open how often the closure is called, or calls it to compare: in a
  `zip` of iterators that end at different items, in what sorts or searches, and in `is_sorted`, `min_by_key` and
  their like. Elsewhere it is called as often as without the attribute.
- A method that a trait gives a type, and that is called on a value of it, is that of the trait's `impl` which is
  annotated, not of another trait that has one of its name, nor one that the trait has for boxes of the type. Where
  a trait and the type itself have one, a function that sees neither takes the one that is annotated.
- What a type derefs to is the same field of it, whatever it holds. In an annotated module, this is checked.
- A method that a trait of the user's gives a type parameter, and that is named like one of a float's (`x.sin()`,
  `T::sqrt(x)`), computes that function: a value that differs from std's by more than half of the digits is a panic.
  Not compared are `powi`, methods of three operands, operands by reference, and those of bounds that name other
  parameters. Types, traits and modules named `Float`, `Real`, `Zero` and `One` whose functions are called by a path
  (`Real::hypot(x, y)`, `f64::one()`) are num-traits' or do the same.
- Operators and methods that a type and references to it have by `impl`s of their own (`impl Mul<V> for V` and
  `impl Mul<V> for &V`, `From<V>` and `From<&V>`) compute the same.
- In a function that has a `VecDeque`, methods named like the deque's (`push_front`, `pop_front`) are the deque's, not
  those of a trait that gives them to `Vec`.

## Not there yet

- Work space that `wrt` and `of` leave out, in a `Vec` that is lent to several calls of a function that is
  not visible: hold it in an array, make one for each call, or put both functions into one `#[adjoint] mod`. A `&mut` parameter that they leave out and that is
  handed to other annotated functions is still of a type that is `Clone` and `Differentiable`.
- Walks of two references that trade places (a list reversed in place), and of one through children in a
  `Vec<Box<_>>` whose type is not visible: write them as a recursion.
- Structs that hold references to floats, or functions: in an `#[adjoint] mod` with the functions that take or return them
  or are their methods, or in the body of the function. These are written out where they are called, and have no adjoint of their own; one that is called
  from elsewhere leaves the struct out, as in `#[adjoint(wrt(p))]`. They are not held in lists, boxes or enums, and
  not printed or compared as a whole.
- References whose places can't be listed where the function stands: an `Option` of a reference that is used, in a loop, before it is assigned,
  where its type is not written (`let mut last: Option<&mut f64> = None`), those in an array that are assigned by way of
  `iter_mut`, those to one of more than 12 places,
  those of which two lie in one array, are chosen at run time and lent to one call.
- Iterators: those of the user's outside of the `#[adjoint] mod` of their `impl`; `zip` of two without an end;
  closures that write where it is std's choice how often they are called: on the left of a `zip` that the right may end, behind a `skip` or `step_by` on its right, and behind
  `skip`, `step_by`, `take` or `zip` from behind, in what sorts or searches, in `min_by_key` and its like,
  and in copies of an iterator (`it.clone()`, `cycle`); a `skip`, `step_by` or `take` of what calls a function of the
  user's, from behind; `collect` into anything but a `Vec`, a `VecDeque`, a boxed slice, or an `Option` or `Result` of a `Vec`; of an iterator with a name, `rfind` and
  the like don't advance it from behind, but `next_back` and `nth_back` do, and what is left of it (`it.by_ref()`) is not
  zipped from the left. Methods that a trait provides for `self: &Self` leave its objects in boxes out. What `as_flattened` and `as_chunks` give is run over and
  indexed, not lent as a whole.
- Fields whose types are not visible (outside of `#[adjoint] mod`): what grows or lends elements is taken for a
  `Vec`, what is run over for a sequence or an `Option`. Rustc refuses what is neither: bind the field to a name
  with its type first, as in `let s: &mut Stack = &mut self.s;`. So are elements on which a method is called that
  the type at hand has as well (`r.pop()` in the `pop` of a type with rows). A sum of such fields, kept in one, is
  one of floats; of integers, write `sum::<usize>()`.
- What a method that is not visible gives and a cast to a float takes (`m.dim() as f64`) is an integer, and so is what
  operators make of fields that are not visible (`(a.n + b.n) as f64`); a float is bound with its type first, as in
  `let v: f32 = m.norm();`. On a `&mut` receiver, methods without floats that are not
  visible are called if their `impl` is annotated; else ask the field, as in `let n = m.data.len();`.
- Methods that are not visible, of which one takes by value what another changes in its argument: rustc refuses
  `p.plus(p.shift(x))`; write `let before = p; before.plus(p.shift(x))`.
- Operators: of types of the user's, the arithmetic ones under `#[adjoint] impl Add for Vec3`, and
  `Index`, `IndexMut` and `Sum` whose bodies are plain: `&self.data[i * self.cols + j]`, a fold by `+`; in an annotated module, an `Index` without
  `IndexMut` and one that chooses a field are written out. Numbers
  of such a value (`cols`) change with the whole value only. The operators of bits are not taken. Outside of `#[adjoint] mod`, the types of fields and of the
  results of methods and associated functions are not visible: annotate a value of such a type before it
  meets an operator.
- Functions that take functions, iterators or values of any type with a trait that is seen (`f: impl Fn(f64) -> f64`,
  `x: impl Iterator<Item = f64>`, `k: &impl Kernel`), ranges of floats or what
  holds references (`w: Option<&[f64]>`), convert what they take (`p: impl Into<Point>`), or return
  references, iterators or closures are written out where they
  are called, if their bodies are visible there: in one `#[adjoint] mod` or `impl`, or as functions in the
  function. Such a one has no adjoint of its own where it takes an iterator or such a value or returns any of these, or a
  derivative goes through what it is handed. It does not call itself, and does not leave with a reference by `?` or out of an expression. The same
  holds where a function or method calls such a trait's methods on a type parameter of its own or of its `impl`
  (`impl<K: Kernel> Process<K>`), or hands it on to one that does.
- From elsewhere, only what reads nothing that depends on an independent is handed in, methods that return
  references are not called, and functions that are handed in are called where no derivative goes through
  them. An `FnMut` is taken as `&mut`, and not lent on to functions with an adjoint.
- `VecDeque`s of parameters and fields outside of an annotated module, or by a path other than their name, and `remove` beside
  one: those of a function's own are lists. In a module, what holds one has no adjoint that a caller from elsewhere could
  give it, as objects in boxes have none (below). Other collections of
  std (`HashMap`, `BTreeMap`, `BinaryHeap`) carry no derivative.
- Items in inner blocks: constants are taken that stand in no pattern, length or type there, and imports from `std` by name.
  The same holds within functions that are written out.
- Constants that are references (`const C: &[f64]`) are handed on as they are where they are seen, in one
  `#[adjoint] mod` or in the function; from elsewhere, with their type, as in `let c: &[f64] = C;`.
- Methods of traits: of a type that is not the user's (but those that a trait of an annotated module gives to numbers,
  sequences and tuples of them, or to any type, are written out where the module calls them; not one that slices and `Vec`s
  or arrays both have), of two `impl`s that give a type methods of one name which its
  arguments don't tell apart or that stand in no annotated module (two `#[adjoint] impl From<..> for T`), and of
  a type parameter or a `dyn Trait`. Call them on values whose type is known. A function that is generic over a
  trait of its annotated module is written out where it is called, as above, and has no adjoint of its own.
- Objects of traits in boxes (`Box<dyn Shape>`): in an annotated module that has the trait, of structs and enums of the module
  without parameters that derive `Differentiable`; what the trait asks for has to be of the module as well, or `Debug`,
  `Send` or `Sync`. A function with such a box in a parameter or its result is called by others of the module, and has no
  adjoint of its own. Not behind `Rc`, not by `self: Box<Self>`, not where an `impl Clone` of such boxes does anything
  else than to copy what is in them (`self.boxed()`, where `boxed` is `Box::new(self.clone())` for each type). What holds such
  boxes is sorted by stable sorts only.
- `#[checkpoint]`, `#[adjoint(jacobian)]`, inversion of indices, fusion and preaccumulation; `without(..)`
  already takes their names.
- A function that is annotated by itself has a hidden type of its name beside it: a module of the same name can't be
  imported with it (`pub use gamma::gamma`). `#[adjoint(handle = other)]` gives that type another name, by
  which callers in other modules import it: `use gamma::{gamma, other as gamma};`.
- Methods, functions of types (`Type::f(a)`), and functions with a result whose type is not visible, that have no adjoint,
  called with what only some callers of the function around the call vary (`x * f(a)`, where `a` is a constant for each
  caller): they are refused for all. Bind the result to a name with its type, as in `let w: Vec<f64> = f(a);`, leave `a` out by `wrt`, or
  name them in `inactive`.
- Methods, and functions that are annotated by themselves, tell their callers less than functions that see each
  other: write `#[adjoint] mod` around functions that call each other often.

## What is refused

";

#[test]
fn the_page_is_made_from_the_list() {
    let mut page = HEAD.to_string();
    for (name, message, help) in Reason::TABLE {
        let help = help.replace("{{", "{").replace("}}", "}");
        writeln!(page, "### {name}\n\n{message}\n\n*Way out:* {help}\n").expect("text");
    }
    // `UPDATE_EXPECT=1 cargo test -p adjoint-analysis --test limitations` writes it anew.
    expect_file!["../../docs/limitations.md"].assert_eq(&format!("{}\n", page.trim_end()));
}
