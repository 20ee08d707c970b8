//! `warpgrid layout`: shows layout expressions and layout algebra, and compares the fragments of two instructions.

use crate::ExitKind;
use crate::fragment::{FragmentFormat, print_request};
use clap::Args;
use std::io;
use warpgrid_view::layouts::fragment::FragmentRequest;

/// Arguments of `layout`.
#[derive(Debug, Args)]
pub(crate) struct LayoutArguments {
    /// `Swizzle<3,4,3> o ((8,2),64):((64,512),1)`, `logical_divide((8,8):(8,1), <4,2>)`, `A o B`, or bases: `{lane = [1, 2], register = [4]}`.
    #[arg(value_name = "LAYOUT", required_unless_present = "producer")]
    layout: Option<String>,
    /// Label of each cell, which is the offset, the shared memory bank (`bank`), or the element at each offset (`element`).
    #[arg(
        long,
        alias = "shown",
        default_value = "offset",
        value_name = "offset|bank|element"
    )]
    show: String,
    /// Element size in bytes, which determines the banks.
    #[arg(long, alias = "bytes", default_value = "2")]
    element_bytes: String,
    /// Instruction that produces the fragment, such as `mma.d m16n8k16 f32 sm_80`.
    #[arg(
        long,
        alias = "first",
        value_name = "OPERATION",
        requires = "consumer",
        conflicts_with = "layout"
    )]
    producer: Option<String>,
    /// Instruction that consumes the fragment, such as `mma.a m16n8k16 f16 sm_80`. The output marks elements that are in a different
    /// thread than required.
    #[arg(long, alias = "then", value_name = "OPERATION", requires = "producer")]
    consumer: Option<String>,
    /// Output format: a table, complete JSON, or an SVG diagram.
    #[arg(long, value_enum, default_value_t)]
    format: FragmentFormat,
}

/// Prints the layout. An invalid layout expression is a usage error.
pub(crate) fn print(arguments: &LayoutArguments) -> io::Result<ExitKind> {
    let words: Vec<(&str, &str)> =
        match (&arguments.layout, &arguments.producer, &arguments.consumer) {
            (_, Some(producer), Some(consumer)) => vec![("first", producer), ("then", consumer)],
            (layout, ..) => vec![
                ("expression", layout.as_deref().unwrap_or_default()),
                ("shown", &arguments.show),
                ("bytes", &arguments.element_bytes),
            ],
        };
    let op = if arguments.producer.is_some() {
        "chain"
    } else {
        "layout"
    };
    let with = words
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let request = FragmentRequest {
        op: op.to_owned(),
        with: with.collect(),
        ..FragmentRequest::default()
    };
    print_request(&request, arguments.format)
}
