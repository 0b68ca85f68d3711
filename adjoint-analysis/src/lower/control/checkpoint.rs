//! `#[checkpoint]` on statements.
//!
//! With a number of snapshots, it marks the loop that the statement is. Without, the statement is reversed jointly, which is a
//! checkpointed loop of one step: its state is saved, it runs without records, and is run again for its reversal.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::super::value::Value;
use super::super::{LabeledStmt, Lower, Origin, Ty};
use crate::ir::construct::usize_lit;
use crate::ir::{Checkpoint, Expr, LoopHead, Mode, Range, StmtId};
use crate::lower::items::attributes::is_checkpoint;
use crate::refuse::Reason;

/// The arguments of the attribute.
#[derive(Default)]
struct Arguments {
    snapshots: Option<syn::Expr>,
    disk: Option<syn::Expr>,
}

/// The attributes of a statement, shared or mutable; the parser gives those of an expression to its first operand.
macro_rules! attributes {
    ($name:ident, $operand:ident, $($mutable:tt)?) => {
        fn $name(stmt: &$($mutable)? syn::Stmt) -> Option<&$($mutable)? Vec<syn::Attribute>> {
            match stmt {
                syn::Stmt::Local(local) => Some(&$($mutable)? local.attrs),
                syn::Stmt::Expr(e, _) => $operand(e),
                _ => None,
            }
        }

        fn $operand(e: &$($mutable)? syn::Expr) -> Option<&$($mutable)? Vec<syn::Attribute>> {
            match e {
                syn::Expr::Assign(e) => $operand(&$($mutable)? e.left),
                syn::Expr::Binary(e) => $operand(&$($mutable)? e.left),
                syn::Expr::Block(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Call(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Field(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::ForLoop(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::If(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Index(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Loop(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Match(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::MethodCall(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Path(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Try(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::Unary(e) => Some(&$($mutable)? e.attrs),
                syn::Expr::While(e) => Some(&$($mutable)? e.attrs),
                _ => None,
            }
        }
    };
}
attributes!(attributes, of_operand,);
attributes!(attributes_mut, of_operand_mut, mut);

/// The statement without the attribute, and the attribute.
pub fn split(stmt: &syn::Stmt) -> Option<(syn::Stmt, syn::Attribute)> {
    let at = attributes(stmt)?.iter().position(is_checkpoint)?;
    let mut stmt = stmt.clone();
    let attribute = attributes_mut(&mut stmt)?.remove(at);
    Some((stmt, attribute))
}

impl Lower {
    /// Lowers the statement if it is checkpointed.
    pub(in crate::lower) fn checkpointed_stmt(
        &mut self,
        stmt: &syn::Stmt,
        is_tail: bool,
    ) -> Option<Value> {
        let (stmt, attribute) = split(stmt)?;
        let arguments = match arguments(&attribute) {
            Ok(arguments) => arguments,
            Err((span, why)) => {
                self.draft.refusals.push(span, Reason::Checkpoint(why));
                return Some(Value::Unit);
            }
        };
        let is_loop = is_loop(&stmt);
        let refuse = |l: &mut Self, why: &str| {
            let reason = Reason::Checkpoint(why.to_string());
            l.draft.refusals.push(attribute.span(), reason);
            Value::Unit
        };
        let has_value = matches!(&stmt, syn::Stmt::Expr(_, None)) && is_tail && !is_loop;
        let value = match (&arguments.snapshots, &stmt) {
            _ if has_value => refuse(self, "it is the value of the block; end it with `;`"),
            (Some(_), _) if !is_loop => refuse(self, "only a loop has several snapshots"),
            (Some(snapshots), _) => {
                self.checkpointed_loop(&stmt, snapshots, &arguments, &attribute)
            }
            (None, _) if arguments.disk.is_some() => {
                refuse(self, "`disk` comes beside `snapshots`")
            }
            (None, syn::Stmt::Local(local)) => match assigned_later(local) {
                Some((declaration, assignment)) => {
                    self.lower_let(&declaration);
                    self.joint_region(&assignment)
                }
                None => refuse(
                    self,
                    "only a `let` of a single name with a value can be reversed jointly",
                ),
            },
            (None, stmt) => self.joint_region(stmt),
        };
        Some(value)
    }

    fn checkpointed_loop(
        &mut self,
        stmt: &syn::Stmt,
        snapshots: &syn::Expr,
        arguments: &Arguments,
        attribute: &syn::Attribute,
    ) -> Value {
        let snapshots = self.snapshot_count(snapshots);
        let disk = arguments.disk.as_ref().map(|e| self.snapshot_count(e));
        let start = self.out.len();
        let value = self.lower_stmt(stmt);
        let loops = self.out[start..].iter().rev();
        let mut loops = loops.filter_map(|raw| match raw {
            LabeledStmt::Loop(id, ..) => Some(*id),
            _ => None,
        });
        match loops.next() {
            Some(id) => self.checkpoint(id, Checkpoint { snapshots, disk }),
            None => {
                let why = "the items of this loop come one after another, not by position";
                let reason = Reason::Checkpoint(why.to_string());
                self.draft.refusals.push(attribute.span(), reason);
            }
        }
        value
    }

    /// A number of snapshots, which has to be known where the loop starts.
    fn snapshot_count(&mut self, e: &syn::Expr) -> Expr {
        match self.expr_as(e, Some(&Ty::USIZE)) {
            Value::Place(p)
                if p.is_whole() && self.draft.func.var(p.root).origin == Origin::Param =>
            {
                return Expr::Read(p);
            }
            Value::Expr(e @ Expr::Lit(..), _) => return e,
            Value::Expr(Expr::Code(code, reads, ty), _) if reads.is_empty() => {
                return Expr::Code(code, reads, ty);
            }
            _ => {}
        }
        let why = "a number of snapshots is a literal, a constant or a parameter";
        let reason = Reason::Checkpoint(why.to_string());
        self.draft.refusals.push(e.span(), reason);
        usize_lit(1)
    }

    /// A statement that is reversed jointly.
    fn joint_region(&mut self, stmt: &syn::Stmt) -> Value {
        let span = stmt.span();
        let (body, value) = self.in_block(|l| l.lower_stmt(stmt));
        let var = self
            .draft
            .func
            .add_var("once", Ty::USIZE, Mode::Owned, Origin::Temp);
        let (end, id) = (self.fresh_label(), self.stmt_id(span));
        let head = LoopHead::Counted(var, Range::up_to(usize_lit(1)));
        self.out.push(LabeledStmt::Loop(id, head, end, body));
        let snapshots = usize_lit(1);
        self.checkpoint(
            id,
            Checkpoint {
                snapshots,
                disk: None,
            },
        );
        value
    }

    fn checkpoint(&mut self, id: StmtId, checkpoint: Checkpoint) {
        self.draft.func.checkpoints.insert(id, checkpoint);
    }
}

/// Whether the statement is a loop, or takes the value of one.
fn is_loop(stmt: &syn::Stmt) -> bool {
    let e = match stmt {
        syn::Stmt::Expr(syn::Expr::Assign(e), _) => &*e.right,
        syn::Stmt::Expr(e, _) => e,
        syn::Stmt::Local(syn::Local {
            init: Some(init), ..
        }) => &*init.expr,
        _ => return false,
    };
    matches!(
        e,
        syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_)
    )
}

/// `let p: T;` and `p = e;` for `let p: T = e;`.
fn assigned_later(local: &syn::Local) -> Option<(syn::Local, syn::Stmt)> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    let name = match &local.pat {
        syn::Pat::Ident(p) => p,
        syn::Pat::Type(t) => match &*t.pat {
            syn::Pat::Ident(p) => p,
            _ => return None,
        },
        _ => return None,
    };
    let (name, e) = (&name.ident, &init.expr);
    let assignment = syn::parse_quote_spanned!(e.span()=> #name = #e;);
    let declaration = syn::Local {
        init: None,
        ..local.clone()
    };
    Some((declaration, assignment))
}

fn arguments(attribute: &syn::Attribute) -> Result<Arguments, (proc_macro2::Span, String)> {
    let mut found = Arguments::default();
    let list = match &attribute.meta {
        syn::Meta::Path(_) => return Ok(found),
        syn::Meta::List(list) => list,
        meta => return Err((meta.span(), "its arguments stand in parentheses".into())),
    };
    let parser = Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated;
    let parsed = parser.parse2(list.tokens.clone());
    let parsed = parsed.map_err(|e| {
        (
            e.span(),
            format!("its arguments are not `name = value`: {e}"),
        )
    })?;
    for argument in parsed {
        let name = argument.path.get_ident().map(ToString::to_string);
        let place = match name.as_deref() {
            Some("snapshots") => &mut found.snapshots,
            Some("disk") => &mut found.disk,
            _ => {
                let why = "its arguments are `snapshots` and `disk`".to_string();
                return Err((argument.path.span(), why));
            }
        };
        *place = Some(argument.value);
    }
    Ok(found)
}
