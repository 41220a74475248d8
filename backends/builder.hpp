#pragma once

#include "backends/backend.hpp"
#include "backends/shim.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/process/process_port.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// What is compiled: the candidate, the reference, the truth from the reference in wider arithmetic, or a
/// baseline that is another one than the reference and written as a candidate is.
enum class build_role : std::uint8_t { candidate, reference, truth, baseline };

/// One compilation as data. Nothing has been written or started.
struct build_plan {
  std::string key; ///< of the artifact cache: digest of sources, command, flags and toolchain
  std::vector<std::pair<std::string, std::string>> files; ///< name in the build folder -> text
  process_spec spec;                                      ///< runs in the build folder; not yet sandboxed
  std::string output; ///< file name of the shared object in the build folder
};

/// Which of a backend's compilers: what makes the first one itself crash is tried by the second.
enum class build_compiler : std::uint8_t { first, second };

struct build_choice {
  build_compiler by = build_compiler::first;
  widening truth = widening::all_but_bf16; ///< of the role `truth`
};

/// Pure but for reading the backend's own headers. `folder` is where the files will lie. Candidate and
/// reference get the same flags. By the second compiler: only what has_second_compiler.
build_plan plan_build(const backend& with, const problem& what, std::string_view source, build_role role,
                      const std::string& toolchain, const job_limits& limits,
                      const std::filesystem::path& folder, build_choice how = {});

/// Whether a second compiler is there for this source: the backend names one, this machine has it, and the
/// source is written in the backend's own language.
bool has_second_compiler(const backend& with, std::string_view source);

/// Whether the compilers' search path has this program; one with a slash is looked up as it is.
bool is_installed(const std::string& program);

/// What goes into a job after the measurement, and where its programs are.
struct job_input {
  std::string file; ///< its name in the job's folder
  std::string text;
  std::string profiler; ///< {profiler}: path of ke-profiler
};

/// The same for a transform or an instrumented build (job_rules.hpp), by the command of its manifest.
build_plan plan_job(const backend& with, const problem& what, const job_spec& j, job_input input,
                    const std::string& toolchain, const job_limits& limits,
                    const std::filesystem::path& folder);

/// Writes the plan's files into its folder, which is made. `disk_full` naming the file.
status write_sources(const build_plan& plan, const std::filesystem::path& folder);

/// Writes the files; the compiler's process in its sandbox (`sandbox`: full | best | none), which may write
/// to `folder` alone; `reads` are files that it sees besides.
result<process_spec> boxed_build(const build_plan& plan, const std::filesystem::path& folder,
                                 const std::string& sandbox, const job_limits& limits,
                                 const std::vector<std::filesystem::path>& reads = {});

/// Whether the truth is the reference in wider arithmetic: integers and bits are compared with the reference
/// itself.
bool wants_wider_truth(const problem& what);

/// The compiler's first error, as one line without the build folder's path; what to say of a missing `kernel`
/// included.
std::string first_error(std::string_view compiler_text, const problem& what);

/// One sentence where a build failed for want of the vendor library that the problem allows: what lacks, and
/// what to do. Empty: it failed of something else.
std::string missing_vendor_library(std::string_view compiler_text, const backend& with, const problem& what);

/// Why a build ended as it did: empty for success. Names the limit where one was hit.
std::string build_failure(const process_exit& exit, const job_limits& limits, const problem& what);

/// A flag for each symbol that the backend forbids (name "policy_symbol"); libraries that the link added are
/// not looked at.
std::vector<integrity_flag> forbidden_in(const std::filesystem::path& object, const backend& with);

} // namespace ke
