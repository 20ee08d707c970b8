//! Expected results in the text of a case: diagnostics at the ends of lines, and annotations at the end of the file.

use crate::Kind;
use std::collections::BTreeMap;

/// Annotations that state results.
const RESULTS: [&str; 10] = [
    "fault",
    "hang",
    "race",
    "fix",
    "note",
    "final",
    "conflict",
    "sectors",
    "layout",
    "schedules",
];
const SEVERITIES: [&str; 3] = ["error", "warning", "information"];

/// Actual results of a case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    /// Diagnostics by line: `error[W0100] 5..7: message`.
    pub(crate) diagnostics: BTreeMap<u32, Vec<String>>,
    /// Annotations without the comment mark: `fault message`.
    pub(crate) annotations: Vec<String>,
}

/// Text of a case without its expected results.
#[derive(Debug)]
pub(crate) struct CaseText {
    pub(crate) kinds: Vec<Kind>,
    /// The source, whose lines have the same numbers as the lines of the file.
    pub(crate) source: String,
    /// Registers of `final` annotations.
    pub(crate) registers: Vec<String>,
    /// `//`, or `#` in Python.
    comment: &'static str,
    /// The `test` annotation, which the source contains as an ordinary comment.
    head: Option<String>,
}

impl CaseText {
    /// Separates the source from the expected results.
    ///
    /// # Errors
    ///
    /// If the `test` annotation names an unknown kind, or if a result precedes a line of the source.
    pub(crate) fn parse(text: &str, extension: &str) -> Result<CaseText, String> {
        let comment = match extension {
            "py" => "#",
            _ => "//",
        };
        let mut case = CaseText {
            kinds: vec![Kind::Run],
            source: String::new(),
            registers: Vec::new(),
            comment,
            head: None,
        };
        let mut has_results = false;
        for (line, number) in text.lines().zip(1..) {
            let annotation = line
                .strip_prefix(comment)
                .and_then(|rest| rest.strip_prefix("@ "));
            let (keyword, rest) = annotation
                .and_then(|annotation| annotation.split_once(' '))
                .unwrap_or_default();
            if RESULTS.contains(&keyword) {
                has_results = true;
                if keyword == "final" {
                    case.registers
                        .extend(register_name(rest).map(str::to_owned));
                }
                continue;
            }
            if has_results {
                return Err(format!("line {number}: a result precedes this line"));
            }
            if keyword == "test" {
                case.kinds = rest
                    .split_whitespace()
                    .map(kind)
                    .collect::<Result<_, _>>()?;
                case.head = Some(line.to_owned());
                case.source += comment;
            } else {
                case.source += without_diagnostics(line, comment);
            }
            case.source.push('\n');
        }
        Ok(case)
    }

    /// Returns the text of the case with these results.
    pub(crate) fn with_results(&self, results: &Results) -> String {
        let comment = self.comment;
        let mut text = String::new();
        let mut head = self.head.as_deref();
        for (line, number) in self.source.lines().zip(1..) {
            text += match head {
                Some(_) if line == comment => head.take().unwrap_or(line),
                _ => line,
            };
            for diagnostic in results.diagnostics.get(&number).into_iter().flatten() {
                text += &format!(" {comment} {diagnostic}");
            }
            text.push('\n');
        }
        for annotation in &results.annotations {
            text += &format!("{comment}@ {annotation}\n");
        }
        text
    }
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::from_name(name).ok_or_else(|| {
        let known = Kind::NAMES.map(|(name, _)| name).join(", ");
        format!("found test kind `{name}`, expected one of: {known}")
    })
}

/// Returns the name in `%r1: b32 = 5`.
pub(crate) fn register_name(text: &str) -> Option<&str> {
    text.split_once(':').map(|(name, _)| name)
}

/// Removes the diagnostics at the end of a line.
fn without_diagnostics<'t>(line: &'t str, comment: &str) -> &'t str {
    let starts = SEVERITIES
        .iter()
        .filter_map(|severity| line.find(&format!(" {comment} {severity}[W")));
    starts.min().map_or(line, |start| &line[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = "//@ test race\n//@ launch grid=1\nad.u32 %r1; // error[W0100] 1..3: unknown // error[W0108] 1..7: operands\nret;\n//@ note of the run\n";

    #[test]
    fn with_results_reproduces_case_source() {
        let case = CaseText::parse(CASE, "ptx").expect("a case");
        assert_eq!(case.kinds, [Kind::Race]);
        assert_eq!(case.source, "//\n//@ launch grid=1\nad.u32 %r1;\nret;\n");
        let results = Results {
            diagnostics: BTreeMap::from([(
                3,
                ["error[W0100] 1..3: unknown", "error[W0108] 1..7: operands"]
                    .map(str::to_owned)
                    .to_vec(),
            )]),
            annotations: vec!["note of the run".to_owned()],
        };
        assert_eq!(case.with_results(&results), CASE);
    }

    #[test]
    fn unknown_kind_and_misplaced_result_are_parse_errors() {
        let error = |text: &str| CaseText::parse(text, "ptx").expect_err("an error");
        assert!(error("//@ test rune\n").contains("`rune`"));
        assert!(error("//@ fault x\nret;\n").contains("line 2"));
    }
}
