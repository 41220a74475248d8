#pragma once

#include "runtime/core/image.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/result.hpp"
#include "runtime/search/index/operation_kind.hpp"
#include "runtime/search/index/tree_index.hpp"
#include "runtime/search/policy/counter_random.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace ke {

struct search_settings;

/// One decision: make a child of `parent` by `operation`.
struct selection {
  std::uint32_t parent = 0;
  std::uint32_t parent2 = no_node;
  operation_kind operation = operation_kind::draft;
  std::uint32_t draft = 0; ///< draft: its number, from 0
};

/// The next draft: a child of the root, whose children are numbered from 0.
inline selection next_draft(const tree_index& tree) {
  return {.parent = 0, .operation = operation_kind::draft, .draft = tree[0].children};
}

/// Decides which node is expanded next. Deterministic: the same calls with the same tree and generator give
/// the same answers. The tree's owner reports each change right after making it. A policy keeps an index, so
/// that it selects without a look at all nodes.
class policy {
public:
  virtual ~policy() = default;
  /// Empty: nothing can be expanded before an open node has ended.
  virtual std::optional<selection> select(const tree_index& tree, random_source& random) = 0;
  virtual void added(const tree_index&, std::uint32_t /*node*/) {}
  virtual void ended(const tree_index&, std::uint32_t /*node*/) {}
  /// New settings of the same kind; may look at all nodes once.
  virtual void configure(const search_settings& s, const tree_index& tree) = 0;
  /// Rebuilds the index from `tree` after a resume; from then on the policy decides as the one that grew the
  /// tree. State that is no function of the tree comes from `load`. Once, after `load`. May visit all nodes.
  virtual void adopt(const tree_index&) {}
  /// State that depends on the order of events, not on the tree alone. Equal states write equal bytes: they
  /// are part of the tree's hash.
  virtual void save(image_writer&) const {}
  virtual void load(image_reader&) {}
  virtual std::size_t bytes() const { return 0; }
};

/// `invalid`: there is no such policy.
result<std::unique_ptr<policy>> make_policy(const search_settings& settings);

std::unique_ptr<policy> make_mcts(const search_settings& settings);
std::unique_ptr<policy> make_uct(const search_settings& settings);
std::unique_ptr<policy> make_evolution(const search_settings& settings);
std::unique_ptr<policy> make_beam(const search_settings& settings);
std::unique_ptr<policy> make_best_of_n(const search_settings& settings);

} // namespace ke
