//! Generates a kernel that computes all rows of an instruction form, with one row per lane, and runs this kernel.

use super::form::{Form, Operand};
use super::value::width_bits;
use serde_json::json;
use std::fmt::Write as _;
use warpgrid_view::model::FaultSort;
use warpgrid_view::{CheckOptions, Scenario, Session};

/// Step limit of a run. None of the generated kernels reaches this limit.
const MAX_STEPS: u64 = 100_000;

/// Size in bytes of the buffer slot for one operand of a row.
const SLOT_BYTES: usize = 8;

/// Outcome of the execution of an instruction form.
#[derive(Clone, Debug)]
pub(super) enum FormOutcome {
    /// The kernel ended normally and returned the results of each row.
    Ran(Vec<Vec<u64>>),
    /// The form is valid, but the emulator does not support this form.
    NotRunYet(String),
    /// The checker reports an error in the generated module.
    Refused(String),
    /// The launch failed, or the run stopped before the end of the kernel.
    Stopped(String),
}

/// Runs all rows of a form in one launch.
pub(super) fn run(form: &Form) -> FormOutcome {
    let scenario = match launch(form) {
        Ok(scenario) => scenario,
        Err(error) => return FormOutcome::Stopped(error.to_string()),
    };
    let report = warpgrid_view::check(&scenario.source, &CheckOptions::default());
    if let Some(error) = report
        .diagnostics
        .iter()
        .find(|d| d.severity == warpgrid_view::model::Severity::Error)
    {
        return FormOutcome::Refused(format!("{} {}", error.code, error.message));
    }
    let mut session = match Session::new_without_last_writers(scenario) {
        Ok(session) => session,
        Err(error) => return FormOutcome::Stopped(format!("{} {}", error.code, error.message)),
    };
    let is_over = session.run(MAX_STEPS);
    match session.fault() {
        Some(fault) if fault.kind == FaultSort::Unsupported => {
            FormOutcome::NotRunYet(fault.message)
        }
        Some(fault) => FormOutcome::Stopped(fault.message),
        None if !is_over => FormOutcome::Stopped("the run does not terminate".to_owned()),
        None => match session.memory(&warpgrid_view::MemoryKey::from("out")) {
            Some(bytes) => FormOutcome::Ran(results(form, bytes)),
            None => FormOutcome::Stopped("the results are missing".to_owned()),
        },
    }
}

/// Returns the launch, which has one block with one lane per row.
pub(crate) fn launch(form: &Form) -> Result<Scenario, serde_json::Error> {
    let inputs: Vec<String> = form
        .rows
        .iter()
        .flat_map(|row| row.inputs.iter().map(|bits| format!("{bits:#x}")))
        .collect();
    // The input parameter exists even if an operation has no inputs.
    let n_inputs = inputs.len().max(1);
    let n_outputs = form.rows.len() * form.outputs.len();
    serde_json::from_value(json!({
        "source": source(form),
        "grid": [1, 1, 1],
        "block": [form.rows.len(), 1, 1],
        "params": [
            { "kind": "buffer", "name": "in", "type": "u64", "len": n_inputs, "init": inputs },
            { "kind": "buffer", "name": "out", "type": "u64", "len": n_outputs, "init": [] },
        ],
    }))
}

/// Decodes the results of each row from the contents of the buffer `out`.
pub(super) fn results(form: &Form, bytes: &[u8]) -> Vec<Vec<u64>> {
    let slots = bytes.chunks_exact(SLOT_BYTES).map(|slot| {
        slot.iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    });
    let slots: Vec<u64> = slots.collect();
    slots
        .chunks(form.outputs.len().max(1))
        .map(<[u64]>::to_vec)
        .collect()
}

/// Generates the module. The kernel loads the inputs of its lane, executes the operation and stores the results.
fn source(form: &Form) -> String {
    let mut text = format!(
        ".version {}\n.target {}\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %row, %bit;\n.reg .b64 %from, %to, %offset;\n",
        form.version, form.target
    );
    let all = form.inputs.iter().chain(&form.outputs).chain(&form.scratch);
    for operand in all {
        let _ = writeln!(
            text,
            ".reg {} {};",
            register_type(operand),
            register(operand)
        );
    }
    text.push_str("mov.u32 %row, %tid.x;\n");
    for (pointer, parameter, n) in [
        ("%from", "in", form.inputs.len()),
        ("%to", "out", form.outputs.len()),
    ] {
        let _ = write!(
            text,
            "ld.param.u64 {pointer}, [{parameter}];\ncvta.to.global.u64 {pointer}, {pointer};\n\
             mul.wide.u32 %offset, %row, {};\nadd.u64 {pointer}, {pointer}, %offset;\n",
            n * SLOT_BYTES
        );
    }
    for (index, operand) in form.inputs.iter().enumerate() {
        load(&mut text, operand, index * SLOT_BYTES);
    }
    text.push_str(&operation(form));
    text.push('\n');
    for (index, operand) in form.outputs.iter().enumerate() {
        store(&mut text, operand, index * SLOT_BYTES);
    }
    text.push_str("ret;\n}\n");
    text
}

fn load(text: &mut String, operand: &Operand, offset: usize) {
    let register = register(operand);
    let _ = match width_bits(&operand.ty) {
        1 => write!(
            text,
            "ld.global.b32 %bit, [%from+{offset}];\nsetp.ne.b32 {register}, %bit, 0;\n"
        ),
        width => writeln!(text, "ld.global.b{width} {register}, [%from+{offset}];"),
    };
}

fn store(text: &mut String, operand: &Operand, offset: usize) {
    let register = register(operand);
    let _ = match width_bits(&operand.ty) {
        1 => write!(
            text,
            "selp.b32 %bit, 1, 0, {register};\nst.global.b32 [%to+{offset}], %bit;\n"
        ),
        width => writeln!(text, "st.global.b{width} [%to+{offset}], {register};"),
    };
}

/// Returns the instruction with registers in place of the operands.
fn operation(form: &Form) -> String {
    let mut text = String::new();
    let mut rest = form.op.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        let (before, braces) = rest.split_at(at);
        text.push_str(before);
        rest = if let Some(after) = braces.strip_prefix("{{") {
            text.push('{');
            after
        } else if let Some(after) = braces.strip_prefix("}}") {
            text.push('}');
            after
        } else {
            let (name, after) = braces[1..].split_once('}').unwrap_or((&braces[1..], ""));
            text.push_str(&register_name(name));
            after
        };
    }
    text.push_str(rest);
    text
}

fn register(operand: &Operand) -> String {
    register_name(&operand.name)
}

fn register_name(operand: &str) -> String {
    format!("%x_{operand}")
}

fn register_type(operand: &Operand) -> String {
    match width_bits(&operand.ty) {
        1 => ".pred".to_owned(),
        width => format!(".b{width}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::Form;
    use super::{FormOutcome, operation, run};

    fn form(line: &str) -> Form {
        Form::parse("test", line).expect("an operation form")
    }

    #[test]
    fn doubled_braces_expand_to_literal_braces() {
        let form = form(
            r#"{"op":"mov.b64 {d}, {{{a}, {b}}};","in":[["a","b32"],["b","b32"]],"out":[["d","b64"]],"target":"sm_90","ptx":"8.8","source":"","rows":[]}"#,
        );
        assert_eq!(operation(&form), "mov.b64 %x_d, {%x_a, %x_b};");
    }

    #[test]
    fn each_lane_computes_one_test_vector() {
        let form = form(
            r#"{"op":"add.u16 {d}, {a}, {b};","in":[["a","u16"],["b","u16"]],"out":[["d","u16"]],"target":"sm_90","ptx":"8.8","source":"","rows":[["0x1","0x2","0x3"],["0xffff","0x1","0x0"]]}"#,
        );
        let FormOutcome::Ran(found) = run(&form) else {
            panic!("the form does not run");
        };
        assert_eq!(found, [[3], [0]]);
        assert!(form.agrees(&form.rows[0], &found[0]));
        assert!(!form.agrees(&form.rows[0], &found[1]));
    }
}
