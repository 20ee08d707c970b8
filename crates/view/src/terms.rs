//! Words of the field and of this tool, explained: what people search for that is no instruction and no diagnostic.

mod releases;

use warpgrid_program::TermFacts;

/// Name, other spellings, meaning.
#[rustfmt::skip]
const TERMS: &[(&str, &[&str], &str)] = &[
    ("lane", &["lanes"], "One of the 32 threads of a warp, numbered from 0. The active lanes of a warp execute a step together; the colour of a cell is the lane of its last writer."),
    ("warp", &["warps"], "32 threads of a block with consecutive linear indices, x varying fastest. A step is one instruction of one warp."),
    ("block", &["CTA", "thread block"], "A group of threads with common shared memory and barriers; the PTX ISA manual calls a block a CTA (cooperative thread array)."),
    ("active lanes", &["divergence", "diverged", "inactive"], "The lanes that execute a step. Diverged lanes are inactive until the scheduler selects their path or the warp reconverges; a false guard predicates a lane off for one instruction."),
    ("sector", &["sectors"], "32 bytes of global memory, aligned to 32. Global memory is accessed in units of sectors: the cost of an access is the number of sectors, and \"16 of 128 bytes used\" states its sector utilization."),
    ("line", &["cache line"], "128 bytes of global memory, aligned to 128: four sectors."),
    ("bank", &["banks", "bank conflict", "bank conflicts"], "Shared memory has 32 banks of 4 bytes: the word at byte address a is in bank a / 4 mod 32. In one wavefront each bank accesses one word, for all lanes that access that word. Lanes that access different words of the same bank cause a bank conflict, which costs additional wavefronts."),
    ("wavefront", &["wavefronts", "pass", "passes"], "One pass of a request through the shared-memory pipeline, in which each of the 32 banks accesses one word. A full warp needs at least 1, 2 or 4 wavefronts for 4, 8 or 16 bytes per lane; bank conflicts add wavefronts."),
    ("write conflict", &["lost the race", "conflict"], "Several lanes of one store write different values to the same bytes. Hardware keeps the value of an unspecified lane; the emulator keeps the value of the highest lane. Equal values and atomics do not conflict."),
    ("data race", &["race", "races"], "Two accesses of different threads to the same bytes, at least one of them a write, of which neither happens before the other, and which are not both strong operations with scopes that include both threads (PTX ISA manual, memory consistency model)."),
    ("coalesced", &["coalescing", "side by side", "stride"], "An access is coalesced if its lanes access contiguous addresses, so that all bytes of its sectors are used. A larger lane stride needs more sectors for the same number of bytes."),
    ("misaligned", &["misalignment", "alignment"], "An n-byte access requires an address that is a multiple of n; a vector is one access of all its bytes. Execution stops before a misaligned access."),
    ("out of bounds", &["out-of-bounds"], "An access outside all buffers, variables and arrays. Execution stops before the access, and the fault states its distance from the nearest allocation."),
    ("deadlock", &["stuck"], "All remaining threads wait: at a barrier that other threads never reach, or for an mbarrier phase whose arrivals or bytes are missing."),
    ("inferred launch", &["inference", "inferred", "guess", "guesses", "guessed", "rehearsal", "rehearsed"], "Launch parameters that the source does not specify (block size, buffers, scalars) are inferred from the kernel and validated by a trial run. The page shows them as the equivalent `//@` annotations."),
    ("annotation", &["//@", "annotations", "launch facts", "scenario"], "A comment that starts with `//@` and specifies a launch parameter, an initial value or an expectation: `title`, `about`, `launch`, `buffer`, `scalar`, `start`, `alias`, `register`, `expect` and others. An annotated source remains valid PTX."),
    ("in flight", &["landing", "pending", "land"], "State of an asynchronous store or copy that has been issued but has not completed. The operation completes in a later step of its own and can be completed manually."),
    ("fragment", &["fragments"], "The elements of a matrix that one lane holds in the registers of a matrix instruction."),
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
