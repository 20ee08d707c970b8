// Constraints and clobbers that consist of several string literals, and macro arguments that are empty.
#define WORD "r"
#define LOAD(space, type, letter, qualifier) \
  __device__ void load_##space##type##qualifier(cxx_##type *p) { \
    cxx_##type value; \
    asm volatile("ld." #qualifier #space "." #type " %0, [%1];" : "=" #letter(value) : "l"(p) : "memor" "y"); \
  }
LOAD(global, u64, l, )
LOAD(shared, u32, r, volatile.)
__device__ void word(unsigned a) { asm("mov.b32 %0, %1;" : "=" WORD(a) : WORD(a)); }
__device__ void unresolved(T *p) {
  asm volatile("ld.global." TYPE " %0, [%1];" : "=" LETTER(32)(a) : "l"(p));
}
inline void convert(T *value, unsigned count) {}
#if defined(FAST) && (FAST >= 1)
__device__ unsigned convert(float x) {
#if FAST > (2)
  unsigned value;
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(value) : "f"(x));
  return value;
#endif
}
#endif
