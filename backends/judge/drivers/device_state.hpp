#pragma once

#include "backends/device/device_arena.hpp"
#include "backends/evidence/device_object.hpp"
#include "backends/judge/driver_seam.hpp"
#include "backends/judge/drivers/awake_processor.hpp"
#include "backends/judge/drivers/device_turns.hpp"
#include "backends/judge/drivers/driver_process.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ke {

/// Memory of the device, in bytes, that was taken while one process was awake: of several at most one is, but while they
/// load. Then each may be given a context of another's besides, some hundredth of the device.
struct device_memory_use {
  std::size_t at_start = 0; ///< free before its arena was made
  void wakes(const judge_device& device) { before_ = device.free_bytes(); }
  void sleeps(const judge_device& device) {
    taken_ += static_cast<double>(before_) - static_cast<double>(device.free_bytes());
  }
  double taken() const { return taken_; }

private:
  std::size_t before_ = 0;
  double taken_ = 0;
};

/// driver_pool on a device.
struct device_pool : driver_pool {
  explicit device_pool(std::unique_ptr<device_memory> bytes) : memory{std::move(bytes)} {}
  std::unique_ptr<device_memory> memory;
};

/// Results that the judge has copied for itself, where the process can't reach them.
struct kept_results {
  std::unique_ptr<device_memory> room;
  std::vector<result_part> parts;
  std::vector<std::size_t> places; ///< of each, in room
};

/// A process on a device, its arena there, and what is known of both. One thread.
struct device_state : driver_state {
  /// Bytes at the arena's begin that the judge keeps on the host as well: the numbers that calls are given.
  static constexpr std::size_t numbers_bytes = 512u << 10;

  judge_device* device = nullptr;
  std::unique_ptr<device_arena> arena;     ///< outlives the process
  std::unique_ptr<driver_process> process; ///< null until `open`
  device_object object;                    ///< no launches: the empty kernel
  const problem* what = nullptr;           ///< of the order
  std::vector<char> numbers;               ///< as written at the arena's begin
  turn_bands bands;                        ///< measured before the first order, when nobody else loads
  bool calibrated = false;
  bool foreign = false; ///< a candidate's host code runs in it
  device_memory_use memory;
  double armed_ns = 0;                         ///< of the order: what ran between its inputs and its primer
  double primer_ns = 0;                        ///< of the order
  double awake_s = 0;                          ///< CPU time of its process as the order was prepared
  std::uint32_t calls = 0;                     ///< of the order
  std::map<std::uint32_t, turn_shifts> shifts; ///< by calls of an order
  std::shared_ptr<awake_processor> awake;      ///< where its process runs
  bool makes_results = false;                  ///< results lie where its calls made them, as it says
  std::vector<std::uint64_t> places;           ///< then: of each call's tensors, since the last answer
  std::uint32_t tensors = 0;                   ///< of the order
  bool cold = false;                           ///< the next fence flushes the cache first
  std::uint32_t flushes = 0;
  kept_results kept;    ///< of the last order
  call_outcome trouble; ///< of the machine or a request, since the last order: ends the next one
};

/// The functions of a driver on a device, as driver_seam has them, for a device_state.
namespace on_device {

/// Trouble of the machine, for the next order to tell.
void note(device_state&, const status&);
/// Where a result lies: as the driver says, if the arena has so much there.
std::uint64_t place_of(const device_state&, const result_part&);

/// Waits until the task's device is this judge's alone, and keeps it until the judge ends. `missing` or `device`: it can't
/// be had.
status claim(const judge_task& task);
/// The device as a process finds it. What can't be found is left out: `arena` says why.
device_access access_of(const judge_task& task);
/// Of readings on a device, whose orders of short calls last at least so long.
driver_bands bands(double least_order_ns);
/// The arena of a fresh state.
status arena(device_state&, const driver_start& how);
status open(device_state&, const driver_start& how);
call_outcome load(device_state&);
void fill(device_state&, std::span<const arena_bytes> what);
void poison(device_state&, const arena_rubbish& what, random_source& random);
result<std::shared_ptr<const driver_pool>> pool(device_state&, std::string_view bytes);
void mix(device_state&, const arena_mix& what);
void hand(device_state&, const call_order& what, double limit_s);
fence_reading fence(device_state&);
double prime(device_state&);
call_outcome go(device_state&, double limit_s);
void close(device_state&, std::span<const result_part> samples, call_outcome& call);
void copy_results(device_state&, std::span<const result_part> results);
status keep(device_state&, std::span<const result_part> results);
void kept(device_state&, const result_part& part);
std::vector<bool> agree(device_state& usual, device_state& own, std::span<const result_rule> rules);
/// Rubbish over results that its calls made: the next one finds nothing that it could answer with.
void soil_results(device_state&, std::span<const result_part> results, random_source& random);
/// driver_seam::files; at most `room` bytes, which lie at `at` meanwhile.
std::string files(device_state&, std::uint64_t at, std::size_t room);
std::vector<bool> compare(device_state&, std::span<const arena_bytes> with);
/// A part of a result, from where it lies.
void sample(device_state&, const result_part& part);
void read(device_state&, std::uint64_t offset, std::span<char> to);

} // namespace on_device
} // namespace ke
