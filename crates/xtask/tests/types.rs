//! Golden test of the TypeScript types of the npm package: generated from the types of the JavaScript API and compared with
//! `crates/wasm/src/types.ts`, which `UPDATE_EXPECT=1` updates.

use expect_test::expect_file;
use std::collections::BTreeSet;
use ts_rs::{Config, TS};
use warpgrid_view::analysis::comparison::{BesideReport, BesideSide};
use warpgrid_view::analysis::mma_explanation::{
    BlockView, GenerationView, NumberView, OperationView, ProductRequest, ProductStep, ProductView,
    TermView,
};
use warpgrid_view::analysis::schedule_seeds::{Difference, ElementStore, Side};
use warpgrid_view::api::{
    BufferDigest, FaultReport, LaneGroup, RegisterResult, ReportOptions, RunReport,
};
use warpgrid_view::compiled_file::{FileView, ProgramKernel, ProgramLanguage, ProgramView};
use warpgrid_view::layouts::fragment::{
    AccessEntry, AccessView, CellHolder, FragmentEntry, FragmentMapEntry, FragmentRefusal,
    FragmentRequest, FragmentView,
};
use warpgrid_view::layouts::inspector::{
    AccessConflicts, AccessLayout, BankCell, BankPhase, BankWord, BufferConflicts, Collision,
    ConflictReport, Cured, LayoutDimension, ProfilerCount, Proposal, SectorAdvice,
};
use warpgrid_view::layouts::tensor::{DescriptorField, LayoutParameter, LayoutView, RelatedLayout};
use warpgrid_view::memory_export::MemoryForm;
use warpgrid_view::memory_model::concurrency::{
    HangKind, HangMissing, HangObject, HangView, HangWait, RaceAccess, RaceKind, RacePlace,
    RaceReport, RaceSure, RaceView, RepairEdit, RepairOp, UnwrittenView, Why,
};
use warpgrid_view::memory_model::litmus::{
    Axiom, CutRequest, CutThread, Edge, EdgeKind, ForbiddenView, GraphView, LitmusEdit,
    LitmusEditOp, LitmusRepairs, LitmusView, NodeKind, NodeView, OutcomeView, Races, ViolationView,
};
use warpgrid_view::model::CauseView;
use warpgrid_view::model::{BankTraffic, LineTraffic, SectorTraffic, Traffic, TrafficView};
use warpgrid_view::model::{
    BlockMap, Cell, CounterpartView, DiagnosticView, EditView, EngineChoice, EngineName,
    EngineView, FaultSort, FaultView, FixView, Frame, FrameRequest, Grid, GridOptions, GridRequest,
    LabelView, LaneState, LaneStore, LaneView, MemoryView, PendingPieceView, PendingView, Phrase,
    PhraseLink, PieceView, Progress, RegisterType, RegisterView, ResidentBlock, RunOptions,
    RunStatus, SessionRunOptions, Severity, SourceRange, Space, StepView, StoreAction, StoreView,
    TokenClass, TokenView, WarpView, Written,
};
use warpgrid_view::model::{CellHistory, CellWrite, HistoryOptions, UntilOptions};
use warpgrid_view::model::{ClusterBlock, ClusterView};
use warpgrid_view::model::{ElementView, MatrixOperand, MatrixStep, StepProduct};
use warpgrid_view::model::{MbarrierPhase, MbarrierView, PhaseWaiter};
use warpgrid_view::model::{PartOperand, PartView};
use warpgrid_view::model::{TensorCopyView, TensorPieceView, TensorStep, TileCells, TileView};
use warpgrid_view::scenario::{
    Beside, Buffer, ExpectedFault, Field, Init, Misaligned, RegisterStart, Resource, Surface,
    TensorMap, TexelArray, Texture,
};
use warpgrid_view::session::until::Reached;
use warpgrid_view::source::editor_assist::{CompletionView, HoverView, SuggestionKind};
use warpgrid_view::source::reference::{CodePage, FormPage, OperandFacts, SlotFacts, ValueFacts};
use warpgrid_view::value::{ElementType, Literal};
use warpgrid_view::{CheckOptions, CheckReport, Front, MemoryId, Parameter, Scenario};

/// Header of the file.
const HEAD: &str = "\
// Generated from the types of the core; `UPDATE_EXPECT=1 cargo test -p xtask --test types` writes it.
";

/// TypeScript declarations, and the names of the types that they declare and use.
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
    // Put single-line comments on one line, and remove the trailing whitespace that the generator emits.
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
fn the_types_of_the_package_are_those_of_the_core() {
    // Counts are far below 2^53; addresses and 64-bit values are passed as strings.
    let config = &Config::new().with_large_int("number");
    let types = declarations![
        config,
        Front,
        CheckOptions,
        CheckReport,
        PartView,
        PartOperand,
        SourceRange,
        Severity,
        DiagnosticView,
        LabelView,
        FixView,
        EditView,
        Literal,
        ElementType,
        Init,
        Buffer,
        Field,
        Parameter,
        ExpectedFault,
        RegisterStart,
        TensorMap,
        Texture,
        Surface,
        Resource,
        TexelArray,
        Misaligned,
        Beside,
        Scenario,
        HistoryOptions,
        CellWrite,
        CellHistory,
        UntilOptions,
        Reached,
        ElementStore,
        Side,
        Difference,
        BesideSide,
        BesideReport,
        CellHolder,
        ElementView,
        MatrixOperand,
        TensorStep,
        TileView,
        TileCells,
        TensorCopyView,
        TensorPieceView,
        StepProduct,
        MatrixStep,
        RunOptions,
        EngineChoice,
        SessionRunOptions,
        EngineName,
        EngineView,
        ReportOptions,
        RunReport,
        FaultReport,
        BufferDigest,
        RegisterResult,
        LaneGroup,
        GridOptions,
        GridRequest,
        FrameRequest,
        MemoryForm,
        MemoryId,
        Space,
        FaultSort,
        RegisterType,
        MemoryView,
        Written,
        Cell,
        Grid,
        PieceView,
        StoreAction,
        LaneStore,
        SectorTraffic,
        BankTraffic,
        Traffic,
        StoreView,
        PendingPieceView,
        PendingView,
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
        Progress,
        ResidentBlock,
        BlockMap,
        ClusterBlock,
        ClusterView,
        MbarrierPhase,
        PhaseWaiter,
        MbarrierView,
        RunStatus,
        LineTraffic,
        TrafficView,
        Why,
        RaceSure,
        RaceKind,
        RaceAccess,
        RacePlace,
        RepairOp,
        RepairEdit,
        RaceView,
        UnwrittenView,
        RaceReport,
        LitmusView,
        OutcomeView,
        Races,
        ForbiddenView,
        ViolationView,
        Axiom,
        GraphView,
        NodeView,
        NodeKind,
        Edge,
        EdgeKind,
        CutRequest,
        CutThread,
        LitmusRepairs,
        LitmusEdit,
        LitmusEditOp,
        HangKind,
        HangObject,
        HangMissing,
        HangWait,
        HangView,
        Frame,
        TokenClass,
        TokenView,
        HoverView,
        SuggestionKind,
        CompletionView,
        ValueFacts,
        OperandFacts,
        SlotFacts,
        FormPage,
        FragmentRequest,
        FragmentRefusal,
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
        AccessLayout,
        BankWord,
        BankCell,
        BankPhase,
        Collision,
        ProfilerCount,
        AccessConflicts,
        Proposal,
        BufferConflicts,
        SectorAdvice,
        ConflictReport,
        Cured,
        ProductRequest,
        NumberView,
        ProductView,
        GenerationView,
        ProductStep,
        BlockView,
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
    expect_file!["../../wasm/src/types.ts"].assert_eq(&format!("{HEAD}{}", types.text));
}

/// The package build compares the declarations with wasm-bindgen; this test detects a missing declaration within a second.
#[test]
fn every_function_of_the_boundary_is_declared() {
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
fn every_function_of_the_boundary_is_called_in_its_tests() {
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
