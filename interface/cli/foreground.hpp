#pragma once

#include "backends/evaluation/evaluate.hpp"
#include "interface/cli/stoppable_processes.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/scratch_root.hpp"
#include "runtime/process/signal_watch.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ke::cli {

/// Judging for `eval` and `problem lint`: a backend, a private folder removed at the end, and processes that
/// Ctrl-C ends. Call signal_watch::block() first. One thread.
class foreground {
public:
  /// `invalid`: an unknown sandbox level or backend; `missing`: no temporary folder.
  static result<std::unique_ptr<foreground>> open(const std::string& sandbox, const std::string& backend_name,
                                                  const std::vector<std::string>& backend_paths);

  const backend& with() const { return with_; }
  evaluate_options options; ///< sandbox, folder and the backend's limits are set
  process_port& processes() { return processes_; }
  bool interrupted() const { return processes_.stopped(); }

private:
  foreground(backend with, scratch_root scratch);

  backend with_;
  scratch_root scratch_;
  process_service service_;
  stoppable_processes processes_{service_};
  signal_watch signals_; ///< last: it uses the rest
};

/// The failure of an interrupted command.
failure interrupted_failure();

} // namespace ke::cli
