//! The Rust side of the set-up: the wasm target, wasm-bindgen, wasm-pack, Trunk and mdBook.
//!
//! The commands are compiled from their published sources into one cache folder a user, with a
//! light profile and a shared target folder, because that takes minutes and should happen once.

use crate::shell::{self, Result, Title};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target of the page and of the npm package.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Must be the version of the `wasm-bindgen` crate in Cargo.lock.
const WASM_BINDGEN: Tool = Tool {
    package: "wasm-bindgen-cli",
    command: "wasm-bindgen",
    version: "0.2.129",
    minutes: "3",
    features: &[],
};

const WASM_PACK: Tool = Tool {
    package: "wasm-pack",
    command: "wasm-pack",
    version: "0.15.1",
    minutes: "1",
    features: WITHOUT_DOWNLOADS,
};

const TRUNK: Tool = Tool {
    package: "trunk",
    command: "trunk",
    version: "0.21.14",
    minutes: "4",
    features: WITHOUT_DOWNLOADS,
};

/// Trunk and wasm-pack download missing tools over TLS. The set-up installs these tools, and the TLS libraries take a third of the compile
/// time.
const WITHOUT_DOWNLOADS: &[&str] = &["--no-default-features"];

/// The journeys build a book with it; without its server and its search it compiles in a third of the time.
const MDBOOK: Tool = Tool {
    package: "mdbook",
    command: "mdbook",
    version: "0.5.4",
    minutes: "2",
    features: &["--no-default-features"],
};

/// A command that cargo can install.
struct Tool {
    package: &'static str,
    command: &'static str,
    version: &'static str,
    minutes: &'static str,
    /// What cargo is asked for beside the package.
    features: &'static [&'static str],
}

/// Adds the wasm target to the pinned toolchain.
pub(crate) fn wasm_target() -> Result<()> {
    target(WASM)
}

/// Has a command that runs cargo write `crates` where the wasm would name the folder of a machine's downloaded crates: the wasm is
/// the same on all machines, and so is its size. Adds to the flags of `.cargo/config.toml`.
pub(crate) fn leave_out_folders(command: &mut Command) {
    const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = home.map(|home| home.join("registry/src").display().to_string());
    // Flags are parted at spaces.
    if let Some(sources) = sources.filter(|sources| !sources.contains(char::is_whitespace)) {
        let mut flags = std::env::var(FLAGS).unwrap_or_default();
        flags += &format!(" --remap-path-prefix={sources}=crates");
        command.env(FLAGS, flags.trim());
    }
}

/// Adds a target to the pinned toolchain.
pub(crate) fn target(name: &str) -> Result<()> {
    let sysroot = shell::ask(shell::command("rustc").args(["--print", "sysroot"]))
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

/// The folder of `wasm-bindgen` and `wasm-bindgen-test-runner` in the right version.
pub(crate) fn wasm_bindgen() -> Result<PathBuf> {
    WASM_BINDGEN.folder()
}

/// What makes JavaScript of a compiled wasm.
#[derive(Debug)]
pub(crate) enum Binder {
    /// The command `wasm-bindgen`.
    Command(PathBuf),
    /// Our program around its library (`bind.rs`), which compiles in a third of the time.
    Library(PathBuf),
}

impl Binder {
    /// Makes the JavaScript of a file, for pages, into a folder.
    pub(crate) fn command(&self, wasm: &Path, folder: &Path) -> Command {
        match self {
            Binder::Command(program) => {
                let mut command = shell::command(program);
                command.args(["--target", "web", "--no-typescript", "--out-dir"]);
                command.arg(folder).arg(wasm);
                command
            }
            Binder::Library(program) => {
                let mut command = shell::command(program);
                command.arg(wasm).arg(folder);
                command
            }
        }
    }
}

/// The command where it is installed, as other commands of ours need it; or else the program around its library.
pub(crate) fn binder() -> Result<Binder> {
    if let Some(folder) = WASM_BINDGEN.find() {
        return Ok(Binder::Command(folder.join(WASM_BINDGEN.command)));
    }
    let tools = cache().join("tools/bin");
    let program = tools.join(format!("bind-{}", WASM_BINDGEN.version));
    if program.is_file() {
        return Ok(Binder::Library(program));
    }
    let build = cache().join("build");
    let mut command = shell::cargo();
    command.args(["build", "--locked", "--package", "xtask"]);
    command.args(["--features", "bind", "--bin", "bind", "--profile", "tools"]);
    command.arg("--target-dir").arg(&build);
    let title = Title::lasting(
        "compiling wasm-bindgen's library",
        "about 40 s on two cores, once per user",
    );
    shell::step(title, &mut command)?;
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    std::fs::create_dir_all(&tools).map_err(failed)?;
    // Renamed when it is whole: another run may be looking for it.
    let copied = tools.join(format!("bind-{}", std::process::id()));
    std::fs::copy(build.join("tools/bind"), &copied).map_err(failed)?;
    std::fs::rename(&copied, &program).map_err(failed)?;
    Ok(Binder::Library(program))
}

/// The folder of `wasm-pack` in the right version.
pub(crate) fn wasm_pack() -> Result<PathBuf> {
    WASM_PACK.folder()
}

/// The folder of `trunk` in the right version.
pub(crate) fn trunk() -> Result<PathBuf> {
    TRUNK.folder()
}

/// The path of `mdbook` in the right version.
pub(super) fn mdbook() -> Result<PathBuf> {
    MDBOOK.folder().map(|folder| folder.join(MDBOOK.command))
}

/// Drops the by-products of compiling the tools; the tools stay.
pub(crate) fn clean_up() {
    // Not there: nothing to drop. Not removable: only disk space is lost.
    let _ = std::fs::remove_dir_all(cache().join("build"));
}

impl Tool {
    /// The folder of the command, after installing it if need be.
    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = self.find() {
            return Ok(folder);
        }
        let root = cache().join("tools");
        // Two runs may install it side by side; the one that comes second finds the files of the first in its way.
        if let Err(error) = self.install(&root)
            && !self.is_right(&root.join("bin").join(self.command))
        {
            return Err(error);
        }
        Ok(root.join("bin"))
    }

    /// The folder of the command, ours or on the search path, if it is there in the right version.
    fn find(&self) -> Option<PathBuf> {
        let ours = cache().join("tools/bin").join(self.command);
        let candidates = [Some(ours), shell::find_on_path(self.command)];
        let mut candidates = candidates.into_iter().flatten();
        let found = candidates.find(|candidate| self.is_right(candidate))?;
        found.parent().map(Path::to_path_buf)
    }

    fn is_right(&self, program: &Path) -> bool {
        let answer = shell::ask(shell::command(program).arg("--version")).unwrap_or_default();
        answer
            .split_whitespace()
            .any(|word| word.trim_start_matches('v') == self.version)
    }

    fn install(&self, root: &Path) -> Result<()> {
        let Tool {
            package,
            version,
            minutes,
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
        // Compile quickly: these tools wait for other programs most of their time.
        command
            .env("CARGO_TARGET_DIR", cache().join("build"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        shell::step(&format!("installing {package} {version}"), &mut command)?;
        Ok(())
    }
}

/// One folder a user, shared by all checkouts: `$XDG_CACHE_HOME/warpgrid` or `~/.cache/warpgrid`.
pub(super) fn cache() -> PathBuf {
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
    fn the_command_and_the_crate_have_one_version() {
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
