// Macros, as far as the text itself says what they are.
#define ASM asm volatile
#define SPACE ".global"
#define STORE(type, letter, p, x) \
  asm volatile("st.global." #type " [%0], %1;" :: "l"(p), letter(x) : "memory")
#define LOAD(d, p) asm volatile("ld" SPACE ".u32 %0, [%1];" : "=r"(d) : "l"(p) : "memory")
#define NEVER_USED(type) asm volatile("membar." #type ";" ::: "memory")

__global__ void k(unsigned *out, float *f, unsigned x) {
  STORE(u32, "r", out, x);
  STORE(f32, "f", f + 1, 2.0f);
  unsigned y;
  LOAD(y, out);
  asm volatile("st" SPACE UNKNOWN " [%0], %1;" :: "l"(out), "r"(y) : "memory");
  STORE(u31, "r", out, y);
}
