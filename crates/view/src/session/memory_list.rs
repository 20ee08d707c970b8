//! List of all memories that hosts can display as a grid, with their identifiers.

use crate::model::MemorySpace;
use crate::model::grid::MemoryView;
use crate::session::memory_id::MemoryKey;
use std::collections::BTreeSet;
use warpgrid_emulator::{
    BufferIndex, Machine, MemoryId as Place, MemoryRegion, TENSOR_COLUMNS, TENSOR_LANES,
};
use warpgrid_isa::{MmaKind, ScalarType, StateSpace};
use warpgrid_launch::instruction_summary::{AccessKind, readers};
use warpgrid_launch::scenario::Buffer;
use warpgrid_launch::value::ElementType;

/// Properties of a memory of a launch: identifier, address range and default element type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryDescriptor {
    pub(crate) region: MemoryRegion,
    pub(crate) view: MemoryView,
    pub(crate) element: ElementType,
    /// Address of the memory's first byte in its state space.
    pub(crate) start: u64,
}

impl MemoryDescriptor {
    /// Returns the offset of an address within this memory.
    pub(crate) fn offset(&self, address: u64) -> Option<u64> {
        address
            .checked_sub(self.start)
            .filter(|offset| *offset < self.view.size_bytes)
    }
}

/// Returns the memory that contains an address, and the offset of the address within this memory.
pub(crate) fn locate(
    memories: &[MemoryDescriptor],
    place: Place,
    address: u64,
) -> Option<(&MemoryDescriptor, u64)> {
    memories.iter().find_map(|memory| {
        let here = match (place, memory.region) {
            (Place::Shared { block }, MemoryRegion::Shared { block: of }) => block == of,
            (
                Place::Global | Place::Constant,
                MemoryRegion::Buffer(_) | MemoryRegion::Variable(_),
            ) => true,
            _ => false,
        };
        Some((memory, memory.offset(address).filter(|_| here)?))
    })
}

/// Returns the memories of a machine, which are the buffers, the module variables, and the shared memory and tensor memory of resident
/// blocks. `named` contains the indices of the module variables that an instruction names.
pub(crate) fn memories(
    machine: &Machine,
    buffers: &[Buffer],
    named: &BTreeSet<u32>,
) -> Vec<MemoryDescriptor> {
    let mut all = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        let described = MemoryDraft {
            id: MemoryKey::Buffer(buffer.name.clone()),
            title: buffer.name.clone(),
            space: MemorySpace::Global,
            element: ElementType::from_name(&buffer.ty).unwrap_or(ElementType::B8),
            shape: buffer.shape.clone(),
            is_named: true,
        };
        let region = MemoryRegion::Buffer(BufferIndex(index as u32));
        all.extend(memory(machine, region, described));
    }
    for (index, variable) in machine.program().variables.iter().enumerate() {
        if matches!(variable.space, StateSpace::Global | StateSpace::Const) {
            let described = MemoryDraft {
                id: MemoryKey::Variable(variable.name.clone()),
                title: variable.name.clone(),
                space: variable.space.into(),
                element: element_of(variable.ty),
                shape: Vec::new(),
                is_named: named.contains(&(index as u32)),
            };
            all.extend(memory(
                machine,
                MemoryRegion::Variable(index as u32),
                described,
            ));
        }
    }
    all.extend(block_memories(machine));
    all
}

/// Returns the shared memory and the tensor memory of each resident block.
fn block_memories(machine: &Machine) -> impl Iterator<Item = MemoryDescriptor> {
    let (shared, tensor) = (shared_element(machine), tensor_element(machine));
    machine.blocks().into_iter().flat_map(move |block| {
        let [x, y, z] = block.position;
        let block = block.index;
        let shared = MemoryDraft {
            id: MemoryKey::Shared(block),
            title: format!("shared memory of block ({x}, {y}, {z})"),
            space: MemorySpace::Shared,
            element: shared,
            shape: Vec::new(),
            is_named: true,
        };
        let tensor = MemoryDraft {
            id: MemoryKey::Tensor(block),
            title: format!("tensor memory of block ({x}, {y}, {z})"),
            space: MemorySpace::Tensor,
            element: tensor,
            shape: vec![u64::from(TENSOR_LANES), u64::from(TENSOR_COLUMNS)],
            is_named: true,
        };
        let shared = memory(machine, MemoryRegion::Shared { block }, shared);
        let tensor = memory(machine, MemoryRegion::Tensor { block }, tensor);
        shared.into_iter().chain(tensor)
    })
}

/// Properties of a memory before its size and address are known, from which a [`MemoryDescriptor`] is created.
struct MemoryDraft {
    id: MemoryKey,
    title: String,
    space: MemorySpace,
    element: ElementType,
    shape: Vec<u64>,
    is_named: bool,
}

fn memory(
    machine: &Machine,
    region: MemoryRegion,
    described: MemoryDraft,
) -> Option<MemoryDescriptor> {
    let size_bytes = machine
        .memory(region)
        .map(<[u8]>::len)
        .filter(|size| *size > 0)? as u64;
    let start = machine.address(region).unwrap_or(0);
    let view = MemoryView {
        id: described.id,
        title: described.title,
        space: described.space,
        address: format!("{start:#x}"),
        size_bytes,
        ty: described.element,
        shape: described.shape,
        is_named: described.is_named,
    };
    Some(MemoryDescriptor {
        region,
        view,
        element: described.element,
        start,
    })
}

/// Returns the type in which hosts display elements of shared memory by default. The type is the common type of the variables in shared
/// memory or of the stores to shared memory. If these types differ, the elements are 32-bit words.
fn shared_element(machine: &Machine) -> ElementType {
    let program = machine.program();
    let mut types = machine.shared_variables().iter().filter_map(|shared| {
        let variables = match (shared.variable, shared.function) {
            (warpgrid_program::VariableId::Module(index), _) => {
                program.variables.get(index as usize)
            }
            (warpgrid_program::VariableId::Function(index), Some(function)) => program
                .functions
                .get(function.0 as usize)
                .and_then(|function| function.variables.get(index as usize)),
            _ => None,
        };
        variables.map(|variable| variable.ty)
    });
    let declared = types.next().filter(|first| types.all(|ty| ty == *first));
    // Prefer the types of the stores to declared byte and bit types, because compilers declare shared arrays as bytes regardless of their
    // contents, and bit types do not describe the values.
    let declared = declared.filter(|ty| ty.width_bits() > 8);
    let stored = stored_to_shared(machine);
    let is_refined = |ty: ScalarType| {
        let same = stored.filter(|stored| stored.width_bits() == ty.width_bits());
        element_of(ty).is_bits() && same.is_some()
    };
    match declared.filter(|ty| !is_refined(*ty)) {
        Some(ty) => element_of(ty),
        None => stored.map_or(ElementType::B32, element_of),
    }
}

/// Returns the type in which hosts display elements of tensor memory by default. The type is the accumulator type, if the MMA kinds of the
/// program determine it.
fn tensor_element(machine: &Machine) -> ElementType {
    // On a target with tensor memory, only `tcgen05.mma` instructions have a kind.
    let actions = machine.program().opcodes.iter();
    let mut kinds = actions.filter_map(|action| action.modifiers.kind);
    match kinds.next() {
        None => ElementType::B32,
        Some(MmaKind::I8) => ElementType::S32,
        Some(_) => ElementType::F32,
    }
}

/// Returns the element type of the stores to shared memory, or `None` if the stores have different types.
fn stored_to_shared(machine: &Machine) -> Option<ScalarType> {
    let program = machine.program();
    let functions = program.functions.iter();
    let accesses = functions
        .flat_map(|function| readers(program, function))
        .filter_map(|reader| reader.access());
    let mut types = accesses
        .filter(|access| access.kind == AccessKind::Store && access.space == StateSpace::Shared)
        .map(|access| access.ty);
    let first = types.next()?;
    types.all(|ty| ty == first).then_some(first)
}

/// Returns the element type with which hosts display values of the PTX type `ty`.
pub(crate) fn element_of(ty: ScalarType) -> ElementType {
    ElementType::from_name(ty.name()).unwrap_or(match ty.width_bits() {
        16 => ElementType::B16,
        32 => ElementType::B32,
        64 => ElementType::B64,
        128 => ElementType::B128,
        _ => ElementType::B8,
    })
}
