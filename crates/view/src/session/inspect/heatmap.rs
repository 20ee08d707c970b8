//! Heatmap of a memory. A heatmap contains one shade per element. The page displays it if the cells are too small for text. The module
//! takes a position, a memory, a range of elements and a shading, and returns a shade number for each element.

use crate::diagnostics::no_such_memory;
use crate::session::Session;
use crate::session::inspect::go_to;
use crate::session::memory_id::MemoryKey;
use std::ops::Range;
use warpgrid_launch::value::ElementType;

/// Maximum number of elements in one heatmap. This number of cells is sufficient to fill a screen.
pub const MAX_SHADES: u64 = 1 << 20;
/// Number of shades that represent a range of values or steps.
const N_LEVELS: u8 = 64;

/// Property of a memory element that its shade in a [`Heatmap`] represents: its value, its last lane or its last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeatmapMode {
    /// Value of the element, relative to the minimum and maximum of the requested elements.
    Value,
    /// Lane that performed the last write to the element.
    Lane,
    /// Step of the last write to the element, relative to the first and the last of these steps among the requested elements.
    Step,
}

/// Request of a host for the heatmap of a range of elements of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatmapRequest {
    pub memory: MemoryKey,
    /// Element type as which the heatmap interprets the memory. The default is the element type of the memory.
    pub ty: Option<ElementType>,
    pub shading: HeatmapMode,
    /// Range of the requested elements. The heatmap omits elements outside of the memory or beyond [`MAX_SHADES`].
    pub elements: Range<u64>,
}

/// Heatmap of a range of elements of a memory, which the page draws with one pixel block per element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heatmap {
    /// Index of the first element in the heatmap.
    pub first: u64,
    /// For each element, the lane of its last write, a shade from 0 (minimum) to 63 (maximum), [`Heatmap::NEVER`], or [`Heatmap::UNKNOWN`].
    pub shades: Vec<u8>,
    /// Values or steps that the first and the last shade represent. The field is absent if no element has a shade between them.
    pub ends: Option<[String; 2]>,
    /// Ranges of elements that the last step wrote.
    pub now: Vec<Range<u64>>,
}

impl Heatmap {
    /// Shade of an element that no step wrote.
    pub const NEVER: u8 = N_LEVELS;
    /// Shade of a value that is not a finite number, and of a written element whose last writer is not tracked.
    pub const UNKNOWN: u8 = N_LEVELS + 1;
}

impl Session {
    /// Seeks to a position and returns the heatmap of a memory.
    pub fn shades(&mut self, position: u64, asked: &HeatmapRequest) -> Result<Heatmap, String> {
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
            true => Heatmap::UNKNOWN,
            false => Heatmap::NEVER,
        };
        let now = self.position().checked_sub(1);
        let (shades, ends) = match asked.shading {
            HeatmapMode::Lane => {
                let lane = |element: Range<usize>| match writer(&element) {
                    Some(writer) => writer.lane as u8,
                    None => unwritten(&element),
                };
                (elements.clone().map(lane).collect(), None)
            }
            HeatmapMode::Step => {
                let steps = elements.clone().map(|element| match writer(&element) {
                    Some(writer) => Ok((writer.step + 1) as f64),
                    None => Err(unwritten(&element)),
                });
                let (shades, ends) = between(steps);
                (shades, ends.map(|ends| ends.map(|step| step.to_string())))
            }
            HeatmapMode::Value => {
                let bits = |element: Range<usize>| ty.bits(bytes.get(element).unwrap_or(&[]));
                let values = elements.clone().map(|element| {
                    let value = Some(ty.number(bits(element)));
                    value
                        .filter(|value| value.is_finite())
                        .ok_or(Heatmap::UNKNOWN)
                });
                let (shades, ends) = between(values.clone());
                // Format the minimum and the maximum in the notation of cell values.
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
        Ok(Heatmap {
            first,
            shades,
            ends,
            now: runs(written_now.map(|(index, _)| index)),
        })
    }
}

/// Returns the shades of numbers relative to their minimum and maximum, and this minimum and maximum. For an element that is not a number,
/// the `Err` value is its shade.
fn between(numbers: impl Iterator<Item = Result<f64, u8>> + Clone) -> (Vec<u8>, Option<[f64; 2]>) {
    let known = numbers.clone().flatten();
    let ends = known.fold(None, |ends: Option<[f64; 2]>, number| {
        let [least, most] = ends.unwrap_or([number; 2]);
        Some([least.min(number), most.max(number)])
    });
    let [least, most] = ends.unwrap_or_default();
    // Halve the numbers, because the difference between two numbers can overflow.
    let extent = most / 2.0 - least / 2.0;
    let shade = |number: Result<f64, u8>| match number {
        Ok(number) if extent > 0.0 => {
            let share = (number / 2.0 - least / 2.0) / extent;
            (share * f64::from(N_LEVELS - 1)).round() as u8
        }
        Ok(_) => 0,
        Err(shade) => shade,
    };
    (numbers.map(shade).collect(), ends)
}

/// Groups ascending numbers into ranges of consecutive numbers.
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
