//! A front end that is defined in this test provides checks, tokens, hover, a run and a grid through the same functions as PTX, since no
//! crate that uses front ends depends on a specific language.

mod dialect;
mod lower;

use dialect::TOY;
use warpgrid_view::model::{GridRequest, SemanticTokenKind};
use warpgrid_view::{CheckOptions, Language, MemoryKey, Scenario, Session, WriterTracking};

const SOURCE: &str =
    "#@ launch block=32\n#@ buffer out: u32[32] = 0\nlane r0\nadd r1 r0 5\nput r1\n";

fn toy() -> Language {
    Language::new(&TOY)
}

fn session(source: &str) -> Session {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let launched = toy().session(scenario, WriterTracking::LastWriter);
    launched.unwrap_or_else(|error| panic!("{error:?}"))
}

fn out() -> GridRequest {
    GridRequest {
        memory: MemoryKey::Buffer("out".into()),
        ty: None,
        columns: None,
        first_row: 0,
        n_rows: None,
    }
}

#[test]
fn check_reports_source_and_launch_annotation_errors() {
    let accepted = toy().check(SOURCE, &CheckOptions::default());
    assert!(accepted.accept, "{:?}", accepted.diagnostics);
    let wrong = format!("#@ lunch\n{SOURCE}mul r1 r1 2\n");
    let report = toy().check(&wrong, &CheckOptions::default());
    let found: Vec<_> = report
        .diagnostics
        .iter()
        .map(|d| (d.code.as_str(), d.line))
        .collect();
    assert_eq!(found, [("T0001", 7), ("W0700", 1)]);
}

#[test]
fn tokens_and_hover_come_from_language_front_end() {
    let tokens = toy().tokens("add r1 r0 5");
    let classes: Vec<SemanticTokenKind> = tokens.iter().map(|token| token.class).collect();
    use SemanticTokenKind::{Number, Opcode, Register};
    assert_eq!(classes, [Opcode, Register, Register, Number]);
    let at = SOURCE.find("put").map_or(0, |at| at as u32);
    let hover = toy().open(SOURCE, &CheckOptions::default()).hover(at + 1);
    let hover = hover.expect("the pointer is on an opcode");
    assert_eq!((hover.start, hover.title.as_str()), (at, "put r"));
}

#[test]
fn run_exposes_grid_store_and_summary() {
    let mut session = session(SOURCE);
    assert!(session.run_to_next_store(100));
    let grid = session.grid(&out()).expect("a buffer");
    let texts: Vec<&str> = grid.cells.iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!((texts[0], texts[31]), ("5", "36"));
    let frame = session.frame(&Default::default());
    let store = frame.store.expect("a store");
    let source = store.lanes[0].pieces[0].source.as_deref();
    assert_eq!((store.opcode.as_str(), source), ("put", Some("r1")));
    assert_eq!(frame.sentence[0].text, "put");
    let step = frame.last.expect("a step");
    assert_eq!(
        (step.instruction.as_str(), &step.names[..]),
        ("put r1", &["element".to_owned(), "r1".to_owned()][..])
    );
    assert!(session.run(100) && session.step_back());
}

#[test]
fn inferred_annotations_use_comment_syntax_of_language() {
    let session = session("lane r0\nput r0\n");
    assert_eq!(
        session.inferred_annotations(),
        ["#@ launch grid=1 block=32", "#@ buffer out: u32[32] = 0"]
    );
}
