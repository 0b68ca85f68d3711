//! The limitations page says what the refusals say.

use std::fmt::Write;

use adjoint_analysis::refuse::Reason;
use expect_test::expect_file;

const HEAD: &str = "\
# Limitations

What `#[adjoint]` does not take, it refuses when the code is compiled, at the token, with a way out.
Nothing is differentiated wrongly instead.

## Not there yet

- Linked structures (`Option<Box<Node>>`) that are walked by a reference that moves on
  (`cur = &mut n.next`): walk them by recursion. Building a list in a loop, or taking nodes off in one,
  copies what is linked at each step of the adjoint.
- References whose places can't be listed where the function stands: those held in structs, those to one of
  more than 12 places, those of which two lie in one array, are chosen at run time and lent to one call.
- Iterators: `unzip` and `zip` of two that leave items out, `partition`, `collect` into anything but a
  `Vec`; `next` and `peek` are the only methods that may advance an iterator which has a name.
- Operators of types of the user's (`impl Add for Vec3`): write methods under `#[adjoint] impl`. A method
  whose `self` is by value and not `Copy` is called on a value of its own.
- Calls of functions held in variables or passed as parameters (`f: impl Fn(f64) -> f64`).
- Generic functions that call generic functions whose result depends on a const parameter: annotate the
  variable that takes it.
- `#[checkpoint]`, `#[adjoint(jacobian)]`, inversion of indices, fusion and preaccumulation; `without(..)`
  already takes their names.
- Of a function that is annotated by itself, its callers know which arguments its adjoint reads, but not
  which outputs depend on which inputs: write `#[adjoint] mod` around functions that shall see each other.

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
