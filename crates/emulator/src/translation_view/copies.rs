//! `cp.async` copies from global to shared memory, for the JIT compiler.

use crate::code::plan_table::PlanId;
use crate::code::{AccessPlan, AsyncPlan, PredicateOperand, RegisterBank, RegisterOperand};
use crate::code::{AsyncPayload, CopySource};
use crate::contract::pending::AsyncGroupKind;
use crate::semantics::registers::OperandLocation;
use crate::translation_view::TranslationView;

/// `cp.async`.
#[derive(Clone, Copy, Debug)]
pub struct AsyncCopyAccess<'m> {
    /// Destination in shared memory. Its width is the number of bytes that a lane writes, and the required alignment of
    /// both addresses.
    pub to: &'m AccessPlan,
    /// Source in global memory.
    pub from: &'m AccessPlan,
    /// Number of bytes to read, if it is less than the width; the remaining bytes are set to zero.
    pub read: Option<RegisterOperand>,
    /// Lanes that read no bytes.
    pub ignores: Option<PredicateOperand>,
}

impl<'m> TranslationView<'m> {
    /// Returns the copy that an instruction issues. Returns `None` if the instruction is not a `cp.async` that the JIT
    /// compiler supports.
    pub fn copy(self, plan: PlanId<AsyncPlan>) -> Option<AsyncCopyAccess<'m>> {
        let AsyncPlan {
            to: Some(to),
            mbarrier: None,
            transfer: AsyncPayload::Copy(source),
            reduces: None,
            group: Some(AsyncGroupKind::Copies),
        } = self.code().starts.get(plan)?
        else {
            return None;
        };
        let CopySource {
            from,
            size,
            read,
            address_counts: false,
            ignore_source: ignores,
            blocks: None,
            byte_mask: None,
            ignore_bytes: None,
        } = source
        else {
            return None;
        };
        let bytes = match (size.bank, size.slot.place()) {
            (RegisterBank::B32, OperandLocation::Constant(index)) => self.constant32(index),
            _ => return None,
        };
        (bytes == to.width_bytes && matches!(bytes, 4 | 8 | 16)).then_some(AsyncCopyAccess {
            to,
            from,
            read: *read,
            ignores: *ignores,
        })
    }

    /// Checks whether the code commits groups of this kind.
    pub fn makes_groups(self, kind: AsyncGroupKind) -> bool {
        self.code().makes_groups(kind)
    }
}
