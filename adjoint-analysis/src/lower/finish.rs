//! The end of lowering: inference is completed, its types are written into the IR, and the passes over lowered
//! statements run.

use crate::ir::default_value::default_value;
use proc_macro2::Span;

use super::{Expr, LabeledStmt, Lower, Lowered, Origin, Refusal, Ty};
use crate::ir::{BinOp, Block, Intrinsic, Place, Proj, Stmt, StmtKind};
use crate::mir::sink_declarations::sink;
use crate::passes::sets::set::VarSet;
use crate::refuse::Reason;

impl Lower {
    /// Completes the function; returns all refusals if there are any.
    pub fn finish(mut self, raws: Vec<LabeledStmt>) -> Result<Lowered, Vec<Refusal>> {
        let mut body = self.draft.structure_exits(raws);
        for (ty, name) in std::mem::take(&mut self.constructed_types) {
            self.unify(&ty, &Ty::Named(name));
        }
        self.unify_field_uses();
        self.infer_conversions(&body);
        self.apply_cast_fallback(&mut body);
        self.check_inferred_reals(&mut body);
        self.check_free_names();
        self.resolve_variables();
        self.resolve_block(&mut body);
        for span in self.infer.open_extents() {
            self.draft.refusals.push(span, Reason::Extent);
        }
        self.push_collected(&mut body);
        drop_unread_results(&mut body);
        self.check_number_operands(&mut body);
        if !self.draft.references.is_empty() {
            let Lower { draft, env, .. } = &mut self;
            body = draft.dereference(body, &|of, name| env.visible_field_type(of, name));
        }
        self.refuse_changed_constants(&body);
        body = self.draft.insert_moves(body);
        sink(&mut body);
        self.check_index_invariance(&mut body);
        if self.draft.has_exit_flags || has_break(&body) {
            self.init_return(&mut body);
        }
        self.draft.func.body = body;
        if self.draft.refusals.is_empty() {
            self.refuse_untyped();
        }
        for (_, ty) in &mut self.intrinsic_methods {
            *ty = self.infer.resolve(ty);
        }
        let lowered = Lowered {
            func: self.draft.func,
            spans: self.draft.spans,
            code: self.draft.code,
            variable_callees: self.variable_callees,
            bare_mut_args: self.bare_mut_args,
            closure_args: self.closure_args,
            constant_code: self.opaque.code,
            intrinsic_methods: self.intrinsic_methods,
            param_bounds: self.env.user_type_bounds.clone(),
        };
        self.draft.refusals.finish(lowered)
    }

    fn resolve_variables(&mut self) {
        for var in &mut self.draft.func.vars {
            var.ty = self.infer.resolve(&var.ty);
        }
    }

    fn resolve_block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            self.resolve_stmt(stmt);
            for inner in stmt.blocks_mut() {
                self.resolve_block(inner);
            }
        }
    }

    fn resolve_stmt(&mut self, stmt: &mut Stmt) {
        for place in stmt.own_places_mut() {
            self.resolve_place(place);
        }
        for e in stmt.operands_mut() {
            self.resolve_expr(e);
        }
        if let StmtKind::Loop(crate::ir::LoopHead::Counted(_, range), _) = &mut stmt.kind {
            range.ty = self.infer.resolve(&range.ty);
        }
        match &mut stmt.kind {
            StmtKind::Incr(place, e) if !may_be_real(&place.ty) => {
                let (op, e) = match std::mem::replace(e, Expr::Lit(String::new(), Ty::Unit)) {
                    Expr::Unary(crate::ir::UnOp::Neg, inner) => (BinOp::Sub, inner),
                    e => (BinOp::Add, Box::new(e)),
                };
                let sum = Expr::Binary(op, Box::new(Expr::Read(place.clone())), e);
                stmt.kind = StmtKind::Assign(place.clone(), sum);
            }
            StmtKind::Let(var, init @ None) => *init = default_value(&self.draft.func.var(*var).ty),
            _ => {}
        }
    }

    fn resolve_place(&self, place: &mut Place) {
        place.ty = self.infer.resolve(&place.ty);
        for step in &mut place.proj {
            if let Proj::Chunk(_, extent) = step {
                *extent = self.infer.extent(extent);
            }
        }
    }

    fn resolve_expr(&mut self, e: &mut Expr) {
        for child in e.children_mut() {
            self.resolve_expr(child);
        }
        match e {
            Expr::Lit(text, ty) => {
                *ty = self.infer.resolve(ty);
                if ty.is_float() && !text.contains(['.', 'e', 'E']) {
                    text.push_str(".0");
                }
                // A sum or product of elements of unknown type is assumed to be over floats.
                let unseen = *ty == Ty::Unknown && matches!(text.as_str(), "-0.0" | "1.0");
                if !ty.is_float() && *ty != Ty::Bool && !unseen {
                    // The start value of a sum or product over integers.
                    if let Some(whole) = text.strip_suffix(".0") {
                        *text = whole.trim_start_matches('-').to_string();
                    }
                }
            }
            Expr::Cast(_, ty)
            | Expr::Discrete(_, _, ty)
            | Expr::Aggregate(_, ty)
            | Expr::Repeat(_, _, ty) => *ty = self.infer.resolve(ty),
            Expr::Variant(_, _, ty) => *ty = self.infer.resolve(ty),
            Expr::Code(code, _, ty) => {
                *ty = self.infer.resolve(ty);
                self.adapt_opaque_ref(*code, ty);
            }
            _ => {}
        }
        if let Expr::Repeat(value, ..) = e {
            // Initial elements of a collected `Vec`, before the real ones are written.
            if let Expr::Lit(text, ty) = &**value
                && (!ty.is_scalar() || *ty == Ty::Bool && text == "0.0")
            {
                **value = default_value(ty).unwrap_or_else(|| (**value).clone());
            }
        }
        for place in e.own_places_mut() {
            self.resolve_place(place);
        }
        self.resolve_intrinsic(e);
        self.resolve_length(e);
    }

    /// Replaces the length of an array by the extent of its type.
    fn resolve_length(&mut self, e: &mut Expr) {
        let Expr::Len(place) = e else { return };
        let Ty::Array(_, extent) = &place.ty else {
            return;
        };
        *e = match extent.parse::<usize>() {
            Ok(n) => Expr::Lit(n.to_string(), Ty::USIZE),
            Err(_) => {
                let tokens = extent.parse().unwrap_or_default();
                Expr::Code(self.add_code(tokens, Vec::new()), Vec::new(), Ty::USIZE)
            }
        };
    }

    /// Turns `abs`, `min` and the like of integers into discrete functions.
    fn resolve_intrinsic(&mut self, e: &mut Expr) {
        let Expr::Intrinsic(op, args) = e else { return };
        let ty = args[0].ty(&self.draft.func);
        if matches!(ty, Ty::Int(_)) {
            let name = Intrinsic::name(*op).to_string();
            *e = Expr::Discrete(name, std::mem::take(args), ty);
        }
    }

    /// Initialises the return variable on entry, where rustc can't prove that each path assigns it.
    fn init_return(&mut self, body: &mut Block) {
        let Some(ret) = self.draft.func.ret else {
            return;
        };
        if let Some(value) = default_value(&self.draft.func.var(ret).ty) {
            let id = self.stmt_id(Span::call_site());
            let place: Place = self.draft.func.place(ret);
            body.stmts.insert(
                0,
                Stmt {
                    id,
                    kind: StmtKind::Assign(place, value),
                },
            );
        }
    }

    /// Refuses variables of unknown type, except for results of calls: there the callee determines the type.
    fn refuse_untyped(&mut self) {
        let mut found: Vec<(Span, String)> = Vec::new();
        let (func, spans) = (&self.draft.func, &self.draft.spans);
        let (results, read) = (func.call_results(), read_variables(&func.body));
        func.body.walk(&mut |stmt| {
            let StmtKind::Let(id, init) = &stmt.kind else {
                return;
            };
            let unread = !read.contains(*id);
            let told = matches!(init, Some(Expr::Variant(..) | Expr::Code(..)));
            if told || results.contains_key(id) || unread {
                // rustc infers the type from the value itself, or it does not matter.
                return;
            }
            let var = func.var(*id);
            let unknown = var.ty == Ty::Unknown && var.origin == Origin::Local;
            if unknown && func.type_witness(*id).is_none() {
                found.push((spans[stmt.id.index()], var.name.clone()));
            }
        });
        for (span, name) in found {
            self.draft.refusals.push(span, Reason::Untyped(name));
        }
    }
}

/// Drops results of calls that nothing reads: they may be `()`.
fn drop_unread_results(body: &mut Block) {
    let read = read_variables(body);
    fn drop(block: &mut Block, read: &VarSet) {
        for stmt in &mut block.stmts {
            if let StmtKind::Call(call) = &mut stmt.kind {
                call.result = call.result.filter(|v| read.contains(*v));
            }
            for inner in stmt.blocks_mut() {
                drop(inner, read);
            }
        }
    }
    drop(body, &read);
}

/// The variables that some statement reads or writes.
fn read_variables(body: &Block) -> VarSet {
    let mut read = VarSet::default();
    body.walk(&mut |stmt| {
        stmt.each_named_var(&mut |v| {
            read.insert(v);
        });
    });
    read
}

fn may_be_real(ty: &Ty) -> bool {
    matches!(ty, Ty::Float(_) | Ty::Unknown | Ty::Named(_))
}

/// Whether the body has an exit flag, so that rustc can't see which path assigned which variable.
fn has_break(body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |s| found |= matches!(s.kind, StmtKind::Break));
    found
}
