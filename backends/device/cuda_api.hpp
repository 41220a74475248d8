#pragma once

#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

// NVIDIA's driver API, loaded when it is asked for: a program without a device needs no library of it. The
// types are the binary interface of libcuda.so.1 as its manual documents it, since CUDA 11.4.

namespace ke::cuda {

using device = int;
using address = unsigned long long;
using allocation = unsigned long long;
using context = struct opaque_context*;
using module = struct opaque_module*;
using function = struct opaque_function*;
using stream = struct opaque_stream*;
using graph = struct opaque_graph*;
using executable_graph = struct opaque_executable_graph*;

/// CUresult. 0 is success; others by name through `error_of`.
using outcome = int;

struct uuid {
  char bytes[16];
};

/// CUmemLocation, CUmemAllocationProp, CUmemAccessDesc.
struct memory_location {
  int type; ///< 1: a device
  int id;
};
struct allocation_form {
  int type;    ///< 1: pinned
  int handles; ///< 1: file descriptors
  memory_location location;
  void* windows;
  struct {
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
struct memory_access {
  memory_location location;
  int flags; ///< 3: reads and writes
};

/// CUdevice_attribute.
enum class attribute : int {
  clock_khz = 13,
  processors = 16,
  compute_mode = 20,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  processor_threads = 39,
  major = 75,
  minor = 76,
  processor_shared_bytes = 81,
  processor_registers = 82,
  block_shared_bytes = 97,
};

/// Compute modes in which another process can't make a context.
inline constexpr int mode_prohibited = 2, mode_exclusive = 3;

#define KE_CUDA_FUNCTIONS(X)                                                                                 \
  X(init, "cuInit", outcome, unsigned)                                                                       \
  X(driver_version, "cuDriverGetVersion", outcome, int*)                                                     \
  X(error_name, "cuGetErrorName", outcome, outcome, const char**)                                            \
  X(error_text, "cuGetErrorString", outcome, outcome, const char**)                                          \
  X(device_count, "cuDeviceGetCount", outcome, int*)                                                         \
  X(device_get, "cuDeviceGet", outcome, device*, int)                                                        \
  X(device_name, "cuDeviceGetName", outcome, char*, int, device)                                             \
  X(device_uuid, "cuDeviceGetUuid_v2", outcome, uuid*, device)                                               \
  X(device_memory, "cuDeviceTotalMem_v2", outcome, std::size_t*, device)                                     \
  X(device_attribute, "cuDeviceGetAttribute", outcome, int*, int, device)                                    \
  X(device_bus, "cuDeviceGetPCIBusId", outcome, char*, int, device)                                          \
  X(context_create, "cuCtxCreate_v2", outcome, context*, unsigned, device)                                   \
  X(context_wait, "cuCtxSynchronize", outcome)                                                               \
  X(memory_alloc, "cuMemAlloc_v2", outcome, address*, std::size_t)                                           \
  X(memory_info, "cuMemGetInfo_v2", outcome, std::size_t*, std::size_t*)                                     \
  X(memory_free, "cuMemFree_v2", outcome, address)                                                           \
  X(host_alloc, "cuMemHostAlloc", outcome, void**, std::size_t, unsigned)                                    \
  X(host_free, "cuMemFreeHost", outcome, void*)                                                              \
  X(granularity, "cuMemGetAllocationGranularity", outcome, std::size_t*, const allocation_form*, int)        \
  X(create, "cuMemCreate", outcome, allocation*, std::size_t, const allocation_form*, unsigned long long)    \
  X(release, "cuMemRelease", outcome, allocation)                                                            \
  X(export_handle, "cuMemExportToShareableHandle", outcome, void*, allocation, int, unsigned long long)      \
  X(import_handle, "cuMemImportFromShareableHandle", outcome, allocation*, void*, int)                       \
  X(reserve, "cuMemAddressReserve", outcome, address*, std::size_t, std::size_t, address,                    \
    unsigned long long)                                                                                      \
  X(unreserve, "cuMemAddressFree", outcome, address, std::size_t)                                            \
  X(map, "cuMemMap", outcome, address, std::size_t, std::size_t, allocation, unsigned long long)             \
  X(unmap, "cuMemUnmap", outcome, address, std::size_t)                                                      \
  X(set_access, "cuMemSetAccess", outcome, address, std::size_t, const memory_access*, std::size_t)          \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", outcome, address, const void*, std::size_t, stream)              \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", outcome, void*, address, std::size_t, stream)                      \
  X(set_bytes, "cuMemsetD8Async", outcome, address, unsigned char, std::size_t, stream)                      \
  X(module_load, "cuModuleLoadData", outcome, module*, const void*)                                          \
  X(module_function, "cuModuleGetFunction", outcome, function*, module, const char*)                         \
  X(function_set, "cuFuncSetAttribute", outcome, function, int, int)                                         \
  X(launch, "cuLaunchKernel", outcome, function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, stream, void**, void**)                                                                        \
  X(stream_create, "cuStreamCreate", outcome, stream*, unsigned)                                             \
  X(stream_wait, "cuStreamSynchronize", outcome, stream)                                                     \
  X(capture_begin, "cuStreamBeginCapture_v2", outcome, stream, int)                                          \
  X(capture_end, "cuStreamEndCapture", outcome, stream, graph*)                                              \
  X(graph_make, "cuGraphInstantiateWithFlags", outcome, executable_graph*, graph, unsigned long long)        \
  X(graph_upload, "cuGraphUpload", outcome, executable_graph, stream)                                        \
  X(graph_launch, "cuGraphLaunch", outcome, executable_graph, stream)                                        \
  X(graph_free, "cuGraphDestroy", outcome, graph)                                                            \
  X(executable_free, "cuGraphExecDestroy", outcome, executable_graph)                                        \
  X(profiler_start, "cuProfilerStart", outcome)                                                              \
  X(profiler_stop, "cuProfilerStop", outcome)

/// Function attribute: most bytes of dynamic shared memory. Context flag: a wait spins. Stream flag: not after
/// the default stream.
inline constexpr int most_dynamic_shared = 8;
inline constexpr unsigned waits_spinning = 1, own_order = 1;
/// Handles are file descriptors.
inline constexpr int file_descriptor = 1;

/// The functions, by the names above. Any thread; contexts are per thread, as the driver has them.
struct api {
#define KE_CUDA_FUNCTION(name, symbol, returns, ...) returns (*name)(__VA_ARGS__) = nullptr;
  KE_CUDA_FUNCTIONS(KE_CUDA_FUNCTION)
#undef KE_CUDA_FUNCTION
  std::string library; ///< the file that it came from

  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
  std::string error_of(outcome code) const;
  int value(attribute which, device of) const;
};

/// Loads libcuda.so.1 once: as KE_LIBCUDA in the environment says, or where the loader finds it. `missing`, with the reason
/// in words, if there is none or it is older than CUDA 11.4. Does not call into it.
const result<api>& driver();

} // namespace ke::cuda
