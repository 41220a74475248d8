#include "interface/cli/campaign_view.hpp"

#include "interface/cli/node_report.hpp"
#include "runtime/core/geometric_mean.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/search/campaign/campaign_status.hpp"
#include "runtime/store/record.hpp"

#include <deque>

#include "runtime/store/prompt_sections.hpp"

namespace ke::cli {
namespace {

constexpr std::size_t rows_per_page = 4096;

/// Rows of one tree in order of their nodes, a page at a time.
class row_pages {
public:
  row_pages(const store_reader& store, std::uint32_t campaign, std::uint32_t tree)
      : store_{store}, campaign_{campaign}, tree_{tree} {}

  /// The row of `node`, if there is one. Nodes must be asked for in rising order.
  result<std::optional<node_row>> take(std::uint32_t node) {
    while (!page_.empty() && page_.front().first < node)
      page_.pop_front();
    if (page_.empty() && !done_)
      if (auto read = fetch(node); !read)
        return read.error();
    if (page_.empty() || page_.front().first != node)
      return std::optional<node_row>{};
    std::optional<node_row> row{std::move(page_.front().second)};
    page_.pop_front();
    return row;
  }

private:
  status fetch(std::uint32_t from) {
    done_ = true;
    auto prefix = key_of(campaign_, tree_, 0).substr(0, 8);
    status wrong = ok;
    auto end = store_.scan(
        table::nodes, prefix,
        [&](std::string_view key, std::string_view value) {
          if (page_.size() == rows_per_page) {
            done_ = false;
            return false;
          }
          auto row = unpack<node_row>(value);
          if (row)
            page_.emplace_back(static_cast<std::uint32_t>(number_of(key.substr(8, 4))), std::move(*row));
          else
            wrong = row.error();
          return static_cast<bool>(row);
        },
        key_of(campaign_, tree_, from));
    return wrong ? end : wrong;
  }

  const store_reader& store_;
  std::uint32_t campaign_, tree_;
  std::deque<std::pair<std::uint32_t, node_row>> page_;
  bool done_ = false;
};

/// As tree_index::judge: the geometric mean, 0 if one is 0, none if one is missing.
std::optional<double> mean_of(const std::vector<std::optional<double>>& scores) {
  auto mean = geometric_mean(scores, [](const auto& s) { return s; });
  return mean && scores.size() == 1 ? scores.front() : mean;
}

} // namespace

result<campaign_view> campaign_view::open(const store_reader& store, const campaign_row& row) {
  auto stored = read_stored_campaign(store, row.id, read_folded_start(store, row.id));
  if (!stored)
    return stored.error();
  return campaign_view{store, std::move(*stored)};
}

campaign_row campaign_view::row() const {
  auto r = fold().row(id());
  r.name = stored_->row.name;
  r.created_unix_ms = stored_->row.created_unix_ms;
  r.settings_digest = stored_->row.settings_digest;
  auto paused_later =
      r.state == "paused" && stored_->row.state == "running"; // a node that ended meanwhile wrote "running"
  if (r.stop_reason.empty() && !paused_later) { // an interrupted session is known to the row only
    r.state = stored_->row.state;
    r.stop_reason = stored_->row.stop_reason;
  }
  if (r.state == "paused")
    r.pause_reason = stored_->row.pause_reason;
  return r;
}

std::uint64_t campaign_view::public_id(std::uint32_t tree, std::uint32_t node) const {
  return ke::public_id(trees(), tree, node);
}

std::uint64_t campaign_view::id_end() const {
  std::uint64_t end = 0;
  for (const auto& t : fold().trees())
    end = std::max(end, public_id(t.number(), t.tree().size() - 1) + 1);
  return end;
}

node_view campaign_view::completed(const node_key& key, std::optional<node_row> row) const {
  const auto& core = fold().trees()[key.tree];
  const auto& at = core.tree()[key.node];
  node_view v;
  v.key = key;
  v.id = public_id(key);
  v.depth = at.depth;
  v.state = at.state;
  v.decision = at.decision;
  if (at.score >= 0)
    v.score = at.score;
  if (row)
    v.row = std::move(*row);
  v.row.parents = core.tree().parents(key.node);
  if (v.is_root()) {
    v.row.scores.assign(core.tree().targets(), 1.0);
    return v;
  }
  if (!row) {
    v.row.model = core.model_of(key.node);
    v.row.memory = at.memory;
  }
  v.row.scores.resize(core.tree().targets());
  if (is_open(v.state) && row && !is_open(v.row.state)) { // it has ended since the journal was read
    v.state = v.row.state;
    v.decision = v.row.decision;
    v.score = has_verdict(v.state) ? mean_of(v.row.scores) : std::nullopt;
  }
  return v;
}

result<node_view> campaign_view::node(const node_key& key) const {
  auto row = store_.row<node_row>(table::nodes, key_of(key.campaign, key.tree, key.node));
  if (row)
    return completed(key, std::move(*row));
  if (row.error().kind != failure_kind::not_found)
    return row.error();
  return completed(key, std::nullopt);
}

node_key campaign_view::key_of_id(std::uint64_t id_) const {
  return {id(), static_cast<std::uint32_t>(id_ % trees()), static_cast<std::uint32_t>(id_ / trees())};
}

result<node_view> campaign_view::node(std::uint64_t id_) const {
  auto key = key_of_id(id_);
  if (id_ / trees() > no_node || key.node >= fold().trees()[key.tree].tree().size())
    return failure{failure_kind::not_found, "campaign " + name() + " has no node " + std::to_string(id_) +
                                                ": its nodes are 0 to " + std::to_string(id_end() - 1)};
  return node(key);
}

status campaign_view::each(std::uint64_t first, const std::function<bool(const node_view&)>& visit) const {
  std::deque<row_pages> pages;
  for (const auto& t : fold().trees())
    pages.emplace_back(store_, id(), t.number());
  for (auto at = first; at < id_end(); ++at) {
    node_key key{id(), static_cast<std::uint32_t>(at % trees()), static_cast<std::uint32_t>(at / trees())};
    if (key.node >= fold().trees()[key.tree].tree().size())
      continue; // this tree is smaller than others
    auto row = pages[key.tree].take(key.node);
    if (!row)
      return row.error();
    if (!visit(completed(key, std::move(*row))))
      return ok;
  }
  return ok;
}

std::optional<node_key> campaign_view::winner() const {
  const auto& best = fold().books().published_best();
  if (best.node == no_node)
    return std::nullopt;
  return node_key{id(), best.tree, best.node};
}

const claim_book::entry* campaign_view::claim_on(const node_key& key) const {
  const auto* e = fold().books().claims().find({key.tree, key.node});
  return e && e->complete() ? e : nullptr;
}

std::optional<verdict> campaign_view::claimed_verdict(const node_key& key, std::size_t target) const {
  if (const auto* e = claim_on(key))
    for (const auto& t : e->targets)
      if (t.target == target && !t.verdict_digest.empty())
        if (auto v = store_.row<verdict>(table::verdicts, t.verdict_digest))
          return std::move(*v);
  return std::nullopt;
}

std::optional<verdict> campaign_view::verdict_of(const node_view& n, std::size_t target) const {
  if (target >= n.row.verdict_digests.size() || n.row.verdict_digests[target].empty())
    return std::nullopt;
  auto v = store_.row<verdict>(table::verdicts, n.row.verdict_digests[target]);
  return v ? std::optional{std::move(*v)} : std::nullopt;
}

std::string campaign_view::report_of(const node_view& n) const {
  node_report_facts f;
  f.found = verdict_of(n);
  if (!f.found || n.is_root())
    return {};
  f.state = n.state;
  f.note = n.row.note;
  if (n.row.duplicate_of != no_node)
    f.duplicate_of = public_id(n.key.tree, n.row.duplicate_of);
  if (auto source = source_of(n))
    f.source = *std::move(source);
  auto parent = node(node_key{n.key.campaign, n.key.tree, n.row.parents.empty() ? 0 : n.row.parents.front()});
  if (parent) {
    f.parent = parent->id;
    f.from_reference = parent->is_root();
    f.parent_found = verdict_of(*parent);
    if (auto source = source_of(*parent))
      f.parent_source = *std::move(source);
  }
  return node_report(f);
}

result<std::string> campaign_view::source_of(const node_view& n) const {
  if (n.is_root())
    return problem().reference;
  if (n.row.source_digest.empty())
    return failure{failure_kind::not_found,
                   "node " + std::to_string(n.id) + " has no source: it is " + std::string{to_text(n.state)}};
  return store_.blob(n.row.source_digest);
}

result<std::string> campaign_view::prompt_of(const node_view& n) const {
  std::string text;
  if (n.row.sections_digest.empty())
    return text;
  auto list = store_.blob(n.row.sections_digest);
  if (!list)
    return list.error();
  auto sections = unpack_sections(*list);
  if (!sections)
    return sections.error();
  for (const auto& section : *sections) {
    text += section.text;
    if (section.digest.empty())
      continue;
    auto shared = store_.blob(section.digest);
    if (!shared)
      return shared.error();
    text += *shared;
  }
  return text;
}

std::vector<node_call> campaign_view::calls_of(const node_view& n) const {
  auto of_node = key_of(n.key.campaign, n.key.tree, n.key.node);
  std::vector<node_call> calls;
  static_cast<void>(
      store_.rows<call_row>(table::calls, of_node, [&](std::string_view key, const call_row& c) {
        std::uint32_t attempt = 0;
        for (unsigned char byte : key.substr(std::min(of_node.size(), key.size())))
          attempt = attempt << 8 | byte;
        calls.push_back(
            {c, attempt > agent_attempts ? attempt - agent_attempts : attempt, attempt > agent_attempts});
        return true;
      }));
  return calls;
}

} // namespace ke::cli
