#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/search/index/rank_index.hpp"
#include "runtime/search/policy/policy.hpp"
#include "runtime/search/policy/repairs.hpp"
#include "runtime/search/policy/stall_meter.hpp"

#include <map>
#include <vector>

namespace ke {

/// The `evolution` policy: populations on islands, without generations. A child belongs to the island that
/// chose its parents. An island keeps its `population` best and, per cell (cells.hpp), the best of
/// that cell (MAP-Elites; the edges of cells are fixed, so they never drift).
///
/// The search begins on one island with `drafts` first versions. An island stalls as new_starts.hpp says,
/// or after `restart` verdicts at the latest, more with each further island. When all have stalled, they
/// exchange their best once around the ring and new drafts settle a new one; beyond `islands` of them it
/// replaces the worst. Climbing islands get the candidates, stalled ones a tenth as many. When the new one
/// has stalled, too, its finds are crossed into the others, the best island first, before the next is
/// settled. While nothing works on an island, its failures are repaired.
///
/// While an island gains, its best is the parent, unless too many of that one's children are open; while it
/// stalls, all members and the archive are. The first parent is a member of the child's island. With more
/// than one island, the second parent is in half of the cases the best of another.
class evolution final : public policy {
public:
  explicit evolution(const search_settings& s);

  std::optional<selection> select(const tree_index& tree, random_source& random) override;
  void added(const tree_index& tree, std::uint32_t node) override;
  void ended(const tree_index& tree, std::uint32_t node) override;
  void configure(const search_settings& s, const tree_index& tree) override;
  void save(image_writer& out) const override;
  void load(image_reader& in) override;
  std::size_t bytes() const override;

  struct island {
    std::vector<std::uint32_t> members;           ///< best first
    std::map<std::uint32_t, std::uint32_t> cells; ///< cell to its best node
    repairs broken;
    std::uint32_t drafts = 0;    ///< begun
    std::uint32_t patience = 0;  ///< it counts as stalled after this many verdicts at the latest
    std::uint8_t generation = 0; ///< times given up and settled again, modulo 256
    stall_meter waiting;
  };
  const std::vector<island>& islands() const { return islands_; }
  /// The island on which a node was made; no_node: given up since.
  std::uint32_t home_of(std::uint32_t node) const;

private:
  struct home {
    std::uint8_t island = 0, generation = 0;
  };
  void set(const search_settings& s);
  std::vector<bool> climbing() const; ///< by island
  std::uint32_t leader() const;
  std::uint32_t patience() const;
  std::uint32_t choose_island(random_source& random) const;
  void go_on_from_standstill(const tree_index& tree);
  void open_island(const tree_index& tree);
  void migrate(const tree_index& tree);
  void settle(const tree_index& tree, island& here, std::uint32_t node);
  void keep_in_cell(const tree_index& tree, island& here, std::uint32_t node) const;
  std::uint32_t another_than(std::uint32_t island, random_source& random) const;
  std::uint32_t weighted(const tree_index& tree, const std::vector<std::uint32_t>& among,
                         random_source& random) const;
  std::uint32_t first_parent(const tree_index& tree, const island& here, random_source& random) const;
  std::uint32_t second_parent(const island& here, bool after_opening, random_source& random) const;
  selection parents_on(const tree_index& tree, bool after_opening, random_source& random) const;

  search_settings settings_;
  std::vector<island> islands_; ///< never empty
  chunked<home> homes_;         ///< by node
  std::uint32_t opened_ = 0;    ///< islands after the first
  std::uint32_t newest_ = 0;    ///< the last one of these
  bool is_untried_ = false;     ///< finds of the newest one are not yet crossed into the others
  std::uint32_t crossings_ = 0; ///< choices left for crossing
  std::uint32_t going_to_ = 0;  ///< between `select` and `added`
};

} // namespace ke
