//! Elements of a memory as shades, one for each, for cells that are too small for a text. In: a position, a memory, the elements and what is to be seen of them;
//! out: a number for each.

use crate::diagnostics::no_such_memory;
use crate::session::Session;
use crate::session::inspect::go_to;
use crate::session::memory_id::MemoryId;
use std::ops::Range;
use warpgrid_launch::value::ElementType;

/// Elements of one answer, at most: those of a screen.
pub const MAX_SHADES: u64 = 1 << 20;
/// Shades of a value or a step.
const N_SHADES: u8 = 64;

/// What is seen of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shading {
    /// What it holds, between the least and the greatest number of those asked for.
    Value,
    /// The lane that wrote it last.
    Lane,
    /// The step that wrote it last, between the first and the last of those asked for.
    Step,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShadeRequest {
    pub memory: MemoryId,
    /// The type of the elements, where it is not that of the memory.
    pub ty: Option<ElementType>,
    pub shading: Shading,
    /// The elements; those beyond the memory or [`MAX_SHADES`] are left out.
    pub elements: Range<u64>,
}

/// Elements of a memory as shades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shades {
    /// The first of the elements.
    pub first: u64,
    /// For each element the lane, or 0 to 63 for the place between least and greatest; [`Shades::NEVER`] and [`Shades::UNKNOWN`].
    pub shades: Vec<u8>,
    /// What the first and the last shade mean: numbers or steps; none where no element has a shade.
    pub ends: Option<[String; 2]>,
    /// The elements that the step just done wrote.
    pub now: Vec<Range<u64>>,
}

impl Shades {
    /// The shade of an element that no step wrote.
    pub const NEVER: u8 = N_SHADES;
    /// The shade of a value that is no finite number, and of an element of which only is known that a step wrote it.
    pub const UNKNOWN: u8 = N_SHADES + 1;
}

impl Session {
    /// Goes to a position and shows elements of a memory as shades there.
    pub fn shades(&mut self, position: u64, asked: &ShadeRequest) -> Result<Shades, String> {
        go_to(self, position)?;
        let memory = self.memory_with(&asked.memory);
        let memory = memory.ok_or_else(|| no_such_memory(&asked.memory.to_string()))?;
        let machine = self.timeline.machine();
        let ty = asked.ty.unwrap_or(memory.element);
        let width = ty.width_bytes().max(1);
        let bytes = machine.memory(memory.region).unwrap_or(&[]);
        let n_elements = (bytes.len() as u64).div_ceil(width as u64);
        let first = asked.elements.start.min(n_elements);
        let end = asked.elements.end.min(n_elements);
        let end = end.clamp(first, first.saturating_add(MAX_SHADES));
        let elements = (first..end).map(|index| {
            let start = index as usize * width;
            start..(start + width).min(bytes.len())
        });
        let writers = machine.writers(memory.region);
        let writer = |element: &Range<usize>| writers.as_ref()?.latest(element.clone());
        let is_written = |element: &Range<usize>| {
            let writers = writers.as_ref();
            writers.is_some_and(|writers| element.clone().any(|byte| writers.is_written(byte)))
        };
        let unwritten = |element: &Range<usize>| match is_written(element) {
            true => Shades::UNKNOWN,
            false => Shades::NEVER,
        };
        let now = self.position().checked_sub(1);
        let (shades, ends) = match asked.shading {
            Shading::Lane => {
                let lane = |element: Range<usize>| match writer(&element) {
                    Some(writer) => writer.lane as u8,
                    None => unwritten(&element),
                };
                (elements.clone().map(lane).collect(), None)
            }
            Shading::Step => {
                let steps = elements.clone().map(|element| match writer(&element) {
                    Some(writer) => Ok((writer.step + 1) as f64),
                    None => Err(unwritten(&element)),
                });
                let (shades, ends) = between(steps);
                (shades, ends.map(|ends| ends.map(|step| step.to_string())))
            }
            Shading::Value => {
                let bits = |element: Range<usize>| ty.bits(bytes.get(element).unwrap_or(&[]));
                let values = elements.clone().map(|element| {
                    let value = Some(ty.number(bits(element)));
                    value
                        .filter(|value| value.is_finite())
                        .ok_or(Shades::UNKNOWN)
                });
                let (shades, ends) = between(values.clone());
                // The ends are said as cells say them.
                let text = |end: f64| {
                    let at = values.clone().position(|value| value == Ok(end));
                    let element = at.and_then(|at| elements.clone().nth(at));
                    element.map_or(String::new(), |element| ty.text(bits(element)))
                };
                (shades, ends.map(|ends| ends.map(text)))
            }
        };
        let is_now = |element: &Range<usize>| {
            let step = writer(element).map(|writer| writer.step);
            step.is_some() && step == now
        };
        let written_now = (first..end).zip(elements.clone());
        let written_now = written_now.filter(|(_, element)| is_now(element));
        Ok(Shades {
            first,
            shades,
            ends,
            now: runs(written_now.map(|(index, _)| index)),
        })
    }
}

/// The shades of numbers by their places between the least and the greatest one, and these two. What has no number has its shade.
fn between(numbers: impl Iterator<Item = Result<f64, u8>> + Clone) -> (Vec<u8>, Option<[f64; 2]>) {
    let known = numbers.clone().flatten();
    let ends = known.fold(None, |ends: Option<[f64; 2]>, number| {
        let [least, most] = ends.unwrap_or([number; 2]);
        Some([least.min(number), most.max(number)])
    });
    let [least, most] = ends.unwrap_or_default();
    // Halves, since the distance of two numbers may be no number.
    let extent = most / 2.0 - least / 2.0;
    let shade = |number: Result<f64, u8>| match number {
        Ok(number) if extent > 0.0 => {
            let share = (number / 2.0 - least / 2.0) / extent;
            (share * f64::from(N_SHADES - 1)).round() as u8
        }
        Ok(_) => 0,
        Err(shade) => shade,
    };
    (numbers.map(shade).collect(), ends)
}

/// Ascending numbers as ranges of those that follow each other.
fn runs(numbers: impl Iterator<Item = u64>) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if run.end == number => run.end += 1,
            _ => runs.push(number..number + 1),
        }
    }
    runs
}
