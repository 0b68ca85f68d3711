//! The slices of views.

use proc_macro2::Ident;

use super::of_part::Position;
use super::streams::{Stream, number_tokens};
use super::{Distributed, local};
use crate::emit::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::Expr;
use crate::plan::distribute::views::View;

impl Emit<'_> {
    /// The stream of a view.
    pub(super) fn stream(&self, n: usize, view: &View, suffix: &str) -> Stream {
        let sequence = view.sequence(&self.plan.func);
        Stream {
            name: view_name(n, suffix),
            element: sequence.ty.element().and_then(number_tokens),
            is_written: view.is_written,
            guards: view.guards.clone(),
        }
    }

    /// The slice of a view's elements, and those of all views of the same array that can't be held beside it otherwise.
    pub(super) fn declare_views(
        &self,
        of: &Distributed<'_>,
        n: usize,
        views: &[View],
        position: &Position,
    ) -> TokenBuf {
        let func = &self.plan.func;
        let sequence = views[n].sequence(func);
        let same = (0..views.len()).filter(|m| views[*m].sequence(func) == sequence);
        let same: Vec<usize> = same.collect();
        if same.len() == 1 || !same.iter().any(|m| views[*m].is_written) {
            return self.declare_view(of, n, &views[n], position);
        }
        if same[0] != n {
            return TokenBuf::empty();
        }
        let (from, trips) = (self.receiver_for(&sequence, true), &local("trips"));
        let names = same.iter().map(|m| view_name(*m, &position.suffix));
        let ranges = same.iter().map(|m| {
            let at = self.first_index(of, &views[*m]);
            code!({ let at = #at; at..at + #trips })
        });
        code!(let [#(#names),*] = #from.get_disjoint_mut([#(#ranges),*]).unwrap();)
    }

    /// The index of a view's first element.
    pub(super) fn first_index(&self, of: &Distributed<'_>, view: &View) -> TokenBuf {
        let (index, first) = (self.name(of.index), local("first"));
        let at = self.expr(&view.index);
        code!({ let #index = #first; #at })
    }

    /// The slice of a view's elements.
    fn declare_view(
        &self,
        of: &Distributed<'_>,
        n: usize,
        view: &View,
        position: &Position,
    ) -> TokenBuf {
        let (name, trips) = (view_name(n, &position.suffix), local("trips"));
        let sequence = view.sequence(&self.plan.func);
        let from = self.receiver_for(&sequence, view.is_written);
        let borrow = &match view.is_written {
            true => code!(&mut),
            false => code!(&),
        };
        let is_index = matches!(&view.index, Expr::Read(p) if p.is_whole() && p.root == of.index);
        let is_at_start = is_index && of.starts_at_zero() && position.ahead == 0;
        let mut slice = match is_at_start {
            true => code!(#borrow #from[..#trips]),
            false => {
                let at = self.first_index(of, view);
                code!(#borrow #from[#at..][..#trips])
            }
        };
        slice = self.guarded_slice(slice, borrow, &view.guards);
        code!(let #name = #slice;)
    }
}

fn view_name(n: usize, suffix: &str) -> Ident {
    local(&format!("view_{n}{suffix}"))
}
