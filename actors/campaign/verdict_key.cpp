#include "actors/campaign/verdict_key.hpp"

#include "runtime/core/device_name.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence_keys.hpp"

namespace ke {

std::string verdict_key(const std::string& problem_digest, const std::string& normalised_digest,
                        const device_info& device, measure_plan plan, bool timed) {
  auto fact = [&](const char* name) {
    auto f = device.facts.find(name);
    return f == device.facts.end() ? std::string{} : f->second;
  };
  return digest_of_parts({problem_digest, normalised_digest, device.backend, fact(device_facts::flags),
                          fact(device_facts::toolchain), kind_of_device(device.name), KE_VERSION,
                          to_text(plan), timed ? "timed" : "untimed"});
}

} // namespace ke
