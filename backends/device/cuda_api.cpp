#include "backends/device/cuda_api.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

namespace ke::cuda {
namespace {

failure no_driver(std::string why) {
  return {failure_kind::missing, "NVIDIA's driver library can't be used: " + std::move(why), false};
}

result<api> loaded() {
  void* library = nullptr;
  const char* named = std::getenv("KE_LIBCUDA");
  for (const char* place : {named ? named : "", "libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                            "/usr/lib/wsl/lib/libcuda.so.1"})
    if (!library && *place != '\0')
      library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return no_driver("libcuda.so.1 is not here; install the NVIDIA driver of your system");
  api made;
  const char* lacking = nullptr;
#define KE_CUDA_FUNCTION(name, symbol, returns, ...)                                                         \
  made.name = reinterpret_cast<returns (*)(__VA_ARGS__)>(dlsym(library, symbol));                            \
  if (!made.name)                                                                                            \
    lacking = symbol;
  KE_CUDA_FUNCTIONS(KE_CUDA_FUNCTION)
#undef KE_CUDA_FUNCTION
  if (lacking)
    return no_driver(std::string{"it lacks "} + lacking + "; install a driver of CUDA 11.4 or later");
  link_map* file = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&file)) == 0 && file)
    made.library = file->l_name;
  return made;
}

} // namespace

std::string api::error_of(outcome code) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(code, &name) != 0 || error_text(code, &text) != 0 || !name || !text)
    return "CUDA error " + std::to_string(code);
  return std::string{text} + " (" + name + ")";
}

int api::value(attribute which, device of) const {
  int value = 0;
  return device_attribute(&value, static_cast<int>(which), of) == 0 ? value : 0;
}

const result<api>& driver() {
  static const result<api> the = loaded();
  return the;
}

} // namespace ke::cuda
