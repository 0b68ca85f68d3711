//! Which parts of a file hold which snapshots.

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// Its first byte.
    pub(super) start: u64,
    /// The bytes that there is room for.
    room: u64,
    /// Those of the snapshot in it.
    pub(super) length: u64,
}

/// The extents of the slots, and free ones.
#[derive(Debug, Default)]
pub(super) struct Extents {
    /// By index.
    live: Vec<Option<Extent>>,
    free: Vec<Extent>,
    /// Where the file ends.
    end: u64,
}

impl Extents {
    /// That of a slot, if it holds a snapshot.
    pub(super) fn of(&self, index: usize) -> Option<Extent> {
        self.live.get(index).copied().flatten()
    }

    /// The slots that hold snapshots.
    pub(super) fn live(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.live.len()).filter(|index| self.live[*index].is_some())
    }

    /// An extent for a snapshot of so many bytes, in the place of the slot's last one: a free one that is large enough, or a
    /// new one.
    pub(super) fn assign(&mut self, index: usize, length: u64) -> Extent {
        self.release(index);
        let fits = |extent: &Extent| extent.room >= length;
        let extent = match self.free.iter().position(fits) {
            Some(at) => Extent {
                length,
                ..self.free.swap_remove(at)
            },
            None => {
                let start = self.end;
                self.end += length;
                Extent {
                    start,
                    room: length,
                    length,
                }
            }
        };
        if index >= self.live.len() {
            self.live.resize(index + 1, None);
        }
        self.live[index] = Some(extent);
        extent
    }

    /// Frees the slot.
    pub(super) fn release(&mut self, index: usize) {
        let held = self.live.get_mut(index).and_then(Option::take);
        self.free.extend(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_room_is_used_again() {
        let mut extents = Extents::default();
        assert_eq!(extents.assign(0, 100).start, 0);
        assert_eq!(extents.assign(1, 50).start, 100);
        extents.release(0);
        assert_eq!(extents.of(0), None);
        // In the first one, which has room.
        let third = extents.assign(2, 80);
        assert_eq!((third.start, third.length), (0, 80));
        // It grows beyond its room.
        assert_eq!(extents.assign(2, 101).start, 150);
        assert_eq!(extents.assign(0, 100).start, 0);
        assert_eq!(extents.live().collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(extents.end, 251);
    }
}
