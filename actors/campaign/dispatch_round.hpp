#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/node_rows.hpp"
#include "backends/verdict/dispatch_plan.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_key.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ke {

/// Verdicts in the store of candidates that a tree's dispatcher may be put together from.
struct shapes_read {
  std::uint32_t tree = 0;
  bool exact = false; ///< for the shapes of the workloads alone
  std::shared_ptr<const std::vector<shape_contender>> contenders;
  std::shared_ptr<const std::map<std::uint32_t, std::string>> sources; ///< digests, by node
};
/// The sources that a dispatcher is put together from.
struct parts_read {
  std::uint32_t tree = 0;
  bool exact = false;
  std::shared_ptr<const std::vector<dispatch_choice>> choices;
  std::shared_ptr<const std::map<std::uint32_t, std::string>> sources; ///< by node
};

/// After the search, if one candidate is the best on one workload and another one on another, or the best
/// lies below the floor: puts a node together from several (docs/decisions/0037). If a claim lies below the
/// floor (held-out workloads count), makes another one, which uses kernels only for the other workloads'
/// exact shapes. Owns which trees were tried and what is being read; not thread-safe.
class dispatch_round {
public:
  /// Ways out, on the store's thread; must not block.
  struct port {
    std::function<void(shapes_read)> shapes; ///< for `plan` below
    std::function<void(parts_read)> parts;   ///< for `assemble` below
  };

  dispatch_round(campaign_journal& journal, node_rows& rows, port out)
      : journal_{journal}, rows_{rows}, out_{std::move(out)} {}

  /// Whether the problem has several workloads and a tree that may have a dispatcher.
  bool is_possible() const;
  /// Begins what can be begun now. True while something is read, or a dispatcher waits for its verdict.
  bool go_on();
  /// Reads the sources of the best plan, if there is one and it is still `wanted`.
  void plan(const shapes_read& s, bool wanted);
  /// The new node: it is journalled, and has to be woken. Empty: none was made.
  std::optional<node_key> assemble(const parts_read& p, bool wanted);

private:
  struct made {
    std::string source, plan;
    journal_seeded seeds;
  };
  bool may_have_one(const search_tree& tree, std::ptrdiff_t workloads) const;
  bool is_below_floor_by_claim(const search_tree& tree) const;
  void read_shapes(const search_tree& tree, bool exact);
  result<made> put_together(const parts_read& p) const;
  std::optional<node_key> add(const parts_read& p);

  campaign_journal& journal_;
  node_rows& rows_;
  port out_;
  bool begun_ = false;
  std::set<std::uint32_t> tried_exactly_; ///< trees
  std::size_t reading_ = 0;               ///< trees whose evidence or sources are being read
};

} // namespace ke
