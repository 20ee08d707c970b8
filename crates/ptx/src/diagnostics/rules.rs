//! Diagnostics for rules on combinations of modifiers: codes W0300 to W0309 (errors) and W0390 to W0392 (warnings for rules of
//! the manual that the assembler does not enforce).

use crate::diagnostics::diagnostic_codes;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::{BoundForm, Enforcement, Gate, Rule, SlotKind, WideAccess};
use warpgrid_isa::{ScalarType, Target};
use warpgrid_program::{Diagnostic, Edit, Fix, Requirement, Severity, Span};

diagnostic_codes! {
    /// The two modifiers are mutually exclusive. For example, cache operators and eviction priorities require weak stores, and `.mmio` accesses are neither cached nor vectorized.
    CLASH = "W0300", "mutually exclusive modifiers", "st.volatile.cg.u32 [a], b;", "st.volatile.u32 [a], b;";
    /// The modifier requires another modifier. For example, a strong store requires a scope, a scope requires a strong store, and
    /// `.mmio` requires `.relaxed`.
    NEEDS = "W0301", "missing companion modifier", "st.relaxed.u32 [a], b;", "st.relaxed.gpu.u32 [a], b;";
    /// The modifier can be combined only with some modifiers of another group. For example, `.mmio` can be combined only with `.sys`
    /// and global memory.
    NOT_AMONG = "W0302", "modifiers that cannot be combined", "st.mmio.relaxed.gpu.u32 [a], b;", "st.mmio.relaxed.sys.u32 [a], b;";
    /// Each modifier is available on its own, but the combination of both modifiers requires a later PTX version or target.
    TOGETHER = "W0303", "combination not available yet", "st.volatile.local.u32 [a], b; // PTX 9.0", "st.volatile.local.u32 [a], b; // PTX 9.1";
    /// An instruction without a state space uses generic addressing, which requires PTX 2.0 and `sm_20`.
    GENERIC = "W0304", "generic address on an older version or target", "st.u32 [a], b; // PTX 3.0, sm_13", "st.global.u32 [a], b; // PTX 3.0, sm_13";
    /// A vector has at most 128 bits in total. Vectors with eight 32-bit elements or four 64-bit elements (256 bits) are possible only
    /// in global memory.
    TOO_WIDE = "W0305", "vector too wide", "st.shared.v8.b64 [a], {c, c, c, c, d, d, d, d};", "st.shared.v2.b64 [a], {c, d};";
    /// 256-bit stores require PTX 8.8 and `sm_100`.
    WIDE_GATE = "W0306", "256-bit store on an older version or target", "st.global.v8.b32 [a], {x, y, z, w, x, y, z, w}; // sm_90", "st.global.v4.b32 [a], {x, y, z, w}; st.global.v4.b32 [a+16], {x, y, z, w}; // sm_90";
    /// 256-bit stores are available only for global memory.
    WIDE_SPACE = "W0307", "256-bit store outside of global memory", "st.shared.v8.b32 [a], {x, y, z, w, x, y, z, w};", "st.shared.v4.b32 [a], {x, y, z, w}; st.shared.v4.b32 [a+16], {x, y, z, w};";
    /// L2 eviction priorities are available only on 256-bit stores.
    WIDE_ONLY = "W0308", "modifier for 256-bit stores", "st.global.L2::evict_last.b32 [a], b;", "st.global.b32 [a], b;";
    /// The modifier belongs to other instructions. The message suggests an alternative.
    REFUSED = "W0309", "modifier of other instructions", "st.ca.u32 [a], b;", "st.wb.u32 [a], b;";
    /// A copy specifies the destination state space before the source state space. All other modifiers may appear in any order.
    WRONG_ORDER = "W0388", "state spaces in the wrong order", "cp.async.ca.global.shared [a], [a], 4;", "cp.async.ca.shared.global [a], [a], 4;";
    /// `ptxas` accepts the instruction for this version and target, but the PTX ISA manual requires a later version or target.
    MANUAL_FROM = "W0390", "earlier than documented", "st.weak.u32 [a], b; // PTX 5.1, sm_70", "st.u32 [a], b; // PTX 5.1, sm_70";
    /// `ptxas` accepts this combination, but the PTX ISA manual does not document it.
    MANUAL_FORM = "W0391", "undocumented combination", "st.global.v8.b16 [a], {%h, %h, %h, %h, %h, %h, %h, %h};", "st.global.v4.b16 [a], {%h, %h, %h, %h}; st.global.v4.b16 [a+8], {%h, %h, %h, %h};";
}

/// Violated rule with its opcode, as the input of the diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleContext<'a> {
    pub(crate) opcode: &'a Opcode<'a>,
    pub(crate) bound: &'a BoundForm,
    pub(crate) module: &'a TargetContext,
    pub(crate) rule: &'static Rule,
}

impl RuleContext<'_> {
    /// Returns a modifier with its dot in backticks.
    pub(crate) fn quoted(&self, word: usize) -> String {
        format!("`.{}`", self.opcode.modifier(word))
    }

    pub(crate) fn span(&self, word: usize) -> Span {
        self.opcode.modifier_span(word)
    }

    /// Lists the values of a slot that the version and the target support: ".a, .b or .c".
    pub(crate) fn allowed(&self, slot: SlotName, among: &[&str]) -> Option<String> {
        let slots = self.bound.layout.slots.iter();
        let values = slots
            .filter(|s| s.id == Some(slot))
            .filter_map(|s| match s.kind {
                SlotKind::Set(set) => Some(set.values),
                SlotKind::Literal(..) => None,
            })
            .flatten();
        let texts: Vec<&str> = values
            .filter(|v| among.is_empty() || among.contains(&v.text))
            .filter(|v| self.module.meets(v.gate))
            .map(|v| v.text)
            .collect();
        alternatives(&texts)
    }
}

/// Returns a diagnostic with the severity of its rule. Rules that only the manual states have a separate code.
fn found(case: &RuleContext<'_>, code: &'static str, span: Span, message: String) -> Diagnostic {
    match case.rule.verdict {
        Enforcement::Error => Diagnostic::error(code, span, message),
        Enforcement::Warning => Diagnostic::warning(MANUAL_FORM, span, message)
            .help("`ptxas` accepts this form, but other tools may reject the form"),
    }
}

fn because(diagnostic: Diagnostic, case: &RuleContext<'_>) -> Diagnostic {
    let help = match &diagnostic.help {
        Some(help) => format!("{}; {help}", case.rule.reason),
        None => case.rule.reason.to_owned(),
    };
    diagnostic.help(help)
}

fn without(case: &RuleContext<'_>, diagnostic: Diagnostic, word: usize) -> Diagnostic {
    let title = format!("remove {}", case.quoted(word));
    diagnostic.fix(title, case.opcode.dotted_span(word), "")
}

/// Returns the diagnostic for two mutually exclusive modifiers.
pub(crate) fn clash(case: &RuleContext<'_>, a: usize, b: usize) -> Diagnostic {
    let (first, second) = (case.quoted(a), case.quoted(b));
    let message = format!("{first} cannot be combined with {second}");
    let diagnostic = found(case, CLASH, case.span(a), message)
        .label(case.span(b), format!("{second} is specified here"));
    let diagnostic = because(diagnostic, case);
    let removable = !matches!(case.opcode.modifier(a), "mmio" | "L2::cache_hint");
    match removable && case.rule.verdict == Enforcement::Error {
        true => without(case, diagnostic, a),
        false => diagnostic,
    }
}

/// Returns the diagnostic for a modifier that requires a value of an empty slot.
pub(crate) fn needs(
    case: &RuleContext<'_>,
    word: usize,
    slot: SlotName,
    among: &[&str],
) -> Diagnostic {
    let quoted = case.quoted(word);
    let what = alternatives(among).unwrap_or_else(|| format!("a {slot}"));
    let diagnostic = Diagnostic::error(NEEDS, case.span(word), format!("{quoted} needs {what}"));
    let mut diagnostic = because(diagnostic, case);
    if let Some(allowed) = case.allowed(slot, among) {
        let help = diagnostic.help.take().unwrap_or_default();
        diagnostic.help = Some(format!("{help}; expected {allowed}"));
    }
    let at = Span::at(case.span(word).end);
    for text in suggestions(case, slot) {
        diagnostic = diagnostic.fix(format!("add `.{text}`"), at, format!(".{text}"));
    }
    match slot {
        SlotName::Sem if case.opcode.modifier(word) != "mmio" => {
            without(case, sub_space(case, diagnostic, word), word)
        }
        _ => diagnostic,
    }
}

/// Adds a fix for `.shared.cta`, a scope directly after the state space, which is a misspelling of `.shared::cta`.
fn sub_space(case: &RuleContext<'_>, diagnostic: Diagnostic, word: usize) -> Diagnostic {
    let is_after = case
        .bound
        .word(SlotName::Space)
        .is_some_and(|space| space + 1 == word && case.opcode.modifier(space) == "shared");
    let scope = case.opcode.modifier(word);
    if !is_after || !matches!(scope, "cta" | "cluster") {
        return diagnostic;
    }
    let dot = case.opcode.dotted_span(word).start;
    let mut diagnostic = diagnostic;
    diagnostic.fixes.insert(
        0,
        fix(
            format!("write `.shared::{scope}`"),
            vec![Edit {
                span: Span::new(dot, dot + 1),
                text: "::".to_owned(),
            }],
        ),
    );
    diagnostic
}

fn suggestions(case: &RuleContext<'_>, slot: SlotName) -> &'static [&'static str] {
    let mmio = case.bound.has(SlotName::Mmio);
    let scoped = case.bound.has(SlotName::Scope);
    match slot {
        SlotName::Scope if mmio => &["sys"],
        SlotName::Scope => &["gpu", "cta", "sys"],
        SlotName::Sem if mmio && !scoped => &["relaxed.sys"],
        SlotName::Sem => &["relaxed"],
        _ => &[],
    }
}

/// Returns the diagnostic for a modifier in combination with a value that it does not permit.
pub(crate) fn not_among(
    case: &RuleContext<'_>,
    word: usize,
    other: usize,
    slot: SlotName,
    among: &[&str],
) -> Diagnostic {
    let (quoted, wrong) = (case.quoted(word), case.quoted(other));
    let message = match (case.rule.verdict, slot) {
        (Enforcement::Warning, _) => format!(
            "the combination of {quoted} and {wrong} is not documented in the PTX ISA manual"
        ),
        (_, SlotName::Space) => format!("{quoted} cannot be applied to {wrong}"),
        _ => format!("{quoted} cannot be combined with {wrong}"),
    };
    let diagnostic = found(case, NOT_AMONG, case.span(word), message)
        .label(case.span(other), format!("{wrong} is specified here"));
    let mut diagnostic = because(diagnostic, case);
    if case.rule.verdict == Enforcement::Warning {
        return diagnostic;
    }
    if let Some(allowed) = case.allowed(slot, among) {
        let help = diagnostic.help.take().unwrap_or_default();
        let none = match slot {
            SlotName::Space => ", or no state space",
            _ => "",
        };
        diagnostic.help = Some(format!(
            "{help}; {quoted} can be combined with {allowed}{none}"
        ));
    }
    match (slot, among) {
        // The source specifies a scope, but the memory order does not permit one.
        (SlotName::Sem, _) if case.opcode.modifier(word) != "mmio" => {
            without(case, diagnostic, word)
        }
        (SlotName::Scope, [only]) => diagnostic.fix(
            format!("use `.{only}`"),
            case.span(other),
            (*only).to_owned(),
        ),
        _ => diagnostic,
    }
}

/// Returns the diagnostic for a combination that requires a later version or another target.
pub(crate) fn together(case: &RuleContext<'_>, a: usize, b: usize, gate: Gate) -> Diagnostic {
    let (first, second) = (case.quoted(a), case.quoted(b));
    let message = format!("{first} with {second} {}", case.lacks(gate));
    let diagnostic = found(case, TOGETHER, case.span(a), message)
        .label(case.span(b), format!("{second} is specified here"));
    gated(because(diagnostic, case), case, gate)
}

/// Returns the diagnostic for a value that the manual documents only for a later version or target.
pub(crate) fn from(case: &RuleContext<'_>, word: usize, gate: Gate) -> Diagnostic {
    let message = format!(
        "the PTX ISA manual documents {} {}",
        case.quoted(word),
        case.first_time(gate)
    );
    let diagnostic = Diagnostic::warning(MANUAL_FROM, case.span(word), message);
    because(diagnostic, case)
}

/// Returns the diagnostic for a missing state space in a version without generic addressing.
pub(crate) fn empty(case: &RuleContext<'_>, slot: SlotName, gate: Gate) -> Diagnostic {
    let message = format!("generic addressing {}", case.lacks(gate));
    let span = case
        .opcode
        .spans
        .first()
        .copied()
        .unwrap_or(case.opcode.span);
    let mut diagnostic = because(Diagnostic::error(GENERIC, span, message), case);
    if let Some(allowed) = case.allowed(slot, &["global", "local", "shared"]) {
        let help = diagnostic.help.take().unwrap_or_default();
        diagnostic.help = Some(format!("{help}; specify the state space: {allowed}"));
    }
    gated(diagnostic, case, gate)
}

/// Returns the diagnostic for a vector that is wider than the maximum access width.
pub(crate) fn too_wide(case: &RuleContext<'_>, word: usize, bits: u32, most: u32) -> Diagnostic {
    let message = format!("found a vector of {bits} bits, expected at most {most} bits");
    let mut diagnostic = Diagnostic::error(TOO_WIDE, case.span(word), message);
    if let Some(ty) = case.bound.word(SlotName::Type) {
        diagnostic = diagnostic.label(case.span(ty), "the element type");
    }
    let element = case
        .bound
        .scalar(SlotName::Type)
        .map_or(most, |ty| ty.width_bits());
    diagnostic.help(match most / element.max(1) {
        0 | 1 => "store each element with a separate instruction".to_owned(),
        n => format!("store at most {n} elements per instruction"),
    })
}

/// Returns the diagnostic for a 256-bit access in a version or for a target that does not support it.
pub(crate) fn wide_gate(case: &RuleContext<'_>, word: usize, wide: &WideAccess) -> Diagnostic {
    let message = format!("a {}-bit access {}", wide.bits, case.lacks(wide.gate));
    let mut diagnostic = Diagnostic::error(WIDE_GATE, case.span(word), message);
    if let Some(ty) = case.bound.word(SlotName::Type) {
        diagnostic = diagnostic.label(case.span(ty), "the element type");
    }
    let half = if case.opcode.modifier(word) == "v8" {
        "`.v4`"
    } else {
        "`.v2`"
    };
    gated(diagnostic, case, wide.gate).help(format!("split the store into two {half} stores"))
}

/// Returns the diagnostic for a 256-bit access outside of global memory.
pub(crate) fn wide_space(
    case: &RuleContext<'_>,
    word: usize,
    space: usize,
    wide: &WideAccess,
) -> Diagnostic {
    let message = format!(
        "{}-bit accesses are available for global memory only, found the state space {}",
        wide.bits,
        case.quoted(space)
    );
    let half = if case.opcode.modifier(word) == "v8" {
        "`.v4`"
    } else {
        "`.v2`"
    };
    Diagnostic::error(WIDE_SPACE, case.span(word), message)
        .label(case.span(space), "the state space")
        .help(format!("split the store into two {half} stores"))
}

/// Returns the diagnostic for a modifier that only 256-bit accesses accept.
pub(crate) fn wide_only(case: &RuleContext<'_>, word: usize, wide: &WideAccess) -> Diagnostic {
    let shapes: Vec<String> = wide
        .shapes
        .iter()
        .map(|(vector, bits)| format!("`.{vector}` with {bits}-bit elements"))
        .collect();
    let message = format!("{} needs {}", case.quoted(word), shapes.join(" or "));
    let diagnostic = Diagnostic::error(WIDE_ONLY, case.span(word), message);
    without(case, because(diagnostic, case), word)
}

/// Returns the diagnostic for two modifiers in the wrong order.
pub(crate) fn wrong_order(case: &RuleContext<'_>, first: usize, second: usize) -> Diagnostic {
    let (a, b) = (case.quoted(first), case.quoted(second));
    let message = format!("expected {a} before {b}");
    let diagnostic = Diagnostic::error(WRONG_ORDER, case.span(second), message);
    let mut diagnostic = because(
        diagnostic.label(case.span(first), format!("{a} is specified here")),
        case,
    );
    let swap = |at: usize, word: usize| Edit {
        span: case.span(at),
        text: case.opcode.modifier(word).to_owned(),
    };
    let edits = vec![swap(second, first), swap(first, second)];
    diagnostic
        .fixes
        .push(fix(format!("swap {a} and {b}"), edits));
    diagnostic
}

/// Returns the diagnostic for a modifier of other instructions.
pub(crate) fn refused(
    opcode: &Opcode<'_>,
    bound: &warpgrid_isa::form::BoundForm,
    word: usize,
    reason: &str,
) -> Diagnostic {
    let message = format!(
        "`{}` does not accept `.{}`",
        opcode.called(bound),
        opcode.modifier(word)
    );
    let found = Diagnostic::error(REFUSED, opcode.modifier_span(word), message).help(reason);
    // Suggest the bit type of the same width for a type that memory accesses do not support.
    let bits = ScalarType::from_name(opcode.modifier(word)).map(ScalarType::to_bits);
    let mut types = bound.layout.slots.iter().filter(|slot| slot.is_type());
    match bits {
        Some(bits) if types.any(|slot| slot.find(bits.name()).is_some()) => found.fix(
            format!("use `.{bits}`"),
            opcode.modifier_span(word),
            bits.name(),
        ),
        _ => found,
    }
}

/// Returns the diagnostic for a construct, such as a special register, that the version or the target does not support.
pub(crate) fn special_gate(
    name: &str,
    span: Span,
    gate: Gate,
    module: &TargetContext,
) -> Diagnostic {
    let code = match module.version < gate.ptx {
        true => crate::diagnostics::check::NEEDS_VERSION,
        false => crate::diagnostics::check::NEEDS_TARGET,
    };
    let name = match name.contains(' ') {
        true => name.to_owned(),
        false => format!("`{name}`"),
    };
    let diagnostic = Diagnostic::error(code, span, format!("{name} {}", lacks(module, gate)));
    raised(diagnostic, module, gate)
}

fn gated(diagnostic: Diagnostic, case: &RuleContext<'_>, gate: Gate) -> Diagnostic {
    match diagnostic.severity {
        Severity::Error => raised(diagnostic, case.module, gate),
        _ => diagnostic,
    }
}

/// Sets the unmet requirements of the gate, and adds a fix that raises the version and the target of the header.
fn raised(mut diagnostic: Diagnostic, module: &TargetContext, gate: Gate) -> Diagnostic {
    diagnostic.needs = module.lacking(gate);
    diagnostic.fixes.extend(raise(module, &diagnostic.needs));
    diagnostic
}

/// Returns a fix that sets the required version and target in the header.
pub(crate) fn raise(module: &TargetContext, needs: &Requirement) -> Option<Fix> {
    let target = needs.target.and_then(Target::from_name);
    let since = target.map(|target| target.since).max(needs.version);
    let version = since.filter(|version| module.version < *version);
    let mut edits = Vec::new();
    let mut titles = Vec::new();
    if let Some(version) = version {
        titles.push(format!("raise `.version` to {version}"));
        edits.push(Edit {
            span: module.version_span?,
            text: format!(".version {version}"),
        });
    }
    if let Some(target) = target {
        let is_later = target.sm >= module.target.sm;
        titles.push(match (is_later, edits.is_empty()) {
            (true, true) => format!("raise `.target` to `{}`", target.name),
            (true, false) => format!("`.target` to `{}`", target.name),
            (false, _) => format!("change `.target` to `{}`", target.name),
        });
        edits.push(Edit {
            span: module.target_span?,
            text: target.name.to_owned(),
        });
    }
    (!edits.is_empty()).then(|| fix(titles.join(" and "), edits))
}

/// States that no target supports both the construct and another instruction of the module. Removes the fixes, which would only
/// cause a different error.
pub(crate) fn note_no_common_target(diagnostic: &mut Diagnostic, other: &str) {
    diagnostic.fixes.clear();
    diagnostic.help = Some(format!(
        "no target supports both this feature and `{other}`, which the module also uses"
    ));
}

fn lacks(module: &TargetContext, gate: Gate) -> String {
    let needs = module.lacking(gate);
    match (needs.version, needs.target) {
        (Some(version), Some(target)) => format!("needs PTX {version} and `{target}`"),
        (None, Some(target)) => format!("needs `{target}`, found `{}`", module.target.name),
        (Some(version), None) => format!("needs PTX {version}, found PTX {}", module.version),
        (None, None) => "is available".to_owned(),
    }
}

impl RuleContext<'_> {
    fn lacks(&self, gate: Gate) -> String {
        lacks(self.module, gate)
    }

    fn first_time(&self, gate: Gate) -> String {
        let needs = self.module.lacking(gate);
        match (needs.version, needs.target) {
            (Some(version), Some(target)) => format!("from PTX {version} and `{target}` on"),
            (None, Some(target)) => format!("from `{target}` on"),
            (Some(version), _) => format!("from PTX {version} on"),
            (None, None) => "already".to_owned(),
        }
    }
}

pub(crate) use warpgrid_isa::form::alternatives;

/// Creates a fix of several edits.
pub(crate) fn fix(title: String, edits: Vec<Edit>) -> Fix {
    let mut sorted = Vec::with_capacity(edits.len());
    for edit in edits {
        let at = sorted.partition_point(|other: &Edit| other.span <= edit.span);
        sorted.insert(at, edit);
    }
    Fix {
        title,
        edits: sorted,
    }
}
