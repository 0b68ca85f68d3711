//! The outermost loops of a forward sweep, which the tape names where it meets its limit.

use proc_macro2::{Delimiter, Ident, Span};

use super::Emit;
use crate::emit::tape;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::Block;

impl Emit<'_> {
    /// A loop, of which the tape is told if it is in no other one and may record; by its frames, if all of its records are there.
    pub(super) fn known_loop(
        &self,
        body: &Block,
        print: impl FnOnce(&Emit<'_>) -> TokenBuf,
    ) -> TokenBuf {
        let is_inner = self.in_known_loop || self.in_reverse && !(self.is_fused && body.replays());
        if is_inner || self.is_listing || !(self.uses_tape(body) || self.opens_frames(body)) {
            return print(self);
        }
        let inside = Emit {
            in_known_loop: true,
            ..self.fork()
        };
        let (tape, run) = (&tape(), print(&inside));
        let (enter, none) = (self.here("enter_loop"), self.args_here(TokenBuf::empty()));
        code!(#tape.#enter #none; #run #tape.leave_loop();)
    }

    /// Whether loops in this block have frames.
    pub(super) fn opens_frames(&self, block: &Block) -> bool {
        let mut opens = false;
        block.walk(&mut |s| opens |= self.frame_slots.contains_key(&s.id));
        opens
    }

    /// The name of a method that is called at the current position. That of a call is the position of the name and of the
    /// arguments.
    pub(super) fn here(&self, name: &str) -> Ident {
        Ident::new(name, self.position())
    }

    /// The arguments of a call at the current position.
    pub(super) fn args_here(&self, args: TokenBuf) -> TokenBuf {
        let args = args.delimited(Delimiter::Parenthesis);
        args.with_delimiter_span(self.position())
    }

    /// The current position, or that of the attribute.
    pub(super) fn position(&self) -> Span {
        self.current_span().unwrap_or_else(Span::call_site)
    }
}
