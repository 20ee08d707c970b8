//! Diagram of a fragment, which contains the available values of the request parameters, the lane, register and memory location of each
//! cell, and the memory traffic of the operation.

use crate::analysis::traffic::access;
use crate::layouts::fragment::request::FragmentRequest;
use crate::layouts::fragment::{
    CellHolder, FragmentView, every_operation, fragment, same_targets, with_tensor_cores,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_isa::fragment::{
    FragmentMap, FragmentOp, FragmentQuery, MisalignedStride, RegisterLocation, WmmaAccess,
    all_fragments, fragment as look_up,
};
use warpgrid_isa::{MatrixLayout, MemoryGeometry};

/// Available values of each parameter of a fragment request, which the page offers to the user. The values of one parameter depend on the
/// values of the other parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentChoices {
    /// Available operations. Operations with a tensor layout follow operations with a fragment.
    pub ops: Vec<String>,
    pub shapes: Vec<String>,
    pub types: Vec<String>,
    pub targets: Vec<String>,
    pub layouts: Vec<String>,
}

/// Cell of the matrix in the diagram of a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureCell {
    /// Lanes and registers that contain the element, the lowest lane first. The list has several entries if the hardware replicates the
    /// element.
    pub holders: Vec<CellHolder>,
    /// Offset in bits of the element from the start of the matrix in memory.
    pub offset_bits: u64,
}

/// Memory traffic of all accesses of an operation to one state space, which the diagram of a fragment shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessTraffic {
    /// Size in bytes of one access of a lane. The base address and the stride must be multiples of this size.
    pub bytes: u8,
    /// Number of accesses that each lane performs.
    pub count: u8,
    /// Number of distinct sectors that the accesses touch.
    pub sectors: u32,
    /// Number of bytes in the touched sectors that belong to the matrix.
    pub used_bytes: u64,
    /// Number of shared-memory wavefronts. The field is absent if lanes exchange data before they store, because the lane that stores an
    /// element then differs from the lane that contains the element.
    pub wavefronts: Option<u32>,
    /// Minimum number of wavefronts that the accessed bytes require.
    pub fewest_wavefronts: u32,
    /// Message about a misaligned base address or stride. The field is absent if both are aligned.
    pub problem: Option<String>,
}

/// Diagram of a matrix fragment, with the parameters of its request, which the page displays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentPicture {
    /// Request that the diagram shows. Valid values replace nonexistent values of the original request, and default values replace omitted
    /// values.
    pub request: FragmentRequest,
    /// Messages about the replaced values, with the reasons for the replacement.
    pub replaced: Vec<String>,
    pub choices: FragmentChoices,
    pub title: String,
    pub formula: String,
    pub origin: String,
    /// Targets on which the operation uses the same fragment map.
    pub same_targets: Vec<String>,
    pub rows: u16,
    pub columns: u16,
    pub n_matrices: u16,
    /// Number of registers that contain each element. The number is greater than 1 if the hardware replicates elements.
    pub copies: u32,
    pub n_registers: u8,
    pub elements_per_register: u8,
    pub element_bits: u32,
    /// Distance in elements between the starts of adjacent rows of the matrix in memory, or of adjacent columns for the layout `col`.
    pub stride: u32,
    /// Cells of the diagram, ordered by matrix and within a matrix by row.
    pub cells: Vec<PictureCell>,
    /// Formula for the memory offset of an element. The field is absent for operations that access only registers.
    pub address_rule: Option<String>,
    /// Message about a stride that is so small that rows (columns) overlap. The field is absent if no rows (columns) overlap.
    pub stride_problem: Option<String>,
    /// Sizes in bytes of a sector and of a cache line of global memory.
    pub sector_bytes: u32,
    pub line_bytes: u32,
    /// Accesses to global memory. The field is present only for `wmma.load` and `wmma.store`.
    pub global: Option<AccessTraffic>,
    pub shared: Option<AccessTraffic>,
}

/// Returns the diagram of the existing fragment that is nearest to `request`. The matrix starts `base_bytes` bytes after a 256-byte
/// boundary. Returns `None` only if the tables contain no fragment.
pub fn picture(request: &FragmentRequest, base_bytes: u64) -> Option<FragmentPicture> {
    let all = everything();
    let mut replaced = Vec::new();
    let (query, choices) = nearest(&all, request, &mut replaced)?;
    let map = look_up(&query).ok()?;
    let choices = FragmentChoices {
        ops: every_operation().collect(),
        ..choices
    };
    let request = FragmentRequest {
        op: query.op.name().to_owned(),
        shape: query.shape.to_string(),
        ty: query.ty.name().to_owned(),
        target: query.target.name.to_owned(),
        layout: Some(map.layout.name().to_owned()),
        stride: request.stride,
        with: BTreeMap::new(),
    };
    let view = fragment(&request).ok()?;
    let has_memory = query.op.has_memory();
    let accesses = map.accesses(map.layout);
    let memory = MatrixInMemory {
        map: &map,
        stride: view.stride,
        base_bytes,
        shape: query.target.memory,
    };
    Some(FragmentPicture {
        replaced,
        choices,
        title: view.title(),
        same_targets: same_targets(&map),
        rows: view.rows,
        columns: view.cols,
        n_matrices: map.n_matrices,
        copies: view.copies,
        n_registers: view.regs,
        elements_per_register: view.elems_per_reg,
        element_bits: view.element_bits,
        stride: view.stride,
        cells: cells(&map, &view),
        address_rule: has_memory.then(|| view.address_rule()),
        stride_problem: view.stride_problem().filter(|_| has_memory),
        sector_bytes: query.target.memory.sector_bytes,
        line_bytes: query.target.memory.line_bytes,
        global: accesses.map(|accesses| memory.traffic(accesses.global)),
        shared: accesses.map(|accesses| memory.traffic(accesses.shared)),
        formula: view.formula,
        origin: view.origin,
        request,
    })
}

/// Returns the queries of all fragments on all targets that the user can select.
fn everything() -> Vec<FragmentQuery> {
    with_tensor_cores().flat_map(all_fragments).collect()
}

/// Returns the existing query that is nearest to `request`. For each parameter in turn, the function selects the requested value if it
/// exists, otherwise the first existing value.
fn nearest(
    all: &[FragmentQuery],
    request: &FragmentRequest,
    replaced: &mut Vec<String>,
) -> Option<(FragmentQuery, FragmentChoices)> {
    let mut left: Vec<&FragmentQuery> = all.iter().collect();
    let wanted_op = FragmentOp::from_name(&request.op).map_or(request.op.as_str(), |op| op.name());
    let mut take = |name: fn(&FragmentQuery) -> String, what: &str, wanted: Option<&str>| {
        let mut known: Vec<String> = Vec::new();
        for found in left.iter().map(|query| name(query)) {
            if !known.contains(&found) {
                known.push(found);
            }
        }
        let first = known.first()?.clone();
        let chosen = match wanted.filter(|wanted| !wanted.is_empty()) {
            Some(wanted) if known.iter().any(|name| name == wanted) => wanted.to_owned(),
            Some(wanted) => {
                replaced.push(format!("Unknown {what} `{wanted}`; showing `{first}`."));
                first
            }
            None => first,
        };
        left.retain(|query| name(query) == chosen);
        Some(known)
    };
    let choices = FragmentChoices {
        ops: take(
            |query| query.op.name().to_owned(),
            "operation",
            Some(wanted_op),
        )?,
        shapes: take(
            |query| query.shape.to_string(),
            "shape",
            Some(&request.shape),
        )?,
        types: take(
            |query| query.ty.name().to_owned(),
            "type",
            Some(request.ty.trim_start_matches('.')),
        )?,
        targets: take(
            |query| query.target.name.to_owned(),
            "target",
            Some(&request.target),
        )?,
        layouts: take(
            |query| query.layout.map_or("", MatrixLayout::name).to_owned(),
            "layout",
            request.layout.as_deref(),
        )?,
    };
    Some((**left.first()?, choices))
}

/// Returns the cells of the diagram with the memory offsets of their elements.
fn cells(map: &FragmentMap, view: &FragmentView) -> Vec<PictureCell> {
    let holders = view.owners_by_cell();
    let offset = |holder: &CellHolder| {
        let place = map.place(RegisterLocation {
            lane: holder.lane,
            register: holder.register,
            element: holder.element,
        });
        map.offset_bits(place, map.layout, view.stride)
    };
    let cell = |holders: Vec<CellHolder>| PictureCell {
        offset_bits: holders.first().map_or(0, offset),
        holders,
    };
    holders.into_iter().map(cell).collect()
}

/// Matrix of a fragment in memory, with its base address and stride.
struct MatrixInMemory<'a> {
    map: &'a FragmentMap,
    stride: u32,
    base_bytes: u64,
    shape: MemoryGeometry,
}

impl MatrixInMemory<'_> {
    fn address_bits(&self, holder: RegisterLocation) -> u64 {
        let place = self.map.place(holder);
        self.base_bytes * 8 + self.map.offset_bits(place, self.map.layout, self.stride)
    }

    fn traffic(&self, access: WmmaAccess) -> AccessTraffic {
        let (sectors, used_bytes) = self.sectors(access);
        let per_wavefront = u64::from(self.shape.banks * self.shape.bank_bytes);
        AccessTraffic {
            bytes: access.bytes,
            count: access.count,
            sectors: sectors as u32,
            used_bytes,
            wavefronts: self.wavefronts(access),
            fewest_wavefronts: (32 * u64::from(access.bytes) * u64::from(access.count))
                .div_ceil(per_wavefront) as u32,
            problem: self.problem(access),
        }
    }

    /// Returns a message if the base address or the stride is misaligned for `access`.
    fn problem(&self, access: WmmaAccess) -> Option<String> {
        let bytes = u64::from(access.bytes);
        let stride_bits = u64::from(self.stride) * u64::from(self.map.element_bits());
        if !self.base_bytes.is_multiple_of(bytes) {
            return Some(format!(
                "the access is misaligned, because the base is not a multiple of the access size of {bytes} bytes"
            ));
        }
        let short = access.short_stride?;
        (!stride_bits.is_multiple_of(bytes * 8)).then(|| {
            let consequence = match short {
                MisalignedStride::Fault => "the launch faults",
                MisalignedStride::Moved => "some rows are stored at different addresses",
            };
            format!(
                "the stride is not a multiple of the access size of {bytes} bytes, so {consequence}"
            )
        })
    }

    /// Returns the number of sectors and the number of distinct bytes that the accesses of the operation touch, both summed over all
    /// accesses.
    fn sectors(&self, access: WmmaAccess) -> (u64, u64) {
        let bits = self.map.element_bits();
        let per_register = u32::from(self.map.elements_per_register);
        let per_access = (access.lane_bytes() * 8 / bits.max(1)).max(1);
        let mut starts: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for holder in self.map.holders() {
            let number = u32::from(holder.register) * per_register + u32::from(holder.element);
            let first = self.address_bits(holder);
            let of_access = starts.entry(number / per_access).or_default();
            of_access.extend(first / 8..=(first + u64::from(bits) - 1) / 8);
        }
        let counts = starts
            .values()
            .map(|bytes| access::sectors_of(bytes, 1, self.shape));
        counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
    }

    /// Returns the number of shared-memory wavefronts, summed over all accesses of the operation.
    fn wavefronts(&self, access: WmmaAccess) -> Option<u32> {
        let n_elements = usize::from(access.bytes) * 8 / self.map.element_bits() as usize;
        let per_register = usize::from(self.map.elements_per_register);
        let n_read = usize::from(self.map.n_read_registers) * per_register;
        if n_elements == 0 || n_read != n_elements * usize::from(access.count) {
            return None;
        }
        let starts = (0..usize::from(access.count)).map(|number| {
            let of_lane =
                |lane: u8| self.start(lane, number * n_elements, n_elements, per_register);
            (0..32).map(of_lane).collect::<Option<Vec<u64>>>()
        });
        starts
            .map(|starts| {
                Some(access::wavefronts_of(
                    &starts?,
                    u32::from(access.bytes),
                    self.shape,
                ))
            })
            .sum()
    }

    /// Returns the address of an access of `lane` that transfers `n` elements starting at element `first`, or `None` if these elements are
    /// not contiguous in memory.
    fn start(&self, lane: u8, first: usize, n: usize, per_register: usize) -> Option<u64> {
        let at = |number: usize| {
            self.address_bits(RegisterLocation {
                lane,
                register: (number / per_register) as u8,
                element: (number % per_register) as u8,
            })
        };
        let bits = u64::from(self.map.element_bits());
        let start = at(first);
        (0..n)
            .all(|i| at(first + i) == start + i as u64 * bits)
            .then_some(start / 8)
    }
}
