//! Test fixture: a small frame with four cells, two of which have been written.
#![cfg(test)]

use crate::protocol::CompareOpened;
use warpgrid_view::SourceLanguage;
use warpgrid_view::analysis::comparison::{
    ComparisonFrame, ComparisonReport, ComparisonSide, ComparisonStep, ComparisonVerdict,
};
use warpgrid_view::layouts::fragment::{CellHolder, FragmentRequest};
use warpgrid_view::model::Traffic;
use warpgrid_view::model::{
    BlockMap, BlockProgress, GridCell, LaneStore, MemoryGrid, MemorySpace, MemoryView, Phrase,
    PieceView, ResidentBlock, RunStatus, SessionFrame, SourceRange, StoreAction, StoreView,
    WarpView, WriteAge,
};
use warpgrid_view::model::{ElementView, MatrixOperandView, MatrixStep};
use warpgrid_view::value::ElementType;

pub(crate) fn memory() -> MemoryView {
    MemoryView {
        id: "out".into(),
        title: "out".into(),
        space: MemorySpace::Global,
        address: "0x7f0000000400".into(),
        size_bytes: 16,
        ty: ElementType::U32,
        shape: Vec::new(),
        is_named: true,
    }
}

fn cell(text: &str, lane: Option<u8>, step: Option<u64>, written: WriteAge) -> GridCell {
    GridCell {
        text: text.into(),
        is_zero: text == "0",
        lane,
        step,
        written,
        has_conflict: false,
        pending: false,
    }
}

pub(crate) fn store() -> StoreView {
    StoreView {
        step: 2,
        block: [0; 3],
        warp: 0,
        range: SourceRange {
            line: 8,
            column: 5,
            end_line: 8,
            end_column: 30,
        },
        instruction: "st.global.u32 [%rd1], %r2;".into(),
        opcode: "st.global.u32".into(),
        action: StoreAction::Store,
        has_landed: false,
        memory: Some("out".into()),
        memories: vec!["out".into()],
        space: MemorySpace::Global,
        ty: ElementType::U32,
        n_elements: 1,
        lanes: vec![LaneStore {
            lane: 1,
            thread: [1, 0, 0],
            address: "0x7f0000000404".into(),
            offset: Some(4),
            bytes: vec![9, 0, 0, 0],
            value: "9".into(),
            pieces: vec![PieceView {
                element: 0,
                address_lane: 1,
                memory: Some("out".into()),
                address: "0x7f0000000404".into(),
                offset: Some(4),
                n_bytes: 4,
                ty: ElementType::U32,
                value: "9".into(),
                before: "0".into(),
                stored_value: "9".into(),
                written: true,
                source: Some("%r2".into()),
            }],
        }],
        n_bytes: 4,
        traffic: Traffic::default(),
        order: "weak".into(),
        scope: None,
        hints: Vec::new(),
        lost: 0,
    }
}

/// Returns a comparison of two completed runs without memory.
pub(crate) fn beside() -> CompareOpened {
    let side = || ComparisonSide {
        front: SourceLanguage::Ptx,
        target: "sm_80".into(),
        entry: "k".into(),
        steps: 9,
        stores: 5,
        over: true,
        fault: None,
    };
    let step = || ComparisonStep {
        position: 9,
        stores: 5,
        n_stores: 5,
        status: RunStatus::Finished,
        last: None,
        sentence: Vec::new(),
        store: None,
    };
    CompareOpened {
        report: ComparisonReport {
            equal: true,
            verdict: ComparisonVerdict::Equal,
            reason: None,
            summary: "both leave the same memory".into(),
            sides: [side(), side()],
            memories: Vec::new(),
            n_bytes: 0,
            unmatched_memories: [Vec::new(), Vec::new()],
            differences: Vec::new(),
            first_difference: None,
            notes: Vec::new(),
        },
        guesses: Vec::new(),
        frame: ComparisonFrame {
            position: 6,
            length: 6,
            sides: [step(), step()],
            grids: Vec::new(),
        },
    }
}

fn grid() -> MemoryGrid {
    MemoryGrid {
        memory: memory(),
        ty: ElementType::U32,
        columns: 2,
        first_row: 0,
        n_rows: 2,
        total_rows: 2,
        sector_bytes: Some(32),
        cells: vec![
            cell("7", Some(0), Some(2), WriteAge::Before),
            cell("9", Some(1), Some(3), WriteAge::Now),
            cell("0", None, None, WriteAge::Never),
            cell("0", None, None, WriteAge::Never),
        ],
        tiles: Vec::new(),
    }
}

pub(crate) fn frame() -> SessionFrame {
    SessionFrame {
        position: 3,
        length: Some(5),
        status: RunStatus::Running,
        sentence: vec![Phrase {
            text: "Lane 1 wrote 4 bytes.".into(),
            strong: false,
            link: None,
        }],
        last: None,
        next: None,
        store: Some(store()),
        matrix: None,
        tensor: None,
        fault: None,
        causes: Vec::new(),
        memories: vec![memory()],
        grids: vec![grid()],
        warp: Some(WarpView {
            block: 0,
            block_id: [0; 3],
            warp: 0,
            active: 0b10,
            lanes: Vec::new(),
            registers: Vec::new(),
        }),
        blocks: BlockMap {
            grid: [1; 3],
            n_blocks: 1,
            n_finished: 0,
            blocks_per_cell: 1,
            cells: vec![BlockProgress::Running],
            resident: vec![ResidentBlock {
                block: 0,
                warps: vec![BlockProgress::Running],
            }],
        },
        store_steps: vec![2, 3],
        stores_done: 2,
        stores_known: 2,
        cluster: None,
        mbarriers: Vec::new(),
        pending: Vec::new(),
        notes: Vec::new(),
    }
}

/// Returns a step with a matrix of one row and two columns. Lanes 0 and 1 hold the elements in `%r2`, and the elements are stored to the
/// first two cells of `out`.
pub(crate) fn matrix_step() -> MatrixStep {
    let element = |lane: u8| ElementView {
        holders: vec![CellHolder {
            lane,
            register: 0,
            element: 0,
        }],
        value: lane.to_string(),
        bits: format!("{lane:#x}"),
        memory: Some("out".into()),
        offset: Some(4 * u64::from(lane)),
    };
    MatrixStep {
        operands: vec![MatrixOperandView {
            name: "D".into(),
            fragment: FragmentRequest::default(),
            base_bytes: 0,
            rows: 1,
            columns: 2,
            cells: vec![element(0), element(1)],
            registers: vec!["%r2".into()],
            elements_per_register: 1,
        }],
        product: None,
    }
}
