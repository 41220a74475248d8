#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/banked_caller.hpp"
#include "backends/judge/caller.hpp"
#include "backends/judge/edges.hpp"
#include "backends/judge/input_generator.hpp"
#include "backends/judge/input_maker.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/known_errors.hpp"
#include "runtime/core/problem.hpp"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ke {

struct kept_errors;

/// What the rule allows an honest kernel beyond c u g S: a multiple of the reference's own largest error, and
/// the roundings of this many equal terms.
struct allowance {
  double reference_errors = 32;
  double equal_terms = std::numeric_limits<double>::infinity();
  /// Multiple of a sum's error allowed to a transform (`scale = "tensor"`): in two dimensions tiles of
  /// Winograd's F(4x4, 3x3) err up to twice as far as sums may, those of F(6x6, 3x3) nearly four times; of few
  /// terms farther, which the rule adds.
  double transforms = 4;
};

/// Makes (input, truth) pairs: the reference in its own sandbox, and the same reference in wider arithmetic
/// in another, both beyond a candidate's reach. All that it draws comes from the bank's key, shape by shape, so that a
/// later judgement with the same bank finds there what this one asks. One thread.
class truth_source {
public:
  truth_source(const judge_task& task, const driver_seam& seam, std::size_t memory, std::size_t wide_memory,
               std::vector<int> cpus, std::shared_ptr<truth_bank> bank = std::make_shared<truth_bank>());

  /// Slots of these shapes computed in one order.
  static std::uint32_t batch_of(const problem& what, const bound_shapes& shapes);

  /// Further slots are of these shapes. `device` or `missing`: a driver cannot be started.
  status use(const bound_shapes& shapes);

  /// `count` fresh pairs; none of `beyond` if no tensor goes beyond its `init`. The reference's largest
  /// error, on these and all earlier ones of the same shapes and distribution, is the yardstick of their
  /// rule. Empty: the reference fails, by a crash or by disagreeing with the truth on what is finite.
  result<std::vector<bank_slot>> make(distribution d, std::size_t count);

  /// `count` slots of these shapes and `init`'s distribution by their keys alone: `restore` draws their inputs. They have no
  /// outputs, and nobody is asked for any.
  std::vector<bank_slot> undrawn(std::size_t count);
  /// Seconds that the inputs of one such slot take, drawn beside others where they may be.
  result<double> draw_s(const bound_shapes& shapes);
  /// The rule for a result beside the reference's own answer to the same inputs, which errs as far as it has been seen
  /// to: of inputs like these.
  comparison_rule rule_beside_reference(std::size_t tensor, const bank_slot& like) const;

  /// Forgets inputs that `restore` can draw again; keeps their truth. False: it can't.
  static bool let_go(bank_slot& slot);
  /// Draws the inputs of a slot of these shapes again, if they were let go of. `device`: they came out
  /// otherwise.
  status restore(bank_slot& slot, const bound_shapes& shapes);
  /// As many elements as one may pick from instead of drawing a tensor; empty: its elements are not drawn alike.
  result<std::string> pool_of(std::size_t tensor, const bound_shapes& shapes);
  /// What `restore` draws beside inputs, for a slot whose inputs are picked from pools.
  void draw_scalars(bank_slot& slot);
  /// Whether several slots may be drawn or restored at once, each by a thread: nobody's process makes them.
  bool draws_apart() const { return !maker_ && !generator_; }
  /// Seconds that this takes, tried on a copy of a slot; nothing if its inputs can't be drawn again.
  std::optional<double> redraw_s(const bank_slot& slot, const bound_shapes& shapes);

  /// A pair that differs from `slot` in one input element, if possible with an output moved beyond its bound:
  /// no answer is right for both. Empty: as above, or no input may be changed.
  result<std::vector<bank_slot>> perturbed(const bank_slot& slot, distribution d);

  /// Whether the reference repeats these pairs' outputs when asked again in reverse order: bit by bit, or
  /// within their rule (threads may add in another order). False: it keeps state between calls or draws at
  /// random, and every verdict would be luck; why_unfit says so. At most a batch of pairs.
  bool repeatable(std::span<const bank_slot> slots);

  /// Tensors that stay nearer to their `init` than their type allows, because the reference survives no more;
  /// one sentence each. Known after `make` for `beyond`.
  const std::vector<std::string>& unreached() const { return unreached_; }

  /// Inputs of the problem's generator equal for all keys.
  std::vector<std::string> same_for_all_keys() const {
    return generator_ ? generator_->same_for_all_keys() : std::vector<std::string>{};
  }
  /// Why the generator has no inputs for a shape that the problem does not promise, for the first such shape;
  /// empty: it had some for all.
  const std::string& not_generated() const { return not_generated_; }

  /// Whether the reference's answers to these inputs (at most a batch) are its own: asked twice, with other
  /// rubbish beside its tensors, it says the same. A reference that reads out of bounds, because a shape or
  /// value is none of the problem's, does not. May leave it dead; `use` restarts it.
  bool stands_by(std::span<const bank_slot> slots);
  /// Whether the reference is right on tensors that are aligned to their elements only: a library's kernels may fail there,
  /// or answer something else, and then nobody is asked. Of a slot of the shapes in use, with its truth. May leave the
  /// reference dead; `use` restarts it.
  bool stands_misaligned(const bank_slot& slot);

  /// Inputs bent to an edge: one slot per bent tensor for `infinity` and `nan`, else one. Empty: the
  /// reference does not survive them, or nothing can be bent. Bent are those of `usual`, a slot of the shapes in use that
  /// `make` has made for `init`, or some that are drawn for it.
  result<std::vector<bank_slot>> edge(edge_kind kind, const bank_slot& usual);
  result<std::vector<bank_slot>> edge(edge_kind kind);

  /// The reference's answers to these inputs: outputs per slot and tensor. Empty: it does not survive them;
  /// `use` restarts it.
  std::vector<std::vector<std::string>> answers(std::span<const bank_slot> slots,
                                                banked_caller::ask whom = banked_caller::ask::whoever_knows);

  /// For these shapes, per tensor: inputs behind one output element, found by changing single inputs. 1 for a
  /// pointwise operator, K for a product over K.
  const std::vector<double>& reductions() const { return reductions_; }
  /// The rule for a slot of this distribution now.
  comparison_rule rule_of(std::size_t tensor, distribution d, double equal_share = 0) const;

  const allowance& allowed() const { return allowed_; }
  /// Allows less from now on, for all shapes, if the check would see no left-out work. False: an honest
  /// kernel could live with no less. `errors_only`: less of the reference's own error, not of what equal
  /// terms may lose.
  bool tighten(bool errors_only = false);

  /// Outputs of the reference on the last input, per tensor.
  const std::vector<std::string>& reference_outputs() const { return outputs_; }
  bool wide() const { return wide_; }
  /// Of floating results, what their truth is: for the record.
  std::string in_words() const;
  double slot_s() const { return slot_s_; }               ///< what one pair last cost
  double reference_ns() const { return reference_ns_; }   ///< fastest single call on these shapes
  const std::string& why_unfit() const { return unfit_; } ///< how the reference failed
  /// The same as a sentence, for the workload in use.
  std::string failed_on_workload() const {
    return "the reference fails on its own workload " + shapes_.name + ": " + unfit_;
  }

  /// Keeps what the admission of the shapes in use has come to: what is `accepted` by the check (empty: nothing), and what
  /// is allowed from now on.
  void keep_admission(const std::string& accepted);
  /// What an earlier judgement with this bank kept of them; this is as if it had been tried again. Nothing: none did. Before
  /// the first use of these shapes.
  std::optional<std::string> recall_admission(const bound_shapes& shapes);

  /// Why a process could not be started that was needed after `use`: the machine's fault, whatever else was said.
  status trouble() const;

private:
  struct bent_inputs;
  bent_inputs bend_inputs(edge_kind kind, const bank_slot& base);
  bool has_empty_input() const;
  void expect_at_edge(edge_kind kind, bank_slot& slot, std::size_t call, std::size_t output,
                      const std::string& touched, double moved, double backwards);
  status start(bool wide);
  result<std::unique_ptr<caller>> process(bool wide);
  /// It has died, or could not be started. `use` begins with another.
  void lose(std::unique_ptr<banked_caller>& asked);
  /// Which of the reference's last answers to these differs from the first; empty: none.
  std::string changed_answer(std::span<const bank_slot* const> slots) const;
  /// Inputs of a slot and its scalars, by `random` alone. False: none of this distribution.
  result<bool> draw(bank_slot& slot, distribution d, const bound_shapes& shapes,
                    const std::vector<value_reach>& reach, random_source& random);
  /// Inputs of `count` slots, without outputs; none if there are none of this distribution.
  result<std::vector<bank_slot>> drawn(distribution d, std::size_t count,
                                       const std::vector<value_reach>& reach);
  /// How far each tensor's values may go: tried tensor by tensor, then together.
  status find_reach();
  /// Whether the reference has answers of its own to values that go this far.
  result<bool> survives(const std::vector<value_reach>& reach);
  /// Whether truth values go beyond their init: rows of which nothing is left.
  bool masks(const std::vector<value_reach>& reach) const;
  /// Of the reference's last answer.
  bool finite_outputs() const;
  result<std::vector<bank_slot>> make_beyond(std::size_t count);
  /// By the problem's generator: the same for all distributions, with other keys, as many as are cheap. Empty
  /// for a shape that is only assumed and for which make() has no inputs.
  result<std::vector<bank_slot>> make_generated(distribution d, std::size_t count);
  /// Of a KernelBench file: inputs with other masks, while all outputs are finite.
  result<std::vector<bank_slot>> make_masks(std::size_t count);
  /// Runs both on at most a batch of inputs and notes their outputs. False: the reference failed.
  bool compute(std::span<bank_slot> slots);
  /// Compares reference and truth on the batch. False: they differ on what is finite. May find that the truth
  /// is none.
  bool measure(std::size_t count, distribution d);
  void expect_outputs(std::span<bank_slot> slots, distribution d);
  result<std::vector<bank_slot>> completed(std::vector<bank_slot> slots, distribution d);
  /// Share of one input's elements so near to each other that their terms, in a sum of `reduction` terms, may
  /// round as equal ones do (by a sample). 0: less than a quarter in every input.
  double equal_share(const bank_slot& slot, double reduction) const;
  status measure_reductions();
  /// By changing single inputs of `base`. False: the reference did not answer to each.
  bool probe_reductions(const bank_slot& base);
  /// What `measure_reductions` has found out for the shapes in use, the reference's errors on the way included.
  void keep_reductions();
  bool recall_reductions();
  void note_kept(const kept_errors& kept, const bound_shapes& of);
  /// Whether an output is a sum of enough terms to cancel.
  bool sums(std::size_t tensor) const;
  bool any_sums() const;
  /// Whether two inputs have eight bits, so that tensor cores may multiply them: decision 0064.
  bool multiplies_eight_bits() const;
  /// Per output that sums: how far one rounding of the inputs moves this share of the truth's elements at
  /// most.
  std::vector<double> moved_by_rounding(const bank_slot& slot, double share);
  /// The same by asking the truth, with a key of the roundings per tensor. Nothing: it did not answer.
  std::optional<std::vector<double>> measure_rounding(const bank_slot& slot, double share,
                                                      const std::vector<std::uint64_t>& keys);
  /// The reference's error on these inputs in reverse order (of tensors that bend), per output that sums: its
  /// largest, as for usual inputs, or, if the values are subnormal, standing_error() or usual_error_at(), the larger. A reference that meets a
  /// large term late loses little of what came before, and a kernel that starts at the other end loses more:
  /// neither is wrong.
  std::vector<double> errors_backwards(const bank_slot& slot, edge_kind kind);
  /// Enters moved_by_rounding into yardstick_ and moved_, once for each distribution of these shapes.
  void condition(const bank_slot& slot, distribution d);
  double yardstick(std::size_t tensor, distribution d) const;
  /// The yardstick of usual inputs for outputs as large as `largest`, at most: as large a share of them.
  double usual_error_at(std::size_t tensor, double largest) const;
  /// Per element of every output: whether it depends on the inputs at `places` of `tensor`.
  std::vector<std::string> touched_by(const bank_slot& slot, std::size_t tensor,
                                      const std::vector<std::size_t>& places);

  const judge_task& task_;
  const driver_seam& seam_;
  truth_form form_;
  std::size_t memory_, wide_memory_;
  std::vector<int> cpus_;
  random_source random_;
  std::shared_ptr<truth_bank> bank_;
  std::unique_ptr<banked_caller> reference_, truth_;
  bool truth_loads_ = true;
  std::map<std::map<std::string, std::int64_t>, std::uint64_t> uses_; ///< by dims
  status trouble_ = ok;
  std::optional<input_maker> maker_;         ///< of a KernelBench file's inputs
  std::optional<input_generator> generator_; ///< of a problem that has one
  bound_shapes shapes_;
  allowance allowed_;
  bool wide_ = false;
  std::string why_not_wide_;
  std::uint32_t batch_ = 1;
  std::vector<std::string> outputs_;
  std::vector<std::vector<double>> yardstick_;          ///< distribution, tensor
  std::vector<std::vector<double>> moved_;              ///< the same: by one rounding of the inputs
  std::vector<std::vector<double>> largest_;            ///< the same: how large outputs are
  std::vector<char> conditioned_;                       ///< distribution: of these shapes
  std::vector<std::vector<known_errors>> known_errors_; ///< distribution, tensor
  std::vector<double> reductions_;                      ///< per tensor
  std::map<std::map<std::string, std::int64_t>, std::vector<double>> known_reductions_; ///< by dims
  std::optional<std::vector<value_reach>> reach_;                                       ///< per tensor
  std::vector<std::string> unreached_;
  double slot_s_ = 0, reference_ns_ = 0;
  std::string unfit_, not_generated_;
};

} // namespace ke
