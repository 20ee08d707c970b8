//! Detection of the language (PTX or SASS) of a source.

use serde::{Deserialize, Serialize};
use warpgrid_isa::sass::control::Control;
use warpgrid_program::container::ContainerFormat;

/// Front end that parses a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum SourceLanguage {
    #[default]
    Ptx,
    Sass,
}

/// Patterns of lines that occur only in disassembler output.
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

/// Upper-case words at the start of reports of the CUDA driver and the debugger. The PTX front end recognizes these reports.
const REPORT_WORDS: &[&str] = &["CUDA", "NVIDIA"];

impl SourceLanguage {
    /// Front ends of all source languages.
    pub const ALL: &'static [SourceLanguage] = &[SourceLanguage::Ptx, SourceLanguage::Sass];

    /// Returns the name of the language in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            SourceLanguage::Ptx => "ptx",
            SourceLanguage::Sass => "sass",
        }
    }

    /// Detects the language of a source by its first line that is valid in only one language. SASS opcodes are uppercase, and PTX opcodes
    /// are not.
    pub fn of_source(source: &str) -> SourceLanguage {
        // Sources with inline assembly, logs and fat binary entries contain PTX, regardless of the language of the surrounding lines.
        if ContainerFormat::of_source(source).is_some() {
            return SourceLanguage::Ptx;
        }
        source.lines().find_map(of_line).unwrap_or_default()
    }
}

/// Returns the language of a line, or `None` if the line is ambiguous.
fn of_line(line: &str) -> Option<SourceLanguage> {
    let line = line.trim();
    if SASS_LINES.iter().any(|start| line.starts_with(start)) {
        return Some(SourceLanguage::Sass);
    }
    if Control::read(line).is_some() {
        return Some(SourceLanguage::Sass);
    }
    let guarded = line
        .strip_prefix('@')
        .map(|rest| rest.trim_start_matches('!'));
    if let Some(rest) = guarded {
        let is_sass = rest.starts_with(['P', 'U']) && word(rest).len() <= 3;
        return Some(if is_sass {
            SourceLanguage::Sass
        } else {
            SourceLanguage::Ptx
        });
    }
    if line.starts_with('.') {
        let both = [".target", ".align", ".section", ".L_", ".file"];
        let both = both.iter().any(|start| line.starts_with(start));
        return (!both).then_some(SourceLanguage::Ptx);
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
    Some(if is_opcode {
        SourceLanguage::Sass
    } else {
        SourceLanguage::Ptx
    })
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
    fn source_language_is_detected() {
        for (source, front) in [
            ("", SourceLanguage::Ptx),
            ("// only a comment", SourceLanguage::Ptx),
            (
                "//@ launch grid=1\nst.global.u32 [p], 1;",
                SourceLanguage::Ptx,
            ),
            ("//@ launch grid=1\nSTS [R2], R3;", SourceLanguage::Sass),
            ("@%p st.global.u32 [p], 1;", SourceLanguage::Ptx),
            ("@p st.global.u32 [p], 1;", SourceLanguage::Ptx),
            ("@!P0 STS [R2], R3;", SourceLanguage::Sass),
            (".version 8.0\n.target sm_90", SourceLanguage::Ptx),
            (".target sm_90\nEXIT;", SourceLanguage::Sass),
            (".target sm_90\n.entry k()", SourceLanguage::Ptx),
            (
                "\t.target\tsm_80\n\n\t.elftype\t@\"ET_EXEC\"",
                SourceLanguage::Sass,
            ),
            (
                "\n\tcode for sm_75\n\t.target\tsm_75\n",
                SourceLanguage::Sass,
            ),
            (
                "        /*0010*/    MOV R1, c[0x0][0x28] ;",
                SourceLanguage::Sass,
            ),
            (
                "Fatbin elf code:\narch = sm_89\n\nFatbin ptx code:\narch = sm_89\n\n.version 9.2\n",
                SourceLanguage::Ptx,
            ),
            (
                "Fatbin elf code:\narch = sm_89\n\n\tcode for sm_89\n\nFatbin ptx code:\n.version 9.2\n",
                SourceLanguage::Sass,
            ),
            ("[B------:R-:W0:-:S04]\n", SourceLanguage::Sass),
            ("08:-:2:Y:4\n", SourceLanguage::Sass),
            ("L1: bra L1;", SourceLanguage::Ptx),
            (
                "CUDA error 218: CUDA_ERROR_INVALID_PTX",
                SourceLanguage::Ptx,
            ),
            (
                "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)",
                SourceLanguage::Ptx,
            ),
            ("NVIDIA (R) CUDA Debugger\nEXIT;", SourceLanguage::Ptx),
            ("$L__BB0_2:\n bra $L__BB0_2;", SourceLanguage::Ptx),
            ("{ .reg .u32 r; }", SourceLanguage::Ptx),
            (
                "CUTE_DEVICE void f() { asm(\"ret;\"); }",
                SourceLanguage::Ptx,
            ),
        ] {
            assert_eq!(SourceLanguage::of_source(source), front, "{source}");
        }
    }
}
