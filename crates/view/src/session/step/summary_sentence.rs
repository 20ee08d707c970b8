//! Generation of the summary sentence about the last step, in the terms of the profiler and with emphasized numbers. The sentence is one
//! line: the opcode, the warp, and the effect of the step.

mod accesses;
mod builder;
mod synchronization;
mod tensor;

use crate::model::fault::FaultView;
use crate::model::matrix::StepMma;
use crate::model::step::StepView;
use crate::model::store::{StoreAction, StoreView};
use crate::model::tensor::TensorStep;
use crate::model::{Phrase, PhraseLink, RunStatus};
use crate::session::memory_id::MemoryKey;
use crate::session::step::effects::SyncEffect;
use accesses::{Direction, describe_atomic, describe_plain};
use builder::Sentence;
use synchronization::describe_synchronization;
use tensor::{describe_mma, describe_tensor};
use warpgrid_emulator::StepOutcome;
use warpgrid_isa::{ControlOp, MatrixShape, Operation};
use warpgrid_program::counted;

/// Properties of the launch and of the step that a summary sentence uses in addition to the step itself.
pub(crate) struct SentenceContext<'a> {
    /// Comparison of the results of a matrix multiplication with the exact sums, if the step executed a matrix multiplication.
    pub(crate) product: Option<&'a StepMma>,
    /// Tensor operation that the step started or completed, if the step has a tensor operation.
    pub(crate) tensor: Option<&'a TensorStep>,
    /// Synchronization events of the step, in order.
    pub(crate) effects: &'a [SyncEffect],
    /// First store and first load of the step.
    pub(crate) store: Option<&'a StoreView>,
    pub(crate) load: Option<&'a StoreView>,
    pub(crate) operation: Option<Operation>,
    /// Shape that the modifiers of a matrix instruction specify.
    pub(crate) shape: Option<MatrixShape>,
    pub(crate) outcome: StepOutcome,
    /// Linear index of the block that executed the step.
    pub(crate) block: u64,
    /// Lanes that reached the instruction.
    pub(crate) reached: u32,
    /// Lanes that are not predicated off.
    pub(crate) executed: u32,
    /// Memories that the completed asynchronous operation wrote.
    pub(crate) written: &'a [MemoryKey],
    /// Description of the registers that the step wrote, if it is short.
    pub(crate) results: Option<String>,
    /// Returns the number of threads that have to arrive at a barrier of the block, and the number of threads that have arrived.
    pub(crate) barrier: &'a dyn Fn(u32) -> (u32, u32),
    /// Returns the name of the mbarrier object at an address of shared memory.
    pub(crate) mbarrier_name: &'a dyn Fn(u64) -> String,
    /// Size of the grid in blocks.
    pub(crate) grid: [u32; 3],
    /// Whether the launch has only one warp. In this case, the sentence does not name the warp.
    pub(crate) is_only_warp: bool,
}

/// Returns the summary sentence of the last step.
pub(crate) fn sentence(
    status: RunStatus,
    last: Option<&StepView>,
    fault: Option<&FaultView>,
    around: &SentenceContext<'_>,
) -> Vec<Phrase> {
    let mut sentence = match (fault, last) {
        (Some(fault), _) => {
            return Sentence::default()
                .strong("Execution stopped")
                .plain(format!(": {}.", fault.message))
                .0;
        }
        (None, Some(step)) => describe_step(step, around).plain("."),
        (None, None) => {
            Sentence::default().plain("The run has not started. Step or play to run the kernel.")
        }
    };
    if status == RunStatus::Finished {
        sentence = sentence.plain(" All threads have exited.");
    }
    sentence.0
}

fn describe_step(step: &StepView, around: &SentenceContext<'_>) -> Sentence {
    let opcode = match step.opcode.as_str() {
        // A SASS listing without a final `EXIT` ends with an exit that has no instruction in the source.
        "" => "end of the listing",
        opcode => opcode,
    };
    let opening = Sentence::default().strong(opcode);
    let opening = by(opening, step.block_id, step.warp, around).plain(": ");
    let sentence = describe_effect(opening, around);
    let n_disabled = (around.reached & !around.executed).count_ones();
    match n_disabled {
        // A branch reports the lanes that do not take it.
        0 => sentence,
        _ if around.executed == 0 || is_branch(around) => sentence,
        n => sentence.plain(format!("; {} predicated off", counted(n, "lane"))),
    }
}

fn describe_effect(sentence: Sentence, around: &SentenceContext<'_>) -> Sentence {
    if around.outcome == StepOutcome::Read {
        return source_read(sentence, around);
    }
    let (n_reached, n_executed) = (around.reached.count_ones(), around.executed.count_ones());
    if is_branch(around) {
        return sentence
            .plain("taken by ")
            .strong(format!("{n_executed} of {n_reached}"))
            .plain(" lanes");
    }
    if n_executed == 0 && around.outcome != StepOutcome::Landed {
        return sentence
            .strong(counted(n_reached, "lane"))
            .plain(" predicated off");
    }
    if let Some(tensor) = around.tensor {
        return describe_tensor(sentence, tensor, around);
    }
    let sentence = match describe_synchronization(sentence, around) {
        Ok(described) => return described,
        Err(sentence) => sentence,
    };
    match (around.store, around.load) {
        (Some(store), _) if store.action != StoreAction::Store => describe_atomic(sentence, store),
        (Some(store), _) => describe_plain(sentence, store, Direction::Store),
        (None, Some(load)) => describe_plain(sentence, load, Direction::Load),
        (None, None) => match (around.product, &around.results) {
            (Some(product), _) => describe_mma(sentence, product),
            (None, Some(results)) => sentence.plain(results.as_str()),
            (None, None) => sentence
                .plain("executed by ")
                .strong(counted(n_executed, "lane")),
        },
    }
}

/// Describes the read of the source of an asynchronous copy, which precedes its completion.
fn source_read(sentence: Sentence, around: &SentenceContext<'_>) -> Sentence {
    let sentence = sentence.plain("source of the copy read");
    let Some(load) = around.load else {
        return sentence;
    };
    let sentence = sentence
        .plain(": ")
        .strong(counted(accesses::transferred_bytes(load), "byte"))
        .plain(" from ");
    accesses::memories(sentence, load)
}

fn is_branch(around: &SentenceContext<'_>) -> bool {
    let control = around.operation.and_then(Operation::control);
    control.is_some_and(ControlOp::is_branch)
}

/// Appends the names of the warp and the block that executed the step to the sentence, unless the launch has only one warp.
fn by(sentence: Sentence, block: [u32; 3], warp: u32, around: &SentenceContext<'_>) -> Sentence {
    if around.is_only_warp {
        return sentence;
    }
    let [x, y, z] = block;
    let name = match around.grid {
        [_, 1, 1] => format!("warp {warp} of block {x}"),
        _ => format!("warp {warp} of block ({x}, {y}, {z})"),
    };
    sentence
        .plain(" in ")
        .link(name, PhraseLink::Warp(around.block, warp))
}
