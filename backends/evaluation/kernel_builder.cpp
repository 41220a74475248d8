#include "backends/evaluation/kernel_builder.hpp"

#include "backends/evaluation/command_template.hpp"
#include "backends/evaluation/harness.hpp"
#include "backends/evaluation/launch_cases.hpp"
#include "backends/evaluation/nesting_python.hpp"
#include "backends/evaluation/object_file.hpp"
#include "backends/evaluation/python_parent.hpp"
#include "backends/evidence/driver_traits.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_summary.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/bubblewrap.hpp"
#include "runtime/process/sandbox.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace ke {
namespace {

std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The backend's headers and what else its commands need, in name order: they belong to the key. The
/// program's own ke.h where the backend has none.
std::vector<std::pair<std::string, std::string>> headers_of(const backend& b) {
  std::vector<std::pair<std::string, std::string>> headers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{b.folder, error})
    if (auto name = entry.path().filename().string();
        entry.path().extension() == ".h" ||
        std::find(b.build_files.begin(), b.build_files.end(), name) != b.build_files.end())
      headers.emplace_back(entry.path().filename().string(), bytes_of_file(entry.path()));
  // The harness of a wider truth includes it, whatever candidates are written in.
  constexpr const char* own = "ke.h";
  if (std::none_of(headers.begin(), headers.end(), [&](const auto& h) { return h.first == own; }))
    headers.emplace_back(own, bytes_of_file(built_in_backends() / "cpu-cpp" / own));
  std::sort(headers.begin(), headers.end());
  return headers;
}

/// Key, environment and limits of a plan that has its files and its argv. `made`: the kind of thing in the
/// cache; `tool`: what its content depends on besides all that.
void finish(build_plan& plan, const char* made, const std::string& tool, const backend& with,
            const job_limits& limits, double seconds, const std::filesystem::path& folder) {
  std::string command, texts;
  for (const auto& word : plan.spec.argv)
    command += word + '\0';
  for (const auto& [name, text] : plan.files)
    texts += digest_of_parts({name, text});
  plan.spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C"}};
  for (const auto& [name, value] : with.environment) {
    plan.spec.env[name] = value;
    command += name + '=' + value + '\0';
  }
  plan.key = digest_of_parts({made, tool, command, texts});
  plan.spec.directory = folder.string();
  plan.spec.deadline = std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
  plan.spec.cpu_s = static_cast<std::uint64_t>(seconds * 2) + 1;
  plan.spec.memory_bytes = limits.memory_bytes;
  plan.spec.file_bytes = std::max<std::uint64_t>(limits.scratch_bytes, 16u << 20);
  plan.spec.output_limit = limits.log_bytes;
}

/// Which program a name without a path is, so that another version of it is another tool. Empty: not there.
std::string identity_of(const std::string& program) {
  std::vector<std::string> places{program};
  if (program.find('/') == std::string::npos)
    places = {"/usr/local/bin/" + program, "/usr/bin/" + program, "/bin/" + program};
  for (const auto& place : places) {
    std::error_code error;
    auto real = std::filesystem::canonical(place, error);
    auto bytes = error ? 0 : std::filesystem::file_size(real, error);
    auto when = error ? std::filesystem::file_time_type{} : std::filesystem::last_write_time(real, error);
    if (!error)
      return digest_of_parts(
          {real.string(), std::to_string(bytes), std::to_string(when.time_since_epoch().count())});
  }
  return {};
}

/// What the backend's commands need of this machine: shown to the sandbox, and part of what the tool is.
std::string add_files(const backend& with, template_words& words, build_plan& plan) {
  auto files = find_machine_files(with.files);
  if (!files)
    return {}; // whoever starts the plan has looked: it went just now, and the command will say so
  words.add(*files);
  plan.reads = files->shown(with.files);
  std::string identities;
  for (const auto& [name, place] : files->places)
    identities += name + '=' + identity_of(place.string()) + '\0';
  return identities;
}

/// The dims and whole scalars of each workload that candidates may know: "M=512,N=4096".
std::vector<std::string> shapes_of(const problem& what) {
  std::vector<std::string> shapes;
  for (const auto& w : what.workloads) {
    if (w.held_out)
      continue;
    std::string shape;
    auto add = [&](const std::string& name, std::int64_t value) {
      shape += (shape.empty() ? "" : ",") + name + "=" + std::to_string(value);
    };
    for (const auto& [name, value] : w.dims)
      add(name, value);
    for (const auto& s : what.scalars)
      if (s.integer)
        add(s.name, static_cast<std::int64_t>(s.value));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

/// Adds the files that a source is built with; gives the names of all, as words of a command. Objects get a harness with the C
/// ABI, texts that only a process of their language can call get the calls.
std::vector<std::string> with_harness(const backend& with, const problem& what, const std::string& file,
                                      std::string_view source, widening truth, build_plan& plan) {
  plan.files.emplace_back(file, std::string{source});
  const auto* driver = traits_of_driver(with.driver);
  if (!driver || driver->builds) {
    plan.files.emplace_back("ke_shim.cpp", harness_source(what, truth));
    return {file, "ke_shim.cpp"};
  }
  // What reads the source puts itself into a sandbox by it.
  plan.files.emplace_back("box.py", bytes_of_file(python_files_of(with).folder / "box.py"));
  auto cases = launch_cases(what, source);
  std::vector<std::string> words{file, cases.front().first};
  std::move(cases.begin(), cases.end(), std::back_inserter(plan.files));
  return words;
}

/// Whether checks draw integers of all magnitudes, so that sums of them may overflow.
bool draws_integers(const problem& what) {
  return std::any_of(what.tensors.begin(), what.tensors.end(), [](const tensor_spec& t) {
    return t.role != tensor_role::out && !is_floating(t.dtype) && t.dtype != dtype::boolean &&
           t.range.empty() && !t.promised && (t.init == "normal" || t.init == "uniform" || t.init == "ints");
  });
}

/// Makes the reference the truth.
void widen(build_plan& plan, std::vector<std::string>& flags, const problem& what, widening as) {
  std::string headers;
  for (const auto& [name, text] : plan.files)
    if (std::filesystem::path{name}.extension() == ".h")
      headers += text + '\n';
  plan.files.emplace_back("ke_widen.h", widening_header(what, as, headers));
  flags.insert(flags.end(), {"-include", "ke_widen.h", "-w"});
  if (draws_integers(what)) // the truth dies of what C++ leaves undefined: such inputs are none
    flags.insert(flags.end(), {"-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"});
}

} // namespace

build_plan plan_build(const backend& with, const problem& what, std::string_view source, build_role role,
                      const std::string& toolchain, const job_limits& limits,
                      const std::filesystem::path& folder, build_choice how) {
  build_plan plan;
  bool second = how.by == build_compiler::second;
  bool widened = role == build_role::truth;
  bool of_candidates = role == build_role::candidate || role == build_role::baseline;
  const auto* level = of_candidates ? level_of(with, source) : nullptr;
  // A candidate that is the reference itself is in the reference's language, and built as that is.
  bool as_reference = !with.reference_build.empty() && (!of_candidates || source == what.reference);
  std::string file = (of_candidates ? "candidate" : "reference") + (level          ? level->suffix
                                                                    : as_reference ? with.reference_suffix
                                                                                   : with.language.suffix);
  plan.output = of_candidates ? "candidate.so" : role == build_role::reference ? "reference.so" : "truth.so";
  plan.files = headers_of(with);
  auto sources = with_harness(with, what, file, source, widened ? how.truth : widening::none, plan);
  std::vector<std::string> flags = second         ? with.second_flags
                                   : as_reference ? with.reference_flags
                                                  : with.flags;
  const auto& fast = as_reference ? with.reference_fast_math : with.fast_math_flags;
  if (what.policy.fast_math && !widened)
    flags.insert(flags.end(), fast.begin(), fast.end());
  if (widened)
    widen(plan, flags, what, how.truth);
  const auto& command = second                             ? with.second_build
                        : level && !level->command.empty() ? level->command
                        : as_reference                     ? with.reference_build
                                                           : with.build;
  template_words words{{{"{flags}", flags}, {"{sources}", sources}, {"{shapes}", shapes_of(what)}},
                       {{"{include}", "."},
                        {"{output}", plan.output},
                        {"{source}", file},
                        {"{arch}", how.arch},
                        {"{python}", python_program()},
                        {"{arguments}", kernel_arguments(what, with.language.types)}},
                       {}};
  auto files = add_files(with, words, plan);
  plan.spec.argv = expanded(command, words);
  plan.nests = command.front() == "{python}";
  if (what.policy.vendor_libraries && !widened)
    plan.spec.argv.insert(plan.spec.argv.end(), with.vendor_flags.begin(), with.vendor_flags.end());
  auto tool = second || as_reference || !files.empty() // what the toolchain's digest does not tell
                  ? digest_of_parts({toolchain, identity_of(plan.spec.argv.front()), files})
                  : toolchain;
  finish(plan, "built object 1", tool, with, limits, limits.build_s, folder);
  return plan;
}

bool is_installed(const std::string& program) {
  return !identity_of(program).empty();
}

bool has_second_compiler(const backend& with, std::string_view source) {
  return !with.second_build.empty() && level_of(with, source) == nullptr &&
         is_installed(with.second_build.front());
}

build_plan plan_job(const backend& with, const problem& what, const step_spec& j, job_input input,
                    const std::string& toolchain, const job_limits& limits,
                    const std::filesystem::path& folder) {
  build_plan plan;
  bool builds = j.kind == job_kind::build;
  plan.output = builds ? j.name + ".so" : j.output;
  std::vector<std::string> fast, sources{input.file};
  if (what.policy.fast_math)
    fast = with.fast_math_flags;
  plan.files = headers_of(with);
  if (builds) {
    plan.files.emplace_back("ke_shim.cpp", harness_source(what));
    sources.emplace_back("ke_shim.cpp");
  }
  template_words words{{{"{sources}", sources}, {"{fast_math}", fast}},
                       {{"{include}", "."},
                        {"{input}", input.file},
                        {"{output}", plan.output},
                        {"{profiler}", input.profiler}},
                       {}};
  auto files = add_files(with, words, plan);
  plan.files.emplace_back(std::move(input.file), std::move(input.text));
  plan.spec.argv = expanded(j.command, words);
  if (builds && what.policy.vendor_libraries)
    plan.spec.argv.insert(plan.spec.argv.end(), with.vendor_flags.begin(), with.vendor_flags.end());
  auto tool = digest_of_parts({toolchain, identity_of(plan.spec.argv.front()), KE_VERSION + files});
  finish(plan, builds ? "instrumented object 1" : "transformed 1", tool, with, limits, j.limit_s, folder);
  if (j.command.front() == "{profiler}")
    plan.spec.memory_bytes = 0; // our own program, bounded by itself
  return plan;
}

status write_sources(const build_plan& plan, const std::filesystem::path& folder) {
  using std::filesystem::perms;
  // The compiler runs as another user, whatever the umask of this process is.
  const auto file_mode = perms::owner_read | perms::owner_write | perms::group_read | perms::others_read;
  const auto folder_mode = file_mode | perms::owner_exec | perms::group_exec | perms::others_exec;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::filesystem::permissions(folder, folder_mode, error);
  for (const auto& [name, text] : plan.files) {
    std::ofstream out{folder / name, std::ios::binary};
    out << text;
    if (!out.flush())
      return failure{failure_kind::disk_full,
                     "cannot write " + (folder / name).string() + "; is the disk full?", true};
    std::filesystem::permissions(folder / name, file_mode, error);
  }
  return ok;
}

namespace {

/// KE_FORKS tells compile.py how its fork is held.
result<process_spec> forking_build(process_spec inner, const sandbox_spec& box, const job_limits& limits) {
  inner.env["KE_FORKS"] = fork_limits(box, limits.descriptors, limits.memory_bytes, limits.inodes);
  inner.memory_bytes = 0; // the fork's own
  return nesting_python(std::move(inner), box, {});
}

} // namespace

result<process_spec> boxed_build(const build_plan& plan, const std::filesystem::path& folder,
                                 const std::string& sandbox, const job_limits& limits,
                                 const std::vector<std::filesystem::path>& reads) {
  if (auto written = write_sources(plan, folder); !written)
    return written.error();
  sandbox_spec box;
  box.level = parse_name<sandbox_level>(sandbox).value_or(sandbox_level::full);
  box.writable = {{folder.string(), folder.string()}};
  for (const auto* all : {&plan.reads, &reads})
    for (const auto& r : *all)
      box.read_only.emplace_back(r.string(), r.string());
  // A compiler of ours brings its libraries along where it was installed from a bundle.
  auto own = beside_this_program("../lib/ke-runtime").lexically_normal();
  if (std::error_code error; std::filesystem::is_directory(own, error))
    box.read_only.emplace_back(own.string(), own.string());
  box.scratch_bytes = std::max<std::uint64_t>(limits.scratch_bytes, 256u << 20);
  box.processes = std::max<std::uint32_t>(limits.processes, 32);
  return plan.nests ? forking_build(plan.spec, box, limits) : sandboxed(plan.spec, box);
}

bool wants_wider_truth(const problem& what) {
  bool real = std::any_of(what.tensors.begin(), what.tensors.end(), [](const tensor_spec& t) {
    return t.role != tensor_role::in && is_floating(t.dtype);
  });
  return !what.bitwise && (real || draws_integers(what));
}

std::string first_error(std::string_view text, const problem& what) {
  if (text.find("undefined reference to `kernel'") != std::string_view::npos ||
      text.find("undefined symbol: kernel") != std::string_view::npos)
    return "no symbol `kernel`: define " + kernel_signature(what);
  std::string found;
  bool error_found = false;
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    bool error = line.find("error:") != std::string::npos ||
                 line.find("undefined reference") != std::string::npos ||
                 line.find("undefined symbol") != std::string::npos ||
                 line.find("cannot find -l") != std::string::npos ||
                 line.find("internal compiler error") != std::string::npos ||
                 line.find("multiple definition") != std::string::npos;
    if (error) {
      found = line;
      error_found = true;
      break;
    }
    if (found.empty())
      found = line;
  }
  if (found.size() > 400)
    found.resize(400);
  // An error inside of a header says little without the candidate's own line that led there.
  if (error_found && found.find("candidate.") == std::string::npos) {
    auto here = text.find("required from here");
    if (auto at = here == std::string_view::npos ? text.find("candidate.") : text.rfind("candidate.", here);
        at != std::string_view::npos) {
      auto place = text.substr(at, text.find_first_of(" \n,", at) - at);
      while (place.ends_with(':'))
        place.remove_suffix(1);
      if (place.find(':') != std::string_view::npos)
        found += " (from " + std::string{place.substr(0, 60)} + ")";
    }
  }
  return found;
}

std::string missing_vendor_library(std::string_view text, const backend& with, const problem& what) {
  if (!what.policy.vendor_libraries)
    return {};
  for (const auto& flag : with.vendor_flags)
    if (flag.starts_with("-l") && text.find("cannot find " + flag) != std::string_view::npos)
      return "policy.vendor_libraries = true, and " + flag.substr(2) + " is not installed here; " +
             with.vendor_hint + (with.vendor_hint.empty() ? "" : ", or ") + "take the key out of the problem";
  return {};
}

std::string build_failure(const process_exit& exit, const job_limits& limits, const problem& what) {
  auto seconds = std::to_string(static_cast<long>(limits.build_s)) + " s";
  if (exit.timed_out)
    return "the compiler did not end within the limit of " + seconds;
  if (exit.code == 0)
    return {};
  auto text = first_error(exit.err, what);
  bool memory = exit.err.find("out of memory") != std::string::npos ||
                exit.err.find("cannot allocate") != std::string::npos ||
                exit.err.find("virtual memory exhausted") != std::string::npos;
  if (memory)
    return "the compiler exceeded the memory limit of " + std::to_string(limits.memory_bytes >> 20) + " MiB";
  if (exit.signal == 24) // SIGXCPU
    return "the compiler exceeded its CPU time limit (" + seconds + " of wall time)";
  if (exit.signal != 0)
    return "the compiler was killed by signal " + std::to_string(exit.signal) +
           (text.empty() ? "" : ": " + text);
  return text.empty() ? "the compiler failed with exit code " + std::to_string(exit.code) : text;
}

std::vector<integrity_flag> forbidden_in(const std::filesystem::path& object, const backend& with) {
  std::vector<integrity_flag> flags;
  for (const auto& name : undefined_symbols(object))
    if (std::find(with.forbidden_symbols.begin(), with.forbidden_symbols.end(), name) !=
        with.forbidden_symbols.end())
      flags.push_back({"policy_symbol", "the built object calls `" + name + "`, which no kernel may"});
  return flags;
}

} // namespace ke
