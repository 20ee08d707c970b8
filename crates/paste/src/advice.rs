//! What to do about a line of an assembler: its message goes in, a sentence comes out, from the tables where they know.

use crate::gates::{gate_of, nearest_target};
use warpgrid_isa::{Target, Version};

/// What to do, as far as the message alone says.
pub(crate) fn advice(message: &str) -> Option<String> {
    gated(message)
        .or_else(|| version(message))
        .or_else(|| performance(message).map(str::to_owned))
        .or_else(|| registers(message).map(str::to_owned))
        .or_else(|| plain(message).map(str::to_owned))
}

/// The first stretch between quotes after `from`.
fn quoted(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once('\'')?;
    rest.split_once('\'').map(|(inside, _)| inside)
}

/// `Feature '…' requires .target sm_80 or higher`, `Instruction '…' not supported on .target 'sm_120'`
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
    let needs = format!("`{name}` exists {phrase}");
    let Some(stated) = stated else {
        return Some(format!(
            "{needs}: raise what `.target` and `.version` state, and `-arch` with it"
        ));
    };
    let Some(target) = nearest_target(gate, stated, Version::NEWEST) else {
        return Some(format!("{needs}: raise what `.version` states"));
    };
    let same = target.sm == stated.sm;
    Some(match (same, target.name.ends_with(['a', 'f'])) {
        (true, true) => format!(
            "{needs}: write `.target {}` and `-arch={}`; the letter says that the code runs on this architecture, or its family, alone",
            target.name, target.name
        ),
        (true, false) => format!("{needs}: write `.target {}`", target.name),
        (false, _) => format!(
            "{needs}: no form of `{}` has it, the nearest target is `{}`",
            stated.name, target.name
        ),
    })
}

/// `Unsupported .version 9.9; current version is '9.5'`
fn version(message: &str) -> Option<String> {
    if let Some((_, rest)) = message.split_once("Unsupported .version ") {
        let stated = rest.split(';').next()?.trim();
        let newest = quoted(rest)?;
        return Some(format!(
            "the module is of a newer compiler than the assembler or the driver: update it, or state `.version {newest}` in the place of {stated}, where no instruction needs more"
        ));
    }
    if message.contains("SM version specified by .target is higher") {
        return Some(
            "hand the module's target to the assembler: `ptxas -arch=sm_90` for `.target sm_90`"
                .to_owned(),
        );
    }
    None
}

/// Remarks about `wgmma` (C7510 and its neighbours), each with its cause.
fn performance(message: &str) -> Option<&'static str> {
    let is_remark =
        message.contains("wgmma") && (message.contains("serializ") || message.contains("erializ"));
    if !is_remark {
        return None;
    }
    let causes = [
        (
            "insufficient register resources",
            "the accumulators do not fit beside what is live: make the tile smaller, spread it over two warpgroups, or raise the bound by `setmaxnreg` or fewer threads",
        ),
        (
            "non wgmma instructions defining accumulator registers",
            "something writes an accumulator between `wgmma.fence` and `wgmma.wait_group`: set it before the fence, or have the first `wgmma` take `scale-d` false",
        ),
        (
            "non wgmma instructions defining input registers",
            "a register operand of a `wgmma` is written before `wgmma.wait_group` has waited for it: write it before `wgmma.fence`, or after the wait",
        ),
        (
            "compiler-inserted",
            "the assembler had to insert a wait in divergent code: put `wgmma.fence` and `wgmma.wait_group` on every path of the warpgroup",
        ),
        (
            "reading accumulator registers",
            "something reads an accumulator before `wgmma.wait_group` has waited for it: move the use after the wait",
        ),
        (
            "crossing function boundary",
            "a call lies between `wgmma.fence` and `wgmma.wait_group`: have it inlined, or wait before it",
        ),
        (
            "xtern call",
            "a call lies between `wgmma.fence` and `wgmma.wait_group`: have it inlined, or wait before it",
        ),
        (
            "ill formed pipeline stage",
            "a path of the kernel has `wgmma` without `wgmma.fence` before it or without `commit_group` and `wait_group` after it: unroll or straighten the loop around them",
        ),
    ];
    let cause = causes.iter().find(|(words, _)| message.contains(words));
    Some(cause.map_or(
        "the assembler waits after each `wgmma`: nothing but `wgmma` may touch the accumulators between `wgmma.fence` and `wgmma.wait_group`",
        |(_, help)| help,
    ))
}

/// Messages about register counts (C7508, C7600, C7602), each with its remedy.
fn registers(message: &str) -> Option<&'static str> {
    const KNOWN: &[(&str, &str)] = &[
        (
            "unable to determine register count at entry",
            "`setmaxnreg` needs the number of registers that the kernel starts with: state `.maxntid` and `.minnctapersm` (`__launch_bounds__(threads, blocks)`), or pass `-maxrregcount`",
        ),
        (
            "'setmaxnreg' ignored to allow debugging",
            "compile without `-g` (`-lineinfo` keeps line numbers)",
        ),
        (
            "'setmaxnreg' ignored to maintain compatibility across compilation units",
            "compile the kernel as a whole program instead of relocatable code (`-rdc=false`)",
        ),
        (
            "'setmaxnreg' ignored to maintain compatibility into 'extern' call",
            "inline or define the function that is called: an `.extern` function may use any register",
        ),
        (
            "'setmaxnreg' ignored to maintain minimum register requirements",
            "`setmaxnreg.dec` states fewer registers than the code after it needs: raise its count",
        ),
        (
            "is larger than the largest temporal register count",
            "`setmaxnreg.dec` lowers the count: state at most the count that the warps have at this point",
        ),
        (
            "Insufficient registers",
            "the instruction needs more registers than the limit: raise `-maxrregcount` or `.maxnreg`, lower `.maxntid` or `.minnctapersm`, or choose a smaller shape",
        ),
        (
            "Register allocation failed",
            "the code needs more registers than a thread may have: split the tile over more threads or warpgroups, unroll less, or raise `-maxrregcount` where it is below 255",
        ),
        (
            "cannot be compiled with specified register target",
            "raise `-maxrregcount` or `.maxnreg`, or choose a smaller shape",
        ),
    ];
    let known = KNOWN.iter().find(|(words, _)| message.contains(words));
    known.map(|(_, help)| *help)
}

/// Other messages, by how they begin.
fn plain(message: &str) -> Option<&'static str> {
    const KNOWN: &[(&str, &str)] = &[
        (
            "Unknown symbol",
            "nothing declares this name: a register has a `.reg` line, a function a prototype before its use",
        ),
        (
            "Arguments mismatch for instruction",
            "an operand has the wrong type or width, or there are too many or too few of them",
        ),
        (
            "Parsing error near",
            "the line before may lack its semicolon, or the word is not of this version of PTX",
        ),
        (
            "Unexpected instruction types specified",
            "the instruction does not exist for these types",
        ),
        (
            "Illegal modifier",
            "the instruction does not take this modifier",
        ),
        (
            "Not a name of any known instruction",
            "the opcode does not exist: it may be of a newer PTX than the assembler knows",
        ),
        (
            "Ptx assembly aborted due to errors",
            "the lines before say why",
        ),
        (
            "Label expected",
            "a branch names a label of the same function",
        ),
        (
            "Duplicate definition",
            "a name is declared twice in one scope: assembly in braces keeps its names to itself",
        ),
    ];
    let known = KNOWN.iter().find(|(start, _)| message.starts_with(start));
    known.map(|(_, help)| *help)
}

/// Spilled bytes of a message of `-v`; `None` where it speaks of none.
pub(crate) fn spilled_bytes(message: &str) -> Option<u64> {
    let (before, _) = message.split_once(" bytes spill stores")?;
    before.rsplit([' ', ',']).next()?.parse().ok()
}

/// The function that a message is about.
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

    #[test]
    fn messages_have_advice() {
        for (message, words) in [
            (
                "Feature 'redux' requires .target sm_80 or higher",
                "`redux` exists",
            ),
            (
                "Instruction 'tcgen05.wait' not supported on .target 'sm_100'",
                "`.target sm_100a`",
            ),
            (
                "Instruction 'wgmma.fence' not supported on .target 'sm_120'",
                "no form of `sm_120` has it",
            ),
            (
                "Unsupported .version 9.9; current version is '9.5'",
                "`.version 9.5`",
            ),
            (
                "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'k'",
                "make the tile smaller",
            ),
            ("Unknown symbol 'x'", "nothing declares"),
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
                "split the tile",
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
