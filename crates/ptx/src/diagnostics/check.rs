//! Checking: codes W0100 to W0199.

use super::catalogue;
use crate::module::Module;
use crate::opcode::Opcode;
use crate::tree::{Directive, OperandKind};
use warpgrid_isa::SlotName;
use warpgrid_isa::form::{Bound, Gate, SlotKind, meant, nearest};
use warpgrid_isa::forms::OPCODES;
use warpgrid_isa::{Origin, ScalarType, StateSpace, Target, Version};
use warpgrid_program::{Diagnostic, Edit, Fix, Needs, Severity, Span};

catalogue! {
    /// The first word of an instruction must be an opcode of PTX.
    UNKNOWN_INSTRUCTION = "W0100", "unknown instruction", "ad.u32 %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// PTX has no modifier of this name. Modifiers are case-sensitive.
    UNKNOWN_MODIFIER = "W0101", "unknown modifier", "ld.globl.u32 %r1, [%rd1];", "ld.global.u32 %r1, [%rd1];";
    /// The modifier exists, but no form of this instruction takes it together with the others.
    ILLEGAL_MODIFIER = "W0102", "modifier not allowed here", "add.global.u32 %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// A modifier is given twice, or two modifiers of one group are combined.
    DUPLICATE_MODIFIER = "W0103", "modifier given twice", "add.rn.rz.f32 %f1, %f2, %f3;", "add.rn.f32 %f1, %f2, %f3;";
    /// The instruction has no form for this type.
    ILLEGAL_TYPE = "W0104", "type not allowed here", "and.u32 %r1, %r2, %r3;", "and.b32 %r1, %r2, %r3;";
    /// The instruction requires a modifier of this group.
    MISSING_MODIFIER = "W0105", "missing modifier", "add %r1, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// The module's `.version` is older than what it uses.
    NEEDS_VERSION = "W0106", "needs a newer PTX version", ".version 5.0 .target sm_60 .entry k() { .reg .b32 %r1; activemask.b32 %r1; ret; }", ".version 6.2 .target sm_60 .entry k() { .reg .b32 %r1; activemask.b32 %r1; ret; }";
    /// The module's `.target` lacks what it uses.
    NEEDS_TARGET = "W0107", "needs a newer target", ".version 8.0 .target sm_75 .entry k() { .reg .b32 %r<4>; redux.sync.add.s32 %r1, %r2, %r3; ret; }", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %r<4>; redux.sync.add.s32 %r1, %r2, %r3; ret; }";
    /// Too few or too many operands.
    OPERAND_COUNT = "W0108", "wrong number of operands", "add.u32 %r1, %r2;", "add.u32 %r1, %r2, %r3;";
    /// The register's type is not compatible with the instruction's type: sizes must be equal (loads, stores and
    /// conversions take wider registers too), untyped bits are compatible with every type of their size, signed with
    /// unsigned integers.
    TYPE_MISMATCH = "W0109", "register of the wrong type", ".reg .b32 %r<4>; .reg .b64 %rd<4>; add.u32 %r1, %r2, %rd3;", ".reg .b32 %r<4>; .reg .b64 %rd<4>; add.u32 %r1, %r2, %r3;";
    /// The operand is of another kind than the instruction takes at this position.
    WRONG_OPERAND = "W0110", "wrong kind of operand", "add.u32 5, %r2, %r3;", "add.u32 %r1, %r2, %r3;";
    /// No declaration in scope has this name.
    UNKNOWN_SYMBOL = "W0111", "unknown name", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %r<4>; mov.u32 %r1, %nosuch; ret; }", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %r<4>; mov.u32 %r1, %r2; ret; }";
    /// A scope declares each name once.
    DUPLICATE = "W0112", "declared twice", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %a; .reg .b64 %a; ret; }", ".version 8.0 .target sm_80 .entry k() { .reg .b32 %a; .reg .b64 %b; ret; }";
    /// A branch goes to a label of its function, in its own or an enclosing scope.
    UNKNOWN_LABEL = "W0113", "unknown label", "bra nowhere;", "here: bra here;";
    /// The variable is in another state space than the one that the instruction accesses.
    SPACE_MISMATCH = "W0114", "wrong state space", ".shared .b32 v; .reg .b32 %r1; ld.global.u32 %r1, [v];", ".shared .b32 v; .reg .b32 %r1; ld.shared.u32 %r1, [v];";
    /// Most instructions read no special registers: move them to a register first.
    SPECIAL_REGISTER = "W0115", "special register not allowed here", "add.u32 %r1, %tid.x, 1;", "mov.u32 %r1, %tid.x;";
    /// Integer types take integer literals, floating-point types floating-point ones.
    LITERAL_TYPE = "W0116", "literal of the wrong type", "add.f32 %f1, %f2, 1;", "add.f32 %f1, %f2, 0f3F800000;";
    /// The instruction is PTX, but Warpgrid knows its words, their gates and the kinds of its operands alone: the types of
    /// the operands are not checked, and a run stops there.
    NAMES_ONLY = "W0117", "operands checked in part", "tex.1d.v4.f32.s32 {a, b, c, d}, [t, {x}];", "ld.global.v4.f32 {a, b, c, d}, [p];";
    /// A module starts with the PTX version it is written for.
    MISSING_VERSION = "W0118", "missing `.version`", ".target sm_90 .entry k() { ret; }", ".version 8.0 .target sm_90 .entry k() { ret; }";
    /// A module says which architecture it is for, after its version.
    MISSING_TARGET = "W0119", "missing `.target`", ".version 8.0 .entry k() { ret; }", ".version 8.0 .target sm_90 .entry k() { ret; }";
    /// No such version of PTX was released.
    UNKNOWN_VERSION = "W0120", "unknown version", ".version 8.9 .target sm_90", ".version 8.8 .target sm_90";
    /// No such architecture.
    UNKNOWN_TARGET = "W0121", "unknown target", ".version 8.0 .target sm_99", ".version 8.0 .target sm_90";
    /// The version is older than the target.
    TARGET_VERSION = "W0122", "version older than the target", ".version 7.0 .target sm_90 .entry k() { ret; }", ".version 7.8 .target sm_90 .entry k() { ret; }";
    /// Addresses have 32 or 64 bits.
    ADDRESS_SIZE = "W0123", "address size", ".version 8.0 .target sm_90 .address_size 16", ".version 8.0 .target sm_90 .address_size 64";
    /// A guard is a predicate register.
    GUARD_TYPE = "W0124", "guard is not a predicate", ".reg .b32 %r1; L: @%r1 bra L;", ".reg .pred %p1; L: @%p1 bra L;";
    /// The braces hold another number of elements than the vector modifier says.
    VECTOR_SIZE = "W0126", "wrong number of vector elements", "ld.global.v4.u32 {%r1, %r2}, [%rd1];", "ld.global.v2.u32 {%r1, %r2}, [%rd1];";
    /// The sink `_` is allowed where a result may be discarded: in vectors, pairs and atomics.
    SINK = "W0127", "sink not allowed here", "add.u32 _, %r1, %r2;", "add.u32 %r3, %r1, %r2;";
    /// A cache policy operand and the `.L2::cache_hint` modifier come together.
    HINT_AND_POLICY = "W0128", "cache hint and cache policy", "ld.global.u32 %r1, [%rd1], %rd2;", "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;";
    /// Conversions that can lose bits of a float say how they round; the others must not. Subnormals are flushed where
    /// `.f32` takes part.
    ROUNDING = "W0129", "rounding of a conversion", "cvt.f32.s32 %f1, %r1;", "cvt.rn.f32.s32 %f1, %r1;";
    /// `.lo`, `.ls`, `.hi` and `.hs` compare unsigned integers; untyped bits are only equal or not.
    COMPARISON = "W0130", "comparison of the wrong type", "setp.lo.s32 %p1, %r1, %r2;", "setp.lo.u32 %p1, %r1, %r2;";
    /// Relaxed and acquiring accesses name their scope; weak and volatile ones have none.
    SCOPE = "W0131", "scope of an access", "ld.relaxed.global.u32 %r1, [%rd1];", "ld.relaxed.gpu.global.u32 %r1, [%rd1];";
    /// An address register holds an integer of the width of addresses.
    ADDRESS_TYPE = "W0132", "address register of the wrong type", ".reg .f32 %f1; ld.global.u32 %r1, [%f1];", ".reg .b64 %rd1; ld.global.u32 %r1, [%rd1];";
    /// A block has sixteen barriers, 0 to 15; the threads that take part in one come in whole warps.
    BARRIER_NUMBER = "W0133", "barrier operand out of range", "bar.sync 16;", "bar.sync 15;";
    /// A call names a function, or a register together with a prototype or a list of targets.
    CALL_TARGET = "W0134", "call target", ".version 8.0 .target sm_90 .entry k() { .reg .b64 %rd1; call %rd1; ret; }", ".version 8.0 .target sm_90 .func f() { ret; } .entry k() { call f; ret; }";
    /// The arguments and results of a call are those of the function.
    CALL_ARGUMENTS = "W0135", "call arguments", ".version 8.0 .target sm_90 .func f() { ret; } .entry k() { .param .b32 a; call f, (a); ret; }", ".version 8.0 .target sm_90 .func f() { ret; } .entry k() { call f; ret; }";
    /// Larger than any memory.
    VARIABLE_TOO_LARGE = "W0137", "variable too large", ".version 8.0 .target sm_90 .global .b8 a[0x7fffffffffffffff];", ".version 8.0 .target sm_90 .global .b8 a[1024];";
    /// The elements together must have exactly the width of the type.
    PACKING = "W0138", "cannot be packed", "mov.b64 %rd1, {%r1, %r2, %r3};", "mov.b64 %rd1, {%r1, %r2};";
    /// Only the first 2,000 errors and the first 2,000 other diagnostics are reported.
    TOO_MANY = "W0139", "too many diagnostics", "a text with thousands of errors", "a text with fewer";
    /// The text has no declarations; these were inferred from its instructions.
    INFERRED = "W0140", "inferred declarations", "st.global.u32 [p], r;", ".version 8.0 .target sm_90 .entry k() { .reg .b64 p; .reg .b32 r; st.global.u32 [p], r; ret; }";
    /// From `sm_70` on, the lanes of a warp are scheduled independently, so an exchange between lanes names the lanes that take
    /// part. PTX 6.4 removed the forms without a lane mask for these targets.
    NEEDS_SYNC = "W0141", "exchange without a lane mask", "vote.any.pred %p1, %p2;", "vote.sync.any.pred %p1, %p2, 0xffffffff;";
    /// Some opcodes have two words, such as `mul.wide` and `cvta.to`. The second word directly follows the first; only the modifiers after
    /// them may come in any order.
    MISPLACED_WORD = "W0142", "part of the opcode after a modifier", "mul.s32.wide %rd1, %r1, %r2;", "mul.wide.s32 %rd1, %r1, %r2;";
    /// A text without a single statement is neither a module nor a snippet: there is nothing to check or to run.
    EMPTY = "W0143", "empty text", "// only a comment", "ret;";
    /// The instruction takes numbers of a range: positions in bit fields are at most 255, a line has 128 bytes.
    OUT_OF_RANGE = "W0144", "number out of range", "bfe.u32 %r1, %r2, 256, 1;", "bfe.u32 %r1, %r2, 255, 1;";
    /// An arrival at an mbarrier in the shared memory of another block gives no state back, so its destination is the sink `_`.
    NO_STATE = "W0145", "state of a distant mbarrier", "mbarrier.arrive.shared::cluster.b64 %rd1, [%rd2];", "mbarrier.arrive.shared::cluster.b64 _, [%rd2];";
    /// `.target sm_90, debug` announces debug information, which is in sections.
    DEBUG_SECTION = "W0146", "debug target without sections", ".version 8.3\n.target sm_90, debug\n.address_size 64\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.address_size 64\n.entry k()\n{\nret;\n}";
    /// Parameters that a body declares hold the arguments and results of its calls: arguments are stored before the call, results
    /// are loaded after it.
    CALL_SEQUENCE = "W0147", "parameter of a call read too early", ".version 8.3\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 r; .param .b32 a;\nld.param.b32 r, [a];\nret;\n}", ".version 8.3\n.target sm_90\n.address_size 64\n.func (.param .b32 o) f() { ret; }\n.entry k()\n{\n.reg .b32 r; .param .b32 a;\ncall (a), f;\nld.param.b32 r, [a];\nret;\n}";
}

/// A sentence part for an operand that should not be there.
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
        OperandKind::String | OperandKind::Word | OperandKind::Error => "something else",
    }
}

/// The name of a space in a message.
fn space_name(space: StateSpace) -> String {
    match space {
        StateSpace::Generic => "generic".to_owned(),
        space => format!("`.{}`", space.name()),
    }
}

/// A list in a message: "`.a`, `.b` or `.c`", shortened when long.
fn listed(words: impl Iterator<Item = String>) -> String {
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

/// `is_legal` says whether another opcode takes the modifiers.
pub(crate) fn unknown_instruction(
    opcode: &Opcode<'_>,
    is_legal: impl Fn(&str) -> bool,
) -> Diagnostic {
    let name = opcode.name();
    let span = opcode.spans.first().copied().unwrap_or(opcode.span);
    let found = Diagnostic::error(
        UNKNOWN_INSTRUCTION,
        span,
        format!("unknown instruction `{name}`"),
    );
    let legal = OPCODES.iter().copied().filter(|other| is_legal(other));
    if let Some(word) = nearest(name, legal) {
        let title = format!("replace `{name}` by `{word}`");
        return found
            .help(format!("did you mean `{word}`?"))
            .fix(title, span, word);
    }
    match nearest(name, OPCODES.iter().copied()) {
        Some(word) => found.help(format!("did you mean `{word}`?")),
        None => found,
    }
}

/// An opcode of PTX that no row describes.
pub(crate) fn names_only(opcode: &Opcode<'_>) -> Diagnostic {
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(
            NAMES_ONLY,
            opcode.span,
            format!("the operands of `{}` are checked in part", opcode.text),
        )
    }
    .help("the types of its operands are not checked; execution stops at this instruction")
}

/// `is_legal` says whether the opcode is right with another word in its place.
pub(crate) fn unknown_modifier(
    opcode: &Opcode<'_>,
    word: usize,
    bound: &Bound,
    is_legal: impl Fn(&str) -> bool,
) -> Diagnostic {
    let text = opcode.modifier(word);
    let span = opcode.modifier_span(word);
    let found = Diagnostic::error(
        UNKNOWN_MODIFIER,
        span,
        format!("unknown modifier `.{text}`"),
    );
    let slots = bound.layout.slots.iter();
    let own: Vec<&str> = slots.flat_map(|slot| slot.spellings()).collect();
    let sense = meant(text);
    let fitting = own
        .iter()
        .copied()
        .find(|word| word.eq_ignore_ascii_case(text) || Some(*word) == sense);
    let legal = own.iter().copied().filter(|word| is_legal(word));
    let best = fitting
        .filter(|word| is_legal(word))
        .or_else(|| nearest(text, legal))
        .or(fitting)
        .or_else(|| nearest(text, own.iter().copied()));
    match best {
        Some(word) => found.help(format!("did you mean `.{word}`?")).fix(
            format!("replace `.{text}` by `.{word}`"),
            span,
            word,
        ),
        None => found,
    }
}

/// A word that belongs to the name of another instruction.
pub(crate) fn foreign_modifier(opcode: &Opcode<'_>, word: usize) -> Diagnostic {
    let text = opcode.modifier(word);
    let message = format!("`{}` does not take `.{text}`", opcode.name());
    Diagnostic::error(ILLEGAL_MODIFIER, opcode.modifier_span(word), message)
        .help("`.store.d` belongs to `wmma.store.d`")
}

pub(crate) fn illegal_modifier(opcode: &Opcode<'_>, word: usize, bound: &Bound) -> Diagnostic {
    let text = opcode.modifier(word);
    let message = format!("`{}` does not take `.{text}`", opcode.called(bound));
    Diagnostic::error(ILLEGAL_MODIFIER, opcode.modifier_span(word), message)
        .help(format!("the form is `{}`", bound.layout.form.syntax))
        .fix(format!("remove `.{text}`"), opcode.dotted_span(word), "")
}

pub(crate) fn duplicate_modifier(opcode: &Opcode<'_>, word: usize, first: usize) -> Diagnostic {
    let (text, other) = (opcode.modifier(word), opcode.modifier(first));
    let message = match text == other {
        true => format!("`.{text}` is given twice"),
        false => format!("`.{text}` cannot be combined with `.{other}`"),
    };
    Diagnostic::error(DUPLICATE_MODIFIER, opcode.modifier_span(word), message)
        .label(opcode.modifier_span(first), format!("`.{other}` is here"))
        .fix(format!("remove `.{text}`"), opcode.dotted_span(word), "")
}

pub(crate) fn illegal_type(
    opcode: &Opcode<'_>,
    word: usize,
    slot: usize,
    bound: &Bound,
) -> Diagnostic {
    let text = opcode.modifier(word);
    let message = format!("`{}` has no form for `.{text}`", opcode.called(bound));
    let found = Diagnostic::error(ILLEGAL_TYPE, opcode.modifier_span(word), message);
    match bound.layout.slots.get(slot) {
        Some(slot) => found.help(format!(
            "expected {}",
            listed(slot.spellings().map(|word| format!("`.{word}`")))
        )),
        None => found,
    }
}

pub(crate) fn missing_modifier(opcode: &Opcode<'_>, slot: usize, bound: &Bound) -> Diagnostic {
    let name = opcode.called(bound);
    let Some(missing) = bound.layout.slots.get(slot) else {
        return Diagnostic::error(MISSING_MODIFIER, opcode.span, "a modifier is missing");
    };
    let message = match missing.kind {
        SlotKind::Set(set) => format!("`{name}` needs a {}", set.title),
        SlotKind::Literal(text, _) => format!("`{name}` needs `.{text}`"),
    };
    let mut found = Diagnostic::error(MISSING_MODIFIER, opcode.span, message);
    let words: Vec<_> = missing.spellings().collect();
    if let SlotKind::Set(_) = missing.kind {
        let list = listed(words.iter().map(|word| format!("`.{word}`")));
        found = found.help(format!("expected {list}"));
    }
    // A person chooses when there are a few; a long list is for completion.
    if words.len() <= 4 {
        let place = Span::at(missing_place(opcode, slot, bound));
        for word in words {
            found = found.fix(format!("add `.{word}`"), place, format!(".{word}"));
        }
    }
    found
}

/// Where a missing modifier belongs: after those that precede it in the syntax line.
fn missing_place(opcode: &Opcode<'_>, slot: usize, bound: &Bound) -> u32 {
    let before = bound.slots.iter().take(slot).flatten();
    let last = before.map(|binding| binding.word).max();
    match (last, opcode.spans.first()) {
        (Some(word), _) => opcode.modifier_span(word).end,
        (None, Some(first)) => first.end,
        (None, None) => opcode.span.start,
    }
}

fn gated(opcode: &Opcode<'_>, word: Option<usize>) -> (Span, String) {
    match word {
        Some(word) => (
            opcode.modifier_span(word),
            format!("`.{}`", opcode.modifier(word)),
        ),
        None => (opcode.span, format!("`{}`", opcode.text)),
    }
}

fn origin(gate: Gate) -> String {
    match gate.origin {
        Origin::Documented => String::new(),
        Origin::Assembler(version) => format!(" (assembler {version})"),
        Origin::Measured(target) => format!(" (measured on {target})"),
    }
}

pub(crate) fn needs_version(
    opcode: &Opcode<'_>,
    word: Option<usize>,
    gate: Gate,
    module: &Module,
) -> Diagnostic {
    let (span, what) = gated(opcode, word);
    let message = format!(
        "{what} needs PTX {}{}, found {}",
        gate.ptx,
        origin(gate),
        module.version
    );
    let mut found = Diagnostic::error(NEEDS_VERSION, span, message);
    found.needs.version = Some(gate.ptx);
    found
        .fixes
        .extend(super::rules::raise(module, &module.lacking(gate)));
    found
}

pub(crate) fn needs_target(
    opcode: &Opcode<'_>,
    word: Option<usize>,
    gate: Gate,
    module: &Module,
) -> Diagnostic {
    let (span, what) = gated(opcode, word);
    let first = gate.target.lowest_from(module.target);
    let name = first.map_or("a newer one", |t| t.name);
    let message = format!(
        "{what} needs target `{name}`{}, found `{}`",
        origin(gate),
        module.target.name
    );
    let mut found = Diagnostic::error(NEEDS_TARGET, span, message);
    found.needs.target = first.map(|t| t.name);
    found
        .fixes
        .extend(super::rules::raise(module, &module.lacking(gate)));
    found
}

/// A number of operands that is not between `least` and `most`; `syntax` is the form's syntax line.
pub(crate) fn operand_count(
    opcode: &str,
    span: Span,
    found: usize,
    (least, most): (usize, usize),
    syntax: &str,
) -> Diagnostic {
    let wanted = match least == most {
        true => format!("{least}"),
        false => format!("{least} to {most}"),
    };
    let noun = if found == 1 { "operand" } else { "operands" };
    let message = format!("found {found} {noun}, expected {wanted} for `{opcode}`");
    Diagnostic::error(OPERAND_COUNT, span, message).help(format!("the form is `{syntax}`"))
}

pub(crate) fn type_mismatch(span: Span, have: ScalarType, want: ScalarType) -> Diagnostic {
    let message = format!("found a `.{have}` register, expected `.{want}`");
    Diagnostic::error(TYPE_MISMATCH, span, message)
}

pub(crate) fn expected_register(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found {found}, expected a register"),
    )
}

pub(crate) fn expected_value(span: Span, ty: ScalarType, found: &str) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found {found}, expected a `.{ty}` value"),
    )
}

pub(crate) fn expected_pair(span: Span) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        "expected two destinations, such as `%r1|%p1`",
    )
}

pub(crate) fn expected_address(span: Span) -> Diagnostic {
    Diagnostic::error(WRONG_OPERAND, span, "expected an address in brackets")
}

pub(crate) fn constant_address(span: Span) -> Diagnostic {
    let message = "a constant is an address in `.local` memory only";
    Diagnostic::error(WRONG_OPERAND, span, message).help("move the address into a register first")
}

pub(crate) fn expected_label(span: Span) -> Diagnostic {
    Diagnostic::error(WRONG_OPERAND, span, "expected a label")
}

pub(crate) fn literal_expected(span: Span) -> Diagnostic {
    Diagnostic::error(WRONG_OPERAND, span, "expected an integer literal")
}

/// `found` is the number as it is written.
pub(crate) fn out_of_range(
    opcode: &str,
    span: Span,
    found: &str,
    (least, most): (u64, u64),
) -> Diagnostic {
    let message = match least == most {
        true => format!("found {found}, expected {least} for `{opcode}`"),
        false => format!("found {found}, expected {least} to {most} for `{opcode}`"),
    };
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

/// A literal that is no part of a whole.
pub(crate) fn not_a_fraction(opcode: &str, span: Span, found: f32) -> Diagnostic {
    let message = format!("found {found}, expected more than 0 and at most 1 for `{opcode}`");
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn vector_not_allowed(opcode: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found a vector register, expected a scalar value for `{opcode}`"),
    )
    .help("name a component such as `.x`")
}

pub(crate) fn no_component(span: Span) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        "expected a component that the vector has",
    )
}

pub(crate) fn address_of_type(opcode: &str, span: Span, ty: ScalarType) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found an address, expected a `.{ty}` value for `{opcode}`"),
    )
}

pub(crate) fn unknown_symbol(text: &str, span: Span, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::error(UNKNOWN_SYMBOL, span, format!("unknown name `{text}`"));
    suggest(found, text, span, nearest)
}

pub(crate) fn unknown_label(text: &str, span: Span, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::error(UNKNOWN_LABEL, span, format!("unknown label `{text}`"));
    suggest(found, text, span, nearest)
}

fn suggest(found: Diagnostic, text: &str, span: Span, nearest: Option<&str>) -> Diagnostic {
    match nearest {
        Some(word) => found.help(format!("did you mean `{word}`?")).fix(
            format!("replace `{text}` by `{word}`"),
            span,
            word,
        ),
        None => found,
    }
}

pub(crate) fn duplicate(text: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(DUPLICATE, span, format!("`{text}` is declared twice"))
        .label(first, "it is declared here already")
}

pub(crate) fn space_mismatch(
    opcode: &str,
    span: Span,
    have: StateSpace,
    want: StateSpace,
) -> Diagnostic {
    let message = format!(
        "found a variable in {} memory, expected {} memory for `{opcode}`",
        space_name(have),
        space_name(want)
    );
    Diagnostic::error(SPACE_MISMATCH, span, message)
}

pub(crate) fn special_not_allowed(opcode: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        SPECIAL_REGISTER,
        span,
        format!("found a special register, `{opcode}` does not take one"),
    )
    .help("`mov` it into a register first")
}

pub(crate) fn literal_type(span: Span, found: &str, ty: ScalarType, source: &str) -> Diagnostic {
    let message = format!("found {found} literal, expected a `.{ty}` value");
    let problem = Diagnostic::error(LITERAL_TYPE, span, message);
    let text = span.text(source);
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match ty {
        ScalarType::F32 | ScalarType::F64 if digits => {
            problem.fix(format!("write `{text}.0`"), span, format!("{text}.0"))
        }
        _ => problem,
    }
}

pub(crate) fn empty() -> Diagnostic {
    Diagnostic::error(EMPTY, Span::at(0), "the text has no statement")
        .help("write a kernel, paste one, or choose an example")
}

pub(crate) fn missing_version() -> Diagnostic {
    let version = Version::NEWEST;
    Diagnostic::error(
        MISSING_VERSION,
        Span::at(0),
        "the module does not start with `.version`",
    )
    .fix(
        format!("add `.version {version}`"),
        Span::at(0),
        format!(".version {version}\n"),
    )
}

pub(crate) fn missing_target() -> Diagnostic {
    Diagnostic::error(MISSING_TARGET, Span::at(0), "the module has no `.target`")
}

pub(crate) fn unknown_version(span: Span, text: &str) -> Diagnostic {
    let message = format!("unknown PTX version `{text}`");
    Diagnostic::error(UNKNOWN_VERSION, span, message)
        .help(format!("the newest version is {}", Version::NEWEST))
}

pub(crate) fn unknown_target(span: Span, text: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::error(UNKNOWN_TARGET, span, format!("unknown target `{text}`"));
    suggest(found, text, span, nearest)
}

pub(crate) fn target_needs_version(
    target: &Directive,
    version: &Directive,
    have: Version,
    need: &Target,
) -> Diagnostic {
    let message = format!(
        "target `{}` needs PTX {}, found {have}",
        need.name, need.since
    );
    let mut found = Diagnostic::error(TARGET_VERSION, target.span, message)
        .label(version.span, format!("the version is {have}"));
    found.needs = Needs {
        version: Some(need.since),
        target: None,
    };
    found.fix(
        format!("raise `.version` to {}", need.since),
        version.span,
        format!(".version {}", need.since),
    )
}

pub(crate) fn address_size(span: Span) -> Diagnostic {
    Diagnostic::error(ADDRESS_SIZE, span, "expected an address size of 32 or 64").fix(
        "use 64-bit addresses",
        span,
        ".address_size 64",
    )
}

pub(crate) fn narrow_program(span: Span) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_SIZE,
        span,
        "32-bit programs are no longer supported",
    )
    .help("compilers dropped them with CUDA 12; addresses have 64 bits")
    .fix("use 64-bit addresses", span, ".address_size 64")
}

/// An address of 32 bits, taken of global memory.
pub(crate) fn narrow_global(span: Span, ty: ScalarType) -> Diagnostic {
    let message = format!("the address of a global variable has 64 bits, found `.{ty}`");
    Diagnostic::error(ADDRESS_SIZE, span, message)
        .help("32-bit programs are no longer supported; use `mov.u64`")
}

/// `.address_size` in a version that does not know it.
pub(crate) fn early_address_size(span: Span, version: Version) -> Diagnostic {
    let message = format!("`.address_size` needs PTX 2.3, found {version}");
    Diagnostic::error(ADDRESS_SIZE, span, message)
        .fix("remove the directive", span, "")
        .help("addresses have 64 bits without it")
}

/// `.target sm_90, debug` without debug information.
pub(crate) fn no_debug_section(span: Span) -> Diagnostic {
    Diagnostic::error(
        DEBUG_SECTION,
        span,
        "the target says `debug`, but the module has no `.section`",
    )
    .help("remove `debug` from `.target`, or compile with debug information")
}

pub(crate) fn guard_type(span: Span, have: ScalarType) -> Diagnostic {
    Diagnostic::error(
        GUARD_TYPE,
        span,
        format!("found a `.{have}` register, expected a predicate register as the guard"),
    )
}

pub(crate) fn vector_size(span: Span, found: usize, want: usize) -> Diagnostic {
    let message = match found {
        0 => format!("expected a vector of {want} elements"),
        _ => format!("found {found} elements, expected {want}"),
    };
    Diagnostic::error(VECTOR_SIZE, span, message)
}

pub(crate) fn sink_not_allowed(opcode: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        SINK,
        span,
        format!("found the sink `_`, expected a register for the result of `{opcode}`"),
    )
}

pub(crate) fn sink_required(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("expected the sink `_`, since `{opcode}` gives no state back");
    Diagnostic::error(NO_STATE, span, message).fix("discard the state".to_owned(), span, "_")
}

pub(crate) fn not_a_multiple(opcode: &str, span: Span, found: u64, of: u64) -> Diagnostic {
    let message = format!("found {found}, expected a multiple of {of} for `{opcode}`");
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn copy_size(span: Span, found: u64, sizes: &str) -> Diagnostic {
    let message = format!("found {found} bytes, expected {sizes}");
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn operand_needs(opcode: &str, span: Span, what: &str, gate: Gate) -> Diagnostic {
    let message = format!("{what} of `{opcode}` needs {}", gate.text());
    Diagnostic::error(NEEDS_VERSION, span, message)
}

pub(crate) fn hint_and_policy(opcode: &str, span: Span, hinted: bool) -> Diagnostic {
    let message = match hinted {
        true => format!("`{opcode}` has a cache hint but no cache policy operand"),
        false => format!("`{opcode}` has a cache policy operand but no `.L2::cache_hint`"),
    };
    Diagnostic::error(HINT_AND_POLICY, span, message)
}

pub(crate) fn rounding_required(
    opcode: &Opcode<'_>,
    to: ScalarType,
    from: ScalarType,
    offer: &str,
    bound: &Bound,
) -> Diagnostic {
    let message = format!("converting `.{from}` to `.{to}` needs a rounding such as `.{offer}`");
    let wrong = bound
        .word(SlotName::Round)
        .or_else(|| bound.word(SlotName::IntegerRound));
    let span = wrong.map_or(opcode.span, |word| opcode.modifier_span(word));
    let found = Diagnostic::error(ROUNDING, span, message);
    match wrong {
        Some(_) => found.fix(format!("use `.{offer}`"), span, offer),
        None => {
            let place = Span::at(opcode.spans.first().map_or(opcode.span.start, |s| s.end));
            found.fix(format!("add `.{offer}`"), place, format!(".{offer}"))
        }
    }
}

pub(crate) fn rounding_refused(opcode: &Opcode<'_>, bound: &Bound) -> Diagnostic {
    let word = bound
        .word(SlotName::Round)
        .or_else(|| bound.word(SlotName::IntegerRound))
        .unwrap_or(0);
    let text = opcode.modifier(word);
    let message = format!("this conversion is exact, `.{text}` is not allowed");
    Diagnostic::error(ROUNDING, opcode.modifier_span(word), message).fix(
        format!("remove `.{text}`"),
        opcode.dotted_span(word),
        "",
    )
}

pub(crate) fn illegal_pair(
    opcode: &Opcode<'_>,
    word: usize,
    to: ScalarType,
    from: ScalarType,
) -> Diagnostic {
    let message = format!("`{}` does not convert `.{from}` to `.{to}`", opcode.name());
    Diagnostic::error(ILLEGAL_TYPE, opcode.modifier_span(word), message)
}

pub(crate) fn needless_saturation(
    opcode: &Opcode<'_>,
    word: usize,
    to: ScalarType,
    from: ScalarType,
) -> Diagnostic {
    let message = format!("`.sat` is not allowed between `.{from}` and `.{to}`");
    Diagnostic::error(ILLEGAL_MODIFIER, opcode.modifier_span(word), message).fix(
        "remove `.sat`",
        opcode.dotted_span(word),
        "",
    )
}

pub(crate) fn signs_of_three(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` takes two sources: `.xorsign` combines two signs");
    Diagnostic::error(OPERAND_COUNT, span, message)
}

pub(crate) fn signs_of_two(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` of two sources needs `.xorsign` and `.abs` together");
    Diagnostic::error(MISSING_MODIFIER, span, message)
}

pub(crate) fn third_source(opcode: &str, span: Span, gate: Gate) -> Diagnostic {
    let message = format!("a third source of `{opcode}` needs {}", gate.text());
    Diagnostic::error(NEEDS_VERSION, span, message)
}

pub(crate) fn bulk_size(span: Span, size: u64) -> Diagnostic {
    let message = format!("found {size} bytes, expected a multiple of 8 up to 16777216");
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn misplaced_word(opcode: &Opcode<'_>, word: usize) -> Diagnostic {
    let (name, text) = (opcode.name(), opcode.modifier(word));
    let place = opcode.spans.first().map_or(opcode.span.start, |s| s.end);
    let mut found = Diagnostic::error(
        MISPLACED_WORD,
        opcode.modifier_span(word),
        format!("`.{text}` is part of the opcode, expected `{name}.{text}`"),
    )
    .help("the modifiers that are no part of the opcode follow it in any order");
    found.fixes.push(Fix {
        title: format!("write `{name}.{text}`"),
        edits: vec![
            Edit {
                span: Span::at(place),
                text: format!(".{text}"),
            },
            Edit {
                span: opcode.dotted_span(word),
                text: String::new(),
            },
        ],
    });
    found
}

pub(crate) fn needs_sync(opcode: &Opcode<'_>) -> Diagnostic {
    let name = opcode.name();
    let message = format!("`{name}` without `.sync` was removed in PTX 6.4 for `sm_70` and later");
    Diagnostic::error(NEEDS_SYNC, opcode.span, message).help(format!(
        "write `{name}.sync`, and the mask of the lanes that take part, such as `0xffffffff`, as the last operand"
    ))
}

pub(crate) fn compare_mismatch(opcode: &Opcode<'_>, word: usize, ty: ScalarType) -> Diagnostic {
    let message = format!("`.{}` does not compare `.{ty}`", opcode.modifier(word));
    Diagnostic::error(COMPARISON, opcode.modifier_span(word), message)
}

pub(crate) fn missing_scope(opcode: &Opcode<'_>, word: usize) -> Diagnostic {
    let text = opcode.modifier(word);
    let span = opcode.modifier_span(word);
    Diagnostic::error(SCOPE, span, format!("`.{text}` needs a scope"))
        .help("expected `.cta`, `.cluster`, `.gpu` or `.sys`")
}

pub(crate) fn needless_scope(opcode: &Opcode<'_>, sem: Option<usize>, word: usize) -> Diagnostic {
    let text = opcode.modifier(word);
    let message = format!("`.{text}` needs `.relaxed` or `.acquire`");
    let found = Diagnostic::error(SCOPE, opcode.modifier_span(word), message);
    match sem {
        Some(sem) => found.label(opcode.modifier_span(sem), "this order has no scope"),
        None => found,
    }
}

pub(crate) fn address_type(span: Span, ty: ScalarType) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_TYPE,
        span,
        format!("found a `.{ty}` register, expected an integer address"),
    )
}

pub(crate) fn narrow_address(span: Span, ty: ScalarType) -> Diagnostic {
    let message = format!("found a `.{ty}` register, expected a 64-bit address");
    match ty.width_bits() {
        32 => Diagnostic::error(ADDRESS_TYPE, span, message),
        _ => Diagnostic::warning(ADDRESS_TYPE, span, message),
    }
}

pub(crate) fn barrier_number(span: Span, id: u64) -> Diagnostic {
    Diagnostic::error(
        BARRIER_NUMBER,
        span,
        format!("found barrier {id}, expected 0 to 15"),
    )
}

pub(crate) fn barrier_threads(span: Span, threads: u64) -> Diagnostic {
    let message = format!("found {threads} threads, expected a multiple of 32");
    Diagnostic::error(BARRIER_NUMBER, span, message)
        .help("threads arrive at a barrier in whole warps")
}

pub(crate) fn ftz_of_conversion(opcode: &Opcode<'_>, word: usize) -> Diagnostic {
    let message = "only conversions from or to `.f32` flush subnormals";
    Diagnostic::error(ROUNDING, opcode.modifier_span(word), message).fix(
        "remove `.ftz`",
        opcode.dotted_span(word),
        "",
    )
}

pub(crate) fn mad_rounding(opcode: &Opcode<'_>) -> Diagnostic {
    let place = Span::at(opcode.spans.first().map_or(opcode.span.start, |s| s.end));
    Diagnostic::error(
        MISSING_MODIFIER,
        opcode.span,
        "`mad` needs a rounding from `sm_20` on",
    )
    .help("expected `.rn`, `.rz`, `.rm` or `.rp`")
    .fix("add `.rn`", place, ".rn")
}

pub(crate) fn call_target(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_TARGET,
        span,
        "expected a function, or a register with the address of one",
    )
}

pub(crate) fn call_prototype(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_TARGET,
        span,
        "a call through a register needs a `.callprototype` or `.calltargets`",
    )
}

pub(crate) fn call_argument_space(span: Span, space: StateSpace) -> Diagnostic {
    let message = format!(
        "found a variable in {} memory, expected a `.param` variable or a register",
        space_name(space)
    );
    Diagnostic::error(CALL_ARGUMENTS, span, message)
}

pub(crate) fn call_counts(
    span: Span,
    name: &str,
    found: (usize, usize),
    want: (usize, usize),
) -> Diagnostic {
    let message = format!(
        "found {} results and {} arguments, `{name}` has {} and {}",
        found.0, found.1, want.0, want.1
    );
    Diagnostic::error(CALL_ARGUMENTS, span, message)
}

pub(crate) fn call_argument(span: Span, name: &str, index: usize, n_returns: usize) -> Diagnostic {
    let message = match index.checked_sub(n_returns) {
        Some(argument) => format!(
            "argument {} is not compatible with the parameter of `{name}`",
            argument + 1
        ),
        None => format!(
            "result {} is not compatible with that of `{name}`",
            index + 1
        ),
    };
    Diagnostic::error(CALL_ARGUMENTS, span, message)
}

pub(crate) fn variable_too_large(span: Span) -> Diagnostic {
    Diagnostic::error(
        VARIABLE_TOO_LARGE,
        span,
        "the variable is larger than 2^40 bytes",
    )
}

/// A call of a kernel.
pub(crate) fn call_of_kernel(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        CALL_TARGET,
        span,
        format!("`{name}` is a kernel, expected a function"),
    )
    .help("declare it with `.func` to call it")
}

/// A parameter of a call that is read before anything is in it.
pub(crate) fn call_sequence(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_SEQUENCE,
        span,
        "no call before this returns into the parameter",
    )
    .help("a body reads its own `.param` variables after a call that names them in its first list")
}

/// The address of a parameter of a call.
pub(crate) fn address_of_argument(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_SEQUENCE,
        span,
        "a parameter that the body declares for a call has no address",
    )
    .help("use `st.param` before the call and `ld.param` after it")
}

pub(crate) fn cannot_pack(opcode: &str, span: Span, ty: ScalarType, n: u32) -> Diagnostic {
    Diagnostic::error(
        PACKING,
        span,
        format!("found {n} elements, which cannot be packed into `.{ty}` by `{opcode}`"),
    )
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

/// What a snippet's undeclared names were taken for.
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
