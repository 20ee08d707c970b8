//! What a kernel in machine code has beside its instructions: the addresses that its code computes with, and the constant
//! banks that the launch and the text fill. Kernels of a virtual language have none of it.

/// The machine's side of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineCode {
    /// The address of each instruction, ascending; the first one of several with an address is where a jump goes.
    pub addresses: Vec<u64>,
    /// Where the first parameter of the kernel lies in constant bank 0, in bytes.
    pub parameter_start: u32,
    /// Whether the text leaves the parameters open: those of the launch follow each other then, each aligned as its type. Those of
    /// the function are read off its instructions, for launches that state none.
    pub open_parameters: bool,
    /// Whether the text leaves the size of static shared memory open.
    pub open_shared: bool,
    /// Whether the text has the instructions alone, in no function.
    pub loose: bool,
    /// Bytes of shared memory before the block's own, which the system keeps: 1 KiB from `sm_90` on (listings of assembler 13.5).
    pub reserved_shared_bytes: u64,
    /// Where in shared memory the system keeps the mbarrier by which two blocks with tensor memory hand over what one of them has reserved for both: of
    /// one arrival, and one phase ahead in the first block, which waits for the other to have taken what was there (measured with assembler 13.5).
    pub pair_barrier: Option<u32>,
    /// What the launch puts into bank 0: the byte offset of each 32-bit word.
    pub facts: Vec<(u32, LaunchFact)>,
    /// The other banks: their number, and the index of the variable of the module that has their bytes.
    pub banks: Vec<(u8, u32)>,
    /// Instructions that are not executed, by their place in the function, each with the reason.
    pub not_run: Vec<(u32, String)>,
}

/// A 32-bit word that the launch decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchFact {
    /// Threads of a block along x, y or z.
    BlockExtent(u8),
    /// Blocks of the grid along x, y or z.
    GridExtent(u8),
    /// Blocks of a cluster along x, y or z.
    ClusterExtent(u8),
    /// One divided by that, as a float: code divides by a product.
    ClusterReciprocal(u8),
    /// Clusters of the grid along x, y or z.
    ClusterCount(u8),
    /// Blocks of a cluster.
    ClusterSize,
    /// 1 where the launch has clusters, else 0.
    ClusterIsExplicit,
    /// Where the stack of a thread starts, in its local memory: it grows downwards.
    StackPointer,
    /// The generic address where the window of shared memory starts.
    SharedWindowLow,
    SharedWindowHigh,
    /// The generic address where the window of local memory starts.
    LocalWindowLow,
    LocalWindowHigh,
    /// The generic address of the first parameter of the kernel.
    ParametersLow,
    ParametersHigh,
    /// The generic address of a constant bank.
    BankLow(u8),
    BankHigh(u8),
}

impl MachineCode {
    /// The first instruction at an address.
    pub fn instruction_at(&self, address: u64) -> Option<u32> {
        let index = self.addresses.partition_point(|at| *at < address);
        (self.addresses.get(index) == Some(&address)).then_some(index as u32)
    }

    /// Returns the name of the register after a register, which holds the upper half of a pair: `R5` for `R4`.
    pub fn register_after(name: &str) -> Option<String> {
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: u32 = name[letters.len()..].parse().ok()?;
        Some(format!("{letters}{}", number.checked_add(1)?))
    }

    /// Whether the machine has a register with this name, whether or not the text names it: `R254`, `UR4`, `P6`, `UP0`, `B15`.
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
