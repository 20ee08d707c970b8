//! Generates random instructions of the tables. An instruction consists of an opcode with valid modifiers, and of operands that match the
//! types.

use crate::excluded::{KnownMiscompiles, is_excluded};
use crate::inputs;
use crate::kernel::{N_HALVES, N_LONGS, N_PREDICATES, N_WORDS};
use crate::random::SplitMix64;
use warpgrid_isa::form::{
    FormSyntax, ImmediateRange, ModifierSpelling, ModifierValue, OperandAccess, OperandExtension,
    OperandPosition, OperandShape, OperandType, SlotKind, SlotName, layouts,
};
use warpgrid_isa::{Operation, ScalarType, Target};

/// Instruction form, with the modifiers that the generator has chosen.
struct ModifierChoices {
    layout: &'static FormSyntax,
    /// Chosen values of the modifier slots.
    values: Vec<(SlotName, &'static ModifierSpelling)>,
}

/// Generates a random instruction without a guard, and returns whether the instruction may have a guard.
pub(crate) fn random(
    target: Option<&Target>,
    known: KnownMiscompiles,
    random: &mut SplitMix64,
) -> (String, bool) {
    loop {
        let Some(layout) = random.pick(layouts()) else {
            return (String::new(), false);
        };
        if !is_generated(layout) || !is_there(layout, target) {
            continue;
        }
        // The selection limits the weight of opcodes with many forms.
        let n_rows = layouts()
            .iter()
            .filter(|other| other.opcode == layout.opcode);
        if random.below(n_rows.count().min(6)) > 1 {
            continue;
        }
        let mut choice = ModifierChoices {
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
            // The assembler compiles `min.f16 %h0, %h1, %h1` to a copy of `%h1`. The copy preserves the payload of a NaN.
            let is_folded = matches!(layout.opcode, "min" | "max") && (2..4).any(is_first);
            // ptxas reads the copy of a predicate after the redefinition of the predicate: in `or.pred %p3, %p2, %p2; setp.num.f16x2
            // %p1|%p2, %r2, %r4; @%p3 st`, the store is predicated by the new `%p2`.
            let is_predicate_copy =
                text.contains(".pred ") && operands.get(1).is_some_and(|_| is_first(2));
            let is_miscompiled = is_predicate_copy && known == KnownMiscompiles::Excluded;
            let target_name = target.map(|target| target.name);
            if is_folded || is_miscompiled || is_excluded(&text, target_name, known) {
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
            let keeps_guard = known == KnownMiscompiles::Included || keeps_guard(layout, &text);
            return (text, keeps_guard);
        }
    }
}

/// Returns the divisor width of an integer division, whose result for a zero divisor the manual does not define: the assembler compiles
/// `set.ge.and.ftz.s32.f32 %r2, %r1, %r5, !%p0; rem.u32 %r2, %r6, %r2` to a remainder by -1 (13.5.37).
fn divisor_width(layout: &FormSyntax, text: &str) -> Option<u32> {
    let is_division = matches!(layout.opcode, "div" | "rem");
    let opcode = text.split(' ').next().unwrap_or("");
    let (_, ty) = opcode.rsplit_once('.')?;
    let width = ty.strip_prefix(['s', 'u']).filter(|_| is_division)?;
    width.parse().ok()
}

/// Returns whether the generator supports an instruction form. A supported form computes registers from registers, separately for each
/// lane.
fn is_generated(layout: &FormSyntax) -> bool {
    match layout.form.operation {
        Operation::Arithmetic(_)
        | Operation::Compare(_)
        | Operation::Move(_)
        | Operation::Video(..) => {}
        _ => return false,
    }
    let is_register = |operand: &OperandPosition| operand.shape != OperandShape::Address;
    layout.operands.iter().all(is_register)
}

/// Checks whether a target supports an instruction form.
fn is_there(layout: &FormSyntax, target: Option<&Target>) -> bool {
    target.is_none_or(|target| layout.form.gate.target.met_by(target))
}

/// Returns whether the assembler preserves a guard. The assembler drops the guard of instructions that it expands (13.5.37): for
/// `@!%p0 testp.normal.f32 %p1, %f0` and `@%p0 set.gt.f32.s32 %f1, %r1, %r2` on `sm_90`, the listing contains no predicated instruction,
/// and `@!%p1 vsub4.u32.u32.u32.add %r3, %r7, %r4, %r3` is compiled to two `IDP.4A` and a difference without a predicate.
fn keeps_guard(layout: &FormSyntax, text: &str) -> bool {
    let is_sum_of_bytes = matches!(layout.opcode, "vadd4" | "vsub4")
        && text.contains(".u32.u32.u32")
        && text.contains(".add");
    !is_sum_of_bytes && !matches!(layout.opcode, "testp" | "set")
}

impl ModifierChoices {
    fn mnemonic(&mut self, random: &mut SplitMix64) -> String {
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
            ModifierValue::Type(ty) => Some(ty),
            _ => None,
        })
    }

    /// Returns the type of the instruction, which determines the types of operands that refer to an absent slot.
    fn any_type(&self) -> Option<ScalarType> {
        self.values
            .iter()
            .find_map(|(_, value)| match value.meaning {
                ModifierValue::Type(ty) => Some(ty),
                _ => None,
            })
    }

    /// Returns an operand as source text. Returns `None` if the generator declares no registers for the operand.
    fn operand(&self, operand: &OperandPosition, random: &mut SplitMix64) -> Option<String> {
        let is_written = operand.role == OperandAccess::Written;
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
                // The two destination predicates must be different registers.
                let second = predicate(random);
                match second == first {
                    true => return None,
                    false => format!("{first}|{second}"),
                }
            }
            _ => first,
        })
    }

    /// Returns a source operand, which is a register, a literal, or occasionally a special register.
    fn source(
        &self,
        bits: u32,
        operand: &OperandPosition,
        random: &mut SplitMix64,
    ) -> Option<String> {
        let takes_special = self
            .layout
            .form
            .operand_extensions(OperandExtension::SpecialRegister);
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
            0..=2 if bits == 16 => Some((random.next_u64() as u16).to_string()),
            3 if bits == 32 && takes_special => {
                let names = ["%tid.x", "%laneid", "%ntid.x", "%lanemask_lt", "%warpid"];
                random.pick(&names).map(|name| (*name).to_owned())
            }
            _ => register(bits, random),
        }
    }

    fn is_float(&self, ty: OperandType) -> bool {
        let ty = match ty {
            OperandType::Slot(slot)
            | OperandType::SlotOrWider(slot)
            | OperandType::SingleOf(slot) => self.type_in(slot).or_else(|| self.any_type()),
            OperandType::Fixed(ty) | OperandType::ExactType(ty) | OperandType::Wider(ty) => {
                Some(ty)
            }
            _ => None,
        };
        ty.is_some_and(ScalarType::is_float)
    }

    fn width(&self, ty: OperandType) -> Option<Width> {
        use ImmediateRange as N;
        use OperandType as T;
        let of = |slot| self.type_in(slot).or_else(|| self.any_type());
        let bits = |ty: ScalarType| match ty {
            ScalarType::Pred => Width::Bits(1),
            ty => Width::Bits(ty.width_bits()),
        };
        match ty {
            T::Slot(slot) | T::SingleOf(slot) => of(slot).map(bits),
            // Registers may be wider than the type, and the kernel declares no 8-bit registers.
            T::SlotOrWider(slot) => of(slot).map(|ty| match ty.width_bits() {
                8 => Width::Bits(32),
                _ => bits(ty),
            }),
            T::Wide(slot) => of(slot).map(|ty| Width::Bits(ty.width_bits() * 2)),
            T::Fixed(ty) | T::ExactType(ty) | T::Wider(ty) => Some(bits(ty)),
            T::List(slot, n) => of(slot).map(|ty| Width::List(ty.width_bits(), n)),
            T::Bits(bits) | T::Untyped(bits) => Some(Width::Bits(bits)),
            T::Number(N::Between(from, to)) => Some(Width::Only(from, to)),
            T::Number(N::UpTo(most) | N::PredicateOrUpTo(most)) => {
                Some(Width::Number(most.min(255)))
            }
            T::Literal(bits) => Some(Width::Only(0, (1 << bits.min(8)) - 1)),
            T::Predicate => Some(Width::Bits(1)),
            T::Custom(_) => match self.layout.form.operation {
                Operation::Video(..) => Some(Width::Part),
                _ => Some(Width::Bits(32)),
            },
            _ => None,
        }
    }
}

/// Syntactic kind of an operand.
enum Width {
    /// Register with this width in bits. A predicate has a width of 1.
    Bits(u32),
    /// 32-bit register, or a literal up to this maximum value.
    Number(u64),
    /// Literal within this inclusive range.
    Only(u64, u64),
    /// Vector of registers in braces, with the element width and the vector length.
    List(u32, usize),
    /// Register of a video instruction, or a byte or half-word selector of such a register.
    Part,
}

fn register(bits: u32, random: &mut SplitMix64) -> Option<String> {
    match bits {
        1 => Some(predicate(random)),
        16 => Some(format!("%h{}", random.below(N_HALVES))),
        32 => Some(format!("%r{}", random.below(N_WORDS))),
        64 => Some(format!("%d{}", random.below(N_LONGS))),
        _ => None,
    }
}

pub(crate) fn predicate(random: &mut SplitMix64) -> String {
    format!("%p{}", random.below(N_PREDICATES))
}

/// Returns an operand such as `%r1`, `-%r1`, `%r1.b2` or `%r1.h10`. The checker decides which of these operands an instruction accepts.
fn part(is_written: bool, random: &mut SplitMix64) -> String {
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

/// Generates a warp-level instruction for code that all lanes execute.
pub(crate) fn collective(random: &mut SplitMix64) -> String {
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
