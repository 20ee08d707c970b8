//! Everything that can be shown as a grid, with the ids that hosts use for it.

use crate::model::MemoryView;
use crate::scenario::Buffer;
use crate::value::ElementType;
use warpgrid_emulator::{BufferIndex, Machine, MemoryRegion};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::Operation;

/// A memory with its id and natural element type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Memory {
    pub(crate) region: MemoryRegion,
    pub(crate) view: MemoryView,
    pub(crate) element: ElementType,
    /// Address of the first byte in its own space.
    pub(crate) start: u64,
}

impl Memory {
    /// Where an address lies in this memory.
    pub(crate) fn offset(&self, address: u64) -> Option<u64> {
        address
            .checked_sub(self.start)
            .filter(|offset| *offset < self.view.size_bytes)
    }
}

/// The memories of a machine: buffers, module variables, shared memory of resident blocks.
pub(crate) fn memories(machine: &Machine, buffers: &[Buffer]) -> Vec<Memory> {
    let mut all = Vec::new();
    for (index, buffer) in buffers.iter().enumerate() {
        let element = ElementType::from_name(&buffer.ty).unwrap_or(ElementType::B8);
        let region = MemoryRegion::Buffer(BufferIndex(index as u32));
        all.extend(memory(
            machine,
            region,
            &buffer.name,
            &buffer.name,
            "global",
            element,
            buffer.shape.clone(),
        ));
    }
    for (index, variable) in machine.program().variables.iter().enumerate() {
        if matches!(variable.space, StateSpace::Global | StateSpace::Const) {
            let region = MemoryRegion::Variable(index as u32);
            let id = format!("var:{}", variable.name);
            all.extend(memory(
                machine,
                region,
                &id,
                &variable.name,
                variable.space.name(),
                element_of(variable.ty),
                Vec::new(),
            ));
        }
    }
    let shared = shared_element(machine);
    for block in machine.blocks() {
        let [x, y, z] = block.position;
        let title = format!("shared memory of block ({x}, {y}, {z})");
        let region = MemoryRegion::Shared { block: block.index };
        all.extend(memory(
            machine,
            region,
            &format!("shared:{}", block.index),
            &title,
            "shared",
            shared,
            Vec::new(),
        ));
    }
    all
}

fn memory(
    machine: &Machine,
    region: MemoryRegion,
    id: &str,
    title: &str,
    space: &str,
    element: ElementType,
    shape: Vec<u64>,
) -> Option<Memory> {
    let size_bytes = machine
        .memory(region)
        .map(<[u8]>::len)
        .filter(|size| *size > 0)? as u64;
    let start = machine.address(region).unwrap_or(0);
    let view = MemoryView {
        id: id.to_owned(),
        title: title.to_owned(),
        space: space.to_owned(),
        address: format!("{start:#x}"),
        size_bytes,
        ty: element.name().to_owned(),
        shape,
    };
    Some(Memory {
        region,
        view,
        element,
        start,
    })
}

/// The element type of shared memory: that of its variables or of the stores to it, when they agree, 32-bit
/// words otherwise.
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
    // Compilers declare shared arrays as bytes whatever they hold: what the program stores there tells more.
    match declared.filter(|ty| ty.width_bits() > 8) {
        Some(ty) => element_of(ty),
        None => stored_to_shared(machine).map_or(ElementType::B32, element_of),
    }
}

/// The type of the stores to shared memory, when they agree.
fn stored_to_shared(machine: &Machine) -> Option<ScalarType> {
    let functions = &machine.program().functions;
    let instructions = functions.iter().flat_map(|function| &function.instructions);
    let mut types = instructions.filter_map(|instruction| match &instruction.operation {
        Operation::Store { access, .. } if access.space == StateSpace::Shared => Some(access.ty),
        _ => None,
    });
    let first = types.next()?;
    types.all(|ty| ty == first).then_some(first)
}

/// How elements of a PTX type are shown.
pub(crate) fn element_of(ty: ScalarType) -> ElementType {
    ElementType::from_name(ty.name()).unwrap_or(match ty.width_bits() {
        16 => ElementType::B16,
        32 => ElementType::B32,
        64 => ElementType::B64,
        128 => ElementType::B128,
        _ => ElementType::B8,
    })
}
