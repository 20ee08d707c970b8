//! Compilation of CUDA C++ to PTX with an installed compiler: nvcc, Clang, or the library NVRTC.

mod nvrtc;

use crate::installed_tools::search;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use warpgrid_view::scenario::SourceFile;
use warpgrid_view::{Scenario, SourceLanguage};

/// Options of commands that compile CUDA C++.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CompilerOptions {
    /// Compile CUDA C++ files with this compiler. The default is the first one of `nvcc`, `clang++` and `nvrtc` on the path, in
    /// `CUDA_HOME` or in the Python packages.
    #[arg(long, value_name = "nvcc|nvrtc|clang|PATH")]
    compiler: Option<PathBuf>,
    /// Target for which CUDA C++ files are compiled.
    #[arg(long, value_name = "TARGET", default_value = "sm_80")]
    compile_target: String,
    /// Additional argument of the compiler, such as `-DN=16`. The option is repeatable.
    #[arg(
        long = "compiler-arg",
        value_name = "ARGUMENT",
        allow_hyphen_values = true
    )]
    compiler_arguments: Vec<String>,
}

/// Instruction that installs nvcc without a GPU or administrator rights.
const NVCC_INSTALLATION: &str =
    "install nvcc with `pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl`";
/// Instruction that installs NVRTC.
const NVRTC_INSTALLATION: &str = "install NVRTC with `pip install nvidia-cuda-nvrtc`";

/// Supported compilers in the order of preference. NVRTC is the last one, because it does not compile host code.
const KINDS: &[CompilerKind] = &[CompilerKind::Nvcc, CompilerKind::Clang, CompilerKind::Nvrtc];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompilerKind {
    Nvcc,
    Clang,
    Nvrtc,
}

/// Installed compiler: a program, or the shared library of NVRTC.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Compiler {
    kind: CompilerKind,
    path: PathBuf,
}

impl CompilerKind {
    /// Returns the kind of a compiler with a file name such as `clang++-18` or `libnvrtc.so.12`. A program with another name is assumed
    /// to accept the options of nvcc.
    fn of_name(path: &Path) -> CompilerKind {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.contains("nvrtc") {
            return CompilerKind::Nvrtc;
        }
        match name.starts_with("clang") {
            true => CompilerKind::Clang,
            false => CompilerKind::Nvcc,
        }
    }

    /// Returns the installed compiler of this kind.
    fn find(self) -> Option<PathBuf> {
        match self {
            CompilerKind::Nvcc => search("nvcc"),
            CompilerKind::Clang => search("clang++").or_else(|| search("clang")),
            CompilerKind::Nvrtc => nvrtc::find(),
        }
    }
}

impl CompilerOptions {
    /// Checks whether the user has selected a compiler.
    pub(crate) const fn is_requested(&self) -> bool {
        self.compiler.is_some()
    }

    /// Compiles a CUDA C++ file with line information. The scenario contains the PTX and the source file. The error contains the messages
    /// of the compiler, or the command that installs one.
    pub(crate) fn compile(&self, path: &Path) -> Result<Scenario, String> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        let compiler = self.find()?;
        let output = match compiler.kind {
            CompilerKind::Nvrtc => {
                let target = &self.compile_target;
                nvrtc::compile(&compiler.path, path, target, &self.compiler_arguments)
            }
            CompilerKind::Nvcc | CompilerKind::Clang => self.run_program(&compiler, path),
        };
        let Output {
            status,
            stdout,
            stderr,
        } = output.map_err(|error| format!("cannot start {}: {error}", compiler.path.display()))?;
        let messages = String::from_utf8_lossy(&stderr);
        if !status.success() {
            let hint = match compiler.kind {
                CompilerKind::Nvrtc => {
                    format!(
                        "\nNVRTC compiles only device code; to compile a file with host code, {NVCC_INSTALLATION}"
                    )
                }
                CompilerKind::Nvcc | CompilerKind::Clang => String::new(),
            };
            return Err(format!(
                "{}: {} rejects the file:\n{}{hint}",
                path.display(),
                compiler.path.display(),
                messages.trim_end()
            ));
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(Scenario {
            front: SourceLanguage::Ptx,
            source: String::from_utf8_lossy(&stdout).into_owned(),
            sources: vec![SourceFile {
                name: name.to_string_lossy().into_owned(),
                text,
            }],
            ..Scenario::default()
        })
    }

    /// Runs nvcc or Clang, which write the PTX to standard output.
    fn run_program(&self, compiler: &Compiler, path: &Path) -> std::io::Result<Output> {
        let mut command = Command::new(&compiler.path);
        let target = &self.compile_target;
        match compiler.kind {
            CompilerKind::Clang => command
                .args(["-x", "cuda", "--cuda-device-only", "-S", "-O3"])
                .arg("-gline-tables-only")
                .arg(format!("--cuda-gpu-arch={target}")),
            CompilerKind::Nvcc | CompilerKind::Nvrtc => command
                .args(["-ptx", "-lineinfo"])
                .arg(format!("-arch={target}")),
        };
        command
            .args(&self.compiler_arguments)
            .args(["-o", "-"])
            .arg(path)
            .output()
    }

    /// Returns the selected compiler, or the first installed compiler.
    fn find(&self) -> Result<Compiler, String> {
        let Some(selected) = &self.compiler else {
            let mut installed = KINDS.iter().filter_map(|kind| {
                let path = kind.find()?;
                Some(Compiler { kind: *kind, path })
            });
            return installed.next().ok_or_else(|| {
                missing(
                    "a CUDA compiler (`nvcc`, `nvrtc` or `clang`)",
                    NVCC_INSTALLATION,
                )
            });
        };
        let kind = CompilerKind::of_name(selected);
        if selected.components().count() > 1 {
            let path = selected.clone();
            return Ok(Compiler { kind, path });
        }
        let name = selected.to_string_lossy();
        let found = search(&name).or_else(|| {
            // The name of a kind, such as `clang`, also selects a program with a similar name, such as `clang++`.
            let is_kind = matches!(&*name, "nvcc" | "clang" | "nvrtc");
            is_kind.then(|| kind.find()).flatten()
        });
        let installation = match kind {
            CompilerKind::Nvrtc => NVRTC_INSTALLATION,
            CompilerKind::Nvcc | CompilerKind::Clang => NVCC_INSTALLATION,
        };
        let path = found.ok_or_else(|| missing(&format!("the compiler `{name}`"), installation))?;
        Ok(Compiler { kind, path })
    }
}

/// Checks whether a file is CUDA C++ by its extension.
pub(crate) fn is_cuda(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending == "cu" || ending == "cuda")
}

fn missing(what: &str, installation: &str) -> String {
    format!("cannot find {what}: {installation}, or specify `--compiler PATH`")
}
