#include "backends/device_compiler/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

namespace ke {
namespace {

struct program_handle; ///< NVRTC's own
constexpr int nvrtc_success = 0, nvrtc_compilation_error = 6;

/// It opens this one by its name alone, which the loader finds only where it was loaded before.
void load_builtins(const std::filesystem::path& library) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{library.parent_path(), error})
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so"))
      ::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
}

template <class F>
bool bind_function(void* library, const char* name, F*& to) {
  to = reinterpret_cast<F*>(::dlsym(library, name));
  return to != nullptr;
}

/// One of a program's texts, without the null byte behind it; empty: there is none.
std::string program_text(program_handle* program, int (*size_of)(program_handle*, std::size_t*),
                         int (*read)(program_handle*, char*)) {
  std::size_t size = 0;
  if (size_of(program, &size) != nvrtc_success || size <= 1)
    return {};
  std::string text(size, '\0');
  read(program, text.data());
  text.resize(size - 1);
  return text;
}

} // namespace

/// Never unloaded: what the library keeps for itself would be nobody's.
struct nvrtc::functions {
  void* library = nullptr;
  int (*version)(int*, int*) = nullptr;
  int (*count_archs)(int*) = nullptr;
  int (*archs)(int*) = nullptr;
  int (*create)(program_handle**, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(program_handle*, int, const char* const*) = nullptr;
  int (*log_size)(program_handle*, std::size_t*) = nullptr;
  int (*log)(program_handle*, char*) = nullptr;
  int (*cubin_size)(program_handle*, std::size_t*) = nullptr;
  int (*cubin)(program_handle*, char*) = nullptr;
  int (*ptx_size)(program_handle*, std::size_t*) = nullptr;
  int (*ptx)(program_handle*, char*) = nullptr;
  int (*destroy)(program_handle**) = nullptr;
  const char* (*error_text)(int) = nullptr;

  bool bind() {
    return bind_function(library, "nvrtcVersion", version) &&
           bind_function(library, "nvrtcGetNumSupportedArchs", count_archs) &&
           bind_function(library, "nvrtcGetSupportedArchs", archs) &&
           bind_function(library, "nvrtcCreateProgram", create) &&
           bind_function(library, "nvrtcCompileProgram", compile) &&
           bind_function(library, "nvrtcGetProgramLogSize", log_size) &&
           bind_function(library, "nvrtcGetProgramLog", log) &&
           bind_function(library, "nvrtcGetCUBINSize", cubin_size) &&
           bind_function(library, "nvrtcGetCUBIN", cubin) &&
           bind_function(library, "nvrtcGetPTXSize", ptx_size) &&
           bind_function(library, "nvrtcGetPTX", ptx) &&
           bind_function(library, "nvrtcDestroyProgram", destroy) &&
           bind_function(library, "nvrtcGetErrorString", error_text);
  }
};

result<nvrtc> nvrtc::open(const std::string& library) {
  auto f = std::make_shared<functions>();
  std::vector<std::string> names{library};
  if (library.empty())
    names = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
  else
    load_builtins(library);
  std::string why;
  for (const auto& name : names)
    if (!f->library) {
      f->library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!f->library)
        why = ::dlerror();
    }
  if (!f->library)
    return failure{failure_kind::missing,
                   "NVRTC cannot be loaded (" + why + "); name libnvrtc.so by KE_NVRTC or --nvrtc"};
  if (!f->bind())
    return failure{failure_kind::missing, "the NVRTC that was loaded lacks functions of version 12 or later; "
                                          "name another libnvrtc.so by KE_NVRTC or --nvrtc"};
  return nvrtc{std::move(f)};
}

std::string nvrtc::version() const {
  int major = 0, minor = 0;
  f_->version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> nvrtc::architectures() const {
  int count = 0;
  f_->count_archs(&count);
  std::vector<int> all(static_cast<std::size_t>(std::max(count, 0)));
  if (!all.empty())
    f_->archs(all.data());
  return all;
}

result<nvrtc_output> nvrtc::compile(const std::string& source, const std::string& name,
                                    const std::vector<std::pair<std::string, std::string>>& headers,
                                    const std::vector<std::string>& options) const {
  std::vector<const char*> names, texts, words;
  for (const auto& [header, text] : headers) {
    names.push_back(header.c_str());
    texts.push_back(text.c_str());
  }
  for (const auto& o : options)
    words.push_back(o.c_str());
  auto wrong = [&](int code) {
    return failure{failure_kind::missing, std::string{"NVRTC itself failed: "} + f_->error_text(code)};
  };
  program_handle* program = nullptr;
  if (int code = f_->create(&program, source.c_str(), name.c_str(), static_cast<int>(headers.size()),
                            texts.data(), names.data());
      code != nvrtc_success)
    return wrong(code);
  auto destroy = [&](program_handle* p) { f_->destroy(&p); };
  std::unique_ptr<program_handle, decltype(destroy)> owned{program, destroy};
  nvrtc_output out;
  int code = f_->compile(program, static_cast<int>(words.size()), words.data());
  out.log = program_text(program, f_->log_size, f_->log);
  out.log.resize(out.log.find_last_not_of('\n') + 1);
  if (code == nvrtc_compilation_error)
    return out;
  if (code != nvrtc_success)
    return failure{failure_kind::missing,
                   wrong(code).text + (out.log.empty() ? "" : ": " + out.log.substr(0, 400))};
  std::size_t size = 0;
  f_->cubin_size(program, &size);
  out.cubin.resize(size);
  if (size > 0)
    f_->cubin(program, out.cubin.data());
  out.compiled = size > 0;
  out.ptx = program_text(program, f_->ptx_size, f_->ptx);
  return out;
}

} // namespace ke
