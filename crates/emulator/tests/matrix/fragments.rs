//! Tests of fragment loads and stores against the fragment maps.

use super::*;

#[test]
fn wmma_load_matches_fragment_map() {
    let mut n = 0;
    for target in TARGETS.map(target) {
        for query in all_fragments(target) {
            let op = match query.op {
                FragmentOp::LoadA => MatrixOp::WmmaLoadA,
                FragmentOp::LoadB => MatrixOp::WmmaLoadB,
                FragmentOp::LoadC => MatrixOp::WmmaLoadC,
                _ => continue,
            };
            let map = fragment(&query).expect("a fragment");
            let layout = query.layout.expect("a layout");
            let stride = gap_stride(&map, layout);
            let memory = noise(32 * 1024);
            let mut k = Kernel::new();
            let matrix = k.buffer("matrix", BufferContents::Bytes(memory.clone()));
            let out = k.buffer("out", zeros(64 * 16));
            let loaded = registers(&mut k, query.ty, map.n_registers.into());
            let (operation, modifiers) = wmma(op, &query, StateSpace::Global);
            k.op(
                operation,
                modifiers,
                &[
                    written_list(&loaded),
                    at(matrix, 0).into(),
                    imm(stride.into()).into(),
                ],
            );
            write_out(&mut k, out, &loaded);
            k.control(ControlOp::Return);
            let mut machine = launch_on(k, target, 32);
            assert_eq!(machine.run(10_000), MachineStatus::Finished, "{query:?}");
            let found = buffer_bytes(&machine, 1);
            let (bits, n_registers) = (map.element_bits(), u64::from(map.n_registers));
            let register_bits = if query.ty == ScalarType::F64 { 64 } else { 32 };
            for holder in map.holders() {
                let index = u64::from(holder.lane) * n_registers + u64::from(holder.register);
                let at = index * register_bits + u64::from(holder.element) * u64::from(bits);
                let from = map.offset_bits(map.place(holder), layout, stride);
                let expected = bits_at(&memory, from, bits);
                assert_eq!(bits_at(&found, at, bits), expected, "{query:?} {holder:?}");
            }
            n += 1;
        }
    }
    assert_eq!(n, 406);
}

#[test]
fn wmma_store_writes_elements_loaded_by_wmma_load() {
    for target in TARGETS.map(target) {
        for query in all_fragments(target) {
            if query.op != FragmentOp::StoreD {
                continue;
            }
            let map = fragment(&query).expect("a fragment");
            let layout = query.layout.expect("a layout");
            let stride = gap_stride(&map, layout);
            let n_bytes = 16 * 1024;
            let mut k = Kernel::new();
            let matrix = k.buffer("matrix", BufferContents::Bytes(noise(n_bytes)));
            let out = k.buffer("out", zeros(n_bytes as u64 / 4));
            let loaded = registers(&mut k, query.ty, map.n_registers.into());
            let (operation, modifiers) = wmma(MatrixOp::WmmaLoadC, &query, StateSpace::Generic);
            let from = [written_list(&loaded), at(matrix, 0).into(), ABSENT];
            k.op(operation, modifiers, &from);
            let (operation, modifiers) = wmma(MatrixOp::WmmaStore, &query, StateSpace::Global);
            let strides = k.mov(ScalarType::U32, imm(stride.into()));
            let into = [
                at(out, 0).into(),
                read_list(&loaded),
                Arg::One(value(reg(strides))),
            ];
            k.op(operation, modifiers, &into);
            k.control(ControlOp::Return);
            let mut machine = launch_on(k, target, 32);
            assert_eq!(machine.run(10_000), MachineStatus::Finished, "{query:?}");
            let (dense, padded) = (buffer_bytes(&machine, 0), buffer_bytes(&machine, 1));
            let bits = map.element_bits();
            let mut n_written = 0;
            for holder in map.holders() {
                let place = map.place(holder);
                let from = map.offset_bits(place, layout, map.default_stride_elements(layout));
                let to = map.offset_bits(place, layout, stride);
                let (from, to) = (bits_at(&dense, from, bits), bits_at(&padded, to, bits));
                assert_eq!(to, from, "{query:?} {place:?}");
                n_written += u64::from(bits) / 8;
            }
            // No byte between the lines is written.
            let n_zero = padded.iter().filter(|byte| **byte == 0).count() as u64;
            assert!(n_zero >= n_bytes as u64 - n_written, "{query:?}");
        }
    }
}
