//! Control information that some assemblers write before each instruction of machine code: `[B--2---:R-:W0:-:S04]` of CuAssembler,
//! `08:-:2:Y:4` of maxas and turingas.

use super::cursor::Cursor;
use super::tree::{Control, ControlNumbering};
use warpgrid_program::Span;

/// Barriers of a warp.
const N_BARRIERS: usize = 6;
/// Sources that an instruction can keep for the next one.
const N_SOURCES: usize = 4;
/// Largest number of stall cycles.
const MAX_STALL: u8 = 15;

/// Reads the control information that begins here, and moves past it.
pub(super) fn control(cursor: &mut Cursor<'_>) -> Option<Control> {
    let start = cursor.offset();
    let line = cursor.rest_of_line();
    let (control, length) = match line.strip_prefix('[') {
        Some(inside) => {
            let (fields, _) = inside.split_once(']')?;
            (bracketed(fields)?, fields.len() + 2)
        }
        None => {
            let end = line.find([' ', '\t']).unwrap_or(line.len());
            (colons(&line[..end])?, end)
        }
    };
    let end = start + length as u32;
    cursor.go_to(end);
    Some(Control {
        span: Span::new(start, end),
        ..control
    })
}

/// Reads the control information that a text begins with; returns it with the rest of the text.
pub fn read_control(text: &str) -> Option<(Control, &str)> {
    let mut cursor = Cursor::new(text);
    let control = control(&mut cursor)?;
    Some((control, cursor.rest()))
}

fn blank(numbering: ControlNumbering) -> Control {
    Control {
        span: Span::at(0),
        stall_cycles: 0,
        yields: false,
        write_barrier: None,
        read_barrier: None,
        waits_for: 0,
        reuse: 0,
        numbering,
    }
}

/// The fields of CuAssembler, such as `B--2---:R-:W0:-:S04`; some releases write the kept sources first: `R---:B--2---:R-:W0:-:S04`.
fn bracketed(fields: &str) -> Option<Control> {
    let mut fields = fields.split(':').map(str::trim).peekable();
    let mut control = blank(ControlNumbering::FromZero);
    if fields.peek().is_some_and(|first| !first.starts_with('B')) {
        control.reuse = mask(fields.next()?, N_SOURCES)?;
    }
    control.waits_for = mask(fields.next()?.strip_prefix('B')?, N_BARRIERS)?;
    control.read_barrier = barrier(fields.next()?.strip_prefix('R')?, 0)?;
    control.write_barrier = barrier(fields.next()?.strip_prefix('W')?, 0)?;
    control.yields = yields(fields.next()?)?;
    let stall = fields.next()?.strip_prefix('S')?;
    control.stall_cycles = stall.parse().ok().filter(|n| *n <= MAX_STALL)?;
    fields.next().is_none().then_some(control)
}

/// The fields of maxas and turingas: wait mask, read barrier, write barrier, yield, stall cycles in hexadecimal.
fn colons(text: &str) -> Option<Control> {
    let mut fields = text.split(':');
    let mut control = blank(ControlNumbering::OfTarget);
    control.waits_for = match fields.next()? {
        "--" => 0,
        digits if digits.len() == 2 => {
            let mask = u8::from_str_radix(digits, 16).ok()?;
            (mask >> N_BARRIERS == 0).then_some(mask)?
        }
        _ => return None,
    };
    control.read_barrier = barrier(fields.next()?, 1)?;
    control.write_barrier = barrier(fields.next()?, 1)?;
    control.yields = yields(fields.next()?)?;
    let stall = fields.next()?;
    let is_digit = stall.len() == 1;
    control.stall_cycles = u8::from_str_radix(stall, 16).ok().filter(|_| is_digit)?;
    let barriers = [control.read_barrier, control.write_barrier];
    if barriers.contains(&Some(0)) {
        control.numbering = ControlNumbering::FromZero;
    } else if barriers.contains(&Some(N_BARRIERS as u8)) {
        control.numbering = ControlNumbering::FromOne;
    }
    fields.next().is_none().then_some(control)
}

/// One character per bit: `-` where it is clear, anything else where it is set.
fn mask(text: &str, n: usize) -> Option<u8> {
    let is_flag = |byte: u8| byte == b'-' || byte.is_ascii_alphanumeric();
    if text.len() != n || !text.bytes().all(is_flag) {
        return None;
    }
    let bits = text.bytes().enumerate();
    Some(bits.fold(0, |mask, (bit, byte)| mask | u8::from(byte != b'-') << bit))
}

/// `-` for none, or the number of a barrier, at most 5 + `above`.
fn barrier(text: &str, above: u8) -> Option<Option<u8>> {
    match text {
        "-" => Some(None),
        _ if text.len() == 1 => {
            let number: u8 = text.parse().ok()?;
            (number < N_BARRIERS as u8 + above).then_some(Some(number))
        }
        _ => None,
    }
}

fn yields(text: &str) -> Option<bool> {
    match text {
        "Y" => Some(true),
        "-" => Some(false),
        _ => None,
    }
}
