#include "runtime/search/campaign/campaign_fold.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal_configured.hpp"
#include "runtime/core/journal_retrieved.hpp"
#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/search/campaign/dispatchers.hpp"

#include <algorithm>
#include <cstddef>

namespace ke {

namespace {

template <class Record>
status decode_and_apply(campaign_fold& fold, const std::string& body) {
  auto r = unpack<Record>(body);
  return r ? fold.apply(*r) : status{r.error()};
}

/// Books what a step has made.
void note_step(campaign_state& books, const std::vector<expansion>& made) {
  auto tuned = static_cast<std::uint32_t>(std::count_if(
      made.begin(), made.end(), [](const auto& x) { return x.operation == operation_kind::tune; }));
  books.stepped(static_cast<std::uint32_t>(made.size()) - tuned, tuned);
}

/// What a prompt was given besides the tree: by sub-agents, and from the knowledge base.
status apply_advice(campaign_fold& fold, const journal_record& record) {
  if (record.kind == journal_kind::consulted)
    return decode_and_apply<journal_agent_asked>(fold, record.body);
  if (record.kind == journal_kind::advised)
    return decode_and_apply<journal_agent_replied>(fold, record.body);
  return decode_and_apply<journal_retrieved>(fold, record.body);
}

} // namespace

status campaign_fold::apply(const journal_record& record) {
  ++records_;
  books_.wall(record.wall_ms);
  switch (record.kind) {
  case journal_kind::configured:
    return decode_and_apply<journal_configured>(*this, record.body);
  case journal_kind::session:
    return decode_and_apply<journal_session>(*this, record.body);
  case journal_kind::stepped:
    return decode_and_apply<journal_stepped>(*this, record.body);
  case journal_kind::asked:
    return decode_and_apply<journal_asked>(*this, record.body);
  case journal_kind::replied:
    return decode_and_apply<journal_replied>(*this, record.body);
  case journal_kind::judged:
    return decode_and_apply<journal_judged>(*this, record.body);
  case journal_kind::ended:
    return decode_and_apply<journal_ended>(*this, record.body);
  case journal_kind::steered:
    return decode_and_apply<journal_steered>(*this, record.body);
  case journal_kind::finished:
    return decode_and_apply<journal_finished>(*this, record.body);
  case journal_kind::failed_request:
    return decode_and_apply<journal_failed_request>(*this, record.body);
  case journal_kind::claimed:
    return decode_and_apply<journal_claimed>(*this, record.body);
  case journal_kind::seeded:
    return decode_and_apply<journal_seeded>(*this, record.body);
  case journal_kind::consulted:
  case journal_kind::advised:
  case journal_kind::retrieved:
    return apply_advice(*this, record);
  case journal_kind::admitted:
    return decode_and_apply<journal_admitted>(*this, record.body);
  case journal_kind::validated:
    return decode_and_apply<journal_validated>(*this, record.body);
  }
  return failure{failure_kind::newer_version,
                 "journal: a record of unknown kind was written by a newer ke-runtime; use that version"};
}

result<search_tree*> campaign_fold::tree(std::uint32_t number) {
  if (number < trees_.size())
    return &trees_[number];
  return failure{failure_kind::corrupt, "journal: a record names tree " + std::to_string(number) + " of " +
                                            std::to_string(trees_.size()) + "; run `ke-runtime store check`"};
}

status campaign_fold::apply(const journal_configured& r) {
  if (trees_.empty()) {
    for (std::uint32_t t = 0; t < r.trees.size(); ++t) {
      auto core = search_tree::make(t, r.trees[t], r.settings);
      if (!core)
        return core.error();
      trees_.push_back(std::move(*core));
    }
    if (trees_.empty())
      return failure{failure_kind::invalid, "a campaign needs at least one [[target]]"};
  } else {
    if (r.trees != books_.backends())
      return failure{failure_kind::invalid,
                     "the backends of a campaign cannot change; start a new one with --fresh"};
    for (auto& t : trees_)
      if (auto done = t.configure(r.settings); !done)
        return done;
  }
  books_.configured(r);
  tell_trees();
  return ok;
}

status campaign_fold::apply(const journal_session& r) {
  books_.session(r);
  tell_trees();
  return ok;
}

status campaign_fold::apply(const journal_stepped& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  auto first = (*t)->tree().size();
  if (first != r.first)
    return failure{failure_kind::corrupt, "journal: tree " + std::to_string(r.tree) + " stepped from node " +
                                              std::to_string(r.first) + ", but the records before it make " +
                                              std::to_string(first) + " nodes; run `ke-runtime store check`"};
  note_step(books_, (*t)->step(r.count, {r.most_written, r.most_tuned}));
  return ok;
}

result<std::pair<std::vector<expansion>, journal_stepped>> campaign_fold::step(std::uint32_t number,
                                                                               std::uint32_t count) {
  auto t = tree(number);
  if (!t)
    return t.error();
  auto most = [&](std::uint64_t left) { return left < count ? static_cast<std::uint32_t>(left) : no_limit; };
  journal_stepped record{number, count, (*t)->tree().size(), most(books_.money().candidates_left()),
                         most(books_.tune_left())};
  auto made = (*t)->step(count, {record.most_written, record.most_tuned});
  note_step(books_, made);
  return std::pair{std::move(made), record};
}

status campaign_fold::apply(const journal_seeded& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  auto dispatcher = (*t)->tree().size() > 1;
  auto done = (*t)->apply(r);
  if (done && dispatcher)
    books_.stepped(0, 1);
  return done;
}

status campaign_fold::apply(const journal_asked& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  auto done = (*t)->apply(r);
  if (done)
    books_.asked(r.reserved);
  return done;
}

status campaign_fold::apply(const journal_failed_request& r) {
  std::string model;
  if (r.attempt > agent_attempts) {
    if (const auto* call = books_.agent_call(r.attempt - agent_attempts))
      model = call->model;
  } else {
    auto t = tree(r.tree);
    if (!t)
      return t.error();
    if (auto call = (*t)->call(r.node, r.attempt))
      model = std::move(call->model);
    if (!model.empty() && r.usage.usd > 0)
      (*t)->lost(model, r.usage.usd);
  }
  books_.failed_request(r, model);
  tell_trees();
  return ok;
}

status campaign_fold::apply(const journal_replied& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  auto call = (*t)->call(r.node, r.attempt);
  auto done = (*t)->apply(r);
  if (done) {
    books_.replied(r, call);
    tell_trees();
  }
  return done;
}

/// Tells the trees which models are set aside: none of them chooses one of these.
void campaign_fold::tell_trees() {
  for (auto& t : trees_)
    t.set_aside(books_.set_aside());
}

status campaign_fold::apply(const journal_agent_asked& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  if (r.number != books_.next_agent_call())
    return failure{failure_kind::corrupt,
                   "journal: a sub-agent's call has number " + std::to_string(r.number) + " where " +
                       std::to_string(books_.next_agent_call()) + " is due; run `ke-runtime store check`"};
  books_.consulted(r);
  return ok;
}

status campaign_fold::apply(const journal_agent_replied& r) {
  if (books_.advised(r))
    return ok;
  return failure{failure_kind::corrupt, "journal: a sub-agent's call " + std::to_string(r.number) +
                                            " ended that was not out; run `ke-runtime store check`"};
}

template <class Record>
status campaign_fold::apply_to_node(const Record& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  auto& core = **t;
  auto open = r.node < core.tree().size() && is_open(core.tree()[r.node].state);
  if (auto done = core.apply(r); !done)
    return done;
  const auto& row = core.tree()[r.node];
  if (!open || is_open(row.state))
    return ok;
  auto score = row.score >= 0 ? std::optional{row.score} : std::nullopt;
  auto tuned = row.operation == operation_kind::tune || is_dispatcher(row);
  // A mean above 1 is called slower only where a workload lies below the goal's floor: no claim can follow,
  // so it is no gain, and whatever keeps the floor is better.
  if (score && *score > 1 && row.decision == timing_decision::slower && core.tree().targets() == 1)
    score = 0;
  if constexpr (std::is_same_v<Record, journal_judged>)
    // With several targets one verdict's share of its machine says nothing of the others'.
    books_.ended(r.tree, r.node, row.state, score, r.noise,
                 core.tree().targets() == 1 ? r.roofline : std::nullopt, tuned);
  else
    books_.ended(r.tree, r.node, row.state, score, 0, {}, tuned);
  return ok;
}

status campaign_fold::apply(const journal_judged& r) {
  books_.judged(r.device_s);
  return apply_to_node(r);
}

status campaign_fold::apply(const journal_ended& r) {
  return apply_to_node(r);
}

status campaign_fold::apply(const journal_steered& r) {
  books_.steered(r);
  tell_trees();
  return ok;
}

status campaign_fold::apply(const journal_claimed& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  const auto& index = (*t)->tree();
  if (r.node == 0 || r.node >= index.size())
    return failure{failure_kind::corrupt, "journal: a claim on node " + std::to_string(r.node) + " of " +
                                              std::to_string(index.size()) +
                                              "; run `ke-runtime store check`"};
  books_.claimed(r, index.targets(), std::max(0.0, index[r.node].score));
  return ok;
}

status campaign_fold::apply(const journal_validated& r) {
  if (auto t = tree(r.there.tree); !t)
    return t.error();
  books_.validated(r);
  return ok;
}

status campaign_fold::apply(const journal_admitted& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  books_.admitted(r);
  return ok;
}

status campaign_fold::apply(const journal_retrieved& r) {
  auto t = tree(r.tree);
  if (!t)
    return t.error();
  auto nodes = (*t)->tree().size();
  if (r.node == 0 || r.node >= nodes || r.diagnosed >= nodes)
    return failure{failure_kind::corrupt, "journal: documents were chosen for node " +
                                              std::to_string(r.node) + " of " + std::to_string(nodes) +
                                              "; run `ke-runtime store check`"};
  return ok;
}

status campaign_fold::apply(const journal_finished& r) {
  books_.finished(r);
  return ok;
}

std::map<std::string, std::uint64_t> campaign_fold::states() const {
  std::map<std::string, std::uint64_t> all;
  for (const auto& t : trees_)
    for (std::size_t s = 0; s < names_of<node_state>::value.size(); ++s)
      if (auto n = t.tree().count(static_cast<node_state>(s)))
        all[std::string{names_of<node_state>::value[s]}] += n;
  return all;
}

std::uint64_t campaign_fold::ended() const {
  std::uint64_t n = 0;
  for (const auto& t : trees_)
    n += t.tree().ended();
  return n;
}

std::vector<std::pair<std::uint32_t, open_call>> campaign_fold::open_calls() const {
  std::vector<std::pair<std::uint32_t, open_call>> all;
  for (const auto& t : trees_)
    for (auto& call : t.open_calls())
      all.emplace_back(t.number(), std::move(call));
  return all;
}

campaign_row campaign_fold::row(std::uint32_t id) const {
  campaign_row r;
  r.id = id;
  r.name = books_.settings().name;
  const auto& reason = books_.finished_reason();
  r.state = !reason.empty() ? "finished" : books_.paused() ? "paused" : "running";
  r.stop_reason = reason;
  r.problem_digest = books_.problem_digest();
  r.wall_ms = books_.money().wall_ms();
  auto best = books_.published_best();
  r.best_tree = best.tree;
  r.best_node = best.node;
  r.best_score = best.score;
  r.requests = books_.requests();
  r.spend = books_.spend();
  r.device_s = books_.money().spent().device_s();
  r.failures = books_.failures();
  r.states = states();
  r.trees = books_.backends();
  r.agent_calls = books_.agent_calls();
  r.agent_spend = books_.agent_spend();
  r.tuned = books_.tuned();
  r.estimated = books_.estimated();
  r.unheard = books_.unheard();
  return r;
}

std::string campaign_fold::image(std::uint64_t records) const {
  image_writer out;
  std::size_t size = 1 << 16;
  for (const auto& t : trees_)
    size += t.bytes();
  out.reserve(size);
  books_.save(out);
  out.value(records);
  out.value<std::uint64_t>(trees_.size());
  for (const auto& t : trees_)
    t.save(out);
  return out.take();
}

result<campaign_fold> campaign_fold::from_image(std::string_view bytes) {
  image_reader in{bytes};
  campaign_fold fold;
  fold.books_.load(in);
  fold.records_ = in.value<std::uint64_t>();
  auto trees = in.value<std::uint64_t>();
  for (std::uint64_t t = 0; in.good() && t < trees; ++t) {
    auto core = search_tree::load(in, fold.books_.settings());
    if (!core)
      return core.error();
    fold.trees_.push_back(std::move(*core));
  }
  fold.tell_trees();
  if (!in.good() || !in.at_end())
    return failure{failure_kind::corrupt, "the image of a campaign is incomplete"};
  return fold;
}

std::string campaign_fold::image_layout() {
  std::string text = "10";
  for (auto number :
       {sizeof(tree_row), offsetof(tree_row, value), offsetof(tree_row, state), offsetof(tree_row, ahead),
        sizeof(ledger), sizeof(campaign_state::winner), names_of<node_state>::value.size(),
        names_of<operation_kind>::value.size(), names_of<memory_kind>::value.size(), sizeof(std::size_t)})
    text += "." + std::to_string(number);
  const std::uint16_t order = 1;
  return text + (reinterpret_cast<const char*>(&order)[0] ? "le" : "be");
}

std::string campaign_fold::hash() const {
  std::string trees;
  for (const auto& t : trees_)
    trees += t.hash();
  auto row_bytes = pack(row(0));
  auto spent = pack(books_.money().spent()), held = pack(books_.money().reserved());
  return digest_of_parts({trees, row_bytes, spent, held, std::to_string(books_.progress().ends()),
                          std::to_string(books_.epoch()), std::to_string(books_.in_flight())});
}

} // namespace ke
