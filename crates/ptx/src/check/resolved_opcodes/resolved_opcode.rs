//! Result of checking a distinct opcode: its form, the expected operand types, its operation, and the diagnostics of its modifiers. The
//! check of an instruction only compares the operands of the instruction with this result.

use crate::check::resolved_opcodes::families::OperandGrammar;
use crate::check::resolved_opcodes::fix_validation;
use crate::check::resolved_opcodes::modifier_diagnostics;
use crate::check::resolved_opcodes::store::StoreConstraints;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::matrix::ALIGNED_MISSING;
use crate::diagnostics::syntax;
use crate::opcode::Opcode;
use crate::target_context::TargetContext;
use warpgrid_isa::form::AddressCheck;
use warpgrid_isa::form::{
    self, BoundForm, DeviceUnitOperand, ImmediateRange, OperandPosition, OperandShape,
};
use warpgrid_isa::{
    Flag, Modifiers, OperandAccess, OperandExtension, OperandType, Operation, PTX, Rounding,
    ScalarType, SlotName, StateSpace, TypeMatch,
};
use warpgrid_program::{Diagnostic, OpcodeInfo, Span};

/// Maximum number of operands of a form.
pub(crate) const MAX_OPERANDS: usize = 10;

/// Kind and type of the operand that a form expects at an operand position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandExpectation {
    /// Register to which the instruction writes.
    Destination(ScalarType, TypeMatch),
    /// Destination registers in braces, or a vector register. The vector width specifies the number of registers.
    Destinations(ScalarType),
    /// Destination registers of exactly this type. The vector width specifies the number of registers.
    Elements(ScalarType),
    /// Source vector with this number of elements: a list in braces, or a vector register.
    Sources(ScalarType, usize),
    /// Value that the instruction reads.
    Source(ScalarType, TypeMatch),
    /// Destination register of exactly this type. Untyped bits of the same width are rejected.
    OwnDestination(ScalarType),
    /// 32-bit register of a matrix fragment, read or written. Predicates are accepted, but integer literals are rejected.
    Row(OperandAccess),
    /// Source register of exactly this type.
    OwnSource(ScalarType),
    /// Source value whose floating-point literals must be of type `f32`.
    SingleSource(ScalarType),
    /// Literal within a permitted range.
    Number(ImmediateRange),
    /// Address in a 32-bit or 64-bit register, read as a value.
    AnyAddress,
    /// Source value that must be a literal.
    Literal(ScalarType),
    /// Destination, which may be followed by a bar and a predicate.
    Pair(ScalarType, PairRule),
    /// Source predicate, optionally negated with `!`.
    Predicate,
    /// Address in square brackets.
    Address,
    /// Address of this state space, in brackets.
    AddressIn(StateSpace),
    /// Address of this state space in brackets, or any 64-bit value.
    MbarrierIn(StateSpace),
    /// Operand of a specialized unit.
    Unit(DeviceUnitOperand, OperandAccess),
    /// Operand whose check is implemented by a function of the instruction family.
    Custom,
}

/// Whether the predicate after the bar of a pair `d|p` is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairRule {
    Required,
    Optional,
}

/// Result of checking a distinct opcode, against which its instructions are checked. The index of the opcode's mnemonic is also its index
/// among the opcodes of the program.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedOpcode {
    /// Bound form, or `None` for an opcode without a table row.
    pub(crate) bound: Option<BoundForm>,
    /// Syntax of the operands, and the checks that they require.
    pub(crate) grammar: OperandGrammar,
    pub(crate) operation: Operation,
    pub(crate) modifiers: Modifiers,
    /// Whether the form accepts all modifiers. If the form rejects a modifier, the checker compares the operands only with the valid
    /// modifiers.
    pub(crate) modifiers_are_valid: bool,
    pub(crate) expect: [OperandExpectation; MAX_OPERANDS],
    /// Number of operands of the form, including optional operands. In the program representation, each instruction of the form has this
    /// number of operands.
    pub(crate) n_slots: usize,
    pub(crate) min_operands: usize,
    pub(crate) max_operands: usize,
    /// Index of the optional middle operand, which other operands follow. The field is `None` if the form has no such operand.
    pub(crate) optional_middle_operand: Option<usize>,
    /// Position of the disable-output-lane mask of an MMA. The mask is present if the operand at this position is in braces.
    pub(crate) disable_lane_operand: Option<usize>,
    /// Bit set with the positions of operands that are absent because their modifier is absent.
    pub(crate) absent_operands: u32,
    /// Position of the cache policy operand, which is present with `.L2::cache_hint`.
    pub(crate) policy: Option<usize>,
    /// Whether the instruction accepts special registers as sources.
    pub(crate) takes_special: bool,
    /// Whether a source value may be the address of a variable.
    pub(crate) takes_address: bool,
    /// Whether an address or a source may be an array element, `name[index]`.
    pub(crate) takes_element: bool,
    /// Whether the address of a variable is rejected as a source value, even with an offset.
    pub(crate) refuses_address: bool,
    /// Whether a destination may be the sink `_`.
    pub(crate) takes_sink: bool,
    /// Whether a source may be a list of four 32-bit registers.
    pub(crate) takes_four_words: bool,
    /// Strictness of the checks of address operands.
    pub(crate) addressing: AddressCheck,
    /// Properties of an `st` opcode for the checks of its operands.
    pub(crate) store: Option<StoreConstraints>,
    /// Diagnostics of the opcode itself, with spans in its first occurrence.
    pub(crate) problems: Vec<Diagnostic>,
    /// Span of the first occurrence of the opcode.
    pub(crate) first: Span,
}

impl ResolvedOpcode {
    /// Checks the modifiers of one opcode.
    pub(crate) fn new(opcode: &Opcode<'_>, module: &TargetContext) -> ResolvedOpcode {
        let (name, words) = (opcode.name(), opcode.modifiers());
        match form::bind(name, words, None) {
            Some(bound) if PTX.can_start_instruction(name, words) => {
                ResolvedOpcode::of_form(opcode, bound, module)
            }
            // An unknown modifier in the instruction name, as in `wmma.load` without `.a`, makes the instruction unknown.
            Some(_) | None => {
                let problem = diagnose::unknown_instruction(opcode, |other| {
                    fix_validation::is_legal(other, opcode.modifiers(), module)
                });
                ResolvedOpcode::without_form(opcode, vec![problem])
            }
        }
    }

    /// Assumes a rounding mode for a snippet's conversion that lacks the rounding modifier: round to nearest, or towards zero if the result
    /// is an integer. Manuals often omit the rounding modifier.
    pub(crate) fn assume_rounding(&mut self) {
        let [problem] = self.problems.as_mut_slice() else {
            return;
        };
        let Some(to) = self.modifiers.d_type else {
            return;
        };
        if problem.code != diagnose::ROUNDING || self.modifiers.rounding.is_some() {
            return;
        }
        *problem = syntax::tolerated(problem.clone());
        self.modifiers.rounding = Some(match to.is_integer() {
            true => Rounding::Rzi,
            false => Rounding::Rn,
        });
    }

    /// Assumes the modifier `.aligned` for a matrix instruction that lacks it, because the manuals of older versions omit this modifier.
    pub(crate) fn assume_aligned(&mut self) {
        let missing = self
            .problems
            .iter_mut()
            .filter(|problem| problem.code == ALIGNED_MISSING);
        for problem in missing {
            *problem = syntax::tolerated(problem.clone());
        }
    }

    fn of_form(opcode: &Opcode<'_>, bound: BoundForm, module: &TargetContext) -> ResolvedOpcode {
        let problems = modifier_diagnostics::find(opcode, &bound, module);
        let form = bound.layout.form;
        let modifiers = bound.modifiers();
        let is_sound = bound.complaints.is_empty();
        let slots = &bound.layout.operands;
        let mut expect = [OperandExpectation::Custom; MAX_OPERANDS];
        let (mut announced, mut skipped) = (0u32, 0u32);
        for (index, (place, slot)) in expect.iter_mut().zip(slots).enumerate() {
            *place = expectation(slot, &bound);
            let mut flags = form.flag_gated_operands.iter();
            if let Some((_, flag)) = flags.find(|(name, _)| *name == slot.name) {
                match modifiers.has(*flag) {
                    true => announced |= 1 << index,
                    false => skipped |= 1 << index,
                }
            }
        }
        let is_lanes = |expect: &OperandExpectation| {
            matches!(
                expect,
                OperandExpectation::Unit(DeviceUnitOperand::DisableOutputLane, _)
            )
        };
        let grammar = OperandGrammar::of(&bound, &modifiers);
        // Addresses in malformed opcodes may have any width. Addresses in the shared memory of the block have 32 bits.
        let is_any_width = !is_sound || modifiers.has(Flag::SharedCta);
        let addressing = match form.address {
            AddressCheck::FullWidth | AddressCheck::Load if is_any_width => AddressCheck::AnyWidth,
            addressing => addressing,
        };
        ResolvedOpcode {
            grammar,
            operation: form.operation,
            modifiers,
            modifiers_are_valid: is_sound,
            expect,
            n_slots: slots.len(),
            min_operands: bound.layout.n_required() + announced.count_ones() as usize,
            max_operands: bound.layout.max_operands() - skipped.count_ones() as usize,
            optional_middle_operand: optional_middle_operand(slots, announced, skipped),
            disable_lane_operand: expect.iter().position(is_lanes),
            absent_operands: skipped,
            policy: slots
                .iter()
                .position(|slot| slot.ty == OperandType::CachePolicy)
                .filter(|_| is_sound && form.flag_gated_operands.is_empty()),
            takes_special: form.operand_extensions(OperandExtension::SpecialRegister),
            takes_address: form.operand_extensions(OperandExtension::VariableAddress),
            takes_element: form.operand_extensions(OperandExtension::ArrayElement),
            refuses_address: form.operand_extensions(OperandExtension::NoAddress),
            takes_sink: form.operand_extensions(OperandExtension::Sink),
            takes_four_words: form.operand_extensions(OperandExtension::FourWords),
            addressing,
            problems,
            first: opcode.span,
            store: match grammar {
                OperandGrammar::Store => StoreConstraints::read(opcode, &bound),
                _ => None,
            },
            bound: Some(bound),
        }
    }

    fn without_form(opcode: &Opcode<'_>, mut problems: Vec<Diagnostic>) -> ResolvedOpcode {
        let foreign = opcode
            .modifiers()
            .iter()
            .position(|word| PTX.tables.name_modifiers.contains(word));
        problems.extend(foreign.map(|word| diagnose::foreign_modifier(opcode, word)));
        ResolvedOpcode {
            bound: None,
            grammar: OperandGrammar::Names,
            operation: Operation::Unknown,
            modifiers: Modifiers::default(),
            modifiers_are_valid: false,
            expect: [OperandExpectation::Custom; MAX_OPERANDS],
            n_slots: 0,
            min_operands: 0,
            max_operands: usize::MAX,
            optional_middle_operand: None,
            disable_lane_operand: None,
            absent_operands: 0,
            policy: None,
            takes_special: true,
            takes_address: true,
            takes_element: true,
            refuses_address: false,
            takes_sink: true,
            takes_four_words: false,
            addressing: AddressCheck::AnyWidth,
            problems,
            first: opcode.span,
            store: None,
        }
    }

    /// Returns the opcode information of the instructions with this opcode.
    pub(crate) fn action(&self, opcode: &str) -> OpcodeInfo {
        OpcodeInfo {
            operation: self.operation,
            modifiers: self.modifiers,
            opcode: opcode.to_owned(),
        }
    }

    /// Converts the index of an operand in the source to the position of this operand in the table row.
    pub(crate) fn position(&self, place: usize) -> usize {
        let present = (0..self.n_slots).filter(|at| self.absent_operands >> at & 1 == 0);
        present.into_iter().nth(place).unwrap_or(place)
    }

    /// Returns whether the destination may be followed by a bar and a residency predicate.
    pub(crate) fn has_residency(&self) -> bool {
        matches!(
            self.expect.first(),
            Some(OperandExpectation::Unit(DeviceUnitOperand::TexelResult, _))
        )
    }

    /// Returns the state space of the address operand.
    pub(crate) fn space(&self) -> StateSpace {
        self.modifiers.state_space()
    }

    /// Returns whether the address may be a variable in this state space. If the modifiers are invalid, every state space is accepted.
    pub(crate) fn takes_space(&self, variable: StateSpace) -> bool {
        !self.modifiers_are_valid || self.space().takes_variable(variable)
    }
}

/// Returns the index of the first optional operand that is followed by a present operand. `announced` is the set of optional operands whose
/// modifier is present, and `skipped` is the set of optional operands whose modifier is absent.
fn optional_middle_operand(
    slots: &[OperandPosition],
    announced: u32,
    skipped: u32,
) -> Option<usize> {
    let is_optional = |at: usize| {
        let is_decided = (announced | skipped) >> at & 1 != 0;
        slots
            .get(at)
            .is_some_and(|slot| slot.optional && !is_decided)
    };
    let is_present = |at: usize| skipped >> at & 1 == 0 && !is_optional(at);
    (0..slots.len().saturating_sub(1))
        .find(|index| is_optional(*index) && (index + 1..slots.len()).any(is_present))
}

fn expectation(slot: &OperandPosition, bound: &BoundForm) -> OperandExpectation {
    let (ty, fit) = match slot.ty {
        OperandType::Slot(name) => (bound.scalar(name), TypeMatch::Exact),
        // Conversions from or to `.bf16` do not accept registers that are wider than the type (assembler 13.5).
        OperandType::SlotOrWider(name) if converts_brain(bound) => {
            (bound.scalar(name), TypeMatch::Exact)
        }
        OperandType::SlotOrWider(name) => (bound.scalar(name), TypeMatch::Wider),
        OperandType::Wide(name) => (
            bound.scalar(name).map(ScalarType::widened),
            TypeMatch::Exact,
        ),
        OperandType::Vector(name) => {
            let ty = bound.scalar(name).filter(|_| bound.complaints.is_empty());
            return ty.map_or(OperandExpectation::Custom, OperandExpectation::Destinations);
        }
        OperandType::Elements(name) => {
            let n = bound.modifiers().n_elements();
            return match (bound.scalar(name), slot.role) {
                (None, _) => OperandExpectation::Custom,
                (Some(ty), OperandAccess::Written) => OperandExpectation::Elements(ty),
                (Some(ty), OperandAccess::Read) => OperandExpectation::Sources(ty, n),
            };
        }
        OperandType::List(name, n) => {
            let ty = bound.scalar(name);
            return ty.map_or(OperandExpectation::Custom, |ty| {
                OperandExpectation::Sources(ty, n)
            });
        }
        OperandType::ExactType(ty) => return OperandExpectation::OwnDestination(ty),
        OperandType::FragmentRegister => return OperandExpectation::Row(slot.role),
        OperandType::Untyped(32) => return OperandExpectation::OwnSource(ScalarType::B32),
        OperandType::Untyped(_) => return OperandExpectation::OwnSource(ScalarType::B64),
        OperandType::SingleOf(name) => {
            let ty = bound.scalar(name);
            return ty.map_or(OperandExpectation::Custom, OperandExpectation::SingleSource);
        }
        OperandType::Number(rule) => return OperandExpectation::Number(rule),
        OperandType::AnyAddress => return OperandExpectation::AnyAddress,
        OperandType::Fixed(ty) => (Some(ty), TypeMatch::Exact),
        OperandType::Wider(ty) => (Some(ty), TypeMatch::Wider),
        OperandType::Bits(width) => (Some(unsigned(width)), TypeMatch::Integer),
        OperandType::Literal(width) => return OperandExpectation::Literal(unsigned(width)),
        OperandType::CachePolicy => {
            return OperandExpectation::Source(ScalarType::U64, TypeMatch::Exact);
        }
        OperandType::Predicate if slot.shape == OperandShape::Negatable => {
            return OperandExpectation::Predicate;
        }
        OperandType::Predicate => (Some(ScalarType::Pred), TypeMatch::Exact),
        OperandType::Address => return OperandExpectation::Address,
        OperandType::AddressIn(space) => return OperandExpectation::AddressIn(space),
        OperandType::MbarrierIn(space) => return OperandExpectation::MbarrierIn(space),
        OperandType::Unit(what) => return OperandExpectation::Unit(what, slot.role),
        OperandType::Label | OperandType::Custom(_) => (None, TypeMatch::Exact),
    };
    let Some(ty) = ty else {
        return OperandExpectation::Custom;
    };
    match slot.shape {
        OperandShape::Pair { optional: true } => OperandExpectation::Pair(ty, PairRule::Optional),
        OperandShape::Pair { optional: false } => OperandExpectation::Pair(ty, PairRule::Required),
        _ if slot.role == OperandAccess::Written => OperandExpectation::Destination(ty, fit),
        _ => OperandExpectation::Source(ty, fit),
    }
}

fn converts_brain(bound: &BoundForm) -> bool {
    [SlotName::DType, SlotName::AType]
        .into_iter()
        .any(|slot| bound.scalar(slot) == Some(ScalarType::Bf16))
}

/// Returns the unsigned type with this width, which accepts any integer or bit type of the width.
fn unsigned(width_bits: u32) -> ScalarType {
    match width_bits {
        8 => ScalarType::U8,
        16 => ScalarType::U16,
        64 => ScalarType::U64,
        _ => ScalarType::U32,
    }
}
