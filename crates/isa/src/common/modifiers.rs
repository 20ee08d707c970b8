//! Typed modifiers of one instruction, independent of their order. The checker, the emulator and the views access each modifier as a field.

use crate::form::ModifierValue;
use crate::modifier::{
    AtomicOp, BarrierReduce, BlockIndex, BoolOp, CacheLevel, CacheOp, CompareOp, Completion,
    CtaGroup, EvictionPriority, Flag, FloatTest, Geometry, LoadMode, MatrixCount, MatrixLayout,
    MmaKind, MulPart, OverflowMode, PermuteMode, PrefetchSize, Proxy, ReduceOp, ReferenceKind,
    Rounding, ScaleVector, Scope, Sem, ShuffleMode, SurfaceBounds, SurfaceMode, TensorMapField,
    TensorMemoryAccessShape, TensorMemoryCopyShape, TexelComponent, TextureQuery, Unpacking,
    VectorWidth, VoteMode, WarpMulticast,
};
use crate::space::StateSpace;
use crate::types::ScalarType;

/// Set of flags of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Flags(u128);

impl Flags {
    /// Returns whether the set contains `flag`.
    pub const fn has(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u128) != 0
    }

    /// Returns the set with `flag` added.
    #[must_use]
    pub const fn with(self, flag: Flag) -> Flags {
        Flags(self.0 | (1 << flag as u128))
    }
}

/// Role of a type modifier: the type of the instruction that the modifier specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeRole {
    /// Type of the whole instruction: `.type`, `.size`.
    Operation,
    /// Type of the result: `.dtype`.
    D,
    /// Type of the first source: `.atype`, `.stype`.
    A,
    /// Type of the second source: `.btype`.
    B,
    /// Type of the third source: `.ctype`.
    C,
    /// Type of the scale factors: `.stype` of `mma`.
    Scale,
}

/// Rows, columns and depth of a matrix operation: `m16n16k16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Number of rows of the result matrix.
    pub rows: u16,
    /// Number of columns of the result matrix.
    pub columns: u16,
    /// Depth: number of products that are accumulated per element.
    pub depth: u16,
}

/// Modifiers of an instruction. A field is `None` if the instruction has no such modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// Type that applies to the whole instruction. [`Modifiers::result_type`] and [`Modifiers::source_type`] return the types of operands.
    pub ty: Option<ScalarType>,
    /// `.dtype`
    pub d_type: Option<ScalarType>,
    /// `.atype`, `.stype`
    pub a_type: Option<ScalarType>,
    /// `.btype`
    pub b_type: Option<ScalarType>,
    /// `.ctype`
    pub c_type: Option<ScalarType>,
    /// Type of the scale factors.
    pub scale_type: Option<ScalarType>,
    pub flags: Flags,
    /// State space of the address, or `None` for generic addressing.
    pub space: Option<StateSpace>,
    /// State space of the source address of a copy.
    pub source_space: Option<StateSpace>,
    /// Vector width of a memory access.
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
    /// Layout of the matrix. If the layouts of A and B are specified separately, this is the layout of A.
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
    pub unit: DeviceUnitModifiers,
}

/// Modifiers of instructions of device units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct DeviceUnitModifiers {
    pub geometry: Option<Geometry>,
    pub property: Option<TextureQuery>,
    /// Number of dimensions of a tensor, 1 to 5.
    pub dimensions: Option<u8>,
    pub load_mode: Option<LoadMode>,
    pub group: Option<CtaGroup>,
    /// Access shape of `tcgen05.ld` and `tcgen05.st`.
    pub moved: Option<TensorMemoryAccessShape>,
    /// Shape of `tcgen05.cp`.
    pub copied: Option<TensorMemoryCopyShape>,
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

impl DeviceUnitModifiers {
    /// Returns the load mode of a tensor copy. The default is `.tile`.
    pub fn load_mode(&self) -> LoadMode {
        self.load_mode.unwrap_or(LoadMode::Tile)
    }

    /// Returns the number of dimensions of a tensor, from 1 to 5. The default is 1.
    pub fn n_dimensions(&self) -> usize {
        self.dimensions.map_or(1, usize::from)
    }
}

impl Modifiers {
    /// Adds the value of one modifier. `role` selects the field for a type modifier.
    pub fn set(&mut self, meaning: ModifierValue, role: TypeRole) {
        match meaning {
            ModifierValue::Type(ty) => *self.type_of(role) = Some(ty),
            ModifierValue::Space(space) => self.space = Some(space),
            ModifierValue::SourceSpace(space) => self.source_space = Some(space),
            ModifierValue::Vector(width) => self.vector = Some(width),
            ModifierValue::Cache(op) => self.cache = Some(op),
            ModifierValue::Sem(sem) => self.sem = Some(sem),
            ModifierValue::Scope(scope) => self.scope = Some(scope),
            ModifierValue::EvictL1(priority) => self.evict_l1 = Some(priority),
            ModifierValue::EvictL2(priority) => self.evict_l2 = Some(priority),
            ModifierValue::CacheLevel(level) => self.cache_level = Some(level),
            ModifierValue::Prefetch(size) => self.prefetch = Some(size),
            ModifierValue::Completion(completion) => self.completion = Some(completion),
            ModifierValue::Proxy(proxy) => self.proxy = Some(proxy),
            ModifierValue::Layout(layout) if role == TypeRole::B => self.b_layout = Some(layout),
            ModifierValue::Layout(layout) => self.layout = Some(layout),
            ModifierValue::Count(count) => self.count = Some(count),
            ModifierValue::Kind(kind) => self.kind = Some(kind),
            ModifierValue::ScaleVector(vector) => self.scale_vector = Some(vector),
            ModifierValue::Unpacking(unpacking) => self.unpacking = Some(unpacking),
            ModifierValue::Shape(rows, columns, depth) => {
                self.shape = Some(MatrixShape {
                    rows,
                    columns,
                    depth,
                });
            }
            ModifierValue::Round(rounding) => self.rounding = Some(rounding),
            ModifierValue::Compare(compare) => self.compare = Some(compare),
            ModifierValue::Bool(op) => self.combine = Some(op),
            ModifierValue::Part(part) => self.part = Some(part),
            ModifierValue::Overflow(mode) => self.overflow = Some(mode),
            ModifierValue::Permute(mode) => self.permute = Some(mode),
            ModifierValue::Test(test) => self.test = Some(test),
            ModifierValue::Shuffle(mode) => self.shuffle = Some(mode),
            ModifierValue::Vote(mode) => self.vote = Some(mode),
            ModifierValue::Atomic(op) => self.atomic = Some(op),
            ModifierValue::Reduce(op) => self.reduce = Some(op),
            ModifierValue::BarrierReduce(op) => self.barrier_reduce = Some(op),
            ModifierValue::Flag(flag) => self.flags = self.flags.with(flag),
            ModifierValue::Geometry(geometry) => self.unit.geometry = Some(geometry),
            ModifierValue::Query(_, property) => self.unit.property = Some(property),
            ModifierValue::Dimensions(n) => self.unit.dimensions = Some(n),
            ModifierValue::LoadMode(mode) => self.unit.load_mode = Some(mode),
            ModifierValue::CtaGroup(group) => self.unit.group = Some(group),
            ModifierValue::MoveShape(shape) => self.unit.moved = Some(shape),
            ModifierValue::CopyShape(shape) => self.unit.copied = Some(shape),
            ModifierValue::Warps(warps) => self.unit.warps = Some(warps),
            ModifierValue::Field(field) => self.unit.field = Some(field),
            ModifierValue::Block(index) => self.unit.block = Some(index),
            ModifierValue::Accumulator(ty) => self.unit.accumulator = Some(ty),
            ModifierValue::Surface(mode) => self.unit.surface = Some(mode),
            ModifierValue::Beyond(bounds) => self.unit.bounds = Some(bounds),
            ModifierValue::Component(component) => self.unit.component = Some(component),
            ModifierValue::Reference(kind) => self.unit.reference = Some(kind),
            ModifierValue::Word => {}
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

    /// Returns whether the flag is present.
    pub const fn has(&self, flag: Flag) -> bool {
        self.flags.has(flag)
    }

    /// Returns the type of the result, which is `.dtype` if present, otherwise the type of the whole instruction.
    pub fn result_type(&self) -> Option<ScalarType> {
        self.d_type.or(self.ty)
    }

    /// Returns the type of the first source, which is `.atype` if present, otherwise the type of the whole instruction.
    pub fn source_type(&self) -> Option<ScalarType> {
        self.a_type.or(self.ty)
    }

    /// Returns the state space of the address. The default is generic addressing.
    pub fn state_space(&self) -> StateSpace {
        self.space.unwrap_or(StateSpace::Generic)
    }

    /// Returns the number of elements of a memory access. The default is 1.
    pub fn n_elements(&self) -> usize {
        self.vector.map_or(1, VectorWidth::n_elements)
    }

    /// Returns the number of scale factors per row of A or column of B: the number that `.scale_vec::` specifies, or 2 for `.kind::mxf4`
    /// without this modifier.
    pub fn factors_per_line(&self) -> u8 {
        match (self.scale_vector, self.kind) {
            (Some(ScaleVector::X4), _) => 4,
            (Some(ScaleVector::X2), _) | (None, Some(MmaKind::Mxf4)) => 2,
            (Some(ScaleVector::X1) | None, _) => 1,
            // A row of A has 64 elements for 4-bit floats, and 32 elements for all other types.
            (Some(ScaleVector::Block16), _) => 4,
            (Some(ScaleVector::Block32), Some(MmaKind::Mxf4 | MmaKind::Mxf4nvf4)) => 2,
            (Some(ScaleVector::Block32), _) => 1,
        }
    }

    /// Returns the rounding mode. The modifiers `.approx` and `.full` count as rounding modes.
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
