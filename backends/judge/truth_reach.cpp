// How far beyond what `init` describes the reference may be asked.
#include "backends/judge/truth.hpp"
#include "backends/judge/values.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

/// What is told of a tensor whose values go less far than they might.
std::string not_reached(const tensor_spec& tensor, const value_reach& found) {
  bool of_any_value = is_floating(tensor.dtype) || tensor.dtype == dtype::boolean;
  return "the reference does not survive " +
         std::string{of_any_value ? "other values of " : "integers of all magnitudes in "} + tensor.name +
         " than init = \"" + tensor.init + "\" draws; " +
         (found.kind == value_reach::none    ? "they are drawn as init says"
          : found.kind == value_reach::below ? "they are drawn below " + found.symbol
                                             : std::string{"smaller ones are drawn"}) +
         ": give the tensor a range, or promise = \"init\"";
}

} // namespace

result<bool> truth_source::survives(const std::vector<value_reach>& reach) {
  const bool was_wide = wide_;
  auto slots = drawn(distribution::beyond, 1, reach);
  if (!slots)
    return slots.error();
  if (compute(*slots) && wide_ == was_wide && measure(1, distribution::beyond) && stands_by(*slots) &&
      (finite_outputs() || !masks(reach)))
    return true;
  wide_ = was_wide; // a truth that died of these inputs is still the truth of others
  if (auto s = use(shapes_); !s)
    return s.error();
  return false;
}

bool truth_source::masks(const std::vector<value_reach>& reach) const {
  for (std::size_t t = 0; t < reach.size(); ++t)
    if (reach[t].kind != value_reach::none && task_.what.tensors[t].dtype == dtype::boolean)
      return true;
  return false;
}

bool truth_source::finite_outputs() const {
  bool finite = true;
  for (std::size_t t = 0; t < outputs_.size(); ++t)
    for (std::size_t e = 0; task_.what.tensors[t].role != tensor_role::in && e < shapes_.elements[t]; ++e)
      finite = finite && std::isfinite(element(task_.what.tensors[t].dtype, outputs_[t].data(), e));
  return finite;
}

status truth_source::find_reach() {
  const auto& tensors = task_.what.tensors;
  std::vector<value_reach> found(tensors.size());
  std::size_t going = 0;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    auto options = reaches_of(tensors[t], shapes_.dims);
    for (const auto& option : options) {
      // Only a truth that dies of an overflow tells that the reference has none.
      if (option.kind == value_reach::whole && (!wide_ || !form_.traps_overflow))
        continue;
      std::vector<value_reach> alone(tensors.size());
      alone[t] = option;
      auto said = survives(alone);
      if (!said)
        return said.error();
      if (!*said)
        continue;
      found[t] = option;
      ++going;
      break;
    }
    if (!options.empty() && found[t].kind != value_reach::full && found[t].kind != value_reach::whole)
      unreached_.push_back(not_reached(tensors[t], found[t]));
  }
  if (going > 1) {
    auto said = survives(found);
    if (!said)
      return said.error();
    if (!*said) {
      unreached_.emplace_back(
          "the reference does not survive other values in several tensors at once; they are "
          "drawn as init says: give the tensors ranges");
      found.assign(tensors.size(), {});
    }
  }
  reach_ = std::move(found);
  return ok;
}

result<std::vector<bank_slot>> truth_source::make_masks(std::size_t count) {
  std::vector<bank_slot> all;
  const bool was_wide = wide_;
  for (std::size_t i = 0; i < count; ++i) {
    auto slot = drawn(distribution::beyond, 1, {});
    if (!slot)
      return slot.error();
    if (slot->empty())
      break;
    auto done = completed(*std::move(slot), distribution::beyond);
    if (!done)
      return done.error();
    if (done->empty() || wide_ != was_wide) {
      wide_ = was_wide;
      break;
    }
    if (finite_outputs()) // a row without a single element is nobody's to define
      all.push_back(std::move(done->front()));
  }
  return all;
}

result<std::vector<bank_slot>> truth_source::make_beyond(std::size_t count) {
  if (!goes_beyond(task_.what))
    return std::vector<bank_slot>{};
  if (!reach_)
    if (auto s = find_reach(); !s)
      return s.error();
  if (std::all_of(reach_->begin(), reach_->end(), [](auto& r) { return r.kind == value_reach::none; }))
    return std::vector<bank_slot>{};
  const bool was_wide = wide_;
  std::vector<bank_slot> slots;
  while (slots.size() < count) {
    auto reach = *reach_; // all of a tensor's values go beyond its init, or a few
    for (auto& r : reach)
      r.few = random_.below(2) == 0;
    auto one = drawn(distribution::beyond, 1, reach);
    if (!one)
      return one.error();
    slots.push_back(std::move(one->front()));
  }
  auto made = completed(std::move(slots), distribution::beyond);
  if (!made)
    return made.error();
  if (wide_ != was_wide || made->empty() || !stands_by(std::span{*made}.first(1))) {
    wide_ = was_wide;
    return std::vector<bank_slot>{};
  }
  return made;
}

} // namespace ke
