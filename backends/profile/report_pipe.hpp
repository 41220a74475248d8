#pragma once

#include "runtime/process/process_port.hpp"
#include "runtime/process/unique_fd.hpp"

#include <string>

namespace ke {

/// Where the simulator finds its end of a report_pipe. ke-runner closes that number before it loads anything.
inline constexpr int report_fd = 8;

/// A pipe for what a simulator reports, beside the output streams that the candidate under it writes to. Of
/// mode 0: nobody inside opens it anew through /proc.
class report_pipe {
public:
  /// Empty if there is none to be had.
  static report_pipe make();
  explicit operator bool() const { return static_cast<bool>(in_); }
  /// Lends the child its end.
  void lend(process_spec& spec) const { spec.pass_fds.emplace_back(out_.get(), report_fd); }
  /// What was reported, at most what a pipe holds. Does not block; call it once, when the child has ended.
  std::string taken();

private:
  unique_fd in_, out_;
};

} // namespace ke
