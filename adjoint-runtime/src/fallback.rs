//! What a call of a function without `#[adjoint]` runs into, for the sake of the message.

use crate::__private::{All, Annotated, Callee, InSight, Moving};

/// Stands for the handle that a function without `#[adjoint]` does not have. Its methods are never
/// to be had: rustc says so in the words of [`Annotated`], and asks nothing about arguments and
/// result, so that this stays the only error.
#[derive(Debug)]
pub struct Unannotated<T>(T);

/// The same for a function that is named like one of `std::mem`, in the words of [`Moving`].
#[derive(Debug)]
pub struct Unseen<T>(T);

/// The same for a function that is written out where it is called, in the words of [`InSight`].
#[derive(Debug)]
pub struct WrittenOut<T>(T);

macro_rules! never {
    ($of:ident: $means:ident) => {
        impl<T> Callee for $of<T> {
            type Reads = All;
            type Depends = All;
            type Result = ();
        }

        #[allow(missing_docs)]
        impl<T> $of<T>
        where
            $of<T>: $means,
        {
            pub fn forward() {}
            pub fn reverse() {}
            pub fn result_zero() {}
            pub fn result_save() {}
            pub fn result_load() {}
        }
    };
}

never!(Unannotated: Annotated);
never!(Unseen: Moving);
never!(WrittenOut: InSight);

macro_rules! names {
    ($of:ident: $($name:ident)*) => {
        $(
            #[allow(non_camel_case_types)]
            #[allow(missing_docs)]
            pub type $name = $of<()>;
        )*
    };
}

/// The name of a callee in a block. A glob brings nothing else there, which might be a name of the user's.
pub mod called {
    use super::Unannotated;
    // Where a callee is named, what its handle knows of its result is at hand.
    pub use crate::callee::Returns;

    names! { Unannotated: __callee }
}

/// Stands for the handle of a function that needs an adjoint for some callers only: the sweeps give it methods that
/// are refused for these.
#[derive(Debug)]
pub struct Sometimes<const N: usize>;

impl<const N: usize> Callee for Sometimes<N> {
    type Reads = All;
    type Depends = All;
    type Result = ();
}

/// The names of such callees.
pub mod sometimes {
    use super::Sometimes;

    macro_rules! numbered {
        ($($name:ident $n:literal)*) => {
            $(
                #[allow(non_camel_case_types)]
                #[allow(missing_docs)]
                pub type $name = Sometimes<$n>;
            )*
        };
    }

    numbered! {
        __sometimes_0 0 __sometimes_1 1 __sometimes_2 2 __sometimes_3 3
        __sometimes_4 4 __sometimes_5 5 __sometimes_6 6 __sometimes_7 7
        __sometimes_8 8 __sometimes_9 9 __sometimes_10 10 __sometimes_11 11
        __sometimes_12 12 __sometimes_13 13 __sometimes_14 14 __sometimes_15 15
        __sometimes_16 16 __sometimes_17 17 __sometimes_18 18 __sometimes_19 19
        __sometimes_20 20 __sometimes_21 21 __sometimes_22 22 __sometimes_23 23
        __sometimes_24 24 __sometimes_25 25 __sometimes_26 26 __sometimes_27 27
        __sometimes_28 28 __sometimes_29 29 __sometimes_30 30 __sometimes_31 31
    }
}

/// The names of callees that a whole sweep asks; those in a block are not seen from here.
pub mod linked {
    use super::Unannotated;

    names! {
        Unannotated:
        __linked_0 __linked_1 __linked_2 __linked_3 __linked_4 __linked_5 __linked_6 __linked_7
        __linked_8 __linked_9 __linked_10 __linked_11 __linked_12 __linked_13 __linked_14 __linked_15
        __linked_16 __linked_17 __linked_18 __linked_19 __linked_20 __linked_21 __linked_22 __linked_23
        __linked_24 __linked_25 __linked_26 __linked_27 __linked_28 __linked_29 __linked_30 __linked_31
    }
}

/// The name of a callee that is named like a function of `std::mem`.
pub mod mem {
    use super::Unseen;
    pub use crate::callee::Returns;

    names! { Unseen: __callee }
}
