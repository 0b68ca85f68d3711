//! Branches and loops, in both directions.

use proc_macro2::{Ident, Span};

use super::Emit;
use super::checkpointed::Reversed;
use super::distributed::Distributed;
use super::frames::iteration_var;
use crate::emit::private;
use crate::emit::token_buf::{Interpolate, TokenBuf, code};
use crate::ir::stmt::Rev;
use crate::ir::{Block, Expr, IntTy, LoopHead, Range, RecordId, StmtId, StmtKind, Ty, VarId};

impl Emit<'_> {
    /// A branch. A flag that both arms record at their ends is recorded behind the branch: if nothing else is left in them
    /// but a choice of values, a compiler needs no jump, which the processor would have to predict.
    pub(super) fn branch(&self, test: &Expr, then: &Block, els: &Block) -> TokenBuf {
        if let Some(selected) = self.selected(test, [then, els]) {
            return selected;
        }
        let test = self.expr(test);
        match flag_at_ends(then, els) {
            Some((record, [then, els])) => {
                let way = &generated_name("recorded_way");
                let run = self.arms(code!(#way), &then, &els);
                let push = self.record_flag(record, way);
                code!({ let #way = #test; #run #push })
            }
            None => self.arms(test, then, els),
        }
    }

    fn arms(&self, test: TokenBuf, then: &Block, els: &Block) -> TokenBuf {
        let [on_then, on_else] = [then, els].map(|arm| self.block(arm));
        match [then, els].map(Block::is_empty) {
            [_, true] => code!(if #test { #on_then }),
            [true, false] => code!(if !(#test) { #on_else }),
            [false, false] => code!(if #test { #on_then } else { #on_else }),
        }
    }

    /// A loop. The number of an iteration of the loop around may be the user's own index, which is read inside, and counts no
    /// other loop; slots of its frame are not accessed there.
    pub(super) fn loop_(&self, id: StmtId, head: &LoopHead, body: &Block) -> TokenBuf {
        let inside = Emit {
            iteration_var: iteration_var(),
            carried: self.carried_through(body),
            ..self.fork()
        };
        inside.loop_with_own_counter(id, head, body, self.split_in_front(body))
    }

    /// A loop, with what comes in front of its iterations.
    fn loop_with_own_counter(
        &self,
        id: StmtId,
        head: &LoopHead,
        body: &Block,
        start: TokenBuf,
    ) -> TokenBuf {
        if let Some(of) = Reversed::of(body).filter(|_| !self.is_fused) {
            return self.reversed_checkpointed_loop(id, head, &of);
        }
        // A loop over strips has no frame of its own: those inside have one for each strip.
        let slots = self.frame_slots.get(&id).filter(|_| !body.replays());
        if let (LoopHead::Counted(v, range), Some(slots)) = (head, slots) {
            return self.framed_loop(*v, range, body, slots, Some(start));
        }
        start.then(match head {
            LoopHead::Counted(v, range) => {
                let (name, room) = (self.name(*v), self.make_room(*v, range, body));
                let body = self.block(body);
                let run = match counts_from_zero(range) {
                    true => self.loop_up(name, self.expr(&range.hi), body),
                    false => {
                        let range = self.range(range);
                        code!(for #name in #range { #body })
                    }
                };
                room.then(run)
            }
            LoopHead::Reversed(v, range) => match slots {
                Some(slots) => self.framed_loop(*v, range, body, slots, None),
                None => self.reversed_loop(*v, range, body),
            },
            LoopHead::Distributed(index, range, distribution) => {
                self.distributed_loop(&Distributed {
                    index: *index,
                    range,
                    body,
                    distribution,
                    slots,
                })
            }
            LoopHead::ReversedFrom(v, range, trips) => {
                let (trips, body) = (self.name(*trips), self.block(body));
                let (name, k) = (self.name(*v), &self.iteration_var);
                let nth = self.nth_value(range);
                self.loop_down(k, trips, code!(let #name = #nth; #body))
            }
            LoopHead::While(test) => {
                let (test, body) = (self.expr(test), self.block(body));
                code!(while #test { #body })
            }
            LoopHead::CountedWhile(v, test) => {
                let (condition, body) = (self.expr(test), self.block(body));
                let (name, next) = (self.name(*v), &generated_name("next"));
                let body = code!(let #name = #next; #next += 1; #body);
                let run = match is_true(test) {
                    true => code!(loop { #body }),
                    false => code!(while #condition { #body }),
                };
                code!({ let mut #next: usize = 0; #run })
            }
            LoopHead::Forever => {
                let body = self.block(body);
                code!(loop { #body })
            }
            LoopHead::Times(trips) => {
                let (trips, body) = (self.name(*trips), self.block(body));
                code!(for _ in 0..#trips { #body })
            }
        })
    }

    /// `for name in 0..count`.
    pub(super) fn loop_up(
        &self,
        name: &Ident,
        count: impl Interpolate,
        body: TokenBuf,
    ) -> TokenBuf {
        if self.is_listing {
            return code!(for #name in 0..#count { #body });
        }
        let end = &generated_name("end");
        let run = self.while_up(name, end, body);
        code!({ let #end: usize = #count; #run })
    }

    /// `for name in (0..count).rev()`.
    pub(super) fn loop_down(
        &self,
        name: &Ident,
        count: impl Interpolate,
        body: TokenBuf,
    ) -> TokenBuf {
        if self.is_listing {
            return code!(for #name in (0..#count).rev() { #body });
        }
        let run = self.while_down(name, count, body);
        code!({ #run })
    }

    /// [`Emit::upwards`] in a block of its own, with the count in a variable. A `while` loop, because rustc resolves
    /// the iterator traits anew at each `for`.
    pub(super) fn while_up(&self, name: &Ident, count: &Ident, body: TokenBuf) -> TokenBuf {
        if self.is_listing {
            return self.loop_up(name, count, body);
        }
        let next = &generated_name("next");
        code!(let mut #next = 0usize; while #next < #count { let #name = #next; #next += 1; #body })
    }

    /// The same for [`Emit::downwards`].
    pub(super) fn while_down(
        &self,
        name: &Ident,
        count: impl Interpolate,
        body: TokenBuf,
    ) -> TokenBuf {
        if self.is_listing {
            return self.loop_down(name, count, body);
        }
        code!(let mut #name: usize = #count; while #name > 0 { #name -= 1; #body })
    }

    /// The range as the user wrote it.
    pub fn range(&self, r: &Range) -> TokenBuf {
        let (lo, hi) = (self.expr(&r.lo), self.expr(&r.hi));
        let range = if r.inclusive {
            code!(#lo..=#hi)
        } else {
            code!(#lo..#hi)
        };
        let step = r.step.as_ref().map(|s| {
            let s = self.expr(s);
            code!(.step_by(#s))
        });
        match (r.rev, step) {
            (Rev::No, None) => range,
            (Rev::No, Some(step)) => code!((#range)#step),
            (Rev::BeforeStep, step) => code!((#range).rev()#step),
            (Rev::AfterStep, step) => code!((#range)#step.rev()),
        }
    }

    fn reversed_loop(&self, v: VarId, range: &Range, body: &Block) -> TokenBuf {
        let (name, body) = (self.name(v), self.block(body));
        if counts_from_zero(range) {
            return self.loop_down(name, self.expr(&range.hi), body);
        }
        if range.step.is_none() {
            let rev = match range.rev {
                Rev::No => Rev::BeforeStep,
                _ => Rev::No,
            };
            let range = self.range(&Range {
                rev,
                ..range.clone()
            });
            return code!(for #name in #range { #body });
        }
        let (k, n, nth) = (
            &self.iteration_var,
            self.trip_count(range),
            self.nth_value(range),
        );
        self.loop_down(k, n, code!(let #name = #nth; #body))
    }

    pub(super) fn trip_count(&self, r: &Range) -> TokenBuf {
        if counts_from_zero(r) {
            return self.expr(&r.hi);
        }
        let (p, lo, hi, inclusive) = (private(), self.expr(&r.lo), self.expr(&r.hi), r.inclusive);
        let step = self.step(r);
        code!(#p::trips(#lo, #hi, #inclusive, #step))
    }

    pub(super) fn nth_value(&self, r: &Range) -> TokenBuf {
        let (step, k) = (self.step(r), &self.iteration_var);
        if counts_from_zero(r) {
            return code!(#k);
        }
        let (p, lo, hi, inclusive) = (private(), self.expr(&r.lo), self.expr(&r.hi), r.inclusive);
        let order = match r.rev {
            Rev::No => code!(Forward),
            Rev::BeforeStep => code!(ReverseThenStep),
            Rev::AfterStep => code!(StepThenReverse),
        };
        code!(#p::nth(#lo, #hi, #inclusive, #step, #p::Order::#order, #k))
    }

    fn step(&self, r: &Range) -> TokenBuf {
        r.step.as_ref().map_or_else(|| code!(1), |s| self.expr(s))
    }
}

fn generated_name(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The record of a flag, `true` and `false`, at the ends of two arms, and the arms without it.
fn flag_at_ends(then: &Block, els: &Block) -> Option<(RecordId, [Block; 2])> {
    let flag = |arm: &Block, value: &str| {
        let (last, rest) = arm.stmts.split_last()?;
        match &last.kind {
            StmtKind::RecordControl(record, Expr::Lit(flag, Ty::Bool)) if flag == value => {
                Some((*record, Block::new(rest.to_vec())))
            }
            _ => None,
        }
    };
    let ((of_then, then), (of_else, els)) = flag(then, "true").zip(flag(els, "false"))?;
    (of_then == of_else).then_some((of_then, [then, els]))
}

/// Whether the range is `0..n`, so that its values are the iteration numbers.
pub(super) fn counts_from_zero(r: &Range) -> bool {
    let zero = matches!(&r.lo, Expr::Lit(text, Ty::Int(IntTy::Usize)) if text == "0");
    zero && !r.inclusive && r.step.is_none() && r.rev == Rev::No
}

fn is_true(e: &Expr) -> bool {
    matches!(e, Expr::Lit(text, _) if text == "true")
}
