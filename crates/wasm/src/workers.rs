//! Runs whose blocks are distributed among several workers (`runOnWorkers` of `npm/workers.js`), each with a session of
//! the same launch. Input: ranges of blocks, and partitions that ran elsewhere. Output: partitions, and the session at
//! its end.

use crate::{HOST, Session, from_js, thrown, to_js, whole};
use js_sys::Object;
use std::time::Duration;
use warpgrid_view::Failure;
use warpgrid_view::model::SessionRunOptions;
use warpgrid_view::session::distributed_run::{SharedRun, Sharing, Untranslated};
use warpgrid_view::session::translated::Limits;
use warpgrid_webassembly::{Host, received, sent};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Session {
    /// Runs forward as `run` does. If the end is far, the blocks from some on are left to at most `n_workers - 1` others: `[first, end]` of each share. Empty
    /// where nothing is left to others.
    #[wasm_bindgen(js_name = beginShared, skip_typescript)]
    pub fn begin_shared(&mut self, options: JsValue, n_workers: u32) -> Result<JsValue, JsValue> {
        let options: SessionRunOptions = from_js(options, "options")?;
        let max_steps = options.steps().map_err(thrown)?;
        let choice = options.engine.unwrap_or_default();
        let sharing = Sharing::among(n_workers.into());
        let begun = HOST.with(|host| self.inner.begin_by(host, max_steps, choice, sharing));
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

    /// Ranges of memory that all parts note, by their numbers.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn noted(&self) -> Vec<u32> {
        let noted = self.shared.as_ref().map(SharedRun::noted);
        noted.unwrap_or_default().to_vec()
    }

    /// Runs blocks that were not left to others, for about this number of milliseconds; true when all have run.
    #[wasm_bindgen(js_name = goOn, skip_typescript)]
    pub fn go_on(&mut self, milliseconds: f64) -> bool {
        let rest = Duration::from_secs_f64(milliseconds.clamp(0.0, 1e6) / 1e3);
        let ran = self.shared.as_mut().map(|run| run.go_on(Some(rest)));
        match ran {
            Some(Ok(is_over)) => is_over,
            Some(Err(why)) => {
                self.give_up(why);
                true
            }
            None => true,
        }
    }

    /// Takes nothing of others: `run` begins anew.
    #[wasm_bindgen(js_name = leaveShared, skip_typescript)]
    pub fn leave_shared(&mut self) {
        self.shared = None;
    }

    /// Takes what others ran. False where all must run once more, with other `noted` ranges; else the session is at its end, or wherever the
    /// interpreter has brought it.
    #[wasm_bindgen(js_name = joinParts, skip_typescript)]
    pub fn join_parts(&mut self, parts: Vec<JsValue>) -> Result<bool, JsValue> {
        let Some(mut run) = self.shared.take() else {
            return Ok(true);
        };
        let parts: Result<Vec<_>, String> = parts.iter().map(received).collect();
        let parts = parts.map_err(|why| unreadable(&why))?;
        let max_position = run.limits().max_steps;
        let end = match run.join(&parts) {
            Ok(false) => {
                self.shared = Some(run);
                return Ok(false);
            }
            Ok(true) => run.finish(),
            Err(why) => Err(why),
        };
        self.inner.finish::<Host>(end, max_position);
        Ok(true)
    }

    /// Runs a share for another worker, with these ranges noted: an object to send there.
    #[wasm_bindgen(js_name = runShare, skip_typescript)]
    pub fn run_share(
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
        let blocks = whole(first, "share")?..whole(end, "share")?;
        let max_steps = whole(max_steps, "maxSteps")?;
        let ran = self.try_share(max_steps, |run, host| {
            let part = run.run_share(host, blocks, &noted);
            part.map(sent)
        });
        let ran = ran.map_err(|why| unreadable(&why.0))?;
        ran.map_err(|why| unreadable(&why))
    }

    fn try_share<R>(
        &mut self,
        max_steps: u64,
        run_by: impl FnOnce(&mut SharedRun<Host>, &Host) -> Result<R, Untranslated>,
    ) -> Result<R, Untranslated> {
        HOST.with(|host| {
            if self.shared.is_none() {
                let launch = self.inner.launch().unwatched();
                let launch = launch.map_err(|failure| Untranslated(failure.message))?;
                let limits = Limits {
                    max_steps,
                    least_pace: None,
                };
                self.shared = Some(SharedRun::new(launch, host, limits)?);
            }
            match &mut self.shared {
                Some(run) => run_by(run, host),
                None => Err(Untranslated(
                    "no blocks were distributed to workers".to_owned(),
                )),
            }
        })
    }

    fn give_up(&mut self, why: Untranslated) {
        if let Some(run) = self.shared.take() {
            self.inner.finish::<Host>(Err(why), run.limits().max_steps);
        }
    }
}

fn unreadable(why: &str) -> JsValue {
    thrown(Failure::unreadable("part", why))
}
