//! Numbers that constants hold, by value or by reference.

/// What holds a number of type `T`.
pub trait Holds<T> {
    /// The number.
    fn number(&self) -> T;
}

macro_rules! holds {
    ($($of:ty),*) => {$(
        impl<T: Clone> Holds<T> for $of {
            #[inline]
            fn number(&self) -> T {
                T::clone(self)
            }
        }
    )*};
}

holds!(T, &T, &mut T, &&T);

/// The number that the value is or refers to.
#[inline]
pub fn number<T, H: Holds<T>>(held: &H) -> T {
    held.number()
}
