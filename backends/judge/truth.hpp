#pragma once

#include "backends/judge/caller.hpp"
#include "backends/judge/edges.hpp"
#include "backends/judge/input_generator.hpp"
#include "backends/judge/input_maker.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge_task.hpp"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ke {

/// What the rule allows an honest kernel beyond c u g S: so many times the reference's own largest error, and
/// the roundings of at most so many equal terms.
struct allowance {
  double reference_errors = 32;
  double equal_terms = std::numeric_limits<double>::infinity();
  /// How many times as far as a sum a transform may err (`scale = "tensor"`): in two dimensions the tiles of
  /// Winograd's F(4x4, 3x3) err up to twice as far as sums are allowed to, those of F(6x6, 3x3) nearly four
  /// times.
  double transforms = 4;
};

/// Makes (input, truth) pairs: the reference in its own sandbox, and the same reference in wider arithmetic
/// in another. Neither is a process that a candidate can reach. One thread.
class truth_source {
public:
  truth_source(const judge_task& task, std::size_t memory, std::size_t wide_memory, std::vector<int> cpus);

  /// How many slots of these shapes are computed in one order.
  static std::uint32_t batch_of(const problem& what, const bound_shapes& shapes);

  /// From now on slots are of these shapes. Fails with `device`/`missing` where a driver cannot be started.
  status use(const bound_shapes& shapes);

  /// `count` fresh pairs; none of `beyond` where no tensor goes beyond its `init`. The largest error of the
  /// reference on them and on all before (of these shapes and this distribution) is the yardstick of their
  /// rule. Empty where the reference itself fails: it crashes, or disagrees with the truth on what is finite.
  result<std::vector<bank_slot>> make(distribution d, std::size_t count);

  /// A pair that differs from `slot` in one input element, if possible in one that moves an output beyond its
  /// bound, so that no answer can be right for both. Empty as above, or if no input may be changed.
  result<std::vector<bank_slot>> perturbed(const bank_slot& slot, distribution d);

  /// Whether the reference gives these pairs' outputs again when it is asked a second time, in reverse order:
  /// bit by bit, or within their rule (threads may add in another order). False: it keeps state between calls
  /// or draws at random, and every verdict would be a matter of luck; why_unfit says so. At most a batch of
  /// pairs.
  bool repeatable(std::span<const bank_slot> slots);

  /// Which tensors stay nearer to their `init` than their type allows, since the reference does not survive
  /// more; one sentence each. Known once `make` was asked for `beyond`.
  const std::vector<std::string>& unreached() const { return unreached_; }

  /// Inputs of the problem's generator that have been the same for all keys.
  std::vector<std::string> same_for_all_keys() const {
    return generator_ ? generator_->same_for_all_keys() : std::vector<std::string>{};
  }
  /// Why the generator has no inputs for a shape that the problem does not promise, of the first such shape;
  /// empty: it had some for all.
  const std::string& not_generated() const { return not_generated_; }

  /// Whether the reference's answers to these inputs (at most a batch) are its own: asked twice, with other
  /// rubbish beside its tensors, it says the same. One that reads where it may not, because a shape or a
  /// value is none of the problem's, does not. May leave it dead; `use` starts it again.
  bool stands_by(std::span<const bank_slot> slots);

  /// Inputs bent to an edge, one slot per bent tensor for `infinity` and `nan`, else one. Empty where the
  /// reference does not survive them, or nothing can be bent.
  result<std::vector<bank_slot>> edge(edge_kind kind);

  /// What the reference alone says to these inputs: outputs per slot and tensor. Empty if it does not survive
  /// them; `use` starts it again.
  std::vector<std::vector<std::string>> answers(std::span<const bank_slot> slots);

  /// Of these shapes, per tensor: how many inputs stand behind one output element, found by changing single
  /// inputs. 1 for a pointwise operator, K for a product over K.
  const std::vector<double>& reductions() const { return reductions_; }
  /// The rule that a slot of this distribution would get now.
  comparison_rule rule_of(std::size_t tensor, distribution d, double equal_share = 0) const;

  const allowance& allowed() const { return allowed_; }
  /// Allows less from now on, for all shapes: where the check would see no left-out work. False if there is
  /// no less that an honest kernel could live with. `errors_only`: less of the reference's own error, not of
  /// what equal terms may lose.
  bool tighten(bool errors_only = false);

  /// Outputs of the reference on the last input, per tensor.
  const std::vector<std::string>& reference_outputs() const { return outputs_; }
  bool wide() const { return wide_; }
  double slot_s() const { return slot_s_; }               ///< what one pair last cost
  double reference_ns() const { return reference_ns_; }   ///< fastest single call on these shapes
  const std::string& why_unfit() const { return unfit_; } ///< how the reference failed
  /// The same as a sentence, of the workload whose shapes are in use.
  std::string failed_on_workload() const {
    return "the reference fails on its own workload " + shapes_.name + ": " + unfit_;
  }

private:
  status start(bool wide);
  /// Inputs of `count` slots, without outputs.
  result<std::vector<bank_slot>> drawn(distribution d, std::size_t count,
                                       const std::vector<value_reach>& reach);
  /// How far each tensor's values may go: tried tensor by tensor, and then together.
  status find_reach();
  /// Whether the reference has answers of its own to values that go so far.
  result<bool> survives(const std::vector<value_reach>& reach);
  /// Whether truth values are among what goes beyond its init: rows of which nothing is left.
  bool masks(const std::vector<value_reach>& reach) const;
  /// Of the reference's last answer.
  bool finite_outputs() const;
  result<std::vector<bank_slot>> make_beyond(std::size_t count);
  /// By the problem's generator: of all distributions the same, by other keys, as many as are cheap. Empty
  /// for a shape that is only assumed and that make() knows no inputs for.
  result<std::vector<bank_slot>> make_generated(distribution d, std::size_t count);
  /// Of a KernelBench file: inputs with other masks, as far as all outputs are finite.
  result<std::vector<bank_slot>> make_masks(std::size_t count);
  /// Runs both on at most a batch of inputs and notes their outputs. False: the reference failed.
  bool compute(std::span<bank_slot> slots);
  /// Compares reference and truth on the batch: false if they differ on what is finite. May find that the
  /// truth is none.
  bool measure(std::size_t count, distribution d);
  void expect_outputs(std::span<bank_slot> slots, distribution d);
  result<std::vector<bank_slot>> completed(std::vector<bank_slot> slots, distribution d);
  /// Which share of one input's elements are so near to each other that the terms they make of a sum of
  /// `reduction` terms may round as equal ones do (a sample says so). 0: less than a quarter in every input.
  double equal_share(const bank_slot& slot, double reduction) const;
  status measure_reductions();
  /// Whether an output is a sum of so many terms that they may cancel.
  bool sums(std::size_t tensor) const;
  bool any_sums() const;
  /// Per output that sums: how far one rounding of the inputs moves this share of the truth's elements at
  /// most.
  std::vector<double> moved_by_rounding(const bank_slot& slot, double share);
  /// The reference's error on these inputs in reverse order (of the tensors that bend), per output that sums:
  /// its largest, as usual inputs are measured, or where the values are subnormal standing_error(). Where the
  /// reference meets a large term late it loses little of what came before, and a kernel that starts at the
  /// other end loses more: neither is wrong.
  std::vector<double> errors_backwards(const bank_slot& slot, edge_kind kind);
  /// What moved_by_rounding says into yardstick_, once for each distribution of these shapes.
  void condition(const bank_slot& slot, distribution d);
  double yardstick(std::size_t tensor, distribution d) const;
  /// Per element of every output: whether it depends on the inputs at `places` of `tensor`.
  std::vector<std::string> touched_by(const bank_slot& slot, std::size_t tensor,
                                      const std::vector<std::size_t>& places);

  const judge_task& task_;
  std::size_t memory_, wide_memory_;
  std::vector<int> cpus_;
  random_source random_;
  std::unique_ptr<caller> reference_, truth_;
  std::optional<input_maker> maker_;         ///< of a KernelBench file's inputs
  std::optional<input_generator> generator_; ///< of a problem that has one
  bound_shapes shapes_;
  allowance allowed_;
  bool wide_ = false;
  std::uint32_t batch_ = 1;
  std::vector<std::string> outputs_;
  std::vector<std::vector<double>> yardstick_; ///< distribution, tensor
  std::vector<char> conditioned_;              ///< distribution: of these shapes
  /// Of the shapes with the most elements so far: a few elements may all be exact by chance (a function's
  /// saturated ends are), and then say nothing of the error that an honest kernel may make.
  struct known_error {
    std::size_t elements = 0;
    double error = 0, reduction = 1;
  };
  std::vector<std::vector<known_error>> known_errors_; ///< distribution, tensor
  std::vector<double> reductions_;                     ///< per tensor
  std::map<std::map<std::string, std::int64_t>, std::vector<double>> known_reductions_; ///< by dims
  std::optional<std::vector<value_reach>> reach_;                                       ///< per tensor
  std::vector<std::string> unreached_;
  double slot_s_ = 0, reference_ns_ = 0;
  std::string unfit_, not_generated_;
};

} // namespace ke
