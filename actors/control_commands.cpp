#include "actors/control_commands.hpp"

#include "actors/coordinator.hpp"
#include "actors/exit_codes.hpp"
#include "actors/knowledge.hpp"
#include "actors/remote_reading.hpp"
#include "actors/shared_files.hpp"
#include "config/campaign_file.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/store/store_share.hpp"

#include <nlohmann/json.hpp>

namespace ke {
namespace {

using json = nlohmann::json;

control_reply refused(const failure& why) {
  return {json{{"error", why.text}}.dump(-1, ' ', false, json::error_handler_t::replace), exit_code_of(why)};
}

control_reply submit(coordinator& owner, const json& command) {
  file_context context;
  context.name = "the submitted campaign";
  auto loaded = parse_campaign(command.value("config", ""), context);
  if (!loaded.errors.empty())
    return refused(as_failure(failure_kind::invalid, loaded.errors));
  auto what = unpack<problem>(from_hex(command.value("problem", "")));
  if (!what)
    return refused(what.error());
  auto id = owner.submit(loaded.settings, *what, command.value("fresh", false));
  if (!id)
    return refused(id.error());
  return {json{{"campaign", loaded.settings.name}, {"id", *id}}.dump(), 0};
}

/// Unites an export that was handed over with the store. Campaigns go on meanwhile.
control_reply merge(coordinator& owner, const json& command) {
  auto path = handed_over(owner.store_dir(), command.value("name", ""));
  if (!path)
    return refused(path.error());
  auto view = store_reader::open(owner.store().dir());
  if (!view)
    return refused(view.error());
  auto done = merge_into(*view, owner.store(), *path, join_skills);
  if (!done) {
    auto why = done.error();
    if (auto at = why.text.find(*path); at != std::string::npos) // the client knows its own name for it
      why.text.replace(at, path->size(), "the export");
    return refused(why);
  }
  owner.names()->send("knowledge", skills_changed{});
  return {merge_json(*done), 0};
}

} // namespace

std::string to_hex(const std::string& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (unsigned char c : bytes) {
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  return text;
}

std::string from_hex(const std::string& text) {
  auto value = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    auto high = value(text[i]), low = value(text[i + 1]);
    if (high < 0 || low < 0)
      return {};
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

control_reply carry_out(coordinator& owner, const std::string& text) {
  auto command = json::parse(text, nullptr, false);
  if (!command.is_object())
    return refused({failure_kind::invalid, "a command is one JSON object", false});
  auto act = command.value("command", "");
  if (act == "status")
    return {owner.status_json(), 0};
  if (act == "submit")
    return submit(owner, command);
  if (act == "merge")
    return merge(owner, command);
  if (act == "read") {
    std::vector<std::string> words;
    if (auto w = command.find("words"); w != command.end() && w->is_array())
      for (const auto& word : *w)
        if (word.is_string())
          words.push_back(word.get<std::string>());
    return read_for_client(owner.store_dir(), command.value("campaign", ""), words,
                           command.value("writes", false));
  }
  if (act != "pause" && act != "resume" && act != "stop" && act != "hint" && act != "set")
    return refused({failure_kind::invalid, "this owner knows no command \"" + act + "\"", false});
  auto id = owner.find_running(command.value("campaign", ""));
  if (!id)
    return refused(id.error());
  auto key = act == "hint" ? command.value("node", "") : command.value("key", "");
  auto value = act == "hint" ? command.value("text", "") : command.value("value", "");
  if (auto done = owner.steer_campaign(*id, act, key, value); !done)
    return refused(done.error());
  return {json{{"done", act}}.dump(), 0};
}

} // namespace ke
