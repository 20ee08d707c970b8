//! Converts an assembler verdict to a module that contains the instruction in the common kernel of `crates/ptx/tests/data/README.md`.

use serde_json::Value;

/// Checks whether the assembler accepts the instruction.
pub(crate) fn is_accepted(case: &Value) -> bool {
    case.get("accept").and_then(Value::as_bool) == Some(true)
}

/// Returns the module with the instruction.
pub(crate) fn module(case: &Value) -> String {
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or("");
    if !text("source").is_empty() {
        return text("source").to_owned();
    }
    let version = text("ptx_version");
    let is_old = version.starts_with("1.") || ["2.0", "2.1", "2.2"].contains(&version);
    let size = case.get("address_size").and_then(Value::as_u64);
    let address_size = match is_old {
        true => String::new(),
        false => format!(".address_size {}", size.unwrap_or(64)),
    };
    let header = match text("ctx") {
        "entry0" => ".visible .entry k()",
        "func" => {
            ".visible .func (.param .b32 fret) f(.param .b64 fp, .param .align 16 .b8 fpa[32])"
        }
        _ => ".visible .entry k(.param .u64 kp, .param .align 16 .b8 kpa[64])",
    };
    format!(
        ".version {version}\n.target {}\n{address_size}\n{header}\n{{\n{}\n{}\nret;\n}}\n",
        text("target"),
        text("decls"),
        text("insn"),
    )
}
