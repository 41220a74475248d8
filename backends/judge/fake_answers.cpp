#include "backends/judge/fake_answers.hpp"

#include "backends/device/side_by_side.hpp"
#include "backends/judge/edges.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/verdict/unfit_reasons.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t outputs_that_tell = 32; ///< fewer are all near the right ones by chance
constexpr std::size_t fakes = names_of<fake_answer>::value.size();

const char* in_words(fake_answer f) {
  static const char* words[fakes] = {"zeros",
                                     "the mean of the right outputs",
                                     "the outputs of another input",
                                     "a copy of an input",
                                     "the right outputs moved by one place",
                                     "the right outputs with two rows exchanged",
                                     "half of the outputs left from another input",
                                     "half of the work (the rest of an input taken as zero)",
                                     "half of the work (an input's first half taken for both)",
                                     "arithmetic in half the width",
                                     "three quarters of the work (the rest of an input taken as zero)",
                                     "a sum without its tail (the end of an input taken as zero)",
                                     "a sum without every 32nd term (of an input)",
                                     "a sum without its negative terms (of an input)"};
  return words[static_cast<std::size_t>(f)];
}

bool all_equal(dtype d, const std::string& bytes) {
  std::size_t size = bytes_of(d);
  return bytes.size() <= size || std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) == 0;
}

std::string filled_with_mean(dtype d, const std::string& bytes) {
  std::size_t n = bytes.size() / bytes_of(d);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += element(d, bytes.data(), i);
  std::string out(bytes.size(), '\0');
  for (std::size_t i = 0; i < n; ++i)
    set_element(d, out.data(), i, sum / static_cast<double>(n));
  return out;
}

std::string rotated_by_one(dtype d, std::string bytes) {
  std::rotate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes_of(d)), bytes.end());
  return bytes;
}

/// The first row (along the last dimension) exchanged for the first other one that differs. Vectors:
/// elements.
std::string rows_swapped(dtype d, std::string bytes, const std::vector<std::int64_t>& shape) {
  std::size_t row = shape.size() > 1 ? static_cast<std::size_t>(shape.back()) * bytes_of(d) : bytes_of(d);
  for (std::size_t at = bytes.size(); row && at >= 2 * row; at -= row) {
    auto other = bytes.begin() + static_cast<std::ptrdiff_t>(at - row);
    if (std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(row), other))
      continue;
    std::swap_ranges(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(row), other);
    break;
  }
  return bytes;
}

/// Calls `at(i, place)` for every run of elements with index `i` along `axis`, outermost first.
template <class F>
void along(dtype d, std::string& bytes, const std::vector<std::int64_t>& shape, std::size_t axis, F at) {
  std::size_t inner = bytes_of(d), outer = 1, extent = static_cast<std::size_t>(shape[axis]);
  for (std::size_t i = 0; i < axis; ++i)
    outer *= static_cast<std::size_t>(shape[i]);
  for (std::size_t i = axis + 1; i < shape.size(); ++i)
    inner *= static_cast<std::size_t>(shape[i]);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < extent; ++i)
      at(i, std::span{bytes.data() + (o * extent + i) * inner, inner});
}

/// What lies along `axis` from index `from` on taken as zero.
void cut(dtype d, std::string& bytes, const std::vector<std::int64_t>& shape, std::size_t axis,
         std::size_t from) {
  along(d, bytes, shape, axis, [&](std::size_t i, std::span<char> run) {
    if (i >= from)
      std::fill(run.begin(), run.end(), '\0');
  });
}

/// The second half along `axis` replaced by the first one.
void mirror(dtype d, std::string& bytes, const std::vector<std::int64_t>& shape, std::size_t axis) {
  auto extent = static_cast<std::size_t>(shape[axis]), half = extent - extent / 2;
  along(d, bytes, shape, axis, [&](std::size_t i, std::span<char> run) {
    if (i >= half)
      std::memcpy(run.data(), run.data() - half * run.size(), run.size());
  });
}

constexpr std::size_t in_a_class = 32;

/// Each element whose index along `axis` is of one class taken as zero.
void drop_class(dtype d, std::string& bytes, const std::vector<std::int64_t>& shape, std::size_t axis) {
  along(d, bytes, shape, axis, [&](std::size_t i, std::span<char> run) {
    if (i % in_a_class == 20)
      std::fill(run.begin(), run.end(), '\0');
  });
}

/// Every element by `change(value)`, by several threads.
template <class Change>
void change_all(dtype d, std::string& bytes, Change change) {
  side_by_side(bytes.size() / bytes_of(d), elements_of_a_thread, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (double x = element(d, bytes.data(), i), now = change(x); now != x)
        set_element(d, bytes.data(), i, now);
  });
}

void drop_negatives(dtype d, std::string& bytes) {
  change_all(d, bytes, [](double x) { return x < 0 ? 0 : x; });
}

/// Rounded to the significand of the next narrower type: f64 to f32's, f32 to f16's, 16 bits to 8 bits', 8 bits to
/// 4 bits'.
double rounded(dtype d, double x) {
  int bits = d == dtype::f64 ? 24 : d == dtype::f32 ? 11 : is_float8(d) ? 2 : 4, exponent = 0;
  if (!std::isfinite(x) || x == 0)
    return x;
  double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

void round_all(dtype d, std::string& bytes) {
  change_all(d, bytes, [d](double x) { return rounded(d, x); });
}

std::string axis_of(const tensor_spec& t, std::size_t axis) {
  return t.name + " along axis " + std::to_string(axis);
}

} // namespace

admission::admission(const problem& what, std::string workload)
    : what_{&what}, workload_{std::move(workload)} {
  for (std::size_t t = 0; t < what.tensors.size(); ++t) {
    const auto& spec = what.tensors[t];
    draws_ =
        draws_ || (spec.role != tensor_role::out && spec.init != "zeros" && !spec.init.ends_with(".npy"));
  }
}

bool admission::rejected(std::size_t tensor, fake_answer fake, const std::string& of) const {
  return std::any_of(results_.begin(), results_.end(), [&](const fake_result& r) {
    return r.tensor == tensor && r.fake == fake && r.of == of && r.rejected;
  });
}

bool admission::settled(fake_answer fake, const std::string& of) const {
  for (std::size_t t = 0; t < what_->tensors.size(); ++t)
    if (what_->tensors[t].role != tensor_role::in && !rejected(t, fake, of))
      return false;
  return true;
}

void admission::attempt(std::size_t tensor, fake_answer fake, const std::string& of, const bank_slot& slot,
                        const std::string& right, const std::string& wrong) {
  bool always = fake == fake_answer::zeros || (fake == fake_answer::previous && draws_);
  if (wrong.size() != right.size() || (wrong == right && !always))
    return;
  auto at = std::find_if(results_.begin(), results_.end(), [&](const fake_result& r) {
    return r.tensor == tensor && r.fake == fake && r.of == of;
  });
  if (at == results_.end())
    at = results_.insert(results_.end(), {tensor, fake, of, 0, false, false});
  if (at->rejected)
    return;
  at->rejected = check(slot.outputs[tensor], wrong.data()).failed > 0;
  at->passed = at->passed ||
               (!at->rejected && right.size() / bytes_of(what_->tensors[tensor].dtype) >= outputs_that_tell);
  ++at->cases;
}

void admission::add(const bank_slot& slot, const bound_shapes& shapes,
                    const std::vector<std::string>& reference) {
  for (std::size_t t = 0; t < what_->tensors.size(); ++t) {
    const auto& spec = what_->tensors[t];
    const auto& right = reference[t];
    if (spec.role == tensor_role::in || right.empty())
      continue;
    auto open = [&](fake_answer f) { return !rejected(t, f); };
    auto d = spec.dtype;
    if (open(fake_answer::zeros))
      attempt(t, fake_answer::zeros, {}, slot, right, std::string(right.size(), '\0'));
    if (open(fake_answer::constant) && !all_equal(d, right))
      attempt(t, fake_answer::constant, {}, slot, right, filled_with_mean(d, right));
    if (open(fake_answer::rotated))
      attempt(t, fake_answer::rotated, {}, slot, right, rotated_by_one(d, right));
    if (open(fake_answer::swapped_rows))
      attempt(t, fake_answer::swapped_rows, {}, slot, right, rows_swapped(d, right, shapes.shapes[t]));
    if (t < last_.size() && last_[t].size() == right.size()) {
      met_another_ = true;
      attempt(t, fake_answer::previous, {}, slot, right, last_[t]);
      std::size_t half = right.size() / bytes_of(d) / 2 * bytes_of(d);
      if (half > 0)
        attempt(t, fake_answer::half_outputs, {}, slot, right, right.substr(0, half) + last_[t].substr(half));
    }
    for (std::size_t i = 0; i < what_->tensors.size(); ++i)
      if (what_->tensors[i].role != tensor_role::out && what_->tensors[i].dtype == d)
        attempt(t, fake_answer::input_copy, what_->tensors[i].name, slot, right, slot.inputs[i]);
  }
  last_ = reference;
}

void admission::add_spoiled(const spoiled_input& how, const bank_slot& slot,
                            const std::vector<std::string>& reference, std::vector<std::string> spoiled) {
  for (std::size_t t = 0; t < what_->tensors.size(); ++t) {
    if (what_->tensors[t].role == tensor_role::in || reference[t].empty())
      continue;
    if (how.fake == fake_answer::half_precision && is_floating(what_->tensors[t].dtype))
      round_all(what_->tensors[t].dtype, spoiled[t]);
    attempt(t, how.fake, how.of, slot, reference[t], spoiled[t]);
  }
}

std::vector<admission::spoiled_input> admission::spoil(const bank_slot& slot,
                                                       const bound_shapes& shapes) const {
  std::vector<spoiled_input> all;
  const auto& tensors = what_->tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const auto& shape = shapes.shapes[t];
    if (!draws_values(tensors[t]) || slot.inputs[t].empty())
      continue;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      for (auto fake : {fake_answer::half_work, fake_answer::sampled_half, fake_answer::quarter_work}) {
        auto of = axis_of(tensors[t], axis);
        auto extent = static_cast<std::size_t>(shape[axis]);
        if (extent < (fake == fake_answer::quarter_work ? 4 : 2) || settled(fake, of))
          continue;
        all.push_back({fake, of, slot.without_truth()});
        auto& bytes = all.back().slot.inputs[t];
        if (fake == fake_answer::sampled_half)
          mirror(tensors[t].dtype, bytes, shape, axis);
        else
          cut(tensors[t].dtype, bytes, shape, axis,
              extent - extent / (fake == fake_answer::half_work ? 2 : 4));
      }
  }
  return all;
}

bool admission::worth_trying(fake_answer fake, const std::string& of) const {
  return results_.empty() || std::any_of(results_.begin(), results_.end(), [&](const fake_result& r) {
           return r.fake == fake && r.of == of && !r.rejected;
         });
}

std::vector<admission::spoiled_input> admission::leave_out(const bank_slot& slot,
                                                           const bound_shapes& shapes) const {
  std::vector<spoiled_input> all;
  const auto& tensors = what_->tensors;
  auto add = [&](fake_answer fake, const std::string& of, auto spoil) {
    if (!worth_trying(fake, of))
      return;
    all.push_back({fake, of, slot.without_truth()});
    for (std::size_t t = 0; t < tensors.size(); ++t)
      if (draws_values(tensors[t]) && !slot.inputs[t].empty())
        spoil(t, all.back().slot.inputs[t]);
  };
  add(fake_answer::half_precision, {},
      [&](std::size_t t, std::string& bytes) { round_all(tensors[t].dtype, bytes); });
  for (std::size_t at = 0; at < tensors.size(); ++at) {
    const auto& shape = shapes.shapes[at];
    auto d = tensors[at].dtype;
    if (!draws_values(tensors[at]) || slot.inputs[at].empty())
      continue;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      auto extent = static_cast<std::size_t>(shape[axis]), tail = (extent + in_a_class - 1) / in_a_class;
      if (extent >= 2 * in_a_class)
        add(fake_answer::dropped_class, axis_of(tensors[at], axis), [&](std::size_t t, std::string& bytes) {
          if (t == at)
            drop_class(d, bytes, shape, axis);
        });
      if (extent >= 2)
        add(fake_answer::dropped_tail, axis_of(tensors[at], axis), [&](std::size_t t, std::string& bytes) {
          if (t == at)
            cut(d, bytes, shape, axis, extent - tail);
        });
    }
    add(fake_answer::no_negatives, tensors[at].name, [&](std::size_t t, std::string& bytes) {
      if (t == at)
        drop_negatives(d, bytes);
    });
  }
  return all;
}

std::vector<std::string> admission::reasons() const {
  std::vector<std::string> all;
  for (const auto& r : results_)
    if (r.cases > 0 && !r.rejected)
      all.push_back(check_accepts + std::string{in_words(r.fake)} + (r.of.empty() ? "" : ", " + r.of + ",") +
                    " as its output " + what_->tensors[r.tensor].name +
                    (workload_.empty() ? "" : " on workload " + workload_) +
                    "; change its inputs or tolerances");
  return all;
}

bool admission::doubtful() const {
  return std::any_of(results_.begin(), results_.end(), [](const fake_result& r) { return r.passed; });
}

std::string admission::verdict() const {
  auto all = reasons();
  return all.empty() ? std::string{} : all.front();
}

} // namespace ke
