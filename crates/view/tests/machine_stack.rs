//! Stack of SASS: the stack size that a listing specifies, and stack overflow.

use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Recursion for each bit of `R4` with 24 bytes of stack per call. The kernel stores the sum.
const CALLS_ITSELF: &str = "\
MOV R1, c[0x0][0x28];
MOV R4, 0x14;
MOV R0, RZ;
MOV R20, 0x50;
CALL.REL.NOINC 0x80;
STS [RZ], R0;
EXIT;
NOP;
IADD3 R1, R1, -0x18, RZ;
STL [R1], R20;
S2R R3, SR_LMEMHIOFF;
ISETP.GE.U32.AND P1, PT, R1, R3, PT;
@P1 BRA 0xe0;
BPT.TRAP 0x1;
ISETP.EQ.U32.AND P0, PT, R4, RZ, PT;
@P0 BRA 0x140;
IADD3 R0, R0, R4, RZ;
IADD3 R4, R4, -0x1, RZ;
MOV R20, 0x140;
CALL.REL.NOINC 0x80;
LDL R20, [R1];
IADD3 R1, R1, 0x18, RZ;
RET.REL.NODEC R20 0x0;";

fn run(source: String) -> Session {
    let scenario = Scenario {
        source,
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(session.run(10_000), "not over");
    session
}

fn stored(session: &Session) -> u32 {
    let shared = warpgrid_view::MemoryKey::Shared(0);
    let bytes = session.memory(&shared).expect("shared memory");
    u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
}

/// Returns the listing with addresses, as printed by `cuobjdump`.
fn code() -> String {
    let lines = CALLS_ITSELF.lines().enumerate();
    lines
        .map(|(i, line)| format!("        /*{:04x}*/ {line}\n", 16 * i))
        .collect()
}

#[test]
fn recursive_function_runs_without_declared_stack_size() {
    let pasted = format!("\t\tFunction : sums\n{}", code());
    let session = run(format!("//@ launch block=1\n\tcode for sm_80\n{pasted}"));
    assert_eq!(session.fault(), None);
    assert_eq!(stored(&session), 210);

    // An `nvdisasm` section whose stack size means unbounded.
    let unbounded = "\
\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"
\t.byte\t0x04, 0x12
\t.short\t0x0008
\t.word\tindex@(sums)
\t.word\t0xffffffff
\t.section\t.nv.info.sums,\"\",@\"SHT_CUDA_INFO\"
\t.byte\t0x04, 0x0a
\t.short\t0x0008
\t.word\tindex@(.nv.constant0.sums)
\t.short\t0x0160
\t.short\t0x0000
\t.section\t.nv.shared.sums,\"aw\",@nobits
\t.zero\t16
\t.section\t.text.sums,\"ax\",@progbits
sums:
";
    let listed = format!(
        "//@ launch block=1\n\t.target\tsm_80\n{unbounded}{}",
        code()
    );
    let session = run(listed);
    assert_eq!(session.fault(), None);
    assert_eq!(stored(&session), 210);
}
