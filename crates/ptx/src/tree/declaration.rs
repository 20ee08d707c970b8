//! Syntax tree of declarations, function headers and directives.

use crate::tree::Range;
use crate::tree::name::Name;
use warpgrid_isa::{ScalarType, StateSpace, VectorWidth};
use warpgrid_program::Span;

/// Linkage of a name of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    Extern,
    Visible,
    Weak,
    Common,
}

/// State space of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclarationSpace {
    Reg,
    Const,
    Global,
    Local,
    Param,
    Shared,
    /// `.tex`, the predecessor of texture references.
    Tex,
}

/// Type that a declaration specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclaredType {
    Scalar(ScalarType),
    TexRef,
    SamplerRef,
    SurfRef,
    /// Missing type, for which the parser has reported a diagnostic.
    Missing,
}

/// `.align 16`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    pub span: Span,
    pub bytes: u64,
}

/// `.ptr .global .align 16` of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    pub span: Span,
    pub space: Option<StateSpace>,
    pub alignment: Option<Alignment>,
}

/// Entry of `.attribute(...)`: `.managed`, `.unified(1, 2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub span: Span,
    /// Keyword of the attribute, including the dot.
    pub word: Span,
}

/// Declaration with one or more names, or one parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Span of the declaration, including the `;` if it has one.
    pub span: Span,
    pub linkage: Option<Linkage>,
    pub linkage_span: Span,
    pub space: DeclarationSpace,
    pub space_span: Span,
    /// Bank number of `.const[2]`, which PTX ISA versions before 2.2 permit.
    pub bank: Option<u64>,
    pub alignment: Option<Alignment>,
    pub vector: Option<VectorWidth>,
    pub vector_span: Span,
    pub scalar: DeclaredType,
    pub type_span: Span,
    pub pointer: Option<Pointer>,
    /// Range in [`crate::tree::Tree::attributes`].
    pub attributes: Range,
    /// Range in [`crate::tree::Tree::declarators`].
    pub declarators: Range,
}

/// Name that a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// Span from the name to the end of its initializer.
    pub span: Span,
    /// The name, or `None` for an unnamed parameter.
    pub name: Option<Name>,
    pub name_span: Span,
    /// Number of registers: `%r<5>` declares `%r0` to `%r4`.
    pub count: Option<u32>,
    pub count_span: Span,
    /// Range in [`crate::tree::Tree::dimensions`].
    pub dimensions: Range,
    /// Range in [`crate::tree::Tree::init_values`]. The range is empty if the declarator has no initializer.
    pub initializer: Range,
}

/// Array dimension `[4]` or `[]`. The span includes the brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub span: Span,
    pub size: Option<u64>,
}

/// Value of one element in an initializer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitValue {
    pub span: Span,
    pub kind: InitValueKind,
}

/// Kind of an initializer value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InitValueKind {
    Integer {
        value: u64,
        unsigned: bool,
    },
    Single(u32),
    Double(u64),
    /// `name`, `name+4`, `generic(name)`, `0xFF00(name)`. The mask in `mask` selects one byte of the address.
    Address {
        name: Name,
        name_span: Span,
        offset: i64,
        generic: bool,
        mask: Option<u64>,
    },
    /// Byte of an integer that a mask selects, such as `0xFF00(0x1234)`.
    MaskedInteger {
        value: u64,
        mask: u64,
    },
    /// `"text"`. The span includes the quotation marks.
    String,
    /// `{ ... }`. The next `entries` values are the elements of the list.
    List {
        entries: u32,
    },
    /// Setting of a texture or sampler field, such as `filter_mode = linear`: the name of the field, and the value if the value is a name.
    Setting {
        field: Span,
        symbol: Option<Span>,
    },
    Error,
}

/// `.entry` or `.func`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionDirective {
    Entry,
    Func,
}

/// Header of a function, which may be followed by a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionHeader {
    /// Span from the linkage directive up to the `{` or `;`, exclusive.
    pub span: Span,
    pub linkage: Option<Linkage>,
    pub linkage_span: Span,
    pub sort: FunctionDirective,
    /// Span of `.entry` or `.func`.
    pub sort_span: Span,
    pub name: Option<Name>,
    pub name_span: Span,
    /// `.attribute(...)` before the name: range in [`crate::tree::Tree::attributes`].
    pub attributes: Range,
    /// Range in [`crate::tree::Tree::declarations`].
    pub returns: Range,
    /// Range in [`crate::tree::Tree::declarations`].
    pub parameters: Range,
    /// Performance-tuning directives such as `.maxntid`: range in [`crate::tree::Tree::directives`].
    pub directives: Range,
    pub has_body: bool,
}

/// Kind of a directive. [`Directive::arguments`] contains its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DirectiveKind {
    /// `.version 8.5`. The arguments are two integers: the major and minor version.
    Version,
    /// `.target sm_90, texmode_unified`. The arguments are names.
    Target,
    /// `.address_size 64`. The argument is an integer.
    AddressSize,
    /// `.file 1 "name", 2, 3`
    File,
    /// `.loc 1 2 3`, then `function_name label+4` and `inlined_at 1 2 3`. The arguments are names and integers.
    Loc,
    /// `.section .debug_info { ... }`. The argument is the name of the section. The span includes the contents.
    Section,
    /// `.pragma "nounroll";`
    Pragma,
    /// `.alias f, g;`
    Alias,
    /// `label: .callprototype (...) _ (...);` The parameters are stored as declarations. See [`Directive::prototype`].
    CallPrototype,
    /// `label: .calltargets f, g;`
    CallTargets,
    /// `label: .branchtargets a, b;`
    BranchTargets,
    /// `.maxntid 1, 2, 3` and similar directives: `.reqntid`, `.maxnreg`, `.minnctapersm`, `.reqnctapercluster`,
    /// `.explicitcluster`, `.maxclusterrank`, `.blocksareclusters`, `.noreturn`, `.abi_preserve`, ...
    Performance,
    /// `@@DWARF ...` in old modules. The directive extends to the end of its line.
    Dwarf,
    /// Any other construct that starts with a dot.
    Unknown,
}

/// Directive of the source other than a variable declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Span of the directive, including its `;` or `}` if it has one.
    pub span: Span,
    pub kind: DirectiveKind,
    /// Span of the keyword, including the dot: `.maxntid`.
    pub word: Span,
    /// Range in [`crate::tree::Tree::operands`].
    pub arguments: Range,
    /// For `.callprototype`: one plus the index into [`crate::tree::Tree::functions`] of a header without a name. 0 for all other
    /// directives.
    pub prototype: u32,
}
