//! Dispatch table from SASS opcodes to lowering functions. Opcodes without an entry are unsupported. The table
//! `warpgrid_isa::sass::opcodes` describes every opcode and its architectures.

use super::body::LoweredInstruction;
use super::instruction_cursor::{InstructionCursor, LowerResult};
use super::{
    LoweringContext, asynchronous, byte_arithmetic, control, convert, double, float, half, integer,
    logic, matrix, mbarrier, memory, min_max, moves, packed_f32, simd, tensor_copy, tensor_memory,
    texture, warp, warpgroup,
};
use warpgrid_isa::{ArithmeticOp, AsyncOp, ScalarType, SyncOp};

/// Function that lowers one SASS instruction to the operations that the emulator executes in one step.
pub(super) type LowerFn = fn(
    &mut LoweringContext<'_>,
    &mut InstructionCursor<'_>,
) -> LowerResult<Vec<LoweredInstruction>>;

/// Datapath of an opcode: whether the opcode has a uniform counterpart, such as `UIADD3` for `IADD3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Datapath {
    Lanes,
    LanesAndUniform,
}
use Datapath::{Lanes, LanesAndUniform};

/// Entry of the dispatch table: a supported opcode, its datapath and its lowering function.
struct DispatchEntry {
    name: &'static str,
    datapath: Datapath,
    lower: LowerFn,
}

const fn row(name: &'static str, datapath: Datapath, lower: LowerFn) -> DispatchEntry {
    DispatchEntry {
        name,
        datapath,
        lower,
    }
}

/// Returns the lowering function of an opcode. Returns `None` if the emulator does not support the opcode.
pub(super) fn find(opcode: &str) -> Option<LowerFn> {
    let own = find_row(opcode);
    let twin = || {
        let row = find_row(opcode.strip_prefix('U')?)?;
        (row.datapath == LanesAndUniform).then_some(row)
    };
    own.or_else(twin).map(|row| row.lower)
}

fn find_row(name: &str) -> Option<&'static DispatchEntry> {
    let index = ROWS.binary_search_by_key(&name, |row| row.name).ok()?;
    ROWS.get(index)
}

/// All supported opcodes, by name.
#[rustfmt::skip]
static ROWS: &[DispatchEntry] = &[
    row("ACQBULK", Lanes, |_, w| control::no_op(w)),
    row("ARRIVES", Lanes, asynchronous::arrive),
    row("ATOM", Lanes, memory::atomic),
    row("ATOMG", Lanes, memory::atomic),
    row("ATOMS", Lanes, memory::atomic),
    row("B2R", Lanes, control::barrier_result),
    row("BAR", Lanes, control::barrier),
    row("BGMMA", Lanes, |_, w| warpgroup::product(w)),
    row("BMMA", Lanes, matrix::product),
    row("BMOV", Lanes, |_, w| moves::barrier(w)),
    row("BMSK", LanesAndUniform, |_, w| integer::mask(w)),
    row("BPT", Lanes, |_, w| control::trap(w)),
    row("BRA", Lanes, control::branch),
    row("BREAK", Lanes, control::leave_reconvergence),
    row("BREV", LanesAndUniform, |_, w| integer::one_source(w, ArithmeticOp::Brev, ScalarType::B32)),
    row("BRX", Lanes, control::branch_indirect),
    row("BRXU", Lanes, control::branch_indirect),
    row("BSSY", Lanes, control::begin_reconvergence),
    row("BSYNC", Lanes, |c, w| control::reconverge(c, w)),
    row("CALL", Lanes, control::call),
    row("CCTL", Lanes, |_, w| control::no_op(w)),
    row("CCTLL", Lanes, |_, w| control::no_op(w)),
    row("CGAERRBAR", Lanes, |_, w| control::no_op(w)),
    row("CREDUX", Lanes, warp::reduce),
    row("CS2R", Lanes, moves::special_pair),
    row("CS2UR", Lanes, moves::special_pair),
    row("DADD", Lanes, |_, w| double::two(w, ArithmeticOp::Add)),
    row("DEPBAR", Lanes, |c, w| asynchronous::wait(c, w)),
    row("DFMA", Lanes, |_, w| double::fused(w)),
    row("DMMA", Lanes, matrix::product),
    row("DMNMX", Lanes, min_max::doubles),
    row("DMUL", Lanes, |_, w| double::two(w, ArithmeticOp::Mul)),
    row("DSETP", Lanes, double::compare),
    row("ELECT", Lanes, |_, w| warp::elect(w)),
    row("ENDCOLLECTIVE", Lanes, |_, w| control::no_op(w)),
    row("ERRBAR", Lanes, |_, w| control::no_op(w)),
    row("EXIT", Lanes, control::exit),
    row("F2F", LanesAndUniform, |_, w| convert::float_to_float(w)),
    row("F2FP", LanesAndUniform, convert::pack),
    row("F2I", LanesAndUniform, |_, w| convert::to_integer(w)),
    row("F2IP", LanesAndUniform, byte_arithmetic::pack_floats),
    row("FADD", LanesAndUniform, |_, w| float::two(w, ArithmeticOp::Add)),
    row("FADD2", Lanes, |c, w| packed_f32::floats(c, w, ArithmeticOp::Add)),
    row("FADD32I", Lanes, |_, w| float::two(w, ArithmeticOp::Add)),
    row("FCHK", Lanes, |_, w| float::check(w)),
    row("FENCE", Lanes, |_, w| control::no_op(w)),
    row("FFMA", LanesAndUniform, |_, w| float::fused(w)),
    row("FFMA2", Lanes, |c, w| packed_f32::floats(c, w, ArithmeticOp::Fma)),
    row("FFMA32I", Lanes, |_, w| float::fused(w)),
    row("FHADD", Lanes, |c, w| half::mixed(c, w, ArithmeticOp::Add)),
    row("FHFMA", Lanes, |c, w| half::mixed(c, w, ArithmeticOp::Fma)),
    row("FLO", LanesAndUniform, |_, w| integer::find(w)),
    row("FMNMX", LanesAndUniform, min_max::floats),
    row("FMNMX3", Lanes, min_max::floats),
    row("FMUL", LanesAndUniform, float::multiply),
    row("FMUL2", Lanes, |c, w| packed_f32::floats(c, w, ArithmeticOp::Mul)),
    row("FMUL32I", Lanes, float::multiply),
    row("FRND", LanesAndUniform, |_, w| convert::round(w)),
    row("FSEL", LanesAndUniform, |_, w| float::select(w)),
    row("FSET", LanesAndUniform, |_, w| float::set(w)),
    row("FSETP", LanesAndUniform, |_, w| float::compare(w)),
    row("HADD2", Lanes, |c, w| half::two(c, w, ArithmeticOp::Add)),
    row("HFMA2", Lanes, half::fused),
    row("HGMMA", Lanes, |_, w| warpgroup::product(w)),
    row("HMMA", Lanes, matrix::product),
    row("HMNMX2", Lanes, min_max::halves),
    row("HMUL2", Lanes, |c, w| half::two(c, w, ArithmeticOp::Mul)),
    row("HSET2", Lanes, |_, w| half::set(w)),
    row("HSETP2", Lanes, half::compare),
    row("I2F", LanesAndUniform, |_, w| convert::to_float(w)),
    row("I2FP", LanesAndUniform, |_, w| convert::to_float(w)),
    row("I2I", LanesAndUniform, |_, w| byte_arithmetic::integer_to_integer(w)),
    row("I2IP", LanesAndUniform, |_, w| byte_arithmetic::pack(w)),
    row("IABS", LanesAndUniform, |_, w| integer::one_source(w, ArithmeticOp::Abs, ScalarType::S32)),
    row("IADD", LanesAndUniform, integer::add),
    row("IADD3", LanesAndUniform, integer::add),
    row("IADD32I", Lanes, integer::add),
    row("IDP", Lanes, |_, w| byte_arithmetic::dot(w)),
    row("IGMMA", Lanes, |_, w| warpgroup::product(w)),
    row("IMAD", LanesAndUniform, |c, w| match moves::copy_by_product(c, w) { Some(steps) => steps, None => integer::multiply(w), }),
    row("IMMA", Lanes, matrix::product),
    row("IMNMX", LanesAndUniform, min_max::integers),
    row("IMUL", Lanes, |c, w| match moves::copy_by_product(c, w) { Some(steps) => steps, None => integer::multiply(w), }),
    row("ISETP", LanesAndUniform, |_, w| integer::compare(w)),
    row("JMP", Lanes, control::branch),
    row("JMX", Lanes, control::branch_indirect),
    row("JMXU", Lanes, control::branch_indirect),
    row("LD", Lanes, memory::load),
    row("LDC", LanesAndUniform, |_, w| moves::load_constant(w)),
    row("LDCU", Lanes, |_, w| moves::load_constant(w)),
    row("LDG", Lanes, memory::load),
    row("LDGDEPBAR", Lanes, |c, w| asynchronous::commit(c, w, AsyncOp::CopyCommit)),
    row("LDGSTS", Lanes, |_, w| asynchronous::copy(w)),
    row("LDL", Lanes, memory::load),
    row("LDS", Lanes, memory::load),
    row("LDSM", Lanes, |_, w| matrix::load_rows(w)),
    row("LDTM", Lanes, |_, w| tensor_memory::load(w)),
    row("LEA", LanesAndUniform, |_, w| integer::scaled_add(w)),
    row("LEPC", Lanes, control::program_counter),
    row("LOP", LanesAndUniform, |_, w| logic::logic2(w)),
    row("LOP3", LanesAndUniform, |_, w| logic::logic3(w)),
    row("LOP32I", LanesAndUniform, |_, w| logic::logic2(w)),
    row("MATCH", Lanes, warp::matches),
    row("MEMBAR", Lanes, |_, w| control::no_op(w)),
    row("MOV", LanesAndUniform, moves::copy_register),
    row("MOV32I", Lanes, moves::copy_register),
    row("MOVM", Lanes, |_, w| matrix::transpose(w)),
    row("MUFU", Lanes, float::special),
    row("NANOSLEEP", Lanes, |_, w| control::sleep(w)),
    row("NOP", Lanes, |_, w| control::no_op(w)),
    row("OMMA", Lanes, matrix::product),
    row("P2R", Lanes, |_, w| logic::pack_predicates(w)),
    row("PLOP3", LanesAndUniform, logic::predicates),
    row("PMTRIG", Lanes, |_, w| control::no_op(w)),
    row("POPC", LanesAndUniform, |_, w| integer::one_source(w, ArithmeticOp::Popc, ScalarType::B32)),
    row("PREEXIT", Lanes, |_, w| control::no_op(w)),
    row("PRMT", LanesAndUniform, |_, w| logic::permute(w)),
    row("QGMMA", Lanes, |_, w| warpgroup::product(w)),
    row("QMMA", Lanes, matrix::product),
    row("QSPC", Lanes, memory::query_space),
    row("R2P", LanesAndUniform, |_, w| logic::unpack_predicates(w)),
    row("R2UR", Lanes, moves::first_lane),
    row("RED", Lanes, |_, w| memory::reduction(w)),
    row("REDG", Lanes, |_, w| memory::reduction(w)),
    row("REDUX", Lanes, warp::reduce),
    row("RET", Lanes, control::returns),
    row("RPCMOV", Lanes, moves::return_address),
    row("S2R", Lanes, moves::special),
    row("S2UR", Lanes, moves::special),
    row("SEL", LanesAndUniform, |_, w| integer::select(w)),
    row("SGXT", LanesAndUniform, |_, w| integer::extend(w)),
    row("SHF", LanesAndUniform, |_, w| logic::funnel_shift(w)),
    row("SHFL", Lanes, |_, w| warp::shuffle(w)),
    row("SHL", LanesAndUniform, |_, w| logic::shift(w)),
    row("SHR", LanesAndUniform, |_, w| logic::shift(w)),
    row("ST", Lanes, |_, w| memory::store(w)),
    row("STAS", Lanes, |_, w| mbarrier::store(w)),
    row("STG", Lanes, |_, w| memory::store(w)),
    row("STL", Lanes, |_, w| memory::store(w)),
    row("STS", Lanes, |_, w| memory::store(w)),
    row("STSM", Lanes, |_, w| matrix::store_rows(w)),
    row("STTM", Lanes, |_, w| tensor_memory::store(w)),
    row("SULD", Lanes, texture::surface),
    row("SURED", Lanes, texture::surface),
    row("SUST", Lanes, texture::surface),
    row("SYNCS", Lanes, mbarrier::sync),
    row("TEX", Lanes, texture::sample),
    row("TLD", Lanes, texture::sample),
    row("TLD4", Lanes, texture::sample),
    row("TXD", Lanes, texture::sample),
    row("TXQ", Lanes, texture::query),
    row("UBLKCP", Lanes, asynchronous::copy_range),
    row("UBLKPF", Lanes, |_, w| control::no_op(w)),
    row("UBLKRED", Lanes, asynchronous::copy_range),
    row("UCGABAR_ARV", Lanes, |_, w| control::cluster(w, SyncOp::ClusterArrive)),
    row("UCGABAR_WAIT", Lanes, |_, w| control::cluster(w, SyncOp::ClusterWait)),
    row("UGETNEXTWORKID", Lanes, mbarrier::next_cluster),
    row("ULEPC", Lanes, control::program_counter),
    row("UMEMSETS", Lanes, asynchronous::fill),
    row("UP2UR", Lanes, |_, w| logic::pack_predicates(w)),
    row("UR2R", Lanes, moves::first_lane),
    row("UR2UP", Lanes, |_, w| logic::unpack_predicates(w)),
    row("USETMAXREG", Lanes, |_, w| control::registers_of_warp(w)),
    row("USTGR", Lanes, memory::store_uniform),
    row("UTCATOMSWS", Lanes, tensor_memory::reserve),
    row("UTCBAR", Lanes, tensor_memory::commit),
    row("UTCCP", Lanes, tensor_memory::copy),
    row("UTCHMMA", Lanes, tensor_memory::product),
    row("UTCIMMA", Lanes, tensor_memory::product),
    row("UTCOMMA", Lanes, tensor_memory::product),
    row("UTCQMMA", Lanes, tensor_memory::product),
    row("UTCSHIFT", Lanes, tensor_memory::shift),
    row("UTMACCTL", Lanes, |_, w| control::no_op(w)),
    row("UTMACMDFLUSH", Lanes, |c, w| asynchronous::commit(c, w, AsyncOp::BulkCommit)),
    row("UTMALDG", Lanes, tensor_copy::load),
    row("UTMAPF", Lanes, |_, w| control::no_op(w)),
    row("UTMAREDG", Lanes, tensor_copy::store),
    row("UTMASTG", Lanes, tensor_copy::store),
    row("UVIRTCOUNT", Lanes, |_, w| control::no_op(w)),
    row("VABSDIFF", Lanes, |_, w| byte_arithmetic::distance(w)),
    row("VABSDIFF4", Lanes, byte_arithmetic::distances),
    row("VHMNMX", Lanes, min_max::halves),
    row("VIADD", LanesAndUniform, |c, w| if simd::are_bytes(w) { simd::four_bytes(c, w) } else { integer::add(c, w) }),
    row("VIADDMNMX", LanesAndUniform, min_max::integers),
    row("VIMNMX", LanesAndUniform, |c, w| if simd::are_bytes(w) { simd::four_bytes(c, w) } else { min_max::integers(c, w) }),
    row("VIMNMX3", LanesAndUniform, min_max::integers),
    row("VOTE", Lanes, |c, w| warp::vote(warp::members(c), w)),
    row("VOTEU", Lanes, |_, w| warp::vote(None, w)),
    row("WARPGROUP", Lanes, |_, w| warpgroup::sync(w)),
    row("WARPSYNC", Lanes, control::warp_barrier),
    row("YIELD", Lanes, |_, w| control::lower_yield(w)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_isa::sass::opcodes::{OPCODES, find_opcode};

    /// Returns the supported opcodes, including their uniform counterparts.
    fn names() -> impl Iterator<Item = String> {
        ROWS.iter().flat_map(|row| {
            let uniform = (row.datapath == LanesAndUniform).then(|| format!("U{}", row.name));
            [Some(row.name.to_owned()), uniform].into_iter().flatten()
        })
    }

    #[test]
    fn dispatch_table_is_sorted_by_opcode() {
        assert!(ROWS.is_sorted_by_key(|row| row.name));
    }

    #[test]
    fn dispatched_opcodes_are_in_opcode_table() {
        let unknown: Vec<String> = names().filter(|name| find_opcode(name).is_none()).collect();
        assert_eq!(unknown, [""; 0]);
    }

    /// The uniform datapath computes the same operations as the vector datapath, so an unsupported uniform counterpart is an oversight.
    /// `USTS` is an exception: its operands are not known, because no observed assembler emits this instruction.
    #[test]
    fn uniform_counterparts_are_dispatched_except_usts() {
        let twin = |name: &str| {
            name.strip_prefix('U')
                .is_some_and(|rest| find_row(rest).is_some())
        };
        let left: Vec<&str> = OPCODES
            .iter()
            .map(|opcode| opcode.name)
            .filter(|name| twin(name) && find(name).is_none())
            .collect();
        assert_eq!(left, ["USTS"]);
    }
}
