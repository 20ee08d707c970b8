//! Hover text for the token at a source offset.

use super::{at, contains};
use crate::listing::schedule_at;
use crate::store_modifiers::bind;
use crate::syntax::{
    AnnotationKind, Instruction, Operand, OperandKind, Register, RegisterFile, RegisterNumber,
    StatementKind, Term, TermValue, Tree,
};
use warpgrid_isa::sass::{StoreModifierKind, find_opcode, find_store, ptx_mapping};
use warpgrid_isa::{Target, TargetRequirement};
use warpgrid_program::{Hover, Overrides, Span};

/// Returns the hover text for the token at `offset`.
pub(crate) fn hover(
    source: &str,
    tree: &Tree,
    overrides: &Overrides,
    offset: u32,
) -> Option<Hover> {
    let (instruction, target) = at(source, tree, overrides, offset);
    let mut controls = tree.instructions.iter().filter_map(|found| found.control);
    if let Some(control) = controls.find(|control| contains(control.span, offset)) {
        let title = control.span.text(source).to_owned();
        let mut lines = control.control.fields(Some(target)).sentences();
        lines.push(
            "The scheduler uses the control information, which has no effect on results."
                .to_owned(),
        );
        return Some(text(control.span, title, lines));
    }
    let instruction = instruction?;
    let guard = instruction
        .guard
        .filter(|guard| contains(guard.span, offset));
    if let Some(guard) = guard {
        let which = if guard.negated { "false" } else { "true" };
        let name = guard.predicate;
        let line =
            format!("The instruction is executed by the lanes in which `{name}` is {which}.");
        return Some(text(guard.span, guard.span.text(source).to_owned(), [line]));
    }
    if contains(instruction.opcode, offset) {
        return opcode(source, tree, instruction, target);
    }
    let mut modifiers = tree.modifiers(instruction).iter();
    if let Some(index) = modifiers.position(|span| contains(*span, offset)) {
        return modifier(source, tree, instruction, index);
    }
    let annotations = tree.annotations(instruction);
    if let Some(found) = annotations
        .iter()
        .find(|found| contains(found.span, offset))
    {
        let title = found.span.text(source).to_owned();
        return Some(text(
            found.span,
            title,
            [annotation_help(found.kind).to_owned()],
        ));
    }
    let operands = tree.operands(instruction);
    let index = operands
        .iter()
        .position(|found| contains(found.span, offset))?;
    operand(source, tree, instruction, index, offset)
}

const fn annotation_help(kind: AnnotationKind) -> &'static str {
    match kind {
        AnnotationKind::Barrier => {
            "The scheduling barrier that the instruction waits for or sets. Scheduling barriers have no effect on results."
        }
        AnnotationKind::Schedule => {
            "The earliest issue time of the next instruction. The issue time has no effect on results."
        }
        AnnotationKind::Remark => "A comment of the disassembler.",
    }
}

fn text(span: Span, title: String, lines: impl IntoIterator<Item = String>) -> Hover {
    Hover {
        span,
        title,
        lines: lines.into_iter().collect(),
        section: None,
        declared: None,
    }
}

fn where_line(gate: TargetRequirement) -> Option<String> {
    gate.text().map(|text| format!("Available on {text}."))
}

fn opcode(source: &str, tree: &Tree, instruction: &Instruction, target: &Target) -> Option<Hover> {
    let span = instruction.opcode;
    let name = span.text(source);
    let (title, help, on) = match (find_store(name), find_opcode(name)) {
        (Some(store), _) => (store.syntax, store.help, store.on),
        (None, Some(row)) => (row.name, row.help, row.on),
        (None, None) => {
            let line = "The opcode is unknown, so the instruction is not analysed.";
            return Some(text(span, name.to_owned(), [line.to_owned()]));
        }
    };
    let checked = format!("The instruction is decoded for `{}`.", target.name);
    let ptx = find_store(name).map(|store| {
        let spans = tree.modifiers(instruction).iter();
        let words: Vec<&str> = spans.map(|span| span.text(source)).collect();
        let bound = bind(store, &words);
        let words: Vec<_> = bound.words.iter().map(|bound| bound.word).collect();
        format!(
            "The opcode corresponds to PTX `{}` and to other PTX instructions.",
            ptx_mapping::ptx(store, &words)
        )
    });
    let schedule = schedule_at(tree, instruction.span.start, target)
        .map(|found| format!("Scheduling information, which has no effect on results: {found}."));
    let lines = [
        Some(help.to_owned()),
        ptx,
        schedule,
        where_line(on),
        Some(checked),
    ];
    Some(text(span, title.to_owned(), lines.into_iter().flatten()))
}

fn modifier(source: &str, tree: &Tree, instruction: &Instruction, index: usize) -> Option<Hover> {
    let store = find_store(instruction.opcode.text(source))?;
    let spans = tree.modifiers(instruction);
    let words: Vec<&str> = spans.iter().map(|span| span.text(source)).collect();
    let bound = bind(store, &words);
    let found = bound
        .words
        .iter()
        .find(|word| word.parts.contains(&index))?;
    let span = spans[found.parts.start].to(spans[found.parts.end - 1]);
    let lines = [Some(found.word.help.to_owned()), where_line(found.word.on)];
    let title = format!(".{}", found.word.text);
    Some(text(span, title, lines.into_iter().flatten()))
}

fn operand(
    source: &str,
    tree: &Tree,
    instruction: &Instruction,
    index: usize,
    offset: u32,
) -> Option<Hover> {
    let operand = tree.operands(instruction).get(index)?;
    let written = operand.span.text(source).to_owned();
    match &operand.value {
        OperandKind::Register(found) => {
            let run = data_run(source, tree, instruction, index, *found);
            let lines = [Some(run.unwrap_or_else(|| register(*found)))];
            let signs = signs(operand);
            let lines = lines.into_iter().flatten().chain(signs);
            Some(text(operand.span, written, lines))
        }
        OperandKind::Memory(memory) => {
            let brackets = tree.brackets(memory).iter();
            let mut terms = brackets.flat_map(|bracket| tree.terms(bracket));
            if let Some(found) = terms.find(|found| contains(found.span, offset)) {
                return Some(term(source, found));
            }
            let line = match memory.prefix.map(|prefix| prefix.text(source)) {
                None => "An address, which is the sum of registers and an offset in bytes.",
                Some("c") => {
                    "A constant, specified by a constant bank and a byte offset. Bank 0 contains the launch configuration and the kernel parameters."
                }
                Some("cx") => "A constant in a bank that is selected by the uniform register.",
                Some("desc") => "An address with a descriptor, which specifies the caching.",
                Some(_) => "A named hardware location.",
            };
            Some(text(operand.span, written, [line.to_owned()]))
        }
        OperandKind::Integer(value) => {
            let line = format!("{value} = {value:#x}");
            Some(text(operand.span, written, [line]))
        }
        OperandKind::Target(name) => {
            let label = tree
                .statements
                .iter()
                .find_map(|statement| match statement.kind {
                    StatementKind::Label(label) if label.text(source) == name.text(source) => {
                        Some(label)
                    }
                    _ => None,
                });
            Some(Hover {
                declared: label,
                ..text(operand.span, written, ["The branch target.".to_owned()])
            })
        }
        OperandKind::Relocation(_) => {
            let line = "A relocation that the linker resolves.".to_owned();
            Some(text(operand.span, written, [line]))
        }
        OperandKind::Word(_)
        | OperandKind::Float(_)
        | OperandKind::Set(_)
        | OperandKind::Unknown(_) => None,
    }
}

fn signs(operand: &Operand) -> Option<String> {
    let signs = operand.signs;
    let words: Vec<&str> = [
        (signs.negated, "negated"),
        (signs.absolute, "replaced by its absolute value"),
        (signs.inverted, "bitwise inverted"),
        (signs.not, "inverted"),
    ]
    .into_iter()
    .filter_map(|(written, word)| written.then_some(word))
    .collect();
    (!words.is_empty()).then(|| format!("The operand is {}.", words.join(", ")))
}

/// Returns the register run that contains the data of a store.
fn data_run(
    source: &str,
    tree: &Tree,
    instruction: &Instruction,
    index: usize,
    register: Register,
) -> Option<String> {
    let store = find_store(instruction.opcode.text(source))?;
    let spans = tree.modifiers(instruction);
    let words: Vec<&str> = spans.iter().map(|span| span.text(source)).collect();
    let width = bind(store, &words)
        .find(store, "sz")
        .map(|word| word.meaning);
    let bits = match width {
        Some(StoreModifierKind::Width(bits)) => bits.min(128),
        Some(_) | None => 32,
    };
    if index == 0 || register.file != RegisterFile::General {
        return None;
    }
    match register.number {
        RegisterNumber::Zero => Some(format!("Stores {bits} zero bits.")),
        RegisterNumber::Number(number) if bits > 32 => {
            let last = u32::from(number) + bits / 32 - 1;
            Some(format!(
                "Stores the {bits} bits of `{register}` to `R{last}`, with the least significant register first."
            ))
        }
        RegisterNumber::Number(_) if bits < 32 => {
            Some(format!("Stores the low {bits} bits of `{register}`."))
        }
        RegisterNumber::Number(_) | RegisterNumber::True => Some(format!("Stores `{register}`.")),
    }
}

fn term(source: &str, term: &Term) -> Hover {
    let title = term.span.text(source).to_owned();
    let line = match term.value {
        TermValue::Register(found) => register(found),
        TermValue::Integer(value) => format!("The offset is {value} ({value:#x}) bytes."),
        TermValue::Other(_) => "A relocation that the linker resolves.".to_owned(),
    };
    text(term.span, title, [line])
}

fn register(register: Register) -> String {
    match (register.file, register.number) {
        (RegisterFile::General, RegisterNumber::Zero) => {
            "The zero register reads as zero and discards writes."
        }
        (RegisterFile::General, _) => "General-purpose register with 32 bits per lane.",
        (RegisterFile::Uniform, RegisterNumber::Zero) => {
            "The uniform zero register reads as zero and discards writes."
        }
        (RegisterFile::Uniform, _) => "Uniform register with 32 bits per warp.",
        (RegisterFile::Predicate, RegisterNumber::True) => {
            "The true predicate reads as true and discards writes."
        }
        (RegisterFile::Predicate, _) => "Predicate register with 1 bit per lane.",
        (RegisterFile::UniformPredicate, RegisterNumber::True) => {
            "The uniform true predicate reads as true and discards writes."
        }
        (RegisterFile::UniformPredicate, _) => "Uniform predicate register with 1 bit per warp.",
        (RegisterFile::Barrier, _) => {
            "Convergence barrier, which contains the mask of the lanes that reconverge at `BSYNC`."
        }
        (RegisterFile::Scoreboard, _) => {
            "Scoreboard, which counts the pending operations for which `DEPBAR` waits."
        }
    }
    .to_owned()
}
