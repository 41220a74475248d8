#pragma once

#include "backends/judge/caller.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge_task.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// Makes (input, truth) pairs: the reference in its own sandbox, and the same reference in wider arithmetic in another. Neither is
/// a process that a candidate can reach. One thread.
class truth_source {
public:
  truth_source(const judge_task& task, std::size_t memory, std::size_t wide_memory, std::vector<int> cpus);

  /// From now on slots are of these shapes. Fails with `device`/`missing` where a driver cannot be started.
  status use(const bound_shapes& shapes);

  /// Measures the reference's own error on `samples` fresh inputs of a distribution: the yardstick of the rule. False: the reference
  /// itself fails there (it crashes, or disagrees with the truth on what is finite), so the distribution is left out.
  result<bool> calibrate(distribution d, int samples);

  /// A fresh pair, or none where the reference fails on it. `calibrate` comes first.
  result<std::optional<bank_slot>> make(distribution d);
  /// The same for given inputs.
  result<std::optional<bank_slot>> complete(std::vector<std::string> inputs, distribution d);

  /// Another pair that differs from `slot` in one input element.
  result<std::optional<bank_slot>> perturbed(const bank_slot& slot, distribution d);

  /// Outputs of the reference on the last input, per tensor.
  const std::vector<std::string>& reference_outputs() const { return outputs_; }
  bool wide() const { return wide_; }
  double slot_s() const { return slot_s_; } ///< what one pair last cost
  double reference_ns() const { return reference_ns_; } ///< fastest single call on these shapes
  const std::string& why_unfit() const { return unfit_; } ///< how the reference failed

private:
  status start(bool wide);
  /// Runs both; none of the two outputs is believed if it fails.
  result<bool> compute(const std::vector<std::string>& inputs);
  comparison_rule rule_of(std::size_t tensor, distribution d) const;

  const judge_task& task_;
  std::size_t memory_, wide_memory_;
  std::vector<int> cpus_;
  random_source random_;
  std::unique_ptr<caller> reference_, truth_;
  bound_shapes shapes_;
  bool wide_ = false;
  std::vector<std::string> outputs_, wide_outputs_;
  std::vector<std::vector<double>> yardstick_; ///< distribution, tensor
  double slot_s_ = 0, reference_ns_ = 0;
  std::string unfit_;
};

} // namespace ke
