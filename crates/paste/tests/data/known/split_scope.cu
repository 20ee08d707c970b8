// A scope that several statements share.
template <int Index> __device__ unsigned index(unsigned long long low, unsigned long long high) {
  unsigned result;
  asm volatile("{\n\t.reg .b128 response;");
  if constexpr (Index == 0) {
    asm volatile("mov.b128 response, {%0, %1};" :: "l"(low), "l"(high));
  }
  asm volatile("clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, response;"
               : "=r"(result));
  asm volatile("}");
  return result;
}
__device__ void unclosed() {
  asm volatile("{ .reg .pred p;");
}
__device__ unsigned declared_outside_of_braces(const void *p) {
  unsigned result;
  asm volatile(".reg .pred is_shared;");
  asm volatile("isspacep.shared is_shared, %0;" :: "l"(p));
  asm volatile("selp.u32 %0, 1, 0, is_shared;" : "=r"(result));
  return result;
}
__device__ void overload(int a) {
  asm volatile(".reg .b32 copy; mov.b32 copy, %0;" :: "r"(a));
}
__device__ void overload(long long a) {
  asm volatile(".reg .b32 copy; cvt.u32.u64 copy, %0;" :: "l"(a));
}
