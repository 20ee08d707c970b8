//! Measures the code size of each crate in the wasm cores of the page. The module reads wasm files with function names, and reports the
//! bytes of code of each crate and the bytes of data.

use crate::package::artefact;
use crate::setup::rust;
use crate::shell::{self, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Label of functions that belong to no crate of the workspace.
const OTHERS: &str = "std and dependencies";

/// Prefix of the crate names of the workspace.
const CRATE: &str = "warpgrid_";

/// Wasm cores with their cargo arguments. `web/index.html` builds the cores of the page, one per set of supported languages. `cargo xtask
/// package` builds the cores of the widgets and of the package.
#[rustfmt::skip]
const CORES: &[(&str, &str)] = &[
    ("warpgrid-core", "warpgrid-worker --bin warpgrid-core --no-default-features --features ptx"),
    ("warpgrid-core-sass", "warpgrid-worker --bin warpgrid-core-sass --no-default-features --features sass"),
    ("warpgrid-core-extended", "warpgrid-worker --bin warpgrid-core-extended --no-default-features --features ptx,sass,paste,translate"),
    ("core_ptx (widget)", "warpgrid-pack --lib --no-default-features --features ptx"),
    ("core (npm package)", "warpgrid-pack --lib"),
];

/// Bytes of code of each crate, by crate name.
type CrateSizes = BTreeMap<String, usize>;

/// Returns the size of each crate in each core of the site before the optimization by wasm-opt. The function reuses the artifacts of the
/// site build.
pub(crate) fn report() -> Result<String> {
    rust::wasm_target()?;
    let mut text = String::new();
    for (core, words) in CORES {
        let mut sizes = weigh(core, words)?;
        sizes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "\n  {:<30} {:>12}",
            format!("crate of {core}"),
            "bytes"
        );
        for (name, bytes) in sizes {
            let _ = writeln!(text, "  {name:<30} {bytes:>12}");
        }
    }
    Ok(text)
}

/// Returns the bytes of each crate in a core that cargo has built.
fn weigh(core: &str, words: &str) -> Result<Vec<(String, usize)>> {
    let mut command = shell::cargo();
    command
        .args(["build", "--package"])
        .args(words.split(' '))
        .args(["--target", rust::WASM, "--profile", "wasm"])
        .args(["--message-format", "json-render-diagnostics"]);
    let outcome = shell::step(&format!("measuring the size of {core}"), &mut command)?;
    let file = artefact(&outcome.transcript, ".wasm").ok_or("cargo produced no emulator module")?;
    let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let wasm = Wasm::read(&bytes).ok_or_else(|| format!("{}: not a wasm file", file.display()))?;
    let mut sizes: Vec<_> = wasm.crate_sizes().into_iter().collect();
    sizes.push((
        "tables and strings of all crates".to_owned(),
        wasm.data_bytes,
    ));
    Ok(sizes)
}

/// Relevant contents of a wasm file (WebAssembly Core Specification, "Binary Format").
#[derive(Debug, Default)]
struct Wasm<'a> {
    n_imported: usize,
    /// Code size of each function defined in the file, in order.
    functions: Vec<usize>,
    /// Function names by function index, which includes imported functions.
    names: BTreeMap<usize, &'a str>,
    data_bytes: usize,
}

impl<'a> Wasm<'a> {
    fn read(bytes: &'a [u8]) -> Option<Wasm<'a>> {
        const IMPORT: u8 = 2;
        const CODE: u8 = 10;
        const DATA: u8 = 11;
        const CUSTOM: u8 = 0;
        let mut wasm = Wasm::default();
        let mut reader = WasmReader(bytes.strip_prefix(b"\0asm\x01\0\0\0")?);
        while !reader.0.is_empty() {
            let id = reader.byte()?;
            let mut section = reader.block()?;
            match id {
                IMPORT => wasm.n_imported = read_imports(&mut section)?,
                CODE => {
                    for _ in 0..section.number()? {
                        wasm.functions.push(section.block()?.0.len());
                    }
                }
                DATA => wasm.data_bytes = section.0.len(),
                CUSTOM if section.text()? == "name" => wasm.names = read_names(section)?,
                _ => {}
            }
        }
        Some(wasm)
    }

    fn crate_sizes(&self) -> CrateSizes {
        let mut sizes = CrateSizes::new();
        for (index, bytes) in self.functions.iter().enumerate() {
            let name = self.names.get(&(self.n_imported + index)).copied();
            *sizes.entry(crate_of(name.unwrap_or(""))).or_default() += bytes;
        }
        sizes
    }
}

/// Returns the crate to which the bytes of a function are attributed. The crate is the first workspace crate in the mangled name of the
/// function, since a generic function of the standard library is instantiated for the crate that calls this function.
fn crate_of(name: &str) -> String {
    let Some((_, rest)) = name.split_once(CRATE) else {
        return OTHERS.to_owned();
    };
    let end = rest
        .find(|c: char| !c.is_ascii_lowercase())
        .unwrap_or(rest.len());
    rest.get(..end).unwrap_or(rest).to_owned()
}

/// Reads an import section and returns the number of imported functions.
fn read_imports(section: &mut WasmReader<'_>) -> Option<usize> {
    let mut n_functions = 0;
    for _ in 0..section.number()? {
        section.block()?;
        section.block()?;
        match section.byte()? {
            0 => {
                section.number()?;
                n_functions += 1;
            }
            // The entry of a table contains an element type and limits, the entry of a memory contains limits, and the entry of a global
            // contains a type and a mutability flag.
            1 => {
                section.byte()?;
                section.limits()?;
            }
            2 => section.limits()?,
            3 => {
                section.byte()?;
                section.byte()?;
            }
            _ => return None,
        }
    }
    Some(n_functions)
}

fn read_names(mut section: WasmReader<'_>) -> Option<BTreeMap<usize, &str>> {
    const FUNCTIONS: u8 = 1;
    let mut names = BTreeMap::new();
    while !section.0.is_empty() {
        let id = section.byte()?;
        let mut list = section.block()?;
        if id == FUNCTIONS {
            for _ in 0..list.number()? {
                names.insert(list.number()?, list.text()?);
            }
        }
    }
    Some(names)
}

/// Reader of a byte sequence. The reader functions return `None` at the end of the input.
#[derive(Debug)]
struct WasmReader<'a>(&'a [u8]);

impl<'a> WasmReader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Reads an unsigned integer in LEB128 encoding.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a block with a length prefix.
    fn block(&mut self) -> Option<WasmReader<'a>> {
        let n = self.number()?;
        let (block, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(WasmReader(block))
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.block()?.0).ok()
    }

    fn limits(&mut self) -> Option<()> {
        let has_most = self.byte()? & 1 == 1;
        self.number()?;
        if has_most {
            self.number()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_attributed_to_first_crate_in_symbol() {
        let legacy = "_ZN12warpgrid_ptx5check4body3run17h0E";
        let generic =
            "_ZN79_$LT$warpgrid_emulator..state..State$u20$as$u20$core..clone..Clone$GT$5cloneE";
        assert_eq!(crate_of(legacy), "ptx");
        assert_eq!(crate_of(generic), "emulator");
        assert_eq!(crate_of("_RNvNtCs_4core3fmt5write"), OTHERS);
        assert_eq!(crate_of(""), OTHERS);
    }

    #[test]
    fn code_size_is_totaled_per_crate() {
        let section = |id: u8, body: &[u8]| [&[id, body.len() as u8], body].concat();
        // The file contains one imported function, two defined functions with 3 and 2 bytes, and the names of these functions.
        let imports = section(2, b"\x01\x01a\x01b\x00\x00");
        let code = section(10, b"\x02\x03\x00\x01\x0b\x02\x00\x0b");
        let data = section(11, b"\x00");
        let list = b"\x03\x00\x01f\x01\x0ewarpgrid_isa12\x02\x03std";
        let names = [&b"\x04name\x01"[..], &[list.len() as u8], list].concat();
        let file = [
            b"\0asm\x01\0\0\0".to_vec(),
            imports,
            code,
            data,
            section(0, &names),
        ]
        .concat();
        let wasm = Wasm::read(&file).expect("a wasm file");
        let expected = [("isa".to_owned(), 3), (OTHERS.to_owned(), 2)];
        assert_eq!(wasm.crate_sizes(), CrateSizes::from(expected));
        assert_eq!(wasm.data_bytes, 1);
        assert!(Wasm::read(&file[..file.len() - 1]).is_none());
    }
}
