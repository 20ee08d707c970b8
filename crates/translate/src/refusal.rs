//! Reasons for a bailout, formatted as message fragments. After a bailout, the interpreter executes the launch.

use std::fmt;

/// Reason for which the interpreter must execute a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The launch uses features that only the interpreter supports, or has already started.
    Launch,
    /// Untranslated instruction: its position in the decoded code, and the name of its operation.
    Instruction { at: u32, what: String },
    /// The memory or the code is too large.
    TooLarge,
    /// A thread caused a fault, which the interpreter reports.
    Fault,
    /// Lanes use an operation in an uncommon way that is not translated.
    Rare,
    /// Unsynchronized threads access the same memory location, so the result may depend on the schedule.
    Conflict,
    /// Threads of one warp reached different barriers, or some of them exited before a barrier.
    Parted,
    /// The step limit was exceeded.
    Steps,
    /// The run was slower than the interpreter.
    Slow,
    /// Bailout of another host's partition, with its message.
    Part(String),
    /// The engine reported an error.
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
