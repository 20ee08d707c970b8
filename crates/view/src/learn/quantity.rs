//! Quantities at a position of a run. The module takes the notation of a quantity and answers of users, and returns the value of the
//! quantity, and a message about a wrong answer.
//!
//! ```text
//! out[3]  out[0..8]  shared:0[0..4]      elements of a memory, in its type
//! bytes 4..8 of out                      its bytes, in hexadecimal
//! writers of out[0..4]                   the lane that wrote each element last
//! lanes                                  the lanes of the step just done
//! lane 3 %r5   block 1 thread 40: %r5    a register, by the lane selection of watch expressions; block 0 and warp 0 by default
//! wavefronts of line 18                  total cost of the accesses of a line; alias: `passes of line 18`
//! sectors of line 18
//! phase of full   arrivals of full       an mbarrier: its parity, and the arrivals that it waits for
//! outcome                                completes, faults, hangs, races, continues; aliases: `ends`, `goes on`
//! stores   steps                         how many so far
//! ```

use crate::diagnostics::{no_such_memory, ranges};
use crate::expression::tree::LaneFilter;
use crate::learn::MAX_STEPS;
use crate::learn::puzzle::run_outcome::RunOutcome;
use crate::model::warp::RegisterType;
use crate::session::Session;
use crate::session::launch_edit::read_value;
use crate::session::memory_id::MemoryKey;
use warpgrid_isa::read_decimal;
use warpgrid_launch::value::ElementType;

/// Maximum number of elements or bytes that a quantity can contain.
const MAX_CELLS: u64 = 64;
/// Accepted notations of quantities, for error messages.
const KNOWN: &str = "a quantity such as `out[0..8]`, `bytes 4..8 of out`, `lanes`, `writers of out[3]`, `lane 3 %r5`, `wavefronts of line 18` or `outcome`";

/// Quantity of a run that a puzzle or tour measures at a position, such as the values of elements or the active lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    Cells(ElementRange),
    Bytes(ElementRange),
    Writers(ElementRange),
    Lanes,
    Register {
        place: LaneFilter,
        lane: u8,
        name: String,
    },
    Passes(u32),
    Sectors(u32),
    Phase(String),
    Arrivals(String),
    Outcome,
    Stores,
    Steps,
}

/// Range of elements or bytes of a memory. The end of the range is exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementRange {
    pub memory: MemoryKey,
    pub from: u64,
    pub to: u64,
}

/// Value of a quantity at a position of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantityValue {
    Cells {
        range: ElementRange,
        ty: ElementType,
        bytes: Vec<u8>,
    },
    Bytes {
        range: ElementRange,
        bytes: Vec<u8>,
    },
    Writers {
        range: ElementRange,
        lanes: Vec<Option<u8>>,
    },
    Lanes(u32),
    Register {
        ty: RegisterType,
        text: String,
        hex: String,
    },
    Number(u64),
    Outcome(RunOutcome),
}

impl Quantity {
    /// Parses the notation of a quantity.
    pub fn read(text: &str) -> Result<Quantity, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = || format!("found `{text}`, expected {KNOWN}");
        let small = |word: &str| word.parse::<u32>().map_err(|_| wrong());
        match words[..] {
            ["lanes"] => Ok(Quantity::Lanes),
            ["outcome"] => Ok(Quantity::Outcome),
            ["stores"] => Ok(Quantity::Stores),
            ["steps"] => Ok(Quantity::Steps),
            ["wavefronts" | "passes", "of", "line", line] => Ok(Quantity::Passes(small(line)?)),
            ["sectors", "of", "line", line] => Ok(Quantity::Sectors(small(line)?)),
            ["phase", "of", name] => Ok(Quantity::Phase(name.to_owned())),
            ["arrivals", "of", name] => Ok(Quantity::Arrivals(name.to_owned())),
            ["writers", "of", cells] => Ok(Quantity::Writers(ElementRange::of_cells(cells, text)?)),
            ["bytes", bytes, "of", memory] => {
                Ok(Quantity::Bytes(ElementRange::new(memory, bytes, text)?))
            }
            [first, .., name] if words.len() % 2 == 1 && LaneFilter::WORDS.contains(&first) => {
                let place = text.trim_end().strip_suffix(name).unwrap_or("");
                let place = LaneFilter::read(place)?;
                Ok(Quantity::Register {
                    place,
                    lane: place.lane.ok_or_else(wrong)?,
                    name: name.to_owned(),
                })
            }
            [cells] => Ok(Quantity::Cells(ElementRange::of_cells(cells, text)?)),
            _ => Err(wrong()),
        }
    }

    /// Returns the location that the page highlights for the quantity, in the notation of links. Returns `None` if the quantity has no such
    /// location.
    pub fn pin(&self) -> Option<String> {
        match self {
            Quantity::Cells(range) | Quantity::Writers(range) => {
                Some(format!("cell {} of {}", range.from, range.memory))
            }
            Quantity::Passes(line) | Quantity::Sectors(line) => Some(format!("line {line}")),
            Quantity::Register { name, .. } => Some(format!("register {name}")),
            Quantity::Bytes(_)
            | Quantity::Lanes
            | Quantity::Phase(_)
            | Quantity::Arrivals(_)
            | Quantity::Outcome
            | Quantity::Stores
            | Quantity::Steps => None,
        }
    }

    /// Returns the value of the quantity at the present position of the session. The error is the reason why the quantity has no value.
    pub fn find(&self, session: &mut Session) -> Result<QuantityValue, String> {
        match self {
            Quantity::Cells(range) => {
                let ty = range.element(session)?;
                let bytes = range.bytes(session, ty.width_bytes())?;
                Ok(QuantityValue::Cells {
                    range: range.clone(),
                    ty,
                    bytes,
                })
            }
            Quantity::Bytes(range) => Ok(QuantityValue::Bytes {
                range: range.clone(),
                bytes: range.bytes(session, 1)?,
            }),
            Quantity::Writers(range) => {
                let width = range.element(session)?.width_bytes();
                range.bytes(session, width)?;
                let lanes = (range.from..range.to).map(|index| {
                    let writer = session.last_writer(&range.memory, index * width as u64);
                    writer.map(|(_, lane)| lane)
                });
                Ok(QuantityValue::Writers {
                    range: range.clone(),
                    lanes: lanes.collect(),
                })
            }
            Quantity::Lanes => Ok(QuantityValue::Lanes(session.last_lanes())),
            Quantity::Register { place, lane, name } => register(session, *place, *lane, name),
            Quantity::Passes(line) | Quantity::Sectors(line) => self.cost(session, *line),
            Quantity::Phase(name) | Quantity::Arrivals(name) => self.mbarrier(session, name),
            Quantity::Outcome => Ok(QuantityValue::Outcome(RunOutcome::of(session))),
            Quantity::Stores => Ok(QuantityValue::Number(session.stores())),
            Quantity::Steps => Ok(QuantityValue::Number(session.position())),
        }
    }

    fn cost(&self, session: &mut Session, line: u32) -> Result<QuantityValue, String> {
        let here = session.position();
        session.run(MAX_STEPS);
        session.count_traffic(u64::MAX);
        let traffic = session.traffic();
        session.seek(here);
        let found = traffic.lines.iter().find(|found| found.line == line);
        let traffic = found.ok_or_else(|| format!("line {line} accesses no memory"))?;
        Ok(QuantityValue::Number(match self {
            Quantity::Passes(_) => traffic.traffic.shared.wavefronts,
            _ => traffic.traffic.global.sectors,
        }))
    }

    fn mbarrier(&self, session: &Session, name: &str) -> Result<QuantityValue, String> {
        let all = session.mbarriers();
        let found = all.iter().find(|known| known.name.as_deref() == Some(name));
        let phase = found.and_then(|found| found.phase);
        let phase =
            phase.ok_or_else(|| format!("memory contains no mbarrier `{name}` at this step"))?;
        Ok(QuantityValue::Number(match self {
            Quantity::Phase(_) => phase.parity.into(),
            _ => phase.pending.into(),
        }))
    }
}

impl ElementRange {
    /// Parses a range of elements: `out[3]` or `out[0..8]`.
    fn of_cells(cells: &str, text: &str) -> Result<ElementRange, String> {
        let parts = cells
            .strip_suffix(']')
            .and_then(|rest| rest.split_once('['));
        let (memory, range) = parts.ok_or_else(|| format!("found `{text}`, expected {KNOWN}"))?;
        ElementRange::new(memory, range, text)
    }

    fn new(memory: &str, range: &str, text: &str) -> Result<ElementRange, String> {
        let number = |word: &str| word.parse::<u64>().ok();
        let ends = match range.split_once("..") {
            Some((from, to)) => number(from).zip(number(to)),
            None => number(range).and_then(|at| Some((at, at.checked_add(1)?))),
        };
        let ends = ends.filter(|(from, to)| from < to && to - from <= MAX_CELLS);
        let (from, to) = ends.ok_or_else(|| {
            format!("found the range `{range}` in `{text}`, expected an index such as `3` or a range such as `0..8` with at most {MAX_CELLS} elements")
        })?;
        Ok(ElementRange {
            memory: MemoryKey::from(memory),
            from,
            to,
        })
    }

    fn element(&self, session: &Session) -> Result<ElementType, String> {
        let memory = session.memory_with(&self.memory);
        let memory = memory.ok_or_else(|| no_such_memory(&self.memory.to_string()))?;
        Ok(memory.element)
    }

    fn bytes(&self, session: &Session, width: usize) -> Result<Vec<u8>, String> {
        let width = width as u64;
        let bytes = session.memory(&self.memory).unwrap_or_default();
        let ends = self.from.checked_mul(width).zip(self.to.checked_mul(width));
        let ends = ends
            .and_then(|(from, to)| Some((usize::try_from(from).ok()?, usize::try_from(to).ok()?)));
        let found = ends.and_then(|(from, to)| bytes.get(from..to));
        let found = found.ok_or_else(|| {
            let n = bytes.len();
            format!(
                "the range exceeds the size of `{}`, which is {n} bytes",
                self.memory
            )
        })?;
        Ok(found.to_vec())
    }
}

fn register(
    session: &mut Session,
    place: LaneFilter,
    lane: u8,
    name: &str,
) -> Result<QuantityValue, String> {
    let view = session.lanes(place.block.unwrap_or(0), place.warp.unwrap_or(0));
    let registers = view.map_or(Vec::new(), |view| view.registers);
    let found = registers.into_iter().find(|register| register.name == name);
    let found = found.ok_or_else(|| format!("the kernel has no register `{name}`"))?;
    let of_lane = |values: &[String]| values.get(usize::from(lane)).cloned().unwrap_or_default();
    Ok(QuantityValue::Register {
        ty: found.ty,
        text: of_lane(&found.values),
        hex: of_lane(&found.hex),
    })
}

impl QuantityValue {
    /// Formats the value of the quantity in the notation of answers.
    pub fn text(&self) -> String {
        match self {
            QuantityValue::Cells { ty, bytes, .. } => {
                let cells = bytes.chunks(ty.width_bytes().max(1));
                list(cells.map(|cell| ty.text(ty.bits(cell))))
            }
            QuantityValue::Bytes { bytes, .. } => {
                list(bytes.iter().map(|byte| format!("{byte:02x}")))
            }
            QuantityValue::Writers { lanes, .. } => list(lanes.iter().map(|lane| match lane {
                Some(lane) => lane.to_string(),
                None => "none".to_owned(),
            })),
            QuantityValue::Lanes(lanes) => lanes_text(*lanes),
            QuantityValue::Register { text, .. } => text.clone(),
            QuantityValue::Number(number) => number.to_string(),
            QuantityValue::Outcome(outcome) => outcome.name().to_owned(),
        }
    }

    /// Compares an answer with the value. The error message names the first mistake in the answer, but does not reveal the correct value.
    pub fn compare(&self, answer: &str) -> Result<(), String> {
        match self {
            QuantityValue::Cells { range, ty, bytes } => compare_cells(range, *ty, bytes, answer),
            QuantityValue::Bytes { range, bytes } => compare_bytes(range, bytes, answer),
            QuantityValue::Writers { range, lanes } => compare_writers(range, lanes, answer),
            QuantityValue::Lanes(lanes) => compare_lanes(*lanes, answer),
            QuantityValue::Register { text, hex, ty } => {
                let answer = answer.trim();
                let is_same = [text, hex]
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(answer))
                    || is_same_number(text, answer);
                match is_same {
                    true => Ok(()),
                    false => Err(format!(
                        "a register of type `.{}` cannot hold the value `{answer}`",
                        ty.name()
                    )),
                }
            }
            QuantityValue::Number(number) => compare_number(*number, answer),
            QuantityValue::Outcome(outcome) => match RunOutcome::read(answer)? == *outcome {
                true => Ok(()),
                false => Err(format!(
                    "your answer is `{}`, but the run has a different outcome",
                    answer.trim()
                )),
            },
        }
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// Splits an answer at commas and white space.
fn items(answer: &str) -> Vec<&str> {
    let items = answer.split(|c: char| c == ',' || c.is_whitespace());
    items.filter(|item| !item.is_empty()).collect()
}

/// Splits an answer into items, and checks that the number of items equals the number of elements in the range.
fn counted<'a>(answer: &'a str, range: &ElementRange, what: &str) -> Result<Vec<&'a str>, String> {
    let (items, n) = (items(answer), range.to - range.from);
    if items.len() as u64 == n {
        return Ok(items);
    }
    let last = range.to - 1;
    Err(format!(
        "found {} values, expected {n} values for {what} {} to {last} of `{}`",
        items.len(),
        range.from,
        range.memory
    ))
}

fn compare_cells(
    range: &ElementRange,
    ty: ElementType,
    bytes: &[u8],
    answer: &str,
) -> Result<(), String> {
    let width = ty.width_bytes().max(1);
    let items = counted(answer, range, "elements")?;
    for ((item, cell), index) in items.iter().zip(bytes.chunks(width)).zip(range.from..) {
        let bits = read_value(item, ty)
            .and_then(|literal| ty.encode(&literal))
            .map_err(|reason| format!("`{item}`: {reason}"))?;
        let stated = bits.to_le_bytes();
        let is_nan =
            ty.float(ty.bits(cell)).is_some_and(f64::is_nan) && item.eq_ignore_ascii_case("nan");
        let wrong = cell
            .iter()
            .zip(stated)
            .position(|(own, stated)| *own != stated);
        if let Some(at) = wrong.filter(|_| !is_nan) {
            let byte = index * width as u64 + at as u64;
            return Err(format!(
                "the first mismatch is in byte {byte} of `{}`: element {index} does not contain {item}",
                range.memory
            ));
        }
    }
    Ok(())
}

fn compare_bytes(range: &ElementRange, bytes: &[u8], answer: &str) -> Result<(), String> {
    let items = counted(answer, range, "bytes")?;
    for ((item, byte), at) in items.iter().zip(bytes).zip(range.from..) {
        let digits = item.trim_start_matches("0x");
        let stated = u8::from_str_radix(digits, 16)
            .map_err(|_| format!("found `{item}`, expected a byte such as `0x1f` or `1f`"))?;
        if stated != *byte {
            return Err(format!(
                "the first mismatch is in byte {at} of `{}`: the value of this byte is not 0x{stated:02x}",
                range.memory
            ));
        }
    }
    Ok(())
}

fn compare_writers(range: &ElementRange, lanes: &[Option<u8>], answer: &str) -> Result<(), String> {
    let items = counted(answer, range, "elements")?;
    for ((item, lane), index) in items.iter().zip(lanes).zip(range.from..) {
        let stated = match *item {
            "none" => None,
            number => Some(read_lane(number)?),
        };
        if stated != *lane {
            return Err(match stated {
                Some(lane) => format!(
                    "the first mismatch is in element {index} of `{}`: lane {lane} is not the last writer of this element",
                    range.memory
                ),
                None => format!(
                    "the first mismatch is in element {index} of `{}`: a lane has written this element",
                    range.memory
                ),
            });
        }
    }
    Ok(())
}

fn read_lane(text: &str) -> Result<u8, String> {
    let lane = text.parse::<u8>().ok().filter(|lane| *lane < 32);
    lane.ok_or_else(|| format!("found `{text}`, expected a lane index from 0 to 31"))
}

fn compare_lanes(lanes: u32, answer: &str) -> Result<(), String> {
    let stated = read_lanes(answer)?;
    for lane in 0..32 {
        match (lanes >> lane & 1, stated >> lane & 1) {
            (1, 0) => {
                return Err(format!(
                    "lane {lane} is active, but your answer does not contain this lane"
                ));
            }
            (0, 1) => {
                return Err(format!(
                    "lane {lane} is inactive, but your answer contains this lane"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Parses lane ranges: `0-3, 8`, `all` or `none`.
fn read_lanes(answer: &str) -> Result<u32, String> {
    match answer.trim() {
        "all" => return Ok(u32::MAX),
        "none" => return Ok(0),
        "" => {
            return Err(
                "the answer names no lanes, expected a list of lanes such as `0-3, 8`, or `all` or `none`"
                    .to_owned(),
            );
        }
        _ => {}
    }
    let mut lanes = 0_u32;
    for item in items(answer) {
        let (from, to) = item.split_once('-').unwrap_or((item, item));
        let (from, to) = (read_lane(from)?, read_lane(to)?);
        for lane in from..=to {
            lanes |= 1 << lane;
        }
    }
    Ok(lanes)
}

fn lanes_text(lanes: u32) -> String {
    match lanes {
        0 => "none".to_owned(),
        u32::MAX => "all".to_owned(),
        _ => ranges(&mut (0..32).filter(|lane| lanes >> lane & 1 == 1)),
    }
}

fn compare_number(number: u64, answer: &str) -> Result<(), String> {
    let stated: u64 = answer
        .trim()
        .parse()
        .map_err(|_| format!("found `{}`, expected a number", answer.trim()))?;
    match stated.cmp(&number) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => Err(format!("your answer {stated} is too small")),
        std::cmp::Ordering::Greater => Err(format!("your answer {stated} is too large")),
    }
}

fn is_same_number(text: &str, answer: &str) -> bool {
    let number = |text: &str| read_decimal(text);
    number(text).is_some_and(|own| number(answer) == Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(memory: &str, from: u64, to: u64) -> ElementRange {
        ElementRange {
            memory: MemoryKey::from(memory),
            from,
            to,
        }
    }

    #[test]
    fn quantities_parse_and_malformed_ones_are_rejected() {
        assert_eq!(
            Quantity::read("out[3]"),
            Ok(Quantity::Cells(range("out", 3, 4)))
        );
        assert_eq!(
            Quantity::read("shared:0[0..4]"),
            Ok(Quantity::Cells(range("shared:0", 0, 4)))
        );
        assert_eq!(
            Quantity::read("bytes 4..8 of out"),
            Ok(Quantity::Bytes(range("out", 4, 8)))
        );
        for name in ["wavefronts", "passes"] {
            let read = Quantity::read(&format!("{name} of line 9"));
            assert_eq!(read, Ok(Quantity::Passes(9)));
        }
        for text in ["warp 1 lane 3 %r5", "thread 35: %r5"] {
            let place = LaneFilter::read("warp 1 lane 3").expect("a place");
            let (lane, name) = (3, "%r5".to_owned());
            let register = Quantity::Register { place, lane, name };
            assert_eq!(Quantity::read(text), Ok(register));
        }
        for wrong in [
            "",
            "out",
            "out[]",
            "out[4..2]",
            "out[0..1000]",
            "lane 32 %r1",
            "phase of",
        ] {
            assert!(Quantity::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn cell_comparison_names_first_mismatched_byte() {
        let found = QuantityValue::Cells {
            range: range("out", 2, 4),
            ty: ElementType::U32,
            bytes: vec![1, 0, 0, 0, 0, 1, 0, 0],
        };
        assert_eq!(found.compare("1, 256"), Ok(()));
        assert_eq!(found.text(), "1, 256");
        assert_eq!(
            found.compare("1 512"),
            Err(
                "the first mismatch is in byte 13 of `out`: element 3 does not contain 512"
                    .to_owned()
            )
        );
        assert!(
            found
                .compare("1")
                .is_err_and(|reason| reason.contains("expected 2"))
        );
    }

    #[test]
    fn lane_comparison_names_first_mismatched_lane() {
        let found = QuantityValue::Lanes(0x0f0f);
        assert_eq!(found.text(), "0-3, 8-11");
        assert_eq!(found.compare(&found.text()), Ok(()));
        assert_eq!(
            found.compare("0-3").unwrap_err(),
            "lane 8 is active, but your answer does not contain this lane"
        );
        assert_eq!(
            found.compare("0-4, 8-11").unwrap_err(),
            "lane 4 is inactive, but your answer contains this lane"
        );
        assert!(found.compare("0-40").is_err());
    }

    #[test]
    fn number_comparison_reports_direction_of_error() {
        assert_eq!(QuantityValue::Number(4).compare(" 4 "), Ok(()));
        assert_eq!(
            QuantityValue::Number(4).compare("5").unwrap_err(),
            "your answer 5 is too large"
        );
    }
}
