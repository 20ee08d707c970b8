//! Data sections: converts `.byte`, `.short`, `.word`, `.dword` and `.zero` into bytes, symbols and references.

use std::collections::HashMap;
use warpgrid_program::Span;

/// Data section of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub span: Span,
    pub align_bytes: u32,
    /// Contents of the section. Values that reference a symbol are zero.
    pub bytes: Vec<u8>,
    pub symbols: Vec<Symbol>,
    /// Values that reference a symbol.
    pub references: Vec<SymbolReference>,
}

/// Symbol that refers to a location in a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub byte_offset: u64,
    /// Whether the listing declares the symbol as an object. Labels that a disassembler generates have no declaration.
    pub is_object: bool,
}

/// Reference to a symbol in a data section of a listing: its offset, its width and its text. The lowering resolves the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolReference {
    pub byte_offset: u64,
    pub width_bytes: u32,
    pub text: String,
}

impl Section {
    /// Returns the little-endian number of up to eight bytes at an offset in the section.
    pub fn number(&self, byte_offset: usize, width_bytes: usize) -> u64 {
        let bytes = self.bytes.get(byte_offset..).unwrap_or(&[]);
        let bytes = bytes.iter().take(width_bytes.min(8)).rev();
        bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    /// Returns the size of an object in bytes. The object extends to the next symbol.
    pub fn size_of(&self, symbol: &Symbol) -> u64 {
        let later = self.symbols.iter().map(|other| other.byte_offset);
        let end = later.filter(|offset| *offset > symbol.byte_offset).min();
        end.unwrap_or(self.bytes.len() as u64) - symbol.byte_offset
    }
}

/// Maximum section size in bytes, which prevents memory exhaustion by a large number in `.zero`.
const MAX_BYTES: usize = 64 << 20;

/// Builder of the section that is being parsed.
#[derive(Default)]
pub(super) struct SectionBuilder {
    section: Option<Section>,
    objects: Vec<String>,
}

impl SectionBuilder {
    pub(super) fn begin(&mut self, name: &str, span: Span) {
        self.objects.clear();
        self.section = Some(Section {
            name: name.to_owned(),
            span,
            align_bytes: 1,
            ..Section::default()
        });
    }

    /// Completes the current section: resolves the label differences and returns the section.
    pub(super) fn end(&mut self) -> Option<Section> {
        let mut section = self.section.take()?;
        for symbol in &mut section.symbols {
            symbol.is_object = self.objects.contains(&symbol.name);
        }
        let offsets: HashMap<&str, u64> = section
            .symbols
            .iter()
            .map(|symbol| (symbol.name.as_str(), symbol.byte_offset))
            .collect();
        let mut values = Vec::new();
        for item in &section.references {
            if let Some(value) = difference(&item.text, &offsets) {
                values.push((item.byte_offset as usize, item.width_bytes as usize, value));
            }
        }
        for (start, width, value) in values {
            if let Some(place) = section.bytes.get_mut(start..start + width) {
                place.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
        Some(section)
    }

    pub(super) fn label(&mut self, name: String) {
        if let Some(section) = &mut self.section {
            let byte_offset = section.bytes.len() as u64;
            section.symbols.push(Symbol {
                name,
                byte_offset,
                is_object: false,
            });
        }
    }

    pub(super) fn directive(&mut self, word: &str, arguments: &str) {
        let Some(section) = &mut self.section else {
            return;
        };
        let width = match word {
            ".byte" => 1,
            ".short" | ".hword" => 2,
            ".word" | ".int" => 4,
            ".dword" | ".quad" => 8,
            ".zero" | ".skip" => {
                let n = number(arguments).unwrap_or(0) as usize;
                let size = section.bytes.len().saturating_add(n).min(MAX_BYTES);
                section.bytes.resize(size, 0);
                return;
            }
            ".align" => {
                let align = number(arguments).filter(|align| align.is_power_of_two());
                let align = align.map_or(1, |align| align.min(1 << 16)) as u32;
                section.align_bytes = section.align_bytes.max(align);
                return;
            }
            ".type" => {
                if let Some((name, "@object")) = arguments.split_once(',') {
                    self.objects.push(name.trim().to_owned());
                }
                return;
            }
            _ => return,
        };
        for value in arguments.split(',').map(str::trim) {
            if section.bytes.len() + width > MAX_BYTES {
                return;
            }
            let bits = number(value);
            if bits.is_none() {
                section.references.push(SymbolReference {
                    byte_offset: section.bytes.len() as u64,
                    width_bytes: width as u32,
                    text: value.to_owned(),
                });
            }
            let bits = bits.unwrap_or(0).to_le_bytes();
            section.bytes.extend_from_slice(&bits[..width]);
        }
    }
}

/// Parses a number such as `0x1f`, `31` or `-1`.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(positive) = text.strip_prefix('-') {
        return number(positive).map(u64::wrapping_neg);
    }
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Evaluates a label difference such as `(.L_7 - .L_6)`.
fn difference(text: &str, offsets: &HashMap<&str, u64>) -> Option<u64> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let (end, start) = inside.split_once('-')?;
    let (end, start) = (offsets.get(end.trim())?, offsets.get(start.trim())?);
    Some(end.wrapping_sub(*start))
}
