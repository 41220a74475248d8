#pragma once

#include "backends/evidence/judge_task.hpp"
#include "runtime/core/evidence.hpp"

#include <string>
#include <vector>

namespace ke {

/// What ke-profiler reads on stdin, packed: a judged candidate, and where to look closer.
struct profile_task {
  judge_task run;                 ///< the judge's task
  evidence found;                 ///< the judge's evidence
  std::string source;             ///< the candidate's text
  std::string backend_file;       ///< its backend.toml
  std::string toolchain;          ///< digest, for the rebuilds
  std::string runner;             ///< ke-runner
  bool thorough = false;          ///< simulators, too, not only tools of well below a second
  std::string object;             ///< `ke-profiler trace`: the instrumented object
  bool keeps = false;             ///< leaves what its tools printed in `run.scratch`/raw_folder
  std::string python;             ///< of `under`: the interpreter of candidates in Python
  std::vector<std::string> shows; ///< of `under`: files and folders of the machine that the tool needs
  bool keeps_calls = false; ///< besides, the simulator's file, in a folder that the candidate can write to
};
KE_FIELDS(profile_task, x.run, x.found, x.source, x.backend_file, x.toolchain, x.runner, x.thorough, x.object,
          x.keeps, x.python, x.shows, x.keeps_calls)

/// Where ke-profiler leaves what its tools printed.
inline constexpr const char* raw_folder = "profile-raw";

} // namespace ke
