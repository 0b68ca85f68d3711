//! Code that depends on the caller: tests that are folded at compile time, and the context passed to a callee.

use proc_macro2::{Delimiter, Ident, Literal, Span};

use super::handle::Reads;
use super::links::Direction;
use super::names::NamedType;
use super::queries::SiteActivity;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, private};
use crate::ir::demand::{CERTAIN, fact_bit, param_bit};
use crate::ir::{Block, Demand, StmtId, StmtKind};
use crate::passes::activity::summary::ContextPolicy;
use crate::plan::{CalleeFact, Record, union};

/// How many tests one call of the runtime evaluates.
const TESTS: usize = 32;

impl Emit<'_> {
    /// Whether the surrounding code is already restricted to callers with this demand.
    pub fn is_implied(&self, demand: Demand) -> bool {
        let around = |d: &Demand| *d != Demand::NEVER && d.implies(demand);
        demand == Demand::ALWAYS || self.implied_demands.iter().any(around)
    }

    /// Whether the record is made for every caller whose reverse sweep does anything. The forward sweep still tests
    /// that: for the other callers the reverse sweep need not be called, so nothing may be left on the tape.
    pub fn is_for_all_reversed(&self, demand: Demand) -> bool {
        demand == Demand::ALWAYS && !self.in_reverse && !self.is_listing && !self.is_fused
    }

    /// Whether what is for such callers is under a test.
    pub fn needs_test(&self, demand: Demand) -> bool {
        !self.is_implied(demand) || self.is_for_all_reversed(demand)
    }

    /// Returns early from the reverse sweep for callers for whom it does nothing, if it would read records that only
    /// the other callers make.
    pub fn early_return(&self, returned: &TokenBuf) -> TokenBuf {
        let anybody = |record: &Record| record.demand == Demand::ALWAYS;
        if self.is_listing || !self.plan.records.iter().any(anybody) {
            return TokenBuf::empty();
        }
        let test = self.constant_test(Demand::ALWAYS);
        code!(if !#test { return #returned; })
    }

    /// The name of the constant that says whether the caller has this demand.
    pub fn test(&self, demand: Demand) -> Ident {
        let demand = self.queries.dedup_demand(demand);
        let mut tests = self.tests.borrow_mut();
        let next = tests.len();
        let name = || Ident::new(&format!("demanded_{next}"), Span::mixed_site());
        tests.entry(demand).or_insert_with(name).clone()
    }

    /// Declares the tests of the sweep. A `const` block costs rustc as much as a function, and a call as much as an
    /// expression, so one call evaluates many tests; those that hold for restoring callers come first.
    pub fn emit_tests(&self) -> TokenBuf {
        let tests = self.tests.borrow();
        // Listings have one test per line.
        let asks =
            |demand: &Demand| self.is_listing || self.demanded_facts(*demand).next().is_some();
        let (asking, plain): (Vec<_>, Vec<_>) = tests.iter().partition(|(demand, _)| asks(demand));
        let alone = self.emit_query_tests(asking);
        if plain.is_empty() {
            return alone;
        }
        let (first, last): (Vec<_>, Vec<_>) = plain.into_iter().partition(|(d, _)| d.restore);
        let restoring = first.len();
        let tests: Vec<_> = first.into_iter().chain(last).collect();
        let needs = &self.needs_expr(tests.iter().map(|(demand, _)| *demand));
        let together = tests.chunks(TESTS).enumerate().map(|(k, tests)| {
            let restoring = restoring.saturating_sub(k * TESTS).min(tests.len());
            let restoring = Literal::usize_unsuffixed(restoring);
            let names = tests.iter().map(|(_, name)| *name);
            let masks = tests.iter().map(|(demand, _)| {
                let (wrt, of) = (u128::from(demand.wrt), u128::from(demand.of));
                Literal::u128_unsuffixed(wrt | of << 64)
            });
            code!(let [#(#names),*] = #needs.demands(#restoring, [#(#masks),*]);)
        });
        let together: TokenBuf = together.collect();
        together.then(alone)
    }

    /// Tests that query callees.
    fn emit_query_tests(&self, tests: Vec<(&Demand, &Ident)>) -> TokenBuf {
        if self.is_listing {
            let declared = tests.into_iter().map(|(demand, name)| {
                let test = self.constant_test(*demand);
                code!(let #name = #test;)
            });
            return declared.collect();
        }
        let (demands, names): (Vec<_>, Vec<_>) = tests.into_iter().unzip();
        if demands.is_empty() {
            return TokenBuf::empty();
        }
        let needs = self.needs_expr(demands.iter().copied());
        let known = &code!(needs);
        let tests = demands.iter().map(|demand| self.test_expr(known, **demand));
        code!(let [#(#names),*] = const { let needs = #needs; [#(#tests),*] };)
    }

    /// Whether the caller has this demand, as a `const` block.
    fn constant_test(&self, demand: Demand) -> TokenBuf {
        let demand = self.queries.dedup_demand(demand);
        let test = self.test_expr(&self.needs_expr([&demand]), demand);
        code!(const { #test })
    }

    /// The same as an expression in a constant, given the needs.
    fn test_expr(&self, needs: &TokenBuf, demand: Demand) -> TokenBuf {
        let Demand {
            wrt, of, restore, ..
        } = demand;
        let mut facts = TokenBuf::empty();
        for (number, fact) in self.demanded_facts(demand) {
            if !facts.is_empty() {
                facts = facts.then_operator("||");
            }
            facts.add(self.fact_value(number, fact));
        }
        if facts.is_empty() {
            return code!(#needs.demand(#wrt, #of, #restore));
        }
        let facts = match self.demanded_facts(demand).nth(1) {
            Some(_) => facts.delimited(Delimiter::Parenthesis),
            None => facts,
        };
        let asked = code!(#needs.demand(#wrt, #of, false) && #facts);
        match restore {
            true => code!((#asked) || #needs.demand(0, 0, true)),
            false => asked,
        }
    }

    /// The callee facts that the demand depends on.
    fn demanded_facts(&self, demand: Demand) -> impl Iterator<Item = (usize, &CalleeFact)> {
        let all = self.plan.callee_facts.iter().enumerate();
        let asked = all.filter(move |(i, _)| demand.facts & fact_bit(*i) != 0);
        asked.filter(move |_| demand.facts & CERTAIN == 0)
    }

    /// Whether a callee's reverse sweep reads an argument, as a constant.
    fn fact_value(&self, number: usize, fact: &CalleeFact) -> TokenBuf {
        let (p, read) = (private(), self.fact_type(number, fact));
        code!(<#read as #p::Bit>::VALUE)
    }

    /// The same as a type. For a callee without a name, the answer is assumed to be yes.
    fn fact_type(&self, number: usize, fact: &CalleeFact) -> TokenBuf {
        let p = private();
        let Some(callee) = self.handle_name(&fact.callee) else {
            return code!(#p::Yes);
        };
        self.named_type(NamedType::Fact(number), || {
            let site = self.fact_site(fact);
            let reads = code!(<<#callee as #p::Callee>::Reads as #p::Readings>::For<#site>);
            let list = (0..fact.argument).fold(reads, |list, _| code!(#p::Tail<#list>));
            code!(#p::Head<#list>)
        })
    }

    /// The site of the call that a fact is about, as a type.
    fn fact_site(&self, fact: &CalleeFact) -> TokenBuf {
        let p = private();
        let restore = match fact.restore {
            true => Demand::ALWAYS,
            false => Demand::NEVER,
        };
        match self.plan.calls.get(&fact.call) {
            Some(site) => self.site(SiteActivity {
                restore,
                ..self.queries.site_activity(site)
            }),
            None => {
                let restore = self.demand_type(restore);
                code!(#p::Site<#p::All, #p::All, #restore>)
            }
        }
    }

    /// A call's site as a type; it gets a name if callees are queried.
    fn site(&self, site: SiteActivity) -> TokenBuf {
        match self.queries.is_empty() {
            true => self.site_type(&site),
            false => {
                let number = self.site_number(site.clone());
                self.named_type(NamedType::Site(number), || self.site_type(&site))
            }
        }
    }

    fn site_type(&self, site: &SiteActivity) -> TokenBuf {
        let p = private();
        let sides = [
            (&site.varied[..], Direction::Varied),
            (&site.useful[..], Direction::Useful),
        ];
        let exact = || {
            let lists = sides.map(|(masks, which)| {
                let length = masks
                    .iter()
                    .rposition(|m| *m != 0)
                    .map_or(0, |last| last + 1);
                list_type(length, |k| self.any_type(masks[k], which))
            });
            code!(#(#lists),*)
        };
        let possible = || {
            let lists = sides.map(|(masks, _)| possible_set(masks));
            code!(#(#lists),*)
        };
        let restore = self.demand_type(site.restore);
        match site.closing {
            ContextPolicy::Exact => {
                let exact = exact();
                code!(#p::Site<#exact, #restore, <__Caller as #p::Context>::Level>)
            }
            ContextPolicy::Limited => {
                let (exact, possible) = (exact(), possible());
                code!(#p::Limited<__Caller, #exact, #possible, #restore>)
            }
            ContextPolicy::Recursive => {
                let any = sides.map(|(masks, which)| self.any_type(union(masks), which));
                let possible = possible();
                code!(#p::Closed<#possible, #p::And<#(#any),*>, #restore>)
            }
        }
    }

    /// The disjunction of the facts in the demand, as a type; `None` if the demand holds without them.
    fn any_fact(&self, demand: Demand) -> Option<TokenBuf> {
        let p = private();
        let facts = self.demanded_facts(demand);
        let bits = facts.map(|(number, fact)| self.fact_type(number, fact));
        bits.reduce(|all, bit| code!(#p::Or<#bit, #all>))
    }

    /// One value for callers with the demand, another for the rest. It is used as an initialiser or argument only:
    /// redundant parentheses cost rustc a third of a million instructions each.
    pub fn if_demanded(
        &self,
        demand: Demand,
        value: impl Into<TokenBuf>,
        other: impl Into<TokenBuf>,
    ) -> TokenBuf {
        if self.is_implied(demand) {
            return value.into();
        }
        let (test, value, other) = (self.test(demand), value.into(), other.into());
        code!(if #test { #value } else { #other })
    }

    /// Code for some callers, with a test of its own.
    pub fn when(&self, demand: Demand, body: &Block) -> TokenBuf {
        let code = self.guard_reversal(body, self.with_demand(demand).block(body));
        if self.is_implied(demand) {
            return code!({ #code });
        }
        // With a constant test, rustc doesn't instantiate the callee for a context in which the test is false.
        let test = self.constant_test(demand);
        code!(if #test { #code })
    }

    /// The emitter for code that only callers with this demand run.
    pub fn with_demand(&self, demand: Demand) -> Emit<'_> {
        let own = [demand, self.plan.links.certain(demand)];
        let implied = self.implied_demands.iter().copied().chain(own);
        Emit {
            implied_demands: implied.collect(),
            ..self.fork()
        }
    }

    /// Whether the block calls a callee's sweep outside of a test of its own.
    pub fn calls_sweep(&self, block: &Block) -> bool {
        block.stmts.iter().any(|s| match &s.kind {
            StmtKind::Forward(_) | StmtKind::Reverse { .. } => true,
            StmtKind::When(demand, body) => self.is_implied(*demand) && self.calls_sweep(body),
            _ => s.blocks().into_iter().any(|b| self.calls_sweep(b)),
        })
    }

    /// The context argument of a call. It is a type from a finite set, so that instantiation of recursive functions
    /// ends.
    pub fn context(&self, id: StmtId) -> TokenBuf {
        let p = private();
        match self.plan.calls.contains_key(&id) {
            true => {
                let site = self.site_of(id);
                code!(#p::called::<#site>())
            }
            false => code!(#p::outermost()),
        }
    }

    /// The site of a call, as a type.
    pub fn site_of(&self, id: StmtId) -> TokenBuf {
        let site = self.queries.site_activity(&self.plan.calls[&id]);
        match self.is_listing {
            // Listings write the site out.
            true => self.site_type(&site),
            false => self.site(site),
        }
    }

    /// `Dep` of the function as a type: for each output, the parameters that it depends on.
    pub fn depends(&self) -> TokenBuf {
        let (p, depends) = (private(), &self.plan.depends);
        if depends.is_empty() {
            return code!(#p::All);
        }
        let params = self.plan.func.params.len();
        list_type(depends.len(), |output| {
            low_bits_type(depends[output], params)
        })
    }

    /// The parameters whose values the reverse sweep reads; published by the function's handle.
    pub fn reads(&self) -> Reads {
        let reads = &self.plan.reads;
        let asks = |demand: &Demand| self.demanded_facts(*demand).next().is_some();
        match self.queries.is_empty() && !reads.iter().any(asks) {
            true => Reads::ForAll(list_type(reads.len(), |k| self.reading_type(reads[k]))),
            false => Reads::PerCaller(list_type(reads.len(), |k| self.demand_type(reads[k]))),
        }
    }

    /// The callers with this demand, as a type that queries no callee.
    fn reading_type(&self, demand: Demand) -> TokenBuf {
        let p = private();
        if demand == Demand::ALWAYS {
            return code!(#p::IfReversed);
        }
        let restored = demand.restore.then(|| code!(#p::IfRestored));
        let masks = [
            (demand.wrt, Direction::Varied),
            (demand.of, Direction::Useful),
        ];
        let all = masks.map(|(mask, which)| which.holds_all(self.plan, mask));
        let own = masks.map(|(mask, which)| mask & which.caller_bits(self.plan));
        let wanted = !own.contains(&0);
        let wanted = wanted.then(|| match all {
            [true, true] => code!(#p::IfWanted),
            [all_args, all_outputs] => {
                let list = |all, mask| match all {
                    true => code!(#p::All),
                    false => mask_type(mask),
                };
                let (args, outputs) = (list(all_args, own[0]), list(all_outputs, own[1]));
                code!((#args, #outputs))
            }
        });
        match (wanted, restored) {
            (Some(wanted), Some(restored)) => code!(#p::Either<#wanted, #restored>),
            (one, other) => one.or(other).unwrap_or_else(|| code!(#p::No)),
        }
    }

    /// Whether the caller has this demand, as a type.
    fn demand_type(&self, demand: Demand) -> TokenBuf {
        let p = private();
        if demand == Demand::ALWAYS {
            // Callers that need no derivative call no reverse sweep.
            return code!(#p::Reversed<__Caller>);
        }
        let Demand { wrt, of, .. } = demand;
        let all = |mask, which: Direction| which.holds_all(self.plan, mask);
        if (wrt == 0 || of == 0) && demand.restore {
            return code!(<__Caller as #p::Context>::Restore);
        }
        let wanted = match (wrt, of) {
            (0, _) | (_, 0) => code!(#p::No),
            // Equivalent, and cheaper for rustc.
            _ if all(wrt, Direction::Varied) && all(of, Direction::Useful) => {
                code!(<__Caller as #p::Context>::Wanted)
            }
            _ => {
                let (wrt, of) = (
                    self.any_type(wrt, Direction::Varied),
                    self.any_type(of, Direction::Useful),
                );
                code!(#p::And<#wrt, #of>)
            }
        };
        let wanted = match self.any_fact(demand) {
            Some(fact) => code!(#p::And<#wanted, #fact>),
            None => wanted,
        };
        match demand.restore {
            true => code!(#p::Or<#wanted, <__Caller as #p::Context>::Restore>),
            false => wanted,
        }
    }
}

/// The arguments or outputs for which some caller sets a bit, as a type.
fn possible_set(masks: &[u64]) -> TokenBuf {
    let set = masks.iter().enumerate().filter(|(_, mask)| **mask != 0);
    let all = set.fold(0, |all, (k, _)| all | param_bit(k));
    match all {
        0 => code!(()),
        all => mask_type(all),
    }
}

/// A mask as a type, up to its highest bit that is set.
pub(in crate::emit) fn mask_type(mask: u64) -> TokenBuf {
    low_bits_type(mask, (u64::BITS - mask.leading_zeros()) as usize)
}

/// The lowest bits of a mask as a type; the runtime has a name for each group of up to four bits.
fn low_bits_type(mask: u64, length: usize) -> TokenBuf {
    let p = private();
    let chunks = (0..length).step_by(4).rev();
    chunks.fold(TokenBuf::empty(), |rest, start| {
        let bit = |k| match mask & param_bit(k) {
            0 => '0',
            _ => '1',
        };
        let name: String = (start..length.min(start + 4)).map(bit).collect();
        let name = TokenBuf::name(&format!("B{name}"));
        match rest.is_empty() {
            true => code!(#p::#name),
            false => code!(#p::#name<#rest>),
        }
    })
}

/// A type-level list of this length.
fn list_type(length: usize, item: impl Fn(usize) -> TokenBuf) -> TokenBuf {
    (0..length).rev().fold(code!(()), |tail, k| {
        let item = item(k);
        code!((#item, #tail))
    })
}
