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

/// Stands for the handle of a callee that has a number: generated code gives it sweeps, which are refused where an adjoint
/// is needed.
#[derive(Debug)]
pub struct Numbered<const N: usize>;

impl<const N: usize> Callee for Numbered<N> {
    type Reads = All;
    type Depends = All;
    type Result = ();
}

/// The names of such callees.
pub mod numbered {
    use super::Numbered;
    pub use super::Numbered as __Numbered;
    pub use crate::callee::Returns;

    macro_rules! numbered {
        ($($name:ident $n:literal)*) => {
            $(
                #[allow(non_camel_case_types)]
                #[allow(missing_docs)]
                pub type $name = Numbered<$n>;
            )*
        };
    }

    numbered! {
        __numbered_0 0 __numbered_1 1 __numbered_2 2 __numbered_3 3
        __numbered_4 4 __numbered_5 5 __numbered_6 6 __numbered_7 7
        __numbered_8 8 __numbered_9 9 __numbered_10 10 __numbered_11 11
        __numbered_12 12 __numbered_13 13 __numbered_14 14 __numbered_15 15
        __numbered_16 16 __numbered_17 17 __numbered_18 18 __numbered_19 19
        __numbered_20 20 __numbered_21 21 __numbered_22 22 __numbered_23 23
        __numbered_24 24 __numbered_25 25 __numbered_26 26 __numbered_27 27
        __numbered_28 28 __numbered_29 29 __numbered_30 30 __numbered_31 31
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
