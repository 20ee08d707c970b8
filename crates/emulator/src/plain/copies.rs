//! `cp.async` copies from global to shared memory, for the JIT compiler.

use crate::code::plans::PlanId;
use crate::code::{AccessPlan, AsyncPlan, Bank, Element, Predicate};
use crate::code::{Source, Transfer};
use crate::contract::pending::GroupKind;
use crate::plain::Plain;
use crate::semantics::registers::SlotPlace;

/// `cp.async`.
#[derive(Clone, Copy, Debug)]
pub struct CopyAccess<'m> {
    /// Destination in shared memory. Its width is the number of bytes that a lane writes, and the required alignment of
    /// both addresses.
    pub to: &'m AccessPlan,
    /// Source in global memory.
    pub from: &'m AccessPlan,
    /// Number of bytes to read, if it is less than the width; the remaining bytes are set to zero.
    pub read: Option<Element>,
    /// Lanes that read no bytes.
    pub ignores: Option<Predicate>,
}

impl<'m> Plain<'m> {
    /// Returns the copy that an instruction issues. Returns `None` if the instruction is not a `cp.async` that the JIT
    /// compiler supports.
    pub fn copy(self, plan: PlanId<AsyncPlan>) -> Option<CopyAccess<'m>> {
        let AsyncPlan {
            to: Some(to),
            mbarrier: None,
            transfer: Transfer::Copy(source),
            reduces: None,
            group: Some(GroupKind::Copies),
        } = self.code().starts.get(plan)?
        else {
            return None;
        };
        let Source {
            from,
            size,
            read,
            address_counts: false,
            ignores,
            blocks: None,
            byte_mask: None,
            left_out: None,
        } = source
        else {
            return None;
        };
        let bytes = match (size.bank, size.slot.place()) {
            (Bank::B32, SlotPlace::Constant(index)) => self.constant32(index),
            _ => return None,
        };
        (bytes == to.width_bytes && matches!(bytes, 4 | 8 | 16)).then_some(CopyAccess {
            to,
            from,
            read: *read,
            ignores: *ignores,
        })
    }

    /// Checks whether the code commits groups of this kind.
    pub fn makes_groups(self, kind: GroupKind) -> bool {
        self.code().makes_groups(kind)
    }
}
