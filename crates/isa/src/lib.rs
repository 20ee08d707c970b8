//! The facts of PTX and SASS as data: state spaces, types, targets, versions and instruction forms.
//!
//! Nothing goes in; tables come out. This room depends on nothing, holds no text handling beyond
//! spelling its own names, and never executes anything.

pub mod form;
pub mod forms;
pub mod fragment;
pub mod modifier;
pub mod space;
pub mod special;
pub mod target;
pub mod types;
pub mod version;

pub use form::{Does, Form, Gate, Meaning, OperandType, Origin, Set, Value};
pub use modifier::{
    BitwiseOp, BoolOp, CacheOp, CompareOp, Completion, EvictionPriority, MatrixLayout, MulPart,
    Rounding, Scope, Sem, ShuffleMode, VectorWidth, VoteMode,
};
pub use space::StateSpace;
pub use special::SpecialRegister;
pub use target::{Feature, Target};
pub use types::{ScalarType, TypeKind};
pub use version::Version;
