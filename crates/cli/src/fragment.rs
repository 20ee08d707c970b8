//! `warpgrid fragment`: which lane and register holds which element of a matrix, and where elements of tensor instructions lie.

use crate::Outcome;
use crate::output::{complain, stdout};
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use warpgrid_view::Failure;
use warpgrid_view::api;
use warpgrid_view::fragment::FragmentRequest;
use warpgrid_view::lens::Map;

/// Arguments of `fragment`.
#[derive(Debug, Args)]
pub(crate) struct FragmentArguments {
    /// `store.d`, `load.a`, `load.b` or `load.c` of wmma; `mma.a` to `mma.d`; `ldmatrix.x1` to `.x4`, `stmatrix.x1` to `.x4`;
    /// `movmatrix.a`, `movmatrix.d`. Layouts: `wgmma.a`, `.d`, `.metadata`, `.shared.a`, `.shared.b`; `mma.metadata`; `tcgen05.ld`, `.st`,
    /// `.cp`, `.d`, `.a`, `.shared.a`, `.shared.b`, `.scale.a`, `.scale.b`, `.metadata`, `.idesc`.
    #[arg(long)]
    op: String,
    /// Rows, columns and depth of the product: `m16n16k16`.
    #[arg(long, default_value = "")]
    shape: String,
    /// The type of an element: `f16`.
    #[arg(long = "type", value_name = "TYPE", default_value = "")]
    ty: String,
    /// The architecture: `sm_90`; by default the newest one that has the fragment. Layouts do not depend on it.
    #[arg(long, default_value = "")]
    target: String,
    /// The order of the matrix in memory, `row` or `col`; for ldmatrix and stmatrix, `col` is `.trans`.
    #[arg(long)]
    layout: Option<String>,
    /// Elements between the starts of rows (columns).
    #[arg(long, value_name = "ELEMENTS")]
    stride: Option<u32>,
    /// Further words of a layout: `--with swizzle=128B,major=k`. What a layout takes is said when a word is not known.
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', value_parser = word)]
    with: Vec<(String, String)>,
    /// A text table, JSON with everything, or a drawing.
    #[arg(long, value_enum, default_value_t)]
    format: FragmentFormat,
}

/// How the map is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FragmentFormat {
    #[default]
    Human,
    Json,
    Svg,
}

/// A word of a layout.
pub(crate) fn word(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("found `{text}`, expected NAME=VALUE such as `swizzle=128B`"))?;
    Ok((name.to_owned(), value.to_owned()))
}

/// What is asked for, in the form that is asked for.
fn written(request: &FragmentRequest, format: FragmentFormat) -> Result<String, Failure> {
    let map = api::map(request)?;
    Ok(match format {
        FragmentFormat::Human => map.table(),
        FragmentFormat::Svg => map.svg(),
        FragmentFormat::Json => json(&map),
    })
}

/// A map as a line of JSON.
fn json(map: &Map) -> String {
    let text = serde_json::to_string(map);
    text.map_or_else(|error| error.to_string(), |text| text + "\n")
}

/// Prints the fragment map; a map that does not exist is wrong usage.
pub(crate) fn print(arguments: &FragmentArguments) -> io::Result<Outcome> {
    let request = FragmentRequest {
        op: arguments.op.clone(),
        shape: arguments.shape.clone(),
        ty: arguments.ty.clone(),
        target: arguments.target.clone(),
        layout: arguments.layout.clone(),
        stride: arguments.stride,
        with: arguments.with.iter().cloned().collect(),
    };
    print_request(&request, arguments.format)
}

/// Prints what is asked for.
pub(crate) fn print_request(
    request: &FragmentRequest,
    format: FragmentFormat,
) -> io::Result<Outcome> {
    let text = match written(request, format) {
        Ok(text) => text,
        Err(failure) => {
            complain(&failure.message);
            return Ok(Outcome::Usage);
        }
    };
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Outcome::Well)
}
