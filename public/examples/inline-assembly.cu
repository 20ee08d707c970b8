//@ title Inline assembly in CUDA C++
//@ about Each asm statement runs by itself, with its operands typed by their constraints. Choose one in the list; a step lights its line in the C++ text.
//@ launch grid=1 block=32
//@ buffer out: u32[32] = 0
//@ buffer rows: u32[32][4] = 0
//@ buffer sum: u32[1] = 0

// Writes memory that no operand names: it needs `volatile` and "memory".
__device__ void store(unsigned *out, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;" :: "l"(out), "r"(value) : "memory");
}

// Four elements a lane. The pieces of the text are one; \n\t ends an instruction for a reader of the PTX alone.
__device__ void store_row(unsigned *rows, unsigned a, unsigned b) {
  asm volatile("{\n\t"
               ".reg .u32 t;\n\t"
               "add.u32 t, %1, %2;\n\t"
               "st.global.v4.u32 [%0], {%1, %2, t, t};\n\t"
               "}"
               :: "l"(rows), "r"(a), "r"(b) : "memory");
}

// Computes its output from its input alone: the compiler may move it, or delete it where the output is not used.
__device__ unsigned bit_count(unsigned mask) {
  unsigned count;
  asm("popc.b32 %0, %1;" : "=r"(count) : "r"(mask));
  return count;
}

// A register of the assembly has two percent signs, an operand that is read and written has `+`.
__device__ unsigned below(unsigned total) {
  asm("{\n\t"
      ".reg .pred %%p;\n\t"
      "setp.lt.u32 %%p, %0, 16;\n\t"
      "@%%p add.u32 %0, %0, 100;\n\t"
      "}" : "+r"(total));
  return total;
}

// All lanes add to one place, and none needs the old value. Without "memory", the compiler may keep what it knows of *sum.
__device__ void add(unsigned *sum, unsigned value) {
  asm volatile("red.global.add.u32 [%0], %1;" :: "l"(sum), "r"(value));
}
