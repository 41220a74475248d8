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
  facts[device_facts::l2] = std::to_string(d.l2_bytes);
  if (!d.strangers.empty())
    facts[device_facts::strangers] = d.strangers;
}

} // namespace ke
