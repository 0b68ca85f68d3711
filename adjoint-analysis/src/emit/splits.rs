//! Disjoint parts of one variable, lent to one statement: what was split is split again around it.

use proc_macro2::{Ident, Span};

use super::Emit;
use super::expr::{field, variant_path};
use super::piece::{Piece, code};
use crate::ir::{Arg, Expr, Place, Proj, Ty};
use crate::plan::statement::disjoint;

impl Emit<'_> {
    /// Writes a call whose arguments may be disjoint parts of one variable: what was split by
    /// `split_at_mut` is split again around the call.
    pub fn with_splits(
        &self,
        args: &[Arg],
        adjoints: &[Place],
        write: impl FnOnce(&Emit<'_>) -> Piece,
    ) -> Written {
        let mut emit = self.copied();
        let mut places: Vec<(Place, bool)> = args
            .iter()
            .filter_map(|a| a.place().map(|p| (p.clone(), matches!(a, Arg::Mut(_)))))
            .collect();
        places.extend(adjoints.iter().map(|p| (p.clone(), true)));
        let mut splits = Piece::empty();
        let mut pairs = Vec::new();
        for (i, (a, a_mut)) in places.iter().enumerate() {
            for (b, b_mut) in &places[i + 1..] {
                if a.root == b.root && (*a_mut || *b_mut) {
                    pairs.push((a, b));
                }
            }
        }
        emit.separate(pairs, &mut splits);
        Written {
            splits,
            call: write(&emit),
        }
    }

    /// A statement on two places that a split tells apart.
    pub fn apart(&self, a: &Place, b: &Place, write: impl FnOnce(&Emit<'_>) -> Piece) -> Piece {
        let (mut emit, mut splits) = (self.copied(), Piece::empty());
        emit.separate(vec![(a, b)], &mut splits);
        let statement = write(&emit);
        match splits.is_empty() {
            true => statement,
            false => code!({ #splits #statement }),
        }
    }

    /// Borrows what the ways to the places of each pair have in common once.
    fn separate(&mut self, pairs: Vec<(&Place, &Place)>, splits: &mut Piece) {
        let mut wholes = Wholes::default();
        let halves = pairs.into_iter().filter(|(a, b)| !wholes.add(a, b));
        let halves: Vec<_> = halves.filter(|(a, b)| disjoint(a, b)).collect();
        for (whole, parts) in wholes.0 {
            match parts.iter().all(|part| matches!(part, Proj::Variant(..))) {
                true => self.take_fields(&whole, parts, splits),
                false => self.take_parts(&whole, parts, splits),
            }
        }
        for (a, b) in halves {
            self.split_apart(a, b, splits);
        }
    }

    /// Splits where the ways to the two places part.
    fn split_apart(&mut self, a: &Place, b: &Place, splits: &mut Piece) {
        let Some(at) = a.proj.iter().zip(&b.proj).position(|(x, y)| x != y) else {
            return;
        };
        let base = Place {
            root: a.root,
            proj: a.proj[..at].to_vec(),
            ty: a.ty.clone(),
        };
        let (Proj::Head(mid) | Proj::Tail(mid)) = &a.proj[at] else {
            return self.borrow_common(base, splits);
        };
        let half = |step: Proj| base.project(step, a.ty.clone());
        let (head, tail) = (half(Proj::Head(mid.clone())), half(Proj::Tail(mid.clone())));
        if self
            .rebased
            .iter()
            .any(|(known, _)| known.root == head.root && known.proj == head.proj)
        {
            return;
        }
        let number = self.rebased.len();
        let name = |which: &str| Ident::new(&format!("{which}_{number}"), Span::mixed_site());
        let (head_name, tail_name) = (&name("head"), &name("tail"));
        let (whole, mid) = (self.receiver_for(&base, true), self.expr(mid));
        splits.add(code!(let (#head_name, #tail_name) = #whole.split_at_mut(#mid);));
        // Inner splits come later and are found first.
        self.rebased.insert(0, (head, head_name.clone()));
        self.rebased.insert(0, (tail, tail_name.clone()));
        debug_assert!(self.rebased.iter().any(|(half, _)| a.is_within(half)));
    }

    /// Borrows elements and ranges of a list at once.
    fn take_parts(&mut self, list: &Place, parts: Vec<Proj>, splits: &mut Piece) {
        let number = self.rebased.len();
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
        for (part, name) in parts.into_iter().zip(names) {
            if matches!(part, Proj::Index(_)) && !only_elements {
                splits.add(code!(let #name = &mut #name[0];));
            }
            let place = list.project(part, Ty::Unknown);
            self.rebased.insert(0, (place, name.clone()));
        }
    }

    /// Borrows fields of an enum's variant at once.
    fn take_fields(&mut self, whole: &Place, parts: Vec<Proj>, splits: &mut Piece) {
        let number = self.rebased.len();
        let (base, mut fields, mut names) =
            (self.borrow(whole, true), Piece::empty(), Piece::empty());
        let mut path = Piece::empty();
        for (k, part) in parts.into_iter().enumerate() {
            let name = &Ident::new(&format!("field_{number}_{k}"), Span::mixed_site());
            if let Proj::Variant(variant, field) = &part {
                let field = &self::field(field);
                path = variant_path(variant);
                fields.add(code!(#field: #name,));
                names.add(code!(#name,));
            }
            let place = whole.project(part, Ty::Unknown);
            self.rebased.insert(0, (place, name.clone()));
        }
        let names = &names;
        splits.add(code! {
            let (#names) = match #base {
                #path { #fields .. } => (#names),
                _ => ::core::unreachable!(),
            };
        });
    }

    fn range_of(&self, part: &Proj, only_elements: bool) -> Piece {
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
            _ => Piece::empty(),
        }
    }

    /// Borrows once what two fields are parts of, where it is reached through an index or in a variant.
    fn borrow_common(&mut self, base: Place, splits: &mut Piece) {
        let by_call = |step: &Proj| matches!(step, Proj::Index(_) | Proj::Variant(..));
        let known =
            |(known, _): &(Place, Ident)| known.root == base.root && known.proj == base.proj;
        if !base.proj.iter().any(by_call) || self.rebased.iter().any(known) {
            return;
        }
        let name = &Ident::new(&format!("whole_{}", self.rebased.len()), Span::mixed_site());
        let whole = self.borrow(&base, true);
        splits.add(code!(let #name = #whole;));
        self.rebased.insert(0, (base, name.clone()));
    }
}

/// Lists and variants of which a call is lent several parts, which rustc saw to share nothing, and these.
#[derive(Default)]
struct Wholes(Vec<(Place, Vec<Proj>)>);

impl Wholes {
    /// Whether the two places are such parts, or lie in such.
    fn add(&mut self, a: &Place, b: &Place) -> bool {
        let Some(at) = a.proj.iter().zip(&b.proj).position(|(x, y)| x != y) else {
            return false;
        };
        let parts = [&a.proj[at], &b.proj[at]];
        let of_list = |p: &&Proj| matches!(p, Proj::Index(_) | Proj::Range(..));
        let of_variant = |p: &&Proj| matches!(p, Proj::Variant(..));
        if !parts.iter().all(of_list) && !parts.iter().all(of_variant) {
            return false;
        }
        let whole = Place {
            proj: a.proj[..at].to_vec(),
            ..a.clone()
        };
        let same =
            |(known, _): &(Place, Vec<Proj>)| known.root == whole.root && known.proj == whole.proj;
        let k = self.0.iter().position(same).unwrap_or_else(|| {
            self.0.push((whole, Vec::new()));
            self.0.len() - 1
        });
        for part in parts {
            if !self.0[k].1.contains(part) {
                self.0[k].1.push(part.clone());
            }
        }
        true
    }
}

/// A call, and the splits that have to surround it.
pub struct Written {
    splits: Piece,
    call: Piece,
}

impl Written {
    /// The statement `let pattern = call;`
    pub fn bind(self, pattern: Option<Piece>) -> Piece {
        let Written { splits, call } = self;
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
