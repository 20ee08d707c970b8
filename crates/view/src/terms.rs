//! Words of the field and of this tool, explained: what people search for that is no instruction and no diagnostic.

mod releases;

use warpgrid_program::TermFacts;

/// Name, other spellings, meaning.
#[rustfmt::skip]
const TERMS: &[(&str, &[&str], &str)] = &[
    ("lane", &["lanes"], "One of the 32 threads of a warp, counted from 0. The lanes of a warp take a step together; the colour of a cell is the lane that wrote it last."),
    ("warp", &["warps"], "32 threads of a block with consecutive indices, x counting fastest. A step is one instruction of one warp."),
    ("block", &["CTA", "thread block"], "The threads that share shared memory and barriers. PTX calls it a CTA."),
    ("active lanes", &["divergence", "diverged", "inactive"], "The lanes that take part in a step. Lanes that a branch led elsewhere wait for their turn; a false guard leaves a lane out of one instruction."),
    ("sector", &["sectors"], "32 bytes of global memory that start at a multiple of 32. Memory is transferred in whole sectors: a store costs as many as it touches, and \"16 of their 128 bytes used\" says how much of them it wrote."),
    ("line", &["cache line"], "128 bytes of global memory that start at a multiple of 128: four sectors."),
    ("bank", &["banks", "bank conflict", "bank conflicts"], "Shared memory has 32 banks of 4 bytes: the word at byte address a is in bank a / 4 modulo 32. In one pass each bank accesses one word, for every lane that asks for it. Lanes that need other words of the same bank take further passes: a bank conflict."),
    ("pass", &["passes", "wavefront", "wavefronts"], "One access to shared memory, in which each of the 32 banks reads or writes one word. 32 lanes with 4 bytes each need at least one pass, with 8 bytes two, with 16 bytes four; bank conflicts add more."),
    ("race", &["lost the race", "conflict"], "Lanes of one store that write different values to the same bytes. Hardware may keep any of them; here the highest lane's value stays. Equal values are not a race, and neither are atomics, since each takes effect."),
    ("coalesced", &["coalescing", "side by side", "stride"], "An access is coalesced if its lanes lie side by side, so that all bytes of its sectors are used. Lanes that lie further apart touch more sectors for the same bytes."),
    ("misaligned", &["misalignment", "alignment"], "An access of n bytes needs an address that is a multiple of n; a vector counts as one access of all its bytes. A run stops before an access that breaks this."),
    ("out of bounds", &["out-of-bounds"], "An access outside of every buffer, variable and array. A run stops before it and says how far it is from the nearest one."),
    ("deadlock", &["stuck"], "All remaining threads wait: at a barrier that others never reach, or for an mbarrier whose arrivals or bytes are missing."),
    ("guess", &["guesses", "guessed", "rehearsal", "rehearsed"], "What a launch needs and the text does not state (the block, buffers, numbers) is derived from the kernel and tried out. Guesses are shown as the `//@` lines that would state them."),
    ("//@", &["annotation", "launch facts", "scenario"], "A comment that states a fact about the launch: `title`, `about`, `launch`, `buffer`, `scalar`, `start`, `alias`, `register` or `expect`. The text stays a valid PTX file."),
    ("in flight", &["landing", "pending", "land"], "An asynchronous store or copy that has started. It lands in a step of its own, later, and may be made to land at once."),
    ("fragment", &["fragments"], "The elements of a matrix that one lane holds, in the registers of a matrix instruction."),
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
