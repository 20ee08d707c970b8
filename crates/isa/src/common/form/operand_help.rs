//! One-phrase descriptions of the operands of a form, for the reference.

use super::layout::{Layout, OperandShape, OperandSlot};
use super::{Addressing, NumberRule, OperandType, Role, SlotName, UnitOperand};

impl Layout {
    /// Returns a description of an operand, such as "register of the type specified by `.dtype`"; `None` if the description requires more
    /// than a phrase and is provided by the family.
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
                format!("destination {value}, followed by a predicate after `|`")
            }
            (Role::Written, _) => format!("destination {value}"),
            (Role::Read, OperandShape::Negatable) => {
                format!("{value}, optionally negated by `!`")
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
            OperandType::Slot(name) => format!("{value} of the type specified by {}", slot(name)),
            OperandType::Loose(name) => {
                format!("{value} of the type specified by {}, or wider register", slot(name))
            }
            OperandType::Wide(name) => {
                format!("{value} with twice the width of the type specified by {}", slot(name))
            }
            OperandType::Fixed(ty) | OperandType::Own(ty) => {
                format!("{value} of type `.{}`", ty.name())
            }
            OperandType::Wider(ty) => format!("{value} of type `.{}` or of a wider type", ty.name()),
            OperandType::Vector(name) => format!(
                "brace-enclosed list of registers of the type specified by {} or wider, whose length is given by `.vec`",
                slot(name)
            ),
            OperandType::Elements(name) => {
                format!(
                    "brace-enclosed list of registers of the type specified by {}, whose length is given by `.vec`",
                    slot(name)
                )
            }
            OperandType::List(name, n) => {
                format!("brace-enclosed list of {n} values of the type specified by {}", slot(name))
            }
            OperandType::SingleOf(name) => {
                format!(
                    "{value} of the type specified by {} (a constant has type `.f32`)",
                    slot(name)
                )
            }
            OperandType::AnyAddress => format!("32-bit or 64-bit {value} that contains an address"),
            OperandType::Bits(bits) => format!("{bits}-bit integer {value}"),
            OperandType::Row => "32-bit register of a matrix fragment".to_owned(),
            OperandType::Untyped(bits) => format!("register of type `.b{bits}`"),
            OperandType::Number(rule) => number_words(rule),
            OperandType::Literal(bits) => format!("{bits}-bit constant"),
            OperandType::Predicate => "predicate".to_owned(),
            OperandType::Address => {
                "address in the state space specified by `.ss`, or generic address if `.ss` is omitted".to_owned()
            }
            OperandType::AddressIn(space) => format!("address in `.{}` memory", space.name()),
            OperandType::MbarrierIn(space) => {
                format!(
                    "address of an mbarrier object in `.{}` memory",
                    space.name()
                )
            }
            OperandType::Label => "label or function name".to_owned(),
            OperandType::CachePolicy => "64-bit cache policy created by `createpolicy`".to_owned(),
            OperandType::Unit(operand) => return Some(of_unit(operand)),
            OperandType::Custom(what) => what.to_owned(),
        })
    }
}

fn of_unit(operand: UnitOperand) -> String {
    let slot = |slot: SlotName| format!("`.{}`", slot.name());
    match operand {
        UnitOperand::Register(name) => format!("register of the type specified by {}", slot(name)),
        UnitOperand::Alignment => "constant that is a power of two".to_owned(),
        UnitOperand::Columns => {
            "number of tensor memory columns, which is a power of two from 32 to 512".to_owned()
        }
        UnitOperand::TensorAddress => "address in tensor memory".to_owned(),
        UnitOperand::InstructionDescriptor => "32-bit instruction descriptor".to_owned(),
        UnitOperand::Packed => "128-bit value, or brace-enclosed list of the parts of the value".to_owned(),
        UnitOperand::Values(name) => {
            format!(
                "values of the type specified by {}, whose number is given by `.vec`",
                slot(name)
            )
        }
        UnitOperand::Widened(name) => format!("value of the type specified by {}, or wider value", slot(name)),
        UnitOperand::Mask => "16-bit mask that selects blocks of the cluster".to_owned(),
        UnitOperand::Bytes => "size in bytes, which is a multiple of 16".to_owned(),
        UnitOperand::AddressOrName(space) => format!("address in `.{}` memory", space.name()),
        UnitOperand::TensorPlace => "tensor map and coordinates, such as `[map, {x, y}]`".to_owned(),
        UnitOperand::ImageOffsets => "16-bit offsets within the image, for im2col mode".to_owned(),
        UnitOperand::Words => {
            "32-bit registers, whose number follows from the shape and the repetition count".to_owned()
        }
        UnitOperand::Reduced => "32-bit destination register for the minimum or maximum".to_owned(),
        UnitOperand::Descriptor => "64-bit descriptor of a matrix in shared memory".to_owned(),
        UnitOperand::ZeroColumns => "64-bit mask of the columns of B that are treated as zero".to_owned(),
        UnitOperand::Factor => {
            "matrix A, specified by an address in tensor memory or by a 64-bit shared memory descriptor"
                .to_owned()
        }
        UnitOperand::Lanes => {
            "disable-output-lane mask, which specifies the lanes of D that are not updated, with one register per 32 lanes".to_owned()
        }
        UnitOperand::Sums => "brace-enclosed list of registers that hold matrix D".to_owned(),
        UnitOperand::WarpgroupFactor => {
            "matrix A, specified by a brace-enclosed list of registers or by a 64-bit shared memory descriptor".to_owned()
        }
        UnitOperand::Metadata => "32-bit register with the metadata of the sparse matrix A".to_owned(),
        UnitOperand::Reference => "texture, sampler or surface".to_owned(),
        UnitOperand::Level => "mipmap level".to_owned(),
        UnitOperand::SurfacePlace => "surface and coordinates, such as `[surface, {x, y}]`".to_owned(),
        UnitOperand::Texels => "values, whose number is given by `.vec`".to_owned(),
        UnitOperand::Sampled => "brace-enclosed list of four values, or of two `.f16x2` registers".to_owned(),
        UnitOperand::TexturePlace => {
            "texture, sampler (in the independent texture mode) and coordinates, such as `[texture, {x, y}]`"
                .to_owned()
        }
        UnitOperand::Detail => "level of detail, which has the type of the coordinates".to_owned(),
        UnitOperand::Gradient => "gradient of the coordinates".to_owned(),
        UnitOperand::TextureOffset => "brace-enclosed list of offsets in texels".to_owned(),
        UnitOperand::Compared => "reference value of the depth comparison".to_owned(),
        UnitOperand::Sign => "constant 1 or -1".to_owned(),
        UnitOperand::Constant => "constant".to_owned(),
        UnitOperand::NumberUpTo(most) | UnitOperand::NumberBy(most, ..) => {
            format!("constant not greater than {most}")
        }
        UnitOperand::SumScale => "constant n, by which D is scaled with a factor of 2^-n".to_owned(),
        UnitOperand::SparseScale => "constant".to_owned(),
        UnitOperand::Condition => "predicate, or constant 0 or 1".to_owned(),
    }
}

/// Describes the range of an immediate operand.
fn number_words(rule: NumberRule) -> String {
    match rule {
        NumberRule::Fraction => "fraction greater than 0 and at most 1, or a register".to_owned(),
        NumberRule::Between(least, most) => format!("constant from {least} to {most}"),
        NumberRule::Multiple(of, least, most) => {
            format!("multiple of {of} from {least} to {most}")
        }
        NumberRule::UpTo(most) => format!("32-bit integer not greater than {most}"),
        NumberRule::Within(least, most) => {
            format!("32-bit integer from {least} to {most}")
        }
        NumberRule::MultipleUpTo(of, most) => {
            format!("32-bit integer that is a multiple of {of} and not greater than {most}")
        }
        NumberRule::PredicateOrUpTo(most) => {
            format!("predicate, or 32-bit integer not greater than {most}")
        }
    }
}
