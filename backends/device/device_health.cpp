#include "backends/device/device_health.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

namespace ke {
namespace {

// nvmlReturn_t, nvmlClockType_t, nvmlTemperatureSensors_t, nvmlMemoryErrorType_t, nvmlEccCounterType_t.
constexpr int success = 0, too_small = 7, clock_sm = 1, clock_memory = 2, of_the_chip = 0, corrected = 0,
              uncorrected = 1, since_loading = 0;
constexpr unsigned most_users = 256;

/// nvmlProcessInfo_v2_t.
struct process_info {
  unsigned pid;
  unsigned long long bytes;
  unsigned instance, compute_instance;
};

// nvmlClocksThrottleReasons.
constexpr std::uint64_t power_cap = 0x4, hardware = 0x8, software_heat = 0x20, hardware_heat = 0x40,
                        power_brake = 0x80, asked_lower = 0x2;

constexpr std::array<std::pair<std::uint64_t, const char*>, 6> reasons{
    {{asked_lower, "clocks that somebody set"},
     {power_cap, "its power cap"},
     {hardware, "a slowdown of the hardware's"},
     {software_heat, "heat"},
     {hardware_heat, "heat, by the hardware"},
     {power_brake, "the power supply's brake"}}};

std::string text_in(const std::string& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  return line;
}

/// 0: unknown.
std::int64_t parent_of(std::int64_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string word; in >> word;)
    if (word == "PPid:") {
      std::int64_t parent = 0;
      in >> parent;
      return parent;
    }
  return 0;
}

bool is_ours(std::int64_t pid) {
  for (int steps = 0; pid > 1 && steps < 64; pid = parent_of(pid), ++steps) {
    std::error_code error;
    auto program = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", error);
    if (!error && program.filename().string().starts_with("ke-"))
      return true;
  }
  return false;
}

} // namespace

#define KE_NVML_FUNCTIONS(X)                                                                                 \
  X(init, "nvmlInit_v2", void)                                                                               \
  X(by_uuid, "nvmlDeviceGetHandleByUUID", const char*, void**)                                               \
  X(clock, "nvmlDeviceGetClockInfo", void*, int, unsigned*)                                                  \
  X(temperature, "nvmlDeviceGetTemperature", void*, int, unsigned*)                                          \
  X(power, "nvmlDeviceGetPowerUsage", void*, unsigned*)                                                      \
  X(held_back, "nvmlDeviceGetCurrentClocksThrottleReasons", void*, unsigned long long*)                      \
  X(errors, "nvmlDeviceGetTotalEccErrors", void*, int, int, unsigned long long*)                             \
  X(energy, "nvmlDeviceGetTotalEnergyConsumption", void*, unsigned long long*)                               \
  X(users, "nvmlDeviceGetComputeRunningProcesses_v3", void*, unsigned*, process_info*)

struct device_health::library {
#define KE_NVML(name, symbol, ...) int (*name)(__VA_ARGS__) = nullptr;
  KE_NVML_FUNCTIONS(KE_NVML)
#undef KE_NVML
};

const result<device_health::library>& device_health::loaded(const std::string& driver_library) {
  static const auto the = [&]() -> result<library> {
    const std::string name = "libnvidia-ml.so.1";
    void* file = dlopen((std::filesystem::path{driver_library}.parent_path() / name).c_str(), RTLD_NOW);
    if (!file)
      file = dlopen(name.c_str(), RTLD_NOW);
    if (!file)
      return failure{failure_kind::missing, name + " is not here", false};
    library made;
#define KE_NVML_FIND(member, symbol, ...)                                                                    \
  made.member = reinterpret_cast<int (*)(__VA_ARGS__)>(dlsym(file, symbol));
    KE_NVML_FUNCTIONS(KE_NVML_FIND)
#undef KE_NVML_FIND
    if (!made.init || !made.by_uuid || made.init() != success)
      return failure{failure_kind::missing, name + " does not start", false};
    return made;
  }();
  return the;
}

result<device_health> device_health::of(const std::string& uuid, const std::string& driver_library) {
  const auto& by = loaded(driver_library);
  if (!by)
    return by.error();
  void* device = nullptr;
  if (by->by_uuid(uuid.c_str(), &device) != success)
    return failure{failure_kind::missing, "the management library does not know " + uuid, false};
  return device_health{*by, device};
}

device_conditions device_health::now() const {
  auto told = [](auto* ask, auto... arguments) {
    unsigned value = 0;
    return ask && ask(arguments..., &value) == success ? static_cast<double>(value) : 0.0;
  };
  device_conditions out;
  out.sm_mhz = told(by_->clock, device_, clock_sm);
  out.memory_mhz = told(by_->clock, device_, clock_memory);
  out.celsius = told(by_->temperature, device_, of_the_chip);
  out.watts = told(by_->power, device_) / 1000;
  unsigned long long bits = 0;
  if (by_->held_back && by_->held_back(device_, &bits) == success)
    out.held_back = bits;
  auto errors = [&](int kind) {
    unsigned long long count = 0;
    return by_->errors && by_->errors(device_, kind, since_loading, &count) == success
               ? static_cast<double>(count)
               : 0.0;
  };
  out.corrected_errors = errors(corrected);
  out.uncorrected_errors = errors(uncorrected);
  return out;
}

double device_health::joules() const {
  unsigned long long millijoules = 0;
  return by_->energy && by_->energy(device_, &millijoules) == success
             ? static_cast<double>(millijoules) * 1e-3
             : 0.0;
}

std::vector<device_user> device_health::users() const {
  std::vector<process_info> found(most_users);
  unsigned count = most_users;
  auto said = by_->users ? by_->users(device_, &count, found.data()) : too_small;
  std::vector<device_user> out;
  for (unsigned i = 0; said == success && i < count; ++i)
    out.push_back({static_cast<std::int64_t>(found[i].pid), static_cast<std::int64_t>(found[i].bytes)});
  return out;
}

std::string held_back_text(std::uint64_t bits) {
  std::string text;
  for (const auto& [bit, words] : reasons)
    if (bits & bit)
      text += (text.empty() ? "" : ", ") + std::string{words};
  return text;
}

bool slowed_by_surroundings(std::uint64_t bits) {
  return (bits & (hardware | software_heat | hardware_heat | power_brake)) != 0;
}

std::string strangers_among(const std::vector<device_user>& users) {
  std::string text;
  for (const auto& user : users) {
    if (is_ours(user.pid))
      continue;
    auto program = text_in("/proc/" + std::to_string(user.pid) + "/comm");
    text += (text.empty() ? "" : ", ") + (program.empty() ? std::string{"a process"} : program) + " (pid " +
            std::to_string(user.pid) + ", " + std::to_string(user.bytes >> 20) + " MiB)";
  }
  return text;
}

} // namespace ke
