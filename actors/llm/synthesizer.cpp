#include "actors/llm/synthesizer.hpp"

#include "actors/llm/llm_request.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/log.hpp"

#include <deque>
#include <random>
#include <unordered_map>

namespace ke {

struct send_again {
  std::string call;
};
struct try_model {
  std::string model;
};

} // namespace ke

KE_MESSAGE(ke::send_again)
KE_MESSAGE(ke::try_model)

namespace ke {

namespace {

struct model_state {
  std::string key;
  model_settings settings;
  provider_port* provider = nullptr;
  ke::circuit circuit;
  std::deque<std::string> queue; ///< calls, first come first served
  std::int64_t in_flight = 0;
  bool waking = false; ///< a try_model timer is set
  bool proven = false; ///< its provider has taken a request since it was opened or unblocked
  int refused = 0;     ///< requests for good, in a row

  bool remote() const { return traits_of(settings.provider).remote(); }
  /// A wrong key or an empty account must not cost a burst of calls: a few feel the way.
  std::int64_t limit() const {
    return proven || !remote() ? settings.max_parallel : std::min<std::int64_t>(settings.max_parallel, 3);
  }
  /// Whether both are billed to one account: a refusal of one is a refusal of both.
  bool same_account(const model_state& other) const {
    return remote() && settings.provider == other.settings.provider &&
           settings.base_url == other.settings.base_url && settings.api_key_env == other.settings.api_key_env;
  }
};

/// One request from its arrival until it is answered or given up.
struct open_request {
  std::shared_ptr<const synthesis_request> what;
  model_state* model; ///< models are opened and never closed
  retry_history history;
  bool out = false;                      ///< a provider has it
  std::optional<failed_try> unpaid = {}; ///< of the last send: reported, but the permit has not come
  bool due = false;                      ///< the wait for its next send is over
  caf::actor running; ///< its llm_request; null while it waits, and if an earlier synthesizer sent it
};

class model_queues {
public:
  model_queues(caf::event_based_actor* self, synthesizer_options options)
      : self_{self}, options_{std::move(options)}, chance_{options_.seed} {
    for (auto& what : options_.calls->all_out()) // of a synthesizer that crashed
      if (auto m = model(*what)) {
        ++(*m)->in_flight;
        requests_.emplace(what->call(), open_request{what, *m, retry_history{options_.retries}, true, {}});
      }
  }

  void synthesize(std::shared_ptr<const synthesis_request> what) {
    auto call = what->call();
    if (auto r = requests_.find(call); r != requests_.end()) {
      if (r->second.unpaid) // its campaign was started again meanwhile, and may not have heard
        tell(*what, *r->second.unpaid);
      return; // a tree that restarted asks again for what is still out
    }
    auto m = model(*what);
    if (!m) // nobody can be asked until a person has mended it
      return tell(*what, failed_try{what->node, what->attempt, m.error(), true});
    // A sub-agent's call does not wait for a person: rules do its work.
    if (what->reader && (*m)->circuit.state() == circuit_state::blocked)
      return tell(*what, failed_try{what->node, what->attempt, (*m)->circuit.why(), true});
    (*m)->queue.push_back(call);
    requests_.emplace(std::move(call),
                      open_request{std::move(what), *m, retry_history{options_.retries}, false, {}});
    pump(**m);
  }

  void ended(const call_ended& end) {
    auto r = requests_.find(end.call);
    if (r == requests_.end()) {
      // It came back while no synthesizer lived. A failure has cost nothing: its node asks again.
      if (end.what && end.reply->why.kind == failure_kind::none)
        tell(*end.what,
             synthesis{end.what->node, end.what->attempt, end.reply, end.reply_digest, end.seconds});
      return;
    }
    auto& m = *r->second.model;
    if (!r->second.out)
      return;
    if (r->second.running)
      running_.erase(r->second.running.id());
    r->second.running = nullptr;
    r->second.out = false;
    --m.in_flight;
    const auto& reply = *end.reply;
    m.proven |= !is_refusal(reply.why) && !is_final(reply.why) && reply.why.kind != failure_kind::cancelled;
    if (reply.why.kind == failure_kind::none) {
      m.circuit.success();
      m.refused = 0;
      tell(*r->second.what, synthesis{r->second.what->node, r->second.what->attempt, end.reply,
                                      end.reply_digest, end.seconds});
      requests_.erase(r);
    } else if (reply.why.kind == failure_kind::cancelled) {
      m.circuit.forget();
      tell(*r->second.what, over(*r->second.what, reply));
      requests_.erase(r);
    } else {
      failed(r->first, r->second, m, end);
    }
    pump(m);
  }

  void down(const caf::down_msg& msg) {
    auto r = running_.find(msg.source.id());
    if (r == running_.end())
      return; // told by call_ended
    auto call = r->second;
    options_.calls->returned(call);
    auto reply = std::make_shared<completion>();
    reply->why = {failure_kind::internal, "the request's actor ended: " + text_of(msg.reason), false};
    ended({call, reply, {}, 0, {}});
  }

  void again(const std::string& call) {
    auto r = requests_.find(call);
    if (r == requests_.end() || r->second.out)
      return;
    r->second.due = true;
    send_if_ready(r->second, call);
  }

  void permitted(const send_permit& p) {
    auto r = requests_.find(p.call);
    if (r == requests_.end() || !std::exchange(r->second.unpaid, std::nullopt))
      return;
    if (p.go)
      send_if_ready(r->second, p.call);
    else
      requests_.erase(r);
  }

  void wake(const std::string& model) {
    auto m = models_.find(model);
    if (m == models_.end())
      return;
    m->second.waking = false;
    pump(m->second);
  }

  void drop(const drop_requests& d) {
    for (auto& [name, m] : models_)
      std::erase_if(m.queue, [&](const std::string& call) {
        return requests_.at(call).what->node.campaign == d.campaign;
      });
    for (auto r = requests_.begin(); r != requests_.end();) {
      auto& open = r->second;
      if (open.what->node.campaign != d.campaign) {
        ++r;
      } else if (!open.out) { // never left, or failed and waited: nothing is owed for it
        give_back(*open.what);
        r = requests_.erase(r);
      } else {
        if (d.running && open.running)
          self_->send_exit(open.running, caf::exit_reason::user_shutdown);
        else if (d.running)
          options_.calls->cancel(r->first);
        ++r;
      }
    }
  }

  void unblock() {
    for (auto& [name, m] : models_) {
      m.circuit.reset();
      m.proven = false;
      m.refused = 0;
      pump(m);
    }
  }

private:
  void send_if_ready(open_request& r, const std::string& call) {
    if (!r.due || r.unpaid)
      return;
    r.due = false;
    r.model->queue.push_back(call);
    pump(*r.model);
  }

  static failed_try over(const synthesis_request& what, const completion& reply) {
    return {what.node, what.attempt, reply.why, true, reply.told, reply.meter};
  }

  template <class Message>
  void tell(const synthesis_request& what, Message message) {
    auto tree = addresses::node_supervisor(what.node.campaign, what.node.tree);
    options_.names->send(what.reader.value_or(tree), std::move(message));
  }

  static std::string key_of_model(const synthesis_request& what) {
    return std::to_string(what.node.campaign) + "/" + what.model;
  }

  /// Models are opened at their first request: campaigns come and go.
  result<model_state*> model(const synthesis_request& what) {
    auto key = key_of_model(what);
    auto m = models_.find(key);
    auto settings = options_.find(what.node.campaign, what.model);
    if (!settings)
      return failure{failure_kind::invalid, "no [[model]] is named " + what.model};
    if (m != models_.end() && m->second.settings == *settings)
      return &m->second;
    auto provider = options_.providers->get(key, *settings);
    if (!provider)
      return provider.error();
    if (m != models_.end()) { // submitted again with other settings: what is out goes on as it was
      m->second.settings = std::move(*settings);
      m->second.provider = *provider;
      m->second.circuit.reset();
      m->second.proven = false;
      return &m->second;
    }
    auto& state = models_[key];
    state.key = key;
    state.settings = std::move(*settings);
    state.provider = *provider;
    state.circuit = ke::circuit{options_.circuits};
    return &state;
  }

  static bool is_refusal(const failure& why) {
    return why.kind == failure_kind::auth || why.kind == failure_kind::credit;
  }
  /// HTTP 404 and the like: the same request will be refused again. If the provider has answered others, it
  /// may be this prompt's fault; if it never did, it is the configuration's.
  static bool is_final(const failure& why) {
    return why.kind == failure_kind::server_error && !why.retryable;
  }

  /// Never sent: the reservation returns, and the node is asked again later.
  void give_back(const synthesis_request& what) {
    tell(what, failed_try{what.node, what.attempt, {failure_kind::none, {}, false}, true});
  }

  /// Nobody will be asked: those who wait get their reservations back.
  void drop_queue(model_state& m) {
    for (const auto& waiting : m.queue) {
      give_back(*requests_.at(waiting).what);
      requests_.erase(waiting);
    }
    m.queue.clear();
  }

  void failed(const std::string& call, open_request& r, model_state& m, const call_ended& end) {
    constexpr int enough = 3;
    const auto& why = end.reply->why;
    if (is_final(why) && (!m.proven || ++m.refused >= enough))
      m.circuit.block(why);
    else
      m.circuit.fail(why, end.reply->retry_after, self_->clock().now());
    log::info("synthesizer", "request failed",
              {{"call", call},
               {"model", m.settings.name},
               {"kind", std::string{to_text(why.kind)}},
               {"why", why.text}});
    if (m.circuit.state() == circuit_state::blocked) {
      tell(*r.what, over(*r.what, *end.reply));
      requests_.erase(call);
      for (auto& [name, other] : models_) {
        if (&other != &m && !other.same_account(m))
          continue;
        if (&other != &m && is_refusal(why))
          other.circuit.fail(why, {}, self_->clock().now());
        drop_queue(other);
      }
      return;
    }
    if (auto wait =
            r.history.fail(why, end.reply->retry_after, std::uniform_real_distribution<double>{}(chance_))) {
      r.unpaid = over(*r.what, *end.reply);
      r.unpaid->blocked = false;
      tell(*r.what, *r.unpaid);
      after(self_, *wait, send_again{call});
      return;
    }
    tell(*r.what, synthesis{r.what->node, r.what->attempt, end.reply, end.reply_digest, end.seconds});
    requests_.erase(call);
  }

  void pump(model_state& m) {
    static auto& queued = counters::get("llm.queued");
    static auto& in_flight = counters::get("llm.in_flight");
    auto now = self_->clock().now();
    while (!m.queue.empty() && m.in_flight < m.limit() && m.circuit.admit(now)) {
      auto call = std::move(m.queue.front());
      m.queue.pop_front();
      auto r = requests_.find(call);
      if (r == requests_.end()) {
        m.circuit.forget();
        continue;
      }
      ++m.in_flight;
      r->second.out = true;
      r->second.running =
          self_->spawn(llm_request, options_.names, options_.calls, m.provider, r->second.what);
      self_->monitor(r->second.running);
      running_.emplace(r->second.running.id(), call);
    }
    std::size_t waiting = 0, out = 0;
    for (auto& [name, state] : models_)
      waiting += state.queue.size(), out += static_cast<std::size_t>(state.in_flight);
    queued = static_cast<std::int64_t>(waiting);
    in_flight = static_cast<std::int64_t>(out);
    if (m.queue.empty() || m.waking || m.in_flight >= m.limit())
      return;
    if (auto at = m.circuit.next(now)) {
      m.waking = true;
      after(self_, *at - now, try_model{m.key});
    }
  }

  caf::event_based_actor* self_;
  synthesizer_options options_;
  std::mt19937_64 chance_;
  std::map<std::string, model_state> models_;
  std::unordered_map<std::string, open_request> requests_; ///< by call
  std::unordered_map<caf::actor_id, std::string> running_; ///< llm_request -> call
};

} // namespace

caf::behavior synthesizer(caf::event_based_actor* self, synthesizer_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<model_queues>(self, std::move(options));
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  handlers_of handlers{
      addresses::synthesizer,
      [=](synthesize& s) { state->synthesize(std::move(s.request)); },
      [=](const call_ended& end) { state->ended(end); },
      [=](const send_again& timer) { state->again(timer.call); },
      [=](const send_permit& p) { state->permitted(p); },
      [=](const try_model& timer) { state->wake(timer.model); },
      [=](const drop_requests& d) { state->drop(d); },
      [=](const unblock_models&) { state->unblock(); },
  };
  return handlers.behavior();
}

} // namespace ke
