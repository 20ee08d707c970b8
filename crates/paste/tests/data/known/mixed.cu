// Device code with PTX, and host code with assembly for CPUs and other GPUs.
//@{
__device__ void device(unsigned *p, unsigned x) {
  asm volatile("st.gobal.u32 [%0], %1;" :: "l"(p), "r"(x) : "memory");
  asm volatile("trap;");
  asm volatile("cp.async.wait_group %0;" :: "n"(DEPTH) : "memory");
  asm volatile("mov %0, 1;" : "=r"(x));
#ifdef __HIP_PLATFORM_AMD__
  asm volatile("s_waitcnt vmcnt(%0)" :: "n"(DEPTH));
#endif
}
void host(unsigned *p) {
  asm volatile("mfence" ::: "memory");
  asm volatile("mov (%0), %%eax" :: "l"(p) : "%eax", "memory");
}
// A string literal is not a statement.
const char *text = "asm volatile(\"bar.sync 0;\");";
