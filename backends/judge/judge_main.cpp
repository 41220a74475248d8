// ke-judge: reads a packed judge_task on stdin, writes the packed evidence to stdout (without a candidate:
// the packed lint_report; to prepare a baseline: the packed prepared_baseline). `ke-judge --devices` says what
// NVIDIA devices there are (a packed device_report), `ke-judge --bands UUID` how good readings on one are (packed
// device_bands), each in a process of its own. Trusted; runs outside of the
// sandboxes it starts, and takes everything it started with it when it ends.
#include "backends/device/device_list.hpp"
#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/forged_orders.hpp"
#include "backends/judge/lint_run.hpp"
#include "backends/judge/session.hpp"
#include "runtime/core/evidence.hpp"

#include "runtime/core/codec.hpp"

#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

namespace {

/// Tensors of megabytes come and go: the memory of one serves the next, instead of pages that the kernel clears each
/// time. A judge lives for one task.
void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_ARENA_MAX, 1);
}

int written(const std::string& packed) {
  return std::fwrite(packed.data(), 1, packed.size(), stdout) == packed.size() && std::fflush(stdout) == 0
             ? 0
             : 3;
}

/// What needs no task.
int answer(int argc, char** argv) {
  std::string_view what{argv[1]};
  if (argc == 2 && what == "--devices")
    return written(ke::pack(ke::list_devices()));
  if (argc == 3 && what == "--bands")
    return written(ke::pack(ke::try_forged_orders(argv[2])));
  std::cerr << "ke-judge: a task on stdin, --devices, or --bands UUID\n";
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1)
    return answer(argc, argv);
  keep_memory();
  std::signal(SIGPIPE, SIG_IGN); // a driver that dies while we write to it is an ending, not our end
  std::string bytes{std::istreambuf_iterator<char>{std::cin}, {}};
  auto task = ke::unpack<ke::judge_task>(bytes, {std::size_t{1} << 30, std::size_t{1} << 24, 32});
  if (!task) {
    std::cerr << "ke-judge: the task on stdin is not readable: " << task.error().text << '\n';
    return 2;
  }
  ke::evidence found;
  if (task->prepares) {
    ke::prepared_baseline prepared;
    try {
      prepared = ke::prepare_baseline(*task);
    } catch (const std::exception& e) {
      prepared.broken = std::string{"the judge failed: "} + e.what();
    }
    return written(ke::pack(prepared));
  }
  if (task->candidate.empty() && task->source.empty()) {
    ke::lint_report report;
    try {
      report = ke::lint(*task);
    } catch (const std::exception& e) {
      report.broken = std::string{"the judge failed: "} + e.what();
    }
    return written(ke::pack(report));
  }
  try {
    found = ke::judge(*task);
  } catch (const std::exception& e) {
    found.ending = ke::ending::harness_error;
    found.reason = std::string{"the judge failed: "} + e.what();
    found.provenance = task->provenance;
  }
  return written(ke::pack(found));
}
