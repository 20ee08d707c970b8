//@ test check
// The compiler rejects operands whose type does not match the constraint.
__device__ void store(float* p, float v, const int n, unsigned long long wide, __half h)
{
    int local = n;
    asm volatile("st.global.f32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); // error[W1223] 56..57: the constraint `r` does not match the type `float` of `v`
    asm volatile("st.global.f32 [%0], %1;" :: "r"(p), "f"(v) : "memory"); // error[W0323] 34..36: a `.b32` register is too narrow for a global or generic address // error[W1223] 48..49: the constraint `r` does not match the type `float *` of `p`
    asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(local) : "memory");
    asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(wide) : "memory"); // error[W1223] 56..57: the constraint `r` does not match the type `unsigned long long` of `wide`
    asm volatile("st.global.u16 [%0], %1;" :: "l"(wide), "h"(h) : "memory");
    for (int v = 0; v < n; v++) {
        asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
    }
}
