//! Copies in flight as a translator reads them: those from global to shared memory that each thread makes groups of.

use crate::code::plans::PlanId;
use crate::code::{AccessPlan, AsyncPlan, Bank, Element, Predicate};
use crate::code::{Source, Transfer};
use crate::contract::pending::GroupKind;
use crate::plain::Plain;
use crate::semantics::registers::SlotPlace;

/// `cp.async`.
#[derive(Clone, Copy, Debug)]
pub struct CopyAccess<'m> {
    /// Places in shared memory; the width is the bytes that a lane writes, and the alignment of both places.
    pub to: &'m AccessPlan,
    /// Places in global memory.
    pub from: &'m AccessPlan,
    /// Bytes that are read, if fewer than are written; the others are zeros.
    pub read: Option<Element>,
    /// Lanes that read nothing.
    pub ignores: Option<Predicate>,
}

impl<'m> Plain<'m> {
    /// The copy that an instruction starts; none for what is no `cp.async`.
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

    /// Whether the code makes groups of this kind.
    pub fn makes_groups(self, kind: GroupKind) -> bool {
        self.code().makes_groups(kind)
    }
}
