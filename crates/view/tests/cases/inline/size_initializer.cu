// A size operand has the value of its initializer, of which the first arm that is not zero counts.
__device__ inline void copy8(void* smem, const void* src, bool pred, int* copied) {
    unsigned d = __cvta_generic_to_shared(smem);
    int bytes = pred ? 0 : 4, size;
    asm volatile("cp.async.ca.shared.global [%1], [%2], 8, %3;\n"
                 "cp.async.wait_all; mov.b32 %0, %3;" : "=r"(size) : "r"(d), "l"(src), "r"(bytes) : "memory");
    *copied = size;
}
//@ final size: b32 = 4
