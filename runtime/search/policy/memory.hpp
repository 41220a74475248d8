#pragma once

#include "runtime/core/memory_kind.hpp"
#include "runtime/search/index/operation_kind.hpp"
#include "runtime/search/index/tree_index.hpp"
#include "runtime/search/policy/counter_random.hpp"
#include "runtime/search/policy/stall_meter.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace ke {

/// How long a tree may go without a gain before its situation counts as stagnant.
inline constexpr std::uint32_t stagnation_window = 16; ///< finished candidates without a new best
/// A stagnant tree's adaptive memory forgets everything at least once in this many choices, for diversity.
inline constexpr std::uint32_t clean_interval = 16;

/// `adaptive` chooses each mode this often, before it believes anything of it.
inline constexpr std::uint32_t first_tries = 5;

/// Situations in which `adaptive` learns apart which history pays.
inline constexpr std::size_t memory_situations = 8;

/// Bits: the parent is to be repaired, the tree is stagnant, a child of this parent has already ended.
std::uint8_t memory_situation(operation_kind operation, const tree_row& parent, const stall_meter& tree);
bool is_stagnant(std::uint8_t situation);

/// Learns which memory mode pays, for each situation on its own. A try pays if its candidate beats the
/// nearest scored ancestor. Older tries count less: weights halve every 140 tries of a situation. The choice
/// is Thompson sampling of a gamma distribution over each mode's share of successes. Every mode starts as if
/// it had a few successes at the situation's usual rate, times the mode's own factor. Siblings have the
/// highest factor, because failures must be seen to be avoided; then comes a clean slate. Ancestors have the
/// lowest, except in repairs: a long line of them binds the model. Part of the fold.
class memory_record {
public:
  /// parent, siblings, parent+siblings or clean.
  memory_kind choose(std::uint8_t situation, random_source& random) const;
  void finished(std::uint8_t situation, memory_kind mode, bool paid);

  /// The mode that was chosen least of all, whatever the situation; of equals a random one. Modes with ancestors wait
  /// for a node that has some (`ancestors`) while others are to be tried. None: each has had its first tries. These
  /// count as they are chosen, not as they end: with 64 in flight none is tried 64 times at first.
  std::optional<memory_kind> barely_tried(bool ancestors, random_source& random) const;
  void chosen(memory_kind mode);

  struct tally {
    double tries = 0, successes = 0;
  };
  const tally& of(std::uint8_t situation, memory_kind mode) const {
    return tallies_[situation][static_cast<std::size_t>(mode)];
  }

private:
  std::array<std::array<tally, 4>, memory_situations> tallies_{};
  std::array<std::uint32_t, 4> chosen_{}; ///< at most first_tries each
};

/// The history that a new node's prompt holds. None for a draft: first versions are independent samples. Else
/// the settings' fixed mode; `adaptive` gives each mode its first tries, then asks the record, unless a clean slate is due. `ancestors`: the parent
/// has a parent to show. `since_clean`: choices in the tree since the last one.
memory_kind choose_memory(memory_kind setting, operation_kind operation, std::uint8_t situation,
                          bool ancestors, const memory_record& record, std::uint32_t since_clean,
                          random_source& random);

} // namespace ke
