//! Instruction-set tables and lookups: state spaces, types, targets, versions and instruction forms.
//!
//! The crate has no dependencies, parses only its own syntax lines and names, and executes nothing.
//!
//! - `common`: definitions shared by all dialects, and the reader of the form tables.
//! - `fragment`, `layout`: mapping of matrix elements to registers, bytes and columns.
//! - `ptx`: the PTX tables, one file per family.
//! - `sass`: the SASS tables: forms of stores by architecture, and the opcodes.

pub mod common;
pub mod fragment;
pub mod ptx;
pub mod sass;
pub mod tensor_layout;

pub use common::{
    dialect, form, modifier, modifiers, operation, release, sass_op, space, target, type_match,
    types, version, video_selectors,
};
pub use ptx::{directives, forms, special};

pub use common::decimal::read_decimal;
pub use common::float_format::{FloatFormat, SpecialEncoding, Truncated};
pub use dialect::Dialect;
pub use form::{
    FactSource, Form, Gate, ModifierSet, ModifierSpelling, ModifierValue, OperandAccess,
    OperandExtension, OperandType, SlotName, UnmetRequirements,
};
pub use modifier::{
    AtomicOp, BarrierReduce, BlockIndex, BoolOp, CacheLevel, CacheOp, CompareOp, Completion,
    CtaGroup, EvictionPriority, Flag, FloatTest, Geometry, LoadMode, MatrixCount, MatrixLayout,
    MmaKind, MulPart, OverflowMode, PermuteMode, PrefetchSize, Proxy, QueryObject, ReduceOp,
    ReferenceKind, Rounding, ScaleVector, Scope, Sem, ShuffleMode, SurfaceBounds, SurfaceMode,
    TensorMapField, TensorMemoryAccessShape, TensorMemoryCopyShape, TexelComponent, TextureQuery,
    Unpacking, VectorWidth, VoteMode, WarpMulticast,
};
pub use modifiers::{DeviceUnitModifiers, Flags, MatrixShape, Modifiers, TypeRole};
pub use operation::{
    AccessKind, ArithmeticOp, AsyncOp, AsyncTransferKind, AtomicUpdate, CarryOp,
    ClusterLaunchControlOp, ComparisonOp, ControlOp, DeviceUnitOp, HintOp, MatrixOp, MbarrierOp,
    MemoryOp, MoveOp, MultimemOp, Operation, RegisterCountDirection, SimdWidth, StackOp, SurfaceOp,
    SyncOp, TensorCopyOp, TensorMapOp, TensorMemoryOp, TextureOp, ThreadParticipation, VideoOp,
    WarpOp, WarpgroupOp,
};
pub use ptx::PTX;
pub use sass_op::{Extension, FunnelShift, SassOp};
pub use space::StateSpace;
pub use special::SpecialRegister;
pub use target::{Feature, LaunchLimits, MemoryGeometry, Target, TargetKind, TargetRequirement};
pub use type_match::{OperandClass, TypeMatch};
pub use types::{ScalarType, Signedness, TypeKind};
pub use version::Version;
