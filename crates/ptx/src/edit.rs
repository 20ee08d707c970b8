//! Editor of the syntax tree: converts an edit of a statement to a text replacement. The replacement preserves the indentation, the
//! comments and the other statements on the line.

use crate::lexer::{TokenKind, token_at};
use crate::tree::{Instruction, OperandKind, StatementKind, Tree};
use warpgrid_program::syntax;
use warpgrid_program::syntax::{Change, InstructionSyntax, OperandSyntax, StatementEdit};
use warpgrid_program::{Edit, Span};

/// Editor for the statements of a parsed source.
#[derive(Clone, Copy, Debug)]
pub struct Editor<'a> {
    source: &'a str,
    tree: &'a Tree,
}

impl<'a> Editor<'a> {
    /// Creates an editor of a source and its tree.
    pub fn new(source: &'a str, tree: &'a Tree) -> Editor<'a> {
        Editor { source, tree }
    }

    /// Returns the labels and instructions in source order.
    pub fn statements(&self) -> Vec<syntax::Statement> {
        let all = self.tree.statements.iter();
        let known = all.filter_map(|statement| {
            let kind = match &statement.kind {
                StatementKind::Label(_) => {
                    let text = statement.span.text(self.source).trim_end_matches(':');
                    syntax::StatementKind::Label(text.trim_end().to_owned())
                }
                StatementKind::Instruction(instruction) => {
                    syntax::StatementKind::Instruction(self.instruction(instruction))
                }
                _ => return None,
            };
            let span = statement.span;
            Some(syntax::Statement { span, kind })
        });
        known.collect()
    }

    fn instruction(&self, instruction: &Instruction) -> InstructionSyntax {
        let guard = self.tree.guard(instruction);
        let words = self.tree.mnemonics.texts(self.source, instruction.mnemonic);
        let mut operands: Vec<OperandSyntax> = Vec::new();
        for (operand, _) in self.tree.operands_of(instruction) {
            match operands.last_mut() {
                // Include the predicate after the vector of a texture instruction: `{%r0, %r1}|%p`.
                Some(vector) if matches!(operand.kind, OperandKind::Resident(_)) => {
                    vector.span = vector.span.to(operand.span);
                    vector.text = self.plain(vector.span);
                }
                _ => operands.push(OperandSyntax {
                    span: operand.span,
                    text: self.plain(operand.span),
                }),
            }
        }
        InstructionSyntax {
            guard: guard.map(|guard| guard.span.text(self.source).to_owned()),
            words: words.map(str::to_owned).collect(),
            operands,
        }
    }

    /// Returns the span of the array dimensions of a variable that is declared within a span.
    pub fn dimensions(&self, declaration: Span, variable: &str) -> Option<Span> {
        let mut all = self.tree.declarators.iter();
        let declarator = all.find(|own| {
            let name = own.name_span;
            name.end >= declaration.start
                && name.start <= declaration.end
                && name.text(self.source) == variable
        })?;
        let dimensions = self.tree.dimensions_of(declarator);
        Some(dimensions.first()?.span.to(dimensions.last()?.span))
    }

    /// Returns the text of a span with a space in place of each line break and comment.
    fn plain(&self, span: Span) -> String {
        let text = span.text(self.source);
        let mut at = 0;
        let mut plain = String::with_capacity(text.len());
        while at < text.len() {
            let token = token_at(text, at);
            let own = token.span.text(text);
            let is_kept = match token.kind {
                TokenKind::Comment => false,
                TokenKind::Blank => !own.contains('\n'),
                _ => true,
            };
            match is_kept {
                true => plain.push_str(own),
                false if plain.ends_with(' ') => {}
                false => plain.push(' '),
            }
            at = token.span.end as usize;
        }
        plain
    }

    /// Returns the text replacement of an edit, or `None` if no statement has this span.
    pub fn edit(&self, edit: &StatementEdit) -> Option<Edit> {
        let span = edit.statement;
        let all = &self.tree.statements;
        let at = all.binary_search_by_key(&span.start, |own| own.span.start);
        let statement = all.get(at.ok()?).filter(|own| own.span == span)?;
        let line = Line::of(self.source, span);
        // Statements that follow a label have more indentation than the label.
        let indented = match statement.kind {
            StatementKind::Label(_) => {
                let mut next = all.iter().filter(|own| own.span.start > span.start);
                let next = next.find(|own| matches!(own.kind, StatementKind::Instruction(_)));
                next.map_or(line.indent, |own| Line::of(self.source, own.span).indent)
            }
            _ => line.indent,
        };
        let text = |text: &String| lines(text, indented);
        let (span, text) = match &edit.change {
            Change::InsertBefore(new) if line.is_first => {
                (Span::at(line.start), format!("{}\n", text(new)))
            }
            Change::InsertBefore(new) => {
                let text = format!("{}\n{indented}", text(new).trim_start());
                (Span::at(span.start), text)
            }
            Change::InsertAfter(new) if line.is_last => {
                (Span::at(line.end), format!("\n{}", text(new)))
            }
            Change::InsertAfter(new) => {
                let text = format!("\n{}\n{indented}", text(new));
                (Span::new(span.end, line.next), text)
            }
            Change::Replace(new) => (span, lines(new, line.indent).trim_start().to_owned()),
            Change::Delete if line.is_first && line.is_last => {
                (Span::new(line.start, line.next_line), String::new())
            }
            Change::Delete => (Span::new(span.start, line.next), String::new()),
        };
        Some(Edit { span, text })
    }
}

/// Line or lines that contain a statement.
struct Line<'a> {
    start: u32,
    /// Offset of the line break.
    end: u32,
    /// Offset of the start of the next line.
    next_line: u32,
    indent: &'a str,
    /// Whether the statement is the first text of its line.
    is_first: bool,
    /// Whether only a line comment may follow the statement on its line.
    is_last: bool,
    /// Offset of the first character after the statement and its trailing blanks.
    next: u32,
}

impl<'a> Line<'a> {
    fn of(source: &'a str, span: Span) -> Line<'a> {
        let before = source.get(..span.start as usize).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let before = before.get(start..).unwrap_or("");
        let indent = before.len() - before.trim_start().len();
        let after = source.get(span.end as usize..).unwrap_or("");
        let after = after.split('\n').next().unwrap_or("");
        let rest = after.trim_start();
        Line {
            start: start as u32,
            end: span.end + after.trim_end_matches('\r').len() as u32,
            next_line: (span.end as usize + after.len() + 1).min(source.len()) as u32,
            indent: before.get(..indent).unwrap_or(""),
            is_first: indent == before.len(),
            is_last: rest.is_empty() || rest.starts_with("//"),
            next: span.end + (after.len() - rest.len()) as u32,
        }
    }
}

/// Indents the statements of a text. Labels are not indented.
fn lines(text: &str, indent: &str) -> String {
    let lines = text.lines().map(|line| match line.ends_with(':') {
        true => line.to_owned(),
        false => format!("{indent}{line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}
