//! What each operand of a form is, in one phrase for the reference. In: an operand of a syntax line; out: a sentence without its end.

use super::layout::{Layout, OperandShape, OperandSlot};
use super::{Addressing, NumberRule, OperandType, Role, SlotName, UnitOperand};

impl Layout {
    /// What an operand of the form is: "register of the type in `.dtype`"; `None` where its family knows more than a phrase holds.
    pub fn help_of(&self, operand: &OperandSlot) -> Option<String> {
        let has_space = || {
            self.slots
                .iter()
                .any(|slot| slot.id == Some(SlotName::Space))
        };
        let address = self.form.address;
        let value = match operand.ty {
            OperandType::Address if matches!(address, Addressing::Tensor | Addressing::Product) => {
                "address in tensor memory".to_owned()
            }
            OperandType::Address if !has_space() => "generic address".to_owned(),
            ty => operand.of_type(ty)?,
        };
        Some(match (operand.role, operand.shape) {
            (Role::Written, OperandShape::Pair { .. }) => {
                format!("destination: {value}; after the bar a predicate")
            }
            (Role::Written, _) => format!("destination: {value}"),
            (Role::Read, OperandShape::Negatable) => {
                format!("{value}, which may be negated by `!`")
            }
            (Role::Read, _) => value,
        })
    }
}

impl OperandSlot {
    fn of_type(&self, ty: OperandType) -> Option<String> {
        let slot = |slot: SlotName| format!("`.{}`", slot.name());
        let value = match self.role {
            Role::Written => "register",
            Role::Read => "register or constant",
        };
        Some(match ty {
            OperandType::Slot(name) => format!("{value} of the type in {}", slot(name)),
            OperandType::Loose(name) => {
                format!("{value} of the type in {}, or a wider register", slot(name))
            }
            OperandType::Wide(name) => {
                format!("{value} of twice the width of the type in {}", slot(name))
            }
            OperandType::Fixed(ty) | OperandType::Own(ty) => {
                format!("{value} of type `.{}`", ty.name())
            }
            OperandType::Wider(ty) => format!("{value} of type `.{}`, or wider", ty.name()),
            OperandType::Vector(name) => format!(
                "as many registers in braces as `.vec` says, of the type in {} or wider",
                slot(name)
            ),
            OperandType::Elements(name) => {
                format!(
                    "as many registers in braces as `.vec` says, of the type in {}",
                    slot(name)
                )
            }
            OperandType::List(name, n) => {
                format!("{n} values in braces, of the type in {}", slot(name))
            }
            OperandType::SingleOf(name) => {
                format!(
                    "{value} of the type in {}; a constant is an `.f32`",
                    slot(name)
                )
            }
            OperandType::AnyAddress => format!("{value} of 32 or 64 bits that holds an address"),
            OperandType::Bits(bits) => format!("integer {value} of {bits} bits"),
            OperandType::Row => "register of 32 bits with a part of a fragment".to_owned(),
            OperandType::Untyped(bits) => format!("register of type `.b{bits}`"),
            OperandType::Number(rule) => number_words(rule),
            OperandType::Literal(bits) => format!("constant of {bits} bits"),
            OperandType::Predicate => "predicate".to_owned(),
            OperandType::Address => {
                "address in the space that `.ss` names; generic without one".to_owned()
            }
            OperandType::AddressIn(space) => format!("address in `.{}` memory", space.name()),
            OperandType::MbarrierIn(space) => {
                format!(
                    "address of an mbarrier object in `.{}` memory",
                    space.name()
                )
            }
            OperandType::Label => "label or name of a function".to_owned(),
            OperandType::CachePolicy => {
                "64-bit cache policy, as `createpolicy` makes it".to_owned()
            }
            OperandType::Unit(operand) => return Some(of_unit(operand)),
            OperandType::Custom(what) => what.to_owned(),
        })
    }
}

fn of_unit(operand: UnitOperand) -> String {
    let slot = |slot: SlotName| format!("`.{}`", slot.name());
    match operand {
        UnitOperand::Register(name) => format!("register of the type in {}", slot(name)),
        UnitOperand::Alignment => "constant, a power of two".to_owned(),
        UnitOperand::Columns => {
            "columns of tensor memory: a power of two from 32 to 512".to_owned()
        }
        UnitOperand::TensorAddress => "address in tensor memory".to_owned(),
        UnitOperand::InstructionDescriptor => "32-bit instruction descriptor".to_owned(),
        UnitOperand::Packed => "value of 128 bits, or its parts in braces".to_owned(),
        UnitOperand::Values(name) => {
            format!(
                "as many values as `.vec` says, of the type in {}",
                slot(name)
            )
        }
        UnitOperand::Widened(name) => format!("value of the type in {}, or wider", slot(name)),
        UnitOperand::Mask => "mask of 16 bits, one for each block of the cluster".to_owned(),
        UnitOperand::Bytes => "bytes: a multiple of 16".to_owned(),
        UnitOperand::AddressOrName(space) => format!("address in `.{}` memory", space.name()),
        UnitOperand::TensorPlace => "tensor map and coordinates: `[map, {x, y}]`".to_owned(),
        UnitOperand::ImageOffsets => "offsets within the image, 16 bits each".to_owned(),
        UnitOperand::Words => {
            "as many registers of 32 bits as the shape and the count say".to_owned()
        }
        UnitOperand::Reduced => "register of 32 bits with the smallest or largest value".to_owned(),
        UnitOperand::Descriptor => "64-bit descriptor of a matrix in shared memory".to_owned(),
        UnitOperand::ZeroColumns => "64-bit mask of the columns of B that count as zero".to_owned(),
        UnitOperand::Factor => {
            "matrix A: an address in tensor memory, or a 64-bit descriptor of shared memory"
                .to_owned()
        }
        UnitOperand::Lanes => {
            "mask of the lanes of D that stay as they are, a word for 32 of them".to_owned()
        }
        UnitOperand::Sums => "registers of matrix D, in braces".to_owned(),
        UnitOperand::WarpgroupFactor => {
            "matrix A: registers in braces, or a 64-bit descriptor of shared memory".to_owned()
        }
        UnitOperand::Metadata => "metadata of the sparse matrix A, 32 bits".to_owned(),
        UnitOperand::Reference => "texture, sampler or surface".to_owned(),
        UnitOperand::Level => "level of the mipmap".to_owned(),
        UnitOperand::SurfacePlace => "surface and coordinates: `[surface, {x, y}]`".to_owned(),
        UnitOperand::Texels => "as many values as `.vec` says".to_owned(),
        UnitOperand::Sampled => "four values in braces, or two pairs of halves".to_owned(),
        UnitOperand::TexturePlace => {
            "texture, sampler where they are separate, and coordinates: `[texture, {x, y}]`"
                .to_owned()
        }
        UnitOperand::Detail => "level of detail, of the type of the coordinates".to_owned(),
        UnitOperand::Gradient => "gradient of the coordinates".to_owned(),
        UnitOperand::TextureOffset => "offsets in texels, in braces".to_owned(),
        UnitOperand::Compared => "reference value that texels are compared with".to_owned(),
        UnitOperand::Sign => "constant 1 or -1".to_owned(),
        UnitOperand::Constant => "constant".to_owned(),
        UnitOperand::NumberUpTo(most) | UnitOperand::NumberBy(most, ..) => {
            format!("constant, at most {most}")
        }
        UnitOperand::SumScale => "constant: D is divided by 2 to this power".to_owned(),
        UnitOperand::SparseScale => "constant".to_owned(),
        UnitOperand::Condition => "predicate, 0 or 1".to_owned(),
    }
}

/// Which numbers an operand takes, as a phrase.
fn number_words(rule: NumberRule) -> String {
    match rule {
        NumberRule::Fraction => "fraction above 0, at most 1, or a register".to_owned(),
        NumberRule::Between(least, most) => format!("constant from {least} to {most}"),
        NumberRule::Multiple(of, least, most) => {
            format!("constant from {least} to {most}, a multiple of {of}")
        }
        NumberRule::UpTo(most) => format!("integer of 32 bits, at most {most}"),
        NumberRule::Within(least, most) => {
            format!("integer of 32 bits, from {least} to {most}")
        }
        NumberRule::MultipleUpTo(of, most) => {
            format!("integer of 32 bits, a multiple of {of}, at most {most}")
        }
        NumberRule::PredicateOrUpTo(most) => {
            format!("predicate, or integer of 32 bits, at most {most}")
        }
    }
}
