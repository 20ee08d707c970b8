//! Kernels that apply inline assembly to each element of arrays.

use warpgrid_view::source::elementwise::{ElementwiseAssembly, elementwise_module};
use warpgrid_view::{CheckOptions, RequestError, check};

fn module(
    assembly: &str,
    constraints: &str,
    input_bytes: &[u32],
    target: Option<&str>,
) -> Result<String, RequestError> {
    let assembly = ElementwiseAssembly {
        assembly: assembly.to_owned(),
        constraints: constraints.to_owned(),
        input_bytes: input_bytes.to_vec(),
        output_bytes: Vec::new(),
        pack: 1,
    };
    let options = CheckOptions {
        target: target.map(str::to_owned),
        ..CheckOptions::default()
    };
    elementwise_module(&assembly, &options).map(|module| module.source)
}

#[test]
fn module_is_legal_for_the_target_of_its_instructions() {
    for (assembly, constraints, input_bytes) in [
        (
            "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;",
            "=h,f,f",
            &[4, 4][..],
        ),
        (
            "{ .reg .b32 t; add.u32 t, $1, 1; mov.b32 $0, t; }",
            "=r,r",
            &[4],
        ),
        ("mov.b64 {$0, $1}, $2;", "=r,=r,l", &[8]),
        ("add.u32 $0, $0, 1;", "=r,0", &[4]),
        ("fma.rn.f64 $0, $1, $2, $3;", "=d,d,d,d", &[8, 8, 8]),
        ("mov.u32 $0, $1;", "=r,r", &[1]),
        ("", "=r,r", &[4]),
    ] {
        let source = module(assembly, constraints, input_bytes, None);
        let source = source.unwrap_or_else(|error| panic!("{assembly}: {error:?}"));
        let report = check(&source, &CheckOptions::default());
        assert!(report.accept, "{source}\n{:?}", report.diagnostics);
    }
}

#[test]
fn diagnostics_refer_to_template_and_constraints() {
    let first = |assembly, constraints| {
        let error = module(assembly, constraints, &[4], None).expect_err("an error");
        error.diagnostics.first().cloned()
    };
    let position = |assembly, constraints| {
        first(assembly, constraints).map(|found| (found.line, found.column))
    };
    assert_eq!(
        position("mov.u32 $0, $1;\nadd.u32 $0, $1;", "=r,r"),
        Some((2, 1))
    );
    let undeclared = first("mov.u32 $0, %undeclared;", "=r,r");
    assert_eq!(
        undeclared.map(|found| found.message).as_deref(),
        Some("the assembly does not declare `.reg .u32 %undeclared;`")
    );
    assert_eq!(position("mov.u32 $0, $1;", "=r,z"), Some((2, 4)));
}

#[test]
fn target_of_options_is_checked() {
    let assembly = "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;";
    for (target, is_accepted) in [("sm_90", true), ("sm_80", false), ("sm_1", false)] {
        let module = module(assembly, "=h,f,f", &[4, 4], Some(target));
        assert_eq!(module.is_ok(), is_accepted, "{target}");
    }
}
