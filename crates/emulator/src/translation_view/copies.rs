//! View of `cp.async` copies from global to shared memory for the JIT compiler.

use crate::code::plan_table::PlanId;
use crate::code::{AccessPlan, AsyncPlan, PredicateOperand, RegisterBank, RegisterOperand};
use crate::code::{AsyncPayload, CopySource};
use crate::contract::pending::AsyncGroupKind;
use crate::semantics::registers::OperandLocation;
use crate::translation_view::TranslationView;

/// Source and destination accesses of a `cp.async` instruction, for which the JIT compiler generates code.
#[derive(Clone, Copy, Debug)]
pub struct AsyncCopyAccess<'m> {
    /// Destination in shared memory. The access width is the number of bytes that each lane writes, and also the
    /// required alignment of the source and destination addresses.
    pub to: &'m AccessPlan,
    /// Source in global memory.
    pub from: &'m AccessPlan,
    /// Operand with the number of bytes to read, if the number may be less than the access width. The remaining
    /// destination bytes are set to zero.
    pub read: Option<RegisterOperand>,
    /// Predicate of the lanes that ignore the source and write only zeros.
    pub ignores: Option<PredicateOperand>,
}

impl<'m> TranslationView<'m> {
    /// Returns the accesses of an asynchronous copy. Returns `None` if the instruction is not a `cp.async` that the JIT
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

    /// Checks whether the code contains instructions that commit async-groups of this kind.
    pub fn makes_groups(self, kind: AsyncGroupKind) -> bool {
        self.code().makes_groups(kind)
    }
}
