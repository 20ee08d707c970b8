//! Golden test of the TypeScript types in the npm package. The test generates these types from the types of the JavaScript API, and
//! compares the result with `crates/wasm/src/types.ts`. `UPDATE_EXPECT=1` updates this file.

use expect_test::expect_file;
use std::collections::BTreeSet;
use ts_rs::{Config, TS};
use warpgrid_view::analysis::comparison::{
    ComparisonReport, ComparisonSide, ComparisonVerdict, ComputedValue, FirstDifference,
};
use warpgrid_view::analysis::coverage::LineRange;
use warpgrid_view::analysis::findings::{
    AnalysisOptions, AnalysisReport, Finding, FindingKind, FindingSeverity, KernelAnalysis, Verdict,
};
use warpgrid_view::analysis::mma_explanation::{
    AccumulationBlockView, GenerationView, MmaExplanation, MmaRequest, MmaStepView, NumberView,
    OperationView, TermView,
};
use warpgrid_view::analysis::schedule_seeds::{DifferenceSide, ElementStore, MemoryDifference};
use warpgrid_view::analysis::schedules::{
    ScheduleOptions, ScheduleReport, ScheduleVerdict, ScheduleWitness,
};
use warpgrid_view::api::{
    BufferDigest, FaultReport, LaneGroup, RegisterResult, ReportOptions, RunReport,
};
use warpgrid_view::compiled_file::{FileView, ProgramKernel, ProgramLanguage, ProgramView};
use warpgrid_view::layouts::fragment::{
    AccessEntry, AccessView, CellHolder, FragmentEntry, FragmentMapEntry, FragmentRequest,
    FragmentRequestError, FragmentView,
};
use warpgrid_view::layouts::inspector::{
    AccessConflicts, BankCell, BankConflictFix, BankPhase, BankWord, BufferConflicts, Collision,
    ConflictReport, FixProposal, InferredAccessLayout, LayoutDimension, ProfilerCount,
    SectorAdvice,
};
use warpgrid_view::layouts::tensor::{DescriptorField, LayoutParameter, LayoutView, RelatedLayout};
use warpgrid_view::memory_export::ExportFormat;
use warpgrid_view::memory_model::concurrency::{
    HangKind, HangResource, HangView, HangWait, MissingCounts, RaceAccess, RaceAccessKind,
    RaceCause, RaceConfidence, RaceLocation, RaceReport, RaceView, RepairEdit, RepairOp,
    UninitializedReadView,
};
use warpgrid_view::memory_model::litmus::{
    Axiom, EdgeKind, EventKind, ExtractionRequest, ExtractionThread, ForbiddenView, GraphView,
    LitmusEdit, LitmusEditOp, LitmusRepairs, LitmusView, NodeView, OutcomeView, RaceFrequency,
    ViolationView, WitnessEdge,
};
use warpgrid_view::model::CauseView;
use warpgrid_view::model::{
    AsyncOperationView, AsyncPieceView, BlockMap, BlockProgress, CompactStore, CounterpartView,
    DiagnosticView, EditView, EngineChoice, EngineKind, EngineView, FaultSort, FaultView, FixView,
    FrameRequest, GridCell, GridOptions, GridRequest, LabelView, LaneState, LaneStore, LaneView,
    MemoryGrid, MemorySpace, MemoryView, Phrase, PhraseLink, PieceView, RegisterType, RegisterView,
    ResidentBlock, RunOptions, RunStatus, SemanticTokenKind, SessionFrame, SessionRunOptions,
    Severity, SourceRange, StepView, StoreAction, StoreRun, StoreView, TokenView, WarpView,
    WriteAge,
};
use warpgrid_view::model::{
    BankTraffic, LineTraffic, SectorTraffic, SourceTraffic, Traffic, TrafficView,
};
use warpgrid_view::model::{CellHistory, CellWrite, HistoryOptions, StopOptions};
use warpgrid_view::model::{ClusterBlock, ClusterView};
use warpgrid_view::model::{ElementView, MatrixOperandView, MatrixStep, StepMma};
use warpgrid_view::model::{InlineAsmView, SnippetOperand};
use warpgrid_view::model::{
    LinkKind, MarkKind, SpanState, TimelineLink, TimelineMark, TimelineOptions, TimelinePoint,
    TimelineSpan, TimelineTrack, TimelineView, TrackKind,
};
use warpgrid_view::model::{MbarrierPhase, MbarrierView, PhaseWaiter};
use warpgrid_view::model::{TensorCopyView, TensorPieceView, TensorStep, TileCells, TileView};
use warpgrid_view::scenario::{
    Buffer, BufferInitializer, ComparisonKernel, ExpectedFault, ImageResource, InitialRegister,
    MisalignedPolicy, SourceFile, StructField, Surface, TensorMap, TexelArray, Texture,
};
use warpgrid_view::session::stop_conditions::StopResult;
use warpgrid_view::source::editor_assist::{CompletionItemKind, CompletionView, HoverView};
use warpgrid_view::source::line_table::{LineTableView, MappedFile, MappedLines, SourcePosition};
use warpgrid_view::source::reference::{CodePage, FormPage, ModifierDoc, OperandDoc, SlotDoc};
use warpgrid_view::value::{ElementType, Literal};
use warpgrid_view::{CheckOptions, CheckReport, MemoryKey, Parameter, Scenario, SourceLanguage};

/// Header of the file.
const HEAD: &str = "\
// Generated from the types of the core; `UPDATE_EXPECT=1 cargo test -p xtask --test types` writes it.
";

/// Former names of types. The generated file declares these names as aliases, so that existing programs compile.
const FORMER_NAMES: &[(&str, &str)] = &[
    ("AccessLayout", "InferredAccessLayout"),
    ("Beside", "ComparisonKernel"),
    ("BesideReport", "ComparisonReport"),
    ("BesideSide", "ComparisonSide"),
    ("BlockView", "AccumulationBlockView"),
    ("Cell", "GridCell"),
    ("Cured", "BankConflictFix"),
    ("CutRequest", "ExtractionRequest"),
    ("CutThread", "ExtractionThread"),
    ("Difference", "MemoryDifference"),
    ("EngineName", "EngineKind"),
    ("Field", "StructField"),
    ("FragmentRefusal", "FragmentRequestError"),
    ("Frame", "SessionFrame"),
    ("Front", "SourceLanguage"),
    ("Grid", "MemoryGrid"),
    ("HangMissing", "MissingCounts"),
    ("HangObject", "HangResource"),
    ("Init", "BufferInitializer"),
    ("MatrixOperand", "MatrixOperandView"),
    ("MemoryForm", "ExportFormat"),
    ("MemoryId", "MemoryKey"),
    ("Misaligned", "MisalignedPolicy"),
    ("PartView", "InlineAsmView"),
    ("PendingPieceView", "AsyncPieceView"),
    ("PendingView", "AsyncOperationView"),
    ("ProductRequest", "MmaRequest"),
    ("ProductStep", "MmaStepView"),
    ("ProductView", "MmaExplanation"),
    ("Progress", "BlockProgress"),
    ("Proposal", "FixProposal"),
    ("RaceKind", "RaceAccessKind"),
    ("RacePlace", "RaceLocation"),
    ("RaceSure", "RaceConfidence"),
    ("Reached", "StopResult"),
    ("RegisterStart", "InitialRegister"),
    ("Resource", "ImageResource"),
    ("Side", "DifferenceSide"),
    ("Space", "MemorySpace"),
    ("StepProduct", "StepMma"),
    ("TokenClass", "SemanticTokenKind"),
    ("UntilOptions", "StopOptions"),
    ("UnwrittenView", "UninitializedReadView"),
    ("Written", "WriteAge"),
];

/// TypeScript declarations, with the names of the types that the declarations contain and use.
#[derive(Default)]
struct Declarations {
    text: String,
    declared: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Declarations {
    fn add<T: TS + 'static>(&mut self, config: &Config) {
        self.text += &declaration::<T>(config);
        self.declared.insert(T::ident(config));
        let dependencies = T::dependencies(config);
        self.used
            .extend(dependencies.into_iter().map(|used| used.ts_name));
    }
}

/// Returns the TypeScript declaration of a type with its documentation.
fn declaration<T: TS + 'static>(config: &Config) -> String {
    let docs = T::docs().unwrap_or_default();
    // Single-line comments are moved to one line, and the trailing whitespace of the generator is removed.
    let text = format!("\n{docs}export {}\n", T::decl(config));
    let text = text.replace("\n */\n", " */\n").replace("/**\n * ", "/** ");
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

macro_rules! declarations {
    ($config:expr, $($ty:ty),* $(,)?) => {{
        let mut declarations = Declarations::default();
        $(declarations.add::<$ty>($config);)*
        declarations
    }};
}

#[test]
fn generated_typescript_types_match_rust_types() {
    // Counts are far below 2^53, so that a JavaScript number represents a count exactly. Addresses and 64-bit values are passed as strings.
    let config = &Config::new().with_large_int("number");
    let types = declarations![
        config,
        SourceLanguage,
        CheckOptions,
        CheckReport,
        InlineAsmView,
        SnippetOperand,
        SourceRange,
        SourceFile,
        SourcePosition,
        MappedFile,
        MappedLines,
        LineTableView,
        TimelineOptions,
        TimelineView,
        TimelineTrack,
        TrackKind,
        TimelineSpan,
        SpanState,
        TimelinePoint,
        TimelineLink,
        LinkKind,
        TimelineMark,
        MarkKind,
        Severity,
        DiagnosticView,
        LabelView,
        FixView,
        EditView,
        Literal,
        ElementType,
        BufferInitializer,
        Buffer,
        StructField,
        Parameter,
        ExpectedFault,
        InitialRegister,
        TensorMap,
        Texture,
        Surface,
        ImageResource,
        TexelArray,
        MisalignedPolicy,
        ComparisonKernel,
        Scenario,
        HistoryOptions,
        CellWrite,
        CellHistory,
        StopOptions,
        StopResult,
        ElementStore,
        DifferenceSide,
        MemoryDifference,
        ComparisonSide,
        ComparisonVerdict,
        ComputedValue,
        FirstDifference,
        ComparisonReport,
        CellHolder,
        ElementView,
        MatrixOperandView,
        TensorStep,
        TileView,
        TileCells,
        TensorCopyView,
        TensorPieceView,
        StepMma,
        MatrixStep,
        RunOptions,
        EngineChoice,
        SessionRunOptions,
        EngineKind,
        EngineView,
        AnalysisOptions,
        FindingKind,
        FindingSeverity,
        Verdict,
        Finding,
        ScheduleVerdict,
        ScheduleWitness,
        ScheduleReport,
        ScheduleOptions,
        KernelAnalysis,
        AnalysisReport,
        ReportOptions,
        RunReport,
        FaultReport,
        BufferDigest,
        RegisterResult,
        LaneGroup,
        LineRange,
        GridOptions,
        GridRequest,
        FrameRequest,
        ExportFormat,
        MemoryKey,
        MemorySpace,
        FaultSort,
        RegisterType,
        MemoryView,
        WriteAge,
        GridCell,
        MemoryGrid,
        PieceView,
        StoreAction,
        LaneStore,
        SectorTraffic,
        BankTraffic,
        Traffic,
        StoreView,
        StoreRun,
        CompactStore,
        AsyncPieceView,
        AsyncOperationView,
        CounterpartView,
        StepView,
        FaultView,
        CauseView,
        LaneState,
        LaneView,
        RegisterView,
        WarpView,
        PhraseLink,
        Phrase,
        BlockProgress,
        ResidentBlock,
        BlockMap,
        ClusterBlock,
        ClusterView,
        MbarrierPhase,
        PhaseWaiter,
        MbarrierView,
        RunStatus,
        LineTraffic,
        SourceTraffic,
        TrafficView,
        RaceCause,
        RaceConfidence,
        RaceAccessKind,
        RaceAccess,
        RaceLocation,
        RepairOp,
        RepairEdit,
        RaceView,
        UninitializedReadView,
        RaceReport,
        LitmusView,
        OutcomeView,
        RaceFrequency,
        ForbiddenView,
        ViolationView,
        Axiom,
        GraphView,
        NodeView,
        EventKind,
        WitnessEdge,
        EdgeKind,
        ExtractionRequest,
        ExtractionThread,
        LitmusRepairs,
        LitmusEdit,
        LitmusEditOp,
        HangKind,
        HangResource,
        MissingCounts,
        HangWait,
        HangView,
        SessionFrame,
        SemanticTokenKind,
        TokenView,
        HoverView,
        CompletionItemKind,
        CompletionView,
        ModifierDoc,
        OperandDoc,
        SlotDoc,
        FormPage,
        FragmentRequest,
        FragmentRequestError,
        FragmentView,
        FragmentMapEntry,
        FragmentEntry,
        AccessEntry,
        AccessView,
        LayoutParameter,
        LayoutView,
        DescriptorField,
        RelatedLayout,
        LayoutDimension,
        InferredAccessLayout,
        BankWord,
        BankCell,
        BankPhase,
        Collision,
        ProfilerCount,
        AccessConflicts,
        FixProposal,
        BufferConflicts,
        SectorAdvice,
        ConflictReport,
        BankConflictFix,
        MmaRequest,
        NumberView,
        MmaExplanation,
        GenerationView,
        MmaStepView,
        AccumulationBlockView,
        TermView,
        OperationView,
        CodePage,
        FileView,
        ProgramView,
        ProgramLanguage,
        ProgramKernel,
    ];
    let undeclared: Vec<_> = types.used.difference(&types.declared).collect();
    assert!(
        undeclared.is_empty(),
        "add these types to the list: {undeclared:?}"
    );
    let aliases: String = FORMER_NAMES
        .iter()
        .map(|(former, name)| {
            assert!(types.declared.contains(*name), "{name} is not declared");
            format!("\n/** @deprecated Use {{@link {name}}}. */\nexport type {former} = {name};\n")
        })
        .collect();
    expect_file!["../../wasm/src/types.ts"].assert_eq(&format!("{HEAD}{}{aliases}", types.text));
}

/// The package build compares the declarations with the output of wasm-bindgen. This test detects a missing declaration within a second.
#[test]
fn every_exported_wasm_function_is_declared() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let read = |file: &str| std::fs::read_to_string(format!("{root}/{file}")).expect("a file");
    let source = read("crates/wasm/src/lib.rs") + &read("crates/wasm/src/whole.rs");
    let declared = read("crates/wasm/npm/warpgrid.d.ts");
    let mut renamed = None;
    let mut missing = Vec::new();
    let mut n_functions = 0;
    for line in source.lines().map(str::trim) {
        if let Some((_, rest)) = line.split_once("js_name = ") {
            renamed = rest.split([',', ')']).next();
        }
        let Some(rest) = line.strip_prefix("pub fn ") else {
            continue;
        };
        n_functions += 1;
        let name = renamed.take().or_else(|| rest.split('(').next());
        let name = match name {
            Some("new") => "constructor",
            Some(name) => name,
            None => continue,
        };
        let forms = [format!(" {name}("), format!("readonly {name}:")];
        if !forms.iter().any(|form| declared.contains(form)) {
            missing.push(name);
        }
    }
    assert_eq!(missing, [""; 0]);
    assert!(n_functions > 25, "{n_functions} functions");
}

/// `wasm-pack test` runs these tests in Node and in a browser.
#[test]
fn every_exported_wasm_function_is_called_in_tests() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/wasm/");
    let read = |file: &str| std::fs::read_to_string(format!("{root}{file}")).expect("a file");
    let source = read("src/lib.rs") + &read("src/whole.rs");
    let tests = read("tests/boundary/mod.rs") + &read("tests/boundary/whole.rs");
    let functions = source.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix("pub fn ")?;
        rest.split('(').next()
    });
    let missing: Vec<&str> = functions
        .filter(|name| {
            let starts = [' ', '.', ':', '('].map(|start| format!("{start}{name}("));
            !starts.iter().any(|call| tests.contains(call))
        })
        .collect();
    assert_eq!(missing, [""; 0]);
}
