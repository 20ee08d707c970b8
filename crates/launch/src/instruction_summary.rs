//! Queries about one instruction for launch inference and views: the memory accesses, addresses and values of the instruction, and its role
//! in tensor, image and cluster operations.

mod dataflow;

use std::collections::BTreeSet;
pub use warpgrid_isa::AccessKind;
use warpgrid_isa::fragment::{FragmentQuery, MatrixOperand, moved_matrix};
use warpgrid_isa::{
    ArithmeticOp, AtomicOp, CtaGroup, DeviceUnitOp, Flag, Geometry, LoadMode, MatrixOp, MemoryOp,
    MmaKind, MoveOp, MulPart, Operation, ScalarType, SpecialRegister, StateSpace, SurfaceOp,
    TensorCopyOp, TensorMapField, TensorMapOp, TextureOp,
};
use warpgrid_program::{
    Address, AddressBase, Function, FunctionKind, Instruction, OpcodeInfo, Operand, OperandValue,
    Program, RegisterId, RegisterTuple, Source, VariableId,
};

/// Instruction with the context that is necessary to interpret it.
#[derive(Clone, Copy, Debug)]
pub struct InstructionView<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub instruction: &'a Instruction,
}

/// Simplified semantics of an instruction for launch inference.
#[derive(Clone, Debug, PartialEq)]
pub enum InstructionSummary {
    /// Load, store or atomic memory operation.
    Access(MemoryAccess),
    /// Copy of a value, or conversion of an address between state spaces.
    Copy {
        to: RegisterId,
        from: SourceValue,
    },
    /// Computation of a register from values.
    Compute {
        to: RegisterId,
        sources: Vec<SourceValue>,
        /// Number of leading sources that are factors of a product. A factor is never an address: in `pitch * y + base`, only `base` can be
        /// an address.
        n_factors: usize,
        ty: ScalarType,
        /// Whether the result has twice the width of `ty`, so that it can be an address, as for `mad.wide`.
        is_wide: bool,
        is_addition: bool,
        /// Whether the second source divides the first source.
        is_division: bool,
    },
    /// Addresses of memory that an asynchronous or matrix instruction accesses.
    Name(Vec<NamedAddress>),
    Other,
}

/// Role of an instruction in the tensor copies of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TensorAccess {
    /// Expect-tx operation on an mbarrier, with the expected number of bytes.
    Expects(SourceValue),
    /// Copy of a box between the tensor and shared memory. The register `map` contains the address of the tensor map.
    Copy {
        map: RegisterId,
        /// Destination address of a load.
        to: Option<AddressExpr>,
        rank: usize,
        mode: LoadMode,
        is_load: bool,
        /// Reduction operation, if the instruction is a tensor reduction.
        reduces: Option<AtomicOp>,
    },
    /// Publication of a tensor map that the kernel has created: a copy to the global memory address in register `to`.
    Publishes { to: RegisterId },
    /// Replacement of a field in a tensor map that the kernel creates.
    Replaces {
        field: TensorMapField,
        /// Index of the dimension, or the new value if the field does not depend on a dimension.
        first: SourceValue,
        value: SourceValue,
    },
}

/// Address, expressed as a base and a byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressExpr {
    pub(crate) base: AddressOrigin,
    pub(crate) byte_offset: i64,
}

/// Multimem access of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MultimemAccess {
    /// Register that contains the address.
    pub(crate) address: RegisterId,
    pub(crate) ty: ScalarType,
    pub(crate) n_elements: u32,
    pub(crate) is_read: bool,
}

/// Texture or surface access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageAccess {
    /// Register that contains the handle.
    pub(crate) handle: RegisterId,
    pub(crate) is_surface: bool,
    /// Geometry of the image, or `None` for a query.
    pub(crate) geometry: Option<Geometry>,
    /// Channel type of the image. The next field is the number of channels.
    pub(crate) ty: ScalarType,
    pub(crate) channels: u64,
}

/// Address operand of an instruction that accesses memory without an individual access per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedAddress {
    pub base: AddressOrigin,
    /// Type of the data at the address, if the instruction specifies a type.
    pub ty: ScalarType,
    pub is_read: bool,
}

/// Memory access that each lane performs.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryAccess {
    pub kind: AccessKind,
    pub space: StateSpace,
    /// Element type of the access.
    pub ty: ScalarType,
    pub base: AddressOrigin,
    pub byte_offset: i64,
    /// Register that provides or receives each element, or `None` for sinks and constants. The list is empty for atomics and matrix
    /// instructions.
    pub data: Vec<Option<RegisterId>>,
}

/// Operand matrix of a matrix instruction in registers, with its fragment map.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterFragment {
    pub matrix: MatrixOperand,
    pub fragment: FragmentQuery,
    /// Registers in the order of the operand.
    pub registers: Vec<SourceValue>,
    pub is_written: bool,
    /// Whether block scale factors apply to the rows or columns of the matrix.
    pub has_factors: bool,
}

/// Location to which an address refers before the offset is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressOrigin {
    Register(RegisterId),
    Variable(VariableId),
    Absolute,
}

/// Source value of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceValue {
    Register(RegisterId),
    Constant(u64),
    /// Address of a variable plus a constant.
    Variable(VariableId, i64),
    Special(SpecialRegister),
    Other,
}

impl SourceValue {
    /// Returns the register of the value.
    pub fn register(self) -> Option<RegisterId> {
        match self {
            SourceValue::Register(register) => Some(register),
            SourceValue::Constant(_)
            | SourceValue::Variable(..)
            | SourceValue::Special(_)
            | SourceValue::Other => None,
        }
    }
}

/// Returns a reader for each instruction of a function.
pub fn readers<'a>(
    program: &'a Program,
    function: &'a Function,
) -> impl Iterator<Item = InstructionView<'a>> {
    function
        .instructions
        .iter()
        .map(move |instruction| InstructionView {
            program,
            function,
            instruction,
        })
}

/// Returns the indices of the module variables that instructions of the program reference.
pub fn named_variables(program: &Program) -> BTreeSet<u32> {
    let mut named = BTreeSet::new();
    for function in &program.functions {
        for reader in readers(program, function) {
            for operand in reader.operands() {
                reader.add_variables(operand, &mut named);
            }
        }
    }
    named
}

impl<'a> InstructionView<'a> {
    /// Returns a reader of the instruction at `index` of a function.
    pub fn at(
        program: &'a Program,
        function: warpgrid_program::FunctionId,
        index: u32,
    ) -> Option<InstructionView<'a>> {
        let function = program.functions.get(function.0 as usize)?;
        Some(InstructionView {
            program,
            function,
            instruction: function.instructions.get(index as usize)?,
        })
    }

    /// Returns the semantics of the instruction for launch inference.
    pub fn read(self) -> InstructionSummary {
        let Some(action) = self.program.opcode(self.instruction) else {
            return InstructionSummary::Other;
        };
        match action.operation {
            Operation::Move(MoveOp::Mov | MoveOp::Cvta) => self.copied(),
            Operation::Arithmetic(op) => self.computed(action, op),
            Operation::Memory(op) => self
                .accessed(action, op)
                .map_or(InstructionSummary::Other, InstructionSummary::Access),
            Operation::Async(op) => self.named(action, op.source()),
            Operation::Matrix(op) => self
                .matrix_accessed(action, op)
                .map_or(InstructionSummary::Other, InstructionSummary::Access),
            // A `cvt` to a 64-bit integer can be the extension of a 32-bit address.
            Operation::Move(MoveOp::Cvt) => match action.modifiers.result_type() {
                Some(ty) if ty.width_bits() == 64 && !ty.is_float() => self.copied(),
                Some(_) | None => InstructionSummary::Other,
            },
            Operation::Move(
                MoveOp::CvtPacked
                | MoveOp::CvtPack
                | MoveOp::Isspacep
                | MoveOp::CreatePolicy
                | MoveOp::Mapa
                | MoveOp::GetCtaRank,
            )
            | Operation::Carry(_)
            | Operation::Video(..)
            | Operation::Compare(_)
            | Operation::Mbarrier(_)
            | Operation::Control(_)
            | Operation::Sync(_)
            | Operation::Warp(_)
            | Operation::Hint(_)
            | Operation::Machine(_)
            | Operation::Unit(_)
            | Operation::Unknown => InstructionSummary::Other,
        }
    }

    /// Returns the per-lane memory access of the instruction, or `None` for other instructions.
    pub fn access(self) -> Option<MemoryAccess> {
        match self.read() {
            InstructionSummary::Access(access) => Some(access),
            InstructionSummary::Copy { .. }
            | InstructionSummary::Compute { .. }
            | InstructionSummary::Name(_)
            | InstructionSummary::Other => None,
        }
    }

    /// Returns the access, and the first register of the register pair that contains its address. Returns `None` if the address has 32
    /// bits.
    pub(crate) fn paired_access(self) -> Option<(MemoryAccess, RegisterId)> {
        let access = self.access()?;
        let pair = self.operands().iter().find_map(|operand| {
            let OperandValue::Address(address) = &operand.value else {
                return None;
            };
            let base = match address.base {
                AddressBase::Register(run) => Some(run),
                _ => None,
            };
            let mut runs = base.into_iter().chain(address.uniform);
            runs.find(|run| run.n == 2).map(|run| run.first)
        })?;
        Some((access, pair))
    }

    /// Returns the registers that the instruction may write.
    pub fn destinations(self) -> Vec<RegisterId> {
        self.function.destinations(self.instruction)
    }

    /// Returns the registers that the instruction reads, starting with its guard.
    pub fn sources(self) -> Vec<RegisterId> {
        self.function.sources(self.instruction)
    }

    /// Returns the role of the instruction in the tensor copies of a kernel.
    pub(crate) fn tensor_part(self) -> Option<TensorAccess> {
        let action = self.program.opcode(self.instruction)?;
        let unit = &action.modifiers.unit;
        let copy = |place: usize, is_load| {
            let operand = self.operands().get(place)?;
            let map = self.values(operand).first()?.register()?;
            Some(TensorAccess::Copy {
                map,
                to: self.destination_place().filter(|_| is_load),
                rank: unit.n_dimensions(),
                mode: unit.load_mode(),
                is_load,
                reduces: action.modifiers.atomic,
            })
        };
        match action.operation.unit().and_then(DeviceUnitOp::tensor_copy) {
            Some(TensorCopyOp::Load) => return copy(1, true),
            Some(TensorCopyOp::Store | TensorCopyOp::Reduction) => return copy(0, false),
            Some(TensorCopyOp::Prefetch) | None => {}
        }
        if let Some(DeviceUnitOp::TensorMap(op)) = action.operation.unit() {
            return self.made_part(op, unit.field);
        }
        let expects = action.modifiers.has(Flag::ExpectTx);
        let expects = action
            .operation
            .mbarrier()
            .map(|op| op.is_expectation() || expects)?;
        let bytes = self.operands().last().filter(|_| expects)?;
        Some(TensorAccess::Expects(read_value(&bytes.value)))
    }

    /// Returns the role of an instruction that creates or publishes a tensor map.
    fn made_part(self, op: TensorMapOp, field: Option<TensorMapField>) -> Option<TensorAccess> {
        let operands = self.operands();
        match op {
            TensorMapOp::CopyFenceProxy => match self.destination_place()?.base {
                AddressOrigin::Register(to) => Some(TensorAccess::Publishes { to }),
                AddressOrigin::Variable(_) | AddressOrigin::Absolute => None,
            },
            TensorMapOp::Replace => Some(TensorAccess::Replaces {
                field: field?,
                first: read_value(&operands.get(1)?.value),
                value: read_value(&operands.last()?.value),
            }),
        }
    }

    /// Returns the address of the first operand.
    fn destination_place(self) -> Option<AddressExpr> {
        match &self.operands().first()?.value {
            OperandValue::Address(address) => Some(AddressExpr {
                base: base(address),
                byte_offset: address.offset,
            }),
            _ => None,
        }
    }

    /// Returns `Some` if the instruction operates on several blocks of a cluster: `Some(Some(register))` with the register of the block
    /// mask, or `Some(None)` if the instruction operates on a pair of blocks.
    pub(crate) fn cluster_part(self) -> Option<Option<RegisterId>> {
        let modifiers = &self.program.opcode(self.instruction)?.modifiers;
        if modifiers.has(Flag::Multicast) {
            let is_mask = |id: &RegisterId| {
                let register = self.function.registers.get(id.0 as usize);
                register.is_some_and(|register| register.ty.width_bits() == 16)
            };
            return Some(self.sources().into_iter().find(is_mask));
        }
        (modifiers.unit.group == Some(CtaGroup::Two)).then_some(None)
    }

    /// Returns the texture or surface access of the instruction.
    pub(crate) fn image_part(self) -> Option<ImageAccess> {
        let action = self.program.opcode(self.instruction)?;
        let modifiers = &action.modifiers;
        let (place, is_surface) = match action.operation.unit()? {
            DeviceUnitOp::Texture(TextureOp::IsReference) => return None,
            DeviceUnitOp::Texture(_) => (1, false),
            DeviceUnitOp::Surface(SurfaceOp::Store | SurfaceOp::Reduction) => (0, true),
            DeviceUnitOp::Surface(SurfaceOp::Load | SurfaceOp::Query) => (1, true),
            DeviceUnitOp::TensorCopy(_)
            | DeviceUnitOp::TensorMap(_)
            | DeviceUnitOp::Stack(_)
            | DeviceUnitOp::ClusterLaunchControl(_)
            | DeviceUnitOp::Multimem(_)
            | DeviceUnitOp::Warpgroup(_)
            | DeviceUnitOp::TensorMemory(_)
            | DeviceUnitOp::Fabric => return None,
        };
        let operand = self.operands().get(place)?;
        let handle = match &operand.value {
            OperandValue::Address(address) => match address.base {
                AddressBase::Register(run) => run.first,
                AddressBase::Variable(_) | AddressBase::Bank { .. } | AddressBase::None => {
                    return None;
                }
            },
            _ => self.values(operand).first()?.register()?,
        };
        let of_texel = modifiers.d_type.filter(|_| !is_surface);
        Some(ImageAccess {
            handle,
            is_surface,
            geometry: modifiers.unit.geometry,
            ty: of_texel.or(modifiers.ty).unwrap_or(ScalarType::F32),
            channels: match is_surface {
                true => modifiers.n_elements() as u64,
                false => 4,
            },
        })
    }

    /// Returns the multimem access of the instruction.
    pub(crate) fn multimem_part(self) -> Option<MultimemAccess> {
        let action = self.program.opcode(self.instruction)?;
        let op = action.operation.unit()?.multimem()?;
        let mut operands = self.operands().iter();
        let address = operands.find_map(|operand| match &operand.value {
            OperandValue::Address(address) => Some(address),
            _ => None,
        })?;
        let AddressBase::Register(run) = address.base else {
            return None;
        };
        Some(MultimemAccess {
            address: run.first,
            ty: action.modifiers.ty.unwrap_or(ScalarType::U32),
            n_elements: action.modifiers.n_elements() as u32,
            is_read: op.is_load(),
        })
    }

    /// Returns the element type of the operand matrices A and B, if the instruction is a `wgmma` or `tcgen05` MMA.
    pub(crate) fn factor_type(self) -> Option<ScalarType> {
        let action = self.program.opcode(self.instruction)?;
        action
            .operation
            .unit()
            .filter(|unit| unit.is_warpgroup_wide())?;
        let of_kind = |kind| match kind {
            MmaKind::F16 => ScalarType::F16,
            MmaKind::Tf32 => ScalarType::F32,
            MmaKind::I8
            | MmaKind::F8f6f4
            | MmaKind::Mxf8f6f4
            | MmaKind::Mxf4
            | MmaKind::Mxf4nvf4 => ScalarType::U8,
        };
        let modifiers = &action.modifiers;
        modifiers.a_type.or(modifiers.kind.map(of_kind))
    }

    /// Returns the operand matrices of a matrix instruction in the order of its operands. The list is empty if the fragment maps of the
    /// operands are unknown.
    pub fn held_matrices(self) -> Vec<RegisterFragment> {
        let Some(action) = self.program.opcode(self.instruction) else {
            return Vec::new();
        };
        let Some(op) = action.operation.matrix() else {
            return Vec::new();
        };
        let modifiers = &action.modifiers;
        let places: &[(usize, MatrixOperand)] = match op.access() {
            Some(AccessKind::Load) => &[(0, moved_matrix(op))],
            Some(AccessKind::Store | AccessKind::Atomic) => &[(1, moved_matrix(op))],
            None => &[
                (0, MatrixOperand::D),
                (1, MatrixOperand::A),
                (2, MatrixOperand::B),
                (3, MatrixOperand::C),
            ],
        };
        let held = places.iter().filter_map(|(place, matrix)| {
            let target = *self.program.target;
            let operand = self.operands().get(*place)?;
            Some(RegisterFragment {
                matrix: *matrix,
                fragment: FragmentQuery::of_operand(op, modifiers, *matrix, target)?,
                registers: self.values(operand),
                has_factors: op == MatrixOp::MmaBlockScaled,
                is_written: *place == 0,
            })
        });
        held.collect()
    }

    /// Returns the value of each element of a vector or scalar operand.
    fn values(self, operand: &Operand) -> Vec<SourceValue> {
        let of_one = |operand: &Operand| match &operand.value {
            OperandValue::Destination(Some(run))
            | OperandValue::Source(Source::Register(run), _) => {
                run.registers().map(SourceValue::Register).collect()
            }
            other => vec![read_value(other)],
        };
        match operand.value {
            OperandValue::List(list) => {
                let elements = self.function.operands_of(list).iter();
                elements.flat_map(of_one).collect()
            }
            _ => of_one(operand),
        }
    }

    /// Returns the values of the operands in their order.
    pub fn source_values(self) -> Vec<SourceValue> {
        let operands = self.operands().iter();
        operands.map(|operand| read_value(&operand.value)).collect()
    }

    /// Checks whether the result of the instruction is twice as wide as its sources, as for `mul.wide`.
    pub(crate) fn has_wide_result(self) -> bool {
        let action = self.program.opcode(self.instruction);
        action.is_some_and(|action| action.modifiers.part == Some(MulPart::Wide))
    }

    /// Returns the operation of the instruction.
    pub fn operation(self) -> Option<Operation> {
        Some(self.program.opcode(self.instruction)?.operation)
    }

    /// Returns the opcode with its modifiers in the spelling of its first occurrence in the module.
    pub fn opcode(self) -> &'a str {
        let action = self.program.opcode(self.instruction);
        action.map_or("", |action| action.opcode.as_str())
    }

    /// Returns the names of the registers that the instruction reads or writes: first its guard, then the registers of
    /// its operands in order.
    pub fn register_names(self) -> Vec<String> {
        let registers = &self.function.registers;
        let mut names = Vec::new();
        self.function
            .visit_registers(self.instruction, |_, register| {
                if (register.0 as usize) < registers.len() {
                    names.push(registers.name(register).to_owned());
                }
            });
        names
    }

    fn add_variables(self, operand: &Operand, named: &mut BTreeSet<u32>) {
        let found = match &operand.value {
            OperandValue::Source(Source::VariableAddress { variable, .. }, _) => Some(*variable),
            OperandValue::Address(address) => match address.base {
                AddressBase::Variable(variable) => Some(variable),
                AddressBase::Register(_) | AddressBase::Bank { .. } | AddressBase::None => None,
            },
            OperandValue::List(list) => {
                for element in self.function.operands_of(*list) {
                    self.add_variables(element, named);
                }
                None
            }
            OperandValue::Source(..)
            | OperandValue::Absent
            | OperandValue::Destination(_)
            | OperandValue::Pair(..)
            | OperandValue::Predicate { .. }
            | OperandValue::Label(_)
            | OperandValue::Callee(_) => None,
        };
        if let Some(VariableId::Module(index)) = found {
            named.insert(index);
        }
    }

    fn operands(self) -> &'a [Operand] {
        self.function.operands_of(self.instruction.operands)
    }

    fn copied(self) -> InstructionSummary {
        let (Some(to), Some(from)) = (self.operands().first(), self.operands().get(1)) else {
            return InstructionSummary::Other;
        };
        match (written(&to.value), &from.value) {
            (Some(to), OperandValue::Source(source, _)) => InstructionSummary::Copy {
                to,
                from: value(source),
            },
            _ => InstructionSummary::Other,
        }
    }

    fn computed(self, action: &OpcodeInfo, op: ArithmeticOp) -> InstructionSummary {
        let to = self.operands().first().and_then(|d| written(&d.value));
        let (Some(to), Some(ty)) = (to, action.modifiers.result_type()) else {
            return InstructionSummary::Other;
        };
        let sources = self.operands().iter().skip(1);
        InstructionSummary::Compute {
            to,
            sources: sources.map(|operand| read_value(&operand.value)).collect(),
            n_factors: match matches!(op, ArithmeticOp::Mul | ArithmeticOp::Mad) {
                true => 2,
                false => 0,
            },
            ty,
            is_wide: op == ArithmeticOp::Mad && action.modifiers.part == Some(MulPart::Wide),
            is_addition: op == ArithmeticOp::Add,
            is_division: matches!(op, ArithmeticOp::Div | ArithmeticOp::Rem),
        }
    }

    /// Returns the access of an instruction in which each lane accesses memory at its own address.
    fn accessed(self, action: &OpcodeInfo, op: MemoryOp) -> Option<MemoryAccess> {
        let kind = op.access()?;
        let data = match kind {
            AccessKind::Load => self.elements(self.operands().first()?),
            AccessKind::Store => self.elements(self.operands().get(1)?),
            AccessKind::Atomic => Vec::new(),
        };
        self.access_of(action, kind, data)
    }

    /// Returns the access of a matrix load or store: one access of the whole warp, whose elements are distributed over the lanes.
    fn matrix_accessed(self, action: &OpcodeInfo, op: MatrixOp) -> Option<MemoryAccess> {
        self.access_of(action, op.access()?, Vec::new())
    }

    fn access_of(
        self,
        action: &OpcodeInfo,
        kind: AccessKind,
        data: Vec<Option<RegisterId>>,
    ) -> Option<MemoryAccess> {
        let address = self
            .operands()
            .iter()
            .find_map(|operand| match &operand.value {
                OperandValue::Address(address) => Some(address),
                _ => None,
            })?;
        Some(MemoryAccess {
            kind,
            space: self.space(action, address),
            ty: action.modifiers.ty?,
            base: base(address),
            byte_offset: address.offset,
            data,
        })
    }

    /// Returns the addresses of an asynchronous operation. `source` is the index of the source operand, if the source is in memory.
    fn named(self, action: &OpcodeInfo, source: Option<usize>) -> InstructionSummary {
        let operands = self.operands().iter().enumerate();
        let named = operands.filter_map(|(place, operand)| match &operand.value {
            OperandValue::Address(address) => Some(NamedAddress {
                base: base(address),
                ty: action.modifiers.ty.unwrap_or(ScalarType::U32),
                is_read: source == Some(place),
            }),
            _ => None,
        });
        InstructionSummary::Name(named.collect())
    }

    /// Returns the state space of an access. For generic accesses and parameter accesses, the variable in the address determines the state
    /// space, which distinguishes kernel parameters from call parameters (PTX ISA, "Parameter State Space").
    fn space(self, action: &OpcodeInfo, address: &Address) -> StateSpace {
        let named = action.modifiers.state_space();
        let is_open = matches!(named, StateSpace::Generic | StateSpace::ParamFunc);
        match (address.base, named) {
            (AddressBase::Variable(id), _) if is_open => self.variable_space(id).unwrap_or(named),
            (_, StateSpace::ParamFunc) if self.function.kind == FunctionKind::Entry => {
                StateSpace::ParamEntry
            }
            _ => named,
        }
    }

    fn variable_space(self, id: VariableId) -> Option<StateSpace> {
        let variable = match id {
            VariableId::Module(index) => self.program.variables.get(index as usize),
            VariableId::Function(index) => self.function.variables.get(index as usize),
        };
        variable.map(|variable| variable.space)
    }

    /// Returns the register of each element of a vector or scalar operand.
    fn elements(self, operand: &Operand) -> Vec<Option<RegisterId>> {
        let register =
            |value: &OperandValue| written(value).or_else(|| read_value(value).register());
        match operand.value {
            OperandValue::List(list) => {
                let elements = self.function.operands_of(list).iter();
                elements.map(|element| register(&element.value)).collect()
            }
            _ => vec![register(&operand.value)],
        }
    }
}

fn base(address: &Address) -> AddressOrigin {
    match (address.base, address.uniform) {
        (AddressBase::Register(run), _) => AddressOrigin::Register(run.first),
        (AddressBase::Variable(variable), _) => AddressOrigin::Variable(variable),
        (AddressBase::None, Some(uniform)) => AddressOrigin::Register(uniform.first),
        (AddressBase::Bank { .. }, _) | (AddressBase::None, None) => AddressOrigin::Absolute,
    }
}

fn written(value: &OperandValue) -> Option<RegisterId> {
    match value {
        OperandValue::Destination(run) | OperandValue::Pair(run, _) => {
            run.map(|run: RegisterTuple| run.first)
        }
        OperandValue::Absent
        | OperandValue::Source(..)
        | OperandValue::Predicate { .. }
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => None,
    }
}

fn read_value(read: &OperandValue) -> SourceValue {
    match read {
        OperandValue::Source(source, _) | OperandValue::Predicate { source, .. } => value(source),
        OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => SourceValue::Other,
    }
}

fn value(source: &Source) -> SourceValue {
    match *source {
        Source::Register(run) => SourceValue::Register(run.first),
        Source::Immediate(bits) => SourceValue::Constant(bits),
        Source::Special(special) => SourceValue::Special(special),
        Source::VariableAddress {
            variable, offset, ..
        } => SourceValue::Variable(variable, offset),
        Source::RegisterOffset { .. }
        | Source::FunctionAddress(_)
        | Source::Constant { .. }
        | Source::Launch(_)
        | Source::Sink => SourceValue::Other,
    }
}
