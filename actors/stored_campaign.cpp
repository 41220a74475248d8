#include "actors/stored_campaign.hpp"

#include "runtime/core/codec.hpp"

#include <set>

namespace ke {

result<std::shared_ptr<stored_campaign>> read_stored_campaign(const store_reader& store, std::uint32_t id) {
  auto s = std::make_shared<stored_campaign>();
  auto row = store.row<campaign_row>(table::campaigns, key_of(id));
  if (!row)
    return row.error();
  s->row = std::move(*row);
  status folded = ok;
  auto read = store.journal(id, 0, [&](std::uint64_t sequence, const journal_record& record) {
    folded = s->fold.apply(record);
    if (!folded)
      folded = failure{folded.error().kind, "campaign " + s->row.name + ", journal record " + std::to_string(sequence) + ": " + folded.error().text};
    s->wall_ms = record.wall_ms;
    return static_cast<bool>(folded);
  });
  if (!read)
    return read.error();
  if (!folded)
    return folded.error();
  auto bytes = store.blob(s->row.problem_digest);
  if (!bytes)
    return bytes.error();
  auto p = unpack<problem>(*bytes);
  if (!p)
    return p.error();
  s->problem = std::make_shared<const problem>(std::move(*p));
  for (const auto& tree : s->fold.trees())
    for (auto node : tree.open_nodes()) {
      node_key n{id, tree.number(), node};
      if (auto r = store.row<node_row>(table::nodes, key_of(n.campaign, n.tree, n.node))) {
        s->rows[n] = std::move(*r);
      } else { // planned only: its row is not written before it is asked
        auto what = tree.expansion_of(node);
        s->rows[n].parents = {what.parent};
        s->rows[n].model = what.model;
        s->rows[n].memory = what.memory;
      }
    }
  for (const auto& [t, call] : s->fold.open_calls()) {
    node_key n{id, t, call.node};
    auto stored = store.row<call_row>(table::calls, key_of(n.campaign, n.tree, n.node, call.attempt));
    if (stored && !stored->open)
      if (auto body = store.blob(stored->reply_digest))
        s->replies[n] = std::move(*body);
  }
  return s;
}

result<campaign_row> find_campaign(const store_reader& store, const std::string& name) {
  auto all = store.campaigns();
  if (!all)
    return all.error();
  const campaign_row* newest = nullptr;
  std::set<std::string> names;
  for (const auto& c : *all) {
    names.insert(c.name);
    if (name.empty() || c.name == name)
      newest = &c;
  }
  if (name.empty() && names.size() > 1) {
    std::string list;
    for (const auto& n : names)
      list += (list.empty() ? "" : ", ") + n;
    return failure{failure_kind::invalid, "the store " + store.dir() + " holds several campaigns; name one with --campaign: " + list};
  }
  if (!newest)
    return failure{failure_kind::not_found,
                   name.empty() ? "the store " + store.dir() + " holds no campaign" : "the store " + store.dir() + " holds no campaign named " + name};
  return *newest;
}

} // namespace ke
