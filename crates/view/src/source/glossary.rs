//! Glossary of terms for GPUs and tools. The glossary contains neither instructions nor diagnostics.

pub(crate) mod releases;

use warpgrid_program::TermDoc;

/// Name, alternative spellings and definition of each term in the glossary.
#[rustfmt::skip]
const TERMS: &[(&str, &[&str], &str)] = &[
    ("lane", &["lanes"], "One of the 32 threads of a warp, numbered from 0. The active lanes of a warp execute a step together. The colour of a memory cell identifies the lane that wrote the cell last."),
    ("warp", &["warps"], "A group of 32 threads of a block with consecutive linear indices, where x varies fastest. A step executes one instruction of one warp."),
    ("block", &["CTA", "thread block"], "A group of threads that can access the same shared memory and barriers. The PTX ISA manual calls a block a CTA (cooperative thread array)."),
    ("active lanes", &["active", "divergence"], "The lanes that execute a step. Diverged lanes are inactive until the scheduler selects their path or the warp reconverges. If the guard predicate of a lane is false, the lane is predicated off for this instruction."),
    ("sector", &["sectors"], "An aligned group of 32 bytes of global memory. The hardware transfers global memory in whole sectors, so the cost of an access is its number of sectors. \"16 of 128 bytes used\" describes the utilization of these sectors."),
    ("line", &["cache line"], "An aligned group of 128 bytes of global memory, which consists of four sectors."),
    ("bank", &["banks", "bank conflict", "bank conflicts"], "Shared memory has 32 banks of 4 bytes. The word at byte address a is in bank a / 4 mod 32. In one wavefront, each bank accesses one word for all lanes that access this word. Lanes that access different words of the same bank cause a bank conflict, which requires additional wavefronts."),
    ("wavefront", &["wavefronts", "pass", "passes"], "One pass of a request through the shared-memory pipeline, in which each of the 32 banks accesses one word. A full warp needs at least 1 wavefront for 4 bytes per lane, 2 wavefronts for 8 bytes, and 4 wavefronts for 16 bytes. Bank conflicts require additional wavefronts."),
    ("write conflict", &["lost the race", "conflict"], "A situation in which several lanes of one store write different values to the same bytes. The hardware keeps the value of an unspecified lane, and the emulator keeps the value of the highest lane. Equal values and atomics do not conflict."),
    ("data race", &["race", "races"], "A pair of unordered accesses of different threads to the same bytes, where at least one access is a write and neither access happens before the other. Two strong operations whose scopes include both threads are not a data race. The memory consistency model of the PTX ISA manual defines these terms."),
    ("coalesced", &["coalescing", "side by side", "contiguous"], "An access is coalesced if its lanes access contiguous addresses and therefore use all bytes of the accessed sectors. An access with a larger lane stride needs more sectors for the same number of bytes."),
    ("misaligned", &["misalignment", "alignment"], "An access of n bytes is misaligned if its address is not a multiple of n. A vector access is one access of all bytes of the vector. Execution stops before a misaligned access."),
    ("out of bounds", &["out-of-bounds"], "An access is out of bounds if it is outside of all buffers, variables and arrays. Execution stops before the access, and the fault message contains the distance to the nearest allocation."),
    ("deadlock", &["stuck"], "A situation in which all remaining threads wait at a barrier that other threads never reach, or for an mbarrier phase whose arrivals or bytes are missing."),
    ("inferred launch", &["inference", "inferred", "guess", "guesses", "guessed", "rehearsal", "rehearsed"], "A launch whose parameters are inferred from the kernel. Warpgrid infers the block size, buffers and scalars that the source does not specify, and validates the result by a trial run. The page shows the inferred parameters as equivalent `//@` annotations."),
    ("annotation", &["//@", "annotations", "launch facts"], "A comment that starts with `//@` and specifies a launch parameter, an initial value or an expectation: `title`, `about`, `launch`, `buffer`, `scalar`, `start`, `alias`, `register`, `expect` and others. An annotated source remains valid PTX."),
    ("in flight", &["landing", "pending", "land"], "The state of an asynchronous store or copy that has been issued but has not completed. The completion is a separate, later step, which you can also trigger manually."),
    ("fragment", &["fragments"], "The elements of a matrix that one lane holds in the registers of a matrix instruction."),
    ("source", &["text"], "The contents of the editor or of a file. A source is PTX, SASS, or source code with inline assembly. A launch executes one kernel of the source."),
    ("SASS", &["machine code", "listing"], "The native instruction set of a GPU architecture. Warpgrid reads SASS from listings of `cuobjdump -sass` and `nvdisasm`."),
    ("scenario", &["scenarios"], "All inputs of a run: the source, the kernel, the launch configuration, the parameters, the target and the seed."),
    ("launch configuration", &["launch"], "The grid, block and cluster size, the size of dynamic shared memory, and the parameters of a kernel launch."),
    ("initial value", &["initializer", "initializers"], "The contents of a buffer, a variable or a register before the first step."),
    ("expectation", &["expectations", "expect"], "The values that a buffer must contain after the run. If a value of the buffer differs, the run fails."),
    ("step", &["steps"], "The execution of one instruction of one warp by its active lanes. The completion of an asynchronous operation is a separate step."),
    ("lane-instruction", &["lane-instructions", "executed lane-instructions"], "One step of one active lane. For example, a step of a warp with 20 active lanes is 20 lane-instructions. The number of lane-instructions does not depend on the order in which divergent lanes execute."),
    ("schedule", &["schedules", "order", "orders", "seed"], "The interleaving of the steps of all warps, together with all other choices that the hardware leaves unspecified. The seed of the scheduler determines the schedule. Seed 0 selects round-robin scheduling."),
    ("diverged", &["divergent", "inactive"], "A warp is diverged if its lanes execute different paths. Lanes that are not on the current path are inactive until the scheduler selects their path or the warp reconverges."),
    ("predicated off", &["guard", "predicate"], "A lane is predicated off if its guard predicate is false. The lane does not execute the guarded instruction."),
    ("lane stride", &["stride"], "The constant difference between the addresses of adjacent lanes."),
    ("ideal", &["excessive"], "The smallest number of sectors or wavefronts that can transfer the accessed bytes. Sectors and wavefronts beyond the ideal number are excessive."),
    ("uninitialized", &["unwritten"], "A memory location or a register is uninitialized if it has no initial value and no instruction has written to it."),
    ("happens before", &["ordered", "happens-before"], "The partial order of accesses in the PTX memory consistency model. The order consists of program order within a thread and of synchronization between threads."),
    ("synchronizes with", &["synchronization"], "The relation between a release pattern and the acquire pattern that observes the release, and between the arrivals and the waits of a barrier."),
    ("litmus test", &["litmus tests", "outcomes", "outcome"], "A small program of a few threads that share memory. A litmus test specifies the observed registers and memory locations. The outcomes are all combinations of observed values that the memory model allows."),
    ("sequentially consistent", &["interleaving"], "An outcome is sequentially consistent if some interleaving of the instructions of all threads produces the outcome."),
    ("fix", &["fixes", "repair", "repairs", "cure"], "A suggested change of the source. Warpgrid verifies fixes of data races and bank conflicts by running the changed kernel."),
    ("hang", &["hangs", "hang diagnosis"], "A launch in which no remaining thread can make progress. The diagnosis names the waiting threads and the root cause."),
    ("correctly rounded", &["exact sum"], "A result is correctly rounded if it is the exact result, rounded once to the result type (IEEE 754)."),
    ("descriptor", &["descriptors", "matrix descriptor"], "A 64-bit value that specifies the start address, the strides and the swizzle mode of a matrix in shared memory for `wgmma` and `tcgen05`."),
    ("swizzle mode", &["swizzle", "swizzles"], "An XOR permutation of 16-byte chunks in shared memory that avoids bank conflicts."),
    ("asm block", &["inline assembly", "asm blocks"], "An inline assembly statement in C++, Python, Julia or C#. Warpgrid checks and runs each asm block separately."),
    ("code object", &["code objects", "program"], "A unit of PTX or SASS in a cubin, a fatbin, an object file or an executable."),
    ("cluster", &["clusters", "thread block cluster"], "A group of blocks that are resident at the same time and can access each other's shared memory. Clusters require `sm_90` or later."),
    ("scope", &["scopes"], "The set of threads that a strong operation, a fence or a barrier synchronizes: `.cta` (the block), `.cluster`, `.gpu`, or `.sys` (all threads of the system, including the host)."),
    ("memory model", &["memory consistency model", "axiom", "axioms", "causality order"], "The rules that determine which values a read may return. The memory consistency model of the PTX ISA manual consists of axioms about program order, happens-before order and coherence. The race detector and the litmus tests implement these axioms."),
    ("strong", &["strong operation", "relaxed", "morally strong"], "A memory operation is strong if it is `.relaxed`, `.acquire`, `.release`, `.acq_rel`, `.volatile`, a fence, or an atomic. Two strong operations are morally strong if their scopes include both threads. Only morally strong operations can synchronize threads or avoid a data race."),
    ("weak", &["weak operation"], "A memory operation without memory-order semantics, such as `ld.global` or `st.weak`. The compiler and the hardware may reorder weak operations. A weak operation is ordered with operations of other threads only by synchronization."),
    ("release", &["release pattern"], "A strong write, or a fence followed by a strong write, that makes all earlier accesses of its thread visible to a thread that acquires the written value."),
    ("acquire", &["acquire pattern"], "A strong read, or a strong read followed by a fence. If the read observes the value of a release, the later accesses of its thread observe all accesses before the release."),
    ("proxy", &["proxies", "async proxy", "generic proxy", "proxy fence"], "A path to memory. Ordinary loads and stores use the generic proxy. Bulk copies, tensor copies, `wgmma` and `tcgen05` use the async proxy. Accesses through different proxies are ordered only by a proxy fence, such as `fence.proxy.async`, or by the completion of the asynchronous operation."),
    ("tensor memory", &["TMEM"], "Memory of a multiprocessor for the accumulators, operands and scales of `tcgen05.mma`, with 128 lanes and 512 columns of 32 bits. A kernel allocates columns with `tcgen05.alloc`, and accesses them with `tcgen05.ld`, `tcgen05.st` and `tcgen05.cp`."),
    ("leading byte offset", &["LBO", "leading dimension byte offset"], "The field of a matrix descriptor with the distance between adjacent core matrices along the leading dimension. Swizzle modes ignore the field for K-major operands. The command `warpgrid descriptor` shows the effect of the field."),
    ("stride byte offset", &["SBO", "stride dimension byte offset"], "The field of a matrix descriptor with the distance between adjacent groups of 8 rows or columns of core matrices. The command `warpgrid descriptor` shows the effect of the field."),
    ("block barrier", &["barriers", "__syncthreads", "__syncwarp"], "A point at which threads wait for each other. `bar.sync` (`__syncthreads()` in CUDA C++) synchronizes the threads of a block, and `bar.warp.sync` (`__syncwarp()`) synchronizes the lanes of a warp. A barrier also orders the memory accesses of the participating threads."),
    ("JIT run", &["translated run", "compiled run"], "A run that compiles the kernel to WebAssembly and executes the kernel to completion, without intermediate steps."),
];

/// Returns all terms of `TERMS`, followed by terms for versions, toolkits, drivers and targets.
pub(crate) fn terms() -> impl Iterator<Item = TermDoc> {
    let listed = TERMS.iter();
    let listed = listed.map(|(name, aliases, help)| term(name, aliases, (*help).to_owned()));
    listed.chain(releases::terms())
}

pub(crate) fn term<T: AsRef<str>>(name: &str, aliases: &[T], help: String) -> TermDoc {
    TermDoc {
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
    fn glossary_document_lists_all_terms() {
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
            A search also finds former names and other spellings of these terms.";
        expect_file!["../../../../docs/glossary.md"]
            .assert_eq(&format!("# Glossary\n\n{head}\n\n{rows}"));
    }

    #[test]
    fn terms_of_messages_and_directives_are_explained() {
        for subject in [
            "swizzle",
            "descriptor",
            "hang",
            "proxy",
            "predicate",
            "cluster",
            "scope",
            "acquire",
            "weak",
            "memory model",
            "tensor memory",
            "LBO",
            "SBO",
            "seed",
            "step",
            ".reqntid",
            ".shared",
            ".target",
            "__syncthreads",
            "threadIdx.x",
            "blockDim",
            ".weak",
            ".loc",
        ] {
            assert!(crate::explain(subject).is_some(), "{subject}");
        }
    }

    #[test]
    fn names_and_aliases_are_unique() {
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
