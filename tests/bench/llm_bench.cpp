// G5: how many LLM requests one process holds in flight, and what each costs. Run beside ke-fake-llm:
//   ke-fake-llm --latency-ms 2000      (prints its port)
//   llm_bench --url http://127.0.0.1:PORT --in-flight 2000 --rounds 2
#include "runtime/core/model_settings.hpp"
#include "runtime/llm/http_service.hpp"
#include "runtime/llm/provider.hpp"

#include <CLI/CLI.hpp>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

namespace {

std::map<std::string, long> process_status() {
  std::ifstream file{"/proc/self/status"};
  std::map<std::string, long> out;
  for (std::string line; std::getline(file, line);)
    if (auto colon = line.find(':'); colon != std::string::npos)
      out[line.substr(0, colon)] = std::atol(line.c_str() + colon + 1);
  return out;
}

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Requests in flight on one thread: bytes, threads and CPU of each."};
  std::string url;
  int in_flight = 2000, rounds = 2, prompt_bytes = 6000;
  app.add_option("--url", url)->required();
  app.add_option("--in-flight", in_flight);
  app.add_option("--rounds", rounds);
  app.add_option("--prompt-bytes", prompt_bytes);
  CLI11_PARSE(app, argc, argv);

  ke::model_settings model;
  model.provider = ke::provider_kind::openai;
  model.model = "fake";
  model.base_url = url;
  ke::prompt prompt{{{std::string(static_cast<std::size_t>(prompt_bytes), 'p'), false}}};

  auto idle = process_status();
  ke::http_service http;
  std::mutex mutex;
  std::condition_variable changed;
  int finished = 0, failed = 0;
  long peak_threads = 0, peak_kib = 0;
  auto cpu = cpu_seconds();
  auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < in_flight; ++i)
      http.send(ke::encode(model, "", prompt), [&](ke::http_response r) {
        auto reply = ke::decode(model, prompt.sections[0].text.size(), r, 0);
        std::lock_guard guard{mutex};
        if (reply.why.kind != ke::failure_kind::none && failed++ == 0)
          std::fprintf(stderr, "first failure: %s\n", reply.why.text.c_str());
        ++finished;
        changed.notify_one();
      });
    std::unique_lock lock{mutex};
    while (finished < (round + 1) * in_flight) {
      changed.wait_for(lock, std::chrono::milliseconds{100});
      auto now = process_status();
      peak_threads = std::max(peak_threads, now["Threads"]);
      peak_kib = std::max(peak_kib, now["VmRSS"]);
    }
  }
  auto wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto requests = static_cast<double>(in_flight) * rounds;
  std::printf("requests %.0f, failed %d, wall %.2f s\n", requests, failed, wall);
  std::printf("bytes per request in flight %.0f (goal <= 102400)\n",
              static_cast<double>(peak_kib - idle["VmRSS"]) * 1024 / in_flight);
  std::printf("threads %ld (this one, the http thread; goal: none per request)\n", peak_threads);
  std::printf("CPU per request %.1f us, connection set-up, encoding and decoding included\n",
              (cpu_seconds() - cpu) / requests * 1e6);
  return failed == 0 ? 0 : 1;
}
