//! Compiled files: their extracted contents, and the handling of corrupted files.

use expect_test::{expect, expect_file};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpgrid_isa::Target;
use warpgrid_paste::binary::{
    BinaryContents, EmbeddedProgramKind, ObjectKind, is_binary, open, write_object,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/binaries")
}

fn files() -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder()).expect("the folder of this test");
    let endings = ["cubin", "fatbin", "o"];
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<(String, Vec<u8>)> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|own| endings.iter().any(|ending| own == *ending))
        })
        .map(|path| {
            let name = path
                .file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(&path).expect("a file that was listed"))
        })
        .collect();
    files.sort();
    files
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).expect("a file of this test")
}

fn described(contents: &BinaryContents) -> String {
    let mut text = format!("{}\n", contents.kind);
    for entry in &contents.entries {
        let target = entry.target.as_deref().unwrap_or("-");
        let packed = entry.packed.unwrap_or("not packed");
        let _ = writeln!(
            text,
            "== {target}, {packed}, {} bytes: {}",
            entry.n_bytes,
            entry.kernels().join(", ")
        );
        let shown = entry.text();
        for line in shown.lines().take(30) {
            let _ = writeln!(text, " | {line}");
        }
    }
    for note in &contents.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

#[test]
fn embedded_programs_are_extracted_from_binaries() {
    for (name, bytes) in files() {
        assert!(is_binary(&bytes), "{name}");
        let contents = open(&bytes).expect("a file of a compiler");
        let expected = folder().join(format!("{name}.expect"));
        expect_file![expected].assert_eq(&described(&contents));
    }
}

#[test]
fn compressed_ptx_matches_uncompressed_ptx() {
    let ptx = |name: &str| {
        let contents = open(&file(name)).expect("a fatbin");
        let found = contents
            .entries
            .into_iter()
            .find_map(|entry| match entry.kind {
                EmbeddedProgramKind::Ptx(text) => Some(text),
                EmbeddedProgramKind::Machine(_) => None,
            });
        found.expect("it has PTX")
    };
    let plain = ptx("plain.fatbin");
    assert!(plain.contains(".visible .entry scale("));
    assert_eq!(ptx("zstd.fatbin"), plain);
    assert_eq!(ptx("lz4.fatbin"), plain);
    assert_eq!(ptx("host.o"), plain);
}

#[test]
fn files_without_gpu_code_are_rejected() {
    let reason = |bytes: &[u8]| open(bytes).expect_err("no program");
    assert_eq!(
        reason(b"PK\x03\x04"),
        "the file is not a text file, a cubin, a fatbin, or a program with a fatbin"
    );
    let mut host = file("sm_90.cubin");
    // `e_machine` of a CPU.
    (host[18], host[19]) = (62, 0);
    assert_eq!(
        reason(&host),
        "the file contains no GPU code, because it has no section `.nv_fatbin`"
    );
    assert!(!is_binary(b"st.global.u32 [p], 1;"));
}

/// Returns an object that contains two PTX modules.
fn object_with_ptx() -> Vec<u8> {
    let target = Target::from_name("sm_90a").expect("a target");
    let modules = [
        ".version 8.0\n.target sm_80\n.entry first() { ret; }\n",
        ".version 8.0\n.target sm_90a\n.entry second() { ret; }\n",
    ];
    write_object(&modules, target, ObjectKind::Executable)
}

/// Returns a fatbin with one uncompressed cubin entry for `sm_90`.
fn fatbin_of(cubin: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    bytes.extend((cubin.len() as u64 + 64).to_le_bytes());
    bytes.extend([2, 0, 1, 1, 64, 0, 0, 0]);
    bytes.extend((cubin.len() as u64).to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(90u32.to_le_bytes());
    bytes.extend([0; 32]);
    bytes.extend(cubin);
    bytes
}

#[test]
fn objects_with_ptx_contain_written_modules() {
    let object = object_with_ptx();
    assert!(is_binary(&object));
    expect![[r#"
        object with PTX
        == sm_80, not packed, 51 bytes: first
         | .version 8.0
         | .target sm_80
         | .entry first() { ret; }
        == sm_90a, not packed, 53 bytes: second
         | .version 8.0
         | .target sm_90a
         | .entry second() { ret; }
    "#]]
    .assert_eq(&described(&open(&object).expect("an object")));
    let fatbin = open(&fatbin_of(&object)).expect("a fatbin");
    assert_eq!(fatbin.kind, "fatbin");
    let kernels = fatbin.entries.iter().flat_map(|entry| entry.kernels());
    assert_eq!(kernels.collect::<Vec<_>>(), ["first", "second"]);
}

/// Returns a fatbin with one entry that claims these flags and sizes.
fn claiming(flags: u64, size: u64, packed: u32, unpacked: u64) -> Vec<u8> {
    let mut bytes = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    bytes.extend(1000u64.to_le_bytes());
    bytes.extend([1, 0, 1, 1, 64, 0, 0, 0]);
    bytes.extend(size.to_le_bytes());
    bytes.extend(packed.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(90u32.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(flags.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(unpacked.to_le_bytes());
    bytes.extend([0x1f; 200]);
    bytes
}

#[test]
fn oversized_and_corrupt_fatbin_entries_are_reported() {
    let notes = |bytes: &[u8]| open(bytes).expect("a fatbin").notes.join("; ");
    let bomb = notes(&claiming(0x2000, 100, 100, u64::MAX));
    assert!(bomb.contains("exceeds the limit"), "{bomb}");
    let broken = notes(&claiming(0x2000, 100, 100, 1 << 20));
    assert!(broken.contains("LZ4 data is invalid"), "{broken}");
    let broken = notes(&claiming(0x8000, 100, 100, 1 << 20));
    assert!(broken.contains("zstd data is invalid"), "{broken}");
    let long = notes(&claiming(0, u64::MAX, 0, 0));
    assert!(long.contains("truncated"), "{long}");
}

/// Returns the bytes of all files of this test, and of an object that contains PTX.
fn inputs() -> Vec<Vec<u8>> {
    let files = files().into_iter().map(|(_, bytes)| bytes);
    files.chain([object_with_ptx()]).collect()
}

#[test]
fn truncated_binaries_do_not_panic() {
    for bytes in inputs() {
        for end in (0..bytes.len()).step_by(97) {
            if let Ok(contents) = open(&bytes[..end]) {
                let shown: usize = contents
                    .entries
                    .iter()
                    .map(|entry| entry.text().len())
                    .sum();
                assert!(shown < 1 << 20);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn corrupted_binaries_do_not_panic(which in 0usize..8, places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let mut bytes = inputs().swap_remove(which);
        for (place, value) in places {
            let at = place.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(contents) = open(&bytes) {
            for entry in &contents.entries {
                prop_assert!(entry.text().len() < 8 << 20);
                entry.kernels();
            }
        }
    }

    #[test]
    fn arbitrary_headers_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), is_elf in any::<bool>()) {
        let mut file = match is_elf {
            true => b"\x7fELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0\x02\0\xbe\0".to_vec(),
            false => vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0],
        };
        file.extend(bytes);
        let _ = open(&file);
    }
}

#[test]
fn unbounded_stack_size_is_not_reported_in_bytes() {
    let mut bytes = file("sm_90.cubin");
    // Attribute with a value of eight bytes: the symbol of a function, and the stack size of a thread. Recursive functions have no bound.
    let is_stack = |part: &[u8]| matches!(part, [4, 0x11 | 0x12, 8, 0, ..]);
    let places: Vec<usize> = (0..bytes.len() - 12)
        .filter(|at| is_stack(&bytes[*at..]))
        .collect();
    assert!(!places.is_empty(), "the file states the stack of a kernel");
    for at in places {
        bytes[at + 8..at + 12].fill(0xff);
    }
    let contents = open(&bytes).expect("a cubin");
    let shown = described(&contents);
    assert!(!shown.contains("of stack"), "{shown}");
    assert!(described(&open(&file("sm_90.cubin")).expect("a cubin")).contains("of stack"));
}
