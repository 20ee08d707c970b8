# Assembly in Python: Triton, Numba, and C++ in a string.
import triton
import triton.language as tl
import cupy

#@ launch grid=1 block=32

@triton.jit
def convert(x):
    y, z = tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b32 t;
            shl.b32 t, $2, 1;   // $$ is a sign
            add.u32 $0, t, $3;
            sub.u32 $1, t, $3;
        }
        """,
        constraints="=r,=r,r,r",
        args=[x, tl.load(x)],
        dtype=(tl.uint32, tl.uint32), is_pure=True, pack=1)
    return y + z

@triton.jit
def lane():
    return tl.inline_asm_elementwise("mov.u32 $0, %laneid;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)

@triton.jit
def wrong(x):
    return tl.inline_asm_elementwise("add.u64 $0, $1, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)

SOURCE = r'''
extern "C" __global__ void fill(unsigned* out, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;" :: "l"(out + threadIdx.x), "r"(value) : "memory");
}
'''
kernel = cupy.RawKernel(SOURCE, "fill")
escaped = cupy.RawKernel("extern \"C\" __global__ void f(int* p) {\n asm(\"st.gobal.u32 [%0], 1;\" :: \"l\"(p)); }", "f")

def numba(builder, types, ty):
    fence = ir.InlineAsm(types, "fence.acq_rel.gpu;", "~{memory}", side_effect=True)
    part = f"ld.global.{ty} $0, [$1];"
    load = ir.InlineAsm(types, part, "=r,l", side_effect=True)
