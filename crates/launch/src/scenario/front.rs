//! Detection of the source language.

use serde::{Deserialize, Serialize};
use warpgrid_isa::sass::control::Control;
use warpgrid_program::wrapped::Wrapping;

/// Front end that parses a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Front {
    #[default]
    Ptx,
    Sass,
}

/// Patterns of lines that only disassemblers print.
const SASS_LINES: &[&str] = &[
    "code for sm_",
    "Function :",
    "Fatbin elf code",
    ".headerflags",
    ".elftype",
    ".section\t.text",
    ".section\t.nv.",
    ".nv.",
    ".text.",
    "/*0",
];

/// Words in upper case at the beginning of reports of the driver and the debugger. The PTX front end recognizes these reports.
const REPORT_WORDS: &[&str] = &["CUDA", "NVIDIA"];

impl Front {
    /// All front ends.
    pub const ALL: &'static [Front] = &[Front::Ptx, Front::Sass];

    /// Returns the name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Front::Ptx => "ptx",
            Front::Sass => "sass",
        }
    }

    /// Detects the language of a source by its first line that is valid in only one language. SASS opcodes are uppercase, and PTX opcodes
    /// are not.
    pub fn of_source(source: &str) -> Front {
        // Inline assembly, logs and fat binary entries contain PTX, regardless of the surrounding lines.
        if Wrapping::of_source(source).is_some() {
            return Front::Ptx;
        }
        source.lines().find_map(of_line).unwrap_or_default()
    }
}

/// Returns the language of a line, or `None` if the line is ambiguous.
fn of_line(line: &str) -> Option<Front> {
    let line = line.trim();
    if SASS_LINES.iter().any(|start| line.starts_with(start)) {
        return Some(Front::Sass);
    }
    if Control::read(line).is_some() {
        return Some(Front::Sass);
    }
    let guarded = line
        .strip_prefix('@')
        .map(|rest| rest.trim_start_matches('!'));
    if let Some(rest) = guarded {
        let is_sass = rest.starts_with(['P', 'U']) && word(rest).len() <= 3;
        return Some(if is_sass { Front::Sass } else { Front::Ptx });
    }
    if line.starts_with('.') {
        let both = [".target", ".align", ".section", ".L_", ".file"];
        let both = both.iter().any(|start| line.starts_with(start));
        return (!both).then_some(Front::Ptx);
    }
    let word = word(line);
    let is_label = line[word.len()..].trim_start().starts_with(':');
    if word.is_empty() || is_label {
        return None;
    }
    let is_report = REPORT_WORDS.iter().any(|start| word.starts_with(start));
    let is_opcode = word.len() > 1
        && !is_report
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && !word.contains(|c: char| c.is_ascii_lowercase());
    Some(if is_opcode { Front::Sass } else { Front::Ptx })
}

/// Returns the first word of a line.
fn word(line: &str) -> &str {
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$')));
    &line[..end.unwrap_or(line.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_shows_its_language() {
        for (source, front) in [
            ("", Front::Ptx),
            ("// only a comment", Front::Ptx),
            ("//@ launch grid=1\nst.global.u32 [p], 1;", Front::Ptx),
            ("//@ launch grid=1\nSTS [R2], R3;", Front::Sass),
            ("@%p st.global.u32 [p], 1;", Front::Ptx),
            ("@p st.global.u32 [p], 1;", Front::Ptx),
            ("@!P0 STS [R2], R3;", Front::Sass),
            (".version 8.0\n.target sm_90", Front::Ptx),
            (".target sm_90\nEXIT;", Front::Sass),
            (".target sm_90\n.entry k()", Front::Ptx),
            ("\t.target\tsm_80\n\n\t.elftype\t@\"ET_EXEC\"", Front::Sass),
            ("\n\tcode for sm_75\n\t.target\tsm_75\n", Front::Sass),
            ("        /*0010*/    MOV R1, c[0x0][0x28] ;", Front::Sass),
            (
                "Fatbin elf code:\narch = sm_89\n\nFatbin ptx code:\narch = sm_89\n\n.version 9.2\n",
                Front::Ptx,
            ),
            (
                "Fatbin elf code:\narch = sm_89\n\n\tcode for sm_89\n\nFatbin ptx code:\n.version 9.2\n",
                Front::Sass,
            ),
            ("[B------:R-:W0:-:S04]\n", Front::Sass),
            ("08:-:2:Y:4\n", Front::Sass),
            ("L1: bra L1;", Front::Ptx),
            ("CUDA error 218: CUDA_ERROR_INVALID_PTX", Front::Ptx),
            ("CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)", Front::Ptx),
            ("NVIDIA (R) CUDA Debugger\nEXIT;", Front::Ptx),
            ("$L__BB0_2:\n bra $L__BB0_2;", Front::Ptx),
            ("{ .reg .u32 r; }", Front::Ptx),
            ("CUTE_DEVICE void f() { asm(\"ret;\"); }", Front::Ptx),
        ] {
            assert_eq!(Front::of_source(source), front, "{source}");
        }
    }
}
