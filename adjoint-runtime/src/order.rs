//! The order in which a sort puts the elements of a slice.
//!
//! Of elements that are equal to the comparison, or of which it makes no total order, the algorithm tells the order, and
//! std takes one or another by the size of the elements and by whether they are `Copy`. So what is sorted here are
//! indices in elements of the same kind. The sizes at which std takes another are 8 bytes (`Copy`), 16 and 85, in
//! `core::slice::sort::shared::smallsort`, and 96, in `core::slice::sort::unstable::quicksort`.

use std::cmp::Ordering;
use std::marker::PhantomData;

/// What stands for an element: its index.
pub trait Element: Sized {
    /// That of this index.
    fn of(index: usize) -> Self;
    /// The index.
    fn index(&self) -> usize;
}

impl Element for usize {
    fn of(index: usize) -> Self {
        index
    }

    fn index(&self) -> usize {
        *self
    }
}

/// An index in so many words, which is not `Copy`.
struct Words<const N: usize>([u64; N]);

impl<const N: usize> Element for Words<N> {
    fn of(index: usize) -> Self {
        Words([index as u64; N])
    }

    fn index(&self) -> usize {
        self.0[0] as usize
    }
}

/// A way to sort.
pub trait Arrange {
    /// Whether elements that are equal to the comparison stay in order.
    const STABLE: bool;

    /// Sorts the elements.
    fn arrange<E: Element>(self, elements: &mut [E], compare: impl FnMut(&E, &E) -> Ordering);
}

/// `sort_by`
pub struct Stable;

/// `sort_unstable_by`
pub struct Unstable;

/// `select_nth_unstable_by` of this index.
pub struct Nth(pub usize);

impl Arrange for Stable {
    const STABLE: bool = true;

    fn arrange<E: Element>(self, elements: &mut [E], compare: impl FnMut(&E, &E) -> Ordering) {
        elements.sort_by(compare);
    }
}

impl Arrange for Unstable {
    const STABLE: bool = false;

    fn arrange<E: Element>(self, elements: &mut [E], compare: impl FnMut(&E, &E) -> Ordering) {
        elements.sort_unstable_by(compare);
    }
}

impl Arrange for Nth {
    const STABLE: bool = false;

    fn arrange<E: Element>(self, elements: &mut [E], compare: impl FnMut(&E, &E) -> Ordering) {
        elements.select_nth_unstable_by(self.0, compare);
    }
}

/// Elements, of which a method tells whether they are `Copy`: `Elements::of(&values).are_copied()`, with [`NotCopied`] in
/// scope.
pub struct Elements<T>(PhantomData<T>);

impl<T> Elements<T> {
    /// Those of the slice.
    pub fn of(_: &[T]) -> Self {
        Elements(PhantomData)
    }
}

impl<T: Copy> Elements<T> {
    /// They are.
    pub fn are_copied(&self) -> bool {
        true
    }
}

/// What is not `Copy`.
pub trait NotCopied {
    /// They are not.
    fn are_copied(&self) -> bool;
}

impl<T> NotCopied for Elements<T> {
    fn are_copied(&self) -> bool {
        false
    }
}

/// The indices of the elements in the order of the sort, where `copied` says whether the elements are `Copy`.
pub fn by<T>(
    values: &[T],
    how: impl Arrange,
    copied: bool,
    compare: impl FnMut(&T, &T) -> Ordering,
) -> Vec<usize> {
    match size_of::<T>() {
        0..=8 if copied => arranged::<T, usize, _>(values, how, compare),
        0..=16 => arranged::<T, Words<1>, _>(values, how, compare),
        17..=85 => arranged::<T, Words<3>, _>(values, how, compare),
        _ if is_stable(&how) => arranged::<T, Words<3>, _>(values, how, compare),
        86..=96 => arranged::<T, Words<12>, _>(values, how, compare),
        _ => arranged::<T, Words<13>, _>(values, how, compare),
    }
}

fn is_stable<A: Arrange>(_: &A) -> bool {
    A::STABLE
}

fn arranged<T, E: Element, A: Arrange>(
    values: &[T],
    how: A,
    mut compare: impl FnMut(&T, &T) -> Ordering,
) -> Vec<usize> {
    let mut order: Vec<E> = (0..values.len()).map(E::of).collect();
    how.arrange(&mut order, |a, b| {
        compare(&values[a.index()], &values[b.index()])
    });
    order.iter().map(E::index).collect()
}

/// The same by keys.
pub fn by_key<T, K: Ord>(
    values: &[T],
    how: impl Arrange,
    copied: bool,
    mut key: impl FnMut(&T) -> K,
) -> Vec<usize> {
    by(values, how, copied, |a, b| key(a).cmp(&key(b)))
}

/// The same by keys that are made once, as std does for more than one element.
pub fn by_cached_key<T, K: Ord>(
    values: &[T],
    how: impl Arrange,
    copied: bool,
    key: impl FnMut(&T) -> K,
) -> Vec<usize> {
    match values.len() {
        n @ (0 | 1) => (0..n).collect(),
        _ => own(&values.iter().map(key).collect::<Vec<K>>(), how, copied),
    }
}

/// The same by the elements' own order.
pub fn own<T: Ord>(values: &[T], how: impl Arrange, copied: bool) -> Vec<usize> {
    by(values, how, copied, T::cmp)
}
