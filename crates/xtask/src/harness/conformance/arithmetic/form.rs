//! Defines an instruction form with known results, which is parsed from one line of a reference file.

use super::super::{Result, case};
use super::value::agree;
use serde_json::Value;
use std::path::Path;

/// Instruction form, with the source of its results and its rows of inputs and results.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// File name without extensions.
    pub(super) file: String,
    /// Instruction template. In the template, `{a}` denotes an operand, and `{{` denotes a brace.
    pub(super) op: String,
    pub(super) inputs: Vec<Operand>,
    pub(super) outputs: Vec<Operand>,
    pub(super) scratch: Vec<Operand>,
    pub(super) target: String,
    pub(super) version: String,
    pub(super) source: String,
    /// Whether the source specifies that a result is a NaN, but not its bits.
    pub(super) any_nan: bool,
    /// Whether the results are unreliable.
    pub(super) doubtful: bool,
    pub(super) rows: Vec<Row>,
}

/// Operand name and type.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(super) name: String,
    pub(super) ty: String,
}

/// Input values of one execution, and the known results.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(super) inputs: Vec<u64>,
    pub(super) outputs: Vec<u64>,
}

/// Reads the forms of one file and appends them to `forms`.
pub(super) fn read(path: &Path, forms: &mut Vec<Form>) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = name.split('.').next().unwrap_or("").to_owned();
    for line in case::lines(path)? {
        let form = Form::parse(&file, &line)
            .ok_or_else(|| format!("{}: invalid operation form", path.display()))?;
        forms.push(form);
    }
    Ok(())
}

impl Form {
    pub(super) fn parse(file: &str, line: &str) -> Option<Form> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        let inputs = operands(value.get("in")?)?;
        let outputs = operands(value.get("out")?)?;
        let scratch = match value.get("temps") {
            Some(Value::Object(map)) => map
                .iter()
                .map(|(name, ty)| Operand::new(name, ty))
                .collect::<Option<Vec<_>>>()?,
            Some(list) => operands(list)?,
            None => Vec::new(),
        };
        let rows = value.get("rows")?.as_array()?.iter();
        Some(Form {
            file: file.to_owned(),
            op: text("op")?,
            rows: rows
                .map(|row| Row::parse(row, inputs.len(), outputs.len()))
                .collect::<Option<Vec<_>>>()?,
            inputs,
            outputs,
            scratch,
            target: text("target")?,
            version: text("ptx")?,
            source: text("source")?,
            any_nan: text("nan").as_deref() == Some("any"),
            doubtful: value
                .get("doubtful")
                .and_then(Value::as_bool)
                .unwrap_or(false),
        })
    }

    /// Returns the instruction template without its trailing comment.
    pub(super) fn title(&self) -> &str {
        self.op.split("  //").next().unwrap_or(&self.op).trim_end()
    }

    /// Checks whether the computed values of a row equal the known results.
    pub(super) fn agrees(&self, row: &Row, found: &[u64]) -> bool {
        let results = self.outputs.iter().zip(&row.outputs).zip(found);
        found.len() == row.outputs.len()
            && results.into_iter().all(|((operand, expected), found)| {
                agree(&operand.ty, self.any_nan, *expected, *found)
            })
    }
}

impl Operand {
    fn new(name: &str, ty: &Value) -> Option<Operand> {
        Some(Operand {
            name: name.to_owned(),
            ty: ty.as_str()?.to_owned(),
        })
    }
}

impl Row {
    fn parse(row: &Value, n_inputs: usize, n_outputs: usize) -> Option<Row> {
        let values = row.as_array()?.iter();
        let values = values
            .map(|value| u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok())
            .collect::<Option<Vec<u64>>>()?;
        if values.len() != n_inputs + n_outputs {
            return None;
        }
        let (inputs, outputs) = values.split_at(n_inputs);
        Some(Row {
            inputs: inputs.to_vec(),
            outputs: outputs.to_vec(),
        })
    }
}

fn operands(list: &Value) -> Option<Vec<Operand>> {
    let list = list.as_array()?.iter();
    list.map(|pair| Operand::new(pair.get(0)?.as_str()?, pair.get(1)?))
        .collect()
}
