//! Runs the execution tests of ZLUDA (`ptx/src/test/spirv_run/mod.rs`). `test_ptx!(name, [inputs], [outputs])` launches the kernel `name`
//! of `name.ptx` with one thread, and `test_ptx_warp!(name, [outputs])` launches the kernel with 64 threads. The kernel parameters are the
//! addresses of the inputs and of the outputs.

use super::Outcome;
use crate::Result;
use serde_json::{Value, json};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Step limit of an execution test.
const MAX_STEPS: u64 = 1_000_000;
/// Number of threads that `test_ptx_warp!` launches.
const WARP_THREADS: u32 = 64;

/// Bytes of dynamic shared memory of each launch.
const DYNAMIC_SHARED: u64 = 1024;

/// Execution test that a macro call specifies.
pub(super) struct RunTest {
    /// Path of the file that contains the macro call.
    pub(super) file: PathBuf,
    pub(super) name: String,
    n_threads: u32,
    /// Arguments that follow the name: the outputs, preceded by the inputs if the test has inputs; `None` if the arguments cannot be
    /// parsed.
    arrays: Option<Vec<Array>>,
}

/// Elements of a Rust array of numbers.
#[derive(Clone, Debug, PartialEq)]
struct Array {
    /// Element type, such as `u32`, `s64` or `f32`.
    ty: String,
    values: Vec<Value>,
}

/// Reads the execution tests of a Rust file.
pub(super) fn read(path: &Path) -> Result<Vec<RunTest>> {
    let text = read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(calls(&text)
        .filter_map(|(is_warp, arguments)| {
            let arguments = without_comments(arguments);
            let mut parts = split(&arguments, ',').into_iter();
            let name = parts.next()?.trim().to_owned();
            let parts: Vec<&str> = parts
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .collect();
            // A test without outputs only compares the generated code, so that the test is skipped.
            (!parts.is_empty()).then(|| RunTest {
                file: path.to_owned(),
                name,
                n_threads: if is_warp { WARP_THREADS } else { 1 },
                arrays: parts.into_iter().map(Array::parse).collect(),
            })
        })
        .collect())
}

/// Returns the macro calls at the starts of lines. The first value states whether the call launches `WARP_THREADS` threads, and the second
/// value is the text between the parentheses.
fn calls(text: &str) -> impl Iterator<Item = (bool, &str)> {
    const MACROS: [(&str, bool); 3] = [
        ("test_ptx!(", false),
        ("test_ptx_with_32!(", false),
        ("test_ptx_warp!(", true),
    ];
    let starts = MACROS.into_iter().flat_map(move |(name, is_warp)| {
        let found = text.match_indices(name);
        found.map(move |(at, _)| (at, name.len(), is_warp))
    });
    starts.filter_map(move |(at, n, is_warp)| {
        let is_line_start = text[..at].ends_with('\n');
        let rest = &text[at + n..];
        let end = split(rest, ')').first().map(|part| part.len())?;
        is_line_start.then(|| (is_warp, &rest[..end]))
    })
}

/// Returns a source without its line comments.
fn without_comments(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join("\n")
}

/// Splits a text at the separators outside of brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            _ if depth == 0 && character == separator => {
                parts.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

impl Array {
    /// Parses an array such as `[1u32, 0x2, -3]`. The first element with a type suffix determines the element type.
    fn parse(text: &str) -> Option<Array> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        let elements = split(inner, ',').into_iter().map(str::trim);
        let elements = elements.filter(|element| !element.is_empty());
        let elements: Option<Vec<(Value, &str)>> = elements.map(number).collect();
        let elements = elements?;
        let ty = elements.iter().find(|(_, ty)| !ty.is_empty());
        let (_, ty) = ty.or(elements.first())?;
        // Integer literals without a suffix have the Rust type `i32`.
        let ty = if ty.is_empty() { "s32" } else { ty };
        Some(Array {
            ty: ty.replace('i', "s"),
            values: elements.iter().map(|(value, _)| value.clone()).collect(),
        })
    }
}

/// Returns the value and the type of a Rust literal or constant.
fn number(text: &str) -> Option<(Value, &str)> {
    let text = text.strip_prefix("half::").unwrap_or(text);
    if let Some((ty, name)) = text.split_once("::") {
        return Some((constant(ty, name)?, ty));
    }
    let is_hexadecimal = text.trim_start_matches('-').starts_with("0x");
    let fits = |ty: &&&str| text.ends_with(**ty) && !(is_hexadecimal && ty.starts_with('f'));
    let ty = TYPES.iter().find(fits).copied().unwrap_or("");
    Some((literal(text.strip_suffix(ty)?)?, ty))
}

/// Number types that the tests use.
const TYPES: [&str; 11] = [
    "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64",
];

/// Parses a literal without a type suffix and returns its value.
fn literal(text: &str) -> Option<Value> {
    let digits = text.replace('_', "").to_lowercase();
    let (sign, magnitude) = match digits.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", digits.as_str()),
    };
    let bits = match (magnitude.strip_prefix("0x"), magnitude.strip_prefix("0b")) {
        (Some(hexadecimal), _) => u64::from_str_radix(hexadecimal, 16).ok()?,
        (None, Some(binary)) => u64::from_str_radix(binary, 2).ok()?,
        (None, None) => return serde_json::from_str(&digits).ok().filter(Value::is_number),
    };
    match sign {
        "-" => Some(json!(-i64::try_from(bits).ok()?)),
        _ => Some(json!(format!("{bits:#x}"))),
    }
}

/// Returns the value of an associated constant of a number type, or of a constructor call.
fn constant(ty: &str, name: &str) -> Option<Value> {
    let ty = TYPES.iter().find(|known| **known == ty)?;
    let (kind, n_bits) = (&ty[..1], ty[1..].parse::<u32>().ok()?);
    let ones = u64::MAX >> (64 - n_bits);
    let sign = 1u64 << (n_bits - 1);
    // The pair contains the encoding of infinity and the most significant bit of the fraction.
    let (infinity, quiet) = match n_bits {
        16 => (0x7c00, 1 << 9),
        32 => (0x7f80_0000, 1 << 22),
        _ => (0x7ff0_0000_0000_0000, 1 << 51),
    };
    let bits = match (kind, name.trim_end_matches("()")) {
        ("u", "MAX" | "max_value") => ones,
        ("i", "MAX" | "max_value") => sign - 1,
        ("i", "MIN" | "min_value") => sign,
        ("f", "INFINITY") => infinity,
        ("f", "NEG_INFINITY") => infinity | sign,
        ("f", "NAN") => infinity | quiet,
        ("f", call) => {
            let (function, argument) = call.strip_suffix(')')?.split_once('(')?;
            return matches!(function, "from_bits" | "from_f32" | "from_f64")
                .then(|| literal(argument))?;
        }
        _ => return None,
    };
    Some(json!(format!("{bits:#x}")))
}

impl RunTest {
    /// Runs the test and compares the outputs.
    pub(super) fn run(&self) -> Outcome {
        match &self.arrays {
            Some(arrays) => self
                .outcome_of(arrays)
                .map_or_else(Outcome::Differs, |()| Outcome::Agrees),
            None => Outcome::Unusable,
        }
    }

    fn outcome_of(&self, arrays: &[Array]) -> Result<()> {
        let path = self.file.with_file_name(format!("{}.ptx", self.name));
        let source = read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let (output, inputs) = arrays.split_last().ok_or("the test states no outputs")?;
        let buffer = |name: &str, array: &Array, values: &[Value]| json!({ "kind": "buffer", "name": name, "type": array.ty, "len": array.values.len(), "init": values });
        let outputs = buffer("outputs", output, &[]);
        let inputs = inputs.first();
        let inputs = inputs.map(|input| buffer("inputs", input, &input.values));
        let mut params: Vec<Value> = inputs.into_iter().chain([outputs]).collect();
        if params.len() < self.n_parameters(&source)? {
            params.push(json!({ "kind": "alias", "name": "again", "of": "outputs" }));
        }
        let expected = json!({ "kind": "buffer", "name": "outputs", "type": output.ty, "len": output.values.len(), "init": output.values });
        let launch = |params: Vec<Value>| {
            let scenario = json!({ "grid": [1, 1, 1], "block": [self.n_threads, 1, 1], "dynamic_shared": DYNAMIC_SHARED, "params": params });
            serde_json::from_value::<Scenario>(scenario).map_err(|e| e.to_string())
        };
        let open = |params| -> Result<Session> {
            let scenario = Scenario {
                source: source.clone(),
                front: SourceLanguage::Ptx,
                entry: Some(self.name.clone()),
                ..launch(params)?
            };
            Session::new_without_last_writers(scenario).map_err(|failure| failure.message)
        };
        // The function converts the expected values to bytes by initializing a buffer with these values.
        let mut wanted = params.clone();
        for param in wanted.iter_mut().filter(|param| param["name"] == "outputs") {
            *param = expected.clone();
        }
        let (wanted, mut session) = (open(wanted)?, open(params)?);
        let is_over = session.run(MAX_STEPS);
        if let Some(fault) = session.fault() {
            return Err(fault.message);
        }
        if !is_over {
            return Err("the launch does not end".to_owned());
        }
        let id = MemoryKey::Buffer("outputs".to_owned());
        let (found, wanted) = (session.memory(&id), wanted.memory(&id));
        match found == wanted {
            true => Ok(()),
            false => Err(format!("found {found:x?}, expected {wanted:x?}")),
        }
    }

    /// Returns the number of kernel parameters. The function infers this number for a launch without parameters.
    fn n_parameters(&self, source: &str) -> Result<usize> {
        let scenario = Scenario {
            source: source.to_owned(),
            front: SourceLanguage::Ptx,
            entry: Some(self.name.clone()),
            ..Scenario::default()
        };
        let session =
            Session::new_without_last_writers(scenario).map_err(|failure| failure.message)?;
        Ok(session.scenario().params.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_macro_arguments_are_parsed() {
        let text = "\ntest_ptx!(add, [1u64, 0x_ff], [-2i32, 3]);\n// test_ptx!(old, [1u8], [1u8]);\ntest_ptx_warp!(\n    vote,\n    [7u32, 8u32,]\n);\ntest_ptx!(name_only);\ntest_ptx!(call, [f(1)], [2.5f32]);\n";
        let found: Vec<_> = calls(text).map(|(_, arguments)| arguments).collect();
        assert_eq!(found.len(), 4);
        let array = |ty: &str, values: Value| {
            let values = values.as_array().expect("a list").clone();
            let ty = ty.to_owned();
            Some(Array { ty, values })
        };
        assert_eq!(
            Array::parse("[1u64, 0x_fF]"),
            array("u64", json!([1, "0xff"]))
        );
        assert_eq!(Array::parse("[-2i32, 3]"), array("s32", json!([-2, 3])));
        assert_eq!(Array::parse("[0x1f32u32]"), array("u32", json!(["0x1f32"])));
        assert_eq!(Array::parse("[1.5f32]"), array("f32", json!([1.5])));
        let constants = "[i32::MIN, i32::max_value(), -1]";
        let bits = json!(["0x80000000", "0x7fffffff", -1]);
        assert_eq!(Array::parse(constants), array("s32", bits));
        let halves = "[half::f16::NAN, half::f16::from_f32(-0.0), half::f16::from_bits(0x38d3)]";
        let values = json!(["0x7e00", -0.0, "0x38d3"]);
        assert_eq!(Array::parse(halves), array("f16", values));
        let binary = array("s32", json!(["0x5", -2]));
        assert_eq!(Array::parse("[0b01_01, -0b10]"), binary);
        let double = "[f64::NEG_INFINITY]";
        assert_eq!(
            Array::parse(double),
            array("f64", json!(["0xfff0000000000000"]))
        );
        assert_eq!(without_comments("[1u8, // one\n2]"), "[1u8, \n2]");
        assert_eq!(Array::parse("[f(1)]"), None);
    }
}
