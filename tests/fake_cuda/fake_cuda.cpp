// A libcuda.so.1 for machines without a device: the driver functions that the program calls, on host memory. Device
// addresses are the host's; a launch runs at once, or, as of a device, when somebody waits. A "cubin" is a text:
// its lines name kernels of this file. As many devices as CUDA_VISIBLE_DEVICES names, as of the real one: none where it is empty,
// one where it is not set. A file "broken-K" beside the library lets device K fail: it makes no context. With
// a file "old-driver" there it is of CUDA 11.2.
//
// It shows that judge, driver, sandbox and arena work together; it shows nothing about a device.
#include "backends/device/cuda_api.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The judge's own kernels, as the device has them, by one block of one thread.
static unsigned __nvvm_read_ptx_sreg_tid_x() {
  return 0;
}
static unsigned __nvvm_read_ptx_sreg_ntid_x() {
  return 1;
}
static unsigned __nvvm_read_ptx_sreg_ctaid_x() {
  return 0;
}
static unsigned __nvvm_read_ptx_sreg_nctaid_x() {
  return 1;
}
namespace judge_kernels {
#define __attribute__(which)
#include "backends/device/judge_kernels.cu"
#undef __attribute__
} // namespace judge_kernels

using namespace ke::cuda;

namespace {

constexpr outcome no_memory = 2, not_found = 500, illegal = 700, unknown = 999;

/// Whether a file of this name lies beside the library.
bool beside(const std::string& name) {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&beside), &own) == 0)
    return false;
  std::string path{own.dli_fname};
  return access((path.substr(0, path.rfind('/')) + '/' + name).c_str(), F_OK) == 0;
}

/// By the last two digits of a device's uuid, or by its number.
std::vector<device> visible_devices() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<device> all;
  std::istringstream words{visible ? visible : "0"};
  for (std::string word; std::getline(words, word, ',');)
    all.push_back(word.starts_with("GPU-") ? std::stoi(word.substr(word.size() - 2), nullptr, 16)
                                           : std::stoi(word));
  return all;
}

template <class T>
T at(void** arguments, int i) {
  return *static_cast<T*>(arguments[i]);
}

/// All that was launched and not waited for, in order.
std::vector<std::function<outcome()>> queue;
outcome sticky = 0;
bool capturing = false;
std::map<std::uintptr_t, std::vector<std::function<outcome()>>> graphs;
std::uintptr_t last_graph = 0;
std::vector<std::function<outcome()>> captured;

outcome drain() {
  auto all = std::exchange(queue, {});
  for (auto& work : all)
    if (sticky == 0)
      sticky = work();
  return sticky;
}

using kernel = outcome (*)(const std::vector<unsigned>& form, std::vector<std::uint64_t> arguments);

std::uint8_t* bytes_of(std::uint64_t address) {
  return reinterpret_cast<std::uint8_t*>(address);
}

outcome nothing(const std::vector<unsigned>&, std::vector<std::uint64_t>) {
  return 0;
}
/// A kernel of the judge with its arguments.
template <class... T, std::size_t... I>
outcome call_with(void (*kernel)(T...), const std::vector<std::uint64_t>& a, std::index_sequence<I...>) {
  auto as = []<class To>(std::uint64_t value, To*) {
    if constexpr (std::is_pointer_v<To>)
      return reinterpret_cast<To>(value);
    else
      return static_cast<To>(value);
  };
  kernel(as(a[I], static_cast<T*>(nullptr))...);
  return 0;
}
template <class... T>
outcome call_with(void (*kernel)(T...), const std::vector<std::uint64_t>& a) {
  return call_with(kernel, a, std::index_sequence_for<T...>{});
}
outcome write_chunks(const std::vector<unsigned>&, std::vector<std::uint64_t> a) {
  return call_with(judge_kernels::ke_write, a);
}
outcome compare_chunks(const std::vector<unsigned>&, std::vector<std::uint64_t> a) {
  return call_with(judge_kernels::ke_compare, a);
}
outcome gather_chunks(const std::vector<unsigned>&, std::vector<std::uint64_t> a) {
  return call_with(judge_kernels::ke_gather, a);
}
outcome mix_parts(const std::vector<unsigned>&, std::vector<std::uint64_t> a) {
  return call_with(judge_kernels::ke_mix, a);
}
outcome agree_parts(const std::vector<unsigned>&, std::vector<std::uint64_t> a) {
  return call_with(judge_kernels::ke_agree, a);
}

/// y = 2 x + 1 over n floats, by as many threads as were launched.
outcome twice(const std::vector<unsigned>& form, std::vector<std::uint64_t> a) {
  const auto* x = reinterpret_cast<const float*>(a[0]);
  auto* y = reinterpret_cast<float*>(a[1]);
  auto threads = std::uint64_t{form[0]} * form[3];
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(threads, a[2]); ++i)
    y[i] = 2 * x[i] + 1;
  return 0;
}
outcome twice_beside(const std::vector<unsigned>& form, std::vector<std::uint64_t> a) {
  reinterpret_cast<float*>(a[1])[a[2]] = 1;
  return twice(form, a);
}
outcome twice_in_input(const std::vector<unsigned>& form, std::vector<std::uint64_t> a) {
  auto code = twice(form, a);
  if (a[2] != 0)
    reinterpret_cast<float*>(a[0])[0] += 1;
  return code;
}
outcome once(const std::vector<unsigned>& form, std::vector<std::uint64_t> a) {
  auto code = twice(form, a);
  if (a[2] != 0)
    reinterpret_cast<float*>(a[1])[a[2] - 1] += 0.5f;
  return code;
}
outcome touches_nothing_of_its_own(const std::vector<unsigned>&, std::vector<std::uint64_t>) {
  return illegal;
}
outcome never_ends(const std::vector<unsigned>&, std::vector<std::uint64_t>) {
  for (;;)
    pause();
}
/// What a device's self-test expects of the kernel that it compiles.
outcome one_more(const std::vector<unsigned>&, std::vector<std::uint64_t> a) {
  for (std::uint64_t i = 0; i < a[2]; ++i)
    reinterpret_cast<std::int32_t*>(a[1])[i] = reinterpret_cast<const std::int32_t*>(a[0])[i] + 1;
  return 0;
}
/// Is right, and as slow as eight of it.
outcome eight_times(const std::vector<unsigned>& form, std::vector<std::uint64_t> a) {
  for (int i = 0; i < 8; ++i)
    (void)twice(form, a);
  return 0;
}

struct named {
  kernel run;
  int arguments;
  const char* sizes; ///< of each: 4 or 8
};
const std::map<std::string, named> kernels{
    {"ke_nothing", {nothing, 0, ""}},
    {"ke_leave", {nothing, 1, "8"}},
    {"ke_write", {write_chunks, 5, "84888"}},
    {"ke_compare", {compare_chunks, 5, "84888"}},
    {"ke_gather", {gather_chunks, 4, "8488"}},
    {"ke_flush", {nothing, 0, ""}},
    {"ke_mix", {mix_parts, 4, "8488"}},
    {"ke_agree", {agree_parts, 3, "848"}},
    {"twice", {twice, 3, "888"}},
    {"kernel", {one_more, 3, "888"}},
    {"twice_beside", {twice_beside, 3, "888"}},
    {"twice_in_input", {twice_in_input, 3, "888"}},
    {"once", {once, 3, "888"}},
    {"illegal", {touches_nothing_of_its_own, 0, ""}},
    {"never_ends", {never_ends, 0, ""}},
    {"eight_times", {eight_times, 3, "888"}},
};

} // namespace

extern "C" {

outcome cuInit(unsigned) {
  return 0;
}
outcome cuDriverGetVersion(int* v) {
  *v = beside("old-driver") ? 11020 : 13000;
  return 0;
}
outcome cuGetErrorName(outcome code, const char** name) {
  *name = code == illegal     ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == no_memory ? "CUDA_ERROR_OUT_OF_MEMORY"
                              : "CUDA_ERROR_FAKE";
  return 0;
}
outcome cuGetErrorString(outcome code, const char** text) {
  *text = code == illegal ? "an illegal memory access was encountered" : "an error of the fake device";
  return 0;
}
outcome cuDeviceGetCount(int* n) {
  *n = static_cast<int>(visible_devices().size());
  return 0;
}
outcome cuDeviceGet(device* d, int number) {
  *d = visible_devices().at(static_cast<std::size_t>(number));
  return 0;
}
outcome cuDeviceGetName(char* to, int n, device) {
  std::strncpy(to, "NVIDIA F100 (none: host memory)", static_cast<std::size_t>(n) - 1);
  return 0;
}
outcome cuDeviceGetUuid_v2(uuid* id, device d) {
  std::memset(id->bytes, 0xfa, sizeof id->bytes);
  id->bytes[15] = static_cast<char>(d);
  return 0;
}
outcome cuDeviceTotalMem_v2(std::size_t* bytes, device) {
  *bytes = 1u << 30;
  return 0;
}
outcome cuDeviceGetAttribute(int* value, int which, device) {
  static const std::map<attribute, int> values{{attribute::major, 9},
                                               {attribute::processors, 2},
                                               {attribute::l2_bytes, 1 << 20},
                                               {attribute::clock_khz, 1'500'000},
                                               {attribute::memory_clock_khz, 1'000'000},
                                               {attribute::memory_bus_bits, 64},
                                               {attribute::processor_shared_bytes, 64 << 10},
                                               {attribute::block_shared_bytes, 48 << 10}};
  auto known = values.find(static_cast<attribute>(which));
  *value = known == values.end() ? 0 : known->second;
  return 0;
}
outcome cuDeviceGetPCIBusId(char* to, int n, device d) {
  std::strncpy(to, d == 0 ? "0000:01:00.0" : "0000:02:00.0", static_cast<std::size_t>(n) - 1);
  return 0;
}
outcome cuCtxCreate_v2(context* c, unsigned, device d) {
  if (beside("broken-" + std::to_string(d)))
    return unknown;
  *c = reinterpret_cast<context>(1);
  return 0;
}
outcome cuCtxSynchronize() {
  return drain();
}
outcome cuMemAlloc_v2(address* to, std::size_t bytes) {
  auto* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *to = reinterpret_cast<address>(p);
  return p == MAP_FAILED ? no_memory : 0;
}
outcome cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = *total = 1u << 30;
  return 0;
}
outcome cuMemFree_v2(address) {
  return 0; // its size is not known here; tests are short
}
outcome cuMemHostAlloc(void** to, std::size_t bytes, unsigned) {
  *to = std::malloc(bytes);
  return *to ? 0 : no_memory;
}
outcome cuMemFreeHost(void* p) {
  std::free(p);
  return 0;
}
outcome cuMemGetAllocationGranularity(std::size_t* grain, const allocation_form*, int) {
  *grain = 2u << 20;
  return 0;
}
outcome cuMemCreate(allocation* to, std::size_t bytes, const allocation_form*, unsigned long long) {
  int fd = memfd_create("fake-device", MFD_CLOEXEC);
  *to = static_cast<allocation>(fd);
  return fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0 ? no_memory : 0;
}
outcome cuMemRelease(allocation a) {
  return close(static_cast<int>(a));
}
outcome cuMemExportToShareableHandle(void* to, allocation a, int, unsigned long long) {
  *static_cast<int*>(to) = dup(static_cast<int>(a));
  return 0;
}
outcome cuMemImportFromShareableHandle(allocation* to, void* fd, int) {
  *to = static_cast<allocation>(dup(static_cast<int>(reinterpret_cast<std::intptr_t>(fd))));
  return 0;
}
outcome cuMemAddressReserve(address* to, std::size_t bytes, std::size_t, address, unsigned long long) {
  auto* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *to = reinterpret_cast<address>(p);
  return p == MAP_FAILED ? no_memory : 0;
}
outcome cuMemAddressFree(address, std::size_t) {
  return 0;
}
outcome cuMemMap(address where, std::size_t bytes, std::size_t, allocation a, unsigned long long) {
  auto* p =
      mmap(bytes_of(where), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, static_cast<int>(a), 0);
  return p == MAP_FAILED ? no_memory : 0;
}
outcome cuMemUnmap(address where, std::size_t bytes) {
  return munmap(bytes_of(where), bytes);
}
outcome cuMemSetAccess(address, std::size_t, const memory_access*, std::size_t) {
  return 0;
}
outcome cuMemcpyHtoDAsync_v2(address to, const void* from, std::size_t bytes, stream) {
  if (auto code = drain())
    return code;
  std::memcpy(bytes_of(to), from, bytes);
  return 0;
}
outcome cuMemcpyDtoHAsync_v2(void* to, address from, std::size_t bytes, stream) {
  if (auto code = drain())
    return code;
  std::memcpy(to, bytes_of(from), bytes);
  return 0;
}
outcome cuMemsetD8Async(address to, unsigned char value, std::size_t bytes, stream) {
  if (auto code = drain())
    return code;
  std::memset(bytes_of(to), value, bytes);
  return 0;
}
outcome cuModuleLoadData(module* to, const void* text) {
  static std::deque<std::string> loaded; // modules stay, as their context does
  auto& names = loaded.emplace_back(static_cast<const char*>(text));
  if (names.starts_with("\x7f"
                        "ELF")) // of a compiler: nobody here looks into it
    names = "kernel";
  *to = reinterpret_cast<module>(&names);
  return 0;
}
outcome cuModuleGetFunction(function* to, module in, const char* name) {
  auto found = kernels.find(name);
  if (found == kernels.end() || reinterpret_cast<std::string*>(in)->find(name) == std::string::npos)
    return not_found;
  *to = reinterpret_cast<function>(const_cast<named*>(&found->second));
  return 0;
}
outcome cuFuncSetAttribute(function, int, int) {
  return 0;
}
outcome cuLaunchKernel(function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz, unsigned shared, stream, void** arguments, void**) {
  const auto* k = reinterpret_cast<const named*>(f);
  std::vector<std::uint64_t> values;
  for (int a = 0; a < k->arguments; ++a)
    values.push_back(k->sizes[a] == '4' ? at<std::uint32_t>(arguments, a) : at<std::uint64_t>(arguments, a));
  auto work = [k, form = std::vector<unsigned>{gx, gy, gz, bx, by, bz, shared}, values] {
    return k->run(form, values);
  };
  (capturing ? captured : queue).emplace_back(work);
  return sticky;
}
outcome cuStreamCreate(stream* to, unsigned) {
  *to = reinterpret_cast<stream>(2);
  return 0;
}
outcome cuStreamSynchronize(stream) {
  return drain();
}
outcome cuStreamBeginCapture_v2(stream, int) {
  capturing = true;
  captured.clear();
  return 0;
}
outcome cuStreamEndCapture(stream, graph* to) {
  capturing = false;
  graphs[++last_graph] = std::exchange(captured, {});
  *to = reinterpret_cast<graph>(last_graph);
  return 0;
}
outcome cuGraphInstantiateWithFlags(executable_graph* to, graph from, unsigned long long) {
  *to = reinterpret_cast<executable_graph>(from);
  return 0;
}
outcome cuGraphUpload(executable_graph, stream) {
  return 0;
}
outcome cuGraphLaunch(executable_graph g, stream) {
  for (const auto& work : graphs[reinterpret_cast<std::uintptr_t>(g)])
    queue.push_back(work);
  return sticky;
}
outcome cuGraphDestroy(graph) {
  return 0;
}
outcome cuGraphExecDestroy(executable_graph) {
  return 0;
}
outcome cuProfilerStart() {
  return 0;
}
outcome cuProfilerStop() {
  return 0;
}

} // extern "C"
