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

/// Module in which an instruction reads an accumulator before the wait.
const EARLY_READ: &str = "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
 .reg .b64 %rd<9>; .reg .f32 %f<9>;
 ld.param.u64 %rd1, [out];
 mov.u64 %rd2, 0x4000004000010040;
 wgmma.fence.sync.aligned;
 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd2, %rd2, 1, 1, 1, 0, 0;
 add.f32 %f1, %f1, 0f3f800000;
 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd2, %rd2, 1, 1, 1, 0, 0;
 wgmma.commit_group.sync.aligned;
 wgmma.wait_group.sync.aligned 0;
 st.global.f32 [%rd1], %f1;
 ret;
}
";

#[test]
fn wgmma_remarks_name_line_and_cause() {
    let log = "ptxas info    : 0 bytes gmem
ptxas info    : (C7517) warpgroup.wait is injected in around line 11 by compiler to allow use of registers defined by GMMA in function 'k'
ptxas info    : (C7519) warpgroup.arrive is injected in around line 12 by compiler to allow use of registers in GMMA in function 'k'
ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'k'
ptxas info    : Used 30 registers, used 0 barriers
ptxas info    : Compile time = 25.363 ms
";
    let report = check(&format!("{EARLY_READ}{log}"), &CheckOptions::default());
    let found = |part: &str| {
        let mut all = report.diagnostics.iter();
        let found = all.find(|found| found.message.contains(part));
        found.expect("a log message")
    };
    let cause = "Warpgrid reports W0803: `%f1` is read before";
    for (part, line) in [("(C7517)", 11), ("(C7519)", 12), ("(C7511)", 11)] {
        let remark = found(part);
        assert_eq!(remark.line, line, "{part}");
        let help = remark.help.as_deref().unwrap_or_default();
        assert!(help.starts_with(cause), "{part}: {help}");
    }
    // Messages about the module remain at their lines of the log.
    assert_eq!(found("0 bytes gmem").line, 18);
    assert_eq!(found("Compile time").line, 23);
    assert_eq!(found("Used 30 registers").line, 4);
}

#[test]
fn code_of_remark_is_explained() {
    let report = check("C7510\n", &CheckOptions::default());
    let help = report.diagnostics[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("a call that is not inlined"), "{help}");
    let text = warpgrid_view::explain("C7510").unwrap_or_default();
    assert!(text.contains("crossing function boundary"), "{text}");
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

#[test]
fn initializer_of_source_determines_initial_value_of_operand() {
    let source = r#"__device__ void copy_if(unsigned d, const void *src, bool pred) {
  int bytes = pred ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n"
               "cp.async.wait_all;" :: "r"(d), "l"(src), "r"(bytes) : "memory");
}
__device__ void fill(float *out) {
  const float value = 1.5f;
  asm volatile("st.global.f32 [%0], %1;" :: "l"(out), "f"(value) : "memory");
}
"#;
    let report = check(source, &CheckOptions::default());
    let mut notes = report
        .diagnostics
        .iter()
        .map(|found| found.message.as_str());
    let note = notes.find(|note| note.contains("inferred declarations"));
    let note = note.unwrap_or_default();
    assert!(
        note.contains("`bytes` = 16 (from `int bytes = pred ? 16 : 0`)"),
        "{note}"
    );
    let open = |entry: &str| {
        let scenario = Scenario {
            source: source.to_owned(),
            entry: Some(entry.to_owned()),
            ..Scenario::default()
        };
        let mut session = Session::new(scenario).expect("a block that runs");
        session.run(1_000);
        assert_eq!(session.fault(), None);
        session
    };
    let mut session = open("copy_if");
    let stores = session.events(0, session.position());
    let landed: u32 = stores.iter().map(|store| store.n_bytes).sum();
    assert_eq!(landed, 32 * 16);
    let session = open("fill");
    let bytes = session.memory(&MemoryKey::Buffer("out".into()));
    assert_eq!(bytes.expect("a buffer")[..4], 1.5f32.to_le_bytes());
}
