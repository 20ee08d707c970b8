// Each statement has one mistake, as the comment before it says.
__device__ void mistakes(unsigned a, unsigned b, unsigned long long l, float f, unsigned *p) {
  unsigned d;
  // an operand that does not exist
  asm("add.u32 %0, %1, %3;" : "=r"(d) : "r"(a), "r"(b));
  // a letter that does not exist
  asm("add.u32 %0, %1, %2;" : "=r"(d) : "m"(a), "r"(b));
  // an output without a modifier, an input with one
  asm("add.u32 %0, %1, %2;" : "r"(d) : "r"(a), "=r"(b));
  // an input that is written
  asm volatile("add.u32 %0, %0, 1;" :: "r"(d));
  // an output that is read first
  asm("add.u32 %0, %0, %1;" : "=r"(d) : "r"(a));
  // an output that some lanes do not write
  asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mov.u32 %0, 1; }" : "=r"(d) : "r"(a));
  // an output that nothing writes
  asm("add.u32 %1, %1, 1;" : "=r"(d), "+r"(a));
  // a width that the instruction does not take
  asm("add.u64 %0, %1, %1;" : "=l"(l) : "r"(a));
  asm("fma.rn.f32 %0, %1, %1, %1;" : "=f"(f) : "r"(a));
  // one percent sign
  asm("{ .reg .u32 %r1; mov.u32 %r1, %0; }" :: "r"(a));
  // a name that nothing declares
  asm("mov.u32 t, %0;" :: "r"(a));
  // a store that the compiler does not know of
  asm("st.global.u32 [%0], %1;" :: "l"(p), "r"(a));
  // a misspelled word, on the second line of the assembly
  asm volatile("membar.gl;\n\t"
               "st.gobal.u32 [%0], %1;\n\t" :: "l"(p), "r"(a) : "memory");
  // another clobber
  asm volatile("membar.gl;" ::: "memory", "cc");
  // names of operands
  asm("add.u32 %[sum], %[left], %[rigt];" : [sum] "=r"(d) : [left] "r"(a), [right] "r"(b));
  // a percent sign at the end
  asm volatile("// 100%");
}
