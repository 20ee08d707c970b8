//! Operand lists, modifiers and PTX counterparts of SASS opcodes, with one table entry per opcode. Stores have a separate table, which
//! contains their address forms.
//!
//! A syntax line has the notation of the disassemblers. Modifiers in upper case are literal, and a modifier in lower case names a
//! [`SassModifierSet`](super::modifiers::SassModifierSet). Braces enclose optional parts, and `|` separates alternatives. An operand name
//! consists of the register file and a letter. The letters `d` and `e` (`Rd`, `Re`) denote destinations, and all other letters denote
//! sources. The prefix `UR` denotes a uniform register, `P` a predicate, `UP` a uniform predicate, and `B` a convergence barrier.
//!
//! Tests of `warpgrid-sass` lower every syntax line with each of its modifiers, and verify that every other modifier of the tables is
//! rejected.

use super::modifiers::{SassModifierSet, find_modifier, find_set};
use super::opcodes::find_opcode;

/// Instruction forms of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forms {
    /// Opcode of the form, such as `LDG`.
    pub opcode: &'static str,
    /// Syntax lines. The list is empty if neither documentation nor a disassembly listing specifies the operands.
    pub syntax: &'static [&'static str],
    pub counterpart: Counterpart,
}

/// The PTX instructions that the assembler compiles to an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counterpart {
    /// Mnemonics, separated by commas. The first mnemonic is the closest.
    Ptx(&'static str),
    /// Reason why there is no counterpart.
    None(&'static str),
}

/// Syntax line, split into modifiers and operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxLine {
    pub text: String,
    /// Modifier positions in the order of the source.
    pub modifiers: Vec<SassModifierSlot>,
    /// Operand list, with braces around optional operands. The string is empty for instructions without operands.
    pub operands: String,
}

/// Modifier position of a syntax line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SassModifierSlot {
    pub required: bool,
    pub alternatives: Vec<ModifierName>,
}

impl SassModifierSlot {
    /// Returns the modifiers of the position, and the description of each modifier for the opcode.
    pub fn words(&self, opcode: &str) -> Vec<(&'static str, &'static str)> {
        let names = self.alternatives.iter();
        names.flat_map(|name| name.words(opcode)).collect()
    }
}

/// Name in a modifier position of a syntax line: a literal modifier or a modifier set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModifierName {
    Literal(&'static str),
    Set(&'static SassModifierSet),
}

impl ModifierName {
    /// Returns the modifiers that the name denotes, and the description of each modifier for the opcode.
    pub fn words(self, opcode: &str) -> Vec<(&'static str, &'static str)> {
        match self {
            ModifierName::Literal(text) => {
                vec![(text, find_modifier(opcode, text).unwrap_or_default())]
            }
            ModifierName::Set(set) => set.words.to_vec(),
        }
    }

    /// Returns the description of a modifier for an opcode, if the modifier has this name or belongs to this set.
    pub fn meaning(self, opcode: &str, word: &str) -> Option<ModifierMeaning> {
        match self {
            ModifierName::Literal(text) => (text == word).then(|| ModifierMeaning {
                title: None,
                help: find_modifier(opcode, text).unwrap_or_default(),
            }),
            ModifierName::Set(set) => Some(ModifierMeaning {
                title: Some(set.title),
                help: set.find(word)?,
            }),
        }
    }
}

/// Description of a modifier of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModifierMeaning {
    /// Title of the modifier set, or `None` for a literal modifier.
    pub title: Option<&'static str>,
    pub help: &'static str,
}

/// Returns the forms of an opcode and its datapath, which is [`Datapath::Uniform`] if the opcode is the uniform counterpart of the table
/// entry.
pub fn find_forms(opcode: &str) -> Option<(&'static Forms, Datapath)> {
    let find = |name: &str| FORMS.iter().find(|row| row.opcode == name);
    if let Some(row) = find(opcode) {
        return Some((row, Datapath::AsWritten));
    }
    find_opcode(opcode)?;
    Some((find(opcode.strip_prefix('U')?)?, Datapath::Uniform))
}

/// Returns the syntax lines of an opcode. The result is empty if the table does not specify the operands of the opcode.
pub fn syntax_lines(opcode: &str) -> Vec<SyntaxLine> {
    find_forms(opcode).map_or(Vec::new(), |(forms, datapath)| forms.lines(datapath))
}

/// Register files that the operands of a syntax line use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datapath {
    AsWritten,
    /// Uniform registers, as in `UIADD3 URd, URa`, the counterpart of `IADD3 Rd, Ra`.
    Uniform,
}

impl Forms {
    /// Returns the syntax lines of the opcode, or of its uniform counterpart.
    pub fn lines(&self, datapath: Datapath) -> Vec<SyntaxLine> {
        let lines = self.syntax.iter();
        lines.map(|line| read_line(line, datapath)).collect()
    }
}

/// Parses a syntax line. A modifier that no table contains becomes a literal without a description. A test verifies that the tables contain
/// every modifier.
fn read_line(line: &'static str, datapath: Datapath) -> SyntaxLine {
    let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
    let operands = match datapath {
        Datapath::AsWritten => operands.to_owned(),
        Datapath::Uniform => uniform(operands),
    };
    let prefix = if datapath == Datapath::Uniform {
        "U"
    } else {
        ""
    };
    let separator = if operands.is_empty() { "" } else { " " };
    let start = mnemonic.find(['.', '{']).unwrap_or(mnemonic.len());
    SyntaxLine {
        text: format!("{prefix}{mnemonic}{separator}{operands}"),
        modifiers: modifier_slots(&mnemonic[start..]),
        operands,
    }
}

fn modifier_slots(mut rest: &'static str) -> Vec<SassModifierSlot> {
    let mut slots = Vec::new();
    while !rest.is_empty() {
        let (required, text, after) = match rest.strip_prefix('{') {
            Some(inside) => {
                let (text, after) = inside.split_once('}').unwrap_or((inside, ""));
                (false, text, after)
            }
            None => {
                let dot = rest.strip_prefix('.').unwrap_or(rest);
                let n_bytes = dot.find(['.', '{']).unwrap_or(dot.len());
                (true, &dot[..n_bytes], &dot[n_bytes..])
            }
        };
        let names = text.split('|').map(|name| name.trim_start_matches('.'));
        slots.push(SassModifierSlot {
            required,
            alternatives: names.map(modifier_name).collect(),
        });
        rest = after;
    }
    slots
}

fn modifier_name(name: &'static str) -> ModifierName {
    find_set(name).map_or(ModifierName::Literal(name), ModifierName::Set)
}

/// Replaces the vector registers in an operand list by uniform registers.
fn uniform(operands: &str) -> String {
    let mut text = String::new();
    let mut is_start = true;
    let letters: Vec<char> = operands.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let next = letters.get(index + 1);
        let is_register = matches!(letter, 'R' | 'P')
            && next
                .is_some_and(|next| next.is_ascii_lowercase() || matches!(next, 'T' | 'Z' | 'R'));
        if is_start && is_register {
            text.push('U');
        }
        text.push(*letter);
        is_start = !letter.is_ascii_alphanumeric();
    }
    text
}

const fn form(opcode: &'static str, syntax: &'static [&'static str], ptx: &'static str) -> Forms {
    Forms {
        opcode,
        syntax,
        counterpart: Counterpart::Ptx(ptx),
    }
}

const fn no_ptx(
    opcode: &'static str,
    syntax: &'static [&'static str],
    reason: &'static str,
) -> Forms {
    Forms {
        opcode,
        syntax,
        counterpart: Counterpart::None(reason),
    }
}

const GRAPHICS: &str = "the opcode belongs to the graphics pipeline";
const RAY_TRACING: &str = "the opcode controls the ray tracing unit, which PTX does not expose";
const RECONVERGENCE: &str = "`ptxas` inserts the opcode to reconverge the lanes of a warp";
const SYSTEM: &str = "system code such as trap handlers uses the opcode";
const RETURN_STACK: &str = "`ptxas` inserts the opcode to maintain the return stack";
const OPTIMIZATION: &str = "`ptxas` generates the opcode from several PTX instructions";
const SURFACE_ADDRESS: &str =
    "`ptxas` inserts the opcode to compute the address of a surface access on Kepler";
const UNDOCUMENTED: &str = "no equivalent is documented";

/// All opcodes except the stores and the uniform counterparts, by name.
#[rustfmt::skip]
pub static FORMS: &[Forms] = &[
    no_ptx("ACQBLK", &[], UNDOCUMENTED),
    form("ACQBULK", &["ACQBULK"], "griddepcontrol.wait"),
    no_ptx("ACQSHMINIT", &[], UNDOCUMENTED),
    no_ptx("AL2P", &["AL2P Rd, Ra, imm"], GRAPHICS),
    no_ptx("ALD", &["ALD Rd, a[Ra], Rb"], GRAPHICS),
    form("ARRIVES", &["ARRIVES.LDGSTSBAR.64{.ARVCNT|.TRANSCNT} [Ra]"], "cp.async.mbarrier.arrive"),
    no_ptx("AST", &["AST a[Ra], Rb, Rc"], GRAPHICS),
    form("ATOM", &[
        "ATOM{.E}.rop{.aty}{.FTZ}{.RN}{.evict}{.sem}{.scope} {Pd, }Rd, [Ra], Rb",
        "ATOM{.E}.EXCH{.aty|.128}{.evict}{.sem}{.scope} {Pd, }Rd, [Ra], Rb",
        "ATOM{.E}.CAS{.aty|.128}{.evict}{.sem}{.scope} {Pd, }Rd, [Ra], Rb, Rc",
    ], "atom"),
    form("ATOMG", &[
        "ATOMG{.E}.rop{.aty}{.FTZ}{.RN}{.evict}{.sem}{.scope} {Pd, }Rd, [Ra], Rb",
        "ATOMG{.E}.rop.vec{.FTZ}{.RN}{.evict}{.sem}{.scope} {Pd, }Rd, [Ra], Rb",
        "ATOMG{.E}.EXCH{.aty|.128}{.evict}{.sem}{.scope} {Pd, }Rd, [Ra], Rb",
        "ATOMG{.E}.CAS{.aty|.128}{.evict}{.sem}{.scope} {Pd, }Rd, [Ra], Rb, Rc",
    ], "atom.global"),
    form("ATOMS", &[
        "ATOMS.rop{.aty} Rd, [Ra], Rb",
        "ATOMS.EXCH{.aty|.128} Rd, [Ra], Rb",
        "ATOMS.CAS{.aty|.128} Rd, [Ra], Rb, Rc",
        "ATOMS.CAST{.SPIN}{.64} Pd, [Ra], Rb, Rc",
        "ATOMS.CAST{.SPIN}{.64} Rd, [Ra], Rb, Rc",
        "ATOMS.POPC.INC{.32} Rd, [Ra]",
        "ATOMS.ARRIVE.64 Rd, [Ra]",
    ], "atom.shared"),
    form("B2R", &["B2R.RESULT Rd{, Pd}"], "barrier.cta.red, bar.red"),
    form("BAR", &[
        "BAR.SYNC{.DEFER_BLOCKING}{.ALL} Ra{, Rb}",
        "BAR.SYNCALL{.DEFER_BLOCKING}",
        "BAR.ARV{.DEFER_BLOCKING} Ra, Rb",
        "BAR.RED.barred{.DEFER_BLOCKING} Ra{, Rb}, Pa",
    ], "bar.sync, bar.arrive, bar.red, barrier.cta.sync"),
    form("BFE", &["BFE{.U32|.S32}{.BREV} Rd, Ra, Rb"], "bfe.u32"),
    form("BFI", &["BFI Rd, Ra, Rb, Rc"], "bfi.b32"),
    form("BGMMA", &["BGMMA.gshape.AND.POPC Rd, gdesc[URa], Rc{, Pa}{, gsb0}", "BGMMA.gshape.AND.POPC Rd, Ra, gdesc[URb], Rc{, Pa}{, gsb0}"], "wgmma.mma_async.sync"),
    form("BMMA", &["BMMA.bshape.bitop.POPC Rd, Ra.ROW, Rb.COL, Rc"], "mma.sync.b1, wmma.mma.sync"),
    no_ptx("BMOV", &["BMOV.32{.CLEAR}{.PQUAD} Rd, Ba", "BMOV.32{.PQUAD} Bd, Ra"], RECONVERGENCE),
    form("BMSK", &["BMSK{.wrap} Rd, Ra, Rb"], "bmsk.wrap.b32, bmsk.clamp.b32"),
    form("BPT", &["BPT.bpt imm"], "trap, brkpt"),
    form("BRA", &[
        "BRA{.U}{.inc}{.ABS} {Pa, }label",
        "BRA{.U}.ANY {Pa, }label",
        "BRA.DIV {Ra, }label",
        "BRA.CONV {Ra, }label",
    ], "bra"),
    no_ptx("BREAK", &["BREAK{.RECONVERGENT}{.RELIABLE} {Pa, }Ba"], RECONVERGENCE),
    form("BREV", &["BREV Rd, Ra"], "brev.b32"),
    no_ptx("BRK", &["BRK"], RECONVERGENCE),
    form("BRX", &["BRX{.inc} Ra imm"], "brx.idx"),
    form("BRXU", &["BRXU{.inc} URa imm"], "brx.idx"),
    no_ptx("BSSY", &["BSSY{.RECONVERGENT}{.RELIABLE} Bd, label"], RECONVERGENCE),
    no_ptx("BSUBR", &[], SYSTEM),
    no_ptx("BSYNC", &["BSYNC{.RECONVERGENT}{.RELIABLE} Ba"], RECONVERGENCE),
    form("CAL", &["CAL label"], "call"),
    form("CALL", &[
        "CALL{.REL|.ABS}{.NOINC|.INC} label",
        "CALL{.REL|.ABS}{.NOINC|.INC} Ra{ label}",
    ], "call, div.f64, sqrt.f64"),
    form("CCTL", &["CCTL{.E}{.cctl} [Ra]", "CCTL.IVALL"], "prefetch, discard, applypriority, fence.acq_rel"),
    form("CCTLL", &["CCTLL{.cctl} [Ra]", "CCTLL.IVALL"], "prefetch.local"),
    no_ptx("CCTLS", &["CCTLS{.cctl} [Ra]"], UNDOCUMENTED),
    no_ptx("CCTLT", &["CCTLT{.cctl} Ra"], "`ptxas` inserts the opcode to make earlier writes visible to texture reads"),
    no_ptx("CGAERRBAR", &["CGAERRBAR"], "`ptxas` inserts the opcode after cluster fences"),
    no_ptx("CONT", &["CONT"], RECONVERGENCE),
    form("CREDUX", &["CREDUX{.reduce}{.S32|.F32}{.NAN} URd, Ra"], "redux.sync"),
    form("CS2R", &["CS2R Rd, special", "CS2R.32 Rd, special"], "mov.u64, mov.u32"),
    form("CS2UR", &["CS2UR URd, special", "CS2UR.32 URd, special"], "mov.u64, mov.u32"),
    no_ptx("CSET", &["CSET Rd, CC, Pa"], OPTIMIZATION),
    no_ptx("CSETP", &["CSETP Pd, Pe, CC, Pa"], OPTIMIZATION),
    form("DADD", &["DADD{.rnd} Rd, Ra, Rb"], "add.f64, sub.f64"),
    form("DEPBAR", &["DEPBAR.LE SBa, imm", "DEPBAR {imm}"], "cp.async.wait_group, cp.async.bulk.wait_group"),
    form("DFMA", &["DFMA{.rnd} Rd, Ra, Rb, Rc"], "fma.f64"),
    form("DMMA", &["DMMA.dshape{.rnd} Rd, Ra, Rb, Rc"], "mma.sync.f64, wmma.mma.sync"),
    form("DMNMX", &["DMNMX Rd, Ra, Rb, Pa"], "min.f64, max.f64"),
    form("DMUL", &["DMUL{.rnd} Rd, Ra, Rb"], "mul.f64"),
    form("DSET", &["DSET.cmp.bool Rd, Ra, Rb, Pa"], "set.f64"),
    form("DSETP", &["DSETP.cmp{.bool} Pd, Pe, Ra, Rb, Pa", "DSETP.MIN.AND Pd, Pe, Ra, Rb, PT", "DSETP.MAX.AND Pd, Pe, Ra, Rb, PT"], "setp.f64, min.f64, max.f64"),
    form("ELECT", &["ELECT Pd, URd, PT"], "elect.sync"),
    no_ptx("ENDCOLLECTIVE", &["ENDCOLLECTIVE"], "`ptxas` inserts the opcode after operations on the lanes of a member mask"),
    no_ptx("ERRBAR", &["ERRBAR"], "`ptxas` inserts the opcode after fences"),
    form("EXIT", &["EXIT{.KEEPREFCOUNT}{.NO_ATEXIT}", "EXIT{.KEEPREFCOUNT}{.NO_ATEXIT} Pa"], "ret, exit"),
    form("F2F", &["F2F.float.float{.rnd}{.FTZ}{.SAT} Rd, Ra"], "cvt.f64.f32, cvt.f32.f64"),
    form("F2FP", &[
        "F2FP{.SATFINITE}{.RELU}.half.F32.PACK_AB{.rnd} Rd, Ra, Rb",
        "F2FP{.SATFINITE}{.RELU}.narrow.F32.PACK_AB_MERGE_C{.rnd} Rd, Ra, Rb, RZ",
        "F2FP{.SATFINITE}{.RELU}.narrow.F32.PACK_AB_MERGE_C.RS Rd, Ra, Rb, Rc",
        "F2FP{.SATFINITE}{.RELU}.narrow.half.UNPACK_B_MERGE_C Rd, Ra, RZ",
        "F2FP{.RELU}.half.F32.MERGE_C{.rnd} Rd, Ra, RZ",
        "F2FP.TF32.F32.PACK_B{.rnd} Rd, Ra",
        "F2FP{.RELU}.half.narrow.UNPACK_B Rd, Ra",
    ], "cvt.f16x2.f32, cvt.bf16x2.f32, cvt.e4m3x2.f32, cvt.f16x2.e4m3x2, cvt.tf32.f32"),
    form("F2I", &["F2I{.FTZ}{.integer}{.float}{.whole}{.NTZ} Rd, Ra"], "cvt.s32.f32"),
    form("F2IP", &["F2IP.narrowint{.F32}{.whole}{.FTZ}{.NTZ} Rd, Ra, Rb, Rc"], "cvt.pack.sat.u8.s32"),
    form("FADD", &["FADD{.FTZ}{.SAT}{.rnd} Rd, Ra, Rb"], "add.f32, sub.f32"),
    form("FADD2", &["FADD2{.FTZ}{.rnd} Rd, Ra, Rb"], "add.f32x2, sub.f32x2"),
    form("FADD32I", &["FADD32I{.FTZ}{.SAT} Rd, Ra, imm"], "add.f32, sub.f32"),
    form("FCHK", &["FCHK{.DIVIDE} Pd, Ra, Rb"], "div.rn.f32"),
    form("FCMP", &["FCMP.cmp{.FTZ} Rd, Ra, Rb, Rc"], "slct.f32"),
    form("FENCE", &["FENCE.VIEW.ASYNC{.S}"], "fence.proxy.async"),
    form("FFMA", &["FFMA{.FTZ}{.SAT}{.rnd} Rd, Ra, Rb, Rc"], "fma.rn.f32"),
    form("FFMA2", &["FFMA2{.FTZ}{.rnd} Rd, Ra, Rb, Rc"], "fma.rn.f32x2"),
    form("FFMA32I", &["FFMA32I{.FTZ}{.SAT} Rd, Ra, imm, Rc"], "fma.rn.f32"),
    form("FHADD", &["FHADD{.BF16_V2}{.FTZ}{.SAT}{.rnd} Rd, Ra, Rb"], "add.f32"),
    form("FHFMA", &["FHFMA{.BF16_V2}{.FTZ}{.SAT}{.rnd} Rd, Ra, Rb, Rc"], "fma.rn.f32"),
    form("FLO", &["FLO{.U32}{.SH} Rd, Ra"], "bfind.s32, clz.b32"),
    form("FMNMX", &["FMNMX{.FTZ}{.NAN}{.XORSIGN} Rd, |Ra|, |Rb|, Pa"], "min.f32, max.f32"),
    form("FMNMX3", &["FMNMX3{.FTZ}{.NAN}{.XORSIGN} Rd, |Ra|, |Rb|, |Rc|, Pa"], "min.f32, max.f32"),
    form("FMUL", &["FMUL{.scale}{.FTZ}{.SAT}{.rnd} Rd, Ra, Rb"], "mul.f32"),
    form("FMUL2", &["FMUL2{.FTZ}{.rnd} Rd, Ra, Rb"], "mul.f32x2"),
    form("FMUL32I", &["FMUL32I{.FTZ}{.SAT} Rd, Ra, imm"], "mul.f32"),
    form("FRND", &["FRND{.FTZ}{.float}{.whole} Rd, Ra"], "cvt.rni.f32.f32"),
    form("FSEL", &["FSEL Rd, Ra, Rb, Pa"], "selp.f32"),
    form("FSET", &["FSET{.BF}.cmp{.FTZ}{.bool} Rd, Ra, Rb, Pa"], "set.f32"),
    form("FSETP", &["FSETP.cmp{.FTZ}{.bool} Pd, Pe, Ra, Rb, Pa"], "setp.f32, testp.finite.f32"),
    no_ptx("FSWZ", &[], "graphics shaders use the opcode to compute derivatives"),
    no_ptx("FSWZADD", &[], "graphics shaders use the opcode to compute derivatives"),
    no_ptx("GETCRSPTR", &["GETCRSPTR Rd"], SYSTEM),
    no_ptx("GETLMEMBASE", &["GETLMEMBASE Rd"], SYSTEM),
    form("HADD2", &["HADD2{.half2}{.FTZ}{.SAT} Rd, Ra, Rb", "HADD2{.half2}{.FTZ}{.SAT} Rd, Ra, imm, imm", "HADD2.F32{.FTZ}{.SAT} Rd, Ra, Rb", "HADD2.F32{.FTZ}{.SAT} Rd, Ra, imm, imm"], "add.f16x2, sub.f16x2, cvt.f32.f16"),
    form("HADD2_32I", &["HADD2_32I Rd, Ra, imm, imm"], "add.f16x2"),
    form("HFMA2", &["HFMA2{.MMA}{.half2}{.FTZ}{.SAT}{.RELU}{.OOB} Rd, Ra, Rb, Rc", "HFMA2{.MMA}{.half2}{.FTZ}{.SAT}{.RELU}{.OOB} Rd, Ra, imm, imm, Rc", "HFMA2{.MMA}{.half2}{.FTZ}{.SAT}{.RELU}{.OOB} Rd, Ra, Rb, imm, imm"], "fma.rn.f16x2, mov.b32"),
    form("HFMA2_32I", &["HFMA2_32I Rd, Ra, imm, imm, Rc"], "fma.rn.f16x2"),
    form("HGMMA", &[
        "HGMMA.gshape.acc{.BF16|.TF32} Rd, gdesc[URa], Rc{, Pa}{, gsb0}",
        "HGMMA.gshape.acc{.BF16|.TF32} Rd, Ra, gdesc[URb], Rc{, Pa}{, gsb0}",
        "HGMMA.SP.gshape.acc{.BF16|.TF32} Rd, gdesc[URa], Rc{, Pa}, Rm{, imm}{, gsb0}",
    ], "wgmma.mma_async.sync"),
    form("HMMA", &[
        "HMMA.hshape.acc{.BF16|.TF32} Rd, Ra, Rb, Rc",
        "HMMA.SP.hshape.acc{.BF16|.TF32} Rd, Ra, Rb, Rc, Rm, imm",
    ], "mma.sync, wmma.mma.sync"),
    form("HMNMX2", &["HMNMX2{.half2}{.FTZ}{.NAN}{.XORSIGN} Rd, |Ra|, |Rb|, Pa"], "min.f16x2, max.f16x2"),
    form("HMUL2", &["HMUL2{.half2}{.FTZ}{.SAT} Rd, Ra, Rb", "HMUL2{.half2}{.FTZ}{.SAT} Rd, Ra, imm, imm", "HMUL2.F32{.FTZ}{.SAT} Rd, Ra, Rb", "HMUL2.F32{.FTZ}{.SAT} Rd, Ra, imm, imm"], "mul.f16x2"),
    form("HMUL2_32I", &["HMUL2_32I Rd, Ra, imm, imm"], "mul.f16x2"),
    form("HSET2", &["HSET2{.BF|.BM}{.half2}.cmp{.FTZ}{.bool} Rd, Ra, Rb, Pa"], "set.f16x2"),
    form("HSETP2", &["HSETP2{.half2}.cmp{.FTZ}{.H_AND}{.bool} Pd, PT, Ra, Rb, Pa", "HSETP2{.half2}.cmp{.FTZ}{.bool} Pd, Pe, Ra, Rb, Pa"], "setp.f16x2, setp.f16"),
    form("I2F", &["I2F{.float}{.integer}{.rnd} Rd, Ra"], "cvt.rn.f32.s32"),
    form("I2FP", &["I2FP{.float}{.integer}{.rnd} Rd, Ra"], "cvt.rn.f32.s32"),
    form("I2I", &["I2I.narrowint.narrowint{.SAT} Rd, Ra"], "cvt.u8.s32"),
    form("I2IP", &["I2IP.narrowint.S32.SAT Rd, Ra, Rb{, Rc}"], "cvt.pack.sat.u8.s32"),
    form("IABS", &["IABS Rd, Ra"], "abs.s32"),
    form("IADD", &["IADD Rd, Ra, Rb", "IADD.X Rd, Ra, Rb, Pa", "IADD.64 Rd{, Pd}, Ra, Rb", "IADD.64.X Rd{, Pd}, Ra, Rb, Pa"], "add.s32, sub.s32, add.s64"),
    form("IADD2", &[], "add.s32"),
    form("IADD3", &["IADD3 Rd{, Pd{, Pe}}, Ra, Rb, Rc", "IADD3.X Rd{, Pd{, Pe}}, Ra, Rb, Rc, Pa{, Pb}", "IADD3.64 Rd, {PT, PT, }Ra, Rb, Rc"], "add.s32, sub.s32, addc.u32, subc.u32"),
    form("IADD32I", &["IADD32I Rd, Ra, imm", "IADD32I.X Rd, Ra, imm"], "add.s32"),
    form("ICMP", &["ICMP.icmp{.U32|.S32} Rd, Ra, Rb, Rc"], "slct.s32"),
    no_ptx("IDE", &[], SYSTEM),
    form("IDP", &["IDP.4A.byteint.byteint Rd, Ra, Rb, Rc", "IDP.2A{.LO|.HI}.shortint.byteint Rd, Ra, Rb, Rc"], "dp4a.s32.s32, dp2a.lo.s32.s32"),
    form("IDP4A", &["IDP4A.byteint.byteint Rd, Ra, Rb, Rc"], "dp4a.s32.s32"),
    form("IGMMA", &[
        "IGMMA.gshape.intfactor.intfactor{.SAT} Rd, gdesc[URa], Rc{, Pa}{, gsb0}",
        "IGMMA.gshape.intfactor.intfactor{.SAT} Rd, Ra, gdesc[URb], Rc{, Pa}{, gsb0}",
        "IGMMA.SP.gshape.intfactor.intfactor{.SAT} Rd, gdesc[URa], Rc{, Pa}, Rm{, imm}{, gsb0}",
    ], "wgmma.mma_async.sync"),
    form("IMAD", &[
        "IMAD{.MOV|.SHL|.IADD}{.U32|.S32} Rd, Ra, Rb, Rc",
        "IMAD{.U32|.S32}.X Rd{, Pd}, Ra, Rb, Rc, Pa",
        "IMAD.WIDE{.U32|.S32} Rd{, Pd}, Ra, Rb, Rc",
        "IMAD.WIDE{.U32|.S32}.X Rd{, Pd}, Ra, Rb, Rc, Pa",
        "IMAD.HI{.U32|.S32} Rd{, Pd}, Ra, Rb, Rc",
        "IMAD.HI{.U32|.S32}.X Rd{, Pd}, Ra, Rb, Rc, Pa",
    ], "mad.lo.s32, mul.lo.s32, mul.wide.s32, mad.hi.s32, mov.b32, shl.b32, add.s32"),
    form("IMAD32I", &["IMAD32I Rd, Ra, imm, Rc"], "mad.lo.s32"),
    no_ptx("IMADSP", &["IMADSP Rd, Ra, Rb, Rc"], OPTIMIZATION),
    form("IMMA", &[
        "IMMA.ishape.intfactor.intfactor{.SAT} Rd, Ra.ROW, Rb.COL, Rc",
        "IMMA.SP.ishape.intfactor.intfactor{.SAT} Rd, Ra.ROW, Rb.COL, Rc, Rm, imm",
    ], "mma.sync, wmma.mma.sync"),
    form("IMNMX", &["IMNMX{.U32|.S32} Rd, Ra, Rb, Pa", "IMNMX.U64|S64 PT, PT, Rd, Ra, Rb, Pa, !PT"], "min.s32, max.s32, min.s64, max.s64"),
    form("IMUL", &["IMUL{.U32|.S32} Rd, Ra, Rb", "IMUL.WIDE{.U32|.S32} Rd, Ra, Rb", "IMUL.HI{.U32|.S32} Rd, Ra, Rb"], "mul.lo.s32, mul.hi.s32, mul.wide.s32"),
    form("IMUL32I", &["IMUL32I Rd, Ra, imm"], "mul.lo.s32"),
    no_ptx("IPA", &["IPA Rd, a[imm], Ra, Rb"], GRAPHICS),
    form("ISAD", &["ISAD{.U32|.S32} Rd, Ra, Rb, Rc"], "sad.s32"),
    no_ptx("ISBERD", &["ISBERD Rd, [Ra]"], GRAPHICS),
    no_ptx("ISBEWR", &["ISBEWR [Ra], Rb"], GRAPHICS),
    form("ISCADD", &["ISCADD Rd, Ra, Rb, imm"], "mad.lo.s32, shl.b32, add.s32"),
    form("ISCADD32I", &["ISCADD32I Rd, Ra, imm, imm"], "mad.lo.s32, shl.b32, add.s32"),
    form("ISET", &["ISET.icmp{.U32|.S32}.bool Rd, Ra, Rb, Pa"], "set.u32.s32"),
    form("ISETP", &["ISETP.icmp{.U32|.S32|.U64|.S64}{.bool} Pd, Pe, Ra, Rb, Pa", "ISETP.icmp{.U32|.S32}{.bool}.EX Pd, Pe, Ra, Rb, Pa{, Pb}"], "setp.s32, setp.s64"),
    form("JCAL", &["JCAL imm"], "call"),
    form("JMP", &["JMP{.U}{.inc}{.ABS} {Pa, }label"], "bra"),
    form("JMX", &["JMX{.inc} Ra imm"], "brx.idx"),
    form("JMXU", &["JMXU{.inc} URa imm"], "brx.idx"),
    no_ptx("KIL", &["KIL"], GRAPHICS),
    no_ptx("KILL", &["KILL"], GRAPHICS),
    form("LD", &["LD{.E}{.evict}{.cop}{.l2}{.l2evict}{.size}{.sem}{.scope}{.PRIVATE} Rd, [Ra]{, Pa}", "LD{.E}.256 Rd, Re, [Ra]"], "ld"),
    form("LDC", &["LDC{.csize} Rd, c[bank][imm]", "LDC{.csize} Rd, c[bank][Ra+imm]"], "ld.param, ld.const"),
    form("LDCU", &["LDCU{.csize} URd, c[bank][imm]", "LDCU{.csize} URd, c[bank][URa+imm]"], "ld.param, ld.const"),
    form("LDG", &["LDG{.E}{.evict}{.cop}{.l2}{.l2evict}{.size}{.CONSTANT}{.sem}{.scope}{.PRIVATE} Rd, [Ra]{, Pa}", "LDG{.E}{.l2evict}.256{.CONSTANT} Rd, Re, [Ra]"], "ld.global, ld.global.nc"),
    form("LDGDEPBAR", &["LDGDEPBAR"], "cp.async.commit_group"),
    form("LDGMC", &[], "multimem.ld_reduce"),
    form("LDGSTS", &["LDGSTS{.E}{.BYPASS|.ACCESS}{.l2}{.ZFILL}{.32|.64|.128} [Ra], [Rb]{, Pa}"], "cp.async.ca.shared.global, cp.async.cg.shared.global"),
    form("LDL", &["LDL{.LU}{.size} Rd, [Ra]"], "ld.local"),
    no_ptx("LDLK", &[], "`ptxas` inserts the opcode for atomic operations on Kepler"),
    form("LDS", &["LDS{.U}{.size} Rd, [Ra]"], "ld.shared"),
    no_ptx("LDSLK", &["LDSLK Pd, Rd, [Ra]"], "`ptxas` inserts the opcode for atomic operations on shared memory on Kepler"),
    form("LDSM", &[
        "LDSM.16.m88{.2|.4} Rd, [Ra]",
        "LDSM.8.MT1616{.2} Rd, [Ra]",
        "LDSM.unpack.MT1616{.2} Rd, [Ra]",
        "LDSM.unpack.M816{.2|.4} Rd, [Ra]",
    ], "ldmatrix.sync.aligned"),
    no_ptx("LDS_LDU", &[], OPTIMIZATION),
    no_ptx("LDT", &[], UNDOCUMENTED),
    form("LDTM", &[
        "LDTM{.tmshape}{.times}{.PACK16BIT} Rd, tmem[URa]",
        "LDTM.STAT{.times}.stat{.NAN}{.F32|.S32} Rd, Re, tmem[URa]",
    ], "tcgen05.ld, tcgen05.ld.red"),
    no_ptx("LDTRAM", &[], GRAPHICS),
    no_ptx("LDU", &[], UNDOCUMENTED),
    form("LEA", &[
        "LEA Rd{, Pd}, Ra, Rb, imm",
        "LEA.X Rd{, Pd}, Ra, Rb, imm, Pa",
        "LEA.HI Rd{, Pd}, Ra, Rb, Rc, imm",
        "LEA.HI.X Rd{, Pd}, Ra, Rb, Rc, imm, Pa",
        "LEA.HI.SX32 Rd{, Pd}, Ra, Rb, imm",
        "LEA.HI.X.SX32 Rd{, Pd}, Ra, Rb, imm, Pa",
    ], "mad.wide.s32, shl.b32, add.s64"),
    no_ptx("LEPC", &["LEPC Rd{, label}"], "`ptxas` inserts the opcode to compute the return address of a call"),
    no_ptx("LONGJMP", &["LONGJMP label"], RECONVERGENCE),
    form("LOP", &["LOP.logic Rd, Ra, Rb"], "and.b32, or.b32, xor.b32, not.b32"),
    form("LOP3", &["LOP3{.LUT}{.PAND|.POR} {Pd, }Rd, Ra, Rb, Rc, imm{, Pa}"], "lop3.b32, and.b32, or.b32, xor.b32, not.b32"),
    form("LOP32I", &["LOP32I.logic Rd, Ra, imm"], "and.b32, or.b32, xor.b32"),
    form("MATCH", &["MATCH.ANY{.U32|.U64} Rd, Ra", "MATCH.ALL{.U32|.U64} Pd, Rd, Ra"], "match.any.sync, match.all.sync"),
    form("MEMBAR", &["MEMBAR{.SC|.ALL}{.scope}"], "fence.acq_rel, fence.sc, membar.gl"),
    form("MOV", &["MOV Rd, Ra{, mask}", "MOV.64 Rd, Ra"], "mov.b32, mov.b64"),
    form("MOV32I", &["MOV32I Rd, imm"], "mov.b32"),
    form("MOVM", &["MOVM.16.MT88 Rd, Ra"], "movmatrix.sync.aligned"),
    form("MUFU", &["MUFU.mufu{.FTZ} Rd, Ra", "MUFU.EX2{.half|.F16x2|.BF16x2}{.FTZ} Rd, Ra", "MUFU.TANH{.half|.F16x2|.BF16x2}{.FTZ} Rd, Ra", "MUFU.mufu64 Rd, Ra", "MUFU.trig Rd, Ra"], "rcp.approx.f32, rsqrt.approx.f32, sqrt.approx.f32, ex2.approx.f32, lg2.approx.f32, sin.approx.f32, cos.approx.f32, tanh.approx.f32"),
    form("NANOSLEEP", &["NANOSLEEP Ra"], "nanosleep.u32"),
    no_ptx("NOP", &["NOP"], "`ptxas` inserts the opcode for alignment"),
    form("OMMA", &[
        "OMMA.SF.oshape.acc.E2M1.E2M1.sf{.4X} Rd, Ra, Rb, Rc, Rs, Rt, Ru",
        "OMMA.SF.SP.oshape.acc.E2M1.E2M1.sf{.4X} Rd, Ra, Rb, Rc, Rm, Rt, Ru, imm",
    ], "mma.sync"),
    no_ptx("OUT", &["OUT Rd, Ra, Rb"], GRAPHICS),
    no_ptx("P2R", &["P2R{.byte} Rd, PR, Ra, imm"], "`ptxas` inserts the opcode to spill predicates"),
    no_ptx("PATCH", &[], GRAPHICS),
    no_ptx("PBK", &["PBK label"], RECONVERGENCE),
    no_ptx("PCNT", &["PCNT label"], RECONVERGENCE),
    no_ptx("PEXIT", &["PEXIT label"], RECONVERGENCE),
    no_ptx("PIXLD", &[], GRAPHICS),
    no_ptx("PLONGJMP", &["PLONGJMP label"], RECONVERGENCE),
    form("PLOP3", &["PLOP3{.LUT} Pd, Pe, Pa, Pb, Pc, imm, imm"], "and.pred, or.pred, xor.pred, not.pred"),
    form("PMTRIG", &["PMTRIG imm"], "pmevent"),
    form("POPC", &["POPC Rd, Ra"], "popc.b32"),
    form("PREEXIT", &["PREEXIT"], "griddepcontrol.launch_dependents"),
    no_ptx("PRET", &["PRET label"], RETURN_STACK),
    form("PRMT", &["PRMT{.prmt} Rd, Ra, Rb, Rc"], "prmt.b32"),
    form("PSET", &["PSET.bool.bool Rd, Pa, Pb, Pc"], "and.pred, or.pred, xor.pred"),
    form("PSETP", &["PSETP.bool.bool Pd, Pe, Pa, Pb, Pc"], "and.pred, or.pred, xor.pred"),
    form("QGMMA", &[
        "QGMMA.gshape.acc.floatfactor.floatfactor Rd, gdesc[URa], Rc{, Pa}{, gsb0}",
        "QGMMA.gshape.acc.floatfactor.floatfactor Rd, Ra, gdesc[URb], Rc{, Pa}{, gsb0}",
        "QGMMA.SP.gshape.acc.floatfactor.floatfactor Rd, gdesc[URa], Rc{, Pa}, Rm{, imm}{, gsb0}",
    ], "wgmma.mma_async.sync"),
    form("QMMA", &[
        "QMMA.qshape.acc.floatfactor.floatfactor Rd, Ra, Rb, Rc",
        "QMMA.SP.qshape.acc.floatfactor.floatfactor Rd, Ra, Rb, Rc, Rm, imm",
        "QMMA.SF.qshape.acc.floatfactor.floatfactor.E8 Rd, Ra, Rb, Rc, Rs, Rt, Ru",
        "QMMA.SF.SP.qshape.acc.floatfactor.floatfactor.E8 Rd, Ra, Rb, Rc, Rm, Rt, Ru, imm",
    ], "mma.sync"),
    form("QSPC", &["QSPC{.E}.space Pd, RZ, [Ra]"], "isspacep.shared, isspacep.local, isspacep.global"),
    no_ptx("R2B", &["R2B.RESULT Ra"], SYSTEM),
    no_ptx("R2P", &["R2P{.byte} PR, Ra{, imm}"], "`ptxas` inserts the opcode to restore predicates"),
    no_ptx("R2UR", &["R2UR{.OR}{.FILL}{.BROADCAST} {Pd, }URd, Ra"], "`ptxas` inserts the opcode if a value is uniform over the warp"),
    no_ptx("RAM", &["RAM"], SYSTEM),
    form("RED", &["RED{.E}.rop{.aty}{.FTZ}{.RN}{.evict}{.sem}{.scope} [Ra], Rb"], "red.global, red"),
    form("REDAS", &[], "red.async"),
    form("REDG", &["REDG{.E}.rop{.aty}{.FTZ}{.RN}{.evict}{.sem}{.scope} [Ra], Rb", "REDG{.E}.rop.vec{.FTZ}{.RN}{.evict}{.sem}{.scope} [Ra], Rb"], "red.global"),
    form("REDS", &[], "red.shared"),
    form("REDUX", &["REDUX{.reduce}{.S32|.F32}{.NAN} URd, Ra"], "redux.sync"),
    form("RET", &["RET{.REL|.ABS}{.NODEC|.DEC} Ra{ label}"], "ret"),
    no_ptx("RPCMOV", &["RPCMOV.32 Rpc.LO, Ra", "RPCMOV.32 Rd, Rpc.LO"], RETURN_STACK),
    form("RRO", &["RRO.SINCOS Rd, Ra", "RRO.EX2 Rd, Ra"], "sin.approx.f32, cos.approx.f32, ex2.approx.f32"),
    no_ptx("RTT", &["RTT"], SYSTEM),
    form("S2R", &["S2R Rd, special"], "mov.u32"),
    form("S2UR", &["S2UR URd, special"], "mov.u32"),
    no_ptx("SAM", &["SAM"], SYSTEM),
    form("SEL", &["SEL{.64} Rd, Ra, Rb, Pa"], "selp.b32, selp.b64"),
    no_ptx("SETCRSPTR", &["SETCRSPTR Ra"], SYSTEM),
    no_ptx("SETCTAID", &["SETCTAID Ra"], SYSTEM),
    no_ptx("SETLMEMBASE", &["SETLMEMBASE Ra"], SYSTEM),
    form("SGXT", &["SGXT{.wrap}{.U32} Rd, Ra, Rb"], "szext.wrap.s32, bfe.s32, cvt.s32.s16"),
    form("SHF", &["SHF.L|R{.W}{.U32|.S32|.U64|.S64}{.HI} Rd, Ra, Rb, Rc"], "shl.b32, shr.u32, shf.l.wrap.b32, shf.r.wrap.b32, shl.b64, shr.u64"),
    form("SHFL", &["SHFL.shuffle Pd, Rd, Ra, Rb, Rc"], "shfl.sync"),
    form("SHL", &["SHL{.W} Rd, Ra, Rb"], "shl.b32"),
    form("SHR", &["SHR{.U32|.S32}{.W} Rd, Ra, Rb"], "shr.u32, shr.s32"),
    no_ptx("SSY", &["SSY label"], RECONVERGENCE),
    form("STAS", &["STAS{.64|.128} [Ra.64], Rb"], "st.async"),
    no_ptx("STSCUL", &["STSCUL Pd, [Ra], Rb"], "`ptxas` inserts the opcode for atomic operations on shared memory on Kepler"),
    form("STSM", &["STSM.16.m88{.2|.4} [Ra], Rb", "STSM.8.MT168{.2|.4} [Ra], Rb"], "stmatrix.sync.aligned"),
    no_ptx("STSUL", &["STSUL [Ra], Rb"], "`ptxas` inserts the opcode for atomic operations on shared memory on Kepler"),
    no_ptx("STT", &[], UNDOCUMENTED),
    form("STTM", &["STTM{.tmshape}{.times}{.EXPAND16BIT} tmem[URa], Rb"], "tcgen05.st"),
    form("SUATOM", &[], "sured.b"),
    no_ptx("SUBFM", &[], SURFACE_ADDRESS),
    no_ptx("SUCLAMP", &[], SURFACE_ADDRESS),
    no_ptx("SUEAU", &[], SURFACE_ADDRESS),
    form("SULD", &["SULD.D.BA.geom{.suwidth}{.STRONG}{.SM|.GPU|.SYS}{.CONSTANT}{.bounds} Rd, [Ra], URb", "SULD.P.geom{.suwidth}{.STRONG}{.SM|.GPU|.SYS}{.CONSTANT}{.bounds} Rd, [Ra], URb"], "suld.b"),
    form("SULDGA", &[], "suld.b"),
    form("SUQ", &[], "suq.width"),
    form("SURED", &["SURED.D.BA.geom.rop{.aty}{.STRONG}{.SM|.GPU|.SYS}{.bounds} [Ra], Rb, URc", "SURED.P.geom.rop{.aty}{.STRONG}{.SM|.GPU|.SYS}{.bounds} [Ra], Rb, URc"], "sured.b, sured.p"),
    form("SUST", &["SUST.D.BA.geom{.suwidth}{.STRONG}{.SM|.GPU|.SYS}{.bounds} [Ra], Rb, URc", "SUST.P.geom{.suwidth}{.STRONG}{.SM|.GPU|.SYS}{.bounds} [Ra], Rb, URc"], "sust.b, sust.p"),
    form("SUSTGA", &[], "sust.b, sust.p"),
    no_ptx("SYNC", &["SYNC"], RECONVERGENCE),
    form("SYNCS", &[
        "SYNCS.EXCH.64 URZ, [URa], URb",
        "SYNCS.ARRIVE.TRANS64{.arrival}{.RED} Rd, [Ra], Rb",
        "SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [Ra], Rb",
        "SYNCS.PHASECHK.TRANS64{.TRYWAIT} Pd, [Ra], Rb",
        "SYNCS.CCTL.IV [Ra]",
        "SYNCS.CCTL.IVALL",
    ], "mbarrier.init, mbarrier.arrive, mbarrier.expect_tx, mbarrier.test_wait, mbarrier.try_wait, mbarrier.inval"),
    form("TEX", &[
        "TEX{.SCR}{.LL|.LZ}{.AOFFI}{.DC}{.NODEP} Rd, Re, Ra, Rb, URc, geometry{, imm}",
        "TEX{.SCR}.B{.LL|.LZ}{.AOFFI}{.DC}{.NODEP} Rd, Re, Ra, Rb, geometry{, imm}",
    ], "tex"),
    form("TEXDEPBAR", &["TEXDEPBAR imm"], "tex"),
    form("TEXS", &["TEXS Rd, Re, Ra, Rb, imm, geometry"], "tex"),
    form("TLD", &[
        "TLD{.SCR}{.LL|.LZ}{.AOFFI}{.NODEP} Rd, Re, Ra, Rb, URc, geometry{, imm}",
        "TLD{.SCR}.B{.LL|.LZ}{.AOFFI}{.NODEP} Rd, Re, Ra, Rb, geometry{, imm}",
    ], "tex"),
    form("TLD4", &["TLD4{.SCR}{.component}{.AOFFI}{.DC}{.NODEP} Rd, Re, Ra, Rb, URc, geometry{, imm}", "TLD4{.SCR}.R.B{.AOFFI}{.DC}{.NODEP} Rd, Re, Ra, Rb, geometry{, imm}"], "tld4.r.2d"),
    form("TLD4S", &["TLD4S Rd, Re, Ra, Rb, imm"], "tld4.r.2d"),
    form("TLDS", &["TLDS Rd, Re, Ra, Rb, imm, geometry"], "tex"),
    no_ptx("TMML", &["TMML Rd, Ra, imm, geometry"], GRAPHICS),
    no_ptx("TTU", &[], RAY_TRACING),
    no_ptx("TTUCCTL", &[], RAY_TRACING),
    no_ptx("TTUCLOSE", &[], RAY_TRACING),
    no_ptx("TTUGO", &[], RAY_TRACING),
    no_ptx("TTULD", &[], RAY_TRACING),
    no_ptx("TTUMACROFUSE", &[], RAY_TRACING),
    no_ptx("TTUOPEN", &[], RAY_TRACING),
    no_ptx("TTUST", &[], RAY_TRACING),
    no_ptx("TXA", &[], GRAPHICS),
    form("TXD", &["TXD{.AOFFI}{.DC}{.NODEP} Rd, Re, Ra, Rb, URc, geometry{, imm}", "TXD.B{.AOFFI}{.DC}{.NODEP} Rd, Re, Ra, Rb, geometry{, imm}"], "tex.grad"),
    form("TXQ", &["TXQ Rd, Re, Ra, TEX_HEADER_DIMENSION, URb, imm", "TXQ.B Rd, Re, Ra, TEX_HEADER_DIMENSION, imm"], "txq.width, txq.height, txq.depth"),
    form("UBLKCP", &["UBLKCP.S.G{.MULTICAST} [URa], [URb], URc{, desc[URe]}", "UBLKCP.S.S [URa], [URb], URc", "UBLKCP.G.S{.DST_G_BYTE_MASK} [URa], [URb], URc{, desc[URe]}"], "cp.async.bulk"),
    form("UBLKPF", &["UBLKPF [URa], URb{, desc[URe]}"], "cp.async.bulk.prefetch"),
    form("UBLKRED", &["UBLKRED.G.S.rop{.aty} [URa], [URb], URc{, desc[URe]}", "UBLKRED.S.S.rop{.aty} [URa], [URb], URc"], "cp.reduce.async.bulk"),
    form("UCGABAR_ARV", &["UCGABAR_ARV"], "barrier.cluster.arrive"),
    no_ptx("UCGABAR_GET", &[], UNDOCUMENTED),
    no_ptx("UCGABAR_SET", &[], UNDOCUMENTED),
    form("UCGABAR_WAIT", &["UCGABAR_WAIT"], "barrier.cluster.wait"),
    no_ptx("UCLEA", &[], UNDOCUMENTED),
    form("UGETNEXTWORKID", &["UGETNEXTWORKID.SELFCAST [URa], [URb]", "UGETNEXTWORKID.BROADCAST [URa], [URb]"], "clusterlaunchcontrol.try_cancel.async"),
    form("UMEMSETS", &["UMEMSETS.64 [URa], URZ, URb"], "st.bulk"),
    no_ptx("UP2UR", &["UP2UR{.byte} URd, UPR, URa, imm"], "`ptxas` inserts the opcode to spill uniform predicates"),
    no_ptx("UR2P", &["UR2P{.byte} PR, URa{, imm}"], "`ptxas` inserts the opcode to restore predicates"),
    no_ptx("UR2R", &["UR2R{.OR}{.FILL}{.BROADCAST} {Pd, }Rd, URa"], "`ptxas` inserts the opcode to copy uniform registers to vector registers"),
    no_ptx("UR2UP", &["UR2UP{.byte} UPR, URa{, imm}"], "`ptxas` inserts the opcode to restore uniform predicates"),
    no_ptx("UREDGR", &[], UNDOCUMENTED),
    form("USETMAXREG", &["USETMAXREG.DEALLOC.CTAPOOL imm", "USETMAXREG.TRY_ALLOC.CTAPOOL UPd, imm"], "setmaxnreg.dec.sync, setmaxnreg.inc.sync"),
    form("USTGR", &["USTGR{.E}{.evict}{.cop}{.size}{.sem}{.scope} [URa], URb"], "st.global"),
    form("USTS", &[], "st.shared"),
    form("UTCATOMSWS", &["UTCATOMSWS{.2CTA}.FIND_AND_SET{.ALIGN} UPd, URd, URa", "UTCATOMSWS{.2CTA}.AND URZ, URa"], "tcgen05.alloc, tcgen05.dealloc"),
    form("UTCBAR", &["UTCBAR{.2CTA} [URa], URZ", "UTCBAR{.2CTA}.MULTICAST [URa], URZ, URb"], "tcgen05.commit"),
    form("UTCCP", &["UTCCP.T.S{.2CTA}{.cpshape}{.cpunpack} tmem[URa], gdesc[URb]"], "tcgen05.cp"),
    form("UTCHMMA", &["UTCHMMA{.2CTA}{.ASHIFT} gdesc[URa], gdesc[URb], tmem[URc], tmem[URm], idesc[URs]{, URt}, UPa{, imm}", "UTCHMMA{.2CTA}.WS gdesc[URa], gdesc[URb], tmem[URc], tmem[URm], idesc[URs]{, URt}, UPa"], "tcgen05.mma"),
    form("UTCIMMA", &["UTCIMMA{.2CTA}{.ASHIFT} gdesc[URa], gdesc[URb], tmem[URc], tmem[URm], idesc[URs]{, URt}, UPa{, imm}", "UTCIMMA{.2CTA}.WS gdesc[URa], gdesc[URb], tmem[URc], tmem[URm], idesc[URs]{, URt}, UPa"], "tcgen05.mma"),
    form("UTCOMMA", &["UTCOMMA{.2CTA}{.4X|.BLOCK16} gdesc[URa], gdesc[URb], tmem[URc], tmem[URm], idesc[URs], tmem[URt], UPa"], "tcgen05.mma"),
    form("UTCQMMA", &["UTCQMMA{.2CTA}{.ASHIFT} gdesc[URa], gdesc[URb], tmem[URc], tmem[URm], idesc[URs]{, tmem[URt]}, UPa", "UTCQMMA{.2CTA}.WS gdesc[URa], gdesc[URb], tmem[URc], tmem[URm], idesc[URs]{, URt}, UPa"], "tcgen05.mma"),
    form("UTCSHIFT", &["UTCSHIFT{.2CTA}.DOWN tmem[URa]"], "tcgen05.shift"),
    form("UTMACCTL", &["UTMACCTL.PF [URa]", "UTMACCTL.IV [URa]"], "prefetch.tensormap, fence.proxy.tensormap::generic.acquire.gpu"),
    form("UTMACMDFLUSH", &["UTMACMDFLUSH"], "cp.async.bulk.commit_group"),
    form("UTMALDG", &["UTMALDG.rank{.2CTA} [URa], [URb]{, desc[URe]}", "UTMALDG.rank.MULTICAST{.2CTA} [URa], [URb], URc{, desc[URe]}", "UTMALDG.imrank.im2col{.MULTICAST}{.2CTA} [URa], [URb], URc{, desc[URe]}", "UTMALDG.2D.GATHER4{.2CTA} [URa], [URb]{, desc[URe]}"], "cp.async.bulk.tensor"),
    no_ptx("UTMALST", &[], UNDOCUMENTED),
    form("UTMAPF", &["UTMAPF{.L2}.rank [URa], [URb]{, desc[URe]}"], "cp.async.bulk.prefetch.tensor"),
    form("UTMAREDG", &["UTMAREDG.rank.rop{.IM2COL|.SCATTER4} [URa], [URb]{, desc[URe]}"], "cp.reduce.async.bulk.tensor"),
    form("UTMASTG", &["UTMASTG.rank{.IM2COL|.SCATTER4} [URa], [URb]{, desc[URe]}"], "cp.async.bulk.tensor"),
    no_ptx("UVIRTCOUNT", &["UVIRTCOUNT.DEALLOC.SMPOOL imm"], "`ptxas` inserts the opcode after `tcgen05.dealloc`"),
    form("VABSDIFF", &["VABSDIFF{.U32|.S32} Rd, Ra, Rb, Rc"], "sad.s32, vabsdiff.s32.s32.s32"),
    form("VABSDIFF2", &["VABSDIFF2 Rd, Ra, Rb, Rc"], "vabsdiff2.s32.s32.s32"),
    form("VABSDIFF4", &["VABSDIFF4{.U8}{.ACC} Rd, Ra, Rb, Rc"], "vabsdiff4.u32.u32.u32"),
    form("VADD", &["VADD Rd, Ra, Rb, Rc"], "vadd.s32.s32.s32"),
    form("VADDMNMX", &["VADDMNMX Rd, Ra, Rb, Rc, Pa"], "vadd.s32.s32.s32"),
    form("VHMNMX", &["VHMNMX{.half2}{.FTZ}{.NAN}{.XORSIGN} Rd, |Ra|, |Rb|, |Rc|, Pa"], "min.f16x2, max.f16x2"),
    form("VIADD", &["VIADD Rd, Ra, Rb", "VIADD{.S32}.ISAT Rd, Ra, Rb", "VIADD.16x2 Rd, Ra, Rb", "VIADD.simd Rd, Ra, Rb", "VIADD.64 Rd, Ra, Rb"], "add.s32, add.sat.s32, add.u16x2, vadd4.u32.u32.u32"),
    form("VIADDMNMX", &["VIADDMNMX{.int2}{.RELU} Rd, Ra, Rb, Rc, Pa"], "min.s32, max.s32, add.s32"),
    form("VIMNMX", &["VIMNMX{.int2}{.RELU} Rd, {Pd, Pe, }Ra, Rb, Pa", "VIMNMX.U8x4 Rd, {Pd, Pe, }Ra, Rb, Pa", "VIMNMX.S8x4{.RELU} Rd, {Pd, Pe, }Ra, Rb, Pa"], "min.s32, max.s32, min.s16x2, vmin4.s32.s32.s32"),
    form("VIMNMX3", &["VIMNMX3{.int2}{.RELU} Rd, Ra, Rb, Rc, Pa"], "min.s32, max.s32"),
    form("VMAD", &["VMAD Rd, Ra, Rb, Rc"], "vmad.s32.s32.s32"),
    form("VMNMX", &["VMNMX Rd, Ra, Rb, Rc"], "vmin.s32.s32.s32, vmax.s32.s32.s32"),
    form("VOTE", &["VOTE.vote {Rd, }Pd, Pa"], "vote.sync.all.pred, vote.sync.ballot.b32, activemask.b32"),
    form("VOTEU", &["VOTEU.vote {URd, }UPd, Pa"], "vote.sync.all.pred, vote.sync.ballot.b32, activemask.b32"),
    no_ptx("VOTE_VTG", &[], GRAPHICS),
    form("VSET", &["VSET Rd, Ra, Rb, Rc"], "vset.s32.s32.lt"),
    form("VSETP", &["VSETP Pd, Pe, Ra, Rb, Pa"], "vset.s32.s32.lt"),
    form("VSHL", &["VSHL Rd, Ra, Rb, Rc"], "vshl.s32.s32.u32.clamp"),
    form("VSHR", &["VSHR Rd, Ra, Rb, Rc"], "vshr.s32.s32.u32.clamp"),
    form("WARPGROUP", &["WARPGROUP.ARRIVE", "WARPGROUP.DEPBAR.LE gsb0, imm"], "wgmma.fence.sync, wgmma.wait_group.sync"),
    no_ptx("WARPGROUPSET", &[], UNDOCUMENTED),
    form("WARPSYNC", &["WARPSYNC{.EXCLUSIVE|.NOEXCLUSIVE} Ra", "WARPSYNC.ALL", "WARPSYNC.COLLECTIVE Ra, label"], "bar.warp.sync"),
    form("XMAD", &["XMAD Rd, Ra, Rb, Rc"], "mad.lo.s32, mul.lo.s32, mul.wide.u16"),
    no_ptx("YIELD", &["YIELD"], "`ptxas` inserts the opcode in loops that wait for another lane"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{SlotKind, forms_of};
    use crate::sass::find_store;
    use crate::sass::modifiers::{MODIFIERS, SETS};
    use crate::sass::opcodes::OPCODES;
    use std::collections::BTreeSet;

    fn slots() -> impl Iterator<Item = (&'static str, ModifierName)> {
        let lines = FORMS.iter().flat_map(|row| {
            let lines = row.lines(Datapath::AsWritten).into_iter();
            lines.map(|line| (row.opcode, line))
        });
        lines.flat_map(|(opcode, line)| {
            let slots = line.modifiers.into_iter();
            slots.flat_map(move |slot| {
                slot.alternatives
                    .into_iter()
                    .map(move |name| (opcode, name))
            })
        })
    }

    #[test]
    fn each_opcode_has_form_with_counterpart_or_is_store() {
        assert!(FORMS.is_sorted_by_key(|row| row.opcode));
        for opcode in OPCODES {
            let forms = find_forms(opcode.name);
            assert_ne!(
                forms.is_some(),
                find_store(opcode.name).is_some(),
                "{}",
                opcode.name
            );
        }
        for row in FORMS {
            assert!(find_opcode(row.opcode).is_some(), "{}", row.opcode);
            let (Counterpart::Ptx(text) | Counterpart::None(text)) = row.counterpart;
            assert!(!text.is_empty(), "{}", row.opcode);
            for line in row.syntax {
                let rest = line.strip_prefix(row.opcode);
                let is_own =
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '.', '{']));
                assert!(is_own, "{line}");
            }
        }
    }

    #[test]
    fn each_modifier_in_syntax_is_defined_and_each_defined_is_used() {
        let mut used = BTreeSet::new();
        for (opcode, name) in slots() {
            match name {
                ModifierName::Literal(text) => {
                    let meaning = find_modifier(opcode, text);
                    assert!(meaning.is_some(), "{opcode}: `.{text}`");
                    used.insert(text);
                }
                ModifierName::Set(set) => {
                    used.insert(set.name);
                }
            }
        }
        for set in SETS {
            assert!(used.contains(set.name), "{}", set.name);
        }
        for (name, _) in MODIFIERS {
            let text = name.split_once('.').map_or(*name, |(_, word)| word);
            assert!(used.contains(text), "{name}");
        }
    }

    /// Verifies that each component of a PTX counterpart is a modifier of a PTX form of its opcode.
    #[test]
    fn counterparts_are_valid_ptx_mnemonics() {
        for row in FORMS {
            let Counterpart::Ptx(mnemonics) = row.counterpart else {
                continue;
            };
            for mnemonic in mnemonics.split(", ") {
                let mut words = mnemonic.split('.');
                let opcode = words.next().unwrap_or_default();
                let words: Vec<&str> = words.collect();
                let mut forms = forms_of(opcode);
                let is_form = forms.any(|layout| {
                    words.iter().all(|word| {
                        layout.slots.iter().any(|slot| match slot.kind {
                            SlotKind::Set(set) => {
                                set.values.iter().any(|value| value.text == *word)
                            }
                            SlotKind::Literal(text, _) => text == *word,
                        })
                    })
                });
                assert!(is_form, "{}: {mnemonic}", row.opcode);
            }
        }
    }

    #[test]
    fn uniform_opcodes_have_uniform_operands() {
        let (forms, datapath) = find_forms("UIADD3").expect("one dimension");
        let lines = forms.lines(datapath);
        let text = "UIADD3.X URd{, UPd{, UPe}}, URa, URb, URc, UPa{, UPb}";
        assert_eq!(lines[1].text, text);
        assert_eq!(find_forms("UFENCE"), None);
    }
}
