//! What a value lends one after the other, where only rustc sees what the value is.

use std::borrow::{Cow, ToOwned};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

/// A sequence or an `Option`: what `iter()` lends, by positions.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` has no items at positions",
    label = "taken for a sequence or an `Option`, because its type is not visible here",
    note = "help: run over a slice, an array, a `Vec` or an `Option`"
)]
pub trait Items {
    /// What is lent.
    type Item;
    /// How many items there are.
    fn count(&self) -> usize;
    /// The item at a position.
    fn lent(&self, at: usize) -> &Self::Item;
}

/// The same, to be changed.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` has no items at positions that can be changed",
    label = "taken for a sequence or an `Option`, because its type is not visible here",
    note = "help: run over a slice, an array, a `Vec` or an `Option`"
)]
pub trait ItemsMut: Items {
    /// The item at a position.
    fn lent_mut(&mut self, at: usize) -> &mut Self::Item;
}

macro_rules! sequences {
    ($([$($params:tt)*] $ty:ty;)*) => {$(
        impl<$($params)*> Items for $ty {
            type Item = T;
            #[inline]
            fn count(&self) -> usize {
                self.len()
            }
            #[inline]
            #[track_caller]
            fn lent(&self, at: usize) -> &T {
                &self[at]
            }
        }
        impl<$($params)*> ItemsMut for $ty {
            #[inline]
            #[track_caller]
            fn lent_mut(&mut self, at: usize) -> &mut T {
                &mut self[at]
            }
        }
    )*};
}

sequences! {
    [T] Vec<T>;
    [T] [T];
    [T, const N: usize] [T; N];
    [T] VecDeque<T>;
}

impl<T> Items for Option<T> {
    type Item = T;
    #[inline]
    fn count(&self) -> usize {
        usize::from(self.is_some())
    }
    #[inline]
    #[track_caller]
    fn lent(&self, at: usize) -> &T {
        lent_one(self.as_ref(), at)
    }
}

impl<T> ItemsMut for Option<T> {
    #[inline]
    #[track_caller]
    fn lent_mut(&mut self, at: usize) -> &mut T {
        lent_one(self.as_mut(), at)
    }
}

impl<T, E> Items for Result<T, E> {
    type Item = T;
    #[inline]
    fn count(&self) -> usize {
        usize::from(self.is_ok())
    }
    #[inline]
    #[track_caller]
    fn lent(&self, at: usize) -> &T {
        lent_one(self.as_ref().ok(), at)
    }
}

impl<T, E> ItemsMut for Result<T, E> {
    #[inline]
    #[track_caller]
    fn lent_mut(&mut self, at: usize) -> &mut T {
        lent_one(self.as_mut().ok(), at)
    }
}

/// The only item.
#[inline]
#[track_caller]
fn lent_one<T>(item: Option<T>, at: usize) -> T {
    assert_eq!(at, 0, "there is one item at most");
    item.expect("there is an item")
}

macro_rules! pointers {
    ($([$($params:tt)*] $ty:ty $(where T: $bound:path)?;)*) => {$(
        impl<$($params)* T: Items $(+ $bound)? + ?Sized> Items for $ty {
            type Item = T::Item;
            #[inline]
            fn count(&self) -> usize {
                (**self).count()
            }
            #[inline]
            #[track_caller]
            fn lent(&self, at: usize) -> &T::Item {
                (**self).lent(at)
            }
        }
    )*};
    (mut $([$($params:tt)*] $ty:ty;)*) => {
        pointers! { $([$($params)*] $ty;)* }
        $(
            impl<$($params)* T: ItemsMut + ?Sized> ItemsMut for $ty {
                #[inline]
                #[track_caller]
                fn lent_mut(&mut self, at: usize) -> &mut T::Item {
                    (**self).lent_mut(at)
                }
            }
        )*
    };
}

pointers! {
    ['a,] &'a T;
    [] Rc<T>;
    [] Arc<T>;
    ['a,] Cow<'a, T> where T: ToOwned;
}

pointers! { mut
    ['a,] &'a mut T;
    [] Box<T>;
}
