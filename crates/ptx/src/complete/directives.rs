//! Completion of directives and declarations: keywords, targets, versions and types.

use crate::complete::line::PartialInstruction;
use crate::hover::keywords::{keyword_help, linkage, performance, spaces};
use crate::parser::declaration::declared_type;
use crate::tree::{StatementKind, Tree};
use warpgrid_isa::target::TARGETS;
use warpgrid_isa::{ScalarType, Version};
use warpgrid_program::{CompletionItem, CompletionItemKind};

/// Directives that start a statement of a module, in addition to linkage directives and state spaces.
const OF_MODULE: &[&str] = &[
    "version",
    "target",
    "address_size",
    "entry",
    "func",
    "file",
    "section",
    "alias",
    "pragma",
];

/// Directives that start a statement of a function body, in addition to state spaces.
const OF_BODY: &[&str] = &[
    "loc",
    "pragma",
    "callprototype",
    "calltargets",
    "branchtargets",
];

/// State spaces of variables that only the module declares, and of variables that only function bodies declare.
const MODULE_SPACES: &[&str] = &["global", "const"];
const BODY_SPACES: &[&str] = &["reg", "local", "param"];

/// Returns the state spaces of the declarations in a function body, or in the module.
fn declared_spaces(is_in_body: bool) -> impl Iterator<Item = &'static str> {
    let excluded = match is_in_body {
        true => MODULE_SPACES,
        false => BODY_SPACES,
    };
    spaces().filter(move |space| !excluded.contains(space))
}

/// Returns the completions of a directive or declaration.
pub(super) fn directives(line: &PartialInstruction<'_>, tree: &Tree) -> Vec<CompletionItem> {
    let finished = line.finished();
    let Some((first, rest)) = finished.split_first() else {
        let is_in_body = is_in_body(tree, line.span().start);
        let spaces = declared_spaces(is_in_body);
        return match is_in_body {
            true => keywords(line, spaces.chain(OF_BODY.iter().copied())),
            false => {
                let directives = OF_MODULE.iter().copied();
                keywords(line, directives.chain(linkage()).chain(spaces))
            }
        };
    };
    match *first {
        "target" => targets(line),
        "version" => versions(line),
        "address_size" => words(line, &["64", "32"], |_| String::new()),
        first if is_linkage(first) && rest.is_empty() => {
            let functions = ["entry", "func"].into_iter();
            keywords(line, functions.chain(declared_spaces(false)))
        }
        _ if finished.iter().any(|word| is_space(word)) && !has_type(finished) => declaration(line),
        "entry" | "func" => keywords(line, performance()),
        first if is_linkage(first) => keywords(line, performance()),
        _ => Vec::new(),
    }
}

fn is_space(word: &str) -> bool {
    spaces().any(|space| space == word)
}

fn is_linkage(word: &str) -> bool {
    linkage().any(|linkage| linkage == word)
}

/// Returns whether an offset is within a function body.
fn is_in_body(tree: &Tree, offset: u32) -> bool {
    let before = tree.statements.iter().rev();
    let mut before = before.skip_while(|statement| statement.span.start >= offset);
    let boundary = before.find(|statement| {
        matches!(
            statement.kind,
            StatementKind::FunctionStart(_) | StatementKind::FunctionEnd(_)
        )
    });
    boundary.is_some_and(|found| match found.kind {
        StatementKind::FunctionStart(_) => true,
        // The function is not closed yet if its end is empty.
        _ => found.span.start == found.span.end,
    })
}

/// Returns whether the last declaration among the words has a type. A parameter list contains several declarations.
fn has_type(words: &[&str]) -> bool {
    let is_type = |word: &&str| ScalarType::from_name(word).is_some();
    let last_space = words.iter().rposition(|word| is_space(word));
    let after = words.get(last_space.map_or(0, |at| at + 1)..);
    after.is_some_and(|after| after.iter().any(is_type))
}

fn declaration(line: &PartialInstruction<'_>) -> Vec<CompletionItem> {
    let types = ScalarType::ALL.iter().filter(|ty| {
        let is_declarable = declared_type(&format!(".{}", ty.name())).is_some();
        is_declarable && ty.name().starts_with(line.prefix)
    });
    let mut found: Vec<CompletionItem> = types
        .map(|ty| CompletionItem {
            text: ty.name().to_owned(),
            kind: CompletionItemKind::Type,
            help: ty.help().to_owned(),
            needs: None,
            span: line.span(),
        })
        .collect();
    found.extend(words(line, &["align", "v2", "v4"], |word| {
        match word {
            "align" => "the alignment in bytes",
            _ => "a vector type",
        }
        .to_owned()
    }));
    found
}

fn targets(line: &PartialInstruction<'_>) -> Vec<CompletionItem> {
    let names = TARGETS.iter().rev().map(|target| target.name);
    let names: Vec<&str> = names.collect();
    words(line, &names, |_| String::new())
}

fn versions(line: &PartialInstruction<'_>) -> Vec<CompletionItem> {
    let names: Vec<String> = Version::all().map(|version| version.to_string()).collect();
    let names: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    words(line, &names, |_| String::new())
}

fn keywords(
    line: &PartialInstruction<'_>,
    all: impl Iterator<Item = &'static str>,
) -> Vec<CompletionItem> {
    let all: Vec<&str> = all.collect();
    words(line, &all, |word| {
        keyword_help(&format!(".{word}")).to_owned()
    })
}

fn words(
    line: &PartialInstruction<'_>,
    all: &[&str],
    help: impl Fn(&str) -> String,
) -> Vec<CompletionItem> {
    let fitting = all.iter().filter(|word| word.starts_with(line.prefix));
    let items = fitting.map(|word| CompletionItem {
        text: (*word).to_owned(),
        kind: CompletionItemKind::Directive,
        help: help(word),
        needs: None,
        span: line.span(),
    });
    items.collect()
}
