__device__ __forceinline__ int flat(int row, int column, int width) {
  return row * width + column;
}

extern "C" __global__ void transpose(float* out, const float* in, int w, int h) {
  __shared__ float t[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h)
      t[threadIdx.y + j][threadIdx.x] = in[flat(y + j, x, w)];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < h && y + j < w)
      out[flat(y + j, x, h)] = t[threadIdx.x][threadIdx.y + j];
}
