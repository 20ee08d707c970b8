//! Engine of native hosts, implemented with Wasmtime.

use crate::engine::{Engine, Instance, Memory, Products};
use crate::probe::measure_products;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};
use wasmtime::{Config, Module, OptLevel, Store, TypedFunc};

/// Page size of the operating system in bytes.
const PAGE: usize = 4096;

/// Start of the clock.
static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Wasmtime engine, which all kernels of a process share.
#[derive(Debug)]
pub struct Native {
    engine: Result<wasmtime::Engine, String>,
    products: Products,
}

impl Native {
    /// Returns the engine of this process.
    pub fn get() -> &'static Native {
        static NATIVE: OnceLock<Native> = OnceLock::new();
        NATIVE.get_or_init(|| {
            let mut config = Config::new();
            config
                .cranelift_opt_level(OptLevel::Speed)
                .wasm_relaxed_simd(true)
                // Use the native instructions: the rounding of `relaxed_madd` is measured, and other relaxed
                // instructions are used only where all engines agree.
                .relaxed_simd_deterministic(false);
            let mut native = Native {
                engine: wasmtime::Engine::new(&config).map_err(said),
                products: Products::Separate,
            };
            native.products = measure_products(&native);
            native
        })
    }

    fn engine(&self) -> Result<&wasmtime::Engine, String> {
        self.engine.as_ref().map_err(Clone::clone)
    }
}

fn said(error: wasmtime::Error) -> String {
    format!("{error:#}")
}

impl Engine for Native {
    type Module = Module;
    type Instance = NativeInstance;

    fn products(&self) -> Products {
        self.products
    }

    fn now() -> Duration {
        STARTED.elapsed()
    }

    fn compile(&self, wasm: &[u8]) -> Result<Module, String> {
        Module::new(self.engine()?, wasm).map_err(said)
    }

    fn instantiate(&self, module: &Module) -> Result<NativeInstance, String> {
        let mut store = Store::new(self.engine()?, ());
        let instance = wasmtime::Instance::new(&mut store, module, &[]).map_err(said)?;
        let memory = instance.get_memory(&mut store, "memory");
        let memory = memory.ok_or_else(|| "the module has no memory".to_owned())?;
        let phase = instance.get_typed_func(&mut store, "phase").map_err(said)?;
        Ok(NativeInstance {
            store,
            memory,
            phase,
        })
    }
}

/// Module instance of [`Native`].
pub struct NativeInstance {
    store: Store<()>,
    memory: wasmtime::Memory,
    phase: TypedFunc<i32, i32>,
}

impl NativeInstance {
    fn bytes(&mut self, range: Range<usize>) -> &mut [u8] {
        let bytes = self.memory.data_mut(&mut self.store);
        bytes.get_mut(range).unwrap_or_default()
    }
}

impl Memory for NativeInstance {
    fn look(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let bytes = self.memory.data(&self.store);
        Cow::Borrowed(bytes.get(range).unwrap_or_default())
    }
}

impl Instance for NativeInstance {
    fn phase(&mut self, begins: i32) -> Result<u32, String> {
        let stopped = self.phase.call(&mut self.store, begins);
        stopped.map(i32::cast_unsigned).map_err(said)
    }

    fn edit<R>(&mut self, range: Range<usize>, edit: impl FnOnce(&mut [u8]) -> R) -> R {
        edit(self.bytes(range))
    }

    fn write(&mut self, start: usize, bytes: &[u8]) {
        let place = self.bytes(start..start + bytes.len());
        if place.len() == bytes.len() {
            place.copy_from_slice(bytes);
        }
    }

    fn clear(&mut self, range: Range<usize>) {
        // Avoid writes to untouched pages, so that they remain unmapped.
        for page in self.bytes(range).chunks_mut(PAGE) {
            if page.iter().any(|byte| *byte != 0) {
                page.fill(0);
            }
        }
    }
}
