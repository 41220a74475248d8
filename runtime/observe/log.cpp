#include "runtime/observe/log.hpp"

#include "runtime/text/json_text.hpp"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace ke::log {
namespace {

constexpr std::size_t file_bytes = 32u << 20;
constexpr std::size_t files_kept = 4;

using sink = std::shared_ptr<spdlog::logger>;

struct state {
  std::shared_mutex lock;
  level least = level::warn;
  sink human; ///< null: off
  std::vector<sink> json;
  std::vector<std::string> secrets; ///< longest first: one may contain another

  state() { human = on_stderr("ke.human"); }

  static sink on_stderr(const char* name) {
    return plain(name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  }

  /// Lines are made here, not by a pattern: spdlog does not escape JSON.
  static sink plain(const char* name, spdlog::sink_ptr to) {
    auto made = std::make_shared<spdlog::logger>(name, std::move(to));
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::warn);
    return made;
  }
};

/// Never destroyed: other threads may log while statics go down.
state& shared() {
  static auto* one = new state;
  return *one;
}

constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warn", "error"};
constexpr std::array<spdlog::level::level_enum, 4> levels{spdlog::level::debug, spdlog::level::info,
                                                          spdlog::level::warn, spdlog::level::err};

/// "2026-01-31T12:00:00.123Z"
std::string timestamp() {
  auto now = std::chrono::system_clock::now();
  auto seconds = std::chrono::system_clock::to_time_t(now);
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char day[32], text[48];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text, sizeof text, "%s.%03dZ", day, static_cast<int>(ms));
  return text;
}

/// Untrusted values must not move a terminal's cursor or fake a second line.
std::string for_people(const std::string& value) {
  auto plain = !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return c > 0x20 && c < 0x7f && c != '"';
  });
  return plain ? value : json_text(value);
}

std::string masked_with(const std::vector<std::string>& secrets, std::string text) {
  for (const auto& secret : secrets)
    for (std::size_t at = 0; (at = text.find(secret, at)) != text.npos; at += 3)
      text.replace(at, secret.size(), "***");
  return text;
}

} // namespace

void start(const options& o) {
  auto& s = shared();
  std::string trouble;
  {
    std::unique_lock writing{s.lock};
    s.least = o.least;
    s.human = o.human ? state::on_stderr("ke.human") : nullptr;
    s.json.clear();
    if (!o.human)
      s.json.push_back(state::on_stderr("ke.json"));
    if (!o.json_file.empty()) {
      try {
        s.json.push_back(state::plain("ke.file", std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                                                     o.json_file, file_bytes, files_kept)));
      } catch (const spdlog::spdlog_ex& e) {
        trouble = e.what();
      }
    }
  }
  if (!trouble.empty())
    warn("log", "the log file cannot be written; logging to stderr only",
         {{"file", o.json_file}, {"why", trouble}});
}

void stop() {
  auto& s = shared();
  std::unique_lock writing{s.lock};
  for (auto& to : s.json)
    to->flush();
  s.json.clear();
  s.human = state::on_stderr("ke.human");
  s.least = level::warn;
}

void mask(std::string secret) {
  constexpr std::size_t shortest = 8;
  if (secret.size() < shortest)
    return;
  auto& s = shared();
  std::unique_lock writing{s.lock};
  if (std::find(s.secrets.begin(), s.secrets.end(), secret) != s.secrets.end())
    return;
  s.secrets.push_back(std::move(secret));
  std::sort(s.secrets.begin(), s.secrets.end(), [](auto& a, auto& b) { return a.size() > b.size(); });
}

std::string masked_key(const std::string& variable) {
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  std::string key = value ? value : "";
  mask(key);
  return key;
}

std::string masked(std::string_view text) {
  auto& s = shared();
  std::shared_lock reading{s.lock};
  return masked_with(s.secrets, std::string{text});
}

void write(level l, std::string_view where, std::string_view text, std::initializer_list<field> fields) {
  auto& s = shared();
  std::shared_lock reading{s.lock};
  if (l < s.least)
    return;
  auto clean = [&](std::string_view x) { return masked_with(s.secrets, std::string{x}); };
  auto index = static_cast<std::size_t>(l);
  auto now = timestamp();
  if (s.human) {
    auto line =
        now.substr(11, 12) + " " + std::string{level_names[index]} + " " + clean(where) + ": " + clean(text);
    for (const auto& [key, value] : fields)
      line += " " + clean(key) + "=" + for_people(clean(value));
    s.human->log(levels[index], spdlog::string_view_t{line});
  }
  if (s.json.empty())
    return;
  auto line = "{\"time\":\"" + now + "\",\"level\":\"" + std::string{level_names[index]} +
              "\",\"where\":" + json_text(clean(where)) + ",\"text\":" + json_text(clean(text));
  for (const auto& [key, value] : fields)
    line += "," + json_text(clean(key)) + ":" + json_text(clean(value));
  line += "}";
  for (const auto& to : s.json)
    to->log(levels[index], spdlog::string_view_t{line});
}

} // namespace ke::log
