//! Loops over indices, as numerical programmers write them.

use super::types::{Held, Ty};
use super::writer::Writer;

impl Writer<'_> {
    /// `for i in 0..a.len().min(b.len()) { a[i] = ..; }`, also with neighbours.
    pub(in crate::gen_source) fn indexed_loop(&mut self) {
        let Some(written) = self.some_written(|v| v.ty.is_reals()) else {
            return self.increment();
        };
        let read = self.some(|v| v.ty.is_reals() && v.name != written.name);
        let (i, name) = (self.name("i"), written.name.clone());
        let mut bound = format!("{name}.len()");
        let mut places = vec![(format!("{name}[{i}]"), true)];
        if let Some(read) = &read {
            bound = format!("{bound}.min({}.len())", read.name);
            places.push((format!("{}[{i}]", read.name), false));
        }
        let (head, neighbour) = match self.rng.below(5) {
            0 => (
                format!("for {i} in 1..{bound} "),
                Some(format!("{name}[{i} - 1]")),
            ),
            1 => {
                let head = format!("for {i} in (0..({bound}).saturating_sub(1)).rev() ");
                (head, Some(format!("{name}[{i} + 1]")))
            }
            2 => (format!("for {i} in (0..{bound}).rev() "), None),
            _ => (format!("for {i} in 0..{bound} "), None),
        };
        places.extend(neighbour.map(|place| (place, true)));
        self.in_loop(&head, |w| {
            let inner = w.rng.chance(25);
            w.hide(&name);
            if let Some(read) = &read {
                w.freeze(&read.name);
            }
            w.know(&i, Ty::Int, Held::Owned, false);
            for (place, writable) in &places {
                w.know(place, Ty::Real, Held::Owned, *writable);
            }
            if inner {
                let j = w.name("j");
                w.in_loop(&format!("for {j} in 0..={i} "), |w| {
                    w.know(&j, Ty::Int, Held::Owned, false);
                    w.know(&format!("{name}[{j}]"), Ty::Real, Held::Owned, false);
                    w.write_to(&places[0].0);
                });
            }
            w.some_statements(2);
            w.write_to(&places[0].0);
        });
    }

    /// An iterator with a name, advanced by hand.
    pub(in crate::gen_source) fn named_iterator(&mut self) {
        let Some(chain) = self.source(1) else {
            return self.increment();
        };
        let it = self.name("it");
        let pattern = self.pattern(&chain.item);
        self.block("", |w| {
            w.freeze(&chain.text);
            let text = &chain.text;
            if w.rng.chance(40) {
                w.line(format!("let mut {it} = {text}.peekable();"));
                w.in_loop(
                    &format!("while let Some({}) = {it}.next() ", pattern.text),
                    |w| {
                        w.bind(&pattern);
                        w.increment();
                        w.block(&format!("if {it}.peek().is_none() "), |w| {
                            w.increment();
                            w.line("break;");
                        });
                    },
                );
                return;
            }
            w.line(format!("let mut {it} = {text};"));
            if w.rng.chance(40) {
                w.line(format!("{it}.next();"));
            }
            w.in_loop(
                &format!("while let Some({}) = {it}.next() ", pattern.text),
                |w| {
                    w.bind(&pattern);
                    w.some_statements(2);
                    w.increment();
                },
            );
        });
    }
}
