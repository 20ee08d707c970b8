//! Runs the PTX and the SASS listing of a kernel in the emulator with the same inputs, and compares the final memory.

use crate::assemble::AssemblyOptions;
use crate::constructs;
use crate::inputs;
use crate::kernel::{Kernel, N_LANES, OUT_BYTES, place_name};
use warpgrid_isa::ScalarType;
use warpgrid_view::check;
use warpgrid_view::model::Severity;
use warpgrid_view::{CheckOptions, MemoryKey, Scenario, Session, SourceLanguage};

/// Step limit of a run. No generated kernel reaches this limit.
pub(crate) const MAX_STEPS: u64 = 400_000;

/// Result of the comparison of PTX and SASS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonOutcome {
    Equal,
    Differs(KernelDifference),
    /// The listing or the PTX does not determine the final memory, for the given reason.
    NotComparable(&'static str),
}

/// Difference between the results of two runs of a random kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelDifference {
    /// Description of the first difference.
    pub reason: String,
    /// Lane whose results differ; `None` if a run stops before the end of the kernel.
    pub lane: Option<usize>,
}

/// Returns the 1-based numbers of the lines that the checker rejects or that the emulator does not support.
pub(crate) fn refused_lines(source: &str) -> Vec<u32> {
    let report = check(source, &CheckOptions::default());
    let refused = report.diagnostics.iter().filter(|diagnostic| {
        // The diagnostic W0904 reports a valid instruction that the emulator does not support.
        diagnostic.severity == Severity::Error || diagnostic.code == "W0904"
    });
    refused.map(|diagnostic| diagnostic.line).collect()
}

/// Returns whether the checker accepts a kernel.
pub(crate) fn is_accepted(kernel: &Kernel, build: &AssemblyOptions) -> bool {
    refused_lines(&kernel.module(build)).is_empty()
}

/// Runs the PTX and the SASS of a kernel and compares the final memory.
pub fn compare(kernel: &Kernel, build: &AssemblyOptions, listing: &str) -> ComparisonOutcome {
    if has_misprinted_operand(listing) {
        return ComparisonOutcome::NotComparable(MISPRINTED_OPERAND);
    }
    let outcome = compare_runs(kernel, build, listing);
    let ComparisonOutcome::Differs(difference) = &outcome else {
        return outcome;
    };
    let lacks = |part: &str| !build.form.has_data() && difference.reason.contains(part);
    if lacks("which is not in the listing") {
        return ComparisonOutcome::NotComparable("the listing lacks a constant bank");
    }
    if lacks("a function that is resolved by the linker") {
        return ComparisonOutcome::NotComparable("the listing lacks the relocations of calls");
    }
    if let Some(reason) = undetermined(kernel, build, listing) {
        return ComparisonOutcome::NotComparable(reason);
    }
    match difference.lane {
        Some(_) => compare_determined_bytes(kernel, build, listing),
        None => outcome,
    }
}

/// Reason for which a listing with a misprinted operand is not comparable.
pub(crate) const MISPRINTED_OPERAND: &str = "the disassembler prints a wrong operand";

/// Checks whether a listing contains an instruction whose operand the disassembler prints incorrectly.
pub(crate) fn has_misprinted_operand(listing: &str) -> bool {
    // For `SGXT d, a, c[0x3][n]`, the disassembler prints the wrong constant bank 5 or 6 and a wrong offset (13.5.37). The assembler
    // generates this instruction for `szext.clamp.s32 %r1, %r0, %r4` if `%r4` has been loaded from a constant.
    let is_misprinted = |line: &str| line.contains("SGXT") && line.contains("c[0x");
    // If one half of a pair is known to be zero, the assembler converts a wrong number (13.5.37, -O3). For example, the assembler compiles
    // `st.local.v4.b32 [lo], {0, 0, 0, 0}; ld.local.v2.u16 {%h1, %h0}, [lo+12]; cvt.rn.f16x2.e3m2x2 %r1, %h0` to `F2FP.F16.E3M2.UNPACK_B
    // R5, 0xc`.
    let is_of_literal = |line: &str| {
        let words = line.split_once("UNPACK_B ").map(|(_, words)| words);
        let source = words.and_then(|words| words.split(", ").nth(1));
        source.is_some_and(|source| source.starts_with(|first: char| first.is_ascii_digit()))
    };
    let mut lines = listing.lines();
    lines.any(|line| is_misprinted(line) || is_of_literal(line))
}

/// Returns the reason if the listing or the PTX does not determine the final memory of a kernel.
fn undetermined(kernel: &Kernel, build: &AssemblyOptions, listing: &str) -> Option<&'static str> {
    let mut lines = kernel.lines.iter();
    if !build.form.has_data() && lines.any(|line| constructs::reads_initial_values(line)) {
        return Some("the listing has no initializers");
    }
    if !build.form.has_encodings() && listing.contains("QNAN") {
        return Some("the listing contains a NaN literal without its bits");
    }
    None
}

/// Compares the bytes of the final memory that do not depend on the bits of NaNs that 64-bit arithmetic produces, which the manual does not
/// define. A byte depends on these bits if the replacement of each NaN by a NaN with other bits changes the byte.
fn compare_determined_bytes(
    kernel: &Kernel,
    build: &AssemblyOptions,
    listing: &str,
) -> ComparisonOutcome {
    const DEPENDS_ON_NAN: ComparisonOutcome = ComparisonOutcome::NotComparable(
        "the memory depends on the bits of a 64-bit NaN that arithmetic produces",
    );
    let source = kernel.module(build);
    let replaced =
        REPLACEMENT_NANS.map(|bits| run(with_nans(&source, bits), SourceLanguage::Ptx, kernel));
    let own = run(source, SourceLanguage::Ptx, kernel);
    let machine = run(listing.to_owned(), SourceLanguage::Sass, kernel);
    let (Ok(own), Ok(mut machine), [Ok(first), Ok(second)]) = (own, machine, replaced) else {
        return DEPENDS_ON_NAN;
    };
    for (at, byte) in machine.iter_mut().enumerate() {
        if first.get(at) != own.get(at) || second.get(at) != own.get(at) {
            *byte = own.get(at).copied().unwrap_or(*byte);
        }
    }
    match first_difference([&own, &machine], ["PTX", "SASS"]) {
        Some(difference) => ComparisonOutcome::Differs(difference),
        None => DEPENDS_ON_NAN,
    }
}

/// Two 64-bit NaNs that differ in all bits that the manual does not define.
pub(crate) const REPLACEMENT_NANS: [&str; 2] = ["0x7ff8000000000000", "0xffffffffffffffff"];

/// Appends a block to each statement that computes a 64-bit float. The appended block replaces a NaN by `bits`.
pub(crate) fn with_nans(source: &str, bits: &str) -> String {
    let statement = |statement: &str| {
        let last_line = statement.rsplit('\n').find(|line| !line.trim().is_empty());
        let text = last_line.unwrap_or("").trim();
        // A label or the brace of a block may precede the statement.
        let text = text.rsplit([':', '{']).next().unwrap_or("").trim();
        let (guard, rest) = match text.split_once(' ') {
            Some((guard, rest)) if guard.starts_with('@') => (guard, rest.trim_start()),
            _ => ("", text),
        };
        let mut words = rest.split([' ', ',']);
        let opcode = words.next().unwrap_or("");
        let result = words.next().unwrap_or("");
        match is_f64_arithmetic(opcode) && result.starts_with('%') {
            true => format!(
                "{statement}; {{ .reg .pred %is_nan; mov.pred %is_nan, 0; {guard} testp.notanumber.f64 %is_nan, {result}; @%is_nan mov.b64 {result}, {bits}; }}"
            ),
            false => format!("{statement};"),
        }
    };
    let (statements, rest) = source.rsplit_once(';').unwrap_or(("", source));
    statements.split(';').map(statement).collect::<String>() + rest
}

/// Checks whether an instruction computes a 64-bit float, whose bits the manual does not define if the result is a NaN.
fn is_f64_arithmetic(opcode: &str) -> bool {
    const COPIES: &[&str] = &["ld", "ldu", "mov", "selp", "slct", "shfl", "setp", "testp"];
    let mut words = opcode.split('.');
    let name = words.next().unwrap_or("");
    // The first type is the type of the result.
    let result = words.find_map(ScalarType::from_name);
    !COPIES.contains(&name) && result == Some(ScalarType::F64)
}

/// Runs the PTX and the SASS of a kernel and compares the final memory.
fn compare_runs(kernel: &Kernel, build: &AssemblyOptions, listing: &str) -> ComparisonOutcome {
    let sides = [
        run(kernel.module(build), SourceLanguage::Ptx, kernel),
        run(listing.to_owned(), SourceLanguage::Sass, kernel),
    ];
    for (side, language) in sides.iter().zip(["PTX", "SASS"]) {
        if let Err(reason) = side {
            return ComparisonOutcome::Differs(KernelDifference {
                reason: format!("execution of the {language} stops: {reason}"),
                lane: None,
            });
        }
    }
    let [Ok(ptx), Ok(machine)] = sides else {
        return ComparisonOutcome::Equal;
    };
    match first_difference([&ptx, &machine], ["PTX", "SASS"]) {
        Some(difference) => ComparisonOutcome::Differs(difference),
        None => ComparisonOutcome::Equal,
    }
}

/// Describes the first difference between two contents of the buffer `out`. All 64-bit NaNs are considered equal.
fn first_difference(sides: [&[u8]; 2], names: [&str; 2]) -> Option<KernelDifference> {
    let [first, second] = sides;
    let at = (0..first.len().min(second.len()))
        .find(|at| first[*at] != second[*at] && !are_nans(sides, *at))?;
    let (lane, byte) = (at / OUT_BYTES, at % OUT_BYTES);
    let (name, start, width) = place_name(byte);
    let value = |bytes: &[u8]| {
        let from = lane * OUT_BYTES + start;
        let bytes = bytes.get(from..from + width).unwrap_or(&[]);
        bytes
            .iter()
            .rev()
            .fold(0u64, |value, byte| value << 8 | u64::from(*byte))
    };
    Some(KernelDifference {
        reason: format!(
            "{name} of lane {lane}: {:#x} from {}, {:#x} from {}",
            value(first),
            names[0],
            value(second),
            names[1]
        ),
        lane: Some(lane),
    })
}

/// Describes how the final memory on a GPU differs from the final memory in the emulator.
pub fn compare_with_gpu(kernel: &Kernel, build: &AssemblyOptions, found: &[u8]) -> Option<String> {
    match run(kernel.module(build), SourceLanguage::Ptx, kernel) {
        Ok(own) => {
            let difference = first_difference([&own, found], ["the emulator", "the GPU"]);
            difference.map(|difference| difference.reason)
        }
        Err(reason) => Some(format!("execution in the emulator stops: {reason}")),
    }
}

/// Checks whether a byte belongs to a register that contains a 64-bit NaN in both memories. The manual does not define which operand
/// determines the bits of a NaN result. The assembler swaps operands, and the code that the assembler generates for `div`, `min` and `max`
/// propagates either operand.
fn are_nans(sides: [&[u8]; 2], at: usize) -> bool {
    let (_, start, width) = place_name(at % OUT_BYTES);
    let start = at / OUT_BYTES * OUT_BYTES + start;
    width == 8
        && sides.iter().all(|bytes| {
            let bytes = bytes.get(start..start + width);
            let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
            bytes.is_some_and(|bytes| f64::from_le_bytes(bytes).is_nan())
        })
}

/// Runs a source and returns its final memory, or the reason why the execution stops.
fn run(source: String, front: SourceLanguage, kernel: &Kernel) -> Result<Vec<u8>, String> {
    let scenario = Scenario {
        source,
        front,
        entry: Some(kernel.name.clone()),
        ..inputs::scenario(kernel.input_seed, &kernel.shape)
    };
    let mut session = Session::new_without_last_writers(scenario).map_err(|error| error.message)?;
    let is_over = session.run(MAX_STEPS);
    if let Some(fault) = session.fault() {
        let reason = session.diagnostics().iter().map(|found| &found.message);
        let reason: Vec<&String> = reason.collect();
        return Err(format!("{} {reason:?}", fault.message));
    }
    if !is_over {
        return Err("the run does not terminate".to_owned());
    }
    let bytes = session.memory(&MemoryKey::from("out"));
    let bytes = bytes.ok_or("the kernel has no `out`")?;
    debug_assert_eq!(bytes.len(), N_LANES * OUT_BYTES);
    Ok(bytes.to_vec())
}
