//! Single SASS instructions: initial register values, and the expected value of `R0`.

use warpgrid_view::model::FrameRequest;
use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Returns shared memory after a snippet in which each lane stores `R0`. `R20` is four times the lane index.
fn lanes(n: u32, registers: &[(&str, &str)], code: &str) -> Vec<u32> {
    let facts: String = registers
        .iter()
        .map(|(name, value)| format!("//@ register {name} = {value}\n"))
        .collect();
    let source = format!(
        "//@ launch block={n}\n//@ register R20 = lane * 4\n{facts}.target sm_80\n{code}\nSTS [R20], R0;\nEXIT;"
    );
    let scenario = Scenario {
        source,
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{code}: {error:?}"));
    assert!(session.run(10_000), "{code}: not over");
    assert_eq!(session.fault(), None, "{code}");
    let bytes = session
        .memory(&MemoryKey::Shared(0))
        .expect("shared memory");
    let words = bytes.chunks_exact(4).take(n as usize);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

fn check(registers: &[(&str, &str)], code: &str, expected: u32) {
    let found = lanes(1, registers, code)[0];
    assert_eq!(
        found, expected,
        "{code}: found {found:#x}, expected {expected:#x}"
    );
}

#[test]
fn logic_operations_read_and_write_predicates() {
    check(
        &[("R1", "0x20")],
        "LOP3.LUT P0, R2, R1, 0x1f, RZ, 0xc0, !PT;\nSEL R0, RZ, 0x1, !P0;",
        0,
    );
    check(
        &[("R1", "0x21")],
        "LOP3.LUT P0, R2, R1, 0x1f, RZ, 0xc0, !PT;\nSEL R0, RZ, 0x1, !P0;",
        1,
    );
    check(
        &[("R1", "0xf0"), ("R2", "0xcc")],
        "LOP3.LUT R0, R1, R2, 0xaa, 0x96, !PT;",
        0xf0 ^ 0xcc ^ 0xaa,
    );
    check(
        &[("R1", "0x5a")],
        "R2P PR, R1, 0x7f;\nP2R R0, PR, RZ, 0x7f;",
        0x5a,
    );
    check(
        &[("R1", "0x5a"), ("R2", "0xff00")],
        "R2P PR, R1, 0x7f;\nP2R.B1 R0, PR, R2, 0xf;",
        0xfa00,
    );
    check(
        &[("P0", "1"), ("P1", "0")],
        "PLOP3.LUT P2, P3, P0, P1, PT, 0x20, 0xdf;\nP2R R0, PR, RZ, 0xc;",
        4,
    );
}

#[test]
fn bit_operations_compute_expected_results() {
    check(&[("R1", "0x00800000")], "FLO.U32 R0, R1;", 23);
    check(&[("R1", "0x00800000")], "FLO.U32.SH R0, R1;", 8);
    check(&[("R1", "0x1ff")], "SGXT R0, R1, 0x8;", u32::MAX);
    check(&[("R1", "0x1ff")], "SGXT.U32 R0, R1, 0x8;", 0xff);
    check(&[("R1", "4")], "BMSK R0, R1, 0x3;", 0x70);
    check(
        &[("R1", "0x44332211"), ("R2", "0x88776655")],
        "PRMT R0, R1, 0x7610, R2;",
        0x8877_2211,
    );
    check(
        &[("R1", "-5"), ("R2", "3")],
        "IMNMX R0, R1, R2, PT;",
        (-5i32) as u32,
    );
    check(&[("R1", "-5"), ("R2", "3")], "IMNMX.U32 R0, R1, R2, PT;", 3);
    check(
        &[("R1", "-5"), ("R2", "3"), ("P0", "0")],
        "IMNMX R0, R1, R2, P0;",
        3,
    );
    // A predicate for the selected operand can be a result before or after the value.
    check(
        &[("R1", "-5"), ("R2", "3")],
        "VIMNMX R0, PT, PT, R1, R2, !PT;",
        3,
    );
    check(
        &[("R2", "-5"), ("R3", "-1"), ("R4", "3"), ("R5", "0")],
        "IMNMX.S64 PT, PT, R0, R2, R4, PT, !PT;",
        (-5i32) as u32,
    );
    check(
        &[("R2", "-5"), ("R3", "-1"), ("R4", "3"), ("R5", "0")],
        "IMNMX.U64 PT, PT, R0, R2, R4, PT, !PT;",
        3,
    );
    check(&[("R1", "-5")], "IABS R0, R1;", 5);
    check(&[("R1", "0xff")], "POPC R0, R1;", 8);
}

#[test]
fn iadd64_propagates_carry() {
    let pair = |high: u32, low: u32, first: usize| {
        let name = |i: usize| ["R2", "R3", "R4", "R5"][first + i];
        [
            (name(0), format!("{low:#x}")),
            (name(1), format!("{high:#x}")),
        ]
    };
    let run = |a: u64, b: u64, code: &str, expected: u32| {
        let a = pair((a >> 32) as u32, a as u32, 0);
        let b = pair((b >> 32) as u32, b as u32, 2);
        let facts: Vec<(&str, &str)> = a.iter().chain(&b).map(|(n, v)| (*n, v.as_str())).collect();
        check(&facts, code, expected);
    };
    let upper = "IADD.64 R6, P0, R2, R4;\nIADD.64.X R6, RZ, R4, P0;\nMOV R0, R6;";
    run(u64::MAX, 1, upper, 2);
    run(u64::MAX - 1, 1, upper, 1);
    // A carry-out of a subtraction means that no borrow occurred.
    let below = "IADD.64 RZ, P0, R2, -R4;\nSEL R0, RZ, 0x1, P0;";
    run(5 << 32, 5 << 32, below, 0);
    run((5 << 32) - 1, 5 << 32, below, 1);
    run(7, 0, below, 0);
    let borrowed = "IADD.64 R6, P0, R2, -R4;\nIADD.64.X R8, R2, ~R4, P0;\nMOV R0, R9;";
    run(3, 4, borrowed, u32::MAX);
    run(1 << 32, 4, borrowed, 0);
}

#[test]
fn float_operations_support_modifiers_literals_and_halves() {
    let bits = f32::to_bits;
    check(&[("R1", "1.5")], "FADD R0, -R1, -3;", bits(-4.5));
    check(&[("R1", "-1.5")], "FADD R0, |R1|, -RZ;", bits(1.5));
    check(
        &[("R1", "1.5"), ("R2", "2.0")],
        "FFMA R0, R1, -R2, 0.5;",
        bits(-2.5),
    );
    check(
        &[("R1", "1.5")],
        "FMNMX R0, R1, +INF , !PT;",
        bits(f32::INFINITY),
    );
    check(
        &[("R1", "1.5")],
        "FSETP.GTU.AND P0, PT, |R1|, +INF , PT;\nSEL R0, RZ, 0x1, !P0;",
        0,
    );
    // 1.0 and 2.0 as `f16`.
    check(
        &[("R1", "0x40003c00")],
        "HADD2 R0, R1.H0_H0, R1;",
        0x4200_4000,
    );
    check(
        &[("R1", "0x40003c00")],
        "HFMA2 R0, R1, 1.5, 0.5, RZ;",
        0x4200_3800,
    );
    check(
        &[("R1", "0x40003c00")],
        "HADD2.F32 R0, -RZ, R1.H1_H1;",
        bits(2.0),
    );
    check(&[("R1", "-7")], "I2FP.F32.S32 R0, R1;", bits(-7.0));
    check(&[("R1", "-2.5")], "F2I.TRUNC.NTZ R0, R1;", (-2i32) as u32);
    check(&[("R1", "-2.5")], "F2I.FLOOR.NTZ R0, R1;", (-3i32) as u32);
    check(
        &[("R1", "1.0"), ("R2", "2.0")],
        "F2FP.F16.F32.PACK_AB R0, R2, R1;",
        0x4000_3c00,
    );
    check(&[("R1", "4.0")], "MUFU.RCP R0, R1;", bits(0.25));
    check(
        &[("R1", "0x40080000")],
        "MOV R2, RZ;\nMOV R3, R1;\nDADD R4, R2, 1.5;\nMOV R0, R5;",
        0x4012_0000,
    );
}

#[test]
fn divergent_lanes_reconverge_at_bsync() {
    // The odd lanes take the longer path, which is located after the reconvergence point.
    let code = "LOP3.LUT P0, RZ, R20, 0x4, RZ, 0xc0, !PT;
BSSY B0, `(.L_2);
@P0 BRA `(.L_3);
.L_1:
BSYNC B0;
.L_2:
VOTE.ANY R0, PT, PT;
BRA `(.L_4);
.L_3:
NOP;
NOP;
BRA `(.L_1);
.L_4:
NOP;";
    assert_eq!(lanes(32, &[], code), [u32::MAX; 32]);
}

#[test]
fn break_removes_lanes_from_reconvergence_barrier() {
    let code = "ISETP.GE.AND P0, PT, R20, 0x40, PT;
BSSY B0, `(.L_2);
@P0 BREAK B0;
@P0 BRA `(.L_3);
BSYNC B0;
.L_2:
VOTE.ANY R0, PT, PT;
BRA `(.L_4);
.L_3:
BAR.SYNC 0x0;
VOTE.ANY R0, PT, PT;
BRA `(.L_5);
.L_4:
BAR.SYNC 0x0;
.L_5:
NOP;";
    let found = lanes(32, &[], code);
    assert_eq!((found[0], found[31]), (0xffff, 0xffff_0000));
}

#[test]
fn hadd2_f32_operand_is_truncated_to_f16() {
    // 1.5 units above 1: round-to-nearest would give two units.
    check(
        &[("R1", "0x3f803000")],
        "HADD2 R0, R1.F32, -RZ.H0_H0;",
        0x3c01_3c01,
    );
    check(
        &[("R1", "0xbf803000"), ("R2", "0x00003c00")],
        "HADD2 R0, R2.H0_H0, R1.F32;",
        0x9400_9400,
    );
}

#[test]
fn f2fp_packs_and_unpacks_narrow_floats() {
    let floats = [
        ("R1", "0x3f800000"),
        ("R2", "0x40000000"),
        ("R3", "0xbf000000"),
        ("R4", "0x7149f2ca"),
    ];
    // 1, 2, -0.5 and an out-of-range value, in ascending order of bytes.
    let packed = "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R5, R4, R3, RZ;\n\
                  F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R2, R1, R5;";
    check(&floats, packed, 0x7eb0_4038);
    let bytes = [("R1", "0x7eb04038")];
    check(&bytes, "F2FP.F16.E4M3.UNPACK_B R0, R1;", 0x4000_3c00);
    check(&bytes, "F2FP.F16.E4M3.UNPACK_B R0, R1.H1;", 0x5f00_b800);
    check(
        &[("R1", "0x2e")],
        "F2FP.F16.E2M1.UNPACK_B R0, R1;",
        0x3c00_c400,
    );
}

#[test]
fn r2ur_predicate_flags_lanes_differing_from_first() {
    let code = "R2UR P0, UR4, R1;\nSEL R0, RZ, 0x1, !P0;";
    assert_eq!(lanes(4, &[("R1", "7")], code), [0; 4]);
    assert_eq!(lanes(4, &[("R1", "lane")], code), [0, 1, 1, 1]);
    let twice = "R2UR P0, UR4, R1;\nR2UR.OR P0, UR5, R2;\nSEL R0, RZ, 0x1, !P0;";
    let registers = [("R1", "7"), ("R2", "lane")];
    assert_eq!(lanes(4, &registers, twice), [0, 1, 1, 1]);
}

#[test]
fn elect_and_r2ur_broadcast_loop_visits_every_lane() {
    // The code that the assembler emits for requests of each lane to a functional unit.
    let code = "/*0000*/ MOV R0, RZ;\n\
        /*0010*/ PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x8;\n\
        /*0020*/ @P0 ELECT P1, URZ, PT;\n\
        /*0030*/ @P1 R2UR.BROADCAST UR4, R1;\n\
        /*0040*/ @P1 PLOP3.LUT P0, PT, P1, PT, PT, 0x8, 0x80;\n\
        /*0050*/ IADD3 R0, R0, UR4, RZ;\n\
        /*0060*/ PLOP3.LUT P1, PT, PT, PT, PT, 0x8, 0x80;\n\
        /*0070*/ @P0 BRA.U.ANY 0x20;";
    assert_eq!(lanes(4, &[("R1", "lane + 1")], code), [10; 4]);
}

#[test]
fn bra_u_any_branches_warp_on_uniform_predicate() {
    let code = "/*0000*/ MOV R0, RZ;\n\
        /*0010*/ IADD3 R0, R0, 0x1, RZ;\n\
        /*0020*/ R2UR UR4, R0;\n\
        /*0030*/ UISETP.GE.AND UP0, UPT, UR4, 0x3, UPT;\n\
        /*0040*/ BRA.U.ANY !UP0, 0x10;";
    assert_eq!(lanes(2, &[], code), [3; 2]);
}

#[test]
fn bra_u_branches_only_if_all_lanes_agree() {
    let code = |least: u32| {
        format!(
            "/*0000*/ MOV R0, RZ;\n/*0010*/ ISETP.GE.AND P0, PT, R1, {least:#x}, PT;\n\
             /*0020*/ @P0 BRA.U 0x40;\n/*0030*/ MOV R0, 0x1;\n/*0040*/ NOP;"
        )
    };
    let leave = |least| lanes(4, &[("R1", "lane")], &code(least));
    assert_eq!(leave(0), [0; 4], "each lane branches");
    assert_eq!(leave(2), [1; 4], "two lanes would: none does");
    assert_eq!(leave(9), [1; 4]);
}

#[test]
fn redux_after_warpsync_reduces_per_lane_group() {
    // The masks are 3 and 12.
    let masks = "LOP3.LUT R3, R20, 0x8, RZ, 0xc0, !PT;\nSHF.R.U32.HI R3, RZ, 0x2, R3;\n\
                 MOV R2, 0x3;\nSHF.L.U32 R2, R2, R3, RZ;\nWARPSYNC.EXCLUSIVE R2;\n";
    let sum = "REDUX.SUM UR4, R1;\nMOV R0, UR4;";
    let lanes = |code: String| lanes(4, &[("R1", "lane + 1")], &code);
    assert_eq!(lanes(format!("{masks}{sum}")), [3, 3, 7, 7]);
    let collected = masks.replace("EXCLUSIVE R2", "COLLECTIVE R2, 0x0");
    assert_eq!(lanes(format!("{collected}{sum}")), [3, 3, 7, 7]);
    assert_eq!(lanes(format!("{masks}NOP;\n{sum}")), [10; 4]);
}

#[test]
fn call_ret_and_brx_use_register_targets() {
    let code = "/*0000*/ MOV R4, 0x20;\n/*0010*/ CALL.REL.NOINC 0x40;\n/*0020*/ IADD3 R0, R0, 0x1, RZ;\n/*0030*/ BRA 0x60;\n/*0040*/ MOV R0, 0x10;\n/*0050*/ RET.REL.NODEC R4 0x0;\n/*0060*/ NOP;";
    assert_eq!(lanes(1, &[], code), [0x11]);
    let pointer = code.replace("CALL.REL.NOINC 0x40", "CALL.REL.NOINC R6 0x0");
    assert_eq!(lanes(1, &[("R6", "0x40")], &pointer), [0x11]);
    // In a listing of an unlinked kernel, every call has the target 0.
    let unlinked = "/*0000*/ CALL.ABS.NOINC 0x0;\n/*0010*/ EXIT;";
    let scenario = Scenario {
        source: format!("//@ launch block=1\n.target sm_80\n{unlinked}"),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).expect("a session");
    session.run(1000);
    assert!(session.fault().is_some(), "it calls itself for ever");
    let table = "/*0000*/ BRX R5 -0x10;\n/*0010*/ MOV R0, 0x1;\n/*0020*/ BRA 0x50;\n/*0030*/ MOV R0, 0x2;\n/*0040*/ NOP;\n/*0050*/ NOP;";
    assert_eq!(lanes(2, &[("R5", "lane * 0x20 + 0x10")], table), [1, 2]);
}

#[test]
fn unsupported_instruction_faults_only_if_executed() {
    let session = |code: &str| {
        let mut session = Session::new(Scenario {
            source: format!("//@ launch block=1\n.target sm_80\n{code}\nEXIT;"),
            front: SourceLanguage::Sass,
            ..Scenario::default()
        })
        .expect("a session");
        session.run(1000);
        session
    };
    let stopped = session("FSWZADD R4, R8, R2, PPPPPPPP;");
    assert!(
        stopped
            .fault()
            .expect("a fault")
            .message
            .contains("FSWZADD")
    );
    let code = stopped
        .diagnostics()
        .iter()
        .any(|found| found.code == "W1015");
    assert!(code, "{:?}", stopped.diagnostics());
    // An unsupported modifier is not ignored silently.
    assert!(session("FADD.WIDE R0, R1, R2;").fault().is_some());
    assert_eq!(
        session("BRA `(.L_1);\nFSWZADD R4, R8, R2, PPPPPPPP;\n.L_1:\nNOP;").fault(),
        None
    );
}

#[test]
fn redg_adds_float_vector_to_memory() {
    let source = "//@ launch block=2\n//@ buffer p: u32[4] = 0\n//@ register R4 = p\n\
                  //@ register R8 = 0x3f800000\n//@ register R9 = 0x40000000\n//@ register R10 = 0\n//@ register R11 = 0xbf800000\n\
                  .target sm_90\nREDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R4.64], R8;\nEXIT;";
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(session.run(100));
    assert_eq!(session.fault(), None);
    let bytes = session.memory(&MemoryKey::Buffer("p".to_owned()));
    let bytes = bytes.expect("a buffer");
    let words = bytes.chunks_exact(4);
    let floats: Vec<f32> = words
        .map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    assert_eq!(floats, [2.0, 4.0, 0.0, -2.0]);
}

#[test]
fn mbarrier_phase_waits_for_ldgsts_copies() {
    let run = |bits: u32, arrival: &str| {
        let source = format!(
            "//@ launch block=1\n//@ buffer p: u32[1] = 77\n//@ buffer q: u32[1] = 0\n\
             //@ register R4 = p\n//@ register R8 = q\n//@ register R6 = 0x400\n//@ register R2 = {bits:#x}\n\
             .target sm_90\nSYNCS.EXCH.64 URZ, [R6], R2;\nLDGSTS.E [R6+0x10], desc[UR4][R4.64];\n{arrival}\n\
             SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R6], RZ;\n.L_1:\n\
             SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R6], RZ;\n@!P0 BRA `(.L_1);\n\
             LDS R0, [R6+0x10];\nSTG.E desc[UR4][R8.64], R0;\nSYNCS.CCTL.IV [R6];\nEXIT;"
        );
        let scenario = Scenario {
            source,
            front: SourceLanguage::Sass,
            ..Scenario::default()
        };
        let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(session.run(1000), "not over");
        assert_eq!(session.fault(), None);
        let bytes = session.memory(&MemoryKey::Buffer("q".to_owned()));
        bytes.expect("a buffer")[0]
    };
    // Contents of mbarrier objects that complete with one arrival and with two arrivals.
    let (one, two) = (0x1f_fffe, 0x1f_fffc);
    let announced =
        "SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [R6], RZ;\nARRIVES.LDGSTSBAR.64.TRANSCNT [R6];";
    assert_eq!(run(one, announced), 77);
    assert_eq!(run(two, "ARRIVES.LDGSTSBAR.64 [R6];"), 77);
}

#[test]
fn register_display_type_follows_preceding_write() {
    let source = "//@ launch block=1\n.target sm_80\nMOV R1, 0x3;\nFADD R0, RZ, 0.5;\nIADD3 R2, R1, 0x1, RZ;\nIMAD.MOV.U32 R0, RZ, RZ, R2;\nEXIT;";
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).expect("it opens");
    let mut seen = Vec::new();
    for _ in 0..4 {
        session.step();
        let request = FrameRequest {
            grids: Vec::new(),
            warp: Some((0, 0)),
        };
        let frame = session.frame(&request);
        let warp = frame.warp.expect("a warp");
        let r0 = warp.registers.iter().find(|register| register.name == "R0");
        seen.extend(r0.map(|register| register.values[0].clone()));
    }
    assert_eq!(seen, ["0", "0.5", "0.5", "4"]);
}
