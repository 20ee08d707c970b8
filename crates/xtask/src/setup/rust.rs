//! Installs the Rust tools: the wasm target, wasm-bindgen, wasm-pack, Trunk, mdBook and tree-sitter.
//!
//! The tools are compiled from their published sources into one cache directory per user. The builds use a shared target directory and a
//! profile that compiles quickly, because the compilation takes minutes.

use crate::shell::{self, Result, StepLabel};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Target of the page and of the npm package.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The `wasm-bindgen` command. Its version must match the version of the `wasm-bindgen` crate in Cargo.lock.
const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    command: "wasm-bindgen",
    version: "0.2.129",
    minutes: "3",
    opt_level: "1",
    features: &[],
};

const WASM_PACK: CargoTool = CargoTool {
    package: "wasm-pack",
    command: "wasm-pack",
    version: "0.15.1",
    minutes: "1",
    opt_level: UNOPTIMIZED,
    features: WITHOUT_DOWNLOADS,
};

const TRUNK: CargoTool = CargoTool {
    package: "trunk",
    command: "trunk",
    version: "0.21.14",
    minutes: "4",
    opt_level: UNOPTIMIZED,
    features: WITHOUT_DOWNLOADS,
};

/// Optimization level of tools that spend most of their time waiting for other programs.
const UNOPTIMIZED: &str = "0";

/// Cargo features for Trunk and wasm-pack. By default, both tools download missing tools over TLS, and the TLS libraries take a third of
/// the compile time. This setup installs the missing tools itself.
const WITHOUT_DOWNLOADS: &[&str] = &["--no-default-features"];

/// mdBook without its server and its search, which compiles in a third of the time. The end-to-end tests build a book with mdBook.
const MDBOOK: CargoTool = CargoTool {
    package: "mdbook",
    command: "mdbook",
    version: "0.5.4",
    minutes: "2",
    opt_level: UNOPTIMIZED,
    features: &["--no-default-features"],
};

/// Generator and test runner of the tree-sitter grammar. Node evaluates the grammar, so that the tool needs no JavaScript engine.
const TREE_SITTER: CargoTool = CargoTool {
    package: "tree-sitter-cli",
    command: "tree-sitter",
    version: "0.27.1",
    minutes: "4",
    opt_level: "1",
    features: &["--no-default-features"],
};

/// Tool that cargo can install, with its version and features.
struct CargoTool {
    package: &'static str,
    command: &'static str,
    version: &'static str,
    minutes: &'static str,
    opt_level: &'static str,
    /// Cargo arguments that select the features of the tool.
    features: &'static [&'static str],
}

/// Adds the wasm target to the pinned toolchain.
pub(crate) fn wasm_target() -> Result<()> {
    target(WASM)
}

/// Configures a cargo command so that the wasm contains `crates` instead of the directory of the downloaded crates. The wasm and its size
/// then do not depend on the machine. The function extends the flags in `.cargo/config.toml`.
pub(crate) fn leave_out_folders(command: &mut Command) {
    const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = home.map(|home| home.join("registry/src").display().to_string());
    // Cargo splits the flags at spaces, so that a path with spaces cannot be passed.
    if let Some(sources) = sources.filter(|sources| !sources.contains(char::is_whitespace)) {
        let mut flags = std::env::var(FLAGS).unwrap_or_default();
        flags += &format!(" --remap-path-prefix={sources}=crates");
        command.env(FLAGS, flags.trim());
    }
}

/// Adds a target to the pinned toolchain.
pub(crate) fn target(name: &str) -> Result<()> {
    let sysroot = shell::capture_stdout(shell::command("rustc").args(["--print", "sysroot"]))
        .ok_or("`rustc` failed: install Rust with rustup (https://rustup.rs)")?;
    if Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(name)
        .join("lib")
        .is_dir()
    {
        return Ok(());
    }
    if shell::find_on_path("rustup").is_none() {
        return Err(format!(
            "the Rust target {name} is missing, and rustup is not available to install it"
        ));
    }
    shell::step(
        &format!("adding {name}"),
        shell::command("rustup").args(["target", "add", name]),
    )?;
    Ok(())
}

/// Returns the directory that contains `wasm-bindgen` and `wasm-bindgen-test-runner` in the required version.
pub(crate) fn wasm_bindgen() -> Result<PathBuf> {
    WASM_BINDGEN.folder()
}

/// Program that generates the JavaScript bindings of a wasm file.
#[derive(Debug)]
pub(crate) enum BindgenRunner {
    /// The command `wasm-bindgen`, at this path.
    Command(PathBuf),
    /// The program `bindgen.rs`, at this path. The program calls the wasm-bindgen library and compiles in a third of the compile time of
    /// the command.
    Library(PathBuf),
}

impl BindgenRunner {
    /// Returns the command that writes the JavaScript bindings of a wasm file to a directory. A page can load these bindings.
    pub(crate) fn command(&self, wasm: &Path, folder: &Path) -> Command {
        match self {
            BindgenRunner::Command(program) => {
                let mut command = shell::command(program);
                command.args(["--target", "web", "--no-typescript", "--out-dir"]);
                command.arg(folder).arg(wasm);
                command
            }
            BindgenRunner::Library(program) => {
                let mut command = shell::command(program);
                command.arg(wasm).arg(folder);
                command
            }
        }
    }
}

/// Returns the `wasm-bindgen` command if another command of `cargo xtask` has installed it. Otherwise, returns the program that calls the
/// wasm-bindgen library.
pub(crate) fn binder() -> Result<BindgenRunner> {
    if let Some(folder) = WASM_BINDGEN.find() {
        return Ok(BindgenRunner::Command(folder.join(WASM_BINDGEN.command)));
    }
    let tools = cache().join("tools/bin");
    let program = tools.join(format!("bind-{}", WASM_BINDGEN.version));
    if program.is_file() {
        return Ok(BindgenRunner::Library(program));
    }
    let build = cache().join("build");
    let mut command = shell::cargo();
    command.args(["build", "--locked", "--package", "xtask"]);
    command.args(["--features", "bind", "--bin", "bind", "--profile", "tools"]);
    command.arg("--target-dir").arg(&build);
    let title = StepLabel::lasting(
        "compiling wasm-bindgen's library",
        "about 40 s on two cores, once per user",
    );
    shell::step(title, &mut command)?;
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    std::fs::create_dir_all(&tools).map_err(failed)?;
    // The function copies the program to a temporary name and then renames the copy, so that a concurrent process never reads an incomplete
    // file.
    let copied = tools.join(format!("bind-{}", std::process::id()));
    std::fs::copy(build.join("tools/bind"), &copied).map_err(failed)?;
    std::fs::rename(&copied, &program).map_err(failed)?;
    Ok(BindgenRunner::Library(program))
}

/// Returns the directory that contains `wasm-pack` in the required version.
pub(crate) fn wasm_pack() -> Result<PathBuf> {
    WASM_PACK.folder()
}

/// Returns the directory that contains `trunk` in the required version.
pub(crate) fn trunk() -> Result<PathBuf> {
    TRUNK.folder()
}

/// Returns the path of `mdbook` in the required version.
pub(super) fn mdbook() -> Result<PathBuf> {
    MDBOOK.folder().map(|folder| folder.join(MDBOOK.command))
}

/// Returns the path of `tree-sitter` in the required version.
pub(crate) fn tree_sitter() -> Result<PathBuf> {
    TREE_SITTER
        .folder()
        .map(|folder| folder.join(TREE_SITTER.command))
}

/// Deletes the build directory of the tools, but not the tools.
pub(crate) fn clean_up() {
    // If the directory does not exist, the removal fails without consequences. Any other failed removal only wastes disk space.
    let _ = std::fs::remove_dir_all(cache().join("build"));
}

impl CargoTool {
    /// Returns the directory of the command. If the command is missing, the function installs the command first.
    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = self.find() {
            return Ok(folder);
        }
        let root = cache().join("tools");
        // Two processes may install the tool concurrently. The second process then fails, because the files of the first process already
        // exist.
        if let Err(error) = self.install(&root)
            && !self.is_right(&root.join("bin").join(self.command))
        {
            return Err(error);
        }
        Ok(root.join("bin"))
    }

    /// Returns the directory of the command in the cache or on the search path, if the command has the required version.
    fn find(&self) -> Option<PathBuf> {
        let ours = cache().join("tools/bin").join(self.command);
        let candidates = [Some(ours), shell::find_on_path(self.command)];
        let mut candidates = candidates.into_iter().flatten();
        let found = candidates.find(|candidate| self.is_right(candidate))?;
        found.parent().map(Path::to_path_buf)
    }

    fn is_right(&self, program: &Path) -> bool {
        let answer =
            shell::capture_stdout(shell::command(program).arg("--version")).unwrap_or_default();
        answer
            .split_whitespace()
            .any(|word| word.trim_start_matches('v') == self.version)
    }

    fn install(&self, root: &Path) -> Result<()> {
        let CargoTool {
            package,
            version,
            minutes,
            opt_level,
            features,
            ..
        } = self;
        eprintln!(
            "  {package} {version} is compiled once per user ({minutes} minutes on two cores)"
        );
        let mut command = shell::cargo();
        command.args([
            "install",
            "--locked",
            "--force",
            package,
            "--version",
            version,
            "--root",
        ]);
        command.arg(root).args(*features);
        // The profile minimizes the compile time.
        command
            .env("CARGO_TARGET_DIR", cache().join("build"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level)
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        shell::step(&format!("installing {package} {version}"), &mut command)?;
        Ok(())
    }
}

/// Returns the cache directory of the user: `$XDG_CACHE_HOME/warpgrid` or `~/.cache/warpgrid`. All checkouts share this directory.
pub(crate) fn cache() -> PathBuf {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = || std::env::home_dir().map(|home| home.join(".cache"));
    base.or_else(home)
        .unwrap_or_else(|| shell::root().join("target"))
        .join("warpgrid")
}

#[cfg(test)]
mod tests {
    use super::WASM_BINDGEN;

    #[test]
    fn wasm_bindgen_version_matches_lockfile() {
        let lock =
            std::fs::read_to_string(crate::shell::root().join("Cargo.lock")).unwrap_or_default();
        for package in ["wasm-bindgen", "wasm-bindgen-cli-support"] {
            let entry = format!(
                "name = \"{package}\"\nversion = \"{}\"",
                WASM_BINDGEN.version
            );
            assert!(
                lock.contains(&entry),
                "Cargo.lock and setup/rust.rs differ on {package}"
            );
        }
    }
}
