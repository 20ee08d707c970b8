//! Diagnostics for declarations of variables, registers and parameters: codes W0600 to W0699.

use crate::diagnostics::diagnostic_codes;
use crate::tree::declaration::FunctionHeader;
use warpgrid_isa::{ScalarType, Version};
use warpgrid_program::{Diagnostic, Edit, Fix, Requirement, Span};

diagnostic_codes! {
    /// The type was introduced in a later PTX version or requires a later architecture.
    TYPE_GATE = "W0601", "type not available", ".version 8.2\n.target sm_90\n.entry k()\n{\n.reg .b128 x;\n}", ".version 8.3\n.target sm_90\n.entry k()\n{\n.reg .b128 x;\n}";
    /// Predicates must be scalar registers. Memory, vectors and arrays cannot contain predicates.
    PREDICATE = "W0602", "predicate outside a scalar register", ".global .pred p;", ".reg .pred p;";
    /// A declared vector has two or four elements and at most 128 bits.
    VECTOR_SIZE = "W0603", "vector too large", ".reg .v4 .f64 x;", ".reg .v2 .f64 x;";
    /// Registers have no address, so arrays of registers do not exist. `%r<4>` declares four registers.
    REGISTER_ARRAY = "W0604", "array of registers", ".reg .b32 x[4];", ".reg .b32 x<4>;";
    /// Only variables in global and constant memory can have initial values.
    NO_INITIALIZER = "W0605", "initial value in the wrong state space", ".shared .u32 v = 5;", ".global .u32 v = 5;";
    /// Integer types require integer initial values, and floating-point types require floating-point values. Untyped bits accept both
    /// kinds of values. Addresses of variables can initialize only `.u32`, `.u64`, `.s32` and `.s64`.
    INITIAL_TYPE = "W0606", "initial value of the wrong type", ".global .f32 v = 1;", ".global .f32 v = 1.0;";
    /// A list of initial values has at most as many entries as the array has elements.
    TOO_MANY_VALUES = "W0607", "too many initial values", ".global .u32 v[2] = {1, 2, 3};", ".global .u32 v[3] = {1, 2, 3};";
    /// The number of initial values must equal the number of elements of the vector.
    VECTOR_VALUES = "W0608", "wrong number of values for a vector", ".global .v2 .u32 v = {1};", ".global .v2 .u32 v = {1, 2};";
    /// The size of an array must be specified or follow from its initial values, unless the array is `.extern`.
    INCOMPLETE = "W0609", "array without size", ".shared .u32 v[];", ".shared .u32 v[16];";
    /// An alignment must be a power of two.
    ALIGNMENT = "W0610", "alignment that is not a power of two", ".global .align 3 .u32 v;", ".global .align 4 .u32 v;";
    /// Parameters of functions and call arguments are aligned to at most 128 bytes.
    PARAMETER_ALIGNMENT = "W0611", "alignment too large for a parameter", ".param .align 256 .b8 v[8];", ".param .align 128 .b8 v[8];";
    /// A parameter is a scalar or an array. Declare vectors and packed pairs as arrays of bytes.
    PARAMETER_TYPE = "W0612", "type not allowed for a parameter", ".param .v2 .f32 v;", ".param .align 8 .b8 v[8];";
    /// `.managed` is allowed only for variables in global memory. Both the host and the device can access a managed variable.
    ATTRIBUTE = "W0613", "attribute in the wrong state space", ".shared .attribute(.managed) .u32 v;", ".global .attribute(.managed) .u32 v;";
    /// Textures, samplers and surfaces must be declared in global memory at module scope, or as kernel parameters.
    TEXTURE_PLACE = "W0614", "texture inside a function", ".global .texref t;", ".version 8.3\n.target sm_90\n.global .texref t;\n.entry k()\n{\nret;\n}";
    /// The state space `.tex` was removed in PTX ISA 1.5.
    TEX_SPACE = "W0615", "removed state space `.tex`", ".tex .u32 t;", ".version 8.3\n.target sm_90\n.global .texref t;\n.entry k()\n{\nret;\n}";
    /// `.param` variables inside a function body require PTX ISA 2.0. Such `.param` variables pass arguments to calls.
    PARAMETER_PLACE = "W0616", "parameter in a function body", ".version 1.4\n.target sm_13\n.entry k()\n{\n.param .u32 v;\n}", ".version 2.3\n.target sm_13\n.address_size 64\n.entry k()\n{\n.param .u32 v;\n}";
    /// A kernel may use at most 48 KiB of static shared memory. On architecture-specific targets such as `sm_90a`, the hardware
    /// determines the limit. Declare larger amounts as dynamic shared memory (`.extern .shared`), and set the size at launch.
    SHARED_SIZE = "W0617", "too much shared memory", ".shared .b8 v[65536];", ".version 8.3\n.target sm_90\n.extern .shared .b8 v[];\n.entry k()\n{\nret;\n}";
    /// All `.const` variables of a module share 64 KiB.
    CONST_SIZE = "W0618", "too much constant memory", ".const .b8 v[65537];", ".global .b8 v[65537];";
    /// Variables of this state space must be declared inside functions.
    MODULE_SPACE = "W0620", "state space not allowed at module scope", ".version 8.3\n.target sm_90\n.reg .b32 v;\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.entry k()\n{\n.reg .b32 v;\nret;\n}";
    /// Half-precision variables cannot have initial values. Initialize a `.b16` variable with the bit pattern instead.
    HALF_VALUE = "W0621", "initial value of an `.f16` variable", ".global .f16 v = 1.0;", ".global .b16 v = 0x3C00;";
    /// Initial values can be addresses of functions and of variables in global or constant memory.
    INITIAL_SYMBOL = "W0622", "name that cannot be an initial value", ".shared .u32 w; .global .u64 v = w;", ".global .u32 w; .global .u64 v = w;";
    /// The directive of a function conflicts with another directive, has an argument outside its range, or was removed from PTX.
    DIRECTIVE = "W0623", "directive not allowed here", ".version 8.0\n.target sm_90\n.entry k() .maxntid 0\n{\nret;\n}", ".version 8.0\n.target sm_90\n.entry k() .maxntid 32\n{\nret;\n}";
    /// The parameters of a kernel occupy at most 32,764 bytes. On targets before `sm_90`, the parameters including their alignment must
    /// end within the first 65,536 bytes of a constant bank.
    PARAMETER_BYTES = "W0624", "parameters too large", ".version 8.3\n.target sm_90\n.entry k(.param .b8 p[32768])\n{\nret;\n}", ".version 8.3\n.target sm_90\n.entry k(.param .b8 p[32764])\n{\nret;\n}";
    /// All declarations of a function or variable must have the same parameters, type and linkage. The definition of an
    /// `.extern` variable must be visible to other modules.
    REDECLARED = "W0625", "conflicting declarations", ".version 8.3\n.target sm_90\n.extern .global .u32 v;\n.visible .global .f32 v;\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.extern .global .u32 v;\n.visible .global .u32 v;\n.entry k()\n{\nret;\n}";
    /// A declared function must have a body in the module or must be `.extern`. The linker finds the body of an `.extern` function in
    /// another module.
    UNRESOLVED = "W0626", "function without a body", ".version 8.3\n.target sm_90\n.func f();\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.extern .func f();\n.entry k()\n{\nret;\n}";
    /// `.alias` defines a second name for a function of the module. Both names must be declared before `.alias` with the same
    /// parameters, and the alias must not have a body.
    ALIAS = "W0627", "invalid alias", ".version 8.3\n.target sm_90\n.func f() { ret; }\n.alias f, f;\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.func f() { ret; }\n.func g();\n.alias g, f;\n.entry k()\n{\nret;\n}";
    /// Debug information must be consistent. Each file must have one number, each label must have one definition, and `inlined_at` must
    /// refer to the location of an earlier `.loc`.
    DEBUG_DATA = "W0628", "inconsistent debug information", ".version 8.3\n.target sm_90\n.file 1 \"a.cu\"\n.file 1 \"b.cu\"\n.entry k()\n{\nret;\n}", ".version 8.3\n.target sm_90\n.file 1 \"a.cu\"\n.file 2 \"b.cu\"\n.entry k()\n{\nret;\n}";
    /// Parameters of a kernel must be in `.param`. A function returns one `.param` variable or several registers. Only the last
    /// parameter of a function may be an array without size. The name `_` is allowed only for parameters of kernels and call
    /// prototypes.
    PARAMETER_LIST = "W0629", "parameter not allowed in this list", ".version 8.3\n.target sm_90\n.entry k(.reg .u32 n)\n{\nret;\n}", ".version 8.3\n.target sm_90\n.entry k(.param .u32 n)\n{\nret;\n}";
    /// An initial value may be one byte of an address. In the mask, exactly the bits of this byte must be set.
    MASK = "W0630", "invalid mask of an address", ".global .u32 w; .global .u8 v = 0xF(w);", ".global .u32 w; .global .u8 v = 0xFF(w);";
    /// The calling convention does not support predicates, 8-bit integers and 16-bit integers as parameters. Untyped bits and arrays of
    /// untyped bits are allowed. The convention applies to every function whose address is taken and, with `debug`, to all functions.
    CONVENTION = "W0631", "parameter not supported by the calling convention", ".version 8.3\n.target sm_90\n.address_size 64\n.func f(.param .u16 p) { ret; }\n.entry k()\n{\n.reg .b64 r;\nmov.b64 r, f;\nret;\n}", ".version 8.3\n.target sm_90\n.address_size 64\n.func f(.param .b16 p) { ret; }\n.entry k()\n{\n.reg .b64 r;\nmov.b64 r, f;\nret;\n}";
}

/// Returns the diagnostic for a type that requires a later version.
pub fn type_version(span: Span, what: &str, since: Version, version: Version) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        TYPE_GATE,
        span,
        format!("{what} needs PTX {since}, found PTX {version}"),
    );
    diagnostic.needs.version = Some(since);
    diagnostic
}

/// Returns the diagnostic for a type that requires another target.
pub fn type_target(span: Span, what: &str, needs: &Requirement, found: &str) -> Diagnostic {
    let target = needs
        .target
        .map_or("another target".to_owned(), |name| format!("`{name}`"));
    let mut diagnostic = Diagnostic::error(
        TYPE_GATE,
        span,
        format!("{what} needs target {target}, found `{found}`"),
    );
    diagnostic.needs = Requirement {
        version: None,
        ..needs.clone()
    };
    diagnostic
}

/// Returns the diagnostic for a predicate in memory, a vector or an array.
pub fn predicate(span: Span, clash: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        PREDICATE,
        span,
        format!("found {what}, expected a scalar register for a predicate"),
    )
    .label(clash, "not allowed for predicates")
    .help("convert the predicate to an integer with `selp`")
}

/// Returns the diagnostic for a vector of more than 128 bits, or of eight elements.
pub fn vector_size(span: Span, ty: Span, n_bits: u32) -> Diagnostic {
    Diagnostic::error(
        VECTOR_SIZE,
        span,
        format!("found a vector of {n_bits} bits, expected at most 4 elements and 128 bits"),
    )
    .label(ty, "the element type")
    .help("declare a narrower vector or several variables")
}

/// Returns the diagnostic for an array of registers: `.reg .b32 x[4];`.
pub fn register_array(span: Span, dimensions: Span, size: Option<u64>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        REGISTER_ARRAY,
        span,
        "registers cannot be declared as an array",
    )
    .label(dimensions, "registers have no addresses")
    .help("declare a range of registers, such as `%r<4>`, or an array in `.local`");
    match size {
        Some(size) => diagnostic.fix(
            "declare a range of registers",
            dimensions,
            format!("<{size}>"),
        ),
        None => diagnostic,
    }
}

/// Returns the diagnostic for an initial value in a state space that does not allow initial values.
pub fn no_initializer(value: Span, space: Span, name: &str, removed: Span) -> Diagnostic {
    Diagnostic::error(
        NO_INITIALIZER,
        value,
        format!("the state space of `{name}` does not allow initial values"),
    )
    .label(
        space,
        "only `.global` and `.const` variables have initial values",
    )
    .fix("remove the initial value", removed, "")
    .help("initialize the variable with a store at the beginning of the kernel")
}

/// Returns the diagnostic for an initial value of an incompatible type.
pub fn initial_type(value: Span, found: &str, ty: ScalarType, declared: Span) -> Diagnostic {
    Diagnostic::error(
        INITIAL_TYPE,
        value,
        format!("found {found}, expected a value of type `.{ty}`"),
    )
    .label(declared, "the type of each element")
    .help("integer types require integers, floating-point types require floating-point numbers, untyped bits accept both, and `.u32` and `.u64` also accept addresses")
}

/// Returns the diagnostic for an integer as the initial value of a floating-point type, with a fix.
pub fn initial_integer(value: Span, text: &str, ty: ScalarType, declared: Span) -> Diagnostic {
    initial_type(value, "an integer", ty, declared).fix(
        format!("write `{text}.0`"),
        value,
        format!("{text}.0"),
    )
}

/// Returns the diagnostic for a list in place of a value, or a value in place of a list.
pub fn initial_shape(value: Span, found: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(
        INITIAL_TYPE,
        value,
        format!("found {found}, expected {expected}"),
    )
    .help("enclose each dimension of an array and each vector in a separate pair of braces")
}

/// Returns the diagnostic for more initial values than elements.
pub fn too_many_values(value: Span, found: u64, size: u64, dimension: Span) -> Diagnostic {
    Diagnostic::error(
        TOO_MANY_VALUES,
        value,
        format!("found {found} initial values, expected at most {size}"),
    )
    .label(dimension, "the number of elements")
    .help("enlarge the array or remove values")
}

/// Returns the diagnostic for a number of initial values other than the vector width.
pub fn vector_values(value: Span, found: u64, n: usize, vector: Span) -> Diagnostic {
    Diagnostic::error(
        VECTOR_VALUES,
        value,
        format!("found {found} values for a vector, expected {n}"),
    )
    .label(vector, "the vector width")
    .help("every element of a vector needs a value")
}

/// Returns the diagnostic for an array without a size.
pub fn incomplete(dimension: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        INCOMPLETE,
        dimension,
        format!("expected a size for the array `{name}`"),
    )
    .help(
        "specify a size or initial values; the size of an `.extern .shared` array is set at launch",
    )
}

/// Returns the diagnostic for an alignment that is not a power of two.
pub fn alignment(span: Span, found: u64) -> Diagnostic {
    let next = found.checked_next_power_of_two().unwrap_or(128).max(1);
    Diagnostic::error(
        ALIGNMENT,
        span,
        format!("found an alignment of {found}, expected a power of two"),
    )
    .fix(format!("align to {next}"), span, format!(".align {next}"))
    .help("valid alignments are 1, 2, 4, 8, 16 and larger powers of two")
}

/// Returns the diagnostic for a parameter whose alignment exceeds 128 bytes.
pub fn parameter_alignment(span: Span, found: u64) -> Diagnostic {
    Diagnostic::error(
        PARAMETER_ALIGNMENT,
        span,
        format!("found an alignment of {found} bytes, expected at most 128 bytes for a parameter"),
    )
    .fix("align to 128", span, ".align 128")
    .help("larger alignments are allowed only for variables")
}

/// Returns the diagnostic for a vector or packed pair as a parameter. `name` is present if the declaration can be rewritten.
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

/// Returns the diagnostic for `.managed` outside of global memory.
pub fn attribute(span: Span, word: &str, space: Span) -> Diagnostic {
    Diagnostic::error(
        ATTRIBUTE,
        span,
        format!("`{word}` is allowed for `.global` variables only"),
    )
    .label(space, "the state space")
    .help("remove the attribute or declare the variable in `.global`")
}

/// Returns the diagnostic for a texture in a function.
pub fn texture_place(span: Span) -> Diagnostic {
    Diagnostic::error(
        TEXTURE_PLACE,
        span,
        "expected this declaration in `.global` at module scope",
    )
    .help("move the declaration before the function")
}

/// Returns the diagnostic for the state space `.tex`.
pub fn tex_space(span: Span, version: Version) -> Diagnostic {
    Diagnostic::error(
        TEX_SPACE,
        span,
        format!("the state space `.tex` was removed in PTX 1.5, found PTX {version}"),
    )
    .help("declare a `.global .texref` at module scope")
}

/// Returns the diagnostic for `.param` in a body in PTX 1.4 and 1.5.
pub fn parameter_place(span: Span, version: Version) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        PARAMETER_PLACE,
        span,
        format!("PTX {version} allows `.param` declarations only in parameter lists"),
    );
    diagnostic.needs.version = Some(Version::new(2, 0));
    diagnostic.help("pass values through the parameter list")
}

/// Returns the diagnostic for excessive static shared memory of a kernel.
pub fn shared_size(span: Span, n_bytes: u64, most: u64) -> Diagnostic {
    Diagnostic::error(
        SHARED_SIZE,
        span,
        format!("found {n_bytes} bytes of static shared memory, expected at most {most}"),
    )
    .help("declare an `.extern .shared` array without a size and set its size at launch")
}

/// Returns the diagnostic for excessive size of the parameters of a kernel.
pub fn parameter_bytes(span: Span, n_bytes: u64, most: u64) -> Diagnostic {
    Diagnostic::error(
        PARAMETER_BYTES,
        span,
        format!("found {n_bytes} bytes of parameters, expected at most {most}"),
    )
    .help("pass the address of a buffer that contains the parameters")
}

/// Returns the diagnostic for parameters whose alignment exceeds the constant bank of the kernel.
pub fn parameter_bank(span: Span, n_bytes: u64, most: u64) -> Diagnostic {
    Diagnostic::error(
        PARAMETER_BYTES,
        span,
        format!("the aligned parameters end at byte {n_bytes} of the constant bank, expected at most {most}"),
    )
    .help("reduce the alignment of the parameters")
}

/// Returns the diagnostic for excessive constant memory of a module.
pub fn const_size(span: Span, n_bytes: u64) -> Diagnostic {
    Diagnostic::error(
        CONST_SIZE,
        span,
        format!("found {n_bytes} bytes of constant memory, expected at most 65536"),
    )
    .help("declare large tables in `.global`")
}

/// Returns the diagnostic for a declaration at module scope in a state space that is local to functions, such as `.reg`.
pub fn module_space(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(
        MODULE_SPACE,
        span,
        format!("`{word}` variables are not allowed at module scope"),
    )
    .help("move the declaration into the function that uses it")
}

/// Returns the diagnostic for a sampler declaration in the unified texturing mode.
pub fn sampler(span: Span) -> Diagnostic {
    Diagnostic::error(
        TEXTURE_PLACE,
        span,
        "sampler declarations need the independent texture mode",
    )
    .help("add `texmode_independent` to `.target`")
}

/// Returns the diagnostic for an initial value of a half-precision variable.
pub fn half_value(value: Span, declared: Span) -> Diagnostic {
    Diagnostic::error(
        HALF_VALUE,
        value,
        "`.f16` variables cannot have initial values",
    )
    .label(declared, "the type")
    .help(
        "initialize a `.b16` variable with the bit pattern of the value, such as `0x3C00` for 1.0",
    )
}

/// Returns the diagnostic for a name that cannot be an initial value.
pub fn initial_symbol(span: Span, name: &str, found: &str) -> Diagnostic {
    Diagnostic::error(
        INITIAL_SYMBOL,
        span,
        format!(
            "found `{name}`, {found}, expected a function or a variable in `.global` or `.const`"
        ),
    )
    .help("take the address of other variables with `mov` in the kernel")
}

/// Returns the diagnostic for a redeclaration that differs from the first declaration. `what` is a noun phrase such as "different
/// linkage".
pub(crate) fn redeclared(name: &str, span: Span, first: Span, what: &str) -> Diagnostic {
    let message = format!("the declarations of `{name}` have {what}");
    Diagnostic::error(REDECLARED, span, message).label(first, "first declared here")
}

/// Returns the diagnostic for a definition of an `.extern` variable that is not visible to other modules.
pub(crate) fn hidden_definition(name: &str, whole: Span, span: Span, first: Span) -> Diagnostic {
    let message = format!(
        "`{name}` was declared `.extern`, so its definition must be visible to other modules"
    );
    Diagnostic::error(REDECLARED, span, message)
        .label(first, "first declared here")
        .fix("make it `.visible`", Span::at(whole.start), ".visible ")
}

/// Returns the diagnostic for an `.extern` function with a body.
pub(crate) fn body_of_extern(header: &FunctionHeader) -> Diagnostic {
    let message = "an `.extern` function cannot have a body";
    Diagnostic::error(REDECLARED, header.linkage_span, message).fix(
        "make it `.visible`",
        header.linkage_span,
        ".visible",
    )
}

/// Returns the diagnostic for a declared function without a body.
pub(crate) fn unresolved(header: &FunctionHeader, name: &str) -> Diagnostic {
    let message = format!("`{name}` has no body in this module and is not `.extern`");
    let found = Diagnostic::error(UNRESOLVED, header.name_span, message);
    match header.linkage {
        None => found.fix("make it `.extern`", Span::at(header.span.start), ".extern "),
        Some(_) => found,
    }
}

/// Returns the diagnostic for an invalid alias.
pub(crate) fn alias(name: Span, of: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(ALIAS, name.to(of), format!("invalid alias: {reason}"))
}

/// Returns the diagnostic for inconsistent debug information.
pub(crate) fn debug_data(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(DEBUG_DATA, span, message)
}

/// Returns the diagnostic for an invalid parameter in a parameter list.
pub(crate) fn parameter_list(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(PARAMETER_LIST, span, message)
}

/// Returns the diagnostic for a function whose parameters the calling convention does not support.
pub(crate) fn not_passed(span: Span, name: &str, ty: ScalarType, reason: &str) -> Diagnostic {
    let message = format!(
        "`{name}` has a parameter of type `.{ty}`, which the calling convention does not support"
    );
    Diagnostic::error(CONVENTION, span, message)
        .help(format!("use `.b16` or a 32-bit type; {reason}"))
}

/// Returns the diagnostic for an indirect call, a call of another module or the address of a function in a module without a
/// calling convention.
pub(crate) fn needs_convention(span: Span, what: &str) -> Diagnostic {
    let message = format!(
        "{what} needs the calling convention, which does not support functions with several return values"
    );
    Diagnostic::error(CONVENTION, span, message)
        .help("return one value and store the other values in memory")
}

/// Returns the diagnostic for a sum with the address of a function as an initial value.
pub(crate) fn initial_sum(value: Span) -> Diagnostic {
    let message =
        "found an expression that contains a function, expected only the name of the function";
    Diagnostic::error(INITIAL_TYPE, value, message)
}

/// Returns the diagnostic for a mask that does not select exactly one byte.
pub(crate) fn mask(span: Span, mask: u64) -> Diagnostic {
    let message = format!("found the mask {mask:#x}, expected a mask of one byte such as `0xFF00`");
    Diagnostic::error(MASK, span, message)
}

/// Returns the diagnostic for a declaration with the name of a special register.
pub(crate) fn special_name(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` is the name of a special register and cannot be declared");
    Diagnostic::error(REDECLARED, span, message)
}

/// Returns the diagnostic for a vector of textures, samplers or surfaces.
pub(crate) fn vector_of_handles(span: Span, ty: Span) -> Diagnostic {
    Diagnostic::error(
        VECTOR_SIZE,
        span,
        "vectors of textures, samplers or surfaces are not allowed",
    )
    .label(ty, "the type")
}

/// Returns the diagnostic for `.common` outside of global memory.
pub(crate) fn common_space(span: Span, space: Span) -> Diagnostic {
    Diagnostic::error(
        ATTRIBUTE,
        span,
        "`.common` is allowed for `.global` variables only",
    )
    .label(space, "the state space")
}

/// Returns the diagnostic for an initial value of an `.extern` variable.
pub(crate) fn extern_value(value: Span, linkage: Span) -> Diagnostic {
    let message = "an `.extern` variable cannot have an initial value";
    Diagnostic::error(NO_INITIALIZER, value, message).label(linkage, "declared `.extern` here")
}

pub(crate) fn returns_nothing(span: Span) -> Diagnostic {
    let message = "a function with `.noreturn` cannot have a return parameter";
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
        true => format!("duplicate `{word}`"),
        false => format!("`{word}` must precede `{before}`"),
    };
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directive_of_zero(span: Span, word: &str) -> Diagnostic {
    let message = format!("found the value 0, expected at least 1 for `{word}`");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directive_number(span: Span, word: &str, found: u64, most: u64) -> Diagnostic {
    let message = format!("found the value {found}, expected at most {most} for `{word}`");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn directive_ended(span: Span, word: &str, until: Version) -> Diagnostic {
    let message = format!("`{word}` was removed in PTX {until}");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_in_module(span: Span, text: &str) -> Diagnostic {
    let message = format!("found the pragma `{text}` at module scope, expected `nounroll`");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_in_function(span: Span, word: &str) -> Diagnostic {
    let message = format!("the pragma `{word}` is allowed in kernels, not in device functions");
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_value(span: Span, word: &str, value: &str) -> Diagnostic {
    let message = match value {
        "" => format!("the pragma `{word}` needs a number"),
        _ => format!("found `{value}`, expected a number for the pragma `{word}`"),
    };
    Diagnostic::error(DIRECTIVE, span, message)
}

pub(crate) fn pragma_place(span: Span, word: &str) -> Diagnostic {
    let message =
        format!("the pragma `{word}` applies to instructions and must be in a function body");
    Diagnostic::error(DIRECTIVE, span, message)
}
