//! Iterator chains: where they start, what is done with each item, and what is made of all.

use super::types::{Held, Ty};
use super::writer::{Var, Writer};

/// What an iterator gives.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::gen_source) enum Item {
    /// A value of a type that is copied.
    Value(Ty),
    /// A reference to one.
    Shared(Ty),
    /// A slice of reals, of at least so many.
    Slice(usize),
    Pair(Box<Item>, Box<Item>),
}

/// An iterator, as it is written.
#[derive(Clone, Debug)]
pub(in crate::gen_source) struct Chain {
    pub(in crate::gen_source) text: String,
    pub(in crate::gen_source) item: Item,
    /// Whether it can be run from behind.
    both: bool,
    /// Whether it knows its length.
    exact: bool,
}

impl Writer<'_> {
    /// An iterator with some adapters.
    pub(in crate::gen_source) fn chain(&mut self, depth: usize) -> Option<Chain> {
        let mut chain = self.source(depth)?;
        for _ in 0..self.rng.below(2 + depth.min(2)) {
            chain = self.adapted(chain, depth);
        }
        Some(chain)
    }

    /// An iterator beside another one.
    fn inner_chain(&mut self, depth: usize) -> Option<Chain> {
        match depth {
            0 => None,
            _ => self.chain(depth - 1),
        }
    }

    /// An iterator without adapters.
    pub(in crate::gen_source) fn source(&mut self, depth: usize) -> Option<Chain> {
        let real = || Item::Value(Ty::Real);
        let start = |text: String, item| Chain {
            text,
            item,
            both: true,
            exact: true,
        };
        if self.rng.chance(20) {
            let n = self.count();
            return Some(start(format!("(0..{n})"), Item::Value(Ty::Int)));
        }
        let var = self.some(|v| v.ty.element().is_some())?;
        let (name, of) = (&var.name, var.ty.element()?.clone());
        if of != Ty::Real {
            return Some(start(format!("{name}.iter()"), Item::Shared(of)));
        }
        Some(match self.rng.below(12) {
            0..4 => start(format!("{name}.iter()"), Item::Shared(of)),
            4 | 5 => start(format!("{name}.iter().copied()"), real()),
            6 => start(format!("{name}.to_vec().into_iter()"), real()),
            7 => start(format!("{name}.windows(2)"), Item::Slice(2)),
            8 => start(format!("{name}.chunks(2)"), Item::Slice(1)),
            9 => start(format!("{name}.chunks_exact(2)"), Item::Slice(2)),
            10 => start(
                format!("{name}[{name}.len() / 2..].iter()"),
                Item::Shared(of),
            ),
            _ => match self.inner_chain(depth) {
                Some(other) => {
                    let item = Item::Pair(Box::new(Item::Shared(of)), Box::new(other.item));
                    Chain {
                        text: format!("{name}.iter().zip({})", other.text),
                        item,
                        both: other.both && other.exact,
                        exact: other.exact,
                    }
                }
                None => start(format!("{name}.iter()"), Item::Shared(of)),
            },
        })
    }

    fn adapted(&mut self, chain: Chain, depth: usize) -> Chain {
        let k = self.rng.below(3);
        let with = |chain: Chain, what: String| Chain {
            text: format!("{}{what}", chain.text),
            ..chain
        };
        match self.rng.below(18) {
            0..3 => self.mapped(chain, depth),
            3 => with(self.counted(chain), String::new()),
            4 if chain.both => with(chain, ".rev()".to_string()),
            5 if chain.exact || !chain.both => with(chain, format!(".skip({k})")),
            6 if chain.exact || !chain.both => with(chain, format!(".take({})", k + 1)),
            7 if chain.exact || !chain.both => with(chain, format!(".step_by({})", k + 1)),
            8 | 9 => {
                let test = self.tested(&chain.item);
                let what = format!(".filter({test})");
                loose(with(chain, what), true)
            }
            10 => self.filter_mapped(chain, depth),
            11 => self.flattened(chain, depth),
            12 => self.scanned(chain, depth),
            13 => {
                let test = self.tested(&chain.item);
                let word = *self.rng.pick(&["take_while", "skip_while"]);
                loose(with(chain, format!(".{word}({test})")), false)
            }
            14 | 15 => self.joined(chain, depth),
            16 if chain.item == Item::Shared(Ty::Real) => {
                let word = *self.rng.pick(&["copied", "cloned"]);
                let copied = Chain {
                    item: Item::Value(Ty::Real),
                    ..chain
                };
                with(copied, format!(".{word}()"))
            }
            17 => loose(with(chain, ".peekable()".to_string()), false),
            _ => self.mapped(chain, depth),
        }
    }

    fn counted(&mut self, chain: Chain) -> Chain {
        Chain {
            text: format!("{}.enumerate()", chain.text),
            item: Item::Pair(Box::new(Item::Value(Ty::Int)), Box::new(chain.item)),
            both: chain.both && chain.exact,
            exact: chain.exact,
        }
    }

    fn mapped(&mut self, chain: Chain, depth: usize) -> Chain {
        let ty = match self.rng.below(8) {
            0 => Ty::pair(),
            _ => Ty::Real,
        };
        let below = depth.saturating_sub(1);
        let body = self.closure(&chain.item, |w| match &ty {
            Ty::Real => w.real(depth),
            ty => w.value(ty, below),
        });
        let item = match ty {
            Ty::Real => Item::Value(Ty::Real),
            _ => {
                let real = || Box::new(Item::Value(Ty::Real));
                Item::Pair(real(), real())
            }
        };
        Chain {
            text: format!("{}.map({body})", chain.text),
            item,
            ..chain
        }
    }

    fn filter_mapped(&mut self, chain: Chain, depth: usize) -> Chain {
        let below = depth.saturating_sub(1);
        let body = self.closure(&chain.item, |w| match w.rng.below(3) {
            0 => w.option(&Ty::Real, below),
            1 => format!("({}).then_some({})", w.condition(0), w.real(below)),
            _ => {
                let condition = w.condition(0);
                format!(
                    "if {condition} {{ Some({}) }} else {{ None }}",
                    w.real(below)
                )
            }
        });
        let mapped = Chain {
            text: format!("{}.filter_map({body})", chain.text),
            item: Item::Value(Ty::Real),
            ..chain
        };
        loose(mapped, true)
    }

    fn flattened(&mut self, chain: Chain, depth: usize) -> Chain {
        let below = depth.saturating_sub(1);
        let body = self.closure(&chain.item, |w| match w.rng.below(3) {
            0 => format!("vec![{}, {}]", w.real(below), w.real(below)),
            1 => format!("[{}, {}]", w.real(below), w.real(0)),
            _ => {
                let n = w.rng.between(1, 3);
                let inner = w.in_closure(|w| {
                    w.scope.retain(|v| {
                        v.held != Held::Mut && (v.held == Held::Shared || v.ty.is_copy())
                    });
                    w.know("q", Ty::Int, Held::Owned, false);
                    w.real(below)
                });
                format!("(0..{n}).map(move |q| {inner})")
            }
        });
        let flat = Chain {
            text: format!("{}.flat_map({body})", chain.text),
            item: Item::Value(Ty::Real),
            ..chain
        };
        loose(flat, false)
    }

    fn scanned(&mut self, chain: Chain, depth: usize) -> Chain {
        let (state, start) = (self.name("st"), self.literal());
        let pattern = self.pattern(&chain.item);
        let body = self.in_closure(|w| {
            w.bind(&pattern);
            w.know(&state, Ty::Real, Held::Mut, true);
            let step = w.real(depth.saturating_sub(1));
            let result = w.real(0);
            format!("{{ *{state} = 0.6 * *{state} + 0.3 * ({step}); Some({result}) }}")
        });
        let scanned = Chain {
            text: format!(
                "{}.scan({start}, |{state}, {}| {body})",
                chain.text, pattern.text
            ),
            item: Item::Value(Ty::Real),
            ..chain
        };
        loose(scanned, false)
    }

    /// `chain` with another of the same items, or `zip`.
    fn joined(&mut self, chain: Chain, depth: usize) -> Chain {
        let Some(other) = self.inner_chain(depth) else {
            return chain;
        };
        if other.item == chain.item {
            return Chain {
                text: format!("{}.chain({})", chain.text, other.text),
                both: chain.both && other.both,
                exact: false,
                ..chain
            };
        }
        Chain {
            text: format!("{}.zip({})", chain.text, other.text),
            item: Item::Pair(Box::new(chain.item), Box::new(other.item)),
            both: chain.both && other.both && chain.exact && other.exact,
            exact: chain.exact && other.exact,
        }
    }

    /// A closure that tests a reference to an item.
    fn tested(&mut self, item: &Item) -> String {
        let pattern = self.pattern(item);
        let condition = self.in_closure(|w| {
            w.bind(&pattern);
            w.condition(0)
        });
        format!("|&{}| {condition}", pattern.text)
    }

    fn closure(&mut self, item: &Item, draw: impl FnOnce(&mut Self) -> String) -> String {
        let pattern = self.pattern(item);
        let body = self.in_closure(|w| {
            w.bind(&pattern);
            draw(w)
        });
        format!("|{}| {body}", pattern.text)
    }

    /// Names for the parts of an item.
    pub(in crate::gen_source) fn pattern(&mut self, item: &Item) -> Pattern {
        let mut names = Vec::new();
        let text = self.pattern_of(item, &mut names);
        Pattern { text, names }
    }

    fn pattern_of(&mut self, item: &Item, names: &mut Vec<Named>) -> String {
        let stem = if *item == Item::Value(Ty::Int) {
            "i"
        } else {
            "a"
        };
        let name = self.name(stem);
        let (ty, held, least) = match item {
            Item::Value(ty) => (ty.clone(), Held::Owned, 0),
            Item::Shared(ty) if ty.is_copy() && self.rng.chance(40) => {
                names.push((name.clone(), ty.clone(), Held::Owned, 0));
                return format!("&{name}");
            }
            Item::Shared(ty) => (ty.clone(), Held::Shared, 0),
            Item::Slice(least) => (Ty::slice(Ty::Real), Held::Shared, *least),
            Item::Pair(a, b) => {
                let (a, b) = (self.pattern_of(a, names), self.pattern_of(b, names));
                return format!("({a}, {b})");
            }
        };
        names.push((name.clone(), ty, held, least));
        name
    }

    /// Brings the names of a pattern into scope.
    pub(in crate::gen_source) fn bind(&mut self, pattern: &Pattern) {
        for (name, ty, held, least) in &pattern.names {
            self.know(name, ty.clone(), *held, false).least = *least;
        }
    }

    /// A chain of reals, or none.
    fn reals(&mut self, depth: usize) -> Option<Chain> {
        let chain = self.chain(depth)?;
        Some(match chain.item {
            Item::Value(Ty::Real) => chain,
            Item::Shared(Ty::Real) if self.rng.chance(50) => chain,
            _ => {
                let body = self.closure(&chain.item, |w| w.real(depth));
                Chain {
                    text: format!("{}.map({body})", chain.text),
                    item: Item::Value(Ty::Real),
                    ..chain
                }
            }
        })
    }

    /// `collect` into a `Vec`.
    pub(in crate::gen_source) fn collected(&mut self, depth: usize) -> String {
        let Some(chain) = self.reals(depth) else {
            return "vec![0.2, 0.4]".to_string();
        };
        let copied = match chain.item {
            Item::Value(_) => "",
            _ => ".copied()",
        };
        format!("{}{copied}.collect::<Vec<f64>>()", chain.text)
    }

    /// A real that is made of all items.
    pub(in crate::gen_source) fn consumed(&mut self, depth: usize) -> String {
        if self.rng.chance(30) {
            return self.folded(depth);
        }
        let Some(chain) = self.reals(depth) else {
            return self.real_leaf();
        };
        let (c, k) = (self.literal(), self.rng.below(3));
        let copied = match chain.item {
            Item::Value(_) => "",
            _ => ".copied()",
        };
        let end = match self.rng.below(15) {
            0..4 => "sum::<f64>()".to_string(),
            4 => {
                return format!(
                    "{}{copied}.map(|v| v.sin() + 0.2).product::<f64>()",
                    chain.text
                );
            }
            5 => format!("max_by(|a, b| a.total_cmp(b)){copied}.unwrap_or({c})"),
            6 => format!("min_by(|a, b| a.partial_cmp(b).unwrap()){copied}.unwrap_or({c})"),
            7 => format!("last(){copied}.unwrap_or({c})"),
            8 => format!("nth({k}){copied}.map_or({c}, |v| v * {c})"),
            9 => {
                return format!(
                    "{}{copied}.reduce(|a, b| 0.5 * a * b + {c} * b).unwrap_or({c})",
                    chain.text
                );
            }
            10 => return format!("{}{copied}.fold({c}, f64::max)", chain.text),
            11 => return format!("{}{copied}.fold({c}, |a, b| a.min(b))", chain.text),
            12 => {
                return format!(
                    "{}{copied}.position(|v| v > {c}).map_or({c}, |p| 0.1 * p as f64)",
                    chain.text
                );
            }
            13 => {
                return format!(
                    "({}{copied}.filter(|v| *v > {c}).count() as f64 * 0.1)",
                    chain.text
                );
            }
            _ => return format!("{}{copied}.find(|v| *v > {c}).unwrap_or(-{c})", chain.text),
        };
        format!("{}.{end}", chain.text)
    }

    fn folded(&mut self, depth: usize) -> String {
        let Some(chain) = self.chain(depth) else {
            return self.real_leaf();
        };
        let (state, start) = (self.name("acc"), self.real(0));
        let pattern = self.pattern(&chain.item);
        let tries = self.rng.chance(25);
        let body = self.in_closure(|w| {
            w.bind(&pattern);
            w.know(&state, Ty::Real, Held::Owned, false);
            let step = w.real(depth);
            match tries {
                true => {
                    let condition = w.condition(0);
                    format!(
                        "if {condition} {{ None }} else {{ Some(0.7 * {state} + 0.2 * ({step})) }}"
                    )
                }
                false => format!("0.7 * {state} + 0.2 * ({step})"),
            }
        });
        let (text, pattern, c) = (&chain.text, &pattern.text, self.literal());
        match tries {
            true => {
                format!("{text}.try_fold({start}, |{state}: f64, {pattern}| {body}).unwrap_or({c})")
            }
            false => format!("{text}.fold({start}, |{state}, {pattern}| {body})"),
        }
    }

    /// A `for` loop over a sequence that is written, or over a chain.
    pub(in crate::gen_source) fn for_each(&mut self) {
        if self.rng.chance(50)
            && let Some(var) = self.some_written(|v| v.ty.element().is_some())
        {
            return self.for_each_mut(&var);
        }
        let Some(chain) = self.chain(2) else {
            return self.increment();
        };
        let pattern = self.pattern(&chain.item);
        let head = format!("for {} in {} ", pattern.text, chain.text);
        self.in_loop(&head, |w| {
            w.freeze(&chain.text);
            w.bind(&pattern);
            w.some_statements(3);
            w.increment();
        });
    }

    fn for_each_mut(&mut self, var: &Var) {
        let Some(of) = var.ty.element().cloned() else {
            return;
        };
        let (name, item) = (&var.name, self.name("e"));
        self.within(|w| {
            w.hide(name);
            let k = w.rng.below(3);
            let mut pattern = Pattern {
                text: item.clone(),
                names: Vec::new(),
            };
            let mut text = format!("{name}.iter_mut()");
            let mut held = (of.clone(), 0);
            if of == Ty::Real && w.rng.chance(25) {
                let word = *w.rng.pick(&["chunks_mut", "chunks_exact_mut"]);
                text = format!("{name}.{word}(2)");
                held = (
                    Ty::slice(Ty::Real),
                    if word == "chunks_mut" { 1 } else { 2 },
                );
            }
            text.push_str(&match w.rng.below(6) {
                0 => ".rev()".to_string(),
                1 => format!(".skip({k})"),
                2 => format!(".step_by({})", k + 1),
                _ => String::new(),
            });
            if w.rng.chance(40) {
                let i = w.name("i");
                pattern.text = format!("({i}, {item})");
                pattern.names.push((i, Ty::Int, Held::Owned, 0));
                text.push_str(".enumerate()");
            } else if w.rng.chance(40)
                && let Some(other) = w.chain(1)
            {
                let beside = w.pattern(&other.item);
                pattern.text = format!("({item}, {})", beside.text);
                pattern.names.extend(beside.names);
                text = format!("{text}.zip({})", other.text);
            }
            w.in_loop(&format!("for {} in {text} ", pattern.text), |w| {
                w.freeze(&text);
                w.bind(&pattern);
                w.know(&item, held.0.clone(), Held::Mut, true).least = held.1;
                w.some_statements(2);
                w.write_to(&item);
            });
        });
    }
}

/// A name for a part of an item, with how it is held and the least length.
type Named = (String, Ty, Held, usize);

/// Names for the parts of an item.
pub(in crate::gen_source) struct Pattern {
    pub(in crate::gen_source) text: String,
    names: Vec<Named>,
}

/// The chain, of no known length.
fn loose(chain: Chain, both: bool) -> Chain {
    Chain {
        both: chain.both && both,
        exact: false,
        ..chain
    }
}
