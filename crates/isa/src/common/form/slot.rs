//! The names of the slots of syntax lines. In: a name of a syntax line; out: the slot that it means.

use super::layout::Slot;
use crate::modifier::Flag;
use crate::modifiers::TypeRole;
use std::fmt;

macro_rules! slots {
    ($($name:ident $text:literal;)*) => {
        /// A slot of a syntax line, by what it says. The same name means the same thing in every form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SlotName {
            $(#[doc = concat!("`.", $text, "`")] $name,)*
            /// A modifier that is written as it is: `.sat`.
            Literal(Flag),
        }

        impl SlotName {
            /// Every slot that takes values, in table order.
            pub const ALL: &'static [SlotName] = &[$(SlotName::$name,)*];

            /// The name as syntax lines write it, without the dot.
            pub const fn name(self) -> &'static str {
                match self {
                    $(SlotName::$name => $text,)*
                    SlotName::Literal(flag) => flag.name(),
                }
            }

            /// The slot with this name: one that takes values before a literal.
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
    // Types.
    Type "type";
    Size "size";
    DType "dtype";
    AType "atype";
    BType "btype";
    CType "ctype";
    SType "stype";
    // Memory accesses.
    Space "ss";
    // The manual's names for where a copy goes and where it comes from.
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
    // Matrices.
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
    // Units beside the lanes.
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
    // Operations.
    Op "op";
    Mode "mode";
    Part "part";
    Compare "cmp";
    Bool "bool";
    Round "rnd";
    IntegerRound "irnd";
}

impl SlotName {
    /// Which type of the instruction a type word in this slot gives.
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

/// What a slot can be looked up by.
pub trait SlotKey: Copy {
    /// Whether the slot is the one that is meant.
    fn is(self, slot: &Slot) -> bool;
}

impl SlotKey for SlotName {
    fn is(self, slot: &Slot) -> bool {
        slot.id == Some(self)
    }
}

/// A flag is looked up by itself, whether the row has it as a literal or as the value of a set.
impl SlotKey for Flag {
    fn is(self, slot: &Slot) -> bool {
        slot.name == self.name()
    }
}
