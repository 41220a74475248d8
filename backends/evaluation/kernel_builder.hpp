#pragma once

#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/harness.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

struct integrity_flag;
struct job_limits;
struct problem;

/// What is compiled: the candidate, the reference, the truth (the reference in wider arithmetic), or a
/// baseline other than the reference, written as a candidate.
enum class build_role : std::uint8_t { candidate, reference, truth, baseline };

/// One compilation as data. Nothing has been written or started.
struct build_plan {
  std::string key; ///< of the artifact cache: digest of sources, command, flags and toolchain
  std::vector<std::pair<std::string, std::string>> files; ///< name in the build folder -> text
  process_spec spec;                                      ///< runs in the build folder; not yet sandboxed
  std::string output;                                     ///< file name of the object in the build folder
  std::vector<std::filesystem::path> reads; ///< what the command needs outside of the folder, and may read
  /// Its program is our own Python, which forks into a sandbox of its own what reads the source.
  bool nests = false;
};

/// Which of a backend's compilers: the second one gets sources that crash the first one.
enum class build_compiler : std::uint8_t { first, second };

struct build_choice {
  build_compiler by = build_compiler::first;
  widening truth = widening::all_but_carried; ///< of the role `truth`
  std::string arch;                           ///< {arch}: the device's, as its facts have it (isa)
};

/// Pure, except that it reads the backend's own headers and looks for its [[file]]s, which are there
/// (find_machine_files). `folder`: for the files. Candidate and reference get the same flags. By the second
/// compiler: only if has_second_compiler.
build_plan plan_build(const backend& with, const problem& what, std::string_view source, build_role role,
                      const std::string& toolchain, const job_limits& limits,
                      const std::filesystem::path& folder, build_choice how = {});

/// Whether there is a second compiler for this source: the backend names one, this machine has it, and the
/// source is in the backend's own language.
bool has_second_compiler(const backend& with, std::string_view source);

/// Whether the compilers' search path has this program; a name with a slash is looked up as it is.
bool is_installed(const std::string& program);

/// Input of a job after the measurement, and the path of its program.
struct job_input {
  std::string file; ///< its name in the job's folder
  std::string text;
  std::string profiler; ///< {profiler}: path of ke-profiler
};

/// The same for a transform or an instrumented build (step_rules.hpp), by the command in its manifest.
build_plan plan_job(const backend& with, const problem& what, const step_spec& j, job_input input,
                    const std::string& toolchain, const job_limits& limits,
                    const std::filesystem::path& folder);

/// Writes the plan's files into its folder, and makes that. `disk_full` naming the file.
status write_sources(const build_plan& plan, const std::filesystem::path& folder);

/// Writes the files; returns the compiler's process in its sandbox (`sandbox`: full | best | none), which may
/// write to `folder` only. `reads`: further files that it sees.
result<process_spec> boxed_build(const build_plan& plan, const std::filesystem::path& folder,
                                 const std::string& sandbox, const job_limits& limits,
                                 const std::vector<std::filesystem::path>& reads = {});

/// Whether the truth is the reference in wider arithmetic. Integers and bits are compared with the reference
/// itself.
bool wants_wider_truth(const problem& what);

/// The compiler's first error, in one line without the build folder's path; also words for a missing
/// `kernel`.
std::string first_error(std::string_view compiler_text, const problem& what);

/// One sentence if a build lacks the vendor library that the problem allows: what is missing, and what to do.
/// Empty: it failed for another reason.
std::string missing_vendor_library(std::string_view compiler_text, const backend& with, const problem& what);

/// Why a build failed, naming a limit that was hit; empty: success.
std::string build_failure(const process_exit& exit, const job_limits& limits, const problem& what);

/// A flag for each symbol that the backend forbids (name "policy_symbol"); ignores libraries added by the
/// link.
std::vector<integrity_flag> forbidden_in(const std::filesystem::path& object, const backend& with);

} // namespace ke
