#include "backends/judge/left_out.hpp"

#include "backends/judge/spoiled_answers.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr int draws = 6; ///< of few outputs some are right by chance

/// Asks the reference what it says to `slot` with something left out. False: nothing is left to be tried.
result<bool> one_draw(admission& seen, truth_source& truths, const bank_slot& slot,
                      const bound_shapes& shapes, double limit_s) {
  auto wrong = seen.leave_out(slot, shapes);
  double each = std::max(1e-6, truths.reference_ns() * 1e-9);
  wrong.resize(std::min(wrong.size(), static_cast<std::size_t>(std::max(2.0, limit_s / each))));
  if (wrong.empty())
    return false;
  auto answered = enter_spoiled_answers(seen, truths, slot, wrong, shapes);
  if (!answered || !*answered)
    return answered;
  return !seen.reasons().empty();
}

bool scaled(const truth_source& truths, const problem& what) {
  for (std::size_t t = 0; t < what.tensors.size(); ++t)
    if (what.tensors[t].role != tensor_role::in && truths.rule_of(t, distribution::init).larger)
      return true;
  return false;
}

} // namespace

result<std::optional<admission>> try_left_out_work(truth_source& truths, const problem& what,
                                                   const bound_shapes& shapes, double limit_s) {
  for (;;) {
    admission seen{what, shapes.name};
    for (int i = 0; i < draws; ++i) {
      auto slots = truths.make(distribution::init, 1);
      if (!slots)
        return slots.error();
      if (slots->empty())
        return std::optional<admission>{};
      auto more = one_draw(seen, truths, slots->front(), shapes, limit_s);
      if (!more)
        return more.error();
      if (!*more)
        break;
    }
    // What passes in each draw makes the problem unfit, so the bound is tightened first, however few outputs
    // there are. What passes by luck tightens only what is allowed for the reference's own error: honest sums
    // of equal terms need the rest.
    bool sees = !seen.doubtful() && seen.reasons().empty();
    if (sees || !scaled(truths, what) || !truths.tighten(seen.reasons().empty()))
      return std::optional{std::move(seen)};
  }
}

} // namespace ke
