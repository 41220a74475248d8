#include "actors/campaign/node_supervisor.hpp"

#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"
#include "knowledge/prompt/node_summary.hpp"
#include "runtime/observe/counters.hpp"

#include <deque>
#include <unordered_map>

namespace ke {

struct sweep {};

} // namespace ke

KE_MESSAGE(ke::sweep)

namespace ke {
namespace {

struct resident {
  caf::actor handle;    ///< null while its context is on its way
  bool leaving = false; ///< it was told to end: keep what comes for it
  bool done = false;    ///< it has its verdict: nothing more will come
  std::vector<caf::message> kept;
  std::chrono::steady_clock::time_point last{};
};

class live_nodes {
public:
  live_nodes(caf::event_based_actor* self, std::shared_ptr<const tree_context> tree,
             node_supervisor_options options)
      : self_{self}, tree_{std::move(tree)}, options_{options}, summaries_{options.summaries} {
    after(self_, options_.idle, sweep{});
    tree_->names->send(addresses::campaign(tree_->campaign), tree_started{tree_->tree});
  }

  void expand(struct expand& e) {
    for (auto& context : e.nodes)
      wake(std::move(context));
  }

  template <class Message>
  void deliver(Message m) {
    auto node = m.node.node;
    auto& r = nodes_[node];
    r.last = self_->clock().now();
    if (r.handle && !r.leaving)
      return self_->send(r.handle, std::move(m));
    auto asleep = !r.handle && r.kept.empty();
    r.kept.push_back(caf::make_message(std::move(m)));
    if (asleep)
      want(node);
  }

  void retire(const struct retire& r) {
    if (r.summary)
      summaries_.put(r.summary);
    auto n = nodes_.find(r.node);
    if (n == nodes_.end() || n->second.leaving)
      return;
    if (!n->second.handle) { // it ended while it rested
      nodes_.erase(n);
      return count();
    }
    n->second.leaving = true;
    n->second.done = r.summary != nullptr;
    self_->send_exit(n->second.handle, caf::exit_reason::user_shutdown);
  }

  void summary(const summary_loaded& c) { summaries_.put(c.summary); }

  void down(const caf::down_msg& msg) {
    auto at = by_id_.find(msg.source.id());
    if (at == by_id_.end())
      return;
    auto node = at->second;
    by_id_.erase(at);
    auto n = nodes_.find(node);
    if (n == nodes_.end())
      return;
    auto crashed = !is_normal(msg.reason);
    auto kept = std::move(n->second.kept);
    auto done = n->second.done;
    nodes_.erase(n);
    count();
    if (crashed)
      tree_->names->send(addresses::campaign(tree_->campaign),
                         node_crashed{{tree_->campaign, tree_->tree, node}, text_of(msg.reason)});
    else if (!kept.empty() && !done) {
      nodes_[node].kept = std::move(kept);
      want(node);
    }
  }

  void idle_round() {
    after(self_, options_.idle, sweep{});
    auto now = self_->clock().now();
    for (auto& [node, r] : nodes_)
      if (r.handle && !r.leaving && (now - r.last >= options_.idle || nodes_.size() > options_.awake))
        self_->send(r.handle, may_rest{});
  }

private:
  void want(std::uint32_t node) {
    tree_->names->send(addresses::campaign(tree_->campaign), want_context{tree_->tree, node});
  }

  void wake(node_context context) {
    auto node = context.what.node;
    auto& r = nodes_[node];
    if (r.handle)
      return;
    std::map<std::uint32_t, std::shared_ptr<const node_summary>> summaries;
    auto take = [&](std::uint32_t n) {
      if (auto summary = summaries_.find(n))
        summaries.emplace(n, std::move(summary));
    };
    for (const auto* nodes : {&context.ancestors, &context.siblings, &context.uncles, &context.archive})
      for (auto n : *nodes)
        take(n);
    take(context.what.parent);
    r.last = self_->clock().now();
    r.handle = self_->spawn(search_node, tree_, std::move(context), std::move(summaries));
    self_->monitor(r.handle);
    by_id_.emplace(r.handle.id(), node);
    for (auto& m : std::exchange(r.kept, {}))
      self_->send(r.handle, std::move(m));
    count();
    if (nodes_.size() > options_.awake)
      rest_one();
  }

  /// Over the cap: ask the node that heard nothing for longest among a few. Exact order does not matter,
  /// bounded work does.
  void rest_one() {
    resident* oldest = nullptr;
    std::size_t looked = 0;
    for (auto& [node, r] : nodes_) {
      if (r.handle && !r.leaving && (!oldest || r.last < oldest->last))
        oldest = &r;
      if (++looked == 16)
        break;
    }
    if (oldest)
      self_->send(oldest->handle, may_rest{});
  }

  void count() {
    static auto& awake = counters::get("search.nodes_awake");
    awake = static_cast<std::int64_t>(nodes_.size());
  }

  caf::event_based_actor* self_;
  std::shared_ptr<const tree_context> tree_;
  node_supervisor_options options_;
  summary_cache summaries_;
  std::unordered_map<std::uint32_t, resident> nodes_;
  std::unordered_map<caf::actor_id, std::uint32_t> by_id_; ///< of living nodes
};

} // namespace

caf::behavior node_supervisor(caf::event_based_actor* self, std::shared_ptr<const tree_context> tree,
                              node_supervisor_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<live_nodes>(self, tree, options);
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  handlers_of handlers{
      addresses::node_supervisor(tree->campaign, tree->tree),
      [=](expand& e) { state->expand(e); },
      [=](synthesis& s) { state->deliver(std::move(s)); },
      [=](answer_heard& h) { state->deliver(std::move(h)); },
      [=](judged& j) { state->deliver(std::move(j)); },
      [=](evaluation_failed& f) { state->deliver(std::move(f)); },
      [=](failed_try& f) { tree->names->send(addresses::campaign(tree->campaign), std::move(f)); },
      [=](const retire& r) { state->retire(r); },
      [=](const summary_loaded& c) { state->summary(c); },
      [=](const sweep&) { state->idle_round(); },
  };
  return handlers.behavior();
}

} // namespace ke
