//! `warpgrid descriptor`: decodes the bits of a descriptor into its fields and the addressed tile, or encodes a descriptor from options and
//! prints the PTX code that builds the descriptor.

use crate::ExitKind;
use crate::fragment::{FragmentFormat, print_request};
use clap::{Args, ValueEnum};
use std::io;
use warpgrid_view::layouts::fragment::FragmentRequest;
use warpgrid_view::layouts::inspector::picture::family_of;

/// Arguments of `descriptor`.
#[derive(Debug, Args)]
pub(crate) struct DescriptorArguments {
    /// The 64 bits of a shared-memory descriptor (`0x4000004000010040`), or the 32 bits of an instruction descriptor with `--family instruction`.
    /// Without bits, the options specify the descriptor to build.
    #[arg(value_name = "BITS")]
    bits: Option<String>,
    /// Instruction family. By default, the command infers the family from the constant in bits 46 to 48 of the descriptor.
    #[arg(long, value_enum)]
    family: Option<DescriptorFamily>,
    /// Matrix that the descriptor describes: `a` or `b`.
    #[arg(long, default_value = "a", value_parser = ["a", "b"])]
    factor: String,
    /// Element type.
    #[arg(long = "type", value_name = "TYPE")]
    ty: Option<String>,
    /// Number of rows of A and of columns of B, such as `m64n128`.
    #[arg(long)]
    shape: Option<String>,
    /// Major-ness, the index that is contiguous in memory: `k` or `mn`.
    #[arg(long)]
    major: Option<String>,
    /// Swizzle mode: `128B`, `64B`, `32B`, `none` or `128B_atom_32B`.
    #[arg(long)]
    swizzle: Option<String>,
    /// Shared memory address of the first element, in bytes.
    #[arg(long, value_name = "BYTES")]
    start: Option<String>,
    /// Leading byte offset.
    #[arg(long, value_name = "BYTES")]
    leading: Option<String>,
    /// Stride byte offset.
    #[arg(long, value_name = "BYTES")]
    stride: Option<String>,
    /// Base offset, in 128-byte lines.
    #[arg(long, value_name = "LINES")]
    base: Option<String>,
    /// Step along k to show (`0`, `1`, ...). By default, the command shows all steps.
    #[arg(long)]
    step: Option<String>,
    /// Contents of the tile to show: `memory`, `memory before the swizzle` or `elements read`.
    #[arg(long, alias = "shown")]
    show: Option<String>,
    /// Actual swizzle mode of the tile in memory. The output marks elements that the hardware reads from wrong addresses.
    #[arg(long, alias = "stored", value_name = "SWIZZLE")]
    actual_swizzle: Option<String>,
    /// Actual major-ness of the tile in memory, `k` or `mn`. The output marks elements that the hardware reads from wrong addresses.
    #[arg(long, alias = "stored-major", value_name = "INDEX")]
    actual_major: Option<String>,
    /// Bits of the intended descriptor. The output compares the fields, and marks elements that the hardware reads from wrong addresses.
    #[arg(long, alias = "meant", value_name = "BITS")]
    intended: Option<String>,
    /// MMA kind, required for an instruction descriptor: `f16`, `tf32`, `f8f6f4`, `i8`, `mxf8f6f4`, `mxf4`, `mxf4nvf4`.
    #[arg(long)]
    kind: Option<String>,
    /// Instruction descriptor that belongs to a `tcgen05` shared-memory descriptor, and determines type, shape and major-ness.
    #[arg(long, value_name = "BITS")]
    idesc: Option<String>,
    /// Bits of the intended instruction descriptor for a comparison.
    #[arg(long, alias = "meant-idesc", value_name = "BITS")]
    intended_idesc: Option<String>,
    /// Further parameters, as in `--param sparse=yes`, including the parameters of an instruction descriptor (`kind=f16`, `d=f32`).
    #[arg(long = "param", alias = "with", value_name = "NAME=VALUE", value_delimiter = ',', value_parser = crate::fragment::word)]
    params: Vec<(String, String)>,
    /// Output format: a table, complete JSON, or an SVG diagram.
    #[arg(long, value_enum, default_value_t)]
    format: FragmentFormat,
}

/// Instruction family of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DescriptorFamily {
    Wgmma,
    Tcgen05,
    /// Instruction descriptor of `tcgen05.mma`.
    Instruction,
}

/// Prints the descriptor. An invalid descriptor is a usage error.
pub(crate) fn print(arguments: &DescriptorArguments) -> io::Result<ExitKind> {
    let family = match arguments.family {
        Some(DescriptorFamily::Wgmma) => "wgmma",
        Some(DescriptorFamily::Tcgen05) => "tcgen05",
        Some(DescriptorFamily::Instruction) => "instruction",
        // Only `tcgen05` has instruction descriptors.
        None if arguments.idesc.is_some() => "tcgen05",
        None => family_of(arguments.bits.as_deref().unwrap_or_default()),
    };
    let op = match family {
        "instruction" => "tcgen05.idesc".to_owned(),
        family => format!("{family}.tile.{}", arguments.factor),
    };
    let words = [
        ("descriptor", &arguments.bits),
        ("major", &arguments.major),
        ("swizzle", &arguments.swizzle),
        ("start", &arguments.start),
        ("leading", &arguments.leading),
        ("stride", &arguments.stride),
        ("base", &arguments.base),
        ("step", &arguments.step),
        ("shown", &arguments.show),
        ("stored", &arguments.actual_swizzle),
        ("stored_major", &arguments.actual_major),
        ("meant", &arguments.intended),
        ("kind", &arguments.kind),
        ("idesc", &arguments.idesc),
        ("meant_idesc", &arguments.intended_idesc),
    ];
    let words = words
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    let request = FragmentRequest {
        op,
        shape: arguments.shape.clone().unwrap_or_default(),
        ty: arguments.ty.clone().unwrap_or_default(),
        with: words.chain(arguments.params.iter().cloned()).collect(),
        ..FragmentRequest::default()
    };
    print_request(&request, arguments.format)
}
