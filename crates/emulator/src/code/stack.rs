//! The parts of an answer of `clusterlaunchcontrol.query_cancel`.

/// What is read of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerPart {
    IsCanceled,
    /// The index along one dimension.
    Block(u32),
}
