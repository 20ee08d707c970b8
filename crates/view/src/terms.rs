//! Words of the field and of this tool, explained: what people search for that is no instruction and no diagnostic.

mod releases;

use warpgrid_program::TermFacts;

/// Name, other spellings, meaning.
#[rustfmt::skip]
const TERMS: &[(&str, &[&str], &str)] = &[
    ("lane", &["lanes"], "One of the 32 threads of a warp, numbered from 0. The active lanes of a warp execute a step together; the colour of a cell is the lane of its last writer."),
    ("warp", &["warps"], "32 threads of a block with consecutive linear indices, x varying fastest. A step is one instruction of one warp."),
    ("block", &["CTA", "thread block"], "A group of threads with common shared memory and barriers; the PTX ISA manual calls a block a CTA (cooperative thread array)."),
    ("active lanes", &["active", "divergence"], "The lanes that execute a step. Diverged lanes are inactive until the scheduler selects their path or the warp reconverges; a false guard predicates a lane off for one instruction."),
    ("sector", &["sectors"], "32 bytes of global memory, aligned to 32. Global memory is accessed in units of sectors: the cost of an access is the number of sectors, and \"16 of 128 bytes used\" states its sector utilization."),
    ("line", &["cache line"], "128 bytes of global memory, aligned to 128: four sectors."),
    ("bank", &["banks", "bank conflict", "bank conflicts"], "Shared memory has 32 banks of 4 bytes: the word at byte address a is in bank a / 4 mod 32. In one wavefront each bank accesses one word, for all lanes that access that word. Lanes that access different words of the same bank cause a bank conflict, which costs additional wavefronts."),
    ("wavefront", &["wavefronts", "pass", "passes"], "One pass of a request through the shared-memory pipeline, in which each of the 32 banks accesses one word. A full warp needs at least 1, 2 or 4 wavefronts for 4, 8 or 16 bytes per lane; bank conflicts add wavefronts."),
    ("write conflict", &["lost the race", "conflict"], "Several lanes of one store write different values to the same bytes. Hardware keeps the value of an unspecified lane; the emulator keeps the value of the highest lane. Equal values and atomics do not conflict."),
    ("data race", &["race", "races"], "Two accesses of different threads to the same bytes, at least one of them a write, of which neither happens before the other, and which are not both strong operations with scopes that include both threads (PTX ISA manual, memory consistency model)."),
    ("coalesced", &["coalescing", "side by side", "contiguous"], "An access is coalesced if its lanes access contiguous addresses, so that all bytes of its sectors are used. A larger lane stride needs more sectors for the same number of bytes."),
    ("misaligned", &["misalignment", "alignment"], "An n-byte access requires an address that is a multiple of n; a vector is one access of all its bytes. Execution stops before a misaligned access."),
    ("out of bounds", &["out-of-bounds"], "An access outside all buffers, variables and arrays. Execution stops before the access, and the fault states its distance from the nearest allocation."),
    ("deadlock", &["stuck"], "All remaining threads wait: at a barrier that other threads never reach, or for an mbarrier phase whose arrivals or bytes are missing."),
    ("inferred launch", &["inference", "inferred", "guess", "guesses", "guessed", "rehearsal", "rehearsed"], "Launch parameters that the source does not specify (block size, buffers, scalars) are inferred from the kernel and validated by a trial run. The page shows them as the equivalent `//@` annotations."),
    ("annotation", &["//@", "annotations", "launch facts"], "A comment that starts with `//@` and specifies a launch parameter, an initial value or an expectation: `title`, `about`, `launch`, `buffer`, `scalar`, `start`, `alias`, `register`, `expect` and others. An annotated source remains valid PTX."),
    ("in flight", &["landing", "pending", "land"], "State of an asynchronous store or copy that has been issued but has not completed. The completion is a separate, later step, which can also be triggered manually."),
    ("fragment", &["fragments"], "The elements of a matrix that one lane holds in the registers of a matrix instruction."),
    ("source", &["text"], "The contents of the editor or of a file: PTX, SASS, or source code with inline assembly. The part that is launched is the kernel."),
    ("SASS", &["machine code", "listing"], "The native instruction set of a GPU architecture. SASS is read from listings of `cuobjdump -sass` and `nvdisasm`."),
    ("scenario", &["scenarios"], "Everything that a run depends on: source, kernel, launch configuration, parameters, target and seed."),
    ("launch configuration", &["launch"], "Grid, block and cluster size, dynamic shared memory and parameters of a kernel launch."),
    ("initial value", &["initializer", "initializers"], "Contents of a buffer, a variable or a register before the first step."),
    ("expectation", &["expectations", "expect"], "Values that a buffer must contain after the run; a mismatch makes the run fail."),
    ("step", &["steps"], "One instruction of one warp, executed by its active lanes. The completion of an asynchronous operation is a separate step."),
    ("lane-instruction", &["lane-instructions", "executed lane-instructions"], "One step of one active lane: a step of a warp with 20 active lanes is 20 lane-instructions. Their number does not depend on the order in which divergent lanes execute."),
    ("schedule", &["schedules", "order", "orders", "seed"], "The interleaving of the steps of all warps, and every other choice that hardware leaves unspecified. The seed of the scheduler determines the schedule; seed 0 is round robin."),
    ("diverged", &["divergent", "inactive"], "A warp is diverged if its lanes execute different paths; lanes on another path than the current one are inactive until reconvergence."),
    ("predicated off", &["guard", "predicate"], "A lane whose guard predicate is false does not execute the instruction."),
    ("lane stride", &["stride"], "The constant difference between the addresses of adjacent lanes."),
    ("ideal", &["excessive"], "The smallest number of sectors or wavefronts that can transfer the accessed bytes. Sectors and wavefronts beyond the ideal number are excessive."),
    ("uninitialized", &["unwritten"], "Memory or a register that no instruction has written and that has no initial value."),
    ("happens before", &["ordered", "happens-before"], "The partial order of accesses in the PTX memory consistency model: program order within a thread, extended by synchronization between threads."),
    ("synchronizes with", &["synchronization"], "The relation between a release pattern and the acquire pattern that observes it, and between the arrivals and waits of a barrier."),
    ("litmus test", &["litmus tests", "outcomes", "outcome"], "A few threads that share memory, with observed registers and locations. The outcomes are all combinations of observed values that the memory model allows."),
    ("sequentially consistent", &["interleaving"], "An outcome that some interleaving of the instructions of all threads produces."),
    ("fix", &["fixes", "repair", "repairs", "cure"], "A suggested change of the source. Fixes of data races and bank conflicts are verified by running the changed kernel."),
    ("hang", &["hangs", "hang diagnosis"], "A launch in which no remaining thread can make progress. The diagnosis names the waiting threads and the root cause."),
    ("correctly rounded", &["exact sum"], "The exact result, rounded once to the result type (IEEE 754)."),
    ("descriptor", &["descriptors", "matrix descriptor"], "A 64-bit value that specifies start address, strides and swizzle mode of a matrix in shared memory for `wgmma` and `tcgen05`."),
    ("swizzle mode", &["swizzle", "swizzles"], "An XOR permutation of 16-byte chunks in shared memory that avoids bank conflicts."),
    ("asm block", &["inline assembly", "asm blocks"], "An inline assembly statement in C++, Python, Julia or C#, checked and run separately."),
    ("code object", &["code objects", "program"], "PTX or SASS in a cubin, a fatbin, an object file or an executable."),
    ("JIT run", &["translated run", "compiled run"], "A run in which the kernel is compiled to WebAssembly and executed to completion, without intermediate steps."),
];

/// Every word of the list, then versions, toolkits, drivers and targets.
pub(crate) fn terms() -> impl Iterator<Item = TermFacts> {
    let listed = TERMS.iter();
    let listed = listed.map(|(name, aliases, help)| term(name, aliases, (*help).to_owned()));
    listed.chain(releases::terms())
}

fn term<T: AsRef<str>>(name: &str, aliases: &[T], help: String) -> TermFacts {
    TermFacts {
        name: name.to_owned(),
        aliases: aliases
            .iter()
            .map(|alias| alias.as_ref().to_owned())
            .collect(),
        help,
        needs: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect_file;
    use std::collections::BTreeSet;

    #[test]
    fn the_glossary_lists_all_terms() {
        let mut terms: Vec<_> = TERMS.iter().collect();
        terms.sort_by_key(|(name, ..)| name.to_lowercase());
        let rows: String = terms
            .iter()
            .map(|(name, aliases, help)| {
                let also = match aliases.is_empty() {
                    true => String::new(),
                    false => format!(" *Also found as: {}.*", aliases.join(", ")),
                };
                format!("- **{name}**: {help}{also}\n")
            })
            .collect();
        let head = "This page defines the terms of the user interface, the command and the diagnostics. `warpgrid explain TERM` and the reference dialogue of the page show the same definitions. \
            A search finds former names and other spellings, too.";
        expect_file!["../../../docs/glossary.md"]
            .assert_eq(&format!("# Glossary\n\n{head}\n\n{rows}"));
    }

    #[test]
    fn each_name_belongs_to_one_term() {
        let names = TERMS
            .iter()
            .flat_map(|(name, aliases, _)| std::iter::once(name).chain(aliases.iter()));
        let mut seen = BTreeSet::new();
        for name in names {
            assert!(
                seen.insert(name.to_lowercase()),
                "{name} belongs to two terms"
            );
        }
    }
}
