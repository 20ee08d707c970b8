//! Document links and code lenses.

use crate::document::Snapshot;
use crate::features::diagnostics::page_of;
use crate::features::folding::tokens;
use crate::features::hover::manual_section;
use crate::settings::DocumentLinkSetting;
use gen_lsp_types::{CodeLens, Command, DocumentLink, Uri};
use serde_json::{Value, json};
use warpgrid_program::symbols::SymbolKind;
use warpgrid_program::{SemanticTokenKind, Span};

/// Returns the links of a document: source files of `.file` directives, diagnostic codes in comments, and, if the user selects all links,
/// the section of the manual for each opcode.
pub(crate) fn document_links(snapshot: &Snapshot) -> Vec<DocumentLink> {
    let setting = snapshot.settings.document_links;
    if setting == DocumentLinkSetting::Off {
        return Vec::new();
    }
    let source = snapshot.source();
    let document = snapshot.open();
    let mut links = Vec::new();
    let mut directive = "";
    for token in tokens(snapshot) {
        let text = token.span.text(source);
        match token.class {
            SemanticTokenKind::Directive => directive = text,
            SemanticTokenKind::String if directive == ".file" => {
                let path = text.trim_matches('"');
                let inner = Span::new(token.span.start + 1, token.span.end.saturating_sub(1));
                if let Some(target) = file_uri(&snapshot.uri, path) {
                    links.push(link(snapshot, inner, target, "Open the source file"));
                }
            }
            SemanticTokenKind::Comment => {
                for (at, code) in diagnostic_codes(text) {
                    let start = token.span.start + at as u32;
                    let span = Span::new(start, start + code.len() as u32);
                    if let Some(target) = page_of(code) {
                        links.push(link(snapshot, span, target, "Open the reference page"));
                    }
                }
            }
            SemanticTokenKind::Opcode if setting == DocumentLinkSetting::All => {
                let hover = document
                    .as_ref()
                    .and_then(|own| own.hover_at(token.span.start));
                if let Some(section) = hover.and_then(|hover| hover.section) {
                    let target = Uri(manual_section(section));
                    links.push(link(
                        snapshot,
                        token.span,
                        target,
                        "Open the PTX ISA manual",
                    ));
                }
            }
            _ => {}
        }
    }
    links
}

fn link(snapshot: &Snapshot, span: Span, target: Uri, tooltip: &str) -> DocumentLink {
    DocumentLink {
        range: snapshot.range(span),
        target: Some(target),
        tooltip: Some(tooltip.to_owned()),
        data: None,
    }
}

/// Returns the diagnostic codes in a comment with their offsets.
fn diagnostic_codes(comment: &str) -> impl Iterator<Item = (usize, &str)> {
    comment.match_indices('W').filter_map(|(at, _)| {
        let code = comment.get(at..at + 5)?;
        let is_code = code[1..].bytes().all(|byte| byte.is_ascii_digit());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_alone = !comment[..at].ends_with(is_word) && !comment[at + 5..].starts_with(is_word);
        (is_code && is_alone).then_some((at, code))
    })
}

/// Returns the URI of a path that is absolute or relative to the directory of the document.
fn file_uri(document: &Uri, path: &str) -> Option<Uri> {
    if path.is_empty() || path.contains("://") || path.starts_with('<') {
        return None;
    }
    let path = path.replace('\\', "/");
    let encoded = encoded_path(&path);
    let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let scheme = document.0.starts_with("file:");
    match is_absolute {
        true if scheme => Some(Uri(format!("file:///{}", encoded.trim_start_matches('/')))),
        true => None,
        false => {
            let (directory, _) = document.0.rsplit_once('/')?;
            Some(Uri(format!("{directory}/{encoded}")))
        }
    }
}

/// Encodes a path for a URI.
pub(crate) fn encoded_path(path: &str) -> String {
    let encoded = path.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// Targets for which a code lens offers a check, in addition to the target of the source.
const LENS_TARGETS: [&str; 3] = ["sm_80", "sm_90", "sm_100"];

/// Names of the commands of the code lenses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LensCommands {
    pub(crate) run: &'static str,
    pub(crate) check_on_target: &'static str,
}

impl LensCommands {
    /// Commands that the client implements.
    pub(crate) const CLIENT: LensCommands = LensCommands {
        run: "warpgrid.run",
        check_on_target: "warpgrid.checkOnTarget",
    };
    /// Commands that the server executes for clients without own commands.
    pub(crate) const SERVER: LensCommands = LensCommands {
        run: "warpgrid.server.run",
        check_on_target: "warpgrid.server.checkOnTarget",
    };
}

/// Returns the code lenses of the kernels of a document.
pub(crate) fn code_lenses(snapshot: &Snapshot, commands: LensCommands) -> Vec<CodeLens> {
    let Some(document) = snapshot
        .open()
        .filter(|_| snapshot.instructions().is_some())
    else {
        return Vec::new();
    };
    let index = document.syntax().symbols();
    let stated = document.syntax().check().stated_target;
    let other = LENS_TARGETS.iter().find(|target| Some(**target) != stated);
    let mut lenses = Vec::new();
    for (symbol, name) in index.symbols.iter().zip(index.definitions()) {
        let Some(name) = name.filter(|_| symbol.kind == SymbolKind::Kernel) else {
            continue;
        };
        let range = snapshot.range(name);
        let lens = |title: String, command: &str, arguments: Vec<Value>| CodeLens {
            range,
            command: Some(Command {
                title,
                tooltip: None,
                command: command.to_owned(),
                arguments: Some(arguments),
            }),
            data: None,
        };
        let uri = &snapshot.uri.0;
        let arguments = vec![json!(uri), json!(symbol.name)];
        lenses.push(lens("Run in Warpgrid".to_owned(), commands.run, arguments));
        if let Some(target) = other {
            let arguments = vec![json!(uri), json!(target)];
            let title = format!("Check on {target}");
            lenses.push(lens(title, commands.check_on_target, arguments));
        }
    }
    lenses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_document() {
        let document = Uri("file:///kernels/a%20b/k.ptx".to_owned());
        let uri = |path: &str| file_uri(&document, path).map(|uri| uri.0);
        assert_eq!(uri("k.cu").as_deref(), Some("file:///kernels/a%20b/k.cu"));
        assert_eq!(uri("/x/ü.cu").as_deref(), Some("file:///x/%C3%BC.cu"));
        assert_eq!(uri("C:\\x\\k.cu").as_deref(), Some("file:///C%3A/x/k.cu"));
        assert_eq!(uri("<unknown>"), None);
    }

    #[test]
    fn comments_contain_diagnostic_codes() {
        let found: Vec<_> = diagnostic_codes("// W0123, notW0001, W12345, (W0140)").collect();
        assert_eq!(found, [(3, "W0123"), (29, "W0140")]);
    }
}
