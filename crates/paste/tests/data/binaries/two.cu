__constant__ float table[8];
extern "C" __global__ void scale(float *out, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = a * table[i & 7]; }
extern "C" __global__ void reverse(int *out) { __shared__ int t[32]; t[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = t[31 - threadIdx.x]; }
