//! Operations on results whose types only the callee knows: its sweeps provide them.

use proc_macro2::{Ident, TokenTree};

use super::contains_inferred_number;
use crate::emit::Emit;
use crate::emit::interface::method_sweep;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::{parse, type_tokens};
use crate::ir::{Call, Ty, TypeWitness, VarId};

impl Emit<'_> {
    /// Calls the callee's function `method` on a result whose type only the callee knows.
    pub fn result_op(&self, v: VarId, method: &str, args: TokenBuf) -> Option<TokenBuf> {
        let ty = &self.plan.func.var(v).ty;
        if type_tokens(ty).is_some() && !contains_inferred_number(ty) {
            return None;
        }
        let witness = || self.plan.func.type_witness(v);
        if self.is_primal_result(v) && matches!(witness(), Some(TypeWitness::Call(..)))
            || self.is_conditional_result(v)
        {
            return None;
        }
        self.callee_result_op(v, method, args)
    }

    /// Whether the variable is the result of a call without a derivative.
    pub fn is_primal_result(&self, v: VarId) -> bool {
        let result = self.result_calls.get(&v).and_then(|call| call.result);
        result.is_some_and(|v| self.primal_results.contains(&v))
    }

    /// Calls the callee's own function `method` on its result.
    pub fn callee_result_op(&self, v: VarId, method: &str, args: TokenBuf) -> Option<TokenBuf> {
        let call = self.result_calls.get(&v)?;
        if call.callee.operator().is_some() {
            return None;
        }
        match call.callee.is_method() {
            // A method without an adjoint need not be annotated.
            true if !self.plan.adjoint.contains_key(&v) => None,
            true => self.receiver_type(call).map(|(ty, name)| {
                let is_path = |c: char| c.is_alphanumeric() || "_: ".contains(c);
                let owner = parse(&ty);
                // A path without arguments may name a generic type: rustc infers the arguments from the call.
                let owner = match ty.chars().all(is_path) {
                    true => owner,
                    false => code!(<#owner>),
                };
                let sibling = method_sweep(&name, method);
                code!(#owner::#sibling(#args))
            }),
            false => Some(self.plain_handle_call(call, method, args)),
        }
    }

    /// The type of a method's receiver, where it has a name, and the method's name.
    fn receiver_type(&self, call: &Call) -> Option<(String, Ident)> {
        call.callee.name.strip_prefix('.')?;
        let name = match self.path(call).into_iter().next()? {
            TokenTree::Ident(name) => name,
            _ => return None,
        };
        match &call.args.first()?.place()?.ty {
            Ty::Named(ty) => Some((ty.clone(), name)),
            _ => None,
        }
    }
}
