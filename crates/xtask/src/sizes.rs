//! Reports the raw and the compressed size of each file in a directory.

use crate::shell::{self, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Size budgets of wasm files in gzip-compressed bytes, by prefix of the file name. A budget exceeds the measured size by
/// 2 %. A longer prefix precedes the shorter prefixes that it contains.
const LIMITS: &[(&str, usize)] = &[
    ("warpgrid-web", 450_000),
    ("warpgrid-core-extended", 2_226_000),
    ("warpgrid-core-sass", 835_000),
    ("warpgrid-core", 965_000),
];

/// Raw and compressed size of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileSize {
    pub(crate) name: String,
    pub(crate) raw: usize,
    pub(crate) gzip: usize,
    /// Size of the adjacent file with the extension `.br`; 0 if this file does not exist.
    pub(crate) brotli: usize,
}

/// Returns the sizes of all files below a directory, from the largest to the smallest file.
pub(crate) fn of_folder(folder: &Path) -> Result<Vec<FileSize>> {
    let mut sizes = Vec::new();
    for file in shell::files_below(folder, &[])? {
        if file.extension().is_some_and(|ending| ending == "br") {
            continue;
        }
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file
            .strip_prefix(folder)
            .unwrap_or(&file)
            .display()
            .to_string();
        sizes.push(FileSize {
            name,
            raw: bytes.len(),
            gzip: gzipped(&bytes)?,
            brotli: compressed_beside(&file),
        });
    }
    sizes.sort_by(|a, b| b.gzip.cmp(&a.gzip).then_with(|| a.name.cmp(&b.name)));
    Ok(sizes)
}

/// Returns a table with the size of each file in a directory and with the total size.
pub(crate) fn report(folder: &Path) -> Result<String> {
    let sizes = of_folder(folder)?;
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let total = FileSize {
        name: format!("{name}/ total"),
        raw: sizes.iter().map(|size| size.raw).sum(),
        gzip: sizes.iter().map(|size| size.gzip).sum(),
        brotli: 0,
    };
    let width = sizes
        .iter()
        .map(|size| size.name.len())
        .max()
        .unwrap_or(0)
        .max(total.name.len());
    let mut text = format!(
        "\n  {:<width$} {:>12} {:>12} {:>12}\n",
        "file", "bytes", "gzip", "brotli"
    );
    for size in sizes.iter().chain([&total]) {
        // A write to a `String` cannot fail.
        let brotli = match size.brotli {
            0 => String::new(),
            bytes => bytes.to_string(),
        };
        let _ = writeln!(
            text,
            "  {:<width$} {:>12} {:>12} {brotli:>12}",
            size.name, size.raw, size.gzip
        );
    }
    Ok(text)
}

/// Checks the size budgets of the wasm files of a site. For example, a file exceeds its budget if the linker includes the emulator core in
/// the wasm of the page.
pub(crate) fn check_limits(site: &Path) -> Result<()> {
    for size in of_folder(site)? {
        if let Some(limit) = limit_of(&size.name)
            && size.gzip > limit
        {
            return Err(format!(
                "{} has {} bytes (gzipped), which exceeds the limit of {limit}: find the added code, or raise the limit in `xtask/src/sizes.rs`",
                size.name, size.gzip
            ));
        }
    }
    Ok(())
}

/// Returns the size budget of a file of the site. Returns `None` if the file has no budget.
fn limit_of(name: &str) -> Option<usize> {
    let (_, file) = name.rsplit_once('/').unwrap_or(("", name));
    let limits = LIMITS.iter().filter(|_| file.ends_with(".wasm"));
    let mut limits = limits.filter(|(start, _)| file.starts_with(start));
    limits.next().map(|(_, limit)| *limit)
}

/// Returns the size of `FILE.br`, which web servers may send instead of FILE. Returns 0 if `FILE.br` does not exist.
fn compressed_beside(file: &Path) -> usize {
    let mut name = file.as_os_str().to_owned();
    name.push(".br");
    std::fs::metadata(name).map_or(0, |data| data.len() as usize)
}

fn gzipped(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(bytes)
        .map_err(|error| error.to_string())?;
    Ok(encoder.finish().map_err(|error| error.to_string())?.len())
}

#[cfg(test)]
mod tests {
    use super::limit_of;

    #[test]
    fn every_wasm_file_of_page_has_distinct_size_limit() {
        let names = [
            "warpgrid-web-0123_bg.wasm",
            "core-0123/warpgrid-core-extended_bg.wasm",
            "core-0123/warpgrid-core-sass_bg.wasm",
            "core-0123/warpgrid-core_bg.wasm",
        ];
        let mut limits: Vec<_> = names.iter().map(|name| limit_of(name)).collect();
        assert!(limits.iter().all(Option::is_some));
        limits.sort_unstable();
        limits.dedup();
        assert_eq!(limits.len(), names.len());
        assert_eq!(limit_of("core-0123/warpgrid-core.js"), None);
        assert_eq!(limit_of("widget/core_bg.wasm"), None);
    }
}
