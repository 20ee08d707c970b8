//! PTX as a [`FrontEnd`]: the calls of this crate go in, the plain data that hosts know comes out. No logic of its own.

mod reference;

use crate::complete::Sort;
use crate::tree::{DirectiveKind, Tree};
use crate::{Options, TokenClass as PtxClass};
use warpgrid_isa::{Target, Version};
use warpgrid_program::{
    CheckedText, CodeFacts, ColouredToken, Explanation, FormFacts, FrontEnd, HoverText, Overrides,
    Reference, SignatureText, Suggestion, SuggestionKind, TermFacts, TokenClass,
};

/// The front end for PTX.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ptx;

impl FrontEnd for Ptx {
    fn check(&self, source: &str, overrides: &Overrides) -> CheckedText {
        let parse = crate::parse(source);
        let checked = crate::check(source, &parse, &options(overrides));
        let stated_target = argument(source, &parse.tree, DirectiveKind::Target)
            .and_then(Target::from_name)
            .map(|target| target.name);
        let stated_version = version(source, &parse.tree);
        CheckedText {
            program: checked.program,
            diagnostics: checked.diagnostics,
            stated_target,
            stated_version,
            assumed_target: stated_target.is_none().then_some(checked.target.name),
            assumed_version: stated_version.is_none().then_some(checked.version),
        }
    }

    fn tokens(&self, source: &str) -> Vec<ColouredToken> {
        let tokens = crate::tokens(source).into_iter();
        tokens
            .map(|token| ColouredToken {
                span: token.span,
                class: class(token.class),
            })
            .collect()
    }

    fn hover(&self, source: &str, overrides: &Overrides, offset: u32) -> Option<HoverText> {
        let parse = crate::parse(source);
        let found = crate::hover(source, &parse, &options(overrides), offset)?;
        Some(HoverText {
            span: found.span,
            title: found.title,
            lines: found.lines,
            section: found.section,
            declared: found.declared,
        })
    }

    fn complete(&self, source: &str, overrides: &Overrides, offset: u32) -> Vec<Suggestion> {
        let parse = crate::parse(source);
        let found = crate::complete(source, &parse, &options(overrides), offset).into_iter();
        found
            .map(|found| Suggestion {
                text: found.text,
                kind: kind(found.sort),
                help: found.help,
                needs: found.gate.phrase(),
                span: found.span,
            })
            .collect()
    }

    fn signature(&self, source: &str, offset: u32) -> Option<SignatureText> {
        let found = crate::signature(source, offset)?;
        Some(SignatureText {
            syntax: found.syntax.to_owned(),
            help: found.help.to_owned(),
            operands: found.operands.into_iter().map(str::to_owned).collect(),
            active: found.active.map(|index| index as u32),
        })
    }

    fn format(&self, source: &str) -> String {
        crate::format(source)
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }
}

impl Reference for Ptx {
    fn explain(&self, instruction: &str) -> Option<Explanation> {
        reference::explain(instruction)
    }

    fn forms(&self) -> Vec<FormFacts> {
        reference::forms()
    }

    fn terms(&self) -> Vec<TermFacts> {
        reference::terms()
    }

    fn codes(&self) -> Vec<CodeFacts> {
        let pages = crate::diagnostics::codes();
        pages
            .map(|page| CodeFacts {
                code: page.code,
                title: page.title,
                explanation: page.explanation,
                wrong: page.wrong,
                right: page.right,
            })
            .collect()
    }
}

fn options(overrides: &Overrides) -> Options {
    Options {
        target: overrides.target,
        version: overrides.version,
    }
}

/// The text of a directive's first argument.
fn argument<'a>(source: &'a str, tree: &Tree, kind: DirectiveKind) -> Option<&'a str> {
    let directive = tree.directive(kind)?;
    let (operand, _) = tree.arguments_of(directive).next()?;
    Some(operand.span.text(source))
}

/// The version that a text states; its two numbers are arguments of their own.
fn version(source: &str, tree: &Tree) -> Option<Version> {
    let directive = tree.directive(DirectiveKind::Version)?;
    let mut numbers = tree.arguments_of(directive);
    let mut number = || numbers.next().map(|(operand, _)| operand.span.text(source));
    Version::parse(&format!("{}.{}", number()?, number()?))
}

const fn class(class: PtxClass) -> TokenClass {
    match class {
        PtxClass::Comment => TokenClass::Comment,
        PtxClass::Directive => TokenClass::Directive,
        PtxClass::Opcode => TokenClass::Opcode,
        PtxClass::Modifier => TokenClass::Modifier,
        PtxClass::Type => TokenClass::Type,
        PtxClass::Register => TokenClass::Register,
        PtxClass::SpecialRegister => TokenClass::SpecialRegister,
        PtxClass::Number => TokenClass::Number,
        PtxClass::String => TokenClass::String,
        PtxClass::Label => TokenClass::Label,
        PtxClass::Punctuation => TokenClass::Punctuation,
        PtxClass::Name => TokenClass::Name,
        PtxClass::Error => TokenClass::Error,
    }
}

const fn kind(sort: Sort) -> SuggestionKind {
    match sort {
        Sort::Opcode => SuggestionKind::Opcode,
        Sort::Modifier => SuggestionKind::Modifier,
        Sort::Type => SuggestionKind::Type,
        Sort::Register => SuggestionKind::Register,
        Sort::Variable => SuggestionKind::Variable,
        Sort::Label => SuggestionKind::Label,
        Sort::Function => SuggestionKind::Function,
    }
}
