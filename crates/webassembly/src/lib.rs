//! Executes compiled runs in JavaScript hosts. The crate instantiates the modules of `warpgrid-translate` with the
//! `WebAssembly` object of the host.
//!
//! - **Input**: a WebAssembly module that `warpgrid-translate` has generated.
//! - **Output**: the memory of the module after each call.
//! - **Main types**: [`JsEngine`] compiles modules. [`JsInstance`] is a module instance with its memory.
//!   [`serialize_partition`] and [`deserialize_partition`] transfer the results of a worker to another worker.
//!
//! # Example
//!
//! The example compiles a module with the `WebAssembly` object of the host.
//!
//! ```
//! use warpgrid_translate::Engine;
//! use warpgrid_webassembly::JsEngine;
//!
//! fn compile(wasm: &[u8]) -> Option<<JsEngine as Engine>::Module> {
//!     JsEngine::default().compile(wasm).ok()
//! }
//! ```

mod partition_transfer;

pub use partition_transfer::{TransferredMemory, deserialize_partition, serialize_partition};

use js_sys::{Function, Object, Reflect, Uint8Array, Uint32Array, WebAssembly};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::time::Duration;
use warpgrid_translate::{
    Engine, LinearMemory, MaddRounding, ModuleInstance, detect_madd_rounding,
};
use wasm_bindgen::{JsCast, JsValue};

/// Maximum size in bytes of a range that is copied word by word. For small ranges, a bulk copy is slower, because it
/// creates three objects.
const BULK_COPY_THRESHOLD: usize = 96;

/// Engine that uses the `WebAssembly` object of the host.
#[derive(Debug, Default)]
pub struct JsEngine {
    madd_rounding: OnceCell<MaddRounding>,
}

/// Module instance with its memory.
#[derive(Debug)]
pub struct JsInstance {
    /// Entire linear memory, which does not grow, as a byte array.
    bytes_view: Uint8Array,
    words_view: Uint32Array,
    run_interval: Function,
}

impl Engine for JsEngine {
    type Module = WebAssembly::Module;
    type Instance = JsInstance;

    fn products(&self) -> MaddRounding {
        *self
            .madd_rounding
            .get_or_init(|| detect_madd_rounding(self))
    }

    fn now() -> Duration {
        let milliseconds = performance_now().unwrap_or_else(js_sys::Date::now);
        Duration::from_secs_f64(milliseconds.max(0.0) / 1e3)
    }

    fn compile(&self, wasm: &[u8]) -> Result<WebAssembly::Module, String> {
        WebAssembly::Module::new(&Uint8Array::from(wasm)).map_err(js_error_message)
    }

    fn instantiate(&self, module: &WebAssembly::Module) -> Result<JsInstance, String> {
        let instance =
            WebAssembly::Instance::new(module, &Object::new()).map_err(js_error_message)?;
        let exports = instance.exports();
        let memory: WebAssembly::Memory = export(&exports, "memory")?;
        let buffer = memory.buffer();
        Ok(JsInstance {
            bytes_view: Uint8Array::new(&buffer),
            words_view: Uint32Array::new(&buffer),
            run_interval: export(&exports, "phase")?,
        })
    }
}

impl JsInstance {
    fn subarray(&self, range: &Range<usize>) -> Uint8Array {
        // Addresses in the linear memory of a module have 32 bits.
        self.bytes_view
            .subarray(range.start as u32, range.end as u32)
    }
}

impl LinearMemory for JsInstance {
    fn read(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        if range.len() <= BULK_COPY_THRESHOLD && range.start.is_multiple_of(4) {
            let words = (range.start / 4) as u32..range.end.div_ceil(4) as u32;
            let bytes = words.flat_map(|word| self.words_view.get_index(word).to_le_bytes());
            return Cow::Owned(bytes.take(range.len()).collect());
        }
        Cow::Owned(self.subarray(&range).to_vec())
    }
}

impl ModuleInstance for JsInstance {
    fn run_interval(&mut self, begins: i32) -> Result<u32, String> {
        let stopped = self.run_interval.call1(&JsValue::UNDEFINED, &begins.into());
        let stopped = stopped.map_err(js_error_message)?.as_f64();
        let stopped = stopped.ok_or_else(|| "`phase` returned no number".to_owned())?;
        Ok((stopped as i32).cast_unsigned())
    }

    fn update<R>(&mut self, range: Range<usize>, edit: impl FnOnce(&mut [u8]) -> R) -> R {
        let part = self.subarray(&range);
        let mut bytes = part.to_vec();
        let result = edit(&mut bytes);
        part.copy_from(&bytes);
        result
    }

    fn write(&mut self, start: usize, bytes: &[u8]) {
        if let (words, []) = bytes.as_chunks::<4>()
            && bytes.len() <= BULK_COPY_THRESHOLD
            && start.is_multiple_of(4)
        {
            for (word, value) in ((start / 4) as u32..).zip(words) {
                self.words_view.set_index(word, u32::from_le_bytes(*value));
            }
            return;
        }
        let part = self.subarray(&(start..start + bytes.len()));
        // A range beyond the end of the memory is not written.
        if part.length() as usize == bytes.len() {
            part.copy_from(bytes);
        }
    }

    fn zero(&mut self, range: Range<usize>) {
        self.bytes_view
            .fill(0, range.start as u32, range.end as u32);
    }
}

fn export<T: JsCast>(exports: &Object, name: &str) -> Result<T, String> {
    let found = Reflect::get(exports, &name.into()).map_err(js_error_message)?;
    let found = found.dyn_into();
    found.map_err(|_| format!("the module does not export `{name}`"))
}

/// Returns the message of a thrown JavaScript value.
fn js_error_message(thrown: JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => format!("{}: {}", error.name(), error.message()),
        None => format!("{thrown:?}"),
    }
}

/// Returns the time of `performance.now` in milliseconds, or `None` if the host has no `performance`.
fn performance_now() -> Option<f64> {
    let performance = Reflect::get(&js_sys::global(), &"performance".into()).ok()?;
    let now: Function = Reflect::get(&performance, &"now".into())
        .ok()?
        .dyn_into()
        .ok()?;
    now.call0(&performance).ok()?.as_f64()
}
