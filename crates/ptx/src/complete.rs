//! Completion: lists the words that are legal at an offset for the version and the target of the module, each with its
//! description. The words are those of the instruction tables that the checker uses.

mod directives;
pub(crate) mod line;

use crate::check::module_of;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, OperandGrammar};
use crate::check::resolved_opcodes::rules;
use crate::complete::line::{CursorContext, PartialInstruction};
use crate::name_completion::{NameKind, VisibleName, visible};
use crate::opcode::Opcode;
use crate::parser::Parse;
use crate::target_context::TargetContext;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::bind::bind_layout;
use warpgrid_isa::form::{
    BindError, BoundForm, FormSyntax, ModifierSlot, OperandShape, SlotKind, forms_of, layouts,
};
use warpgrid_isa::{Gate, ModifierSpelling, OperandType, ScalarType, StateSpace, TypeMatch};
use warpgrid_program::{CompletionItem, CompletionItemKind, Overrides, SignatureHelp, Span};

/// Maximum number of completions for the registers of one group.
const MAX_GROUP: u32 = 64;
/// Maximum number of names in the completions.
const MAX_NAMES: usize = 1000;

/// Returns the completions at `offset` in descending order of relevance.
pub fn complete(
    source: &str,
    parse: &Parse,
    options: &Overrides,
    offset: u32,
) -> Vec<CompletionItem> {
    let line = PartialInstruction::read(source, offset);
    let module = module_of(source, &parse.tree, options);
    let names = || visible(source, &parse.tree, offset);
    match line.place() {
        CursorContext::Opcode => opcodes(&line, &module),
        CursorContext::Modifier => modifiers(&line, &module),
        CursorContext::Guard => of_type(&names(), &line, |ty| ty == ScalarType::Pred),
        CursorContext::Operand(index) => operands(&line, &module, &names(), index),
        CursorContext::Directive => directives::directives(&line, &parse.tree),
        CursorContext::Elsewhere => Vec::new(),
    }
}

/// Returns the instruction form at `offset` (signature help).
pub fn signature(source: &str, offset: u32) -> Option<SignatureHelp> {
    let line = PartialInstruction::read(source, offset);
    let layout = line.bound()?.layout;
    Some(SignatureHelp {
        syntax: layout.form.syntax.to_owned(),
        help: layout.form.help.to_owned(),
        operands: layout
            .operands
            .iter()
            .map(|operand| operand.name.to_owned())
            .collect(),
        active: match line.place() {
            CursorContext::Operand(index) => Some(index as u32),
            _ => None,
        },
    })
}

fn opcodes(line: &PartialInstruction<'_>, module: &TargetContext) -> Vec<CompletionItem> {
    let mut found: Vec<CompletionItem> = Vec::new();
    for layout in layouts() {
        let place = found.binary_search_by(|known| known.text.as_str().cmp(layout.opcode));
        if let Err(at) = place
            && layout.opcode.starts_with(line.prefix)
            && module.meets(layout.form.gate)
        {
            let completion = CompletionItem {
                text: layout.opcode.to_owned(),
                kind: CompletionItemKind::Opcode,
                help: layout.form.help.to_owned(),
                needs: layout.form.gate.phrase(),
                span: line.span(),
            };
            found.insert(at, completion);
        }
    }
    found
}

/// Returns completions for the modifiers that a form of the opcode accepts in addition to the present modifiers.
fn modifiers(line: &PartialInstruction<'_>, module: &TargetContext) -> Vec<CompletionItem> {
    let Some((opcode, words)) = line.finished().split_first() else {
        return Vec::new();
    };
    let mut found: Vec<CompletionItem> = Vec::new();
    for layout in forms_of(opcode) {
        let written = OpcodeProbe {
            opcode,
            layout,
            module,
        };
        let Some(bound) = written.bind(words) else {
            continue;
        };
        for (index, slot) in layout.slots.iter().enumerate() {
            let filled = bound.slots.get(index).is_some_and(Option::is_some);
            if filled || (is_over(&bound) && !slot.required) {
                continue;
            }
            let values: Vec<(&'static str, Option<&'static ModifierSpelling>)> = match slot.kind {
                SlotKind::Set(set) => set.values.iter().map(|v| (v.text, Some(v))).collect(),
                SlotKind::Literal(text, _) => vec![(text, None)],
            };
            for (text, value) in values {
                let known = found.iter().any(|c| c.text == text);
                let mut longer = words.to_vec();
                longer.push(text);
                let fits = text.starts_with(line.prefix) && !known;
                if !fits || !follows(&bound, slot) {
                    continue;
                }
                if let Some(longer) = written.bind(&longer) {
                    let new = ModifierCandidate { text, value, slot };
                    found.push(new.completion(&bound, &longer, line.span()));
                }
            }
        }
    }
    found
}

/// Modifier that a form accepts in addition to the present modifiers.
struct ModifierCandidate {
    text: &'static str,
    /// Value of a modifier set, or `None` for a literal modifier of the form.
    value: Option<&'static ModifierSpelling>,
    slot: &'static ModifierSlot,
}

impl ModifierCandidate {
    /// Returns the description of the modifier. The description of a modifier that belongs to the instruction name is the description of
    /// the instruction.
    fn help(&self, longer: &BoundForm) -> &'static str {
        let leads = longer.layout.leads();
        let is_name = leads.iter().any(|lead| lead.name == self.slot.name);
        match self.value {
            Some(value) => value.help,
            None if is_name => longer.layout.form.help,
            None => self.slot.help().unwrap_or(longer.layout.form.help),
        }
    }

    /// Returns the completion for the modifier. `longer` is the form bound to all modifiers including this modifier, and `bound` is the
    /// form bound to the preceding modifiers.
    fn completion(&self, bound: &BoundForm, longer: &BoundForm, span: Span) -> CompletionItem {
        let form = longer.layout.form;
        // A modifier may change the requirements of preceding modifiers. For example, `.v8.f32` has different requirements than `.v8.b16`.
        let n_words = bound.slots.iter().flatten().count();
        let makes_newer = |word: &usize| longer.gate_of(*word) != bound.gate_of(*word);
        let gates = (0..n_words).filter(makes_newer).chain([n_words]);
        CompletionItem {
            text: self.text.to_owned(),
            kind: match self.slot.is_type() {
                true => CompletionItemKind::Type,
                false => CompletionItemKind::Modifier,
            },
            help: self.help(longer).to_owned(),
            needs: match self.value {
                Some(_) => gates.fold(Gate::ALWAYS, |all, word| all.and(longer.gate_of(word))),
                None => form.gate,
            }
            .phrase(),
            span,
        }
    }
}

/// Returns whether all type modifiers are present. Because types are the last modifiers, the completion then offers only required
/// modifiers.
fn is_over(bound: &BoundForm) -> bool {
    let mut types = bound
        .layout
        .slots
        .iter()
        .zip(&bound.slots)
        .filter(|(slot, _)| slot.is_type())
        .peekable();
    types.peek().is_some() && types.all(|(_, binding)| binding.is_some())
}

/// Returns whether the slot may follow the present modifiers. A vector width must directly precede a type.
fn follows(bound: &BoundForm, slot: &ModifierSlot) -> bool {
    match (
        bound.word(SlotName::Vector),
        bound.slots.iter().flatten().count(),
    ) {
        (Some(word), n) if word + 1 == n => slot.is_type(),
        _ => true,
    }
}

/// Tests whether modifiers are a valid prefix of the modifiers of one form.
struct OpcodeProbe<'a> {
    opcode: &'a str,
    layout: &'static FormSyntax,
    module: &'a TargetContext,
}

impl OpcodeProbe<'_> {
    /// Binds the modifiers to a form. Returns the bound form if its only errors are missing modifiers.
    fn bind(&self, words: &[&str]) -> Option<BoundForm> {
        let bound = bind_layout(self.layout, words);
        let complete = bound
            .complaints
            .iter()
            .all(|complaint| matches!(complaint, BindError::Missing { .. }));
        let legal = bound.gates().all(|(_, gate)| self.module.meets(gate));
        if !complete || !legal || !self.is_named(words) || !self.is_of_its_time(&bound) {
            return None;
        }
        let mut all = vec![self.opcode];
        all.extend(words);
        let spelled = Opcode {
            spans: vec![Span::at(0); all.len()],
            words: all,
            span: Span::at(0),
            text: self.opcode,
        };
        (!rules::is_hopeless(&spelled, &bound, self.module)).then_some(bound)
    }

    /// Returns whether the modifiers of the instruction name, such as `store.d` in `wmma.store.d`, come first and in order.
    fn is_named(&self, words: &[&str]) -> bool {
        let literals = self.layout.slots.iter().map_while(|slot| match slot.kind {
            SlotKind::Literal(text, _) if slot.required => Some(text),
            _ => None,
        });
        literals.zip(words).all(|(literal, word)| literal == *word)
    }

    /// Returns whether the version of the module accepts all literal modifiers. For example, versions before 6.3 reject `.aligned` of
    /// `wmma`.
    fn is_of_its_time(&self, bound: &BoundForm) -> bool {
        let mut gated = self.layout.form.required_from.iter();
        gated.all(|(flag, version)| !bound.has(*flag) || self.module.version >= *version)
    }
}

fn operands(
    line: &PartialInstruction<'_>,
    module: &TargetContext,
    names: &[VisibleName],
    index: usize,
) -> Vec<CompletionItem> {
    let Some(bound) = line.bound() else {
        return Vec::new();
    };
    let Some(operand) = bound.layout.operands.get(index) else {
        return Vec::new();
    };
    let space = match bound.meaning(SlotName::Space) {
        Some(warpgrid_isa::ModifierValue::Space(space)) => space,
        _ => StateSpace::Generic,
    };
    let space = match operand.ty {
        OperandType::AddressIn(own) | OperandType::MbarrierIn(own) => own,
        _ => space,
    };
    if line.in_brackets || operand.shape == OperandShape::Address {
        return addresses(line, module, names, space);
    }
    match operand.ty {
        OperandType::Label => of_sort(names, line, |meaning| {
            matches!(meaning, NameKind::Label | NameKind::Function)
        }),
        OperandType::Predicate => of_type(names, line, |ty| ty == ScalarType::Pred),
        OperandType::CachePolicy => {
            of_type(names, line, |ty| ty.is_integer() && ty.width_bits() == 64)
        }
        OperandType::Fixed(ty) => of_type(names, line, |have| {
            ty.accepts_register(have, TypeMatch::Exact)
        }),
        OperandType::Bits(bits) => {
            of_type(names, line, |ty| ty.is_integer() && ty.width_bits() == bits)
        }
        OperandType::Wide(slot) => {
            let bits = bound.scalar(slot).map_or(0, |ty| ty.width_bits() * 2);
            of_type(names, line, |ty| ty.is_integer() && ty.width_bits() == bits)
        }
        OperandType::Address => addresses(line, module, names, space),
        _ => match bound.scalar(SlotName::Type) {
            Some(ty) => {
                let fit = match OperandGrammar::of(&bound, &bound.modifiers()) {
                    OperandGrammar::Store | OperandGrammar::Row(ExtraOperandCheck::Load) => {
                        TypeMatch::Wider
                    }
                    _ => TypeMatch::Exact,
                };
                of_type(names, line, |have| ty.accepts_register(have, fit))
            }
            None => of_type(names, line, |_| true),
        },
    }
}

/// Returns the registers that can contain addresses, and the variables in a suitable state space.
fn addresses(
    line: &PartialInstruction<'_>,
    module: &TargetContext,
    names: &[VisibleName],
    space: StateSpace,
) -> Vec<CompletionItem> {
    use StateSpace as S;
    let least = match space {
        S::Shared | S::SharedCluster | S::Local => 32,
        _ => module.address_bits,
    };
    of_sort(names, line, |meaning| match meaning {
        NameKind::Register(ty, 1) => ty.is_integer() && (least..=64).contains(&ty.width_bits()),
        NameKind::Variable(variable, _) => space.takes_variable(variable),
        _ => false,
    })
}

fn of_type(
    names: &[VisibleName],
    line: &PartialInstruction<'_>,
    fits: impl Fn(ScalarType) -> bool,
) -> Vec<CompletionItem> {
    of_sort(
        names,
        line,
        |meaning| matches!(meaning, NameKind::Register(ty, 1) if fits(ty)),
    )
}

/// Returns the names whose meaning satisfies `fits`. Names of inner scopes come first.
fn of_sort(
    names: &[VisibleName],
    line: &PartialInstruction<'_>,
    fits: impl Fn(NameKind) -> bool,
) -> Vec<CompletionItem> {
    let mut found: Vec<CompletionItem> = Vec::new();
    for name in names.iter().rev().filter(|name| fits(name.meaning)) {
        let numbers = name.count.map_or(0..1, |count| 0..count.min(MAX_GROUP));
        for number in numbers {
            let text = match name.count {
                Some(_) => format!("{}{number}", name.name),
                None => name.name.clone(),
            };
            let hidden = found.iter().any(|c| c.text == text);
            if text.starts_with(line.prefix) && !hidden && found.len() < MAX_NAMES {
                found.push(named(text, name.meaning, line.span()));
            }
        }
    }
    found
}

fn named(text: String, meaning: NameKind, span: Span) -> CompletionItem {
    let (kind, help) = match meaning {
        NameKind::Register(ty, _) => (
            CompletionItemKind::Register,
            format!("register of type .{ty}"),
        ),
        NameKind::Variable(space, Some(ty)) => (
            CompletionItemKind::Variable,
            format!(".{} variable of type .{ty}", space.name()),
        ),
        NameKind::Variable(space, None) => (
            CompletionItemKind::Variable,
            format!(".{} variable", space.name()),
        ),
        NameKind::Function => (CompletionItemKind::Function, "function".to_owned()),
        NameKind::Label => (CompletionItemKind::Label, "label".to_owned()),
    };
    CompletionItem {
        text,
        kind,
        help,
        needs: None,
        span,
    }
}
