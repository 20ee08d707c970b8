//! Compilation of CUDA C++ to PTX with an installed compiler: nvcc or Clang.

use clap::Args;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpgrid_view::scenario::SourceFile;
use warpgrid_view::{Scenario, SourceLanguage};

/// Options of commands that compile CUDA C++.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompilerOptions {
    /// Compile CUDA C++ files with this compiler. The default is the first one of `nvcc` and `clang++` on the path, in `CUDA_HOME` or in
    /// the Python packages.
    #[arg(long, value_name = "nvcc|clang++|PATH")]
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

/// Compilers in the order of preference.
const COMPILERS: &[&str] = &["nvcc", "clang++"];

/// Command that installs a compiler without a GPU or administrator rights.
const INSTALLATION: &str = "pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl";

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
        let mut command = Command::new(&compiler);
        let target = &self.compile_target;
        let is_clang = compiler
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("clang"));
        match is_clang {
            true => command
                .args(["-x", "cuda", "--cuda-device-only", "-S", "-O3"])
                .arg("-gline-tables-only")
                .arg(format!("--cuda-gpu-arch={target}")),
            false => command
                .args(["-ptx", "-lineinfo"])
                .arg(format!("-arch={target}")),
        };
        command
            .args(&self.compiler_arguments)
            .args(["-o", "-"])
            .arg(path);
        let output = command
            .output()
            .map_err(|error| format!("cannot start {}: {error}", compiler.display()))?;
        let messages = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!(
                "{}: {} rejects the file:\n{}",
                path.display(),
                compiler.display(),
                messages.trim_end()
            ));
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(Scenario {
            front: SourceLanguage::Ptx,
            source: String::from_utf8_lossy(&output.stdout).into_owned(),
            sources: vec![SourceFile {
                name: name.to_string_lossy().into_owned(),
                text,
            }],
            ..Scenario::default()
        })
    }

    /// Returns the path of the compiler.
    fn find(&self) -> Result<PathBuf, String> {
        match &self.compiler {
            Some(path) if path.components().count() > 1 => Ok(path.clone()),
            Some(name) => {
                let name = name.to_string_lossy();
                search(&name).ok_or_else(|| missing(&format!("the compiler `{name}`")))
            }
            None => COMPILERS
                .iter()
                .find_map(|name| search(name))
                .ok_or_else(|| missing("a CUDA compiler (`nvcc` or `clang++`)")),
        }
    }
}

/// Checks whether a file is CUDA C++ by its extension.
pub(crate) fn is_cuda(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending == "cu" || ending == "cuda")
}

fn missing(what: &str) -> String {
    format!("cannot find {what}: install nvcc with `{INSTALLATION}`, or specify `--compiler PATH`")
}

/// Searches a program on the path, in the CUDA toolkit and in the Python packages.
fn search(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter();
    let toolkits = toolkits.filter_map(env::var_os).map(PathBuf::from);
    env::split_paths(&path)
        .chain(toolkits.map(|toolkit| toolkit.join("bin")))
        .chain(python_package_folders())
        .map(|folder| folder.join(&file))
        .find(|program| program.is_file())
}

/// Returns the directories of programs in the packages of NVIDIA for Python: `site-packages/nvidia/cu13/bin`.
fn python_package_folders() -> impl Iterator<Item = PathBuf> {
    let packages = Command::new("python3")
        .args([
            "-c",
            "import sysconfig; print(sysconfig.get_paths()['purelib'])",
        ])
        .output();
    let packages = packages.ok().filter(|output| output.status.success());
    let packages = packages
        .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("nvidia"));
    let entries = packages.and_then(|packages| std::fs::read_dir(packages).ok());
    let entries = entries.into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path().join("bin"))
}
