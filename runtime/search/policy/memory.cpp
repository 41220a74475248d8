#include "runtime/search/policy/memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ke {

namespace {

constexpr double keep = 0.995;
constexpr std::uint8_t repairing = 1, stagnant = 2, with_siblings = 4;

/// The worth of a mode before anything is known, believed as strongly as if the best mode had had `belief`
/// successes. `expected` is relative to the share of tries that pay in the situation, whatever the mode. A
/// fixed share would make untried modes look good wherever little pays, and most of a search is spent there.
/// So would a belief of some tries: of a few tries none is a success there.
constexpr double belief = 3;
double expected(std::uint8_t situation, memory_kind mode) {
  switch (mode) {
  case memory_kind::siblings:
    return 1;
  case memory_kind::parent_siblings:
    return 0.4;
  case memory_kind::parent:
    return situation & repairing ? 1 : 0.2;
  default:
    return 0.8;
  }
}

/// A gamma deviate of this shape and scale 1, by the cube of a normal one (Wilson and Hilferty, PNAS 17,
/// 1931): a plausible rate, given the number of successes seen.
double gamma(double shape, random_source& random) {
  auto root = std::max(0.0, 1 - 1 / (9 * shape) + random.normal() / (3 * std::sqrt(shape)));
  return shape * root * root * root;
}

} // namespace

bool is_stagnant(std::uint8_t situation) {
  return situation & stagnant;
}

std::uint8_t memory_situation(operation_kind operation, const tree_row& parent, const stall_meter& tree) {
  return static_cast<std::uint8_t>((operation == operation_kind::fix ? repairing : 0) |
                                   (tree.ends() >= stagnation_window ? stagnant : 0) |
                                   (parent.visits > 1 ? with_siblings : 0));
}

memory_kind memory_record::choose(std::uint8_t situation, random_source& random) const {
  auto best = memory_kind::parent_siblings;
  double worth = -1e9;
  double all = 8, paid = 2; // begins with the worth of a few tries
  for (const auto& t : tallies_[situation]) {
    all += t.tries;
    paid += t.successes;
  }
  const auto usual = paid / all;
  for (std::size_t m = 0; m < 4; ++m) {
    auto mode = static_cast<memory_kind>(m);
    const auto& t = tallies_[situation][m];
    auto successes = t.successes + belief * expected(situation, mode);
    auto drawn = gamma(successes, random) / (t.tries + belief / usual);
    if (drawn > worth) {
      worth = drawn;
      best = mode;
    }
  }
  return best;
}

void memory_record::finished(std::uint8_t situation, memory_kind mode, bool paid) {
  if (mode >= memory_kind::adaptive || situation >= memory_situations)
    return;
  for (auto& t : tallies_[situation]) {
    t.tries *= keep;
    t.successes *= keep;
  }
  auto& t = tallies_[situation][static_cast<std::size_t>(mode)];
  t.tries += 1;
  t.successes += paid;
}

std::optional<memory_kind> memory_record::barely_tried(bool ancestors, random_source& random) const {
  // First by whether there is something to show, then by how often it was chosen.
  auto place_of = [&](memory_kind mode) {
    bool waits = !ancestors && shows_ancestors(mode);
    return std::pair{waits, chosen_[static_cast<std::size_t>(mode)]};
  };
  std::vector<memory_kind> least;
  for (std::size_t m = 0; m < chosen_.size(); ++m) {
    auto mode = static_cast<memory_kind>(m);
    if (chosen_[m] >= first_tries)
      continue;
    if (!least.empty() && place_of(mode) < place_of(least.front()))
      least.clear();
    if (least.empty() || place_of(mode) == place_of(least.front()))
      least.push_back(mode);
  }
  return least.empty() ? std::nullopt : std::optional{least[random.below(least.size())]};
}

void memory_record::chosen(memory_kind mode) {
  if (auto& count = chosen_[static_cast<std::size_t>(mode)]; count < first_tries)
    ++count;
}

memory_kind choose_memory(memory_kind setting, operation_kind operation, std::uint8_t situation,
                          bool ancestors, const memory_record& record, std::uint32_t since_clean,
                          random_source& random) {
  if (operation == operation_kind::draft)
    return memory_kind::clean;
  if (setting != memory_kind::adaptive)
    return setting;
  if (situation & stagnant && since_clean + 1 >= clean_interval)
    return memory_kind::clean;
  if (auto untried = record.barely_tried(ancestors, random))
    return *untried;
  return record.choose(situation, random);
}

} // namespace ke
