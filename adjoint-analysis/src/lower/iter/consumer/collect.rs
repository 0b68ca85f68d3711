//! Consumers that store items in a `Vec` or an array.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use proc_macro2::Span;

use crate::ir::construct::usize_lit;
use crate::ir::default_value::default_value;
use crate::ir::{Block, Expr, Origin, Place, StmtKind, Ty, VarId};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::EnumKind;
use crate::lower::inline::closure::{Callable, Closure};
use crate::lower::iter::Producer;
use crate::lower::types::text;
use crate::lower::value::Value;
use crate::refuse::Reason;

impl Lower {
    /// `collect`; the result is a `Vec` unless a turbofish or an annotation says otherwise.
    pub fn collect(&mut self, p: &Rc<Producer>, m: &syn::ExprMethodCall, span: Span) -> Value {
        let target = match (&m.turbofish, self.expected_ty.take()) {
            (Some(_), _) => self.turbofish(m),
            (None, Some(ty)) => self.shallow(&ty),
            (None, None) => self.fresh_ty(),
        };
        self.collect_as(target, p, span)
    }

    /// Collects the items into a value of this type.
    pub fn collect_as(&mut self, target: Ty, p: &Rc<Producer>, span: Span) -> Value {
        let element = self.fresh_ty();
        let ty = Ty::Vec(Box::new(element.clone()));
        let target = owned_slices_type(target);
        match &target {
            Ty::Vec(_) | Ty::Infer(_) | Ty::Unknown => self.unify(&ty, &target),
            Ty::Boxed(slice) => self.unify(slice, &Ty::Slice(Box::new(element.clone()))),
            Ty::Option(list) => return self.try_collect(p, EnumKind::Option, list, span),
            Ty::Result(list, _) => return self.try_collect(p, EnumKind::Result, list, span),
            _ => {
                let what = "a `collect` into anything but a `Vec`";
                return self.refuse(span, Reason::Expression(what.into()));
            }
        }
        let p = &self.with_expected_items(p, &element);
        if p.is_stream() && p.may_have_effects() {
            // The items can be computed only once, so they can't be counted first.
            return Value::Place(self.push_items(p, ty, span));
        }
        let n = match p.is_stream() {
            true => {
                let n = self.count_items(p, span);
                self.read(n, span).0
            }
            false => self.length(p),
        };
        let n = self.stable_operand(n, Ty::USIZE, span);
        let blank = Expr::Lit("0.0".into(), element);
        let all = Expr::Repeat(Box::new(blank), Box::new(n), ty.clone());
        let all = self.temp(span, "all", all, ty);
        let start = self.draft.spans.len();
        let counted = Producer::Enumerate(p.clone());
        self.for_each_item(&counted, span, &mut |l, pair, _| {
            let mut pair = l.components(pair, 2, span).into_iter();
            if let (Some(k), Some(item)) = (pair.next(), pair.next()) {
                let (k, _) = l.read(k, span);
                let item = l.copied_slice_item(item, &all, span);
                let target = l.element(&all, k, span);
                l.store(Value::Place(target), item, span);
            }
        });
        self.collect_targets
            .push((all.root, start..self.draft.spans.len()));
        Value::Place(all)
    }

    /// Copies the subslice that an item refers to. A shared reference can be replaced by a copy.
    fn copied_slice_item(&mut self, item: Value, all: &Place, span: Span) -> Value {
        match &item {
            Value::PlaceRef(p, false) if matches!(self.shallow(&p.ty), Ty::Slice(_)) => {
                self.slice_copies.insert(all.root);
                let list = self.sequence_method("to_vec", &item, &[], span);
                list.unwrap_or(item)
            }
            _ => item,
        }
    }

    /// Whether the place holds such a copy instead of a reference.
    pub fn is_slice_copy(&self, place: &Place) -> bool {
        let is_list = |ty: &Ty| matches!(self.shallow(ty), Ty::Vec(_));
        self.slice_copies.contains(&place.root)
            && matches!(self.shallow(&place.ty), Ty::Vec(item) if !is_list(&item))
    }

    /// The producer, with the expected element type passed to its closure.
    fn with_expected_items(&self, p: &Rc<Producer>, element: &Ty) -> Rc<Producer> {
        match (&**p, self.shallow(element)) {
            (_, Ty::Infer(_) | Ty::Unknown) => Rc::clone(p),
            (Producer::Map(q, Callable::Closure(f)), makes) => {
                let f = Closure {
                    output: Some(makes),
                    ..(**f).clone()
                };
                Rc::new(Producer::Map(Rc::clone(q), Callable::Closure(Rc::new(f))))
            }
            _ => Rc::clone(p),
        }
    }

    /// `unzip` into two `Vec`s.
    pub fn unzip(&mut self, p: &Rc<Producer>, span: Span) -> Value {
        let halves = match p.is_stream() {
            true => self.unzip_stream(p, span),
            false => self.unzip_positions(p, span),
        };
        Value::Tuple(halves.into_iter().map(Value::Place).collect())
    }

    fn unzip_positions(&mut self, p: &Rc<Producer>, span: Span) -> [Place; 2] {
        let n = self.length(p);
        let n = self.stable_operand(n, Ty::USIZE, span);
        let halves = [(); 2].map(|()| {
            let element = self.fresh_ty();
            let ty = Ty::Vec(Box::new(element.clone()));
            let blank = Expr::Lit("0.0".into(), element);
            let all = Expr::Repeat(Box::new(blank), Box::new(n.clone()), ty.clone());
            self.temp(span, "half", all, ty)
        });
        let start = self.draft.spans.len();
        self.counted_loop(n, span, |l, k| {
            let pair = l.item(p, k.clone(), span);
            for (half, part) in halves.iter().zip(l.components(pair, 2, span)) {
                let target = l.element(half, k.clone(), span);
                l.store(Value::Place(target), part, span);
            }
        });
        let end = self.draft.spans.len();
        self.collect_targets
            .extend(halves.iter().map(|half| (half.root, start..end)));
        halves
    }

    /// A stream's length is unknown before the loop, so the items are pushed.
    fn unzip_stream(&mut self, p: &Producer, span: Span) -> [Place; 2] {
        let halves = [(); 2].map(|()| {
            let ty = Ty::Vec(Box::new(self.fresh_ty()));
            let none = Expr::Aggregate(Vec::new(), ty.clone());
            self.mutable_var("half", none, ty, span)
        });
        self.for_each_item(p, span, &mut |l, pair, _| {
            let pair = l.computed_once(pair, span);
            for (half, part) in halves.iter().zip(l.components(pair, 2, span)) {
                let part = l.refuse_mut_ref(part, span);
                l.push(half, Lower::copied_item(part), span);
            }
        });
        halves
    }

    /// `partition` into two `Vec`s.
    pub fn partition(&mut self, p: &Rc<Producer>, f: &Callable, span: Span) -> Value {
        let wanted = self.expected_ty.take().map(|ty| self.shallow(&ty));
        let element = self.fresh_ty();
        let ty = Ty::Vec(Box::new(element));
        if let Some(Ty::Tuple(halves)) = wanted {
            halves.iter().for_each(|half| self.unify(half, &ty));
        }
        let halves = ["yes", "no"].map(|name| {
            let none = Expr::Aggregate(Vec::new(), ty.clone());
            self.mutable_var(name, none, ty.clone(), span)
        });
        self.for_each_item(p, span, &mut |l, item, _| {
            let item = l.computed_once(item, span);
            if l.refuse_unstorable(&item, span) {
                return;
            }
            let item = l.refuse_mut_ref(item, span);
            let test = l.predicate(f, &item, span);
            let [yes, no] = &halves;
            l.emit_if(
                test,
                span,
                |l| drop(l.push(yes, Lower::copied_item(item.clone()), span)),
                |l| drop(l.push(no, Lower::copied_item(item.clone()), span)),
            );
        });
        Value::Tuple(halves.into_iter().map(Value::Place).collect())
    }

    /// Collects the items of a stream in a `Vec`, to access them by position.
    pub fn collect_for_positions(&mut self, p: &Rc<Producer>, span: Span) -> Rc<Producer> {
        let ty = Ty::Vec(Box::new(self.fresh_ty()));
        Rc::new(Producer::Elements(self.push_items(p, ty, span), None))
    }

    /// Pushes the items onto a new `Vec`.
    fn push_items(&mut self, p: &Producer, ty: Ty, span: Span) -> Place {
        let none = Expr::Aggregate(Vec::new(), ty.clone());
        let all = self.mutable_var("all", none, ty, span);
        self.for_each_item(p, span, &mut |l, item, _| {
            let item = l.computed_once(item, span);
            if !l.refuse_unstorable(&item, span) {
                let item = l.refuse_mut_ref(item, span);
                l.push(&all, Lower::copied_item(item), span);
            }
        });
        all
    }

    /// `std::array::from_fn(f)`; its length is given by its path or the expected type.
    pub fn array_from_fn(&mut self, p: &syn::ExprPath, f: &syn::Expr, span: Span) -> Value {
        let wanted = self.expected_ty.take();
        let wanted = wanted.map_or(Ty::Unknown, |ty| self.shallow(&ty));
        let wanted = self.array_of_path(p, wanted);
        let Ty::Array(element, extent) = &wanted else {
            return self.refuse(span, Reason::Extent);
        };
        let element = self.shallow(element);
        let Some(f) = self.callable(f) else {
            return Value::Diverges;
        };
        let ty = element.clone();
        self.filled_array("array", ty, &extent.clone(), span, &mut |l, k| {
            l.closure_output = Some(element.clone());
            l.apply(&f, vec![Value::Expr(k, Ty::USIZE)], span)
        })
    }

    /// An array with an item for each position. If its elements have no default value, they are pushed onto a `Vec`,
    /// and the array is a chunk of it.
    fn filled_array(
        &mut self,
        name: &str,
        element: Ty,
        extent: &str,
        span: Span,
        item: &mut dyn FnMut(&mut Self, Expr) -> Value,
    ) -> Value {
        let ty = Ty::Array(Box::new(element.clone()), extent.to_string());
        let var = self.new_var(name, ty.clone(), Origin::Temp);
        let out = Place::var(var, ty);
        let n = Lower::extent(&out, extent);
        let start = self.draft.spans.len();
        let (raws, ()) = self.in_block(|l| {
            l.counted_loop(n.clone(), span, |l, k| {
                let value = item(l, k.clone());
                let target = l.element(&out, k, span);
                l.store(Value::Place(target), value, span);
            });
        });
        let has_blank = self.infer.is_number(&element)
            || default_value(&self.infer.resolve_known(&element)).is_some();
        if has_blank {
            self.emit(span, StmtKind::Let(var, None));
            self.out.extend(raws);
            return Value::Place(out);
        }
        let ty = Ty::Vec(Box::new(element.clone()));
        let blank = Box::new(Expr::Lit("0.0".into(), element));
        let all = Expr::Repeat(blank, Box::new(n), ty.clone());
        self.draft.func.vars[var.index()].ty = ty.clone();
        self.emit(span, StmtKind::Let(var, Some(all)));
        self.out.extend(raws);
        self.collect_targets
            .push((var, start..self.draft.spans.len()));
        Value::Place(self.chunk(&Place::var(var, ty), usize_lit(0), extent))
    }

    /// The array type of a path, `[f64; 3]` of `from_fn::<f64, 3, _>`; inferred arguments are those of the expected
    /// type.
    fn array_of_path(&mut self, p: &syn::ExprPath, wanted: Ty) -> Ty {
        let arguments = p.path.segments.last().map(|last| &last.arguments);
        let Some(syn::PathArguments::AngleBracketed(given)) = arguments else {
            return wanted;
        };
        let mut given = given.args.iter();
        let (element, extent) = (given.next(), given.next());
        let (wanted_element, wanted_extent) = match wanted {
            Ty::Array(element, extent) => (Some(*element), Some(extent)),
            _ => (None, None),
        };
        let named = match element {
            Some(syn::GenericArgument::Type(ty)) => self.named_type(ty),
            _ => Ty::Unknown,
        };
        let element = match named {
            Ty::Unknown => wanted_element.unwrap_or_else(|| self.fresh_ty()),
            ty => ty,
        };
        let is_open = |a: &&syn::GenericArgument| {
            matches!(a, syn::GenericArgument::Type(syn::Type::Infer(_)))
        };
        let extent = extent.filter(|a| !is_open(a)).map(text).or(wanted_extent);
        extent.map_or(Ty::Unknown, |n| Ty::Array(Box::new(element), n))
    }

    /// `[..].map(f)`
    pub fn array_map(&mut self, place: Place, m: &syn::ExprMethodCall, span: Span) -> Value {
        let Some(f) = m.args.first().and_then(|f| self.callable(f)) else {
            return Value::Diverges;
        };
        let Ty::Array(_, extent) = self.shallow(&place.ty) else {
            return Value::Diverges;
        };
        let place = match f.has_effects(false) {
            true => self.copied_array(place, span),
            false => place,
        };
        let element = self.fresh_ty();
        self.filled_array("mapped", element, &extent, span, &mut |l, k| {
            let item = l.element(&place, k, span);
            l.apply(&f, vec![Value::Place(item)], span)
        })
    }

    /// Rewrites collected `Vec`s whose elements have no default value: instead of filling a `Vec` of defaults, they
    /// start empty, and the items are pushed.
    pub fn push_collected(&self, body: &mut Block) {
        let without_blank = |v: VarId| {
            let element = self.draft.func.var(v).ty.element();
            element.is_none_or(|ty| default_value(ty).is_none() && !matches!(ty, Ty::Float(_)))
        };
        let growing = self
            .collect_targets
            .iter()
            .filter(|(v, _)| without_blank(*v));
        let growing: BTreeMap<VarId, PushedVec> = growing
            .map(|(v, fills)| (*v, (self.draft.func.var(*v).ty.clone(), fills.clone())))
            .collect();
        if !growing.is_empty() {
            push_instead_of_fill(body, &growing);
        }
    }
}

/// `Vec<&[T]>` as `Vec<Vec<T>>`: its items are copied.
pub fn owned_slices_type(ty: Ty) -> Ty {
    match ty {
        Ty::Vec(item) => match *item {
            Ty::Slice(of) => Ty::Vec(Box::new(Ty::Vec(of))),
            item => Ty::Vec(Box::new(item)),
        },
        ty => ty,
    }
}

/// The type of a collected `Vec`, and a range of statement ids that contains those that fill it.
type PushedVec = (Ty, Range<usize>);

fn push_instead_of_fill(block: &mut Block, growing: &BTreeMap<VarId, PushedVec>) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Let(v, Some(init @ Expr::Repeat(..))) => {
                if let Some((ty, _)) = growing.get(v) {
                    *init = Expr::Aggregate(Vec::new(), ty.clone());
                }
            }
            StmtKind::Assign(p, e) if p.proj.len() == 1 => {
                if let Some((ty, fills)) = growing.get(&p.root)
                    && fills.contains(&stmt.id.index())
                {
                    let all = Place::var(p.root, ty.clone());
                    stmt.kind = StmtKind::Insert(all, None, e.clone());
                }
            }
            _ => {}
        }
        stmt.blocks_mut()
            .into_iter()
            .for_each(|b| push_instead_of_fill(b, growing));
    }
}
