#pragma once

#include "backends/judge/driver_seam.hpp"
#include "backends/judge/drivers/driver_process.hpp"
#include "backends/judge/drivers/host_memory.hpp"

#include <memory>
#include <optional>

namespace ke {

/// A driver that works in this host's memory, in a process that the judge stops.
struct host_state : driver_state {
  explicit host_state(host_memory memory) : arena{std::move(memory)} {}
  std::byte* at(std::uint64_t offset) const { return arena.begin() + offset; }
  host_memory arena;                       ///< outlives the process
  std::unique_ptr<driver_process> process; ///< null until `open`
};

/// The functions of a driver on the host, as driver_seam has them. What a device needs beside them is nothing
/// here: there is no turn to take (prime), and a row that comes late is a store (patch).
namespace host {

/// Limits and command as the task has them, for an object.
driver_start limits(const judge_task& task, const std::string& object, std::size_t memory,
                    const std::vector<int>& cpus);

result<std::unique_ptr<driver_state>> arena(const driver_start& how);
status open(driver_state&, const driver_start& how);
call_outcome load(driver_state&);
std::string log(const driver_state&);

void fill(driver_state&, std::span<const arena_bytes> what);
void poison(driver_state&, const arena_rubbish& what, random_source& random);
void flush(driver_state&, std::span<const arena_bytes> where);
fence_reading fence(driver_state&);
double prime(driver_state&);
double patch(driver_state&, std::span<const arena_bytes> rows);
call_outcome go(driver_state&, const call_order& what, double limit_s, const call_watch& watch);
std::vector<bool> compare(driver_state&, std::span<const arena_bytes> with);
void read(driver_state&, std::uint64_t offset, std::span<char> to);

} // namespace host
} // namespace ke
