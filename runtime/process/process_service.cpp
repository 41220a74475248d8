#include "runtime/process/process_service.hpp"

#include "runtime/process/capture.hpp"
#include "runtime/process/spawn.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <variant>
#include <vector>

namespace ke {
namespace {

using clock = std::chrono::steady_clock;
using time_point = clock::time_point;

constexpr auto sweep_again = std::chrono::milliseconds{1};
constexpr auto sweep_patience = std::chrono::seconds{2};

struct start {
  std::uint64_t id;
  process_spec spec;
  std::function<void(process_exit)> done;
};
struct cancel_order {
  std::uint64_t id;
};
struct terminate_order {
  std::uint64_t id;
};
using order = std::variant<start, cancel_order, terminate_order>;

/// One child from its start to its `done`.
struct job {
  std::uint64_t id;
  std::function<void(process_exit)> done;
  std::function<void(std::string_view)> on_output;
  std::shared_ptr<void> keeps;
  child process;
  feed in;
  capture out;
  capture err;
  time_point began;
  std::optional<time_point> deadline;
  bool timed_out = false;
  bool cancelled = false;
  std::optional<child_end> end;          ///< it is dead
  std::optional<time_point> swept_until; ///< when to stop looking for what it left behind

  void kill() {
    if (process.pid > 0)
      ::kill(-process.pid, SIGKILL);
    deadline.reset();
  }
};

} // namespace

class process_service::loop {
public:
  loop() : wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!wake_)
      throw std::system_error{errno, std::generic_category(), "eventfd of the process service"};
    adopt_orphans();
    thread_ = std::thread{[this] { run(); }};
  }

  ~loop() {
    {
      std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    wake();
    thread_.join();
  }

  std::uint64_t enqueue(process_spec spec, std::function<void(process_exit)> done) {
    std::uint64_t id;
    {
      std::lock_guard lock{mutex_};
      id = ++last_id_;
      orders_.emplace_back(start{id, std::move(spec), std::move(done)});
    }
    wake();
    return id;
  }

  void enqueue(order o) {
    {
      std::lock_guard lock{mutex_};
      orders_.push_back(std::move(o));
    }
    wake();
  }

private:
  void wake() {
    std::uint64_t one = 1;
    while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
  }

  void run() {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    while (take_orders()) {
      wait();
      auto now = clock::now();
      for (auto& j : jobs_)
        serve(j, now);
      finish(now);
    }
  }

  /// False when the service stops and nothing is left to do.
  bool take_orders() {
    std::vector<order> orders;
    bool stopping;
    {
      std::lock_guard lock{mutex_};
      orders.swap(orders_);
      stopping = stopping_;
    }
    for (auto& o : orders)
      std::visit([&](auto& x) { obey(x, stopping); }, o);
    if (stopping)
      for (auto& j : jobs_)
        abandon(j);
    if (!stopping || !jobs_.empty())
      return true;
    std::lock_guard lock{mutex_};
    return !orders_.empty(); // a `done` may have asked for more
  }

  void obey(start& s, bool stopping) {
    if (stopping)
      return refuse(s, {failure_kind::cancelled,
                        "'" + name_of(s.spec) + "' was not started: the process service is stopping."});
    auto began = clock::now();
    auto started = spawn(s.spec);
    if (!started)
      return refuse(s, started.error());
    auto& c = *started;
    feed in{std::move(c.in), std::move(s.spec.input), s.spec.keep_input_open};
    capture out{std::move(c.out), s.spec.output_limit}, err{std::move(c.err), s.spec.output_limit};
    jobs_.push_back(job{s.id,
                        std::move(s.done),
                        std::move(s.spec.on_output),
                        std::move(s.spec.keeps),
                        std::move(c),
                        std::move(in),
                        std::move(out),
                        std::move(err),
                        began,
                        {}});
    if (s.spec.deadline.count() > 0)
      jobs_.back().deadline = began + s.spec.deadline;
  }

  void obey(cancel_order& o, bool) {
    if (auto* j = find(o.id))
      abandon(*j);
  }

  void obey(terminate_order& o, bool) {
    if (auto* j = find(o.id); j && j->process.pid > 0)
      ::syscall(SYS_pidfd_send_signal, j->process.pidfd.get(), SIGTERM, nullptr, 0);
  }

  static std::string name_of(const process_spec& spec) {
    return spec.argv.empty() ? std::string{} : spec.argv.front();
  }

  static void refuse(start& s, failure why) {
    process_exit e;
    e.id = s.id;
    e.cancelled = why.kind == failure_kind::cancelled;
    e.why = std::move(why);
    s.spec.keeps.reset();
    s.done(std::move(e));
  }

  static void abandon(job& j) {
    if (j.end || j.timed_out || j.cancelled)
      return;
    j.cancelled = true;
    j.kill();
  }

  job* find(std::uint64_t id) {
    auto j = std::find_if(jobs_.begin(), jobs_.end(), [&](auto& x) { return x.id == id; });
    return j == jobs_.end() ? nullptr : &*j;
  }

  void wait() {
    polled_.assign(1, {wake_.get(), POLLIN, 0});
    auto next = time_point::max();
    for (auto& j : jobs_) {
      if (!j.end)
        polled_.push_back({j.process.pidfd.get(), POLLIN, 0});
      if (j.in.hungry())
        polled_.push_back({j.in.descriptor(), POLLOUT, 0});
      if (j.out.descriptor() >= 0)
        polled_.push_back({j.out.descriptor(), POLLIN, 0});
      if (j.err.descriptor() >= 0)
        polled_.push_back({j.err.descriptor(), POLLIN, 0});
      if (j.deadline)
        next = std::min(next, *j.deadline);
      if (j.end)
        next = std::min(next, clock::now() + sweep_again);
    }
    timespec left{};
    if (next != time_point::max()) {
      auto ns = std::max<std::int64_t>(0, std::chrono::nanoseconds{next - clock::now()}.count());
      left = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    }
    ::ppoll(polled_.data(), polled_.size(), next == time_point::max() ? nullptr : &left, nullptr);
    std::uint64_t count;
    while (::read(wake_.get(), &count, sizeof count) > 0) {
    }
  }

  /// Everything is tried without blocking, whatever poll said: a few wasted calls instead of a second table.
  void serve(job& j, time_point now) {
    if (j.in.hungry())
      j.in.write_some();
    j.out.read_some(j.on_output);
    j.err.read_some({});
    if (j.deadline && now >= *j.deadline) {
      j.timed_out = true;
      j.kill();
    }
    if (j.end)
      return;
    if (auto end = reap_whole(j)) {
      j.end = *end;
      j.swept_until = now + sweep_patience;
    }
  }

  /// The rest of the group goes with its leader; it must be told before the leader's pid is free for another.
  static std::optional<child_end> reap_whole(job& j) {
    pollfd p{j.process.pidfd.get(), POLLIN, 0};
    if (::poll(&p, 1, 0) <= 0)
      return std::nullopt;
    ::kill(-j.process.pid, SIGKILL);
    return reap(j.process);
  }

  /// A child is finished when it is dead and nothing that it left behind lives; then its pipes hold all there
  /// will be.
  void finish(time_point now) {
    if (std::none_of(jobs_.begin(), jobs_.end(), [](auto& j) { return j.end.has_value(); }))
      return;
    bool clean = sweep_orphans() == 0;
    std::list<job> over;
    for (auto j = jobs_.begin(); j != jobs_.end();) {
      auto next = std::next(j);
      if (j->end && (clean || now >= *j->swept_until))
        over.splice(over.end(), jobs_, j);
      j = next;
    }
    for (auto& j : over)
      deliver(j, now);
  }

  static void deliver(job& j, time_point now) {
    j.in.close();
    j.out.read_some(j.on_output);
    j.err.read_some({});
    j.out.close();
    j.err.close();
    j.keeps.reset();
    process_exit e;
    e.id = j.id;
    e.code = j.end->code;
    e.signal = j.end->signal;
    e.timed_out = j.timed_out;
    e.cancelled = j.cancelled;
    e.output_cut = j.out.cut() || j.err.cut();
    e.out = j.out.take();
    e.err = j.err.take();
    e.seconds = std::chrono::duration<double>(now - j.began).count();
    e.cpu_seconds = j.end->cpu_seconds;
    j.done(std::move(e));
  }

  unique_fd wake_;
  std::mutex mutex_; ///< guards the three below
  std::vector<order> orders_;
  std::uint64_t last_id_ = 0;
  bool stopping_ = false;
  std::list<job> jobs_; ///< from here on the thread's own
  std::vector<pollfd> polled_;
  std::thread thread_;
};

process_service::process_service() : loop_{std::make_unique<loop>()} {}
process_service::~process_service() = default;

std::uint64_t process_service::run(process_spec spec, std::function<void(process_exit)> done) {
  return loop_->enqueue(std::move(spec), std::move(done));
}
void process_service::cancel(std::uint64_t id) {
  loop_->enqueue(cancel_order{id});
}
void process_service::terminate(std::uint64_t id) {
  loop_->enqueue(terminate_order{id});
}

} // namespace ke
