//! Extraction of litmus tests from kernels: the outcomes of the extracted test are those of the selected lines.

use warpgrid_view::memory_model::litmus::{
    ExtractionRequest, ExtractionThread, explore, read_text, write_text,
};
use warpgrid_view::{Scenario, Session};

/// Step limit of a kernel.
const MAX_STEPS: u64 = 100_000;

const MESSAGE: &str = include_str!("data/cut/message.ptx");
const CALLS: &str = include_str!("data/cut/calls.ptx");
const PIPELINE: &str = include_str!("data/cut/pipeline.ptx");

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    Session::new_without_last_writers(scenario).expect("a session")
}

/// Returns the text of the extracted test and its allowed outcomes.
fn asked(source: &str, request: &ExtractionRequest) -> String {
    let test = match session(source).litmus_test(request, MAX_STEPS) {
        Ok(test) => test,
        Err(error) => return error.to_string(),
    };
    let text = write_text(&test);
    let view = explore(&read_text(&text).expect("a test")).expect("an answer");
    let outcomes = view.outcomes.unwrap_or_default().into_iter();
    let outcomes = outcomes.map(|outcome| {
        let kind = if outcome.is_interleaving {
            ""
        } else {
            ", not sequentially consistent"
        };
        format!("{:?}{kind}", outcome.values)
    });
    format!(
        "{text}allowed: {}\nraces: {:?}",
        outcomes.collect::<Vec<_>>().join("; "),
        view.racy_lines
    )
}

fn lines(first: u32, last: u32) -> ExtractionRequest {
    ExtractionRequest {
        lines: [first, last],
        ..ExtractionRequest::default()
    }
}

#[test]
fn two_communicating_threads_yield_message_passing_test() {
    expect_test::expect![[r#"
        //@ title Lines 20 to 30 of mp
        .version 8.6
        .target sm_90
        //@ launch grid=2 block=32
        //@ location data+8: u32 = 0
        //@ location flag: u32 = 0
        //@ location out: u32 = 0
        //@ thread block=0 thread=0
        .reg .b64 %d, %f;
        mov.b64 %d, data;
        mov.b64 %f, flag;
        st.global.u32 [%d+8], 42; // line 22
        st.relaxed.gpu.global.u32 [%f], 1; // line 23
        //@ thread block=1 thread=0
        .reg .b32 %v, %w;
        .reg .b64 %d, %f, %o;
        .reg .pred %q;
        mov.b64 %d, data;
        mov.b64 %f, flag;
        mov.b64 %o, out;
        CONSUMER:
        ld.relaxed.gpu.global.u32 %v, [%f]; // line 26
        setp.eq.u32 %q, %v, 0; // line 27
        @%q bra CONSUMER; // line 28
        ld.global.u32 %w, [%d+8]; // line 29
        st.global.u32 [%o], %w; // line 30
        //@ observe 1:%v 1:%w
        allowed: [1, 0], not sequentially consistent; [1, 42]
        races: [[[0, 12], [1, 25]]]"#]]
    .assert_eq(&asked(MESSAGE, &lines(20, 30)));
}

#[test]
fn mbarrier_pipeline_yields_test_with_initialized_mbarrier() {
    expect_test::expect![[r#"
        //@ title Lines 25 to 35 of pipeline
        .version 8.6
        .target sm_90
        //@ launch grid=1 block=64
        //@ location bar: mbarrier at=0 = 1
        //@ location out: u32 = 0
        //@ location tile: shared u32 at=8 = 0
        //@ thread block=0 thread=0
        mov.b32 %r1, 0;
        mov.b32 %r2, 8;
        st.shared.u32 [%r2], %r1; // line 26
        mbarrier.arrive.shared.b64 %rd2, [bar]; // line 27
        //@ thread block=0 thread=32
        mov.b32 %r1, 32;
        mov.b32 %r2, 8;
        mov.b64 %rd1, out;
        mov.b32 %r3, 0;
        CONSUME:
        mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; // line 30
        @!%p3 bra CONSUME; // line 31
        ld.shared.u32 %r4, [%r2]; // line 32
        cvt.u64.u32 %rd3, %r3; // line 33
        add.u64 %rd1, %rd1, %rd3; // line 34
        st.global.u32 [%rd1], %r4; // line 35
        //@ observe 1:%r4
        allowed: [0]
        races: []"#]]
    .assert_eq(&asked(PIPELINE, &lines(25, 35)));
}

#[test]
fn extraction_from_race_reproduces_race() {
    let mut session = session(MESSAGE);
    let report = session.run_for_races(MAX_STEPS);
    let request = ExtractionRequest::from_race(&report.races[0]).expect("a question");
    let stood = session.position();
    let test = session.litmus_test(&request, MAX_STEPS).expect("a test");
    assert_eq!(session.position(), stood);
    let view = explore(&read_text(&write_text(&test)).expect("a test")).expect("an answer");
    assert!(view.race, "{}", write_text(&test));
}

#[test]
fn invalid_extraction_requests_are_rejected() {
    let thread = |block: u32, thread: u32| ExtractionThread {
        block: [block, 0, 0],
        thread: [thread, 0, 0],
        line: None,
    };
    let with = |first, last, threads: &[ExtractionThread]| ExtractionRequest {
        threads: threads.to_vec(),
        ..lines(first, last)
    };
    let asked = [
        asked(MESSAGE, &lines(1, 4)),
        asked(MESSAGE, &lines(14, 19)),
        asked(MESSAGE, &with(20, 30, &[thread(2, 0)])),
        asked(MESSAGE, &with(29, 30, &[thread(0, 0)])),
        asked(MESSAGE, &with(20, 30, &[thread(0, 0); 9])),
        asked(PIPELINE, &lines(38, 41)),
    ];
    expect_test::expect![[r#"
        lines 1 to 4 contain no instruction of the kernel `mp`
        the threads access no global or shared memory in the selected lines: select lines with loads and stores
        the launch has no thread 0 in block 2
        the selected threads do not reach the selected lines in this run
        found 9 selected threads, expected at most 8
        the threads access no global or shared memory in the selected lines: select lines with loads and stores"#]].assert_eq(&asked.join("\n"));
}

#[test]
fn snippet_extraction_uses_buffer_names_as_locations() {
    let loose = "//@ launch grid=2 block=32\n//@ buffer p: u32[32] = 0\nmov.u32 %w, %ctaid.x;\nst.global.u32 [p], %w;\n";
    let thread = |block: u32| ExtractionThread {
        block: [block, 0, 0],
        thread: [3, 0, 0],
        line: None,
    };
    let request = ExtractionRequest {
        threads: vec![thread(0), thread(1)],
        ..lines(3, 4)
    };
    expect_test::expect![[r#"
        //@ title Lines 3 to 4 of snippet
        .version 9.5
        .target sm_100
        //@ launch grid=2 block=32
        //@ location p+12: u32 = 0
        //@ thread block=0 thread=3
        .reg .u32 %w;
        mov.u32 %w, %ctaid.x; // line 3
        st.global.u32 [p+12], %w; // line 4
        //@ thread block=1 thread=3
        .reg .u32 %w;
        mov.u32 %w, %ctaid.x; // line 3
        st.global.u32 [p+12], %w; // line 4
        //@ observe p[3]
        allowed: [0]; [1]
        races: [[[0, 9], [1, 13]]]"#]]
    .assert_eq(&asked(loose, &request));
}

/// The source of called functions is included, parameters become registers, and the result of a call can be observed.
#[test]
fn extraction_includes_called_functions() {
    expect_test::expect![[r#"
        //@ title Lines 35 to 49 of k
        .version 8.0
        .target sm_90
        //@ launch grid=2 block=32
        //@ location data: u32 = 0
        //@ location flag: u32 = 0
        //@ location out: u32 = 0
        .func publish(.reg .b64 %place, .reg .b32 %value)
        {
            st.relaxed.gpu.global.u32 [%place], %value;
            ret;
        }
        .func (.param .b32 seen) look(.param .b64 place)
        {
            .reg .b64 %rd1;
            .reg .b32 %r1;
            ld.param.u64 %rd1, [place];
            ld.relaxed.gpu.global.u32 %r1, [%rd1];
            st.param.b32 [seen+0], %r1;
            ret;
        }
        //@ thread block=0 thread=0
        .reg .b64 %d, %f;
        mov.b64 %d, data;
        mov.b64 %f, flag;
        st.global.u32 [%d], 42; // line 35
        call publish, (%f, 1); // line 36
        //@ thread block=1 thread=0
        .reg .b32 %w, retval0;
        .reg .b64 %d, %f, %o, param0;
        mov.b64 %d, data;
        mov.b64 %f, flag;
        mov.b64 %o, out;
        mov.b32 %w, 0;
        mov.b64 param0, %f; // line 44
        call.uni (retval0), look, (param0); // line 45
        ld.global.u32 %w, [%d]; // line 48
        st.global.u32 [%o], %w; // line 49
        //@ observe 1:retval0 1:%w
        allowed: [0, 0]; [0, 42]; [1, 0], not sequentially consistent; [1, 42]
        races: [[[0, 26], [1, 37]]]"#]]
    .assert_eq(&asked(CALLS, &lines(35, 49)));
    let printing = CALLS.replace("call publish, (%f, 1);", "call trap_if, (%f);");
    let printing = printing.replace(
        ".func publish(",
        ".extern .func trap_if(.reg .b64 %place);\n.func publish(",
    );
    let error = asked(&printing, &lines(36, 50));
    expect_test::expect!["the selected lines call `trap_if`, but the module does not contain the body of this function: select lines without the call"].assert_eq(&error);
}

/// If all lanes are tested threads, they exchange values. Otherwise, exchanged values are those of the run.
#[test]
fn shuffle_between_selected_lanes_is_preserved() {
    let text = "//@ launch grid=1 block=2\n//@ buffer p: u32[32] = 0\nld.relaxed.gpu.global.u32 %r1, [p];\n\
        shfl.sync.bfly.b32 %r2, %r1, 1, 31, 3;\nst.relaxed.gpu.global.u32 [p], %r2;\n";
    let thread = |thread: u32| ExtractionThread {
        block: [0; 3],
        thread: [thread, 0, 0],
        line: None,
    };
    let of = |threads: &[ExtractionThread]| {
        asked(
            text,
            &ExtractionRequest {
                threads: threads.to_vec(),
                ..lines(3, 5)
            },
        )
    };
    expect_test::expect![[r#"
        //@ title Lines 3 to 5 of snippet
        .version 9.5
        .target sm_100
        //@ launch grid=1 block=2
        //@ location p: u32[2] = 0
        //@ thread block=0 thread=0
        ld.relaxed.gpu.global.u32 %r1, [p+0]; // line 3
        shfl.sync.bfly.b32 %r2, %r1, 1, 31, 3; // line 4
        st.relaxed.gpu.global.u32 [p+0], %r2; // line 5
        //@ thread block=0 thread=1
        ld.relaxed.gpu.global.u32 %r1, [p+4]; // line 3
        shfl.sync.bfly.b32 %r2, %r1, 1, 31, 3; // line 4
        st.relaxed.gpu.global.u32 [p+4], %r2; // line 5
        //@ observe 0:%r1 1:%r1
        allowed: [0, 0]
        races: []"#]]
    .assert_eq(&of(&[thread(0), thread(1)]));
    expect_test::expect![[r#"
        //@ title Lines 3 to 5 of snippet
        .version 9.5
        .target sm_100
        //@ launch grid=1 block=2
        //@ location p: u32 = 0
        //@ thread block=0 thread=0
        ld.relaxed.gpu.global.u32 %r1, [p+0]; // line 3
        mov.b32 %r2, 0; // line 4
        st.relaxed.gpu.global.u32 [p+0], %r2; // line 5
        //@ observe 0:%r1
        allowed: [0]
        races: []"#]]
    .assert_eq(&of(&[thread(0)]));
}
