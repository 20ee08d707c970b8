//! Generates random kernels. A kernel loads registers, executes the statements of its body, and stores the registers. The checker accepts
//! each generated kernel.

use crate::assemble::AssemblyOptions;
use crate::body;
use crate::constructs;
use crate::excluded::KnownMiscompiles;
use crate::inputs;
use crate::launch::{self, EXTRA_BYTES, Shape};
use crate::random::SplitMix64;
use crate::run::refused_lines;
use std::fmt::Write as _;
use warpgrid_isa::Target;

/// Number of threads of a launch. The threads form two warps, in one block or in two blocks.
pub(crate) const N_LANES: usize = 64;
/// Number of input bytes per lane.
pub(crate) const IN_BYTES: usize = 128;
/// Number of output bytes per lane. The output consists of the registers, followed by the memory that stores and atomics access.
pub(crate) const OUT_BYTES: usize = 256;
/// Byte offset, within the output of a lane, of the memory that stores and atomics access.
pub(crate) const OWN_START: usize = 128;

/// Number of registers by width: `%r0` to `%r7` for 32 bits, and so on.
pub(crate) const N_WORDS: usize = 8;
pub(crate) const N_LONGS: usize = 4;
pub(crate) const N_HALVES: usize = 4;
pub(crate) const N_PREDICATES: usize = 4;

/// Maximum number of rounds in which the generator replaces rejected lines.
const ROUNDS: usize = 12;

/// Randomly generated kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    /// Lines of the kernel body. Each line consists of complete statements.
    pub lines: Vec<String>,
    /// Seed from which the input values are generated.
    pub input_seed: u64,
    pub shape: Shape,
}

impl Kernel {
    /// Generates a kernel that the checker accepts for a target.
    pub fn random(
        name: &str,
        build: &AssemblyOptions,
        known: KnownMiscompiles,
        random: &mut SplitMix64,
    ) -> Kernel {
        let input_seed = random.next_u64();
        let target = Target::from_name(&build.target);
        let shape = Shape::random(target, random);
        let mut lines = body::random(target, known, &shape, random);
        // The assembler promotes the array `lo` in local memory to registers, and treats a pointer from `alloca` as a pointer into this
        // array. For `alloca.u64 %w, %w; st.local.b32 [%w], %r2; ld.local.b32 %r4, [%w]` in a kernel with `lo`, the assembler stores to
        // `lo` if `%w` equals an offset in `lo` (13.5.37, -O3).
        let is_excluded = known == KnownMiscompiles::Excluded;
        if is_excluded && lines.iter().any(|line| line.text.contains("alloca")) {
            lines.retain(|line| !uses_local_array(&line.text));
        }
        let mut kernel = Kernel {
            name: name.to_owned(),
            lines: Vec::new(),
            input_seed,
            shape,
        };
        for round in 0..ROUNDS {
            kernel.lines = lines.iter().map(|line| line.text.clone()).collect();
            let (text, first) = kernel.text(build);
            let refused = refused_lines(&text);
            let mut refused: Vec<usize> = refused
                .into_iter()
                .filter_map(|line| (line as usize).checked_sub(first))
                .collect();
            refused.sort_unstable();
            refused.dedup();
            if refused.is_empty() {
                return kernel;
            }
            for index in refused.into_iter().rev() {
                if round + 1 < ROUNDS && lines[index].is_operation {
                    lines[index].text = body::operation(target, known, random);
                } else {
                    lines.remove(index);
                }
            }
        }
        // The remaining lines refer to removed lines. For example, the checker rejects a branch whose label has been removed.
        kernel.lines.clear();
        kernel
    }

    /// Returns the name of the kernel with the given number in a batch.
    pub(crate) fn name_of(number: usize) -> String {
        format!("k{number}")
    }

    /// Returns the number of the kernel in its batch.
    pub fn number(&self) -> usize {
        let number = self.name.strip_prefix('k');
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Returns a module that contains only this kernel.
    pub fn module(&self, build: &AssemblyOptions) -> String {
        self.text(build).0
    }

    /// Returns a module for a launch of one thread that contains only this kernel. The module contains no code and no declarations that the
    /// body does not use.
    pub(crate) fn compact_module(&self, build: &AssemblyOptions) -> String {
        let mut text = module_directives(build);
        if self.lines.iter().any(|line| line.contains("dyn")) {
            text.push_str(DYNAMIC_SHARED_DECLARATION);
        }
        if self.lines.iter().any(|line| line.contains("cc")) {
            text.push_str(body::constants());
        }
        self.write(&mut text, Frame::Compact);
        text
    }

    /// Returns the module source and the number of the first line of the kernel body.
    fn text(&self, build: &AssemblyOptions) -> (String, usize) {
        let mut text = header(build);
        let first = self.write(&mut text, Frame::Complete);
        (text, first)
    }

    /// Returns the `//@` annotations that launch the kernel.
    pub fn annotations(&self) -> String {
        let values = inputs::values(self.input_seed);
        self.annotations_of(&self.shape, &values, N_LANES)
    }

    /// Returns the `//@` annotations that launch the kernel with one thread, which has the inputs of the given lane.
    pub(crate) fn annotations_of_lane(&self, lane: usize) -> String {
        let n_values = IN_BYTES / 8;
        let values = inputs::values(self.input_seed);
        let own = values.chunks(n_values).nth(lane).unwrap_or(&[]);
        self.annotations_of(&Shape::SINGLE_THREAD, own, 1)
    }

    fn annotations_of(&self, shape: &Shape, values: &[u64], n_lanes: usize) -> String {
        let mut text = format!("{} entry={}\n", shape.annotation(), self.name);
        let list: Vec<String> = values.iter().map(|bits| format!("{bits:#x}")).collect();
        let _ = writeln!(
            text,
            "//@ buffer in: u64[{}] = {}",
            values.len(),
            list.join(", ")
        );
        let _ = writeln!(text, "//@ buffer out: u64[{}] = 0", n_lanes * OUT_BYTES / 8);
        let (number, words) = launch::parameters(self.input_seed);
        let _ = writeln!(text, "//@ scalar number: u32 = {number:#x}");
        // A kernel that does not read the structure has the same results with zeros.
        let reads_structure = self.lines.iter().any(|line| line.contains("extra"));
        let n_words = if reads_structure { words.len() } else { 0 };
        for (index, word) in words.iter().enumerate().take(n_words) {
            let _ = writeln!(text, "//@ scalar extra+{}: u64 = {word:#x}", 8 * index);
        }
        text
    }

    /// Writes the kernel and its declarations, and returns the 1-based number of the first line of the kernel body.
    fn write(&self, text: &mut String, frame: Frame) -> usize {
        let name = &self.name;
        let body = self.lines.join("\n");
        let is_used = |part: &str| frame == Frame::Complete || body.contains(part);
        if is_used("KERNEL") {
            text.push_str(&body::functions(name));
        }
        let threads = self.shape.block_threads();
        let local = match self.lines.iter().any(|line| uses_local_array(line)) {
            true => ".local .align 16 .b8 lo[64];\n",
            false => "",
        };
        let cluster = self.shape.cluster;
        let cluster = cluster.map_or(String::new(), |n| format!(".reqnctapercluster {n}, 1, 1\n"));
        let _ = write!(
            text,
            ".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u32 number, .param .align 16 .b8 extra[{EXTRA_BYTES}])\n{cluster}{{\n\
             .reg .b16 %h<{N_HALVES}>;\n.reg .b32 %r<{N_WORDS}>, %s, %n, %c<4>, %t<4>;\n.reg .b64 %d<{N_LONGS}>, %i, %o, %w, %l;\n\
             .reg .pred %p<{N_PREDICATES}>, %q;\n{}\
             .shared .align 16 .b8 sh[{}];\n{local}\
             ld.param.u64 %i, [in];\nld.param.u64 %o, [out];\n\
             cvta.to.global.u64 %i, %i;\ncvta.to.global.u64 %o, %o;\n",
            constructs::body_declarations(),
            body::SHARED_BYTES
        );
        let uses_shared = is_used("%s") || is_used("[sh") || is_used(" sh");
        match frame {
            Frame::Complete => {
                write_linear(text, "%n", "tid", "ntid");
                write_linear(text, "%c0", "ctaid", "nctaid");
                let _ = write!(
                    text,
                    "mad.lo.u32 %c0, %c0, {threads}, %n;\nmul.wide.u32 %w, %c0, {IN_BYTES};\nadd.u64 %i, %i, %w;\n\
                     mul.wide.u32 %w, %c0, {OUT_BYTES};\nadd.u64 %o, %o, %w;\n"
                );
            }
            Frame::Compact if uses_shared || is_used("%n") => text.push_str("mov.u32 %n, 0;\n"),
            Frame::Compact => {}
        }
        if uses_shared {
            text.push_str("mov.u32 %t0, sh;\nmad.lo.u32 %s, %n, 64, %t0;\n");
            match frame {
                Frame::Complete => write_shared_zeros(text, threads),
                Frame::Compact => write_shared_zeros_of_thread(text),
            }
        }
        for i in (0..N_WORDS).filter(|i| is_used(&format!("%r{i}"))) {
            let _ = writeln!(text, "ld.global.b32 %r{i}, [%i+{}];", i * 4);
        }
        for i in (0..N_LONGS).filter(|i| is_used(&format!("%d{i}"))) {
            let _ = writeln!(text, "ld.global.b64 %d{i}, [%i+{}];", 32 + i * 8);
        }
        for i in (0..N_HALVES).filter(|i| is_used(&format!("%h{i}"))) {
            let _ = writeln!(text, "ld.global.b16 %h{i}, [%i+{}];", 64 + i * 2);
        }
        for i in (0..N_PREDICATES).filter(|i| is_used(&format!("%p{i}"))) {
            let _ = writeln!(
                text,
                "ld.global.b32 %t0, [%i+{}];\nsetp.lt.s32 %p{i}, %t0, 0;",
                72 + i * 4
            );
        }
        // Local memory is uninitialized at the start of a kernel.
        if !local.is_empty() {
            text.push_str("mov.b32 %t0, 0;\n");
            for at in [0, 16, 32, 48] {
                let _ = writeln!(text, "st.local.v4.b32 [lo+{at}], {{%t0, %t0, %t0, %t0}};");
            }
        }
        let first = text.matches('\n').count() + 1;
        for line in &self.lines {
            text.push_str(&line.replace("KERNEL", name));
            text.push('\n');
        }
        for place in PLACES {
            let ResultSlot { start, kind, n, .. } = *place;
            for i in (0..n).filter(|i| is_used(&format!("{}{i}", kind.prefix()))) {
                let at = start + i * kind.width();
                let _ = match kind {
                    RegisterKind::Word => writeln!(text, "st.global.b32 [%o+{at}], %r{i};"),
                    RegisterKind::Long => writeln!(text, "st.global.b64 [%o+{at}], %d{i};"),
                    RegisterKind::Half => writeln!(text, "st.global.b16 [%o+{at}], %h{i};"),
                    RegisterKind::Predicate => writeln!(
                        text,
                        "selp.b32 %t0, 1, 0, %p{i};\nst.global.b32 [%o+{at}], %t0;"
                    ),
                };
            }
        }
        text.push_str("ret;\n}\n");
        first
    }
}

/// Checks whether statements access the array in local memory.
fn uses_local_array(line: &str) -> bool {
    line.contains("[lo") || line.contains(", lo;")
}

/// Writes code that computes the linear index of a thread in its block, or the linear index of a block in the grid.
fn write_linear(text: &mut String, to: &str, index: &str, extent: &str) {
    let _ = write!(
        text,
        "mov.u32 {to}, %{index}.z;\nmov.u32 %t0, %{extent}.y;\nmov.u32 %t1, %{index}.y;\nmad.lo.u32 {to}, {to}, %t0, %t1;\n\
         mov.u32 %t0, %{extent}.x;\nmov.u32 %t1, %{index}.x;\nmad.lo.u32 {to}, {to}, %t0, %t1;\n"
    );
}

/// Writes code that zeroes shared memory, which is uninitialized at the start of a kernel. In each iteration, every thread of the block
/// stores 16 bytes.
fn write_shared_zeros(text: &mut String, threads: usize) {
    let step = threads * 16;
    text.push_str("mad.lo.u32 %t1, %n, 16, %t0;\nmov.b32 %t2, 0;\n");
    for at in (0..body::SHARED_BYTES).step_by(step) {
        let n_lanes = (body::SHARED_BYTES - at).div_ceil(16).min(threads);
        let _ = write!(
            text,
            "setp.lt.u32 %q, %n, {n_lanes};\n@%q st.shared.v4.b32 [%t1+{at}], {{%t2, %t2, %t2, %t2}};\n"
        );
    }
    text.push_str("bar.sync 0;\n");
}

/// Writes a loop in which a single thread zeroes shared memory.
fn write_shared_zeros_of_thread(text: &mut String) {
    let _ = write!(
        text,
        "add.u32 %t1, %t0, {};\nmov.b32 %t2, 0;\nZEROS:\nsub.u32 %t1, %t1, 16;\n\
         st.shared.v4.b32 [%t1], {{%t2, %t2, %t2, %t2}};\nsetp.gt.u32 %q, %t1, %t0;\n@%q bra ZEROS;\n",
        body::SHARED_BYTES.next_multiple_of(16)
    );
}

/// Returns a module of several kernels, and the first line number of each kernel.
pub fn module_of(kernels: &[Kernel], build: &AssemblyOptions) -> (String, Vec<usize>) {
    let mut text = header(build);
    let mut starts = Vec::new();
    for kernel in kernels {
        starts.push(text.matches('\n').count() + 1);
        kernel.write(&mut text, Frame::Complete);
    }
    (text, starts)
}

fn header(build: &AssemblyOptions) -> String {
    module_directives(build) + DYNAMIC_SHARED_DECLARATION + body::constants()
}

const DYNAMIC_SHARED_DECLARATION: &str = ".extern .shared .align 16 .b8 dyn[];\n";

fn module_directives(build: &AssemblyOptions) -> String {
    format!(
        ".version {}\n.target {}\n.address_size 64\n",
        build.ptx_version, build.target
    )
}

/// Code of a kernel around its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// The kernel loads all registers for the lane, and stores all registers.
    Complete,
    /// The kernel loads and stores only the registers that the body uses, and has one thread.
    Compact,
}

/// Class of registers in the results of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegisterKind {
    Word,
    Long,
    Half,
    Predicate,
}

impl RegisterKind {
    fn width(self) -> usize {
        match self {
            RegisterKind::Word | RegisterKind::Predicate => 4,
            RegisterKind::Long => 8,
            RegisterKind::Half => 2,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            RegisterKind::Word => "%r",
            RegisterKind::Long => "%d",
            RegisterKind::Half => "%h",
            RegisterKind::Predicate => "%p",
        }
    }
}

/// Location of the registers of one class within the results of a lane.
#[derive(Clone, Copy, Debug)]
struct ResultSlot {
    start: usize,
    kind: RegisterKind,
    n: usize,
}

const PLACES: &[ResultSlot] = &[
    ResultSlot {
        start: 0,
        kind: RegisterKind::Word,
        n: N_WORDS,
    },
    ResultSlot {
        start: 32,
        kind: RegisterKind::Long,
        n: N_LONGS,
    },
    ResultSlot {
        start: 64,
        kind: RegisterKind::Half,
        n: N_HALVES,
    },
    ResultSlot {
        start: 72,
        kind: RegisterKind::Predicate,
        n: N_PREDICATES,
    },
];

/// Returns the register or memory word that contains a result byte of a lane, as the name, the start offset and the width of this word.
pub(crate) fn place_name(byte: usize) -> (String, usize, usize) {
    for place in PLACES {
        let width = place.kind.width();
        let index = byte.wrapping_sub(place.start) / width;
        if byte >= place.start && index < place.n {
            let name = format!("{}{index}", place.kind.prefix());
            return (name, place.start + index * width, width);
        }
    }
    (format!("[%o+{}]", byte & !3), byte & !3, 4)
}
