//! Kernels that apply inline assembly to each element of arrays. The module checks the assembly as a snippet, and returns a PTX module for
//! the target that the instructions require.

use crate::model::text::{DiagnosticView, Severity};
use crate::request_error::RequestError;
use crate::session::create::rejected;
use crate::source::check::{CheckOptions, SourceMap, overrides};
use crate::source::front_ends::instruction_front_end;
use serde::Serialize;
use std::borrow::Cow;
use warpgrid_isa::{Target, Version};
use warpgrid_launch::SourceLanguage;
pub use warpgrid_paste::elementwise::{ELEMENTWISE_KERNEL, ElementwiseAssembly};
use warpgrid_program::diagnostic::{EMPTY, INFERRED, SELECTED_TARGET};

/// PTX module with one kernel, which executes inline assembly for each element of its arrays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ElementwiseModule {
    pub source: String,
    /// Name of the kernel. Its parameters are the addresses of the outputs, the addresses of the inputs, and the number of executions of the
    /// assembly as a 64-bit integer. Each thread executes the assembly at most one time.
    pub kernel: &'static str,
    pub outputs: Vec<ElementwiseOutput>,
    /// Warnings and notes about the assembly.
    pub diagnostics: Vec<DiagnosticView>,
}

/// Output array of an [`ElementwiseModule`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ElementwiseOutput {
    /// Type of the register that the constraint specifies: `u32`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Size of the elements that one execution of the assembly stores.
    pub bytes_per_thread: u32,
}

/// Creates the module of an elementwise kernel. Fails if the operands do not match the arrays, or if the checker rejects the assembly.
/// Diagnostics refer to the template, followed by a line with the constraints.
pub fn elementwise_module(
    assembly: &ElementwiseAssembly,
    options: &CheckOptions,
) -> Result<ElementwiseModule, RequestError> {
    if let Some(mistake) = options.mistake() {
        return Err(RequestError::unsupported(mistake));
    }
    let kernel = assembly.kernel();
    let kernel = kernel.map_err(|reason| RequestError::invalid_argument("constraints", &reason))?;
    let (overrides, _) = overrides(options);
    let snippet = &kernel.block.snippet;
    let front_end = instruction_front_end(SourceLanguage::Ptx);
    let registers = kernel.block.given(&[]);
    let text = Cow::Owned(snippet.text.clone());
    let checked = front_end
        .open_with_registers(text, &overrides, registers)
        .check();
    let source_map = SourceMap::new(assembly.text());
    let of_snippet = checked.diagnostics.into_iter().map(|mut found| {
        found.span = snippet.map.span(found.span);
        for label in &mut found.labels {
            label.span = snippet.map.span(label.span);
        }
        // The edits of a fix refer to the snippet, in which names replace the operand numbers.
        found.fixes.clear();
        // The kernel declares only the registers of the operands.
        if found.code == INFERRED {
            found.severity = warpgrid_program::Severity::Error;
            found.message = found
                .message
                .replace("inferred declarations:", "the assembly does not declare");
        }
        found
    });
    let of_snippet = of_snippet.filter(|found| ![EMPTY, SELECTED_TARGET].contains(&found.code));
    let diagnostics = kernel.block.diagnostics.iter().cloned().chain(of_snippet);
    let diagnostics: Vec<DiagnosticView> = diagnostics
        .map(|found| source_map.diagnostic(&found))
        .collect();
    let is_error = |found: &DiagnosticView| found.severity == Severity::Error;
    if diagnostics.iter().any(is_error) {
        return Err(rejected(diagnostics));
    }
    let target = overrides.target.map(|target| target.name);
    let target = target.or(checked.stated_target).or(checked.assumed_target);
    let target = target.unwrap_or(Target::default_target().name);
    let version = overrides.version.or(checked.stated_version);
    let version = version
        .or(checked.assumed_version)
        .unwrap_or(Version::NEWEST);
    let outputs = kernel.outputs.iter();
    Ok(ElementwiseModule {
        source: kernel.module(&version.to_string(), target),
        kernel: ELEMENTWISE_KERNEL,
        outputs: outputs
            .map(|output| ElementwiseOutput {
                ty: output.ty.name(),
                bytes_per_thread: output.bytes_per_thread,
            })
            .collect(),
        diagnostics,
    })
}
