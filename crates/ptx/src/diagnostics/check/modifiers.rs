//! Diagnostics for opcodes and modifiers: unknown, missing and incompatible ones.

use crate::diagnostics::check::{
    COMPARISON, DUPLICATE_MODIFIER, ILLEGAL_MODIFIER, ILLEGAL_TYPE, MISPLACED_WORD,
    MISSING_MODIFIER, NEEDS_SYNC, NEEDS_TARGET, NEEDS_VERSION, OPERAND_COUNT, ROUNDING, SCOPE,
    UNKNOWN_INSTRUCTION, UNKNOWN_MODIFIER, listed,
};
use crate::diagnostics::syntax;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::form::{BoundForm, Gate, SlotKind, meant, nearest};
use warpgrid_isa::forms::OPCODES;
use warpgrid_isa::{FactSource, ScalarType, SlotName};
use warpgrid_program::{Diagnostic, Edit, Fix, Span};

/// Returns the diagnostic for an unknown opcode. `is_legal` returns whether another opcode accepts the modifiers.
pub(crate) fn unknown_instruction(
    opcode: &Opcode<'_>,
    is_legal: impl Fn(&str) -> bool,
) -> Diagnostic {
    let name = opcode.name();
    let span = opcode.spans.first().copied().unwrap_or(opcode.span);
    if matches!(name, "goto" | "break" | "continue" | "return") {
        return syntax::c_jump(span, name);
    }
    let found = Diagnostic::error(
        UNKNOWN_INSTRUCTION,
        span,
        format!("unknown instruction `{name}`"),
    );
    let legal = OPCODES.iter().copied().filter(|other| is_legal(other));
    if let Some(word) = nearest(name, legal) {
        let title = format!("replace `{name}` with `{word}`");
        return found
            .help(format!("did you mean `{word}`?"))
            .fix(title, span, word);
    }
    match nearest(name, OPCODES.iter().copied()) {
        Some(word) => found.help(format!("did you mean `{word}`?")),
        None => found,
    }
}

/// Returns the diagnostic for an unknown modifier. `is_legal` returns whether the opcode is legal with another modifier in its
/// place.
pub(crate) fn unknown_modifier(
    opcode: &Opcode<'_>,
    word: usize,
    bound: &BoundForm,
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
            format!("replace `.{text}` with `.{word}`"),
            span,
            word,
        ),
        None => found,
    }
}

/// Returns the diagnostic for a modifier that belongs to the name of another instruction.
pub(crate) fn foreign_modifier(opcode: &Opcode<'_>, word: usize) -> Diagnostic {
    let text = opcode.modifier(word);
    let message = format!("`{}` does not accept `.{text}`", opcode.name());
    Diagnostic::error(ILLEGAL_MODIFIER, opcode.modifier_span(word), message)
        .help("`.store.d` is part of the opcode `wmma.store.d`")
}

pub(crate) fn illegal_modifier(opcode: &Opcode<'_>, word: usize, bound: &BoundForm) -> Diagnostic {
    let text = opcode.modifier(word);
    let message = format!("`{}` does not accept `.{text}`", opcode.called(bound));
    Diagnostic::error(ILLEGAL_MODIFIER, opcode.modifier_span(word), message)
        .help(format!("the syntax is `{}`", bound.layout.form.syntax))
        .fix(format!("remove `.{text}`"), opcode.dotted_span(word), "")
}

pub(crate) fn duplicate_modifier(opcode: &Opcode<'_>, word: usize, first: usize) -> Diagnostic {
    let (text, other) = (opcode.modifier(word), opcode.modifier(first));
    let message = match text == other {
        true => format!("`.{text}` is specified twice"),
        false => format!("`.{text}` cannot be combined with `.{other}`"),
    };
    Diagnostic::error(DUPLICATE_MODIFIER, opcode.modifier_span(word), message)
        .label(
            opcode.modifier_span(first),
            format!("`.{other}` is specified here"),
        )
        .fix(format!("remove `.{text}`"), opcode.dotted_span(word), "")
}

pub(crate) fn illegal_type(
    opcode: &Opcode<'_>,
    word: usize,
    slot: usize,
    bound: &BoundForm,
) -> Diagnostic {
    let text = opcode.modifier(word);
    let message = format!("`{}` does not support type `.{text}`", opcode.called(bound));
    let found = Diagnostic::error(ILLEGAL_TYPE, opcode.modifier_span(word), message);
    match bound.layout.slots.get(slot) {
        Some(slot) => found.help(format!(
            "expected {}",
            listed(slot.spellings().map(|word| format!("`.{word}`")))
        )),
        None => found,
    }
}

pub(crate) fn missing_modifier(opcode: &Opcode<'_>, slot: usize, bound: &BoundForm) -> Diagnostic {
    let name = opcode.called(bound);
    let Some(missing) = bound.layout.slots.get(slot) else {
        return Diagnostic::error(MISSING_MODIFIER, opcode.span, "missing modifier");
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
    // Offer fixes only for a few alternatives; completion is better suited to a long list.
    if words.len() <= 4 {
        let place = Span::at(missing_place(opcode, slot, bound));
        for word in words {
            found = found.fix(format!("add `.{word}`"), place, format!(".{word}"));
        }
    }
    found
}

/// Returns the insertion position of a missing modifier: after the modifiers that precede it in the syntax line.
fn missing_place(opcode: &Opcode<'_>, slot: usize, bound: &BoundForm) -> u32 {
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
        FactSource::Documented => String::new(),
        FactSource::Assembler(version) => format!(" (according to `ptxas` {version})"),
        FactSource::Measured(target) => format!(" (measured on {target})"),
    }
}

pub(crate) fn needs_version(
    opcode: &Opcode<'_>,
    word: Option<usize>,
    gate: Gate,
    module: &TargetContext,
) -> Diagnostic {
    let (span, what) = gated(opcode, word);
    let message = format!(
        "{what} needs PTX {}{}, found PTX {}",
        gate.ptx,
        origin(gate),
        module.version
    );
    let mut found = Diagnostic::error(NEEDS_VERSION, span, message);
    found.needs.version = Some(gate.ptx);
    found.fixes.extend(crate::diagnostics::rules::raise(
        module,
        &module.lacking(gate),
    ));
    found
}

pub(crate) fn needs_target(
    opcode: &Opcode<'_>,
    word: Option<usize>,
    gate: Gate,
    module: &TargetContext,
) -> Diagnostic {
    let (span, what) = gated(opcode, word);
    let first = gate.target.lowest_from(module.target);
    let name = first.map_or("another target".to_owned(), |t| format!("`{}`", t.name));
    let message = format!(
        "{what} needs target {name}{}, found `{}`",
        origin(gate),
        module.target.name
    );
    let mut found = Diagnostic::error(NEEDS_TARGET, span, message);
    found.needs.target = first.map(|t| t.name);
    found.needs.targets = gate.target;
    found.fixes.extend(crate::diagnostics::rules::raise(
        module,
        &module.lacking(gate),
    ));
    found
}

pub(crate) fn rounding_required(
    opcode: &Opcode<'_>,
    to: ScalarType,
    from: ScalarType,
    offer: &str,
    bound: &BoundForm,
) -> Diagnostic {
    let message = format!(
        "the conversion from `.{from}` to `.{to}` needs a rounding modifier such as `.{offer}`"
    );
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

pub(crate) fn rounding_refused(opcode: &Opcode<'_>, bound: &BoundForm) -> Diagnostic {
    let word = bound
        .word(SlotName::Round)
        .or_else(|| bound.word(SlotName::IntegerRound))
        .unwrap_or(0);
    let text = opcode.modifier(word);
    let message = format!("`.{text}` is not allowed, because this conversion is exact");
    Diagnostic::error(ROUNDING, opcode.modifier_span(word), message).fix(
        format!("remove `.{text}`"),
        opcode.dotted_span(word),
        "",
    )
}

pub(crate) fn needless_saturation(
    opcode: &Opcode<'_>,
    word: usize,
    to: ScalarType,
    from: ScalarType,
) -> Diagnostic {
    let message = format!("`.sat` is not allowed for the conversion from `.{from}` to `.{to}`");
    Diagnostic::error(ILLEGAL_MODIFIER, opcode.modifier_span(word), message).fix(
        "remove `.sat`",
        opcode.dotted_span(word),
        "",
    )
}

pub(crate) fn signs_of_three(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` with `.xorsign` accepts only two source operands");
    Diagnostic::error(OPERAND_COUNT, span, message)
}

pub(crate) fn signs_of_two(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("`{opcode}` with two source operands needs both `.xorsign` and `.abs`");
    Diagnostic::error(MISSING_MODIFIER, span, message)
}

pub(crate) fn third_source(opcode: &str, span: Span, gate: Gate) -> Diagnostic {
    let message = format!("a third source of `{opcode}` needs {}", gate.text());
    Diagnostic::error(NEEDS_VERSION, span, message)
}

pub(crate) fn misplaced_word(opcode: &Opcode<'_>, word: usize) -> Diagnostic {
    let (name, text) = (opcode.name(), opcode.modifier(word));
    let place = opcode.spans.first().map_or(opcode.span.start, |s| s.end);
    let mut found = Diagnostic::error(
        MISPLACED_WORD,
        opcode.modifier_span(word),
        format!("`.{text}` is part of the opcode, expected `{name}.{text}`"),
    )
    .help("all other modifiers may follow the opcode in any order");
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
        "write `{name}.sync` and add the mask of the participating lanes, such as `0xffffffff`, as the last operand"
    ))
}

pub(crate) fn compare_mismatch(opcode: &Opcode<'_>, word: usize, ty: ScalarType) -> Diagnostic {
    let message = format!(
        "`.{}` cannot compare values of type `.{ty}`",
        opcode.modifier(word)
    );
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
    let message = format!("the scope `.{text}` needs `.relaxed` or `.acquire`");
    let found = Diagnostic::error(SCOPE, opcode.modifier_span(word), message);
    match sem {
        Some(sem) => found.label(
            opcode.modifier_span(sem),
            "this memory order does not allow a scope",
        ),
        None => found,
    }
}

pub(crate) fn ftz_of_conversion(opcode: &Opcode<'_>, word: usize) -> Diagnostic {
    let message = "`.ftz` is allowed only for conversions from or to `.f32`";
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
        "`mad` needs a rounding modifier on `sm_20` and later",
    )
    .help("expected `.rn`, `.rz`, `.rm` or `.rp`")
    .fix("add `.rn`", place, ".rn")
}
