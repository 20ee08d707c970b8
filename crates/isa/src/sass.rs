//! SASS tables by architecture: store mnemonics as printed by the disassemblers, one-sentence opcode descriptions, and the attributes of
//! `.nv.info`.
//!
//! NVIDIA documents only the opcodes and, on one page, `STL` and `STS`. All other entries are derived from the output of `ptxas` 13.5 and
//! 12.9 (11.8 for `sm_35` and `sm_37`). Each entry lists the architectures on which the output contains the instruction.

pub mod addresses;
pub mod control;
pub mod forms;
pub mod modifiers;
pub mod nv_info;
pub mod opcodes;
pub mod ptx_mapping;
pub mod stores;

pub use addresses::{AddressShape, SassAddressForm};
pub use forms::{Counterpart, Forms, SyntaxLine, find_forms};
pub use opcodes::{SassOpcode, find_opcode};
pub use stores::{MnemonicSlot, StoreModifier, StoreModifierKind, StoreOpcode, find_store};

use crate::target::TargetRequirement;

/// The architectures from Kepler to Pascal.
pub(crate) const UP_TO_62: TargetRequirement = TargetRequirement::Between(35, 62);
/// The Volta and Turing architectures.
pub(crate) const VOLTA: TargetRequirement = TargetRequirement::Between(70, 75);
/// The architectures from Turing to Ada.
pub(crate) const TURING_TO_ADA: TargetRequirement = TargetRequirement::Between(75, 89);
/// The architectures from Kepler to Ada.
pub(crate) const UP_TO_89: TargetRequirement = TargetRequirement::Between(35, 89);
