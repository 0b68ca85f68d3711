//! The documentation of the public functions.

use proc_macro2::Ident;

use super::repeats::is_copied;
use crate::emit::interface::{
    Interface, Param, SweepLocation, adjoint_function_name, adjoint_name,
};
use crate::ir::{Mode, Ty};

/// The documentation of `f_adjoint`: the parameters, the seed, the panics, and the report.
pub fn adjoint(interface: &Interface<'_>) -> String {
    let adjoints = || interface.params.iter().filter(|p| p.adjoint);
    let (in_out, read): (Vec<&Param>, Vec<&Param>) = adjoints().partition(|p| p.mode == Mode::Mut);
    let function = code(&interface.item.sig.ident);
    let mut text = vec![interface.summary.clone()];
    if !read.is_empty() {
        text.push(format!(
            "The derivatives are added to {}; start from zeros for a gradient.",
            join_names(&adjoint_names(&read))
        ));
    }
    text.extend(in_out.iter().map(|param| {
        let (y, y_adj) = (code(&param.name), code(&adjoint_name(&param.name)));
        format!(
            "{y_adj} holds on entry the adjoint of the value that {function} leaves in {y}; on return, the adjoint of the value that {y} had on entry."
        )
    }));
    if interface.public_seed().is_some() {
        let seed = match interface.ret {
            Ty::Float(_) => "`ret_adj` is the adjoint of the returned value, 1 for its gradient.",
            _ => "`ret_adj` is the adjoint of the returned value: the weights of its floats.",
        };
        text.push(seed.into());
    }
    if interface.can_fail() {
        text.push(format!(
            "Where {function} returns `Err` or `None`, the adjoints stay as they are, whatever the seed is."
        ));
    }
    text.push(format!(
        "# Panics\n\nWhere {function} does{}.",
        shape_panics(interface)
    ));
    if !interface.report.is_empty() {
        text.push(interface.report.clone());
    }
    text.join("\n\n")
}

/// The documentation of `f_value_and_gradient`.
pub fn gradient(interface: &Interface<'_>) -> String {
    let params = interface.gradient_params();
    let names: Vec<String> = params.iter().map(|p| code(&p.name)).collect();
    let order = match names.len() {
        1 => "",
        _ => ", in this order",
    };
    format!(
        "The value of {}, and its gradient with respect to {}{order}.\n\nSee {}.",
        code(&interface.item.sig.ident),
        join_names(&names),
        link(interface, &adjoint_function_name(&interface.item.sig)),
    )
}

/// The documentation of a function with an explicit tape.
pub fn on_tape(interface: &Interface<'_>, function: &Ident) -> String {
    format!(
        "{} on a tape that the caller keeps, so that repeated sweeps allocate once.",
        link(interface, function)
    )
}

/// The documentation of `f_adjoint_try`.
pub fn attempt(interface: &Interface<'_>) -> String {
    format!(
        "{} on a tape that the caller keeps, where a lack of memory is an error.\n\n# Errors\n\nIf the sweeps need more than the tape's limit, or a snapshot's file can't be written or read: then all arguments are as they were (but not generators of random numbers and other values without a copy). With `panic = \"abort\"`, the process ends instead.",
        link(interface, &adjoint_function_name(&interface.item.sig))
    )
}

/// The documentation of `f_jacobian`.
pub fn jacobian(interface: &Interface<'_>) -> String {
    let function = code(&interface.item.sig.ident);
    let fails = match interface.can_fail() {
        true => format!(" Where {function} returns `Err` or `None`, `jac` stays as it is."),
        false => String::new(),
    };
    format!(
        "The Jacobian of {function}, dense, in rows, written over `jac`; returns what {function} returns.\n\nA row is the gradient of one output: the floats of the returned value come first, then those of each `&mut` parameter that is a dependent, in order. The columns are the floats of the independents, in order. One forward sweep serves all rows; straight-line code needs none.{fails}\n\n# Panics\n\nWhere {function} does, and if `jac` has another length than rows times columns.\n\nSee {}.",
        link(interface, &adjoint_function_name(&interface.item.sig))
    )
}

/// The documentation of `f_pullback`.
pub fn pullback(interface: &Interface<'_>) -> String {
    let function = code(&interface.item.sig.ident);
    let adjoint = link(interface, &adjoint_function_name(&interface.item.sig));
    let copied = interface.params.iter().filter(|param| is_copied(param));
    let copied: Vec<String> = copied.map(|param| code(&param.name)).collect();
    let copies = match &copied[..] {
        [] => String::new(),
        [one] => format!(" {one} has its exit value when this returns; the closure reads a copy."),
        _ => format!(
            " {} have their exit values when this returns; the closure reads copies.",
            join_names(&copied)
        ),
    };
    let panics = match &shape_panics(interface)[..] {
        "" => String::new(),
        shapes => format!(" The closure panics{}.", shapes.trim_start_matches(", and")),
    };
    format!(
        "What {function} returns, and its pullback: a closure that takes the adjoints and the seed of {adjoint}, in their order, and does to them what {adjoint} does.\n\nOne forward sweep serves all calls of the closure; each runs a reverse sweep.{copies}\n\n# Panics\n\nWhere {function} does.{panics}"
    )
}

/// The panics in addition to the function's own.
fn shape_panics(interface: &Interface<'_>) -> String {
    let has_shape = |p: &&Param| p.adjoint && !p.ty.has_static_shape();
    let shaped: Vec<&Param> = interface.params.iter().filter(has_shape).collect();
    let mut names = adjoint_names(&shaped);
    let seed = interface
        .seed
        .as_ref()
        .filter(|_| interface.ret_is_dependent);
    if seed.is_some_and(|ty| !ty.has_static_shape()) {
        names.push("`ret_adj`".into());
    }
    match names.len() {
        0 => String::new(),
        1 => format!(
            ", and where {} has another length or shape than its value",
            names[0]
        ),
        _ => format!(
            ", and where one of {} has another length or shape than its value",
            join_names(&names)
        ),
    }
}

fn adjoint_names(params: &[&Param]) -> Vec<String> {
    params
        .iter()
        .map(|p| code(&adjoint_name(&p.name)))
        .collect()
}

fn link(interface: &Interface<'_>, function: &Ident) -> String {
    match interface.location {
        SweepLocation::Impl => format!("[`{function}`](Self::{function})"),
        SweepLocation::Handle(_) | SweepLocation::Operator(_) => {
            format!("[`{function}`](fn@{function})")
        }
    }
}

fn code(name: &Ident) -> String {
    format!("`{name}`")
}

/// `a, b and c`
pub fn join_names(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
