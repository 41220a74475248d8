#pragma once

#include "backends/judge/device_words.hpp"
#include "backends/judge/driver_call.hpp"
#include "backends/judge/process_memory.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ke {

class awake_processor;

/// A driver in its sandbox on this host, stopped except while an order runs. Owns the process and its
/// descendants. One thread. The destructor kills everything.
class driver_process {
public:
  /// Starts the process, which loads its object; `load` must follow.
  /// `memory`: the descriptor of the arena, which the process inherits.
  static result<std::unique_ptr<driver_process>> start(const driver_start& how, int memory);
  /// Waits until the object is loaded, and stops the process. How that ended: a candidate that cannot be loaded is
  /// no failure of the machine.
  call_outcome load();
  ~driver_process();
  driver_process(const driver_process&) = delete;
  driver_process& operator=(const driver_process&) = delete;

  /// Continues the process and runs one order (at most wire::most_calls) until its answer. After `done`,
  /// `close` must follow; after anything else the process is dead.
  call_outcome go(const call_order& what, double limit_s, const call_watch& watch = {});

  /// Of a device's driver: continues the process if it is stopped, makes one request (device_words.hpp) and waits
  /// for its answer, spinning; `ns` is the judge's time of that. The process goes on until `close`. After anything
  /// but `done` it is dead.
  call_outcome ask(wire::device_request what, double limit_s);
  /// Who gives way on its processor once it is continued by `ask`.
  void follows(std::shared_ptr<awake_processor> before);
  /// Where a request's values go; of a device's driver.
  wire::device_words& words();

  /// Stops the process after an answer, and completes its outcome: what the answer was, CPU time, and how
  /// much work came after it. The process is dead unless that is `done`.
  void close(call_outcome& call);
  /// Kills the process for something that was seen from outside.
  call_outcome end(call_end how, std::string why);

  /// Whether `read_memory` works: the process is a fork of a warm parent, and we may look into it.
  bool readable() const;
  /// Memory of the stopped process itself. False: there is none at these addresses.
  bool read_memory(std::uint64_t address, char* to, std::size_t bytes) const;

  /// Writes it. False: not possible.
  bool write_memory(std::uint64_t address, const char* from, std::size_t bytes) const;
  /// Whether the page at an address is its own: process_memory.hpp.
  bool owns_page(std::uint64_t address) const;
  /// All such pages.
  std::vector<page_run> own_pages() const;

  /// Pages of these bytes that the stopped process has not written for itself: process_memory.hpp.
  std::uint64_t unwritten(std::uint64_t address, std::uint64_t bytes) const;

  /// Whether nothing of it ran since it was last stopped. True of a dead one, of which nothing runs.
  bool held() const;

  /// Its output so far, bounded; a candidate's bytes.
  const std::string& log() const;

private:
  struct state;
  explicit driver_process(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

} // namespace ke
