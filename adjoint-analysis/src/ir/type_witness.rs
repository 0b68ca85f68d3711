//! Type witnesses: other code of the function that has the type of a variable, for types that only rustc knows.
//!
//! A variable of such a type can be restored from the tape only if rustc infers the type from something other than the
//! variable's uses, which may be method calls.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::{
    Arg, Call, CodeId, Expr, FloatTy, Func, IntTy, Origin, Place, Proj, StmtKind, Ty, UnOp, VarId,
};

/// A type witness: the source of a variable's type.
#[derive(Debug)]
pub enum Told<'f> {
    /// This type.
    Ty(Ty),
    /// The type of an expression that is valid anywhere: a literal, a place in a parameter, code over parameters.
    Value(Expr),
    /// The type of the user's code, applied to places of these types.
    Code(CodeId, Vec<Ty>),
    /// The type of a call's result, which the callee's handle gives.
    Result(VarId),
    /// The result type of a function for arguments of these types.
    Call(&'f Call, Vec<Told<'f>>),
    /// The result type of an operator for operands of these types.
    Operator(&'f Call, Vec<Told<'f>>),
    /// A struct or variant, possibly generic, with fields of these types.
    Struct(String, Vec<(String, Told<'f>)>),
    /// The `Vec` or array type of the first operand, with elements of the second.
    Elements(Ty, Box<Told<'f>>),
    /// A list with elements of this type; the field that it is stored in determines which list.
    Copied(Box<Told<'f>>),
    /// The element type of this list type, which can be indexed by the expression.
    Element(Box<Told<'f>>, Expr),
    /// The item type of an iterable of this type.
    Item(Box<Told<'f>>),
    /// The type of a part of a value of this type.
    Part(Box<Told<'f>>, Place),
    /// The result type of a method with this receiver type; `None` for an argument without a witness.
    Method(&'f Call, Box<Told<'f>>, Vec<Option<Told<'f>>>),
}

/// The limit of the search depth.
const MAX_DEPTH: usize = 40;

/// The limit of nested calls: their witnesses contain those of their arguments.
const MOST_CALLS: usize = 6;

/// The limit of expressions that a search visits.
const MOST_STEPS: usize = 1_000;

struct Search<'f> {
    func: &'f Func,
    results: BTreeMap<VarId, &'f Call>,
    made: BTreeMap<VarId, &'f Expr>,
    /// The element that is stored or inserted into a variable.
    elements: BTreeMap<VarId, &'f Expr>,
    /// The list that a variable was removed from.
    taken: BTreeMap<VarId, &'f Place>,
    /// The place that a variable is swapped with.
    swapped: BTreeMap<VarId, &'f Place>,
    /// The names of types that may lack their generic arguments.
    open: OnceCell<BTreeSet<&'f str>>,
    /// The variables whose witness is being searched, which can't serve as a witness of themselves.
    around: RefCell<Vec<VarId>>,
    /// The number of expressions that may still be visited.
    steps: Cell<usize>,
    /// The number of calls that may still be included.
    calls: Cell<usize>,
}

impl Func {
    /// The type witness of a variable.
    pub fn told(&self, v: VarId) -> Option<Told<'_>> {
        let (mut made, mut elements) = (BTreeMap::new(), BTreeMap::new());
        let (mut taken, mut swapped) = (BTreeMap::new(), BTreeMap::new());
        let mut made_of = |v, e| {
            let first: &mut &Expr = made.entry(v).or_insert(e);
            // `None` gives no type.
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
    /// Whether the type, as the IR names it, may lack generic arguments.
    pub fn is_incomplete(&self, ty: &Ty) -> bool {
        names_struct(ty) && is_open(ty, &self.open_names())
    }

    /// The names of structs that occur only in struct literals, where the name of a generic struct has no arguments.
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
        // An inferred integer type may be determined by the variable's value.
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
        // The name alone may lack generic arguments.
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

    /// The witness of a struct literal or of a variant with fields.
    fn constructed(&self, e: &Expr, depth: usize) -> Option<Told<'f>> {
        let Expr::Variant(path, fields, _) = e else {
            return None;
        };
        let told = fields.iter().map(|(name, e)| {
            let told = match e {
                // The field determines the list type that the slice is copied to.
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

    /// The witness of a method's argument, if it is sized.
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

    /// The witness of an expression; that of an operator or real function is its first operand's.
    fn expr(&self, e: &Expr, depth: usize) -> Option<Told<'f>> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        match e {
            _ if depth > MAX_DEPTH => None,
            Expr::Read(p) => self.place(p, depth),
            Expr::Lit(..) => Some(Told::Value(e.clone())),
            // A function item.
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

    /// Whether all places are whole parameters, which any code may name.
    fn are_params(&self, places: &[Place]) -> bool {
        let is_param = |p: &Place| p.is_whole() && self.func.var(p.root).origin == Origin::Param;
        !places.is_empty() && places.iter().all(is_param)
    }

    /// The witness of a `Vec` or an array with this element. A literal is no witness, as its number type is not
    /// determined.
    fn container(&self, ty: &Ty, element: &Expr, depth: usize) -> Option<Told<'f>> {
        let known = matches!(ty, Ty::Vec(_) | Ty::Array(..)) && !matches!(element, Expr::Lit(..));
        let told = known.then(|| self.expr(element, depth + 1)).flatten()?;
        Some(Told::Elements(ty.clone(), Box::new(told)))
    }

    fn element_of(&self, list: &Place, ty: &Ty, depth: usize) -> Option<Told<'f>> {
        let first = Box::new(first(&Ty::USIZE));
        self.place(&list.project(Proj::Index(first), ty.clone()), depth + 1)
    }

    /// The witness of a field or an element.
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

/// Whether the value is `None` or an empty list, whose element type the field determines.
fn holds_nothing(e: &Expr) -> bool {
    match e {
        Expr::Variant(_, fields, _) => fields.is_empty(),
        Expr::Aggregate(parts, _) => parts.is_empty(),
        _ => false,
    }
}

/// The witness of the field of this name; `None` if the field's type is determined only by the struct.
fn field<'f>(fields: Vec<(String, Told<'f>)>, name: &str) -> Option<Told<'f>> {
    let found = fields.into_iter().find(|(field, _)| field == name)?;
    Some(found.1).filter(|told| match told {
        Told::Copied(_) => false,
        Told::Value(e) => !holds_nothing(e),
        _ => true,
    })
}

/// The witness of a list's element.
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

/// The witness of a list of literals.
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

/// Whether the whole type can be written in Rust.
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

/// Whether the witness leaves no integer type to inference.
fn tells_all(told: &Told<'_>) -> bool {
    !matches!(told, Told::Ty(ty) if has_open_integer(ty))
}

/// Whether the type contains an integer type that only rustc knows.
fn has_open_integer(ty: &Ty) -> bool {
    match ty {
        Ty::Int(int) => *int == IntTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => has_open_integer(t),
        Ty::Result(t, e) => has_open_integer(t) || has_open_integer(e),
        Ty::Tuple(ts) => ts.iter().any(has_open_integer),
        _ => false,
    }
}

/// Whether the type contains one of these names.
fn is_open(ty: &Ty, open: &BTreeSet<&str>) -> bool {
    ty.names().iter().any(|name| open.contains(name))
}

/// Whether the type contains a name without generic arguments.
fn names_struct(ty: &Ty) -> bool {
    ty.names().iter().any(|name| !name.contains('<'))
}

/// The place with all indices replaced by 0, which has the same type.
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

/// The index 0 in this index type.
fn first(ty: &Ty) -> Expr {
    match ty {
        Ty::Tuple(parts) => Expr::Aggregate(parts.iter().map(first).collect(), ty.clone()),
        Ty::Int(_) => Expr::Lit("0".into(), ty.clone()),
        _ => Expr::Lit("0".into(), Ty::USIZE),
    }
}
