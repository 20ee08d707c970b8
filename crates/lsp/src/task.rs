//! Tasks: work on snapshots, which a host may execute on any thread.

use crate::document::Snapshot;
use crate::features::commands::CommandResult;
use crate::run_values::RunValues;
use gen_lsp_types::{Diagnostic, Uri};
use lsp_server::{ErrorCode, RequestId, ResponseError};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Group of tasks. Tasks of one group run in their order; a host can run each group on its own thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskGroup {
    /// Requests of the client.
    Requests,
    /// Checks after changes.
    Checks,
    /// Runs of kernels, which can take seconds.
    Runs,
}

impl TaskGroup {
    /// All groups.
    pub const ALL: [TaskGroup; 3] = [TaskGroup::Requests, TaskGroup::Checks, TaskGroup::Runs];
}

/// Work on a snapshot of a document. The output must be passed to [`Server::finish`](crate::Server::finish).
pub struct Task {
    pub group: TaskGroup,
    work: Box<dyn FnOnce() -> Output + Send>,
}

impl Task {
    pub(crate) fn new(group: TaskGroup, work: impl FnOnce() -> Output + Send + 'static) -> Task {
        Task {
            group,
            work: Box::new(work),
        }
    }

    /// Executes the task.
    pub fn run(self) -> TaskOutput {
        TaskOutput((self.work)())
    }
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task")
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

/// Output of a task.
#[derive(Debug)]
pub struct TaskOutput(pub(crate) Output);

#[derive(Debug)]
pub(crate) enum Output {
    Response {
        id: RequestId,
        result: Answer,
    },
    Command {
        id: RequestId,
        result: Result<CommandResult, ResponseError>,
    },
    Diagnostics {
        uri: Uri,
        version: i32,
        diagnostics: Vec<Diagnostic>,
    },
    Run {
        uri: Uri,
        version: i32,
        values: Option<Arc<RunValues>>,
    },
}

/// Result of a request as JSON text, so that the task and not the thread of the server serializes it.
pub(crate) type Answer = Result<Box<RawValue>, ResponseError>;

/// Serializes a result.
pub(crate) fn answer(result: impl Serialize) -> Answer {
    to_raw_value(&result).map_err(|reason| error(ErrorCode::InternalError, reason.to_string()))
}

/// Flag with which the client cancels a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    pub(crate) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns an error if the request was cancelled, or if its snapshot is stale and `needs_newest`.
    pub(crate) fn check(
        &self,
        snapshot: Option<&Snapshot>,
        needs_newest: bool,
    ) -> Result<(), ResponseError> {
        if self.0.load(Ordering::Relaxed) {
            return Err(error(
                ErrorCode::RequestCanceled,
                "the client cancelled the request",
            ));
        }
        if needs_newest && snapshot.is_some_and(Snapshot::is_stale) {
            return Err(error(
                ErrorCode::ContentModified,
                "the document has a newer revision",
            ));
        }
        Ok(())
    }
}

/// Creates an error response.
pub(crate) fn error(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError {
        code: code as i32,
        message: message.into(),
        data: None,
    }
}
