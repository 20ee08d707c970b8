//! Statements that the CUDA compiler and its assembler accept or reject, compared with the verdicts of Warpgrid. The sample was created
//! with release 13.5 of both for `sm_90`: random instructions, constraints, operands and mistakes, each in a kernel with expressions of the
//! right size.

use warpgrid_isa::Target;
use warpgrid_paste::EmbeddedFrontEnd;
use warpgrid_program::{FrontEnd, Overrides, Severity};

static PASTED: EmbeddedFrontEnd = EmbeddedFrontEnd::over(&warpgrid_ptx::Ptx);

/// One statement per line: `accept` or `refuse`, a space, and the statement.
const SAMPLE: &str = include_str!("../data/verdicts.txt");

fn is_accepted(statement: &str) -> bool {
    let overrides = Overrides {
        target: Target::from_name("sm_90"),
        ..Overrides::default()
    };
    let source = format!("void f() {{ {statement} }}");
    let found = PASTED.open(source.into(), &overrides).check().diagnostics;
    !found.iter().any(|found| found.severity == Severity::Error)
}

#[test]
fn asm_statement_verdicts_match_cuda_compiler() {
    let wrong: Vec<&str> = SAMPLE
        .lines()
        .filter(|line| {
            let (verdict, statement) = line.split_once(' ').expect("a verdict and a statement");
            is_accepted(statement) != (verdict == "accept")
        })
        .collect();
    assert_eq!(
        wrong,
        [""; 0],
        "{} of {}",
        wrong.len(),
        SAMPLE.lines().count()
    );
}
