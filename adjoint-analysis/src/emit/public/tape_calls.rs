//! The calls that an adjoint makes to the tape around its sweeps: none of them, where it puts nothing there.

use super::Param;
use super::exit_values::is_on_tape;
use crate::emit::tape;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Caller, StmtKind};
use crate::plan::Plan;

/// The statements.
pub struct TapeCalls {
    /// Before the forward sweep.
    pub begin: TokenBuf,
    /// Between the sweeps.
    pub turn: Option<TokenBuf>,
    /// After the reverse sweep.
    pub end: Option<TokenBuf>,
    /// Where there is no reverse sweep.
    pub abandon: Option<TokenBuf>,
}

impl TapeCalls {
    /// The statements for a plan that is called by a user, with these exit values.
    pub fn of(plan: &Plan, exit_values: &[&Param]) -> TapeCalls {
        let (tape, records) = (&tape(), may_record(plan, exit_values));
        TapeCalls {
            begin: match records {
                true => code!(#tape.begin();),
                false => code!(#tape.record_nothing();),
            },
            turn: records.then(|| code!(#tape.turn();)),
            end: records.then(|| code!(#tape.end();)),
            abandon: records.then(|| code!(#tape.abandon();)),
        }
    }
}

/// Whether a user's call may put a record on the tape, or an exit value. What callees record is not known here.
fn may_record(plan: &Plan, exit_values: &[&Param]) -> bool {
    let mut records = false;
    plan.each_forward_stmt(&mut |stmt| {
        records |= match stmt.kind {
            StmtKind::Forward(_) => true,
            StmtKind::Record(record, _) | StmtKind::RecordControl(record, _) => {
                Caller::OUTERMOST.wants(plan.record(record).demand)
            }
            _ => false,
        };
    });
    records || exit_values.iter().any(|param| is_on_tape(param))
}
