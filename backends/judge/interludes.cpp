#include "backends/judge/interludes.hpp"

#include <algorithm>
#include <numeric>

namespace ke {
namespace {

constexpr double chance = 0.2;              ///< of an interlude before a pair
constexpr double most_share_of_pairs = 0.2; ///< of the time of the pairs so far, for interludes

} // namespace

void interludes::keep(const bound_shapes& shapes, const std::shared_ptr<const poison>& rubbish,
                      const bank_slot& slot, bool misaligned) {
  auto bytes = slot.bytes();
  if (bytes > most_memory - bytes_)
    return;
  bytes_ += bytes;
  for (auto& s : scenes_)
    if (s.misaligned == misaligned && s.shapes.dims == shapes.dims) {
      s.slots.push_back(slot);
      return;
    }
  scenes_.push_back({shapes, rubbish, {slot}, misaligned});
}

std::size_t interludes::memory(const problem& what) const {
  std::size_t most = 0;
  for (const auto& s : scenes_) {
    auto calls = static_cast<std::uint32_t>(std::min<std::size_t>(s.slots.size(), most_calls));
    most = std::max(most, caller::memory_for(what, s.shapes, calls, false));
  }
  return most;
}

interlude_deck::interlude_deck(const interludes& all, random_source& random) : random_{random} {
  for (const auto& scene : all.scenes())
    for (const auto& slot : scene.slots) {
      auto same = std::ranges::find_if(kinds_, [&](const kind& k) {
        return k.scene == &scene && k.slots.front()->distribution == slot.distribution;
      });
      if (same == kinds_.end())
        same = kinds_.insert(kinds_.end(), {&scene, {}});
      same->slots.push_back(&slot);
    }
  random_.shuffle(kinds_);
}

interlude_deck::hand interlude_deck::deal(const bound_shapes& usual, std::size_t calls) {
  if (next_ == kinds_.size()) {
    random_.shuffle(kinds_);
    next_ = 0;
  }
  if (random_.below(2) == 0) {
    auto left = kinds_.begin() + static_cast<std::ptrdiff_t>(next_);
    auto alike = std::find_if(left, kinds_.end(), [&](const kind& k) { return k.has_form(usual); });
    if (alike != kinds_.end())
      std::iter_swap(left, alike);
  }
  const auto& dealt = kinds_[next_++];
  const auto* chosen = dealt.slots[random_.below(dealt.slots.size())];
  hand h{*dealt.scene, {}};
  for (const auto& slot : h.scene.slots)
    if (&slot != chosen)
      h.slots.push_back(&slot);
  random_.shuffle(h.slots);
  h.slots.resize(std::min(std::max<std::size_t>(calls, 1) - 1, h.slots.size()));
  h.slots.push_back(chosen);
  random_.shuffle(h.slots);
  return h;
}

interlude_turn::interlude_turn(std::uint32_t pairs, std::uint32_t certain, random_source& random)
    : random_{random}, certain_(pairs) {
  std::iota(certain_.begin(), certain_.end(), 0u);
  random_.shuffle(certain_);
  certain_.resize(std::min(std::max(certain, 1u), pairs));
}

bool interlude_turn::due(std::uint32_t pair) {
  bool drawn = random_.uniform() < chance;
  return std::ranges::find(certain_, pair) != certain_.end() ||
         (drawn && interludes_s_ <= most_share_of_pairs * pairs_s_);
}

std::uint64_t usual_rows::next(random_source& random, double each_s) {
  constexpr std::uint64_t longest = 32; // of the calls of a launch's process
  auto calls = std::min(random.below(2) == 0 ? longest : random.below(longest),
                        static_cast<std::uint64_t>(left_s_ / 4 / each_s));
  left_s_ -= static_cast<double>(calls) * each_s;
  return calls;
}

} // namespace ke
