#pragma once

#include "backends/device_compiler/launch_header.hpp"
#include "backends/device_compiler/nvrtc.hpp"
#include "backends/evidence/device_object.hpp"
#include "runtime/core/result.hpp"

#include <string>
#include <vector>

namespace ke {

struct device_source {
  std::string name; ///< of its file, as errors have it
  std::string text;
  std::string arch;      ///< of the device: sm_90
  std::string arguments; ///< of every entry: "const float* x, float* y, int64_t N"; empty: not checked
  std::vector<launch_shape> shapes;  ///< for which its launches must have values
  std::vector<std::string> includes; ///< folders of CUDA's own headers
  std::vector<std::string> options;  ///< of NVRTC, besides
};

/// The code for one very architecture, with all that it has: "sm_90a" for sm_90. `missing`: the compiler does not
/// know it.
result<std::string> compiled_arch(const std::string& arch, const std::vector<int>& known);

/// One compilation. `invalid`: the candidate's fault, lines of which one is "FILE(12): error: what". `missing`:
/// the machine's.
result<device_object> compile_device_code(const device_source& source, const nvrtc& compiler);

} // namespace ke
