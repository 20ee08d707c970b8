//! SASS in several sections, as in unoptimized builds: calls by name, function tables, and relocated addresses.

use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Kernel that calls one function by name and one through a table. The first function also calls the second.
const SECTIONS: &str = "\
\t.target\tsm_80
\t.section\t.nv.global.init,\"aw\",@progbits
\t.align\t8
.nv.global.init:
\t.type\ttable,@object
\t.size\ttable,(.L_0 - table)
table:
\t.dword\ttwice
\t.dword\tonce
.L_0:
\t.section\t.text.kernel,\"ax\",@progbits
kernel:
/*0000*/ MOV R4, 0x5 ;
/*0010*/ MOV R20, 32@lo((kernel + .L_x_0@srel)) ;
/*0020*/ MOV R21, 32@hi((kernel + .L_x_0@srel)) ;
/*0030*/ CALL.ABS.NOINC `(twice) ;
.L_x_0:
/*0040*/ MOV R6, 32@lo(table) ;
/*0050*/ IMAD.MOV.U32 R7, RZ, RZ, 32@hi(table) ;
/*0060*/ LD.E.64 R6, [R6.64+0x8] ;
/*0070*/ MOV R20, 32@lo((kernel + .L_x_1@srel)) ;
/*0080*/ MOV R21, 32@hi((kernel + .L_x_1@srel)) ;
/*0090*/ CALL.ABS.NOINC R6 ;
.L_x_1:
/*00a0*/ STS [RZ], R4 ;
/*00b0*/ EXIT ;
\t.section\t.text.twice,\"ax\",@progbits
twice:
/*0000*/ MOV R24, R20 ;
/*0010*/ MOV R25, R21 ;
/*0020*/ IADD3 R4, R4, R4, RZ ;
/*0030*/ MOV R20, 32@lo((twice + .L_x_2@srel)) ;
/*0040*/ MOV R21, 32@hi((twice + .L_x_2@srel)) ;
/*0050*/ CALL.ABS.NOINC `(once) ;
.L_x_2:
/*0060*/ RET.ABS.NODEC R24 0x0 ;
\t.section\t.text.once,\"ax\",@progbits
once:
/*0000*/ IADD3 R4, R4, 0x1, RZ ;
/*0010*/ BRA `(.L_x_3) ;
/*0020*/ IADD3 R4, R4, 0x100, RZ ;
.L_x_3:
/*0030*/ RET.ABS.NODEC R20 0x0 ;
";

#[test]
fn separate_section_functions_are_callable_by_name_and_table() {
    let scenario = Scenario {
        source: format!("//@ launch block=1\n{SECTIONS}"),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(session.diagnostics(), []);
    assert!(session.run(1000), "not over");
    assert_eq!(session.fault(), None);
    let bytes = session
        .memory(&MemoryKey::Shared(0))
        .expect("shared memory");
    // (5 + 5 + 1) + 1
    assert_eq!(bytes[..4], [12, 0, 0, 0]);
}
