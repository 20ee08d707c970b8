//! [`Document`] of a host source. It checks each asm block separately, and reports all diagnostics at positions in the host source.

use crate::block::{AsmBlock, UnresolvedKind};
use crate::constraint::OperandKind;
use crate::diagnostics as diagnose;
use crate::effects::{self, Effects};
use crate::embedded::Embedded;
use crate::host_source::{HostLanguage, HostSource};
use crate::operands::check_operand_use;
use crate::parsed_block::CHOICES;
use crate::symbols;
use crate::template::{INLINE_PTX, MISSING};
use std::borrow::Cow;
use std::cell::OnceCell;
use warpgrid_isa::{Target, Version};
use warpgrid_program::container::stated_values;
use warpgrid_program::diagnostic::{EMPTY, INFERRED, SELECTED_TARGET};
use warpgrid_program::{
    CheckResult, CompletionItem, Diagnostic, Document, Edit, EmbeddedSnippet, Fix, FrontEnd, Hover,
    MappedSource, Overrides, Severity, SignatureHelp, SnippetOperand, Span, SymbolIndex,
};

/// Open document of a host source in an editor, with the check results of its asm blocks.
pub(crate) struct HostDocument<'a> {
    source: Cow<'a, str>,
    language: HostLanguage,
    blocks: Vec<OpenBlock>,
    found: OnceCell<Vec<BlockReport>>,
    default_block: DefaultBlock,
}

/// Asm block that a check selects if the caller names no asm block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultBlock {
    /// The first asm block that can run, as in a source that the user runs.
    FirstRunnable,
    /// No asm block, as in a file of an editor, so that the check reports no diagnostics that apply only to a selected asm block.
    None,
}

struct OpenBlock {
    block: AsmBlock,
    document: Box<dyn Document>,
}

/// Check results of an asm block: the program, the diagnostics and the note about side effects.
struct BlockReport {
    checked: CheckResult,
    /// Diagnostics of the asm block, with spans in the host source.
    diagnostics: Vec<Diagnostic>,
    /// Notes about the assumed values of constants. An editor does not show these notes, because they require no action.
    assumptions: Vec<Diagnostic>,
    /// Informational diagnostics, which hosts show only if this asm block is selected.
    informational: Vec<Diagnostic>,
    accept: bool,
    note: Option<String>,
}

/// Maximum number of unknown constants of an asm block for which the check searches values.
const MAX_CHOSEN: usize = 8;

/// Returns the values of `n` constants that minimize the number of errors. The search optimizes one constant after the other (coordinate
/// descent).
fn best_choices(n: usize, n_errors: impl Fn(&[i64]) -> Option<usize>) -> Vec<i64> {
    let mut choices = vec![CHOICES[0]; n];
    let mut fewest = n_errors(&choices).unwrap_or(0);
    for at in 0..n {
        if fewest == 0 {
            break;
        }
        let mut best = choices[at];
        for choice in &CHOICES[1..] {
            choices[at] = *choice;
            if let Some(found) = n_errors(&choices).filter(|found| *found < fewest) {
                (fewest, best) = (found, *choice);
            }
        }
        choices[at] = best;
    }
    choices
}

fn is_error(found: &Diagnostic) -> bool {
    found.severity == Severity::Error
}

impl<'a> HostDocument<'a> {
    pub(crate) fn new(
        source: Cow<'a, str>,
        text: &HostSource,
        inner: &'static dyn FrontEnd,
        overrides: &Overrides,
        default_block: DefaultBlock,
    ) -> HostDocument<'a> {
        let mark = text.language.line_comment();
        let stated: Vec<String> = stated_values(&source, mark).map(str::to_owned).collect();
        let open = |index| OpenBlock::new(text, index, inner, overrides, &stated);
        HostDocument {
            language: text.language,
            blocks: (0..text.n_blocks()).filter_map(open).collect(),
            found: OnceCell::new(),
            default_block,
            source,
        }
    }

    fn found(&self) -> &[BlockReport] {
        self.found.get_or_init(|| {
            let mark = self.language.line_comment();
            self.blocks
                .iter()
                .map(|block| block.examine(mark))
                .collect()
        })
    }

    /// Returns the index of the asm block with this name, or of the default asm block.
    fn chosen(&self, name: Option<&str>) -> Option<usize> {
        match (name, self.default_block) {
            (Some(name), _) => self.blocks.iter().position(|own| own.block.name == name),
            (None, DefaultBlock::FirstRunnable) => {
                let mut found = self.found().iter();
                found.position(|found| found.checked.program.is_some())
            }
            (None, DefaultBlock::None) => None,
        }
    }

    /// Returns the document of the asm block at an offset of the host source.
    fn at(&self, offset: u32) -> Option<Embedded<'_>> {
        let mut blocks = self.blocks.iter();
        blocks.find_map(|open| Embedded::at(&open.block.snippet, open.document.as_ref(), offset))
    }
}

impl OpenBlock {
    /// Opens an asm block. If the block has unknown constants, the function searches for values for which the block is legal.
    fn new(
        text: &HostSource,
        index: usize,
        inner: &dyn FrontEnd,
        overrides: &Overrides,
        stated: &[String],
    ) -> Option<OpenBlock> {
        let open = |choices: &[i64], overrides: &Overrides| {
            let block = text.block(index, choices)?;
            let snippet = Cow::Owned(block.snippet.text.clone());
            Some(OpenBlock {
                document: inner.open_with_registers(snippet, overrides, block.given(stated)),
                block,
            })
        };
        let usual = open(&[], overrides)?;
        let n = usual.block.n_candidate_constants().min(MAX_CHOSEN);
        if n == 0 || usual.document.check().program.is_some() {
            return Some(usual);
        }
        // Specify a version and a target for the search for constants. Otherwise, each check would also search for a target, although wrong
        // constants are illegal for every target.
        let stated = Overrides {
            target: overrides.target.or(Some(Target::default_target())),
            version: overrides.version.or(Some(Version::NEWEST)),
            ..*overrides
        };
        let n_errors = |choices: &[i64]| {
            let open = open(choices, &stated)?;
            Some(
                open.document
                    .check()
                    .diagnostics
                    .iter()
                    .filter(|found| is_error(found))
                    .count(),
            )
        };
        let choices = best_choices(n, n_errors);
        open(&choices, overrides)
    }

    fn examine(&self, mark: &str) -> BlockReport {
        let block = &self.block;
        let mut checked = self.document.check();
        let mut diagnostics = block.diagnostics.clone();
        // If the assembly or a constraint is unresolved, the numbers of the operands are unknown, too.
        diagnostics.retain(|found| block.is_whole() || !diagnose::is_about_operands(found.code));
        let (mut assumptions, mut asides) = (Vec::new(), Vec::new());
        for found in self.unknown(mark) {
            match found.code == diagnose::UNKNOWN_CONSTANT {
                true => assumptions.push(found),
                false => diagnostics.push(found),
            }
        }
        for found in std::mem::take(&mut checked.diagnostics) {
            match found.code {
                INFERRED => self.inferred(found, &mut diagnostics, &mut asides),
                SELECTED_TARGET => asides.push(self.placed(found)),
                // Accept an asm block without instructions, which prevents the compiler from moving memory accesses across the statement if
                // it has a memory clobber.
                EMPTY => {}
                _ if !block.is_whole() && found.severity == Severity::Error => {}
                _ if found.is_tolerated => {
                    diagnostics.push(diagnose::as_in_module(self.placed(found)));
                }
                _ => diagnostics.push(self.placed(found)),
            }
        }
        let mut note = None;
        if let Some(program) = &checked.program {
            let is_read = !block.diagnostics.iter().any(is_error);
            for function in program.functions.iter().filter(|_| is_read) {
                diagnostics.extend(check_operand_use(block, function));
            }
            let effects = Effects::of(program);
            diagnostics.extend(effects::untold(block, effects));
            diagnostics.extend(effects::replicated(block, effects));
            note = Some(effects::note(block, effects));
        }
        let accept = !diagnostics.iter().any(is_error);
        if !accept || !block.is_whole() {
            checked.program = None;
        }
        BlockReport {
            checked,
            diagnostics,
            assumptions,
            informational: asides,
            accept,
            note,
        }
    }

    /// Returns the diagnostics for unresolved parts of the asm block.
    fn unknown<'b>(&'b self, mark: &'b str) -> impl Iterator<Item = Diagnostic> + 'b {
        self.block
            .unknown
            .iter()
            .map(move |unknown| match unknown.what {
                UnresolvedKind::Assembly => diagnose::unknown_piece(&unknown.name, unknown.span),
                UnresolvedKind::Number => {
                    let mut operands = self.block.operands.iter();
                    let choice = operands.find(|operand| operand.place == unknown.span);
                    let choice = choice.map_or("", |operand| operand.name.as_str());
                    diagnose::unknown_constant(&unknown.name, choice, mark, unknown.span)
                }
            })
    }

    /// Splits a diagnostic about inferred declarations. The function reports only names that are not operands as undeclared, because
    /// operands need no declaration.
    fn inferred(
        &self,
        mut found: Diagnostic,
        wrong: &mut Vec<Diagnostic>,
        asides: &mut Vec<Diagnostic>,
    ) {
        let declared: Vec<&str> = found.message.split('`').skip(1).step_by(2).collect();
        let foreign = declared
            .iter()
            .filter(|text| text.starts_with('.'))
            .filter(|text| !text.contains(MISSING) && !text.contains(INLINE_PTX));
        let foreign: Vec<String> = foreign.map(|text| format!("`{text}`")).collect();
        if !foreign.is_empty() && self.block.is_whole() {
            wrong.push(diagnose::undeclared(&foreign.join(" "), self.block.word));
        }
        if declared.len() > foreign.len() {
            found.span = self.block.word;
            asides.push(found);
        }
    }

    /// Converts the spans of a diagnostic from the asm block to the host source.
    fn placed(&self, mut found: Diagnostic) -> Diagnostic {
        let map = &self.block.snippet.map;
        let name = found.span.text(&self.block.snippet.text).to_owned();
        found.span = match found.span == Span::at(0) {
            true => self.block.word,
            false => map.span(found.span),
        };
        for label in &mut found.labels {
            label.span = map.span(label.span);
        }
        let fixes = std::mem::take(&mut found.fixes);
        found.fixes = fixes
            .into_iter()
            .filter_map(|fix| self.placed_fix(fix))
            .collect();
        let operand = self
            .block
            .operands
            .iter()
            .find(|operand| operand.name == name);
        if let Some(operand) = operand
            && let OperandKind::Register(ty) = operand.kind
            && found.severity == Severity::Error
        {
            let letter = operand.constraint.trim_start_matches(['=', '+', '&']);
            found = found.label(
                operand.place,
                diagnose::declared_by(self.block.dialect, letter, ty),
            );
        }
        found
    }

    /// Converts the spans of a fix from the asm block to the host source. Returns `None` if the text of the fix is not valid within the
    /// string literal.
    fn placed_fix(&self, fix: Fix) -> Option<Fix> {
        let edits = fix.edits.into_iter().map(|edit| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
            let mut words = edit.text.split(|c| !is_part(c));
            let names_operand = words.any(|word| {
                self.block
                    .operands
                    .iter()
                    .any(|operand| operand.name == word && !word.is_empty())
            });
            let fits = !edit.text.contains(['"', '\\', '\n', '%', '$']) && !names_operand;
            fits.then(|| Edit {
                span: self.block.snippet.map.span(edit.span),
                text: edit.text,
            })
        });
        Some(Fix {
            edits: edits.collect::<Option<Vec<_>>>()?,
            title: fix.title,
        })
    }

    fn part(&self, found: &BlockReport) -> EmbeddedSnippet {
        let operands = self.block.operands.iter().map(|operand| SnippetOperand {
            name: operand.name.clone(),
            ty: match operand.kind {
                OperandKind::Register(ty) => format!(".{ty}"),
                OperandKind::Constant => "constant".to_owned(),
                OperandKind::Text => "text".to_owned(),
            },
            constraint: operand.constraint.clone(),
            expression: operand.expression.clone(),
        });
        EmbeddedSnippet {
            name: self.block.name.clone(),
            span: self.block.span,
            text: self.block.snippet.text.clone(),
            accept: found.accept,
            target: found.checked.assumed_target,
            version: found.checked.assumed_version,
            operands: operands.collect(),
            note: found.note.clone(),
        }
    }
}

impl Document for HostDocument<'_> {
    fn source(&self) -> &str {
        &self.source
    }

    fn check(&self) -> CheckResult {
        self.check_snippet(None)
    }

    fn snippets(&self) -> Vec<EmbeddedSnippet> {
        let found = self.found().iter();
        let both = self.blocks.iter().zip(found);
        both.map(|(open, found)| open.part(found)).collect()
    }

    fn check_snippet(&self, name: Option<&str>) -> CheckResult {
        let chosen = self.chosen(name);
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for (index, found) in self.found().iter().enumerate() {
            let asides = found.informational.iter().filter(|_| chosen == Some(index));
            let assumptions = found.assumptions.iter();
            let assumptions =
                assumptions.filter(|_| self.default_block == DefaultBlock::FirstRunnable);
            for found in assumptions.chain(&found.diagnostics).chain(asides) {
                // Report each diagnostic only once, because all uses of a macro cause the same diagnostics.
                if !diagnostics.contains(found) {
                    diagnostics.push(found.clone());
                }
            }
        }
        diagnostics.sort_by_key(|found| found.span.start);
        let checked = chosen
            .and_then(|index| self.found().get(index))
            .map(|found| &found.checked);
        let open = chosen.and_then(|index| self.blocks.get(index));
        CheckResult {
            program: checked.and_then(|checked| checked.program.clone()),
            part: open.map(|open| open.block.name.clone()),
            origin: open.map(|open| MappedSource::clone(&open.block.snippet)),
            diagnostics,
            stated_target: None,
            stated_version: None,
            assumed_target: checked.and_then(|checked| checked.assumed_target),
            assumed_version: checked.and_then(|checked| checked.assumed_version),
        }
    }

    fn line_comment(&self) -> Option<&'static str> {
        Some(self.language.line_comment())
    }

    fn bit_literals(&self) -> Vec<(Span, String)> {
        let literals = self.blocks.iter().flat_map(|open| {
            let map = &open.block.snippet.map;
            let found = open.document.bit_literals().into_iter();
            found.map(|(span, value)| (map.span(span), value))
        });
        literals.collect()
    }

    fn symbols(&self) -> SymbolIndex {
        let mut index = SymbolIndex::default();
        for open in &self.blocks {
            symbols::append_block(&mut index, open.document.symbols(), &open.block);
        }
        symbols::sorted(index)
    }

    fn hover(&self, offset: u32) -> Option<Hover> {
        self.at(offset)?.hover()
    }

    fn complete(&self, offset: u32) -> Vec<CompletionItem> {
        self.at(offset)
            .map_or_else(Vec::new, |inner| inner.complete())
    }

    fn signature(&self, offset: u32) -> Option<SignatureHelp> {
        self.at(offset)?.signature()
    }
}
