#include "runtime/search/campaign/search_tree.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/image_codec.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/search/policy/cells.hpp"

#include <algorithm>
#include <cstring>

namespace ke {

namespace {

std::uint32_t targets_of(const campaign_settings& s, const std::string& backend) {
  auto n =
      std::count_if(s.targets.begin(), s.targets.end(), [&](const auto& t) { return t.backend == backend; });
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(n, 1));
}

/// The first reaction to a stall is a new start, so it comes when half of the patience is spent that [budget]
/// stall allows before the campaign ends.
search_settings search_of(const campaign_settings& s) {
  auto search = s.search;
  if (s.budget.stall_candidates > 0 && search.restart > 0)
    search.restart = std::min(search.restart, std::max<std::int64_t>(s.budget.stall_candidates / 2, 1));
  return search;
}

template <class T>
void put(std::string& bytes, T x) {
  char raw[sizeof x];
  std::memcpy(raw, &x, sizeof x);
  bytes.append(raw, sizeof x);
}

} // namespace

search_tree::search_tree(std::uint32_t tree, std::string backend, const campaign_settings& s,
                         std::unique_ptr<policy> p, ensemble e)
    : number_{tree}, backend_{std::move(backend)}, seed_{s.seed}, settings_{search_of(s)},
      tree_{targets_of(s, backend_), s.goal.target_speedup}, policy_{std::move(p)}, random_{s.seed, tree},
      ensemble_{std::move(e)} {}

result<search_tree> search_tree::make(std::uint32_t tree, const std::string& backend,
                                      const campaign_settings& settings) {
  auto p = make_policy(search_of(settings));
  if (!p)
    return p.error();
  auto e = ensemble::make(settings.search.ensemble, settings.models);
  if (!e)
    return e.error();
  return search_tree{tree, backend, settings, std::move(*p), std::move(*e)};
}

status search_tree::configure(const campaign_settings& settings) {
  if (settings.search.policy != settings_.policy || settings.search.rule != settings_.rule)
    return failure{failure_kind::invalid,
                   "[search] policy and rule cannot change within a campaign; start a new one with --fresh"};
  if (targets_of(settings, backend_) != tree_.targets())
    return failure{failure_kind::invalid,
                   "the [[target]]s of backend " + backend_ +
                       " cannot change within a campaign; start a new one with --fresh"};
  if (auto done = ensemble_.configure(settings.search.ensemble, settings.models); !done)
    return done;
  settings_ = search_of(settings);
  tree_.goal(settings.goal.target_speedup);
  policy_->configure(settings_, tree_);
  return ok;
}

bool search_tree::may_choose() const {
  constexpr std::uint64_t at_first = 4;
  auto open = tree_.in_flight(), ended = tree_.size() - 1 - open;
  return settings_.ramp <= 0 || open < at_first + ended / static_cast<std::uint64_t>(settings_.ramp);
}

std::vector<expansion> search_tree::step(std::uint32_t count, step_limits most) {
  std::vector<expansion> made;
  while (made.size() < count) {
    if (auto given = model_free_.next(most.written > 0, most.tuned > 0)) { // paid for already
      --(given->operation == operation_kind::tune ? most.tuned : most.written);
      made.push_back(follow(std::move(*given)));
      continue;
    }
    auto choice = most.written > 0 && may_choose() ? policy_->select(tree_, random_) : std::nullopt;
    if (!choice)
      break;
    --most.written;
    auto situation = memory_situation(choice->operation, tree_[choice->parent], stall_);
    auto memory = choose_memory(settings_.memory, choice->operation, situation,
                                tree_[choice->parent].depth > 1, memories_, since_clean_, random_);
    auto is_draft = choice->operation == operation_kind::draft;
    if (!is_draft)
      memories_.chosen(memory);
    since_clean_ = memory == memory_kind::clean && !is_draft ? 0 : since_clean_ + 1;
    auto model = intern(ensemble_.choose(random_));
    auto node = tree_.add_child(choice->parent, choice->operation, choice->parent2);
    tree_.edit(node).memory = memory;
    tree_.edit(node).situation = situation;
    // More than 256 model names in one campaign: the last ones share the first one's label.
    tree_.edit(node).model = model ? *model : 0;
    open_.insert(node);
    policy_->added(tree_, node);
    made.push_back({node, choice->parent, choice->parent2, choice->operation, choice->draft,
                    models_[tree_[node].model], memory, seed_of(node)});
  }
  return made;
}

expansion search_tree::follow(model_free_candidate what) {
  auto node = tree_.add_child(what.parent, what.operation);
  const auto& origin = tree_[what.origin];
  auto& row = tree_.edit(node);
  row.memory = origin.memory;
  row.model = origin.model;
  if (what.operation == operation_kind::seed) // no model of this campaign made it
    if (auto none = intern({}))
      row.model = *none;
  open_.insert(node);
  model_free_.made(node, std::move(what));
  policy_->added(tree_, node);
  return expansion_of(node);
}

status search_tree::check(std::uint32_t tree, std::uint32_t node, const char* what) const {
  if (tree == number_ && node > 0 && node < tree_.size())
    return ok;
  return failure{failure_kind::corrupt, std::string{"journal: "} + what + " names node " +
                                            std::to_string(node) + " of tree " + std::to_string(tree) +
                                            ", which has " + std::to_string(tree_.size()) +
                                            " nodes; run `ke-runtime store check`"};
}

result<std::uint8_t> search_tree::intern(const std::string& model) {
  auto at = std::find(models_.begin(), models_.end(), model);
  if (at == models_.end()) {
    if (models_.size() == 256)
      return failure{failure_kind::invalid, "a campaign can name at most 256 models"};
    at = models_.insert(models_.end(), model);
  }
  return static_cast<std::uint8_t>(at - models_.begin());
}

status search_tree::apply(const journal_asked& r) {
  if (auto fine = check(r.tree, r.node, "asked"); !fine)
    return fine;
  auto& row = tree_.edit(r.node);
  if (auto model = intern(r.model); model && *model != row.model) {
    ensemble_.moved(models_[row.model], r.model);
    row.model = *model;
  }
  row.attempts = static_cast<std::uint16_t>(std::min<std::uint32_t>(row.attempts + 1u, 0xffff));
  tree_.progress(r.node, node_state::asked);
  calls_[{r.node, r.attempt}] = {r.node, r.attempt, r.model, r.prompt_digest, r.reserved};
  return ok;
}

status search_tree::apply(const journal_replied& r) {
  if (auto fine = check(r.tree, r.node, "replied"); !fine)
    return fine;
  if (auto call = calls_.find({r.node, r.attempt}); call != calls_.end()) {
    if (r.usage.output_tokens > 0 || r.usage.usd > 0)
      ensemble_.paid(call->second.model, r.usage.usd);
    calls_.erase(call);
  }
  if (r.kind != failure_kind::none || r.unknown || !is_open(tree_[r.node].state))
    return ok;
  tree_.progress(r.node, node_state::answered);
  tree_.describe(r.node, r.descriptor);
  model_free_.answered(r.node, tree_[r.node].parent, r);
  if (!r.normalised_digest.empty())
    filter_.note(r.normalised_digest, r.node);
  if (!r.form_digest.empty())
    forms_.note(r.form_digest, r.node);
  return ok;
}

std::optional<std::uint32_t> search_tree::first_like(const std::string& normalised_digest,
                                                     const std::string& form_digest) const {
  auto same = filter_.find(normalised_digest);
  auto alike = form_digest.empty() ? std::nullopt : forms_.find(form_digest);
  return same && alike ? std::min(*same, *alike) : same ? same : alike;
}

status search_tree::apply(const journal_seeded& r) {
  if (r.tree == number_ && tree_.size() == 1) {
    model_free_.seeded(r);
    return ok;
  }
  // A dispatcher, and what it is put together from.
  std::vector<std::uint32_t> parts;
  for (std::size_t i = 1; i < r.seeds.size(); ++i)
    if (auto part = filter_.find(r.seeds[i].source_digest))
      parts.push_back(*part);
  if (r.tree != number_ || parts.empty() || parts.size() + 1 != r.seeds.size())
    return failure{failure_kind::corrupt,
                   "journal: tree " + std::to_string(r.tree) +
                       " gets a candidate of parts that it does not have; run `ke-runtime store check`"};
  constexpr auto made = operation_kind::seed;
  auto node = tree_.add_child(parts.front(), made, parts.size() > 1 ? parts[1] : no_node);
  if (auto none = intern({})) // no model made it
    tree_.edit(node).model = *none;
  open_.insert(node);
  model_free_.made(
      node, {parts.front(), parts.front(), made, r.seeds.front().source_digest, {}, r.seeds.front().plan});
  policy_->added(tree_, node);
  return ok;
}

status search_tree::apply(const journal_judged& r) {
  if (auto fine = check(r.tree, r.node, "judged"); !fine)
    return fine;
  if (r.duplicate_of != no_node && is_open(tree_[r.node].state))
    tree_.edit(r.node).duplicate = 1;
  if (r.target == 0 && is_open(tree_[r.node].state))
    tree_.measure(r.node, bins_of(r.bottleneck, r.roofline));
  if (tree_.judge(r.node, r.target, state_of(r.state), r.decision, r.score))
    closed(r.node);
  return ok;
}

status search_tree::apply(const journal_ended& r) {
  if (auto fine = check(r.tree, r.node, "ended"); !fine)
    return fine;
  if (tree_.end(r.node, r.state))
    closed(r.node);
  return ok;
}

void search_tree::closed(std::uint32_t node) {
  open_.erase(node);
  policy_->ended(tree_, node);
  auto score = tree_[node].score;
  model_free_.ended(node, tree_[node].state, score >= 0 ? std::optional{score} : std::nullopt, seed_of(node));
  learn(node);
  if (tree_.best() == node)
    stall_.begin();
  else
    stall_.ended({.counts = has_verdict(tree_[node].state)});
}

void search_tree::close(std::uint32_t node) {
  tree_.edit(node).state = node_state::poisoned;
  policy_->ended(tree_, node);
}

/// Learns from a node's end about the model and the memory mode. An end by the machine's fault, or by a
/// person, teaches nothing.
void search_tree::learn(std::uint32_t node) {
  const auto& row = tree_[node];
  if (asks_nobody(row.operation))
    return;
  const auto& model = models_[row.model];
  if (row.state == node_state::cancelled || row.state == node_state::harness_error ||
      row.state == node_state::unfit_problem)
    return ensemble_.withdrawn(model);
  auto scored = row.state == node_state::correct && row.score > 0 && !row.duplicate;
  auto before = tree_.score_before(node);
  ensemble_.completed(model, scored ? row.score / std::max({before, 1.0}) - 1 : 0);
  if (row.operation != operation_kind::draft && has_verdict(row.state))
    memories_.finished(row.situation, row.memory, scored && row.score > before);
}

hot_row search_tree::row(std::uint32_t node) const {
  const auto& r = tree_[node];
  return {r.parent, tree_.parent2(node), r.state, r.decision, r.depth, r.visits, r.value, r.score};
}

std::uint64_t search_tree::seed_of(std::uint32_t node) const {
  // 53 bits: the seed stands in the prompt's JSON, where larger integers lose digits.
  return mix(mix(seed_) ^ mix(std::uint64_t{number_} << 32 | node)) >> 11;
}

expansion search_tree::expansion_of(std::uint32_t node) const {
  const auto& r = tree_[node];
  std::uint32_t draft = 0;
  if (r.operation == operation_kind::draft) {
    draft = tree_[r.parent].children - 1; // counted from the youngest: open nodes are near it
    for (auto c = tree_[r.parent].first_child; c != node; c = tree_[c].next_sibling)
      --draft;
  }
  expansion e{node,     r.parent,     tree_.parent2(node), r.operation, draft, models_[r.model],
              r.memory, seed_of(node)};
  if (auto* s = model_free_.of(node)) {
    e.given = s->given;
    e.point = s->point;
    e.plan = s->plan;
  }
  return e;
}

std::vector<std::uint32_t> search_tree::open_nodes() const {
  return {open_.begin(), open_.end()};
}

std::vector<open_call> search_tree::open_calls() const {
  std::vector<open_call> all;
  all.reserve(calls_.size());
  for (const auto& [key, call] : calls_)
    all.push_back(call);
  return all;
}

std::optional<open_call> search_tree::call(std::uint32_t node, std::uint32_t attempt) const {
  auto c = calls_.find({node, attempt});
  return c == calls_.end() ? std::nullopt : std::optional{c->second};
}

void search_tree::save(image_writer& out) const {
  out.value(number_);
  out.packed(backend_);
  out.value(seed_);
  tree_.save(out);
  out.value(random_.position());
  out.packed(ensemble_.records());
  stall_.save(out);
  out.value(since_clean_);
  out.value(memories_);
  out.packed(models_);
  out.packed(open_calls());
  out.list(open_nodes());
  filter_.save(out);
  forms_.save(out);
  model_free_.save(out);
  policy_->save(out);
}

result<search_tree> search_tree::load(image_reader& in, const campaign_settings& settings) {
  auto number = in.value<std::uint32_t>();
  auto backend = in.packed<std::string>();
  auto made = make(number, backend, settings);
  if (!made)
    return made.error();
  auto& core = *made;
  core.seed_ = in.value<std::uint64_t>();
  core.random_ = random_source{core.seed_, number};
  core.tree_.load(in);
  core.random_.seek(in.value<std::uint64_t>());
  core.ensemble_.records(in.packed<std::map<std::string, model_record>>());
  core.stall_.load(in);
  core.since_clean_ = in.value<std::uint32_t>();
  core.memories_ = in.value<memory_record>();
  core.models_ = in.packed<std::vector<std::string>>();
  for (auto& call : in.packed<std::vector<open_call>>()) {
    auto key = std::pair{call.node, call.attempt};
    core.calls_.emplace(key, std::move(call));
  }
  for (auto node : in.list<std::uint32_t>())
    core.open_.insert(core.open_.end(), node);
  core.filter_.load(in);
  core.forms_.load(in);
  core.model_free_.load(in);
  core.policy_->load(in);
  if (!in.good() || (!core.open_.empty() && *core.open_.rbegin() >= core.tree_.size()))
    return failure{failure_kind::corrupt, "the image of tree " + std::to_string(number) + " is incomplete"};
  for (auto node : core.open_) { // a node that was being built or measured has to be sent there again
    bool judged = false;
    for (std::uint32_t t = 0; t < core.tree_.targets(); ++t)
      judged = judged || core.tree_.judged(node, t);
    if (auto state = core.tree_[node].state;
        state == node_state::building || (state == node_state::measuring && !judged))
      core.tree_.progress(node, node_state::answered);
  }
  core.policy_->adopt(core.tree_);
  return made;
}

namespace {

/// What a node is to `hash`: on its way to a verdict it counts as answered, wherever it is.
void put_row(std::string& bytes, const tree_index& tree, std::uint32_t node) {
  const auto& r = tree[node];
  put(bytes, r.parent);
  put(bytes, tree.parent2(node));
  put(bytes, r.visits);
  put(bytes, r.in_flight);
  put(bytes, r.value);
  put(bytes, r.score);
  put(bytes, r.attempts);
  auto state =
      r.state == node_state::building || r.state == node_state::measuring ? node_state::answered : r.state;
  put(bytes, state);
  put(bytes, r.decision);
  put(bytes, r.operation);
  put(bytes, r.memory);
  put(bytes, static_cast<std::uint8_t>(r.situation));
  put(bytes, static_cast<std::uint8_t>(r.duplicate));
  put(bytes, tree.descriptor(node));
  put(bytes, tree.measured(node));
}

} // namespace

std::string search_tree::hash() const {
  std::string sum = digest_of_parts(
      {backend_, std::to_string(number_), std::to_string(tree_.targets()), std::to_string(tree_.size())});
  std::string bytes;
  for (std::uint32_t node = 0; node < tree_.size(); ++node) {
    const auto& r = tree_[node];
    put_row(bytes, tree_, node);
    bytes += r.model < models_.size() && node ? models_[r.model] : std::string{};
    put(bytes, '\0');
    for (std::uint32_t t = 0; tree_.targets() > 1 && t < tree_.targets(); ++t)
      put(bytes, tree_.score(node, t).value_or(-1));
    if (bytes.size() > 1u << 20) {
      sum = digest_of_parts({sum, bytes});
      bytes.clear();
    }
  }
  put(bytes, random_.key());
  put(bytes, random_.position());
  put(bytes, stall_.ends());
  put(bytes, since_clean_);
  put(bytes, filter_.size());
  put(bytes, forms_.size());
  bytes += pack(ensemble_.records());
  put(bytes, memories_);
  for (const auto& [key, call] : calls_)
    bytes += std::to_string(key.first) + ":" + std::to_string(key.second) + ":" +
             std::to_string(call.reserved.tokens) + ";";
  image_writer kept;
  model_free_.save(kept);
  policy_->save(kept);
  return digest_of_parts({sum, bytes, kept.take()});
}

std::size_t search_tree::bytes() const {
  return sizeof *this + tree_.bytes() + policy_->bytes() + filter_.bytes() + forms_.bytes() +
         open_.size() * 48 + calls_.size() * 256;
}

} // namespace ke
