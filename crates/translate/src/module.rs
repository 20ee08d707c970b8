//! A kernel as one module. In: decoded code and the shape of its launch; out: the bytes of the module, and what the host must know of it.

use crate::Refusal;
use crate::affine::private_accesses;
use crate::emit::{Emitter, Register, Source, parts};
use crate::engine::Products;
use crate::flow::Flow;
use crate::helpers::{self, FunctionType, PHASE, TYPES};
use crate::place::{Places, Site};
use std::collections::BTreeSet;
use warpgrid_emulator::plain::Plain;
use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Function, FunctionSection, MemorySection, MemoryType,
    Module, TypeSection,
};

/// Bytes of a page of memory.
const PAGE: u64 = 1 << 16;

/// What the host knows of a module.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) wasm: Vec<u8>,
    pub(crate) places: Places,
    pub(crate) flow: Flow,
    /// By entry: the registers that a record holds there, each with its offset among them.
    pub(crate) live: Vec<Vec<(Register, u32)>>,
    pub(crate) sites: Vec<Site>,
    /// By block: the stores that are not guarded.
    pub(crate) stores: Vec<u32>,
}

/// Translates the kernel of a machine at its start.
pub(crate) fn translate(plain: Plain<'_>, products: Products) -> Result<Kernel, Refusal> {
    let source = Source { plain, products };
    let flow = Flow::new(plain)?;
    // Once to learn what is read and written where, and once with what is live.
    let draft = Places::new(plain, 0, 0)?;
    let nothing = vec![BTreeSet::new(); flow.blocks.len()];
    let mut first = Emitter::new(source, &draft, &flow, &nothing);
    first.strip()?;
    let live = flow.live(&first.touched);
    let sharing = private_accesses(plain, &flow, &first.definitions);
    let places = Places::new(plain, first.sites.len() as u32, first.register_bytes)?;
    let mut emitter = Emitter::new(source, &places, &flow, &live);
    emitter.sharing = sharing;
    emitter.written = flow.written(plain, &first.touched);
    for register in first.registers.keys() {
        emitter.home(*register);
    }
    emitter.strip()?;
    let mut strip = Function::new_with_locals_types(emitter.locals.iter().copied());
    for instruction in &emitter.out {
        strip.instruction(instruction);
    }
    let of_entry = |block: &usize| {
        let registers = live.get(*block).into_iter().flatten();
        registers
            .filter_map(|register| Some((*register, emitter.offset_of(*register)?)))
            .collect()
    };
    let live = flow.entries.iter().map(of_entry).collect();
    Ok(Kernel {
        wasm: module(&places, &strip),
        live,
        sites: std::mem::take(&mut emitter.sites),
        stores: std::mem::take(&mut emitter.stores),
        places: places.clone(),
        flow: flow.clone(),
    })
}

fn module(places: &Places, strip: &Function) -> Vec<u8> {
    let bodies = [
        &helpers::resolve(places),
        &helpers::ordered(),
        &helpers::note(places),
        &helpers::part(places),
        strip,
        &helpers::phase(places),
        &helpers::resolve_all(),
    ];
    assemble(&TYPES, &bodies, PHASE, places.bytes)
}

/// A module with functions of these types, a memory of at least as many bytes, and what an engine asks for: the memory, and the function `phase`.
pub(crate) fn assemble(
    types_of: &[FunctionType],
    bodies: &[&Function],
    phase: u32,
    bytes: u64,
) -> Vec<u8> {
    let mut types = TypeSection::new();
    let mut functions = FunctionSection::new();
    for (index, (parameters, result)) in (0..).zip(types_of) {
        types.ty().function(parameters.iter().copied(), [*result]);
        functions.function(index);
    }
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: bytes.div_ceil(PAGE),
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    exports.export("phase", ExportKind::Func, phase);
    let mut code = CodeSection::new();
    for body in bodies {
        code.function(body);
    }
    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&memories)
        .section(&exports)
        .section(&code);
    module.finish()
}

/// Bytes that a lane has of a register, and where they start among its bytes.
pub(crate) fn lane_bytes(register: Register, lane: u32) -> std::ops::Range<u32> {
    let bytes = 4 * parts(register);
    lane * bytes..(lane + 1) * bytes
}
