//! `warpgrid product`: shows how Tensor Cores compute one result element of an MMA instruction.

use crate::output::{JsonReport, print_json, report_error};
use crate::{ExitKind, OutputFormat};
use clap::Args;
use std::io::{self, Write};
use warpgrid_view::analysis::mma_explanation::{MmaRequest, text};
use warpgrid_view::api;

/// Arguments of `product`.
#[derive(Debug, Args)]
pub(crate) struct ProductArguments {
    /// Instruction: `wmma` or `mma`.
    #[arg(long, default_value = "wmma")]
    op: String,
    /// Shape of the matrix multiplication, such as `m16n16k16`.
    #[arg(long, default_value = "m16n16k16")]
    shape: String,
    /// Types of A, B, C and D.
    #[arg(long, value_delimiter = ',', default_value = "f16,f16,f32,f32")]
    types: Vec<String>,
    /// Target, such as `sm_90`.
    #[arg(long)]
    target: String,
    /// Elements of a row of A as numbers or bits (`1.5,0x3c00`), padded with zeros.
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    a: Vec<String>,
    /// Elements of a column of B, padded with zeros.
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    b: Vec<String>,
    /// Element of C, which is the initial value of the accumulator. The default is zero.
    #[arg(long, allow_hyphen_values = true)]
    c: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Prints each step of the computation. A request for a nonexistent instruction is a usage error.
pub(crate) fn print(arguments: &ProductArguments) -> io::Result<ExitKind> {
    let request = MmaRequest {
        op: arguments.op.clone(),
        shape: arguments.shape.clone(),
        types: arguments.types.clone(),
        target: arguments.target.clone(),
        a: arguments.a.clone(),
        b: arguments.b.clone(),
        c: arguments.c.clone(),
    };
    let view = match api::product(&request) {
        Ok(view) => view,
        Err(failure) => {
            report_error(arguments.format == OutputFormat::Json, &failure.message)?;
            return Ok(ExitKind::UsageError);
        }
    };
    match arguments.format {
        OutputFormat::Human => io::stdout().lock().write_all(text(&view).as_bytes())?,
        OutputFormat::Json => print_json(&JsonReport {
            ok: true,
            report: &view,
        })?,
    }
    Ok(ExitKind::Success)
}
