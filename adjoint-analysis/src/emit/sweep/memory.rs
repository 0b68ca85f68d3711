//! Growing and shrinking of `Vec`s.

use proc_macro2::{Ident, Span};

use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, private};
use crate::ir::{Expr, Place, VarId};

impl Emit<'_> {
    /// `place.push(e)`, `place.insert(at, e)`; `e` may read the `Vec` itself.
    pub fn insert(&self, place: &Place, at: Option<&Expr>, e: &Expr) -> TokenBuf {
        let (to, value) = (self.borrow(place, true), self.expr(e));
        let own = |e: &Expr| {
            let mut own = false;
            e.walk(&mut |e| own |= e.own_places().iter().any(|p| p.root == place.root));
            own
        };
        let (held, value) = match own(e) {
            true => {
                let name = &Ident::new("value", Span::mixed_site());
                (code!(let #name = #value;), name.clone().into())
            }
            false => (TokenBuf::empty(), value),
        };
        let code = match at {
            None => code!(::std::vec::Vec::push(#to, #value);),
            Some(at) => {
                let at = self.expr(at);
                code!(::std::vec::Vec::insert(#to, #at, #value);)
            }
        };
        match held.is_empty() {
            true => code,
            false => code!({ #held #code }),
        }
    }

    /// `let v = place.pop()`, `let v = place.remove(at)`
    pub fn remove(&self, v: Option<VarId>, place: &Place, at: Option<&Expr>) -> TokenBuf {
        let (p, from) = (private(), self.borrow(place, true));
        let taken = match at {
            None => code!(#p::take_last(#from)),
            Some(at) => {
                let at = self.expr(at);
                code!(::std::vec::Vec::remove(#from, #at))
            }
        };
        match v {
            Some(v) => {
                let (name, ty) = (self.name(v), self.annotation(v));
                code!(let mut #name #ty = #taken;)
            }
            None => code!(#taken;),
        }
    }
}
