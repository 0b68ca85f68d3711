//! What a call of a function without `#[adjoint]` runs into, for the sake of the message.

use crate::__private::{All, Annotated, Callee, InSight, Moving};

// Where a callee is named, what its handle knows of its result is at hand.
pub use crate::callee::Returns;

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

names! { Unannotated: __callee }

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
