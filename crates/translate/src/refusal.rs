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
    /// How many steps the interpreter would count is not known.
    Uncounted,
    /// Why another host refused its part of the blocks, in its words.
    Part(String),
    /// The engine refused.
    Engine(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Launch => write!(f, "the launch has parts that are not translated"),
            Refusal::Instruction { at, what } => {
                write!(f, "`{what}` (operation {at}) is not translated")
            }
            Refusal::TooLarge => write!(f, "memory or code is too large to translate"),
            Refusal::Fault => write!(f, "a thread met a fault"),
            Refusal::Rare => write!(f, "lanes use an operation in a way that is not translated"),
            Refusal::Conflict => {
                write!(
                    f,
                    "threads that no barrier orders met at one place in memory"
                )
            }
            Refusal::Parted => write!(f, "threads of one warp came to a barrier apart"),
            Refusal::Steps => write!(f, "the run is longer than was allowed"),
            Refusal::Slow => write!(f, "the interpreter is faster with this kernel"),
            Refusal::Uncounted => {
                write!(f, "the warps parted in a way whose steps are not counted")
            }
            Refusal::Part(why) => write!(f, "{why}"),
            Refusal::Engine(why) => write!(f, "the WebAssembly engine refused: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}
