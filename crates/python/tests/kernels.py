"""Kernels of the tests."""

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"

SAXPY = HEADER + """
.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 bra $done;
    ld.param.u64 %rd1, [y];
    ld.param.u64 %rd2, [x];
    ld.param.f32 %f1, [a];
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd5];
    ld.global.f32 %f3, [%rd4];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd4], %f4;
$done:
    ret;
}
"""

#: Copies one 32-bit element per thread without a bounds check.
COPY = HEADER + """
.visible .entry copy(.param .u64 to, .param .u64 from)
{
    .reg .b32 %r<3>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    ld.param.u64 %rd2, [to];
    ld.param.u64 %rd3, [from];
    add.s64 %rd2, %rd2, %rd1;
    add.s64 %rd3, %rd3, %rd1;
    ld.global.b32 %r2, [%rd3];
    st.global.b32 [%rd2], %r2;
    ret;
}
"""

#: All threads store different values to one element.
RACE = HEADER + """
.visible .entry race(.param .u64 to)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [to];
    st.global.b32 [%rd1], %r1;
    ret;
}
"""

#: The first warp waits for the second warp, which has exited.
HANG = HEADER + """
.visible .entry hang()
{
    .reg .pred %p<2>; .reg .b32 %r<2>;
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 exit;
    barrier.sync 1, 64;
    ret;
}
"""

#: Counts down from the argument.
LOOP = HEADER + """
.visible .entry loop(.param .u64 n)
{
    .reg .pred %p<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [n];
$next:
    sub.s64 %rd1, %rd1, 1;
    setp.ne.s64 %p1, %rd1, 0;
    @%p1 bra $next;
    ret;
}
"""

#: Stores a structure, a scalar of each width, and a null pointer.
PARAMETERS = HEADER + """
.visible .entry parameters(.param .u64 to, .param .align 8 .b8 pair[16], .param .s32 i, .param .b64 bits, .param .f64 d, .param .u64 null)
{
    .reg .b32 %r<2>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [pair];
    ld.param.u64 %rd3, [pair+8];
    ld.param.s32 %r1, [i];
    ld.param.b64 %rd4, [bits];
    ld.param.b64 %rd5, [d];
    ld.param.u64 %rd6, [null];
    cvt.s64.s32 %rd7, %r1;
    st.global.u64 [%rd1], %rd2;
    st.global.u64 [%rd1+8], %rd3;
    st.global.u64 [%rd1+16], %rd7;
    st.global.u64 [%rd1+24], %rd4;
    st.global.u64 [%rd1+32], %rd5;
    st.global.u64 [%rd1+40], %rd6;
    ret;
}
"""
