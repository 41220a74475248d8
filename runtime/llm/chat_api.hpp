#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/core/result.hpp"
#include "runtime/llm/prompt.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Providers that speak a chat API over HTTP. `encode` and `decode` (provider.hpp) do what is the same for all
// of them; the file pair of each kind adds a chat_api. Everything here is pure and may be called on any
// thread.

namespace ke {

/// The sum of a stream's events, or of the one object of a plain answer.
struct gathered_answer {
  std::string text;
  std::string finish;   ///< why it ended, in the provider's word
  bool refused = false; ///< by `finish`: the provider or its model would not answer
  bool cut_off = false; ///< by `finish`: at max_tokens, or at the end of the model's context
  std::string refusal;
  failure error;
  bool told_usage = false;
  bool ended = false;                                            ///< the provider said that this was all
  bool any = false;                                              ///< at least one object of a known shape
  double input = 0, output = 0, cache_read = 0, cache_write = 0; ///< tokens, as the provider counts them
  std::size_t thoughts = 0;   ///< bytes of them that were shown: billed as output
  std::size_t told_up_to = 0; ///< received() when usage was told last
  std::size_t unread = 0;     ///< bytes of an answer that can't be parsed

  std::size_t received() const { return text.size() + refusal.size() + thoughts + unread; }
  void usage_told() {
    told_usage = true;
    told_up_to = received();
  }
};

/// The input of a call in tokens, and the number of uncached tokens that would cost the same.
struct input_tokens {
  double all = 0;
  double priced = 0;
};

/// One API: how requests are written and answers are read. None of the functions is null; none throws for
/// what a prompt or an answer holds.
struct chat_api {
  std::string_view server; ///< where requests go if the model has no `base_url`
  std::string_view path;   ///< of the endpoint below its version, as "/messages"
  /// Header lines with the API's version and the key; an empty key is left out.
  std::vector<std::string> (*headers)(std::string_view key);
  std::string (*body)(const model_settings& model, const prompt& p);
  /// Adds one object of an answer to `all`: a plain answer, an event of a stream or an error.
  void (*take)(const model_settings& model, const nlohmann::json& object, gathered_answer& all);
  input_tokens (*input)(const gathered_answer& all);
};

/// The URL of an endpoint. `base_url` may be a server, a versioned root (".../v1") or the endpoint itself;
/// empty: `server`.
std::string endpoint(std::string base_url, std::string_view server, std::string_view path);
/// "Authorization: Bearer KEY"; nothing for an empty key.
std::vector<std::string> bearer(std::string_view key);

/// The fields of a request's body without the prompt, open: more can be appended. Room for the prompt is
/// reserved.
std::string opened(const nlohmann::json& fields, const prompt& p);
/// Appends `text` as the inside of a JSON string; bytes that are not UTF-8 become U+FFFD.
void escape_into(std::string& out, std::string_view text);

/// A string, or (some servers) a list of parts with `text`.
std::string content_text(const nlohmann::json& content);
/// Notes why an answer ended, by the words common among servers; the last word counts. An API with other
/// words sets `finish`, `refused` and `cut_off` itself.
void take_finish(gathered_answer& all, std::string word);
/// Notes the first error that an object of an answer tells.
void take_error(const model_settings& model, const nlohmann::json& error, gathered_answer& all);

} // namespace ke
