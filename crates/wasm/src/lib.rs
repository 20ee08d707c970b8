//! The JavaScript face of [`warpgrid_view`], one class over `Session`: no logic of its own.
//!
//! Objects cross as plain JavaScript values in the shapes of `types.ts`; 64-bit addresses are
//! hexadecimal text, bulk memory is a `Uint8Array`, lines and columns count from 1 in UTF-16 units.

use js_sys::Uint8Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use warpgrid_view::catalogue::{
    NO_SUCH_MEMORY, UNREADABLE_ARGUMENT, no_such_memory, unreadable_argument,
};
use warpgrid_view::fields::{CASE_FACTS, unknown_field};
use warpgrid_view::fragment::FragmentRequest;
use warpgrid_view::grid::MAX_COLUMNS;
use warpgrid_view::model::{FrameRequest, GridOptions, GridRequest, RunOptions};
use warpgrid_view::product::ProductRequest;
use warpgrid_view::scenario::ExpectedFault;
use warpgrid_view::{CheckOptions, MemoryId, Parameter, Scenario, SessionError, assist, reference};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

/// Steps of one `run()` when the caller names no limit.
const DEFAULT_MAX_STEPS: u64 = 100_000_000;

fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::new()
        .serialize_missing_as_null(true)
        .serialize_maps_as_objects(true);
    value.serialize(&serializer).map_err(JsValue::from)
}

fn from_js<T: DeserializeOwned + Default>(value: JsValue, what: &str) -> Result<T, JsValue> {
    from_js_among(value, what, &[])
}

/// Reads an argument that may have other facts beside its own.
fn from_js_among<T: DeserializeOwned + Default>(
    value: JsValue,
    what: &str,
    others: &[&str],
) -> Result<T, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    // The type reads the fields that it has; any other would be dropped in silence.
    let mut value = value;
    if let Some(object) = value.dyn_ref::<js_sys::Object>() {
        refuse_unknown::<T>(object, what, others)?;
        value = without_undefined(object).into();
    }
    serde_wasm_bindgen::from_value(value).map_err(|error| {
        let why = error.to_string();
        unreadable(what, why.strip_prefix("Error: ").unwrap_or(&why))
    })
}

/// Refuses an object with a field that neither `T` has nor `others` name.
fn refuse_unknown<T: DeserializeOwned>(
    object: &js_sys::Object,
    what: &str,
    others: &[&str],
) -> Result<(), JsValue> {
    let keys = js_sys::Object::keys(object);
    let names = keys.iter().filter_map(|key| key.as_string());
    match unknown_field::<T>(names, others) {
        Some(why) => Err(unreadable(what, &why)),
        None => Ok(()),
    }
}

/// The objects at a key: the value itself, or the members of an array.
fn objects_at(object: &JsValue, key: &str) -> Vec<js_sys::Object> {
    // What is no object has no keys; the type says so when it is read.
    let value = js_sys::Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED);
    let members = match value.dyn_ref::<js_sys::Array>() {
        Some(array) => array.iter().collect(),
        None => vec![value],
    };
    let objects = members.into_iter().filter(JsValue::is_object);
    objects.map(JsCast::unchecked_into).collect()
}

/// Refuses unknown fields of parameters, and of the members of structures.
fn refuse_unknown_parameters(object: &JsValue, key: &str) -> Result<(), JsValue> {
    for parameter in objects_at(object, key) {
        refuse_unknown::<Parameter>(&parameter, "scenario", &[])?;
        refuse_unknown_parameters(&parameter, "fields")?;
    }
    Ok(())
}

/// A copy without the fields that are `undefined`: to JavaScript they are the same as absent ones.
fn without_undefined(object: &js_sys::Object) -> js_sys::Object {
    let fresh = js_sys::Object::new();
    for key in js_sys::Object::keys(object) {
        // Neither a field of a plain object nor one of a fresh object fails; a getter that throws counts as absent.
        let value = js_sys::Reflect::get(object, &key).unwrap_or(JsValue::UNDEFINED);
        if !value.is_undefined() {
            let _ = js_sys::Reflect::set(&fresh, &key, &value);
        }
    }
    fresh
}

/// Refuses a width that no grid has.
fn refuse_columns(columns: Option<u32>, what: &str) -> Result<(), JsValue> {
    if columns.is_none_or(|columns| (1..=MAX_COLUMNS).contains(&columns)) {
        return Ok(());
    }
    let why = format!("expected 1 to {MAX_COLUMNS} columns");
    Err(unreadable(what, &why))
}

fn unreadable(what: &str, why: &str) -> JsValue {
    failure(
        UNREADABLE_ARGUMENT,
        &unreadable_argument(what, why),
        JsValue::NULL,
    )
}

/// A count or a place in a run: numbers of JavaScript are exact up to 2^53.
fn whole(value: f64, what: &str) -> Result<u64, JsValue> {
    if value >= 0.0 && value.fract() == 0.0 {
        return Ok(value as u64);
    }
    let why = format!("found {value}, expected a whole number from 0");
    Err(unreadable(what, &why))
}

/// An `Error` with the name `WarpgridError`, a code and diagnostics.
fn failure(code: &str, message: &str, diagnostics: JsValue) -> JsValue {
    let error = js_sys::Error::new(message);
    error.set_name("WarpgridError");
    let object: JsValue = error.into();
    // Setting a property of a fresh object cannot fail.
    let _ = js_sys::Reflect::set(&object, &"code".into(), &code.into());
    let _ = js_sys::Reflect::set(&object, &"diagnostics".into(), &diagnostics);
    object
}

fn session_failure(error: &SessionError) -> JsValue {
    let diagnostics = to_js(&error.diagnostics).unwrap_or(JsValue::NULL);
    failure(&error.code, &error.message, diagnostics)
}

/// Checks a source. `options`: `{ target?, ptx_version?, front? }`.
#[wasm_bindgen(unchecked_return_type = "CheckReport")]
pub fn check(
    source: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let options: CheckOptions = from_js(options, "options")?;
    to_js(&warpgrid_view::check(source, &options))
}

/// Explains a diagnostic code, an instruction, a special register or a word such as `bank`; `undefined` when it is none of them.
#[wasm_bindgen]
pub fn explain(subject: &str) -> Option<String> {
    warpgrid_view::explain(subject)
}

/// Which lane and register holds which element of a matrix: `{ op, shape, type, target, layout?, stride? }`. Throws a
/// `WarpgridError` that says what exists instead when there is no such fragment.
#[wasm_bindgen(unchecked_return_type = "FragmentView")]
pub fn fragment(
    #[wasm_bindgen(unchecked_param_type = "FragmentRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    let request: FragmentRequest = from_js(query, "query")?;
    let view = warpgrid_view::fragment::fragment(&request)
        .map_err(|refusal| failure(UNREADABLE_ARGUMENT, &refusal.message, JsValue::NULL))?;
    to_js(&view)
}

/// How a tensor core computes one element of a matrix product: `{ op, shape, types, target, a?, b?, c? }`. Throws a `WarpgridError` when
/// there is no such product.
#[wasm_bindgen(unchecked_return_type = "ProductView")]
pub fn product(
    #[wasm_bindgen(unchecked_param_type = "ProductRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    let request: ProductRequest = from_js(query, "query")?;
    let view = warpgrid_view::product::product(&request)
        .map_err(|message| failure(UNREADABLE_ARGUMENT, &message, JsValue::NULL))?;
    to_js(&view)
}

/// Runs both texts of a scenario with one launch, its own and the one in `beside`, and says whether they leave the same memory or where
/// they part. `options`: `{ maxSteps? }`, of each run. Throws a `WarpgridError` when one of them cannot run.
#[wasm_bindgen(unchecked_return_type = "BesideReport")]
pub fn compare(
    #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let scenario: Scenario = from_js_among(scenario, "scenario", CASE_FACTS)?;
    if scenario.beside.is_none() {
        return Err(unreadable("scenario", "found no text in `beside`"));
    }
    let max_steps = max_steps(from_js(options, "options")?)?;
    let report = warpgrid_view::beside::compare(scenario, max_steps)
        .map_err(|found| session_failure(&found.error))?;
    to_js(&report)
}

/// The limit of a run.
fn max_steps(options: RunOptions) -> Result<u64, JsValue> {
    match options.max_steps {
        // No limit at all.
        Some(f64::INFINITY) => Ok(u64::MAX),
        Some(steps) => whole(steps, "maxSteps"),
        None => Ok(DEFAULT_MAX_STEPS),
    }
}

/// Formats a source.
#[wasm_bindgen]
pub fn format(source: &str) -> String {
    warpgrid_view::format(source)
}

/// Splits a source into coloured tokens, in text order; offsets count UTF-16 units. `options`: `{ front? }`.
#[wasm_bindgen(unchecked_return_type = "TokenView[]")]
pub fn tokens(
    source: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let options: CheckOptions = from_js(options, "options")?;
    to_js(&warpgrid_view::check::tokens(source, options.front))
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

/// A scenario, checked and ready to be stepped forward and back.
#[wasm_bindgen]
pub struct Session {
    inner: warpgrid_view::Session,
}

#[wasm_bindgen]
impl Session {
    /// Checks and launches; throws a `WarpgridError { code, diagnostics }` when the scenario cannot run.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    ) -> Result<Session, JsValue> {
        // The corpus form is a scenario with facts of its own.
        refuse_unknown_parameters(&scenario, "params")?;
        for fault in objects_at(&scenario, "fault") {
            refuse_unknown::<ExpectedFault>(&fault, "scenario", &[])?;
        }
        let scenario: Scenario = from_js_among(scenario, "scenario", CASE_FACTS)?;
        let inner =
            warpgrid_view::Session::new(scenario).map_err(|error| session_failure(&error))?;
        Ok(Session { inner })
    }

    /// The scenario with everything filled in that was guessed.
    #[wasm_bindgen(getter, unchecked_return_type = "Scenario")]
    pub fn scenario(&self) -> Result<JsValue, JsValue> {
        to_js(self.inner.scenario())
    }

    /// What was guessed, as the `//@` lines that would state it in the source.
    #[wasm_bindgen(getter)]
    pub fn guesses(&self) -> Vec<String> {
        self.inner.guesses().to_vec()
    }

    /// Steps done.
    #[wasm_bindgen(getter)]
    pub fn position(&self) -> f64 {
        self.inner.position() as f64
    }

    /// Steps of the whole run; `undefined` until its end was seen.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> Option<f64> {
        self.inner.length().map(|length| length as f64)
    }

    /// Whether every thread has ended or a fault stopped the launch.
    #[wasm_bindgen(getter)]
    pub fn over(&self) -> bool {
        self.inner.is_over()
    }

    /// Steps one warp-instruction forward; false at the end.
    pub fn step(&mut self) -> bool {
        self.inner.step()
    }

    /// Steps one warp-instruction back; false at the start.
    pub fn back(&mut self) -> bool {
        self.inner.back()
    }

    /// Goes to a position, or to the end if the run is shorter.
    pub fn seek(&mut self, position: f64) -> Result<(), JsValue> {
        self.inner.seek(whole(position, "position")?);
        Ok(())
    }

    /// Runs forward; true when the run is over. `options`: `{ maxSteps? }`.
    pub fn run(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "RunOptions")] options: JsValue,
    ) -> Result<bool, JsValue> {
        let max_steps = max_steps(from_js(options, "options")?)?;
        Ok(self.inner.run(max_steps))
    }

    /// The bytes of a memory, copied: they stay as they are. Throws for an unknown name.
    pub fn memory(&self, name: &str) -> Result<Uint8Array, JsValue> {
        Ok(Uint8Array::from(self.bytes(name)?))
    }

    /// The bytes of a memory where they lie in the wasm, without a copy: to read at once, in the element type of your choice
    /// (`new Float32Array(view.buffer, view.byteOffset, view.length / 4)`), and not to write. Any other call of the package ends it: after that it
    /// may have other bytes, or none. Throws for an unknown name.
    #[wasm_bindgen(js_name = memoryView)]
    pub fn memory_view(&self, name: &str) -> Result<Uint8Array, JsValue> {
        let bytes = self.bytes(name)?;
        let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
        // Addresses and lengths of this target have 32 bits.
        let (start, length) = (bytes.as_ptr() as usize as u32, bytes.len() as u32);
        Ok(Uint8Array::new_with_byte_offset_and_length(
            &memory.buffer(),
            start,
            length,
        ))
    }

    /// A window of memory as cells. `options`: `{ columns?, type?, firstRow?, nRows? }`.
    #[wasm_bindgen(unchecked_return_type = "Grid")]
    pub fn grid(
        &mut self,
        name: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "GridOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: GridOptions = from_js(options, "options")?;
        refuse_columns(options.columns, "options")?;
        let request = options.request(MemoryId::from(name));
        let grid = self.inner.grid(&request);
        let grid = grid.ok_or_else(|| unknown_memory(name))?;
        to_js(&grid)
    }

    /// What the steps `from..to` stored: by which lanes, where, which bytes. Stops after the step with which there are 10000
    /// stores or more: to go on, ask from the `step` of the last one plus 1.
    #[wasm_bindgen(unchecked_return_type = "StoreView[]")]
    pub fn events(&mut self, from: f64, to: f64) -> Result<JsValue, JsValue> {
        let (from, to) = (whole(from, "start")?, whole(to, "end")?);
        to_js(&self.inner.events(from, to))
    }

    /// Lanes and registers of a warp, by linear block index; `undefined` when it is not on the machine.
    #[wasm_bindgen(unchecked_return_type = "WarpView | undefined")]
    pub fn lanes(&mut self, block: f64, warp: f64) -> Result<JsValue, JsValue> {
        let (block, warp) = (whole(block, "block")?, whole(warp, "warp")?);
        let view = u32::try_from(warp).ok();
        match view.and_then(|warp| self.inner.lanes(block, warp)) {
            Some(view) => to_js(&view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// Operations in flight: stores that have started and not landed.
    #[wasm_bindgen(getter, unchecked_return_type = "PendingView[]")]
    pub fn pending(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.pending())
    }

    /// Lets an operation in flight land now; false when it is not in flight.
    pub fn land(&mut self, id: f64) -> bool {
        self.inner.land(id as u64)
    }

    /// The mbarrier objects of the blocks that are on the machine: phase, pending arrivals, awaited bytes, who waits.
    #[wasm_bindgen(getter, unchecked_return_type = "MbarrierView[]")]
    pub fn mbarriers(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.mbarriers())
    }

    /// The cluster of a block, by linear index: its blocks by rank; `undefined` where clusters are single blocks, and when the
    /// block is not on the machine.
    #[wasm_bindgen(unchecked_return_type = "ClusterView | undefined")]
    pub fn cluster(&self, block: f64) -> Result<JsValue, JsValue> {
        match self.inner.cluster(whole(block, "block")?) {
            Some(view) => to_js(&view),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// What the steps that were taken cost in sectors, lines, wavefronts and bank conflicts, in all and by line of the source. The first
    /// call runs them once more.
    #[wasm_bindgen(unchecked_return_type = "TrafficView")]
    pub fn traffic(&mut self) -> Result<JsValue, JsValue> {
        self.inner.count_traffic(u64::MAX);
        to_js(&self.inner.traffic())
    }

    /// The fault that stopped the launch, or `null`.
    #[wasm_bindgen(getter, unchecked_return_type = "FaultView | null")]
    pub fn fault(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.fault())
    }

    /// The earlier events that matter for the fault that stopped the launch: who computed and stored the address, who changed the mbarrier
    /// last, where threads ended that others wait for. Steps before it are run once more for them.
    #[wasm_bindgen(unchecked_return_type = "CauseView[]")]
    pub fn causes(&mut self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.causes())
    }

    /// Everything a page shows at the present position.
    #[wasm_bindgen(unchecked_return_type = "Frame")]
    pub fn frame(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "FrameRequest")] request: JsValue,
    ) -> Result<JsValue, JsValue> {
        for grid in objects_at(&request, "grids") {
            refuse_unknown::<GridRequest>(&grid, "request", &[])?;
        }
        let request: FrameRequest = from_js(request, "request")?;
        for grid in &request.grids {
            refuse_columns(grid.columns, "request")?;
        }
        let frame = self.inner.frame(&request);
        let is_there = |id: &MemoryId| frame.grids.iter().any(|grid| grid.memory.id == *id);
        let mut asked = request.grids.iter().map(|grid| &grid.memory);
        match asked.find(|id| !is_there(id)) {
            Some(id) => Err(unknown_memory(&id.to_string())),
            None => to_js(&frame),
        }
    }
}

impl Session {
    fn bytes(&self, name: &str) -> Result<&[u8], JsValue> {
        let memory = self.inner.memory(&MemoryId::from(name));
        memory.ok_or_else(|| unknown_memory(name))
    }
}

fn unknown_memory(name: &str) -> JsValue {
    failure(NO_SUCH_MEMORY, &no_such_memory(name), JsValue::NULL)
}
