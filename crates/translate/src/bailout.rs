//! Reasons for a bailout, formatted as message fragments. After a bailout, the interpreter executes the whole launch.

use std::fmt;

/// Reason why the interpreter must execute a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BailoutReason {
    /// The launch requires features that only the interpreter supports, or the machine has already executed a step.
    Launch,
    /// The instruction has no translation. The fields are its position in the decoded code, and the name of its
    /// operation.
    Instruction { at: u32, what: String },
    /// The memory of the launch or the code of the kernel is too large.
    TooLarge,
    /// A thread caused a fault, which the interpreter reports.
    Fault,
    /// Lanes use an operation in an uncommon way for which the translator does not generate code.
    Unsupported,
    /// Threads access the same memory location without synchronization, so the result may depend on the schedule.
    Conflict,
    /// Threads of one warp reached different barriers, or some threads exited before the warp reached a barrier.
    DivergentBarrier,
    /// The run exceeded the step limit.
    StepLimit,
    /// The translated code was slower than the interpreter.
    TooSlow,
    /// Bailout of a partition that another host executes, with the message of this host.
    RemotePartition(String),
    /// The WebAssembly engine reported an error.
    Engine(String),
}

impl fmt::Display for BailoutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BailoutReason::Launch => write!(
                f,
                "the launch configuration is not supported by the JIT compiler"
            ),
            BailoutReason::Instruction { at, what } => {
                write!(
                    f,
                    "the JIT compiler does not support operation {at}: {what}"
                )
            }
            BailoutReason::TooLarge => write!(
                f,
                "the memory or the code of the launch exceeds the limits of the JIT compiler"
            ),
            BailoutReason::Fault => write!(f, "a thread caused a fault"),
            BailoutReason::Unsupported => write!(
                f,
                "the lanes execute an operation in a way that the JIT compiler does not support"
            ),
            BailoutReason::Conflict => {
                write!(
                    f,
                    "threads access the same memory location without synchronization"
                )
            }
            BailoutReason::DivergentBarrier => write!(f, "a diverged warp reached a block barrier"),
            BailoutReason::StepLimit => write!(f, "the run exceeds the step limit"),
            BailoutReason::TooSlow => write!(f, "the interpreter is faster for this kernel"),
            BailoutReason::RemotePartition(reason) => write!(f, "{reason}"),
            BailoutReason::Engine(reason) => {
                write!(f, "the WebAssembly engine rejected the module: {reason}")
            }
        }
    }
}

impl std::error::Error for BailoutReason {}
