//! Fields of the response of `clusterlaunchcontrol.try_cancel`, which `clusterlaunchcontrol.query_cancel` decodes.

/// Field of the response to a cancellation request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CancelResponseField {
    IsCanceled,
    /// Index of the first block along one dimension.
    Block(u32),
}
