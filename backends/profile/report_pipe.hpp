#pragma once

#include "runtime/process/process_port.hpp"
#include "runtime/process/unique_fd.hpp"

#include <string>

namespace ke {

/// The simulator's end of a report_pipe. ke-runner closes this number before it loads anything.
inline constexpr int report_fd = 8;

/// A pipe for a simulator's report, apart from the output streams that the candidate writes to. Mode 0:
/// nobody inside can reopen it through /proc.
class report_pipe {
public:
  /// Empty if none can be made.
  static report_pipe make();
  explicit operator bool() const { return static_cast<bool>(in_); }
  /// Lends the child its end.
  void lend(process_spec& spec) const { spec.pass_fds.emplace_back(out_.get(), report_fd); }
  /// The report, at most what a pipe holds. Does not block; call it once, after the child's end.
  std::string taken();

private:
  unique_fd in_, out_;
};

} // namespace ke
