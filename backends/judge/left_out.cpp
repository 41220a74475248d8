#include "backends/judge/left_out.hpp"

#include "backends/judge/spoiled_answers.hpp"

#include <algorithm>
#include <utility>

namespace ke {
namespace {

constexpr int draws = 6; ///< of few outputs some are right by chance
/// Where no less can be allowed. A check that sees a fake in one draw of three overlooks it in six draws once in eleven
/// judgements; a candidate is tried on dozens of inputs, where it is found out.
constexpr int most_draws = 24;

/// Asks the reference what it says to `slot` with something left out. False: nothing is left to be tried.
result<bool> one_draw(admission& seen, truth_source& truths, const bank_slot& slot,
                      const bound_shapes& shapes, double limit_s) {
  auto wrong = seen.leave_out(slot, shapes);
  double each = std::max(1e-6, truths.reference_ns() * 1e-9);
  wrong.resize(std::min(wrong.size(), static_cast<std::size_t>(std::max(2.0, limit_s / each))));
  if (wrong.empty())
    return false;
  auto answered = enter_spoiled_answers(seen, truths, slot, std::move(wrong), shapes);
  if (!answered || !*answered)
    return answered;
  return !seen.reasons().empty();
}

/// Draws until nothing is left to be tried. False: there is no input to draw.
result<bool> some_draws(admission& seen, truth_source& truths, int count, const bound_shapes& shapes,
                        double limit_s) {
  for (int i = 0; i < count; ++i) {
    auto slots = truths.make(distribution::init, 1);
    if (!slots)
      return slots.error();
    if (slots->empty())
      return false;
    auto more = one_draw(seen, truths, slots->front(), shapes, limit_s);
    if (!more)
      return more.error();
    if (!*more)
      break;
  }
  return true;
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
  for (bool afresh = false;;) {
    admission seen{what, shapes.name};
    auto drew = some_draws(seen, truths, draws, shapes, limit_s);
    if (!drew)
      return drew.error();
    if (!*drew)
      return std::optional<admission>{};
    // What passes in each draw makes the problem unfit, so the bound is tightened first, however few outputs
    // there are. What passes by luck tightens only what is allowed for the reference's own error: honest sums
    // of equal terms need the rest.
    bool sees = !seen.doubtful() && seen.reasons().empty();
    if (sees || !scaled(truths, what))
      return std::optional{std::move(seen)};
    if (truths.tighten(seen.reasons().empty()))
      continue;
    drew = some_draws(seen, truths, seen.reasons().empty() ? 0 : most_draws - draws, shapes, limit_s);
    if (!drew)
      return drew.error();
    if (!*drew)
      return std::optional<admission>{};
    if (afresh || seen.reasons().empty())
      return std::optional{std::move(seen)};
    // One answer of the reference that errs far, as of hundreds one does, is in the bound of all draws that follow. A
    // candidate's checks begin with another sample, and so does the second try.
    afresh = true;
    if (auto s = truths.use(shapes); !s)
      return s.error();
  }
}

} // namespace ke
