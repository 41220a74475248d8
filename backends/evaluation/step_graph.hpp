#pragma once

#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What a job of an evaluation does.
enum class job_kind : std::uint8_t {
  transform, ///< makes another text of the candidate: its intermediate form, or one with time stamps
  build,     ///< a compiler makes an object of the source, or of a transform's text
  precheck,  ///< looks at an object without running it
  measure,   ///< the judge: correctness, then timing
  profile,   ///< a tool looks at the object, or at a run of its own, for counters
  collect,   ///< makes counters of what other jobs left
  trace,     ///< makes trace events, of a call of its own or of what other jobs left
};
KE_NAMES(job_kind, 7, "transform", "build", "precheck", "measure", "profile", "collect", "trace")

/// Where a job runs: beside other assignments' jobs, or alone on the device with its own. A job that needs a
/// device job runs there, too.
enum class job_place : std::uint8_t { shared, device };
constexpr job_place place_of(job_kind k) {
  return k == job_kind::measure || k >= job_kind::profile ? job_place::device : job_place::shared;
}

/// One job of a backend's manifest (backend.toml, [[job]]).
struct step_spec {
  std::string name;
  job_kind kind = job_kind::build;
  std::vector<std::string> needs;   ///< jobs that must have succeeded
  std::string role;                 ///< build: candidate | reference | truth | instrumented
  std::vector<std::string> command; ///< argv template (step_rules.hpp)
  std::string reads;                ///< format of the text it reads (step_readers.hpp)
  double limit_s = 5;               ///< wall time of a command
  std::string output; ///< transform: name of the file it makes; profile: that its print is kept as
};

/// The order of the jobs of one evaluation, and the progress of each. Knows nothing of what they do. Pure;
/// one thread at a time.
///
/// A failed job cancels its dependants, transitively, and waiting jobs whose every dependant is lost. All
/// others go on.
class job_graph {
public:
  struct node {
    std::string name;
    job_kind kind = job_kind::build;
    std::vector<std::string> needs;
  };
  enum class progress : std::uint8_t { waiting, running, done, failed, cancelled };

  job_graph() = default;
  /// `invalid` naming the job: a repeated name, a need without a job, or a cycle.
  static result<job_graph> of(std::vector<node> jobs);

  /// Jobs that could begin now, in the manifest's order.
  std::vector<std::size_t> ready() const;
  void begin(std::size_t job);
  void end(std::size_t job, bool well);
  /// A running job came to nothing and is to begin once more.
  void again(std::size_t job);
  /// No waiting job will begin.
  void cancel_waiting();
  /// This job and its dependants will not begin.
  void cancel(std::size_t job);

  /// No job waits or runs.
  bool complete() const;
  std::size_t running() const;
  std::size_t size() const { return nodes_.size(); }
  const node& at(std::size_t job) const { return nodes_.at(job); }
  job_place place(std::size_t job) const { return places_.at(job); }
  progress of_job(std::size_t job) const { return progress_.at(job); }

private:
  status join(const std::vector<node>& jobs);
  void lose(std::size_t job, progress as);

  std::vector<node> nodes_;
  std::vector<progress> progress_;
  std::vector<job_place> places_;
  std::vector<std::vector<std::size_t>> needs_, needed_by_; ///< by index
};

} // namespace ke
