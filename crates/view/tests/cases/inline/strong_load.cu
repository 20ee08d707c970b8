// Without `volatile`, the compiler hoists the load out of a loop that waits for it.
__device__ int load_flag(int *p)
{
    int v;
    asm("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(p)); // information[W1208] 5..8: the asm block orders memory accesses, but the compiler may delete or move the statement, or cache memory values in registers across the statement
    return v;
}
