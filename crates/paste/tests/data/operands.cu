// Operands by their letters, numbers and names.
#include <cstdint>

__device__ uint32_t add(uint32_t a, uint32_t b) {
  uint32_t d;
  asm("add.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

__device__ void widths(uint16_t h, uint32_t r, uint64_t l, float f, double d, float2 *out) {
  asm volatile("{\n\t"
               ".reg .b32 t;            // of the block\n\t"
               "cvt.u32.u16 t, %0;"     /* a comment between the pieces */
               "add.u32 t, t, %1;\n\t"
               "st.global.u32 [%2], t;\n\t"
               "st.global.f32 [%2 + 4], %3;\n\t"
               "st.global.f64 [%2 + 8], %4;\n\t"
               "}"
               :: "h"(h), "r"(r), "l"(out), "f"(f), "d"(d) : "memory");
}

__device__ void ldmatrix(uint32_t (&d)[4], void *tile) {
  asm volatile(R"(ldmatrix.sync.aligned.m8n8.x4.shared.b16
                  {%0, %1, %2, %3}, [%4];)"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"((uint32_t)__cvta_generic_to_shared(tile)));
}

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  asm("mov.u32 %0, %laneid;" : "=r"(id));
  return id;
}

__device__ void wide(__int128 v, __int128 *p) {
  asm volatile("st.global.b128 [%0], %1;" :: "l"(p), "q"(v) : "memory");
}

constexpr int N = 4;
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" :: "n"(N / 2) : "memory");
}

template <int Stages>
__device__ void wait_for() {
  asm volatile("cp.async.wait_group %0;" :: "n"(Stages - 1) : "memory");
}

__device__ const char relu[] = ".relu";
__device__ float fma_relu(unsigned short a, unsigned short b, unsigned short c) {
  unsigned short d;
  asm("fma.rn%4.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c), "C"(relu));
  return d;
}
