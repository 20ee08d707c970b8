//! Parser and printer of the lines that declare locations of a litmus test: `x: u32 = 0`, `tile+16: shared u32[4] at=1024 block=1 = 5, 6`,
//! `m: mbarrier = 2 phase=1 pending=1 bytes=64`.

use crate::memory_model::litmus::parser::{MAX_ELEMENTS, number_of};
use crate::memory_model::litmus::test::LitmusLocation;
use std::fmt::Write as _;
use warpgrid_emulator::MbarrierState;

/// Parses the part of a location line after `//@ location`.
pub(crate) fn location(rest: &str) -> Result<LitmusLocation, String> {
    let expected = || {
        format!(
            "found the location `{rest}`, expected a location such as `name: u32 = 0`, `name: shared u32[4]` or `name: mbarrier = 1`"
        )
    };
    let (name, after) = rest.split_once(':').ok_or_else(expected)?;
    let (kind, values) = split_values(after);
    let mut found = LitmusLocation::default();
    let (name, offset) = name.split_once('+').unwrap_or((name, "0"));
    found.name = name.trim().to_owned();
    found.offset = number_of(offset.trim())?;
    // Read the options from the end of the line, because the state space `shared::cluster` contains colons.
    let mut words: Vec<&str> = kind.split_whitespace().collect();
    while let Some((name, value)) = words.last().and_then(|word| word.split_once('=')) {
        match name {
            "at" => found.at = Some(number_of(value)?),
            "block" => found.block = Some(block_of(value)?),
            _ => {
                return Err(format!(
                    "found the option `{name}` of a location, expected `at` or `block`"
                ));
            }
        }
        words.pop();
    }
    let last = words.pop().ok_or_else(expected)?;
    let values: Vec<&str> = values
        .split([' ', ','])
        .filter(|value| !value.is_empty())
        .collect();
    if last.starts_with("mbarrier") {
        found.space = last.to_owned();
        read_object(&mut found, &values)?;
        return Ok(found);
    }
    found.init = values
        .into_iter()
        .map(number_of)
        .collect::<Result<_, _>>()?;
    let (ty, n) = match last.strip_suffix(']').and_then(|word| word.split_once('[')) {
        Some((ty, n)) => (ty, number_of(n)? as usize),
        None => (last, found.init.len().max(1)),
    };
    if n > MAX_ELEMENTS {
        return Err(format!(
            "the location has {n} elements, expected at most {MAX_ELEMENTS}"
        ));
    }
    found.init.resize(n, 0);
    found.space = words.pop().unwrap_or("global").to_owned();
    found.ty = Some(ty.to_owned());
    Ok(found)
}

fn block_of(value: &str) -> Result<u32, String> {
    let block = u32::try_from(number_of(value)?);
    block.map_err(|_| format!("found the block `{value}` of a location, expected a block index"))
}

/// Splits a text at the `=` that precedes the initial values. This `=` is distinct from the `=` in the options `at=` and `block=`.
fn split_values(text: &str) -> (&str, &str) {
    let is_word = |at: usize| {
        let before = text.get(..at).unwrap_or("");
        before.ends_with(" at") || before.ends_with(" block")
    };
    let mut places = text.match_indices('=').map(|(at, _)| at);
    match places.find(|at| !is_word(*at)) {
        Some(at) => (
            text.get(..at).unwrap_or(""),
            text.get(at + 1..).unwrap_or(""),
        ),
        None => (text, ""),
    }
}

/// Parses the state of an mbarrier object: `2`, `2 phase=1 pending=1 bytes=64`. The first number is the expected arrival count.
fn read_object(found: &mut LitmusLocation, values: &[&str]) -> Result<(), String> {
    let count = match values.first() {
        Some(count) if !count.contains('=') => number_of(count)?,
        _ => 1,
    };
    let expected = u32::try_from(count).unwrap_or(u32::MAX);
    found.count = Some(expected);
    let mut state = MbarrierState::new(expected).map_err(|misuse| misuse.to_string())?;
    for word in values {
        let Some((name, value)) = word.split_once('=') else {
            continue;
        };
        let (sign, digits) = match value.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, value),
        };
        let number = number_of(digits)?;
        match name {
            "phase" => state.parity = number & 1 != 0,
            "pending" => state.pending = (number as u32).min(expected),
            "bytes" => state.bytes = sign * (number.min(1 << 20) as i32),
            _ => {
                return Err(format!(
                    "found the option `{name}` of an mbarrier, expected `phase`, `pending` or `bytes`"
                ));
            }
        }
        found.word = Some(state.word());
    }
    Ok(())
}

/// Formats a location as a location line.
pub(crate) fn write_location(location: &LitmusLocation) -> String {
    let mut line = format!("//@ location {}", location.name);
    // Ignore the results, because formatting into a `String` cannot fail.
    if location.offset != 0 {
        let _ = write!(line, "+{}", location.offset);
    }
    line.push_str(": ");
    let is_object = location.space.starts_with("mbarrier");
    if location.space != "global" {
        line.push_str(&location.space);
    }
    if !is_object {
        let ty = location.ty.as_deref().unwrap_or("u32");
        let space = if location.space == "global" { "" } else { " " };
        let _ = write!(line, "{space}{ty}");
        if location.init.len() != 1 {
            let _ = write!(line, "[{}]", location.init.len());
        }
    }
    if let Some(at) = location.at {
        let _ = write!(line, " at={}", number(at));
    }
    if let Some(block) = location.block {
        let _ = write!(line, " block={block}");
    }
    line.push_str(" = ");
    line.push_str(&match is_object {
        true => object(location),
        false => values(&location.init),
    });
    line
}

fn object(location: &LitmusLocation) -> String {
    let count = location.count.unwrap_or(1);
    match location.word.and_then(MbarrierState::read) {
        None => count.to_string(),
        Some(state) => format!(
            "{count} phase={} pending={} bytes={}",
            u32::from(state.parity),
            state.pending,
            state.bytes
        ),
    }
}

/// Formats the initial values of a location. The text omits trailing zeros.
fn values(init: &[u64]) -> String {
    let n = init
        .iter()
        .rposition(|value| *value != 0)
        .map_or(1, |last| last + 1);
    let shown: Vec<String> = init.iter().take(n).map(|value| number(*value)).collect();
    shown.join(", ")
}

/// Formats a small number in decimal, and a large number in hexadecimal.
pub(crate) fn number(value: u64) -> String {
    match value {
        0..=0xffff => value.to_string(),
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_lines_round_trip() {
        let lines = [
            "x: u32 = 0",
            "tile: shared u32[4] = 5, 6",
            "tile+16: shared u32[4] at=1024 block=1 = 5",
            "out+80: u32[2] at=0x7f0000000000 = 1, 2",
            "m: mbarrier = 2",
            "m+8: mbarrier::cluster at=64 = 2 phase=1 pending=1 bytes=64",
            "m: mbarrier = 1 phase=0 pending=1 bytes=-64",
            "y: shared::cluster u64 = 0x123456789",
        ];
        for line in lines {
            let found = location(line).expect(line);
            assert_eq!(write_location(&found), format!("//@ location {line}"));
        }
        for line in [
            "x",
            "x: u32 at=y = 1",
            "x: u32 by=1 = 1",
            "m: mbarrier = 0",
            "x: u32[5000]",
        ] {
            assert!(location(line).is_err(), "{line}");
        }
    }
}
