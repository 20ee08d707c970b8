//! Results of `clusterlaunchcontrol.query_cancel`.

/// Field of the response to a cancellation request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CancelResponseField {
    IsCanceled,
    /// Index of the first block along one dimension.
    Block(u32),
}
