//! The facts of PTX and SASS as data: state spaces, types, targets, versions and instruction forms.
//!
//! Nothing goes in; tables come out. This room depends on nothing, holds no text handling beyond
//! spelling its own names, and never executes anything.

pub mod does;
pub mod form;
pub mod forms;
pub mod modifier;
pub mod modifiers;
pub mod space;
pub mod special;
pub mod target;
pub mod types;
pub mod version;

pub use does::{
    ArithmeticOp, AsyncOp, CarryOp, CompareForm, ControlOp, Does, HintOp, MatrixOp, MemoryOp,
    MoveOp, SyncOp, WarpOp,
};
pub use form::{Form, Gate, Meaning, OperandType, Origin, Set, Value};
pub use modifier::{
    AtomicOp, BarrierReduce, BoolOp, CacheLevel, CacheOp, CompareOp, Completion, EvictionPriority,
    Flag, FloatTest, MatrixLayout, MulPart, OverflowMode, PermuteMode, PrefetchSize, Proxy,
    ReduceOp, Rounding, Scope, Sem, ShuffleMode, VectorWidth, VoteMode,
};
pub use modifiers::{Flags, MatrixShape, Modifiers, TypeRole};
pub use space::StateSpace;
pub use special::SpecialRegister;
pub use target::{Feature, Target};
pub use types::{ScalarType, TypeKind};
pub use version::Version;
