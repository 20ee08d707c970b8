//! Implements `cargo xtask package`, which builds the npm package in `pkg/` from the crate `warpgrid-pack`. This crate links
//! `warpgrid-wasm` as one wasm module.

use crate::arguments::Arguments;
use crate::dts;
use crate::project_urls::ProjectUrls;
use crate::setup::{npm, rust};
use crate::shell::{self, Result, read, write};
use crate::sizes;
use crate::stamp::build_if_changed;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// WebAssembly features that wasm-opt may use. The features are listed individually, because wasm-opt with all features emits types that
/// Node 20 rejects. `web/index.html` contains the same list.
const FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-multivalue",
    "--enable-simd",
];

/// Options of wasm-opt in addition to `-O2`. `web/index.html` contains the same list.
const OPTIONS: &[&str] = &[
    // This option prevents the inlining of large functions into their only caller. The merged functions would have hundreds of locals and
    // less repetition, which increases the gzip-compressed size by 7 % and reduces the uncompressed size by 1 %.
    "--one-caller-inline-max-function-size=10",
    // The stack ends at address 0, and no data is allocated near this address, so that wasm-opt may fold offsets into loads and stores.
    "--low-memory-unused",
    // The functions of one module and the instances of one generic function are similar. The adjacent placement of similar functions
    // reduces the gzip-compressed size by 2 %.
    "--reorder-functions-by-name",
];

pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    arguments.done()?;
    let folder = build()?;
    println!("{}", sizes::report(&folder)?);
    println!(
        "  `npm pack ./pkg` creates an archive of the package, and `npm install ./pkg` installs the package"
    );
    Ok(true)
}

/// Builds the package of the current sources on the first call, and returns the directory of the package.
pub(crate) fn built() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

/// Builds the package if the sources have changed, and returns the directory of the package.
fn build() -> Result<PathBuf> {
    let folder = shell::root().join("pkg");
    let outputs = [folder.clone(), shell::root().join(WIDGET_CORE)];
    build_if_changed("npm package", &outputs, || write_package(&folder))?;
    Ok(folder)
}

fn write_package(folder: &Path) -> Result<()> {
    pack(&WasmPackage {
        title: "the npm package",
        package: "crates/wasm/pack",
        folder,
        features: &[],
    })?;
    dts::check(&read(&folder.join("core.d.ts"))?)?;
    describe(folder)?;
    let core = shell::root().join(WIDGET_CORE);
    pack(&WasmPackage {
        title: "the emulator of the widget",
        package: "crates/wasm/pack",
        folder: &core,
        features: &["--no-default-features", "--features", "ptx"],
    })?;
    for name in ["load.js", "errors.js"] {
        copy(&folder.join(name), &core.join(name))?;
    }
    for folder in [folder, &core] {
        remove(&folder.join("core.d.ts"))?;
    }
    widget(folder, None)?;
    Ok(())
}

/// Directory of the wasm core that widgets load for PTX. `web/widget/build.mjs` copies this core into the directory of the widgets.
const WIDGET_CORE: &str = "target/widget-core";

/// Crate that wasm-pack builds.
#[derive(Debug)]
pub(crate) struct WasmPackage<'a> {
    /// Name of the output in progress lines.
    pub(crate) title: &'a str,
    /// Directory of the crate.
    pub(crate) package: &'a str,
    /// Directory of the JavaScript bindings and the wasm file.
    pub(crate) folder: &'a Path,
    /// Cargo arguments that select the features of the crate.
    pub(crate) features: &'a [&'a str],
}

/// Builds a crate by wasm-pack, and writes the JavaScript bindings and the wasm file to an empty directory.
pub(crate) fn pack(wasm: &WasmPackage<'_>) -> Result<()> {
    let WasmPackage {
        title,
        package,
        folder,
        features,
    } = *wasm;
    rust::wasm_target()?;
    let (wasm_pack, wasm_bindgen) = (rust::wasm_pack()?, rust::wasm_bindgen()?);
    rust::clean_up();
    let npm = npm::packages()?;
    empty(folder)?;
    let mut command = shell::command(wasm_pack.join("wasm-pack"));
    command.env("PATH", shell::path_with(&[wasm_bindgen]));
    rust::leave_out_folders(&mut command);
    // The bindings of this target form a module that does not depend on the loading of the wasm file, because each entry point loads the
    // wasm file differently. The wasm file is the same for all targets. The file package.json is handwritten, because wasm-pack generates
    // fewer fields.
    command.args([
        "build",
        package,
        "--mode",
        "no-install",
        "--target",
        "bundler",
        "--profile",
        "wasm",
        "--no-opt",
        "--no-pack",
        "--no-gitignore",
        "--out-name",
        "core",
        "--out-dir",
    ]);
    command.arg(folder).args(["--", "--locked"]).args(features);
    shell::step(&format!("wasm-pack builds {title}"), &mut command)?;
    for name in ["core.js", "core_bg.wasm.d.ts"] {
        remove(&folder.join(name))?;
    }
    optimise(&npm, &folder.join("core_bg.wasm"))
}

/// Bundles the widget and the documentation plugins into the package, and copies the files that browsers need to a directory of the site.
/// Returns the sizes and hashes of these files as text.
pub(crate) fn widget(package: &Path, site: Option<&Path>) -> Result<String> {
    npm::packages()?;
    let mut command = shell::command("node");
    command.arg("web/widget/build.mjs").arg(package);
    command.arg(shell::root().join(WIDGET_CORE));
    ProjectUrls::of_project()?.lend(&mut command);
    if let Some(site) = site {
        command.arg("--site").arg(site);
    }
    Ok(shell::step("bundling the widget", &mut command)?.transcript)
}

/// Returns the path of the last artifact with the given file extension in the messages of cargo.
pub(crate) fn artefact(messages: &str, ending: &str) -> Option<PathBuf> {
    let parsed = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let names = parsed
        .filter_map(|message| message["filenames"].as_array().cloned())
        .flatten();
    let files = names.filter_map(|name| name.as_str().map(str::to_string));
    let found: Vec<String> = files.filter(|file| file.ends_with(ending)).collect();
    found.last().map(PathBuf::from)
}

/// Optimizes a file in place by wasm-opt.
pub(crate) fn optimise(npm: &Path, wasm: &Path) -> Result<()> {
    let mut command = shell::command(npm.join("wasm-opt"));
    command
        .arg("-O2")
        .args(OPTIONS)
        .args(FEATURES)
        .arg(wasm)
        .arg("-o")
        .arg(wasm);
    shell::step("optimising the wasm", &mut command)?;
    Ok(())
}

/// Files of `crates/wasm/npm` that the build copies into the package without changes.
const SOURCES: &[&str] = &[
    "api.js",
    "arguments.js",
    "bundler.js",
    "errors.js",
    "load.js",
    "node.js",
    "rounds.js",
    "share-node.js",
    "share.js",
    "warpgrid.d.ts",
    "warpgrid.js",
    "workers.js",
];

/// Adds the entry points, their type declarations, package.json, README and licenses to the package.
fn describe(folder: &Path) -> Result<()> {
    let root = shell::root();
    let sources = root.join("crates/wasm/npm");
    // The manifest is edited as text, because the order of the conditions under `exports` is significant and a map would not preserve this
    // order.
    let manifest = read(&sources.join("package.json"))?;
    let (placeholder, version) = ("\"0.0.0\"", env!("CARGO_PKG_VERSION"));
    if manifest.matches(placeholder).count() != 1 {
        return Err(
            "crates/wasm/npm/package.json must contain the version \"0.0.0\" exactly once"
                .to_string(),
        );
    }
    let manifest = manifest.replace(placeholder, &format!("\"{version}\""));
    let licence = "  \"license\":";
    let address = ProjectUrls::of_project()?.manifest();
    let manifest = manifest.replacen(licence, &format!("{address}{licence}"), 1);
    write(&folder.join("package.json"), &manifest)?;
    for name in SOURCES {
        copy(&sources.join(name), &folder.join(name))?;
    }
    copy(
        &root.join("crates/wasm/src/types.ts"),
        &folder.join("types.d.ts"),
    )?;
    copy(
        &root.join("crates/wasm/README.md"),
        &folder.join("README.md"),
    )?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root.join(licence), &folder.join(licence))?;
    }
    Ok(())
}

fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn remove(file: &Path) -> Result<()> {
    std::fs::remove_file(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("{}: {error}", from.display()))
}
