#pragma once

#include "runtime/search/campaign/search_tree.hpp"
#include "runtime/search/index/history.hpp"
#include "runtime/search/lab/gene_landscape.hpp"
#include "runtime/search/policy/counter_random.hpp"

#include <cstdint>
#include <vector>

namespace ke {

/// A scripted model that writes vectors of genes. It sees no more than a prompt would show: the parent, and
/// the past nodes of the expansion's memory mode (history.hpp). Of each of these it sees the moves (gene,
/// value) made on that node's parent, and their outcome.
///
///   draft       a random vector
///   otherwise   the parent with one to three genes changed at random; with a second parent the new values
///               are taken from that one while the two differ
/// A move failed if its node was not correct or scored less than the nearest scored ancestor; it helped if
/// its node scored more. The model never makes a move shown as failed, and keeps what is shown as helpful. It
/// does not undo helpful moves of ancestors, and repeats those of siblings. In genes that the parent left
/// alone it also repeats helpful moves of gains beside the parent. If nothing else is left to change, a kept
/// gene may change; if every move has failed, any may.
class gene_model {
public:
  explicit gene_model(const gene_landscape& world) : world_{&world} {}

  /// The vector of a new node. Nodes come in the order of their ids.
  const std::uint8_t* write(const tree_index& tree, const expansion& e);

  const std::uint8_t* of(std::uint32_t node) const { return &vectors_[std::size_t{node} * world_->genes]; }
  std::string text_of(std::uint32_t node) const;

  /// Four coarse properties of a vector, a byte each, from 0 to 3: the mean value of each quarter of the
  /// genes.
  std::uint32_t descriptor_of(std::uint32_t node) const;

private:
  enum class outcome : std::uint8_t { unknown, helped, failed };
  outcome outcome_of(const tree_index& tree, std::uint32_t node) const;
  /// Calls `each(gene, value)` for what the node changed in its parent.
  template <class Each>
  void moves(const tree_index& tree, std::uint32_t node, Each each) const;
  void note_failure(const tree_index& tree, std::uint32_t node);
  void see_ancestors(const tree_index& tree, const expansion& e, const history& past);
  void see_siblings(const tree_index& tree, const expansion& e, const history& past, std::uint8_t* own);
  void change(const expansion& e, std::uint8_t* own, random_source& random) const;

  const gene_landscape* world_;
  std::vector<std::uint8_t> vectors_; ///< by node
  std::vector<std::uint8_t> failed_;  ///< moves not to be made again: genes * values
  std::vector<std::uint8_t> kept_;    ///< genes that helped
};

} // namespace ke
