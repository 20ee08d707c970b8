//! Host source with inline assembly, and logs: checked, executed per asm block, with steps at lines of the host source.

use warpgrid_view::check;
use warpgrid_view::model::{FrameRequest, Severity};
use warpgrid_view::{CheckOptions, MemoryKey, Scenario, Session};

const SOURCE: &str = r#"//@ launch grid=1 block=32
//@ buffer out: u32[64] = 0
__device__ void twice(unsigned *out, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;\n\t"
               "st.global.u32 [%0 + 128], %1;"
               :: "l"(out), "r"(value) : "memory");
}
__device__ void broken(unsigned *out) {
  asm volatile("st.gobal.u32 [%0], 1;" :: "l"(out) : "memory");
}
__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
"#;

fn scenario(entry: Option<&str>) -> Scenario {
    Scenario {
        source: SOURCE.to_owned(),
        entry: entry.map(str::to_owned),
        ..Scenario::default()
    }
}

#[test]
fn asm_blocks_are_listed_and_errors_use_source_positions() {
    let report = check(SOURCE, &CheckOptions::default());
    let parts: Vec<_> = report
        .parts
        .iter()
        .map(|part| (part.name.as_str(), part.line, part.end_line, part.accept))
        .collect();
    assert_eq!(
        parts,
        [
            ("twice", 4, 6, true),
            ("broken", 9, 9, false),
            ("lane", 13, 13, true)
        ]
    );
    assert!(!report.accept);
    let errors: Vec<_> = report
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .map(|found| (found.line, found.column, found.end_column))
        .collect();
    assert_eq!(errors, [(9, 20, 25)]);
}

#[test]
fn asm_block_runs_despite_errors_in_another_block() {
    let mut session = Session::new(scenario(None)).expect("the first block runs");
    assert_eq!(session.kernels(), ["twice", "broken", "lane"]);
    assert_eq!(session.scenario().entry.as_deref(), Some("twice"));
    session.step();
    session.step();
    let frame = session.frame(&FrameRequest::default());
    let last = frame.last.expect("a step was done");
    assert_eq!((last.range.line, last.range.end_line), (5, 5));
    let next = frame.next.map(|next| next.range.line);
    assert_ne!(next, Some(4));
    session.run(100);
    let bytes = session
        .memory(&MemoryKey::Buffer("out".into()))
        .expect("a buffer");
    assert_eq!((bytes[4], bytes[128 + 4]), (1, 1));
}

#[test]
fn asm_block_is_selected_by_entry_name() {
    let session = Session::new(scenario(Some("lane"))).expect("it runs");
    assert_eq!(session.scenario().entry.as_deref(), Some("lane"));
    let refused = Session::new(scenario(Some("broken")))
        .err()
        .expect("it has an error");
    assert_eq!(refused.code, "W0101");
    let missing = Session::new(scenario(Some("none")))
        .err()
        .expect("there is none");
    assert!(
        missing.message.contains("`twice`, `broken`, `lane`"),
        "{}",
        missing.message
    );
    let stated = format!(
        "//@ launch entry=lane\n{}",
        SOURCE.replace("//@ launch grid=1 block=32\n", "")
    );
    let session = Session::new(Scenario {
        source: stated,
        ..Scenario::default()
    });
    let session = session.expect("it runs");
    assert_eq!(session.scenario().entry.as_deref(), Some("lane"));
}

#[test]
fn module_preceded_by_ptxas_log_runs() {
    let module = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], 7;\nret;\n}\n";
    let source = format!("ptxas k.ptx, line 8; warning : something\n{module}");
    let report = check(&source, &CheckOptions::default());
    assert!(report.accept, "{report:?}");
    let said: Vec<_> = report
        .diagnostics
        .iter()
        .map(|found| (found.code.as_str(), found.line))
        .collect();
    assert_eq!(said, [("W1213", 9)]);
    let mut session = Session::new(Scenario {
        source,
        ..Scenario::default()
    })
    .expect("the module runs");
    session.run_to_next_store(100);
    let frame = session.frame(&FrameRequest::default());
    assert_eq!(frame.last.map(|last| last.range.line), Some(9));
}
