//! The changes that make mutants.

use std::ops::Range;

use proc_macro2::{Delimiter, Span, TokenTree};

use super::tree::{Tree, count, sequence, way_to};
use crate::gen_program::random::Random;

/// The kinds of changes, with their weights.
const CHANGES: &[(usize, Change)] = &[
    (15, drop_run),
    (10, double_run),
    (8, swap_neighbours),
    (18, exchange),
    (5, drop_brackets),
    (4, put_in_brackets),
    (4, exchange_delimiter),
    (18, replace_by_like),
    (10, copy_run),
    (8, splice),
];

/// Changes an item, with tokens of another one at hand; nothing where there is nothing to change.
type Change = fn(&mut Vec<Tree>, &[Tree], &mut Random) -> Option<()>;

/// Makes one change.
pub fn mutate(item: &mut Vec<Tree>, donor: &[Tree], random: &mut Random) {
    let change = random.weighted(CHANGES);
    let _ = change(item, donor, random);
}

/// A tree of the item, as the way to it.
fn place(item: &[Tree], random: &mut Random) -> Option<Vec<usize>> {
    match count(item) {
        0 => None,
        all => way_to(item, random.below(all)),
    }
}

/// A sequence of the item, and some of it: one tree, a few, or a part between separators.
fn run<'a>(
    item: &'a mut Vec<Tree>,
    random: &mut Random,
) -> Option<(&'a mut Vec<Tree>, Range<usize>)> {
    let way = place(item, random)?;
    let at = *way.last()?;
    let all = sequence(item, &way)?;
    let range = match random.below(10) {
        0..5 => at..at + 1,
        5..8 => part(all, at),
        _ => at..(at + random.between(2, 6)).min(all.len()),
    };
    Some((all, range))
}

/// A copy of some of the item.
fn copied(item: &[Tree], random: &mut Random) -> Option<Vec<Tree>> {
    let mut item = item.to_vec();
    let (all, range) = run(&mut item, random)?;
    Some(all[range].to_vec())
}

/// What stands between separators around a tree, with the one behind it.
fn part(all: &[Tree], at: usize) -> Range<usize> {
    let ends = |tree: &Tree| {
        let braces = matches!(tree, Tree::Group(Delimiter::Brace, ..));
        braces || tree.is_sign(';') || tree.is_sign(',')
    };
    let start = all[..at].iter().rposition(ends).map_or(0, |k| k + 1);
    let end = all[at..]
        .iter()
        .position(ends)
        .map_or(all.len(), |k| at + k + 1);
    start..end
}

fn drop_run(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let (all, range) = run(item, random)?;
    all.drain(range);
    Some(())
}

fn double_run(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let (all, range) = run(item, random)?;
    let (copy, end) = (all[range.clone()].to_vec(), range.end);
    all.splice(end..end, copy);
    Some(())
}

fn swap_neighbours(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let (all, range) = run(item, random)?;
    let behind = range.end..all.len();
    let next = part(all, behind.clone().next()?);
    let end = match range.len() {
        1 => range.end + 1,
        _ => next.end,
    };
    all[range.start..end].rotate_left(range.len());
    Some(())
}

fn exchange(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let a = place(item, random)?;
    let like = random.chance(70);
    let first = sequence(item, &a)?[*a.last()?].clone();
    let b = match like {
        true => place_of_like(item, &first, random)?,
        false => place(item, random)?,
    };
    if a.starts_with(&b) || b.starts_with(&a) {
        return None;
    }
    let second = sequence(item, &b)?[*b.last()?].clone();
    sequence(item, &a)?[*a.last()?] = second;
    sequence(item, &b)?[*b.last()?] = first;
    Some(())
}

/// The place of a tree like this one.
fn place_of_like(item: &mut Vec<Tree>, like: &Tree, random: &mut Random) -> Option<Vec<usize>> {
    let mut tries = (0..20).filter_map(|_| {
        let way = place(item, random)?;
        let tree = &sequence(item, &way)?[*way.last()?];
        tree.is_like(like).then_some(way)
    });
    tries.next()
}

fn drop_brackets(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let way = place_of_group(item, random)?;
    let (all, at) = (sequence(item, &way)?, *way.last()?);
    let content = all[at].content()?.to_vec();
    all.splice(at..=at, content);
    Some(())
}

fn place_of_group(item: &mut Vec<Tree>, random: &mut Random) -> Option<Vec<usize>> {
    let mut tries = (0..20).filter_map(|_| {
        let way = place(item, random)?;
        let tree = &sequence(item, &way)?[*way.last()?];
        tree.content().is_some().then_some(way)
    });
    tries.next()
}

fn delimiter(random: &mut Random) -> Delimiter {
    *random.pick(&[Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket])
}

fn put_in_brackets(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let delimiter = delimiter(random);
    let (all, range) = run(item, random)?;
    let content = all[range.clone()].to_vec();
    all.splice(range, [Tree::Group(delimiter, Span::call_site(), content)]);
    Some(())
}

fn exchange_delimiter(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let way = place_of_group(item, random)?;
    if let Tree::Group(old, ..) = &mut sequence(item, &way)?[*way.last()?] {
        *old = delimiter(random);
    }
    Some(())
}

/// A name, literal or sign by another one of the item.
fn replace_by_like(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let way = place(item, random)?;
    let old = sequence(item, &way)?[*way.last()?].clone();
    if old.content().is_some() {
        return None;
    }
    let from = place_of_like(item, &old, random)?;
    let new = sequence(item, &from)?[*from.last()?].clone();
    sequence(item, &way)?[*way.last()?] = respanned(new, &old);
    Some(())
}

/// The tree with the position of what stood in its place.
fn respanned(mut new: Tree, old: &Tree) -> Tree {
    if let (Tree::Token(new), Tree::Token(old)) = (&mut new, old) {
        new.set_span(TokenTree::span(old));
    }
    new
}

/// Some of the item in another place of it.
fn copy_run(item: &mut Vec<Tree>, _: &[Tree], random: &mut Random) -> Option<()> {
    let copy = copied(item, random)?;
    put(item, copy, random)
}

/// Some of another item.
fn splice(item: &mut Vec<Tree>, donor: &[Tree], random: &mut Random) -> Option<()> {
    let copy = copied(donor, random)?;
    put(item, copy, random)
}

/// Puts trees before some of the item, or in its place.
fn put(item: &mut Vec<Tree>, trees: Vec<Tree>, random: &mut Random) -> Option<()> {
    let instead = random.chance(50);
    let (all, range) = run(item, random)?;
    match instead {
        true => all.splice(range, trees),
        false => all.splice(range.start..range.start, trees),
    };
    Some(())
}
