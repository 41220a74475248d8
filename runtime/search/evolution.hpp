#pragma once

#include "runtime/search/policy.hpp"
#include "runtime/search/rank_index.hpp"
#include "runtime/search/repairs.hpp"
#include "runtime/search/wait_for_gain.hpp"

#include <map>
#include <vector>

namespace ke {

/// The `evolution` policy: populations on islands, without generations. A child belongs to the island that
/// chose its parents; an island keeps its `population` best and, per descriptor, the best of that cell
/// (MAP-Elites; cells are fixed by whoever gives descriptors, so they never drift).
///
/// The search begins on one island with `drafts` first versions. When every island has stalled
/// (wait_for_gain.hpp; after `restart` verdicts at the latest, the more the more islands there have been),
/// the islands exchange their best once around the ring and a new one is settled by new drafts; beyond
/// `islands` of them the worst is given up for it. Islands that still climb get the candidates, stalled ones
/// a tenth as many. When the new one has stalled, too, what it has found is crossed into the others, the best
/// one first, before there is another. While an island has nothing that works, its failures are repaired.
///
/// As long as an island gains, its best is the parent, unless it has many children open already; as it
/// stalls, all members and the archive are. The first parent is a member of the child's island, the second
/// one, once there are others, in half of the cases the best of another.
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
    std::map<std::uint32_t, std::uint32_t> cells; ///< descriptor to its best node
    repairs broken;
    std::uint32_t drafts = 0;    ///< begun
    std::uint32_t patience = 0;  ///< it has stalled after so many verdicts at the latest
    std::uint8_t generation = 0; ///< how often it was given up and settled again, modulo 256
    wait_for_gain waiting;
  };
  const std::vector<island>& islands() const { return islands_; }
  /// The island that a node was made on; no_node: it was given up since.
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
  void open_island(const tree_index& tree);
  void migrate(const tree_index& tree);
  void settle(const tree_index& tree, island& here, std::uint32_t node);
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
  bool is_untried_ = false;     ///< what the newest one has found was not crossed into the others yet
  std::uint32_t crossings_ = 0; ///< choices left in which it is
  std::uint32_t going_to_ = 0;  ///< between `select` and `added`
};

} // namespace ke
