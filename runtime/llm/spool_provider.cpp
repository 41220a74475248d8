#include "runtime/llm/spool_provider.hpp"

#include "runtime/llm/provider_adapter.hpp"
#include "runtime/observe/log.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ke {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds look_through_every{5};
constexpr std::string_view answer_end = ".answer.md";

bool fit_for_file_name(const std::string& call) {
  constexpr auto allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !call.empty() && call.size() <= 200 && call.front() != '.' &&
         call.find_first_not_of(allowed) == std::string::npos;
}

/// Appears whole or not at all.
failure write_aside(const fs::path& path, const std::string& text) {
  auto aside = path;
  aside += ".tmp";
  auto* file = std::fopen(aside.c_str(), "wbe");
  bool written =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  int error = written ? 0 : errno;
  if (file)
    std::fclose(file);
  if (written && std::rename(aside.c_str(), path.c_str()) != 0)
    error = errno;
  if (error == 0)
    return {};
  ::unlink(aside.c_str());
  auto why = std::error_code{error, std::generic_category()}.message();
  return {error == ENOSPC ? failure_kind::disk_full : failure_kind::invalid,
          "the spool file " + path.string() + " can't be written: " + why, error == ENOSPC};
}

} // namespace

class spool_provider::loop {
public:
  loop(model_settings model, answer_recorder record)
      : model_{std::move(model)}, record_{std::move(record)}, dir_{model_.dir} {
    std::error_code error;
    fs::create_directories(dir_, error);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    watch_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (error || wake_ < 0 || watch_ < 0 ||
        inotify_add_watch(watch_, dir_.c_str(), IN_MOVED_TO | IN_CLOSE_WRITE) < 0) {
      if (wake_ >= 0)
        close(wake_);
      if (watch_ >= 0)
        close(watch_);
      throw std::runtime_error("the spool folder " + dir_.string() +
                               " can't be made or watched: check `dir` of model " + model_.name);
    }
    thread_ = std::thread{[this] { run(); }};
  }

  ~loop() {
    {
      std::lock_guard guard{mutex_};
      stopping_ = true;
    }
    wake();
    thread_.join();
    close(wake_);
    close(watch_);
  }

  std::uint64_t ask(ask_request request, std::function<void(raw_answer)> done) {
    std::uint64_t id = 0;
    {
      std::lock_guard guard{mutex_};
      id = ++last_;
      arrivals_.push_back({id, std::move(request), std::move(done), clock::now()});
    }
    wake();
    return id;
  }

  void cancel(std::uint64_t id) {
    {
      std::lock_guard guard{mutex_};
      cancels_.push_back(id);
    }
    wake();
  }

private:
  struct waiting_call {
    std::uint64_t id;
    ask_request request;
    std::function<void(raw_answer)> done;
    clock::time_point start;
  };
  using calls = std::multimap<std::string, waiting_call>; ///< by call name

  void wake() {
    std::uint64_t one = 1;
    [[maybe_unused]] auto n = ::write(wake_, &one, sizeof one);
  }

  void run() {
    auto next_look = clock::now() + look_through_every;
    while (take_commands()) {
      if (auto now = clock::now(); now >= next_look) {
        look_through();
        next_look = now + look_through_every;
      }
      expire();
      pollfd fds[2] = {{wake_, POLLIN, 0}, {watch_, POLLIN, 0}};
      ::poll(fds, 2, waiting_.empty() ? -1 : wait_ms(next_look));
      std::uint64_t count = 0;
      [[maybe_unused]] auto n = ::read(wake_, &count, sizeof count);
      take_events();
    }
    while (!waiting_.empty())
      finish(waiting_.begin(),
             {failure_kind::cancelled, "the spool provider stops; the prompt stays", false});
  }

  int wait_ms(clock::time_point next) const {
    for (const auto& [name, call] : waiting_)
      if (call.request.deadline.count() > 0)
        next = std::min(next, call.start + call.request.deadline);
    auto ms = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(ms, 0));
  }

  bool take_commands() {
    std::vector<waiting_call> arrivals;
    std::vector<std::uint64_t> cancels;
    bool stopping = false;
    {
      std::lock_guard guard{mutex_};
      arrivals.swap(arrivals_);
      cancels.swap(cancels_);
      stopping = stopping_;
    }
    for (auto& call : arrivals)
      arrive(std::move(call));
    for (auto id : cancels)
      for (auto i = waiting_.begin(); i != waiting_.end(); ++i)
        if (i->second.id == id) {
          if (!warned_.contains(i->first)) // else it is not ours
            ::unlink(path_of(i->first, ".prompt.md").c_str());
          finish(i, {failure_kind::cancelled, "the request was cancelled", false});
          break;
        }
    return !stopping;
  }

  fs::path path_of(const std::string& call, std::string_view end) const {
    return dir_ / (call + std::string{end});
  }

  enum class prompt_file { absent, same, foreign };

  /// What lies in the place of this call's prompt. A person may have written notes below it.
  prompt_file look_at_prompt(const std::string& name, const ask_request& asked) {
    std::ifstream file{path_of(name, ".prompt.md"), std::ios::binary};
    if (!file)
      return prompt_file::absent;
    auto text = text_of(asked.prompt);
    std::string found(text.size(), '\0');
    file.read(found.data(), static_cast<std::streamsize>(found.size()));
    return file.gcount() == static_cast<std::streamsize>(text.size()) && found == text ? prompt_file::same
                                                                                       : prompt_file::foreign;
  }

  /// An answer to another prompt is nobody's here: it stays, and the call waits until both files are gone.
  bool is_foreign(const std::string& name, const ask_request& asked) {
    if (warned_.contains(name))
      return true;
    if (look_at_prompt(name, asked) != prompt_file::foreign)
      return false;
    if (warned_.insert(name).second)
      log::warn("spool",
                "another prompt than the one asked now lies in its place: neither it nor its answer is "
                "touched; move both away, and this one is asked",
                {{"file", path_of(name, ".prompt.md").string()}});
    return true;
  }

  /// Where a foreign pair lay. An answer that is left alone there would be taken for one to the new prompt.
  bool is_free(const std::string& name) {
    auto there = look_at_prompt(name, waiting_.find(name)->second.request);
    std::error_code error;
    return there == prompt_file::same ||
           (there == prompt_file::absent && !fs::exists(path_of(name, answer_end), error));
  }

  void arrive(waiting_call call) {
    auto name = call.request.call;
    // An earlier version may have asked under another name.
    if (const auto& former = call.request.former_call;
        fit_for_file_name(former) && look_at_prompt(former, call.request) == prompt_file::same)
      name = former;
    auto placed = waiting_.emplace(name, std::move(call));
    if (!fit_for_file_name(name))
      return finish(placed, {failure_kind::invalid,
                             "the call name \"" + name + "\" is no file name for the spool", false});
    if (!is_foreign(name, placed->second.request) && !take_answer(name))
      place_prompt(placed);
  }

  void place_prompt(calls::iterator which) {
    const auto& [name, call] = *which;
    if (look_at_prompt(name, call.request) != prompt_file::absent)
      return; // there already, or not ours to replace
    if (auto why = write_aside(path_of(name, ".prompt.md"), text_of(call.request.prompt));
        why.kind != failure_kind::none)
      finish(which, std::move(why));
  }

  void take_events() {
    alignas(inotify_event) char buffer[16384];
    for (;;) {
      auto n = ::read(watch_, buffer, sizeof buffer);
      if (n <= 0)
        return;
      for (char* at = buffer; at < buffer + n;) {
        auto* event = reinterpret_cast<inotify_event*>(at);
        at += sizeof(inotify_event) + event->len;
        if (event->mask & IN_Q_OVERFLOW)
          look_through();
        std::string name = event->len ? event->name : "";
        if (name.size() > answer_end.size() &&
            name.compare(name.size() - answer_end.size(), answer_end.size(), answer_end) == 0)
          take_answer(name.substr(0, name.size() - answer_end.size()), event->mask & IN_MOVED_TO);
      }
    }
  }

  void look_through() {
    for (auto i = waiting_.begin(); i != waiting_.end();) {
      auto name = i->first;
      i = waiting_.upper_bound(name);
      if (warned_.contains(name) && !is_free(name))
        continue;
      if (warned_.erase(name) > 0)
        place_prompt(waiting_.find(name));
      take_answer(name);
    }
  }

  void expire() {
    auto now = clock::now();
    for (auto i = waiting_.begin(); i != waiting_.end();) {
      auto current = i++;
      const auto& call = current->second;
      if (call.request.deadline.count() > 0 && now >= call.start + call.request.deadline)
        finish(current,
               {failure_kind::timeout,
                "total: nobody answered " + path_of(current->first, ".prompt.md").string() + " in time",
                true});
    }
  }

  /// Gives the answer of `name` to whoever waits for it, if it is there. An empty file may be one that
  /// somebody is about to write; `whole`: it was put in place as it is.
  bool take_answer(const std::string& name, bool whole = false) {
    auto [first, last] = waiting_.equal_range(name);
    if (first == last)
      return false;
    std::ifstream file{path_of(name, answer_end), std::ios::binary};
    if (!file || warned_.contains(name) || is_foreign(name, first->second.request))
      return false;
    auto limit = static_cast<std::size_t>(model_.max_answer_bytes) + 1; // one more shows that it is too long
    std::string body;
    char piece[65536];
    while (body.size() < limit && (file.read(piece, sizeof piece), file.gcount() > 0))
      body.append(piece, std::min<std::size_t>(static_cast<std::size_t>(file.gcount()), limit - body.size()));
    if (body.empty() && !whole)
      return false;
    while (first != last)
      finish(first++, {}, body);
    return true;
  }

  void finish(calls::iterator which, failure why, std::string body = {}) {
    auto call = std::move(which->second);
    waiting_.erase(which);
    raw_answer answer;
    answer.id = call.id;
    answer.call = call.request.call;
    answer.provider = model_.provider;
    answer.why = std::move(why);
    answer.body = log::masked(body);
    answer.seconds = std::chrono::duration<double>(clock::now() - call.start).count();
    if (record_)
      record_(answer);
    if (answer.why.kind == failure_kind::none) {
      answer.reply = plain_completion(model_, bytes_of(call.request.prompt), answer.body);
      answer.why = answer.reply.why;
    } else {
      answer.reply.why = answer.why;
    }
    call.done(std::move(answer));
  }

  model_settings model_;
  answer_recorder record_;
  fs::path dir_;
  int wake_ = -1;
  int watch_ = -1;
  calls waiting_;
  std::set<std::string> warned_; ///< names where a foreign prompt lies

  std::mutex mutex_; ///< guards the four below
  std::vector<waiting_call> arrivals_;
  std::vector<std::uint64_t> cancels_;
  std::uint64_t last_ = 0;
  bool stopping_ = false;

  std::thread thread_;
};

namespace {

made_provider make_spool_provider(const model_settings& model, provider_services& services) {
  if (model.dir.empty())
    return invalid_model(model, "`dir` must name the spool folder");
  try {
    return made_provider{std::make_unique<spool_provider>(model, std::move(services.record))};
  } catch (const std::runtime_error& e) {
    return invalid_model(model, e.what());
  }
}

} // namespace

constinit const provider_adapter spool_adapter{make_spool_provider};

spool_provider::spool_provider(model_settings model, answer_recorder record)
    : loop_{std::make_unique<loop>(std::move(model), std::move(record))} {}
spool_provider::~spool_provider() = default;
std::uint64_t spool_provider::ask(ask_request request, std::function<void(raw_answer)> done) {
  return loop_->ask(std::move(request), std::move(done));
}
void spool_provider::cancel(std::uint64_t id) {
  loop_->cancel(id);
}

} // namespace ke
