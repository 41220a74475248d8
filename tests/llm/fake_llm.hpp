#pragma once

#include "runtime/core/evidence.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke::test {

struct fake_request {
  std::uint64_t number = 0; ///< from 1
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers; ///< lower-case names
  std::string body;
  bool streaming() const;            ///< the body asks for "stream": true
  std::uint64_t tokens() const;      ///< of its prompt
  std::uint64_t most_tokens() const; ///< of an answer, as it asks
};

/// As this provider counts: by words and marks, so that nobody who counts bytes is right by accident.
std::uint64_t fake_tokens(std::string_view text);

/// What one request costs, as far as it has come.
struct fake_bill {
  std::uint64_t input = 0, output = 0; ///< tokens
  std::uint64_t most_output = ~0ull;   ///< more than was asked for is not billed
  int status = 0;
  bool billed = true; ///< by status 200, and while nothing is answered
};

/// Bytes put on the connection after `wait`, `repeat` times (forever: until the client goes).
struct fake_step {
  static constexpr std::uint64_t forever = ~0ull;
  std::string bytes;
  std::chrono::milliseconds wait{0};
  std::uint64_t repeat = 1;
  bool held = false; ///< not before fake_llm::release()
};

/// What one request gets: raw bytes, headers included.
struct fake_reply {
  enum class ending { keep, close, reset };
  std::vector<fake_step> steps;
  ending end = ending::keep;
  int status = 200;                  ///< for the counts, and for the bill
  std::optional<std::string> said{}; ///< the text that is billed, if not what the bytes say
};

using fake_headers = std::map<std::string, std::string>;

/// A whole response with a Content-Length.
fake_reply whole(int status, const std::string& content_type, const std::string& body,
                 const fake_headers& more = {});
/// The head of a response whose body ends with the connection.
std::string head(int status, const std::string& content_type, const fake_headers& more = {});
/// A well-formed answer of either API in the form that was asked for, with usage as this provider counts.
fake_reply answer(const fake_request& request, const std::string& text,
                  std::chrono::milliseconds latency = {});
/// A stream that tells this much and then nothing more; `usage`: what it was is told before.
fake_reply part_of_answer(const fake_request& request, const std::string& text, bool usage);
/// The events of a stream, for tests that cut or damage them.
std::string openai_events(const std::string& text, const std::string& finish, bool usage = true,
                          bool done = true);
std::string anthropic_events(const std::string& text, const std::string& stop_reason);
std::string sse(const std::string& events);
/// The text of an answer in the bytes that were sent of it, streamed or plain.
std::string text_sent(const std::string& bytes);

/// A server on loopback that plays an LLM provider and misbehaves on request. One thread, epoll: holds 10,000
/// requests open.
class fake_llm {
public:
  using handler = std::function<fake_reply(const fake_request&)>; ///< called on the server's thread

  explicit fake_llm(handler play, std::uint16_t port = 0);
  ~fake_llm();
  fake_llm(const fake_llm&) = delete;
  fake_llm& operator=(const fake_llm&) = delete;

  std::uint16_t port() const;
  std::string url(std::string_view path = "") const; ///< http://127.0.0.1:PORT + path
  /// Lets all held steps go, now and later.
  void release();

  std::uint64_t requests() const;
  std::uint64_t connections() const;
  std::uint64_t peak_in_flight() const;
  /// Blocks until so many requests were read, at most 20 s; false: they did not come.
  bool wait_for_requests(std::uint64_t count) const;
  /// {"requests", "connections", "in_flight", "peak_in_flight", "statuses": {...}}
  std::string stats_json() const;
  /// {"requests": [{"status", "billed", "input_tokens", "output_tokens"}...], "input_tokens",
  /// "output_tokens"}
  std::string bill_json() const;

private:
  class server;
  std::unique_ptr<server> server_;
};

} // namespace ke::test
