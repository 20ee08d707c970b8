//! Hover: describes the token at an offset, based on the same instruction tables as the checker and the completion.

pub(crate) mod keywords;

use crate::check::module_of;

use crate::hover::keywords::{ENTRY, FUNCTION, directive_help, linkage_help, space_help};
use crate::lexer;
use crate::lexer::TokenKind;
use crate::name_completion::{NameKind, VisibleName, lookup};
use crate::opcode::Opcode;
use crate::parser::Parse;
use crate::target_context::TargetContext;
use crate::tree::declaration::{Declaration, DeclaredType, Directive, DirectiveKind};
use crate::tree::operand::{Operand, OperandKind, Operands};
use crate::tree::{Instruction, Statement, StatementKind, Tree};
use warpgrid_isa::form::{BoundForm, OperandPosition, SlotKind, bind, is_known_word, nearest};
use warpgrid_isa::sass::ptx_mapping;
use warpgrid_isa::{
    FactSource, Gate, Modifiers, OperandType, Operation, ScalarType, SpecialRegister, Target,
};
use warpgrid_program::{Hover, Overrides, Span, counted};

/// Hover text with the required version and target of a construct.
trait HoverExt {
    /// Adds the required version and target, and a note if the module does not satisfy this requirement.
    fn gate(self, gate: Gate, module: &TargetContext) -> Self;
}

impl HoverExt for Hover {
    fn gate(mut self, gate: Gate, module: &TargetContext) -> Hover {
        if gate.phrase().is_some() {
            self.lines.push(gate_line(gate));
            if !module.meets(gate) {
                let found = format!("PTX {} on `{}`", module.version, module.target.name);
                self.lines
                    .push(format!("not available in this module, which uses {found}"));
            }
        }
        self
    }
}

/// Describes a gate, for example as "since PTX 8.1, on `sm_90` and later (assembler 13.5)".
pub fn gate_line(gate: Gate) -> String {
    let phrase = gate.phrase().unwrap_or_default();
    match gate.origin {
        FactSource::Documented => phrase,
        FactSource::Assembler(_) | FactSource::Measured(_) => {
            format!("{phrase} ({})", gate.origin.text())
        }
    }
}

/// Returns the hover text of the token at `offset`, or `None` between tokens and for self-explanatory tokens.
pub fn hover(source: &str, parse: &Parse, options: &Overrides, offset: u32) -> Option<Hover> {
    let tree = &parse.tree;
    let at = tree.statements.partition_point(|s| s.span.start <= offset);
    let statement = tree.statements.get(at.checked_sub(1)?)?;
    if offset > statement.span.end {
        return None;
    }
    let place = HoverPosition {
        source,
        tree,
        module: module_of(source, tree, options),
        offset,
    };
    place.statement(statement)
}

struct HoverPosition<'s> {
    source: &'s str,
    tree: &'s Tree,
    module: TargetContext,
    offset: u32,
}

impl HoverPosition<'_> {
    fn is_in(&self, span: Span) -> bool {
        span.start <= self.offset && self.offset <= span.end && span.start < span.end
    }

    fn statement(&self, statement: &Statement) -> Option<Hover> {
        match statement.kind {
            StatementKind::Instruction(instruction) => self.instruction(&instruction),
            StatementKind::Declaration(index) => {
                self.declaration(self.tree.declarations.get(index as usize)?)
            }
            StatementKind::Directive(index) => {
                let directive = self.tree.directives.get(index as usize)?;
                match self.is_in(directive.word) {
                    true => Some(self.directive(directive.word, directive.kind)),
                    false => self.directive_argument(directive),
                }
            }
            StatementKind::FunctionStart(index) | StatementKind::Prototype(index) => {
                self.header(index)
            }
            StatementKind::Label(_) => {
                let text = statement.span.text(self.source);
                let name = text.trim_end_matches(':').trim_end();
                Some(Hover::new(statement.span, format!("{name}:")).line("a branch target"))
            }
            _ => None,
        }
    }

    fn instruction(&self, instruction: &Instruction) -> Option<Hover> {
        let tree = self.tree;
        if let Some(guard) = tree.guard(instruction)
            && self.is_in(guard.span)
        {
            let when = match guard.negated {
                true => "executed by the lanes whose predicate is false",
                false => "executed by the lanes whose predicate is true",
            };
            let text = guard.name_span.text(self.source);
            let hover = self.name(text, guard.span)?;
            return Some(hover.line(when));
        }
        let texts: Vec<&str> = tree
            .mnemonics
            .texts(self.source, instruction.mnemonic)
            .collect();
        let (opcode, words) = texts.split_first()?;
        let bound = bind(opcode, words, None);
        for index in (0..texts.len()).rev() {
            let word = tree.word_span(instruction, index);
            // The dot before a modifier belongs to the modifier and not to the preceding word.
            let dot = u32::from(index > 0);
            let span = Span::new(word.start.saturating_sub(dot), word.end);
            if self.is_in(span) {
                let spelled = Opcode::read(self.source, tree, instruction.mnemonic);
                return match index.checked_sub(1) {
                    None => self.opcode(span, &spelled, bound.as_ref()),
                    Some(word) => self.modifier(span, &spelled, bound.as_ref(), word),
                };
            }
        }
        self.operands(tree.operands_of(instruction), bound.as_ref())
    }

    fn opcode(&self, span: Span, opcode: &Opcode<'_>, bound: Option<&BoundForm>) -> Option<Hover> {
        let Some(bound) = bound else {
            let known = warpgrid_isa::forms::OPCODES.contains(&opcode.name());
            return known.then(|| {
                Hover::new(span, opcode.name())
                    .line("an instruction that Warpgrid does not support")
            });
        };
        let form = bound.layout.form;
        let machine_code = machine_code(form.operation, &bound.modifiers(), self.module.target);
        let mut hover = Hover::new(span, form.syntax)
            .line(form.help)
            .line(machine_code.unwrap_or_default())
            .gate(form.gate, &self.module);
        hover.section = Some(form.section);
        Some(hover)
    }

    fn modifier(
        &self,
        span: Span,
        opcode: &Opcode<'_>,
        bound: Option<&BoundForm>,
        word: usize,
    ) -> Option<Hover> {
        let text = opcode.modifier(word);
        let hover = Hover::new(span, format!(".{text}"));
        let bound = bound?;
        let slot = bound
            .slots
            .iter()
            .position(|b| b.is_some_and(|b| b.word == word));
        let Some(slot) = slot else {
            return Some(self.stray(hover, text, opcode, bound));
        };
        let slot_row = bound.layout.slots.get(slot)?;
        let binding = bound.slots.get(slot)?.as_ref()?;
        let mut hover = match (binding.value, slot_row.kind) {
            (Some(value), SlotKind::Set(set)) => hover
                .line(format!("{}: {}", set.title, value.help))
                .gate(bound.gate_of(word), &self.module),
            (None, SlotKind::Literal(..)) => {
                let form = bound.layout.form;
                match bound.layout.leads().len() > slot {
                    true => hover
                        .line(format!("part of the opcode {}", opcode.called(bound)))
                        .line(form.help)
                        .gate(form.gate, &self.module),
                    false => hover
                        .line(slot_row.help().unwrap_or_default())
                        .gate(bound.gate_of(word), &self.module),
                }
            }
            _ => hover,
        };
        for rule in bound.layout.form.rules {
            if slot_row.id.is_some_and(|slot| rule.concerns(slot, text)) {
                hover = hover.line(rule.sentence());
            }
        }
        hover.section = Some(bound.layout.form.section);
        Some(hover)
    }

    /// Describes a modifier that the form of the instruction does not accept.
    fn stray(&self, hover: Hover, text: &str, opcode: &Opcode<'_>, bound: &BoundForm) -> Hover {
        let name = opcode.called(bound);
        if is_known_word(text) {
            return hover.line(format!("{name} does not accept this modifier"));
        }
        let own = bound.layout.slots.iter().flat_map(|slot| slot.spellings());
        let hover = hover.line("no instruction has this modifier");
        match nearest(text, own) {
            Some(meant) => hover.line(format!("did you mean .{meant}?")),
            None => hover,
        }
    }

    fn operands(&self, operands: Operands<'_>, bound: Option<&BoundForm>) -> Option<Hover> {
        for (index, (operand, children)) in operands.enumerate() {
            if !self.is_in(operand.span) {
                continue;
            }
            let role = bound.and_then(|bound| bound.layout.operands.get(index));
            let inner = children.clone().find(|(child, _)| self.is_in(child.span));
            let (operand, noun) = match inner {
                Some((child, _)) => (child, "an element"),
                None => (operand, "an operand"),
            };
            let hover = self.operand(operand)?;
            return Some(match role {
                Some(role) => hover.line(role_line(role, bound, noun)),
                None => hover,
            });
        }
        None
    }

    fn operand(&self, operand: &Operand) -> Option<Hover> {
        let span = operand.span;
        let text = span.text(self.source);
        match operand.kind {
            OperandKind::Integer {
                value,
                unsigned: true,
            } => Some(
                Hover::new(span, text)
                    .line(format!("{value}, 0x{value:x}"))
                    .line("a 64-bit unsigned constant"),
            ),
            OperandKind::Integer {
                value,
                unsigned: false,
            } => Some(
                Hover::new(span, text)
                    .line(format!("{}, 0x{value:x}", value as i64))
                    .line("a 64-bit constant"),
            ),
            OperandKind::Single(bits) => Some(
                Hover::new(span, text)
                    .line(format!("{} in single precision", f32::from_bits(bits)))
                    .line(format!("bits 0x{bits:08x}")),
            ),
            OperandKind::Double(bits) => Some(
                Hover::new(span, text)
                    .line(format!("{} in double precision", f64::from_bits(bits)))
                    .line(format!("bits 0x{bits:016x}")),
            ),
            OperandKind::Sink => {
                Some(Hover::new(span, "_").line("a sink, which discards the value"))
            }
            OperandKind::Component { .. } => match SpecialRegister::from_name(text) {
                Some(special) => Some(self.special(span, text, special)),
                None => self.word_at(span),
            },
            OperandKind::Error => None,
            _ => self.word_at(span),
        }
    }

    /// Returns the hover text of the name at the offset in an operand.
    fn word_at(&self, within: Span) -> Option<Hover> {
        let mut at = within.start as usize;
        while at < within.end as usize {
            let token = lexer::token_at(self.source, at);
            if token.kind == TokenKind::Name && self.is_in(token.span) {
                return self.name(token.span.text(self.source), token.span);
            }
            at = (token.span.end as usize).max(at + 1);
        }
        None
    }

    fn name(&self, text: &str, span: Span) -> Option<Hover> {
        if let Some(found) = lookup(self.source, self.tree, self.offset, text) {
            return Some(self.declared(span, text, &found));
        }
        if let Some(special) = SpecialRegister::from_name(text) {
            return Some(self.special(span, text, special));
        }
        if text == "WARP_SZ" {
            return Some(
                Hover::new(span, text).line("the number of threads in a warp, which is 32"),
            );
        }
        Some(Hover::new(span, text).line("a name that is not declared"))
    }

    fn special(&self, span: Span, text: &str, special: SpecialRegister) -> Hover {
        Hover::new(span, text)
            .line(special.help())
            .line(format!(
                "a read-only register with {} bits",
                special.width_bits()
            ))
            .gate(special.gate(), &self.module)
    }

    fn declared(&self, span: Span, text: &str, found: &VisibleName) -> Hover {
        let title = found.declaration.text(self.source);
        let short = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = match found.meaning {
            NameKind::Label => text.to_owned(),
            _ => clipped(short.trim_end_matches(['{', ';', ' '])),
        };
        let mut hover = Hover::new(span, title).line(match found.meaning {
            NameKind::Register(ty, 1) => format!("{text} is a register: {}", type_line(ty)),
            NameKind::Register(ty, n) => {
                format!("{text} is a vector of {n} registers of type .{ty}")
            }
            NameKind::Variable(space, Some(ty)) => {
                format!("{text} is a .{} variable: {}", space.name(), type_line(ty))
            }
            NameKind::Variable(space, None) => format!("{text} is a .{} variable", space.name()),
            NameKind::Function => format!("{text} is a function"),
            NameKind::Label => format!("{text} is a label"),
        });
        hover.declared = Some(found.span);
        hover
    }

    fn declaration(&self, declaration: &Declaration) -> Option<Hover> {
        let text = |span: Span| span.text(self.source).to_owned();
        let space = declaration.space_span;
        if self.is_in(space) {
            return Some(Hover::new(space, text(space)).line(space_help(&text(space))));
        }
        if self.is_in(declaration.type_span) {
            let hover = Hover::new(declaration.type_span, text(declaration.type_span));
            return Some(match declaration.scalar {
                DeclaredType::Scalar(ty) => hover.line(type_line(ty)),
                _ => hover.line("an opaque reference to a texture, sampler or surface"),
            });
        }
        if declaration.vector.is_some() && self.is_in(declaration.vector_span) {
            let span = declaration.vector_span;
            return Some(
                Hover::new(span, text(span)).line("a vector with the elements .x, .y, .z and .w"),
            );
        }
        if let Some(alignment) = declaration.alignment.filter(|a| self.is_in(a.span)) {
            let line = format!("aligned to {} bytes", alignment.bytes);
            return Some(Hover::new(alignment.span, text(alignment.span)).line(line));
        }
        if declaration.linkage.is_some() && self.is_in(declaration.linkage_span) {
            let span = declaration.linkage_span;
            return Some(Hover::new(span, text(span)).line(linkage_help(&text(span))));
        }
        self.declarator(declaration)
    }

    fn declarator(&self, declaration: &Declaration) -> Option<Hover> {
        let declarators = self.tree.declarators_of(declaration);
        let found = declarators.iter().find(|d| self.is_in(d.span))?;
        if self.is_in(found.name_span) {
            let name = found.name_span.text(self.source);
            let hover = Hover::new(found.name_span, clipped(declaration.span.text(self.source)));
            return Some(match found.count {
                Some(0) => hover.line("declares no register"),
                Some(count) => hover.line(format!("{name}0 to {name}{}", count - 1)),
                None => hover.line(format!("declares {name}")),
            });
        }
        self.word_at(found.span)
    }

    fn header(&self, index: u32) -> Option<Hover> {
        let header = self.tree.functions.get(index as usize)?;
        if self.is_in(header.sort_span) {
            let text = header.sort_span.text(self.source);
            return Some(Hover::new(header.sort_span, text).line(match text {
                ".entry" => ENTRY,
                _ => FUNCTION,
            }));
        }
        if self.is_in(header.linkage_span) && header.linkage.is_some() {
            let text = header.linkage_span.text(self.source);
            return Some(Hover::new(header.linkage_span, text).line(linkage_help(text)));
        }
        if self.is_in(header.name_span) {
            let text = header.name_span.text(self.source);
            return self.name(text, header.name_span);
        }
        for list in [header.returns, header.parameters] {
            for declaration in list.of(&self.tree.declarations) {
                if self.is_in(declaration.span) {
                    return self.declaration(declaration);
                }
            }
        }
        let directives = header.directives.of(&self.tree.directives);
        let found = directives.iter().find(|d| self.is_in(d.word))?;
        Some(self.directive(found.word, found.kind))
    }

    /// Describes an argument of a directive: a target, or a name.
    fn directive_argument(&self, directive: &Directive) -> Option<Hover> {
        let mut arguments = self.tree.arguments_of(directive);
        let (argument, _) = arguments.find(|(argument, _)| self.is_in(argument.span))?;
        let text = argument.span.text(self.source);
        if let Some(target) =
            Target::from_name(text).filter(|_| directive.kind == DirectiveKind::Target)
        {
            let hover = Hover::new(argument.span, text);
            return Some(hover.line(format!("a target, supported since PTX {}", target.since)));
        }
        match directive.kind {
            DirectiveKind::Alias
            | DirectiveKind::CallTargets
            | DirectiveKind::BranchTargets
            | DirectiveKind::Loc => self.operand(argument),
            _ => None,
        }
    }

    fn directive(&self, word: Span, kind: DirectiveKind) -> Hover {
        let text = word.text(self.source);
        Hover::new(word, text).line(directive_help(text, kind))
    }
}

/// Returns the SASS instruction that corresponds to a PTX store on a target.
fn machine_code(operation: Operation, modifiers: &Modifiers, target: &Target) -> Option<String> {
    let code = ptx_mapping::machine_code(operation, modifiers, target)?;
    let name = target.name;
    Some(format!(
        "SASS on `{name}`: `{code}` ({}).",
        ptx_mapping::APPROXIMATION
    ))
}

/// Describes the role of an operand in the form of the instruction.
fn role_line(role: &OperandPosition, bound: Option<&BoundForm>, noun: &str) -> String {
    let role_text = match role.ty {
        OperandType::Address | OperandType::AddressIn(_) => "the address",
        OperandType::MbarrierIn(_) => "the mbarrier",
        OperandType::Label => "the target",
        OperandType::CachePolicy => "the cache policy",
        OperandType::Predicate => "a predicate",
        _ => noun,
    };
    let form = bound.map_or("", |bound| bound.layout.form.syntax);
    format!("{role_text}, operand `{}` of `{form}`", role.name)
}

fn type_line(ty: ScalarType) -> String {
    let bits = counted(u64::from(ty.width_bits()), "bit");
    match ty.help() {
        // The description of an untyped value already contains its width.
        help if help.starts_with(&bits[..bits.len() - 1]) => help.to_owned(),
        help => format!("{help}, {bits}"),
    }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MAX_TITLE) {
        Some((end, _)) => format!("{} ...", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}

/// Maximum number of characters of a declaration that a hover title contains.
const MAX_TITLE: usize = 120;
