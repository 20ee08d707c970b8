//! The remaining API of the package, which tools and editors need, but not widgets.

use super::*;
use js_sys::Uint8Array;
use warpgrid_view::analysis::run_timeline::chrome_trace::chrome_trace;
use warpgrid_view::api::ReportOptions;
use warpgrid_view::memory_model::litmus::ExtractionRequest;
use warpgrid_view::model::{HistoryOptions, StopOptions, TimelineOptions};
use warpgrid_view::source::{editor_assist, reference};

/// Explains a diagnostic code, an instruction, a special register or a term such as `bank`. Returns `undefined` for an unknown subject.
#[wasm_bindgen]
pub fn explain(subject: &str) -> Option<String> {
    warpgrid_view::explain(subject)
}

/// Computes one element of a matrix multiplication as a Tensor Core does: `{ op, shape, types, target, a?, b?, c? }`. Throws a
/// `WarpgridError` if the operation does not exist.
#[wasm_bindgen(unchecked_return_type = "MmaExplanation")]
pub fn product(
    #[wasm_bindgen(unchecked_param_type = "MmaRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    to_js_result(api::product(&from_js(query, "query")?))
}

/// Runs the kernel of a scenario and the kernel in its `beside` field with the same launch configuration, and compares memory contents and
/// stores. `options`: `{ maxSteps? }` for each run. Throws a `WarpgridError` if one of the kernels cannot run.
#[wasm_bindgen(unchecked_return_type = "ComparisonReport")]
pub fn compare(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let scenario: Scenario = from_js_with_extra_fields(scenario, "scenario", CASE_FACTS)?;
    to_js_result(api::compare(scenario, max_steps(options)?))
}

/// Checks a scenario and runs its kernel, or all kernels if the scenario selects none, and lists all findings: `{ verdict, diagnostics, kernels }`.
/// The verdict is `clean`, `findings`, `incomplete` or `error`. `options`: `{ maxSteps?, seeds? }`. A rejected source is a verdict, not an error.
#[wasm_bindgen(unchecked_return_type = "AnalysisReport")]
pub fn analyze(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "AnalysisOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let scenario: Scenario = from_js_with_extra_fields(scenario, "scenario", CASE_FACTS)?;
    to_js_result(api::analyze(&scenario, from_js(options, "options")?))
}

/// Evaluates a CuTe or Triton layout, a descriptor, or the layouts of two consecutive instructions: `{ op, shape?, type?, with? }`, such as
/// `{ op: "layout", with: { expression: "(8,4):(4,1) o 16:2" } }`, `{ op: "wgmma.tile.a", with: { descriptor: "0x4000004000010040" } }` or
/// `{ op: "chain", with: { first: "mma.d m16n8k16 f32", then: "mma.a m16n8k16 f16" } }`. Throws a `WarpgridError` with the position of an error.
#[wasm_bindgen(unchecked_return_type = "LayoutView")]
pub fn lens(
    #[wasm_bindgen(unchecked_param_type = "FragmentRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    to_js_result(api::inspect_layout(&from_js(query, "query")?))
}

/// Renders a layout diagram. `query` is a link of the Layout Explorer, such as `#layouts?op=wgmma.tile.a&type=f16&step=2` (or with the earlier
/// prefixes `#lens` and `#matrix`), or its parameters one per line. `form` selects an SVG image (`svg`), `text` or the `link` to the page.
/// Throws a `WarpgridError` with the position of an error.
#[wasm_bindgen]
pub fn picture(
    query: &str,
    #[wasm_bindgen(unchecked_param_type = "\"svg\" | \"text\" | \"link\"")] form: &str,
) -> Result<String, JsValue> {
    api::render_diagram(query, form).map_err(to_js_error)
}

/// Rewrites the PTX of a scenario to eliminate shared-memory bank conflicts and verifies that both versions produce identical memory contents.
/// `options`: `{ maxSteps? }`. Throws a `WarpgridError` with the reason if no rewrite is found.
#[wasm_bindgen(unchecked_return_type = "BankConflictFix")]
pub fn cure(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let scenario: Scenario = from_js_with_extra_fields(scenario, "scenario", CASE_FACTS)?;
    to_js_result(api::fix_bank_conflicts(&scenario, max_steps(options)?))
}

/// Enumerates the outcomes that the PTX memory model allows for a litmus test, each with an execution, and explains the forbidden outcomes. The
/// source contains `//@ location`, `//@ thread` and `//@ observe` annotations. Throws a `WarpgridError` if the test is invalid or exceeds a limit.
#[wasm_bindgen(js_name = exploreLitmus, unchecked_return_type = "LitmusView")]
pub fn explore_litmus(source: &str) -> Result<JsValue, JsValue> {
    to_js_result(api::explore_litmus(source))
}

/// Finds the weakest fixes of a litmus test that forbid the outcomes of its `//@ bad` annotations, or all outcomes that are not sequentially
/// consistent if there are none. Throws a `WarpgridError` as `exploreLitmus` does.
#[wasm_bindgen(js_name = repairLitmus, unchecked_return_type = "LitmusRepairs")]
pub fn repair_litmus(source: &str) -> Result<JsValue, JsValue> {
    to_js_result(api::repair_litmus(source))
}

/// Lists the embedded code objects of a cubin, fatbin, object file or executable: PTX and SASS, with the properties of their kernels. Throws a
/// `WarpgridError` that names the detected file type if the file is unsupported.
#[wasm_bindgen(js_name = openFile, unchecked_return_type = "FileView")]
pub fn open_file(bytes: &[u8]) -> Result<JsValue, JsValue> {
    to_js_result(api::open_file(bytes))
}

/// Returns an embedded code object as text, by its zero-based index: PTX unchanged, or the readable metadata of SASS without disassembly. Throws a
/// `WarpgridError` if the index is out of range.
#[wasm_bindgen(js_name = fileText)]
pub fn file_text(bytes: &[u8], program: f64) -> Result<String, JsValue> {
    let number = to_u64(program, "program")?;
    api::file_text(bytes, number).map_err(to_js_error)
}

/// Extracts a litmus test for `exploreLitmus` from lines of a kernel: `cut` is `{ lines: [12, 30], threads?: [{ block: [0, 0, 0],
/// thread: [0, 0, 0] }, ...], before? }`. The kernel runs up to these lines; register values and memory contents become constants of the test.
/// `options`: `{ maxSteps? }`. Throws a `WarpgridError` with the reason if no test can be extracted.
#[wasm_bindgen(js_name = cutLitmus)]
pub fn cut_litmus(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_param_type = "ExtractionRequest")] cut: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
) -> Result<String, JsValue> {
    let scenario: Scenario = from_js_with_extra_fields(scenario, "scenario", CASE_FACTS)?;
    let cut: ExtractionRequest = from_js(cut, "cut")?;
    api::extract_litmus_test(scenario, &cut, max_steps(options)?).map_err(to_js_error)
}

/// Formats a source.
#[wasm_bindgen]
pub fn format(source: &str) -> String {
    warpgrid_view::format(source)
}

/// Returns the documentation of the token at a UTF-16 offset, or `undefined` between tokens.
#[wasm_bindgen(unchecked_return_type = "HoverView | undefined")]
pub fn hover(
    source: &str,
    offset: u32,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let options: CheckOptions = from_js(options, "options")?;
    match editor_assist::hover(source, &options, offset) {
        Some(hover) => to_js(&hover),
        None => Ok(JsValue::UNDEFINED),
    }
}

/// Returns the completions at a UTF-16 offset, best match first, limited to items that are valid for the PTX version and target.
#[wasm_bindgen(unchecked_return_type = "CompletionView[]")]
pub fn complete(
    source: &str,
    offset: u32,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let options: CheckOptions = from_js(options, "options")?;
    to_js(&editor_assist::complete(source, &options, offset))
}

/// Returns the instruction forms of the reference as data.
#[wasm_bindgen(unchecked_return_type = "FormPage[]")]
pub fn forms() -> Result<JsValue, JsValue> {
    to_js(&reference::forms())
}

/// Returns the diagnostics of the reference as data.
#[wasm_bindgen(unchecked_return_type = "CodePage[]")]
pub fn codes() -> Result<JsValue, JsValue> {
    to_js(&reference::codes())
}

#[wasm_bindgen]
impl Session {
    /// The scenario with all inferred fields filled in.
    #[wasm_bindgen(getter, unchecked_return_type = "Scenario")]
    pub fn scenario(&self) -> Result<JsValue, JsValue> {
        to_js(self.inner.launch().scenario())
    }

    /// The inferred launch configuration as `//@` annotations.
    #[wasm_bindgen(getter)]
    pub fn guesses(&self) -> Vec<String> {
        self.inner.launch().inferred_annotations().to_vec()
    }

    /// Total number of steps, or `undefined` until the run has reached its end once. After a JIT run in which a warp diverged, the interpreter reruns the
    /// launch to count them.
    #[wasm_bindgen(getter)]
    pub fn length(&mut self) -> Option<f64> {
        self.inner.counted().length().map(|length| length as f64)
    }

    /// Number of executed lane-instructions: the sum of the active lanes over all executed steps of warps.
    #[wasm_bindgen(getter, js_name = laneInstructions)]
    pub fn lane_instructions(&self) -> f64 {
        self.inner.final_session().lane_instructions() as f64
    }

    /// Steps one warp instruction forward. Returns false at the end.
    pub fn step(&mut self) -> bool {
        self.inner.step()
    }

    /// Steps one warp instruction back. Returns false at the start.
    pub fn back(&mut self) -> bool {
        self.inner.tracked_session().step_back()
    }

    /// Returns a copy of the bytes of a buffer or memory. Throws for an unknown name.
    pub fn memory(&self, name: &str) -> Result<Uint8Array, JsValue> {
        Ok(Uint8Array::from(
            self.inner
                .final_session()
                .bytes_of(name)
                .map_err(to_js_error)?,
        ))
    }

    /// Returns the bytes of a buffer or memory as a view of the WebAssembly memory, without a copy. Read it immediately, with any element type
    /// (`new Float32Array(view.buffer, view.byteOffset, view.length / 4)`), and do not write to it: any other call of the package may move or
    /// detach the memory. Throws for an unknown name.
    #[wasm_bindgen(js_name = memoryView)]
    pub fn memory_view(&self, name: &str) -> Result<Uint8Array, JsValue> {
        let bytes = self
            .inner
            .final_session()
            .bytes_of(name)
            .map_err(to_js_error)?;
        let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
        // Addresses and lengths have 32 bits on this target.
        let (start, length) = (bytes.as_ptr() as usize as u32, bytes.len() as u32);
        Ok(Uint8Array::new_with_byte_offset_and_length(
            &memory.buffer(),
            start,
            length,
        ))
    }

    /// Exports a buffer as `"svg"` (cells coloured by lane), `"animation"` (animated SVG of the run up to the current position), `"csv"` or
    /// `"npy"` (NumPy). `options`: `{ columns?, type?, firstRow?, nRows? }`. Throws for an unknown name, and for a table of more than 16 Mi elements.
    #[wasm_bindgen(js_name = memoryFile)]
    pub fn memory_file(
        &mut self,
        name: &str,
        #[wasm_bindgen(unchecked_param_type = "ExportFormat")] form: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "GridOptions")] options: JsValue,
    ) -> Result<Uint8Array, JsValue> {
        let options: GridOptions = from_js(options, "options")?;
        let file = self
            .inner
            .file_named(name, form, options)
            .map_err(to_js_error)?;
        Ok(Uint8Array::from(&file[..]))
    }

    /// Returns the write history of an element in the executed steps: step, line, lane, previous and new value. At most 64 stores up to the current
    /// position and 64 later ones are returned, together with the total counts. `offset` is a byte offset into the buffer. `options`: `{ type?,
    /// bytes? }`. Reruns the executed steps. Throws for an unknown name and for an offset that is out of bounds.
    #[wasm_bindgen(unchecked_return_type = "CellHistory")]
    pub fn history(
        &mut self,
        name: &str,
        offset: f64,
        #[wasm_bindgen(unchecked_optional_param_type = "HistoryOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let offset = to_u64(offset, "offset")?;
        let options: HistoryOptions = from_js(options, "options")?;
        to_js_result(
            self.inner
                .tracked_session()
                .history_named(name, offset, options),
        )
    }

    /// Runs until a condition holds in a lane (`{ condition: "lane 3: %r5 == 7" }`), a line is about to execute (`{ lines: [12] }`) or bytes change
    /// (`{ memory: "out", offset: 16 }`); with `back: true`, back to the previous match. Returns the position and a description of the match. Throws for
    /// an unknown register, line or buffer.
    #[wasm_bindgen(js_name = runUntil, unchecked_return_type = "StopResult")]
    pub fn run_until(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "StopOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: StopOptions = from_js(options, "options")?;
        to_js_result(self.inner.tracked_session().run_until_request(&options))
    }

    /// Returns the lanes and registers of a warp, by linear block index, or `undefined` if the block is not resident.
    #[wasm_bindgen(unchecked_return_type = "WarpView | undefined")]
    pub fn lanes(&mut self, block: f64, warp: f64) -> Result<JsValue, JsValue> {
        let (block, warp) = (to_u64(block, "block")?, to_u64(warp, "warp")?);
        let view = u32::try_from(warp).ok();
        match view.and_then(|warp| self.inner.tracked_session().lanes(block, warp)) {
            Some(view) => to_js(&view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// Asynchronous operations that have been issued but have not completed.
    #[wasm_bindgen(getter, unchecked_return_type = "AsyncOperationView[]")]
    pub fn pending(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.tracked_session().pending())
    }

    /// Completes a pending asynchronous operation immediately. Returns false if the operation is not pending.
    pub fn land(&mut self, id: f64) -> bool {
        self.inner.tracked_session().complete_operation(id as u64)
    }

    /// The mbarrier objects of the resident blocks: phase, pending arrivals, tx-count and waiting warps.
    #[wasm_bindgen(getter, unchecked_return_type = "MbarrierView[]")]
    pub fn mbarriers(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.tracked_session().mbarriers())
    }

    /// Returns the cluster of a block, by linear block index, with its blocks by rank, or `undefined` if the launch has no clusters or the block is
    /// not resident.
    #[wasm_bindgen(unchecked_return_type = "ClusterView | undefined")]
    pub fn cluster(&mut self, block: f64) -> Result<JsValue, JsValue> {
        match self
            .inner
            .tracked_session()
            .cluster(to_u64(block, "block")?)
        {
            Some(view) => to_js(&view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// Returns the sectors, cache lines, wavefronts and bank conflicts of the executed steps, in total and per source line. The first call reruns
    /// the executed steps.
    #[wasm_bindgen(unchecked_return_type = "TrafficView")]
    pub fn traffic(&mut self) -> Result<JsValue, JsValue> {
        self.inner.tracked_session().count_traffic(u64::MAX);
        to_js(&self.inner.tracked_session().traffic())
    }

    /// Returns the timeline of the executed steps: the states of warps, the phases of barriers, asynchronous operations, and the causal links between
    /// them; positions are counted in steps. `options`: `{ from?, to?, columns?, block? }`; with `columns`, spans that are shorter than a column are
    /// merged. The first call after a step reruns the executed steps. Throws for an empty range.
    #[wasm_bindgen(unchecked_return_type = "TimelineView")]
    pub fn timeline(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "TimelineOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: TimelineOptions = from_js(options, "options")?;
        to_js_result(self.inner.tracked_session().timeline(options))
    }

    /// Returns the timeline of the executed steps in the Trace Event Format (JSON), which Perfetto opens. One step is one microsecond.
    #[wasm_bindgen(js_name = chromeTrace)]
    pub fn chrome_trace(&mut self) -> Result<String, JsValue> {
        let timeline = self
            .inner
            .tracked_session()
            .timeline(TimelineOptions::default());
        timeline
            .map(|timeline| chrome_trace(&timeline))
            .map_err(to_js_error)
    }

    /// Returns the source lines of CUDA C++, Triton or another language from which a compiler generated the kernel: `{ files, lines, unused }`. Empty if
    /// the kernel contains no line information. The field `sources` of the scenario or `//@ source` annotations contain the text of the files.
    #[wasm_bindgen(js_name = lineTable, unchecked_return_type = "LineTableView")]
    pub fn line_table(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.launch().line_table())
    }

    /// Infers the layout of each access to shared and global memory in the executed steps: shape and stride, a swizzle of them, or bases over GF(2);
    /// otherwise the first address that matches no layout. Reruns the executed steps.
    #[wasm_bindgen(unchecked_return_type = "InferredAccessLayout[]")]
    pub fn layouts(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.tracked_session().layouts())
    }

    /// Returns the bank conflicts of the executed steps: lanes per bank, conflicting lanes and a conflict-free layout for each buffer. Reruns the steps.
    #[wasm_bindgen(unchecked_return_type = "ConflictReport")]
    pub fn conflicts(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.tracked_session().conflicts())
    }

    /// Runs to completion and checks the expectations of the scenario (`expect`, `one_of`, `expect_sha256`, `fault`): `{ ok, differences, fault, steps,
    /// stores, lane_instructions, notes, … }`; `steps` and `stores` are `null` after a JIT run in which a warp diverged. `options`: `{ maxSteps?, engine?,
    /// traffic?, races?, layouts?, digests? }` request additional results. A hang sets `ok` to false, and `hang` contains its diagnosis.
    #[wasm_bindgen(unchecked_return_type = "RunReport")]
    pub fn report(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "ReportOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: ReportOptions = from_js(options, "options")?;
        let request = options.request().map_err(to_js_error)?;
        #[cfg(feature = "translate")]
        let report = HOST.with(|host| {
            let choice = options.engine.unwrap_or_default();
            self.inner.report_with_engine(host, &request, choice)
        });
        #[cfg(not(feature = "translate"))]
        let report = self.inner.watched().report(&request);
        to_js(&report)
    }

    /// The engine of the last run and its throughput: `{ name, words, rate }`, or `undefined` before the first run.
    #[wasm_bindgen(getter, unchecked_return_type = "EngineView | undefined")]
    pub fn engine(&self) -> Result<JsValue, JsValue> {
        match self.inner.engine() {
            Some(view) => to_js(view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// The fault that stopped execution, or `null`.
    #[wasm_bindgen(getter, unchecked_return_type = "FaultView | null")]
    pub fn fault(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.final_session().fault())
    }

    /// Returns the data races of the executed steps under the PTX memory model: both accesses, the missing synchronization and, for small launches,
    /// the weakest fix. Reruns the executed steps.
    #[wasm_bindgen(unchecked_return_type = "RaceReport")]
    pub fn races(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.tracked_session().races())
    }

    /// Explores all schedules of the launch: proves that each schedule ends without an error and with the same memory, or returns a schedule with
    /// an error. `options` is `{ maxSteps? }`, the maximum number of steps of all executions. The position of the session does not change.
    ///
    /// The property `schedule` of a scenario runs the schedule of a witness.
    #[wasm_bindgen(unchecked_return_type = "ScheduleReport")]
    pub fn schedules(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "ScheduleOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        to_js_result(self.inner.launch().schedules(from_js(options, "options")?))
    }

    /// Returns the diagnosis of a hang (waiting threads, missing event and responsible line), or `null` if no hang was detected.
    #[wasm_bindgen(unchecked_return_type = "HangView | null")]
    pub fn hang(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.ended_mut().hang())
    }

    /// Returns earlier events related to the fault: the thread that computed and stored the address, the last modification of the mbarrier, and the
    /// exits of threads that other threads wait for. Reruns earlier steps.
    #[wasm_bindgen(unchecked_return_type = "CauseView[]")]
    pub fn causes(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.ended_mut().causes())
    }
}
