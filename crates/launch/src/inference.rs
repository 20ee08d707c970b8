//! Launch inference for kernels without a launch configuration: infers the buffers to which pointer parameters point
//! from the accesses through these pointers. The crate always reports inferred values to the user.

mod block_evidence;
mod copies;
mod float_formats;
mod image;
mod multimem;
mod tensor_map;

pub(crate) use block_evidence::BlockEvidence;
pub(crate) use float_formats::element_type;
pub(crate) use tensor_map::tensor_of;

use crate::inference::float_formats::{elements_of_format, float_format};
use crate::instruction_summary;
use crate::instruction_summary::{
    AccessKind, AddressOrigin, InstructionSummary, InstructionView, NamedAddress, SourceValue,
    readers,
};
use crate::prepare::{DEFAULT_BLOCK, kernel_variables};
use crate::scenario::{
    Buffer, BufferInitializer, InitialRegister, Parameter, Scenario, StructField, TexelArray,
};
use crate::value::{ElementType, Literal};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::{DeviceUnitOp, ScalarType, SpecialRegister, StateSpace, TypeKind};
use warpgrid_program::{
    Callee, Function, FunctionId, OperandValue, Program, RegisterId, SassKernelInfo, Variable,
    VariableId,
};

/// Maximum distance in bytes of an inferred address from the start of shared or local memory.
const MAX_BYTES_BEFORE: u64 = 4096;

/// Number of threads of a warpgroup.
const WARPGROUP: u32 = 128;

/// Maximum number of elements of an inferred buffer.
const MAX_ELEMENTS: u64 = 4096;

/// Values that launch inference determines for a kernel.
#[derive(Debug, Default)]
pub(crate) struct InferredParameters {
    /// Inferred parameters, one for each parameter of the kernel, in order.
    pub(crate) parameters: Vec<Parameter>,
    /// Arrays of the inferred texture and surface handles.
    pub(crate) arrays: Vec<TexelArray>,
    /// Buffers of the inferred multimem addresses.
    pub(crate) buffers: Vec<Parameter>,
}

/// Infers the parameters of a kernel.
pub(crate) fn parameters(
    scenario: &Scenario,
    program: &Program,
    entry: FunctionId,
) -> InferredParameters {
    let Some(function) = program.functions.get(entry.0 as usize) else {
        return InferredParameters::default();
    };
    let mut uses = ParameterUses::of(program, function);
    let tensors = tensor_map::tensors(program, function, &uses);
    for (slot, access) in &tensors.pointers {
        if find(&uses.pointers, *slot).is_none() {
            uses.pointers.push((*slot, *access));
        }
    }
    let images = image::images(program, function, &uses);
    let groups = multimem::groups(program, function, &uses, scenario);
    let guess = |place: usize, variable: &Variable| {
        if let Some(map) = tensors.maps.get(&place) {
            return Parameter::Tensormap(map.clone());
        }
        if let Some(image) = images.get(&place) {
            return image.parameter.clone();
        }
        if let Some(group) = groups.get(&place) {
            return group.parameter.clone();
        }
        let slot = (place, 0);
        let name = variable.name.clone();
        match find(&uses.pointers, slot) {
            _ if variable.size_bytes > 8 => structure(place, variable, &uses, scenario),
            Some(access) => buffer(name, *access, scenario),
            None => {
                let role = uses.role(slot, find(&uses.loads, slot).copied());
                scalar(name, variable.size_bytes, role, scenario)
            }
        }
    };
    let variables = kernel_variables(function).enumerate();
    let parameters = variables.map(|(place, v)| guess(place, v)).collect();
    InferredParameters {
        parameters,
        arrays: images.into_values().map(|image| image.array).collect(),
        buffers: groups
            .into_values()
            .flat_map(|group| group.buffers)
            .collect(),
    }
}

/// Inferred initial registers and buffers of a SASS snippet.
#[derive(Debug, Default)]
pub(crate) struct LooseStart {
    pub(crate) registers: Vec<InitialRegister>,
    /// Inferred buffers, one for each register pair that contains an address in global memory.
    pub(crate) buffers: Vec<Parameter>,
}

/// Infers the initial values of the registers that a SASS snippet reads before it writes them and that the scenario
/// does not specify. If an address in global memory derives from a register pair, the pair receives the address of a
/// buffer. If the scenario specifies any registers, all other registers are zero. Otherwise, the inferred values differ
/// between the lanes: a register with an address in shared or local memory contains adjacent addresses, which are large
/// enough for the offsets that the snippet subtracts, and a register with data contains lane indices.
pub(crate) fn loose_start(
    program: &Program,
    function: &Function,
    scenario: &Scenario,
) -> LooseStart {
    let mut written: BTreeSet<u32> = BTreeSet::new();
    let mut unset: Vec<RegisterId> = Vec::new();
    let mut starts: Vec<(RegisterId, String)> = Vec::new();
    let mut pointers = Pointers::default();
    let instructions: Vec<InstructionView<'_>> = readers(program, function).collect();
    for (index, reader) in instructions.iter().copied().enumerate() {
        for register in reader.sources() {
            let is_first = written.insert(register.0);
            if is_first && (register.0 as usize) < function.registers.len() {
                unset.push(register);
                pointers.set(register, BTreeSet::from([register]));
            }
        }
        let format = float_format(&instructions, index);
        pointers.note(reader, format, function, scenario);
        let destinations = reader.destinations();
        pointers.carry(&reader.sources(), &destinations);
        written.extend(destinations.into_iter().map(|id| id.0));
        if let Some(access) = reader.access().filter(|_| scenario.registers.is_empty()) {
            add_starts(&access, &mut starts);
            // The inferred value of the guard predicate is true, so that the access is executed.
            let guard = reader.instruction.guard;
            let held = guard.map(|guard| (guard.predicate, u8::from(!guard.negated).to_string()));
            starts.extend(held);
        }
    }
    let open = unset.into_iter().filter_map(|register| {
        let name = function.registers.name(register);
        let is_stated = scenario.registers.iter().any(|start| start.name == name);
        let mut found = pointers.found.iter();
        let is_upper = found.any(|pointer| pointer.upper == register)
            || crate::initial_registers::is_upper_half(name, &scenario.registers);
        if is_stated || is_upper || !SassKernelInfo::has_register(name) {
            return None;
        }
        let mut found = pointers.found.iter();
        let pointer = found.find(|pointer| pointer.lower == register);
        let start = starts.iter().rfind(|(of, _)| *of == register);
        let value = match (pointer, start) {
            (Some(pointer), _) => Literal::Text(pointer.value()),
            (None, Some((_, value))) => Literal::Text(value.clone()),
            (None, None) => Literal::Integer(0),
        };
        let name = name.to_owned();
        Some(InitialRegister { name, value })
    });
    let registers = open.collect();
    let buffers = pointers.found.iter();
    LooseStart {
        registers,
        buffers: buffers.map(|pointer| pointer.buffer(scenario)).collect(),
    }
}

/// Maximum number of bytes of an inferred buffer before and after the address of a pointer.
const MAX_REACH: i64 = 1 << 16;

/// Register pair of a SASS snippet that initially contains an address in global memory.
#[derive(Debug)]
struct Pointer {
    lower: RegisterId,
    upper: RegisterId,
    name: String,
    access: PointerAccess,
    /// Minimum and maximum byte offset of the accesses from the pair.
    reach: (i64, i64),
    /// Whether the address of an access is the unmodified register pair.
    is_direct: bool,
}

impl Pointer {
    fn step_bytes(&self) -> i64 {
        i64::from(self.access.ty.width_bytes()) * i64::from(self.access.n_elements)
    }

    /// Returns the number of bytes of the buffer that precede the address in the register pair, rounded up to a
    /// multiple of 16.
    fn bytes_before(&self) -> i64 {
        let bytes = self.reach.0.saturating_neg().clamp(0, MAX_REACH);
        (bytes + 15) & !15
    }

    /// Returns the initial value of the register pair. If an access uses the pair directly as its address, the lanes
    /// have adjacent addresses.
    fn value(&self) -> String {
        let mut value = self.name.clone();
        if self.is_direct {
            value.push_str(&format!(" + lane * {}", self.step_bytes()));
        }
        match self.bytes_before() {
            0 => value,
            bytes => format!("{value} + {bytes}"),
        }
    }

    fn buffer(&self, scenario: &Scenario) -> Parameter {
        let mut parameter = buffer(self.name.clone(), self.access, scenario);
        if let Parameter::Buffer(buffer) = &mut parameter {
            let reach = self.bytes_before() + self.reach.1.clamp(0, MAX_REACH);
            buffer.len += (reach as u64).div_ceil(u64::from(self.access.ty.width_bytes()).max(1));
        }
        parameter
    }
}

/// State of the pointer analysis: the detected pointers, and for each register the set of unset registers from which
/// its value derives.
#[derive(Default)]
struct Pointers {
    origins: BTreeMap<u32, BTreeSet<RegisterId>>,
    found: Vec<Pointer>,
}

impl Pointers {
    fn set(&mut self, register: RegisterId, origins: BTreeSet<RegisterId>) {
        self.origins.insert(register.0, origins);
    }

    fn of(&self, register: RegisterId) -> BTreeSet<RegisterId> {
        self.origins.get(&register.0).cloned().unwrap_or_default()
    }

    /// Propagates the origins of the source registers to the destination registers. A loaded value has no origins.
    fn carry(&mut self, sources: &[RegisterId], destinations: &[RegisterId]) {
        let mut origins: BTreeSet<RegisterId> = BTreeSet::new();
        for source in sources {
            origins.extend(self.of(*source));
        }
        for destination in destinations {
            self.set(*destination, origins.clone());
        }
    }

    /// Records the register pair from which the address of a global or generic access derives. Both halves of the pair
    /// must be unset, and each half of the address must derive from the corresponding half of the pair. `format` is the
    /// floating-point format of the data.
    fn note(
        &mut self,
        reader: InstructionView<'_>,
        format: Option<ScalarType>,
        function: &Function,
        scenario: &Scenario,
    ) {
        let Some((access, pair)) = reader.paired_access() else {
            return;
        };
        if !matches!(access.space, StateSpace::Global | StateSpace::Generic) {
            return;
        }
        let next = |register: RegisterId| RegisterId(register.0 + 1);
        let (lower, upper) = (self.of(pair), self.of(next(pair)));
        let found = lower.iter().copied().find(|id| upper.contains(&next(*id)));
        let Some(first) = found else {
            return;
        };
        let name = function.registers.name(first);
        let is_successor = SassKernelInfo::register_after(name).as_deref()
            == Some(function.registers.name(next(first)));
        let mut names = scenario.registers.iter().map(|start| &start.name);
        if !is_successor || names.any(|stated| stated == name) {
            return;
        }
        let data = format.and_then(|format| elements_of_format(&access, format));
        let (ty, n_elements) = data.unwrap_or((access.ty, access.data.len().max(1) as u32));
        let at = self.found.iter().position(|pointer| pointer.lower == first);
        let at = at.unwrap_or_else(|| {
            self.found.push(Pointer {
                lower: first,
                upper: next(first),
                name: format!("buffer_{name}"),
                access: PointerAccess {
                    ty,
                    n_elements,
                    is_read: false,
                },
                reach: (0, 0),
                is_direct: false,
            });
            self.found.len() - 1
        });
        let pointer = &mut self.found[at];
        pointer.access.is_read |= access.kind != AccessKind::Store;
        pointer.access.n_elements = pointer.access.n_elements.max(n_elements);
        pointer.reach.0 = pointer.reach.0.min(access.byte_offset);
        pointer.reach.1 = pointer.reach.1.max(access.byte_offset);
        // A uniform register has only one value per warp, so the lanes cannot have different addresses.
        pointer.is_direct |= pair == first && !name.starts_with('U');
    }
}

/// Adds the initial values of the data and address registers of an access to shared or local memory. If `starts`
/// contains several entries for a register, the last entry determines the value.
fn add_starts(access: &instruction_summary::MemoryAccess, starts: &mut Vec<(RegisterId, String)>) {
    let n = access.data.len().max(1);
    for (index, register) in access.data.iter().enumerate() {
        let value = match n {
            1 => "lane".to_owned(),
            _ if index == 0 => format!("lane * {n}"),
            _ => format!("lane * {n} + {index}"),
        };
        // If the register is also the address of another access, its initial value remains the address.
        let is_new = |register: &RegisterId| starts.iter().all(|(of, _)| of != register);
        if let Some(register) = register.filter(is_new) {
            starts.push((register, value));
        }
    }
    let (AddressOrigin::Register(register), StateSpace::Shared | StateSpace::Local) =
        (access.base, access.space)
    else {
        return;
    };
    let before = access
        .byte_offset
        .min(0)
        .unsigned_abs()
        .next_multiple_of(16);
    let before = before.min(MAX_BYTES_BEFORE);
    let step = access.ty.width_bytes() as usize * n;
    starts.push((
        register,
        match (access.space, before) {
            // Local memory is private to each lane.
            (StateSpace::Local, _) => before.to_string(),
            (_, 0) => format!("lane * {step}"),
            _ => format!("lane * {step} + {before}"),
        },
    ));
}

/// Returns the name of the parameter, or of its member, from which the address in a register derives at an instruction.
pub(crate) fn origin(
    program: &Program,
    function: &Function,
    register: RegisterId,
    instruction: u32,
) -> Option<String> {
    let uses = ParameterUses::before(program, function, instruction as usize);
    let (place, offset) = uses.held(register).origin?;
    let variable = kernel_variables(function).nth(place)?;
    Some(match variable.size_bytes > 8 {
        true => format!("{}+{offset}", variable.name),
        false => variable.name.clone(),
    })
}

/// Returns an inferred structure parameter with a member for each byte offset that the kernel reads.
fn structure(
    place: usize,
    variable: &Variable,
    uses: &ParameterUses,
    scenario: &Scenario,
) -> Parameter {
    let (name, size) = (&variable.name, variable.size_bytes);
    let mut read: Vec<&(ParameterOffset, ScalarType)> = uses.loads.iter().collect();
    read.retain(|((of, _), _)| *of == place);
    read.sort_by_cached_key(|((_, offset), _)| u64::try_from(*offset).unwrap_or(u64::MAX));
    let member = |((_, offset), ty): &(ParameterOffset, ScalarType)| {
        let width = u64::from(ty.width_bits()).div_ceil(8);
        let offset = u64::try_from(*offset).ok()?;
        let is_inside = width <= 8 && offset.checked_add(width).is_some_and(|end| end <= size);
        let name = format!("{name}+{offset}");
        let parameter = match find(&uses.pointers, (place, offset as i64)) {
            Some(access) => buffer(name, *access, scenario),
            None => {
                let role = uses.role((place, offset as i64), Some(*ty));
                scalar(name, width, role, scenario)
            }
        };
        is_inside.then_some(StructField { offset, parameter })
    };
    Parameter::Struct {
        name: name.clone(),
        size,
        align: variable.align_bytes.into(),
        fields: read.into_iter().filter_map(member).collect(),
    }
}

/// Returns an inferred buffer with enough elements for one access by each thread. A buffer that the kernel reads
/// initially contains 0, 1, 2, ….
pub(crate) fn buffer(name: String, access: PointerAccess, scenario: &Scenario) -> Parameter {
    let len = threads(scenario).saturating_mul(access.n_elements.into());
    let init = match access.is_read {
        true => Literal::Text("iota".to_owned()),
        false => Literal::Integer(0),
    };
    Parameter::Buffer(Buffer {
        name,
        ty: element(access.ty).name().to_owned(),
        len: len.clamp(32, MAX_ELEMENTS),
        init: BufferInitializer::Fill(init),
        ..Buffer::default()
    })
}

/// Returns the inferred block size: a single row of one warp, or a tile if the kernel reads the y component of the
/// thread index.
pub(crate) fn block(function: &Function, program: &Program) -> [u32; 3] {
    let bounds = &function.bounds;
    let n_axes = n_block_dimensions(function, program);
    let limit = |extents: [u32; 3]| extents.iter().fold(1, |n: u32, e| n.saturating_mul(*e));
    let most = bounds.max_threads.map_or(256, limit);
    let evidence = BlockEvidence::of(function, program);
    let most_of_target = bounds
        .max_threads
        .map_or(program.target.limits.block_threads, limit);
    match (bounds.required_threads, n_axes) {
        (Some(required), _) => required,
        (None, 1) if most >= WARPGROUP && has_warpgroups(program) => {
            bounds.max_threads.unwrap_or([WARPGROUP, 1, 1])
        }
        (None, 1) => bounds.max_threads.unwrap_or_else(|| {
            let step = loop_step(function, program);
            let n_threads = step.or_else(|| evidence.threads_of_one_axis(most_of_target));
            n_threads.map_or(DEFAULT_BLOCK, |x| [x, 1, 1])
        }),
        // The lanes of a warp execute a matrix instruction together, so the block has 32 threads along x.
        (None, _) if most >= 64 && has_matrices(program) => [32, (most / 32).min(8), 1],
        (None, 2) if let Some(block) = evidence.block_of_two_axes(most_of_target) => block,
        (None, 2) if most >= 256 => [16, 16, 1],
        (None, 2) if most >= 64 => [8, 8, 1],
        (None, _) if most >= 256 => [8, 8, 4],
        (None, _) if most >= 64 => [4, 4, 4],
        _ => [1, 1, 1],
    }
}

/// Returns the step by which a loop advances an index that starts at the thread index, such as 128 in
/// `for (i = threadIdx.x; i < n; i += 128)`. The programmer intended such a loop for blocks with this number of
/// threads. An unrolled loop adds multiples of the step.
fn loop_step(function: &Function, program: &Program) -> Option<u32> {
    const STEPS: std::ops::RangeInclusive<u64> = 32..=1024;
    let readings: Vec<InstructionSummary> = readers(program, function)
        .map(InstructionView::read)
        .collect();
    let mut from_thread: BTreeSet<RegisterId> = BTreeSet::new();
    let (mut advances, mut distances) = (BTreeSet::new(), BTreeSet::new());
    // The second pass over the instructions handles loop-carried values.
    for reading in readings.iter().chain(&readings) {
        match reading {
            InstructionSummary::Copy { to, from } => {
                let is_thread = match from {
                    SourceValue::Special(special) => *special == SpecialRegister::Tid(0),
                    SourceValue::Register(from) => from_thread.contains(from),
                    _ => false,
                };
                if is_thread {
                    from_thread.insert(*to);
                }
            }
            InstructionSummary::Compute {
                to,
                sources,
                ty,
                is_addition: true,
                ..
            } if ty.width_bits() == 32 => {
                let [SourceValue::Register(from), SourceValue::Constant(n)] = sources[..] else {
                    continue;
                };
                if from_thread.contains(&from) && STEPS.contains(&n) && n % 32 == 0 {
                    distances.insert(n);
                    if *to == from {
                        advances.insert(n);
                    } else {
                        from_thread.insert(*to);
                    }
                }
            }
            _ => {}
        }
    }
    let least = *distances.first()?;
    let is_step = advances.iter().any(|advance| advance % least == 0);
    is_step.then_some(least as u32)
}

/// Returns the inferred number of blocks of a cluster if instructions operate on several blocks. The block masks of
/// these instructions determine the number. Without a mask, the result is two blocks.
pub(crate) fn cluster(program: &Program, function: &Function) -> Option<[u32; 3]> {
    let mut constants: BTreeMap<RegisterId, u64> = BTreeMap::new();
    let mut n: u32 = 0;
    for reader in readers(program, function) {
        if let InstructionSummary::Copy {
            to,
            from: SourceValue::Constant(bits),
        } = reader.read()
        {
            constants.insert(to, bits);
        }
        if let Some(mask) = reader.cluster_part() {
            let known = mask.and_then(|mask| constants.get(&mask));
            let named = match (mask, known) {
                (_, Some(mask)) => 16 - (*mask as u16).leading_zeros(),
                // A block mask in a register usually selects rows or columns of a two-dimensional arrangement of
                // blocks, such as 2x2.
                (Some(_), None) => 4,
                (None, None) => 2,
            };
            n = n.max(named.next_power_of_two()).max(2);
        }
    }
    (n > 0).then_some([n.min(MAX_CLUSTER), 1, 1])
}

/// Maximum number of blocks of an inferred cluster (CUDA programming guide, "Thread Block Clusters").
const MAX_CLUSTER: u32 = 8;

/// Checks whether the module reads the block index.
pub(crate) fn reads_block_index(program: &Program) -> bool {
    let functions = program.functions.iter();
    let mut instructions = functions.flat_map(|function| readers(program, function));
    instructions.any(|reader| match reader.read() {
        InstructionSummary::Copy { from, .. } => {
            matches!(from, SourceValue::Special(SpecialRegister::Ctaid(_)))
        }
        _ => false,
    })
}

/// Checks whether the module contains instructions of a warpgroup.
fn has_warpgroups(program: &Program) -> bool {
    let mut actions = program.opcodes.iter();
    actions.any(|action| {
        action
            .operation
            .unit()
            .is_some_and(DeviceUnitOp::is_warpgroup_wide)
    })
}

fn has_matrices(program: &Program) -> bool {
    let mut actions = program.opcodes.iter();
    actions.any(|action| action.operation.matrix().is_some())
}

/// Returns a kernel and the functions that the kernel may call, directly or transitively.
fn reachable<'p>(kernel: &'p Function, program: &'p Program) -> Vec<&'p Function> {
    let mut found = vec![kernel];
    let mut next = 0;
    while let Some(function) = found.get(next).copied() {
        next += 1;
        let called = function
            .operands
            .iter()
            .flat_map(|operand| match &operand.value {
                OperandValue::Callee(Callee::Direct(id)) => std::slice::from_ref(id),
                OperandValue::Callee(Callee::Indirect { candidates, .. }) => candidates,
                _ => &[],
            });
        let called = called.filter_map(|id| program.functions.get(id.0 as usize));
        for function in called {
            if !found.iter().any(|known| std::ptr::eq(*known, function)) {
                found.push(function);
            }
        }
    }
    found
}

/// Returns the number of block axes that a kernel and its callees read.
fn n_block_dimensions(function: &Function, program: &Program) -> u32 {
    use warpgrid_isa::SpecialRegister::{Ntid, Tid};
    let functions = reachable(function, program).into_iter();
    let instructions = functions.flat_map(|function| readers(program, function));
    let axes = instructions.map(|reader| match reader.read() {
        InstructionSummary::Copy {
            from: SourceValue::Special(Tid(axis) | Ntid(axis)),
            ..
        } => u32::from(axis) + 1,
        _ => 1,
    });
    axes.max().map_or(1, |n| n.clamp(1, 3))
}

fn threads(scenario: &Scenario) -> u64 {
    let product = |extents: Option<[u32; 3]>| {
        extents
            .unwrap_or([1; 3])
            .iter()
            .fold(1u64, |n, extent| n.saturating_mul((*extent).into()))
    };
    product(scenario.grid).saturating_mul(product(scenario.block))
}

/// Parameter slot: index of a parameter, and byte offset within the parameter.
type ParameterOffset = (usize, i64);

/// Properties of the accesses through a pointer parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointerAccess {
    pub(crate) ty: ScalarType,
    pub(crate) n_elements: u32,
    pub(crate) is_read: bool,
}

/// Uses of the parameters of a kernel by its instructions.
#[derive(Debug, Default)]
struct ParameterUses {
    /// Parameter slots that the kernel loads, with the type of the first load.
    loads: Vec<(ParameterOffset, ScalarType)>,
    /// Parameter slots from which addresses derive, with the accesses through these addresses.
    pointers: Vec<(ParameterOffset, PointerAccess)>,
    /// Parameter slots whose values are used as divisors.
    divisors: Vec<ParameterOffset>,
    /// Abstract value of each register.
    held: Vec<AbstractValue>,
    /// Floating-point format of the data of each SASS instruction. The list is empty for PTX, whose registers have a type.
    formats: Vec<Option<ScalarType>>,
}

/// Abstract value of a register.
#[derive(Clone, Copy, Debug, Default)]
struct AbstractValue {
    /// Parameter slot whose address the register contains.
    base: Option<ParameterOffset>,
    /// Parameter slot from which the address in the register derives.
    origin: Option<ParameterOffset>,
    /// Parameter slot whose value the register contains.
    value: Option<ParameterOffset>,
    /// Format of the floating-point values in the register, regardless of the declared type of the register.
    float: Option<ScalarType>,
}

fn find<T>(list: &[(ParameterOffset, T)], slot: ParameterOffset) -> Option<&T> {
    list.iter()
        .find(|(other, _)| *other == slot)
        .map(|(_, found)| found)
}

impl ParameterUses {
    /// Traces each parameter through moves and address arithmetic to the memory accesses.
    fn of(program: &Program, function: &Function) -> ParameterUses {
        ParameterUses::before(program, function, usize::MAX)
    }

    /// Returns the same uses as [`ParameterUses::of`], with the abstract values of the registers directly before
    /// `instruction`, because a register can contain different addresses at different instructions.
    fn before(program: &Program, function: &Function, instruction: usize) -> ParameterUses {
        let instructions: Vec<InstructionView<'_>> = readers(program, function).collect();
        let n_formats = function.machine.as_ref().map_or(0, |_| instructions.len());
        let mut uses = ParameterUses {
            held: vec![AbstractValue::default(); function.registers.len()],
            formats: (0..n_formats)
                .map(|index| float_format(&instructions, index))
                .collect(),
            ..ParameterUses::default()
        };
        let readings: Vec<InstructionSummary> = instructions
            .iter()
            .copied()
            .map(InstructionView::read)
            .collect();
        // The second pass over the instructions handles loop-carried values.
        for (index, reading) in readings
            .iter()
            .enumerate()
            .chain(readings.iter().enumerate())
        {
            uses.read(function, index, reading);
        }
        uses.pointers.clear();
        for (index, reading) in readings.iter().enumerate().take(instruction) {
            uses.read(function, index, reading);
        }
        uses
    }

    fn read(&mut self, function: &Function, index: usize, reading: &InstructionSummary) {
        match reading {
            InstructionSummary::Access(access)
                if access.kind == AccessKind::Load && access.space == StateSpace::ParamEntry =>
            {
                self.load_parameter(function, access);
            }
            InstructionSummary::Access(access) => {
                let pointed = self.pointer_access(function, index, access);
                self.note(access.base, pointed);
            }
            InstructionSummary::Copy { to, from } => self.copy(function, *to, *from),
            InstructionSummary::Compute {
                to,
                sources,
                n_factors,
                ty,
                is_wide,
                is_addition,
                is_division,
            } => {
                if let (true, Some(SourceValue::Register(divisor))) = (*is_division, sources.get(1))
                    && let Some(slot) = self.held(*divisor).value
                    && !self.divisors.contains(&slot)
                {
                    self.divisors.push(slot);
                }
                if ty.width_bits() == 64 || *is_wide {
                    self.carry(*to, sources.get(*n_factors..).unwrap_or(&[]));
                }
                if let (true, [SourceValue::Register(a), SourceValue::Constant(n), ..]) =
                    (*is_addition, &sources[..])
                    && let Some((place, offset)) = self.held(*a).base
                {
                    self.hold(*to).base = Some((place, offset.wrapping_add(*n as i64)));
                }
                self.note_floats(*ty, *to, sources);
            }
            InstructionSummary::Name(named) => {
                for &NamedAddress { base, ty, is_read } in named {
                    let n_elements = 1;
                    let access = PointerAccess {
                        ty,
                        n_elements,
                        is_read,
                    };
                    self.note(base, access);
                }
            }
            InstructionSummary::Other => {}
        }
    }

    /// Records the format of the registers of a floating-point computation.
    fn note_floats(&mut self, ty: ScalarType, to: RegisterId, sources: &[SourceValue]) {
        if let ScalarType::F16 | ScalarType::Bf16 | ScalarType::F32 | ScalarType::F64 = ty {
            let registers = sources.iter().filter_map(|source| source.register());
            for register in registers.chain([to]) {
                self.hold(register).float = Some(ty);
            }
        }
    }

    /// Records the parameter slot of each destination register of a load.
    fn load_parameter(&mut self, function: &Function, access: &instruction_summary::MemoryAccess) {
        let base = match access.base {
            AddressOrigin::Register(register) => self.held(register).base,
            AddressOrigin::Variable(variable) => {
                parameter_place(function, variable).map(|place| (place, 0))
            }
            AddressOrigin::Absolute => None,
        };
        let Some((place, start)) = base else {
            return;
        };
        let width = i64::from(access.ty.width_bits()) / 8;
        for (i, d) in access.data.iter().enumerate() {
            let within = access.byte_offset.wrapping_add(i as i64 * width);
            let slot = (place, start.wrapping_add(within));
            if find(&self.loads, slot).is_none() {
                self.loads.push((slot, access.ty));
            }
            let Some(d) = d else {
                continue;
            };
            self.hold(*d).value = Some(slot);
            if width == 8 {
                self.hold(*d).origin = Some(slot);
            }
        }
    }

    fn copy(&mut self, function: &Function, to: RegisterId, from: SourceValue) {
        self.carry(to, &[from]);
        let base = match from {
            SourceValue::Register(a) => self.held(a).base,
            SourceValue::Variable(variable, offset) => {
                parameter_place(function, variable).map(|place| (place, offset))
            }
            SourceValue::Constant(_) | SourceValue::Special(_) | SourceValue::Other => None,
        };
        if base.is_some() {
            self.hold(to).base = base;
        }
        // Compilers move the bits of floating-point values to untyped registers before stores and after loads.
        if let SourceValue::Register(a) = from {
            if let Some(ty) = self.held(to).float {
                self.hold(a).float.get_or_insert(ty);
            }
            if let Some(ty) = self.held(a).float {
                self.hold(to).float.get_or_insert(ty);
            }
        }
    }

    /// Returns the purpose of a scalar parameter. `ty` is the type of the first load of the parameter.
    fn role(&self, slot: ParameterOffset, ty: Option<ScalarType>) -> ScalarPurpose {
        match self.divisors.contains(&slot) {
            _ if ty.is_some_and(ScalarType::is_float) => ScalarPurpose::Factor,
            true => ScalarPurpose::Divisor,
            false => ScalarPurpose::Count,
        }
    }

    fn held(&self, register: RegisterId) -> AbstractValue {
        let held = self.held.get(register.0 as usize);
        held.copied().unwrap_or_default()
    }

    fn hold(&mut self, register: RegisterId) -> &mut AbstractValue {
        &mut self.held[register.0 as usize]
    }

    fn carry(&mut self, d: RegisterId, sources: &[SourceValue]) {
        let mut registers = sources.iter().filter_map(|source| source.register());
        if let Some(slot) = registers.find_map(|register| self.held(register).origin) {
            self.hold(d).origin = Some(slot);
        }
    }

    /// Returns the element type and the number of elements of the access of the instruction at `index`.
    fn pointer_access(
        &self,
        function: &Function,
        index: usize,
        access: &instruction_summary::MemoryAccess,
    ) -> PointerAccess {
        let data = access.data.iter().copied().flatten().next();
        let float = match self.formats.is_empty() {
            true => data.and_then(|data| self.held(data).float),
            false => self.formats.get(index).copied().flatten(),
        };
        let ty = moved_type(function, access.ty, data);
        let n_elements = access.data.len().max(1) as u32;
        let (ty, n_elements) = match float {
            Some(float) if !self.formats.is_empty() => {
                elements_of_format(access, float).unwrap_or((ty, n_elements))
            }
            Some(float) if float.width_bits() == ty.width_bits() => (float, n_elements),
            _ => (ty, n_elements),
        };
        PointerAccess {
            ty,
            n_elements,
            is_read: access.kind == AccessKind::Load,
        }
    }

    /// Records an access through a register.
    fn note(&mut self, base: AddressOrigin, access: PointerAccess) {
        let AddressOrigin::Register(register) = base else {
            return;
        };
        let Some(slot) = self.held(register).origin else {
            return;
        };
        let at = self.pointers.iter().position(|(other, _)| *other == slot);
        let at = at.unwrap_or_else(|| {
            self.pointers.push((slot, access));
            self.pointers.len() - 1
        });
        let known = &mut self.pointers[at].1;
        known.is_read |= access.is_read;
        known.n_elements = known.n_elements.max(access.n_elements);
    }
}

/// Returns the type of the accessed data: the declared type of the register if the access has a bit type.
fn moved_type(function: &Function, ty: ScalarType, data: Option<RegisterId>) -> ScalarType {
    let register = data.and_then(|data| function.registers.get(data.0 as usize));
    let declared = register.map(|register| register.ty);
    let is_typed =
        |declared: &ScalarType| declared.is_float() && declared.width_bits() == ty.width_bits();
    match ty.kind() {
        TypeKind::Bits => declared.filter(is_typed).unwrap_or(ty),
        _ => ty,
    }
}

fn parameter_place(function: &Function, variable: VariableId) -> Option<usize> {
    let VariableId::Function(index) = variable else {
        return None;
    };
    function
        .parameters
        .iter()
        .position(|parameter| *parameter == warpgrid_program::Parameter::Variable(index))
}

/// Purpose of a scalar parameter, which determines the inferred value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScalarPurpose {
    /// Floating-point number, which is usually a scale factor.
    Factor,
    /// Divisor of an index, which is usually the length of a row. If the block has one row, the inferred length is
    /// short, so that the data has several rows.
    Divisor,
    /// Any other integer, which is usually a number of elements.
    Count,
}

/// Number of elements of an inferred row.
const ROW: u64 = 8;

fn scalar(name: String, size: u64, role: ScalarPurpose, scenario: &Scenario) -> Parameter {
    // Number of elements per row. A square matrix has as many rows as columns.
    let along_x = |extents: Option<[u32; 3]>| u64::from(extents.map_or(1, |[x, _, _]| x));
    let threads = along_x(scenario.grid) * along_x(scenario.block);
    let is_row = matches!(scenario.block, Some([_, 1, 1]));
    let threads = match role {
        ScalarPurpose::Divisor if is_row && threads > ROW => ROW,
        ScalarPurpose::Divisor | ScalarPurpose::Factor | ScalarPurpose::Count => threads,
    };
    let (ty, value) = match (size, role == ScalarPurpose::Factor) {
        (8, true) => ("f64", Literal::Float(2.0)),
        (4, true) => ("f32", Literal::Float(2.0)),
        (8, false) => ("u64", Literal::Integer(threads.into())),
        (4, false) => ("u32", Literal::Integer(threads.min(u32::MAX.into()).into())),
        (2, _) => ("u16", Literal::Integer(threads.min(1000).into())),
        _ => ("u8", Literal::Integer(threads.min(100).into())),
    };
    Parameter::Scalar {
        name,
        ty: ty.to_owned(),
        value,
    }
}

fn element(ty: ScalarType) -> ElementType {
    match (ty.kind(), ty.width_bits()) {
        _ if ty == ScalarType::F16 => ElementType::F16,
        _ if ty == ScalarType::Bf16 => ElementType::Bf16,
        (TypeKind::Float, 64) => ElementType::F64,
        (TypeKind::Float, 32) => ElementType::F32,
        (TypeKind::Signed, 8) => ElementType::S8,
        (TypeKind::Signed, 16) => ElementType::S16,
        (TypeKind::Signed, 32) => ElementType::S32,
        (TypeKind::Signed, 64) => ElementType::S64,
        (_, 8) => ElementType::U8,
        (_, 16) => ElementType::U16,
        (_, 64 | 128) => ElementType::U64,
        _ => ElementType::U32,
    }
}
