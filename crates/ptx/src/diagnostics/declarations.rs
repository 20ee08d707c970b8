//! Declarations of variables, registers and parameters: codes W0600 to W0699.

use super::catalogue;
use crate::tree::FunctionHeader;
use warpgrid_isa::{ScalarType, Version};
use warpgrid_program::{Diagnostic, Edit, Fix, Needs, Span};

catalogue! {
    /// The type came with a later version or with later hardware.
    TYPE_GATE = "W0601", "type of a later version", ".version 8.2\n.target sm_90\n.entry k()\n{\n.reg .b128 x;\n}", ".version 8.3\n.target sm_90\n.entry k()\n{\n.reg .b128 x;\n}";
    /// Predicates are scalar registers: there are none in memory, in vectors or in arrays.
    PREDICATE = "W0602", "predicate outside of a register", ".global .pred p;", ".reg .pred p;";
    /// A declared vector has two or four elements and at most 128 bits.
    VECTOR_SIZE = "W0603", "vector too large", ".reg .v4 .f64 x;", ".reg .v2 .f64 x;";
    /// Registers have no address, so there are no arrays of them; `%r<4>` declares four registers.
    REGISTER_ARRAY = "W0604", "array of registers", ".reg .b32 x[4];", ".reg .b32 x<4>;";
    /// Only global and constant memory is filled before a kernel starts.
    NO_INITIALIZER = "W0605", "initial value in this space", ".shared .u32 v = 5;", ".global .u32 v = 5;";
    /// An initial value is an integer for integers, a float for floats, either for untyped bits; the address of a variable
    /// only for `.u32`, `.u64` and their signed relatives.
    INITIAL_TYPE = "W0606", "initial value of another type", ".global .f32 v = 1;", ".global .f32 v = 1.0;";
    /// A list of initial values has at most as many entries as the array has elements.
    TOO_MANY_VALUES = "W0607", "too many initial values", ".global .u32 v[2] = {1, 2, 3};", ".global .u32 v[3] = {1, 2, 3};";
    /// A vector is initialised with exactly its number of elements.
    VECTOR_VALUES = "W0608", "wrong number of values for a vector", ".global .v2 .u32 v = {1};", ".global .v2 .u32 v = {1, 2};";
    /// The size of a variable is given, or follows from its initial values, unless it is `.extern`.
    INCOMPLETE = "W0609", "array without size", ".shared .u32 v[];", ".shared .u32 v[16];";
    /// Alignment is 1, 2, 4, 8, 16 and so on.
    ALIGNMENT = "W0610", "alignment that is not a power of two", ".global .align 3 .u32 v;", ".global .align 4 .u32 v;";
    /// Parameters of functions and call arguments are aligned to at most 128 bytes.
    PARAMETER_ALIGNMENT = "W0611", "alignment too large for a parameter", ".param .align 256 .b8 v[8];", ".param .align 128 .b8 v[8];";
    /// A parameter is a scalar or an array; vectors and packed pairs are declared as arrays of bytes.
    PARAMETER_TYPE = "W0612", "type that a parameter cannot have", ".param .v2 .f32 v;", ".param .align 8 .b8 v[8];";
    /// `.managed` is for global memory, which host and device share then.
    ATTRIBUTE = "W0613", "attribute in this space", ".shared .attribute(.managed) .u32 v;", ".global .attribute(.managed) .u32 v;";
    /// Textures, samplers and surfaces are declared outside of functions, in global memory, or as kernel parameters.
    TEXTURE_PLACE = "W0614", "texture inside a function", ".global .texref t;", ".version 8.3\n.target sm_90\n.global .texref t;\n.entry k()\n{\nret;\n}";
    /// The state space `.tex` was removed in PTX ISA 1.5.
    TEX_SPACE = "W0615", "`.tex` space", ".tex .u32 t;", ".version 8.3\n.target sm_90\n.global .texref t;\n.entry k()\n{\nret;\n}";
    /// Parameters inside a function body, for calls, came with PTX ISA 2.0.
    PARAMETER_PLACE = "W0616", "parameter in a function body", ".version 1.4\n.target sm_13\n.entry k()\n{\n.param .u32 v;\n}", ".version 2.3\n.target sm_13\n.address_size 64\n.entry k()\n{\n.param .u32 v;\n}";
    /// Static shared memory of a kernel is at most 48 KiB, on targets of one architecture (`sm_90a`) what the hardware has; more must be dynamic (`.extern .shared`), sized at launch.
    SHARED_SIZE = "W0617", "too much shared memory", ".shared .b8 v[65536];", ".version 8.3\n.target sm_90\n.extern .shared .b8 v[];\n.entry k()\n{\nret;\n}";
    /// All `.const` variables of a module share 64 KiB.
    CONST_SIZE = "W0618", "too much constant memory", ".const .b8 v[65537];", ".global .b8 v[65537];";
    /// Variables of this state space are declared inside functions only.
    MODULE_SPACE = "W0620", "state space for functions only", ".version 8.3\n.target sm_90\n.reg .b32 v;\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.entry k()\n{\n.reg .b32 v;\nret;\n}";
    /// Half-precision variables cannot have initial values; the bits can be given to a `.b16` variable.
    HALF_VALUE = "W0621", "initial value of a half", ".global .f16 v = 1.0;", ".global .b16 v = 0x3C00;";
    /// Initial values can be addresses of functions and of variables in global or constant memory.
    INITIAL_SYMBOL = "W0622", "name that cannot be an initial value", ".shared .u32 w; .global .u64 v = w;", ".global .u32 w; .global .u64 v = w;";
    /// A directive of a function goes with some others only, takes numbers of at least 1, or is no longer part of the language.
    DIRECTIVE = "W0623", "directive not allowed here", ".version 8.0\n.target sm_90\n.entry k() .maxntid 0\n{\nret;\n}", ".version 8.0\n.target sm_90\n.entry k() .maxntid 32\n{\nret;\n}";
    /// The parameters of a kernel take at most 32,764 bytes. Before `sm_90` they end within the first 65,536 bytes of a constant bank,
    /// where their alignment counts.
    PARAMETER_BYTES = "W0624", "too many bytes of parameters", ".version 8.3\n.target sm_90\n.entry k(.param .b8 p[32768])\n{\nret;\n}", ".version 8.3\n.target sm_90\n.entry k(.param .b8 p[32764])\n{\nret;\n}";
    /// A function or variable may be declared several times, always alike: with the same parameters, type and linkage. What
    /// defines an `.extern` variable is seen by other modules.
    REDECLARED = "W0625", "declared again in another way", ".version 8.3\n.target sm_90\n.extern .global .u32 v;\n.visible .global .f32 v;\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.extern .global .u32 v;\n.visible .global .u32 v;\n.entry k()\n{\nret;\n}";
    /// A function that the module declares has its body in the module, or is `.extern`: in another module, which is linked later.
    UNRESOLVED = "W0626", "function without a body", ".version 8.3\n.target sm_90\n.func f();\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.extern .func f();\n.entry k()\n{\nret;\n}";
    /// `.alias` gives a function of the module a second name. Both names are declared before it, with the same parameters; the
    /// second one has no body.
    ALIAS = "W0627", "second name of a function", ".version 8.3\n.target sm_90\n.func f() { ret; }\n.alias f, f;\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.func f() { ret; }\n.func g();\n.alias g, f;\n.entry k()\n{\nret;\n}";
    /// Debug information is consistent: a file has one number, a label one place, and where a function was inlined is a place of an
    /// earlier `.loc`.
    DEBUG_DATA = "W0628", "debug information", ".version 8.3\n.target sm_90\n.file 1 \"a.cu\"\n.file 1 \"b.cu\"\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.file 1 \"a.cu\"\n.file 2 \"b.cu\"\n.entry k()\n{\nret;\n}";
    /// Parameters of a kernel are in `.param`. A function returns one `.param`, or several registers; only its last parameter is an
    /// array without size. Only parameters of kernels and prototypes of calls have the name `_`.
    PARAMETER_LIST = "W0629", "parameter that the list cannot have", ".version 8.3\n.target sm_90\n.entry k(.reg .u32 n)\n{\nret;\n}", ".version 8.3\n.target sm_90\n.entry k(.param .u32 n)\n{\nret;\n}";
    /// An initial value may be one byte of an address: the mask says which, with all of its bits.
    MASK = "W0630", "mask of an address", ".global .u32 w; .global .u8 v = 0xF(w);", ".global .u32 w; .global .u8 v = 0xFF(w);";
    /// A function that is called as such takes and returns no predicate and no integer of 8 or 16 bits: one whose address is taken, and
    /// under `debug` each. Untyped bits and arrays of them pass.
    CONVENTION = "W0631", "parameter outside of the calling convention", ".version 8.3\n.target sm_90\n.address_size 64\n.func f(.param .u16 p) { ret; }\n.entry k()\n{\n.reg .b64 r;\nmov.b64 r, f;\nret;\n}", ".version 8.3\n.target sm_90\n.address_size 64\n.func f(.param .b16 p) { ret; }\n.entry k()\n{\n.reg .b64 r;\nmov.b64 r, f;\nret;\n}";
}

/// A type of a later version.
pub fn type_version(span: Span, what: &str, since: Version, version: Version) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        TYPE_GATE,
        span,
        format!("{what} needs PTX {since}, found {version}"),
    );
    diagnostic.needs.version = Some(since);
    diagnostic
}

/// A type of later hardware.
pub fn type_target(span: Span, what: &str, needs: &Needs, found: &str) -> Diagnostic {
    let target = needs.target.unwrap_or("another one");
    let mut diagnostic = Diagnostic::error(
        TYPE_GATE,
        span,
        format!("{what} needs target `{target}`, found `{found}`"),
    );
    diagnostic.needs = Needs {
        version: None,
        ..needs.clone()
    };
    diagnostic
}

/// A predicate in memory, a vector or an array.
pub fn predicate(span: Span, clash: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        PREDICATE,
        span,
        format!("found {what}, expected a scalar register for a predicate"),
    )
    .label(clash, "not allowed for predicates")
    .help("`selp` converts a predicate to a number, which can be stored")
}

/// A vector of more than 128 bits, or of eight elements.
pub fn vector_size(span: Span, ty: Span, n_bits: u32) -> Diagnostic {
    Diagnostic::error(
        VECTOR_SIZE,
        span,
        format!("found a vector of {n_bits} bits, expected at most 4 elements and 128 bits"),
    )
    .label(ty, "elements of this type")
    .help("declare a narrower vector, or several variables")
}

/// `.reg .b32 x[4];`
pub fn register_array(span: Span, dimensions: Span, size: Option<u64>) -> Diagnostic {
    let diagnostic = Diagnostic::error(REGISTER_ARRAY, span, "registers cannot be an array")
        .label(dimensions, "registers have no addresses")
        .help("`<4>` declares four registers, numbered from 0; an array is declared in `.local`");
    match size {
        Some(size) => diagnostic.fix(
            "declare a group of registers",
            dimensions,
            format!("<{size}>"),
        ),
        None => diagnostic,
    }
}

/// An initial value in a space without them.
pub fn no_initializer(value: Span, space: Span, name: &str, removed: Span) -> Diagnostic {
    Diagnostic::error(
        NO_INITIALIZER,
        value,
        format!("`{name}` is in a state space without initial values"),
    )
    .label(
        space,
        "only `.global` and `.const` variables have initial values",
    )
    .fix("leave out the initial value", removed, "")
    .help("store the value at the start of the kernel")
}

/// A value of another type.
pub fn initial_type(value: Span, found: &str, ty: ScalarType, declared: Span) -> Diagnostic {
    Diagnostic::error(
        INITIAL_TYPE,
        value,
        format!("found {found}, expected a value of type `.{ty}`"),
    )
    .label(declared, "the type of each element")
    .help("integers initialise integers and bits, floats initialise floats and bits, addresses initialise `.u32` and `.u64`")
}

/// An integer for a float: the fix is at hand.
pub fn initial_integer(value: Span, text: &str, ty: ScalarType, declared: Span) -> Diagnostic {
    initial_type(value, "an integer", ty, declared).fix(
        format!("write `{text}.0`"),
        value,
        format!("{text}.0"),
    )
}

/// A list or a value where the shape requires the other.
pub fn initial_shape(value: Span, found: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(
        INITIAL_TYPE,
        value,
        format!("found {found}, expected {expected}"),
    )
    .help("each dimension of an array, and a vector, has its own braces")
}

/// More values than elements.
pub fn too_many_values(value: Span, found: u64, size: u64, dimension: Span) -> Diagnostic {
    Diagnostic::error(
        TOO_MANY_VALUES,
        value,
        format!("found {found} initial values, expected at most {size}"),
    )
    .label(dimension, "the number of elements")
    .help("make the array larger, or leave out values")
}

/// Not as many values as a vector has elements.
pub fn vector_values(value: Span, found: u64, n: usize, vector: Span) -> Diagnostic {
    Diagnostic::error(
        VECTOR_VALUES,
        value,
        format!("found {found} values for a vector, expected {n}"),
    )
    .label(vector, "the vector width")
    .help("every element of a vector needs a value")
}

/// An array without size.
pub fn incomplete(dimension: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        INCOMPLETE,
        dimension,
        format!("expected a size for the array `{name}`"),
    )
    .help("give a size or initial values; the size of an `.extern .shared` array is set at launch")
}

/// An alignment that is not a power of two.
pub fn alignment(span: Span, found: u64) -> Diagnostic {
    let next = found.checked_next_power_of_two().unwrap_or(128).max(1);
    Diagnostic::error(
        ALIGNMENT,
        span,
        format!("found alignment {found}, expected a power of two"),
    )
    .fix(format!("align to {next}"), span, format!(".align {next}"))
    .help("an alignment is 1, 2, 4, 8, 16 and so on")
}

/// More than 128 bytes for a parameter.
pub fn parameter_alignment(span: Span, found: u64) -> Diagnostic {
    Diagnostic::error(
        PARAMETER_ALIGNMENT,
        span,
        format!("found alignment {found}, expected at most 128 for a parameter"),
    )
    .fix("align to 128", span, ".align 128")
    .help("a larger alignment is possible for variables only")
}

/// A vector or packed pair as a parameter; `name` where the declaration can be rewritten.
pub fn parameter_type(span: Span, what: &str, n_bytes: u32, name: Option<Span>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        PARAMETER_TYPE,
        span,
        format!("{what} cannot be a parameter"),
    )
    .help(format!(
        "declare `.align {n_bytes} .b8 name[{n_bytes}]` instead"
    ));
    if let Some(name) = name {
        diagnostic.fixes.push(Fix {
            title: "declare an array of bytes".to_owned(),
            edits: vec![
                Edit {
                    span,
                    text: format!(".align {n_bytes} .b8"),
                },
                Edit {
                    span: Span::at(name.end),
                    text: format!("[{n_bytes}]"),
                },
            ],
        });
    }
    diagnostic
}

/// `.managed` outside of global memory.
pub fn attribute(span: Span, word: &str, space: Span) -> Diagnostic {
    Diagnostic::error(
        ATTRIBUTE,
        span,
        format!("`{word}` is allowed for `.global` variables only"),
    )
    .label(space, "another space")
    .help("leave out the attribute, or declare the variable in `.global`")
}

/// A texture in a function.
pub fn texture_place(span: Span) -> Diagnostic {
    Diagnostic::error(
        TEXTURE_PLACE,
        span,
        "expected this declaration outside of functions, in `.global`",
    )
    .help("move the declaration before the function")
}

/// `.tex`
pub fn tex_space(span: Span, version: Version) -> Diagnostic {
    Diagnostic::error(
        TEX_SPACE,
        span,
        format!("the state space `.tex` was removed in PTX 1.5, found version {version}"),
    )
    .help("declare a `.global .texref` outside of functions")
}

/// `.param` in a body, in versions 1.4 and 1.5.
pub fn parameter_place(span: Span, version: Version) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        PARAMETER_PLACE,
        span,
        format!("in PTX {version} parameters are declared in a parameter list only"),
    );
    diagnostic.needs.version = Some(Version::new(2, 0));
    diagnostic.help("pass values through the parameter list")
}

/// More static shared memory than a kernel has.
pub fn shared_size(span: Span, n_bytes: u64, most: u64) -> Diagnostic {
    Diagnostic::error(
        SHARED_SIZE,
        span,
        format!("found {n_bytes} bytes of static shared memory, expected at most {most}"),
    )
    .help("declare an `.extern .shared` array without a size, and set its size at launch")
}

/// More parameters than a kernel takes.
pub fn parameter_bytes(span: Span, n_bytes: u64, most: u64) -> Diagnostic {
    Diagnostic::error(
        PARAMETER_BYTES,
        span,
        format!("found {n_bytes} bytes of parameters, expected at most {most}"),
    )
    .help("pass a pointer to a buffer that holds them")
}

/// Parameters whose alignment takes them beyond the constant bank of the kernel.
pub fn parameter_bank(span: Span, n_bytes: u64, most: u64) -> Diagnostic {
    Diagnostic::error(
        PARAMETER_BYTES,
        span,
        format!("found parameters that end at byte {n_bytes} of the constant bank because of their alignment, expected at most {most}"),
    )
    .help("align the parameters to fewer bytes")
}

/// More constant memory than a module has.
pub fn const_size(span: Span, n_bytes: u64) -> Diagnostic {
    Diagnostic::error(
        CONST_SIZE,
        span,
        format!("found {n_bytes} bytes of constant memory, expected at most 65536"),
    )
    .help("declare large tables in `.global`")
}

/// A register or the like outside of functions.
pub fn module_space(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(
        MODULE_SPACE,
        span,
        format!("`{word}` variables are declared inside functions only"),
    )
    .help("move the declaration into the function that needs it")
}

/// A sampler where textures bring their own.
pub fn sampler(span: Span) -> Diagnostic {
    Diagnostic::error(
        TEXTURE_PLACE,
        span,
        "samplers are declared where textures are independent of them",
    )
    .help("add `texmode_independent` to `.target`")
}

/// An initial value of a half.
pub fn half_value(value: Span, declared: Span) -> Diagnostic {
    Diagnostic::error(
        HALF_VALUE,
        value,
        "`.f16` variables cannot have initial values",
    )
    .label(declared, "the type")
    .help("initialise a `.b16` variable with the bits: 1.0 is `0x3C00`")
}

/// A name that cannot be an initial value.
pub fn initial_symbol(span: Span, name: &str, found: &str) -> Diagnostic {
    Diagnostic::error(
        INITIAL_SYMBOL,
        span,
        format!(
            "found `{name}`, {found}, expected a function or a variable in `.global` or `.const`"
        ),
    )
    .help("take the address of another variable with `mov` in the kernel")
}

/// A name that is declared again in another way.
pub(crate) fn redeclared(name: &str, span: Span, first: Span, what: &str) -> Diagnostic {
    let message = format!("`{name}` is declared again, {what}");
    Diagnostic::error(REDECLARED, span, message).label(first, "it is declared here first")
}

/// A definition of an `.extern` variable that other modules cannot see.
pub(crate) fn hidden_definition(name: &str, whole: Span, span: Span, first: Span) -> Diagnostic {
    let message =
        format!("`{name}` was declared `.extern`, expected a definition that other modules see");
    Diagnostic::error(REDECLARED, span, message)
        .label(first, "it is declared here first")
        .fix("make it `.visible`", Span::at(whole.start), ".visible ")
}

/// An `.extern` function with a body.
pub(crate) fn body_of_extern(header: &FunctionHeader) -> Diagnostic {
    let message = "an `.extern` function has its body in another module";
    Diagnostic::error(REDECLARED, header.linkage_span, message).fix(
        "make it `.visible`",
        header.linkage_span,
        ".visible",
    )
}

/// A function that is declared and has no body.
pub(crate) fn unresolved(header: &FunctionHeader, name: &str) -> Diagnostic {
    let message = format!("`{name}` has no body in this module, and is not `.extern`");
    let found = Diagnostic::error(UNRESOLVED, header.name_span, message);
    match header.linkage {
        None => found.fix("make it `.extern`", Span::at(header.span.start), ".extern "),
        Some(_) => found,
    }
}

/// A second name that cannot be given.
pub(crate) fn alias(name: Span, of: Span, why: &str) -> Diagnostic {
    Diagnostic::error(
        ALIAS,
        name.to(of),
        format!("found an alias that cannot be: {why}"),
    )
}

/// Debug information that contradicts itself.
pub(crate) fn debug_data(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(DEBUG_DATA, span, message)
}

/// A parameter that the list cannot have.
pub(crate) fn parameter_list(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(PARAMETER_LIST, span, message)
}

/// A function that the calling convention cannot call.
pub(crate) fn not_passed(span: Span, name: &str, ty: ScalarType, why: &str) -> Diagnostic {
    let message =
        format!("`{name}` takes or returns a {ty}, which the calling convention does not pass");
    Diagnostic::error(CONVENTION, span, message).help(format!("{why}; `.b16` and 32 bits pass"))
}

/// An indirect call, a call of another module or the address of a function in a module without a calling convention.
pub(crate) fn needs_convention(span: Span, what: &str) -> Diagnostic {
    let message = format!(
        "{what} needs the calling convention, which a function with several results turns off"
    );
    Diagnostic::error(CONVENTION, span, message)
        .help("return one value, and the others through memory")
}

/// A sum with the address of a function.
pub(crate) fn initial_sum(value: Span) -> Diagnostic {
    let message = "found an expression with a function, expected its name alone";
    Diagnostic::error(INITIAL_TYPE, value, message)
}

/// A mask that is not one byte.
pub(crate) fn mask(span: Span, mask: u64) -> Diagnostic {
    let message = format!("found the mask {mask:#x}, expected one byte of ones such as `0xFF00`");
    Diagnostic::error(MASK, span, message)
}

/// A name of the module that is a special register.
pub(crate) fn special_name(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` is a special register, expected another name");
    Diagnostic::error(REDECLARED, span, message)
}

/// A vector of textures, samplers or surfaces.
pub(crate) fn vector_of_handles(span: Span, ty: Span) -> Diagnostic {
    Diagnostic::error(VECTOR_SIZE, span, "vectors have numbers as elements").label(ty, "the type")
}

/// `.common` outside of global memory.
pub(crate) fn common_space(span: Span, space: Span) -> Diagnostic {
    Diagnostic::error(ATTRIBUTE, span, "`.common` variables are in `.global`")
        .label(space, "the state space")
}

/// An initial value of what another module defines.
pub(crate) fn extern_value(value: Span, linkage: Span) -> Diagnostic {
    let message = "an `.extern` variable has its initial value in another module";
    Diagnostic::error(NO_INITIALIZER, value, message).label(linkage, "it is `.extern`")
}

pub(crate) fn returns_nothing(span: Span) -> Diagnostic {
    let message = "a function with `.noreturn` has no return parameter";
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directives_clash(span: Span, word: &str, other: &str) -> Diagnostic {
    let message = format!("`{word}` cannot be combined with `{other}`");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directive_needs(span: Span, word: &str, other: &str) -> Diagnostic {
    Diagnostic::error(DIRECTIVE, span, format!("`{word}` needs `{other}`"))
}

pub(crate) fn directive_late(span: Span, word: &str, before: &str) -> Diagnostic {
    let message = match word == before {
        true => format!("`{word}` is written once only"),
        false => format!("`{word}` comes before `{before}`"),
    };
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directive_of_zero(span: Span, word: &str) -> Diagnostic {
    let message = format!("found 0, `{word}` takes numbers of at least 1");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directive_number(span: Span, word: &str, found: u64, most: u64) -> Diagnostic {
    let message = format!("found {found}, `{word}` takes numbers up to {most}");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directive_ended(span: Span, word: &str, until: Version) -> Diagnostic {
    let message = format!("`{word}` is not part of PTX from {until} on");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_in_module(span: Span, text: &str) -> Diagnostic {
    let message = format!("found the pragma `{text}` outside of functions, expected `nounroll`");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_in_function(span: Span, word: &str) -> Diagnostic {
    let message = format!("the pragma `{word}` is for kernels, not for device functions");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_value(span: Span, word: &str, value: &str) -> Diagnostic {
    let message = match value {
        "" => format!("the pragma `{word}` has no number after it"),
        _ => format!("found `{value}`, expected a number for the pragma `{word}`"),
    };
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_place(span: Span, word: &str) -> Diagnostic {
    let message = format!("the pragma `{word}` is for instructions: it belongs inside of a body");
    Diagnostic::error(DIRECTIVE, span, message)
}
