//! Machine-code metadata of a kernel: instruction addresses, and the layout of the constant banks that the launch and the listing
//! fill. Kernels of a virtual instruction set have no such metadata.

/// Machine-code metadata of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SassKernelInfo {
    /// Addresses of the instructions in ascending order. If several instructions have the same address, a jump to it targets the
    /// first one.
    pub addresses: Vec<u64>,
    /// Byte offset of the first kernel parameter in constant bank 0.
    pub parameter_start: u32,
    /// Whether the listing omits the kernel parameters. In this case, the parameters of the launch are laid out consecutively,
    /// each aligned to its type. The parameters of the function are inferred from its instructions, for launches that specify
    /// none.
    pub has_unknown_parameters: bool,
    /// Whether the listing omits the size of static shared memory.
    pub open_shared: bool,
    /// Whether the source consists of instructions without a function.
    pub is_bare: bool,
    /// Size in bytes of the shared memory that the system reserves before that of the block: 1 KiB on `sm_90` and later (listings
    /// of assembler 13.5).
    pub reserved_shared_bytes: u64,
    /// Offset in shared memory of the mbarrier with which the system hands over tensor memory that one block of a pair has
    /// allocated for both blocks. The mbarrier expects one arrival. In the first block, its phase is one ahead, because the first
    /// block waits until the other block has read the previous value (measured with assembler 13.5).
    pub cta_pair_mbarrier_offset: Option<u32>,
    /// Words of bank 0 that the launch determines, with their byte offsets.
    pub launch_constants: Vec<(u32, LaunchConstant)>,
    /// Other constant banks: bank number, and index of the module variable that contains the bytes of the bank.
    pub banks: Vec<(u8, u32)>,
    /// Instructions that the emulator does not execute, by instruction index, each with the reason.
    pub not_run: Vec<(u32, String)>,
}

/// 32-bit word whose value the launch determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchConstant {
    /// Number of threads of a block along x, y or z.
    BlockExtent(u8),
    /// Number of blocks of the grid along x, y or z.
    GridExtent(u8),
    /// Number of blocks of a cluster along x, y or z.
    ClusterExtent(u8),
    /// Reciprocal of [`LaunchConstant::ClusterExtent`] as an `f32`, since compiled code divides by multiplying.
    ClusterReciprocal(u8),
    /// Number of clusters of the grid along x, y or z.
    ClusterCount(u8),
    /// Number of blocks of a cluster.
    ClusterSize,
    /// 1 if the launch specifies a cluster size, otherwise 0.
    ClusterIsExplicit,
    /// Initial stack pointer of a thread in its local memory. The stack grows downwards.
    StackPointer,
    /// Low word of the generic address of the shared memory window.
    SharedWindowLow,
    SharedWindowHigh,
    /// Low word of the generic address of the local memory window.
    LocalWindowLow,
    LocalWindowHigh,
    /// Low word of the generic address of the first kernel parameter.
    ParametersLow,
    ParametersHigh,
    /// Low word of the generic address of a constant bank.
    BankLow(u8),
    BankHigh(u8),
}

impl SassKernelInfo {
    /// Returns the index of the first instruction at an address.
    pub fn instruction_at(&self, address: u64) -> Option<u32> {
        let index = self.addresses.partition_point(|at| *at < address);
        (self.addresses.get(index) == Some(&address)).then_some(index as u32)
    }

    /// Returns the name of the next register, which contains the upper half of a register pair: `R5` for `R4`.
    pub fn register_after(name: &str) -> Option<String> {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u32 = name[letters.len()..].parse().ok()?;
        Some(format!("{letters}{}", number.checked_add(1)?))
    }

    /// Checks whether the hardware has a register with this name (`R254`, `UR4`, `P6`, `UP0`, `B15`), even if the listing does
    /// not use the register.
    pub fn has_register(name: &str) -> bool {
        let digits = name.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let (prefix, _) = name.split_at(name.len() - digits.len());
        let is_plain = digits == "0" || !digits.starts_with('0');
        let n_registers = match prefix {
            "R" | "UR" => 255,
            "P" | "UP" => 7,
            "B" => 16,
            _ => 0,
        };
        is_plain
            && digits
                .parse::<u32>()
                .is_ok_and(|number| number < n_registers)
    }
}
