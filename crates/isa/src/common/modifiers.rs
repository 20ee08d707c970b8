//! The modifiers of one instruction, typed: what its words say, whatever their order. In: meanings of single words;
//! out: one value that the checker, the emulator and the views read by field.

use crate::form::Meaning;
use crate::modifier::{
    AtomicOp, BarrierReduce, BlockIndex, BoolOp, CacheLevel, CacheOp, CompareOp, Completion,
    CopyShape, CtaGroup, EvictionPriority, Flag, FloatTest, Geometry, LoadMode, MatrixCount,
    MatrixLayout, MmaKind, MoveShape, MulPart, OverflowMode, PermuteMode, PrefetchSize, Property,
    Proxy, ReduceOp, ReferenceKind, Rounding, ScaleVector, Scope, Sem, ShuffleMode, SurfaceBounds,
    SurfaceMode, TensorMapField, TexelComponent, Unpacking, VectorWidth, VoteMode, WarpMulticast,
};
use crate::space::StateSpace;
use crate::types::ScalarType;

/// Flags that an instruction has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Flags(u128);

impl Flags {
    /// Whether the flag is written.
    pub const fn has(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u128) != 0
    }

    /// The same flags and this one.
    #[must_use]
    pub const fn with(self, flag: Flag) -> Flags {
        Flags(self.0 | (1 << flag as u128))
    }
}

/// Which type of an instruction a type word gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeRole {
    /// Of the whole instruction: `.type`, `.size`.
    Operation,
    /// Of the result: `.dtype`.
    D,
    /// Of the first source: `.atype`, `.stype`.
    A,
    /// Of the second source: `.btype`.
    B,
    /// Of the third source: `.ctype`.
    C,
    /// Of the factors of scaled matrices: `.stype` of `mma`.
    Scale,
}

/// Rows, columns and depth of a matrix operation: `m16n16k16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Rows of the result.
    pub rows: u16,
    /// Columns of the result.
    pub columns: u16,
    /// Terms of each sum.
    pub depth: u16,
}

/// What the modifiers of an instruction say. `None` where the instruction has no such word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// The type of the instruction; see [`Modifiers::result_type`] and its relatives for single operands.
    pub ty: Option<ScalarType>,
    /// `.dtype`
    pub d_type: Option<ScalarType>,
    /// `.atype`, `.stype`
    pub a_type: Option<ScalarType>,
    /// `.btype`
    pub b_type: Option<ScalarType>,
    /// `.ctype`
    pub c_type: Option<ScalarType>,
    /// The type of the factors of scaled matrices.
    pub scale_type: Option<ScalarType>,
    pub flags: Flags,
    /// The state space that is named; `None` for generic addressing.
    pub space: Option<StateSpace>,
    /// The state space that a copy reads.
    pub source_space: Option<StateSpace>,
    /// Elements of a vector access.
    pub vector: Option<VectorWidth>,
    pub sem: Option<Sem>,
    pub scope: Option<Scope>,
    pub cache: Option<CacheOp>,
    pub evict_l1: Option<EvictionPriority>,
    pub evict_l2: Option<EvictionPriority>,
    pub cache_level: Option<CacheLevel>,
    pub prefetch: Option<PrefetchSize>,
    pub completion: Option<Completion>,
    pub proxy: Option<Proxy>,
    /// Of the matrix; of A where the layouts of A and B are named.
    pub layout: Option<MatrixLayout>,
    /// `.blayout`
    pub b_layout: Option<MatrixLayout>,
    /// `.num`
    pub count: Option<MatrixCount>,
    pub kind: Option<MmaKind>,
    pub scale_vector: Option<ScaleVector>,
    pub unpacking: Option<Unpacking>,
    pub shape: Option<MatrixShape>,
    pub rounding: Option<Rounding>,
    pub compare: Option<CompareOp>,
    pub combine: Option<BoolOp>,
    pub part: Option<MulPart>,
    pub overflow: Option<OverflowMode>,
    pub permute: Option<PermuteMode>,
    pub test: Option<FloatTest>,
    pub shuffle: Option<ShuffleMode>,
    pub vote: Option<VoteMode>,
    pub atomic: Option<AtomicOp>,
    pub reduce: Option<ReduceOp>,
    pub barrier_reduce: Option<BarrierReduce>,
    pub unit: UnitModifiers,
}

/// What the modifiers say that only units beside the lanes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct UnitModifiers {
    pub geometry: Option<Geometry>,
    pub property: Option<Property>,
    /// Dimensions of a tensor: 1 to 5.
    pub dimensions: Option<u8>,
    pub load_mode: Option<LoadMode>,
    pub group: Option<CtaGroup>,
    /// What `tcgen05.ld` and `tcgen05.st` move.
    pub moved: Option<MoveShape>,
    /// What `tcgen05.cp` moves.
    pub copied: Option<CopyShape>,
    pub warps: Option<WarpMulticast>,
    pub field: Option<TensorMapField>,
    pub block: Option<BlockIndex>,
    /// `.acc`
    pub accumulator: Option<ScalarType>,
    pub surface: Option<SurfaceMode>,
    pub bounds: Option<SurfaceBounds>,
    pub component: Option<TexelComponent>,
    pub reference: Option<ReferenceKind>,
}

impl UnitModifiers {
    /// Which elements of a tensor a copy moves; a box where no word says.
    pub fn load_mode(&self) -> LoadMode {
        self.load_mode.unwrap_or(LoadMode::Tile)
    }

    /// Dimensions of a tensor: 1 to 5.
    pub fn n_dimensions(&self) -> usize {
        self.dimensions.map_or(1, usize::from)
    }
}

impl Modifiers {
    /// Adds the meaning of one word; `role` says which type a type word gives.
    pub fn set(&mut self, meaning: Meaning, role: TypeRole) {
        match meaning {
            Meaning::Type(ty) => *self.type_of(role) = Some(ty),
            Meaning::Space(space) => self.space = Some(space),
            Meaning::SourceSpace(space) => self.source_space = Some(space),
            Meaning::Vector(width) => self.vector = Some(width),
            Meaning::Cache(op) => self.cache = Some(op),
            Meaning::Sem(sem) => self.sem = Some(sem),
            Meaning::Scope(scope) => self.scope = Some(scope),
            Meaning::EvictL1(priority) => self.evict_l1 = Some(priority),
            Meaning::EvictL2(priority) => self.evict_l2 = Some(priority),
            Meaning::CacheLevel(level) => self.cache_level = Some(level),
            Meaning::Prefetch(size) => self.prefetch = Some(size),
            Meaning::Completion(completion) => self.completion = Some(completion),
            Meaning::Proxy(proxy) => self.proxy = Some(proxy),
            Meaning::Layout(layout) if role == TypeRole::B => self.b_layout = Some(layout),
            Meaning::Layout(layout) => self.layout = Some(layout),
            Meaning::Count(count) => self.count = Some(count),
            Meaning::Kind(kind) => self.kind = Some(kind),
            Meaning::ScaleVector(vector) => self.scale_vector = Some(vector),
            Meaning::Unpacking(unpacking) => self.unpacking = Some(unpacking),
            Meaning::Shape(rows, columns, depth) => {
                self.shape = Some(MatrixShape {
                    rows,
                    columns,
                    depth,
                });
            }
            Meaning::Round(rounding) => self.rounding = Some(rounding),
            Meaning::Compare(compare) => self.compare = Some(compare),
            Meaning::Bool(op) => self.combine = Some(op),
            Meaning::Part(part) => self.part = Some(part),
            Meaning::Overflow(mode) => self.overflow = Some(mode),
            Meaning::Permute(mode) => self.permute = Some(mode),
            Meaning::Test(test) => self.test = Some(test),
            Meaning::Shuffle(mode) => self.shuffle = Some(mode),
            Meaning::Vote(mode) => self.vote = Some(mode),
            Meaning::Atomic(op) => self.atomic = Some(op),
            Meaning::Reduce(op) => self.reduce = Some(op),
            Meaning::BarrierReduce(op) => self.barrier_reduce = Some(op),
            Meaning::Flag(flag) => self.flags = self.flags.with(flag),
            Meaning::Geometry(geometry) => self.unit.geometry = Some(geometry),
            Meaning::Query(_, property) => self.unit.property = Some(property),
            Meaning::Dimensions(n) => self.unit.dimensions = Some(n),
            Meaning::LoadMode(mode) => self.unit.load_mode = Some(mode),
            Meaning::CtaGroup(group) => self.unit.group = Some(group),
            Meaning::MoveShape(shape) => self.unit.moved = Some(shape),
            Meaning::CopyShape(shape) => self.unit.copied = Some(shape),
            Meaning::Warps(warps) => self.unit.warps = Some(warps),
            Meaning::Field(field) => self.unit.field = Some(field),
            Meaning::Block(index) => self.unit.block = Some(index),
            Meaning::Accumulator(ty) => self.unit.accumulator = Some(ty),
            Meaning::Surface(mode) => self.unit.surface = Some(mode),
            Meaning::Beyond(bounds) => self.unit.bounds = Some(bounds),
            Meaning::Component(component) => self.unit.component = Some(component),
            Meaning::Reference(kind) => self.unit.reference = Some(kind),
            Meaning::Word => {}
        }
    }

    fn type_of(&mut self, role: TypeRole) -> &mut Option<ScalarType> {
        match role {
            TypeRole::Operation => &mut self.ty,
            TypeRole::D => &mut self.d_type,
            TypeRole::A => &mut self.a_type,
            TypeRole::B => &mut self.b_type,
            TypeRole::C => &mut self.c_type,
            TypeRole::Scale => &mut self.scale_type,
        }
    }

    /// Whether the flag is written.
    pub const fn has(&self, flag: Flag) -> bool {
        self.flags.has(flag)
    }

    /// The type of the result: its own, or that of the instruction.
    pub fn result_type(&self) -> Option<ScalarType> {
        self.d_type.or(self.ty)
    }

    /// The type of the first source: its own, or that of the instruction.
    pub fn source_type(&self) -> Option<ScalarType> {
        self.a_type.or(self.ty)
    }

    /// The state space of the address; generic where none is named.
    pub fn state_space(&self) -> StateSpace {
        self.space.unwrap_or(StateSpace::Generic)
    }

    /// Elements of a vector access; 1 where no width is named.
    pub fn n_elements(&self) -> usize {
        self.vector.map_or(1, VectorWidth::n_elements)
    }

    /// Factors of a row of A or a column of B, where a product has them: what `.scale_vec::` says, and 2 for `.kind::mxf4` without it.
    pub fn factors_per_line(&self) -> u8 {
        match (self.scale_vector, self.kind) {
            (Some(ScaleVector::X4), _) => 4,
            (Some(ScaleVector::X2), _) | (None, Some(MmaKind::Mxf4)) => 2,
            (Some(ScaleVector::X1) | None, _) => 1,
            // 64 elements in a row of 4-bit floats, else 32.
            (Some(ScaleVector::Block16), _) => 4,
            (Some(ScaleVector::Block32), Some(MmaKind::Mxf4 | MmaKind::Mxf4nvf4)) => 2,
            (Some(ScaleVector::Block32), _) => 1,
        }
    }

    /// How the result is rounded; `.approx` and `.full` count as ways to round.
    pub fn rounding(&self) -> Option<Rounding> {
        if self.has(Flag::Approx) {
            return Some(Rounding::Approx);
        }
        if self.has(Flag::Full) {
            return Some(Rounding::Full);
        }
        self.rounding
    }
}
