//! The order in which a sort puts the elements of a slice.

use std::cmp::Ordering;

/// The indices of the elements in the order of a stable sort.
pub fn by<T>(values: &[T], mut compare: impl FnMut(&T, &T) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| compare(&values[i], &values[j]));
    order
}

/// The same by keys.
pub fn by_key<T, K: Ord>(values: &[T], mut key: impl FnMut(&T) -> K) -> Vec<usize> {
    by(values, |a, b| key(a).cmp(&key(b)))
}

/// The same by keys that are made once, as std does for more than one element.
pub fn by_cached_key<T, K: Ord>(values: &[T], key: impl FnMut(&T) -> K) -> Vec<usize> {
    match values.len() {
        n @ (0 | 1) => (0..n).collect(),
        _ => own(&values.iter().map(key).collect::<Vec<K>>()),
    }
}

/// The same by the elements' own order.
pub fn own<T: Ord>(values: &[T]) -> Vec<usize> {
    by(values, T::cmp)
}
