//! What a front end does for hosts: a text goes in; a checked program, diagnostics, tokens and help come out as plain
//! data. Rooms to the right of the front ends hold a `&dyn FrontEnd` and know no dialect.

use crate::counterpart::CounterpartFacts;
use crate::diagnostic::{Diagnostic, Edit};
use crate::function::Program;
use crate::origin::Origin;
use crate::span::Span;
use crate::syntax::{Statement, StatementEdit};
use std::borrow::Cow;
use warpgrid_isa::{ScalarType, Target, Version};

/// A language of sources.
///
/// Offsets and spans count bytes. No call fails: what cannot be read becomes a diagnostic, or nothing.
pub trait FrontEnd: Sync {
    /// Reads a text for its version and target, or for those of `overrides`. It is parsed once, whatever is asked of it later.
    fn open<'a>(&self, source: Cow<'a, str>, overrides: &Overrides) -> Box<dyn Document + 'a>;

    /// Reads instructions without a module around them, among registers that the text around them gives.
    fn open_among<'a>(
        &self,
        source: Cow<'a, str>,
        overrides: &Overrides,
        _given: Vec<Given>,
    ) -> Box<dyn Document + 'a> {
        self.open(source, overrides)
    }

    /// Checks a text of which nothing else is asked.
    fn check(&self, source: &str, overrides: &Overrides) -> CheckedText {
        self.open(Cow::Borrowed(source), overrides).check()
    }

    /// Splits a text into coloured tokens, in text order.
    fn tokens(&self, source: &str) -> Vec<ColouredToken>;

    /// Formats a text: the same tokens and comments, one statement per line.
    fn format(&self, source: &str) -> String;

    /// What the encoding beside an instruction says of its scheduling, in words; `statement` is its place in the text. `None` where
    /// there is none. It has no effect on results.
    fn schedule(&self, _source: &str, _statement: Span, _target: &Target) -> Option<String> {
        None
    }

    /// Adds the facts of the PTX that the listing lacks, without changing line numbers. Returns `None` if the listing lacks none of the facts.
    fn complete_listing(&self, _source: &str, _facts: &CounterpartFacts) -> Option<String> {
        None
    }

    /// Returns the definitions of kernels and functions in a text: each name with the span from the first word of its header to the
    /// closing brace. Empty where the language has none.
    fn definitions(&self, _source: &str) -> Vec<(String, Span)> {
        Vec::new()
    }

    /// What starts a comment that ends with its line; launch facts are comments that go on with `@`.
    fn line_comment(&self) -> &'static str;
}

/// A text with its tree: what a host holds while a person edits or reads it. Offsets and spans count bytes; no call fails.
pub trait Document {
    /// The text.
    fn source(&self) -> &str;

    /// Checks the text.
    fn check(&self) -> CheckedText;

    /// Returns the labels and instructions of all function bodies in source order. Empty if the language has no editor.
    fn statements(&self) -> Vec<Statement> {
        Vec::new()
    }

    /// Returns the span of the array sizes of a variable, brackets included. The declaration may contain other variables.
    fn dimensions(&self, _declaration: Span, _variable: &str) -> Option<Span> {
        None
    }

    /// Returns the text replacement that performs an edit of a statement, with the indentation of the statement.
    fn edit(&self, _edit: &StatementEdit) -> Option<Edit> {
        None
    }

    /// The parts of the text that run by themselves; none where the text is one program.
    fn parts(&self) -> Vec<Part> {
        Vec::new()
    }

    /// Checks the text, with the program of the part that has this name, or of the first that is accepted.
    fn check_part(&self, _name: Option<&str>) -> CheckedText {
        self.check()
    }

    /// What starts a comment that ends with its line in this text, where it is not that of the language.
    fn line_comment(&self) -> Option<&'static str> {
        None
    }

    /// Explains the token at `offset`.
    fn hover(&self, offset: u32) -> Option<HoverText>;

    /// Lists what can be written at `offset`, best first.
    fn complete(&self, offset: u32) -> Vec<Suggestion>;

    /// Names the form that is being written at `offset`.
    fn signature(&self, offset: u32) -> Option<SignatureText>;
}

/// What a language is, for readers. Apart from [`FrontEnd`], so that a host that shows no reference, or has it in a file of
/// its own, does not carry its pages.
pub trait Reference: Sync {
    /// Explains an instruction as it is written, such as `st.global.v4.f32`, or an opcode.
    fn explain(&self, instruction: &str) -> Option<Explanation>;

    /// Every instruction form, in the order of the tables.
    fn forms(&self) -> Vec<FormFacts>;

    /// The pages of the diagnostics, in order of their codes.
    fn codes(&self) -> Vec<CodeFacts>;

    /// Names that are no instruction and mean something, such as registers of the machine; none unless a language has them.
    fn terms(&self) -> Vec<TermFacts> {
        Vec::new()
    }
}

/// What a host asks for instead of what the text states.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides {
    pub target: Option<&'static Target>,
    pub version: Option<Version>,
}

/// A register that is around a snippet: an operand of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub name: String,
    pub ty: ScalarType,
    /// Whether an annotation of the text states its value.
    pub is_stated: bool,
}

/// A part of a text that runs by itself, such as a block of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    /// Its place in the text.
    pub span: Span,
    /// What it is made of: the text that is checked and run.
    pub text: String,
    /// Whether nothing in it is an error.
    pub accept: bool,
    /// The target and the version that it is checked for.
    pub target: Option<&'static str>,
    pub version: Option<Version>,
    pub operands: Vec<PartOperand>,
    /// What else is to be known of it, in one sentence.
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
pub struct PartOperand {
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

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct CheckedText {
    /// The program; absent when a diagnostic is an error, or an error of the part that is asked for.
    pub program: Option<Program>,
    /// Where the program is a part of the text: the text that its spans count in, and where that comes from. Diagnostics count in the
    /// whole text.
    pub origin: Option<Origin>,
    /// The name of that part.
    pub part: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// The target that the text itself states, and its language version.
    pub stated_target: Option<&'static str>,
    pub stated_version: Option<Version>,
    /// The target and the language version that a text without them is checked for.
    pub assumed_target: Option<&'static str>,
    pub assumed_version: Option<Version>,
}

/// A token with its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColouredToken {
    pub span: Span,
    pub class: TokenClass,
}

/// Class of a token for syntax highlighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TokenClass {
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
    /// Where it is placed and where it is branched to.
    Label,
    /// A variable, parameter or function.
    Name,
    Punctuation,
    /// Characters that the language does not use, comments and strings without an end.
    Error,
}

impl TokenClass {
    /// All classes in the order of their discriminants.
    pub const ALL: [TokenClass; 13] = [
        TokenClass::Comment,
        TokenClass::Directive,
        TokenClass::Opcode,
        TokenClass::Modifier,
        TokenClass::Type,
        TokenClass::Register,
        TokenClass::SpecialRegister,
        TokenClass::Number,
        TokenClass::String,
        TokenClass::Label,
        TokenClass::Name,
        TokenClass::Punctuation,
        TokenClass::Error,
    ];

    /// A name for style sheets: `special-register`.
    pub const fn name(self) -> &'static str {
        match self {
            TokenClass::Comment => "comment",
            TokenClass::Directive => "directive",
            TokenClass::Opcode => "opcode",
            TokenClass::Modifier => "modifier",
            TokenClass::Type => "type",
            TokenClass::Register => "register",
            TokenClass::SpecialRegister => "special-register",
            TokenClass::Number => "number",
            TokenClass::String => "string",
            TokenClass::Label => "label",
            TokenClass::Punctuation => "punctuation",
            TokenClass::Name => "name",
            TokenClass::Error => "error",
        }
    }
}

/// The meaning of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoverText {
    /// The token.
    pub span: Span,
    /// As code: a syntax line, a declaration, a value.
    pub title: String,
    /// Sentences, the most important first.
    pub lines: Vec<String>,
    /// Anchor of the section in the manual.
    pub section: Option<&'static str>,
    /// Range of the declaration of the name.
    pub declared: Option<Span>,
}

impl HoverText {
    /// The meaning of a token that is `title`, without a word about it yet.
    pub fn new(span: Span, title: impl Into<String>) -> HoverText {
        HoverText {
            span,
            title: title.into(),
            lines: Vec::new(),
            section: None,
            declared: None,
        }
    }

    /// With one more sentence, unless it is empty.
    #[must_use]
    pub fn line(mut self, line: impl Into<String>) -> HoverText {
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
pub enum SuggestionKind {
    Opcode,
    Modifier,
    Type,
    Register,
    Variable,
    Label,
    Function,
}

impl SuggestionKind {
    /// Returns the serialized name.
    pub const fn name(self) -> &'static str {
        match self {
            SuggestionKind::Opcode => "opcode",
            SuggestionKind::Modifier => "modifier",
            SuggestionKind::Type => "type",
            SuggestionKind::Register => "register",
            SuggestionKind::Variable => "variable",
            SuggestionKind::Label => "label",
            SuggestionKind::Function => "function",
        }
    }
}

/// Completion item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// As it is written.
    pub text: String,
    pub kind: SuggestionKind,
    /// Its meaning, in one line.
    pub help: String,
    /// Since when and where it exists: "since PTX 8.1, on `sm_90` and later".
    pub needs: Option<String>,
    /// Range that the completion replaces.
    pub span: Span,
}

/// Instruction form at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SignatureText {
    /// Syntax line.
    pub syntax: String,
    pub help: String,
    /// Names of the operands, in order.
    pub operands: Vec<String>,
    /// Index of the operand at the cursor. Absent if the cursor is in the opcode.
    pub active: Option<u32>,
}

/// Reference page of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeFacts {
    pub code: &'static str,
    /// A short noun phrase.
    pub title: &'static str,
    /// What the code means and why the rule is there.
    pub explanation: &'static str,
    /// A text that gives the code.
    pub wrong: &'static str,
    /// The text as it should be.
    pub right: &'static str,
}

impl CodeFacts {
    /// A page as one row of a catalogue.
    pub const fn page(
        code: &'static str,
        title: &'static str,
        explanation: &'static str,
        wrong: &'static str,
        right: &'static str,
    ) -> CodeFacts {
        CodeFacts {
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
pub struct TermFacts {
    /// Name in the list of terms: `%tid.x`.
    pub name: String,
    /// Other spellings that a search finds.
    pub aliases: Vec<String>,
    /// Meaning, in sentences or in one phrase.
    pub help: String,
    /// Required version and target.
    pub needs: Option<String>,
}

impl TermFacts {
    /// Checks whether `name` is the name or an alias, regardless of case.
    pub fn is_called(&self, name: &str) -> bool {
        let mut names = std::iter::once(&self.name).chain(&self.aliases);
        names.any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// An instruction form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormFacts {
    /// Opcode: `st`.
    pub opcode: String,
    /// Syntax line.
    pub syntax: String,
    pub help: String,
    /// Since when and where it exists.
    pub needs: Option<String>,
    /// Anchor of the section in the manual.
    pub section: String,
    pub slots: Vec<SlotFacts>,
    pub operands: Vec<OperandFacts>,
    /// Rules for combinations of modifiers, one phrase each.
    pub rules: Vec<String>,
    pub examples: Vec<String>,
    /// The counterpart in another language, and remarks, one line each.
    pub beside: Vec<String>,
}

/// Operand of an instruction form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OperandPage"))]
pub struct OperandFacts {
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
pub struct SlotFacts {
    pub name: String,
    /// Title of the slot: "state space".
    pub title: String,
    pub required: bool,
    pub values: Vec<ValueFacts>,
}

impl SlotFacts {
    /// Checks whether every instruction of the form has the modifier, so that the modifier is part of the name of the form.
    pub fn is_name(&self) -> bool {
        self.required && self.values.is_empty()
    }
}

/// Modifier, or a family of modifiers that differ only in one number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ValuePage"))]
pub struct ValueFacts {
    /// Name of the modifier: `v4`. For a family: `m64n{8…256 step 8}k16`.
    pub text: String,
    /// Modifiers of a family. Empty for a single modifier.
    pub members: Vec<String>,
    pub help: String,
    pub needs: Option<String>,
    /// Origin of the fact: "PTX ISA", "assembler 13.5", "measured on `sm_80`".
    pub origin: String,
}

/// What [`Reference::explain`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// The forms of an opcode.
    Opcode(Vec<FormFacts>),
    /// An instruction, word by word.
    Instruction {
        mnemonic: String,
        form: Box<FormFacts>,
        words: Vec<WordFacts>,
        /// Why no form is written like this, one sentence each, if the tables show it. The check of a text may find more.
        faults: Vec<String>,
        /// The same in another language, one line each; with how far it can be trusted.
        beside: Vec<String>,
    },
}

/// A word of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordFacts {
    pub text: String,
    /// Absent for a word that the form does not take.
    pub meaning: Option<WordMeaning>,
}

/// The meaning of a word of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordMeaning {
    /// A word of the form itself, and what it says.
    Literal(String),
    /// A value of a slot, with the slot's title.
    Value { slot: String, value: ValueFacts },
}

#[cfg(test)]
mod tests {
    use super::TokenClass;

    #[test]
    fn token_classes_are_listed_in_the_order_of_their_discriminants() {
        for (index, class) in TokenClass::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, index);
        }
    }
}
