//! Operations of device units outside the SIMT lanes: texture units, tensor memory, tensor copies, multi-device memory. Each family has
//! an enum here, a file of forms in `ptx/forms`, and a file in `decode` and `exec` of the emulator.

use super::families;

/// Operation of a device unit, by family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceUnitOp {
    /// Stack allocation: `alloca`, `stacksave`, `stackrestore`.
    Stack(StackOp),
    /// Cancellation of clusters that have not been launched: `clusterlaunchcontrol`.
    ClusterLaunchControl(ClusterLaunchControlOp),
    /// Memory of several devices accessed through one multimem address: `multimem`.
    Multimem(MultimemOp),
    /// Tensor copies between memories: `cp.async.bulk.tensor` and related instructions.
    TensorCopy(TensorCopyOp),
    /// Operations on tensor maps: `tensormap`.
    TensorMap(TensorMapOp),
    /// Matrix multiplications of a warpgroup: `wgmma`.
    Warpgroup(WarpgroupOp),
    /// Tensor memory and the matrix multiplications that accumulate in it: `tcgen05`.
    TensorMemory(TensorMemoryOp),
    /// Textures: `tex`, `tld4`, `txq`, `istypep`.
    Texture(TextureOp),
    /// Surfaces: `suld`, `sust`, `sured`, `suq`.
    Surface(SurfaceOp),
    /// Memory accesses through the inter-device fabric: `fabric.submit`.
    Fabric,
}

/// Operations on the stack of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackOp {
    /// `alloca`
    Allocate,
    /// `stacksave`
    Save,
    /// `stackrestore`
    Restore,
}

/// Operations of `clusterlaunchcontrol`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterLaunchControlOp {
    /// `try_cancel`: requests the cancellation of a cluster that has not been launched.
    TryCancel,
    /// `query_cancel.is_canceled`
    IsCanceled,
    /// `query_cancel.get_first_ctaid`. [`BlockIndex`](crate::modifier::BlockIndex) selects the component of the block index.
    FirstBlock,
}

/// Operations of `multimem`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MultimemOp {
    /// `multimem.ld_reduce`
    LoadReduce,
    /// `multimem.red`
    Reduction,
    /// `multimem.st`
    Store,
    /// `multimem.red.async`
    AsyncReduction,
    /// `multimem.st.async`
    AsyncStore,
    /// `multimem.cp.async.bulk`
    BulkCopy,
    /// `multimem.cp.reduce.async.bulk`
    BulkReduction,
}

/// Operation that copies a tile of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorCopyOp {
    /// Copies from the tensor to shared memory.
    Load,
    /// Copies from shared memory to the tensor.
    Store,
    /// Combines elements of shared memory with the elements of the tensor (`cp.reduce.async.bulk.tensor`).
    Reduction,
    /// Prefetches a tile of the tensor into the L2 cache.
    Prefetch,
}

/// Operation on a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorMapOp {
    /// `tensormap.replace`. [`TensorMapField`](crate::modifier::TensorMapField) selects the field.
    Replace,
    /// `tensormap.cp_fenceproxy`
    CopyFenceProxy,
}

/// Operations of `wgmma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpgroupOp {
    /// `wgmma.mma_async`
    MmaAsync,
    /// `wgmma.mma_async.sp`
    MmaAsyncSparse,
    /// `wgmma.fence`
    Fence,
    /// `wgmma.commit_group`
    Commit,
    /// `wgmma.wait_group`
    Wait,
}

/// Operations of `tcgen05`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorMemoryOp {
    /// `tcgen05.alloc`
    Allocate,
    /// `tcgen05.dealloc`
    Deallocate,
    /// `tcgen05.relinquish_alloc_permit`
    Relinquish,
    /// `tcgen05.commit`
    Commit,
    /// `tcgen05.cp`
    Copy,
    /// `tcgen05.shift`
    Shift,
    /// `tcgen05.fence`
    Fence,
    /// `tcgen05.wait`
    Wait,
    /// `tcgen05.ld`
    Load,
    /// `tcgen05.ld.red`
    LoadReduce,
    /// `tcgen05.st`
    Store,
    /// `tcgen05.mma`
    Mma,
    /// `tcgen05.mma` with `.block_scale`
    MmaBlockScaled,
    /// `tcgen05.mma.sp`
    MmaSparse,
    /// `tcgen05.mma.sp` with `.block_scale`
    MmaSparseBlockScaled,
    /// `tcgen05.mma.ws`
    MmaWeightStationary,
    /// `tcgen05.mma.ws.sp`
    MmaWeightStationarySparse,
}

/// Operation on a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// `tex` at the base mipmap level
    Sample,
    /// `tex.level`
    SampleLevel,
    /// `tex.grad`
    SampleGradient,
    /// `tld4`
    Gather,
    /// `istypep`
    IsReference,
    /// `txq`
    Query,
    /// `txq.level`
    QueryLevel,
}

/// Operation on a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceOp {
    /// `suld`
    Load,
    /// `sust`
    Store,
    /// `sured`
    Reduction,
    /// `suq`
    Query,
}

impl TensorMemoryOp {
    /// Returns whether the operation transfers data between the registers of a warp and tensor memory.
    pub const fn moves_registers(self) -> bool {
        matches!(
            self,
            TensorMemoryOp::Load | TensorMemoryOp::LoadReduce | TensorMemoryOp::Store
        )
    }

    /// Returns whether the operation is a matrix multiplication.
    pub const fn is_product(self) -> bool {
        matches!(
            self,
            TensorMemoryOp::Mma
                | TensorMemoryOp::MmaBlockScaled
                | TensorMemoryOp::MmaSparse
                | TensorMemoryOp::MmaSparseBlockScaled
                | TensorMemoryOp::MmaWeightStationary
                | TensorMemoryOp::MmaWeightStationarySparse
        )
    }

    /// Returns whether the operation is a matrix multiplication with a sparse A.
    pub const fn is_sparse(self) -> bool {
        matches!(
            self,
            TensorMemoryOp::MmaSparse
                | TensorMemoryOp::MmaSparseBlockScaled
                | TensorMemoryOp::MmaWeightStationarySparse
        )
    }
}

impl WarpgroupOp {
    /// Returns whether the operation is a matrix multiplication, dense or sparse.
    pub const fn is_product(self) -> bool {
        matches!(self, WarpgroupOp::MmaAsync | WarpgroupOp::MmaAsyncSparse)
    }

    /// Returns the index of operand `scale-d`, which controls whether a matrix multiplication adds to its accumulators.
    pub const fn scale_operand(self) -> Option<usize> {
        match self {
            WarpgroupOp::MmaAsync => Some(3),
            WarpgroupOp::MmaAsyncSparse => Some(5),
            _ => None,
        }
    }
}

impl MultimemOp {
    /// Returns whether the operation loads from the memory of all devices.
    pub const fn is_load(self) -> bool {
        matches!(self, MultimemOp::LoadReduce)
    }
}

families! {
    DeviceUnitOp:
    /// Returns the tensor copy operation, or `None` for other device units.
    tensor_copy(TensorCopy) -> TensorCopyOp;
    /// Returns the tensor memory operation, or `None` for other device units.
    tensor_memory(TensorMemory) -> TensorMemoryOp;
    /// Returns the multimem operation, or `None` for other device units.
    multimem(Multimem) -> MultimemOp;
    /// Returns the warpgroup operation, or `None` for other device units.
    warpgroup(Warpgroup) -> WarpgroupOp;
}

impl DeviceUnitOp {
    /// Returns whether the four warps of a warpgroup execute the operation together.
    pub const fn is_warpgroup_wide(self) -> bool {
        matches!(
            self,
            DeviceUnitOp::Warpgroup(_) | DeviceUnitOp::TensorMemory(_)
        )
    }

    /// Returns whether the operation reads or writes surface elements.
    pub const fn accesses_surface(self) -> bool {
        matches!(self, DeviceUnitOp::Surface(_))
    }
}
