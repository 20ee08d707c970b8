//! Inputs of the benchmark harness, generated from compiled kernels and listings of the corpus: a large valid module, a module of 10,000
//! lines, a long listing, and the kernels that are run.

use crate::shell::{self, Result};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Minimum size of the large module in bytes.
const LARGE_MODULE_BYTES: usize = 4_000_000;

/// Number of lines of the module that is rechecked after a keystroke.
const LINES: usize = 10_000;

/// Maximum length of an entry name. Entry names from Numba have hundreds of characters and are repeated in the name of each parameter, so
/// that longer names would dominate the measurement.
const MAX_NAME_LEN: usize = 64;

/// Names of the compiled kernels that the benchmarks run.
const KERNELS: [&str; 10] = [
    "saxpy_float4",
    "matmul_tiled",
    "matmul_naive",
    "transpose_naive",
    "reduce_shared",
    "game_of_life",
    "local_array_sort",
    "mandelbrot_fixed_point",
    "axpy_half2",
    "wmma_f16_f32_gemm",
];

/// Kernels outside the corpus that the benchmarks also run. The kernels contain tensor instructions and divergent control flow.
const OWN_KERNELS: [(&str, &str); 5] = [
    ("table_lookup.ptx", include_str!("kernels/table_lookup.ptx")),
    ("two_sides.ptx", include_str!("kernels/two_sides.ptx")),
    (
        "wgmma_gemm.ptx",
        include_str!("kernels/gemm_f16_pipelined.ptx"),
    ),
    (
        "tcgen05_gemm.ptx",
        include_str!("kernels/gemm_tcgen05_f16.ptx"),
    ),
    (
        "tensor_copies.ptx",
        include_str!("kernels/tensor_copies.ptx"),
    ),
];

const HEADER: &str = ".version 9.0\n.target sm_90\n.address_size 64\n\n";

/// Concatenates disassembler listings of the corpus until the text reaches the minimum size.
fn listings() -> Result<String> {
    let folder = shell::root().join("crates/sass/tests/data");
    let entries = fs::read_dir(&folder).map_err(|error| said(&folder, &error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "sass"));
    paths.sort();
    let mut text = String::new();
    for path in paths.iter().cycle().take(paths.len() * LARGE_MODULE_BYTES) {
        if text.len() >= LARGE_MODULE_BYTES {
            break;
        }
        text += &read(path)?;
    }
    Ok(text)
}

/// Writes the input files of the benchmarks and returns their directory.
pub(super) fn write() -> Result<PathBuf> {
    let corpus = shell::root().join("crates/view/tests/corpus");
    let folder = shell::root().join("target/bench");
    let kernels = folder.join("kernels");
    fs::create_dir_all(&kernels).map_err(|error| said(&kernels, &error))?;
    let parts = parts(&corpus)?;
    save(
        &folder.join("large.ptx"),
        &module(&parts, |text| text.len() >= LARGE_MODULE_BYTES),
    )?;
    save(
        &folder.join("lines.ptx"),
        &module(&parts, |text| text.lines().count() >= LINES),
    )?;
    save(&folder.join("large.sass"), &listings()?)?;
    for (number, part) in parts.iter().enumerate() {
        save(
            &folder.join(format!("kernels/{number}.ptx")),
            &format!("{HEADER}{}", part.numbered(number)),
        )?;
    }
    save(&folder.join("corpus.jsonl"), &launches(&corpus)?)?;
    save(&folder.join("sources.jsonl"), &compiled_kernels(&corpus)?)?;
    save(&folder.join("litmus.jsonl"), &litmus_tests()?)?;
    for kernel in KERNELS {
        let text = read(&corpus.join(kernel).join("kernel.ptx"))?;
        save(&folder.join(format!("{kernel}.ptx")), &text)?;
    }
    for (name, text) in OWN_KERNELS {
        save(&folder.join(name), text)?;
    }
    let listings = shell::root().join("crates/view/tests/machine_code");
    for (kernel, listing) in [
        ("saxpy_float4", "kernel.sm_120.cuobjdump.sass"),
        ("matmul_tiled", "kernel.sm_80.nvdisasm.sass"),
    ] {
        let text = read(&listings.join(kernel).join(listing))?;
        save(&folder.join(format!("{kernel}.sass")), &text)?;
    }
    Ok(folder)
}

/// Returns the scenarios of the compiled kernels, with one scenario per line.
fn launches(corpus: &Path) -> Result<String> {
    let entries = fs::read_dir(corpus).map_err(|error| said(corpus, &error))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join("case.json").exists());
    folders.sort();
    let mut text = String::new();
    for folder in folders {
        let file = folder.join("case.json");
        let mut launch: Value = serde_json::from_str(&read(&file)?)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        launch["source"] = json!(read(&folder.join("kernel.ptx"))?);
        text += &format!("{launch}\n");
    }
    Ok(text)
}

/// Returns the scenarios of the compiled kernels, with one scenario per line.
fn compiled_kernels(corpus: &Path) -> Result<String> {
    let mut folders = vec![shell::root().join("crates/view/tests/source_lines")];
    let entries = fs::read_dir(corpus).map_err(|error| said(corpus, &error))?;
    folders.extend(entries.flatten().map(|entry| entry.path()));
    folders.sort();
    let mut text = String::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let entries = fs::read_dir(folder).map_err(|error| said(folder, &error))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "ptx"));
        files.sort();
        let case = folder.join("case.json");
        for file in files {
            let source = read(&file)?;
            let mut launch = match case.exists() {
                true => serde_json::from_str(&read(&case)?)
                    .map_err(|error| format!("{}: {error}", case.display()))?,
                false => json!({}),
            };
            launch["source"] = json!(source);
            text += &format!("{launch}\n");
        }
    }
    Ok(text)
}

/// Returns the litmus tests, with one test per line.
fn litmus_tests() -> Result<String> {
    let file = shell::root().join("crates/order/tests/data/explorer.jsonl.gz");
    let packed = fs::File::open(&file).map_err(|error| said(&file, &error))?;
    let mut text = String::new();
    let read = GzDecoder::new(packed).read_to_string(&mut text);
    read.map_err(|error| said(&file, &error))?;
    Ok(text)
}

/// Kernel source without its header, split after the entry name, which is its only module-scope name.
struct KernelText {
    head: String,
    tail: String,
}

impl KernelText {
    /// Returns the kernel source with a unique entry name.
    fn numbered(&self, number: usize) -> String {
        format!("{}_{number}{}", self.head, self.tail)
    }
}

/// Concatenates copies of the kernels with unique entry names until `enough` returns true for the source.
fn module(parts: &[KernelText], enough: impl Fn(&str) -> bool) -> String {
    let mut text = HEADER.to_string();
    for (number, part) in parts.iter().cycle().take(1_000_000).enumerate() {
        text.push_str(&part.numbered(number));
        text.push('\n');
        if enough(&text) {
            break;
        }
    }
    text
}

/// Returns the kernels that can share one module. Such a kernel has a single entry, no other module-scope names, and no target that is
/// newer than the target of the shared module.
fn parts(corpus: &Path) -> Result<Vec<KernelText>> {
    let mut folders: Vec<PathBuf> = fs::read_dir(corpus)
        .map_err(|error| said(corpus, &error))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    let sources = folders
        .iter()
        .filter_map(|folder| fs::read_to_string(folder.join("kernel.ptx")).ok());
    let parts: Vec<KernelText> = sources.filter_map(|source| part(&source)).collect();
    if parts.is_empty() {
        Err(format!("no kernels in {}", corpus.display()))
    } else {
        Ok(parts)
    }
}

fn part(source: &str) -> Option<KernelText> {
    let outside = |line: &str| {
        line.starts_with(".global") || line.starts_with(".const") || line.contains(".func")
    };
    if source.lines().any(outside) || source.contains(".file") || source.contains(".section") {
        return None;
    }
    let (_, rest) = source.split_once(".entry ")?;
    if rest.contains(".entry ") || newer_than_hopper(source) {
        return None;
    }
    let header = [".version", ".target", ".address_size"];
    let body_lines = source
        .lines()
        .filter(|line| !header.iter().any(|word| line.starts_with(word)));
    let body: String = body_lines.map(|line| format!("{line}\n")).collect();
    let name = body.find(".entry ")? + ".entry ".len();
    let end = name + body[name..].find(['(', '\n', ' '])?;
    if end - name > MAX_NAME_LEN {
        return None;
    }
    Some(KernelText {
        head: body[..end].to_string(),
        tail: body[end..].to_string(),
    })
}

fn newer_than_hopper(source: &str) -> bool {
    let target = source
        .lines()
        .find_map(|line| line.strip_prefix(".target sm_"));
    target
        .and_then(|digits| digits.trim().parse::<u32>().ok())
        .is_none_or(|sm| sm > 90)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| said(file, &error))
}

fn save(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).map_err(|error| said(file, &error))
}

fn said(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
