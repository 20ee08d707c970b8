//! A toy language: one instruction per line, `lane r`, `add r s 5`, `put r`; comments start with `#`.

use super::lower::lower;
use std::borrow::Cow;
use warpgrid_program::{
    CheckResult, CompletionItem, Diagnostic, Document, FrontEnd, Hover, Overrides, SemanticToken,
    SemanticTokenKind, SignatureHelp, Span,
};

/// Front end of the toy language.
pub(crate) struct Toy;

pub(crate) static TOY: Toy = Toy;

/// Opcodes with their syntax lines and descriptions.
const OPCODES: &[(&str, &str, &str)] = &[
    ("lane", "lane r", "Sets r to the number of the lane."),
    ("add", "add r s n", "Sets r to s plus the number n."),
    (
        "put",
        "put r",
        "Stores r in the lane's element of the output.",
    ),
];

/// Returns the lines that contain an instruction, split into words.
pub(crate) fn lines(source: &str) -> Vec<(Span, Vec<(Span, &str)>)> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or("");
        let words = words(code, start);
        if let (Some(first), Some(last)) = (words.first(), words.last()) {
            lines.push((Span::new(first.0.start, last.0.end), words));
        }
        start += line.len() as u32;
    }
    lines
}

fn words(code: &str, start: u32) -> Vec<(Span, &str)> {
    let place = |word: &str| word.as_ptr() as usize - code.as_ptr() as usize;
    let found = code.split_whitespace().map(|word| {
        let at = start + place(word) as u32;
        (Span::new(at, at + word.len() as u32), word)
    });
    found.collect()
}

fn opcode(word: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    OPCODES.iter().find(|(name, _, _)| *name == word)
}

impl FrontEnd for Toy {
    fn open<'a>(&self, source: Cow<'a, str>, overrides: &Overrides) -> Box<dyn Document + 'a> {
        Box::new(Text {
            source,
            overrides: *overrides,
        })
    }

    fn tokens(&self, source: &str) -> Vec<SemanticToken> {
        let lines = lines(source);
        let words = lines.iter().flat_map(|(_, words)| words);
        let tokens = words.map(|(span, word)| SemanticToken {
            span: *span,
            class: match word {
                _ if opcode(word).is_some() => SemanticTokenKind::Opcode,
                _ if word.starts_with('r') => SemanticTokenKind::Register,
                _ => SemanticTokenKind::Number,
            },
        });
        tokens.collect()
    }

    fn format(&self, source: &str) -> String {
        source.to_owned()
    }

    fn line_comment(&self) -> &'static str {
        "#"
    }
}

/// Source of the toy language.
struct Text<'a> {
    source: Cow<'a, str>,
    overrides: Overrides,
}

impl Document for Text<'_> {
    fn source(&self) -> &str {
        &self.source
    }

    fn check(&self) -> CheckResult {
        let (source, overrides) = (&*self.source, &self.overrides);
        let lines = lines(source);
        let unknown = lines
            .iter()
            .filter(|(_, words)| opcode(words[0].1).is_none());
        let diagnostics: Vec<Diagnostic> = unknown
            .map(|(_, words)| Diagnostic::error("T0001", words[0].0, "unknown opcode"))
            .collect();
        CheckResult {
            program: diagnostics
                .is_empty()
                .then(|| lower(&lines, source.len(), overrides)),
            diagnostics,
            ..CheckResult::default()
        }
    }

    fn hover(&self, offset: u32) -> Option<Hover> {
        let lines = lines(&self.source);
        let mut words = lines.iter().flat_map(|(_, words)| words);
        let (span, word) = words.find(|(span, _)| (span.start..span.end).contains(&offset))?;
        let (_, syntax, help) = opcode(word)?;
        Some(Hover {
            span: *span,
            title: (*syntax).to_owned(),
            lines: vec![(*help).to_owned()],
            section: None,
            declared: None,
        })
    }

    fn complete(&self, _offset: u32) -> Vec<CompletionItem> {
        Vec::new()
    }

    fn signature(&self, _offset: u32) -> Option<SignatureHelp> {
        None
    }
}
