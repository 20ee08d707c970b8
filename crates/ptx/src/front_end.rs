//! Implementation of [`FrontEnd`] for PTX: converts the results of this crate to the types of the interface.

pub(crate) mod reference;

use crate::check::CheckedSource;
use crate::edit::Editor;
use crate::parser::Parse;
use crate::tree::declaration::DirectiveKind;
use crate::tree::{SourceKind, StatementKind, Tree};
use std::borrow::Cow;
use std::cell::OnceCell;
use warpgrid_isa::{Target, Version};
use warpgrid_program::syntax::{Statement, StatementEdit};
use warpgrid_program::{
    CheckResult, CompletionItem, DiagnosticDoc, Document, Edit, Explanation, ExternalRegister,
    FormDoc, FrontEnd, Hover, Overrides, ReferenceDocs, SemanticToken, SignatureHelp, Span,
    SymbolIndex, TermDoc,
};

/// Front end for PTX sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ptx;

/// Returns whether a source starts with the header of a PTX module, so that the source is not in a container format. Line comments may
/// precede the header.
pub fn starts_with_module_header(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("//"));
    first.is_some_and(|line| line.starts_with(".version"))
}

impl FrontEnd for Ptx {
    fn open<'a>(&self, source: Cow<'a, str>, overrides: &Overrides) -> Box<dyn Document + 'a> {
        self.open_with_registers(source, overrides, Vec::new())
    }

    fn open_with_registers<'a>(
        &self,
        source: Cow<'a, str>,
        overrides: &Overrides,
        given: Vec<ExternalRegister>,
    ) -> Box<dyn Document + 'a> {
        Box::new(PtxDocument {
            parse: crate::parser::parse(&source),
            overrides: *overrides,
            source,
            given,
            checked_for: OnceCell::new(),
        })
    }

    fn tokens(&self, source: &str) -> Vec<SemanticToken> {
        crate::tokens(source)
    }

    fn format(&self, source: &str) -> String {
        crate::format(source)
    }

    fn definitions(&self, source: &str) -> Vec<(String, Span)> {
        let tree = crate::parser::parse(source).tree;
        let mut all: Vec<(String, Span)> = Vec::new();
        for statement in &tree.statements {
            match statement.kind {
                StatementKind::FunctionStart(index) => {
                    let header = tree.functions.get(index as usize);
                    let name = header.map_or("", |header| header.name_span.text(source));
                    all.push((name.to_owned(), statement.span));
                }
                StatementKind::FunctionEnd(_) => {
                    if let Some((_, span)) = all.last_mut() {
                        span.end = statement.span.end;
                    }
                }
                _ => {}
            }
        }
        all
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }
}

/// PTX source with its syntax tree.
struct PtxDocument<'a> {
    source: Cow<'a, str>,
    parse: Parse,
    overrides: Overrides,
    given: Vec<ExternalRegister>,
    /// Version and target for which the source was checked. For a snippet, the checker may select another target than the default.
    checked_for: OnceCell<Overrides>,
}

impl PtxDocument<'_> {
    /// Checks the source, and records the version and the target of the check.
    fn checked(&self) -> CheckedSource {
        let checked =
            crate::check::check_among(&self.source, &self.parse, &self.overrides, &self.given);
        let _ = self.checked_for.set(Overrides {
            target: Some(checked.target),
            version: Some(checked.version),
            ..self.overrides
        });
        checked
    }

    /// Returns the version and the target for which [`Document::check`] checks the source.
    fn checked_for(&self) -> Overrides {
        if self.parse.tree.kind != SourceKind::Snippet {
            return self.overrides;
        }
        if self.checked_for.get().is_none() {
            self.checked();
        }
        self.checked_for.get().copied().unwrap_or(self.overrides)
    }

    /// Returns the version and the target for which a snippet is checked without the incomplete instruction at `offset`. The errors of an
    /// incomplete instruction would prevent the selection of the target.
    fn checked_without_instruction(&self, offset: u32) -> Overrides {
        if self.parse.tree.kind != SourceKind::Snippet {
            return self.overrides;
        }
        let offset = self.source.floor_char_boundary(offset as usize);
        let (before, after) = self.source.split_at(offset);
        let start = before.rfind([';', '{', '}', '\n']).map_or(0, |at| at + 1);
        let rest = after.find([';', '\n']).map_or("", |at| &after[at..]);
        let rest = rest.strip_prefix(';').unwrap_or(rest);
        let complete = format!("{}{rest}", &self.source[..start]);
        let parse = crate::parser::parse(&complete);
        let checked = crate::check::check_among(&complete, &parse, &self.overrides, &self.given);
        Overrides {
            target: Some(checked.target),
            version: Some(checked.version),
            ..self.overrides
        }
    }
}

impl Document for PtxDocument<'_> {
    fn source(&self) -> &str {
        &self.source
    }

    fn check(&self) -> CheckResult {
        let (source, tree) = (&*self.source, &self.parse.tree);
        let checked = self.checked();
        let stated_target = argument(source, tree, DirectiveKind::Target)
            .and_then(Target::from_name)
            .map(|target| target.name);
        let stated_version = version(source, tree);
        // A source of comments, such as the summary of a cubin, is not checked for any target.
        let is_empty = tree.statements.is_empty() && self.parse.diagnostics.is_empty();
        CheckResult {
            program: checked.program,
            origin: None,
            part: None,
            diagnostics: checked.diagnostics,
            stated_target,
            stated_version,
            assumed_target: (stated_target.is_none() && !is_empty).then_some(checked.target.name),
            assumed_version: (stated_version.is_none() && !is_empty).then_some(checked.version),
        }
    }

    fn statements(&self) -> Vec<Statement> {
        Editor::new(&self.source, &self.parse.tree).statements()
    }

    fn dimensions(&self, declaration: Span, variable: &str) -> Option<Span> {
        Editor::new(&self.source, &self.parse.tree).dimensions(declaration, variable)
    }

    fn edit(&self, edit: &StatementEdit) -> Option<Edit> {
        Editor::new(&self.source, &self.parse.tree).edit(edit)
    }

    fn symbols(&self) -> SymbolIndex {
        crate::symbols::symbols(&self.source, &self.parse, &self.given)
    }

    fn bit_literals(&self) -> Vec<(Span, String)> {
        crate::symbols::bit_literals(&self.source, &self.parse)
    }

    fn hover(&self, offset: u32) -> Option<Hover> {
        crate::hover(&self.source, &self.parse, &self.checked_for(), offset)
    }

    fn complete(&self, offset: u32) -> Vec<CompletionItem> {
        let options = self.checked_without_instruction(offset);
        crate::complete(&self.source, &self.parse, &options, offset)
    }

    fn signature(&self, offset: u32) -> Option<SignatureHelp> {
        crate::complete::signature(&self.source, offset)
    }
}

impl ReferenceDocs for Ptx {
    fn explain(&self, instruction: &str) -> Option<Explanation> {
        reference::explain(instruction)
    }

    fn forms(&self) -> Vec<FormDoc> {
        reference::forms()
    }

    fn terms(&self) -> Vec<TermDoc> {
        reference::terms()
    }

    fn codes(&self) -> Vec<DiagnosticDoc> {
        crate::diagnostics::codes().copied().collect()
    }
}

/// Returns the text of the first argument of a directive.
fn argument<'a>(source: &'a str, tree: &Tree, kind: DirectiveKind) -> Option<&'a str> {
    let directive = tree.directive(kind)?;
    let (operand, _) = tree.arguments_of(directive).next()?;
    Some(operand.span.text(source))
}

/// Returns the version that a source specifies. Its major and minor number are separate arguments.
fn version(source: &str, tree: &Tree) -> Option<Version> {
    let directive = tree.directive(DirectiveKind::Version)?;
    let mut numbers = tree.arguments_of(directive);
    let mut number = || numbers.next().map(|(operand, _)| operand.span.text(source));
    Version::parse(&format!("{}.{}", number()?, number()?))
}
