#include "backends/evaluation/backend.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence_keys.hpp"

#include "backends/evaluation/nvidia_target.hpp"
#include "backends/evaluation/python_parent.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/spawn.hpp"

#include <sched.h>

#include <fstream>
#include <sstream>

namespace ke {
namespace {

std::string trimmed(std::string text) {
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && blank(text.back()))
    text.pop_back();
  while (!text.empty() && blank(text.front()))
    text.erase(text.begin());
  return text;
}

std::string first_line_of(const std::string& path) {
  std::ifstream in{path};
  std::string line;
  std::getline(in, line);
  return trimmed(line);
}

/// The value of the first "key : value" line of /proc/cpuinfo with one of these keys.
std::string cpuinfo(std::initializer_list<std::string_view> keys) {
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);) {
    auto colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    auto key = trimmed(line.substr(0, colon));
    for (auto wanted : keys)
      if (key == wanted)
        return trimmed(line.substr(colon + 1));
  }
  return {};
}

bool lists_word(const std::string& list, std::string_view word) {
  std::istringstream in{list};
  for (std::string w; in >> w;)
    if (w == word)
      return true;
  return false;
}

std::string isa_of(const std::string& flags) {
  std::string isa;
  for (std::string_view f :
       {"sse4_2", "avx", "avx2", "fma", "avx512f", "avx512bw", "avx512vl", "avx512_bf16", "avx512_fp16",
        "avx512_vnni", "amx_tile", "asimd", "sve", "sve2", "bf16", "i8mm"})
    if (lists_word(flags, f))
      isa += (isa.empty() ? "" : " ") + std::string{f};
  return isa;
}

void caches_into(std::map<std::string, std::string>& facts) {
  for (int i = 0; i < 8; ++i) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    auto level = first_line_of(folder + "level"), type = first_line_of(folder + "type"),
         size = first_line_of(folder + "size");
    if (size.empty() || type == "Instruction")
      continue;
    facts[level == "1" ? "l1d" : "l" + level] = size;
  }
}

} // namespace

device_info cpu_facts() {
  device_info d;
  auto model = cpuinfo({"model name", "Model", "cpu model"});
#if defined(__x86_64__)
  d.facts[device_facts::arch] = "x86-64";
#elif defined(__aarch64__)
  d.facts[device_facts::arch] = "aarch64";
#endif
  if (model.empty())
    model = d.facts[device_facts::arch];
  d.name = "cpu:" + model;
  d.facts[device_facts::model] = model;
  d.facts[device_facts::isa] = isa_of(cpuinfo({"flags", "Features"}));
  cpu_set_t set;
  CPU_ZERO(&set);
  d.facts[device_facts::cores] =
      std::to_string(sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1);
  caches_into(d.facts);
  return d;
}

namespace {

/// The first device that can be used; the others stand beside it in `doctor`.
result<device_info> on_nvidia(const backend& b, device_info d, process_port& processes) {
  auto report = nvidia_devices(processes);
  std::string trouble = report.trouble;
  for (const auto& device : report.devices) {
    if (device.trouble.empty()) {
      describe_nvidia(device, report.driver, d);
      return d;
    }
    trouble += (trouble.empty() ? "" : "; ") + device.name + ": " + device.trouble;
  }
  return failure{failure_kind::missing, "backend " + b.name + " has no device: " + trouble, false};
}

} // namespace

result<device_info> probe_target(const backend& b, process_port& processes) {
  auto command = b.detect;
  for (auto& word : command)
    if (word == "{python}")
      word = python_program();
  auto absent = [&] {
    std::string hint = b.detect_hint.empty() ? "install it" : b.detect_hint;
    return failure{failure_kind::missing, "the toolchain of backend " + b.name + " does not answer (`" +
                                              command.front() + "`): " + hint};
  };
  // Builds run with one PATH, the same for everybody; a compiler that the user's own PATH hides is none.
  if (!on_own_path(command.front()))
    return absent();
  process_spec spec;
  spec.argv = command;
  spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C"}};
  spec.deadline = std::chrono::seconds{20};
  spec.output_limit = 64u << 10;
  auto ended = run_and_wait(processes, std::move(spec));
  if (ended.why.kind != failure_kind::none || ended.code != 0)
    return absent();
  auto d = cpu_facts();
  d.backend = b.name;
  if (!b.target.empty())
    d.facts[device_facts::target] = b.target;
  std::string flags;
  for (const auto& f : b.flags)
    flags += (flags.empty() ? "" : " ") + f;
  d.facts[device_facts::compiler] = trimmed(ended.out.substr(0, ended.out.find('\n')));
  d.facts[device_facts::flags] = flags;
  // -march=native resolves by the CPU, so the CPU is part of what a binary depends on.
  d.facts[device_facts::toolchain] = digest_of_parts(
      {ended.out, d.facts[device_facts::model], d.facts[device_facts::isa], d.facts[device_facts::arch]});
  return b.device == "nvidia" ? on_nvidia(b, std::move(d), processes) : d;
}

} // namespace ke
