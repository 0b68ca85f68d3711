//! `Option` and `Result` alike, for generated code that can't tell which of the two a callee returned.

/// A type of which `unwrap` may be called.
pub trait Outcome {
    /// What `unwrap` gives.
    type Payload;

    /// Whether `unwrap` gives anything.
    fn is_success(&self) -> bool;

    /// What `unwrap` would give.
    ///
    /// # Panics
    ///
    /// If there is nothing.
    fn payload(&self) -> &Self::Payload;

    /// The same, to be changed.
    ///
    /// # Panics
    ///
    /// If there is nothing.
    fn payload_mut(&mut self) -> &mut Self::Payload;
}

const ABSENT: &str = "an adjoint has lost the shape of its value (a bug in `adjoint`)";

impl<T> Outcome for Option<T> {
    type Payload = T;

    #[inline]
    fn is_success(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn payload(&self) -> &T {
        self.as_ref().expect(ABSENT)
    }

    #[inline]
    fn payload_mut(&mut self) -> &mut T {
        self.as_mut().expect(ABSENT)
    }
}

impl<T, E> Outcome for Result<T, E> {
    type Payload = T;

    #[inline]
    fn is_success(&self) -> bool {
        self.is_ok()
    }

    #[inline]
    fn payload(&self) -> &T {
        self.as_ref().ok().expect(ABSENT)
    }

    #[inline]
    fn payload_mut(&mut self) -> &mut T {
        self.as_mut().ok().expect(ABSENT)
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn options_and_results_give_what_unwrap_gives() {
        let mut some = Some(2.0);
        *some.payload_mut() += 1.0;
        assert!(some.is_success() && !None::<f64>.is_success());
        assert_eq!(*some.payload(), 3.0);
        let mut ok: Result<f64, u8> = Ok(2.0);
        *ok.payload_mut() *= 4.0;
        assert!(ok.is_success() && !Err::<f64, u8>(3).is_success());
        assert_eq!(*ok.payload(), 8.0);
    }

    #[test]
    #[should_panic = "lost the shape"]
    fn nothing_has_no_payload() {
        None::<f64>.payload();
    }
}
