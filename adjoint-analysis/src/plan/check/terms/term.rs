//! Terms: symbolic versions of values. Equal terms represent equal values.

use std::collections::{HashMap, HashSet};

use crate::ir::{BinOp, CodeId, IntTy, Intrinsic, StmtId, Ty, UnOp, VarId};
use crate::passes::inversion::polynomial::Polynomial;
use crate::passes::inversion::sums::Bounds;

/// A hash-consed term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

/// A location: a variable, or a field path in one. See [`super::cells`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cell(pub u32);

impl Cell {
    /// The position in a state.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One step into an aggregate, its indices being values.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Step {
    /// A field.
    Field(String),
    /// An element.
    Index(Term),
    /// The last element.
    Last,
    /// A sub-slice.
    Range(Option<Term>, Option<Term>),
    /// The elements before this one.
    Head(Term),
    /// The elements from this one on.
    Tail(Term),
    /// The contents of a box.
    Deref,
    /// A field of a variant.
    Variant(String, String),
}

/// A way into an aggregate.
pub type Key = Vec<Step>;

/// An operator of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Lit(String, Ty),
    Unary(UnOp),
    Binary(BinOp),
    Intrinsic(Intrinsic),
    Partial(&'static str),
    Scale,
    Cast(Ty),
    Len,
    /// The length of a slice or array variable, which never changes.
    LenOf(Cell),
    Discrete(String, Ty),
    /// The second operand where the first one holds, else the third.
    Select,
    Aggregate(Ty),
    Repeat(Ty),
    Variant(String, Vec<String>, Ty),
    Is(String),
    Code(CodeId, Ty),
}

/// The structure of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// What the location held when the function was entered.
    Entry(Cell),
    /// What a call wrote: through its n-th argument, or as its result (`usize::MAX`).
    Written(StmtId, usize),
    /// The index of a counted loop.
    Index(StmtId),
    /// The join of the two arms of a branch.
    Join(StmtId, Cell),
    /// The same for tracked values: the condition, the value if it holds, the other.
    Choice(Term, Term, Term),
    /// At the start of an iteration.
    Start(StmtId, Cell),
    /// After the last iteration.
    Exit(StmtId, Cell),
    /// Whether the loop was left by its n-th `break`.
    Left(StmtId, usize),
    /// Declared and not written yet.
    Unset(VarId),
    /// ⊤: equal to nothing but itself.
    Unknown(u32),
    /// An operator applied.
    Op(Op, Vec<Term>),
    /// A part of an aggregate.
    Select(Term, Key),
    /// An aggregate with one part replaced.
    Update(Term, Key, Term),
    /// An aggregate with two parts exchanged.
    Swapped(Term, Key, Key),
    /// A `Vec` with one element more: at this position, of this value.
    Inserted(Term, Step, Term),
    /// A `Vec` without the element at this position.
    Removed(Term, Step),
    /// The part of a value at a field path, without the longer ones of these paths.
    Part(Term, Key, Vec<Key>),
    /// A value put together from the locations that it consists of.
    Parts(Vec<(Key, Term)>),
}

/// All terms.
#[derive(Default)]
pub struct Terms {
    nodes: Vec<Node>,
    ids: HashMap<Node, Term>,
    /// Merged versions whose length is that of another, and whether those inside are, too.
    lengths: HashMap<Term, (Term, bool)>,
    /// The first wrapping operation of a type that is equal to a polynomial.
    pub(in crate::plan::check) forms: HashMap<(Ty, Polynomial<Term>), Term>,
    /// The numbers of pairs among the values of polynomials.
    pub(in crate::plan::check) forms_of_pairs: Vec<(Polynomial<Term>, Term)>,
    /// The bounds of loop indices.
    pub(in crate::plan::check) bounds: HashMap<Term, Bounds<Term>>,
    /// The types of integers that are cast.
    pub(in crate::plan::check) cast_from: HashMap<Term, Option<IntTy>>,
    /// How many updates below each one depend on each other.
    layers: HashMap<Term, u32>,
    unknowns: u32,
    /// Integers of which nothing else is known, so that they are no conditions.
    pub(in crate::plan::check) integers: HashSet<Term>,
    /// Those among them that are not 0.
    pub(in crate::plan::check) positive: HashSet<Term>,
    /// Pairs of steps to disjoint parts of an aggregate, for the current statement.
    pub(in crate::plan::check) disjoint_steps: HashSet<(Step, Step)>,
}

impl Terms {
    /// The term of this node, without simplification.
    pub fn make(&mut self, node: Node) -> Term {
        if let Some(&t) = self.ids.get(&node) {
            return t;
        }
        let t = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, t);
        t
    }

    /// A term equal to no other.
    pub fn unknown(&mut self) -> Term {
        self.unknowns += 1;
        self.make(Node::Unknown(self.unknowns))
    }

    /// An operator applied.
    pub fn op(&mut self, op: Op, args: Vec<Term>) -> Term {
        let asked = Node::Op(op.clone(), args.clone());
        if let Some(known) = self.known(&asked) {
            return known;
        }
        match self.fold(&op, &args) {
            Some(term) => {
                self.alias(asked, term);
                term
            }
            None => self.make(asked),
        }
    }

    /// The term that was computed for this node.
    pub(in crate::plan::check) fn known(&self, node: &Node) -> Option<Term> {
        self.ids.get(node).copied()
    }

    /// Notes that the node is this term.
    pub(in crate::plan::check) fn alias(&mut self, node: Node, term: Term) {
        self.ids.insert(node, term);
    }

    /// The structure of the term.
    pub fn node(&self, t: Term) -> &Node {
        &self.nodes[t.0 as usize]
    }

    /// Whether the term is unset, or a part of an unset term.
    pub fn is_unset(&self, t: Term) -> bool {
        match self.node(t) {
            Node::Unset(_) => true,
            Node::Part(whole, ..) | Node::Select(whole, _) => self.is_unset(*whole),
            _ => false,
        }
    }

    /// Whether the term is a literal.
    pub fn is_any_lit(&self, t: Term) -> bool {
        matches!(self.node(t), Node::Op(Op::Lit(..), _))
    }

    /// Whether the term is this literal, of whatever type.
    pub fn is_lit(&self, t: Term, text: &str) -> bool {
        matches!(self.node(t), Node::Op(Op::Lit(l, _), _) if l == text)
    }

    /// `select(update(b, k, v), k) = v`; an update inside the part goes along, one of a disjoint
    /// part does not matter.
    pub fn select(&mut self, mut base: Term, key: Key) -> Term {
        if key.is_empty() {
            return base;
        }
        loop {
            base = match self.node(base).clone() {
                Node::Update(_, k, v) if key.starts_with(&k) => {
                    return self.select(v, key[k.len()..].to_vec());
                }
                Node::Update(b, k, v) if k.starts_with(&key) => {
                    let part = self.select(b, key.clone());
                    return self.update(part, k[key.len()..].to_vec(), v);
                }
                Node::Update(b, k, _) if self.disjoint(&k, &key) => b,
                Node::Inserted(_, at, v) if key.first() == Some(&at) => {
                    return self.select(v, key[1..].to_vec());
                }
                Node::Select(b, k) => return self.make(Node::Select(b, [k, key].concat())),
                _ => {
                    let base = self.overlapping(base, &key);
                    return self.make(Node::Select(base, key));
                }
            }
        }
    }

    /// The aggregate without the updates of parts that are disjoint from `key`, those below other updates among them.
    fn overlapping(&mut self, base: Term, key: &[Step]) -> Term {
        let mut updates = Vec::new();
        let (mut t, mut all) = (base, true);
        while let Node::Update(b, k, v) = self.node(t) {
            match self.disjoint(k, key) {
                true => all = false,
                false => updates.push((k.clone(), *v)),
            }
            t = *b;
        }
        if all {
            return base;
        }
        let above = updates.into_iter().rev();
        above.fold(t, |t, (k, v)| self.insert(t, k, v))
    }

    /// `update(update(b, k, u), k, v) = update(b, k, v)` and `update(b, k, select(b, k)) = b`. An update of a part that
    /// was itself updated becomes two. Updates of disjoint parts are put in a canonical order.
    pub fn update(&mut self, base: Term, key: Key, value: Term) -> Term {
        if key.is_empty() {
            return value;
        }
        if let Node::Update(inner, k, v) = self.node(value).clone() {
            let outer = self.update(base, key.clone(), inner);
            return self.update(outer, [key, k].concat(), v);
        }
        let base = self.without(base, &key);
        if self.select(base, key.clone()) == value {
            return base;
        }
        self.insert(base, key, value)
    }

    /// Moves an update below those that it is disjoint from, in layers: above the last one that it may overlap, and by
    /// its key in its layer. So the term doesn't depend on the order of updates of disjoint parts.
    fn insert(&mut self, base: Term, key: Key, value: Term) -> Term {
        let mut layer = 0;
        let mut t = base;
        while let Node::Update(b, k, _) = self.node(t) {
            if !self.disjoint(k, &key) {
                layer = self.layer(t) + 1;
                break;
            }
            t = *b;
        }
        let mut above = Vec::new();
        let mut t = base;
        while let Node::Update(b, k, v) = self.node(t) {
            if (self.layer(t), k) < (layer, &key) {
                break;
            }
            above.push((k.clone(), *v, self.layer(t)));
            t = *b;
        }
        above.push((key, value, layer));
        for (k, v, layer) in above.into_iter().rev() {
            t = self.make(Node::Update(t, k, v));
            self.layers.insert(t, layer);
        }
        t
    }

    fn layer(&self, update: Term) -> u32 {
        self.layers.get(&update).copied().unwrap_or(0)
    }

    /// An aggregate of which one part is that of `left`, with the part of `end` instead.
    pub fn with_part(&mut self, aggregate: Term, left: Term, end: Term) -> Option<Term> {
        let Node::Update(base, key, value) = self.node(aggregate).clone() else {
            return None;
        };
        if self.select(left, key.clone()) != value {
            return None;
        }
        let part = self.select(end, key.clone());
        Some(self.update(base, key, part))
    }

    /// The aggregate without its last updates of parts within `key`.
    fn without(&mut self, base: Term, key: &[Step]) -> Term {
        let mut kept = Vec::new();
        let mut t = base;
        while let Node::Update(b, k, v) = self.node(t).clone() {
            if !k.starts_with(key) {
                if !self.disjoint(&k, key) {
                    break;
                }
                kept.push((k, v));
            }
            t = b;
        }
        for (k, v) in kept.into_iter().rev() {
            // An update with the value that is there again without the other update is dropped.
            if self.select(t, k.clone()) != v {
                t = self.insert(t, k, v);
            }
        }
        t
    }

    /// Exchanging the same parts twice changes nothing.
    pub fn swapped(&mut self, base: Term, a: Key, b: Key) -> Term {
        // The order of the two doesn't matter.
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        match self.node(base) {
            Node::Swapped(inner, x, y) if (*x == a && *y == b) || (*x == b && *y == a) => *inner,
            _ => self.make(Node::Swapped(base, a, b)),
        }
    }

    /// Taking an element out and putting it back changes nothing.
    pub fn inserted(&mut self, base: Term, at: Step, value: Term) -> Term {
        if let Node::Removed(inner, from) = self.node(base).clone()
            && from == at
            && self.select(inner, vec![at.clone()]) == value
        {
            return inner;
        }
        self.make(Node::Inserted(base, at, value))
    }

    /// Inserting an element and removing it changes nothing.
    pub fn removed(&mut self, base: Term, at: Step) -> Term {
        match self.node(base) {
            Node::Inserted(inner, to, _) if *to == at => *inner,
            _ => self.make(Node::Removed(base, at)),
        }
    }

    /// The part of a value that a location holds: that at its path, without the longer paths in `all`, which are
    /// locations themselves. For a value made of the same parts, it is the one with this path.
    pub fn part(&mut self, value: Term, path: &[Step], all: &[Key]) -> Term {
        let below = |paths: &mut dyn Iterator<Item = &Key>| {
            let mut below: Vec<Key> = paths.filter(|k| k.starts_with(path)).cloned().collect();
            below.sort();
            below
        };
        let wanted = below(&mut all.iter());
        match self.node(value) {
            Node::Parts(parts) if below(&mut parts.iter().map(|(k, _)| k)) == wanted => {
                if let Some((_, t)) = parts.iter().find(|(k, _)| k == path) {
                    return *t;
                }
            }
            Node::Op(Op::Aggregate(Ty::Tuple(_)), args) if wanted.len() == 1 => {
                if let [Step::Field(n)] = path
                    && let Some(&t) = n.parse().ok().and_then(|n: usize| args.get(n))
                {
                    return t;
                }
            }
            _ => {}
        }
        self.make(Node::Part(value, path.to_vec(), wanted))
    }

    /// A value put together from the locations that it consists of.
    pub fn parts(&mut self, mut parts: Vec<(Key, Term)>) -> Term {
        parts.sort();
        let whole = match parts.first().map(|(_, t)| self.node(*t)) {
            Some(Node::Part(whole, ..)) => Some(*whole),
            _ => None,
        };
        let paths: Vec<Key> = parts.iter().map(|(k, _)| k.clone()).collect();
        if let Some(whole) = whole
            && parts.iter().all(|(k, t)| self.part(whole, k, &paths) == *t)
        {
            return whole;
        }
        self.make(Node::Parts(parts))
    }

    /// The aggregate of which the term is a part, or another version.
    pub fn whole(&self, mut t: Term) -> Term {
        while let Node::Update(inner, ..)
        | Node::Swapped(inner, ..)
        | Node::Inserted(inner, ..)
        | Node::Removed(inner, _)
        | Node::Select(inner, _)
        | Node::Part(inner, ..) = self.node(t)
        {
            t = *inner;
        }
        t
    }

    /// The length of a part of an aggregate: replacing what is inside it does not change it.
    pub fn len(&mut self, t: Term, key: &[Step]) -> Term {
        let inside = |k: &Key| {
            let plain = |s: &Step| matches!(s, Step::Index(_) | Step::Field(_));
            k.len() > key.len() && k[..key.len()].iter().all(plain)
        };
        match self.node(t).clone() {
            Node::Update(b, k, _) if inside(&k) || self.disjoint(&k, key) => self.len(b, key),
            Node::Swapped(b, x, y) if inside(&x) && inside(&y) => self.len(b, key),
            _ => match self.lengths.get(&t).copied() {
                Some((like, depth)) if depth || key.is_empty() => self.len(like, key),
                _ => {
                    let part = self.select(t, key.to_vec());
                    self.op(Op::Len, vec![part])
                }
            },
        }
    }

    /// The length of a view of an aggregate of this length.
    pub fn view_len(&mut self, len: Term, view: &Step) -> Term {
        let (lo, hi) = match view {
            Step::Head(m) => (None, *m),
            Step::Tail(m) => (Some(*m), len),
            Step::Range(lo, hi) => (*lo, hi.unwrap_or(len)),
            _ => return self.unknown(),
        };
        match lo {
            Some(lo) => self.arithmetic("wrapping_sub", &Ty::USIZE, vec![hi, lo]),
            None => hi,
        }
    }

    /// States that a merged version has the length of another, and with `inside` that so have the
    /// aggregates inside it.
    pub fn same_length(&mut self, merged: Term, other: Term, inside: bool) {
        self.lengths.insert(merged, (other, inside));
    }

    /// Whether two paths into one aggregate lead to disjoint parts.
    pub fn disjoint(&self, a: &[Step], b: &[Step]) -> bool {
        let first = a.iter().zip(b).find(|(x, y)| x != y);
        match first {
            Some((x, y)) if self.disjoint_steps.contains(&(x.clone(), y.clone())) => true,
            Some((Step::Field(_), Step::Field(_))) => true,
            Some((Step::Variant(v, _), Step::Variant(w, _))) if v == w => true,
            Some((Step::Index(i), Step::Index(j))) => self.differ(*i, *j),
            Some((x, y)) => ends_where(x, y) || ends_where(y, x),
            None => false,
        }
    }

    /// Notes that two different paths into one aggregate lead to disjoint parts.
    pub fn assume_disjoint(&mut self, a: &[Step], b: &[Step]) {
        if let Some((x, y)) = a.iter().zip(b).find(|(x, y)| x != y) {
            self.disjoint_steps.insert((x.clone(), y.clone()));
            self.disjoint_steps.insert((y.clone(), x.clone()));
        }
    }

    /// Whether both are integer literals, and different ones.
    fn differ(&self, i: Term, j: Term) -> bool {
        let lit = |t| match self.node(t) {
            Node::Op(Op::Lit(text, Ty::Int(_)), _) => text.parse::<u128>().ok(),
            _ => None,
        };
        matches!((lit(i), lit(j)), (Some(a), Some(b)) if a != b)
    }
}

/// Whether one part ends where the other begins.
fn ends_where(x: &Step, y: &Step) -> bool {
    let (Step::Head(end) | Step::Range(_, Some(end))) = x else {
        return false;
    };
    match y {
        Step::Tail(start) | Step::Index(start) | Step::Range(Some(start), _) => start == end,
        _ => false,
    }
}
