//! WebAssembly engine of native hosts, implemented with Wasmtime.

use crate::engine::{Engine, LinearMemory, MaddRounding, ModuleInstance};
use crate::fma_probe::detect_madd_rounding;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};
use wasmtime::{Config, Module, OptLevel, Store, TypedFunc};

/// Page size of the operating system in bytes.
const PAGE: usize = 4096;

/// Reference point in time of [`Engine::now`].
static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Wasmtime engine, which all kernels of a process share.
#[derive(Debug)]
pub struct WasmtimeEngine {
    engine: Result<wasmtime::Engine, String>,
    products: MaddRounding,
}

impl WasmtimeEngine {
    /// Returns the engine of this process.
    pub fn get() -> &'static WasmtimeEngine {
        static NATIVE: OnceLock<WasmtimeEngine> = OnceLock::new();
        NATIVE.get_or_init(|| {
            let mut config = Config::new();
            config
                .cranelift_opt_level(OptLevel::Speed)
                .wasm_relaxed_simd(true)
                // Use the native relaxed instructions. The rounding of `relaxed_madd` is measured, and other relaxed
                // instructions are only used with operands for which all engines compute the same result.
                .relaxed_simd_deterministic(false);
            let mut native = WasmtimeEngine {
                engine: wasmtime::Engine::new(&config).map_err(error_message),
                products: MaddRounding::Unfused,
            };
            native.products = detect_madd_rounding(&native);
            native
        })
    }

    fn engine(&self) -> Result<&wasmtime::Engine, String> {
        self.engine.as_ref().map_err(Clone::clone)
    }
}

fn error_message(error: wasmtime::Error) -> String {
    format!("{error:#}")
}

impl Engine for WasmtimeEngine {
    type Module = Module;
    type Instance = WasmtimeInstance;

    fn products(&self) -> MaddRounding {
        self.products
    }

    fn now() -> Duration {
        STARTED.elapsed()
    }

    fn compile(&self, wasm: &[u8]) -> Result<Module, String> {
        Module::new(self.engine()?, wasm).map_err(error_message)
    }

    fn instantiate(&self, module: &Module) -> Result<WasmtimeInstance, String> {
        let mut store = Store::new(self.engine()?, ());
        let instance = wasmtime::Instance::new(&mut store, module, &[]).map_err(error_message)?;
        let memory = instance.get_memory(&mut store, "memory");
        let memory = memory.ok_or_else(|| "the module has no memory".to_owned())?;
        let phase = instance
            .get_typed_func(&mut store, "phase")
            .map_err(error_message)?;
        Ok(WasmtimeInstance {
            store,
            memory,
            phase,
        })
    }
}

/// Module instance of [`WasmtimeEngine`], with its memory and its function `phase`.
pub struct WasmtimeInstance {
    store: Store<()>,
    memory: wasmtime::Memory,
    phase: TypedFunc<i32, i32>,
}

impl WasmtimeInstance {
    fn bytes(&mut self, range: Range<usize>) -> &mut [u8] {
        let bytes = self.memory.data_mut(&mut self.store);
        bytes.get_mut(range).unwrap_or_default()
    }
}

impl LinearMemory for WasmtimeInstance {
    fn read(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let bytes = self.memory.data(&self.store);
        Cow::Borrowed(bytes.get(range).unwrap_or_default())
    }
}

impl ModuleInstance for WasmtimeInstance {
    fn run_interval(&mut self, begins: i32) -> Result<u32, String> {
        let stopped = self.phase.call(&mut self.store, begins);
        stopped.map(i32::cast_unsigned).map_err(error_message)
    }

    fn update<R>(&mut self, range: Range<usize>, edit: impl FnOnce(&mut [u8]) -> R) -> R {
        edit(self.bytes(range))
    }

    fn write(&mut self, start: usize, bytes: &[u8]) {
        let place = self.bytes(start..start + bytes.len());
        if place.len() == bytes.len() {
            place.copy_from_slice(bytes);
        }
    }

    fn zero(&mut self, range: Range<usize>) {
        // Skip pages that contain only zeros, so that the operating system need not map them.
        for page in self.bytes(range).chunks_mut(PAGE) {
            if page.iter().any(|byte| *byte != 0) {
                page.fill(0);
            }
        }
    }
}
