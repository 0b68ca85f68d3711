//! Values as flat sequences of scalars.

/// A value whose float scalars can be listed and replaced, in order.
pub trait Flat: Clone {
    /// Whether there is an `f32` in it: differences are then taken with its precision.
    const SINGLE: bool;

    /// Appends the scalars.
    fn write(&self, to: &mut Vec<f64>);

    /// A value of the same shape with the next scalars of `from`.
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self;

    /// The scalars.
    fn listed(&self) -> Vec<f64> {
        let mut all = Vec::new();
        self.write(&mut all);
        all
    }

    /// Whether it is what a function returns that fails.
    fn failed(&self) -> bool {
        false
    }

    /// A clone, with the type spelled out by the test.
    fn clone_as<T>(&self) -> T
    where
        Self: Into<T>,
    {
        self.clone().into()
    }
}

fn next(from: &mut dyn Iterator<Item = f64>) -> f64 {
    from.next().expect("as many scalars as the shape has")
}

impl Flat for f64 {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.push(*self);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        next(from)
    }
}

impl Flat for f32 {
    const SINGLE: bool = true;
    fn write(&self, to: &mut Vec<f64>) {
        to.push(f64::from(*self));
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        next(from) as f32
    }
}

macro_rules! without_floats {
    ($($ty:ty),*) => {$(
        impl Flat for $ty {
            const SINGLE: bool = false;
            fn write(&self, _: &mut Vec<f64>) {}
            fn read(&self, _: &mut dyn Iterator<Item = f64>) -> Self {
                self.clone()
            }
        }
    )*};
}
without_floats!((), bool, usize, isize, u8, u32, i32, u64, i64);

impl<T: Flat, const N: usize> Flat for [T; N] {
    const SINGLE: bool = T::SINGLE;
    fn write(&self, to: &mut Vec<f64>) {
        self.iter().for_each(|x| x.write(to));
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        std::array::from_fn(|i| self[i].read(from))
    }
}

impl<T: Flat> Flat for Vec<T> {
    const SINGLE: bool = T::SINGLE;
    fn write(&self, to: &mut Vec<f64>) {
        self.iter().for_each(|x| x.write(to));
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        self.iter().map(|x| x.read(from)).collect()
    }
}

impl<T: Flat> Flat for Option<T> {
    const SINGLE: bool = T::SINGLE;
    fn write(&self, to: &mut Vec<f64>) {
        self.iter().for_each(|x| x.write(to));
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        self.as_ref().map(|x| x.read(from))
    }
    fn failed(&self) -> bool {
        self.is_none()
    }
}

impl<T: Flat> Flat for Box<T> {
    const SINGLE: bool = T::SINGLE;
    fn write(&self, to: &mut Vec<f64>) {
        (**self).write(to);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        Box::new((**self).read(from))
    }
}

impl<T: Flat> Flat for Box<[T]> {
    const SINGLE: bool = T::SINGLE;
    fn write(&self, to: &mut Vec<f64>) {
        self.iter().for_each(|x| x.write(to));
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        self.iter().map(|x| x.read(from)).collect()
    }
}

macro_rules! tuple {
    ($($name:ident $at:tt),*) => {
        impl<$($name: Flat),*> Flat for ($($name,)*) {
            const SINGLE: bool = false $(|| $name::SINGLE)*;
            fn write(&self, to: &mut Vec<f64>) {
                $(self.$at.write(to);)*
            }
            fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
                ($(self.$at.read(from),)*)
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// The scalars of a struct, field by field; the other fields stay.
macro_rules! flat {
    ($ty:ident { $($field:ident),* $(,)? }) => {
        impl $crate::common::Flat for $ty {
            const SINGLE: bool = false;
            fn write(&self, to: &mut Vec<f64>) {
                $($crate::common::Flat::write(&self.$field, to);)*
            }
            fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
                $(let $field = $crate::common::Flat::read(&self.$field, from);)*
                $ty { $($field,)* ..self.clone() }
            }
        }
    };
}
pub(crate) use flat;
