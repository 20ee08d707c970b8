//! The rest of the package: what tools and editors ask of the core, and widgets do not.

use super::*;
use js_sys::Uint8Array;
use warpgrid_view::api::ReportOptions;
use warpgrid_view::litmus::CutRequest;
use warpgrid_view::model::{HistoryOptions, UntilOptions};
use warpgrid_view::{assist, reference};

/// Explains a diagnostic code, an instruction, a special register or a word such as `bank`; `undefined` when it is none of them.
#[wasm_bindgen]
pub fn explain(subject: &str) -> Option<String> {
    warpgrid_view::explain(subject)
}

/// How a tensor core computes one element of a matrix product: `{ op, shape, types, target, a?, b?, c? }`. Throws a `WarpgridError` when
/// there is no such product.
#[wasm_bindgen(unchecked_return_type = "ProductView")]
pub fn product(
    #[wasm_bindgen(unchecked_param_type = "ProductRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    answered(api::product(&from_js(query, "query")?))
}

/// Runs both texts of a scenario with one launch, its own and the one in `beside`, and says whether they leave the same memory or where
/// they part. `options`: `{ maxSteps? }`, of each run. Throws a `WarpgridError` when one of them cannot run.
#[wasm_bindgen(unchecked_return_type = "BesideReport")]
pub fn compare(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let scenario: Scenario = from_js_among(scenario, "scenario", CASE_FACTS)?;
    answered(api::compare(scenario, max_steps(options)?))
}

/// Where things lie by a layout that is written, a descriptor, or two instructions in a row: `{ op, shape?, type?, with? }`, such as
/// `{ op: "layout", with: { expression: "(8,4):(4,1) o 16:2" } }`, `{ op: "wgmma.tile.a", with: { descriptor: "0x4000004000010040" } }` or
/// `{ op: "chain", with: { first: "mma.d m16n8k16 f32", then: "mma.a m16n8k16 f16" } }`. Throws a `WarpgridError` with the place of a mistake.
#[wasm_bindgen(unchecked_return_type = "LayoutView")]
pub fn lens(
    #[wasm_bindgen(unchecked_param_type = "FragmentRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    answered(api::lens(&from_js(query, "query")?))
}

/// The picture of an address of the matrix view or of the lens, such as `#lens?op=wgmma.tile.a&type=f16&step=2`, or of its words one a line, as a
/// drawing (`svg`), as `text`, or as the `link` that leads to it. Throws a `WarpgridError` with the place of a mistake.
#[wasm_bindgen]
pub fn picture(
    query: &str,
    #[wasm_bindgen(unchecked_param_type = "\"svg\" | \"text\" | \"link\"")] form: &str,
) -> Result<String, JsValue> {
    api::picture(query, form).map_err(thrown)
}

/// Rewrites the PTX of a scenario so that its accesses to shared memory have no bank conflicts, runs both texts, and says what was changed
/// and that they leave the same bytes. `options`: `{ maxSteps? }`. Throws a `WarpgridError` that says why where nothing is cured.
#[wasm_bindgen(unchecked_return_type = "Cured")]
pub fn cure(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let scenario: Scenario = from_js_among(scenario, "scenario", CASE_FACTS)?;
    answered(api::cure(&scenario, max_steps(options)?))
}

/// Every outcome that the memory model of PTX allows for a litmus test, each with an execution, and why the others are forbidden. The test is a text
/// with `//@ location`, `//@ thread` and `//@ observe` lines. Throws a `WarpgridError` that says what is wrong, or what is too much.
#[wasm_bindgen(js_name = exploreLitmus, unchecked_return_type = "LitmusView")]
pub fn explore_litmus(source: &str) -> Result<JsValue, JsValue> {
    answered(api::explore_litmus(source))
}

/// The weakest changes of a litmus test that forbid the outcomes of its `//@ bad` lines, or without them all that no interleaving of the threads
/// reaches. Throws a `WarpgridError` as `exploreLitmus` does.
#[wasm_bindgen(js_name = repairLitmus, unchecked_return_type = "LitmusRepairs")]
pub fn repair_litmus(source: &str) -> Result<JsValue, JsValue> {
    answered(api::repair_litmus(source))
}

/// What a file of a compiler holds (a cubin, a fatbin, an object or a program): its programs in PTX and in machine code, with what the file states
/// of their kernels. Throws a `WarpgridError` that says what the file is instead.
#[wasm_bindgen(js_name = openFile, unchecked_return_type = "FileView")]
pub fn open_file(bytes: &[u8]) -> Result<JsValue, JsValue> {
    answered(api::open_file(bytes))
}

/// A program of such a file as a text, by its number from 0: PTX as it is, of machine code what can be read without a disassembler. Throws a
/// `WarpgridError` where there is no such program.
#[wasm_bindgen(js_name = fileText)]
pub fn file_text(bytes: &[u8], program: f64) -> Result<String, JsValue> {
    let number = whole(program, "program")?;
    api::file_text(bytes, number).map_err(thrown)
}

/// The litmus test that lines of a kernel ask, as a text that `exploreLitmus` answers: `cut` is `{ lines: [12, 30], threads?: [{ block: [0, 0, 0],
/// thread: [0, 0, 0] }, ...], before? }`. The kernel runs to its lines; registers become numbers, memory holds what it does then. `options`: `{ maxSteps? }`.
/// Throws a `WarpgridError` that says why where the lines make no test.
#[wasm_bindgen(js_name = cutLitmus)]
pub fn cut_litmus(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_param_type = "CutRequest")] cut: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
) -> Result<String, JsValue> {
    let scenario: Scenario = from_js_among(scenario, "scenario", CASE_FACTS)?;
    let cut: CutRequest = from_js(cut, "cut")?;
    api::cut_litmus(scenario, &cut, max_steps(options)?).map_err(thrown)
}

/// Formats a source.
#[wasm_bindgen]
pub fn format(source: &str) -> String {
    warpgrid_view::format(source)
}

/// Explains the token at a UTF-16 offset; `undefined` between tokens.
#[wasm_bindgen(unchecked_return_type = "HoverView | undefined")]
pub fn hover(
    source: &str,
    offset: u32,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let options: CheckOptions = from_js(options, "options")?;
    match assist::hover(source, &options, offset) {
        Some(hover) => to_js(&hover),
        None => Ok(JsValue::UNDEFINED),
    }
}

/// Lists what can be written at a UTF-16 offset, best first: only what is legal for the version and target.
#[wasm_bindgen(unchecked_return_type = "CompletionView[]")]
pub fn complete(
    source: &str,
    offset: u32,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let options: CheckOptions = from_js(options, "options")?;
    to_js(&assist::complete(source, &options, offset))
}

/// The instruction forms of the reference, as data.
#[wasm_bindgen(unchecked_return_type = "FormPage[]")]
pub fn forms() -> Result<JsValue, JsValue> {
    to_js(&reference::forms())
}

/// The diagnostics of the reference, as data.
#[wasm_bindgen(unchecked_return_type = "CodePage[]")]
pub fn codes() -> Result<JsValue, JsValue> {
    to_js(&reference::codes())
}

#[wasm_bindgen]
impl Session {
    /// The scenario with everything filled in that was guessed.
    #[wasm_bindgen(getter, unchecked_return_type = "Scenario")]
    pub fn scenario(&self) -> Result<JsValue, JsValue> {
        to_js(self.inner.launch().scenario())
    }

    /// What was guessed, as the `//@` lines that would state it in the source.
    #[wasm_bindgen(getter)]
    pub fn guesses(&self) -> Vec<String> {
        self.inner.launch().guesses().to_vec()
    }

    /// Steps of the whole run; `undefined` until its end was seen.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> Option<f64> {
        self.inner.ended().length().map(|length| length as f64)
    }

    /// Steps one warp-instruction forward; false at the end.
    pub fn step(&mut self) -> bool {
        self.inner.step()
    }

    /// Steps one warp-instruction back; false at the start.
    pub fn back(&mut self) -> bool {
        self.inner.watched().back()
    }

    /// The bytes of a memory, copied: they stay as they are. Throws for an unknown name.
    pub fn memory(&self, name: &str) -> Result<Uint8Array, JsValue> {
        Ok(Uint8Array::from(
            self.inner.ended().bytes_of(name).map_err(thrown)?,
        ))
    }

    /// The bytes of a memory where they lie in the wasm, without a copy: to read at once, in the element type of your choice
    /// (`new Float32Array(view.buffer, view.byteOffset, view.length / 4)`), and not to write. Any other call of the package ends it: after that it
    /// may have other bytes, or none. Throws for an unknown name.
    #[wasm_bindgen(js_name = memoryView)]
    pub fn memory_view(&self, name: &str) -> Result<Uint8Array, JsValue> {
        let bytes = self.inner.ended().bytes_of(name).map_err(thrown)?;
        let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
        // Addresses and lengths of this target have 32 bits.
        let (start, length) = (bytes.as_ptr() as usize as u32, bytes.len() as u32);
        Ok(Uint8Array::new_with_byte_offset_and_length(
            &memory.buffer(),
            start,
            length,
        ))
    }

    /// A memory as a file: `"svg"` (its cells in the colours of their lanes), `"animation"` (the run up to here as an SVG that moves), `"csv"`,
    /// `"npy"` (for NumPy). `options`: `{ columns?, type?, firstRow?, nRows? }`. Throws for an unknown name, and for a table of more than 16 Mi elements.
    #[wasm_bindgen(js_name = memoryFile)]
    pub fn memory_file(
        &mut self,
        name: &str,
        #[wasm_bindgen(unchecked_param_type = "MemoryForm")] form: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "GridOptions")] options: JsValue,
    ) -> Result<Uint8Array, JsValue> {
        let options: GridOptions = from_js(options, "options")?;
        let file = self.inner.file_named(name, form, options).map_err(thrown)?;
        Ok(Uint8Array::from(&file[..]))
    }

    /// Every store that wrote a cell of a memory in the steps that were taken: step, line, lane, what it held before and after; the latest 64 up to the
    /// present position and the first 64 after it, and how many there are. `offset` counts bytes from the start of the memory. `options`:
    /// `{ type?, bytes? }`. Runs the steps once more. Throws for an unknown name, and for a cell that lies outside.
    #[wasm_bindgen(unchecked_return_type = "CellHistory")]
    pub fn history(
        &mut self,
        name: &str,
        offset: f64,
        #[wasm_bindgen(unchecked_optional_param_type = "HistoryOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let offset = whole(offset, "offset")?;
        let options: HistoryOptions = from_js(options, "options")?;
        answered(self.inner.watched().history_named(name, offset, options))
    }

    /// Runs until a lane meets a condition (`{ condition: "lane 3: %r5 == 7" }`), a line comes next (`{ lines: [12] }`) or bytes change
    /// (`{ memory: "out", offset: 16 }`); with `back: true` to where that was last. Says where it came to, and what happened. Throws where there is
    /// no such register, line or memory.
    #[wasm_bindgen(js_name = runUntil, unchecked_return_type = "Reached")]
    pub fn run_until(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "UntilOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: UntilOptions = from_js(options, "options")?;
        answered(self.inner.watched().run_until_asked(&options))
    }

    /// Lanes and registers of a warp, by linear block index; `undefined` when it is not on the machine.
    #[wasm_bindgen(unchecked_return_type = "WarpView | undefined")]
    pub fn lanes(&mut self, block: f64, warp: f64) -> Result<JsValue, JsValue> {
        let (block, warp) = (whole(block, "block")?, whole(warp, "warp")?);
        let view = u32::try_from(warp).ok();
        match view.and_then(|warp| self.inner.watched().lanes(block, warp)) {
            Some(view) => to_js(&view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// Operations in flight: stores that have started and not landed.
    #[wasm_bindgen(getter, unchecked_return_type = "PendingView[]")]
    pub fn pending(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.watched().pending())
    }

    /// Lets an operation in flight land now; false when it is not in flight.
    pub fn land(&mut self, id: f64) -> bool {
        self.inner.watched().land(id as u64)
    }

    /// The mbarrier objects of the blocks that are on the machine: phase, pending arrivals, awaited bytes, who waits.
    #[wasm_bindgen(getter, unchecked_return_type = "MbarrierView[]")]
    pub fn mbarriers(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.watched().mbarriers())
    }

    /// The cluster of a block, by linear index: its blocks by rank; `undefined` where clusters are single blocks, and when the
    /// block is not on the machine.
    #[wasm_bindgen(unchecked_return_type = "ClusterView | undefined")]
    pub fn cluster(&mut self, block: f64) -> Result<JsValue, JsValue> {
        match self.inner.watched().cluster(whole(block, "block")?) {
            Some(view) => to_js(&view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// What the steps that were taken cost in sectors, lines, wavefronts and bank conflicts, in all and by line of the source. The first
    /// call runs them once more.
    #[wasm_bindgen(unchecked_return_type = "TrafficView")]
    pub fn traffic(&mut self) -> Result<JsValue, JsValue> {
        self.inner.watched().count_traffic(u64::MAX);
        to_js(&self.inner.watched().traffic())
    }

    /// The layout of each access to shared and global memory in the steps that were taken: shape and stride, a swizzle of them, or bases over
    /// GF(2); or that there is none, and where it breaks. Runs them once more.
    #[wasm_bindgen(unchecked_return_type = "AccessLayout[]")]
    pub fn layouts(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.watched().layouts())
    }

    /// Bank conflicts of the steps that were taken: lanes by banks, which lanes collide, and what frees each buffer. Runs them once more.
    #[wasm_bindgen(unchecked_return_type = "ConflictReport")]
    pub fn conflicts(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.watched().conflicts())
    }

    /// Runs to the end, and says whether it is as the scenario promises (`expect`, `one_of`, `expect_sha256`, `fault`): `{ ok, differences, fault, steps,
    /// stores, notes, … }`. `options`: `{ maxSteps?, engine?, traffic?, races?, layouts?, digests? }` ask for more. What cannot end is not well, and `hang` says why.
    #[wasm_bindgen(unchecked_return_type = "RunReport")]
    pub fn report(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "ReportOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: ReportOptions = from_js(options, "options")?;
        let request = options.request().map_err(thrown)?;
        #[cfg(feature = "translate")]
        let report = HOST.with(|host| {
            let choice = options.engine.unwrap_or_default();
            self.inner.report_by(host, &request, choice)
        });
        #[cfg(not(feature = "translate"))]
        let report = self.inner.watched().report(&request);
        to_js(&report)
    }

    /// Which engine ran last, and how fast: `{ name, words, rate }`; `undefined` before the first run.
    #[wasm_bindgen(getter, unchecked_return_type = "EngineView | undefined")]
    pub fn engine(&self) -> Result<JsValue, JsValue> {
        match self.inner.engine() {
            Some(view) => to_js(view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// The fault that stopped the launch, or `null`.
    #[wasm_bindgen(getter, unchecked_return_type = "FaultView | null")]
    pub fn fault(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.ended().fault())
    }

    /// The data races of the steps that were taken, by the memory model of PTX: both accesses of each, what is missing between them, and the
    /// weakest repair of small launches. The steps are run once more.
    #[wasm_bindgen(unchecked_return_type = "RaceReport")]
    pub fn races(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.watched().races())
    }

    /// Why the launch never ends, where the run has found that it does not: who waits for what, what is missing, and the line that should
    /// have brought it; or `null`.
    #[wasm_bindgen(unchecked_return_type = "HangView | null")]
    pub fn hang(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.ended_mut().hang())
    }

    /// The earlier events that matter for the fault that stopped the launch: who computed and stored the address, who changed the mbarrier
    /// last, where threads ended that others wait for. Steps before it are run once more for them.
    #[wasm_bindgen(unchecked_return_type = "CauseView[]")]
    pub fn causes(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.ended_mut().causes())
    }
}
