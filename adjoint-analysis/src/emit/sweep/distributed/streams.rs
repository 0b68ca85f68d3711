//! What a part reads and writes in the order of memory, as slices of exactly as many elements as there are iterations.

use proc_macro2::Ident;

use super::local;
use crate::emit::Emit;
use crate::emit::sweep::frames::{slot_name, slot_tokens};
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Demand, FloatTy, IntTy, StmtKind, Ty};

/// What a part reads and writes in the order of memory: a view or a slot.
#[derive(Clone)]
pub(super) struct Stream {
    pub name: Ident,
    /// The type of the elements, if it is a type of numbers that has a name.
    pub element: Option<TokenBuf>,
    pub is_written: bool,
    /// The callers for which it exists, of those that run the part.
    pub guards: Vec<Demand>,
}

/// A stream that is a slice of another: of a slot, or of the elements of a local.
pub(super) struct Slice {
    /// The name of the other.
    pub of: Ident,
    pub stream: Stream,
}

impl Stream {
    pub fn borrow(&self) -> TokenBuf {
        match self.is_written {
            true => code!(&mut),
            false => code!(&),
        }
    }
}

impl Emit<'_> {
    /// The loop as a function of its slices: rustc tells the optimiser of references that are parameters that they don't
    /// overlap, and of no others.
    pub(super) fn apart(&self, streams: &[Stream], run: TokenBuf) -> TokenBuf {
        let (mut params, mut args, mut exact) = <(TokenBuf, TokenBuf, TokenBuf)>::default();
        let trips = &local("trips");
        let all_known = streams.iter().all(|s| s.element.is_some());
        for stream in streams {
            let (name, borrow, element) = (&stream.name, &stream.borrow(), &stream.element);
            if let Some(element) = element {
                params.add(code!(#name: #borrow [#element],));
            }
            args.add(code!(#name,));
            let slice = self.guarded_slice(code!(#borrow #name[..#trips]), borrow, &stream.guards);
            exact.add(code!(let #name = #slice;));
        }
        match all_known && streams.len() > 1 && streams.iter().any(|s| s.is_written) {
            true => code!((|#params| { #exact #run })(#args);),
            false => code!(#exact #run),
        }
    }

    /// The slice, or none of its elements for callers that lack one of the guards.
    pub(super) fn guarded_slice(
        &self,
        slice: TokenBuf,
        borrow: &TokenBuf,
        guards: &[Demand],
    ) -> TokenBuf {
        guards.iter().fold(slice, |slice, demand| {
            let test = self.test(*demand);
            code!(if #test { #slice } else { #borrow [] })
        })
    }

    /// The slots that the part reads.
    pub(super) fn slots(&self, part: &Block, suffix: &str) -> Vec<Slice> {
        let mut slots = Vec::new();
        part.walk(&mut |s| {
            let (StmtKind::Restore(of, _) | StmtKind::RestoreControl(of, _)) = &s.kind else {
                return;
            };
            let record = self.plan.record(*of);
            let stream = Stream {
                name: slot_name(*of, suffix),
                element: record.kind.slot_type().as_ref().and_then(number_tokens),
                is_written: false,
                guards: Vec::from_iter((!self.is_implied(record.demand)).then_some(record.demand)),
            };
            let of = slot_name(*of, "");
            slots.push(Slice { of, stream });
        });
        slots
    }
}

/// A type of numbers; a user's type may have a name that means something else here, or lack arguments.
pub(super) fn number_tokens(ty: &Ty) -> Option<TokenBuf> {
    match ty {
        Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => None,
        Ty::Float(_) | Ty::Int(_) => slot_tokens(ty),
        _ => None,
    }
}
