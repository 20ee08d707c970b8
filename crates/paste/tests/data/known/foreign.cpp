//@{ Group of a documentation generator
#define LOCK_PREFIX "lock; "
extern int old_name(void) __asm__("new_name");
__asm__(".symver old_name, name@VERSION_1");
__asm__(".global start_of_table\nstart_of_table:\n.quad 0");
register unsigned long stack asm("rsp");

static inline unsigned long long time_stamp() {
  unsigned low, high;
  __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
  asm volatile("shl $32, %%rdx\n or %%rdx, %[ret]" : [ret] "=a"(low) : : "rdx", "cc");
  asm volatile("mov (%0), %%eax" ::"l"(low) : "%eax", "memory");
  asm("popcntq %1, %0" : "=r"(low) : "r"(high));
  asm("movw %w0, %%fs" ::"q"(7));
  asm("nop; ret");
  asm volatile(LOCK_PREFIX "addl %1, %0" : "+m"(low) : "ir"(high));
  asm volatile("" : "+g"(low) : : "memory");
  asm volatile("" ::: "memory");
  return low;
}

static inline void arm(float *p, int *q) {
  asm volatile("dmb ish" ::: "memory");
  asm volatile("mrs %0, cntvct_el0" : "=r"(p));
  asm volatile("vadd.f32 q0, q1, q2\n\tvmax.s32 q0, q1, q2" ::: "q0");
  asm volatile("ldr x0, [%0]\n add x0, x0, #1\n str x0, [%0]" ::"r"(q) : "x0");
  asm volatile("fence.i\n amoadd.w.aq %0, %1, (%2)" : "=r"(*q) : "r"(1), "r"(q));
  asm volatile("ld.w %0, %1, 0\n dbar 0" : "=r"(*q) : "r"(q));
  asm volatile("s_waitcnt lgkmcnt(0)\n s_barrier");
  asm volatile("v_pk_add_f32 %0, %1, %2" : "=v"(*p) : "v"(*p), "v"(*p));
}
// An asm statement in prose: asm ("…") and asm (x).
