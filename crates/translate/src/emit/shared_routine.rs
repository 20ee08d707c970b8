//! Outlined routines, each of which several operations call. The module takes the parameters of a routine, and
//! generates the index and the code of the routine's function.

use crate::emit::Emitter;
use crate::emit::special_function::{DataSegment, SpecialFunctionRoutine};
use crate::emit::warp::mma::{MmaRoutine, product_function};
use crate::engine::MaddRounding;
use crate::instructions::at;
use crate::layout::{ModuleLayout, holds, site};
use crate::runtime;
use crate::runtime::FunctionType;
use wasm_encoder::{BlockType, Function, Instruction as I, ValType};

/// Outlined routine that is emitted once for all operations with equal parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SharedRoutine {
    /// MMA whose operands are in scratch memory. Signature: `() -> 1 for a special case, otherwise zero`.
    Product(MmaRoutine),
    /// Copy of the lines of a matrix from memory to scratch memory, or in the opposite direction. Signature: `(address,
    /// stride, site, scratch) -> exit code or zero`.
    Lines(LineTransfer),
    /// Approximation of a special function. Signature: `(argument) -> result` or `(divisor, dividend) -> quotient`.
    Approximated(SpecialFunctionRoutine),
}

/// Parameters of a routine that transfers the lines of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineTransfer {
    pub(crate) n_lines: u32,
    pub(crate) line_bytes: u32,
    /// Size in bytes of the aligned chunks into which each line is divided.
    pub(crate) chunk_bytes: u32,
    pub(crate) is_store: bool,
    /// Whether the addresses of the matrix lines have 32 bits.
    pub(crate) is_narrow: bool,
    /// Whether the routine records accesses to shared memory in shadow memory.
    pub(crate) notes_shared: bool,
}

impl SharedRoutine {
    pub(crate) const fn function_type(&self) -> FunctionType {
        use ValType::{I32, I64, V128};
        match self {
            SharedRoutine::Product(_) => (&[], I32),
            SharedRoutine::Lines(_) => (&[I64, I64, I32, I32], I32),
            SharedRoutine::Approximated(what) => match what.n_arguments() {
                1 => (&[V128], V128),
                _ => (&[V128, V128], V128),
            },
        }
    }

    pub(crate) fn function(&self, places: &ModuleLayout, products: MaddRounding) -> Function {
        match self {
            SharedRoutine::Product(of) => product_function(of, places.scratch, products),
            SharedRoutine::Lines(lines) => lines.function(),
            SharedRoutine::Approximated(what) => what.function(places),
        }
    }

    /// Returns the data segment that the routine reads, if there is one.
    pub(crate) fn data(&self, places: &ModuleLayout) -> Option<DataSegment> {
        match self {
            SharedRoutine::Approximated(what) => Some(what.data(places)),
            SharedRoutine::Product(_) | SharedRoutine::Lines(_) => None,
        }
    }
}

impl Emitter<'_> {
    /// Emits a call of the routine's function.
    pub(crate) fn call(&mut self, routine: SharedRoutine) {
        let known = self.routines.iter().position(|known| *known == routine);
        let index = known.unwrap_or(self.routines.len());
        if known.is_none() {
            self.routines.push(routine);
        }
        self.op(I::Call(runtime::ROUTINES + index as u32));
    }
}

// Indices of the function's parameters and locals.
const ADDRESS: u32 = 0;
const STRIDE: u32 = 1;
const SITE: u32 = 2;
const SCRATCH: u32 = 3;
const PLACE: u32 = 4;
const LEFT: u32 = 5;
const DONE: u32 = 6;
const OFFSET: u32 = 7;

impl LineTransfer {
    fn function(self) -> Function {
        let mut code = Vec::new();
        self.access_noted_range(&mut code);
        self.access_chunks(&mut code);
        code.push(I::I32Const(0));
        runtime::function(&[(3, ValType::I32), (1, ValType::I64)], &code)
    }

    /// Emits code that accesses the lines and returns if all lines are within the cached range and the access requires
    /// no shadow-memory update. Otherwise, execution continues after this code.
    fn access_noted_range(self, c: &mut Vec<I<'static>>) {
        let noted = match self.notes_shared {
            true => holds::TRACKED | holds::WINDOW | holds::SHARED,
            false => holds::TRACKED,
        };
        c.extend([
            I::I32Const(self.n_lines as i32),
            I::LocalSet(LEFT),
            I::Block(BlockType::Empty),
            I::LocalGet(SITE),
            I::I32Load(at(site::HOLDS)),
            I::I32Const(noted as i32),
            I::I32And,
            I::BrIf(0),
        ]);
        c.extend(runtime::is_outside([ADDRESS, SITE, OFFSET]));
        c.extend([
            I::BrIf(0),
            I::LocalGet(STRIDE),
            I::I64Const(i64::from(self.n_lines) - 1),
            I::I64Mul,
            I::I64Const(self.line_bytes.into()),
            I::I64Add,
        ]);
        c.extend(runtime::bytes_left(SITE, OFFSET));
        c.extend([
            I::I64GtU,
            I::BrIf(0),
            I::LocalGet(ADDRESS),
            I::I32WrapI64,
            I::I32Const(self.chunk_bytes as i32 - 1),
            I::I32And,
            I::BrIf(0),
            I::LocalGet(OFFSET),
            I::I32WrapI64,
            I::LocalGet(SITE),
            I::I32Load(at(site::PLACE)),
            I::I32Add,
            I::LocalSet(PLACE),
            I::Loop(BlockType::Empty),
        ]);
        self.copy(c, self.line_bytes);
        c.extend([
            I::LocalGet(PLACE),
            I::LocalGet(STRIDE),
            I::I32WrapI64,
            I::I32Add,
            I::LocalSet(PLACE),
        ]);
        self.go_to_next_line(c);
        c.extend([I::I32Const(0), I::Return, I::End]);
    }

    /// Emits the loop that accesses the lines chunk by chunk and translates the address of each chunk.
    fn access_chunks(self, c: &mut Vec<I<'static>>) {
        c.extend([
            I::Loop(BlockType::Empty),
            I::I32Const(0),
            I::LocalSet(DONE),
            I::Loop(BlockType::Empty),
            I::LocalGet(ADDRESS),
            I::LocalGet(DONE),
            I::I64ExtendI32U,
            I::I64Add,
        ]);
        if self.is_narrow {
            c.extend([I::I64Const(0xffff_ffff), I::I64And]);
        }
        c.extend([
            I::LocalGet(SITE),
            I::I32Const(self.chunk_bytes as i32),
            I::I32Const(self.is_store.into()),
            I::Call(runtime::FN_TRANSLATE_ADDRESS),
            I::LocalTee(PLACE),
        ]);
        c.extend(runtime::return_if_unresolved());
        let step = |c: &mut Vec<I<'static>>, by: I<'static>| {
            c.extend([
                I::LocalGet(SCRATCH),
                I::LocalGet(DONE),
                by,
                I::LocalSet(SCRATCH),
            ]);
        };
        step(c, I::I32Add);
        self.copy(c, self.chunk_bytes);
        step(c, I::I32Sub);
        c.extend([
            I::LocalGet(DONE),
            I::I32Const(self.chunk_bytes as i32),
            I::I32Add,
            I::LocalTee(DONE),
            I::I32Const(self.line_bytes as i32),
            I::I32LtU,
            I::BrIf(0),
            I::End,
        ]);
        self.go_to_next_line(c);
    }

    /// Emits the end of the loop over the lines, which advances the address and the scratch pointer to the next line.
    fn go_to_next_line(self, c: &mut Vec<I<'static>>) {
        c.extend([
            I::LocalGet(ADDRESS),
            I::LocalGet(STRIDE),
            I::I64Add,
            I::LocalSet(ADDRESS),
            I::LocalGet(SCRATCH),
            I::I32Const(self.line_bytes as i32),
            I::I32Add,
            I::LocalSet(SCRATCH),
        ]);
        c.extend(runtime::loop_while_nonzero(LEFT));
    }

    /// Emits the copy of one chunk between memory and scratch memory.
    fn copy(self, c: &mut Vec<I<'static>>, n_bytes: u32) {
        let (from, to) = match self.is_store {
            true => (SCRATCH, PLACE),
            false => (PLACE, SCRATCH),
        };
        for pair in runtime::copies(n_bytes.into(), 0, 0) {
            c.extend([I::LocalGet(to), I::LocalGet(from)]);
            c.extend(pair);
        }
    }
}
