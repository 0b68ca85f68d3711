//! Many sources, some at a time.

use std::ops::Range;

use crate::gen_source::{Counts, Family, Outcome, Project, Source, draw};

/// How many sources are compiled as one crate.
const AT_ONCE: usize = 120;

/// Judges the sources of a range of seeds; each is handed to `seen` with what came of it.
pub fn campaign(
    project: &Project,
    seeds: Range<u64>,
    families: &[Family],
    seen: &mut dyn FnMut(&Source, &Outcome),
) -> Counts {
    let mut counts = Counts::default();
    let all = seeds.flat_map(|seed| families.iter().map(move |family| (seed, *family)));
    let sources: Vec<Source> = all.map(|(seed, family)| draw(seed, family)).collect();
    for some in sources.chunks(AT_ONCE) {
        for (source, outcome) in some.iter().zip(project.judge(some)) {
            counts.add(&outcome);
            seen(source, &outcome);
        }
    }
    counts
}
