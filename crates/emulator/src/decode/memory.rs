//! Decoder of loads, stores and atomics.

use crate::code::decoded_op::DecodedOp;
use crate::code::{
    AccessMetadata, AccessPlan, AtomicPlan, BulkFillPlan, MultimemAction, MultimemPlan,
    RegisterBank, RegisterOperand,
};
use crate::contract::observer::CacheHints;
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use warpgrid_isa::{AtomicOp, Flag, MemoryOp, Modifiers, MultimemOp, ScalarType, Sem, StateSpace};
use warpgrid_program::{AddressBase, OperandValue};

pub(crate) fn supports(op: MemoryOp, modifiers: &Modifiers) -> Support {
    match op {
        MemoryOp::Load | MemoryOp::Store | MemoryOp::Atomic | MemoryOp::Reduction => {
            let bytes = modifiers.ty.map_or(0, ScalarType::width_bytes) as usize;
            if bytes * modifiers.n_elements() > crate::code::MAX_WIDTH {
                return Support::not_yet("accesses with this width");
            }
            Support::Runs
        }
        MemoryOp::StoreBulk => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: MemoryOp) -> DecodeResult<DecodedOp> {
    match op {
        MemoryOp::Load => load(d),
        MemoryOp::Store => store(d),
        MemoryOp::Atomic | MemoryOp::Reduction => atomic(d, op),
        MemoryOp::StoreBulk => bulk_store(d),
    }
}

fn access_type(d: &Decoder<'_>) -> DecodeResult<ScalarType> {
    d.modifiers.ty.ok_or_else(|| DecodeError::missing("type"))
}

/// Decodes `ld`.
fn load(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let (elements, operands) = d.destinations(0)?;
    let ty = access_type(d)?;
    let plan = access_plan(
        d,
        AddressOperands::hinted(1, 2),
        ty,
        Sem::Weak,
        elements,
        operands,
    )?;
    Ok(DecodedOp::Load(d.code.accesses.add(plan)))
}

/// Decodes `st`.
fn store(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let ty = access_type(d)?;
    let (elements, operands) = d.sources(1, ty.width_bits())?;
    let plan = access_plan(
        d,
        AddressOperands::hinted(0, 2),
        ty,
        Sem::Weak,
        elements,
        operands,
    )?;
    Ok(DecodedOp::Store(d.code.accesses.add(plan)))
}

/// Decodes `st.bulk [a], size, initval`. The initial value is always zero.
fn bulk_store(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let mut access = access_plan(
        d,
        AddressOperands::address(0),
        ScalarType::B64,
        Sem::Weak,
        vec![RegisterOperand::SINK],
        Vec::new(),
    )?;
    if d.modifiers.has(Flag::SharedCta) {
        access.space = StateSpace::Shared;
    }
    let size = d.element(1, 64)?;
    Ok(DecodedOp::BulkFill(
        d.code.fills.add(BulkFillPlan { access, size }),
    ))
}

/// Decodes `atom` and `red`. `red` has no destination operand before its address.
fn atomic(d: &mut Decoder<'_>, op: MemoryOp) -> DecodeResult<DecodedOp> {
    let returns = op == MemoryOp::Atomic;
    let ty = access_type(d)?;
    let bits = ty.width_bits();
    let op = d.modifiers.atomic;
    let op = op.ok_or_else(|| DecodeError::missing("operation"))?;
    let address = usize::from(returns);
    let swaps = op == AtomicOp::Cas;
    let (b, mut operands) = d.sources(address + 1, bits)?;
    let old = if returns {
        d.destinations(0)?.0
    } else {
        vec![RegisterOperand::SINK; b.len()]
    };
    // For compare-and-swap, the stored value is operand c, otherwise operand b.
    let data = address + 1 + usize::from(swaps);
    let c = if swaps {
        operands = vec![d.operand_index(data)];
        d.element(data, bits)?
    } else {
        RegisterOperand::SINK
    };
    let at = AddressOperands::hinted(address, data + 1);
    let access = access_plan(d, at, ty, Sem::Relaxed, old, operands)?;
    Ok(DecodedOp::Atomic(d.code.atomics.add(AtomicPlan {
        access,
        op,
        ty,
        returns,
        b,
        c,
    })))
}

/// Decodes `multimem.ld_reduce`, `multimem.st` and `multimem.red`.
pub(crate) fn multimem(d: &mut Decoder<'_>, op: MultimemOp) -> DecodeResult<DecodedOp> {
    let ty = access_type(d)?;
    let combined = d.modifiers.atomic;
    let combined = || combined.ok_or_else(|| DecodeError::missing("operation"));
    let (action, address) = match op {
        MultimemOp::LoadReduce => (MultimemAction::Load(combined()?), 1),
        MultimemOp::Reduction | MultimemOp::AsyncReduction => {
            (MultimemAction::Reduce(combined()?), 0)
        }
        MultimemOp::Store
        | MultimemOp::AsyncStore
        | MultimemOp::BulkCopy
        | MultimemOp::BulkReduction => (MultimemAction::Store, 0),
    };
    let (elements, operands, sources) = match action {
        MultimemAction::Load(_) => {
            let (elements, operands) = d.destinations(0)?;
            (elements, operands, Vec::new())
        }
        MultimemAction::Store | MultimemAction::Reduce(_) => {
            let (sources, operands) = d.sources(1, ty.width_bits())?;
            (sources.clone(), operands, sources)
        }
    };
    let at = AddressOperands::address(address);
    let access = access_plan(d, at, ty, Sem::Weak, elements, operands)?;
    Ok(DecodedOp::Multimem(d.code.multimem.add(MultimemPlan {
        access,
        action,
        sources,
    })))
}

/// Operand positions of the address and the optional cache policy of a memory access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressOperands {
    address: usize,
    policy: Option<usize>,
}

impl AddressOperands {
    /// Returns the operand positions of an access without a cache policy.
    pub(crate) const fn address(address: usize) -> AddressOperands {
        AddressOperands {
            address,
            policy: None,
        }
    }

    /// Returns the operand positions of an access with an optional cache policy.
    const fn hinted(address: usize, policy: usize) -> AddressOperands {
        AddressOperands {
            address,
            policy: Some(policy),
        }
    }
}

/// Decodes the properties that all memory accesses have. `ty` is the element type.
pub(crate) fn access_plan(
    d: &mut Decoder<'_>,
    at: AddressOperands,
    ty: ScalarType,
    sem: Sem,
    elements: Vec<RegisterOperand>,
    operands: Vec<u32>,
) -> DecodeResult<AccessPlan> {
    let modifiers = d.modifiers;
    let address = d.address_operand(at.address)?;
    let variable = match address.base {
        AddressBase::Variable(variable) => Some(variable),
        AddressBase::Register(_) | AddressBase::Bank { .. } | AddressBase::None => None,
    };
    let space = d.refined(modifiers.state_space(), variable)?;
    let element_bytes = ty.width_bytes();
    let found = d.address(address)?;
    let found = d.with_upper_bits(space, found);
    let width_bytes = element_bytes * elements.len() as u32;
    let (base, wide, offset) = d.aligned(found, width_bytes);
    if element_bytes as usize * elements.len() > crate::code::MAX_WIDTH {
        return Err(DecodeError::NotYet(None));
    }
    let policy = at.policy;
    let policy = policy.is_some_and(|at| *d.operand(at) != OperandValue::Absent);
    let whole_registers = elements.iter().all(|e| {
        e.slot.is_some()
            && matches!(
                (element_bytes, e.bank),
                (4, RegisterBank::B32) | (8, RegisterBank::B64)
            )
    });
    Ok(AccessPlan {
        space,
        base,
        has_64_bit_base: wide,
        offset,
        element_bytes,
        width_bytes: element_bytes * elements.len() as u32,
        sign: ty.signedness(),
        written: elements
            .iter()
            .enumerate()
            .filter(|(_, e)| e.slot.is_some())
            .fold(0, |mask, (i, _)| mask | 1 << i),
        whole_registers,
        moves_words: whole_registers && element_bytes == 4 && matches!(elements.len(), 1 | 4),
        elements,
        metadata: AccessMetadata {
            ty,
            sem: modifiers.sem.unwrap_or(sem),
            scope: modifiers.scope,
            cache: CacheHints {
                policy,
                ..cache_hints(modifiers)
            },
            access_bytes: None,
            operands,
        },
    })
}

fn cache_hints(modifiers: &Modifiers) -> CacheHints {
    CacheHints {
        op: modifiers.cache,
        evict_l1: modifiers.evict_l1,
        evict_l2: modifiers.evict_l2,
        prefetch: modifiers.prefetch,
        policy: false,
        non_coherent: modifiers.has(Flag::NonCoherent),
        mmio: modifiers.has(Flag::Mmio),
    }
}
