//! The engine of compiled runs for JavaScript hosts: instantiates modules of `warpgrid-translate` with the `WebAssembly` object of the
//! host.

mod sent;

pub use sent::{SentMemory, received, sent};

use js_sys::{Function, Object, Reflect, Uint8Array, Uint32Array, WebAssembly};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::time::Duration;
use warpgrid_translate::{Engine, Instance, Memory, Products, measure_products};
use wasm_bindgen::{JsCast, JsValue};

/// Maximum size in bytes of ranges that are copied word by word, because a bulk copy creates three objects first.
const SMALL: usize = 96;

/// Engine that uses the `WebAssembly` object of the host.
#[derive(Debug, Default)]
pub struct Host {
    products: OnceCell<Products>,
}

/// Module instance with its memory.
#[derive(Debug)]
pub struct HostInstance {
    /// Entire memory, which does not grow, as bytes and as words.
    bytes: Uint8Array,
    words: Uint32Array,
    phase: Function,
}

impl Engine for Host {
    type Module = WebAssembly::Module;
    type Instance = HostInstance;

    fn products(&self) -> Products {
        *self.products.get_or_init(|| measure_products(self))
    }

    fn now() -> Duration {
        let milliseconds = performance_now().unwrap_or_else(js_sys::Date::now);
        Duration::from_secs_f64(milliseconds.max(0.0) / 1e3)
    }

    fn compile(&self, wasm: &[u8]) -> Result<WebAssembly::Module, String> {
        WebAssembly::Module::new(&Uint8Array::from(wasm)).map_err(said)
    }

    fn instantiate(&self, module: &WebAssembly::Module) -> Result<HostInstance, String> {
        let instance = WebAssembly::Instance::new(module, &Object::new()).map_err(said)?;
        let exports = instance.exports();
        let memory: WebAssembly::Memory = export(&exports, "memory")?;
        let buffer = memory.buffer();
        Ok(HostInstance {
            bytes: Uint8Array::new(&buffer),
            words: Uint32Array::new(&buffer),
            phase: export(&exports, "phase")?,
        })
    }
}

impl HostInstance {
    fn part(&self, range: &Range<usize>) -> Uint8Array {
        // Addresses of a module have 32 bits.
        self.bytes.subarray(range.start as u32, range.end as u32)
    }
}

impl Memory for HostInstance {
    fn look(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        if range.len() <= SMALL && range.start.is_multiple_of(4) {
            let words = (range.start / 4) as u32..range.end.div_ceil(4) as u32;
            let bytes = words.flat_map(|word| self.words.get_index(word).to_le_bytes());
            return Cow::Owned(bytes.take(range.len()).collect());
        }
        Cow::Owned(self.part(&range).to_vec())
    }
}

impl Instance for HostInstance {
    fn phase(&mut self, begins: i32) -> Result<u32, String> {
        let stopped = self.phase.call1(&JsValue::UNDEFINED, &begins.into());
        let stopped = stopped.map_err(said)?.as_f64();
        let stopped = stopped.ok_or_else(|| "`phase` returned no number".to_owned())?;
        Ok((stopped as i32).cast_unsigned())
    }

    fn edit<R>(&mut self, range: Range<usize>, edit: impl FnOnce(&mut [u8]) -> R) -> R {
        let part = self.part(&range);
        let mut bytes = part.to_vec();
        let result = edit(&mut bytes);
        part.copy_from(&bytes);
        result
    }

    fn write(&mut self, start: usize, bytes: &[u8]) {
        if let (words, []) = bytes.as_chunks::<4>()
            && bytes.len() <= SMALL
            && start.is_multiple_of(4)
        {
            for (word, value) in ((start / 4) as u32..).zip(words) {
                self.words.set_index(word, u32::from_le_bytes(*value));
            }
            return;
        }
        let part = self.part(&(start..start + bytes.len()));
        // A memory that is too short remains unchanged.
        if part.length() as usize == bytes.len() {
            part.copy_from(bytes);
        }
    }

    fn clear(&mut self, range: Range<usize>) {
        self.bytes.fill(0, range.start as u32, range.end as u32);
    }
}

fn export<T: JsCast>(exports: &Object, name: &str) -> Result<T, String> {
    let found = Reflect::get(exports, &name.into()).map_err(said)?;
    let found = found.dyn_into();
    found.map_err(|_| format!("the module does not export `{name}`"))
}

/// Returns the message of a thrown value.
fn said(thrown: JsValue) -> String {
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
