
__device__ int lock=0;
__global__ void spin_lock(int* total,const int* in){ bool done=false; while(!done){ if(atomicCAS(&lock,0,1)==0){ __threadfence(); *(volatile int*)total+=in[blockIdx.x*blockDim.x+threadIdx.x]; __threadfence(); atomicExch(&lock,0); done=true; } } }