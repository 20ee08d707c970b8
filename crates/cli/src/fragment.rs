//! `warpgrid fragment`: which lane and register holds which element of a matrix.

use crate::Outcome;
use crate::output::{complain, stdout};
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use warpgrid_view::fragment::{FragmentRequest, fragment, svg, table};

/// Arguments of `fragment`.
#[derive(Debug, Args)]
pub(crate) struct FragmentArguments {
    /// `store.d`, `load.a`, `load.b` or `load.c` of wmma; `mma.a` to `mma.d`; `ldmatrix.x1` to `.x4`, `stmatrix.x1` to `.x4`;
    /// `movmatrix.a`, `movmatrix.d`.
    #[arg(long)]
    op: String,
    /// Rows, columns and depth of the product: `m16n16k16`.
    #[arg(long)]
    shape: String,
    /// The type of an element: `f16`.
    #[arg(long = "type", value_name = "TYPE")]
    ty: String,
    /// The architecture: `sm_90`.
    #[arg(long)]
    target: String,
    /// The order of the matrix in memory, `row` or `col`; for ldmatrix and stmatrix, `col` is `.trans`.
    #[arg(long)]
    layout: Option<String>,
    /// Elements between the starts of rows (columns).
    #[arg(long, value_name = "ELEMENTS")]
    stride: Option<u32>,
    /// A text table, JSON with everything, or a drawing.
    #[arg(long, value_enum, default_value_t)]
    format: FragmentFormat,
}

/// How the map is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FragmentFormat {
    #[default]
    Human,
    Json,
    Svg,
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
    };
    let view = match fragment(&request) {
        Ok(view) => view,
        Err(refusal) => {
            complain(&refusal.message);
            return Ok(Outcome::Usage);
        }
    };
    let mut out = stdout();
    match arguments.format {
        FragmentFormat::Human => out.write_all(table(&view).as_bytes())?,
        FragmentFormat::Svg => out.write_all(svg(&view).as_bytes())?,
        FragmentFormat::Json => {
            serde_json::to_writer(&mut out, &view)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Well)
}
