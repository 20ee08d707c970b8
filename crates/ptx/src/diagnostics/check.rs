//! Diagnostics of the checker: codes W0100 to W0199.

pub(crate) mod calls;
pub(crate) mod header;
pub(crate) mod modifiers;
pub(crate) mod operands;

pub(crate) use crate::diagnostics::check::calls::*;
pub(crate) use crate::diagnostics::check::header::*;
pub(crate) use crate::diagnostics::check::modifiers::*;
pub(crate) use crate::diagnostics::check::operands::*;

use crate::diagnostics::diagnostic_codes;
use crate::tree::operand::OperandKind;
use warpgrid_isa::{StateSpace, Target, Version};

use warpgrid_program::{Diagnostic, Severity, Span};

diagnostic_codes! {
    /// An instruction must start with a PTX opcode.
    UNKNOWN_INSTRUCTION = "W0100", "unknown instruction", "ad.u32 %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// PTX has no modifier of this name. Modifiers are case-sensitive.
    UNKNOWN_MODIFIER = "W0101", "unknown modifier", "ld.globl.u32 %r1, [%rd1];", "ld.global.u32 %r1, [%rd1];";
    /// The modifier exists, but no form of this instruction accepts it in combination with the other modifiers.
    ILLEGAL_MODIFIER = "W0102", "modifier not allowed here", "add.global.u32 %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// The instruction contains the same modifier twice, or two modifiers of the same group.
    DUPLICATE_MODIFIER = "W0103", "duplicate modifier", "add.rn.rz.f32 %f1, %f2, %f3;", "add.rn.f32 %f1, %f2, %f3;";
    /// The instruction has no form for this type.
    ILLEGAL_TYPE = "W0104", "type not allowed here", "and.u32 %r1, %r2, %r3;", "and.b32 %r1, %r2, %r3;";
    /// The instruction requires a modifier of the group that the message names.
    MISSING_MODIFIER = "W0105", "missing modifier", "add %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// The module uses a feature that was introduced in a later PTX version than its `.version`.
    NEEDS_VERSION = "W0106", "needs a newer PTX version", ".version 5.0 .target sm_60 .entry k() { .reg .b32 %r1; activemask.b32 %r1; ret; }", ".version 6.2 .target sm_60 .entry k() { .reg .b32 %r1; activemask.b32 %r1; ret; }";
    /// The module uses a feature that its `.target` does not support. Most features are available on an architecture and all later
    /// architectures. Features of targets with the suffix `a` or `f` are specific to this architecture or its family.
    NEEDS_TARGET = "W0107", "needs another target", ".version 8.0 .target sm_75 .entry k() { .reg .b32 %r<4>; redux.sync.add.s32 %r1, %r2, %r3; ret; }", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %r<4>; redux.sync.add.s32 %r1, %r2, %r3; ret; }";
    /// The instruction has too few or too many operands.
    OPERAND_COUNT = "W0108", "wrong number of operands", "add.u32 %r1, %r2;", "add.u32 %r1, %r2, %r3;";
    /// The type of the register is not compatible with the type of the instruction. Sizes must be equal, except that loads, stores and
    /// conversions also accept wider registers. Untyped bits are compatible with every type of the same size. Signed integers are
    /// compatible with unsigned integers.
    TYPE_MISMATCH = "W0109", "register of the wrong type", ".reg .b32 %r<4>; .reg .b64 %rd<4>; add.u32 %r1, %r2, %rd3;", ".reg .b32 %r<4>; .reg .b64 %rd<4>; add.u32 %r1, %r2, %r3;";
    /// The instruction does not accept this kind of operand at this position.
    WRONG_OPERAND = "W0110", "wrong kind of operand", "add.u32 5, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// No declaration in scope has this name.
    UNKNOWN_SYMBOL = "W0111", "unknown name", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %r<4>; mov.u32 %r1, %nosuch; ret; }", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %r<4>; mov.u32 %r1, %r2; ret; }";
    /// A scope may declare each name only once.
    DUPLICATE = "W0112", "declared twice", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %a; .reg .b64 %a; ret; }", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %a; .reg .b64 %b; ret; }";
    /// The target of a branch must be a label of the same function, in the scope of the branch or an enclosing scope.
    UNKNOWN_LABEL = "W0113", "unknown label", "bra nowhere;", "here: bra here;";
    /// The variable is declared in a different state space than the one that the instruction accesses.
    SPACE_MISMATCH = "W0114", "wrong state space", ".shared .b32 v; .reg .b32 %r1; ld.global.u32 %r1, [v];", ".shared .b32 v; .reg .b32 %r1; ld.shared.u32 %r1, [v];";
    /// Most instructions do not accept special registers as operands. Move the value into a register with `mov` first.
    SPECIAL_REGISTER = "W0115", "special register not allowed here", "add.u32 %r1, %tid.x, 1;", "mov.u32 %r1, %tid.x;";
    /// Integer types require integer literals, and floating-point types require floating-point literals.
    LITERAL_TYPE = "W0116", "literal of the wrong type", "add.f32 %f1, %f2, 1;", "add.f32 %f1, %f2, 0f3F800000;";
    /// A module starts with `.version`, which specifies the PTX version of the module.
    MISSING_VERSION = "W0118", "missing `.version`", ".target sm_90 .entry k() { ret; }", ".version 8.0 .target sm_90 .entry k() { ret; }";
    /// `.version` must be followed by `.target`, which specifies the architecture of the module.
    MISSING_TARGET = "W0119", "missing `.target`", ".version 8.0 .entry k() { ret; }", ".version 8.0 .target sm_90 .entry k() { ret; }";
    /// No PTX ISA of this version was released.
    UNKNOWN_VERSION = "W0120", "unknown version", ".version 8.9 .target sm_90", ".version 8.8 .target sm_90";
    /// No architecture has this name.
    UNKNOWN_TARGET = "W0121", "unknown target", ".version 8.0 .target sm_99", ".version 8.0 .target sm_90";
    /// The target was introduced in a later PTX version than the module's `.version`.
    TARGET_VERSION = "W0122", "version older than the target", ".version 7.0 .target sm_90 .entry k() { ret; }", ".version 7.8 .target sm_90 .entry k() { ret; }";
    /// `.address_size` must be 32 or 64, because addresses have 32 or 64 bits.
    ADDRESS_SIZE = "W0123", "unsupported address size", ".version 8.0 .target sm_90 .address_size 16", ".version 8.0 .target sm_90 .address_size 64";
    /// A guard is a predicate register.
    GUARD_TYPE = "W0124", "guard is not a predicate", ".reg .b32 %r1; L: @%r1 bra L;", ".reg .pred %p1; L: @%p1 bra L;";
    /// The number of elements in braces differs from the width of the vector modifier.
    VECTOR_SIZE = "W0126", "wrong number of vector elements", "ld.global.v4.u32 {%r1, %r2}, [%rd1];", "ld.global.v2.u32 {%r1, %r2}, [%rd1];";
    /// The sink `_` is allowed where a result may be discarded: in vectors, pairs and atomics.
    SINK = "W0127", "sink not allowed here", "add.u32 _, %r1, %r2;", "add.u32 %r3, %r1, %r2;";
    /// A cache policy operand requires the `.L2::cache_hint` modifier, and the modifier requires the operand.
    HINT_AND_POLICY = "W0128", "mismatched cache hint and cache policy", "ld.global.u32 %r1, [%rd1], %rd2;", "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;";
    /// Conversions that can lose bits of a floating-point value require a rounding modifier. Exact conversions do not allow a rounding
    /// modifier. `.ftz` requires `.f32` as the source or destination type.
    ROUNDING = "W0129", "missing or unexpected rounding modifier", "cvt.f32.s32 %f1, %r1;", "cvt.rn.f32.s32 %f1, %r1;";
    /// `.lo`, `.ls`, `.hi` and `.hs` compare unsigned integers. Untyped bits can be compared only for equality.
    COMPARISON = "W0130", "comparison not available for the type", "setp.lo.s32 %p1, %r1, %r2;", "setp.lo.u32 %p1, %r1, %r2;";
    /// Relaxed and acquire accesses require a scope. Weak and volatile accesses do not allow a scope.
    SCOPE = "W0131", "missing or unexpected scope", "ld.relaxed.global.u32 %r1, [%rd1];", "ld.relaxed.gpu.global.u32 %r1, [%rd1];";
    /// An address register must be an integer register of the address width.
    ADDRESS_TYPE = "W0132", "address register of the wrong type", ".reg .f32 %f1; ld.global.u32 %r1, [%f1];", ".reg .b64 %rd1; ld.global.u32 %r1, [%rd1];";
    /// A block has 16 barriers with the numbers 0 to 15. The number of participating threads must be a multiple of the warp size.
    BARRIER_NUMBER = "W0133", "barrier operand out of range", "bar.sync 16;", "bar.sync 15;";
    /// A call names a function, or a register together with a prototype or a list of targets.
    CALL_TARGET = "W0134", "invalid call target", ".version 8.0 .target sm_90 .entry k() { .reg .b64 %rd1; call %rd1; ret; }", ".version 8.0 .target sm_90 .func f() { ret; } .entry k() { call f; ret; }";
    /// The arguments and results of a call must match the parameters of the function.
    CALL_ARGUMENTS = "W0135", "mismatched call arguments", ".version 8.0 .target sm_90 .func f() { ret; } .entry k() { .param .b32 a; call f, (a); ret; }", ".version 8.0 .target sm_90 .func f() { ret; } .entry k() { call f; ret; }";
    /// No memory is large enough for a variable of this size.
    VARIABLE_TOO_LARGE = "W0137", "variable too large", ".version 8.0 .target sm_90 .global .b8 a[0x7fffffffffffffff];", ".version 8.0 .target sm_90 .global .b8 a[1024];";
    /// The total width of the elements must equal the width of the type.
    PACKING = "W0138", "invalid packing", "mov.b64 %rd1, {%r1, %r2, %r3};", "mov.b64 %rd1, {%r1, %r2};";
    /// Only the first 2,000 errors and the first 2,000 other diagnostics are reported.
    TOO_MANY = "W0139", "too many diagnostics", "a source with thousands of errors", "a source with fewer errors";
    /// The snippet has no declarations. Warpgrid inferred the declarations from the instructions of the snippet.
    INFERRED = "W0140", "inferred declarations", "st.global.u32 [p], r;", ".version 8.0 .target sm_90 .entry k() { .reg .b64 p; .reg .b32 r; st.global.u32 [p], r; ret; }";
    /// From `sm_70` on, the threads of a warp are scheduled independently, so a warp-level exchange requires a mask of the
    /// participating lanes. PTX 6.4 removed the forms without a member mask for these targets.
    NEEDS_SYNC = "W0141", "warp-level exchange without a member mask", ".version 8.0 .target sm_80 .entry k() { .reg .pred %p<3>; vote.any.pred %p1, %p2; ret; }", "vote.sync.any.pred %p1, %p2, 0xffffffff;";
    /// Some opcodes have two parts, such as `mul.wide` and `cvta.to`. The second part must directly follow the first part. Only the
    /// modifiers after the opcode may appear in any order.
    MISPLACED_WORD = "W0142", "opcode interrupted by a modifier", "mul.s32.wide %rd1, %r1, %r2;", "mul.wide.s32 %rd1, %r1, %r2;";
    /// A source without statements is neither a module nor a snippet, so it cannot be checked or run.
    EMPTY = "W0143", "empty source", "// only a comment", "ret;";
    /// The instruction accepts a limited range of constants, for example 0 to 255 for the position of a bit field.
    OUT_OF_RANGE = "W0144", "constant out of range", "bfe.u32 %r1, %r2, 256, 1;", "bfe.u32 %r1, %r2, 255, 1;";
    /// An arrival at an mbarrier in the shared memory of another block returns no state, so its destination must be the sink `_`.
    NO_STATE = "W0145", "destination for the state of a remote mbarrier", "mbarrier.arrive.shared::cluster.b64 %rd1, [%rd2];", "mbarrier.arrive.shared::cluster.b64 _, [%rd2];";
    /// `.target sm_90, debug` declares that the module contains debug information in `.section` directives.
    DEBUG_SECTION = "W0146", "debug target without sections", ".version 8.3\n.target sm_90, debug\n.address_size 64\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.address_size 64\n.entry k()\n{\nret;\n}";
    /// The `.param` variables of a body contain the arguments and results of its calls. Arguments are stored before the call, and
    /// results are loaded after the call.
    CALL_SEQUENCE = "W0147", "call parameter read before the call", ".version 8.3\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 r; .param .b32 a;\nld.param.b32 r, [a];\nret;\n}", ".version 8.3\n.target sm_90\n.address_size 64\n.func (.param .b32 o) f() { ret; }\n.entry k()\n{\n.reg .b32 r; .param .b32 a;\ncall (a), f;\nld.param.b32 r, [a];\nret;\n}";
    /// A source without a header is checked for the newest PTX version and a default target. If an instruction is not legal for
    /// the default target, the checker selects a version and target for which the whole source is legal.
    CHOSEN = "W0148", "inferred version and target", "wgmma.fence.sync.aligned;", ".version 9.5 .target sm_90a .entry k() { wgmma.fence.sync.aligned; ret; }";
    /// The return parameter of a function is write-only. The arguments and results of a call must be registers or `.param` variables of
    /// the body. Parameters of the enclosing function are not allowed as arguments or results.
    OWN_PARAMETER = "W0149", "invalid use of a parameter of the enclosing function", ".version 8.3\n.target sm_90\n.address_size 64\n.func (.param .b32 o) f()\n{\n.reg .b32 r;\nld.param.b32 r, [o];\nret;\n}", ".version 8.3\n.target sm_90\n.address_size 64\n.func (.param .b32 o) f()\n{\n.reg .b32 r;\nst.param.b32 [o], r;\nret;\n}";
}

/// Returns a noun phrase for an unexpected operand.
pub(crate) fn describe(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Name(_) => "a name",
        OperandKind::Component { .. } => "a component",
        OperandKind::Not(_) => "a negated predicate",
        OperandKind::Minus(_) => "a negated register",
        OperandKind::Pair { .. } => "a pair",
        OperandKind::Sink => "the sink `_`",
        OperandKind::Integer { .. } => "an integer",
        OperandKind::Single(_) | OperandKind::Double(_) => "a floating-point literal",
        OperandKind::Address { .. }
        | OperandKind::AbsoluteAddress { .. }
        | OperandKind::AddressList { .. } => "an address",
        OperandKind::Sum { .. } | OperandKind::Indexed { .. } | OperandKind::IndexedBy { .. } => {
            "an address expression"
        }
        OperandKind::Vector { .. } => "a vector",
        OperandKind::Group { .. } => "a list in parentheses",
        OperandKind::Resident(_) => "a residency predicate",
        OperandKind::String | OperandKind::Word | OperandKind::Error => "another kind of operand",
    }
}

/// Returns the name of a state space for messages.
pub(crate) fn space_name(space: StateSpace) -> String {
    match space {
        StateSpace::Generic => "generic".to_owned(),
        space => format!("`.{}`", space.name()),
    }
}

/// Formats a list for messages: "`.a`, `.b` or `.c`". Long lists are truncated.
pub(crate) fn listed(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.take(MAX_LISTED + 1).collect();
    let more = words.len() > MAX_LISTED;
    words.truncate(MAX_LISTED);
    let last = if more { None } else { words.pop() };
    match (words.is_empty(), last) {
        (true, Some(last)) => last,
        (_, Some(last)) => format!("{} or {last}", words.join(", ")),
        (_, None) => format!("{} and so on", words.join(", ")),
    }
}

const MAX_LISTED: usize = 12;

pub(crate) fn suggest(
    found: Diagnostic,
    text: &str,
    span: Span,
    nearest: Option<&str>,
) -> Diagnostic {
    match nearest {
        Some(word) => found.help(format!("did you mean `{word}`?")).fix(
            format!("replace `{text}` with `{word}`"),
            span,
            word,
        ),
        None => found,
    }
}

pub(crate) fn too_many(n_dropped: usize) -> Diagnostic {
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(
            TOO_MANY,
            Span::at(0),
            format!("{n_dropped} further diagnostics are not reported"),
        )
    }
}

/// Returns the note with the version and the target for which a snippet was checked if they are not the defaults.
pub(crate) fn chosen(span: Span, version: Version, target: &Target) -> Diagnostic {
    let message = format!(
        "the snippet is checked for PTX {version} and `{}`, which support this instruction",
        target.name
    );
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(CHOSEN, span, message)
    }
}

/// Returns the note with the inferred declarations of a snippet.
pub(crate) fn inferred(span: Span, declarations: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(
            INFERRED,
            span,
            format!("inferred declarations: {declarations}"),
        )
    }
}
