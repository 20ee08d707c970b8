//! Tests the recording driver. One test calls the driver from Python in the same way as a compiler, and one test calls the driver through
//! Dr.Jit if Dr.Jit is installed. Both tests are skipped without a C compiler or Python, and on systems other than Linux.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Python program that loads a module and launches its kernel through the driver API.
const CLIENT: &str = r#"
import ctypes, os
driver = ctypes.CDLL(os.environ["WARPGRID_DRIVER"])
text = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .align 8 .b8 pair[16], .param .f32 a) { ret; }
"""
def call(name, *arguments):
    assert getattr(driver, name)(*arguments) == 0, name
call("cuInit", 0)
memory, other = ctypes.c_uint64(), ctypes.c_uint64()
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(256))
call("cuMemAlloc_v2", ctypes.byref(other), ctypes.c_size_t(64))
module, function = ctypes.c_void_p(), ctypes.c_void_p()
call("cuModuleLoadData", ctypes.byref(module), text)
call("cuModuleGetFunction", ctypes.byref(function), module, b"k")
pair = (ctypes.c_uint64 * 2)(7, other.value + 4)
a = ctypes.c_float(2)
values = (ctypes.c_void_p * 3)(*[ctypes.addressof(value) for value in (memory, pair, a)])
call("cuLaunchKernel", function, 4, 1, 1, 64, 2, 1, 128, None, values, None)
"#;

/// Python program that launches a kernel through Dr.Jit.
const DRJIT: &str = "
import drjit
from drjit.cuda import Float
x = drjit.sqrt(drjit.arange(Float, 1000))
drjit.eval(x)
";

fn python(program: &str, environment: &[(&str, &Path)]) -> bool {
    let mut command = Command::new("python3");
    command.args(["-c", program]);
    for (name, value) in environment {
        command.env(name, value);
    }
    let output = command.output();
    output.is_ok_and(|output| output.status.success())
}

/// Compiles the driver in a new directory. Returns `None` if no C compiler is installed.
fn driver(folder: &Path) -> Option<PathBuf> {
    fs::create_dir_all(folder).ok()?;
    let library = folder.join("libcuda.so.1");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/driver/cuda.c");
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-o"]);
    command.arg(&library).args([source, "-ldl", "-lpthread"]);
    let status = command.status().ok()?;
    assert!(status.success(), "the driver does not compile");
    Some(library)
}

/// Runs a program with the recording driver. Returns the directory and the recorded launches. Returns `None` if Python, a C compiler, or a
/// module that the program imports is missing.
fn record(name: &str, needs: &str, program: &str) -> Option<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    if !cfg!(target_os = "linux") || !python(needs, &[]) {
        return None;
    }
    let library = driver(&folder)?;
    let environment: [(&str, &Path); 3] = [
        ("WARPGRID_DRIVER", &library),
        ("DRJIT_LIBCUDA_PATH", &library),
        ("WARPGRID_RECORD", &folder),
    ];
    assert!(python(program, &environment), "{name} failed");
    let launches = fs::read_to_string(folder.join("launches.jsonl")).expect("launches");
    Some((folder, launches))
}

#[test]
fn launch_is_recorded_with_module_and_parameters() {
    let Some((folder, launches)) = record("recorded-client", "import ctypes", CLIENT) else {
        return;
    };
    let module = fs::read_to_string(folder.join("module-0.ptx")).expect("a module");
    assert!(module.contains(".entry k("));
    let launch: serde_json::Value = serde_json::from_str(&launches).expect("one launch");
    assert_eq!(launch["entry"], "k");
    assert_eq!(launch["grid"], serde_json::json!([4, 1, 1]));
    assert_eq!(launch["block"], serde_json::json!([64, 2, 1]));
    assert_eq!(launch["shared"], 128);
    let parameters = launch["params"].as_array().expect("parameters");
    let pointers: Vec<_> = parameters.iter().map(|one| &one["pointers"]).collect();
    assert_eq!(
        *pointers[0],
        serde_json::json!([{ "at": 0, "allocation": 256, "offset": 0 }])
    );
    assert_eq!(
        *pointers[1],
        serde_json::json!([{ "at": 8, "allocation": 64, "offset": 4 }])
    );
    assert_eq!(parameters[2]["bytes"], "00000040");
}

#[test]
fn drjit_kernels_are_recorded() {
    let Some((_, launches)) = record("recorded-drjit", "import drjit", DRJIT) else {
        return;
    };
    assert!(launches.contains("\"entry\":\"drjit_"), "{launches}");
}
