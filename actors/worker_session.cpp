#include "actors/worker_session.hpp"

#include "runtime/core/log.hpp"

namespace ke {
namespace {

/// Decodes a body or throws: a worker that breaks the protocol loses its session, and with it its leases.
template <class T>
T body_of(const frame& f) {
  auto x = wire::decode<T>(f.body);
  if (!x)
    throw std::runtime_error{"malformed " + std::string{to_text(f.kind)} + ": " + x.error().text};
  return std::move(*x);
}

} // namespace

caf::behavior worker_session(caf::event_based_actor* self, session_options o) {
  keep_exception_text(self);
  auto tell = [o](worker_said said) {
    said.peer = o.peer;
    o.names->send("fleet", std::move(said));
  };
  return {
      [=](const frame_in& in) {
        const auto& f = in.what;
        worker_said said;
        said.kind = f.kind;
        switch (f.kind) {
        case frame_kind::hello:
          said.hello = std::make_shared<const wire::hello_body>(body_of<wire::hello_body>(f));
          return tell(std::move(said));
        case frame_kind::ready:
          said.ready = body_of<wire::ready_body>(f);
          return tell(std::move(said));
        case frame_kind::accept: {
          auto a = body_of<wire::accept_body>(f);
          said.decline = {a.job, a.attempt, {}};
          return tell(std::move(said));
        }
        case frame_kind::decline:
          said.decline = body_of<wire::decline_body>(f);
          return tell(std::move(said));
        case frame_kind::beat:
          said.beat = std::make_shared<const wire::worker_beat>(body_of<wire::worker_beat>(f));
          return tell(std::move(said));
        case frame_kind::result:
          said.result = std::make_shared<const job_result>(body_of<job_result>(f));
          return tell(std::move(said));
        case frame_kind::drain:
        case frame_kind::bye:
          return tell(std::move(said));
        case frame_kind::want: {
          auto digest = body_of<wire::want_body>(f).digest;
          o.store->read_blob(digest,
                             [transport = o.transport, peer = o.peer, digest](result<std::string> bytes) {
                               if (bytes)
                                 transport->send_blob(peer, digest, std::move(*bytes));
                               else
                                 log::warn("worker_session", "a worker wants a blob that is not stored",
                                           {{"digest", digest}, {"why", bytes.error().text}});
                             });
          return;
        }
        default:
          return; // kinds that only flow the other way
        }
      },
      [=](const grant_job& g) {
        wire::grant_body body;
        body.job = *g.what;
        body.job.attempt = g.attempt;
        body.job.epoch = g.epoch;
        body.lease = g.what->id;
        body.deadline_ms =
            static_cast<std::uint64_t>((g.what->limits.build_s * 3 + g.what->limits.run_s) * 1000);
        body.device = g.device;
        o.transport->send(wire::make_frame(o.peer, frame_kind::grant, body));
      },
      [=](const revoke_job& r) {
        o.transport->send(wire::make_frame(o.peer, frame_kind::revoke, wire::revoke_body{r.lease, r.why}));
      },
  };
}

} // namespace ke
