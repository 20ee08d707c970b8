//! Inference of declarations for a snippet: determines the type or memory of each undeclared name from the instructions that use
//! it.

pub(crate) mod memory_use;
pub(crate) mod units;

pub(crate) use crate::check::body::inference::memory_use::{BarrierUse, MemoryUse, memory_of};

use crate::check::body::element::WARP_SZ;
use crate::check::body::inference::units::{point_to_objects, unit_type};
use crate::check::body::unit_initial_value::{InitialValue, SIZE_BYTES};
use crate::check::context::Context;
use crate::check::names::name_map::NameMap;
use crate::check::resolved_opcodes::ResolvedOpcodes;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, OperandGrammar};
use crate::check::resolved_opcodes::resolved_opcode::{OperandExpectation, ResolvedOpcode};
use crate::tree::declaration::DeclarationSpace;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind, Operands};
use crate::tree::{Instruction, StatementKind, Tree};
use warpgrid_isa::form::{DeviceUnitOperand, ImmediateRange, OperandPosition};
use warpgrid_isa::fragment::{MatrixOperand, moved_matrix, operand_registers};
use warpgrid_isa::{
    AsyncOp, AsyncTransferKind, Flag, Geometry, MatrixOp, MbarrierOp, Modifiers, OperandAccess,
    OperandType, Operation, ScalarType, SpecialRegister, StateSpace, TypeKind,
};

/// Use of a name as a value, with its type and number of components.
#[derive(Clone, Copy)]
struct ValueUse {
    ty: ScalarType,
    written: bool,
}

/// Operand position of an instruction, with the properties that the table row of the opcode specifies for it.
struct Position<'p> {
    plan: &'p ResolvedOpcode,
    index: usize,
    expect: OperandExpectation,
    slot: Option<&'p OperandPosition>,
}

impl Position<'_> {
    fn has_type(&self, ty: OperandType) -> bool {
        self.slot.is_some_and(|slot| slot.ty == ty)
    }

    /// Returns the type and number of components that the position requires of an operand that is a value.
    fn value(&self, kind: OperandKind) -> ValueUse {
        let (ty, written) = wanted(self.plan, self.expect, self.slot);
        let ty = match (self.expect, kind) {
            // This matrix operand is a list of registers or the descriptor of a matrix in shared memory. A single name therefore denotes a
            // descriptor.
            (
                OperandExpectation::Unit(DeviceUnitOperand::WarpgroupMatrixOperand, _),
                OperandKind::Name(_),
            ) => ScalarType::B64,
            // This operand is the list of disable-output-lane masks or the predicate after this list. A single name therefore denotes the
            // predicate.
            (
                OperandExpectation::Unit(DeviceUnitOperand::DisableOutputLane, _),
                OperandKind::Name(_),
            ) => ScalarType::Pred,
            _ => ty,
        };
        ValueUse { ty, written }
    }

    /// Checks whether the operand is the address of an mbarrier, such as `[mbar]` in `st.async [a], b, [mbar]`.
    fn is_barrier(&self) -> bool {
        self.index == 2 && self.plan.grammar == OperandGrammar::StoreAsync
            || self.slot.is_some_and(|slot| slot.name == "mbar")
    }

    /// Checks whether the operand may be the address of the mbarrier object that the instruction accesses.
    fn may_be_barrier_object(&self) -> bool {
        self.is_barrier()
            || matches!(self.expect, OperandExpectation::MbarrierIn(_))
            || self.plan.operation.mbarrier().is_some()
            || self.plan.operation.transfer() == AsyncTransferKind::Arrival
    }

    /// Returns the state space of an address operand if it differs from the state space of the instruction.
    fn space(&self) -> Option<StateSpace> {
        match self.expect {
            OperandExpectation::AddressIn(space)
            | OperandExpectation::MbarrierIn(space)
            | OperandExpectation::Unit(DeviceUnitOperand::AddressOrName(space), _) => Some(space),
            // Addresses without a state space are generic, except those of `st.async`.
            _ if self.plan.grammar != OperandGrammar::StoreAsync
                && self.plan.space() == StateSpace::Generic =>
            {
                None
            }
            _ if self.is_barrier() => Some(StateSpace::Shared),
            _ => None,
        }
    }

    /// Sets the initial values of the names that an operand uses, and the number of components of a cache policy.
    fn refine(&self, kind: OperandKind, uses: &mut [NameUse]) {
        let is_address = matches!(kind, OperandKind::Address { .. });
        let ([used], true) = (uses, is_address || matches!(kind, OperandKind::Name(_))) else {
            return;
        };
        used.start = match (is_address, self.expect) {
            // A matrix operand in brackets is an address in tensor memory, for which 0 is valid.
            (true, OperandExpectation::Unit(DeviceUnitOperand::MatrixOperand, _)) => {
                Some(InitialValue::Number(0))
            }
            _ => InitialValue::of(self.plan, self.expect, self.slot),
        };
        // The cache policy of a vector instruction is a single scalar.
        if let ExpectedUse::Value(_, n) = &mut used.what
            && self.has_type(OperandType::CachePolicy)
        {
            *n = 1;
        }
    }
}

/// Use of an undeclared name in an instruction of a snippet, from which its declaration is inferred.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameUse {
    pub(crate) name: Name,
    pub(crate) what: ExpectedUse,
    /// Whether the instruction writes the name.
    pub(crate) written: bool,
    /// Initial value of the name, if the lane index is not a valid value for its use.
    pub(crate) start: Option<InitialValue>,
}

/// Requirement of an instruction for an undeclared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedUse {
    /// The name is a register of the given type with the given number of components.
    Value(ScalarType, u8),
    /// The name is an address, with requirements for the memory to which it refers.
    Pointer(MemoryUse),
}

/// Inferred declaration of a name, which combines all uses of the name in a snippet.
#[derive(Clone, Debug, Default)]
pub(crate) struct InferredDeclaration {
    /// Type and number of components, if the name is used as a value.
    pub(crate) value: Option<(ScalarType, u8)>,
    /// Memories for which the name is used as an address.
    pub(crate) pointers: Vec<MemoryUse>,
    /// Whether the snippet reads the value before writing it.
    pub(crate) read_first: bool,
    /// Whether the snippet writes the name. If the snippet writes a name that it uses as an address, the written value is the address.
    pub(crate) written: bool,
    /// Initial value of the name, if the lane index is not a valid value for its use.
    pub(crate) start: Option<InitialValue>,
}

impl InferredDeclaration {
    /// Returns whether the snippet advances the address with an instruction such as `add.u64 p, p, 8`.
    pub(crate) fn is_moving_pointer(&self) -> bool {
        let wide = self
            .value
            .is_some_and(|(ty, n)| ty.width_bits() == 64 && n == 1);
        !self.pointers.is_empty() && self.written && self.read_first && wide
    }

    fn add(&mut self, used: &NameUse) {
        self.start = match (self.start, used.start) {
            // The smallest number is valid for all operands with a maximum.
            (Some(InitialValue::Number(one)), Some(InitialValue::Number(other))) => {
                Some(InitialValue::Number(one.min(other)))
            }
            (first, other) => first.or(other),
        };
        match used.what {
            ExpectedUse::Value(ty, n) => {
                self.read_first |= self.value.is_none() && !used.written;
                self.written |= used.written;
                self.value = Some(match self.value {
                    Some((old, m)) => (merged_type(old, ty), n.max(m)),
                    None => (ty, n),
                });
            }
            ExpectedUse::Pointer(place) => {
                let memory = memory_of(place.space);
                let mut known = self.pointers.iter_mut();
                match known.find(|known| memory_of(known.space) == memory) {
                    Some(known) => *known = known.join(place),
                    None => self.pointers.push(place),
                }
            }
        }
    }
}

/// Names that the snippet declares.
#[derive(Debug, Default)]
struct DeclaredNames {
    names: NameMap<()>,
    groups: Vec<(crate::tree::name::Symbol, u32)>,
}

impl DeclaredNames {
    fn has(&self, name: Name) -> bool {
        self.names.get(name).is_some()
            || name.number().is_some_and(|number| {
                let mut groups = self.groups.iter();
                groups.any(|(stem, count)| *stem == name.stem && number < *count)
            })
    }
}

/// Infers the declarations of all undeclared names of a snippet, sorted by name. Also returns the number of bytes of local memory that the
/// snippet accesses with absolute addresses.
pub(crate) fn infer(
    context: &Context<'_>,
    plans: &ResolvedOpcodes,
) -> (NameMap<InferredDeclaration>, u64) {
    let inference = Inference {
        tree: context.tree,
        context,
        plans,
    };
    (inference.inferred(), inference.local_bytes())
}

/// Inference of declarations: the parsed snippet, the resolved opcodes and the declared names.
struct Inference<'i> {
    context: &'i Context<'i>,
    tree: &'i Tree,
    plans: &'i ResolvedOpcodes,
}

impl Inference<'_> {
    fn inferred(&self) -> NameMap<InferredDeclaration> {
        let mut declared = self.labels();
        let mut found = NameMap::default();
        let mut uses = Vec::new();
        for statement in &self.tree.statements {
            match &statement.kind {
                StatementKind::Declaration(index) => self.note_declaration(*index, &mut declared),
                StatementKind::Instruction(instruction) => {
                    uses.clear();
                    self.uses(instruction, &mut uses);
                    // Process the uses as sources first, because an instruction reads its sources before it writes its destinations.
                    let reads = uses.iter().filter(|used| !used.written);
                    let writes = uses.iter().filter(|used| used.written);
                    for used in reads.chain(writes) {
                        if !declared.has(used.name) && !self.is_machine_name(used.name) {
                            found
                                .get_or_insert(used.name, InferredDeclaration::default())
                                .add(used);
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn labels(&self) -> DeclaredNames {
        let labels = self.tree.statements.iter().filter_map(|s| match s.kind {
            StatementKind::Label(name) => Some(name),
            _ => None,
        });
        let mut declared = DeclaredNames::default();
        for label in labels {
            declared.names.get_or_insert(label, ());
        }
        declared
    }

    fn note_declaration(&self, index: u32, declared: &mut DeclaredNames) {
        let Some(declaration) = self.tree.declarations.get(index as usize) else {
            return;
        };
        for declarator in self.tree.declarators_of(declaration) {
            match (declarator.name, declarator.count) {
                (Some(name), Some(count)) if declaration.space == DeclarationSpace::Reg => {
                    declared.groups.push((name.stem, count));
                }
                (Some(name), _) => {
                    declared.names.get_or_insert(name, ());
                }
                _ => {}
            }
        }
    }

    fn is_machine_name(&self, name: Name) -> bool {
        let text = self.context.name_text(name);
        let with_component = format!("{text}.x");
        text == WARP_SZ
            || SpecialRegister::from_name(&text).is_some()
            || SpecialRegister::from_name(&with_component).is_some()
    }

    /// Appends all uses of names in an instruction.
    fn uses(&self, instruction: &Instruction, uses: &mut Vec<NameUse>) {
        if let Some(guard) = self.tree.guard(instruction) {
            uses.push(read(guard.name, ExpectedUse::Value(ScalarType::Pred, 1)));
        }
        let Some(plan) = self.plans.get(instruction.mnemonic) else {
            return;
        };
        let Some(bound) = &plan.bound else {
            return;
        };
        if plan.grammar == OperandGrammar::Call {
            return;
        }
        let operands = self.tree.operands_of(instruction);
        // If an instruction has only the required operands, its optional middle operand is absent, so the operand positions have a gap.
        let n_operands = self.tree.operands_of(instruction).count();
        let gap = plan
            .optional_middle_operand
            .filter(|_| n_operands <= plan.min_operands);
        for (index, (operand, children)) in operands.enumerate() {
            let index = index + usize::from(gap.is_some_and(|gap| gap <= index));
            let place = plan.position(index);
            let position = Position {
                plan,
                index,
                expect: plan
                    .expect
                    .get(place)
                    .copied()
                    .unwrap_or(OperandExpectation::Custom),
                slot: bound.layout.operands.get(place),
            };
            if position.has_type(OperandType::Label) {
                continue;
            }
            let first = uses.len();
            let value = position.value(operand.kind);
            self.operand_uses(plan, operand, children, value, position.space(), uses);
            let added = &mut uses[first..];
            position.refine(operand.kind, added);
            if let (
                OperandExpectation::Number(ImmediateRange::PredicateOrUpTo(_)),
                [
                    NameUse {
                        start: Some(InitialValue::Number(size)),
                        ..
                    },
                ],
            ) = (position.expect, &mut *added)
            {
                *size = (*size).min(self.copied_bytes(instruction).into());
            }
            point_to_objects(plan, position.expect, added);
            let pointers = added.iter_mut().filter_map(|used| match &mut used.what {
                ExpectedUse::Pointer(place) => Some(place),
                ExpectedUse::Value(..) => None,
            });
            let barrier = match position.may_be_barrier_object() {
                true => self.barrier_use(instruction, plan),
                false => None,
            };
            let is_bulk = plan.operation.transfer() == AsyncTransferKind::Bulk;
            for place in pointers {
                if barrier.is_some() {
                    (place.bytes, place.barrier) = (0, barrier);
                } else if is_bulk {
                    place.bytes = place
                        .bytes
                        .max(self.copied_bytes(instruction).min(MAX_BULK));
                }
            }
        }
    }

    /// Returns the effect of an instruction on an mbarrier object to which one of its address operands refers.
    fn barrier_use(&self, instruction: &Instruction, plan: &ResolvedOpcode) -> Option<BarrierUse> {
        let mut found = BarrierUse::default();
        match plan.operation {
            Operation::Mbarrier(op) => {
                let arrives = matches!(op, MbarrierOp::Arrive | MbarrierOp::ArriveDrop);
                found.is_made = op == MbarrierOp::Init;
                found.arrivals = u32::from(arrives);
                found.expects = op == MbarrierOp::ExpectTx || plan.modifiers.has(Flag::ExpectTx);
            }
            Operation::Async(AsyncOp::CopyArrive) => {
                found.arrivals = u32::from(plan.modifiers.has(Flag::Noinc));
            }
            Operation::Async(op) => {
                let width = plan.modifiers.ty.map_or(0, ScalarType::width_bytes);
                found.bytes = match op.transfer() {
                    AsyncTransferKind::Registers => width * plan.modifiers.n_elements() as u32,
                    AsyncTransferKind::Bulk => self.copied_bytes(instruction),
                    AsyncTransferKind::Copy
                    | AsyncTransferKind::Arrival
                    | AsyncTransferKind::None => 0,
                };
            }
            Operation::Unit(op) => match (op.tensor_copy(), op.tensor_memory()) {
                (Some(_), _) => found.bytes = BOX_BYTES,
                (None, Some(_)) => found.arrivals = 1,
                (None, None) => found.bytes = ANSWER_BYTES,
            },
            Operation::Memory(_)
            | Operation::Matrix(_)
            | Operation::Control(_)
            | Operation::Arithmetic(_)
            | Operation::Carry(_)
            | Operation::Video(..)
            | Operation::Compare(_)
            | Operation::Move(_)
            | Operation::Sync(_)
            | Operation::Warp(_)
            | Operation::Hint(_)
            | Operation::Machine(_)
            | Operation::Unknown => return None,
        }
        Some(found)
    }

    /// Returns the number of bytes that a bulk copy transfers: the literal among the operands up to the mbarrier, or the initial value of a
    /// size register if there is no literal.
    fn copied_bytes(&self, instruction: &Instruction) -> u32 {
        let mut operands = self.tree.operands_of(instruction);
        let number = operands.find_map(|(operand, _)| match operand.kind {
            OperandKind::Integer { value, .. } => u32::try_from(value).ok(),
            _ => None,
        });
        number.unwrap_or(SIZE_BYTES as u32)
    }

    /// Returns the number of bytes of local memory that the absolute addresses of the snippet require.
    fn local_bytes(&self) -> u64 {
        let instructions = self.tree.statements.iter().filter_map(|s| match &s.kind {
            StatementKind::Instruction(instruction) => Some(instruction),
            _ => None,
        });
        let ends = instructions.filter_map(|instruction| {
            let plan = self.plans.get(instruction.mnemonic)?;
            if plan.space() != StateSpace::Local {
                return None;
            }
            let mut operands = self.tree.operands_of(instruction);
            let address = operands.find_map(|(operand, _)| match operand.kind {
                OperandKind::AbsoluteAddress { value } => u64::try_from(value).ok(),
                _ => None,
            })?;
            let width = plan.modifiers.ty.map_or(0, ScalarType::width_bytes);
            let end = address + u64::from(width) * plan.modifiers.n_elements() as u64;
            (address <= MAX_OFFSET as u64).then_some(end)
        });
        ends.max().unwrap_or(0)
    }

    /// Returns the type with which an instruction loads from memory. For a matrix load with an untyped element type, returns the operand
    /// type of an MMA in the same snippet.
    fn loaded_type(&self, plan: &ResolvedOpcode, ty: ScalarType) -> Option<ScalarType> {
        use OperandGrammar as G;
        let is_load = matches!(
            plan.grammar,
            G::Row(ExtraOperandCheck::Load)
                | G::Matrix(
                    MatrixOp::Ldmatrix
                        | MatrixOp::WmmaLoadA
                        | MatrixOp::WmmaLoadB
                        | MatrixOp::WmmaLoadC
                )
        );
        let ty = plan.modifiers.ty.unwrap_or(ty);
        let factors = self.tree.statements.iter().filter_map(|s| match &s.kind {
            StatementKind::Instruction(instruction) => {
                let plan = self.plans.get(instruction.mnemonic)?;
                let is_product = matches!(plan.grammar, G::Matrix(_));
                plan.modifiers.a_type.filter(|_| is_product)
            }
            _ => None,
        });
        let is_alike = |factor: &ScalarType| factor.width_bits() == ty.width_bits();
        let factor = factors
            .filter(|_| ty.kind() == TypeKind::Bits)
            .find(is_alike);
        is_load.then_some(factor.unwrap_or(ty))
    }

    fn operand_uses(
        &self,
        plan: &ResolvedOpcode,
        operand: &Operand,
        children: Operands<'_>,
        as_value: ValueUse,
        space: Option<StateSpace>,
        uses: &mut Vec<NameUse>,
    ) {
        let ValueUse { ty, written } = as_value;
        let n = vector_width(plan, ty);
        let value = |name, ty, n, written| NameUse {
            name,
            what: ExpectedUse::Value(ty, n),
            written,
            start: None,
        };
        match operand.kind {
            OperandKind::Name(name) => uses.push(value(name, ty, n, written)),
            OperandKind::Component { name, .. } => uses.push(value(name, ty, n.max(4), written)),
            OperandKind::Not(name) => uses.push(value(name, ScalarType::Pred, 1, false)),
            OperandKind::Pair { first, second } => {
                uses.extend(first.map(|name| value(name, ty, 1, true)));
                uses.extend(second.map(|name| value(name, ScalarType::Pred, 1, true)));
            }
            OperandKind::Address { base, .. }
                if !plan.addressing.takes_register(ScalarType::B64) =>
            {
                uses.push(value(base, ScalarType::B32, 1, false));
            }
            OperandKind::Address { base, offset } => {
                let offset = offset.clamp(-MAX_OFFSET, MAX_OFFSET);
                let (space, bytes) = pointer(plan, ty, n, space);
                let place = MemoryUse {
                    space,
                    bytes,
                    offsets: (offset.min(0), offset.max(0)),
                    is_stored: plan.grammar == OperandGrammar::Store,
                    loaded: self.loaded_type(plan, ty),
                    barrier: None,
                    object: None,
                };
                uses.push(read(base, ExpectedUse::Pointer(place)));
            }
            OperandKind::AddressList { .. } => self.address_list_uses(plan, children, space, uses),
            OperandKind::Vector { .. } => {
                let n_children = children.count() as u32;
                let element = element_type(plan, ty, n_children);
                for (child, _) in children {
                    if let OperandKind::Name(name) = child.kind {
                        uses.push(value(name, element, 1, written));
                    }
                }
            }
            _ => {}
        }
    }

    /// Appends the uses of names in an address with coordinates in braces.
    fn address_list_uses(
        &self,
        plan: &ResolvedOpcode,
        parts: Operands<'_>,
        space: Option<StateSpace>,
        uses: &mut Vec<NameUse>,
    ) {
        for (part, coordinates) in parts {
            let is_place = matches!(part.kind, OperandKind::Vector { .. });
            let ty = match is_place {
                true => plan.modifiers.c_type.unwrap_or(ScalarType::B32),
                false => ScalarType::B64,
            };
            let first = uses.len();
            let as_value = ValueUse { ty, written: false };
            self.operand_uses(plan, part, coordinates, as_value, space, uses);
            if let Some(used) = uses.get_mut(first).filter(|_| is_place) {
                used.start = InitialValue::of_coordinate(plan);
                // The first coordinate of a texture array or surface array is the layer index.
                if plan.modifiers.unit.geometry.is_some_and(Geometry::is_array) {
                    used.what = ExpectedUse::Value(ScalarType::U32, 1);
                }
            }
        }
    }
}

const fn read(name: Name, what: ExpectedUse) -> NameUse {
    NameUse {
        name,
        what,
        written: false,
        start: None,
    }
}

/// Returns the state space of an address and the number of bytes per lane, or 0 bytes if all lanes share one location.
fn pointer(
    plan: &ResolvedOpcode,
    ty: ScalarType,
    n: u8,
    own: Option<StateSpace>,
) -> (StateSpace, u32) {
    let space = plan.space();
    let bytes = ty.width_bytes().max(1) * u32::from(n);
    match plan.grammar {
        // For `ldmatrix` and `stmatrix`, each lane specifies the address of a matrix row. For other matrix instructions, all lanes specify
        // the address of the matrix.
        OperandGrammar::Matrix(MatrixOp::Ldmatrix | MatrixOp::Stmatrix) => (StateSpace::Shared, 16),
        OperandGrammar::Matrix(_) => (space, 0),
        OperandGrammar::Fill => (StateSpace::Shared, SIZE_BYTES as u32),
        OperandGrammar::StoreAsync if space == StateSpace::Global => (space, bytes),
        OperandGrammar::StoreAsync if own.is_some() => (StateSpace::Shared, 0),
        OperandGrammar::StoreAsync => (StateSpace::Shared, bytes),
        // Each operand of a copy has a separate state space. An operand in shared memory refers to a variable of the block.
        _ if matches!(own, Some(StateSpace::Shared | StateSpace::SharedCluster)) => {
            (StateSpace::Shared, MAX_COPIED)
        }
        _ if own.is_some() => (own.unwrap_or(space), MAX_COPIED),
        _ => (space, bytes),
    }
}

/// Number of bytes of the inferred tensor box of a tensor copy.
const BOX_BYTES: u32 = 1024;

/// Number of bytes of the response of `clusterlaunchcontrol.try_cancel`.
const ANSWER_BYTES: u32 = 16;

/// Maximum number of bytes per lane that a non-bulk copy accesses at an inferred address.
const MAX_COPIED: u32 = 16;

/// Maximum number of bytes that a bulk copy accesses at an inferred address.
const MAX_BULK: u32 = 4096;

/// Maximum offset of an address for which inferred memory is reserved.
const MAX_OFFSET: i64 = 4096;

/// Returns the type that an instruction requires for an operand, and whether the instruction writes the operand.
fn wanted(
    plan: &ResolvedOpcode,
    expect: OperandExpectation,
    slot: Option<&OperandPosition>,
) -> (ScalarType, bool) {
    let ty = plan.modifiers.ty;
    let written = slot.is_some_and(|slot| slot.role == OperandAccess::Written);
    if let (OperandGrammar::Matrix(op), OperandExpectation::Custom) = (plan.grammar, expect) {
        return (matrix_type(op, &plan.modifiers, slot), written);
    }
    match expect {
        OperandExpectation::Destination(ty, _)
        | OperandExpectation::Destinations(ty)
        | OperandExpectation::Elements(ty)
        | OperandExpectation::OwnDestination(ty)
        | OperandExpectation::Pair(ty, _) => (ty, true),
        OperandExpectation::Source(ty, _)
        | OperandExpectation::Sources(ty, _)
        | OperandExpectation::OwnSource(ty)
        | OperandExpectation::SingleSource(ty)
        | OperandExpectation::Literal(ty) => (ty, false),
        OperandExpectation::Row(role) => (ScalarType::B32, role == OperandAccess::Written),
        OperandExpectation::Number(ImmediateRange::Fraction) => (ScalarType::F32, false),
        OperandExpectation::Number(_) => (ScalarType::U32, false),
        OperandExpectation::AnyAddress => (ScalarType::U64, false),
        OperandExpectation::Predicate => (ScalarType::Pred, false),
        OperandExpectation::Address
        | OperandExpectation::AddressIn(_)
        | OperandExpectation::MbarrierIn(_) => (ty.unwrap_or(ScalarType::B32), false),
        OperandExpectation::Unit(what, _) => (unit_type(plan, what), written),
        OperandExpectation::Custom => (ty.unwrap_or(ScalarType::B32), written),
    }
}

/// Returns the type of a name in an operand of a matrix instruction. Elements narrower than 32 bits are packed into 32-bit registers.
fn matrix_type(op: MatrixOp, modifiers: &Modifiers, slot: Option<&OperandPosition>) -> ScalarType {
    let matrix = match slot.map(|slot| slot.name) {
        Some("a") => MatrixOperand::A,
        Some("b") => MatrixOperand::B,
        Some("c") => MatrixOperand::C,
        Some("d") => MatrixOperand::D,
        Some("r") => moved_matrix(op),
        Some("ids_a" | "ids_b") => return ScalarType::B16,
        // The stride operand is a 32-bit integer, because it is a number of elements.
        Some("p") => return modifiers.ty.unwrap_or(ScalarType::B32),
        _ => return ScalarType::B32,
    };
    match operand_registers(op, modifiers, matrix).map(|registers| registers.ty) {
        Some(ty @ (ScalarType::F32 | ScalarType::F64 | ScalarType::S32)) => ty,
        _ => ScalarType::B32,
    }
}

/// Returns the number of components of a name that may be a vector.
fn vector_width(plan: &ResolvedOpcode, ty: ScalarType) -> u8 {
    match ty {
        ScalarType::Pred | ScalarType::B128 => 1,
        _ => plan.modifiers.n_elements() as u8,
    }
}

/// Returns the type of each element of a brace-enclosed list.
fn element_type(plan: &ResolvedOpcode, ty: ScalarType, n: u32) -> ScalarType {
    if plan.grammar != OperandGrammar::Mov || plan.modifiers.n_elements() > 1 {
        return ty;
    }
    match ty.width_bits().checked_div(n) {
        Some(8) => ScalarType::B8,
        Some(16) => ScalarType::B16,
        Some(32) => ScalarType::B32,
        Some(64) => ScalarType::B64,
        _ => ty,
    }
}

/// Returns a type that is compatible with two uses of a name.
fn merged_type(a: ScalarType, b: ScalarType) -> ScalarType {
    let (a, b) = (register_type(a), register_type(b));
    if a == b {
        return a;
    }
    match a.width_bits() >= b.width_bits() {
        true => a.to_bits(),
        false => b.to_bits(),
    }
}

/// Returns the type with which a register is declared if the snippet uses its name with the type `ty`.
pub(crate) fn register_type(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::B8 | ScalarType::E4m3 | ScalarType::E5m2 => ScalarType::B16,
        ScalarType::U8 => ScalarType::U16,
        ScalarType::S8 => ScalarType::S16,
        ScalarType::F16
        | ScalarType::F16x2
        | ScalarType::Bf16
        | ScalarType::Bf16x2
        | ScalarType::Tf32
        | ScalarType::F32x2
        | ScalarType::U16x2
        | ScalarType::S16x2
        | ScalarType::U8x4
        | ScalarType::S8x4
        | ScalarType::E4m3x2
        | ScalarType::E5m2x2
        | ScalarType::E2m1x2
        | ScalarType::E2m3x2
        | ScalarType::E3m2x2
        | ScalarType::Ue8m0x2
        | ScalarType::S2f6x2
        | ScalarType::E4m3x4
        | ScalarType::E5m2x4
        | ScalarType::E2m1x4
        | ScalarType::E2m3x4
        | ScalarType::E3m2x4 => ty.to_bits(),
        ScalarType::B1
        | ScalarType::U2
        | ScalarType::S2
        | ScalarType::U4
        | ScalarType::S4
        | ScalarType::E2m1
        | ScalarType::E2m3
        | ScalarType::E3m2
        | ScalarType::Ue8m0
        | ScalarType::Ue4m3 => ScalarType::B32,
        other => other,
    }
}
