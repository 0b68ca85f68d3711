//! Each refusal: its message, its help, and the source text that it points to.
//!
//! The cases stand in the order of the list in `refuse.rs`; a reason without a case fails the last
//! test.

#[path = "common/refused.rs"]
mod refused;

use adjoint_analysis::expand::expand_item;
use adjoint_analysis::refuse::Reason;
use proc_macro2::TokenStream;
use refused::{Refused, refused};

/// Whether the text is the template with something in the place of each `{..}`.
fn fits(text: &str, template: &str) -> bool {
    let template = template.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let parts = template.split('{').enumerate();
    let mut fixed = parts.map(|(i, part)| {
        if i == 0 {
            part
        } else {
            part.split_once('}').map_or("", |p| p.1)
        }
    });
    let mut rest = text;
    fixed.all(|part| {
        let part = part.replace('\u{1}', "{").replace('\u{2}', "}");
        let found = rest.find(&part);
        rest = found.map_or("", |at| &rest[at + part.len()..]);
        found.is_some()
    })
}

#[track_caller]
fn check(reason: &str, help: &str, source: &str, at: &str, message: &str) {
    let found = refused(source);
    let [refusal] = found.as_slice() else {
        panic!("not one refusal, but {found:#?}")
    };
    assert_eq!(refusal.text, format!("{message}\nhelp: {help}"));
    assert_eq!(refusal.at, at, "the text it points to");
    let (_, message_of, help_of) = Reason::TABLE
        .iter()
        .find(|(name, ..)| *name == reason)
        .expect("a reason");
    assert!(
        fits(message, message_of),
        "the message is not that of `{reason}`"
    );
    assert!(fits(help, help_of), "the help is not that of `{reason}`");
}

/// `Reason help "..", { case "source" at "text" says "message"; .. }`
macro_rules! cases {
    ($($reason:ident $help:literal { $($case:ident $source:literal at $at:literal says $message:literal;)* })*) => {
        $(
            #[allow(non_snake_case, reason = "named for the reason")]
            mod $reason {
                $(
                    #[test]
                    fn $case() {
                        super::check(stringify!($reason), $help, $source, $at, $message);
                    }
                )*
            }
        )*

        const TESTED: &[&str] = &[$(stringify!($reason)),*];
    };
}

cases! {
    NotAFunction "put it on a function, an inline module or an inherent `impl`" {
        structure "struct Model { k: f64 }"
            at "struct" says "`#[adjoint]` can't stand on a struct";
        declared_trait "trait Model { fn f(x: f64) -> f64; }"
            at "trait" says "`#[adjoint]` can't stand on a trait";
        constant "const K: f64 = 2.0;"
            at "const K: f64 = 2.0;" says "`#[adjoint]` can't stand on this item";
    }
    FileModule "write `#[adjoint] mod kernels { .. }`, or put `#[adjoint]` on each function in the file" {
        module "pub mod kernels;"
            at "mod" says "the macro does not see what stands in another file";
    }
    TraitImpl "write it for a type of your own that has all parameters of the `impl`, or move the numerical part into a function under `#[adjoint]` and call it from the trait's" {
        of_a_float "impl Model for f64 { fn f(x: f64) -> f64 { x } }"
            at "Model" says "the methods of this trait can't have adjoints in an inherent `impl` of the type";
        of_any_type "impl<T: Float> Model for T { fn f(x: T) -> T { x } }"
            at "Model" says "the methods of this trait can't have adjoints in an inherent `impl` of the type";
        with_another_parameter "impl<T: Float> Model<T> for Spring { fn f(x: T) -> T { x } }"
            at "Model<T>" says "the methods of this trait can't have adjoints in an inherent `impl` of the type";
    }
    Index "end it with `&self.field[..]`, or a `match` on the index between such, where the index is made of integers; asserts and `let`s may stand before" {
        another_each_time "impl Index<usize> for Table { type Output = f64; fn index(&self, i: usize) -> &f64 { if self.shift > 0.0 { &self.a[i] } else { &self.b[i] } } }"
            at "index" says "this body can't be seen to refer to the same element each time";
        by_a_float "impl IndexMut<usize> for Table { fn index_mut(&mut self, i: usize) -> &mut f64 { &mut self.a[i + self.shift as usize] } }"
            at "index_mut" says "this body can't be seen to refer to the same element each time";
        by_a_float_with_a_name "impl Index<usize> for Table { type Output = f64; fn index(&self, i: usize) -> &f64 { let s = self.shift; let t = -s; &self.a[i + t as usize] } }"
            at "index" says "this body can't be seen to refer to the same element each time";
        by_a_float_of_a_pair "impl Index<usize> for Table { type Output = f64; fn index(&self, i: usize) -> &f64 { let (i, s) = (i, self.shift); if s > 0.0 { &self.a[i] } else { &self.b[i] } } }"
            at "index" says "this body can't be seen to refer to the same element each time";
        by_a_guard "impl Index<usize> for Table { type Output = f64; fn index(&self, i: usize) -> &f64 { match i { 0 if self.shift > 0.0 => &self.a[i], _ => &self.b[i] } } }"
            at "index" says "this body can't be seen to refer to the same element each time";
        what_it_derefs_to "mod m { struct Two { a: Half, b: Half, w: f64 } impl Deref for Two { type Target = Half; fn deref(&self) -> &Half { if self.w > 0.0 { &self.a } else { &self.b } } } fn f(t: &Two) -> f64 { t.v } }"
            at "deref" says "this body can't be seen to refer to the same element each time";
        what_it_derefs_to_by_an_index "mod m { struct Many { all: Vec<Half>, at: usize } impl DerefMut for Many { fn deref_mut(&mut self) -> &mut Half { &mut self.all[self.at] } } fn f(t: &mut Many) -> f64 { t.at = 1; t.v } }"
            at "deref_mut" says "this body can't be seen to refer to the same element each time";
        elsewhere "impl Index<usize> for Table { type Output = f64; fn index(&self, i: usize) -> &f64 { &CONSTANT } }"
            at "index" says "this body can't be seen to refer to the same element each time";
    }
    Sum "write `iter.fold(start, |a, b| a + b)`, and put `#[adjoint]` on the `impl` of `Add`" {
        product "impl Sum for V { fn sum<I: Iterator<Item = V>>(iter: I) -> V { iter.fold(V::ONE, |a, b| a * b) } }"
            at "sum" says "this body can't be seen to add up the items";
        scaled "impl Sum for V { fn sum<I: Iterator<Item = V>>(iter: I) -> V { iter.fold(V::ZERO, |a, b| a + b * 2.0) } }"
            at "sum" says "this body can't be seen to add up the items";
    }
    LoneMethod "put `#[adjoint]` on the whole `impl` block" {
        method "fn f(&self, x: f64) -> f64 { x }"
            at "self" says "what `Self` is can't be seen from a method alone";
        associated "fn f(x: f64) -> Self { g(x) }"
            at "Self" says "what `Self` is can't be seen from a method alone";
    }
    FunctionKind "put the numerical part into a plain `fn` and call that" {
        asynchronous "async fn f(x: f64) -> f64 { x }"
            at "async" says "`async` functions can't be differentiated";
        not_safe "unsafe fn f(x: f64) -> f64 { x }"
            at "unsafe" says "`unsafe` functions can't be differentiated";
        of_another_abi "extern \"C\" fn f(x: f64) -> f64 { x }"
            at "extern \"C\"" says "`extern` functions can't be differentiated";
        in_a_module "mod kernels { async fn f(x: f64) -> f64 { x } fn g(x: f64) -> f64 { x } }"
            at "async" says "`async` functions can't be differentiated";
        in_an_implementation "impl Model { unsafe fn f(&self) -> f64 { self.k } }"
            at "unsafe" says "`unsafe` functions can't be differentiated";
    }
    ParameterPattern "name the parameter and take it apart in the body with `let`" {
        taken "fn f((x, y): (f64, f64), x_y: f64) -> f64 { x * y * x_y }"
            at "(x, y)" says "the adjoint of this parameter would be named after one of another meaning";
        called "fn f((x, y): (f64, f64)) -> f64 { x_y(x) * y }"
            at "(x, y)" says "the adjoint of this parameter would be named after one of another meaning";
    }
    Type "use floats, arrays, slices, `Vec`, `Box`, tuples or `#[derive(Differentiable)]` types; a parameter that is no independent is left out by `wrt`" {
        raw_pointer "fn f(x: *const f64, y: f64) -> f64 { y }"
            at "*const f64" says "the type `*const f64` has no adjoint form";
        shared "fn f(x: std::rc::Rc<f64>, y: f64) -> f64 { y }"
            at "std::rc::Rc<f64>" says "the type `std::rc::Rc<f64>` has no adjoint form";
        map "fn f(x: f64, w: &HashMap<usize, f64>) -> f64 { w[&1] * x }"
            at "HashMap<usize, f64>" says "the type `HashMap<usize, f64>` has no adjoint form";
        cell_inside "fn f(x: &[RefCell<f64>], y: f64) -> f64 { y }"
            at "RefCell<f64>" says "the type `RefCell<f64>` has no adjoint form";
        shared_in_the_body "fn f(x: f64) -> f64 { let r = Rc::new(x * x); *r }"
            at "Rc::new" says "the type `Rc` has no adjoint form";
        cell_in_the_body "fn f(x: f64) -> f64 { let c = std::cell::Cell::new(x); c.get() }"
            at "std::cell::Cell::new" says "the type `Cell` has no adjoint form";
        reference_inside "fn f(x: &[&[f64]], y: f64) -> f64 { y }"
            at "&[f64]" says "the type `&[f64]` has no adjoint form";
        projection "fn f<T: Model>(x: <T as Model>::Number, y: f64) -> f64 { y }"
            at "<T as Model>::Number" says "the type `<T as Model>::Number` has no adjoint form";
        returned_iterator "fn f(x: f64) -> impl Iterator<Item = f64> { x }"
            at "impl Iterator<Item = f64>" says "the type `impl Iterator<Item = f64>` has no adjoint form";
    }
    AnyType "take the type by its name, or put the trait, its `impl`s, this function and those that call it into one `#[adjoint] mod`: there it is written out where it is called, for each type, and those of objects in boxes derive `Differentiable`; a parameter that is no independent is left out by `wrt`" {
        provided_by_a_typed_receiver "mod m { trait Law { fn ap(&self, x: f64) -> f64; fn two(self: &Self) -> f64 { 0.0 } } #[derive(Clone, Differentiable)] struct B { b: f64 } impl Law for B { fn ap(&self, x: f64) -> f64 { x * self.b } fn two(&self) -> f64 { 2.0 * self.b } } fn f(x: f64) -> f64 { let b: Box<dyn Law> = make(x); b.two() } fn make(x: f64) -> Box<dyn Law> { Box::new(B { b: x }) } }"
            at "two" says "which type `dyn Law` stands for can't be seen from here, and so not what its methods do";
        object "fn f(law: &dyn Law, x: f64) -> f64 { x }"
            at "dyn Law" says "which type `dyn Law` stands for can't be seen from here, and so not what its methods do";
        anonymous "fn f(law: impl Law, x: f64) -> f64 { x }"
            at "impl Law" says "which type `impl Law` stands for can't be seen from here, and so not what its methods do";
        method "fn f<L: Law>(law: &L, x: f64) -> f64 { law.rate(x) }"
            at "rate" says "which type `L` stands for can't be seen from here, and so not what its methods do";
        of_a_value "fn f<L: Law>(law: L, x: f64) -> f64 { law.rate(x) }"
            at "rate" says "which type `L` stands for can't be seen from here, and so not what its methods do";
        function "fn f<L: Law>(x: f64) -> f64 { L::rate(x) }"
            at "L::rate" says "which type `L` stands for can't be seen from here, and so not what its methods do";
        function_of_the_trait "fn f<L: Law>(x: f64) -> f64 { <L as Law>::rate(x) }"
            at "<L as Law>::rate" says "which type `L` stands for can't be seen from here, and so not what its methods do";
    }
    Error "return one that is `Clone`: a `String`, or an enum with `#[derive(Clone, Differentiable)]`" {
        boxed "fn f(x: f64) -> Result<f64, Box<dyn std::error::Error>> { Ok(x) }"
            at "Box<dyn std::error::Error>" says "an error of the type `Box<dyn std::error::Error>` can't be kept for the reverse sweep";
    }
    Returned "return a value (`.to_vec()`, `*x`), or leave the attribute to the `impl` or `mod` around it: functions there that return references are written out where the others call them, unless they call themselves" {
        slice "fn f(x: &[f64]) -> &[f64] { x }"
            at "&[f64]" says "a returned reference, `&[f64]`, has no adjoint";
        of_a_method "impl Rows { #[adjoint] fn row_mut(&mut self, i: usize) -> &mut [f64] { &mut self.all[i..] } }"
            at "&mut [f64]" says "a returned reference, `&mut [f64]`, has no adjoint";
    }
    Stateful "take a reference, as in `f: &mut impl FnMut(f64) -> f64`, or an `impl Fn`" {
        closure "fn f(x: f64, g: impl FnMut(f64) -> f64) -> f64 { x }"
            at "impl FnMut(f64) -> f64" says "a function of the type `impl FnMut(f64) -> f64` can be called by its owner only, and both sweeps take it";
        generic "#[adjoint(wrt(x))] fn f<F: FnMut(f64) -> f64>(x: f64, mut g: F) -> f64 { x * g(1.0) }"
            at "F" says "a function of the type `F` can be called by its owner only, and both sweeps take it";
        once "fn f(x: f64, g: impl FnOnce() -> f64) -> f64 { x * g() }"
            at "impl FnOnce() -> f64" says "a function of the type `impl FnOnce() -> f64` can be called by its owner only, and both sweeps take it";
    }
    NameTaken "rename this parameter" {
        adjoint "fn f(x: f64, x_adj: f64) -> f64 { x * x_adj }"
            at "x_adj" says "the generated function has a parameter `x_adj` of its own";
        seed "fn f(ret_adj: usize, x: f64) -> f64 { x }"
            at "ret_adj" says "the generated function has a parameter `ret_adj` of its own";
        seed_of_a_parameter "fn f(x: f64, ret: f64) -> f64 { x * ret }"
            at "ret" says "the generated function has a parameter `ret_adj` of its own";
    }
    NoSuchParameter "`wrt` takes some of `x`, `k`; `of` takes `&mut` ones among these, and `ret` for the returned value" {
        independent "#[adjoint(wrt(x, y))] fn f(x: f64, k: f64) -> f64 { x * k }"
            at "y" says "`y` is not a parameter of this function";
        dependent "#[adjoint(of(out))] fn f(x: f64, k: f64) -> f64 { x * k }"
            at "out" says "`out` is not a parameter of this function";
        returned_value_as_independent "#[adjoint(wrt(x, ret))] fn f(x: f64, k: f64) -> f64 { x * k }"
            at "ret" says "`ret` is not a parameter of this function";
    }
    NoFloats "remove it here: it stays an ordinary parameter" {
        integer "#[adjoint(wrt(x, n))] fn f(x: f64, n: usize) -> f64 { x }"
            at "n" says "`n` carries no floats, so there is no derivative with respect to it or of it";
        nothing_returned "#[adjoint(of(y, ret))] fn f(y: &mut f64) { *y *= 2.0; }"
            at "ret" says "`ret` carries no floats, so there is no derivative with respect to it or of it";
    }
    NotWritten "name `&mut` parameters, or `ret` for the returned value" {
        by_reference "#[adjoint(of(ret, x))] fn f(x: &[f64]) -> f64 { x[0] }"
            at "x" says "`x` is not written by the function, so it is no dependent";
    }
    NothingActive "take floats as parameters, and return floats or write them through `&mut`; a function of integers alone needs no attribute: others call it as it is" {
        no_dependent "#[adjoint(custom = f_rule)] fn f(x: f64) -> bool { x > 0.0 }"
            at "f" says "there is nothing to differentiate, because no independent or no dependent carries floats";
        no_independent "fn f(n: usize) -> f64 { n as f64 }"
            at "f" says "there is nothing to differentiate, because no independent or no dependent carries floats";
    }
    Cfg "use `if cfg!(..)`, or move the conditional code into functions of their own under `#[cfg]`" {
        statement "fn f(x: f64) -> f64 { #[cfg(test)] let x = x + 1.0; x }"
            at "#[cfg(test)]" says "the macro sees the code before `#[cfg]` is resolved and can't tell whether this is compiled";
        block "fn f(mut x: f64) -> f64 { #[cfg_attr(test, inline)] { x += 1.0; } x }"
            at "#[cfg_attr(test, inline)]" says "the macro sees the code before `#[cfg]` is resolved and can't tell whether this is compiled";
        arm "fn f(x: f64, n: u8) -> f64 { match n { #[cfg(test)] 0 => x, _ => -x } }"
            at "#[cfg(test)]" says "the macro sees the code before `#[cfg]` is resolved and can't tell whether this is compiled";
        parameter "fn f(x: f64, #[cfg(test)] n: u8) -> f64 { x }"
            at "#[cfg(test)]" says "the macro sees the code before `#[cfg]` is resolved and can't tell whether this is compiled";
        macro_call "fn f(x: f64) -> f64 { #[cfg(test)] println!(\"{x}\"); x }"
            at "#[cfg(test)]" says "the macro sees the code before `#[cfg]` is resolved and can't tell whether this is compiled";
        element "fn f(x: f64) -> f64 { let a = [#[cfg(test)] 0.0, x]; a[0] }"
            at "#[cfg(test)]" says "the macro sees the code before `#[cfg]` is resolved and can't tell whether this is compiled";
    }
    Checkpoint "put `#[checkpoint(snapshots = N)]` on a `for`, `while` or `loop`, where N is a literal, a constant or a parameter, and `#[checkpoint]` alone on any statement that is to be reversed jointly" {
        computed "fn f(mut x: f64, n: usize) -> f64 { #[checkpoint(snapshots = n / 2)] for _ in 0..n { x = x.sin(); } x }"
            at "n / 2" says "`#[checkpoint]` can't be followed here: a number of snapshots is a literal, a constant or a parameter";
        misspelt "fn f(mut x: f64, n: usize) -> f64 { #[checkpoint(snapshot = 2)] for _ in 0..n { x = x.sin(); } x }"
            at "snapshot" says "`#[checkpoint]` can't be followed here: its arguments are `snapshots` and `disk`";
        no_loop "fn f(mut x: f64) -> f64 { #[checkpoint(snapshots = 2)] { x = x.sin(); } x }"
            at "#[checkpoint(snapshots = 2)]" says "`#[checkpoint]` can't be followed here: only a loop has several snapshots";
        disk_alone "fn f(mut x: f64, n: usize) -> f64 { #[checkpoint(disk = 2)] for _ in 0..n { x = x.sin(); } x }"
            at "#[checkpoint(disk = 2)]" says "`#[checkpoint]` can't be followed here: `disk` comes beside `snapshots`";
        value "fn f(x: f64) -> f64 { #[checkpoint] x.sin() }"
            at "#[checkpoint]" says "`#[checkpoint]` can't be followed here: it is the value of the block; end it with `;`";
        part "fn f(x: f64) -> f64 { 1.0 + #[checkpoint] x.sin() }"
            at "#[checkpoint]" says "`#[checkpoint]` can't be followed here: it stands on a part of a statement";
        generator "fn f(mut x: f64, n: usize, r: &mut impl Rng) -> f64 { #[checkpoint(snapshots = 2)] for _ in 0..n { x *= r.random::<f64>(); } x }"
            at "0..n" says "`#[checkpoint]` can't be followed here: each step changes `r`, of which no snapshot can be taken";
    }
    UnknownMacro "write out what it expands to, put its `macro_rules!` into the function or into an annotated module, or move it into a function under `#[adjoint(custom = ..)]`" {
        value "fn f(x: f64) -> f64 { square!(x) }"
            at "square" says "what the macro `square!` expands to is not visible here, so it can't be differentiated";
        statement "fn f(mut x: f64) -> f64 { scale!(x, 2.0); x }"
            at "scale" says "what the macro `scale!` expands to is not visible here, so it can't be differentiated";
        iterated "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for v in each!(x) { s += v; } s }"
            at "each" says "what the macro `each!` expands to is not visible here, so it can't be differentiated";
        another_variable "fn f(x: f64) -> f64 { let n = x; macro_rules! by_n { ($e:expr) => { $e * n }; } let n = 2.0 * n; by_n!(n) }"
            at "by_n" says "what the macro `by_n!` expands to is not visible here, so it can't be differentiated";
        not_its_variable "mod m { fn g(x: f64) -> f64 { x } macro_rules! of_g { ($e:expr) => { g($e) }; } fn f(x: f64) -> f64 { let g = |v: f64| 2.0 * v; of_g!(x) * g(x) } }"
            at "of_g" says "what the macro `of_g!` expands to is not visible here, so it can't be differentiated";
        hidden "mod m { macro_rules! run { ($e:expr) => { $e }; } fn f(x: f64) -> f64 { macro_rules! run { ($s:stmt) => { $s }; } run!(x) } }"
            at "run" says "what the macro `run!` expands to is not visible here, so it can't be differentiated";
        declared_by_another "fn f(x: f64) -> f64 { let n = x * x; macro_rules! by_n { ($e:expr) => { $e * n }; } macro_rules! set { ($v:ident, $e:expr) => { let $v = $e; }; } set!(n, 3.0 * x); by_n!(n) }"
            at "by_n" says "what the macro `by_n!` expands to is not visible here, so it can't be differentiated";
        of_statements "fn f(x: f64) -> f64 { macro_rules! run { ($s:stmt) => { $s }; ($($t:tt)*) => { 2.0 * x }; } run!(x) }"
            at "run" says "what the macro `run!` expands to is not visible here, so it can't be differentiated";
        captured_by_its_call "fn f(x: f64, y: f64) -> f64 { macro_rules! with { ($v:ident, $e:expr) => {{ let $v = $e; x + $v }}; } with!(x, y * 2.0) }"
            at "with" says "what the macro `with!` expands to is not visible here, so it can't be differentiated";
        captured_by_tokens "fn f(x: f64, y: f64) -> f64 { macro_rules! outer { ($($b:tt)*) => {{ $($b)* x * 2.0 }}; } outer! { let x = y * 3.0; } }"
            at "outer" says "what the macro `outer!` expands to is not visible here, so it can't be differentiated";
        captured_in_a_guard "fn f(x: f64, o: f64) -> f64 { macro_rules! ax { () => { x }; } if matches!(Some(o), Some(x) if ax!() > 0.0) { x * o } else { o } }"
            at "ax" says "what the macro `ax!` expands to is not visible here, so it can't be differentiated";
        defined_in_its_own_body "fn f(x: f64, y: f64) -> f64 { macro_rules! v { ($e:expr) => { vec![$e * 3.0, -$e.{ macro_rules! v { ($e:expr) => { vec![$e * 3.0, -$e.powi(2)] }; } let v: Vec<f64> = v!(x + y); v[0] * v[1] }(2)] }; } let v: Vec<f64> = v!(x + y); v[0] * v[1] }"
            at "v" says "what the macro `v!` expands to is not visible here, so it can't be differentiated";
        capitals "fn f(A: f64) -> f64 { macro_rules! m { () => { A * 2.0 }; } let A = A * 3.0; m!() * A }"
            at "m" says "what the macro `m!` expands to is not visible here, so it can't be differentiated";
        capitals_that_may_be_constants "fn f(k: i32, N: i32, x: f64) -> f64 { macro_rules! pick { ($e:expr) => { match k { 0 => x, N => f64::from($e * N) * x } }; } pick!(N) }"
            at "pick" says "what the macro `pick!` expands to is not visible here, so it can't be differentiated";
        not_its_function "mod m { fn scale(x: f64) -> f64 { 2.0 * x } fn f(x: f64) -> f64 { macro_rules! m { ($e:expr) => { scale($e) }; } let scale = |v: f64| 3.0 * v; m!(x) * scale(x) } }"
            at "m" says "what the macro `m!` expands to is not visible here, so it can't be differentiated";
        of_the_crate "fn f(x: f64) -> f64 { macro_rules! sq { ($e:expr) => { $e * $e }; } sq!(x) + crate::sq!(x) }"
            at "crate::sq" says "what the macro `sq!` expands to is not visible here, so it can't be differentiated";
        named_like_one_of_std "fn f(x: f64) -> f64 { macro_rules! vec { ($s:stmt) => { [2.0 * x] }; ($($e:expr),*) => { [$($e * 2.0),*] }; } vec![x, x * x][0] }"
            at "vec" says "what the macro `vec!` expands to is not visible here, so it can't be differentiated";
        under_a_condition "mod m { #[cfg(test)] macro_rules! k { () => { 2.0 }; } #[cfg(not(test))] macro_rules! k { () => { 3.0 }; } fn f(x: f64) -> f64 { x * k!() } }"
            at "k" says "what the macro `k!` expands to is not visible here, so it can't be differentiated";
        of_another_module "mod m { macro_rules! k { () => { 2.0 }; } #[macro_use] mod inner { macro_rules! k { () => { 5.0 }; } } fn f(x: f64) -> f64 { x * k!() } }"
            at "k" says "what the macro `k!` expands to is not visible here, so it can't be differentiated";
        defined_by_another "mod m { macro_rules! k { () => { 2.0 }; } macro_rules! def { ($n:ident) => { macro_rules! $n { () => { 5.0 }; } }; } def!(k); fn f(x: f64) -> f64 { x * k!() } }"
            at "k" says "what the macro `k!` expands to is not visible here, so it can't be differentiated";
    }
    UnboundedMacro "write a loop or a function in the place of the recursion, or move it into a function under `#[adjoint(custom = ..)]`" {
        calls_itself "fn f(x: f64) -> f64 { macro_rules! again { ($e:expr) => { again!($e + x) }; } again!(x) }"
            at "again" says "what the macro `again!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
        doubles_what_is_left "fn f(x: f64) -> f64 { macro_rules! calc { (@acc $a:expr;) => { $a }; (@acc $a:expr; $($r:tt)*) => { calc!(@acc $a; $($r)* $($r)*) }; } calc!(@acc x; + 1.0) }"
            at "calc" says "what the macro `calc!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
        doubles_statements "fn f(x: f64) -> f64 { macro_rules! calc { (@acc $a:expr;) => { $a }; (@acc $a:expr; $($r:tt)*) => { calc!(@acc $a; $($r)* $($r)*) }; } calc!(@acc x; 1.0;) }"
            at "calc" says "what the macro `calc!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
        in_a_module "mod m { macro_rules! twice { ($e:expr) => { twice!($e) + twice!($e) }; } fn f(x: f64) -> f64 { twice!(x) } }"
            at "twice" says "what the macro `twice!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
        in_an_impl "impl Model { fn f(&self, x: f64) -> f64 { macro_rules! twice { ($e:expr) => { twice!($e) + twice!($e) }; } twice!(x) } }"
            at "twice" says "what the macro `twice!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
    }
    Method "write it with operators and methods that have one, or move it into a function under `#[adjoint(custom = ..)]`" {
        of_a_float "fn f(x: f64) -> f64 { 2.0 * (x + 1.0).gamma() }"
            at "gamma" says "there is no derivative rule for the method `gamma`";
        assigned_through "fn f(x: f64, y: &mut [f64]) { *y.pick_mut() = x; }"
            at "pick_mut" says "there is no derivative rule for the method `pick_mut`";
        of_integers "fn f(x: f64, y: f64) -> f64 { x.abs_diff(y) * x }"
            at "abs_diff" says "there is no derivative rule for the method `abs_diff`";
        power "fn f(x: f64, y: f64) -> f64 { x.pow(y) * x }"
            at "pow" says "there is no derivative rule for the method `pow`";
        of_a_flag "fn f(x: f64, on: bool) -> f64 { on.powi(x) * x }"
            at "powi" says "there is no derivative rule for the method `powi`";
        of_a_map "#[adjoint(wrt(x))] fn f(x: f64, w: &BTreeMap<usize, f64>) -> f64 { w.nearest(x) * x }"
            at "nearest" says "there is no derivative rule for the method `nearest`";
        of_a_text "fn f(x: f64, n: &str) -> f64 { n.parse().map(|v: f64| v * x).unwrap_or(x).gamma() }"
            at "gamma" says "there is no derivative rule for the method `gamma`";
        of_a_list "fn f(x: &Vec<f64>, n: i32) -> f64 { x.powi(n) * x[0] }"
            at "powi" says "there is no derivative rule for the method `powi`";
        with_another_argument "fn f(x: f64, k: f64) -> f64 { if x.is_nan(k) { x } else { k } }"
            at "is_nan" says "there is no derivative rule for the method `is_nan`";
        of_one_option "fn f(x: f64) -> f64 { let o = Some(x * 2.0); o.flatten() * x }"
            at "flatten" says "there is no derivative rule for the method `flatten`";
    }
    Receiver "bind the value to a name with its type first, as in `let v: Option<f64> = ..`; aliases of types are visible inside `#[adjoint] mod`" {
        cleared "impl Tree { fn clear(&mut self, x: f64) -> f64 { self.rows[0].clear(); x } }"
            at "clear" says "what `clear` does depends on the type of the value that it is called on, which is not visible here";
        of_a_call "fn f(x: f64) -> f64 { g(x).map(f64::exp).unwrap() }"
            at "map" says "what `map` does depends on the type of the value that it is called on, which is not visible here";
        of_an_alias "fn f(x: f64, v: Vec3) -> f64 { v.map(|c| c * x)[0] }"
            at "map" says "what `map` does depends on the type of the value that it is called on, which is not visible here";
    }
    Expression "write it with places, operators, calls of functions by name, `if`, `match` and loops" {
        pointer "fn f(x: &[f64], k: f64) -> f64 { let p: *const f64 = &x[1]; if p == p { k } else { 0.0 } }"
            at "*const f64" says "a raw pointer can't be differentiated";
        pointer_by_cast "fn f(x: &[f64], k: f64) -> f64 { (&x[1] as *const f64 as usize) as f64 * k }"
            at "*const f64" says "a raw pointer can't be differentiated";
        array_of_a_closure "fn f(x: f64) -> f64 { let mut g = |k: f64| x * k; let all = array::from_mut(&mut g); x }"
            at "array::from_mut" says "`from_mut` of what is no single value can't be differentiated";
        conversion_to_nothing_told "fn f(x: f64) -> f64 { let v = (x, x * 2.0).into(); g(v) }"
            at "into" says "`into` of a value that is no number, where no type is told, can't be differentiated";
        objects_of_another_size "mod m { trait Law { fn ap(&self, x: f64) -> f64; } #[derive(Clone, Differentiable)] struct B { b: f64 } impl Law for B { fn ap(&self, x: f64) -> f64 { x * self.b } } struct H { law: Box<dyn Law>, k: usize } fn f(x: &[f64]) -> f64 { let mut v: Vec<H> = Vec::new(); for &b in x { v.push(H { law: Box::new(B { b }), k: 1 }); } v.sort_unstable_by_key(|h| h.k); v[0].law.ap(x[0]) } }"
            at "sort_unstable_by_key" says "`sort_unstable_by_key` of what holds objects in boxes or `VecDeque`s can't be differentiated";
        boxes_apart "mod m { trait Law { fn ap(&self, x: f64) -> f64; fn dim(&self) -> usize { 1 } } struct B { b: f64 } impl Law for B { fn ap(&self, x: f64) -> f64 { x * self.b } fn dim(&self) -> usize { 2 } } impl<T: Law> Law for Box<T> { fn ap(&self, x: f64) -> f64 { (**self).ap(x) } } fn go<L: Law>(l: &L, x: f64) -> f64 { l.ap(x) * l.dim() as f64 } fn f(x: f64, y: f64) -> f64 { let b = Box::new(B { b: x }); go(&b, y) } }"
            at "go" says "a call through `Law`, of which boxes or references have an `impl` that does not hand on all of it, can't be differentiated";
        box_of_another "mod m { trait Law { fn ap(&self, x: f64) -> f64; } struct B { b: f64 } impl Law for B { fn ap(&self, x: f64) -> f64 { x * self.b } } impl Law for Box<B> { fn ap(&self, x: f64) -> f64 { 2.0 * (**self).ap(x) } } fn f(x: f64, y: f64) -> f64 { let b = Box::new(B { b: x }); b.ap(y) } }"
            at "ap" says "a call of `ap`, which boxes or references have by an `impl` that does not hand on all of its trait, can't be differentiated";
        changed_constant "fn f(x: f64) -> f64 { const W: [f64; 2] = [0.1, 0.2]; let mut s = 0.0; for w in W.iter_mut() { *w *= x; s += *w; } s }"
            at "*w *= x" says "a change of a copy of a constant can't be differentiated";
        not_safe "fn f(x: &[f64]) -> f64 { unsafe { *x.as_ptr() } }"
            at "unsafe { *x.as_ptr() }" says "an `unsafe` block can't be differentiated";
        changed_if_it_fails "fn f(mut p: f64, x: f64) -> f64 { assert_eq!(x, 1.0, \"{}\", { p *= x; p }); p }"
            at "{ p *= x; p }" says "a change within an argument that the macro does not always evaluate can't be differentiated";
        changed_by_a_sort "fn f(x: f64) -> f64 { let (mut n, mut v) = (0, [x, 2.0]); v.sort_by(|a, b| { n += 1; a.total_cmp(b) }); v[0] * n as f64 }"
            at "|a, b| { n += 1; a.total_cmp(b) }" says "a change within the argument of `sort_by` can't be differentiated";
        key_that_writes "fn f(x: &[f64]) -> f64 { let mut n = 0; *x.iter().min_by_key(|v| { n += 1; **v as i64 }).unwrap() * n as f64 }"
            at "min_by_key" says "a closure that writes, in `min_by_key` can't be differentiated";
        order_of_unseen "fn f(s: &mut S, x: f64) -> f64 { let mut i = 0; s.v[i] *= { i += 1; x }; s.v[i] }"
            at "s.v[i] *= { i += 1; x }" says "an index beside a right side that changes it, where the type of the element is not visible, can't be differentiated";
        awaited "fn f(x: f64) -> f64 { later(x).await }"
            at "later(x).await" says "`async` code can't be differentiated";
        constant_block "fn f(x: f64) -> f64 { x * const { 2.0 } }"
            at "const { 2.0 }" says "a `const` block can't be differentiated";
        computed_callee "fn f(x: f64) -> f64 { (rule())(x) }"
            at "(rule())" says "a call of a computed function can't be differentiated";
        hidden_name "mod m { fn quad(f: impl Fn(f64) -> f64) -> f64 { scale(f(1.0)) } fn g(x: f64) -> f64 { fn scale(x: f64) -> f64 { x } quad(|t| t * x) } }"
            at "quad" says "`scale`, which means something else where this is written out, can't be differentiated";
    }
    ErrorType "convert it where it stands, as in `step(x).map_err(Fault::Step)?`" {
        another_enum "mod m { fn g(x: f64) -> Result<f64, Inner> { Ok(x) } fn f(x: f64) -> Result<f64, Outer> { Ok(g(x)? * x) } }"
            at "?" says "`?` converts the error type `Inner` to `Outer` by `From`, which has no derivative";
    }
    Statement "move it to the outermost block of the function, or out of the function" {
        inner_constant "fn f(x: f64) -> f64 { if x > 0.0 { const N: usize = 2; [x; N][1] } else { x } }"
            at "const N: usize = 2;" says "an item in an inner block can't be taken into the generated functions";
        hides_a_parameter "fn f(x: f64, e: f64) -> f64 { use std::f64::consts::E as e; x * e }"
            at "use std::f64::consts::E as e;" says "an item with the name of a parameter can't be taken into the generated functions";
        inner_import "mod m { const PI: f64 = 3.0; fn f(x: f64) -> f64 { if x > 0.0 { use std::f64::consts::PI; let y = |PI: f64| PI * x; y(x) * PI } else { x * PI } } }"
            at "use std::f64::consts::PI;" says "an item in an inner block can't be taken into the generated functions";
    }
    Pattern "bind the value to a name, and take it apart by fields or indices" {
        without_a_value "fn f(x: f64) -> f64 { let P { a, b }; x }"
            at "P { a, b }" says "a pattern without a value is not supported here";
    }
    Iterator "iterate over a range, slice, array or `Vec`, with adapters such as `zip`, `enumerate`, `rev`, `skip`, `take`, `step_by` and `map`, or index in a `for` over a range" {
        adapter "fn f(x: &[f64]) -> f64 { let mut s = 0.0; if x.iter().peekable().peek_mut().is_some() { s += x[0]; } s }"
            at "peek_mut" says "can't iterate over an iterator through `peek_mut`";
        advanced "fn f(x: &[f64]) -> f64 { let mut it = x.iter().filter(|v| **v != 1.0); let a = it.find(|v| **v > 0.0).unwrap(); a * it.sum::<f64>() }"
            at "find" says "can't iterate over an iterator with a name that `find` advances";
        from_behind "fn f(x: &[f64]) -> f64 { let mut it = x.iter(); let k = it.rposition(|v| *v > 0.0).unwrap(); x[k] * it.sum::<f64>() }"
            at "rposition" says "can't iterate over an iterator with a name that `rposition` advances";
        lent_in_pairs "fn f(x: &[f64]) -> f64 { let w = [1.0, 1.0]; let mut it = x.iter(); let s: f64 = it.by_ref().zip(&w).map(|(a, b)| a * b).sum(); s + it.sum::<f64>() }"
            at "zip" says "can't iterate over pairs with what is left of a lent iterator on the left";
        copied_state "fn f(x: &[f64]) -> f64 { let mut s = 1.0; let it = x.iter().map(move |v| { s += v; s }); it.clone().sum::<f64>() * it.sum::<f64>() }"
            at "clone" says "can't iterate over a copy of an iterator whose closure has a state";
        cycled_state "fn f(x: &[f64]) -> f64 { let mut s = 1.0; x.iter().map(move |v| { s += v; s }).cycle().take(9).sum() }"
            at "cycle" says "can't iterate over `cycle` of a closure with a state, of which each round has a copy";
        two_streams "fn f(x: &[f64]) -> f64 { std::iter::successors(Some(x[0]), |v| Some(v * 0.5)).zip(std::iter::successors(Some(1.0), |v| Some(v + 1.0))).map(|(a, b)| a * b).take(3).sum() }"
            at "zip" says "can't iterate over two iterators without an end in pairs";
        value "fn f(x: f64) -> f64 { let mut s = 0.0; for v in x { s += v; } s }"
            at "x" says "can't iterate over this value";
        borrowed "fn f(x: &[f64]) -> f64 { let mut it = x.iter().filter(|v| **v != 1.0); let mut s = 0.0; for v in &mut it { s += v; break; } s }"
            at "&mut it" says "can't iterate over a borrowed iterator";
        by_ref "fn f(x: &[f64]) -> f64 { let mut it = x.iter().filter(|v| **v != 1.0); let mut s = 0.0; for v in it.by_ref() { s += v; } s }"
            at "by_ref" says "can't iterate over an iterator with a name that `by_ref` advances";
        effects_from_behind "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for v in x.iter().map(|v| { s += v; v }).take(2).rev() {} s }"
            at "rev" says "can't iterate over a closure that writes, behind an adapter that leaves items out, from behind";
        effects_on_the_right "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for v in x.iter().zip(x.iter().map(|v| { s += v; v }).skip(2)) {} s }"
            at "zip" says "can't iterate over pairs for which a closure that writes may be called more often than there are pairs";
        effects_zipped "fn f(x: &[f64], y: &[f64]) -> f64 { let mut n = 0; for (v, w) in x.iter().map(|v| { n += 1; v }).zip(y) {} x[n] }"
            at "zip" says "can't iterate over pairs for which a closure that writes may be called more often than there are pairs";
        effects_by_methods "fn f(x: &[f64], y: &[f64]) -> f64 { let mut seen = Vec::new(); for (v, w) in x.iter().map(|v| { seen.push(*v); v }).zip(y) {} seen[0] }"
            at "zip" says "can't iterate over pairs for which a closure that writes may be called more often than there are pairs";
        effects_by_calls "fn f(x: &[f64], y: &mut [f64]) -> f64 { let mut s = 0.0; for (v, w) in x.iter().map(|v| step(y, *v)).zip(x) { s += v * w; } s }"
            at "zip" says "can't iterate over pairs for which a closure that writes may be called more often than there are pairs";
    }
    Untyped "annotate it, as in `let s: f64 = ..`" {
        half "fn f(x: f64) -> f64 { let c = make(x); let (a, b) = c.split_at(1); let s; if x > 0.0 { s = a[0]; } else { s = b[0]; } s.scale * x }"
            at "s" says "the type of `s`, which decides how it is differentiated, is not visible here";
    }
    OpenParameter "tell it in the call, as in `f::<f64>(..)`, or bind the arguments to names with their types first" {
        with_methods "mod m { pub trait Shape { fn area(&self) -> f64; } #[derive(Clone, Differentiable)] pub struct Disc { pub r: f64 } impl Shape for Disc { fn area(&self) -> f64 { self.r * self.r } } impl Disc { fn area(&self) -> f64 { self.r } } fn of<R: Shape>(make: impl Fn(f64) -> R, x: f64) -> f64 { let r: R = make(x); r.area() } pub fn f(x: f64) -> f64 { of(|r| Disc { r }, x) } }"
            at "of" says "what `R` stands for, which decides how this is differentiated, is not visible here";
    }
    Extent "bind it to a name with its type first, as in `let y: [f64; 3] = ..`" {
        from_fn "fn f(x: f64) -> f64 { let y = std::array::from_fn(|i| x * i as f64); y[0] }"
            at "std::array::from_fn" says "how long this array is, is not visible here";
        chunks "fn f(x: &[f64], k: usize) -> f64 { let (rows, _) = x.as_chunks(); let mut s = 0.0; for row in rows { s += row[k]; } s }"
            at "as_chunks" says "how long this array is, is not visible here";
        lent "fn f(x: f64) -> f64 { norm(&std::array::from_fn(|i| x * i as f64)) }"
            at "std::array::from_fn" says "how long this array is, is not visible here";
        of_a_field "fn f(l: &Layer, x: &[f64; 3]) -> [f64; 3] { let mut y = l.b; for i in 0..3 { y[i] += x[i]; } y.map(f64::tanh) }"
            at "map" says "how long this array is, is not visible here";
        of_a_field_by_a_closure "fn f(l: &Layer, x: f64) -> [f64; 3] { let mut y = l.b; y[0] += l.k * x; y.map(|v| v.tanh()) }"
            at "map" says "how long this array is, is not visible here";
    }
    Closure "call it where it stands, or make it a function under `#[adjoint]`" {
        element "fn f(x: f64) -> f64 { let g = |t: f64| t * t; let list = [g]; x }"
            at "g" says "a closure can only be bound to a name and called, or passed to an iterator adapter";
        value_as_callable "fn f(x: &[f64], k: f64) -> f64 { x.iter().map(k).sum() }"
            at "k" says "a closure can only be bound to a name and called, or passed to an iterator adapter";
    }
    Bits "write it with arithmetic (`powi`, `copysign`, `trunc`), or move it into a function under `#[adjoint(custom = ..)]`" {
        put_together "fn f(x: f64) -> f64 { let b = x.to_bits() & 0xffff_ffff_0000_0000; x - f64::from_bits(b) }"
            at "f64::from_bits" says "a number made of the bits of one that depends on an independent has a derivative that can't be seen here";
        converted "fn f(x: f64) -> f64 { let log = x.to_bits() as f64 * 2.2e-16; x * log }"
            at "log" says "a number made of the bits of one that depends on an independent has a derivative that can't be seen here";
        on_a_way_around "fn f(x: f64, k: i32) -> f64 { let mut e = (x.to_bits() >> 32) as u32; let mut n = 0; while n < k { n += 1; e += 1 << 20; } join(e, 0) * x }"
            at "join" says "a number made of the bits of one that depends on an independent has a derivative that can't be seen here";
    }
    LentByName "write `&*x` if it only reads it, and `&mut *x` if it puts constants there" {
        parameter "#[adjoint(inactive(count))] fn f(x: &mut [f64], k: f64) -> f64 { let n = count(x); k * n as f64 * x[0] }"
            at "count" says "whether `count` changes what it is lent here, through which a derivative goes, is not visible";
    }
    FunctionValue "call a function under `#[adjoint]` by its name; what is handed in can be called with values that depend on no independent, and what another function gives, if both stand in one `#[adjoint] mod`" {
        pointer "#[adjoint(wrt(x))] fn f(x: f64, g: fn(f64) -> f64) -> f64 { g(x) }"
            at "g" says "what `g` does is known only at run time, so this call has no derivative";
        parameter "fn f(rule: impl Fn(f64) -> f64, x: f64) -> f64 { 2.0 * rule(x) }"
            at "rule" says "what `rule` does is known only at run time, so this call has no derivative";
        with_state "fn f(next: &mut dyn FnMut(f64) -> f64, x: f64) -> f64 { 2.0 * next(x) }"
            at "next" says "what `next` does is known only at run time, so this call has no derivative";
        made_elsewhere "fn f(x: &[f64]) -> f64 { let at = index(3); x[at(1, 2)] }"
            at "at" says "what `at` does is known only at run time, so this call has no derivative";
    }
    HandedIn "put the function that it is handed to and this one into one `#[adjoint] mod`, or that function into this one: it is then written out where it is called; one that reads only what depends on no independent can be handed to any function" {
        another_name_in_else "fn f(v: &[f64], k: f64) -> f64 { let t = vec![0.5]; let k = -k; let mut o = v.to_vec(); o.sort_by(|a, b| { let Some(k) = t.first() else { return (a * k).total_cmp(&(b * k)) }; (a * k).total_cmp(&(b * k)) }); o[0] * k }"
            at "|a, b| { let Some(k) = t.first() else { return (a * k).total_cmp(&(b * k)) }; (a * k).total_cmp(&(b * k)) }" says "a closure that declares another `k` can't be handed to a function";
        another_name "fn f(x: &[f64]) -> f64 { let c = 1.0; let c = -c; let mut w = x.to_vec(); w.sort_by(|a, b| { let c = c * 2.0; (a * c).total_cmp(&(b * c)) }); w[0] * c }"
            at "|a, b| { let c = c * 2.0; (a * c).total_cmp(&(b * c)) }" says "a closure that declares another `c` can't be handed to a function";
        varied "fn f(x: f64, y: f64) -> f64 { let k = 2.0 * x; y * integrate(|t| k * t, 0.0, 1.0) }"
            at "|t| k * t" says "a closure that reads `k`, which depends on an independent, can't be handed to a function";
        varied_element "fn f(x: &[f64]) -> f64 { x[0] * norm(&|i| x[i], 3) }"
            at "|i| x[i]" says "a closure that reads `x`, which depends on an independent, can't be handed to a function";
        with_a_name "fn f(x: f64) -> f64 { let g = |t: f64| t * x; apply(g, 1.0) }"
            at "|t: f64| t * x" says "a closure that reads `x`, which depends on an independent, can't be handed to a function";
        writing "fn f(x: f64) -> f64 { let mut n = 0; x * each(|t| { n += 1; t }) }"
            at "|t| { n += 1; t }" says "a closure that writes can't be handed to a function";
        with_a_state "fn f(x: f64, next: &mut dyn FnMut() -> f64) -> f64 { x * walk(x, next) }"
            at "walk" says "a function that changes what it holds can't be handed to a function";
        shadowing "fn f(x: f64, n: usize) -> f64 { x * weight(|t| { let n = n + 1; t * n as f64 }) }"
            at "|t| { let n = n + 1; t * n as f64 }" says "a closure that declares another `n` can't be handed to a function";
        of_another "fn f(x: f64) -> f64 { let g = |t: f64| t * t; x * weight(|t| g(t)) }"
            at "|t| g(t)" says "a closure that uses another can't be handed to a function";
    }
    Recursion "write the recursion as a loop, or return values and name the functions that it calls" {
        in_turns "mod m { fn f(x: &[f64]) -> f64 { front(x)[0] } fn front(x: &[f64]) -> &[f64] { back(&x[1..]) } fn back(x: &[f64]) -> &[f64] { front(x) } }"
            at "front" says "`front` calls itself, so it can't be written out where it is called, as functions are that return references or call what is handed to them";
    }
    Double "give one of them another name" {
        of_sequences "mod m { trait Norm { fn norm(&self) -> f64; } impl Norm for [f64] { fn norm(&self) -> f64 { self[0] } } impl Norm for Vec<f64> { fn norm(&self) -> f64 { 2.0 * self[0] } } fn f(x: f64) -> f64 { let v = vec![x]; v[..].norm() } }"
            at "norm" says "`a sequence` has two `norm`, one by a trait, and which of them is meant here is not seen";
        behind_dyn "mod m { trait Go { fn go(&self, x: f64) -> f64; } struct W { p: f64 } impl W { fn go(&self, x: f64) -> f64 { self.p * x } } impl Go for W { fn go(&self, x: f64) -> f64 { self.p + x } } fn f(x: f64, y: f64) -> f64 { let w = W { p: y }; let g: &dyn Go = &w; g.go(x) } }"
            at "go" says "`W` has two `go`, one by a trait, and which of them is meant here is not seen";
        behind_a_reference "mod m { trait Go { fn go(self, x: f64) -> f64; } struct W { p: f64 } impl Go for W { fn go(self, x: f64) -> f64 { self.p * x } } impl Go for &W { fn go(self, x: f64) -> f64 { self.p + x } } fn f(x: f64, y: f64) -> f64 { let w = W { p: y }; (&w).go(x) } }"
            at "go" says "`W` has two `go`, one by a trait, and which of them is meant here is not seen";
        found_before "mod m { trait Go { fn go(self, x: f64) -> f64; } struct W { p: f64 } impl W { fn go(&self, x: f64) -> f64 { self.p * x } } impl Go for W { fn go(self, x: f64) -> f64 { self.p + x } } fn f(x: f64, y: f64) -> f64 { let w = W { p: y }; w.go(x) } }"
            at "go" says "`W` has two `go`, one by a trait, and which of them is meant here is not seen";
        of_a_parameter "mod m { trait Go { fn go(&self, x: f64) -> f64; } struct W { p: f64 } impl W { fn go(&self, x: f64) -> f64 { self.p * x } } impl Go for W { fn go(&self, x: f64) -> f64 { self.p + x } } fn run<G: Go>(g: &G, x: f64) -> f64 { g.go(x) } fn f(x: f64, y: f64) -> f64 { let w = W { p: y }; run(&w, x) } }"
            at "run" says "`W` has two `go`, one by a trait, and which of them is meant here is not seen";
        provided "mod m { trait Go { fn at(&self, x: f64) -> f64; fn go(&self, x: f64) -> f64 { 2.0 * self.at(x) } } struct W { p: f64 } impl W { fn go(&self, x: f64) -> f64 { self.p * x } } impl Go for W { fn at(&self, x: f64) -> f64 { self.p + x } } fn run<G: Go>(g: &G, x: f64) -> f64 { g.go(x) } fn f(x: f64, y: f64) -> f64 { let w = W { p: y }; run(&w, x) } }"
            at "run" says "`W` has two `go`, one by a trait, and which of them is meant here is not seen";
        provided_to_a_field "mod m { trait Go { fn at(&self, x: f64) -> f64; fn go(&self, x: f64) -> f64 { 2.0 * self.at(x) } } struct W { p: f64 } impl W { fn go(&self, x: f64) -> f64 { self.p * x } } impl Go for W { fn at(&self, x: f64) -> f64 { self.p + x } } struct Run<G> { g: G } impl<G: Go> Run<G> { fn run(&self, x: f64) -> f64 { self.g.go(x) } } fn f(x: f64, y: f64) -> f64 { let r = Run { g: W { p: y } }; r.run(x) } }"
            at "run" says "`W` has two `go`, one by a trait, and which of them is meant here is not seen";
        a_constant "mod m { trait Go { const K: f64 = 3.0; fn at(&self, x: f64) -> f64; } struct W { p: f64 } impl W { const K: f64 = 5.0; } impl Go for W { fn at(&self, x: f64) -> f64 { self.p + x } } fn run<G: Go>(g: &G, x: f64) -> f64 { G::K * g.at(x) } fn f(x: f64, y: f64) -> f64 { let w = W { p: y }; run(&w, x) } }"
            at "run" says "`W` has two `K`, one by a trait, and which of them is meant here is not seen";
        made_by_default "mod m { trait Go { fn at(&self, x: f64) -> f64; } struct W { p: f64 } impl W { fn default() -> W { W { p: 2.0 } } } impl Default for W { fn default() -> W { W { p: 3.0 } } } impl Go for W { fn at(&self, x: f64) -> f64 { self.p * x } } fn run<G: Default + Go>(g: &G, x: f64) -> f64 { let d = G::default(); d.at(x) + g.at(x) } fn f(x: f64, y: f64) -> f64 { let w = W { p: y }; run(&w, x) } }"
            at "run" says "`W` has two `default`, one by a trait, and which of them is meant here is not seen";
    }
    Reference "copy the value into a variable, or choose an index into one array instead of a reference" {
        out_of_a_table "fn f(x: f64, i: usize) -> f64 { const ROWS: [&[f64]; 2] = [&[0.1], &[0.3, -0.4]]; x * norm(ROWS[i]) }"
            at "norm" says "a reference out of a table, handed on as it is, can't be followed back by the reverse sweep";
        found "fn f(x: &[f64]) -> f64 { x.chunks(2).filter(|c| c[0] > 0.0).last().unwrap()[0] }"
            at "last" says "a reference to an item that is found at run time can't be followed back by the reverse sweep";
        in_a_list "fn f(x: f64, y: f64) -> f64 { let mut a = x; for (k, r) in [(2.0, &mut a)] { *r *= k; } a * y }"
            at "(2.0, &mut a)" says "a `&mut` reference held in a list or another value can't be followed back by the reverse sweep";
        held "fn f(x: &[f64], c: bool) -> f64 { let v = View { of: x }; v.of[0] }"
            at "x" says "a struct or variant that holds a reference can't be followed back by the reverse sweep";
        held_in_a_list "mod m { struct Fit<'a> { t: &'a [f64] } fn f(t: &[f64]) -> f64 { let all = vec![Fit { t }]; all[0].t[0] } }"
            at "Fit { t }" says "a struct that holds references, as a whole, can't be followed back by the reverse sweep";
        by_another "fn f(x: &[f64], y: &[f64]) -> f64 { let mut l = [x, y]; for r in l.iter_mut() { *r = &r[1..]; } l[0][0] * l[1][0] }"
            at "*r" says "a reference that is assigned by way of another one can't be followed back by the reverse sweep";
        dropped "mod m { struct Guard<'a> { acc: &'a mut f64 } impl Drop for Guard<'_> { fn drop(&mut self) { *self.acc *= 2.0; } } fn f(x: f64) -> f64 { let mut a = x; { let g = Guard { acc: &mut a }; } a * x } }"
            at "&mut a" says "a struct or variant that holds a reference can't be followed back by the reverse sweep";
        printed "mod m { struct Fit<'a> { t: &'a [f64] } fn f(t: &[f64]) -> f64 { let all = Fit { t }; println!(\"{:?}\", all); t[0] } }"
            at "all" says "a tuple or struct that holds references, as a whole, can't be followed back by the reverse sweep";
        lent_to_a_function "fn f(x: &[f64]) -> f64 { let mut t = ((x[0], x[1]), x[2]); g(&mut t.0); t.0.0 * t.1 }"
            at "g" says "a `&mut` reference to a tuple or struct whose parts stand apart can't be followed back by the reverse sweep";
        overlapping "fn f(x: &mut [f64], n: usize) { let (mut a, b) = x.split_at_mut(n); a = &mut std::mem::take(&mut a)[1..]; g(a, b); }"
            at "g" says "a call with two references into one variable, chosen at run time, can't be followed back by the reverse sweep";
        swapped_in_a_list "fn f(x: &mut [f64; 2], y: &mut [f64; 2], i: usize) { let mut l = [x, y]; l.swap(0, i); l[0][0] *= 2.0; }"
            at "swap" says "an element, chosen at run time, of an array of references can't be followed back by the reverse sweep";
        optional "fn f(x: &mut [f64]) { let mut o = (Some(x[0]), 1.0); g(&mut o.0); x[0] = o.0.unwrap(); }"
            at "g" says "a `&mut` to an `Option` or `Result` held in a local can't be followed back by the reverse sweep";
        swapped_reference "fn f(x: &[f64], y: &[f64]) -> f64 { let (mut p, mut q) = (x, y); let mut a = &mut p; let mut b = &mut q; std::mem::swap(&mut a, &mut b); *a = &a[2..]; p[0] * q[0] }"
            at "&mut a" says "a reference to a reference that is assigned again can't be followed back by the reverse sweep";
        chosen_element "fn f(x: &[f64], y: &[f64], k: usize) -> f64 { let mut rows = [x, y]; let r = &mut rows[k]; *r = &x[1..]; rows[0][0] * rows[1][1] }"
            at "*r" says "a reference, one of several chosen at run time, that is assigned again can't be followed back by the reverse sweep";
        used_before "fn f(x: &[f64]) -> f64 { let mut a = [x[0], x[1]]; let mut last = None; for v in a.iter_mut() { if let Some(p) = last { *p += *v; } last = Some(v); } a[0] * a[1] }"
            at "last" says "a reference that is used, in a loop, before the statement that says what it leads to, can't be followed back by the reverse sweep";
        rearranged_list "fn f(x: &[f64], y: &[f64]) -> f64 { let mut rows = [x, y]; rows.fill(y); rows[0][0] * rows[1][1] }"
            at "fill" says "`fill` of an array of references can't be followed back by the reverse sweep";
        swapped_element "fn f(x: &[f64], y: &[f64], k: usize) -> f64 { let mut q = x; let mut rows = [x, y]; std::mem::swap(&mut rows[k], &mut q); rows[0][0] * q[1] }"
            at "rows[k]" says "an element, chosen at run time, of an array of references can't be followed back by the reverse sweep";
    }
    Cursor "walk with one reference, with its type as in `let mut cur: &Option<Box<Node>> = ..`, through fields of type `Option<Box<..>>` or `Vec<..>`; or write the walk as a recursion, a function under `#[adjoint]` that calls itself with a reference to the next part" {
        a_second_reference "fn f(list: &Option<Box<Node>>) -> f64 { let mut last = list; let mut cur = list; while let Some(n) = cur { last = cur; cur = &n.next; } norm(last) }"
            at "cur" says "this walk of a reference through a structure can't be followed back by the reverse sweep";
        an_enum "fn f(list: &List) -> f64 { let mut s = 0.0; let mut cur = list; while let List::Cons(v, next) = cur { s += *v; cur = next; } s }"
            at "cur" says "this walk of a reference through a structure can't be followed back by the reverse sweep";
        a_field_of_unknown_type "fn f(c: &mut Chain, k: f64) { let mut cur = &mut c.head; while let Some(n) = cur { n.value *= k; cur = &mut n.next; } }"
            at "cur" says "this walk of a reference through a structure can't be followed back by the reverse sweep";
        a_node_that_is_left "fn f(tree: &Option<Box<Tree>>, x: f64) -> f64 { let mut s = 0.0; let mut cur = tree; while let Some(n) = cur { cur = if x < n.weight { &n.left } else { &n.right }; s += norm(&n.left); } s }"
            at "n" says "this walk of a reference through a structure can't be followed back by the reverse sweep";
    }
    NotAPlace "assign to a variable, `a[i]`, `s.field` or `*r`" {
        sum "fn f(x: f64) -> f64 { x + 1.0 = 2.0; x }"
            at "x + 1.0" says "this is not a variable, element or field that can be assigned";
        sum_with_an_operator "fn f(x: f64) -> f64 { (x + 1.0) += 2.0; x }"
            at "(x + 1.0)" says "this is not a variable, element or field that can be assigned";
    }
}

#[test]
fn several_are_reported_together() {
    let found = refused(
        "#[adjoint(wrt(x, z), of(ret, n))]
        fn f((a, b): (f64, f64), x: Rc<f64>, n: usize) -> f64 {
            let y = square!(a);
            #[cfg(test)]
            let y = 2.0;
            for v in y.bessel() {}
            unsafe { y }
        }",
    );
    let mut texts: Vec<&str> = found.iter().map(|r| r.at.as_str()).collect();
    texts.sort();
    let expected = [
        "#[cfg(test)]",
        "Rc<f64>",
        "bessel",
        "n",
        "square",
        "unsafe { y }",
        "z",
    ];
    assert_eq!(texts, expected);
}

/// In a module or an `impl`, what has an attribute of its own is refused as what stands alone.
#[test]
fn what_is_annotated_itself_is_refused_like_what_stands_alone() {
    let cases = [
        ("", "fn f(x: *const f64) -> f64 { 1.0 }", "*const f64"),
        ("(wrt(y))", "fn f(x: f64) -> f64 { x }", "y"),
        ("(wrt(y))", "fn f(n: usize) -> usize { n }", "y"),
        ("(of(z))", "fn f(x: f64) -> bool { x > 0.0 }", "z"),
        ("", "fn f(n: usize) -> f64 { n as f64 }", "f"),
        ("", "async fn f(x: f64) -> bool { x > 0.0 }", "async"),
        (
            "",
            "fn f(x: &[f64], n: &[usize]) -> &[usize] { n }",
            "&[usize]",
        ),
        (
            "(wrt(y))",
            "fn f(x: impl Fn(f64) -> f64) -> f64 { x(2.0) }",
            "y",
        ),
    ];
    for (arguments, function, at) in cases {
        let alone = match arguments {
            "" => refused(function),
            arguments => refused(&format!("#[adjoint{arguments}] {function}")),
        };
        let annotated = format!("#[adjoint{arguments}] {function}");
        let surrounded = [
            format!("mod m {{ {annotated} }}"),
            format!("mod m {{ struct S; impl S {{ {annotated} }} }}"),
            format!("mod m {{ struct S; trait T {{}} impl T for S {{ {annotated} }} }}"),
            format!("mod m {{ struct S<'a>(&'a [f64]); impl<'a> S<'a> {{ {annotated} }} }}"),
            format!("impl S {{ {annotated} }}"),
        ];
        assert_eq!(alone.iter().map(|r| &r.at).collect::<Vec<_>>(), [at]);
        for source in surrounded {
            let found = refused(&source);
            let texts = |all: &[Refused]| all.iter().map(|r| r.text.clone()).collect::<Vec<_>>();
            assert_eq!(texts(&found), texts(&alone), "{source}");
            assert_eq!(found[0].at, at, "{source}");
        }
    }
}

/// What has none is refused where a call needs it.
#[test]
fn what_is_not_annotated_itself_says_why_where_it_is_called() {
    let source = "mod m { pub fn f(x: *const f64) -> f64 { 1.0 } \
                  pub fn g(x: f64, p: *const f64) -> usize { 1 } \
                  pub fn h(x: impl Iterator<Item = f64>) -> f64 { x.sum() } }";
    assert!(refused(source).is_empty());
    let expanded = expand_item(TokenStream::new(), source.parse().expect("tokens")).to_string();
    let says = [
        "refused :: < __Caller > (\"the type `*const f64` has no adjoint form. help: use floats",
        "enum g { }",
        "type h = :: adjoint :: __private :: fallback :: WrittenOut < () > ;",
    ];
    for text in says {
        assert!(expanded.contains(text), "{text} in {expanded}");
    }
}

/// Whether a call needs an adjoint of its callee is decided for each caller, unless all of them need it.
#[test]
fn what_only_some_callers_vary_is_refused_for_these() {
    let expanded = |source: &str| {
        let expanded = expand_item(TokenStream::new(), source.parse().expect("tokens"));
        expanded.to_string()
    };
    let by_caller = expanded("fn f(x: f64, a: f64) -> f64 { x * g(0.5 * a) }");
    let says = [
        "needs_no_adjoint :: < C > (\"`g` is called with values that depend on the independents for a caller of `f`",
        "use g as __numbered_0 ;",
        "else { g (quotient) }",
        "# [inline] # [track_caller] fn f_adjoint_with",
    ];
    for text in says {
        assert!(by_caller.contains(text), "{text} in {by_caller}");
    }
    let by_caller = [
        (
            "fn f(x: f64, a: f64) -> f64 { x * g::<f64>(a) }",
            "`g`",
            "inactive(g)",
        ),
        (
            "fn f(x: f64, a: f64) -> f64 { let t = g(a); x * t[0] }",
            "`g`",
            "inactive(g)",
        ),
        (
            "fn f(x: f64, a: f64) -> f64 { x * Table::g(a) }",
            "`g`",
            "inactive(Type::g)",
        ),
        (
            "fn f(x: f64, t: &Table) -> f64 { x * t.g(2.0) }",
            "`g`",
            "inactive(Type::g)",
        ),
    ];
    for (source, called, inactive) in by_caller {
        let expanded = expanded(source);
        let message = format!(
            "(\"{called} is called with values that depend on the independents for a caller of `f`"
        );
        assert!(expanded.contains(&message), "{message} in {expanded}");
        assert!(expanded.contains(inactive), "{inactive} in {expanded}");
    }
    let by_all = [
        "fn f(x: f64, n: usize) -> f64 { g(x * n as f64) }",
        "fn f(x: f64, a: f64) -> f64 { x * g(x + a) }",
        "fn f(x: f64, a: f64) -> f64 { g(x) * g(a) * g(x + a) }",
        "fn f(x: f64, a: f64) -> f64 { Table::g(x) * Table::g(a) * Table::g(x + a) }",
        "fn f(x: f64, a: f64, t: &Table) -> f64 { t.g(x * a * t.k) }",
        "fn f<T: Float>(x: T, a: T) -> T { let t = g(a); x * t[0] }",
        "mod m { fn g(x: f64) -> f64 { x } fn f(x: f64, a: f64) -> f64 { x * g(a) } }",
    ];
    for source in by_all {
        let always = expanded(source);
        assert!(!always.contains("needs_no_adjoint"), "{always}");
        assert!(!always.contains("# [inline] fn f_adjoint"), "{always}");
    }
}

/// What gives no floats is taken as it is, whatever it does.
#[test]
fn what_gives_no_floats_is_taken() {
    let accepted = [
        "fn f(x: f64) -> bool { x > 0.0 }",
        "fn f(x: &[f64], v: f64) -> Option<usize> { x.binary_search_by(|a| a.total_cmp(&v)).ok() }",
        "fn f(x: f64) { unsafe { print(x) } }",
        "fn f<T: Float>(x: &[T], hint: &mut usize) -> Result<usize, String> { search!(x, hint) }",
        "#[adjoint(wrt(x))] fn f(x: f64, table: &Rc<Table>) -> &'static str { table.name(x) }",
    ];
    for source in accepted {
        let found = refused(source);
        assert!(found.is_empty(), "{source}: {found:#?}");
        let expanded = expand_item(TokenStream::new(), source.parse().expect("tokens"));
        assert!(!expanded.to_string().contains("f_adjoint"), "{source}");
    }
}

/// Types that are left out, or that the user can make differentiable, are not refused.
#[test]
fn what_takes_no_part_may_have_any_type() {
    let accepted = [
        "#[adjoint(wrt(x))] fn f(x: f64, g: impl Fn(usize) -> f64) -> f64 { x * g(3) }",
        "#[adjoint(wrt(x))] fn f(x: f64, table: &Rc<Table>, name: &str) -> f64 { x }",
        "#[adjoint(wrt(x), of(ret))] fn f(x: f64, log: &mut dyn FnMut(usize)) -> f64 { x }",
        "fn f(p: &Params, q: model::State<f64>, names: &[&str]) -> Params { step(p, q) }",
        "fn f(x: &[f64], x_adj: usize, ret_adj: usize, out: &mut [f64]) { out[0] = x[0]; }",
    ];
    for source in &accepted[..4] {
        let found = refused(source);
        assert!(found.is_empty(), "{source}: {found:#?}");
    }
    let taken = refused(accepted[4]);
    assert_eq!(
        taken.iter().map(|r| &r.at).collect::<Vec<_>>(),
        ["x_adj"],
        "nothing is returned"
    );
}

#[test]
fn a_method_that_nobody_asked_for_says_why_where_it_is_compiled() {
    let method = |body: &str| {
        let source = format!(
            "mod m {{ trait Force {{ fn pull(&self, s: &State) -> f64; }} struct Point; \
             impl Force for Point {{ fn pull(&self, s: &State) -> f64 {{ {body} }} }} }}"
        );
        assert!(refused(&source).is_empty(), "no error by itself");
        let expanded = expand_item(TokenStream::new(), source.parse().expect("tokens"));
        expanded.to_string()
    };
    let without = method("s.r.map(|c| -c)[0]");
    assert!(without.contains("refused :: < __Caller > (\"what `map` does depends on"));
    assert!(!method("s.r[0] * s.r[1]").contains("refused ::"));
}

#[test]
fn each_reason_has_its_cases_in_the_order_of_the_list() {
    let reasons: Vec<&str> = Reason::TABLE.iter().map(|(name, ..)| *name).collect();
    assert_eq!(TESTED, reasons);
}
