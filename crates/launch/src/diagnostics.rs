//! Diagnostics about launches: one function per message, grouped by code, and the reference page of each code. All messages of the crate
//! are in this module.

use crate::scenario::{Buffer, Parameter};
use crate::value::ElementType;
use warpgrid_program::{Diagnostic, DiagnosticDoc, Span, counted};

/// Name with its span in the source.
pub(crate) struct SpannedName<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// Error that prevents a launch, with the launch fact that causes the error, such as `block`, `entry`, or the name of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchDiagnostic {
    pub code: &'static str,
    /// Fact that causes the error. The string is empty if no single fact causes the error.
    pub about: String,
    pub message: String,
}

fn problem(code: &'static str, message: impl Into<String>) -> LaunchDiagnostic {
    LaunchDiagnostic {
        code,
        about: String::new(),
        message: message.into(),
    }
}

impl LaunchDiagnostic {
    /// Returns the error with `name` as the fact or parameter that causes it.
    #[must_use]
    fn about(mut self, name: &str) -> LaunchDiagnostic {
        self.about = name.to_owned();
        self
    }

    /// Returns the error with the name of the register in the message, because registers in the fields of a scenario have no source line to
    /// which the error could refer.
    #[must_use]
    pub(crate) fn of_register(self, name: &str) -> LaunchDiagnostic {
        LaunchDiagnostic {
            message: format!("register `{name}`: {}", self.message),
            ..self
        }
        .about(name)
    }
}

pub(crate) fn unknown_fact(found: &str) -> LaunchDiagnostic {
    problem(
        "W0700",
        format!(
            "found `{found}`, expected `title`, `about`, `launch`, `buffer`, `scalar`, `start`, `alias`, `tensormap`, `array`, `texture`, `surface`, `multimem`, `register`, `expect` or `source`"
        ),
    )
}

pub(crate) fn no_equals_sign() -> LaunchDiagnostic {
    problem(
        "W0701",
        "found a launch option without `=`, expected options such as `grid=4` or `block=32x8`",
    )
}

pub(crate) fn unknown_launch_fact(found: &str) -> LaunchDiagnostic {
    problem(
        "W0701",
        format!(
            "found `{found}`, expected `grid`, `block`, `cluster`, `shared`, `entry`, `seed`, `schedule`, `resident` or `misaligned`"
        ),
    )
}

pub(crate) fn not_a_number(found: &str) -> LaunchDiagnostic {
    problem("W0701", format!("found `{found}`, expected a number"))
}

pub(crate) fn invalid_schedule(reason: String) -> LaunchDiagnostic {
    problem("W0701", reason)
}

pub(crate) fn not_extents(found: &str) -> LaunchDiagnostic {
    problem(
        "W0701",
        format!("found the size `{found}`, expected one to three numbers such as `4` or `16x16`"),
    )
}

pub(crate) fn too_many_extents() -> LaunchDiagnostic {
    problem("W0701", "the shape has more than three extents")
}

pub(crate) fn too_many_elements() -> LaunchDiagnostic {
    problem(
        "W0702",
        "the number of elements of the buffer does not fit in 64 bits",
    )
}

pub(crate) fn too_many_values(n_values: usize, n_elements: u64) -> LaunchDiagnostic {
    problem(
        "W0702",
        format!(
            "found {} for {}",
            counted(n_values, "value"),
            counted(n_elements, "element")
        ),
    )
}

pub(crate) fn no_name_and_type() -> LaunchDiagnostic {
    problem(
        "W0702",
        "the annotation has no name or no type, expected both, as in `out: f32[64]`",
    )
}

pub(crate) fn unknown_type(found: &str) -> LaunchDiagnostic {
    problem(
        "W0702",
        format!("unknown type `{found}`, expected a type such as `f32`, `u8` or `s64`"),
    )
}

pub(crate) fn unknown_type_of(name: &str, found: &str) -> LaunchDiagnostic {
    let message =
        format!("unknown type `{found}` of `{name}`, expected a type such as `f32`, `u8` or `s64`");
    problem("W0702", message).about(name)
}

pub(crate) fn not_an_array(found: &str) -> LaunchDiagnostic {
    problem(
        "W0702",
        format!("found `{found}`, expected a type with extents such as `f32[16][16]`"),
    )
}

/// Returns the error for a buffer initializer that is not a valid pattern, `reason` describes the syntax error.
pub(crate) fn unreadable_pattern(reason: String) -> LaunchDiagnostic {
    problem("W0702", reason)
}

pub(crate) fn not_a_literal(found: &str) -> LaunchDiagnostic {
    problem(
        "W0702",
        format!("found `{found}`, expected a number or bit pattern such as `0x3f800000`"),
    )
}

pub(crate) fn alias_without_buffer() -> LaunchDiagnostic {
    problem(
        "W0703",
        "the alias names no buffer, expected an alias such as `//@ alias y = x`",
    )
}

pub(crate) fn source_without_name() -> LaunchDiagnostic {
    problem(
        "W0707",
        "the annotation names no source file, expected a name such as `//@ source saxpy.cu`",
    )
}

pub(crate) fn map_without_tensor() -> LaunchDiagnostic {
    problem(
        "W0703",
        "the tensor map specifies no tensor, expected a tensor map such as `//@ tensormap map = tiled x: f16[40][64] box=[24][64]`",
    )
}

pub(crate) fn tensor_map(name: &str, reason: &str) -> LaunchDiagnostic {
    problem("W0703", format!("tensor map `{name}`: {reason}")).about(name)
}

pub(crate) fn array(name: &str, reason: &str) -> LaunchDiagnostic {
    problem("W0702", format!("array `{name}`: {reason}")).about(name)
}

pub(crate) fn image_without_memory() -> LaunchDiagnostic {
    problem(
        "W0703",
        "the texture or surface names no array, expected an annotation such as `//@ texture image = texels`",
    )
}

pub(crate) fn image(kind: &str, name: &str, reason: &str) -> LaunchDiagnostic {
    problem("W0703", format!("{kind} `{name}`: {reason}")).about(name)
}

pub(crate) fn multimem_without_buffers() -> LaunchDiagnostic {
    problem(
        "W0703",
        "the multimem address names no buffers, expected an annotation such as `//@ multimem all = x, y`",
    )
}

pub(crate) fn no_start() -> LaunchDiagnostic {
    problem(
        "W0703",
        "the annotation specifies no element index, expected an annotation such as `//@ start x = 16`",
    )
}

pub(crate) fn start_outside(start: u64, len: u64) -> LaunchDiagnostic {
    problem(
        "W0703",
        format!(
            "the element index {start} is out of bounds for a buffer of {}",
            counted(len, "element")
        ),
    )
}

pub(crate) fn scalar_without_value() -> LaunchDiagnostic {
    problem(
        "W0703",
        "the scalar has no value, expected a scalar such as `//@ scalar n: s32 = 200`",
    )
}

pub(crate) fn scalar_not_in_type(reason: String) -> LaunchDiagnostic {
    problem("W0703", reason)
}

pub(crate) fn argument_not_in_type(name: &str, reason: &str) -> LaunchDiagnostic {
    problem("W0703", format!("`{name}`: {reason}")).about(name)
}

pub(crate) fn no_expectation() -> LaunchDiagnostic {
    problem(
        "W0704",
        "the annotation lists no expected values, expected an annotation such as `//@ expect out = 0, 1, 2`",
    )
}

pub(crate) fn register_without_value() -> LaunchDiagnostic {
    problem(
        "W0706",
        "the register has no value, expected an annotation such as `//@ register R2 = lane * 4`",
    )
}

pub(crate) fn not_a_register_value(found: &str) -> LaunchDiagnostic {
    problem(
        "W0706",
        format!(
            "found `{found}`, expected a number, `lane`, `thread`, a multiple of `lane` or `thread`, or a buffer"
        ),
    )
}

pub(crate) fn no_such_register(name: &str) -> LaunchDiagnostic {
    problem("W0706", format!("the kernel has no register `{name}`")).about(name)
}

pub(crate) fn not_a_way_to_align(found: &str) -> LaunchDiagnostic {
    problem(
        "W0701",
        format!("found `{found}`, expected `fault` or `force`"),
    )
}

pub(crate) fn no_buffer_above(name: &str) -> LaunchDiagnostic {
    problem(
        "W0704",
        format!("unknown buffer `{name}`: declare the buffer before this line"),
    )
}

pub(crate) fn given_twice(name: &str) -> LaunchDiagnostic {
    problem("W0705", format!("duplicate `{name}`")).about(name)
}

/// Returns the diagnostic for a specified parameter that is matched by position, although its name resembles the name of a kernel
/// parameter.
pub(crate) fn no_parameter_of_that_name(
    found: &SpannedName<'_>,
    meant: Option<&str>,
    names: &[&str],
) -> Diagnostic {
    let message = format!("the kernel has no parameter `{}`", found.text);
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let help = format!(
        "the kernel parameters are {}. Because of the unknown name, all annotations are matched to the parameters by position",
        quoted.join(", ")
    );
    let warning = Diagnostic::warning("W0716", found.span, message).help(help);
    match meant {
        Some(meant) => warning.fix(format!("write `{meant}`"), found.span, meant),
        None => warning,
    }
}

pub(crate) fn fact_given_twice(name: &str) -> LaunchDiagnostic {
    problem("W0705", format!("duplicate `{name}`"))
}

pub(crate) fn no_such_kernel(name: &str, kernels: &[&str]) -> LaunchDiagnostic {
    let quoted: Vec<String> = kernels.iter().map(|kernel| format!("`{kernel}`")).collect();
    let has = match quoted.is_empty() {
        true => "none".to_owned(),
        false => quoted.join(", "),
    };
    let message = format!("the module has no kernel `{name}`, expected one of {has}");
    problem(NO_SUCH_KERNEL, message).about("entry")
}

/// Returns the error for an option that sets a scalar parameter which the kernel does not have.
pub(crate) fn no_such_scalar(name: &str, scalars: &[String]) -> LaunchDiagnostic {
    let quoted: Vec<String> = scalars.iter().map(|scalar| format!("`{scalar}`")).collect();
    let has = match quoted.is_empty() {
        true => "none".to_owned(),
        false => quoted.join(", "),
    };
    let message = format!("the kernel has no scalar parameter `{name}`, expected one of {has}");
    problem("W0716", message).about(name)
}

/// Returns the error for an option whose value the type of the scalar parameter cannot represent.
pub(crate) fn override_not_in_type(name: &str, reason: &str) -> LaunchDiagnostic {
    problem("W0714", format!("scalar `{name}`: {reason}")).about(name)
}

pub(crate) fn no_kernel() -> LaunchDiagnostic {
    problem(NO_KERNEL, "the module has no kernel to launch").about("entry")
}

pub(crate) fn nested_structure(name: &str) -> LaunchDiagnostic {
    let message = format!(
        "the structure `{name}` contains a nested structure, which is not supported: add the fields of the nested structure to `{name}`"
    );
    problem("W0712", message).about(name)
}

pub(crate) fn structure_too_large(name: &str, size: u64) -> LaunchDiagnostic {
    let message = format!(
        "the parameter `{name}` has {size} bytes, expected at most 32764 bytes for all kernel parameters"
    );
    problem("W0712", message).about(name)
}

pub(crate) fn field_outside(field: &str, name: &str, size: u64) -> LaunchDiagnostic {
    let size = counted(size, "byte");
    let message =
        format!("the field `{field}` exceeds the size of the structure `{name}`, which is {size}");
    problem("W0712", message).about(name)
}

pub(crate) fn odd_alignment(name: &str, align: u64) -> LaunchDiagnostic {
    let message = format!("found the alignment {align} of `{name}`, expected a power of two");
    problem("W0712", message).about(name)
}

pub(crate) fn other_shape(buffer: &Buffer) -> LaunchDiagnostic {
    let extents: String = buffer.shape.iter().map(|n| format!("[{n}]")).collect();
    let (name, len) = (&buffer.name, counted(buffer.len, "element"));
    let message =
        format!("the buffer `{name}` has {len}, but the shape of the buffer is {extents}");
    problem("W0717", message).about(name)
}

pub(crate) fn buffer_too_large(name: &str, n_bytes: u128, max_bytes: u64) -> LaunchDiagnostic {
    let message = format!("the buffer `{name}` has {n_bytes} bytes, expected at most {max_bytes}");
    problem("W0713", message).about(name)
}

pub(crate) fn initial_values(name: &str, reason: &str) -> LaunchDiagnostic {
    problem("W0714", format!("buffer `{name}`: {reason}")).about(name)
}

pub(crate) fn no_buffer_to_point_to(name: &str) -> LaunchDiagnostic {
    problem("W0715", format!("unknown buffer `{name}`")).about(name)
}

/// Converts a launch error of the emulator to an error with the fact that causes it.
pub(crate) fn refused(
    error: &warpgrid_emulator::LaunchError,
    parameters: &[Parameter],
) -> LaunchDiagnostic {
    use warpgrid_emulator::LaunchError as E;
    let parameter = |index: usize| parameters.get(index).map_or("", Parameter::name);
    let about = match error {
        E::ZeroExtent { what, .. } | E::ExtentTooLarge { what, .. } => what,
        E::TooManyThreads { .. } | E::BoundsOfKernel { .. } => "block",
        E::GridNotInClusters { .. } => "grid",
        E::SharedTooLarge { .. } => "shared",
        E::BufferTooLarge { name, .. } => name,
        E::ArgumentSize { index, .. } | E::BadPointer { index } => parameter(*index),
        E::ClusterTooLarge { .. } | E::NoClusters { .. } => "cluster",
        E::NoSuchEntry | E::NotAnEntry { .. } => "entry",
        E::ArgumentCount { .. }
        | E::BadImage { .. }
        | E::LocalTooLarge { .. }
        | E::MemoryTooLarge { .. }
        | E::LimitTooLarge { .. } => "",
    };
    problem("W0720", error.to_string()).about(about)
}

/// Messages that explain why a literal is not an element of a type.
pub(crate) mod value {
    use super::ElementType;

    pub(crate) fn unknown_type(found: &str) -> String {
        super::unknown_type(found).message
    }

    pub(crate) fn not_an_integer(value: f64, ty: ElementType) -> String {
        format!(
            "found {value}, expected an integer for type `{}`",
            ty.name()
        )
    }

    pub(crate) fn too_many_bits(text: &str, ty: ElementType) -> String {
        format!(
            "the value `{text}` does not fit in the type `{}`",
            ty.name()
        )
    }

    pub(crate) fn not_an_address(ty: &str) -> String {
        format!("found an address in a buffer of type `{ty}`, expected a 64-bit element type")
    }

    pub(crate) fn not_a_value(text: &str) -> String {
        format!("found `{text}`, expected a number or bit pattern such as `0x7fc00000`")
    }

    pub(crate) fn out_of_range(value: i128, ty: ElementType) -> String {
        format!("the value {value} does not fit in the type `{}`", ty.name())
    }
}

/// Code of the error for the launch of a nonexistent kernel.
pub const NO_SUCH_KERNEL: &str = "W0710";
/// Code of the error for the launch of a module without kernels.
pub const NO_KERNEL: &str = "W0711";

/// Reference pages of the diagnostic codes, ordered by code.
#[rustfmt::skip]
pub const PAGES: &[DiagnosticDoc] = &[
    DiagnosticDoc::page("W0700", "unknown annotation", "A line that starts with `//@` is an annotation of the launch configuration. The first word of the line is the kind of annotation.", "//@ lunch grid=2", "//@ launch grid=2"),
    DiagnosticDoc::page("W0701", "invalid launch option", "A launch annotation contains options such as `grid=4` or `block=16x16`. `grid`, `block` and `cluster` require one to three numbers. `shared` (bytes), `seed` and `resident` (resident blocks) require one number, `entry` requires the name of a kernel, and `schedule` requires turns such as `0.1:35,a2`.", "//@ launch grid=two", "//@ launch grid=2 block=32x4"),
    DiagnosticDoc::page("W0702", "invalid buffer", "A buffer has a name, an element type with extents, and optional initial values. The initial values are one number for all elements, a list, `iota`, `random` with a seed, or `nan`. Values of single elements may follow, as in `0 [5000]=7`.", "//@ buffer out: f33[4]", "//@ buffer out: f32[4] = 0"),
    DiagnosticDoc::page("W0703", "invalid scalar", "A scalar has a name, a type and a value that fits in the type.", "//@ scalar n: u8 = 300", "//@ scalar n: u32 = 300"),
    DiagnosticDoc::page("W0704", "invalid expectation", "An expectation refers to a buffer that is declared on an earlier line. The expectation lists the expected values of the buffer after the launch, starting with the first element.", "//@ expect nothing = 1", "//@ expect out = 1, 2, 3"),
    DiagnosticDoc::page("W0705", "duplicate annotation", "Each kernel parameter, launch option and expectation may be specified only once.", "//@ scalar n: u32 = 1\n//@ scalar n: u32 = 2", "//@ scalar n: u32 = 1"),
    DiagnosticDoc::page(NO_SUCH_KERNEL, "unknown kernel", "The launch configuration specifies a kernel that the module does not define.", "//@ launch entry=scales", "//@ launch entry=scale"),
    DiagnosticDoc::page(NO_KERNEL, "no kernel", "A launch requires a kernel, which is a function with a body that is declared with `.entry`. Modules without kernels can be checked, but not run.", ".func f() { ret; }", ".entry f() { ret; }"),
    DiagnosticDoc::page("W0706", "invalid register", "The initial value of a register is a sum of numbers, `lane`, `thread`, multiples of `lane` or `thread`, and the address of a buffer. The kernel must use the register.", "//@ register R2 4", "//@ register R2 = lane * 4"),
    DiagnosticDoc::page("W0707", "source file without a name", "The annotation `source` names a source file from which a compiler generated the kernel. The following comment lines contain the text of the file.", "//@ source\n// __global__ void k() {}", "//@ source k.cu\n// __global__ void k() {}"),
    DiagnosticDoc::page("W0712", "invalid structure", "A structure that is passed by value has a size in bytes and fields at byte offsets. The fields of the structure are buffers, aliases or scalars.", "a field at offset 8 of a structure of 8 bytes", "a field at offset 0 of a structure of 8 bytes"),
    DiagnosticDoc::page("W0713", "buffer too large", "The memory of a launch is limited to 1 GiB.", "//@ buffer out: f32[274877906944]", "//@ buffer out: f32[1024]"),
    DiagnosticDoc::page("W0714", "invalid initial value", "Each initial value must fit in the element type, and the number of initial values must not exceed the number of elements.", "//@ buffer out: u8[2] = 300", "//@ buffer out: u8[2] = 255"),
    DiagnosticDoc::page("W0715", "unknown buffer", "An alias must name a buffer of the same launch configuration.", "an alias of `outt`", "an alias of `out`"),
    DiagnosticDoc::page("W0716", "unknown parameter", "Annotations are matched to kernel parameters by name. If a name is unknown, all annotations are matched by position, which supports compiler-generated names. A name that is similar to a parameter, or appears together with known names, is probably misspelled.", "//@ buffer oot: u32[32] = 0\n.entry k(.param .u64 out) { ret; }", "//@ buffer out: u32[32] = 0\n.entry k(.param .u64 out) { ret; }"),
    DiagnosticDoc::page("W0717", "buffer shape does not match the length", "The product of the extents of a buffer must equal the number of elements of the buffer.", "{ \"len\": 32, \"shape\": [4, 4] }", "{ \"len\": 32, \"shape\": [8, 4] }"),
    DiagnosticDoc::page("W0720", "impossible launch", "The launch configuration exceeds a limit of the GPU or the kernel. Extents must be at least 1. A block has at most 1024 threads and must conform to `.reqntid` and `.maxntid`. The number of arguments must match the kernel parameters, and memory is limited.", "//@ launch block=2048", "//@ launch grid=2 block=1024"),
];
