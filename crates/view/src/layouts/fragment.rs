//! Layouts of matrix fragments in registers. The module takes the parameters of a query, and returns the mapping from lane and register to
//! matrix element, as plain data, as a text table and as a drawing.

pub(crate) mod grid_drawing;
pub(crate) mod picture;
#[cfg(test)]
mod picture_tests;
pub(crate) mod request;
pub(crate) mod svg;
pub(crate) mod table;

pub use crate::layouts::fragment::picture::{
    AccessTraffic, FragmentChoices, FragmentPicture, PictureCell, picture,
};
pub use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
pub use crate::layouts::fragment::svg::svg;
pub use crate::layouts::fragment::table::table;

use crate::layouts::tensor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_isa::fragment::{
    ElementCoord, FragmentMap, FragmentOp, FragmentQuery, MatrixOperand, RegisterLocation, Shape,
    VARIABLES, WmmaAccess, fragment as look_up,
};
use warpgrid_isa::target::{TARGETS, TargetRequirement};
use warpgrid_isa::{FactSource, MatrixLayout, ScalarType, Target};

/// Matrix element `[row, col]` for each lane, each register, and each position in the register (low bits first).
pub type LaneMap = Vec<Vec<Vec<[u16; 2]>>>;

/// Layout of a matrix fragment in registers, which hosts display. The field `format` and all later fields form the contents of a
/// fragment-map file that contains this layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FragmentView {
    pub op: String,
    pub shape: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub target: String,
    /// Layout of the matrix in memory: `row` or `col`.
    pub layout: String,
    /// Distance in elements between the starts of adjacent rows of the matrix in memory, or of adjacent columns for the layout `col`.
    pub stride: u32,
    /// Size of a matrix element in bits.
    pub element_bits: u32,
    /// Source of the fragment map: "assembler 13.5" (derived from compiled code) or "PTX ISA".
    pub origin: String,
    /// Number of registers that contain each element. The number is greater than 1 if the hardware replicates elements.
    pub copies: u32,
    pub rows: u16,
    pub cols: u16,
    pub regs: u8,
    pub elems_per_reg: u8,
    pub formula: String,
    pub lanes: LaneMap,
    /// Memory offset of each element from the start of the matrix, in elements and in the order of `lanes`.
    pub offsets: Vec<Vec<Vec<u64>>>,
    /// Index of the matrix that contains each element, in the order of `lanes`, if the operation has several matrices (`ldmatrix.x4`,
    /// `mma.m8n8k4`).
    pub matrices: Option<Vec<Vec<Vec<u16>>>>,
    /// Version of the fragment-map file format, which is 1.
    pub format: u32,
    /// Meaning of the variables in the formulas of the map.
    pub variables: BTreeMap<String, String>,
    pub maps: BTreeMap<String, FragmentMapEntry>,
    pub fragments: Vec<FragmentEntry>,
    pub access: Vec<AccessEntry>,
}

/// Entry of a fragment-map file, which consists of one map and the operations that use the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FragmentMapEntry {
    pub rows: u16,
    pub cols: u16,
    pub regs: u8,
    pub elems_per_reg: u8,
    pub formula: String,
    pub lanes: LaneMap,
}

/// Operation that uses the fragment map of a [`FragmentMapEntry`], with its targets and memory accesses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FragmentEntry {
    pub op: String,
    pub shape: String,
    #[serde(rename = "type")]
    pub ty: String,
    /// Targets on which the operation uses the map.
    pub archs: Vec<String>,
    pub layouts: Vec<String>,
    /// Family of the fragment map: `quad-pair` or `group`.
    pub family: String,
    pub regs: u8,
    pub elems_per_reg: u8,
    /// Default stride in elements for each layout of the matrix in memory.
    pub default_stride: BTreeMap<String, u32>,
    pub map: String,
    /// Number of registers, from the first register of the fragment, that `wmma.mma` reads. The field is present for operands A and B of
    /// shapes whose fragments contain copies of elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mma_reads: Option<u8>,
}

/// Memory accesses in the compiled code of an operation, by state space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AccessEntry {
    pub op: String,
    pub shape: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub layout: String,
    pub archs: Vec<String>,
    /// Accesses to global memory, or with generic addresses.
    pub global: AccessView,
    pub shared: AccessView,
}

/// Number and width of the accesses of an operation to one state space in its compiled code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AccessView {
    /// Size in bytes of the widest access. The address and the stride must be multiples of this size.
    pub bytes: u8,
    pub count: u8,
    /// Effect of a misaligned stride: `fault` if the access faults, or `moved` if the operation stores rows at other addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_stride: Option<String>,
}

/// Returns the fragment layout that `request` describes.
pub fn fragment(request: &FragmentRequest) -> Result<FragmentView, FragmentRequestError> {
    let query = read(request)?;
    let refuse = |error: warpgrid_isa::fragment::FragmentError| FragmentRequestError {
        message: error.to_string(),
    };
    let map = look_up(&query).map_err(refuse)?;
    let stride = request
        .stride
        .unwrap_or_else(|| map.default_stride_elements(map.layout));
    let by_lane = PositionsByLane(&map);
    let lanes = by_lane.collect(|place| [place.row, place.column]);
    let archs = same_targets(&map);
    let name = map.name();
    let formula = map.formula.to_string();
    Ok(FragmentView {
        op: query.op.name().to_owned(),
        shape: query.shape.to_string(),
        ty: query.ty.name().to_owned(),
        target: query.target.name.to_owned(),
        layout: map.layout.name().to_owned(),
        stride,
        element_bits: map.element_bits(),
        origin: origin(map.origin),
        copies: map
            .cells()
            .first()
            .map_or(0, |holders| holders.len() as u32),
        rows: map.rows,
        cols: map.columns,
        regs: map.n_registers,
        elems_per_reg: map.elements_per_register,
        formula: formula.clone(),
        offsets: by_lane.collect(|place| map.offset_elements(place, map.layout, stride)),
        matrices: (map.n_matrices > 1).then(|| by_lane.collect(|place| place.matrix)),
        format: 1,
        variables: by_name(
            VARIABLES
                .iter()
                .map(|(letter, meaning)| (*letter, (*meaning).to_owned())),
        ),
        maps: by_name([(
            name.as_str(),
            FragmentMapEntry {
                rows: map.rows,
                cols: map.columns,
                regs: map.n_registers,
                elems_per_reg: map.elements_per_register,
                formula,
                lanes: lanes.clone(),
            },
        )]),
        fragments: vec![entry(&map, &archs, name)],
        access: accesses(&map),
        lanes,
    })
}

/// Collects entries into a map by individual insertions. The method `collect` would sort the entries first, and its sorting code would add
/// 4 KB per entry type to the WebAssembly module of the page.
fn by_name<'n, T>(entries: impl IntoIterator<Item = (&'n str, T)>) -> BTreeMap<String, T> {
    let mut all = BTreeMap::new();
    for (name, entry) in entries {
        all.insert(name.to_owned(), entry);
    }
    all
}

/// Returns the names of all operations that have a fragment layout or another layout.
pub fn every_operation() -> impl Iterator<Item = String> {
    let fragments = FragmentOp::ALL.iter().map(|op| op.name());
    let layouts = tensor::operations().chain(crate::layouts::inspector::picture::operations());
    fragments.chain(layouts).map(str::to_owned)
}

/// Returns an error for the unknown value `found` of the parameter `what`. The error lists the accepted values `known`.
fn unknown(what: &str, found: &str, known: impl Iterator<Item = String>) -> FragmentRequestError {
    let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
    FragmentRequestError {
        message: format!("found {what} `{found}`, expected {}", known.join(", ")),
    }
}

fn read(request: &FragmentRequest) -> Result<FragmentQuery, FragmentRequestError> {
    let op = FragmentOp::from_name(&request.op)
        .ok_or_else(|| unknown("operation on fragments", &request.op, every_operation()))?;
    let shape = Shape::from_name(&request.shape).ok_or_else(|| FragmentRequestError {
        message: format!(
            "found the shape `{}`, expected a shape such as `m16n16k16`",
            request.shape
        ),
    })?;
    let ty = ScalarType::from_name(request.ty.trim_start_matches('.')).ok_or_else(|| {
        FragmentRequestError {
            message: format!(
                "found the type `{}`, expected a type such as `f16`",
                request.ty
            ),
        }
    })?;
    let target = match request.target.as_str() {
        // If the request specifies no target, the code below selects the newest target that supports the fragment.
        "" => None,
        name => Some(Target::from_name(name).ok_or_else(|| {
            let names = with_tensor_cores().map(|target| target.name.to_owned());
            unknown("target", name, names)
        })?),
    };
    let layout = match request.layout.as_deref() {
        None => None,
        Some("row") => Some(MatrixLayout::Row),
        Some("col") => Some(MatrixLayout::Col),
        Some(other) => {
            let names = ["row", "col"].map(str::to_owned);
            return Err(unknown("layout", other, names.into_iter()));
        }
    };
    let on = |target: &Target| FragmentQuery {
        op,
        shape,
        ty,
        layout,
        target: *target,
    };
    let newest = with_tensor_cores().last().unwrap_or(&TARGETS[0]);
    let queries = with_tensor_cores().map(on);
    let found = || queries.filter(|query| look_up(query).is_ok()).last();
    Ok(match target {
        Some(target) => on(target),
        None => found().unwrap_or_else(|| on(newest)),
    })
}

/// Returns the targets with Tensor Cores. The result excludes architecture-specific and family-specific targets such as `sm_90a`.
pub(crate) fn with_tensor_cores() -> impl Iterator<Item = &'static Target> {
    let is_plain = |target: &&Target| target.name.ends_with(|last: char| last.is_ascii_digit());
    TARGETS
        .iter()
        .filter(|target| TargetRequirement::From(70).met_by(target))
        .filter(is_plain)
}

/// Returns the targets on which the operation of `map` uses the same fragment map.
pub(crate) fn same_targets(map: &FragmentMap) -> Vec<String> {
    with_tensor_cores()
        .filter(|target| {
            let query = FragmentQuery {
                target: **target,
                ..map.query
            };
            look_up(&query).is_ok_and(|other| other.formula == map.formula)
        })
        .map(|target| target.name.to_owned())
        .collect()
}

/// Matrix positions of the elements of a map, ordered by lane, register and position in the register.
struct PositionsByLane<'a>(&'a FragmentMap);

impl PositionsByLane<'_> {
    fn collect<T>(&self, value: impl Fn(ElementCoord) -> T) -> Vec<Vec<Vec<T>>> {
        let holder = |lane, register, element| RegisterLocation {
            lane,
            register,
            element,
        };
        let at = |lane, register| -> Vec<T> {
            (0..self.0.elements_per_register)
                .map(|element| value(self.0.place(holder(lane, register, element))))
                .collect()
        };
        (0..32)
            .map(|lane| {
                (0..self.0.n_registers)
                    .map(|register| at(lane, register))
                    .collect()
            })
            .collect()
    }
}

fn entry(map: &FragmentMap, archs: &[String], name: String) -> FragmentEntry {
    let FragmentQuery { op, shape, ty, .. } = map.query;
    // In the 8x8 shapes of `wmma`, operands A and B have only one register, so `wmma.mma` reads all registers.
    let has_reads = op.is_wmma()
        && matches!(op.matrix(), MatrixOperand::A | MatrixOperand::B)
        && (shape.m, shape.n) != (8, 8);
    FragmentEntry {
        op: op.name().to_owned(),
        shape: shape.to_string(),
        ty: ty.name().to_owned(),
        archs: archs.to_vec(),
        layouts: map
            .layouts
            .iter()
            .map(|layout| layout.name().to_owned())
            .collect(),
        family: map.family.name().to_owned(),
        regs: map.n_registers,
        elems_per_reg: map.elements_per_register,
        default_stride: by_name(
            map.layouts
                .iter()
                .map(|layout| (layout.name(), map.default_stride_elements(*layout))),
        ),
        map: name,
        mma_reads: has_reads.then_some(map.n_read_registers),
    }
}

/// Returns the memory accesses of the operation of `map` for each layout of the matrix in memory.
fn accesses(map: &FragmentMap) -> Vec<AccessEntry> {
    let view = |access: WmmaAccess| AccessView {
        bytes: access.bytes,
        count: access.count,
        short_stride: access.short_stride.map(|short| short.name().to_owned()),
    };
    let same = |layout: MatrixLayout| {
        let accesses = map.accesses(layout);
        let is_same = |target: &&Target| {
            let query = FragmentQuery {
                target: **target,
                layout: Some(layout),
                ..map.query
            };
            look_up(&query).is_ok_and(|other| other.accesses(layout) == accesses)
        };
        with_tensor_cores()
            .filter(is_same)
            .map(|target| target.name.to_owned())
            .collect()
    };
    let entries = map.layouts.iter().filter_map(|layout| {
        let accesses = map.accesses(*layout)?;
        Some(AccessEntry {
            op: map.query.op.name().to_owned(),
            shape: map.query.shape.to_string(),
            ty: map.query.ty.name().to_owned(),
            layout: layout.name().to_owned(),
            archs: same(*layout),
            global: view(accesses.global),
            shared: view(accesses.shared),
        })
    });
    entries.collect()
}

fn origin(origin: FactSource) -> String {
    match origin {
        FactSource::Documented => "PTX ISA".to_owned(),
        FactSource::Assembler(version) => format!("compiled code of assembler {version}"),
        FactSource::Measured(target) => format!("measured on `{target}`"),
    }
}

/// Lane and register that contain a matrix element in a [`FragmentView`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellHolder {
    pub lane: u8,
    pub register: u8,
    pub element: u8,
}

impl FragmentView {
    /// Returns the number of matrices that the fragment contains.
    pub fn n_matrices(&self) -> usize {
        let lanes = self.matrices.iter().flatten().flatten().flatten();
        lanes.max().map_or(1, |last| usize::from(*last) + 1)
    }

    /// Returns the lanes and registers that contain each matrix element, the lowest lane first. The elements are ordered by matrix, and
    /// within a matrix by row.
    pub fn owners_by_cell(&self) -> Vec<Vec<CellHolder>> {
        let (rows, columns) = (usize::from(self.rows), usize::from(self.cols));
        let mut cells = vec![Vec::new(); self.n_matrices() * rows * columns];
        for (lane, registers) in self.lanes.iter().enumerate() {
            for (register, elements) in registers.iter().enumerate() {
                for (element, [row, column]) in elements.iter().enumerate() {
                    let matrix = self.matrices.as_ref().and_then(|all| {
                        let matrix = all.get(lane)?.get(register)?.get(element)?;
                        Some(usize::from(*matrix))
                    });
                    let row = matrix.unwrap_or(0) * rows + usize::from(*row);
                    if let Some(cell) = cells.get_mut(row * columns + usize::from(*column)) {
                        cell.push(CellHolder {
                            lane: lane as u8,
                            register: register as u8,
                            element: element as u8,
                        });
                    }
                }
            }
        }
        cells
    }

    /// Returns the name of the instruction or operand that the view describes: `wmma.store.d`, `mma.a`.
    pub fn title(&self) -> String {
        let prefix = if self.op.starts_with("store") || self.op.starts_with("load") {
            "wmma."
        } else {
            ""
        };
        format!(
            "{prefix}{} {} {}, {}",
            self.op, self.shape, self.ty, self.target
        )
    }

    /// Returns the memory offset of an element as a formula. The formula contains the stride that the request specifies.
    pub fn address_rule(&self) -> String {
        let (major, minor) = if self.layout == "row" {
            ("row", "col")
        } else {
            ("col", "row")
        };
        // The instruction `ldmatrix` unpacks elements with less than 8 bits, so the size of these elements in memory differs from their
        // size in the register.
        if self.element_bits < 8 && self.elems_per_reg == 4 {
            let bits = self.element_bits;
            return format!("{major}*{} + {minor}*{bits} / 8", self.stride);
        }
        let elements = format!("{major}*{} + {minor}", self.stride);
        match self.element_bits {
            8 => elements,
            bits if bits < 8 => format!("({elements}) / {}", 8 / bits),
            bits => format!("{} * ({elements})", bits / 8),
        }
    }

    /// Returns a message if the stride is so small that rows (columns) of the matrix overlap in memory.
    pub fn stride_problem(&self) -> Option<String> {
        let (length, what) = if self.layout == "row" {
            (self.cols, "rows")
        } else {
            (self.rows, "columns")
        };
        (self.stride < u32::from(length)).then(|| {
            format!(
                "{what} overlap: the stride is {}, a {} has {length} elements",
                self.stride,
                what.trim_end_matches('s')
            )
        })
    }
}
