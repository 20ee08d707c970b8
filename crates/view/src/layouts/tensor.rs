//! Layouts of tensor instructions: the location of each element of an operand matrix, accumulator, metadata or scale factors in registers
//! of a warpgroup, shared memory or tensor memory. The module takes query parameters, and returns a grid with the locations of each
//! element, as plain data, as a text table and as a drawing. The emulator uses the same layout functions ([`warpgrid_isa::tensor_layout`])
//! to transfer data.

pub(crate) mod descriptor_literal;
pub(crate) mod drawing;
pub(crate) mod instruction_descriptor;
pub(crate) mod instruction_descriptor_lookup;
pub(crate) mod query_parameters;
pub(crate) mod registers;
pub(crate) mod shared_operand;
pub(crate) mod table;
pub(crate) mod tensor_memory;

pub use crate::layouts::tensor::descriptor_literal::{
    descriptor_link, instruction_descriptor_link,
};
pub use crate::layouts::tensor::drawing::svg;
pub use crate::layouts::tensor::instruction_descriptor_lookup::{
    DescriptorOperand, descriptor_operand,
};
pub use crate::layouts::tensor::query_parameters::LayoutParameter;
pub use crate::layouts::tensor::table::table;

use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::registers::SparseOperation;
use crate::layouts::tensor::tensor_memory::MoveDirection;
use serde::{Deserialize, Serialize};

/// Operation or operand of a tensor instruction whose layout the user can request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayoutOp {
    /// Operand A of `wgmma` in registers.
    WarpgroupA,
    /// Accumulator of `wgmma`.
    WarpgroupD,
    /// Sparsity metadata of operand A of `wgmma`.
    WarpgroupMetadata,
    /// Sparsity metadata of operand A of `mma.sp`.
    WarpMetadata,
    /// Operand A or B of `wgmma` in shared memory.
    WarpgroupShared(Operand),
    /// Transfer between registers and tensor memory by `tcgen05.ld` or `tcgen05.st`.
    Move(MoveDirection),
    /// Copy of rows to tensor memory by `tcgen05.cp`.
    Copy,
    /// Accumulator of `tcgen05.mma`.
    TensorD,
    /// Operand A of `tcgen05.mma` in tensor memory.
    TensorA,
    /// Operand A or B of `tcgen05.mma` in shared memory.
    TensorShared(Operand),
    /// Scale factors of the rows of A or of the columns of B in tensor memory.
    Scale(Operand),
    /// Sparsity metadata of operand A of `tcgen05.mma`.
    TensorMetadata,
    /// Instruction descriptor of `tcgen05.mma`.
    InstructionDescriptor,
}

/// Factor of an MMA instruction whose layout is requested: A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    A,
    B,
}

/// All operations that have a layout, with their names, in the order of the documentation.
const OPS: [(&str, LayoutOp); 17] = [
    ("wgmma.a", LayoutOp::WarpgroupA),
    ("wgmma.d", LayoutOp::WarpgroupD),
    ("wgmma.metadata", LayoutOp::WarpgroupMetadata),
    ("wgmma.shared.a", LayoutOp::WarpgroupShared(Operand::A)),
    ("wgmma.shared.b", LayoutOp::WarpgroupShared(Operand::B)),
    ("mma.metadata", LayoutOp::WarpMetadata),
    ("tcgen05.ld", LayoutOp::Move(MoveDirection::Load)),
    ("tcgen05.st", LayoutOp::Move(MoveDirection::Store)),
    ("tcgen05.cp", LayoutOp::Copy),
    ("tcgen05.d", LayoutOp::TensorD),
    ("tcgen05.a", LayoutOp::TensorA),
    ("tcgen05.shared.a", LayoutOp::TensorShared(Operand::A)),
    ("tcgen05.shared.b", LayoutOp::TensorShared(Operand::B)),
    ("tcgen05.scale.a", LayoutOp::Scale(Operand::A)),
    ("tcgen05.scale.b", LayoutOp::Scale(Operand::B)),
    ("tcgen05.metadata", LayoutOp::TensorMetadata),
    ("tcgen05.idesc", LayoutOp::InstructionDescriptor),
];

/// Returns the names of the operations that have a layout, such as `wgmma.d` and `tcgen05.ld`.
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPS.iter().map(|(name, _)| *name)
}

/// Checks whether an operation has a tensor layout. All other operations have fragments.
pub fn has_layout(op: &str) -> bool {
    OPS.iter().any(|(name, _)| *name == op)
}

/// Location of an element as a list of numbers. [`LayoutView::place`] contains the names of the numbers, for example thread, register and
/// element.
pub type ElementLocation = Vec<u32>;

/// Layout of the elements of an operand or of a layout expression, which hosts display as a grid with formulas and notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LayoutView {
    /// Name of the operation: `wgmma.d`.
    pub op: String,
    /// Title of the layout.
    pub title: String,
    /// Parameters of the request, with the possible values of each parameter.
    pub parameters: Vec<LayoutParameter>,
    /// Closed-form formula of the mapping from an element to its location.
    pub rule: String,
    /// Meaning of the variables in the formula.
    pub letters: String,
    /// Notes on the layout, such as undocumented behavior or unread elements.
    pub notes: Vec<String>,
    /// Sources of the mapping: "PTX ISA, CuTe".
    pub origin: String,
    /// Confidence in the mapping: `high`, or `medium` if the sources are incomplete.
    #[serde(rename = "sure")]
    pub confidence: String,
    pub rows: u32,
    pub columns: u32,
    /// Meaning of a row of the grid: `row`, `lane`, `column of B`.
    pub row_name: String,
    pub column_name: String,
    /// Size of an element in bits.
    pub element_bits: u32,
    /// Names of the numbers that form the location of an element.
    pub place: Vec<String>,
    /// Locations of the element of each cell, indexed by row and column. An element has several locations if the layout requires
    /// replication. An empty cell has no location.
    pub grid: Vec<Vec<Vec<ElementLocation>>>,
    /// Element `[row, column]` for each thread, each register, and each position in the register (low bits first). The field is present
    /// only for layouts in registers.
    pub lanes: Option<Vec<Vec<Vec<[u32; 2]>>>>,
    /// Bits of the descriptor in hexadecimal. The field is absent if the layout has no descriptor.
    pub descriptor: Option<String>,
    /// Fields of the descriptor, in order from the lowest to the highest bits.
    pub fields: Vec<DescriptorField>,
    /// Cells, as `[row, column]`, whose element differs from the element in the intended layout.
    #[serde(rename = "wrong")]
    pub mismatched_cells: Vec<[u32; 2]>,
    /// PTX instructions that build the descriptor.
    pub ptx: Vec<String>,
    /// Cells, as `[row, column]`, that the selected step reads. The field is present only if the diagram also contains other cells for
    /// comparison.
    pub marked: Vec<[u32; 2]>,
    /// Links to diagrams that are related to the layout.
    pub related: Vec<RelatedLayout>,
}

/// Link to a related diagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RelatedLayout {
    /// Title of the related diagram.
    pub title: String,
    pub request: FragmentRequest,
}

/// Field of a descriptor in a [`LayoutView`], with its bit range, its value and its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DescriptorField {
    pub name: String,
    /// Indices of the lowest and the highest bit of the field.
    pub bits: [u32; 2],
    /// Value of the descriptor field.
    pub value: u32,
    /// Meaning of the field value: `128 rows`.
    pub meaning: String,
}

/// Layout that the page displays with the parameters of its request, or the reason why the requested layout does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutPicture {
    /// Request that the layout shows. Valid values replace nonexistent values of the original request.
    pub request: FragmentRequest,
    /// Messages about the replaced values, with the reasons for the replacement.
    pub replaced: Vec<String>,
    pub parameters: Vec<LayoutParameter>,
    /// All available operations. Operations with a fragment precede operations with a layout.
    pub ops: Vec<String>,
    pub view: Option<LayoutView>,
    /// Reason why the requested layout does not exist. The field is absent if the layout exists.
    pub refusal: Option<String>,
}

/// Returns the layout that `request` describes by its fields `op`, `shape` and `type`, and by the additional parameters in `with`.
pub fn layout(request: &FragmentRequest) -> Result<LayoutView, FragmentRequestError> {
    exactly(request, view)
}

/// Returns the layout nearest to `request`, or `None` if the operation has no layout. The result contains `operations` as
/// [`LayoutPicture::ops`].
pub fn picture(request: &FragmentRequest, operations: Vec<String>) -> Option<LayoutPicture> {
    has_layout(&request.op).then(|| nearest(request, view, operations))
}

/// Function that computes the layout of an operation from its query parameters.
pub(crate) type LayoutFn =
    fn(&FragmentRequest, &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError>;

/// Returns the result of the layout function `rule` for a request, or an error if a parameter of the request is invalid.
pub(crate) fn exactly(
    request: &FragmentRequest,
    rule: LayoutFn,
) -> Result<LayoutView, FragmentRequestError> {
    let mut words = QueryParams::strict(request);
    let view = rule(request, &mut words)?;
    words.finish(view)
}

/// Returns the result of the layout function `rule` for the valid request that is nearest to `request`.
pub(crate) fn nearest(
    request: &FragmentRequest,
    rule: LayoutFn,
    operations: Vec<String>,
) -> LayoutPicture {
    let mut words = QueryParams::lenient(request);
    let view = rule(request, &mut words).and_then(|view| words.finish(view));
    let (request, replaced) = words.nearest(request);
    let (view, refusal) = match view {
        Ok(view) => (Some(view), None),
        Err(refusal) => (None, Some(refusal.message)),
    };
    LayoutPicture {
        request,
        replaced,
        parameters: words.parameters,
        ops: operations,
        view,
        refusal,
    }
}

fn view(
    request: &FragmentRequest,
    words: &mut QueryParams<'_>,
) -> Result<LayoutView, FragmentRequestError> {
    let found = OPS.iter().find(|(name, _)| *name == request.op);
    let Some((name, op)) = found else {
        let known: Vec<String> = operations().map(|name| format!("`{name}`")).collect();
        return Err(refusal(format!(
            "found operation `{}`, expected {}",
            request.op,
            known.join(", ")
        )));
    };
    let view = match op {
        LayoutOp::WarpgroupA => registers::factor(words),
        LayoutOp::WarpgroupD => registers::sums(words),
        LayoutOp::WarpgroupMetadata => registers::metadata(words, SparseOperation::Wgmma),
        LayoutOp::WarpMetadata => registers::metadata(words, SparseOperation::Mma),
        LayoutOp::WarpgroupShared(factor) => shared_operand::warpgroup(words, *factor),
        LayoutOp::TensorShared(factor) => shared_operand::tensor_memory(words, *factor),
        LayoutOp::Move(direction) => tensor_memory::moved(words, *direction),
        LayoutOp::Copy => tensor_memory::copied(words),
        LayoutOp::TensorD => tensor_memory::sums(words),
        LayoutOp::TensorA => tensor_memory::factor(words),
        LayoutOp::Scale(factor) => tensor_memory::scale(words, *factor),
        LayoutOp::TensorMetadata => tensor_memory::metadata(words),
        LayoutOp::InstructionDescriptor => instruction_descriptor::instruction(words),
    }?;
    Ok(LayoutView {
        op: (*name).to_owned(),
        ..view
    })
}

pub(crate) fn refusal(message: String) -> FragmentRequestError {
    FragmentRequestError { message }
}

/// Dimensions of a matrix in registers: the number of threads, the number of registers per thread, and the number of elements per register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterShape {
    threads: usize,
    registers: usize,
    elements: usize,
}

impl LayoutView {
    /// Returns a view whose grid has the given number of rows and columns. The grid contains the locations that `places` returns for each
    /// row and column.
    pub(crate) fn from_grid(
        rows: usize,
        columns: usize,
        place: &[&str],
        places: &dyn Fn(usize, usize) -> Vec<ElementLocation>,
    ) -> LayoutView {
        LayoutView {
            origin: "PTX ISA, CuTe".to_owned(),
            confidence: "high".to_owned(),
            row_name: "row".to_owned(),
            column_name: "column".to_owned(),
            rows: rows as u32,
            columns: columns as u32,
            place: place.iter().map(|name| (*name).to_owned()).collect(),
            grid: (0..rows)
                .map(|row| (0..columns).map(|column| places(row, column)).collect())
                .collect(),
            ..LayoutView::default()
        }
    }

    /// Returns a view of a matrix in registers. For a thread, a register and a position in the register, the function `element` returns the
    /// row and column of the element. If the position contains no element, the row and column are outside of the matrix.
    fn from_registers(
        rows: usize,
        columns: usize,
        held: RegisterShape,
        element: &dyn Fn(usize, usize, usize) -> (usize, usize),
    ) -> LayoutView {
        let mut view = LayoutView::from_grid(
            rows,
            columns,
            &["thread", "register", "element"],
            &|_, _| Vec::new(),
        );
        let mut lanes = Vec::with_capacity(held.threads);
        for thread in 0..held.threads {
            let mut of_thread = Vec::with_capacity(held.registers);
            for register in 0..held.registers {
                let mut of_register = Vec::with_capacity(held.elements);
                for position in 0..held.elements {
                    let (row, column) = element(thread, register, position);
                    of_register.push([row as u32, column as u32]);
                    let row = view.grid.get_mut(row);
                    if let Some(cell) = row.and_then(|row| row.get_mut(column)) {
                        cell.push(vec![thread as u32, register as u32, position as u32]);
                    }
                }
                of_thread.push(of_register);
            }
            lanes.push(of_thread);
        }
        view.lanes = Some(lanes);
        view
    }

    /// Checks whether the locations in the view are registers of threads.
    pub fn is_in_registers(&self) -> bool {
        self.place.first().is_some_and(|name| name == "thread")
    }

    /// Formats a location as a short label of a cell. The first line of the label contains the thread, lane or byte, and the second line
    /// contains the remaining numbers.
    pub fn label(&self, place: &[u32]) -> (String, String) {
        let number = |at: usize| place.get(at).copied().unwrap_or(0);
        let names: Vec<&str> = self.place.iter().map(String::as_str).collect();
        match names[..] {
            ["thread", "register", "element"] if self.elements_per_register() == 1 => {
                (format!("T{}", number(0)), format!("r{}", number(1)))
            }
            ["thread", "register", "element"] => (
                format!("T{}", number(0)),
                format!("r{}.{}", number(1), number(2)),
            ),
            ["thread", "bit"] => (format!("T{}", number(0)), format!("b{}", number(1))),
            ["byte" | "offset" | "bank" | "element" | "nothing"] => {
                (number(0).to_string(), String::new())
            }
            [first, ..] if first.starts_with("coordinate") => {
                let numbers: Vec<String> = place.iter().map(u32::to_string).collect();
                (numbers.join(","), String::new())
            }
            ["row" | "column", "k"] => (number(0).to_string(), format!("k{}", number(1))),
            ["lane", "now"] if number(0) == number(1) => (format!("T{}", number(0)), String::new()),
            ["lane", "now"] => (format!("T{}", number(0)), format!("in T{}", number(1))),
            ["byte", "bit"] => (number(0).to_string(), format!("b{}", number(1))),
            ["lane", "column"] => (format!("L{}", number(0)), format!("c{}", number(1))),
            ["lane", "column", _] => (
                format!("L{}", number(0)),
                format!("c{}.{}", number(1), number(2)),
            ),
            ["block", "lane", "column"] => (
                format!("L{}", number(1)),
                match number(0) {
                    0 => format!("c{}", number(2)),
                    block => format!("c{} B{block}", number(2)),
                },
            ),
            ["block", "lane", "column", _] => (
                format!("L{}", number(1)),
                format!("c{}.{}", number(2), number(3)),
            ),
            _ => (String::new(), String::new()),
        }
    }

    fn elements_per_register(&self) -> usize {
        let first = self.lanes.iter().flatten().flatten().next();
        first.map_or(1, Vec::len)
    }

    /// Formats a location in words: `thread 5, register 3`.
    pub fn place_words(&self, place: &[u32]) -> String {
        let only = self.is_in_registers() && self.elements_per_register() == 1;
        let named: Vec<String> = self
            .place
            .iter()
            .zip(place)
            .filter(|(name, _)| !(only && *name == "element"))
            .map(|(name, number)| format!("{name} {number}"))
            .collect();
        named.join(", ")
    }

    /// Formats the locations of the element in a cell.
    pub fn describe(&self, row: usize, column: usize) -> Option<String> {
        let places = self.grid.get(row)?.get(column)?;
        let all: Vec<String> = places.iter().map(|place| self.place_words(place)).collect();
        let locations = match all.is_empty() {
            true => "nothing".to_owned(),
            false => all.join("; "),
        };
        Some(format!(
            "{} {row}, {} {column}: {locations}",
            self.row_name, self.column_name
        ))
    }

    /// Returns the index of the color of a cell among 32 colors. The color represents the thread or lane of the element. For layouts in
    /// shared memory, the color represents the 16-byte chunk within the matrix, so that the effect of a swizzle is visible.
    pub fn colour(&self, row: usize, column: usize) -> u8 {
        let place = self
            .grid
            .get(row)
            .and_then(|row| row.get(column)?.first())
            .map_or(&[][..], Vec::as_slice);
        let first = place.first().copied().unwrap_or(0);
        let number = match self.place.first().map(String::as_str) {
            Some("byte") => {
                let along_rows = self.value("major") == Some("mn");
                let along = if along_rows { row } else { column };
                // Multiply by 4, so that adjacent chunks have distinguishable colors.
                4 * (along as u32 * self.element_bits / 128)
            }
            // Derive the color of a chunk from the contiguous index, so that the effect of a swizzle is visible.
            Some("row" | "column") => {
                let at = usize::from(self.value("major") != Some("mn"));
                let along = place.get(at).copied().unwrap_or(0);
                4 * (along * self.element_bits / 128)
            }
            Some("block") => place.get(1).copied().unwrap_or(0),
            _ => first,
        };
        (number % 32) as u8
    }

    /// Returns the value of the parameter `name` in the request, or its default value.
    pub fn value(&self, name: &str) -> Option<&str> {
        let found = self
            .parameters
            .iter()
            .find(|parameter| parameter.name == name)?;
        Some(&found.value)
    }
}
