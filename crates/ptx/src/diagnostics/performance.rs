//! Instructions that the assembler ignores, serializes or rejects: codes W0800 to W0899. Except for [`DECREASE_COUNT`], the assembler accepts the
//! module and prints a remark (C7504 to C7519); the predictions agree with those of release 13.5.

use crate::check::performance::registers::REGISTERS;
use crate::diagnostics::diagnostic_codes;
use warpgrid_program::{Diagnostic, Span};

diagnostic_codes! {
    /// `setmaxnreg` changes the number of registers per thread, so `ptxas` must know the register count at kernel entry. `.maxnreg` or
    /// the option `-maxrregcount` specifies this count. `.maxntid` or `.reqntid` together with `.minnctapersm` also determines the
    /// count, if that many threads fit on a multiprocessor. Otherwise `ptxas` ignores every `setmaxnreg` of the kernel (C7508).
    ENTRY_COUNT = "W0800", "`setmaxnreg` without a register count at entry", ".version 8.0\n.target sm_90a\n.entry k() .maxntid 128\n{\nsetmaxnreg.dec.sync.aligned.u32 40;\nret;\n}", ".version 8.0\n.target sm_90a\n.entry k() .maxntid 128 .minnctapersm 1\n{\nsetmaxnreg.dec.sync.aligned.u32 40;\nret;\n}";

    /// The number of registers of a called function is known only if it is compiled together with its callers. If the kernel contains a
    /// call through a register, a recursive call or a call to another module, `ptxas` ignores every `setmaxnreg` of the kernel (C7506,
    /// C7504).
    REGISTERS_OF_CALLEE = "W0801", "`setmaxnreg` in a kernel with a call", ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 f) .maxnreg 128\n{\n.reg .b64 %rd1;\nsetmaxnreg.dec.sync.aligned.u32 40;\nld.param.u64 %rd1, [f];\np: .callprototype _ ();\ncall %rd1, (), p;\nret;\n}", ".version 8.0\n.target sm_90a\n.address_size 64\n.func f() { ret; }\n.entry k() .maxnreg 128\n{\nsetmaxnreg.dec.sync.aligned.u32 40;\ncall f;\nret;\n}";

    /// `setmaxnreg.dec` releases registers, so its count must not exceed the largest register count of the kernel. The largest count is
    /// the count at entry or the count of a `setmaxnreg.inc`. `ptxas` rejects larger counts (C7406).
    DECREASE_COUNT = "W0802", "`setmaxnreg.dec` above the register count of the kernel", ".version 8.0\n.target sm_90a\n.entry k() .maxnreg 128\n{\nsetmaxnreg.dec.sync.aligned.u32 168;\nret;\n}", ".version 8.0\n.target sm_90a\n.entry k() .maxnreg 128\n{\nsetmaxnreg.dec.sync.aligned.u32 40;\nret;\n}";

    /// A `wgmma.mma_async` may write its accumulators at any time until `wgmma.wait_group` completes. If another instruction reads an
    /// accumulator earlier, `ptxas` inserts a wait (C7517) or waits after each `wgmma.mma_async` (C7514).
    ACCUMULATOR_READ = "W0803", "accumulator read before the wait", "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nst.global.f32 [%rd3], %f0;\nwgmma.wait_group.sync.aligned 0;", "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nst.global.f32 [%rd3], %f0;";

    /// An instruction writes an accumulator of a `wgmma.mma_async` before `wgmma.wait_group`, and the value is used after
    /// the wait. `ptxas` then waits after each `wgmma.mma_async` (C7515).
    ACCUMULATOR_WRITTEN = "W0804", "accumulator written before the wait", "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nmov.f32 %f1, 0f00000000;\nwgmma.wait_group.sync.aligned 0;\nst.global.v2.f32 [%rd3], {%f0, %f1};", "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmov.f32 %f1, 0f00000000;\nst.global.v2.f32 [%rd3], {%f0, %f1};";

    /// A `wgmma.mma_async` may read matrix A from registers at any time until `wgmma.wait_group` completes. If an instruction writes one
    /// of these registers earlier, and a later `wgmma.mma_async` or an instruction after the wait uses the value, `ptxas` waits after
    /// each `wgmma.mma_async` (C7513).
    OPERAND_WRITTEN = "W0805", "matrix A written before the wait", "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, %rd2, 1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\nld.global.b32 %r1, [%rd3];\nwgmma.wait_group.sync.aligned 0;\nst.global.b32 [%rd3], %r1;", "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, %rd2, 1, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nld.global.b32 %r1, [%rd3];\nst.global.b32 [%rd3], %r1;";

    /// `ptxas` overlaps `wgmma.mma_async` with other instructions only in kernels without calls. Some calls serialize all
    /// `wgmma.mma_async` instructions of the kernel, regardless of the position of the call (C7509, C7510, C7519). Serializing calls
    /// are calls of `vprintf`, `__assertfail`, `malloc` or `free`, calls through a register, recursive calls, calls of functions of
    /// another module, and calls of functions that contain `wgmma.mma_async`.
    CALL_WITH_PRODUCTS = "W0806", "call in a kernel with `wgmma`", ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k(.param .u64 f)\n{\n.reg .b64 %rd<4>; .reg .f32 %f<4>;\nld.param.u64 %rd3, [f];\np: .callprototype _ ();\ncall %rd3, (), p;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nret;\n}", ".version 8.0\n.target sm_90a\n.address_size 64\n.func f() { ret; }\n.entry k()\n{\n.reg .b64 %rd<4>; .reg .f32 %f<4>;\ncall f;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nret;\n}";

    /// A path through the kernel ends while a `wgmma.mma_async` may be in flight. `ptxas` inserts a wait (C7517).
    MISSING_WAIT = "W0807", "`wgmma.mma_async` without a wait", ".version 8.0\n.target sm_90a\n.entry k()\n{\n.reg .b64 %rd<4>; .reg .f32 %f<4>;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nret;\n}", ".version 8.0\n.target sm_90a\n.entry k()\n{\n.reg .b64 %rd<4>; .reg .f32 %f<4>;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nret;\n}";
}

/// Checks whether the assembler prints a remark, and neither a warning nor an error, if it detects the problem with this code.
pub fn is_remark(code: &str) -> bool {
    code != DECREASE_COUNT && CODES.iter().any(|page| page.code == code)
}

/// Returns the diagnostic for `setmaxnreg` in a kernel whose register count at entry is unknown.
pub(crate) fn entry_count(instruction: Span, kernel: &str) -> Diagnostic {
    let message = format!(
        "`setmaxnreg` is ignored, because the register count at the entry of `{kernel}` is unknown"
    );
    Diagnostic::warning(ENTRY_COUNT, instruction, message).help(
        "add `.maxntid` and `.minnctapersm` (`__launch_bounds__(threads, blocks)`) or `.maxnreg` to the kernel, or pass `-maxrregcount` to `ptxas`",
    )
}

/// Returns the diagnostic for `.minnctapersm` with more threads than a multiprocessor supports.
pub(crate) fn entry_count_of_too_many(
    instruction: Span,
    kernel: &str,
    n_blocks: u32,
    n_threads: u32,
) -> Diagnostic {
    Diagnostic {
        help: Some(format!(
            "reduce `.minnctapersm`, which is ignored because {n_blocks} blocks of {n_threads} threads exceed the capacity of a multiprocessor"
        )),
        ..entry_count(instruction, kernel)
    }
}

/// Returns the diagnostic for `setmaxnreg` in a kernel that calls a function with an unknown register count.
pub(crate) fn registers_of_callee(instruction: Span, call: Span, callee: &str) -> Diagnostic {
    let message = format!(
        "`setmaxnreg` is ignored, because the register count of {callee} is unknown at the call"
    );
    Diagnostic::warning(REGISTERS_OF_CALLEE, instruction, message)
        .label(call, "the call")
        .help("call functions of this module by name, without recursion, or move the call to another kernel")
}

/// Returns the diagnostic for `setmaxnreg.dec` with a count that exceeds the register count of the kernel.
pub(crate) fn decrease_count(count: Span, found: u32, most: u32, kernel: &str) -> Diagnostic {
    let message = format!(
        "found {found} registers, expected at most {most}, which is the maximum register count of `{kernel}`"
    );
    Diagnostic::error(DECREASE_COUNT, count, message).help(
        format!("the register count at entry is specified by `.maxnreg`, or follows from `.maxntid` and `.minnctapersm`, which divide {REGISTERS} registers among all threads of the resident blocks"),
    )
}

/// Returns the diagnostic for an instruction that reads an accumulator of an MMA in flight.
pub(crate) fn accumulator_read(instruction: Span, register: &str) -> Diagnostic {
    let message = format!(
        "`{register}` is read before `wgmma.wait_group` completes the `wgmma.mma_async` that writes the register"
    );
    Diagnostic::warning(ACCUMULATOR_READ, instruction, message).help(
        "move the instruction after the `wgmma.wait_group` for this `wgmma.mma_async`; otherwise `ptxas` inserts a wait here or serializes all `wgmma.mma_async` instructions",
    )
}

/// Returns the diagnostic for an instruction that writes an accumulator of an MMA in flight.
pub(crate) fn accumulator_written(instruction: Span, register: &str) -> Diagnostic {
    let message = format!(
        "`{register}` is written before `wgmma.wait_group` completes the `wgmma.mma_async` that writes the register"
    );
    Diagnostic::warning(ACCUMULATOR_WRITTEN, instruction, message).help(
        "move the instruction before `wgmma.fence` or after the wait; otherwise `ptxas` serializes all `wgmma.mma_async` instructions",
    )
}

/// Returns the diagnostic for an instruction that writes a register of matrix A of an MMA in flight.
pub(crate) fn operand_written(instruction: Span, register: &str) -> Diagnostic {
    let message = format!(
        "`{register}` is written before `wgmma.wait_group` completes the `wgmma.mma_async` that reads the register"
    );
    Diagnostic::warning(OPERAND_WRITTEN, instruction, message).help(
        "load the next matrix A into other registers, or load it after the wait; otherwise `ptxas` serializes all `wgmma.mma_async` instructions",
    )
}

/// Returns the diagnostic for a call in a kernel with MMAs.
pub(crate) fn call_with_products(call: Span, callee: &str, kernel: &str) -> Diagnostic {
    let message =
        format!("the call of {callee} serializes the `wgmma.mma_async` instructions of `{kernel}`");
    Diagnostic::warning(CALL_WITH_PRODUCTS, call, message)
        .help("remove the call (compile with `-DNDEBUG` to remove assertions), inline the function, or move the call to another kernel")
}

/// Returns the diagnostic for the end of a kernel with MMAs in flight.
pub(crate) fn missing_wait(end: Span, function: &str, product: Span) -> Diagnostic {
    let message =
        format!("`{function}` ends before `wgmma.wait_group` completes a `wgmma.mma_async`");
    Diagnostic::warning(MISSING_WAIT, end, message)
        .label(product, "issued here")
        .help("add `wgmma.commit_group.sync.aligned;` and `wgmma.wait_group.sync.aligned 0;` on each path to the end of the function")
}
