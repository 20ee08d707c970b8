//! Runs whose blocks are distributed among several workers (`runOnWorkers` of `npm/workers.js`), each with a session of the same launch.
//! The functions execute block ranges and merge the partitions that other workers executed into the session.

use crate::{HOST, Session, from_js, to_js, to_js_error, to_u64};
use js_sys::Object;
use std::time::Duration;
use warpgrid_view::RequestError;
use warpgrid_view::model::SessionRunOptions;
use warpgrid_view::session::distributed_run::{DistributedRun, FallbackReason, WorkerPolicy};
use warpgrid_view::session::translated_run::RunLimits;
use warpgrid_webassembly::{JsEngine, deserialize_partition, serialize_partition};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Session {
    /// Starts a run like `run`. If the run is long, assigns trailing block ranges to at most `n_workers - 1` other workers and returns
    /// `[first, end]` of each range. Returns an empty list if no blocks are assigned to other workers.
    #[wasm_bindgen(js_name = beginShared, skip_typescript)]
    pub fn begin_parallel(&mut self, options: JsValue, n_workers: u32) -> Result<JsValue, JsValue> {
        let options: SessionRunOptions = from_js(options, "options")?;
        let max_steps = options.steps().map_err(to_js_error)?;
        let choice = options.engine.unwrap_or_default();
        let sharing = WorkerPolicy::among(n_workers.into());
        let begun = HOST.with(|host| {
            self.inner
                .begin_with_engine(host, max_steps, choice, sharing)
        });
        let shares = begun.map(|(run, shares)| {
            self.shared = Some(run);
            shares
        });
        let shares = shares.unwrap_or_default().into_iter();
        let ends: Vec<[f64; 2]> = shares
            .map(|blocks| [blocks.start as f64, blocks.end as f64])
            .collect();
        to_js(&ends)
    }

    /// Returns the indices of the memory ranges that all partitions track in shadow memory.
    #[wasm_bindgen(getter, js_name = noted, skip_typescript)]
    pub fn tracked_ranges(&self) -> Vec<u32> {
        let noted = self.shared.as_ref().map(DistributedRun::tracked_ranges);
        noted.unwrap_or_default().to_vec()
    }

    /// Executes blocks that are not assigned to other workers for about `milliseconds`. Returns true if all of them have been executed.
    #[wasm_bindgen(js_name = goOn, skip_typescript)]
    pub fn continue_parallel(&mut self, milliseconds: f64) -> bool {
        let rest = Duration::from_secs_f64(milliseconds.clamp(0.0, 1e6) / 1e3);
        let ran = self
            .shared
            .as_mut()
            .map(|run| run.run_local_blocks(Some(rest)));
        match ran {
            Some(Ok(is_over)) => is_over,
            Some(Err(reason)) => {
                self.fall_back(reason);
                true
            }
            None => true,
        }
    }

    /// Aborts the distributed run and discards the results of other workers; the next `run` starts over.
    #[wasm_bindgen(js_name = leaveShared, skip_typescript)]
    pub fn abort_parallel(&mut self) {
        self.shared = None;
    }

    /// Merges the partitions of other workers. Returns false if all partitions must run again with the updated `noted` ranges. Otherwise,
    /// the session is at the end of the run, or at the position that the interpreter has reached.
    #[wasm_bindgen(js_name = joinParts, skip_typescript)]
    pub fn merge_results(&mut self, parts: Vec<JsValue>) -> Result<bool, JsValue> {
        let Some(mut run) = self.shared.take() else {
            return Ok(true);
        };
        let parts: Result<Vec<_>, String> = parts.iter().map(deserialize_partition).collect();
        let parts = parts.map_err(|reason| unreadable(&reason))?;
        let max_position = run.limits().max_steps;
        let end = match run.join(&parts) {
            Ok(false) => {
                self.shared = Some(run);
                return Ok(false);
            }
            Ok(true) => run.finish(),
            Err(reason) => Err(reason),
        };
        self.inner.finish::<JsEngine>(end, max_position);
        Ok(true)
    }

    /// Executes a block range for another worker with the given tracked ranges, and returns the partition as an object that can be posted
    /// to that worker.
    #[wasm_bindgen(js_name = runShare, skip_typescript)]
    pub fn run_partition(
        &mut self,
        share: Vec<f64>,
        noted: Vec<u32>,
        max_steps: f64,
    ) -> Result<Object, JsValue> {
        let [first, end] = share[..] else {
            return Err(unreadable(
                "expected the index of the first block and the exclusive end of the range",
            ));
        };
        let blocks = to_u64(first, "share")?..to_u64(end, "share")?;
        let max_steps = to_u64(max_steps, "maxSteps")?;
        let ran = self.try_share(max_steps, |run, host| {
            let part = run.run_share(host, blocks, &noted);
            part.map(serialize_partition)
        });
        let ran = ran.map_err(|reason| unreadable(&reason.0))?;
        ran.map_err(|reason| unreadable(&reason))
    }

    fn try_share<R>(
        &mut self,
        max_steps: u64,
        run_by: impl FnOnce(&mut DistributedRun<JsEngine>, &JsEngine) -> Result<R, FallbackReason>,
    ) -> Result<R, FallbackReason> {
        HOST.with(|host| {
            if self.shared.is_none() {
                let launch = self.inner.launch().restart_without_last_writers();
                let launch = launch.map_err(|failure| FallbackReason(failure.message))?;
                let limits = RunLimits {
                    max_steps,
                    min_steps_per_second: None,
                };
                self.shared = Some(DistributedRun::new(launch, host, limits)?);
            }
            match &mut self.shared {
                Some(run) => run_by(run, host),
                None => Err(FallbackReason(
                    "no blocks were distributed to workers".to_owned(),
                )),
            }
        })
    }

    fn fall_back(&mut self, reason: FallbackReason) {
        if let Some(run) = self.shared.take() {
            self.inner
                .finish::<JsEngine>(Err(reason), run.limits().max_steps);
        }
    }
}

fn unreadable(reason: &str) -> JsValue {
    to_js_error(RequestError::invalid_argument("part", reason))
}
