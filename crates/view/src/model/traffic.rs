//! Data types for the costs of memory accesses, which are named after the metrics of Nsight Compute.

use crate::model::source_position::SourcePosition;
use serde::{Deserialize, Serialize};

/// Counts of requests, sectors, wavefronts and bank conflicts of memory accesses. The comment of each count contains the name of the
/// corresponding metric in the source view of Nsight Compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Traffic {
    /// Number of warp instructions that accessed global, local or shared memory (`inst_executed`), and of completions of
    /// asynchronous operations.
    pub requests: u64,
    /// Sum of the numbers of active lanes over all of these warp instructions (`thread_inst_executed`).
    pub lanes: u64,
    pub global: SectorTraffic,
    pub local: SectorTraffic,
    pub shared: BankTraffic,
}

impl Traffic {
    pub(crate) fn add(&mut self, other: &Traffic) {
        self.requests += other.requests;
        self.lanes += other.lanes;
        self.global.add(&other.global);
        self.local.add(&other.local);
        self.shared.add(&other.shared);
    }
}

/// Numbers of sectors and cache lines of accesses to global or local memory, as part of [`Traffic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SectorTraffic {
    /// Number of requests to this memory.
    pub requests: u64,
    /// Number of distinct bytes that each access touches, summed over all accesses.
    pub bytes: u64,
    /// Number of distinct 32-byte sectors that each access touches, summed over all accesses (`memory_l2_theoretical_sectors_global`).
    pub sectors: u64,
    /// Smallest number of sectors that can contain the accessed bytes (`memory_l2_theoretical_sectors_global_ideal`).
    pub sectors_ideal: u64,
    /// Number of sectors beyond the smallest possible number (`derived__memory_l2_theoretical_sectors_global_excessive`).
    pub sectors_excessive: u64,
    /// Number of distinct 128-byte cache lines that each access touches, summed over all accesses (`memory_l1_tag_requests_global`).
    pub lines: u64,
    /// Number of cache lines beyond the smallest number that can contain the accessed bytes.
    pub lines_excessive: u64,
    /// Number of bytes in the accessed sectors that no lane accessed.
    pub bytes_wasted: u64,
}

impl SectorTraffic {
    fn add(&mut self, other: &SectorTraffic) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.sectors += other.sectors;
        self.sectors_ideal += other.sectors_ideal;
        self.sectors_excessive += other.sectors_excessive;
        self.lines += other.lines;
        self.lines_excessive += other.lines_excessive;
        self.bytes_wasted += other.bytes_wasted;
    }
}

/// Numbers of wavefronts and bank conflicts of accesses to shared memory, as part of [`Traffic`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BankTraffic {
    /// Number of requests to shared memory.
    pub requests: u64,
    /// Number of distinct bytes that each access touches, summed over all accesses.
    pub bytes: u64,
    /// Number of wavefronts (`memory_l1_wavefronts_shared`).
    pub wavefronts: u64,
    /// Smallest number of wavefronts for these access widths (`memory_l1_wavefronts_shared_ideal`).
    pub wavefronts_ideal: u64,
    /// Number of additional wavefronts due to bank conflicts (`derived__memory_l1_wavefronts_shared_excessive`).
    pub bank_conflicts: u64,
}

impl BankTraffic {
    fn add(&mut self, other: &BankTraffic) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.wavefronts += other.wavefronts;
        self.wavefronts_ideal += other.wavefronts_ideal;
        self.bank_conflicts += other.bank_conflicts;
    }
}

/// Memory traffic of a run, which hosts display in total and per source line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TrafficView {
    /// Number of steps, counted from the start of the run, that the traffic includes.
    pub steps: u64,
    pub total: Traffic,
    /// Source lines that access memory, in ascending order.
    pub lines: Vec<LineTraffic>,
    /// Lines in the language from which a compiler generated the source, in the order of file and line. Empty without line information.
    pub sources: Vec<SourceTraffic>,
}

/// Memory traffic of the instructions that a compiler generated from one line of its input, as part of a [`TrafficView`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceTraffic {
    /// Name of the file as the compiler recorded it.
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
    pub traffic: Traffic,
}

/// Memory traffic of the instructions in a source line, as part of a [`TrafficView`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LineTraffic {
    /// Line of the source, starting at 1.
    pub line: u32,
    /// Position in the language from which a compiler generated the first instruction of the line that accesses memory, followed by the
    /// call sites of inlined functions.
    pub source: Vec<SourcePosition>,
    /// Opcode of the first instruction of the line that accesses memory.
    pub opcode: String,
    pub traffic: Traffic,
}
