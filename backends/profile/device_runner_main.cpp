// ke-device-runner OBJECT CASE TENSORS VALUES: calls built device code on one prepared case, for a tool that looks into
// what runs on the device: calls to warm up, then one between the driver's profiler start and stop. Runs in a sandbox,
// under the tool. No host code of a candidate runs here; it reports nothing.
// OBJECT: as ke-device-compiler leaves it (device_object.hpp). CASE: as case_arguments.hpp reads it; the first TENSORS
// arguments are tensors, the others numbers. VALUES: seven numbers a launch with commas between them: grid, block, bytes
// of shared memory (launch_values.hpp).
#include "backends/device/cuda_api.hpp"
#include "backends/evidence/device_object.hpp"
#include "backends/judge/device_words.hpp"
#include "backends/profile/case_arguments.hpp"
#include "runtime/core/codec.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace ke;

constexpr int warm_calls = 2;
constexpr std::uint64_t usual_shared = 48u << 10;

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "ke-device-runner: %s\n", why.c_str());
  std::exit(2);
}

struct runner {
  const cuda::api& cu;
  cuda::stream stream = nullptr;
  std::vector<cuda::function> kernels;
  std::vector<std::uint64_t> forms;
  std::vector<case_argument> arguments;
  std::vector<std::uint64_t> values; ///< an address, or the number itself

  void must(cuda::outcome code, const std::string& what) const {
    if (code != 0)
      refuse(what + ": " + cu.error_of(code));
  }

  void open() {
    cuda::device device = 0;
    cuda::context context = nullptr;
    must(cu.init(0), "cuInit");
    must(cu.device_get(&device, 0), "cuDeviceGet");
    must(cu.context_create(&context, cuda::waits_spinning, device), "make a context");
    must(cu.stream_create(&stream, cuda::own_order), "make a stream");
  }

  void load(const std::string& bytes) {
    auto object = unpack<device_object>(bytes, {std::size_t{1} << 30, 1u << 20, 16});
    if (!object)
      refuse("the object is none of device code: " + object.error().text);
    cuda::module module = nullptr;
    must(cu.module_load(&module, object->cubin.data()), "load the object");
    if (forms.size() != object->launches.size() * wire::values_per_launch)
      refuse("there are " + std::to_string(forms.size()) + " numbers for " +
             std::to_string(object->launches.size()) + " launches");
    for (const auto& l : object->launches) {
      cuda::function kernel = nullptr;
      must(cu.module_function(&kernel, module, l.entry.c_str()), "find " + l.entry);
      auto shared = forms[kernels.size() * wire::values_per_launch + 6];
      if (shared > usual_shared)
        must(cu.function_set(kernel, cuda::most_dynamic_shared, static_cast<int>(shared)),
             "ask for shared memory");
      kernels.push_back(kernel);
    }
  }

  /// Tensors in memory of the device; scalars and dims, eight bytes each behind them, as they are. An empty tensor
  /// has an address, too.
  void place(std::size_t tensors) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& a = arguments[i];
      std::uint64_t value = 0;
      if (i >= tensors) {
        std::memcpy(&value, a.from, sizeof value);
      } else {
        cuda::address at = 0;
        must(cu.memory_alloc(&at, a.bytes ? a.bytes : 1), "take memory of the device");
        must(cu.set_bytes(at, 0, a.bytes, stream), "clear it");
        value = at;
      }
      values.push_back(value);
    }
    for (std::size_t i = 0; i < tensors; ++i)
      write(i);
  }

  void write(std::size_t i) {
    if (arguments[i].from && arguments[i].bytes)
      must(cu.copy_to_device(values[i], arguments[i].from, arguments[i].bytes, stream), "write an input");
  }

  void call() {
    std::vector<void*> at;
    at.reserve(values.size());
    for (auto& v : values)
      at.push_back(&v);
    for (std::size_t l = 0; l < kernels.size(); ++l) {
      const auto* f = forms.data() + l * wire::values_per_launch;
      auto u = [&](int i) { return static_cast<unsigned>(f[i]); };
      if (f[0] * f[1] * f[2] * f[3] * f[4] * f[5] != 0)
        must(cu.launch(kernels[l], u(0), u(1), u(2), u(3), u(4), u(5), u(6), stream, at.data(), nullptr),
             "launch");
    }
    must(cu.context_wait(), "run");
  }

  /// What calls change in place begins anew.
  void restore() {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].role == 2)
        write(i);
    must(cu.context_wait(), "write inputs again");
  }
};

std::vector<std::uint64_t> numbers_in(const char* text) {
  std::vector<std::uint64_t> all;
  std::istringstream in{text};
  for (std::string word; std::getline(in, word, ',');)
    all.push_back(std::strtoull(word.c_str(), nullptr, 10));
  return all;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    refuse("OBJECT CASE TENSORS VALUES");
  const auto& loaded = cuda::driver();
  if (!loaded)
    refuse(loaded.error().text);
  runner r{*loaded};
  r.arguments = read_case(argv[2]);
  auto tensors = std::strtoull(argv[3], nullptr, 10);
  if (r.arguments.empty() || tensors > r.arguments.size())
    refuse(std::string{argv[2]} + " is no case");
  r.forms = numbers_in(argv[4]);
  std::ifstream in{argv[1], std::ios::binary};
  r.open();
  r.load({std::istreambuf_iterator<char>{in}, {}});
  r.place(tensors);
  for (int i = 0; i < warm_calls; ++i) {
    r.call();
    r.restore();
  }
  r.must(r.cu.profiler_start(), "start the profiler");
  r.call();
  r.must(r.cu.profiler_stop(), "stop the profiler");
  std::fflush(stdout);
  _exit(0); // no wait for what a candidate's kernel left
}
