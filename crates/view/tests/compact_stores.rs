//! Compact form of stores: its runs contain the lanes, addresses and bytes of the complete form, in a fraction of the size.

use std::path::Path;
use warpgrid_view::model::{CompactStore, StoreView};
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Contiguous bytes of a lane: the lane, the memory with the byte offset, and the bytes.
type Chunk = (u8, Option<(String, u64)>, u64, Vec<u8>);

fn address(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a hexadecimal address")
}

fn push(chunks: &mut Vec<Chunk>, chunk: Chunk) {
    match chunks.last_mut() {
        Some(last) if last.0 == chunk.0 && last.2 + last.3.len() as u64 == chunk.2 => {
            last.3.extend(chunk.3);
        }
        _ => chunks.push(chunk),
    }
}

/// Returns the contiguous bytes of each lane of a store in complete form.
fn chunks(store: &StoreView) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for lane in &store.lanes {
        let mut bytes = &lane.bytes[..];
        for piece in &lane.pieces {
            let (own, rest) = bytes.split_at(piece.n_bytes as usize);
            bytes = rest;
            let memory = piece.memory.as_ref().map(ToString::to_string);
            let place = memory.zip(piece.offset);
            push(
                &mut chunks,
                (lane.lane, place, address(&piece.address), own.to_vec()),
            );
        }
        assert!(bytes.is_empty());
    }
    chunks
}

/// Expands the runs of a store in compact form.
fn expanded(store: &CompactStore) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for run in &store.runs {
        let n_digits = run.n_bytes as usize * 2;
        assert_eq!(run.bytes.len(), run.count as usize * n_digits);
        for i in 0..run.count {
            let digits = &run.bytes[i as usize * n_digits..][..n_digits];
            let bytes = (0..digits.len()).step_by(2);
            let bytes =
                bytes.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("a byte"));
            let distance = run.stride * i64::from(i);
            let memory = run.memory.as_ref().map(ToString::to_string);
            let offset = run
                .offset
                .map(|offset| offset.wrapping_add_signed(distance));
            push(
                &mut chunks,
                (
                    run.lane + run.lane_step * i as u8,
                    memory.zip(offset),
                    address(&run.address).wrapping_add_signed(distance),
                    bytes.collect(),
                ),
            );
        }
    }
    chunks
}

#[test]
fn compact_stores_expand_to_complete_stores() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/examples");
    let (mut n_stores, mut n_complete, mut n_compact) = (0, 0, 0);
    for file in std::fs::read_dir(examples).expect("the examples") {
        let path = file.expect("a file").path();
        let source = std::fs::read_to_string(&path).expect("text");
        let scenario = Scenario {
            front: SourceLanguage::of_source(&source),
            source,
            ..Scenario::default()
        };
        let Ok(mut session) = Session::new(scenario) else {
            continue;
        };
        session.run(2_000);
        let complete = session.events(0, session.position());
        let compact = session.compact_events(0, session.position());
        assert_eq!(complete.len(), compact.len(), "{}", path.display());
        for (complete, compact) in complete.iter().zip(&compact) {
            let (step, line) = (complete.step, complete.range.line);
            assert_eq!((compact.step, compact.line), (step, line));
            assert_eq!(
                (compact.block, compact.warp),
                (complete.block, complete.warp)
            );
            assert_eq!(compact.instruction, complete.instruction);
            assert_eq!(compact.has_landed, complete.has_landed);
            assert_eq!(
                expanded(compact),
                chunks(complete),
                "{}: step {step}",
                path.display()
            );
            n_stores += 1;
        }
        let size = |json: serde_json::Result<String>| json.expect("JSON").len();
        n_complete += size(serde_json::to_string(&complete));
        n_compact += size(serde_json::to_string(&compact));
    }
    assert!(n_stores > 500, "{n_stores}");
    assert!(
        n_compact * 10 < n_complete,
        "{n_compact} of {n_complete} bytes"
    );
}
