//! Closures with a name.

use super::types::{Held, Ty};
use super::writer::Writer;

impl Writer<'_> {
    /// `let f = |a| ..;`, to be called as any function.
    pub(in crate::gen_source) fn named_closure(&mut self) {
        let arity = self.rng.between(1, 2);
        let (name, params) = (self.name("f"), self.parameters(arity));
        let body = self.in_closure(|w| {
            for p in &params {
                w.know(p, Ty::Real, Held::Owned, false);
            }
            match w.rng.chance(30) {
                true => {
                    let (condition, early) = (w.condition(0), w.real(1));
                    let value = w.bounded(2);
                    format!("{{ if {condition} {{ return {early}; }} {value} }}")
                }
                false => w.bounded(2),
            }
        });
        let params: Vec<String> = params.iter().map(|p| format!("{p}: f64")).collect();
        self.line(format!("let {name} = |{}| {body};", params.join(", ")));
        self.freeze(&body);
        self.know(&name, Ty::Fun(arity), Held::Owned, false);
        self.increment();
    }

    fn parameters(&mut self, arity: usize) -> Vec<String> {
        (0..arity).map(|_| self.name("a")).collect()
    }

    /// A closure that writes to what it captures, called a few times.
    pub(in crate::gen_source) fn writing_closure(&mut self) {
        let Some(state) = self.some_written(|v| v.ty == Ty::Real) else {
            return self.named_closure();
        };
        let sequence = self.some_written(|v| v.ty == Ty::seq(Ty::Real));
        self.block("", |w| {
            w.hide(&state.name);
            let (name, params) = (w.name("f"), w.parameters(1));
            let place = state.value();
            let mut hidden = vec![state.name.clone()];
            w.in_closure(|w| {
                w.know(&params[0], Ty::Real, Held::Owned, false);
                let step = w.bounded(1);
                let mut body = format!("{place} = 0.8 * {place} + 0.3 * {step};");
                if let Some(v) = &sequence
                    && w.rng.chance(50)
                {
                    hidden.push(v.name.clone());
                    body.push_str(&format!(" {}.push({} * {});", v.name, params[0], place));
                }
                w.line(format!(
                    "let mut {name} = |{}: f64| {{ {body} {place} * {} }};",
                    params[0], params[0]
                ));
                w.freeze(&body);
            });
            for name in &hidden {
                w.hide(name);
            }
            w.freeze_all_reads();
            w.called(&name);
        });
    }

    /// What a closure may have captured is not written while it lives.
    fn freeze_all_reads(&mut self) {
        let names: Vec<String> = self.scope.iter().map(|v| v.name.clone()).collect();
        self.freeze(&names.join(" "));
    }

    /// Calls of a closure that writes: in a row, in a loop, or handed to an iterator.
    fn called(&mut self, name: &str) {
        for _ in 0..self.rng.between(1, 2) {
            let arg = self.real(1);
            match (self.rng.below(4), self.chain(1)) {
                (0, Some(chain)) => {
                    let pattern = self.pattern(&chain.item);
                    let head = format!("for {} in {} ", pattern.text, chain.text);
                    self.in_loop(&head, |w| {
                        w.bind(&pattern);
                        let arg = w.real(1);
                        w.line(format!("{name}({arg});"));
                    });
                }
                (1, Some(chain)) => {
                    let pattern = self.pattern(&chain.item);
                    let arg = self.in_closure(|w| {
                        w.bind(&pattern);
                        w.real(1)
                    });
                    self.line(format!(
                        "{}.for_each(|{}| {{ {name}({arg}); }});",
                        chain.text, pattern.text
                    ));
                }
                (2, _) => {
                    let t = self.name("t");
                    self.line(format!("let {t} = {name}({arg});"));
                    self.know(&t, Ty::Real, Held::Owned, false);
                    let again = self.real(1);
                    self.line(format!("{name}({again});"));
                }
                _ => self.line(format!("{name}({arg});")),
            }
        }
    }
}
