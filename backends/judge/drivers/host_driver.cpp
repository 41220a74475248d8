#include "backends/judge/drivers/host_driver.hpp"

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/poison.hpp"
#include "backends/judge/stopwatch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ke::host {
namespace {

host_state& of(driver_state& s) {
  return static_cast<host_state&>(s);
}

} // namespace

driver_start limits(const judge_task& task, const std::string& object, std::size_t memory,
                    const std::vector<int>& cpus) {
  driver_start how;
  how.driver = task.driver;
  how.object = object;
  how.sandbox = task.sandbox;
  how.memory = std::max<std::size_t>(memory, 4096);
  how.cpus = cpus;
  how.threads = task.what.policy.threads;
  how.fast_math = task.what.policy.fast_math;
  how.memory_bytes = task.limits.memory_bytes;
  how.scratch_bytes = task.limits.scratch_bytes;
  how.processes = task.limits.processes;
  how.descriptors = task.limits.descriptors;
  how.inodes = task.limits.inodes;
  how.log_bytes = std::min<std::uint64_t>(task.limits.log_bytes, 64u << 10);
  how.load_s = std::max(10.0, task.limits.call_s); // a loaded machine takes its time to start a sandbox
  return how;
}

result<std::unique_ptr<driver_state>> arena(const driver_start& how) {
  auto memory = host_memory::make(how.memory);
  if (!memory)
    return memory.error();
  return std::unique_ptr<driver_state>{std::make_unique<host_state>(*std::move(memory))};
}

status open(driver_state& s, const driver_start& how) {
  auto process = driver_process::start(how, of(s).arena.descriptor());
  if (!process)
    return process.error();
  of(s).process = *std::move(process);
  return ok;
}

call_outcome load(driver_state& s) {
  return of(s).process->load();
}

std::string log(const driver_state& s) {
  return static_cast<const host_state&>(s).process->log();
}

void fill(driver_state& s, std::span<const arena_bytes> what) {
  for (const auto& w : what)
    std::memcpy(of(s).at(w.offset), w.from, w.bytes);
}

void poison(driver_state& s, const arena_rubbish& what, random_source& random) {
  what.of->write(what.tensor, what.turn, what.at, what.whole, of(s).at(what.offset), what.bytes, random);
}

void flush(driver_state& s, std::span<const arena_bytes> where) {
  for (const auto& w : where)
    evict(of(s).at(w.offset), w.bytes);
}

fence_reading fence(driver_state& s) {
  return {of(s).process->held(), 0};
}

double prime(driver_state&) {
  return 0;
}

double patch(driver_state& s, std::span<const arena_bytes> rows) {
  auto begun = steady::now();
  fill(s, rows);
  return seconds_since(begun) * 1e9;
}

call_outcome go(driver_state& s, const call_order& what, double limit_s, const call_watch& watch) {
  return of(s).process->go(what, limit_s, watch);
}

std::vector<bool> compare(driver_state& s, std::span<const arena_bytes> with) {
  std::vector<bool> same;
  for (const auto& w : with)
    same.push_back(std::memcmp(of(s).at(w.offset), w.from, w.bytes) == 0);
  return same;
}

void read(driver_state& s, std::uint64_t offset, std::span<char> to) {
  std::memcpy(to.data(), of(s).at(offset), to.size());
}

} // namespace ke::host
