//! Formatter: writes one statement per line, indented by braces, and preserves all tokens and comments.
//!
//! The formatter changes only white space. Malformed statements and sections of debug data are preserved verbatim.

use crate::lexer;
use crate::lexer::TokenKind;
use crate::parser::{BYTE_ORDER_MARK, parse};
use crate::tree::declaration::DirectiveKind;
use crate::tree::{StatementKind, Tree};
use warpgrid_program::Span;

/// Formats a source. Formatting is idempotent.
pub fn format(source: &str) -> String {
    // A byte-order mark remains at the start of the source, where the parser reports it as an error. The mark is not part of the first
    // line.
    if let Some(text) = source.strip_prefix(BYTE_ORDER_MARK) {
        return format!("{BYTE_ORDER_MARK}{}", format_text(text));
    }
    format_text(source)
}

fn format_text(source: &str) -> String {
    let (mut text, sound) = formatted(source);
    if sound {
        return text;
    }
    // Error recovery may depend on line breaks. Therefore, a source with errors is formatted repeatedly until it no longer changes.
    for _ in 0..MAX_ROUNDS {
        let (next, _) = formatted(&text);
        if next == text {
            return text;
        }
        text = next;
    }
    source.to_owned()
}

/// Maximum number of passes for a source with errors. If the result still changes, the source is returned unformatted.
const MAX_ROUNDS: usize = 8;

/// Formats the source once, and returns whether it has no syntax errors.
fn formatted(source: &str) -> (String, bool) {
    let parse = parse(source);
    let sound = parse.diagnostics.is_empty();
    let tree = &parse.tree;
    let mut writer = Writer::new(source);
    let mut end = 0;
    for statement in &tree.statements {
        writer.gap(Span::new(end, statement.span.start));
        writer.statement(tree, statement.kind, statement.span);
        end = statement.span.end.max(end);
    }
    writer.gap(Span::new(end, source.len() as u32));
    (writer.finish(), sound)
}

/// Treatment of white space within a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpacingStyle {
    /// All tokens of the statement are on one line.
    Line,
    /// Line breaks are preserved, for initializers and parameter lists.
    Broken,
    /// The text is preserved verbatim.
    Verbatim,
}

struct Writer<'s> {
    source: &'s str,
    out: String,
    depth: usize,
    /// Number of line breaks in the source since the last token that was written.
    n_breaks: usize,
    /// Whether the last output is a line comment, which requires a line break.
    line_ends: bool,
}

impl<'s> Writer<'s> {
    fn new(source: &'s str) -> Writer<'s> {
        Writer {
            source,
            out: String::with_capacity(source.len() + source.len() / 8),
            depth: 0,
            n_breaks: 0,
            line_ends: false,
        }
    }

    /// Writes the text between statements: comments, and at most one blank line.
    fn gap(&mut self, span: Span) {
        let mut at = span.start as usize;
        while at < span.end as usize {
            let token = lexer::token_at(self.source, at);
            let end = (token.span.end as usize).min(span.end as usize).max(at + 1);
            let Some(text) = self.source.get(at..end) else {
                break;
            };
            match token.kind {
                TokenKind::Blank => self.n_breaks += text.matches('\n').count(),
                kind => self.comment(text, kind),
            }
            at = end;
        }
    }

    fn comment(&mut self, text: &str, kind: TokenKind) {
        if self.n_breaks == 0 && !self.out.is_empty() && !self.line_ends {
            self.out.push(' ');
        } else {
            self.new_line(self.depth);
        }
        self.out.push_str(text.trim_end());
        self.line_ends = kind == TokenKind::Comment && runs_to_line_end(text);
        self.n_breaks = 0;
    }

    /// Starts a line with this indentation depth. Writes a blank line before it if the source has one there.
    fn new_line(&mut self, depth: usize) {
        if !self.out.is_empty() {
            self.out.push('\n');
            if self.n_breaks > 1 {
                self.out.push('\n');
            }
        }
        self.indent(depth);
        self.n_breaks = 0;
        self.line_ends = false;
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth.min(MAX_INDENT) {
            self.out.push_str("    ");
        }
    }

    fn statement(&mut self, tree: &Tree, kind: StatementKind, span: Span) {
        let (depth, layout) = match kind {
            StatementKind::Label(_) => (self.depth.saturating_sub(1), SpacingStyle::Line),
            StatementKind::FunctionEnd(_) | StatementKind::BlockClose => {
                self.depth = self.depth.saturating_sub(1);
                (self.depth, SpacingStyle::Line)
            }
            StatementKind::Error => (self.depth, SpacingStyle::Verbatim),
            StatementKind::Directive(index) => (self.depth, directive_layout(tree, index)),
            StatementKind::Declaration(_)
            | StatementKind::Prototype(_)
            | StatementKind::FunctionStart(_) => (self.depth, SpacingStyle::Broken),
            _ => (self.depth, SpacingStyle::Line),
        };
        if span.text(self.source).trim().is_empty() {
            // An unclosed function has no closing brace, so there is nothing to write.
            return;
        }
        self.new_line(depth);
        match layout {
            SpacingStyle::Verbatim => self.out.push_str(span.text(self.source).trim_end()),
            _ => self.tokens(span, depth, layout),
        }
        match kind {
            StatementKind::FunctionStart(_) | StatementKind::BlockOpen => self.depth += 1,
            _ => {}
        }
    }

    /// Writes the tokens of a statement with the white space of the layout.
    fn tokens(&mut self, span: Span, depth: usize, layout: SpacingStyle) {
        let mut before = PrecedingToken::default();
        let mut at = span.start as usize;
        while at < span.end as usize {
            let token = lexer::token_at(self.source, at);
            let end = (token.span.end as usize).min(span.end as usize).max(at + 1);
            let Some(text) = self.source.get(at..end) else {
                break;
            };
            at = end;
            if token.kind == TokenKind::Blank {
                before.blank = true;
                before.breaks |= text.contains('\n');
                continue;
            }
            let text = match token.kind.is_comment() {
                true => text.trim_end(),
                false => text,
            };
            self.space(&before, text, token.kind, depth, layout);
            self.out.push_str(text);
            before.after(text, token.kind);
        }
        self.line_ends = before.line_ends;
    }

    fn space(
        &mut self,
        before: &PrecedingToken<'_>,
        text: &str,
        kind: TokenKind,
        depth: usize,
        layout: SpacingStyle,
    ) {
        let Some(last) = before.text else {
            return;
        };
        let opens_body = text == "{" && layout == SpacingStyle::Broken && before.is_header();
        let broken = layout == SpacingStyle::Broken && before.breaks && !matches!(text, "," | ";");
        if before.line_ends || opens_body || broken {
            let inner = match text {
                "{" if opens_body => 0,
                ")" | "}" => before.nesting.saturating_sub(1).min(1),
                _ => before.nesting.min(1) + usize::from(before.line_ends && before.nesting == 0),
            };
            self.out.push('\n');
            self.indent(depth + inner);
        } else if kind.is_comment() || has_space(last, text, before) {
            self.out.push(' ');
        }
    }

    fn finish(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}

/// Maximum indentation depth. The formatter does not increase the indentation for deeper nesting.
const MAX_INDENT: usize = 32;

fn directive_layout(tree: &Tree, index: u32) -> SpacingStyle {
    match tree.directives.get(index as usize).map(|d| d.kind) {
        Some(DirectiveKind::Section | DirectiveKind::Dwarf | DirectiveKind::Unknown) | None => {
            SpacingStyle::Verbatim
        }
        Some(DirectiveKind::CallPrototype) => SpacingStyle::Broken,
        Some(_) => SpacingStyle::Line,
    }
}

/// Context of a token: the preceding tokens of its statement.
#[derive(Clone, Debug, Default)]
struct PrecedingToken<'s> {
    text: Option<&'s str>,
    /// Whether blanks precede the token.
    blank: bool,
    /// Whether the blanks contain a line break.
    breaks: bool,
    /// Whether a line comment precedes the token.
    line_ends: bool,
    /// Number of open parentheses, brackets and braces.
    nesting: usize,
    /// Whether an `=` precedes the token, so that braces belong to an initializer.
    assigned: bool,
}

impl<'s> PrecedingToken<'s> {
    fn after(&mut self, text: &'s str, kind: TokenKind) {
        match text {
            "(" | "[" | "{" => self.nesting += 1,
            ")" | "]" | "}" => self.nesting = self.nesting.saturating_sub(1),
            "=" => self.assigned = true,
            _ => {}
        }
        self.text = Some(text);
        self.blank = false;
        self.breaks = false;
        self.line_ends = kind.is_comment() && runs_to_line_end(text);
    }

    /// Returns whether the preceding tokens are a function header, so that a brace starts the body.
    fn is_header(&self) -> bool {
        self.nesting == 0 && !self.assigned
    }
}

/// Returns whether a comment extends to the end of its line, as `//` comments and line markers do.
fn runs_to_line_end(comment: &str) -> bool {
    !comment.starts_with("/*")
}

/// Returns whether a space separates two tokens of a line.
fn has_space(last: &str, text: &str, before: &PrecedingToken<'_>) -> bool {
    if matches!(text, "," | ";" | ")" | "]") || matches!(last, "(" | "[" | "@") {
        return false;
    }
    if last == "," || last == "=" || text == "=" {
        return true;
    }
    if matches!((last, text), ("{", _) | (_, "}") | (_, ":")) {
        return false;
    }
    before.blank
}
