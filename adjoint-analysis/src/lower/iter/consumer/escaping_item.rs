//! Items that escape from the loop that finds them.

use proc_macro2::Span;

use crate::ir::Ty;
use crate::lower::Lower;
use crate::lower::value::Value;
use crate::mir::labeled::LabeledStmt;
use crate::refuse::Reason;

/// Variables for an item that is found in a loop, declared before the loop.
#[derive(Default)]
pub struct Kept {
    pub declarations: Vec<LabeledStmt>,
    /// The item in its variables, and the item that was stored first.
    pub dest: Option<(Value, Value)>,
}

impl Lower {
    /// Runs `f`, and emits the declarations that it makes before the code.
    pub fn keeping(&mut self, kept: &mut Kept, f: impl FnOnce(&mut Self, &mut Kept)) {
        let (raws, ()) = self.in_block(|l| f(l, kept));
        self.out.append(&mut kept.declarations);
        self.out.extend(raws);
    }

    pub fn declare(&mut self, kept: &mut Kept, item: &Value, span: Span) {
        if kept.dest.is_none() {
            let outer = std::mem::take(&mut self.out);
            let dest = self.blank("item", item, span);
            kept.declarations = std::mem::replace(&mut self.out, outer);
            kept.dest = Some((dest, item.clone()));
        }
    }

    pub fn keep(&mut self, kept: &mut Kept, item: Value, span: Span) {
        if self.refuses(&item, span) {
            return;
        }
        self.declare(kept, &item, span);
        if let Some((dest, _)) = &kept.dest {
            self.store(dest.clone(), Lower::copied(item), span);
        }
    }

    /// Refuses an item that can't be stored.
    pub fn refuses(&mut self, item: &Value, span: Span) -> bool {
        let refused = !self.is_keepable(item);
        if refused {
            let what = "a reference to an item that is found at run time";
            self.refuse(span, Reason::Reference(what.into()));
        }
        refused
    }

    /// Whether the item can be stored: slices can't, nor can `&mut` references.
    pub fn is_keepable(&mut self, item: &Value) -> bool {
        match item {
            Value::Tuple(parts) => parts.iter().all(|v| self.is_keepable(v)),
            Value::Record(..) | Value::Lent(..) => false,
            Value::View(p, mutable) => !*mutable && !matches!(self.shallow(&p.ty), Ty::Slice(_)),
            _ => true,
        }
    }

    pub fn kept(&mut self, kept: Kept) -> Value {
        match kept.dest {
            Some((dest, like)) => like_item(dest, &like),
            None => Value::Absent(self.fresh()),
        }
    }
}

/// The stored value in the form of the item: a reference, if the item was one.
fn like_item(dest: Value, like: &Value) -> Value {
    match (dest, like) {
        (Value::Place(p), Value::View(..)) => Value::View(p, false),
        (Value::Tuple(parts), Value::Tuple(likes)) => {
            let parts = parts.into_iter().zip(likes);
            Value::Tuple(parts.map(|(p, like)| like_item(p, like)).collect())
        }
        (dest, _) => dest,
    }
}
