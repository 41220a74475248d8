#include "runtime/net/transport.hpp"

#include "runtime/net/dialer.hpp"
#include "runtime/net/listener.hpp"
#include "runtime/net/net_counters.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <future>
#include <mutex>
#include <thread>
#include <variant>

namespace ke {

namespace {

using clock = std::chrono::steady_clock;
using clock_time = clock::time_point;

constexpr std::size_t max_queued = 65'536;
constexpr std::size_t max_queued_bytes = 64u << 20;

struct blob_request {
  std::string peer, digest, bytes;
};
struct beat_request {
  std::string peer, body;
};
struct hello_request {
  std::string body;
};
using request = std::variant<frame, blob_request, beat_request, hello_request>;

} // namespace

/// The thread, its queue and its wake-up. Senders lock, append, and write the eventfd if the queue was empty.
struct transport::core {
  explicit core(std::unique_ptr<transport_side> s)
      : side{std::move(s)}, wake{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {}
  ~core() {
    {
      std::lock_guard lock{mutex};
      stopping = true;
    }
    ring();
    if (thread.joinable())
      thread.join();
    ::close(wake);
  }

  status start() {
    if (wake < 0)
      return failure{failure_kind::missing, "no file descriptors are left: raise `ulimit -n`"};
    std::promise<status> opened;
    auto outcome = opened.get_future();
    thread = std::thread{[this, &opened] { run(opened); }};
    return outcome.get();
  }

  void push(request r, std::size_t bytes) {
    bool blob = std::holds_alternative<blob_request>(r);
    {
      std::lock_guard lock{mutex};
      auto& queued = blob ? queued_blobs : queued_bytes;
      if (queue.size() >= max_queued || queued + bytes > (blob ? wire::max_assembly : max_queued_bytes)) {
        ++net_counters::dropped;
        return;
      }
      queue.push_back(std::move(r));
      queued += bytes;
      ++net_counters::queue;
      if (queue.size() > 1)
        return; // whoever made it non-empty rang
    }
    ring();
  }

  void ring() {
    std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(wake, &one, sizeof one); // full counter: it rings already
  }

  void run(std::promise<status>& opened) {
    sigset_t all; // signals are the main thread's
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    pthread_setname_np(pthread_self(), "ke-net");
    zmq::context context; // outlives the sockets: closing it waits for their linger
    {
      auto mine = std::move(side);
      auto outcome = mine->open(context, clock::now());
      endpoints = mine->endpoints;
      bool good = static_cast<bool>(outcome);
      opened.set_value(std::move(outcome));
      if (good)
        loop(*mine);
    }
  }

  void loop(transport_side& mine) {
    std::vector<zmq_pollitem_t> items;
    std::vector<request> taken;
    for (bool last = false; !last;) {
      items.assign(1, {nullptr, wake, ZMQ_POLLIN, 0});
      mine.poll_set(items);
      zmq_poll(items.data(), static_cast<int>(items.size()), patience(mine.next()));
      if (items[0].revents & ZMQ_POLLIN) {
        std::uint64_t rings = 0;
        [[maybe_unused]] auto read = ::read(wake, &rings, sizeof rings);
      }
      {
        std::lock_guard lock{mutex};
        taken.swap(queue);
        queued_bytes = queued_blobs = 0;
        last = stopping;
      }
      net_counters::queue -= static_cast<std::int64_t>(taken.size());
      auto now = clock::now();
      for (auto& r : taken)
        apply(mine, r, now);
      taken.clear();
      mine.turn(now);
    }
    mine.close(clock::now());
  }

  static void apply(transport_side& mine, request& r, clock_time now) {
    if (auto f = std::get_if<frame>(&r))
      mine.send(std::move(*f), now);
    else if (auto b = std::get_if<blob_request>(&r))
      mine.send_blob(b->peer, std::move(b->digest), std::move(b->bytes), now);
    else if (auto beat = std::get_if<beat_request>(&r))
      mine.set_beat(beat->peer, std::move(beat->body));
    else
      mine.set_hello(std::move(std::get<hello_request>(r).body));
  }

  static long patience(clock_time until) {
    if (until == clock_time::max())
      return -1;
    auto left = until - clock::now();
    if (left <= left.zero())
      return 0;
    return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
  }

  std::unique_ptr<transport_side> side;
  std::vector<std::string> endpoints;
  int wake;
  std::mutex mutex;
  std::vector<request> queue;
  std::size_t queued_bytes = 0, queued_blobs = 0;
  bool stopping = false;
  std::thread thread;
};

namespace {

transport_events complete(transport_events e) {
  if (!e.on_frame)
    e.on_frame = [](const frame&) {};
  return e;
}

} // namespace

transport::transport(std::unique_ptr<core> c) : core_{std::move(c)} {}
transport::~transport() = default;

result<std::unique_ptr<transport>> transport::listen(listen_options o, transport_events events) {
  auto c = std::make_unique<core>(std::make_unique<listener>(std::move(o), complete(std::move(events))));
  if (auto s = c->start(); !s)
    return s.error();
  return std::unique_ptr<transport>{new transport{std::move(c)}};
}

result<std::unique_ptr<transport>> transport::connect(connect_options o, transport_events events) {
  auto c = std::make_unique<core>(std::make_unique<dialer>(std::move(o), complete(std::move(events))));
  if (auto s = c->start(); !s)
    return s.error();
  return std::unique_ptr<transport>{new transport{std::move(c)}};
}

void transport::send(frame f) {
  auto bytes = f.body.size();
  core_->push(std::move(f), bytes);
}

void transport::send_blob(std::string peer, std::string digest, std::string bytes) {
  auto size = bytes.size();
  core_->push(blob_request{std::move(peer), std::move(digest), std::move(bytes)}, size);
}

void transport::set_beat(std::string peer, std::string body) {
  auto bytes = body.size();
  core_->push(beat_request{std::move(peer), std::move(body)}, bytes);
}

void transport::set_hello(std::string body) {
  auto bytes = body.size();
  core_->push(hello_request{std::move(body)}, bytes);
}

const std::vector<std::string>& transport::endpoints() const {
  return core_->endpoints;
}

} // namespace ke
