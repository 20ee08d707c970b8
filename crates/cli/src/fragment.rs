//! `warpgrid fragment`: shows the lane and register of each matrix element, and the element locations of tensor instructions.

use crate::ExitKind;
use crate::output::{JsonReport, report_error, stdout};
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use warpgrid_view::RequestError;
use warpgrid_view::api;
use warpgrid_view::layouts::fragment::FragmentRequest;
use warpgrid_view::layouts::inspector::ElementMap;

/// Arguments of `fragment`.
#[derive(Debug, Args)]
pub(crate) struct FragmentArguments {
    /// `store.d`, `load.a`, `load.b` or `load.c` of wmma; `mma.a` to `mma.d`; `ldmatrix.x1` to `.x4`, `stmatrix.x1` to `.x4`;
    /// `movmatrix.a`, `movmatrix.d`. Layouts: `wgmma.a`, `.d`, `.metadata`, `.shared.a`, `.shared.b`; `mma.metadata`; `tcgen05.ld`, `.st`,
    /// `.cp`, `.d`, `.a`, `.shared.a`, `.shared.b`, `.scale.a`, `.scale.b`, `.metadata`, `.idesc`.
    #[arg(long)]
    op: String,
    /// Shape of the matrix multiplication, such as `m16n16k16`.
    #[arg(long, default_value = "")]
    shape: String,
    /// Element type, such as `f16`.
    #[arg(long = "type", value_name = "TYPE", default_value = "")]
    ty: String,
    /// Target, such as `sm_90`. The default is the newest target that supports the fragment. Tensor layouts do not depend on the target.
    #[arg(long, default_value = "")]
    target: String,
    /// Layout of the matrix in memory, `row` or `col`. For `ldmatrix` and `stmatrix`, `col` corresponds to `.trans`.
    #[arg(long)]
    layout: Option<String>,
    /// Leading dimension in elements.
    #[arg(long, value_name = "ELEMENTS")]
    stride: Option<u32>,
    /// Further parameters of a layout, as in `--param swizzle=128B,major=k`. The error message for an unknown parameter lists the known
    /// parameters.
    #[arg(long = "param", alias = "with", value_name = "NAME=VALUE", value_delimiter = ',', value_parser = word)]
    params: Vec<(String, String)>,
    /// Output format: a table, complete JSON, or an SVG diagram.
    #[arg(long, value_enum, default_value_t)]
    format: FragmentFormat,
}

/// Output format of an element map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FragmentFormat {
    #[default]
    Human,
    Json,
    Svg,
}

/// Parses a layout parameter `NAME=VALUE`.
pub(crate) fn word(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("found `{text}`, expected NAME=VALUE such as `swizzle=128B`"))?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Formats the requested map in the requested format.
fn written(request: &FragmentRequest, format: FragmentFormat) -> Result<String, RequestError> {
    let map = api::element_map(request)?;
    Ok(match format {
        FragmentFormat::Human => map.table(),
        FragmentFormat::Svg => map.svg(),
        FragmentFormat::Json => json(&map),
    })
}

/// Formats a map as one line of JSON.
fn json(map: &ElementMap) -> String {
    let report = JsonReport {
        ok: true,
        report: map,
    };
    let text = serde_json::to_string(&report);
    text.map_or_else(|error| error.to_string(), |text| text + "\n")
}

/// Prints the fragment map. A request for a nonexistent map is a usage error.
pub(crate) fn print(arguments: &FragmentArguments) -> io::Result<ExitKind> {
    let request = FragmentRequest {
        op: arguments.op.clone(),
        shape: arguments.shape.clone(),
        ty: arguments.ty.clone(),
        target: arguments.target.clone(),
        layout: arguments.layout.clone(),
        stride: arguments.stride,
        with: arguments.params.iter().cloned().collect(),
    };
    print_request(&request, arguments.format)
}

/// Prints the requested map.
pub(crate) fn print_request(
    request: &FragmentRequest,
    format: FragmentFormat,
) -> io::Result<ExitKind> {
    let text = match written(request, format) {
        Ok(text) => text,
        Err(failure) => {
            report_error(format == FragmentFormat::Json, &failure.message)?;
            return Ok(ExitKind::UsageError);
        }
    };
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitKind::Success)
}
