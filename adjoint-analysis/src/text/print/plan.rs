//! Printing of plans.

use std::fmt;

use super::{Printer, printed};
use crate::ir::Demand;
use crate::passes::activity::links::Port;
use crate::passes::activity::summary::ContextPolicy;
use crate::plan::{CalleeFact, Plan, Record, RecordKind, Storage};

/// The text of a plan: the primal, the records, the adjoints, the restored variables, and both sweeps.
pub fn plan(plan: &Plan) -> String {
    printed(&plan.func, |p| p.plan(plan))
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plan(self))
    }
}

impl Printer<'_> {
    pub(super) fn plan(&mut self, plan: &Plan) {
        self.func();
        self.push("records {\n");
        for (i, record) in plan.records.iter().enumerate() {
            self.record(i, record);
        }
        self.push("}\nadjoints {\n");
        for (&of, &adjoint) in &plan.adjoint {
            self.push("  ");
            self.var(of);
            self.push(": ");
            self.var(adjoint);
            self.push(";\n");
        }
        self.push("}\nrestores");
        for (i, v) in plan.restores.iter().enumerate() {
            self.push(if i > 0 { ", " } else { " " });
            self.var(*v);
        }
        self.push(";\ninterface");
        for (i, v) in plan.interface.iter().enumerate() {
            self.push(if i > 0 { ", " } else { " " });
            self.var(*v);
        }
        self.push(";\ncalls {");
        for (id, site) in &plan.calls {
            let list = |masks: &[u64]| {
                let masks: Vec<String> = masks.iter().map(u64::to_string).collect();
                masks.join(", ")
            };
            let (varied, useful) = (list(&site.varied), list(&site.useful));
            let closing = match site.closing {
                ContextPolicy::Limited => "",
                ContextPolicy::Exact => " exact",
                ContextPolicy::Recursive => " recursive",
            };
            let gives = match site.gives.is_empty() {
                true => String::new(),
                false => format!(" gives {}", list(&site.gives)),
            };
            self.push(&format!(
                " #{}{closing}{gives} varied {varied} useful {useful} restore ",
                id.0
            ));
            self.demand(site.restore);
            self.reads(&site.reads);
            self.push(";");
        }
        self.push(" }");
        if !plan.var_demands.is_empty() {
            self.push("\nmade {");
            for (v, demand) in &plan.var_demands {
                self.push(" ");
                self.var(*v);
                self.push(" ");
                self.demand(*demand);
                self.push(";");
            }
            self.push(" }");
        }
        if !plan.callee_facts.is_empty() {
            self.push("\nfacts {");
            for fact in &plan.callee_facts {
                let CalleeFact {
                    call,
                    callee,
                    argument,
                    restore,
                } = fact;
                self.push(&format!(" #{} ", call.0));
                self.callee(callee);
                let restoring = if *restore { " restoring" } else { "" };
                self.push(&format!(" {argument}{restoring};"));
            }
            self.push(" }");
        }
        if !plan.links.0.is_empty() {
            self.push("\nlinks {");
            for link in &plan.links.0 {
                self.push(&format!(" #{} ", link.call.0));
                self.callee(&link.callee);
                self.ports(" from", &link.arguments);
                self.ports(" to", &link.outputs);
                self.push(";");
            }
            self.push(" }");
        }
        if !plan.reads.is_empty() {
            self.push("\n");
            self.reads(&plan.reads);
            self.push(";");
        }
        if !plan.depends.is_empty() {
            let masks: Vec<String> = plan.depends.iter().map(u64::to_string).collect();
            self.push(&format!("\ndepends {};", masks.join(", ")));
        }
        self.push("\nforward ");
        self.block(&plan.forward);
        self.push("\nreverse ");
        self.block(&plan.reverse);
        self.push("\n");
    }

    fn record(&mut self, index: usize, record: &Record) {
        self.push(&format!("  r{index}: "));
        match &record.kind {
            RecordKind::Value(ty) => self.ty_around("value ", ty, ""),
            RecordKind::Flag => self.push("flag"),
            RecordKind::Label(bits) => self.push(&format!("label {bits}")),
            RecordKind::Count => self.push("count"),
        }
        match &record.storage {
            Storage::Stack => self.push(" on stack"),
            Storage::Frame { of, slot } => {
                self.push(&format!(" in frame #{} slot {slot}", of.0));
            }
        }
        self.push(&format!(" of #{}", record.of.0));
        if record.demand != Demand::ALWAYS {
            self.push(" ");
            self.demand(record.demand);
        }
        self.push(";\n");
    }

    fn ports(&mut self, side: &str, ports: &[Port]) {
        let port = |p: &Port| format!(" {} is {} of {}", p.position, p.bit, p.mask);
        let ports: Vec<String> = ports.iter().map(port).collect();
        self.push(side);
        self.push(&ports.join(","));
    }

    fn reads(&mut self, reads: &[Demand]) {
        for (k, read) in reads.iter().enumerate() {
            self.push(if k > 0 { ", " } else { " reads " });
            self.demand(*read);
        }
    }

    pub(super) fn demand(&mut self, demand: Demand) {
        let mut words = Vec::new();
        match demand {
            Demand::ALWAYS => words.push("always".into()),
            Demand::NEVER => words.push("never".into()),
            Demand {
                wrt,
                of,
                facts,
                restore,
            } => {
                if wrt != 0 || of != 0 {
                    words.push(format!("wrt {wrt} of {of}"));
                    if facts != u64::MAX {
                        words.push(format!("if {facts}"));
                    }
                }
                if restore {
                    words.push("restoring".into());
                }
            }
        }
        self.push(&words.join(" "));
    }
}
