//! What is optimal: binomial numbers of repetitions, advances and splits.
//!
//! With β(s, r) = C(s + r, s), s snapshots reverse β(s, r) steps such that none is advanced more than r times
//! (`[REV]`). Numbers of steps are below 2⁶⁴, so that the products below fit `u128`.

use super::require_snapshots;

/// How often the optimal schedule advances a step at most: the least `r` with C(s + r, s) ≥ l, for l `steps` and s
/// `snapshots`, the entry state's included.
///
/// ```
/// use adjoint_runtime::checkpoint::repetitions;
/// assert_eq!(repetitions(100, 5), 4); // C(9, 5) = 126
/// ```
///
/// # Panics
///
/// If there are no snapshots.
pub fn repetitions(steps: usize, snapshots: usize) -> usize {
    Reach::of(steps, snapshots).repetitions as usize
}

/// How many plain steps the optimal schedule advances in all, besides recording each step once: r·l − C(s + r, r − 1),
/// for l `steps` and s `snapshots`, the entry state's included, with r from [`repetitions`].
///
/// ```
/// use adjoint_runtime::checkpoint::optimal_advances;
/// assert_eq!(optimal_advances(100, 1), 4950);
/// assert_eq!(optimal_advances(100, 5), 316);
/// assert_eq!(optimal_advances(100, 20), 178);
/// assert_eq!(optimal_advances(100, 99), 99);
/// ```
///
/// # Panics
///
/// If there are no snapshots.
pub fn optimal_advances(steps: usize, snapshots: usize) -> u128 {
    let reach = Reach::of(steps, snapshots);
    let (s, r) = (reach.snapshots, reach.repetitions);
    if r == 0 {
        return 0;
    }
    // C(s + r, r − 1) from β(s, r − 1).
    r * steps as u128 - reach.before * (s + r) / (s + 1)
}

/// How many steps an optimal schedule advances from a snapshot, before it takes the next one or reverses: `steps` are
/// to be reversed, at least 2, with this snapshot and `snapshots - 1` more.
///
/// With β(s, r − 1) < l ≤ β(s, r), the number of steps is optimal for each k with β(s, r − 2) ≤ k ≤ β(s, r − 1) and
/// β(s − 1, r − 1) ≤ l − k ≤ β(s − 1, r). Of these, the one below takes the fewest snapshots (`[REV]`).
pub(super) fn first_advance(steps: usize, snapshots: usize) -> usize {
    if snapshots == 1 {
        return steps - 1;
    }
    let reach = Reach::of(steps, snapshots);
    let (s, r) = (reach.snapshots, reach.repetitions);
    let least = reach.before * (r - 1) / (s + r - 1); // β(s, r − 2)
    let one_less = reach.before * s / (s + r - 1); // β(s − 1, r − 1)
    let two_less = one_less * (s - 1) / (s + r - 2); // β(s − 2, r − 1)
    let middle = (steps as u128).saturating_sub(one_less + two_less);
    middle.clamp(least, reach.before).max(1) as usize
}

/// How far a number of snapshots reaches.
struct Reach {
    /// s; more than there are steps are of no use.
    snapshots: u128,
    /// r, the least with β(s, r) ≥ l.
    repetitions: u128,
    /// β(s, r − 1), which is less than l; 0 if r is 0.
    before: u128,
}

impl Reach {
    fn of(steps: usize, snapshots: usize) -> Reach {
        require_snapshots(snapshots);
        let l = steps as u128;
        let s = (snapshots as u128).min(l.max(1));
        let mut reach = Reach {
            snapshots: s,
            repetitions: 0,
            before: 0,
        };
        if s == 1 {
            // β(1, r) = r + 1, without the way there.
            reach.repetitions = l.saturating_sub(1);
            reach.before = reach.repetitions;
            return reach;
        }
        let mut beta = 1;
        while beta < l {
            reach.before = beta;
            reach.repetitions += 1;
            beta = beta * (s + reach.repetitions) / reach.repetitions;
        }
        reach
    }
}
