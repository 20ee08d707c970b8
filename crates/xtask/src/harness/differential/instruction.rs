//! One random instruction out of the table: an opcode with modifiers that its row has, and operands as wide as their types.

use super::inputs;
use super::kernel::{N_HALVES, N_LONGS, N_PREDICATES, N_WORDS};
use crate::random::Random;
use warpgrid_isa::form::{
    Layout, Meaning, NumberRule, OperandShape, OperandSlot, OperandType, Role, SlotKind, SlotName,
    Takes, Value, layouts,
};
use warpgrid_isa::{Does, ScalarType, Target};

/// What of an instruction has been chosen.
struct Choice {
    layout: &'static Layout,
    /// The values of slots.
    values: Vec<(SlotName, &'static Value)>,
}

/// A random instruction without a guard, and whether it may have one.
pub(super) fn random(target: Option<&Target>, random: &mut Random) -> (String, bool) {
    loop {
        let Some(layout) = random.pick(layouts()) else {
            return (String::new(), false);
        };
        if !is_generated(layout) || !is_there(layout, target) {
            continue;
        }
        // Rows of one opcode stand for as much as one row of another, more or less.
        let n_rows = layouts()
            .iter()
            .filter(|other| other.opcode == layout.opcode);
        if random.below(n_rows.count().min(6)) > 1 {
            continue;
        }
        let mut choice = Choice {
            layout,
            values: Vec::new(),
        };
        let mnemonic = choice.mnemonic(random);
        let operands: Option<Vec<String>> = layout
            .operands
            .iter()
            .filter_map(|operand| {
                let is_left_out = operand.optional && random.below(2) == 0;
                (!is_left_out).then(|| choice.operand(operand, random))
            })
            .collect();
        if let Some(operands) = operands {
            let text = format!("{mnemonic} {};", operands.join(", "));
            let is_first = |index: usize| operands.get(index) == operands.get(1);
            // Of `min.f16 %h0, %h1, %h1` the assembler makes a copy, which keeps any NaN.
            let is_folded = matches!(layout.opcode, "min" | "max") && (2..4).any(is_first);
            let is_sm_75 = target.is_some_and(|target| target.sm == 75);
            // For `sm_75` the listing of `cvt.rn.satfinite.f16.f32 %h1, %f1` has no conversion (13.5.37).
            // After another half it rounds to the nearest, whichever way is asked for: of `mul.f16 %h1, %h3, %h3; @%p2 cvt.rz.f16.f32 %h1, %r0` it
            // makes `HMUL2.F32`, a move and `HADD2 R0, R0.F32, -RZ`.
            let is_lost = is_sm_75
                && (text.contains(".satfinite")
                    || layout.opcode == "cvt" && text.contains(".f16.f32"));
            if is_left_out(&text) || is_folded || is_lost {
                continue;
            }
            if let Some(width) = divisor_width(layout, &text)
                && let Some(divisor) = operands.last().filter(|text| text.starts_with('%'))
            {
                return (
                    format!("or.b{width} {divisor}, {divisor}, 1; {text}"),
                    false,
                );
            }
            let keeps_guard = keeps_guard(layout, &text);
            return (text, keeps_guard);
        }
    }
}

/// The width of the divisor of a division of integers, whose result by zero the manual leaves open: of `set.ge.and.ftz.s32.f32 %r2, %r1,
/// %r5, !%p0; rem.u32 %r2, %r6, %r2` the assembler makes a remainder by -1 (13.5.37).
fn divisor_width(layout: &Layout, text: &str) -> Option<u32> {
    let is_division = matches!(layout.opcode, "div" | "rem");
    let opcode = text.split(' ').next().unwrap_or("");
    let (_, ty) = opcode.rsplit_once('.')?;
    let width = ty.strip_prefix(['s', 'u']).filter(|_| is_division)?;
    width.parse().ok()
}

/// Whether instructions of a row are made here: what registers give registers, lane by lane.
fn is_generated(layout: &Layout) -> bool {
    match layout.form.does {
        Does::Arithmetic(_) | Does::Compare(_) | Does::Move(_) | Does::Video(..) => {}
        _ => return false,
    }
    let is_register = |operand: &OperandSlot| operand.shape != OperandShape::Address;
    layout.operands.iter().all(is_register)
}

/// Whether an architecture has the row.
fn is_there(layout: &Layout, target: Option<&Target>) -> bool {
    target.is_none_or(|target| layout.form.gate.target.met_by(target))
}

/// Whether the assembler keeps a guard. Of instructions that it expands it drops it (13.5.37): of
/// `@!%p0 testp.normal.f32 %p1, %f0` and `@%p0 set.gt.f32.s32 %f1, %r1, %r2` for `sm_90` the listing has no instruction under a
/// predicate, and `@!%p1 vsub4.u32.u32.u32.add %r3, %r7, %r4, %r3` is two `IDP.4A` and a difference without one.
fn keeps_guard(layout: &Layout, text: &str) -> bool {
    let is_sum_of_bytes = matches!(layout.opcode, "vadd4" | "vsub4")
        && text.contains(".u32.u32.u32")
        && text.contains(".add");
    !is_sum_of_bytes && !matches!(layout.opcode, "testp" | "set")
}

/// What the manual leaves open or where the assembler itself is wrong, each with why.
fn is_left_out(text: &str) -> bool {
    let is = |opcode: &str| text.starts_with(opcode) && text[opcode.len()..].starts_with('.');
    // Approximations: results differ in their last bits from one way to scale to another. Those that one instruction makes stay.
    let is_approximate = [".approx", ".full"].iter().any(|word| text.contains(word));
    let is_one = text.contains(".ftz") && !["sin", "cos", "div"].iter().any(|opcode| is(opcode));
    // An approximation of a literal it computes itself, and leaves out a product with a result of 1.0, which keeps the bits of a NaN (13.5.37:
    // of `ex2.approx.ftz.f32 %r4, 0f00010000; mul.f32 %r3, %r4, %r3` nothing is left).
    // `rsqrt.approx.ftz.f64` of 0d8000000000800000, which is flushed, it takes for an infinity without a sign.
    let has_literal = text.contains("0f") || text.contains("0d");
    // Two reciprocals, one after the other or in a loop, it takes for the value itself, also where the first one is infinite
    // (13.5.37: of `rcp.approx.ftz.f32 %r3, %r3; rcp.approx.ftz.f32 %r3, %r3` nothing is left).
    let is_reciprocal = is("rcp");
    is_approximate && (!is_one || has_literal || is_reciprocal)
        // A base above 31 has no meaning, and the assembler's loop gives another result (PTX ISA, "fns").
        || is("fns")
        // The manual leaves the bits of a NaN open. The assembler makes `FADD`, which makes its own, or under a predicate `FSEL`, which keeps
        // those that are there. A sign that is turned twice, as in two rounds of a loop, it leaves as it was, and signs that
        // another instruction can take (`FFMA d, |a|, b, c`) it moves there.
        || ["neg.f", "neg.bf", "abs.f", "abs.bf"].iter().any(|start| text.starts_with(start))
        // Of two NaNs the second one is kept, and the assembler exchanges both (13.5.37: `max.f64 %d1, %d3, %d0` is
        // `DSETP.MAX.AND P0, P1, R4, R22` with `%d0` in `R4`).
        || (["min.f64", "max.f64"].iter().any(|start| text.starts_with(start)) && !has_number(text))
        // Of a value and itself it leaves nothing, which keeps the bits of a NaN (13.5.37: of `selp.u16 %h1, %h2, %h2, !%p1; min.f16 %h1, %h1, %h2` no `HMNMX2`
        // is left).
        || ["min.f16 ", "max.f16 "].iter().any(|start| text.starts_with(start))
        // Of literals it computes the result itself, and gives a NaN another sign (13.5.37: `mul.rm.f64 %d1, 0dC0B85C9A81A09676,
        // 0d7FF80000FFFFFFF2` beside the same product of registers). Of one it makes `DFMA`, where another NaN comes first (`mul.f64 %d2, %d1, %d1;
        // sub.f64 %d2, 0dFFF00000653677FB, %d2`).
        || has_nan(text)
        // The assembler takes the upper half of the result for zero, which `HSET2` makes as the lower one is (13.5.37: of `set.gt.f16.f16
        // %h0, %h0, %h1; sad.u16 %h0, %h1, %h0, %h0` it makes `HSET2.BF` and `VABSDIFF.U32`; after `add.f16` it cuts the upper half off).
        // Where an integer instruction takes a result of 32 bits, it makes a truth value of integers (13.5.37: of `set.lt.f32.s32 %r1, %r2, %r3; mad.lo.u32
        // %r7, %r2, %r3, %r1` it makes `SEL R4, RZ, 0xffffffff, !P0`, and before `vmad` after a branch 1).
        || (is("set") && [".f16.", ".bf16.", ".f32."].iter().any(|ty| text.contains(ty)))
        // Of two literals it computes a saturated sum itself, and rounds a tie to the odd neighbour (13.5.37: of `add.sat.f32 %r1, 0f38F0A56E,
        // 0fB85C86BD` it makes 0x3882620f; half way to 0x38826210).
        // A product of two it computes without flushing them (13.5.37: `mul.ftz.f32 %r1, 0fFF800000, 0f00000006` is 0xff800000).
        || ([".sat", ".ftz"].iter().any(|word| text.contains(word)) && text.matches("0f").count() > 1)
        // It takes the limit of the integers for that of the floats (13.5.37: of `mad24.hi.sat.s32 %r1, 0x15, %r3, %r2; max.ftz.f32 %r3, %r1, 0fEFA3EC84`
        // it makes `FADD.FTZ.SAT`; of `vmad.u32.s32.u32.po.sat.shr15 %r7, %r6.b3, %r4.b2, %r5; max.ftz.f32 %r4, 0fC4E7E89F, %r7` no maximum is left).
        || text.starts_with("mad24.hi.sat")
        || (text.starts_with("vmad.") && text.contains(".sat"))
        // A product with 1.0 it leaves out, which keeps the bits of a NaN (13.5.37: of `mul.f64 %d1, 0d3FF0000000000000, %d2; xor.b64` the `LOP3`
        // is left).
        || (is("mul") && text.contains("0d3FF0000000000000"))
        || is_mistaken_shift(text)
        || is_mistaken_predicate(text)
        // The manual has no `.rz` here. The assembler rounds a pair to the nearest, and takes one for an `f16` (13.5.37: of `fma.rz.bf16x2`
        // it makes `HFMA2.BF16_V2`, of `fma.rz.relu.bf16` `HADD2.F32`, `FFMA.RZ`, `F2FP.F16.F32`).
        || (text.starts_with("fma.rz.") && text.contains(".bf16"))
        // The manual does not say how a part of a register is clamped before it is put there.
        || (text.starts_with('v') && text.contains(".sat") && writes_part(text))
        // Left shifts are exact in the values of arithmetic, as in the manual; the assembler's code takes bit 33 for a sign (13.5.37:
        // `vshl.s32.u32.u32.sat %r3, %r0, 31` of 0xff leaves 0x80000000).
        || (text.starts_with("vshl.") && text.contains(".sat"))
        // A saturated result without a sign it extends by one before the second operation (13.5.37: before the comparison of
        // `vshr.u32.u32.u32.sat.wrap.min` it makes `SHF.R.S32.HI R0, RZ, 0x1f, R5`, where the same without `.sat` has `RZ`).
        || (text.starts_with('v') && text.contains(".sat") && [".min ", ".max "].iter().any(|word| text.contains(word)))
        // It takes the source for 16 bits wide (13.5.37, -O3: of `set.ge.u32.f16x2 %r4, %r0, %r2; cvt.rn.tf32.f32 %r1, %r4` it makes
        // `HSET2.GE.AND R6, R0.H0_H0, R5.H0_H0, PT; PRMT R7, R6, 0x7610, R7` before `F2FP.TF32.F32.PACK_B`; with -O0 neither is there).
        || (is("cvt") && text.contains(".tf32."))
        // It takes an approximation for a number that is not negative, though it may be a NaN (13.5.37: of `ex2.approx.ftz.f32 %r4, %r7;
        // slct.s64.f32 %d0, %d1, %d0, %r4` neither `FSETP` nor `SEL` is left).
        || (is("slct") && text.contains(".f32 "))
        // Where it makes the second of two predicates, as for a branch, it compares without flushing (13.5.37: of `setp.leu.and.ftz.f32 %p1|%p3,
        // 0f00000035, %r4, !%p3; @%p1 bra` it makes `FSETP.GEU.FTZ.AND` and `FSETP.GEU.AND`, of `setp.equ.ftz.f32 %p3, %r7, 0f000000FF;
        // @!%p1 bra` also `FSETP.NE.OR P4, PT, R17, 3.57e-43, P1`).
        || (is("setp") && text.contains(".ftz"))
        // The manual leaves the bits of a NaN open. A conversion to the same type is a move, and with -O0 an instruction that makes its own
        // (13.5.37: `cvt.f32.f32` of 0xffffffee is 0x7fffffff).
        || ["cvt.f32.f32 ", "cvt.f64.f64 "].iter().any(|start| text.starts_with(start))
        // Reads a clock, an address or a place that the two texts do not share.
        || is("mapa")
        || is("getctarank")
        || is("cvta")
        || is("isspacep")
        || is("createpolicy")
        // "cvt.rp.ftz.f16.f32 of 0x00000001": the manual flushes, the assembler writes `F2F.F16.F32.RP` without `FTZ` (13.5.37).
        || (is("cvt") && text.contains(".ftz.f16.f32"))
}

/// The values of 64-bit literals.
fn literals(text: &str) -> impl Iterator<Item = f64> {
    let digits = text.split("0d").skip(1).filter_map(|rest| rest.get(..16));
    let bits = digits.filter_map(|digits| u64::from_str_radix(digits, 16).ok());
    bits.map(f64::from_bits)
}

/// Whether a 64-bit literal is a number.
fn has_number(text: &str) -> bool {
    literals(text).any(|value| !value.is_nan())
}

/// Whether a 64-bit literal is a NaN.
fn has_nan(text: &str) -> bool {
    literals(text).any(f64::is_nan)
}

/// Whether the assembler mistakes the amount of a shift: of `shl.b16 %h1, %h2, 0x5f000000` it takes the low 16 bits, and of
/// `rcp.rp.f32 %r4, %r0; shl.b64 %d0, %d1, %r4` it makes `F2I.U64.TRUNC` of the amount (13.5.37).
fn is_mistaken_shift(text: &str) -> bool {
    let is_shift = text.starts_with("shl.") || text.starts_with("shr.");
    let amount = text.rsplit(' ').next().unwrap_or("");
    let opcode = text.split(' ').next().unwrap_or("");
    is_shift
        && match opcode.get(opcode.len().saturating_sub(2)..) {
            // An amount in a register it clamps as a signed number, or takes from the stack pointer (13.5.37: where `ld.global.v4.s8` made
            // it, `SEL R8, R8, RZ, !P1` leaves 0 of 0xffffff80; of `cnot.b32 %r7, %r4; shl.b16 %h1, 1930, %r7` it makes `SHF.L.U32 R25, R28, R1`).
            Some("16") => amount.starts_with("0x") || amount.starts_with("%r"),
            // A literal it takes for signed after a choice of literals (13.5.37: `slct.u64.s32 %d2, 0x1d1ac75400000001, 0x1cd0b5a9, %r4;
            // shl.b64 %d0, %d2, 0xffffffeb` leaves bits).
            Some("64") => amount.starts_with("%r") || amount.starts_with("0x"),
            _ => false,
        }
}

/// Whether the assembler takes one predicate for another. A copy of a predicate it reads where that has another value already (13.5.37: of
/// `or.pred %p3, %p2, %p2; setp.num.f16x2 %p1|%p2, %r2, %r4; @%p3 st` the store is under the new `%p2`, and so is what follows `setp.lt.or.f64
/// %p0|%p1, 0d362D39BF62BF1A20, 0dC141CC9839F81191, %p1`). Of a predicate that it knows it forgets the `!` (where `%p0` holds, `lop3.or.b32 %r2|%p0,
/// %r4, %r1, %r4, 134, !%p0` is `ULOP3.LUT UP0, UR4, URZ, UR4, UR4, 0x92, UPT`; where `%p2` does not hold, `lop3.and.b32 %r4|%p0, 0x4757a68f,
/// 0x3b1dcc04, 0x3, 41, %p2` has `UPT` too).
fn is_mistaken_predicate(text: &str) -> bool {
    let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
    let mut sources = operands.trim_end_matches(';').split(", ").skip(1);
    let is_copy = text.contains(".pred ") && {
        let first = sources.next();
        first.is_some() && first == sources.next()
    };
    let is_of_literals = text.starts_with("setp") && text.matches("0d").count() > 1;
    is_copy || is_of_literals || text.starts_with("lop3") && text.matches("%p").count() > 1
}

/// Whether the first operand is a part of a register: `%r1.b2`.
fn writes_part(text: &str) -> bool {
    let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
    operands
        .split(',')
        .next()
        .is_some_and(|first| first.contains('.'))
}

impl Choice {
    fn mnemonic(&mut self, random: &mut Random) -> String {
        let mut text = self.layout.opcode.to_owned();
        for slot in &self.layout.slots {
            if !slot.required && random.below(3) != 0 {
                continue;
            }
            text.push('.');
            match slot.kind {
                SlotKind::Literal(word, _) => text.push_str(word),
                SlotKind::Set(set) => {
                    let Some(value) = random.pick(set.values) else {
                        continue;
                    };
                    text.push_str(value.text);
                    self.values.push((set.slot, value));
                }
            }
        }
        text
    }

    fn type_in(&self, slot: SlotName) -> Option<ScalarType> {
        let mut values = self.values.iter().filter(|(name, _)| *name == slot);
        values.find_map(|(_, value)| match value.meaning {
            Meaning::Type(ty) => Some(ty),
            _ => None,
        })
    }

    /// The type of the instruction, where a slot that an operand names is not there.
    fn any_type(&self) -> Option<ScalarType> {
        self.values
            .iter()
            .find_map(|(_, value)| match value.meaning {
                Meaning::Type(ty) => Some(ty),
                _ => None,
            })
    }

    /// An operand as text; none where this has no registers for it.
    fn operand(&self, operand: &OperandSlot, random: &mut Random) -> Option<String> {
        let is_written = operand.role == Role::Written;
        match operand.shape {
            OperandShape::Address => return None,
            OperandShape::Negatable => {
                let not = if random.below(3) == 0 { "!" } else { "" };
                return Some(format!("{not}{}", predicate(random)));
            }
            OperandShape::Plain | OperandShape::Pair { .. } => {}
        }
        let first = match self.width(operand.ty) {
            Some(Width::Bits(bits)) if is_written => register(bits, random)?,
            Some(Width::Bits(bits)) => self.source(bits, operand, random)?,
            Some(Width::Number(most)) => match random.below(3) {
                0 => register(32, random)?,
                _ => random.below(most as usize + 1).to_string(),
            },
            Some(Width::Only(from, to)) => {
                (from + random.below((to - from + 1) as usize) as u64).to_string()
            }
            Some(Width::List(bits, n)) => {
                let list: Option<Vec<String>> = (0..n).map(|_| register(bits, random)).collect();
                format!("{{{}}}", list?.join(", "))
            }
            Some(Width::Part) => part(is_written, random),
            None => return None,
        };
        Some(match operand.shape {
            OperandShape::Pair { optional } if !optional || random.below(2) == 0 => {
                // The two results are not the same register.
                let second = predicate(random);
                match second == first {
                    true => return None,
                    false => format!("{first}|{second}"),
                }
            }
            _ => first,
        })
    }

    /// A register, a literal, or now and then a special register.
    fn source(&self, bits: u32, operand: &OperandSlot, random: &mut Random) -> Option<String> {
        let takes_special = self.layout.form.takes(Takes::SpecialRegister);
        match random.below(12) {
            0..=2 if bits >= 32 => {
                let is_float = self.is_float(operand.ty);
                Some(match (bits, is_float) {
                    (64, true) => format!("0d{:016X}", inputs::long(random)),
                    (64, false) => format!("{:#x}", inputs::long(random)),
                    (_, true) => format!("0f{:08X}", inputs::word(random)),
                    _ => format!("{:#x}", inputs::word(random)),
                })
            }
            0..=2 if bits == 16 => Some((random.next() as u16).to_string()),
            3 if bits == 32 && takes_special => {
                let names = ["%tid.x", "%laneid", "%ntid.x", "%lanemask_lt", "%warpid"];
                random.pick(&names).map(|name| (*name).to_owned())
            }
            _ => register(bits, random),
        }
    }

    fn is_float(&self, ty: OperandType) -> bool {
        let ty = match ty {
            OperandType::Slot(slot) | OperandType::Loose(slot) | OperandType::SingleOf(slot) => {
                self.type_in(slot).or_else(|| self.any_type())
            }
            OperandType::Fixed(ty) | OperandType::Own(ty) | OperandType::Wider(ty) => Some(ty),
            _ => None,
        };
        ty.is_some_and(ScalarType::is_float)
    }

    fn width(&self, ty: OperandType) -> Option<Width> {
        use NumberRule as N;
        use OperandType as T;
        let of = |slot| self.type_in(slot).or_else(|| self.any_type());
        let bits = |ty: ScalarType| match ty {
            ScalarType::Pred => Width::Bits(1),
            ty => Width::Bits(ty.width_bits()),
        };
        match ty {
            T::Slot(slot) | T::SingleOf(slot) => of(slot).map(bits),
            // Registers may be wider; bytes have none of their own.
            T::Loose(slot) => of(slot).map(|ty| match ty.width_bits() {
                8 => Width::Bits(32),
                _ => bits(ty),
            }),
            T::Wide(slot) => of(slot).map(|ty| Width::Bits(ty.width_bits() * 2)),
            T::Fixed(ty) | T::Own(ty) | T::Wider(ty) => Some(bits(ty)),
            T::List(slot, n) => of(slot).map(|ty| Width::List(ty.width_bits(), n)),
            T::Bits(bits) | T::Untyped(bits) => Some(Width::Bits(bits)),
            T::Number(N::Between(from, to)) => Some(Width::Only(from, to)),
            T::Number(N::UpTo(most) | N::PredicateOrUpTo(most)) => {
                Some(Width::Number(most.min(255)))
            }
            T::Literal(bits) => Some(Width::Only(0, (1 << bits.min(8)) - 1)),
            T::Predicate => Some(Width::Bits(1)),
            T::Custom(_) => match self.layout.form.does {
                Does::Video(..) => Some(Width::Part),
                _ => Some(Width::Bits(32)),
            },
            _ => None,
        }
    }
}

/// What an operand is written as.
enum Width {
    /// A register of this width; 1 is a predicate.
    Bits(u32),
    /// A register of 32 bits, or a number up to this.
    Number(u64),
    /// A number from the first to the second.
    Only(u64, u64),
    /// Registers in braces.
    List(u32, usize),
    /// A register of a video instruction, or a part of it.
    Part,
}

fn register(bits: u32, random: &mut Random) -> Option<String> {
    match bits {
        1 => Some(predicate(random)),
        16 => Some(format!("%h{}", random.below(N_HALVES))),
        32 => Some(format!("%r{}", random.below(N_WORDS))),
        64 => Some(format!("%d{}", random.below(N_LONGS))),
        _ => None,
    }
}

pub(super) fn predicate(random: &mut Random) -> String {
    format!("%p{}", random.below(N_PREDICATES))
}

/// `%r1`, `-%r1`, `%r1.b2`, `%r1.h10`: our checker says which of them an instruction takes.
fn part(is_written: bool, random: &mut Random) -> String {
    const PARTS: &[&str] = &[
        ".b0", ".b1", ".b2", ".b3", ".h0", ".h1", ".h10", ".h32", ".b3210", ".b7654", ".b0420",
    ];
    let register = format!("%r{}", random.below(N_WORDS));
    let part = match random.below(4) {
        0 => random.pick(PARTS).copied().unwrap_or(""),
        _ => "",
    };
    let sign = match random.below(8) {
        0 if !is_written => "-",
        _ => "",
    };
    format!("{sign}{register}{part}")
}

/// What lanes of a warp do together, for code that all lanes execute.
pub(super) fn collective(random: &mut Random) -> String {
    let (d, a, b) = (
        random.below(N_WORDS),
        random.below(N_WORDS),
        random.below(N_WORDS),
    );
    let (p, q) = (predicate(random), predicate(random));
    let amount = random.below(32);
    match random.below(8) {
        0 => format!("shfl.sync.idx.b32 %r{d}|{p}, %r{a}, {amount}, 31, -1;"),
        1 => format!("shfl.sync.bfly.b32 %r{d}, %r{a}, {amount}, 31, -1;"),
        2 => format!("shfl.sync.up.b32 %r{d}|{p}, %r{a}, %r{b}, 0x1800, -1;"),
        3 => format!("shfl.sync.down.b32 %r{d}|{p}, %r{a}, {amount}, 0x101f, -1;"),
        4 => {
            let mode = random
                .pick(&["all", "any", "uni"])
                .copied()
                .unwrap_or("any");
            format!("vote.sync.{mode}.pred {p}, {q}, -1;")
        }
        5 => format!("vote.sync.ballot.b32 %r{d}, {p}, -1;"),
        6 => format!("match.any.sync.b32 %r{d}, %r{a}, -1;"),
        _ => format!("match.all.sync.b32 %r{d}|{p}, %r{a}, -1;"),
    }
}
