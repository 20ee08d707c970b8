//! Accesses of warps to the memory of their block of which each lane has a line of its own, as those of a column of a matrix. As long as nothing else
//! touches these lines they are kept together, and lane meets lane: one look takes the place of one at each line. In: addresses of lanes; out: marks,
//! or that lines must be looked at.

use crate::races::lines::{Mark, Visitor};
use crate::races::location::{LINE, Memory};
use crate::races::shadow::{Entry, Shadow};
use crate::races::shapes::{PatternId, Places};
use crate::races::site::Kind;
use smallvec::SmallVec;

/// Where the lanes of a warp access their lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offsets {
    /// From the start of the line of each lane.
    from: [u8; 32],
    n_bytes: u8,
}

impl Offsets {
    /// Whether a lane accesses a byte in both.
    fn meet(&self, other: &Offsets) -> bool {
        // All lanes at once, which costs less than to end at the first one.
        let all = self.from.iter().zip(&other.from);
        all.fold(false, |meet, (own, theirs)| {
            meet | (*own < *theirs + other.n_bytes) & (*theirs < *own + self.n_bytes)
        })
    }

    /// The first byte that each lane accesses.
    pub(crate) fn addresses(&self, lines: &[u64; 32]) -> [u64; 32] {
        std::array::from_fn(|lane| lines[lane] + u64::from(self.from[lane]))
    }

    /// Bytes that each lane accesses.
    pub(crate) fn lane_bytes(&self) -> u32 {
        self.n_bytes.into()
    }

    /// The bytes of its line that a lane accesses, a bit for each.
    fn covers(&self, lane: usize) -> u128 {
        ((1 << self.n_bytes) - 1) << self.from[lane]
    }
}

/// The lines of the lanes of a whole warp, and where they access them: nothing unless each has a line of its own, in ascending order.
pub(crate) fn column_of(places: &Places<'_>) -> Option<([u64; 32], Offsets)> {
    let (all, n) = (places.addresses, places.lane_bytes);
    let is_wide = all[1].wrapping_sub(all[0]) > LINE / 2;
    if places.mask != u32::MAX || !is_wide || !n.is_power_of_two() || n > 16 {
        return None;
    }
    let lines = all.map(|address| address / LINE * LINE);
    let is_ascending = lines
        .windows(2)
        .fold(true, |is, pair| is & (pair[0] < pair[1]));
    let is_aligned = all.iter().fold(0, |bits, address| bits | address) % u64::from(n) == 0;
    (is_ascending && is_aligned).then(|| {
        let from = all.map(|address| (address % LINE) as u8);
        let n_bytes = n as u8;
        (lines, Offsets { from, n_bytes })
    })
}

/// Weak accesses of one site by a warp at one epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnMark {
    /// Of all lanes.
    pub(crate) entry: Entry,
    pub(crate) at: Offsets,
    pub(crate) kind: Kind,
    pub(crate) element_bytes: u8,
}

impl ColumnMark {
    /// The mark of one of the lines.
    pub(crate) const fn of_line(&self, pattern: PatternId, covers: u128) -> Mark {
        Mark {
            row: self.entry.row,
            site: self.entry.site,
            epoch: self.entry.epoch,
            pattern,
            mask: u32::MAX,
            covers,
            element_bytes: self.element_bytes,
            kind: self.kind,
            is_strong: false,
            handed: None,
        }
    }

    /// What a word of the line of a lane has of it.
    pub(crate) const fn entry_of(&self, lane: usize, bytes: u8) -> Entry {
        Entry {
            lanes: 1 << lane,
            bytes,
            ..self.entry
        }
    }

    fn is_again(&self, later: &ColumnMark) -> bool {
        (self.entry.row, self.entry.site) == (later.entry.row, later.entry.site)
            && self.at == later.at
    }
}

/// Marks of a column; those of more warps are kept line by line.
const MOST_MARKS: usize = 4;

/// Lines that are kept together, of each lane its own.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) memory: Memory,
    pub(crate) lines: [u64; 32],
    /// In the order in which they were made.
    pub(crate) marks: SmallVec<[ColumnMark; 2]>,
    /// The number of the floor that the marks were last compared with.
    floor: u32,
    /// Where something wrote.
    written: SmallVec<[Offsets; 2]>,
}

/// All columns, by number.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Those that are gone are missing.
    all: Vec<Option<Box<Column>>>,
    free: Vec<u32>,
}

impl Columns {
    /// Adds a column; its number.
    pub(crate) fn begin(&mut self, column: Column) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(None);
            self.all.len() as u32 - 1
        });
        self.all[number as usize] = Some(Box::new(column));
        number
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Column> {
        self.all.get_mut(number as usize)?.as_deref_mut()
    }

    /// Takes a column out, if it is there.
    pub(crate) fn take(&mut self, number: u32) -> Option<Box<Column>> {
        let column = self.all.get_mut(number as usize)?.take();
        self.free.extend(column.is_some().then_some(number));
        column
    }
}

impl Column {
    pub(crate) fn new(memory: Memory, lines: [u64; 32]) -> Column {
        Column {
            memory,
            lines,
            marks: SmallVec::new(),
            floor: 0,
            written: SmallVec::new(),
        }
    }

    /// The bytes of the line of a lane that something wrote, a bit for each.
    pub(crate) fn written(&self, lane: usize) -> u128 {
        let all = self.written.iter();
        all.fold(0, |bits, offsets| bits | offsets.covers(lane))
    }

    /// Looks at an access, and keeps it if it races with nothing; false where its lines must be looked at.
    fn visit(&mut self, by: &mut Visitor<'_>, new: ColumnMark) -> bool {
        if self.floor != by.n_floors {
            self.floor = by.n_floors;
            self.marks.retain(|mark| !by.is_over(&mark.entry));
        }
        let writes = new.kind.writes();
        let is_written = self.written.contains(&new.at);
        let reads_shared = !writes && matches!(self.memory, Memory::Shared(_));
        if reads_shared && !is_written || !self.is_quiet(by, &new) {
            return false;
        }
        match self.marks.iter().position(|mark| mark.is_again(&new)) {
            Some(index) if self.marks[index].entry.epoch == new.entry.epoch => {}
            // A later access comes last.
            Some(index) => {
                self.marks.remove(index);
                self.marks.push(new);
            }
            None if self.marks.len() < MOST_MARKS => self.marks.push(new),
            None => return false,
        }
        if writes && !is_written {
            self.written.push(new.at);
        }
        true
    }

    /// Whether an access races with none of the marks. A thread comes after itself.
    fn is_quiet(&self, by: &mut Visitor<'_>, new: &ColumnMark) -> bool {
        self.marks.iter().all(|mark| {
            mark.entry.row == new.entry.row
                || !mark.kind.writes() && !new.kind.writes()
                || !mark.at.meet(&new.at)
                || by.comes_after(&mark.entry)
        })
    }
}

impl Shadow {
    /// Looks at an access of lanes at lines of their own; false where the lines are not kept together, or must be looked at one by one.
    pub(crate) fn visit_column(
        &mut self,
        by: &mut Visitor<'_>,
        lines: &[u64; 32],
        new: ColumnMark,
    ) -> bool {
        let column = self.column_at(by.current.memory, lines);
        column.is_some_and(|column| column.visit(by, new))
    }
}
