//! Hover texts and signature help.

use crate::document::Snapshot;
use gen_lsp_types::{
    Hover, MarkupContent, MarkupKind, ParameterInformation, ParameterInformationLabel, Position,
    SignatureHelp, SignatureInformation,
};

/// Address of the sections of the PTX ISA manual.
const MANUAL: &str = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html";

/// Returns the address of a section of the PTX ISA manual.
pub(crate) fn manual_section(section: &str) -> String {
    format!("{MANUAL}#{}", section.trim_start_matches('#'))
}

/// Creates a text in Markdown.
pub(crate) fn markdown(value: String) -> MarkupContent {
    MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    }
}

/// Returns the hover text of the token at a position, with the values of the last run.
pub(crate) fn hover(snapshot: &Snapshot, position: Position) -> Option<Hover> {
    let document = snapshot.open()?;
    let offset = snapshot.text.offset(position);
    let found = document.hover_at(offset)?;
    let mut value = format!("```ptx\n{}\n```\n", found.title);
    for line in &found.lines {
        value.push('\n');
        value.push_str(&sentence(line));
        value.push('\n');
    }
    if let Some(section) = found.section {
        let link = manual_section(section);
        value.push_str(&format!("\n[PTX ISA manual]({link})\n"));
    }
    if let Some(run) = &snapshot.run
        && let Some(line) = run.line(&snapshot.text, snapshot.version, position.line)
    {
        // Only opcodes and their modifiers have a section of the manual.
        for text in line.hover(found.section.is_some()) {
            value.push_str(&format!("\n{text}\n"));
        }
    }
    Some(Hover {
        contents: markdown(value).into(),
        range: Some(snapshot.range(found.span)),
    })
}

/// Starts a phrase with a capital letter, and ends it with a full stop.
fn sentence(phrase: &str) -> String {
    let mut characters = phrase.chars();
    let first = characters.next().filter(char::is_ascii_lowercase);
    let mut text = match first {
        // Names at the start of a phrase are case-sensitive.
        Some(first) if !phrase.starts_with(['%', '$', '.', '`']) => {
            let word: String = phrase.chars().take_while(|c| !c.is_whitespace()).collect();
            match word.chars().all(|c| c.is_ascii_lowercase() || c == ',') {
                true => first.to_ascii_uppercase().to_string() + characters.as_str(),
                false => phrase.to_owned(),
            }
        }
        _ => phrase.to_owned(),
    };
    if !text.ends_with(['.', '?', '!', ':']) {
        text.push('.');
    }
    text
}

/// Returns the instruction form at a position, with the active operand.
pub(crate) fn signature_help(snapshot: &Snapshot, position: Position) -> Option<SignatureHelp> {
    let document = snapshot.open()?;
    let found = document
        .syntax()
        .signature(snapshot.text.offset(position))?;
    let parameters = found.operands.iter().map(|name| ParameterInformation {
        label: parameter_label(&found.syntax, name),
        documentation: None,
    });
    Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            parameters: Some(parameters.collect()),
            documentation: Some(markdown(found.help.clone()).into()),
            label: found.syntax,
            active_parameter: found.active.map(Into::into),
        }],
        active_signature: Some(0),
        active_parameter: found.active.map(Into::into),
    })
}

/// Returns the range of an operand in the syntax line in UTF-16 units, or the name of the operand if the line contains it several times.
fn parameter_label(syntax: &str, name: &str) -> ParameterInformationLabel {
    let operands_start = syntax.find(char::is_whitespace).unwrap_or(0);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = syntax[operands_start..]
        .match_indices(name)
        .map(|(at, _)| at + operands_start)
        .filter(|at| {
            let before = syntax[..*at].chars().next_back();
            let after = syntax[at + name.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        });
    match (places.next(), places.next()) {
        (Some(at), None) => {
            let start = syntax[..at].encode_utf16().count() as u32;
            let length = name.encode_utf16().count() as u32;
            (start, start + length).into()
        }
        _ => name.to_owned().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_of_hover_texts_are_sentences() {
        assert_eq!(sentence("the address"), "The address.");
        assert_eq!(sentence("%r1 is a register"), "%r1 is a register.");
        assert_eq!(sentence("did you mean .x?"), "Did you mean .x?");
        assert_eq!(sentence("st.async stores"), "st.async stores.");
        assert_eq!(sentence("Ready."), "Ready.");
    }
}
