//! What the memory system makes of accesses: sectors and lines of global and local memory, wavefronts and bank conflicts
//! of shared memory, as the profilers of the vendor count them. In: the pieces of accesses; out: counts of one access, and
//! of what an observer sees.

mod access;
mod counter;

pub(crate) use access::{
    Part, Passes, accesses, count_accesses, groups, sectors_of, wavefronts_of,
};
pub(crate) use counter::{TrafficCounter, passes_of};
