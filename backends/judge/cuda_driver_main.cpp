// ke-cuda-driver OBJECT DEVICE CPUS: loads a candidate's device code inside the sandbox and launches it when told
// to. OBJECT "-" is an empty kernel. DEVICE: its number for the driver library. No host code of a candidate runs
// here: it confines itself before it reads the object all the same, because libcuda parses that.
#include "backends/device/cuda_api.hpp"
#include "backends/evidence/device_object.hpp"
#include "backends/judge/confinement.hpp"
#include "backends/judge/device_words.hpp"
#include "backends/judge/driver_start_up.hpp"
#include "backends/judge/driver_wire.hpp"
#include "runtime/core/codec.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace ke;

constexpr const char* own_ptx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry ke_nothing() { ret; }
.visible .entry ke_leave(.param .u64 ns) {
  .reg .u64 %most, %begun, %now;
  .reg .pred %early;
  ld.param.u64 %most, [ns];
  mov.u64 %begun, %globaltimer;
again:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begun;
  setp.lt.u64 %early, %now, %most;
  @%early bra again;
  ret;
}
)";
constexpr unsigned most_static_shared = 48u << 10;

void reply(wire::answer what) {
  wire::done message{0, what, 0, 0};
  if (write(wire::done_fd, &message, sizeof message) != static_cast<ssize_t>(sizeof message))
    _exit(3);
}

[[noreturn]] void refuse(wire::answer what, const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(stderr);
  reply(what);
  _exit(0);
}

/// The device as this process has it, and the candidate's kernels on it.
struct driver {
  const cuda::api* cu = nullptr;
  cuda::context context = nullptr;
  cuda::address arena = 0;
  cuda::stream stream = nullptr;
  cuda::function nothing = nullptr, leaving = nullptr;
  std::vector<cuda::function> kernels;
  std::vector<std::uint64_t> shared; ///< that each kernel has been allowed
  cuda::executable_graph replay = nullptr;
  std::vector<std::uint64_t> values; ///< of the next order
  std::uint32_t calls = 0, tensors = 0, others = 0, launches = 0;

  /// A machine's trouble before anything of a candidate was read: the judge blames nobody for it.
  void must(cuda::outcome code, const char* what) const {
    if (code == 0)
      return;
    std::fprintf(stderr, "ke-cuda-driver: %s: %s\n", what, cu->error_of(code).c_str());
    std::fflush(stderr);
    _exit(2);
  }

  void open(int device, int memory, std::size_t bytes) {
    must(cu->init(0), "cuInit");
    cuda::device d = 0;
    must(cu->device_get(&d, device), "cuDeviceGet");
    must(cu->context_create(&context, cuda::waits_spinning, d), "make a context");
    cuda::allocation handle = 0;
    must(cu->import_handle(&handle, reinterpret_cast<void*>(static_cast<std::intptr_t>(memory)), // NOLINT
                           cuda::file_descriptor),
         "import the arena");
    must(cu->reserve(&arena, bytes, 0, 0, 0), "reserve addresses for the arena");
    must(cu->map(arena, bytes, 0, handle, 0), "map the arena");
    cuda::memory_access access{{1, d}, 3};
    must(cu->set_access(arena, bytes, &access, 1), "use the arena");
    must(cu->stream_create(&stream, cuda::own_order), "make a stream");
    cuda::module module = nullptr;
    must(cu->module_load(&module, own_ptx), "load the empty kernel");
    must(cu->module_function(&nothing, module, "ke_nothing"), "find the empty kernel");
    must(cu->module_function(&leaving, module, "ke_leave"), "find the kernel that takes its time");
    must(cu->launch(nothing, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr), "launch the empty kernel");
    must(cu->context_wait(), "wait for the empty kernel");
  }

  void load(const std::string& bytes) {
    auto object = unpack<device_object>(bytes, {std::size_t{1} << 30, 1u << 20, 16});
    if (!object)
      refuse(wire::answer::load_failed, "the object is none of device code: " + object.error().text);
    cuda::module module = nullptr;
    if (auto code = cu->module_load(&module, object->cubin.data()); code != 0)
      refuse(wire::answer::load_failed, "the device does not load it: " + cu->error_of(code));
    for (const auto& l : object->launches) {
      cuda::function kernel = nullptr;
      if (cu->module_function(&kernel, module, l.entry.c_str()) != 0)
        refuse(wire::answer::load_failed, "there is no kernel \"" + l.entry + "\" in it");
      kernels.push_back(kernel);
    }
    shared.assign(kernels.size(), most_static_shared);
  }

  cuda::outcome launch(std::uint32_t call) {
    const auto stride = tensors + others + launches * wire::values_per_launch;
    auto* at = values.data() + call * stride;
    void* arguments[512];
    for (std::uint32_t a = 0; a < tensors + others; ++a)
      arguments[a] = at + a;
    const auto* form = at + tensors + others;
    for (std::uint32_t l = 0; l < kernels.size(); ++l, form += wire::values_per_launch) {
      if (form[0] * form[1] * form[2] * form[3] * form[4] * form[5] == 0)
        continue; // nothing to do for an empty shape
      auto u = [&](int i) { return static_cast<unsigned>(form[i]); };
      if (auto code =
              cu->launch(kernels[l], u(0), u(1), u(2), u(3), u(4), u(5), u(6), stream, arguments, nullptr))
        return code;
    }
    return 0;
  }

  /// More dynamic shared memory than usual is asked for by kernel.
  cuda::outcome allow_shared() {
    const auto stride = tensors + others + launches * wire::values_per_launch;
    for (std::uint32_t c = 0; c < calls; ++c)
      for (std::uint32_t l = 0; l < kernels.size(); ++l) {
        auto bytes = values[c * stride + tensors + others + l * wire::values_per_launch + 6];
        if (bytes <= shared[l])
          continue;
        if (auto code = cu->function_set(kernels[l], cuda::most_dynamic_shared, static_cast<int>(bytes)))
          return code;
        shared[l] = bytes;
      }
    return 0;
  }

  cuda::outcome prepare(const wire::device_words& words) {
    calls = words.calls, tensors = words.tensors, others = words.others, launches = words.launches;
    const auto stride = tensors + others + launches * wire::values_per_launch;
    if (launches != kernels.size() || tensors + others > 512 ||
        std::uint64_t{calls} * stride > wire::most_words)
      return 1;
    values.assign(words.values, words.values + std::size_t{calls} * stride);
    for (std::uint32_t c = 0; c < calls; ++c)
      for (std::uint32_t t = 0; t < tensors; ++t)
        values[c * stride + t] += arena;
    if (auto code = allow_shared())
      return code;
    return words.graph ? capture() : drop_graph();
  }

  cuda::outcome drop_graph() {
    auto code = replay ? cu->executable_free(replay) : 0;
    replay = nullptr;
    return code;
  }

  cuda::outcome capture() {
    if (auto code = drop_graph())
      return code;
    constexpr int thread_only = 1;
    if (auto code = cu->capture_begin(stream, thread_only))
      return code;
    cuda::outcome launched = 0;
    if (kernels.empty()) // the floor of the path
      launched = empty();
    for (std::uint32_t c = 0; c < calls && launched == 0; ++c)
      launched = launch(c);
    cuda::graph made = nullptr;
    auto code = cu->capture_end(stream, &made);
    if (launched != 0 || code != 0)
      return launched != 0 ? launched : code;
    code = cu->graph_make(&replay, made, 0);
    (void)cu->graph_free(made);
    return code != 0 ? code : cu->graph_upload(replay, stream);
  }

  cuda::outcome empty() { return cu->launch(nothing, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr); }

  cuda::outcome run() {
    cuda::outcome code = 0;
    if (replay)
      code = cu->graph_launch(replay, stream);
    else if (kernels.empty()) // the floor of the path
      code = empty();
    else
      for (std::uint32_t c = 0; c < calls && code == 0; ++c)
        code = launch(c);
    return code != 0 ? code : cu->context_wait();
  }

  cuda::outcome leave(std::uint64_t ns) {
    void* arguments[] = {&ns};
    return cu->launch(leaving, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  }

  cuda::outcome serve(const wire::device_words& words) {
    switch (words.request) {
    case wire::device_request::prime: {
      auto code = empty();
      return code != 0 ? code : cu->context_wait();
    }
    case wire::device_request::prepare:
      return prepare(words);
    case wire::device_request::run:
      return run();
    case wire::device_request::leave:
      return leave(words.values[0]);
    case wire::device_request::files:
      break; // nothing compiles here
    }
    return 1;
  }
};

/// The page's place in this process; also ends it if the judge is gone.
wire::device_words* words_of() {
  auto* page =
      mmap(nullptr, wire::words_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, wire::words_fd, 0);
  close(wire::words_fd);
  return page == MAP_FAILED ? nullptr : static_cast<wire::device_words*>(page);
}

std::uint32_t next_request(const wire::device_words& words, std::uint32_t last) {
  for (;;) {
    if (auto asked = words.asked.load(std::memory_order_acquire); asked != last)
      return asked;
    __builtin_ia32_pause();
  }
}

std::string text_of(const std::string& object) {
  if (object == "-")
    return {};
  std::ifstream in{object, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

[[noreturn]] void serve(driver& d, wire::device_words& words) {
  for (std::uint32_t number = 0;;) {
    number = next_request(words, number);
    auto begun = now_ns();
    auto code = d.serve(words);
    if (code != 0) {
      std::fprintf(stderr, "%s\n", d.cu->error_of(code).c_str());
      std::fflush(stderr);
    }
    words.answer = static_cast<std::uint32_t>(code == 0 ? wire::answer::done : wire::answer::exception);
    words.took_ns = now_ns() - begun;
    words.answered.store(number, std::memory_order_release);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    return 2;
  auto* words = words_of();
  if (!words)
    return 2;
  stay_on(argv[3]);
  auto bytes = text_of(argv[1]);
  const auto& loaded = cuda::driver();
  if (!loaded) {
    std::fprintf(stderr, "ke-cuda-driver: %s\n", loaded.error().text.c_str());
    return 2;
  }
  driver d;
  d.cu = &*loaded;
  d.open(std::atoi(argv[2]), wire::memory_fd, std::strtoull(argv[4], nullptr, 10));
  own_filter loading{wire::loading_filter_fd}, calling{wire::calling_filter_fd};
  bool confined = loading.install();
  reply(confined ? wire::answer::started : wire::answer::unconfined);
  if (!confined)
    return 0;
  if (!bytes.empty())
    d.load(bytes);
  if (!calling.install())
    refuse(wire::answer::load_failed, "the filter of system calls can't be put in place");
  reply(wire::answer::ready);
  serve(d, *words);
}
