//! Functions of a Rust kernel with inline assembly.
// Inline assembly for the target nvptx64.
use core::arch::asm;

#[inline]
pub unsafe fn lane_id() -> u32 {
    let id: u32;
    unsafe { asm!("mov.u32 {}, %laneid;", out(reg32) id, options(pure, nomem, nostack)) };
    id
}

pub unsafe fn multiply_add(a: u64, b: u32, mut c: u64) -> u64 {
    core::arch::asm!(
        "{{",
        "  .reg .b64 t;",
        r"mul.wide.u32 t, {b}, {0};",
        r#"add.u64 {c}, {c}, t;"#,
        "}}",
        in(reg32) a as u32,
        b = in(reg32) b,
        c = inout(reg64) c,
        options(pure, nomem),
    );
    c
}

pub unsafe fn store<'a>(p: *mut u32, value: u32) {
    asm!(concat!("st.global", ".u32 [{0}], {1};"), in(reg64) p, in(reg32) value);
    asm!("st.gobal.u32 [{p}], {v};", p = in(reg64) p, v = in(reg32) value);
    asm!("bar.sync {};", const 3, options(nomem));
}

pub unsafe fn mistakes(a: u32) -> u32 {
    let mut b = 0;
    asm!("add.u32 {0}, {0}, {2};", out(reg32) b, in(reg32) a);
    asm!("add.u32 {b}, {b}, {aa};", b = out(reg32) b, a = in(reg32) a);
    asm!("mov.u32 {}, {};", out(reg) b, in(reg32) a);
    asm!("st.shared.u32 [{}], {};", in(reg32) a, in(reg32) b, options(pure, nomem));
    b
}

macro_rules! trace {
    ($($name:ident),*) => {
        asm!("mov.u32 {p0}, {};", in(reg32) 0, $($name = inout(reg32) *$name,)*)
    };
}
