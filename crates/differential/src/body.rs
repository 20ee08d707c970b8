//! Generates the body of a random kernel for a target. The body contains instructions, branches, loops, branch tables, memory accesses in
//! all state spaces, and communication between lanes.

use crate::constructs;
use crate::excluded::KnownMiscompiles;
use crate::instruction::{self, predicate};
use crate::kernel::{N_HALVES, N_LANES, N_LONGS, N_WORDS, OWN_START};
use crate::launch::Shape;
use crate::random::SplitMix64;
use std::fmt::Write as _;
use warpgrid_isa::{Feature, Target};

/// Line of a kernel body, which consists of complete statements.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Whether the line is a single instruction of the tables, which another instruction can replace.
    pub(crate) is_operation: bool,
}

/// Maximum nesting depth of branches and loops.
const MAX_DEPTH: usize = 2;

/// Generates the lines of a body.
pub(crate) fn random(
    target: Option<&Target>,
    known: KnownMiscompiles,
    shape: &Shape,
    random: &mut SplitMix64,
) -> Vec<Line> {
    let mut body = Body {
        target,
        known,
        shape,
        random,
        lines: Vec::new(),
        n_labels: 0,
    };
    let n = 5 + body.random.below(14);
    body.block(0, n);
    body.lines
}

/// Generates one instruction of the tables, occasionally with a guard.
pub(crate) fn operation(
    target: Option<&Target>,
    known: KnownMiscompiles,
    random: &mut SplitMix64,
) -> String {
    let (text, takes_guard) = instruction::random(target, known, random);
    match random.below(7) {
        0 if takes_guard => format!("@{} {text}", condition(random)),
        _ => text,
    }
}

/// Returns the `.const` declarations that every module contains.
pub(crate) fn constants() -> &'static str {
    ".const .align 8 .b32 cc[16] = {0, 1, 0xffffffff, 0x3f800000, 0x80000000, 7, 0x12345678, 0x40003c00, 31, 100, \
     0x7fffffff, 5, 0xbf000000, 64, 0x00ff00ff, 2};\n"
}

/// Returns the functions that a kernel calls, and the variables of the kernel.
pub(crate) fn functions(kernel: &str) -> String {
    let own = format!(
        ".func (.param .b32 d) {kernel}_f(.param .b32 a, .param .b64 b)\n{{\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\n.reg .pred %p<1>;\n\
         ld.param.b32 %r0, [a];\nld.param.b64 %d0, [b];\ncvt.u32.u64 %r1, %d0;\nmad.lo.u32 %r2, %r0, 5, %r1;\n\
         setp.gt.s32 %p0, %r0, %r1;\n@%p0 bra L;\nxor.b32 %r2, %r2, %r0;\nL:\nst.param.b32 [d], %r2;\nret;\n}}\n"
    );
    own + &constructs::DECLARATIONS.replace("KERNEL", kernel)
}

fn condition(random: &mut SplitMix64) -> String {
    let not = if random.below(2) == 0 { "!" } else { "" };
    format!("{not}{}", predicate(random))
}

struct Body<'a> {
    target: Option<&'a Target>,
    known: KnownMiscompiles,
    shape: &'a Shape,
    random: &'a mut SplitMix64,
    lines: Vec<Line>,
    n_labels: usize,
}

impl Body<'_> {
    fn push(&mut self, text: String) {
        self.lines.push(Line {
            text,
            is_operation: false,
        });
    }

    fn label(&mut self) -> String {
        self.n_labels += 1;
        format!("L{}", self.n_labels)
    }

    fn word(&mut self) -> String {
        format!("%r{}", self.random.below(N_WORDS))
    }

    fn long(&mut self) -> String {
        format!("%d{}", self.random.below(N_LONGS))
    }

    fn half(&mut self) -> String {
        format!("%h{}", self.random.below(N_HALVES))
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        self.random.pick(words).copied().unwrap_or("")
    }

    fn block(&mut self, depth: usize, n: usize) {
        for _ in 0..n {
            match self.random.below(40) {
                0 | 1 if depth < MAX_DEPTH => self.choice(depth),
                2 if depth < MAX_DEPTH => self.repetition(depth),
                3 if depth < MAX_DEPTH => self.table(depth),
                4..=7 => self.memory(),
                8 => self.carry(),
                9 => self.atomic(),
                10 if depth == 0 => self.exchange(),
                11 | 12 if depth == 0 => {
                    let text = instruction::collective(self.random);
                    self.push(text);
                }
                13 if depth == 0 => self.copy(),
                14 => self.call(),
                15..=19 => self.construct(depth),
                _ => {
                    let text = operation(self.target, self.known, self.random);
                    self.lines.push(Line {
                        text,
                        is_operation: true,
                    });
                }
            }
        }
    }

    fn construct(&mut self, depth: usize) {
        let label = self.label();
        let text = constructs::statements(self.shape, depth, &label, self.random);
        self.push(text);
    }

    fn some(&mut self) -> usize {
        1 + self.random.below(4)
    }

    /// Adds a branch, occasionally with an `else` block.
    fn choice(&mut self, depth: usize) {
        let (other, end) = (self.label(), self.label());
        let condition = condition(self.random);
        self.push(format!("@{condition} bra {other};"));
        let n = self.some();
        self.block(depth + 1, n);
        if self.random.below(2) == 0 {
            self.push(format!("bra {end};\n{other}:").replace('\n', " "));
            let n = self.some();
            self.block(depth + 1, n);
            self.push(format!("{end}:"));
        } else {
            self.push(format!("{other}:"));
        }
    }

    /// Adds a loop with one to four iterations. The number of iterations may differ between lanes.
    fn repetition(&mut self, depth: usize) {
        let start = self.label();
        let counter = format!("%c{}", depth + 1);
        let count = match self.random.below(2) {
            0 => format!("mov.b32 {counter}, {};", self.some()),
            _ => format!("and.b32 {counter}, {}, 3;", self.word()),
        };
        self.push(format!("{count} {start}:"));
        let n = self.some();
        self.block(depth + 1, n);
        self.push(format!(
            "sub.s32 {counter}, {counter}, 1; setp.gt.s32 %q, {counter}, 0; @%q bra {start};"
        ));
    }

    /// Adds a branch through a branch table.
    fn table(&mut self, depth: usize) {
        let n = 3 + self.random.below(4);
        let end = self.label();
        let labels: Vec<String> = (0..n).map(|_| self.label()).collect();
        let index = self.word();
        self.push(format!(
            "rem.u32 %t0, {index}, {n}; {end}t: .branchtargets {}; brx.idx %t0, {end}t;",
            labels.join(", ")
        ));
        for label in labels {
            self.push(format!("{label}:"));
            let n = 1 + self.random.below(2);
            self.block(depth + 1, n);
            if self.random.below(4) > 0 {
                self.push(format!("bra {end};"));
            }
        }
        self.push(format!("{end}:"));
    }

    /// Adds a load from or a store to the private memory of the lane.
    fn memory(&mut self) {
        let spaces = [
            ("global", "%i", 0, 128),
            ("global", "%o", OWN_START, 128),
            ("global", "%o", OWN_START, 128),
            ("shared", "%s", 0, 64),
            ("local", "lo", 0, 64),
            ("const", "cc", 0, 64),
        ];
        let (space, base, start, size) = *self.random.pick(&spaces).unwrap_or(&spaces[0]);
        let is_read_only = base == "%i" || space == "const";
        let has_wide = self
            .target
            .is_some_and(|target| target.has(Feature::Vector256));
        let most = if has_wide && space == "global" {
            32
        } else {
            16
        };
        let (ty, bytes, register): (_, usize, fn(&mut Self) -> String) = match self.random.below(10)
        {
            0 => ("u8", 1, Self::word),
            1 => ("s8", 1, Self::word),
            2 => ("s16", 2, Self::word),
            3 => ("u16", 2, Self::half),
            4 | 5 => ("b64", 8, Self::long),
            6 => ("f32", 4, Self::word),
            _ => ("b32", 4, Self::word),
        };
        let counts: &[usize] = match bytes {
            4 | 8 => &[1, 2, 4, 8],
            _ => &[1, 1, 2, 4],
        };
        let n = *self.random.pick(counts).unwrap_or(&1);
        let (n, width) = match n * bytes <= most && (n < 8 || bytes == 4) {
            true => (n, n * bytes),
            false => (1, bytes),
        };
        // Vectors of eight elements and vectors of four 64-bit elements have a size of 256 bits.
        let vector = match n {
            1 => String::new(),
            n => format!(".v{n}"),
        };
        let is_store = !is_read_only && self.random.below(2) == 0;
        let at = start + self.random.below(size / width) * width;
        // The buffers `in` and `out` and the part of each lane in these buffers are aligned for 256-bit accesses.
        let mut registers: Vec<String> = Vec::new();
        while registers.len() < n {
            let next = register(self);
            // The PTX ISA manual does not define the result of a load with a repeated destination register, so that a load uses distinct
            // registers. The kernel declares only four 64-bit registers.
            if is_store || !registers.contains(&next) {
                registers.push(next);
            } else if self.random.below(3) == 0 && width == 32 {
                registers.push("_".to_owned());
            }
        }
        let list = match n {
            1 => registers.concat(),
            _ => format!("{{{}}}", registers.join(", ")),
        };
        let mut text = String::new();
        let is_generic = space == "global" && self.random.below(5) == 0 && width < 32;
        let space = if is_generic { "" } else { space };
        let dot = if is_generic { "" } else { "." };
        let place = match (base, width) {
            // The address is computed from a register.
            ("cc" | "lo", _) if self.random.below(2) == 0 => {
                let index = self.word();
                let mask = (size / width - 1) * width;
                let _ = write!(
                    text,
                    "and.b32 %t0, {index}, {mask}; mov.u32 %t1, {base}; add.u32 %t0, %t0, %t1; "
                );
                "%t0".to_owned()
            }
            _ => format!("{base}+{at}"),
        };
        let guard = match self.random.below(6) {
            0 => format!("@{} ", condition(self.random)),
            _ => String::new(),
        };
        if is_store {
            let hint = match (width, space) {
                (32, _) => self.one_of(&["", ".L2::evict_first", ".L1::no_allocate"]),
                (_, "global") => self.one_of(&["", "", ".cs", ".wt", ".L1::evict_last"]),
                _ => "",
            };
            let ty = match (ty, n) {
                // The assembler converts both registers of `st.v2.u8 {%r3, %r5}` if `%r5` was written as `f32`, but neither register of
                // `{%r5, %r3}` or with `.b8` (13.5.37: `F2IP.U8.F32.TRUNC.NTZ`).
                ("u8" | "s8", 2..) if self.known == KnownMiscompiles::Excluded => "b8",
                ("s16", 2..) if self.known == KnownMiscompiles::Excluded => "b16",
                ("s16", 2..) => "u16",
                ("s8", _) => "u8",
                (ty, _) => ty,
            };
            let _ = write!(
                text,
                "{guard}st{dot}{space}{hint}{vector}.{ty} [{place}], {list};"
            );
        } else {
            let hint = match (base, width, space) {
                ("%i", 1..=16, "global") => self.one_of(&["", ".nc", ".ca", ".cg"]),
                _ => "",
            };
            let _ = write!(
                text,
                "{guard}ld{dot}{space}{hint}{vector}.{ty} {list}, [{place}];"
            );
        }
        self.push(text);
    }

    /// Adds a sum, a difference or a product of two-register operands with carry.
    fn carry(&mut self) {
        let ty = self.one_of(&["u32", "s32", "u64", "s64"]);
        let register = match ty {
            "u32" | "s32" => Self::word,
            _ => Self::long,
        };
        let [a, b, c, d, e, f, g] = [0; 7].map(|_| register(self));
        let text = match self.random.below(3) {
            0 => format!(
                "add.cc.{ty} {a}, {b}, {c}; addc.cc.{ty} {d}, {e}, {f}; addc.{ty} {g}, {a}, 0;"
            ),
            1 => format!(
                "sub.cc.{ty} {a}, {b}, {c}; subc.cc.{ty} {d}, {e}, {f}; subc.{ty} {g}, {a}, 0;"
            ),
            _ => format!(
                "mad.lo.cc.{ty} {a}, {b}, {c}, {d}; madc.hi.cc.{ty} {e}, {f}, {b}, {g}; addc.{ty} {g}, {c}, {e};"
            ),
        };
        self.push(text);
    }

    /// Adds an atomic operation on memory of the lane, or a commutative reduction on memory that many lanes share.
    fn atomic(&mut self) {
        let is_shared = self.random.below(2) == 0;
        let (space, base, own) = match is_shared {
            true => ("shared", "%s", 32),
            false => ("global", "%o", OWN_START),
        };
        let (ty, bytes, register): (_, usize, fn(&mut Self) -> String) = match self.random.below(6)
        {
            0 => ("u64", 8, Self::long),
            1 => ("s64", 8, Self::long),
            2 => ("b64", 8, Self::long),
            3 => ("s32", 4, Self::word),
            4 => ("b32", 4, Self::word),
            _ => ("u32", 4, Self::word),
        };
        let ops: &[&'static str] = match ty {
            "b32" | "b64" => &["and", "or", "xor", "exch", "cas"],
            "u32" => &["add", "min", "max", "inc", "dec"],
            "u64" => &["add", "min", "max"],
            "s64" => &["min", "max"],
            _ => &["add", "min", "max"],
        };
        let op = self.one_of(ops);
        let at = own + self.random.below(32 / bytes) * bytes;
        let [d, a, b] = [0; 3].map(|_| register(self));
        let third = if op == "cas" {
            format!(", {b}")
        } else {
            String::new()
        };
        let text = match self.random.below(6) {
            // The assembler compiles the addition of floats to a compare-and-swap loop or to a single `atom.add`.
            0 => {
                let [d, a] = [self.word(), self.word()];
                let at = own + self.random.below(8) * 4;
                format!("atom.{space}.add.f32 {d}, [{base}+{at}], {a};")
            }
            1 => {
                let [d, a] = [self.long(), self.long()];
                let at = own + self.random.below(4) * 8;
                format!("atom.{space}.add.f64 {d}, [{base}+{at}], {a};")
            }
            2 if op != "cas" && op != "exch" => {
                format!("red.{space}.{op}.{ty} [{base}+{at}], {a};")
            }
            3 if is_shared => match place_of_all(op, ty) {
                Some(at) => format!("red.shared.{op}.{ty} [sh+{at}], {a};"),
                None => format!("atom.{space}.{op}.{ty} {d}, [{base}+{at}], {a}{third};"),
            },
            _ => format!("atom.{space}.{op}.{ty} {d}, [{base}+{at}], {a}{third};"),
        };
        self.push(text);
    }

    /// Adds an exchange of values between the lanes of both warps through shared memory. Barriers order the accesses.
    fn exchange(&mut self) {
        let (a, d) = (self.word(), self.word());
        let distance = 1 + self.random.below(self.shape.block_threads() - 1);
        let text = format!(
            "bar.sync 0; st.shared.b32 [%s], {a}; bar.sync 0; xor.b32 %t1, %n, {distance}; \
             mov.u32 %t0, sh; mad.lo.u32 %t0, %t1, 64, %t0; ld.shared.b32 {d}, [%t0]; bar.sync 0;"
        );
        let reduced = match self.random.below(4) {
            0 => {
                let (d, p) = (self.word(), predicate(self.random));
                format!(" bar.red.popc.u32 {d}, 0, {p};")
            }
            1 => {
                let [d, p] = [0; 2].map(|_| predicate(self.random));
                let op = self.one_of(&["and", "or"]);
                format!(" bar.red.{op}.pred {d}, 0, {p};")
            }
            2 => {
                let (op, ty) = (self.one_of(SHARED_OPS), self.one_of(SHARED_TYPES));
                let at = place_of_all(op, ty).unwrap_or(OF_ALL_START);
                let d = self.word();
                format!(" ld.shared.b32 {d}, [sh+{at}]; bar.sync 0;")
            }
            _ => String::new(),
        };
        self.push(text + &reduced);
    }

    /// Adds an asynchronous copy to shared memory, followed by a wait for the completion of the copy.
    fn copy(&mut self) {
        if self.target.is_none_or(|target| target.sm < 80) {
            return;
        }
        let size = *self.random.pick(&[4, 8, 16]).unwrap_or(&16);
        let cache = if size == 16 {
            self.one_of(&["ca", "cg"])
        } else {
            "ca"
        };
        let at = 16 * self.random.below(8);
        let n = self.word();
        let rest = match self.random.below(4) {
            0 => format!(", {}", self.random.below(size + 1)),
            1 => ", %t0".to_owned(),
            2 => format!(", {}", predicate(self.random)),
            _ => String::new(),
        };
        let d = self.word();
        let text = format!(
            "and.b32 %t0, {n}, {}; cp.async.{cache}.shared.global [%s+16], [%i+{at}], {size}{rest}; cp.async.commit_group; \
             cp.async.wait_group 0; ld.shared.b32 {d}, [%s+{}];",
            size - 1,
            16 + size - 4
        );
        self.push(text);
    }

    /// Adds a function call.
    fn call(&mut self) {
        let [a, d] = [0; 2].map(|_| self.word());
        let b = self.long();
        self.push(format!(
            "{{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], {a}; st.param.b64 [y], {b}; \
             call (z), KERNEL_f, (x, y); ld.param.b32 {d}, [z]; }}"
        ));
    }
}

/// Reductions that all lanes perform on the same location in shared memory.
const SHARED_OPS: &[&str] = &["add", "min", "max", "and", "or", "xor"];
const SHARED_TYPES: &[&str] = &["u32", "s32", "b32", "u64", "s64", "b64"];

/// Byte offset in shared memory at which the private memory of the lanes ends and the common memory of all lanes starts.
const OF_ALL_START: usize = N_LANES * 64;
/// Size of shared memory in bytes.
pub(crate) const SHARED_BYTES: usize = OF_ALL_START + SHARED_OPS.len() * SHARED_TYPES.len() * 8;

/// Returns the offset of the location of a reduction by all lanes. Each pair of an operation and a type has a separate location, since
/// reductions commute only with equal operations.
fn place_of_all(op: &str, ty: &str) -> Option<usize> {
    let row = SHARED_OPS.iter().position(|name| *name == op)?;
    let column = SHARED_TYPES.iter().position(|name| *name == ty)?;
    Some(OF_ALL_START + (row * SHARED_TYPES.len() + column) * 8)
}
