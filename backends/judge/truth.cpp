#include "backends/judge/truth.hpp"

#include "backends/device/side_by_side.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/judge/stopwatch.hpp"
#include "backends/judge/timing.hpp"
#include "runtime/core/digest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string_view>

namespace ke {
namespace {

/// Up to 100 terms the allowed multiple of a rounding covers every order. Of more than 1,600 hardly any kernel makes
/// one sum in single precision.
double growth_of_sums(double terms) {
  return std::clamp(std::sqrt(terms) / 10, 1.0, 4.0);
}

/// Beyond so many the bound of a sum in order would be as wide as half of what arithmetic in half the width
/// errs by.
constexpr double most_equal_terms = 8192;
constexpr double single_roundoff = 0x1p-24; ///< of f32
constexpr std::size_t distributions = names_of<distribution>::value.size();

/// Whether no output can be right for both.
bool told_apart(const expectation& a, const expectation& b) {
  if (!a.exact.empty() || !b.exact.empty())
    return a.exact != b.exact;
  auto apart = [](const auto& low, const auto& high, const auto& other_low, const auto& other_high) {
    for (std::size_t i = 0; i < low.size(); ++i)
      if (low[i] > other_high[i] || other_low[i] > high[i])
        return true;
    return false;
  };
  return apart(a.low, a.high, b.low, b.high) || apart(a.low64, a.high64, b.low64, b.high64);
}

std::uint64_t digest_of_inputs(const bank_slot& slot) {
  std::uint64_t all = 0;
  for (const auto& bytes : slot.inputs)
    all = all * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(bytes);
  return all;
}

bool told_apart(const bank_slot& a, const bank_slot& b) {
  for (std::size_t t = 0; t < a.outputs.size(); ++t)
    if (told_apart(a.outputs[t], b.outputs[t]))
      return true;
  return false;
}

} // namespace

truth_source::truth_source(const judge_task& task, const driver_seam& seam, std::size_t memory,
                           std::size_t wide_memory, std::vector<int> cpus, std::shared_ptr<truth_bank> bank)
    : task_{task}, seam_{seam}, form_{seam.truth(task)}, memory_{memory}, wide_memory_{wide_memory},
      cpus_{std::move(cpus)}, random_{bank->key()}, bank_{std::move(bank)}, wide_{!form_.object.empty()},
      known_errors_(distributions, std::vector<known_errors>(task.what.tensors.size())) {
  if (is_kernelbench(task.what)) {
    maker_.emplace(task);
    allowed_.equal_terms = most_equal_terms;
  }
  if (!task.what.generator.empty())
    generator_.emplace(task);
}

result<std::unique_ptr<caller>> truth_source::process(bool wide) {
  auto how = seam_.limits(task_, wide ? form_.object : task_.reference, wide ? wide_memory_ : memory_, cpus_);
  how.fast_math = task_.what.policy.fast_math && !wide;
  call_outcome loading;
  auto opened = open_driver::start(seam_, how, loading);
  if (!opened)
    return opened.error();
  if (loading.end == call_end::done) {
    auto made = std::make_unique<caller>(*std::move(opened), task_.what, wide, secret_key());
    if (wide)
      made->hold_wider(form_.wider);
    return made;
  }
  truth_loads_ = truth_loads_ && !wide;
  if (!wide && loading.end == call_end::load_failed && !form_.compiled)
    return failure{failure_kind::invalid, "the reference cannot be loaded: " + loading.why};
  return failure{failure_kind::device, "the reference could not be loaded: " + loading.why, true};
}

status truth_source::start(bool wide) {
  auto& place = wide ? truth_ : reference_;
  const std::string form = wide ? "truth" : "reference",
                    loaded = content_name(std::vector<std::string_view>{"loaded", form});
  place = std::make_unique<banked_caller>(*bank_, form, [this, wide] { return process(wide); });
  if (bank_->find(loaded)) // so it does here, if it is needed
    return ok;
  if (auto s = place->begin(); !s) {
    place.reset();
    if (!wide || truth_loads_)
      return s;
    wide_ = false; // a truth that does not load is no truth; the reference stands in, and the record says so
    why_not_wide_ = s.error().text;
    return ok;
  }
  bank_->keep(loaded, form);
  return ok;
}

status truth_source::trouble() const {
  if (!trouble_)
    return trouble_;
  for (const auto* asked : {reference_.get(), truth_.get()})
    if (asked && !asked->trouble())
      return asked->trouble();
  return ok;
}

std::uint32_t truth_source::batch_of(const problem& what, const bound_shapes& shapes) {
  constexpr std::size_t memory = 48u << 20;
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(memory / caller::memory_for(what, shapes, 1, true), 1, 16));
}

status truth_source::use(const bound_shapes& shapes) {
  shapes_ = shapes;
  auto drawn_for = std::to_string(uses_[shapes.dims]++) + ' ' + dims_text(shapes.dims);
  batch_ = batch_of(task_.what, shapes);
  conditioned_.clear();
  yardstick_.assign(distributions, std::vector<double>(task_.what.tensors.size(), 0.0));
  moved_ = largest_ = yardstick_;
  reference_ns_ = 0;
  unfit_.clear();
  if (!reference_)
    if (auto s = start(false); !s)
      return s;
  if (wide_ && !truth_)
    if (auto s = start(true); !s)
      return s;
  if (!reference_->bind(shapes_, batch_) || (wide_ && !truth_->bind(shapes_, batch_)))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes_.name};
  random_ = random_source{bank_->key() ^ checksum_of("reductions " + drawn_for)};
  auto measured = measure_reductions();
  random_ = random_source{bank_->key() ^ checksum_of(drawn_for)}; // whether they were measured or known
  conditioned_.assign(distributions, 0);                          // only now it is known what sums
  return measured;
}

bool truth_source::compute(std::span<bank_slot> slots) {
  if (!reference_) // died on an earlier input of these shapes
    return false;
  std::vector<const bank_slot*> batch;
  for (const auto& s : slots)
    batch.push_back(&s);
  // A reference that never ends must be found out before the time of the whole measurement is up, else that
  // would be the candidate's fault.
  auto limit = task_.limits.run_s / 2;
  auto said = reference_->run(batch, limit);
  bool formless = said.call.end == call_end::done && !said.call.why.empty();
  if (said.call.end != call_end::done || formless || !said.red_zone.empty() || !said.inputs_changed.empty()) {
    unfit_ = said.call.end != call_end::done || formless ? said.call.why
             : said.red_zone.empty()                     ? "it writes its input " + said.inputs_changed
                                                         : "it writes outside of " + said.red_zone;
    if (said.call.end != call_end::done)
      lose(reference_);
    return false;
  }
  double each = said.call.ns / static_cast<double>(slots.size());
  reference_ns_ = reference_ns_ > 0 ? std::min(reference_ns_, each) : each;
  outputs_.resize(task_.what.tensors.size());
  for (std::size_t t = 0; t < outputs_.size(); ++t)
    outputs_[t] = reference_->output(slots.size() - 1, t);
  if (!wide_)
    return true;
  auto wide = truth_->run(batch, limit);
  if (wide.call.end != call_end::done || !wide.call.why.empty()) {
    unfit_ = "in wider arithmetic: " + wide.call.why;
    why_not_wide_ = wide.call.why;
    lose(truth_);
    wide_ = false;
  }
  return true;
}

std::string truth_source::in_words() const {
  if (wide_)
    return "the reference in wider arithmetic";
  return "the reference itself" +
         (why_not_wide_.empty() ? "" : ", because in wider arithmetic it fails: " + why_not_wide_);
}

void truth_source::lose(std::unique_ptr<banked_caller>& asked) {
  if (trouble_)
    trouble_ = asked->trouble();
  asked.reset();
}

bool truth_source::repeatable(std::span<const bank_slot> slots) {
  if (!reference_ || slots.empty() || slots.size() > batch_)
    return true;
  std::vector<const bank_slot*> again;
  for (std::size_t i = slots.size(); i-- > 0;)
    again.push_back(&slots[i]);
  if (auto known = reference_->found("repeats itself", again)) {
    unfit_ = *known;
    return known->empty();
  }
  auto said = reference_->run(again, task_.limits.run_s / 2, banked_caller::ask::anew);
  if (said.call.end != call_end::done) {
    unfit_ = "asked the same again, the reference fails: " + said.call.why;
    lose(reference_);
    return false;
  }
  unfit_ = changed_answer(again);
  reference_->note("repeats itself", again, unfit_);
  return unfit_.empty();
}

std::string truth_source::changed_answer(std::span<const bank_slot* const> slots) const {
  for (std::size_t i = 0; i < slots.size(); ++i)
    for (std::size_t t = 0; t < task_.what.tensors.size(); ++t)
      if (task_.what.tensors[t].role != tensor_role::in &&
          check(slots[i]->outputs[t], reference_->output(i, t).data()).failed > 0)
        return "asked the same again, the reference answers something else in " + task_.what.tensors[t].name +
               ": it keeps state between calls or draws at random; make it a pure function of its arguments";
  return {};
}

comparison_rule truth_source::rule_of(std::size_t tensor, distribution d, double equal_share) const {
  auto terms = reductions_[tensor], equal = std::min(equal_share * terms, allowed_.equal_terms);
  // A KernelBench file cannot give tolerances of its own, and its losses are means of millions: by the root
  // of that, half of the terms would pass for all.
  if (maker_)
    terms = std::min(terms, 4096.0);
  auto rule =
      rule_for(task_.what, task_.what.tensors[tensor].dtype, wide_, terms, equal, allowed_.transforms);
  if (rule.larger)
    rule.absolute = allowed_.reference_errors * yardstick(tensor, d);
  // A transform mixes terms that meet in no output; where most are zero, the largest output may be of none of them.
  if (rule.larger && rule.of_largest && d == distribution::mostly_zero)
    rule.absolute = std::max(rule.absolute,
                             rule.relative * largest_[static_cast<std::size_t>(distribution::init)][tensor]);
  return rule;
}

bool truth_source::tighten(bool errors_only) {
  // A largest error that was seen on dozens of outputs is hardly ever exceeded four times by another order.
  if (allowed_.reference_errors > 4)
    allowed_.reference_errors = allowed_.reference_errors > 8 ? 8 : 4;
  else if (!errors_only && task_.what.tensor_scale && allowed_.transforms > 1)
    allowed_.transforms = 1;
  else if (!errors_only && allowed_.equal_terms > 0)
    allowed_.equal_terms = allowed_.equal_terms > most_equal_terms ? most_equal_terms : 0;
  else
    return false;
  return true;
}

double truth_source::yardstick(std::size_t tensor, distribution d) const {
  auto at = static_cast<std::size_t>(d);
  double error = yardstick_[at][tensor];
  bool tight = allowed_.reference_errors < allowance{}.reference_errors;
  // Added up one by one, terms err by the size of the sums on the way, which grows with the root of their
  // number beyond what a rounding of each term moves. What tensor cores lose is of their few terms each time.
  if (!tight && !multiplies_eight_bits())
    error = std::max(error, moved_[at][tensor] * growth_of_sums(reductions_[tensor]));
  error = std::max(error, known_errors_[at][tensor].of(shapes_.elements[tensor], reductions_[tensor],
                                                       largest_[at][tensor]));
  // What is 16 times as large has no smaller errors. Where a bound was tightened, neither have sums of mostly
  // zeros: which few of them round at all is the luck of one order.
  bool usual_at_least = d == distribution::large || (d == distribution::mostly_zero && tight);
  return usual_at_least ? std::max(error, yardstick(tensor, distribution::init)) : error;
}

bool truth_source::measure(std::size_t count, distribution d) {
  for (std::size_t i = 0; wide_ && i < count; ++i)
    for (std::size_t t = 0; wide_ && t < outputs_.size(); ++t) {
      const auto& spec = task_.what.tensors[t];
      if (spec.role == tensor_role::in || !is_floating(spec.dtype))
        continue;
      const auto& said = reference_->output(i, t);
      double error =
          reference_error(spec.dtype, truth_->output(i, t).data(), true, said.data(), shapes_.elements[t]);
      if (error < 0) {
        unfit_ =
            "the reference and its wider form disagree on which elements of " + spec.name + " are finite";
        return false;
      }
      double largest = largest_seen(spec.dtype, said.data(), shapes_.elements[t]);
      // A wider form that says something else altogether (a reference that plays with bits) is no truth. In
      // sixteen bits a plain sum in order may err by as much as a hundredth, in eight by much more.
      if (d == distribution::init && !shapes_.secret && largest > 0 &&
          error > std::clamp(64 * unit_roundoff(spec.dtype), 0.01, 0.25) * largest) {
        wide_ = false;
        why_not_wide_ = spec.name + " comes out as something else altogether";
        truth_.reset();
        return true;
      }
      // Rounded to sixteen bits, a reference hides the error of its arithmetic: it has one.
      if (unit_roundoff(spec.dtype) > single_roundoff)
        error = std::max(error, single_roundoff * largest);
      auto at = static_cast<std::size_t>(d);
      auto& yard = yardstick_[at][t];
      yard = std::max(yard, error);
      largest_[at][t] = std::max(largest_[at][t], largest);
      known_errors_[at][t].note(shapes_.dims, shapes_.elements[t], yard, reductions_[t], largest_[at][t]);
    }
  return true;
}

double truth_source::equal_share(const bank_slot& slot, double reduction) const {
  constexpr std::size_t most = 128;
  // A term that differs by less than the last place of the sum rounds as its neighbours do.
  const double near = reduction * 0x1p-24;
  double largest = 0;
  for (std::size_t t = 0; t < slot.inputs.size(); ++t) {
    const auto& spec = task_.what.tensors[t];
    auto n = shapes_.elements[t];
    if (spec.role == tensor_role::out || !is_floating(spec.dtype) || n < 4)
      continue;
    std::vector<double> seen; // sorted below: no NaN
    std::size_t samples = std::min(n, most);
    for (std::size_t k = 0; k < samples; ++k)
      if (double v = element(spec.dtype, slot.inputs[t].data(), k * n / samples); std::isfinite(v))
        seen.push_back(v);
    std::sort(seen.begin(), seen.end());
    std::size_t together = 0;
    for (std::size_t from = 0, to = 0; to < seen.size(); ++to) {
      while (seen[to] - seen[from] > near)
        ++from;
      together = std::max(together, to - from + 1);
    }
    largest = std::max(largest, static_cast<double>(together) / static_cast<double>(samples));
  }
  return largest >= 0.25 ? largest : 0;
}

void truth_source::expect_outputs(std::span<bank_slot> slots, distribution d) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (std::size_t t = 0; t < outputs_.size(); ++t) {
      const auto& spec = task_.what.tensors[t];
      if (spec.role == tensor_role::in)
        continue;
      auto rule = rule_of(t, d, equal_share(slots[i], reductions_[t]));
      bool from_wide = wide_ && is_floating(spec.dtype) && !rule.exact;
      const auto& truth = from_wide ? truth_->output(i, t) : reference_->output(i, t);
      slots[i].outputs[t] = expect(spec.dtype, truth.data(), from_wide, shapes_.elements[t], rule);
    }
  }
}

result<std::vector<bank_slot>> truth_source::completed(std::vector<bank_slot> slots, distribution d) {
  if (!slots.empty() && !conditioned_.empty())
    condition(slots.front(), d);
  auto start = std::chrono::steady_clock::now();
  for (std::size_t from = 0; from < slots.size(); from += batch_) {
    std::span batch{slots.data() + from, std::min<std::size_t>(batch_, slots.size() - from)};
    if (!compute(batch) || !measure(batch.size(), d))
      return std::vector<bank_slot>{};
    expect_outputs(batch, d);
  }
  if (!slots.empty())
    slot_s_ = seconds_since(start) / static_cast<double>(slots.size());
  return slots;
}

result<bool> truth_source::draw(bank_slot& slot, distribution d, const bound_shapes& shapes,
                                const std::vector<value_reach>& reach, random_source& random) {
  const auto& what = task_.what;
  slot.inputs.resize(what.tensors.size());
  for (const auto& s : what.scalars)
    if (!maker_ || d == distribution::beyond) // else those of the file
      slot.scalars.push_back(draw_scalar(s, random));
  if (generator_) {
    auto made = generator_->draw(shapes, random.next());
    if (!made)
      return made.error();
    slot.inputs = *std::move(made);
    return true;
  }
  if (maker_) {
    auto made = maker_->draw(1, d, shapes, random);
    if (!made)
      return made.error();
    if (!made->empty())
      slot.inputs = std::move(made->front());
    return !made->empty();
  }
  for (std::size_t t = 0; t < slot.inputs.size(); ++t) {
    const auto& spec = what.tensors[t];
    if (spec.role == tensor_role::out)
      continue;
    std::size_t last = shapes.shapes[t].empty() ? 1 : static_cast<std::size_t>(shapes.shapes[t].back());
    auto bytes = draw_tensor(what, spec, shapes.elements[t], last, d, random,
                             {shapes.dims, t < reach.size() ? reach[t] : value_reach{}});
    if (!bytes)
      return bytes.error();
    slot.inputs[t] = *std::move(bytes);
  }
  return true;
}

result<std::vector<bank_slot>> truth_source::drawn(distribution d, std::size_t count,
                                                   const std::vector<value_reach>& reach) {
  std::vector<bank_slot> slots(count);
  std::vector<std::uint64_t> keys(count);
  std::vector<result<bool>> drew(count, false);
  for (auto& key : keys)
    key = random_.next() | 1;
  auto some = [&](std::size_t from, std::size_t to) {
    for (auto i = from; i < to; ++i) {
      slots[i].outputs.resize(task_.what.tensors.size());
      slots[i].distribution = to_text(d);
      random_source own{keys[i]};
      drew[i] = draw(slots[i], d, shapes_, reach, own);
      slots[i].key = d == distribution::init ? keys[i] : 0;
      if (!drew[i] || !*drew[i])
        return;
    }
  };
  side_by_side(count, draws_apart() ? 1 : count, some);
  for (const auto& one : drew)
    if (!one || !*one)
      return one ? result<std::vector<bank_slot>>{std::vector<bank_slot>{}} : one.error();
  return slots;
}

std::vector<bank_slot> truth_source::undrawn(std::size_t count) {
  std::vector<bank_slot> slots(count);
  for (auto& slot : slots) {
    slot.key = random_.next() | 1;
    slot.distribution = to_text(distribution::init);
  }
  return slots;
}

result<double> truth_source::draw_s(const bound_shapes& shapes) {
  auto slot = std::move(undrawn(1).front());
  auto start = steady::now();
  if (auto s = restore(slot, shapes); !s)
    return s.error();
  return seconds_since(start) / static_cast<double>(draws_apart() ? allowed_threads() : 1);
}

comparison_rule truth_source::rule_beside_reference(std::size_t tensor, const bank_slot& like) const {
  const auto type = task_.what.tensors[tensor].dtype;
  auto rule = rule_of(tensor, distribution::init, equal_share(like, reductions_[tensor]));
  if (rule.exact || !wide_)
    return rule;
  // |y - r| <= |y - t| + |t - r|: what is allowed, and what the reference r errs by and rounds. The allowance is at least
  // four times the former.
  double own = yardstick(tensor, distribution::init);
  if (rule.larger)
    rule.relative *= 1.25;
  rule.relative += unit_roundoff(type);
  rule.absolute += own;
  return rule;
}

result<std::string> truth_source::pool_of(std::size_t tensor, const bound_shapes& shapes) {
  constexpr std::size_t elements = 1u << 18; // of a normal distribution: up to 4.5 standard deviations
  const auto& spec = task_.what.tensors[tensor];
  if (!draws_apart() || !draws_each_alike(spec))
    return std::string{};
  return draw_tensor(task_.what, spec, elements, elements, distribution::init, random_, {shapes.dims, {}});
}

void truth_source::draw_scalars(bank_slot& slot) {
  random_source own{slot.key};
  slot.scalars.clear();
  for (const auto& s : task_.what.scalars)
    slot.scalars.push_back(draw_scalar(s, own));
}

bool truth_source::let_go(bank_slot& slot) {
  if (slot.key == 0)
    return false;
  slot.digest = digest_of_inputs(slot);
  slot.inputs = {};
  return true;
}

status truth_source::restore(bank_slot& slot, const bound_shapes& shapes) {
  if (!slot.inputs.empty())
    return ok;
  bank_slot again;
  random_source own{slot.key};
  auto some = draw(again, distribution::init, shapes, {}, own);
  if (!some)
    return some.error();
  bool drawn_before = slot.digest != 0;
  if (drawn_before && (digest_of_inputs(again) != slot.digest || again.scalars != slot.scalars))
    return failure{failure_kind::device, "inputs drawn again from their key come out otherwise", true};
  slot.inputs = std::move(again.inputs);
  slot.scalars = std::move(again.scalars);
  return ok;
}

std::optional<double> truth_source::redraw_s(const bank_slot& slot, const bound_shapes& shapes) {
  auto again = slot;
  if (!let_go(again))
    return std::nullopt;
  auto start = steady::now();
  if (!restore(again, shapes))
    return std::nullopt;
  return seconds_since(start);
}

result<std::vector<bank_slot>> truth_source::make_generated(distribution d, std::size_t count) {
  constexpr double most_share = 0.01; // of a judgement's time, for the keys of one distribution
  if (d != distribution::init &&
      generator_->draw_s() * static_cast<double>(count) > most_share * task_.limits.run_s)
    return std::vector<bank_slot>{};
  auto start = std::chrono::steady_clock::now();
  auto slots = drawn(distribution::init, count, {});
  if (!slots) {
    if (slots.error().kind != failure_kind::invalid || !shapes_.secret ||
        is_promised(task_.what, shapes_.dims))
      return slots.error();
    unfit_ = slots.error().text;
    if (not_generated_.empty())
      not_generated_ = unfit_;
    return std::vector<bank_slot>{};
  }
  double drawing_s = seconds_since(start) / static_cast<double>(std::max<std::size_t>(count, 1));
  auto made = completed(*std::move(slots), distribution::init);
  slot_s_ += drawing_s;
  return made;
}

result<std::vector<bank_slot>> truth_source::make(distribution d, std::size_t count) {
  if (generator_)
    return make_generated(d, count);
  if (d == distribution::beyond)
    return maker_ ? make_masks(count) : make_beyond(count);
  auto slots = drawn(d, count, {});
  if (!slots)
    return slots.error();
  return completed(*std::move(slots), d);
}

result<std::vector<bank_slot>> truth_source::perturbed(const bank_slot& slot, distribution d) {
  if (generator_) // one changed element may be none of the problem's inputs; another key's are
    return make_generated(distribution::init, 1);
  result<std::vector<bank_slot>> last{std::vector<bank_slot>{}};
  std::vector<bank_slot> other(1);
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < slot.inputs.size(); ++t)
    if (task_.what.tensors[t].role != tensor_role::out)
      order.push_back(t);
  for (std::size_t tries = 0; tries < 4 && !order.empty(); ++tries) {
    other.front() = slot.without_truth();
    other.front().key = 0;
    std::size_t t = order[random_.below(order.size())];
    const auto& spec = task_.what.tensors[t];
    if (!(maker_ ? input_maker::perturb(spec, other[0].inputs[t], random_)
                 : perturb_one(spec, other[0].inputs[t], random_, {shapes_.dims, {}})))
      continue;
    last = completed(other, d);
    if (!last || last->empty() || told_apart(slot, last->front()))
      break;
  }
  return last;
}

} // namespace ke
