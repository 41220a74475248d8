#include "runtime/process/self_process.hpp"

#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"

#include <cstdlib>
#include <initializer_list>
#include <optional>

namespace ke {
namespace {

void take_from_own(std::map<std::string, std::string>& env, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* value = std::getenv(name))
      env[name] = value;
}

} // namespace

std::filesystem::path self_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

std::map<std::string, std::string> device_environment() {
  std::map<std::string, std::string> env;
  take_from_own(env, {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "KE_LIBCUDA"});
  return env;
}

std::map<std::string, std::string> child_environment() {
  std::map<std::string, std::string> env;
  take_from_own(env, {"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "KE_PYTHON"});
  // Where a person says that files of the machine lie, as the manifests name them ([[file]] variable).
  take_from_own(env, {"KE_NVRTC", "KE_CUDA_FP16_H", "KE_CUOBJDUMP", "KE_NCU", "KE_COMPUTE_SANITIZER"});
  env.merge(device_environment());
  if (auto value = std::getenv("KE_FAILPOINT_WORKER")) // the owner's own is not its children's
    env["KE_FAILPOINT"] = value;
  env["LANG"] = "C.UTF-8";
  return env;
}

status verify_in_child(const std::string& dir) {
  process_service processes;
  process_spec spec;
  spec.argv = {self_path().string(), "store", "verify-pages", dir};
  spec.env = child_environment();
  auto end = run_and_wait(processes, std::move(spec));
  if (end.why.kind != failure_kind::none)
    return end.why;
  if (end.code == 0)
    return ok;
  auto said = end.err.substr(0, end.err.find('\n'));
  if (!end.signal && said.starts_with("the store " + dir)) // a whole sentence already
    return failure{failure_kind::corrupt, said, false};
  return failure{failure_kind::corrupt,
                 "the store " + dir + " is damaged: " +
                     (end.signal ? "reading it ended with signal " + std::to_string(end.signal) : said) +
                     "; restore a backup, or run `ke-runtime store check --store " + dir + "`"};
}

} // namespace ke
