//! `Vec`s that grow and shrink.

use super::activation::{Activation, Path, Target};
use super::{Number, Trap, TrapKind, Value};
use crate::ir::{Expr, Place, VarId};

impl<N: Number> Activation<'_, N> {
    /// Puts a value into the list at a place.
    pub(super) fn insert(
        &mut self,
        place: &Place,
        at: Option<&Expr>,
        e: &Expr,
    ) -> Result<(), Trap> {
        let path = self.resolve(place)?;
        let value = self.eval(e)?;
        let at = self.position(&path, at, true)?;
        self.change(&path, &mut |target| {
            list(target)?.insert(at, value.clone());
            Ok(())
        })
    }

    /// Takes an element out of the list at a place.
    pub(super) fn remove(
        &mut self,
        var: Option<VarId>,
        place: &Place,
        at: Option<&Expr>,
    ) -> Result<(), Trap> {
        let path = self.resolve(place)?;
        let at = self.position(&path, at, false)?;
        let mut taken = None;
        self.change(&path, &mut |target| {
            taken = Some(list(target)?.remove(at));
            Ok(())
        })?;
        match var {
            Some(var) => self.declare(var, taken),
            None => Ok(()),
        }
    }

    /// The index, or that of the end: behind the last element for a new one.
    fn position(&self, path: &Path, at: Option<&Expr>, new: bool) -> Result<usize, Trap> {
        let len = self.len(path)?;
        let places = if new { len + 1 } else { len };
        let index = match at {
            Some(e) => self.eval(e)?.as_int()?,
            None => places as i128 - 1,
        };
        match usize::try_from(index) {
            Ok(at) if at < places => Ok(at),
            _ => TrapKind::OutOfBounds(index, len).err(),
        }
    }
}

fn list<N: Number>(target: Target<'_, N>) -> Result<&mut Vec<Value<N>>, Trap> {
    match target {
        Target::Whole(Value::List(values)) => Ok(values),
        _ => Trap::ty("a list that grows or shrinks expected"),
    }
}
