#include "backends/device_compiler/launch_header.hpp"
#include "backends/evidence/device_object.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/text/expression.hpp"

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

void demand(bool kept) {
  if (!kept)
    std::abort();
}

/// The product of what the expressions come to, each within its bounds.
std::int64_t product(const std::vector<std::string>& extents, const ke::launch_shape& shape,
                     const std::vector<std::int64_t>& most) {
  demand(!extents.empty() && extents.size() <= most.size());
  std::int64_t all = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    auto one = ke::integer_value(extents[i], shape);
    demand(one && *one >= 1 && *one <= most[i] && !__builtin_mul_overflow(all, *one, &all));
  }
  return all;
}

} // namespace

/// Any bytes as a candidate in device code: a launch that is accepted is one that a device can take, of every shape, and
/// what is refused is told with its place. And as the object that a build leaves.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const std::vector<ke::launch_shape> shapes{{{"M", 512}, {"N", 1000}}, {{"M", 7}, {"N", 1}}};
  auto launches = ke::read_launches(text, "candidate.cu", shapes);
  if (!launches)
    demand(launches.error().text.starts_with("candidate.cu(") &&
           launches.error().text.find("): error: ") != std::string::npos);
  else
    for (const auto& [launch, line] : *launches) {
      demand(line >= 1 && !launch.entry.empty() && launch.entry.size() <= 64);
      for (const auto& shape : shapes) {
        product(launch.grid, shape, {2147483647, 65535, 65535});
        demand(product(launch.block, shape, {1024, 1024, 64}) <= 1024);
        auto shared = ke::integer_value(launch.shared, shape);
        demand(shared && *shared >= 0 && *shared <= 227 << 10);
      }
    }
  if (auto object = ke::unpack<ke::device_object>(text))
    demand(static_cast<bool>(ke::unpack<ke::device_object>(ke::pack(*object))));
  return 0;
}
