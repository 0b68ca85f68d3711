//! The size of the tape as a formula in trip counts.

use std::collections::BTreeMap;

use super::fused::FusedSweeps;
use super::view::{Enclosing, View};
use crate::emit::public::documentation::join_names;
use crate::ir::{
    BinOp, Expr, FloatTy, IntTy, LoopHead, Origin, Place, Range, RecordId, StmtId, StmtKind, Ty,
    VarId,
};
use crate::plan::{RecordKind, Storage};

/// A sum of products: symbolic factors, and their coefficient.
type Sum = BTreeMap<Vec<String>, u64>;

/// The size of the tape's content.
#[derive(Default)]
struct Size {
    bytes: Sum,
    bits: Sum,
    /// Whether the size is an upper bound, as some of it depends on branches.
    is_upper_bound: bool,
}

/// The formula, and the meaning of its symbols; of fused sweeps, if they are given.
pub fn formula(view: &View<'_>, fused: Option<&FusedSweeps>) -> String {
    let mut trips = Trips {
        view,
        fused,
        symbols: Vec::new(),
    };
    let (mut own, mut for_caller) = (Size::default(), Size::default());
    let places: BTreeMap<_, _> = view.recorded.iter().map(|r| (r.id, &r.place)).collect();
    let is_made = |k: &usize| fused.is_none_or(|f| f.makes(RecordId(*k as u32)));
    for (k, record) in view
        .plan()
        .records
        .iter()
        .enumerate()
        .filter(|(k, _)| is_made(k))
    {
        let size = if record.demand.only_restores() {
            &mut for_caller
        } else {
            &mut own
        };
        let id = RecordId(k as u32);
        let around = match places.get(&id) {
            // The returned value is recorded after everything else.
            Some(p) if Some(p.root) == view.func().ret && !view.declared.contains_key(&p.root) => {
                vec![]
            }
            _ => view.enclosing.get(&record.of).cloned().unwrap_or_default(),
        };
        let times = trips.executions(&around);
        size.is_upper_bound |= trips.is_upper_bound(&around);
        match (&record.kind, places.get(&id)) {
            (kind, _) if kind.is_in_bits() && record.storage != Storage::Stack => {
                add_product(&mut size.bytes, &times, &one());
            }
            (RecordKind::Flag, _) => add_product(&mut size.bits, &times, &one()),
            (RecordKind::Label(bits), _) => {
                add_product(&mut size.bits, &times, &number(u64::from(*bits)));
            }
            (RecordKind::Count, _) => add_product(&mut size.bytes, &times, &number(8)),
            (RecordKind::Value(Ty::Bool), _) => add_product(&mut size.bits, &times, &one()),
            (RecordKind::Value(ty), Some(place)) => {
                add_product(&mut size.bytes, &times, &bytes_of(view, ty, place));
            }
            (RecordKind::Value(_), None) => {}
        }
    }
    let callees = callees(view, &mut trips);
    let mut parts = own.text();
    parts.extend(callees);
    let mut text = match parts.is_empty() {
        true => String::from("empty"),
        false => format!(
            "{}{}",
            if own.is_upper_bound { "at most " } else { "" },
            join_names(&parts)
        ),
    };
    let for_caller = for_caller.text();
    if !for_caller.is_empty() && fused.is_none() {
        let more = join_names(&for_caller);
        text += &format!("; where a caller needs its `&mut` arguments back, {more} more");
    }
    for (symbol, id) in &trips.symbols {
        let around = view.enclosing.get(id).into_iter().flatten();
        let mut steps = around.filter(|place| match place {
            Enclosing::Loop(id) => trips.is_in_steps(*id),
            Enclosing::Arm => false,
        });
        let which = match steps.next() {
            Some(Enclosing::Loop(id)) if trips.strip_length(*id).is_some() => {
                "the iterations in one strip"
            }
            Some(_) => "the iterations in one step",
            None => "all iterations",
        };
        text += &format!("; `{symbol}` = {which} of {}", view.quoted_line(*id));
    }
    text
}

/// The size of a snapshot, as a formula.
pub fn snapshot_bytes(view: &View<'_>, places: &[(RecordId, Place)]) -> String {
    let mut bytes = Sum::new();
    for (id, place) in places {
        if let RecordKind::Value(ty) = &view.record(*id).kind {
            add_product(&mut bytes, &[], &bytes_of(view, ty, place));
        }
    }
    sum_text(&bytes)
}

impl Size {
    fn text(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.bytes.is_empty() {
            parts.push(format!("`{}` bytes", sum_text(&self.bytes)));
        }
        if !self.bits.is_empty() {
            parts.push(format!("`{}` bits", sum_text(&self.bits)));
        }
        parts
    }
}

/// The tape sizes of callees, by name.
fn callees(view: &View<'_>, trips: &mut Trips<'_, '_>) -> Vec<String> {
    let mut calls: Vec<(String, StmtId)> = Vec::new();
    view.plan().each_forward_stmt(&mut |s| {
        if let StmtKind::Forward(call) = &s.kind {
            calls.push((call.callee.name.replace(' ', ""), s.id));
        }
    });
    let text = |(name, id): (String, StmtId)| {
        let around = view.enclosing.get(&id).cloned().unwrap_or_default();
        let times = product_text(&trips.executions(&around));
        match times.as_str() {
            "" => format!("what `{name}` records"),
            times => format!("`{times}` times what `{name}` records"),
        }
    };
    calls.into_iter().map(text).collect()
}

/// The trip counts of loops, as factors.
struct Trips<'a, 'b> {
    view: &'a View<'b>,
    fused: Option<&'a FusedSweeps>,
    /// Loops without a formula for their trips, each with a symbol for the total number of its iterations.
    symbols: Vec<(String, StmtId)>,
}

impl Trips<'_, '_> {
    /// The number of executions of a statement in these loops.
    fn executions(&mut self, around: &[Enclosing]) -> Vec<String> {
        let mut factors = Vec::new();
        for place in around {
            let Enclosing::Loop(id) = place else { continue };
            if self.is_in_steps(*id) {
                let length = self.strip_length(*id);
                factors = length.iter().map(usize::to_string).collect();
                continue;
            }
            match self.trip_count(*id) {
                Some(count) => factors.push(count),
                None => factors = vec![self.symbol(*id)],
            }
        }
        factors
    }

    /// Whether one step or strip of the loop at a time is on the tape.
    fn is_in_steps(&self, id: StmtId) -> bool {
        self.strip_length(id).is_some() || self.view.func().checkpoints.contains_key(&id)
    }

    /// How many iterations a strip of a fused loop has at most.
    fn strip_length(&self, id: StmtId) -> Option<usize> {
        self.fused.and_then(|f| f.loops.get(&id).copied())
    }

    /// Whether there may be fewer executions than [`Trips::executions`] says.
    fn is_upper_bound(&self, around: &[Enclosing]) -> bool {
        let is_in_strips = around.iter().any(|place| match place {
            Enclosing::Loop(id) => self.strip_length(*id).is_some(),
            Enclosing::Arm => true,
        });
        is_in_strips || self.may_break_early(around)
    }

    fn may_break_early(&self, around: &[Enclosing]) -> bool {
        around.iter().any(|place| match place {
            Enclosing::Loop(id) => match self.view.stmts.get(id).map(|s| &s.kind) {
                Some(StmtKind::Loop(LoopHead::Counted(..), body)) => self.view.may_break(body),
                _ => false,
            },
            Enclosing::Arm => false,
        })
    }

    fn symbol(&mut self, id: StmtId) -> String {
        if let Some((symbol, _)) = self.symbols.iter().find(|(_, of)| *of == id) {
            return symbol.clone();
        }
        let digits = ["₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"];
        let number = digits.get(self.symbols.len()).map_or("ₙ", |d| *d);
        let symbol = format!("t{number}");
        self.symbols.push((symbol.clone(), id));
        symbol
    }

    /// The trip count of a counted loop, if its bounds are constant during the call.
    fn trip_count(&self, id: StmtId) -> Option<String> {
        let Some(StmtKind::Loop(LoopHead::Counted(_, range), _)) =
            self.view.stmts.get(&id).map(|s| &s.kind)
        else {
            return None;
        };
        let needs = range
            .operands()
            .into_iter()
            .flat_map(|e| e.needs(self.view.func()));
        let constant = needs.into_iter().all(|v| self.is_constant(v));
        constant.then(|| self.range_length(range))
    }

    fn is_constant(&self, v: VarId) -> bool {
        if self.view.is_overwritten(v) {
            return false;
        }
        match self.view.func().var(v).origin {
            Origin::Param => true,
            Origin::Index => false,
            _ => {
                let around = self
                    .view
                    .declared
                    .get(&v)
                    .and_then(|id| self.view.enclosing.get(id));
                around.is_some_and(|a| a.iter().all(|p| *p == Enclosing::Arm))
            }
        }
    }

    fn range_length(&self, range: &Range) -> String {
        let ((lo, below), (hi, above)) = (self.affine(&range.lo), self.affine(&range.hi));
        let constant = above - below + i128::from(range.inclusive);
        let span = match (hi, lo) {
            (None, None) => constant.max(0).to_string(),
            (Some(hi), None) => plus_constant(&self.operand(hi), constant),
            (None, Some(lo)) => format!("{constant} − {}", self.operand(lo)),
            (Some(hi), Some(lo)) => plus_constant(
                &format!("{} − {}", self.operand(hi), self.operand(lo)),
                constant,
            ),
        };
        match &range.step {
            None => span,
            Some(step) => format!("⌈({span})/{}⌉", self.operand(self.definition(step))),
        }
    }

    /// Splits an expression into a term and a constant.
    fn affine<'e>(&'e self, e: &'e Expr) -> (Option<&'e Expr>, i128) {
        let e = self.definition(e);
        let literal = |e: &Expr| match e {
            Expr::Lit(text, _) => text.parse::<i128>().ok(),
            _ => None,
        };
        if let Some(number) = literal(e) {
            return (None, number);
        }
        let Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) = e else {
            return (Some(e), 0);
        };
        let Some(number) = literal(b) else {
            return (Some(e), 0);
        };
        let (rest, constant) = self.affine(a);
        (
            rest,
            if *op == BinOp::Add {
                constant + number
            } else {
                constant - number
            },
        )
    }

    /// The definition of a temporary; any other expression as it is.
    fn definition<'e>(&'e self, e: &'e Expr) -> &'e Expr {
        let Expr::Read(place) = e else { return e };
        let is_temp = self.view.func().var(place.root).origin == Origin::Temp;
        let definition = self
            .view
            .declared
            .get(&place.root)
            .and_then(|s| self.view.stmts.get(s));
        match definition.map(|s| &s.kind) {
            Some(StmtKind::Let(_, Some(e))) if is_temp && place.is_whole() => self.definition(e),
            _ => e,
        }
    }

    fn operand(&self, e: &Expr) -> String {
        let text = self.view.expr(e);
        match e {
            Expr::Binary(BinOp::Add | BinOp::Sub, ..) => format!("({text})"),
            _ => text,
        }
    }
}

/// `text + by`; `by` may be negative.
fn plus_constant(text: &str, by: i128) -> String {
    match by {
        0 => text.to_string(),
        by if by > 0 => format!("{text} + {by}"),
        by => format!("{text} − {}", -by),
    }
}

/// The size of one value in bytes.
fn bytes_of(view: &View<'_>, ty: &Ty, place: &Place) -> Sum {
    match ty {
        Ty::Float(FloatTy::F32) => number(4),
        Ty::Float(FloatTy::F64) => number(8),
        Ty::Float(FloatTy::Param(name)) => symbol(format!("size_of::<{name}>()")),
        Ty::Int(int) => number(width(*int)),
        Ty::Bool => one(),
        Ty::Unit => Sum::new(),
        Ty::Array(t, n) => {
            let (element, factor) = (bytes_of(view, t, place), n.replace(' ', ""));
            scaled(element, factor)
        }
        Ty::Slice(t) | Ty::Vec(t) if t.is_scalar() => scaled(
            bytes_of(view, t, place),
            format!("{}.len()", view.place(place)),
        ),
        Ty::Tuple(ts) => {
            let mut sum = Sum::new();
            for t in ts {
                add_product(&mut sum, &[], &bytes_of(view, t, place));
            }
            sum
        }
        _ => symbol(format!("size of {}", view.place(place))),
    }
}

fn width(int: IntTy) -> u64 {
    match int {
        IntTy::I8 | IntTy::U8 => 1,
        IntTy::I16 | IntTy::U16 => 2,
        IntTy::I32 | IntTy::U32 | IntTy::Infer => 4,
        IntTy::I64 | IntTy::U64 | IntTy::Isize | IntTy::Usize => 8,
        IntTy::I128 | IntTy::U128 => 16,
    }
}

fn number(n: u64) -> Sum {
    Sum::from([(Vec::new(), n)])
}

fn one() -> Sum {
    number(1)
}

fn symbol(text: String) -> Sum {
    Sum::from([(vec![text], 1)])
}

fn scaled(sum: Sum, factor: String) -> Sum {
    let product = |(mut factors, n): (Vec<String>, u64)| match factor.parse::<u64>() {
        Ok(m) => (factors, n.saturating_mul(m)),
        Err(_) => {
            factors.push(factor.clone());
            (factors, n)
        }
    };
    sum.into_iter().map(product).collect()
}

/// `sum += product of the factors · what`
fn add_product(sum: &mut Sum, factors: &[String], what: &Sum) {
    for (own, n) in what {
        let (mut key, mut count) = (Vec::new(), *n);
        for factor in factors.iter().chain(own) {
            match factor.parse::<u64>() {
                Ok(m) => count = count.saturating_mul(m),
                Err(_) => key.push(factor.clone()),
            }
        }
        let total = sum.entry(key).or_default();
        *total = total.saturating_add(count);
    }
}

fn sum_text(sum: &Sum) -> String {
    // Constants come last.
    let terms = sum.iter().rev().map(|(factors, n)| {
        let product = product_text(factors);
        match (product.is_empty(), n) {
            (true, n) => n.to_string(),
            (false, 1) => product,
            (false, n) => format!("{n}·{product}"),
        }
    });
    terms.collect::<Vec<_>>().join(" + ")
}

fn product_text(factors: &[String]) -> String {
    let factor = |f: &String| match f.contains([' ', '/']) && !f.starts_with('⌈') {
        true => format!("({f})"),
        false => f.clone(),
    };
    factors.iter().map(factor).collect::<Vec<_>>().join("·")
}
