//! Descriptions of keywords that the table rows do not contain: state spaces of declarations, linkage, directives.

use crate::tree::declaration::DirectiveKind;
use warpgrid_program::TermDoc;

/// Descriptions of the state spaces.
const SPACES: &[(&str, &str)] = &[
    (
        ".reg",
        "registers, which are private to each thread and not addressable",
    ),
    (
        ".global",
        "global memory, which is accessible to all threads and the host",
    ),
    (
        ".const",
        "constant memory, which is read-only in kernels and initialized before the launch",
    ),
    (
        ".shared",
        "shared memory, which is accessible to the threads of a block",
    ),
    (".local", "local memory, which is private to each thread"),
    (".param", "parameters of kernels and functions"),
];

/// Descriptions of the linkage directives.
const LINKAGE: &[(&str, &str)] = &[
    (
        ".extern",
        "defined in another module, or allocated at launch",
    ),
    (".visible", "visible to other modules and the host"),
    (
        ".weak",
        "visible to other modules, where the linker keeps one of several definitions",
    ),
    (
        ".common",
        "visible to other modules, where the linker merges definitions of the same name",
    ),
];

/// Descriptions of the directives that constrain the launch or the code generation.
const PERFORMANCE: &[(&str, &str)] = &[
    (
        ".maxntid",
        "the maximum number of threads per block in each dimension",
    ),
    (
        ".reqntid",
        "the required number of threads per block in each dimension",
    ),
    (
        ".minnctapersm",
        "the minimum number of resident blocks per multiprocessor",
    ),
    (
        ".maxnctapersm",
        "the maximum number of resident blocks per multiprocessor",
    ),
    (".maxnreg", "the maximum number of registers per thread"),
    (".noreturn", "declares that the function never returns"),
    (
        ".reqnctapercluster",
        "the required number of blocks per cluster in each dimension",
    ),
    (
        ".explicitcluster",
        "requires that the launch specifies a cluster size",
    ),
    (
        ".maxclusterrank",
        "the maximum number of blocks per cluster",
    ),
];

/// Directives with a kind of their own.
const DIRECTIVES: &[(&str, DirectiveKind)] = &[
    (".version", DirectiveKind::Version),
    (".address_size", DirectiveKind::AddressSize),
    (".file", DirectiveKind::File),
    (".loc", DirectiveKind::Loc),
    (".section", DirectiveKind::Section),
    (".pragma", DirectiveKind::Pragma),
    (".alias", DirectiveKind::Alias),
    (".callprototype", DirectiveKind::CallPrototype),
    (".calltargets", DirectiveKind::CallTargets),
    (".branchtargets", DirectiveKind::BranchTargets),
];

/// Returns the reference pages of the state spaces, the linkage directives and the other directives.
pub(crate) fn terms() -> impl Iterator<Item = TermDoc> {
    let of_kind = |title: &'static str, rows: &'static [(&str, &str)]| {
        let rows = rows.iter();
        rows.map(move |(word, help)| term(word, format!("{title}: {help}.")))
    };
    let directives = DIRECTIVES.iter();
    let directives = directives
        .map(|(word, kind)| term(word, format!("Directive: {}.", directive_help(word, *kind))));
    of_kind("State space", SPACES)
        .chain(of_kind("Linkage", LINKAGE))
        .chain(of_kind("Directive", PERFORMANCE))
        .chain(directives)
}

fn term(word: &str, help: String) -> TermDoc {
    TermDoc {
        name: word.to_owned(),
        aliases: Vec::new(),
        help,
        needs: None,
    }
}

/// Returns the names of the state spaces, without dots.
pub(crate) fn spaces() -> impl Iterator<Item = &'static str> {
    words(SPACES)
}

/// Returns the linkage directives, without dots.
pub(crate) fn linkage() -> impl Iterator<Item = &'static str> {
    words(LINKAGE)
}

/// Returns the directives that follow the parameters of a function, without dots.
pub(crate) fn performance() -> impl Iterator<Item = &'static str> {
    words(PERFORMANCE)
}

fn words(rows: &'static [(&str, &str)]) -> impl Iterator<Item = &'static str> {
    rows.iter().map(|(word, _)| word.trim_start_matches('.'))
}

fn find(rows: &'static [(&str, &str)], word: &str) -> Option<&'static str> {
    let row = rows.iter().find(|(own, _)| *own == word);
    row.map(|(_, help)| *help)
}

/// Returns the description of a keyword that starts a directive or declaration.
pub(crate) fn keyword_help(word: &str) -> &'static str {
    let known = find(SPACES, word)
        .or(find(LINKAGE, word))
        .or(find(PERFORMANCE, word));
    let directive = DIRECTIVES.iter().find(|(own, _)| *own == word);
    match (known, directive, word) {
        (Some(help), ..) => help,
        (_, Some((word, kind)), _) => directive_help(word, *kind),
        (_, _, ".target") => directive_help(word, DirectiveKind::Target),
        (_, _, ".entry") => ENTRY,
        _ => FUNCTION,
    }
}

/// Description of `.entry`.
pub(crate) const ENTRY: &str = "a kernel, which is launched by the host";

/// Description of `.func`.
pub(crate) const FUNCTION: &str =
    "a device function, which is called by kernels and other functions";

pub(crate) fn space_help(space: &str) -> &'static str {
    find(SPACES, space).unwrap_or("a state space")
}

pub(crate) fn linkage_help(word: &str) -> &'static str {
    find(LINKAGE, word).unwrap_or("the linkage of the name")
}

pub(crate) fn directive_help(word: &str, kind: DirectiveKind) -> &'static str {
    match kind {
        DirectiveKind::Version => "the PTX ISA version of the module",
        DirectiveKind::Target => "the minimum target architecture of the module",
        DirectiveKind::AddressSize => "the width of a generic address in bits",
        DirectiveKind::File => "a source file to which `.loc` directives refer",
        DirectiveKind::Loc => "the source location of the following instructions",
        DirectiveKind::Section => "a section of debug information",
        DirectiveKind::Pragma => "a hint for the assembler",
        DirectiveKind::Alias => "an alias of a function",
        DirectiveKind::CallPrototype => "the signature of an indirect call",
        DirectiveKind::CallTargets => "the possible targets of an indirect call",
        DirectiveKind::BranchTargets => "the possible targets of an indexed branch",
        DirectiveKind::Performance => performance_help(word),
        DirectiveKind::Dwarf => "debug information in the format of old PTX versions",
        DirectiveKind::Unknown => "an unknown directive",
    }
}

fn performance_help(word: &str) -> &'static str {
    find(PERFORMANCE, word).unwrap_or("a constraint or hint for launch and code generation")
}
