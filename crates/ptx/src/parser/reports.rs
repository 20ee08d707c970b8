//! Recognizes reports of tools and errors of the driver, which users paste in place of PTX. In: a line; out: the kind of the report and
//! the action that it calls for.

use warpgrid_program::wrapped::is_compiler_diagnostic;

/// The kind of a report and the action that it calls for.
pub(super) struct Report {
    pub(super) kind: String,
    pub(super) help: &'static str,
}

const CUDA_GDB: &str = "a report of `cuda-gdb`";
const RUN_STOPS: &str = "paste the PTX or machine code of the kernel: a run stops at the instruction that faults, and states the reason";
const DRIVER_OF_COMPILER: &str = "messages of the `nvcc` driver";
const PASTE_OUTPUT: &str = "correct the command line, and paste the PTX that `nvcc -ptx` writes";

/// Parts of lines that only one tool prints, with the tool and the suggested action.
const TOOLS: &[(&str, &str, &str)] = &[
    (
        "========= ",
        "a report of `compute-sanitizer`",
        "paste the PTX of the kernel: `run --races` finds the race, and a run stops at the access that faults",
    ),
    ("CUDA Exception", CUDA_GDB, RUN_STOPS),
    ("CUDA_EXCEPTION_", CUDA_GDB, RUN_STOPS),
    ("(cuda-gdb)", CUDA_GDB, RUN_STOPS),
    ("NVIDIA (R) CUDA Debugger", CUDA_GDB, RUN_STOPS),
    ("NVIDIA (R) cuda-gdb", CUDA_GDB, RUN_STOPS),
    ("[Switching focus to CUDA kernel", CUDA_GDB, RUN_STOPS),
    ("[Launch of CUDA Kernel", CUDA_GDB, RUN_STOPS),
    ("[Termination of CUDA Kernel", CUDA_GDB, RUN_STOPS),
    ("The exception was triggered at PC", CUDA_GDB, RUN_STOPS),
    ("nvcc fatal", DRIVER_OF_COMPILER, PASTE_OUTPUT),
    ("nvcc error", DRIVER_OF_COMPILER, PASTE_OUTPUT),
    ("nvcc warning", DRIVER_OF_COMPILER, PASTE_OUTPUT),
    (
        "nvlink ",
        "messages of the device linker",
        "paste the PTX of one translation unit, which `nvcc -rdc=true -ptx` writes",
    ),
];

/// An error of the driver and the runtime (CUDA Driver API, `CUresult`).
struct DriverError {
    number: u32,
    /// Names without `CUDA_ERROR_` and `cudaError`, underscores and case.
    names: &'static [&'static str],
    /// Texts of the error, as `cudaGetErrorString` returns them.
    texts: &'static [&'static str],
    help: &'static str,
}

const STOPS_AT_ACCESS: &str =
    "paste the PTX of the kernel with its launch: a run stops at the access";
const STOPS_AT_INSTRUCTION: &str = "paste the PTX of the kernel with its launch: a run stops at the instruction, and names the operand";
const FEWER_RESOURCES: &str = "paste the PTX of the kernel with its launch: `check` and `run` report a block that exceeds a limit of the target";

const DRIVER_ERRORS: &[DriverError] = &[
    DriverError {
        number: 200,
        names: &["invalidimage", "invalidkernelimage"],
        texts: &["device kernel image is invalid"],
        help: "the module is damaged or of another architecture: paste its PTX, and each error is shown at its line",
    },
    DriverError {
        number: 209,
        names: &["nobinaryforgpu", "nokernelimagefordevice"],
        texts: &["no kernel image is available"],
        help: "the program has no code for this GPU: compile with `-gencode arch=compute_NN,code=compute_NN` for its architecture",
    },
    DriverError {
        number: 218,
        names: &["invalidptx"],
        texts: &["PTX JIT compilation failed"],
        help: "the driver cannot compile the PTX: paste the PTX, and each error is shown at its line",
    },
    DriverError {
        number: 221,
        names: &["jitcompilernotfound"],
        texts: &["PTX JIT compiler library not found"],
        help: "install the driver's `libnvidia-ptxjitcompiler`, or compile to machine code with `-arch=sm_NN`",
    },
    DriverError {
        number: 222,
        names: &["unsupportedptxversion"],
        texts: &["unsupported toolchain"],
        help: "the driver is older than the `.version` of the PTX: update it, or compile with an older toolkit",
    },
    DriverError {
        number: 300,
        names: &["invalidsource"],
        texts: &["device kernel source is invalid"],
        help: "paste the PTX that the program hands to the driver, and each error is shown at its line",
    },
    DriverError {
        number: 500,
        names: &["notfound", "symbolnotfound"],
        texts: &["named symbol not found"],
        help: "paste the PTX: the name that the program looks up has to be that of a `.visible .entry`, as mangled by the compiler",
    },
    DriverError {
        number: 700,
        names: &["illegaladdress"],
        texts: &["an illegal memory access was encountered"],
        help: STOPS_AT_ACCESS,
    },
    DriverError {
        number: 701,
        names: &["launchoutofresources"],
        texts: &["too many resources requested for launch"],
        help: FEWER_RESOURCES,
    },
    DriverError {
        number: 702,
        names: &["launchtimeout"],
        texts: &["the launch timed out and was terminated"],
        help: "paste the PTX of the kernel with its launch: a run that does not end names the loop or barrier",
    },
    DriverError {
        number: 710,
        names: &["assert"],
        texts: &["device-side assert triggered"],
        help: "paste the PTX of the kernel with its launch: a run stops at the assertion",
    },
    DriverError {
        number: 714,
        names: &["hardwarestackerror"],
        texts: &["hardware stack error"],
        help: STOPS_AT_INSTRUCTION,
    },
    DriverError {
        number: 715,
        names: &["illegalinstruction"],
        texts: &["an illegal instruction was encountered"],
        help: STOPS_AT_INSTRUCTION,
    },
    DriverError {
        number: 716,
        names: &["misalignedaddress"],
        texts: &["misaligned address"],
        help: STOPS_AT_ACCESS,
    },
    DriverError {
        number: 717,
        names: &["invalidaddressspace"],
        texts: &["operation not supported on global/shared address space"],
        help: STOPS_AT_ACCESS,
    },
    DriverError {
        number: 718,
        names: &["invalidpc"],
        texts: &["invalid program counter"],
        help: STOPS_AT_INSTRUCTION,
    },
    DriverError {
        number: 719,
        names: &["launchfailed", "launchfailure"],
        texts: &["unspecified launch failure"],
        help: "paste the PTX of the kernel with its launch: a run stops at the instruction that faults",
    },
    DriverError {
        number: 720,
        names: &["cooperativelaunchtoolarge"],
        texts: &["too many blocks in cooperative launch"],
        help: FEWER_RESOURCES,
    },
];

/// Returns what a line reports; `None` for all other lines. `may_be_ptx` excludes names that symbols of a module may contain.
pub(super) fn of_line(line: &str, may_be_ptx: bool) -> Option<Report> {
    if line.starts_with("//") {
        return None;
    }
    let report = |kind: &str, help| Report {
        kind: kind.to_owned(),
        help,
    };
    if let Some((_, tool, help)) = TOOLS.iter().find(|(words, ..)| has(line, words)) {
        return Some(report(tool, help));
    }
    if is_compiler_diagnostic(line) {
        return Some(report(
            "messages of a C++ compiler",
            "paste the PTX that it writes with `nvcc -ptx`",
        ));
    }
    driver_error(line, may_be_ptx)
}

/// Whether a line has this text outside of strings.
fn has(line: &str, text: &str) -> bool {
    let before = line.find(text).map(|at| &line[..at]);
    before.is_some_and(|before| before.matches('"').count().is_multiple_of(2))
}

fn driver_error(line: &str, may_be_ptx: bool) -> Option<Report> {
    let says = |error: &&DriverError| error.texts.iter().any(|text| has(line, text));
    let mut known = DRIVER_ERRORS.iter().find(says);
    if known.is_none() && !may_be_ptx {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = line.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        let mut names = words.clone().filter_map(error_name);
        let name = names.next_back();
        known = DRIVER_ERRORS.iter().find(|error| {
            name.as_ref()
                .is_some_and(|name| error.names.contains(&name.as_str()))
        });
        let lower = line.to_ascii_lowercase();
        let speaks_of_error = lower.contains("cuda") && lower.contains("error");
        if known.is_none() && speaks_of_error {
            let numbers = words.filter_map(|word| word.parse::<u32>().ok());
            let numbers: Vec<u32> = numbers.collect();
            known = DRIVER_ERRORS
                .iter()
                .find(|error| numbers.contains(&error.number));
        }
        let is_unknown_error = name.is_some() || lower.starts_with("cuda error");
        if known.is_none() && is_unknown_error {
            return Some(Report {
                kind: "an error of the CUDA driver".to_owned(),
                help: "paste the PTX or machine code of the kernel, with its launch",
            });
        }
    }
    known.map(|error| Report {
        kind: format!("a driver error ({})", error.number),
        help: error.help,
    })
}

/// Returns the name of an error, without its prefix, underscores and case: `CUDA_ERROR_INVALID_PTX`, `cudaErrorInvalidPtx`.
fn error_name(word: &str) -> Option<String> {
    let rest = word
        .strip_prefix("CUDA_ERROR_")
        .or_else(|| word.strip_prefix("cudaError"))?;
    let is_name = rest.starts_with(|c: char| c.is_ascii_uppercase());
    is_name.then(|| rest.replace('_', "").to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_a_tool_is_named() {
        for (line, kind) in [
            (
                "CUDA error 218: CUDA_ERROR_INVALID_PTX",
                "a driver error (218)",
            ),
            (
                "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)",
                "a driver error (222)",
            ),
            ("CUDA error 222", "a driver error (222)"),
            (
                "RuntimeError: CUDA driver error: 715",
                "a driver error (715)",
            ),
            ("cudaErrorInvalidPtx", "a driver error (218)"),
            (
                "GPUassert: misaligned address k.cu 12",
                "a driver error (716)",
            ),
            ("CUDA error: out of memory", "an error of the CUDA driver"),
            ("CUDA_ERROR_OUT_OF_MEMORY", "an error of the CUDA driver"),
            (
                "kernel.cu(12): warning #177-D: variable \"x\" was declared but never referenced",
                "messages of a C++ compiler",
            ),
            (
                "k.cu:4:7: error: use of undeclared identifier 'y'",
                "messages of a C++ compiler",
            ),
            (
                "nvcc fatal   : Unsupported gpu architecture 'compute_20'",
                "messages of the `nvcc` driver",
            ),
            (
                "Thread 1 \"a.out\" received signal CUDA_EXCEPTION_14, Warp Illegal Address.",
                "a report of `cuda-gdb`",
            ),
            ("(cuda-gdb) info cuda lanes", "a report of `cuda-gdb`"),
            (
                "[Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (0,0,0)]",
                "a report of `cuda-gdb`",
            ),
        ] {
            let found = of_line(line, false).map(|report| report.kind);
            assert_eq!(found.as_deref(), Some(kind), "{line}");
        }
        for line in [
            "// CUDA error 218",
            "mov.u32 %r1, 218;",
            ".file 1 \"CUDA Exception\"",
            "call cudaErrorInvalidPtx;",
            "bra $L__BB0_218;",
        ] {
            assert!(of_line(line, true).is_none(), "{line}");
        }
    }
}
