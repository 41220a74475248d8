#pragma once

#include "backends/judge/caller.hpp"
#include "runtime/core/names.hpp"
#include "runtime/core/problem.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// Answers with no work behind them, or half of it.
enum class fake_answer : std::uint8_t {
  zeros,
  constant, ///< the mean of the right outputs everywhere
  previous, ///< the right outputs of another input
  input_copy,
  rotated,      ///< the right outputs moved by one place
  swapped_rows, ///< two rows of the right outputs exchanged
  half_outputs, ///< the second half is that of another input
  half_work,    ///< the right outputs of an input whose second half is zeros, along some axis
  sampled_half, ///< the same with the first half in its place: a sum from half of the terms
  half_precision,
  quarter_work,  ///< as half_work, of an input whose last quarter is zeros
  dropped_tail,  ///< of an input without the last thirty-second part: a loop without a tail
  dropped_class, ///< of an input without every thirty-second element along an axis
  no_negatives   ///< of an input without negative elements
};
KE_NAMES(fake_answer, 14, "zeros", "constant", "previous", "input_copy", "rotated", "swapped_rows",
         "half_outputs", "half_work", "sampled_half", "half_precision", "quarter_work", "dropped_tail",
         "dropped_class", "no_negatives")

/// One fake tried on one output tensor. Fakes made from an input count per input, halves also per axis: a
/// check that sees through one may still believe another.
struct fake_result {
  std::size_t tensor = 0;
  fake_answer fake = fake_answer::zeros;
  std::string of; ///< "x", "x along axis 1"; empty for fakes that need no input
  int cases = 0;  ///< tried until rejected
  bool rejected = false;
  bool passed = false; ///< a case of enough outputs to be no luck
};

/// Would the problem's own check accept a wrong answer? At least one case must reject each fake for each
/// output tensor, else every verdict on the problem is worthless (trust.md 2.4). A fake that is the right
/// answer (the copy of an identity) is not held against the problem; zeros and another input's outputs always
/// are, because then there is nothing to compute. Pure.
class admission {
public:
  /// `workload`: that of all cases; empty: of several.
  explicit admission(const problem& what, std::string workload = {});

  /// One case, as the candidate meets it, with the reference's answer.
  void add(const bank_slot& slot, const bound_shapes& shapes, const std::vector<std::string>& reference);

  /// The same case, with the reference's answer to a spoiled input.
  struct spoiled_input {
    fake_answer fake;
    std::string of;
    bank_slot slot;
  };
  void add_spoiled(const spoiled_input& how, const bank_slot& slot, const std::vector<std::string>& reference,
                   std::vector<std::string> spoiled);

  /// Forms of `slot`'s inputs spoiled for half_work, sampled_half and quarter_work; `add_spoiled` wants the
  /// reference's answers to them. None for fakes that every tensor has rejected. Finer fakes are left to
  /// `leave_out`: with the fewer cases here, luck would decide.
  std::vector<spoiled_input> spoil(const bank_slot& slot, const bound_shapes& shapes) const;

  /// The same with as little left out as a kernel gains by: half_precision, dropped_class, dropped_tail and
  /// no_negatives. After first tries only those that some tensor still accepts.
  std::vector<spoiled_input> leave_out(const bank_slot& slot, const bound_shapes& shapes) const;

  /// Why the problem is unfit, a sentence per fake and tensor; empty: it is fit, or nothing was added.
  std::vector<std::string> reasons() const;
  std::string verdict() const;
  /// Whether outputs of one input were held against those of another: each kind of inputs is one case, and some
  /// problems have inputs of one kind alone.
  bool met_another() const { return met_another_; }
  /// Whether some fake has passed, even if a later case rejected it: such a bound is wide.
  bool doubtful() const;
  const std::vector<fake_result>& results() const { return results_; }

private:
  bool rejected(std::size_t tensor, fake_answer fake, const std::string& of = {}) const;
  bool settled(fake_answer fake, const std::string& of) const;
  bool worth_trying(fake_answer fake, const std::string& of) const;
  void attempt(std::size_t tensor, fake_answer fake, const std::string& of, const bank_slot& slot,
               const std::string& right, const std::string& wrong);

  const problem* what_;
  std::string workload_;
  bool draws_ = false; ///< some input differs from case to case
  std::vector<fake_result> results_;
  std::vector<std::string> last_;
  bool met_another_ = false;
};

} // namespace ke
