//! Translation of a kernel to a module. Input: decoded code and the launch dimensions. Output: the bytes of the module,
//! and the metadata that the host needs.

use crate::affine::Forms;
use crate::code::Source;
use crate::code::{Code, Placed};
use crate::detour::{find_detours, mixed_registers, sites_of};
use crate::emit::Emitter;
use crate::emit::approximate::Data;
use crate::emit::warp::operations_of_host;
use crate::engine::Products;
use crate::flow::{ByHost, Flow, Meeting};
use crate::helpers;
use crate::helpers::count::Reconvergence;
use crate::helpers::join::Held;
use crate::helpers::{FunctionType, PHASE, ROUTINES, STRIP, TYPES};
use crate::nan::find_any_nan;
use crate::place::{Places, Site, Sizes};
use crate::refusal::Refusal;
use crate::registers::{Definitions, Register, Touched, Writes, parts};
use crate::scalar::find_scalars;
use crate::stride::find_strides;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::plain::{Op, Plain, SlotPlace};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ExportKind, ExportSection, Function, FunctionSection,
    Instruction as I, MemorySection, MemoryType, Module, TypeSection,
};

/// Page size of linear memory in bytes.
const PAGE: u64 = 1 << 16;

/// Translated kernel with its metadata.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) wasm: Vec<u8>,
    pub(crate) places: Places,
    pub(crate) n_entries: u32,
    pub(crate) sites: Vec<Site>,
    /// Whether the blocks cannot be partitioned, because atomics accumulate values across blocks.
    pub(crate) is_whole: bool,
    /// Host calls by number of the synchronization point.
    pub(crate) by_host: BTreeMap<u32, HostOperation>,
    /// First of these numbers that is a host call for lanes instead of whole warps.
    pub(crate) first_of_lanes: u32,
}

/// Host call: an instruction that the interpreter executes on the registers of records.
#[derive(Clone, Debug)]
pub(crate) struct HostOperation {
    /// Position in the decoded code.
    pub(crate) at: u32,
    /// Registers of the decoded code, each with its offset among the registers of a record.
    pub(crate) read: Vec<(Register, u32)>,
    pub(crate) written: Vec<(Register, u32)>,
}

/// Facts about the code that the draft determines.
struct Learnt {
    touched: Vec<Touched>,
    reads: Vec<BTreeSet<Register>>,
    definitions: Definitions,
    registers: Vec<Register>,
    sizes: Sizes,
    refused: Vec<Refusal>,
}

impl Learnt {
    /// Passes the registers, and the positions at which they are read and written, to an emitter.
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

/// Maximum number of host calls of a kernel. The interpreter executes kernels with more.
const MOST_BY_HOST: usize = 256;

fn learn(source: Source<'_>, flow: &Flow) -> Result<Learnt, Refusal> {
    let plain = source.plain;
    let places = Places::new(plain, source.code, Sizes::default())?;
    let nothing = vec![BTreeSet::new(); flow.blocks.len()];
    let mut draft = Emitter::new(source, &places, flow, &nothing, Writes::Draft);
    draft.strip()?;
    // Report errors in code order.
    draft.refused.sort_by_key(|refusal| match refusal {
        Refusal::Instruction { at, .. } => *at,
        _ => 0,
    });
    for (register, at) in &draft.unread {
        if draft.all_read.contains(register) {
            draft.refused.push(Refusal::Instruction {
                at: *at,
                what: "an atomic operation whose result is used".to_owned(),
            });
        }
    }
    let is_matrix = |placed: &&Placed<'_>| matches!(placed.instr.op, Op::Matrix(_));
    let matrices = source.code.all().iter().filter(is_matrix).count() as u32;
    Ok(Learnt {
        sizes: Sizes {
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

/// Returns the 32-bit registers with a single constant definition that dominates all uses.
fn constants(
    Source { plain, code, .. }: Source<'_>,
    flow: &Flow,
    dominators: &[BTreeSet<usize>],
    learnt: &Learnt,
) -> BTreeMap<Register, u32> {
    let number = |(register, places): (&Register, &BTreeSet<u32>)| {
        let at = *places.first()?;
        let instr = &code.get(at as usize)?.instr;
        let Op::Mov32 { a, .. } = instr.op else {
            return None;
        };
        let SlotPlace::Constant(index) = a.place() else {
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
        let is_only = places.len() == 1 && instr.guard.place() == SlotPlace::None;
        (is_known && is_only).then(|| (*register, plain.constant32(index)))
    };
    learnt.definitions.iter().filter_map(number).collect()
}

/// Turns untranslated instructions that only need registers into host calls.
fn leave_to_host(
    Source { plain, code, .. }: Source<'_>,
    refused: &[Refusal],
    by_host: &mut ByHost,
) -> Result<(), Refusal> {
    for refusal in refused {
        let at = match refusal {
            Refusal::Instruction { at, .. } => *at,
            other => return Err(other.clone()),
        };
        let can =
            plain.registers_of(code.origin(at)).is_some() && by_host.lanes.len() < MOST_BY_HOST;
        if !can || !by_host.lanes.insert(at) {
            return Err(refusal.clone());
        }
    }
    Ok(())
}

/// Translates the kernel of a machine that has not executed a step.
pub(crate) fn translate(plain: Plain<'_>, products: Products) -> Result<Kernel, Refusal> {
    let code = Code::new(plain)?;
    let source = Source {
        plain,
        code: &code,
        products,
    };
    translate_code(source).map_err(|refusal| match refusal {
        Refusal::Instruction { at, what } => Refusal::Instruction {
            at: code.origin(at),
            what,
        },
        refusal => refusal,
    })
}

/// Returns the control-flow graph, in which untranslated instructions are host calls, and the facts from the draft.
fn learn_flow(source: Source<'_>) -> Result<(Flow, Learnt), Refusal> {
    let Source { plain, code, .. } = source;
    let mut by_host = operations_of_host(plain, code);
    let mut flow = Flow::new(plain, code, &by_host);
    // The first pass determines reads and writes; the final pass uses liveness.
    let mut learnt = learn(source, &flow)?;
    if !learnt.refused.is_empty() {
        leave_to_host(source, &learnt.refused, &mut by_host)?;
        flow = Flow::new(plain, code, &by_host);
        learnt = learn(source, &flow)?;
        if let Some(refusal) = learnt.refused.first() {
            return Err(refusal.clone());
        }
    }
    Ok((flow, learnt))
}

/// Translates inlined code. Errors contain positions in the inlined code.
fn translate_code(source: Source<'_>) -> Result<Kernel, Refusal> {
    let Source { plain, code, .. } = source;
    let (flow, mut learnt) = learn_flow(source)?;
    let live = flow.live(&learnt.touched);
    check_functions(code, &flow, &live)?;
    let dominators = flow.dominators();
    let forms = Forms::new(plain, code, &flow, &dominators, &learnt.definitions);
    let sharing = forms.private_accesses();
    let at_start = live.first().cloned().unwrap_or_default();
    let mut detours = find_detours(code, &flow);
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
    let places = Places::new(plain, code, learnt.sizes)?;
    let constants = constants(source, &flow, &dominators, &learnt);
    let begin = |writes: Writes| {
        let mut emitter = Emitter::new(source, &places, &flow, &live, writes);
        emitter.sharing = sharing.clone();
        emitter.strides = strides.clone();
        emitter.constants = constants.clone();
        learnt.apply_to(&mut emitter);
        emitter
    };
    let mut strip = begin(Writes::Strip);
    strip.keep_scalars(&find_scalars(source, &learnt.definitions, &strides));
    strip.any_nan = find_any_nan(source, &learnt.definitions);
    strip.detours = detours;
    strip.find_changed(&flow.loops(&dominators), &learnt.touched);
    strip.strip()?;
    let mut chains = begin(Writes::Warp);
    chains.sites = std::mem::take(&mut strip.sites);
    chains.routines = std::mem::take(&mut strip.routines);
    chains.chains()?;
    let held = |number: u32| strip.waits.get(&number).cloned().unwrap_or_default();
    let waits: Vec<Held> = (1..=flow.n_waits()).map(held).collect();
    let by_host = host_operations(source, &flow, &strip);
    Ok(Kernel {
        wasm: module(source, &flow, [&strip, &chains], &waits),
        n_entries: flow.entries.len() as u32,
        sites: std::mem::take(&mut chains.sites),
        is_whole: strip.has_global_atomics || chains.has_global_atomics,
        by_host,
        first_of_lanes: flow.wait_numbers().first_of_host,
        places: places.clone(),
    })
}

/// Rejects functions that may read an uninitialized register. In the interpreter, a register keeps the value of an
/// earlier call, whereas each inlined copy has separate registers.
fn check_functions(
    code: &Code<'_>,
    flow: &Flow,
    live: &[BTreeSet<Register>],
) -> Result<(), Refusal> {
    for entry in code.entries() {
        let live = flow.block_at(entry.at).and_then(|block| live.get(block));
        if live.is_some_and(|live| live.iter().any(|register| entry.owns(*register))) {
            return Err(Refusal::Instruction {
                at: entry.call,
                what: "a call of a function that may read an uninitialized register".to_owned(),
            });
        }
    }
    Ok(())
}

/// Returns the host calls by number of the synchronization point.
fn host_operations(
    Source { plain, code, .. }: Source<'_>,
    flow: &Flow,
    strip: &Emitter<'_>,
) -> BTreeMap<u32, HostOperation> {
    let mut found = BTreeMap::new();
    for (index, block) in flow.blocks.iter().enumerate() {
        let at = block.end as u32 - 1;
        if !matches!(block.meets, Meeting::Host | Meeting::Warp) {
            continue;
        }
        let Some(registers) = plain.registers_of(code.origin(at)) else {
            continue;
        };
        let frame = code.frame_at(at as usize);
        let places = |registers: Vec<Register>| {
            let place = |register: Register| {
                let own = code.register(frame, register);
                Some((register, strip.offset_of(own)?))
            };
            registers.into_iter().filter_map(place).collect()
        };
        let operation = HostOperation {
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
    Source {
        plain, products, ..
    }: Source<'_>,
    flow: &Flow,
    [strip, chains]: [&Emitter<'_>; 2],
    waits: &[Held],
) -> Vec<u8> {
    let places = strip.places;
    let first_part = ROUTINES + chains.routines.len() as u32;
    let (whole, parts) = match strip.strips.as_slice() {
        [whole] => (written(strip, whole), Vec::new()),
        parts => {
            let whole = helpers::strip(&strip.groups_of_entries(), first_part);
            let parts = parts.iter().map(|part| written(strip, part)).collect();
            (whole, parts)
        }
    };
    let reconvergence = match strip.first_without_wait {
        Some(_) => Reconvergence::Dependent { seed: plain.seed() },
        None => Reconvergence::Independent,
    };
    let mut types = TYPES.to_vec();
    let mut bodies = vec![
        helpers::resolve(places),
        helpers::ordered(),
        helpers::note(places, flow),
        helpers::part(places),
        whole,
        helpers::phase(places, flow.wait_numbers()),
        helpers::resolve_all(places),
        helpers::count(places, reconvergence),
        helpers::join(waits),
        written(chains, &chains.out),
        helpers::copy(places),
        helpers::groups(places),
        helpers::look_at_suspects(places),
    ];
    for routine in &chains.routines {
        types.push(routine.function_type());
        bodies.push(routine.function(places, products));
    }
    for part in parts {
        types.push(TYPES[STRIP as usize]);
        bodies.push(part);
    }
    let bodies: Vec<&Function> = bodies.iter().collect();
    let mut data: Vec<Data> = chains
        .routines
        .iter()
        .filter_map(|r| r.data(places))
        .collect();
    // Several functions may use the same data.
    data.sort_by_key(|data| data.place);
    data.dedup_by_key(|data| data.place);
    assemble(&types, &bodies, PHASE, places.bytes, &data)
}

/// Assembles a module with functions of these types, a memory of at least this size that is initialized with data, and
/// the exports of an engine: the memory, and the function `phase`.
pub(crate) fn assemble(
    types_of: &[FunctionType],
    bodies: &[&Function],
    phase: u32,
    bytes: u64,
    all_data: &[Data],
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

/// Returns the range of a lane's bytes among the bytes of a register.
pub(crate) fn lane_bytes(register: Register, lane: u32) -> std::ops::Range<u32> {
    let bytes = 4 * parts(register);
    lane * bytes..(lane + 1) * bytes
}
