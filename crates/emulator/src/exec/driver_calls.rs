//! Calls of device functions that the driver provides. `vprintf` records the printed text as a diagnostic, and
//! `__assertfail` causes a fault.

use crate::code::{CallValueLocation, DecodedCode, DriverCall, DriverCallPlan};
use crate::contract::fault::FaultKind;
use crate::contract::inspect::{LastWriter, RunDiagnostic, RunDiagnosticKind};
use crate::exec::context::lanes_at;
use crate::exec::control::stack_place;
use crate::exec::memory_context::{ExecResult, ExecutionFault};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{LANES, Row64, lanes_of};
use crate::state::memory::{AddressMap, GlobalMemory, PagedMemory};
use crate::state::warp::Warp;

/// Maximum number of bytes of a string that is read from memory.
const MAX_TEXT: usize = 1024;

/// Registers and memories that a driver call accesses: the decoded code and the memories of the launch.
pub(crate) struct DriverCallContext<'a> {
    pub(crate) code: &'a DecodedCode,
    pub(crate) map: &'a AddressMap,
    pub(crate) global: &'a GlobalMemory,
    pub(crate) shared: &'a PagedMemory,
    pub(crate) notes: &'a mut Vec<RunDiagnostic>,
    pub(crate) max_notes: usize,
    pub(crate) step: u64,
    pub(crate) block: u64,
}

impl DriverCallContext<'_> {
    /// Returns `n` bytes at a generic address, as accessed by a lane. Returns fewer bytes if the range exceeds the
    /// memory.
    fn bytes<'m>(&'m self, warp: &'m Warp, lane: usize, address: u64, n: usize) -> &'m [u8] {
        let (bytes, start, end) = if self.map.in_shared(address) {
            let start = (address - self.map.shared) as usize;
            (self.shared.bytes(), start, self.shared.len())
        } else if self.map.in_local(address) {
            let of_lane = warp.stack.of_lane(lane);
            let start = of_lane.start + (address - self.map.local) as usize;
            (&warp.stack.bytes[..], start, of_lane.end)
        } else {
            match self.global.find(address) {
                Some(a) => {
                    let start = a.start + (address - a.address) as usize;
                    (self.global.arena.bytes(), start, a.start + a.size as usize)
                }
                None => return &[],
            }
        };
        bytes
            .get(start..end.min(start.saturating_add(n)))
            .unwrap_or(&[])
    }

    fn text(&self, warp: &Warp, lane: usize, address: u64) -> String {
        let bytes = self.bytes(warp, lane, address, MAX_TEXT);
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(bytes.get(..end).unwrap_or(&[])).into_owned()
    }

    fn word(&self, warp: &Warp, lane: usize, address: u64, n: usize) -> u64 {
        let mut value = [0; 8];
        let bytes = self.bytes(warp, lane, address, n.min(8));
        if let Some(to) = value.get_mut(..bytes.len()) {
            to.copy_from_slice(bytes);
        }
        u64::from_le_bytes(value)
    }

    /// Returns the value of a call argument for each lane.
    fn argument(&self, warp: &mut Warp, depth: u32, place: Option<&CallValueLocation>) -> Row64 {
        match place {
            None => [0; LANES],
            Some(CallValueLocation::Register(element)) => {
                read64(&lanes_at(self.code, warp, depth, u32::MAX), *element)
            }
            Some(CallValueLocation::Stack { offset, size }) => {
                let mut row = [0; LANES];
                for (lane, value) in row.iter_mut().enumerate() {
                    let at = stack_place(warp, depth, lane, *offset);
                    let n = (*size as usize).min(8);
                    let mut bytes = [0; 8];
                    if let Some(from) = warp.stack.bytes.get(at..at + n) {
                        bytes[..n].copy_from_slice(from);
                    }
                    *value = u64::from_le_bytes(bytes);
                }
                row
            }
        }
    }
}

/// Writes zero to the location of a call's return value.
fn return_zero(
    reach: &DriverCallContext<'_>,
    warp: &mut Warp,
    depth: u32,
    mask: u32,
    place: Option<&CallValueLocation>,
) {
    match place {
        Some(CallValueLocation::Register(element)) => {
            write64(
                &mut lanes_at(reach.code, warp, depth, mask),
                *element,
                &[0; LANES],
            );
        }
        Some(CallValueLocation::Stack { offset, size }) => {
            for lane in lanes_of(mask) {
                let at = stack_place(warp, depth, lane, *offset);
                let writer = LastWriter {
                    step: reach.step,
                    lane: lane as u32,
                };
                let zeros = [0; 16];
                let zeros = zeros.get(..*size as usize).unwrap_or(&zeros);
                warp.stack.write(at, zeros, writer);
            }
        }
        None => {}
    }
}

/// Executes a call of a driver function.
#[inline(never)]
pub(crate) fn system_call(
    reach: &mut DriverCallContext<'_>,
    warp: &mut Warp,
    mask: u32,
    plan: &DriverCallPlan,
) -> ExecResult {
    let depth = warp.splits.current().depth;
    let first = reach.argument(warp, depth, plan.arguments.first());
    let second = reach.argument(warp, depth, plan.arguments.get(1));
    match plan.kind {
        DriverCall::AssertFail => {
            let third = reach.argument(warp, depth, plan.arguments.get(2));
            let lane = (mask.trailing_zeros() & 31) as usize;
            let message = format!(
                "assertion `{}` failed ({}:{})",
                reach.text(warp, lane, first[lane]),
                reach.text(warp, lane, second[lane]),
                third[lane] as u32,
            );
            Err(ExecutionFault::new(FaultKind::Assert { message }, mask))
        }
        DriverCall::Printf => {
            for lane in lanes_of(mask) {
                if reach.notes.len() >= reach.max_notes {
                    break;
                }
                let text = printf(reach, warp, lane, first[lane], second[lane]);
                reach.notes.push(RunDiagnostic {
                    step: reach.step,
                    block: reach.block,
                    warp: warp.index,
                    kind: RunDiagnosticKind::Printed {
                        lane: lane as u32,
                        text,
                    },
                });
            }
            return_zero(reach, warp, depth, mask, plan.returns.first());
            Ok(())
        }
    }
}

/// Conversion specification of `printf`: flags, width, precision and conversion letter.
struct FormatSpec {
    left: bool,
    plus: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
    letter: char,
}

/// Formats text like the C function `printf`. The function supports the conversions that occur in kernels.
fn printf(
    reach: &DriverCallContext<'_>,
    warp: &Warp,
    lane: usize,
    format: u64,
    arguments: u64,
) -> String {
    let format = reach.text(warp, lane, format);
    let mut text = String::new();
    let mut at = arguments;
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let Some(spec) = read_spec(&mut rest) else {
            break;
        };
        if spec.letter == '%' {
            text.push('%');
            continue;
        }
        // Each argument is aligned to its size. A floating-point argument is always passed as a 64-bit number.
        let wide =
            spec.long || matches!(spec.letter, 's' | 'p' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G');
        let size = if wide { 8 } else { 4 };
        at = at.next_multiple_of(size);
        let value = reach.word(warp, lane, at, size as usize);
        at += size;
        let body = if spec.letter == 's' {
            let mut string = reach.text(warp, lane, value);
            if let Some(precision) = spec.precision {
                string = string.chars().take(precision).collect();
            }
            string
        } else {
            number(&spec, value)
        };
        pad(&mut text, &spec, &body);
        if text.len() > 4 * MAX_TEXT {
            break;
        }
    }
    text
}

fn read_spec(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<FormatSpec> {
    let mut spec = FormatSpec {
        left: false,
        plus: false,
        zero: false,
        alternate: false,
        width: 0,
        precision: None,
        long: false,
        letter: '%',
    };
    let mut longs = 0;
    loop {
        let c = rest.next()?;
        match c {
            '-' => spec.left = true,
            '+' => spec.plus = true,
            '#' => spec.alternate = true,
            '0' if spec.width == 0 && spec.precision.is_none() => spec.zero = true,
            '0'..='9' => {
                let digit = c as usize - '0' as usize;
                let place = spec.precision.as_mut().unwrap_or(&mut spec.width);
                *place = (*place * 10 + digit).min(256);
            }
            '.' => spec.precision = Some(0),
            'l' | 'j' | 'z' | 't' => longs += 1,
            'h' | ' ' => {}
            letter => {
                // `long` has 64 bits on the platforms on which kernels are compiled.
                spec.long = longs > 0;
                spec.letter = letter;
                return Some(spec);
            }
        }
    }
}

fn number(spec: &FormatSpec, value: u64) -> String {
    let signed = if spec.long {
        value as i64
    } else {
        i64::from(value as u32 as i32)
    };
    let unsigned = if spec.long {
        value
    } else {
        u64::from(value as u32)
    };
    let float = f64::from_bits(value);
    let precision = spec.precision.unwrap_or(6);
    let prefix = |p: &str, s: String| {
        if spec.alternate { format!("{p}{s}") } else { s }
    };
    let text = match spec.letter {
        'd' | 'i' => signed.to_string(),
        'u' => unsigned.to_string(),
        'x' => prefix("0x", format!("{unsigned:x}")),
        'X' => prefix("0X", format!("{unsigned:X}")),
        'o' => prefix("0", format!("{unsigned:o}")),
        'c' => char::from(value as u8).to_string(),
        'p' => format!("0x{value:x}"),
        'f' | 'F' => format!("{float:.precision$}"),
        'e' | 'E' => exponential(float, precision),
        'g' | 'G' => format!("{float}"),
        _ => String::new(),
    };
    if spec.plus && matches!(spec.letter, 'd' | 'i' | 'f' | 'e' | 'g') && !text.starts_with('-') {
        return format!("+{text}");
    }
    text
}

/// Formats a number in the style of `1.500000e+00`: the exponent has a sign and at least two digits.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}

fn pad(text: &mut String, spec: &FormatSpec, body: &str) {
    let missing = spec.width.saturating_sub(body.chars().count());
    if spec.left {
        text.push_str(body);
        text.extend(std::iter::repeat_n(' ', missing));
    } else if spec.zero && spec.letter != 's' {
        let (sign, digits) = match body.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", body),
        };
        text.push_str(sign);
        text.extend(std::iter::repeat_n('0', missing));
        text.push_str(digits);
    } else {
        text.extend(std::iter::repeat_n(' ', missing));
        text.push_str(body);
    }
}
