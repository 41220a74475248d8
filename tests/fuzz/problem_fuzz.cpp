#include "config/problem_file.hpp"

#include <cstdlib>

/// Any bytes as problem.toml, and its text as the content of every file that it names. An accepted problem
/// has extents for every workload.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  auto read = [&](const std::string& path, std::size_t) -> ke::result<std::string> {
    return path.ends_with(".npy") ? "\x93NUMPY" + text : "extern \"C\" void kernel() {}";
  };
  auto load = ke::parse_problem(text, {"problem.toml", "/folder", "", {}}, read);
  if (!load.errors.empty())
    return 0;
  for (const auto& tensor : load.problem.tensors)
    for (const auto& w : load.problem.workloads)
      if (!ke::tensor_extents(tensor, w.dims))
        std::abort();
  return 0;
}
