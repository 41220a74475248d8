#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What a device says of itself now, by NVIDIA's management library. 0 where it does not say.
struct device_conditions {
  double sm_mhz = 0, memory_mhz = 0, celsius = 0, watts = 0;
  std::uint64_t held_back = 0; ///< why its clocks are lower than they could be: bits of the library
  double corrected_errors = 0, uncorrected_errors = 0; ///< of its memory, since the driver was loaded
};

/// A process that has memory of a device.
struct device_user {
  std::int64_t pid = 0; ///< as this process's namespace numbers it
  std::int64_t bytes = 0;
};

/// One device, read and never set. One thread.
class device_health {
public:
  /// `missing` without the library (libnvidia-ml.so.1, beside `driver_library` or where the loader finds it), or if it
  /// does not know the device.
  static result<device_health> of(const std::string& uuid, const std::string& driver_library);

  /// Some milliseconds: never between an order and its answer.
  device_conditions now() const;
  /// Energy that it has used since its driver was loaded, J; a device counts on ten times a second. 0: it does not say.
  double joules() const;
  /// Those that compute on it. Empty where the library does not say, as in some containers.
  std::vector<device_user> users() const;

private:
  struct library;
  device_health(const library& by, void* device) : by_{&by}, device_{device} {}
  static const result<library>& loaded(const std::string& driver_library);
  const library* by_;
  void* device_;
};

/// "its power cap, heat": of `device_conditions::held_back`; empty: nothing that is worth a word.
std::string held_back_text(std::uint64_t bits);
/// Whether a device was slowed down by what comes and goes with the room that it stands in: heat, its power supply.
bool slowed_by_surroundings(std::uint64_t bits);

/// Users of a device that are no process of ke-runtime's and none that it started, in words; empty: none.
std::string strangers_among(const std::vector<device_user>& users);

} // namespace ke
