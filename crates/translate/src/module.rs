//! Translation of a kernel to a WebAssembly module. The module takes decoded code and the launch dimensions, and
//! returns the bytes of the module, and the metadata that the host requires.

use crate::affine::AffineAnalysis;
use crate::bailout::BailoutReason;
use crate::control_flow_graph::{ControlFlowGraph, HostCallSites, SuspendKind};
use crate::emit::Emitter;
use crate::emit::special_function::DataSegment;
use crate::emit::warp::operations_of_host;
use crate::engine::MaddRounding;
use crate::if_conversion::{find_if_conversions, mixed_registers, sites_of};
use crate::inlined_code::TranslationInput;
use crate::inlined_code::{InlinedCode, InlinedInstruction};
use crate::lane_stride::find_strides;
use crate::layout::{AccessSite, LayoutSizes, ModuleLayout};
use crate::nan_canonicalization::find_nan_insensitive;
use crate::registers::{BlockUseDef, DefSites, EmitMode, RegisterKey, parts};
use crate::runtime;
use crate::runtime::reconverge::SavedRegisters;
use crate::runtime::step_count::Reconvergence;
use crate::runtime::{FN_REGION, FN_RUN_INTERVAL, FunctionType, ROUTINES, TYPES};
use crate::uniform_registers::find_uniform_registers;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::{DecodedOp, OperandLocation, TranslationView};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ExportKind, ExportSection, Function, FunctionSection,
    Instruction as I, MemorySection, MemoryType, Module, TypeSection,
};

/// Page size of WebAssembly linear memory in bytes.
const PAGE: u64 = 1 << 16;

/// Translated kernel with its metadata.
#[derive(Clone, Debug)]
pub(crate) struct CompiledKernel {
    pub(crate) wasm: Vec<u8>,
    pub(crate) places: ModuleLayout,
    pub(crate) n_entries: u32,
    pub(crate) sites: Vec<AccessSite>,
    /// Whether the blocks of the launch cannot be partitioned, because atomics accumulate values across blocks.
    pub(crate) is_unpartitionable: bool,
    /// Host calls of the kernel, by the number of the synchronization point at which lanes wait for the call.
    pub(crate) host_calls: BTreeMap<u32, HostCall>,
    /// Lowest number of the synchronization points at which individual lanes wait for a host call. At points with lower
    /// numbers, whole warps wait.
    pub(crate) first_of_lanes: u32,
}

/// Host call: an instruction that the interpreter executes on the registers in context records.
#[derive(Clone, Debug)]
pub(crate) struct HostCall {
    /// Position of the instruction in the decoded code.
    pub(crate) at: u32,
    /// Registers that the instruction reads, in the numbering of the decoded code. Each register is listed with its
    /// offset among the registers of a context record.
    pub(crate) read: Vec<(RegisterKey, u32)>,
    pub(crate) written: Vec<(RegisterKey, u32)>,
}

/// Properties of the code that a draft of the translation determines.
struct DraftAnalysis {
    touched: Vec<BlockUseDef>,
    reads: Vec<BTreeSet<RegisterKey>>,
    definitions: DefSites,
    registers: Vec<RegisterKey>,
    sizes: LayoutSizes,
    refused: Vec<BailoutReason>,
}

impl DraftAnalysis {
    /// Passes the accessed registers, and the positions of their reads and writes, to an emitter.
    fn apply_to(&self, emitter: &mut Emitter<'_>) {
        for (register, places) in &self.definitions {
            for at in places {
                let written = emitter.writes_at.entry(*at).or_default();
                written.insert(*register);
            }
        }
        emitter.reads = self.reads.clone();
        for register in &self.registers {
            emitter.home(*register);
        }
    }
}

/// Maximum number of host calls of a kernel. The interpreter executes kernels with more host calls.
const MAX_HOST_CALLS: usize = 256;

fn analyze_draft(
    source: TranslationInput<'_>,
    flow: &ControlFlowGraph,
) -> Result<DraftAnalysis, BailoutReason> {
    let plain = source.plain;
    let places = ModuleLayout::new(plain, source.code, LayoutSizes::default())?;
    let nothing = vec![BTreeSet::new(); flow.blocks.len()];
    let mut draft = Emitter::new(source, &places, flow, &nothing, EmitMode::Draft);
    draft.emit_region()?;
    // Report the instructions without a translation in code order.
    draft.refused.sort_by_key(|refusal| match refusal {
        BailoutReason::Instruction { at, .. } => *at,
        _ => 0,
    });
    for (register, at) in &draft.unused_atomic_results {
        if draft.all_read.contains(register) {
            draft.refused.push(BailoutReason::Instruction {
                at: *at,
                what: "an atomic operation whose result is used".to_owned(),
            });
        }
    }
    let is_matrix =
        |placed: &&InlinedInstruction<'_>| matches!(placed.instr.op, DecodedOp::Matrix(_));
    let matrices = source.code.all().iter().filter(is_matrix).count() as u32;
    Ok(DraftAnalysis {
        sizes: LayoutSizes {
            sites: draft.sites.len() as u32 + matrices,
            registers: draft.register_bytes,
            has_copies: flow.has_copies,
        },
        registers: draft.registers.keys().copied().collect(),
        touched: draft.touched,
        reads: draft.reads,
        definitions: draft.definitions,
        refused: draft.refused,
    })
}

/// Returns the 32-bit registers with a single constant definition that dominates all of their uses.
fn constants(
    TranslationInput { plain, code, .. }: TranslationInput<'_>,
    flow: &ControlFlowGraph,
    dominators: &[BTreeSet<usize>],
    learnt: &DraftAnalysis,
) -> BTreeMap<RegisterKey, u32> {
    let number = |(register, places): (&RegisterKey, &BTreeSet<u32>)| {
        let at = *places.first()?;
        let instr = &code.get(at as usize)?.instr;
        let DecodedOp::Mov32 { a, .. } = instr.op else {
            return None;
        };
        let OperandLocation::Constant(index) = a.place() else {
            return None;
        };
        let own = flow
            .blocks
            .iter()
            .position(|b| (b.start..b.end).contains(&(at as usize)))?;
        let is_before = |block: usize| {
            let before = dominators.get(block);
            block != own && before.is_some_and(|blocks| blocks.contains(&own))
        };
        let mut readers = (0..).zip(&learnt.touched);
        let is_known =
            readers.all(|(block, touched)| !touched.read.contains(register) || is_before(block));
        let is_only = places.len() == 1 && instr.guard.place() == OperandLocation::None;
        (is_known && is_only).then(|| (*register, plain.constant32(index)))
    };
    learnt.definitions.iter().filter_map(number).collect()
}

/// Translates the kernel. Instructions without a translation become host calls if they access only registers.
fn translate_with_host_calls(
    TranslationInput { plain, code, .. }: TranslationInput<'_>,
    refused: &[BailoutReason],
    by_host: &mut HostCallSites,
) -> Result<(), BailoutReason> {
    for refusal in refused {
        let at = match refusal {
            BailoutReason::Instruction { at, .. } => *at,
            other => return Err(other.clone()),
        };
        let can = plain.register_use_def(code.origin(at)).is_some()
            && by_host.lanes.len() < MAX_HOST_CALLS;
        if !can || !by_host.lanes.insert(at) {
            return Err(refusal.clone());
        }
    }
    Ok(())
}

/// Translates the kernel of a machine that has not executed a step.
pub(crate) fn translate(
    plain: TranslationView<'_>,
    products: MaddRounding,
) -> Result<CompiledKernel, BailoutReason> {
    let code = InlinedCode::new(plain)?;
    let source = TranslationInput {
        plain,
        code: &code,
        products,
    };
    translate_code(source).map_err(|refusal| match refusal {
        BailoutReason::Instruction { at, what } => BailoutReason::Instruction {
            at: code.origin(at),
            what,
        },
        refusal => refusal,
    })
}

/// Translates the code once as a draft. Returns the control-flow graph, in which host calls replace instructions
/// without a translation, and the properties that the draft determines.
fn learn_flow(
    source: TranslationInput<'_>,
) -> Result<(ControlFlowGraph, DraftAnalysis), BailoutReason> {
    let TranslationInput { plain, code, .. } = source;
    let mut by_host = operations_of_host(plain, code);
    let mut flow = ControlFlowGraph::new(plain, code, &by_host);
    // The draft determines which registers each basic block reads and writes. The final translation uses the live
    // registers that are derived from these register sets.
    let mut learnt = analyze_draft(source, &flow)?;
    if !learnt.refused.is_empty() {
        translate_with_host_calls(source, &learnt.refused, &mut by_host)?;
        flow = ControlFlowGraph::new(plain, code, &by_host);
        learnt = analyze_draft(source, &flow)?;
        if let Some(refusal) = learnt.refused.first() {
            return Err(refusal.clone());
        }
    }
    Ok((flow, learnt))
}

/// Translates inlined code. Positions in returned errors refer to the inlined code.
fn translate_code(source: TranslationInput<'_>) -> Result<CompiledKernel, BailoutReason> {
    let TranslationInput { plain, code, .. } = source;
    let (flow, mut learnt) = learn_flow(source)?;
    let live = flow.live_in(&learnt.touched);
    check_functions(code, &flow, &live)?;
    let dominators = flow.dominators();
    let forms = AffineAnalysis::new(plain, code, &flow, &dominators, &learnt.definitions);
    let sharing = forms.thread_private_accesses();
    let at_start = live.first().cloned().unwrap_or_default();
    let mut detours = find_if_conversions(code, &flow);
    let mixed = mixed_registers(&detours, &learnt.touched, &live);
    let (strides, parting) = find_strides(
        source,
        &flow,
        &learnt.definitions,
        &at_start,
        &forms,
        &mixed,
    );
    detours.retain(|at, _| parting.contains(at));
    learnt.sizes.sites += sites_of(plain, code, &flow, &detours);
    let places = ModuleLayout::new(plain, code, learnt.sizes)?;
    let constants = constants(source, &flow, &dominators, &learnt);
    let begin = |writes: EmitMode| {
        let mut emitter = Emitter::new(source, &places, &flow, &live, writes);
        emitter.private_patterns = sharing.clone();
        emitter.strides = strides.clone();
        emitter.constants = constants.clone();
        learnt.apply_to(&mut emitter);
        emitter
    };
    let mut region_code = begin(EmitMode::Region);
    region_code.keep_scalars(&find_uniform_registers(
        source,
        &learnt.definitions,
        &strides,
    ));
    region_code.any_nan = find_nan_insensitive(source, &learnt.definitions);
    region_code.detours = detours;
    region_code.find_changed(&flow.natural_loops(&dominators), &learnt.touched);
    region_code.emit_region()?;
    let mut warp_code = begin(EmitMode::Warp);
    warp_code.sites = std::mem::take(&mut region_code.sites);
    warp_code.routines = std::mem::take(&mut region_code.routines);
    warp_code.emit_warp_operations()?;
    let held = |number: u32| region_code.waits.get(&number).cloned().unwrap_or_default();
    let waits: Vec<SavedRegisters> = (1..=flow.n_waits()).map(held).collect();
    let by_host = host_operations(source, &flow, &region_code);
    Ok(CompiledKernel {
        wasm: module(source, &flow, [&region_code, &warp_code], &waits),
        n_entries: flow.entries.len() as u32,
        sites: std::mem::take(&mut warp_code.sites),
        is_unpartitionable: region_code.has_global_atomics || warp_code.has_global_atomics,
        host_calls: by_host,
        first_of_lanes: flow.wait_numbers().first_of_host,
        places: places.clone(),
    })
}

/// Rejects called functions that may read an uninitialized register. In the interpreter, an uninitialized register
/// contains the value from an earlier call, whereas each inlined copy of the function has separate registers.
fn check_functions(
    code: &InlinedCode<'_>,
    flow: &ControlFlowGraph,
    live: &[BTreeSet<RegisterKey>],
) -> Result<(), BailoutReason> {
    for entry in code.entries() {
        let live = flow.block_at(entry.at).and_then(|block| live.get(block));
        if live.is_some_and(|live| live.iter().any(|register| entry.owns(*register))) {
            return Err(BailoutReason::Instruction {
                at: entry.call,
                what: "a call of a function that may read an uninitialized register".to_owned(),
            });
        }
    }
    Ok(())
}

/// Returns the host calls, by the number of their synchronization point.
fn host_operations(
    TranslationInput { plain, code, .. }: TranslationInput<'_>,
    flow: &ControlFlowGraph,
    region_code: &Emitter<'_>,
) -> BTreeMap<u32, HostCall> {
    let mut found = BTreeMap::new();
    for (index, block) in flow.blocks.iter().enumerate() {
        let at = block.end as u32 - 1;
        if !matches!(block.suspends_for, SuspendKind::Host | SuspendKind::Warp) {
            continue;
        }
        let Some(registers) = plain.register_use_def(code.origin(at)) else {
            continue;
        };
        let frame = code.frame_at(at as usize);
        let places = |registers: Vec<RegisterKey>| {
            let place = |register: RegisterKey| {
                let own = code.register(frame, register);
                Some((register, region_code.offset_of(own)?))
            };
            registers.into_iter().filter_map(place).collect()
        };
        let operation = HostCall {
            at: code.origin(at),
            read: places(registers.read),
            written: places(registers.written),
        };
        found.insert(flow.wait_number(index), operation);
    }
    found
}

fn written(emitter: &Emitter<'_>, code: &[I<'static>]) -> Function {
    let mut function = Function::new_with_locals_types(emitter.locals.iter().copied());
    for instruction in code {
        function.instruction(instruction);
    }
    function
}

fn module(
    TranslationInput {
        plain, products, ..
    }: TranslationInput<'_>,
    flow: &ControlFlowGraph,
    [region_code, warp_code]: [&Emitter<'_>; 2],
    waits: &[SavedRegisters],
) -> Vec<u8> {
    let places = region_code.places;
    let first_part = ROUTINES + warp_code.routines.len() as u32;
    let (whole, parts) = match region_code.regions.as_slice() {
        [whole] => (written(region_code, whole), Vec::new()),
        parts => {
            let whole = runtime::region_dispatch(&region_code.groups_of_entries(), first_part);
            let parts = parts
                .iter()
                .map(|part| written(region_code, part))
                .collect();
            (whole, parts)
        }
    };
    let reconvergence = match region_code.first_without_wait {
        Some(_) => Reconvergence::Dependent { seed: plain.seed() },
        None => Reconvergence::Independent,
    };
    let mut types = TYPES.to_vec();
    let mut bodies = vec![
        runtime::translate_address(places),
        runtime::ordered(),
        runtime::note(places, flow),
        runtime::part(places),
        whole,
        runtime::phase(places, flow.wait_numbers()),
        runtime::resolve_all(places),
        runtime::count(places, reconvergence),
        runtime::join(waits),
        written(warp_code, &warp_code.out),
        runtime::copy(places),
        runtime::groups(places),
        runtime::check_same_value_stores(places),
    ];
    for routine in &warp_code.routines {
        types.push(routine.function_type());
        bodies.push(routine.function(places, products));
    }
    for part in parts {
        types.push(TYPES[FN_REGION as usize]);
        bodies.push(part);
    }
    let bodies: Vec<&Function> = bodies.iter().collect();
    let mut data: Vec<DataSegment> = warp_code
        .routines
        .iter()
        .filter_map(|r| r.data(places))
        .collect();
    // Several functions may use the same data segment.
    data.sort_by_key(|data| data.place);
    data.dedup_by_key(|data| data.place);
    assemble(&types, &bodies, FN_RUN_INTERVAL, places.bytes, &data)
}

/// Assembles a module from functions of the given types. The memory of the module has at least the given size, and data
/// segments initialize parts of it. The module exports its memory and the function `phase`, which every engine
/// requires.
pub(crate) fn assemble(
    types_of: &[FunctionType],
    bodies: &[&Function],
    phase: u32,
    bytes: u64,
    all_data: &[DataSegment],
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
    let mut data = DataSection::new();
    for one in all_data {
        let place = ConstExpr::i32_const(one.place as i32);
        data.active(0, &place, one.bytes.iter().copied());
    }
    let mut module = Module::new();
    module
        .section(&types)
        .section(&functions)
        .section(&memories)
        .section(&exports)
        .section(&code)
        .section(&data);
    module.finish()
}

/// Returns the byte range of one lane within a register of a subwarp.
pub(crate) fn lane_bytes(register: RegisterKey, lane: u32) -> std::ops::Range<u32> {
    let bytes = 4 * parts(register);
    lane * bytes..(lane + 1) * bytes
}
