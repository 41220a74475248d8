#include "backends/evaluation/evaluate.hpp"
#include "backends/peaks/peaks.hpp"
#include "backends/verdict/roofline.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "config/problem_file.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/foreground.hpp"
#include "interface/cli/judged_text.hpp"
#include "interface/cli/named_problem.hpp"
#include "interface/cli/output_file.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace ke::cli {
namespace {
namespace fs = std::filesystem;

constexpr const char* document_name = "profile.json";
constexpr const char* trace_name = "trace.json";

struct profile_options {
  std::string problem, candidate, backend, device = "*", sandbox = "best", output;
  std::vector<std::string> backend_paths;
  bool json = false;
};

/// What is profiled, as a candidate is written.
struct subject {
  std::string name; ///< "the reference", or the file
  std::string source;
};

result<subject> subject_of(const profile_options& o, const problem& what, const backend& with) {
  if (o.candidate.empty()) {
    if (with.language.name == what.reference_language)
      return subject{"the reference", reference_as_candidate(what)};
    return failure{failure_kind::invalid, "--backend " + with.name + ": it reads " + with.language.name +
                                              ", and the reference is in " + what.reference_language +
                                              "; name a CANDIDATE, or a backend that runs the reference"};
  }
  auto source = read_named_file(o.candidate, 1u << 20);
  if (!source)
    return source.error();
  return subject{o.candidate, *std::move(source)};
}

/// A folder that is new, empty, or of an earlier profile.
status may_write(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) || fs::exists(fs::path{folder} / document_name, error))
    return ok;
  if (fs::is_directory(folder, error) && fs::is_empty(folder, error))
    return ok;
  return failure{failure_kind::invalid, "-o " + folder + ": something else is there; name another folder"};
}

std::map<std::string, double> peaks_in(const evidence& found) {
  constexpr std::string_view prefix = "peak.";
  std::map<std::string, double> peaks;
  for (const auto& [name, value] : found.counters)
    if (name.starts_with(prefix))
      peaks[name.substr(prefix.size())] = value;
  return peaks;
}

/// "  wide: 485 us a call; this machine needs at least 1.9 us (memory, l2)", for each workload that was timed.
std::string workload_times(const verdict& v, const evidence& found, const problem& what) {
  std::string out;
  const auto peaks = peaks_in(found);
  for (const auto& w : what.workloads)
    for (const auto& timed : v.timing->workloads) {
      if (timed.name != w.name)
        continue;
      out += "  " + w.name + ": " + nanoseconds_text(timed.candidate_ns) + " a call";
      if (auto floor = floor_of(what, w, peaks))
        out += "; this machine needs at least " + nanoseconds_text(floor->seconds * 1e9) + " (" +
               (floor->by_memory ? "memory, " + floor->level : std::string{"arithmetic"}) + ")";
      out += '\n';
    }
  return out;
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{folder, error})
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// What is said of files in a profile's folder, in the order of the list.
constexpr std::pair<const char*, const char*> known_files[] = {
    {document_name, "all of this, with every counter"},
    {trace_name, "one call by loop or operator; Perfetto opens it"},
    {"samples.txt", "the instructions that samples fell on"},
    {"callgrind.out",
     "instructions, misses and branches by line; kcachegrind or callgrind_annotate opens it"},
    {"callgrind.txt", "their totals"},
    {"llvm-mca.txt", "what the hot loop waits for, by the processor's model"},
    {"vectorizer.txt", "why loops were not vectorised"},
    {"perf-stat.txt", "hardware counters"},
    {"operators.txt", "PyTorch's operators"},
    {"kernel.asm", "the object's instructions"},
    {"kernel.ptx", "the device code before it was assembled"},
    {"kernel.sass", "the device code's instructions"},
    {"loops.txt", "time stamps at the loops"},
    {"candidate.ll", "the kernel as LLVM IR"},
    {"ticked.ll", "the same with time stamps at its loops"},
    {"stamped.so", "that, built"},
    {"candidate.object", "what was built"},
};

void print_for_people(const subject& of, const verdict& v, const evidence& found, const problem& what,
                      const std::string& folder, const std::vector<std::string>& files) {
  std::cout << what.name << ": " << of.name << ", by " << v.backend << " on " << v.device << ": "
            << to_text(v.state == verdict_state::noisy ? verdict_state::correct : v.state) << '\n';
  if (!v.reason.empty() && v.state != verdict_state::noisy) // nobody asked for a speedup
    std::cout << "  reason: " << v.reason << '\n';
  if (v.timing)
    std::cout << workload_times(v, found, what);
  std::cout << static_lines(found.counters);
  if (v.diagnosis && !v.diagnosis->bottleneck.empty())
    std::cout << diagnosis_lines(*v.diagnosis);
  std::cout << "  in " << folder << ":\n";
  for (const auto& name : files) {
    const auto* known = std::find_if(std::begin(known_files), std::end(known_files),
                                     [&](const auto& k) { return name == k.first; });
    std::cout << "    " << name << (known == std::end(known_files) ? "" : std::string{": "} + known->second)
              << '\n';
  }
}

nlohmann::ordered_json document_of(const subject& of, const verdict& v, const evidence& found,
                                   const std::string& folder) {
  auto j = nlohmann::ordered_json::parse(verdict_json(v, found.counters));
  j["profiled"] = of.name;
  j["counters"] = found.counters;
  j["findings"] = found.findings;
  j["folder"] = folder;
  return j;
}

/// Judged as a candidate of a search is, then looked at closely.
int profile(const profile_options& o, const problem& what, const subject& of, foreground& judging) {
  auto& options = judging.options;
  options.device = o.device;
  options.look_closer = true;
  options.raw = o.output;
  if (judging.with().device == "cpu")
    options.peaks = peaks_of_machine(user_cache_folder(), cpu_facts());
  auto found = evaluate(what, of.source, judging.with(), measure_plan::rank, options, judging.processes());
  if (judging.interrupted())
    return complain(interrupted_failure(), "profile");
  if (!found)
    return complain(found.error(), "profile");
  auto v = verdict_of(*found, what, measure_plan::rank);
  const fs::path folder{o.output};
  if (!write_call_trace((folder / trace_name).string(), *found)) {
    std::error_code ignored;
    fs::remove(folder / trace_name, ignored);
  }
  auto document = document_of(of, v, *found, o.output);
  for (const auto& [name, text] : {std::pair{"source" + judging.with().language.suffix, of.source},
                                   std::pair{std::string{document_name}, json_line(document)}})
    if (auto written = write_output((folder / name).string(), text + (text.ends_with('\n') ? "" : "\n"));
        !written)
      return complain(written.error(), "profile");
  auto files = files_of(o.output);
  document["files"] = files;
  if (o.json)
    std::cout << json_line(document) << std::endl;
  else
    print_for_people(of, v, *found, what, o.output, files);
  return v.state == verdict_state::correct || v.state == verdict_state::noisy ? exit_done : exit_unproven;
}

int run(profile_options o) {
  signal_watch::block();
  auto what = named_problem(o.problem);
  if (!what)
    return exit_usage;
  o.backend = backend_for(*what, o.backend);
  if (o.output.empty())
    o.output = what->name + ".profile";
  if (auto s = may_write(o.output); !s)
    return complain(s.error(), "profile");
  auto judging = foreground::open(o.sandbox, o.backend, o.backend_paths);
  if (!judging)
    return complain(judging.error(), "profile");
  auto of = subject_of(o, *what, (*judging)->with());
  return of ? profile(o, *what, *of, **judging) : complain(of.error(), "profile");
}

} // namespace

void add_profile(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<profile_options>();
  auto* command =
      app.add_subcommand("profile", "Where the time of a reference or a candidate goes, before any search");
  command->add_option("PROBLEM", o->problem, "A problem.toml, its folder, or a KernelBench .py file")
      ->required();
  command->add_option("CANDIDATE", o->candidate, "The candidate's source file (default: the reference)");
  command->add_option(
      "--backend", o->backend,
      "Backend that builds and runs it (default: cpu-cpp; for a reference in Python torch-cpu)");
  command
      ->add_option(
          "--device", o->device,
          "Pattern of a name among this machine's devices for the backend; the first that fits is used")
      ->capture_default_str();
  command->add_option("-o,--output", o->output,
                      "Folder for what the profilers wrote (default: the problem's name, .profile)");
  command->add_flag("--json", o->json, "Print all of it as one JSON document");
  command->add_option("--sandbox", o->sandbox, "full | best | none")->capture_default_str();
  command->add_option("--backend-path", o->backend_paths, "Folder with more backends");
  command->footer(
      "Examples:\n  ke-runtime profile config/problems/softmax\n"
      "  ke-runtime profile config/problems/softmax my_softmax.cpp -o before --json\n"
      "Exit code: 0 profiled, 1 it is not right or was not run, 2 a file is wrong, 130 interrupted.");
  command->callback([o, &exit_code] { exit_code = guarded([&] { return run(*o); }); });
}

} // namespace ke::cli
