#include "runtime/search/policy/model_free_candidates.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/image_codec.hpp"
#include "runtime/core/journal.hpp"

#include <algorithm>
#include <utility>

namespace ke {
namespace {

/// Whether another point may do better than one that ended so.
bool may_tune(node_state state) {
  return state == node_state::correct || state == node_state::noisy || state == node_state::compiled ||
         state == node_state::timeout || state == node_state::resource_exceeded;
}

} // namespace

void model_free_candidates::seeded(const journal_seeded& r) {
  for (const auto& s : r.seeds)
    variants_.push_back({0, 0, operation_kind::seed, s.source_digest, {}, s.plan});
}

void model_free_candidates::answered(std::uint32_t node, std::uint32_t parent, const journal_replied& r) {
  for (const auto& m : r.more)
    variants_.push_back({parent, node, operation_kind::variant, m.source_digest, {}, m.plan});
  auto own = of(node);
  if (!r.space.empty() && (!own || own->operation == operation_kind::variant)) // not a template's own points
    waiting_[node] = {r.source_digest, r.space, r.point};
}

void model_free_candidates::ended(std::uint32_t node, node_state state, std::optional<double> score,
                                  std::uint64_t seed) {
  auto scored = state == node_state::correct ? score : std::nullopt;
  if (auto w = waiting_.find(node); w != waiting_.end()) {
    if (may_tune(state)) {
      tuned_template t{w->second.given, tuner{w->second.space, w->second.point, scored, seed}};
      if (!t.points.done())
        tuned_.emplace(node, std::move(t));
    }
    waiting_.erase(w);
  }
  auto o = open_.find(node);
  if (o == open_.end())
    return;
  if (auto t = tuned_.find(o->second.origin);
      t != tuned_.end() && o->second.operation == operation_kind::tune) {
    t->second.points.ended(o->second.point, scored);
    if (t->second.points.done())
      tuned_.erase(t);
  }
  open_.erase(o);
}

bool model_free_candidates::has_points() const {
  return std::any_of(tuned_.begin(), tuned_.end(), [](const auto& t) { return t.second.points.ready(); });
}

std::optional<model_free_candidate> model_free_candidates::next(bool variants, bool points) {
  if (variants && !variants_.empty()) {
    auto first = std::move(variants_.front());
    variants_.pop_front();
    return first;
  }
  auto at = tuned_.upper_bound(turn_);
  for (std::size_t looked = 0; points && looked < tuned_.size(); ++looked, ++at) {
    if (at == tuned_.end())
      at = tuned_.begin();
    if (auto p = at->second.points.next()) {
      turn_ = at->first;
      return model_free_candidate{at->first,        at->first,     operation_kind::tune,
                                  at->second.given, std::move(*p), {}};
    }
  }
  return std::nullopt;
}

const model_free_candidate* model_free_candidates::of(std::uint32_t node) const {
  auto o = open_.find(node);
  return o == open_.end() ? nullptr : &o->second;
}

void model_free_candidates::save(image_writer& out) const {
  out.packed(std::vector<model_free_candidate>(variants_.begin(), variants_.end()));
  out.value<std::uint64_t>(waiting_.size());
  for (const auto& [node, w] : waiting_) {
    out.value(node);
    out.packed(w.given);
    out.list(w.space);
    out.list(w.point);
  }
  out.value<std::uint64_t>(tuned_.size());
  for (const auto& [node, t] : tuned_) {
    out.value(node);
    out.packed(t.given);
    t.points.save(out);
  }
  out.value(turn_);
  std::vector<std::uint32_t> nodes;
  std::vector<model_free_candidate> what;
  for (const auto& [node, s] : open_) {
    nodes.push_back(node);
    what.push_back(s);
  }
  out.list(nodes);
  out.packed(what);
}

void model_free_candidates::load(image_reader& in) {
  auto variants = in.packed<std::vector<model_free_candidate>>();
  variants_.assign(variants.begin(), variants.end());
  waiting_.clear();
  for (auto n = in.value<std::uint64_t>(); n > 0 && in.good(); --n) {
    auto node = in.value<std::uint32_t>();
    auto given = in.packed<std::string>();
    auto space = in.list<std::uint32_t>();
    waiting_[node] = {std::move(given), std::move(space), in.list<std::uint32_t>()};
  }
  tuned_.clear();
  for (auto n = in.value<std::uint64_t>(); n > 0 && in.good(); --n) {
    auto node = in.value<std::uint32_t>();
    auto given = in.packed<std::string>();
    tuned_.emplace(node, tuned_template{std::move(given), tuner::load(in)});
  }
  turn_ = in.value<std::uint32_t>();
  auto nodes = in.list<std::uint32_t>();
  auto what = in.packed<std::vector<model_free_candidate>>();
  open_.clear();
  for (std::size_t i = 0; i < std::min(nodes.size(), what.size()); ++i)
    open_.emplace(nodes[i], std::move(what[i]));
}

} // namespace ke
