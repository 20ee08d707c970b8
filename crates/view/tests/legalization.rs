//! PTX instructions that assemblers legalize, with one case per line of `data/expansions.txt`: statements, and expected register values.

use std::fs;
use std::path::Path;
use warpgrid_view::{MemoryKey, Scenario, Session};

/// Runs statements with one lane, and returns the register values.
fn run(code: &str, registers: &[&str]) -> Result<Vec<u64>, String> {
    let mut source = format!(
        "//@ launch block=1\n//@ buffer out: u64[{}] = 0\n.version 9.0\n.target sm_90\n.address_size 64\n\
         .const .b32 cc[4] = {{5, 6, 7, 8}};\n\
         .entry k(.param .u64 out)\n{{\n.reg .b32 %r<8>;\n.reg .b64 %d<4>, %o;\n.reg .pred %p<4>;\nld.param.u64 %o, [out];\n{code}\n",
        registers.len()
    );
    for (index, name) in registers.iter().enumerate() {
        let at = index * 8;
        source += &match name.as_bytes().get(1) {
            Some(b'd') => format!("st.global.b64 [%o+{at}], {name};\n"),
            Some(b'p') => {
                format!("selp.b32 %r7, 1, 0, {name};\nst.global.b32 [%o+{at}], %r7;\n")
            }
            _ => format!("st.global.b32 [%o+{at}], {name};\n"),
        };
    }
    source += "ret;\n}\n";
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).map_err(|error| error.message)?;
    if !session.run(1000) || session.fault().is_some() {
        return Err(format!("{:?}", session.fault()));
    }
    let bytes = session.memory(&MemoryKey::from("out")).ok_or("no buffer")?;
    let words = bytes.chunks_exact(8);
    Ok(words
        .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
        .collect())
}

#[test]
fn legalized_instructions_produce_expected_values() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/expansions.txt");
    let text = fs::read_to_string(path).expect("the file of cases");
    let mut wrong = Vec::new();
    let cases = text.lines().enumerate();
    let cases = cases.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut n_cases = 0;
    for (index, line) in cases {
        n_cases += 1;
        let (code, expected) = line.split_once(" => ").expect("`=>`");
        let expected: Vec<(&str, u64)> = expected
            .split(", ")
            .map(|fact| {
                let (name, value) = fact.split_once(" = ").expect("`name = value`");
                let parsed = match value.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(digits, 16),
                    None => value.parse(),
                };
                (name, parsed.expect("a number"))
            })
            .collect();
        let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
        let values: Vec<u64> = expected.iter().map(|(_, value)| *value).collect();
        let found = run(code, &names);
        if found.as_ref() != Ok(&values) {
            wrong.push(format!("line {}: {code} found {found:x?}", index + 1));
        }
    }
    assert!(n_cases >= 20, "{n_cases} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
