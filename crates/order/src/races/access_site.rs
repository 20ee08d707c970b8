//! Access sites: numbered sets of the properties that all accesses by the same operand of an instruction share.

use crate::scope::{ScopeInstance, Strength, ThreadLocation, scopes_mutually_inclusive};
use warpgrid_isa::{AsyncTransferKind, DeviceUnitOp, Flag, Sem};
use warpgrid_program::{FunctionId, OperandValue, Program, RegisterId, Source};

/// Number of an access site, which access records contain instead of the site itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AccessSiteId(pub(crate) u32);

/// Effect of the accesses of a site on memory: read, write or atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteAccessKind {
    Read,
    Write,
    /// Atomic read-modify-write.
    Atomic,
}

impl SiteAccessKind {
    /// Checks whether an access of this kind can change memory.
    pub const fn writes(self) -> bool {
        !matches!(self, SiteAccessKind::Read)
    }
}

/// Proxy of an access (PTX ISA, "Proxies").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProxyKind {
    Generic,
    Async,
    /// Non-coherent reads (`ld.global.nc`).
    ReadOnly,
    /// Reads of tensor maps by tensor copies.
    TensorMap,
}

/// Access site: the instruction, its memory ordering, scope and proxy, which all accesses of the site share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AccessSite {
    pub function: FunctionId,
    /// Index of the instruction in its function.
    pub instruction: u32,
    pub kind: SiteAccessKind,
    pub strength: Strength,
    pub proxy: ProxyKind,
    pub asynchronous: bool,
    /// Element size in bytes, or 0 for accesses of arbitrary size.
    pub element_bytes: u32,
}

impl AccessSite {
    /// Checks whether two accesses of these sites to the same bytes are morally strong, provided that their scopes
    /// include each other.
    pub(crate) fn both_strong(&self, other: &AccessSite) -> bool {
        let strong = |site: &AccessSite| site.strength != Strength::Weak;
        strong(self)
            && strong(other)
            && self.element_bytes == other.element_bytes
            && self.proxy == other.proxy
    }

    /// Checks whether the scope of each of the two accesses includes the thread of the other access.
    pub(crate) fn mutual(
        &self,
        own: ThreadLocation,
        other: &AccessSite,
        their: ThreadLocation,
    ) -> bool {
        match (self.strength, other.strength) {
            (Strength::Strong(a), Strength::Strong(b)) => {
                scopes_mutually_inclusive(ScopeInstance::new(a, own), ScopeInstance::new(b, their))
            }
            _ => false,
        }
    }
}

/// Operand role of an access. For example, a bulk copy accesses a source, a destination, and the mbarrier on which it completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum OperandRole {
    Only,
    Source,
    Destination,
    Object,
    Map,
}

/// Table of all access sites of a run, in which the detector looks up the site of each access.
#[derive(Debug, Default)]
pub(crate) struct AccessSites {
    known: Vec<SiteEntry>,
    /// Number of the latest site of each instruction plus one, or 0 for an instruction without a site. Indexed by
    /// function and instruction.
    latest: Vec<Vec<u32>>,
}

/// Entry of the table of access sites: a site, the properties that distinguish it from the other sites of its instruction, and a link to
/// the previous site of the instruction in the encoding of [`AccessSites::latest`].
#[derive(Debug)]
struct SiteEntry {
    site: AccessSite,
    side: OperandRole,
    element_bytes: u32,
    before: u32,
}

/// Initial capacity for sites, which is sufficient for small kernels.
const INITIAL_SITES: usize = 16;
/// Initial capacity for instructions, which is sufficient for small functions.
const INITIAL_INSTRUCTIONS: usize = 64;

impl AccessSites {
    #[inline]
    pub(crate) fn get(&self, id: AccessSiteId) -> &AccessSite {
        &self.known[id.0 as usize].site
    }

    /// Returns the access site for an operand role of an instruction whose elements have the given size.
    #[inline]
    pub(crate) fn of(
        &mut self,
        function: FunctionId,
        instruction: u32,
        side: OperandRole,
        element_bytes: u32,
        make: impl FnOnce() -> AccessSite,
    ) -> AccessSiteId {
        let latest = self.latest_of(function, instruction);
        let mut number = latest;
        while let Some(index) = number.checked_sub(1) {
            let known = &self.known[index as usize];
            if (known.side, known.element_bytes) == (side, element_bytes) {
                return AccessSiteId(index);
            }
            number = known.before;
        }
        self.known.push(SiteEntry {
            site: make(),
            side,
            element_bytes,
            before: latest,
        });
        let n = self.known.len() as u32;
        self.latest[function.0 as usize][instruction as usize] = n;
        AccessSiteId(n - 1)
    }

    #[inline]
    fn latest_of(&mut self, function: FunctionId, instruction: u32) -> u32 {
        let (function, instruction) = (function.0 as usize, instruction as usize);
        let known = self.latest.get(function).and_then(|of| of.get(instruction));
        match known {
            Some(number) => *number,
            None => {
                self.make_room(function, instruction);
                0
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, function: usize, instruction: usize) {
        if self.known.is_empty() {
            self.known.reserve(INITIAL_SITES);
        }
        if self.latest.len() <= function {
            self.latest.resize_with(function + 1, Vec::new);
        }
        let n = (instruction + 1)
            .next_power_of_two()
            .max(INITIAL_INSTRUCTIONS);
        self.latest[function].resize(n, 0);
    }
}

/// Returns the opcode information of an instruction, which includes the memory ordering.
pub(crate) fn action_of(
    program: &Program,
    function: FunctionId,
    instruction: u32,
) -> Option<&warpgrid_program::OpcodeInfo> {
    let body = program.functions.get(function.0 as usize)?;
    program.opcode(body.instructions.get(instruction as usize)?)
}

/// Checks whether a program uses the asynchronous proxy.
pub(crate) fn has_proxies(program: &Program) -> bool {
    let mut actions = program.opcodes.iter();
    actions.any(|action| {
        let operation = action.operation;
        operation.transfer() == AsyncTransferKind::Bulk
            || operation.unit().is_some_and(|unit| {
                let is_product =
                    unit.uses_tensor_memory() || matches!(unit, DeviceUnitOp::Warpgroup(_));
                is_product || unit.tensor_copy().is_some()
            })
    })
}

/// Checks whether a program contains copies that read tensor maps.
pub(crate) fn has_maps(program: &Program) -> bool {
    let mut actions = program.opcodes.iter();
    actions.any(|action| {
        action
            .operation
            .unit()
            .and_then(DeviceUnitOp::tensor_copy)
            .is_some()
    })
}

/// Checks whether a program contains non-coherent loads.
pub(crate) fn has_read_only(program: &Program) -> bool {
    let mut actions = program.opcodes.iter();
    actions.any(|action| action.modifiers.has(Flag::NonCoherent))
}

/// Checks whether the general race check must ignore the accesses of an instruction, because another module checks these accesses (such as
/// mbarrier operations), or because they use a proxy that the memory model leaves unspecified.
pub(crate) fn is_checked_elsewhere(
    program: &Program,
    function: FunctionId,
    instruction: u32,
) -> bool {
    let action = action_of(program, function, instruction);
    action.is_some_and(|action| {
        let operation = action.operation;
        operation.mbarrier().is_some() || operation.unit().is_some_and(DeviceUnitOp::is_image)
    })
}

/// Checks whether an instruction reads the predicate that a test instruction writes first. If no instruction reads the predicate, the code
/// does not wait for the mbarrier phase.
pub(crate) fn is_test_result_used(
    program: &Program,
    function: FunctionId,
    instruction: u32,
) -> bool {
    let Some(body) = program.functions.get(function.0 as usize) else {
        return true;
    };
    let Some(test) = body.instructions.get(instruction as usize) else {
        return true;
    };
    let answer = body.destinations(test).first().copied();
    let Some(answer) = answer else {
        return true;
    };
    body.instructions.iter().any(|other| {
        other.guard.is_some_and(|guard| guard.predicate == answer)
            || body
                .operands_of(other.operands)
                .iter()
                .any(|operand| reads(&operand.value, answer))
                && !body.destinations(other).contains(&answer)
    })
}

/// Checks whether an operand reads a register.
fn reads(value: &OperandValue, register: RegisterId) -> bool {
    let is_it = |source: &Source| match source {
        Source::Register(run) => run.registers().any(|other| other == register),
        _ => false,
    };
    match value {
        OperandValue::Source(source, _) | OperandValue::Predicate { source, .. } => is_it(source),
        OperandValue::Absent
        | OperandValue::Destination(_)
        | OperandValue::Pair(..)
        | OperandValue::Address(_)
        | OperandValue::List(_)
        | OperandValue::Label(_)
        | OperandValue::Callee(_) => false,
    }
}

/// Returns the memory ordering of an instruction.
pub(crate) fn sem_of(program: &Program, function: FunctionId, instruction: u32) -> Option<Sem> {
    action_of(program, function, instruction)?.modifiers.sem
}
