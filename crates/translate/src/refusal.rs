//! Why a kernel or a run is not translated. Out comes a sentence's part for people; the interpreter runs in its place.

use std::fmt;

/// Why the interpreter must run a kernel, or run it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The launch has parts that only the interpreter knows, or has begun.
    Launch,
    /// An instruction that is not translated, by its place in the decoded code and the name of its operation.
    Instruction { at: u32, what: String },
    /// Memory, or the code itself, is too large.
    TooLarge,
    /// A thread met a fault, which the interpreter names.
    Fault,
    /// Lanes use an operation in a way that is too rare to be translated.
    Rare,
    /// Threads without an order between them met at one place in memory, so that the result may depend on the schedule.
    Conflict,
    /// Threads of one warp came to different barriers, or some of them ended before one.
    Parted,
    /// The run is longer than was allowed.
    Steps,
    /// The translated run was slower than the interpreter.
    Slow,
    /// Why another host refused its part of the blocks, in its words.
    Part(String),
    /// The engine refused.
    Engine(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Launch => write!(
                f,
                "the launch configuration is not supported by the JIT compiler"
            ),
            Refusal::Instruction { at, what } => {
                write!(
                    f,
                    "the JIT compiler does not support operation {at}: {what}"
                )
            }
            Refusal::TooLarge => write!(
                f,
                "the memory or the code of the launch exceeds the limits of the JIT compiler"
            ),
            Refusal::Fault => write!(f, "a thread caused a fault"),
            Refusal::Rare => write!(
                f,
                "the lanes execute an operation in a way that the JIT compiler does not support"
            ),
            Refusal::Conflict => {
                write!(
                    f,
                    "threads access the same memory location without synchronization"
                )
            }
            Refusal::Parted => write!(f, "a diverged warp reached a block barrier"),
            Refusal::Steps => write!(f, "the run exceeds the step limit"),
            Refusal::Slow => write!(f, "the interpreter is faster for this kernel"),
            Refusal::Part(why) => write!(f, "{why}"),
            Refusal::Engine(why) => write!(f, "the WebAssembly engine rejected the module: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}
