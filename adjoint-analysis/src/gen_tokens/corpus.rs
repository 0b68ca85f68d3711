//! The items that mutants are made of.

use std::path::{Path, PathBuf};

use quote::ToTokens;

use super::Mutant;
use super::mutate::mutate;
use super::tree::{count, trees};
use crate::expand::find;
use crate::gen_program::random::Random;

/// The annotated items of a folder.
pub struct Corpus(Vec<Mutant>);

impl Corpus {
    /// The items of the façade's tests that have at most so many tokens.
    pub fn of_tests(most: usize) -> Corpus {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        let mut files = Vec::new();
        sources(&tests, &mut files);
        let mut items: Vec<Mutant> = files.iter().flat_map(|file| items(file)).collect();
        items.retain(|mutant| count(&mutant.item) <= most);
        Corpus(items)
    }

    /// How many items there are.
    pub fn size(&self) -> usize {
        self.0.len()
    }

    /// The mutant of a seed.
    pub fn mutant(&self, seed: u64) -> Mutant {
        let mut random = Random::new(seed);
        let mut mutant = random.pick(&self.0).clone();
        let donor = random.pick(&self.0);
        // Few changes leave what can be parsed, many meet.
        while {
            match random.chance(5) {
                true => mutate(&mut mutant.arguments, &donor.arguments, &mut random),
                false => mutate(&mut mutant.item, &donor.item, &mut random),
            }
            random.chance(40)
        } {}
        mutant
    }
}

/// The Rust files in the folder and below, in an order of their own.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => sources(&path, files),
            false if path.extension().is_some_and(|e| e == "rs") => files.push(path),
            false => {}
        }
    }
}

fn items(file: &Path) -> Vec<Mutant> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    // Some tests are of files that can't be parsed.
    let Ok(file) = syn::parse_file(&text) else {
        return Vec::new();
    };
    let items = find::items(&file).into_iter();
    let mutant = |(arguments, item): (_, syn::Item)| Mutant {
        arguments: trees(arguments),
        item: trees(item.into_token_stream()),
    };
    items.map(mutant).collect()
}
