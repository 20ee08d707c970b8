//! Cluster information in SASS: read from constant bank 0, in which the launch stores it, by architecture.

use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Returns the contents of constant bank locations in the first block of a launch of 8 x 4 blocks in clusters of 2 x 2.
fn words(target: &str, places: &[&str]) -> Vec<u32> {
    let reads: String = places
        .iter()
        .enumerate()
        .map(|(i, place)| format!("LDC R2, {place};\nSTS [R6+{:#x}], R2;\n", 0x400 + 4 * i))
        .collect();
    let source = format!(
        "//@ launch grid=8,4 block=1 cluster=2,2\n.target {target}\nCS2R.32 R4, SR_CgaSize;\nIMAD R4, R4, -0xa0, RZ;\nMOV R6, RZ;\n{reads}EXIT;"
    );
    let scenario = Scenario {
        source,
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(session.run(10_000), "not over");
    assert_eq!(session.fault(), None);
    let bytes = session
        .memory(&MemoryKey::Shared(0))
        .expect("shared memory");
    let words = bytes[0x400..].chunks_exact(4).take(places.len());
    words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

#[test]
fn constant_bank_contains_cluster_shape() {
    let half = 0.5f32.to_bits();
    let expected = [1, 2, 2, 1, half, 4, 2, 1, 4];
    let early = [
        "c[0x0][0x140]",
        "c[0x0][0x144]",
        "c[0x0][0x148]",
        "c[0x0][0x14c]",
        "c[0x0][0x154]",
        "c[0x0][0x15c]",
        "c[0x0][0x160]",
        "c[0x0][0x164]",
        "c[0x0][0x188]",
    ];
    assert_eq!(words("sm_90", &early), expected);
    let late = [
        "c[0x0][0x36c]",
        "c[0x0][R4+0x2a0]",
        "c[0x0][R4+0x2a4]",
        "c[0x0][R4+0x2a8]",
        "c[0x0][R4+0x2b4]",
        "c[0x0][R4+0x2c0]",
        "c[0x0][R4+0x2c4]",
        "c[0x0][R4+0x2c8]",
        "c[0x0][R4+0x2cc]",
    ];
    assert_eq!(words("sm_100", &late), expected);
    assert_eq!(words("sm_120", &late), expected);
}
