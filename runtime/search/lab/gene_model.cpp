#include "runtime/search/lab/gene_model.hpp"

#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/search/index/history.hpp"

#include <algorithm>

namespace ke {

gene_model::outcome gene_model::outcome_of(const tree_index& tree, std::uint32_t node) const {
  const auto& row = tree[node];
  if (row.parent == 0)
    return outcome::unknown; // a draft made no move
  if (!has_verdict(row.state))
    return outcome::unknown;
  if (row.state != node_state::correct)
    return outcome::failed;
  auto before = row.parent;
  while (before != 0 && tree[before].state != node_state::correct)
    before = tree[before].parent;
  if (before == 0 || row.score == tree[before].score)
    return outcome::unknown;
  return row.score > tree[before].score ? outcome::helped : outcome::failed;
}

template <class Each>
void gene_model::moves(const tree_index& tree, std::uint32_t node, Each each) const {
  const auto *to = of(node), *from = of(tree[node].parent);
  for (std::uint32_t g = 0; g < world_->genes; ++g)
    if (to[g] != from[g])
      each(g, to[g]);
}

void gene_model::note_failure(const tree_index& tree, std::uint32_t node) {
  if (outcome_of(tree, node) == outcome::failed)
    moves(tree, node, [&](auto g, auto v) { failed_[g * world_->values + v] = 1; });
}

/// Helpful moves that the parent still has are kept.
void gene_model::see_ancestors(const tree_index& tree, const expansion& e, const history& past) {
  const auto* parent = of(e.parent);
  auto see = [&](std::uint32_t a) {
    note_failure(tree, a);
    if (outcome_of(tree, a) == outcome::helped)
      moves(tree, a, [&](auto g, auto v) { kept_[g] |= parent[g] == v; });
  };
  see(e.parent);
  for (auto a : past.ancestors)
    see(a);
}

/// Helpful moves of siblings, and of gaining uncles, are made.
void gene_model::see_siblings(const tree_index& tree, const expansion& e, const history& past,
                              std::uint8_t* own) {
  std::vector<std::uint32_t> helpers;
  for (auto s : past.siblings) {
    note_failure(tree, s);
    if (outcome_of(tree, s) == outcome::helped)
      helpers.push_back(s);
  }
  order_stably(helpers, [&](auto a, auto b) { return tree[a].score > tree[b].score; });
  std::vector<std::uint8_t> taken(world_->genes, 0); // of two values for one gene, that of the better sibling
  for (auto s : helpers)
    moves(tree, s, [&](auto g, auto v) {
      if (!taken[g])
        own[g] = v;
      taken[g] = kept_[g] = 1;
    });
  // What gained beside the parent is taken over where the parent itself has changed nothing.
  const auto *parent = of(e.parent), *above = of(tree[e.parent].parent);
  for (auto b : past.uncles)
    moves(tree, b, [&](auto g, auto v) {
      if (taken[g] || parent[g] != above[g] || failed_[g * world_->values + v])
        return;
      own[g] = v;
      taken[g] = kept_[g] = 1;
    });
}

/// One to three genes at random, as far as what was seen allows.
void gene_model::change(const expansion& e, std::uint8_t* own, random_source& random) const {
  const std::uint8_t* other = e.parent2 == no_node || e.parent2 == 0 ? nullptr : of(e.parent2);
  struct move {
    std::uint32_t gene;
    std::uint8_t value;
  };
  std::vector<move> open;
  auto gather = [&](bool keep, bool avoid, const std::uint8_t* from) {
    open.clear();
    for (std::uint32_t g = 0; g < world_->genes; ++g)
      for (std::uint32_t v = 0; v < world_->values; ++v)
        if (v != own[g] && !(keep && kept_[g]) && !(avoid && failed_[g * world_->values + v]) &&
            (!from || from[g] == v))
          open.push_back({g, static_cast<std::uint8_t>(v)});
    return !open.empty();
  };
  if (!(other && gather(true, true, other)) && !gather(true, true, nullptr) && !gather(false, true, nullptr))
    gather(false, false, nullptr);
  for (auto changes = 1 + random.below(3); changes > 0 && !open.empty(); --changes) {
    auto m = open[random.below(open.size())];
    own[m.gene] = m.value;
    std::erase_if(open, [&](const auto& x) { return x.gene == m.gene; });
  }
}

const std::uint8_t* gene_model::write(const tree_index& tree, const expansion& e) {
  const auto genes = world_->genes, values = world_->values;
  random_source random{e.seed, 3};
  vectors_.resize((std::size_t{e.node} + 1) * genes);
  auto* own = &vectors_[std::size_t{e.node} * genes];
  if (e.operation == operation_kind::draft || e.parent == 0) {
    for (std::uint32_t g = 0; g < genes; ++g)
      own[g] = static_cast<std::uint8_t>(random.below(values));
    return own;
  }
  std::copy_n(of(e.parent), genes, own);
  failed_.assign(std::size_t{genes} * values, 0);
  kept_.assign(genes, 0);
  auto past = history_of(tree, e.parent, e.node);
  if (shows_ancestors(e.memory))
    see_ancestors(tree, e, past);
  if (shows_siblings(e.memory))
    see_siblings(tree, e, past, own);
  change(e, own, random);
  return own;
}

std::string gene_model::text_of(std::uint32_t node) const {
  std::string text;
  for (std::uint32_t g = 0; g < world_->genes; ++g)
    text += std::to_string(of(node)[g]) + " ";
  return text;
}

std::uint32_t gene_model::descriptor_of(std::uint32_t node) const {
  std::uint32_t sum[4] = {}, count[4] = {};
  for (std::uint32_t g = 0; g < world_->genes; ++g) {
    auto quarter = g * 4 / world_->genes;
    sum[quarter] += of(node)[g];
    ++count[quarter];
  }
  std::uint32_t all = 0;
  for (unsigned q = 0; q < 4; ++q)
    if (count[q])
      all |= std::min(3u, sum[q] * 4 / (count[q] * world_->values)) << (8 * q);
  return all;
}

} // namespace ke
