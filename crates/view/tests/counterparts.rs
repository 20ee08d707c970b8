//! Additional information of a step: the equivalent store in the other language, and the scheduling control bits.

use warpgrid_view::model::StepView;
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Returns the next step at each position of a run.
fn steps(source: &str) -> Vec<StepView> {
    let mut session = Session::new(Scenario {
        source: source.to_owned(),
        front: SourceLanguage::of_source(source),
        ..Scenario::default()
    })
    .expect("it runs");
    let mut steps = Vec::new();
    while let Some(next) = session.frame(&Default::default()).next {
        assert!(session.step(), "{next:?}");
        let last = session.frame(&Default::default()).last;
        let last = last.expect("a step was done");
        assert_eq!(
            (&last.counterpart, &last.schedule),
            (&next.counterpart, &next.schedule)
        );
        steps.push(last);
    }
    steps
}

fn counterpart(source: &str, line: u32) -> Option<[String; 2]> {
    let step = steps(source)
        .into_iter()
        .find(|step| step.range.line == line);
    let found = step.expect("the line ran").counterpart?;
    assert!(!found.about.is_empty());
    Some([found.text, found.language])
}

#[test]
fn ptx_store_shows_sass_counterpart_of_target() {
    let source = |target: &str, store: &str| {
        format!(
            "//@ launch grid=1 block=32\n//@ buffer p: u32[256] = 0\n.version 8.0\n.target {target}\n.address_size 64\n\
             .visible .entry k(.param .u64 p) {{\n.reg .b64 %a;\nld.param.u64 %a, [p];\n{store};\nret;\n}}\n"
        )
    };
    let wide = source("sm_90", "st.global.v2.u32 [%a], {1, 2}");
    assert_eq!(
        counterpart(&wide, 9),
        Some([
            "STG.E.64 desc[UR4][R2.64], R4".into(),
            "SASS for sm_90".into()
        ])
    );
    assert_eq!(counterpart(&wide, 8), None);
    let strong = source("sm_75", "st.relaxed.gpu.global.u32 [%a], 1");
    assert_eq!(
        counterpart(&strong, 9),
        Some(["STG.E.STRONG.GPU [R2], R4".into(), "SASS for sm_75".into()])
    );
}

const LISTING: &str = "\
//@ launch grid=1 block=32
//@ buffer p: u32[64] = 0
//@ register R2 = p + lane * 8
//@ register R3 = 0x7f00
        code for sm_75
                Function : k
        /*0000*/  MOV R5, 0x1 ;                /* 0x0000000100057802 */
                                               /* 0x000fca0000000f00 */
        /*0010*/  STG.E.64.STRONG.GPU [R2], R4 ; /* 0x0000000402007386 */
                                               /* 0x004fe2000010e900 */
        /*0020*/  EXIT ;
";

#[test]
fn sass_step_shows_ptx_counterpart_and_schedule() {
    let found = counterpart(LISTING, 9).map(|[text, language]| (text, language));
    assert_eq!(
        found,
        Some(("st.relaxed.gpu.global.v2.b32".to_owned(), "PTX".to_owned()))
    );
    let schedules: Vec<_> = steps(LISTING)
        .into_iter()
        .map(|step| step.schedule)
        .collect();
    assert_eq!(
        schedules,
        [
            Some("stall 5 cycles, yields".to_owned()),
            Some("stall 1 cycle, waits for barrier 2".to_owned()),
            None
        ]
    );
}
