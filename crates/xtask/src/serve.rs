//! Implements `cargo xtask serve`, which builds and serves the page for development, and rebuilds the page after every change.
//!
//! The development build does not use Trunk, because Trunk takes minutes to compile. Instead, cargo compiles the page and one core
//! together, the wasm-bindgen library generates the JavaScript for both, and `web/serve.mjs` serves all other files from the source tree.
//! Trunk builds the release site (`site.rs`).

use crate::arguments::Arguments;
use crate::package::artefact;
use crate::setup::npm;
use crate::setup::rust::{self, BindgenRunner};
use crate::shell::{self, Result, StepLabel};
use crate::site;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

/// Directory that contains the compiled page and the compiled core with their JavaScript.
const COMPILED: &str = "target/serve";

/// Crates of the page, and of the core that each worker of the page loads.
const PROGRAMS: [&str; 2] = ["warpgrid-web", "warpgrid-core-develop"];

/// Files and directories that contain the sources of the page.
const SOURCES: &[&str] = &["web", "crates", "public", "Cargo.toml", "Cargo.lock"];

/// Interval at which the command polls the sources for changes.
const POLL_INTERVAL: Duration = Duration::from_millis(400);

pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let port = match arguments.option("--port")? {
        Some(text) => text
            .parse::<u16>()
            .map_err(|_| format!("`{text}` is not a port"))?,
        None => 8080,
    };
    let release = arguments.switch("--release");
    arguments.done()?;
    if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() {
        return Err(format!(
            "port {port} is in use: select another port with `--port`"
        ));
    }
    if release {
        return site::serve_release(port);
    }
    develop(port)
}

/// Starts the server and builds the page. The function rebuilds the page after each change until the user interrupts the command.
fn develop(port: u16) -> Result<bool> {
    npm::node()?;
    make_folder(&shell::root().join(COMPILED))?;
    let mut server = Server::start(port)?;
    npm::packages()?;
    rust::wasm_target()?;
    let binder = rust::binder()?;
    rust::clean_up();
    loop {
        let before = sources();
        match build(&binder) {
            Ok(()) => {
                server.announce_build()?;
                eprintln!("  built: http://127.0.0.1:{port}");
            }
            Err(message) => eprintln!("  {message}; waiting for changes"),
        }
        while sources() == before {
            std::thread::sleep(POLL_INTERVAL);
            server.check()?;
        }
        // The build waits until the sources stop changing, since an editor or git may still write files.
        let mut now = sources();
        loop {
            std::thread::sleep(POLL_INTERVAL / 4);
            let later = sources();
            if later == now {
                break;
            }
            now = later;
        }
    }
}

/// Bundles the editor and compiles the changed programs.
fn build(binder: &BindgenRunner) -> Result<()> {
    let mut bundle = shell::command("node");
    shell::step("bundling the editor", bundle.arg("web/bundle.mjs"))?;
    let mut compile = shell::cargo();
    compile.args(["build", "--locked", "--target", rust::WASM]);
    compile.args([
        "--profile",
        "wasm-dev",
        "--features",
        "warpgrid-worker/reference",
    ]);
    compile.args(["--package", "warpgrid-web", "--package", "warpgrid-worker"]);
    for program in PROGRAMS {
        compile.args(["--bin", program]);
    }
    compile.args(["--message-format", "json-render-diagnostics"]);
    let folder = shell::root().join(COMPILED);
    let what = "compiling the page and the emulator";
    let title = match PROGRAMS
        .iter()
        .all(|program| bound(&folder, program).is_file())
    {
        true => StepLabel::from(what),
        false => StepLabel::lasting(what, "about 2 minutes on two cores for the first run"),
    };
    let compiled = shell::step(title, &mut compile)?;
    for program in PROGRAMS {
        let wasm = artefact(&compiled.transcript, &format!("/{program}.wasm"))
            .ok_or_else(|| format!("cargo produced no {program}"))?;
        let bound = bound(&folder, program);
        if changed_at(&bound).is_none_or(|bound| changed_at(&wasm) > Some(bound)) {
            let title = format!("generating the JavaScript of {program}");
            shell::step(&title, &mut binder.command(&wasm, &folder))?;
        }
    }
    Ok(())
}

/// Returns the path of the wasm file next to the JavaScript file of a program.
fn bound(folder: &Path, program: &str) -> PathBuf {
    folder.join(format!("{program}_bg.wasm"))
}

/// Server process of the page (`web/serve.mjs`), which is killed on drop.
struct Server(Child);

impl Server {
    fn start(port: u16) -> Result<Server> {
        let mut node = shell::command("node");
        node.arg("web/serve.mjs").arg(port.to_string());
        node.arg(shell::root().join(COMPILED)).stdin(Stdio::piped());
        let child = node.spawn().map_err(|error| format!("node: {error}"))?;
        Ok(Server(child))
    }

    /// Notifies open pages of a new build, so that the pages reload.
    fn announce_build(&mut self) -> Result<()> {
        let pipe = self.0.stdin.as_mut();
        let written = pipe.map_or(Ok(()), |pipe| pipe.write_all(b"built\n"));
        written.map_err(|error| format!("the server failed to start: {error}"))
    }

    /// Returns an error if the server process has exited.
    fn check(&mut self) -> Result<()> {
        match self.0.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(format!("the server exited: {status}")),
            Err(error) => Err(format!("the server: {error}")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may already have exited, so that an error of `kill` is harmless.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the path and the modification time of every source file.
fn sources() -> Vec<(PathBuf, Option<SystemTime>)> {
    let root = shell::root();
    let mut places: Vec<PathBuf> = SOURCES.iter().map(|name| root.join(name)).collect();
    let mut files = Vec::new();
    while let Some(place) = places.pop() {
        // If a path cannot be listed as a directory, the path is a file or has been removed. A removed path has no modification time, which
        // counts as a change.
        if let Ok(entries) = std::fs::read_dir(&place) {
            places.extend(entries.flatten().map(|entry| entry.path()));
        } else {
            files.push((place.clone(), changed_at(&place)));
        }
    }
    files.sort();
    files
}

fn changed_at(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file)
        .and_then(|data| data.modified())
        .ok()
}

fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
