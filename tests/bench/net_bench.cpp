// What does a remote job cost on the wire alone? A coordinator and a worker in one process, 2 KiB jobs, CURVE
// on both ends or off:
//   pipelined, WINDOW in flight   CPU per job of both ends together (performance.md G12, raw
//                                 part), and jobs per second
//   one at a time                 wall time of a round trip, median (G13, raw part)
//   at first                      time from connect to the first result (G14, raw part)
// Usage: net_bench [--jobs N] [--window W] [--curve] ; prints one JSON document.
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/net/wire_body.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace {

using namespace ke;
using clock_type = std::chrono::steady_clock;

double cpu_us() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(u.ru_utime) + us(u.ru_stime);
}

double us_since(clock_type::time_point t) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - t).count();
}

/// Both ends. The worker answers every grant on its transport thread; the coordinator counts results.
struct bench {
  std::mutex mutex;
  std::condition_variable news;
  std::string peer;
  std::uint64_t results = 0;
  std::string grant_body;
  std::string keys; ///< folder; the blob socket's handshake reads it after hello, so it stays until the end
  std::unique_ptr<transport> worker, coordinator;

  explicit bench(bool curve) {
    wire::grant_body g;
    g.job.id = 1;
    g.job.inline_blobs["source"].assign(2048, 'x');
    grant_body = pack(g);

    char folder[] = "/tmp/ke-bench-XXXXXX";
    if (!::mkdtemp(folder))
      std::abort();
    keys = folder;
    listen_options l;
    l.endpoints = {{"tcp://127.0.0.1:*"}};
    connect_options c;
    if (curve) {
      std::filesystem::create_directory(keys + "/workers");
      if (!keygen(keys + "/coordinator") || !keygen(keys + "/workers/w"))
        std::abort();
      l.keys = *load_key_pair(keys + "/coordinator.key");
      l.authorized_keys = keys + "/workers";
      c.server_key = l.keys->public_key;
      c.keys = *load_key_pair(keys + "/workers/w.key");
    }
    transport_events at_coordinator, at_worker;
    at_coordinator.on_frame = [this](frame f) {
      std::lock_guard lock{mutex};
      if (f.kind == frame_kind::hello)
        peer = f.peer;
      results += f.kind == frame_kind::result;
      news.notify_one();
    };
    at_worker.on_frame = [this](frame f) {
      if (f.kind == frame_kind::grant) {
        auto g = wire::decode<wire::grant_body>(f.body);
        job_result r;
        r.id = g ? g->job.id : 0;
        worker->send(wire::make_frame({}, frame_kind::result, r, f.sequence));
      }
    };
    auto listening = transport::listen(std::move(l), std::move(at_coordinator));
    if (!listening)
      fail(listening.error());
    coordinator = std::move(*listening);
    c.endpoint = coordinator->endpoints()[0];
    c.hello.name = "bench";
    auto connected = transport::connect(std::move(c), std::move(at_worker));
    if (!connected)
      fail(connected.error());
    worker = std::move(*connected);
    std::unique_lock lock{mutex};
    news.wait(lock, [&] { return !peer.empty(); });
  }

  ~bench() {
    worker.reset();
    coordinator.reset();
    std::filesystem::remove_all(keys);
  }

  [[noreturn]] static void fail(const failure& why) {
    std::fprintf(stderr, "net_bench: %s\n", why.text.c_str());
    std::exit(4);
  }

  void grant() { coordinator->send({peer, frame_kind::grant, 0, 0, 0, grant_body}); }

  void run(std::uint64_t jobs, std::uint64_t window) {
    std::unique_lock lock{mutex};
    auto begin = results;
    for (std::uint64_t sent = 0; results - begin < jobs;) {
      for (; sent < jobs && sent - (results - begin) < window; ++sent)
        grant();
      auto seen = results;
      news.wait(lock, [&] { return results != seen; });
    }
  }
};

} // namespace

int main(int argc, char** argv) {
  std::uint64_t jobs = 20'000, window = 64;
  bool curve = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--curve"))
      curve = true;
    else if (!std::strcmp(argv[i], "--jobs") && i + 1 < argc)
      jobs = std::strtoull(argv[++i], nullptr, 10);
    else if (!std::strcmp(argv[i], "--window") && i + 1 < argc)
      window = std::strtoull(argv[++i], nullptr, 10);
    else
      return std::fprintf(stderr, "usage: net_bench [--jobs N] [--window W] [--curve]\n"), 2;
  }
  auto attach = clock_type::now();
  bench b{curve};
  b.run(1, 1);
  auto attach_us = us_since(attach);

  b.run(jobs / 10 + 1, window); // warm-up
  auto cpu = cpu_us();
  auto wall = clock_type::now();
  b.run(jobs, window);
  auto cpu_each = (cpu_us() - cpu) / static_cast<double>(jobs);
  auto rate = static_cast<double>(jobs) / us_since(wall) * 1e6;

  std::vector<double> trips;
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(jobs / 10, 1); ++i) {
    auto t = clock_type::now();
    b.run(1, 1);
    trips.push_back(us_since(t));
  }
  std::nth_element(trips.begin(), trips.begin() + static_cast<long>(trips.size() / 2), trips.end());
  std::printf("{\"jobs\": %llu, \"window\": %llu, \"curve\": %s, \"cpu_us_per_job\": %.1f, \"jobs_per_s\": "
              "%.0f, \"p50_us\": %.1f, "
              "\"attach_to_first_result_us\": %.0f}\n",
              static_cast<unsigned long long>(jobs), static_cast<unsigned long long>(window),
              curve ? "true" : "false", cpu_each, rate, trips[trips.size() / 2], attach_us);
  return 0;
}
