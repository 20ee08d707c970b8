//! Provides the JavaScript API of [`warpgrid_view`]. A class wraps the type `Session` and contains no logic.
//!
//! Objects are passed as plain JavaScript values with the types in `types.ts`. 64-bit addresses are hexadecimal strings, and bulk memory is
//! a `Uint8Array`. Lines and columns start at 1, and columns count UTF-16 units.
//!
//! This file contains the API that widgets need. The file `whole.rs` contains the remaining API behind the Cargo feature `whole`, which the
//! module of a widget does not enable.

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpgrid_view::api;
use warpgrid_view::api::unknown_fields::{CASE_FACTS, unknown_field};
#[cfg(feature = "whole")]
use warpgrid_view::model::RunOptions;
use warpgrid_view::model::{FrameRequest, GridOptions, GridRequest, SessionRunOptions};
use warpgrid_view::scenario::ExpectedFault;
#[cfg(feature = "translate")]
use warpgrid_view::session::distributed_run::DistributedRun;
use warpgrid_view::{CheckOptions, HybridSession, Parameter, RequestError, Scenario};
#[cfg(feature = "translate")]
use warpgrid_webassembly::JsEngine;
use wasm_bindgen::prelude::*;

#[cfg(feature = "whole")]
mod whole;
#[cfg(feature = "whole")]
pub use whole::{
    analyze, codes, compare, complete, cure, cut_litmus, explain, explore_litmus, file_text,
    format, forms, hover, lens, open_file, picture, product, repair_litmus,
};

#[cfg(feature = "translate")]
mod workers;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::new()
        .serialize_missing_as_null(true)
        .serialize_maps_as_objects(true);
    value.serialize(&serializer).map_err(JsValue::from)
}

fn from_js<T: DeserializeOwned + Default>(value: JsValue, what: &str) -> Result<T, JsValue> {
    from_js_with_extra_fields(value, what, &[])
}

/// Deserializes an argument that may have the fields `others` in addition to the fields of `T`.
fn from_js_with_extra_fields<T: DeserializeOwned + Default>(
    value: JsValue,
    what: &str,
    others: &[&str],
) -> Result<T, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    // Deserialization would silently ignore unknown fields, so these are rejected first.
    let mut value = value;
    if let Some(object) = value.dyn_ref::<js_sys::Object>() {
        reject_unknown_fields::<T>(object, what, others)?;
        value = without_undefined(object).into();
    }
    serde_wasm_bindgen::from_value(value).map_err(|error| {
        let reason = error.to_string();
        unreadable(what, reason.strip_prefix("Error: ").unwrap_or(&reason))
    })
}

/// Returns an error if an object has a field that is neither in `T` nor in `others`.
fn reject_unknown_fields<T: DeserializeOwned>(
    object: &js_sys::Object,
    what: &str,
    others: &[&str],
) -> Result<(), JsValue> {
    let keys = js_sys::Object::keys(object);
    let names = keys.iter().filter_map(|key| key.as_string());
    match unknown_field::<T>(names, others) {
        Some(reason) => Err(unreadable(what, &reason)),
        None => Ok(()),
    }
}

/// Returns the objects at a key of an object: the value itself, or the elements of an array.
fn objects_at(object: &JsValue, key: &str) -> Vec<js_sys::Object> {
    // Values other than objects have no keys; deserialization reports them.
    let value = js_sys::Reflect::get(object, &key.into()).unwrap_or(JsValue::UNDEFINED);
    let members = match value.dyn_ref::<js_sys::Array>() {
        Some(array) => array.iter().collect(),
        None => vec![value],
    };
    let objects = members.into_iter().filter(JsValue::is_object);
    objects.map(JsCast::unchecked_into).collect()
}

/// Returns an error if a parameter, or a member of a structure parameter, has an unknown field.
fn reject_unknown_parameter_fields(object: &JsValue, key: &str) -> Result<(), JsValue> {
    for parameter in objects_at(object, key) {
        reject_unknown_fields::<Parameter>(&parameter, "scenario", &[])?;
        reject_unknown_parameter_fields(&parameter, "fields")?;
    }
    Ok(())
}

/// Returns a copy of an object without the fields that are `undefined`, which JavaScript treats as absent.
fn without_undefined(object: &js_sys::Object) -> js_sys::Object {
    let fresh = js_sys::Object::new();
    for key in js_sys::Object::keys(object) {
        // Reading a field of a plain object cannot fail. A field whose getter throws is treated as absent.
        let value = js_sys::Reflect::get(object, &key).unwrap_or(JsValue::UNDEFINED);
        if !value.is_undefined() {
            let _ = js_sys::Reflect::set(&fresh, &key, &value);
        }
    }
    fresh
}

fn unreadable(what: &str, reason: &str) -> JsValue {
    to_js_error(RequestError::invalid_argument(what, reason))
}

/// Converts a JavaScript number to a count or a position.
fn to_u64(value: f64, what: &str) -> Result<u64, JsValue> {
    api::whole(value, what).map_err(to_js_error)
}

/// Converts a failed request to an `Error` with the name `WarpgridError`, a code and diagnostics.
fn to_js_error(failure: RequestError) -> JsValue {
    let error = js_sys::Error::new(&failure.message);
    error.set_name("WarpgridError");
    let object: JsValue = error.into();
    let diagnostics = to_js(&failure.diagnostics).unwrap_or(JsValue::NULL);
    // Setting a property of a new object cannot fail.
    let _ = js_sys::Reflect::set(&object, &"code".into(), &failure.code.into());
    let _ = js_sys::Reflect::set(&object, &"diagnostics".into(), &diagnostics);
    object
}

/// Returns a response as a JavaScript value, or throws the error of a failed request.
fn to_js_result<T: Serialize>(answer: Result<T, RequestError>) -> Result<JsValue, JsValue> {
    to_js(&answer.map_err(to_js_error)?)
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

/// Returns the lane and register of each element of a matrix fragment: `{ op, shape, type, target, layout?, stride? }`. Throws a
/// `WarpgridError` that lists the valid values if the fragment does not exist.
#[wasm_bindgen(unchecked_return_type = "FragmentView")]
pub fn fragment(
    #[wasm_bindgen(unchecked_param_type = "FragmentRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    to_js_result(api::fragment(&from_js(query, "query")?))
}

/// Returns the layout of the elements of a tensor instruction in warpgroup registers, shared memory or tensor memory: `{ op, shape?,
/// type?, with? }`, such as `{ op: "wgmma.shared.a", type: "f16", with: { swizzle: "64B" } }`. Throws a `WarpgridError` that lists the
/// valid values if the layout does not exist.
#[wasm_bindgen(unchecked_return_type = "LayoutView")]
pub fn layout(
    #[wasm_bindgen(unchecked_param_type = "FragmentRequest")] query: JsValue,
) -> Result<JsValue, JsValue> {
    to_js_result(api::layout(&from_js(query, "query")?))
}

/// Returns the step limit from the options of a run.
#[cfg(feature = "whole")]
fn max_steps(options: JsValue) -> Result<u64, JsValue> {
    let options: RunOptions = from_js(options, "options")?;
    options.steps().map_err(to_js_error)
}

/// Splits a source into tokens for syntax highlighting, in source order; offsets count UTF-16 code units. `options`: `{ front? }`.
#[wasm_bindgen(unchecked_return_type = "TokenView[]")]
pub fn tokens(
    source: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let options: CheckOptions = from_js(options, "options")?;
    to_js(&warpgrid_view::source::check::tokens(
        source,
        options.language,
    ))
}

/// A launched scenario that can be stepped forward and back.
#[wasm_bindgen]
pub struct Session {
    inner: HybridSession,
    /// Current run if its blocks are distributed among workers.
    #[cfg(feature = "translate")]
    shared: Option<DistributedRun<JsEngine>>,
}

#[cfg(feature = "translate")]
thread_local! {
    /// Engine that executes compiled runs.
    static HOST: JsEngine = JsEngine::default();
}

#[wasm_bindgen]
impl Session {
    /// Checks the scenario and launches the kernel. Throws a `WarpgridError { code, diagnostics }` if the scenario cannot run.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Scenario")] scenario: JsValue,
    ) -> Result<Session, JsValue> {
        // A corpus case is a scenario with additional fields.
        reject_unknown_parameter_fields(&scenario, "params")?;
        for fault in objects_at(&scenario, "fault") {
            reject_unknown_fields::<ExpectedFault>(&fault, "scenario", &[])?;
        }
        let scenario: Scenario = from_js_with_extra_fields(scenario, "scenario", CASE_FACTS)?;
        let session = api::open(scenario).map_err(to_js_error)?;
        Ok(Session {
            inner: HybridSession::new(session),
            #[cfg(feature = "translate")]
            shared: None,
        })
    }

    /// Number of executed steps. After a JIT run in which a warp diverged, the interpreter reruns the launch to count them.
    #[wasm_bindgen(getter)]
    pub fn position(&mut self) -> f64 {
        self.inner.counted().position() as f64
    }

    /// True if all threads have exited or a fault has stopped execution.
    #[wasm_bindgen(getter)]
    pub fn over(&self) -> bool {
        self.inner.final_session().is_finished()
    }

    /// Moves to a position, or to the end if the run is shorter.
    pub fn seek(&mut self, position: f64) -> Result<(), JsValue> {
        self.inner
            .tracked_session()
            .seek(to_u64(position, "position")?);
        Ok(())
    }

    /// Runs forward and returns true if the run has finished. `options`: `{ maxSteps?, engine? }`. A long run to the end is compiled to WebAssembly
    /// unless intermediate states were queried; `engine: "interpreter"` disables compilation, and the `engine` property reports the engine used.
    pub fn run(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "SessionRunOptions")] options: JsValue,
    ) -> Result<bool, JsValue> {
        let options: SessionRunOptions = from_js(options, "options")?;
        let max_steps = options.steps().map_err(to_js_error)?;
        #[cfg(feature = "translate")]
        let is_over = HOST.with(|host| {
            let choice = options.engine.unwrap_or_default();
            self.inner.run_with_engine(host, max_steps, choice)
        });
        #[cfg(not(feature = "translate"))]
        let is_over = self.inner.run(max_steps);
        Ok(is_over)
    }

    /// Returns a window of a buffer as formatted cells. `options`: `{ columns?, type?, firstRow?, nRows? }`.
    #[wasm_bindgen(unchecked_return_type = "MemoryGrid")]
    pub fn grid(
        &mut self,
        name: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "GridOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options: GridOptions = from_js(options, "options")?;
        to_js_result(self.inner.tracked_session().grid_named(name, options))
    }

    /// Returns the stores of steps `from..to` with lanes, addresses and bytes. At most about 10,000 stores are returned, up to a step boundary;
    /// continue with the last returned `step` plus 1.
    #[wasm_bindgen(unchecked_return_type = "StoreView[]")]
    pub fn events(&mut self, from: f64, to: f64) -> Result<JsValue, JsValue> {
        let (from, to) = (to_u64(from, "start")?, to_u64(to, "end")?);
        to_js(&self.inner.tracked_session().events(from, to))
    }

    /// Returns the stores that `events` returns in compact form: runs of addresses with the stored bytes, instead of one object per lane.
    #[wasm_bindgen(js_name = compactEvents, unchecked_return_type = "CompactStore[]")]
    pub fn compact_events(&mut self, from: f64, to: f64) -> Result<JsValue, JsValue> {
        let (from, to) = (to_u64(from, "start")?, to_u64(to, "end")?);
        to_js(&self.inner.tracked_session().compact_events(from, to))
    }

    /// Returns the complete view state at the current position.
    #[wasm_bindgen(unchecked_return_type = "SessionFrame")]
    pub fn frame(
        &mut self,
        #[wasm_bindgen(unchecked_optional_param_type = "FrameRequest")] request: JsValue,
    ) -> Result<JsValue, JsValue> {
        for grid in objects_at(&request, "grids") {
            reject_unknown_fields::<GridRequest>(&grid, "request", &[])?;
        }
        let request: FrameRequest = from_js(request, "request")?;
        to_js_result(self.inner.tracked_session().requested_frame(&request))
    }
}
