#pragma once

#include "actors/knowledge/library.hpp"
#include "actors/supervision/caf.hpp"
#include "knowledge/library/vector_book.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/llm/circuit.hpp"
#include "runtime/llm/http_port.hpp"
#include "runtime/store/store_port.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ke {

/// How long a prompt waits for the vector of its query. Then words alone decide.
inline constexpr std::chrono::milliseconds embedding_deadline{2000};

/// A prompt wants its query's vector from this server. `to` usually gets a `vector_found` within the
/// deadline, and must be able to go on without. An empty text makes only the server known.
struct vector_wanted {
  std::shared_ptr<const embedding_settings> server;
  std::string text;
  weak_actor to;
  std::uint32_t attempt = 0;
};
struct vector_found {
  std::uint32_t attempt = 0;
  embedding vector; ///< empty: none, words alone decide
};

// What comes back to an embedding_cache; `cache` is its number.
struct vectors_read {
  std::size_t cache;
  std::vector<std::pair<std::string, std::string>> rows; ///< (text, pack(embedding)), empty if there is none
};
struct embeddings_came {
  std::size_t cache;
  vector_book::kind which;
  http_response response;
};
struct embeddings_again {
  std::size_t cache;
};

/// One embeddings server, within the knowledge actor. Asks once for every document's vector, kept in the
/// store's table `shared`, and for those of queries that prompts wait for. A slow, wrong or absent server is
/// left alone for longer and longer; meanwhile queries get nothing at once, and documents wait. One thread:
/// the actor's.
class embedding_cache {
public:
  struct services {
    http_port* http = nullptr;
    store_port* store = nullptr;
  };
  /// `complete` is called at the end of a round of documents.
  embedding_cache(caf::event_based_actor* self, std::size_t number, embedding_settings server,
                  services services, std::function<void()> complete);

  const embedding_settings& server() const { return server_; }
  /// Sets the documents' texts.
  void keep(const std::vector<std::string>& texts);
  /// Whether every document has had a turn.
  bool ready() const { return ready_; }
  const embedding* of_document(const std::string& text) const { return book_.of_document(text); }
  void wanted(const vector_wanted& w);

  void read(vectors_read& r);
  void came(embeddings_came& e);
  void again();

private:
  using kind = vector_book::kind;
  using time_point = circuit::time_point;

  circuit& road(kind which) { return which == kind::queries ? queries_ : documents_; }
  std::string row_key(const std::string& text) const;
  void pump(kind which);
  void send_batch(kind which, const std::vector<std::string>& texts);
  void take(kind which, std::vector<embedding> vectors);
  void trouble(const failure& why);
  void tell(const std::string& text, const embedding& vector);
  void tell_all_nothing();
  void look_whether_complete();

  caf::event_based_actor* self_;
  std::size_t number_;
  embedding_settings server_;
  services services_;
  std::function<void()> complete_;
  bool usable_ = true; ///< its key is there
  std::string key_;
  vector_book book_;
  circuit documents_, queries_;
  std::map<std::string, std::vector<vector_wanted>> waiting_; ///< by text
  bool ready_ = false, open_round_ = false, ever_answered_ = false, warned_ = false, timer_ = false;
};

} // namespace ke

KE_MESSAGE(ke::vector_wanted)
KE_MESSAGE(ke::vector_found)
KE_MESSAGE(ke::vectors_read)
KE_MESSAGE(ke::embeddings_came)
KE_MESSAGE(ke::embeddings_again)
