#pragma once

#include "backends/judge/checked_sizes.hpp"
#include "backends/judge/fake_answers.hpp"
#include "backends/judge/session.hpp"
#include "backends/judge/stage_times.hpp"
#include "backends/judge/timing.hpp"
#include "backends/judge/truth.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// Of all tensors together: at a workload of no more, all kinds of edges cost little.
inline constexpr std::size_t most_elements_of_all_edges = std::size_t{1} << 20;

/// One judgement. session.cpp: its course; session_checks.cpp: correctness. One thread.
class session {
public:
  session(judge_task task, const driver_seam& seam)
      : task_{std::move(task)}, seam_{seam}, what_{task_.what}, plan_{plan_of(task_.plan)},
        bank_{std::make_shared<truth_bank>(task_.bank)}, random_{secret_key()}, of_bank_{bank_->key()},
        sizes_{task_.most_elements} {
    if (task_.weights != 0 && bank_->keeps())
      task_.weights = bank_->key() | 1;
  }
  evidence run();

private:
  status correctness();
  /// All workloads at their sizes, each before the next.
  status check_workloads();
  status check_secret_shapes();
  /// Before anything is checked: whether the check is worth it at each workload's own sizes.
  status admit_workloads();
  status check_shapes(const bound_shapes& shapes, bool thorough);
  /// In a ranking of large workloads, once the problem's own check is known: the distributions at a smaller size.
  status check_smaller();
  std::vector<distribution> distributions_at(const bound_shapes& shapes) const;
  bool holds(const std::vector<bank_slot>& slots, const bound_shapes& shapes);
  status admit(const bank_slot& slot, const bound_shapes& shapes);
  status end_admission(const bound_shapes& shapes, const std::vector<bank_slot>& drawn);
  /// Of what is kept of it, for these workloads.
  std::string name_of_admission() const;
  status check_again(const bound_shapes& shapes, std::vector<bank_slot> first);
  /// Edge inputs and misaligned tensors on the smallest workload, then edge shapes.
  status edges();
  /// All kinds on the smallest workload. In a ranking of large ones all kinds at a smaller size, and some here: who is
  /// kept meets all of them here when he is looked at again.
  status edges_of_smallest();
  /// At a workload's own size, in a random order but for the three that most kernels get wrong which look at a part of
  /// their inputs only, or at none.
  status some_edges(const bound_shapes& shapes, double limit_s);
  /// As many of the kinds as `limit_s` pays for; the first three in any case, unless the time of the whole
  /// measurement runs short.
  status edge_inputs(const bound_shapes& shapes, const std::vector<edge_kind>& kinds, double limit_s = 1e9);
  /// What is tried where it costs much must leave time for the measurement, however slow the machine is.
  bool in_time() const { return seconds_since(start_) < 0.25 * task_.limits.run_s; }
  status misaligned(const bound_shapes& shapes);
  /// Not where the reference itself fails.
  bool asks_misaligned(const bank_slot& slot);
  /// What is tried on the smallest workload, at the largest one's size, as far as time allows.
  status at_full_size();
  status beside(const bound_shapes& shapes);
  /// In processes of their own whose inputs are views of other strides, where the problem allows them.
  status strided(const bound_shapes& shapes);
  bool sound() const {
    return found_.ending == ending::finished && !found_.failed && !found_.nondeterministic &&
           found_.flags.empty() && found_.unfit.empty();
  }
  /// Gives the candidate one order over `slots` and checks it. False: what follows is pointless.
  bool call(std::span<const bank_slot> slots, const bound_shapes& shapes);
  void repeat(std::span<const bank_slot> slots, const bound_shapes& shapes, int times);
  /// For all usual calls between the edges of one size; `limited`: of a size where time is short.
  double usual_rows_s(bool limited) const;
  /// False: what follows is pointless.
  bool usual_row(std::span<const bank_slot> slots, const bound_shapes& shapes, usual_rows& rows);
  /// Seconds of a call and what the judge does for it: by the fastest one, which no load on the machine moves.
  double call_s() const { return std::max(candidate_ns_ * 1e-9 + 1e-3, order_s_); }
  /// For an interlude, where calls are timed.
  void keep(const bound_shapes& shapes, const bank_slot& slot, bool misaligned = false) {
    if (task_.timed)
      unusual_.keep(shapes, rubbish_, slot, misaligned);
  }
  status draw_shapes();
  void note_times();
  status start_candidate();
  status judged();
  void note_truth();
  /// By the driver, of a candidate that was right.
  status profile();
  /// As often as a process is called that is timed, within two seconds.
  std::uint32_t calls_of_a_launch(const timed_workload& w) const;
  std::size_t memory_for_all(bool wide) const;

  judge_task task_;
  const driver_seam& seam_;
  const problem& what_;
  sampling_plan plan_;
  std::shared_ptr<truth_bank> bank_;
  random_source random_, of_bank_; ///< of_bank_: what is the same in all judgements with this bank, shapes
  checked_sizes sizes_;
  evidence found_;
  std::vector<timed_workload> timed_;
  std::vector<bound_shapes> shapes_, secret_, edge_;
  std::optional<bound_shapes> beside_;  ///< the largest workload: as large, but of odd extents
  std::optional<bound_shapes> reduced_; ///< the smallest workload made smaller, for a ranking of large ones
  bool seen_smaller_ = false;           ///< its distributions are checked at this size
  std::size_t smallest_ = 0;            ///< of shapes_, but for those of few elements, where there are others
  std::size_t survived_ = 0;            ///< secret shapes that are shapes of the problem
  std::vector<int> cpus_;
  std::optional<truth_source> truths_;
  std::unique_ptr<caller> candidate_;
  std::shared_ptr<const poison> rubbish_;
  interludes unusual_; ///< what it was right on, for unasked calls while it is timed
  double candidate_ns_ = 0;
  double order_s_ = 0;     ///< of the fastest call on these shapes, with all that the judge did for it
  double candidate_s_ = 0; ///< all its calls while it is checked: what else takes time is not its fault
  stage_times times_;
  admission admission_{what_};
  /// What it came to in an earlier judgement with this bank, of the same inputs: then it is not tried again.
  std::optional<std::string> admission_known_;
  std::string accepted_; ///< of work left out, by a workload's own check: the first; empty: none
  steady::time_point start_ = steady::now();
  bool admitted_ = false; ///< all that the admission needs has been tried
};

} // namespace ke
