#include "backends/device/device_list.hpp"

#include "backends/device/cuda_api.hpp"
#include "backends/device/device_health.hpp"
#include "runtime/process/unique_fd.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>

namespace ke {
namespace {

constexpr const char* mps_folder =
    "/tmp/nvidia-mps";              ///< unless its user names another, which we don't pass on
constexpr int least_driver = 11040; ///< what the judge calls is there from CUDA 11.4 on

std::string version_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string uuid_text(const cuda::uuid& id) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof id.bytes; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(id.bytes[i])));
    text += two;
    if (i == 3 || i == 5 || i == 7 || i == 9)
      text += '-';
  }
  return text;
}

/// The driver numbers its device nodes otherwise than the library its devices.
std::string node_of(std::string bus, int number) {
  std::transform(bus.begin(), bus.end(), bus.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ifstream in{"/proc/driver/nvidia/gpus/" + bus + "/information"};
  const std::string key = "Device Minor:";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key))
      if (auto at = line.find_first_not_of(" \t", key.size()); at != line.npos)
        return "/dev/nvidia" + line.substr(at);
  return "/dev/nvidia" + std::to_string(number);
}

std::string trouble_of(const cuda::api& cu, cuda::device d, const nvidia_device& about) {
  if (mps_runs(mps_folder))
    return "MPS runs on this machine, under which a neighbour's work can't be told from a candidate's; end "
           "it (echo quit | nvidia-cuda-mps-control)";
  switch (cu.value(cuda::attribute::compute_mode, d)) {
  case cuda::mode_prohibited:
    return "its compute mode is Prohibited; set it to Default (nvidia-smi -c 0)";
  case cuda::mode_exclusive:
    return "its compute mode is Exclusive, and the judge needs a context beside the candidate's; set it to "
           "Default "
           "(nvidia-smi -c 0)";
  default:
    break;
  }
  if (about.name.find(" MIG ") != about.name.npos)
    return "it is a MIG slice, on which a neighbour's work can't be told from a candidate's; use the whole "
           "device";
  return {};
}

nvidia_device description_of(const cuda::api& cu, int number, cuda::device d) {
  nvidia_device about;
  about.number = number;
  char text[256] = "";
  if (cu.device_name(text, sizeof text, d) == 0)
    about.name = text;
  cuda::uuid id{};
  if (cu.device_uuid(&id, d) == 0)
    about.uuid = uuid_text(id);
  if (cu.device_bus(text, sizeof text, d) == 0)
    about.bus = text;
  about.node = node_of(about.bus, number);
  about.arch = "sm_" + std::to_string(cu.value(cuda::attribute::major, d)) +
               std::to_string(cu.value(cuda::attribute::minor, d));
  std::size_t bytes = 0;
  if (cu.device_memory(&bytes, d) == 0)
    about.memory_bytes = static_cast<std::int64_t>(bytes);
  using enum cuda::attribute;
  about.l2_bytes = cu.value(l2_bytes, d);
  about.processors = cu.value(processors, d);
  about.clock_khz = cu.value(clock_khz, d);
  about.memory_clock_khz = cu.value(memory_clock_khz, d);
  about.memory_bus_bits = cu.value(memory_bus_bits, d);
  about.processor_threads = cu.value(processor_threads, d);
  about.processor_registers = cu.value(processor_registers, d);
  about.processor_shared_bytes = cu.value(processor_shared_bytes, d);
  about.block_shared_bytes = cu.value(block_shared_bytes, d);
  about.trouble = trouble_of(cu, d, about);
  if (auto health = device_health::of(about.uuid, cu.library))
    about.strangers = strangers_among(health->users());
  return about;
}

} // namespace

bool mps_runs(const std::string& folder) {
  // A pipe that nobody reads is left from one that has ended.
  unique_fd control{::open((folder + "/control").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
  return static_cast<bool>(control);
}

device_report list_devices() {
  device_report all;
  const auto& cu = cuda::driver();
  if (!cu) {
    all.trouble = cu.error().text;
    return all;
  }
  all.library = cu->library;
  int version = 0, count = 0;
  if (cu->driver_version(&version) == 0)
    all.driver = version_text(version);
  if (!all.driver.empty() && version < least_driver) {
    all.trouble = "NVIDIA's driver is one for " + all.driver + ", and the judge needs " +
                  version_text(least_driver) + " or later; install a newer driver";
    return all;
  }
  auto code = cu->init(0);
  if (code == 0)
    code = cu->device_count(&count);
  if (code != 0) {
    all.trouble = "NVIDIA's driver library does not start: " + cu->error_of(code);
    return all;
  }
  for (int number = 0; number < count; ++number) {
    cuda::device d = 0;
    if (cu->device_get(&d, number) == 0)
      all.devices.push_back(description_of(*cu, number, d));
  }
  if (all.devices.empty())
    all.trouble = "the driver library finds no device";
  return all;
}

result<nvidia_device> find_device(const std::string& uuid) {
  auto all = list_devices();
  for (const auto& d : all.devices)
    if (uuid.empty() || d.uuid == uuid) {
      if (!d.trouble.empty())
        return failure{failure_kind::missing, d.name + ": " + d.trouble, false};
      return d;
    }
  return failure{failure_kind::missing,
                 all.devices.empty() ? all.trouble : "there is no device " + uuid + " here any more", true};
}

} // namespace ke
