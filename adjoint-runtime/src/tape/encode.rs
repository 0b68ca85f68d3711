//! A tape as bytes, for snapshots in files.

use std::io::{self, Read, Write};

use super::Tape;
use super::bits::Bits;
use super::stats::Pushed;
use crate::checkpoint::Encode;

impl Encode for Tape {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        let integers = self.integers.others.as_ref();
        let foreign = integers.map_or(Pushed::default(), |all| all.others());
        if (self.reals.others.pushed() + self.owned.pushed() + foreign).entries > 0 {
            let message = "a snapshot in a file holds floats, integers, `bool` and `char` only";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        self.reals.f64.encode(to)?;
        self.reals.f32.encode(to)?;
        self.integers.usize.encode(to)?;
        self.flags.encode(to)?;
        self.counts.encode(to)?;
        integers.is_some().encode(to)?;
        integers.map_or(Ok(()), |all| all.encode(to))
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        self.reals.f64.decode(from)?;
        self.reals.f32.decode(from)?;
        self.integers.usize.decode(from)?;
        self.flags.decode(from)?;
        self.counts.decode(from)?;
        let mut has_others = false;
        has_others.decode(from)?;
        match has_others {
            true => self.integers.others().decode(from),
            false => Ok(()),
        }
    }
}

impl Encode for Bits {
    fn encode(&self, to: &mut impl Write) -> io::Result<()> {
        self.words.encode(to)?;
        self.word.encode(to)?;
        self.len.encode(to)
    }

    fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
        self.words.decode(from)?;
        self.word.decode(from)?;
        self.len.decode(from)
    }
}
