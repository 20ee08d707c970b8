//! Inline assembly for CPUs, which `asm!("...")` contains.
use core::arch::{asm, global_asm};

global_asm!(".globl start", "start:", "ret");

pub fn x86(a: u64) -> u64 {
    let b: u64;
    unsafe {
        asm!("mov {0}, {1}", "add {0}, 5", out(reg) b, in(reg) a);
        asm!("cpuid", inout("eax") 4 => _, out("ecx") _, options(nostack));
        asm!("hlt");
        asm!("ret", options(noreturn));
        asm!("lea {x:e}, [{y}]", x = out(reg) _, y = in(reg) a, options(att_syntax));
        asm!("dmb ish", "yield", options(nomem, preserves_flags));
        asm!("fcvtas {0:d}, {0:d}", inout(vreg) a => _, clobber_abi("C"));
    }
    b
}
