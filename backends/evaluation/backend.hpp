#pragma once

#include "backends/evaluation/machine_files.hpp"
#include "backends/evaluation/step_graph.hpp"
#include "backends/evidence/metric_roles.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"
#include "runtime/text/candidate_language.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Lower-level text that a candidate may be instead: its parent's assembly or IR, changed by hand or by a
/// model. Assembled and linked without the front end.
struct source_level {
  std::string name;
  std::string suffix;               ///< of a source file, with the dot
  std::vector<std::string> marks;   ///< a text that contains all of these is of this level
  std::vector<std::string> command; ///< argv template; empty: the backend's
};

/// A device's architecture that candidates are compiled for where no such device is.
struct architecture {
  std::string name;   ///< {arch} in commands: sm_90
  std::string target; ///< how documents call its devices; empty: the backend's
};

/// A kernel backend, from `backend.toml`: data, never code.
struct backend {
  std::string name;
  std::string title;
  candidate_language language; ///< that its candidates are written in
  std::string driver;          ///< which driver of the judge runs it: "c-abi", or "python" (fork_server.py)
  std::string device;          ///< kind of device it needs: "cpu", "nvidia"
  std::string target;          ///< its devices in documents; empty: as the CPU's facts say
  std::vector<architecture> architectures; ///< of devices that it stands in for; empty: it needs its device
  std::vector<machine_file> files;         ///< of the machine, which its commands need
  std::filesystem::path folder;            ///< of backend.toml; {include} in the build command
  /// Argv, {python} for python_program(); exit 0, and the printed text is the toolchain's version.
  std::vector<std::string> detect;
  /// Of a python driver: the folder of fork_server.py and driver.py, beside the backend's own; empty: its own.
  std::string python_folder;
  std::vector<std::string> python_prepare; ///< names of own files that the warm Python runs before it forks
  std::string detect_hint;                 ///< how to get it, for a person
  /// argv template: {flags} {include} {sources} {source} {output} {arch} {arguments} {shapes} {file:NAME}
  /// {folder:NAME}
  std::vector<std::string> build;
  /// Candidates are built only where they can't be executed; elsewhere their source runs as it is.
  bool builds_without_device_only = false;
  int missing_code = 0; ///< exit code of that which says that this machine lacks something; 0: none does
  std::vector<std::string> flags;
  std::vector<std::string> build_files; ///< names of files in its folder that the commands need beside them
  std::string reference_language; ///< what the problems' references are written in, as its driver has it
  /// What builds a reference that is in another language than candidates; empty: what builds these.
  std::vector<std::string> reference_build, reference_flags;
  std::vector<std::string> reference_fast_math;   ///< added then if the problem's policy allows it
  std::string reference_suffix;                   ///< of its source file then
  std::map<std::string, std::string> environment; ///< added to that of compilers and of a warm Python
  /// The same of another compiler, which builds what makes the first one crash; empty: there is none.
  std::vector<std::string> second_build, second_flags;
  std::string second_hint;                  ///< how to get it, for a person
  std::vector<std::string> fast_math_flags; ///< added if the problem's policy allows it
  std::vector<std::string> vendor_flags;    ///< added if the policy allows vendor libraries
  std::string vendor_hint;                  ///< how to get those, for a person
  std::vector<std::string> forbidden_symbols;
  std::vector<source_level> levels;
  metric_roles metrics;        ///< what its tools' names say; empty: the program knows them
  std::vector<step_spec> jobs; ///< of one evaluation; never empty after parse_backend
  bool executes = true;
  bool timed = true;
  /// Of an untimed backend that is slow: larger workloads and secret shapes are checked at smaller sizes, of
  /// so many elements together, and the verdict says so; 0: none is.
  std::uint64_t most_elements = 0;
  job_limits limits;
};

/// What is known of a language by its name alone: what the manifest's [language] may leave out. Of a name
/// that is not known only the fence: all that its sources say counts as it stands.
candidate_language usual_language(std::string_view name);

/// The first backend whose problems have a reference in this language; empty: there is none.
std::string usual_backend(const std::vector<backend>& all, std::string_view reference_language);

/// The backends whose devices documents may call so: by their manifests, or, of those that run on this kind
/// of CPU and name no target, by its architecture. One that is called as the target is left out.
std::vector<std::string> backends_of(const std::vector<backend>& all, std::string_view target);

/// The level that a candidate's text is written at; null: the backend's own language.
const source_level* level_of(const backend& b, std::string_view source);

/// The jobs of a manifest that declares none: build candidate, reference and truth, check the symbols,
/// measure.
std::vector<step_spec> usual_jobs();

/// `file` names the place in errors: "file:line:col: what". All unknown keys are errors, which name the
/// nearest one that there is.
result<backend> parse_backend(std::string_view text, const std::filesystem::path& file);

/// All backends in folders below `built_in` and `extra`; a later one replaces an earlier one of the same
/// name.
result<std::vector<backend>> load_backends(const std::filesystem::path& built_in,
                                           const std::vector<std::filesystem::path>& extra);

/// The folder of the backends that belong to programs in `programs`: `backends/` or `share/ke-runtime/backends/`
/// there or in one of the three folders above, so that an installation, a build folder and the source tree
/// around it may be moved. Without one: where it was expected first.
std::filesystem::path backends_near(const std::filesystem::path& programs);

/// Those of this program.
std::filesystem::path built_in_backends();

/// `invalid`, with the known names, if there is no such backend.
result<backend> find_backend(const std::vector<backend>& all, std::string_view name);

/// Runs the detect command and reads the facts of this machine's devices for the backend (isa, cores, caches,
/// compiler, flags, toolchain digest). Never empty: where there is none of its kind, a stand-in for each of
/// its architectures, whose facts say so (executes_on). Blocking. `missing`, with the hint, if there is no
/// toolchain.
result<std::vector<device_info>> probe_targets(const backend& b, process_port& processes);

/// The first of them whose name fits the pattern, as of a shell. `missing` names those that there are.
result<device_info> probe_target(const backend& b, process_port& processes, const std::string& pattern = "*");

/// Whether candidates run there; else they are compiled only.
bool executes_on(const backend& b, const device_info& device);

/// The facts of this CPU alone, without any process. Keys: model, isa, cores, l1d, l2, l3, arch.
device_info cpu_facts();

} // namespace ke
