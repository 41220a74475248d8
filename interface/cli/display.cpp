#include "interface/cli/display.hpp"

#include "interface/cli/claim_text.hpp"
#include "runtime/core/names.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

namespace ke::cli {
namespace {

using sorted_json = nlohmann::json;
using clock = std::chrono::steady_clock;

std::string span_text(double seconds) {
  char text[32];
  if (seconds < 90)
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  else if (seconds < 5400)
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  else
    std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  return text;
}

std::string progress_best(const sorted_json& best) {
  char text[256];
  auto node = static_cast<unsigned long long>(best["node"].get<std::uint64_t>());
  if (auto score = best["score"].get<double>(); score > 0)
    std::snprintf(text, sizeof text, ", best %.2fx (lower bound, node %llu)", score, node);
  else
    std::snprintf(text, sizeof text, ", best node %llu (right, not timed)", node);
  return text;
}

/// "[12/500] 3 in flight, 30/400 points tuned, best 2.31x (node 7), 0.8 candidates/s, ETA 10 min, 0.12 USD,
/// failures: rate_limited 2; waiting for nvidia-h200"
std::string progress_text(const sorted_json& p, double rate) {
  std::uint64_t ended = 0;
  for (const auto& [state, n] : p["nodes"].items())
    if (state != "planned" && state != "asked" && state != "answered" && state != "building" &&
        state != "measuring")
      ended += n.get<std::uint64_t>();
  auto tuned = p.value("tuned", std::uint64_t{0}); // of templates: they have a budget of their own
  ended -= std::min(ended, tuned);
  auto cap = p["budget"]["candidates"].get<std::uint64_t>();
  char text[256];
  std::snprintf(text, sizeof text, "[%llu/%llu] %llu in flight", static_cast<unsigned long long>(ended),
                static_cast<unsigned long long>(cap),
                static_cast<unsigned long long>(p["in_flight"].get<std::uint64_t>()));
  std::string line = text;
  if (tuned > 0)
    line += ", " + std::to_string(tuned) + "/" +
            std::to_string(p["budget"].value("tune_candidates", std::uint64_t{0})) + " points tuned";
  if (p["best"].is_object())
    line += progress_best(p["best"]);
  if (rate > 0) {
    std::snprintf(text, sizeof text, ", %.2f candidates/s, at most %s left", rate,
                  span_text(static_cast<double>(cap - std::min(cap, ended)) / rate).c_str());
    line += text;
  }
  if (auto usd = p["spend"]["usd"].get<double>(); usd > 0) {
    std::snprintf(text, sizeof text, ", %.2f USD", usd);
    line += text;
  }
  std::string failures;
  for (const auto& [kind, n] : p["failures"].items())
    failures +=
        (failures.empty() ? ", failures: " : ", ") + kind + " " + std::to_string(n.get<std::uint64_t>());
  if (p["state"] == "paused")
    line += p.contains("trouble") ? ", paused" : ", paused (`ke-runtime resume` goes on)";
  std::string waiting;
  if (p.contains("waiting"))
    for (const auto& w : p["waiting"])
      waiting += "; " + w.value("text", "");
  return line + failures + waiting;
}

} // namespace

class display::printer {
public:
  explicit printer(ui_kind kind) : kind_{kind}, thread_{[this] { loop(); }} {}
  ~printer() {
    {
      std::lock_guard lock{mutex_};
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void push(std::string line, bool note) {
    {
      std::lock_guard lock{mutex_};
      lines_.emplace_back(std::move(line), note);
    }
    changed_.notify_all();
  }

private:
  void loop() {
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [&] { return ending_ || !lines_.empty(); });
      auto lines = std::exchange(lines_, {});
      auto last = ending_;
      lock.unlock();
      for (const auto& [text, note] : lines)
        note ? say(text) : show(text);
      std::fflush(stdout);
      lock.lock();
      if (last && lines_.empty())
        break;
    }
    if (status_shown_)
      std::fputs("\n", stdout);
    std::fflush(stdout);
  }

  void say(const std::string& text) {
    if (kind_ == ui_kind::json || kind_ == ui_kind::none)
      return;
    clear();
    std::fputs((text + "\n").c_str(), stdout);
  }

  void clear() {
    if (kind_ == ui_kind::tui && status_shown_)
      std::fputs("\r\033[K", stdout);
    status_shown_ = false;
  }

  void show(const std::string& text) {
    if (kind_ == ui_kind::json)
      std::fputs((text + "\n").c_str(), stdout);
    if (kind_ == ui_kind::json || kind_ == ui_kind::none)
      return;
    auto e = sorted_json::parse(text, nullptr, false);
    if (!e.is_object())
      return;
    auto kind = e.value("event", "");
    if (kind == "node")
      node(e, campaigns_[e.value("campaign", "")]);
    else if (kind == "progress")
      progress(e, campaigns_[e.value("campaign", "")]);
    else if (kind == "stop")
      say("campaign " + e.value("campaign", "") +
          " stops: " + (e.value("reason", "").empty() ? e.value("state", "") : e.value("reason", "")));
    else if (kind == "claim")
      say(name_of(e) + "node " + e.value("node", "") + ", a finalist: " + claim_words(e));
    else if (kind == "trouble")
      say("trouble: " + e.value("text", ""));
    else if (kind == "waiting")
      say(name_of(e) + e.value("text", ""));
    else if (kind == "admission")
      admission(e);
  }

  static std::string claim_words(const sorted_json& e) {
    auto state = e.value("state", "");
    if (state == "measuring")
      return "measuring it again for the claim";
    if (state == "validating")
      return "measuring it on a second device";
    if (state != "validated")
      return "the claim is " + state;
    return second_device_words(
        parse_name<second_look>(e.value("second_device", "")).value_or(second_look::none));
  }

  /// What a campaign has told so far.
  struct told {
    double best = 0;
    std::uint64_t ended = 0;
    clock::time_point begun = clock::now(), progress{};
  };

  /// "NAME: " as soon as there is more than one.
  std::string name_of(const sorted_json& e) const {
    return campaigns_.size() > 1 ? e.value("campaign", "") + ": " : std::string{};
  }

  void admission(const sorted_json& e) {
    auto state = e.value("state", ""), backend = e.value("backend", ""), why = e.value("text", "");
    say(name_of(e) + (state == "measuring"
                          ? "checking the problem on " + backend + " before any model is asked"
                      : state == "admitted" ? "the problem can be judged on " + backend
                      : state == "resting" ? "the problem could not be checked on " + backend + " yet: " + why
                                           : "the problem can't be judged on " + backend + ": " + why));
  }

  void node(const sorted_json& e, told& seen) {
    ++seen.ended;
    auto score = e["score"].is_number() ? e["score"].get<double>() : 0;
    auto better = e["state"] == "correct" && score > seen.best;
    if (better)
      seen.best = score;
    if (kind_ == ui_kind::tui && !better)
      return;
    char text[400];
    auto id = std::to_string(e["node"].get<std::uint64_t>());
    if (e["state"] == "correct" && e["score"].is_number())
      std::snprintf(text, sizeof text, "node %-5s correct, %s: at least %.2fx%s", id.c_str(),
                    e["decision"].is_string() ? e["decision"].get<std::string>().c_str() : "untimed", score,
                    better ? "  <- best so far" : "");
    else
      std::snprintf(text, sizeof text, "node %-5s %s%s%s", id.c_str(), e["state"].get<std::string>().c_str(),
                    e.contains("reason") ? ": " : "", e.value("reason", "").c_str());
    say(name_of(e) + text);
  }

  void progress(const sorted_json& e, told& seen) {
    auto now = clock::now();
    auto rate = seen.ended > 0 ? static_cast<double>(seen.ended) /
                                     std::chrono::duration<double>(now - seen.begun).count()
                               : 0;
    auto text = name_of(e) + progress_text(e, rate);
    if (kind_ == ui_kind::tui) {
      clear();
      std::fputs(text.c_str(), stdout);
      status_shown_ = true;
    } else if (now - seen.progress >= std::chrono::seconds{5}) {
      seen.progress = now;
      say(text);
    }
  }

  ui_kind kind_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::string, bool>> lines_;
  bool ending_ = false, status_shown_ = false;
  std::map<std::string, told> campaigns_; ///< by name
  std::thread thread_;
};

display::display(ui_kind kind) : printer_{std::make_unique<printer>(kind)} {}
display::~display() = default;
void display::event(const std::string& line) {
  printer_->push(line, false);
}
void display::note(const std::string& text) {
  printer_->push(text, true);
}

} // namespace ke::cli
