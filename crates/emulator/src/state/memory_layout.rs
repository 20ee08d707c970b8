//! Memory layout: assigns addresses to variables, buffers and parameters before decoding.

use crate::contract::image::ImageInit;
use crate::contract::inspect::SharedVariable;
use crate::contract::launch::{
    BufferContents, BufferIndex, KernelArgument, Launch, LaunchError, MisalignedPolicy,
    PointerRelocation, ResourceLimits, WriterTracking,
};
use crate::state::memory::{AddressMap, Allocation, AllocationOwner, GlobalMemory, PagedMemory};
use warpgrid_isa::StateSpace;
use warpgrid_program::{
    Callee, Function, FunctionId, OperandValue, Parameter, Program, RelocationTarget, Source,
    Variable,
};

/// Size in bytes of the gap between allocations in global memory. An access that exceeds the bounds of an allocation by
/// a stride hits this gap, and therefore faults.
const GUARD_BYTES: u64 = 64 << 10;

/// Location of a function's variable: a fixed address, or an offset in the stack frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableLocation {
    /// Address in the state space of the variable.
    Fixed(u64),
    /// Offset in the stack frame of the thread.
    Frame(u32),
}

/// Addresses of all variables, parameters, reserved ranges and constant banks of a launch. The decoder uses them as
/// constants.
#[derive(Clone, Debug)]
pub(crate) struct MemoryLayout {
    pub(crate) map: AddressMap,
    /// Addresses of the module variables.
    pub(crate) module: Vec<u64>,
    /// Locations of the variables of each function. The inner vector of an unreachable function is empty.
    pub(crate) functions: Vec<Vec<VariableLocation>>,
    pub(crate) frame_bytes: Vec<u32>,
    /// Functions that the kernel can reach, in decoding order, starting with the entry function.
    pub(crate) reachable: Vec<FunctionId>,
    pub(crate) shared_bytes: u64,
    /// Number of bytes at the start of shared memory that are reserved and contain no variables of the block.
    pub(crate) reserved_shared_bytes: u64,
    /// Offset of the mbarrier for a pair of blocks within the reserved bytes.
    pub(crate) pair_barrier: Option<u32>,
    pub(crate) shared_variables: Vec<SharedVariable>,
    /// Offset and size of each kernel parameter.
    pub(crate) parameters: Vec<(u64, u64)>,
    /// Offset of the kernel parameters within their allocation. In SASS, launch parameters precede the kernel
    /// parameters.
    pub(crate) parameter_start: u64,
    /// Policy of the launch for misaligned accesses.
    pub(crate) misaligned: MisalignedPolicy,
    /// Dimensions of the block, the grid and the cluster.
    pub(crate) extents: ([u32; 3], [u32; 3], [u32; 3]),
    /// Constant banks of a SASS kernel.
    pub(crate) banks: Vec<ConstantBank>,
}

/// Constant bank of a SASS kernel. Its contents are immutable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConstantBank {
    pub(crate) number: u8,
    pub(crate) address: u64,
    pub(crate) bytes: Vec<u8>,
}

fn align_up(value: u64, align: u64) -> u64 {
    let align = align.max(1);
    value.div_ceil(align).saturating_mul(align)
}

/// Returns the offset and size of each kernel parameter. A parameter in registers has size 0.
fn parameter_places(
    function: &Function,
    places: &[VariableLocation],
    start: u64,
) -> Vec<(u64, u64)> {
    let place = |parameter: &Parameter| match parameter {
        Parameter::Variable(index) => {
            let variable = function.variables.get(*index as usize);
            let size = variable.map_or(0, |v| v.size_bytes);
            match places.get(*index as usize) {
                Some(VariableLocation::Fixed(address)) => (address.wrapping_sub(start), size),
                _ => (0, size),
            }
        }
        Parameter::Register(_) => (0, 0),
    };
    function.parameters.iter().map(place).collect()
}

/// Computes the offset and size of consecutive parameters, each aligned to its type.
fn open_parameters(launch: &Launch, start: u64) -> Vec<(u64, u64)> {
    let mut end = start;
    let place = |argument: &KernelArgument| {
        let offset = align_up(end, argument.align_bytes);
        let size = argument.bytes.len() as u64;
        end = offset.saturating_add(size);
        (offset, size)
    };
    launch.arguments.iter().map(place).collect()
}

/// Returns the reachable functions: the entry function, its direct and indirect callees, and functions whose addresses
/// are taken.
fn reachable(program: &Program, entry: FunctionId) -> Vec<FunctionId> {
    let mut seen = vec![false; program.functions.len()];
    let mut order = Vec::new();
    let mut queue = vec![entry];
    for variable in &program.variables {
        queue.extend(variable.relocations.iter().filter_map(|r| match r.target {
            RelocationTarget::Function(id) => Some(id),
            RelocationTarget::Variable(_) => None,
        }));
    }
    queue.reverse();
    while let Some(id) = queue.pop() {
        let index = id.0 as usize;
        let (Some(function), Some(seen)) = (program.functions.get(index), seen.get_mut(index))
        else {
            continue;
        };
        if std::mem::replace(seen, true) {
            continue;
        }
        order.push(id);
        for operand in &function.operands {
            match &operand.value {
                OperandValue::Callee(Callee::Direct(id)) => queue.push(*id),
                OperandValue::Callee(Callee::Indirect { candidates, .. }) => {
                    queue.extend(candidates);
                }
                OperandValue::Source(Source::FunctionAddress(id), _) => queue.push(*id),
                OperandValue::Callee(Callee::System(_))
                | OperandValue::Source(..)
                | OperandValue::Absent
                | OperandValue::Destination(_)
                | OperandValue::Pair(..)
                | OperandValue::Predicate { .. }
                | OperandValue::Address(_)
                | OperandValue::List(_)
                | OperandValue::Label(_) => {}
            }
        }
    }
    order
}

impl MemoryLayout {
    /// Assigns the addresses of all objects except buffers and module variables in global memory.
    pub(crate) fn new(program: &Program, launch: &Launch) -> MemoryLayout {
        let mut map = AddressMap::for_address_bits(program.address_bits);
        let is_machine = program
            .functions
            .get(launch.entry.0 as usize)
            .is_some_and(|function| function.machine.is_some());
        map.own_window = !is_machine || launch.cluster.iter().product::<u32>() <= 1;
        let reachable = reachable(program, launch.entry);
        let mut layout = MemoryLayout {
            map,
            module: vec![0; program.variables.len()],
            functions: vec![Vec::new(); program.functions.len()],
            frame_bytes: vec![0; program.functions.len()],
            reachable,
            shared_bytes: 0,
            reserved_shared_bytes: 0,
            pair_barrier: None,
            shared_variables: Vec::new(),
            parameters: Vec::new(),
            parameter_start: 0,
            misaligned: launch.misaligned,
            extents: (launch.block, launch.grid, launch.cluster),
            banks: Vec::new(),
        };
        let entry = program.functions.get(launch.entry.0 as usize);
        let machine = entry.and_then(|function| function.machine.as_deref());
        layout.reserved_shared_bytes = machine.map_or(0, |machine| machine.reserved_shared_bytes);
        layout.pair_barrier = machine.and_then(|machine| machine.cta_pair_mbarrier_offset);
        layout.parameter_start = machine.map_or(0, |machine| machine.parameter_start.into());
        let mut dynamic = Vec::new();
        for (index, variable) in program.variables.iter().enumerate() {
            if variable.space == StateSpace::Shared {
                let id = warpgrid_program::VariableId::Module(index as u32);
                if variable.dynamic {
                    dynamic.push((None, id, variable));
                } else {
                    layout.module[index] = layout.place_shared(None, id, variable);
                }
            }
        }
        for id in layout.reachable.clone() {
            if let Some(function) = program.functions.get(id.0 as usize) {
                layout.place_function(id, function, &mut dynamic);
            }
        }
        let mut dynamic_bytes = launch.dynamic_shared_bytes;
        // A listing without sections does not declare its shared memory, so the maximum size for a block is reserved.
        // If too little memory remains for dynamic shared memory, the dynamic shared memory overlaps the reserved
        // memory.
        if machine.is_some_and(|machine| machine.open_shared) {
            let most = program.target.limits.shared_bytes + layout.reserved_shared_bytes;
            dynamic_bytes = dynamic_bytes.min(most.saturating_sub(layout.shared_bytes));
        }
        layout.place_dynamic(&dynamic, dynamic_bytes);
        if machine.is_some_and(|machine| machine.has_unknown_parameters) {
            layout.parameters = open_parameters(launch, layout.parameter_start);
        }
        layout
    }

    fn place_shared(
        &mut self,
        function: Option<FunctionId>,
        variable: warpgrid_program::VariableId,
        declared: &Variable,
    ) -> u64 {
        let offset = align_up(self.shared_bytes, u64::from(declared.align_bytes));
        self.shared_bytes = offset.saturating_add(declared.size_bytes);
        self.shared_variables.push(SharedVariable {
            function,
            variable,
            name: declared.name.clone(),
            byte_offset: offset,
            size_bytes: declared.size_bytes,
        });
        offset
    }

    fn place_function<'p>(
        &mut self,
        id: FunctionId,
        function: &'p Function,
        dynamic: &mut Vec<(
            Option<FunctionId>,
            warpgrid_program::VariableId,
            &'p Variable,
        )>,
    ) {
        let mut frame = 0u64;
        let mut parameters = self.parameter_start;
        let mut places = Vec::with_capacity(function.variables.len());
        for (index, variable) in function.variables.iter().enumerate() {
            let align = u64::from(variable.align_bytes);
            places.push(match variable.space {
                StateSpace::Shared | StateSpace::SharedCluster => {
                    let name = warpgrid_program::VariableId::Function(index as u32);
                    if variable.dynamic {
                        dynamic.push((Some(id), name, variable));
                        VariableLocation::Fixed(0)
                    } else {
                        VariableLocation::Fixed(self.place_shared(Some(id), name, variable))
                    }
                }
                StateSpace::ParamEntry => {
                    let offset = align_up(parameters, align);
                    parameters = offset.saturating_add(variable.size_bytes);
                    VariableLocation::Fixed(self.map.parameters + offset)
                }
                _ => {
                    let offset = align_up(frame, align);
                    frame = offset.saturating_add(variable.size_bytes);
                    VariableLocation::Frame(offset.min(u64::from(u32::MAX)) as u32)
                }
            });
        }
        if self.reachable.first() == Some(&id) {
            self.parameters = parameter_places(function, &places, self.map.parameters);
        }
        if let Some(slot) = self.functions.get_mut(id.0 as usize) {
            *slot = places;
        }
        if let Some(slot) = self.frame_bytes.get_mut(id.0 as usize) {
            *slot = align_up(frame, 16).min(u64::from(!15u32)) as u32;
        }
    }

    /// Places all unsized shared arrays at the same offset, after the sized arrays.
    fn place_dynamic(
        &mut self,
        dynamic: &[(Option<FunctionId>, warpgrid_program::VariableId, &Variable)],
        bytes: u64,
    ) {
        let align = dynamic
            .iter()
            .map(|(_, _, variable)| u64::from(variable.align_bytes))
            .max()
            .unwrap_or(1)
            .max(16);
        let start = if dynamic.is_empty() && bytes == 0 {
            self.shared_bytes
        } else {
            align_up(self.shared_bytes, align)
        };
        self.shared_bytes = start.saturating_add(bytes);
        for (function, id, variable) in dynamic {
            self.shared_variables.push(SharedVariable {
                function: *function,
                variable: *id,
                name: variable.name.clone(),
                byte_offset: start,
                size_bytes: bytes,
            });
            match (function, id) {
                (None, warpgrid_program::VariableId::Module(index)) => {
                    if let Some(place) = self.module.get_mut(*index as usize) {
                        *place = start;
                    }
                }
                (Some(function), warpgrid_program::VariableId::Function(index)) => {
                    if let Some(place) = self
                        .functions
                        .get_mut(function.0 as usize)
                        .and_then(|places| places.get_mut(*index as usize))
                    {
                        *place = VariableLocation::Fixed(start);
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks whether a program is decoded to the same code with both layouts.
    pub(crate) fn decodes_as(&self, other: &MemoryLayout) -> bool {
        let MemoryLayout {
            map,
            module,
            functions,
            frame_bytes,
            reachable,
            // The following fields do not affect decoding, because instructions read their values from memory or from a
            // constant bank.
            shared_bytes: _,
            reserved_shared_bytes: _,
            pair_barrier: _,
            shared_variables: _,
            parameters,
            parameter_start,
            misaligned,
            extents,
            banks,
        } = self;
        *map == other.map
            && *module == other.module
            && *functions == other.functions
            && *frame_bytes == other.frame_bytes
            && *reachable == other.reachable
            && *parameters == other.parameters
            && *parameter_start == other.parameter_start
            && *misaligned == other.misaligned
            // In SASS, the dimensions are part of constant bank 0.
            && (banks.is_empty() || *extents == other.extents)
            && *banks == other.banks
    }

    /// Returns the size of the kernel parameters in bytes.
    pub(crate) fn parameter_bytes(&self) -> u64 {
        self.parameters
            .iter()
            .map(|(offset, size)| offset + size)
            .max()
            .unwrap_or(self.parameter_start)
    }

    /// Converts an address of a state space to a generic address.
    pub(crate) fn generic(&self, space: StateSpace, address: u64) -> u64 {
        address.wrapping_add(self.window(space))
    }

    /// Returns the upper 32 bits of the generic addresses of a state space whose own addresses have 32 bits.
    pub(crate) const fn upper_bits(&self, space: StateSpace) -> u64 {
        let start = match space {
            StateSpace::ParamEntry => self.map.parameters,
            StateSpace::Const => self.map.constant,
            _ => 0,
        };
        start >> 32 << 32
    }

    /// Returns the difference between a generic address and the corresponding address in the state space.
    pub(crate) const fn window(&self, space: StateSpace) -> u64 {
        match space {
            StateSpace::Shared | StateSpace::SharedCluster => self.map.shared,
            StateSpace::Local | StateSpace::ParamFunc => self.map.local,
            _ => 0,
        }
    }

    /// Returns the address that function pointers to a function contain.
    pub(crate) const fn function_address(&self, id: FunctionId) -> u64 {
        self.map.code + 16 * (id.0 as u64 + 1)
    }

    /// Places and initializes the buffers and the module variables in memory.
    pub(crate) fn build_memory(
        &mut self,
        program: &Program,
        launch: &Launch,
        limits: &ResourceLimits,
        tracking: WriterTracking,
    ) -> Result<GlobalMemory, LaunchError> {
        let mut plan = AllocationBuilder {
            allocations: Vec::new(),
            arena_bytes: 0,
            limit: limits.max_memory_bytes,
        };
        plan.add(
            self.map.parameters,
            self.parameter_bytes(),
            AllocationOwner::Parameters,
        )?;
        let mut address = self.map.constant;
        for (index, variable) in program.variables.iter().enumerate() {
            if variable.space == StateSpace::Const {
                let owner = AllocationOwner::ConstVariable(index as u32, variable.name.clone());
                address = align_up(address, u64::from(variable.align_bytes.max(256)));
                plan.add(address, variable.size_bytes, owner)?;
                self.module[index] = address;
                address = address
                    .saturating_add(variable.size_bytes)
                    .saturating_add(256);
            }
        }
        address = self.map.global;
        for (index, buffer) in launch.buffers.iter().enumerate() {
            let owner = AllocationOwner::Buffer(BufferIndex(index as u32), buffer.name.clone());
            address = align_up(address, u64::from(buffer.align_bytes.clamp(256, 1 << 20)));
            plan.add(address, buffer.contents.size_bytes(), owner)?;
            let end = address.saturating_add(buffer.contents.size_bytes());
            address = align_up(end.saturating_add(GUARD_BYTES), GUARD_BYTES);
        }
        for (index, variable) in program.variables.iter().enumerate() {
            if matches!(variable.space, StateSpace::Global) {
                let owner = AllocationOwner::GlobalVariable(index as u32, variable.name.clone());
                address = align_up(address, u64::from(variable.align_bytes.max(256)));
                plan.add(address, variable.size_bytes, owner)?;
                self.module[index] = address;
                address = address
                    .saturating_add(variable.size_bytes)
                    .saturating_add(4096);
            }
        }
        if program.address_bits == 32 && address > u64::from(u32::MAX) {
            return Err(LaunchError::MemoryTooLarge {
                bytes: address,
                limit: u64::from(u32::MAX),
            });
        }
        let mut arena = PagedMemory::new(plan.arena_bytes as usize, tracking);
        self.fill(program, launch, &plan.allocations, arena.raw().0)?;
        self.keep_banks(program, launch, &plan.allocations, arena.bytes());
        plan.allocations.sort_by_cached_key(|a| a.address);
        Ok(GlobalMemory::new(arena, plan.allocations))
    }

    fn fill(
        &self,
        program: &Program,
        launch: &Launch,
        allocations: &[Allocation],
        arena: &mut [u8],
    ) -> Result<(), LaunchError> {
        for allocation in allocations {
            let range = allocation.start..allocation.start + allocation.size as usize;
            let Some(bytes) = arena.get_mut(range) else {
                continue;
            };
            match &allocation.owner {
                AllocationOwner::Buffer(index, _) => {
                    if let Some(buffer) = launch.buffers.get(index.0 as usize) {
                        let pointers = |bytes: &mut [u8]| {
                            let patches = &buffer.pointers;
                            put_addresses(program, allocations, patches, bytes)
                        };
                        let index = index.0 as usize;
                        fill_buffer(bytes, &buffer.contents, pointers)
                            .ok_or(LaunchError::BadPointer { index })?;
                    }
                }
                AllocationOwner::GlobalVariable(index, _)
                | AllocationOwner::ConstVariable(index, _) => {
                    if let Some(variable) = program.variables.get(*index as usize) {
                        self.fill_variable(program, variable, bytes);
                        put_handle(launch, variable, bytes);
                    }
                }
                AllocationOwner::Parameters => {
                    self.fill_facts(program, launch, bytes);
                    self.fill_parameters(program, launch, allocations, bytes)?;
                }
            }
        }
        Ok(())
    }

    fn fill_variable(&self, program: &Program, variable: &Variable, bytes: &mut [u8]) {
        let n = variable.init.len().min(bytes.len());
        bytes[..n].copy_from_slice(&variable.init[..n]);
        for relocation in &variable.relocations {
            let address = match relocation.target {
                RelocationTarget::Function(id) => self.function_address(id),
                RelocationTarget::Variable(index) => {
                    let own = self.module.get(index as usize).copied().unwrap_or(0);
                    match program.variables.get(index as usize) {
                        Some(target) if relocation.generic => self.generic(target.space, own),
                        _ => own,
                    }
                }
            };
            let value = address.wrapping_add_signed(relocation.addend).to_le_bytes();
            let width = (relocation.width_bytes as usize).min(8);
            let start = relocation.byte_offset as usize;
            if let Some(place) = bytes.get_mut(start..start.saturating_add(width)) {
                place.copy_from_slice(&value[..width]);
            }
        }
    }

    fn fill_parameters(
        &self,
        program: &Program,
        launch: &Launch,
        allocations: &[Allocation],
        bytes: &mut [u8],
    ) -> Result<(), LaunchError> {
        for (index, (argument, (offset, _))) in
            launch.arguments.iter().zip(&self.parameters).enumerate()
        {
            let mut value = argument.bytes.clone();
            put_addresses(program, allocations, &argument.pointers, &mut value)
                .ok_or(LaunchError::BadPointer { index })?;
            let start = *offset as usize;
            if let Some(place) = bytes.get_mut(start..start.saturating_add(value.len())) {
                place.copy_from_slice(&value);
            }
        }
        Ok(())
    }
}

/// Writes the handle of a texture or surface to the variable that is bound to it.
fn put_handle(launch: &Launch, variable: &Variable, bytes: &mut [u8]) {
    let mut images = launch.images.iter();
    let index = images.position(|image| image.variable.as_deref() == Some(&variable.name));
    if let (Some(index), Some(place)) = (index, bytes.first_chunk_mut()) {
        *place = ImageInit::handle(index).to_le_bytes();
    }
}

struct AllocationBuilder {
    allocations: Vec<Allocation>,
    arena_bytes: u64,
    limit: u64,
}

impl AllocationBuilder {
    fn add(&mut self, address: u64, size: u64, owner: AllocationOwner) -> Result<(), LaunchError> {
        if size > self.limit {
            let name = match &owner {
                AllocationOwner::Buffer(_, name)
                | AllocationOwner::GlobalVariable(_, name)
                | AllocationOwner::ConstVariable(_, name) => name.clone(),
                AllocationOwner::Parameters => "parameters".to_owned(),
            };
            return Err(LaunchError::BufferTooLarge {
                name,
                bytes: size,
                limit: self.limit,
            });
        }
        // Align each allocation to 128 bytes, so that no word spans two pages.
        let start = align_up(self.arena_bytes, 128);
        self.arena_bytes = start + size;
        if self.arena_bytes > self.limit {
            return Err(LaunchError::MemoryTooLarge {
                bytes: self.arena_bytes,
                limit: self.limit,
            });
        }
        self.allocations.push(Allocation {
            address,
            size,
            start: start as usize,
            owner,
        });
        Ok(())
    }
}

/// Writes the addresses of buffers at the positions of their relocations. Returns `None` if a buffer does not exist or
/// a position is out of bounds.
fn put_addresses(
    program: &Program,
    allocations: &[Allocation],
    patches: &[PointerRelocation],
    bytes: &mut [u8],
) -> Option<()> {
    let address_bytes = (program.address_bits / 8) as usize;
    for patch in patches {
        let address = allocations.iter().find_map(|a| match &a.owner {
            AllocationOwner::Buffer(buffer, _) if *buffer == patch.buffer => Some(a.address),
            _ => None,
        })?;
        let start = patch.byte_offset as usize;
        let place = bytes.get_mut(start..start.saturating_add(address_bytes))?;
        let address = address.wrapping_add_signed(patch.addend).to_le_bytes();
        place.copy_from_slice(&address[..address_bytes]);
    }
    Some(())
}

/// Fills the bytes of a buffer, which are initially zero. `point` writes the addresses of buffers.
fn fill_buffer(
    bytes: &mut [u8],
    contents: &BufferContents,
    point: impl Fn(&mut [u8]) -> Option<()>,
) -> Option<()> {
    let mut copy = |init: &[u8]| {
        let n = init.len().min(bytes.len());
        bytes[..n].copy_from_slice(&init[..n]);
    };
    match contents {
        BufferContents::Bytes(init) => {
            copy(init);
            point(bytes)
        }
        BufferContents::Shared(init) => {
            copy(init);
            point(bytes)
        }
        BufferContents::Zeroed(_) => point(bytes),
        BufferContents::Fill { pattern, .. } => {
            let mut pattern = pattern.clone();
            point(&mut pattern)?;
            // Skip a pattern of zeros, so that the operating system allocates the pages only at the first write.
            if pattern.iter().any(|byte| *byte != 0) {
                repeat(bytes, &pattern);
            }
            Some(())
        }
    }
}

/// Fills bytes with a nonempty pattern. Each iteration doubles the number of filled bytes.
fn repeat(bytes: &mut [u8], pattern: &[u8]) {
    let mut done = pattern.len().min(bytes.len());
    bytes[..done].copy_from_slice(&pattern[..done]);
    while done < bytes.len() {
        let n = done.min(bytes.len() - done);
        bytes.copy_within(..n, done);
        done += n;
    }
}
