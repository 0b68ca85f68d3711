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
pub enum TypeWitness<'f> {
    /// This type.
    Ty(Ty),
    /// The type of an expression that is valid anywhere: a literal, a place in a parameter, code over parameters.
    Value(Expr),
    /// The type of the user's code, applied to places of these types.
    Code(CodeId, Vec<Ty>),
    /// The type of a call's result, which the callee's handle gives.
    Result(VarId),
    /// The result type of a function for arguments of these types.
    Call(&'f Call, Vec<TypeWitness<'f>>),
    /// The result type of an operator for operands of these types.
    Operator(&'f Call, Vec<TypeWitness<'f>>),
    /// A struct or variant, possibly generic, with fields of these types.
    Struct(String, Vec<(String, TypeWitness<'f>)>),
    /// The `Vec` or array type of the first operand, with elements of the second.
    Elements(Ty, Box<TypeWitness<'f>>),
    /// A list with elements of this type; the field that it is stored in determines which list.
    CopiedSlice(Box<TypeWitness<'f>>),
    /// The element type of this list type, which can be indexed by the expression.
    Element(Box<TypeWitness<'f>>, Expr),
    /// The item type of an iterable of this type.
    Item(Box<TypeWitness<'f>>),
    /// The type of a part of a value of this type.
    Projection(Box<TypeWitness<'f>>, Place),
    /// The result type of a method with this receiver type; `None` for an argument without a witness.
    Method(&'f Call, Box<TypeWitness<'f>>, Vec<Option<TypeWitness<'f>>>),
}

/// The limit of the search depth.
const MAX_DEPTH: usize = 40;

/// The limit of nested calls: their witnesses contain those of their arguments.
const MAX_CALLS: usize = 6;

/// The limit of expressions that a search visits.
const MAX_STEPS: usize = 1_000;

struct WitnessSearch<'f> {
    func: &'f Func,
    results: BTreeMap<VarId, &'f Call>,
    definitions: BTreeMap<VarId, &'f Expr>,
    /// The element that is stored or inserted into a variable.
    elements: BTreeMap<VarId, &'f Expr>,
    /// The list that a variable was removed from.
    removed_from: BTreeMap<VarId, &'f Place>,
    /// The place that a variable is swapped with.
    swapped_with: BTreeMap<VarId, &'f Place>,
    /// The names of types that may lack their generic arguments.
    incomplete: OnceCell<BTreeSet<&'f str>>,
    /// The variables whose witness is being searched, which can't serve as a witness of themselves.
    visiting: RefCell<Vec<VarId>>,
    /// The number of expressions that may still be visited.
    steps_left: Cell<usize>,
    /// The number of calls that may still be included.
    calls_left: Cell<usize>,
}

impl Func {
    /// The type witness of a variable.
    pub fn type_witness(&self, v: VarId) -> Option<TypeWitness<'_>> {
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
        let search = WitnessSearch {
            func: self,
            results: self.call_results(),
            definitions: made,
            elements,
            removed_from: taken,
            swapped_with: swapped,
            incomplete: OnceCell::new(),
            visiting: RefCell::default(),
            steps_left: Cell::new(MAX_STEPS),
            calls_left: Cell::new(MAX_CALLS),
        };
        search.variable(v, 0)
    }
}

impl Func {
    /// Whether the type, as the IR names it, may lack generic arguments.
    pub fn is_incomplete(&self, ty: &Ty) -> bool {
        has_bare_name(ty) && mentions_any(ty, &self.incomplete_names())
    }

    /// The names of structs that occur only in struct literals, where the name of a generic struct has no arguments.
    fn incomplete_names(&self) -> BTreeSet<&str> {
        let mut open = BTreeSet::new();
        self.body.walk(&mut |stmt| {
            stmt.walk_exprs(&mut |e| {
                if let Expr::Variant(_, _, Ty::Named(name)) = e {
                    open.insert(name.as_str());
                }
            });
        });
        let outside = self.params.iter().chain(&self.ret);
        for name in outside.flat_map(|v| self.var(*v).ty.user_types()) {
            open.remove(name);
        }
        open.retain(|name| !name.contains('<') && !self.complete_structs.contains(*name));
        open
    }
}

impl<'f> WitnessSearch<'f> {
    /// Whether the type can be written as it is.
    fn is_complete(&self, ty: &Ty) -> bool {
        let open = || self.incomplete.get_or_init(|| self.func.incomplete_names());
        // An inferred integer type may be determined by the variable's value.
        is_expressible(ty)
            && !has_inferred_integer(ty)
            && !(has_bare_name(ty) && mentions_any(ty, open()))
    }

    fn variable(&self, v: VarId, depth: usize) -> Option<TypeWitness<'f>> {
        if self.visiting.borrow().contains(&v) {
            return None;
        }
        self.visiting.borrow_mut().push(v);
        let told = self.search_variable(v, depth);
        self.visiting.borrow_mut().pop();
        told
    }

    fn search_variable(&self, v: VarId, depth: usize) -> Option<TypeWitness<'f>> {
        let ty = &self.func.var(v).ty;
        // The name alone may lack generic arguments.
        if matches!(ty, Ty::Named(_) | Ty::Unknown)
            && let Some(told) = self
                .definitions
                .get(&v)
                .and_then(|e| self.struct_literal(e, depth))
        {
            return Some(told);
        }
        if self.is_complete(ty) {
            return Some(TypeWitness::Ty(ty.clone()));
        }
        let Some(call) = self.results.get(&v) else {
            let made = self.definitions.get(&v).and_then(|e| match (ty, e) {
                (Ty::Slice(_), Expr::Read(p)) if p.is_unsized(self.func) => copied_slice(p),
                _ => self.expr(e, depth + 1),
            });
            let list = || self.list(ty, self.elements.get(&v)?, depth);
            let swapped = || self.place(self.swapped_with.get(&v)?, depth + 1);
            return swapped()
                .or(made)
                .or_else(list)
                .or_else(|| self.element_of(self.removed_from.get(&v)?, ty, depth))
                .or_else(|| literal_list(self.definitions.get(&v)?))
                .or_else(|| {
                    let known = is_expressible(ty) && has_inferred_integer(ty);
                    known.then(|| TypeWitness::Ty(ty.clone()))
                });
        };
        if call.callee.operator().is_none() {
            return match call.receiver() {
                Some(receiver) => {
                    let told = self.place(receiver, depth + 1)?;
                    let args = call.args[1..]
                        .iter()
                        .map(|arg| self.sized_argument(arg, depth));
                    Some(TypeWitness::Method(call, Box::new(told), args.collect()))
                }
                None => Some(self.call(call, depth).unwrap_or(TypeWitness::Result(v))),
            };
        }
        let operands = call.args.iter().map(|arg| self.argument(arg, depth));
        Some(TypeWitness::Operator(
            call,
            operands.collect::<Option<_>>()?,
        ))
    }

    /// The witness of a struct literal or of a variant with fields.
    fn struct_literal(&self, e: &Expr, depth: usize) -> Option<TypeWitness<'f>> {
        let Expr::Variant(path, fields, _) = e else {
            return None;
        };
        let told = fields.iter().map(|(name, e)| {
            let told = match e {
                // The field determines the list type that the slice is copied to.
                Expr::Read(p) if matches!(p.ty, Ty::Slice(_)) && p.is_unsized(self.func) => {
                    let element = self.element_of(p, p.ty.element()?, depth)?;
                    TypeWitness::CopiedSlice(Box::new(element))
                }
                e if is_empty_value(e) => TypeWitness::Value(e.clone()),
                e => self.expr(e, depth + 1).or_else(|| literal_list(e))?,
            };
            Some((name.clone(), told))
        });
        let told = told.collect::<Option<Vec<_>>>()?;
        let tells = fields.iter().any(|(_, e)| !is_empty_value(e));
        tells.then(|| TypeWitness::Struct(path.clone(), told))
    }

    fn call(&self, call: &'f Call, depth: usize) -> Option<TypeWitness<'f>> {
        self.calls_left.set(self.calls_left.get().checked_sub(1)?);
        let args = call.args.iter().map(|arg| match arg.place() {
            Some(p) if p.is_unsized(self.func) => {
                let of_param = p.is_whole() && self.func.var(p.root).origin == Origin::Param;
                of_param.then(|| TypeWitness::Value(Expr::Read(p.clone())))
            }
            _ => match arg {
                Arg::Value(Expr::Read(p))
                    if matches!(p.ty, Ty::Slice(_)) && p.is_unsized(self.func) =>
                {
                    copied_slice(p)
                }
                arg => self.argument(arg, depth),
            },
        });
        Some(TypeWitness::Call(call, args.collect::<Option<_>>()?))
    }

    /// The witness of a method's argument, if it is sized.
    fn sized_argument(&self, arg: &'f Arg, depth: usize) -> Option<TypeWitness<'f>> {
        let place = match arg {
            Arg::Value(Expr::Read(p)) | Arg::Shared(p) | Arg::Mut(p) => Some(p),
            Arg::Value(_) => None,
        };
        if place.is_some_and(|p| p.is_unsized(self.func)) {
            return None;
        }
        self.calls_left.set(self.calls_left.get().checked_sub(1)?);
        self.argument(arg, depth)
    }

    fn argument(&self, arg: &'f Arg, depth: usize) -> Option<TypeWitness<'f>> {
        match arg {
            Arg::Value(e) => self.expr(e, depth + 1),
            Arg::Shared(p) | Arg::Mut(p) => self.place(p, depth + 1),
        }
    }

    /// The witness of an expression; that of an operator or real function is its first operand's.
    fn expr(&self, e: &Expr, depth: usize) -> Option<TypeWitness<'f>> {
        self.steps_left.set(self.steps_left.get().checked_sub(1)?);
        match e {
            _ if depth > MAX_DEPTH => None,
            Expr::Read(p) => self.place(p, depth),
            Expr::Lit(..) => Some(TypeWitness::Value(e.clone())),
            // A function item.
            Expr::Code(_, reads, Ty::Discrete(_)) if self.are_params(reads) => {
                Some(TypeWitness::Value(e.clone()))
            }
            Expr::Code(id, reads, _) => {
                let types = reads
                    .iter()
                    .map(|p| is_expressible(&p.ty).then(|| p.ty.clone()));
                Some(TypeWitness::Code(*id, types.collect::<Option<_>>()?))
            }
            Expr::Binary(op, a, b) if !op.is_comparison() && !op.is_lazy() && !op.is_shift() => {
                // A literal takes the type of the other operand.
                match &**a {
                    Expr::Lit(..) => self.expr(b, depth + 1),
                    a => {
                        let told = self.expr(a, depth + 1).filter(has_known_integers);
                        told.or_else(|| self.expr(b, depth + 1))
                    }
                }
            }
            Expr::Unary(UnOp::Neg, a) => self.expr(a, depth + 1),
            Expr::Aggregate(parts, ty) => {
                let mut told = parts.iter().map(|e| self.list(ty, e, depth));
                told.find_map(|t| t)
            }
            Expr::Repeat(value, _, ty) => self.list(ty, value, depth),
            Expr::Variant(_, _, ty) if !self.is_complete(ty) => self.struct_literal(e, depth),
            Expr::Intrinsic(_, args) => self.expr(args.first()?, depth + 1),
            e => {
                let ty = e.ty(self.func);
                is_expressible(&ty).then_some(TypeWitness::Ty(ty))
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
    fn list(&self, ty: &Ty, element: &Expr, depth: usize) -> Option<TypeWitness<'f>> {
        let known = matches!(ty, Ty::Vec(_) | Ty::Array(..)) && !matches!(element, Expr::Lit(..));
        let told = known.then(|| self.expr(element, depth + 1)).flatten()?;
        Some(TypeWitness::Elements(ty.clone(), Box::new(told)))
    }

    fn element_of(&self, list: &Place, ty: &Ty, depth: usize) -> Option<TypeWitness<'f>> {
        let first = Box::new(zero_index(&Ty::USIZE));
        self.place(&list.project(Proj::Index(first), ty.clone()), depth + 1)
    }

    /// The witness of a field or an element.
    fn project(&self, whole: TypeWitness<'f>, step: &Proj) -> Option<TypeWitness<'f>> {
        match (whole, step) {
            (TypeWitness::Struct(_, fields), Proj::Field(name)) => field(fields, name),
            (TypeWitness::Struct(path, fields), Proj::Variant(of, name)) if path == *of => {
                field(fields, name)
            }
            (list, Proj::Index(i)) => Some(element(list, zero_index(&i.ty(self.func)))),
            _ => None,
        }
    }

    fn place(&self, place: &Place, depth: usize) -> Option<TypeWitness<'f>> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.is_complete(&place.ty) {
            return Some(TypeWitness::Ty(place.ty.clone()));
        }
        let told = self.projected_place(place, depth);
        told.or_else(|| is_expressible(&place.ty).then(|| TypeWitness::Ty(place.ty.clone())))
    }

    fn projected_place(&self, place: &Place, depth: usize) -> Option<TypeWitness<'f>> {
        match self.func.var(place.root).origin {
            Origin::Param => {
                let place = with_zero_indices(place, self.func)?;
                Some(TypeWitness::Value(Expr::Read(place)))
            }
            _ => {
                let whole = self.variable(place.root, depth + 1)?;
                let mut lent = false;
                let mut steps = place.proj.iter();
                let part = steps.try_fold(whole, |whole, step| {
                    let of_items = std::mem::replace(&mut lent, matches!(step, Proj::Items));
                    match step {
                        Proj::Items => Some(whole),
                        Proj::Index(_) if of_items => Some(TypeWitness::Item(Box::new(whole))),
                        step => self.project(whole, step),
                    }
                });
                part.or_else(|| {
                    let fixed =
                        with_zero_indices(place, self.func).filter(|p| !p.is_unsized(self.func))?;
                    let whole = self.variable(place.root, depth + 1)?;
                    Some(TypeWitness::Projection(Box::new(whole), fixed))
                })
            }
        }
    }
}

/// Whether the value is `None` or an empty list, whose element type the field determines.
fn is_empty_value(e: &Expr) -> bool {
    match e {
        Expr::Variant(_, fields, _) => fields.is_empty(),
        Expr::Aggregate(parts, _) => parts.is_empty(),
        _ => false,
    }
}

/// The witness of the field of this name; `None` if the field's type is determined only by the struct.
fn field<'f>(fields: Vec<(String, TypeWitness<'f>)>, name: &str) -> Option<TypeWitness<'f>> {
    let found = fields.into_iter().find(|(field, _)| field == name)?;
    Some(found.1).filter(|told| match told {
        TypeWitness::CopiedSlice(_) => false,
        TypeWitness::Value(e) => !is_empty_value(e),
        _ => true,
    })
}

/// The witness of a list's element.
fn element<'f>(list: TypeWitness<'f>, index: Expr) -> TypeWitness<'f> {
    match list {
        TypeWitness::Elements(_, element) => *element,
        list => TypeWitness::Element(Box::new(list), index),
    }
}

/// A part of an array or a `Vec` is copied into a `Vec`.
fn copied_slice<'f>(part: &Place) -> Option<TypeWitness<'f>> {
    match &part.ty {
        Ty::Slice(t) if is_expressible(t) => Some(TypeWitness::Ty(Ty::Vec(t.clone()))),
        _ => None,
    }
}

/// The witness of a list of literals.
fn literal_list<'f>(e: &Expr) -> Option<TypeWitness<'f>> {
    let (element, ty) = match e {
        Expr::Aggregate(parts, ty @ (Ty::Vec(_) | Ty::Array(..))) => (parts.first()?, ty),
        Expr::Repeat(value, _, ty @ (Ty::Vec(_) | Ty::Array(..))) => (&**value, ty),
        _ => return None,
    };
    let element = match element {
        Expr::Lit(..) => TypeWitness::Value(element.clone()),
        list => literal_list(list)?,
    };
    Some(TypeWitness::Elements(ty.clone(), Box::new(element)))
}

/// Whether the whole type can be written in Rust.
fn is_expressible(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown | Ty::Infer(_) | Ty::Slice(_) | Ty::Discrete(_) => false,
        Ty::Float(float) => *float != FloatTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => is_expressible(t),
        Ty::Result(t, e) => is_expressible(t) && is_expressible(e),
        Ty::Tuple(ts) => ts.iter().all(is_expressible),
        _ => true,
    }
}

/// Whether the witness leaves no integer type to inference.
fn has_known_integers(told: &TypeWitness<'_>) -> bool {
    !matches!(told, TypeWitness::Ty(ty) if has_inferred_integer(ty))
}

/// Whether the type contains an integer type that only rustc knows.
fn has_inferred_integer(ty: &Ty) -> bool {
    match ty {
        Ty::Int(int) => *int == IntTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => has_inferred_integer(t),
        Ty::Result(t, e) => has_inferred_integer(t) || has_inferred_integer(e),
        Ty::Tuple(ts) => ts.iter().any(has_inferred_integer),
        _ => false,
    }
}

/// Whether the type contains one of these names.
fn mentions_any(ty: &Ty, open: &BTreeSet<&str>) -> bool {
    ty.user_types().iter().any(|name| open.contains(name))
}

/// Whether the type contains a name without generic arguments.
fn has_bare_name(ty: &Ty) -> bool {
    ty.user_types().iter().any(|name| !name.contains('<'))
}

/// The place with all indices replaced by 0, which has the same type.
fn with_zero_indices(place: &Place, func: &Func) -> Option<Place> {
    let mut place = place.clone();
    for step in &mut place.proj {
        match step {
            Proj::Field(_) | Proj::Variant(..) | Proj::Single | Proj::Items | Proj::Deref => {}
            Proj::Index(i) | Proj::Chunk(i, _) => **i = zero_index(&i.ty(func)),
            _ => return None,
        }
    }
    Some(place)
}

/// The index 0 in this index type.
fn zero_index(ty: &Ty) -> Expr {
    match ty {
        Ty::Tuple(parts) => Expr::Aggregate(parts.iter().map(zero_index).collect(), ty.clone()),
        Ty::Int(_) => Expr::Lit("0".into(), ty.clone()),
        _ => Expr::Lit("0".into(), Ty::USIZE),
    }
}
