#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/command_template.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/device_name.hpp"
#include "runtime/core/evidence_keys.hpp"

#include "backends/evaluation/nvidia_target.hpp"
#include "backends/evaluation/python_parent.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/spawn.hpp"

#include <sched.h>

#include <fstream>
#include <map>
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

failure no_toolchain(const backend& b, const std::string& program) {
  std::string hint = b.detect_hint.empty() ? "install it" : b.detect_hint;
  return {failure_kind::missing,
          "the toolchain of backend " + b.name + " does not answer (`" + program + "`): " + hint};
}

/// What the detect command prints.
result<std::string> toolchain_version(const backend& b, const found_files& files, process_port& processes) {
  template_words words;
  words.texts["{python}"] = python_program();
  words.add(files);
  process_spec spec;
  spec.argv = expanded(b.detect, words);
  auto program = spec.argv.empty() ? std::string{} : spec.argv.front();
  // Builds run with one PATH, the same for everybody; a compiler that the user's own PATH hides is none.
  if (program.empty() || !on_own_path(program))
    return no_toolchain(b, program);
  spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C"}};
  spec.deadline = std::chrono::seconds{20};
  spec.output_limit = 64u << 10;
  auto ended = run_and_wait(processes, std::move(spec));
  if (ended.why.kind != failure_kind::none || ended.code != 0)
    return no_toolchain(b, program);
  return std::move(ended.out);
}

constexpr std::string_view nvidia = "nvidia"; ///< a manifest's kind of device

/// The devices that can be used; the empty text, or why there are none.
std::string add_nvidia_devices(std::vector<device_info>& found, process_port& processes) {
  auto report = nvidia_devices(processes);
  std::string trouble = report.trouble;
  std::map<std::string, std::size_t> of_kind;
  for (const auto& device : report.devices)
    if (device.trouble.empty()) {
      auto& d = found.emplace_back();
      describe_nvidia(device, report, d);
      d.name = device_name(d.name, ++of_kind[d.name]);
    } else {
      trouble += (trouble.empty() ? "" : "; ") + device.name + ": " + device.trouble;
    }
  return found.empty() ? trouble : std::string{};
}

/// Stands for a device that is not there: candidates are compiled for it, and nothing else.
device_info stand_in(const backend& b, const architecture& a, const std::string& why) {
  device_info d;
  d.name = b.device + "-" + a.name;
  d.facts[device_facts::isa] = a.name;
  d.facts[device_facts::execution] = device_facts::compiled_not_executed;
  if (!why.empty())
    d.facts[device_facts::without] = why;
  if (!a.target.empty())
    d.facts[device_facts::target] = a.target;
  return d;
}

} // namespace

result<std::vector<device_info>> probe_targets(const backend& b, process_port& processes) {
  auto files = find_machine_files(b.files);
  if (!files)
    return failure{failure_kind::missing, "backend " + b.name + ": " + files.error().text};
  auto version = toolchain_version(b, *files, processes);
  if (!version)
    return version.error();
  std::vector<device_info> found;
  std::string without; // why there is no device
  if (b.device == nvidia)
    without = add_nvidia_devices(found, processes);
  for (const auto& a : found.empty() ? b.architectures : std::vector<architecture>{})
    found.push_back(stand_in(b, a, without));
  if (found.empty() && !without.empty())
    return failure{failure_kind::missing, "backend " + b.name + " has no device: " + without};
  auto cpu = cpu_facts();
  if (found.empty())
    found.push_back(cpu);
  std::string flags;
  for (const auto& f : b.flags)
    flags += (flags.empty() ? "" : " ") + f;
  // -march=native resolves by the CPU, so the CPU is part of what a binary depends on.
  std::string sizes;
  std::error_code error;
  for (const auto& [name, place] : files->places)
    sizes += name + '=' + std::to_string(std::filesystem::file_size(place, error)) + '\n';
  auto toolchain = digest_of_parts({*version + sizes, cpu.facts[device_facts::model],
                                    cpu.facts[device_facts::isa], cpu.facts[device_facts::arch]});
  for (auto& d : found) {
    d.backend = b.name;
    if (!b.target.empty())
      d.facts.try_emplace(device_facts::target, b.target);
    d.facts[device_facts::compiler] = trimmed(version->substr(0, version->find('\n')));
    d.facts[device_facts::flags] = flags;
    d.facts[device_facts::toolchain] = d.facts.contains(device_facts::uuid)
                                           ? digest_of_parts({toolchain, d.facts[device_facts::isa]})
                                           : toolchain;
  }
  return found;
}

result<device_info> probe_target(const backend& b, process_port& processes, const std::string& pattern) {
  auto all = probe_targets(b, processes);
  if (!all)
    return all.error();
  std::string names;
  for (auto& d : *all) {
    if (names_device(pattern, d.name))
      return std::move(d);
    names += (names.empty() ? "" : ", ") + d.name;
  }
  return failure{failure_kind::missing, "no device of backend " + b.name + " is called like " + pattern +
                                            "; this machine has " + names};
}

bool executes_on(const backend& b, const device_info& device) {
  return b.executes && !device.facts.contains(device_facts::execution);
}

} // namespace ke
