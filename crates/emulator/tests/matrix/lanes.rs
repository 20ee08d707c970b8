//! Tests of matrix accesses with divergent operands, and of invalid addresses and strides.

use super::*;

/// Executes a `wmma.store.d` of 16 by 16 words with an address or stride that `spoil` invalidates. Returns the fault.
fn spoiled(
    spoil: impl FnOnce(&mut Kernel, RegisterId, RegisterId) -> Address,
    n_threads: u32,
) -> Fault {
    let mut k = Kernel::new();
    let matrix = k.buffer("matrix", zeros(1024));
    let stride = k.mov(ScalarType::U32, imm(16));
    let address = spoil(&mut k, matrix, stride);
    let held = registers(&mut k, ScalarType::F32, 8);
    let query = FragmentQuery {
        op: FragmentOp::StoreD,
        shape: Shape::new(16, 16, 16),
        ty: ScalarType::F32,
        layout: Some(MatrixLayout::Row),
        target: *target("sm_90"),
    };
    let (operation, modifiers) = wmma(MatrixOp::WmmaStore, &query, StateSpace::Global);
    k.op(
        operation,
        modifiers,
        &[
            address.into(),
            read_list(&held),
            Arg::One(value(reg(stride))),
        ],
    );
    k.control(ControlOp::Return);
    let mut machine = launch_on(k, target("sm_90"), n_threads);
    assert_eq!(machine.run(1000), MachineStatus::Faulted);
    machine.fault().expect("a fault").clone()
}

fn lane_number(k: &mut Kernel) -> RegisterId {
    k.mov(ScalarType::U32, special("%tid.x"))
}

#[test]
fn wmma_store_faults_name_divergent_and_missing_lanes() {
    let fault = spoiled(
        |k, matrix, _| {
            let lane = lane_number(k);
            let odd = k.arith(ArithmeticOp::And, ScalarType::B32, &[reg(lane), imm(1)]);
            k.element(matrix, reg(odd), 64)
        },
        32,
    );
    let mistake = MatrixMisuse::UnequalAddresses;
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));
    assert_eq!(fault.lanes, 0xaaaa_aaaa);

    let fault = spoiled(
        |k, matrix, stride| {
            let lane = lane_number(k);
            let last = k.arith(ArithmeticOp::Shr, ScalarType::U32, &[reg(lane), imm(4)]);
            let sum = [reg(stride), reg(last)];
            k.arith_to(stride, ArithmeticOp::Add, ScalarType::U32, &sum);
            at(matrix, 0)
        },
        32,
    );
    let mistake = MatrixMisuse::UnequalStrides;
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));
    assert_eq!(fault.lanes, 0xffff_0000);

    let fault = spoiled(|_, matrix, _| at(matrix, 0), 20);
    let missing = 0xfff0_0000;
    let mistake = MatrixMisuse::MissingLanes { missing };
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));
    assert_eq!(
        fault.to_string(),
        "in the warp of thread (0, 0, 0) of block (0, 0, 0): lanes 20 to 31 did not participate in a matrix instruction, which is undefined behavior: all 32 threads of the warp must execute the instruction"
    );
}

#[test]
fn misaligned_or_out_of_bounds_wmma_store_faults() {
    let fault = spoiled(|_, matrix, _| at(matrix, 4), 32);
    assert_eq!(fault.kind, FaultKind::Misaligned);
    assert_eq!(fault.access.expect("an access").width_bytes, 8);

    // 17 words between lines violate the alignment: the compiled code would write some of the lines to other addresses.
    let fault = spoiled(
        |k, matrix, stride| {
            let one = [reg(stride), imm(1)];
            k.arith_to(stride, ArithmeticOp::Add, ScalarType::U32, &one);
            at(matrix, 0)
        },
        32,
    );
    let mistake = MatrixMisuse::MisalignedStride {
        stride: 17,
        needed_bytes: 8,
    };
    assert_eq!(fault.kind, FaultKind::UndefinedMatrix(mistake));

    // The last line is out of bounds. No line is written.
    let fault = spoiled(|_, matrix, _| at(matrix, 4 * (1024 - 240)), 32);
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!(fault.access.expect("an access").kind, AccessKind::Store);
}
