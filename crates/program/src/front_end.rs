//! Language-independent interface of a front end: checking, tokenizing, formatting, hover and completion. Downstream crates use
//! `&dyn FrontEnd` and do not depend on a particular language.

use crate::counterpart::CounterpartFacts;
use crate::diagnostic::{Diagnostic, Edit};
use crate::function::Program;
use crate::source_map::MappedSource;
use crate::span::Span;
use crate::symbols::SymbolIndex;
use crate::syntax::{Statement, StatementEdit};
use std::borrow::Cow;
use warpgrid_isa::{ScalarType, Target, Version};

/// Front end for a language.
///
/// Offsets and spans count bytes. No function fails: syntax that cannot be parsed results in a diagnostic, or in an empty result.
pub trait FrontEnd: Sync {
    /// Parses a source for its version and target, or for those of `overrides`. All requests to the document share one parse.
    fn open<'a>(&self, source: Cow<'a, str>, overrides: &Overrides) -> Box<dyn Document + 'a>;

    /// Parses instructions without a surrounding module. `_given` contains the registers that the surrounding code declares.
    fn open_with_registers<'a>(
        &self,
        source: Cow<'a, str>,
        overrides: &Overrides,
        _given: Vec<ExternalRegister>,
    ) -> Box<dyn Document + 'a> {
        self.open(source, overrides)
    }

    /// Checks a source without keeping its document.
    fn check(&self, source: &str, overrides: &Overrides) -> CheckResult {
        self.open(Cow::Borrowed(source), overrides).check()
    }

    /// Splits a source into tokens for syntax highlighting, in source order.
    fn tokens(&self, source: &str) -> Vec<SemanticToken>;

    /// Formats a source: preserves its tokens and comments, and writes one statement per line.
    fn format(&self, source: &str) -> String;

    /// Describes the scheduling information in the encoding of the instruction at `statement`; `None` if the source contains no
    /// encoding. Informational only: results do not depend on it.
    fn schedule(&self, _source: &str, _statement: Span, _target: &Target) -> Option<String> {
        None
    }

    /// Adds facts of the PTX module that the listing lacks, without changing line numbers. Returns `None` if the listing lacks
    /// none of these facts.
    fn complete_listing(&self, _source: &str, _facts: &CounterpartFacts) -> Option<String> {
        None
    }

    /// Returns the definitions of kernels and functions: the name of each, and the span from the first token of its header to its
    /// closing brace. Empty if the language has no definitions.
    fn definitions(&self, _source: &str) -> Vec<(String, Span)> {
        Vec::new()
    }

    /// Returns the start of a line comment. A launch annotation is a line comment whose text starts with `@`.
    fn line_comment(&self) -> &'static str;
}

/// Parsed source, which a host keeps while the user edits or reads the source. Offsets and spans count bytes; no function fails.
pub trait Document {
    /// Returns the source.
    fn source(&self) -> &str;

    /// Checks the source.
    fn check(&self) -> CheckResult;

    /// Returns the labels and instructions of all function bodies in source order. Empty if the language has no editor.
    fn statements(&self) -> Vec<Statement> {
        Vec::new()
    }

    /// Returns the span of the array dimensions of a variable, including the brackets. The declaration may contain other
    /// variables.
    fn dimensions(&self, _declaration: Span, _variable: &str) -> Option<Span> {
        None
    }

    /// Returns the text replacement that performs an edit of a statement, with the indentation of the statement.
    fn edit(&self, _edit: &StatementEdit) -> Option<Edit> {
        None
    }

    /// Returns the parts of the source that can be run separately. Empty if the source is one program.
    fn snippets(&self) -> Vec<EmbeddedSnippet> {
        Vec::new()
    }

    /// Checks the source, and returns the program of the part with this name, or of the first part without errors if no name is
    /// given.
    fn check_snippet(&self, _name: Option<&str>) -> CheckResult {
        self.check()
    }

    /// Returns the symbols of the source and their occurrences.
    fn symbols(&self) -> SymbolIndex {
        SymbolIndex::default()
    }

    /// Returns the literals that state the bits of a floating-point value, with the value in decimal notation.
    fn bit_literals(&self) -> Vec<(Span, String)> {
        Vec::new()
    }

    /// Returns the start of a line comment in this source if it differs from that of the language.
    fn line_comment(&self) -> Option<&'static str> {
        None
    }

    /// Returns the hover text of the token at `offset`.
    fn hover(&self, offset: u32) -> Option<Hover>;

    /// Returns the completions at `offset`, best first.
    fn complete(&self, offset: u32) -> Vec<CompletionItem>;

    /// Returns the instruction form at `offset` (signature help).
    fn signature(&self, offset: u32) -> Option<SignatureHelp>;
}

/// Reference documentation of a language. Separate from [`FrontEnd`], so that hosts which show no reference, or load it from a
/// separate file, do not contain its pages.
pub trait ReferenceDocs: Sync {
    /// Explains an instruction in its source spelling, such as `st.global.v4.f32`, or an opcode.
    fn explain(&self, instruction: &str) -> Option<Explanation>;

    /// Returns all instruction forms, in the order of the tables.
    fn forms(&self) -> Vec<FormDoc>;

    /// Returns the reference pages of the diagnostics, in the order of their codes.
    fn codes(&self) -> Vec<DiagnosticDoc>;

    /// Returns terms that are not instructions, such as special registers. Empty by default.
    fn terms(&self) -> Vec<TermDoc> {
        Vec::new()
    }
}

/// Target and version that the host specifies in place of those of the source, and the architecture of the generated code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    pub target: Option<&'static Target>,
    pub version: Option<Version>,
    /// Architecture for which the assembler generates code, whose limit for static shared memory applies. By default, the target of the
    /// module.
    pub architecture: Option<&'static Target>,
}

/// Register of the code around a snippet: an operand of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalRegister {
    pub name: String,
    pub ty: ScalarType,
    /// Whether an annotation of the source specifies the value of the register.
    pub is_stated: bool,
    /// Value with which the code around the snippet initializes the register.
    pub initial: Option<ExternalValue>,
}

/// Value with which the code around a snippet initializes a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalValue {
    pub bits: u64,
    /// Declaration or expression of the value in the notation of the host source: `int bytes = pred ? 16 : 0`.
    pub text: String,
}

/// Part of a source that can be run separately, such as a block of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedSnippet {
    pub name: String,
    /// Span of the part in the source.
    pub span: Span,
    /// Expanded source of the part, which is checked and run.
    pub text: String,
    /// Whether the part has no errors.
    pub accept: bool,
    /// Target and version for which the part is checked.
    pub target: Option<&'static str>,
    pub version: Option<Version>,
    pub operands: Vec<SnippetOperand>,
    /// Further information about the part, in one sentence.
    pub note: Option<String>,
}

/// Operand of an asm block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "PartOperandView")
)]
pub struct SnippetOperand {
    /// Name of the operand in the asm block.
    pub name: String,
    /// `.u32`, `constant` or `text`.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub ty: String,
    /// Constraint as written, without quotation marks: `=r`.
    pub constraint: String,
    /// Expression that is passed to the operand.
    pub expression: String,
}

/// Result of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckResult {
    /// Checked program. Absent if there is an error, or if a part was requested and the part has an error.
    pub program: Option<Program>,
    /// If the program is a part of the source: the text to which the spans of the program refer, with its source map. The spans
    /// of diagnostics refer to the whole source.
    pub origin: Option<MappedSource>,
    /// Name of this part.
    pub part: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// Target and language version that the source specifies.
    pub stated_target: Option<&'static str>,
    pub stated_version: Option<Version>,
    /// Target and language version for which a source without these directives is checked.
    pub assumed_target: Option<&'static str>,
    pub assumed_version: Option<Version>,
}

/// Token with its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemanticToken {
    pub span: Span,
    pub class: SemanticTokenKind,
}

/// Class of a token for syntax highlighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum SemanticTokenKind {
    Comment,
    /// `.reg`, `.entry`, `.align`
    Directive,
    /// `st`
    Opcode,
    /// `.global`, `.L1::evict_last`, `.x`
    Modifier,
    /// `.u32`
    Type,
    /// `%r1`
    Register,
    /// `%tid`, with its component
    SpecialRegister,
    Number,
    String,
    /// Definition of a label, or reference to a label.
    Label,
    /// Name of a variable, parameter or function.
    Name,
    Punctuation,
    /// Characters that the language does not use, and unterminated comments and strings.
    Error,
}

impl SemanticTokenKind {
    /// All classes in the order of their discriminants.
    pub const ALL: [SemanticTokenKind; 13] = [
        SemanticTokenKind::Comment,
        SemanticTokenKind::Directive,
        SemanticTokenKind::Opcode,
        SemanticTokenKind::Modifier,
        SemanticTokenKind::Type,
        SemanticTokenKind::Register,
        SemanticTokenKind::SpecialRegister,
        SemanticTokenKind::Number,
        SemanticTokenKind::String,
        SemanticTokenKind::Label,
        SemanticTokenKind::Name,
        SemanticTokenKind::Punctuation,
        SemanticTokenKind::Error,
    ];

    /// Returns the name of the class in style sheets: `special-register`.
    pub const fn name(self) -> &'static str {
        match self {
            SemanticTokenKind::Comment => "comment",
            SemanticTokenKind::Directive => "directive",
            SemanticTokenKind::Opcode => "opcode",
            SemanticTokenKind::Modifier => "modifier",
            SemanticTokenKind::Type => "type",
            SemanticTokenKind::Register => "register",
            SemanticTokenKind::SpecialRegister => "special-register",
            SemanticTokenKind::Number => "number",
            SemanticTokenKind::String => "string",
            SemanticTokenKind::Label => "label",
            SemanticTokenKind::Punctuation => "punctuation",
            SemanticTokenKind::Name => "name",
            SemanticTokenKind::Error => "error",
        }
    }
}

/// Contents of a hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// Span of the token.
    pub span: Span,
    /// Title in code font: a syntax line, a declaration or a value.
    pub title: String,
    /// Sentences, the most important one first.
    pub lines: Vec<String>,
    /// Anchor of the section in the manual.
    pub section: Option<&'static str>,
    /// Span of the declaration of the name.
    pub declared: Option<Span>,
}

impl Hover {
    /// Creates a hover text with a title and without sentences.
    pub fn new(span: Span, title: impl Into<String>) -> Hover {
        Hover {
            span,
            title: title.into(),
            lines: Vec::new(),
            section: None,
            declared: None,
        }
    }

    /// Appends a sentence, unless it is empty.
    #[must_use]
    pub fn line(mut self, line: impl Into<String>) -> Hover {
        let line = line.into();
        if !line.is_empty() {
            self.lines.push(line);
        }
        self
    }
}

/// Kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "CompletionSort")
)]
pub enum CompletionItemKind {
    Opcode,
    Modifier,
    Type,
    Register,
    Variable,
    Label,
    Function,
    /// Keyword or argument of a directive, such as a target.
    Directive,
}

impl CompletionItemKind {
    /// Returns the serialized name.
    pub const fn name(self) -> &'static str {
        match self {
            CompletionItemKind::Opcode => "opcode",
            CompletionItemKind::Modifier => "modifier",
            CompletionItemKind::Type => "type",
            CompletionItemKind::Register => "register",
            CompletionItemKind::Variable => "variable",
            CompletionItemKind::Label => "label",
            CompletionItemKind::Function => "function",
            CompletionItemKind::Directive => "directive",
        }
    }
}

/// Completion item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// Inserted text.
    pub text: String,
    pub kind: CompletionItemKind,
    /// Description in one line.
    pub help: String,
    /// Required version and targets: "since PTX 8.1, on `sm_90` and later".
    pub needs: Option<String>,
    /// Span that the completion replaces.
    pub span: Span,
}

/// Instruction form at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SignatureHelp {
    /// Syntax line.
    pub syntax: String,
    pub help: String,
    /// Operand names, in order.
    pub operands: Vec<String>,
    /// Index of the operand at the cursor. Absent if the cursor is in the opcode.
    pub active: Option<u32>,
}

/// Reference page of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosticDoc {
    pub code: &'static str,
    /// Title: a short noun phrase.
    pub title: &'static str,
    /// Meaning of the diagnostic, and the reason for its rule.
    pub explanation: &'static str,
    /// Source for which the diagnostic is reported.
    pub wrong: &'static str,
    /// Corrected source.
    pub right: &'static str,
}

impl DiagnosticDoc {
    /// Creates a page from one row of a catalogue.
    pub const fn page(
        code: &'static str,
        title: &'static str,
        explanation: &'static str,
        wrong: &'static str,
        right: &'static str,
    ) -> DiagnosticDoc {
        DiagnosticDoc {
            code,
            title,
            explanation,
            wrong,
            right,
        }
    }
}

/// Reference page of a term that is neither an instruction nor a diagnostic, such as a special register.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TermDoc {
    /// Name in the list of terms: `%tid.x`.
    pub name: String,
    /// Other spellings that a search finds.
    pub aliases: Vec<String>,
    /// Meaning, in sentences or in one phrase.
    pub help: String,
    /// Required version and target.
    pub needs: Option<String>,
}

impl TermDoc {
    /// Checks whether `name` is the name or an alias, regardless of case.
    pub fn is_called(&self, name: &str) -> bool {
        let mut names = std::iter::once(&self.name).chain(&self.aliases);
        names.any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Instruction form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormDoc {
    /// Opcode: `st`.
    pub opcode: String,
    /// Syntax line.
    pub syntax: String,
    pub help: String,
    /// Required version and targets.
    pub needs: Option<String>,
    /// Anchor of the section in the manual.
    pub section: String,
    pub slots: Vec<SlotDoc>,
    pub operands: Vec<OperandDoc>,
    /// Rules for combinations of modifiers, one phrase per rule.
    pub rules: Vec<String>,
    pub examples: Vec<String>,
    /// Counterpart in the other language, and remarks, one line each.
    pub beside: Vec<String>,
}

/// Operand of an instruction form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OperandPage"))]
pub struct OperandDoc {
    /// Name in the syntax line: "a".
    pub name: String,
    /// Description: "address of an mbarrier object in shared memory".
    pub help: String,
    pub required: bool,
}

/// Modifier slot of an instruction form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SlotPage"))]
pub struct SlotDoc {
    pub name: String,
    /// Title of the slot: "state space".
    pub title: String,
    pub required: bool,
    pub values: Vec<ModifierDoc>,
}

impl SlotDoc {
    /// Checks whether every instruction of the form has the modifier, so that the modifier is part of the name of the form.
    pub fn is_name(&self) -> bool {
        self.required && self.values.is_empty()
    }
}

/// Modifier, or a family of modifiers that differ only in one number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ValuePage"))]
pub struct ModifierDoc {
    /// Name of the modifier: `v4`. For a family: `m64n{8…256 step 8}k16`.
    pub text: String,
    /// Modifiers of a family. Empty for a single modifier.
    pub members: Vec<String>,
    pub help: String,
    pub needs: Option<String>,
    /// Origin of the fact: "PTX ISA", "assembler 13.5", "measured on `sm_80`".
    pub origin: String,
}

/// Result of [`ReferenceDocs::explain`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// Forms of an opcode.
    Opcode(Vec<FormDoc>),
    /// Explanation of each modifier of an instruction.
    Instruction {
        mnemonic: String,
        form: Box<FormDoc>,
        words: Vec<TokenDoc>,
        /// Reasons why no form matches the instruction, one sentence each, if the tables determine them. A check of the source
        /// may report more errors.
        faults: Vec<String>,
        /// Counterpart in the other language, one line each, with the reliability of the statement.
        equivalents: Vec<String>,
    },
}

/// Opcode or modifier of an explained instruction with its meaning, or without a meaning if the form does not accept it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenDoc {
    pub text: String,
    /// Meaning; `None` if the form does not accept this modifier.
    pub meaning: Option<TokenDocKind>,
}

/// Meaning of an opcode or modifier of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenDocKind {
    /// Literal part of the form, with its description.
    Literal(String),
    /// Value of a modifier slot, with the title of the slot.
    Value { slot: String, value: ModifierDoc },
}

#[cfg(test)]
mod tests {
    use super::SemanticTokenKind;

    #[test]
    fn token_kinds_are_listed_in_discriminant_order() {
        for (index, class) in SemanticTokenKind::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index);
        }
    }
}
