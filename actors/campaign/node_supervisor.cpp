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
  caf::actor handle;    ///< null while its brief is on its way
  bool leaving = false; ///< it was told to end: keep what comes for it
  bool done = false;    ///< it has its verdict: nothing more will come
  std::vector<caf::message> kept;
  std::chrono::steady_clock::time_point last{};
};

class live_nodes {
public:
  live_nodes(caf::event_based_actor* self, std::shared_ptr<const tree_context> context,
             node_supervisor_options options)
      : self_{self}, context_{std::move(context)}, options_{options}, cards_{options.cards} {
    after(self_, options_.idle, sweep{});
    context_->names->send(addresses::campaign(context_->campaign), tree_started{context_->tree});
  }

  void expand(struct expand& e) {
    for (auto& brief : e.nodes)
      wake(std::move(brief));
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
    if (r.card)
      cards_.put(r.card);
    auto n = nodes_.find(r.node);
    if (n == nodes_.end() || n->second.leaving)
      return;
    if (!n->second.handle) { // it ended while it rested
      nodes_.erase(n);
      return count();
    }
    n->second.leaving = true;
    n->second.done = r.card != nullptr;
    self_->send_exit(n->second.handle, caf::exit_reason::user_shutdown);
  }

  void card(const card_loaded& c) { cards_.put(c.card); }

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
      context_->names->send(addresses::campaign(context_->campaign),
                            node_crashed{{context_->campaign, context_->tree, node}, text_of(msg.reason)});
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
    context_->names->send(addresses::campaign(context_->campaign), want_brief{context_->tree, node});
  }

  void wake(node_context brief) {
    auto node = brief.what.node;
    auto& r = nodes_[node];
    if (r.handle)
      return;
    std::map<std::uint32_t, std::shared_ptr<const node_summary>> cards;
    auto take = [&](std::uint32_t n) {
      if (auto card = cards_.find(n))
        cards.emplace(n, std::move(card));
    };
    for (const auto* nodes : {&brief.ancestors, &brief.siblings, &brief.beside})
      for (auto n : *nodes)
        take(n);
    take(brief.what.parent);
    r.last = self_->clock().now();
    r.handle = self_->spawn(search_node, context_, std::move(brief), std::move(cards));
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
  std::shared_ptr<const tree_context> context_;
  node_supervisor_options options_;
  card_cache cards_;
  std::unordered_map<std::uint32_t, resident> nodes_;
  std::unordered_map<caf::actor_id, std::uint32_t> by_id_; ///< of living nodes
};

} // namespace

caf::behavior node_supervisor(caf::event_based_actor* self, std::shared_ptr<const tree_context> context,
                              node_supervisor_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<live_nodes>(self, context, options);
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  handlers_of handlers{
      addresses::node_supervisor(context->campaign, context->tree),
      [=](expand& e) { state->expand(e); },
      [=](synthesis& s) { state->deliver(std::move(s)); },
      [=](judged& j) { state->deliver(std::move(j)); },
      [=](evaluation_failed& f) { state->deliver(std::move(f)); },
      [=](failed_try& f) { context->names->send(addresses::campaign(context->campaign), std::move(f)); },
      [=](const retire& r) { state->retire(r); },
      [=](const card_loaded& c) { state->card(c); },
      [=](const sweep&) { state->idle_round(); },
  };
  return handlers.behavior();
}

} // namespace ke
