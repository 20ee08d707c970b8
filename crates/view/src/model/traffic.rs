//! What accesses to memory cost, by the names of the vendor's profiler.

use serde::{Deserialize, Serialize};

/// What accesses to memory cost. Each count has the name that the vendor's profiler gives it in its source view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Traffic {
    /// Instructions of warps that accessed global, local or shared memory (`inst_executed`), and landings of operations in flight.
    pub requests: u64,
    /// Lanes of them that took part (`thread_inst_executed`).
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

/// What accesses to global or local memory cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SectorTraffic {
    /// Accesses that went there.
    pub requests: u64,
    /// Distinct bytes of each access.
    pub bytes: u64,
    /// Distinct sectors of 32 bytes (`memory_l2_theoretical_sectors_global`).
    pub sectors: u64,
    /// The fewest sectors that hold as many bytes (`memory_l2_theoretical_sectors_global_ideal`).
    pub sectors_ideal: u64,
    /// The difference (`derived__memory_l2_theoretical_sectors_global_excessive`).
    pub sectors_excessive: u64,
    /// Distinct lines of 128 bytes (`memory_l1_tag_requests_global`).
    pub lines: u64,
    /// Those beyond the fewest that hold as many bytes.
    pub lines_excessive: u64,
    /// Bytes of the sectors that no lane asked for.
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

/// What accesses to shared memory cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BankTraffic {
    /// Accesses that went there.
    pub requests: u64,
    /// Distinct bytes of each access.
    pub bytes: u64,
    /// Passes over the banks (`memory_l1_wavefronts_shared`).
    pub wavefronts: u64,
    /// The fewest for accesses of these widths (`memory_l1_wavefronts_shared_ideal`).
    pub wavefronts_ideal: u64,
    /// The difference: passes because lanes met in a bank (`derived__memory_l1_wavefronts_shared_excessive`).
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

/// The traffic of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TrafficView {
    /// Steps from the start that are counted.
    pub steps: u64,
    pub total: Traffic,
    /// The lines of the source that access memory, ascending.
    pub lines: Vec<LineTraffic>,
}

/// The traffic of a line of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LineTraffic {
    /// From 1.
    pub line: u32,
    /// The opcode of its first instruction that accesses memory.
    pub opcode: String,
    pub traffic: Traffic,
}
