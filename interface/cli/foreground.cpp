#include "interface/cli/foreground.hpp"

#include "runtime/observe/exit_codes.hpp"
#include "runtime/process/sandbox.hpp"

#include <unistd.h>

#include <filesystem>
#include <utility>

namespace ke::cli {

foreground::foreground(backend with, scratch_root scratch)
    : with_{std::move(with)}, scratch_{std::move(scratch)}, signals_{[this](int count) {
        if (count >= 3) // it doesn't end by itself
          _exit(exit_interrupted);
        processes_.stop();
      }} {
  options.scratch = scratch_.folder();
  options.limits = with_.limits;
}

result<std::unique_ptr<foreground>> foreground::open(const std::string& sandbox,
                                                     const std::string& backend_name,
                                                     const std::vector<std::string>& backend_paths) {
  if (!parse_name<sandbox_level>(sandbox))
    return failure{failure_kind::invalid, "--sandbox: expected full, best or none, not " + sandbox, false};
  std::vector<std::filesystem::path> extra(backend_paths.begin(), backend_paths.end());
  auto backends = load_backends(built_in_backends(), extra);
  if (!backends)
    return backends.error();
  auto with = find_backend(*backends, backend_name);
  if (!with)
    return with.error();
  std::error_code no_folder;
  auto temporary = std::filesystem::temp_directory_path(no_folder);
  if (no_folder)
    return failure{failure_kind::missing,
                   "there is no temporary folder (" + no_folder.message() + "); set TMPDIR to one", false};
  auto scratch = scratch_root::make(temporary);
  if (!scratch)
    return scratch.error();
  std::unique_ptr<foreground> made{new foreground{std::move(*with), std::move(*scratch)}};
  made->options.sandbox = sandbox;
  return made;
}

failure interrupted_failure() {
  return {failure_kind::cancelled, "interrupted; nothing was judged", false};
}

} // namespace ke::cli
