// A size operand whose value the source does not state has a legal value, which is the smallest copy size of the instructions.
__device__ inline void copy16(void* smem, const void* src, int bytes, int* copied) {
    unsigned d = __cvta_generic_to_shared(smem);
    int size;
    asm volatile("cp.async.cg.shared.global [%1], [%2], 16, %3;\n"
                 "cp.async.ca.shared.global [%1], [%2], 8, %3;\n"
                 "cp.async.wait_all; mov.b32 %0, %3;" : "=r"(size) : "r"(d), "l"(src), "r"(bytes) : "memory");
    *copied = size;
}
//@ final size: b32 = 8
