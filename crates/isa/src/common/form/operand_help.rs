//! One-phrase descriptions of the operands of a form, for the reference pages.

use super::syntax::{FormSyntax, OperandPosition, OperandShape};
use super::{
    AddressCheck, DeviceUnitOperand, ImmediateRange, OperandAccess, OperandType, SlotName,
};

impl FormSyntax {
    /// Returns a description of an operand, such as "register of the type specified by `.dtype`". Returns `None` for operands whose
    /// description comes from the instruction family, because one phrase cannot describe them.
    pub fn help_of(&self, operand: &OperandPosition) -> Option<String> {
        let has_space = || {
            self.slots
                .iter()
                .any(|slot| slot.id == Some(SlotName::Space))
        };
        let address = self.form.address;
        let value = match operand.ty {
            OperandType::Address
                if matches!(
                    address,
                    AddressCheck::Tensor | AddressCheck::TensorMemoryMma
                ) =>
            {
                "address in tensor memory".to_owned()
            }
            OperandType::Address if !has_space() => "generic address".to_owned(),
            ty => operand.of_type(ty)?,
        };
        Some(match (operand.role, operand.shape) {
            (OperandAccess::Written, OperandShape::Pair { .. }) => {
                format!("destination {value}, followed by a predicate after `|`")
            }
            (OperandAccess::Written, _) => format!("destination {value}"),
            (OperandAccess::Read, OperandShape::Negatable) => {
                format!("{value}, optionally negated by `!`")
            }
            (OperandAccess::Read, _) => value,
        })
    }
}

impl OperandPosition {
    fn of_type(&self, ty: OperandType) -> Option<String> {
        let slot = |slot: SlotName| format!("`.{}`", slot.name());
        let value = match self.role {
            OperandAccess::Written => "register",
            OperandAccess::Read => "register or constant",
        };
        Some(match ty {
            OperandType::Slot(name) => format!("{value} of the type specified by {}", slot(name)),
            OperandType::SlotOrWider(name) => {
                format!("{value} of the type specified by {}, or wider register", slot(name))
            }
            OperandType::Wide(name) => {
                format!("{value} with twice the width of the type specified by {}", slot(name))
            }
            OperandType::Fixed(ty) | OperandType::ExactType(ty) => {
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
            OperandType::FragmentRegister => "32-bit register of a matrix fragment".to_owned(),
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

fn of_unit(operand: DeviceUnitOperand) -> String {
    let slot = |slot: SlotName| format!("`.{}`", slot.name());
    match operand {
        DeviceUnitOperand::Register(name) => format!("register of the type specified by {}", slot(name)),
        DeviceUnitOperand::Alignment => "constant that is a power of two".to_owned(),
        DeviceUnitOperand::Columns => {
            "number of tensor memory columns, which is a power of two from 32 to 512".to_owned()
        }
        DeviceUnitOperand::TensorAddress => "address in tensor memory".to_owned(),
        DeviceUnitOperand::InstructionDescriptor => "32-bit instruction descriptor".to_owned(),
        DeviceUnitOperand::Packed => "128-bit value, or brace-enclosed list of the parts of the value".to_owned(),
        DeviceUnitOperand::Values(name) => {
            format!(
                "values of the type specified by {}, whose number is given by `.vec`",
                slot(name)
            )
        }
        DeviceUnitOperand::Widened(name) => format!("value of the type specified by {}, or wider value", slot(name)),
        DeviceUnitOperand::Mask => "16-bit mask that selects blocks of the cluster".to_owned(),
        DeviceUnitOperand::Bytes => "size in bytes, which is a multiple of 16".to_owned(),
        DeviceUnitOperand::AddressOrName(space) => format!("address in `.{}` memory", space.name()),
        DeviceUnitOperand::TensorCoordinates => "tensor map and coordinates, such as `[map, {x, y}]`".to_owned(),
        DeviceUnitOperand::Im2colOffsets => "16-bit offsets within the image, for im2col mode".to_owned(),
        DeviceUnitOperand::Words => {
            "32-bit registers, whose number follows from the shape and the repetition count".to_owned()
        }
        DeviceUnitOperand::Reduced => "32-bit destination register for the minimum or maximum".to_owned(),
        DeviceUnitOperand::Descriptor => "64-bit descriptor of a matrix in shared memory".to_owned(),
        DeviceUnitOperand::ZeroColumns => "64-bit mask of the columns of B that are treated as zero".to_owned(),
        DeviceUnitOperand::MatrixOperand => {
            "matrix A, specified by an address in tensor memory or by a 64-bit shared memory descriptor"
                .to_owned()
        }
        DeviceUnitOperand::DisableOutputLane => {
            "disable-output-lane mask, which specifies the lanes of D that are not updated, with one register per 32 lanes".to_owned()
        }
        DeviceUnitOperand::Accumulators => "brace-enclosed list of registers that hold matrix D".to_owned(),
        DeviceUnitOperand::WarpgroupMatrixOperand => {
            "matrix A, specified by a brace-enclosed list of registers or by a 64-bit shared memory descriptor".to_owned()
        }
        DeviceUnitOperand::Metadata => "32-bit register with the metadata of the sparse matrix A".to_owned(),
        DeviceUnitOperand::Reference => "texture, sampler or surface".to_owned(),
        DeviceUnitOperand::Level => "mipmap level".to_owned(),
        DeviceUnitOperand::SurfaceCoordinates => "surface and coordinates, such as `[surface, {x, y}]`".to_owned(),
        DeviceUnitOperand::Texels => "values, whose number is given by `.vec`".to_owned(),
        DeviceUnitOperand::TexelResult => "brace-enclosed list of four values, or of two `.f16x2` registers".to_owned(),
        DeviceUnitOperand::TextureCoordinates => {
            "texture, sampler (in the independent texture mode) and coordinates, such as `[texture, {x, y}]`"
                .to_owned()
        }
        DeviceUnitOperand::LevelOfDetail => "level of detail, which has the type of the coordinates".to_owned(),
        DeviceUnitOperand::Gradient => "gradient of the coordinates".to_owned(),
        DeviceUnitOperand::TextureOffset => "brace-enclosed list of offsets in texels".to_owned(),
        DeviceUnitOperand::DepthReference => "reference value of the depth comparison".to_owned(),
        DeviceUnitOperand::Sign => "constant 1 or -1".to_owned(),
        DeviceUnitOperand::Constant => "constant".to_owned(),
        DeviceUnitOperand::NumberUpTo(most) | DeviceUnitOperand::NumberBy(most, ..) => {
            format!("constant not greater than {most}")
        }
        DeviceUnitOperand::ScaleInputD => "constant n, by which D is scaled with a factor of 2^-n".to_owned(),
        DeviceUnitOperand::SparseScale => "constant".to_owned(),
        DeviceUnitOperand::PredicateOrBool => "predicate, or constant 0 or 1".to_owned(),
    }
}

/// Describes the range of an immediate operand.
fn number_words(rule: ImmediateRange) -> String {
    match rule {
        ImmediateRange::Fraction => {
            "fraction greater than 0 and at most 1, or a register".to_owned()
        }
        ImmediateRange::Between(least, most) => format!("constant from {least} to {most}"),
        ImmediateRange::Multiple(of, least, most) => {
            format!("multiple of {of} from {least} to {most}")
        }
        ImmediateRange::UpTo(most) => format!("32-bit integer not greater than {most}"),
        ImmediateRange::Within(least, most) => {
            format!("32-bit integer from {least} to {most}")
        }
        ImmediateRange::MultipleUpTo(of, most) => {
            format!("32-bit integer that is a multiple of {of} and not greater than {most}")
        }
        ImmediateRange::PredicateOrUpTo(most) => {
            format!("predicate, or 32-bit integer not greater than {most}")
        }
    }
}
