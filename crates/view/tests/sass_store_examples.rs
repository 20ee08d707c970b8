//! SASS stores according to their documentation, as snippets of two lines: effective addresses, access sizes, misaligned addresses, bounds,
//! predicates, and initial register values.

use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Returns a session of a snippet at its end.
fn run(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(session.run(10_000));
    session
}

/// Returns words of a memory from a byte offset on.
fn words(session: &Session, memory: MemoryKey, start: usize, n: usize) -> Vec<u32> {
    let bytes = session.memory(&memory).expect("the memory");
    let chunks = bytes[start..].chunks_exact(4).take(n);
    chunks
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

fn shared(source: &str, start: usize, n: usize) -> Vec<u32> {
    let session = run(source);
    assert_eq!(session.fault(), None);
    words(&session, MemoryKey::Shared(0), start, n)
}

#[test]
fn address_is_register_plus_offset() {
    let source = "//@ register R3 = lane * 8 + 32\n//@ register R4 = lane\n//@ register R5 = 0x100\n.target sm_50\nSTS.64 [R3 - 16], R4;";
    assert_eq!(shared(source, 16, 6), [0, 0x100, 1, 0x100, 2, 0x100]);
    let plus_minus = source.replace("R3 - 16", "R3+-0x10");
    assert_eq!(shared(&plus_minus, 16, 6), [0, 0x100, 1, 0x100, 2, 0x100]);
}

#[test]
fn address_without_register_is_absolute() {
    let source = "//@ register R1 = 7\n.target sm_50\nSTS.32 [0x14], R1;";
    assert_eq!(shared(source, 16, 3), [0, 7, 0]);
    assert_eq!(shared(&source.replace("0x14", "RZ+0x14"), 16, 3), [0, 7, 0]);
}

#[test]
fn narrow_store_writes_low_bits_and_wide_store_register_range() {
    let source =
        "//@ register R1 = 0x12345678\n.target sm_50\nSTS.U8 [0x10], R1;\nSTS.U16 [0x14], R1;";
    assert_eq!(shared(source, 16, 2), [0x78, 0x5678]);
    let wide = "//@ register R4 = 1\n//@ register R5 = 2\n//@ register R6 = 3\n//@ register R7 = 4\n.target sm_50\nSTS.128 [0x20], R4;";
    assert_eq!(shared(wide, 32, 4), [1, 2, 3, 4]);
}

#[test]
fn lanes_with_false_guard_predicate_do_not_store() {
    let source = "//@ register R2 = lane * 4\n//@ register R1 = 9\n//@ register P0 = lane\n.target sm_50\n@P0 STS [R2], R1;";
    assert_eq!(shared(source, 0, 4), [0, 9, 0, 9]);
    assert_eq!(shared(&source.replace("@P0", "@!P0"), 0, 4), [9, 0, 9, 0]);
}

#[test]
fn misaligned_address_faults_or_is_aligned_down_per_policy() {
    let source =
        "//@ launch misaligned=force\n//@ register R1 = 5\n.target sm_50\nSTS.32 [0x12], R1;";
    assert_eq!(shared(source, 16, 2), [5, 0]);
    let session = run(&source.replace("force", "fault"));
    let fault = session.fault().expect("a fault");
    assert!(fault.message.contains("misaligned"), "{}", fault.message);
    let wide = "//@ launch misaligned=force\n//@ register R3 = 0x2c\n//@ register R4 = 1\n//@ register R5 = 2\n.target sm_50\nSTS.64 [R3], R4;";
    assert_eq!(shared(wide, 40, 3), [1, 2, 0]);
}

#[test]
fn address_outside_shared_window_faults() {
    let session = run("//@ register R2 = 0xfffff0\n.target sm_50\nSTS [R2], R1;");
    let fault = session.fault().expect("a fault");
    assert!(fault.message.contains("out-of-bounds"), "{}", fault.message);
}

#[test]
fn misaligned_access_is_forced_in_snippet_and_faults_in_kernel() {
    let source = "//@ register R1 = 5\n.target sm_50\nSTS.32 [0x12], R1;";
    assert_eq!(shared(source, 16, 2), [5, 0]);
    let local = "//@ register R4 = lane + 1\n//@ register R5 = 2\n.target sm_50\nSTL.64 [0x14], R4;\nLDL.64 R6, [0x10];\nSTS [0x20], R7;";
    assert_eq!(shared(local, 32, 1), [2]);
    let kernel = "//@ register R1 = 5\ncode for sm_50\nFunction : f\n/*0008*/ STS.32 [0x12], R1;\n/*0010*/ EXIT;";
    let session = run(kernel);
    let fault = session.fault().expect("a fault");
    assert!(fault.message.contains("misaligned"), "{}", fault.message);
}

#[test]
fn address_beyond_allocation_faults_before_store() {
    // The window has 16 MiB. The shared memory of a block is smaller, and local memory is smaller still.
    for (code, address) in [
        ("STS [R2], R1", 0xc000u32),
        ("STS [R2-0x8], R1", 0),
        ("STL [R2], R1", 0x80_0000),
        ("STL.128 [R2], R4", 0x3ff8 * 0x400),
    ] {
        let source = format!(
            "//@ launch block=1\n//@ register R2 = {address}\n//@ register R1 = 7\n.target sm_50\n{code};"
        );
        let session = run(&source);
        let fault = session
            .fault()
            .unwrap_or_else(|| panic!("{code}: no fault"));
        assert!(
            fault.message.contains("out-of-bounds"),
            "{code}: {}",
            fault.message
        );
        let stored = session.memory(&MemoryKey::Shared(0)).unwrap_or_default();
        assert!(stored.iter().all(|byte| *byte == 0), "{code}");
    }
}

#[test]
fn cache_operators_and_signedness_do_not_affect_stored_values() {
    for cop in ["", ".WB", ".CG", ".CS", ".WT"] {
        let source = format!(
            "//@ register R1 = lane + 3\n//@ register R2 = lane * 4\n.target sm_50\nSTL{cop}.32 [0x8], R1;\nLDL R3, [0x8];\nSTS [R2], R3;"
        );
        assert_eq!(shared(&source, 0, 3), [3, 4, 5], "{cop}");
    }
    for size in [".8", ".U8", ".S8"] {
        let source = format!("//@ register R1 = 0x1234\n.target sm_50\nSTS{size} [0x3], R1;");
        assert_eq!(shared(&source, 0, 1), [0x3400_0000], "{size}");
    }
}

#[test]
fn local_memory_is_private_to_each_lane() {
    let session = run(
        "//@ register R3 = 0\n//@ register R1 = lane + 1\n//@ buffer out: u32[32] = 0\n//@ register R4 = out + lane * 4\n.target sm_50\nSTL.32 [R3+0x1234], R1;\nLDL R6, [R3+0x1234];\nSTG.E [R4], R6;",
    );
    assert_eq!(session.fault(), None);
    let expected: Vec<u32> = (1..=32).collect();
    assert_eq!(
        words(&session, MemoryKey::Buffer("out".into()), 0, 32),
        expected
    );
}

#[test]
fn register_annotation_accepts_unused_and_rejects_invalid_names() {
    let source = "//@ register R9 = 3\n//@ register P4 = 1\n//@ register R1 = 7\n.target sm_50\nSTS.32 [0x14], R1;";
    assert_eq!(shared(source, 16, 3), [0, 7, 0]);
    for name in ["R255", "R300", "P7", "R01", "X1", "%r1"] {
        let scenario = Scenario {
            source: source.replace("R9", name),
            front: SourceLanguage::Sass,
            ..Scenario::default()
        };
        let error = Session::new(scenario).err().expect("an error");
        assert_eq!(error.code, "W0706", "{name}");
    }
}

#[test]
fn shared_fault_offset_excludes_reserved_memory() {
    let offset = |target: &str, address: u32| {
        let session = run(&format!(
            "//@ launch block=1\n//@ register R4 = {address}\ncode for {target}\nFunction : f\n/*0008*/ STS.128 [R4], R8;\n/*0010*/ EXIT;"
        ));
        session.fault().and_then(|fault| fault.byte_offset)
    };
    assert_eq!(offset("sm_80", 0x8), Some(8));
    // From this architecture on, the first KiB is reserved for the system.
    assert_eq!(offset("sm_90", 0x408), Some(8));
    assert_eq!(offset("sm_120", 0x408), Some(8));
}
