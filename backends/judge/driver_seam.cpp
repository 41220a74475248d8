#include "backends/judge/driver_seam.hpp"

#include <utility>

namespace ke {

const driver_seam* find_driver(std::string_view name) {
#define KE_DRIVER(kind, manifest_name, ...)                                                                  \
  if (name == (manifest_name))                                                                               \
    return &kind##_driver;
  KE_DRIVERS(KE_DRIVER)
#undef KE_DRIVER
  return nullptr;
}

result<const driver_seam*> wanted_driver(std::string_view name) {
  if (const auto* seam = find_driver(name))
    return seam;
  return failure{failure_kind::missing, "the judge has no driver " + std::string{name}};
}

result<open_driver> open_driver::begin(const driver_seam& seam, const driver_start& how) {
  auto state = seam.arena(how);
  if (!state)
    return state.error();
  open_driver made{seam, *std::move(state), how.memory};
  if (auto opened = seam.open(*made.state_, how); !opened)
    return opened.error();
  return made;
}

result<open_driver> open_driver::start(const driver_seam& seam, const driver_start& how,
                                       call_outcome& loading) {
  auto begun = begin(seam, how);
  if (begun)
    loading = begun->load();
  return begun;
}

} // namespace ke
