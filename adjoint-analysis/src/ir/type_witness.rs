//! What tells a type that is not known here: other code of the same function.
//!
//! A variable of such a type can be taken from the tape only where rustc is told the type by something
//! else than its uses, which may be methods.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::{
    Arg, Call, CodeId, Expr, FloatTy, Func, IntTy, Origin, Place, Proj, StmtKind, Ty, UnOp, VarId,
};

/// What has the type.
#[derive(Debug)]
pub enum Told<'f> {
    /// It is this one.
    Ty(Ty),
    /// That of an expression, which any code may name: a literal, a place in a parameter, code over
    /// parameters.
    Value(Expr),
    /// That of the user's code, over places of these types.
    Code(CodeId, Vec<Ty>),
    /// That of the result of a call, which the callee knows.
    Result(VarId),
    /// That of the result of a function, called with arguments of these types.
    Call(&'f Call, Vec<Told<'f>>),
    /// That of the result of an operator on operands of these types.
    Operator(&'f Call, Vec<Told<'f>>),
    /// That of a struct or a variant with fields of these types: it may be generic.
    Struct(String, Vec<(String, Told<'f>)>),
    /// A `Vec` or an array, as the first type says, of elements of the second one.
    Elements(Ty, Box<Told<'f>>),
    /// A list of elements of this type, such as what it is put into has.
    Copied(Box<Told<'f>>),
    /// That of the elements of a list of this type, which has one at this index.
    Element(Box<Told<'f>>, Expr),
    /// That of what a value of this type lends.
    Item(Box<Told<'f>>),
    /// That of a part of a value of this type.
    Part(Box<Told<'f>>, Place),
    /// That of the result of a method of this type.
    Method(&'f Call, Box<Told<'f>>, Vec<Option<Told<'f>>>),
}

/// How long a way may be.
const MAX_DEPTH: usize = 40;

/// How many calls may stand in each other: their types are written out with those of their arguments.
const MOST_CALLS: usize = 6;

/// How many expressions are looked at.
const MOST_STEPS: usize = 1_000;

struct Search<'f> {
    func: &'f Func,
    results: BTreeMap<VarId, &'f Call>,
    made: BTreeMap<VarId, &'f Expr>,
    /// What is put into a variable as an element.
    elements: BTreeMap<VarId, &'f Expr>,
    /// The list that a variable was taken out of as an element.
    taken: BTreeMap<VarId, &'f Place>,
    /// What a variable is exchanged with.
    swapped: BTreeMap<VarId, &'f Place>,
    /// The names that may leave out what structs are generic over.
    open: OnceCell<BTreeSet<&'f str>>,
    /// The variables on the way, of which nothing else is told by themselves.
    around: RefCell<Vec<VarId>>,
    /// How many expressions may still be looked at.
    steps: Cell<usize>,
    /// How many calls may still be written out.
    calls: Cell<usize>,
}

impl Func {
    /// What tells the type of a variable.
    pub fn told(&self, v: VarId) -> Option<Told<'_>> {
        let (mut made, mut elements) = (BTreeMap::new(), BTreeMap::new());
        let (mut taken, mut swapped) = (BTreeMap::new(), BTreeMap::new());
        let mut made_of = |v, e| {
            let first: &mut &Expr = made.entry(v).or_insert(e);
            // `None` tells nothing.
            if matches!(first, Expr::Variant(_, fields, _) if fields.is_empty()) {
                *first = e;
            }
        };
        self.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let(v, Some(e)) => made_of(*v, e),
            StmtKind::Assign(to, e) if to.is_whole() => made_of(to.root, e),
            StmtKind::Assign(to, e) if matches!(to.proj[..], [Proj::Index(_)]) => {
                elements.entry(to.root).or_insert(e);
            }
            StmtKind::Insert(to, _, e) if to.is_whole() => {
                elements.entry(to.root).or_insert(e);
            }
            StmtKind::Remove(Some(v), from, _) => {
                taken.insert(*v, from);
            }
            StmtKind::Swap(a, b) => {
                for (whole, other) in [(a, b), (b, a)] {
                    if whole.is_whole() {
                        swapped.entry(whole.root).or_insert(other);
                    }
                }
            }
            _ => {}
        });
        let search = Search {
            func: self,
            results: self.results(),
            made,
            elements,
            taken,
            swapped,
            open: OnceCell::new(),
            around: RefCell::default(),
            steps: Cell::new(MOST_STEPS),
            calls: Cell::new(MOST_CALLS),
        };
        search.variable(v, 0)
    }
}

impl Func {
    /// Whether the type as it is named here may leave out what a struct is generic over.
    pub fn is_incomplete(&self, ty: &Ty) -> bool {
        names_struct(ty) && is_open(ty, &self.open_names())
    }

    /// The names of structs that stand in front of their fields only, where a generic one has no arguments.
    fn open_names(&self) -> BTreeSet<&str> {
        let mut open = BTreeSet::new();
        self.body.walk(&mut |stmt| {
            stmt.walk_exprs(&mut |e| {
                if let Expr::Variant(_, _, Ty::Named(name)) = e {
                    open.insert(name.as_str());
                }
            });
        });
        let outside = self.params.iter().chain(&self.ret);
        for name in outside.flat_map(|v| self.var(*v).ty.names()) {
            open.remove(name);
        }
        open.retain(|name| !name.contains('<') && !self.whole.contains(*name));
        open
    }
}

impl<'f> Search<'f> {
    /// Whether the type can be written as it is.
    fn is_complete(&self, ty: &Ty) -> bool {
        let open = || self.open.get_or_init(|| self.func.open_names());
        // Which integer it is, what made it tells.
        is_written(ty) && !has_open_integer(ty) && !(names_struct(ty) && is_open(ty, open()))
    }

    fn variable(&self, v: VarId, depth: usize) -> Option<Told<'f>> {
        if self.around.borrow().contains(&v) {
            return None;
        }
        self.around.borrow_mut().push(v);
        let told = self.variable_by_others(v, depth);
        self.around.borrow_mut().pop();
        told
    }

    fn variable_by_others(&self, v: VarId, depth: usize) -> Option<Told<'f>> {
        let ty = &self.func.var(v).ty;
        // The name alone may leave out what a struct is generic over.
        if matches!(ty, Ty::Named(_) | Ty::Unknown)
            && let Some(told) = self.made.get(&v).and_then(|e| self.constructed(e, depth))
        {
            return Some(told);
        }
        if self.is_complete(ty) {
            return Some(Told::Ty(ty.clone()));
        }
        let Some(call) = self.results.get(&v) else {
            let made = self.made.get(&v).and_then(|e| match (ty, e) {
                (Ty::Slice(_), Expr::Read(p)) if p.is_unsized(self.func) => copied(p),
                _ => self.expr(e, depth + 1),
            });
            let list = || self.container(ty, self.elements.get(&v)?, depth);
            let swapped = || self.place(self.swapped.get(&v)?, depth + 1);
            return swapped()
                .or(made)
                .or_else(list)
                .or_else(|| self.element_of(self.taken.get(&v)?, ty, depth))
                .or_else(|| of_literals(self.made.get(&v)?))
                .or_else(|| {
                    let known = is_written(ty) && has_open_integer(ty);
                    known.then(|| Told::Ty(ty.clone()))
                });
        };
        if call.callee.operator().is_none() {
            return match call.receiver() {
                Some(receiver) => {
                    let told = self.place(receiver, depth + 1)?;
                    let args = call.args[1..].iter().map(|arg| self.known(arg, depth));
                    Some(Told::Method(call, Box::new(told), args.collect()))
                }
                None => Some(self.call(call, depth).unwrap_or(Told::Result(v))),
            };
        }
        let operands = call.args.iter().map(|arg| self.argument(arg, depth));
        Some(Told::Operator(call, operands.collect::<Option<_>>()?))
    }

    /// The type of a struct literal or a variant with fields.
    fn constructed(&self, e: &Expr, depth: usize) -> Option<Told<'f>> {
        let Expr::Variant(path, fields, _) = e else {
            return None;
        };
        let told = fields.iter().map(|(name, e)| {
            let told = match e {
                // Into what list a part of one is copied, the field knows.
                Expr::Read(p) if matches!(p.ty, Ty::Slice(_)) && p.is_unsized(self.func) => {
                    let element = self.element_of(p, p.ty.element()?, depth)?;
                    Told::Copied(Box::new(element))
                }
                e if holds_nothing(e) => Told::Value(e.clone()),
                e => self.expr(e, depth + 1).or_else(|| of_literals(e))?,
            };
            Some((name.clone(), told))
        });
        let told = told.collect::<Option<Vec<_>>>()?;
        let tells = fields.iter().any(|(_, e)| !holds_nothing(e));
        tells.then(|| Told::Struct(path.clone(), told))
    }

    fn call(&self, call: &'f Call, depth: usize) -> Option<Told<'f>> {
        self.calls.set(self.calls.get().checked_sub(1)?);
        let args = call.args.iter().map(|arg| match arg.place() {
            Some(p) if p.is_unsized(self.func) => {
                let of_param = p.is_whole() && self.func.var(p.root).origin == Origin::Param;
                of_param.then(|| Told::Value(Expr::Read(p.clone())))
            }
            _ => match arg {
                Arg::Value(Expr::Read(p))
                    if matches!(p.ty, Ty::Slice(_)) && p.is_unsized(self.func) =>
                {
                    copied(p)
                }
                arg => self.argument(arg, depth),
            },
        });
        Some(Told::Call(call, args.collect::<Option<_>>()?))
    }

    /// The type of an argument that a method need not know, where there is a value of it.
    fn known(&self, arg: &'f Arg, depth: usize) -> Option<Told<'f>> {
        let place = match arg {
            Arg::Value(Expr::Read(p)) | Arg::Shared(p) | Arg::Mut(p) => Some(p),
            Arg::Value(_) => None,
        };
        if place.is_some_and(|p| p.is_unsized(self.func)) {
            return None;
        }
        self.calls.set(self.calls.get().checked_sub(1)?);
        self.argument(arg, depth)
    }

    fn argument(&self, arg: &'f Arg, depth: usize) -> Option<Told<'f>> {
        match arg {
            Arg::Value(e) => self.expr(e, depth + 1),
            Arg::Shared(p) | Arg::Mut(p) => self.place(p, depth + 1),
        }
    }

    /// An operator or a function of numbers has the type of its first operand.
    fn expr(&self, e: &Expr, depth: usize) -> Option<Told<'f>> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        match e {
            _ if depth > MAX_DEPTH => None,
            Expr::Read(p) => self.place(p, depth),
            Expr::Lit(..) => Some(Told::Value(e.clone())),
            // A reference to a function.
            Expr::Code(_, reads, Ty::Discrete(_)) if self.are_params(reads) => {
                Some(Told::Value(e.clone()))
            }
            Expr::Code(id, reads, _) => {
                let types = reads
                    .iter()
                    .map(|p| is_written(&p.ty).then(|| p.ty.clone()));
                Some(Told::Code(*id, types.collect::<Option<_>>()?))
            }
            Expr::Binary(op, a, b) if !op.is_comparison() && !op.is_lazy() && !op.is_shift() => {
                // A literal takes the type of the other operand.
                match &**a {
                    Expr::Lit(..) => self.expr(b, depth + 1),
                    a => {
                        let told = self.expr(a, depth + 1).filter(tells_all);
                        told.or_else(|| self.expr(b, depth + 1))
                    }
                }
            }
            Expr::Unary(UnOp::Neg, a) => self.expr(a, depth + 1),
            Expr::Aggregate(parts, ty) => {
                let mut told = parts.iter().map(|e| self.container(ty, e, depth));
                told.find_map(|t| t)
            }
            Expr::Repeat(value, _, ty) => self.container(ty, value, depth),
            Expr::Variant(_, _, ty) if !self.is_complete(ty) => self.constructed(e, depth),
            Expr::Intrinsic(_, args) => self.expr(args.first()?, depth + 1),
            e => {
                let ty = e.ty(self.func);
                is_written(&ty).then_some(Told::Ty(ty))
            }
        }
    }

    /// Whether any code may name the places.
    fn are_params(&self, places: &[Place]) -> bool {
        let is_param = |p: &Place| p.is_whole() && self.func.var(p.root).origin == Origin::Param;
        !places.is_empty() && places.iter().all(is_param)
    }

    /// The type of a `Vec` or an array with this element. A literal would be a number of any type.
    fn container(&self, ty: &Ty, element: &Expr, depth: usize) -> Option<Told<'f>> {
        let known = matches!(ty, Ty::Vec(_) | Ty::Array(..)) && !matches!(element, Expr::Lit(..));
        let told = known.then(|| self.expr(element, depth + 1)).flatten()?;
        Some(Told::Elements(ty.clone(), Box::new(told)))
    }

    fn element_of(&self, list: &Place, ty: &Ty, depth: usize) -> Option<Told<'f>> {
        let first = Box::new(first(&Ty::USIZE));
        self.place(&list.project(Proj::Index(first), ty.clone()), depth + 1)
    }

    /// The type of a field or an element.
    fn part(&self, whole: Told<'f>, step: &Proj) -> Option<Told<'f>> {
        match (whole, step) {
            (Told::Struct(_, fields), Proj::Field(name)) => field(fields, name),
            (Told::Struct(path, fields), Proj::Variant(of, name)) if path == *of => {
                field(fields, name)
            }
            (list, Proj::Index(i)) => Some(element(list, first(&i.ty(self.func)))),
            _ => None,
        }
    }

    fn place(&self, place: &Place, depth: usize) -> Option<Told<'f>> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.is_complete(&place.ty) {
            return Some(Told::Ty(place.ty.clone()));
        }
        let told = self.place_of_root(place, depth);
        told.or_else(|| is_written(&place.ty).then(|| Told::Ty(place.ty.clone())))
    }

    fn place_of_root(&self, place: &Place, depth: usize) -> Option<Told<'f>> {
        match self.func.var(place.root).origin {
            Origin::Param => {
                let place = fixed(place, self.func)?;
                Some(Told::Value(Expr::Read(place)))
            }
            _ => {
                let whole = self.variable(place.root, depth + 1)?;
                let mut lent = false;
                let mut steps = place.proj.iter();
                let part = steps.try_fold(whole, |whole, step| {
                    let of_items = std::mem::replace(&mut lent, matches!(step, Proj::Items));
                    match step {
                        Proj::Items => Some(whole),
                        Proj::Index(_) if of_items => Some(Told::Item(Box::new(whole))),
                        step => self.part(whole, step),
                    }
                });
                part.or_else(|| {
                    let fixed = fixed(place, self.func).filter(|p| !p.is_unsized(self.func))?;
                    let whole = self.variable(place.root, depth + 1)?;
                    Some(Told::Part(Box::new(whole), fixed))
                })
            }
        }
    }
}

/// Whether the value is `None` or an empty list, of which the field knows what it may hold.
fn holds_nothing(e: &Expr) -> bool {
    match e {
        Expr::Variant(_, fields, _) => fields.is_empty(),
        Expr::Aggregate(parts, _) => parts.is_empty(),
        _ => false,
    }
}

/// The type of the field of this name. Which list a copied one is, and what one holds that holds nothing yet, only the
/// struct tells.
fn field<'f>(fields: Vec<(String, Told<'f>)>, name: &str) -> Option<Told<'f>> {
    let found = fields.into_iter().find(|(field, _)| field == name)?;
    Some(found.1).filter(|told| match told {
        Told::Copied(_) => false,
        Told::Value(e) => !holds_nothing(e),
        _ => true,
    })
}

/// The type of the elements of a list.
fn element<'f>(list: Told<'f>, index: Expr) -> Told<'f> {
    match list {
        Told::Elements(_, element) => *element,
        list => Told::Element(Box::new(list), index),
    }
}

/// A part of an array or a `Vec` is copied into a `Vec`.
fn copied<'f>(part: &Place) -> Option<Told<'f>> {
    match &part.ty {
        Ty::Slice(t) if is_written(t) => Some(Told::Ty(Ty::Vec(t.clone()))),
        _ => None,
    }
}

/// The type of a list of literals, which are numbers of any type.
fn of_literals<'f>(e: &Expr) -> Option<Told<'f>> {
    let (element, ty) = match e {
        Expr::Aggregate(parts, ty @ (Ty::Vec(_) | Ty::Array(..))) => (parts.first()?, ty),
        Expr::Repeat(value, _, ty @ (Ty::Vec(_) | Ty::Array(..))) => (&**value, ty),
        _ => return None,
    };
    let element = match element {
        Expr::Lit(..) => Told::Value(element.clone()),
        list => of_literals(list)?,
    };
    Some(Told::Elements(ty.clone(), Box::new(element)))
}

/// Whether the type can be written, with all that it is made of.
fn is_written(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown | Ty::Infer(_) | Ty::Slice(_) | Ty::Discrete(_) => false,
        Ty::Float(float) => *float != FloatTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => is_written(t),
        Ty::Result(t, e) => is_written(t) && is_written(e),
        Ty::Tuple(ts) => ts.iter().all(is_written),
        _ => true,
    }
}

/// Whether no integer is left open by what tells the type.
fn tells_all(told: &Told<'_>) -> bool {
    !matches!(told, Told::Ty(ty) if has_open_integer(ty))
}

/// Whether there is an integer in the type of which only rustc knows which.
fn has_open_integer(ty: &Ty) -> bool {
    match ty {
        Ty::Int(int) => *int == IntTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => has_open_integer(t),
        Ty::Result(t, e) => has_open_integer(t) || has_open_integer(e),
        Ty::Tuple(ts) => ts.iter().any(has_open_integer),
        _ => false,
    }
}

/// Whether a name in the type, which can be written, may be one of these.
fn is_open(ty: &Ty, open: &BTreeSet<&str>) -> bool {
    ty.names().iter().any(|name| open.contains(name))
}

/// Whether there is a name in the type that stands without arguments.
fn names_struct(ty: &Ty) -> bool {
    ty.names().iter().any(|name| !name.contains('<'))
}

/// The place with indices 0: its type is the same.
fn fixed(place: &Place, func: &Func) -> Option<Place> {
    let mut place = place.clone();
    for step in &mut place.proj {
        match step {
            Proj::Field(_) | Proj::Variant(..) | Proj::Single | Proj::Items | Proj::Deref => {}
            Proj::Index(i) | Proj::Chunk(i, _) => **i = first(&i.ty(func)),
            _ => return None,
        }
    }
    Some(place)
}

/// The first index of this type.
fn first(ty: &Ty) -> Expr {
    match ty {
        Ty::Tuple(parts) => Expr::Aggregate(parts.iter().map(first).collect(), ty.clone()),
        Ty::Int(_) => Expr::Lit("0".into(), ty.clone()),
        _ => Expr::Lit("0".into(), Ty::USIZE),
    }
}
