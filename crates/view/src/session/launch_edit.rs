//! Edits to the initial state of a launch. The module takes a buffer element, a kernel parameter or a register, and its new value, and
//! returns the edit of the `//@` line that specifies the value, or the reason why no line can specify it.

use crate::analysis::cell_history::CellLocation;
use crate::model::text::{EditView, FixView};
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_launch::annotations::{AnnotationValue, literal, stated_value};
use warpgrid_launch::pattern::{FillPattern, Pattern};
use warpgrid_launch::scenario::{Buffer, BufferInitializer};
use warpgrid_launch::value::{ElementType, Literal};

/// Maximum number of elements that the list of values in a `//@` line can have.
const MAX_LISTED: u64 = 1_024;
/// Maximum length of a new value in bytes.
const MAX_VALUE: usize = 200;

/// Initial value that the user edits: a buffer element, a buffer, a kernel parameter or a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InitialValueTarget {
    Cell(CellLocation),
    /// Scalar kernel parameter with this name.
    Scalar(String),
    Register(String),
    /// Initializer of the buffer with this name: `0`, `iota`, `random 7`, `nan`, or a list.
    Buffer(String),
}

/// Edit of the source that changes an initial value, which the page applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchEdit {
    pub edits: Vec<EditView>,
    /// Complete text of the `//@` line after the edit.
    pub line: String,
}

impl Session {
    /// Returns the edit of the source that changes an initial value.
    pub fn edit_start(
        &self,
        place: &InitialValueTarget,
        value: &str,
    ) -> Result<LaunchEdit, String> {
        let value = value.trim();
        if value.is_empty() || value.len() > MAX_VALUE || value.contains(['\n', '\r']) {
            return Err(
                "the value is empty, expected a value such as `7`, `-4`, `0x1f` or `1.5`"
                    .to_owned(),
            );
        }
        match place {
            InitialValueTarget::Cell(place) => {
                let (buffer, init) = self.changed_buffer(place, value)?;
                self.edit_fact("buffer", &buffer, &init)
            }
            InitialValueTarget::Scalar(name) => self.edit_fact("scalar", name, value),
            InitialValueTarget::Register(name) => self.edit_fact("register", name, value),
            InitialValueTarget::Buffer(name) => self.edit_fact("buffer", name, value),
        }
    }

    /// Returns the name of the buffer that contains a cell, and the initializer of this buffer with the new value of the cell.
    fn changed_buffer(
        &self,
        place: &CellLocation,
        value: &str,
    ) -> Result<(String, String), String> {
        if let Some(reason) = immutable_reason(&place.memory) {
            return Err(reason);
        }
        let name = place.memory.to_string();
        let mut buffers = self.buffers().into_iter();
        let buffer = buffers.find(|buffer| buffer.name == name);
        let buffer =
            buffer.ok_or_else(|| format!("the launch configuration has no buffer `{name}`"))?;
        let own = ElementType::from_name(&buffer.ty).unwrap_or(ElementType::B8);
        if own.width_bytes() != place.ty.width_bytes() {
            return Err(format!(
                "the elements of `{name}` have the type `{own}`: select this type or another {}-byte type",
                own.width_bytes()
            ));
        }
        let bits = place.ty.encode(&read_value(value, place.ty)?)?;
        let literal = match own == place.ty {
            true => read_value(value, own)?,
            false => own.decode(bits),
        };
        let index = place.offset / own.width_bytes() as u64;
        let init = changed_init(&buffer, index, literal)?;
        Ok((name, init_text(&init)))
    }

    /// Replaces the value of a launch property in its `//@` line. If the property was inferred, the edit also inserts the lines of all
    /// other inferred properties.
    fn edit_fact(&self, fact: &str, name: &str, value: &str) -> Result<LaunchEdit, String> {
        let text = self.scenario().source.lines();
        if let Some(place) = FactLine::find(text, &self.comment_marker, fact, name) {
            return Ok(LaunchEdit {
                edits: vec![place.edit(value)],
                line: place.with(value),
            });
        }
        let guesses = self.inferred_annotations();
        let lines = guesses.iter().map(String::as_str);
        let Some(place) = FactLine::find(lines, &self.comment_marker, fact, name) else {
            return Err(format!(
                "the source has no `{} {fact}` annotation for `{name}`",
                self.comment_marker
            ));
        };
        let line = place.with(value);
        let lines = guesses.iter().enumerate().map(|(index, guess)| {
            let text = if index == place.index { &line } else { guess };
            format!("{text}\n")
        });
        Ok(LaunchEdit {
            edits: vec![EditView {
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
                text: lines.collect(),
            }],
            line,
        })
    }
}

impl Session {
    /// Returns the edit of the source that states the schedule with which the run starts. If the launch is inferred, the edit inserts the
    /// inferred lines.
    pub(crate) fn edit_schedule(&self, schedule: &str) -> FixView {
        let prefix = format!("{} launch", self.comment_marker);
        let mut lines = self.scenario().source.lines().zip(1..);
        let stated = lines.find(|(line, _)| line.starts_with(&prefix));
        let edit = match stated {
            Some((line, number)) => EditView {
                line: number,
                column: 1,
                end_line: number,
                end_column: line.encode_utf16().count() as u32 + 1,
                text: with_schedule(line, schedule),
            },
            None => EditView {
                line: 1,
                column: 1,
                end_line: 1,
                end_column: 1,
                text: self.inferred_lines_with_schedule(&prefix, schedule),
            },
        };
        FixView {
            title: "Play this schedule".to_owned(),
            is_header: false,
            edits: vec![edit],
        }
    }

    fn inferred_lines_with_schedule(&self, prefix: &str, schedule: &str) -> String {
        let inferred = self.inferred_annotations();
        let has_launch = inferred.iter().any(|line| line.starts_with(prefix));
        let added = (!has_launch).then(|| prefix.to_owned());
        let lines = inferred.iter().cloned().chain(added);
        let lines = lines.map(|line| match line.starts_with(prefix) {
            true => with_schedule(&line, schedule) + "\n",
            false => line + "\n",
        });
        lines.collect()
    }
}

/// Returns a `launch` annotation with another schedule.
fn with_schedule(line: &str, schedule: &str) -> String {
    let other = |word: &&str| !word.starts_with("schedule=");
    let words: Vec<&str> = line.split(' ').filter(other).collect();
    format!("{} schedule={schedule}", words.join(" ").trim_end())
}

/// Returns the reason why no `//@` line of the source can specify the initial contents of a memory, or `None` for a buffer.
pub fn immutable_reason(memory: &MemoryKey) -> Option<String> {
    match memory {
        MemoryKey::Buffer(_) => None,
        MemoryKey::Shared(_) => Some(
            "shared memory cannot have an initial value, because it is uninitialized at the start of each launch"
                .to_owned(),
        ),
        MemoryKey::Tensor(_) => Some(
            "tensor memory cannot have an initial value, because it is uninitialized at the start of each launch"
                .to_owned(),
        ),
        MemoryKey::Variable(name) => Some(format!(
            "`{name}` is a module variable: change the initializer in its declaration"
        )),
    }
}

/// `//@` line of the source or inferred `//@` line that specifies a launch property, with the value in this line.
struct FactLine<'a> {
    line: &'a str,
    /// Index of the line in the source, starting at 0.
    index: usize,
    value: AnnotationValue,
}

impl<'a> FactLine<'a> {
    /// Returns the first line that specifies the launch property with this name.
    fn find(
        lines: impl Iterator<Item = &'a str>,
        mark: &str,
        fact: &str,
        name: &str,
    ) -> Option<FactLine<'a>> {
        let stated = |(index, line)| {
            let value = stated_value(line, mark, fact, name)?;
            Some(FactLine { line, index, value })
        };
        lines.enumerate().find_map(stated)
    }

    fn written(&self, value: &str) -> String {
        let before = match self.value.is_written {
            true if self.insertion_line().ends_with('=') => " ",
            true => "",
            false => " = ",
        };
        format!("{before}{value}")
    }

    /// Returns the part of the line before the value, after which an edit inserts the new value.
    fn insertion_line(&self) -> &'a str {
        self.line.get(..self.value.place.start).unwrap_or(self.line)
    }

    fn with(&self, value: &str) -> String {
        format!("{}{}", self.insertion_line(), self.written(value))
    }

    fn edit(&self, value: &str) -> EditView {
        let column = |to: usize| {
            let part = self.line.get(..to).unwrap_or(self.line);
            part.encode_utf16().count() as u32 + 1
        };
        let line = self.index as u32 + 1;
        EditView {
            line,
            column: column(self.value.place.start),
            end_line: line,
            end_column: column(self.value.place.end),
            text: self.written(value),
        }
    }
}

/// Parses a value of type `ty` in the notation of an annotation. Floating-point values can also be `nan`, `inf` or `-inf`.
pub(crate) fn read_value(value: &str, ty: ElementType) -> Result<Literal, String> {
    let special = match value {
        "nan" | "NaN" => Some(f64::NAN),
        "inf" | "∞" => Some(f64::INFINITY),
        "-inf" | "-∞" => Some(f64::NEG_INFINITY),
        _ => None,
    };
    match special.and_then(|value| ty.float_bits(value)) {
        Some(bits) => Ok(Literal::Text(ty.hex(bits))),
        None => literal(value),
    }
}

/// Returns the initializer of a buffer in which the element at `index` has the given value. If the values form a short list, the new
/// initializer is this list. Otherwise, the new initializer is the previous initializer with an exception for this element.
fn changed_init(buffer: &Buffer, index: u64, value: Literal) -> Result<BufferInitializer, String> {
    if index >= buffer.len {
        return Err(format!(
            "the index {index} is out of bounds: `{}` has {} elements",
            buffer.name, buffer.len
        ));
    }
    match listed(buffer, index) {
        Some(mut values) => {
            values[index as usize] = value;
            Ok(shortened(values, buffer.len))
        }
        None => patterned(buffer, index, value),
    }
}

/// Returns the values of a buffer as a list that contains at least the elements up to `index`, or `None` if the initializer is not a list
/// or the list is too long.
fn listed(buffer: &Buffer, index: u64) -> Option<Vec<Literal>> {
    let zero = Literal::Integer(0);
    let is_iota = |init: &Literal| *init == Literal::Text("iota".to_owned());
    let mut values: Vec<Literal> = match &buffer.init {
        BufferInitializer::List(values) => values.clone(),
        BufferInitializer::Fill(fill) if *fill == zero => Vec::new(),
        BufferInitializer::Fill(_) if buffer.len > MAX_LISTED => return None,
        BufferInitializer::Bytes(_) => return None,
        BufferInitializer::Fill(fill) if is_iota(fill) => (0..buffer.len)
            .map(|n| Literal::Integer(n.into()))
            .collect(),
        BufferInitializer::Fill(Literal::Text(text)) if Pattern::read(text) != Ok(None) => {
            return None;
        }
        BufferInitializer::Fill(fill) => vec![fill.clone(); buffer.len as usize],
    };
    let needed = index as usize + 1;
    if values.len() < needed {
        if index >= MAX_LISTED {
            return None;
        }
        values.resize(needed, zero);
    }
    Some(values)
}

/// Returns the initializer of a buffer as a pattern in which the element at `index` has the given value.
fn patterned(buffer: &Buffer, index: u64, value: Literal) -> Result<BufferInitializer, String> {
    let too_many = || {
        format!(
            "the initializer of `{}` has too many individual values for one annotation: store the value in the kernel instead",
            buffer.name
        )
    };
    let pattern = match &buffer.init {
        // Convert a list of values to the equivalent pattern, which consists of zeros with exceptions for the first elements.
        BufferInitializer::List(values) => {
            let values = values.iter().cloned().zip(0..);
            let places = values.filter(|(value, _)| *value != Literal::Integer(0));
            Pattern {
                base: FillPattern::Value(Literal::Integer(0)),
                places: places.map(|(value, at)| (at, value)).collect(),
            }
        }
        BufferInitializer::Fill(fill) => {
            let known = match fill {
                Literal::Text(text) if text.starts_with('&') => return Err(too_many()),
                Literal::Text(text) => Pattern::read(text)?,
                Literal::Integer(_) | Literal::Float(_) => None,
            };
            known.unwrap_or_else(|| Pattern {
                base: FillPattern::Value(fill.clone()),
                places: Vec::new(),
            })
        }
        BufferInitializer::Bytes(bytes) => Pattern {
            base: FillPattern::Bytes(bytes.to_vec()),
            places: Vec::new(),
        },
    };
    match pattern.is_full() {
        true => Err(too_many()),
        false => Ok(BufferInitializer::Fill(Literal::Text(
            pattern.with(index, value).text(),
        ))),
    }
}

/// Returns the shortest initializer that produces the given values: a uniform value, an arithmetic sequence, or a list without trailing
/// zeros.
fn shortened(mut values: Vec<Literal>, len: u64) -> BufferInitializer {
    let zero = Literal::Integer(0);
    let is_whole = values.len() as u64 == len;
    if is_whole && values.windows(2).all(|pair| pair[0] == pair[1]) {
        return BufferInitializer::Fill(values.pop().unwrap_or(zero));
    }
    let counted = values
        .iter()
        .zip(0..)
        .all(|(value, n)| *value == Literal::Integer(n));
    if is_whole && counted {
        return BufferInitializer::Fill(Literal::Text("iota".to_owned()));
    }
    while values.last() == Some(&zero) {
        values.pop();
    }
    match values.is_empty() {
        true => BufferInitializer::Fill(zero),
        false => BufferInitializer::List(values),
    }
}

/// Formats an initializer. A list with a single value has its own notation, because the plain value would initialize all elements.
fn init_text(init: &BufferInitializer) -> String {
    match init {
        BufferInitializer::List(values) if values.len() == 1 => format!("{}, 0", init.text()),
        _ => init.text(),
    }
}
