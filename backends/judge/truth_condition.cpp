// How far an honest kernel may be from the truth where terms cancel: as far as inputs that are one rounding
// off would move it (backward stability), and as far as the reference itself is when it meets the same terms
// from their end, whatever order the kernel adds in.
#include "backends/device/side_by_side.hpp"
#include "backends/judge/truth.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace ke {
namespace {

/// Single terms: the size of the output stands for theirs. Of two, where another element has three, the sum on the way
/// may be a hundred times as large as what cancels to the output.
constexpr double least_reduction = 2;
constexpr std::size_t most_samples = 65536;
/// Tensor cores add products of eight bits with 13 bits behind the largest of some 32 terms and the sum so far.
constexpr double rounding_of_eight_bit_products = 0x1p-14;
/// From there only down: the next number up may be infinite, or none.
double largest_with_a_next(dtype d) {
  return d == dtype::f8e4m3 ? 448 : d == dtype::f8e5m2 ? 50000 : 60000;
}

template <class Bits>
void step(char* at, bool up) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  bits = static_cast<Bits>(up ? bits + 1 : bits - 1);
  std::memcpy(at, &bits, sizeof bits);
}

/// To the next number above or below, at random. Whole numbers that a f16 can tell apart stay, zeros with
/// them: they may be indices or lie on a step of the operator. Of eight bits most numbers beyond 8 are whole: only zeros stay.
void nudge_part(dtype d, std::string& bytes, std::size_t from, std::size_t to, random_source& random) {
  const auto size = bytes_of(d);
  for (std::size_t i = from; i < to; ++i) {
    double v = element(d, bytes.data(), i);
    bool stays = size == 1 ? v == 0 : v == std::trunc(v) && std::fabs(v) <= 2048;
    if (!std::isfinite(v) || stays)
      continue;
    char* at = bytes.data() + i * size;
    bool up = random.below(2) != 0 && std::fabs(v) < largest_with_a_next(d);
    size == 8   ? step<std::uint64_t>(at, up)
    : size == 4 ? step<std::uint32_t>(at, up)
    : size == 2 ? step<std::uint16_t>(at, up)
                : step<std::uint8_t>(at, up);
  }
}

/// By blocks with a key each: the same inputs, by however many threads.
void nudge(dtype d, std::string& bytes, std::size_t elements, std::uint64_t key) {
  constexpr std::size_t block = 64u << 10;
  side_by_side((elements + block - 1) / block, 2, [&](std::size_t first, std::size_t end) {
    for (auto b = first; b < end; ++b) {
      random_source own{key + b};
      nudge_part(d, bytes, b * block, std::min(elements, (b + 1) * block), own);
    }
  });
}

void reverse(std::size_t size, std::string& bytes) {
  std::string turned;
  turned.reserve(bytes.size());
  for (std::size_t at = bytes.size(); at >= size; at -= size)
    turned.append(bytes, at - size, size);
  bytes = std::move(turned);
}

/// By how much samples of a tensor's elements differ between two truths, where they do.
std::vector<double> differences(dtype type, const std::string& before, const std::string& after,
                                std::size_t elements) {
  std::vector<double> found;
  for (std::size_t i = 0, step = elements / most_samples + 1; i < elements; i += step) {
    auto d = std::fabs(
        static_cast<double>(wide_element(type, after.data(), i) - wide_element(type, before.data(), i)));
    if (std::isfinite(d) && d > 0)
      found.push_back(d);
  }
  return found;
}

} // namespace

bool truth_source::sums(std::size_t tensor) const {
  const auto& spec = task_.what.tensors[tensor];
  return wide_ && spec.role != tensor_role::in && is_floating(spec.dtype) &&
         reductions_[tensor] >= least_reduction;
}

bool truth_source::any_sums() const {
  for (std::size_t t = 0; t < task_.what.tensors.size(); ++t)
    if (sums(t))
      return true;
  return false;
}

bool truth_source::multiplies_eight_bits() const {
  return std::count_if(task_.what.tensors.begin(), task_.what.tensors.end(), [](const tensor_spec& t) {
           return t.role != tensor_role::out && is_float8(t.dtype);
         }) >= 2;
}

std::vector<double> truth_source::moved_by_rounding(const bank_slot& slot, double share) {
  const auto& tensors = task_.what.tensors;
  std::vector<double> by(tensors.size(), 0.0);
  if (!any_sums() || !truth_)
    return by;
  std::vector<std::uint64_t> keys(tensors.size());
  for (auto& key : keys) // drawn whether they are needed or not: what is drawn next is the same then
    key = random_.next();
  const bank_slot* const asked = &slot;
  const auto question = "moved by rounding, of " + std::to_string(share);
  if (auto known = truth_->found(question, {&asked, 1}))
    if (auto kept = unpack<std::vector<double>>(*known); kept && kept->size() == by.size())
      return *kept;
  if (auto measured = measure_rounding(slot, share, keys)) {
    truth_->note(question, {&asked, 1}, pack(*measured));
    by = *std::move(measured);
  }
  return by; // whoever asks next for what did not come will hear why
}

std::optional<std::vector<double>> truth_source::measure_rounding(const bank_slot& slot, double share,
                                                                  const std::vector<std::uint64_t>& keys) {
  const auto& tensors = task_.what.tensors;
  std::vector<double> by(tensors.size(), 0.0);
  auto nudged = slot.without_truth();
  double coarsest = 0;
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (tensors[t].role != tensor_role::out && is_floating(tensors[t].dtype)) {
      nudge(tensors[t].dtype, nudged.inputs[t], shapes_.elements[t], keys[t]);
      coarsest = std::max(coarsest, unit_roundoff(tensors[t].dtype));
    }
  std::vector<std::string> before(tensors.size());
  for (const bank_slot* one : {&slot, static_cast<const bank_slot*>(&nudged)}) {
    std::optional<truth_bank::answers_for_once> for_once;
    if (one != &slot)
      for_once.emplace(*bank_);
    auto said = truth_->run({&one, 1}, task_.limits.run_s / 2);
    if (said.call.end != call_end::done || !said.call.why.empty())
      return std::nullopt;
    for (std::size_t t = 0; t < tensors.size() && one == &slot; ++t)
      if (sums(t))
        before[t] = truth_->output(0, t);
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!sums(t))
      continue;
    auto moved = differences(tensors[t].dtype, before[t], truth_->output(0, t), shapes_.elements[t]);
    if (moved.empty())
      continue;
    auto at = moved.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(moved.size() - 1));
    std::nth_element(moved.begin(), at, moved.end());
    // Inputs of 16 bits and less are summed in 32 bits, and inputs of 32 bits perhaps in 64.
    double arithmetic = multiplies_eight_bits() ? rounding_of_eight_bit_products
                                                : std::min(unit_roundoff(tensors[t].dtype), 0x1p-24);
    by[t] = *at * std::min(1.0, arithmetic / coarsest);
  }
  return by;
}

/// Subnormal sums are exact until they outgrow their steps: two orders may both round late. For its size, such an output may
/// err as usual ones do for theirs.
double truth_source::usual_error_at(std::size_t tensor, double largest) const {
  const auto usual = static_cast<std::size_t>(distribution::init);
  double most = largest_[usual][tensor];
  return most > 0 ? yardstick(tensor, distribution::init) * std::min(1.0, largest / most) : 0;
}

std::vector<double> truth_source::errors_backwards(const bank_slot& slot, edge_kind kind) {
  const auto& tensors = task_.what.tensors;
  std::vector<double> errors(tensors.size(), 0.0);
  if (!any_sums() || !reference_ || !truth_)
    return errors;
  auto turned = slot.without_truth();
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (bends(tensors[t]))
      reverse(bytes_of(tensors[t].dtype), turned.inputs[t]);
  for (auto* asked : {reference_.get(), truth_.get()}) {
    const bank_slot* one = &turned;
    auto said = asked->run({&one, 1}, task_.limits.run_s / 2);
    if (said.call.end != call_end::done || !said.call.why.empty())
      return errors; // whoever asks it next will hear why
  }
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (sums(t)) {
      auto d = tensors[t].dtype;
      const auto *truth = truth_->output(0, t).data(), *said = reference_->output(0, t).data();
      errors[t] = kind == edge_kind::subnormal
                      ? std::max(standing_error(d, truth, said, shapes_.elements[t]),
                                 usual_error_at(t, largest_seen(d, said, shapes_.elements[t])))
                      : reference_error(d, truth, true, said, shapes_.elements[t]);
    }
  return errors;
}

void truth_source::condition(const bank_slot& slot, distribution d) {
  auto& known = conditioned_[static_cast<std::size_t>(d)];
  if (std::exchange(known, 1))
    return;
  auto by = moved_by_rounding(slot, 0.9); // not the most: an output may jump over a step
  auto& yards = yardstick_[static_cast<std::size_t>(d)];
  for (std::size_t t = 0; t < by.size(); ++t)
    yards[t] = std::max(yards[t], by[t]);
  moved_[static_cast<std::size_t>(d)] = std::move(by);
}

} // namespace ke
