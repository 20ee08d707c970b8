//! Animated SVG drawing of a run. The drawing contains each state of a cell one time, and CSS animations determine the visibility of this
//! state at each keyframe. In print, or if the user prefers reduced motion, the drawing shows only the last keyframe.

use crate::memory_export::drawing::{
    GridLayout, limited, open, render_cells, write_cell, write_outline, write_sentence,
};
use crate::model::grid::{GridCell, GridRequest, MemoryGrid, WriteAge};
use crate::session::Session;
use std::fmt::Write;

/// Maximum number of cells in an animation.
const MAX_CELLS: u32 = 1024;
/// Maximum number of keyframes of an animation after the first keyframe.
const MAX_MOMENTS: usize = 60;
/// Maximum number of steps before the present position that an animation covers. The session replays these steps.
const MAX_STEPS: u64 = 10_000_000;
/// Duration of each keyframe in milliseconds.
const KEYFRAME_MILLISECONDS: usize = 700;
/// Additional duration of the last keyframe in milliseconds.
const PAUSE_MILLISECONDS: usize = 1800;

/// Keyframe of an animation: the cells and the sentence that the drawing shows for one position of the run.
struct Keyframe {
    grid: MemoryGrid,
    sentence: String,
}

/// Range of keyframes in which an element of the drawing is visible. The end of the range is exclusive.
type KeyframeRange = (usize, usize);

/// Draws the run up to the present position. The animation starts at the start of the run, or for a long run at a later step. The session
/// returns to the present position.
pub(crate) fn svg(session: &mut Session, request: &GridRequest) -> Option<String> {
    let columns = session.grid(request)?.columns;
    let request = limited(request, columns, MAX_CELLS);
    let was = session.position();
    let mut moments = Vec::new();
    for position in positions(session, was) {
        session.seek(position);
        let Some((grid, sentence)) = render_cells(session, &request) else {
            break;
        };
        moments.push(Keyframe { grid, sentence });
    }
    session.seek(was);
    draw(&moments)
}

/// Returns the positions of the keyframes: the start of the animation, and positions directly after selected stores.
fn positions(session: &Session, present: u64) -> Vec<u64> {
    let start = present.saturating_sub(MAX_STEPS);
    let mut stores = session.store_steps();
    stores.retain(|step| (start + 1..=present).contains(step));
    let every = stores.len().div_ceil(MAX_MOMENTS).max(1);
    // Skip the first stores so that the selection contains the last store.
    let first = stores.len().saturating_sub(1) % every;
    let chosen = stores.into_iter().skip(first).step_by(every);
    std::iter::once(start).chain(chosen).collect()
}

/// Returns a cell at a keyframe. A local memory that appears during the run can have fewer cells at an early keyframe than at later
/// keyframes.
fn cell(moment: &Keyframe, at: usize) -> Option<&GridCell> {
    moment.grid.cells.get(at)
}

fn draw(moments: &[Keyframe]) -> Option<String> {
    let last = moments.last()?;
    let cells = moments.iter().flat_map(|moment| &moment.grid.cells);
    let sentences = moments.iter().map(|moment| moment.sentence.as_str());
    let layout = GridLayout::of(&last.grid, cells, sentences);
    let mut body = String::new();
    let end = moments.len();
    let mut seen = VisibilityTable::new(end);
    let mut note = |period: KeyframeRange| {
        seen.add(period);
        class(period, end)
    };
    // Ignore the result, because formatting into a `String` cannot fail.
    for (from, to) in periods(end, |a, b| moments[a].sentence == moments[b].sentence) {
        let _ = write_sentence(
            &mut body,
            layout,
            &moments[from].sentence,
            &note((from, to)),
        );
    }
    for at in 0..last.grid.cells.len() {
        let same = |a: usize, b: usize| match (cell(&moments[a], at), cell(&moments[b], at)) {
            (Some(a), Some(b)) => (&a.text, a.lane, a.step) == (&b.text, b.lane, b.step),
            (a, b) => a.is_none() && b.is_none(),
        };
        for (from, to) in periods(end, same) {
            if let Some(cell) = cell(&moments[from], at) {
                let _ = write_cell(&mut body, &last.grid, layout, at, cell, &note((from, to)));
            }
        }
        for (index, moment) in moments.iter().enumerate() {
            if cell(moment, at).is_some_and(|cell| cell.written == WriteAge::Now) {
                let _ = write_outline(&mut body, layout, at, &note((index, index + 1)));
            }
        }
    }
    let mut out = String::new();
    let _ = open(&mut out, &last.grid, layout, &style(&seen));
    out += &body;
    out += "</svg>\n";
    Some(out)
}

/// Returns the maximal ranges of keyframes in which `same` returns `true` for each pair of compared keyframes.
fn periods(end: usize, same: impl Fn(usize, usize) -> bool) -> Vec<KeyframeRange> {
    let mut found: Vec<KeyframeRange> = Vec::new();
    for moment in 0..end {
        match found.last_mut() {
            Some((_, to)) if same(moment - 1, moment) => *to = moment + 1,
            _ => found.push((moment, moment + 1)),
        }
    }
    found
}

/// Returns the class attribute for a range of keyframes. An element that is always visible has no class.
fn class((from, to): KeyframeRange, end: usize) -> String {
    match (from, to) == (0, end) {
        true => String::new(),
        false => format!(r#" class="k{from}-{to}""#),
    }
}

/// Set of keyframe ranges in which elements are visible. The set is a table, because a table requires less code in the WebAssembly module
/// than a set of pairs.
struct VisibilityTable {
    end: usize,
    /// For each pair of a first and a last keyframe, whether the set contains the range between these keyframes.
    table: Vec<bool>,
}

impl VisibilityTable {
    fn new(end: usize) -> VisibilityTable {
        VisibilityTable {
            end,
            table: vec![false; end * end],
        }
    }

    fn add(&mut self, (from, to): KeyframeRange) {
        self.table[from * self.end + to - 1] = true;
    }

    fn all(&self) -> impl Iterator<Item = KeyframeRange> {
        let found = self.table.iter().enumerate().filter(|(_, seen)| **seen);
        found.map(|(at, _)| (at / self.end, at % self.end + 1))
    }
}

/// Returns the CSS rules for all keyframe ranges in the set.
fn style(seen: &VisibilityTable) -> String {
    let end = seen.end;
    let duration = end * KEYFRAME_MILLISECONDS + PAUSE_MILLISECONDS;
    // Format the percentages of CSS keyframes with two decimal places.
    let per_cent = |moment: usize| {
        let share = moment * KEYFRAME_MILLISECONDS * 10_000 / duration;
        format!("{}.{:02}%", share / 100, share % 100)
    };
    let mut out = String::from("\n<style>\n");
    for (from, to) in seen.all().filter(|period| *period != (0, end)) {
        let begin = match from {
            0 => "0%{opacity:1}".to_owned(),
            _ => format!("0%{{opacity:0}}{}{{opacity:1}}", per_cent(from)),
        };
        let (base, close) = match to == end {
            true => ("", String::new()),
            false => ("opacity:0;", format!("{}{{opacity:0}}", per_cent(to))),
        };
        let _ = writeln!(
            out,
            ".k{from}-{to}{{{base}animation:k{from}-{to} {duration}ms step-end infinite}}@keyframes k{from}-{to}{{{begin}{close}}}"
        );
    }
    out += "@media (prefers-reduced-motion:reduce){*{animation:none!important}}\n</style>";
    out
}
