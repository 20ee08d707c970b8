//! Instruction set tables of PTX and SASS: instruction forms, modifiers, types, state spaces, targets and versions, and lookup functions on
//! the tables.
//!
//! - Input: an opcode with its modifiers, or the name of a type, target, special register or matrix operation.
//! - Output: the matching table entry, the mismatches between an instruction and its form, the gate of an instruction, or the mapping of
//!   matrix elements to lanes and registers.
//! - Main types: [`Dialect`] and its instance [`PTX`], [`Form`], [`Modifiers`], [`Operation`], [`Gate`], [`Target`], [`ScalarType`], and
//!   [`fragment::FragmentMap`].
//! - The crate has no dependencies, parses only its own syntax lines and names, and executes nothing.
//!
//! Modules:
//!
//! - `common`: definitions shared by all dialects, and the parser of the form tables.
//! - `fragment`: mapping of matrix elements to the lanes and registers of a warp.
//! - `tensor_layout`: mapping of matrix elements to warpgroup registers, shared memory and tensor memory.
//! - `ptx`: the PTX tables, with one file per instruction family.
//! - `sass`: the SASS tables: instruction forms, modifiers, stores by architecture, and the mapping between PTX and SASS stores.
//!
//! # Example
//!
//! Selects the form of a `st` instruction with two operands, and checks the requirements of the instruction.
//!
//! ```
//! use warpgrid_isa::{PTX, Target, Version};
//!
//! let bound = PTX.bind("st", &["global", "u32"], Some(2)).expect("`st` has forms");
//! assert!(bound.complaints.is_empty());
//! assert!(bound.gate().is_satisfied_by(Version::NEWEST, Target::default_target()));
//! ```

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
