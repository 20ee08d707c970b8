//! What units of the device do beside the lanes: texture units, tensor memory, copies of tensors, groups of devices. A family
//! has an enum here, a file of rows in `ptx/forms`, and a file in the emulator's `decode` and `exec`.

use super::families;

/// What a unit does, by family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnitOp {
    /// Space on the stack: `alloca`, `stacksave`, `stackrestore`.
    Stack(StackOp),
    /// Blocks that have not started: `clusterlaunchcontrol`.
    Launch(LaunchOp),
    /// Memory of a group of devices under one address: `multimem`.
    Multimem(MultimemOp),
    /// Parts of tensors between memories: `cp.async.bulk.tensor` and its kin.
    TensorCopy(TensorCopyOp),
    /// Tensor maps, which describe tensors: `tensormap`.
    TensorMap(TensorMapOp),
    /// Matrix products of four warps: `wgmma`.
    Warpgroup(WarpgroupOp),
    /// Tensor memory and the products that are kept there: `tcgen05`.
    TensorMemory(TensorMemoryOp),
    /// Textures: `tex`, `tld4`, `txq`, `istypep`.
    Texture(TextureOp),
    /// Surfaces: `suld`, `sust`, `sured`, `suq`.
    Surface(SurfaceOp),
    /// Accesses through the fabric between devices: `fabric.submit`.
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
pub enum LaunchOp {
    /// `try_cancel`: asks for a cluster that has not started.
    TryCancel,
    /// `query_cancel.is_canceled`
    IsCanceled,
    /// `query_cancel.get_first_ctaid`; [`BlockIndex`](crate::modifier::BlockIndex) says which part.
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

/// Copies of parts of tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorCopyOp {
    /// From the tensor to shared memory.
    Load,
    /// From shared memory to the tensor.
    Store,
    /// Combines shared memory with the tensor.
    Reduction,
    /// Brings a part of the tensor into a cache.
    Prefetch,
}

/// Operations on tensor maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorMapOp {
    /// `tensormap.replace`; [`TensorMapField`](crate::modifier::TensorMapField) says what is replaced.
    Replace,
    /// `tensormap.cp_fenceproxy`
    Publish,
}

/// Operations of `wgmma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpgroupOp {
    /// `wgmma.mma_async`
    Product,
    /// `wgmma.mma_async.sp`
    SparseProduct,
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
    Free,
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
    Product,
    /// `tcgen05.mma` with `.block_scale`
    ScaledProduct,
    /// `tcgen05.mma.sp`
    SparseProduct,
    /// `tcgen05.mma.sp` with `.block_scale`
    SparseScaledProduct,
    /// `tcgen05.mma.ws`
    StationaryProduct,
    /// `tcgen05.mma.ws.sp`
    StationarySparseProduct,
}

/// Operations on textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// `tex`, of the finest level
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

/// Operations on surfaces.
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
    /// Whether it moves words between registers of a warp and the lanes of tensor memory that the warp reaches.
    pub const fn moves_registers(self) -> bool {
        matches!(
            self,
            TensorMemoryOp::Load | TensorMemoryOp::LoadReduce | TensorMemoryOp::Store
        )
    }

    /// Checks whether it is a matrix product.
    pub const fn is_product(self) -> bool {
        matches!(
            self,
            TensorMemoryOp::Product
                | TensorMemoryOp::ScaledProduct
                | TensorMemoryOp::SparseProduct
                | TensorMemoryOp::SparseScaledProduct
                | TensorMemoryOp::StationaryProduct
                | TensorMemoryOp::StationarySparseProduct
        )
    }

    /// Whether it is a product with a sparse A.
    pub const fn is_sparse(self) -> bool {
        matches!(
            self,
            TensorMemoryOp::SparseProduct
                | TensorMemoryOp::SparseScaledProduct
                | TensorMemoryOp::StationarySparseProduct
        )
    }
}

impl WarpgroupOp {
    /// Whether it is a product, dense or sparse.
    pub const fn is_product(self) -> bool {
        matches!(self, WarpgroupOp::Product | WarpgroupOp::SparseProduct)
    }

    /// Index of the operand `scale-d` of a product, which says whether it adds to its accumulators.
    pub const fn scale_operand(self) -> Option<usize> {
        match self {
            WarpgroupOp::Product => Some(3),
            WarpgroupOp::SparseProduct => Some(5),
            _ => None,
        }
    }
}

impl MultimemOp {
    /// Whether it reads the memory of all devices.
    pub const fn is_load(self) -> bool {
        matches!(self, MultimemOp::LoadReduce)
    }
}

families! {
    UnitOp:
    /// Returns the tensor copy.
    tensor_copy(TensorCopy) -> TensorCopyOp;
    /// Returns the operation on tensor memory.
    tensor_memory(TensorMemory) -> TensorMemoryOp;
    /// Returns the operation on the memory of several devices.
    multimem(Multimem) -> MultimemOp;
    /// Returns the operation of a warpgroup.
    warpgroup(Warpgroup) -> WarpgroupOp;
}

impl UnitOp {
    /// Whether the four warps of a warpgroup execute it together.
    pub const fn takes_warpgroup(self) -> bool {
        matches!(self, UnitOp::Warpgroup(_) | UnitOp::TensorMemory(_))
    }

    /// Whether it reads or writes elements of surfaces.
    pub const fn accesses_surface(self) -> bool {
        matches!(self, UnitOp::Surface(_))
    }
}
