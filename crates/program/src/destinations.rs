//! Which registers an operation writes: for views that mark what a step changed.

use crate::function::RegisterId;
use crate::operation::{BarrierKind, Operation, Source};

impl Operation {
    /// The registers that the operation may write, in operand order.
    pub fn destinations(&self) -> Vec<RegisterId> {
        use Operation as O;
        match self {
            O::Arithmetic { d, .. }
            | O::Carry { d, .. }
            | O::Move { d, .. }
            | O::Pack { d, .. }
            | O::Convert { d, .. }
            | O::ConvertPacked { d, .. }
            | O::ConvertAddress { d, .. }
            | O::IsSpace { d, .. }
            | O::Set { d, .. }
            | O::TestFloat { d, .. }
            | O::Select { d, .. }
            | O::SelectSign { d, .. }
            | O::PredicateLogic { d, .. }
            | O::CreatePolicy { d }
            | O::Vote { d, .. }
            | O::ActiveMask { d }
            | O::WarpReduce { d, .. } => vec![*d],
            O::Unpack { elements: d, .. } | O::Load { d, .. } => {
                d.iter().copied().flatten().collect()
            }
            O::SetPredicate { d, q, .. } => [*d, *q].into_iter().flatten().collect(),
            O::Shuffle { d, predicate, .. } | O::Match { d, predicate, .. } => {
                [*d, *predicate].into_iter().flatten().collect()
            }
            O::Elect { d, predicate, .. } => d.iter().copied().chain([*predicate]).collect(),
            O::Atomic { d, .. } => d.iter().copied().collect(),
            O::Call { returns, .. } => returns
                .iter()
                .filter_map(|value| match value {
                    Source::Register(register) => Some(*register),
                    _ => None,
                })
                .collect(),
            O::Barrier {
                kind: BarrierKind::Reduce { d, .. },
                ..
            } => vec![*d],
            _ => Vec::new(),
        }
    }
}
