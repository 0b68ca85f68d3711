//! What a `VecDeque` does, by a `Vec`.

/// The methods of `std::collections::VecDeque` that lists don't have.
pub trait Deque<T> {
    /// Adds an element at the end.
    fn push_back(&mut self, value: T);
    /// Adds an element in front.
    fn push_front(&mut self, value: T);
    /// Takes the last element.
    fn pop_back(&mut self) -> Option<T>;
    /// Takes the first one.
    fn pop_front(&mut self) -> Option<T>;
    /// The last element.
    fn back(&self) -> Option<&T>;
    /// The first one.
    fn front(&self) -> Option<&T>;
    /// The last element, to be changed.
    fn back_mut(&mut self) -> Option<&mut T>;
    /// The first one, to be changed.
    fn front_mut(&mut self) -> Option<&mut T>;
}

impl<T> Deque<T> for Vec<T> {
    fn push_back(&mut self, value: T) {
        self.push(value);
    }

    fn push_front(&mut self, value: T) {
        self.insert(0, value);
    }

    fn pop_back(&mut self) -> Option<T> {
        self.pop()
    }

    fn pop_front(&mut self) -> Option<T> {
        (!self.is_empty()).then(|| self.remove(0))
    }

    fn back(&self) -> Option<&T> {
        self.last()
    }

    fn front(&self) -> Option<&T> {
        self.first()
    }

    fn back_mut(&mut self) -> Option<&mut T> {
        self.last_mut()
    }

    fn front_mut(&mut self) -> Option<&mut T> {
        self.first_mut()
    }
}
