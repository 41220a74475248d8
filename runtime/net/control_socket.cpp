#include "runtime/net/control_socket.hpp"

#include "runtime/net/transport.hpp"
#include "runtime/net/wire_body.hpp"

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>

namespace ke {

namespace fs = std::filesystem;

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t longest_path = 100; // as wire.md: sun_path holds 107
constexpr std::size_t max_answer = 256u << 20;
constexpr std::size_t max_events = 65'536;
constexpr int pings_missed = 3;

} // namespace

std::string error_in(const std::string& answer) {
  auto said = nlohmann::json::parse(answer, nullptr, false);
  auto error = said.find("error");
  return said.is_object() && error != said.end() && error->is_string() ? error->get<std::string>() : answer;
}

std::vector<std::string> control_paths(const std::string& store, const std::string& store_id,
                                       const std::string& runtime_dir, unsigned uid) {
  std::vector<std::string> paths;
  auto propose = [&](std::string path) {
    if (path.size() <= longest_path)
      paths.push_back(std::move(path));
  };
  if (!runtime_dir.empty() && runtime_dir.front() == '/')
    propose(runtime_dir + "/ke-runtime/" + store_id + ".sock");
  propose(store + "/control.sock");
  propose("/tmp/ke-runtime-" + std::to_string(uid) + "/" + store_id + ".sock");
  return paths;
}

result<std::string> take_control_path(const std::vector<std::string>& paths, const std::string& store) {
  std::string why;
  for (const auto& path : paths) {
    auto ready = prepare_control_path(path, store);
    if (ready)
      return path;
    why += (why.empty() ? "" : "; ") + ready.error().text;
  }
  return failure{failure_kind::invalid, "there is no place for the control socket: " + why};
}

status prepare_control_path(const std::string& path, const std::string& store) {
  auto folder = fs::path{path}.parent_path();
  bool own = folder != fs::path{store};
  if (own && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return failure{failure_kind::invalid,
                   "cannot make " + folder.string() + " for the control socket: " + std::strerror(errno)};
  struct stat s{};
  // In a shared folder such as /tmp somebody else may have been there first.
  if (::lstat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != ::geteuid())
    return failure{failure_kind::invalid,
                   folder.string() + " is not a folder of this user: remove it, or set XDG_RUNTIME_DIR"};
  if (own && (s.st_mode & 077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
    return failure{failure_kind::invalid,
                   "cannot set the mode of " + folder.string() + ": " + std::strerror(errno)};
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return failure{failure_kind::invalid,
                   "cannot write to " + folder.string() + " for the control socket: " + std::strerror(errno)};
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return failure{failure_kind::invalid,
                   "cannot remove the old control socket " + path + ": " + std::strerror(errno)};
  return ok;
}

/// What the transport thread has brought and the client's thread has not yet taken.
struct control_client::core {
  std::mutex mutex;
  std::condition_variable news;
  std::deque<std::pair<std::uint64_t, wire::answer_body>> answers; ///< by the command's sequence
  std::deque<std::string> events;
  std::string refused;
  int unanswered = 0; ///< pings since anything was heard
  std::uint64_t sequence = 0;
  std::chrono::milliseconds ping_every;
  clock::time_point next_ping{};
  std::unique_ptr<transport> wire; ///< last: its thread uses the rest

  void on_frame(frame f) {
    std::lock_guard lock{mutex};
    unanswered = 0;
    if (f.kind == frame_kind::answer) {
      if (auto body = wire::decode<wire::answer_body>(f.body))
        answers.emplace_back(f.correlation, std::move(*body));
    } else if (f.kind == frame_kind::event) {
      if (auto body = wire::decode<wire::event_body>(f.body); body && events.size() < max_events)
        events.push_back(std::move(body->json));
    } else if (f.kind == frame_kind::refuse) {
      auto body = wire::decode<wire::refuse_body>(f.body);
      refused = body ? body->reason : "the owner refused";
    }
    news.notify_all();
  }

  wire::answer_body next_answer() {
    auto body = std::move(answers.front().second);
    answers.pop_front();
    return body;
  }

  std::uint64_t command(const std::string& json) {
    auto f = wire::make_frame({}, frame_kind::command, wire::command_body{json});
    f.sequence = ++sequence;
    wire->send(std::move(f));
    return sequence;
  }

  /// Waits until `ready` (under the lock) or until; pings meanwhile. False: time is up, or the owner is gone
  /// (`gone`).
  template <class Ready>
  bool wait(std::unique_lock<std::mutex>& lock, clock::time_point until, bool& gone, Ready ready) {
    gone = false;
    for (;;) {
      if (ready() || !refused.empty())
        return true;
      auto now = clock::now();
      if (now >= until)
        return false;
      // Not by the clock alone: while we were suspended, or the machine stood still, we asked nobody.
      if (now >= next_ping) {
        if (unanswered == pings_missed) {
          gone = true;
          return false;
        }
        ++unanswered;
        next_ping = now + ping_every;
        command(ping_command);
      }
      news.wait_until(lock, std::min(until, next_ping));
    }
  }
};

control_client::control_client(std::unique_ptr<core> c) : core_{std::move(c)} {}
control_client::control_client(control_client&&) noexcept = default;
control_client& control_client::operator=(control_client&&) noexcept = default;
control_client::~control_client() = default;

result<control_client> control_client::connect(const control_target& target,
                                               std::chrono::milliseconds patience) {
  auto c = std::make_unique<core>();
  connect_options o;
  o.endpoint = target.endpoint;
  o.server_key = target.server_key;
  o.keys = target.keys;
  o.session = false;
  transport_events events;
  events.on_frame = [raw = c.get()](frame f) { raw->on_frame(std::move(f)); };
  auto wire = transport::connect(std::move(o), std::move(events));
  if (!wire)
    return wire.error();
  c->wire = std::move(*wire);
  c->ping_every = target.ping_every;
  c->next_ping = clock::now() + c->ping_every;
  control_client client{std::move(c)};
  auto answer = client.ask(ping_command, patience);
  if (!answer && answer.error().kind == failure_kind::timeout)
    return failure{failure_kind::held,
                   "the owner at " + target.endpoint + " did not answer within " +
                       std::to_string(patience.count()) + " ms: it is stopped, stuck or gone",
                   true};
  if (!answer)
    return answer.error();
  if (answer->exit_code != 0)
    return failure{failure_kind::invalid,
                   "the owner at " + target.endpoint + " refused: " + error_in(answer->json)};
  return client;
}

result<control_answer> control_client::ask(const std::string& command_json,
                                           std::chrono::milliseconds patience,
                                           const std::function<void(const std::string&)>& on_part) {
  auto& c = *core_;
  if (command_json.size() + 64 > wire::max_body)
    return failure{failure_kind::too_large, "a command of " + std::to_string(command_json.size()) +
                                                " bytes is over the wire's limit of 1 MiB"};
  control_answer out;
  std::unique_lock lock{c.mutex};
  c.unanswered = 0;
  c.refused.clear();
  auto mine = c.command(command_json);
  auto until = clock::now() + patience;
  for (;;) {
    bool gone = false;
    auto got = c.wait(lock, until, gone, [&] {
      while (!c.answers.empty() && c.answers.front().first != mine)
        c.answers.pop_front(); // of pings, or of a command given up
      return !c.answers.empty();
    });
    if (!got)
      return failure{gone ? failure_kind::connection : failure_kind::timeout,
                     gone ? "the owner went away" : "the owner did not answer in time", true};
    if (!c.refused.empty())
      return failure{failure_kind::invalid, "the owner refused: " + c.refused};
    auto part = c.next_answer();
    until = clock::now() + patience;
    if (out.json.size() + part.json.size() > max_answer)
      return failure{failure_kind::too_large, "the owner's answer is over 256 MiB: ask for less (--limit)"};
    if (on_part) {
      lock.unlock();
      on_part(part.json);
      lock.lock();
    } else {
      out.json += part.json;
    }
    if (part.last) {
      out.exit_code = part.exit_code;
      return out;
    }
  }
}

result<std::string> control_client::next_event(std::chrono::milliseconds patience) {
  auto& c = *core_;
  std::unique_lock lock{c.mutex};
  bool gone = false;
  if (!c.wait(lock, clock::now() + patience, gone, [&] {
        c.answers.clear();
        return !c.events.empty();
      }))
    return failure{gone ? failure_kind::connection : failure_kind::timeout,
                   gone ? "the owner went away" : "no event in time", true};
  if (c.events.empty())
    return failure{failure_kind::connection, "the owner refused: " + c.refused};
  auto line = std::move(c.events.front());
  c.events.pop_front();
  return line;
}

} // namespace ke
