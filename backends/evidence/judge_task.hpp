#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace ke {

/// The descriptor in ke-judge of the warm parent's socket.
inline constexpr int judge_warm_fd = 3;
/// And that of the bank of truths.
inline constexpr int judge_bank_fd = 4;

/// What ke-judge reads on stdin, packed. Paths are the host's; the judge shows them to the drivers in their
/// sandboxes.
struct judge_task {
  problem what;
  std::string candidate; ///< shared object with `ke_call`
  std::string reference; ///< built with the same compiler and flags; the baseline, unless `baseline` is set
  std::string truth;     ///< the reference widened; empty: the reference is the truth
  std::string driver;    ///< ke-driver
  std::string scratch;   ///< empty private folder of this run
  std::string sandbox = "best"; ///< full | best | none
  measure_plan plan = measure_plan::rank;
  bool timed = true;
  /// Order of launches and pairs; never the inputs: the judge draws their key itself.
  std::uint64_t seed = 0;
  job_limits limits;
  double aa_width = 0; ///< least width of this device's A/A control; each run measures its own as well
  double budget_s = 0; ///< wall time for the timed part; 0: the plan's
  std::map<std::string, std::string> provenance; ///< copied into the evidence
  std::string driver_kind = "c-abi";             ///< the driver's name in the manifest (driver_traits.hpp)
  /// The socket, in the judge, of the warm parent that its processes are forked from; -1: none.
  std::int32_t warm_parent = -1;
  std::string source; ///< the candidate's, of a driver that takes texts: the reference is the problem's then
  std::string arguments; ///< filled in by the judge: of a KernelBench class, as Python writes them
  /// Filled in by the judge: of a call's tensors (t) and numbers (s); empty: all tensors first.
  std::string order;
  std::uint64_t weights = 0;           ///< filled in by the judge: the seed of all models' weights
  std::map<std::string, double> peaks; ///< of this machine (backends/peaks/peaks.hpp); empty: unknown
  /// The object that candidates are timed against; empty: the reference. In Python the file left by its
  /// preparation, if it has one; the judge replaces that by a role's name.
  std::string baseline;
  std::string baseline_source;     ///< in Python
  bool truth_keeps_carried = true; ///< tensors of the truth in types that C++ lacks stay the bits they are
  /// How long a Python baseline that compiles itself (torch.compile) may take for that; 0: it doesn't.
  double compile_s = 0;
  /// Judges nothing: calls the baseline once on each workload and answers with what it compiled
  /// (prepared_baseline).
  bool prepares = false;
  std::string compiled; ///< filled in by the judge: the preparation's result
  /// Filled in by the judge: what compilers left in the candidate's first process.
  std::string candidate_files;
  std::string device;     ///< uuid of the device that the driver needs; empty: the first, or none is needed
  std::int32_t bank = -1; ///< in the judge: the file of truth_bank; -1: none, and its inputs are its own
  std::uint64_t most_elements = 0; ///< of an untimed task: larger shapes are made smaller; 0: none is
};
KE_FIELDS(judge_task, x.what, x.candidate, x.reference, x.truth, x.driver, x.scratch, x.sandbox, x.plan,
          x.timed, x.seed, x.limits, x.aa_width, x.budget_s, x.provenance, x.driver_kind, x.warm_parent,
          x.source, x.arguments, x.order, x.weights, x.peaks, x.baseline, x.baseline_source,
          x.truth_keeps_carried, x.compile_s, x.prepares, x.compiled, x.device, x.bank, x.most_elements)

/// ke-judge's answer about a baseline that compiles itself.
struct prepared_baseline {
  std::string compiled; ///< files for its processes, as packed by driver.py
  std::string unfit;    ///< why there are none: this reference can't be compiled here
  std::string broken;   ///< why there are none: the machine
};
KE_FIELDS(prepared_baseline, x.compiled, x.unfit, x.broken)

} // namespace ke
