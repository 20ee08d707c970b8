//! Options of the commands that invoke an installed assembler.

use crate::installed_tools::search;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use warpgrid_differential::assemble::{AssemblerTools, TIME_LIMIT};

/// Installed assembler and disassembler.
#[derive(Clone, Debug, Args)]
pub(crate) struct AssemblerOptions {
    /// Use this assembler instead of the installed `ptxas`.
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
    /// Use this disassembler instead of the `nvdisasm` in the directory of the assembler.
    #[arg(long, value_name = "PATH")]
    nvdisasm: Option<PathBuf>,
    /// Stop each invocation of the assembler after this number of seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = TIME_LIMIT.as_secs(), value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

impl AssemblerOptions {
    /// Locates the assembler and the disassembler. The error is a message for the user.
    pub(crate) fn find(&self) -> Result<AssemblerTools, String> {
        let ptxas = self.ptxas.clone().or_else(|| search("ptxas"));
        let ptxas = ptxas.ok_or(
            "`ptxas` is not installed: install it with `pip install nvidia-cuda-nvcc`, or specify its path with `--ptxas`",
        )?;
        self.tools(ptxas)
    }

    /// Returns the tools with another assembler and the same disassembler.
    pub(crate) fn with_assembler(&self, ptxas: PathBuf) -> Result<AssemblerTools, String> {
        self.tools(ptxas)
    }

    fn tools(&self, ptxas: PathBuf) -> Result<AssemblerTools, String> {
        let first = self.ptxas.as_ref().unwrap_or(&ptxas);
        let beside = first.with_file_name(format!("nvdisasm{}", std::env::consts::EXE_SUFFIX));
        let nvdisasm = self.nvdisasm.clone();
        let nvdisasm = nvdisasm.or_else(|| Some(beside).filter(|path| path.is_file()));
        let nvdisasm = nvdisasm.or_else(|| search("nvdisasm")).ok_or(
            "`nvdisasm` is not installed: install it with `pip install nvidia-cuda-nvdisasm`, or specify its path with `--nvdisasm`",
        )?;
        AssemblerTools::find(&ptxas, Some(&nvdisasm), Duration::from_secs(self.timeout))
    }
}
