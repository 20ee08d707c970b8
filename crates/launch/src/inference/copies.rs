//! Analysis of the tensor copies of a kernel for which the scenario specifies no tensor maps. The input is the instructions of the kernel.
//! The output is the list of copies in program order, with the parameter of the tensor map and the number of bytes of each copy, which is a
//! share of the bytes that the mbarrier expects.

use super::{ParameterOffset, ParameterUses};
use crate::instruction_summary::{
    AddressExpr, AddressOrigin, InstructionSummary, SourceValue, TensorAccess, readers,
};
use std::collections::BTreeMap;
use warpgrid_isa::{AtomicOp, LoadMode, TensorMapField};
use warpgrid_program::{Function, Program, RegisterId};

/// Inferred properties of a tensor map and of the copies that use it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TensorMapUse {
    pub(super) slot: ParameterOffset,
    /// Whether the parameter is the address of the tensor map.
    pub(super) is_pointer: bool,
    pub(super) rank: usize,
    pub(super) mode: LoadMode,
    /// Number of bytes that one copy transfers.
    pub(super) bytes: Option<u64>,
    pub(super) reduces: Option<AtomicOp>,
    /// Destination address of a load, if the address has a constant distance from a base.
    to: Option<AddressExpr>,
}

/// Group of loads that belong to one expect-tx operation of an mbarrier.
struct TransactionGroup {
    bytes: Option<u64>,
    /// Indices of the loads of this group in the list of all copies.
    copies: Vec<usize>,
}

/// Inferred fields that a kernel replaces in the tensor maps that it creates.
#[derive(Debug, Default)]
pub(super) struct DeviceTensorMaps {
    /// Parameters that point to the memory of tensor maps that the kernel creates.
    pub(super) memories: Vec<ParameterOffset>,
    /// Parameters that point to the tensors of these tensor maps.
    pub(super) tensors: Vec<ParameterOffset>,
    /// Extent of the box along each dimension in elements.
    pub(super) box_extents: BTreeMap<usize, u64>,
}

/// Returns the tensor copies in program order, each with its share of the bytes that its mbarrier expects. Also returns the tensor maps
/// that the kernel creates.
pub(super) fn copies(
    program: &Program,
    function: &Function,
    uses: &ParameterUses,
) -> (Vec<TensorMapUse>, DeviceTensorMaps) {
    let mut scan = ScanState::default();
    for reader in readers(program, function) {
        scan.follow(reader.read());
        match reader.tensor_part() {
            Some(TensorAccess::Expects(value)) => scan.expect(value),
            Some(TensorAccess::Copy {
                map,
                to,
                rank,
                mode,
                is_load,
                reduces,
            }) => {
                let held = uses.held(map);
                let slot = match (held.base, held.origin) {
                    (Some(slot), _) => Some((slot, false)),
                    (None, Some(slot)) => Some((slot, true)),
                    (None, None) => None,
                };
                let Some((slot, is_pointer)) = slot else {
                    continue;
                };
                if is_load {
                    scan.waiting.push(scan.found.len());
                }
                let to = to.map(|place| scan.resolved(place));
                scan.found.push(TensorMapUse {
                    slot,
                    is_pointer,
                    rank,
                    mode,
                    bytes: None,
                    reduces,
                    to,
                });
            }
            Some(TensorAccess::Publishes { to }) => {
                scan.made.memories.extend(uses.held(to).origin);
            }
            Some(TensorAccess::Replaces {
                field: TensorMapField::Address,
                value: SourceValue::Register(value),
                ..
            }) => scan.made.tensors.extend(uses.held(value).origin),
            Some(TensorAccess::Replaces {
                field: TensorMapField::Box,
                first,
                value,
            }) => {
                let extent = scan.known(first).zip(scan.known(value));
                let extent = extent.map(|(dimension, n)| (dimension as usize, n));
                scan.made.box_extents.extend(extent);
            }
            Some(TensorAccess::Replaces { .. }) | None => {}
        }
    }
    let made = std::mem::take(&mut scan.made);
    (scan.finish(), made)
}

/// State of the analysis at an instruction.
#[derive(Default)]
struct ScanState {
    constants: BTreeMap<RegisterId, u64>,
    /// Register values that have a constant distance from a base.
    places: BTreeMap<RegisterId, AddressExpr>,
    found: Vec<TensorMapUse>,
    made: DeviceTensorMaps,
    groups: Vec<TransactionGroup>,
    /// Loads that have not been assigned to an expect-tx operation.
    waiting: Vec<usize>,
    /// Number of bytes of the last expect-tx operation, and whether a load follows it.
    expected: Option<u64>,
}

impl ScanState {
    fn follow(&mut self, reading: InstructionSummary) {
        match reading {
            InstructionSummary::Copy { to, from } => {
                self.constants.remove(&to);
                if let SourceValue::Constant(bits) = from {
                    self.constants.insert(to, bits);
                }
                let place = match from {
                    SourceValue::Register(register) => Some((AddressOrigin::Register(register), 0)),
                    SourceValue::Variable(variable, offset) => {
                        Some((AddressOrigin::Variable(variable), offset))
                    }
                    SourceValue::Constant(_) | SourceValue::Special(_) | SourceValue::Other => None,
                };
                self.hold(to, place);
            }
            InstructionSummary::Compute {
                to,
                sources,
                is_addition,
                ..
            } => {
                let place = match (is_addition, &sources[..]) {
                    (true, [SourceValue::Register(a), SourceValue::Constant(n)]) => {
                        Some((AddressOrigin::Register(*a), *n as i64))
                    }
                    _ => None,
                };
                self.constants.remove(&to);
                self.hold(to, place);
            }
            InstructionSummary::Access(_)
            | InstructionSummary::Name(_)
            | InstructionSummary::Other => {}
        }
    }

    fn hold(&mut self, to: RegisterId, place: Option<(AddressOrigin, i64)>) {
        let place = place.filter(|(base, _)| *base != AddressOrigin::Register(to));
        let place =
            place.map(|(base, byte_offset)| self.resolved(AddressExpr { base, byte_offset }));
        self.places.remove(&to);
        self.places.extend(place.map(|place| (to, place)));
    }

    /// Expresses an address relative to the base from which its register was computed.
    fn resolved(&self, place: AddressExpr) -> AddressExpr {
        let known = match place.base {
            AddressOrigin::Register(register) => self.places.get(&register),
            AddressOrigin::Variable(_) | AddressOrigin::Absolute => None,
        };
        known.map_or(place, |known| AddressExpr {
            base: known.base,
            byte_offset: known.byte_offset.wrapping_add(place.byte_offset),
        })
    }

    fn expect(&mut self, value: SourceValue) {
        // If no copy follows an expect-tx operation, the operation applies to the preceding copies.
        if self.expected.is_some() && !self.waiting.is_empty() {
            self.close();
        }
        self.expected = self.known(value);
    }

    fn known(&self, value: SourceValue) -> Option<u64> {
        match value {
            SourceValue::Constant(bits) => Some(bits),
            SourceValue::Register(register) => self.constants.get(&register).copied(),
            SourceValue::Variable(..) | SourceValue::Special(_) | SourceValue::Other => None,
        }
    }

    /// Assigns the waiting loads to the last expect-tx operation.
    fn close(&mut self) {
        self.groups.push(TransactionGroup {
            bytes: self.expected,
            copies: std::mem::take(&mut self.waiting),
        });
    }

    fn finish(mut self) -> Vec<TensorMapUse> {
        self.close();
        let mut shares = Vec::new();
        for group in &self.groups {
            if let Some(bytes) = group.bytes {
                let shared = self.by_distance(group, bytes);
                let n = group.copies.len().max(1) as u64;
                let equal = || vec![bytes / n; group.copies.len()];
                let shared = shared.unwrap_or_else(equal);
                shares.extend(group.copies.iter().copied().zip(shared));
            }
        }
        for (copy, bytes) in shares {
            self.found[copy].bytes = Some(bytes);
        }
        self.found
    }

    /// Returns the number of bytes of each copy in a group, assuming that each copy ends at the start of the next destination. Returns
    /// `None` if the distances between the destinations do not add up to the expected number of bytes.
    fn by_distance(&self, group: &TransactionGroup, bytes: u64) -> Option<Vec<u64>> {
        let distances = group.copies.iter().map(|copy| {
            let own = self.found[*copy].to?;
            let places = self.found.iter().filter_map(|copy| copy.to);
            let after = places.filter(|place| place.base == own.base);
            let after = after.map(|place| place.byte_offset.wrapping_sub(own.byte_offset));
            after
                .filter(|distance| *distance > 0)
                .min()?
                .try_into()
                .ok()
        });
        let distances: Vec<Option<u64>> = distances.collect();
        let known = distances.iter().flatten();
        let known = known.fold(0u64, |sum, bytes| sum.saturating_add(*bytes));
        let rest = bytes.checked_sub(known)?;
        match distances.iter().filter(|bytes| bytes.is_none()).count() {
            0 if rest == 0 => distances.into_iter().collect(),
            // The last destination has no successor, so its copy transfers the remaining bytes.
            1 if rest > 0 && distances.len() > 1 => {
                Some(distances.into_iter().map(|b| b.unwrap_or(rest)).collect())
            }
            _ => None,
        }
    }
}
