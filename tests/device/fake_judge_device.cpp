#include "tests/device/fake_judge_device.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

namespace ke_test {

ke::judge_device& fake_judge_device() {
  setenv("KE_LIBCUDA", KE_FAKE_CUDA, 1);
  auto device = ke::judge_device::of(0);
  REQUIRE(device);
  return **device;
}

} // namespace ke_test
