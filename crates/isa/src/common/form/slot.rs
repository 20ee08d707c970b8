//! Names of the modifier slots in syntax lines, and lookup of a slot by its name.

use super::syntax::ModifierSlot;
use crate::modifier::Flag;
use crate::modifiers::TypeRole;
use std::fmt;

macro_rules! slots {
    ($($name:ident $text:literal;)*) => {
        /// Slot of a syntax line. A name has the same meaning in every form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SlotName {
            $(#[doc = concat!("`.", $text, "`")] $name,)*
            /// Slot that accepts exactly one modifier, such as `.sat`.
            Literal(Flag),
        }

        impl SlotName {
            /// All slots that accept values of a set, in table order.
            pub const ALL: &'static [SlotName] = &[$(SlotName::$name,)*];

            /// Returns the name of the slot in syntax lines, without the dot.
            pub const fn name(self) -> &'static str {
                match self {
                    $(SlotName::$name => $text,)*
                    SlotName::Literal(flag) => flag.name(),
                }
            }

            /// Returns the slot with this name. Slots that accept values of a set take precedence over literal modifiers.
            pub fn from_name(name: &str) -> Option<SlotName> {
                match name {
                    $($text => Some(SlotName::$name),)*
                    _ => Flag::from_name(name).map(SlotName::Literal),
                }
            }
        }
    };
}

slots! {
    // Slots for types.
    Type "type";
    Size "size";
    DType "dtype";
    AType "atype";
    BType "btype";
    CType "ctype";
    SType "stype";
    // Slots of memory accesses.
    Space "ss";
    // `dst` and `src` are the names in the manual for the state spaces of the destination and the source of a copy.
    Destination "dst";
    Source "src";
    Vector "vec";
    Sem "sem";
    Weak "weak";
    Scope "scope";
    Mmio "mmio";
    CacheOp "cop";
    Level1Priority "level1::eviction_priority";
    Level2Priority "level2::eviction_priority";
    CacheHint "level::cache_hint";
    PrefetchSize "level::prefetch_size";
    Level "level";
    LevelPriority "level::eviction_priority";
    PrimaryPriority "level::primary_priority";
    SecondaryPriority "level::secondary_priority";
    Completion "completion_mechanism";
    ProxyKind "proxykind";
    // Slots of matrix operations.
    Layout "layout";
    ALayout "alayout";
    BLayout "blayout";
    Shape "shape";
    Count "num";
    Sparsity "spvariant";
    Kind "kind";
    ScaleVector "scale_vec_size";
    ScaleType "scale_type";
    Unpacking "src_fmt";
    BitOp "bitOp";
    // Slots of device units.
    Group "cta_group";
    Dimension "dim";
    LoadMode "load_mode";
    Multicast "multicast";
    Accumulator "acc_prec";
    Query "query";
    Field "field";
    Clamp "clamp";
    Geometry "geom";
    Component "comp";
    Collector "collector_usage";
    Block "block_size";
    Conversion "fmt";
    Packing "packing";
    // Slots that select an operation.
    Op "op";
    Mode "mode";
    Part "part";
    Compare "cmp";
    Bool "bool";
    Round "rnd";
    IntegerRound "irnd";
}

impl SlotName {
    /// Returns the type of the instruction that a type modifier in this slot specifies.
    pub const fn role(self) -> TypeRole {
        match self {
            SlotName::DType => TypeRole::D,
            SlotName::AType | SlotName::SType => TypeRole::A,
            SlotName::BType | SlotName::BLayout => TypeRole::B,
            SlotName::ScaleType => TypeRole::Scale,
            SlotName::CType => TypeRole::C,
            _ => TypeRole::Operation,
        }
    }
}

impl fmt::Display for SlotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Key that identifies a slot of a bound form.
pub trait SlotKey: Copy {
    /// Returns whether the key identifies the slot.
    fn is(self, slot: &ModifierSlot) -> bool;
}

impl SlotKey for SlotName {
    fn is(self, slot: &ModifierSlot) -> bool {
        slot.id == Some(self)
    }
}

/// A flag identifies its literal slot, or the set whose values include the flag.
impl SlotKey for Flag {
    fn is(self, slot: &ModifierSlot) -> bool {
        slot.name == self.name()
    }
}
