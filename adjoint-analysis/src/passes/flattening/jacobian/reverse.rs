//! The reverse part: the rows pass through the local Jacobians, from the last run on.

use std::collections::{BTreeMap, BTreeSet};

use super::values::{Adjoint, Product, made, zero};
use super::{Adjoints, Direct, Key, Piece};
use crate::ir::construct::binary;
use crate::ir::{BinOp, Block, Expr, Stmt, StmtId, StmtKind, Ty, VarId};

impl Direct<'_> {
    /// Takes the rows through the pieces, from the last one.
    pub(super) fn reverse(&mut self, pieces: &[Piece], rows: &mut [Adjoints], out: &mut Vec<Stmt>) {
        for piece in pieces.iter().rev() {
            match piece {
                Piece::Run { assigned, entries } => {
                    for row in rows.iter_mut() {
                        self.through_run(row, assigned, entries, out);
                    }
                }
                Piece::Branch { taken, arms } => self.through_branch(*taken, arms, rows, out),
            }
        }
    }

    fn through_run(
        &mut self,
        row: &mut Adjoints,
        assigned: &[Key],
        entries: &[(Key, Key, Adjoint)],
        out: &mut Vec<Stmt>,
    ) {
        let mut sums: BTreeMap<Key, Vec<Product>> = BTreeMap::new();
        for (input, output, entry) in entries {
            if let Some(adjoint) = row.get(output) {
                let product = self.product(*entry, *adjoint);
                sums.entry(input.clone()).or_default().push(product);
            }
        }
        assigned.iter().for_each(|key| _ = row.remove(key));
        for (input, products) in sums {
            let old = row.get(&input).copied().map(Product::Known);
            let mut all = old.into_iter().chain(products);
            let (first, second) = (all.next(), all.next());
            let adjoint = match (first, second) {
                (Some(Product::Known(one)), None) => one,
                (first, second) => {
                    let terms = first.into_iter().chain(second).chain(all);
                    let terms: Vec<Expr> = terms.map(|p| self.product_value(p)).collect();
                    let sum = terms
                        .into_iter()
                        .reduce(|a, b| binary(BinOp::Add, a, b))
                        .unwrap_or_else(zero);
                    Adjoint::Var(self.temp(StmtId(0), "adjoint", sum, out))
                }
            };
            row.insert(input, adjoint);
        }
    }

    fn through_branch(
        &mut self,
        taken: VarId,
        arms: &[Vec<Piece>; 2],
        rows: &mut [Adjoints],
        out: &mut Vec<Stmt>,
    ) {
        let mut ends = [rows.to_vec(), rows.to_vec()];
        let mut blocks = [Vec::new(), Vec::new()];
        for k in 0..2 {
            self.reverse(&arms[k], &mut ends[k], &mut blocks[k]);
        }
        for (n, row) in rows.iter_mut().enumerate() {
            let [then, els] = [&ends[0][n], &ends[1][n]];
            let keys: BTreeSet<Key> = then.keys().chain(els.keys()).cloned().collect();
            row.retain(|key, _| keys.contains(key));
            for key in keys {
                let both = [then.get(&key).copied(), els.get(&key).copied()];
                if both[0] == both[1] {
                    row.extend(both[0].map(|adjoint| (key, adjoint)));
                    continue;
                }
                let joined = self.declare("adjoint", zero(), Ty::F64);
                for (adjoint, block) in both.into_iter().zip(&mut blocks) {
                    let value = adjoint.map_or_else(zero, |adjoint| self.value(&adjoint));
                    block.push(self.assign(joined, value));
                }
                row.insert(key, Adjoint::Var(joined));
            }
        }
        let condition = Expr::Read(self.func.place(taken));
        let [then, els] = blocks.map(Block::new);
        out.push(made(StmtKind::If(condition, then, els)));
    }
}
