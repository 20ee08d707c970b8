//! Summary of machine code that requires no disassembler. The summary consists of comment lines with the recorded properties of a cubin. No
//! front end parses these lines as instructions.

use super::cubin::{Cubin, Kernel};
use std::fmt::Write as _;
use warpgrid_program::counted;

/// Maximum number of words of a kernel, and of lines of a constant bank, in a summary.
const MAX_WORDS: usize = 4096;
const MAX_LINES: usize = 512;

/// Returns the summary of a cubin.
pub(super) fn listing(cubin: &Cubin) -> String {
    let mut text = String::new();
    // Ignore the result, because formatting into a `String` cannot fail.
    let _ = writeln!(
        text,
        "// SASS for {} in a cubin with {}.",
        cubin.target,
        counted(cubin.kernels.len(), "kernel")
    );
    let _ = writeln!(
        text,
        "// To run this code, disassemble the file with `cuobjdump -sass FILE` or `nvdisasm -hex FILE`, and paste the output."
    );
    for kernel in &cubin.kernels {
        of_kernel(&mut text, kernel);
    }
    for (bank, bytes) in &cubin.constants {
        let _ = writeln!(text, "//\n// Constant bank {bank}: {} bytes", bytes.len());
        for (line, chunk) in bytes.chunks(16).take(MAX_LINES).enumerate() {
            let words: Vec<String> = chunk.chunks(4).map(word).collect();
            let _ = writeln!(text, "//   {:#06x}  {}", line * 16, words.join(" "));
        }
        cut(&mut text, bytes.len().div_ceil(16), MAX_LINES);
    }
    let _ = writeln!(text, "//\n// Sections");
    for section in &cubin.sections {
        let _ = writeln!(
            text,
            "//   {:>8} bytes  {}",
            section.size_bytes, section.name
        );
    }
    text
}

fn of_kernel(text: &mut String, kernel: &Kernel) {
    let _ = writeln!(text, "//\n// Kernel {}", kernel.name);
    let _ = writeln!(text, "//   {}", facts(kernel).join(", "));
    for parameter in &kernel.parameters {
        let _ = writeln!(
            text,
            "//   parameter {}: {} bytes at {}",
            parameter.ordinal, parameter.size_bytes, parameter.byte_offset
        );
    }
    let _ = writeln!(
        text,
        "//   The following 128-bit instructions start with the low half:"
    );
    for (index, chunk) in kernel.code.chunks(16).take(MAX_WORDS).enumerate() {
        let halves: Vec<String> = chunk.chunks(8).map(half).collect();
        let _ = writeln!(text, "//   {:#06x}  {}", index * 16, halves.join(" "));
    }
    cut(text, kernel.code.len().div_ceil(16), MAX_WORDS);
}

/// Returns the recorded properties of a kernel, with one phrase for each property.
pub(super) fn facts(kernel: &Kernel) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(kernel.registers.map(|n| counted(n, "register")));
    let shared = counted(kernel.shared_bytes, "byte");
    facts.push(format!("{shared} of shared memory"));
    let stack = kernel.stack_bytes.map(|n| counted(n, "byte"));
    facts.extend(stack.map(|stack| format!("{stack} of stack")));
    facts.extend(kernel.barriers.map(|n| counted(n, "barrier")));
    let threads = kernel.max_threads;
    facts.extend(threads.map(|[x, y, z]| format!("at most {x} × {y} × {z} threads per block")));
    let parameters = counted(kernel.parameters.len(), "parameter");
    let bytes = counted(kernel.parameter_bytes(), "byte");
    facts.push(format!("{parameters} ({bytes})"));
    let place = kernel.parameters_at;
    facts.extend(place.map(|at| format!("parameters at {at:#x} in constant bank 0")));
    let code = counted(kernel.code.len(), "byte");
    facts.push(format!("{code} of code"));
    if kernel.n_relocations > 0 {
        facts.push(counted(kernel.n_relocations, "relocation"));
    }
    facts
}

fn cut(text: &mut String, n: usize, most: usize) {
    if n > most {
        let _ = writeln!(text, "//   … and {}", counted(n - most, "more line"));
    }
}

fn word(bytes: &[u8]) -> String {
    let mut padded = [0; 4];
    padded[..bytes.len()].copy_from_slice(bytes);
    format!("{:08x}", u32::from_le_bytes(padded))
}

fn half(bytes: &[u8]) -> String {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    format!("{:016x}", u64::from_le_bytes(padded))
}

impl Kernel {
    /// Returns the recorded properties of the kernel, with one phrase for each property.
    pub fn facts(&self) -> Vec<String> {
        facts(self)
    }
}
