//! Suggestions for assembler messages. If possible, a suggestion is based on the instruction tables.

use crate::availability::{gate_of, nearest_target};
use warpgrid_isa::{Target, Version};
use warpgrid_program::container::remark_code;

/// Returns a suggestion for an assembler message.
pub(crate) fn advice(message: &str) -> Option<String> {
    gated(message)
        .or_else(|| version(message))
        .or_else(|| performance(message).map(str::to_owned))
        .or_else(|| registers(message).map(str::to_owned))
        .or_else(|| plain(message).map(str::to_owned))
}

/// Returns the text within the first pair of single quotes.
fn quoted(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once('\'')?;
    rest.split_once('\'').map(|(inside, _)| inside)
}

/// Returns the suggestion for messages about targets, such as `Feature '…' requires .target sm_80 or higher` and
/// `Instruction '…' not supported on .target 'sm_120'`.
fn gated(message: &str) -> Option<String> {
    let is_gate = message.contains("requires .target")
        || message.contains("requires PTX ISA")
        || message.contains("not supported on .target")
        || message.contains("cannot be compiled for architecture");
    if !is_gate {
        return None;
    }
    let name = quoted(message)?;
    let gate = gate_of(name)?;
    let phrase = gate.phrase()?;
    let stated = message.rsplit('\'').nth(1).and_then(Target::from_name);
    let needs = format!("`{name}` is available {phrase}");
    let Some(stated) = stated else {
        return Some(format!("{needs}: raise `.target`, `.version` and `-arch`"));
    };
    let Some(target) = nearest_target(gate, stated, Version::NEWEST) else {
        return Some(format!("{needs}: raise `.version`"));
    };
    let same = target.sm == stated.sm;
    Some(match (same, target.name.ends_with(['a', 'f'])) {
        (true, true) => format!(
            "{needs}: use `.target {}` and `-arch={}`, which restrict the code to this architecture or its family",
            target.name, target.name
        ),
        (true, false) => format!("{needs}; use `.target {}`", target.name),
        (false, _) => format!(
            "{needs}, but not on any variant of `{}`: the nearest supported target is `{}`",
            stated.name, target.name
        ),
    })
}

/// Returns the suggestion for messages about versions, such as `Unsupported .version 9.9; current version is '9.5'`.
fn version(message: &str) -> Option<String> {
    if let Some((_, rest)) = message.split_once("Unsupported .version ") {
        let stated = rest.split(';').next()?.trim();
        let newest = quoted(rest)?;
        return Some(format!(
            "the assembler or driver is older than the compiler of the module: update the assembler or driver, or replace `.version {stated}` with `.version {newest}` if no instruction requires a later version"
        ));
    }
    if message.contains("SM version specified by .target is higher") {
        return Some(
            "pass the target of the module to the assembler, for example `ptxas -arch=sm_90` for `.target sm_90`"
                .to_owned(),
        );
    }
    None
}

/// Causes of serialized `wgmma` instructions. Each entry consists of a part of the assembler remark, and the cause with its remedy.
const WGMMA_CAUSES: &[(&str, &str)] = &[
    (
        "for the wgmma pipeline",
        "the accumulators of the pending `wgmma` instructions exceed the register limit: reduce the tile, distribute the tile over two warpgroups, wait earlier, or raise the limit with `setmaxnreg`, fewer threads or fewer blocks",
    ),
    (
        "insufficient register resources",
        "the accumulators and other live registers exceed the register limit: reduce the tile, distribute the tile over two warpgroups, or raise the limit with `setmaxnreg`, fewer threads or fewer blocks",
    ),
    (
        "live ranges",
        "a sequence of `wgmma` instructions has too many live accumulators: reduce the tile, or wait between the instructions",
    ),
    (
        "non wgmma instructions defining accumulator registers",
        "an instruction writes an accumulator between `wgmma.fence` and `wgmma.wait_group`: move the write before the fence, or use `scale-d` = false in the first `wgmma`, which then overwrites the accumulator",
    ),
    (
        "non wgmma instructions defining input registers",
        "an instruction writes a register of matrix A before `wgmma.wait_group` completes the `wgmma`: load the next matrix A into other registers, or after the wait",
    ),
    (
        "reading accumulator registers",
        "an instruction reads an accumulator before `wgmma.wait_group` completes the `wgmma`: move the instruction after the wait, and lower the count of the wait if the `wgmma` is in a later group",
    ),
    (
        "WG.DP",
        "the assembler inserted a wait on a path that only some warps take: move `wgmma.wait_group` before the branch, or add `wgmma.wait_group` to each path",
    ),
    (
        "WG.AR",
        "the assembler inserted a fence on a path that only some warps take, or at a call: add `wgmma.fence` before the first `wgmma` of this path, without a call in between",
    ),
    (
        "compiler-inserted",
        "the assembler inserted a fence or a wait on a path that only some warps take: add `wgmma.fence` and `wgmma.wait_group` to each path",
    ),
    (
        "wait_group is injected",
        "accumulators are used, or the kernel ends, before `wgmma.wait_group` completes the `wgmma`: add the wait before this line, or lower the count of the wait",
    ),
    (
        "warpgroup.wait is injected",
        "accumulators are used, or the kernel ends, before `wgmma.wait_group` (`warpgroup_wait`) completes the `wgmma`: add the wait before this line, or lower the count of the wait",
    ),
    (
        "warpgroup.arrive is injected",
        "add a `wgmma.fence` (`warpgroup_arrive`) before the `wgmma`, after the last write to its registers. The fence that the assembler inserted has little cost",
    ),
    (
        "crossing function boundary",
        "the kernel contains a call that is not inlined (`printf`, `assert`, `malloc`, a function that contains `wgmma`): inline the call, disable assertions with `-DNDEBUG`, or move the call to another kernel",
    ),
    (
        "Extern calls",
        "the kernel calls a function of another compilation unit, a function pointer or a recursive function: define the function in this compilation unit (without `-rdc=true`) so that the compiler inlines the call, or move the call to another kernel",
    ),
    (
        "ill formed pipeline stage",
        "on some path of the kernel, `wgmma.fence` before a `wgmma` is missing, or `wgmma.commit_group` and `wgmma.wait_group` after a `wgmma` are missing: unroll or simplify the loop that contains the `wgmma`",
    ),
];

/// Texts of the assembler remarks about `wgmma` and `setmaxnreg` in release 13.5, by number.
const REMARKS: &[(u16, &str)] = &[
    (
        7504,
        "Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility across compilation units.",
    ),
    (
        7505,
        "Potential Performance Loss: 'setmaxnreg' ignored to allow debugging.",
    ),
    (
        7506,
        "Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility into 'extern' call.",
    ),
    (
        7507,
        "Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements.",
    ),
    (
        7508,
        "Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.",
    ),
    (
        7509,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to the presence of Extern calls",
    ),
    (
        7510,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function boundary at a function call",
    ),
    (
        7511,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline",
    ),
    (
        7512,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources",
    ),
    (
        7513,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage",
    ),
    (
        7514,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage",
    ),
    (
        7515,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage",
    ),
    (
        7516,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to ill formed pipeline stage",
    ),
    (
        7517,
        "warpgroup.wait is injected in by compiler to allow use of registers defined by GMMA",
    ),
    (
        7518,
        "Potential Performance Loss: wgmma.mma_async instructions are serialized due to program dependence on compiler-inserted WG.DP in divergent path",
    ),
    (
        7519,
        "warpgroup.arrive is injected in by compiler to allow use of registers in GMMA",
    ),
];

/// Returns the text of an assembler remark with its number, as in a log.
pub(crate) fn remark_text(number: u16) -> Option<String> {
    let (_, text) = REMARKS.iter().find(|(own, _)| *own == number)?;
    Some(format!("(C{number}) {text}"))
}

/// Explains an assembler remark, which `code` identifies: `C7510`. Returns `None` for any other text.
pub fn explain_remark(code: &str) -> Option<String> {
    let number = remark_code(code)?;
    let text = remark_text(number)?;
    let advice = advice(&text)?;
    Some(format!(
        "C{number}: remark of `ptxas`\n\n{text}\n\n{advice}\n\nReleases 12.x use other numbers for some of these remarks. For the lines that cause the remark, check the PTX together with the log.\n"
    ))
}

/// Checks whether a message is a remark about `wgmma`, whose cause is an instruction of the kernel.
pub(crate) fn is_about_wgmma(message: &str) -> bool {
    performance(message).is_some()
}

/// Checks whether a message with `-v` concerns the whole module, although it follows messages about a function.
pub(crate) fn is_about_module(message: &str) -> bool {
    message.contains(" bytes gmem") || message.starts_with("Compile time")
}

/// Returns the cause and the remedy for a remark about `wgmma` (C7509 to C7519). Assemblers of release 12 use different numbers for some of
/// these remarks.
fn performance(message: &str) -> Option<&'static str> {
    let is_remark = ["wgmma", "warpgroup.", "GMMA"]
        .iter()
        .any(|word| message.contains(word))
        && ["serializ", "is injected", "live ranges"]
            .iter()
            .any(|word| message.contains(word));
    if !is_remark {
        return None;
    }
    let cause = WGMMA_CAUSES
        .iter()
        .find(|(words, _)| message.contains(words));
    Some(cause.map_or(
        "the assembler waits after each `wgmma`: only `wgmma` may access the accumulators between `wgmma.fence` and `wgmma.wait_group`",
        |(_, help)| help,
    ))
}

/// Returns the remedy for a message about register counts (C7406, C7504 to C7508, C7600, C7602).
fn registers(message: &str) -> Option<&'static str> {
    const KNOWN: &[(&str, &str)] = &[
        (
            "unable to determine register count at entry",
            "`setmaxnreg` requires a known register count at kernel entry: add `.maxntid` and `.minnctapersm` (`__launch_bounds__(threads, blocks)`) or `.maxnreg`, or pass `-maxrregcount`",
        ),
        (
            "'setmaxnreg' ignored to allow debugging",
            "compile without `-g`, or use `-lineinfo`, which preserves line numbers without disabling optimizations",
        ),
        (
            "'setmaxnreg' ignored to maintain compatibility across compilation units",
            "compile the kernel as a whole program instead of relocatable code (`-rdc=false`, no `ptxas -c`)",
        ),
        (
            "'setmaxnreg' ignored to maintain compatibility into 'extern' call",
            "the kernel calls a function pointer, a recursive function or a function of another compilation unit, so the register count of the callee is unknown: call a function of this compilation unit by name so that the compiler inlines the call, or move the call to another kernel",
        ),
        (
            "'setmaxnreg' ignored to maintain minimum register requirements",
            "the code after a `setmaxnreg.dec` needs more registers than the count of the instruction: raise the count, or move work to the warps that do not release registers",
        ),
        (
            "is larger than the largest temporal register count",
            "`setmaxnreg.dec` can only lower the register count: specify at most the count at kernel entry (65536 registers divided among the threads of `.minnctapersm` blocks, or `.maxnreg`), or use `setmaxnreg.inc`",
        ),
        (
            "less than launch min target",
            "the count of `setmaxnreg.dec` is below the minimum of the launch bounds: raise the count, or adjust `.maxntid`, `.minnctapersm` or `-maxrregcount`",
        ),
        (
            "minnctapersm will be ignored",
            "the blocks exceed the capacity of a multiprocessor, so `setmaxnreg` is ignored: lower `.minnctapersm` or `.maxntid` (`__launch_bounds__`)",
        ),
        (
            ".minnctapersm is ignored when neither",
            "`setmaxnreg` is ignored if `.minnctapersm` is specified without a block size: add `.maxntid` or `.reqntid`",
        ),
        (
            "Insufficient registers",
            "the instruction exceeds the register limit: raise `-maxrregcount` or `.maxnreg`, lower `.maxntid` or `.minnctapersm`, or use a smaller shape",
        ),
        (
            "Register allocation failed",
            "the code exceeds the register limit per thread: distribute the tile over more threads or warpgroups, unroll less, or raise `-maxrregcount` if it is below 255",
        ),
        (
            "cannot be compiled with specified register target",
            "raise `-maxrregcount` or `.maxnreg`, or use a smaller shape",
        ),
    ];
    let known = KNOWN.iter().find(|(words, _)| message.contains(words));
    known.map(|(_, help)| *help)
}

/// Returns the suggestion for any other message, which the function recognizes by its prefix.
fn plain(message: &str) -> Option<&'static str> {
    const KNOWN: &[(&str, &str)] = &[
        (
            "Unknown symbol",
            "declare the name before its first use: declare a register with `.reg`, and a function with a prototype",
        ),
        (
            "Arguments mismatch for instruction",
            "an operand has the wrong type or width, or the number of operands is wrong",
        ),
        (
            "Parsing error near",
            "the semicolon of the preceding line may be missing, or the keyword may require another PTX version",
        ),
        (
            "Unexpected instruction types specified",
            "the instruction does not support these types",
        ),
        (
            "Illegal modifier",
            "the instruction does not support this modifier",
        ),
        (
            "Not a name of any known instruction",
            "the opcode is unknown, or requires a newer PTX version than the assembler supports",
        ),
        (
            "Ptx assembly aborted due to errors",
            "the preceding messages explain why assembly failed",
        ),
        (
            "Label expected",
            "the target of a branch must be a label of the same function",
        ),
        (
            "Duplicate definition",
            "rename one of the declarations, or enclose the inline assembly in braces so that its names are local",
        ),
    ];
    let known = KNOWN.iter().find(|(start, _)| message.starts_with(start));
    known.map(|(_, help)| *help)
}

/// Returns the number of spilled bytes in a message of `-v`, or `None` for other messages.
pub(crate) fn spilled_bytes(message: &str) -> Option<u64> {
    let (before, _) = message.split_once(" bytes spill stores")?;
    before.rsplit([' ', ',']).next()?.parse().ok()
}

/// Returns the function that a message names.
pub(crate) fn function(message: &str) -> Option<&str> {
    for start in [
        "Compiling entry function '",
        "in function '",
        "in the function '",
        "Function properties for ",
    ] {
        if let Some((_, rest)) = message.split_once(start) {
            let end = rest.find(['\'', ';', ' ', '`']).unwrap_or(rest.len());
            return Some(&rest[..end]).filter(|name| !name.is_empty());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test cases are all remarks of assembler 13.5 about `setmaxnreg` and `wgmma` with their numbers, and the texts of these remarks
    /// in earlier releases.
    #[test]
    fn setmaxnreg_and_wgmma_remarks_have_advice() {
        let serialized = |reason: &str| {
            format!(
                "Potential Performance Loss: wgmma.mma_async instructions are serialized due to {reason} in the function 'k' in line 18"
            )
        };
        let ignored =
            |reason: &str| format!("Potential Performance Loss: 'setmaxnreg' ignored{reason}.");
        let remarks = [
            (
                7406,
                "setmaxnreg.dec has register count (240) which is larger than the largest temporal register count in the program (128)".to_owned(),
                "at most the count at kernel entry",
            ),
            (
                7504,
                ignored(" to maintain compatibility across compilation units"),
                "`-rdc=false`",
            ),
            (7505, ignored(" to allow debugging"), "without `-g`"),
            (
                7506,
                ignored(" to maintain compatibility into 'extern' call"),
                "recursive function",
            ),
            (
                7507,
                ignored(" to maintain minimum register requirements"),
                "raise the count",
            ),
            (
                7508,
                ignored("; unable to determine register count at entry"),
                "`.minnctapersm`",
            ),
            (
                7509,
                serialized("the presence of Extern calls"),
                "another compilation unit",
            ),
            (
                7510,
                serialized("wgmma pipeline crossing function boundary at a function call"),
                "`printf`",
            ),
            (
                7511,
                serialized("insufficient register resources for the wgmma pipeline"),
                "pending `wgmma` instructions exceed",
            ),
            (
                7512,
                serialized("insufficient register resources"),
                "other live registers",
            ),
            (
                7513,
                serialized(
                    "non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage",
                ),
                "matrix A",
            ),
            (
                7514,
                serialized(
                    "non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage",
                ),
                "after the wait",
            ),
            (
                7515,
                serialized(
                    "non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage",
                ),
                "before the fence",
            ),
            (7516, serialized("ill formed pipeline stage"), "simplify the loop"),
            (
                7517,
                "wgmma.wait_group is injected in around line 18 by compiler to allow use of registers defined by GMMA in function 'k'".to_owned(),
                "add the wait",
            ),
            (
                7517,
                "warpgroup.wait is injected in around line 18 by compiler to allow use of registers defined by GMMA in function 'k'".to_owned(),
                "`warpgroup_wait`",
            ),
            (
                7518,
                serialized("program dependence on compiler-inserted WG.DP in divergent path"),
                "inserted a wait",
            ),
            (
                7519,
                serialized("program dependence on compiler-inserted WG.AR in divergent path"),
                "inserted a fence",
            ),
            (
                7519,
                "warpgroup.arrive is injected in around line 18 by compiler to allow use of registers in GMMA in function 'k'".to_owned(),
                "`warpgroup_arrive`",
            ),
        ];
        for (number, remark, words) in remarks {
            let message = format!("(C{number}) {remark}");
            let found = advice(&message).unwrap_or_default();
            assert!(found.contains(words), "{message}: {found}");
        }
        for (message, words) in [
            (
                "GMMA sequence has too many active live ranges (40), reduce it to bring it under (32)",
                "wait between the instructions",
            ),
            (
                "setmaxreg.dealloc/release has register count (24) less than launch min target (40) allowed. Ensure setmaxreg, launch bounds, maxrregcount etc.. are used correctly",
                "minimum of the launch bounds",
            ),
            (
                "Value of threads per SM for entry k is out of range. .minnctapersm will be ignored",
                "lower `.minnctapersm`",
            ),
            (
                "Value of minnctapersm for entry k is out of range. minnctapersm will be ignored",
                "lower `.minnctapersm`",
            ),
            (
                ".minnctapersm is ignored when neither .maxntid nor .reqntid is specified.",
                "add `.maxntid` or `.reqntid`",
            ),
        ] {
            let found = advice(message).unwrap_or_default();
            assert!(found.contains(words), "{message}: {found}");
        }
    }

    #[test]
    fn remark_is_explained_by_its_number() {
        for (number, _) in REMARKS {
            let explained = explain_remark(&format!("C{number}"));
            assert!(explained.is_some(), "C{number}");
        }
        assert_eq!(explain_remark("C9999"), None);
        let explained = explain_remark("(C7510)").unwrap_or_default();
        assert!(
            explained.contains("a call that is not inlined"),
            "{explained}"
        );
    }

    #[test]
    fn assembler_messages_have_advice() {
        for (message, words) in [
            (
                "Feature 'redux' requires .target sm_80 or higher",
                "`redux` is available",
            ),
            (
                "Instruction 'tcgen05.wait' not supported on .target 'sm_100'",
                "`.target sm_100a`",
            ),
            (
                "Instruction 'wgmma.fence' not supported on .target 'sm_120'",
                "but not on any variant of `sm_120`",
            ),
            (
                "Unsupported .version 9.9; current version is '9.5'",
                "`.version 9.5`",
            ),
            (
                "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'k'",
                "reduce the tile",
            ),
            ("Unknown symbol 'x'", "declare the name"),
            (
                "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.",
                "`.minnctapersm`",
            ),
            (
                "(C7602) Insufficient registers (128) to compile instruction at line 1582 in function kernel. Try to compile with register target of 154 or higher.",
                "`-maxrregcount`",
            ),
            (
                "(C7600) Register allocation failed with register count of '255'. Compile the program with a higher register target",
                "distribute the tile",
            ),
        ] {
            let found = advice(message).unwrap_or_default();
            assert!(found.contains(words), "{message}: {found}");
        }
        assert_eq!(advice("something else"), None);
        assert_eq!(
            spilled_bytes(
                "Function properties for s; 256 bytes stack frame, 8 bytes spill stores, 0 bytes spill loads"
            ),
            Some(8)
        );
        assert_eq!(
            function("Compiling entry function 's' for 'sm_90'"),
            Some("s")
        );
    }
}
