//! Probe for the rounding of `relaxed_madd`, which is implementation-defined in WebAssembly. The module takes an
//! engine, and returns the rounding of `relaxed_madd` in this engine.

use crate::engine::{Engine, MaddRounding, ModuleInstance};
use crate::instructions::{splat32, splat64};
use crate::module::assemble;
use crate::runtime::{FN_RUN_INTERVAL, TYPES};
use wasm_encoder::{Function, Instruction as I};

/// Determines the rounding of `relaxed_madd` with operands for which a single rounding and two roundings have different
/// results. Returns [`MaddRounding::Unfused`] for an engine without `relaxed_madd`.
pub fn detect_madd_rounding<E: Engine>(engine: &E) -> MaddRounding {
    let found = engine
        .compile(&module())
        .and_then(|module| engine.instantiate(&module))
        .and_then(|mut instance| instance.run_interval(0));
    match found {
        Ok(0) => MaddRounding::Fused,
        _ => MaddRounding::Unfused,
    }
}

/// Returns a module whose `phase` returns zero if `relaxed_madd` is fused. The operands depend on the argument of
/// `phase`, for which the host passes zero, so that engines cannot fold the operation.
fn module() -> Vec<u8> {
    let mut phase = Function::new([]);
    // (1 + x)^2 is 1 + 2x + x^2. The difference between this product and 1 + 2x is x^2 if the instruction rounds once,
    // and zero if it rounds twice.
    let one_more = |x: f64| 1.0 + x;
    let x = 2f64.powi(-12);
    let narrow = |x: f64| splat32((x as f32).to_bits());
    for instruction in [
        narrow(one_more(x)),
        I::LocalGet(0),
        I::I32x4Splat,
        I::V128Xor,
        narrow(one_more(x)),
        narrow(-one_more(2.0 * x)),
        I::F32x4RelaxedMadd,
        narrow(x * x),
        I::I32x4Ne,
        I::V128AnyTrue,
    ] {
        phase.instruction(&instruction);
    }
    let x = 2f64.powi(-27);
    let wide = |x: f64| splat64(x.to_bits());
    for instruction in [
        wide(one_more(x)),
        I::LocalGet(0),
        I::I32x4Splat,
        I::V128Xor,
        wide(one_more(x)),
        wide(-one_more(2.0 * x)),
        I::F64x2RelaxedMadd,
        wide(x * x),
        I::I64x2Ne,
        I::V128AnyTrue,
        I::I32Or,
        I::End,
    ] {
        phase.instruction(&instruction);
    }
    assemble(&[TYPES[FN_RUN_INTERVAL as usize]], &[&phase], 0, 1, &[])
}
