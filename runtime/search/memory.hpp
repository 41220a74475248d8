#pragma once

#include "runtime/search/random.hpp"
#include "runtime/search/tree.hpp"

#include <array>

namespace ke {

/// How long a tree may go without a gain before its situation counts as stagnant.
inline constexpr std::uint32_t stagnation_window = 16; ///< finished candidates without a new best
/// While stagnant, an adaptive memory forgets everything at least each so many choices: diversity is certain.
inline constexpr std::uint32_t clean_interval = 16;

/// Since when a tree has not improved. Part of the fold.
struct stagnation {
  std::uint32_t finished_since_best = 0;
  std::uint32_t chosen_since_clean = 0;
};

/// The situations that `adaptive` tells apart when it learns which history pays.
inline constexpr std::size_t memory_situations = 8;

/// Bits: the parent is to be repaired, the tree is stagnant, a child of this parent has already ended.
std::uint8_t memory_situation(operation_kind operation, const tree_row& parent, const stagnation& s);
bool is_stagnant(std::uint8_t situation);

/// Learns from outcomes which memory mode pays, for each situation on its own. A try pays if its candidate
/// beats the nearest scored ancestor. Older tries count less: their weight halves every 140 of the same
/// situation. The choice is a draw from what each mode's share of successes may be (Thompson sampling of a
/// gamma distribution); every mode starts with the worth of a few successes in as many tries as any mode
/// needs for them in the situation, times a part of its own: siblings first, for what failed must be seen to
/// be avoided, then a clean slate; a long line of ancestors binds the model to what it has. Part of the fold.
class memory_record {
public:
  /// parent, siblings, parent+siblings or clean.
  memory_kind choose(std::uint8_t situation, random_source& random) const;
  void finished(std::uint8_t situation, memory_kind mode, bool paid);

  struct tally {
    double tries = 0, successes = 0;
  };
  const tally& of(std::uint8_t situation, memory_kind mode) const {
    return tallies_[situation][static_cast<std::size_t>(mode)];
  }

private:
  std::array<std::array<tally, 4>, memory_situations> tallies_{};
};

/// What history a new node's prompt holds. A draft has none: first versions are independent samples.
/// Otherwise a fixed mode of the settings is taken as it is, and `adaptive` asks the record, unless a clean
/// slate is due.
memory_kind choose_memory(memory_kind setting, operation_kind operation, std::uint8_t situation,
                          const memory_record& record, const stagnation& s, random_source& random);

} // namespace ke
