#pragma once

#include "runtime/core/node_key.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace ke {

class store_port;
enum class node_state : std::uint8_t;
struct node_summary;
struct source_syntax;
struct verdict;

/// The summary of a judged (or failed) node. Pure.
std::shared_ptr<const node_summary> make_summary(std::uint32_t node, node_state state, std::string source,
                                                 std::string source_digest, std::string plan,
                                                 const verdict* found);

/// What a prompt needs of a node: all of its parent, only the outcome of others.
enum class summary_extent : std::uint8_t { outcome, with_source };

/// Reads a node's summary from the store, without blocking: `done` is called on the store thread with null if
/// the node can't be read. An `outcome` has neither source nor its digest. `syntax`: of the
/// tree's candidates.
void load_summary(store_port& store, node_key node, const source_syntax& syntax, summary_extent extent,
                  std::function<void(std::shared_ptr<const node_summary>)> done);

/// The summaries used last, for prompts: reads of the store are rare. One thread.
class summary_cache {
public:
  explicit summary_cache(std::size_t most) : most_{most} {}
  void put(std::shared_ptr<const node_summary> summary);
  std::shared_ptr<const node_summary> find(std::uint32_t node);

private:
  std::size_t most_;
  std::list<std::shared_ptr<const node_summary>> order_; ///< last used first
  std::unordered_map<std::uint32_t, std::list<std::shared_ptr<const node_summary>>::iterator> at_;
};

} // namespace ke
