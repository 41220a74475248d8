#include "backends/judge/admission.hpp"

#include "backends/judge/inputs.hpp"
#include "backends/shim.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ke {
namespace {

bool rejects(const expectation& e, const std::string& fake) {
  return check(e, fake.data()).failed > 0;
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

} // namespace

void admission::add(const bank_slot& slot, const std::vector<std::string>& reference) {
  for (std::size_t t = 0; t < what_->tensors.size(); ++t) {
    const auto& spec = what_->tensors[t];
    const auto& bytes = reference[t];
    if (spec.role == tensor_role::in || bytes.empty())
      continue;
    auto attempt = [&](fake f, const std::string& wrong) {
      tried_[f] = true;
      rejected_[f] = rejected_[f] || rejects(slot.outputs[t], wrong);
    };
    attempt(zeros, std::string(bytes.size(), '\0'));
    attempt(mean, filled_with_mean(spec.dtype, bytes));
    if (t < last_.size() && last_[t].size() == bytes.size())
      attempt(previous, last_[t]);
    // An operator whose outputs are all one value is honest, but says nothing about order.
    if (auto other = rotated_by_one(spec.dtype, bytes); other != bytes)
      attempt(rotated, other);
    for (std::size_t i = 0; i < what_->tensors.size(); ++i)
      if (what_->tensors[i].role != tensor_role::out && what_->tensors[i].dtype == spec.dtype &&
          slot.inputs[i].size() == bytes.size())
        attempt(input_copy, slot.inputs[i]);
  }
  last_ = reference;
}

std::string admission::verdict() const {
  static const char* names[fakes] = {"zeros", "the mean of the right outputs", "the outputs of another input",
                                     "a copy of an input", "the right outputs moved by one place"};
  for (int f = 0; f < fakes; ++f)
    if (tried_[f] && !rejected_[f])
      return "the problem's own check accepts " + std::string{names[f]} + "; change its inputs or tolerances";
  return {};
}

} // namespace ke
