//@ launch grid=1 block=1
//@ scalar x: s32 = 17
//@ scalar scale: f32 = 3
//@ buffer out: s32[2] = 0
//@ expect out = 18, 0x40800000
// Annotations state the values of operands; others are inferred.
__device__ void f(int x, float scale, int *out)
{
    asm volatile("{ .reg .b32 t; .reg .f32 f; add.s32 t, %0, 1; add.f32 f, %1, 0f3F800000;"
                 "st.global.s32 [%2], t; st.global.f32 [%2+4], f; }"
                 :: "r"(x), "f"(scale), "l"(out) : "memory");
}
