//@ title Inline assembly in CUDA C++
//@ about Each asm statement runs separately, with operand types that follow from the constraints of the statement. Select a statement in the list. Each step highlights the executed line in the C++ source.
//@ launch grid=1 block=32
//@ buffer out: u32[32] = 0
//@ buffer rows: u32[32][4] = 0
//@ buffer sum: u32[1] = 0

// This statement writes memory that is not an operand. The statement requires `volatile` and a "memory" clobber.
__device__ void store(unsigned *out, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;" :: "l"(out), "r"(value) : "memory");
}

// Each lane stores four elements. The compiler concatenates adjacent string literals. \n\t only formats the generated PTX.
__device__ void store_row(unsigned *rows, unsigned a, unsigned b) {
  asm volatile("{\n\t"
               ".reg .u32 t;\n\t"
               "add.u32 t, %1, %2;\n\t"
               "st.global.v4.u32 [%0], {%1, %2, t, t};\n\t"
               "}"
               :: "l"(rows), "r"(a), "r"(b) : "memory");
}

// The output depends only on the inputs. The compiler may therefore move the statement, or delete the statement if the output is unused.
__device__ unsigned bit_count(unsigned mask) {
  unsigned count;
  asm("popc.b32 %0, %1;" : "=r"(count) : "r"(mask));
  return count;
}

// Registers in the template need two percent signs. A read-write operand has the constraint modifier `+`.
__device__ unsigned below(unsigned total) {
  asm("{\n\t"
      ".reg .pred %%p;\n\t"
      "setp.lt.u32 %%p, %0, 16;\n\t"
      "@%%p add.u32 %0, %0, 100;\n\t"
      "}" : "+r"(total));
  return total;
}

// All lanes add to one address and ignore the old value. Without a "memory" clobber, the compiler may keep a cached value of *sum.
__device__ void add(unsigned *sum, unsigned value) {
  asm volatile("red.global.add.u32 [%0], %1;" :: "l"(sum), "r"(value));
}
