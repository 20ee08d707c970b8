//! Tests of matrix operations whose fragments are distributed over the lanes of a warp.

mod fragments;
mod lanes;
mod products;
mod rows;

use crate::common::*;
use warpgrid_emulator::ResourceLimits;
use warpgrid_emulator::*;
use warpgrid_isa::fragment::{
    ElementCoord, FragmentMap, FragmentOp, FragmentQuery, MatrixOperand, Shape, all_fragments,
    fragment,
};
use warpgrid_isa::*;
use warpgrid_program::*;

/// Targets whose fragment maps are tested; together, they cover every fragment load and store.
const TARGETS: [&str; 6] = ["sm_70", "sm_72", "sm_75", "sm_80", "sm_90", "sm_100"];

fn target(name: &str) -> &'static Target {
    Target::from_name(name).expect("a target")
}

fn wmma(op: MatrixOp, query: &FragmentQuery, space: StateSpace) -> (Operation, Modifiers) {
    let modifiers = Modifiers {
        ty: Some(query.ty),
        layout: query.layout,
        shape: Some(MatrixShape {
            rows: query.shape.m,
            columns: query.shape.n,
            depth: query.shape.k,
        }),
        space: Some(space),
        ..Modifiers::default()
    };
    (Operation::Matrix(op), modifiers)
}

/// Declares the registers of a fragment: 64 bits for `f64`, otherwise 32 bits.
fn registers(k: &mut Kernel, ty: ScalarType, n: usize) -> Vec<RegisterId> {
    let register = match ty {
        ScalarType::F64 => ScalarType::B64,
        _ => ScalarType::B32,
    };
    (0..n).map(|_| k.register(register)).collect()
}

fn written_list(registers: &[RegisterId]) -> Arg {
    Arg::List(registers.iter().copied().map(written).collect())
}

fn read_list(registers: &[RegisterId]) -> Arg {
    Arg::List(registers.iter().map(|id| value(reg(*id))).collect())
}

/// Returns the address for each register of lane `lane`: words `lane * n + index`, or two words each for 64-bit
/// registers.
fn register_places(k: &mut Kernel, base: RegisterId, registers: &[RegisterId]) -> Vec<Address> {
    let bytes = u64::from(type_of(k, registers[0]).width_bytes());
    let lane = k.mov(ScalarType::U32, special("%tid.x"));
    let start = k.element(base, reg(lane), bytes * registers.len() as u64);
    let start = base_of(start);
    (0..registers.len() as i64)
        .map(|index| at(start, index * bytes as i64))
        .collect()
}

fn type_of(k: &Kernel, register: RegisterId) -> ScalarType {
    let register = k.function.registers.get(register.0 as usize);
    register.expect("a register that was declared").ty
}

fn write_out(k: &mut Kernel, base: RegisterId, registers: &[RegisterId]) {
    for (register, address) in registers.iter().zip(register_places(k, base, registers)) {
        let ty = type_of(k, *register);
        k.store(StateSpace::Global, ty, address, reg(*register));
    }
}

fn read_in(k: &mut Kernel, base: RegisterId, registers: &[RegisterId]) {
    for (register, address) in registers.iter().zip(register_places(k, base, registers)) {
        let ty = type_of(k, *register);
        k.op(
            Operation::Memory(MemoryOp::Load),
            access(StateSpace::Global, ty),
            &[to(*register), address.into(), ABSENT],
        );
    }
}

fn launch_on(k: Kernel, target: &'static Target, n_threads: u32) -> Machine {
    let (program, buffers, arguments) = k.program_for(target);
    let launch = launch([1, 1, 1], [n_threads, 1, 1], buffers, arguments, 0);
    Machine::new(program, &launch, ResourceLimits::default()).expect("a launch")
}

fn buffer_bytes(machine: &Machine, buffer: u32) -> Vec<u8> {
    let region = MemoryRegion::Buffer(BufferIndex(buffer));
    machine.memory(region).expect("a buffer").to_vec()
}

/// Returns pseudorandom bytes.
fn noise(n: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

fn bits_at(bytes: &[u8], bit: u64, n_bits: u32) -> u64 {
    (0..u64::from(n_bits)).fold(0, |value, i| {
        let at = bit + i;
        let byte = bytes[(at / 8) as usize];
        value | u64::from(byte >> (at % 8) & 1) << i
    })
}

/// Returns a stride that leaves a gap between lines and keeps every line aligned.
fn gap_stride(map: &FragmentMap, layout: MatrixLayout) -> u32 {
    map.default_stride_elements(layout) + 512 / map.element_bits()
}
