#pragma once

#include "runtime/core/result.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// What NVRTC made of a source.
struct nvrtc_output {
  bool compiled = false;
  std::string log; ///< its errors and warnings, and the assembler's words
  std::string cubin;
  std::string ptx; ///< what that was assembled from; empty: this NVRTC does not tell
};

/// NVIDIA's runtime compiler, loaded for as long as this object lives. It reads a candidate's text within this
/// process: a process of its own in a sandbox, never one that knows or decides anything. One thread.
class nvrtc {
public:
  /// `library`: a path; empty: what the loader finds. `missing`, in one sentence.
  static result<nvrtc> open(const std::string& library);

  std::string version() const;            ///< "13.0"
  std::vector<int> architectures() const; ///< 75, 80, 90...

  /// `headers`: name and text of what a source may include without any file. `missing`: the compiler itself
  /// did not work.
  result<nvrtc_output> compile(const std::string& source, const std::string& name,
                               const std::vector<std::pair<std::string, std::string>>& headers,
                               const std::vector<std::string>& options) const;

private:
  struct functions;
  explicit nvrtc(std::shared_ptr<const functions> f) : f_{std::move(f)} {}
  std::shared_ptr<const functions> f_;
};

} // namespace ke
