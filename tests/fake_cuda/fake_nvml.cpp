// A libnvidia-ml.so.1 beside the fake libcuda.so.1. Of every device it says the same, and what files beside the library
// want: "hot": slowed by heat; "bad-memory": one more uncorrected error each time that it is asked; "stranger": the
// process whose number stands in it computes there.
#include <dlfcn.h>
#include <time.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

std::FILE* beside(const char* name) {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&beside), &own) == 0)
    return nullptr;
  std::string path{own.dli_fname};
  return std::fopen((path.substr(0, path.rfind('/')) + '/' + name).c_str(), "r");
}

bool is_there(const char* name) {
  auto* file = beside(name);
  return file && std::fclose(file) == 0;
}

struct process_info {
  unsigned pid;
  unsigned long long bytes;
  unsigned instance, compute_instance;
};

unsigned long long faults = 0;
int the_device = 0;

} // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = &the_device;
  return std::strncmp(uuid, "GPU-", 4) == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1980 : 2619;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 41;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 120'500;
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  // 120 W, counted on ten times a second, as devices do.
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  *millijoules = (static_cast<unsigned long long>(now.tv_sec) * 10 +
                  static_cast<unsigned long long>(now.tv_nsec) / 100'000'000) *
                 12'000;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = is_there("hot") ? 0x44 : 0;
  return 0;
}
int nvmlDeviceGetTotalEccErrors(void*, int kind, int, unsigned long long* count) {
  *count = kind == 0 ? 3 : is_there("bad-memory") ? ++faults : 0;
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, process_info* found) {
  *count = 0;
  auto* file = beside("stranger");
  if (!file)
    return 0;
  unsigned pid = 0;
  if (std::fscanf(file, "%u", &pid) == 1)
    found[(*count)++] = {pid, 300ull << 20, 0, 0};
  std::fclose(file);
  return 0;
}

} // extern "C"
