//! Tests the dependencies of the workspace crates on each other and on external packages.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Allowed dependencies of each crate in pipeline order. A crate must not depend on a crate that follows in this list.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("warpgrid-isa", &[]),
    // The layout algebra is independent of the GPU model.
    ("warpgrid-layout", &[]),
    ("warpgrid-program", &["warpgrid-isa"]),
    ("warpgrid-ptx", &["warpgrid-isa", "warpgrid-program"]),
    ("warpgrid-sass", &["warpgrid-isa", "warpgrid-program"]),
    ("warpgrid-emulator", &["warpgrid-isa", "warpgrid-program"]),
    // The crate extracts instructions from other formats. Its tests check the crate with the embedded language.
    (
        "warpgrid-paste",
        &["warpgrid-isa", "warpgrid-program", "warpgrid-ptx"],
    ),
    (
        "warpgrid-order",
        &["warpgrid-isa", "warpgrid-program", "warpgrid-emulator"],
    ),
    (
        "warpgrid-launch",
        &["warpgrid-isa", "warpgrid-program", "warpgrid-emulator"],
    ),
    // The tests of this crate launch kernels from source code.
    (
        "warpgrid-translate",
        &[
            "warpgrid-isa",
            "warpgrid-program",
            "warpgrid-ptx",
            "warpgrid-emulator",
            "warpgrid-launch",
        ],
    ),
    // The crate implements the engine of translated runs for JavaScript hosts.
    ("warpgrid-webassembly", &["warpgrid-translate"]),
    (
        "warpgrid-view",
        &[
            "warpgrid-isa",
            "warpgrid-layout",
            "warpgrid-program",
            "warpgrid-ptx",
            "warpgrid-sass",
            "warpgrid-paste",
            "warpgrid-emulator",
            "warpgrid-order",
            "warpgrid-launch",
            "warpgrid-translate",
        ],
    ),
    ("warpgrid-share", &["warpgrid-view"]),
    // The crate runs the test cases of other crates.
    ("warpgrid-cases", &["warpgrid-program", "warpgrid-view"]),
    ("warpgrid-wasm", &["warpgrid-view", "warpgrid-webassembly"]),
    // The crate provides the same API as a single wasm module, which wasm-pack builds.
    ("warpgrid-pack", &["warpgrid-wasm"]),
    // The crate generates random kernels from the instruction tables, and invokes an installed assembler.
    ("warpgrid-differential", &["warpgrid-isa", "warpgrid-view"]),
    // The language server communicates only with the facade, and reads the types of symbols and diagnostics.
    ("warpgrid-lsp", &["warpgrid-program", "warpgrid-view"]),
    ("warpgrid-lsp-wasm", &["warpgrid-lsp"]),
    ("warpgrid-python", &["warpgrid-view"]),
    (
        "warpgrid",
        &[
            "warpgrid-view",
            "warpgrid-share",
            "warpgrid-differential",
            "warpgrid-lsp",
        ],
    ),
    ("warpgrid-web", &["warpgrid-view", "warpgrid-worker"]),
    // The worker of the page is a separate package, so that the worker does not link the JavaScript dependencies of the page.
    (
        "warpgrid-worker",
        &["warpgrid-view", "warpgrid-webassembly"],
    ),
    // Tools may depend on every crate, but no crate depends on a tool.
    (
        "xtask",
        &[
            "warpgrid-isa",
            "warpgrid-program",
            "warpgrid-ptx",
            "warpgrid-sass",
            "warpgrid-emulator",
            "warpgrid-launch",
            "warpgrid-view",
            "warpgrid-differential",
            "warpgrid-lsp",
        ],
    ),
];

/// Packages for browsers, JavaScript and Python, with the crates that may depend on these packages.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("pyo3", &["warpgrid-python"]),
    ("yew", &["warpgrid-web"]),
    ("web-sys", &["warpgrid-web", "warpgrid-worker"]),
    ("gloo", &["warpgrid-web", "warpgrid-worker"]),
    ("serde-wasm-bindgen", &["warpgrid-wasm", "warpgrid-worker"]),
    (
        "wasm-bindgen",
        &[
            "warpgrid-lsp-wasm",
            "warpgrid-wasm",
            "warpgrid-web",
            "warpgrid-webassembly",
            "warpgrid-worker",
        ],
    ),
    (
        "js-sys",
        &[
            "warpgrid-wasm",
            "warpgrid-web",
            "warpgrid-webassembly",
            "warpgrid-worker",
        ],
    ),
];

#[test]
fn crates_depend_only_on_allowed_crates() {
    for (room, named) in dependencies() {
        let Some((_, allowed)) = ALLOWED_DEPENDENCIES.iter().find(|(name, _)| *name == room) else {
            panic!("`{room}` is a new room: say in tests/rooms.rs what it may name");
        };
        for other in named
            .iter()
            .filter(|name| ALLOWED_DEPENDENCIES.iter().any(|(room, _)| room == name))
        {
            assert!(
                allowed.contains(&other.as_str()),
                "wrong arrow: `{room}` names `{other}`"
            );
        }
    }
}

#[test]
fn external_packages_are_used_only_by_allowed_crates() {
    for (room, named) in dependencies() {
        for (package, allowed) in OUTSIDE {
            let wrong =
                named.iter().any(|name| name == package) && !allowed.contains(&room.as_str());
            assert!(
                !wrong,
                "`{room}` names `{package}`, which only {allowed:?} may"
            );
        }
    }
}

/// Crate names of the front ends, written as Rust identifiers.
const FRONT_ENDS: &[&str] = &["warpgrid_ptx", "warpgrid_sass"];

#[test]
fn only_front_ends_module_references_front_end_crates() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in [
        "crates/launch",
        "crates/paste",
        "crates/view",
        "crates/share",
        "crates/differential",
        "crates/wasm",
        "crates/cli",
        "crates/python",
        "web",
    ] {
        naming(&root.join(folder), &mut found);
    }
    let names: Vec<_> = found
        .iter()
        .filter_map(|path| path.strip_prefix(&root).ok())
        .collect();
    assert_eq!(names, [Path::new("crates/view/src/source/front_ends.rs")]);
}

#[test]
fn only_front_end_crates_seal_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for room in [
        "isa",
        "paste",
        "emulator",
        "launch",
        "view",
        "share",
        "differential",
        "wasm",
        "cli",
        "python",
    ] {
        let mut found = Vec::new();
        holding(
            &root.join("crates").join(room).join("src"),
            SEAL,
            &mut found,
        );
        // Unit tests construct programs directly, so that the tests are independent of the front ends.
        found.retain(|path| !path.to_string_lossy().ends_with("_tests.rs"));
        assert_eq!(found, Vec::<PathBuf>::new(), "`{room}` seals a program");
    }
}

/// Function that constructs a checked program from a module.
const SEAL: &[&str] = &["Program::from_checked"];

/// Appends the paths of the Rust files in a directory that contain the name of a front end.
fn naming(folder: &Path, found: &mut Vec<PathBuf>) {
    holding(folder, FRONT_ENDS, found);
}

/// Appends the paths of the Rust files in a directory that contain one of the words.
fn holding(folder: &Path, words: &[&str], found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    for path in entries.flatten().map(|entry| entry.path()) {
        // A test may compare a front end with later stages of the pipeline.
        if path.ends_with("tests") || path.ends_with("examples") {
            continue;
        }
        if path.is_dir() {
            holding(&path, words, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if words.iter().any(|word| text.contains(word)) {
                found.push(path);
            }
        }
    }
}

#[test]
fn isa_crate_has_no_dependencies() {
    let isa = dependencies()
        .into_iter()
        .find(|(room, _)| room == "warpgrid-isa");
    let (_, named) = isa.expect("there is a room of facts");
    assert_eq!(named, Vec::<String>::new());
}

#[test]
fn every_crate_uses_workspace_lints() {
    for package in packages() {
        let path = package["manifest_path"].as_str().unwrap_or_default();
        let manifest = std::fs::read_to_string(path).expect("a manifest that cargo has read");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{path} does not use the lints of the workspace"
        );
    }
}

/// Returns each package of the workspace with its dependencies. The result omits external dev-dependencies.
fn dependencies() -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let of = |package: &Value| {
        let list = package["dependencies"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let inside = |d: &Value| {
            ALLOWED_DEPENDENCIES
                .iter()
                .any(|(room, _)| d["name"] == *room)
        };
        // The tests of any crate may run kernels through the facade. The tests of `program` check kernels with a front end, and the tests of
        // `order` launch kernels on a machine that they step themselves.
        let for_tests = [
            "warpgrid-view",
            "warpgrid-ptx",
            "warpgrid-cases",
            "warpgrid-launch",
        ];
        let is_facade_of_tests =
            |d: &Value| d["kind"] == "dev" && for_tests.iter().any(|name| d["name"] == *name);
        list.iter()
            .filter(|d| (d["kind"] != "dev" || inside(d)) && !is_facade_of_tests(d))
            .map(|d| text(&d["name"]))
            .collect()
    };
    packages()
        .iter()
        .map(|package| (text(&package["name"]), of(package)))
        .collect()
}

fn packages() -> Vec<Value> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
        "--manifest-path",
    ]);
    let output = cargo
        .arg(manifest)
        .output()
        .expect("cargo runs, for it runs this test");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo speaks JSON");
    metadata["packages"].as_array().cloned().unwrap_or_default()
}
