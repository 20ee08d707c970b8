//! Layouts of tensor instructions for the screen: where each element of a factor, of the sums, of metadata or of scale factors lies, in
//! registers of a warpgroup, in shared memory or in tensor memory. Words of a query go in; a grid with the places of each element comes
//! out, as plain data, as a text table and as a drawing. The rules are those by which the emulator moves data
//! ([`warpgrid_isa::layout`]).

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

use crate::layouts::fragment::request::{FragmentRefusal, FragmentRequest};
use crate::layouts::tensor::query_parameters::Words;
use crate::layouts::tensor::registers::SparseOperation;
use crate::layouts::tensor::tensor_memory::MoveDirection;
use serde::{Deserialize, Serialize};

/// What has a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayoutOp {
    /// A of `wgmma` in registers.
    WarpgroupA,
    /// The sums of `wgmma`.
    WarpgroupD,
    /// Which elements a sparse A of `wgmma` has.
    WarpgroupMetadata,
    /// Which elements A of `mma.sp` has.
    WarpMetadata,
    /// A or B of `wgmma` in shared memory.
    WarpgroupShared(Factor),
    /// Registers of `tcgen05.ld` or `tcgen05.st`.
    Move(MoveDirection),
    /// Rows that `tcgen05.cp` copies.
    Copy,
    /// The sums of `tcgen05.mma`.
    TensorD,
    /// A of `tcgen05.mma` in tensor memory.
    TensorA,
    /// A or B of `tcgen05.mma` in shared memory.
    TensorShared(Factor),
    /// Scale factors of the rows of A or of the columns of B.
    Scale(Factor),
    /// Which elements a sparse A of `tcgen05.mma` has.
    TensorMetadata,
    /// The instruction descriptor of `tcgen05.mma`.
    InstructionDescriptor,
}

/// A factor of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    A,
    B,
}

/// Every operation with its name, in the order of the documentation.
const OPS: [(&str, LayoutOp); 17] = [
    ("wgmma.a", LayoutOp::WarpgroupA),
    ("wgmma.d", LayoutOp::WarpgroupD),
    ("wgmma.metadata", LayoutOp::WarpgroupMetadata),
    ("wgmma.shared.a", LayoutOp::WarpgroupShared(Factor::A)),
    ("wgmma.shared.b", LayoutOp::WarpgroupShared(Factor::B)),
    ("mma.metadata", LayoutOp::WarpMetadata),
    ("tcgen05.ld", LayoutOp::Move(MoveDirection::Load)),
    ("tcgen05.st", LayoutOp::Move(MoveDirection::Store)),
    ("tcgen05.cp", LayoutOp::Copy),
    ("tcgen05.d", LayoutOp::TensorD),
    ("tcgen05.a", LayoutOp::TensorA),
    ("tcgen05.shared.a", LayoutOp::TensorShared(Factor::A)),
    ("tcgen05.shared.b", LayoutOp::TensorShared(Factor::B)),
    ("tcgen05.scale.a", LayoutOp::Scale(Factor::A)),
    ("tcgen05.scale.b", LayoutOp::Scale(Factor::B)),
    ("tcgen05.metadata", LayoutOp::TensorMetadata),
    ("tcgen05.idesc", LayoutOp::InstructionDescriptor),
];

/// The names of what has a layout: `wgmma.d`, `tcgen05.ld`.
pub fn operations() -> impl Iterator<Item = &'static str> {
    OPS.iter().map(|(name, _)| *name)
}

/// Whether the operation has a layout; the others have fragments.
pub fn has_layout(op: &str) -> bool {
    OPS.iter().any(|(name, _)| *name == op)
}

/// Numbers that name a place, as [`LayoutView::place`] says: thread, register and element, for example.
pub type Place = Vec<u32>;

/// Layout of the elements of a matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LayoutView {
    /// Operation: `wgmma.d`.
    pub op: String,
    /// Title of the layout.
    pub title: String,
    /// Parameters of the request, with their alternatives.
    pub parameters: Vec<LayoutParameter>,
    /// Closed-form mapping of the layout.
    pub rule: String,
    /// Meaning of the variables in the mapping.
    pub letters: String,
    /// Notes, such as undocumented behaviour or unread elements.
    pub notes: Vec<String>,
    /// Origin of the mapping: "PTX ISA, CuTe".
    pub origin: String,
    /// Confidence: `high`, or `medium` if the sources are incomplete.
    pub sure: String,
    pub rows: u32,
    pub columns: u32,
    /// Meaning of a row of the grid: `row`, `lane`, `column of B`.
    pub row_name: String,
    pub column_name: String,
    /// Element size in bits.
    pub element_bits: u32,
    /// Names of the numbers of a location.
    pub place: Vec<String>,
    /// Locations of the element by row and column. An element has several locations if it must be replicated, and none if the
    /// cell is empty.
    pub grid: Vec<Vec<Vec<Place>>>,
    /// For registers only: `[row, column]` by thread, register and position in the register (low bits first).
    pub lanes: Option<Vec<Vec<Vec<[u32; 2]>>>>,
    /// Bits of the descriptor in hexadecimal, if the layout has a descriptor.
    pub descriptor: Option<String>,
    /// Fields of the descriptor, lowest bits first.
    pub fields: Vec<DescriptorField>,
    /// Cells that differ from the intended layout: `[row, column]`.
    pub wrong: Vec<[u32; 2]>,
    /// PTX instructions that build the descriptor.
    pub ptx: Vec<String>,
    /// Cells that the step reads, if the diagram also contains other cells for comparison: `[row, column]`.
    pub marked: Vec<[u32; 2]>,
    /// Related diagrams.
    pub related: Vec<RelatedLayout>,
}

/// Related diagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RelatedLayout {
    /// Title of the diagram.
    pub title: String,
    pub request: FragmentRequest,
}

/// Field of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DescriptorField {
    pub name: String,
    /// Lowest and highest bit.
    pub bits: [u32; 2],
    /// Value of the field.
    pub value: u32,
    /// Meaning of the value: `128 rows`.
    pub meaning: String,
}

/// A layout for the page: what is shown, or why nothing is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutPicture {
    /// The request, with what does not exist replaced.
    pub request: FragmentRequest,
    /// What was replaced, and why.
    pub replaced: Vec<String>,
    pub parameters: Vec<LayoutParameter>,
    /// Every operation, those that have fragments first.
    pub ops: Vec<String>,
    pub view: Option<LayoutView>,
    /// Why there is none.
    pub refusal: Option<String>,
}

/// Looks up the layout that `request` describes: `op`, `shape`, `type`, and in `with` what else the operation has.
pub fn layout(request: &FragmentRequest) -> Result<LayoutView, FragmentRefusal> {
    exactly(request, view)
}

/// Returns the layout that is nearest to `request`, or `None` if the operation has no layout. `operations` becomes
/// [`LayoutPicture::ops`].
pub fn picture(request: &FragmentRequest, operations: Vec<String>) -> Option<LayoutPicture> {
    has_layout(&request.op).then(|| nearest(request, view, operations))
}

/// The layout of an operation, read from its words.
pub(crate) type Rule = fn(&FragmentRequest, &mut Words<'_>) -> Result<LayoutView, FragmentRefusal>;

/// What a rule makes of a request; a word that does not fit is refused.
pub(crate) fn exactly(
    request: &FragmentRequest,
    rule: Rule,
) -> Result<LayoutView, FragmentRefusal> {
    let mut words = Words::strict(request);
    let view = rule(request, &mut words)?;
    words.finish(view)
}

/// What a rule makes of the nearest request that it takes.
pub(crate) fn nearest(
    request: &FragmentRequest,
    rule: Rule,
    operations: Vec<String>,
) -> LayoutPicture {
    let mut words = Words::lenient(request);
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

fn view(request: &FragmentRequest, words: &mut Words<'_>) -> Result<LayoutView, FragmentRefusal> {
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

pub(crate) fn refusal(message: String) -> FragmentRefusal {
    FragmentRefusal { message }
}

/// Registers that hold a matrix: how many threads, registers of each, and elements in each of those.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    threads: usize,
    registers: usize,
    elements: usize,
}

impl LayoutView {
    /// A grid of this size with the places that `places` gives.
    pub(crate) fn of_grid(
        rows: usize,
        columns: usize,
        place: &[&str],
        places: &dyn Fn(usize, usize) -> Vec<Place>,
    ) -> LayoutView {
        LayoutView {
            origin: "PTX ISA, CuTe".to_owned(),
            sure: "high".to_owned(),
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

    /// A grid of elements in registers, by the element that each position of each register of each thread holds; none for a position
    /// that holds nothing of the matrix.
    fn of_registers(
        rows: usize,
        columns: usize,
        held: Registers,
        element: &dyn Fn(usize, usize, usize) -> (usize, usize),
    ) -> LayoutView {
        let mut view = LayoutView::of_grid(
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

    /// Whether its places are registers of threads.
    pub fn is_in_registers(&self) -> bool {
        self.place.first().is_some_and(|name| name == "thread")
    }

    /// A place in a few letters, for a cell: thread or lane or byte first, the rest below it.
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

    /// A place in words: `thread 5, register 3`.
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

    /// An element in words: where it is expected.
    pub fn describe(&self, row: usize, column: usize) -> Option<String> {
        let places = self.grid.get(row)?.get(column)?;
        let all: Vec<String> = places.iter().map(|place| self.place_words(place)).collect();
        let there = match all.is_empty() {
            true => "nothing".to_owned(),
            false => all.join("; "),
        };
        Some(format!(
            "{} {row}, {} {column}: {there}",
            self.row_name, self.column_name
        ))
    }

    /// Which of 32 colours a cell has: that of its thread or lane; in shared memory that of its 16 bytes in the matrix, so that one sees
    /// where a swizzle takes them.
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
                // Neighbours in colours that one tells apart.
                4 * (along as u32 * self.element_bits / 128)
            }
            // The pieces along the index that runs in neighbours, so that one sees where a swizzle takes them.
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

    /// What was asked for as `name`, or taken by itself.
    pub fn value(&self, name: &str) -> Option<&str> {
        let found = self
            .parameters
            .iter()
            .find(|parameter| parameter.name == name)?;
        Some(&found.value)
    }
}
