//! `warpgrid fuzz` and `warpgrid reduce --while differs` with scripts in place of the assembler and the disassembler.
#![cfg(unix)]

mod common;

use common::{Folder, json, warpgrid};
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

/// Directory with a script in place of each tool of the toolkit.
struct Toolkit {
    folder: Folder,
    ptxas: String,
}

impl Toolkit {
    /// Creates the tools. `assemble` is the shell code of the assembler, in which `$source` and `$cubin` are paths. `listing` is the output
    /// of the disassembler.
    fn new(name: &str, assemble: &str, listing: &str) -> Toolkit {
        let folder = Folder::new(name);
        let script = |name: &str, text: &str| {
            let path = folder.file(name, format!("#!/bin/sh\n{text}").as_bytes());
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&path, mode).expect("an executable script");
            path
        };
        let parse = "for word in \"$@\"; do case \"$word\" in --version) echo 'Cuda compilation tools, release 13.5, V13.5.37'; exit 0;; \
                     *.ptx) source=$word;; *.cubin) cubin=$word;; esac; done\n";
        let ptxas = script("ptxas", &format!("{parse}{assemble}"));
        let file = folder.file("listing.sass", listing.as_bytes());
        script("nvdisasm", &format!("cat '{file}'\n"));
        Toolkit { folder, ptxas }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut all = arguments.to_vec();
        all.extend(["--ptxas", &self.ptxas]);
        warpgrid(&all, "")
    }

    /// Runs `fuzz` for `sm_90` with the reports in `bugs`.
    fn fuzz(&self, arguments: &[&str]) -> Output {
        let out = self.path("bugs");
        let common = ["fuzz", "--target", "sm_90", "--out", &out];
        self.run(&[&common, arguments].concat())
    }

    fn path(&self, name: &str) -> String {
        self.folder.0.join(name).to_string_lossy().into_owned()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.0.join(name)).unwrap_or_default()
    }
}

#[test]
fn crashes_of_the_assembler_are_reported_once() {
    let toolkit = Toolkit::new(
        "crash",
        "if grep -q '[.]entry' \"$source\"; then kill -SEGV $$; fi\n: > \"$cubin\"\n",
        "",
    );
    let found = toolkit.fuzz(&["--kernels", "3", "--format", "json"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let report = json(&found);
    assert_eq!(report["bugs"][0]["kernels"], 3, "{report}");
    assert_eq!(report["bugs"].as_array().map(Vec::len), Some(1));
    let folder = report["bugs"][0]["folder"].as_str().expect("a directory");
    let text = toolkit.read(&format!("bugs/{folder}/report.md"));
    assert!(text.contains("the assembler crashes (signal: 11"), "{text}");
    let source = toolkit.read(&format!("bugs/{folder}/kernel.ptx"));
    assert!(source.starts_with("//@ launch "), "{source}");
    assert!(toolkit.read("bugs/summary.md").contains(folder));
    // The reports of an earlier search are not overwritten.
    let again = toolkit.fuzz(&["--kernels", "1"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("is not empty"));
}

#[test]
fn assembler_that_does_not_end_is_reported() {
    let toolkit = Toolkit::new("endless", "exec sleep 60\n", "");
    let found = toolkit.fuzz(&["--kernels", "1", "--timeout", "1"]);
    assert_eq!(found.status.code(), Some(2), "{found:?}");
    let message = String::from_utf8_lossy(&found.stderr);
    assert!(
        message.contains("the assembler does not end within 1 s"),
        "{message}"
    );
}

#[test]
fn failure_of_the_disassembler_does_not_end_the_search() {
    let toolkit = Toolkit::new("disassembler", ": > \"$cubin\"\n", "");
    let script = b"#!/bin/sh\necho 'invalid section' >&2\nexit 1\n";
    toolkit.folder.file("nvdisasm", script);
    let found = toolkit.fuzz(&["--kernels", "2"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let summary = toolkit.read("bugs/summary.md");
    assert!(summary.contains("nvdisasm fails"), "{summary}");
}

#[test]
fn unknown_target_is_refused() {
    let toolkit = Toolkit::new("target", ": > \"$cubin\"\n", "");
    let found = toolkit.run(&["fuzz", "--kernels", "1", "--target", "sm_42", "--out", "x"]);
    assert_eq!(found.status.code(), Some(2), "{found:?}");
    let message = String::from_utf8_lossy(&found.stderr);
    assert!(
        message.contains("`sm_42` is not a target of PTX ISA 9.5"),
        "{message}"
    );
}

const WRONG: &str = include_str!("../../../public/examples/miscompile-add-sat-wrong.sass");
const RIGHT: &str = include_str!("../../../public/examples/miscompile-add-sat-right.sass");
const SOURCE: &str = include_str!("../../../public/examples/miscompile-add-sat.ptx");

#[test]
fn reduction_preserves_the_difference_from_the_code() {
    let toolkit = Toolkit::new("differs", ": > \"$cubin\"\n", WRONG);
    let file = toolkit.folder.file("kernel.ptx", SOURCE.as_bytes());
    let listing = toolkit.path("reduced.sass");
    let output = toolkit.run(&["reduce", &file, "--while", "differs", "--listing", &listing]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let source = String::from_utf8_lossy(&output.stdout);
    assert!(source.starts_with("//@ launch "), "{source}");
    assert!(!source.contains("//@ about"), "{source}");
    let summary = String::from_utf8_lossy(&output.stderr);
    assert!(
        summary.contains("in the code of ptxas 13.5.37 with `-O3 -arch=sm_90"),
        "{summary}"
    );
    assert_eq!(toolkit.read("reduced.sass"), WRONG);
}

#[test]
fn equal_results_are_not_reduced() {
    let toolkit = Toolkit::new("equal", ": > \"$cubin\"\n", RIGHT);
    let file = toolkit.folder.file("kernel.ptx", SOURCE.as_bytes());
    let output = toolkit.run(&["reduce", &file, "--while", "differs", "-O", "0"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("has the results of the PTX"), "{message}");
}
