//! `warpgrid ptxas`: options, messages, exit status and objects.

mod common;

use common::{Folder, json};
use expect_test::expect;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
//@ launch grid=1 block=4
//@ buffer out: u32[4] = 0
.visible .entry k(.param .u64 out) {
.reg .b32 %t; .reg .b64 %q, %o;
mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4;
ld.param.b64 %q, [out]; add.s64 %q, %q, %o;
st.global.u32 [%q], %t;
ret; }
";

/// Directory with the files `ok.ptx`, `bad.ptx` and `options`, in which the command runs.
fn folder() -> Folder {
    let folder = Folder::new("ptxas");
    folder.file("ok.ptx", KERNEL.as_bytes());
    let bad = KERNEL.replace("st.global.u32", "st.globl.u32");
    folder.file("bad.ptx", bad.as_bytes());
    folder.file("options", b"-arch=sm_80 \"-o\"\n\"the object.o\" -v");
    folder
}

fn start(program: &Path, folder: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&folder.0);
    command
        .stdin(Stdio::null())
        .output()
        .expect("the command runs")
}

fn ptxas(folder: &Folder, arguments: &[&str]) -> Output {
    let arguments = [&["ptxas"], arguments].concat();
    start(
        Path::new(env!("CARGO_BIN_EXE_warpgrid")),
        folder,
        &arguments,
    )
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn option_errors_match_reference_assembler() {
    // Arguments, and the messages of ptxas 13.5.37.
    let measured = [
        ("--foo ok.ptx", "ptxas fatal   : Unknown option '-foo'"),
        ("-foo ok.ptx", "ptxas fatal   : Unknown option 'foo'"),
        ("--Foo=3 ok.ptx", "ptxas fatal   : Unknown option '-Foo'"),
        (
            "--arch=sm_80 ok.ptx",
            "ptxas fatal   : Unknown option '-arch'",
        ),
        (
            "-gpu-name=sm_80 ok.ptx",
            "ptxas fatal   : Unknown option 'gpu-name'",
        ),
        (
            "-osome.o ok.ptx",
            "ptxas fatal   : Unknown option 'osome.o'",
        ),
        ("--", "ptxas fatal   : Unknown option '-'"),
        (
            "-v=x ok.ptx",
            "ptxas fatal   : no argument expected after '-v'",
        ),
        (
            "-arch=sm_80 -o",
            "ptxas fatal   : argument expected after '-o'",
        ),
        (
            "-arch=sm_80 --opt-level",
            "ptxas fatal   : argument expected after '--opt-level'",
        ),
        (
            "-arch=sm_80 -Oabc ok.ptx",
            "ptxas fatal   : 'abc': expected a number",
        ),
        (
            "-arch=sm_80 --fmad=maybe ok.ptx",
            "ptxas fatal   : 'maybe': expected true or false",
        ),
        (
            "-arch=sm_80 -fmad ok.ptx",
            "ptxas fatal   : 'ok.ptx': expected true or false",
        ),
        (
            "-arch=sm_80 -maxrregcount=abc ok.ptx",
            "ptxas fatal   : Invalid value 'abc' for option 'maxrregcount'",
        ),
        (
            "-m32 ok.ptx",
            "ptxas fatal   : Value '32' is not defined for option 'machine'",
        ),
        (
            "-V -arch=sm_999",
            "ptxas fatal   : Value 'sm_999' is not defined for option 'gpu-name'",
        ),
        (
            "-optf nope ok.ptx",
            "ptxas fatal   : Could not open options file 'nope'",
        ),
        (
            "-arch=sm_80 -e k,z ok.ptx",
            "ptxas fatal   : Unknown function z",
        ),
        (
            "-arch=sm_80 -o no/such/folder ok.ptx",
            "ptxas fatal   : Output file 'no/such/folder' could not be opened",
        ),
        (
            "ok.ptx",
            "ptxas fatal   : SM version specified by .target is higher than default SM version assumed",
        ),
        (
            "missing.ptx",
            "ptxas fatal   : Input file 'missing.ptx' could not be opened\nptxas fatal   : Ptx assembly aborted due to errors",
        ),
        (
            "-arch=sm_80 -O 1 ok.ptx",
            "ptxas fatal   : Input file '1' could not be opened\nptxas fatal   : Ptx assembly aborted due to errors",
        ),
    ];
    let folder = folder();
    for (arguments, expected) in measured {
        let words: Vec<&str> = arguments.split(' ').collect();
        let output = ptxas(&folder, &words);
        assert_eq!(messages(&output).trim_end(), expected, "{arguments}");
        assert_eq!(output.status.code(), Some(255), "{arguments}");
    }
    assert!(!folder.0.join("elf.o").exists());
}

#[test]
fn options_of_reference_assembler_are_accepted() {
    let folder = folder();
    for arguments in [
        "-arch=sm_80 -o a.o ok.ptx",
        "-arch sm_90a ok.ptx -o a.o",
        "--gpu-name sm_80 --output-file a.o ok.ptx",
        "--gpu-name=sm_80 --output-file=a.o ok.ptx",
        "-arch=sm_80 -O3 -O=3 --opt-level 3 -m64 -m 64 --machine=64 -o a.o ok.ptx",
        "-arch=sm_80 -lineinfo -suppress-debug-info -g -w -Werror --warn-on-spills -o a.o ok.ptx",
        "-arch=sm_80 --fmad=false -fmad true -maxrregcount=32 --maxrregcount archmax -w -o a.o ok.ptx",
        "-arch=sm_80 --regAllocOptLevel=2 -Ofc max -split-compile 0 -e k -o a.o ok.ptx",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let output = ptxas(&folder, &words);
        assert_eq!(messages(&output), "", "{arguments}");
        assert_eq!(output.status.code(), Some(0), "{arguments}");
        let object = folder.0.join("a.o");
        std::fs::remove_file(object).unwrap_or_else(|error| panic!("{arguments}: {error}"));
    }
}

#[test]
fn last_value_of_repeated_option_applies() {
    let folder = folder();
    let output = ptxas(
        &folder,
        &["-arch=sm_75", "-arch=sm_80", "-O3", "-O3", "ok.ptx"],
    );
    expect![[r#"
        ptxas warning : incompatible redefinition for option 'gpu-name', the last value of this option was used
    "#]]
    .assert_eq(&messages(&output));
    assert_eq!(output.status.code(), Some(0));
    assert!(folder.0.join("elf.o").exists());
}

#[test]
fn diagnostics_have_format_of_reference_assembler() {
    let folder = folder();
    let output = ptxas(&folder, &["-arch=sm_80", "bad.ptx", "-o", "bad.o"]);
    expect![[r#"
        ptxas bad.ptx, line 10; error   : unknown modifier `.globl` [W0101]
        ptxas fatal   : Ptx assembly aborted due to errors
    "#]]
    .assert_eq(&messages(&output));
    assert_eq!(output.status.code(), Some(255));
    assert!(!folder.0.join("bad.o").exists());
    folder.file("snippet.ptx", b"add.u32 %r1, %r2, %r3;\n");
    let output = ptxas(&folder, &["-arch=sm_80", "-w", "snippet.ptx"]);
    expect![[r#"
        ptxas snippet.ptx, line 1; fatal   : Missing .version directive at start of file 'snippet.ptx'
        ptxas fatal   : Ptx assembly aborted due to errors
    "#]]
    .assert_eq(&messages(&output));
}

#[test]
fn comments_and_text_after_the_module_are_treated_as_by_reference_assembler() {
    let folder = folder();
    let status = |module: &str| {
        folder.file("module.ptx", module.as_bytes());
        let output = ptxas(&folder, &["-arch=sm_80", "module.ptx"]);
        output.status.code()
    };
    assert_eq!(
        status(&format!("//@ unknown annotation\n{KERNEL}")),
        Some(0)
    );
    assert_eq!(status(&format!("/* comment */ {KERNEL}")), Some(0));
    let log = "ptxas info    : Used 8 registers";
    assert_eq!(status(&format!("{KERNEL}{log}\n")), Some(255));
    assert_eq!(status(&format!("asm(\"{}\");", "ret;")), Some(255));
}

#[test]
fn module_target_must_permit_architecture() {
    let folder = folder();
    let rejected = |target: &str, architecture: &str| {
        let module = KERNEL.replace("8.0", "9.5").replace("sm_80", target);
        folder.file("module.ptx", module.as_bytes());
        let output = ptxas(&folder, &["-arch", architecture, "module.ptx"]);
        messages(&output)
    };
    expect![
        "ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'\n"
    ]
    .assert_eq(&rejected("sm_90a", "sm_90"));
    expect![
        "ptxas fatal   : Program with .target 'sm_90a' cannot be compiled to future architecture\n"
    ]
    .assert_eq(&rejected("sm_90a", "sm_100"));
    expect!["ptxas fatal   : Program with .target 'sm_100f' cannot be compiled to different SM-family architecture\n"]
        .assert_eq(&rejected("sm_100f", "sm_120"));
    assert_eq!(rejected("sm_100f", "sm_103a"), "");
    // The target of the module determines the available instructions.
    let module = KERNEL.replace("ret;", "fence.proxy.async; ret;");
    folder.file("module.ptx", module.as_bytes());
    let output = ptxas(&folder, &["-arch=sm_90a", "module.ptx"]);
    assert_eq!(output.status.code(), Some(255), "{output:?}");
}

#[test]
fn architecture_determines_limit_of_shared_memory() {
    let folder = folder();
    let module = KERNEL.replace(".visible", ".shared .align 4 .b8 tile[100000];\n.visible");
    let module = module.replace("ret;", "st.shared.u32 [tile], %t; ret;");
    folder.file("module.ptx", module.as_bytes());
    let status = |architecture: &str| {
        let output = ptxas(&folder, &["-arch", architecture, "module.ptx"]);
        output.status.code()
    };
    assert_eq!(["sm_90", "sm_90a"].map(status), [Some(255), Some(0)]);
}

#[test]
fn object_contains_module_and_runs() {
    let folder = folder();
    let output = ptxas(&folder, &["--gpu-name=sm_90a", "ok.ptx", "-o", "ok.cubin"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let warpgrid = Path::new(env!("CARGO_BIN_EXE_warpgrid"));
    let checked = start(warpgrid, &folder, &["check", "ok.cubin"]);
    expect![[r#"
        ok.cubin: object with PTX
          1. PTX for sm_80, 285 bytes
             k
             accepted
    "#]]
    .assert_eq(&String::from_utf8_lossy(&checked.stdout));
    let run = start(warpgrid, &folder, &["run", "ok.cubin", "--format", "json"]);
    let report = json(&run);
    assert_eq!(report["buffers"]["out"]["values"].to_string(), "[0,1,2,3]");
}

#[test]
fn objects_have_type_and_architecture_of_options() {
    let folder = folder();
    let header = |arguments: &[&str]| {
        let output = ptxas(&folder, arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let object = std::fs::read(folder.0.join("elf.o")).expect("an object");
        let field = |range: std::ops::Range<usize>| object[range].to_vec();
        (field(16..20), field(48..52))
    };
    // `e_type`, `e_machine` and `e_flags` of ptxas 13.5.37.
    let expected = |kind: u8, flags: u32| (vec![kind, 0, 190, 0], flags.to_le_bytes().to_vec());
    assert_eq!(header(&["-arch=sm_80", "ok.ptx"]), expected(2, 0x0600_5004));
    assert_eq!(
        header(&["-arch=sm_90a", "-c", "ok.ptx"]),
        expected(1, 0x0600_5a04)
    );
    assert_eq!(
        header(&["-arch=sm_121", "ok.ptx"]),
        expected(2, 0x0600_7902)
    );
}

#[test]
fn virtual_architecture_only_checks_modules() {
    let folder = folder();
    for architecture in ["compute_80", "lto_90"] {
        let arch = format!("-arch={architecture}");
        assert_eq!(ptxas(&folder, &[&arch, "ok.ptx"]).status.code(), Some(0));
        assert_eq!(ptxas(&folder, &[&arch, "bad.ptx"]).status.code(), Some(255));
    }
    assert!(!folder.0.join("elf.o").exists());
}

#[test]
fn options_file_and_verbose_mode() {
    let folder = folder();
    let output = ptxas(&folder, &["--options-file", "options", "ok.ptx"]);
    expect![[r#"
        ptxas info    : Compiling entry function 'k' for 'sm_80'
        ptxas info    : the object contains PTX instead of machine code, so the number of registers is unknown
    "#]]
    .assert_eq(&messages(&output));
    assert!(folder.0.join("the object.o").exists());
    folder.file("cycle", b"-optf cycle");
    let output = ptxas(&folder, &["-optf", "cycle", "ok.ptx"]);
    expect![[r#"
        ptxas fatal   : Could not open options file 'cycle'
    "#]]
    .assert_eq(&messages(&output));
}

#[test]
fn warnings_are_reported_suppressed_or_denied() {
    let folder = folder();
    let module = KERNEL.replace("ret;", "setmaxnreg.dec.sync.aligned.u32 64; ret;");
    let module = module.replace("%t, 4;", "%t, 0x10000000000000004;");
    folder.file("warned.ptx", module.replace("sm_80", "sm_90a").as_bytes());
    let outcome = |option: &str| {
        let output = ptxas(&folder, &["-arch=sm_90a", option, "warned.ptx"]);
        (messages(&output), output.status.code())
    };
    // A remark is neither a warning nor an error.
    let remark = "ptxas warned.ptx, line 11; info    : `setmaxnreg` is ignored, because the register count at the entry of `k` is unknown [W0800]\n";
    assert_eq!(outcome("-w"), (remark.to_owned(), Some(0)));
    let (text, status) = outcome("-O3");
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.starts_with("ptxas warned.ptx, line 8; warning : "),
        "{text}"
    );
    let denied = text.replace("warning :", "error   :");
    let denied = format!("{denied}ptxas fatal   : Ptx assembly aborted due to errors\n");
    assert_eq!(outcome("-Werror"), (denied, Some(255)));
}

#[test]
fn standard_input_and_strings_are_assembled() {
    let good = common::warpgrid(&["ptxas", "-arch=compute_80", "-"], KERNEL);
    assert_eq!(good.status.code(), Some(0), "{good:?}");
    let bad = KERNEL.replace("mov.u32", "mov.u33");
    let output = common::warpgrid(&["ptxas", "-arch=compute_80", "-"], &bad);
    expect![[r#"
        ptxas stdin, line 8; error   : unknown modifier `.u33` [W0101]
        ptxas fatal   : Ptx assembly aborted due to errors
    "#]]
    .assert_eq(&messages(&output));
    let output = common::warpgrid(&["ptxas", "-arch=compute_80", "-ias", &bad], "");
    expect![[r#"
        ptxas application ptx input, line 8; error   : unknown modifier `.u33` [W0101]
        ptxas fatal   : Ptx assembly aborted due to errors
    "#]]
    .assert_eq(&messages(&output));
}

#[test]
fn several_modules_are_separate_code_objects() {
    let folder = folder();
    let other = KERNEL.replace("entry k", "entry other");
    folder.file("other.ptx", other.as_bytes());
    let output = ptxas(&folder, &["-arch=sm_80", "ok.ptx", "other.ptx"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let warpgrid = Path::new(env!("CARGO_BIN_EXE_warpgrid"));
    let checked = start(warpgrid, &folder, &["check", "elf.o"]);
    expect![[r#"
        elf.o: object with PTX
          1. PTX for sm_80, 285 bytes
             k
             accepted
          2. PTX for sm_80, 289 bytes
             other
             accepted
    "#]]
    .assert_eq(&String::from_utf8_lossy(&checked.stdout));
}

#[test]
fn version_names_release_of_reference_assembler() {
    let folder = folder();
    let output = ptxas(&folder, &["--version"]);
    let text =
        String::from_utf8_lossy(&output.stdout).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    expect![[r#"
        ptxas: Warpgrid VERSION, a PTX checker that writes no machine code
        Decisions of the assembler in Cuda compilation tools, release 13.5, V13.5.37
    "#]]
    .assert_eq(&text);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn help_is_printed_on_request_and_without_input() {
    let folder = folder();
    let requested = ptxas(&folder, &["--help", "--version"]);
    let text = String::from_utf8_lossy(&requested.stdout).into_owned();
    assert!(text.contains("--gpu-name <architecture> (-arch)"), "{text}");
    assert!(text.contains("--fmad <true|false> (-fmad)"), "{text}");
    for arguments in [&[][..], &["-arch=sm_80"]] {
        let output = ptxas(&folder, arguments);
        assert_eq!(output.stdout, requested.stdout);
        assert_eq!(output.status.code(), Some(0));
    }
    let lists = |option: &str| ptxas(&folder, &[option]).stdout;
    let architectures = String::from_utf8(lists("--list-arch")).expect("a text");
    assert!(
        architectures.lines().any(|line| line == "90"),
        "{architectures}"
    );
    let versions = String::from_utf8(lists("--list-version")).expect("a text");
    assert_eq!(versions.lines().last(), Some("9.5"));
}

#[cfg(unix)]
#[test]
fn link_with_name_ptxas_behaves_as_ptxas() {
    let folder = folder();
    let link = folder.0.join("ptxas");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_warpgrid"), &link).expect("a link");
    let output = start(&link, &folder, &["--version"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("release 13.5, V13.5.37"));
    let arguments = [
        "-lineinfo",
        "-v",
        "--gpu-name=sm_90a",
        "ok.ptx",
        "-o",
        "ok.cubin",
    ];
    let output = start(&link, &folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(folder.0.join("ok.cubin").exists());
}
