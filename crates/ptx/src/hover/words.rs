//! One line for words that no row describes: spaces of declarations, linkage, directives.

use crate::tree::DirectiveKind;

pub(super) fn space_help(space: &str) -> &'static str {
    match space {
        ".reg" => "registers: private to each thread, without address",
        ".global" => "memory that every thread and the host see",
        ".const" => "read-only memory, filled before a kernel starts",
        ".shared" => "memory shared by the threads of a block",
        ".local" => "memory private to each thread",
        ".param" => "parameters of kernels and functions",
        _ => "a state space",
    }
}

pub(super) fn linkage_help(word: &str) -> &'static str {
    match word {
        ".extern" => "defined in another module, or sized at launch",
        ".visible" => "seen by other modules and the host",
        ".weak" => "seen by others; one of several definitions is kept",
        ".common" => "seen by others; definitions of one name are merged",
        _ => "who else sees the name",
    }
}

pub(super) fn directive_help(word: &str, kind: DirectiveKind) -> &'static str {
    match kind {
        DirectiveKind::Version => "the PTX ISA version that the module is written for",
        DirectiveKind::Target => "the lowest architecture that the module runs on",
        DirectiveKind::AddressSize => "bits of a generic address",
        DirectiveKind::File => "a source file, for `.loc`",
        DirectiveKind::Loc => "the source line of what follows",
        DirectiveKind::Section => "debug data",
        DirectiveKind::Pragma => "a hint for the assembler",
        DirectiveKind::Alias => "a second name for a function",
        DirectiveKind::CallPrototype => "what an indirect call passes and gets",
        DirectiveKind::CallTargets => "functions that an indirect call may reach",
        DirectiveKind::BranchTargets => "labels that an indexed branch may reach",
        DirectiveKind::Performance => performance_help(word),
        DirectiveKind::Dwarf => "debug data of old modules",
        DirectiveKind::Unknown => "a directive that is not known",
    }
}

fn performance_help(word: &str) -> &'static str {
    match word {
        ".maxntid" => "the most threads of a block, by dimension",
        ".reqntid" => "the threads of a block, by dimension",
        ".minnctapersm" => "blocks that a multiprocessor should hold at once",
        ".maxnctapersm" => "the most blocks that a multiprocessor holds at once",
        ".maxnreg" => "the most registers of a thread",
        ".noreturn" => "the function never returns",
        ".reqnctapercluster" => "the blocks of a cluster, by dimension",
        ".explicitcluster" => "the launch must name a cluster size",
        ".maxclusterrank" => "the most blocks of a cluster",
        _ => "a hint or bound for launch and code generation",
    }
}
