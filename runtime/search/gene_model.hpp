#pragma once

#include "runtime/search/gene_landscape.hpp"
#include "runtime/search/tree_core.hpp"

#include <cstdint>
#include <vector>

namespace ke {

/// A scripted model that writes vectors of genes. It sees what a prompt would show it, no more: the parent,
/// and of the past the nodes that the expansion's memory mode shows (history.hpp), each with the moves (gene,
/// value) that it made on its own parent and whether they helped or failed.
///
///   draft       a random vector
///   otherwise   the parent, one to three genes of it changed at random; with a second parent the new values
///               are taken from that one as long as the two differ
/// A move failed if its node was not correct, or scored less than the nearest scored ancestor; it helped if
/// its node scored more. The model never makes a move that is shown as failed. What is shown as having helped
/// it keeps: such moves of ancestors are not undone, such moves of siblings, and of gains beside the parent
/// where it changed nothing itself, are made as well. Where nothing else is left to change, a kept gene may
/// be, and where every move has failed, any move.
class gene_model {
public:
  explicit gene_model(const gene_landscape& world) : world_{&world} {}

  /// The vector of a node that was just made. Nodes come in the order of their ids.
  const std::uint8_t* write(const tree_index& tree, const expansion& e);

  const std::uint8_t* of(std::uint32_t node) const { return &vectors_[std::size_t{node} * world_->genes]; }
  std::string text_of(std::uint32_t node) const;

  /// Four coarse properties of a vector, a byte each, from 0 to 3: the mean value of each quarter of the
  /// genes.
  std::uint32_t descriptor_of(std::uint32_t node) const;

private:
  enum class outcome : std::uint8_t { unknown, helped, failed };
  outcome outcome_of(const tree_index& tree, std::uint32_t node) const;

  const gene_landscape* world_;
  std::vector<std::uint8_t> vectors_; ///< by node
  std::vector<std::uint8_t> failed_;  ///< moves that are not made again: genes * values
  std::vector<std::uint8_t> kept_;    ///< genes that helped
};

} // namespace ke
