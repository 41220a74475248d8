#pragma once

#include "runtime/core/image.hpp"
#include "runtime/search/index/tree_index.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ke {

class random_source;

/// Second parents for a search that grows one tree from several starts: nodes that are no ancestors of the
/// first parent, so that it lacks their gains. Two kinds:
///   beside       one of the sixteen best of all, neither above nor below the first parent: joins gains that
///                siblings made at the same time
///   of a start   the best of another start: what one climb found by luck and the other missed
/// A start is a group of drafts with everything that grows from them. The campaign's first drafts are start
/// 0.
class partners {
public:
  static constexpr std::size_t most = 16;

  /// The drafts from node `first` on form another start.
  void begin(std::uint32_t first);
  void scored(const tree_index& tree, std::uint32_t node, double priority); ///< correct and no duplicate

  /// Empty if none of four draws is beside `parent`. Costs four walks from the younger node up to the elder's
  /// age.
  std::optional<std::uint32_t> beside(const tree_index& tree, std::uint32_t parent,
                                      random_source& random) const;
  /// The better one of two draws.
  std::optional<std::uint32_t> of_another_start(const tree_index& tree, std::uint32_t parent,
                                                random_source& random) const;
  /// Empty if `parent` is of that start.
  std::optional<std::uint32_t> of_newest_start(const tree_index& tree, std::uint32_t parent) const;

  /// Writes where the starts begin; all else follows from the tree, by calls of `scored`.
  void save(image_writer& out) const { out.list(begins_); }
  void load(image_reader& in);

private:
  std::size_t start_of(const tree_index& tree, std::uint32_t node) const;

  std::vector<std::uint32_t> begins_; ///< of the starts after the first
  std::vector<std::uint64_t> best_;   ///< rank_key, best first
  std::vector<std::uint64_t> best_of_start_ = std::vector<std::uint64_t>(1); ///< rank_key; 0: none
};

/// Whether `above` is `node` or an ancestor of it. O(difference of depth / look_ahead).
bool is_above(const tree_index& tree, std::uint32_t above, std::uint32_t node);

} // namespace ke
