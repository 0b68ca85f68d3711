//! The adjoint passed to a reversed call for an argument that isn't varied or overlaps another one.
//!
//! A callee never uses the adjoint of a shared argument that isn't varied, so it gets an empty placeholder that takes
//! no memory.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::emit::interface::Param;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::{marker, zero};
use crate::emit::{Emit, private};
use crate::ir::demand::param_bit;
use crate::ir::{AdjArg, Arg, Demand, Mode, Place, StmtId, Ty};
use crate::passes::activity::summary::ContextPolicy;

impl Emit<'_> {
    /// The callers for which the callee uses the adjoint of an argument; that of a `&mut` one may be its work space,
    /// whatever is varied. Callees are not queried: any caller that may have an adjoint passes it.
    pub fn argument_demand(&self, id: StmtId, k: usize, arg: &Arg) -> Demand {
        let site = self.plan.calls.get(&id);
        site.map_or(Demand::ALWAYS, |site| {
            self.plan.links.certain(site.argument(k, arg))
        })
    }

    /// Declares the placeholder adjoint of an argument, if one may be needed: an empty value, or zeros if the callee is
    /// told that the argument is varied though it isn't (`ContextPolicy`).
    pub fn placeholder_adjoint(
        &self,
        (id, k, arg): (StmtId, usize, &Arg),
        primal: &Place,
        adjoint: &AdjArg,
    ) -> TokenBuf {
        let demand = self.argument_demand(id, k, arg);
        let told = self.overstated_site(id, k, arg, demand);
        let tells = told.as_ref().map(|site| states_varied(site, k));
        let (name, p, ty) = (placeholder_name(k), private(), &primal.ty);
        let value = match (adjoint, empty_value(ty)) {
            (AdjArg::Scratch(None), _) if may_lack_adjoints(ty) => {
                let constant = || {
                    let (marker, value) = (marker(ty), self.borrow(primal, false));
                    code!(#p::constant_argument::<#marker, _>(#value))
                };
                let (full, empty) = (constant(), constant());
                let (full, empty) = (code!(#full.work_space()), code!(#empty.stand_in()));
                let value = self.if_demanded_or_stated(demand, tells, full, empty);
                code!({ use #p::LeftOut as _; #value })
            }
            (AdjArg::Scratch(_), empty) => {
                let empty = empty.unwrap_or_else(|| self.vacant(primal));
                self.if_demanded_or_stated(demand, tells, self.zeros(primal), empty)
            }
            (AdjArg::Place(_), _) if self.is_implied(demand) => return TokenBuf::empty(),
            (AdjArg::Place(place), _) if self.is_unresolved_list(place) => match told {
                Some(_) => self.zeros_same_type(primal),
                None => return TokenBuf::empty(),
            },
            (AdjArg::Place(_), Some(_)) if told.is_none() && matches!(ty, Ty::Slice(_)) => {
                return TokenBuf::empty();
            }
            (AdjArg::Place(_), Some(empty)) => match (told, tells, ty) {
                (Some(site), _, Ty::Slice(t)) => {
                    let (test, element, bit) = (self.test(demand), marker(t), param_bit(k));
                    let value = self.borrow(primal, false);
                    code!(#p::zeros_if_told::<#element, _, #site>(!#test, #bit, #value))
                }
                (_, Some(tells), _) => {
                    let (test, zeros) = (self.test(demand), self.zeros(primal));
                    code!(if !#test && #tells { #zeros } else { #empty })
                }
                _ => empty,
            },
            (AdjArg::Place(_), None) => {
                let vacant = self.vacant(primal);
                let value = match tells {
                    None => vacant,
                    Some(tells) => {
                        let zeros = self.zeros(primal);
                        code!(if #tells { #zeros } else { #vacant })
                    }
                };
                let some = code!(::core::option::Option::Some(#value));
                self.if_demanded(demand, code!(::core::option::Option::None), some)
            }
            _ => return TokenBuf::empty(),
        };
        code!(let mut #name = #value;)
    }

    /// The adjoint of an argument by reference, or its placeholder.
    pub fn borrowed_adjoint(&self, (id, k, arg): (StmtId, usize, &Arg), place: &Place) -> TokenBuf {
        let demand = self.argument_demand(id, k, arg);
        let lent = self.borrow(place, true);
        if self.is_implied(demand) {
            return lent;
        }
        let told = self.overstated_site(id, k, arg, demand);
        let name = placeholder_name(k);
        if self.is_unresolved_list(place) {
            return match told {
                Some(site) => {
                    let told = states_varied(&site, k);
                    let other = code!(if #told { &mut #name } else { #lent });
                    self.if_demanded(demand, self.borrow(place, true), other)
                }
                None => lent,
            };
        }
        let stand_in = match &place.ty {
            Ty::Slice(_) if told.is_none() => code!(::core::default::Default::default()),
            _ => borrowed_placeholder(k, arg),
        };
        self.if_demanded(demand, lent, stand_in)
    }

    /// The call's site as a type, if it may say that an argument is varied that isn't.
    fn overstated_site(&self, id: StmtId, k: usize, arg: &Arg, demand: Demand) -> Option<TokenBuf> {
        let site = self.plan.calls.get(&id)?;
        // The adjoint of a `&mut` argument is passed wherever a derivative goes through the call.
        let is_shared = matches!(arg, Arg::Shared(_));
        let is_exact = site.closing == ContextPolicy::Exact || self.is_implied(demand);
        let may_be_told = is_shared && !is_exact && site.varied[k] != 0;
        may_be_told.then(|| self.site_of(id))
    }

    /// `value` for callers with the demand and for sites that say so, `other` for the rest.
    fn if_demanded_or_stated(
        &self,
        demand: Demand,
        told: Option<TokenBuf>,
        value: TokenBuf,
        other: TokenBuf,
    ) -> TokenBuf {
        match told {
            None => self.if_demanded(demand, value, other),
            Some(told) => {
                let test = self.test(demand);
                code!(if #test || #told { #value } else { #other })
            }
        }
    }

    /// Whether the place is an array or a `Vec`, and only the call that made it knows which.
    fn is_unresolved_list(&self, place: &Place) -> bool {
        matches!(place.ty, Ty::Slice(_)) && !place.is_unsized(&self.plan.func)
    }

    /// Zeros of the same type as the argument, whatever container it is.
    fn zeros_same_type(&self, primal: &Place) -> TokenBuf {
        let (p, value, marker) = (private(), self.borrow(primal, false), marker(&primal.ty));
        code!(#p::Shape::<#marker>::zero_like(#value))
    }

    /// Zeros with the shape of an argument.
    fn zeros(&self, primal: &Place) -> TokenBuf {
        zeros_like_value(&primal.ty, self.borrow(primal, false))
    }

    /// A value of an argument's type that is never read.
    fn vacant(&self, primal: &Place) -> TokenBuf {
        let (p, value, marker) = (private(), self.borrow(primal, false), marker(&primal.ty));
        code!(#p::Shape::<#marker>::vacant(#value))
    }

    /// Adds a scratch adjoint to its target.
    pub fn add_scratch(&self, k: usize, target: &Place, demand: Demand) -> TokenBuf {
        let (p, name, marker) = (private(), placeholder_name(k), marker(&target.ty));
        let to = self.borrow(target, true);
        let add = code!(#p::Shape::<#marker>::accumulate(#to, &#name););
        match self.is_implied(demand) {
            true => add,
            false => {
                let test = self.test(demand);
                code!(if #test { #add })
            }
        }
    }
}

/// Whether the call's site says that an argument is varied.
fn states_varied(site: &TokenBuf, k: usize) -> TokenBuf {
    let (p, bit) = (private(), param_bit(k));
    code!(#p::tells_varied::<#site>(#bit))
}

/// The name of an argument's placeholder adjoint.
pub fn placeholder_name(k: usize) -> Ident {
    Ident::new(&format!("stand_in_{k}"), Span::mixed_site())
}

/// A borrow of a placeholder adjoint.
fn borrowed_placeholder(k: usize, arg: &Arg) -> TokenBuf {
    let (p, name) = (private(), placeholder_name(k));
    match arg.place().map(|p| &p.ty) {
        // A reborrow, which dereferences a box if the callee takes its content.
        Some(ty) if empty_value(ty).is_none() => code!(&mut *#p::made(&mut #name)),
        _ => code!(&mut #name),
    }
}

/// Zeros with the shape of a borrowed value.
fn zeros_like_value(ty: &Ty, value: TokenBuf) -> TokenBuf {
    let p = private();
    match ty {
        Ty::Slice(t) => {
            let element = marker(t);
            code!(#p::zeros_like::<#element, _>(#value))
        }
        ty => {
            let marker = marker(ty);
            code!(#p::Shape::<#marker>::zero_like(#value))
        }
    }
}

/// Whether the type may contain values of user types, which may lack `Differentiable`.
fn may_lack_adjoints(ty: &Ty) -> bool {
    match ty {
        Ty::Named(_) | Ty::Unknown => true,
        Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
            may_lack_adjoints(t)
        }
        Ty::Result(t, e) => may_lack_adjoints(t) || may_lack_adjoints(e),
        Ty::Tuple(parts) => parts.iter().any(may_lack_adjoints),
        _ => false,
    }
}

/// An empty value of the type, or zeros if its size is fixed.
fn empty_value(ty: &Ty) -> Option<TokenBuf> {
    match ty {
        Ty::Slice(_) | Ty::Vec(_) => Some(code!(::std::vec::Vec::new())),
        ty => zero(ty).filter(|_| ty.has_static_shape()),
    }
}

/// Replaces an empty adjoint from a caller by zeros, for code that also uses the adjoint of a parameter that isn't
/// varied.
pub fn zeros_if_empty(param: &Param, adjoint: &Ident, k: usize) -> TokenStream {
    if param.mode != Mode::Shared {
        return TokenStream::new();
    }
    let (p, name, bit) = (private(), &param.name, param_bit(k));
    let scratch = format_ident!("{}_scratch", adjoint, span = Span::mixed_site());
    let zeros = TokenStream::from(zeros_like_value(&param.ty, code!(#name)));
    quote! {
        let mut #scratch;
        let #adjoint = if const { #p::demanded::<__Caller>(#bit, u64::MAX, false) } {
            #adjoint
        } else {
            #scratch = #zeros;
            &mut #scratch
        };
    }
}
