//! The forward flow: on which independents each cell depends.

use super::{
    Activity, Boundary, State, add_masks, any, argument_cells, boundary_masks, depends, exchange,
    join, move_between_halves, outputs, part_cells, vars_in,
};
use crate::ir::demand::param_bit;
use crate::ir::{Block, Call, Expr, Func, Mode, Place, Stmt, StmtId, StmtKind};
use crate::passes::sets::cells::Cells;
use crate::passes::tbr::regions;

/// Computes the varied sets; without `enabled`, every written real is varied.
pub(super) fn flow(func: &Func, boundary: &Boundary, result: &mut Activity, enabled: bool) {
    let cells = result.cells.clone();
    let (full, _) = boundary_masks(func, boundary);
    let mut state = vec![0; cells.count()];
    for (k, p) in func.params.iter().enumerate() {
        let mask = match (enabled, boundary.independents.contains(*p)) {
            (true, true) => param_bit(k),
            (false, _) if func.var(*p).ty.carries_floats() => full,
            _ => 0,
        };
        for c in cells.of_var(*p) {
            state[c.index()] = mask;
            result.wrt[p.index()] |= mask;
        }
    }
    let all = if enabled { 0 } else { full };
    let mut varied = Varied {
        func,
        boundary,
        cells: &cells,
        lengths: regions::Definitions::of(func),
        result,
        default_mask: all,
    };
    varied.block(&func.body, &mut state);
    let of = |v: &crate::ir::VarId| any(&state, cells.of_var(*v));
    // A `&mut` argument for a `&` parameter stays unchanged.
    let param = |(k, p): (usize, &crate::ir::VarId)| match func.var(*p).mode {
        Mode::Mut => of(p),
        _ => param_bit(k),
    };
    let ret = func.ret.as_ref().map_or(0, of);
    let params = func.params.iter().enumerate().map(param);
    let depends = std::iter::once(ret).chain(params);
    result.depends = depends.map(|mask| result.links.parameters(mask)).collect();
}

struct Varied<'a> {
    func: &'a Func,
    boundary: &'a Boundary,
    cells: &'a Cells,
    lengths: regions::Definitions,
    result: &'a mut Activity,
    /// The mask of every written real, if the analysis is disabled.
    default_mask: u64,
}

impl Varied<'_> {
    fn block(&mut self, block: &Block, state: &mut State) {
        let mut set = vars_in(state, self.cells);
        for stmt in &block.stmts {
            let i = stmt.id.index();
            let masks = &mut self.result.masks[i];
            add_masks(state, &masks.cells, &mut masks.varied_in);
            self.result.varied_in[i].union(&set);
            self.stmt(stmt, state);
            set = vars_in(state, self.cells);
            let masks = &mut self.result.masks[i];
            add_masks(state, &masks.cells, &mut masks.varied_out);
            for c in &masks.cells {
                self.result.wrt[self.cells.var(*c).index()] |= state[c.index()];
            }
            self.result.varied_out[i].union(&set);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, state: &mut State) {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => {
                move_between_halves(state, *v, self.cells);
                self.write(&self.func.place(*v), e, state);
            }
            StmtKind::Let(v, None) => self.clear(*v, state),
            StmtKind::Assign(p, e) => self.write(p, e, state),
            StmtKind::Incr(p, e) => {
                let mask = self.of(e, &[], state) | self.forced(p);
                for c in self.cells.touched(p).iter().copied() {
                    state[c.index()] |= mask;
                }
            }
            StmtKind::Swap(a, b) => exchange(state, a, b, self.cells),
            StmtKind::Insert(p, _, e) => {
                let mask = self.of(e, &[], state) | self.forced(p);
                for c in self.cells.touched(p).iter().copied() {
                    state[c.index()] |= mask;
                }
            }
            StmtKind::Remove(Some(v), p, _) => {
                let taken = self.func.place(*v);
                let mask = match taken.ty.carries_floats() {
                    true => any(state, &self.cells.touched(p)),
                    false => 0,
                };
                for c in self.cells.of_var(*v) {
                    state[c.index()] = mask;
                }
            }
            StmtKind::Call(call) => self.call(stmt.id, call, state),
            StmtKind::If(_, then, els) => {
                let mut other = state.clone();
                self.block(then, state);
                self.block(els, &mut other);
                join(state, &other);
            }
            StmtKind::Loop(head, body) => {
                for region in regions::overwritten(head, body, self.func, &self.lengths) {
                    self.clear(region.array, state);
                }
                loop {
                    let mut after = state.clone();
                    self.block(body, &mut after);
                    if !join(state, &after) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }

    fn clear(&self, v: crate::ir::VarId, state: &mut State) {
        for c in self.cells.of_var(v) {
            state[c.index()] = 0;
        }
    }

    fn of(&self, e: &Expr, part: &[crate::ir::Proj], state: &State) -> u64 {
        any(state, &part_cells(e, part, self.func, self.cells))
    }

    fn forced(&self, place: &Place) -> u64 {
        match place.ty.carries_floats() {
            true => self.default_mask,
            false => 0,
        }
    }

    fn write(&self, place: &Place, e: &Expr, state: &mut State) {
        let exact = self.cells.is_exact(place);
        let before = state.clone();
        for c in self.cells.touched(place).iter().copied() {
            let part = match exact {
                true => self.cells.below(c, place),
                false => &[],
            };
            let mask = self.of(e, part, &before) | self.forced(place);
            match exact {
                true => state[c.index()] = mask,
                false => state[c.index()] |= mask,
            }
        }
    }

    fn call(&mut self, id: StmtId, call: &Call, state: &mut State) {
        let before = state.clone();
        for (output, place) in outputs(call, self.func) {
            let mut mask = self.depends_on(id, call, output, &before);
            if !self.boundary.inactive.contains(call, self.func) {
                mask |= self.forced(&place);
            }
            // A value that a callee overwrites stays varied where it was: the callee clears its adjoint only for
            // callers to which it is varied before and useful after the call.
            for c in self.cells.touched(&place).iter().copied() {
                match output {
                    0 => state[c.index()] = mask,
                    _ => state[c.index()] |= mask,
                }
            }
        }
    }

    /// The mask of an output of a call, given the state before it.
    fn depends_on(&mut self, id: StmtId, call: &Call, output: usize, before: &State) -> u64 {
        if self.boundary.inactive.contains(call, self.func) {
            return 0;
        }
        let of = |k: usize| {
            any(
                before,
                &argument_cells(&call.args[k], self.func, self.cells),
            )
        };
        if let Some(link) = self.result.links.get_mut(id) {
            let ports = link.arguments.iter_mut();
            ports.for_each(|port| port.mask |= of(port.position));
            let is_varied = link.arguments.iter().any(|port| port.mask != 0);
            let ports = link.outputs.iter().filter(|port| port.position == output);
            return ports.fold(0, |all, port| all | port.bit) * u64::from(is_varied);
        }
        let summary = self.boundary.summary(call, self.func);
        let known = (0..call.args.len()).filter(|k| depends(summary, output, *k));
        known.fold(0, |all, k| all | of(k))
    }
}
