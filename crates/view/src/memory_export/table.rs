//! Export of a memory as a CSV table and as a NumPy array.

use crate::diagnostics::no_such_memory;
use crate::model::grid::{GridRequest, MemoryGrid, MemoryView};
use crate::session::Session;
use warpgrid_launch::value::ElementType;

/// Maximum number of elements in a table: 16 Mi elements, which correspond to about 200 MB of text.
const MAX_ELEMENTS: usize = 1 << 24;

/// Maximum size of a NumPy array in bytes. In WebAssembly, the run, the file, and the message that transfers the file share an address
/// space of 4 GiB.
const MAX_BYTES: Option<usize> = match cfg!(target_family = "wasm") {
    true => Some(256 << 20),
    false => None,
};

/// Returns a grid with the properties of a memory, and all bytes of the memory.
fn whole<'a>(
    session: &'a mut Session,
    request: &GridRequest,
) -> Result<(MemoryGrid, &'a [u8]), String> {
    let missing = || no_such_memory(&request.memory.to_string());
    let first_row = GridRequest {
        n_rows: Some(1),
        ..request.clone()
    };
    let grid = session.grid(&first_row).ok_or_else(missing)?;
    let bytes = session.memory(&request.memory).ok_or_else(missing)?;
    Ok((grid, bytes))
}

/// Formats all elements of a memory, separated by commas, with one line per row.
pub(crate) fn csv(session: &mut Session, request: &GridRequest) -> Result<Vec<u8>, String> {
    let (grid, bytes) = whole(session, request)?;
    let width = grid.ty.width_bytes();
    let n_elements = bytes.len().div_ceil(width);
    if n_elements > MAX_ELEMENTS {
        return Err(format!(
            "`{}` has {n_elements} elements, expected at most {MAX_ELEMENTS} for a table: save a NumPy array (`.npy`) instead",
            grid.memory.title
        ));
    }
    let mut out = String::new();
    for (index, element) in bytes.chunks(width).enumerate() {
        let is_first = index % grid.columns as usize == 0;
        out += match (index, is_first) {
            (0, _) => "",
            (_, true) => "\n",
            (_, false) => ",",
        };
        // Write `inf`, because NumPy and spreadsheets cannot parse the infinity sign.
        out += &grid.ty.text(grid.ty.bits(element)).replace('∞', "inf");
    }
    out.push('\n');
    Ok(out.into_bytes())
}

/// Encodes a memory as a NumPy array file of format version 1.0 (numpy.lib.format): the magic string, a header padded to 64 bytes, and the
/// elements in C order and little-endian.
pub(crate) fn npy(session: &mut Session, request: &GridRequest) -> Result<Vec<u8>, String> {
    let (grid, bytes) = whole(session, request)?;
    let width = grid.ty.width_bytes();
    if let Some(most) = MAX_BYTES
        && bytes.len() > most
    {
        return Err(format!(
            "`{}` has {} bytes, expected at most {most} in browsers and Node: use `warpgrid run --save` for larger files",
            grid.memory.title,
            bytes.len()
        ));
    }
    let n_elements = bytes.len() / width;
    let extents = extents(&grid.memory, n_elements as u64);
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({extents}), }}",
        description(grid.ty)
    );
    // The magic string, version and header length occupy 10 bytes, and a newline terminates the header.
    let padding = (64 - (10 + header.len() + 1) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut out = Vec::with_capacity(10 + header.len() + bytes.len());
    out.extend_from_slice(b"\x93NUMPY\x01\x00");
    out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(&bytes[..n_elements * width]);
    Ok(out)
}

/// Returns the extents of the memory as the contents of a Python tuple. If the extents do not match the number of elements, returns only
/// the number of elements.
fn extents(memory: &MemoryView, n_elements: u64) -> String {
    let all: Option<u64> = memory
        .shape
        .iter()
        .try_fold(1, |all: u64, n| all.checked_mul(*n));
    // Limit the number of extents to 20, so that the header does not exceed the maximum of 65,535 bytes.
    let fits = (1..=20).contains(&memory.shape.len()) && all == Some(n_elements);
    match fits {
        true => memory
            .shape
            .iter()
            .map(|n| format!("{n}, "))
            .collect::<String>()
            .trim_end()
            .to_owned(),
        false => format!("{n_elements},"),
    }
}

/// Returns the NumPy type descriptor. NumPy has no `bf16` type, so the file contains `bf16` elements as raw bytes, which is the convention
/// of ml_dtypes. NumPy has no bit types, so the file contains elements of these types as unsigned integers.
fn description(ty: ElementType) -> &'static str {
    use ElementType as T;
    match ty {
        T::U8 | T::B8 => "|u1",
        T::S8 => "|i1",
        T::U16 | T::B16 => "<u2",
        T::S16 => "<i2",
        T::U32 | T::B32 => "<u4",
        T::S32 => "<i4",
        T::U64 | T::B64 => "<u8",
        T::S64 => "<i8",
        T::F16 => "<f2",
        T::Bf16 => "|V2",
        T::F32 | T::Tf32 => "<f4",
        T::F64 => "<f8",
        T::B128 => "|V16",
        // Export the bits of the elements, because NumPy does not support these types.
        T::E4m3 | T::E5m2 | T::E2m3 | T::E3m2 | T::Ue8m0 | T::E2m1x2 => "|u1",
        T::U4x2 | T::S4x2 | T::Char | T::Bin8 => "|u1",
        T::F16x2 | T::Bf16x2 | T::U8x4 | T::S8x4 | T::U16x2 | T::S16x2 | T::Bin32 => "<u4",
    }
}
