//! Values as bytes.

use std::io::{self, Read, Write};

/// A value that can be written to a file and read back within one run of the program.
///
/// It has implementations for numbers, `bool`, `char`, `Vec`, arrays, `Option`, `Box`, and tuples of up to eight
/// values, nested in any way. Floats come back with the same bits, NaNs as well. The bytes are no format for exchange:
/// `usize` has the width that it has on the machine.
///
/// # By hand
///
/// For a struct, encode its fields one by one, and decode them in the same order.
///
/// ```
/// use adjoint_runtime::checkpoint::Encode;
/// use std::io::{self, Read, Write};
///
/// #[derive(Default, PartialEq, Debug)]
/// struct State {
///     height: Vec<f64>,
///     step: usize,
/// }
///
/// impl Encode for State {
///     fn encode(&self, to: &mut impl Write) -> io::Result<()> {
///         self.height.encode(to)?;
///         self.step.encode(to)
///     }
///
///     fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
///         self.height.decode(from)?;
///         self.step.decode(from)
///     }
/// }
///
/// let (state, mut bytes) = (State { height: vec![1.5, -0.0], step: 3 }, Vec::new());
/// state.encode(&mut bytes)?;
/// let mut decoded = State::default();
/// decoded.decode(&mut bytes.as_slice())?;
/// assert_eq!(decoded, state);
/// # Ok::<(), io::Error>(())
/// ```
pub trait Encode {
    /// Writes the value.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    fn encode(&self, to: &mut impl Write) -> io::Result<()>;

    /// Overwrites the value with what [`encode`](Encode::encode) wrote, and reuses its memory.
    ///
    /// # Errors
    ///
    /// Those of the reader, [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if the bytes end too early, and
    /// [`InvalidData`](io::ErrorKind::InvalidData) if they are not of a value of this type.
    fn decode(&mut self, from: &mut impl Read) -> io::Result<()>;
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

macro_rules! encode_numbers {
    ($($ty:ty)*) => {
        $(
            impl Encode for $ty {
                #[inline]
                fn encode(&self, to: &mut impl Write) -> io::Result<()> {
                    to.write_all(&self.to_le_bytes())
                }

                #[inline]
                fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
                    let mut bytes = [0; size_of::<$ty>()];
                    from.read_exact(&mut bytes)?;
                    *self = <$ty>::from_le_bytes(bytes);
                    Ok(())
                }
            }
        )*
    };
}

encode_numbers! { f64 f32 usize isize u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 }

impl Encode for bool {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        u8::from(*self).encode(to)
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut byte = 0u8;
        byte.decode(from)?;
        *self = match byte {
            0 => false,
            1 => true,
            _ => return Err(invalid("a `bool` is neither 0 nor 1")),
        };
        Ok(())
    }
}

impl Encode for char {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        u32::from(*self).encode(to)
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut code = 0u32;
        code.decode(from)?;
        *self = char::from_u32(code).ok_or_else(|| invalid("a `char` is out of range"))?;
        Ok(())
    }
}

impl<T: Encode + Default> Encode for Vec<T> {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        self.len().encode(to)?;
        self.iter().try_for_each(|value| value.encode(to))
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut length = 0usize;
        length.decode(from)?;
        self.truncate(length);
        self.iter_mut().try_for_each(|value| value.decode(from))?;
        // One by one, so that a wrong length ends with the file, not with the memory.
        for _ in self.len()..length {
            let mut value = T::default();
            value.decode(from)?;
            self.push(value);
        }
        Ok(())
    }
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        self.iter().try_for_each(|value| value.encode(to))
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        self.iter_mut().try_for_each(|value| value.decode(from))
    }
}

impl<T: Encode + Default> Encode for Option<T> {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        self.is_some().encode(to)?;
        self.iter().try_for_each(|value| value.encode(to))
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut some = false;
        some.decode(from)?;
        if !some {
            *self = None;
            return Ok(());
        }
        self.get_or_insert_with(T::default).decode(from)
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        (**self).encode(to)
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        (**self).decode(from)
    }
}

macro_rules! encode_tuples {
    ($(($($T:ident $at:tt),*))*) => {
        $(
            impl<$($T: Encode),*> Encode for ($($T,)*) {
                fn encode(&self, _to: &mut impl Write) -> io::Result<()> {
                    $(self.$at.encode(_to)?;)*
                    Ok(())
                }

                fn decode(&mut self, _from: &mut impl Read) -> io::Result<()> {
                    $(self.$at.decode(_from)?;)*
                    Ok(())
                }
            }
        )*
    };
}

encode_tuples! {
    ()
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
