//! Editor assistance: hover, completion and signature help. The module takes a source and a position in UTF-16 units, and returns plain
//! data that is derived from the instruction tables.

use crate::layouts::tensor::DescriptorField;
use crate::layouts::tensor::descriptor_literal::instruction_descriptor_link;
use crate::layouts::tensor::descriptor_literal::{DescriptorLiteral, tile_link};
use crate::layouts::tensor::instruction_descriptor_lookup::InstructionDescriptorLiteral;
use crate::model::text::SourceRange;
use crate::source::check::CheckOptions;
use crate::source::language::Language;
use serde::{Deserialize, Serialize};
pub use warpgrid_program::{CompletionItemKind, SignatureHelp};
use warpgrid_program::{Hover, Span};

/// Documentation that an editor shows when the user hovers over a token: the range of the token, a title, text lines, the section of the
/// manual, and the range of the declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HoverView {
    /// Start of the range of the token, in UTF-16 units from the start of the source.
    pub start: u32,
    pub end: u32,
    /// Title of the hover text. Hosts display the title as code.
    pub title: String,
    pub lines: Vec<String>,
    /// Anchor of the section in the PTX ISA manual that describes the token.
    pub section: Option<String>,
    /// Source range of the declaration. The range is present only if the token is a declared name.
    pub declared: Option<SourceRange>,
}

/// Completion that an editor offers at a position: the text, the range that it replaces, and its description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CompletionView {
    /// Start of the source range that the completion replaces.
    pub start: u32,
    pub end: u32,
    pub text: String,
    pub sort: CompletionItemKind,
    pub help: String,
    /// PTX version and target that the completion requires: "since PTX 8.1, on `sm_90` and later".
    pub needs: Option<String>,
}

/// Returns the hover text of a constant that may be a descriptor. The text contains the fields of the descriptor, and a link to the diagram
/// of its tile.
pub(crate) fn descriptor_hover(found: &DescriptorLiteral) -> Hover {
    let mut lines = vec![format!(
        "This constant has the format of a shared-memory descriptor of `{}`.",
        found.family
    )];
    lines.extend(found.fields.iter().map(field_line));
    lines.push(format!(
        "The link `{}` shows the tile that the hardware reads.",
        tile_link(found.family, found.bits)
    ));
    let span = Span::new(found.start as u32, found.end as u32);
    Hover {
        lines,
        ..Hover::new(span, format!("0x{:016x}", found.bits))
    }
}

/// Returns the hover text of an instruction descriptor. The text contains the fields of the descriptor, and a link to its decoded form.
pub(crate) fn instruction_descriptor_hover(found: &InstructionDescriptorLiteral) -> Hover {
    let InstructionDescriptorLiteral {
        start,
        end,
        bits,
        kind,
        fields,
    } = found;
    let mut lines = vec![format!(
        "This constant is the instruction descriptor of `tcgen05.mma.kind::{kind}`."
    )];
    lines.extend(fields.iter().map(field_line));
    lines.push(format!(
        "The link `{}` decodes the descriptor and shows the tiles that the hardware reads.",
        instruction_descriptor_link(kind, (*bits).into())
    ));
    let span = Span::new(*start as u32, *end as u32);
    Hover {
        lines,
        ..Hover::new(span, format!("0x{bits:08x}"))
    }
}

fn field_line(field: &DescriptorField) -> String {
    let DescriptorField {
        name,
        bits: [low, high],
        meaning,
        ..
    } = field;
    match low == high {
        true => format!("Bit {low}, {name}: {meaning}."),
        false => format!("Bits {low} to {high}, {name}: {meaning}."),
    }
}

/// Returns the hover text of the token at a position of a source.
pub fn hover(source: &str, options: &CheckOptions, at: u32) -> Option<HoverView> {
    Language::from(options.language)
        .open(source, options)
        .hover(at)
}

/// Returns the completions at a position of a source. The completions are legal for the version and target of the source.
pub fn complete(source: &str, options: &CheckOptions, at: u32) -> Vec<CompletionView> {
    Language::from(options.language)
        .open(source, options)
        .complete(at)
}

/// Converts a position in UTF-16 units to a byte offset. For a position beyond the end of the source, the result is the end of the source.
pub(crate) fn byte_of(source: &str, at: u32) -> u32 {
    let mut unit = 0u32;
    for (byte, c) in source.char_indices() {
        if unit >= at {
            return byte as u32;
        }
        unit += c.len_utf16() as u32;
    }
    source.len() as u32
}

pub(crate) fn unit_of(source: &str, byte: u32) -> u32 {
    let before = source.get(..byte as usize).unwrap_or(source);
    before.encode_utf16().count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// \u{e9}\u{1f600}\n.version 8.7\n.target sm_90\n.visible .entry k() { .reg .b32 %r<2>; .reg .b64 %a;\nst.global.u32 [%a], %r1;\n}\n";

    fn unit(needle: &str) -> u32 {
        unit_of(SOURCE, SOURCE.find(needle).unwrap_or(0) as u32)
    }

    #[test]
    fn hover_range_uses_utf_16_code_units() {
        let at = unit("global") + 1;
        let found = hover(SOURCE, &CheckOptions::default(), at);
        let found = found.map(|h| (h.start, h.end, h.title));
        let start = unit("global");
        assert_eq!(found, Some((start - 1, start + 6, ".global".to_owned())));
    }

    #[test]
    fn completion_replaces_typed_prefix() {
        let at = unit("global") + 2;
        let words = complete(SOURCE, &CheckOptions::default(), at);
        let global = words.iter().find(|word| word.text == "global");
        assert_eq!(
            global.map(|word| (word.start, word.end)),
            Some((at - 2, at))
        );
    }

    #[test]
    fn signature_help_highlights_active_operand() {
        let found = Language::from(warpgrid_launch::SourceLanguage::Ptx)
            .open(SOURCE, &CheckOptions::default())
            .signature(unit("%r1;"));
        assert_eq!(found.and_then(|s| s.active), Some(1));
    }
}
