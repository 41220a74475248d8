#pragma once

#include "backends/evaluation/evaluate.hpp"
#include "backends/evaluation/kernel_builder.hpp"
#include "backends/evaluation/raw_output.hpp"
#include "backends/evaluation/step_graph.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/sandbox.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct judge_task;
struct profile_result;
struct profile_task;

namespace fs = std::filesystem;

inline sandbox_level level_of(const evaluate_options& o) {
  return parse_name<sandbox_level>(o.sandbox).value_or(sandbox_level::full);
}

/// One evaluation's state. evaluate.cpp drives it, builds and measures; post_measurement.cpp does what follows.
struct evaluation::state {
  problem what;
  std::string source;
  backend with;
  device_info target;
  measure_plan kind;
  evaluate_options options;
  artifact_cache cache;
  raw_output raw;
  private_folder own_folder;
  fs::path folder;             ///< its path
  std::vector<step_spec> jobs; ///< of the manifest, needed by this problem; in the graph's order
  job_graph graph;
  std::map<std::size_t, build_plan> builds; ///< those that run
  widening truth_form = widest_form(what);
  std::map<std::size_t, std::string> crashes; ///< by job: how the first compiler crashed
  bool prepared = false;
  failure why;
  evidence found;
  bool new_best = false;               ///< what it says right after the measurement
  fs::path objects[4];                 ///< by role; empty: not there
  std::string keys[4];                 ///< of the artifact cache, by role
  std::shared_ptr<python_parent> warm; ///< of a Python backend
  std::shared_ptr<bank_file> bank;     ///< of the problem, but for claims

  /// A job's product for others: a file in the private folder, or a text.
  struct product {
    fs::path file;
    std::string text; ///< untrusted
    std::string key;  ///< digest of what it was made from
  };
  std::vector<product> products; ///< by job

  state(problem p, std::string s, backend b, device_info t, measure_plan k, evaluate_options o)
      : what{std::move(p)}, source{std::move(s)}, with{std::move(b)}, target{std::move(t)}, kind{k},
        options{std::move(o)}, cache{options.cache, options.cache_bytes}, raw{options.raw} {}

  /// This machine can't go on.
  void fail(failure_kind kind_, std::string text, bool retryable = false) {
    if (why.kind == failure_kind::none)
      why = {kind_, std::move(text), retryable};
    graph.cancel_waiting();
  }
  std::string fact(const char* key) const {
    auto at = target.facts.find(key);
    return at == target.facts.end() ? std::string{} : at->second;
  }

  void prepare();
  /// What the evidence says of this evaluation, whatever comes of it.
  void note_provenance();
  /// The manifest's jobs, and the build of a baseline if needed.
  std::vector<step_spec> manifest() const;
  void plan_jobs();
  /// Whether this problem, backend or machine has no use for it; says why where a file of the machine lacks.
  bool is_left_out(const step_spec& j);
  /// The process of a job; none: it ended on the spot.
  std::optional<process_spec> start(std::size_t job);
  std::optional<process_spec> start_build(std::size_t job);
  /// Whether a failed build waits again: for the second compiler if the first one crashed, or for another
  /// form of the truth.
  bool builds_again(std::size_t job, const process_exit& exit);
  /// Whether the baseline compiles itself before the measurement; the result is kept.
  bool compiles_baseline() const;
  std::optional<process_spec> start_preparation(std::size_t job);
  bool baseline_prepared(const process_exit& exit);
  std::string text_of(build_role role) const;
  /// Text about a failed build: of both compilers, if two were asked.
  std::string build_trouble(std::size_t job, const std::string& wrong) const;
  bool precheck();
  process_spec judge_spec_of(const judge_task& task) const;
  judge_task task_of_judge() const;
  /// Of its plan, and of a baseline that is compiled within it.
  void give_time(judge_task& task) const;
  void place(build_role role, const fs::path& object);
  bool built(std::size_t job, const process_exit& exit);
  bool note_build(build_role role, const process_exit& exit, const std::string& wrong);
  bool judged(std::size_t job, const process_exit& exit);

  // -- post_measurement.cpp: the jobs after the measurement; whatever becomes of them, the verdict's state stays

  /// False: nothing that this job could find is wanted.
  bool wanted(std::size_t job) const;
  bool looks_closely() const;
  /// Whether its score exceeds what others have shown (evaluate_options::closer_above). Weighs all samples: asked once.
  bool is_new_best() const;
  bool is_finalist() const; ///< of a claim, and nothing is known against it
  /// Of who is looked at closely: a search has too many others.
  bool keeps_artifacts() const { return looks_closely() || new_best; }
  /// As `start`.
  std::optional<process_spec> start_closer(std::size_t job);
  std::optional<process_spec> start_profile(std::size_t job);
  std::optional<process_spec> start_maker(std::size_t job);
  std::optional<process_spec> start_trace(std::size_t job);
  bool closer_ended(std::size_t job, const process_exit& exit);
  /// What a job of these left and printed.
  void keep_raw(std::size_t job, const process_exit& exit) const;
  std::map<std::string, std::string> artifacts_of(std::size_t job, const process_exit& exit) const;
  bool keep_product(std::size_t job, const fs::path& file);
  bool made(std::size_t job);
  bool traced(std::size_t job, const process_exit& exit);
  bool profiled(std::size_t job, const process_exit& exit);
  void note_nothing_from(const step_spec& j, const std::string& why);
  void enter_profile(const step_spec& j, profile_result seen);
  /// Adds to the evidence what the job's reader finds in a text. False: nothing.
  bool read_into_evidence(std::size_t job, std::string_view text);
  profile_task task_of_profiler() const;
  std::string profile_key(const step_spec& j) const;
  fs::path programs() const { return fs::absolute(options.judge).parent_path(); }
};

} // namespace ke
