//! Calls of a kernel and of its adjoint, made of a call as a person writes it.

/// Checks the adjoint of one kernel at one point and gives the Jacobian; see the module.
macro_rules! check {
    // One argument at a time: where it lives, how the primal takes it, how the adjoint takes it.
    (@args $to:tt [$($slot:tt)*] [$($call:tt)*] [$($adj:tt)*]
        const $value:expr $(, $($rest:tt)*)?) => {
        check!(@args $to [$($slot)*] [$($call)* $value,] [$($adj)* $value,] $($($rest)*)?)
    };
    (@args $to:tt [$($slot:tt)*] [$($call:tt)*] [$($adj:tt)*]
        &mut $value:expr $(, $($rest:tt)*)?) => {
        check!(@args $to
            [$($slot)* (slot, InOut, $value)]
            [$($call)* &mut slot.value,]
            [$($adj)* &mut slot.value, &mut slot.adjoint,]
            $($($rest)*)?)
    };
    (@args $to:tt [$($slot:tt)*] [$($call:tt)*] [$($adj:tt)*]
        & $value:expr $(, $($rest:tt)*)?) => {
        check!(@args $to
            [$($slot)* (slot, Read, $value)]
            [$($call)* &slot.value,]
            [$($adj)* &slot.value, &mut slot.adjoint,]
            $($($rest)*)?)
    };
    (@args $to:tt [$($slot:tt)*] [$($call:tt)*] [$($adj:tt)*]
        $value:expr $(, $($rest:tt)*)?) => {
        check!(@args $to
            [$($slot)* (slot, Read, $value)]
            [$($call)* slot.by_value(),]
            [$($adj)* slot.by_value(), &mut slot.adjoint,]
            $($($rest)*)?)
    };
    // How the adjoint takes the seed of the return value.
    (@args [$f:tt $adjoint:tt $with:tt ()] $slot:tt $call:tt $adj:tt) => {
        check!(@emit $f $adjoint $with $slot $call $adj returned [])
    };
    (@args [$f:tt $adjoint:tt $with:tt (-> & $ret:ty)] $slot:tt $call:tt $adj:tt) => {
        check!(@emit $f $adjoint $with $slot $call $adj returned [&returned,])
    };
    (@args [$f:tt $adjoint:tt $with:tt (-> $ret:ty)] $slot:tt $call:tt $adj:tt) => {
        check!(@emit $f $adjoint $with $slot $call $adj returned
            [$crate::common::Flat::clone_as::<$ret>(&returned),])
    };
    (@emit ($($f:tt)*) ($($adjoint:tt)*) ($($with:tt)*)
        [$(($slot:ident, $role:ident, $value:expr))*]
        [$($call:tt)*] [$($adj:tt)*] $returned:ident [$($seed:tt)*]) => {{
        use $crate::common::{Case, Flat, Role, Slot};
        let mut case = Case::new(stringify!($($f)*));
        $(let $slot = Clone::clone(&$value); case.input(&$slot, Role::$role);)*
        #[allow(unused_mut, reason = "only in-out arguments are changed")]
        let primal = |inputs: &[f64]| {
            let mut inputs = inputs.iter().copied();
            $(let mut $slot = Slot::new(&$slot, Role::$role, &mut inputs);)*
            let $returned = $($f)*($($call)*);
            let mut outputs = $returned.listed();
            $($slot.outputs(&mut outputs);)*
            outputs
        };
        let adjoint = |tape: Option<&mut adjoint::Tape>, inputs: &[f64], seed: &[f64], start: &[f64]| {
            let mut inputs = inputs.iter().copied();
            $(let mut $slot = Slot::new(&$slot, Role::$role, &mut inputs);)*
            let $returned = $($f)*($($call)*);
            let (mut seed, mut start) = (seed.iter().copied(), start.iter().copied());
            #[allow(unused_variables, clippy::let_unit_value, reason = "some kernels return nothing")]
            let $returned = $returned.read(&mut seed);
            $($slot.seed(&mut seed, &mut start);)*
            #[allow(clippy::let_unit_value, reason = "some kernels return nothing")]
            let $returned = match tape {
                None => $($adjoint)*($($adj)* $($seed)*),
                Some(tape) => $($with)*(tape, $($adj)* $($seed)*),
            };
            let (mut outputs, mut adjoints) = ($returned.listed(), Vec::new());
            $($slot.outputs(&mut outputs); $slot.adjoint.write(&mut adjoints);)*
            (outputs, adjoints)
        };
        #[allow(unused_mut, reason = "only in-out arguments are changed")]
        let fails = |inputs: &[f64]| {
            let mut inputs = inputs.iter().copied();
            $(let mut $slot = Slot::new(&$slot, Role::$role, &mut inputs);)*
            $($f)*($($call)*).failed()
        };
        case.check(&primal, &fails, &adjoint)
    }};
    ($f:ident($($args:tt)*) $($ret:tt)*) => {
        pastey::paste! {
            check!(@args [($f) ([<$f _adjoint>]) ([<$f _adjoint_with>]) ($($ret)*)] [] [] [] $($args)*)
        }
    };
    ($module:ident::$f:ident($($args:tt)*) $($ret:tt)*) => {
        pastey::paste! {
            check!(@args
                [($module::$f) ($module::[<$f _adjoint>]) ($module::[<$f _adjoint_with>]) ($($ret)*)]
                [] [] [] $($args)*)
        }
    };
}
pub(crate) use check;
