#include "backends/profile/profiler.hpp"

#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/kernel_builder.hpp"
#include "backends/evaluation/object_file.hpp"
#include "backends/evaluation/raw_output.hpp"
#include "backends/evidence/instruction_mix.hpp"
#include "backends/evidence/profile_task.hpp"
#include "backends/judge/driver_wire.hpp"
#include "backends/profile/annotated_listing.hpp"
#include "backends/profile/case_file.hpp"
#include "backends/profile/hot_loop.hpp"
#include "backends/profile/readings.hpp"
#include "backends/profile/report_pipe.hpp"
#include "backends/profile/sampler.hpp"
#include "backends/profile/sanitizer_report.hpp"
#include "backends/verdict/diagnosis.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/seccomp_filter.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace ke {
namespace {

namespace fs = std::filesystem;

constexpr double sample_s = 0.2;
constexpr double simulation_slowdown = 60;  ///< of callgrind with caches, measured 40 to 60
constexpr double longest_simulation_s = 12; ///< wall; what would take longer is not begun
constexpr double quick_simulation_s = 1.5;  ///< what a search may spend where doubt is left

const std::map<std::string, std::string> tool_environment{{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                                          {"LANG", "C"}};

/// What the steps share: the task, and what earlier steps found.
struct bench {
  const profile_task& task;
  process_port& processes;
  backend with;
  fs::path folder;
  profile_result found;
  std::uint32_t workload = 0;
  double call_s = 0; ///< of the judge's timing, on that workload
  fs::path case_file;
  run_profile run;
  hot_loop loop;
  fs::path portable; ///< an object that a simulator can run
  fs::path checked;  ///< an object with sanitizers
  std::string sanitizer_runtime;
  bool slower = false; ///< than the baseline
  bool simulate = false;
  report_pipe report; ///< of the simulator
  raw_output raw;

  const problem& what() const { return task.run.what; }
};

/// One tool: the process as data, and a reader of the result. `plan` none: it has nothing to do here.
struct profile_step {
  const char* name;
  std::optional<process_spec> (*plan)(bench&);
  void (*read)(bench&, const process_exit&);
};

std::string file_text(const fs::path& path, std::size_t most) {
  std::ifstream in{path, std::ios::binary};
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

sandbox_level level_of(const bench& b) {
  return parse_name<sandbox_level>(b.task.run.sandbox).value_or(sandbox_level::full);
}

std::optional<process_spec> boxed(const bench& b, process_spec spec, const std::vector<fs::path>& reads,
                                  const fs::path& writes = {}) {
  sandbox_spec box;
  box.level = level_of(b);
  for (const auto& r : reads)
    box.read_only.emplace_back(r.string(), r.string());
  if (!writes.empty())
    box.writable = {{writes.string(), writes.string()}};
  box.scratch_bytes = std::max<std::uint64_t>(b.task.run.limits.scratch_bytes, 64u << 20);
  box.processes = std::max<std::uint32_t>(b.task.run.limits.processes, 64);
  box.descriptors =
      std::max<std::uint32_t>(b.task.run.limits.descriptors, 256); // counters of the profiler too
  if (spec.env.empty())
    spec.env = tool_environment;
  if (spec.directory.empty())
    spec.directory = "/";
  auto done = sandboxed(std::move(spec), box);
  if (!done)
    return std::nullopt;
  return *std::move(done);
}

std::chrono::nanoseconds seconds(double s) {
  return std::chrono::nanoseconds{static_cast<std::int64_t>(s * 1e9)};
}

/// What ke-driver may not do, ke-runner may not either: filters of system calls, lent to `spec`. `codes`:
/// what it loads makes code while it runs, as a simulator does.
void confine(process_spec& spec, bool codes) {
  auto filters = std::make_shared<std::vector<unique_fd>>();
  auto lend = [&](kernel_stage stage, int number) {
    if (auto filter = kernel_filter(stage)) {
      spec.pass_fds.emplace_back(filter->get(), number);
      filters->push_back(std::move(*filter));
    }
  };
  lend(kernel_stage::loading, wire::loading_filter_fd);
  if (!codes)
    lend(kernel_stage::calling, wire::calling_filter_fd);
  spec.keeps = filters;
}

process_spec runner(const bench& b, const fs::path& object, std::vector<std::string> how,
                    std::int64_t threads) {
  process_spec spec;
  confine(spec, how.front() == "count");
  spec.argv = {b.task.runner, object.string(), b.case_file.string()};
  spec.argv.insert(spec.argv.end(), how.begin(), how.end());
  spec.env = tool_environment;
  spec.env["OMP_NUM_THREADS"] = std::to_string(threads);
  spec.env["OMP_WAIT_POLICY"] = "passive";
  spec.env["OMP_DYNAMIC"] = "false";
  spec.deadline = seconds(5);
  spec.output_limit = 4u << 20;
  return spec;
}

// -- sampling

/// The function outside of the object in which most samples fell, as "libgomp.so.1:GOMP_parallel", or the
/// library alone where it has no name; empty: none.
std::string busiest_outside(const run_profile& run) {
  std::map<std::string, double> functions;
  for (const auto& [path, offsets] : run.libraries) {
    std::vector<std::uint64_t> at;
    for (const auto& [offset, n] : offsets)
      at.push_back(offset);
    auto names = functions_at(path, at);
    for (std::size_t i = 0; i < at.size(); ++i)
      functions[fs::path{path}.filename().string() + (names[i].empty() ? "" : ":" + names[i])] +=
          offsets.at(at[i]);
  }
  auto most = std::max_element(functions.begin(), functions.end(),
                               [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == functions.end() ? "" : most->first.substr(0, 120);
}

/// Where the candidate is, seen from outside; how long a call takes, the judge has timed.
void take_samples(bench& b) {
  if (b.call_s > 0)
    b.found.counters[counter_keys::run_quiet_ns] = b.call_s * 1e9;
  auto spec = boxed(
      b,
      runner(b, b.task.run.candidate, {"repeat", "60"}, std::max<std::int64_t>(1, b.what().policy.threads)),
      {b.task.runner, b.task.run.candidate, b.case_file});
  if (!spec)
    return;
  auto seen = sample_process(*spec, b.task.runner, has_launcher(level_of(b)), sample_s);
  if (!seen) {
    b.found.findings[finding_keys::no_samples] = seen.error().text;
    return;
  }
  b.run = read_places(seen->places, seen->maps, b.task.run.candidate);
  b.found.counters.insert(b.run.counters.begin(), b.run.counters.end());
  if (seen->cores > 0)
    b.found.counters[counter_keys::run_cores] = seen->cores;
  if (auto name = busiest_outside(b.run); !name.empty())
    b.found.findings[finding_keys::busiest_library] = name;
}

// -- the loop in which most of the time goes

std::optional<process_spec> plan_disassembly(bench& b) {
  process_spec spec;
  spec.argv = {"objdump", "-d", "--no-show-raw-insn", b.task.run.candidate};
  spec.deadline = seconds(5);
  spec.output_limit = 8u << 20;
  return boxed(b, std::move(spec), {b.task.run.candidate});
}

void read_disassembly(bench& b, const process_exit& e) {
  if (e.code != 0)
    return;
  for (const auto& [name, value] : instruction_mix(e.out))
    b.found.counters[name] = value;
  if (b.raw.wanted())
    b.raw.keep("samples.txt", annotated_listing(e.out, b.run.places, b.run.samples));
  b.loop = find_hot_loop(e.out, b.run.places, b.run.samples);
  if (b.loop.share <= 0)
    return;
  b.found.counters[counter_keys::hot_share] = b.loop.share;
  b.found.counters[counter_keys::hot_instructions] = static_cast<double>(b.loop.instructions);
  b.found.counters[counter_keys::hot_bytes] = static_cast<double>(b.loop.bytes);
  b.found.findings[finding_keys::hot_loop] = b.loop.function + ":\n" + b.loop.listing;
}

// -- what that loop waits for, by the CPU's model

std::optional<process_spec> plan_model(bench& b) {
  if (b.loop.share < 0.2 || b.loop.body.empty())
    return std::nullopt;
  process_spec spec;
  spec.argv = {"llvm-mca-19",
               "-mcpu=native",
               "-iterations=200",
               "-bottleneck-analysis",
               "-instruction-info=false",
               "-resource-pressure=false"};
  spec.input = b.loop.body;
  spec.deadline = seconds(5);
  return boxed(b, std::move(spec), {});
}

void read_model(bench& b, const process_exit& e) {
  for (const auto& [name, value] : read_mca(e.out))
    b.found.counters[name] = value;
  b.raw.keep("llvm-mca.txt", e.out);
}

// -- hardware counters

std::optional<process_spec> plan_counters(bench& b) {
  std::error_code error;
  if (!fs::exists("/sys/bus/event_source/devices/cpu", error) &&
      !fs::exists("/sys/bus/event_source/devices/cpu_core", error))
    return std::nullopt; // a virtual machine without them
  auto spec =
      runner(b, b.task.run.candidate, {"repeat", "0.2"}, std::max<std::int64_t>(1, b.what().policy.threads));
  auto inside = boxed(b, std::move(spec), {b.task.runner, b.task.run.candidate, b.case_file});
  if (!inside)
    return inside;
  // Outside of the sandbox, whose filter refuses perf_event_open; it follows the children.
  static constexpr auto events =
      "cycles:u,instructions:u,branches:u,branch-misses:u,L1-dcache-load-misses:u,LLC-load-misses:u,"
      "stalled-cycles-frontend:u,stalled-cycles-backend:u";
  auto to = (b.folder / "counters.txt").string(); // not to the stream that the candidate writes to
  std::vector<std::string> outside{"perf", "stat", "-x,", "-o", to, "-e", events, "--"};
  inside->argv.insert(inside->argv.begin(), outside.begin(), outside.end());
  return inside;
}

void read_counters(bench& b, const process_exit&) {
  for (const auto& [name, value] : read_perf(file_text(b.folder / "counters.txt", 64u << 10)))
    b.found.counters[name] = value;
  b.raw.keep_file("perf-stat.txt", b.folder / "counters.txt");
}

// -- a build that simulators can run, with the compiler's remarks

std::optional<process_spec> plan_rebuild(bench& b, const char* name, bool checked) {
  auto folder = b.folder / name;
  auto plan = plan_build(b.with, b.what(), b.task.source, build_role::candidate, b.task.toolchain,
                         b.task.run.limits, folder);
  if (!write_sources(plan, folder))
    return std::nullopt;
  auto& argv = plan.spec.argv;
  std::erase_if(argv, [](const std::string& w) { return w == "-Wl,-z,defs"; });
  for (auto& word : argv) {
#if defined(__x86_64__)
    // valgrind 3.19 does not know AVX-512.
    if (word == "-march=native" && __builtin_cpu_supports("avx512f"))
      word = "-march=x86-64-v3";
#endif
    if (checked && word == "-O3")
      word = "-O1";
  }
  argv.emplace_back("-g");
  if (checked)
    argv.insert(argv.end(), {"-fsanitize=address,undefined", "-fno-omit-frame-pointer"});
  else if (argv.front().find("clang") == std::string::npos)
    argv.emplace_back("-fopt-info-vec-missed=remarks.txt");
  (checked ? b.checked : b.portable) = folder / plan.output;
  if (checked)
    plan.spec.memory_bytes = 0;
  plan.spec.deadline = seconds(20);
  return boxed(b, plan.spec, {}, folder);
}

bool has_search_to_hurry(const bench& b) {
  return !b.task.thorough;
}

std::optional<process_spec> plan_portable(bench& b) {
  double predicted = 0.6 + 2 * simulation_slowdown * b.call_s;
  if (has_search_to_hurry(b)) {
    auto so_far = b.task.found;
    so_far.counters.insert(b.found.counters.begin(), b.found.counters.end());
    // A candidate that lost to the baseline is seldom built upon.
    if (predicted > quick_simulation_s || b.slower || diagnose(so_far, b.what()).confidence >= 0.5)
      return std::nullopt;
  }
  b.simulate = predicted <= longest_simulation_s;
  if (!b.simulate)
    b.found.findings[finding_keys::simulation] = "left out: one call would be simulated for too long";
  return plan_rebuild(b, "portable", false);
}

void read_portable(bench& b, const process_exit& e) {
  if (e.code != 0) {
    b.portable.clear();
    return;
  }
  chmod(b.portable.c_str(), 0755);
  auto all = file_text(b.portable.parent_path() / "remarks.txt", 256u << 10);
  b.raw.keep("vectorizer.txt", all);
  auto remarks = missed_loops(all, "candidate" + b.with.language.suffix, 6);
  std::string text;
  for (const auto& r : remarks)
    text += (text.empty() ? "line " : "\nline ") + r;
  if (!text.empty())
    b.found.findings[finding_keys::vectorizer] = text;
}

constexpr const char* calls_file = "callgrind.out";

/// Where the simulator writes by line and function, if that is kept: the candidate may write there, too, so nobody
/// but people and their tools reads it. Else empty.
fs::path calls_folder(const bench& b) {
  auto folder = b.task.keeps_calls ? b.folder / "calls" : fs::path{};
  std::error_code error;
  if (!folder.empty())
    fs::create_directories(folder, error);
  return folder;
}

std::optional<process_spec> plan_simulation(bench& b) {
  if (!b.simulate || b.portable.empty())
    return std::nullopt;
  auto inner = runner(b, b.portable, {"count", b.what().policy.cold_cache ? "0" : "1"}, 1);
  auto to = calls_folder(b);
  std::vector<std::string> tool{"valgrind",
                                "--tool=callgrind",
                                "--cache-sim=yes",
                                "--branch-sim=yes",
                                "--collect-atstart=no",
                                "--toggle-collect=ke_counted",
                                "--callgrind-out-file=" +
                                    (to.empty() ? "/dev/null" : (to / calls_file).string()),
                                "--log-fd=" + std::to_string(report_fd)};
  inner.argv.insert(inner.argv.begin(), tool.begin(), tool.end());
  inner.deadline = seconds(longest_simulation_s + 3);
  if (!(b.report = report_pipe::make()))
    return std::nullopt;
  b.report.lend(inner);
  return boxed(b, std::move(inner), {b.task.runner, b.portable, b.case_file}, to);
}

void read_simulation(bench& b, const process_exit&) {
  auto report = b.report.taken();
  b.raw.keep("callgrind.txt", report);
  if (auto folder = calls_folder(b); !folder.empty())
    b.raw.keep_file(calls_file, folder / calls_file);
  auto counts = read_callgrind(report);
  if (counts.contains("cg.Ir") && counts.at("cg.Ir") > 0)
    b.found.counters.insert(counts.begin(), counts.end());
}

// -- a crash again, under sanitizers

std::optional<process_spec> plan_checked(bench& b) {
  return plan_rebuild(b, "checked", true);
}
void read_checked(bench& b, const process_exit& e) {
  if (e.code != 0)
    b.checked.clear();
  else
    chmod(b.checked.c_str(), 0755);
}

std::optional<process_spec> plan_runtime(bench& b) {
  if (b.checked.empty())
    return std::nullopt;
  process_spec spec;
  spec.argv = {b.with.build.front(), "-print-file-name=libasan.so"};
  spec.env = tool_environment;
  spec.deadline = seconds(5);
  return spec;
}
void read_runtime(bench& b, const process_exit& e) {
  auto path = e.out.substr(0, e.out.find('\n'));
  if (e.code == 0 && path.starts_with("/"))
    b.sanitizer_runtime = path;
}

std::optional<process_spec> plan_crash(bench& b) {
  if (b.checked.empty() || b.sanitizer_runtime.empty())
    return std::nullopt;
  auto inner = runner(b, b.checked, {"once"}, std::max<std::int64_t>(1, b.what().policy.threads));
  // For the runner alone: neither the sandbox's launcher nor anything else is to carry it.
  inner.argv.insert(inner.argv.begin(), {"env", "LD_PRELOAD=" + b.sanitizer_runtime});
  inner.env["ASAN_OPTIONS"] = "detect_leaks=0:hard_rss_limit_mb=4096:allocator_may_return_null=1";
  inner.env["UBSAN_OPTIONS"] = "print_stacktrace=1";
  inner.deadline = seconds(15);
  return boxed(b, std::move(inner), {b.task.runner, b.checked, b.case_file});
}
void read_crash(bench& b, const process_exit& e) {
  b.raw.keep("sanitizer.txt", e.err);
  auto summary = sanitizer_summary(e.err, "candidate" + b.with.language.suffix, b.task.source);
  if (summary.empty())
    return;
  b.found.findings[finding_keys::sanitizer] = summary;
  b.found.findings[finding_keys::sanitizer_report] = e.err.substr(0, 4000);
}

constexpr profile_step when_right[] = {
    {"disassembly", plan_disassembly, read_disassembly}, {"model", plan_model, read_model},
    {"counters", plan_counters, read_counters},          {"portable", plan_portable, read_portable},
    {"simulation", plan_simulation, read_simulation},
};
constexpr profile_step when_crashed[] = {
    {"checked", plan_checked, read_checked},
    {"runtime", plan_runtime, read_runtime},
    {"crash", plan_crash, read_crash},
};

template <std::size_t N>
void run_steps(bench& b, const profile_step (&steps)[N]) {
  for (const auto& step : steps) {
    auto spec = step.plan(b);
    if (!spec)
      continue;
    auto how = run_and_wait(b.processes, *std::move(spec));
    if (how.why.kind == failure_kind::none && !how.timed_out && !how.cancelled)
      step.read(b, how);
    else
      b.found.findings[std::string{"no_"} + step.name] = how.timed_out ? "took too long"
                                                         : how.why.kind != failure_kind::none ? how.why.text
                                                                                              : "cancelled";
  }
}

/// The backend, a private folder, the case. False: there is nothing to call the candidate with.
bool prepare(bench& b, const char* folder) {
  const auto& task = b.task;
  auto with = parse_backend(file_text(task.backend_file, 1u << 20), task.backend_file);
  if (!with)
    return false;
  b.with = *std::move(with);
  b.folder = fs::path{task.run.scratch} / folder;
  std::error_code error;
  fs::create_directories(b.folder, error);
  chmod(b.folder.c_str(), 0755);
  b.case_file = b.folder / "case.bin";
  auto where = case_of(task.found, task.run.what);
  if (!where)
    return false;
  if (task.found.ending != ending::crashed) {
    b.workload = where->workload;
    b.call_s = where->call_s;
    double candidate = 0, baseline = 0;
    for (const auto& l : task.found.launches) {
      candidate += median_of(l.candidate_ns);
      baseline += median_of(l.reference_ns);
    }
    b.slower = candidate > 1.05 * baseline;
    b.found.counters[counter_keys::profile_workload] = b.workload;
  }
  return bool(write_case(b.case_file, task.run.what, where->dims, where->distribution, task.run.seed + 17));
}

bench bench_of(const profile_task& task, process_port& processes) {
  return {task, processes, {}, {}, {}, 0, 0, {}, {}, {}, {}, {}, {}, false, false, {}, {}};
}

} // namespace

profile_result profile(const profile_task& task, process_port& processes) {
  auto b = bench_of(task, processes);
  if (!prepare(b, "profile"))
    return std::move(b.found);
  if (task.keeps)
    b.raw = raw_output{fs::path{task.run.scratch} / raw_folder};
  if (task.found.ending == ending::crashed) {
    run_steps(b, when_crashed);
    return std::move(b.found);
  }
  take_samples(b);
  run_steps(b, when_right);
  return std::move(b.found);
}

std::string call_instrumented(const profile_task& task, process_port& processes) {
  auto b = bench_of(task, processes);
  if (task.found.ending == ending::crashed || !prepare(b, "trace"))
    return {};
  auto spec = boxed(b, runner(b, task.object, {"trace"}, 1), {task.runner, task.object, b.case_file});
  if (!spec)
    return {};
  auto how = run_and_wait(processes, *std::move(spec));
  bool well = how.why.kind == failure_kind::none && !how.timed_out && !how.cancelled && how.code == 0;
  return well ? std::move(how.out) : std::string{};
}

} // namespace ke
