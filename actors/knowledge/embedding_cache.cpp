#include "actors/knowledge/embedding_cache.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/llm/embeddings_request.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/log.hpp"

#include <cstdlib>

namespace ke {
namespace {

using namespace std::chrono_literals;

constexpr auto documents_deadline = 60s; ///< nobody waits for them
constexpr circuit_policy patience_with_embeddings{1, 15s, 300s};

/// Whether the server answered and does not like these texts; everything else is about the server itself.
bool about_the_texts(const http_response& r) {
  return r.why.kind == failure_kind::none && (r.status == 400 || r.status == 413 || r.status == 422);
}

} // namespace

embedding_cache::embedding_cache(caf::event_based_actor* self, std::size_t number, embedding_settings server,
                                 services services, std::function<void()> complete)
    : self_{self}, number_{number}, server_{std::move(server)}, services_{services},
      complete_{std::move(complete)}, documents_{patience_with_embeddings},
      queries_{patience_with_embeddings} {
  if (!server_.api_key_env.empty()) {
    key_ = log::masked_key(server_.api_key_env);
    usable_ = !key_.empty() && key_.find_first_of("\r\n") == std::string::npos;
    if (!usable_)
      log::warn("knowledge", "no key for the embeddings server: retrieval goes by words alone",
                {{"variable", server_.api_key_env}});
  }
}

std::string embedding_cache::row_key(const std::string& text) const {
  return "embedding/" + digest_of_parts({server_.model, text});
}

void embedding_cache::keep(const std::vector<std::string>& texts) {
  if (!usable_)
    return;
  auto fresh = book_.note(texts);
  if (fresh.empty())
    return look_whether_complete();
  open_round_ = true;
  auto all = std::make_shared<vectors_read>(vectors_read{number_, {}});
  auto count = fresh.size();
  for (auto& text : fresh) // the answers come on the store thread, one after the other
    services_.store->read(table::shared, row_key(text),
                          [me = weak(self_), all, count, text](result<std::string> row) {
                            all->rows.emplace_back(text, row ? std::move(*row) : std::string{});
                            if (all->rows.size() == count)
                              send_weak(me, std::move(*all));
                          });
}

void embedding_cache::read(vectors_read& r) {
  for (auto& [text, row] : r.rows) {
    auto vector = row.empty() ? result<embedding>{embedding{}} : unpack<embedding>(row);
    if (vector && !vector->empty())
      book_.found(text, std::move(*vector));
    else
      book_.lacking(text);
  }
  pump(kind::documents);
  look_whether_complete();
}

void embedding_cache::wanted(const vector_wanted& w) {
  if (w.text.empty())
    return;
  if (!usable_)
    return send_weak(w.to, vector_found{w.attempt, {}});
  if (const auto* known = book_.of_query(w.text))
    return send_weak(w.to, vector_found{w.attempt, *known});
  waiting_[w.text].push_back(w);
  pump(kind::queries);
}

/// Asks for the next batch, if none is out and the server is not left alone just now.
void embedding_cache::pump(kind which) {
  auto texts = book_.next(which);
  if (texts.empty())
    return;
  auto now = self_->clock().now();
  if (road(which).admit(now))
    return send_batch(which, texts);
  book_.failed(which);
  if (which == kind::queries)
    return tell_all_nothing();
  if (auto when = documents_.next(now); when && !std::exchange(timer_, true))
    after(self_, *when - now, embeddings_again{number_});
}

void embedding_cache::send_batch(kind which, const std::vector<std::string>& texts) {
  static auto& requests = counters::get("knowledge.embedding_requests");
  ++requests;
  auto within = which == kind::queries ? embedding_deadline : std::chrono::milliseconds{documents_deadline};
  services_.http->send(encode_embeddings(server_, key_, embedding_request(server_.model, texts), within),
                       [me = weak(self_), number = number_, which](http_response r) {
                         send_weak(me, embeddings_came{number, which, std::move(r)});
                       });
}

void embedding_cache::came(embeddings_came& e) {
  auto which = e.which;
  auto why = embeddings_failure(server_, e.response);
  if (why.kind == failure_kind::none) {
    auto vectors = read_embeddings(e.response.body, book_.asked(which));
    if (vectors) {
      road(which).success();
      ever_answered_ = true;
      take(which, std::move(*vectors));
      pump(which);
      return look_whether_complete();
    }
    why = vectors.error();
  }
  if (about_the_texts(e.response) && ever_answered_) {
    road(which).success();
    trouble(why);
    book_.refused(which);
  } else {
    // Whatever is wrong with it, it is tried again after a while: a refused key may be put right, too.
    road(which).fail({failure_kind::server_error, why.text, true}, {}, self_->clock().now());
    trouble(why);
    book_.failed(which);
  }
  if (which == kind::queries)
    tell_all_nothing();
  pump(which);
  look_whether_complete();
}

void embedding_cache::again() {
  timer_ = false;
  pump(kind::documents);
}

void embedding_cache::take(kind which, std::vector<embedding> vectors) {
  store_batch batch;
  for (const auto& text : book_.answered(which, std::move(vectors)))
    if (which == kind::queries)
      tell(text, *book_.of_query(text));
    else
      batch.put(table::shared, row_key(text), pack(*book_.of_document(text)));
  if (!batch.puts.empty())
    services_.store->write(std::move(batch));
}

void embedding_cache::trouble(const failure& why) {
  static auto& failures = counters::get("knowledge.embedding_failures");
  ++failures;
  if (!std::exchange(warned_, true))
    log::warn("knowledge", "the embeddings server does not help: retrieval goes by words alone meanwhile",
              {{"server", server_.base_url}, {"why", why.text}});
}

void embedding_cache::tell(const std::string& text, const embedding& vector) {
  auto all = waiting_.extract(text);
  if (!all.empty())
    for (const auto& w : all.mapped())
      send_weak(w.to, vector_found{w.attempt, vector});
}

void embedding_cache::tell_all_nothing() {
  for (const auto& [text, all] : std::exchange(waiting_, {}))
    for (const auto& w : all)
      send_weak(w.to, vector_found{w.attempt, {}});
}

void embedding_cache::look_whether_complete() {
  if (!book_.complete() || !std::exchange(open_round_, false))
    return;
  ready_ = true;
  complete_();
}

} // namespace ke
