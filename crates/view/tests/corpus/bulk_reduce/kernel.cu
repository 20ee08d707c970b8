typedef unsigned int u32; typedef unsigned long long u64;
__device__ __forceinline__ u32 smem(const void* p){ return (u32)__cvta_generic_to_shared(p); }

__global__ void bulk_reduce(int* out){ __shared__ __align__(128) int s[64]; int t=threadIdx.x; s[t]=t+blockIdx.x; asm volatile("fence.proxy.async.shared::cta;"); __syncthreads(); if(t==0){ asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0],[%1],256;"::"l"(out),"r"(smem(s)):"memory"); asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group.read 0;"); } }