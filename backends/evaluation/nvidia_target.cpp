#include "backends/evaluation/nvidia_target.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "runtime/process/self_process.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace ke {

namespace {

/// What ke-judge answers to these words; in `trouble`: why nothing.
template <class Report>
Report asked(process_port& processes, std::vector<std::string> words, const std::string& what) {
  process_spec spec;
  spec.argv = {beside_this_program("ke-judge").string()};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C"}};
  spec.env.merge(device_environment());
  spec.deadline = std::chrono::seconds{30};
  spec.output_limit = 1u << 20;
  auto ended = run_and_wait(processes, std::move(spec));
  Report none;
  if (ended.why.kind != failure_kind::none || ended.code != 0) {
    none.trouble = "ke-judge could not say " + what +
                   (ended.err.empty() ? std::string{} : ": " + ended.err.substr(0, ended.err.find('\n')));
    return none;
  }
  auto report = unpack<Report>(ended.out);
  if (!report)
    none.trouble = "ke-judge's answer about " + what + " is not readable: " + report.error().text;
  return report ? *std::move(report) : none;
}

} // namespace

device_report nvidia_devices(process_port& processes) {
  return asked<device_report>(processes, {"--devices"}, "which devices there are");
}

device_bands nvidia_bands(process_port& processes, const std::string& uuid) {
  return asked<device_bands>(processes, {"--bands", uuid}, "how good readings on the device are");
}

void describe_nvidia(const nvidia_device& d, const device_report& of, device_info& target) {
  auto& facts = target.facts;
  target.name = short_name(d);
  facts[device_facts::target] = target.name;
  facts[device_facts::model] = d.name;
  facts[device_facts::isa] = d.arch;
  facts[device_facts::cores] = std::to_string(d.processors);
  facts[device_facts::uuid] = d.uuid;
  facts[device_facts::memory] = std::to_string(d.memory_bytes >> 20) + " MiB";
  facts[device_facts::driver] = of.driver;
  facts[device_facts::node] = d.node;
  facts[device_facts::library] = of.library;
  facts[device_facts::l2] = std::to_string(d.l2_bytes >> 20) + " MiB";
  auto says = [&facts](const char* key, std::int64_t known, const std::string& text) {
    if (known > 0)
      facts[key] = text;
  };
  says(device_facts::most_clock, d.clock_khz, std::to_string(d.clock_khz / 1000) + " MHz at most");
  // Two transfers a cycle of the memory's clock: what a data sheet says; copies reach some nine tenths of it.
  says(device_facts::memory_rate, d.memory_clock_khz * d.memory_bus_bits,
       std::to_string(d.memory_clock_khz * 2 * d.memory_bus_bits / 8 / 1'000'000) +
           " GB/s by its clock and width");
  says(device_facts::processor_threads, d.processor_threads, std::to_string(d.processor_threads));
  says(device_facts::processor_registers, d.processor_registers,
       std::to_string(d.processor_registers) + " of 32 bits");
  says(device_facts::processor_shared, d.processor_shared_bytes,
       std::to_string(d.processor_shared_bytes >> 10) + " KiB, of which one block may have " +
           std::to_string(d.block_shared_bytes >> 10));
  if (!d.strangers.empty())
    facts[device_facts::strangers] = d.strangers;
}

} // namespace ke
