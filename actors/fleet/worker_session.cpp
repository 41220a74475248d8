#include "actors/fleet/worker_session.hpp"

#include "actors/messages/addresses.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/observe/log.hpp"

#include <deque>
#include <optional>
#include <set>

namespace ke {
namespace {

/// Decodes a body or throws: a worker that breaks the protocol loses the session, and so the leases.
template <class T>
T body_of(const frame& f) {
  auto x = wire::decode<T>(f.body);
  if (!x)
    throw std::runtime_error{"malformed " + std::string{to_text(f.kind)} + ": " + x.error().text};
  return std::move(*x);
}

constexpr std::size_t most_leases = 4096; ///< in one beat

/// What a worker may read of the store: the content of its latest granted jobs.
class free_content {
public:
  void add(const std::string& digest) {
    if (!known_.insert(digest).second)
      return;
    order_.push_back(digest);
    if (order_.size() > most) {
      known_.erase(order_.front());
      order_.pop_front();
    }
  }
  bool has(const std::string& digest) const { return known_.contains(digest); }

private:
  static constexpr std::size_t most = 16'384;
  std::set<std::string> known_;
  std::deque<std::string> order_;
};

/// What a frame of the worker tells the fleet. Empty: the frame flows the other way, or is a wish. Throws if
/// its body is malformed.
std::optional<worker_said> said_in(const frame& f) {
  worker_said said;
  said.kind = f.kind;
  said.passage = f.passage;
  switch (f.kind) {
  case frame_kind::hello:
    said.hello = std::make_shared<const wire::hello_body>(body_of<wire::hello_body>(f));
    return said;
  case frame_kind::ready:
    said.ready = body_of<wire::ready_body>(f);
    return said;
  case frame_kind::decline:
    said.decline = body_of<wire::decline_body>(f);
    return said;
  case frame_kind::beat:
    said.beat = std::make_shared<const wire::worker_beat>(body_of<wire::worker_beat>(f));
    if (said.beat->leases.size() > most_leases || said.beat->devices.size() > most_leases)
      throw std::runtime_error{"a beat of more leases or devices than a worker can have"};
    return said;
  case frame_kind::result:
    said.result = std::make_shared<const job_result>(body_of<job_result>(f));
    return said;
  case frame_kind::drain:
  case frame_kind::bye:
    return said;
  default:
    return std::nullopt;
  }
}

void send_content(const session_options& o, const free_content& content, const std::string& digest) {
  if (!content.has(digest))
    return log::warn("worker_session", "a worker wants content that is none of its jobs'",
                     {{"worker", o.peer}});
  o.store->read_blob(digest, [transport = o.transport, peer = o.peer, digest](result<std::string> bytes) {
    if (bytes)
      transport->send_blob(peer, digest, std::move(*bytes));
    else
      log::warn("worker_session", "a worker wants a blob that is not stored",
                {{"digest", digest}, {"why", bytes.error().text}});
  });
}

} // namespace

caf::behavior worker_session(caf::event_based_actor* self, session_options o) {
  keep_exception_text(self);
  auto content = std::make_shared<free_content>();
  return {
      [=](const frame_in& in) {
        if (in.what.kind == frame_kind::want)
          return send_content(o, *content, body_of<wire::want_body>(in.what).digest);
        if (auto said = said_in(in.what)) {
          said->peer = o.peer;
          o.names->send(addresses::fleet, std::move(*said));
        }
      },
      [=](const grant_job& g) {
        content->add(g.what->problem_digest);
        content->add(g.what->source_digest);
        wire::grant_body body;
        body.job = *g.what;
        body.job.attempt = g.attempt;
        body.job.epoch = g.epoch;
        body.job.warrant = g.warrant;
        body.lease = g.what->id;
        body.deadline_ms = g.deadline_ms;
        body.device = g.device;
        o.transport->send(wire::make_frame(o.peer, frame_kind::grant, body));
      },
      [=](const content_is_free& c) {
        for (const auto& digest : c.digests)
          content->add(digest);
      },
      [=](const revoke_job& r) {
        o.transport->send(wire::make_frame(o.peer, frame_kind::revoke, wire::revoke_body{r.lease, r.why}));
      },
  };
}

} // namespace ke
