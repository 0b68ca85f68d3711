//! Items that escape from the loop that finds them.

use proc_macro2::Span;

use crate::ir::Ty;
use crate::lower::Lower;
use crate::lower::value::Value;
use crate::mir::labeled::LabeledStmt;
use crate::refuse::Reason;

/// Variables for an item that is found in a loop, declared before the loop.
#[derive(Default)]
pub struct EscapingItem {
    pub declarations: Vec<LabeledStmt>,
    /// The item in its variables, and the item that was stored first.
    pub stored: Option<(Value, Value)>,
}

impl Lower {
    /// Runs `f`, and emits the declarations that it makes before the code.
    pub fn with_escaping_item(
        &mut self,
        kept: &mut EscapingItem,
        f: impl FnOnce(&mut Self, &mut EscapingItem),
    ) {
        let (raws, ()) = self.in_block(|l| f(l, kept));
        self.out.append(&mut kept.declarations);
        self.out.extend(raws);
    }

    pub fn declare_escaping(&mut self, kept: &mut EscapingItem, item: &Value, span: Span) {
        if kept.stored.is_none() {
            let outer = std::mem::take(&mut self.out);
            let dest = self.declare_like("item", item, span);
            kept.declarations = std::mem::replace(&mut self.out, outer);
            kept.stored = Some((dest, item.clone()));
        }
    }

    pub fn store_escaping(&mut self, kept: &mut EscapingItem, item: Value, span: Span) {
        if self.refuse_unstorable(&item, span) {
            return;
        }
        self.declare_escaping(kept, &item, span);
        if let Some((dest, _)) = &kept.stored {
            self.store(dest.clone(), Lower::copied_item(item), span);
        }
    }

    /// Refuses an item that can't be stored.
    pub fn refuse_unstorable(&mut self, item: &Value, span: Span) -> bool {
        let refused = !self.is_storable(item);
        if refused {
            let what = "a reference to an item that is found at run time";
            self.refuse(span, Reason::Reference(what.into()));
        }
        refused
    }

    /// Whether the item can be stored: slices can't, nor can `&mut` references.
    pub fn is_storable(&mut self, item: &Value) -> bool {
        match item {
            Value::Tuple(parts) => parts.iter().all(|v| self.is_storable(v)),
            Value::RefStruct(..) | Value::RefToAggregate(..) => false,
            Value::PlaceRef(p, mutable) => {
                !*mutable && !matches!(self.shallow(&p.ty), Ty::Slice(_))
            }
            _ => true,
        }
    }

    pub fn read_escaping(&mut self, kept: EscapingItem) -> Value {
        match kept.stored {
            Some((dest, like)) => restore_reference(dest, &like),
            None => Value::Uninit(self.fresh_ty()),
        }
    }
}

/// The stored value in the form of the item: a reference, if the item was one.
fn restore_reference(dest: Value, like: &Value) -> Value {
    match (dest, like) {
        (Value::Place(p), Value::PlaceRef(..)) => Value::PlaceRef(p, false),
        (Value::Tuple(parts), Value::Tuple(likes)) => {
            let parts = parts.into_iter().zip(likes);
            Value::Tuple(parts.map(|(p, like)| restore_reference(p, like)).collect())
        }
        (dest, _) => dest,
    }
}
