//! Diagnostics for operands of stores: codes W0310 to W0339 (errors) and W0340 to W0349 (warnings).

use crate::diagnostics::diagnostic_codes;
use crate::diagnostics::rules::fix;
use crate::opcode::Opcode;
use crate::tree::operand::OperandKind;
use warpgrid_isa::{OperandClass, ScalarType, StateSpace};
use warpgrid_program::{Diagnostic, Edit, Fix, Span, counted};

diagnostic_codes! {
    /// A register must be at least as wide as the type of the store. Integer registers can be stored as integer types and as `.bN`,
    /// floating-point registers as their own type and as `.bN`, and untyped registers as every type. `.b128` requires a `.b128`
    /// register.
    TYPE_MISMATCH = "W0310", "value not compatible with the type", "st.global.f32 [a], %u; // .u32", "st.global.b32 [a], %u;";
    /// The number of elements in braces must match the vector modifier.
    N_ELEMENTS = "W0311", "wrong number of elements", "st.global.v4.f32 [a], {x, y};", "st.global.v2.f32 [a], {x, y};";
    /// Adjacent elements in braces must be both integers or both floating-point values, unless one of them is untyped (`.bN`).
    KINDS = "W0312", "elements of different kinds", "st.global.v2.b32 [a], {%u, %f};", "st.global.v2.b32 [a], {%r, %f};";
    /// All registers in braces must have the same width.
    WIDTHS = "W0313", "elements of different widths", "st.global.v2.b32 [a], {%r, %rd};", "st.global.v2.b32 [a], {%r, %r2};";
    /// The sink `_` leaves an element of memory unchanged. Only 256-bit stores may contain sinks.
    SINK = "W0314", "sink outside of 256-bit stores", "st.global.v4.b32 [a], {x, _, z, w};", "st.global.v8.b32 [a], {x, _, z, w, x, y, z, w};";
    /// A store in which every element is the sink `_` has no effect.
    ALL_SINKS = "W0315", "only sinks", "st.global.v4.b64 [a], {_, _, _, _};", "st.global.v4.b64 [a], {c, _, _, _};";
    /// A store does not accept a special register as its value. Move the special register into a register first, or enclose it in
    /// braces.
    SPECIAL = "W0316", "special register as a value", "st.global.u32 [a], %tid.x;", "mov.u32 %r, %tid.x; st.global.u32 [a], %r;";
    /// The stored value must be a register, a literal or a list in braces.
    NOT_A_VALUE = "W0317", "not a value to store", "st.global.u32 [a], [b];", "st.global.u32 [a], %r;";
    /// The name of a variable denotes its address. Move the address into a register with `mov` first.
    VARIABLE_VALUE = "W0318", "variable as a value", "st.global.u64 [a], buffer;", "mov.u64 %rd, buffer; st.global.u64 [a], %rd;";
    /// The elements in braces must be registers, components of vectors, special registers or literals.
    NOT_AN_ELEMENT = "W0319", "not an element of a vector", "st.global.v2.u32 [a], {buffer, %r};", "st.global.v2.u32 [a], {%r, %r2};";
    /// `.x` to `.w` are components of registers that are declared with `.v2` or `.v4`.
    NO_COMPONENT = "W0320", "component of a scalar", "st.global.u32 [a], %r.x;", "st.global.u32 [a], %r;";
    /// The address must be in brackets. An address is a register, a variable or an array element.
    NOT_AN_ADDRESS = "W0321", "not an address", "st.global.u32 %rd, %r;", "st.global.u32 [%rd], %r;";
    /// An address register must be an integer register of at most 64 bits.
    ADDRESS_TYPE = "W0322", "register that cannot hold an address", "st.global.u32 [%f], %r;", "st.global.u32 [%rd], %r;";
    /// Global and generic addresses have 64 bits. 32-bit registers can hold only addresses of shared and local memory.
    ADDRESS_32 = "W0323", "32-bit global address", "st.global.u32 [%r], %r2;", "st.global.u32 [%rd], %r2;";
    /// Constant addresses are allowed only in local memory.
    ABSOLUTE = "W0324", "constant address outside of local memory", "st.shared.u32 [16], %r;", "st.shared.u32 [shared_variable], %r;";
    /// The variable is declared in a different state space than the one that the store specifies.
    SPACE_MISMATCH = "W0325", "variable in the wrong state space", "st.global.u32 [shared_variable], %r;", "st.shared.u32 [shared_variable], %r;";
    /// Input parameters of a kernel or function are read-only in its body.
    INPUT_PARAMETER = "W0326", "read-only parameter", "st.param.u32 [input], %r;", "st.param.u32 [argument], %r;";
    /// The argument of a call must be stored unconditionally.
    PREDICATED_ARGUMENT = "W0327", "predicated store of a call argument", "@%p st.param.u32 [argument], %r;", "selp.u32 %r, %r1, %r2, %p; st.param.u32 [argument], %r;";
    /// Parameters must be accessed by name. A register cannot contain the address of a parameter.
    PARAM_REGISTER = "W0328", "parameter by address", "st.param::func.u32 [%rd], %r;", "st.param::func.u32 [argument], %r;";
    /// Only arrays can be indexed.
    NOT_AN_ARRAY = "W0329", "index of a scalar", "st.global.u32 scalar[0], %r;", "st.global.u32 [scalar], %r;";
    /// An index must be an integer.
    INDEX_TYPE = "W0330", "index that is not an integer", "st.global.u32 array[%f], %r;", "st.global.u32 [array+8], %r;";
    /// A cache policy operand requires `.L2::cache_hint`.
    HINT_MISSING = "W0331", "cache policy without its modifier", "st.global.u32 [a], %r, %policy;", "st.global.L2::cache_hint.u32 [a], %r, %policy;";
    /// `.L2::cache_hint` requires a cache policy as the last operand.
    POLICY_MISSING = "W0332", "modifier without its cache policy", "st.global.L2::cache_hint.u32 [a], %r;", "st.global.L2::cache_hint.u32 [a], %r, %policy;";
    /// A cache policy must be an integer or a 64-bit integer register, for example the result of `createpolicy`.
    POLICY_TYPE = "W0333", "not a cache policy", "st.global.L2::cache_hint.u32 [a], %r, %r2;", "st.global.L2::cache_hint.u32 [a], %r, %rd;";
    /// Braces cannot contain both literals and components of vectors.
    LITERAL_BESIDE_COMPONENT = "W0334", "literal next to a component", "st.global.v2.u32 [a], {%tid.x, 5};", "st.global.v2.u32 [a], {%r, 5};";
    /// Special registers cannot be addresses.
    SPECIAL_ADDRESS = "W0335", "special register as an address", "st.shared.u32 [%laneid], %r;", "mov.u32 %r2, %laneid; st.shared.u32 [%r2], %r;";
    /// According to the PTX ISA manual, the vector width directly precedes the type. `ptxas` warns about other positions.
    VECTOR_ORDER = "W0340", "vector width not before the type", "st.v2.global.u32 [a], {x, y};", "st.global.v2.u32 [a], {x, y};";
    /// 8-bit and 16-bit registers hold only the low bits of an address.
    NARROW_ADDRESS = "W0341", "narrow address register", "st.global.u32 [%h], %r; // .b16", "st.global.u32 [%rd], %r;";
    /// The PTX ISA manual requires a register. `ptxas` also accepts the name of a function, a variable plus a constant, and a register
    /// plus a constant.
    ODD_VALUE = "W0342", "undocumented value", "st.global.u64 [a], buffer+4;", "mov.u64 %rd, buffer; add.u64 %rd, %rd, 4; st.global.u64 [a], %rd;";
    /// The index exceeds the array, so the access is out of bounds. An index counts elements, not bytes.
    INDEX_BEYOND_ARRAY = "W0343", "array index out of bounds", "st.global.u8 array[64], %r; // .b8 array[64]", "st.global.u8 array[63], %r;";
    /// The component does not exist, so the value that `ptxas` stores is undefined.
    BEYOND_VECTOR = "W0344", "nonexistent component of a vector", "st.global.u32 [a], v.z; // .v2", "st.global.u32 [a], v.y;";
    /// `ptxas` accepts a register as the address of a parameter, but the stored value is undefined.
    PARAM_REGISTER_PASSES = "W0345", "parameter by address", "st.param.u32 [%rd], %r;", "st.param.u32 [argument], %r;";
}

fn describe(class: OperandClass) -> String {
    use OperandClass as V;
    let kind = match class {
        V::Bits(_) => "untyped",
        V::Unsigned(_) => "unsigned",
        V::Signed(_) => "signed",
        V::Float(_) => "floating-point",
        V::Halves => "packed `.f16x2`",
        V::Predicate => return "a predicate".to_owned(),
        V::Single => return "a single-precision literal".to_owned(),
        V::Double => return "a floating-point literal".to_owned(),
        V::Integer | V::Open => return "an integer literal".to_owned(),
    };
    format!("a {}-bit {kind} value", class.stored_width())
}

/// Describes the registers and literals that can be stored as a type.
fn compatible_with(ty: ScalarType) -> String {
    match (OperandClass::of(ty), ty.width_bits()) {
        (_, 128) => "a `.b128` register or an integer literal can be stored as `.b128`".to_owned(),
        (OperandClass::Float(_), bits) => {
            format!(
                "registers of type `.{ty}` or `.b{bits}`, wider untyped registers and floating-point literals can be stored as `.{ty}`"
            )
        }
        (OperandClass::Bits(_), bits) => {
            format!(
                "registers with at least {bits} bits (except predicates) and integer literals can be stored as `.{ty}`"
            )
        }
        (_, bits) => {
            format!(
                "integer or untyped registers with at least {bits} bits and integer literals can be stored as `.{ty}`"
            )
        }
    }
}

/// Returns the diagnostic for a value of an incompatible type.
pub(crate) fn type_mismatch(span: Span, class: OperandClass, ty: ScalarType) -> Diagnostic {
    let message = format!("{} is not compatible with `.{ty}`", describe(class));
    Diagnostic::error(TYPE_MISMATCH, span, message).help(compatible_with(ty))
}

/// Returns the diagnostic for a vector of an incompatible type.
pub(crate) fn vector_mismatch(span: Span, class: OperandClass, ty: ScalarType) -> Diagnostic {
    let element = describe(class);
    let element = element.strip_prefix("a ").unwrap_or(&element);
    let message = format!("a vector of {element} elements is not compatible with `.{ty}`");
    Diagnostic::error(TYPE_MISMATCH, span, message).help(compatible_with(ty))
}

/// Returns the diagnostic for a number of elements other than that of the vector modifier.
pub(crate) fn n_elements(span: Span, found: usize, expected: usize) -> Diagnostic {
    let message = format!("found {}, expected {expected}", counted(found, "element"));
    let diagnostic = Diagnostic::error(N_ELEMENTS, span, message);
    match found {
        2 | 4 | 8 => diagnostic.help(format!("`.v{found}` stores {found} elements")),
        1 => diagnostic.help("a store without a vector modifier stores one element"),
        _ => diagnostic.help("vectors must have 2, 4 or 8 elements"),
    }
}

/// Returns the diagnostic for adjacent elements of different kinds.
pub(crate) fn different_kinds(
    span: Span,
    class: OperandClass,
    before: Span,
    neighbour: OperandClass,
) -> Diagnostic {
    let (found, neighbour) = (describe(class), describe(neighbour));
    let message = format!("found {found} next to {neighbour}");
    Diagnostic::error(KINDS, span, message)
        .label(before, neighbour)
        .help("adjacent elements must be both integers or both floating-point values, unless one of them is untyped (`.bN`)")
}

/// Returns the diagnostic for elements of different widths.
pub(crate) fn different_widths(
    span: Span,
    class: OperandClass,
    first: Span,
    other: OperandClass,
) -> Diagnostic {
    let (found, expected) = (class.stored_width(), other.stored_width());
    let message =
        format!("found a {found}-bit element, expected {expected} bits as in the first element");
    Diagnostic::error(WIDTHS, span, message)
        .label(first, describe(other))
        .help("all registers in braces must have the same width")
}

/// Returns the diagnostic for a sink in a store that does not accept sinks.
pub(crate) fn sink(span: Span) -> Diagnostic {
    Diagnostic::error(SINK, span, "found the sink `_`, which is allowed in 256-bit stores only").help(
        "only `.v8` with a 32-bit type and `.v4` with a 64-bit type accept sinks; other stores need a value for each element",
    )
}

/// Returns the diagnostic for a store in which all elements are sinks.
pub(crate) fn all_sinks(span: Span) -> Diagnostic {
    Diagnostic::error(
        ALL_SINKS,
        span,
        "found only sinks `_`, expected at least one value",
    )
    .help("a store in which all elements are sinks has no effect")
}

/// Returns the diagnostic for a special register as the stored value.
pub(crate) fn special_register(span: Span) -> Diagnostic {
    Diagnostic::error(
        SPECIAL,
        span,
        "found a special register, expected a register or a literal",
    )
    .help("move the special register into a register with `mov` first")
}

/// Returns the diagnostic for an operand that is not a value.
pub(crate) fn not_a_value(span: Span, kind: OperandKind) -> Diagnostic {
    let (message, help) = match kind {
        OperandKind::Address { .. }
        | OperandKind::AbsoluteAddress { .. }
        | OperandKind::AddressList { .. } => (
            "found an address, expected a value".to_owned(),
            "load the value into a register with `ld` first",
        ),
        OperandKind::Minus(_) | OperandKind::Not(_) => (
            "found a negated value, expected a register or a literal".to_owned(),
            "compute the negated value in a register with `neg` or `not` first",
        ),
        OperandKind::Indexed { .. } | OperandKind::IndexedBy { .. } => (
            "found an array element, which denotes an address, expected a value".to_owned(),
            "load the value into a register with `ld` first",
        ),
        _ => (
            "expected a value to store".to_owned(),
            "a register, a literal or a list in braces can be stored",
        ),
    };
    Diagnostic::error(NOT_A_VALUE, span, message).help(help)
}

/// Returns the diagnostic for the name of a variable as the stored value.
pub(crate) fn variable_value(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        VARIABLE_VALUE,
        span,
        format!("found the variable `{name}`, expected a register"),
    )
    .help(format!(
        "`mov.u64 %rd, {name};` moves the address of the variable into a register, and `ld` loads the value of the variable"
    ))
}

/// Returns the diagnostic for an operand that cannot be an element in braces.
pub(crate) fn not_an_element(span: Span) -> Diagnostic {
    Diagnostic::error(NOT_AN_ELEMENT, span, "expected an element of a vector")
        .help("use a register, a component, a special register or a literal")
}

/// Returns the diagnostic for a component of a scalar register.
pub(crate) fn no_component(span: Span) -> Diagnostic {
    Diagnostic::error(NO_COMPONENT, span, "found a component of a scalar register")
        .help("only registers that are declared with `.v2` or `.v4` have components")
}

/// Returns the diagnostic for an operand that is not an address.
pub(crate) fn not_an_address(
    span: Span,
    kind: OperandKind,
    bracketed: Option<String>,
) -> Diagnostic {
    let message = match kind {
        OperandKind::Vector { .. } => "found a list in braces, expected an address",
        OperandKind::Integer { .. } | OperandKind::Single(_) | OperandKind::Double(_) => {
            "found a literal, expected an address in brackets"
        }
        _ => "expected an address in brackets",
    };
    let diagnostic = Diagnostic::error(NOT_AN_ADDRESS, span, message);
    match bracketed {
        Some(text) => {
            diagnostic
                .help(format!("write `{text}`"))
                .fix(format!("write `{text}`"), span, text)
        }
        None => diagnostic
            .help("an address is a register or variable in brackets, optionally plus a constant"),
    }
}

/// Returns the diagnostic for a name in an address that is not a register or variable.
pub(crate) fn no_address_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        NOT_AN_ADDRESS,
        span,
        format!("`{name}` cannot be an address"),
    )
    .help("use a scalar register or a variable as the address")
}

/// Returns the diagnostic for an address register of an invalid type.
pub(crate) fn address_type(span: Span, ty: ScalarType) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_TYPE,
        span,
        format!("a `.{ty}` register cannot hold an address"),
    )
    .help("use an integer or untyped register of at most 64 bits")
}

/// Returns the diagnostic for a 32-bit register as a global or generic address.
pub(crate) fn address_32(span: Span, ty: ScalarType) -> Diagnostic {
    let message = format!("a `.{ty}` register is too narrow for a global or generic address");
    Diagnostic::error(ADDRESS_32, span, message)
        .help("use a 64-bit register; 32 bits are enough for `.shared` and `.local` addresses")
}

/// Returns the diagnostic for a constant address.
pub(crate) fn absolute_address(span: Span) -> Diagnostic {
    Diagnostic::error(
        ABSOLUTE,
        span,
        "constant addresses are allowed in `.local` memory only",
    )
    .help("move the address into a register or use a variable")
}

/// Returns the diagnostic for a variable in a different state space.
pub(crate) fn space_mismatch(
    span: Span,
    name: &str,
    space: StateSpace,
    wanted: StateSpace,
    word: Option<Span>,
) -> Diagnostic {
    let found = space.name();
    let message = match wanted {
        StateSpace::Generic => {
            format!("`{name}` is in `.{found}`, which is not accessible through a generic address")
        }
        _ => format!(
            "`{name}` is in `.{found}`, but the store accesses `.{}`",
            wanted.name()
        ),
    };
    let diagnostic = Diagnostic::error(SPACE_MISMATCH, span, message);
    let Some(word) = word else {
        return diagnostic.help("specify the state space of the variable");
    };
    let diagnostic = diagnostic.label(word, "the state space of the store");
    match space {
        StateSpace::Global | StateSpace::Shared | StateSpace::Local => diagnostic
            .help("the state space of the store must match the state space of the variable")
            .fix(format!("use `.{found}`"), word, found),
        StateSpace::Const => diagnostic.help("constant memory is read-only"),
        _ => diagnostic
            .help("the state space of the store must match the state space of the variable"),
    }
}

/// Returns the diagnostic for a store to an input parameter of the function itself.
pub(crate) fn input_parameter(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        INPUT_PARAMETER,
        span,
        format!("`{name}` is an input parameter, which is read-only"),
    )
    .help("`st.param` writes the return value of a function and the arguments of a call")
}

/// Returns the diagnostic for a guarded store to an argument of a call.
pub(crate) fn predicated_argument(guard: Span, name_span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        PREDICATED_ARGUMENT,
        guard,
        format!(
            "`{name}` is an argument of a call and cannot be stored by a predicated instruction"
        ),
    )
    .label(name_span, "declared for a call")
    .help("select the value with `selp`, or branch around the whole call")
}

/// Returns the diagnostic for a register as the address of a parameter.
pub(crate) fn param_register(span: Span) -> Diagnostic {
    Diagnostic::error(
        PARAM_REGISTER,
        span,
        "found a register, expected the name of a parameter",
    )
    .help("use the name of the parameter")
}

/// Returns the diagnostic for a register as the address of a parameter if the assembler accepts it.
pub(crate) fn param_register_passes(span: Span) -> Diagnostic {
    Diagnostic::warning(
        PARAM_REGISTER_PASSES,
        span,
        "found a register, expected the name of a parameter",
    )
    .help("use the name of the parameter, because `ptxas` may crash if the address is a register")
}

/// Returns the diagnostic for an index of a scalar.
pub(crate) fn not_an_array(span: Span) -> Diagnostic {
    Diagnostic::error(
        NOT_AN_ARRAY,
        span,
        "found an index of a scalar, expected an array",
    )
    .help("declare the variable as an array, or write the address in brackets")
}

/// Returns the diagnostic for an index of an invalid type.
pub(crate) fn index_type(span: Span) -> Diagnostic {
    Diagnostic::error(
        INDEX_TYPE,
        span,
        "expected an integer of at most 64 bits as the index",
    )
    .help("use an integer register or a constant")
}

/// Returns the diagnostic for a cache policy without `.L2::cache_hint`. `from` is the end of the preceding operand; the fix
/// inserts the modifier at `at`.
pub(crate) fn hint_missing(span: Span, from: u32, at: Option<Span>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        HINT_MISSING,
        span,
        "found a third operand without `.L2::cache_hint`",
    )
    .help("the third operand of a store is a cache policy")
    .fix("remove the third operand", Span::new(from, span.end), "");
    diagnostic.fixes.extend(at.map(|at| Fix {
        title: "add `.L2::cache_hint`".to_owned(),
        edits: vec![Edit {
            span: at,
            text: ".L2::cache_hint".to_owned(),
        }],
    }));
    diagnostic
}

/// Returns the diagnostic for `.L2::cache_hint` without a cache policy. `end` is the end of the operands.
pub(crate) fn policy_missing(word: Span, end: u32) -> Diagnostic {
    Diagnostic::error(
        POLICY_MISSING,
        word,
        "`.L2::cache_hint` needs a cache policy as the last operand",
    )
    .label(Span::at(end), "expected a cache policy here")
    .help("create a cache policy in a 64-bit register with `createpolicy`")
    .fix(
        "remove `.L2::cache_hint`",
        Span::new(word.start.saturating_sub(1), word.end),
        "",
    )
}

/// Returns the diagnostic for a cache policy of an invalid type.
pub(crate) fn policy_type(span: Span) -> Diagnostic {
    Diagnostic::error(
        POLICY_TYPE,
        span,
        "expected a 64-bit integer as the cache policy",
    )
    .help(
        "create a cache policy in a `.b64` register with `createpolicy`, or use an integer literal",
    )
}

/// Returns the diagnostic for a literal and a component in the same list.
pub(crate) fn literal_beside_component(span: Span, component: Span) -> Diagnostic {
    Diagnostic::error(
        LITERAL_BESIDE_COMPONENT,
        span,
        "a literal and a component of a vector register cannot be adjacent elements",
    )
    .label(component, "a component")
    .help("move the literal or the component into a register with `mov` first")
}

/// Returns the diagnostic for a special register as an address.
pub(crate) fn special_address(span: Span) -> Diagnostic {
    Diagnostic::error(
        SPECIAL_ADDRESS,
        span,
        "found a special register, expected an address",
    )
    .help("move the special register into a register with `mov` first")
}

/// Returns the diagnostic for a vector width that does not directly precede the type.
pub(crate) fn vector_order(opcode: &Opcode<'_>, vector: usize, ty: usize) -> Diagnostic {
    let text = opcode.modifier(vector);
    let message = format!("`.{text}` must directly precede `.{}`", opcode.modifier(ty));
    let mut diagnostic = Diagnostic::warning(VECTOR_ORDER, opcode.modifier_span(vector), message)
        .label(opcode.modifier_span(ty), "the type")
        .help("`ptxas` accepts this order with a warning");
    let at = Span::at(opcode.dotted_span(ty).start);
    let edits = vec![
        Edit {
            span: opcode.dotted_span(vector),
            text: String::new(),
        },
        Edit {
            span: at,
            text: format!(".{text}"),
        },
    ];
    diagnostic
        .fixes
        .push(fix(format!("move `.{text}` before the type"), edits));
    diagnostic
}

/// Returns the diagnostic for an 8-bit or 16-bit address register.
pub(crate) fn narrow_address(span: Span, ty: ScalarType) -> Diagnostic {
    Diagnostic::warning(
        NARROW_ADDRESS,
        span,
        format!("a `.{ty}` register holds only the low bits of an address"),
    )
    .help("global and generic addresses have 64 bits")
}

/// Returns the diagnostic for the name of a function as the stored value.
pub(crate) fn function_value(span: Span) -> Diagnostic {
    Diagnostic::warning(ODD_VALUE, span, "found a function, expected a register")
        .help("`ptxas` accepts this undocumented form and stores the address of the function")
}

/// Returns the diagnostic for `name+constant` as the stored value.
pub(crate) fn sum_value(span: Span) -> Diagnostic {
    Diagnostic::warning(
        ODD_VALUE,
        span,
        "found an address expression, expected a register",
    )
    .help("`ptxas` accepts this undocumented form; computing the address in a register with `add` or `mov` has the same effect")
}

/// Returns the diagnostic for a constant index that is out of bounds.
pub(crate) fn index_beyond_array(
    span: Span,
    array: &str,
    index: i64,
    n_elements: u64,
) -> Diagnostic {
    let message =
        format!("index {index} is out of bounds for `{array}` with {n_elements} elements");
    Diagnostic::warning(INDEX_BEYOND_ARRAY, span, message)
        .help("an index is a number of elements, but an offset in brackets, such as `[array+4]`, is a number of bytes")
}

/// Returns the diagnostic for a component beyond the end of the vector.
pub(crate) fn beyond_vector(span: Span, n: u8) -> Diagnostic {
    Diagnostic::warning(
        BEYOND_VECTOR,
        span,
        format!("the vector has only {n} components"),
    )
    .help("`ptxas` accepts this component, but the stored value is undefined")
}
