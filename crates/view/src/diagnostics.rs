//! Diagnostics about the input of hosts, with one function per message, and the reference pages of the diagnostic codes.

use crate::model::text::{DiagnosticView, Severity, SourceRange};
use warpgrid_isa::form::nearest;
pub use warpgrid_program::diagnostic::{BARE_CONSTANT, EMPTY, OTHER_LANGUAGE};
use warpgrid_program::{Diagnostic, DiagnosticDoc, Span};

/// Code of the error for an argument from JavaScript with an invalid structure.
pub const UNREADABLE_ARGUMENT: &str = "W0901";
/// Code of the error for a memory that does not exist in the launch.
pub const NO_SUCH_MEMORY: &str = "W0902";

/// Code of the note on an instruction that the emulator does not support.
/// Code of the error for a valid request without a result, such as the rewrite of a kernel without bank conflicts.
pub const NO_RESULT: &str = "W0910";
pub(crate) const NOT_RUN_YET: &str = "W0904";

/// Range for diagnostics that have no source position.
const START: SourceRange = SourceRange {
    line: 1,
    column: 1,
    end_line: 1,
    end_column: 1,
};

/// Returns the diagnostic for an ignored field of a batch request.
pub fn ignored_field(line: u64, reason: &str) -> DiagnosticView {
    let message = format!("line {line}: an unknown field is ignored: {reason}");
    DiagnosticView::new("W0900", Severity::Warning, message, START)
}

/// Returns the diagnostic for a line of a batch that is not a request.
pub fn not_a_request(line: u64, reason: &str) -> DiagnosticView {
    let message = format!("line {line}: invalid request: {reason}");
    let mut view = DiagnosticView::new("W0900", Severity::Error, message, START);
    view.help = Some("expected {\"id\": …, \"source\": …}".to_owned());
    view
}

/// Returns the diagnostic for an unknown option in the info string of a code block, or for an option with an invalid value. `candidates`
/// contains the valid spellings.
pub fn unknown_word(
    message: String,
    word: &str,
    candidates: &[&str],
    range: SourceRange,
) -> DiagnosticView {
    let mut view = DiagnosticView::new("W0906", Severity::Warning, message, range);
    let candidate = nearest(word, candidates.iter().copied());
    view.help = candidate.map(|candidate| format!("did you mean `{candidate}`?"));
    view
}

/// Returns `; did you mean …?` with the candidate nearest to a misspelled word, or an empty text if no candidate is near.
pub(crate) fn suggestion(word: &str, candidates: &mut dyn Iterator<Item = &str>) -> String {
    let nearest = nearest(word, candidates);
    nearest.map_or_else(String::new, |word| format!("; did you mean `{word}`?"))
}

/// Formats ascending numbers as ranges: `0-3, 8`.
pub(crate) fn ranges(numbers: &mut dyn Iterator<Item = u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    let texts = ranges.iter().map(|(start, end)| match start == end {
        true => start.to_string(),
        false => format!("{start}-{end}"),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Returns the diagnostic for an empty line in the text of an HTML element of a document.
pub fn interrupted_text(range: SourceRange) -> DiagnosticView {
    let message = "an empty line ends an HTML element in Markdown".to_owned();
    let mut view = DiagnosticView::new("W0907", Severity::Warning, message, range);
    view.help = Some("enclose the source of the widget in `<pre>` and `</pre>`".to_owned());
    view
}

/// Returns the diagnostic for a document without PTX or SASS.
pub fn no_blocks() -> DiagnosticView {
    let message = "the document contains no code block with PTX or SASS".to_owned();
    DiagnosticView::new("W0908", Severity::Warning, message, START)
}

/// Returns the diagnostic for an unreadable file.
pub fn unreadable_file(reason: &str) -> DiagnosticView {
    DiagnosticView::new("W0909", Severity::Error, reason.to_owned(), START)
}

/// Returns the message of the error with the code [`UNREADABLE_ARGUMENT`].
pub fn unreadable_argument(what: &str, reason: &str) -> String {
    format!("cannot read the {what}: {reason}")
}

/// Returns the message of the error with the code [`NO_SUCH_MEMORY`].
pub fn no_such_memory(name: &str) -> String {
    format!("the launch has no buffer or variable `{name}`")
}

pub(crate) fn unknown_target(found: &str) -> Diagnostic {
    let message = format!("found the unknown target `{found}`, expected a target such as `sm_90`");
    Diagnostic::error("W0903", Span::at(0), message)
}

pub(crate) fn unknown_version(found: &str) -> Diagnostic {
    let message =
        format!("found the unknown PTX version `{found}`, expected a version such as `8.8`");
    Diagnostic::error("W0903", Span::at(0), message)
}

/// Returns a note about a valid instruction that the emulator does not support. The check reports this note only at the first instruction
/// of each kind. `opcode` is the opcode of the instruction.
pub(crate) fn not_run_yet(opcode: &str, reason: &str, span: Span) -> Diagnostic {
    let message = format!(
        "`{opcode}` is valid, but the emulator does not support this instruction, so execution stops here"
    );
    let mut note = Diagnostic::error(NOT_RUN_YET, span, message);
    note.severity = warpgrid_program::Severity::Information;
    note.help = Some(format!("the emulator does not support {reason} yet"));
    note
}

/// Reference pages of the diagnostic codes of this crate, ordered by code.
#[rustfmt::skip]
pub(crate) const PAGES: &[DiagnosticDoc] = &[
    DiagnosticDoc::page("W0900", "invalid batch request", "Each line of a batch is a JSON object with the fields `id` and `source` and, optionally, `front`, `target` and `ptx_version`. Other fields are ignored with a warning.", "{\"id\": 1}", "{\"id\": \"1\", \"source\": \"ret;\"}"),
    DiagnosticDoc::page(UNREADABLE_ARGUMENT, "invalid argument", "An argument of the JavaScript API does not match its declared type.", "new Session({ grid: 4 })", "new Session({ source, grid: [4, 1, 1] })"),
    DiagnosticDoc::page(NO_SUCH_MEMORY, "unknown buffer or variable", "`frame().memories` lists the valid names. A buffer has its own name, `shared:0` is the shared memory of block 0, and `var:table` is the module variable `table`.", "session.memory(\"outt\")", "session.memory(\"out\")"),
    DiagnosticDoc::page("W0903", "unknown override", "The target or the PTX version that an option specifies is unknown.", "warpgrid check --target sm_9", "warpgrid check --target sm_90"),
    DiagnosticDoc::page(NOT_RUN_YET, "instruction not supported by the emulator", "The instruction is valid for the PTX version and target of the module, but the emulator does not support the instruction yet. Execution stops before the instruction, and all earlier steps remain available.", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], b, [m];", "st.shared.b32 [a], b;"),
    DiagnosticDoc::page("W0905", "module not initialized", "Call `await init()` before any other function, because `init` loads the WebAssembly module. Do not use a session after you have called `free()` for the session.", "import { check } from \"warpgrid\"; check(source)", "import init, { check } from \"warpgrid\"; await init(); check(source)"),
    DiagnosticDoc::page("W0906", "unknown attribute of a code block", "The info string of a code block may contain widget attributes after the language. Unknown attributes are ignored.", "```ptx,playground veiw=grid", "```ptx,playground view=grid"),
    DiagnosticDoc::page("W0907", "empty line in an HTML element", "Markdown ends an HTML block at the first empty line, which truncates the source of the widget. Empty lines inside `<pre>` are preserved.", "<warpgrid-playground>", "<warpgrid-playground><pre>"),
    DiagnosticDoc::page("W0908", "document without PTX or SASS", "The document contains no PTX or SASS code blocks. Check the spelling of the languages.", "```txp", "```ptx"),
    DiagnosticDoc::page("W0909", "unreadable file", "The file does not exist, is not readable, or is not a text file. Convert a file in UTF-16 to UTF-8.", "warpgrid check kernel.cubin", "warpgrid check kernel.ptx"),
    DiagnosticDoc::page(NO_RESULT, "no result", "The request is valid, but has no result. For example, a kernel without bank conflicts cannot be rewritten to eliminate them. The message contains the reason.", "warpgrid conflicts clean.ptx --rewrite rewritten.ptx", "warpgrid conflicts clean.ptx"),
];
