// What libraries write: conditions within a statement, operands without a comma, several constants that are stated elsewhere.
#define ENABLE_PREFETCH 1
template <int Bytes, int Scale, int Selector>
__device__ void copy(unsigned to, void const *from, unsigned n, unsigned long long a, unsigned long long b, unsigned e, unsigned d0, unsigned d1) {
  asm volatile(
#if ENABLE_PREFETCH
    "cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;\n" :: "r"(to),
#else
    "cp.async.ca.shared.global [%0], [%1], %2, %3;\n" :: "r"(to),
#endif
    "l"(from), "n"(Bytes), "r"(n) : "memory");
  asm volatile("st.shared.u32 [%0], %1;" :: "r"(to) "r"(n) : "memory");
  asm volatile("{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %6, 0;\n"
      "wgmma.mma_async.sp.sync.aligned.m64n8k64.f16.e4m3.e4m3 {%0, %1}, %2, %3, %4, %5, p, %7, %8;\n"
      "}\n"
      : "+r"(d0), "+r"(d1)
      : "l"(a), "l"(b), "r"(e), "n"(int(Selector)), "r"(n), "n"(int(Scale)), "n"(int(Scale)));
}
