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
pub mod layout;
pub mod ptx;
pub mod sass;

pub use common::{
    dialect, does, fit, form, machine, modifier, modifiers, release, space, target, types, version,
    video,
};
pub use ptx::{directives, forms, special};

pub use common::decimal::read_decimal;
pub use common::float_format::{Cut, FloatFormat, FloatTop};
pub use dialect::Dialect;
pub use does::{
    AccessKind, ArithmeticOp, AsyncOp, AtomicUpdate, CarryOp, CompareForm, ControlOp, Does, HintOp,
    LaunchOp, MatrixOp, MbarrierOp, MemoryOp, MoveOp, MultimemOp, RegisterChange, Share, StackOp,
    SurfaceOp, SyncOp, TensorCopyOp, TensorMapOp, TensorMemoryOp, TextureOp, Transfer, UnitOp,
    VideoLanes, VideoOp, WarpOp, WarpgroupOp,
};
pub use fit::{Fit, ValueClass};
pub use form::{
    Form, Gate, Lacking, Meaning, OperandType, Origin, Role, Set, SlotName, Takes, Value,
};
pub use machine::{Extension, FunnelShift, MachineOp};
pub use modifier::{
    AtomicOp, BarrierReduce, BlockIndex, BoolOp, CacheLevel, CacheOp, CompareOp, Completion,
    CopyShape, CtaGroup, EvictionPriority, Flag, FloatTest, Geometry, LoadMode, MatrixCount,
    MatrixLayout, MmaKind, MoveShape, MulPart, OverflowMode, PermuteMode, PrefetchSize, Property,
    Proxy, Queried, ReduceOp, ReferenceKind, Rounding, ScaleVector, Scope, Sem, ShuffleMode,
    SurfaceBounds, SurfaceMode, TensorMapField, TexelComponent, Unpacking, VectorWidth, VoteMode,
    WarpMulticast,
};
pub use modifiers::{Flags, MatrixShape, Modifiers, TypeRole, UnitModifiers};
pub use ptx::PTX;
pub use space::StateSpace;
pub use special::SpecialRegister;
pub use target::{Feature, Limits, MemoryShape, Target, TargetGate, TargetKind};
pub use types::{ScalarType, Signedness, TypeKind};
pub use version::Version;
