//! Targets and modifier sets shared by several device units.

use super::form_macros::{ALWAYS, set, since};
use crate::form::Gate;
use crate::modifier::Completion::*;
use crate::modifier::CtaGroup::*;
use crate::target::TargetRequirement::{self, Family, OneOf};

/// Targets that have tensor memory.
const TENSOR: TargetRequirement = OneOf(&[Family(100), Family(101)]);
/// Targets with family-specific features from `sm_100` on.
pub(super) const BLACKWELL: TargetRequirement = OneOf(&[Family(100), Family(101), Family(120)]);
/// Gate of instructions that access tensor memory.
pub(super) const TENSOR_MEMORY: Gate = since(8, 6).on(TENSOR);

set! { MBARRIER: Completion "completion mechanism"; "mbarrier::complete_tx::bytes", Completion(MbarrierCompleteTxBytes), ALWAYS, "decrements the tx-count of the mbarrier by the number of bytes on completion"; }
set! { BULK_GROUP: Completion "completion mechanism"; "bulk_group", Completion(BulkGroup), ALWAYS, "tracks completion with a bulk async-group of the thread"; }
set! { CTA_GROUP: Group "CTA group";
    "cta_group::1", CtaGroup(One), ALWAYS, "a single block participates";
    "cta_group::2", CtaGroup(Two), ALWAYS, "both blocks of the CTA pair participate";
}
