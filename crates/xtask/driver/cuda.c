// Implements a stub of the CUDA driver for compilers that load their kernels through the driver API. The stub records each loaded module
// and each launch, and executes no kernel. The stub allocates device memory on the host, so that copies between host and device preserve
// their contents.
//
// WARPGRID_RECORD names the output directory. The driver writes `module-N.ptx` (or `.cubin`) for each module and `launches.jsonl` with one
// object per launch:
//   {"module", "entry", "grid", "block", "shared", "cluster"?, "params": [{"bytes": hexadecimal, "pointers": [...]}]}
// Each word of a parameter that points into device memory is described by {"at": byte offset in the parameter, "allocation": bytes,
// "offset": bytes}.
// Modules without PTX source have no parameters.
// WARPGRID_SM is the compute capability of the device, 80 by default.

#pragma GCC diagnostic ignored "-Wattribute-alias"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef uint64_t Pointer;
typedef struct { uint32_t id; uint32_t padding; uint32_t n; uint32_t value[15]; } Attribute;
typedef struct { unsigned grid[3], block[3], shared; void *stream; Attribute *attributes; unsigned n_attributes; } LaunchConfig;

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, NOT_SUPPORTED = 801 };
enum { CLUSTER_DIMENSION = 4, MAX_ALLOCATIONS = 1 << 16 };

typedef struct Module { char *text; int number; int is_ptx; } Module;
typedef struct { Module *module; char name[]; } Function;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { Pointer start; size_t size; } allocations[MAX_ALLOCATIONS];
static int n_allocations, n_modules;
static void *current_context = (void *)1;

static FILE *record(const char *name, const char *mode) {
  const char *folder = getenv("WARPGRID_RECORD");
  char path[4096];
  if (!folder) return NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, mode);
}

static int compute_capability(void) {
  const char *sm = getenv("WARPGRID_SM");
  return sm ? atoi(sm) : 80;
}

// These functions have no effect. The functions may omit their parameters, because the caller cleans up the arguments.
#define ACCEPT(name) Result name(void) { return SUCCESS; }
#define ALIAS(name, other) __attribute__((alias(#name))) Result other(void);

ACCEPT(cuInit) ACCEPT(cuCtxSynchronize) ACCEPT(cuCtxDestroy) ACCEPT(cuCtxEnablePeerAccess) ACCEPT(cuCtxSetLimit) ACCEPT(cuCtxSetCacheConfig)
ACCEPT(cuDevicePrimaryCtxRelease) ACCEPT(cuDevicePrimaryCtxReset) ACCEPT(cuDevicePrimaryCtxSetFlags) ACCEPT(cuModuleUnload) ACCEPT(cuLibraryUnload)
ACCEPT(cuFuncSetAttribute) ACCEPT(cuFuncSetCacheConfig) ACCEPT(cuFuncLoad) ACCEPT(cuKernelSetAttribute) ACCEPT(cuMemAdvise) ACCEPT(cuMemPrefetchAsync)
ACCEPT(cuMemHostRegister) ACCEPT(cuMemHostUnregister) ACCEPT(cuMemPoolSetAttribute) ACCEPT(cuMemPoolTrimTo) ACCEPT(cuMemPoolSetAccess)
ACCEPT(cuStreamDestroy) ACCEPT(cuStreamSynchronize) ACCEPT(cuStreamQuery) ACCEPT(cuStreamWaitEvent) ACCEPT(cuEventDestroy) ACCEPT(cuEventRecord)
ACCEPT(cuEventRecordWithFlags) ACCEPT(cuEventSynchronize) ACCEPT(cuEventQuery) ACCEPT(cuProfilerStart) ACCEPT(cuProfilerStop) ACCEPT(cuLinkDestroy)
ALIAS(cuCtxDestroy, cuCtxDestroy_v2) ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2) ALIAS(cuStreamDestroy, cuStreamDestroy_v2)
ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2) ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)
ALIAS(cuEventDestroy, cuEventDestroy_v2) ALIAS(cuMemHostRegister, cuMemHostRegister_v2) ALIAS(cuMemPrefetchAsync, cuMemPrefetchAsync_v2)

ALIAS(cuStreamWaitEvent, cuStreamWaitEvent_ptsz)

// These functions concern textures, arrays, graphics and device partitioning. Compilers look up these functions but do not depend on their
// results.
#define REFUSE(name) Result name(void) { return NOT_SUPPORTED; }
REFUSE(cuArray3DCreate_v2) REFUSE(cuArray3DGetDescriptor_v2) REFUSE(cuArrayCreate_v2) REFUSE(cuArrayDestroy) REFUSE(cuMemcpy2DAsync_v2)
REFUSE(cuMemcpy3DAsync_v2) REFUSE(cuSurfObjectCreate) REFUSE(cuSurfObjectDestroy) REFUSE(cuTexObjectCreate) REFUSE(cuTexObjectDestroy)
REFUSE(cuTexObjectGetResourceDesc) REFUSE(cuGraphicsGLRegisterBuffer) REFUSE(cuGraphicsGLRegisterImage) REFUSE(cuGraphicsMapResources)
REFUSE(cuGraphicsResourceGetMappedPointer) REFUSE(cuGraphicsSubResourceGetMappedArray) REFUSE(cuGraphicsUnmapResources)
REFUSE(cuGraphicsUnregisterResource) REFUSE(cuCtxFromGreenCtx) REFUSE(cuCtxGetDevResource) REFUSE(cuDevResourceDestroyDesc)
REFUSE(cuDevResourceGenerateDesc) REFUSE(cuDevSmResourceSplitByCount) REFUSE(cuDeviceGetDevResource) REFUSE(cuGreenCtxCreate)
REFUSE(cuGreenCtxDestroy) REFUSE(cuExternalMemoryGetMappedBuffer) REFUSE(cuExternalMemoryGetMappedMipmappedArray) REFUSE(cuImportExternalMemory)
REFUSE(cuImportExternalSemaphore) REFUSE(cuMipmappedArrayGetLevel) REFUSE(cuSignalExternalSemaphoresAsync) REFUSE(cuWaitExternalSemaphoresAsync)

// These functions return one handle or one number through their only parameter.
#define GIVE(name, type, result) Result name(type *out) { if (out) *out = (type)(result); return SUCCESS; }
GIVE(cuDriverGetVersion, int, 13000) GIVE(cuDeviceGetCount, int, 1) GIVE(cuDeviceGet, int, 0) GIVE(cuCtxGetDevice, int, 0)
GIVE(cuCtxGetCurrent, void *, current_context) GIVE(cuCtxPopCurrent, void *, current_context) GIVE(cuDevicePrimaryCtxRetain, void *, 1)
GIVE(cuCtxCreate, void *, 1) GIVE(cuStreamCreate, void *, 2) GIVE(cuStreamCreateWithPriority, void *, 2) GIVE(cuEventCreate, void *, 3)
GIVE(cuEventElapsedTime, float, 0) GIVE(cuDeviceCanAccessPeer, int, 0) GIVE(cuDeviceGetDefaultMemPool, void *, 4) GIVE(cuDeviceGetMemPool, void *, 4)
GIVE(cuMemPoolCreate, void *, 4) GIVE(cuModuleGetLoadingMode, int, 1) GIVE(cuOccupancyMaxActiveClusters, int, 1)
GIVE(cuOccupancyMaxActiveBlocksPerMultiprocessor, int, 1) GIVE(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int, 1)
ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2) ALIAS(cuCtxCreate, cuCtxCreate_v2) ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2)

Result cuCtxSetCurrent(void *context) { current_context = context; return SUCCESS; }
Result cuCtxPushCurrent(void *context) { current_context = context; return SUCCESS; }
ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2)
Result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) { (void)device; *flags = 0; *active = 1; return SUCCESS; }
Result cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = *greatest = 0; return SUCCESS; }
Result cuCtxGetLimit(size_t *value, int limit) { (void)limit; *value = 8 << 20; return SUCCESS; }
Result cuStreamIsCapturing(void *stream, int *status) { (void)stream; *status = 0; return SUCCESS; }
Result cuStreamGetCaptureInfo_v2(void *stream, int *status) { (void)stream; *status = 0; return SUCCESS; }
Result cuStreamGetCtx(void *stream, void **context) { (void)stream; *context = current_context; return SUCCESS; }
Result cuDeviceGetName(char *name, int length, int device) { (void)device; snprintf(name, length, "recorder"); return SUCCESS; }
Result cuDeviceGetPCIBusId(char *name, int length, int device) { (void)device; snprintf(name, length, "0000:00:00.0"); return SUCCESS; }
Result cuDeviceGetUuid(char *uuid, int device) { (void)device; memset(uuid, 0, 16); return SUCCESS; }
ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2)
Result cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = 16ull << 30; return SUCCESS; }
ALIAS(cuDeviceTotalMem_v2, cuDeviceTotalMem)
Result cuMemGetInfo_v2(size_t *available, size_t *total) { *available = *total = 16ull << 30; return SUCCESS; }
ALIAS(cuMemGetInfo_v2, cuMemGetInfo)
Result cuGetErrorName(Result error, const char **name) { *name = error ? "CUDA_ERROR" : "CUDA_SUCCESS"; return SUCCESS; }
ALIAS(cuGetErrorName, cuGetErrorString)
Result cuFuncGetAttribute(int *value, int attribute, void *function) { (void)function; *value = attribute == 0 ? 1024 : 0; return SUCCESS; }
Result cuMemPoolGetAttribute(void *pool, int attribute, uint64_t *value) { (void)pool; (void)attribute; *value = 0; return SUCCESS; }

Result cuDeviceComputeCapability(int *major, int *minor, int device) {
  (void)device;
  *major = compute_capability() / 10;
  *minor = compute_capability() % 10;
  return SUCCESS;
}

Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
    case 1: case 2: case 3: *value = 1024; break;            // threads per block, block extents
    case 4: *value = 64; break;                              // block extent in z
    case 5: *value = 0x7fffffff; break;                      // grid extents
    case 6: case 7: *value = 65535; break;
    case 8: *value = 48 << 10; break;                        // shared memory per block
    case 10: *value = 32; break;                             // lanes per warp
    case 12: case 82: *value = 65536; break;                 // registers per block and per multiprocessor
    case 13: case 36: *value = 1500000; break;               // clock rates
    case 16: *value = 108; break;                            // multiprocessors
    case 39: *value = 2048; break;                           // threads per multiprocessor
    case 41: case 83: case 115: *value = 1; break;           // unified addressing, managed memory, memory pools
    case 75: *value = compute_capability() / 10; break;
    case 76: *value = compute_capability() % 10; break;
    case 81: *value = 164 << 10; break;                      // shared memory per multiprocessor
    case 106: *value = 32; break;                            // blocks per multiprocessor
    case 97: *value = 163 << 10; break;                      // shared memory per block that a kernel may opt in to
    default: *value = 0;
  }
  return SUCCESS;
}

// Memory.

static Result allocate(Pointer *out, size_t size) {
  void *memory = NULL;
  if (posix_memalign(&memory, 512, size ? size : 1)) return OUT_OF_MEMORY;
  memset(memory, 0, size);
  pthread_mutex_lock(&mutex);
  int place = 0;
  while (place < n_allocations && allocations[place].start) place++;
  if (place < MAX_ALLOCATIONS) {
    allocations[place].start = (Pointer)memory;
    allocations[place].size = size;
    if (place == n_allocations) n_allocations++;
  }
  pthread_mutex_unlock(&mutex);
  *out = (Pointer)memory;
  return SUCCESS;
}

Result cuMemAlloc_v2(Pointer *out, size_t size) { return allocate(out, size); }
Result cuMemAllocAsync(Pointer *out, size_t size, void *stream) { (void)stream; return allocate(out, size); }
Result cuMemAllocManaged(Pointer *out, size_t size, unsigned flags) { (void)flags; return allocate(out, size); }
Result cuMemHostAlloc(void **out, size_t size, unsigned flags) { (void)flags; return allocate((Pointer *)out, size); }
Result cuMemHostGetDevicePointer_v2(Pointer *out, void *host, unsigned flags) { (void)flags; *out = (Pointer)host; return SUCCESS; }
ALIAS(cuMemAlloc_v2, cuMemAlloc) ALIAS(cuMemAllocAsync, cuMemAllocFromPoolAsync)
ALIAS(cuMemAlloc_v2, cuMemAllocHost) ALIAS(cuMemAlloc_v2, cuMemAllocHost_v2) ALIAS(cuMemHostGetDevicePointer_v2, cuMemHostGetDevicePointer)

Result cuMemFree_v2(Pointer pointer) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < n_allocations; i++)
    if (allocations[i].start == pointer) allocations[i].start = 0;
  pthread_mutex_unlock(&mutex);
  free((void *)pointer);
  return SUCCESS;
}
ALIAS(cuMemFree_v2, cuMemFree) ALIAS(cuMemFree_v2, cuMemFreeAsync) ALIAS(cuMemFree_v2, cuMemFreeHost)

Result cuPointerGetAttribute(void *out, int attribute, Pointer pointer) {
  (void)pointer;
  // Attribute 2 is the memory type, whose value 2 is device memory. All other attributes are zero.
  *(uint32_t *)out = attribute == 2 ? 2 : 0;
  return SUCCESS;
}

Result cuMemcpy(Pointer to, Pointer from, size_t size) { memmove((void *)to, (void *)from, size); return SUCCESS; }
ALIAS(cuMemcpy, cuMemcpyAsync) ALIAS(cuMemcpy, cuMemcpyHtoD_v2) ALIAS(cuMemcpy, cuMemcpyHtoDAsync_v2) ALIAS(cuMemcpy, cuMemcpyDtoH_v2)
ALIAS(cuMemcpy, cuMemcpyDtoHAsync_v2) ALIAS(cuMemcpy, cuMemcpyDtoD_v2) ALIAS(cuMemcpy, cuMemcpyDtoDAsync_v2) ALIAS(cuMemcpy, cuMemcpyHtoD)
ALIAS(cuMemcpy, cuMemcpyDtoH) ALIAS(cuMemcpy, cuMemcpyDtoD) ALIAS(cuMemcpy, cuMemcpyHtoDAsync) ALIAS(cuMemcpy, cuMemcpyDtoHAsync)

#define FILL(name, type) Result name(Pointer at, type value, size_t n) { for (type *p = (type *)at; n--; p++) *p = value; return SUCCESS; }
FILL(cuMemsetD8_v2, uint8_t) FILL(cuMemsetD16_v2, uint16_t) FILL(cuMemsetD32_v2, uint32_t)
ALIAS(cuMemsetD8_v2, cuMemsetD8Async) ALIAS(cuMemsetD16_v2, cuMemsetD16Async) ALIAS(cuMemsetD32_v2, cuMemsetD32Async)
ALIAS(cuMemsetD8_v2, cuMemsetD8) ALIAS(cuMemsetD32_v2, cuMemsetD32)

// Modules.

static Module *load(const void *image, size_t size) {
  const char *bytes = image;
  Module *module = calloc(1, sizeof *module);
  module->is_ptx = memcmp(bytes, "\177ELF", 4) != 0 && (unsigned char)bytes[0] != 0x50;
  if (module->is_ptx) {
    module->text = size ? strndup(bytes, size) : strdup(bytes);
    size = strlen(module->text);
  } else if (!size && bytes[0] == '\177') {
    // A cubin ends with its section headers, at e_shoff + e_shnum * e_shentsize, or with program headers after them.
    uint64_t sections = *(uint64_t *)(bytes + 0x28), programs = *(uint64_t *)(bytes + 0x20);
    size_t end = sections + (size_t)*(uint16_t *)(bytes + 0x3c) * *(uint16_t *)(bytes + 0x3a);
    size_t other = programs + (size_t)*(uint16_t *)(bytes + 0x38) * *(uint16_t *)(bytes + 0x36);
    size = end > other ? end : other;
  }
  pthread_mutex_lock(&mutex);
  module->number = n_modules++;
  pthread_mutex_unlock(&mutex);
  char name[64];
  snprintf(name, sizeof name, "module-%d.%s", module->number, module->is_ptx ? "ptx" : "cubin");
  FILE *file = record(name, "wb");
  if (file) { fwrite(module->text ? module->text : bytes, 1, size, file); fclose(file); }
  return module;
}

Result cuModuleLoadData(void **out, const void *image) { *out = load(image, 0); return SUCCESS; }
Result cuModuleLoadDataEx(void **out, const void *image, unsigned n, void *options, void *values) {
  (void)n; (void)options; (void)values;
  return cuModuleLoadData(out, image);
}
ALIAS(cuModuleLoadDataEx, cuLibraryLoadData)
ALIAS(cuModuleLoadData, cuModuleLoadFatBinary)

Result cuModuleLoad(void **out, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NOT_FOUND;
  fseek(file, 0, SEEK_END);
  size_t size = ftell(file);
  rewind(file);
  char *bytes = calloc(1, size + 1);
  size = fread(bytes, 1, size, file);
  fclose(file);
  *out = load(bytes, size);
  return SUCCESS;
}

Result cuModuleGetFunction(void **out, Module *module, const char *name) {
  Function *function = malloc(sizeof *function + strlen(name) + 1);
  function->module = module;
  strcpy(function->name, name);
  *out = function;
  return SUCCESS;
}
ALIAS(cuModuleGetFunction, cuLibraryGetKernel)
Result cuKernelGetFunction(void **out, void *kernel) { *out = kernel; return SUCCESS; }

Result cuModuleGetGlobal_v2(Pointer *out, size_t *size, void *module, const char *name) {
  (void)module; (void)name;
  // Module variables are not parsed; 64 KiB suffice for all of them.
  if (size) *size = 1 << 16;
  return out ? allocate(out, 1 << 16) : SUCCESS;
}
ALIAS(cuModuleGetGlobal_v2, cuModuleGetGlobal)

// The linker functions return their first input.
Result cuLinkCreate_v2(unsigned n, void *options, void *values, void **state) {
  (void)n; (void)options; (void)values;
  *state = calloc(2, sizeof(void *));
  return SUCCESS;
}
Result cuLinkAddData_v2(void **state, int type, void *data, size_t size) {
  (void)type;
  if (state[0]) return SUCCESS;
  state[0] = calloc(1, size + 1);
  memcpy(state[0], data, size);
  state[1] = (void *)size;
  return SUCCESS;
}
Result cuLinkComplete(void **state, void **out, size_t *size) { *out = state[0]; *size = (size_t)state[1]; return SUCCESS; }
ALIAS(cuLinkCreate_v2, cuLinkCreate) ALIAS(cuLinkAddData_v2, cuLinkAddData)

// Launches.

static size_t width_of(const char *type) {
  const char *digits = strpbrk(type, "123456789");
  return digits ? strtoul(digits, NULL, 10) / 8 : 8;
}

// Writes the bytes of a parameter, and the description of each aligned word that points into device memory.
static void write_bytes(FILE *file, const unsigned char *bytes, size_t size) {
  fputs("{\"bytes\":\"", file);
  for (size_t i = 0; i < size; i++) fprintf(file, "%02x", bytes[i]);
  fputs("\",\"pointers\":[", file);
  const char *separator = "";
  for (size_t at = 0; at + 8 <= size; at += 8) {
    Pointer value;
    memcpy(&value, bytes + at, 8);
    for (int i = 0; value && i < n_allocations; i++) {
      Pointer start = allocations[i].start;
      if (!start || value < start || value - start >= allocations[i].size) continue;
      fprintf(file, "%s{\"at\":%zu,\"allocation\":%zu,\"offset\":%llu}", separator, at, allocations[i].size, (unsigned long long)(value - start));
      separator = ",";
    }
  }
  fputs("]}", file);
}

// Writes the parameters of an entry. The function parses the parameter sizes from declarations such as `.param .align 8 .b8 name[16]`.
static void write_parameters(FILE *file, Function *function, void **values, void **extra) {
  const char *text = function->module->text, *at = text;
  size_t length = strlen(function->name);
  const char *packed = NULL;
  for (; extra && extra[0]; extra += 2)
    if (extra[0] == (void *)1) packed = extra[1];
  while ((at = strstr(at, ".entry"))) {
    at += 6;
    at += strspn(at, " \t\r\n");
    if (!strncmp(at, function->name, length) && !strspn(at + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")) break;
  }
  if (!at) return;
  const char *body = strchr(at, '{'), *open = strchr(at, '(');
  const char *end = open && (!body || open < body) ? strchr(open, ')') : NULL;
  fputs(",\"params\":[", file);
  size_t offset = 0;
  for (int i = 0; end && (at = strstr(open, ".param")) && at < end; i++) {
    open = at + 6;
    const char *stop = strpbrk(open, ",)");
    size_t align = 0, width = 0, n = 1;
    for (const char *word = open; (word = memchr(word, '.', stop - word)); word++) {
      if (!strncmp(word, ".align", 6)) { if (!align) align = strtoul(word + 6, NULL, 10); }
      else if (strchr("busf", word[1]) && word[2] >= '1' && word[2] <= '9') { if (!width) width = width_of(word); }
    }
    const char *bracket = memchr(open, '[', stop - open);
    if (bracket) n = strtoul(bracket + 1, NULL, 10);
    size_t size = (width ? width : 8) * n;
    if (align < width || bracket == NULL) align = width ? width : 8;
    offset = (offset + align - 1) / align * align;
    const void *bytes = values ? values[i] : packed ? packed + offset : NULL;
    if (i) fputc(',', file);
    if (bytes) write_bytes(file, bytes, size); else fputs("{}", file);
    offset += size;
    open = stop;
  }
  fputc(']', file);
}

static Result launch(Function *function, const LaunchConfig *config, void **values, void **extra) {
  pthread_mutex_lock(&mutex);
  FILE *file = record("launches.jsonl", "a");
  if (file) {
    const unsigned *g = config->grid, *b = config->block;
    Module *module = function->module;
    fprintf(file, "{\"module\":\"module-%d.%s\",\"entry\":\"%s\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared\":%u", module->number,
            module->is_ptx ? "ptx" : "cubin", function->name, g[0], g[1], g[2], b[0], b[1], b[2], config->shared);
    for (unsigned i = 0; i < config->n_attributes; i++) {
      const Attribute *attribute = &config->attributes[i];
      const uint32_t *extents = (const uint32_t *)attribute + 2;
      if (attribute->id == CLUSTER_DIMENSION) fprintf(file, ",\"cluster\":[%u,%u,%u]", extents[0], extents[1], extents[2]);
    }
    if (module->is_ptx) write_parameters(file, function, values, extra);
    fputs("}\n", file);
    fclose(file);
  }
  pthread_mutex_unlock(&mutex);
  return SUCCESS;
}

Result cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
                      void **values, void **extra) {
  LaunchConfig config = {{gx, gy, gz}, {bx, by, bz}, shared, stream, NULL, 0};
  return launch(function, &config, values, extra);
}
ALIAS(cuLaunchKernel, cuLaunchCooperativeKernel)
Result cuLaunchKernelEx(const LaunchConfig *config, Function *function, void **values, void **extra) { return launch(function, config, values, extra); }
Result cuLaunchHostFunc(void *stream, void (*function)(void *), void *argument) { (void)stream; function(argument); return SUCCESS; }

Result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, void *dynamic, size_t shared, int limit) {
  (void)function; (void)dynamic; (void)shared;
  *grid = 216;
  *block = limit ? limit : 1024;
  return SUCCESS;
}

// Looks up the newest version of a function, which has the suffix `_v3`, the suffix `_v2` or no suffix. The lookup ignores flags such as
// per-thread default streams.
Result cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status) {
  (void)version; (void)flags;
  char other[256];
  *out = NULL;
  for (int v = 3; v >= 1 && !*out; v--) {
    snprintf(other, sizeof other, v > 1 ? "%s_v%d" : "%s", name, v);
    *out = dlsym(RTLD_DEFAULT, other);
    if (!*out) { void *self = dlopen(getenv("WARPGRID_DRIVER"), RTLD_NOW); *out = self ? dlsym(self, other) : NULL; }
  }
  if (status) *status = *out ? 0 : 1;
  return *out ? SUCCESS : NOT_FOUND;
}
Result cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) { return cuGetProcAddress_v2(name, out, version, flags, NULL); }
