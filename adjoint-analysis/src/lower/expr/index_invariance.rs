//! Checks that an assignment to a field does not change which element a user's `Index` returns.
//!
//! The adjoint of a value has the discrete fields that the value had when it was assigned as a whole. If one of them is
//! assigned alone and takes part in indexing (`self.data[i * self.cols + j]`), the adjoint's elements would be
//! elsewhere. Only rustc knows whether the type has such an `Index`.

use proc_macro2::Span;
use quote::quote_spanned;

use crate::ir::{Proj, VarId};
use crate::lower::{Block, Lower, Place, Ty};

/// A struct's variable and the path of field names to an assigned field.
type FieldPath = (VarId, Vec<String>);

impl Lower {
    /// Inserts a check before the first assignment of each field.
    pub fn check_index_invariance(&mut self, body: &mut Block) {
        self.check_assigned_fields(body, &mut Vec::new());
    }

    fn check_assigned_fields(&mut self, block: &mut Block, checked: &mut Vec<FieldPath>) {
        let mut all = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            let span = self.draft.spans[stmt.id.index()];
            let parts = stmt
                .written()
                .into_iter()
                .filter(|p| self.may_be_integer(p));
            for part in parts.cloned().collect::<Vec<Place>>() {
                let path = field_path(&part);
                if checked.contains(&path) {
                    continue;
                }
                for owner in self.enclosing_structs(&part) {
                    all.push(self.check_assigned_field(owner, part.clone(), span));
                }
                checked.push(path);
            }
            for inner in stmt.blocks_mut() {
                self.check_assigned_fields(inner, checked);
            }
            all.push(stmt);
        }
        block.stmts = all;
    }

    fn check_assigned_field(
        &mut self,
        owner: Place,
        part: Place,
        span: Span,
    ) -> crate::lower::Stmt {
        let tokens = quote_spanned! {span=> {
            #[allow(unused_imports)]
            use ::adjoint::__private::demand::MovesNothing as _;
            (&::adjoint::__private::demand::setting(|| (__place_0, __place_1))).moves_nothing()
        }};
        self.new_check(tokens, vec![owner, part], span)
    }

    /// Whether the field may be an integer or contain integers.
    fn may_be_integer(&self, part: &Place) -> bool {
        let ty = part.known_ty(&self.draft.func);
        ty == Ty::Unknown || !ty.carries_floats()
    }

    /// The structs that contain the field.
    fn enclosing_structs(&self, part: &Place) -> Vec<Place> {
        let fields = part.proj.iter().enumerate();
        let fields = fields.filter(|(_, step)| matches!(step, Proj::Field(_)));
        let owner = |(n, _)| Place {
            proj: part.proj[..n].to_vec(),
            ty: Ty::Unknown,
            ..*part
        };
        let owners = fields.map(owner).map(|owner| Place {
            ty: owner.declared_ty(&self.draft.func),
            ..owner
        });
        owners
            .filter(|o| matches!(o.ty, Ty::Named(_) | Ty::Unknown))
            .collect()
    }
}

fn field_path(part: &Place) -> FieldPath {
    let name = |step: &Proj| match step {
        Proj::Field(name) => name.clone(),
        _ => String::new(),
    };
    (part.root, part.proj.iter().map(name).collect())
}
