//! Loads, stores and atomics: each has a plan.

use super::{Decoded, Decoder, Unsupported};
use crate::decode::code::{AccessPlan, AtomicPlan, Bank, Element, Op};
use warpgrid_isa::StateSpace;
use warpgrid_program::{Address, AddressBase, AtomicOp, MemoryAccess, RegisterId, Source};

/// `ld`
pub(super) fn load(
    d: &mut Decoder<'_>,
    access: &MemoryAccess,
    address: &Address,
    to: &[Option<RegisterId>],
) -> Decoded<Op> {
    let elements = d.elements(to)?;
    let plan = access_plan(d, access, address, elements)?;
    d.code.accesses.push(plan);
    Ok(Op::Load(d.code.accesses.len() as u32 - 1))
}

/// `st`
pub(super) fn store(
    d: &mut Decoder<'_>,
    access: &MemoryAccess,
    address: &Address,
    sources: &[Source],
) -> Decoded<Op> {
    let bits = access.ty.width_bits();
    let elements = sources
        .iter()
        .map(|s| d.element(*s, bits))
        .collect::<Decoded<Vec<_>>>()?;
    let plan = access_plan(d, access, address, elements)?;
    d.code.accesses.push(plan);
    Ok(Op::Store(d.code.accesses.len() as u32 - 1))
}

/// `atom` and `red`
pub(super) fn atomic(
    d: &mut Decoder<'_>,
    op: AtomicOp,
    (access, address): (&MemoryAccess, &Address),
    to: Option<RegisterId>,
    b: Source,
    c: Option<Source>,
) -> Decoded<Op> {
    let bits = access.ty.width_bits();
    let old = to.map_or(Ok(Element::SINK), |id| d.register(id))?;
    let plan = AtomicPlan {
        access: access_plan(d, access, address, vec![old])?,
        op,
        ty: access.ty,
        b: d.element(b, bits)?,
        c: c.map_or(Ok(Element::SINK), |c| d.element(c, bits))?,
    };
    d.code.atomics.push(plan);
    Ok(Op::Atomic(d.code.atomics.len() as u32 - 1))
}

fn access_plan(
    d: &mut Decoder<'_>,
    access: &MemoryAccess,
    address: &Address,
    elements: Vec<Element>,
) -> Decoded<AccessPlan> {
    let mut space = access.space;
    if let AddressBase::Variable(id) = address.base
        && matches!(
            space,
            StateSpace::Generic | StateSpace::ParamEntry | StateSpace::ParamFunc
        )
    {
        space = d.variable(id)?.1;
    }
    let (base, wide, offset) = d.address(address)?;
    let element_bytes = access.ty.width_bytes();
    if element_bytes as usize * elements.len() > crate::exec::memory_ops::MAX_WIDTH {
        return Err(Unsupported);
    }
    Ok(AccessPlan {
        space,
        base,
        wide,
        offset,
        element_bytes,
        width_bytes: element_bytes * elements.len() as u32,
        signed: access.ty.is_signed(),
        written: elements
            .iter()
            .enumerate()
            .filter(|(_, e)| e.slot.is_some())
            .fold(0, |mask, (i, _)| mask | 1 << i),
        quick_store: elements.iter().all(|e| {
            e.slot.is_some() && matches!((element_bytes, e.bank), (4, Bank::B32) | (8, Bank::B64))
        }),
        elements,
        sem: access.sem,
        scope: access.scope,
    })
}
