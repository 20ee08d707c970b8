# Assembly that consists of expressions, and operands of `nvvm.inline_ptx`.
from cutlass import cute
from cutlass._mlir.dialects import llvm, nvvm

def mma(acc, count):
    llvm.inline_asm(
        None,
        [acc],
        "mov.u32 $0, 1;\n" + "".join(f"add.u32 $0, $0, {k};\n" for k in range(count)),
        "r,l",
        has_side_effects=True,
    )
    llvm.inline_asm(i32, operands, build(count), ",".join(letters) + ",r")
    llvm.inline_asm(i32, operands, template, f"{constraints},r")

def ptx(x):
    nvvm.inline_ptx("mov.b32 {$w0}, {$r0};", read_only_args=[x])
    nvvm.inline_ptx("st.shared.v2.b32 [{$r0}], {{$r1}, {$r2}};", read_only_args=[x, x, x])
    nvvm.inline_ptx("mov.b32 {$w0}, {$r0", read_only_args=[x])
