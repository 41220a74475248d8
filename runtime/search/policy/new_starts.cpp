#include "runtime/search/policy/new_starts.hpp"

#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"

namespace ke {

void new_starts::set(const search_settings& s) {
  restart_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(s.restart, 0, 1 << 30));
  most_drafts_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(s.drafts, 1, 1 << 20));
}

bool new_starts::begins(const tree_index& tree, bool may) {
  if (!may || restart_ == 0 || first_ != 0 || !whole_.is_over(least_wait, patience()))
    return false;
  first_ = tree.size();
  drafts_ = under_way_ = 0;
  own_ = stall_meter{first_};
  ++starts_;
  return true;
}

bool new_starts::takes_draft(const tree_index& tree) {
  if (!first_ || (drafts_ >= most_drafts_ && !(has_room(tree) && under_way_ < most_drafts_)))
    return false;
  ++drafts_;
  return true;
}

bool new_starts::ended(const tree_index& tree, std::uint32_t node, bool held, bool counts) {
  under_way_ -= held;
  if (!has_verdict(tree[node].state))
    return false;
  stall_meter::end end{.score = tree[node].score, .correct = counts, .node = node, .tree_size = tree.size()};
  whole_.ended(end);
  if (!held || own_.ended(end) || drafts_ < most_drafts_ || !own_.is_over(least_wait_of_start, patience()))
    return false;
  first_ = 0;
  whole_.begin(tree.size());
  return true;
}

void new_starts::save(image_writer& out) const {
  for (auto n : {first_, drafts_, under_way_, starts_})
    out.value(n);
  whole_.save(out);
  own_.save(out);
}

void new_starts::load(image_reader& in) {
  for (auto* n : {&first_, &drafts_, &under_way_, &starts_})
    in.values(n, 1);
  whole_.load(in);
  own_.load(in);
}

} // namespace ke
