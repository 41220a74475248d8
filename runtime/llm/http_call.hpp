#pragma once

#include "runtime/llm/http_port.hpp"

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What http_service.cpp knows of a request that is under way. One thread.
namespace ke::http {

using clock = std::chrono::steady_clock;
using time_point = clock::time_point;

inline std::string host_of(const std::string& url) {
  std::string host;
  if (auto* parsed = curl_url()) {
    char* part = nullptr;
    if (curl_url_set(parsed, CURLUPART_URL, url.c_str(), 0) == CURLUE_OK &&
        curl_url_get(parsed, CURLUPART_HOST, &part, 0) == CURLUE_OK) {
      host = part;
      curl_free(part);
    }
    curl_url_cleanup(parsed);
  }
  return host;
}

inline std::string in_seconds(std::chrono::milliseconds t) {
  auto text = std::to_string(t.count() / 1000.0);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text + " s";
}

struct shard {
  CURLM* multi = nullptr;
  std::size_t index = 0;
  std::size_t active = 0;
  int epoll = -1;
  std::optional<time_point> timer;
};

/// What libcurl's callbacks leave for the loop: libcurl forbids most calls inside them.
struct callback_notes {
  std::vector<std::string> known;    ///< hosts whose leader got past the name
  std::vector<std::uint64_t> sooner; ///< calls whose deadline may have come nearer: the first byte is there
};

struct call {
  std::uint64_t id = 0;
  callback_notes* notes = nullptr;
  http_request request;
  std::function<void(http_response)> done;
  http_response response;
  std::string host;
  CURL* easy = nullptr; ///< null while it waits at the gate
  curl_slist* headers = nullptr;
  shard* home = nullptr;
  time_point start{};
  time_point last_piece{};
  bool connected = false;
  bool first_byte = false;
  bool leads = false;
  std::size_t given = 0; ///< of the body, to libcurl
  std::size_t header_bytes = 0;
  failure cut; ///< why we ended it ourselves
  char error[CURL_ERROR_SIZE] = {};

  ~call() {
    if (easy)
      curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
  }

  /// The next of the four deadlines and its name.
  std::pair<time_point, const char*> deadline() const {
    auto next = std::pair{start + request.total, "total"};
    auto sooner = [&](time_point t, const char* name) {
      if (t < next.first)
        next = {t, name};
    };
    if (first_byte) {
      sooner(last_piece + request.stall, "stall");
    } else {
      sooner(start + request.first_byte, "first byte");
      if (!connected)
        sooner(start + request.connect, "connect");
    }
    return next;
  }

  std::chrono::milliseconds limit_of(std::string_view name) const {
    return name == "total"     ? request.total
           : name == "stall"   ? request.stall
           : name == "connect" ? request.connect
                               : request.first_byte;
  }
};

} // namespace ke::http
