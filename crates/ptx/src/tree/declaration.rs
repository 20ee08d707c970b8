//! Declarations, functions and directives.

use crate::tree::Range;
use crate::tree::name::Name;
use warpgrid_isa::{ScalarType, StateSpace, VectorWidth};
use warpgrid_program::Span;

/// Who else sees a name of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    Extern,
    Visible,
    Weak,
    Common,
}

/// The state space of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclarationSpace {
    Reg,
    Const,
    Global,
    Local,
    Param,
    Shared,
    /// `.tex`, from before texture references.
    Tex,
}

/// The type of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeclaredType {
    Scalar(ScalarType),
    TexRef,
    SamplerRef,
    SurfRef,
    /// A type that the text does not give; a diagnostic says so.
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

/// One entry of `.attribute(...)`: `.managed`, `.unified(1, 2)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub span: Span,
    /// With its dot.
    pub word: Span,
}

/// A declaration with one or more names, or one parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// With its `;`, where it has one.
    pub span: Span,
    pub linkage: Option<Linkage>,
    pub linkage_span: Span,
    pub space: DeclarationSpace,
    pub space_span: Span,
    /// `.const[2]`, before PTX ISA 2.2.
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

/// One name of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declarator {
    /// From the name to the end of its initialiser.
    pub span: Span,
    /// `None` for a parameter that is not named.
    pub name: Option<Name>,
    pub name_span: Span,
    /// `%r<5>` declares `%r0` to `%r4`.
    pub count: Option<u32>,
    pub count_span: Span,
    /// Range in [`crate::tree::Tree::dimensions`].
    pub dimensions: Range,
    /// Range in [`crate::tree::Tree::init_values`]; empty without `=`.
    pub initializer: Range,
}

/// `[4]` or `[]`, brackets included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub span: Span,
    pub size: Option<u64>,
}

/// One value of an initialiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitValue {
    pub span: Span,
    pub kind: InitValueKind,
}

/// What an initialiser says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InitValueKind {
    Integer {
        value: u64,
        unsigned: bool,
    },
    Single(u32),
    Double(u64),
    /// `name`, `name+4`, `generic(name)`, `0xFF00(name)`, `mask` being the byte to take.
    Address {
        name: Name,
        name_span: Span,
        offset: i64,
        generic: bool,
        mask: Option<u64>,
    },
    /// `0xFF00(0x1234)`: the byte that the mask takes.
    MaskedInteger {
        value: u64,
        mask: u64,
    },
    /// `"text"`, quotes included in the span.
    String,
    /// `{ ... }`: the next `entries` values are inside.
    List {
        entries: u32,
    },
    /// `filter_mode = linear` of a texture or sampler: the fields of a setting, and the name that is its value, if it is one.
    Setting {
        field: Span,
        symbol: Option<Span>,
    },
    Error,
}

/// `.entry` or `.func`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionSort {
    Entry,
    Func,
}

/// The head of a function, with or without a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionHeader {
    /// From the linkage word to the `{` or `;`, exclusive.
    pub span: Span,
    pub linkage: Option<Linkage>,
    pub linkage_span: Span,
    pub sort: FunctionSort,
    /// `.entry` or `.func`.
    pub sort_span: Span,
    pub name: Option<Name>,
    pub name_span: Span,
    /// `.attribute(...)` before the name, into [`crate::tree::Tree::attributes`].
    pub attributes: Range,
    /// Range in [`crate::tree::Tree::declarations`].
    pub returns: Range,
    /// Range in [`crate::tree::Tree::declarations`].
    pub parameters: Range,
    /// `.maxntid` and so on, into [`crate::tree::Tree::directives`].
    pub directives: Range,
    pub has_body: bool,
}

/// What a directive is; the arguments of each are in [`Directive::arguments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DirectiveKind {
    /// `.version 8.5`: the arguments are two integers, major and minor.
    Version,
    /// `.target sm_90, texmode_unified`: names.
    Target,
    /// `.address_size 64`: an integer.
    AddressSize,
    /// `.file 1 "name", 2, 3`
    File,
    /// `.loc 1 2 3`, then `function_name label+4` and `inlined_at 1 2 3`, names and integers.
    Loc,
    /// `.section .debug_info { ... }`: the section's name; the contents are in the span.
    Section,
    /// `.pragma "nounroll";`
    Pragma,
    /// `.alias f, g;`
    Alias,
    /// `label: .callprototype (...) _ (...);` The parameters are declarations, see
    /// [`Directive::prototype`].
    CallPrototype,
    /// `label: .calltargets f, g;`
    CallTargets,
    /// `label: .branchtargets a, b;`
    BranchTargets,
    /// `.maxntid 1, 2, 3` and its kind: `.reqntid`, `.maxnreg`, `.minnctapersm`, `.reqnctapercluster`,
    /// `.explicitcluster`, `.maxclusterrank`, `.blocksareclusters`, `.noreturn`, `.abi_preserve`, ...
    Performance,
    /// `@@DWARF ...` of old modules: one line.
    Dwarf,
    /// Anything else that starts with a dot.
    Unknown,
}

/// A directive that declares no variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// With its `;` or `}`, where it has one.
    pub span: Span,
    pub kind: DirectiveKind,
    /// The word with its dot: `.maxntid`.
    pub word: Span,
    /// Range in [`crate::tree::Tree::operands`].
    pub arguments: Range,
    /// For `.callprototype`: index into [`crate::tree::Tree::functions`] plus one of a nameless header.
    pub prototype: u32,
}
