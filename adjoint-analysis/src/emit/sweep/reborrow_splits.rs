//! Reborrow splits: disjoint parts of one variable that one statement borrows are split again around it.

use proc_macro2::{Ident, Span};

use super::expr::{field, variant_path};
use crate::emit::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Arg, Expr, Place, Proj, Ty};

impl Emit<'_> {
    /// Emits a call whose arguments may be disjoint parts of one variable, with the splits around it.
    pub fn with_splits(
        &self,
        args: &[Arg],
        adjoints: &[Place],
        write: impl FnOnce(&Emit<'_>) -> TokenBuf,
    ) -> SplitCall {
        let mut emit = self.fork();
        let mut places: Vec<(Place, bool)> = args
            .iter()
            .filter_map(|a| a.place().map(|p| (p.clone(), matches!(a, Arg::Mut(_)))))
            .collect();
        places.extend(adjoints.iter().map(|p| (p.clone(), true)));
        let mut splits = TokenBuf::empty();
        emit.split_variables(&places, &mut splits);
        SplitCall {
            splits,
            call: write(&emit),
        }
    }

    /// Emits a statement on two disjoint places.
    pub fn with_disjoint(
        &self,
        a: &Place,
        b: &Place,
        write: impl FnOnce(&Emit<'_>) -> TokenBuf,
    ) -> TokenBuf {
        let (mut emit, mut splits) = (self.fork(), TokenBuf::empty());
        emit.split_variables(&[(a.clone(), true), (b.clone(), true)], &mut splits);
        let statement = write(&emit);
        match splits.is_empty() {
            true => statement,
            false => code!({ #splits #statement }),
        }
    }

    /// Splits the variables of places that are borrowed at once, each mutably or not.
    pub(super) fn split_variables(&mut self, places: &[(Place, bool)], splits: &mut TokenBuf) {
        let mut rest: Vec<&(Place, bool)> = places.iter().collect();
        while let Some((first, _)) = rest.first() {
            let (own, others) = rest.iter().partition(|(place, _)| place.root == first.root);
            self.split_at_depth(0, own, splits);
            rest = others;
        }
    }

    /// Splits at each projection, from `at` on, where the places diverge. The whole is split before its parts, whose
    /// splits use the names of the parts.
    fn split_at_depth(&mut self, at: usize, places: Vec<&(Place, bool)>, splits: &mut TokenBuf) {
        if places.len() < 2 || !places.iter().any(|(_, is_mut)| *is_mut) {
            return;
        }
        let mut parts: Vec<(&Proj, Vec<&(Place, bool)>)> = Vec::new();
        for lent in &places {
            let Some(step) = lent.0.proj.get(at) else {
                continue;
            };
            match parts.iter_mut().find(|(known, _)| *known == step) {
                Some((_, within)) => within.push(lent),
                None => parts.push((step, vec![lent])),
            }
        }
        if parts.len() > 1 {
            let whole = Place {
                proj: places[0].0.proj[..at].to_vec(),
                ..places[0].0.clone()
            };
            let steps: Vec<&Proj> = parts.iter().map(|(step, _)| *step).collect();
            self.borrow_disjoint(whole, &steps, splits);
        }
        for (_, within) in parts {
            self.split_at_depth(at + 1, within, splits);
        }
    }

    /// Borrows disjoint parts of the whole, given by their projections.
    fn borrow_disjoint(&mut self, whole: Place, steps: &[&Proj], splits: &mut TokenBuf) {
        let all = |is: fn(&Proj) -> bool| steps.iter().all(|step| is(step));
        match steps {
            [Proj::Head(mid), Proj::Tail(end)] | [Proj::Tail(end), Proj::Head(mid)]
                if mid == end =>
            {
                self.borrow_halves(&whole, mid, splits);
            }
            _ if all(|step| matches!(step, Proj::Index(_) | Proj::Range(..))) => {
                self.borrow_elements(&whole, steps, splits);
            }
            _ if all(|step| matches!(step, Proj::Variant(..))) => {
                self.borrow_variant_fields(&whole, steps, splits);
            }
            _ if all(|step| matches!(step, Proj::Field(_))) => self.reborrow_prefix(whole, splits),
            // If rustc can't see that they are disjoint, it reports that.
            _ => {}
        }
    }

    /// Borrows both halves at `mid`.
    fn borrow_halves(&mut self, whole: &Place, mid: &Expr, splits: &mut TokenBuf) {
        let number = self.reborrows.len();
        let name = |which: &str| Ident::new(&format!("{which}_{number}"), Span::mixed_site());
        let (head, tail) = (&name("head"), &name("tail"));
        let (list, at) = (self.receiver_for(whole, true), self.expr(mid));
        splits.add(code!(let (#head, #tail) = #list.split_at_mut(#at);));
        let mid = Box::new(mid.clone());
        let halves = [(Proj::Head(mid.clone()), head), (Proj::Tail(mid), tail)];
        for (half, name) in halves {
            self.add_reborrow(whole, half, name);
        }
    }

    /// Borrows disjoint elements and ranges of a list.
    fn borrow_elements(&mut self, list: &Place, parts: &[&Proj], splits: &mut TokenBuf) {
        let number = self.reborrows.len();
        let name = |k: usize| Ident::new(&format!("part_{number}_{k}"), Span::mixed_site());
        let names: &[Ident] = &(0..parts.len()).map(name).collect::<Vec<_>>();
        let whole = &self.receiver_for(list, true);
        let only_elements = parts.iter().all(|part| matches!(part, Proj::Index(_)));
        let ranges = parts
            .iter()
            .map(|part| self.range_of(part, only_elements))
            .collect::<Vec<_>>();
        splits.add(code! {
            let end = #whole.len();
            let [#(#names),*] = #whole.get_disjoint_mut([#(#ranges),*]).unwrap();
        });
        for (part, name) in parts.iter().zip(names) {
            if matches!(part, Proj::Index(_)) && !only_elements {
                splits.add(code!(let #name = &mut #name[0];));
            }
            self.add_reborrow(list, (*part).clone(), name);
        }
    }

    /// Borrows fields of an enum variant.
    fn borrow_variant_fields(&mut self, whole: &Place, parts: &[&Proj], splits: &mut TokenBuf) {
        let number = self.reborrows.len();
        let (base, mut fields, mut names) = (
            self.borrow(whole, true),
            TokenBuf::empty(),
            TokenBuf::empty(),
        );
        let mut path = TokenBuf::empty();
        for (k, part) in parts.iter().enumerate() {
            let name = &Ident::new(&format!("field_{number}_{k}"), Span::mixed_site());
            if let Proj::Variant(variant, field) = part {
                let field = &self::field(field);
                path = variant_path(variant);
                fields.add(code!(#field: #name,));
                names.add(code!(#name,));
            }
            self.add_reborrow(whole, (*part).clone(), name);
        }
        let names = &names;
        splits.add(code! {
            let (#names) = match #base {
                #path { #fields .. } => (#names),
                _ => ::core::unreachable!(),
            };
        });
    }

    fn range_of(&self, part: &Proj, only_elements: bool) -> TokenBuf {
        let bound = |e: &Option<Box<Expr>>| e.as_ref().map(|e| self.expr(e));
        match part {
            Proj::Index(i) if only_elements => self.expr(i),
            Proj::Index(i) => {
                let i = &self.expr(i);
                code!(#i..#i + 1)
            }
            Proj::Range(lo, hi) => {
                let lo = bound(lo).unwrap_or_else(|| code!(0));
                let hi = bound(hi).unwrap_or_else(|| code!(end));
                code!(#lo..#hi)
            }
            _ => TokenBuf::empty(),
        }
    }

    /// Reborrows the common prefix of several fields once, if it contains an index or a variant.
    fn reborrow_prefix(&mut self, whole: Place, splits: &mut TokenBuf) {
        let by_call = |step: &Proj| matches!(step, Proj::Index(_) | Proj::Variant(..));
        if !whole.proj.iter().any(by_call) {
            return;
        }
        let name = &Ident::new(
            &format!("whole_{}", self.reborrows.len()),
            Span::mixed_site(),
        );
        let lent = self.borrow(&whole, true);
        splits.add(code!(let #name = #lent;));
        self.reborrows.push((whole, name.clone()));
    }

    /// Makes the part accessible by this name.
    fn add_reborrow(&mut self, whole: &Place, part: Proj, name: &Ident) {
        let place = whole.project(part, Ty::Unknown);
        self.reborrows.push((place, name.clone()));
    }
}

/// A call and the splits that surround it.
pub struct SplitCall {
    splits: TokenBuf,
    call: TokenBuf,
}

impl SplitCall {
    /// The statement `let pattern = call;`
    pub fn bind(self, pattern: Option<TokenBuf>) -> TokenBuf {
        let SplitCall { splits, call } = self;
        let value = match splits.is_empty() {
            true => call,
            false => code!({ #splits #call }),
        };
        match pattern {
            Some(pattern) => code!(let #pattern = #value;),
            None => code!(#value;),
        }
    }
}
