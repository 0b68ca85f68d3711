//! The backward flow: which dependents each cell influences.

use super::{
    Activity, Boundary, State, add_masks, any, argument_cells, boundary_masks, depends, exchange,
    join, kills, move_between_halves, outputs, part_cells, vars_in,
};
use crate::ir::demand::{RESULT_BIT, output_bit};
use crate::ir::{Block, Call, Expr, Func, LoopHead, Place, Stmt, StmtId, StmtKind, VarId};
use crate::passes::sets::cells::Cells;
use crate::passes::tbr::regions;

/// Computes the useful sets; without `enabled`, every real is useful.
pub(super) fn flow(func: &Func, boundary: &Boundary, result: &mut Activity, enabled: bool) {
    let cells = result.cells.clone();
    let (_, full) = boundary_masks(func, boundary);
    let mut state = vec![0; cells.count()];
    let mut start = |v: VarId, mask: u64| {
        for c in cells.of_var(v) {
            state[c.index()] = mask;
        }
    };
    let params = func.params.iter().enumerate();
    for (k, v) in params.filter(|(_, v)| boundary.dependents.contains(**v)) {
        start(*v, output_bit(k));
    }
    if let Some(ret) = func.ret.filter(|r| boundary.dependents.contains(*r)) {
        start(ret, RESULT_BIT);
    }
    if !enabled {
        for v in func.var_ids() {
            if func.var(v).ty.carries_floats() {
                start(v, full);
            }
        }
    }
    let mut useful = Useful {
        func,
        boundary,
        cells: &cells,
        lengths: regions::Definitions::of(func),
        result,
        all_useful: !enabled,
    };
    let outside = vec![0; cells.count()];
    useful.block(&func.body, &mut state, &outside);
}

/// `at_break` is the state behind the innermost loop.
struct Useful<'a> {
    func: &'a Func,
    boundary: &'a Boundary,
    cells: &'a Cells,
    lengths: regions::Definitions,
    result: &'a mut Activity,
    /// Whether every real is useful everywhere.
    all_useful: bool,
}

impl Useful<'_> {
    fn block(&mut self, block: &Block, state: &mut State, at_break: &State) {
        let mut set = vars_in(state, self.cells);
        for stmt in block.stmts.iter().rev() {
            let i = stmt.id.index();
            let masks = &mut self.result.masks[i];
            add_masks(state, &masks.cells, &mut masks.useful_out);
            self.result.useful_out[i].union(&set);
            self.stmt(stmt, state, at_break);
            set = vars_in(state, self.cells);
            self.result.useful_in[i].union(&set);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, state: &mut State, at_break: &State) {
        if self.all_useful {
            for inner in stmt.blocks() {
                self.block(inner, state, at_break);
            }
            return;
        }
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => {
                self.write(&self.func.place(*v), e, state);
                move_between_halves(state, *v, self.cells);
            }
            StmtKind::Assign(p, e) => self.write(p, e, state),
            StmtKind::Incr(p, e) => {
                let mask = any(state, &self.cells.touched(p));
                self.spread(e, &[], mask, state);
            }
            StmtKind::Swap(a, b) => exchange(state, a, b, self.cells),
            StmtKind::Insert(p, _, e) => {
                let mask = any(state, &self.cells.touched(p));
                self.spread(e, &[], mask, state);
            }
            StmtKind::Remove(Some(v), p, _) => {
                let of_v = self.cells.of_var(*v);
                let mask = any(state, of_v);
                of_v.iter().for_each(|c| state[c.index()] = 0);
                for c in self.cells.touched(p).iter().copied() {
                    state[c.index()] |= mask;
                }
            }
            StmtKind::Call(call) => self.call(stmt.id, call, state),
            StmtKind::If(_, then, els) => {
                let mut other = state.clone();
                self.block(then, state, at_break);
                self.block(els, &mut other, at_break);
                join(state, &other);
            }
            StmtKind::Loop(head, body) => self.loop_(head, body, state),
            StmtKind::Break => *state = at_break.clone(),
            _ => {}
        }
    }

    fn loop_(&mut self, head: &LoopHead, body: &Block, state: &mut State) {
        let behind = state.clone();
        if matches!(head, LoopHead::Forever) {
            state.fill(0);
        }
        loop {
            let mut before = state.clone();
            self.block(body, &mut before, &behind);
            if !join(state, &before) {
                break;
            }
        }
        for region in regions::overwritten(head, body, self.func, &self.lengths) {
            for c in self.cells.of_var(region.array) {
                state[c.index()] = 0;
            }
        }
    }

    /// Propagates a mask from the part of the value of `e` to the cells that it depends on.
    fn spread(&self, e: &Expr, part: &[crate::ir::Proj], mask: u64, state: &mut State) {
        if mask != 0 {
            for c in part_cells(e, part, self.func, self.cells) {
                state[c.index()] |= mask;
            }
        }
    }

    fn write(&self, place: &Place, e: &Expr, state: &mut State) {
        let exact = self.cells.is_exact(place);
        let touched = self.cells.touched(place);
        let masks: Vec<u64> = touched.iter().map(|c| state[c.index()]).collect();
        if exact {
            touched.iter().for_each(|c| state[c.index()] = 0);
        }
        for (c, mask) in touched.iter().zip(masks) {
            let part = match exact {
                true => self.cells.below(*c, place),
                false => &[],
            };
            self.spread(e, part, mask, state);
        }
    }

    fn call(&mut self, id: StmtId, call: &Call, state: &mut State) {
        if self.boundary.inactive.contains(call, self.func) {
            return;
        }
        let summary = self.boundary.summary(call, self.func);
        let outputs = outputs(call, self.func);
        let useful: Vec<(usize, u64)> = outputs
            .iter()
            .map(|(output, p)| (*output, any(state, &self.cells.touched(p))))
            .collect();
        for (output, place) in &outputs {
            if kills(summary, *output, place, self.cells) {
                if let Some(k) = output.checked_sub(1) {
                    self.result.overwritten.insert((id, k));
                }
                for c in self.cells.touched(place).iter().copied() {
                    state[c.index()] = 0;
                }
            }
        }
        for (k, arg) in call.args.iter().enumerate() {
            let mask = self.influences(id, call, k, &useful);
            for c in argument_cells(arg, self.func, self.cells) {
                state[c.index()] |= mask;
            }
        }
    }

    /// The outputs that an argument of a call influences through the call, given what each of its outputs does.
    fn influences(&mut self, id: StmtId, call: &Call, k: usize, useful: &[(usize, u64)]) -> u64 {
        if let Some(link) = self.result.links.get_mut(id) {
            for port in &mut link.outputs {
                let here = useful.iter().filter(|(output, _)| *output == port.position);
                port.mask = here.fold(port.mask, |all, (_, mask)| all | mask);
            }
            let is_useful = link.outputs.iter().any(|port| port.mask != 0);
            let ports = link.arguments.iter().filter(|port| port.position == k);
            return ports.fold(0, |all, port| all | port.bit) * u64::from(is_useful);
        }
        let summary = self.boundary.summary(call, self.func);
        let reached = useful
            .iter()
            .filter(|(output, _)| depends(summary, *output, k));
        reached.fold(0, |all, (_, mask)| all | mask)
    }
}
